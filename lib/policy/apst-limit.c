/* SPDX-License-Identifier: MIT */
/* What a latency limit does: its range, and the one that keeps a state. */
#include "policy/internal.h"

#include <errno.h>
#include <string.h>

static void add_step(struct steps *steps, uint64_t value)
{
	uint32_t at = steps->n;

	while (at > 0 && steps->values[at - 1] > value)
		at--;
	if ((at > 0 && steps->values[at - 1] == value) ||
	    steps->n == SSDPM_APST_MAX_STEPS)
		return;
	memmove(&steps->values[at + 1], &steps->values[at],
		(steps->n - at) * sizeof(steps->values[0]));
	steps->values[at] = value;
	steps->n++;
}

uint32_t ssdpm__steps_find(const struct steps *steps, uint64_t value)
{
	uint32_t at = steps->n;

	while (at > 0 && steps->values[at - 1] > value)
		at--;
	return at > 0 ? at - 1 : steps->n;
}

/* The largest value of a step. */
static uint64_t last_of(const struct steps *steps, uint32_t step)
{
	return step + 1 < steps->n ? steps->values[step + 1] - 1 :
				     SSDPM_LATENCY_ANY;
}

uint64_t ssdpm__steps_value(const struct steps *steps, uint32_t step,
			    uint64_t preferred)
{
	return ssdpm__steps_find(steps, preferred) == step ?
		       preferred :
		       steps->values[step];
}

void ssdpm__limit_steps(const struct ssdpm_model *model, bool totals,
			struct steps *ret_steps)
{
	const struct ssdpm_power_state *states;
	size_t n;

	ret_steps->n = 0;
	add_step(ret_steps, 0);
	add_step(ret_steps, 1);
	states = ssdpm_model_get_states(model, &n);
	for (size_t i = 0; i < n; i++) {
		if (!(states[i].flags & SSDPM_STATE_NON_OPERATIONAL))
			continue;
		add_step(ret_steps, states[i].exit_latency_us);
		if (totals)
			add_step(ret_steps, ssdpm__total_us(&states[i]));
	}
}

void ssdpm__tolerance_steps(const struct ssdpm_model *model,
			    struct steps *ret_steps)
{
	const struct ssdpm_power_state *states;
	size_t n;

	ret_steps->n = 0;
	add_step(ret_steps, 1);
	states = ssdpm_model_get_states(model, &n);
	for (size_t i = 0; i < n; i++)
		if (states[i].flags & SSDPM_STATE_NON_OPERATIONAL &&
		    ssdpm__total_us(&states[i]))
			add_step(ret_steps, ssdpm__total_us(&states[i]));
}

size_t ssdpm_apst_get_steps(const struct ssdpm_model *model, uint32_t step,
			    uint64_t preferred, uint64_t *ret_values,
			    size_t capacity)
{
	struct steps steps = { 0 };

	if (step == SSDPM_APST_STEP_LIMIT)
		ssdpm__limit_steps(model, false, &steps);
	else if (step == SSDPM_APST_STEP_TOLERANCE)
		ssdpm__tolerance_steps(model, &steps);
	for (uint32_t i = 0; i < steps.n && i < capacity; i++)
		ret_values[i] = ssdpm__steps_value(&steps, i, preferred);
	return steps.n;
}

bool ssdpm__makes(const struct ssdpm_model *model,
		  const struct ssdpm_apst_params *params,
		  const struct ssdpm_apst *table)
{
	struct ssdpm_apst made;

	return !ssdpm_apst_generate(model, params, &made, NULL) &&
	       !memcmp(&made, table, sizeof(made));
}

/* The parameters in full, and the table that they make. */
static int start(const struct ssdpm_model *model,
		 const struct ssdpm_apst_params *params,
		 struct ssdpm_apst_params *ret_params,
		 struct ssdpm_apst *ret_table, struct ssdpm_error *reterr)
{
	int err = ssdpm_apst_generate(model, params, ret_table, reterr);

	if (err)
		return err;
	ssdpm_apst_params_init(ret_params, sizeof(*ret_params));
	if (!params)
		return 0;
	return ssdpm__sized_in(ret_params, sizeof(*ret_params), params,
			       "ssdpm_apst_params", reterr);
}

int ssdpm_apst_limit_range(const struct ssdpm_model *model,
			   const struct ssdpm_apst_params *params,
			   uint64_t *ret_min_us, uint64_t *ret_max_us,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params p;
	struct ssdpm_apst table;
	uint32_t first, last;
	struct steps steps;
	int err;

	err = start(model, params, &p, &table, reterr);
	if (err)
		return err;
	ssdpm__limit_steps(model, true, &steps);
	first = last = ssdpm__steps_find(&steps, p.max_exit_latency_us);
	for (; first > 0; first--) {
		p.max_exit_latency_us = steps.values[first - 1];
		if (!ssdpm__makes(model, &p, &table))
			break;
	}
	for (; last + 1 < steps.n; last++) {
		p.max_exit_latency_us = steps.values[last + 1];
		if (!ssdpm__makes(model, &p, &table))
			break;
	}
	*ret_min_us = steps.values[first];
	*ret_max_us = last_of(&steps, last);
	return 0;
}

static bool uses(const struct ssdpm_apst *table, uint32_t state)
{
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		if (table->entries[i].idle_ms &&
		    table->entries[i].target == state)
			return true;
	return false;
}

/* The deepest state that the table uses beyond this one, or 0. */
static uint32_t deepest_beyond(const struct ssdpm_apst *table, uint32_t state)
{
	for (uint32_t i = SSDPM_MAX_STATES; i-- > state + 1;)
		if (uses(table, i))
			return i;
	return 0;
}

/* No limit uses the state at all. */
static int never_used(const struct ssdpm_model *model,
		      struct ssdpm_apst_params *params, uint32_t state,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_apst_verdict verdicts[SSDPM_MAX_STATES];

	params->max_exit_latency_us = SSDPM_LATENCY_ANY;
	if (ssdpm_apst_explain(model, params, verdicts, SSDPM_MAX_STATES, NULL))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0, "no limit uses PS%u",
				   state);
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0, "no limit uses PS%u: %s",
			   state, verdicts[state].reason);
}

/* All limits that use the state use a deeper one too. */
static int never_alone(const struct ssdpm_model *model, uint32_t state,
		       uint32_t deeper, struct ssdpm_error *reterr)
{
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, NULL);
	uint32_t exit_us = states[state].exit_latency_us;

	if (states[deeper].exit_latency_us > exit_us)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "every limit that uses PS%u uses PS%u too",
				   state, deeper);
	return ssdpm__fail(
		reterr, -EOPNOTSUPP, 0,
		"no limit drops PS%u and keeps PS%u: PS%u exits in %s, "
		"PS%u in %s",
		deeper, state, deeper,
		ssdpm_us_to_text(states[deeper].exit_latency_us).text, state,
		ssdpm_us_to_text(exit_us).text);
}

int ssdpm_apst_keep(const struct ssdpm_model *model,
		    const struct ssdpm_apst_params *params, uint32_t state,
		    uint64_t *ret_max_exit_latency_us,
		    struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params p;
	struct ssdpm_apst table;
	uint32_t deeper = 0;
	struct steps steps;
	size_t n;
	int err;

	err = start(model, params, &p, &table, reterr);
	if (err)
		return err;
	ssdpm_model_get_states(model, &n);
	if (state >= n)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "PS%u: the drive has only %zu states", state,
				   n);
	ssdpm__limit_steps(model, true, &steps);
	for (uint32_t i = steps.n; i-- > 0;) {
		p.max_exit_latency_us = last_of(&steps, i);
		err = ssdpm_apst_generate(model, &p, &table, reterr);
		if (err)
			return err;
		if (!uses(&table, state))
			continue;
		deeper = deepest_beyond(&table, state);
		if (!deeper) {
			*ret_max_exit_latency_us = p.max_exit_latency_us;
			return 0;
		}
	}
	if (deeper)
		return never_alone(model, state, deeper, reterr);
	return never_used(model, &p, state, reterr);
}
