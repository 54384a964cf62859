/* SPDX-License-Identifier: MIT */
/*
 * Computes a run from the sorted idle times. A chain cuts them into ranges that
 * end in the same way. Times then follow from binary searches and sums. Only
 * the delays of early I/Os are looked at one by one.
 */
#include "recommend/gaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

static struct gap_range find_range(const struct gap_times *times,
				   uint64_t from_ns, uint64_t to_ns)
{
	struct gap_range range = {
		ssdpm__count_below(times->ns, times->n, from_ns),
		times->n,
	};

	if (to_ns != UINT64_MAX)
		range.to = ssdpm__count_below(times->ns, times->n, to_ns);
	return range;
}

struct ending ssdpm__ending(const struct ssdpm_gaps *gaps, uint64_t from_ns,
			    uint64_t to_ns, bool entering, uint64_t delay_ns)
{
	return (struct ending){
		.from_ns = from_ns,
		.to_ns = to_ns,
		.entering = entering,
		.delay_ns = delay_ns,
		.idle = find_range(&gaps->idle, from_ns, to_ns),
		.silent = find_range(&gaps->silent, from_ns, to_ns),
	};
}

static size_t count_early(const struct earlies *early, uint64_t gap_ns)
{
	size_t from = 0, to = early->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (early->io[middle].gap_ns < gap_ns)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

void ssdpm__delays_free(struct delays *delays)
{
	free(delays->ns);
	free(delays->spare);
}

int ssdpm__delays_new(const struct ssdpm_gaps *gaps, struct delays *ret_delays,
		      struct ssdpm_error *reterr)
{
	struct delays delays = { 0 };
	size_t n = gaps->early.n;

	if (n) {
		delays.ns = malloc(n * sizeof(*delays.ns));
		delays.spare = malloc(n * sizeof(*delays.spare));
		if (!delays.ns || !delays.spare) {
			ssdpm__delays_free(&delays);
			return ssdpm__fail(reterr, -ENOMEM, 0,
					   "gaps: no memory for delays");
		}
	}
	*ret_delays = delays;
	return 0;
}

/* Collects the delays of early I/Os, if there are any, and sorts them. */
static struct wide collect_early(const struct ssdpm_gaps *gaps,
				 const struct ending *endings, size_t n,
				 struct delays *delays)
{
	const struct earlies *early = &gaps->early;
	struct wide sum = { 0 };

	delays->n = 0;
	for (size_t i = 0; i < n && early->n; i++) {
		const struct ending *ending = &endings[i];
		size_t io = count_early(early, ending->from_ns);
		size_t to = early->n;

		if (ending->to_ns != UINT64_MAX)
			to = count_early(early, ending->to_ns);
		for (; io < to; io++) {
			uint64_t delay = ending->delay_ns;

			if (ending->entering)
				delay -= early->io[io].gap_ns;
			if (delay <= early->io[io].offset_ns)
				continue;
			delay -= early->io[io].offset_ns;
			delays->ns[delays->n++] = delay;
			wide_add(&sum, wide_of(delay));
		}
	}
	if (delays->n)
		ssdpm__sort_times(delays->ns, delays->spare, delays->n);
	return sum;
}

/* The state of a search for quantiles of delays. */
struct gap_search {
	const struct ssdpm_gaps *gaps;
	const struct ending *endings;
	size_t n;
	const struct delays *delays;
};

/* How many of these idle times end with a delay of more than above_ns. */
static uint64_t count_range(const struct gap_times *times,
			    struct gap_range range, const struct ending *ending,
			    uint64_t above_ns)
{
	if (ending->delay_ns <= above_ns)
		return 0;
	if (!ending->entering)
		return range.to - range.from;
	return ssdpm__count_below(times->ns + range.from, range.to - range.from,
				  ending->delay_ns - above_ns);
}

/* How many I/Os are delayed by more than above_ns. */
static uint64_t count_above(const struct gap_search *s, uint64_t above_ns)
{
	uint64_t count = s->delays->n;

	if (count)
		count -= ssdpm__count_below(s->delays->ns, s->delays->n,
					    above_ns + 1);
	for (size_t i = 0; i < s->n; i++)
		count += count_range(&s->gaps->idle, s->endings[i].idle,
				     &s->endings[i], above_ns) -
			 count_range(&s->gaps->silent, s->endings[i].silent,
				     &s->endings[i], above_ns);
	return count;
}

/* The least time that at most "count" delays exceed. */
static uint64_t find_quantile(const struct gap_search *s, uint64_t count,
			      uint64_t from_ns, uint64_t to_ns)
{
	while (from_ns < to_ns) {
		uint64_t middle = from_ns + (to_ns - from_ns) / 2;

		if (count_above(s, middle) > count)
			from_ns = middle + 1;
		else
			to_ns = middle;
	}
	return from_ns;
}

/* An upper limit of all delays, most often the longest. */
static uint64_t limit_of(const struct gap_search *s)
{
	uint64_t limit = s->delays->n ? s->delays->ns[s->delays->n - 1] : 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct ending *ending = &s->endings[i];
		uint64_t delay = ending->delay_ns;

		if (ending->idle.from == ending->idle.to)
			continue;
		if (ending->entering)
			delay -= s->gaps->idle.ns[ending->idle.from];
		if (delay > limit)
			limit = delay;
	}
	return limit;
}

/* Nearest rank: floor(n/100) of n I/Os are beyond the 99th percentile. */
static void find_quantiles(const struct gap_search *s, struct ssdpm_run *run)
{
	uint64_t limit = limit_of(s), n = 0;

	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		n += run->n_ios[op];
	run->n_delayed = count_above(s, 0);
	if (limit && s->gaps->silent.n)
		limit = find_quantile(s, 0, 0, limit);
	run->delay_max_ns = limit;
	run->delay_p999_ns = find_quantile(s, n / 1000, 0, limit);
	run->delay_p99_ns = find_quantile(s, n / 100, 0, run->delay_p999_ns);
	run->delay_p50_ns = find_quantile(s, n / 2, 0, run->delay_p99_ns);
}

static struct wide sum_range(const struct gap_times *times,
			     struct gap_range range,
			     const struct ending *ending)
{
	struct wide sum = wide_product(range.to - range.from, ending->delay_ns);

	if (!ending->entering)
		return sum;
	return wide_minus(
		sum, wide_of(times->sums[range.to] - times->sums[range.from]));
}

int ssdpm__gaps_delays(const struct ssdpm_gaps *gaps,
		       const struct ending *endings, size_t n,
		       struct delays *delays, struct ssdpm_run *run,
		       struct ssdpm_error *reterr)
{
	const struct gap_search search = { gaps, endings, n, delays };
	struct wide sum = collect_early(gaps, endings, n, delays);

	for (size_t i = 0; i < n; i++) {
		wide_add(&sum,
			 sum_range(&gaps->idle, endings[i].idle, &endings[i]));
		sum = wide_minus(sum,
				 sum_range(&gaps->silent, endings[i].silent,
					   &endings[i]));
	}
	if (!wide_fits(sum))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "delays: their sum is beyond 2^64 ns");
	run->delay_sum_ns = sum.low;
	find_quantiles(&search, run);
	return 0;
}

void ssdpm__gaps_add(const struct ssdpm_gaps *gaps, const struct ending *ending,
		     const struct chain *chain, uint32_t class,
		     struct state_times *times, struct ssdpm_run *run)
{
	const struct idle_sum sum = {
		ending->idle.to - ending->idle.from,
		gaps->idle.sums[ending->idle.to] -
			gaps->idle.sums[ending->idle.from],
	};

	if (sum.n)
		ssdpm__add_class(chain, class, sum, true, times, run);
}

/*
 * Adds idle times class by class; the endings are those of all classes but the
 * first.
 */
static void follow_chain(const struct gaps_task *task,
			 const struct chain *chain, struct ending *endings,
			 struct state_times *times, struct ssdpm_run *run)
{
	const struct ssdpm_gaps *gaps = task->gaps;
	uint64_t left_ns = gaps->end_idle_ns + task->idle_on_ns, from_ns = 0;
	struct wakes wakes;

	ssdpm__wakes(chain, &wakes);
	for (uint32_t class = 0; class <= wakes.last; class ++) {
		uint64_t to_ns =
			class < wakes.last ? wakes.from[class] : UINT64_MAX;
		endings[class] =
			ssdpm__ending(gaps, from_ns, to_ns, wakes.mask[class],
				      wakes.base_ns[class]);
		ssdpm__gaps_add(gaps, &endings[class], chain, class, times,
				run);
		from_ns = to_ns;
	}
	if (left_ns)
		ssdpm__add_class(chain, ssdpm__wake_class(&wakes, left_ns),
				 (struct idle_sum){ 1, left_ns }, false, times,
				 run);
}

struct ssdpm_run ssdpm__gaps_totals(const struct ssdpm_gaps *gaps)
{
	struct ssdpm_run run = { .size = sizeof(run), .n_gaps = gaps->idle.n };

	memcpy(run.busy_ns_by_op, gaps->flow.busy_ns,
	       sizeof(gaps->flow.busy_ns));
	memcpy(run.n_ios, gaps->intake.n_ios, sizeof(gaps->intake.n_ios));
	memcpy(run.bytes, gaps->intake.bytes, sizeof(gaps->intake.bytes));
	return run;
}

int ssdpm__gaps_sum(const struct gaps_task *task, const struct chain *chain,
		    const struct state_times *times, struct ssdpm_run *run,
		    struct wide *ret_fj, struct ssdpm_error *reterr)
{
	int err = ssdpm__fill_times(times, run, reterr);

	if (!err)
		err = ssdpm__run_sums(run, chain, task->gaps->start_ns, reterr);
	if (!err)
		err = ssdpm__run_energy(run, &task->values,
					chain->operational_state, ret_fj,
					reterr);
	return err;
}

int ssdpm__gaps_run(const struct gaps_task *task, const struct chain *chain,
		    struct delays *delays, struct ssdpm_run *ret_run,
		    struct wide *ret_fj, struct ssdpm_error *reterr)
{
	struct ssdpm_run run = ssdpm__gaps_totals(task->gaps);
	struct ending endings[MAX_CLASSES];
	struct state_times times = { 0 };
	int err;

	follow_chain(task, chain, endings, &times, &run);
	err = ssdpm__gaps_delays(task->gaps, endings + 1, 2 * chain->n, delays,
				 &run, reterr);
	if (!err)
		err = ssdpm__gaps_sum(task, chain, &times, &run, ret_fj,
				      reterr);
	if (!err)
		*ret_run = run;
	return err;
}
