/* SPDX-License-Identifier: MIT */
/* Which drives a survey is for. */
#include "survey/survey.h"

#include "options/sim-options.h"

#include <stdlib.h>
#include <string.h>

/* Bits of ssdpm_device_facts.flags, the weightiest first. */
static const struct {
	uint32_t flag;
	const char *reason;
} flags[] = {
	{ SSDPM_DEVICE_EMPTY, "a port without a disk" },
	{ SSDPM_DEVICE_OPTICAL, "an optical drive" },
	{ SSDPM_DEVICE_FABRICS, "a controller over a network" },
	{ SSDPM_DEVICE_ROTATIONAL, "a hard disk" },
	{ SSDPM_DEVICE_EXTERNAL, "an external port" },
	{ SSDPM_DEVICE_HOT_PLUG, "a hot-plug port" },
	{ SSDPM_DEVICE_SHARED_PORT, "behind a port multiplier" },
	{ SSDPM_DEVICE_REMOVABLE, "a removable disk" },
};

static const char *quirk_reason(const struct drive *drive)
{
	const uint32_t mask = SSDPM_QUIRK_NO_APST | SSDPM_QUIRK_NO_DEEPEST_PS |
			      SSDPM_QUIRK_NO_LPM;
	uint32_t quirks, from_kernel;
	struct ssdpm_error error;

	if (ssdpm_device_get_quirks(drive->device, &drive->live->facts,
				    drive->model, &quirks, &from_kernel,
				    &error))
		return NULL;
	for (uint32_t bit = 1; bit && bit <= (quirks & mask); bit <<= 1)
		if (quirks & mask & bit)
			return ssdpm_quirk_to_string(bit);
	return NULL;
}

/* Why a drive that nobody named is left out; "": it is not. */
static void find_reason(const struct drive *drive, char *reason, size_t size)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	const char *text = "", *quirk;

	for (size_t i = 0; !*text && i < sizeof(flags) / sizeof(flags[0]); i++)
		if (facts->flags & flags[i].flag)
			text = flags[i].reason;
	if (!*text && facts->reach != SSDPM_REACH_YES)
		text = "its policy is out of reach";
	else if (!*text && facts->kind == SSDPM_KIND_NVME &&
		 !(facts->known & SSDPM_FACT_LATENCY_TOLERANCE))
		text = "the kernel has no APST for it";
	else if (!*text && facts->lpm_word[0])
		text = "this version does not know its link policy";
	else if (!*text && facts->kind == SSDPM_KIND_SATA &&
		 (!(facts->known & SSDPM_FACT_LPM) ||
		  find_settings(drive).refused))
		text = "its port has no link power management";
	else if (!*text && facts->kind == SSDPM_KIND_SATA &&
		 facts->lpm == SSDPM_LPM_KEEP_FIRMWARE_SETTINGS)
		text = "keep_firmware_settings cannot be brought back";
	quirk = *text ? NULL : quirk_reason(drive);
	if (quirk)
		snprintf(reason, size, "the quirk %s", quirk);
	else
		snprintf(reason, size, "%s", text);
}

static void leave_out(const struct common *common, struct drives *drives)
{
	char reason[80];
	size_t n = 0;

	for (size_t i = 0; i < drives->n; i++) {
		struct drive *drive = &drives->drives[i];

		find_reason(drive, reason, sizeof(reason));
		if (!*reason) {
			drives->drives[n++] = *drive;
			continue;
		}
		if (!common->quiet)
			remark("%s is left out: %s", drive->name, reason);
		free_drive(drive);
	}
	drives->n = n;
}

enum exit_status select_survey_drives(const struct common *common,
				      const struct survey_options *options,
				      struct drives *ret_drives)
{
	struct drives drives = { 0 };
	enum exit_status status = read_devices(common, (char **)options->drives,
					       options->n_drives, &drives);

	if (status)
		return status;
	if (!options->n_drives)
		leave_out(common, &drives);
	if (drives.n) {
		*ret_drives = drives;
		return STATUS_DONE;
	}
	free_drives(&drives);
	complain("no drive is left whose policies can be compared; --drive "
		 "NAME takes one nevertheless");
	return STATUS_DEVICE_CANNOT;
}

enum exit_status read_survey_drives(const struct common *common,
				    const struct drives *drives,
				    struct drives *ret_drives)
{
	char **names = calloc(drives->n, sizeof(*names));
	enum exit_status status;

	if (!names)
		return out_of_memory();
	for (size_t i = 0; i < drives->n; i++)
		names[i] = drives->drives[i].name;
	status = read_devices(common, names, drives->n, ret_drives);
	free(names);
	if (status)
		return status;
	for (size_t i = 0; i < drives->n; i++)
		ret_drives->drives[i].named = drives->drives[i].named;
	return STATUS_DONE;
}

void print_survey_setting(FILE *file, const struct drive *drive)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	const uint64_t us = facts->latency_tolerance_us;
	const char *lpm = ssdpm_lpm_to_string(facts->lpm);

	if (facts->known & SSDPM_FACT_LPM && lpm)
		fprintf(file, "lpm=%s", lpm);
	else if (!(facts->known & SSDPM_FACT_LATENCY_TOLERANCE))
		fputs("not known", file);
	else if (us == SSDPM_LATENCY_ANY)
		fputs("latency=any", file);
	else if (us && us % 1000 == 0)
		fprintf(file, "latency=%llums", (unsigned long long)us / 1000);
	else
		fprintf(file, "latency=%lluus", (unsigned long long)us);
}
