/* SPDX-License-Identifier: MIT */
/*
 * The survey: schedules, single runs, many of them, and what they can detect.
 * tests/statistics counts its error rates.
 */
#include "calls.h"
#include "survey-truth.h"

#include <math.h>

/* Schedules */

static struct ssdpm_survey_params four_by_three(uint64_t seed)
{
	return (struct ssdpm_survey_params){
		.size = sizeof(struct ssdpm_survey_params),
		.seed = seed,
		.n_policies = 4,
		.n_scenarios = 3,
	};
}

static size_t schedule(const struct ssdpm_survey_params *params,
		       struct ssdpm_survey_step *steps, size_t capacity)
{
	uint64_t total_ns;
	size_t n;

	assert_int_equal(ssdpm_survey_schedule(params, steps, capacity, &n,
					       &total_ns, NULL),
			 0);
	return n;
}

static void each_block_has_each_policy_once_per_scenario(void **state)
{
	struct ssdpm_survey_params params = four_by_three(7);
	struct ssdpm_survey_step steps[60];
	int seen[5][3][4] = { 0 };
	uint64_t total_ns;
	size_t n;

	(void)state;
	assert_int_equal(
		ssdpm_survey_schedule(&params, steps, 60, &n, &total_ns, NULL),
		0);
	assert_int_equal(n, 60);
	/* The published survey: 10 and 15 minutes for each run. */
	assert_int_equal(total_ns, 60 * 25 * 60 * SECOND);
	for (size_t i = 0; i < n; i++) {
		seen[steps[i].block][steps[i].scenario][steps[i].policy]++;
		assert_int_equal(steps[i].block, i / 12);
		/* Runs to be compared follow each other. */
		assert_int_equal(steps[i].scenario, steps[i / 4 * 4].scenario);
		assert_int_equal(steps[i].begin_ns, i * 1500 * SECOND);
		assert_int_equal(steps[i].measure_ns,
				 steps[i].begin_ns + 600 * SECOND);
		assert_int_equal(steps[i].end_ns,
				 steps[i].begin_ns + 1500 * SECOND);
		assert_int_equal(steps[i].n_samples, 300);
	}
	for (int i = 0; i < 60; i++)
		assert_int_equal((&seen[0][0][0])[i], 1);
}

static void the_seed_is_the_order(void **state)
{
	struct ssdpm_survey_params params = four_by_three(7);
	struct ssdpm_survey_step a[60], b[60], first[5];

	(void)state;
	schedule(&params, a, 60);
	schedule(&params, b, 60);
	assert_memory_equal(a, b, sizeof(a));
	assert_int_equal(schedule(&params, first, 5), 60);
	assert_memory_equal(a, first, sizeof(first));
	params.seed = 8;
	schedule(&params, b, 60);
	assert_memory_not_equal(a, b, sizeof(a));
}

static void no_policy_is_preferred_at_any_place(void **state)
{
	int at[4][4] = { 0 };

	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct ssdpm_survey_params params = four_by_three(seed);
		struct ssdpm_survey_step steps[60];

		schedule(&params, steps, 60);
		for (int i = 0; i < 60; i++)
			at[i % 4][steps[i].policy]++;
	}
	/* 1500 expected, with a deviation of 34: five of them. */
	for (int i = 0; i < 16; i++)
		assert_in_range(at[i / 4][i % 4], 1330, 1670);
}

static void a_schedule_that_cannot_be_is_refused(void **state)
{
	static const struct ssdpm_survey_params bad[] = {
		{ .n_policies = 1, .n_scenarios = 1 },
		{ .n_policies = 17, .n_scenarios = 1 },
		{ .n_policies = 2 },
		{ .n_policies = 2, .n_scenarios = 17 },
		{ .n_policies = 2, .n_scenarios = 1, .n_blocks = 1001 },
		{ .n_policies = 2, .n_scenarios = 1, .reserved = 1 },
		{ .n_policies = 2, .n_scenarios = 1, .duration_ns = 1 },
		{ .n_policies = 2, .n_scenarios = 1, .settle_ns = UINT64_MAX },
		{ .n_policies = 2, .n_scenarios = 1, .settle_ns = 1ULL << 61 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ssdpm_survey_params params = bad[i];
		struct ssdpm_error error;
		uint64_t total_ns = 5;
		size_t n = 5;

		params.size = sizeof(params);
		assert_int_equal(ssdpm_survey_schedule(&params, NULL, 0, &n,
						       &total_ns, &error),
				 -EINVAL);
		assert_int_equal(n, 5);
		assert_int_equal(total_ns, 5);
	}
}

/* The studentised range */

static void ranges_are_those_of_the_tables(void **state)
{
	/*
	 * Computed with scipy.stats.studentized_range 1.17.1 (isf and sf). They
	 * agree with Pearson and Hartley, Biometrika Tables for Statisticians,
	 * table 29, to its two or three digits.
	 */
	static const struct {
		uint32_t k;
		double df, q;
	} upper_5_percent[] = {
		{ 2, 1, 17.969287064187434 },	{ 2, 10, 3.151064183329372 },
		{ 3, 2, 8.330782645637044 },	{ 3, 10, 3.876776750013158 },
		{ 4, 6, 4.8955992114736215 },	{ 4, 12, 4.198660231300105 },
		{ 4, 27, 3.8700855435221575 },	{ 5, 20, 4.231856748997479 },
		{ 10, 5, 6.994697767888188 },	{ 10, 120, 4.55953799405391 },
		{ 20, 60, 5.241199792809696 },	{ 12, 16, 5.351709716953301 },
		{ 100, 30, 6.827026858650994 },
	};
	static const struct {
		double q;
		uint32_t k;
		double df, p;
	} above[] = {
		{ 3.5, 3, 10, 0.07710331083841038 },
		{ 5, 4, 8, 0.03138736803045783 },
		{ 2, 2, 3, 0.2522154963555042 },
		{ 8, 10, 5, 0.029025447239650726 },
		{ 4.2, 4, 12.5, 0.048393801429588046 },
		{ 6, 6, 40, 0.0016620760301371273 },
		{ 1, 20, 9, 0.9999963779236971 },
		{ 0, 3, 9, 1 },
	};
	double value;

	(void)state;
	for (size_t i = 0;
	     i < sizeof(upper_5_percent) / sizeof(upper_5_percent[0]); i++) {
		assert_int_equal(ssdpm_survey_range_q(
					 0.05, upper_5_percent[i].k,
					 upper_5_percent[i].df, &value, NULL),
				 0);
		assert_near(value, upper_5_percent[i].q, 1e-6);
	}
	for (size_t i = 0; i < sizeof(above) / sizeof(above[0]); i++) {
		assert_int_equal(ssdpm_survey_range_p(above[i].q, above[i].k,
						      above[i].df, &value,
						      NULL),
				 0);
		assert_near(value, above[i].p, 1e-8);
	}
}

/* A failure here is an endless loop. */
static void any_number_of_degrees_of_freedom_ends(void **state)
{
	static const double many[] = { 1e9, 9e9, 1e10, 1e17, 1e300, 1e308 };
	double value;

	(void)state;
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
		assert_int_equal(
			ssdpm_survey_range_p(3, 3, many[i], &value, NULL), 0);
		assert_near(value, 0.0855425717, 1e-8);
		assert_int_equal(
			ssdpm_survey_range_q(0.05, 3, many[i], &value, NULL),
			0);
		assert_near(value, 3.31449316, 1e-6);
	}
}

static void a_range_of_nothing_is_refused(void **state)
{
	double value = 5;

	(void)state;
	assert_int_equal(ssdpm_survey_range_p(1, 1, 5, &value, NULL), -EINVAL);
	assert_int_equal(ssdpm_survey_range_p(1, 101, 5, &value, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_survey_range_p(1, 2, 0.5, &value, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_survey_range_p(-1, 2, 5, &value, NULL), -EINVAL);
	assert_int_equal(ssdpm_survey_range_p(NAN, 2, 5, &value, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_survey_range_q(0, 2, 5, &value, NULL), -EINVAL);
	assert_int_equal(ssdpm_survey_range_q(1, 2, 5, &value, NULL), -EINVAL);
	assert_int_equal(ssdpm_survey_range_q(0.05, 2, NAN, &value, NULL),
			 -EINVAL);
	assert_near(value, 5, 0);
}

/* One run */

static void intervals_of_updates_are_not_wider_than_those_of_readings(
	void **state)
{
	double power_w[300], once_w[30];
	uint64_t seed = 8;

	(void)state;
	make_noise(&seed, 0, 0.05, power_w, 300);
	hold(power_w, 300, 10, 0);
	for (size_t i = 0; i < 30; i++)
		once_w[i] = power_w[10 * i];
	struct ssdpm_survey_summary run = summary_of(power_w, 300);
	struct ssdpm_survey_summary once = summary_of(once_w, 30);

	assert_near(run.mean_w, once.mean_w, 1e-12);
	assert_near(run.se_w, once.se_w, 1e-12);
	assert_near(run.se_df, once.se_df, 1e-9);
	assert_int_equal(run.n, 300);
	/* One in ten was not updated in time. */
	for (size_t i = 0; i < 300; i += 100)
		power_w[i + 10] = power_w[i];
	run = summary_of(power_w, 300);
	assert_near(run.se_w, once.se_w, 0.1 * once.se_w);
}

static void the_error_of_the_mean_of_alike_samples_is_larger(void **state)
{
	double power_w[MAX_SAMPLES];
	uint64_t seed = 5;

	(void)state;
	make_noise(&seed, 0.9, 0.05, power_w, MAX_SAMPLES);
	struct ssdpm_survey_summary run = summary_of(power_w, MAX_SAMPLES);

	/* sqrt(1.9 / 0.1) times that of independent ones. */
	double ratio = run.se_w / (run.sd_w / sqrt(MAX_SAMPLES));

	assert_in_range((int)(ratio * 100), 300, 600);
	assert_near(run.n_effective * ratio * ratio, MAX_SAMPLES, 1e-6);
	assert_in_range((int)run.order, 1, 20);
	assert_int_equal(run.covered_ns, MAX_SAMPLES * 3 * SECOND);
}

static void a_slow_rise_after_settling_is_left_out(void **state)
{
	double power_w[300];
	uint64_t seed = 9;

	(void)state;
	for (int sign = -1; sign <= 1; sign += 2) {
		make_noise(&seed, 0.5, 0.05, power_w, 300);
		for (int i = 0; i < 300; i++)
			power_w[i] -= sign * exp(-i / 15.0);
		struct ssdpm_survey_summary run = summary_of(power_w, 300);

		assert_int_equal(run.trend, sign > 0 ? SSDPM_SURVEY_TREND_RISE :
						       SSDPM_SURVEY_TREND_FALL);
		assert_in_range(run.n_left_out, 30, 90);
		assert_int_equal(run.leave_out_ns, run.n_left_out * 3 * SECOND);
		assert_true(sign * run.trend_w > 0);
		assert_near(run.settled_mean_w, MEAN_W, 0.03);
		assert_true(fabs(run.mean_w - MEAN_W) > 0.03);
	}
}

static void a_run_that_never_settles_is_said_to_be_so(void **state)
{
	double power_w[300];
	uint64_t seed = 9;

	(void)state;
	make_noise(&seed, 0, 0.05, power_w, 300);
	for (int i = 0; i < 300; i++)
		power_w[i] += i * 0.001;
	struct ssdpm_survey_summary run = summary_of(power_w, 300);

	assert_int_equal(run.trend, SSDPM_SURVEY_TREND_UNSETTLED);
	assert_int_equal(run.n_left_out, 150);
}

static void long_runs_are_taken_in_groups(void **state)
{
	size_t n = 50001;
	double *power_w = malloc(n * sizeof(*power_w));
	uint64_t seed = 3;

	(void)state;
	assert_non_null(power_w);
	make_noise(&seed, 0.9, 0.05, power_w, n);
	power_w[17] = NAN;
	struct ssdpm_survey_summary run = summary_of(power_w, n);

	assert_int_equal(run.n, n - 1);
	assert_int_equal(run.n_not_finite, 1);
	/* sd sqrt(1.9 / 0.1 / n) = 0.000975, known within 10 %. */
	assert_near(run.se_w, 0.000975, 0.0002);
	assert_near(run.mean_w, MEAN_W, 4 * run.se_w);
	free(power_w);
}

static void a_run_without_noise_is_refused(void **state)
{
	double power_w[40] = { 0 };
	int64_t time_ns[40] = { 0 };
	struct ssdpm_samples samples = every_three_seconds(power_w, 40);
	struct ssdpm_survey_summary run = { .size = sizeof(run), .n = 5 };

	(void)state;
	assert_int_equal(ssdpm_survey_summarise(&samples, &run, NULL),
			 -ENODATA);
	power_w[3] = 1;
	samples.n = 29;
	assert_int_equal(ssdpm_survey_summarise(&samples, &run, NULL),
			 -ENODATA);
	samples.n = 40;
	samples.time_ns = time_ns;
	assert_int_equal(ssdpm_survey_summarise(&samples, &run, NULL), -EINVAL);
	samples.type = 9;
	assert_int_equal(ssdpm_survey_summarise(&samples, &run, NULL), -EINVAL);
	assert_int_equal(run.n, 5);
	run.size = 0;
	assert_int_equal(ssdpm_survey_summarise(&samples, &run, NULL), -EINVAL);
}

/* Many runs */

static void noise_between_runs_does_not_shrink_with_their_length(void **state)
{
	struct ssdpm_survey_noise noise = {
		.se_w = 0.3,
		.se_df = 10,
		.covered_ns = 900 * SECOND / 4,
		.run_sigma_w = 0.5,
		.run_sigma_df = 12,
	};
	struct ssdpm_survey_detectable result = detectable(&noise, 0.1);

	(void)state;
	/* 0.4 and, of four times the length, half of 0.3 */
	assert_near(result.sigma_w, sqrt(0.16 + 0.0225), 1e-12);
	assert_int_equal(result.between_known, 1);
	assert_true(result.low_w < result.difference_w &&
		    result.difference_w < result.high_w);
	assert_true(result.power_low < result.power &&
		    result.power < result.power_high);
	assert_near(detectable(&noise, result.difference_w).power, 0.8, 1e-9);
	noise.run_sigma_w = NAN;
	assert_near(detectable(&noise, 0).sigma_w, 0.15, 1e-12);
}

static void what_is_detectable_is_as_uncertain_as_the_sampled_noise(
	void **state)
{
	/* Degrees of freedom, and the root of the quantiles at 0.025 and 0.975
	 * of a chi-square by them. */
	static const double known[][3] = {
		{ 1, 0.031337982, 2.241402728 },
		{ 2, 0.159115706, 1.920645583 },
		{ 10, 0.569822146, 1.431194513 },
		{ 1e6, 0.998614083, 1.001385890 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct ssdpm_survey_noise noise = exact_noise(0.5);

		noise.se_df = known[i][0];
		struct ssdpm_survey_detectable found = detectable(&noise, 0);

		assert_near(found.difference_w / found.high_w, known[i][1],
			    1e-8);
		assert_near(found.difference_w / found.low_w, known[i][2],
			    1e-8);
	}
}

static void a_power_that_cannot_be_promised_is_refused(void **state)
{
	struct ssdpm_survey_params params = four_by_three(1);
	const struct ssdpm_survey_noise good = { 0.3, 10, SECOND, 0.5, 12 };
	struct ssdpm_survey_noise bad = good;
	struct ssdpm_survey_detectable result;

	(void)state;
	bad.se_w = 0;
	assert_int_equal(
		ssdpm_survey_detectable(&params, &bad, 0, 0, &result, NULL),
		-EINVAL);
	bad = good;
	bad.run_sigma_df = 0;
	assert_int_equal(
		ssdpm_survey_detectable(&params, &bad, 0, 0, &result, NULL),
		-EINVAL);
	assert_int_equal(
		ssdpm_survey_detectable(&params, &good, 2, 0, &result, NULL),
		-EINVAL);
	assert_int_equal(
		ssdpm_survey_detectable(&params, &good, 0, NAN, &result, NULL),
		-EINVAL);
	params.n_blocks = 2;
	assert_int_equal(
		ssdpm_survey_detectable(&params, &good, 0, 0, &result, NULL),
		-ENODATA);
}

/* Blocks of 10, 20, 30 W; policies of +0, +1, +3 W; noise as written. */
static const double by_hand[3][3] = {
	{ 10.1, 11.0, 12.9 },
	{ 20.0, 20.9, 23.1 },
	{ 29.9, 31.1, 33.0 },
};

static void complete_blocks_are_the_usual_analysis_of_variance(void **state)
{
	const struct ssdpm_survey_analysis_params params = {
		.size = sizeof(params),
		.n_policies = 3,
		.n_scenarios = 2,
		.scenario = 1,
		.system_power_w = 100,
	};
	struct ssdpm_survey_analysis all = { .size = sizeof(all) };
	struct ssdpm_survey_difference differences[3];
	struct ssdpm_survey_mean means[3];
	struct ssdpm_survey_run runs[10] = { { .mean_w = 99 } };
	double q, p;

	(void)state;
	for (uint32_t i = 0; i < 9; i++)
		runs[i + 1] = (struct ssdpm_survey_run){
			.mean_w = by_hand[i / 3][i % 3],
			.policy = i % 3,
			.scenario = 1,
			.block = i / 3,
		};
	assert_int_equal(analyse_survey(runs, 10, &params, &all, means,
					differences, NULL),
			 0);
	/*
	 * Residuals are .1, 0, -.1, 0, -.1, .1, -.1, .1, 0: their squares sum
	 * up to 0.06 on 4 degrees of freedom. Means of blocks are 11 1/3, 21
	 * 1/3, 31 1/3, their variance 100.
	 */
	assert_int_equal(all.n_runs, 9);
	assert_int_equal(all.n_complete, 3);
	assert_int_equal(all.n_missing, 0);
	assert_int_equal(all.df, 4);
	assert_near(all.sigma_w, sqrt(0.06 / 4), 1e-12);
	assert_near(all.block_sigma_w, sqrt(100 - 0.015 / 3), 1e-9);
	assert_near(means[0].mean_w, 20, 1e-12);
	assert_near(means[1].mean_w, 21, 1e-12);
	assert_near(means[2].mean_w, 23, 1e-12);
	assert_near(means[2].share, 0.23, 1e-12);
	/* (variance of blocks and of noise) / 3 */
	assert_near(means[0].se_w, sqrt((100 + 0.01) / 3), 1e-9);
	assert_near(differences[1].difference_w, -3, 1e-12);
	assert_near(differences[1].share, -0.03, 1e-12);
	assert_near(differences[1].se_w, sqrt(0.015 * 2 / 3), 1e-12);
	/* Two scenarios share the error. */
	ssdpm_survey_range_q(1 - sqrt(0.95), 3, 4, &q, NULL);
	ssdpm_survey_range_p(1 / sqrt(0.015 / 3), 3, 4, &p, NULL);
	assert_near(all.critical_q, q, 1e-9);
	assert_near(differences[0].p, 1 - (1 - p) * (1 - p), 1e-12);
	assert_near(differences[0].high_w, -1 + q * sqrt(0.015 / 3), 1e-9);
	assert_int_equal(all.n_different, 3);
}

/* Least squares with all unknowns, by plain elimination. */
static void solve_slowly(const struct ssdpm_survey_run *runs, size_t n,
			 double *effects)
{
	enum { UNKNOWN = BLOCKS + POLICIES };
	double a[UNKNOWN][UNKNOWN + 1] = { 0 };

	/* Policy 0 is the level of blocks. */
	for (size_t i = 0; i < n; i++) {
		uint32_t at[2] = { runs[i].block, BLOCKS + runs[i].policy };

		for (int r = 0; r < 2; r++) {
			for (int c = 0; c < 2; c++)
				a[at[r]][at[c]]++;
			a[at[r]][UNKNOWN] += runs[i].mean_w;
		}
	}
	for (int i = 0; i <= UNKNOWN; i++)
		a[BLOCKS][i] = i == BLOCKS;
	for (int p = 0; p < UNKNOWN; p++)
		for (int r = 0; r < UNKNOWN; r++) {
			double factor = a[r][p] / a[p][p];

			for (int c = 0; r != p && c <= UNKNOWN; c++)
				a[r][c] -= factor * a[p][c];
		}
	for (int j = 0; j < POLICIES; j++)
		effects[j] = a[BLOCKS + j][UNKNOWN] / a[BLOCKS + j][BLOCKS + j];
}

static void interrupted_surveys_are_solved_by_least_squares(void **state)
{
	uint64_t seed = 4;

	(void)state;
	for (int i = 0; i < (int)fixture_cases(50); i++) {
		struct ssdpm_survey_run runs[RUNS];
		struct outcome outcome;
		double effects[POLICIES];
		size_t n = RUNS - 1 - (size_t)i % 3;

		make_runs(&seed, 30, 0.3, 0.2, runs);
		/* One from the middle, and the end of the last block. */
		runs[5 + i % 4] = runs[n];
		assert_int_equal(analyse(runs, n, &outcome, NULL), 0);
		solve_slowly(runs, n, effects);
		assert_int_equal(outcome.all.df, n - BLOCKS - POLICIES + 1);
		assert_int_equal(outcome.all.n_missing, RUNS - n);
		for (int j = 1; j < POLICIES; j++)
			assert_near(outcome.differences[j - 1].difference_w,
				    -effects[j], 1e-9);
	}
}

static void a_survey_that_cannot_tell_is_refused_with_the_reason(void **state)
{
	struct ssdpm_survey_run runs[RUNS], bad[RUNS];
	struct outcome outcome;
	struct ssdpm_error error;
	uint64_t seed = 4;

	(void)state;
	make_runs(&seed, 30, 0.3, 0.2, runs);
	/* Two blocks and a half: policies 2 and 3 were run twice. */
	assert_int_equal(analyse(runs, 10, &outcome, &error), -ENODATA);
	assert_non_null(strstr(error.message, "policy 2 has runs in 2 blocks"));
	/* Twice the same. */
	memcpy(bad, runs, sizeof(bad));
	bad[7] = bad[4];
	assert_int_equal(analyse(bad, RUNS, &outcome, &error), -EINVAL);
	assert_non_null(strstr(error.message, "run 8"));
	memcpy(bad, runs, sizeof(bad));
	bad[7].mean_w = NAN;
	assert_int_equal(analyse(bad, RUNS, &outcome, &error), -EINVAL);
	bad[7].mean_w = 1;
	bad[7].policy = POLICIES;
	assert_int_equal(analyse(bad, RUNS, &outcome, &error), -EINVAL);
	/* No noise at all. */
	memcpy(bad, runs, sizeof(bad));
	for (int i = 0; i < RUNS; i++)
		bad[i].mean_w = 5;
	assert_int_equal(analyse(bad, RUNS, &outcome, &error), -ENODATA);
	assert_non_null(strstr(error.message, "no noise"));
}

static void policies_that_share_no_block_cannot_be_compared(void **state)
{
	struct ssdpm_survey_run runs[12];
	struct outcome outcome;
	struct ssdpm_error error;

	(void)state;
	/* 0 and 1 in blocks 0 to 2, 2 and 3 in blocks 3 to 5. */
	for (uint32_t i = 0; i < 12; i++)
		runs[i] = (struct ssdpm_survey_run){
			.mean_w = i * 7 % 5,
			.policy = i / 6 * 2 + i % 2,
			.block = i / 2,
		};
	assert_int_equal(analyse(runs, 12, &outcome, &error), -ENODATA);
	assert_non_null(strstr(error.message, "share no block"));
}

static void an_analysis_of_nothing_known_is_refused(void **state)
{
	static const struct ssdpm_survey_analysis_params bad[] = {
		{ .n_policies = 1, .n_scenarios = 1 },
		{ .n_policies = 17, .n_scenarios = 1 },
		{ .n_policies = 2 },
		{ .n_policies = 2, .n_scenarios = 17 },
		{ .n_policies = 2, .n_scenarios = 1, .scenario = 1 },
		{ .n_policies = 2, .n_scenarios = 1, .reserved = 1 },
		{ .n_policies = 2, .n_scenarios = 1, .error_rate = 0.9 },
		{ .n_policies = 2, .n_scenarios = 1, .system_power_w = -1 },
	};
	struct ssdpm_survey_analysis all = { .size = sizeof(all) };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ssdpm_survey_analysis_params params = bad[i];

		params.size = sizeof(params);
		assert_int_equal(analyse_survey(NULL, 0, &params, &all, NULL,
						NULL, NULL),
				 -EINVAL);
	}
}

/* What others have published */

static void the_published_fio_table_is_not_decidable(void **state)
{
	/*
	 * The survey of SATA policies on Linux 5.3 with fio 3.16: latency in us
	 * of random reads on a Crucial MX500. It has mean and deviation of
	 * single I/Os, but no number of I/Os or runs.
	 */
	struct ssdpm_survey_stated rows[] = {
		{ .mean = 137.86, .sd = 44.33, .between_sd = NAN },
		{ .mean = 133.81, .sd = 40.49, .between_sd = NAN },
		{ .mean = 125.18, .sd = 37.99, .between_sd = NAN },
		{ .mean = 143.51, .sd = 46.05, .between_sd = NAN },
	};
	struct ssdpm_survey_judgement is;

	(void)state;
	assert_int_equal(ssdpm_survey_judge(rows, 4, 0, &is, NULL), 0);
	assert_int_equal(is.verdict, SSDPM_SURVEY_NOT_DECIDABLE);
	assert_int_equal(is.missing,
			 SSDPM_SURVEY_MISSING_N | SSDPM_SURVEY_MISSING_BETWEEN);
	assert_true(isnan(is.p));
	/* One run each does not suffice, either. */
	for (int i = 0; i < 4; i++)
		rows[i].n_runs = 1;
	assert_int_equal(ssdpm_survey_judge(rows, 4, 0, &is, NULL), 0);
	assert_int_equal(is.verdict, SSDPM_SURVEY_NOT_DECIDABLE);
	assert_int_equal(is.missing, SSDPM_SURVEY_MISSING_RUNS |
					     SSDPM_SURVEY_MISSING_BETWEEN);
	/* If these were five runs that differ by 2 us, or by 20: */
	for (int i = 0; i < 4; i++) {
		rows[i].n_runs = 5;
		rows[i].between_sd = 2;
	}
	assert_int_equal(ssdpm_survey_judge(rows, 4, 0, &is, NULL), 0);
	assert_int_equal(is.verdict, SSDPM_SURVEY_DIFFERENT);
	assert_int_equal(is.missing, 0);
	assert_int_equal(is.row, 2);
	assert_int_equal(is.other_row, 3);
	/* q = 18.33 / (2 / sqrt(5)), with 8 degrees of freedom. */
	double p;

	ssdpm_survey_range_p(18.33 * sqrt(5) / 2, 4, 8, &p, NULL);
	assert_near(is.p, p, 1e-9);
	for (int i = 0; i < 4; i++)
		rows[i].between_sd = 20;
	assert_int_equal(ssdpm_survey_judge(rows, 4, 0, &is, NULL), 0);
	assert_int_equal(is.verdict, SSDPM_SURVEY_NOT_SHOWN);
}

static void a_table_of_nonsense_is_refused(void **state)
{
	struct ssdpm_survey_stated rows[2] = {
		{ .mean = 1, .sd = 1, .between_sd = 1, .n_runs = 3 },
		{ .mean = 2, .sd = NAN, .between_sd = 1, .n_runs = 3 },
	};
	struct ssdpm_survey_judgement is;

	(void)state;
	assert_int_equal(ssdpm_survey_judge(rows, 1, 0, &is, NULL), -EINVAL);
	assert_int_equal(ssdpm_survey_judge(rows, 2, -1, &is, NULL), -EINVAL);
	assert_int_equal(ssdpm_survey_judge(rows, 2, 0, &is, NULL), 0);
	rows[1].between_sd = 0;
	assert_int_equal(ssdpm_survey_judge(rows, 2, 0, &is, NULL), -EINVAL);
	rows[1].between_sd = -1;
	assert_int_equal(ssdpm_survey_judge(rows, 2, 0, &is, NULL), -EINVAL);
	rows[1].between_sd = 1;
	rows[1].mean = INFINITY;
	assert_int_equal(ssdpm_survey_judge(rows, 2, 0, &is, NULL), -EINVAL);
	rows[1].mean = 2;
	rows[0].between_sd = rows[1].between_sd = 1e-200; /* squares are 0 */
	assert_int_equal(ssdpm_survey_judge(rows, 2, 0, &is, NULL), -EINVAL);
	rows[0].between_sd = rows[1].between_sd = 1e200;
	assert_int_equal(ssdpm_survey_judge(rows, 2, 0, &is, NULL), -EINVAL);
}

/* Merging */

static void thirteen_trials_merge_as_published(void **state)
{
	/*
	 * Logarithms of risk ratios and their variances of the BCG vaccine
	 * (Colditz and others 1994). This is the example of the metafor
	 * package. For DerSimonian and Laird it gives -0.7141, standard error
	 * 0.1787, tau^2 0.3088, Q 152.23, I^2 92.12 %.
	 */
	static const double trials[13][2] = {
		{ -0.8893, 0.3256 }, { -1.5854, 0.1946 }, { -1.3481, 0.4154 },
		{ -1.4416, 0.0200 }, { -0.2175, 0.0512 }, { -0.7861, 0.0069 },
		{ -1.6209, 0.2230 }, { 0.0120, 0.0040 },  { -0.4694, 0.0564 },
		{ -1.3713, 0.0730 }, { -0.3394, 0.0124 }, { 0.4459, 0.5325 },
		{ -0.0173, 0.0714 },
	};
	struct ssdpm_survey_effect results[14] = { { 99, 1, 0, 5 } };
	struct ssdpm_survey_merged merged;

	(void)state;
	for (uint32_t i = 0; i < 13; i++)
		results[i + 1] = (struct ssdpm_survey_effect){
			trials[i][0], sqrt(trials[i][1]), 13 - i, 2
		};
	assert_int_equal(
		ssdpm_survey_merge_effects(results, 14, 2, 0, &merged, NULL),
		0);
	assert_int_equal(merged.n_drives, 13);
	assert_int_equal(merged.n_results, 13);
	/* Inputs have four digits; the weight of the smallest variance two. */
	assert_near(merged.mean_w, -0.7141, 0.0005);
	assert_near(merged.tau_w * merged.tau_w, 0.3088, 0.002);
	assert_near(merged.heterogeneity_q, 152.23, 1);
	assert_near(merged.inconsistency, 0.9212, 0.001);
	assert_true(merged.se_w >= 0.1787 - 0.0005);
	/* The next one is less certain than the mean. */
	assert_true(merged.drive_low_w < merged.low_w);
	assert_true(merged.drive_high_w > merged.high_w);
}

static void results_of_a_drive_are_one(void **state)
{
	const struct ssdpm_survey_effect results[] = {
		{ 1, 1, 7, 0 },
		{ 3, 2, 8, 0 },
		{ 3, 1, 7, 0 },
	};
	struct ssdpm_survey_merged merged;

	(void)state;
	assert_int_equal(
		ssdpm_survey_merge_effects(results, 3, 0, 0, &merged, NULL), 0);
	assert_int_equal(merged.n_results, 3);
	assert_int_equal(merged.n_drives, 2);
	/* 2 +- sqrt(1/2) and 3 +- 2: Q = 1 / 4.5, tau = 0. */
	assert_near(merged.heterogeneity_q, 1 / 4.5, 1e-12);
	assert_near(merged.tau_w, 0, 0);
	assert_near(merged.inconsistency, 0, 0);
	assert_near(merged.mean_w, (2 * 2 + 3 * 0.25) / 2.25, 1e-12);
	assert_near(merged.se_w, sqrt(1 / 2.25), 1e-12);
	assert_near(merged.high_w - merged.mean_w,
		    12.706204736174705 * merged.se_w, 1e-7);
	assert_true(isnan(merged.drive_low_w));
}

static void one_drive_is_not_merged(void **state)
{
	struct ssdpm_survey_effect results[] = { { 1, 1, 7, 0 },
						 { 3, 1, 7, 0 } };
	struct ssdpm_survey_merged merged;
	struct ssdpm_error error;

	(void)state;
	assert_int_equal(
		ssdpm_survey_merge_effects(results, 2, 0, 0, &merged, &error),
		-ENODATA);
	assert_non_null(strstr(error.message, "of 1 drives"));
	assert_int_equal(
		ssdpm_survey_merge_effects(results, 2, 0, 1, &merged, NULL),
		-EINVAL);
	assert_int_equal(
		ssdpm_survey_merge_effects(results, 0, 0, 0, &merged, NULL),
		-ENODATA);
	results[1].se_w = 0;
	assert_int_equal(
		ssdpm_survey_merge_effects(results, 2, 0, 0, &merged, NULL),
		-EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_block_has_each_policy_once_per_scenario),
		cmocka_unit_test(the_seed_is_the_order),
		cmocka_unit_test(no_policy_is_preferred_at_any_place),
		cmocka_unit_test(a_schedule_that_cannot_be_is_refused),
		cmocka_unit_test(ranges_are_those_of_the_tables),
		cmocka_unit_test(any_number_of_degrees_of_freedom_ends),
		cmocka_unit_test(a_range_of_nothing_is_refused),
		cmocka_unit_test(
			intervals_of_updates_are_not_wider_than_those_of_readings),
		cmocka_unit_test(
			the_error_of_the_mean_of_alike_samples_is_larger),
		cmocka_unit_test(a_slow_rise_after_settling_is_left_out),
		cmocka_unit_test(a_run_that_never_settles_is_said_to_be_so),
		cmocka_unit_test(long_runs_are_taken_in_groups),
		cmocka_unit_test(a_run_without_noise_is_refused),
		cmocka_unit_test(
			noise_between_runs_does_not_shrink_with_their_length),
		cmocka_unit_test(
			what_is_detectable_is_as_uncertain_as_the_sampled_noise),
		cmocka_unit_test(a_power_that_cannot_be_promised_is_refused),
		cmocka_unit_test(
			complete_blocks_are_the_usual_analysis_of_variance),
		cmocka_unit_test(
			interrupted_surveys_are_solved_by_least_squares),
		cmocka_unit_test(
			a_survey_that_cannot_tell_is_refused_with_the_reason),
		cmocka_unit_test(
			policies_that_share_no_block_cannot_be_compared),
		cmocka_unit_test(an_analysis_of_nothing_known_is_refused),
		cmocka_unit_test(the_published_fio_table_is_not_decidable),
		cmocka_unit_test(a_table_of_nonsense_is_refused),
		cmocka_unit_test(thirteen_trials_merge_as_published),
		cmocka_unit_test(results_of_a_drive_are_one),
		cmocka_unit_test(one_drive_is_not_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
