/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <errno.h>
#include <string.h>

#define MAX_PIECE 64
/* A discard may become very many. */
#define MAX_RECORDS 2000

/* What came out of one reading. */
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

void check_trace(const void *data, size_t size,
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
