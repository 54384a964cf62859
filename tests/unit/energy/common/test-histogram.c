/* SPDX-License-Identifier: MIT */
/* The histogram of times that quantiles come from. */
#include "fixture.h"

#include "common/histogram.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
