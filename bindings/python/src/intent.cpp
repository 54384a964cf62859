/* SPDX-License-Identifier: MIT */
/* <ssdpm/intent.h>; what adds one to a plan is in apply.cpp. */
#include "intent.h"

static py::object flags(const Intent &intent)
{
	return bit_words(&ssdpm_intent_flag_to_string,
			 ssdpm_intent_get_flags(intent.get()));
}

static void keep_intent(const Machine &machine, const Device *device,
			const std::string &lines, bool until_reboot)
{
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_intent_keep(
			machine.get(), device ? device->get() : nullptr,
			lines.c_str(),
			until_reboot ? SSDPM_KEEP_UNTIL_REBOOT : 0, error);
	});
}

static void forget_intent(const Machine &machine, bool until_reboot)
{
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_intent_forget(
			machine.get(),
			until_reboot ? SSDPM_KEEP_UNTIL_REBOOT : 0, error);
	});
}

void add_intent(py::module_ &module)
{
	py::class_<Intent>(module, "Intent")
		.def(py::init<const Machine &>(), py::arg("machine"))
		.def("flags", &flags);
	module.def("keep_intent", &keep_intent);
	module.def("forget_intent", &forget_intent);
}
