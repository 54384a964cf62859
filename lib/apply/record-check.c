/* SPDX-License-Identifier: MIT */
/*
 * What a record may say: it names what root writes, and where. A word that this
 * version does not know is refused before anything is written.
 */
#include "apply/record.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

static bool is_parameter(const char *path)
{
	char known[SSDPM__TARGET_BYTES];

	for (uint32_t i = SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS;
	     i <= SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US; i++) {
		ssdpm__parameter_path(i, known);
		if (!strcmp(path, known))
			return true;
	}
	return false;
}

/* Only what a step may name. */
static bool is_target(uint32_t kind, const char *path)
{
	const char *end = strrchr(path, '/');

	if (strstr(path, "/../") || !end || !strcmp(end, "/..") ||
	    strlen(path) >= SSDPM__TARGET_BYTES - sizeof("/power/") - 32)
		return false;
	if (kind == SSDPM_STEP_NVME_CORE)
		return is_parameter(path);
	if (strncmp(path, "sys/devices/", 12))
		return false;
	if (kind == SSDPM_STEP_LPM)
		return !strcmp(end, "/link_power_management_policy");
	if (ssdpm__takes_command(kind))
		return !strncmp(end, "/nvme", 5);
	return !strcmp(end, "/pm_qos_latency_tolerance_us");
}

static bool is_number(const char *value, uint64_t max)
{
	struct span span = ssdpm__span(value, strlen(value));
	uint64_t number;

	return *value && !value[strspn(value, "0123456789")] &&
	       ssdpm__take_uint(&span, max, &number);
}

/* One policy; or, of a step that tries several, those with commas between. */
static bool are_policies(const char *value, bool one)
{
	char word[32];

	for (;;) {
		size_t n = strcspn(value, ",");

		if (n >= sizeof(word))
			return false;
		memcpy(word, value, n);
		word[n] = '\0';
		if (!ssdpm_lpm_from_string(word))
			return false;
		if (!value[n])
			return true;
		if (one)
			return false;
		value += n + 1;
	}
}

static bool is_value(uint32_t kind, const char *value, bool before, bool one)
{
	struct ssdpm_apst table;

	switch (kind) {
	case SSDPM_STEP_LPM:
		return are_policies(value, one);
	case SSDPM_STEP_NVME_CORE:
		return is_number(value, UINT64_MAX);
	case SSDPM_STEP_APST:
		/* What took the place of a table may not have been read. */
		return (!before && !*value) ||
		       !ssdpm__value_to_table(value, &table, NULL);
	case SSDPM_STEP_POWER_STATE:
	case SSDPM_STEP_NOPP:
		return ssdpm__is_power_value(kind, value);
	default:
		return !strcmp(value, "any") || is_number(value, INT32_MAX);
	}
}

const char *ssdpm__refuse_change(const struct change *change, bool journal)
{
	if (!is_target(change->kind, change->path))
		return "no target of such a step";
	if (!is_value(change->kind, change->before, true, true))
		return "unknown value before";
	if (!is_value(change->kind, change->after, false, !journal))
		return "unknown value after";
	return NULL;
}
