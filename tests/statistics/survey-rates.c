/* SPDX-License-Identifier: MIT */
/*
 * Error rates and power of surveys, and how often the intervals of single runs
 * have the mean, counted on made-up runs. The same counts must find each
 * planted fault.
 */
#include "survey-truth.h"

#include <math.h>
#include <stdio.h>

#include "binomial.h"

/* Faults that a library could have. */
enum bias {
	NARROW,	     /* intervals have 0.7 times their width */
	WIDE,	     /* 1.5 times */
	UNCORRECTED, /* each pair of policies is judged as if it were alone */
	RESTLESS,    /* one run of eight has a trend that is not there */
	OPTIMISTIC,  /* a plan takes the noise to be 0.85 times what it is */
	N_BIASES,
	NO_BIAS = N_BIASES,
};

static const char *const biases[N_BIASES] = {
	[NARROW] = "narrow",	       [WIDE] = "wide",
	[UNCORRECTED] = "uncorrected", [RESTLESS] = "restless",
	[OPTIMISTIC] = "optimistic",
};

/* One for each bias, and one for the library as it is. */
struct counts {
	unsigned int of[N_BIASES + 1];
};

static unsigned int faults[N_BIASES + 1];

static double width(enum bias bias)
{
	return bias == NARROW ? 0.7 : bias == WIDE ? 1.5 : 1;
}

/* Whether the interval has the value; a bias changes its width. */
static bool holds(enum bias bias, double low, double middle, double high,
		  double value)
{
	return middle + width(bias) * (low - middle) <= value &&
	       value <= middle + width(bias) * (high - middle);
}

static void judge(const char *what, const struct counts *counts, unsigned int n,
		  double share, bool both_sides)
{
	for (unsigned int bias = 0; bias <= N_BIASES; bias++) {
		bool bad = binomial_too_high(counts->of[bias], n, share) ||
			   (both_sides &&
			    binomial_too_low(counts->of[bias], n, share));

		faults[bias] += bad;
		if (bias == NO_BIAS)
			printf("%s: %u of %u, %s%.4f promised%s\n", what,
			       counts->of[bias], n,
			       both_sides ? "" : "at most ", share,
			       bad ? " <- not as must be" : "");
	}
}

/* Single runs: an interval of 95 %, and a test for trends at 5 %. */
static void judge_runs(double phi, size_t repeats, unsigned int n,
		       bool judge_trends)
{
	struct counts holding = { 0 }, trends = { 0 };
	uint64_t seed = 42;

	printf("neighbours correlated by %.2f, updated every %zu samples:\n",
	       phi, repeats);
	for (unsigned int i = 0; i < n; i++) {
		double power_w[300];

		make_noise(&seed, phi, 0.05, power_w, 300);
		hold(power_w, 300, repeats, i);
		struct ssdpm_survey_summary run = summary_of(power_w, 300);
		bool has_trend = run.trend != SSDPM_SURVEY_TREND_NONE;

		for (unsigned int bias = 0; bias <= N_BIASES; bias++) {
			holding.of[bias] +=
				holds((enum bias)bias, run.low_w, run.mean_w,
				      run.high_w, MEAN_W);
			trends.of[bias] +=
				has_trend || (bias == RESTLESS && i % 8 == 0);
		}
	}
	judge("intervals that have the mean", &holding, n, 0.95, true);
	if (judge_trends)
		judge("trends", &trends, n, 0.05, false);
}

static bool is_different(const struct ssdpm_survey_difference *one,
			 enum bias bias)
{
	/* (POLICIES - 1) * (BLOCKS - 1) degrees of freedom. */
	static const double t_of_12 = 2.178812829663418;

	if (bias == UNCORRECTED)
		return fabs(one->difference_w) > t_of_12 * one->se_w;
	return !holds(bias, one->low_w, one->difference_w, one->high_w, 0);
}

/*
 * Counts surveys that report any difference, and those that report that of
 * policies 0 and 1.
 */
static void count_surveys(uint64_t seed, size_t repeats, double sd_w,
			  double more_w, unsigned int n, struct counts *any,
			  struct counts *first)
{
	for (unsigned int i = 0; i < n; i++) {
		struct ssdpm_survey_run runs[RUNS];
		struct outcome outcome;

		make_runs(&seed, repeats, sd_w, more_w, runs);
		assert_int_equal(analyse(runs, RUNS, &outcome, NULL), 0);
		for (unsigned int bias = 0; bias <= N_BIASES; bias++) {
			bool found = false;

			for (size_t j = 0; j < PAIRS; j++)
				found |= is_different(&outcome.differences[j],
						      (enum bias)bias);
			any->of[bias] += found;
			first->of[bias] += is_different(&outcome.differences[0],
							(enum bias)bias);
		}
	}
}

static void one_null_survey_of_20_reports_a_difference(unsigned int n)
{
	struct counts any = { 0 }, held = { 0 }, first = { 0 };

	count_surveys(1, 1, 0.3, 0, n, &any, &first);
	judge("null surveys that report a difference", &any, n, 0.05, true);
	/* A source that is updated every 30 seconds changes nothing. */
	n /= 5;
	count_surveys(1, 10, 0.3, 0, n, &held, &first);
	judge("null surveys of held readings that do", &held, n, 0.05, true);
}

/* Samples for an hour, before a survey with runs of 15 minutes. */
static struct ssdpm_survey_detectable promise(uint64_t *seed, double sd_w,
					      double difference_w)
{
	double power_w[MAX_SAMPLES];

	make_noise(seed, 0.9, sd_w, power_w, MAX_SAMPLES);
	struct ssdpm_survey_summary sampled = summary_of(power_w, MAX_SAMPLES);
	struct ssdpm_survey_noise noise = {
		.se_w = sampled.se_w,
		.se_df = sampled.se_df,
		.covered_ns = sampled.covered_ns,
		.run_sigma_w = NAN,
	};

	return detectable(&noise, difference_w);
}

/* All pilots count; none is selected. */
static void pilots_promise_the_power(double power, unsigned int n)
{
	struct counts kept = { 0 };
	uint64_t seed = 12;

	for (unsigned int i = 0; i < n; i++) {
		struct ssdpm_survey_detectable promised =
			promise(&seed, 0.5, 0.03 * MEAN_W);

		assert_int_equal(promised.between_known, 0);
		for (unsigned int bias = 0; bias <= N_BIASES; bias++)
			kept.of[bias] += holds(
				(enum bias)bias, promised.power_low,
				promised.power, promised.power_high, power);
	}
	judge("pilots whose interval has the power", &kept, n, 0.95, true);
}

static void power_for_three_percent_is_as_promised(unsigned int n)
{
	struct ssdpm_survey_noise exact = exact_noise(0.5);
	struct ssdpm_survey_noise less = exact_noise(0.5 * 0.85);
	double power = detectable(&exact, 0.03 * MEAN_W).power;
	double more = detectable(&less, 0.03 * MEAN_W).power;
	struct counts any = { 0 }, found = { 0 };

	/* If the noise is known, the power is known without a pilot. */
	count_surveys(2, 1, 0.5, 0.03 * MEAN_W, n, &any, &found);
	judge("surveys that find 3 %", &found, n, power, true);
	faults[OPTIMISTIC] += binomial_too_low(found.of[NO_BIAS], n, more);
	pilots_promise_the_power(power, n / 5);
}

static void the_detectable_difference_is_found_four_times_in_five(
	unsigned int n)
{
	struct ssdpm_survey_noise noise = exact_noise(0.45);
	struct ssdpm_survey_detectable exact = detectable(&noise, 0);
	struct counts any = { 0 }, found = { 0 };

	assert_true(isnan(exact.power));
	count_surveys(3, 1, 0.45, exact.difference_w, n, &any, &found);
	judge("surveys that find what is detectable", &found, n, 0.8, true);
}

int main(void)
{
	unsigned int n = (unsigned int)fixture_cases(1000);
	static const size_t repeats[] = { 2, 5, 10 };

	for (int i = 0; i < 3; i++)
		judge_runs(0.45 * i, 1, n, true);
	/* Readings that repeat are as many as the updates. */
	for (size_t i = 0; i < 3; i++) {
		judge_runs(0, repeats[i], n * 3 / 20, true);
		judge_runs(0.9, repeats[i], n * 3 / 20, false);
	}
	one_null_survey_of_20_reports_a_difference(n);
	power_for_three_percent_is_as_promised(n);
	the_detectable_difference_is_found_four_times_in_five(n);
	return binomial_verdict(faults[NO_BIAS], biases, faults, N_BIASES);
}
