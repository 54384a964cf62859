/* SPDX-License-Identifier: MIT */
#include "check-trace.h"

#include <string.h>

/* A hostile discard becomes very many records: these are enough. */
#define MAX_RECORDS 5000
#define STEP 64

/* A trace in few numbers, to compare two readings of it. */
struct summary {
	uint64_t n, sum;
	struct ssdpm_trace_counts counts;
	int err;
};

static void check_io(const struct ssdpm_io *io, uint64_t *last_ns)
{
	static const uint8_t zeros[sizeof(io->reserved)];

	check(ssdpm_op_to_string(io->op) != NULL, "an operation has a name");
	check(!(io->flags & ~SSDPM_IO_CONTINUED), "flags are known");
	check(!memcmp(io->reserved, zeros, sizeof(zeros)), "the rest is zero");
	check(io->start_ns >= *last_ns, "time does not go back");
	*last_ns = io->start_ns;
}

static void add_io(struct summary *summary, const struct ssdpm_io *io)
{
	summary->n++;
	summary->sum = summary->sum * 31 + io->start_ns;
	summary->sum = summary->sum * 31 + io->offset;
	summary->sum = summary->sum * 31 + io->bytes;
	summary->sum = summary->sum * 31 + io->service_ns;
	summary->sum = summary->sum * 31 + io->op * 256u + io->flags;
}

static void check_failure(struct ssdpm_trace *trace, int err,
			  const struct ssdpm_error *error)
{
	struct ssdpm_error again;
	struct ssdpm_io io;
	size_t n = 77;

	check_error(err, error);
	check(ssdpm_trace_read(trace, &io, 1, &n, &again) == err && n == 77,
	      "a trace that failed fails again");
	check(!memcmp(error, &again, sizeof(again)), "and in the same way");
}

static void check_counts(const struct ssdpm_trace_counts *c,
			 const struct summary *summary, uint32_t flags)
{
	check(c->n_records == summary->n, "records are counted");
	check(c->n_ios <= c->n_records, "parts of an I/O are no I/Os");
	check(flags & SSDPM_TRACE_SKIP_BAD || (!c->n_bad && !c->n_backward),
	      "what is bad fails, unless it is to be counted");
	check(ssdpm_trace_format_to_string(c->format) != NULL,
	      "the format has a name");
}

static void drain(struct ssdpm_trace *trace, size_t step,
		  struct summary *summary)
{
	struct ssdpm_io ios[STEP];
	struct ssdpm_error error;
	uint64_t last_ns = 0;
	size_t n = 1;

	while (n && summary->n < MAX_RECORDS) {
		summary->err = ssdpm_trace_read(trace, ios, step, &n, &error);
		if (summary->err) {
			check_failure(trace, summary->err, &error);
			return;
		}
		check(n <= step, "there is room for all");
		for (size_t i = 0; i < n; i++) {
			check_io(&ios[i], &last_ns);
			add_io(summary, &ios[i]);
		}
	}
}

static struct summary read_all(const uint8_t *data, size_t size,
			       uint32_t format, uint32_t flags, size_t step)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .format = format,
					     .flags = flags };
	struct summary summary = { .err = 0 };
	struct ssdpm_trace *trace = NULL;
	struct ssdpm_error error;

	summary.err =
		ssdpm_trace_open_data(data, size, &params, &trace, &error);
	if (summary.err) {
		check_error(summary.err, &error);
		check(!trace, "failure returns nothing");
		return summary;
	}
	drain(trace, step, &summary);
	summary.counts = *ssdpm_trace_get_counts(trace);
	check_counts(&summary.counts, &summary, flags);
	check(!ssdpm_trace_close(trace), "a closed trace is gone");
	return summary;
}

void check_trace(const uint8_t *data, size_t size, uint32_t format)
{
	for (uint32_t flags = 0; flags <= SSDPM_TRACE_SKIP_BAD; flags++) {
		struct summary one, many;

		one = read_all(data, size, format, flags, 1);
		many = read_all(data, size, format, flags, STEP);
		check(one.err == many.err, "steps do not decide on failure");
		if (one.err || one.n >= MAX_RECORDS || many.n >= MAX_RECORDS)
			continue;
		check(one.n == many.n && one.sum == many.sum,
		      "records do not depend on the steps");
		check(!memcmp(&one.counts, &many.counts, sizeof(one.counts)),
		      "counts do not depend on the steps");
	}
}
