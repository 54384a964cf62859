/* SPDX-License-Identifier: MIT */
/*
 * The records of a simulation, block by block: checked, then taken through each
 * course. In the closed loop idle times do not depend on the policy: they are
 * found once and sorted into the classes of each course. In the open loop each
 * record depends on the delay of the one before.
 */
#include "estimate/sim.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/internal.h"

static int fail_record(const struct ssdpm_sim *sim, const struct ssdpm_io *io,
		       struct ssdpm_error *reterr)
{
	if (io->start_ns < sim->last_ns)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "record %" PRIu64 ": starts at %" PRIu64
				   " ns, before the one before it: sort them",
				   sim->n_records, io->start_ns);
	return ssdpm__fail(reterr, -EINVAL, 0,
			   "record %" PRIu64 ": unknown operation %u",
			   sim->n_records, io->op);
}

static int fail_time(struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, -ERANGE, 0,
			   "time: a completion or delay ends beyond 2^64 ns");
}

/* Are the records in order, each a known operation? Count what is the same for
 * all courses. */
static bool check_block(struct ssdpm_sim *sim, const struct ssdpm_io *ios,
			size_t n, bool *ret_unknown)
{
	uint64_t last = sim->last_ns;
	bool good = true, unknown = false;

	for (size_t i = 0; i < n; i++) {
		uint32_t op = ios[i].op - 1u;

		good &= (ios[i].start_ns >= last) & (op < SSDPM_N_OPS);
		last = ios[i].start_ns;
		unknown |= ios[i].service_ns == SSDPM_SERVICE_UNKNOWN;
		op %= SSDPM_N_OPS;
		sim->n_ios[op] += !(ios[i].flags & SSDPM_IO_CONTINUED);
		sim->bytes[op] += ios[i].bytes;
	}
	*ret_unknown = unknown;
	return good;
}

/* A block that is not good: which record is it? */
static int find_bad(struct ssdpm_sim *sim, const struct ssdpm_io *ios, size_t n,
		    struct ssdpm_error *reterr)
{
	for (size_t i = 0; i < n; i++) {
		if (ios[i].start_ns < sim->last_ns ||
		    ios[i].op - 1u >= SSDPM_N_OPS)
			return fail_record(sim, &ios[i], reterr);
		sim->last_ns = ios[i].start_ns;
		sim->n_records++;
	}
	return 0;
}

static void begin(struct ssdpm_sim *sim, uint64_t start_ns)
{
	sim->start_ns = start_ns;
	for (uint32_t i = 0; i < sim->n_flows; i++)
		ssdpm__flow_begin(&sim->flows[i], start_ns);
	ssdpm__timeline_begin(&sim->timeline, start_ns);
}

/* The first unknown service: from here on the courses of a leader differ. */
static void part(struct ssdpm_sim *sim)
{
	bool closed = sim->params.loop == SSDPM_LOOP_CLOSED;

	for (uint32_t i = 1; i < sim->n_courses; i++)
		if (ssdpm__course_follows(sim, &sim->courses[i]))
			sim->courses[i].tally =
				sim->courses[sim->courses[i].leader].tally;
	for (uint32_t i = 1; i < sim->n_flows; i++) {
		struct ssdpm_service service = sim->flows[i].service;

		sim->flows[i] = sim->flows[closed ? 0 : sim->courses[i].leader];
		sim->flows[i].service = service;
	}
	sim->unknown = true;
}

/* Sort idle times into their classes. Inside an entry each has its own delay:
 * these are put aside, for they are few. */
static void sort_gaps(const struct wakes *wakes, const uint64_t *gaps, size_t n,
		      struct idle_sum *sums, struct histogram *delays)
{
	uint64_t own[BLOCK];
	size_t n_own = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t class = ssdpm__wake_class(wakes, gaps[i]);

		sums[class].n++;
		sums[class].ns += gaps[i];
		own[n_own] = ssdpm__wake_delay(wakes, class, gaps[i]);
		n_own += class & 1;
	}
	for (size_t i = 0; delays && i < n_own; i++)
		ssdpm__histogram_add(delays, own[i], 1);
}

static void count_early(const struct wakes *wakes, const struct block *block,
			struct tally *tally)
{
	for (size_t i = 0; i < block->n_early; i++) {
		uint64_t gap = block->early_gap[i];
		uint64_t offset = block->early_offset[i];
		uint32_t class = ssdpm__wake_class(wakes, gap);
		uint64_t delay = ssdpm__wake_delay(wakes, class, gap);

		if (delay <= offset)
			continue;
		tally->late_ns += delay - offset;
		ssdpm__histogram_add(&tally->delays, delay - offset, 1);
	}
}

static void count_block(struct course *course, const struct block *block)
{
	const struct wakes *wakes = &course->wakes;
	struct tally *tally = &course->tally;

	sort_gaps(wakes, block->gaps, block->n_gaps, tally->gaps,
		  &tally->delays);
	sort_gaps(wakes, block->silent, block->n_silent, tally->gaps, NULL);
	sort_gaps(wakes, block->silent, block->n_silent, tally->silent, NULL);
	count_early(wakes, block, tally);
}

static int feed_closed(struct ssdpm_sim *sim, const struct ssdpm_io *ios,
		       size_t n, bool unknown, struct ssdpm_error *reterr)
{
	uint32_t n_flows = sim->unknown ? sim->n_flows : 1;

	for (uint32_t i = 0; i < n_flows; i++) {
		struct flow *flow = &sim->flows[i];

		if (!ssdpm__periods(flow, ios, n, unknown, &sim->block))
			return fail_time(reterr);
		for (uint32_t j = 0; j < sim->n_courses; j++) {
			struct course *course = &sim->courses[j];

			if (ssdpm__course_flow(sim, course) == flow &&
			    !ssdpm__course_follows(sim, course))
				count_block(course, &sim->block);
		}
	}
	return 0;
}

static int run_open(struct course *course, struct flow *flow,
		    const struct ssdpm_io *ios, size_t n,
		    struct ssdpm_error *reterr)
{
	struct tally *tally = &course->tally;

	for (size_t i = 0; i < n; i++) {
		bool io = !(ios[i].flags & SSDPM_IO_CONTINUED);
		struct taken taken;

		if (!ssdpm__take_open(flow, &course->wakes, &ios[i], &taken))
			return fail_time(reterr);
		if (taken.gap_ns) {
			struct idle_sum *sum = &tally->gaps[taken.class];
			struct idle_sum *silent = &tally->silent[taken.class];

			sum->n++;
			sum->ns += taken.gap_ns;
			silent->n += !io;
			silent->ns += io ? 0 : taken.gap_ns;
			if (io && taken.class & 1)
				ssdpm__histogram_add(&tally->delays,
						     taken.delay_ns, 1);
		} else if (taken.delay_ns && io) {
			tally->late_ns += taken.delay_ns;
			ssdpm__histogram_add(&tally->delays, taken.delay_ns, 1);
		}
	}
	return 0;
}

static int feed_open(struct ssdpm_sim *sim, const struct ssdpm_io *ios,
		     size_t n, struct ssdpm_error *reterr)
{
	int r = 0;

	for (uint32_t i = 0; i < sim->n_courses && r == 0; i++)
		if (!ssdpm__course_follows(sim, &sim->courses[i]))
			r = run_open(&sim->courses[i], &sim->flows[i], ios, n,
				     reterr);
	return r;
}

static int feed_block(struct ssdpm_sim *sim, const struct ssdpm_io *ios,
		      size_t n, struct ssdpm_error *reterr)
{
	bool unknown;
	int r = 0;

	if (sim->n_records == 0)
		begin(sim, ios[0].start_ns);
	if (!check_block(sim, ios, n, &unknown))
		return find_bad(sim, ios, n, reterr);
	if (unknown && !sim->unknown)
		part(sim);
	if (ssdpm__timeline_wanted(&sim->timeline))
		r = ssdpm__timeline_feed(&sim->timeline, ios, n, reterr);
	if (r == 0 && sim->params.loop == SSDPM_LOOP_CLOSED)
		r = feed_closed(sim, ios, n, unknown, reterr);
	else if (r == 0)
		r = feed_open(sim, ios, n, reterr);
	sim->n_records += n;
	sim->last_ns = ios[n - 1].start_ns;
	return r;
}

int ssdpm_sim_feed(struct ssdpm_sim *sim, const struct ssdpm_io *ios, size_t n,
		   struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };
	int r = sim->failed.code;

	if (r == 0 && sim->finished)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the simulation is finished");
	for (size_t at = 0; at < n && r == 0; at += BLOCK) {
		size_t now = n - at < BLOCK ? n - at : BLOCK;

		r = feed_block(sim, ios + at, now, &error);
		if (r)
			sim->failed = error;
	}
	if (r && reterr)
		*reterr = sim->failed;
	return r;
}
