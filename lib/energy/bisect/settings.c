/* SPDX-License-Identifier: MIT */
/*
 * Settings of Linux as suspects: their steps from what a drive has, and what
 * helps if one of them is the culprit. Quirks are those of Linux,
 * drivers/nvme/host/nvme.h and include/linux/libata.h; parameters are in
 * Documentation/admin-guide/kernel-parameters.txt.
 */
#include "bisect/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <ssdpm/device.h>
#include <ssdpm/policy.h>

#include "base/internal.h"
#include "base/text.h"
#include "base/words.h"
#include "common/linux-release.h"

#define LATENCY ":latency_us"
#define LPM ":lpm"
#define LINK ":link"
#define QUEUE_DEPTH ":queue_depth"

static const char bisect_setting_words[][14] = {
	[SSDPM_BISECT_LATENCY_LIMIT] = "latency-limit",
	[SSDPM_BISECT_LPM] = "lpm",
	[SSDPM_BISECT_LINK] = "pcie-link",
	[SSDPM_BISECT_QUEUE_DEPTH] = "queue-depth",
};
ENUM_WORDS(bisect_setting)

/* What follows the drive in the name of a suspect. */
static const char settings[][16] = {
	[SSDPM_BISECT_LATENCY_LIMIT] = LATENCY,
	[SSDPM_BISECT_LPM] = LPM,
	[SSDPM_BISECT_LINK] = LINK,
	[SSDPM_BISECT_QUEUE_DEPTH] = QUEUE_DEPTH,
};

static const char bisect_remedy_kind_words[][14] = {
	[SSDPM_BISECT_REMEDY_LATENCY_LIMIT] = "latency-limit",
	[SSDPM_BISECT_REMEDY_LPM] = "lpm",
	[SSDPM_BISECT_REMEDY_PARAMETER] = "parameter",
	[SSDPM_BISECT_REMEDY_QUIRK] = "quirk",
	[SSDPM_BISECT_REMEDY_FILE] = "file",
};
ENUM_WORDS(bisect_remedy_kind)

/* Words of this file are shorter than the room for them. */
static void put_word(char *to, const char *word)
{
	memcpy(to, word, strlen(word) + 1);
}

/* The steps of a setting, as words. */
struct setting_steps {
	size_t n;
	char words[SSDPM_BISECT_STEPS][SSDPM_BISECT_WORD];
};

static int add_setting(struct ssdpm_bisect *bisect, const char *drive,
		       const char *setting, const struct setting_steps *steps,
		       struct ssdpm_error *reterr)
{
	const char *words[SSDPM_BISECT_STEPS];
	char name[2 * SSDPM_BISECT_WORD];

	if (!drive || strnlen(drive, SSDPM_BISECT_WORD) == SSDPM_BISECT_WORD ||
	    strchr(drive, ':'))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a suspect needs the name of a drive");
	if (steps->n < 2)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "no setting of it saves power");
	for (size_t i = 0; i < steps->n; i++)
		words[i] = steps->words[i];
	snprintf(name, sizeof(name), "%s%s", drive, setting);
	return ssdpm_bisect_add_suspect(bisect, name, words, steps->n, reterr);
}

static void add_limit(struct setting_steps *steps, uint64_t limit_us)
{
	char *word = steps->words[steps->n++];

	if (limit_us == SSDPM_LATENCY_ANY)
		put_word(word, "any");
	else
		snprintf(word, SSDPM_BISECT_WORD, "%llu",
			 (unsigned long long)limit_us);
}

/* Linux takes an exit latency that is not reported for 0. */
static uint64_t exit_us(const struct ssdpm_power_state *state)
{
	return state->unknown & SSDPM_FIELD_EXIT_LATENCY ?
		       0 :
		       state->exit_latency_us;
}

static bool is_state_to_sleep_in(const struct ssdpm_power_state *state)
{
	return state->flags & SSDPM_STATE_NON_OPERATIONAL;
}

/* The shortest exit latency of a state above this one; 0: none. */
static uint64_t next_latency(const struct ssdpm_model *model, uint64_t above_us)
{
	uint64_t next_us = 0;
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);

	for (size_t i = 0; i < n; i++) {
		const uint64_t us = exit_us(&states[i]);

		if (is_state_to_sleep_in(&states[i]) && us > above_us &&
		    (!next_us || us < next_us))
			next_us = us;
	}
	return next_us;
}

/* No APST, each deeper state, and the limit of today. */
static void find_limits(const struct ssdpm_model *model, uint64_t limit_us,
			struct setting_steps *steps)
{
	uint64_t us = next_latency(model, 0);
	uint64_t deeper_us = us ? next_latency(model, us) : 0;

	if (!us || us > limit_us)
		return;
	add_limit(steps, 0);
	while (deeper_us && deeper_us <= limit_us &&
	       steps->n < SSDPM_BISECT_STEPS - 1) {
		add_limit(steps, us);
		us = deeper_us;
		deeper_us = next_latency(model, us);
	}
	add_limit(steps, limit_us);
}

/* Words that are not of this file are as long as a limit can be. */
static uint64_t limit_of(const char *word)
{
	struct span span = ssdpm__span(word, strlen(word));
	uint64_t us;

	return ssdpm__take_uint(&span, UINT64_MAX, &us) ? us :
							  SSDPM_LATENCY_ANY;
}

/*
 * Whether the limit leaves out the last state, and no other of those of today.
 */
static bool leaves_deepest_out(const struct ssdpm_model *model,
			       const struct setting_steps *steps)
{
	const uint64_t limit_us = limit_of(steps->words[steps->n - 1]);
	const uint64_t lower_us = limit_of(steps->words[steps->n - 2]);
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);

	for (size_t i = 0; i < n; i++) {
		const uint64_t us = exit_us(&states[i]);
		const bool is_left_out = us > lower_us && us <= limit_us;

		if (is_state_to_sleep_in(&states[i]) &&
		    is_left_out != (i == n - 1))
			return false;
	}
	return true;
}

int ssdpm_bisect_add_latency_limit(struct ssdpm_bisect *bisect,
				   const char *drive,
				   const struct ssdpm_model *model,
				   uint64_t limit_us,
				   struct ssdpm_error *reterr)
{
	struct setting_steps steps = { 0 };
	int err;

	find_limits(model, limit_us, &steps);
	err = add_setting(bisect, drive, LATENCY, &steps, reterr);
	if (!err)
		bisect->suspects[bisect->n_suspects - 1].deepest =
			leaves_deepest_out(model, &steps);
	return err;
}

int ssdpm_bisect_add_lpm(struct ssdpm_bisect *bisect, const char *drive,
			 uint32_t lpm, struct ssdpm_error *reterr)
{
	struct setting_steps steps = { 0 };

	if (!ssdpm_lpm_to_string(lpm))
		return ssdpm__fail(reterr, -EINVAL, 0, "%u is no link policy",
				   lpm);
	/* Partial alone is no deeper than what comes before it. */
	for (uint32_t i = SSDPM_LPM_MAX_PERFORMANCE;
	     lpm > SSDPM_LPM_MAX_PERFORMANCE && i <= lpm; i++)
		if (i == lpm || i != SSDPM_LPM_MIN_POWER_WITH_PARTIAL)
			put_word(steps.words[steps.n++],
				 ssdpm_lpm_to_string(i));
	return add_setting(bisect, drive, LPM, &steps, reterr);
}

/* From the one that saves least; a substate is part of L1. */
static const struct {
	uint32_t feature;
	char file[20];
} link_features[] = {
	{ SSDPM_PCIE_FEATURE_L0S, "link/l0s_aspm" },
	{ SSDPM_PCIE_FEATURE_L1, "link/l1_aspm" },
	{ SSDPM_PCIE_FEATURE_CLKPM, "link/clkpm" },
	{ SSDPM_PCIE_FEATURE_L1_1, "link/l1_1_aspm" },
	{ SSDPM_PCIE_FEATURE_L1_1_PCIPM, "link/l1_1_pcipm" },
	{ SSDPM_PCIE_FEATURE_L1_2, "link/l1_2_aspm" },
	{ SSDPM_PCIE_FEATURE_L1_2_PCIPM, "link/l1_2_pcipm" },
};

#define N_LINK_FEATURES (sizeof(link_features) / sizeof(link_features[0]))

int ssdpm_bisect_add_link(struct ssdpm_bisect *bisect, const char *drive,
			  uint32_t features, struct ssdpm_error *reterr)
{
	struct setting_steps steps = { 0 };

	put_word(steps.words[steps.n++], "off");
	for (size_t i = 0; i < N_LINK_FEATURES; i++)
		if (features & link_features[i].feature)
			put_word(steps.words[steps.n++],
				 ssdpm_pcie_feature_to_string(
					 link_features[i].feature));
	return add_setting(bisect, drive, LINK, &steps, reterr);
}

int ssdpm_bisect_add_queue_depth(struct ssdpm_bisect *bisect, const char *drive,
				 uint32_t queue_depth,
				 struct ssdpm_error *reterr)
{
	struct setting_steps steps = { 0 };

	put_word(steps.words[steps.n++], "1");
	if (queue_depth > 1)
		add_limit(&steps, queue_depth);
	return add_setting(bisect, drive, QUEUE_DEPTH, &steps, reterr);
}

static void fill(struct ssdpm_bisect_remedy *remedy, uint32_t kind,
		 const char *target, const char *value)
{
	remedy->kind = kind;
	put_word(remedy->target, target);
	put_word(remedy->value, value);
}

/* The steps below the one that fails are what helps. */
static bool find_latency_remedy(const struct bisect_suspect *suspect,
				uint32_t step, size_t index,
				struct ssdpm_bisect_remedy *remedy)
{
	const char *word = suspect->steps[step - 1];
	const bool is_last = step == suspect->n_steps - 1;

	if (index == 0)
		fill(remedy, SSDPM_BISECT_REMEDY_LATENCY_LIMIT,
		     "pm_qos_latency_tolerance_us", word);
	else if (index == 1)
		fill(remedy, SSDPM_BISECT_REMEDY_PARAMETER,
		     "nvme_core.default_ps_max_latency_us", word);
	else if (index == 2 && step == 1)
		fill(remedy, SSDPM_BISECT_REMEDY_QUIRK, "NVME_QUIRK_NO_APST",
		     "");
	else if (index == 2 && is_last && suspect->deepest)
		fill(remedy, SSDPM_BISECT_REMEDY_QUIRK,
		     "NVME_QUIRK_NO_DEEPEST_PS", "");
	else
		return false;
	remedy->all_drives = index == 1;
	return true;
}

/* Linux has no parameter and no quirk for a policy in between. */
static bool find_lpm_remedy(const struct bisect_suspect *suspect, uint32_t step,
			    size_t index, struct ssdpm_bisect_remedy *remedy)
{
	if (index == 0)
		fill(remedy, SSDPM_BISECT_REMEDY_LPM,
		     "link_power_management_policy", suspect->steps[step - 1]);
	else if (index == 1 && step == 1)
		fill(remedy, SSDPM_BISECT_REMEDY_PARAMETER, "libata.force",
		     "nolpm");
	else if (index == 2 && step == 1)
		fill(remedy, SSDPM_BISECT_REMEDY_QUIRK, "ATA_QUIRK_NOLPM", "");
	else
		return false;
	remedy->all_drives = index == 1;
	return true;
}

static uint32_t feature_of(const struct bisect_suspect *suspect, size_t step)
{
	return ssdpm_pcie_feature_from_string(suspect->steps[step]);
}

static bool has_feature(const struct bisect_suspect *suspect, uint32_t feature)
{
	for (size_t i = 1; i < suspect->n_steps; i++)
		if (feature_of(suspect, i) == feature)
			return true;
	return false;
}

/*
 * The policy powersave has L0s, L1 and clock power management, and no substate.
 * It must not turn on what was off. pcie_aspm=off is no remedy: Linux then
 * leaves on what the firmware has turned on.
 */
static const char *aspm_policy(const struct bisect_suspect *suspect,
			       uint32_t feature)
{
	const uint32_t substates =
		SSDPM_PCIE_FEATURE_L1_1 | SSDPM_PCIE_FEATURE_L1_1_PCIPM |
		SSDPM_PCIE_FEATURE_L1_2 | SSDPM_PCIE_FEATURE_L1_2_PCIPM;

	return feature & substates &&
			       has_feature(suspect, SSDPM_PCIE_FEATURE_L0S) &&
			       has_feature(suspect, SSDPM_PCIE_FEATURE_L1) &&
			       has_feature(suspect, SSDPM_PCIE_FEATURE_CLKPM) ?
		       "powersave" :
		       "performance";
}

/* The good trial had none of the features from the step on. */
static bool find_link_remedy(const struct bisect_suspect *suspect,
			     uint32_t step, size_t index,
			     struct ssdpm_bisect_remedy *remedy)
{
	size_t i = 0;

	if (index == suspect->n_steps - step) {
		fill(remedy, SSDPM_BISECT_REMEDY_PARAMETER, "pcie_aspm.policy",
		     aspm_policy(suspect, feature_of(suspect, step)));
		remedy->all_drives = 1;
		return true;
	}
	if (index > suspect->n_steps - step)
		return false;
	while (i < N_LINK_FEATURES &&
	       link_features[i].feature != feature_of(suspect, step + index))
		i++;
	if (i == N_LINK_FEATURES)
		return false;
	fill(remedy, SSDPM_BISECT_REMEDY_FILE, link_features[i].file, "0");
	remedy->all_drives = 0;
	return true;
}

static bool find_queue_remedy(size_t index, struct ssdpm_bisect_remedy *remedy)
{
	if (index == 0)
		fill(remedy, SSDPM_BISECT_REMEDY_FILE, "queue_depth", "1");
	else if (index == 1)
		fill(remedy, SSDPM_BISECT_REMEDY_PARAMETER, "libata.force",
		     "noncq");
	else if (index == 2)
		fill(remedy, SSDPM_BISECT_REMEDY_QUIRK, "ATA_QUIRK_NONCQ", "");
	else
		return false;
	remedy->all_drives = index == 1;
	return true;
}

uint32_t ssdpm_bisect_get_setting(const struct ssdpm_bisect *bisect,
				  size_t suspect)
{
	const char *name = ssdpm_bisect_get_suspect(bisect, suspect);

	if (!name)
		return 0;
	name += strcspn(name, ":");
	for (uint32_t i = 1; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (!strcmp(name, settings[i]))
			return i;
	return 0;
}

static bool find_remedy(const struct ssdpm_bisect *bisect, uint32_t number,
			uint32_t step, size_t index,
			struct ssdpm_bisect_remedy *remedy)
{
	const struct bisect_suspect *suspect = &bisect->suspects[number];

	switch (ssdpm_bisect_get_setting(bisect, number)) {
	case SSDPM_BISECT_LATENCY_LIMIT:
		return find_latency_remedy(suspect, step, index, remedy);
	case SSDPM_BISECT_LPM:
		return find_lpm_remedy(suspect, step, index, remedy);
	case SSDPM_BISECT_LINK:
		return find_link_remedy(suspect, step, index, remedy);
	case SSDPM_BISECT_QUEUE_DEPTH:
		return find_queue_remedy(index, remedy);
	default:
		return false;
	}
}

/* "nvme0:link" is of nvme0. */
static bool is_of(const struct bisect_suspect *suspect, const char *drive)
{
	const size_t n = strcspn(suspect->name, ":");

	return strlen(drive) == n && !memcmp(drive, suspect->name, n);
}

static const struct bisect_drive *drive_of(const struct ssdpm_bisect *bisect,
					   uint32_t number)
{
	for (size_t i = 0; i < bisect->n_drives; i++)
		if (is_of(&bisect->suspects[number], bisect->drives[i].name))
			return &bisect->drives[i];
	return NULL;
}

/* "NVME_QUIRK_NO_APST" as nvme.quirks takes it: "15b7:5008:no_apst" */
static void fill_quirk(const struct bisect_drive *drive, const char *quirk,
		       struct ssdpm_bisect_remedy *special)
{
	char value[SSDPM_BISECT_WORD];
	int n = snprintf(value, sizeof(value),
			 "%04x:%04x:", drive->pci_vendor_id,
			 drive->pci_device_id);

	for (; *quirk; quirk++)
		value[n++] = *quirk >= 'A' && *quirk <= 'Z' ?
				     (char)(*quirk - 'A' + 'a') :
				     *quirk;
	value[n] = '\0';
	fill(special, SSDPM_BISECT_REMEDY_PARAMETER, "nvme.quirks", value);
	special->all_drives = 1;
}

/* The same for less than all drives, where it is known which ones. */
static bool specialize(const struct bisect_drive *drive,
		       const struct ssdpm_bisect_remedy *remedy,
		       struct ssdpm_bisect_remedy *special)
{
	static const char prefix[] = "NVME_QUIRK_";
	const size_t n = sizeof(prefix) - 1;
	char value[SSDPM_BISECT_WORD];

	if (!drive)
		return false;
	if (drive->ata_port && !strcmp(remedy->target, "libata.force")) {
		snprintf(value, sizeof(value), "%u:%.40s", drive->ata_port,
			 remedy->value);
		fill(special, SSDPM_BISECT_REMEDY_PARAMETER, remedy->target,
		     value);
		special->all_drives = 0;
		return true;
	}
	if (!drive->takes_quirks || !drive->pci_vendor_id ||
	    strncmp(remedy->target, prefix, n))
		return false;
	fill_quirk(drive, remedy->target + n, special);
	return true;
}

/* Those of all drives, and before each of them that of fewer. */
static bool find_nth_remedy(const struct ssdpm_bisect *bisect, uint32_t number,
			    uint32_t step, size_t index,
			    struct ssdpm_bisect_remedy *remedy)
{
	const struct bisect_drive *drive = drive_of(bisect, number);

	for (size_t i = 0; find_remedy(bisect, number, step, i, remedy); i++) {
		struct ssdpm_bisect_remedy special = *remedy;
		const bool is_special = specialize(drive, remedy, &special);

		if (is_special && index-- == 0) {
			*remedy = special;
			return true;
		}
		if (index-- == 0)
			return true;
	}
	return false;
}

static bool has_suspect_of(const struct ssdpm_bisect *bisect, const char *drive)
{
	for (size_t i = 0; i < bisect->n_suspects; i++)
		if (is_of(&bisect->suspects[i], drive))
			return true;
	return false;
}

static void keep_drive(struct ssdpm_bisect *bisect,
		       const struct bisect_drive *drive)
{
	size_t i = 0;

	while (i < bisect->n_drives &&
	       strcmp(bisect->drives[i].name, drive->name) != 0)
		i++;
	bisect->drives[i] = *drive;
	bisect->n_drives += i == bisect->n_drives;
}

int ssdpm_bisect_set_drive(struct ssdpm_bisect *bisect,
			   const struct ssdpm_device_facts *facts,
			   const struct ssdpm_machine_facts *machine,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_device_facts device = { .size = sizeof(device) };
	struct ssdpm_machine_facts host = { .size = sizeof(host) };
	struct bisect_drive drive = { .name = "" };
	int err;

	if (!facts || !machine)
		return ssdpm__missing(facts ? "machine" : "facts", reterr);
	err = ssdpm__sized_in(&device, sizeof(device), facts,
			      "ssdpm_device_facts", reterr);
	if (!err)
		err = ssdpm__sized_in(&host, sizeof(host), machine,
				      "ssdpm_machine_facts", reterr);
	if (err)
		return err;
	snprintf(drive.name, sizeof(drive.name), "%s", device.name);
	drive.pci_vendor_id = device.pci_vendor_id;
	drive.pci_device_id = device.pci_device_id;
	drive.ata_port = device.ata_port;
	drive.takes_quirks = ssdpm__takes_nvme_quirks(host.linux_release);
	if (!has_suspect_of(bisect, drive.name))
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "%s: no suspect is of this drive",
				   drive.name);
	keep_drive(bisect, &drive);
	return 0;
}

int ssdpm_bisect_get_remedy(const struct ssdpm_bisect *bisect, size_t culprit,
			    size_t index,
			    struct ssdpm_bisect_remedy *ret_remedy,
			    struct ssdpm_error *reterr)
{
	struct ssdpm_bisect_remedy remedy = { .size = sizeof(remedy) };
	uint32_t number, step;
	int err = ssdpm__sized_check(ret_remedy, sizeof(remedy),
				     "ssdpm_bisect_remedy", reterr);

	if (!err)
		err = ssdpm_bisect_get_culprit(bisect, culprit, &number, &step,
					       reterr);
	if (err)
		return err;
	const char *name = bisect->suspects[number].name;

	memcpy(remedy.drive, name, strcspn(name, ":"));
	if (!find_nth_remedy(bisect, number, step, index, &remedy))
		return ssdpm__fail(reterr, -ENOENT, 0, "unknown remedy");
	ssdpm__sized_out(ret_remedy, &remedy, sizeof(remedy));
	return 0;
}
