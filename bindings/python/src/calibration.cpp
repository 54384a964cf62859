/* SPDX-License-Identifier: MIT */
/* <ssdpm/measure.h>: from power and I/Os to the parameters of a drive. */
#include "parameters.h"
#include "samples.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include <pybind11/stl.h>

/* kind, index, status, exceeds, n, low, nominal, high, stated, reason */
using MeasuredTuple = std::tuple<uint32_t, uint32_t, uint32_t, bool, uint64_t,
				 double, double, double, double, std::string>;
using MeasuredTuples = std::vector<MeasuredTuple>;

/* offset_ns, max_offset_ns, bin_ns, flags */
using CalibrateTuple = std::tuple<int64_t, uint64_t, uint64_t, uint32_t>;

static std::vector<struct ssdpm_measured> measured_from(
	const MeasuredTuples &from)
{
	std::vector<struct ssdpm_measured> result;

	for (const MeasuredTuple &one : from) {
		const std::string &reason = std::get<9>(one);
		struct ssdpm_measured to = {};

		to.kind = std::get<0>(one);
		to.index = std::get<1>(one);
		to.status = std::get<2>(one);
		to.exceeds = std::get<3>(one);
		to.n = std::get<4>(one);
		to.low = std::get<5>(one);
		to.nominal = std::get<6>(one);
		to.high = std::get<7>(one);
		to.stated = std::get<8>(one);
		/* the last byte stays 0 */
		memcpy(to.reason, reason.data(),
		       std::min(reason.size(), sizeof(to.reason) - 1));
		result.push_back(to);
	}
	return result;
}

static py::list measured_list(const struct ssdpm_measured *measured, size_t n)
{
	py::list result;

	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_measured &one = measured[i];

		result.append(py::make_tuple(one.kind, one.index, one.status,
					     one.exceeds != 0, one.n, one.low,
					     one.nominal, one.high, one.stated,
					     text_from(one.reason)));
	}
	return result;
}

/* The order is that of struct ssdpm_calibration, without what can be counted;
 * ssdpm/calibration.py has the names. */
static py::tuple calibration_tuple(const struct ssdpm_calibration &from)
{
	return py::make_tuple(from.n_bins, from.n_spikes, from.bin_ns,
			      from.offset_ns, from.offset_error_ns,
			      from.sigma_w, from.drift_w, from.noise_phi,
			      from.noise_share);
}

static py::tuple calibrate(const Model &model, const SimParams &sim_params,
			   const IoArray &ios, const Samples &samples,
			   const CalibrateTuple &from)
{
	std::vector<struct ssdpm_measured> measured(SSDPM_MAX_PARAMETERS);
	struct ssdpm_calibrate_params params = {};
	struct ssdpm_calibration found = {};

	params.size = sizeof(params);
	params.offset_ns = std::get<0>(from);
	params.max_offset_ns = std::get<1>(from);
	params.bin_ns = std::get<2>(from);
	params.flags = std::get<3>(from);
	found.size = sizeof(found);
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_calibrate(model.get(), sim_params.get(),
				       ios.data(), (size_t)ios.size(),
				       samples.get(), &params, measured.data(),
				       &found, error);
	});
	return py::make_tuple(measured_list(measured.data(), found.n_measured),
			      calibration_tuple(found));
}

static py::list parameters_calibrate(const ParameterTuples &from,
				     const MeasuredTuples &by)
{
	const std::vector<struct ssdpm_measured> measured = measured_from(by);
	Parameters parameters = parameters_from(from);
	struct ssdpm_error error = {};

	if (ssdpm_parameters_calibrate(parameters.data(), parameters.size(),
				       measured.data(), measured.size(),
				       &error))
		raise_error(error, false);
	return parameter_list(parameters.data(), parameters.size());
}

void add_calibration(py::module_ &module)
{
	module.attr("MEASURED_STATUSES") =
		words(&ssdpm_measured_status_to_string);
	module.attr("CALIBRATE_OPERATION_ENERGY") =
		(uint32_t)SSDPM_CALIBRATE_OPERATION_ENERGY;
	module.attr("CALIBRATE_BYTE_ENERGY") =
		(uint32_t)SSDPM_CALIBRATE_BYTE_ENERGY;
	module.def("calibrate", &calibrate);
	module.def("parameters_calibrate", &parameters_calibrate);
}
