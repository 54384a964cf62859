/* SPDX-License-Identifier: MIT */
/* Traces with issues and completions: blkparse, blktrace, biosnoop. */
#include "fixture.h"

#include <stdio.h>
#include <unistd.h>

#define MAX_IOS 400

/* What became of a trace. */
struct outcome {
	struct ssdpm_io ios[MAX_IOS];
	size_t n;
	struct ssdpm_trace_counts counts;
	int code;
	struct ssdpm_error error;
};

/* Takes the records over. */
static void keep(struct outcome *o, struct fixture_trace *trace)
{
	assert_true(trace->n <= MAX_IOS);
	if (trace->n)
		memcpy(o->ios, trace->ios, trace->n * sizeof(o->ios[0]));
	o->n = trace->n;
	o->counts = trace->counts;
	free(trace->ios);
}

static struct outcome *read_data(const void *data, size_t size,
				 const struct ssdpm_trace_params *params,
				 size_t step)
{
	static struct outcome o;
	struct fixture_trace trace;

	memset(&o, 0, sizeof(o));
	o.code =
		fixture_read_before(data, size, params, step, &trace, &o.error);
	keep(&o, &trace);
	return &o;
}

static struct outcome *read_text(const char *text)
{
	struct outcome *o = read_data(text, strlen(text), NULL, MAX_IOS);

	if (o->code)
		print_error("line %u: %s\n", o->error.line, o->error.message);
	assert_int_equal(o->code, 0);
	return o;
}

static struct outcome *read_text_of(const char *text, const char *device,
				    uint32_t flags)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .device = device,
					     .flags = flags };

	return read_data(text, strlen(text), &params, MAX_IOS);
}

static void assert_fails(const char *text, int code, uint32_t line,
			 const char *fragment)
{
	struct outcome *o = read_data(text, strlen(text), NULL, MAX_IOS);

	assert_int_equal(o->code, code);
	fixture_assert_error(&o->error, code, line, fragment);
}

static void assert_io(const struct ssdpm_io *io, uint64_t start_ns,
		      uint64_t offset, uint32_t bytes, uint32_t service_ns,
		      uint8_t op)
{
	assert_int_equal(io->start_ns, start_ns);
	assert_int_equal(io->offset, offset);
	assert_int_equal(io->bytes, bytes);
	assert_int_equal(io->service_ns, service_ns);
	assert_int_equal(io->op, op);
	assert_int_equal(io->flags, 0);
}

static void an_issue_and_its_completion_become_one_record(void **state)
{
	(void)state;
	struct outcome *o =
		read_text("8,16 3 9 0.000032064 1 D R 584808 + 936 [java]\n"
			  "8,16 3 9 0.002047336 1 C R 584808 + 936 [0]\n");

	assert_int_equal(o->n, 1);
	assert_io(&o->ios[0], 32064, 584808u * 512, 936 * 512, 2015272,
		  SSDPM_OP_READ);
	assert_int_equal(o->counts.format, SSDPM_TRACE_BLKPARSE);
	assert_int_equal(o->counts.n_lines, 2);
	assert_int_equal(o->counts.n_ios, 1);
}

static void records_come_in_the_order_of_their_start(void **state)
{
	static const char text[] = "8,16 3 9 0.000000001 1 D R 8 + 8 [a]\n"
				   "8,16 3 9 0.000000002 1 D W 16 + 8 [a]\n"
				   "8,16 3 9 0.000000003 1 D R 24 + 8 [a]\n"
				   "8,16 3 9 0.000000004 1 C W 16 + 8 [0]\n"
				   "8,16 3 9 0.000000005 1 C R 24 + 8 [0]\n"
				   "8,16 3 9 0.000000009 1 C R 8 + 8 [0]\n";

	(void)state;
	struct outcome *o = read_text(text);
	assert_int_equal(o->n, 3);
	assert_io(&o->ios[0], 1, 8 * 512, 4096, 8, SSDPM_OP_READ);
	assert_io(&o->ios[1], 2, 16 * 512, 4096, 2, SSDPM_OP_WRITE);
	assert_io(&o->ios[2], 3, 24 * 512, 4096, 2, SSDPM_OP_READ);
}

static void equal_ios_complete_in_the_order_of_their_issue(void **state)
{
	static const char text[] = "8,16 3 9 0.000000001 1 D R 8 + 8 [a]\n"
				   "8,16 3 9 0.000000002 1 D R 8 + 8 [a]\n"
				   "8,16 3 9 0.000000003 1 D W 8 + 8 [a]\n"
				   "8,16 3 9 0.000000010 1 C R 8 + 8 [0]\n"
				   "8,16 3 9 0.000000020 1 C R 8 + 8 [0]\n"
				   "8,16 3 9 0.000000030 1 C W 8 + 8 [0]\n";

	(void)state;
	struct outcome *o = read_text(text);
	assert_int_equal(o->n, 3);
	assert_int_equal(o->ios[0].service_ns, 9);
	assert_int_equal(o->ios[1].service_ns, 18);
	assert_int_equal(o->ios[2].service_ns, 27);
}

static void an_issue_is_waited_for_30_seconds(void **state)
{
	(void)state;
	struct outcome *o =
		read_text("8,16 3 9 1.000000000 1 D R 8 + 8 [a]\n"
			  "8,16 3 9 31.000000000 1 C R 8 + 8 [0]\n");

	assert_int_equal(o->n, 1);
	assert_int_equal(o->ios[0].service_ns, SSDPM_SERVICE_MAX);
	assert_int_equal(o->counts.n_saturated, 1);
	assert_int_equal(o->counts.n_unmatched, 0);

	o = read_text("8,16 3 9 1.000000000 1 D R 8 + 8 [a]\n"
		      "8,16 3 9 31.000000001 1 C R 8 + 8 [0]\n");
	assert_int_equal(o->n, 0);
	assert_int_equal(o->counts.n_unmatched, 1);
	assert_int_equal(o->counts.n_orphans, 1);
	assert_int_equal(o->counts.n_saturated, 0);
}

static void a_lost_completion_holds_nothing_up(void **state)
{
	static const char text[] = "8,16 3 9 1.000000000 1 D R 8 + 8 [a]\n"
				   "8,16 3 9 2.000000000 1 D R 16 + 8 [a]\n"
				   "8,16 3 9 2.000000100 1 C R 16 + 8 [0]\n"
				   "8,16 3 9 40.000000000 1 D R 24 + 8 [a]\n"
				   "8,16 3 9 40.000000100 1 C R 24 + 8 [0]\n";

	(void)state;
	struct outcome *o = read_text(text);
	assert_int_equal(o->n, 2);
	assert_int_equal(o->ios[0].start_ns, 2000000000);
	assert_int_equal(o->counts.n_unmatched, 1);
	assert_int_equal(o->counts.n_orphans, 0);
}

static void a_completion_without_an_issue_is_counted(void **state)
{
	static const char text[] = "8,16 3 9 0.000000001 1 C R 8 + 8 [0]\n"
				   "8,16 3 9 0.000000002 1 D R 16 + 8 [a]\n"
				   "8,16 3 9 0.000000003 1 C R 16 + 8 [0]\n"
				   "8,16 3 9 5.000000003 1 C R 16 + 8 [0]\n";

	(void)state;
	struct outcome *o = read_text(text);
	assert_int_equal(o->n, 1);
	assert_int_equal(o->counts.n_orphans, 2);
}

static void completions_alone_say_when_and_no_more(void **state)
{
	(void)state;
	struct outcome *o = read_text(
		"  1,0   15        1     0.000000005 19146  C  WS 299456 + 1 "
		"[0]\n"
		"  1,0   15        2     0.000003084 19146  C  RA 20513 + 1 "
		"[0]\n");

	assert_int_equal(o->n, 2);
	assert_io(&o->ios[0], 5, 299456u * 512, 512, SSDPM_SERVICE_UNKNOWN,
		  SSDPM_OP_WRITE);
	assert_io(&o->ios[1], 3084, 20513 * 512, 512, SSDPM_SERVICE_UNKNOWN,
		  SSDPM_OP_READ);
	assert_int_equal(o->counts.n_orphans, 0);
}

static void issues_alone_have_no_service(void **state)
{
	(void)state;
	struct outcome *o =
		read_text("8,16 3 9 0.000000001 1 D R 8 + 8 [a]\n"
			  "8,16 3 9 99.000000001 1 D R 8 + 8 [a]\n");

	assert_int_equal(o->n, 2);
	assert_io(&o->ios[0], 1, 4096, 4096, SSDPM_SERVICE_UNKNOWN,
		  SSDPM_OP_READ);
	assert_int_equal(o->ios[1].service_ns, SSDPM_SERVICE_UNKNOWN);
	assert_int_equal(o->counts.n_unmatched, 0);
}

static void what_is_nearest_to_the_drive_is_the_issue(void **state)
{
	static const char q[] = "8,0 0 1 0.000000001 1 Q R 8 + 8 [a]\n"
				"8,0 0 2 0.000000002 1 G R 8 + 8 [a]\n";
	static const char i[] = "8,0 0 3 0.000000003 1 I R 8 + 8 [a]\n";
	static const char d[] = "8,0 0 4 0.000000004 1 D R 8 + 8 [a]\n";
	static const char c[] = "8,0 0 5 0.000000009 0 C R 8 + 8 [0]\n";
	char text[400];

	(void)state;
	snprintf(text, sizeof(text), "%s%s", q, c);
	assert_int_equal(read_text(text)->ios[0].start_ns, 1);
	snprintf(text, sizeof(text), "%s%s%s", q, i, c);
	assert_int_equal(read_text(text)->ios[0].start_ns, 3);
	snprintf(text, sizeof(text), "%s%s%s%s", q, i, d, c);
	struct outcome *o = read_text(text);
	assert_int_equal(o->n, 1);
	assert_int_equal(o->ios[0].start_ns, 4);
}

/* M of 16 + 8 made one request of both: D has the sum. */
static void a_merge_counts_where_it_is_issued(void **state)
{
	(void)state;
	struct outcome *o = read_text(
		"8,0 0 1 0.000000001 1 Q W 8 + 8 [a]\n"
		"8,0 0 2 0.000000002 1 G W 8 + 8 [a]\n"
		"8,0 0 3 0.000000003 1 I W 8 + 8 [a]\n"
		"8,0 0 4 0.000000004 1 Q W 16 + 8 [a]\n"
		"8,0 0 5 0.000000005 1 M W 16 + 8 [a]\n"
		"8,0 0 6 0.000000006 1 Q W 0 + 8 [a]\n"
		"8,0 0 7 0.000000007 1 F W 0 + 8 [a]\n"
		"8,0 0 8 0.000000008 1 U N [a] 1\n"
		"8,0 0 9 0.000000009 1 D W 0 + 24 [a]\n"
		"8,0 0 9 0.000000010 1 X W 0 / 24 [a]\n"
		"8,0 0 9 0.000000011 1 A W 0 + 24 <- (8,1) 0\n"
		"8,0 0 9 0.000000012 0 m N cfq1 something [with] words\n"
		"8,0 0 10 0.000000019 0 C W 0 + 24 [0]\n");

	assert_int_equal(o->n, 1);
	assert_io(&o->ios[0], 9, 0, 24 * 512, 10, SSDPM_OP_WRITE);
}

static void a_requeued_io_starts_when_it_is_issued_again(void **state)
{
	(void)state;
	struct outcome *o = read_text("8,0 0 1 0.000000001 1 D R 8 + 8 [a]\n"
				      "8,0 0 2 0.000000002 1 R R 8 + 8 [0]\n"
				      "8,0 0 3 0.000000005 1 D R 8 + 8 [a]\n"
				      "8,0 0 4 0.000000009 0 C R 8 + 8 [0]\n");

	assert_int_equal(o->n, 1);
	assert_io(&o->ios[0], 5, 4096, 4096, 4, SSDPM_OP_READ);
	assert_int_equal(o->counts.n_unmatched, 0);
}

static void a_wrapped_time_is_the_one_before(void **state)
{
	(void)state;
	struct outcome *o =
		read_text("1,0 0 1 0.000000007 1 C R 8 + 8 [0]\n"
			  "1,0 1 1 1266874889.709551615 1 C R 16 + 8 [0]\n"
			  "1,0 1 2 1266874889.670077392 1 C R 24 + 8 [0]\n"
			  "1,0 0 2 0.000000009 1 C R 32 + 8 [0]\n");

	assert_int_equal(o->n, 4);
	assert_int_equal(o->ios[1].start_ns, 7);
	assert_int_equal(o->ios[2].start_ns, 7);
	assert_int_equal(o->ios[2].offset, 24 * 512);
	assert_int_equal(o->ios[3].start_ns, 9);
	assert_int_equal(o->counts.n_wrapped, 2);

	o = read_text("1,0 1 1 1266874889.709551615 1 D R 16 + 8 [0]\n");
	assert_int_equal(o->ios[0].start_ns, 0);
	/* One more is a normal time. */
	o = read_text("1,0 1 1 1266874889.709551616 1 D R 16 + 8 [0]\n");
	assert_int_equal(o->ios[0].start_ns, 1266874889709551616u);
	assert_int_equal(o->counts.n_wrapped, 0);
}

static const char two_devices[] = "8,0 0 1 0.000000001 1 D R 8 + 8 [a]\n"
				  "8,16 0 1 0.000000002 1 D R 8 + 8 [a]\n"
				  "8,0 0 1 0.000000003 0 C R 8 + 8 [0]\n"
				  "8,16 0 1 0.000000008 0 C R 8 + 8 [0]\n";

static void several_devices_are_read_when_one_is_named(void **state)
{
	(void)state;
	assert_fails(two_devices, -EINVAL, 2, "several devices, 8,0 and 8,16");
	struct outcome *o = read_text_of(two_devices, "8,16", 0);
	assert_int_equal(o->code, 0);
	assert_int_equal(o->n, 1);
	assert_int_equal(o->ios[0].service_ns, 6);
	assert_int_equal(o->counts.n_other_device, 1);
	o = read_text_of(two_devices, "8,1", 0);
	assert_int_equal(o->n, 0);
	assert_int_equal(o->counts.n_other_device, 2);
}

static void the_issue_is_that_of_the_device_that_is_read(void **state)
{
	static const char text[] =
		"253,0 0 1 0.000000001 1 Q R 8 + 8 [a]\n"
		"8,0 0 1 0.000000002 1 A R 16 + 8 <- (253,0) 8\n"
		"8,0 0 1 0.000000003 1 Q R 16 + 8 [a]\n"
		"8,0 0 1 0.000000004 1 D R 16 + 8 [a]\n"
		"8,0 0 1 0.000000006 0 C R 16 + 8 [0]\n"
		"253,0 0 1 0.000000007 0 C R 8 + 8 [0]\n";

	(void)state;
	struct outcome *o = read_text_of(text, "253,0", 0);
	assert_int_equal(o->n, 1);
	assert_io(&o->ios[0], 1, 4096, 4096, 6, SSDPM_OP_READ);
	o = read_text_of(text, "8,0", 0);
	assert_int_equal(o->n, 1);
	assert_io(&o->ios[0], 4, 8192, 4096, 2, SSDPM_OP_READ);
}

static void words_around_the_events_are_passed_over(void **state)
{
	(void)state;
	struct outcome *o = read_text(
		"I traced this with blkparse -i sdb, one evening.\n"
		"Input file sdb.blktrace.0 added\r\n"
		"\n"
		"8,16 3 9 0.000000001 1 D R 8 + 8 [a]\r\n"
		"8,16 3 9 0.000000009 1 C R 8 + 8 [0]\r\n"
		"CPU0 (8,16):\n"
		" Reads Queued:           0,        0KiB\t Writes Queued:   0,  0KiB\n"
		"\n"
		"Total (8,16):\n"
		" Read Dispatches:     1301,\n"
		"\n"
		"Throughput (R/W): 878KiB/s / 214KiB/s\n"
		"Events (8,16): 5472 entries\n"
		"Skips: 0 forward (0 -   0.0%)\n");

	assert_int_equal(o->n, 1);
	assert_int_equal(o->counts.n_bad, 0);
	assert_int_equal(o->counts.n_lines, 14);
}

static void a_line_that_is_no_event_fails_or_is_counted(void **state)
{
	static const char *const lines[] = {
		"8,16 0 1 0.1234\n",
		"what is this\n",
		"8,16 0 1 0.000000002 1 Z R 16 + 8 [a]\n",
		"8,16 0 1 0.00000002 1 D R 16 + 8 [a]\n",
		"8,16 0 1 0 1 D R 16 + 8 [a]\n",
		"8,16 0 1 -0.000000002 1 D R 16 + 8 [a]\n",
		"8,16 0 1 0.000000002 1 D R 16 +\n",
		"8,16 0 1 0.000000002 1 D R 16 + x\n",
		"8,16 0 1 0.000000002 1 D R 16\n",
		"8,16 0 1 0.000000002 1 D\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char text[200];

		snprintf(text, sizeof(text), "%s%s%s",
			 "8,16 3 9 0.000000001 1 D R 8 + 8 [a]\n", lines[i],
			 "8,16 3 9 0.000000009 1 C R 8 + 8 [0]\n");
		assert_fails(text, -EINVAL, 2, "");
		struct outcome *o =
			read_text_of(text, NULL, SSDPM_TRACE_SKIP_BAD);
		assert_int_equal(o->code, 0);
		assert_int_equal(o->n, 1);
		assert_int_equal(o->counts.n_bad, 1);
	}
}

static void numbers_beyond_their_field_are_refused(void **state)
{
	static const char *const lines[] = {
		"8,16 0 1 18446744073.709551616 1 D R 16 + 8 [a]\n",
		"8,16 0 1 99999999999999999999.000000000 1 D R 16 + 8 [a]\n",
		"8,16 0 1 0.000000002 1 D R 36028797018963968 + 8 [a]\n",
		"8,16 0 1 0.000000002 1 D R 36028797018963967 + 1 [a]\n",
		"8,16 0 1 0.000000002 1 D R 99999999999999999999 + 8 [a]\n",
		"8,16 0 1 0.000000002 1 D R 16 + 8388608 [a]\n",
		"8,16 0 1 0.000000002 1 D W 16 + 99999999999999999999 [a]\n",
		"8,16 0 1 0.000000002 1 D D 16 + 549755813889 [a]\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char text[200];

		snprintf(text, sizeof(text), "%s%s",
			 "8,16 3 9 0.000000001 1 D R 8 + 8 [a]\n", lines[i]);
		assert_fails(text, -ERANGE, 2, "too large");
	}
	struct outcome *o = read_text(
		"8,16 0 1 18446744073.709551615 1 D R 36028797018963966 + "
		"1 [a]\n");
	assert_int_equal(o->ios[0].start_ns, UINT64_MAX);
	assert_int_equal(o->ios[0].offset, UINT64_MAX - 1023);
	o = read_text("8,16 0 1 0.000000001 1 D R 0 + 8388607 [a]\n");
	assert_int_equal(o->ios[0].bytes, UINT32_MAX - 511);
}

static void a_discard_of_4_gib_is_split_and_counted_once(void **state)
{
	(void)state;
	struct outcome *o =
		read_text("8,16 3 9 0.000000001 1 D DS 8 + 8388609 [a]\n"
			  "8,16 3 9 0.000000005 1 C DS 8 + 8388609 [0]\n");

	assert_int_equal(o->n, 3);
	assert_int_equal(o->counts.n_ios, 1);
	assert_int_equal(o->counts.n_records, 3);
	uint64_t sum = 0;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(o->ios[i].op, SSDPM_OP_DISCARD);
		assert_int_equal(o->ios[i].service_ns, 4);
		assert_int_equal(o->ios[i].flags, i ? SSDPM_IO_CONTINUED : 0);
		assert_int_equal(o->ios[i].offset, 4096 + sum);
		sum += o->ios[i].bytes;
	}
	assert_int_equal(sum, 8388609ull * 512);
}

static void a_flush_has_no_size(void **state)
{
	(void)state;
	struct outcome *o =
		read_text("8,16 3 9 0.000000001 1 D FN [kworker/0:1H]\n"
			  "8,16 3 9 0.000000005 1 C FN 0 [0]\n"
			  "8,16 3 9 0.000000006 1 D FWFS 8 + 8 [j]\n"
			  "8,16 3 9 0.000000008 1 C FWFS 8 + 8 [0]\n"
			  "8,16 3 9 0.000000010 1 D FWS (   123) [jbd2]\n"
			  "8,16 3 9 0.000000013 1 C FWS 77 (   123) [0]\n");

	assert_int_equal(o->n, 3);
	assert_io(&o->ios[0], 1, 0, 0, 4, SSDPM_OP_FLUSH);
	assert_io(&o->ios[1], 6, 4096, 4096, 2, SSDPM_OP_WRITE);
	assert_io(&o->ios[2], 10, 0, 0, 3, SSDPM_OP_FLUSH);
}

static void commands_that_are_no_io_are_left_out(void **state)
{
	(void)state;
	struct outcome *o = read_text(
		"8,16 3 9 0.000000001 1 D R 36 (12 00 00 00 24 ..) [x]\n"
		"8,16 3 9 0.000000002 1 C R (12 00 00 00 24 00 ..) [0]\n"
		"8,16 3 9 0.000000003 1 D N 0 (85 06 ..) [smartctl]\n"
		"8,16 3 9 0.000000004 1 D N [a]\n");

	assert_int_equal(o->n, 0);
	assert_int_equal(o->counts.n_unmatched, 0);
	assert_int_equal(o->counts.n_orphans, 0);
}

/* Events of one processor come after later ones of another. */
static void lines_that_are_late_are_put_in_order(void **state)
{
	(void)state;
	struct outcome *o =
		read_text("8,16 3 9 0.200000000 1 D R 8 + 8 [a]\n"
			  "8,16 3 9 0.200000005 1 C R 8 + 8 [0]\n"
			  "8,16 3 9 0.200000007 1 C R 16 + 8 [0]\n"
			  "8,16 3 9 0.150000000 1 D R 24 + 8 [a]\n"
			  "8,16 3 9 0.150000004 1 C R 24 + 8 [0]\n"
			  "8,16 3 9 0.200000001 1 D R 16 + 8 [a]\n");

	assert_int_equal(o->n, 3);
	assert_io(&o->ios[0], 150000000, 24 * 512, 4096, 4, SSDPM_OP_READ);
	assert_io(&o->ios[1], 200000000, 8 * 512, 4096, 5, SSDPM_OP_READ);
	assert_io(&o->ios[2], 200000001, 16 * 512, 4096, 6, SSDPM_OP_READ);
	assert_int_equal(o->counts.n_orphans, 0);
	assert_int_equal(o->counts.n_unmatched, 0);
}

/* Also if it comes after it in the file. */
static void a_completion_before_an_issue_is_another_ones(void **state)
{
	(void)state;
	struct outcome *o = read_text("8,16 3 9 0.100000000 1 D R 8 + 8 [a]\n"
				      "8,16 4 9 0.099999999 1 C R 8 + 8 [0]\n"
				      "8,16 3 9 0.100000050 1 C R 8 + 8 [0]\n");

	assert_int_equal(o->n, 1);
	assert_io(&o->ios[0], 100000000, 4096, 4096, 50, SSDPM_OP_READ);
	assert_int_equal(o->counts.n_orphans, 1);
}

static void many_completions_may_lie_before_their_issues(void **state)
{
	(void)state;
	struct outcome *o =
		read_text("8,16 3 9 0.100000004 1 C R 8 + 8 [0]\n"
			  "8,16 3 9 0.100000005 1 C R 16 + 8 [0]\n"
			  "8,16 3 9 0.100000006 1 C R 24 + 8 [0]\n"
			  "8,16 4 9 0.100000001 1 D R 16 + 8 [a]\n"
			  "8,16 4 9 0.100000002 1 D R 8 + 8 [a]\n"
			  "8,16 4 9 0.100000003 1 D R 24 + 8 [a]\n");

	assert_int_equal(o->n, 3);
	assert_int_equal(o->ios[0].service_ns, 4);
	assert_int_equal(o->ios[1].service_ns, 2);
	assert_int_equal(o->ios[2].service_ns, 3);
	assert_int_equal(o->counts.n_orphans, 0);
}

/* No line of a second run is dropped for lack of its other half. */
static void two_runs_in_one_file_are_told(void **state)
{
	static const char run[] = "8,16 3 1 0.000000000 1 D R 8 + 8 [a]\n"
				  "8,16 3 2 0.000000005 1 C R 8 + 8 [0]\n"
				  "8,16 3 3 60.000000000 1 D R 8 + 8 [a]\n"
				  "8,16 3 4 60.000000005 1 C R 8 + 8 [0]\n"
				  "CPU0 (8,16):\n"
				  " Reads Queued: 2, 8KiB\n";
	char text[2 * sizeof(run)];

	(void)state;
	snprintf(text, sizeof(text), "%s%s", run, run);
	struct outcome *o = read_data(text, strlen(text), NULL, 1);
	fixture_assert_error(&o->error, -EINVAL, 7,
			     "time goes backwards by 60 s, to where the trace "
			     "began or before: a second run begins");
	assert_int_equal(o->n, 2);
}

static void what_is_too_late_is_a_time_going_backwards(void **state)
{
	static const char text[] = "8,16 3 9 1.000000000 1 D R 8 + 8 [a]\n"
				   "8,16 3 9 1.000000005 1 C R 8 + 8 [0]\n"
				   "8,16 3 9 2.000000000 1 D R 8 + 8 [a]\n"
				   "8,16 3 9 2.000000005 1 C R 8 + 8 [0]\n"
				   "8,16 3 9 0.500000000 1 D R 8 + 8 [a]\n"
				   "8,16 3 9 0.500000005 1 C R 8 + 8 [0]\n";

	(void)state;
	struct outcome *o = read_data(text, strlen(text), NULL, 1);
	fixture_assert_error(&o->error, -EINVAL, 5,
			     "time goes backwards by 1.5 s");
	o = read_text_of(text, NULL, SSDPM_TRACE_SKIP_BAD);
	assert_int_equal(o->code, 0);
	assert_int_equal(o->n, 3);
	assert_int_equal(o->counts.n_backward, 1);
	assert_int_equal(o->ios[1].start_ns, 1000000000);
	assert_int_equal(o->ios[1].service_ns, 5);
}

/* A text of n lines made by a printf() format of the number of the line. */
static char *make_lines(size_t n, const char *format)
{
	char *text = malloc(n * 80 + 1);
	size_t size = 0;

	for (size_t i = 0; i < n; i++)
		size += (size_t)snprintf(text + size, 80, format, i, i * 8);
	return text;
}

/* Count what comes out, in order. */
static struct ssdpm_trace_counts count_text(const char *text)
{
	struct ssdpm_trace_counts counts;
	struct ssdpm_trace *trace;
	struct ssdpm_io ios[100];
	uint64_t last_ns = 0;
	size_t n;

	assert_int_equal(
		ssdpm_trace_open_data(text, strlen(text), NULL, &trace, NULL),
		0);
	do {
		assert_int_equal(ssdpm_trace_read(trace, ios, 100, &n, NULL),
				 0);
		for (size_t i = 0; i < n; i++) {
			assert_true(ios[i].start_ns >= last_ns);
			last_ns = ios[i].start_ns;
		}
	} while (n);
	counts = *ssdpm_trace_get_counts(trace);
	ssdpm_trace_free(trace);
	return counts;
}

/*
 * 2^17 can be held; the oldest are dropped, and their completions match
 * nothing.
 */
static void memory_is_bounded_however_many_are_issued(void **state)
{
	const size_t n = (1 << 17) + 1000;
	char *issues = make_lines(n, "8,0 0 1 0.%09zu 1 D R %zu + 8 [a]\n");
	char *completions =
		make_lines(n, "8,0 0 1 1.%09zu 0 C R %zu + 8 [0]\n");
	char *text = NULL;

	(void)state;
	assert_true(asprintf(&text, "%s%s%s",
			     "8,0 0 1 0.000000000 1 D W 0 + 8 [a]\n"
			     "8,0 0 1 0.000000000 1 C W 0 + 8 [a]\n",
			     issues, completions) > 0);
	struct ssdpm_trace_counts counts = count_text(text);
	assert_int_equal(counts.n_ios + counts.n_unmatched, n + 1);
	assert_int_equal(counts.n_unmatched, counts.n_orphans);
	/* One line of tolerance, because room is made before it is needed. */
	assert_in_range(counts.n_unmatched, 1000, 1001);
	/* Without completions, none is lost. */
	counts = count_text(issues);
	assert_int_equal(counts.n_ios, n);
	assert_int_equal(counts.n_unmatched, 0);
	free(issues);
	free(completions);
	free(text);
}

/* The first 64 KiB cannot show all later events. */
static void what_kind_of_trace_it_is_may_show_late(void **state)
{
	char *completions =
		make_lines(4000, "8,0 0 1 0.%09zu 1 C R %zu + 8 [a]\n");
	char *text = NULL;

	(void)state;
	assert_true(asprintf(&text, "%s%s", completions,
			     "8,0 0 1 5.000000000 1 D R 8 + 8 [a]\n"
			     "8,0 0 1 5.000000001 1 C R 8 + 8 [a]\n"
			     "8,0 0 1 5.000000002 1 C R 8 + 8 [a]\n") > 0);
	struct ssdpm_trace_counts counts = count_text(text);
	assert_int_equal(counts.n_ios, 4001);
	assert_int_equal(counts.n_orphans, 1);
	free(text);
	free(completions);
}

static void records_do_not_depend_on_how_they_are_read(void **state)
{
	char text[20000];
	size_t size = 0;
	uint64_t seed = 7, now = 1000;
	static struct outcome whole;

	(void)state;
	for (int i = 0; i < 150; i++) {
		uint64_t a = fixture_random(&seed) % 8;
		char action = fixture_random(&seed) % 2 ? 'D' : 'C';

		now += fixture_random(&seed) % 1000000;
		size += (size_t)snprintf(
			text + size, sizeof(text) - size,
			"8,0 0 1 0.%09llu 1 %c R %llu + 8 [a]\n",
			(unsigned long long)now, action, (unsigned long long)a);
	}
	memcpy(&whole, read_data(text, size, NULL, MAX_IOS), sizeof(whole));
	assert_int_equal(whole.code, 0);
	assert_true(whole.n > 30);
	for (size_t step = 1; step < 9; step++) {
		struct outcome *o = read_data(text, size, NULL, step);

		assert_memory_equal(o, &whole, sizeof(whole));
	}
}

/* An event of a random text, and what it was paired with. */
struct random_event {
	uint64_t ns, sector;
	bool completes, taken;
};

enum { N_RANDOM = 300 };

static int by_time(const void *a, const void *b)
{
	const struct random_event *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/*
 * Times differ; some events are more than 30 s apart. The first is a pair, so
 * it is a trace with completions.
 */
static size_t make_random_events(struct random_event *e, uint64_t *seed)
{
	uint64_t ns = 1;

	for (size_t i = 0; i < N_RANDOM; i++) {
		uint64_t pause = fixture_random(seed) % 50 + (i < 2);

		ns += pause == 0 ? 31000000000u : 1 + pause * 1000000;
		e[i] = (struct random_event){
			.ns = ns,
			.sector = i < 2 ? 9 : fixture_random(seed) % 6,
			.completes = i < 2 ? i : fixture_random(seed) % 2,
		};
	}
	return N_RANDOM;
}

static size_t print_events(const struct random_event *e, size_t n, char *text)
{
	size_t size = 0;

	for (size_t i = 0; i < n; i++)
		size += (size_t)sprintf(
			text + size,
			"8,0 0 1 %llu.%09llu 1 %c R %llu + 8 "
			"[a]\n",
			(unsigned long long)e[i].ns / 1000000000,
			(unsigned long long)e[i].ns % 1000000000,
			e[i].completes ? 'C' : 'D',
			(unsigned long long)e[i].sector);
	return size;
}

static struct random_event *find_issue(struct random_event *e,
				       const struct random_event *completion)
{
	for (; e < completion; e++)
		if (!e->completes && !e->taken &&
		    e->sector == completion->sector &&
		    completion->ns - e->ns <= 30000000000u)
			return e;
	return NULL;
}

/* Sorted events, paired plainly: service_ns by the index of the issue. */
static size_t pair_slowly(struct random_event *e, size_t n,
			  uint64_t *service_ns)
{
	size_t n_pairs = 0;

	for (size_t i = 0; i < n; i++) {
		struct random_event *issue =
			e[i].completes ? find_issue(e, &e[i]) : NULL;

		if (!issue)
			continue;
		issue->taken = true;
		service_ns[issue - e] = e[i].ns - issue->ns;
		n_pairs++;
	}
	return n_pairs;
}

static void assert_paired(const struct outcome *o, const struct random_event *e,
			  size_t n, const uint64_t *service_ns)
{
	size_t at = 0, n_issues = 0;

	for (size_t i = 0; i < n; i++) {
		n_issues += !e[i].completes;
		if (!e[i].taken)
			continue;
		uint32_t expected = service_ns[i] > SSDPM_SERVICE_MAX ?
					    SSDPM_SERVICE_MAX :
					    (uint32_t)service_ns[i];
		assert_io(&o->ios[at++], e[i].ns, e[i].sector * 512, 4096,
			  expected, SSDPM_OP_READ);
	}
	assert_int_equal(at, o->n);
	assert_int_equal(o->counts.n_unmatched, n_issues - at);
	assert_int_equal(o->counts.n_orphans, n - n_issues - at);
}

static void pairing_agrees_with_a_slow_one(void **state)
{
	static struct random_event e[N_RANDOM];
	static char text[N_RANDOM * 60];
	uint64_t seed = 11;

	(void)state;
	for (int round = 0; round < 300; round++) {
		uint64_t service_ns[N_RANDOM];
		size_t n = make_random_events(e, &seed);
		size_t size = print_events(e, n, text);
		size_t n_pairs = pair_slowly(e, n, service_ns);
		struct outcome *o = read_data(text, size, NULL, MAX_IOS);

		assert_int_equal(o->code, 0);
		assert_true(n_pairs > 50);
		assert_paired(o, e, n, service_ns);
	}
}

/* As above, with each sector used once, and lines up to 0.1 s late. */
static void late_lines_are_paired_as_if_they_were_not(void **state)
{
	static struct random_event e[N_RANDOM];
	static char text[N_RANDOM * 60];
	uint64_t seed = 12;

	(void)state;
	for (int round = 0; round < 300; round++) {
		uint64_t service_ns[N_RANDOM];
		size_t n = 0;

		for (uint64_t i = 0; i < N_RANDOM / 2; i++) {
			uint64_t ns = 1000000000 + i * 10000000;

			e[n++] = (struct random_event){ .ns = ns, .sector = i };
			ns += 1 + fixture_random(&seed) % 1000000000;
			e[n++] = (struct random_event){ .ns = ns | 1,
							.sector = i,
							.completes = true };
		}
		qsort(e, n, sizeof(e[0]), by_time);
		/* Neighbours swap, some of them twice. */
		for (size_t i = 0; i + 1 < n; i++) {
			struct random_event other = e[i];

			if (fixture_random(&seed) % 3)
				continue;
			e[i] = e[i + 1];
			e[i + 1] = other;
		}
		size_t size = print_events(e, n, text);
		qsort(e, n, sizeof(e[0]), by_time);
		assert_int_equal(pair_slowly(e, n, service_ns), N_RANDOM / 2);
		struct outcome *o = read_data(text, size, NULL, MAX_IOS);
		assert_int_equal(o->code, 0);
		assert_paired(o, e, n, service_ns);
	}
}

static void a_pipe_gives_what_memory_gives(void **state)
{
	struct outcome o = { .n = 0 };
	struct ssdpm_trace *trace;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_true(write(fds[1], two_devices, strlen(two_devices)) > 0);
	close(fds[1]);
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .device = "8,0" };
	assert_int_equal(ssdpm_trace_open(fds[0], &params, &trace, NULL), 0);
	struct fixture_trace records;
	assert_int_equal(fixture_drain_trace(trace, MAX_IOS, &records, NULL),
			 0);
	keep(&o, &records);
	close(fds[0]);
	assert_int_equal(o.n, 1);
	assert_io(&o.ios[0], 1, 4096, 4096, 2, SSDPM_OP_READ);
}

static void a_format_that_is_named_must_be_there(void **state)
{
	static const uint32_t formats[] = { SSDPM_TRACE_BLKPARSE,
					    SSDPM_TRACE_BLKTRACE,
					    SSDPM_TRACE_BIOSNOOP };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct ssdpm_trace_params params = { .size = sizeof(params),
						     .format = formats[i] };
		struct outcome *o = read_data("nothing of that kind\n", 21,
					      &params, MAX_IOS);

		assert_true(o->code == -EINVAL || o->code == -EIO);
		assert_int_equal(o->n, 0);
	}
}

/* The events of blktrace, from numbers: linux/blktrace_api.h. */
enum {
	QUEUE = 1 | 1 << 20,
	ISSUE = 7 | 1 << 22,
	COMPLETE = 8 | 1 << 23,
	REQUEUE = 6 | 1 << 21,
	WRITES = 2 << 16,
	FLUSHES = 4 << 16,
	DISCARDS = 1 << 29,
	PASSTHROUGH = 1 << 25,
	NOTIFY = 1 << 26,
	CGROUP = 1 << 8,
};

struct binary {
	uint8_t bytes[2000];
	size_t size;
	bool big_endian;
};

static void put_number(struct binary *b, uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned shift = 8 * (b->big_endian ? n - 1 - i : i);

		b->bytes[b->size++] = (uint8_t)(value >> shift);
	}
}

static void put_event(struct binary *b, uint64_t time_ns, uint32_t action,
		      uint64_t sector, uint32_t bytes, uint16_t more)
{
	put_number(b, 0x65617407, 4);
	put_number(b, 1, 4);
	put_number(b, time_ns, 8);
	put_number(b, sector, 8);
	put_number(b, bytes, 4);
	put_number(b, action, 4);
	put_number(b, 4528, 4);
	put_number(b, 8 << 20 | 16, 4);
	put_number(b, 3, 4);
	put_number(b, 0, 2);
	put_number(b, more, 2);
	for (unsigned i = 0; i < more; i++)
		b->bytes[b->size++] = (uint8_t)(i + 1);
}

static struct outcome *read_binary(const struct binary *b, uint32_t flags)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .flags = flags };

	return read_data(b->bytes, b->size, &params, MAX_IOS);
}

static void binary_events_are_paired_in_both_byte_orders(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct binary b = { .big_endian = big };

		put_event(&b, 0, NOTIFY, 0, 0, 8);
		put_event(&b, 90, QUEUE, 8, 4096, 0);
		put_event(&b, 100, ISSUE, 8, 4096, 13);
		put_event(&b, 101, ISSUE | WRITES | CGROUP, 8, 8192, 8);
		put_event(&b, 102, ISSUE | FLUSHES, UINT64_MAX, 0, 0);
		put_event(&b, 103, ISSUE | DISCARDS | WRITES, 0, 65536, 0);
		put_event(&b, 104, ISSUE | PASSTHROUGH, 0, 512, 3);
		put_event(&b, 105, NOTIFY | 2, 0, 0, 5);
		put_event(&b, 110, COMPLETE | DISCARDS | WRITES, 0, 65536, 0);
		put_event(&b, 111, COMPLETE | FLUSHES, 0, 0, 0);
		put_event(&b, 112, COMPLETE | WRITES, 8, 8192, 0);
		put_event(&b, 113, COMPLETE, 8, 4096, 0);
		struct outcome *o = read_binary(&b, 0);
		assert_int_equal(o->code, 0);
		assert_int_equal(o->counts.format, SSDPM_TRACE_BLKTRACE);
		assert_int_equal(o->counts.n_lines, 12);
		assert_int_equal(o->n, 4);
		assert_io(&o->ios[0], 100, 4096, 4096, 13, SSDPM_OP_READ);
		assert_io(&o->ios[1], 101, 4096, 8192, 11, SSDPM_OP_WRITE);
		assert_io(&o->ios[2], 102, 0, 0, 9, SSDPM_OP_FLUSH);
		assert_io(&o->ios[3], 103, 0, 65536, 7, SSDPM_OP_DISCARD);
	}
}

static void a_requeue_is_read_from_binary_events_too(void **state)
{
	struct binary b = { .size = 0 };

	(void)state;
	put_event(&b, 100, ISSUE, 8, 4096, 0);
	put_event(&b, 101, REQUEUE, 8, 4096, 0);
	put_event(&b, 200, ISSUE, 8, 4096, 0);
	put_event(&b, 203, COMPLETE, 8, 4096, 0);
	struct outcome *o = read_binary(&b, 0);
	assert_int_equal(o->n, 1);
	assert_io(&o->ios[0], 200, 4096, 4096, 3, SSDPM_OP_READ);
}

static void binary_events_that_are_cut_off_or_damaged_are_told(void **state)
{
	struct binary b = { .size = 0 };

	(void)state;
	put_event(&b, 100, ISSUE, 8, 4096, 4);
	put_event(&b, 105, COMPLETE, 8, 4096, 4);
	size_t whole = b.size;
	put_event(&b, 109, COMPLETE, 8, 4096, 4);
	for (b.size = whole + 1; b.size < whole + 52; b.size++) {
		struct outcome *o = read_binary(&b, 0);

		fixture_assert_error(&o->error, -EIO, 3, "cut off");
		/* Earlier events are kept. */
		assert_int_equal(o->n, 1);
		o = read_binary(&b, SSDPM_TRACE_SKIP_BAD);
		assert_int_equal(o->code, 0);
		assert_int_equal(o->n, 1);
		assert_int_equal(o->counts.n_bad, 1);
	}
	/* Seven bytes too many after the first event. */
	memmove(b.bytes + 52 + 7, b.bytes + 52, 52);
	memset(b.bytes + 52, 0xff, 7);
	b.size = 2 * 52 + 7;
	struct outcome *o = read_binary(&b, 0);
	fixture_assert_error(&o->error, -EINVAL, 2, "no event of blktrace");
	o = read_binary(&b, SSDPM_TRACE_SKIP_BAD);
	assert_int_equal(o->n, 1);
	assert_int_equal(o->ios[0].service_ns, 5);
	assert_int_equal(o->counts.n_bad, 1);
}

static void another_version_of_blktrace_is_refused(void **state)
{
	struct binary b = { .size = 0 };

	(void)state;
	put_event(&b, 100, ISSUE, 8, 4096, 0);
	b.bytes[0] = 6;
	fixture_assert_error(&read_binary(&b, 0)->error, -EINVAL, 1,
			     "version 6, not 7");
}

static void a_sector_beyond_2_to_the_64_bytes_is_refused(void **state)
{
	struct binary b = { .size = 0 };

	(void)state;
	put_event(&b, 100, ISSUE, UINT64_MAX, 4096, 0);
	fixture_assert_error(&read_binary(&b, 0)->error, -ERANGE, 1, "sector");
}

static void completions_of_biosnoop_are_put_in_order(void **state)
{
	(void)state;
	struct outcome *o = read_text(
		"TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  "
		" LAT(ms)\n"
		"1.000178    supervise      1950   xvda1   W 13092432   4096   "
		"    0.61\n"
		"1.001469    Web Content    1956   xvda1   R 8          512    "
		"    1.24\n"
		"1.001588    jbd2/xvda1-8   1956   xvda1   W 0          0      "
		"    1.09\n");

	assert_int_equal(o->counts.format, SSDPM_TRACE_BIOSNOOP);
	assert_int_equal(o->counts.n_lines, 4);
	assert_int_equal(o->n, 3);
	assert_io(&o->ios[0], 999568000, 13092432ull * 512, 4096, 610000,
		  SSDPM_OP_WRITE);
	assert_io(&o->ios[1], 1000229000, 4096, 512, 1240000, SSDPM_OP_READ);
	assert_io(&o->ios[2], 1000498000, 0, 0, 1090000, SSDPM_OP_FLUSH);
}

static void a_long_latency_starts_before_many_others(void **state)
{
	(void)state;
	struct outcome *o = read_text("TIMEus DELTAus\n"
				      "100000000 10\n"
				      "110000000 10\n"
				      "125000000 29000000\n"
				      "126000000 5\n");

	assert_int_equal(o->n, 4);
	assert_io(&o->ios[0], 96000000000, 0, 0, SSDPM_SERVICE_MAX,
		  SSDPM_OP_READ);
	assert_io(&o->ios[1], 99999990000, 0, 0, 10000, SSDPM_OP_READ);
	assert_int_equal(o->counts.n_saturated, 1);
	assert_int_equal(o->counts.resolution_ns, 1000);

	/* A latency longer than the reader's window is too late. */
	static const char late[] = "TIMEus DELTAus\n"
				   "100000000 10\n"
				   "140000000 10\n"
				   "141000000 90000000\n";
	o = read_data(late, strlen(late), NULL, 1);
	fixture_assert_error(&o->error, -EINVAL, 4, "time goes backwards");
}

static void the_time_in_the_queue_is_not_the_drives(void **state)
{
	(void)state;
	struct outcome *o = read_text(
		"# biosnoop.py -Q\n"
		"TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  "
		"QUE(ms) LAT(ms)\n"
		"5.332998    xfsaild/nvme1n 1061   nvme1n1 W 545728     16384  "
		"   0.01    0.61\n"
		"^C\n");

	assert_int_equal(o->n, 1);
	assert_io(&o->ios[0], 5332388000, 545728u * 512, 16384, 610000,
		  SSDPM_OP_WRITE);
}

static void an_io_older_than_the_clock_starts_with_it(void **state)
{
	(void)state;
	struct outcome *o =
		read_text("TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n"
			  "0.000004 a 1 xvda1 W 8 4096 0.74\n");

	assert_io(&o->ios[0], 0, 4096, 4096, 740000, SSDPM_OP_WRITE);
}

static void iosnoop_has_both_ends(void **state)
{
	(void)state;
	struct outcome *o = read_text(
		"# ./iosnoop -ts\n"
		"Tracing block I/O. Ctrl-C to end.\n"
		"STARTs         ENDs           COMM             PID    TYPE DEV "
		"     BLOCK        BYTES     LATms\n"
		"5982800.302061 5982800.302679 supervise        1809   W    "
		"202,1    17039600     4096       0.62\n"
		"5982800.302423 5982800.302842 tar cf           1809   RM   "
		"202,1    17039608     4096       0.42\n"
		"\nEnding tracing...\n");

	assert_int_equal(o->n, 2);
	assert_io(&o->ios[0], 5982800302061000, 17039600ull * 512, 4096, 618000,
		  SSDPM_OP_WRITE);
	assert_io(&o->ios[1], 5982800302423000, 17039608ull * 512, 4096, 419000,
		  SSDPM_OP_READ);
	/* One of them, with the latency, is enough. */
	o = read_text("STARTs COMM PID TYPE DEV BLOCK BYTES LATms\n"
		      "2.000001 a 1 W 202,1 8 4096 0.62\n");
	assert_io(&o->ios[0], 2000001000, 4096, 4096, 620000, SSDPM_OP_WRITE);
	o = read_text("ENDs COMM PID TYPE DEV BLOCK BYTES LATms\n"
		      "2.000001 a 1 W 202,1 8 4096 0.62\n");
	assert_io(&o->ios[0], 1999381000, 4096, 4096, 620000, SSDPM_OP_WRITE);
	assert_fails("COMM PID TYPE DEV BLOCK BYTES LATms\n"
		     "supervise 1809 W 202,1 17039968 4096 1.32\n",
		     -EINVAL, 1, "iosnoop needs the options -ts");
}

static void bpftrace_says_neither_what_nor_where(void **state)
{
	(void)state;
	struct outcome *o = read_text(
		"Attached 4 probes\n"
		"TIME(ms)     DISK ID        COMM             PID    LAT(ms)\n"
		"             MAJOR MINOR\n"
		"611          259   0        bash             4179        10\n"
		"611          259   0        cksum -x         4179         0\n");

	assert_int_equal(o->n, 2);
	assert_io(&o->ios[0], 601000000, 0, 0, 10000000, SSDPM_OP_READ);
	assert_io(&o->ios[1], 611000000, 0, 0, 0, SSDPM_OP_READ);
	assert_int_equal(o->counts.resolution_ns, 1000000);
	assert_int_equal(o->counts.n_bad, 0);
	assert_int_equal(o->counts.n_unsized, 2);
	assert_int_equal(o->counts.n_untyped, 2);

	o = read_text_of("TIME(ms) DISK ID COMM PID LAT(ms)\n"
			 "611 259 0 bash 4179 10\n"
			 "612 8 16 bash 4179 10\n",
			 "259,0", 0);
	assert_int_equal(o->n, 1);
	assert_int_equal(o->counts.n_other_device, 1);
	o = read_text("TIME(ms)     DISK    COMM             PID    LAT(ms)\n"
		      "611          nvme0n1 bash             4179        10\n");
	assert_int_equal(o->ios[0].start_ns, 601000000);
	o = read_text("TIME(ms)     COMM             PID    LAT(ms)\n"
		      "611          bash             4179        10\n");
	assert_int_equal(o->ios[0].start_ns, 601000000);
}

static void rows_that_do_not_fit_the_columns_fail_or_are_counted(void **state)
{
	static const char *const rows[] = {
		"1.0 a 1 sda W 8 4096\n",
		"x a 1 sda W 8 4096 0.5\n",
		"-1.0 a 1 sda W 8 4096 0.5\n",
		"1.0 a 1 sda W 8 4096 -0.5\n",
		"1.0 a 1 sda ? 8 4096 0.5\n",
		"1.0 a 1 sda W -8 4096 0.5\n",
		"1.0 a 1 sda W 8 4 GiB 0.5\n",
		"1.0 a 1 sda W 8 4294967296 0\n",
		"Lost 5 samples\n",
		"1.0 a 1 sda W 8 4096 0.5x\n",
		"99999999999.0 a 1 sda W 8 4096 0.5\n",
		"1.0 a 1 sda W 36028797018963968 4096 0.5\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[200];

		snprintf(text, sizeof(text), "%s%s%s",
			 "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n",
			 rows[i], "2.0 a 1 sda W 8 4096 0.5\n");
		assert_fails(text, -EINVAL, 2, "");
		struct outcome *o =
			read_text_of(text, NULL, SSDPM_TRACE_SKIP_BAD);
		assert_int_equal(o->code, 0);
		assert_int_equal(o->n, 1);
		assert_int_equal(o->counts.n_bad, 1);
	}
}

static void several_disks_of_biosnoop_are_told_apart(void **state)
{
	static const char text[] =
		"TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n"
		"1.0 a 1 xvda W 8 4096 0.5\n"
		"2.0 a 1 xvdb D 8 8589934592 0.5\n";

	(void)state;
	assert_fails(text, -EINVAL, 3, "several devices, xvda and xvdb");
	struct outcome *o = read_text_of(text, "xvdb", 0);
	assert_int_equal(o->n, 4);
	assert_int_equal(o->counts.n_ios, 1);
	assert_int_equal(o->ios[3].flags, SSDPM_IO_CONTINUED);
	o = read_text_of("TIMEus DELTAus\n7 5\n", "xvdb", 0);
	fixture_assert_error(&o->error, -EINVAL, 1, "no column has the device");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_issue_and_its_completion_become_one_record),
		cmocka_unit_test(records_come_in_the_order_of_their_start),
		cmocka_unit_test(
			equal_ios_complete_in_the_order_of_their_issue),
		cmocka_unit_test(an_issue_is_waited_for_30_seconds),
		cmocka_unit_test(a_lost_completion_holds_nothing_up),
		cmocka_unit_test(a_completion_without_an_issue_is_counted),
		cmocka_unit_test(completions_alone_say_when_and_no_more),
		cmocka_unit_test(issues_alone_have_no_service),
		cmocka_unit_test(what_is_nearest_to_the_drive_is_the_issue),
		cmocka_unit_test(a_merge_counts_where_it_is_issued),
		cmocka_unit_test(a_requeued_io_starts_when_it_is_issued_again),
		cmocka_unit_test(a_wrapped_time_is_the_one_before),
		cmocka_unit_test(several_devices_are_read_when_one_is_named),
		cmocka_unit_test(the_issue_is_that_of_the_device_that_is_read),
		cmocka_unit_test(words_around_the_events_are_passed_over),
		cmocka_unit_test(a_line_that_is_no_event_fails_or_is_counted),
		cmocka_unit_test(numbers_beyond_their_field_are_refused),
		cmocka_unit_test(a_discard_of_4_gib_is_split_and_counted_once),
		cmocka_unit_test(a_flush_has_no_size),
		cmocka_unit_test(commands_that_are_no_io_are_left_out),
		cmocka_unit_test(lines_that_are_late_are_put_in_order),
		cmocka_unit_test(a_completion_before_an_issue_is_another_ones),
		cmocka_unit_test(many_completions_may_lie_before_their_issues),
		cmocka_unit_test(two_runs_in_one_file_are_told),
		cmocka_unit_test(what_is_too_late_is_a_time_going_backwards),
		cmocka_unit_test(memory_is_bounded_however_many_are_issued),
		cmocka_unit_test(what_kind_of_trace_it_is_may_show_late),
		cmocka_unit_test(records_do_not_depend_on_how_they_are_read),
		cmocka_unit_test(pairing_agrees_with_a_slow_one),
		cmocka_unit_test(late_lines_are_paired_as_if_they_were_not),
		cmocka_unit_test(a_pipe_gives_what_memory_gives),
		cmocka_unit_test(a_format_that_is_named_must_be_there),
		cmocka_unit_test(binary_events_are_paired_in_both_byte_orders),
		cmocka_unit_test(a_requeue_is_read_from_binary_events_too),
		cmocka_unit_test(
			binary_events_that_are_cut_off_or_damaged_are_told),
		cmocka_unit_test(another_version_of_blktrace_is_refused),
		cmocka_unit_test(a_sector_beyond_2_to_the_64_bytes_is_refused),
		cmocka_unit_test(completions_of_biosnoop_are_put_in_order),
		cmocka_unit_test(a_long_latency_starts_before_many_others),
		cmocka_unit_test(the_time_in_the_queue_is_not_the_drives),
		cmocka_unit_test(an_io_older_than_the_clock_starts_with_it),
		cmocka_unit_test(iosnoop_has_both_ends),
		cmocka_unit_test(bpftrace_says_neither_what_nor_where),
		cmocka_unit_test(
			rows_that_do_not_fit_the_columns_fail_or_are_counted),
		cmocka_unit_test(several_disks_of_biosnoop_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
