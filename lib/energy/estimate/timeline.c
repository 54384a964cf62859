/* SPDX-License-Identifier: MIT */
#include "estimate/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

/* Beyond it (over a gigabyte) an interval was given in the wrong unit. */
#define MAX_INTERVALS (1u << 24)

static int fail_time(struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, -ERANGE, 0,
			   "time: with all delays beyond 2^64 ns");
}

/* Whether there may be intervals up to this one. */
static int check_count(uint64_t index, struct ssdpm_error *reterr)
{
	const uint64_t size =
		sizeof(struct ssdpm_interval) + sizeof(struct wide);

	if (index < MAX_INTERVALS)
		return 0;
	if (index >= UINT64_MAX / size)
		index = UINT64_MAX / size - 1;
	return ssdpm__fail(reterr, -ENOMEM, 0,
			   "interval_ns: %llu intervals or more take %llu "
			   "bytes; no more than %u are kept: give a longer one",
			   (unsigned long long)index + 1,
			   (unsigned long long)(index + 1) * size,
			   MAX_INTERVALS);
}

int ssdpm__timeline_expect(const struct timeline *timeline,
			   const struct ssdpm_io *ios, size_t n, bool first,
			   struct ssdpm_error *reterr)
{
	uint64_t from_ns = first && n ? ios[0].start_ns : timeline->start_ns;

	if (!timeline->interval_ns || !n || ios[n - 1].start_ns <= from_ns)
		return 0;
	return check_count((ios[n - 1].start_ns - from_ns) /
				   timeline->interval_ns,
			   reterr);
}

/* Room for intervals up to this one. */
static int reach(struct timeline *timeline, uint64_t index,
		 struct ssdpm_error *reterr)
{
	struct ssdpm_interval *intervals;
	size_t max = 2 * timeline->max_intervals;
	struct wide *energy;

	if (index < timeline->max_intervals)
		goto out;
	if (max <= index)
		max = (size_t)index + 1;
	intervals = realloc(timeline->intervals, max * sizeof(*intervals));
	if (!intervals)
		return ssdpm__no_memory(reterr);
	timeline->intervals = intervals;
	energy = realloc(timeline->energy_fj, max * sizeof(*energy));
	if (!energy)
		return ssdpm__no_memory(reterr);
	timeline->energy_fj = energy;
	timeline->max_intervals = max;
out:
	for (; timeline->n_intervals <= index; timeline->n_intervals++) {
		size_t i = timeline->n_intervals;

		timeline->energy_fj[i] = wide_of(0);
		timeline->intervals[i] = (struct ssdpm_interval){
			.start_ns = i * timeline->interval_ns,
		};
	}
	return 0;
}

static uint64_t *member_of(struct ssdpm_interval *interval, uint32_t phase)
{
	switch (phase) {
	case SSDPM_PHASE_BUSY:
		return &interval->busy_ns;
	case SSDPM_PHASE_IDLE:
		return &interval->idle_ns;
	case SSDPM_PHASE_RESIDENT:
		return &interval->asleep_ns;
	default:
		return &interval->transition_ns;
	}
}

/* A stretch of time, over the intervals in which it lies. */
static int divide(struct timeline *timeline, uint32_t phase, uint64_t ns,
		  uint64_t power_uw, struct ssdpm_error *reterr)
{
	uint64_t at = timeline->elapsed_ns, length = timeline->interval_ns;
	/* The last one first: nothing is allocated for what is refused. */
	int err = ns ? check_count((at + ns - 1) / length, reterr) : 0;

	while (ns && !err) {
		uint64_t index = at / length, piece = length - at % length;

		err = reach(timeline, index, reterr);
		if (err)
			break;
		if (piece > ns)
			piece = ns;
		*member_of(&timeline->intervals[index], phase) += piece;
		wide_add(&timeline->energy_fj[index],
			 wide_product(piece, power_uw));
		at += piece;
		ns -= piece;
	}
	return err;
}

static void tell(struct timeline *timeline, uint32_t phase, uint32_t state)
{
	if (timeline->phase == phase && timeline->state == state)
		return;
	timeline->phase = phase;
	timeline->state = state;
	if (timeline->fn)
		timeline->fn(timeline->userdata,
			     timeline->start_ns + timeline->elapsed_ns, phase,
			     state);
}

/* The next stretch of time. */
static int spend(struct timeline *timeline, uint32_t phase, uint32_t state,
		 struct wide time, uint64_t power_uw,
		 struct ssdpm_error *reterr)
{
	uint64_t ns = time.low;
	int err = 0;

	if (!wide_fits(time) ||
	    ns > UINT64_MAX - timeline->start_ns - timeline->elapsed_ns)
		return fail_time(reterr);
	if (ns == 0)
		return 0;
	tell(timeline, phase, state);
	if (timeline->interval_ns)
		err = divide(timeline, phase, ns, power_uw, reterr);
	if (timeline->spent)
		timeline->spent(timeline->spender, phase, state, ns,
				wide_product(ns, power_uw));
	timeline->elapsed_ns += ns;
	return err;
}

uint64_t ssdpm__timeline_power(const struct timeline *timeline, uint32_t phase,
			       uint32_t state)
{
	const struct values *values = &timeline->values;

	if (phase == SSDPM_PHASE_IDLE || phase == SSDPM_PHASE_BUSY)
		return values->idle_power_uw[state];
	if (phase == SSDPM_PHASE_RESIDENT)
		return values->idle_power_uw[state] + values->link_power_uw;
	return values->transition_power_uw;
}

static int spend_idle(struct timeline *timeline, uint64_t gap_ns,
		      uint32_t class, bool wakes, struct ssdpm_error *reterr)
{
	struct idle_part parts[MAX_PARTS];
	uint32_t n = ssdpm__idle_parts(&timeline->chain, class, 1, gap_ns,
				       wakes, parts);
	int err = 0;

	for (uint32_t i = 0; i < n && err == 0; i++)
		err = spend(timeline, parts[i].phase, parts[i].state,
			    parts[i].ns,
			    ssdpm__timeline_power(timeline, parts[i].phase,
						  parts[i].state),
			    reterr);
	return err;
}

/* What a record takes beside its time. */
static struct wide own_energy(const struct values *values,
			      const struct ssdpm_io *io)
{
	uint32_t op = io->op - 1u;
	struct wide fj = wide_times(wide_product(io->bytes, FJ_PER_PJ),
				    values->byte_energy_pj[op]);

	if (!(io->flags & SSDPM_IO_CONTINUED))
		wide_add(&fj, wide_product(values->operation_energy_nj[op],
					   FJ_PER_NJ));
	return fj;
}

/* What of a record counts where the drive takes it up. */
static int count(struct timeline *timeline, const struct ssdpm_io *io,
		 const struct taken *taken, struct ssdpm_error *reterr)
{
	uint64_t at = taken->begin_ns - timeline->start_ns + timeline->shift_ns;
	struct wide own_fj = own_energy(&timeline->values, io);

	if (timeline->spent)
		timeline->spent(timeline->spender, SSDPM_PHASE_BUSY,
				timeline->chain.operational_state, 0, own_fj);
	if (!timeline->interval_ns)
		return 0;
	at /= timeline->interval_ns;
	int err = reach(timeline, at, reterr);
	if (err)
		return err;
	wide_add(&timeline->energy_fj[at], own_fj);
	if (io->flags & SSDPM_IO_CONTINUED)
		return 0;
	timeline->intervals[at].n_ios++;
	timeline->intervals[at].delay_sum_ns += taken->delay_ns;
	return 0;
}

/* The idle time before an I/O, and what its length means for the I/O. */
static int wake(struct timeline *timeline, struct taken *taken,
		struct ssdpm_error *reterr)
{
	const struct wakes *wakes = &timeline->wakes;
	uint32_t class = ssdpm__wake_class(wakes, taken->gap_ns);
	int err = spend_idle(timeline, taken->gap_ns, class, true, reterr);

	/* The phases reach as far, so the sum fits. */
	if (err == 0 && !timeline->open) {
		taken->delay_ns =
			ssdpm__wake_delay(wakes, class, taken->gap_ns);
		timeline->shift_ns += taken->delay_ns;
	}
	return err;
}

/* An early I/O waits for what is left of the wake of its period. */
static void wait_early(const struct timeline *timeline, struct taken *taken)
{
	const struct flow *flow = &timeline->flow;
	const struct wakes *wakes = &timeline->wakes;
	uint64_t delay = ssdpm__wake_delay(
		wakes, ssdpm__wake_class(wakes, flow->gap_ns), flow->gap_ns);
	uint64_t offset = taken->begin_ns - flow->first_ns;

	taken->delay_ns = delay > offset ? delay - offset : 0;
}

static int take(struct timeline *timeline, const struct ssdpm_io *io,
		struct ssdpm_error *reterr)
{
	struct flow *flow = &timeline->flow;
	struct taken taken;
	int err = 0;

	if (timeline->open ?
		    !ssdpm__take_open(flow, &timeline->wakes, io, &taken) :
		    !ssdpm__take_closed(flow, io, &taken))
		return fail_time(reterr);
	if (taken.gap_ns)
		err = wake(timeline, &taken, reterr);
	else if (taken.early)
		wait_early(timeline, &taken);
	if (err == 0)
		err = spend(timeline, SSDPM_PHASE_BUSY,
			    timeline->chain.operational_state,
			    wide_of(taken.busy_ns),
			    timeline->values.active_power_uw[io->op - 1u],
			    reterr);
	timeline->taken = taken;
	return err ? err : count(timeline, io, &taken, reterr);
}

int ssdpm__timeline_init(struct timeline *timeline,
			 const struct ssdpm_model *model,
			 const struct ssdpm_sim_params *params,
			 const struct ssdpm_parameter *parameters, size_t n,
			 struct ssdpm_error *reterr)
{
	const struct corner corner = { { 0 } };

	ssdpm__values(parameters, n, params->operational_state, &corner,
		      &timeline->values);
	int err = ssdpm__chain(model, params, &timeline->values,
			       &timeline->chain, reterr);
	if (err)
		return err;
	ssdpm__wakes(&timeline->chain, &timeline->wakes);
	timeline->flow.service = timeline->values.service;
	timeline->interval_ns = params->interval_ns;
	timeline->open = params->loop == SSDPM_LOOP_OPEN;
	return 0;
}

void ssdpm__timeline_begin(struct timeline *timeline, uint64_t start_ns)
{
	timeline->start_ns = start_ns;
	ssdpm__flow_begin(&timeline->flow, start_ns);
}

int ssdpm__timeline_feed(struct timeline *timeline, const struct ssdpm_io *ios,
			 size_t n, struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < n && err == 0; i++)
		err = take(timeline, &ios[i], reterr);
	return err;
}

void ssdpm__timeline_add(struct timeline *timeline, uint64_t ns,
			 struct wide energy)
{
	uint64_t end = timeline->elapsed_ns, length = timeline->interval_ns;
	uint64_t at = end - (ns < end ? ns : end);
	struct wide power_uw = { 0 };

	if (at < end)
		power_uw = ssdpm__wide_divide(energy, end - at, NULL);

	while (at < end) {
		uint64_t piece = length - at % length;
		struct wide part;

		if (piece > end - at)
			piece = end - at;
		part = wide_times(power_uw, piece);
		wide_add(&timeline->energy_fj[at / length], part);
		energy = wide_minus(energy, part);
		at += piece;
	}
	wide_add(&timeline->energy_fj[(end ? end - 1 : 0) / length], energy);
}

/* Whole nanojoules; what is left over goes to the next interval. */
static void round_energies(struct timeline *timeline)
{
	uint64_t rest = 0;

	for (size_t i = 0; i < timeline->n_intervals; i++) {
		struct wide fj =
			wide_plus(timeline->energy_fj[i], wide_of(rest));

		timeline->intervals[i].energy_nj =
			ssdpm__wide_divide(fj, FJ_PER_NJ, &rest).low;
	}
}

int ssdpm__timeline_finish(struct timeline *timeline, uint64_t end_ns,
			   struct ssdpm_error *reterr)
{
	uint64_t until = timeline->flow.busy.until_ns;
	int err = 0;

	if (end_ns > until)
		err = spend_idle(
			timeline, end_ns - until,
			ssdpm__wake_class(&timeline->wakes, end_ns - until),
			false, reterr);
	if (err)
		return err;
	tell(timeline, SSDPM_PHASE_END, timeline->chain.operational_state);
	round_energies(timeline);
	return 0;
}

void ssdpm__timeline_free(struct timeline *timeline)
{
	free(timeline->intervals);
	free(timeline->energy_fj);
}
