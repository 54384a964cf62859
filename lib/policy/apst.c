/* SPDX-License-Identifier: MIT */
/* APST tables: made, checked, encoded, decoded. */
#include "base/text.h"
#include "policy/internal.h"
#include "base/words.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static_assert(sizeof(struct ssdpm_apst_entry) == 8, "frozen");
static_assert(sizeof(struct ssdpm_apst) == 264, "frozen");
static_assert(offsetof(struct ssdpm_apst, sent) == 256, "frozen");

const struct algorithm *ssdpm__algorithm(uint32_t algorithm)
{
	switch (algorithm) {
	case SSDPM_APST_WINDOWS:
		return &ssdpm__apst_windows;
	case SSDPM_APST_LOWER_ENVELOPE:
		return &ssdpm__apst_envelope;
	default:
		return &ssdpm__apst_linux;
	}
}

int ssdpm__make_table(const struct apst_task *task,
		      struct ssdpm_apst *ret_table, struct ssdpm_error *reterr)
{
	struct ssdpm_apst table = {
		.sent = task->off != OFF_NOT_SUPPORTED,
		.enabled = task->off == ON,
	};
	int err = 0;

	if (!task->off)
		err = ssdpm__algorithm(task->params.algorithm)
			      ->make(task, table.entries, reterr);
	if (!err)
		*ret_table = table;
	return err;
}

int ssdpm_apst_generate(const struct ssdpm_model *model,
			const struct ssdpm_apst_params *params,
			struct ssdpm_apst *ret_table,
			struct ssdpm_error *reterr)
{
	struct apst_task task;
	int err;

	err = ssdpm__start_task(model, params, &task, reterr);
	if (!err)
		err = ssdpm__make_table(&task, ret_table, reterr);
	return err;
}

static bool is_empty(const struct ssdpm_apst_entry *entry)
{
	return !entry->target && !entry->idle_ms;
}

static int check_entry(const struct ssdpm_apst_entry *entry, uint32_t source,
		       const struct ssdpm_power_state *states, size_t n_states,
		       struct ssdpm_error *reterr)
{
	uint32_t target = entry->target;

	if (source >= n_states)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "entry %u: the drive has only %zu states",
				   source, n_states);
	if (target >= n_states)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "entry %u: target PS%u does not exist",
				   source, target);
	if (target <= source)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "entry %u: target PS%u is not deeper",
				   source, target);
	if (!(states[target].flags & SSDPM_STATE_NON_OPERATIONAL))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "entry %u: target PS%u is operational",
				   source, target);
	if (!entry->idle_ms)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "entry %u: idle time 0 disables the "
				   "transition to PS%u",
				   source, target);
	if (entry->idle_ms > SSDPM_APST_MAX_IDLE_MS)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "entry %u: idle time %u ms needs more than "
				   "24 bits",
				   source, entry->idle_ms);
	return 0;
}

int ssdpm_apst_validate(const struct ssdpm_model *model,
			const struct ssdpm_apst *table,
			struct ssdpm_error *reterr)
{
	const struct ssdpm_power_state *states;
	size_t n_states;
	int err;

	if (ssdpm_model_get_info(model)->kind != SSDPM_KIND_NVME)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "not an NVMe drive: only these have APST");
	if (table->sent > 1 || table->enabled > table->sent)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "sent %u, enabled %u: only 0 0, 1 0 and "
				   "1 1 mean something",
				   table->sent, table->enabled);
	states = ssdpm_model_get_states(model, &n_states);
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		if (is_empty(&table->entries[i]))
			continue;
		if (!table->enabled)
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "entry %u: set in a table that is "
					   "not enabled",
					   i);
		err = check_entry(&table->entries[i], i, states, n_states,
				  reterr);
		if (err)
			return err;
	}
	return 0;
}

/* NVMe Base 2.1, APST data structure entry: 7:3 ITPS, 31:8 ITPT. */
int ssdpm_apst_encode(const struct ssdpm_apst *table,
		      uint8_t ret_data[SSDPM_APST_BYTES],
		      struct ssdpm_error *reterr)
{
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		if (table->entries[i].target >= SSDPM_MAX_STATES ||
		    table->entries[i].idle_ms > SSDPM_APST_MAX_IDLE_MS)
			return ssdpm__fail(reterr, -ERANGE, 0,
					   "entry %u: target PS%u after %u ms "
					   "does not fit",
					   i, table->entries[i].target,
					   table->entries[i].idle_ms);
	memset(ret_data, 0, SSDPM_APST_BYTES);
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		uint8_t *at = ret_data + (size_t)i * 8;

		at[0] = (uint8_t)(table->entries[i].target << 3);
		at[1] = (uint8_t)table->entries[i].idle_ms;
		at[2] = (uint8_t)(table->entries[i].idle_ms >> 8);
		at[3] = (uint8_t)(table->entries[i].idle_ms >> 16);
	}
	return 0;
}

static const char apst_algorithm_words[][15] = {
	[SSDPM_APST_LINUX] = "linux",
	[SSDPM_APST_LINUX_LEGACY] = "linux-legacy",
	[SSDPM_APST_WINDOWS] = "windows",
	[SSDPM_APST_LOWER_ENVELOPE] = "lower-envelope",
};
ENUM_WORDS(apst_algorithm)

static const char power_scheme_words[][15] = {
	[SSDPM_SCHEME_PERFORMANCE] = "performance",
	[SSDPM_SCHEME_BALANCED] = "balanced",
	[SSDPM_SCHEME_POWER_SAVER] = "power-saver",
	[SSDPM_SCHEME_MODERN_STANDBY] = "modern-standby",
};
ENUM_WORDS(power_scheme)

static const char power_source_words[][8] = {
	[SSDPM_SOURCE_AC] = "ac",
	[SSDPM_SOURCE_BATTERY] = "battery",
};
ENUM_WORDS(power_source)
