/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/calibrate.h>: from power and I/Os to parameters of a drive. */
#include "energy.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <pybind11/stl.h>

/* kind, index, status, exceeds, n, low, nominal, high, stated, reason */
using MeasuredTuple = std::tuple<uint32_t, uint32_t, uint32_t, bool, uint64_t,
				 double, double, double, double, std::string>;
using MeasuredTuples = std::vector<MeasuredTuple>;

/* The members of struct ssdpm_meter_traits. */
using TraitsTuple =
	std::tuple<uint32_t, uint32_t, uint64_t, uint64_t, uint32_t, int32_t>;

/* offset_ns, max_offset_ns, both or None: not known; bin_ns, flags, meter */
using CalibrateTuple =
	std::tuple<std::optional<int64_t>, std::optional<uint64_t>, uint64_t,
		   uint32_t, TraitsTuple>;

static TraitsTuple traits_tuple(const struct ssdpm_meter_traits &from)
{
	return { from.known,	from.sampling, from.response_ns,
		 from.drift_uw, from.gain_ppm, from.clock_ppb };
}

static struct ssdpm_meter_traits traits_from(const TraitsTuple &from)
{
	struct ssdpm_meter_traits to = {};

	std::tie(to.known, to.sampling, to.response_ns, to.drift_uw,
		 to.gain_ppm, to.clock_ppb) = from;
	return to;
}

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

/* n_bins, n_spikes, bin_ns, offset_ns, offset_error_ns, sigma_w, drift_w,
 * noise_phi, noise_share, meter, contradiction */
using QualityTuple =
	std::tuple<uint64_t, uint64_t, uint64_t, int64_t, uint64_t, double,
		   double, double, double, TraitsTuple, uint32_t>;

static QualityTuple quality_tuple(const struct ssdpm_calibration &from)
{
	return { from.n_bins,	       from.n_spikes,
		 from.bin_ns,	       from.offset_ns,
		 from.offset_error_ns, from.sigma_w,
		 from.drift_w,	       from.noise_phi,
		 from.noise_share,     traits_tuple(from.meter),
		 from.contradiction };
}

static struct ssdpm_calibration quality_from(
	const QualityTuple &from, std::vector<struct ssdpm_measured> &measured)
{
	struct ssdpm_calibration to = {};

	to.size = sizeof(to);
	to.n_measured = to.capacity = measured.size();
	to.measured = measured.data();
	for (const struct ssdpm_measured &one : measured)
		to.n_known += one.status == SSDPM_MEASURED_KNOWN;
	to.n_bins = std::get<0>(from);
	to.n_spikes = std::get<1>(from);
	to.bin_ns = std::get<2>(from);
	to.offset_ns = std::get<3>(from);
	to.offset_error_ns = std::get<4>(from);
	to.sigma_w = std::get<5>(from);
	to.drift_w = std::get<6>(from);
	to.noise_phi = std::get<7>(from);
	to.noise_share = std::get<8>(from);
	to.meter = traits_from(std::get<9>(from));
	to.contradiction = std::get<10>(from);
	return to;
}

static struct ssdpm_calibrate_params run_of(const IoArray &ios,
					    const Samples &samples)
{
	struct ssdpm_calibrate_params params = {};

	params.size = sizeof(params);
	params.ios = ios.data();
	params.n_ios = (size_t)ios.size();
	params.samples = samples.get();
	return params;
}

/* begin_ns, bin_ns, power_w */
static py::tuple calibration_get_fitted(const Model &model,
					const SimParams &sim_params,
					const IoArray &ios,
					const Samples &samples,
					const MeasuredTuples &from,
					const QualityTuple &quality)
{
	std::vector<struct ssdpm_measured> measured = measured_from(from);
	const struct ssdpm_calibration calibration =
		quality_from(quality, measured);
	const struct ssdpm_calibrate_params params = run_of(ios, samples);
	struct ssdpm_fitted_power fitted = {};
	auto get = [&](struct ssdpm_error *error) {
		return ssdpm_calibration_get_fitted(
			model.get(), sim_params.get(), &params, &calibration,
			&fitted, error);
	};

	fitted.size = sizeof(fitted);
	without_gil(get);
	py::array_t<double> power_w((py::ssize_t)fitted.n);
	fitted.power_w = power_w.mutable_data();
	fitted.capacity = fitted.n;
	without_gil(get);
	return py::make_tuple(fitted.begin_ns, fitted.bin_ns, power_w);
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

/* n_samples, n_ios, kind, pcie_link, lpm, operational_state, flags,
 * measured_wa_milli, product, firmware, policy, power_name, trace_name, date */
using OverlayTuple =
	std::tuple<uint64_t, uint64_t, uint32_t, uint32_t, uint32_t, uint32_t,
		   uint32_t, uint32_t, std::string, std::string, std::string,
		   std::string, std::string, std::string>;

/* ssdpm/measure/calibration.py has checked the lengths. */
template <size_t size>
static void copy_text(char (&to)[size], const std::string &from)
{
	memcpy(to, from.data(), std::min(from.size(), size - 1));
}

static struct ssdpm_overlay overlay_from(const OverlayTuple &from)
{
	struct ssdpm_overlay to = {};

	to.size = sizeof(to);
	to.n_samples = std::get<0>(from);
	to.n_ios = std::get<1>(from);
	to.kind = std::get<2>(from);
	to.pcie_link = std::get<3>(from);
	to.lpm = std::get<4>(from);
	to.operational_state = std::get<5>(from);
	to.flags = std::get<6>(from);
	to.measured_wa_milli = std::get<7>(from);
	copy_text(to.product, std::get<8>(from));
	copy_text(to.firmware, std::get<9>(from));
	copy_text(to.policy, std::get<10>(from));
	copy_text(to.power_name, std::get<11>(from));
	copy_text(to.trace_name, std::get<12>(from));
	copy_text(to.date, std::get<13>(from));
	return to;
}

static OverlayTuple overlay_tuple(const struct ssdpm_overlay &from)
{
	return { from.n_samples,  from.n_ios,
		 from.kind,	  from.pcie_link,
		 from.lpm,	  from.operational_state,
		 from.flags,	  from.measured_wa_milli,
		 from.product,	  from.firmware,
		 from.policy,	  from.power_name,
		 from.trace_name, from.date };
}

/* policy, power_path, trace_path, date, measured_wa_milli */
using NamesOfRun =
	std::tuple<std::optional<std::string>, std::optional<std::string>,
		   std::optional<std::string>, std::optional<std::string>,
		   uint32_t>;

static const char *text_of(const std::optional<std::string> &text)
{
	return text ? text->c_str() : nullptr;
}

static struct ssdpm_overlay_names names_from(const NamesOfRun &from)
{
	struct ssdpm_overlay_names names = {};

	names.size = sizeof(names);
	names.policy = text_of(std::get<0>(from));
	names.power_path = text_of(std::get<1>(from));
	names.trace_path = text_of(std::get<2>(from));
	names.date = text_of(std::get<3>(from));
	names.measured_wa_milli = std::get<4>(from);
	return names;
}

/* What is not known of the clocks, the library finds. */
static int take_clocks(struct ssdpm_calibrate_params &params,
		       const CalibrateTuple &from, struct ssdpm_error *error)
{
	const auto &[offset_ns, max_offset_ns, bin_ns, flags, meter] = from;
	int err = offset_ns ? 0 : ssdpm_calibrate_params_align(&params, error);

	if (offset_ns)
		params.offset_ns = *offset_ns;
	if (max_offset_ns)
		params.max_offset_ns = *max_offset_ns;
	params.bin_ns = bin_ns;
	params.flags = flags;
	params.meter = traits_from(meter);
	return err;
}

static py::tuple calibrate(const Model &model, const SimParams &sim_params,
			   const IoArray &ios, const Samples &samples,
			   const CalibrateTuple &from, const NamesOfRun &of)
{
	std::vector<struct ssdpm_measured> measured(SSDPM_MAX_PARAMETERS);
	const struct ssdpm_overlay_names names = names_from(of);
	struct ssdpm_calibrate_params params = run_of(ios, samples);
	struct ssdpm_calibration found = {};
	struct ssdpm_overlay overlay = {};

	overlay.size = sizeof(overlay);
	found.size = sizeof(found);
	found.measured = measured.data();
	found.capacity = measured.size();
	without_gil([&](struct ssdpm_error *error) {
		int err = take_clocks(params, from, error);

		if (!err)
			err = ssdpm_overlay_init(model.get(), sim_params.get(),
						 &params, &names, &overlay,
						 error);
		return err ? err :
			     ssdpm_calibrate(model.get(), sim_params.get(),
					     &params, &found, error);
	});
	return py::make_tuple(overlay_tuple(overlay),
			      measured_list(measured.data(), found.n_measured),
			      quality_tuple(found));
}

static py::str overlay_to_json(const OverlayTuple &of,
			       const MeasuredTuples &from,
			       const QualityTuple &quality)
{
	std::vector<struct ssdpm_measured> measured = measured_from(from);
	const struct ssdpm_calibration calibration =
		quality_from(quality, measured);
	const struct ssdpm_overlay overlay = overlay_from(of);

	return written([&](char **text, struct ssdpm_error *error) {
		return ssdpm_overlay_to_json(&overlay, &calibration, text,
					     error);
	});
}

static py::tuple overlay_from_json(const py::bytes &from)
{
	const std::string_view text = from;
	std::vector<struct ssdpm_measured> measured(SSDPM_MAX_PARAMETERS);
	struct ssdpm_calibration calibration = {};
	struct ssdpm_overlay overlay = {};
	struct ssdpm_error error = {};

	calibration.size = sizeof(calibration);
	calibration.measured = measured.data();
	calibration.capacity = measured.size();
	overlay.size = sizeof(overlay);
	if (ssdpm_overlay_from_json(text.data(), text.size(), &overlay,
				    &calibration, &error))
		raise_error(error, true);
	return py::make_tuple(
		overlay_tuple(overlay),
		measured_list(measured.data(), calibration.n_measured),
		quality_tuple(calibration));
}

static uint32_t overlay_match(const OverlayTuple &of, const Model &model)
{
	const struct ssdpm_overlay overlay = overlay_from(of);

	return ssdpm_overlay_match(&overlay, model.get());
}

/* level, MAD, sigma, quantum, error, n, method */
using LevelTuple =
	std::tuple<double, double, double, double, double, uint64_t, uint32_t>;

/* power, low, high, verdict, state, above, below, the states, the JSON */
static py::tuple idle_state(const Model &model, const LevelTuple &level,
			    const ParameterTuples &from, uint32_t gain_ppm)
{
	const Parameters parameters = parameters_from(from);
	struct ssdpm_baseline baseline = {};
	struct ssdpm_idle_state_params params = {};
	struct ssdpm_idle_state found = {};
	struct ssdpm_error error = {};
	py::list states;

	std::tie(baseline.level_w, baseline.mad_w, baseline.sigma_w,
		 baseline.quantum_w, baseline.error_w, baseline.n,
		 baseline.method) = level;
	params.size = sizeof(params);
	params.baseline = &baseline;
	params.parameters = parameters.data();
	params.n_parameters = parameters.size();
	params.gain_ppm = gain_ppm;
	found.size = sizeof(found);
	if (ssdpm_idle_state_find(model.get(), &params, &found, &error))
		raise_error(error, false);
	for (size_t i = 0; i < found.n_states; i++) {
		const struct ssdpm_state_power &one = found.states[i];

		states.append(py::make_tuple(one.state, one.fit, one.low_uw,
					     one.nominal_uw, one.high_uw));
	}
	return py::make_tuple(
		found.power_w, found.low_w, found.high_w, found.verdict,
		found.state, found.above, found.below, states,
		written([&](char **text, struct ssdpm_error *to) {
			return ssdpm_idle_state_to_json(&found, text, to);
		}));
}

static void add_words(py::module_ &module)
{
	module.attr("IDLE_VERDICTS") = words(&ssdpm_idle_verdict_to_string);
	module.attr("IDLE_FITS") = words(&ssdpm_idle_fit_to_string);
	module.attr("OVERLAY_MATCHES") = words(&ssdpm_overlay_match_to_string);
	module.attr("MEASURED_STATUSES") =
		words(&ssdpm_measured_status_to_string);
	module.attr("METER_TRAITS") = words(&ssdpm_meter_trait_to_string, true);
	module.attr("METER_SAMPLINGS") = words(&ssdpm_meter_sampling_to_string);
	module.attr("CONTRADICTIONS") = words(&ssdpm_contradiction_to_string);
	module.attr("CALIBRATE_OPERATION_ENERGY") =
		(uint32_t)SSDPM_CALIBRATE_OPERATION_ENERGY;
	module.attr("CALIBRATE_BYTE_ENERGY") =
		(uint32_t)SSDPM_CALIBRATE_BYTE_ENERGY;
}

void add_calibrate(py::module_ &module)
{
	add_words(module);
	module.def("calibrate", &calibrate);
	module.def("calibration_get_fitted", &calibration_get_fitted);
	module.def("parameters_calibrate", &parameters_calibrate);
	module.def("overlay_to_json", &overlay_to_json);
	module.def("overlay_from_json", &overlay_from_json);
	module.def("overlay_match", &overlay_match);
	module.def("idle_state", &idle_state);
}
