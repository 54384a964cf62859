/* SPDX-License-Identifier: MIT */
/* Somebody who knows how long each idle time will be. */
#include "recommend/gaps.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"

/* To stay awake, or to go to one of the states that a table may lead to. */
static size_t find_options(const struct gaps_task *task,
			   struct option options[SSDPM_MAX_STATES])
{
	uint32_t awake = task->params.operational_state;
	const struct values *values = &task->values;
	uint32_t states[SSDPM_MAX_STATES];
	size_t n = ssdpm__sleep_states(task, states);

	options[0] = (struct option){
		.state = awake,
		.power_uw = ssdpm__state_power_uw(task, awake),
	};
	for (size_t i = 0; i < n; i++)
		options[i + 1] = (struct option){
			.state = states[i],
			.entry_ns = values->entry_ns[states[i]],
			.exit_ns = values->exit_ns[states[i]],
			.power_uw = ssdpm__state_power_uw(task, states[i]),
		};
	return n + 1;
}

/* To go to the state of an option at once, or to stay awake. */
static struct chain chain_of(const struct option *option, uint32_t awake)
{
	return (struct chain){
		.operational_state = awake,
		.n = option->state != awake,
		.steps = { { .state = option->state,
			     .resident_ns = option->entry_ns,
			     .exit_ns = option->exit_ns } },
	};
}

/* How the idle times of a choice end: in the entry, and after it. */
static void add_choice(const struct gaps_task *task,
		       const struct option *option, uint64_t from_ns,
		       uint64_t to_ns, struct ending endings[2],
		       struct state_times *times, struct ssdpm_run *run)
{
	const struct chain chain =
		chain_of(option, task->params.operational_state);
	uint64_t ready_ns = option->entry_ns;

	if (ready_ns < from_ns)
		ready_ns = from_ns;
	if (ready_ns > to_ns)
		ready_ns = to_ns;
	endings[0] = ssdpm__ending(task->gaps, from_ns, ready_ns, true,
				   option->entry_ns + option->exit_ns);
	endings[1] = ssdpm__ending(task->gaps, ready_ns, to_ns, false,
				   option->exit_ns);
	ssdpm__gaps_add(task->gaps, &endings[0], &chain, chain.n, times, run);
	ssdpm__gaps_add(task->gaps, &endings[1], &chain, 2 * chain.n, times,
			run);
}

/* The idle time at the end: there is no exit. */
static void add_end(const struct gaps_task *task, const struct option *options,
		    size_t n, struct state_times *times, struct ssdpm_run *run)
{
	uint64_t transition_uw = task->values.transition_power_uw;
	uint64_t left_ns = task->gaps->end_idle_ns;
	const struct option *best = &options[0];
	struct chain chain;

	if (!left_ns)
		return;
	for (size_t i = 1; i < n; i++)
		if (wide_is_less(ssdpm__option_cost(&options[i], transition_uw,
						    left_ns, true),
				 ssdpm__option_cost(best, transition_uw,
						    left_ns, true)))
			best = &options[i];
	chain = chain_of(best, task->params.operational_state);
	ssdpm__add_class(&chain,
			 left_ns < best->entry_ns ? chain.n : 2 * chain.n,
			 (struct idle_sum){ 1, left_ns }, false, times, run);
}

/* What the sums of a run have to know of it: the deepest state it went to. */
static struct chain deepest_chain(const struct gaps_task *task,
				  const struct ssdpm_run *run)
{
	struct chain chain = {
		.operational_state = task->params.operational_state,
	};

	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		if (run->states[i].n_entries) {
			chain.n = 1;
			chain.steps[0].state = i;
		}
	return chain;
}

static int run_choices(const struct gaps_task *task,
		       const struct option *options,
		       const struct gap_choice *choices, size_t n,
		       struct ending *endings, struct state_times *times,
		       struct ssdpm_run *run, struct ssdpm_error *reterr)
{
	struct delays delays;
	int err = ssdpm__delays_new(task->gaps, &delays, reterr);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		add_choice(task, &options[choices[i].option],
			   choices[i].from_ns,
			   i + 1 < n ? choices[i + 1].from_ns : UINT64_MAX,
			   endings + 2 * i, times, run);
	err = ssdpm__gaps_delays(task->gaps, endings, 2 * n, &delays, run,
				 reterr);
	ssdpm__delays_free(&delays);
	return err;
}

/* The run, without its sums and energies. */
static int find_run(const struct gaps_task *task, struct state_times *times,
		    struct ssdpm_run *run, struct ssdpm_error *reterr)
{
	struct option options[SSDPM_MAX_STATES];
	size_t n_options = find_options(task, options), n;
	struct gap_choice *choices;
	struct ending *endings;
	int err;

	err = ssdpm__cheapest(options, n_options,
			      task->values.transition_power_uw, &choices, &n,
			      reterr);
	if (err)
		return err;
	endings = calloc(n, 2 * sizeof(*endings));
	if (endings)
		err = run_choices(task, options, choices, n, endings, times,
				  run, reterr);
	else
		err = ssdpm__fail(reterr, -ENOMEM, 0,
				  "gaps: no memory for the lower envelope");
	add_end(task, options, n_options, times, run);
	free(endings);
	free(choices);
	return err;
}

int ssdpm_gaps_clairvoyant(const struct ssdpm_gaps *gaps,
			   const struct ssdpm_model *model,
			   const struct ssdpm_sim_params *params,
			   struct ssdpm_run *ret_run,
			   struct ssdpm_error *reterr)
{
	struct state_times times = { 0 };
	struct gaps_task task;
	struct ssdpm_run run;
	struct chain chain;
	int err;

	err = ssdpm__sized_check(ret_run, sizeof(run), "ssdpm_run", reterr);
	if (!err)
		err = ssdpm__gaps_task(gaps, model, params, &task, reterr);
	if (err)
		return err;
	run = ssdpm__gaps_totals(gaps);
	err = find_run(&task, &times, &run, reterr);
	if (err)
		return err;
	chain = deepest_chain(&task, &run);
	err = ssdpm__gaps_sum(&task, &chain, &times, &run, NULL, reterr);
	if (!err)
		ssdpm__sized_out(ret_run, &run, sizeof(run));
	return err;
}
