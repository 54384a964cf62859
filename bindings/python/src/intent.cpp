/* SPDX-License-Identifier: MIT */
/* <ssdpm/intent.h>; what adds one to a plan is in apply.cpp. */
#include "intent.h"

static py::object flags(const Intent &intent)
{
	return bit_words(&ssdpm_intent_flag_to_string,
			 ssdpm_intent_get_flags(intent.get()));
}

void add_intent(py::module_ &module)
{
	py::class_<Intent>(module, "Intent")
		.def(py::init<const Machine &>(), py::arg("machine"))
		.def("flags", &flags);
}
