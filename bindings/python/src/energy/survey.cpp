/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/survey.h>: which policy is best on this machine */
#include "energy.h"

#include <memory>
#include <tuple>

#include <pybind11/stl.h>

/* policies, scenarios, blocks, seed, settle, interval, duration */
using ScheduleTuple = std::tuple<uint32_t, uint32_t, uint32_t, uint64_t,
				 uint64_t, uint64_t, uint64_t>;

static struct ssdpm_survey_params schedule_from(const ScheduleTuple &from)
{
	struct ssdpm_survey_params to = {};

	to.size = sizeof(to);
	to.n_policies = std::get<0>(from);
	to.n_scenarios = std::get<1>(from);
	to.n_blocks = std::get<2>(from);
	to.seed = std::get<3>(from);
	to.settle_ns = std::get<4>(from);
	to.interval_ns = std::get<5>(from);
	to.duration_ns = std::get<6>(from);
	return to;
}

/* The order is that of the structures; ssdpm/measure/survey/ has the names. */
static py::tuple schedule(const ScheduleTuple &from)
{
	const struct ssdpm_survey_params params = schedule_from(from);
	std::vector<struct ssdpm_survey_step> steps;
	uint64_t total_ns = 0;
	py::list result;
	size_t n = 0;

	/* The second time there is room for all of them. */
	do {
		steps.resize(n);
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_survey_schedule(&params, steps.data(),
						     steps.size(), &n,
						     &total_ns, error);
		});
	} while (n > steps.size());
	for (const struct ssdpm_survey_step &one : steps)
		result.append(py::make_tuple(
			one.begin_ns, one.measure_ns, one.end_ns, one.policy,
			one.scenario, one.block, one.n_samples));
	return py::make_tuple(result, total_ns);
}

py::tuple survey_summary(const struct ssdpm_survey_summary &found)
{
	return py::make_tuple(
		found.n, found.n_not_finite, found.covered_ns, found.mean_w,
		found.se_w, found.se_df, found.low_w, found.high_w, found.sd_w,
		found.n_effective, found.order, found.trend, found.leave_out_ns,
		found.n_left_out, found.trend_w, found.settled_mean_w,
		found.settled_se_w);
}

static py::tuple summarise(const Samples &samples)
{
	struct ssdpm_survey_summary found = {};

	found.size = sizeof(found);
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_survey_summarise(samples.get(), &found, error);
	});
	return survey_summary(found);
}

static double range_p(double q, uint32_t k, double df)
{
	double p = 0;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_survey_range_p(q, k, df, &p, error);
	});
	return p;
}

static double range_q(double p, uint32_t k, double df)
{
	double q = 0;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_survey_range_q(p, k, df, &q, error);
	});
	return q;
}

/* mean, policy, scenario, block */
using RunTuple = std::tuple<double, uint32_t, uint32_t, uint32_t>;
/* error rate, power of the system, policies, scenarios, scenario */
using AnalysisTuple = std::tuple<double, double, uint32_t, uint32_t, uint32_t>;

static struct ssdpm_survey_analysis_params analysis_from(
	const AnalysisTuple &from)
{
	struct ssdpm_survey_analysis_params to = {};

	to.size = sizeof(to);
	to.error_rate = std::get<0>(from);
	to.system_power_w = std::get<1>(from);
	to.n_policies = std::get<2>(from);
	to.n_scenarios = std::get<3>(from);
	to.scenario = std::get<4>(from);
	return to;
}

static py::list means_list(const struct ssdpm_survey_mean *means, size_t n)
{
	py::list result;

	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_survey_mean &one = means[i];

		result.append(py::make_tuple(one.policy, one.n_runs, one.mean_w,
					     one.low_w, one.high_w, one.se_w,
					     one.share));
	}
	return result;
}

static py::list differences_list(
	const struct ssdpm_survey_difference *differences, size_t n)
{
	py::list result;

	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_survey_difference &one = differences[i];

		result.append(py::make_tuple(one.policy, one.other_policy,
					     one.difference_w, one.se_w,
					     one.low_w, one.high_w, one.p,
					     one.share, one.different != 0));
	}
	return result;
}

py::tuple survey_analysis(const struct ssdpm_survey_analysis &found, size_t n)
{
	return py::make_tuple(
		py::make_tuple(found.n_runs, found.n_blocks, found.n_complete,
			       found.n_missing, found.df, found.sigma_w,
			       found.block_sigma_w, found.critical_q,
			       found.system_w, found.n_different),
		means_list(found.means, n),
		differences_list(found.differences, n * (n - 1) / 2));
}

static py::tuple analyse(const std::vector<RunTuple> &from,
			 const AnalysisTuple &numbers)
{
	const struct ssdpm_survey_analysis_params params =
		analysis_from(numbers);
	const size_t n = params.n_policies;
	std::vector<struct ssdpm_survey_mean> means(n);
	std::vector<struct ssdpm_survey_difference> differences(n * (n - 1) /
								2);
	std::vector<struct ssdpm_survey_run> runs;
	struct ssdpm_survey_analysis found = {};

	for (const RunTuple &one : from)
		runs.push_back({ std::get<0>(one), std::get<1>(one),
				 std::get<2>(one), std::get<3>(one), 0 });
	found.size = sizeof(found);
	found.means = means.data();
	found.differences = differences.data();
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_survey_analyse(runs.data(), runs.size(), &params,
					    &found, error);
	});
	return survey_analysis(found, n);
}

/* se, its df, length, sigma between runs, its df */
using NoiseTuple = std::tuple<double, double, uint64_t, double, double>;

static py::tuple detectable(const ScheduleTuple &from,
			    const NoiseTuple &numbers, double error_rate,
			    double difference_w)
{
	const struct ssdpm_survey_params params = schedule_from(from);
	struct ssdpm_survey_detectable found = {};
	struct ssdpm_survey_noise noise = {};

	noise.se_w = std::get<0>(numbers);
	noise.se_df = std::get<1>(numbers);
	noise.covered_ns = std::get<2>(numbers);
	noise.run_sigma_w = std::get<3>(numbers);
	noise.run_sigma_df = std::get<4>(numbers);
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_survey_detectable(&params, &noise, error_rate,
					       difference_w, &found, error);
	});
	return py::make_tuple(found.difference_w, found.low_w, found.high_w,
			      found.power, found.power_low, found.power_high,
			      found.sigma_w, found.between_known != 0);
}

/* mean, deviation of samples, deviation of runs, runs */
using StatedTuple = std::tuple<double, double, double, uint32_t>;

static py::tuple judge(const std::vector<StatedTuple> &from, double error_rate)
{
	std::vector<struct ssdpm_survey_stated> rows;
	struct ssdpm_survey_judgement found = {};

	for (const StatedTuple &one : from)
		rows.push_back({ std::get<0>(one), std::get<1>(one),
				 std::get<2>(one), std::get<3>(one), 0 });
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_survey_judge(rows.data(), rows.size(), error_rate,
					  &found, error);
	});
	return py::make_tuple(found.verdict, found.missing, found.p, found.row,
			      found.other_row);
}

py::tuple survey_merged(const struct ssdpm_survey_merged &found)
{
	return py::make_tuple(found.n_results, found.n_drives, found.mean_w,
			      found.se_w, found.low_w, found.high_w,
			      found.drive_low_w, found.drive_high_w,
			      found.tau_w, found.heterogeneity_q,
			      found.inconsistency);
}

/* mean, standard error, drive, policy */
using ResultTuple = std::tuple<double, double, uint32_t, uint32_t>;

static py::tuple merge(const std::vector<ResultTuple> &from, uint32_t policy,
		       double error_rate)
{
	std::vector<struct ssdpm_survey_effect> results;
	struct ssdpm_survey_merged found = {};

	for (const ResultTuple &one : from)
		results.push_back({ std::get<0>(one), std::get<1>(one),
				    std::get<2>(one), std::get<3>(one) });
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_survey_merge_effects(results.data(),
						  results.size(), policy,
						  error_rate, &found, error);
	});
	return survey_merged(found);
}

static void add_words(py::module_ &module)
{
	py::dict trends, verdicts, missing;

	trends["none"] = (uint32_t)SSDPM_SURVEY_TREND_NONE;
	trends["rise"] = (uint32_t)SSDPM_SURVEY_TREND_RISE;
	trends["fall"] = (uint32_t)SSDPM_SURVEY_TREND_FALL;
	trends["unsettled"] = (uint32_t)SSDPM_SURVEY_TREND_UNSETTLED;
	verdicts["different"] = (uint32_t)SSDPM_SURVEY_DIFFERENT;
	verdicts["not-shown"] = (uint32_t)SSDPM_SURVEY_NOT_SHOWN;
	verdicts["not-decidable"] = (uint32_t)SSDPM_SURVEY_NOT_DECIDABLE;
	missing["n"] = (uint32_t)SSDPM_SURVEY_MISSING_N;
	missing["between"] = (uint32_t)SSDPM_SURVEY_MISSING_BETWEEN;
	missing["runs"] = (uint32_t)SSDPM_SURVEY_MISSING_RUNS;
	module.attr("SURVEY_TRENDS") = trends;
	module.attr("SURVEY_VERDICTS") = verdicts;
	module.attr("SURVEY_MISSING") = missing;
	module.attr("SURVEY_MAX_BLOCKS") = SSDPM_SURVEY_MAX_BLOCKS;
}

void add_survey(py::module_ &module)
{
	add_words(module);
	module.def("survey_schedule", &schedule);
	module.def("survey_summarise", &summarise);
	module.def("survey_range_p", &range_p);
	module.def("survey_range_q", &range_q);
	module.def("survey_analyse", &analyse);
	module.def("survey_detectable", &detectable);
	module.def("survey_judge", &judge);
	module.def("survey_merge", &merge);
	add_survey_file(module);
}
