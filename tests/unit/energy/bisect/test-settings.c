/* SPDX-License-Identifier: MIT */
/* Settings of Linux as suspects, and what helps against each of them. */
#include "fixture.h"

#include <stdio.h>

#define NOPS SSDPM_STATE_NON_OPERATIONAL

static const struct latencies laptop[] = {
	{ 0, 0, 0 }, { 0, 0, 0 }, { NOPS, 5000, 11000 }, { NOPS, 9000, 45000 }
};

static struct ssdpm_bisect *new_search(void)
{
	const struct ssdpm_bisect_params params = { .size = sizeof(params),
						    .n_errors = 1,
						    .n_entries = 1 };
	struct ssdpm_bisect *bisect = UNTOUCHED;

	assert_int_equal(ssdpm_bisect_new(&params, &bisect, NULL), 0);
	return bisect;
}

static struct ssdpm_apst_params params_of(uint64_t limit_us)
{
	struct ssdpm_apst_params params;

	ssdpm_apst_params_init(&params, sizeof(params));
	params.max_exit_latency_us = limit_us;
	return params;
}

static struct ssdpm_bisect *search_of_tables(const struct latencies *states,
					     size_t n,
					     struct ssdpm_apst_params params)
{
	struct ssdpm_bisect *bisect = new_search();
	struct ssdpm_model *model = fixture_model(states, n);

	assert_int_equal(ssdpm_bisect_add_latency_limit(bisect, "nvme0", model,
							&params, NULL),
			 0);
	ssdpm_model_unref(model);
	return bisect;
}

static struct ssdpm_bisect *search_of_limits(const struct latencies *states,
					     size_t n, uint64_t limit_us)
{
	return search_of_tables(states, n, params_of(limit_us));
}

/* "0 11000 100000" */
static void assert_steps(const struct ssdpm_bisect *bisect, const char *steps)
{
	char text[512] = "";

	for (size_t i = 0; ssdpm_bisect_get_step_name(bisect, 0, i); i++) {
		strcat(text, i ? " " : "");
		strcat(text, ssdpm_bisect_get_step_name(bisect, 0, i));
	}
	assert_string_equal(text, steps);
}

/* The search of a fault from one step on, over a file. */
static struct ssdpm_bisect *find_culprit(struct ssdpm_bisect *bisect,
					 uint32_t step)
{
	struct ssdpm_bisect *again;
	char *text;

	while (!ssdpm_bisect_begin(bisect, NULL, NULL))
		ssdpm_bisect_judge(bisect,
				   ssdpm_bisect_get_step(bisect, 0) >= step ?
					   SSDPM_BISECT_BAD :
					   SSDPM_BISECT_GOOD,
				   NULL);
	assert_int_equal(ssdpm_bisect_to_text(bisect, &text, NULL), 0);
	assert_int_equal(
		ssdpm_bisect_from_text(text, strlen(text), &again, NULL), 0);
	free(text);
	ssdpm_bisect_free(bisect);
	return again;
}

/* "latency-limit nvme0 TARGET=VALUE"; "*" is for all drives. */
static void assert_remedies(struct ssdpm_bisect *bisect, const char *remedies)
{
	struct ssdpm_bisect_remedy r = { .size = sizeof(r) };
	char text[1024] = "";

	for (size_t i = 0; !ssdpm_bisect_get_remedy(bisect, 0, i, &r, NULL);
	     i++) {
		const size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n, "%s%s%s %s %s=%s",
			 i ? "; " : "",
			 ssdpm_bisect_remedy_kind_to_string(r.kind),
			 r.all_drives ? "*" : "", r.drive, r.target, r.value);
	}
	assert_string_equal(text, remedies);
	ssdpm_bisect_free(bisect);
}

static void limits_begin_with_no_apst_and_end_with_that_of_today(void **state)
{
	static const struct {
		uint64_t limit_us;
		const char *steps;
	} cases[] = {
		{ 100000, "0 11000 100000" },
		{ 45000, "0 11000 45000" },
		{ 44999, "0 44999" },
		{ 11000, "0 11000" },
		{ SSDPM_LATENCY_ANY, "0 11000 any" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_bisect *bisect =
			search_of_limits(laptop, 4, cases[i].limit_us);

		assert_string_equal(ssdpm_bisect_get_suspect(bisect, 0),
				    "nvme0:latency_us");
		assert_steps(bisect, cases[i].steps);
		ssdpm_bisect_free(bisect);
	}
}

/* Three states, of which a table has two at most. */
static const struct latencies three[] = { { 0, 0, 0 },
					  { NOPS, 1000, 5000 },
					  { NOPS, 2000, 11000 },
					  { NOPS, 9000, 45000 } };

static void limits_with_the_same_table_are_one_step(void **state)
{
	struct ssdpm_apst_params params = params_of(100000);
	struct ssdpm_bisect *bisect = search_of_tables(three, 4, params);

	(void)state;
	assert_steps(bisect, "0 5000 11000 100000");
	ssdpm_bisect_free(bisect);
	/* No state is quick enough for either idle time but these. */
	params.primary_latency_tolerance_us = 6000;
	params.secondary_latency_tolerance_us = 6000;
	bisect = search_of_tables(three, 4, params);
	assert_steps(bisect, "0 100000");
	ssdpm_bisect_free(bisect);
}

static void a_quirk_that_is_in_force_makes_no_step_and_no_remedy(void **state)
{
	struct ssdpm_apst_params params = params_of(100000);

	(void)state;
	params.quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	assert_remedies(
		find_culprit(search_of_tables(three, 4, params), 2),
		"latency-limit nvme0 pm_qos_latency_tolerance_us=5000; "
		"parameter* nvme0 nvme_core.default_ps_max_latency_us=5000");
	/* The same states without it. */
	assert_remedies(
		find_culprit(search_of_tables(three, 4, params_of(100000)), 3),
		"latency-limit nvme0 pm_qos_latency_tolerance_us=11000; "
		"parameter* nvme0 nvme_core.default_ps_max_latency_us=11000; "
		"quirk nvme0 NVME_QUIRK_NO_DEEPEST_PS=");
}

static void a_drive_with_more_states_than_steps_keeps_the_limit_of_today(
	void **state)
{
	struct latencies states[32] = { 0 };
	struct ssdpm_bisect *bisect;

	(void)state;
	for (uint32_t i = 1; i < 32; i++)
		states[i] = (struct latencies){ NOPS, 10, 10 * i };
	bisect = search_of_limits(states, 32, 100000);
	assert_steps(bisect, "0 10 20 30 40 50 60 70 80 90 100 110 120 130 140 "
			     "100000");
	/* 17 states more: not only the deepest one. */
	assert_remedies(
		find_culprit(bisect, 15),
		"latency-limit nvme0 pm_qos_latency_tolerance_us=140; "
		"parameter* nvme0 nvme_core.default_ps_max_latency_us=140");
}

static void the_deepest_state_has_a_quirk_of_its_own(void **state)
{
	(void)state;
	assert_remedies(
		find_culprit(search_of_limits(laptop, 4, 100000), 2),
		"latency-limit nvme0 pm_qos_latency_tolerance_us=11000; "
		"parameter* nvme0 nvme_core.default_ps_max_latency_us=11000; "
		"quirk nvme0 NVME_QUIRK_NO_DEEPEST_PS=");
}

/* The quirk leaves out the last state: Linux does not use it here anyway. */
static void a_state_that_is_not_the_last_one_has_no_quirk(void **state)
{
	static const struct latencies four[] = { { 0, 0, 0 },
						 { NOPS, 1, 1000 },
						 { NOPS, 1, 9000 },
						 { NOPS, 1, 900000 } };
	static const struct latencies same[] = { { 0, 0, 0 },
						 { NOPS, 1, 1000 },
						 { NOPS, 1, 9000 },
						 { NOPS, 1, 9000 } };

	(void)state;
	assert_remedies(
		find_culprit(search_of_limits(four, 4, 100000), 2),
		"latency-limit nvme0 pm_qos_latency_tolerance_us=1000; "
		"parameter* nvme0 nvme_core.default_ps_max_latency_us=1000");
	assert_remedies(
		find_culprit(search_of_limits(same, 4, 100000), 2),
		"latency-limit nvme0 pm_qos_latency_tolerance_us=1000; "
		"parameter* nvme0 nvme_core.default_ps_max_latency_us=1000");
}

static void apst_itself_has_a_quirk(void **state)
{
	(void)state;
	assert_remedies(find_culprit(search_of_limits(laptop, 4, 100000), 1),
			"latency-limit nvme0 pm_qos_latency_tolerance_us=0; "
			"parameter* nvme0 "
			"nvme_core.default_ps_max_latency_us=0; "
			"quirk nvme0 NVME_QUIRK_NO_APST=");
}

static struct ssdpm_bisect *search_of_policy(uint32_t lpm)
{
	struct ssdpm_bisect *bisect = new_search();

	assert_int_equal(ssdpm_bisect_add_lpm(bisect, "sda", lpm, NULL), 0);
	return bisect;
}

static void link_policies_begin_with_max_performance(void **state)
{
	struct ssdpm_bisect *bisect = search_of_policy(SSDPM_LPM_MIN_POWER);

	(void)state;
	assert_string_equal(ssdpm_bisect_get_suspect(bisect, 0), "sda:lpm");
	assert_steps(bisect, "max_performance medium_power med_power_with_dipm "
			     "min_power");
	assert_remedies(find_culprit(bisect, 2),
			"lpm sda link_power_management_policy=medium_power");
	bisect = search_of_policy(SSDPM_LPM_MIN_POWER_WITH_PARTIAL);
	assert_steps(bisect, "max_performance medium_power med_power_with_dipm "
			     "min_power_with_partial");
	assert_remedies(find_culprit(bisect, 1),
			"lpm sda link_power_management_policy=max_performance; "
			"quirk sda ATA_QUIRK_NOLPM=");
}

static struct ssdpm_bisect *search_of_link(uint32_t features)
{
	struct ssdpm_bisect *bisect = new_search();

	assert_int_equal(ssdpm_bisect_add_link(bisect, "nvme0", features, NULL),
			 0);
	return bisect;
}

static void a_link_gets_one_feature_after_another(void **state)
{
	const uint32_t usual = SSDPM_PCIE_FEATURE_CLKPM |
			       SSDPM_PCIE_FEATURE_L1 | SSDPM_PCIE_FEATURE_L1_1 |
			       SSDPM_PCIE_FEATURE_L1_2;
	struct ssdpm_bisect *bisect = search_of_link(usual);

	(void)state;
	assert_string_equal(ssdpm_bisect_get_suspect(bisect, 0), "nvme0:link");
	assert_int_equal(ssdpm_bisect_get_setting(bisect, 0),
			 SSDPM_BISECT_LINK);
	assert_steps(bisect, "off l1 clkpm l1.1 l1.2");
	assert_remedies(find_culprit(bisect, 4),
			"file nvme0 link/l1_2_aspm=0; "
			"parameter* nvme0 pcie_aspm.policy=performance");
	assert_remedies(find_culprit(search_of_link(usual), 1),
			"file nvme0 link/l1_aspm=0; "
			"file nvme0 link/clkpm=0; "
			"file nvme0 link/l1_1_aspm=0; "
			"file nvme0 link/l1_2_aspm=0; "
			"parameter* nvme0 pcie_aspm.policy=performance");
	assert_remedies(find_culprit(search_of_link(UINT32_MAX), 6),
			"file nvme0 link/l1_2_aspm=0; "
			"file nvme0 link/l1_2_pcipm=0; "
			"parameter* nvme0 pcie_aspm.policy=powersave");
	bisect = search_of_link(UINT32_MAX);
	assert_steps(bisect,
		     "off l0s l1 clkpm l1.1 l1.1-pcipm l1.2 l1.2-pcipm");
	ssdpm_bisect_free(bisect);
}

static void a_sata_drive_can_do_without_ncq(void **state)
{
	struct ssdpm_bisect *bisect = new_search();

	(void)state;
	assert_int_equal(ssdpm_bisect_add_queue_depth(bisect, "sda", 32, NULL),
			 0);
	assert_string_equal(ssdpm_bisect_get_suspect(bisect, 0),
			    "sda:queue_depth");
	assert_int_equal(ssdpm_bisect_get_setting(bisect, 0),
			 SSDPM_BISECT_QUEUE_DEPTH);
	assert_steps(bisect, "1 32");
	assert_remedies(find_culprit(bisect, 1),
			"file sda queue_depth=1; "
			"parameter* sda libata.force=noncq; "
			"quirk sda ATA_QUIRK_NONCQ=");
}

static void what_is_counted_follows_from_the_suspects(void **state)
{
	struct ssdpm_bisect *bisect = new_search();
	struct ssdpm_model *model = fixture_model(laptop, 4);
	const struct ssdpm_apst_params params = params_of(100000);

	(void)state;
	ssdpm_bisect_add_link(bisect, "nvme0", SSDPM_PCIE_FEATURE_L1, NULL);
	assert_int_equal(ssdpm_bisect_get_exposure(bisect),
			 SSDPM_BISECT_IDLE_TIMES);
	/* The deepest state is entered more seldom. */
	ssdpm_bisect_add_latency_limit(bisect, "nvme0", model, &params, NULL);
	assert_int_equal(ssdpm_bisect_get_exposure(bisect),
			 SSDPM_BISECT_ENTRIES);
	/* Another drive has no such state. */
	ssdpm_bisect_add_queue_depth(bisect, "sda", 32, NULL);
	assert_int_equal(ssdpm_bisect_get_exposure(bisect), SSDPM_BISECT_IOS);
	ssdpm_bisect_add_lpm(bisect, "sda", SSDPM_LPM_MIN_POWER, NULL);
	assert_int_equal(ssdpm_bisect_get_exposure(bisect),
			 SSDPM_BISECT_ENTRIES);
	ssdpm_model_unref(model);
	ssdpm_bisect_free(bisect);
}

static struct ssdpm_device_facts facts_of(const char *name)
{
	struct ssdpm_device_facts facts = { .size = sizeof(facts) };

	strcpy(facts.name, name);
	return facts;
}

static void set_drive(struct ssdpm_bisect *bisect,
		      const struct ssdpm_device_facts *facts,
		      const char *release)
{
	struct ssdpm_machine_facts machine = { .size = sizeof(machine) };

	strcpy(machine.linux_release, release);
	assert_int_equal(ssdpm_bisect_set_drive(bisect, facts, &machine, NULL),
			 0);
}

static void a_port_that_is_known_is_in_the_parameter(void **state)
{
	struct ssdpm_device_facts facts = facts_of("sda");
	struct ssdpm_bisect *bisect;

	(void)state;
	bisect = new_search();
	ssdpm_bisect_add_queue_depth(bisect, "sda", 32, NULL);
	bisect = find_culprit(bisect, 1);
	facts.ata_port = 9;
	set_drive(bisect, &facts, "6.1.0");
	/* The boot has given it another number. */
	facts.ata_port = 2;
	set_drive(bisect, &facts, "6.1.0");
	assert_remedies(bisect, "file sda queue_depth=1; "
				"parameter sda libata.force=2:noncq; "
				"parameter* sda libata.force=noncq; "
				"quirk sda ATA_QUIRK_NONCQ=");
}

static void a_quirk_is_a_parameter_since_linux_7_2(void **state)
{
	static const char without[] =
		"latency-limit nvme0 pm_qos_latency_tolerance_us=0; "
		"parameter* nvme0 nvme_core.default_ps_max_latency_us=0; "
		"quirk nvme0 NVME_QUIRK_NO_APST=";
	static const char with[] =
		"latency-limit nvme0 pm_qos_latency_tolerance_us=0; "
		"parameter* nvme0 nvme_core.default_ps_max_latency_us=0; "
		"parameter* nvme0 nvme.quirks=15b7:5008:no_apst; "
		"quirk nvme0 NVME_QUIRK_NO_APST=";
	static const struct {
		const char *release;
		uint16_t pci_vendor_id;
		const char *remedies;
	} cases[] = {
		{ "7.2.0", 0x15b7, with },    { "8.0-rc1", 0x15b7, with },
		{ "7.1.9", 0x15b7, without }, { "6.12.9", 0x15b7, without },
		{ "", 0x15b7, without },      { "7.2.0", 0, without },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_device_facts facts = facts_of("nvme0");
		struct ssdpm_bisect *bisect =
			find_culprit(search_of_limits(laptop, 4, 11000), 1);

		facts.pci_vendor_id = cases[i].pci_vendor_id;
		facts.pci_device_id = 0x5008;
		set_drive(bisect, &facts, cases[i].release);
		assert_remedies(bisect, cases[i].remedies);
	}
}

static void what_is_in_force_already_is_no_remedy(void **state)
{
	struct ssdpm_machine_facts machine = { .size = sizeof(machine) };
	struct ssdpm_device_facts facts = facts_of("nvme0");
	struct ssdpm_bisect *bisect =
		find_culprit(search_of_limits(laptop, 4, 100000), 2);

	(void)state;
	machine.nvme_core_known = 1
				  << SSDPM_NVME_CORE_DEFAULT_PS_MAX_LATENCY_US;
	machine.nvme_core[SSDPM_NVME_CORE_DEFAULT_PS_MAX_LATENCY_US] = 11000;
	facts.known = SSDPM_FACT_QUIRKS;
	facts.kernel_quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	facts.pci_vendor_id = 0x15b7;
	strcpy(machine.linux_release, "7.2.0");
	ssdpm_bisect_set_drive(bisect, &facts, &machine, NULL);
	assert_remedies(
		bisect,
		"latency-limit nvme0 pm_qos_latency_tolerance_us=11000");
	bisect = find_culprit(search_of_link(SSDPM_PCIE_FEATURE_L1), 1);
	machine.aspm_policy = SSDPM_ASPM_PERFORMANCE;
	ssdpm_bisect_set_drive(bisect, &facts, &machine, NULL);
	assert_remedies(bisect, "file nvme0 link/l1_aspm=0");
	bisect = find_culprit(search_of_link(SSDPM_PCIE_FEATURE_L1), 1);
	machine.aspm_policy = SSDPM_ASPM_POWERSAVE;
	ssdpm_bisect_set_drive(bisect, &facts, &machine, NULL);
	assert_remedies(bisect, "file nvme0 link/l1_aspm=0; "
				"parameter* nvme0 "
				"pcie_aspm.policy=performance");
}

static void without_a_substate_a_link_keeps_what_a_policy_had(void **state)
{
	const uint32_t usual = SSDPM_PCIE_FEATURE_L1 | SSDPM_PCIE_FEATURE_L1_2;
	struct ssdpm_machine_facts machine = { .size = sizeof(machine) };
	struct ssdpm_device_facts facts = facts_of("nvme0");
	struct ssdpm_bisect *bisect = find_culprit(search_of_link(usual), 2);

	(void)state;
	/* This one turned on what the policy powersave does, and more. */
	machine.aspm_policy = SSDPM_ASPM_POWERSUPERSAVE;
	ssdpm_bisect_set_drive(bisect, &facts, &machine, NULL);
	assert_remedies(bisect, "file nvme0 link/l1_2_aspm=0; "
				"parameter* nvme0 pcie_aspm.policy=powersave");
	bisect = find_culprit(search_of_link(usual), 1);
	ssdpm_bisect_set_drive(bisect, &facts, &machine, NULL);
	assert_remedies(bisect,
			"file nvme0 link/l1_aspm=0; "
			"file nvme0 link/l1_2_aspm=0; "
			"parameter* nvme0 pcie_aspm.policy=performance");
	/* A file has turned on the substate, and the policy is no cause. */
	bisect = find_culprit(search_of_link(usual), 2);
	machine.aspm_policy = SSDPM_ASPM_POWERSAVE;
	ssdpm_bisect_set_drive(bisect, &facts, &machine, NULL);
	assert_remedies(bisect, "file nvme0 link/l1_2_aspm=0");
	/* With this one the firmware chooses, of each device. */
	bisect = find_culprit(search_of_link(usual), 2);
	machine.aspm_policy = SSDPM_ASPM_DEFAULT;
	ssdpm_bisect_set_drive(bisect, &facts, &machine, NULL);
	assert_remedies(bisect,
			"file nvme0 link/l1_2_aspm=0; "
			"parameter* nvme0 pcie_aspm.policy=performance");
}

static struct ssdpm_bisect *search_of_disk(void)
{
	struct ssdpm_bisect *bisect = search_of_policy(SSDPM_LPM_MEDIUM_POWER);

	assert_int_equal(ssdpm_bisect_add_queue_depth(bisect, "sda", 32, NULL),
			 0);
	return bisect;
}

/* The culprit is a step of the suspect with this number. */
static struct ssdpm_bisect *find_suspect(struct ssdpm_bisect *bisect,
					 size_t suspect)
{
	struct ssdpm_bisect_state state = { .size = sizeof(state) };

	while (!ssdpm_bisect_get_state(bisect, &state, NULL) &&
	       state.decision == SSDPM_BISECT_SEARCHING) {
		ssdpm_bisect_begin(bisect, NULL, NULL);
		ssdpm_bisect_judge(bisect,
				   ssdpm_bisect_get_step(bisect, suspect) ?
					   SSDPM_BISECT_BAD :
					   SSDPM_BISECT_GOOD,
				   NULL);
	}
	assert_int_equal(state.decision, SSDPM_BISECT_FOUND);
	return bisect;
}

static void set_disk(struct ssdpm_bisect *bisect, const char *product,
		     uint16_t adapter, const char *release)
{
	struct ssdpm_device_facts facts = facts_of("sda");

	facts.kind = SSDPM_KIND_SATA;
	facts.ata_port = 2;
	facts.pci_vendor_id = adapter;
	strcpy(facts.product, product);
	set_drive(bisect, &facts, release);
}

#define LPM_FILE "lpm sda link_power_management_policy=max_performance"
#define NOLPM_WORDS                              \
	"; parameter sda libata.force=2:nolpm; " \
	"parameter* sda libata.force=nolpm"
#define NOLPM_QUIRK "; quirk sda ATA_QUIRK_NOLPM="
#define NONCQ_FILE "file sda queue_depth=1"
#define NONCQ_ALL                                \
	"; parameter sda libata.force=2:noncq; " \
	"parameter* sda libata.force=noncq; "    \
	"quirk sda ATA_QUIRK_NONCQ="

static void what_linux_does_not_know_or_has_for_the_disk_is_no_remedy(
	void **state)
{
	static const char all[] = LPM_FILE NOLPM_WORDS NOLPM_QUIRK;
	static const char without_words[] = LPM_FILE NOLPM_QUIRK;
	static const char with_ncq[] = NONCQ_FILE NONCQ_ALL;
	static const struct {
		const char *product;
		uint16_t adapter;
		const char *release;
		const char *lpm;
		const char *ncq;
	} cases[] = {
		{ "A disk", 0x8086, "7.3.4", all, with_ncq },
		{ "A disk", 0x8086, "5.19.0", all, with_ncq },
		{ "A disk", 0, "6.1.0-40-amd64", all, with_ncq },
		/* nolpm came with 5.19. */
		{ "A disk", 0x8086, "5.18.19", without_words, with_ncq },
		{ "A disk", 0x8086, "4.19.0", without_words, with_ncq },
		{ "A disk", 0x8086, "", without_words, with_ncq },
		{ "A disk", 0x8086, "unknown", without_words, with_ncq },
		/* This release has the quirk, and an older one has not. */
		{ "ADATA SU680", 0x8086, "6.12.117", LPM_FILE, with_ncq },
		{ "ADATA SU680", 0x8086, "6.1.192", all, with_ncq },
		{ "", 0x8086, "6.12.117", all, with_ncq },
		/* It depends on the adapter. */
		{ "Samsung SSD 870 EVO 1TB", 0x1002, "6.12.117", LPM_FILE,
		  NONCQ_FILE },
		{ "Samsung SSD 870 EVO 1TB", 0x8086, "6.12.117", all,
		  with_ncq },
		{ "Samsung SSD 870 EVO 1TB", 0x1022, "6.12.117", all,
		  with_ncq },
		{ "Samsung SSD 870 EVO 1TB", 0x1022, "7.3.4", LPM_FILE,
		  with_ncq },
		{ "Samsung SSD 870 EVO 1TB", 0x1002, "7.3.4", LPM_FILE,
		  NONCQ_FILE },
		{ "Samsung SSD 870 EVO 1TB", 0, "7.3.4", all, with_ncq },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t suspect = 0; suspect < 2; suspect++) {
			struct ssdpm_bisect *bisect =
				find_suspect(search_of_disk(), suspect);

			set_disk(bisect, cases[i].product, cases[i].adapter,
				 cases[i].release);
			assert_remedies(bisect,
					suspect ? cases[i].ncq : cases[i].lpm);
		}
	}
}

static void a_port_without_lpm_needs_no_quirk(void **state)
{
	struct ssdpm_device_facts facts = facts_of("sda");
	struct ssdpm_bisect *bisect = find_suspect(search_of_disk(), 0);

	(void)state;
	facts.kind = SSDPM_KIND_SATA;
	facts.known = SSDPM_FACT_LPM_SUPPORTED;
	set_drive(bisect, &facts, "6.12.50");
	assert_remedies(bisect, LPM_FILE);
}

static void a_drive_without_a_suspect_is_refused(void **state)
{
	const struct ssdpm_machine_facts machine = { .size = sizeof(machine) };
	const struct ssdpm_device_facts facts = facts_of("nvme");
	struct ssdpm_bisect *bisect = search_of_limits(laptop, 4, 11000);

	(void)state;
	assert_int_equal(ssdpm_bisect_set_drive(bisect, &facts, &machine, NULL),
			 -ENOENT);
	assert_int_equal(ssdpm_bisect_set_drive(bisect, NULL, &machine, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_bisect_set_drive(bisect, &facts, NULL, NULL),
			 -EINVAL);
	ssdpm_bisect_free(bisect);
}

static void a_suspect_of_the_caller_has_no_remedy(void **state)
{
	static const char *const steps[] = { "off", "on" };
	struct ssdpm_bisect *bisect = new_search();

	(void)state;
	assert_int_equal(
		ssdpm_bisect_add_suspect(bisect, "aspm", steps, 2, NULL), 0);
	assert_int_equal(ssdpm_bisect_get_setting(bisect, 0), 0);
	assert_int_equal(ssdpm_bisect_get_setting(bisect, 1), 0);
	assert_remedies(find_culprit(bisect, 1), "");
}

static void what_saves_nothing_is_no_suspect(void **state)
{
	struct ssdpm_bisect *bisect = new_search();
	struct ssdpm_model *model = fixture_model(laptop, 4);
	struct ssdpm_model *awake = fixture_model(laptop, 2);
	struct ssdpm_bisect_remedy remedy = { .size = sizeof(remedy) };
	struct ssdpm_apst_params params = params_of(10999);
	struct ssdpm_error error = fixture_error();
	char name[65] = "";

	(void)state;
	assert_int_equal(ssdpm_bisect_add_latency_limit(bisect, "nvme0", model,
							&params, &error),
			 -EOPNOTSUPP);
	fixture_assert_error(&error, -EOPNOTSUPP, 0, "saves power");
	params = params_of(SSDPM_LATENCY_ANY);
	assert_int_equal(ssdpm_bisect_add_latency_limit(bisect, "nvme0", awake,
							&params, NULL),
			 -EOPNOTSUPP);
	params.quirks = SSDPM_QUIRK_NO_APST;
	assert_int_equal(ssdpm_bisect_add_latency_limit(bisect, "nvme0", model,
							&params, NULL),
			 -EOPNOTSUPP);
	assert_int_equal(ssdpm_bisect_add_latency_limit(bisect, "nvme0", NULL,
							&params, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_bisect_add_latency_limit(bisect, "nvme0", model,
							NULL, NULL),
			 -EINVAL);
	params = params_of(100000);
	assert_int_equal(ssdpm_bisect_add_lpm(bisect, "sda",
					      SSDPM_LPM_MAX_PERFORMANCE, NULL),
			 -EOPNOTSUPP);
	assert_int_equal(ssdpm_bisect_add_lpm(bisect, "sda",
					      SSDPM_LPM_KEEP_FIRMWARE_SETTINGS,
					      NULL),
			 -EOPNOTSUPP);
	assert_int_equal(ssdpm_bisect_add_link(bisect, "nvme0", 0, NULL),
			 -EOPNOTSUPP);
	assert_int_equal(ssdpm_bisect_add_queue_depth(bisect, "sda", 1, NULL),
			 -EOPNOTSUPP);
	assert_int_equal(ssdpm_bisect_add_queue_depth(bisect, "sda", 0, NULL),
			 -EOPNOTSUPP);
	assert_int_equal(ssdpm_bisect_add_lpm(bisect, "sda", 99, NULL),
			 -EINVAL);
	memset(name, 'n', 64);
	assert_int_equal(ssdpm_bisect_add_latency_limit(bisect, name, model,
							&params, NULL),
			 -EINVAL);
	name[60] = 0;
	assert_int_equal(ssdpm_bisect_add_latency_limit(bisect, name, model,
							&params, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_bisect_add_latency_limit(bisect, "a:b", model,
							&params, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_bisect_add_latency_limit(bisect, NULL, model,
							&params, NULL),
			 -EINVAL);
	assert_null(ssdpm_bisect_get_suspect(bisect, 0));
	assert_int_equal(ssdpm_bisect_get_remedy(bisect, 0, 0, &remedy, NULL),
			 -ENOENT);
	ssdpm_model_unref(model);
	ssdpm_model_unref(awake);
	ssdpm_bisect_free(bisect);
}

#define HEAD "# ssdpm bisect 1\nerrors 1\nentries 5\n"

static void a_mark_of_the_deepest_state_follows_its_suspect(void **state)
{
	static const char *const texts[] = {
		HEAD "deepest a\n",
		HEAD "suspect a 0 1\ndeepest b\n",
		HEAD "suspect a 0 1\ndeepest\n",
		HEAD "suspect a 0 1\ndeepest a b\n",
		HEAD "suspect a 0 1\ndeepest a\ndeepest a\n",
		HEAD "suspect a 0 1\nsuspect b 0 1\ndeepest a\n",
		HEAD "suspect a 0 1\ngood 1\ndeepest a\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ssdpm_bisect *bisect = UNTOUCHED;
		struct ssdpm_error error = fixture_error();
		char *text = fixture_sealed(texts[i]);

		assert_int_equal(ssdpm_bisect_from_text(text, strlen(text),
							&bisect, &error),
				 -EINVAL);
		fixture_assert_error(&error, -EINVAL, error.line,
				     "not a line of a search");
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			limits_begin_with_no_apst_and_end_with_that_of_today),
		cmocka_unit_test(limits_with_the_same_table_are_one_step),
		cmocka_unit_test(
			a_quirk_that_is_in_force_makes_no_step_and_no_remedy),
		cmocka_unit_test(what_is_in_force_already_is_no_remedy),
		cmocka_unit_test(
			without_a_substate_a_link_keeps_what_a_policy_had),
		cmocka_unit_test(
			a_drive_with_more_states_than_steps_keeps_the_limit_of_today),
		cmocka_unit_test(the_deepest_state_has_a_quirk_of_its_own),
		cmocka_unit_test(a_state_that_is_not_the_last_one_has_no_quirk),
		cmocka_unit_test(apst_itself_has_a_quirk),
		cmocka_unit_test(link_policies_begin_with_max_performance),
		cmocka_unit_test(a_link_gets_one_feature_after_another),
		cmocka_unit_test(a_sata_drive_can_do_without_ncq),
		cmocka_unit_test(what_is_counted_follows_from_the_suspects),
		cmocka_unit_test(a_port_that_is_known_is_in_the_parameter),
		cmocka_unit_test(a_quirk_is_a_parameter_since_linux_7_2),
		cmocka_unit_test(
			what_linux_does_not_know_or_has_for_the_disk_is_no_remedy),
		cmocka_unit_test(a_port_without_lpm_needs_no_quirk),
		cmocka_unit_test(a_drive_without_a_suspect_is_refused),
		cmocka_unit_test(a_suspect_of_the_caller_has_no_remedy),
		cmocka_unit_test(what_saves_nothing_is_no_suspect),
		cmocka_unit_test(
			a_mark_of_the_deepest_state_follows_its_suspect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
