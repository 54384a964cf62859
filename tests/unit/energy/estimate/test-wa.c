/* SPDX-License-Identifier: MIT */
/* Write amplification by formula. */
#include "fixture.h"

#include <math.h>

static double wa_of(uint32_t formula, double spare, uint32_t pages)
{
	struct ssdpm_error error;
	double wa = 0;

	if (ssdpm_wa_calculate(formula, spare, pages, &wa, &error))
		fail_msg("%g: %s", spare, error.message);
	return wa;
}

static double classes_of(double spare, const struct ssdpm_write_class *classes,
			 size_t n)
{
	struct ssdpm_error error;
	double wa = 0;

	if (ssdpm_wa_calculate_classes(spare, classes, n, &wa, &error))
		fail_msg("%g: %s", spare, error.message);
	return wa;
}

static void assert_is(double is, double must_be, double error)
{
	if (!(fabs(is - must_be) <= error))
		fail_msg("%.9g is not %.9g", is, must_be);
}

static const struct ssdpm_write_class hot_20[] = { { 0.2, 0.8 }, { 0.8, 0.2 } };
static const struct ssdpm_write_class hot_10[] = { { 0.1, 0.9 }, { 0.9, 0.1 } };

/* Computed from the formulas of the papers, each as it stands there. */
static void formulas_give_the_numbers_that_were_computed_elsewhere(void **state)
{
	static const struct {
		double spare, random, fifo, greedy[3], hot_20, hot_10;
	} rows[] = {
		{ 0.07,
		  14.286,
		  7.3177,
		  { 5.1113, 6.6001, 7.1237 },
		  7.6817,
		  8.3582 },
		{ 0.20,
		  5.000,
		  2.6927,
		  { 2.3527, 2.5982, 2.6684 },
		  3.0345,
		  3.5329 },
		{ 0.30,
		  3.333,
		  1.8762,
		  { 1.7164, 1.8332, 1.8652 },
		  2.1974,
		  2.5859 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double spare = rows[i].spare;

		assert_is(wa_of(SSDPM_WA_RANDOM, spare, 0), rows[i].random,
			  5e-4);
		assert_is(wa_of(SSDPM_WA_FIFO, spare, 0), rows[i].fifo, 5e-5);
		for (unsigned int j = 0; j < 3; j++)
			assert_is(wa_of(SSDPM_WA_GREEDY, spare, 16U << 2 * j),
				  rows[i].greedy[j], 5e-5);
		assert_is(classes_of(spare, hot_20, 2), rows[i].hot_20, 5e-5);
		assert_is(classes_of(spare, hot_10, 2), rows[i].hot_10, 5e-5);
	}
	/* arXiv:1110.4245, at an over-provisioning of 0.3. */
	assert_is(wa_of(SSDPM_WA_FIFO, 0.3 / 1.3, 0), 2.36, 5e-3);
	assert_is(wa_of(SSDPM_WA_AGARWAL, 0.3 / 1.3, 0), 2.17, 5e-3);
	assert_is(wa_of(SSDPM_WA_FIFO, 0.07, 0) / wa_of(SSDPM_WA_FIFO, 0.25, 0),
		  3.325, 5e-4);
	/* 25 % of which 7 points are parity. */
	assert_is(wa_of(SSDPM_WA_FIFO, 0.07, 0) /
			  wa_of(SSDPM_WA_FIFO, 0.25 - 0.07, 0),
		  2.46595, 5e-5);
}

/* 1 - 1/WA = e^(-alpha / WA), by libm. */
static void fifo_is_the_root_of_its_equation_and_below_1_at_none(void **state)
{
	double previous = INFINITY;

	(void)state;
	for (int i = 0; i < 4000; i++) {
		double spare = pow(10, -9 + i * 9.0 / 4000);
		double wa = wa_of(SSDPM_WA_FIFO, spare, 0);
		double alpha = 1 / (1 - spare);

		assert_true(wa >= 1 && wa <= previous);
		previous = wa;
		/* Near 0 the equation loses digits; the next term of the
		 * series is a ninth of the square. */
		if (spare < 1e-3)
			assert_is(wa * spare, 0.5 + spare / 6,
				  spare * spare / 8 + 1e-12);
		else /* near 1, wa itself has no more digits */
			assert_is(-log1p(-1 / wa) * wa, alpha,
				  1e-12 * alpha + 1e-15 / (1 - 1 / wa));
	}
	/* Where the series begins, it goes on without a step. */
	double below = wa_of(SSDPM_WA_FIFO, 0.99999999e-4, 0);
	double above = wa_of(SSDPM_WA_FIFO, 1.00000001e-4, 0);

	assert_is(below / above, 1.00000002, 1e-8);
}

static void large_blocks_are_as_fifo_and_small_ones_better(void **state)
{
	(void)state;
	for (double spare = 0.05; spare < 0.6; spare += 0.05) {
		double fifo = wa_of(SSDPM_WA_FIFO, spare, 0), previous = 1;

		for (uint32_t pages = 16; pages <= 65536; pages *= 4) {
			double wa = wa_of(SSDPM_WA_GREEDY, spare, pages);

			assert_true(wa >= previous && wa < fifo);
			previous = wa;
		}
		/* As with half a page more in each block: by the slope. */
		assert_is(previous, fifo, 1.2 / (4 * 65536 * spare * spare));
		assert_true(fifo < wa_of(SSDPM_WA_RANDOM, spare, 0));
	}
}

static void classes_that_are_written_alike_are_one(void **state)
{
	const struct ssdpm_write_class same[] = { { 0.3, 0.3 }, { 0.7, 0.7 } };
	const struct ssdpm_write_class one[] = { { 1, 1 } };
	/* Never written: its flash is full of valid data, and is never moved
	 * again. */
	const struct ssdpm_write_class cold[] = { { 0.5, 1 }, { 0.5, 0 } };

	(void)state;
	for (double spare = 0.01; spare < 0.9; spare += 0.01) {
		double fifo = wa_of(SSDPM_WA_FIFO, spare, 0);

		assert_is(classes_of(spare, same, 2), fifo, 1e-9 * fifo);
		assert_is(classes_of(spare, one, 1), fifo, 1e-9 * fifo);
		assert_true(classes_of(spare, hot_10, 2) > fifo);
		assert_true(classes_of(spare, cold, 2) > fifo);
	}
}

static void trim_makes_spare(void **state)
{
	double spare = 0;

	(void)state;
	assert_int_equal(ssdpm_spare_factor_trim(0.1, 0, &spare, NULL), 0);
	assert_is(spare, 0.1, 1e-15);
	/* A quarter of the requests: two thirds of the addresses are in use. */
	assert_int_equal(ssdpm_spare_factor_trim(0.1, 0.25, &spare, NULL), 0);
	assert_is(spare, 1 - 0.9 * 2 / 3, 1e-15);
	spare = 7;
	assert_int_equal(ssdpm_spare_factor_trim(0.1, 0.5, &spare, NULL),
			 -ERANGE);
	assert_int_equal(ssdpm_spare_factor_trim(0.1, -0.1, &spare, NULL),
			 -ERANGE);
	assert_int_equal(ssdpm_spare_factor_trim(0.1, NAN, &spare, NULL),
			 -ERANGE);
	assert_int_equal(ssdpm_spare_factor_trim(0, 0.1, &spare, NULL),
			 -ERANGE);
	assert_true(spare == 7);
}

static void a_byte_costs_what_is_programmed_and_moved_for_it(void **state)
{
	struct ssdpm_nand nand = { .size = sizeof(nand),
				   .link_pj = 100,
				   .program_pj = 1000,
				   .read_pj = 50,
				   .erase_pj = 20,
				   .program_bytes_per_s = 1e9,
				   .read_bytes_per_s = 4e9 };
	struct ssdpm_write_cost cost = { 7, 7 };

	(void)state;
	assert_int_equal(ssdpm_write_cost_calculate(&nand, 3, &cost, NULL), 0);
	assert_is(cost.byte_pj, 100 + 3 * 1020 + 2 * 50, 1e-9);
	assert_is(cost.bytes_per_s, 1e9 / 3.5, 1e-3);
	nand.program_bytes_per_s = nand.read_bytes_per_s = 0;
	assert_int_equal(ssdpm_write_cost_calculate(&nand, 1, &cost, NULL), 0);
	assert_is(cost.byte_pj, 1120, 1e-9);
	assert_true(isinf(cost.bytes_per_s));
	assert_int_equal(ssdpm_write_cost_calculate(&nand, 0.99, &cost, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_write_cost_calculate(&nand, NAN, &cost, NULL),
			 -EINVAL);
	nand.read_pj = -1;
	assert_int_equal(ssdpm_write_cost_calculate(&nand, 2, &cost, NULL),
			 -EINVAL);
	assert_is(cost.byte_pj, 1120, 1e-9);
}

static void what_no_formula_is_valid_for_is_refused(void **state)
{
	static const double spares[] = { 0, 1, -0.1, 1.5, NAN, INFINITY };
	struct ssdpm_error error;
	double wa = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(spares) / sizeof(spares[0]); i++) {
		for (uint32_t f = SSDPM_WA_RANDOM; f <= SSDPM_WA_AGARWAL; f++)
			assert_int_equal(ssdpm_wa_calculate(f, spares[i], 64,
							    &wa, &error),
					 -ERANGE);
		assert_int_equal(ssdpm_wa_calculate_classes(spares[i], hot_20,
							    2, &wa, &error),
				 -ERANGE);
	}
	assert_int_equal(
		ssdpm_wa_calculate(SSDPM_WA_AGARWAL, 0.51, 0, &wa, &error),
		-ERANGE);
	assert_int_equal(
		ssdpm_wa_calculate(SSDPM_WA_GREEDY, 0.95, 4, &wa, &error),
		-ERANGE);
	assert_int_equal(
		ssdpm_wa_calculate(SSDPM_WA_GREEDY, 0.001, 4, &wa, &error),
		-ERANGE);
	assert_int_equal(
		ssdpm_wa_calculate(SSDPM_WA_GREEDY, 0.1, 1, &wa, &error),
		-ERANGE);
	assert_int_equal(
		ssdpm_wa_calculate(SSDPM_WA_GREEDY, 0.1, 65537, &wa, &error),
		-ERANGE);
	assert_int_equal(ssdpm_wa_calculate(0, 0.1, 64, &wa, &error), -EINVAL);
	assert_int_equal(ssdpm_wa_calculate(5, 0.1, 64, &wa, &error), -EINVAL);
	assert_true(wa == 7);
}

static void shares_that_do_not_come_to_1_are_refused(void **state)
{
	static const struct ssdpm_write_class bad[][2] = {
		{ { 0.2, 0.8 }, { 0.7, 0.2 } },	 { { 0.2, 0.7 }, { 0.8, 0.2 } },
		{ { 1, 1 }, { 0, 0 } },		 { { 1.2, 1 }, { -0.2, 0 } },
		{ { 0.5, 1.5 }, { 0.5, -0.5 } }, { { NAN, 1 }, { 0.5, 0 } },
		{ { 0.5, NAN }, { 0.5, 0.5 } },
	};
	double wa = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(
			ssdpm_wa_calculate_classes(0.1, bad[i], 2, &wa, NULL),
			-EINVAL);
	assert_int_equal(ssdpm_wa_calculate_classes(0.1, hot_20, 0, &wa, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_wa_calculate_classes(0.1, hot_20, 17, &wa, NULL),
			 -EINVAL);
	assert_true(wa == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			formulas_give_the_numbers_that_were_computed_elsewhere),
		cmocka_unit_test(
			fifo_is_the_root_of_its_equation_and_below_1_at_none),
		cmocka_unit_test(
			large_blocks_are_as_fifo_and_small_ones_better),
		cmocka_unit_test(classes_that_are_written_alike_are_one),
		cmocka_unit_test(trim_makes_spare),
		cmocka_unit_test(
			a_byte_costs_what_is_programmed_and_moved_for_it),
		cmocka_unit_test(what_no_formula_is_valid_for_is_refused),
		cmocka_unit_test(shares_that_do_not_come_to_1_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
