/* SPDX-License-Identifier: MIT */
/* <ssdpm/intent.h>; what adds one to a plan is in apply.cpp. */
#include "common.h"

#include <pybind11/stl.h>

static py::object flags(const Intent &intent)
{
	return bit_words(&ssdpm_intent_flag_to_string,
			 ssdpm_intent_get_flags(intent.get()));
}

/* profile: its name, or None: what all drives get. */
static py::dict settings(const Intent &intent, const OptionalText &profile,
			 uint32_t power_source)
{
	struct ssdpm_profile_settings settings = {};

	settings.size = sizeof(settings);
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_intent_get_settings(intent.get(), c_str(profile),
						 power_source, &settings,
						 error);
	});
	return settings_dict(settings);
}

static py::list profiles(const Intent &intent)
{
	py::list result;
	char name[32];

	for (size_t i = 0;
	     !ssdpm_intent_get_profile_name(intent.get(), i, name); i++)
		result.append(text_from(name));
	return result;
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
		.def("flags", &flags)
		.def("settings", &settings)
		.def("profiles", &profiles);
	module.def("keep_intent", &keep_intent);
	module.def("forget_intent", &forget_intent);
}
