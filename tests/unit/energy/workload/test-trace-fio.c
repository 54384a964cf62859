/* SPDX-License-Identifier: MIT */
/* Traces of fio: iologs of both versions, latency logs, and iologs written. */
#include "fixture.h"

#include <stdio.h>

#define UNKNOWN SSDPM_SERVICE_UNKNOWN
#define V2 "fio version 2 iolog\n"
#define V3 "fio version 3 iolog\n"

enum { MAX_IOS = 64 };

static struct {
	struct ssdpm_io ios[MAX_IOS];
	size_t n;
	struct ssdpm_trace_counts counts;
	struct ssdpm_error error;
} got;

/* step records at a time. */
static int read_with(const char *text, const struct ssdpm_trace_params *params,
		     size_t step)
{
	struct fixture_trace trace;

	memset(&got, 0, sizeof(got));
	int err = fixture_read_before(text, strlen(text), params, step, &trace,
				      &got.error);
	assert_true(trace.n <= MAX_IOS);
	if (trace.n)
		memcpy(got.ios, trace.ios, trace.n * sizeof(got.ios[0]));
	got.n = trace.n;
	got.counts = trace.counts;
	free(trace.ios);
	return err;
}

static void read_good(const char *text)
{
	if (read_with(text, NULL, 7))
		fail_msg("line %u: %s", got.error.line, got.error.message);
}

static void assert_fails(const char *text, int code, uint32_t line,
			 const char *fragment)
{
	assert_int_equal(read_with(text, NULL, 1), code);
	fixture_assert_error(&got.error, code, line, fragment);
}

/* The line number of a text is bad: it fails, or is skipped. */
static void assert_bad_line(const char *text, uint32_t number,
			    const char *fragment)
{
	struct ssdpm_trace_params skip = { .size = sizeof(skip),
					   .flags = SSDPM_TRACE_SKIP_BAD };

	assert_fails(text, -EINVAL, number, fragment);
	assert_int_equal(read_with(text, &skip, 2), 0);
	assert_int_equal(got.counts.n_bad, 1);
}

static void assert_io(size_t i, uint64_t start_ns, uint8_t op, uint64_t offset,
		      uint32_t bytes, uint32_t service_ns)
{
	const struct ssdpm_io expected = { .start_ns = start_ns,
					   .offset = offset,
					   .bytes = bytes,
					   .service_ns = service_ns,
					   .op = op };

	assert_memory_equal(&got.ios[i], &expected, sizeof(expected));
}

static void version_3_has_microseconds(void **state)
{
	(void)state;
	read_good(V3 "27 /dev/x add\n"
		     "142 /dev/x open\n"
		     "146 /dev/x read 61440 4096\n"
		     "873 /dev/x write 397312 8192\n"
		     "303375 /dev/x sync 372736 0\n"
		     "303376 /dev/x datasync 0 0\n"
		     "403829 /dev/x trim 0 65536\n"
		     "403830 /dev/x close\n");
	assert_int_equal(got.n, 5);
	assert_io(0, 146000, SSDPM_OP_READ, 61440, 4096, UNKNOWN);
	assert_io(1, 873000, SSDPM_OP_WRITE, 397312, 8192, UNKNOWN);
	assert_io(2, 303375000, SSDPM_OP_FLUSH, 0, 0, UNKNOWN);
	assert_io(3, 303376000, SSDPM_OP_FLUSH, 0, 0, UNKNOWN);
	assert_io(4, 403829000, SSDPM_OP_DISCARD, 0, 65536, UNKNOWN);
	assert_int_equal(got.counts.format, SSDPM_TRACE_FIO_IOLOG);
	assert_int_equal(got.counts.n_lines, 9);
	assert_int_equal(got.counts.n_ios, 5);
	assert_int_equal(got.counts.resolution_ns, 1000);
}

static void version_2_waits_for_milliseconds_of_the_run(void **state)
{
	(void)state;
	read_good(V2 "/dev/x add\n"
		     "/dev/x open\n"
		     "/dev/x write 0 4096\n"
		     "/dev/x wait 300 0\n"
		     "/dev/x write 4096 4096\n"
		     "/dev/x read 0 512\r\n"
		     "/dev/x wait 900 0\n"
		     "/dev/x read 512 512\n"
		     "/dev/x close\n");
	assert_int_equal(got.n, 4);
	assert_io(0, 0, SSDPM_OP_WRITE, 0, 4096, UNKNOWN);
	assert_io(1, 300000000, SSDPM_OP_WRITE, 4096, 4096, UNKNOWN);
	assert_io(2, 300000000, SSDPM_OP_READ, 0, 512, UNKNOWN);
	assert_io(3, 900000000, SSDPM_OP_READ, 512, 512, UNKNOWN);
}

static void waits_that_are_no_such_times_are_said_to_be_so(void **state)
{
	(void)state;
	assert_fails(V2 "f wait 300 0\nf wait 200 0\n", -EINVAL, 3,
		     "wait: 200 after 300; fio takes them as milliseconds");
	assert_fails(V2 "f wait 18446744073710 0\n", -ERANGE, 2, "2^64 ns");
	assert_fails(V3 "5 f wait 300 0\n", -EINVAL, 2,
		     "no action of an iolog of version 3");
}

static void an_iolog_of_another_version_is_refused(void **state)
{
	(void)state;
	assert_fails("fio version 4 iolog\n", -EINVAL, 1,
		     "an iolog begins with");
	assert_fails("fio version ", -EINVAL, 0, "known format");
}

static void lines_that_are_not_of_an_iolog_are_named(void **state)
{
	static const char *const lines[] = {
		"",
		"5",
		"5 f",
		"x f read 0 1",
		"5x f read 0 1",
		"5 f read",
		"5 f read 0",
		"5 f read 0 1 2",
		"5 f read 0 x",
		"5 f add 0 1",
		"5 f paint",
		"5 f paint 0 1",
		"-5 f read 0 1",
		"5 f read -1 1",
		"5 f READ 0 1",
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(text, sizeof(text), V3 "5 f add\n%s\n7 f read 9 2\n",
			 lines[i]);
		assert_bad_line(text, 3, "iolog of version 3");
		assert_int_equal(got.n, 1);
		assert_io(0, 7000, SSDPM_OP_READ, 9, 2, UNKNOWN);
	}
	assert_fails(V3 "5 f read 0 4294967296\n", -ERANGE, 2,
		     "4294967296 bytes at 0 are no I/O");
	assert_fails(V3 "5 f read 18446744073709551615 1\n", -ERANGE, 2,
		     "1 bytes at 18446744073709551615 are no I/O");
	assert_fails(V3 "18446744073709552 f read 0 1\n", -EINVAL, 2,
		     "no line of an iolog");
	assert_fails(V3 "5 f read 0 1\n300005 f read 0 1\n5 f read 0 1\n",
		     -EINVAL, 4, "time goes backwards by 0.3 s, to where");
}

static void a_long_trim_becomes_several_records(void **state)
{
	(void)state;
	read_good(V3 "5 f trim 4096 8589934592\n6 f read 0 1\n");
	assert_true(got.n >= 4);
	assert_int_equal(got.counts.n_ios, 2);
	assert_int_equal(got.ios[0].offset, 4096);
	assert_int_equal(got.ios[0].flags, 0);
	uint64_t bytes = got.ios[0].bytes;
	for (size_t i = 1; i < got.n - 1; i++) {
		assert_int_equal(got.ios[i].flags, SSDPM_IO_CONTINUED);
		assert_int_equal(got.ios[i].offset, 4096 + bytes);
		bytes += got.ios[i].bytes;
	}
	assert_int_equal(bytes, 8589934592);
}

static void files_are_devices(void **state)
{
	static const char text[] = V3 "1 a read 0 512\n2 b read 512 512\n";
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .device = "b" };

	(void)state;
	assert_fails(text, -EINVAL, 3, "several devices, a and b");
	assert_int_equal(read_with(text, &params, 5), 0);
	assert_int_equal(got.n, 1);
	assert_io(0, 2000, SSDPM_OP_READ, 512, 512, UNKNOWN);
	assert_int_equal(got.counts.n_other_device, 1);
}

static void a_latency_log_is_put_back_in_the_order_of_starts(void **state)
{
	(void)state;
	read_good("0, 292951, 0, 4096, 61440, 0\n"
		  "7, 2000000, 1, 8192, 774144, 0\n"
		  "9, 500000, 2, 65536, 0, 0x4002\n"
		  "10, 9000000, 0, 512, 880640, 1\n");
	assert_int_equal(got.n, 4);
	/* before the log began */
	assert_io(0, 0, SSDPM_OP_READ, 61440, 4096, 292951);
	assert_io(1, 1000000, SSDPM_OP_READ, 880640, 512, 9000000);
	assert_io(2, 5000000, SSDPM_OP_WRITE, 774144, 8192, 2000000);
	assert_io(3, 8500000, SSDPM_OP_DISCARD, 0, 65536, 500000);
	assert_int_equal(got.counts.format, SSDPM_TRACE_FIO_LATENCY_LOG);
	assert_int_equal(got.counts.n_lines, 4);
	assert_int_equal(got.counts.resolution_ns, 1000000);
}

static void the_clock_of_a_latency_log_ticks_milliseconds(void **state)
{
	(void)state;
	read_good("5, 1234567, 0, 4096, 0, 0\n");
	assert_io(0, 3765433, SSDPM_OP_READ, 0, 4096, 1234567);
	assert_int_equal(got.counts.resolution_ns, 1000000);
	/* The unix epoch fits. */
	read_good("1795284019589, 36354, 1, 4096, 0\n");
	assert_int_equal(got.ios[0].start_ns, 1795284019589000000 - 36354);
}

static void columns_of_older_logs_are_told_apart(void **state)
{
	(void)state;
	read_good("1, 10, 0, 4096\n2, 10, 0, 4096\n");
	assert_io(1, 1999990, SSDPM_OP_READ, 0, 4096, 10);
	/* A priority, and an offset. */
	read_good("1, 10, 0, 4096, 1\n2, 10, 0, 4096, 8192\n");
	assert_int_equal(got.ios[0].offset, 0);
	assert_int_equal(got.ios[1].offset, 8192);
	read_good("1, 10, 0, 4096, 1, 0, 77\n");
	assert_int_equal(got.ios[0].offset, 1);
}

static void an_averaged_log_has_no_ios(void **state)
{
	struct ssdpm_trace_params skip = { .size = sizeof(skip),
					   .flags = SSDPM_TRACE_SKIP_BAD };
	static const char text[] = "100, 8786, 1, 0, 0, 0\n";

	(void)state;
	assert_fails(text, -EINVAL, 1, "averages and no single I/Os");
	/* That is no line to skip. */
	assert_int_equal(read_with(text, &skip, 1), -EINVAL);
}

static void lines_that_are_not_of_a_latency_log_are_named(void **state)
{
	static const char *const lines[] = {
		"",
		"5",
		"5, 5, 0",
		"5, 5, 0, x",
		"5 5 0 512",
		"5, 5, 0, 512,",
		"5, 5, 0, 512, 0, 0, 0, 0",
		"5, -5, 0, 512",
		"5, 5, 3, 512",
		"5, 5, 0, 512 0",
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(text, sizeof(text), "1, 1, 0, 1\n%s\n9, 1, 0, 2\n",
			 lines[i]);
		assert_bad_line(text, 2, "");
		assert_int_equal(got.n, 2);
	}
	assert_fails("18446744073710, 5, 0, 512\n", -ERANGE, 1, "2^64 ns");
	assert_fails("1, 5, 0, 4294967296\n", -ERANGE, 1, "no I/O");
	assert_fails("1, 5, 0, 512, 18446744073709551615\n", -ERANGE, 1,
		     "no I/O");
}

static void a_latency_beyond_its_member_saturates(void **state)
{
	(void)state;
	read_good("9000, 5000000000, 0, 512\n");
	assert_io(0, 4000000000, SSDPM_OP_READ, 0, 512, SSDPM_SERVICE_MAX);
	assert_int_equal(got.counts.n_saturated, 1);
}

static const char *written(const struct ssdpm_io *io, uint64_t origin_ns)
{
	static char line[SSDPM_FIO_IOLOG_LINE];

	assert_int_equal(
		ssdpm_io_to_fio_iolog(io, origin_ns, "/dev/x", line, NULL), 0);
	return line;
}

static void a_written_log_begins_with_time_1(void **state)
{
	struct ssdpm_io io = { .start_ns = 5000,
			       .offset = 4096,
			       .bytes = 512,
			       .op = SSDPM_OP_READ };

	(void)state;
	assert_string_equal(written(&io, 5000), "1 /dev/x read 4096 512\n");
	io.op = SSDPM_OP_WRITE;
	io.start_ns = 6999;
	assert_string_equal(written(&io, 5000), "2 /dev/x write 4096 512\n");
	io.op = SSDPM_OP_FLUSH;
	io.offset = io.bytes = 0;
	assert_string_equal(written(&io, 4999), "3 /dev/x sync 0 0\n");
	io = (struct ssdpm_io){ .start_ns = UINT64_MAX,
				.offset = UINT64_MAX,
				.bytes = UINT32_MAX,
				.op = SSDPM_OP_DISCARD };
	assert_string_equal(written(&io, 0),
			    "18446744073709552 /dev/x trim "
			    "18446744073709551615 4294967295\n");
}

static void what_cannot_be_written_is_refused(void **state)
{
	char longest[65], line[SSDPM_FIO_IOLOG_LINE] = "x";
	struct ssdpm_io io = { .start_ns = 5, .op = SSDPM_OP_READ };
	struct ssdpm_error error;
	const char *const bad[] = { "", "a b", "a\n", "a\t", longest };

	(void)state;
	memset(longest, 'a', 64);
	longest[64] = '\0';
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		error = fixture_error();
		assert_int_equal(
			ssdpm_io_to_fio_iolog(&io, 0, bad[i], line, &error),
			-EINVAL);
		fixture_assert_error(&error, -EINVAL, 0, "file: the name");
	}
	assert_int_equal(ssdpm_io_to_fio_iolog(&io, 6, "a", line, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "before origin_ns");
	io.op = 5;
	assert_int_equal(ssdpm_io_to_fio_iolog(&io, 0, "a", line, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "unknown operation 5");
	assert_string_equal(line, "x");
	io.op = SSDPM_OP_READ;
	longest[63] = '\0';
	assert_int_equal(ssdpm_io_to_fio_iolog(&io, 0, longest, line, NULL), 0);
}

static void what_was_written_is_read_again(void **state)
{
	struct ssdpm_generator_params p;
	static struct ssdpm_io ios[MAX_IOS];
	static char text[MAX_IOS * SSDPM_FIO_IOLOG_LINE];
	struct ssdpm_trace *trace;
	size_t n, length;

	(void)state;
	for (size_t w = 0; ssdpm_generator_get_name(w); w++) {
		assert_int_equal(ssdpm_generator_params_init(&p, sizeof(p)), 0);
		p.name = ssdpm_generator_get_name(w);
		assert_int_equal(ssdpm_trace_generate(&p, &trace, NULL), 0);
		assert_int_equal(ssdpm_trace_read(trace, ios, 50, &n, NULL), 0);
		ssdpm_trace_free(trace);
		length = (size_t)sprintf(text, V3 "0 f add\n0 f open\n");
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(ssdpm_io_to_fio_iolog(&ios[i], 0, "f",
							       text + length,
							       NULL),
					 0);
			length += strlen(text + length);
		}
		read_good(text);
		assert_int_equal(got.n, n);
		for (size_t i = 0; i < n; i++)
			assert_io(i, ios[i].start_ns / 1000 * 1000 + 1000,
				  ios[i].op, ios[i].offset, ios[i].bytes,
				  UNKNOWN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_3_has_microseconds),
		cmocka_unit_test(version_2_waits_for_milliseconds_of_the_run),
		cmocka_unit_test(
			waits_that_are_no_such_times_are_said_to_be_so),
		cmocka_unit_test(an_iolog_of_another_version_is_refused),
		cmocka_unit_test(lines_that_are_not_of_an_iolog_are_named),
		cmocka_unit_test(a_long_trim_becomes_several_records),
		cmocka_unit_test(files_are_devices),
		cmocka_unit_test(
			a_latency_log_is_put_back_in_the_order_of_starts),
		cmocka_unit_test(the_clock_of_a_latency_log_ticks_milliseconds),
		cmocka_unit_test(columns_of_older_logs_are_told_apart),
		cmocka_unit_test(an_averaged_log_has_no_ios),
		cmocka_unit_test(lines_that_are_not_of_a_latency_log_are_named),
		cmocka_unit_test(a_latency_beyond_its_member_saturates),
		cmocka_unit_test(a_written_log_begins_with_time_1),
		cmocka_unit_test(what_cannot_be_written_is_refused),
		cmocka_unit_test(what_was_written_is_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
