/* SPDX-License-Identifier: MIT */
/* The settings of drives as suspects. */
#include "bisect/bisect.h"
#include "options/numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LATENCY ":latency_us"

const struct searched_drive *drive_of(const struct search *search, size_t i)
{
	const char *name = ssdpm_bisect_get_suspect(search->bisect, i);
	const size_t n = strcspn(name, ":");

	for (size_t j = 0; j < search->n_drives; j++)
		if (strlen(search->drives[j].name) == n &&
		    !strncmp(search->drives[j].name, name, n))
			return &search->drives[j];
	return NULL;
}

bool is_latency(const struct search *search, size_t i)
{
	const char *name = ssdpm_bisect_get_suspect(search->bisect, i);

	return !strcmp(name + strcspn(name, ":"), LATENCY);
}

uint64_t latency_of(const char *word)
{
	return strcmp(word, "any") ? strtoull(word, NULL, 10) :
				     SSDPM_LATENCY_ANY;
}

struct cell step_text(const struct search *search, size_t i, size_t step)
{
	const char *word = ssdpm_bisect_get_step_name(search->bisect, i, step);
	const uint64_t us = latency_of(word);

	if (!is_latency(search, i))
		return cell("%s", word);
	if (us == SSDPM_LATENCY_ANY)
		return cell("any latency");
	return us ? cell("%s", time_text(us * 1000).text) : cell("no APST");
}

static enum exit_status add_suspect(struct search *search,
				    const struct drive *drive)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	const bool is_nvme = facts->kind == SSDPM_KIND_NVME;
	struct ssdpm_error error;
	int err = -EOPNOTSUPP;

	if (is_nvme && !drive->model)
		return complain_of_device(drive->name, &drive->problem);
	if (is_nvme && facts->known & SSDPM_FACT_LATENCY_TOLERANCE)
		err = ssdpm_bisect_add_latency_limit(
			search->bisect, facts->name, drive->model,
			facts->latency_tolerance_us, &error);
	else if (!is_nvme && facts->known & SSDPM_FACT_LPM)
		err = ssdpm_bisect_add_lpm(search->bisect, facts->name,
					   facts->lpm, &error);
	if (err == -EOPNOTSUPP)
		return STATUS_DEVICE_CANNOT;
	if (err)
		return failure("%s: %s", drive->name, error.message);
	struct searched_drive *kept = &search->drives[search->n_drives++];

	memcpy(kept->name, facts->name, sizeof(kept->name));
	memcpy(kept->address, facts->address, sizeof(kept->address));
	memcpy(kept->product, facts->product, sizeof(kept->product));
	memcpy(kept->firmware, facts->firmware, sizeof(kept->firmware));
	if (is_nvme && facts->pci_vendor_id)
		snprintf(kept->pci, sizeof(kept->pci), "%04x:%04x",
			 facts->pci_vendor_id, facts->pci_device_id);
	return STATUS_DONE;
}

/* A drive that was not named need not be a suspect. */
enum exit_status add_suspects(struct search *search,
			      const struct drives *drives)
{
	for (size_t i = 0; i < drives->n; i++) {
		const struct drive *drive = &drives->drives[i];
		enum exit_status status = add_suspect(search, drive);

		if (status == STATUS_DEVICE_CANNOT)
			complain("%s: no setting of it saves power",
				 drive->name);
		if (status)
			return status;
	}
	return STATUS_DONE;
}
