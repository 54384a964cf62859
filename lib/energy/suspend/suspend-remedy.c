/* SPDX-License-Identifier: MIT */
/*
 * What may let the machine sleep deeper: what the diagnoses of a drive propose,
 * and what public cases know of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/internal.h"
#include "base/words.h"
#include "common/linux-release.h"
#include "suspend/internal.h"

static const char remedy_status_words[][12] = {
	[SSDPM_REMEDY_STATUS_VERIFIED] = "verified",
	[SSDPM_REMEDY_STATUS_UNTESTED] = "untested",
	[SSDPM_REMEDY_STATUS_NONE] = "none",
};
ENUM_WORDS(remedy_status)

/* Public cases of drives; remedy 0: nobody has reported one for this drive. */
static const struct public_case {
	char product[24]; /* a pattern: see base/glob.h */
	uint32_t remedy;  /* enum ssdpm_remedy */
	char source[32];
} cases[] = {
	/* S0i2.0 grows, S0i3.0 does not; with powersupersave it does. */
	{ "*TM8FP4001T*", SSDPM_REMEDY_ASPM_POLICY,
	  "intel/S0ixSelftestTool#41" },
	/* No deep sleep; another drive in its place helped. */
	{ "CT*P3SSD8", 0, "pop-os/pop#3196" },
	/* Access Denied for each I/O after resume. */
	{ "*MTFDKCD512QGN*", 0, "omacom/omarchy#12887" },
};

static const struct public_case *case_of(const struct ssdpm_suspend_drive *one)
{
	const char *product = one->facts->product;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (ssdpm__glob(ssdpm__span(cases[i].product,
					    strlen(cases[i].product)),
				ssdpm__span(product, strlen(product))))
			return &cases[i];
	return NULL;
}

/*
 * Does the remedy change what a drive or its link does while it is suspended?
 * The link sleeps with min_power, too: that one loses data.
 */
static bool concerns_suspend(const struct ssdpm_diagnosis *d)
{
	switch (d->remedy) {
	case SSDPM_REMEDY_LINK_FILE:
	case SSDPM_REMEDY_ASPM_POLICY:
	case SSDPM_REMEDY_ASPM_POLICY_OR_FIRMWARE:
	case SSDPM_REMEDY_BOOT_WITH_ASPM:
	case SSDPM_REMEDY_ALLOW_D3COLD:
		return true;
	case SSDPM_REMEDY_LPM:
	case SSDPM_REMEDY_LPM_FOR_GOOD:
		return d->code != SSDPM_DIAGNOSIS_LPM_MIN_POWER;
	default:
		return false;
	}
}

static bool is_policy(uint32_t remedy)
{
	return remedy == SSDPM_REMEDY_ASPM_POLICY ||
	       remedy == SSDPM_REMEDY_ASPM_POLICY_OR_FIRMWARE;
}

/* Does the case know this remedy? Both of ASPM write the same value. */
static bool knows(const struct public_case *known, uint32_t remedy)
{
	return known && (known->remedy == remedy ||
			 (is_policy(known->remedy) && is_policy(remedy)));
}

static bool has_verified(const struct ssdpm_suspend_drive *one)
{
	const struct public_case *known = case_of(one);

	for (size_t i = 0; i < one->n_diagnoses; i++)
		if (one->diagnoses[i].n_changes &&
		    knows(known, one->diagnoses[i].remedy))
			return true;
	return false;
}

const struct ssdpm_suspend_drive *ssdpm__suspend_culprit(
	const struct ssdpm_suspend_params *params)
{
	for (size_t i = 0; i < params->n_drives; i++)
		if (has_verified(&params->drives[i]))
			return &params->drives[i];
	return NULL;
}

struct remedies {
	struct ssdpm_suspend_remedy *list;
	size_t n, room;
	bool failed;
};

/* A change that is there already is needed once: a policy is of all drives. */
static void add(struct remedies *to, const struct ssdpm_suspend_remedy *one)
{
	struct ssdpm_suspend_remedy *list;

	for (size_t i = 0; i < to->n; i++)
		if (one->change.target[0] &&
		    !strcmp(to->list[i].change.target, one->change.target) &&
		    !strcmp(to->list[i].change.value, one->change.value))
			return;
	if (to->n == to->room) {
		to->room = to->room * 2 + 8;
		list = realloc(to->list, to->room * sizeof(*list));
		if (!list) {
			to->failed = true;
			return;
		}
		to->list = list;
	}
	to->list[to->n++] = *one;
}

static struct ssdpm_suspend_remedy remedy_of(
	const struct ssdpm_suspend_drive *drive, uint32_t status,
	uint32_t remedy, const struct public_case *known)
{
	struct ssdpm_suspend_remedy one = { .status = status,
					    .remedy = remedy };

	snprintf(one.drive, sizeof(one.drive), "%s", drive->facts->name);
	if (known)
		snprintf(one.source, sizeof(one.source), "%s", known->source);
	return one;
}

/* The remedies of a diagnosis that have this status. */
static void add_diagnosed(struct remedies *to,
			  const struct ssdpm_suspend_drive *drive,
			  uint32_t status)
{
	const struct public_case *known = case_of(drive);

	for (size_t i = 0; i < drive->n_diagnoses; i++) {
		const struct ssdpm_diagnosis *d = &drive->diagnoses[i];
		const bool helped = knows(known, d->remedy);
		struct ssdpm_suspend_remedy one;

		if (!d->n_changes || !concerns_suspend(d) ||
		    helped != (status == SSDPM_REMEDY_STATUS_VERIFIED))
			continue;
		one = remedy_of(drive, status, d->remedy,
				helped ? known : NULL);
		one.change = d->changes[0];
		add(to, &one);
	}
}

/* The quirk with which the driver shuts the drive down, or the opposite. */
static void add_quirk(struct remedies *to,
		      const struct ssdpm_suspend_params *params,
		      const struct ssdpm_suspend_drive *drive)
{
	const struct ssdpm_device_facts *facts = drive->facts;
	const bool shuts = facts->kernel_quirks & SSDPM_QUIRK_SIMPLE_SUSPEND;
	struct ssdpm_suspend_remedy one;

	if (facts->kind != SSDPM_KIND_NVME || !facts->pci_vendor_id ||
	    !(facts->known & SSDPM_FACT_QUIRKS) ||
	    !ssdpm__takes_nvme_quirks(params->facts->linux_release))
		return;
	one = remedy_of(drive, SSDPM_REMEDY_STATUS_UNTESTED,
			SSDPM_REMEDY_SIMPLE_SUSPEND, NULL);
	snprintf(one.change.target, sizeof(one.change.target), "nvme.quirks");
	snprintf(one.change.value, sizeof(one.change.value), "%04x:%04x:%s",
		 facts->pci_vendor_id, facts->pci_device_id,
		 shuts ? "force_no_simple_suspend" : "simple_suspend");
	add(to, &one);
}

static void add_untested(struct remedies *to,
			 const struct ssdpm_suspend_params *params,
			 const struct ssdpm_suspend_drive *drive)
{
	const struct public_case *known = case_of(drive);
	struct ssdpm_suspend_remedy one;

	if (known && !known->remedy) {
		one = remedy_of(drive, SSDPM_REMEDY_STATUS_NONE, 0, known);
		add(to, &one);
	}
	add_diagnosed(to, drive, SSDPM_REMEDY_STATUS_UNTESTED);
	add_quirk(to, params, drive);
}

/* Where no counter says anything, only drives of public cases are suspects. */
static bool is_suspect(const struct ssdpm_suspend_drive *drive,
		       uint32_t outcome)
{
	switch (outcome) {
	case SSDPM_SUSPEND_OUTCOME_NOT_REACHED:
	case SSDPM_SUSPEND_OUTCOME_CONTRADICTED:
		return true;
	case SSDPM_SUSPEND_OUTCOME_CANNOT_SAY:
		return case_of(drive) != NULL;
	default:
		return false;
	}
}

int ssdpm_suspend_get_remedies(const struct ssdpm_suspend_params *params,
			       uint32_t outcome,
			       struct ssdpm_suspend_remedy **ret_remedies,
			       size_t *ret_n, struct ssdpm_error *reterr)
{
	struct suspend_input input;
	const struct ssdpm_suspend_params *known = &input.params;
	struct remedies all = { 0 };
	int err = ssdpm__suspend_params(&input, params, reterr);

	if (err)
		return err;
	for (size_t i = 0; i < known->n_drives; i++)
		if (is_suspect(&known->drives[i], outcome))
			add_diagnosed(&all, &known->drives[i],
				      SSDPM_REMEDY_STATUS_VERIFIED);
	for (size_t i = 0; i < known->n_drives; i++)
		if (is_suspect(&known->drives[i], outcome))
			add_untested(&all, known, &known->drives[i]);
	if (all.failed) {
		free(all.list);
		return ssdpm__no_memory(reterr);
	}
	*ret_remedies = all.list;
	*ret_n = all.n;
	return 0;
}
