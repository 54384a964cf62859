/* SPDX-License-Identifier: MIT */
/* From idle times between two lengths to a run between two ends. */
#include "estimate/enclosed-sums.h"

#include <errno.h>

#include "base/internal.h"

static bool give(const struct wide_extent *sum, uint64_t *ret_low,
		 uint64_t *ret_high)
{
	*ret_low = sum->low.low;
	*ret_high = sum->high.low;
	return wide_fits(sum->low) && wide_fits(sum->high);
}

static bool give_states(const struct sums *sums, struct enclosed *run)
{
	bool fits = true;

	for (uint32_t i = 0; i < SSDPM_MAX_STATES && fits; i++) {
		struct ssdpm_residency *least = &run->least.states[i];
		struct ssdpm_residency *most = &run->most.states[i];

		fits = give(&sums->idle[i], &least->time_ns, &most->time_ns) &&
		       give(&sums->entry[i], &least->entry_ns,
			    &most->entry_ns) &&
		       give(&sums->exit[i], &least->exit_ns, &most->exit_ns);
		least->n_entries = sums->n_entries[i].low;
		most->n_entries = sums->n_entries[i].high;
		least->n_wakes = sums->n_wakes[i].low;
		most->n_wakes = sums->n_wakes[i].high;
	}
	return fits;
}

/* The exits of I/Os that surely end in one state, which nobody has counted. */
static void add_settled(const struct enclosure *enclosure,
			struct wide_extent *sum, struct histogram *shortest,
			struct histogram *longest)
{
	const uint32_t n = enclosure->quick_wakes.last + 1;

	for (uint32_t class = 2; class < n; class += 2) {
		const struct idle_cell *cell =
			&enclosure->cells[class * n + class];
		const struct chain_step *quick =
			&enclosure->quick.steps[class / 2 - 1];
		const struct chain_step *slow =
			&enclosure->slow.steps[class / 2 - 1];
		uint64_t n_ios = cell->n - cell->n_silent;

		if (!n_ios)
			continue;
		add_wide(sum, wide_product(n_ios, quick->exit_ns),
			 wide_product(n_ios, slow->exit_ns));
		if (quick->exit_ns)
			ssdpm__histogram_add(shortest, quick->exit_ns, n_ios);
		if (slow->exit_ns)
			ssdpm__histogram_add(longest, slow->exit_ns, n_ios);
	}
}

static void give_quantiles(struct histogram *delays, uint64_t n_ios,
			   struct ssdpm_run *run)
{
	run->n_delayed = delays->n;
	ssdpm__histogram_add(delays, 0, n_ios - delays->n);
	run->delay_p50_ns = ssdpm__histogram_quantile(delays, 1, 2);
	run->delay_p99_ns = ssdpm__histogram_quantile(delays, 99, 100);
	run->delay_p999_ns = ssdpm__histogram_quantile(delays, 999, 1000);
	run->delay_max_ns = ssdpm__histogram_quantile(delays, 1, 1);
}

static uint64_t mean(uint64_t sum, uint64_t n)
{
	uint64_t quotient = 0;

	if (n)
		ssdpm__divide(wide_of(sum), n, &quotient);
	return quotient;
}

/* Means: of sums and numbers that need not belong together. */
static void give_means(struct ssdpm_run *least, struct ssdpm_run *most,
		       uint64_t n_ios)
{
	least->delay_mean_ns = mean(least->delay_sum_ns, n_ios);
	most->delay_mean_ns = mean(most->delay_sum_ns, n_ios);
	if (least->n_delayed)
		least->delay_mean_delayed_ns =
			mean(least->delay_sum_ns, most->n_delayed);
	most->delay_mean_delayed_ns = most->delay_max_ns;
	if (least->n_delayed)
		most->delay_mean_delayed_ns =
			at_most(most->delay_max_ns,
				mean(most->delay_sum_ns, least->n_delayed));
}

static int give_delays(const struct enclosure *enclosure, struct enclosed *run,
		       struct ssdpm_error *reterr)
{
	struct late *late = enclosure->late;
	struct wide_extent sum = late->io_ns;
	uint64_t n_ios = 0;

	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		n_ios += run->base.n_ios[op];
	add_settled(enclosure, &sum, &late->shortest, &late->longest);
	give_quantiles(&late->shortest, n_ios, &run->least);
	give_quantiles(&late->longest, n_ios, &run->most);
	if (!give(&sum, &run->least.delay_sum_ns, &run->most.delay_sum_ns))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "delays: their sum is beyond 2^64 ns");
	give_means(&run->least, &run->most, n_ios);
	return 0;
}

/* The sums by operation are loose; together they are no less, and no more. */
static struct extent total_busy(const struct enclosed *run)
{
	struct extent sum = { 0, 0 };

	for (unsigned op = 0; op < SSDPM_N_OPS; op++) {
		sum.low += run->base.busy_ns[op].low;
		sum.high = sum.high > UINT64_MAX - run->base.busy_ns[op].high ?
				   UINT64_MAX :
				   sum.high + run->base.busy_ns[op].high;
	}
	return sum;
}

/* What the ends of all idle times delay. */
static struct wide_extent moved_by(const struct enclosure *enclosure)
{
	const uint32_t n = enclosure->quick_wakes.last + 1;
	struct wide_extent sum = enclosure->late->all_ns;

	for (uint32_t class = 2; class < n; class += 2) {
		uint32_t step = class / 2 - 1;
		uint64_t count = enclosure->cells[class * n + class].n;

		add_wide(&sum,
			 wide_product(count,
				      enclosure->quick.steps[step].exit_ns),
			 wide_product(count,
				      enclosure->slow.steps[step].exit_ns));
	}
	return sum;
}

/*
 * All that is neither idle before the last completion nor on its way out of a
 * state is busy. In the closed loop that way is no part of the time.
 */
static struct extent whole_busy(const struct enclosed *run, struct extent busy)
{
	const struct enclosure *of = run->of;
	const uint32_t n = of->quick_wakes.last + 1;
	struct wide_extent moved = { { 0 }, { 0 } }, whole;

	if (!of->tracked)
		return busy;
	if (of->open)
		moved = moved_by(of);
	for (uint32_t i = 0; i < n * n; i++)
		add_wide(&moved, wide_of(of->cells[i].short_ns),
			 wide_of(of->cells[i].long_ns));
	whole.low = less(wide_of(run->base.until_ns.low - run->base.start_ns),
			 moved.high);
	whole.high = less(wide_of(run->base.until_ns.high - run->base.start_ns),
			  moved.low);
	return (struct extent){ at_least(busy.low, whole.low.low),
				at_most(busy.high, whole.high.low) };
}

static void give_busy(struct enclosed *run)
{
	struct extent total = whole_busy(run, total_busy(run));

	run->total_busy_ns = total;
	run->least.busy_ns = total.low;
	run->most.busy_ns = total.high;
	for (unsigned op = 0; op < SSDPM_N_OPS; op++) {
		struct extent busy = run->base.busy_ns[op];
		uint64_t others = 0;

		for (unsigned other = 0; other < SSDPM_N_OPS; other++)
			others +=
				other == op ? 0 : run->base.busy_ns[other].low;
		run->least.busy_ns_by_op[op] = busy.low;
		run->most.busy_ns_by_op[op] =
			at_most(busy.high, total.high - others);
		run->least.n_ios[op] = run->most.n_ios[op] =
			run->base.n_ios[op];
		run->least.bytes[op] = run->most.bytes[op] =
			run->base.bytes[op];
	}
}

/* The sums over states: none is more than the duration. */
static void give_idle(const struct sums *sums, struct enclosed *run)
{
	struct wide_extent idle = { { 0 }, { 0 } }, entry = idle, exit = idle;
	const struct wide limit = wide_of(run->duration_ns.high);
	struct wide_extent *all[] = { &idle, &entry, &exit };

	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		add_wide(&idle, sums->idle[i].low, sums->idle[i].high);
		add_wide(&entry, sums->entry[i].low, sums->entry[i].high);
		add_wide(&exit, sums->exit[i].low, sums->exit[i].high);
	}
	for (size_t i = 0; i < 3; i++)
		all[i]->high = wide_least(all[i]->high, limit);
	give(&idle, &run->least.idle_ns, &run->most.idle_ns);
	give(&entry, &run->least.entry_ns, &run->most.entry_ns);
	give(&exit, &run->least.exit_ns, &run->most.exit_ns);
}

static uint64_t per_day(uint64_t n, uint64_t duration_ns)
{
	uint64_t quotient = UINT64_MAX;

	if (!duration_ns)
		return n ? UINT64_MAX : 0;
	ssdpm__divide(wide_product(n, NS_PER_DAY), duration_ns, &quotient);
	return quotient;
}

static void give_counts(const struct enclosure *enclosure, struct enclosed *run)
{
	const struct chain *chain = &enclosure->quick;
	const uint32_t n = enclosure->quick_wakes.last + 1;

	run->least.n_gaps = enclosure->n_gaps.low;
	run->most.n_gaps = enclosure->n_gaps.high;
	for (uint32_t i = 0; i < n * n; i++) {
		run->least.n_wakes += i / n ? enclosure->cells[i].n : 0;
		run->most.n_wakes += i % n ? enclosure->cells[i].n : 0;
	}
	if (!chain->n)
		return;
	run->least.n_deepest =
		run->least.states[chain->steps[chain->n - 1].state].n_entries;
	run->most.n_deepest =
		run->most.states[chain->steps[chain->n - 1].state].n_entries;
	run->least.deepest_per_day =
		per_day(run->least.n_deepest, run->duration_ns.high);
	run->most.deepest_per_day =
		per_day(run->most.n_deepest, run->duration_ns.low);
}

/* All but the delays, for so much idle time at the end. */
static int fill_run(struct enclosed *run, struct ssdpm_error *reterr)
{
	const struct enclosure *enclosure = run->of;
	struct sums sums = {
		.quick = &enclosure->quick,
		.slow = &enclosure->slow,
		.open = enclosure->open,
		.ordered = run->base.ordered,
	};

	ssdpm__add_cells(enclosure, &sums);
	ssdpm__add_rest(enclosure, run->rest_ns, &sums);
	if (!give_states(&sums, run) ||
	    run->duration_ns.high > UINT64_MAX - run->base.start_ns)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "time: with all delays beyond 2^64 ns");
	run->least.size = run->most.size = sizeof(run->least);
	run->least.duration_ns = run->duration_ns.low;
	run->most.duration_ns = run->duration_ns.high;
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		give(&sums.cost[i], &run->cost_ns[i].low,
		     &run->cost_ns[i].high);
	give_busy(run);
	give_idle(&sums, run);
	give_counts(enclosure, run);
	return 0;
}

static bool find_own(struct enclosed *run, uint64_t end_ns)
{
	const struct run_base *base = &run->base;
	struct wide_extent own = { { 0 }, { 0 } };

	/* The closed loop moves by it. */
	if (!run->of->open)
		own = moved_by(run->of);
	add_wide(&own,
		 wide_of(at_least(base->until_ns.low, end_ns) - base->start_ns),
		 wide_of(at_least(base->until_ns.high, end_ns) -
			 base->start_ns));
	return give(&own, &run->own_ns.low, &run->own_ns.high);
}

int ssdpm__enclosed_run(const struct enclosure *enclosure,
			const struct run_base *base, uint64_t end_ns,
			struct enclosed *ret_run, struct ssdpm_error *reterr)
{
	struct enclosed *run = ret_run;
	const struct extent rest_ns = {
		end_ns - at_most(end_ns, base->until_ns.high),
		end_ns - at_most(end_ns, base->until_ns.low),
	};
	int err;

	*run = (struct enclosed){
		.of = enclosure,
		.base = *base,
		.own_rest_ns = rest_ns,
		.rest_ns = rest_ns,
	};
	if (!find_own(run, end_ns))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "time: with all delays beyond 2^64 ns");
	run->duration_ns = run->own_ns;
	err = fill_run(run, reterr);
	return err ? err : give_delays(enclosure, run, reterr);
}

/* How much later than one end another one is. */
static struct extent beyond(struct extent own_ns, struct extent other_ns)
{
	struct extent more = { 0, 0 };

	if (other_ns.low > own_ns.high)
		more.low = other_ns.low - own_ns.high;
	if (other_ns.high > own_ns.low)
		more.high = other_ns.high - own_ns.low;
	return more;
}

static void copy_delays(struct ssdpm_run *to, const struct ssdpm_run *from)
{
	to->n_delayed = from->n_delayed;
	to->delay_sum_ns = from->delay_sum_ns;
	to->delay_mean_ns = from->delay_mean_ns;
	to->delay_mean_delayed_ns = from->delay_mean_delayed_ns;
	to->delay_p50_ns = from->delay_p50_ns;
	to->delay_p99_ns = from->delay_p99_ns;
	to->delay_p999_ns = from->delay_p999_ns;
	to->delay_max_ns = from->delay_max_ns;
}

int ssdpm__enclosed_until(const struct enclosed *run, struct extent other_ns,
			  struct enclosed *ret_run, struct ssdpm_error *reterr)
{
	struct extent more = beyond(run->own_ns, other_ns);
	struct enclosed longer = {
		.of = run->of,
		.base = run->base,
		.own_ns = run->own_ns,
		.own_rest_ns = run->own_rest_ns,
		.other_ns = other_ns,
		.rest_ns = { run->own_rest_ns.low + more.low,
			     run->own_rest_ns.high + more.high },
		.duration_ns = { at_least(run->own_ns.low, other_ns.low),
				 at_least(run->own_ns.high, other_ns.high) },
	};
	int err;

	copy_delays(&longer.least, &run->least);
	copy_delays(&longer.most, &run->most);
	err = fill_run(&longer, reterr);
	if (!err)
		*ret_run = longer;
	return err;
}
