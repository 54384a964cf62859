/* SPDX-License-Identifier: MIT */
#include "calls.h"
#include "survey-truth.h"

#include <math.h>

#include "calibrate-truth.h"

const struct ssdpm_survey_analysis_params usual = {
	.size = sizeof(struct ssdpm_survey_analysis_params),
	.n_policies = POLICIES,
	.n_scenarios = 1,
};

void assert_near(double is, double must_be, double tolerance)
{
	if (!(fabs(is - must_be) <= tolerance))
		fail_msg("%.17g is not %.17g", is, must_be);
}

void make_noise(uint64_t *seed, double phi, double sd_w, double *power_w,
		size_t n)
{
	double value = truth_normal(seed);

	for (size_t i = 0; i < n; i++) {
		power_w[i] = MEAN_W + sd_w * value;
		value = phi * value + sqrt(1 - phi * phi) * truth_normal(seed);
	}
}

void hold(double *power_w, size_t n, size_t repeats, size_t begin)
{
	for (size_t i = 1; i < n; i++)
		if ((i + begin) % repeats)
			power_w[i] = power_w[i - 1];
}

struct ssdpm_samples every_three_seconds(const double *power_w, size_t n)
{
	return (struct ssdpm_samples){ .power_w = power_w,
				       .n = n,
				       .interval_ns = 3e9,
				       .type = SSDPM_SAMPLE_FLOAT64 };
}

struct ssdpm_survey_summary summary_of(const double *power_w, size_t n)
{
	struct ssdpm_samples samples = every_three_seconds(power_w, n);
	struct ssdpm_survey_summary summary = { .size = sizeof(summary) };

	assert_int_equal(ssdpm_survey_summarise(&samples, &summary, NULL), 0);
	return summary;
}

int analyse(const struct ssdpm_survey_run *runs, size_t n,
	    struct outcome *outcome, struct ssdpm_error *error)
{
	outcome->all.size = sizeof(outcome->all);
	return analyse_survey(runs, n, &usual, &outcome->all, outcome->means,
			      outcome->differences, error);
}

void make_runs(uint64_t *seed, size_t repeats, double sd_w, double more_w,
	       struct ssdpm_survey_run *runs)
{
	for (uint32_t block = 0; block < BLOCKS; block++) {
		double block_w = 0.5 * truth_normal(seed);

		for (uint32_t policy = 0; policy < POLICIES; policy++) {
			double power_w[MAX_SAMPLES], sum = 0;

			make_noise(seed, 0.9, sd_w, power_w, 300);
			hold(power_w, 300, repeats, policy);
			for (size_t i = 0; i < 300; i++)
				sum += power_w[i];
			*runs++ = (struct ssdpm_survey_run){
				.mean_w = sum / 300 + block_w +
					  (policy == 1) * more_w,
				.policy = policy,
				.block = block,
			};
		}
	}
}

/*
 * The variance factor of the mean of n values of AR(1) is (1 + 2 sum of (1 -
 * k/n) phi^k) / n. For n = 300 and phi = 0.9, it is 0.0613.
 */
struct ssdpm_survey_noise exact_noise(double sd_w)
{
	double sum = 1;

	for (int k = 1; k < 300; k++)
		sum += 2 * (1 - k / 300.0) * pow(0.9, k);
	return (struct ssdpm_survey_noise){
		.se_w = sd_w * sqrt(sum / 300),
		.se_df = 1e6,
		.covered_ns = 900 * SECOND,
		.run_sigma_w = NAN,
	};
}

struct ssdpm_survey_detectable detectable(
	const struct ssdpm_survey_noise *noise, double difference_w)
{
	const struct ssdpm_survey_params params = {
		.size = sizeof(params),
		.n_policies = POLICIES,
		.n_scenarios = 1,
		.n_blocks = BLOCKS,
	};
	struct ssdpm_survey_detectable result;

	assert_int_equal(ssdpm_survey_detectable(&params, noise, 0,
						 difference_w, &result, NULL),
			 0);
	return result;
}
