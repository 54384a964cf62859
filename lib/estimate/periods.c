/* SPDX-License-Identifier: MIT */
/*
 * The inner loop of the closed loop. Where idle times begin cannot be foretold,
 * so nothing branches on it: all is written, and counted if it was meant.
 */
#include "estimate/periods.h"

static inline uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* One copy for records that all have a service time, one for the others. */
static inline __attribute__((always_inline)) bool take(
	struct flow *flow, const struct ssdpm_io *ios, size_t n, bool unknown,
	struct block *block)
{
	uint64_t until = flow->busy.until_ns, least = flow->least_ns;
	uint64_t gap = flow->gap_ns, first = flow->first_ns;
	size_t gaps = 0, silent = 0, early = 0;
	bool fits = true;

	for (size_t i = 0; i < n; i++) {
		uint64_t start = ios[i].start_ns;
		bool io = !(ios[i].flags & SSDPM_IO_CONTINUED);
		bool idle = start > until;
		uint64_t end = start + ios[i].service_ns;
		uint64_t taken = max(until, start);

		if (unknown)
			fits &= ssdpm__flow_complete(flow, &ios[i], start,
						     &end);
		else
			fits &= end >= start;
		block->early_gap[early] = gap;
		block->early_offset[early] = start - first;
		early += io & !idle & (start < least) & (gap != 0);
		gap = idle ? start - until : gap;
		first = idle ? start : first;
		least = idle || end < least ? end : least;
		block->gaps[gaps] = gap;
		gaps += idle & io;
		block->silent[silent] = gap;
		silent += idle & !io;
		until = max(until, end);
		flow->busy_ns[(ios[i].op - 1u) % SSDPM_N_OPS] += until - taken;
	}
	flow->busy.until_ns = until;
	flow->least_ns = least;
	flow->gap_ns = gap;
	flow->first_ns = first;
	block->n_gaps = gaps;
	block->n_silent = silent;
	block->n_early = early;
	return fits;
}

bool ssdpm__periods(struct flow *flow, const struct ssdpm_io *ios, size_t n,
		    bool unknown, struct block *ret_block)
{
	return unknown ? take(flow, ios, n, true, ret_block) :
			 take(flow, ios, n, false, ret_block);
}
