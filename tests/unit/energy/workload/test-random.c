/* SPDX-License-Identifier: MIT */
/* Random numbers of generated workloads: integers, against long doubles. */
#include "fixture.h"

#include <math.h>

#include "common/random.h"

/* What the authors' programs print for these states. */
static void the_generator_is_the_published_one(void **state)
{
	static const uint64_t expected[] = {
		11520,
		0,
		1509978240,
		UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360),
		UINT64_C(607988272756665600),
		UINT64_C(16172922978634559625),
		UINT64_C(8476171486693032832),
	};
	struct random random = { { 1, 2, 3, 4 } };

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_int_equal(ssdpm__random_next(&random), expected[i]);
}

static void its_seed_goes_through_splitmix64(void **state)
{
	struct random random;

	(void)state;
	ssdpm__random_seed(&random, 1234567);
	assert_int_equal(random.s[0], UINT64_C(6457827717110365317));
	assert_int_equal(random.s[1], UINT64_C(3203168211198807973));
	assert_int_equal(random.s[2], UINT64_C(9817491932198370423));
	assert_int_equal(random.s[3], UINT64_C(4593380528125082431));
}

static void logarithms_are_right_to_the_last_bit_but_one(void **state)
{
	struct random random;

	(void)state;
	ssdpm__random_seed(&random, 1);
	for (int i = 0; i < 64; i++)
		assert_int_equal(ssdpm__log2(UINT64_C(1) << i),
				 (uint64_t)i << FIXED_BITS);
	for (int i = 0; i < 100000; i++) {
		uint64_t value = ssdpm__random_next(&random) >> (i % 64) | 1;
		long double exact =
			log2l((long double)value) * (1ull << FIXED_BITS);
		long double is = (long double)ssdpm__log2(value);

		assert_true(is <= exact + 1 && is > exact - 2);
	}
}

static void powers_are_right_to_50_bits(void **state)
{
	struct random random;

	(void)state;
	ssdpm__random_seed(&random, 2);
	assert_int_equal(ssdpm__exp2(0), UINT64_C(1) << 62);
	for (int i = 0; i < 100000; i++) {
		uint64_t x = ssdpm__random_next(&random) >> 2;
		long double exact = exp2l((long double)x / (1ull << 62));
		long double is = (long double)ssdpm__exp2(x) / (1ull << 62);

		assert_true(fabsl(is / exact - 1) < 0x1p-50L);
	}
}

/* The uniform number that the next call makes its time of. */
static long double next_uniform(const struct random *random)
{
	struct random copy = *random;
	uint64_t value = ssdpm__random_next(&copy);

	return ((long double)value + 1) * 0x1p-64L;
}

static void exponential_times_are_exact_to_a_billionth(void **state)
{
	static const uint64_t means[] = { 1, 1000, 150000000, 1000000000000,
					  RANDOM_MAX_MEAN_NS };
	struct random random;

	(void)state;
	ssdpm__random_seed(&random, 3);
	for (int i = 0; i < 100000; i++) {
		uint64_t mean_ns = means[i % 5];
		long double mean = (long double)mean_ns;
		long double exact = -logl(next_uniform(&random)) * mean;
		long double is = (long double)ssdpm__random_exponential(
			&random, mean_ns);

		assert_true(fabsl(is - exact) <= 1 + 1e-9L * (exact + mean));
	}
}

static void lomax_times_are_exact_to_a_billionth(void **state)
{
	static const uint32_t shapes[] = { 1001, 1500, 2000, 2500, 1000000 };
	static const uint64_t means[] = { 150000001, 1, RANDOM_MAX_MEAN_NS };
	struct random random;

	(void)state;
	ssdpm__random_seed(&random, 4);
	for (int i = 0; i < 100000; i++) {
		long double a = shapes[i % 5] / 1000.0L,
			    mean = (long double)means[i % 3];
		long double exact = mean * (a - 1) *
				    (powl(next_uniform(&random), -1 / a) - 1);
		long double is = (long double)ssdpm__random_lomax(
			&random, means[i % 3], shapes[i % 5]);

		if (exact > RANDOM_MAX_NS)
			exact = (long double)RANDOM_MAX_NS;
		assert_true(fabsl(is - exact) <= 2 + 1e-9L * (exact + mean));
	}
}

static void the_longest_lomax_times_are_cut_off(void **state)
{
	struct random random;
	uint64_t longest = 0;

	(void)state;
	ssdpm__random_seed(&random, 5);
	for (int i = 0; i < 1000000; i++) {
		uint64_t time =
			ssdpm__random_lomax(&random, RANDOM_MAX_MEAN_NS, 1200);

		longest = time > longest ? time : longest;
	}
	assert_int_equal(longest, RANDOM_MAX_NS);
}

enum { N = 200000 };

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Kolmogorov and Smirnov: the largest distance between what was drawn and the
 * distribution, times sqrt(N), is above 1.95 once in a thousand tries. Seeds
 * are fixed: the test always does the same.
 */
static void assert_uniform(double *values)
{
	double largest = 0;

	qsort(values, N, sizeof(values[0]), compare);
	for (int i = 0; i < N; i++) {
		largest = fmax(largest, fabs((i + 1.0) / N - values[i]));
		largest = fmax(largest, fabs(values[i] - (double)i / N));
	}
	assert_true(largest * sqrt(N) < 1.95);
}

static void what_is_drawn_has_the_distribution(void **state)
{
	static double values[N];
	struct random random;
	double mean = 1e9, scale = mean * 1.5;

	(void)state;
	ssdpm__random_seed(&random, 6);
	for (int i = 0; i < N; i++)
		values[i] = exp(-(double)ssdpm__random_exponential(&random,
								   1000000000) /
				mean);
	assert_uniform(values);
	for (int i = 0; i < N; i++)
		values[i] = pow(1 + (double)ssdpm__random_lomax(
					    &random, 1000000000, 2500) /
						scale,
				-2.5);
	assert_uniform(values);
	for (int i = 0; i < N; i++)
		values[i] = (double)ssdpm__random_below(&random, 1000000007) /
			    1000000007;
	assert_uniform(values);
}

/* Standard errors: mean / sqrt(N), and for a Lomax shape of 4 sqrt(2) times. */
static void what_is_drawn_has_the_mean(void **state)
{
	struct random random;
	double sum = 0, mean = 150000000;

	(void)state;
	ssdpm__random_seed(&random, 7);
	for (int i = 0; i < N; i++)
		sum += (double)ssdpm__random_exponential(&random, 150000000);
	assert_true(fabs(sum / N / mean - 1) < 4 / sqrt(N));
	sum = 0;
	for (int i = 0; i < N; i++)
		sum += (double)ssdpm__random_lomax(&random, 150000000, 4000);
	assert_true(fabs(sum / N / mean - 1) < 4 * sqrt(2) / sqrt(N));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_generator_is_the_published_one),
		cmocka_unit_test(its_seed_goes_through_splitmix64),
		cmocka_unit_test(logarithms_are_right_to_the_last_bit_but_one),
		cmocka_unit_test(powers_are_right_to_50_bits),
		cmocka_unit_test(exponential_times_are_exact_to_a_billionth),
		cmocka_unit_test(lomax_times_are_exact_to_a_billionth),
		cmocka_unit_test(the_longest_lomax_times_are_cut_off),
		cmocka_unit_test(what_is_drawn_has_the_distribution),
		cmocka_unit_test(what_is_drawn_has_the_mean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
