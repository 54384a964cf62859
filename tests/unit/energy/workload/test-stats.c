/* SPDX-License-Identifier: MIT */
/* The numbers of a trace, compared with a slow count. */
#include "fixture.h"

static struct ssdpm_trace_stats stats_of(const struct ssdpm_io *ios, size_t n,
					 const struct ssdpm_service *service,
					 size_t piece)
{
	struct ssdpm_trace_stats numbers = { .size = sizeof(numbers) };
	struct ssdpm_stats *stats;

	assert_int_equal(ssdpm_stats_new(service, &stats, NULL), 0);
	for (size_t i = 0; i < n; i += piece)
		assert_int_equal(ssdpm_stats_feed(stats, ios + i,
						  n - i < piece ? n - i : piece,
						  NULL),
				 0);
	assert_int_equal(ssdpm_stats_get(stats, &numbers, NULL), 0);
	assert_null(ssdpm_stats_free(stats));
	return numbers;
}

static void buckets_of_the_public_histogram_are_four_to_a_power(void **state)
{
	static const uint64_t starts[] = { 0,  1,  2,  3,  4,  5,  6,  7, 8,
					   10, 12, 14, 16, 20, 24, 28, 32 };

	(void)state;
	for (uint32_t i = 0; i < 17; i++) {
		assert_int_equal(ssdpm_histogram_start_ns(i), starts[i]);
		assert_int_equal(ssdpm_histogram_bucket(starts[i]), i);
		if (i)
			assert_int_equal(ssdpm_histogram_bucket(starts[i] - 1),
					 i - 1);
	}
	assert_int_equal(ssdpm_histogram_bucket(UINT64_MAX), 251);
	assert_int_equal(ssdpm_histogram_start_ns(251), UINT64_C(7) << 61);
	assert_int_equal(ssdpm_histogram_start_ns(252), UINT64_MAX);
	assert_int_equal(ssdpm_histogram_start_ns(UINT32_MAX), UINT64_MAX);
}

static void a_small_trace_is_counted_by_hand(void **state)
{
	static const struct ssdpm_io ios[] = {
		{ 1000, 4096, 4096, 100, SSDPM_OP_WRITE, 0, { 0 } },
		/* in order, while the first is outstanding */
		{ 1050, 8192, 512, 10, SSDPM_OP_WRITE, 0, { 0 } },
		/* starts as the period ends: no gap */
		{ 1100, 0, 0, 400, SSDPM_OP_FLUSH, 0, { 0 } },
		/* 500 later; in order but for the flush */
		{ 2000,
		  8704,
		  4096,
		  SSDPM_SERVICE_UNKNOWN,
		  SSDPM_OP_READ,
		  0,
		  { 0 } },
		/* 3 later */
		{ 2003, 0, UINT32_MAX, 7, SSDPM_OP_DISCARD, 0, { 0 } },
		{ 2003,
		  UINT32_MAX,
		  4096,
		  7,
		  SSDPM_OP_DISCARD,
		  SSDPM_IO_CONTINUED,
		  { 0 } },
		/* after the continued part */
		{ 2010,
		  UINT32_MAX + UINT64_C(4096),
		  1,
		  5,
		  SSDPM_OP_READ,
		  0,
		  { 0 } },
	};
	struct ssdpm_trace_stats s = stats_of(ios, 7, NULL, 7);
	static const uint64_t n_ios[] = { 2, 2, 1, 1 };
	static const uint64_t bytes[] = { 4097, 4608, 0,
					  UINT32_MAX + UINT64_C(4096) };

	(void)state;
	assert_memory_equal(s.n_ios, n_ios, sizeof(n_ios));
	assert_memory_equal(s.bytes, bytes, sizeof(bytes));
	assert_int_equal(s.n_unknown_service, 1);
	assert_int_equal(s.n_sequential, 3);
	assert_int_equal(s.start_ns, 1000);
	assert_int_equal(s.duration_ns, 1015);
	assert_int_equal(s.idle_ns, 503);
	assert_int_equal(s.busy_ns, 512);
	assert_int_equal(s.n_gaps, 2);
	assert_int_equal(s.gap_p50_ns, 3);
	assert_int_equal(s.gap_p90_ns, 500);
	assert_int_equal(s.gap_p99_ns, 500);
	assert_int_equal(s.gap_max_ns, 500);
	assert_int_equal(s.gaps[3], 1);
	assert_int_equal(s.gaps[ssdpm_histogram_bucket(500)], 1);
	assert_int_equal(s.gaps_ns[ssdpm_histogram_bucket(500)], 500);
}

/* 1000 ns, then 4096 bytes at 4.096 GB/s: 1000 ns more, one after the other. */
static void an_unknown_service_is_that_of_the_caller(void **state)
{
	static const struct ssdpm_io ios[] = {
		{ 0, 0, 4096, SSDPM_SERVICE_UNKNOWN, SSDPM_OP_READ, 0, { 0 } },
		{ 0, 0, 4096, SSDPM_SERVICE_UNKNOWN, SSDPM_OP_READ, 0, { 0 } },
		{ 3500,
		  0,
		  4096,
		  SSDPM_SERVICE_UNKNOWN,
		  SSDPM_OP_READ,
		  0,
		  { 0 } },
	};
	const struct ssdpm_service service = {
		.base_ns = { 1000 }, .bytes_per_second = { 4096000000 }
	};
	struct ssdpm_trace_stats s = stats_of(ios, 3, &service, 3);

	(void)state;
	assert_int_equal(s.busy_ns, 5000);
	assert_int_equal(s.idle_ns, 500);
	s = stats_of(ios, 3, NULL, 3);
	assert_int_equal(s.busy_ns, 0);
	assert_int_equal(s.idle_ns, 3500);
}

static void nothing_and_one_io_are_traces_too(void **state)
{
	static const struct ssdpm_io io = {
		5, 0, 1, 7, SSDPM_OP_READ, 0, { 0 }
	};
	struct ssdpm_trace_stats s = stats_of(NULL, 0, NULL, 1);
	static const struct ssdpm_trace_stats none = { .size = sizeof(none) };

	(void)state;
	assert_memory_equal(&s, &none, sizeof(s));
	s = stats_of(&io, 1, NULL, 1);
	assert_int_equal(s.n_gaps, 0);
	assert_int_equal(s.duration_ns, 7);
	assert_int_equal(s.busy_ns, 7);
}

enum { N = 2000 };

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The gaps of a trace whose services are known, sorted. */
static size_t slow_gaps(const struct ssdpm_io *ios, size_t n, uint64_t *gaps)
{
	uint64_t until = ios[0].start_ns;
	size_t n_gaps = 0;

	for (size_t i = 0; i < n; i++) {
		if (ios[i].start_ns > until)
			gaps[n_gaps++] = ios[i].start_ns - until;
		if (until < ios[i].start_ns + ios[i].service_ns)
			until = ios[i].start_ns + ios[i].service_ns;
	}
	qsort(gaps, n_gaps, sizeof(gaps[0]), compare);
	return n_gaps;
}

static void assert_near(uint64_t is, const uint64_t *gaps, size_t n,
			unsigned int percent)
{
	uint64_t exact = gaps[(n * percent + 99) / 100 - 1];

	assert_true(is >= exact && is - exact <= exact / 128);
}

static void pieces_and_the_slow_way_give_the_same(void **state)
{
	static struct ssdpm_io ios[N];
	static uint64_t gaps[N];
	uint64_t seed = 5, time = 0, idle, longer, from;

	(void)state;
	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < N; i++) {
			time += fixture_random(&seed) >> (30 + i % 34);
			ios[i] = (struct ssdpm_io){
				.start_ns = time,
				.bytes = 512,
				.service_ns =
					(uint32_t)(fixture_random(&seed) >>
						   (40 + i % 20)),
				.op = SSDPM_OP_READ
			};
		}
		struct ssdpm_trace_stats s = stats_of(ios, N, NULL, N);
		struct ssdpm_trace_stats t =
			stats_of(ios, N, NULL, 1 + (size_t)round);
		assert_memory_equal(&s, &t, sizeof(s));
		size_t n = slow_gaps(ios, N, gaps);
		assert_int_equal(s.n_gaps, n);
		assert_int_equal(s.gap_max_ns, gaps[n - 1]);
		assert_near(s.gap_p50_ns, gaps, n, 50);
		assert_near(s.gap_p90_ns, gaps, n, 90);
		assert_near(s.gap_p99_ns, gaps, n, 99);
		from = ssdpm_histogram_start_ns(100);
		idle = longer = 0;
		for (size_t i = 0; i < n; i++) {
			idle += gaps[i];
			longer += gaps[i] >= from ? gaps[i] : 0;
		}
		assert_int_equal(s.idle_ns, idle);
		for (int i = 100; i < SSDPM_HISTOGRAM_BUCKETS; i++)
			longer -= s.gaps_ns[i];
		assert_int_equal(longer, 0);
	}
}

static void an_idle_time_as_long_as_a_limit_is_not_longer(void **state)
{
	const uint32_t second = 2;
	const uint64_t limit_ns = ssdpm_stats_get_limit_ns(second);
	const struct ssdpm_io ios[] = {
		{ 0, 0, 512, 10, SSDPM_OP_READ, 0, { 0 } },
		{ 10 + limit_ns, 0, 512, 10, SSDPM_OP_READ, 0, { 0 } },
		{ 21 + 2 * limit_ns, 0, 512, 10, SSDPM_OP_READ, 0, { 0 } },
	};
	struct ssdpm_trace_stats s = stats_of(ios, 3, NULL, 1);
	uint32_t n = 0;

	(void)state;
	assert_int_equal(s.n_longer[second], 1);
	assert_int_equal(s.longer_ns[second], limit_ns + 1);
	assert_int_equal(s.n_longer[0], 2);
	assert_int_equal(s.longer_ns[0], 2 * limit_ns + 1);
	assert_int_equal(s.n_longer[second + 1], 0);
	while (ssdpm_stats_get_limit_ns(n)) {
		assert_true(!n || ssdpm_stats_get_limit_ns(n) >
					  ssdpm_stats_get_limit_ns(n - 1));
		n++;
	}
	assert_true(n <= SSDPM_MAX_LIMITS);
}

static void a_report_without_its_parts_is_refused(void **state)
{
	const struct ssdpm_trace_counts counts = { 0 };
	const struct ssdpm_trace_stats stats = { .size = sizeof(stats) };
	const struct ssdpm_workload_report whole = { .size = sizeof(whole),
						     .name = "x",
						     .counts = &counts,
						     .stats = &stats };
	struct ssdpm_workload_report r[] = { whole, whole, whole };
	struct ssdpm_error error;
	char *text = NULL;

	(void)state;
	r[0].name = NULL;
	r[1].counts = NULL;
	r[2].stats = NULL;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(
			ssdpm_workload_report_to_json(&r[i], &text, &error),
			-EINVAL);
		assert_non_null(strstr(error.message, " is missing"));
	}
	assert_int_equal(ssdpm_generator_to_json(1000, &text, &error), -ENOENT);
	assert_null(text);
	assert_int_equal(ssdpm_workload_report_to_json(&whole, &text, &error),
			 0);
	assert_non_null(strstr(text, "\n  \"n_ios\": [0, 0, 0, 0],\n"));
	free(text);
}

static void assert_bad(const struct ssdpm_io *ios, size_t n, int code,
		       const char *fragment)
{
	struct ssdpm_trace_stats numbers = { .size = sizeof(numbers) };
	struct ssdpm_error error = fixture_error();
	struct ssdpm_stats *stats;

	assert_int_equal(ssdpm_stats_new(NULL, &stats, NULL), 0);
	assert_int_equal(ssdpm_stats_feed(stats, ios, n, &error), code);
	fixture_assert_error(&error, code, 0, fragment);
	assert_int_equal(ssdpm_stats_get(stats, &numbers, NULL), 0);
	assert_int_equal(numbers.n_ios[0], n - 1);
	ssdpm_stats_free(stats);
}

static void bad_records_are_named_by_their_index(void **state)
{
	struct ssdpm_io ios[] = {
		{ 10, 0, 1, 1, SSDPM_OP_READ, 0, { 0 } },
		{ 9, 0, 1, 1, SSDPM_OP_READ, 0, { 0 } },
	};

	(void)state;
	assert_bad(ios, 2, -EINVAL, "record 1 starts before");
	ios[1].start_ns = 10;
	ios[1].op = 0;
	assert_bad(ios, 2, -EINVAL, "record 1: unknown operation 0");
	ios[1].op = 5;
	assert_bad(ios, 2, -EINVAL, "record 1: unknown operation 5");
	ios[1].op = SSDPM_OP_READ;
	ios[1].start_ns = UINT64_MAX;
	assert_bad(ios, 2, -ERANGE, "record 1: more than 2^63 ns after the");
}

/* MSR Cambridge: Windows counts from 1601. */
static void a_clock_may_begin_anywhere(void **state)
{
	static const struct ssdpm_io ios[] = {
		{ 12816637200306162900u, 0, 1, 1, SSDPM_OP_READ, 0, { 0 } },
		{ 12816637201306162900u, 0, 1, 1, SSDPM_OP_READ, 0, { 0 } },
	};
	struct ssdpm_trace_stats numbers = { .size = sizeof(numbers) };
	struct ssdpm_stats *stats;

	(void)state;
	assert_int_equal(ssdpm_stats_new(NULL, &stats, NULL), 0);
	assert_int_equal(ssdpm_stats_feed(stats, ios, 2, NULL), 0);
	assert_int_equal(ssdpm_stats_get(stats, &numbers, NULL), 0);
	assert_true(numbers.start_ns == ios[0].start_ns);
	assert_int_equal(numbers.duration_ns, 1000000001);
	assert_int_equal(numbers.gap_max_ns, 999999999);
	ssdpm_stats_free(stats);
}

/* One byte per second: 2^32 s each. */
static void transfers_that_queue_for_ever_do_not_wrap(void **state)
{
	static const struct ssdpm_io io = {
		0, 0, UINT32_MAX, SSDPM_SERVICE_UNKNOWN, SSDPM_OP_READ, 0, { 0 }
	};
	struct ssdpm_service service = { .bytes_per_second = { 1 } };
	struct ssdpm_stats *stats = UNTOUCHED;
	int r = 0, n;

	(void)state;
	assert_int_equal(ssdpm_stats_new(&service, &stats, NULL), 0);
	for (n = 0; n < 10 && r == 0; n++)
		r = ssdpm_stats_feed(stats, &io, 1, NULL);
	assert_int_equal(r, -ERANGE);
	assert_int_equal(n, 4);
	ssdpm_stats_free(stats);
	service.base_ns[3] = UINT64_MAX;
	stats = UNTOUCHED;
	assert_int_equal(ssdpm_stats_new(&service, &stats, NULL), -ERANGE);
	assert_ptr_equal(stats, UNTOUCHED);
}

static void the_result_has_a_size(void **state)
{
	struct ssdpm_trace_stats s = { .size = 0 };
	struct ssdpm_stats *stats;

	(void)state;
	assert_int_equal(ssdpm_stats_new(NULL, &stats, NULL), 0);
	assert_int_equal(ssdpm_stats_get(stats, &s, NULL), -EINVAL);
	memset(&s, 0x5a, sizeof(s));
	s.size = offsetof(struct ssdpm_trace_stats, n_gaps);
	assert_int_equal(ssdpm_stats_get(stats, &s, NULL), 0);
	assert_int_equal(s.idle_ns, 0);
	assert_int_equal(s.n_gaps, UINT64_C(0x5a5a5a5a5a5a5a5a));
	ssdpm_stats_free(stats);
	assert_null(ssdpm_stats_free(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_time_as_long_as_a_limit_is_not_longer),
		cmocka_unit_test(a_report_without_its_parts_is_refused),
		cmocka_unit_test(
			buckets_of_the_public_histogram_are_four_to_a_power),
		cmocka_unit_test(a_small_trace_is_counted_by_hand),
		cmocka_unit_test(an_unknown_service_is_that_of_the_caller),
		cmocka_unit_test(nothing_and_one_io_are_traces_too),
		cmocka_unit_test(pieces_and_the_slow_way_give_the_same),
		cmocka_unit_test(bad_records_are_named_by_their_index),
		cmocka_unit_test(a_clock_may_begin_anywhere),
		cmocka_unit_test(transfers_that_queue_for_ever_do_not_wrap),
		cmocka_unit_test(the_result_has_a_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
