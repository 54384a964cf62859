/* SPDX-License-Identifier: MIT */
/* The steps that a drive takes by itself while it is idle. */
#include "base/internal.h"
#include "estimate/internal.h"

#include <errno.h>

#define NS_PER_MS 1000000u

/* A state, from at_ns of idle time on. */
static void add_step(struct chain *chain, const struct values *values,
		     uint32_t state, uint32_t timer, uint64_t at_ns)
{
	chain->steps[chain->n++] = (struct chain_step){
		.state = state,
		.timer = timer,
		.at_ns = at_ns,
		.resident_ns = at_ns + values->entry_ns[state],
		.exit_ns = values->exit_ns[state],
	};
}

/* When the drive reaches the last state of the chain. */
static uint64_t resident_ns(const struct chain *chain)
{
	return chain->n ? chain->steps[chain->n - 1].resident_ns : 0;
}

/* The table was validated: each target is deeper than its source. */
static void follow_table(const struct ssdpm_sim_params *params,
			 const struct values *values, struct chain *chain)
{
	const struct ssdpm_apst_entry *entries = params->apst->entries;
	bool from_start = params->flags & SSDPM_SIM_IDLE_FROM_START;

	for (uint32_t state = params->operational_state; entries[state].idle_ms;
	     state = entries[state].target) {
		uint64_t idle = (uint64_t)entries[state].idle_ms * NS_PER_MS;
		uint64_t resident = resident_ns(chain);
		uint64_t at = from_start ? idle : resident + idle;

		add_step(chain, values, entries[state].target, 0,
			 at > resident ? at : resident);
	}
}

/* The number of a link state that the drive is known to have, or 0. */
static uint32_t find_link(const struct ssdpm_model *model, uint32_t link_state)
{
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);

	for (uint32_t i = 1; i < n; i++)
		if (states[i].link_state == link_state)
			return i;
	return 0;
}

/*
 * Adds the next state of the link, if the drive has it. The link enters it
 * after the idle time of the state "timer".
 */
static void add_link(const struct ssdpm_model *model, uint32_t link_state,
		     const struct values *values, uint32_t timer,
		     struct chain *chain)
{
	uint32_t state = find_link(model, link_state);

	if (state)
		add_step(chain, values, state, timer,
			 resident_ns(chain) + values->link_idle_ns[timer]);
}

/*
 * ata_eh_set_lpm() and ahci_set_lpm() of Linux, on an adapter that has all
 * states and aggressive link power management:
 * - from medium_power on, the host asks for partial;
 * - with min_power, it asks for slumber instead, as soon as it would for
 *   partial;
 * - from med_power_with_dipm on, the drive may ask for both;
 * - from min_power_with_partial on, the adapter brings it to DevSleep.
 */
static void follow_link(const struct ssdpm_model *model, uint32_t lpm,
			const struct values *values, struct chain *chain)
{
	uint32_t supported = ssdpm_model_get_info(model)->sata_supported;
	uint32_t partial = find_link(model, SSDPM_LINK_PARTIAL);
	uint32_t slumber = find_link(model, SSDPM_LINK_SLUMBER);
	bool hipm = supported & SSDPM_SATA_HIPM;
	bool dipm = supported & SSDPM_SATA_DIPM &&
		    lpm >= SSDPM_LPM_MED_POWER_WITH_DIPM;

	if (lpm < SSDPM_LPM_MEDIUM_POWER)
		return;
	if (hipm && lpm == SSDPM_LPM_MIN_POWER) {
		add_link(model, SSDPM_LINK_SLUMBER, values, partial, chain);
	} else {
		if (hipm || dipm)
			add_link(model, SSDPM_LINK_PARTIAL, values, partial,
				 chain);
		if (dipm)
			add_link(model, SSDPM_LINK_SLUMBER, values, slumber,
				 chain);
	}
	if (supported & SSDPM_SATA_DEVSLEEP &&
	    lpm >= SSDPM_LPM_MIN_POWER_WITH_PARTIAL)
		add_link(model, SSDPM_LINK_DEVSLEEP, values,
			 find_link(model, SSDPM_LINK_DEVSLEEP), chain);
}

bool ssdpm__is_lpm_unknown(const struct ssdpm_model *model, uint32_t lpm)
{
	return ssdpm_model_get_info(model)->kind == SSDPM_KIND_SATA &&
	       lpm < SSDPM_LPM_MAX_PERFORMANCE;
}

bool ssdpm__is_link_same(const struct ssdpm_model *model, uint32_t a,
			 uint32_t b)
{
	const struct values values = { 0 };
	struct chain x = { 0 }, y = { 0 };

	if (ssdpm__is_lpm_unknown(model, a) || ssdpm__is_lpm_unknown(model, b))
		return a == b;
	follow_link(model, a, &values, &x);
	follow_link(model, b, &values, &y);
	for (uint32_t i = 0; i < x.n && i < y.n; i++)
		if (x.steps[i].state != y.steps[i].state ||
		    x.steps[i].timer != y.steps[i].timer)
			return false;
	return x.n == y.n;
}

int ssdpm__check_operational(const struct ssdpm_model *model, uint32_t state,
			     struct ssdpm_error *reterr)
{
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);

	if (state >= n || states[state].flags & SSDPM_STATE_NON_OPERATIONAL)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "operational_state: the drive has no "
				   "operational state %u",
				   state);
	return 0;
}

static int check_policy(const struct ssdpm_model *model,
			const struct ssdpm_sim_params *params,
			struct ssdpm_error *reterr)
{
	uint32_t kind = ssdpm_model_get_info(model)->kind;

	if (params->apst && kind != SSDPM_KIND_NVME)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "apst: a SATA drive has no such table; its "
				   "policy is lpm");
	if (params->lpm > SSDPM_LPM_MAX_PERFORMANCE && kind != SSDPM_KIND_SATA)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "lpm: an NVMe drive has no such policy; its "
				   "policy is apst");
	if (params->lpm > SSDPM_LPM_MIN_POWER)
		return ssdpm__fail(reterr, -EINVAL, 0, "lpm: unknown %u",
				   params->lpm);
	return params->apst ? ssdpm_apst_validate(model, params->apst, reterr) :
			      0;
}

int ssdpm__chain(const struct ssdpm_model *model,
		 const struct ssdpm_sim_params *params,
		 const struct values *values, struct chain *ret_chain,
		 struct ssdpm_error *reterr)
{
	struct chain chain = { .operational_state = params->operational_state };
	int err;

	err = ssdpm__check_operational(model, params->operational_state,
				       reterr);
	if (!err)
		err = check_policy(model, params, reterr);
	if (err)
		return err;
	if (params->apst)
		follow_table(params, values, &chain);
	else
		follow_link(model, params->lpm, values, &chain);
	*ret_chain = chain;
	return 0;
}
