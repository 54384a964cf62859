/* SPDX-License-Identifier: MIT */
/* The settings of drives as suspects. */
#include "bisect/bisect.h"
#include "options/numbers.h"

#include <stdlib.h>
#include <string.h>

#define LATENCY ":latency_us"
#define LPM ":lpm"

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

/* The steps of a suspect, in words. */
struct steps {
	size_t n;
	char words[SSDPM_BISECT_STEPS][SSDPM_BISECT_WORD];
};

static void add_step(struct steps *steps, const char *format, const char *word,
		     uint64_t number)
{
	if (steps->n < SSDPM_BISECT_STEPS)
		snprintf(steps->words[steps->n++], SSDPM_BISECT_WORD, format,
			 word, (unsigned long long)number);
}

/* The shortest exit latency of a state above this one; 0: none. */
static uint64_t next_latency(const struct ssdpm_model *model, uint64_t above_us)
{
	uint64_t next_us = 0;
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);

	for (size_t i = 0; i < n; i++)
		if (states[i].flags & SSDPM_STATE_NON_OPERATIONAL &&
		    !(states[i].unknown & SSDPM_FIELD_EXIT_LATENCY) &&
		    states[i].exit_latency_us > above_us &&
		    (!next_us || states[i].exit_latency_us < next_us))
			next_us = states[i].exit_latency_us;
	return next_us;
}

/* No APST, each deeper state, and the limit of today. */
static void find_latencies(const struct drive *drive, uint64_t limit_us,
			   struct steps *steps)
{
	uint64_t us = next_latency(drive->model, 0);
	uint64_t deeper_us = us ? next_latency(drive->model, us) : 0;

	if (!us || us > limit_us)
		return;
	add_step(steps, "%s%llu", "", 0);
	for (; deeper_us && deeper_us <= limit_us;
	     deeper_us = next_latency(drive->model, us)) {
		add_step(steps, "%s%llu", "", us);
		us = deeper_us;
	}
	if (limit_us == SSDPM_LATENCY_ANY)
		add_step(steps, "%s", "any", 0);
	else
		add_step(steps, "%s%llu", "", limit_us);
}

/* From max_performance to the policy of today. */
static void find_policies(uint32_t lpm, struct steps *steps)
{
	for (uint32_t i = SSDPM_LPM_MAX_PERFORMANCE;
	     lpm > SSDPM_LPM_MAX_PERFORMANCE && i <= lpm; i++)
		if (i == lpm || i != SSDPM_LPM_MIN_POWER_WITH_PARTIAL)
			add_step(steps, "%s", ssdpm_lpm_to_string(i), 0);
}

static enum exit_status add_suspect(struct search *search,
				    const struct drive *drive)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	const bool is_nvme = facts->kind == SSDPM_KIND_NVME;
	const char *words[SSDPM_BISECT_STEPS];
	struct steps steps = { 0 };
	struct ssdpm_error error;
	char name[SSDPM_BISECT_WORD];

	if (is_nvme && !drive->model)
		return complain_of_device(drive->name, &drive->problem);
	if (is_nvme && facts->known & SSDPM_FACT_LATENCY_TOLERANCE)
		find_latencies(drive, facts->latency_tolerance_us, &steps);
	else if (!is_nvme && facts->known & SSDPM_FACT_LPM)
		find_policies(facts->lpm, &steps);
	if (steps.n < 2)
		return STATUS_DEVICE_CANNOT;
	for (size_t i = 0; i < steps.n; i++)
		words[i] = steps.words[i];
	snprintf(name, sizeof(name), "%s%s", facts->name,
		 is_nvme ? LATENCY : LPM);
	if (ssdpm_bisect_add_suspect(search->bisect, name, words, steps.n,
				     &error))
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
