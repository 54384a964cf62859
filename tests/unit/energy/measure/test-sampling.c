/* SPDX-License-Identifier: MIT */
/* Samples that are too slow for what happens, and those that are not. */
#include "fixture.h"

#include <math.h>

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
	/* Most of what is above idle is work. */
	for (int i = 1000; i < N; i++)
		power_w[i] += 2;
	assert_int_equal(check(&samples, &params).remarks, 0);
	/* Taken away, as somebody asked for. */
	fill(power_w);
	for (int i = 100; i < N; i += 100)
		power_w[i] += 2;
	struct ssdpm_detect_params detect = { .size = sizeof(detect),
					      .filter_samples = 5 };

	params.detect = &detect;
	assert_int_equal(check(&samples, &params).n_excursions, 0);
	/* What an end cuts off may be longer. */
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
	/* Six readings tell nothing; nor does one. */
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
	/* Both readings of an event are the same: no wonder if they are. */
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
	/* Rests of less than a step are none. */
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
	/* Of even noise no mode can be told: there is less to say. */
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

/* Each that it needs, left out: nothing is written. */
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
