/* SPDX-License-Identifier: MIT */
#include "calls.h"
#include "fixture.h"

#include <math.h>

/*
 * The measurement at its limits: refusals, signals of floats, and medians whose
 * sample misleads.
 */

#define SECOND INT64_C(1000000000)

static double uniform(uint64_t *seed)
{
	return ((double)(fixture_random(seed) >> 11) + 0.5) /
	       9007199254740992.0;
}

/* One each second. */
static struct ssdpm_samples seconds_of(const double *power_w, size_t n)
{
	return (struct ssdpm_samples){ .power_w = power_w,
				       .n = n,
				       .interval_ns = 1e9,
				       .type = SSDPM_SAMPLE_FLOAT64 };
}

static void assert_near(double is, double must_be, double tolerance)
{
	if (!(fabs(is - must_be) <= tolerance))
		fail_msg("%.17g is not %.17g", is, must_be);
}

static void assert_says(const struct ssdpm_error *error, const char *words)
{
	if (!strstr(error->message, words))
		fail_msg("\"%s\" says nothing of \"%s\"", error->message,
			 words);
}

static void a_view_that_cannot_be_read_is_refused_with_the_reason(void **state)
{
	static const double power_w[2] = { 1, 2 };
	const struct ssdpm_samples good = seconds_of(power_w, 2);
	struct {
		struct ssdpm_samples samples;
		const char *words;
	} bad[] = {
		{ good, "reserved" },		{ good, "no powers" },
		{ good, "interval" },		{ good, "interval" },
		{ good, "beyond 2^62 ns" },	{ good, "beyond 2^62 ns" },
		{ good, "no type of samples" },
	};
	struct ssdpm_energy energy = { .size = sizeof(energy) };

	(void)state;
	bad[0].samples.reserved = 1;
	bad[1].samples.power_w = NULL;
	bad[2].samples.interval_ns = 0.5;
	bad[3].samples.interval_ns = 2e18;
	bad[4].samples.start_ns = INT64_MAX / 2 + 1;
	bad[5].samples.start_ns = -INT64_MAX / 2 - 1;
	bad[6].samples.type = 0;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ssdpm_error error;

		assert_int_equal(ssdpm_energy_measure(&bad[i].samples, NULL,
						      &energy, &error),
				 -EINVAL);
		assert_says(&error, bad[i].words);
	}
	/* If times are given, the interval is ignored. */
	static const int64_t time_ns[2] = { INT64_MIN, INT64_MIN + 1 };
	struct ssdpm_samples samples = good;

	samples.interval_ns = NAN;
	samples.time_ns = time_ns;
	assert_int_equal(ssdpm_energy_measure(&samples, NULL, &energy, NULL),
			 0);
	assert_int_equal(energy.covered_ns, 1);
}

static void floats_are_read_as_the_doubles_that_they_are(void **state)
{
	enum { N = 9000 };
	static float floats[N];
	static double doubles[N];
	static int64_t time_ns[N];
	uint64_t seed = 31;

	(void)state;
	for (int i = 0; i < N; i++) {
		/* Steps, so that many are the largest and the next one. */
		floats[i] = (float)floor(8 * uniform(&seed)) / 3;
		doubles[i] = (double)floats[i];
		time_ns[i] = i * SECOND + (int64_t)(1e6 * uniform(&seed));
	}
	for (int round = 0; round < 3; round++) {
		struct ssdpm_samples of_doubles = seconds_of(doubles, N);

		if (round == 1)
			of_doubles.time_ns = time_ns;
		/* One is not finite, so no block takes the fast path. */
		if (round == 2)
			floats[N / 2] = (float)(doubles[N / 2] = NAN);
		struct ssdpm_samples of_floats = of_doubles;
		struct ssdpm_energy a = { .size = sizeof(a) };
		struct ssdpm_energy b = { .size = sizeof(b) };
		struct ssdpm_baseline_params window = {
			.size = sizeof(window),
			.method = SSDPM_BASELINE_WINDOW,
		};
		struct ssdpm_baseline c, d;

		of_floats.power_w = floats;
		of_floats.type = SSDPM_SAMPLE_FLOAT32;
		assert_int_equal(
			ssdpm_energy_measure(&of_doubles, NULL, &a, NULL), 0);
		assert_int_equal(
			ssdpm_energy_measure(&of_floats, NULL, &b, NULL), 0);
		assert_memory_equal(&a, &b, sizeof(a));
		assert_int_equal(
			ssdpm_baseline_find(&of_doubles, &window, &c, NULL), 0);
		assert_int_equal(
			ssdpm_baseline_find(&of_floats, &window, &d, NULL), 0);
		assert_near(c.level_w, d.level_w, 0);
		assert_near(c.mad_w, d.mad_w, 0);
		assert_int_equal(c.n, d.n);
	}
}

/*
 * Checks the median without sorting. It is the middle value or the mean of the
 * two next to it, with as many values on each side.
 */
static void assert_median(const double *values, size_t n, double from,
			  bool distances, double median)
{
	size_t below = 0, up_to = 0, finite = 0;
	double before = -INFINITY, after = INFINITY;

	for (size_t i = 0; i < n; i++) {
		double value = distances ? fabs(values[i] - from) : values[i];

		if (!isfinite(value))
			continue;
		finite++;
		below += value < median;
		up_to += value <= median;
		if (value <= median && value > before)
			before = value;
		if (value >= median && value < after)
			after = value;
	}
	if (before == median) {
		assert_true(below <= (finite - 1) / 2 && finite / 2 < up_to);
		return;
	}
	assert_int_equal(2 * up_to, finite);
	assert_near(median, before / 2 + after / 2, 0);
}

static void assert_middle(const double *power_w, size_t n)
{
	struct ssdpm_samples samples = seconds_of(power_w, n);
	struct ssdpm_baseline_params params = {
		.size = sizeof(params),
		.method = SSDPM_BASELINE_WINDOW,
	};
	struct ssdpm_baseline baseline;

	assert_int_equal(
		ssdpm_baseline_find(&samples, &params, &baseline, NULL), 0);
	assert_median(power_w, n, 0, false, baseline.level_w);
	assert_median(power_w, n, baseline.level_w, true, baseline.mad_w);
}

/* More than one pass keeps, so the bounds must be found. */
static void a_median_of_millions_is_exact(void **state)
{
	enum { N = 1200001 };
	double *power_w = malloc(N * sizeof(*power_w));
	uint64_t seed = 11;

	(void)state;
	assert_non_null(power_w);
	for (int shape = 0; shape < 4; shape++) {
		for (size_t i = 0; i < N; i++) {
			double value = log(uniform(&seed));

			/* Noise; steps; rare and huge ones; one value. */
			if (shape == 1)
				value = floor(value * 2);
			else if (shape == 2)
				value *= i % 3 ? 1e-9 : 1e300;
			else if (shape == 3)
				value = i % 100 ? 2.5 : value;
			power_w[i] = value;
		}
		assert_middle(power_w, N - (shape & 1));
	}
	/* The two in the middle differ. */
	for (size_t i = 0; i < N; i++)
		power_w[i] =
			i < N / 2 ? 1 + uniform(&seed) : 3 + uniform(&seed);
	assert_middle(power_w, N - 1);
	free(power_w);
}

/*
 * The library samples 2^18 of more than 2^20 values to know where to search.
 * These values are at the sampled places, and all others elsewhere.
 */
static void mislead(double *power_w, size_t n, double from_w, double width_w,
		    uint64_t *seed)
{
	uint64_t random = 0x9e3779b97f4a7c15u;

	for (size_t i = 0; i < 262144; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		power_w[random % n] = from_w + width_w * uniform(seed);
	}
}

static void a_median_is_exact_where_a_sample_of_the_signal_misleads(
	void **state)
{
	enum { N = 1500001 };
	double *power_w = malloc(N * sizeof(*power_w));
	uint64_t seed = 32;

	(void)state;
	assert_non_null(power_w);
	/* All sampled values are above the median, then below it. */
	for (double from_w = 100; from_w >= -100; from_w -= 200) {
		for (size_t i = 0; i < N; i++)
			power_w[i] = uniform(&seed);
		mislead(power_w, N, from_w, 1, &seed);
		assert_middle(power_w, N);
	}
	/* Far more values are between the bounds than the sample suggests. */
	for (size_t i = 0; i < N; i++)
		power_w[i] = 0.001 * uniform(&seed);
	mislead(power_w, N, -100, 200, &seed);
	assert_middle(power_w, N);
	/* Nearly no value is finite, so a sample has few or none. */
	for (size_t every = 150000; every <= 750000; every *= 5) {
		for (size_t i = 0; i < N; i++)
			power_w[i] = i % every == 7 ? 1 + (double)i : NAN;
		power_w[0] = 2;
		assert_middle(power_w, N);
	}
	free(power_w);
}

static void a_running_median_hides_spikes_but_not_work(void **state)
{
	double power_w[200] = { 0 };
	const struct ssdpm_baseline baseline = { .level_w = 1,
						 .sigma_w = 0.01 };
	struct ssdpm_samples samples = seconds_of(power_w, 200);
	struct ssdpm_detect_params params = { .size = sizeof(params),
					      .enter_samples = 1,
					      .leave_samples = 1 };
	struct ssdpm_activity work[8];
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 200; i++)
		power_w[i] = i >= 100 && i < 120 ? 2 : 1;
	/* Spikes of one and two samples, and an unknown one during the work. */
	power_w[0] = power_w[50] = power_w[51] = power_w[199] = 3;
	power_w[110] = NAN;
	assert_int_equal(
		find_activity(&samples, &baseline, &params, work, 8, &n, NULL),
		0);
	assert_int_equal(n, 4);
	params.filter_samples = 5;
	assert_int_equal(
		find_activity(&samples, &baseline, &params, work, 8, &n, NULL),
		0);
	assert_int_equal(n, 1);
	assert_int_equal(work[0].begin, 100);
	assert_int_equal(work[0].end, 120);
	/* Its energy comes from the unfiltered samples. */
	assert_near(work[0].peak_w, 2, 0);
	assert_near(work[0].extra_j, 19.5, 1e-12);
	/* No finite value is near: no work begins or ends. */
	for (int i = 0; i < 200; i++)
		power_w[i] = NAN;
	power_w[0] = power_w[1] = 1;
	assert_int_equal(
		find_activity(&samples, &baseline, &params, work, 8, &n, NULL),
		0);
	assert_int_equal(n, 0);
}

static void what_makes_no_sense_as_activity_is_refused(void **state)
{
	static const struct ssdpm_detect_params bad[] = {
		{ .leave_sigmas = -1 },
		{ .leave_sigmas = NAN },
		{ .enter_sigmas = 2, .leave_sigmas = 3 },
		{ .enter_sigmas = NAN },
		{ .floor_w = -1 },
		{ .floor_w = NAN },
		{ .filter_samples = 4 },
		{ .filter_samples = 103 },
		{ .reserved = 1 },
	};
	static const struct ssdpm_baseline no_baseline[] = {
		{ .level_w = NAN },
		{ .level_w = INFINITY },
		{ .sigma_w = NAN },
		{ .sigma_w = -1 },
	};
	static const double power_w[4] = { 1, 1, 1, 1 };
	const struct ssdpm_baseline baseline = { .level_w = 1 };
	struct ssdpm_samples samples = seconds_of(power_w, 4);
	struct ssdpm_idle_work work;
	struct ssdpm_tail tail;
	size_t n = 5;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ssdpm_detect_params params = bad[i];

		params.size = sizeof(params);
		assert_int_equal(find_activity(&samples, &baseline, &params,
					       NULL, 0, &n, NULL),
				 -EINVAL);
		assert_int_equal(ssdpm_tail_measure(&samples, &baseline,
						    &params, 0, &tail, NULL),
				 -EINVAL);
		assert_int_equal(ssdpm_idle_work_find(&samples, &baseline,
						      &params, &work, NULL),
				 -EINVAL);
	}
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(find_activity(&samples, &no_baseline[i], NULL,
					       NULL, 0, &n, NULL),
				 -EINVAL);
	assert_int_equal(n, 5);
}

static void rounds_and_loads_that_are_none_are_refused(void **state)
{
	static const struct ssdpm_steady_params bad[] = {
		{ .window = 1 },       { .reserved = 1 },
		{ .max_range = -1 },   { .max_range = NAN },
		{ .max_slope = -0.1 }, { .max_slope = NAN },
	};
	static const double rounds[] = { 100, 100, NAN, 100, 100, 100, 100 };
	static const double load[] = { 0, 1, 2 }, back[] = { 0, 2, 1 };
	static const double power_w[] = { 1, NAN, 3 }, none_w[] = { 1, 2, 0 };
	struct ssdpm_steady_params two = { .size = sizeof(two), .window = 2 };
	struct ssdpm_error error;
	size_t begin = 99;
	double index = 5;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ssdpm_steady_params params = bad[i];

		params.size = sizeof(params);
		assert_int_equal(ssdpm_steady_state_find(rounds, 2, &params,
							 &begin, NULL),
				 -EINVAL);
	}
	assert_int_equal(
		ssdpm_steady_state_find(rounds, 7, NULL, &begin, &error),
		-EINVAL);
	assert_says(&error, "round 3");
	assert_int_equal(begin, 99);
	assert_int_equal(ssdpm_steady_state_find(rounds, 2, &two, &begin, NULL),
			 0);
	assert_int_equal(begin, 0);
	assert_int_equal(ssdpm_proportionality(back, load, 3, &index, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_proportionality(load, power_w, 3, &index, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_proportionality(load, none_w, 3, &index, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_proportionality(load, load, 1, &index, NULL),
			 -EINVAL);
	assert_near(index, 5, 0);
}

static void runs_that_make_no_class_are_refused_with_the_reason(void **state)
{
	static struct ssdpm_background_run runs[20001];
	struct ssdpm_background_class class = { .background = 77 };
	struct ssdpm_error error;

	(void)state;
	for (size_t i = 0; i < 20001; i++)
		runs[i] = (struct ssdpm_background_run){
			.parameter = (double)(i % 2),
			.extra_j = 1,
			.sigma_j = 0.1,
		};
	assert_int_equal(ssdpm_background_classify(runs, 3, &class, &error),
			 -ENODATA);
	assert_says(&error, "4 runs or more");
	assert_int_equal(ssdpm_background_classify(runs, 20001, &class, &error),
			 -EINVAL);
	assert_says(&error, "20000 runs");
	assert_int_equal(ssdpm_background_classify(runs, 40, &class, &error),
			 -ENODATA);
	assert_says(&error, "3 values of the parameter");
	runs[3].parameter = 2;
	/* One value has 38 of 40 runs: none of them has a tail. */
	assert_int_equal(ssdpm_background_classify(runs, 40, &class, NULL), 0);
	assert_int_equal(class.background, SSDPM_BACKGROUND_NONE);
	class.background = 77;
	for (int i = 0; i < 5; i++) {
		struct ssdpm_background_run before = runs[20];

		if (i == 0)
			runs[20].parameter = INFINITY;
		else if (i == 1)
			runs[20].extra_j = NAN;
		else if (i == 2)
			runs[20].reserved = 1;
		else
			runs[20].sigma_j = i == 3 ? NAN : -1;
		assert_int_equal(
			ssdpm_background_classify(runs, 40, &class, &error),
			-EINVAL);
		assert_says(&error, "run 21");
		runs[20] = before;
	}
	assert_int_equal(class.background, 77);
}

static int add_to(struct ssdpm_experiment_matrix *matrix, const char *row,
		  const char *column, const char *pattern, uint32_t background,
		  struct ssdpm_error *error)
{
	static struct ssdpm_background_class classes[16];
	static size_t n;
	const struct ssdpm_experiment experiment = {
		.size = sizeof(experiment),
		.experiment = "x",
		.micro_benchmark = row,
		.drive = column,
		.pattern = pattern,
		.n_runs = 4,
		.found = &classes[n],
	};

	classes[n++].background = background;
	return ssdpm_experiment_matrix_add(matrix, &experiment, error);
}

static void assert_cell(const struct ssdpm_experiment_matrix *matrix,
			size_t row, size_t column, const char *words)
{
	char text[SSDPM_EXPERIMENT_TEXT];

	assert_int_equal(ssdpm_experiment_matrix_get_text(matrix, row, column,
							  text, NULL),
			 0);
	assert_string_equal(text, words);
}

static void a_cell_has_a_word_for_each_pattern_or_one_for_all(void **state)
{
	struct ssdpm_experiment_matrix *m;
	struct ssdpm_error error;
	char *text = NULL, cell[SSDPM_EXPERIMENT_TEXT];

	(void)state;
	assert_int_equal(ssdpm_experiment_matrix_new(&m, NULL), 0);
	add_to(m, "mix", "A", "RW", SSDPM_BACKGROUND_GROWS, NULL);
	add_to(m, "mix", "A", "SW", SSDPM_BACKGROUND_SMALL, NULL);
	add_to(m, "mix", "B", "SW", SSDPM_BACKGROUND_EXTENDED, NULL);
	add_to(m, "mix", "B", "RW", SSDPM_BACKGROUND_EXTENDED, NULL);
	add_to(m, "order", "B", "RW", SSDPM_BACKGROUND_NOT_SIGNIFICANT, NULL);
	assert_cell(m, 0, 0, "S / GWP");
	assert_cell(m, 0, 1, "Ex");
	assert_cell(m, 1, 0, "-");
	assert_cell(m, 1, 1, "- / NS");
	assert_string_equal(ssdpm_experiment_matrix_get_name(
				    m, SSDPM_EXPERIMENT_PATTERN, 0),
			    "SW");
	assert_null(
		ssdpm_experiment_matrix_get_name(m, SSDPM_EXPERIMENT_DRIVE, 2));
	assert_null(ssdpm_experiment_matrix_get_name(m, 0, 0));
	assert_null(ssdpm_experiment_matrix_get_name(m, 4, 0));
	assert_int_equal(
		ssdpm_experiment_matrix_get_text(m, 2, 0, cell, &error),
		-EINVAL);
	assert_says(&error, "unknown cell");
	assert_int_equal(ssdpm_experiment_matrix_to_json(m, &text, NULL), 0);
	assert_non_null(strstr(text, "\"text\": \"S / GWP\""));
	assert_non_null(strstr(text, "\"background\": null"));
	free(text);
	assert_null(ssdpm_experiment_matrix_free(m));
	assert_null(ssdpm_experiment_matrix_free(NULL));
}

static void an_experiment_that_has_no_cell_is_refused(void **state)
{
	struct ssdpm_experiment none = { .size = sizeof(none) };
	const struct ssdpm_background_class no_class = { 0 };
	const char *const patterns[] = {
		"a", "b", "c", "d", "e", "f", "g", "h"
	};
	struct ssdpm_experiment_matrix *m;
	struct ssdpm_error error;
	char *text = NULL;

	(void)state;
	assert_int_equal(ssdpm_experiment_matrix_new(&m, NULL), 0);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(add_to(m, "mix", "A", patterns[i], 1, NULL),
				 0);
	assert_int_equal(add_to(m, "mix", "A", "i", 1, &error), -ERANGE);
	assert_says(&error, "up to 8 patterns: i is one more");
	assert_int_equal(add_to(m, "mix", NULL, "a", 1, &error), -EINVAL);
	assert_says(&error, "drive is missing");
	assert_int_equal(ssdpm_experiment_matrix_add(m, &none, &error),
			 -EINVAL);
	assert_says(&error, "experiment is missing");
	none.experiment = "x";
	assert_int_equal(ssdpm_experiment_to_json(&none, &text, &error),
			 -EINVAL);
	assert_says(&error, "found is missing");
	none.found = &no_class;
	assert_int_equal(ssdpm_experiment_to_json(&none, &text, &error),
			 -EINVAL);
	assert_says(&error, "background 0 is no class");
	assert_null(text);
	ssdpm_experiment_matrix_free(m);
}

static void changes_are_numbered_by_samples_and_not_by_finite_ones(void **state)
{
	static double power_w[20001];
	struct ssdpm_samples samples = seconds_of(power_w, 60);
	size_t begins[2] = { 0, 99 }, n;
	uint64_t seed = 33;

	(void)state;
	for (size_t i = 0; i < 60; i++)
		power_w[i] = i % 3 == 0 ? NAN :
					  (i < 20 || i >= 40 ? 1 : 2) +
						  0.01 * uniform(&seed);
	assert_int_equal(find_changes(&samples, 0, 0, 0, begins, 2, &n, NULL),
			 0);
	assert_int_equal(n, 2);
	assert_int_equal(begins[0], 20);
	assert_int_equal(begins[1], 40);
	/* With room for one, only the first is written. */
	begins[0] = begins[1] = 99;
	assert_int_equal(find_changes(&samples, 0, 0, 0, begins, 1, &n, NULL),
			 0);
	assert_int_equal(n, 2);
	assert_int_equal(begins[0], 20);
	assert_int_equal(begins[1], 99);
	n = 7;
	static const struct {
		double sigma_w, penalty;
		size_t n, min_samples;
		int code;
	} bad[] = {
		{ -1, 0, 60, 0, -EINVAL },  { INFINITY, 0, 60, 0, -EINVAL },
		{ 0, NAN, 60, 0, -EINVAL }, { 0, INFINITY, 60, 0, -EINVAL },
		{ 0, 0, 60, 21, -ENODATA }, { 0, 0, 60, SIZE_MAX, -ENODATA },
		{ 0, 0, 1, 0, -ENODATA },   { 0, 0, 0, 0, -ENODATA },
		{ 0, 0, 20001, 0, -E2BIG },
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		samples.n = bad[i].n;
		assert_int_equal(
			find_changes(&samples, bad[i].sigma_w, bad[i].penalty,
				     bad[i].min_samples, begins, 2, &n, NULL),
			bad[i].code);
	}
	assert_int_equal(n, 7);
	samples.type = 0;
	assert_int_equal(find_changes(&samples, 0, 0, 0, begins, 2, &n, NULL),
			 -EINVAL);
}

static struct ssdpm_parameter *find(struct ssdpm_parameter *parameters,
				    size_t n, uint32_t kind, uint32_t index)
{
	struct ssdpm_parameter *found =
		find_parameter(parameters, n, kind, index);

	assert_non_null(found);
	return found;
}

static void the_power_of_the_link_goes_where_it_was_not_measured(void **state)
{
	static struct ssdpm_parameter before[SSDPM_MAX_PARAMETERS];
	static struct ssdpm_parameter after[SSDPM_MAX_PARAMETERS];
	static const struct latencies states[] = {
		{ 0, 0, 0 },	  { 0, 5, 5 },	     { 0, 50, 50 },
		{ 1, 500, 1000 }, { 1, 5000, 9000 },
	};
	struct ssdpm_measured measured = {
		.kind = SSDPM_PARAMETER_IDLE_POWER,
		.index = 3,
		.status = SSDPM_MEASURED_KNOWN,
		.low = 39000.5,
		.nominal = 40000.5,
		.high = 41000.5,
	};
	struct ssdpm_model *model = fixture_model(states, 5);
	size_t n;

	(void)state;
	assert_int_equal(
		make_parameters_of(model, SSDPM_PCIE_L1, before, &n, NULL), 0);
	memcpy(after, before, sizeof(after));
	assert_int_equal(
		ssdpm_parameters_calibrate(after, n, &measured, 1, NULL), 0);
	struct ssdpm_parameter *link =
		find(before, n, SSDPM_PARAMETER_LINK_POWER, 0);
	struct ssdpm_parameter *three =
		find(after, n, SSDPM_PARAMETER_IDLE_POWER, 3);

	assert_true(link->nominal > 0);
	/* Rounded so that the interval is not smaller. */
	assert_int_equal(three->low, 39000);
	assert_int_equal(three->nominal, 40001);
	assert_int_equal(three->high, 41001);
	assert_int_equal(find(after, n, SSDPM_PARAMETER_LINK_POWER, 0)->nominal,
			 0);
	/* State 4 is asleep too, state 0 is not. */
	struct ssdpm_parameter *was =
		find(before, n, SSDPM_PARAMETER_IDLE_POWER, 4);
	struct ssdpm_parameter *is =
		find(after, n, SSDPM_PARAMETER_IDLE_POWER, 4);

	assert_int_equal(is->nominal, was->nominal + link->nominal);
	assert_int_equal(is->low, was->low + link->low);
	assert_int_equal(is->high, was->high + link->high);
	assert_string_equal(is->rule, "as before, and the link's");
	was = find(before, n, SSDPM_PARAMETER_IDLE_POWER, 0);
	is = find(after, n, SSDPM_PARAMETER_IDLE_POWER, 0);
	assert_memory_equal(was, is, sizeof(*was));
	assert_int_equal(ssdpm_parameters_calibrate(after,
						    SSDPM_MAX_PARAMETERS + 1,
						    &measured, 1, NULL),
			 -EINVAL);
	ssdpm_model_unref(model);
}

/* Samples too slow for the events, and fast enough ones. */

#define MS INT64_C(1000000)
#define N 4000

static const struct ssdpm_baseline idle = { .level_w = 1, .sigma_w = 0.01 };

static struct ssdpm_samples samples_of(const double *power_w,
				       double interval_ns)
{
	return (struct ssdpm_samples){ .power_w = power_w,
				       .n = N,
				       .interval_ns = interval_ns,
				       .type = SSDPM_SAMPLE_FLOAT64 };
}

/* Idle, with some noise. */
static void fill(double power_w[N])
{
	uint32_t seed = 5;

	for (int i = 0; i < N; i++) {
		seed = seed * 1664525 + 1013904223;
		power_w[i] = 1 + 0.01 * ((seed >> 8) / 8388608.0 - 1);
	}
}

static struct ssdpm_sampling check(const struct ssdpm_samples *samples,
				   const struct ssdpm_sampling_params *params)
{
	struct ssdpm_sampling sampling = { .size = sizeof(sampling) };

	assert_int_equal(ssdpm_sampling_check(samples, params, &sampling, NULL),
			 0);
	return sampling;
}

static void events_of_two_samples_are_too_short_and_of_three_are_not(
	void **state)
{
	double power_w[N] = { 0 };
	struct ssdpm_samples samples = samples_of(power_w, 1e6);
	struct ssdpm_sampling_params params = { .size = sizeof(params),
						.baseline = &idle };

	(void)state;
	for (int length = 1; length < 6; length++) {
		fill(power_w);
		for (int i = 100; i + length < N; i += 100)
			for (int k = 0; k < length; k++)
				power_w[i + k] += 2;
		struct ssdpm_sampling sampling = check(&samples, &params);

		assert_int_equal(sampling.step_ns, MS);
		assert_int_equal(sampling.interval_ns, MS);
		assert_int_equal(sampling.n_excursions, 39);
		assert_int_equal(sampling.n_short, length < 3 ? 39 : 0);
		assert_int_equal(sampling.remarks,
				 length < 3 ? SSDPM_SIGNAL_SLOW : 0);
		assert_int_equal(sampling.advised_ns,
				 length < 3 ? length * MS / 4 : 0);
		assert_true(fabs(sampling.extra_j - 39 * 0.002 * length) <
			    1e-3);
	}
}

static void spikes_do_not_matter_beside_work_nor_where_they_are_few(
	void **state)
{
	double power_w[N] = { 0 };
	struct ssdpm_samples samples = samples_of(power_w, 1e6);
	struct ssdpm_sampling_params params = { .size = sizeof(params),
						.baseline = &idle };
	struct ssdpm_sampling sampling;

	(void)state;
	/* Less than 1 % of all energy. */
	fill(power_w);
	for (int i = 100; i < N; i += 100)
		power_w[i] += 0.3;
	sampling = check(&samples, &params);
	assert_int_equal(sampling.n_short, 39);
	assert_int_equal(sampling.remarks, 0);
	/* Two of them, however large. */
	fill(power_w);
	power_w[100] = power_w[200] = 1000;
	assert_int_equal(check(&samples, &params).remarks, 0);
	power_w[300] = 1000;
	assert_int_equal(check(&samples, &params).remarks, SSDPM_SIGNAL_SLOW);
	/* Most of the power above idle is work. */
	for (int i = 1000; i < N; i++)
		power_w[i] += 2;
	assert_int_equal(check(&samples, &params).remarks, 0);
	/* A filter that the caller asked for removes them. */
	fill(power_w);
	for (int i = 100; i < N; i += 100)
		power_w[i] += 2;
	struct ssdpm_detect_params detect = { .size = sizeof(detect),
					      .filter_samples = 5 };

	params.detect = &detect;
	assert_int_equal(check(&samples, &params).n_excursions, 0);
	/* An event cut by an end may be longer. */
	params.detect = NULL;
	fill(power_w);
	power_w[0] = power_w[1] = power_w[N - 1] = 100;
	sampling = check(&samples, &params);
	assert_int_equal(sampling.n_excursions, 2);
	assert_int_equal(sampling.n_short, 0);
}

static void readings_that_repeat_are_told_from_steps_of_an_instrument(
	void **state)
{
	double power_w[N] = { 0 }, plain[N];
	struct ssdpm_samples samples = samples_of(power_w, 1e6);

	(void)state;
	fill(plain);
	for (int hold = 1; hold < 9; hold++) {
		for (int i = 0; i < N; i++)
			power_w[i] = plain[i - i % hold];
		struct ssdpm_sampling sampling = check(&samples, NULL);

		assert_int_equal(sampling.remarks,
				 hold > 1 ? SSDPM_SIGNAL_HELD : 0);
		assert_int_equal(sampling.interval_ns, hold * MS);
		assert_true(isnan(sampling.extra_j));
	}
	/* Two and a half. */
	for (int i = 0; i < N; i++)
		power_w[i] = plain[i * 2 / 5];
	assert_in_range(check(&samples, NULL).interval_ns, 249 * MS / 100,
			251 * MS / 100);
	for (double quantum = 0.001; quantum < 0.03; quantum *= 1.5) {
		for (int i = 0; i < N; i++)
			power_w[i] = floor(plain[i] / quantum) * quantum;
		assert_int_equal(check(&samples, NULL).remarks, 0);
	}
	/* A ramp, whose steps are as long as each other. */
	for (int i = 0; i < N; i++)
		power_w[i] = 1 + i / 10 * 0.001;
	assert_int_equal(check(&samples, NULL).remarks, 0);
	/* Six readings show nothing; nor does one. */
	for (int i = 0; i < N; i++)
		power_w[i] = plain[i / 800];
	assert_int_equal(check(&samples, NULL).remarks, 0);
	for (int i = 0; i < N; i++)
		power_w[i] = 1;
	assert_int_equal(check(&samples, NULL).remarks, 0);
}

static void what_is_held_for_long_has_its_interval_too(void **state)
{
	enum { MANY = 30000, HOLD = 1500 };
	static double power_w[MANY];
	double plain[N];
	struct ssdpm_samples samples = samples_of(power_w, 1e6);

	(void)state;
	fill(plain);
	for (int i = 0; i < MANY; i++)
		power_w[i] = plain[i / HOLD];
	samples.n = MANY;
	struct ssdpm_sampling sampling = check(&samples, NULL);

	assert_int_equal(sampling.remarks, SSDPM_SIGNAL_HELD);
	assert_int_equal(sampling.interval_ns, HOLD * MS);
}

static void an_event_of_two_readings_is_short_however_often_they_are_read(
	void **state)
{
	double power_w[N] = { 0 }, plain[N];
	struct ssdpm_samples samples = samples_of(power_w, 1e6);
	struct ssdpm_sampling_params params = { .size = sizeof(params),
						.baseline = &idle };

	(void)state;
	fill(plain);
	for (int i = 20; i < N; i += 20)
		plain[i] = plain[i + 1] = 3 + plain[i];
	/* Both readings of an event are the same, as expected. */
	for (int i = 20; i < N; i += 20)
		plain[i + 1] += 0.5;
	for (int i = 0; i < N; i++)
		power_w[i] = plain[i / 10];
	struct ssdpm_sampling sampling = check(&samples, &params);

	assert_int_equal(sampling.remarks,
			 SSDPM_SIGNAL_SLOW | SSDPM_SIGNAL_HELD);
	assert_int_equal(sampling.interval_ns, 10 * MS);
	assert_int_equal(sampling.short_ns, 20 * MS);
	assert_int_equal(sampling.advised_ns, 5 * MS);
}

static void ios_of_less_than_two_steps_are_faster_than_the_samples(void **state)
{
	double power_w[N] = { 0 };
	struct ssdpm_samples samples = samples_of(power_w, 10e6);
	struct ssdpm_io ios[40];
	struct ssdpm_sampling_params params = { .size = sizeof(params),
						.ios = ios,
						.n_ios = 40 };
	struct ssdpm_sampling sampling;

	(void)state;
	fill(power_w);
	/* Ten stretches, each of four I/Os that overlap, of 25 ms in all. */
	for (int i = 0; i < 40; i++)
		ios[i] = (struct ssdpm_io){
			.start_ns = (uint64_t)(i / 4 * 500 + i % 4 * 5) * MS,
			.service_ns = 10 * MS,
			.op = SSDPM_OP_READ,
		};
	sampling = check(&samples, &params);
	assert_int_equal(sampling.busy_ns, 25 * MS);
	assert_int_equal(sampling.remarks, 0);
	assert_int_equal(sampling.advised_ns, 0);
	samples.interval_ns = 13e6;
	sampling = check(&samples, &params);
	assert_int_equal(sampling.remarks, SSDPM_SIGNAL_SLOWER_THAN_IO);
	assert_int_equal(sampling.advised_ns, 25 * MS / 4);
	/* Rests shorter than a step do not count. */
	samples.interval_ns = 500e6;
	assert_int_equal(check(&samples, &params).busy_ns, 0);
	samples.interval_ns = 470e6;
	assert_int_equal(check(&samples, &params).busy_ns, 25 * MS);
	params.n_ios = 8;
	assert_int_equal(check(&samples, &params).busy_ns, 0);
	params.n_ios = 40;
	ios[20].service_ns = SSDPM_SERVICE_UNKNOWN;
	assert_int_equal(check(&samples, &params).busy_ns, 0);
}

static void without_parameters_the_baseline_is_found(void **state)
{
	double power_w[N] = { 0 };
	struct ssdpm_samples samples = samples_of(power_w, 1e6);
	struct ssdpm_baseline found;
	struct ssdpm_sampling_params params = { .size = sizeof(params),
						.baseline = &found };

	(void)state;
	/* Even noise has no mode, so fewer checks are possible. */
	fill(power_w);
	assert_int_equal(ssdpm_baseline_find(&samples, NULL, &found, NULL),
			 -EDOM);
	assert_true(isnan(check(&samples, NULL).extra_j));
	for (int i = 0; i + 8 < N; i++)
		for (int k = 1; k < 8; k++)
			power_w[i] += (power_w[i + k] - power_w[i]) / (k + 1);
	for (int i = 100; i + 2 < N; i += 100)
		power_w[i] = power_w[i + 1] = 3;
	assert_int_equal(ssdpm_baseline_find(&samples, NULL, &found, NULL), 0);
	struct ssdpm_sampling stated = check(&samples, &params);
	struct ssdpm_sampling alone = check(&samples, NULL);

	assert_int_equal(alone.n_short, 39);
	assert_memory_equal(&alone, &stated, sizeof(alone));
}

static void what_cannot_be_checked_is_refused(void **state)
{
	double power_w[N] = { 0 };
	struct ssdpm_samples samples = samples_of(power_w, 1e6);
	struct ssdpm_sampling_params params = { .size = sizeof(params),
						.n_ios = 1 };
	struct ssdpm_detect_params detect = { .size = sizeof(detect),
					      .filter_samples = 2 };
	struct ssdpm_sampling sampling = { .size = sizeof(sampling) };

	(void)state;
	fill(power_w);
	assert_int_equal(
		ssdpm_sampling_check(&samples, &params, &sampling, NULL),
		-EINVAL);
	params.n_ios = 0;
	params.baseline = &idle;
	params.detect = &detect;
	assert_int_equal(
		ssdpm_sampling_check(&samples, &params, &sampling, NULL),
		-EINVAL);
	samples.type = 0;
	assert_int_equal(ssdpm_sampling_check(&samples, NULL, &sampling, NULL),
			 -EINVAL);
	samples.type = SSDPM_SAMPLE_FLOAT64;
	for (int i = 0; i < N; i++)
		power_w[i] = NAN;
	assert_int_equal(ssdpm_sampling_check(&samples, NULL, &sampling, NULL),
			 -ENODATA);
	power_w[7] = 2;
	assert_int_equal(check(&samples, NULL).n, 1);
}

/* Each needed part is left out in turn; nothing is written. */
static void a_report_without_what_its_object_is_made_of_is_refused(void **state)
{
	const struct ssdpm_power_counts counts = { 0 };
	const struct ssdpm_energy energy = { .size = sizeof(energy) };
	const struct ssdpm_sampling sampling = { .size = sizeof(sampling) };
	const struct ssdpm_power_report whole = { .size = sizeof(whole),
						  .name = "x",
						  .counts = &counts,
						  .energy = &energy,
						  .counter_j = NAN,
						  .sampling = &sampling };
	struct ssdpm_power_report r[] = { whole, whole, whole, whole };
	struct ssdpm_error error;
	char *text = NULL;

	(void)state;
	r[0].name = NULL;
	r[1].counts = NULL;
	r[2].energy = NULL;
	r[3].sampling = NULL;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(
			ssdpm_power_report_energy_to_json(&r[i], &text, &error),
			-EINVAL);
		assert_non_null(strstr(error.message, " is missing"));
	}
	assert_int_equal(
		ssdpm_power_report_baseline_to_json(&whole, &text, &error),
		-EINVAL);
	assert_null(text);
	assert_int_equal(
		ssdpm_power_report_energy_to_json(&whole, &text, &error), 0);
	assert_non_null(strstr(text, "\n  \"counter_nj\": null,\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_view_that_cannot_be_read_is_refused_with_the_reason),
		cmocka_unit_test(floats_are_read_as_the_doubles_that_they_are),
		cmocka_unit_test(a_median_of_millions_is_exact),
		cmocka_unit_test(
			a_median_is_exact_where_a_sample_of_the_signal_misleads),
		cmocka_unit_test(a_running_median_hides_spikes_but_not_work),
		cmocka_unit_test(what_makes_no_sense_as_activity_is_refused),
		cmocka_unit_test(rounds_and_loads_that_are_none_are_refused),
		cmocka_unit_test(
			runs_that_make_no_class_are_refused_with_the_reason),
		cmocka_unit_test(
			a_cell_has_a_word_for_each_pattern_or_one_for_all),
		cmocka_unit_test(an_experiment_that_has_no_cell_is_refused),
		cmocka_unit_test(
			changes_are_numbered_by_samples_and_not_by_finite_ones),
		cmocka_unit_test(
			the_power_of_the_link_goes_where_it_was_not_measured),
		cmocka_unit_test(
			events_of_two_samples_are_too_short_and_of_three_are_not),
		cmocka_unit_test(
			spikes_do_not_matter_beside_work_nor_where_they_are_few),
		cmocka_unit_test(
			readings_that_repeat_are_told_from_steps_of_an_instrument),
		cmocka_unit_test(what_is_held_for_long_has_its_interval_too),
		cmocka_unit_test(
			an_event_of_two_readings_is_short_however_often_they_are_read),
		cmocka_unit_test(
			ios_of_less_than_two_steps_are_faster_than_the_samples),
		cmocka_unit_test(without_parameters_the_baseline_is_found),
		cmocka_unit_test(what_cannot_be_checked_is_refused),
		cmocka_unit_test(
			a_report_without_what_its_object_is_made_of_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
