/* SPDX-License-Identifier: MIT */
#include "fixture.h"
#include "common/elementary.h"
#include "common/histogram.h"
#include "common/random.h"

#include <float.h>
#include <math.h>

/* Our own exponential, logarithm and error function against those of libm. */

static double between(uint64_t *seed, double low, double high)
{
	return low + (high - low) * (double)(fixture_random(seed) >> 11) /
			     9007199254740992.0;
}

static void assert_like(double is, double must_be, double tolerance)
{
	if (!(fabs(is - must_be) <= tolerance * fabs(must_be)))
		fail_msg("%.17g is not %.17g", is, must_be);
}

static void each_is_what_libm_says(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		double x = between(&seed, -700, 700);

		assert_like(ssdpm__exp(x), exp(x), 1e-15);
		x = between(&seed, -2, 2);
		assert_like(ssdpm__exp(x), exp(x), 1e-15);
		x = exp(between(&seed, -740, 700));
		assert_like(ssdpm__ln(x), log(x), 1e-15);
		x = between(&seed, 0.5, 2);
		assert_like(ssdpm__ln(x), log(x), 1e-15);
		x = between(&seed, -6, 0.5);
		assert_like(ssdpm__erfc(x), erfc(x), 2e-15);
		/* 1 - erf, a thirteenth at 1.25, loses a digit. */
		x = between(&seed, 0.5, 1.5);
		assert_like(ssdpm__erfc(x), erfc(x), 1e-14);
		x = between(&seed, 1.25, 26);
		assert_like(ssdpm__erfc(x), erfc(x), 1e-14);
		x = exp(between(&seed, -20, 20));
		double y = between(&seed, -5, 5);
		assert_like(ssdpm__pow(x, y), pow(x, y), 1e-13);
	}
}

static void whole_and_next_numbers_are_those_of_libm(void **state)
{
	static const double values[] = { 0,	 -0.0,	  0.5,	    -0.5,
					 1,	 -1,	  2.5,	    1e15 + 0.5,
					 1e300,	 -1e300,  DBL_MIN,  DBL_MAX,
					 4e-324, -4e-324, INFINITY, -INFINITY };
	uint64_t seed = 2;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		double x = i < 16 ? values[i] : between(&seed, -1e9, 1e9);

		assert_true(ssdpm__floor(x) == floor(x));
		assert_true(ssdpm__ceil(x) == ceil(x));
		assert_true(ssdpm__next_up(x) == nextafter(x, INFINITY));
		assert_true(ssdpm__max(x, 1) == fmax(x, 1));
		assert_true(ssdpm__min(x, 1) == fmin(x, 1));
	}
	assert_true(ssdpm__max(NAN, 1) == 1 && ssdpm__max(1, NAN) == 1);
	assert_true(ssdpm__min(NAN, 1) == 1 && ssdpm__min(1, NAN) == 1);
	assert_true(isnan(ssdpm__floor(NAN)) && isnan(ssdpm__next_up(NAN)));
}

static void ends_are_those_of_libm(void **state)
{
	(void)state;
	assert_true(ssdpm__exp(0) == 1);
	assert_true(ssdpm__exp(INFINITY) == INFINITY);
	assert_true(ssdpm__exp(-INFINITY) == 0);
	assert_true(ssdpm__exp(710) == INFINITY);
	assert_true(isnan(ssdpm__exp(NAN)));
	assert_true(ssdpm__ln(1) == 0);
	assert_true(ssdpm__ln(0) == -INFINITY);
	assert_true(ssdpm__ln(INFINITY) == INFINITY);
	assert_true(isnan(ssdpm__ln(-1)) && isnan(ssdpm__ln(NAN)));
	assert_like(ssdpm__ln(4e-320), log(4e-320), 1e-15);
	assert_true(ssdpm__erfc(0) == 1);
	assert_true(ssdpm__erfc(INFINITY) == 0);
	assert_true(ssdpm__erfc(-INFINITY) == 2);
	assert_true(isnan(ssdpm__erfc(NAN)));
}

/* The histogram of times that quantiles come from. */

static struct histogram histogram;

static int clear(void **state)
{
	(void)state;
	memset(&histogram, 0, sizeof(histogram));
	return 0;
}

static void assert_bucket_holds(uint64_t value, uint32_t bits)
{
	uint32_t bucket = ssdpm__log_bucket(value, bits);
	uint64_t start = ssdpm__log_bucket_start(bucket, bits);

	assert_true(start <= value);
	assert_true(value - start <= start >> bits);
	/* value itself is the start, or its predecessor is in the bucket too */
	if (value)
		assert_int_equal(ssdpm__log_bucket(value - 1, bits),
				 bucket - (value == start));
}

static void buckets_touch_and_are_as_fine_as_promised(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (uint32_t bits = 2; bits <= HISTOGRAM_BITS; bits++) {
		for (uint64_t value = 0; value < 5000; value++)
			assert_bucket_holds(value, bits);
		for (int power = 1; power < 64; power++) {
			assert_bucket_holds((1ull << power) - 1, bits);
			assert_bucket_holds(1ull << power, bits);
		}
		for (int i = 0; i < 10000; i++)
			assert_bucket_holds(fixture_random(&seed) >> (i % 64),
					    bits);
		assert_bucket_holds(UINT64_MAX, bits);
	}
	assert_int_equal(ssdpm__log_bucket(UINT64_MAX, HISTOGRAM_BITS),
			 HISTOGRAM_BUCKETS - 1);
	assert_int_equal(ssdpm__log_bucket(0, HISTOGRAM_BITS), 0);
}

static void an_empty_histogram_has_no_quantile(void **state)
{
	(void)state;
	assert_int_equal(ssdpm__histogram_quantile(&histogram, 1, 2), 0);
}

static void a_bucket_with_one_value_is_exact(void **state)
{
	(void)state;
	ssdpm__histogram_add(&histogram, 0, 98);
	ssdpm__histogram_add(&histogram, 123456789, 1);
	ssdpm__histogram_add(&histogram, 987654321012, 1);
	/* ranks 50, 98, 99, 100 */
	assert_int_equal(ssdpm__histogram_quantile(&histogram, 1, 2), 0);
	assert_int_equal(ssdpm__histogram_quantile(&histogram, 98, 100), 0);
	assert_int_equal(ssdpm__histogram_quantile(&histogram, 99, 100),
			 123456789);
	assert_int_equal(ssdpm__histogram_quantile(&histogram, 991, 1000),
			 987654321012);
	assert_int_equal(ssdpm__histogram_quantile(&histogram, 1, 1),
			 987654321012);
	assert_int_equal(ssdpm__histogram_quantile(&histogram, 0, 1), 0);
}

static void counts_near_2_to_the_64_do_not_overflow(void **state)
{
	(void)state;
	ssdpm__histogram_add(&histogram, 5, UINT64_MAX - 1);
	ssdpm__histogram_add(&histogram, 6, 1);
	assert_int_equal(ssdpm__histogram_quantile(&histogram, 999, 1000), 5);
	assert_int_equal(ssdpm__histogram_quantile(&histogram, 1, 1), 6);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void quantiles_are_at_most_a_128th_above_the_true_ones(void **state)
{
	enum { N = 3001 };
	static uint64_t values[N];
	uint64_t seed = 0x5eed;
	unsigned long inexact = 0;

	(void)state;
	for (int i = 0; i < N; i++) {
		values[i] = fixture_random(&seed) >> (40 + i % 24);
		ssdpm__histogram_add(&histogram, values[i], 1);
	}
	qsort(values, N, sizeof(values[0]), compare);
	for (uint32_t p = 1; p <= 1000; p++) {
		uint64_t rank = ((uint64_t)N * p + 999) / 1000;
		uint64_t is = ssdpm__histogram_quantile(&histogram, p, 1000);
		uint64_t true_one = values[rank - 1];

		assert_true(is >= true_one && is - true_one <= true_one / 128);
		inexact += is != true_one;
	}
	assert_true(inexact > 10);
}

static void coarse_buckets_are_made_of_whole_fine_ones(void **state)
{
	uint64_t direct[256] = { 0 }, counts[256];
	uint64_t seed = 99;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint64_t value = fixture_random(&seed) >> (i % 64);

		ssdpm__histogram_add(&histogram, value, 1 + i % 3);
		direct[ssdpm__log_bucket(value, 2)] += 1 + i % 3;
	}
	ssdpm__histogram_coarse(&histogram, 2, counts, 256);
	assert_memory_equal(counts, direct, sizeof(direct));
}

/* Random numbers of generated workloads: integers, against long doubles. */

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

static int compare_doubles(const void *a, const void *b)
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

	qsort(values, N, sizeof(values[0]), compare_doubles);
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
		cmocka_unit_test(each_is_what_libm_says),
		cmocka_unit_test(whole_and_next_numbers_are_those_of_libm),
		cmocka_unit_test(ends_are_those_of_libm),
		cmocka_unit_test(buckets_touch_and_are_as_fine_as_promised),
		cmocka_unit_test_setup(an_empty_histogram_has_no_quantile,
				       clear),
		cmocka_unit_test_setup(a_bucket_with_one_value_is_exact, clear),
		cmocka_unit_test_setup(counts_near_2_to_the_64_do_not_overflow,
				       clear),
		cmocka_unit_test_setup(
			quantiles_are_at_most_a_128th_above_the_true_ones,
			clear),
		cmocka_unit_test_setup(
			coarse_buckets_are_made_of_whole_fine_ones, clear),
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
