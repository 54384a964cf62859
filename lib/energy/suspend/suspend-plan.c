/* SPDX-License-Identifier: MIT */
/* Tells what Linux does with a drive at a suspend, and how it is known. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "suspend/internal.h"

/* More than a diagnosis has. */
#define MAX_PLAN 400

/* One that does not sleep may prevent s2idle. In S3 a link has no power. */
static bool is_plan(const struct ssdpm_diagnosis *d, uint32_t outcome)
{
	if (d->code == SSDPM_DIAGNOSIS_SUSPEND)
		return true;
	return outcome != SSDPM_SUSPEND_OUTCOME_FIRMWARE &&
	       (d->code == SSDPM_DIAGNOSIS_LPM_OFF ||
		d->code == SSDPM_DIAGNOSIS_LPM_KEPT);
}

const char *ssdpm_suspend_get_plan(const struct ssdpm_suspend_drive *drive,
				   uint32_t outcome)
{
	for (size_t i = 0; drive && i < drive->n_diagnoses; i++)
		if (is_plan(&drive->diagnoses[i], outcome))
			return drive->diagnoses[i].message;
	return NULL;
}

/* What the kernel said when its driver found the drive; NULL: unknown. */
static const struct counter *find_probe(
	const struct ssdpm_suspend_params *params,
	const struct ssdpm_device_facts *facts)
{
	struct counter like = { .counter = SSDPM_SLEEP_COUNTER_SIMPLE_SUSPEND,
				.source = SSDPM__KERNEL_LOG };
	const struct span address =
		ssdpm__span(facts->address, strlen(facts->address));
	const struct counter *found;

	/* Files of the drive that name its quirks are of now. */
	if (facts->kind != SSDPM_KIND_NVME ||
	    facts->known & SSDPM_FACT_QUIRKS ||
	    params->facts->suspend != SSDPM_SUSPEND_S2IDLE ||
	    !ssdpm__span_copy(address, like.name, sizeof(like.name)))
		return NULL;
	found = ssdpm__reading_find(params->after, &like);
	if (found || ssdpm__is_of_two_boots(params))
		return found;
	return ssdpm__reading_find(params->before, &like);
}

/* The log answers the question that a diagnosis leaves open. */
static void write_plan(const struct counter *probe, const char *plan,
		       char text[MAX_PLAN])
{
	static const char shuts[] =
		"suspend (s2idle) shuts it down: the kernel log says "
		"\"platform quirk: setting simple suspend\"; APST is "
		"programmed anew on resume";
	const char *open = plan ? strstr(plan, ", unless the firmware") : NULL;

	if (probe && probe->value)
		snprintf(text, MAX_PLAN, "%s", shuts);
	else if (probe && open)
		snprintf(text, MAX_PLAN,
			 "%.*s: the kernel log, which goes back to the boot, "
			 "has no \"setting simple suspend\"",
			 (int)(open - plan), plan);
	else
		snprintf(text, MAX_PLAN, "%s", plan);
}

/*
 * libata sends STANDBY IMMEDIATE to a disk, whichever way the machine suspends:
 * ata_eh_handle_port_suspend(). Before Linux 6.6, sd did it with START STOP
 * UNIT, unless a user had written 0 to manage_start_stop.
 */
static bool is_put_into_standby(const struct ssdpm_suspend_params *params,
				const struct ssdpm_device_facts *facts)
{
	return facts->kind == SSDPM_KIND_SATA &&
	       facts->reach == SSDPM_REACH_YES &&
	       !(facts->flags & (SSDPM_DEVICE_EMPTY | SSDPM_DEVICE_OPTICAL)) &&
	       params->facts->suspend;
}

/* A release that is not known counts as new. */
static bool is_before_6_6(const char *release)
{
	struct span rest = ssdpm__span(release, strlen(release));
	uint64_t major, minor;

	if (!ssdpm__take_uint(&rest, UINT32_MAX, &major) ||
	    !ssdpm__take(&rest, ".") ||
	    !ssdpm__take_uint(&rest, UINT32_MAX, &minor))
		return false;
	return major < 6 || (major == 6 && minor < 6);
}

static void write_standby(const struct ssdpm_suspend_params *params,
			  const char *plan, char text[MAX_PLAN])
{
	snprintf(text, MAX_PLAN, "suspend (%s) puts it into standby%s%s%s",
		 ssdpm_suspend_to_string(params->facts->suspend),
		 is_before_6_6(params->facts->linux_release) ?
			 ", unless manage_start_stop is 0" :
			 "",
		 plan ? "; " : "", plan ? plan : "");
}

int ssdpm_suspend_explain_plan(const struct ssdpm_suspend_params *params,
			       size_t drive, uint32_t outcome, char **ret_text,
			       struct ssdpm_error *reterr)
{
	const struct ssdpm_suspend_drive *one;
	const struct counter *probe;
	struct suspend_input input;
	const char *plan;
	bool is_standby;
	int err = ssdpm__suspend_params(&input, params, reterr);

	if (err)
		return err;
	if (drive >= input.params.n_drives)
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "drive %zu: there are %zu", drive,
				   input.params.n_drives);
	one = &input.params.drives[drive];
	plan = ssdpm_suspend_get_plan(one, outcome);
	probe = find_probe(&input.params, one->facts);
	is_standby = is_put_into_standby(&input.params, one->facts);
	*ret_text = NULL;
	if (!plan && !is_standby && !(probe && probe->value))
		return 0;
	*ret_text = malloc(MAX_PLAN);
	if (!*ret_text)
		return ssdpm__no_memory(reterr);
	if (is_standby)
		write_standby(&input.params, plan, *ret_text);
	else
		write_plan(probe, plan, *ret_text);
	return 0;
}
