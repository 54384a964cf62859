/* SPDX-License-Identifier: MIT */
/*
 * The PCIe link of a drive, and what Linux does with the drive when the machine
 * is suspended: nvme_suspend() in drivers/nvme/host/pci.c, pcie_aspm in
 * drivers/pci/pcie/aspm.c.
 */
#include "device/diagnose/diagnose.h"

#include <stdio.h>

enum {
	L1 = SSDPM_PCIE_FEATURE_L1,
	L1_2 = SSDPM_PCIE_FEATURE_L1_2,
	ANY_ASPM = SSDPM_PCIE_FEATURE_L0S | SSDPM_PCIE_FEATURE_L1
};

static bool has_pci_link(const struct ssdpm_device_facts *facts)
{
	return facts->kind == SSDPM_KIND_NVME &&
	       !(facts->flags & SSDPM_DEVICE_FABRICS);
}

/* Whether the policy of ASPM has this on, whatever the firmware did. */
static bool policy_has(const struct examination *e, uint32_t feature)
{
	return e->machine->aspm_policy == SSDPM_ASPM_POWERSUPERSAVE ||
	       (e->machine->aspm_policy == SSDPM_ASPM_POWERSAVE &&
		feature == L1);
}

/* Off in spite of the policy: somebody wrote 0 to its file. */
static void advise_link_file(struct examination *e, struct ssdpm_diagnosis *d,
			     const char *file)
{
	ssdpm__advise(d, SSDPM_REMEDY_LINK_FILE);
	ssdpm__advise_value(d, "1", "/sys/bus/pci/devices/%s/link/%s",
			    e->facts->address, file);
}

/* What keeps a capable link from it, and for d the policy that would not. */
static void say_policy(struct examination *e, struct ssdpm_diagnosis *d,
		       const char *what)
{
	char why[64];

	switch (e->machine->aspm_policy) {
	case SSDPM_ASPM_DEFAULT:
		snprintf(why, sizeof(why), "leaves %s as the firmware set it",
			 what);
		break;
	case SSDPM_ASPM_PERFORMANCE:
		snprintf(why, sizeof(why), "keeps %s off", what);
		break;
	case SSDPM_ASPM_POWERSAVE:
		snprintf(why, sizeof(why), "has L0s and L1 on, but not %s",
			 what);
		break;
	default:
		return;
	}
	ssdpm__advise(d, e->machine->aspm_policy == SSDPM_ASPM_DEFAULT ?
				 SSDPM_REMEDY_ASPM_POLICY_OR_FIRMWARE :
				 SSDPM_REMEDY_ASPM_POLICY);
	ssdpm__advise_value(d, "powersupersave",
			    "/sys/module/pcie_aspm/parameters/policy");
	ssdpm__found(e, SSDPM_DIAGNOSIS_ASPM_POLICY, SSDPM_SEVERITY_NOTE,
		     "the ASPM policy is %s, which %s",
		     ssdpm_aspm_policy_to_string(e->machine->aspm_policy), why);
}

static void say_why_off(struct examination *e, struct ssdpm_diagnosis *d,
			uint32_t feature)
{
	if (policy_has(e, feature))
		advise_link_file(e, d, feature == L1 ? "l1_aspm" : "l1_2_aspm");
	else
		say_policy(e, d, feature == L1 ? "L1" : "L1.2");
}

static void say_no_link(struct examination *e)
{
	struct ssdpm_diagnosis *d;

	d = ssdpm__found(e, SSDPM_DIAGNOSIS_LINK_NO_ASPM,
			 SSDPM_SEVERITY_UNKNOWN,
			 "Linux does not manage the link of %s: no folder "
			 "link/ in sysfs (pcie_aspm=off, the firmware keeps "
			 "it, or the drive is on no PCIe port)",
			 e->facts->address);
	ssdpm__advise(d, SSDPM_REMEDY_BOOT_WITH_ASPM);
	ssdpm__advise_value(d, "", "pcie_aspm");
}

void ssdpm__diagnose_link(struct examination *e, uint32_t deepest,
			  uint32_t power_uw)
{
	const struct ssdpm_device_facts *facts = e->facts;
	struct ssdpm_diagnosis *d;
	char lost[80] = "";

	if (!has_pci_link(facts))
		return;
	if (!(facts->known & SSDPM_FACT_PCIE)) {
		say_no_link(e);
		return;
	}
	if (deepest && power_uw)
		snprintf(lost, sizeof(lost), ": PS%u's %s will not be reached",
			 deepest, ssdpm_uw_to_text(power_uw).text);
	if (!(facts->pcie_capable & L1)) {
		ssdpm__found(e, SSDPM_DIAGNOSIS_LINK_NO_ASPM,
			     SSDPM_SEVERITY_NOTE,
			     "the link has no L1: the drive, or the port it is "
			     "in, does not offer it%s",
			     lost);
	} else if (!(facts->pcie_enabled & L1)) {
		d = ssdpm__found(e, SSDPM_DIAGNOSIS_LINK_NO_ASPM,
				 SSDPM_SEVERITY_PROBLEM, "link L1 off%s", lost);
		say_why_off(e, d, L1);
	} else if (!(facts->pcie_capable & L1_2)) {
		ssdpm__found(e, SSDPM_DIAGNOSIS_LINK_NO_L1_2,
			     SSDPM_SEVERITY_NOTE,
			     "the link has L1 but no L1.2%s", lost);
	} else if (!(facts->pcie_enabled & L1_2)) {
		d = ssdpm__found(e, SSDPM_DIAGNOSIS_LINK_NO_L1_2,
				 SSDPM_SEVERITY_PROBLEM, "link L1.2 off%s",
				 lost);
		say_why_off(e, d, L1_2);
	}
}

/*
 * Why nvme_suspend() of Linux shuts the drive down; NULL: it sets the last
 * power state.
 */
static const char *shutdown_reason(const struct examination *e, uint32_t quirks,
				   size_t n_states)
{
	const struct ssdpm_device_facts *facts = e->facts;

	if (e->machine->suspend != SSDPM_SUSPEND_S2IDLE)
		return "the firmware takes the power";
	if (quirks & SSDPM_QUIRK_SIMPLE_SUSPEND)
		return "quirk simple-suspend";
	if (n_states == 1)
		return "it has one power state";
	if (facts->known & SSDPM_FACT_PCIE && !(facts->pcie_enabled & ANY_ASPM))
		return "ASPM is off on its link";
	return NULL;
}

/* Linux allows it where nobody wrote 0; with S3 the firmware does not ask. */
static void say_d3cold(struct examination *e)
{
	struct ssdpm_diagnosis *d;

	if (e->machine->suspend != SSDPM_SUSPEND_S2IDLE ||
	    !(e->facts->known & SSDPM_FACT_D3COLD) ||
	    e->facts->flags & SSDPM_DEVICE_D3COLD_ALLOWED)
		return;
	d = ssdpm__found(e, SSDPM_DIAGNOSIS_D3COLD, SSDPM_SEVERITY_NOTE,
			 "D3cold is forbidden (d3cold_allowed is 0): suspend "
			 "(s2idle) shuts the drive down, but leaves it its "
			 "power");
	ssdpm__advise(d, SSDPM_REMEDY_ALLOW_D3COLD);
	ssdpm__advise_value(d, "1", "/sys/bus/pci/devices/%s/d3cold_allowed",
			    e->facts->address);
}

/*
 * What else may shut it down. A kernel that names its quirks names the wish of
 * acpi_storage_d3() among them. Linux forces that wish on AMD Zen:
 * force_storage_d3(). Until 5.14, nvme_suspend() shuts drives down that use
 * memory of the host.
 */
static const char *shutdown_exception(const struct examination *e)
{
	if (e->facts->known & SSDPM_FACT_QUIRKS)
		return "";
	if (!ssdpm__linux_is(e->machine, 5, 15))
		return ", unless it has a host memory buffer or the firmware "
		       "asks for a shutdown (StorageD3Enable)";
	return ", unless the firmware asks for a shutdown (StorageD3Enable) "
	       "or the processor is AMD Zen";
}

static void say_kept_on(struct examination *e, uint32_t quirks, size_t n_states)
{
	bool quirk = quirks & SSDPM_QUIRK_NO_DEEPEST_PS;
	struct ssdpm_diagnosis *d;
	char rule[40];

	d = ssdpm__found(
		e, SSDPM_DIAGNOSIS_SUSPEND, SSDPM_SEVERITY_NOTE,
		"suspend (s2idle) leaves it on in PS%zu%s%s", n_states - 1,
		quirk ? ", though quirk no-deepest-ps is against that state" :
			"",
		shutdown_exception(e));
	if (!quirk || !ssdpm__linux_is(e->machine, 7, 2))
		return;
	ssdpm__advise(d, SSDPM_REMEDY_SIMPLE_SUSPEND);
	snprintf(rule, sizeof(rule), "%04x:%04x:simple_suspend",
		 e->facts->pci_vendor_id, e->facts->pci_device_id);
	ssdpm__advise_value(d, rule, "nvme.quirks");
}

void ssdpm__diagnose_suspend(struct examination *e, uint32_t quirks)
{
	const char *reason;
	size_t n = 0;

	if (!has_pci_link(e->facts) || !e->machine->suspend)
		return;
	if (e->model)
		ssdpm_model_get_states(e->model, &n);
	reason = shutdown_reason(e, quirks, n);
	if (reason) {
		ssdpm__found(e, SSDPM_DIAGNOSIS_SUSPEND, SSDPM_SEVERITY_NOTE,
			     "suspend (%s) shuts it down: %s; APST is "
			     "programmed anew on resume",
			     ssdpm_suspend_to_string(e->machine->suspend),
			     reason);
		say_d3cold(e);
	} else if (n && e->facts->known & SSDPM_FACT_PCIE) {
		say_kept_on(e, quirks, n);
	}
}
