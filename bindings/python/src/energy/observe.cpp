/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/observe.h> */
#include "observation.h"

static py::list events()
{
	py::list result;

	for (size_t i = 0; ssdpm_observation_get_event(i); i++)
		result.append(ssdpm_observation_get_event(i));
	return result;
}

void add_observe(py::module_ &module)
{
	module.attr("CAUSE_KINDS") = words(&ssdpm_cause_kind_to_string);
	module.attr("HELP_KINDS") = words(&ssdpm_help_kind_to_string);
	module.attr("NO_CONTROLLER") = SSDPM_NO_CONTROLLER;
	module.attr("EVENTS") = events();
	py::class_<Observation>(module, "Observation")
		.def(py::init<>())
		.def("add_drive", &Observation::add_drive)
		.def("add_partition", &Observation::add_partition)
		.def("set_format", &Observation::set_format)
		.def("feed", &Observation::feed)
		.def("advance", &Observation::advance)
		.def("finish", &Observation::finish)
		.def("counts", &Observation::counts)
		.def("drive", &Observation::drive)
		.def("causes", &Observation::causes)
		.def("without", &Observation::without)
		.def("policy", &Observation::policy)
		.def("help", &Observation::help)
		.def("intervals", &Observation::intervals)
		.def("to_json", &Observation::to_json)
		.def("interval_to_json", &Observation::interval_to_json)
		.def("prediction", &Observation::prediction);
}
