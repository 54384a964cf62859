/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/consistency.h> */
#include "energy.h"

#include <pybind11/stl.h>

/* Operations in each second; the array owns them. */
static py::array iops_log_read(const py::object &source, uint32_t op)
{
	struct ssdpm_iops_log_params params = {};
	struct ssdpm_error error = {};
	const Input input(source);
	double *iops = nullptr;
	size_t n = 0;
	int err;

	params.size = sizeof(params);
	params.op = op;
	{
		py::gil_scoped_release release;

		if (input.data)
			err = ssdpm_iops_log_read_data(input.data, input.size,
						       &params, &iops, &n,
						       &error);
		else
			err = ssdpm_iops_log_read(input.fd, &params, &iops, &n,
						  &error);
	}
	if (err)
		raise_error(error, true);

	std::unique_ptr<double, Free> memory(iops);
	py::capsule owner(iops, [](void *owned) { free(owned); });

	(void)memory.release();
	return view(iops, n, owner);
}

/* Without gaps, of one dimension: ssdpm/consistency.py has checked. */
using Series = py::array_t<double, py::array::c_style>;

/*
 * The order is that of struct ssdpm_consistency; all of it is kept. power_w is
 * as long as iops.
 */
static py::tuple measure(const Series &iops, uint64_t begin_s, uint64_t end_s,
			 double threshold_iops,
			 const std::optional<Series> &power_w)
{
	struct ssdpm_consistency_params params = {};
	struct ssdpm_consistency c = {};

	params.size = sizeof(params);
	params.begin_s = begin_s;
	params.end_s = end_s;
	params.threshold_iops = threshold_iops;
	params.power_w = power_w ? power_w->data() : nullptr;
	c.size = sizeof(c);
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_consistency_measure(
			iops.data(), (size_t)iops.size(), &params, &c, error);
	});
	return py::make_tuple(c.n, c.n_holes, c.n_below, c.floor_iops,
			      c.p01_iops, c.p1_iops, c.median_iops, c.mean_iops,
			      c.sd_iops, c.max_iops, c.variation, c.floor_share,
			      c.plateau_iops, c.cliff_s, c.steady_s,
			      c.plateau_power_w, c.mean_power_w, kept(&c));
}

static py::str consistency_json(const std::string &name, uint64_t spare_ppm,
				double threshold_iops, const py::bytes &from)
{
	const Kept<struct ssdpm_consistency> found(from);
	struct ssdpm_consistency_report report = {};

	report.size = sizeof(report);
	report.name = name.c_str();
	report.spare_ppm = spare_ppm;
	report.threshold_iops = threshold_iops;
	report.found = found.get();
	return written([&](char **text, struct ssdpm_error *error) {
		return ssdpm_consistency_report_to_json(&report, text, error);
	});
}

void add_consistency(py::module_ &module)
{
	module.def("iops_log_read", &iops_log_read);
	module.def("consistency_measure", &measure);
	module.def("consistency_json", &consistency_json);
}
