/* SPDX-License-Identifier: MIT */
/*
 * What other tools write: text of ftrace, trace-cmd and perf script, CSV of
 * Process Monitor, and binary records of vscsiStats and libCacheSim. Lines have
 * the shape of those that people have published; records are written here as
 * the structures of libCacheSim have them.
 */
#include "fixture.h"

#include <stdio.h>

static struct {
	struct fixture_trace trace;
	struct ssdpm_error error;
} got;

static int end(void **state)
{
	(void)state;
	free(got.trace.ios);
	got.trace.ios = NULL;
	return 0;
}

static int read_as(const void *data, size_t size,
		   const struct ssdpm_trace_params *params)
{
	end(NULL);
	got.error = fixture_error();
	return fixture_read_before(data, size, params, 2, &got.trace,
				   &got.error);
}

static void read_good(const char *text, uint32_t format)
{
	if (read_as(text, strlen(text), NULL))
		fail_msg("line %u: %s", got.error.line, got.error.message);
	assert_int_equal(got.trace.counts.format, format);
	assert_int_equal(got.trace.counts.n_bad, 0);
}

static void assert_fails(const char *text, int code, uint32_t line,
			 const char *fragment)
{
	assert_int_equal(read_as(text, strlen(text), NULL), code);
	fixture_assert_error(&got.error, code, line, fragment);
}

static void assert_io(size_t i, uint64_t start_ns, uint64_t offset,
		      uint32_t bytes, uint32_t service_ns, uint8_t op)
{
	const struct ssdpm_io *io = &got.trace.ios[i];

	assert_true(i < got.trace.n);
	assert_int_equal(io->start_ns, start_ns);
	assert_int_equal(io->offset, offset);
	assert_int_equal(io->bytes, bytes);
	assert_int_equal(io->service_ns, service_ns);
	assert_int_equal(io->op, op);
}

#define UNKNOWN SSDPM_SERVICE_UNKNOWN

/* A head, other events, a name with blanks, a stack, all kinds of priority. */
static void text_of_ftrace_is_paired(void **state)
{
	(void)state;
	read_good(
		"# tracer: nop\n"
		"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
		" a b-37801 [003] .....  9904.831149: block_plug: [a b]\n"
		" a b-37801 [003] .....  9904.831159: block_rq_issue: 259,0 "
		"WS 4096 () 498455480 + 8 [a b]\n"
		" <idle>-0 [003] d.h..  9904.831178: block_rq_complete: 259,0 "
		"WS () 498455480 + 8 [0]\n"
		" => block_rq_complete\n"
		" x-1 [009] ..... 9905.126843: block_rq_issue: 259,0 WFSU 16384 "
		"() 768 + 32 none,0,0 [x]\n"
		" x-1 [009] ..... 9905.129844: block_rq_complete: 259,0 WFSU () "
		"768 + 32 none,0,0 [0]\n"
		" k-2 [007] .... 9906.000001: block_rq_issue: 259,0 FF 0 () 0 + "
		"0 [k]\n"
		" <idle>-0 [007] ..s. 9906.000211: block_rq_complete: 259,0 FF "
		"() 18446744073709551615 + 0 [0]\n"
		" h-9 [007] .... 9907.0: block_rq_issue: 259,0 N 36 (12 00) "
		"18446744073709551615 + 0 rt,4 [h[1]]\n"
		" h (9) [007] .... 9907.5: block_rq_issue: 259,0 DS 8192 () 16 "
		"+ 16 rt,4 [h[1]]\n",
		SSDPM_TRACE_FTRACE);
	assert_int_equal(got.trace.n, 3);
	assert_io(0, 9904831159000, 498455480ull * 512, 4096, 19000,
		  SSDPM_OP_WRITE);
	assert_io(1, 9905126843000, 768 * 512, 16384, 3001000, SSDPM_OP_WRITE);
	assert_io(2, 9906000001000, 0, 0, 210000, SSDPM_OP_FLUSH);
	assert_int_equal(got.trace.counts.n_unmatched, 1);
}

#define IO(begin, end, sector)                                                 \
	"x-1 [0] .... " begin ": block_rq_issue: 8,0 R 512 () " sector " + 1 " \
	"[x]\n"                                                                \
	"x-1 [0] .... " end ": block_rq_complete: 8,0 R () " sector " + 1 "    \
	"[0]\n"

/* Awake; on its way to sleep; asleep; quicker than it declares; awake again. */
static void wake_ups_of_the_recorded_policy_are_no_service(void **state)
{
	static const char text[] =
		"# policy: 8,16 base 1 1 1 1 sleep 1 1 1000000\n"
		"# policy: 8,0 base 90000 1 1 1 sleep 1000000 3000000 "
		"5000000\n" IO("1.0", "1.002", "8") IO("1.004", "1.0101", "9")
			IO("1.5", "1.5052", "10") IO("2.0", "2.004", "11")
				IO("2.0045", "2.0048", "12");

	(void)state;
	read_good(text, SSDPM_TRACE_FTRACE);
	assert_int_equal(got.trace.n, 5);
	assert_io(0, 1000000000, 8 * 512, 512, 2000000, SSDPM_OP_READ);
	/* Idle for 2 ms: the rest of the entry is 1 ms, and the exit 5. */
	assert_io(1, 1004000000, 9 * 512, 512, 100000, SSDPM_OP_READ);
	assert_io(2, 1500000000, 10 * 512, 512, 200000, SSDPM_OP_READ);
	assert_io(3, 2000000000, 11 * 512, 512, 90000, SSDPM_OP_READ);
	/* The declared exit is not over. The I/O answers the one before, which
	 * is 3.91 ms shorter. */
	assert_io(4, 2000590000, 12 * 512, 512, 90000, SSDPM_OP_READ);
	read_good(text + strcspn(text, "\n") + 1 +
			  strcspn(strchr(text, '\n') + 1, "\n") + 1,
		  SSDPM_TRACE_FTRACE);
	assert_io(2, 1500000000, 10 * 512, 512, 5200000, SSDPM_OP_READ);
}

static void text_of_perf_script_is_paired(void **state)
{
	(void)state;
	read_good(
		"  r 2520 [000]  6011.824866: block:block_bio_queue: 254,1 R 8 + "
		"8 [r]\n"
		"  r 2520 [000]  6011.824867: block:block_rq_insert: 259,0 R 4096 "
		"() 8 + 8 [r]\n"
		"  r 2520 [000]  6011.824868: block:block_rq_issue: 259,0 R 4096 "
		"() 8 + 8 [r]\n"
		"\tffffffff8 blk_mq_start_request ([kernel.kallsyms])\n"
		"\n"
		"  r 2520 [000]  6011.9:   1  major-faults: 777 x (/lib/libc.so)\n"
		"  swapper 0 [002]  6012.824868123:  1 block:block_rq_complete: "
		"259,0 R () 8 + 8 0x2,0,4 [0]\n",
		SSDPM_TRACE_PERF_SCRIPT);
	assert_int_equal(got.trace.n, 1);
	assert_io(0, 6011824868000, 4096, 4096, 1000000123, SSDPM_OP_READ);
}

#define ISSUE "x-1 [0] .... 1.0: block_rq_issue: 8,0 R 512 () 8 + 1 [x]\n"

static void lines_of_ftrace_that_cannot_be_read_fail_or_are_counted(
	void **state)
{
	static const struct {
		const char *line;
		int code;
		const char *words;
	} cases[] = {
		{ "x-1 1.0: block_rq_issue: 8,0\n", -EINVAL, "cannot be read" },
		{ "# policy: 8,0 base 1 1 1\n", -EINVAL, "policy cannot" },
		{ "# policy: 8,0 base 1 1 1 1 sleep 2 1 1\n", -EINVAL,
		  "policy cannot" },
		{ "# policy: 8,0 base 1 1 1 1 sleep 1 2 1 sleep 1 2 1\n",
		  -EINVAL, "policy cannot" },
		{ "# policy: 8 base 1 1 1 1\n", -EINVAL, "policy cannot" },
		{ "x-1 1.0: block_rq_issue: 8,0 R 512 () 8 [x]\n", -EINVAL,
		  "cannot be read" },
		{ "x-1 1.0: block_rq_issue: 8,0 R 512 () 8 + 1\n", -EINVAL,
		  "cannot be read" },
		{ "x-1 1.0: block_rq_issue: 8,0 R 512 (8 + 1 [x]\n", -EINVAL,
		  "cannot be read" },
		{ "x-1 1.0: block_rq_issue: 8,0 R 5 () 1"
		  "8446744073709551615"
		  " + 1 [x]\n",
		  -ERANGE, "too large" },
		{ "x-1 99999999999999: block_rq_issue: 8,0 R 5 () 8 + 1 [x]\n",
		  -ERANGE, "too large" },
		{ "x-1 123: block_rq_issue: 8,0 R 5 () 8 + 1 [x]\n", -EINVAL,
		  "the time has no seconds" },
		{ "x-1 block_rq_issue: 8,0 R 5 () 8 + 1 [x]\n", -EINVAL,
		  "no time in seconds stands before" },
		{ "x-1 -1.5: block_rq_issue: 8,0 R 5 () 8 + 1 [x]\n", -EINVAL,
		  "no time in seconds stands before" },
		{ "CPU:2 [LOST 1234 EVENTS]\n", -EINVAL, "lost events here" },
		{ "# gap: 259,0 5 1000 17\n", -EINVAL, "the trace was off" },
		{ "CPU:2 [7 EVENTS DROPPED]\n", -EINVAL, "lost events here" },
	};
	struct ssdpm_trace_params skip = { .size = sizeof(skip),
					   .flags = SSDPM_TRACE_SKIP_BAD };
	char text[300];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "%s%s%s", ISSUE, cases[i].line,
			 ISSUE);
		assert_fails(text, cases[i].code, 2, cases[i].words);
		assert_int_equal(read_as(text, strlen(text), &skip), 0);
		assert_int_equal(got.trace.counts.n_bad, 1);
		assert_int_equal(got.trace.n, 2);
	}
	/* Another event, whose text has the name of one of these. */
	snprintf(text, sizeof(text), "%sx-1 1.0: bpf_trace_printk: %s", ISSUE,
		 "block_rq_issue: 8,0 R 5 () 8 + 1 [x]\n");
	assert_int_equal(read_as(text, strlen(text), NULL), 0);
	assert_int_equal(got.trace.n, 1);
	skip.format = SSDPM_TRACE_FTRACE;
	assert_int_equal(read_as("# tracer: nop\n", 14, &skip), -EINVAL);
	fixture_assert_error(&got.error, -EINVAL, 0, "there is no event");
}

/* A thread chooses its name, which the line of an event has twice. */
static void names_of_threads_are_no_lines_of_ftrace(void **state)
{
	static const char *const names[] = {
		"block_rq_issue:", "\nCPU:0 [LOST 99", "]\nCPU:0 [LOST 9",
		"\n# gap: 8,0 1",  "]\n# gap: 8,0 1",  "x\ny",
		"1.0: block_rq_",
	};
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(text, sizeof(text),
			 "%16s-%-7d [000] d..1.     1.000000: sched_waking: "
			 "comm=%s pid=7\n"
			 "%16s-%-7d [000] d..1.     1.000001: block_rq_issue: "
			 "8,0 R 512 () 8 + 1 [%s]\n",
			 names[i], 7, names[i], names[i], 7, names[i]);
		assert_int_equal(read_as(text, strlen(text), NULL), 0);
		assert_int_equal(got.trace.n, 1);
	}
}

#define HEAD                                                               \
	"\"Time of Day\",\"Process Name\",\"PID\",\"Operation\",\"Path\"," \
	"\"Result\",\"Detail\""
#define ROW(time, op, result, detail)        \
	"\"" time "\",\"x.exe\",\"8\",\"" op \
	"\",\"C:\\a \"\"b\"\"\",\"" result "\",\"" detail "\""
#define FLAGS ", I/O Flags: Non-cached, Paging I/O, Priority: Normal"

static void csv_of_process_monitor_is_read(void **state)
{
	(void)state;
	read_good(
		HEAD
		"\r\n" ROW("11:59:59.9999999 PM", "ReadFile", "SUCCESS", "Offset: 2,275,840, Length: 16,384" FLAGS) "\r\n" ROW("11:59:59.9999999 PM", "ReadFile", "SUCCESS", "Offset: 0, Length: 9") "\r\n" ROW(
			"11:59:59.9999999 PM", "ReadFile", "END OF FILE",
			"Offset: 0, Length: 9" FLAGS) "\r\n" ROW("11:59:59.9999999 PM",
								 "RegOpenKey",
								 "SUCCESS",
								 "") "\r\n" ROW("12:00:00.0000001 AM",
										"WriteFile",
										"SUCCESS",
										"Offset: 0, Length: 4,096" FLAGS) "\r\n" ROW("11:59:59.9999998 PM",
															     "FlushBuffersFile",
															     "SUCCESS",
															     "") "\r\n" ROW("1:00:00.5 PM",
																	    "ReadFile",
																	    "SUCCESS",
																	    "Offset: 1.024, Length: 512" FLAGS) "\r\n",
		SSDPM_TRACE_PROCMON_CSV);
	assert_int_equal(got.trace.n, 4);
	assert_io(0, 86399999999800, 0, 0, UNKNOWN, SSDPM_OP_FLUSH);
	assert_io(1, 86399999999900, 2275840, 16384, UNKNOWN, SSDPM_OP_READ);
	assert_io(2, 86400000000100, 0, 4096, UNKNOWN, SSDPM_OP_WRITE);
	assert_io(3, 86400000000000 + 46800500000000, 1024, 512, UNKNOWN,
		  SSDPM_OP_READ);
	assert_int_equal(got.trace.counts.n_cached, 1);
	assert_int_equal(got.trace.counts.n_late, 1);
	assert_int_equal(got.trace.counts.late_max_ns, 300);
}

/* In Germany, with the column Duration, in the order of completions. */
static void csv_of_process_monitor_may_have_durations(void **state)
{
	(void)state;
	read_good(
		HEAD
		",\"Duration\"\n" ROW("9:25:35,5", "ReadFile", "SUCCESS", "Offset: 1.048.576, Length: 4.096" FLAGS) ",\"0,0000123\"\n" ROW(
			"09:25:34,0", "WriteFile", "SUCCESS",
			"Offset: 7\xc2\xa0"
			"168, Length: 512" FLAGS) ",\"2.0000001\"\n",
		SSDPM_TRACE_PROCMON_CSV);
	assert_int_equal(got.trace.n, 2);
	assert_io(0, 33934000000000, 7168, 512, 2000000100, SSDPM_OP_WRITE);
	assert_io(1, 33935500000000, 1048576, 4096, 12300, SSDPM_OP_READ);
	assert_int_equal(got.trace.counts.n_late, 0);
}

static void rows_of_process_monitor_that_cannot_be_read_are_told(void **state)
{
	static const char *const times[] = {
		"",	"13:00:00 AM", "0:00:00 AM", "24:00:00", "1:60:00",
		"1:00", "1:00:00.",    "1:00:00 XM", "100:0:00",
	};
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		snprintf(text, sizeof(text),
			 HEAD "\n" ROW("%s", "ReadFile", "SUCCESS",
				       "Offset: 0, Length: 9" FLAGS) "\n",
			 times[i]);
		assert_fails(text, -EINVAL, 2, "the time or the duration");
	}
	assert_fails(HEAD "\n" ROW("1:00:00", "ReadFile", "SUCCESS",
				   "Offset: x, Length: 9" FLAGS),
		     -EINVAL, 2, "Offset: N");
	assert_fails(HEAD "\n" ROW("1:00:00", "ReadFile", "SUCCESS",
				   "Offset: 1, Length: 4294967296" FLAGS),
		     -EINVAL, 2, "Offset: N");
	assert_fails(HEAD "\n\"1:00:00\",\"ReadFile\"\n", -EINVAL, 2,
		     "other columns");
	assert_fails("\"Time of Day\",\"Operation\"\n", -EINVAL, 0,
		     "known format");
}

static uint8_t packed[64 << 10];

static size_t put(size_t at, uint64_t value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		packed[at + i] = (uint8_t)(value >> 8 * i);
	return at + n;
}

static size_t put_vscsi(size_t at, unsigned version, uint16_t cmd, uint32_t len,
			uint64_t lbn, uint64_t ts_us)
{
	if (version == 2) {
		at = put(at, cmd, 2);
		at = put(at, 0x200, 2);
	}
	at = put(at, 7, 4);
	at = put(at, len, 4);
	at = put(at, 1, 4);
	if (version == 1) {
		at = put(at, cmd, 2);
		at = put(at, 0x100, 2);
	}
	at = put(at, lbn, 8);
	at = put(at, ts_us, 8);
	return version == 2 ? put(at, 99, 8) : at;
}

static void records_of_vscsi_stats_are_read(void **state)
{
	(void)state;
	for (unsigned version = 1; version <= 2; version++) {
		size_t n = put_vscsi(0, version, 0x2a, 512, 42932745, 1000);

		n = put_vscsi(n, version, 0x12, 36, 0, 1500);
		n = put_vscsi(n, version, 0x88, 4096, 8, 2001);
		n = put_vscsi(n, version, 0x35, 0, 0, 2000);
		assert_int_equal(read_as(packed, n, NULL), 0);
		assert_int_equal(got.trace.counts.format, SSDPM_TRACE_VSCSI);
		assert_int_equal(got.trace.n, 3);
		assert_int_equal(got.trace.counts.n_lines, 4);
		assert_io(0, 1000000, 42932745ull * 512, 512, UNKNOWN,
			  SSDPM_OP_WRITE);
		assert_io(1, 2000000, 0, 0, UNKNOWN, SSDPM_OP_FLUSH);
		assert_io(2, 2001000, 4096, 4096, UNKNOWN, SSDPM_OP_READ);
		assert_int_equal(got.trace.counts.n_late, 1);
		assert_int_equal(read_as(packed, n - 1, NULL), -EIO);
		fixture_assert_error(&got.error, -EIO, 4, "cut off");
		assert_int_equal(got.trace.n, 2);
		put_vscsi(n, version, 0x2a, 512, UINT64_MAX / 512 + 1, 3000);
		assert_int_equal(read_as(packed, n + n / 4, NULL), -ERANGE);
		fixture_assert_error(&got.error, -ERANGE, 5, "too large");
	}
}

static size_t put_request(size_t at, uint32_t time_s, uint32_t size,
			  int64_t next)
{
	at = put(at, time_s, 4);
	at = put(at, 0xfedcba9876543210, 8);
	at = put(at, size, 4);
	return put(at, (uint64_t)next, 8);
}

static void requests_of_libcachesim_are_reads_in_whole_seconds(void **state)
{
	size_t n = 0;

	(void)state;
	n = put_request(n, 0, 4096, 3);
	n = put_request(n, 5, 512, -1);
	n = put_request(n, 5, 512, INT64_MAX);
	n = put_request(n, 9, 4096, -2);
	assert_int_equal(read_as(packed, n, NULL), 0);
	assert_int_equal(got.trace.counts.format, SSDPM_TRACE_ORACLE_GENERAL);
	assert_int_equal(got.trace.n, 4);
	assert_io(3, 9000000000, 0, 4096, UNKNOWN, SSDPM_OP_READ);
	assert_int_equal(got.trace.counts.n_untyped, 4);
	assert_int_equal(got.trace.counts.resolution_ns, 1000000000);
	/* Nothing marks them: all that is there has to fit. */
	assert_int_equal(read_as(packed, n - 1, NULL), -EINVAL);
	assert_int_equal(read_as(packed, 3 * 24, NULL), -EINVAL);
	put_request(n, 8, 4096, -1);
	assert_int_equal(read_as(packed, n + 24, NULL), -EINVAL);
	put_request(n, 9, 0, -1);
	assert_int_equal(read_as(packed, n + 24, NULL), -EINVAL);
	put_request(n, 9, 1, 4);
	assert_int_equal(read_as(packed, n + 24, NULL), -EINVAL);
}

static void formats_without_devices_refuse_one(void **state)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .device = "0" };
	size_t n = put_vscsi(0, 1, 0x2a, 512, 8, 1000);

	(void)state;
	assert_int_equal(read_as(packed, n, &params), -EINVAL);
	fixture_assert_error(&got.error, -EINVAL, 0, "device: no record");
	params.format = SSDPM_TRACE_ORACLE_GENERAL;
	assert_int_equal(read_as(packed, n, &params), -EINVAL);
	fixture_assert_error(&got.error, -EINVAL, 0, "device: no record");
	params.format = SSDPM_TRACE_VSCSI;
	params.device = NULL;
	memset(packed, 0, sizeof(packed));
	assert_int_equal(read_as(packed, 64, &params), -EINVAL);
	fixture_assert_error(&got.error, -EINVAL, 0, "no records of vscsi");
	params.format = SSDPM_TRACE_PROCMON_CSV;
	params.device = "0";
	assert_int_equal(read_as(HEAD "\n", sizeof(HEAD), &params), -EINVAL);
	fixture_assert_error(&got.error, -EINVAL, 0, "device: no column");
	assert_int_equal(read_as("x\n", 2, &params), -EINVAL);
	fixture_assert_error(&got.error, -EINVAL, 1, "no columns");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_of_ftrace_is_paired),
		cmocka_unit_test(
			wake_ups_of_the_recorded_policy_are_no_service),
		cmocka_unit_test(text_of_perf_script_is_paired),
		cmocka_unit_test(
			lines_of_ftrace_that_cannot_be_read_fail_or_are_counted),
		cmocka_unit_test(names_of_threads_are_no_lines_of_ftrace),
		cmocka_unit_test(csv_of_process_monitor_is_read),
		cmocka_unit_test(csv_of_process_monitor_may_have_durations),
		cmocka_unit_test(
			rows_of_process_monitor_that_cannot_be_read_are_told),
		cmocka_unit_test(records_of_vscsi_stats_are_read),
		cmocka_unit_test(
			requests_of_libcachesim_are_reads_in_whole_seconds),
		cmocka_unit_test(formats_without_devices_refuse_one),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
