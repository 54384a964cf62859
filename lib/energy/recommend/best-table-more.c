/* SPDX-License-Identifier: MIT */
/*
 * Searches tables with more than two states. It may miss the best one, and a
 * bound limits by how much.
 *
 * It starts at the best table with up to two states. It makes the change that
 * gains most, until none gains. A change is one of these:
 * - add a state with one of the idle times 1, 2, 5, 10, 20, ... ms;
 * - leave a state out;
 * - change one idle time, by 1 ms or to the half or the double.
 *
 * The bound holds for every table. A drive enters at least the state that it
 * wakes from. The rest of an idle time g is at least g minus the entry. Its
 * power is at least Q, the least of the transition power, the power awake and
 * the powers of the states. An idle time that ends in state k therefore costs
 * at least
 *
 *     transition power x (entry_k + exit_k) + Q max(0, g - entry_k)
 *
 * Entering other states only adds to that, because Q does not exceed the
 * transition power. An idle time without a transition costs the power awake.
 * The bound takes the least of these for each idle time alone.
 */
#include "recommend/best-table.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"

/* The longest of 1, 2, 5, 10, ... that an entry holds is 10^7 ms. */
#define N_TRIED_MS 22

struct climb {
	struct best_search *search;
	struct delays delays;
	struct wide common_fj; /* of the table without entries */
	struct setting next;   /* the best neighbour */
};

static uint32_t tried_ms(unsigned i)
{
	static const uint32_t first[] = { 1, 2, 5 };
	uint32_t ms = first[i % 3];

	for (; i >= 3; i -= 3)
		ms *= 10;
	return ms;
}

/* Computes cost and delay, and whether the setting keeps the bounds. */
static int evaluate(struct climb *climb, struct setting *setting,
		    bool *ret_kept, struct ssdpm_error *reterr)
{
	const struct gaps_task *task = climb->search->task;
	const struct table_limits *limits = &climb->search->limits;
	struct ssdpm_apst table = ssdpm__setting_table(setting);
	struct ssdpm_sim_params params = task->params;
	struct chain chain;
	struct ssdpm_run run;
	struct wide fj;
	int err;

	params.apst = &table;
	err = ssdpm__chain(task->model, &params, &task->values, &chain, reterr);
	if (!err)
		err = ssdpm__gaps_run(task, &chain, &climb->delays, &run, &fj,
				      reterr);
	if (err)
		return err;
	setting->cost_fj = wide_minus(fj, climb->common_fj);
	setting->delay_ns = wide_of(run.delay_sum_ns);
	*ret_kept = !wide_is_less(limits->delay_ns, setting->delay_ns) &&
		    run.delay_p99_ns <= limits->beyond_ns;
	return 0;
}

static int consider(struct climb *climb, struct setting setting,
		    struct ssdpm_error *reterr)
{
	bool kept = false;
	int err = evaluate(climb, &setting, &kept, reterr);

	if (!err && kept && ssdpm__is_better(&setting, &climb->next))
		climb->next = setting;
	return err;
}

/* Adds a state where it belongs. */
static int add_state(struct climb *climb, uint32_t state,
		     struct ssdpm_error *reterr)
{
	struct setting setting = climb->search->best;
	uint32_t at = 0;
	int err = 0;

	while (at < setting.n && setting.states[at] < state)
		at++;
	if (at < setting.n && setting.states[at] == state)
		return 0;
	for (uint32_t i = setting.n++; i > at; i--) {
		setting.states[i] = setting.states[i - 1];
		setting.ms[i] = setting.ms[i - 1];
	}
	setting.states[at] = state;
	for (unsigned i = 0; i < N_TRIED_MS && !err; i++) {
		setting.ms[at] = tried_ms(i);
		err = consider(climb, setting, reterr);
	}
	return err;
}

static int leave_out(struct climb *climb, uint32_t at,
		     struct ssdpm_error *reterr)
{
	struct setting setting = climb->search->best;

	for (setting.n--; at < setting.n; at++) {
		setting.states[at] = setting.states[at + 1];
		setting.ms[at] = setting.ms[at + 1];
	}
	return consider(climb, setting, reterr);
}

static int change_ms(struct climb *climb, uint32_t at,
		     struct ssdpm_error *reterr)
{
	struct setting setting = climb->search->best;
	uint32_t ms = setting.ms[at];
	const uint32_t tried[] = { ms - 1, ms + 1, ms / 2, 2 * ms };
	int err = 0;

	for (unsigned i = 0; i < 4 && !err; i++) {
		setting.ms[at] = tried[i];
		if (tried[i] && tried[i] <= SSDPM_APST_MAX_IDLE_MS)
			err = consider(climb, setting, reterr);
	}
	return err;
}

/* Makes the best single change; the best stays if none gains. */
static int take_step(struct climb *climb, struct ssdpm_error *reterr)
{
	struct best_search *search = climb->search;
	uint32_t n = search->best.n;
	int err = 0;

	climb->next = search->best;
	for (size_t i = 0; n < search->max_states && i < search->n_states; i++)
		if (!err)
			err = add_state(climb, search->states[i], reterr);
	for (uint32_t i = 0; i < n && !err; i++) {
		err = leave_out(climb, i, reterr);
		if (!err)
			err = change_ms(climb, i, reterr);
	}
	return err;
}

int ssdpm__search_more(struct best_search *search, struct ssdpm_error *reterr)
{
	struct climb climb = { .search = search };
	const struct chain awake = {
		.operational_state = search->task->params.operational_state,
	};
	struct ssdpm_run run;
	bool better = true;
	int err = ssdpm__delays_new(search->task->gaps, &climb.delays, reterr);

	if (err)
		return err;
	err = ssdpm__gaps_run(search->task, &awake, &climb.delays, &run,
			      &climb.common_fj, reterr);
	while (!err && better) {
		err = take_step(&climb, reterr);
		better = !err && ssdpm__is_better(&climb.next, &search->best);
		if (better)
			search->best = climb.next;
	}
	ssdpm__delays_free(&climb.delays);
	return err;
}

/* The cost of all idle times for which one option is chosen. */
static struct wide choice_cost(const struct gap_times *times,
			       const struct option *option,
			       uint64_t transition_uw, uint64_t from_ns,
			       uint64_t to_ns)
{
	uint64_t ready_ns =
		option->entry_ns < from_ns ? from_ns : option->entry_ns;
	size_t from = ssdpm__count_below(times->ns, times->n, from_ns);
	size_t to = times->n, ready;
	struct wide cost, rest_ns;

	if (to_ns != UINT64_MAX)
		to = ssdpm__count_below(times->ns, times->n, to_ns);
	ready = ssdpm__count_below(times->ns, to, ready_ns);
	if (ready < from)
		ready = from;
	cost = wide_times(
		wide_product(to - from, option->entry_ns + option->exit_ns),
		transition_uw);
	rest_ns = wide_minus(wide_of(times->sums[to] - times->sums[ready]),
			     wide_product(to - ready, option->entry_ns));
	return wide_plus(cost, wide_times(rest_ns, option->power_uw));
}

static size_t find_options(const struct best_search *search,
			   struct option options[SSDPM_MAX_STATES])
{
	const struct gaps_task *task = search->task;
	const struct values *values = &task->values;
	uint64_t awake_uw =
		ssdpm__state_power_uw(task, task->params.operational_state);
	uint64_t least_uw = values->transition_power_uw;

	if (awake_uw < least_uw)
		least_uw = awake_uw;
	for (size_t i = 0; i < search->n_states; i++) {
		uint64_t power_uw =
			ssdpm__state_power_uw(task, search->states[i]);

		if (power_uw < least_uw)
			least_uw = power_uw;
	}
	options[0] = (struct option){ .power_uw = awake_uw };
	for (size_t i = 0; i < search->n_states; i++)
		options[i + 1] = (struct option){
			.state = search->states[i],
			.entry_ns = values->entry_ns[search->states[i]],
			.exit_ns = values->exit_ns[search->states[i]],
			.power_uw = least_uw,
		};
	return search->n_states + 1;
}

int ssdpm__cost_bound(const struct best_search *search,
		      struct wide *ret_cost_fj, struct ssdpm_error *reterr)
{
	const struct ssdpm_gaps *gaps = search->task->gaps;
	uint64_t tr = search->task->values.transition_power_uw;
	struct option options[SSDPM_MAX_STATES];
	size_t n_options = find_options(search, options), n;
	uint64_t left_ns = gaps->end_idle_ns;
	struct gap_choice *choices;
	struct wide cost =
		wide_product(options[n_options - 1].power_uw, left_ns);
	struct wide all_ns = wide_plus(wide_of(gaps->idle.sums[gaps->idle.n]),
				       wide_of(left_ns));
	int err = ssdpm__cheapest(options, n_options, tr, &choices, &n, reterr);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		wide_add(&cost,
			 choice_cost(&gaps->idle, &options[choices[i].option],
				     tr, choices[i].from_ns,
				     i + 1 < n ? choices[i + 1].from_ns :
						 UINT64_MAX));
	free(choices);
	/* Without the cost that all tables share. */
	*ret_cost_fj =
		wide_minus(cost, wide_times(all_ns, options[0].power_uw));
	return 0;
}
