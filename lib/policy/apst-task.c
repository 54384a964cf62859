/* SPDX-License-Identifier: MIT */
/* What all algorithms share: their parameters, and who may be a target. */
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
	.scheme = SSDPM_SCHEME_BALANCED,
	.power_source = SSDPM_SOURCE_AC,
};

int ssdpm_apst_params_init(struct ssdpm_apst_params *params, size_t size)
{
	return ssdpm__sized_init(params, size, &defaults, sizeof(defaults));
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

/* The words of an enum have the numbers from 1 on. */
static int check_words(const struct ssdpm_apst_params *params,
		       struct ssdpm_error *reterr)
{
	if (params->algorithm - 1 >= SSDPM_APST_LOWER_ENVELOPE)
		return ssdpm__fail(reterr, -EINVAL, 0, "unknown algorithm %u",
				   params->algorithm);
	if (!are_quirks(params->quirks))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "unknown bits in quirks 0x%x",
				   params->quirks);
	if (params->scheme - 1 >= SSDPM_SCHEME_MODERN_STANDBY)
		return ssdpm__fail(reterr, -EINVAL, 0, "unknown scheme %u",
				   params->scheme);
	if (params->power_source - 1 >= SSDPM_SOURCE_BATTERY)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "unknown power_source %u",
				   params->power_source);
	return 0;
}

static int check_params(const struct ssdpm_apst_params *params,
			struct ssdpm_error *reterr)
{
	int err;

	err = check_words(params, reterr);
	if (!err)
		err = check_timeout(params->primary_timeout_ms,
				    "primary_timeout_ms", reterr);
	if (!err)
		err = check_timeout(params->secondary_timeout_ms,
				    "secondary_timeout_ms", reterr);
	return err;
}

static enum off why_off(const struct ssdpm_model_info *info,
			const struct ssdpm_apst_params *params)
{
	if (!(info->unknown & SSDPM_INFO_APSTA) && !info->apsta)
		return OFF_NOT_SUPPORTED;
	if (params->quirks & SSDPM_QUIRK_NO_APST)
		return OFF_QUIRK;
	return params->max_exit_latency_us ? ON : OFF_LIMIT;
}

int ssdpm__start_task(const struct ssdpm_model *model,
		      const struct ssdpm_apst_params *params,
		      struct apst_task *ret_task, struct ssdpm_error *reterr)
{
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);
	struct ssdpm_apst_params *p = &ret_task->params;
	size_t n_states;
	int err = 0;

	if (info->kind != SSDPM_KIND_NVME)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "not an NVMe drive: only these have APST");
	*p = defaults;
	if (params)
		err = ssdpm__sized_in(p, sizeof(*p), params,
				      "ssdpm_apst_params", reterr);
	if (!err)
		err = check_params(p, reterr);
	if (err)
		return err;
	ret_task->states = ssdpm_model_get_states(model, &n_states);
	ret_task->n_states = (uint32_t)n_states;
	ret_task->off = why_off(info, p);
	return 0;
}

int ssdpm__check_latencies(const struct apst_task *task,
			   struct ssdpm_error *reterr)
{
	const uint32_t needed =
		SSDPM_FIELD_ENTRY_LATENCY | SSDPM_FIELD_EXIT_LATENCY;

	for (uint32_t i = 0; i < task->n_states; i++) {
		const struct ssdpm_power_state *state = &task->states[i];

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

int ssdpm__lead(struct ssdpm_apst_entry *entries, uint32_t first,
		uint64_t first_ms, uint32_t target, uint64_t ms,
		struct ssdpm_error *reterr)
{
	for (uint32_t i = first; i < target; i++) {
		uint64_t idle_ms = i == first ? ms - first_ms : ms;

		if (idle_ms > SSDPM_APST_MAX_IDLE_MS)
			return ssdpm__fail(reterr, -ERANGE, 0,
					   "PS%u to PS%u: idle time %" PRIu64
					   " ms; an APST entry holds at most "
					   "%u ms",
					   i, target, idle_ms,
					   SSDPM_APST_MAX_IDLE_MS);
		entries[i].target = target;
		entries[i].idle_ms = (uint32_t)idle_ms;
	}
	return 0;
}
