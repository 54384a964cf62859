/* SPDX-License-Identifier: MIT */
/*
 * The least and the most that the idle times of each cell spend in each state,
 * entering it and leaving it.
 */
#include "estimate/enclosed-sums.h"

/*
 * The idle times of a cell, and the steps that they surely and perhaps enter.
 */
struct cell_view {
	struct idle_cell sum;
	uint32_t shortest, longest; /* classes */
	uint32_t sure, perhaps;	    /* steps */
	bool wakes;		    /* false: the run ends with the idle time */
};

/* How long the drive waits for a step. */
static struct extent wait_of(const struct sums *sums, uint32_t step)
{
	return ssdpm__wait_of(sums->quick, sums->slow, step);
}

/* The state after this many steps. */
static uint32_t state_after(const struct sums *sums, uint32_t steps)
{
	return steps ? sums->quick->steps[steps - 1].state :
		       sums->quick->operational_state;
}

static struct wide_extent since(const struct sums *sums, uint32_t steps,
				uint64_t n)
{
	if (!steps)
		return (struct wide_extent){ { 0 }, { 0 } };
	return (struct wide_extent){
		wide_product(n, sums->quick->steps[steps - 1].resident_ns),
		wide_product(n, sums->slow->steps[steps - 1].resident_ns),
	};
}

/* How much of the idle times is left then. */
static struct wide_extent left_after(const struct sums *sums,
				     const struct cell_view *cell,
				     uint32_t steps)
{
	struct wide_extent from = since(sums, steps, cell->sum.n);

	return (struct wide_extent){
		less(wide_of(cell->sum.short_ns), from.high),
		less(wide_of(cell->sum.long_ns), from.low),
	};
}

/* The last sure stay ends with the next step or with the idle time. */
static struct wide_extent last_stay(const struct sums *sums,
				    const struct cell_view *cell)
{
	const uint32_t steps = cell->sure;
	struct wide_extent stay = left_after(sums, cell, steps);
	const uint64_t n = cell->sum.n;
	struct extent wait;
	uint64_t slow_ns;

	if (steps && cell->shortest % 2)
		stay.low = wide_of(0);
	if (cell->longest < 2 * steps)
		stay.high = wide_of(0);
	if (cell->perhaps == steps)
		return stay;
	/*
	 * The shortest idle times do not reach the step in the slow chain. The
	 * wait may be shorter than there.
	 */
	wait = wait_of(sums, steps);
	slow_ns = sums->slow->steps[steps].at_ns;
	if (steps)
		slow_ns -= sums->slow->steps[steps - 1].resident_ns;
	if (slow_ns > wait.low)
		stay.low = less(stay.low, wide_product(n, slow_ns - wait.low));
	stay.high = wide_least(stay.high, wide_product(n, wait.high));
	return stay;
}

/* The shortest and the longest stay in the state after this many steps. */
static struct wide_extent stay_after(const struct sums *sums,
				     const struct cell_view *cell,
				     uint32_t steps)
{
	struct wide_extent stay = { { 0 }, { 0 } };
	const uint64_t n = cell->sum.n;

	if (steps == cell->sure)
		return last_stay(sums, cell);
	if (steps < cell->sure) {
		struct extent wait = wait_of(sums, steps);

		stay.low = wide_product(n, wait.low);
		stay.high = wide_product(n, wait.high);
	} else if (cell->longest >= 2 * steps) {
		stay.high = left_after(sums, cell, steps).high;
		if (steps < cell->perhaps)
			stay.high = wide_least(
				stay.high,
				wide_product(n, wait_of(sums, steps).high));
	}
	return stay;
}

/* How long a chain takes to enter the states of these steps. */
static struct wide entries(const struct chain *chain, uint64_t n,
			   uint32_t first, uint32_t end)
{
	struct wide sum = { 0 };

	for (; first < end; first++)
		wide_add(&sum,
			 wide_product(n, chain->steps[first].resident_ns -
						 chain->steps[first].at_ns));
	return sum;
}

/* All entries from this step on that are not sure. */
static struct wide entries_after(const struct sums *sums,
				 const struct cell_view *cell, uint32_t step)
{
	return entries(sums->slow, cell->sum.n, step, cell->perhaps);
}

/* The stays of all idle times, without sure entries. */
static struct wide_extent stays_of_all(const struct sums *sums,
				       const struct cell_view *cell)
{
	/* The shortest idle time may end during the last sure entry. */
	const uint32_t whole = cell->sure - cell->shortest % 2;

	return (struct wide_extent){
		less(wide_of(cell->sum.short_ns), entries_after(sums, cell, 0)),
		less(wide_of(cell->sum.long_ns),
		     entries(sums->quick, cell->sum.n, 0, whole)),
	};
}

/* Takes as much of what is left as there is room for. */
static struct wide take(struct wide room, struct wide *left)
{
	struct wide some = wide_least(*left, room);

	*left = wide_minus(*left, some);
	return some;
}

/*
 * Bounds the cost of the stays from "first" on: the first stay, or the last
 * sure one. Together they do not exceed the rest of the idle times, and fall
 * short of it only by entries. If no state draws more than the one before, the
 * deepest stays cost least and the shallowest most.
 */
static void share_out(const struct sums *sums, const struct cell_view *cell,
		      uint32_t first,
		      struct wide_extent stays[SSDPM_MAX_STATES])
{
	struct wide_extent late = left_after(sums, cell, cell->sure), all;
	struct wide more[SSDPM_MAX_STATES];

	if (!sums->ordered)
		return;
	late.low = less(late.low, entries_after(sums, cell, cell->sure));
	all = first ? late : stays_of_all(sums, cell);
	for (uint32_t i = first; i <= cell->perhaps; i++) {
		all.low = less(all.low, stays[i].low);
		all.high = less(all.high, stays[i].low);
		if (i < cell->sure)
			continue;
		late.low = less(late.low, stays[i].low);
		late.high = less(late.high, stays[i].low);
	}
	for (uint32_t i = first; i <= cell->perhaps; i++) {
		struct wide room = wide_minus(stays[i].high, stays[i].low);

		if (i >= cell->sure)
			room = wide_least(room, late.high);
		more[i] = take(room, &all.high);
		if (i >= cell->sure)
			late.high = wide_minus(late.high, more[i]);
	}
	for (uint32_t i = cell->perhaps + 1; i-- > first;) {
		struct wide low = stays[i].low, some = wide_of(0);
		struct wide room = wide_minus(stays[i].high, low);

		if (i >= cell->sure)
			some = take(room, &late.low);
		all.low = less(all.low, some);
		wide_add(&some, take(wide_minus(room, some), &all.low));
		stays[i].low = wide_plus(low, some);
		stays[i].high = wide_plus(low, more[i]);
	}
}

/*
 * A step that may not be taken saves nothing, or as much as possible: all time
 * beyond the step, in the deepest states.
 */
static void add_perhaps(struct sums *sums, const struct cell_view *cell,
			const struct wide_extent *stays)
{
	const uint32_t first = sums->first;
	struct wide_extent *gone = &sums->beyond.gone_ns;
	struct wide left = less(
		wide_of(cell->sum.long_ns),
		wide_product(cell->sum.n, sums->quick->steps[first].at_ns));

	wide_add(&gone->high, left);
	left = less(left, entries_after(sums, cell, first));
	for (uint32_t i = cell->perhaps; i > first; i--) {
		struct wide_extent *sum =
			&sums->beyond.stay_ns[state_after(sums, i)];

		if (sums->ordered)
			wide_add(&sum->low, take(stays[i].high, &left));
		else
			wide_add(&sum->high, stays[i].high);
	}
}

/*
 * In the closed loop, idle times do not depend on the policy. Policies differ
 * by the time that is no stay before the first step that counts. An entry that
 * counts has waited for that step.
 */
static void add_beyond(struct sums *sums, const struct cell_view *cell,
		       const struct wide_extent *stays,
		       const struct wide_extent *costs)
{
	const uint32_t first = sums->first;
	const bool same = cell->wakes && !sums->open;
	uint32_t from = cell->wakes ? cell->sure : first;

	if (same && cell->perhaps <= first)
		return;
	if (same && cell->sure <= first) {
		add_perhaps(sums, cell, stays);
		return;
	}
	if (same) {
		struct wide_extent before = since(sums, first, cell->sum.n);

		add_wide(&sums->beyond.gone_ns,
			 wide_minus(wide_of(cell->sum.short_ns), before.high),
			 wide_minus(wide_of(cell->sum.long_ns), before.low));
	}
	for (; from <= cell->perhaps; from++)
		add_wide(&sums->beyond.stay_ns[state_after(sums, from)],
			 costs[from].low, costs[from].high);
}

static void add_stays(struct sums *sums, const struct cell_view *cell)
{
	struct wide_extent stays[SSDPM_MAX_STATES], costs[SSDPM_MAX_STATES];
	struct wide_extent late[SSDPM_MAX_STATES];

	for (uint32_t i = 0; i <= cell->perhaps; i++) {
		stays[i] = costs[i] = late[i] = stay_after(sums, cell, i);
		add_wide(&sums->idle[state_after(sums, i)], stays[i].low,
			 stays[i].high);
	}
	share_out(sums, cell, 0, costs);
	for (uint32_t i = 0; i <= cell->perhaps; i++)
		add_wide(&sums->cost[state_after(sums, i)], costs[i].low,
			 costs[i].high);
	share_out(sums, cell, cell->sure, late);
	add_beyond(sums, cell, stays, late);
}

/* Cuts an entry to what is left when the run ends. */
static struct wide_extent cut_entry(const struct sums *sums,
				    const struct cell_view *cell, uint32_t step,
				    struct wide_extent entry)
{
	struct wide at_low = wide_of(sums->quick->steps[step].at_ns);
	struct wide at_high = wide_of(sums->slow->steps[step].at_ns);

	entry.low = wide_least(entry.low,
			       less(wide_of(cell->sum.short_ns), at_high));
	entry.high = wide_least(entry.high,
				less(wide_of(cell->sum.long_ns), at_low));
	return entry;
}

static void add_entry(struct sums *sums, const struct cell_view *cell,
		      uint32_t step)
{
	const struct chain_step *quick = &sums->quick->steps[step];
	const struct chain_step *slow = &sums->slow->steps[step];
	const uint64_t n = cell->sum.n;
	const bool sure = step < cell->sure;
	struct wide_extent entry = {
		wide_product(sure ? n : 0, quick->resident_ns - quick->at_ns),
		wide_product(n, slow->resident_ns - slow->at_ns),
	};

	if (!cell->wakes)
		entry = cut_entry(sums, cell, step, entry);
	add_wide(&sums->entry[quick->state], entry.low, entry.high);
	sums->n_entries[quick->state].low += sure ? n : 0;
	sums->n_entries[quick->state].high += n;
	if (sure && cell->wakes)
		sums->beyond.n_entered[step] += n;
	else
		add_wide(&sums->beyond.moving_ns, entry.low, entry.high);
}

/* Adds exits by state: one for sure, or one of several. */
static void add_exits(struct sums *sums, const struct cell_view *cell)
{
	const bool sure = cell->sure == cell->perhaps;
	const uint64_t n = cell->sum.n;

	for (uint32_t step = cell->sure ? cell->sure - 1 : 0;
	     step < cell->perhaps; step++) {
		const uint32_t state = sums->quick->steps[step].state;

		add_wide(&sums->exit[state],
			 wide_product(sure ? n : 0,
				      sums->quick->steps[step].exit_ns),
			 wide_product(n, sums->slow->steps[step].exit_ns));
		sums->n_wakes[state].low += sure ? n : 0;
		sums->n_wakes[state].high += n;
	}
}

/*
 * How much longer the exit takes than that from the state before the first
 * step.
 */
static void add_longer(struct sums *sums, const struct cell_view *cell)
{
	const uint32_t first = sums->first;
	const struct chain_step *quick = sums->quick->steps;
	const struct chain_step *slow = sums->slow->steps;
	uint64_t before_low = first ? quick[first - 1].exit_ns : 0;
	uint64_t before_high = first ? slow[first - 1].exit_ns : 0;
	bool beyond = cell->sure > first;
	int64_t low = beyond ? INT64_MAX : 0, high = beyond ? INT64_MIN : 0;

	if (cell->sure == cell->perhaps) {
		sums->beyond.n_woken[cell->sure - 1] += (int64_t)cell->sum.n;
		if (first)
			sums->beyond.n_woken[first - 1] -= (int64_t)cell->sum.n;
		return;
	}
	for (uint32_t step = beyond ? cell->sure - 1 : first;
	     step < cell->perhaps; step++) {
		int64_t least = (int64_t)(quick[step].exit_ns - before_high);
		int64_t most = (int64_t)(slow[step].exit_ns - before_low);

		low = least < low ? least : low;
		high = most > high ? most : high;
	}
	add_wide(&sums->beyond.moving_ns, wide_times_signed(low, cell->sum.n),
		 wide_times_signed(high, cell->sum.n));
}

static void add_cell(struct sums *sums, const struct cell_view *cell)
{
	add_stays(sums, cell);
	for (uint32_t step = sums->first; step < cell->perhaps; step++)
		add_entry(sums, cell, step);
	if (!cell->wakes || cell->perhaps <= sums->first)
		return;
	add_exits(sums, cell);
	add_longer(sums, cell);
}

void ssdpm__add_cells(const struct enclosure *enclosure, struct sums *sums)
{
	const uint32_t n = enclosure->quick_wakes.last + 1;

	for (uint32_t i = 0; i < n * n; i++) {
		struct cell_view cell = {
			.sum = enclosure->cells[i],
			.shortest = i / n,
			.longest = i % n,
			.sure = (i / n + 1) / 2,
			.perhaps = (i % n + 1) / 2,
			.wakes = true,
		};

		if (cell.sum.n && (cell.perhaps > sums->first || !sums->first))
			add_cell(sums, &cell);
	}
}

/* Adds the idle time at the end, which no I/O ends. */
void ssdpm__add_rest(const struct enclosure *enclosure, struct extent rest_ns,
		     struct sums *sums)
{
	struct cell_view cell = {
		.sum = { 1, 1, rest_ns.low, rest_ns.high },
	};

	if (!rest_ns.high)
		return;
	if (rest_ns.low)
		cell.shortest =
			ssdpm__wake_class(&enclosure->slow_wakes, rest_ns.low);
	cell.longest = ssdpm__wake_class(&enclosure->quick_wakes, rest_ns.high);
	cell.sure = (cell.shortest + 1) / 2;
	cell.perhaps = (cell.longest + 1) / 2;
	add_cell(sums, &cell);
}

void ssdpm__beyond_steps(const struct enclosed *run, uint32_t n_steps,
			 struct beyond_steps *ret_beyond)
{
	struct sums sums = {
		.quick = &run->of->quick,
		.slow = &run->of->slow,
		.open = run->of->open,
		.ordered = n_steps ? run->base.descending : run->base.ordered,
		.first = n_steps,
	};

	ssdpm__add_cells(run->of, &sums);
	/* The rest differs between the two, so all of it counts. */
	sums.first = 0;
	sums.ordered = run->base.ordered;
	ssdpm__add_rest(run->of, run->rest_ns, &sums);
	*ret_beyond = sums.beyond;
}
