/* SPDX-License-Identifier: MIT */
/* Operations second by second: fio's logs, and their analysis. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static double *read_log(const char *text, uint32_t op, size_t *ret_n)
{
	const struct ssdpm_iops_log_params params = { .size = sizeof(params),
						      .op = op };
	struct ssdpm_error error;
	double *iops = NULL;

	if (ssdpm_iops_log_read_data(text, strlen(text), &params, &iops, ret_n,
				     &error))
		fail_msg("%s", error.message);
	return iops;
}

static void assert_log(const char *text, uint32_t op, const double *must_be,
		       size_t n_must_be)
{
	size_t n;
	double *iops = read_log(text, op, &n);

	assert_int_equal(n, n_must_be);
	for (size_t i = 0; i < n; i++)
		if (isnan(must_be[i]) ? !isnan(iops[i]) :
					!(fabs(iops[i] - must_be[i]) < 1e-9))
			fail_msg("second %zu: %g is not %g", i, iops[i],
				 must_be[i]);
	free(iops);
}

static void means_are_shared_out_to_seconds(void **state)
{
	const double whole[] = { 500, 510 };
	/* 250 ms at 100, 500 at 200, 250 at 400; the rest of it and 240 */
	const double shifted[] = { 0.25 * 100 + 0.5 * 200 + 0.25 * 400,
				   0.25 * 400 + 0.75 * 240 };
	const double both[] = { 30, 70 };
	const double reads[] = { 10, 30 };

	(void)state;
	assert_log("1000, 500, 1, 0, 0\n2000, 510, 1, 0, 0\n", 0, whole, 2);
	/*
	 * Without a priority, as older versions write them; an unfinished
	 * second does not count.
	 */
	assert_log("1000, 500, 1, 0\r\n2000, 510, 1, 0\r\n2400, 9, 1, 0", 0,
		   whole, 2);
	assert_log("250, 100, 1, 0, 0\n750, 200, 1, 0, 0\n1250, 400, 1, 0, 0\n"
		   "1750, 240, 1, 0, 0\n2000, 240, 1, 0, 0\n",
		   SSDPM_OP_WRITE, shifted, 2);
	assert_log("1000, 10, 0, 0, 0\n1000, 20, 1, 0, 0\n2000, 30, 0, 0, 0\n"
		   "2000, 40, 1, 0, 0\n",
		   0, both, 2);
	assert_log("1000, 10, 0, 0, 0\n1000, 20, 1, 0, 0\n2000, 30, 0, 0, 0\n"
		   "2000, 40, 1, 0, 0\n",
		   SSDPM_OP_READ, reads, 2);
}

static void single_operations_are_counted(void **state)
{
	const double counts[] = { 2, 0, 1 };

	(void)state;
	assert_log("0, 1, 1, 4096, 0\n999, 1, 1, 4096, 8192\n"
		   "2001, 1, 1, 4096, 0\n3000, 1, 1, 4096, 0\n",
		   0, counts, 3);
}

static void means_may_have_a_block_size(void **state)
{
	const double means[] = { 20000, 1, 300 };

	(void)state;
	assert_log("1000, 20000, 1, 4096\n2000, 1, 1, 4096\n"
		   "3000, 300, 1, 4096\n",
		   0, means, 3);
}

static void seconds_without_a_line_are_not_known(void **state)
{
	const double holed[] = { 5, 6, NAN, NAN, 7 };
	const double late[] = { 5, 6 };

	(void)state;
	assert_log("1000, 5, 1, 0, 0\n2000, 6, 1, 0, 0\n5000, 7, 1, 0, 0\n", 0,
		   holed, 5);
	/* A late one is no second. */
	assert_log("1000, 5, 1, 0, 0\n2400, 6, 1, 0, 0\n", 0, late, 2);
}

/* As fio 3.33 writes it: the mean covers the last second. */
static void a_second_without_an_operation_does_not_count_as_the_next(
	void **state)
{
	const double idle[] = { 7317, 12690, NAN, 7885 };
	const double idle_first[] = { NAN, 10, 20, 30, 40, 50 };

	(void)state;
	assert_log("1000, 7317, 1, 0, 0x0000\n2003, 12690, 1, 0, 0x0000\n"
		   "4003, 7885, 1, 0, 0x0000\n",
		   0, idle, 4);
	assert_log("2000, 10, 1, 0\n3000, 20, 1, 0\n4000, 30, 1, 0\n"
		   "5000, 40, 1, 0\n6000, 50, 1, 0\n",
		   0, idle_first, 6);
}

/* A sum of known values alone would be too low. */
static void a_second_of_which_one_direction_is_missing_is_a_hole(void **state)
{
	const double both[] = { 11, 22, NAN, 44, 5 };

	(void)state;
	assert_log("1000, 1, 0, 0\n1000, 10, 1, 0\n2000, 2, 0, 0\n"
		   "2000, 20, 1, 0\n3000, 3, 0, 0\n4000, 4, 0, 0\n"
		   "4000, 40, 1, 0\n5000, 5, 0, 0\n",
		   0, both, 5);
	/* But not before it has begun, or after it has ended. */
	assert_log("1000, 11, 0, 0\n2000, 22, 0, 0\n3000, 33, 1, 0\n"
		   "4000, 44, 1, 0\n",
		   0, (const double[]){ 11, 22, 33, 44 }, 4);
}

static void many_lines_are_read_as_few_are(void **state)
{
	double iops[100];
	char text[8192];
	int n = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		iops[i] = i == 40 ? (double)NAN : i;
		if (i != 40)
			n += snprintf(text + n, sizeof(text) - (size_t)n,
				      "%d, %d, 1, 0\n", 1000 * (i + 1), i);
	}
	assert_log(text, 0, iops, 100);
}

static void logs_that_are_none_or_two_are_refused(void **state)
{
	static const struct {
		const char *text;
		int code;
		uint32_t line;
	} bad[] = {
		{ "", -ENODATA, 0 },
		{ "\n\n", -ENODATA, 0 },
		{ "900, 5, 1, 0, 0\n", -ENODATA, 0 },
		{ "1000, 5, 1, 0, 0\nhello\n", -EINVAL, 2 },
		{ "1000, 5, 3, 0, 0\n", -EINVAL, 1 },
		{ "10, 1, 1, 4096\n2000, 7, 1, 4096\n", -EINVAL, 2 },
		{ "1000, 5, 1\n", -EINVAL, 1 },
		{ "1000, -5, 1, 0, 0\n", -EINVAL, 1 },
		{ "1000, 5, 1, 0, 0, 0, 0, 0\n", -EINVAL, 1 },
		{ "1000, nan, 1, 0, 0\n", -EINVAL, 1 },
		/* Two jobs one after the other, as fio writes them. */
		{ "501, 49, 1, 0, 0\n1001, 50, 1, 0, 0\n501, 52, 1, 0, 0\n",
		  -EINVAL, 3 },
		{ "1000, 49, 1, 0, 0\n2000, 1, 1, 4096, 0\n", -EINVAL, 2 },
		/* And two that were sorted into one. */
		{ "1000, 49, 1, 0, 0\n1000, 50, 1, 0, 0\n", -EINVAL, 2 },
		/* Means of 10 s do not show the floor of a second. */
		{ "10000, 49, 1, 0, 0\n20000, 50, 1, 0, 0\n", -EINVAL, 0 },
		{ "1000, 1000000000001, 1, 0, 0\n", -EINVAL, 1 },
		{ "1048576000, 49, 1, 0, 0\n", -ERANGE, 1 },
		{ "18446744073709551616, 49, 1, 0, 0\n", -EINVAL, 1 },
	};
	struct ssdpm_iops_log_params params = { .size = sizeof(params) };
	double *iops = UNTOUCHED;
	size_t n = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ssdpm_error error;
		int err = ssdpm_iops_log_read_data(bad[i].text,
						   strlen(bad[i].text), NULL,
						   &iops, &n, &error);

		if (err != bad[i].code || error.line != bad[i].line)
			fail_msg("%s: %d, line %u: %s", bad[i].text, err,
				 error.line, error.message);
	}
	params.op = SSDPM_OP_READ;
	assert_int_equal(ssdpm_iops_log_read_data("1000, 5, 1, 0, 0\n", 17,
						  &params, &iops, &n, NULL),
			 -ENODATA);
	params.op = SSDPM_OP_FLUSH;
	assert_int_equal(ssdpm_iops_log_read_data("1000, 5, 1, 0, 0\n", 17,
						  &params, &iops, &n, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_iops_log_read(-1, NULL, &iops, &n, NULL),
			 -EBADF);
	assert_ptr_equal(iops, UNTOUCHED);
	assert_int_equal(n, 7);
}

static void a_log_of_hours_is_read_to_its_end(void **state)
{
	enum { N = 10000 };
	static char text[N * 32];
	size_t length = 0, n;

	(void)state;
	for (unsigned int i = 1; i <= N; i++)
		length += (size_t)sprintf(text + length, "%u000, %u, 1, 0, 0\n",
					  i, i);
	double *iops = read_log(text, 0, &n);

	assert_int_equal(n, N);
	for (size_t i = 0; i < n; i++)
		if (iops[i] != (double)(i + 1))
			fail_msg("second %zu: %g", i, iops[i]);
	free(iops);
}

static void a_log_comes_from_a_descriptor_too(void **state)
{
	static const char text[] = "1000, 5, 1, 0, 0\n";
	double *iops = NULL;
	size_t n = 0;
	int pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(write(pipes[1], text, sizeof(text) - 1),
			 sizeof(text) - 1);
	close(pipes[1]);
	assert_int_equal(ssdpm_iops_log_read(pipes[0], NULL, &iops, &n, NULL),
			 0);
	assert_int_equal(n, 1);
	assert_true(iops[0] == 5);
	free(iops);
	close(pipes[0]);
}

/* A plateau of 80000, a cliff at 400 s, then 8000 to 10000. */
static void make_review(double iops[2000])
{
	for (size_t i = 0; i < 2000; i++)
		iops[i] = i < 400 ? 80000 + (double)(i % 7) :
				    8000 + (double)(i * 37 % 2001);
	iops[1500] = 2600;
}

static void a_review_has_its_cliff_floor_and_steady_state(void **state)
{
	struct ssdpm_consistency c = { .size = sizeof(c) };
	const struct ssdpm_consistency_params params = {
		.size = sizeof(params),
		.begin_s = 1400,
		.threshold_iops = 8000,
	};
	double iops[2000];

	(void)state;
	make_review(iops);
	assert_int_equal(
		ssdpm_consistency_measure(iops, 2000, &params, &c, NULL), 0);
	assert_int_equal(c.n, 600);
	assert_int_equal(c.n_holes, 0);
	assert_int_equal(c.n_below, 1);
	assert_true(c.floor_iops == 2600);
	assert_true(c.p01_iops == 2600); /* the first of 600 */
	assert_true(c.p1_iops > 8000 && c.p1_iops < 8030);
	assert_true(c.max_iops <= 10000);
	assert_true(c.cliff_s == 400);
	assert_true(c.plateau_iops > 80000);
	/* And not the plateau, which is even. */
	assert_true(c.steady_s == 400);
	assert_true(fabs(c.mean_iops - 9000) < 60);
	assert_true(fabs(c.floor_share - 2600 / c.mean_iops) < 1e-12);
	assert_true(fabs(c.variation - c.sd_iops / c.mean_iops) < 1e-12);
	/* Numbers from 8000 to 10000, and one far below. */
	assert_true(fabs(c.sd_iops -
			 sqrt(2000.0 * 2000 / 12 + 6400.0 * 6400 / 600)) < 20);
}

static void a_plateau_may_be_short_but_is_no_single_second(void **state)
{
	struct ssdpm_consistency c = { .size = sizeof(c) };
	double iops[60];

	(void)state;
	for (size_t length = 1; length < 50; length++) {
		for (size_t i = 0; i < 60; i++)
			iops[i] = i < length ? 80000 : 8000;
		assert_int_equal(
			ssdpm_consistency_measure(iops, 60, NULL, &c, NULL), 0);
		if (length < 3) {
			assert_true(isnan(c.cliff_s));
			assert_true(c.plateau_iops == 8000);
		} else {
			assert_true(c.cliff_s == (double)length);
			assert_true(c.plateau_iops == 80000);
		}
	}
	/* One second of nothing does not end it. */
	iops[4] = 0;
	assert_int_equal(ssdpm_consistency_measure(iops, 60, NULL, &c, NULL),
			 0);
	assert_true(c.cliff_s == 49);
}

static void ranks_are_the_nearest(void **state)
{
	struct ssdpm_consistency c = { .size = sizeof(c) };
	double iops[2000];

	(void)state;
	for (size_t i = 0; i < 2000; i++)
		iops[i] = (double)(i * 771 % 2000) + 1; /* 1 to 2000 */
	assert_int_equal(ssdpm_consistency_measure(iops, 2000, NULL, &c, NULL),
			 0);
	assert_true(c.floor_iops == 1);
	assert_true(c.p01_iops == 2);
	assert_true(c.p1_iops == 20);
	assert_true(c.median_iops == 1000);
	assert_true(c.max_iops == 2000);
	assert_true(c.mean_iops == 1000.5);
}

static void holes_are_counted_and_not_zero(void **state)
{
	struct ssdpm_consistency c = { .size = sizeof(c) };
	double iops[400];

	(void)state;
	for (size_t i = 0; i < 400; i++)
		iops[i] = i >= 30 && i < 100 ? NAN : 100;
	assert_int_equal(ssdpm_consistency_measure(iops, 400, NULL, &c, NULL),
			 0);
	assert_int_equal(c.n, 330);
	assert_int_equal(c.n_holes, 70);
	assert_true(c.floor_iops == 100);
	assert_true(isnan(c.cliff_s));
	assert_true(c.steady_s == 0); /* each minute has something */
	for (size_t i = 100; i < 120; i++)
		iops[i] = NAN;
	assert_int_equal(ssdpm_consistency_measure(iops, 400, NULL, &c, NULL),
			 0);
	assert_true(isnan(c.steady_s)); /* four minutes are left */
	for (size_t i = 0; i < 400; i++)
		iops[i] = NAN;
	assert_int_equal(ssdpm_consistency_measure(iops, 400, NULL, &c, NULL),
			 -ENODATA);
	assert_int_equal(ssdpm_consistency_measure(iops, 0, NULL, &c, NULL),
			 -ENODATA);
	assert_int_equal(c.n, 310);
}

static void nothing_at_all_divides_by_nothing(void **state)
{
	struct ssdpm_consistency c = { .size = sizeof(c) };
	double zeros[60] = { 0 };

	(void)state;
	assert_int_equal(ssdpm_consistency_measure(zeros, 60, NULL, &c, NULL),
			 0);
	assert_true(isnan(c.variation) && isnan(c.floor_share));
	assert_true(isnan(c.cliff_s));
	assert_int_equal(ssdpm_consistency_measure(zeros, 1, NULL, &c, NULL),
			 0);
	assert_true(isnan(c.sd_iops) && isnan(c.plateau_iops));
}

/* Watts of 40 seconds: 1, 2, 3 and so on. */
static void make_power(double power_w[40])
{
	for (size_t i = 0; i < 40; i++)
		power_w[i] = (double)i + 1;
}

static void power_is_the_mean_of_the_plateau_and_of_the_seconds_that_count(
	void **state)
{
	struct ssdpm_consistency c = { .size = sizeof(c) };
	struct ssdpm_consistency_params params = { .size = sizeof(params) };
	double iops[40], power_w[40];

	(void)state;
	make_power(power_w);
	params.power_w = power_w;
	for (size_t length = 4; length <= 16; length += 4) {
		for (size_t i = 0; i < 40; i++)
			iops[i] = i < length ? 80000 : 8000;
		params.begin_s = 20;
		params.end_s = 30;
		assert_int_equal(
			ssdpm_consistency_measure(iops, 40, &params, &c, NULL),
			0);
		assert_true(c.cliff_s == (double)length);
		assert_true(c.mean_power_w == 25.5);
		/* 10 seconds are the most of a plateau. */
		assert_true(c.plateau_power_w == (length == 4 ? 2.5 :
						  length == 8 ? 4.5 :
								5.5));
	}
	/* To the end, and beyond it. */
	params.end_s = 100;
	assert_int_equal(ssdpm_consistency_measure(iops, 40, &params, &c, NULL),
			 0);
	assert_true(c.mean_power_w == 30.5);
	/* 9 seconds have no plateau. */
	params.begin_s = 0;
	assert_int_equal(ssdpm_consistency_measure(iops, 9, &params, &c, NULL),
			 0);
	assert_true(c.mean_power_w == 5);
	assert_true(isnan(c.plateau_iops) && isnan(c.plateau_power_w));
}

static void seconds_that_are_not_known_have_no_part_in_power(void **state)
{
	struct ssdpm_consistency c = { .size = sizeof(c) };
	struct ssdpm_consistency_params params = { .size = sizeof(params) };
	double iops[40], power_w[40];

	(void)state;
	make_power(power_w);
	for (size_t i = 0; i < 40; i++)
		iops[i] = 100;
	assert_int_equal(ssdpm_consistency_measure(iops, 40, &params, &c, NULL),
			 0);
	assert_true(isnan(c.plateau_power_w) && isnan(c.mean_power_w));
	params.power_w = power_w;
	params.end_s = 12;
	/* 1, 2 and 10 W of the plateau are left, and then 11 W. */
	for (size_t i = 2; i < 6; i++)
		iops[i] = NAN;
	for (size_t i = 6; i < 9; i++)
		power_w[i] = NAN;
	power_w[11] = NAN;
	assert_int_equal(ssdpm_consistency_measure(iops, 40, &params, &c, NULL),
			 0);
	assert_true(c.plateau_power_w == 13.0 / 3);
	assert_true(c.mean_power_w == 6);
	for (size_t i = 0; i < 12; i++)
		power_w[i] = NAN;
	assert_int_equal(ssdpm_consistency_measure(iops, 40, &params, &c, NULL),
			 0);
	assert_true(c.plateau_iops == 100);
	assert_true(isnan(c.plateau_power_w) && isnan(c.mean_power_w));
	/* Operations are known there, but of the plateau not one. */
	make_power(power_w);
	for (size_t i = 0; i < 10; i++)
		iops[i] = NAN;
	assert_int_equal(ssdpm_consistency_measure(iops, 40, &params, &c, NULL),
			 0);
	assert_true(isnan(c.plateau_power_w));
	assert_true(c.mean_power_w == 11.5);
}

static void power_that_cannot_be_is_refused(void **state)
{
	struct ssdpm_consistency c = { .size = sizeof(c), .n = 7 };
	double iops[2] = { 1, 1 }, power_w[2] = { 0, -1 };
	const struct ssdpm_consistency_params params = {
		.size = sizeof(params),
		.end_s = 1,
		.power_w = power_w,
	};

	(void)state;
	assert_int_equal(ssdpm_consistency_measure(iops, 2, &params, &c, NULL),
			 -EINVAL);
	power_w[1] = INFINITY;
	assert_int_equal(ssdpm_consistency_measure(iops, 2, &params, &c, NULL),
			 -EINVAL);
	assert_int_equal(c.n, 7);
	power_w[1] = 0;
	assert_int_equal(ssdpm_consistency_measure(iops, 2, &params, &c, NULL),
			 0);
	assert_true(c.mean_power_w == 0);
}

static void json_has_the_power_of_the_result(void **state)
{
	struct ssdpm_consistency c = { .size = sizeof(c) };
	const double iops[2] = { 5, 5 }, power_w[2] = { 1, 2 };
	const struct ssdpm_consistency_params params = {
		.size = sizeof(params),
		.power_w = power_w,
	};
	const struct ssdpm_consistency_report report = {
		.size = sizeof(report),
		.name = "a",
		.found = &c,
	};
	char *text = NULL;

	(void)state;
	assert_int_equal(ssdpm_consistency_measure(iops, 2, &params, &c, NULL),
			 0);
	assert_int_equal(ssdpm_consistency_report_to_json(&report, &text, NULL),
			 0);
	assert_non_null(strstr(text, "\"plateau_power_uw\": null"));
	assert_non_null(strstr(text, "\"mean_power_uw\": 1500000"));
	free(text);
	/* A program may be older than these powers. */
	c.size = offsetof(struct ssdpm_consistency, plateau_power_w);
	assert_int_equal(ssdpm_consistency_report_to_json(&report, &text, NULL),
			 0);
	assert_non_null(strstr(text, "\"mean_power_uw\": null"));
	free(text);
}

static void numbers_that_cannot_be_are_refused(void **state)
{
	struct ssdpm_consistency c = { .size = sizeof(c), .n = 7 };
	struct ssdpm_consistency_params params = { .size = sizeof(params),
						   .begin_s = 4 };
	double iops[3] = { 1, -1, 1 };

	(void)state;
	assert_int_equal(ssdpm_consistency_measure(iops, 3, NULL, &c, NULL),
			 -EINVAL);
	iops[1] = INFINITY;
	assert_int_equal(ssdpm_consistency_measure(iops, 3, NULL, &c, NULL),
			 -EINVAL);
	iops[1] = 1;
	assert_int_equal(ssdpm_consistency_measure(iops, 3, &params, &c, NULL),
			 -EINVAL);
	params.begin_s = 3;
	assert_int_equal(ssdpm_consistency_measure(iops, 3, &params, &c, NULL),
			 -EINVAL);
	params.begin_s = 0;
	params.threshold_iops = NAN;
	assert_int_equal(ssdpm_consistency_measure(iops, 3, &params, &c, NULL),
			 -EINVAL);
	c.size = 0;
	assert_int_equal(ssdpm_consistency_measure(iops, 3, NULL, &c, NULL),
			 -EINVAL);
	assert_int_equal(c.n, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_are_shared_out_to_seconds),
		cmocka_unit_test(single_operations_are_counted),
		cmocka_unit_test(means_may_have_a_block_size),
		cmocka_unit_test(seconds_without_a_line_are_not_known),
		cmocka_unit_test(
			a_second_without_an_operation_does_not_count_as_the_next),
		cmocka_unit_test(
			a_second_of_which_one_direction_is_missing_is_a_hole),
		cmocka_unit_test(many_lines_are_read_as_few_are),
		cmocka_unit_test(logs_that_are_none_or_two_are_refused),
		cmocka_unit_test(a_log_of_hours_is_read_to_its_end),
		cmocka_unit_test(a_log_comes_from_a_descriptor_too),
		cmocka_unit_test(a_review_has_its_cliff_floor_and_steady_state),
		cmocka_unit_test(
			a_plateau_may_be_short_but_is_no_single_second),
		cmocka_unit_test(ranks_are_the_nearest),
		cmocka_unit_test(holes_are_counted_and_not_zero),
		cmocka_unit_test(nothing_at_all_divides_by_nothing),
		cmocka_unit_test(
			power_is_the_mean_of_the_plateau_and_of_the_seconds_that_count),
		cmocka_unit_test(
			seconds_that_are_not_known_have_no_part_in_power),
		cmocka_unit_test(power_that_cannot_be_is_refused),
		cmocka_unit_test(json_has_the_power_of_the_result),
		cmocka_unit_test(numbers_that_cannot_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
