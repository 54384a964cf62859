/* SPDX-License-Identifier: MIT */
/*
 * What a step costs at a time, and which times can be the best.
 *
 * A step from power P to power Q, with entry e and exit x, is made at T.
 * Without it the exit takes w. The step adds
 *
 *     sum over idle times g >= T of
 *         transition power x (e + x - w) + Q max(0, g - T - e) - P (g - T)
 *
 * Let g and g' be successive idle times, and T in (g, g']. The sum is over the
 * same idle times. Its slope is P times their number minus Q times the number
 * of those longer than T + e. If Q < P, the slope is above 0 as long as there
 * are any. Only the least T can then be the best, the whole millisecond after
 * g. Delays, and the number of delays beyond a bound, do not fall either while
 * T grows: an entry that an I/O meets has more left. After the longest idle
 * time, a step changes nothing and is left out.
 *
 * The idle time at the end, v, has no wake. For T in [v - e, v], the entry is
 * cut off and the slope can be below 0. All milliseconds there are tried.
 *
 * If Q >= P, a sleep costs more than the state before. While no idle time ends
 * in the entry, the slope is not above 0 and delays are constant. The greatest
 * T is then the best. Times at which an idle time ends in the entry count, too.
 * So does the least T, for a second step that follows at once.
 */
#include "recommend/best-table.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"

struct table_step ssdpm__step(const struct gaps_task *task, uint32_t from,
			      uint32_t to)
{
	const struct values *values = &task->values;
	struct table_step step = {
		.from_power_uw = ssdpm__state_power_uw(task, from),
		.power_uw = ssdpm__state_power_uw(task, to),
		.entry_ns = values->entry_ns[to],
		.exit_ns = values->exit_ns[to],
		.transition_uw = values->transition_power_uw,
	};

	if (from != task->params.operational_state)
		step.from_exit_ns = values->exit_ns[from];
	return step;
}

/* The first index, from "at" on, with a time of at least ns. */
static size_t advance(const struct gap_times *times, size_t at, uint64_t ns)
{
	size_t stride = 1;

	while (at + stride < times->n && times->ns[at + stride - 1] < ns) {
		at += stride;
		stride *= 2;
	}
	if (stride > times->n - at)
		stride = times->n - at;
	return at + ssdpm__count_below(times->ns + at, stride, ns);
}

static int no_memory(struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, -ENOMEM, 0,
			   "best table: no memory for all idle times that it "
			   "could have");
}

static bool push(struct points *points, uint64_t ms)
{
	if (points->n == points->room) {
		size_t room = points->room ? 2 * points->room : 256;
		struct table_point *more =
			realloc(points->points, room * sizeof(*more));

		if (!more)
			return false;
		points->points = more;
		points->room = room;
	}
	points->points[points->n++] =
		(struct table_point){ .ms = (uint32_t)ms };
	return true;
}

/*
 * The first millisecond of a lattice after ms and at ns or later; "after"
 * excludes ns.
 */
static uint64_t first_ms(const struct step_times *lattice, uint64_t ns,
			 bool after, uint64_t ms)
{
	uint64_t first = 0;

	if (ns >= lattice->offset_ns) {
		uint64_t rest = ns - lattice->offset_ns;

		first = rest / NS_PER_MS + (after || rest % NS_PER_MS);
	}
	return first > ms ? first : ms + 1;
}

bool ssdpm__only_costs(const struct table_step *step)
{
	return step->power_uw >= step->from_power_uw &&
	       step->transition_uw >= step->from_power_uw &&
	       step->exit_ns >= step->from_exit_ns;
}

/* The same for a step to a state that draws no less. */
static uint64_t next_late_ms(const struct ssdpm_gaps *gaps,
			     const struct table_step *step,
			     const struct step_times *lattice, uint64_t ms,
			     size_t *at)
{
	uint64_t now = lattice->offset_ns + ms * NS_PER_MS;
	uint64_t next = now + NS_PER_MS, until = UINT64_MAX;
	uint64_t end = gaps->end_idle_ns, last;

	*at = advance(&gaps->idle, *at, now);
	/* Is it the first one after an idle time? */
	if ((*at < gaps->idle.n && gaps->idle.ns[*at] < next) ||
	    (end >= now && end < next))
		return ms + 1;
	if (*at < gaps->idle.n)
		until = gaps->idle.ns[*at];
	if (end >= next && end < until)
		until = end;
	if (until == UINT64_MAX)
		return until;
	if (until - next < step->entry_ns)
		return ms + 1;
	last = ms + 1 + (until - next - step->entry_ns) / NS_PER_MS;
	return last < lattice->max_ms || ms == lattice->max_ms ?
		       last :
		       lattice->max_ms;
}

/* The next time to try after ms; UINT64_MAX: none. */
static uint64_t next_ms(const struct ssdpm_gaps *gaps,
			const struct table_step *step,
			const struct step_times *lattice, uint64_t ms,
			size_t *at)
{
	uint64_t now = lattice->offset_ns + ms * NS_PER_MS;
	uint64_t end = gaps->end_idle_ns, next = UINT64_MAX;
	uint64_t cut = end > step->entry_ns ? end - step->entry_ns : 0;
	uint64_t last = end;

	if (ssdpm__only_costs(step))
		return next_late_ms(gaps, step, lattice, ms, at);
	if (step->power_uw >= step->from_power_uw) {
		if (gaps->idle.n && gaps->idle.ns[gaps->idle.n - 1] > last)
			last = gaps->idle.ns[gaps->idle.n - 1];
		return now < last ? ms + 1 : UINT64_MAX;
	}
	*at = advance(&gaps->idle, *at, now);
	if (*at < gaps->idle.n)
		next = first_ms(lattice, gaps->idle.ns[*at], true, ms);
	cut = first_ms(lattice, cut, false, ms);
	return now < end && cut < next ? cut : next;
}

int ssdpm__step_times(const struct ssdpm_gaps *gaps,
		      const struct table_step *step,
		      const struct step_times *lattice, struct points *points,
		      struct ssdpm_error *reterr)
{
	size_t at = 0;

	for (uint64_t ms = 1; ms <= lattice->max_ms;
	     ms = next_ms(gaps, step, lattice, ms, &at))
		if (!push(points, ms))
			return no_memory(reterr);
	return 0;
}

int ssdpm__merge_points(struct points *points, const struct points *others,
			uint64_t earlier_ms, struct ssdpm_error *reterr)
{
	struct points both = { .room = points->n + others->n };
	size_t a = 0, b = 0, n_others = others->n;

	while (n_others && others->points[n_others - 1].ms >
				   earlier_ms + SSDPM_APST_MAX_IDLE_MS)
		n_others--;
	while (b < n_others && others->points[b].ms <= earlier_ms)
		b++;
	both.points = malloc(both.room * sizeof(*both.points));
	if (!both.points)
		return no_memory(reterr);
	while (a < points->n || b < n_others) {
		uint64_t x = a < points->n ? points->points[a].ms : UINT64_MAX;
		uint64_t y = UINT64_MAX;

		if (b < n_others)
			y = others->points[b].ms - earlier_ms;
		push(&both, x < y ? x : y);
		a += x <= y;
		b += y <= x;
	}
	free(points->points);
	*points = both;
	return 0;
}

/* The early I/Os after the longer idle times, whose wake takes exit_ns. */
struct early_tail {
	size_t from;
	uint64_t exit_ns;
	struct wide delay_ns;
	uint64_t beyond;
};

/* How long an early I/O waits. */
static uint64_t early_delay(const struct early *io, uint64_t wake_ns)
{
	return wake_ns > io->offset_ns ? wake_ns - io->offset_ns : 0;
}

static void move_tail(const struct earlies *early,
		      const struct table_limits *limits,
		      struct early_tail *tail, uint64_t ns)
{
	for (; tail->from < early->n && early->io[tail->from].gap_ns < ns;
	     tail->from++) {
		uint64_t delay =
			early_delay(&early->io[tail->from], tail->exit_ns);

		tail->delay_ns = wide_minus(tail->delay_ns, wide_of(delay));
		tail->beyond -= delay > limits->beyond_ns;
	}
}

static struct early_tail whole_tail(const struct earlies *early,
				    const struct table_limits *limits,
				    uint64_t exit_ns)
{
	struct early_tail tail = { .exit_ns = exit_ns };

	for (size_t i = 0; i < early->n; i++) {
		uint64_t delay = early_delay(&early->io[i], exit_ns);

		wide_add(&tail.delay_ns, wide_of(delay));
		tail.beyond += delay > limits->beyond_ns;
	}
	return tail;
}

/* The first idle times that reach the step, and its state. */
struct cost_place {
	size_t at;
	size_t resident;
};

/* A step at ever later times. */
struct sweep {
	const struct ssdpm_gaps *gaps;
	const struct table_step *step;
	const struct table_limits *limits;
	struct cost_place idle;
	struct cost_place silent;
	struct early_tail before; /* without the step */
	struct early_tail after;  /* with it */
};

static struct cost_place find_place(const struct gap_times *times,
				    struct cost_place last, uint64_t at_ns,
				    uint64_t resident_ns)
{
	struct cost_place place;

	place.at = advance(times, last.at, at_ns);
	if (last.resident < place.at)
		last.resident = place.at;
	place.resident = advance(times, last.resident, resident_ns);
	return place;
}

/* The step's cost: its transition and its state, less the state before it. */
static inline struct wide step_cost(const struct table_step *step,
				    struct wide change_ns, struct wide slept_ns,
				    struct wide left_ns)
{
	struct wide cost = wide_times(change_ns, step->transition_uw);

	wide_add(&cost, wide_times(slept_ns, step->power_uw));
	return wide_minus(cost, wide_times(left_ns, step->from_power_uw));
}

/* The total length of these idle times beyond ns. */
static struct wide left_of(const struct gap_times *times, size_t from,
			   uint64_t ns)
{
	return wide_minus(wide_of(times->sums[times->n] - times->sums[from]),
			  wide_product(times->n - from, ns));
}

static struct wide idle_cost(const struct gap_times *times,
			     const struct table_step *step,
			     struct cost_place place, uint64_t at_ns)
{
	struct wide change_ns = wide_minus(
		wide_plus(wide_of(step->entry_ns), wide_of(step->exit_ns)),
		wide_of(step->from_exit_ns));

	return step_cost(step, wide_times(change_ns, times->n - place.at),
			 left_of(times, place.resident, at_ns + step->entry_ns),
			 left_of(times, place.at, at_ns));
}

/* The cost for the idle time at the end. */
static struct wide end_cost(uint64_t end_ns, const struct table_step *step,
			    uint64_t at_ns)
{
	uint64_t left_ns, entry_ns = step->entry_ns;

	if (end_ns < at_ns)
		return wide_of(0);
	left_ns = end_ns - at_ns;
	if (entry_ns > left_ns)
		entry_ns = left_ns;
	return step_cost(step, wide_of(entry_ns), wide_of(left_ns - entry_ns),
			 wide_of(left_ns));
}

/*
 * Adds the delays of I/Os that end these idle times; sign -1: they do not
 * count.
 */
static void add_delays(const struct sweep *sweep, const struct gap_times *times,
		       struct cost_place place, uint64_t ready_ns, int sign,
		       struct table_point *point)
{
	const struct table_step *step = sweep->step;
	uint64_t beyond_ns = sweep->limits->beyond_ns;
	size_t n_at = times->n - place.at, n = times->n - place.resident;
	uint64_t entering_ns =
		times->sums[place.resident] - times->sums[place.at];
	struct wide delay_ns = wide_product(n, step->exit_ns);
	int64_t beyond = 0;

	wide_add(&delay_ns, wide_product(place.resident - place.at, ready_ns));
	delay_ns = wide_minus(delay_ns, wide_of(entering_ns));
	delay_ns = wide_minus(delay_ns, wide_product(n_at, step->from_exit_ns));

	if (step->exit_ns > beyond_ns)
		beyond += (int64_t)n;
	if (step->from_exit_ns > beyond_ns)
		beyond -= (int64_t)n_at;
	if (ready_ns > beyond_ns)
		beyond += (int64_t)ssdpm__count_below(times->ns + place.at,
						      place.resident - place.at,
						      ready_ns - beyond_ns);
	if (sign < 0)
		delay_ns = wide_negated(delay_ns);
	wide_add(&point->delay_ns, delay_ns);
	point->beyond += sign * beyond;
}

/* Each early I/O that comes during the entry has its own delay. */
static void add_early(struct sweep *sweep, uint64_t at_ns, uint64_t resident_ns,
		      struct table_point *point)
{
	const struct earlies *early = &sweep->gaps->early;
	uint64_t ready_ns = resident_ns + sweep->step->exit_ns;

	move_tail(early, sweep->limits, &sweep->before, at_ns);
	move_tail(early, sweep->limits, &sweep->after, resident_ns);
	wide_add(&point->delay_ns,
		 wide_minus(sweep->after.delay_ns, sweep->before.delay_ns));
	point->beyond +=
		(int64_t)sweep->after.beyond - (int64_t)sweep->before.beyond;
	for (size_t i = sweep->before.from; i < sweep->after.from; i++) {
		const struct early *io = &early->io[i];
		uint64_t delay = early_delay(io, ready_ns - io->gap_ns);

		wide_add(&point->delay_ns, wide_of(delay));
		point->beyond += delay > sweep->limits->beyond_ns;
	}
}

static void fill_point(struct sweep *sweep, uint64_t at_ns,
		       struct table_point *point)
{
	const struct ssdpm_gaps *gaps = sweep->gaps;
	const struct table_step *step = sweep->step;
	uint64_t resident_ns = at_ns + step->entry_ns;
	uint64_t ready_ns = resident_ns + step->exit_ns;

	sweep->idle = find_place(&gaps->idle, sweep->idle, at_ns, resident_ns);
	sweep->silent =
		find_place(&gaps->silent, sweep->silent, at_ns, resident_ns);
	point->cost_fj =
		wide_plus(idle_cost(&gaps->idle, step, sweep->idle, at_ns),
			  end_cost(gaps->end_idle_ns, step, at_ns));
	point->delay_ns = wide_of(0);
	point->beyond = 0;
	add_delays(sweep, &gaps->idle, sweep->idle, ready_ns, 1, point);
	add_delays(sweep, &gaps->silent, sweep->silent, ready_ns, -1, point);
	add_early(sweep, at_ns, resident_ns, point);
}

void ssdpm__step_costs(const struct ssdpm_gaps *gaps,
		       const struct table_step *step,
		       const struct table_limits *limits, uint64_t offset_ns,
		       struct points *points)
{
	struct sweep sweep = {
		.gaps = gaps,
		.step = step,
		.limits = limits,
		.before = whole_tail(&gaps->early, limits, step->from_exit_ns),
		.after = whole_tail(&gaps->early, limits, step->exit_ns),
	};

	for (size_t i = 0; i < points->n; i++) {
		struct table_point *point = &points->points[i];

		fill_point(&sweep, offset_ns + (uint64_t)point->ms * NS_PER_MS,
			   point);
	}
}
