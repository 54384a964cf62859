/* SPDX-License-Identifier: MIT */
/*
 * Takes the records of a simulation block by block: checked, then through the
 * nominal run and its enclosures. In the closed loop, idle times do not depend
 * on the policy: they are found once and sorted into classes. In the open loop,
 * each record depends on the delay of the one before.
 */
#include "estimate/sim.h"

#include <errno.h>

#include "base/internal.h"

static int fail_time(struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, -ERANGE, 0,
			   "time: a completion or delay ends beyond 2^64 ns");
}

static void begin(struct ssdpm_sim *sim, uint64_t start_ns)
{
	struct flow *flow = &sim->nominal.flow;

	sim->start_ns = start_ns;
	ssdpm__flow_begin(flow, start_ns);
	ssdpm__timeline_begin(&sim->timeline, start_ns);
	for (uint32_t i = 0; i < sim->n_enclosures; i++) {
		struct enclosure *enclosure = &sim->enclosures[i];

		if (enclosure->open &&
		    !ssdpm__enclosure_follows(sim, enclosure))
			ssdpm__enclose_from(enclosure, flow);
	}
}

void ssdpm__enclosure_follow(struct enclosure *enclosure,
			     const struct ssdpm_sim *sim)
{
	const struct tally *tally = &sim->nominal.tally;
	const struct wakes *wakes = &sim->nominal.wakes;

	for (uint32_t class = 0; class <= wakes->last; class ++)
		ssdpm__enclose_class(enclosure, class, tally->gaps[class],
				     tally->silent[class]);
	ssdpm__enclose_delays(enclosure, tally->late_ns, &tally->delays);
}

/* At the first unknown service, starts taking services at both their ends. */
static void part(struct ssdpm_sim *sim)
{
	const uint32_t service = 1u << (SSDPM_AXIS_SERVICE - 1);

	for (uint32_t i = 0; i < sim->n_enclosures; i++) {
		struct enclosure *enclosure = &sim->enclosures[i];

		if (!(enclosure->axes & service) || enclosure->tracked)
			continue;
		if (ssdpm__enclosure_follows(sim, enclosure))
			ssdpm__enclosure_follow(enclosure, sim);
		ssdpm__enclose_from(enclosure, &sim->nominal.flow);
	}
	sim->unknown = true;
}

/* Idle times of a block that reach a step, by how they end. */
struct sieve {
	size_t n_entry;	 /* end in its entry */
	size_t n_longer; /* reach the next step */
	uint64_t sum_ns; /* of all */
	uint64_t entry[BLOCK];
	uint64_t longer[BLOCK];
};

/* ret_sieve->longer may be idle_ns itself, because it is never ahead of it. */
static inline __attribute__((always_inline)) void sift(const uint64_t *idle_ns,
						       size_t n, bool entries,
						       uint64_t resident_ns,
						       uint64_t next_ns,
						       struct sieve *ret_sieve)
{
	size_t n_entry = 0, n_longer = 0;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t ns = idle_ns[i];

		sum += ns;
		if (entries) {
			ret_sieve->entry[n_entry] = ns;
			n_entry += ns < resident_ns;
		}
		ret_sieve->longer[n_longer] = ns;
		n_longer += ns >= next_ns;
	}
	ret_sieve->n_entry = n_entry;
	ret_sieve->n_longer = n_longer;
	ret_sieve->sum_ns = sum;
}

/* During an entry, each idle time has its own delay. */
static void add_entry(const struct wakes *wakes, uint32_t class,
		      const struct sieve *sieve, struct idle_sum *sum,
		      struct histogram *delays)
{
	for (size_t i = 0; i < sieve->n_entry; i++) {
		uint64_t ns = sieve->entry[i];

		sum->ns += ns;
		if (delays)
			ssdpm__histogram_add(
				delays, ssdpm__wake_delay(wakes, class, ns), 1);
	}
	sum->n += sieve->n_entry;
}

/*
 * Sorts idle times into their classes. Each round takes those that reach a
 * state, and passes on the few that reach the next.
 */
static void sort_gaps(const struct wakes *wakes, const uint64_t *idle_ns,
		      size_t n, struct idle_sum *sums, struct histogram *delays)
{
	struct sieve sieve;

	for (uint32_t class = 0; n; class += 2) {
		struct idle_sum entry = { 0 };
		bool last = class == wakes->last;
		uint64_t next = last ? UINT64_MAX : wakes->from[class];

		/* The class awake has no entry. */
		if (class)
			sift(idle_ns, n, true, wakes->from[class - 1], next,
			     &sieve);
		else
			sift(idle_ns, n, false, 0, next, &sieve);
		if (last)
			sieve.n_longer = 0;
		if (class) {
			add_entry(wakes, class - 1, &sieve, &entry, delays);
			sums[class - 1].n += entry.n;
			sums[class - 1].ns += entry.ns;
			sums[class - 2].ns -= sieve.sum_ns;
		}
		sums[class].n += n - entry.n - sieve.n_longer;
		sums[class].ns += sieve.sum_ns - entry.ns;
		idle_ns = sieve.longer;
		n = sieve.n_longer;
	}
}

static inline void count_late(struct tally *tally, uint64_t delay_ns)
{
	wide_add(&tally->late_ns, wide_of(delay_ns));
	ssdpm__histogram_add(&tally->delays, delay_ns, 1);
}

/* Adds the wait of early I/Os: the rest of their period's wake. */
static void count_early(const struct wakes *wakes,
			const struct period_block *block, struct tally *tally)
{
	uint64_t late[BLOCK];
	size_t n = 0;

	for (size_t i = 0; i < block->n_early; i++) {
		uint64_t gap = block->early_gap[i];
		uint32_t class = ssdpm__wake_class(wakes, gap);
		uint64_t delay = ssdpm__wake_delay(wakes, class, gap);

		late[n] = delay - block->early_offset[i];
		n += delay > block->early_offset[i];
	}
	for (size_t i = 0; i < n; i++)
		count_late(tally, late[i]);
}

static void count_block(struct course *course, const struct period_block *block)
{
	const struct wakes *wakes = &course->wakes;
	struct tally *tally = &course->tally;

	sort_gaps(wakes, block->gaps, block->n_gaps, tally->gaps,
		  &tally->delays);
	sort_gaps(wakes, block->silent, block->n_silent, tally->gaps, NULL);
	sort_gaps(wakes, block->silent, block->n_silent, tally->silent, NULL);
	count_early(wakes, block, tally);
}

static void enclose_block(struct enclosure *enclosure,
			  const struct period_block *block)
{
	ssdpm__enclose_gaps(enclosure, block->gaps, block->n_gaps, false);
	ssdpm__enclose_gaps(enclosure, block->silent, block->n_silent, true);
	for (size_t i = 0; i < block->n_early; i++)
		ssdpm__enclose_early(enclosure, block->early_gap[i],
				     block->early_offset[i]);
}

static int enclose(struct ssdpm_sim *sim, const struct ssdpm_io *ios, size_t n,
		   struct ssdpm_error *reterr)
{
	for (uint32_t i = 0; i < sim->n_enclosures; i++) {
		struct enclosure *enclosure = &sim->enclosures[i];

		if (ssdpm__enclosure_follows(sim, enclosure))
			continue;
		if (!enclosure->tracked)
			enclose_block(enclosure, &sim->block);
		else if (!ssdpm__enclose_records(enclosure, ios, n))
			return fail_time(reterr);
	}
	return 0;
}

static void keep(struct gap_profile *profile, const uint64_t *idle_ns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (idle_ns[i] >= profile->from_ns)
			ssdpm__profile_add(profile, idle_ns[i]);
}

static inline void count_gap(struct course *course, const struct taken *taken,
			     bool io)
{
	struct tally *tally = &course->tally;
	uint32_t class = ssdpm__wake_class(&course->wakes, taken->gap_ns);

	tally->gaps[class].n++;
	tally->gaps[class].ns += taken->gap_ns;
	if (!io) {
		tally->silent[class].n++;
		tally->silent[class].ns += taken->gap_ns;
	} else if (class & 1) {
		ssdpm__histogram_add(&tally->delays, taken->delay_ns, 1);
	}
}

static int feed_slowly(struct ssdpm_sim *sim, const struct ssdpm_io *ios,
		       size_t n, struct ssdpm_error *reterr)
{
	struct course *course = &sim->nominal;
	struct flow *flow = &course->flow;

	for (size_t i = 0; i < n; i++) {
		bool io = !(ios[i].flags & SSDPM_IO_CONTINUED);
		struct taken taken;

		if (!ssdpm__take_open(flow, &course->wakes, &ios[i], &taken))
			return fail_time(reterr);
		if (taken.gap_ns && sim->profile)
			keep(sim->profile, &taken.gap_ns, 1);
		if (taken.gap_ns)
			count_gap(course, &taken, io);
		else if (taken.delay_ns && io)
			count_late(&course->tally, taken.delay_ns);
	}
	return 0;
}

static int feed_open(struct ssdpm_sim *sim, const struct ssdpm_io *ios,
		     size_t n, const struct census *census,
		     struct ssdpm_error *reterr)
{
	struct course *course = &sim->nominal;
	struct tally *tally = &course->tally;
	struct open_block *block = &sim->open_block;

	if (!ssdpm__take_block(&course->flow, &course->wakes, ios, n, census,
			       block))
		return feed_slowly(sim, ios, n, reterr);
	sort_gaps(&course->wakes, block->gaps, block->n_gaps, tally->gaps,
		  &tally->delays);
	for (size_t i = 0; i < block->n_late; i++)
		count_late(tally, block->late_ns[i]);
	if (sim->profile)
		keep(sim->profile, block->gaps, block->n_gaps);
	return 0;
}

static int feed_closed(struct ssdpm_sim *sim, const struct ssdpm_io *ios,
		       size_t n, const struct census *census,
		       struct ssdpm_error *reterr)
{
	struct course *nominal = &sim->nominal;

	if (!ssdpm__periods(&nominal->flow, ios, n, census, &sim->block))
		return fail_time(reterr);
	count_block(nominal, &sim->block);
	if (sim->profile) {
		keep(sim->profile, sim->block.gaps, sim->block.n_gaps);
		keep(sim->profile, sim->block.silent, sim->block.n_silent);
	}
	return 0;
}

static int feed_block(struct ssdpm_sim *sim, const struct ssdpm_io *ios,
		      size_t n, struct ssdpm_error *reterr)
{
	struct census census;
	int err;

	if (sim->intake.n_records == 0)
		begin(sim, ios[0].start_ns);
	err = ssdpm__intake(&sim->intake, ios, n, &census, reterr);
	if (err)
		return err;
	if (census.unknown && !sim->unknown)
		part(sim);
	if (ssdpm__timeline_wanted(&sim->timeline))
		err = ssdpm__timeline_feed(&sim->timeline, ios, n, reterr);
	if (err)
		return err;
	if (sim->params.loop == SSDPM_LOOP_CLOSED)
		err = feed_closed(sim, ios, n, &census, reterr);
	else
		err = feed_open(sim, ios, n, &census, reterr);
	return err ? err : enclose(sim, ios, n, reterr);
}

int ssdpm_sim_feed(struct ssdpm_sim *sim, const struct ssdpm_io *ios, size_t n,
		   struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };
	int err = sim->failed.code;

	if (err == 0 && sim->finished)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the simulation is finished");
	if (err == 0)
		err = ssdpm__timeline_expect(&sim->timeline, ios, n,
					     !sim->intake.n_records, &error);
	for (size_t at = 0; at < n && err == 0; at += BLOCK) {
		size_t now = n - at < BLOCK ? n - at : BLOCK;

		err = feed_block(sim, ios + at, now, &error);
	}
	if (error.code)
		sim->failed = error;
	if (err && reterr)
		*reterr = sim->failed;
	return err;
}
