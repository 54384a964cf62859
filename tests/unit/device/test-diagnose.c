/* SPDX-License-Identifier: MIT */
/* Each possible diagnosis, word for word. */
#include "fixture.h"

#include "device/diagnose/diagnose.h"

#include "text/remedy.h"

#include <stdio.h>
#include <stdlib.h>

/* A device on a machine: the test's changes and the diagnoses. */
struct scene {
	struct ssdpm_device device;
	struct ssdpm_device_facts *facts; /* of device */
	struct ssdpm_machine_facts machine;
	struct ssdpm_model *model;
	const struct ssdpm_apst *table;
	struct ssdpm_diagnosis *found;
	size_t n;
	struct remedy_text words;
};

/* Those of the SN530: exit 11 ms and 39 ms. */
static const struct latencies sn530[] = {
	{ 0, 0, 0 },	    { 0, 0, 0 },	{ 0, 0, 0 },
	{ 1, 3900, 11000 }, { 1, 5000, 39000 },
};

/* The defaults of Linux, by enum ssdpm_nvme_core. */
static const uint64_t defaults[] = { 0, 100000, 100, 15000, 2000, 100000, 0 };

static void init_machine(struct ssdpm_machine_facts *machine)
{
	memset(machine, 0, sizeof(*machine));
	machine->size = sizeof(*machine);
	machine->suspend = SSDPM_SUSPEND_DEEP;
	machine->aspm_policy = SSDPM_ASPM_DEFAULT;
	machine->nvme_core_known = 0x7e;
	memcpy(machine->nvme_core, defaults, sizeof(defaults));
	strcpy(machine->linux_release, "7.3.4");
	machine->mobile_lpm_policy = -1;
}

static void init(struct scene *scene)
{
	memset(scene, 0, sizeof(*scene));
	scene->facts = &scene->device.facts;
	scene->facts->size = sizeof(*scene->facts);
	scene->facts->reach = SSDPM_REACH_YES;
	init_machine(&scene->machine);
}

/* An NVMe drive without any problem. */
static void init_nvme(struct scene *scene)
{
	struct ssdpm_device_facts *facts;

	init(scene);
	facts = scene->facts;
	facts->kind = SSDPM_KIND_NVME;
	strcpy(facts->name, "nvme0");
	strcpy(facts->state, "live");
	strcpy(facts->transport, "pcie");
	strcpy(facts->address, "0000:02:00.0");
	facts->pci_vendor_id = 0x15b7;
	facts->pci_device_id = 0x5008;
	facts->known = SSDPM_FACT_QUIRKS | SSDPM_FACT_LATENCY_TOLERANCE |
		       SSDPM_FACT_PCIE | SSDPM_FACT_RESET_COUNT;
	facts->pcie_capable = facts->pcie_enabled =
		SSDPM_PCIE_FEATURE_L1 | SSDPM_PCIE_FEATURE_L1_2;
	facts->latency_tolerance_us = 100000;
	scene->model = fixture_model(sn530, 5);
}

/* A SATA disk without any problem. */
static void init_sata(struct scene *scene, uint16_t word76, uint16_t word78)
{
	struct ssdpm_device_facts *facts;
	uint16_t words[256];
	uint8_t bytes[512];
	struct ssdpm_model **models;
	size_t n;

	init(scene);
	facts = scene->facts;
	facts->kind = SSDPM_KIND_SATA;
	strcpy(facts->name, "sda");
	strcpy(facts->state, "running");
	strcpy(facts->driver, "ahci");
	strcpy(facts->address, "0000:00:17.0");
	facts->host = 2;
	facts->ata_port = 3;
	facts->port = 2;
	facts->known = SSDPM_FACT_LPM | SSDPM_FACT_LPM_SUPPORTED |
		       SSDPM_FACT_AHCI_PORT_CMD | SSDPM_FACT_AHCI_HOST_CAPS |
		       SSDPM_FACT_AHCI_HOST_CAP2 | SSDPM_FACT_PORT;
	facts->lpm = SSDPM_LPM_MED_POWER_WITH_DIPM;
	facts->lpm_supported = 1;
	facts->ahci_host_caps = 0xc734ff02;
	facts->ahci_host_cap2 = 0x3c;
	facts->ahci_port_cmd = 0x0400c017;
	facts->n_devices = 1;
	facts->devices_without_hipm = !(word76 & 1 << 9);
	fixture_ata_words(words);
	words[76] = word76;
	words[78] = word78;
	fixture_ata_bytes(words, bytes);
	assert_int_equal(ssdpm_model_list_from_data(bytes, sizeof(bytes),
						    &models, &n, NULL),
			 0);
	assert_int_equal(n, 1);
	scene->model = ssdpm_model_ref(models[0]);
	ssdpm_model_list_free(models, n);
}

enum { HIPM = 0x030e, NO_HIPM = 0x010e, DIPM = 0x0008, NO_DIPM = 0 };

/* In the command's words, which include the whole remedy. */
static const char *advice(struct scene *scene, const struct ssdpm_diagnosis *d)
{
	scene->words = remedy_text(scene->facts, d);
	return scene->words.text;
}

/* How often the main diagnosis had which severity, or was the verdict. */
static size_t n_main[SSDPM_SEVERITY_UNKNOWN + 1], n_main_verdicts;
static size_t n_without_main;

/* Why a drive saves nothing, where it is a note. */
static bool is_cause(const struct ssdpm_diagnosis *d)
{
	return d->code == SSDPM_DIAGNOSIS_TABLE_DIFFERS ||
	       (d->code == SSDPM_DIAGNOSIS_QUIRK &&
		!strncmp(d->message, "quirk no-", 9));
}

/*
 * A controller that is not live; else the first problem. Without one, it is the
 * cause of a drive that saves nothing, the first thing to know, or the verdict.
 */
static void check_main(const struct ssdpm_diagnosis *found, size_t n)
{
	const struct ssdpm_diagnosis *expected = NULL;

	for (size_t i = 1; i < n && !expected; i++)
		if (found[i].code == SSDPM_DIAGNOSIS_NOT_LIVE)
			expected = &found[i];
	for (size_t i = 1; i < n && !expected; i++)
		if (found[i].severity == SSDPM_SEVERITY_PROBLEM)
			expected = &found[i];
	if (!expected && found->code == SSDPM_DIAGNOSIS_SAVES_NOTHING)
		for (size_t i = 1; i < n && !expected; i++)
			if (is_cause(&found[i]))
				expected = &found[i];
	for (size_t i = 1; i < n && !expected; i++)
		if (found[i].severity == SSDPM_SEVERITY_UNKNOWN)
			expected = &found[i];
	if (!expected)
		expected = found;
	if (found->severity == SSDPM_SEVERITY_GOOD)
		expected = NULL;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(found[i].is_main, &found[i] == expected);
	if (!expected)
		n_without_main++;
	else if (expected == found)
		n_main_verdicts++;
	else
		n_main[expected->severity]++;
}

static void diagnose(struct scene *scene)
{
	const struct ssdpm_diagnosis_params params = {
		.size = sizeof(params),
		.facts = &scene->machine,
		.model = scene->model,
		.table = scene->table,
	};

	free(scene->found);
	assert_int_equal(ssdpm_device_diagnose(&scene->device, &params,
					       &scene->found, &scene->n, NULL),
			 0);
	assert_true(scene->n >= 1);
	check_main(scene->found, scene->n);
	/* Nothing is cut off. */
	for (size_t i = 0; i < scene->n; i++) {
		assert_in_range(strlen(scene->found[i].message), 1, 246);
		assert_in_range(strlen(advice(scene, &scene->found[i])), 0,
				sizeof(scene->words.text) - 2);
		assert_int_equal(
			ssdpm_remedy_to_string(scene->found[i].remedy) != NULL,
			scene->found[i].remedy != 0);
	}
}

static const struct ssdpm_diagnosis *find(const struct scene *scene,
					  uint32_t code)
{
	for (size_t i = 0; i < scene->n; i++)
		if (scene->found[i].code == code)
			return &scene->found[i];
	return NULL;
}

static void assert_found(struct scene *scene, uint32_t code, uint32_t severity,
			 const char *message, const char *words)
{
	const struct ssdpm_diagnosis *d = find(scene, code);

	if (!d)
		fail_msg("%u is not there, after: %s", code,
			 scene->found[0].message);
	assert_string_equal(d->message, message);
	assert_string_equal(advice(scene, d), words);
	assert_int_equal(d->severity, severity);
}

static void assert_verdict(struct scene *scene, uint32_t code,
			   const char *message)
{
	assert_int_equal(scene->found[0].code, code);
	assert_string_equal(scene->found[0].message, message);
}

static void done(struct scene *scene)
{
	free(scene->found);
	ssdpm_model_unref(scene->model);
}

#define SET_LIMIT "ssdpm apply --latency 100ms nvme0, or echo 100000 > "
#define LIMIT_FILE "/sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
#define POLICY_FILE "/sys/class/scsi_host/host2/link_power_management_policy"

static void a_drive_that_sleeps_saves_power(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES,
		       "saves power: sleeps in PS4 after 2.1 s idle, by the "
		       "table that this kernel builds");
	assert_int_equal(scene.found[0].severity, SSDPM_SEVERITY_GOOD);
	done(&scene);
}

static void a_table_that_was_read_is_not_called_built(void **state)
{
	struct ssdpm_apst table;
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	assert_int_equal(ssdpm_apst_generate(scene.model, NULL, &table, NULL),
			 0);
	scene.table = &table;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES,
		       "saves power: sleeps in PS4 after 2.1 s idle");
	assert_null(find(&scene, SSDPM_DIAGNOSIS_TABLE_DIFFERS));
	done(&scene);
}

static void a_state_that_is_too_slow_saves_less(void **state)
{
	static const struct latencies slow[] = {
		{ 0, 0, 0 },
		{ 1, 4000, 10000 },
		{ 1, 8000, 105000 },
	};
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	ssdpm_model_unref(scene.model);
	scene.model = fixture_model(slow, 3);
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES_LESS,
		       "saves less than it could: sleeps in PS1 after 100 ms "
		       "idle, by the table that this kernel builds");
	assert_found(
		&scene, SSDPM_DIAGNOSIS_STATE_NOT_USED, SSDPM_SEVERITY_PROBLEM,
		"PS2 never: entry+exit 113 ms > 100 ms in "
		"nvme_core.apst_secondary_latency_tol_us",
		"if a wait of 105 ms does no harm: boot with "
		"nvme_core.apst_secondary_latency_tol_us=113000 (all drives), "
		"and echo 105000 > " LIMIT_FILE);
	done(&scene);
}

static void a_state_above_the_limit_names_the_limit_that_lets_it_in(
	void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.facts->latency_tolerance_us = 25000;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_STATE_NOT_USED,
		     SSDPM_SEVERITY_PROBLEM,
		     "PS4 not used: exit 39 ms > limit 25 ms in "
		     "pm_qos_latency_tolerance_us",
		     SET_LIMIT LIMIT_FILE);
	done(&scene);
}

static void a_state_that_is_not_the_deepest_is_worth_a_note(void **state)
{
	static const struct latencies odd[] = {
		{ 0, 0, 0 },
		{ 1, 1000, 200000 },
		{ 1, 1000, 2000 },
	};
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	ssdpm_model_unref(scene.model);
	scene.model = fixture_model(odd, 3);
	diagnose(&scene);
	assert_int_equal(scene.found[0].code, SSDPM_DIAGNOSIS_SAVES);
	assert_int_equal(find(&scene, SSDPM_DIAGNOSIS_STATE_NOT_USED)->severity,
			 SSDPM_SEVERITY_NOTE);
	done(&scene);
}

static void apst_may_be_enabled_and_empty(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.facts->latency_tolerance_us = 1000;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES_NOTHING,
		       "saves nothing: APST is on, but its table is empty");
	assert_found(&scene, SSDPM_DIAGNOSIS_APST_EMPTY, SSDPM_SEVERITY_PROBLEM,
		     "APST enabled but empty: both states exit slower than the "
		     "limit of 1 ms",
		     "");
	done(&scene);
}

static void a_limit_from_a_parameter_comes_back_at_the_next_boot(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.facts->latency_tolerance_us = 1000;
	scene.machine.nvme_core[SSDPM_NVME_CORE_DEFAULT_PS_MAX_LATENCY_US] =
		1000;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_STATE_NOT_USED,
		     SSDPM_SEVERITY_PROBLEM,
		     "PS3 not used: exit 11 ms > limit 1 ms in "
		     "pm_qos_latency_tolerance_us",
		     SET_LIMIT LIMIT_FILE
		     ", and remove nvme_core.default_ps_max_latency_us=1000 "
		     "from the kernel command line or /etc/modprobe.d");
	/* A limit above that of Linux is not removed. */
	scene.facts->latency_tolerance_us = 38000;
	diagnose(&scene);
	assert_string_equal(
		advice(&scene, find(&scene, SSDPM_DIAGNOSIS_STATE_NOT_USED)),
		SET_LIMIT LIMIT_FILE);
	done(&scene);
}

static void a_second_band_may_be_switched_off(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.machine.nvme_core[SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS] = 0;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_STATE_NOT_USED,
		     SSDPM_SEVERITY_PROBLEM,
		     "PS4 never: entry+exit 44 ms > 15 ms in "
		     "nvme_core.apst_primary_latency_tol_us, and "
		     "nvme_core.apst_secondary_timeout_ms is 0",
		     "if a wait of 39 ms does no harm: boot with "
		     "nvme_core.apst_secondary_timeout_ms=2000 (all drives)");
	scene.machine.nvme_core[SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US] =
		20000;
	diagnose(&scene);
	assert_string_equal(
		advice(&scene, find(&scene, SSDPM_DIAGNOSIS_STATE_NOT_USED)),
		"if a wait of 39 ms does no harm: boot with "
		"nvme_core.apst_secondary_timeout_ms=2000 "
		"nvme_core.apst_secondary_latency_tol_us=44000 "
		"(all drives)");
	done(&scene);
}

static void an_old_kernel_makes_nothing_of_unknown_latencies(void **state)
{
	static const struct latencies unknown[] = { { 0, 0, 0 }, { 1, 0, 0 } };
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	ssdpm_model_unref(scene.model);
	scene.model = fixture_model(unknown, 2);
	scene.machine.nvme_core_known =
		1u << SSDPM_NVME_CORE_DEFAULT_PS_MAX_LATENCY_US |
		1u << SSDPM_NVME_CORE_FORCE_APST;
	diagnose(&scene);
	assert_int_equal(scene.found[0].code, SSDPM_DIAGNOSIS_SAVES_NOTHING);
	assert_found(&scene, SSDPM_DIAGNOSIS_STATE_NOT_USED,
		     SSDPM_SEVERITY_PROBLEM,
		     "PS1 never: entry+exit 0: idle time 0 disables the "
		     "transition",
		     "");
	done(&scene);
}

static void a_quirk_that_is_forced_away_is_named(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.facts->pci_vendor_id = 0x2646;
	scene.facts->pci_device_id = 0x2263;
	diagnose(&scene);
	assert_null(find(&scene, SSDPM_DIAGNOSIS_FORCED));
	scene.machine.nvme_core[SSDPM_NVME_CORE_FORCE_APST] = 1;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_FORCED, SSDPM_SEVERITY_NOTE,
		     "quirk no-deepest-ps is not in force, for "
		     "nvme_core.force_apst is set: this drive has a known "
		     "fault",
		     "remove nvme_core.force_apst from the kernel command "
		     "line or /etc/modprobe.d");
	/* It is read when a drive is found; this drive was found before. */
	scene.facts->kernel_quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	diagnose(&scene);
	assert_null(find(&scene, SSDPM_DIAGNOSIS_FORCED));
	done(&scene);
}

static void a_limit_of_0_switches_apst_off(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.facts->latency_tolerance_us = 0;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES_NOTHING,
		       "saves nothing: APST is switched off by a latency "
		       "tolerance of 0");
	assert_found(&scene, SSDPM_DIAGNOSIS_APST_OFF, SSDPM_SEVERITY_PROBLEM,
		     "APST is off: pm_qos_latency_tolerance_us is 0",
		     SET_LIMIT LIMIT_FILE);
	scene.machine.nvme_core[SSDPM_NVME_CORE_DEFAULT_PS_MAX_LATENCY_US] = 0;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_APST_OFF, SSDPM_SEVERITY_PROBLEM,
		     "APST is off: pm_qos_latency_tolerance_us is 0, as "
		     "nvme_core.default_ps_max_latency_us is",
		     SET_LIMIT LIMIT_FILE
		     ", and remove nvme_core.default_ps_max_latency_us=0 from "
		     "the kernel command line or /etc/modprobe.d");
	done(&scene);
}

static void without_the_file_there_is_no_apst(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.facts->known &= ~SSDPM_FACT_LATENCY_TOLERANCE;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES_NOTHING,
		       "saves nothing: the drive does not sleep by itself, as "
		       "Linux has no APST for it");
	assert_found(&scene, SSDPM_DIAGNOSIS_NO_APST, SSDPM_SEVERITY_PROBLEM,
		     "no APST: the drive has it (APSTA 1), but there is no "
		     "pm_qos_latency_tolerance_us: a quirk of Linux is "
		     "against it",
		     "");
	scene.model = ssdpm_model_unref(scene.model);
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_NO_APST, SSDPM_SEVERITY_PROBLEM,
		     "no APST: there is no pm_qos_latency_tolerance_us, so the "
		     "drive does not have it, or a quirk is against it",
		     "");
	done(&scene);
}

static void quirks_are_named_with_their_source(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.facts->kernel_quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	diagnose(&scene);
	assert_int_equal(scene.found[0].code, SSDPM_DIAGNOSIS_SAVES);
	assert_found(&scene, SSDPM_DIAGNOSIS_QUIRK, SSDPM_SEVERITY_NOTE,
		     "quirk no-deepest-ps, says this kernel: Linux does not "
		     "use the last state, for this drive has a known fault",
		     "");
	scene.facts->kernel_quirks = SSDPM_QUIRK_NO_APST;
	scene.facts->known &= ~SSDPM_FACT_LATENCY_TOLERANCE;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES_NOTHING,
		       "saves nothing: quirk no-apst keeps it in operational "
		       "states");
	assert_found(&scene, SSDPM_DIAGNOSIS_QUIRK, SSDPM_SEVERITY_NOTE,
		     "quirk no-apst, says this kernel: Linux switches APST "
		     "off, for this drive has a known fault",
		     "leave it so: nvme_core.force_apst=1 would take it away "
		     "from all drives");
	assert_null(find(&scene, SSDPM_DIAGNOSIS_NO_APST));
	done(&scene);
}

#define REBUILD                                                         \
	"a parameter has changed since or a program has sent a table; " \
	"to have Linux build its own: echo 0 > " LIMIT_FILE             \
	", echo 100000 > " LIMIT_FILE

/* Only where Linux would build another one. */
static void an_empty_table_is_built_anew(void **state)
{
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.table = &table;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_APST_EMPTY, SSDPM_SEVERITY_PROBLEM,
		     "APST enabled but empty: none of the 2 states to sleep in "
		     "is used",
		     REBUILD);
	scene.facts->latency_tolerance_us = 1000;
	diagnose(&scene);
	assert_string_equal(
		advice(&scene, find(&scene, SSDPM_DIAGNOSIS_APST_EMPTY)), "");
	done(&scene);
}

/* Linux builds none if the limit does not change. */
static void a_table_at_a_limit_of_0_takes_another_limit(void **state)
{
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	table.entries[0] = (struct ssdpm_apst_entry){ 100, 3 };
	scene.table = &table;
	scene.facts->latency_tolerance_us = 0;
	diagnose(&scene);
	assert_non_null(strstr(
		advice(&scene, find(&scene, SSDPM_DIAGNOSIS_TABLE_DIFFERS)),
		"echo 1 > " LIMIT_FILE ", echo 0 > " LIMIT_FILE));
	done(&scene);
}

/* It keeps the drive awake. */
static void a_table_that_is_switched_off_is_a_problem(void **state)
{
	struct ssdpm_apst table = { .sent = 1 };
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.table = &table;
	diagnose(&scene);
	assert_int_equal(find(&scene, SSDPM_DIAGNOSIS_TABLE_DIFFERS)->severity,
			 SSDPM_SEVERITY_PROBLEM);
	done(&scene);
}

static void a_table_that_another_made_differs(void **state)
{
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	for (int i = 0; i < 3; i++)
		table.entries[i] = (struct ssdpm_apst_entry){ 60000, 3 };
	scene.table = &table;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_TABLE_DIFFERS, SSDPM_SEVERITY_NOTE,
		     "the table in force is not what this kernel builds now: "
		     "from PS0 to PS3 after 60 s, not to PS3 after 100 ms",
		     REBUILD);
	assert_found(
		&scene, SSDPM_DIAGNOSIS_STATE_NOT_USED, SSDPM_SEVERITY_PROBLEM,
		"PS4 not used: no entry of the table in force leads to it", "");
	assert_int_equal(scene.found[0].code, SSDPM_DIAGNOSIS_SAVES_LESS);
	memset(&table, 0, sizeof(table));
	table.sent = 1;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES_NOTHING,
		       "saves nothing: APST is switched off");
	done(&scene);
}

static void a_drive_may_have_no_state_to_sleep_in(void **state)
{
	static const struct latencies awake[] = { { 0, 0, 0 }, { 0, 0, 0 } };
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	ssdpm_model_unref(scene.model);
	scene.model = fixture_model(awake, 2);
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES_NOTHING,
		       "saves nothing: no state to sleep in");
	assert_found(&scene, SSDPM_DIAGNOSIS_NO_NON_OPERATIONAL,
		     SSDPM_SEVERITY_NOTE,
		     "all 2 power states are operational: there is none that "
		     "APST could enter",
		     "");
	done(&scene);
}

static void without_power_states_the_verdict_is_not_known(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.model = ssdpm_model_unref(scene.model);
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_NOT_KNOWN,
		       "not known: the power states of this drive are not "
		       "known");
	assert_string_equal(advice(&scene, scene.found),
			    "run ssdpm show --identify as root");
	assert_int_equal(scene.found[0].severity, SSDPM_SEVERITY_UNKNOWN);
	done(&scene);
}

static void a_controller_that_is_not_live_is_not_judged(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	strcpy(scene.facts->state, "resetting");
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_NOT_KNOWN,
		       "not known: the controller is resetting");
	assert_found(&scene, SSDPM_DIAGNOSIS_NOT_LIVE, SSDPM_SEVERITY_UNKNOWN,
		     "the controller is resetting, not live: a new limit waits "
		     "for its next reset",
		     "");
	done(&scene);
}

static void that_a_controller_is_not_live_comes_before_its_link(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	strcpy(scene.facts->state, "dead");
	scene.facts->pcie_enabled = SSDPM_PCIE_FEATURE_L1;
	diagnose(&scene);
	for (size_t i = 0; i < scene.n; i++)
		assert_int_equal(scene.found[i].is_main,
				 scene.found[i].code ==
					 SSDPM_DIAGNOSIS_NOT_LIVE);
	done(&scene);
}

static void a_link_without_l1_2_costs_the_milliwatts(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.facts->pcie_enabled = SSDPM_PCIE_FEATURE_L1;
	diagnose(&scene);
	assert_int_equal(scene.found[0].code, SSDPM_DIAGNOSIS_SAVES_LESS);
	assert_found(
		&scene, SSDPM_DIAGNOSIS_LINK_NO_L1_2, SSDPM_SEVERITY_PROBLEM,
		"link L1.2 off",
		"ssdpm apply --aspm-policy powersupersave, for all devices, "
		"or switch ASPM on in the firmware setup");
	assert_found(&scene, SSDPM_DIAGNOSIS_ASPM_POLICY, SSDPM_SEVERITY_NOTE,
		     "the ASPM policy is default, which leaves L1.2 as the "
		     "firmware set it",
		     "");
	scene.machine.aspm_policy = SSDPM_ASPM_POWERSUPERSAVE;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_LINK_NO_L1_2,
		     SSDPM_SEVERITY_PROBLEM, "link L1.2 off",
		     "ssdpm apply --link l1_2_aspm=on nvme0, which reads it "
		     "again: a write that does nothing succeeds too");
	assert_null(find(&scene, SSDPM_DIAGNOSIS_ASPM_POLICY));
	scene.facts->pcie_capable = SSDPM_PCIE_FEATURE_L1;
	diagnose(&scene);
	assert_int_equal(find(&scene, SSDPM_DIAGNOSIS_LINK_NO_L1_2)->severity,
			 SSDPM_SEVERITY_NOTE);
	done(&scene);
}

static void a_link_without_aspm_is_named_with_the_policy(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.facts->pcie_enabled = 0;
	scene.machine.aspm_policy = SSDPM_ASPM_PERFORMANCE;
	diagnose(&scene);
	assert_found(
		&scene, SSDPM_DIAGNOSIS_LINK_NO_ASPM, SSDPM_SEVERITY_PROBLEM,
		"link L1 off",
		"ssdpm apply --aspm-policy powersupersave, for all devices");
	assert_found(&scene, SSDPM_DIAGNOSIS_ASPM_POLICY, SSDPM_SEVERITY_NOTE,
		     "the ASPM policy is performance, which keeps L1 off", "");
	scene.facts->known &= ~SSDPM_FACT_PCIE;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_LINK_NO_ASPM,
		     SSDPM_SEVERITY_UNKNOWN,
		     "Linux does not manage the link of 0000:02:00.0: no "
		     "folder link/ in sysfs (pcie_aspm=off, the firmware keeps "
		     "it, or the drive is on no PCIe port)",
		     "if pcie_aspm=off is on the kernel command line: boot "
		     "without it; lspci -vv as root says what the link has on "
		     "now");
	scene.facts->flags = SSDPM_DEVICE_FABRICS;
	diagnose(&scene);
	assert_null(find(&scene, SSDPM_DIAGNOSIS_LINK_NO_ASPM));
	done(&scene);
}

static void a_policy_that_has_l1_on_is_not_what_keeps_it_off(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.facts->pcie_enabled = 0;
	scene.machine.aspm_policy = SSDPM_ASPM_POWERSAVE;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_LINK_NO_ASPM,
		     SSDPM_SEVERITY_PROBLEM, "link L1 off",
		     "ssdpm apply --link l1_aspm=on nvme0, which reads it "
		     "again: a write that does nothing succeeds too");
	assert_null(find(&scene, SSDPM_DIAGNOSIS_ASPM_POLICY));
	scene.facts->pcie_enabled = SSDPM_PCIE_FEATURE_L1;
	diagnose(&scene);
	assert_string_equal(find(&scene, SSDPM_DIAGNOSIS_ASPM_POLICY)->message,
			    "the ASPM policy is powersave, which has L0s and "
			    "L1 on, but not L1.2");
	done(&scene);
}

static void a_link_may_have_no_l1_at_all(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.facts->pcie_capable = scene.facts->pcie_enabled = 0;
	diagnose(&scene);
	assert_int_equal(scene.found[0].code, SSDPM_DIAGNOSIS_SAVES);
	assert_found(&scene, SSDPM_DIAGNOSIS_LINK_NO_ASPM, SSDPM_SEVERITY_NOTE,
		     "the link has no L1: the drive, or the port it is in, "
		     "does not offer it",
		     "");
	done(&scene);
}

static void a_forbidden_d3cold_counts_where_suspend_is_s2idle(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.facts->known |= SSDPM_FACT_D3COLD;
	scene.facts->kernel_quirks = SSDPM_QUIRK_SIMPLE_SUSPEND;
	diagnose(&scene);
	assert_null(find(&scene, SSDPM_DIAGNOSIS_D3COLD));
	scene.machine.suspend = SSDPM_SUSPEND_S2IDLE;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_D3COLD, SSDPM_SEVERITY_NOTE,
		     "D3cold is forbidden (d3cold_allowed is 0): suspend "
		     "(s2idle) shuts the drive down, but leaves it its power",
		     "ssdpm apply --d3cold on nvme0; find out who wrote 0, "
		     "which is not what Linux starts with");
	scene.facts->flags |= SSDPM_DEVICE_D3COLD_ALLOWED;
	diagnose(&scene);
	assert_null(find(&scene, SSDPM_DIAGNOSIS_D3COLD));
	done(&scene);
}

static void suspend_takes_one_of_two_paths(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_SUSPEND, SSDPM_SEVERITY_NOTE,
		     "suspend (deep) shuts it down: the firmware takes the "
		     "power; APST is programmed anew on resume",
		     "");
	scene.machine.suspend = SSDPM_SUSPEND_S2IDLE;
	scene.facts->kernel_quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_SUSPEND, SSDPM_SEVERITY_NOTE,
		     "suspend (s2idle) leaves it on in PS4, though quirk "
		     "no-deepest-ps is against that state",
		     "if it does not wake: boot with "
		     "nvme.quirks=15b7:5008:simple_suspend");
	scene.facts->kernel_quirks = SSDPM_QUIRK_SIMPLE_SUSPEND;
	diagnose(&scene);
	assert_string_equal(find(&scene, SSDPM_DIAGNOSIS_SUSPEND)->message,
			    "suspend (s2idle) shuts it down: quirk "
			    "simple-suspend; APST is programmed anew on "
			    "resume");
	/* ACPI may ask for it, for every drive. */
	assert_string_equal(find(&scene, SSDPM_DIAGNOSIS_QUIRK)->message,
			    "quirk simple-suspend, says this kernel: suspend "
			    "shuts the drive down, for the platform asks for "
			    "it (StorageD3Enable or AMD Zen), or this drive "
			    "has a known fault");
	/* A kernel that does not name its quirks does not name this either. */
	scene.facts->known &= ~SSDPM_FACT_QUIRKS;
	diagnose(&scene);
	assert_string_equal(find(&scene, SSDPM_DIAGNOSIS_SUSPEND)->message,
			    "suspend (s2idle) leaves it on in PS4, unless the "
			    "firmware asks for a shutdown (StorageD3Enable) "
			    "or the processor is AMD Zen");
	/* Old kernels do not take the memory back before a suspend. */
	strcpy(scene.machine.linux_release, "5.14.21");
	diagnose(&scene);
	assert_string_equal(find(&scene, SSDPM_DIAGNOSIS_SUSPEND)->message,
			    "suspend (s2idle) leaves it on in PS4, unless it "
			    "has a host memory buffer or the firmware asks for "
			    "a shutdown (StorageD3Enable)");
	strcpy(scene.machine.linux_release, "7.3.4");
	scene.facts->known |= SSDPM_FACT_QUIRKS;
	scene.facts->kernel_quirks = 0;
	scene.facts->pcie_enabled = 0;
	diagnose(&scene);
	assert_string_equal(find(&scene, SSDPM_DIAGNOSIS_SUSPEND)->message,
			    "suspend (s2idle) shuts it down: ASPM is off on "
			    "its link; APST is programmed anew on resume");
	done(&scene);
}

static void resets_come_with_the_limit_that_tells_their_cause(void **state)
{
	struct scene scene;

	(void)state;
	init_nvme(&scene);
	scene.facts->reset_count = 3;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_RESETS, SSDPM_SEVERITY_NOTE,
		     "3 resets since it was found: a drive that fails to wake "
		     "is reset, but so is one with other faults, or one that "
		     "comes back from a suspend",
		     "if resets go on without PS4, it is not the cause; to "
		     "leave it out: echo 38999 > " LIMIT_FILE);
	scene.facts->reset_count = 1;
	diagnose(&scene);
	assert_non_null(strstr(find(&scene, SSDPM_DIAGNOSIS_RESETS)->message,
			       "1 reset since"));
	done(&scene);
}

static void each_obstacle_on_the_way_has_its_words(void **state)
{
	struct scene scene;

	(void)state;
	for (uint32_t reach = SSDPM_REACH_SAS; reach <= SSDPM_REACH_NO_LPM;
	     reach++) {
		init(&scene);
		scene.facts->reach = reach;
		diagnose(&scene);
		assert_int_equal(scene.n, 1);
		assert_int_equal(scene.found[0].code,
				 SSDPM_DIAGNOSIS_OUT_OF_REACH);
		assert_ptr_equal(
			strstr(scene.found[0].message, "out of reach: "),
			scene.found[0].message);
		done(&scene);
	}
	init(&scene);
	scene.facts->reach = SSDPM_REACH_REMAPPED;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_OUT_OF_REACH,
		     SSDPM_SEVERITY_PROBLEM,
		     "out of reach: an NVMe drive hidden behind the SATA "
		     "adapter by Intel RST",
		     "set the storage mode to AHCI instead of RST or RAID in "
		     "the firmware setup");
	done(&scene);
}

static void host_and_drive_put_the_link_to_sleep(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES,
		       "saves power: med_power_with_dipm; host and drive put "
		       "the link to sleep");
	assert_int_equal(scene.n, 1);
	done(&scene);
}

static void most_drives_do_it_alone(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, NO_HIPM, DIPM);
	scene.facts->ahci_port_cmd = 0xc017;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES,
		       "saves power: med_power_with_dipm; the drive puts the "
		       "link to sleep");
	assert_found(&scene, SSDPM_DIAGNOSIS_NO_HIPM, SSDPM_SEVERITY_NOTE,
		     "the host does not ask (HIPM): the drive takes no "
		     "requests (word 76 bit 9); ALPE and ASP stay clear",
		     "");
	assert_null(find(&scene, SSDPM_DIAGNOSIS_HOST_BITS));
	scene.facts->ahci_host_caps &= ~(1u << 26);
	diagnose(&scene);
	assert_string_equal(find(&scene, SSDPM_DIAGNOSIS_NO_HIPM)->message,
			    "the host does not ask (HIPM): the adapter cannot "
			    "(CAP.SALP); ALPE and ASP stay clear");
	done(&scene);
}

static void a_link_that_nobody_puts_to_sleep_saves_nothing(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, NO_HIPM, NO_DIPM);
	/* min_power alone has a remedy, because it may lose data. */
	for (uint32_t lpm = SSDPM_LPM_MAX_PERFORMANCE; ssdpm_lpm_to_string(lpm);
	     lpm++) {
		scene.facts->lpm = lpm;
		diagnose(&scene);
		assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES_NOTHING,
			       "saves nothing: neither host nor drive can put "
			       "the link to sleep");
		assert_found(&scene, SSDPM_DIAGNOSIS_NO_DIPM,
			     SSDPM_SEVERITY_PROBLEM,
			     "the drive does not ask either (DIPM): it cannot "
			     "(word 78 bit 3)",
			     "");
		for (size_t i = 0; i < scene.n; i++)
			assert_true(lpm == SSDPM_LPM_MIN_POWER ||
				    !scene.found[i].remedy);
	}
	scene.facts->lpm = SSDPM_LPM_MED_POWER_WITH_DIPM;
	diagnose(&scene);
	scene.facts->ahci_host_caps &= ~(1u << 14);
	diagnose(&scene);
	assert_string_equal(find(&scene, SSDPM_DIAGNOSIS_NO_DIPM)->message,
			    "the drive does not ask either (DIPM): the adapter "
			    "has not both partial and slumber (CAP.PSC, "
			    "CAP.SSC)");
	scene.facts->ahci_host_caps |= 1u << 14;
	scene.model = ssdpm_model_unref(scene.model);
	diagnose(&scene);
	assert_int_equal(scene.found[0].code, SSDPM_DIAGNOSIS_NOT_KNOWN);
	done(&scene);
}

static void without_registers_only_linux_can_vouch_for_a_policy(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	strcpy(scene.facts->driver, "ata_piix");
	scene.facts->known = SSDPM_FACT_LPM | SSDPM_FACT_LPM_SUPPORTED;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES,
		       "saves power: med_power_with_dipm; the drive puts the "
		       "link to sleep");
	/* An old kernel accepts any policy, but may ignore it. */
	scene.facts->known = SSDPM_FACT_LPM;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_NOT_KNOWN,
		       "not known: the policy is med_power_with_dipm, but who "
		       "puts the link to sleep is not known");
	done(&scene);
	init_sata(&scene, HIPM, NO_DIPM);
	scene.facts->known = SSDPM_FACT_LPM | SSDPM_FACT_LPM_SUPPORTED;
	diagnose(&scene);
	assert_int_equal(scene.found[0].code, SSDPM_DIAGNOSIS_NOT_KNOWN);
	done(&scene);
}

static void a_policy_of_a_newer_kernel_is_named_and_not_judged(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	scene.facts->known &= ~(uint32_t)SSDPM_FACT_LPM;
	scene.facts->lpm = 0;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_NOT_KNOWN,
		       "not known: the policy of its link cannot be read");
	strcpy(scene.facts->lpm_word, "deepest_power");
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_NOT_KNOWN,
		       "not known: the policy of its link is deepest_power, "
		       "which this version of ssdpm does not know");
	done(&scene);
}

static void full_power_is_no_saving(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	scene.facts->lpm = SSDPM_LPM_MAX_PERFORMANCE;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES_NOTHING,
		       "saves nothing: the link is always at full power");
	assert_found(&scene, SSDPM_DIAGNOSIS_LPM_OFF, SSDPM_SEVERITY_PROBLEM,
		     "LPM is off: the policy is max_performance",
		     "ssdpm lpm --set med_power_with_dipm sda, or echo "
		     "med_power_with_dipm > " POLICY_FILE);
	scene.machine.mobile_lpm_policy = 1;
	diagnose(&scene);
	assert_string_equal(find(&scene, SSDPM_DIAGNOSIS_LPM_OFF)->message,
			    "LPM is off: the policy is max_performance, as "
			    "ahci.mobile_lpm_policy=1 has it");
	scene.machine.mobile_lpm_policy = -1;
	strcpy(scene.machine.linux_release, "6.1.0-56-amd64");
	diagnose(&scene);
	assert_string_equal(find(&scene, SSDPM_DIAGNOSIS_LPM_OFF)->message,
			    "LPM is off: the policy is max_performance (or "
			    "keep_firmware_settings, for which this kernel "
			    "prints the same)");
	done(&scene);
}

static void what_the_firmware_set_is_not_known(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	scene.facts->lpm = SSDPM_LPM_KEEP_FIRMWARE_SETTINGS;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_NOT_KNOWN,
		       "not known: the link is as the firmware left it");
	assert_found(&scene, SSDPM_DIAGNOSIS_LPM_KEPT, SSDPM_SEVERITY_UNKNOWN,
		     "keep_firmware_settings: Linux changes nothing, and sysfs "
		     "does not say what that is",
		     "ssdpm lpm --set med_power_with_dipm sda; what is there "
		     "now cannot be restored without a reboot");
	done(&scene);
}

static void medium_power_needs_the_host(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	scene.facts->lpm = SSDPM_LPM_MEDIUM_POWER;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES_LESS,
		       "saves less than it could: the link goes to partial");
	assert_found(&scene, SSDPM_DIAGNOSIS_LPM_PARTIAL_ONLY,
		     SSDPM_SEVERITY_PROBLEM,
		     "medium_power uses partial only, never slumber",
		     "ssdpm lpm --set med_power_with_dipm sda, or echo "
		     "med_power_with_dipm > " POLICY_FILE);
	scene.facts->devices_without_hipm = 1;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES_NOTHING,
		       "saves nothing: with medium_power nobody puts this link "
		       "to sleep");
	assert_int_equal(find(&scene, SSDPM_DIAGNOSIS_NO_HIPM)->severity,
			 SSDPM_SEVERITY_PROBLEM);
	done(&scene);
}

static void min_power_has_lost_data(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	scene.facts->lpm = SSDPM_LPM_MIN_POWER;
	scene.facts->ahci_port_cmd = 0x0c00c017;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_LPM_MIN_POWER, SSDPM_SEVERITY_NOTE,
		     "min_power has lost data on some drives; the default of "
		     "Linux is med_power_with_dipm",
		     "ssdpm lpm --set med_power_with_dipm sda, or echo "
		     "med_power_with_dipm > " POLICY_FILE);
	assert_null(find(&scene, SSDPM_DIAGNOSIS_STALE_ASP));
	assert_null(find(&scene, SSDPM_DIAGNOSIS_LPM_RAISED));
	scene.machine.suspend = SSDPM_SUSPEND_S2IDLE;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_LPM_RAISED, SSDPM_SEVERITY_NOTE,
		     "min_power may be nobody's choice: where suspend is "
		     "s2idle, Linux takes it instead of the policy it was "
		     "built with",
		     "ahci.mobile_lpm_policy=3 on the kernel command line "
		     "means med_power_with_dipm in any case");
	/* Before 6.9, most chipsets ignored the parameter. */
	strcpy(scene.machine.linux_release, "6.1.192");
	diagnose(&scene);
	assert_non_null(
		strstr(advice(&scene, find(&scene, SSDPM_DIAGNOSIS_LPM_RAISED)),
		       " in any case, if the chipset is a mobile one"));
	scene.machine.mobile_lpm_policy = 3;
	diagnose(&scene);
	assert_null(find(&scene, SSDPM_DIAGNOSIS_LPM_RAISED));
	done(&scene);
}

static void registers_tell_a_policy_that_never_arrived(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	scene.facts->ahci_port_cmd = 0xc017;
	diagnose(&scene);
	assert_int_equal(scene.found[0].code, SSDPM_DIAGNOSIS_SAVES_LESS);
	assert_found(&scene, SSDPM_DIAGNOSIS_HOST_BITS, SSDPM_SEVERITY_PROBLEM,
		     "the policy reads med_power_with_dipm, but ALPE is clear "
		     "(PxCMD 0000c017): Linux has not set it, or gave up",
		     "ssdpm lpm --set med_power_with_dipm sda, and look for "
		     "\"disabling LPM\" in dmesg");
	/*
	 * That policy has lost data, so that it is not advised again. A capture
	 * has the registers of when it was made.
	 */
	scene.facts->lpm = SSDPM_LPM_MIN_POWER;
	scene.machine.capture = 2;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_HOST_BITS, SSDPM_SEVERITY_PROBLEM,
		     "the policy reads min_power, but ALPE is clear (PxCMD "
		     "0000c017): Linux has not set it, or gave up, or the "
		     "capture was written to since",
		     "ssdpm lpm --set med_power_with_dipm sda, and look for "
		     "\"disabling LPM\" in dmesg");
	done(&scene);
}

static void asp_stays_from_min_power(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	scene.facts->ahci_port_cmd = 0x0c00c017;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_STALE_ASP, SSDPM_SEVERITY_NOTE,
		     "ASP is set (PxCMD 0c00c017): left from min_power, for "
		     "med_power_with_dipm does not clear it, so that the host "
		     "still asks for slumber",
		     "write max_performance and then med_power_with_dipm "
		     "to " POLICY_FILE ", as ssdpm lpm --set does");
	done(&scene);
}

static void assert_no_advice(const struct scene *scene, uint32_t code)
{
	const struct ssdpm_diagnosis *found = find(scene, code);

	assert_non_null(found);
	assert_int_equal(found->remedy, 0);
	assert_int_equal(found->n_changes, 0);
}

static void a_hot_plug_port_comes_with_its_mask(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	scene.facts->flags = SSDPM_DEVICE_HOT_PLUG;
	scene.facts->lpm = SSDPM_LPM_MAX_PERFORMANCE;
	scene.facts->lpm_supported = 0;
	diagnose(&scene);
	assert_int_equal(scene.found[0].code, SSDPM_DIAGNOSIS_SAVES_NOTHING);
	assert_found(&scene, SSDPM_DIAGNOSIS_HOT_PLUG_PORT,
		     SSDPM_SEVERITY_PROBLEM,
		     "port is external (PxCMD.HPCP: hot-plug): this kernel "
		     "refuses LPM",
		     "if nothing is plugged in there at run time: boot with "
		     "ahci.mask_port_ext=0000:00:17.0=0x4 (of several ports, "
		     "the sum of their masks), or switch hot-plug off in the "
		     "firmware setup");
	assert_null(find(&scene, SSDPM_DIAGNOSIS_LPM_OFF));
	assert_null(find(&scene, SSDPM_DIAGNOSIS_LPM_UNSUPPORTED));
	/* Before 6.17, neither the rule nor the parameter exists. */
	strcpy(scene.machine.linux_release, "6.12.117");
	scene.facts->lpm_supported = 1;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_HOT_PLUG_PORT, SSDPM_SEVERITY_NOTE,
		     "port is external (PxCMD.HPCP: hot-plug): with LPM, "
		     "plugging in is not noticed, and newer kernels refuse it",
		     "");
	assert_no_advice(&scene, SSDPM_DIAGNOSIS_LPM_OFF);
	scene.facts->lpm = SSDPM_LPM_MEDIUM_POWER;
	diagnose(&scene);
	assert_no_advice(&scene, SSDPM_DIAGNOSIS_LPM_PARTIAL_ONLY);
	scene.facts->lpm = SSDPM_LPM_MIN_POWER;
	scene.facts->ahci_port_cmd = 0xc017;
	diagnose(&scene);
	assert_no_advice(&scene, SSDPM_DIAGNOSIS_LPM_MIN_POWER);
	assert_no_advice(&scene, SSDPM_DIAGNOSIS_HOST_BITS);
	scene.facts->lpm = SSDPM_LPM_KEEP_FIRMWARE_SETTINGS;
	diagnose(&scene);
	assert_no_advice(&scene, SSDPM_DIAGNOSIS_LPM_KEPT);
	done(&scene);
}

static void an_external_port_may_be_masked(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	scene.facts->flags = SSDPM_DEVICE_EXTERNAL;
	strcpy(scene.machine.mask_port_ext, "0000:00:17.0=0x4");
	diagnose(&scene);
	assert_int_equal(scene.found[0].code, SSDPM_DIAGNOSIS_SAVES);
	assert_found(&scene, SSDPM_DIAGNOSIS_EXTERNAL_PORT, SSDPM_SEVERITY_NOTE,
		     "port is external (PxCMD.ESP and CAP.SXS), which "
		     "ahci.mask_port_ext=0000:00:17.0=0x4 has Linux ignore",
		     "");
	done(&scene);
}

static void an_adapter_may_have_no_states(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	scene.facts->lpm = SSDPM_LPM_MAX_PERFORMANCE;
	scene.facts->ahci_host_caps = 0xc0141f05;
	scene.facts->ahci_host_cap2 = 0;
	scene.facts->lpm_supported = 0;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_LPM_UNSUPPORTED,
		     SSDPM_SEVERITY_PROBLEM,
		     "the adapter has neither partial nor slumber nor "
		     "DevSleep (CAP c0141f05)",
		     "");
	assert_null(find(&scene, SSDPM_DIAGNOSIS_LPM_OFF));
	scene.facts->ahci_host_caps = 0xc734ff02;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_LPM_UNSUPPORTED,
		     SSDPM_SEVERITY_PROBLEM,
		     "this kernel refuses LPM on the port "
		     "(link_power_management_supported is 0)",
		     "dmesg | grep -i lpm says why: a quirk of the drive, of "
		     "the adapter or of the firmware");
	done(&scene);
}

static void devsleep_is_reported_where_the_drive_has_it(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM | 1 << 8);
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_DEVSLEEP, SSDPM_SEVERITY_NOTE,
		     "the drive has DevSleep; only min_power_with_partial and "
		     "min_power use it, and few ports of desktops have its "
		     "signal",
		     "");
	scene.facts->lpm = SSDPM_LPM_MIN_POWER_WITH_PARTIAL;
	diagnose(&scene);
	assert_string_equal(find(&scene, SSDPM_DIAGNOSIS_DEVSLEEP)->message,
			    "the drive has DevSleep; it is used if the port "
			    "has its signal (PxDEVSLP.DSP)");
	scene.facts->ahci_host_cap2 = 1 << 3;
	diagnose(&scene);
	assert_string_equal(find(&scene, SSDPM_DIAGNOSIS_DEVSLEEP)->message,
			    "the drive has DevSleep; the adapter does not ask "
			    "for it by itself (CAP2.SADM), as Linux needs");
	scene.facts->ahci_host_cap2 = 0;
	diagnose(&scene);
	assert_string_equal(find(&scene, SSDPM_DIAGNOSIS_DEVSLEEP)->message,
			    "the drive has DevSleep; the adapter has not "
			    "(CAP2.SDS)");
	/*
	 * If no policy is accepted, no diagnosis mentions one that uses
	 * DevSleep.
	 */
	scene.facts->lpm_supported = 0;
	diagnose(&scene);
	assert_null(find(&scene, SSDPM_DIAGNOSIS_DEVSLEEP));
	done(&scene);
}

static void an_optical_drive_may_keep_the_processor_awake(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	scene.facts->flags = SSDPM_DEVICE_OPTICAL;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_OPTICAL, SSDPM_SEVERITY_NOTE,
		     "an optical drive: its link counts too, for the idle "
		     "states of the processor",
		     "");
	strcpy(scene.machine.linux_release, "6.17.8");
	scene.facts->lpm = SSDPM_LPM_MAX_PERFORMANCE;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_OPTICAL, SSDPM_SEVERITY_PROBLEM,
		     "an optical drive at max_performance: Linux 6.14 to 6.18 "
		     "allow no more, which keeps the processor from deep idle "
		     "states (about 4 W)",
		     "update to Linux 6.19, or a stable release with its fixes "
		     "for ATAPI and dummy ports");
	done(&scene);
}

static void runtime_pm_is_reported_and_not_advised(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	scene.facts->known |= SSDPM_FACT_RUNTIME_PM;
	strcpy(scene.facts->runtime_pm, "auto");
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_RUNTIME_PM, SSDPM_SEVERITY_NOTE,
		     "runtime PM of the adapter is on (power/control is "
		     "auto): it has frozen machines, and LPM saves without it; "
		     "not touched here",
		     "");
	strcpy(scene.facts->runtime_pm, "on");
	diagnose(&scene);
	assert_null(find(&scene, SSDPM_DIAGNOSIS_RUNTIME_PM));
	done(&scene);
	init_nvme(&scene);
	scene.facts->known |= SSDPM_FACT_RUNTIME_PM;
	strcpy(scene.facts->runtime_pm, "auto");
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_RUNTIME_PM, SSDPM_SEVERITY_NOTE,
		     "runtime PM is on (power/control is auto), which changes "
		     "nothing: the driver of NVMe has none",
		     "");
	done(&scene);
}

static void an_empty_port_may_be_switched_off(void **state)
{
	struct scene scene;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	scene.facts->flags = SSDPM_DEVICE_EMPTY;
	scene.model = ssdpm_model_unref(scene.model);
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_NO_DISK, "no disk on the port");
	assert_found(&scene, SSDPM_DIAGNOSIS_EMPTY_PORT, SSDPM_SEVERITY_NOTE,
		     "med_power_with_dipm switches an empty port off: a disk "
		     "that is plugged in is not found",
		     "for hot-plug: echo max_performance > " POLICY_FILE
		     ", and rescan");
	done(&scene);
}

static void a_sata_drive_with_a_fault_stays_at_full_power(void **state)
{
	struct scene scene;
	uint16_t words[256];
	uint8_t bytes[512];
	struct ssdpm_model **models;
	size_t n;

	(void)state;
	init_sata(&scene, HIPM, DIPM);
	ssdpm_model_unref(scene.model);
	fixture_ata_words(words);
	fixture_ata_text(&words[27], 20, "Crucial_CT512MX100SSD1");
	fixture_ata_text(&words[23], 4, "MU01");
	fixture_ata_bytes(words, bytes);
	assert_int_equal(ssdpm_model_list_from_data(bytes, sizeof(bytes),
						    &models, &n, NULL),
			 0);
	scene.model = ssdpm_model_ref(models[0]);
	ssdpm_model_list_free(models, n);
	strcpy(scene.facts->product, "Crucial_CT512MX100SSD1");
	strcpy(scene.facts->firmware, "MU01");
	scene.facts->lpm = SSDPM_LPM_MAX_PERFORMANCE;
	scene.facts->lpm_supported = 0;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES_NOTHING,
		       "saves nothing: the link is always at full power, for "
		       "quirk no-lpm");
	assert_found(&scene, SSDPM_DIAGNOSIS_QUIRK, SSDPM_SEVERITY_NOTE,
		     "quirk no-lpm, say the rules of Linux: the link stays at "
		     "full power, for this drive has a known fault",
		     "");
	assert_null(find(&scene, SSDPM_DIAGNOSIS_LPM_UNSUPPORTED));
	assert_null(find(&scene, SSDPM_DIAGNOSIS_LPM_OFF));
	/* A policy that reads otherwise has not arrived. */
	scene.facts->lpm = SSDPM_LPM_MIN_POWER;
	scene.facts->ahci_port_cmd = 0xc017;
	diagnose(&scene);
	assert_verdict(&scene, SSDPM_DIAGNOSIS_SAVES_NOTHING,
		       "saves nothing: the link is always at full power, for "
		       "quirk no-lpm");
	assert_null(find(&scene, SSDPM_DIAGNOSIS_LPM_MIN_POWER));
	assert_null(find(&scene, SSDPM_DIAGNOSIS_HOST_BITS));
	/* The registers say that it has, so that it is judged, not advised. */
	scene.facts->ahci_port_cmd = 0x0400c017;
	diagnose(&scene);
	assert_int_equal(scene.found[0].code, SSDPM_DIAGNOSIS_SAVES);
	assert_no_advice(&scene, SSDPM_DIAGNOSIS_LPM_MIN_POWER);
	scene.facts->lpm = SSDPM_LPM_MAX_PERFORMANCE;
	/* Debian's name for its 5.10.223. */
	strcpy(scene.machine.linux_release, "5.10.0-32-amd64");
	scene.facts->known &= ~SSDPM_FACT_LPM_SUPPORTED;
	diagnose(&scene);
	assert_found(&scene, SSDPM_DIAGNOSIS_QUIRK, SSDPM_SEVERITY_NOTE,
		     "quirk no-lpm, say the rules of the newest Linux: this "
		     "drive has a known fault, which Linux 5.10.0-32-amd64 may "
		     "not know: leave LPM off",
		     "");
	assert_null(find(&scene, SSDPM_DIAGNOSIS_LPM_OFF));
	scene.facts->lpm = SSDPM_LPM_MED_POWER_WITH_DIPM;
	diagnose(&scene);
	assert_string_equal(advice(&scene, find(&scene, SSDPM_DIAGNOSIS_QUIRK)),
			    "ssdpm lpm --set max_performance sda");
	done(&scene);
}

static const struct {
	const char *now;
	uint32_t port;
	bool changes;
	const char *mask;
} masks[] = {
	{ "", 2, true, "0000:00:17.0=0x4" },
	{ "(null)", 31, true, "0000:00:17.0=0x80000000" },
	{ "0x1", 2, true, "0x5" },
	{ "5", 2, false, "0x5" },
	{ "0000:01:00.0=0x1", 0, true, "0000:01:00.0=0x1,0000:00:17.0=0x1" },
	{ "0000:00:17.0=0x1,0000:01:00.0=0x3", 3, true,
	  "0000:00:17.0=0x9,0000:01:00.0=0x3" },
	{ "0000:00:17.0=0x1,0000:00:17.0=2", 3, true,
	  "0000:00:17.0=0x1,0000:00:17.0=0xa" },
	{ "0000:00:17.0=0x8", 3, false, "0000:00:17.0=0x8" },
	{ "0000:00:17.01=0x8", 3, true, "0000:00:17.01=0x8,0000:00:17.0=0x8" },
	{ ",,=", 0, true, ",,=,0000:00:17.0=0x1" },
};

/* This runs last: the tests before it met each kind. */
static void scenes_have_had_each_kind_of_main_diagnosis(void **state)
{
	(void)state;
	assert_true(n_main[SSDPM_SEVERITY_PROBLEM]);
	assert_true(n_main[SSDPM_SEVERITY_UNKNOWN]);
	assert_true(n_main[SSDPM_SEVERITY_NOTE]);
	assert_true(n_main_verdicts);
	assert_true(n_without_main);
}

static void a_mask_keeps_what_was_masked(void **state)
{
	char mask[160];

	(void)state;
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		assert_int_equal(ssdpm__port_mask(masks[i].now, "0000:00:17.0",
						  masks[i].port, mask,
						  sizeof(mask)),
				 masks[i].changes);
		assert_string_equal(mask, masks[i].mask);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_drive_that_sleeps_saves_power),
		cmocka_unit_test(a_table_that_was_read_is_not_called_built),
		cmocka_unit_test(a_state_that_is_too_slow_saves_less),
		cmocka_unit_test(
			a_state_above_the_limit_names_the_limit_that_lets_it_in),
		cmocka_unit_test(
			a_state_that_is_not_the_deepest_is_worth_a_note),
		cmocka_unit_test(apst_may_be_enabled_and_empty),
		cmocka_unit_test(
			a_limit_from_a_parameter_comes_back_at_the_next_boot),
		cmocka_unit_test(a_second_band_may_be_switched_off),
		cmocka_unit_test(
			an_old_kernel_makes_nothing_of_unknown_latencies),
		cmocka_unit_test(a_quirk_that_is_forced_away_is_named),
		cmocka_unit_test(a_limit_of_0_switches_apst_off),
		cmocka_unit_test(without_the_file_there_is_no_apst),
		cmocka_unit_test(quirks_are_named_with_their_source),
		cmocka_unit_test(an_empty_table_is_built_anew),
		cmocka_unit_test(a_table_at_a_limit_of_0_takes_another_limit),
		cmocka_unit_test(a_table_that_is_switched_off_is_a_problem),
		cmocka_unit_test(a_table_that_another_made_differs),
		cmocka_unit_test(a_drive_may_have_no_state_to_sleep_in),
		cmocka_unit_test(without_power_states_the_verdict_is_not_known),
		cmocka_unit_test(a_controller_that_is_not_live_is_not_judged),
		cmocka_unit_test(
			that_a_controller_is_not_live_comes_before_its_link),
		cmocka_unit_test(a_link_without_l1_2_costs_the_milliwatts),
		cmocka_unit_test(a_link_without_aspm_is_named_with_the_policy),
		cmocka_unit_test(
			a_policy_that_has_l1_on_is_not_what_keeps_it_off),
		cmocka_unit_test(a_link_may_have_no_l1_at_all),
		cmocka_unit_test(
			a_forbidden_d3cold_counts_where_suspend_is_s2idle),
		cmocka_unit_test(suspend_takes_one_of_two_paths),
		cmocka_unit_test(
			resets_come_with_the_limit_that_tells_their_cause),
		cmocka_unit_test(each_obstacle_on_the_way_has_its_words),
		cmocka_unit_test(host_and_drive_put_the_link_to_sleep),
		cmocka_unit_test(most_drives_do_it_alone),
		cmocka_unit_test(
			a_link_that_nobody_puts_to_sleep_saves_nothing),
		cmocka_unit_test(
			without_registers_only_linux_can_vouch_for_a_policy),
		cmocka_unit_test(
			a_policy_of_a_newer_kernel_is_named_and_not_judged),
		cmocka_unit_test(full_power_is_no_saving),
		cmocka_unit_test(what_the_firmware_set_is_not_known),
		cmocka_unit_test(medium_power_needs_the_host),
		cmocka_unit_test(min_power_has_lost_data),
		cmocka_unit_test(registers_tell_a_policy_that_never_arrived),
		cmocka_unit_test(asp_stays_from_min_power),
		cmocka_unit_test(a_hot_plug_port_comes_with_its_mask),
		cmocka_unit_test(an_external_port_may_be_masked),
		cmocka_unit_test(an_adapter_may_have_no_states),
		cmocka_unit_test(devsleep_is_reported_where_the_drive_has_it),
		cmocka_unit_test(an_optical_drive_may_keep_the_processor_awake),
		cmocka_unit_test(runtime_pm_is_reported_and_not_advised),
		cmocka_unit_test(an_empty_port_may_be_switched_off),
		cmocka_unit_test(a_sata_drive_with_a_fault_stays_at_full_power),
		cmocka_unit_test(a_mask_keeps_what_was_masked),
		cmocka_unit_test(scenes_have_had_each_kind_of_main_diagnosis),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
