/* SPDX-License-Identifier: MIT */
/*
 * Remedies if a setting is the culprit. Quirks are those of Linux,
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
#include "base/words.h"
#include "common/linux-release.h"

static const char bisect_remedy_kind_words[][14] = {
	[SSDPM_BISECT_REMEDY_LATENCY_LIMIT] = "latency-limit",
	[SSDPM_BISECT_REMEDY_LPM] = "lpm",
	[SSDPM_BISECT_REMEDY_PARAMETER] = "parameter",
	[SSDPM_BISECT_REMEDY_QUIRK] = "quirk",
	[SSDPM_BISECT_REMEDY_FILE] = "file",
};
ENUM_WORDS(bisect_remedy_kind)

static void fill(struct ssdpm_bisect_remedy *remedy, uint32_t kind,
		 const char *target, const char *value)
{
	remedy->kind = kind;
	ssdpm__bisect_put_word(remedy->target, target);
	ssdpm__bisect_put_word(remedy->value, value);
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
 * It must not turn on what was off. If powersupersave is in force, it had all
 * of it. If powersave is in force, something else has turned on the substate,
 * and the caller drops this remedy. With pcie_aspm=off, Linux leaves on what
 * the firmware has turned on, so that is no remedy.
 */
static const char *aspm_policy(const struct bisect_suspect *suspect,
			       const struct bisect_drive *drive,
			       uint32_t feature)
{
	const uint32_t substates =
		SSDPM_PCIE_FEATURE_L1_1 | SSDPM_PCIE_FEATURE_L1_1_PCIPM |
		SSDPM_PCIE_FEATURE_L1_2 | SSDPM_PCIE_FEATURE_L1_2_PCIPM;
	const bool had_all =
		(drive && (drive->aspm_policy == SSDPM_ASPM_POWERSAVE ||
			   drive->aspm_policy == SSDPM_ASPM_POWERSUPERSAVE)) ||
		(has_feature(suspect, SSDPM_PCIE_FEATURE_L0S) &&
		 has_feature(suspect, SSDPM_PCIE_FEATURE_L1) &&
		 has_feature(suspect, SSDPM_PCIE_FEATURE_CLKPM));

	return feature & substates && had_all ? "powersave" : "performance";
}

/* The good trial had none of the features from the step on. */
static bool find_link_remedy(const struct bisect_suspect *suspect,
			     const struct bisect_drive *drive, uint32_t step,
			     size_t index, struct ssdpm_bisect_remedy *remedy)
{
	size_t i = 0;

	if (index == suspect->n_steps - step) {
		fill(remedy, SSDPM_BISECT_REMEDY_PARAMETER, "pcie_aspm.policy",
		     aspm_policy(suspect, drive, feature_of(suspect, step)));
		remedy->all_drives = 1;
		return true;
	}
	if (index > suspect->n_steps - step)
		return false;
	while (i < BISECT_LINK_FEATURES &&
	       ssdpm__bisect_link_features[i].feature !=
		       feature_of(suspect, step + index))
		i++;
	if (i == BISECT_LINK_FEATURES)
		return false;
	fill(remedy, SSDPM_BISECT_REMEDY_FILE,
	     ssdpm__bisect_link_features[i].file, "0");
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

static bool find_remedy(const struct ssdpm_bisect *bisect,
			const struct bisect_drive *drive, uint32_t number,
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
		return find_link_remedy(suspect, drive, step, index, remedy);
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

/* libata.force=VALUE, and the quirk that it sets. */
static bool sets_quirk(const struct ssdpm_bisect_remedy *remedy,
		       const char *value, const char *quirk)
{
	return !strcmp(remedy->target, quirk) ||
	       (!strcmp(remedy->target, "libata.force") &&
		!strcmp(remedy->value, value));
}

/* Unknown is no yes. */
static bool is_unknown_to_linux(const struct bisect_drive *drive,
				const struct ssdpm_bisect_remedy *remedy)
{
	return !strcmp(remedy->target, "libata.force") &&
	       !strcmp(remedy->value, "nolpm") &&
	       !(drive && drive->takes_nolpm);
}

/* A drive fails in spite of what is in force. */
static bool is_in_force(const struct bisect_drive *drive,
			const struct ssdpm_bisect_remedy *remedy)
{
	const char *policy;

	if (!drive)
		return false;
	if (sets_quirk(remedy, "nolpm", "ATA_QUIRK_NOLPM"))
		return drive->has_nolpm;
	if (sets_quirk(remedy, "noncq", "ATA_QUIRK_NONCQ"))
		return drive->has_noncq;
	if (!strcmp(remedy->target, "nvme_core.default_ps_max_latency_us"))
		return !strcmp(remedy->value, drive->default_limit);
	if (!strcmp(remedy->target, "pcie_aspm.policy")) {
		policy = ssdpm_aspm_policy_to_string(drive->aspm_policy);
		return policy && !strcmp(remedy->value, policy);
	}
	return !strcmp(remedy->target, "NVME_QUIRK_NO_DEEPEST_PS") &&
	       drive->quirks & SSDPM_QUIRK_NO_DEEPEST_PS;
}

/* Those of all drives, and before each of them that of fewer. */
static bool find_nth_remedy(const struct ssdpm_bisect *bisect, uint32_t number,
			    uint32_t step, size_t index,
			    struct ssdpm_bisect_remedy *remedy)
{
	const struct bisect_drive *drive = drive_of(bisect, number);

	for (size_t i = 0; find_remedy(bisect, drive, number, step, i, remedy);
	     i++) {
		struct ssdpm_bisect_remedy special = *remedy;
		const bool is_special = specialize(drive, remedy, &special);

		if (is_in_force(drive, remedy) ||
		    is_unknown_to_linux(drive, remedy))
			continue;
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
	const uint32_t limit = SSDPM_NVME_CORE_DEFAULT_PS_MAX_LATENCY_US;
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
	drive.takes_nolpm = ssdpm__takes_nolpm(host.linux_release);
	drive.aspm_policy = host.aspm_policy;
	if (device.known & SSDPM_FACT_QUIRKS)
		drive.quirks = device.kernel_quirks;
	if (host.nvme_core_known & 1U << limit)
		snprintf(drive.default_limit, sizeof(drive.default_limit),
			 "%llu", (unsigned long long)host.nvme_core[limit]);
	if (!has_suspect_of(bisect, drive.name))
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "%s: no suspect is of this drive",
				   drive.name);
	if (device.kind == SSDPM_KIND_SATA)
		err = ssdpm__bisect_read_disk_quirks(&device, &host, &drive,
						     reterr);
	if (err)
		return err;
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
