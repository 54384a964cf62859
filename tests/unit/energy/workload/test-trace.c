/* SPDX-License-Identifier: MIT */
/* Properties that the readers of all formats share. */
#include "fixture.h"

#include <stdio.h>

#define MAP "time:ns,offset,bytes,op"
#define V3 "fio version 3 iolog\n"

/*
 * A head, good records, the first of which starts at 1 us or before, and bad
 * lines.
 */
struct sample {
	uint32_t format;
	const char *columns;
	const char *head;
	const char *good[3];
	const char *bad;
	const char *backward; /* more than 0.2 s before good[1]; or NULL */
	uint32_t n_lines;     /* of each of good */
};

static const struct sample samples[] = {
	{ SSDPM_TRACE_DELIMITED,
	  MAP,
	  "",
	  { "1,0,0,r\n", "1000000000,0,0,r\n", "2000000000,0,0,w\n" },
	  "3000,0,0,x\n",
	  "799999999,0,0,w\n",
	  1 },
	{ SSDPM_TRACE_DELIMITED,
	  MAP ",service:ns",
	  "",
	  { "1000,0,0,r,1\n", "1,0,0,r,2000\n", "2000,0,0,w,3\n" },
	  "3000,0,0,r,x\n",
	  NULL,
	  1 },
	{ SSDPM_TRACE_FIO_IOLOG,
	  NULL,
	  V3,
	  { "0 f read 0 512\n", "1000000 f write 0 512\n",
	    "2000000 f read 8 8\n" },
	  "3 f dance 0 0\n",
	  "799999 f read 8 8\n",
	  1 },
	{ SSDPM_TRACE_FIO_LATENCY_LOG,
	  NULL,
	  "",
	  { "2, 1000, 0, 512\n", "3, 2500000, 0, 512\n",
	    "4, 1000000, 1, 512\n" },
	  "5, 1000, 9, 512\n",
	  NULL,
	  1 },
	{ SSDPM_TRACE_BLKPARSE,
	  NULL,
	  "",
	  { "8,0 0 1 0.000000001 1 D R 8 + 8 [a]\n"
	    "8,0 0 1 0.000000900 1 C R 8 + 8 [0]\n",
	    "8,0 0 1 0.000001000 1 D W 8 + 8 [a]\n"
	    "8,0 0 1 0.000001900 1 C W 8 + 8 [0]\n",
	    "8,0 0 1 0.000002000 1 D R 8 + 8 [a]\n"
	    "8,0 0 1 0.000002900 1 C R 8 + 8 [0]\n" },
	  "8,0 0 1 0.000003000 1 D R x + 8 [a]\n",
	  NULL,
	  2 },
	{ SSDPM_TRACE_BIOSNOOP,
	  NULL,
	  "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n",
	  { "0.000002 a 1 sda R 8 512 0.001\n",
	    "0.000003 a 1 sda W 8 512 0.002\n",
	    "0.000004 a 1 sda R 8 512 0.001\n" },
	  "0.000005 a 1 sda R 8 512 x\n",
	  NULL,
	  1 },
};

enum { N_SAMPLES = sizeof(samples) / sizeof(samples[0]), TEXT_BYTES = 1024 };

static int read_sample(const struct sample *sample, const char *text,
		       uint32_t flags, size_t max, struct fixture_trace *trace,
		       struct ssdpm_error *error)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .flags = flags,
					     .format = sample->format,
					     .columns = sample->columns };

	return fixture_read_before(text, strlen(text), &params, max, trace,
				   error);
}

/* The head and n of the good records, and then the last line. */
static const char *write_sample(const struct sample *sample, size_t n,
				const char *last)
{
	static char text[TEXT_BYTES];

	snprintf(text, sizeof(text), "%s%s%s%s%s", sample->head,
		 n > 0 ? sample->good[0] : "", n > 1 ? sample->good[1] : "",
		 n > 2 ? sample->good[2] : "", last);
	return text;
}

static void assert_same(const struct fixture_trace *a,
			const struct fixture_trace *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->ios, b->ios, a->n * sizeof(a->ios[0]));
}

static void what_was_read_before_a_failure_is_given_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SAMPLES; i++)
		for (size_t step = 1; step < 6; step++) {
			const struct sample *s = &samples[i];
			struct ssdpm_error error = fixture_error();
			struct fixture_trace good, bad;
			uint32_t line = 3 * s->n_lines + 1 + (s->head[0] != 0);

			assert_int_equal(read_sample(s, write_sample(s, 3, ""),
						     0, 8, &good, &error),
					 0);
			assert_int_equal(good.n, 3);
			assert_int_equal(read_sample(s,
						     write_sample(s, 3, s->bad),
						     0, step, &bad, &error),
					 -EINVAL);
			assert_same(&good, &bad);
			fixture_assert_error(&error, -EINVAL, line, "");
			assert_int_equal(bad.counts.n_lines, line);
			free(good.ios);
			free(bad.ios);
		}
}

static void a_bad_line_is_counted_on_demand_and_nothing_else_lost(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SAMPLES; i++)
		for (size_t step = 1; step < 6; step++) {
			const struct sample *s = &samples[i];
			struct fixture_trace good, bad;
			char text[TEXT_BYTES];

			assert_int_equal(read_sample(s, write_sample(s, 3, ""),
						     0, 8, &good, NULL),
					 0);
			snprintf(text, sizeof(text), "%s%s%s%s",
				 write_sample(s, 1, s->bad), s->good[1], s->bad,
				 s->good[2]);
			assert_int_equal(read_sample(s, text,
						     SSDPM_TRACE_SKIP_BAD, step,
						     &bad, NULL),
					 0);
			assert_same(&good, &bad);
			assert_int_equal(bad.counts.n_bad, 2);
			free(good.ios);
			free(bad.ios);
		}
}

static void a_time_going_backwards_ends_the_trace_or_is_counted(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SAMPLES; i++)
		for (size_t step = 1; samples[i].backward && step < 6; step++) {
			const struct sample *s = &samples[i];
			struct ssdpm_error error = fixture_error();
			struct fixture_trace trace;
			char text[TEXT_BYTES];

			/*
			 * The first fault is reported, whatever the size of
			 * reads.
			 */
			snprintf(text, sizeof(text), "%s%s",
				 write_sample(s, 3, s->backward), s->bad);
			assert_int_equal(
				read_sample(s, text, 0, step, &trace, &error),
				-EINVAL);
			assert_int_equal(trace.n, 3);
			assert_non_null(strstr(error.message, "backwards"));
			free(trace.ios);
			assert_int_equal(read_sample(s, text,
						     SSDPM_TRACE_SKIP_BAD, step,
						     &trace, &error),
					 0);
			assert_int_equal(trace.n, 4);
			assert_int_equal(trace.counts.n_bad, 1);
			assert_int_equal(trace.counts.n_backward, 1);
			assert_int_equal(trace.ios[2].start_ns,
					 trace.ios[1].start_ns);
			free(trace.ios);
		}
}

/* ASCII and "\xff" alone, as Windows programs write them. */
struct encoding {
	const char *mark;
	size_t n_mark;
	bool crlf;
	int zeros; /* before each letter: 1, behind it: 2 */
};

static const struct encoding encodings[] = {
	{ "", 0, true, 0 },	    { "\xef\xbb\xbf", 3, true, 0 },
	{ "\xff\xfe", 2, true, 2 }, { "\xff\xfe", 2, false, 2 },
	{ "\xfe\xff", 2, true, 1 },
};

static size_t put_letter(char *to, char letter, int zeros)
{
	size_t n = 0;

	if (zeros == 1)
		to[n++] = 0;
	to[n++] = letter;
	if (zeros == 2)
		to[n++] = 0;
	return n;
}

static size_t encode(const char *text, const struct encoding *as, char *to)
{
	size_t n = as->n_mark;

	memcpy(to, as->mark, n);
	for (; *text; text++) {
		if (*text == '\n' && as->crlf)
			n += put_letter(to + n, '\r', as->zeros);
		n += put_letter(to + n, *text, as->zeros);
	}
	return n;
}

static void all_text_may_be_as_windows_writes_it(void **state)
{
	const size_t n_encodings = sizeof(encodings) / sizeof(encodings[0]);

	(void)state;
	for (size_t i = 0; i < N_SAMPLES * n_encodings; i++) {
		const struct sample *s = &samples[i / n_encodings];
		struct ssdpm_trace_params params = { .size = sizeof(params),
						     .columns = s->columns };
		const char *text = write_sample(s, 3, "");
		char encoded[4 * TEXT_BYTES];
		struct fixture_trace good, other;

		assert_int_equal(read_sample(s, text, 0, 8, &good, NULL), 0);
		assert_int_equal(
			fixture_read_trace(encoded,
					   encode(text,
						  &encodings[i % n_encodings],
						  encoded),
					   &params, 8, &other, NULL),
			0);
		assert_same(&good, &other);
		assert_int_equal(other.counts.n_lines, good.counts.n_lines);
		free(good.ios);
		free(other.ios);
	}
}

/* Letters of each UTF-8 length, one cut in two, and halves. */
static void letters_of_utf16_come_out_in_utf8(void **state)
{
	static const unsigned char text[] = {
		0xff, 0xfe, '1',  0,	',',  0,    '0',  0,	',',
		0,    '0',  0,	  ',',	0,    'r',  0,	  ',',	0,
		0xe9, 0,    0xac, 0x20, 0x3d, 0xd8, 0x00, 0xde, 0x00,
		0xd8, 'x',  0,	  0x00, 0xdc, '\n', 0,
	};
	struct ssdpm_trace_params params = {
		.size = sizeof(params),
		.columns = "time:ns,offset,bytes,op,device",
		.device = "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"
			  "\xef\xbf\xbdx\xef\xbf\xbd",
	};
	struct ssdpm_error error = fixture_error();
	struct fixture_trace trace;

	(void)state;
	assert_int_equal(fixture_read_trace(text, sizeof(text), &params, 1,
					    &trace, NULL),
			 0);
	assert_int_equal(trace.n, 1);
	assert_int_equal(trace.counts.n_other_device, 0);
	free(trace.ios);
	assert_int_equal(fixture_read_trace(text, sizeof(text) - 1, &params, 1,
					    &trace, &error),
			 -EIO);
	fixture_assert_error(&error, -EIO, 0, "in UTF-16 and cut off");
}

/* Only the last line can change, or become invalid. */
static void a_trace_may_be_cut_off_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SAMPLES; i++) {
		const struct sample *s = &samples[i];
		struct fixture_trace whole, part;
		char text[TEXT_BYTES];

		snprintf(text, sizeof(text), "%s", write_sample(s, 3, ""));
		assert_int_equal(read_sample(s, text, 0, 8, &whole, NULL), 0);
		for (size_t size = strlen(text) - 1; size; size--) {
			text[size] = '\0';
			read_sample(s, text, 0, 8, &part, NULL);
			assert_true(part.n <= 3);
			for (size_t k = 0; k + 1 < part.n; k++)
				assert_int_equal(part.ios[k].start_ns,
						 whole.ios[k].start_ns);
			free(part.ios);
			int err = read_sample(s, text, SSDPM_TRACE_SKIP_BAD, 8,
					      &part, NULL);
			assert_true(!err || !part.n);
			free(part.ios);
		}
		free(whole.ios);
	}
}

static void words_are_those_of_the_enumerations(void **state)
{
	(void)state;
	for (uint32_t op = SSDPM_OP_READ; op <= SSDPM_N_OPS; op++)
		assert_non_null(ssdpm_op_to_string(op));
	assert_null(ssdpm_op_to_string(0));
	assert_null(ssdpm_op_to_string(SSDPM_N_OPS + 1));
	for (uint32_t f = SSDPM_TRACE_NPY; f <= SSDPM_TRACE_PROCMON_CSV; f++) {
		assert_non_null(ssdpm_trace_format_to_string(f));
		for (uint32_t k = SSDPM_TRACE_NPY; k < f; k++)
			assert_string_not_equal(
				ssdpm_trace_format_to_string(k),
				ssdpm_trace_format_to_string(f));
	}
	assert_null(ssdpm_trace_format_to_string(0));
	assert_null(ssdpm_trace_format_to_string(SSDPM_TRACE_PROCMON_CSV + 1));
}

/* The error names a record, not a line. */
static void records_before_a_bad_one_of_npy_are_given_out(void **state)
{
	uint8_t file[SSDPM_NPY_HEADER_BYTES + 3 * sizeof(struct ssdpm_io)];
	const struct ssdpm_io ios[3] = {
		{ .start_ns = 1, .bytes = 512, .op = SSDPM_OP_READ },
		{ .start_ns = 2, .bytes = 512, .op = SSDPM_OP_READ },
		{ .start_ns = 3, .bytes = 512, .op = 77 },
	};

	(void)state;
	ssdpm_npy_header(3, file);
	for (size_t i = 0; i < 3; i++)
		ssdpm_io_to_npy(&ios[i], file + SSDPM_NPY_HEADER_BYTES +
						 i * SSDPM_NPY_RECORD_BYTES);
	for (size_t step = 1; step < 5; step++) {
		struct ssdpm_error error = fixture_error();
		struct fixture_trace trace;

		assert_int_equal(fixture_read_before(file, sizeof(file), NULL,
						     step, &trace, &error),
				 -EINVAL);
		assert_int_equal(trace.n, 2);
		assert_memory_equal(trace.ios, ios, 2 * sizeof(ios[0]));
		fixture_assert_error(&error, -EINVAL, 3, "operation 77");
		free(trace.ios);
	}
}

static void one_io_is_a_trace_and_none_is_an_empty_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SAMPLES; i++)
		for (size_t n = 0; n < 2; n++) {
			const struct sample *s = &samples[i];
			const char *text = write_sample(s, n, "");
			struct ssdpm_error error = fixture_error();
			struct fixture_trace trace;
			int err = read_sample(s, text, 0, 4, &trace, &error);

			if (text[0])
				assert_int_equal(err, 0);
			else
				fixture_assert_error(&error, -EINVAL, 0,
						     "the trace is empty");
			assert_int_equal(trace.n, n);
			free(trace.ios);
		}
}

/* 2^64-1 ns, which only some formats can write, and the next time. */
static void the_last_time_that_fits_is_read_and_no_later_one(void **state)
{
	static const struct {
		uint32_t format;
		const char *columns;
		const char *text;
		const char *late;
		uint64_t start_ns;
	} cases[] = {
		{ 0, MAP, "18446744073709551615,0,0,r\n",
		  "18446744073709551616,0,0,r\n", UINT64_MAX },
		{ 0, MAP ",service:ns",
		  "18446744073709551615,0,0,r,18446744073709551615\n",
		  "18446744073709551616,0,0,r,1\n", UINT64_MAX },
		{ SSDPM_TRACE_FIO_IOLOG, NULL,
		  V3 "18446744073709551 f read 0 512\n",
		  V3 "18446744073709552 f read 0 512\n",
		  18446744073709551000u },
		{ SSDPM_TRACE_FIO_LATENCY_LOG, NULL,
		  "18446744073709, 0, 0, 512\n", "18446744073710, 0, 0, 512\n",
		  18446744073709000000u },
		{ SSDPM_TRACE_BLKPARSE, NULL,
		  "8,0 0 1 18446744073.709551615 1 D R 8 + 8 [a]\n",
		  "8,0 0 1 18446744073.709551616 1 D R 8 + 8 [a]\n",
		  UINT64_MAX },
		{ SSDPM_TRACE_BIOSNOOP, NULL,
		  "TIMEus DELTAus\n18446744073709551 0\n",
		  "TIMEus DELTAus\n18446744073709552 0\n",
		  18446744073709551000u },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sample sample = { .format = cases[i].format,
					       .columns = cases[i].columns };
		struct fixture_trace trace;
		struct ssdpm_error error;

		assert_int_equal(read_sample(&sample, cases[i].text, 0, 2,
					     &trace, &error),
				 0);
		assert_int_equal(trace.n, 1);
		assert_int_equal(trace.ios[0].start_ns, cases[i].start_ns);
		free(trace.ios);
		assert_true(read_sample(&sample, cases[i].late, 0, 2, &trace,
					&error) < 0);
		assert_int_equal(trace.n, 0);
		free(trace.ios);
	}
}

static void there_has_to_be_room_for_a_record(void **state)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_trace *trace;
	struct ssdpm_io io;
	size_t n = 77;

	(void)state;
	assert_int_equal(
		ssdpm_trace_open_data(V3, strlen(V3), NULL, &trace, NULL), 0);
	assert_int_equal(ssdpm_trace_read(trace, &io, 0, &n, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "no room");
	assert_int_equal(n, 77);
	ssdpm_trace_free(trace);
}

static void parameters_that_nobody_knows_are_refused(void **state)
{
	struct ssdpm_trace_params params = { .size = sizeof(params) };
	struct ssdpm_error error = fixture_error();
	struct ssdpm_trace *trace = UNTOUCHED;

	(void)state;
	params.format = 99;
	assert_int_equal(
		ssdpm_trace_open_data(V3, strlen(V3), &params, &trace, &error),
		-EINVAL);
	fixture_assert_error(&error, -EINVAL, 0,
			     "unknown format of a trace: 99");
	params.flags = 2;
	assert_int_equal(ssdpm_trace_open(-1, &params, &trace, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "flags: an unknown bit");
	params.size = 1;
	assert_int_equal(
		ssdpm_trace_open_data(V3, strlen(V3), &params, &trace, &error),
		-EINVAL);
	fixture_assert_error(&error, -EINVAL, 0,
			     "ssdpm_trace_params.size is 1: set it to "
			     "sizeof(struct ssdpm_trace_params)");
	assert_ptr_equal(trace, UNTOUCHED);
	assert_null(ssdpm_trace_free(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_read_before_a_failure_is_given_out),
		cmocka_unit_test(
			a_bad_line_is_counted_on_demand_and_nothing_else_lost),
		cmocka_unit_test(
			a_time_going_backwards_ends_the_trace_or_is_counted),
		cmocka_unit_test(all_text_may_be_as_windows_writes_it),
		cmocka_unit_test(letters_of_utf16_come_out_in_utf8),
		cmocka_unit_test(a_trace_may_be_cut_off_anywhere),
		cmocka_unit_test(words_are_those_of_the_enumerations),
		cmocka_unit_test(records_before_a_bad_one_of_npy_are_given_out),
		cmocka_unit_test(one_io_is_a_trace_and_none_is_an_empty_one),
		cmocka_unit_test(
			the_last_time_that_fits_is_read_and_no_later_one),
		cmocka_unit_test(there_has_to_be_room_for_a_record),
		cmocka_unit_test(parameters_that_nobody_knows_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
