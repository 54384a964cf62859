/* SPDX-License-Identifier: MIT */
/* Packed traces: gzip, zstd, xz and bzip2, whole, in parts, cut off and
 * damaged. */
#include "fixture.h"

#include <stdio.h>
#include <unistd.h>

#if HAVE_ZLIB
#include <zlib.h>
#endif
#if HAVE_ZSTD
#include <zstd.h>
#endif
#if HAVE_LZMA
#include <lzma.h>
#endif
#if HAVE_BZIP2
#include <bzlib.h>
#endif

/* More than one buffer of the reader, packed too. */
#define N_LINES 60000

static struct {
	char *text;
	size_t size;
	uint8_t *packed;
	size_t room;
} in;

/* Append what text packs to; return how many bytes there are now. */
typedef size_t pack_text(size_t used, const char *text, size_t size);

static int make_text(void **state)
{
	uint64_t seed = 9;
	char *at;

	(void)state;
	in.text = malloc(N_LINES * 48);
	in.room = N_LINES * 48 + 4096;
	in.packed = malloc(in.room);
	if (!in.text || !in.packed)
		return -1;
	at = in.text;
	for (int i = 0; i < N_LINES; i++)
		at += sprintf(at, "%d 0 %u 8 1\n", i,
			      (unsigned)(fixture_random(&seed) >> 32));
	in.size = (size_t)(at - in.text);
	return 0;
}

static int free_text(void **state)
{
	(void)state;
	free(in.text);
	free(in.packed);
	return 0;
}

static int read_packed(size_t size, struct fixture_trace *ret_trace,
		       struct ssdpm_error *reterr)
{
	return fixture_read_trace(in.packed, size, NULL, 4096, ret_trace,
				  reterr);
}

static void assert_fails(size_t size, int code, const char *fragment)
{
	struct ssdpm_error error = fixture_error();
	struct fixture_trace trace;

	assert_int_equal(read_packed(size, &trace, &error), code);
	fixture_assert_error(&error, code, 0, fragment);
}

#if HAVE_ZLIB || HAVE_ZSTD || HAVE_LZMA || HAVE_BZIP2
static void assert_whole(const struct fixture_trace *trace, size_t n)
{
	assert_int_equal(trace->counts.format, SSDPM_TRACE_MQSIM);
	assert_int_equal(trace->n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(trace->ios[i].start_ns, i);
}

static void check_whole(pack_text *pack)
{
	size_t size = pack(0, in.text, in.size);
	struct fixture_trace trace;

	assert_int_equal(read_packed(size, &trace, NULL), 0);
	assert_whole(&trace, N_LINES);
	free(trace.ios);
}

/* Parts that end within a line, and one that is empty. */
static void check_parts(pack_text *pack)
{
	size_t third = in.size / 3;
	size_t size = pack(0, in.text, third);
	struct fixture_trace trace;

	size = pack(size, in.text, 0);
	size = pack(size, in.text + third, 1);
	size = pack(size, in.text + third + 1, in.size - third - 1);
	assert_int_equal(read_packed(size, &trace, NULL), 0);
	assert_whole(&trace, N_LINES);
	free(trace.ios);
}

static void check_empty(pack_text *pack)
{
	assert_fails(pack(0, in.text, 0), -EINVAL, "the trace is empty");
}

/* A short text, cut off everywhere. The first bytes are its magic. */
static void check_cuts(pack_text *pack, size_t magic)
{
	size_t size = pack(0, "0 0 8 8 1\n1 0 8 8 1\n", 20);
	struct fixture_trace trace;

	for (size_t n = magic; n < size; n++)
		assert_fails(n, -EIO, "cut off");
	assert_int_equal(read_packed(size, &trace, NULL), 0);
	assert_whole(&trace, 2);
	free(trace.ios);
	/* Another part begins, and is cut off. */
	memcpy(in.packed + size, in.packed, magic + 1);
	assert_fails(size + magic + 1, -EIO, "cut off");
}

static void check_long_cut(pack_text *pack)
{
	size_t size = pack(0, in.text, in.size);

	assert_fails(size - 1, -EIO, "cut off");
	assert_fails(size / 2, -EIO, "cut off");
}

/* The bytes of the first n lines. */
static size_t lines_size(size_t n)
{
	const char *at = in.text;

	while (n--)
		at = strchr(at, '\n') + 1;
	return (size_t)(at - in.text);
}

/* No bit that means something changes without notice. */
static void check_damage(pack_text *pack, size_t head, const char *fragment)
{
	size_t size = pack(0, in.text, lines_size(100)), n_noticed = 0;

	for (size_t i = head; i < size; i++) {
		in.packed[i] ^= 0x10;
		struct fixture_trace trace;
		struct ssdpm_error error;
		int err = read_packed(size, &trace, &error);
		if (err == 0) {
			assert_whole(&trace, 100);
			free(trace.ios);
		} else {
			assert_int_equal(err, -EIO);
			n_noticed++;
		}
		in.packed[i] ^= 0x10;
	}
	assert_true(n_noticed >= size - head - 2);
	/* The last bits of bzip2 mean nothing. */
	in.packed[size - 2] ^= 1;
	assert_fails(size, -EIO, fragment);
	in.packed[size - 2] ^= 1;
	memset(in.packed + size, 'x', 64);
	assert_fails(size + 64, -EIO, fragment);
}

/* From a pipe. */
static void check_pipe(pack_text *pack)
{
	size_t size = pack(0, in.text, lines_size(200)), n;
	struct ssdpm_trace *trace;
	struct ssdpm_io ios[512];
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], in.packed, size), size);
	close(fds[1]);
	assert_int_equal(ssdpm_trace_open(fds[0], NULL, &trace, NULL), 0);
	assert_int_equal(ssdpm_trace_read(trace, ios, 512, &n, NULL), 0);
	assert_int_equal(n, 200);
	assert_int_equal(ios[199].start_ns, 199);
	ssdpm_trace_free(trace);
	/* The descriptor stays open. */
	assert_int_equal(close(fds[0]), 0);
}
#endif

#if HAVE_ZLIB
static size_t pack_gzip(size_t used, const char *text, size_t size)
{
	z_stream stream = { 0 };

	assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8,
				      Z_DEFAULT_STRATEGY),
			 Z_OK);
	stream.next_in = (Bytef *)(uintptr_t)text;
	stream.avail_in = (uInt)size;
	stream.next_out = in.packed + used;
	stream.avail_out = (uInt)(in.room - used);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	used += stream.total_out;
	deflateEnd(&stream);
	return used;
}

static void gzip_is_unpacked(void **state)
{
	(void)state;
	check_whole(pack_gzip);
	check_pipe(pack_gzip);
	check_empty(pack_gzip);
}

static void members_of_gzip_are_read_one_after_the_other(void **state)
{
	(void)state;
	check_parts(pack_gzip);
}

static void gzip_that_is_cut_off_is_eio(void **state)
{
	(void)state;
	check_cuts(pack_gzip, 2);
	check_long_cut(pack_gzip);
}

static void gzip_that_is_damaged_is_eio(void **state)
{
	(void)state;
	check_damage(pack_gzip, 10, "packed with gzip and damaged: incorrect");
}
#else
static void gzip_without_zlib_is_not_supported(void **state)
{
	(void)state;
	memcpy(in.packed, "\x1f\x8b\x08", 4);
	assert_fails(4, -EOPNOTSUPP, "built without zlib");
}
#endif

#if HAVE_ZSTD
static size_t pack_zstd_with(size_t used, const char *text, size_t size,
			     int window_log)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_inBuffer from = { text, size, 0 };
	ZSTD_outBuffer to = { in.packed, in.room, used };

	assert_non_null(context);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
	/* In two steps: it does not know the size at its beginning. */
	assert_false(ZSTD_isError(
		ZSTD_compressStream2(context, &to, &from, ZSTD_e_flush)));
	assert_int_equal(ZSTD_compressStream2(context, &to, &from, ZSTD_e_end),
			 0);
	ZSTD_freeCCtx(context);
	return to.pos;
}

static size_t pack_zstd(size_t used, const char *text, size_t size)
{
	return pack_zstd_with(used, text, size, 0);
}

static void zstd_is_unpacked(void **state)
{
	(void)state;
	check_whole(pack_zstd);
	check_pipe(pack_zstd);
	check_empty(pack_zstd);
}

static void frames_of_zstd_are_read_one_after_the_other(void **state)
{
	(void)state;
	check_parts(pack_zstd);
}

static void a_frame_to_be_skipped_may_come_first(void **state)
{
	static const char frame[] = "\x5f\x2a\x4d\x18\x02\0\0\0ab";
	const size_t size = sizeof(frame) - 1;
	struct fixture_trace trace;

	(void)state;
	memcpy(in.packed, frame, size);
	assert_int_equal(
		read_packed(pack_zstd(size, "0 0 8 8 1\n", 10), &trace, NULL),
		0);
	assert_whole(&trace, 1);
	free(trace.ios);
}

static void zstd_that_is_cut_off_is_eio(void **state)
{
	(void)state;
	check_cuts(pack_zstd, 4);
	check_long_cut(pack_zstd);
}

static void zstd_that_is_damaged_is_eio(void **state)
{
	(void)state;
	check_damage(pack_zstd, 6, "packed with zstd and damaged: ");
}

static void a_window_of_more_than_64_mib_is_refused(void **state)
{
	struct fixture_trace trace;

	(void)state;
	assert_int_equal(read_packed(pack_zstd_with(0, "0 0 8 8 1\n", 10, 26),
				     &trace, NULL),
			 0);
	free(trace.ios);
	assert_fails(pack_zstd_with(0, "0 0 8 8 1\n", 10, 27), -EOPNOTSUPP,
		     "a window of more than 64 MiB");
}
#else
static void zstd_without_libzstd_is_not_supported(void **state)
{
	(void)state;
	memcpy(in.packed, "\x28\xb5\x2f\xfd", 4);
	assert_fails(4, -EOPNOTSUPP, "built without libzstd");
}
#endif

#if HAVE_LZMA
static size_t pack_xz_with(size_t used, const char *text, size_t size,
			   uint32_t dictionary_bytes)
{
	lzma_options_lzma options;
	lzma_filter filters[] = { { LZMA_FILTER_LZMA2, &options },
				  { LZMA_VLI_UNKNOWN, NULL } };

	assert_false(lzma_lzma_preset(&options, 0));
	options.dict_size = dictionary_bytes;
	assert_int_equal(lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC32,
						   NULL, (const uint8_t *)text,
						   size, in.packed, &used,
						   in.room),
			 LZMA_OK);
	return used;
}

static size_t pack_xz(size_t used, const char *text, size_t size)
{
	return pack_xz_with(used, text, size, 1 << 18);
}

static void xz_is_unpacked(void **state)
{
	(void)state;
	check_whole(pack_xz);
	check_pipe(pack_xz);
	check_empty(pack_xz);
}

static void streams_of_xz_are_read_one_after_the_other(void **state)
{
	(void)state;
	check_parts(pack_xz);
}

static void streams_of_xz_may_be_padded_with_four_zeros_each(void **state)
{
	size_t size = pack_xz(0, in.text, lines_size(3));
	struct fixture_trace trace;

	(void)state;
	memset(in.packed + size, 0, 8);
	size = pack_xz(size + 8, in.text + lines_size(3),
		       lines_size(5) - lines_size(3));
	memset(in.packed + size, 0, 5);
	assert_int_equal(read_packed(size + 4, &trace, NULL), 0);
	assert_whole(&trace, 5);
	free(trace.ios);
	assert_fails(size + 5, -EIO, "packed with xz and damaged");
}

static void xz_that_is_cut_off_is_eio(void **state)
{
	(void)state;
	check_cuts(pack_xz, 6);
	check_long_cut(pack_xz);
}

static void xz_that_is_damaged_is_eio(void **state)
{
	(void)state;
	check_damage(pack_xz, 6, "packed with xz and damaged");
}

static void xz_that_takes_more_than_80_mib_is_refused(void **state)
{
	struct fixture_trace trace;

	(void)state;
	/* As xz -9 does. */
	assert_int_equal(
		read_packed(pack_xz_with(0, "0 0 8 8 1\n", 10, 64 << 20),
			    &trace, NULL),
		0);
	free(trace.ios);
	assert_fails(pack_xz_with(0, "0 0 8 8 1\n", 10, 96 << 20), -EOPNOTSUPP,
		     "takes more than 80 MiB to unpack");
}

/* The flags of its first bytes name a check that no version has. */
static void xz_of_a_later_version_is_not_supported(void **state)
{
	size_t size = pack_xz(0, "0 0 8 8 1\n", 10);
	uint32_t crc;

	(void)state;
	in.packed[6] = 1;
	crc = lzma_crc32(in.packed + 6, 2, 0);
	for (int i = 0; i < 4; i++)
		in.packed[8 + i] = (uint8_t)(crc >> 8 * i);
	assert_fails(size, -EOPNOTSUPP, "this liblzma does not know");
}
#else
static void xz_without_liblzma_is_not_supported(void **state)
{
	(void)state;
	memcpy(in.packed, "\xfd\x37zXZ", 6);
	assert_fails(6, -EOPNOTSUPP, "built without liblzma");
}
#endif

#if HAVE_BZIP2
static size_t pack_bzip2(size_t used, const char *text, size_t size)
{
	unsigned int n = (unsigned int)(in.room - used);

	assert_int_equal(BZ2_bzBuffToBuffCompress((char *)in.packed + used, &n,
						  (char *)(uintptr_t)text,
						  (unsigned int)size, 1, 0, 0),
			 BZ_OK);
	return used + n;
}

static void bzip2_is_unpacked(void **state)
{
	(void)state;
	check_whole(pack_bzip2);
	check_pipe(pack_bzip2);
	check_empty(pack_bzip2);
}

static void streams_of_bzip2_are_read_one_after_the_other(void **state)
{
	(void)state;
	check_parts(pack_bzip2);
}

static void bzip2_that_is_cut_off_is_eio(void **state)
{
	(void)state;
	check_cuts(pack_bzip2, 3);
	check_long_cut(pack_bzip2);
}

static void bzip2_that_is_damaged_is_eio(void **state)
{
	(void)state;
	check_damage(pack_bzip2, 3, "packed with bzip2 and damaged");
}
#else
static void bzip2_without_libbz2_is_not_supported(void **state)
{
	(void)state;
	memcpy(in.packed, "BZh9", 4);
	assert_fails(4, -EOPNOTSUPP, "built without libbz2");
}
#endif

static void what_only_begins_like_a_packed_trace_is_none(void **state)
{
	static const char *const texts[] = { "\x1f", "\x28\xb5\x2f", "\x28",
					     "\xfd\x37zXZ" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		memcpy(in.packed, texts[i], strlen(texts[i]));
		assert_fails(strlen(texts[i]), -EINVAL, "no trace in a known");
	}
}

static void a_descriptor_that_cannot_be_read_says_why(void **state)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_trace *trace = UNTOUCHED;

	(void)state;
	assert_int_equal(ssdpm_trace_open(-1, NULL, &trace, &error), -EBADF);
	fixture_assert_error(&error, -EBADF, 0, "cannot read it: ");
	assert_ptr_equal(trace, UNTOUCHED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#if HAVE_ZLIB
		cmocka_unit_test(gzip_is_unpacked),
		cmocka_unit_test(members_of_gzip_are_read_one_after_the_other),
		cmocka_unit_test(gzip_that_is_cut_off_is_eio),
		cmocka_unit_test(gzip_that_is_damaged_is_eio),
#else
		cmocka_unit_test(gzip_without_zlib_is_not_supported),
#endif
#if HAVE_ZSTD
		cmocka_unit_test(zstd_is_unpacked),
		cmocka_unit_test(frames_of_zstd_are_read_one_after_the_other),
		cmocka_unit_test(a_frame_to_be_skipped_may_come_first),
		cmocka_unit_test(zstd_that_is_cut_off_is_eio),
		cmocka_unit_test(zstd_that_is_damaged_is_eio),
		cmocka_unit_test(a_window_of_more_than_64_mib_is_refused),
#else
		cmocka_unit_test(zstd_without_libzstd_is_not_supported),
#endif
#if HAVE_LZMA
		cmocka_unit_test(xz_is_unpacked),
		cmocka_unit_test(streams_of_xz_are_read_one_after_the_other),
		cmocka_unit_test(
			streams_of_xz_may_be_padded_with_four_zeros_each),
		cmocka_unit_test(xz_that_is_cut_off_is_eio),
		cmocka_unit_test(xz_that_is_damaged_is_eio),
		cmocka_unit_test(xz_that_takes_more_than_80_mib_is_refused),
		cmocka_unit_test(xz_of_a_later_version_is_not_supported),
#else
		cmocka_unit_test(xz_without_liblzma_is_not_supported),
#endif
#if HAVE_BZIP2
		cmocka_unit_test(bzip2_is_unpacked),
		cmocka_unit_test(streams_of_bzip2_are_read_one_after_the_other),
		cmocka_unit_test(bzip2_that_is_cut_off_is_eio),
		cmocka_unit_test(bzip2_that_is_damaged_is_eio),
#else
		cmocka_unit_test(bzip2_without_libbz2_is_not_supported),
#endif
		cmocka_unit_test(what_only_begins_like_a_packed_trace_is_none),
		cmocka_unit_test(a_descriptor_that_cannot_be_read_says_why),
	};

	return cmocka_run_group_tests(tests, make_text, free_text);
}
