/* SPDX-License-Identifier: MIT */
/* The settings of drives as suspects. */
#include "bisect/bisect.h"
#include "options/numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

uint32_t setting_of(const struct search *search, size_t i)
{
	return ssdpm_bisect_get_setting(search->bisect, i);
}

uint64_t latency_of(const char *word)
{
	return strcmp(word, "any") ? strtoull(word, NULL, 10) :
				     SSDPM_LATENCY_ANY;
}

struct cell step_limit_text(uint64_t us)
{
	if (us == SSDPM_LATENCY_ANY)
		return cell("any latency");
	return us ? cell("%s", time_text(us * 1000).text) : cell("no APST");
}

struct cell step_text(const struct search *search, size_t i, size_t step)
{
	const char *word = ssdpm_bisect_get_step_name(search->bisect, i, step);

	return setting_of(search, i) == SSDPM_BISECT_LATENCY_LIMIT ?
		       step_limit_text(latency_of(word)) :
		       cell("%s", word);
}

struct cell short_step_text(const struct search *search, size_t i, size_t step)
{
	const uint32_t setting = setting_of(search, i);

	return cell("%s%s",
		    setting == SSDPM_BISECT_LINK	? "link " :
		    setting == SSDPM_BISECT_QUEUE_DEPTH ? "queue " :
							  "",
		    step_text(search, i, step).text);
}

bool read_queue_depth(const struct live *live,
		      const struct ssdpm_device *device, char *text,
		      size_t size)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/device/queue_depth",
		 ssdpm_device_get_facts(device)->path + 1);
	return !ssdpm_machine_read_attribute(live->machine, path, text, size,
					     NULL);
}

/* 0: it is unknown. */
static uint32_t queue_depth_of(const struct drive *drive)
{
	char text[16];

	if (!read_queue_depth(drive->live, drive->device, text, sizeof(text)))
		return 0;
	return (uint32_t)strtoul(text, NULL, 10);
}

static int add_limit(struct ssdpm_bisect *bisect, const struct drive *drive,
		     struct ssdpm_error *error)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	struct ssdpm_apst_params params = { .size = sizeof(params) };
	int err;

	if (!(facts->known & SSDPM_FACT_LATENCY_TOLERANCE))
		return -EOPNOTSUPP;
	err = ssdpm_device_get_apst_params(drive->device, &drive->live->facts,
					   drive->model, &params, error);
	return err ? err :
		     ssdpm_bisect_add_latency_limit(
			     bisect, facts->name, drive->model, &params, error);
}

static int add_setting(struct search *search, const struct drive *drive,
		       uint32_t setting, struct ssdpm_error *error)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	struct ssdpm_bisect *bisect = search->bisect;

	switch (setting) {
	case SSDPM_BISECT_LATENCY_LIMIT:
		return add_limit(bisect, drive, error);
	case SSDPM_BISECT_LINK:
		return ssdpm_bisect_add_link(bisect, facts->name,
					     facts->pcie_enabled, error);
	case SSDPM_BISECT_LPM:
		return facts->known & SSDPM_FACT_LPM ?
			       ssdpm_bisect_add_lpm(bisect, facts->name,
						    facts->lpm, error) :
			       -EOPNOTSUPP;
	default:
		return ssdpm_bisect_add_queue_depth(
			bisect, facts->name, queue_depth_of(drive), error);
	}
}

/* -EOPNOTSUPP: no setting of it saves power. */
static int add_settings(struct search *search, const struct drive *drive,
			struct ssdpm_error *error)
{
	static const uint32_t of_nvme[] = { SSDPM_BISECT_LATENCY_LIMIT,
					    SSDPM_BISECT_LINK };
	static const uint32_t of_sata[] = { SSDPM_BISECT_LPM,
					    SSDPM_BISECT_QUEUE_DEPTH };
	const uint32_t *settings =
		ssdpm_device_get_facts(drive->device)->kind == SSDPM_KIND_NVME ?
			of_nvme :
			of_sata;
	int n = 0;

	for (size_t i = 0; i < 2; i++) {
		int err;

		if (search->only && settings[i] != search->only)
			continue;
		err = add_setting(search, drive, settings[i], error);
		if (err && err != -EOPNOTSUPP)
			return err;
		n += !err;
	}
	return n ? 0 : -EOPNOTSUPP;
}

/*
 * A checksum of what no other drive has: the serial number, or the WWID of a
 * SATA drive. "": it is unknown.
 */
static struct cell identity_of(const struct search *search,
			       const struct ssdpm_device_facts *facts)
{
	const char *file =
		facts->kind == SSDPM_KIND_NVME ? "serial" : "device/wwid";
	char text[256];

	if (facts->path[0] != '/' ||
	    ssdpm_machine_read_attribute(
		    search->live->machine,
		    cell("%s/%s", facts->path + 1, file).text, text,
		    sizeof(text), NULL) ||
	    !text[0])
		return cell("%s", "");
	return cell("%016llx",
		    (unsigned long long)checksum_of(text, strlen(text)));
}

bool is_searched(const struct search *search,
		 const struct searched_drive *drive,
		 const struct ssdpm_device_facts *facts)
{
	const struct cell identity = identity_of(search, facts);

	return !strcmp(facts->product, drive->product) &&
	       !strcmp(facts->address, drive->address) &&
	       (!identity.text[0] || !drive->identity[0] ||
		!strcmp(identity.text, drive->identity));
}

static enum exit_status add_suspect(struct search *search,
				    const struct drive *drive)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	const bool is_nvme = facts->kind == SSDPM_KIND_NVME;
	struct ssdpm_error error;
	int err;

	if (is_nvme && !drive->model)
		return complain_of_device(drive->name, &drive->problem);
	err = add_settings(search, drive, &error);
	if (err == -EOPNOTSUPP)
		return STATUS_DEVICE_CANNOT;
	if (err)
		return failure("%s: %s", drive->name, error.message);
	struct searched_drive *kept = &search->drives[search->n_drives++];

	memcpy(kept->name, facts->name, sizeof(kept->name));
	memcpy(kept->address, facts->address, sizeof(kept->address));
	memcpy(kept->product, facts->product, sizeof(kept->product));
	memcpy(kept->firmware, facts->firmware, sizeof(kept->firmware));
	snprintf(kept->identity, sizeof(kept->identity), "%.16s",
		 identity_of(search, facts).text);
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
			complain("%s: no %ssetting of it saves power",
				 drive->name, search->only ? "such " : "");
		if (status)
			return status;
	}
	return STATUS_DONE;
}
