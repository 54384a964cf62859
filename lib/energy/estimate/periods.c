/* SPDX-License-Identifier: MIT */
/*
 * Takes every record through a drive. Idle times begin unpredictably, so no
 * loop branches on them. Each loop writes all elements, and counts the valid
 * ones.
 */
#include "estimate/periods.h"

#include <errno.h>
#include <inttypes.h>

#include "base/internal.h"

/* A sum of bytes has the number of I/Os above the most bytes of a block. */
#define COUNT_SHIFT 48

/* Collects all records of a block; a wrong bit shows up in it. */
struct period_look {
	uint8_t op;
	uint8_t flags;
	uint32_t service;
	uint64_t step;
	uint64_t last_ns;
};

/* By operation, valid or not. */
#define N_ROWS 8

struct period_row {
	uint64_t bytes; /* and COUNT_SHIFT */
	uint64_t service_ns;
};

static inline void look_at(struct period_look *look, const struct ssdpm_io *io,
			   struct period_row *rows)
{
	struct period_row *row = &rows[io->op % N_ROWS];

	look->op |= io->op;
	look->flags |= io->flags;
	look->service |= io->service_ns;
	look->step |= io->start_ns - look->last_ns;
	look->last_ns = io->start_ns;
	row->bytes += io->bytes | UINT64_C(1) << COUNT_SHIFT;
	row->service_ns += io->service_ns;
}

/*
 * Whether no record of the block needs care. Backward steps have their top bit
 * set; so have unknown and the longest services. Steps of 292 years also do,
 * and the slow way accepts them.
 */
static bool is_plain(const struct period_look *look,
		     const struct period_row *rows)
{
	return look->op < N_ROWS && !rows[0].bytes && !rows[5].bytes &&
	       !rows[6].bytes && !rows[7].bytes &&
	       !(look->flags & SSDPM_IO_CONTINUED) && !(look->service >> 31) &&
	       !(look->step >> 63) && look->last_ns <= UINT64_MAX - UINT32_MAX;
}

/*
 * Two tables in turn, because adding to one table takes longer than a record.
 */
static bool take_plain(struct intake *intake, const struct ssdpm_io *ios,
		       size_t n, struct census *census)
{
	struct period_look look = { .last_ns = intake->last_ns };
	struct period_row rows[N_ROWS] = { 0 }, odd[N_ROWS] = { 0 };
	size_t i = 0;

	for (; i + 1 < n; i += 2) {
		look_at(&look, &ios[i], rows);
		look_at(&look, &ios[i + 1], odd);
	}
	if (i < n)
		look_at(&look, &ios[i], rows);
	for (i = 0; i < N_ROWS; i++) {
		rows[i].bytes += odd[i].bytes;
		rows[i].service_ns += odd[i].service_ns;
	}
	if (!is_plain(&look, rows))
		return false;
	for (unsigned op = 0; op < SSDPM_N_OPS; op++) {
		const struct period_row *row = &rows[op + 1];

		intake->n_ios[op] += row->bytes >> COUNT_SHIFT;
		intake->bytes[op] +=
			row->bytes & ((UINT64_C(1) << COUNT_SHIFT) - 1);
		census->service_ns[op] = row->service_ns;
	}
	intake->n_records += n;
	intake->last_ns = look.last_ns;
	return true;
}

static int fail_record(const struct intake *intake, const struct ssdpm_io *io,
		       struct ssdpm_error *reterr)
{
	if (io->start_ns < intake->last_ns)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "record %" PRIu64 ": starts at %" PRIu64
				   " ns, before the one before it: sort them",
				   intake->n_records, io->start_ns);
	return ssdpm__fail(reterr, -EINVAL, 0,
			   "record %" PRIu64 ": unknown operation %u",
			   intake->n_records, io->op);
}

int ssdpm__intake(struct intake *intake, const struct ssdpm_io *ios, size_t n,
		  struct census *ret_census, struct ssdpm_error *reterr)
{
	*ret_census = (struct census){ 0 };
	ret_census->plain = take_plain(intake, ios, n, ret_census);
	for (size_t i = 0; i < n && !ret_census->plain; i++) {
		uint32_t op = ios[i].op - 1u;

		if (ios[i].start_ns < intake->last_ns || op >= SSDPM_N_OPS)
			return fail_record(intake, &ios[i], reterr);
		intake->last_ns = ios[i].start_ns;
		intake->n_records++;
		intake->n_ios[op] += !(ios[i].flags & SSDPM_IO_CONTINUED);
		intake->bytes[op] += ios[i].bytes;
		ret_census->unknown |=
			ios[i].service_ns == SSDPM_SERVICE_UNKNOWN;
	}
	return 0;
}

/* Takes the records one by one; this always works. */
static bool find_slowly(struct flow *flow, const struct ssdpm_io *ios, size_t n,
			struct period_block *block)
{
	for (size_t i = 0; i < n; i++) {
		bool io = !(ios[i].flags & SSDPM_IO_CONTINUED);
		struct taken taken;

		if (!ssdpm__take_closed(flow, &ios[i], &taken))
			return false;
		if (taken.gap_ns && io)
			block->gaps[block->n_gaps++] = taken.gap_ns;
		else if (taken.gap_ns)
			block->silent[block->n_silent++] = taken.gap_ns;
		if (!taken.early || !io)
			continue;
		block->early_gap[block->n_early] = flow->gap_ns;
		block->early_offset[block->n_early] =
			ios[i].start_ns - flow->first_ns;
		block->n_early++;
	}
	return true;
}

static inline uint64_t end_of(const struct ssdpm_io *io)
{
	return io->start_ns + io->service_ns;
}

/* The part of a flow that is a period, kept in registers. */
struct period {
	uint64_t gap_ns;
	uint64_t first_ns;
	uint64_t least_ns;
	uint64_t until_ns;
};

/* A record that begins no period adds only a part of its service. */
static inline void overlap(struct period *period, const struct ssdpm_io *io,
			   struct period_block *block, uint64_t *busy_ns)
{
	uint64_t until = period->until_ns, end = end_of(io);
	uint64_t longer = end > until ? end - until : 0;

	block->early_gap[block->n_early] = period->gap_ns;
	block->early_offset[block->n_early] = io->start_ns - period->first_ns;
	block->n_early +=
		(io->start_ns < period->least_ns) & (period->gap_ns != 0);
	period->least_ns = end < period->least_ns ? end : period->least_ns;
	period->until_ns = until + longer;
	busy_ns[io->op - 1u] -= io->service_ns - longer;
}

/* Begins a period of a block with the record after its idle time. */
static inline struct period first_of(const struct ssdpm_io *io, uint64_t gap_ns)
{
	return (struct period){ gap_ns, io->start_ns, end_of(io), end_of(io) };
}

/*
 * Computes all but the idle times. "others" has the numbers of the records that
 * begin no period. Every record between two of these begins a period. The last
 * of them is just before the second, unless the two are adjacent.
 */
static void find_overlaps(struct flow *flow, const struct ssdpm_io *ios,
			  size_t n, const uint16_t *others,
			  struct period_block *block)
{
	struct period period = { flow->gap_ns, flow->first_ns, flow->least_ns,
				 flow->busy.until_ns };
	size_t n_others = n - block->n_gaps, next = 0;

	for (size_t i = 0; i < n_others; i++) {
		size_t here = others[i];

		/* No branch on what is unpredictable. */
		if (here != i) {
			struct period new = first_of(&ios[here - 1],
						     block->gaps[here - i - 1]);

			period.gap_ns = new.gap_ns;
			period.first_ns =
				here == next ? period.first_ns : new.first_ns;
			period.least_ns =
				here == next ? period.least_ns : new.least_ns;
			period.until_ns =
				here == next ? period.until_ns : new.until_ns;
		}
		overlap(&period, &ios[here], block, flow->busy_ns);
		next = here + 1;
	}
	if (next != n)
		period = first_of(&ios[n - 1], block->gaps[block->n_gaps - 1]);
	flow->gap_ns = period.gap_ns;
	flow->first_ns = period.first_ns;
	flow->least_ns = period.least_ns;
	flow->busy.until_ns = period.until_ns;
}

static void find_fast(struct flow *flow, const struct ssdpm_io *ios, size_t n,
		      const struct census *census, struct period_block *block)
{
	uint64_t until = flow->busy.until_ns;
	uint16_t others[BLOCK];
	size_t gaps = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t start = ios[i].start_ns, end = end_of(&ios[i]);

		/*
		 * Prefetch the next block into L2, because L1 is full.
		 * Prefetching past the end is harmless.
		 */
		__builtin_prefetch(&ios[i + BLOCK], 0, 2);
		block->gaps[gaps] = start - until;
		others[i - gaps] = (uint16_t)i;
		gaps += start > until;
		until = until > end ? until : end;
	}
	block->n_gaps = gaps;
	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		flow->busy_ns[op] += census->service_ns[op];
	find_overlaps(flow, ios, n, others, block);
}

/* Whether no time of a plain block of records can be beyond 2^64 ns. */
static bool has_room(const struct flow *flow, const struct wakes *wakes,
		     const struct ssdpm_io *last)
{
	uint64_t latest = last->start_ns, longest = 0, end;

	if (latest < flow->ready_ns)
		latest = flow->ready_ns;
	for (uint32_t i = 0; i <= wakes->last; i++)
		if (longest < wakes->base_ns[i])
			longest = wakes->base_ns[i];
	return !__builtin_add_overflow(latest, longest, &end) &&
	       end <= UINT64_MAX - UINT32_MAX;
}

bool ssdpm__take_block(struct flow *flow, const struct wakes *wakes,
		       const struct ssdpm_io *ios, size_t n,
		       const struct census *census,
		       struct open_block *ret_block)
{
	uint64_t until = flow->busy.until_ns, ready = flow->ready_ns;
	size_t gaps = 0, late = 0;

	if (!census->plain || !has_room(flow, wakes, &ios[n - 1]))
		return false;
	for (size_t i = 0; i < n; i++) {
		uint64_t start = ios[i].start_ns, begin, end;
		uint64_t woken = ssdpm__wake_ready(wakes, until, start);
		bool idle = start > until;

		ready = idle ? woken : ready;
		begin = ready > start ? ready : start;
		end = begin + ios[i].service_ns;
		ret_block->gaps[gaps] = start - until;
		gaps += idle;
		ret_block->late_ns[late] = begin - start;
		late += !idle & (begin > start);
		begin = begin > until ? begin : until;
		until = end > until ? end : until;
		flow->busy_ns[ios[i].op - 1u] += until - begin;
	}
	flow->busy.until_ns = until;
	flow->ready_ns = ready;
	ret_block->n_gaps = gaps;
	ret_block->n_late = late;
	return true;
}

bool ssdpm__periods(struct flow *flow, const struct ssdpm_io *ios, size_t n,
		    const struct census *census, struct period_block *ret_block)
{
	ret_block->n_gaps = ret_block->n_silent = ret_block->n_early = 0;
	if (!census->plain)
		return find_slowly(flow, ios, n, ret_block);
	find_fast(flow, ios, n, census, ret_block);
	return true;
}
