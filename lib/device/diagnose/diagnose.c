/* SPDX-License-Identifier: MIT */
/*
 * The verdict on a drive: whether it saves power, and if not, why. The verdict,
 * and what it rests on.
 */
#include "device/diagnose/diagnose.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(struct ssdpm_diagnosis) == 1044, "frozen");

static bool has_problem(const struct examination *e)
{
	for (size_t i = 1; i < e->n; i++)
		if (e->found[i].severity == SSDPM_SEVERITY_PROBLEM)
			return true;
	return false;
}

static void say_verdict(struct examination *e)
{
	struct ssdpm_diagnosis *verdict = e->found;
	const char *begin = "";

	if (verdict->code)
		return;
	if (e->saving == SAVING_UNKNOWN) {
		verdict->code = SSDPM_DIAGNOSIS_NOT_KNOWN;
		verdict->severity = SSDPM_SEVERITY_UNKNOWN;
		begin = "not known: ";
	} else if (e->saving == SAVING_NO) {
		verdict->code = SSDPM_DIAGNOSIS_SAVES_NOTHING;
		verdict->severity = SSDPM_SEVERITY_PROBLEM;
		begin = "saves nothing: ";
	} else if (has_problem(e)) {
		verdict->code = SSDPM_DIAGNOSIS_SAVES_LESS;
		verdict->severity = SSDPM_SEVERITY_PROBLEM;
		begin = "saves less than it could: ";
	} else {
		verdict->code = SSDPM_DIAGNOSIS_SAVES;
		verdict->severity = SSDPM_SEVERITY_GOOD;
		begin = "saves power: ";
	}
	snprintf(verdict->message, sizeof(verdict->message), "%s%s", begin,
		 e->how);
}

/* Why nothing can be done from here, and what could. */
static const struct {
	uint8_t severity;
	uint8_t remedy;
	char message[70];
} out_of_reach[] = {
	[SSDPM_REACH_SAS] = { SSDPM_SEVERITY_NOTE, SSDPM_REMEDY_MAINBOARD_PORT,
			      "behind a SAS adapter, whose driver offers no "
			      "link power management" },
	[SSDPM_REACH_USB] = { SSDPM_SEVERITY_NOTE, 0,
			      "behind a USB bridge, which hides the power "
			      "states of the drive" },
	[SSDPM_REACH_REMAPPED] = { SSDPM_SEVERITY_PROBLEM,
				   SSDPM_REMEDY_FIRMWARE_NO_RAID,
				   "an NVMe drive hidden behind the SATA "
				   "adapter by Intel RST" },
	[SSDPM_REACH_VMD] = { SSDPM_SEVERITY_PROBLEM, SSDPM_REMEDY_LOAD_VMD,
			      "behind Intel VMD, whose driver is not there" },
	[SSDPM_REACH_RAID] = { SSDPM_SEVERITY_NOTE, SSDPM_REMEDY_ADAPTER_TOOL,
			       "behind an adapter that shows disks of its own" },
	[SSDPM_REACH_NO_LPM] = { SSDPM_SEVERITY_NOTE,
				 SSDPM_REMEDY_FIRMWARE_NO_IDE,
				 "the driver of the SATA adapter has no link "
				 "power management" },
};

static void say_out_of_reach(struct examination *e)
{
	const uint32_t n = sizeof(out_of_reach) / sizeof(out_of_reach[0]);
	uint32_t reach = e->facts->reach;
	struct ssdpm_diagnosis *verdict = e->found;

	if (reach >= n || !out_of_reach[reach].severity)
		reach = SSDPM_REACH_RAID;
	verdict->code = SSDPM_DIAGNOSIS_OUT_OF_REACH;
	verdict->severity = out_of_reach[reach].severity;
	snprintf(verdict->message, sizeof(verdict->message), "out of reach: %s",
		 out_of_reach[reach].message);
	ssdpm__advise(verdict, out_of_reach[reach].remedy);
}

/* The PCI device; for SATA, the adapter. Said, and never advised. */
static void say_runtime_pm(struct examination *e)
{
	bool nvme = e->facts->kind == SSDPM_KIND_NVME;

	if (!(e->facts->known & SSDPM_FACT_RUNTIME_PM) ||
	    strcmp(e->facts->runtime_pm, "auto") != 0)
		return;
	ssdpm__found(e, SSDPM_DIAGNOSIS_RUNTIME_PM, SSDPM_SEVERITY_NOTE,
		     nvme ? "runtime PM is on (power/control is auto), which "
			    "changes nothing: the driver of NVMe has none" :
			    "runtime PM of the adapter is on (power/control is "
			    "auto): it has frozen machines, and LPM saves "
			    "without it; not touched here");
}

int ssdpm__warn_of_setting(const struct ssdpm_device *device,
			   const struct ssdpm_machine_facts *machine,
			   const struct ssdpm_model *model, uint32_t lpm,
			   char ret_warning[SSDPM__WARNING_BYTES],
			   struct ssdpm_error *reterr)
{
	struct ssdpm_device_facts facts = device->facts;
	struct examination e = {
		.device = device,
		.facts = &facts,
		.machine = machine,
		.model = model,
		.n = 1,
	};

	e.found = calloc(MAX_DIAGNOSES, sizeof(*e.found));
	if (!e.found)
		return ssdpm__no_memory(reterr);
	if (facts.kind == SSDPM_KIND_NVME) {
		ssdpm__diagnose_nvme(&e);
	} else {
		facts.lpm = lpm;
		facts.known |= SSDPM_FACT_LPM;
		ssdpm__diagnose_sata(&e);
	}
	free(e.found);
	memcpy(ret_warning, e.warning, SSDPM__WARNING_BYTES);
	return 0;
}

/* The first of this severity; 0, which is the verdict: there is none. */
static size_t find_severity(const struct examination *e, uint32_t severity)
{
	for (size_t i = 1; i < e->n; i++)
		if (e->found[i].severity == severity)
			return i;
	return 0;
}

static size_t find_code(const struct examination *e, uint32_t code)
{
	for (size_t i = 1; i < e->n; i++)
		if (e->found[i].code == code)
			return i;
	return 0;
}

/* The one to name first. No remedy helps a controller that is not live. */
static void mark_main(struct examination *e)
{
	size_t i = find_code(e, SSDPM_DIAGNOSIS_NOT_LIVE);

	if (e->found->severity == SSDPM_SEVERITY_GOOD)
		return;
	if (!i)
		i = find_severity(e, SSDPM_SEVERITY_PROBLEM);
	if (!i && e->found->code == SSDPM_DIAGNOSIS_SAVES_NOTHING)
		i = e->cause;
	if (!i)
		i = find_severity(e, SSDPM_SEVERITY_UNKNOWN);
	e->found[i].is_main = 1;
}

int ssdpm_device_diagnose(const struct ssdpm_device *device,
			  const struct ssdpm_diagnosis_params *params,
			  struct ssdpm_diagnosis **ret_diagnoses, size_t *ret_n,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_diagnosis_params with = { 0 };
	struct ssdpm_machine_facts known;
	struct examination e = {
		.device = device,
		.facts = &device->facts,
		.machine = &known,
		.n = 1,
	};
	int err = ssdpm__sized_in(&with, sizeof(with), params,
				  "ssdpm_diagnosis_params", reterr);

	if (!err && !with.facts)
		err = ssdpm__missing("facts", reterr);
	if (!err)
		err = ssdpm__facts_in(with.facts, &known, reterr);
	if (err)
		return err;
	e.model = with.model;
	e.table = with.table;
	e.found = calloc(MAX_DIAGNOSES, sizeof(*e.found));
	if (!e.found)
		return ssdpm__no_memory(reterr);
	if (e.facts->reach != SSDPM_REACH_YES)
		say_out_of_reach(&e);
	else if (e.facts->kind == SSDPM_KIND_NVME)
		ssdpm__diagnose_nvme(&e);
	else
		ssdpm__diagnose_sata(&e);
	if (e.facts->reach == SSDPM_REACH_YES)
		say_runtime_pm(&e);
	say_verdict(&e);
	mark_main(&e);
	*ret_diagnoses = e.found;
	*ret_n = e.n;
	return 0;
}
