/* SPDX-License-Identifier: MIT */
/*
 * What Linux does with a drive's power states: nvme_configure_apst() and
 * nvme_apst_get_transition_time() in drivers/nvme/host/core.c, in our words.
 */
#include "policy/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const struct ssdpm_apst_params defaults = {
	.size = sizeof(defaults),
	.algorithm = SSDPM_APST_LINUX,
	.max_exit_latency_us = 100000,
	.primary_timeout_ms = 100,
	.primary_latency_tolerance_us = 15000,
	.secondary_timeout_ms = 2000,
	.secondary_latency_tolerance_us = 100000,
};

int ssdpm_apst_params_init(struct ssdpm_apst_params *params, size_t size)
{
	if (size < sizeof(params->size))
		return -EINVAL;
	if (size > sizeof(defaults))
		return -E2BIG;
	memcpy(params, &defaults, size);
	params->size = size;
	return 0;
}

static int check_timeout(uint64_t ms, const char *name,
			 struct ssdpm_error *reterr)
{
	if (ms <= SSDPM_APST_MAX_IDLE_MS)
		return 0;
	return ssdpm__fail(reterr, -ERANGE, 0,
			   "%s is %" PRIu64 " ms; an APST entry holds at "
			   "most %u ms",
			   name, ms, SSDPM_APST_MAX_IDLE_MS);
}

static bool are_quirks(uint32_t quirks)
{
	for (; quirks; quirks &= quirks - 1)
		if (!ssdpm_quirk_to_string(quirks & -quirks))
			return false;
	return true;
}

static int check_params(const struct ssdpm_apst_params *params,
			struct ssdpm_error *reterr)
{
	int err;

	if (!ssdpm_apst_algorithm_to_string(params->algorithm))
		return ssdpm__fail(reterr, -EINVAL, 0, "unknown algorithm %u",
				   params->algorithm);
	if (!are_quirks(params->quirks))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "unknown bits in quirks 0x%x",
				   params->quirks);
	err = check_timeout(params->primary_timeout_ms, "primary_timeout_ms",
			    reterr);
	if (err)
		return err;
	return check_timeout(params->secondary_timeout_ms,
			     "secondary_timeout_ms", reterr);
}

static int check_latencies(const struct walk *walk, struct ssdpm_error *reterr)
{
	const uint32_t needed =
		SSDPM_FIELD_ENTRY_LATENCY | SSDPM_FIELD_EXIT_LATENCY;

	for (uint32_t i = 0; i < walk->n_states; i++) {
		const struct ssdpm_power_state *state = &walk->states[i];

		if (!(state->flags & SSDPM_STATE_NON_OPERATIONAL) ||
		    !(state->unknown & needed))
			continue;
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "PS%u: %s is unknown, and an APST table "
				   "cannot be made without it",
				   i,
				   state->unknown & SSDPM_FIELD_EXIT_LATENCY ?
					   "exit_latency_us" :
					   "entry_latency_us");
	}
	return 0;
}

int ssdpm__walk_start(const struct ssdpm_model *model,
		      const struct ssdpm_apst_params *params,
		      struct walk *ret_walk, enum off *ret_off,
		      struct ssdpm_error *reterr)
{
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);
	struct ssdpm_apst_params *p = &ret_walk->params;
	size_t n_states;
	int err = 0;

	if (info->kind != SSDPM_KIND_NVME)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "not an NVMe drive: only these have APST");
	*p = defaults;
	if (params)
		err = ssdpm__copy_sized(p, sizeof(*p), params,
					"ssdpm_apst_params", reterr);
	if (!err)
		err = check_params(p, reterr);
	if (err)
		return err;
	ret_walk->states = ssdpm_model_get_states(model, &n_states);
	ret_walk->n_states = (uint32_t)n_states;
	ret_walk->entry = (struct ssdpm_apst_entry){ 0 };
	ret_walk->band = BAND_NONE;
	ret_walk->two_bands = p->algorithm == SSDPM_APST_LINUX &&
			      p->primary_timeout_ms &&
			      p->primary_latency_tolerance_us;
	*ret_off = ON;
	if (!(info->unknown & SSDPM_INFO_APSTA) && !info->apsta)
		*ret_off = OFF_NOT_SUPPORTED;
	else if (p->quirks & SSDPM_QUIRK_NO_APST)
		*ret_off = OFF_QUIRK;
	else if (!p->max_exit_latency_us)
		*ret_off = OFF_LIMIT;
	return *ret_off ? 0 : check_latencies(ret_walk, reterr);
}

static enum band band_of(const struct walk *walk, uint64_t total_us)
{
	const struct ssdpm_apst_params *p = &walk->params;

	if (total_us <= p->primary_latency_tolerance_us)
		return BAND_PRIMARY;
	if (p->secondary_timeout_ms &&
	    total_us <= p->secondary_latency_tolerance_us)
		return BAND_SECONDARY;
	return BAND_NONE;
}

/*
 * Idle time of the legacy rule: 50 times the total, so that at most 2 % of the
 * time goes into transitions. In ms, rounded up; the largest total, twice
 * UINT32_MAX, takes 29 bits of the entry's 24.
 */
static uint32_t legacy_idle_ms(uint64_t total_us)
{
	uint64_t ms = (total_us + 19) / 20;

	return ms < SSDPM_APST_MAX_IDLE_MS ? (uint32_t)ms :
					     SSDPM_APST_MAX_IDLE_MS;
}

static enum ssdpm_verdict use(struct walk *walk, uint32_t state, uint64_t ms)
{
	walk->entry.target = state;
	walk->entry.idle_ms = (uint32_t)ms;
	return SSDPM_VERDICT_USED;
}

/*
 * The tests reject a state each on its own, so their order decides only which
 * verdict it gets, never the table.
 */
enum ssdpm_verdict ssdpm__walk_judge(struct walk *walk, uint32_t index)
{
	const struct ssdpm_power_state *state = &walk->states[index];
	const struct ssdpm_apst_params *p = &walk->params;
	uint64_t total_us =
		(uint64_t)state->entry_latency_us + state->exit_latency_us;
	enum band band = BAND_NONE;

	if (!(state->flags & SSDPM_STATE_NON_OPERATIONAL))
		return SSDPM_VERDICT_OPERATIONAL;
	if ((p->quirks & SSDPM_QUIRK_NO_DEEPEST_PS) &&
	    index == walk->n_states - 1)
		return SSDPM_VERDICT_QUIRK;
	if (walk->two_bands) {
		band = band_of(walk, total_us);
		if (band == BAND_NONE)
			return SSDPM_VERDICT_TOTAL_TOO_SLOW;
	}
	if (state->exit_latency_us > p->max_exit_latency_us)
		return SSDPM_VERDICT_EXIT_TOO_SLOW;
	if (!walk->two_bands)
		return use(walk, index, legacy_idle_ms(total_us));
	/* One state for each idle time, and none behind a faster one. */
	if (band >= walk->band)
		return SSDPM_VERDICT_SHADOWED;
	walk->band = band;
	return use(walk, index,
		   band == BAND_PRIMARY ? p->primary_timeout_ms :
					  p->secondary_timeout_ms);
}
