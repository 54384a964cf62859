/* SPDX-License-Identifier: MIT */
/* struct ssdpm_prediction of <ssdpm/energy/likely.h>, and its JSON. */
#include "energy.h"

#include <memory>
#include <tuple>

#include <pybind11/stl.h>

/* covered_ns, energy_j, low_j, high_j, mean_power_w, n, remarks */
using EnergyTuple = std::tuple<uint64_t, double, double, double, double,
			       uint64_t, uint32_t>;

static struct ssdpm_energy energy_from(const EnergyTuple &from)
{
	struct ssdpm_energy energy = {};

	energy.size = sizeof(energy);
	std::tie(energy.covered_ns, energy.energy_j, energy.low_j,
		 energy.high_j, energy.mean_power_w, energy.n, energy.remarks) =
		from;
	return energy;
}

py::tuple prediction_tuple(const struct ssdpm_prediction &prediction)
{
	return py::make_tuple(
		prediction.duration_ns, prediction.nominal_uw,
		prediction.likely_low_uw, prediction.likely_median_uw,
		prediction.likely_high_uw, prediction.possible_low_uw,
		prediction.possible_high_uw, prediction.priors_version);
}

static struct ssdpm_prediction read_prediction(std::string_view text)
{
	struct ssdpm_prediction found = {};
	struct ssdpm_error error = {};

	found.size = sizeof(found);
	if (ssdpm_prediction_from_json(text.data(), text.size(), &found,
				       &error))
		raise_error(error, true);
	return found;
}

static py::tuple prediction_from_json(const py::bytes &text)
{
	return prediction_tuple(read_prediction(text));
}

/* verdict, certain, power_uw, low_uw, high_uw, length_differs */
static py::tuple check_tuple(const struct ssdpm_prediction_check &check)
{
	return py::make_tuple(ssdpm_prediction_verdict_to_string(check.verdict),
			      check.certain != 0, check.power_uw, check.low_uw,
			      check.high_uw, check.length_differs != 0);
}

/* What was measured, and the text before that. */
static py::tuple prediction_check_from_json(const py::bytes &from)
{
	const std::string_view text = from;
	struct ssdpm_prediction_check check = {};
	struct ssdpm_error error = {};
	char *before = nullptr;

	check.size = sizeof(check);
	if (ssdpm_prediction_check_from_json(text.data(), text.size(), &check,
					     &before, &error))
		raise_error(error, true);
	const std::unique_ptr<char, Free> owner(before);
	return py::make_tuple(check_tuple(check), text_from(before));
}

static py::tuple prediction_judge(const py::bytes &text,
				  const EnergyTuple &from, double subtracted_w)
{
	const struct ssdpm_prediction prediction = read_prediction(text);
	const struct ssdpm_energy energy = energy_from(from);
	struct ssdpm_prediction_check check = {};
	struct ssdpm_error error = {};

	check.size = sizeof(check);
	if (ssdpm_prediction_judge(&prediction, &energy, subtracted_w, &check,
				   &error))
		raise_error(error, false);
	return check_tuple(check);
}

static py::str prediction_add_measured(const py::bytes &from,
				       const EnergyTuple &measured,
				       double subtracted_w,
				       const OptionalText &measured_at)
{
	const std::string_view text = from;
	const struct ssdpm_energy energy = energy_from(measured);
	struct ssdpm_prediction_measured known = {};

	known.size = sizeof(known);
	known.energy = &energy;
	known.subtracted_w = subtracted_w;
	known.measured_at = c_str(measured_at);
	return written([&](char **ret_text, struct ssdpm_error *error) {
		return ssdpm_prediction_add_measured(text.data(), text.size(),
						     &known, ret_text, error);
	});
}

void add_likely(py::module_ &module)
{
	module.def("prediction_from_json", &prediction_from_json);
	module.def("prediction_check_from_json", &prediction_check_from_json);
	module.def("prediction_judge", &prediction_judge);
	module.def("prediction_add_measured", &prediction_add_measured);
}
