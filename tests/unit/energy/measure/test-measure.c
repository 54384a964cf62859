/* SPDX-License-Identifier: MIT */
/*
 * Energy, baseline, activity and classes: by hand, and against slow and obvious
 * ways to do the same.
 */
#include "calls.h"
#include "fixture.h"

#include <math.h>

#define SECOND INT64_C(1000000000)

static double uniform(uint64_t *seed)
{
	return ((double)(fixture_random(seed) >> 11) + 0.5) /
	       9007199254740992.0;
}

static double normal(uint64_t *seed)
{
	double radius = sqrt(-2 * log(uniform(seed)));

	return radius * cos(6.283185307179586 * uniform(seed));
}

/* One each second. */
static struct ssdpm_samples seconds_of(const double *power_w, size_t n)
{
	return (struct ssdpm_samples){ .power_w = power_w,
				       .n = n,
				       .interval_ns = 1e9,
				       .type = SSDPM_SAMPLE_FLOAT64 };
}

static struct ssdpm_samples timed(const double *power_w, const int64_t *time_ns,
				  size_t n)
{
	return (struct ssdpm_samples){ .power_w = power_w,
				       .time_ns = time_ns,
				       .n = n,
				       .type = SSDPM_SAMPLE_FLOAT64 };
}

static struct ssdpm_energy energy_of(const struct ssdpm_samples *samples)
{
	struct ssdpm_energy energy = { .size = sizeof(energy) };

	assert_int_equal(ssdpm_energy_measure(samples, NULL, &energy, NULL), 0);
	return energy;
}

static void assert_near(double is, double must_be, double tolerance)
{
	if (!(fabs(is - must_be) <= tolerance))
		fail_msg("%.17g is not %.17g", is, must_be);
}

static void energy_is_the_area_under_the_trapezoids(void **state)
{
	static const double power_w[] = { 1, 3, 2, 2 };
	static const int64_t time_ns[] = { 0, 1 * SECOND, 4 * SECOND,
					   5 * SECOND };
	struct ssdpm_samples samples = seconds_of(power_w, 4);
	struct ssdpm_energy energy = energy_of(&samples);

	(void)state;
	assert_near(energy.energy_j, 2 + 2.5 + 2, 1e-15);
	assert_int_equal(energy.covered_ns, 3 * SECOND);
	assert_near(energy.mean_power_w, 6.5 / 3, 1e-15);
	assert_int_equal(energy.n, 4);
	assert_int_equal(energy.remarks, 0);
	samples = timed(power_w, time_ns, 4);
	energy = energy_of(&samples);
	assert_near(energy.energy_j, 2 + 7.5 + 2, 1e-15);
	assert_int_equal(energy.min_step_ns, SECOND);
	assert_int_equal(energy.max_step_ns, 3 * SECOND);
	assert_near(energy.min_power_w, 1, 0);
	assert_near(energy.max_power_w, 3, 0);
}

static void a_shunt_of_5_percent_moves_all_joules_alike(void **state)
{
	static const double power_w[] = { 2, 2.5, 2 };
	struct ssdpm_samples samples = seconds_of(power_w, 3);
	struct ssdpm_energy_params params = { .size = sizeof(params),
					      .tolerance = 0.05 };
	struct ssdpm_energy energy = { .size = sizeof(energy) };

	(void)state;
	assert_int_equal(ssdpm_energy_measure(&samples, &params, &energy, NULL),
			 0);
	assert_near(energy.low_j, 4.5 / 1.05, 1e-15);
	assert_near(energy.high_j, 4.5 / 0.95, 1e-15);
	params.tolerance = 1;
	assert_int_equal(ssdpm_energy_measure(&samples, &params, &energy, NULL),
			 -EINVAL);
	params.tolerance = NAN;
	assert_int_equal(ssdpm_energy_measure(&samples, &params, &energy, NULL),
			 -EINVAL);
}

static void what_is_wrong_with_a_signal_is_counted_and_remarked(void **state)
{
	static const double power_w[] = { 1,   1.5, 1, NAN, 1.25, -0.5,
					  1.1, 2,   1, 1.2, 1.3 };
	static const int64_t time_ns[] = { 0, 1, 2, 3, 4, 5, 5, 6, 40, 39, 40 };
	struct ssdpm_samples samples = timed(power_w, time_ns, 11);
	struct ssdpm_energy energy = energy_of(&samples);

	(void)state;
	assert_int_equal(energy.n_not_finite, 1);
	assert_int_equal(energy.n_negative, 1);
	assert_int_equal(energy.n_duplicates, 1);
	assert_int_equal(energy.n_gaps, 1);
	assert_int_equal(energy.gap_ns, 34);
	assert_int_equal(energy.n_backwards, 1);
	assert_int_equal(energy.covered_ns, 7);
	assert_int_equal(energy.max_step_ns, 2);
	/* 0-1, 1-2, 2-4, 4-5, then from the second of time 5. */
	assert_near(energy.energy_j * 1e9,
		    1.25 + 1.25 + 2.25 + 0.375 + 1.55 + 1.25, 1e-14);
	assert_int_equal(energy.remarks,
			 SSDPM_SIGNAL_NOT_FINITE | SSDPM_SIGNAL_NEGATIVE |
				 SSDPM_SIGNAL_DUPLICATES | SSDPM_SIGNAL_GAPS |
				 SSDPM_SIGNAL_BACKWARDS);
}

static void a_signal_that_never_changes_or_is_cut_off_is_remarked(void **state)
{
	double power_w[100] = { 0 };
	struct ssdpm_samples samples = seconds_of(power_w, 100);
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 100; i++)
		power_w[i] = 2;
	assert_int_equal(energy_of(&samples).remarks, SSDPM_SIGNAL_CONSTANT);
	for (int i = 0; i < 100; i++)
		power_w[i] = fmin(2, 1.9 + 0.1 * normal(&seed));
	assert_in_range(energy_of(&samples).n_at_max, 10, 25);
	for (int i = 0; i < 100; i++)
		power_w[i] = fmin(2, 2 + 0.1 * normal(&seed));
	assert_int_equal(energy_of(&samples).remarks, SSDPM_SIGNAL_SATURATED);
	/* Two levels of an instrument are nothing of the kind. */
	for (int i = 0; i < 100; i++)
		power_w[i] = i % 2 ? 2 : 2.1;
	assert_int_equal(energy_of(&samples).remarks, 0);
}

/* All that the slow way can tell, sample by sample. */
static double slow_energy(const struct ssdpm_samples *samples)
{
	const double *power_w = samples->power_w;
	long double joules = 0;
	double before = NAN;
	double since = 0;

	for (size_t i = 0; i < samples->n; i++) {
		since += 1;
		if (!isfinite(power_w[i]))
			continue;
		if (!isnan(before) && since <= 10)
			joules += (before + power_w[i]) / 2 * since;
		before = power_w[i];
		since = 0;
	}
	return (double)joules;
}

static void pieces_floats_and_times_give_what_the_slow_way_gives(void **state)
{
	enum { N = 20000 };
	static double power_w[N];
	static int64_t time_ns[N];
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < (int)fixture_cases(40); round++) {
		double bad = round % 4 ? 0 : 0.01, step = round % 3 ? 0 : 0.25;

		for (size_t i = 0; i < N; i++) {
			power_w[i] = 3 + normal(&seed) * 0.3;
			if (step > 0)
				power_w[i] = floor(power_w[i] / step) * step;
			if (uniform(&seed) < bad)
				power_w[i] = NAN;
			time_ns[i] = (int64_t)i * SECOND;
		}
		struct ssdpm_samples samples = seconds_of(power_w, N);
		struct ssdpm_energy whole = energy_of(&samples);

		assert_near(whole.energy_j, slow_energy(&samples), 1e-8);
		samples = timed(power_w, time_ns, N);
		struct ssdpm_integral *integral;
		struct ssdpm_energy pieces = { .size = sizeof(pieces) };

		assert_int_equal(ssdpm_integral_new(NULL, &integral, NULL), 0);
		for (size_t at = 0, n; at < N; at += n) {
			n = (size_t)(fixture_random(&seed) % 6000);
			n = n < N - at ? n : N - at;
			struct ssdpm_samples piece =
				timed(power_w + at, time_ns + at, n);
			assert_int_equal(
				ssdpm_integral_feed(integral, &piece, NULL), 0);
			assert_int_equal(ssdpm_integral_get(integral, &pieces,
							    NULL) == 0,
					 at + n > 0);
		}
		assert_null(ssdpm_integral_free(integral));
		assert_near(pieces.energy_j, whole.energy_j, 1e-8);
		pieces.energy_j = whole.energy_j;
		pieces.mean_power_w = whole.mean_power_w;
		pieces.low_j = whole.low_j;
		pieces.high_j = whole.high_j;
		assert_memory_equal(&pieces, &whole, sizeof(whole));
	}
}

static void bad_views_and_empty_signals_are_refused(void **state)
{
	static const double nothing[] = { NAN, INFINITY };
	double one = 1;
	struct ssdpm_energy energy = { .size = sizeof(energy) };
	struct ssdpm_samples samples = seconds_of(nothing, 2);

	(void)state;
	assert_int_equal(ssdpm_energy_measure(&samples, NULL, &energy, NULL),
			 -ENODATA);
	samples.n = 0;
	assert_int_equal(ssdpm_energy_measure(&samples, NULL, &energy, NULL),
			 -ENODATA);
	samples = seconds_of(&one, 1);
	energy = energy_of(&samples);
	assert_near(energy.energy_j, 0, 0);
	assert_true(isnan(energy.mean_power_w));
	samples.type = 9;
	assert_int_equal(ssdpm_energy_measure(&samples, NULL, &energy, NULL),
			 -EINVAL);
	samples = seconds_of(&one, 1);
	samples.interval_ns = 0;
	assert_int_equal(ssdpm_energy_measure(&samples, NULL, &energy, NULL),
			 -EINVAL);
	samples.interval_ns = NAN;
	assert_int_equal(ssdpm_energy_measure(&samples, NULL, &energy, NULL),
			 -EINVAL);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double slow_median(double *values, size_t n)
{
	qsort(values, n, sizeof(values[0]), compare);
	return values[(n - 1) / 2] == values[n / 2] ?
		       values[n / 2] :
		       values[(n - 1) / 2] / 2 + values[n / 2] / 2;
}

static struct ssdpm_baseline window_of(const struct ssdpm_samples *samples)
{
	struct ssdpm_baseline_params params = { .size = sizeof(params),
						.method =
							SSDPM_BASELINE_WINDOW };
	struct ssdpm_baseline baseline;

	assert_int_equal(ssdpm_baseline_find(samples, &params, &baseline, NULL),
			 0);
	return baseline;
}

static void assert_exact(const struct ssdpm_samples *samples, double *values,
			 size_t n)
{
	struct ssdpm_baseline baseline = window_of(samples);
	double median = slow_median(values, n);

	for (size_t i = 0; i < n; i++)
		values[i] = fabs(values[i] - median);
	assert_near(baseline.level_w, median, 0);
	assert_near(baseline.mad_w, slow_median(values, n), 0);
	assert_int_equal(baseline.n, n);
	assert_near(baseline.error_w, 0, 0);
}

static void median_and_mad_are_exact_also_with_ties(void **state)
{
	enum { N = 3000 };
	static double power_w[N], values[N];
	static float floats[N];
	uint64_t seed = 3;

	(void)state;
	for (int round = 0; round < (int)fixture_cases(300); round++) {
		size_t n = 3 + (size_t)(fixture_random(&seed) % (N - 3)),
		       finite = 0;
		double scale = pow(10, (double)(round % 9) - 4);
		int levels = round % 5 ? 0 : 1 + round % 7;

		for (size_t i = 0; i < n; i++) {
			double value = 5 + normal(&seed);
			if (levels)
				value = floor(value * levels) / levels;
			floats[i] = (float)(value * scale);
			power_w[i] =
				round % 2 ? (double)floats[i] : value * scale;
			if (i > 2 && round % 3 == 0 && i % 11 == 0)
				power_w[i] = i % 2 ? NAN : -INFINITY;
			if (!isfinite(power_w[i]))
				floats[i] = (float)power_w[i];
			else
				values[finite++] = power_w[i];
		}
		struct ssdpm_samples samples = seconds_of(power_w, n);
		if (round % 2) {
			samples.power_w = floats;
			samples.type = SSDPM_SAMPLE_FLOAT32;
		}
		assert_exact(&samples, values, finite);
	}
}

static void a_window_holds_its_begin_and_not_its_end(void **state)
{
	static const double power_w[] = { 9, 1, 2, 3, 8, 7 };
	static const int64_t time_ns[] = { 0, 10, 20, 30, 40, 50 };
	struct ssdpm_baseline_params params = { .size = sizeof(params),
						.begin_ns = 10,
						.end_ns = 40 };
	struct ssdpm_samples samples = timed(power_w, time_ns, 6);
	struct ssdpm_baseline baseline;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			ssdpm_baseline_find(&samples, &params, &baseline, NULL),
			0);
		assert_near(baseline.level_w, 2, 0);
		assert_near(baseline.mad_w, 1, 0);
		assert_int_equal(baseline.n, 3);
		assert_int_equal(baseline.method, SSDPM_BASELINE_WINDOW);
		samples.time_ns = NULL;
		samples.interval_ns = 10;
	}
	params.begin_ns = 20;
	assert_int_equal(
		ssdpm_baseline_find(&samples, &params, &baseline, NULL),
		-ENODATA);
	params.begin_ns = 100;
	params.end_ns = 200;
	assert_int_equal(
		ssdpm_baseline_find(&samples, &params, &baseline, NULL),
		-ENODATA);
}

static void coarse_steps_have_a_sigma_though_their_mad_is_0(void **state)
{
	double power_w[200] = { 0 };
	struct ssdpm_samples samples = seconds_of(power_w, 200);

	(void)state;
	/* One step but for a few: not less than that of quantisation. */
	for (int i = 0; i < 200; i++)
		power_w[i] = i % 50 ? 2.5 : 2.6;
	struct ssdpm_baseline baseline = window_of(&samples);

	assert_near(baseline.mad_w, 0, 0);
	assert_near(baseline.quantum_w, 0.1, 1e-12);
	assert_true(baseline.sigma_w >= 0.1 / sqrt(12));
	assert_true(baseline.sigma_w < 0.1 / 2);
}

static void two_levels_are_no_steps_of_a_meter(void **state)
{
	static double power_w[1000];
	struct ssdpm_samples samples = seconds_of(power_w, 1000);
	struct ssdpm_baseline baseline;

	(void)state;
	for (int i = 0; i < 1000; i++)
		power_w[i] = i % 10 ? 0.05 : 2;
	assert_int_equal(ssdpm_baseline_find(&samples, NULL, &baseline, NULL),
			 0);
	assert_near(baseline.quantum_w, 0, 0);
	assert_near(baseline.level_w, 0.05, 1e-12);
}

static void coarse_steps_do_not_hide_how_large_the_noise_is(void **state)
{
	enum { N = 5000 };
	static double power_w[N];
	struct ssdpm_samples samples = seconds_of(power_w, N);
	uint64_t seed = 9;

	(void)state;
	for (int round = 0; round < 40; round++) {
		/* Steps of one to three sigmas, the level anywhere on one. */
		double quantum = 0.02 * (1 + round % 3);
		double level = 2.5 + 0.0031 * round;
		double sigma = hypot(0.02, quantum / sqrt(12));

		for (int i = 0; i < N; i++)
			power_w[i] =
				quantum *
				rint((level + 0.02 * normal(&seed)) / quantum);
		struct ssdpm_baseline baseline = window_of(&samples);

		/* MAD alone is 0 of them, or up to 3.4 of them. */
		assert_near(baseline.sigma_w, sigma, 0.35 * sigma);
	}
}

static void idle_is_found_though_the_drive_works_most_of_the_time(void **state)
{
	enum { N = 5000 };
	static double power_w[N];
	struct ssdpm_samples samples = seconds_of(power_w, N);
	struct ssdpm_baseline baseline;
	uint64_t seed = 5;

	(void)state;
	for (int round = 0; round < 60; round++) {
		double share = round % 5 * 0.2, level = 0.4 + 0.1 * round;

		for (size_t i = 0; i < N; i++) {
			double work = uniform(&seed) < share ? level : 0;
			if (round % 2)
				work *= 0.5 + 2 * uniform(&seed);
			power_w[i] = level * (1 + 0.02 * normal(&seed)) + work;
		}
		assert_int_equal(
			ssdpm_baseline_find(&samples, NULL, &baseline, NULL),
			0);
		assert_int_equal(baseline.method, SSDPM_BASELINE_HALF_SAMPLE);
		assert_near(baseline.level_w, level, 0.01 * level);
		assert_near(baseline.sigma_w, 0.02 * level, 0.004 * level);
	}
}

static void a_level_that_drifts_all_the_time_is_no_baseline(void **state)
{
	double power_w[1000] = { 0 };
	struct ssdpm_samples samples = seconds_of(power_w, 1000);
	struct ssdpm_baseline baseline;
	struct ssdpm_error error;

	(void)state;
	for (int i = 0; i < 1000; i++)
		power_w[i] = 1 + i * 0.001;
	assert_int_equal(ssdpm_baseline_find(&samples, NULL, &baseline, &error),
			 -EDOM);
	assert_string_equal(
		error.message,
		"no level stands out as that of an idle drive: say when it idles");
}

static void one_pass_is_as_near_as_it_says(void **state)
{
	enum { N = 4000 };
	static double power_w[N], values[N];
	uint64_t seed = 13;
	int refused = 0;

	(void)state;
	for (int round = 0; round < 100; round++) {
		size_t n = 3 + (size_t)(fixture_random(&seed) % (N - 3));
		double level = pow(10, round % 4 - 2), median, mad;
		double sigma = level * pow(10, -(double)(round % 6));

		for (size_t i = 0; i < n; i++)
			power_w[i] = values[i] = level + sigma * normal(&seed);
		median = slow_median(values, n);
		for (size_t i = 0; i < n; i++)
			values[i] = fabs(values[i] - median);
		mad = slow_median(values, n);
		struct ssdpm_samples samples = seconds_of(power_w, n);
		struct ssdpm_baseline baseline;
		struct ssdpm_level *counts;

		assert_int_equal(ssdpm_level_new(&counts, NULL), 0);
		assert_int_equal(ssdpm_level_feed(counts, &samples, NULL), 0);
		int err = ssdpm_level_get(counts, &baseline, NULL);

		assert_null(ssdpm_level_free(counts));
		/* A MAD of 10^-5 of the level is four buckets wide at most. */
		assert_true(err == 0 || (err == -ERANGE && mad < 2e-4 * level));
		refused += err != 0;
		if (err)
			continue;
		assert_near(baseline.level_w, median, baseline.error_w);
		assert_near(baseline.mad_w, mad, 1.001 * baseline.error_w);
		assert_true(baseline.error_w <= 0.25 * baseline.mad_w);
	}
	assert_in_range(refused, 20, 50);
}

/* 2 W; from 30 to 49 and from 70 to 72 it works. */
static void make_work(double power_w[100], uint64_t seed)
{
	for (int i = 0; i < 100; i++) {
		power_w[i] = 2 + 0.05 * normal(&seed);
		if ((i >= 30 && i < 50) || (i >= 70 && i < 73))
			power_w[i] += 0.6;
	}
}

static void work_begins_and_ends_where_the_power_does(void **state)
{
	double power_w[100] = { 0 };
	struct ssdpm_samples samples = seconds_of(power_w, 100);
	struct ssdpm_activity work[4];
	size_t n = 0;

	(void)state;
	for (uint64_t seed = 1; seed < 50; seed++) {
		make_work(power_w, seed);
		struct ssdpm_samples idle = seconds_of(power_w, 30);
		struct ssdpm_baseline baseline = window_of(&idle);
		struct ssdpm_detect_params params = { .size = sizeof(params),
						      .floor_w = 0.35 };

		assert_int_equal(find_activity(&samples, &baseline, &params,
					       work, 4, &n, NULL),
				 0);
		assert_int_equal(n, 2);
		assert_int_equal(work[0].begin, 30);
		assert_int_equal(work[0].end, 50);
		assert_int_equal(work[0].begin_ns, 30 * SECOND);
		assert_int_equal(work[0].end_ns, 50 * SECOND);
		assert_int_equal(work[0].open, 0);
		assert_near(work[0].extra_j, 19.5 * 0.6, 1);
		assert_near(work[0].energy_j - work[0].extra_j,
			    20 * baseline.level_w, 1e-9);
		assert_int_equal(work[1].begin, 70);
		assert_int_equal(work[1].end, 73);
		/* With room for none of them they are only counted. */
		assert_int_equal(find_activity(&samples, &baseline, &params,
					       NULL, 0, &n, NULL),
				 0);
		assert_int_equal(n, 2);
	}
}

static void work_that_an_end_or_a_gap_cuts_off_is_open(void **state)
{
	double power_w[30] = { 0 };
	int64_t time_ns[30] = { 0 };
	struct ssdpm_samples samples = timed(power_w, time_ns, 30);
	struct ssdpm_baseline baseline = { .level_w = 1, .sigma_w = 0.1 };
	struct ssdpm_activity work[4];
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 30; i++) {
		power_w[i] = i < 5 || (i > 10 && i < 18) || i > 24 ? 2 : 1;
		time_ns[i] = i * SECOND + (i > 14 ? 100 * SECOND : 0);
	}
	assert_int_equal(
		find_activity(&samples, &baseline, NULL, work, 4, &n, NULL), 0);
	assert_int_equal(n, 4);
	assert_int_equal(work[0].open, 1);
	assert_int_equal(work[0].end, 5);
	assert_int_equal(work[1].open, 2);
	assert_int_equal(work[1].begin, 11);
	assert_int_equal(work[1].end, 15);
	assert_int_equal(work[1].end_ns, 14 * SECOND);
	assert_int_equal(work[2].open, 1);
	assert_int_equal(work[2].begin, 15);
	assert_int_equal(work[3].open, 2);
	assert_int_equal(work[3].end, 30);
}

static void a_tail_is_what_goes_on_after_the_last_completion(void **state)
{
	double power_w[100] = { 0 };
	struct ssdpm_samples samples = seconds_of(power_w, 100);
	struct ssdpm_baseline baseline = { .level_w = 2, .sigma_w = 0.05 };
	struct ssdpm_tail tail;

	(void)state;
	for (int i = 0; i < 100; i++)
		power_w[i] = i >= 30 && i < 50 ? 2.6 : 2;
	assert_int_equal(ssdpm_tail_measure(&samples, &baseline, NULL,
					    40 * SECOND, &tail, NULL),
			 0);
	assert_int_equal(tail.duration_ns, 10 * SECOND);
	assert_near(tail.extra_j, 9.5 * 0.6, 1e-12);
	assert_near(tail.sigma_j, 0.05 * 10 / sqrt(10), 1e-12);
	assert_int_equal(tail.open, 0);
	assert_int_equal(ssdpm_tail_measure(&samples, &baseline, NULL,
					    60 * SECOND, &tail, NULL),
			 0);
	assert_int_equal(tail.duration_ns, 0);
	assert_int_equal(tail.n, 0);
	samples.n = 45;
	assert_int_equal(ssdpm_tail_measure(&samples, &baseline, NULL,
					    40 * SECOND, &tail, NULL),
			 0);
	assert_int_equal(tail.open, 1);
	assert_int_equal(ssdpm_tail_measure(&samples, &baseline, NULL,
					    45 * SECOND, &tail, NULL),
			 -ENODATA);
}

static void regular_work_in_idle_has_a_period(void **state)
{
	double power_w[1000] = { 0 };
	struct ssdpm_samples samples = seconds_of(power_w, 1000);
	struct ssdpm_baseline baseline = { .level_w = 1, .sigma_w = 0.02 };
	struct ssdpm_idle_work work;
	uint64_t seed = 9;

	(void)state;
	for (int i = 0; i < 1000; i++)
		power_w[i] = 1 + 0.02 * normal(&seed) +
			     (i % 60 >= 10 && i % 60 < 15 ? 0.5 : 0);
	assert_int_equal(
		ssdpm_idle_work_find(&samples, &baseline, NULL, &work, NULL),
		0);
	assert_int_equal(work.n, 17);
	assert_int_equal(work.regular, 1);
	assert_int_equal(work.period_ns, 60 * SECOND);
	assert_int_equal(work.duration_ns, 5 * SECOND);
	assert_near(work.extra_j, 4.5 * 0.5, 0.2);
	assert_near(work.mean_extra_w, 17 * 2.25 / 999, 0.003);
	/* At random times it has none. */
	for (int i = 0, until = 0; i < 1000; i++) {
		if (i > until + 10 && uniform(&seed) < 0.03)
			until = i + 5;
		power_w[i] = i < until ? 1.5 : 1;
	}
	assert_int_equal(
		ssdpm_idle_work_find(&samples, &baseline, NULL, &work, NULL),
		0);
	assert_in_range(work.n, 4, 40);
	assert_int_equal(work.regular, 0);
}

/* Steps of 55, 35 and 33 s: the MAD is small, as it hides the first. */
static void three_steps_with_an_odd_one_have_no_period(void **state)
{
	static const int begins[] = { 30, 85, 120, 153 };
	double power_w[200];
	struct ssdpm_samples samples;
	struct ssdpm_baseline baseline = { .level_w = 1, .sigma_w = 0.02 };
	struct ssdpm_idle_work work;

	(void)state;
	for (int i = 0; i < 200; i++)
		power_w[i] = 1;
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 5; j++)
			power_w[begins[i] + j] = 1.5;
	samples = seconds_of(power_w, 200);
	assert_int_equal(
		ssdpm_idle_work_find(&samples, &baseline, NULL, &work, NULL),
		0);
	assert_int_equal(work.n, 4);
	assert_true(10 * work.period_mad_ns <= work.period_ns);
	assert_int_equal(work.regular, 0);
}

static uint32_t class_of(double share, double seconds, double slope,
			 uint64_t *seed)
{
	struct ssdpm_background_run runs[48];
	struct ssdpm_background_class class;

	for (int i = 0; i < 48; i++) {
		double size = 1 + i / 4;
		double length = uniform(seed) < share ?
					seconds * (1 + slope * size) :
					0;

		runs[i] = (struct ssdpm_background_run){
			.parameter = size,
			.tail_ns = (uint64_t)(length * 1e9),
			.extra_j = 0.5 * length + 0.01 * normal(seed),
			.sigma_j = 0.01,
		};
	}
	assert_int_equal(ssdpm_background_classify(runs, 48, &class, NULL), 0);
	return class.background;
}

static void classes_are_those_that_the_runs_were_made_of(void **state)
{
	static const struct {
		double share, seconds, slope;
		uint32_t class;
	} cases[] = {
		{ 0, 0, 0, SSDPM_BACKGROUND_NONE },
		{ 0.3, 0.4, 0, SSDPM_BACKGROUND_NOT_SIGNIFICANT },
		{ 1, 0.3, 0, SSDPM_BACKGROUND_SMALL },
		{ 1, 3, 0, SSDPM_BACKGROUND_EXTENDED },
		{ 0.9, 0.3, 0.5, SSDPM_BACKGROUND_GROWS },
	};
	uint64_t seed = 21;

	(void)state;
	for (int i = 0; i < 5; i++) {
		int right = 0;

		for (int round = 0; round < 40; round++)
			right += class_of(cases[i].share, cases[i].seconds,
					  cases[i].slope,
					  &seed) == cases[i].class;
		assert_in_range(right, 38, 40);
	}
}

/* The vectors of SNIA's two rules; the second breaks the one of the slope. */
static void steady_state_needs_both_rules_of_snia(void **state)
{
	static const double steady[] = { 300, 200, 100, 105, 95, 98, 102 };
	static const double slope[] = { 90, 95, 100, 105, 108 };
	size_t begin = 99;

	(void)state;
	assert_int_equal(ssdpm_steady_state_find(steady, 7, NULL, &begin, NULL),
			 0);
	assert_int_equal(begin, 2);
	assert_int_equal(ssdpm_steady_state_find(slope, 5, NULL, &begin, NULL),
			 -ENODATA);
	assert_int_equal(ssdpm_steady_state_find(steady, 4, NULL, &begin, NULL),
			 -ENODATA);
	assert_int_equal(begin, 2);
}

static void power_in_proportion_to_work_has_index_1(void **state)
{
	static const double load[] = { 0, 10, 20, 40 };
	static const double ideal[] = { 0, 1, 2, 4 };
	static const double constant[] = { 4, 4, 4, 4 };
	static const double half[] = { 2, 2.5, 3, 4 };
	double index;

	(void)state;
	assert_int_equal(ssdpm_proportionality(load, ideal, 4, &index, NULL),
			 0);
	assert_near(index, 1, 1e-15);
	assert_int_equal(ssdpm_proportionality(load, constant, 4, &index, NULL),
			 0);
	assert_near(index, 0, 1e-15);
	assert_int_equal(ssdpm_proportionality(load, half, 4, &index, NULL), 0);
	assert_near(index, 0.5, 1e-15);
	assert_int_equal(
		ssdpm_proportionality(ideal + 1, half, 3, &index, NULL),
		-EINVAL);
}

static void changes_are_those_of_the_slow_search(void **state)
{
	double power_w[80], cost[81];
	size_t last[81], begins[80], n;
	uint64_t seed = 17;

	(void)state;
	for (int round = 0; round < 200; round++) {
		size_t count = 4 + (size_t)(fixture_random(&seed) % 76);
		size_t min = 1 + (size_t)(fixture_random(&seed) % 3);
		double penalty = 0.5 + 10 * uniform(&seed), level = 0;

		for (size_t i = 0; i < count; i++) {
			if (i % 9 == 0)
				level = 4 * normal(&seed);
			power_w[i] = level + normal(&seed);
		}
		if (count < 2 * min)
			continue;
		cost[0] = -penalty;
		for (size_t t = 1; t <= count; t++) {
			cost[t] = INFINITY;
			for (size_t s = 0; s + min <= t; s++) {
				double sum = 0, squares = 0;

				for (size_t i = s; i < t; i++)
					sum += power_w[i];
				for (size_t i = s; i < t; i++)
					squares += pow(
						power_w[i] -
							sum / (double)(t - s),
						2);
				if (cost[s] + squares + penalty >= cost[t])
					continue;
				cost[t] = cost[s] + squares + penalty;
				last[t] = s;
			}
		}
		struct ssdpm_samples samples = seconds_of(power_w, count);
		assert_int_equal(find_changes(&samples, 1, penalty, min, begins,
					      80, &n, NULL),
				 0);
		for (size_t t = last[count]; t > 0; t = last[t])
			assert_int_equal(begins[--n], t);
		assert_int_equal(n, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(energy_is_the_area_under_the_trapezoids),
		cmocka_unit_test(a_shunt_of_5_percent_moves_all_joules_alike),
		cmocka_unit_test(
			what_is_wrong_with_a_signal_is_counted_and_remarked),
		cmocka_unit_test(
			a_signal_that_never_changes_or_is_cut_off_is_remarked),
		cmocka_unit_test(
			pieces_floats_and_times_give_what_the_slow_way_gives),
		cmocka_unit_test(bad_views_and_empty_signals_are_refused),
		cmocka_unit_test(median_and_mad_are_exact_also_with_ties),
		cmocka_unit_test(a_window_holds_its_begin_and_not_its_end),
		cmocka_unit_test(
			coarse_steps_have_a_sigma_though_their_mad_is_0),
		cmocka_unit_test(two_levels_are_no_steps_of_a_meter),
		cmocka_unit_test(
			coarse_steps_do_not_hide_how_large_the_noise_is),
		cmocka_unit_test(
			idle_is_found_though_the_drive_works_most_of_the_time),
		cmocka_unit_test(
			a_level_that_drifts_all_the_time_is_no_baseline),
		cmocka_unit_test(one_pass_is_as_near_as_it_says),
		cmocka_unit_test(work_begins_and_ends_where_the_power_does),
		cmocka_unit_test(work_that_an_end_or_a_gap_cuts_off_is_open),
		cmocka_unit_test(
			a_tail_is_what_goes_on_after_the_last_completion),
		cmocka_unit_test(regular_work_in_idle_has_a_period),
		cmocka_unit_test(three_steps_with_an_odd_one_have_no_period),
		cmocka_unit_test(classes_are_those_that_the_runs_were_made_of),
		cmocka_unit_test(steady_state_needs_both_rules_of_snia),
		cmocka_unit_test(power_in_proportion_to_work_has_index_1),
		cmocka_unit_test(changes_are_those_of_the_slow_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
