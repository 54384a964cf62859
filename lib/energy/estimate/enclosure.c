/* SPDX-License-Identifier: MIT */
/* Sorts idle times by their bounds, and takes records of unknown service. */
#include "estimate/enclosure.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

/* The chain with the times of these axes at one end, and all else nominal. */
static int make_chain(const struct ssdpm_model *model,
		      const struct ssdpm_sim_params *params,
		      const struct ssdpm_parameter *parameters, size_t n,
		      struct corner corner, struct chain *ret_chain,
		      struct ssdpm_service *ret_service,
		      struct ssdpm_error *reterr)
{
	struct values values;

	ssdpm__values(parameters, n, params->operational_state, &corner,
		      &values);
	*ret_service = values.service;
	return ssdpm__chain(model, params, &values, ret_chain, reterr);
}

static uint32_t count_classes(const struct enclosure *enclosure)
{
	return enclosure->quick_wakes.last + 1;
}

int ssdpm__enclosure_new(const struct ssdpm_model *model,
			 const struct ssdpm_sim_params *params,
			 const struct ssdpm_parameter *parameters, size_t n,
			 uint32_t axes, struct enclosure *ret_enclosure,
			 struct ssdpm_error *reterr)
{
	struct enclosure made = {
		.axes = axes,
		.open = params->loop == SSDPM_LOOP_OPEN,
	};
	struct ssdpm_service quick, slow;
	uint32_t n_classes;
	int err;

	err = make_chain(model, params, parameters, n,
			 ssdpm__corner(axes, CORNER_LOW), &made.quick, &quick,
			 reterr);
	if (!err)
		err = make_chain(model, params, parameters, n,
				 ssdpm__corner(axes, CORNER_HIGH), &made.slow,
				 &slow, reterr);
	if (err)
		return err;
	made.tracker.quick.service = quick;
	made.tracker.slow.service = slow;
	ssdpm__wakes(&made.quick, &made.quick_wakes);
	ssdpm__wakes(&made.slow, &made.slow_wakes);
	n_classes = count_classes(&made);
	made.cells = calloc((size_t)n_classes * n_classes, sizeof(*made.cells));
	made.late = malloc(sizeof(*made.late));
	if (!made.cells || !made.late) {
		ssdpm__enclosure_free(&made);
		return ssdpm__no_memory(reterr);
	}
	/* Clear only the used part of the histograms. */
	made.late->all_ns = made.late->io_ns =
		(struct wide_extent){ { 0 }, { 0 } };
	memset(&made.late->shortest, 0, offsetof(struct histogram, buckets));
	memset(&made.late->longest, 0, offsetof(struct histogram, buckets));
	*ret_enclosure = made;
	return 0;
}

void ssdpm__enclosure_free(struct enclosure *enclosure)
{
	free(enclosure->cells);
	free(enclosure->late);
	enclosure->cells = NULL;
	enclosure->late = NULL;
}

/* An idle time, and the classes of its least and its greatest length. */
struct idle_span {
	struct extent ns;
	uint32_t shortest;
	uint32_t longest;
};

static inline struct idle_span classify(const struct enclosure *enclosure,
					struct extent ns)
{
	/* An idle time whose lower bound is 0 may not exist. */
	return (struct idle_span){
		ns,
		ns.low ? ssdpm__wake_class(&enclosure->slow_wakes, ns.low) : 0,
		ssdpm__wake_class(&enclosure->quick_wakes, ns.high),
	};
}

/*
 * Whether the idle time surely ends in one state, so that its delay is one
 * exit.
 */
static inline bool is_settled(const struct idle_span *idle)
{
	return idle->shortest == idle->longest && idle->shortest % 2 == 0;
}

/* The exit, after the rest of the entry. */
static struct extent delay_in(const struct enclosure *enclosure, uint32_t step,
			      struct extent idle_ns)
{
	const struct chain_step *quick = &enclosure->quick.steps[step];
	const struct chain_step *slow = &enclosure->slow.steps[step];
	struct extent delay = { quick->exit_ns, slow->exit_ns };

	if (idle_ns.high < quick->resident_ns)
		delay.low += quick->resident_ns - idle_ns.high;
	if (idle_ns.low < slow->resident_ns)
		delay.high += at_most(slow->resident_ns - slow->at_ns,
				      slow->resident_ns - idle_ns.low);
	return delay;
}

/* The delay over all states in which an idle time can end. */
static struct extent delay_of(const struct enclosure *enclosure,
			      const struct idle_span *idle)
{
	uint32_t from = (idle->shortest + 1) / 2, to = (idle->longest + 1) / 2;
	struct extent delay = { from ? UINT64_MAX : 0, 0 };

	for (uint32_t steps = from ? from : 1; steps <= to; steps++) {
		struct extent here = delay_in(enclosure, steps - 1, idle->ns);

		delay.low = at_most(delay.low, here.low);
		delay.high = at_least(delay.high, here.high);
	}
	return delay;
}

static void add_span(struct wide_extent *sum, struct extent span)
{
	wide_add(&sum->low, wide_of(span.low));
	wide_add(&sum->high, wide_of(span.high));
}

/* Adds an amount that is certain. */
static void add_sum(struct wide_extent *sum, struct wide certain)
{
	wide_add(&sum->low, certain);
	wide_add(&sum->high, certain);
}

/*
 * Adds an I/O that may be delayed; the undelayed ones are counted at the end.
 */
static void add_late(struct late *late, struct extent delay)
{
	add_span(&late->io_ns, delay);
	if (delay.low)
		ssdpm__histogram_add(&late->shortest, delay.low, 1);
	if (delay.high)
		ssdpm__histogram_add(&late->longest, delay.high, 1);
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline struct idle_cell *cell_of(const struct enclosure *enclosure,
					const struct idle_span *idle)
{
	return &enclosure->cells[idle->shortest * count_classes(enclosure) +
				 idle->longest];
}

/* Its delays are those of an I/O, unless another place counts them. */
static inline void add_idle(struct enclosure *enclosure,
			    const struct idle_span *idle, bool silent)
{
	struct idle_cell *cell = cell_of(enclosure, idle);
	struct extent delay;

	cell->n++;
	cell->n_silent += silent;
	cell->short_ns += idle->ns.low;
	cell->long_ns += idle->ns.high;
	if (is_settled(idle))
		return;
	delay = delay_of(enclosure, idle);
	add_span(&enclosure->late->all_ns, delay);
	if (!silent)
		add_late(enclosure->late, delay);
}

void ssdpm__enclose_gaps(struct enclosure *enclosure, const uint64_t *idle_ns,
			 size_t n, bool silent)
{
	const uint64_t from_ns = enclosure->quick_wakes.from[0];
	uint64_t longer[BLOCK], awake_ns = 0;
	struct idle_cell *awake = &enclosure->cells[0];

	enclosure->n_gaps.low += n;
	enclosure->n_gaps.high += n;
	while (n) {
		size_t now = n < BLOCK ? n : BLOCK, n_longer = 0;

		/*
		 * Most idle times end before any state; this takes no branch.
		 */
		for (size_t i = 0; i < now; i++) {
			bool stays = idle_ns[i] < from_ns;

			longer[n_longer] = idle_ns[i];
			n_longer += !stays;
			awake_ns += stays ? idle_ns[i] : 0;
		}
		awake->n += now - n_longer;
		awake->n_silent += silent ? now - n_longer : 0;
		for (size_t i = 0; i < n_longer; i++) {
			struct extent ns = { longer[i], longer[i] };
			struct idle_span idle = classify(enclosure, ns);

			add_idle(enclosure, &idle, silent);
		}
		idle_ns += now;
		n -= now;
	}
	awake->short_ns += awake_ns;
	awake->long_ns += awake_ns;
}

static struct extent later(struct extent delay, uint64_t offset_ns)
{
	delay.low -= at_most(delay.low, offset_ns);
	delay.high -= at_most(delay.high, offset_ns);
	return delay;
}

static struct extent wake_delay(const struct enclosure *enclosure,
				const struct idle_span *idle)
{
	return idle->longest ? delay_of(enclosure, idle) :
			       (struct extent){ 0, 0 };
}

void ssdpm__enclose_early(struct enclosure *enclosure, uint64_t idle_ns,
			  uint64_t offset_ns)
{
	struct idle_span idle =
		classify(enclosure, (struct extent){ idle_ns, idle_ns });

	add_late(enclosure->late,
		 later(wake_delay(enclosure, &idle), offset_ns));
}

void ssdpm__enclose_class(struct enclosure *enclosure, uint32_t class,
			  struct idle_sum sum, struct idle_sum silent)
{
	const struct wakes *wakes = &enclosure->quick_wakes;
	struct idle_cell *cell =
		&enclosure->cells[class * count_classes(enclosure) + class];
	struct wide all = wide_product(sum.n, wakes->base_ns[class]);
	struct wide quiet = wide_product(silent.n, wakes->base_ns[class]);

	enclosure->n_gaps.low += sum.n;
	enclosure->n_gaps.high += sum.n;
	cell->n += sum.n;
	cell->n_silent += silent.n;
	cell->short_ns += sum.ns;
	cell->long_ns += sum.ns;
	if (class % 2 == 0)
		return;
	/* During an entry, each idle time has its own delay. */
	all = wide_minus(all, wide_of(sum.ns));
	quiet = wide_minus(quiet, wide_of(silent.ns));
	add_sum(&enclosure->late->all_ns, all);
	add_sum(&enclosure->late->io_ns, wide_minus(all, quiet));
}

void ssdpm__enclose_delays(struct enclosure *enclosure, struct wide late_ns,
			   const struct histogram *delays)
{
	add_sum(&enclosure->late->io_ns, late_ns);
	ssdpm__histogram_copy(&enclosure->late->shortest, delays);
	ssdpm__histogram_copy(&enclosure->late->longest, delays);
}

void ssdpm__enclose_from(struct enclosure *enclosure, const struct flow *flow)
{
	struct tracker *tracker = &enclosure->tracker;
	struct ssdpm_service quick = tracker->quick.service;
	struct ssdpm_service slow = tracker->slow.service;
	struct extent none = { flow->gap_ns, flow->gap_ns };
	struct idle_span idle = classify(enclosure, none);
	struct extent delay = { 0, 0 };

	if (flow->gap_ns)
		delay = wake_delay(enclosure, &idle);
	enclosure->tracked = true;
	tracker->quick = tracker->slow = *flow;
	tracker->quick.service = quick;
	tracker->slow.service = slow;
	tracker->sure = true;
	tracker->ready_ns = (struct extent){ plus(flow->first_ns, delay.low),
					     plus(flow->first_ns, delay.high) };
	if (enclosure->open)
		tracker->ready_ns =
			(struct extent){ flow->ready_ns, flow->ready_ns };
	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		tracker->busy_ns[op] =
			(struct extent){ flow->busy_ns[op], flow->busy_ns[op] };
}

/* The idle time that a record may end; both 0: none. */
static struct extent gap_before(const struct tracker *tracker,
				uint64_t start_ns)
{
	uint64_t quick = tracker->quick.busy.until_ns;
	uint64_t slow = tracker->slow.busy.until_ns;

	return (struct extent){ start_ns > slow ? start_ns - slow : 0,
				start_ns > quick ? start_ns - quick : 0 };
}

/*
 * Begins a period, surely or perhaps. If only perhaps, the next I/Os may still
 * wait for the wake of the period before.
 */
static void begin_period(struct tracker *tracker, struct extent gap_ns,
			 uint64_t start_ns, struct extent delay)
{
	tracker->sure = gap_ns.low;
	if (gap_ns.low) {
		tracker->ready_ns.low = plus(start_ns, delay.low);
		tracker->ready_ns.high = plus(start_ns, delay.high);
		tracker->quick.least_ns = UINT64_MAX;
		tracker->slow.least_ns = 0;
		return;
	}
	tracker->ready_ns.high =
		at_least(tracker->ready_ns.high, plus(start_ns, delay.high));
}

/*
 * Closed loop: an I/O that starts before any of its period completes waits,
 * too.
 */
static struct extent early_delay(const struct tracker *tracker,
				 uint64_t start_ns)
{
	struct extent delay = { 0, 0 };

	if (tracker->sure && start_ns < tracker->quick.least_ns &&
	    tracker->ready_ns.low > start_ns)
		delay.low = tracker->ready_ns.low - start_ns;
	if (start_ns < tracker->slow.least_ns &&
	    tracker->ready_ns.high > start_ns)
		delay.high = tracker->ready_ns.high - start_ns;
	return delay;
}

/* What one record adds to the busy time. */
static struct extent busy_span(const struct tracker *tracker,
			       const struct ssdpm_io *io, struct extent gap_ns,
			       struct extent begin_ns, struct extent end_ns)
{
	uint64_t quick = at_least(tracker->quick.busy.until_ns, begin_ns.low);
	uint64_t slow = at_least(tracker->slow.busy.until_ns, begin_ns.high);
	struct extent busy = { 0, 0 };

	/* The record begins a period, so all its service counts. */
	if (gap_ns.low)
		return (struct extent){ end_ns.low - begin_ns.low,
					end_ns.high - begin_ns.high };
	if (end_ns.low > slow)
		busy.low = end_ns.low - slow;
	if (end_ns.high > quick)
		busy.high = end_ns.high - quick;
	if (io->service_ns != SSDPM_SERVICE_UNKNOWN)
		busy.high = at_most(busy.high, io->service_ns);
	return busy;
}

/* Both drives take the record; false: a time beyond 2^64 ns. */
static bool take_both(struct tracker *tracker, const struct ssdpm_io *io,
		      struct extent gap_ns, struct extent begin_ns)
{
	struct flow *quick = &tracker->quick, *slow = &tracker->slow;
	struct extent *sum = &tracker->busy_ns[io->op - 1u];
	struct extent end, busy;

	if (!ssdpm__flow_complete(quick, io, begin_ns.low, &end.low) ||
	    !ssdpm__flow_complete(slow, io, begin_ns.high, &end.high))
		return false;
	busy = busy_span(tracker, io, gap_ns, begin_ns, end);
	sum->low += busy.low;
	sum->high = plus(sum->high, busy.high);
	quick->least_ns = at_most(quick->least_ns, end.low);
	/* A period that the record begins completes no sooner than it. */
	slow->least_ns = gap_ns.high ? at_least(slow->least_ns, end.high) :
				       at_most(slow->least_ns, end.high);
	quick->busy.until_ns = at_least(quick->busy.until_ns, end.low);
	slow->busy.until_ns = at_least(slow->busy.until_ns, end.high);
	return true;
}

/*
 * Ends an idle time, which may not exist, before a record. Return: the delay of
 * its end.
 */
static struct extent end_gap(struct enclosure *enclosure, struct extent gap_ns,
			     uint64_t start_ns, bool silent)
{
	struct idle_span idle = classify(enclosure, gap_ns);
	struct extent delay = wake_delay(enclosure, &idle);

	enclosure->n_gaps.low += gap_ns.low > 0;
	enclosure->n_gaps.high++;
	begin_period(&enclosure->tracker, gap_ns, start_ns, delay);
	add_idle(enclosure, &idle, silent || !gap_ns.low);
	return delay;
}

static bool enclose_closed(struct enclosure *enclosure,
			   const struct ssdpm_io *io)
{
	struct tracker *tracker = &enclosure->tracker;
	bool silent = io->flags & SSDPM_IO_CONTINUED;
	struct extent begin = { io->start_ns, io->start_ns };
	struct extent gap = gap_before(tracker, io->start_ns);
	struct extent delay = early_delay(tracker, io->start_ns);

	if (gap.high) {
		struct extent wake =
			end_gap(enclosure, gap, io->start_ns, silent);

		delay = (struct extent){ 0, at_least(delay.high, wake.high) };
	}
	if (!gap.low && !silent)
		add_late(enclosure->late, delay);
	return take_both(tracker, io, gap, begin);
}

static bool enclose_open(struct enclosure *enclosure, const struct ssdpm_io *io)
{
	struct tracker *tracker = &enclosure->tracker;
	bool silent = io->flags & SSDPM_IO_CONTINUED;
	struct extent gap = gap_before(tracker, io->start_ns);
	struct extent begin;

	if (gap.high && end_gap(enclosure, gap, io->start_ns, silent).high >
				UINT64_MAX - io->start_ns)
		return false;
	begin.low = at_least(io->start_ns, tracker->ready_ns.low);
	begin.high = at_least(io->start_ns, tracker->ready_ns.high);
	if (!gap.low && !silent)
		add_late(enclosure->late,
			 (struct extent){ begin.low - io->start_ns,
					  begin.high - io->start_ns });
	return take_both(tracker, io, gap, begin);
}

bool ssdpm__enclose_records(struct enclosure *enclosure,
			    const struct ssdpm_io *ios, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (enclosure->open ? !enclose_open(enclosure, &ios[i]) :
				      !enclose_closed(enclosure, &ios[i]))
			return false;
	return true;
}
