/* SPDX-License-Identifier: MIT */
/* A trace in numbers. */
#include <ssdpm/energy/workload.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/histogram.h"
#include "base/internal.h"
#include "workload/busy.h"

/* Four buckets for each power of two: the public histogram. */
#define PUBLIC_BITS 2
#define N_PUBLIC ((64 - PUBLIC_BITS + 1) << PUBLIC_BITS)

_Static_assert(N_PUBLIC <= SSDPM_HISTOGRAM_BUCKETS, "each time has a bucket");

/*
 * Times since the first record, and base latencies, lie below it, so that no
 * sum with a transfer, at most 2^32 s, wraps. Times of Windows, which began in
 * 1601, do not: the clock of a trace may begin anywhere.
 */
#define TIME_MAX_NS ((uint64_t)INT64_MAX)
#define BASE_MAX_NS (TIME_MAX_NS / 2)

struct ssdpm_stats {
	struct ssdpm_service service;
	struct busy busy; /* since the first record */
	uint64_t n_records;
	uint64_t last_start_ns;
	uint64_t next_offset; /* where the I/O before ended */
	bool has_next;
	struct ssdpm_trace_stats sums;
	struct histogram gaps;
};

uint32_t ssdpm_histogram_bucket(uint64_t time_ns)
{
	return ssdpm__log_bucket(time_ns, PUBLIC_BITS);
}

uint64_t ssdpm_histogram_start_ns(uint32_t bucket)
{
	if (bucket >= N_PUBLIC)
		return UINT64_MAX;
	return ssdpm__log_bucket_start(bucket, PUBLIC_BITS);
}

int ssdpm_stats_new(const struct ssdpm_service *service,
		    struct ssdpm_stats **ret_stats, struct ssdpm_error *reterr)
{
	for (int i = 0; service && i < SSDPM_N_OPS; i++)
		if (service->base_ns[i] > BASE_MAX_NS)
			return ssdpm__fail(reterr, -ERANGE, 0,
					   "base_ns of %s: above 2^62",
					   ssdpm_op_to_string(i + 1u));
	struct ssdpm_stats *stats = calloc(1, sizeof(*stats));
	if (!stats)
		return ssdpm__no_memory(reterr);
	if (service)
		stats->service = *service;
	*ret_stats = stats;
	return 0;
}

static int check_record(const struct ssdpm_stats *stats,
			const struct ssdpm_io *io, struct ssdpm_error *reterr)
{
	unsigned long long index = stats->n_records;

	if (io->op < SSDPM_OP_READ || io->op > SSDPM_OP_DISCARD)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "record %llu: unknown operation %u", index,
				   io->op);
	if (io->start_ns < stats->last_start_ns)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "record %llu starts before the one before",
				   index);
	uint64_t first_ns =
		stats->n_records ? stats->sums.start_ns : io->start_ns;
	if (io->start_ns - first_ns > TIME_MAX_NS ||
	    stats->busy.channel_ns > TIME_MAX_NS)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "record %llu: more than 2^63 ns after the "
				   "first",
				   index);
	return 0;
}

/* A millisecond to a minute. */
static const uint64_t limits_ns[] = {
	1000000, 10000000, 100000000, 2000000000, 10000000000, 60000000000,
};

#define N_LIMITS (sizeof(limits_ns) / sizeof(limits_ns[0]))

uint64_t ssdpm_stats_get_limit_ns(uint32_t index)
{
	return index < N_LIMITS ? limits_ns[index] : 0;
}

static void count_gap(struct ssdpm_stats *stats, uint64_t gap_ns)
{
	struct ssdpm_trace_stats *sums = &stats->sums;

	sums->n_gaps++;
	sums->idle_ns += gap_ns;
	sums->gaps_ns[ssdpm_histogram_bucket(gap_ns)] += gap_ns;
	if (sums->gap_max_ns < gap_ns)
		sums->gap_max_ns = gap_ns;
	for (size_t i = 0; i < N_LIMITS && gap_ns > limits_ns[i]; i++) {
		sums->n_longer[i]++;
		sums->longer_ns[i] += gap_ns;
	}
	ssdpm__histogram_add(&stats->gaps, gap_ns, 1);
}

/* A flush has no place: it is neither in order nor out of it. */
static void count_place(struct ssdpm_stats *stats, const struct ssdpm_io *io)
{
	if (io->op == SSDPM_OP_FLUSH)
		return;
	if (!(io->flags & SSDPM_IO_CONTINUED) && stats->has_next &&
	    stats->next_offset == io->offset)
		stats->sums.n_sequential++;
	stats->next_offset = io->offset + io->bytes;
	stats->has_next = true;
}

static void count_record(struct ssdpm_stats *stats, const struct ssdpm_io *io)
{
	struct ssdpm_trace_stats *sums = &stats->sums;
	unsigned int op = io->op - 1u;

	if (stats->n_records == 0)
		sums->start_ns = io->start_ns;
	uint64_t start_ns = io->start_ns - sums->start_ns;
	if (start_ns > stats->busy.until_ns)
		count_gap(stats, start_ns - stats->busy.until_ns);
	uint64_t completion_ns = ssdpm__completion_ns(
		&stats->busy, &stats->service, io, start_ns);
	if (stats->busy.until_ns < completion_ns)
		stats->busy.until_ns = completion_ns;
	count_place(stats, io);
	sums->bytes[op] += io->bytes;
	if (!(io->flags & SSDPM_IO_CONTINUED)) {
		sums->n_ios[op]++;
		sums->n_unknown_service +=
			io->service_ns == SSDPM_SERVICE_UNKNOWN;
	}
	stats->last_start_ns = io->start_ns;
	stats->n_records++;
}

int ssdpm_stats_feed(struct ssdpm_stats *stats, const struct ssdpm_io *ios,
		     size_t n, struct ssdpm_error *reterr)
{
	for (size_t i = 0; i < n; i++) {
		int err = check_record(stats, &ios[i], reterr);
		if (err)
			return err;
		count_record(stats, &ios[i]);
	}
	return 0;
}

int ssdpm_stats_get(const struct ssdpm_stats *stats,
		    struct ssdpm_trace_stats *ret_stats,
		    struct ssdpm_error *reterr)
{
	struct ssdpm_trace_stats sums = stats->sums;

	int err = ssdpm__sized_check(ret_stats, sizeof(sums),
				     "ssdpm_trace_stats", reterr);

	if (err)
		return err;
	sums.duration_ns = stats->busy.until_ns;
	sums.busy_ns = sums.duration_ns - sums.idle_ns;
	sums.gap_p50_ns = ssdpm__histogram_quantile(&stats->gaps, 1, 2);
	sums.gap_p90_ns = ssdpm__histogram_quantile(&stats->gaps, 9, 10);
	sums.gap_p99_ns = ssdpm__histogram_quantile(&stats->gaps, 99, 100);
	ssdpm__histogram_coarse(&stats->gaps, PUBLIC_BITS, sums.gaps,
				SSDPM_HISTOGRAM_BUCKETS);
	ssdpm__sized_out(ret_stats, &sums, sizeof(sums));
	return 0;
}

struct ssdpm_stats *ssdpm_stats_free(struct ssdpm_stats *stats)
{
	free(stats);
	return NULL;
}
