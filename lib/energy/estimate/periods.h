/* SPDX-License-Identifier: MIT */
/*
 * Makes idle times and busy periods of records. Every record keeps the drive
 * busy; the first one begins the run. A record that starts after all before it
 * have completed ends an idle time and begins a period. One that starts just
 * then continues it.
 */
#ifndef SSDPM_LIB_ESTIMATE_PERIODS_H
#define SSDPM_LIB_ESTIMATE_PERIODS_H

#include "workload/busy.h"

#include "estimate/wakes.h"

/* A drive that takes records. */
struct flow {
	struct ssdpm_service service;
	struct busy busy;
	uint64_t gap_ns;   /* the idle time before the period; 0: none */
	uint64_t first_ns; /* when the period began */
	uint64_t least_ns; /* the first completion in it so far */
	uint64_t ready_ns; /* open loop: when the drive is awake again */
	uint64_t busy_ns[SSDPM_N_OPS];
};

/* The run begins. */
static inline void ssdpm__flow_begin(struct flow *flow, uint64_t start_ns)
{
	flow->busy.until_ns = start_ns;
	flow->first_ns = start_ns;
	flow->least_ns = UINT64_MAX;
}

/*
 * When a record completes that the drive takes at begin_ns; false: beyond 2^64.
 */
static inline bool ssdpm__flow_complete(struct flow *flow,
					const struct ssdpm_io *io,
					uint64_t begin_ns, uint64_t *ret_ns)
{
	uint64_t least_ns = begin_ns;

	if (__builtin_expect(io->service_ns == SSDPM_SERVICE_UNKNOWN, 0)) {
		if (__builtin_add_overflow(begin_ns,
					   flow->service.base_ns[io->op - 1u],
					   &least_ns))
			return false;
		if (least_ns < flow->busy.channel_ns)
			least_ns = flow->busy.channel_ns;
	}
	*ret_ns =
		ssdpm__completion_ns(&flow->busy, &flow->service, io, begin_ns);
	return *ret_ns >= least_ns;
}

/* What one record does to a drive. */
struct taken {
	uint64_t gap_ns;   /* the idle time that it ends; 0: none */
	uint64_t begin_ns; /* when the drive takes it */
	uint64_t delay_ns; /* open loop: its added latency */
	uint64_t busy_ns;  /* how much longer it makes the period */
	/*
	 * Closed loop: it starts before any record of its period could
	 * complete, and waits for the wake as the first one does.
	 */
	bool early;
};

/* false, here and in the next two: a time beyond 2^64 ns. */
static inline bool ssdpm__take_up(struct flow *flow, const struct ssdpm_io *io,
				  struct taken *taken)
{
	uint64_t until = flow->busy.until_ns, end;
	uint64_t from = until > taken->begin_ns ? until : taken->begin_ns;

	if (!ssdpm__flow_complete(flow, io, taken->begin_ns, &end))
		return false;
	if (end < flow->least_ns)
		flow->least_ns = end;
	if (end < until)
		end = until;
	flow->busy.until_ns = end;
	taken->busy_ns = end > from ? end - from : 0;
	flow->busy_ns[io->op - 1u] += taken->busy_ns;
	return true;
}

/* Arrival times are fixed; an I/O before the drive is ready waits for it. */
static inline bool ssdpm__take_open(struct flow *flow,
				    const struct wakes *wakes,
				    const struct ssdpm_io *io,
				    struct taken *ret_taken)
{
	struct taken taken = { 0 };

	if (io->start_ns > flow->busy.until_ns) {
		taken.gap_ns = io->start_ns - flow->busy.until_ns;
		flow->ready_ns = ssdpm__wake_ready(wakes, flow->busy.until_ns,
						   io->start_ns);
		if (flow->ready_ns < io->start_ns)
			return false;
	}
	taken.begin_ns =
		io->start_ns > flow->ready_ns ? io->start_ns : flow->ready_ns;
	taken.delay_ns = taken.begin_ns - io->start_ns;
	*ret_taken = taken;
	return ssdpm__take_up(flow, io, ret_taken);
}

/* Idle times are fixed. */
static inline bool ssdpm__take_closed(struct flow *flow,
				      const struct ssdpm_io *io,
				      struct taken *ret_taken)
{
	struct taken taken = { .begin_ns = io->start_ns };

	if (io->start_ns > flow->busy.until_ns) {
		taken.gap_ns = io->start_ns - flow->busy.until_ns;
		flow->gap_ns = taken.gap_ns;
		flow->first_ns = io->start_ns;
		flow->least_ns = UINT64_MAX;
	} else if (io->start_ns < flow->least_ns) {
		taken.early = flow->gap_ns;
	}
	*ret_taken = taken;
	return ssdpm__take_up(flow, io, ret_taken);
}

/* Records at a time; with their results they fit the L1 cache. */
#define BLOCK 512

/* What all that take records count alike. */
struct intake {
	uint64_t n_records;
	uint64_t last_ns; /* start of the latest: none may start before it */
	uint64_t n_ios[SSDPM_N_OPS];
	uint64_t bytes[SSDPM_N_OPS];
};

/* What checking a block found out. */
struct census {
	bool unknown; /* some service time is unknown */
	/*
	 * No service is unknown or long; no record is continued or near 2^64.
	 */
	bool plain;
	uint64_t service_ns[SSDPM_N_OPS]; /* if plain: the sum of services */
};

/*
 * Checks up to BLOCK records: in order, and each a known operation. -EINVAL
 * with words that count from the first record.
 */
int ssdpm__intake(struct intake *intake, const struct ssdpm_io *ios, size_t n,
		  struct census *ret_census, struct ssdpm_error *reterr);

/* The idle times and early I/Os of a block. */
struct period_block {
	size_t n_gaps;	 /* ended by an I/O */
	size_t n_silent; /* ended by a continued record, which is no I/O */
	size_t n_early;
	uint64_t gaps[BLOCK];
	uint64_t silent[BLOCK];
	uint64_t early_gap[BLOCK];    /* the idle time before its period */
	uint64_t early_offset[BLOCK]; /* when it starts in its period */
};

/* What the open loop does with a block. */
struct open_block {
	size_t n_gaps;
	size_t n_late; /* I/Os that end no idle time, and wait for a wake */
	uint64_t gaps[BLOCK];
	uint64_t late_ns[BLOCK];
};

/*
 * Takes a block through the open loop. false: it is not plain, or a time may be
 * beyond 2^64 ns; nothing is done then.
 */
bool ssdpm__take_block(struct flow *flow, const struct wakes *wakes,
		       const struct ssdpm_io *ios, size_t n,
		       const struct census *census,
		       struct open_block *ret_block);

/*
 * Finds the closed loop's idle times of a block after ssdpm__intake(). false: a
 * completion beyond 2^64 ns.
 */
bool ssdpm__periods(struct flow *flow, const struct ssdpm_io *ios, size_t n,
		    const struct census *census,
		    struct period_block *ret_block);

#endif
