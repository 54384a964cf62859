/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/measure.h> */
#include "energy.h"

#include <cmath>
#include <mutex>
#include <tuple>

#include <pybind11/stl.h>

/* The order is that of struct ssdpm_energy, and all of it as it is;
 * ssdpm/measure/ has the names. Likewise below. */
static py::tuple energy_tuple(const struct ssdpm_energy &energy)
{
	return py::make_tuple(energy.n, energy.n_not_finite, energy.n_negative,
			      energy.n_duplicates, energy.n_backwards,
			      energy.n_gaps, energy.n_at_max, energy.gap_ns,
			      energy.covered_ns, energy.min_step_ns,
			      energy.max_step_ns, energy.energy_j, energy.low_j,
			      energy.high_j, energy.mean_power_w,
			      energy.min_power_w, energy.max_power_w,
			      energy.remarks, kept(&energy));
}

static struct ssdpm_energy_params energy_params(uint64_t max_gap_ns,
						double tolerance)
{
	struct ssdpm_energy_params params = {};

	params.size = sizeof(params);
	params.max_gap_ns = max_gap_ns;
	params.tolerance = tolerance;
	return params;
}

static py::tuple energy(const Samples &samples, uint64_t max_gap_ns,
			double tolerance)
{
	const struct ssdpm_energy_params params =
		energy_params(max_gap_ns, tolerance);
	struct ssdpm_energy found = {};

	found.size = sizeof(found);
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_energy_measure(samples.get(), &params, &found,
					    error);
	});
	return energy_tuple(found);
}

/* A signal in pieces; threads take turns. */
class Integral
{
      public:
	Integral(uint64_t max_gap_ns, double tolerance)
	{
		const struct ssdpm_energy_params params =
			energy_params(max_gap_ns, tolerance);
		struct ssdpm_error error = {};

		if (ssdpm_integral_new(&params, &integral, &error))
			raise_error(error, false);
	}
	~Integral()
	{
		ssdpm_integral_free(integral);
	}
	Integral(const Integral &) = delete;
	Integral &operator=(const Integral &) = delete;

	void feed(const Samples &samples)
	{
		without_gil([&](struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			return ssdpm_integral_feed(integral, samples.get(),
						   error);
		});
	}

	py::tuple get()
	{
		struct ssdpm_energy found = {};

		found.size = sizeof(found);
		without_gil([&](struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			return ssdpm_integral_get(integral, &found, error);
		});
		return energy_tuple(found);
	}

      private:
	struct ssdpm_integral *integral;
	std::mutex mutex;
};

/* level, MAD, sigma, quantum, error, n, method */
using BaselineTuple =
	std::tuple<double, double, double, double, double, uint64_t, uint32_t>;

static BaselineTuple baseline_tuple(const struct ssdpm_baseline &baseline)
{
	return { baseline.level_w,   baseline.mad_w,   baseline.sigma_w,
		 baseline.quantum_w, baseline.error_w, baseline.n,
		 baseline.method };
}

static struct ssdpm_baseline baseline_from(const BaselineTuple &from)
{
	struct ssdpm_baseline to = {};

	to.level_w = std::get<0>(from);
	to.mad_w = std::get<1>(from);
	to.sigma_w = std::get<2>(from);
	to.quantum_w = std::get<3>(from);
	to.error_w = std::get<4>(from);
	to.n = std::get<5>(from);
	to.method = std::get<6>(from);
	return to;
}

static BaselineTuple baseline(const Samples &samples, int64_t begin_ns,
			      int64_t end_ns, uint32_t method)
{
	struct ssdpm_baseline_params params = {};
	struct ssdpm_baseline found = {};

	params.size = sizeof(params);
	params.begin_ns = begin_ns;
	params.end_ns = end_ns;
	params.method = method;
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_baseline_find(samples.get(), &params, &found,
					   error);
	});
	return baseline_tuple(found);
}

/* The level of an idle drive, in pieces; threads take turns. */
class Level
{
      public:
	Level()
	{
		struct ssdpm_error error = {};

		if (ssdpm_level_new(&level, &error))
			raise_error(error, false);
	}
	~Level()
	{
		ssdpm_level_free(level);
	}
	Level(const Level &) = delete;
	Level &operator=(const Level &) = delete;

	void feed(const Samples &samples)
	{
		without_gil([&](struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			return ssdpm_level_feed(level, samples.get(), error);
		});
	}

	BaselineTuple get()
	{
		struct ssdpm_baseline found = {};

		without_gil([&](struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			return ssdpm_level_get(level, &found, error);
		});
		return baseline_tuple(found);
	}

      private:
	struct ssdpm_level *level;
	std::mutex mutex;
};

/* enter_sigmas, leave_sigmas, floor_w, enter, leave and filter samples */
using DetectTuple =
	std::tuple<double, double, double, uint32_t, uint32_t, uint32_t>;

static struct ssdpm_detect_params detect_from(const DetectTuple &from)
{
	struct ssdpm_detect_params to = {};

	to.size = sizeof(to);
	to.enter_sigmas = std::get<0>(from);
	to.leave_sigmas = std::get<1>(from);
	to.floor_w = std::get<2>(from);
	to.enter_samples = std::get<3>(from);
	to.leave_samples = std::get<4>(from);
	to.filter_samples = std::get<5>(from);
	return to;
}

static py::tuple activity(const Samples &samples, const BaselineTuple &level,
			  const DetectTuple &detect)
{
	const struct ssdpm_baseline from = baseline_from(level);
	const struct ssdpm_detect_params params = detect_from(detect);
	std::vector<struct ssdpm_activity> found;
	size_t n = 64;
	py::list result;

	/* The second time there is room for all of them. */
	do {
		found.resize(n);
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_activity_find(samples.get(), &from,
						   &params, found.data(), &n,
						   error);
		});
	} while (n > found.size());
	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_activity &one = found[i];

		result.append(py::make_tuple(
			one.begin, one.end, one.begin_ns, one.end_ns,
			one.energy_j, one.extra_j, one.peak_w, one.open));
	}
	return py::make_tuple(result, kept(found.data(), n));
}

static py::tuple tail(const Samples &samples, const BaselineTuple &level,
		      const DetectTuple &detect, int64_t completion_ns)
{
	const struct ssdpm_baseline from = baseline_from(level);
	const struct ssdpm_detect_params params = detect_from(detect);
	struct ssdpm_tail found = {};

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_tail_measure(samples.get(), &from, &params,
					  completion_ns, &found, error);
	});
	return py::make_tuple(found.end_ns, found.duration_ns, found.extra_j,
			      found.sigma_j, found.open != 0, found.n,
			      kept(&found));
}

static py::tuple idle_work(const Samples &samples, const BaselineTuple &level,
			   const DetectTuple &detect)
{
	const struct ssdpm_baseline from = baseline_from(level);
	const struct ssdpm_detect_params params = detect_from(detect);
	struct ssdpm_idle_work found = {};

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_idle_work_find(samples.get(), &from, &params,
					    &found, error);
	});
	return py::make_tuple(found.n, found.regular != 0, found.period_ns,
			      found.period_mad_ns, found.duration_ns,
			      found.extra_j, found.extra_mad_j,
			      found.mean_extra_w, kept(&found));
}

/*
 * As an energy says it of its first samples: with the baseline that is found.
 * All that is a number may come later.
 */
static py::bytes first_sampling(const Samples &samples)
{
	struct ssdpm_sampling found = {};

	found.size = sizeof(found);
	without_gil([&](struct ssdpm_error *error) {
		int err = ssdpm_sampling_check(samples.get(), nullptr, &found,
					       error);

		return err == -ENODATA ? 0 : err;
	});
	return kept(&found);
}

/* The order is that of struct ssdpm_sampling; ssdpm/measure/ has the names. */
static py::tuple sampling(const Samples &samples,
			  const std::optional<BaselineTuple> &level,
			  const std::optional<DetectTuple> &detect,
			  const std::optional<IoArray> &ios)
{
	struct ssdpm_sampling_params params = {};
	struct ssdpm_baseline from = {};
	struct ssdpm_detect_params above = {};
	struct ssdpm_sampling found = {};

	params.size = sizeof(params);
	found.size = sizeof(found);
	if (level) {
		from = baseline_from(*level);
		params.baseline = &from;
	}
	if (detect) {
		above = detect_from(*detect);
		params.detect = &above;
	}
	if (ios) {
		params.ios = ios->data();
		params.n_ios = (size_t)ios->size();
	}
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_sampling_check(samples.get(), &params, &found,
					    error);
	});
	return py::make_tuple(found.n, found.step_ns, found.interval_ns,
			      found.n_excursions, found.n_short, found.short_ns,
			      found.busy_ns, found.advised_ns, found.energy_j,
			      found.extra_j, found.short_j, found.remarks,
			      kept(&found));
}

/* The members of struct ssdpm_power_counts, in their order. */
using PowerCountNumbers = std::array<uint64_t, 4>;

/* Those that an object is made of; the others are none. */
struct PowerParts {
	Kept<struct ssdpm_energy> energy;
	Kept<struct ssdpm_sampling> sampling;
	Kept<struct ssdpm_activity> activities;
	Kept<struct ssdpm_tail> tail;
	Kept<struct ssdpm_idle_work> work;
};

static auto power_writer(const std::string &kind)
{
	return kind == "energy"	  ? &ssdpm_power_report_energy_to_json :
	       kind == "baseline" ? &ssdpm_power_report_baseline_to_json :
				    &ssdpm_power_report_background_to_json;
}

/* parts: energy, sampling, activities, tail, work */
static py::str power_json(const std::string &kind, const std::string &name,
			  const PowerCountNumbers &numbers,
			  const std::optional<BaselineTuple> &level,
			  const std::array<std::optional<py::bytes>, 5> &from)
{
	const PowerParts parts = { Kept<struct ssdpm_energy>(from[0]),
				   Kept<struct ssdpm_sampling>(from[1]),
				   Kept<struct ssdpm_activity>(from[2]),
				   Kept<struct ssdpm_tail>(from[3]),
				   Kept<struct ssdpm_idle_work>(from[4]) };
	struct ssdpm_power_counts counts = {};
	struct ssdpm_power_report report = {};
	struct ssdpm_baseline baseline = {};

	counts.n_lines = numbers[0];
	counts.n_samples = numbers[1];
	counts.n_wraps = numbers[2];
	counts.n_resets = numbers[3];
	if (level)
		baseline = baseline_from(*level);
	report.size = sizeof(report);
	report.name = name.c_str();
	report.counts = &counts;
	report.energy = parts.energy.get();
	report.counter_j = NAN;
	report.baseline = level ? &baseline : nullptr;
	report.sampling = parts.sampling.get();
	report.activities = parts.activities.get();
	report.n_activities = parts.activities.size();
	report.tail = parts.tail.get();
	report.work = parts.work.get();
	return written([&](char **text, struct ssdpm_error *error) {
		return power_writer(kind)(&report, text, error);
	});
}

static double proportionality(const std::vector<double> &load,
			      const std::vector<double> &power_w)
{
	double index = 0;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_proportionality(load.data(), power_w.data(),
					     load.size(), &index, error);
	});
	return index;
}

static size_t steady_state(const std::vector<double> &rounds, uint32_t window,
			   double max_range, double max_slope)
{
	struct ssdpm_steady_params params = {};
	size_t begin = 0;

	params.size = sizeof(params);
	params.window = window;
	params.max_range = max_range;
	params.max_slope = max_slope;
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_steady_state_find(rounds.data(), rounds.size(),
					       &params, &begin, error);
	});
	return begin;
}

static std::vector<size_t> change_points(const Samples &samples, double sigma_w,
					 double penalty, size_t min_samples)
{
	/* There are no more than samples, of which few are taken. */
	std::vector<size_t> begins(samples.get()->n);
	struct ssdpm_change_params params = {};
	size_t n = 0;

	params.size = sizeof(params);
	params.sigma_w = sigma_w;
	params.penalty = penalty;
	params.min_samples = min_samples;
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_change_points_find(samples.get(), &params,
						begins.data(), begins.size(),
						&n, error);
	});
	begins.resize(n);
	return begins;
}

static void add_words(py::module_ &module)
{
	module.attr("SIGNAL_REMARKS") =
		words(&ssdpm_signal_remark_to_string, true);
	module.attr("BASELINE_METHODS") =
		words(&ssdpm_baseline_method_to_string);
}

void add_measure(py::module_ &module)
{
	add_words(module);
	add_power(module);
	add_calibrate(module);
	add_background(module);
	add_consistency(module);
	add_trial(module);
	py::class_<Samples>(module, "Samples")
		.def(py::init<const py::array &, const std::optional<Times> &,
			      int64_t, double>());
	py::class_<Integral>(module, "Integral")
		.def(py::init<uint64_t, double>())
		.def("feed", &Integral::feed)
		.def("get", &Integral::get);
	py::class_<Level>(module, "Level")
		.def(py::init<>())
		.def("feed", &Level::feed)
		.def("get", &Level::get);
	module.def("measure_energy", &energy);
	module.def("measure_baseline", &baseline);
	module.def("measure_activity", &activity);
	module.def("measure_tail", &tail);
	module.def("measure_idle_work", &idle_work);
	module.def("measure_sampling", &sampling);
	module.def("measure_first_sampling", &first_sampling);
	module.attr("SAMPLING_SAMPLES") = SSDPM_SAMPLING_SAMPLES;
	module.def("power_json", &power_json);
	module.def("measure_proportionality", &proportionality);
	module.def("measure_steady_state", &steady_state);
	module.def("measure_change_points", &change_points);
}
