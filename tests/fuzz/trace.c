/* SPDX-License-Identifier: MIT */
/* Traces of every format. */
#include "check.h"

#include <errno.h>
#include <string.h>

#define MAX_PIECE 64
/* A discard may make very many records. */
#define MAX_RECORDS 2000

/* The result of one reading. */
struct reading {
	struct ssdpm_trace_counts counts;
	struct ssdpm_error error;
	uint64_t sum;
	uint64_t n;
	uint64_t n_ios;
	int err;
};

/* FNV-1a: order and every member count. */
static uint64_t add_bytes(uint64_t sum, const void *data, size_t size)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3;
	return sum;
}

static void check_io(const struct ssdpm_io *io, uint64_t before_ns)
{
	static const uint8_t zeros[sizeof(io->reserved)];

	check(io->start_ns >= before_ns, "start_ns never decreases");
	check(ssdpm_op_to_string(io->op), "an operation is one that is known");
	check(!(io->flags & ~SSDPM_IO_CONTINUED), "flags are known");
	check(io->offset <= UINT64_MAX - io->bytes, "an I/O ends within 2^64");
	check(!memcmp(io->reserved, zeros, sizeof(zeros)),
	      "what is reserved is zero");
}

static void read_all(struct ssdpm_trace *trace, size_t piece,
		     struct reading *reading)
{
	struct ssdpm_io ios[MAX_PIECE];
	uint64_t last_ns = 0;
	size_t n;

	do {
		n = SIZE_MAX;
		reading->err = ssdpm_trace_read(trace, ios, piece, &n,
						&reading->error);
		if (reading->err) {
			check(n == SIZE_MAX, "a failure gives nothing");
			break;
		}
		check(n <= piece, "no more than there is room for");
		for (size_t i = 0; i < n; i++) {
			check_io(&ios[i], last_ns);
			last_ns = ios[i].start_ns;
			reading->n_ios += !(ios[i].flags & SSDPM_IO_CONTINUED);
		}
		reading->sum = add_bytes(reading->sum, ios, n * sizeof(*ios));
		reading->n += n;
	} while (n && reading->n < MAX_RECORDS);
	reading->counts = *ssdpm_trace_get_counts(trace);
	if (reading->err)
		return;
	check(reading->counts.n_records == reading->n, "records are counted");
	check(reading->counts.n_ios == reading->n_ios, "I/Os are counted");
}

static struct reading read_in_pieces(const void *data, size_t size,
				     const struct ssdpm_trace_params *params,
				     size_t piece)
{
	struct reading reading = { .sum = 0xcbf29ce484222325 };
	struct ssdpm_trace *trace = NULL;

	reading.err = ssdpm_trace_open_data(data, size, params, &trace,
					    &reading.error);
	if (!reading.err)
		read_all(trace, piece, &reading);
	else
		check(!trace, "failure returns nothing");
	ssdpm_trace_free(trace);
	return reading;
}

/*
 * Reads a trace in pieces of several sizes. Each time, the records are the same
 * and keep the header's promises, or there is an error.
 */
static void check_trace(const void *data, size_t size,
			const struct ssdpm_trace_params *params)
{
	struct reading all = read_in_pieces(data, size, params, MAX_PIECE);
	struct reading one = read_in_pieces(data, size, params, 1);

	check(all.err == one.err, "pieces do not decide how it fails");
	check(all.n >= MAX_RECORDS || (one.n == all.n && one.sum == all.sum),
	      "pieces do not change the records");
	if (all.err) {
		check_error(all.err, &all.error);
		check_error(one.err, &one.error);
		return;
	}
	check(all.counts.format >= SSDPM_TRACE_NPY &&
		      ssdpm_trace_format_to_string(all.counts.format),
	      "the format is one that is known");
	check(all.n >= MAX_RECORDS ||
		      !memcmp(&all.counts, &one.counts, sizeof(all.counts)),
	      "pieces do not change the counts");
}

/* One format: bad lines fail, and are counted. */
static int fuzz_format(const uint8_t *data, size_t size, uint32_t format)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .format = format };

	check_trace(data, size, &params);
	params.flags = SSDPM_TRACE_SKIP_BAD;
	check_trace(data, size, &params);
	return 0;
}

int fuzz_trace_biosnoop(const uint8_t *data, size_t size)
{
	return fuzz_format(data, size, SSDPM_TRACE_BIOSNOOP);
}

int fuzz_trace_blkparse(const uint8_t *data, size_t size)
{
	return fuzz_format(data, size, SSDPM_TRACE_BLKPARSE);
}

int fuzz_trace_blktrace(const uint8_t *data, size_t size)
{
	return fuzz_format(data, size, SSDPM_TRACE_BLKTRACE);
}

/*
 * Delimited text. Before a zero byte, there is a column map, or the number of a
 * format if that is one byte.
 */

int fuzz_trace_delimited(const uint8_t *data, size_t size)
{
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
	size_t length = zero ? (size_t)(zero - data) : 0, skip = 0;
	struct ssdpm_trace_params params = { .size = sizeof(params) };

	if (length == 1)
		params.format = data[0] % 32;
	else if (zero)
		params.columns = (const char *)data;
	if (zero)
		skip = length + 1;
	/* The last byte, which matters least, decides the rest. */
	if (size && data[size - 1] & 1)
		params.flags = SSDPM_TRACE_SKIP_BAD;
	if (size && data[size - 1] & 4)
		params.device = "0";
	check_trace(data + skip, size - skip, &params);
	return 0;
}

/*
 * Logs of fio in either format. Records of an iolog can be counted, and written
 * again.
 */

/* A long discard makes very many records. */
enum { MAX_FIO_RECORDS = 1000 };

static void check_written(const struct ssdpm_io *io)
{
	char line[SSDPM_FIO_IOLOG_LINE];

	check(!ssdpm_io_to_fio_iolog(io, 0, "f", line, NULL),
	      "what was read can be written");
	check(strlen(line) < sizeof(line) && line[strlen(line) - 1] == '\n',
	      "a line is a line");
}

static void count(struct ssdpm_trace *trace, struct ssdpm_stats *stats)
{
	struct ssdpm_trace_stats numbers = { .size = sizeof(numbers) };
	struct ssdpm_error error;
	struct ssdpm_io io;
	size_t n = 1;
	int err = 0;

	for (int i = 0; i < MAX_FIO_RECORDS && n && !err; i++) {
		err = ssdpm_trace_read(trace, &io, 1, &n, &error);
		if (err || !n)
			break;
		check_written(&io);
		err = ssdpm_stats_feed(stats, &io, 1, &error);
	}
	if (err)
		check_error(err, &error);
	check(!ssdpm_stats_get(stats, &numbers, NULL), "there are numbers");
	check(numbers.idle_ns + numbers.busy_ns == numbers.duration_ns,
	      "a time is idle or busy");
}

int fuzz_trace_fio(const uint8_t *data, size_t size)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .format = SSDPM_TRACE_FIO_IOLOG,
					     .flags = SSDPM_TRACE_SKIP_BAD };
	struct ssdpm_trace *trace;
	struct ssdpm_stats *stats;

	fuzz_format(data, size, SSDPM_TRACE_FIO_IOLOG);
	if (!ssdpm_trace_open_data(data, size, &params, &trace, NULL)) {
		check(!ssdpm_stats_new(NULL, &stats, NULL), "there is memory");
		count(trace, stats);
		ssdpm_stats_free(stats);
		ssdpm_trace_free(trace);
	}
	return fuzz_format(data, size, SSDPM_TRACE_FIO_LATENCY_LOG);
}

/* NumPy's .npy, and other data behind a matching head. */

int fuzz_trace_npy(const uint8_t *data, size_t size)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .format = SSDPM_TRACE_NPY };
	uint8_t file[SSDPM_NPY_HEADER_BYTES + 4096];

	if (size < 6 || memcmp(data, "\x93NUMPY", 6) != 0) {
		if (size > 4096)
			size = 4096;
		ssdpm_npy_header(size / sizeof(struct ssdpm_io), file);
		memcpy(file + SSDPM_NPY_HEADER_BYTES, data, size);
		data = file;
		size += SSDPM_NPY_HEADER_BYTES;
	}
	if (size && data[size - 1] & 1)
		params.flags = SSDPM_TRACE_SKIP_BAD;
	check_trace(data, size, &params);
	return 0;
}

/* Text and records of other tools, each as the format that it may be. */

int fuzz_trace_tools(const uint8_t *data, size_t size)
{
	for (uint32_t format = SSDPM_TRACE_FTRACE;
	     format <= SSDPM_TRACE_PROCMON_CSV; format++)
		fuzz_format(data, size, format);
	return fuzz_format(data, size, 0);
}

/*
 * gzip, zstd, xz and bzip2, which unpack to five columns of numbers if valid.
 * The first fault ends it, because a few bytes may unpack to very many.
 */

int fuzz_trace_unpack(const uint8_t *data, size_t size)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .format = SSDPM_TRACE_MQSIM };

	check_trace(data, size, &params);
	return 0;
}
