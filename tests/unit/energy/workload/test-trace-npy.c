/* SPDX-License-Identifier: MIT */
/* NumPy's .npy of I/O records. */
#include "fixture.h"

#include <stdio.h>

#define FIELDS                                                       \
	"('start_ns', '<u8'), ('offset', '<u8'), ('bytes', '<u4'), " \
	"('service_ns', '<u4'), ('op', '|u1'), ('flags', '|u1'), "
#define DESCR "[" FIELDS "('', '|V6')]"
#define HEAD "{'descr': " DESCR ", 'fortran_order': False, 'shape': (2,), }"

static const struct ssdpm_io ios[2] = {
	{ 5, 4096, 512, SSDPM_SERVICE_UNKNOWN, SSDPM_OP_READ, 0, { 0 } },
	{ 7, UINT64_MAX - 1, 1, 4000, SSDPM_OP_DISCARD, 1, { 0 } },
};

struct file {
	uint8_t data[4096];
	size_t size;
};

static void put_records(uint8_t *at, const struct ssdpm_io *records, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(
			ssdpm_io_to_npy(&records[i],
					at + i * SSDPM_NPY_RECORD_BYTES),
			0);
}

/* A file with this head, which NumPy pads, and n bytes of records. */
static struct file make_file(uint8_t version, const char *head,
			     const struct ssdpm_io *records, size_t n)
{
	size_t length = strlen(head), preamble = version > 1 ? 12 : 10;
	struct file file = { .size = preamble + length + n };

	assert_true(file.size <= sizeof(file.data));
	memcpy(file.data, "\x93NUMPY", 6);
	file.data[6] = version;
	file.data[8] = (uint8_t)length;
	file.data[9] = (uint8_t)(length >> 8);
	memcpy(file.data + preamble, head, length);
	put_records(file.data + preamble + length, records,
		    n / SSDPM_NPY_RECORD_BYTES);
	return file;
}

static int read_file(const struct file *file, uint32_t flags,
		     struct fixture_trace *ret_trace,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .flags = flags };

	return fixture_read_trace(file->data, file->size, &params, 3, ret_trace,
				  reterr);
}

static void assert_good(const struct file *file)
{
	struct fixture_trace trace;
	struct ssdpm_error error;

	if (read_file(file, 0, &trace, &error))
		fail_msg("%s", error.message);
	assert_int_equal(trace.counts.format, SSDPM_TRACE_NPY);
	assert_int_equal(trace.n, 2);
	assert_int_equal(trace.counts.n_ios, 1);
	assert_int_equal(trace.counts.n_lines, 2);
	assert_memory_equal(trace.ios, ios, sizeof(ios));
	free(trace.ios);
}

static void assert_bad(const struct file *file, int code, uint32_t line,
		       const char *fragment)
{
	struct ssdpm_error error = fixture_error();
	struct fixture_trace trace;

	assert_int_equal(read_file(file, 0, &trace, &error), code);
	fixture_assert_error(&error, code, line, fragment);
}

static void the_head_is_what_numpy_writes(void **state)
{
	static const uint64_t counts[] = { 0, 7, UINT64_MAX };
	uint8_t head[SSDPM_NPY_HEADER_BYTES];
	char expected[SSDPM_NPY_HEADER_BYTES + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		int n = snprintf(
			expected, sizeof(expected),
			"{'descr': " DESCR
			", 'fortran_order': False, 'shape': (%llu,), }",
			(unsigned long long)counts[i]);

		assert_int_equal(ssdpm_npy_header(counts[i], head), 0);
		assert_memory_equal(head, "\x93NUMPY\x01\x00\xf6\x00", 10);
		assert_memory_equal(head + 10, expected, n);
		for (size_t at = 10 + n; at < sizeof(head) - 1; at++)
			assert_int_equal(head[at], ' ');
		assert_int_equal(head[sizeof(head) - 1], '\n');
	}
}

static void a_record_is_little_endian_everywhere(void **state)
{
	static const struct ssdpm_io io = {
		UINT64_C(0x0102030405060708),
		UINT64_C(0x1112131415161718),
		0x21222324,
		0x31323334,
		SSDPM_OP_WRITE,
		SSDPM_IO_CONTINUED,
		{ 0 },
	};
	static const uint8_t expected[SSDPM_NPY_RECORD_BYTES] = {
		8,    7,    6,	  5,	4,    3,    2,	  1,	0x18,
		0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 0x24, 0x23,
		0x22, 0x21, 0x34, 0x33, 0x32, 0x31, 2,	  1,
	};
	uint8_t record[SSDPM_NPY_RECORD_BYTES];

	(void)state;
	assert_int_equal(ssdpm_io_to_npy(&io, record), 0);
	assert_memory_equal(record, expected, sizeof(expected));
}

static void what_was_written_is_read(void **state)
{
	struct file file = { .size = SSDPM_NPY_HEADER_BYTES + sizeof(ios) };

	(void)state;
	ssdpm_npy_header(2, file.data);
	put_records(file.data + SSDPM_NPY_HEADER_BYTES, ios, 2);
	assert_good(&file);
}

static void all_versions_and_ways_of_writing_are_read(void **state)
{
	static const char *const heads[] = {
		HEAD,
		HEAD "     \n",
		"{'descr':[" FIELDS "('', '|V6')],'fortran_order':False,"
		"'shape':(2,)}\n",
		"{'shape': (2,), 'descr': " DESCR ", 'fortran_order': False}",
		"{'descr': [" FIELDS "('reserved', '|V6')], "
		"'fortran_order': False, 'shape': (2,), }",
		"{'descr': [" FIELDS "('reserved', '|u1', (6,))], "
		"'fortran_order': False, 'shape': (2,), }",
		"{\"descr\": " DESCR ", \"fortran_order\": False, "
		"\"shape\": (2,), }",
	};

	(void)state;
	for (uint8_t version = 1; version <= 3; version++)
		for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
			struct file file =
				make_file(version, heads[i], ios, sizeof(ios));

			assert_good(&file);
		}
}

static void another_head_is_refused(void **state)
{
#define REST ", 'fortran_order': False, 'shape': (2,), }"
	static const struct {
		const char *head;
		const char *fragment;
	} cases[] = {
		{ "", "no dictionary" },
		{ "{}", "missing" },
		{ "{'descr': '<u8'" REST, "dtype" },
		{ "{'descr': [" FIELDS "]" REST, "dtype" },
		{ "{'descr': [" FIELDS "('', '|V7')]" REST, "dtype" },
		{ "{'descr': [" FIELDS "('x', '|V6')]" REST, "dtype" },
		{ "{'descr': [" FIELDS "('reserved', '|u1', (7,))]" REST,
		  "dtype" },
		{ "{'descr': [('start_ns', '>u8'), ('offset', '<u8')]" REST,
		  "dtype" },
		{ "{'descr': [('offset', '<u8'), ('start_ns', '<u8')]" REST,
		  "dtype" },
		{ "{'descr': " DESCR ", 'fortran_order': True, "
		  "'shape': (2,), }",
		  "Fortran" },
		{ "{'descr': " DESCR ", 'fortran_order': False, "
		  "'shape': (2, 1), }",
		  "one dimension" },
		{ "{'descr': " DESCR ", 'fortran_order': False, "
		  "'shape': (), }",
		  "one dimension" },
		{ "{'descr': " DESCR ", 'fortran_order': False, "
		  "'shape': (18446744073709551616,), }",
		  "one dimension" },
		{ "{'descr': " DESCR ", 'descr': " DESCR REST, "twice" },
		{ "{'descr': " DESCR REST "x", "something follows" },
		{ "{'descr': " DESCR ", 'x': 1}", "not known" },
		{ "{'descr': " DESCR, "does not end" },
		{ "{'descr': " DESCR ", 'shape': (2,)}", "missing" },
	};
#undef REST

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct file file = make_file(1, cases[i].head, ios, 64);

		assert_bad(&file, -EINVAL, 0, cases[i].fragment);
	}
}

static void another_version_is_refused(void **state)
{
	struct file file = make_file(4, HEAD, ios, sizeof(ios));

	(void)state;
	assert_bad(&file, -EINVAL, 0, "version 4.0");
	file = make_file(1, HEAD, ios, sizeof(ios));
	file.data[7] = 1;
	assert_bad(&file, -EINVAL, 0, "version 1.1");
	file.data[7] = 0;
	file.data[9] = 0xff;
	assert_bad(&file, -EINVAL, 0, "longer than 8192 bytes");
	file = make_file(2, HEAD, ios, sizeof(ios));
	file.data[11] = 1;
	assert_bad(&file, -EINVAL, 0, "longer than 8192 bytes");
}

static void a_file_that_is_cut_off_anywhere_is_eio(void **state)
{
	struct file file = make_file(1, HEAD, ios, sizeof(ios));

	(void)state;
	for (file.size--; file.size >= 6; file.size--)
		assert_bad(&file, -EIO, 0, "cut off");
}

static void a_file_that_goes_on_is_refused(void **state)
{
	struct file file = make_file(1, HEAD, ios, sizeof(ios));

	(void)state;
	file.size++;
	assert_bad(&file, -EINVAL, 2, "goes on");
}

static void a_record_that_cannot_be_is_refused_or_counted(void **state)
{
	struct ssdpm_io bad[2];
	struct fixture_trace trace;
	struct file file;

	(void)state;
	for (int i = 0; i < 4; i++) {
		memcpy(bad, ios, sizeof(bad));
		bad[1].op = i == 0 ? 0 : i == 1 ? 5 : 1;
		bad[1].flags = i == 2 ? 2 : 0;
		bad[1].bytes = i == 3 ? 2 : 1;
		file = make_file(1, HEAD, bad, sizeof(bad));
		assert_bad(&file, i == 3 ? -ERANGE : -EINVAL, 2,
			   i == 3 ? "ends beyond" : "of this record");
		assert_int_equal(
			read_file(&file, SSDPM_TRACE_SKIP_BAD, &trace, NULL),
			0);
		assert_int_equal(trace.n, 1);
		assert_int_equal(trace.counts.n_bad, 1);
		free(trace.ios);
	}
}

static void the_padding_may_hold_anything_and_is_zero_then(void **state)
{
	struct ssdpm_io odd[2];

	(void)state;
	memcpy(odd, ios, sizeof(odd));
	memset(odd[0].reserved, 0x5a, sizeof(odd[0].reserved));
	struct file file = make_file(1, HEAD, odd, sizeof(odd));
	assert_good(&file);
}

/* As in every other format. */
static void a_record_that_is_late_is_put_in_order(void **state)
{
	struct ssdpm_io late[2] = { ios[0], ios[1] };
	struct file file;

	(void)state;
	late[0].start_ns = 306007;
	file = make_file(1, HEAD, late, sizeof(late));
	struct fixture_trace trace;
	assert_int_equal(read_file(&file, 0, &trace, NULL), 0);
	assert_int_equal(trace.n, 2);
	assert_int_equal(trace.ios[0].start_ns, 7);
	assert_int_equal(trace.ios[1].start_ns, 306007);
	assert_int_equal(trace.counts.n_late, 1);
	assert_int_equal(trace.counts.late_max_ns, 302000);
	free(trace.ios);
	late[0].start_ns = 300000007;
	file = make_file(1, HEAD, late, sizeof(late));
	assert_bad(&file, -EINVAL, 2, "time goes backwards by 0.");
	assert_int_equal(read_file(&file, SSDPM_TRACE_SKIP_BAD, &trace, NULL),
			 0);
	assert_int_equal(trace.n, 2);
	assert_int_equal(trace.counts.n_late, 1);
	free(trace.ios);
}

static void a_text_is_no_npy_even_if_somebody_says_so(void **state)
{
	static const char text[] = "1 0 8 8 1\n2 0 8 8 1\n";
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .format = SSDPM_TRACE_NPY };
	struct ssdpm_error error = fixture_error();
	struct fixture_trace trace;

	(void)state;
	assert_int_equal(fixture_read_trace(text, sizeof(text) - 1, &params, 1,
					    &trace, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "this is no .npy file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_head_is_what_numpy_writes),
		cmocka_unit_test(a_record_is_little_endian_everywhere),
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(all_versions_and_ways_of_writing_are_read),
		cmocka_unit_test(another_head_is_refused),
		cmocka_unit_test(another_version_is_refused),
		cmocka_unit_test(a_file_that_is_cut_off_anywhere_is_eio),
		cmocka_unit_test(a_file_that_goes_on_is_refused),
		cmocka_unit_test(a_record_that_cannot_be_is_refused_or_counted),
		cmocka_unit_test(
			the_padding_may_hold_anything_and_is_zero_then),
		cmocka_unit_test(a_record_that_is_late_is_put_in_order),
		cmocka_unit_test(a_text_is_no_npy_even_if_somebody_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
