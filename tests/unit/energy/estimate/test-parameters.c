/* SPDX-License-Identifier: MIT */
#include "calls.h"
#include "fixture.h"
#include "estimate/internal.h"

#include <math.h>

/* Known and assumed values of a drive. */

struct list {
	struct ssdpm_parameter at[SSDPM_MAX_PARAMETERS];
	size_t n;
};

static const struct ssdpm_parameter *find(const struct list *list,
					  uint32_t kind, uint32_t index)
{
	return find_parameter(list->at, list->n, kind, index);
}

static struct list of(const struct ssdpm_model *model, uint32_t pcie_link)
{
	struct list list = { .n = 0 };

	assert_int_equal(
		make_parameters_of(model, pcie_link, list.at, &list.n, NULL),
		0);
	assert_int_equal(ssdpm__check_parameters(model, list.at, list.n, NULL),
			 0);
	return list;
}

/* 3.5 W, and asleep 25 mW; nothing else is reported. */
static struct ssdpm_model *client(void)
{
	uint8_t id[SSDPM_NVME_IDENTIFY_BYTES];
	const struct psd psds[] = {
		{ .mp = 350 },
		{ .mp = 250,
		  .mxps = 1,
		  .nops = 1,
		  .enlat = 3900,
		  .exlat = 11000 },
	};

	fixture_identify(id, psds, 2);
	return fixture_decode(id);
}

static void assert_values(const struct ssdpm_parameter *parameter, uint64_t low,
			  uint64_t nominal, uint64_t high)
{
	assert_non_null(parameter);
	assert_int_equal(parameter->low, low);
	assert_int_equal(parameter->nominal, nominal);
	assert_int_equal(parameter->high, high);
}

static void what_a_drive_reports_is_taken_as_it_is(void **state)
{
	(void)state;
	uint8_t id[SSDPM_NVME_IDENTIFY_BYTES];
	const struct psd psds[] = {
		{ .mp = 350, .idlp = 63, .ips = 2 },
		{ .mp = 200,
		  .mxps = 1,
		  .nops = 1,
		  .idlp = 200,
		  .ips = 1,
		  .enlat = 3900,
		  .exlat = 11000 },
	};
	fixture_identify(id, psds, 2);
	struct ssdpm_model *model = fixture_decode(id);
	struct list list = of(model, SSDPM_PCIE_L1_2);
	const struct ssdpm_parameter *idle =
		find(&list, SSDPM_PARAMETER_IDLE_POWER, 0);

	assert_values(idle, 630000, 630000, 630000);
	assert_int_equal(idle->provenance, SSDPM_PROVENANCE_REPORTED);
	assert_values(find(&list, SSDPM_PARAMETER_IDLE_POWER, 1), 20000, 20000,
		      20000);
	assert_values(find(&list, SSDPM_PARAMETER_ENTRY_LATENCY, 1), 0, 3900,
		      24960);
	assert_values(find(&list, SSDPM_PARAMETER_EXIT_LATENCY, 1), 0, 11000,
		      70400);
	assert_null(find(&list, SSDPM_PARAMETER_EXIT_LATENCY, 0));
	assert_values(find(&list, SSDPM_PARAMETER_TRANSITION_POWER, 0), 630000,
		      630000, 3500000);
	ssdpm_model_unref(model);
}

/* The client with another provenance. */
static struct ssdpm_model *from(uint32_t provenance)
{
	struct ssdpm_model *client_model = client(), *model;
	struct ssdpm_model_info info = *ssdpm_model_get_info(client_model);
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(client_model, &n);

	info.provenance = provenance;
	info.format = 0;
	assert_int_equal(ssdpm_model_new(&info, states, n, &model, NULL), 0);
	ssdpm_model_unref(client_model);
	return model;
}

static void latencies_that_were_measured_or_stated_are_no_claim(void **state)
{
	static const struct {
		uint32_t provenance, high;
	} cases[] = {
		{ SSDPM_PROVENANCE_REPORTED, 70400 },
		{ SSDPM_PROVENANCE_CATALOGUE, 70400 },
		{ SSDPM_PROVENANCE_MEASURED, 11000 },
		{ SSDPM_PROVENANCE_STATED, 11000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_model *model = from(cases[i].provenance);
		struct list list = of(model, SSDPM_PCIE_L1_2);
		const struct ssdpm_parameter *latency =
			find(&list, SSDPM_PARAMETER_EXIT_LATENCY, 1);

		assert_int_equal(latency->nominal, 11000);
		assert_int_equal(latency->high, cases[i].high);
		ssdpm_model_unref(model);
	}
}

/* A drive of the P3 family from smartctl; state 0 may have more values. */
static struct ssdpm_model *p3(uint32_t unknown, uint32_t idle_uw)
{
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_power_state states[5] = {
		{ .max_power_uw = 6000000 },
		{ .max_power_uw = 3000000 },
		{ .max_power_uw = 1500000 },
		{ .max_power_uw = 25000,
		  .entry_latency_us = 5000,
		  .exit_latency_us = 1900 },
		{ .max_power_uw = 3000,
		  .entry_latency_us = 13000,
		  .exit_latency_us = 100000 },
	};
	struct ssdpm_model *model;

	for (uint8_t i = 0; i < 5; i++) {
		struct ssdpm_power_state *s = &states[i];

		s->unknown = SSDPM_FIELD_IDLE_POWER | SSDPM_FIELD_ACTIVE_POWER;
		s->flags = i < 4 ? SSDPM_STATE_ACTIVE_POWER_SHOWN : 0;
		if (i < 3)
			continue;
		s->flags |= SSDPM_STATE_NON_OPERATIONAL;
		s->read_throughput_rank = s->read_latency_rank = i;
		s->write_throughput_rank = s->write_latency_rank = i;
	}
	states[0].unknown = unknown;
	states[0].idle_power_uw = idle_uw;
	info.vendor_id = 0xc0a9;
	assert_int_equal(ssdpm_model_new(&info, states, 5, &model, NULL), 0);
	return model;
}

static void a_family_says_what_smartctl_cannot_print(void **state)
{
	const uint32_t both = SSDPM_FIELD_IDLE_POWER | SSDPM_FIELD_ACTIVE_POWER;
	struct ssdpm_model *model = p3(both, 0);
	struct list list = of(model, SSDPM_PCIE_L1_2);
	const struct ssdpm_parameter *idle =
		find(&list, SSDPM_PARAMETER_IDLE_POWER, 0);

	(void)state;
	assert_values(idle, 672000, 672000, 672000);
	assert_int_equal(idle->provenance, SSDPM_PROVENANCE_FAMILY);
	assert_non_null(strstr(idle->rule, ": 57 drives have vendor, table "));
	assert_values(find(&list, SSDPM_PARAMETER_IDLE_POWER, 3), 81000, 81000,
		      81000);
	idle = find(&list, SSDPM_PARAMETER_IDLE_POWER, 4);
	assert_int_equal(idle->provenance, SSDPM_PROVENANCE_ASSUMED);
	ssdpm_model_unref(model);
	/* A value of the drive itself takes precedence. */
	model = p3(SSDPM_FIELD_ACTIVE_POWER, 500000);
	list = of(model, SSDPM_PCIE_L1_2);
	idle = find(&list, SSDPM_PARAMETER_IDLE_POWER, 0);
	assert_values(idle, 500000, 500000, 500000);
	assert_string_equal(idle->rule, "IDLP");
	ssdpm_model_unref(model);
}

static struct ssdpm_model *of_name(const char *name)
{
	struct ssdpm_catalogue_match match;
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_model *model;

	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &catalogue, NULL), 0);
	assert_int_equal(
		ssdpm_catalogue_find(catalogue, name, NULL, &match, NULL), 0);
	assert_int_equal(
		ssdpm_catalogue_get_model(catalogue, match.index, &model, NULL),
		0);
	ssdpm_catalogue_free(catalogue);
	return model;
}

static void assert_idle(const char *name, uint32_t link_state,
			uint64_t power_uw, uint32_t provenance,
			const char *rule)
{
	struct ssdpm_model *model = of_name(name);
	struct list list = of(model, SSDPM_PCIE_L1_2);
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);
	const struct ssdpm_parameter *idle = NULL;

	for (uint32_t i = 0; i < n && !idle; i++)
		if (states[i].link_state == link_state)
			idle = find(&list, SSDPM_PARAMETER_IDLE_POWER, i);
	assert_non_null(idle);
	assert_int_equal(idle->nominal, power_uw);
	assert_int_equal(idle->provenance, provenance);
	assert_string_equal(idle->rule, rule);
	ssdpm_model_unref(model);
}

static void what_was_published_of_drives_of_this_name_is_no_guess(void **state)
{
	(void)state;
	assert_idle("Samsung SSD 850 PRO 1TB", SSDPM_LINK_ACTIVE, 280000,
		    SSDPM_PROVENANCE_PUBLISHED,
		    "idle-measured: drives of this name, 280 mW; active idle "
		    "(Tom's Hardware)");
	assert_idle("Samsung SSD 840 PRO Series", SSDPM_LINK_SLUMBER, 30000,
		    SSDPM_PROVENANCE_PUBLISHED,
		    "idle-measured: drives of this name, 30 mW; idle, link "
		    "asleep (Tom's Hardware)");
	assert_idle("KINGSTON SA400S37240G", SSDPM_LINK_ACTIVE, 195000,
		    SSDPM_PROVENANCE_PUBLISHED,
		    "idle-datasheet: drives of this name, 195 mW; vendor Idle "
		    "/ Avg / (MAX) Read / (MAX) Write (Kingston)");
	assert_idle("INTEL SSDPE2MD400G4", 0, 4000000,
		    SSDPM_PROVENANCE_PUBLISHED,
		    "idle-datasheet: drives of this name, 4000 mW; 4 W minimum "
		    "over the family (Intel)");
	/* Another capacity or link state is unknown. */
	assert_idle("Samsung SSD 850 PRO 512GB", SSDPM_LINK_ACTIVE, 490000,
		    SSDPM_PROVENANCE_ASSUMED, "sata-idle: 20 drives measured");
	assert_idle("Samsung SSD 840 PRO Series", SSDPM_LINK_ACTIVE, 340000,
		    SSDPM_PROVENANCE_ASSUMED,
		    "sata-idle-6: 9 drives of 6 Gb/s measured");
}

static void what_a_drive_does_not_report_is_assumed_with_bounds(void **state)
{
	(void)state;
	struct ssdpm_model *model = client();
	struct list list = of(model, SSDPM_PCIE_L1_2);
	const struct ssdpm_parameter *idle =
		find(&list, SSDPM_PARAMETER_IDLE_POWER, 0);

	assert_values(idle, 210000, 441000, 1435000);
	assert_int_equal(idle->provenance, SSDPM_PROVENANCE_ASSUMED);
	assert_int_equal(strncmp(idle->rule, "idle-client:", 12), 0);
	assert_values(find(&list, SSDPM_PARAMETER_IDLE_POWER, 1), 6250, 25000,
		      81000);
	assert_values(find(&list, SSDPM_PARAMETER_TRANSITION_POWER, 0), 210000,
		      441000, 3500000);
	assert_values(
		find(&list, SSDPM_PARAMETER_ACTIVE_POWER, SSDPM_OP_WRITE - 1),
		1165500, 1750000, 3500000);
	ssdpm_model_unref(model);
}

static void a_power_without_its_fraction_is_reported_with_a_range(void **state)
{
	(void)state;
	struct ssdpm_model *model = fixture_read_good(
		"ps 0 : mp:9.00W operational idle_power:2.02W "
		"active_power:4.02W\n"
		"ps 1 : mp:2.50W non-operational enlat:1 exlat:1 "
		"idle_power:1.02W active_power:-\n");
	struct list list = of(model, SSDPM_PCIE_L1_2);
	const struct ssdpm_parameter *idle =
		find(&list, SSDPM_PARAMETER_IDLE_POWER, 0);

	/*
	 * Without the range, 12.6 % of 9 W would be assumed, which is below it.
	 */
	assert_values(idle, 2000000, 2000000, 2990000);
	assert_int_equal(idle->provenance, SSDPM_PROVENANCE_REPORTED);
	assert_int_equal(strncmp(idle->rule, "IDLP-range:", 11), 0);
	/* Above it: the maximum. */
	assert_values(find(&list, SSDPM_PARAMETER_IDLE_POWER, 1), 1000000,
		      1990000, 1990000);
	/* No less than idle; half of the middle; all of the high end. */
	assert_values(
		find(&list, SSDPM_PARAMETER_ACTIVE_POWER, SSDPM_OP_WRITE - 1),
		2000000, 2247500, 4990000);
	ssdpm_model_unref(model);
}

/* nvme-cli prints 0.02W where a drive reports 0 in units of 0.01 W, too. */
static void a_range_from_zero_keeps_what_is_assumed(void **state)
{
	(void)state;
	struct ssdpm_model *model = fixture_read_good(
		"ps 0 : mp:9.00W operational idle_power:0.02W "
		"active_power:0.02W\n"
		"ps 1 : mp:0.0250W non-operational enlat:1 exlat:1 "
		"idle_power:0.02W active_power:-\n");
	struct list list = of(model, SSDPM_PCIE_L1_2);
	const struct ssdpm_parameter *idle =
		find(&list, SSDPM_PARAMETER_IDLE_POWER, 0);
	const struct ssdpm_parameter *active =
		find(&list, SSDPM_PARAMETER_ACTIVE_POWER, SSDPM_OP_WRITE - 1);

	assert_values(idle, 10000, 1134000, 3690000);
	assert_int_equal(idle->provenance, SSDPM_PROVENANCE_ASSUMED);
	assert_values(find(&list, SSDPM_PARAMETER_IDLE_POWER, 1), 6250, 25000,
		      81000);
	assert_values(active, 10000, 4500000, 9000000);
	assert_int_equal(active->provenance, SSDPM_PROVENANCE_ASSUMED);
	ssdpm_model_unref(model);
}

static void a_power_of_zero_watts_is_not_zero_but_unknown(void **state)
{
	(void)state;
	uint8_t id[SSDPM_NVME_IDENTIFY_BYTES];
	const struct psd psds[] = {
		{ .mp = 0 },
		{ .mp = 0, .nops = 1 },
	};
	fixture_identify(id, psds, 2);
	struct ssdpm_model *model = fixture_decode(id);
	struct list list = of(model, SSDPM_PCIE_L1_2);

	for (uint32_t i = 0; i < 2; i++)
		assert_true(find(&list, SSDPM_PARAMETER_IDLE_POWER, i)->low);
	assert_true(find(&list, SSDPM_PARAMETER_ACTIVE_POWER, 0)->low);
	assert_int_equal(find(&list, SSDPM_PARAMETER_TRANSITION_POWER, 0)->high,
			 9000000);
	assert_values(find(&list, SSDPM_PARAMETER_EXIT_LATENCY, 1), 0, 0,
		      80000);
	ssdpm_model_unref(model);
}

static void a_sata_link_may_take_what_the_standard_allows(void **state)
{
	(void)state;
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_power_state states[2] = {
		{ .link_state = SSDPM_LINK_ACTIVE },
		{ .link_state = SSDPM_LINK_SLUMBER,
		  .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .unknown = SSDPM_FIELD_IDLE_POWER |
			     SSDPM_FIELD_ENTRY_LATENCY |
			     SSDPM_FIELD_EXIT_LATENCY },
	};
	struct ssdpm_model *model;
	struct list list;

	info.kind = SSDPM_KIND_SATA;
	info.apsta = 0;
	info.vendor_id = 0;
	info.unknown = 127 & ~(SSDPM_INFO_PRODUCT | SSDPM_INFO_FIRMWARE);
	info.sata_supported_unknown = info.sata_enabled_unknown = 63;
	assert_int_equal(ssdpm_model_new(&info, states, 2, &model, NULL), 0);
	list = of(model, SSDPM_PCIE_L1_2);
	assert_values(find(&list, SSDPM_PARAMETER_EXIT_LATENCY, 1), 1000, 3500,
		      10000);
	assert_values(find(&list, SSDPM_PARAMETER_ENTRY_LATENCY, 1), 0, 0, 10);
	assert_values(find(&list, SSDPM_PARAMETER_IDLE_POWER, 1), 20000, 50000,
		      100000);
	assert_values(find(&list, SSDPM_PARAMETER_LINK_IDLE_TIME, 1), 0, 100000,
		      1000000);
	ssdpm_model_unref(model);
}

static void a_link_that_does_not_sleep_takes_power_of_its_own(void **state)
{
	(void)state;
	struct ssdpm_model *model = client();
	uint64_t last = UINT64_MAX;

	for (uint32_t link = SSDPM_PCIE_L0; link <= SSDPM_PCIE_L1_2; link++) {
		struct list list = of(model, link);
		uint64_t power =
			find(&list, SSDPM_PARAMETER_LINK_POWER, 0)->nominal;

		assert_true(power < last);
		last = power;
	}
	assert_int_equal(last, 0);
	ssdpm_model_unref(model);
}

static void the_power_of_an_unknown_link_is_from_the_best_to_the_worst(
	void **state)
{
	(void)state;
	struct ssdpm_model *model = client();
	struct list list = of(model, 0);
	const struct ssdpm_parameter *link =
		find(&list, SSDPM_PARAMETER_LINK_POWER, 0);
	struct list best = of(model, SSDPM_PCIE_L1_2);
	struct list worst = of(model, SSDPM_PCIE_L0);

	assert_int_equal(link->low,
			 find(&best, SSDPM_PARAMETER_LINK_POWER, 0)->low);
	assert_int_equal(link->high,
			 find(&worst, SSDPM_PARAMETER_LINK_POWER, 0)->high);
	assert_int_equal(strncmp(link->rule, "link-unknown:", 13), 0);
	ssdpm_model_unref(model);
}

static void an_unknown_link_and_a_drive_without_states_are_refused(void **state)
{
	(void)state;
	struct ssdpm_model_info info = { .size = sizeof(info),
					 .kind = SSDPM_KIND_SATA,
					 .provenance =
						 SSDPM_PROVENANCE_REPORTED,
					 .unknown = 127,
					 .sata_supported_unknown = 63,
					 .sata_enabled_unknown = 63 };
	struct ssdpm_model *model = client(), *sata = NULL;
	struct ssdpm_error error = fixture_error();
	struct list list = { .n = 77 };

	assert_int_equal(make_parameters_of(model, 4, list.at, &list.n, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "pcie_link");
	assert_int_equal(ssdpm_model_new(&info, NULL, 0, &sata, &error), 0);
	assert_int_equal(make_parameters_of(sata, 1, list.at, &list.n, &error),
			 -ENODATA);
	fixture_assert_error(&error, -ENODATA, 0, "IDENTIFY DEVICE");
	assert_int_equal(list.n, 77);
	ssdpm_model_unref(model);
	ssdpm_model_unref(sata);
}

static void a_parameter_that_is_set_is_stated(void **state)
{
	(void)state;
	struct ssdpm_model *model = client();
	struct list list = of(model, SSDPM_PCIE_L1_2);
	const struct ssdpm_parameter *idle =
		find(&list, SSDPM_PARAMETER_IDLE_POWER, 0);

	assert_int_equal(set_parameter(list.at, list.n,
				       SSDPM_PARAMETER_IDLE_POWER, 0, 1, 2, 3,
				       NULL),
			 0);
	assert_values(idle, 1, 2, 3);
	assert_int_equal(idle->provenance, SSDPM_PROVENANCE_STATED);
	assert_int_equal(ssdpm__check_parameters(model, list.at, list.n, NULL),
			 0);
	ssdpm_model_unref(model);
}

static void what_cannot_be_set_changes_nothing(void **state)
{
	(void)state;
	static const struct {
		uint32_t kind, index;
		uint64_t low, nominal, high;
		int code;
	} wrong[] = {
		{ SSDPM_PARAMETER_IDLE_POWER, 2, 1, 1, 1, -ENOENT },
		{ 0, 0, 1, 1, 1, -ENOENT },
		{ 99, 0, 1, 1, 1, -ENOENT },
		{ SSDPM_PARAMETER_EXIT_LATENCY, 0, 1, 1, 1, -ENOENT },
		{ SSDPM_PARAMETER_LINK_IDLE_TIME, 1, 1, 1, 1, -ENOENT },
		{ SSDPM_PARAMETER_IDLE_POWER, 0, 2, 1, 3, -EINVAL },
		{ SSDPM_PARAMETER_IDLE_POWER, 0, 1, 3, 2, -EINVAL },
		{ SSDPM_PARAMETER_BANDWIDTH, 0, 0, 1, 1, -EINVAL },
		{ SSDPM_PARAMETER_IDLE_POWER, 0, 1, 1, 1ull << 32, -ERANGE },
		{ SSDPM_PARAMETER_EXIT_LATENCY, 1, 1, 1, 1ull << 32, -ERANGE },
		{ SSDPM_PARAMETER_BANDWIDTH, 0, 1, 1, UINT64_MAX, -ERANGE },
		{ SSDPM_PARAMETER_BYTE_ENERGY, 0, 1, 1, UINT64_MAX, -ERANGE },
		{ SSDPM_PARAMETER_OPERATION_ENERGY, 0, 1, 1, UINT64_MAX,
		  -ERANGE },
	};
	struct ssdpm_model *model = client();
	struct list list = of(model, SSDPM_PCIE_L1_2), before = list;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct ssdpm_error error = fixture_error();

		assert_int_equal(set_parameter(list.at, list.n, wrong[i].kind,
					       wrong[i].index, wrong[i].low,
					       wrong[i].nominal, wrong[i].high,
					       &error),
				 wrong[i].code);
		assert_int_equal(error.code, wrong[i].code);
		assert_memory_equal(&list, &before, sizeof(list));
	}
	ssdpm_model_unref(model);
}

static void parameters_that_are_missing_or_twice_are_refused(void **state)
{
	(void)state;
	struct ssdpm_model *model = client();
	const struct list good = of(model, SSDPM_PCIE_L1_2);
	struct ssdpm_error error = fixture_error();
	struct list list = good;

	assert_int_equal(
		ssdpm__check_parameters(model, list.at, list.n - 1, &error),
		-EINVAL);
	list.at[1] = list.at[0];
	assert_int_equal(
		ssdpm__check_parameters(model, list.at, list.n, &error),
		-EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "idle_power_uw of 1");
	list = good;
	list.at[0].provenance = 8;
	assert_int_equal(
		ssdpm__check_parameters(model, list.at, list.n, &error),
		-EINVAL);
	list = good;
	memset(list.at[0].rule, 'x', sizeof(list.at[0].rule));
	assert_int_equal(
		ssdpm__check_parameters(model, list.at, list.n, &error),
		-EINVAL);
	list = good;
	list.at[0].low = list.at[0].high + 1;
	assert_int_equal(
		ssdpm__check_parameters(model, list.at, list.n, &error),
		-EINVAL);
	ssdpm_model_unref(model);
}

static void a_corner_moves_the_parameters_of_its_axes(void **state)
{
	(void)state;
	struct ssdpm_model *model = client();
	struct list list = of(model, SSDPM_PCIE_L1_2);
	struct corner corner = { { 0 } };
	struct values values;

	ssdpm__values(list.at, list.n, 0, &corner, &values);
	assert_int_equal(values.idle_power_uw[0], 441000);
	assert_int_equal(values.exit_ns[1], 11000000);
	corner.value[SSDPM_AXIS_IDLE_POWER - 1] = CORNER_HIGH;
	ssdpm__values(list.at, list.n, 0, &corner, &values);
	assert_int_equal(values.idle_power_uw[0], 1435000);
	assert_int_equal(values.idle_power_uw[1], 25000);
	corner.value[SSDPM_AXIS_STATE_POWER - 1] = CORNER_LOW;
	ssdpm__values(list.at, list.n, 0, &corner, &values);
	assert_int_equal(values.idle_power_uw[1], 6250);
	assert_int_equal(values.active_power_uw[1], 1750000);
	ssdpm_model_unref(model);
}

static void at_the_low_corner_of_service_the_drive_is_quick(void **state)
{
	(void)state;
	struct ssdpm_model *model = client();
	struct list list = of(model, SSDPM_PCIE_L1_2);
	struct corner corner = { { 0 } };
	struct values low, nominal, high;
	struct ssdpm_service service;

	ssdpm__values(list.at, list.n, 0, &corner, &nominal);
	ssdpm_parameters_get_service(list.at, list.n, &service);
	assert_memory_equal(&service, &nominal.service, sizeof(service));
	corner.value[SSDPM_AXIS_SERVICE - 1] = CORNER_LOW;
	ssdpm__values(list.at, list.n, 0, &corner, &low);
	corner.value[SSDPM_AXIS_SERVICE - 1] = CORNER_HIGH;
	ssdpm__values(list.at, list.n, 0, &corner, &high);
	assert_true(low.service.base_ns[0] < service.base_ns[0]);
	assert_true(service.base_ns[0] < high.service.base_ns[0]);
	assert_true(low.service.bytes_per_second[0] >
		    high.service.bytes_per_second[0]);
	ssdpm_model_unref(model);
}

static void an_axis_is_open_where_something_on_it_is_not_known(void **state)
{
	(void)state;
	struct ssdpm_model *model = client();
	struct list list = of(model, SSDPM_PCIE_L1_2);
	const uint32_t latency = 1u << (SSDPM_AXIS_LATENCY - 1);
	const uint32_t idle = 1u << (SSDPM_AXIS_IDLE_POWER - 1);

	assert_int_equal(ssdpm__open_axes(list.at, list.n, 0) & latency,
			 latency);
	assert_int_equal(ssdpm__open_axes(list.at, list.n, 0) & idle, idle);
	set_parameter(list.at, list.n, SSDPM_PARAMETER_ENTRY_LATENCY, 1, 4, 4,
		      4, NULL);
	set_parameter(list.at, list.n, SSDPM_PARAMETER_EXIT_LATENCY, 1, 2, 2, 2,
		      NULL);
	set_parameter(list.at, list.n, SSDPM_PARAMETER_IDLE_POWER, 0, 5, 5, 5,
		      NULL);
	assert_int_equal(ssdpm__open_axes(list.at, list.n, 0) & latency, 0);
	assert_int_equal(ssdpm__open_axes(list.at, list.n, 0) & idle, 0);
	ssdpm_model_unref(model);
}

static void every_drive_of_the_catalogue_has_sound_parameters(void **state)
{
	(void)state;
	struct ssdpm_catalogue *catalogue = NULL;
	uint32_t n, n_hard_disks = 0;

	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &catalogue, NULL), 0);
	n = fixture_count_rows(catalogue);
	assert_true(n > 1000);
	for (uint32_t i = 0; i < n; i++) {
		struct ssdpm_model *model = NULL;
		struct list list;

		assert_int_equal(
			ssdpm_catalogue_get_model(catalogue, i, &model, NULL),
			0);
		if (ssdpm_model_get_info(model)->rotational) {
			n_hard_disks++;
			ssdpm_model_unref(model);
			continue;
		}
		list = of(model, 1 + i % 3);
		for (size_t k = 0; k < list.n; k++)
			assert_true(list.at[k].rule[0]);
		ssdpm_model_unref(model);
	}
	assert_in_range(n_hard_disks, 20, 50);
	ssdpm_catalogue_free(catalogue);
}

static void a_model_of_parameters_has_their_nominal_values(void **state)
{
	struct ssdpm_model *model = client(), *made;
	struct list list = of(model, SSDPM_PCIE_L0);
	const struct ssdpm_power_state *states;
	size_t n;

	(void)state;
	assert_int_equal(set_parameter(list.at, list.n,
				       SSDPM_PARAMETER_IDLE_POWER, 0, 1, 700000,
				       800000, NULL),
			 0);
	assert_int_equal(
		ssdpm_parameters_to_model(model, list.at, list.n, &made, NULL),
		0);
	states = ssdpm_model_get_states(made, &n);
	assert_int_equal(n, 2);
	assert_int_equal(states[0].idle_power_uw, 700000);
	assert_int_equal(
		states[1].idle_power_uw,
		find(&list, SSDPM_PARAMETER_IDLE_POWER, 1)->nominal +
			find(&list, SSDPM_PARAMETER_LINK_POWER, 0)->nominal);
	assert_true(find(&list, SSDPM_PARAMETER_LINK_POWER, 0)->nominal > 0);
	assert_false((states[0].unknown | states[1].unknown) &
		     SSDPM_FIELD_IDLE_POWER);
	assert_int_equal(states[1].entry_latency_us, 3900);
	assert_int_equal(states[1].exit_latency_us, 11000);
	assert_int_equal(ssdpm_model_get_info(made)->provenance,
			 SSDPM_PROVENANCE_ASSUMED);
	ssdpm_model_unref(made);
	ssdpm_model_unref(model);
}

static void parameters_that_no_model_holds_are_refused(void **state)
{
	struct ssdpm_model *model = client(), *made = NULL;
	struct list list = of(model, SSDPM_PCIE_L0);

	(void)state;
	assert_int_equal(ssdpm_parameters_to_model(model, list.at, list.n - 1,
						   &made, NULL),
			 -EINVAL);
	assert_int_equal(
		set_parameter(list.at, list.n, SSDPM_PARAMETER_IDLE_POWER, 1,
			      UINT32_MAX, UINT32_MAX, UINT32_MAX, NULL),
		0);
	assert_int_equal(
		ssdpm_parameters_to_model(model, list.at, list.n, &made, NULL),
		-ERANGE);
	assert_null(made);
	ssdpm_model_unref(model);
}

#define WRITE (SSDPM_OP_WRITE - 1)
#define READ (SSDPM_OP_READ - 1)

/* All values that the energy of a byte depends on, as in the comments. */
static struct list with_writes(const struct ssdpm_model *model)
{
	struct list list = of(model, SSDPM_PCIE_L1_2);
	static const struct {
		uint32_t kind, index;
		uint64_t low, nominal, high;
	} known[] = {
		{ SSDPM_PARAMETER_IDLE_POWER, 0, 500000, 1000000, 1500000 },
		{ SSDPM_PARAMETER_ACTIVE_POWER, READ, 2000000, 2000000,
		  2500000 },
		{ SSDPM_PARAMETER_ACTIVE_POWER, WRITE, 2000000, 3000000,
		  4500000 },
		{ SSDPM_PARAMETER_BANDWIDTH, READ, 1000000000, 1000000000,
		  2000000000 },
		{ SSDPM_PARAMETER_BANDWIDTH, WRITE, 500000000, 1000000000,
		  1000000000 },
		{ SSDPM_PARAMETER_BYTE_ENERGY, WRITE, 100, 200, 300 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(set_parameter(list.at, list.n, known[i].kind,
					       known[i].index, known[i].low,
					       known[i].nominal, known[i].high,
					       NULL),
				 0);
	return list;
}

static void spare_scales_what_a_written_byte_costs(void **state)
{
	struct ssdpm_model *model = client();
	struct list before = with_writes(model), after = before;
	struct ssdpm_sustained_writes writes = { .size = sizeof(writes),
						 .spare_factor = 0.2 };
	const struct ssdpm_parameter *byte, *time;
	struct ssdpm_background_work work;

	(void)state;
	assert_int_equal(ssdpm_parameters_set_spare(model, after.at, after.n,
						    &writes, &work, NULL),
			 0);
	assert_true(work.low_wa == 1);
	assert_true(work.nominal_wa > 2.69268 && work.nominal_wa < 2.69274);
	assert_true(work.high_wa == 5);
	byte = find(&after, SSDPM_PARAMETER_BYTE_ENERGY, WRITE);
	time = find(&after, SSDPM_PARAMETER_BACKGROUND_TIME, 0);
	/*
	 * Low: writes in sequence. Nominal: 200 pJ and 2 W at 1 GB/s, 2200 pJ,
	 * 1.6927 times more. High: 300 pJ and 4 W at 0.5 GB/s, 8300 pJ, and for
	 * the read 2 W at 1 GB/s, 4 times more. This takes 12 ns, in which 3.5
	 * W is the maximum, and 1.5 W of it is idle power.
	 */
	assert_values(byte, 100, 200 + 3724, 300 + 12 * 2000);
	assert_int_equal(byte->provenance, SSDPM_PROVENANCE_ASSUMED);
	assert_string_equal(
		byte->rule,
		"spare-factor: write amplification 2.69 of even writes, 1 of those in sequence, 5.00 if any block is collected");
	/* For each byte 1.6927 of them at 1 GB/s; at 3 W, and 0.2 W at that. */
	assert_int_equal(work.low_ps_per_byte, 0);
	assert_int_equal(work.nominal_ps_per_byte, 1693);
	assert_int_equal(work.high_ps_per_byte, 12000);
	assert_int_equal(work.power_uw, 3200000);
	assert_values(time, 0, 1693, 12000);
	assert_string_equal(time->rule, byte->rule);
	/* And nothing else. */
	for (size_t i = 0; i < after.n; i++)
		if (&after.at[i] != byte && &after.at[i] != time)
			assert_memory_equal(&after.at[i], &before.at[i],
					    sizeof(after.at[i]));
	assert_int_equal(
		ssdpm__check_parameters(model, after.at, after.n, NULL), 0);
	ssdpm_model_unref(model);
}

static void spare_starts_where_a_byte_was_measured(void **state)
{
	struct ssdpm_model *model = client();
	struct list before = with_writes(model), after = before;
	struct ssdpm_sustained_writes writes = { .size = sizeof(writes),
						 .spare_factor = 0.2 };
	struct ssdpm_background_work work;
	double wa;

	(void)state;
	ssdpm_wa_calculate(SSDPM_WA_FIFO, 0.2, 0, &wa, NULL);
	writes.measured_wa = wa;
	assert_int_equal(ssdpm_parameters_set_spare(model, after.at, after.n,
						    &writes, &work, NULL),
			 0);
	/*
	 * The same writes, so nominal is the measured value. In sequence, a
	 * byte would save more than its own energy, so the low end is 0.
	 */
	assert_values(find(&after, SSDPM_PARAMETER_BYTE_ENERGY, WRITE), 0, 200,
		      (uint64_t)(300 + (5 / wa - 1) * 3 * 2000 + 1));
	assert_int_equal(work.nominal_ps_per_byte, 0);
	after = before;
	writes.measured_wa = wa * 1.001;
	assert_int_equal(ssdpm_parameters_set_spare(model, after.at, after.n,
						    &writes, NULL, NULL),
			 -ERANGE);
	ssdpm_model_unref(model);
}

/* A gigabyte in a second. */
static const struct ssdpm_io one_write = { .op = SSDPM_OP_WRITE,
					   .bytes = 1000000000,
					   .service_ns = 1000000000 };
static const struct ssdpm_sustained_writes fifth = { .size = sizeof(fifth),
						     .spare_factor = 0.2 };

/*
 * A gigabyte in a second and nothing else. The work behind it takes another
 * 1.6927 s at 3.2 W, or 12 s at the drive's 3.5 W.
 */
static void no_mean_power_is_above_the_maximum(void **state)
{
	struct ssdpm_model *model = client();
	struct list list = with_writes(model);
	struct ssdpm_sim_params params;
	struct estimated r = { 0 };

	(void)state;
	assert_int_equal(set_parameter(list.at, list.n,
				       SSDPM_PARAMETER_BYTE_ENERGY, WRITE, 0, 0,
				       0, NULL),
			 0);
	assert_int_equal(set_parameter(list.at, list.n,
				       SSDPM_PARAMETER_ACTIVE_POWER, WRITE,
				       2000000, 3000000, 3500000, NULL),
			 0);
	assert_int_equal(ssdpm_parameters_set_spare(model, list.at, list.n,
						    &fifth, NULL, NULL),
			 0);
	ssdpm_sim_params_init(&params, sizeof(params));
	params.parameters = list.at;
	params.n_parameters = list.n;
	assert_int_equal(estimate_ios(model, &params, &one_write, 1, &r, NULL),
			 0);
	assert_int_equal(r.low.background_ns, 0);
	assert_int_equal(r.nominal.background_ns, 1693000000);
	assert_int_equal(r.high.background_ns, UINT64_C(12000000000));
	/* Busy at 3 W, at work at 3 W: the rounding of one pJ is 0.6 mW. */
	assert_in_range(r.nominal.mean_power_uw, 2999400, 3000600);
	assert_int_equal(r.nominal.energy_nj, UINT64_C(6385000000));
	assert_int_equal(r.nominal.duration_ns, 1000000000);
	/* Idle at 1.5 W, writing and at work at 3.5 W. */
	assert_int_equal(r.high.mean_power_uw, 3500000);
	assert_int_equal(r.high.energy_nj, UINT64_C(27500000000));
	ssdpm_model_unref(model);
}

/* Half of the time is idle, so the work fits into it. */
static void work_in_idle_time_makes_no_run_longer(void **state)
{
	struct ssdpm_model *model = client();
	struct list list = with_writes(model);
	const struct ssdpm_io ios[] = {
		{ .op = SSDPM_OP_WRITE, .bytes = 1000, .service_ns = 1000 },
		{ .op = SSDPM_OP_READ, .start_ns = 3693 },
	};
	struct ssdpm_sim_params params;
	struct estimated r = { 0 };

	(void)state;
	ssdpm_sim_params_init(&params, sizeof(params));
	params.parameters = list.at;
	params.n_parameters = list.n;
	for (uint64_t ps = 2693; ps <= 2694; ps++) {
		assert_int_equal(set_parameter(list.at, list.n,
					       SSDPM_PARAMETER_BACKGROUND_TIME,
					       0, ps, ps, ps, NULL),
				 0);
		assert_int_equal(estimate_ios(model, &params, ios, 2, &r, NULL),
				 0);
		assert_int_equal(r.nominal.background_ns, ps);
		assert_int_equal(r.nominal.duration_ns, 3693);
		/* 3 W for 1 us, 200 nJ of bytes, and 1 W. */
		assert_int_equal(r.nominal.mean_power_uw,
				 ps == 2693 ?
					 (3200000 + 2693000) / 3.693 + 0.5 :
					 (3200000 + 2694000) / 3.694 + 0.5);
	}
	ssdpm_model_unref(model);
}

static void without_a_maximum_the_work_takes_what_ios_do_at_most(void **state)
{
	uint8_t id[SSDPM_NVME_IDENTIFY_BYTES];
	const struct psd psd = { .mp = 0 };
	struct ssdpm_model *model;
	struct list list;
	const struct ssdpm_sustained_writes writes = { .size = sizeof(writes),
						       .spare_factor = 0.2 };

	(void)state;
	fixture_identify(id, &psd, 1);
	model = fixture_decode(id);
	list = with_writes(model);
	assert_int_equal(ssdpm_parameters_set_spare(model, list.at, list.n,
						    &writes, NULL, NULL),
			 0);
	/* 4.5 W and 300 pJ at 1 GB/s, 1.5 of them idle, for 12 ns. */
	assert_values(find(&list, SSDPM_PARAMETER_BYTE_ENERGY, WRITE), 100,
		      200 + 3724, 300 + 12 * 3300);
	ssdpm_model_unref(model);
}

/* The table of a simulation; the rest is one product. */
static void an_estimate_has_the_energy_of_the_spare(void **state)
{
	struct ssdpm_model *model = client();
	struct list list = with_writes(model);
	struct ssdpm_sim_params params;
	struct estimated results[2];

	(void)state;
	ssdpm_sim_params_init(&params, sizeof(params));
	for (int i = 0; i < 2; i++) {
		params.parameters = list.at;
		params.n_parameters = list.n;
		assert_int_equal(estimate_ios(model, &params, &one_write, 1,
					      &results[i], NULL),
				 0);
		assert_int_equal(ssdpm_parameters_set_spare(model, list.at,
							    list.n, &fifth,
							    NULL, NULL),
				 0);
	}
	/* 1 GB of 3724 pJ are 3.724 J. */
	assert_int_equal(results[1].nominal.energy_nj -
				 results[0].nominal.energy_nj,
			 UINT64_C(3724000000));
	assert_int_equal(results[1].low.energy_nj, results[0].low.energy_nj);
	assert_int_equal(results[1].nominal.duration_ns,
			 results[0].nominal.duration_ns);
	/* Stated values now depend on an assumption. */
	assert_int_equal(results[0].assumed_nj, 0);
	assert_int_equal(results[1].assumed_nj, UINT64_C(3924000000));
	ssdpm_model_unref(model);
}

static void a_spare_factor_that_is_none_is_refused(void **state)
{
	static const struct ssdpm_sustained_writes bad[] = {
		{ .size = sizeof(bad[0]), .spare_factor = 0 },
		{ .size = sizeof(bad[0]), .spare_factor = 1 },
		{ .size = sizeof(bad[0]), .spare_factor = -0.1 },
		{ .size = sizeof(bad[0]), .spare_factor = NAN },
		{ .size = sizeof(bad[0]), .spare_factor = 1e-300 },
		{ .size = sizeof(bad[0]), .spare_factor = 1e-6 },
		{ .size = sizeof(bad[0]),
		  .spare_factor = 0.2,
		  .measured_wa = 0.9 },
		{ .size = sizeof(bad[0]),
		  .spare_factor = 0.2,
		  .measured_wa = NAN },
		{ .size = sizeof(bad[0]), .spare_factor = 0.2, .reserved = 1 },
	};
	struct ssdpm_model *model = client();
	const struct list before = with_writes(model);
	struct list after = before;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ssdpm_background_work work = { .low_wa = 7 };

		assert_int_equal(ssdpm_parameters_set_spare(model, after.at,
							    after.n, &bad[i],
							    &work, NULL),
				 bad[i].reserved ? -EINVAL : -ERANGE);
		assert_true(work.low_wa == 7);
		assert_memory_equal(&after, &before, sizeof(after));
	}
	assert_int_equal(ssdpm_parameters_set_spare(model, after.at, 0, &fifth,
						    NULL, NULL),
			 -EINVAL);
	/* PS1 sleeps, and there is no other state. */
	for (uint32_t i = 1; i < 3; i++) {
		struct ssdpm_sustained_writes asleep = fifth;

		asleep.operational_state = i;
		assert_int_equal(ssdpm_parameters_set_spare(model, after.at,
							    after.n, &asleep,
							    NULL, NULL),
				 -EINVAL);
		assert_memory_equal(&after, &before, sizeof(after));
	}
	/* Bytes that take no time: how long does it take to move them? */
	assert_int_equal(set_parameter(after.at, after.n,
				       SSDPM_PARAMETER_BANDWIDTH, WRITE, 0, 0,
				       0, NULL),
			 0);
	assert_int_equal(ssdpm_parameters_set_spare(model, after.at, after.n,
						    &fifth, NULL, NULL),
			 -ERANGE);
	ssdpm_model_unref(model);
}

/* The steps that a drive takes by itself while idle. */

#define MS 1000000ull

/* PS0, then entry 3.9 and exit 11 ms, then 5 and 39 ms. */
static struct ssdpm_model *nvme(void)
{
	return fixture_model((struct latencies[]){ { 0, 0, 0 },
						   { 1, 3900, 11000 },
						   { 1, 5000, 39000 } },
			     3);
}

static const struct ssdpm_apst table = {
	.entries = { { 100, 1 }, { 2000, 2 } },
	.sent = 1,
	.enabled = 1,
};

static struct ssdpm_sim_params params_of(const struct ssdpm_apst *apst,
					 uint32_t lpm, uint32_t flags)
{
	return (struct ssdpm_sim_params){
		.size = sizeof(struct ssdpm_sim_params),
		.apst = apst,
		.lpm = lpm,
		.loop = SSDPM_LOOP_CLOSED,
		.pcie_link = SSDPM_PCIE_L1_2,
		.flags = flags,
	};
}

/* At the nominal corner. */
static int make(const struct ssdpm_model *model,
		const struct ssdpm_sim_params *params, struct chain *ret_chain,
		struct ssdpm_error *reterr)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	const struct corner nominal = { { 0 } };
	struct values values;
	size_t n;

	assert_int_equal(make_parameters_of(model, SSDPM_PCIE_L1_2, parameters,
					    &n, NULL),
			 0);
	ssdpm__values(parameters, n, 0, &nominal, &values);
	return ssdpm__chain(model, params, &values, ret_chain, reterr);
}

static void assert_step(const struct chain *chain, uint32_t index,
			uint32_t state, uint64_t at_ns, uint64_t resident_ns,
			uint64_t exit_ns)
{
	const struct chain_step *step = &chain->steps[index];

	assert_true(index < chain->n);
	assert_int_equal(step->state, state);
	assert_int_equal(step->at_ns, at_ns);
	assert_int_equal(step->resident_ns, resident_ns);
	assert_int_equal(step->exit_ns, exit_ns);
}

static void an_idle_time_counts_from_the_end_of_the_entry(void **state)
{
	(void)state;
	struct ssdpm_model *model = nvme();
	struct ssdpm_sim_params params = params_of(&table, 0, 0);
	struct chain chain;

	assert_int_equal(make(model, &params, &chain, NULL), 0);
	assert_int_equal(chain.n, 2);
	assert_step(&chain, 0, 1, 100 * MS, 103900000, 11 * MS);
	assert_step(&chain, 1, 2, 2103900000, 2108900000, 39 * MS);
	ssdpm_model_unref(model);
}

static void it_may_count_from_the_start_of_the_idle_time(void **state)
{
	(void)state;
	struct ssdpm_model *model = nvme();
	struct ssdpm_apst quick = table;
	struct ssdpm_sim_params params =
		params_of(&quick, 0, SSDPM_SIM_IDLE_FROM_START);
	struct chain chain;

	assert_int_equal(make(model, &params, &chain, NULL), 0);
	assert_step(&chain, 1, 2, 2000 * MS, 2005 * MS, 39 * MS);
	quick.entries[1].idle_ms = 101; /* still on the way to state 1 */
	assert_int_equal(make(model, &params, &chain, NULL), 0);
	assert_step(&chain, 1, 2, 103900000, 108900000, 39 * MS);
	ssdpm_model_unref(model);
}

static void a_drive_without_a_table_stays_awake(void **state)
{
	(void)state;
	static const struct ssdpm_apst off = { .sent = 1 };
	struct ssdpm_model *model = nvme();
	struct ssdpm_sim_params none = params_of(NULL, 0, 0);
	struct ssdpm_sim_params disabled = params_of(&off, 0, 0);
	struct chain chain;

	assert_int_equal(make(model, &none, &chain, NULL), 0);
	assert_int_equal(chain.n, 0);
	assert_int_equal(make(model, &disabled, &chain, NULL), 0);
	assert_int_equal(chain.n, 0);
	ssdpm_model_unref(model);
}

static void assert_refused(const struct ssdpm_model *model,
			   struct ssdpm_sim_params params, const char *fragment)
{
	struct ssdpm_error error = fixture_error();
	struct chain chain = { .n = 77 };

	assert_int_equal(make(model, &params, &chain, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, fragment);
	assert_int_equal(chain.n, 77);
}

/* What a drive's link supports, as in words 76 and 78. */
struct link {
	bool hipm, dipm, devsleep;
};

static struct ssdpm_model *sata(struct link link)
{
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_power_state states[4] = {
		{ .link_state = SSDPM_LINK_ACTIVE },
		{ .link_state = SSDPM_LINK_PARTIAL, .exit_latency_us = 10 },
		{ .link_state = SSDPM_LINK_SLUMBER, .exit_latency_us = 10000 },
		{ .link_state = SSDPM_LINK_DEVSLEEP, .exit_latency_us = 20000 },
	};
	struct ssdpm_model *model = NULL;

	info.kind = SSDPM_KIND_SATA;
	info.unknown =
		SSDPM_INFO_APSTA | SSDPM_INFO_VENDOR_ID | SSDPM_INFO_APM_LEVEL;
	info.apsta = 0;
	info.vendor_id = 0;
	info.sata_words_valid = 1;
	info.sata_generations = 14;
	info.sata_supported = (link.hipm ? SSDPM_SATA_HIPM : 0) |
			      (link.dipm ? SSDPM_SATA_DIPM : 0) |
			      (link.devsleep ? SSDPM_SATA_DEVSLEEP : 0);
	info.sata_enabled_unknown = 63;
	for (size_t i = 0; i < 4; i++) {
		states[i].unknown =
			SSDPM_FIELD_MAX_POWER | SSDPM_FIELD_ACTIVE_POWER |
			SSDPM_FIELD_IDLE_POWER | SSDPM_FIELD_ENTRY_LATENCY;
		if (i)
			states[i].flags = SSDPM_STATE_NON_OPERATIONAL;
	}
	assert_int_equal(ssdpm_model_new(&info, states,
					 link.devsleep		? 4 :
					 link.hipm || link.dipm ? 3 :
								  1,
					 &model, NULL),
			 0);
	return model;
}

static void a_hard_disk_has_no_parameters(void **state)
{
	struct ssdpm_model *ssd = sata((struct link){ .dipm = true }), *disk;
	struct ssdpm_model_info info = *ssdpm_model_get_info(ssd);
	struct ssdpm_sim *sim = NULL;
	const struct ssdpm_power_state *states;
	struct ssdpm_error error;
	struct list list;
	size_t n;

	(void)state;
	list = of(ssd, 0);
	assert_true(list.n > 0);
	info.rotational = 1;
	states = ssdpm_model_get_states(ssd, &n);
	assert_int_equal(ssdpm_model_new(&info, states, n, &disk, NULL), 0);
	assert_int_equal(ssdpm_parameters_from_model(disk, 0, list.at,
						     SSDPM_MAX_PARAMETERS, &n,
						     &error),
			 -EOPNOTSUPP);
	assert_string_equal(error.message, "a hard disk: the power of its "
					   "motor is not estimated");
	assert_int_equal(ssdpm_sim_new(disk, NULL, &sim, NULL), -EOPNOTSUPP);
	assert_null(sim);
	ssdpm_model_unref(disk);
	ssdpm_model_unref(ssd);
}

static void a_policy_of_the_other_kind_of_drive_is_refused(void **state)
{
	(void)state;
	struct ssdpm_model *model = nvme(), *link = sata((struct link){ 0 });
	struct ssdpm_sim_params asleep = params_of(NULL, 0, 0);
	struct ssdpm_apst backward = table;

	asleep.operational_state = 1;
	backward.entries[1].target = 1;
	assert_refused(model, params_of(NULL, SSDPM_LPM_MIN_POWER, 0), "lpm");
	assert_refused(link, params_of(&table, 0, 0), "apst");
	assert_refused(link, params_of(NULL, SSDPM_LPM_MIN_POWER + 1, 0),
		       "lpm");
	assert_refused(model, params_of(&backward, 0, 0), "entry 1");
	assert_refused(model, asleep, "operational_state");
	asleep.operational_state = 3;
	assert_refused(model, asleep, "operational_state");
	ssdpm_model_unref(model);
	ssdpm_model_unref(link);
}

/* The states that a drive with this link reaches, as digits. */
static void assert_link(struct link link, uint32_t lpm, const char *states)
{
	struct ssdpm_sim_params params = params_of(NULL, lpm, 0);
	struct ssdpm_model *model = sata(link);
	struct chain chain;

	assert_int_equal(make(model, &params, &chain, NULL), 0);
	assert_int_equal(chain.n, strlen(states));
	for (uint32_t i = 0; i < chain.n; i++)
		assert_int_equal(chain.steps[i].state, states[i] - '0');
	ssdpm_model_unref(model);
}

static struct ssdpm_sim *run_link(const struct ssdpm_model *model, uint32_t lpm,
				  const struct ssdpm_parameter *parameters,
				  size_t n, struct estimated *result)
{
	const struct ssdpm_io ios[] = {
		{ .start_ns = 0, .bytes = 4096, .op = SSDPM_OP_READ },
		{ .start_ns = 60000000000, .bytes = 4096, .op = SSDPM_OP_READ },
	};
	struct ssdpm_sim_params params = params_of(NULL, lpm, 0);
	struct ssdpm_sim *sim;

	params.parameters = parameters;
	params.n_parameters = n;
	assert_int_equal(ssdpm_sim_new(model, &params, &sim, NULL), 0);
	assert_int_equal(ssdpm_sim_feed(sim, ios, 2, NULL), 0);
	assert_int_equal(finish_sim(sim, 0, result, NULL), 0);
	return sim;
}

/* If all times of the link are stated, only the policy is unknown. */
static void assert_range(bool stated, uint32_t unknown)
{
	struct ssdpm_model *model = sata((struct link){ true, true, true });
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct estimated any, none, deep;
	struct ssdpm_saving saving, other;
	struct ssdpm_sim *sims[3];
	size_t n;

	assert_int_equal(make_parameters_of(model, 0, parameters, &n, NULL), 0);
	for (size_t i = 0; i < n && stated; i++)
		parameters[i].low = parameters[i].high = parameters[i].nominal;
	sims[0] = run_link(model, unknown, parameters, n, &any);
	sims[1] = run_link(model, SSDPM_LPM_MAX_PERFORMANCE, parameters, n,
			   &none);
	sims[2] = run_link(model, SSDPM_LPM_MIN_POWER, parameters, n, &deep);
	assert_true(any.axes >> (SSDPM_AXIS_LINK_IDLE_TIME - 1) & 1);
	assert_true(any.nominal.energy_nj == none.nominal.energy_nj);
	assert_true(any.high.energy_nj >= none.high.energy_nj);
	assert_true(any.high.energy_nj >= deep.high.energy_nj);
	assert_true(any.low.energy_nj <= deep.low.energy_nj);
	assert_true(any.low.energy_nj < none.low.energy_nj);
	assert_int_equal(ssdpm_sim_get_saving(sims[0], sims[2], &saving, NULL),
			 0);
	assert_int_equal(ssdpm_sim_get_saving(sims[1], sims[2], &other, NULL),
			 0);
	assert_true(saving.nominal_nj == other.nominal_nj);
	/* It may have either policy. */
	assert_true(saving.high_nj >= other.high_nj);
	assert_true(saving.low_nj <= 0 && saving.low_nj <= other.low_nj);
	assert_true(!stated || other.low_nj > 0);
	for (size_t i = 0; i < 3; i++)
		ssdpm_sim_free(sims[i]);
	ssdpm_model_unref(model);
}

static void a_link_policy_that_nobody_knows_is_a_range(void **state)
{
	(void)state;
	assert_range(true, 0);
	assert_range(true, SSDPM_LPM_KEEP_FIRMWARE_SETTINGS);
	assert_range(false, 0);
}

/* 1: partial, 2: slumber, 3: DevSleep. */
static void each_link_policy_leads_where_linux_lets_it(void **state)
{
	(void)state;
	const struct link none = { 0 }, all = { true, true, true };
	const struct link hipm = { .hipm = true }, dipm = { .dipm = true };
	const struct link both = { true, true, false };

	assert_link(all, SSDPM_LPM_KEEP_FIRMWARE_SETTINGS, "");
	assert_link(all, SSDPM_LPM_MAX_PERFORMANCE, "");
	assert_link(all, SSDPM_LPM_MEDIUM_POWER, "1");
	assert_link(all, SSDPM_LPM_MED_POWER_WITH_DIPM, "12");
	assert_link(all, SSDPM_LPM_MIN_POWER_WITH_PARTIAL, "123");
	assert_link(all, SSDPM_LPM_MIN_POWER, "23");
	assert_link(both, SSDPM_LPM_MIN_POWER_WITH_PARTIAL, "12");
	assert_link(both, SSDPM_LPM_MIN_POWER, "2");
	assert_link(hipm, SSDPM_LPM_MEDIUM_POWER, "1");
	assert_link(hipm, SSDPM_LPM_MED_POWER_WITH_DIPM, "1");
	assert_link(hipm, SSDPM_LPM_MIN_POWER, "2");
	assert_link(dipm, SSDPM_LPM_MEDIUM_POWER, "");
	assert_link(dipm, SSDPM_LPM_MED_POWER_WITH_DIPM, "12");
	assert_link(dipm, SSDPM_LPM_MIN_POWER, "12");
	assert_link(none, SSDPM_LPM_MIN_POWER, "");
}

static void a_host_asks_earlier_than_a_drive_and_for_slumber_at_once(
	void **state)
{
	(void)state;
	const struct link all = { true, true, true };
	struct ssdpm_sim_params params =
		params_of(NULL, SSDPM_LPM_MIN_POWER, 0);
	struct ssdpm_model *model = sata(all);
	struct chain chain;

	assert_int_equal(make(model, &params, &chain, NULL), 0);
	assert_step(&chain, 0, 2, 100000, 100000, 3500000);
	assert_step(&chain, 1, 3, 1000100000, 1010100000, 20 * MS);
	params.lpm = SSDPM_LPM_MED_POWER_WITH_DIPM;
	assert_int_equal(make(model, &params, &chain, NULL), 0);
	assert_step(&chain, 0, 1, 100000, 100000, 10000);
	assert_step(&chain, 1, 2, 100100000, 100100000, 3500000);
	ssdpm_model_unref(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_drive_reports_is_taken_as_it_is),
		cmocka_unit_test(
			latencies_that_were_measured_or_stated_are_no_claim),
		cmocka_unit_test(a_family_says_what_smartctl_cannot_print),
		cmocka_unit_test(
			what_was_published_of_drives_of_this_name_is_no_guess),
		cmocka_unit_test(
			what_a_drive_does_not_report_is_assumed_with_bounds),
		cmocka_unit_test(
			a_power_without_its_fraction_is_reported_with_a_range),
		cmocka_unit_test(a_range_from_zero_keeps_what_is_assumed),
		cmocka_unit_test(a_power_of_zero_watts_is_not_zero_but_unknown),
		cmocka_unit_test(a_sata_link_may_take_what_the_standard_allows),
		cmocka_unit_test(
			a_link_that_does_not_sleep_takes_power_of_its_own),
		cmocka_unit_test(
			the_power_of_an_unknown_link_is_from_the_best_to_the_worst),
		cmocka_unit_test(
			an_unknown_link_and_a_drive_without_states_are_refused),
		cmocka_unit_test(a_parameter_that_is_set_is_stated),
		cmocka_unit_test(what_cannot_be_set_changes_nothing),
		cmocka_unit_test(
			parameters_that_are_missing_or_twice_are_refused),
		cmocka_unit_test(a_corner_moves_the_parameters_of_its_axes),
		cmocka_unit_test(
			at_the_low_corner_of_service_the_drive_is_quick),
		cmocka_unit_test(
			an_axis_is_open_where_something_on_it_is_not_known),
		cmocka_unit_test(
			every_drive_of_the_catalogue_has_sound_parameters),
		cmocka_unit_test(a_hard_disk_has_no_parameters),
		cmocka_unit_test(
			a_model_of_parameters_has_their_nominal_values),
		cmocka_unit_test(parameters_that_no_model_holds_are_refused),
		cmocka_unit_test(spare_scales_what_a_written_byte_costs),
		cmocka_unit_test(spare_starts_where_a_byte_was_measured),
		cmocka_unit_test(no_mean_power_is_above_the_maximum),
		cmocka_unit_test(work_in_idle_time_makes_no_run_longer),
		cmocka_unit_test(
			without_a_maximum_the_work_takes_what_ios_do_at_most),
		cmocka_unit_test(an_estimate_has_the_energy_of_the_spare),
		cmocka_unit_test(a_spare_factor_that_is_none_is_refused),
		cmocka_unit_test(an_idle_time_counts_from_the_end_of_the_entry),
		cmocka_unit_test(it_may_count_from_the_start_of_the_idle_time),
		cmocka_unit_test(a_drive_without_a_table_stays_awake),
		cmocka_unit_test(
			a_policy_of_the_other_kind_of_drive_is_refused),
		cmocka_unit_test(a_link_policy_that_nobody_knows_is_a_range),
		cmocka_unit_test(each_link_policy_leads_where_linux_lets_it),
		cmocka_unit_test(
			a_host_asks_earlier_than_a_drive_and_for_slumber_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
