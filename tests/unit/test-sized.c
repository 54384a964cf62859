/* SPDX-License-Identifier: MIT */
/*
 * The rule for sized structures, on each function of the core that takes one.
 * tests/abi/sized.py finds functions that are not here.
 */
#include "sized.h"
#include "tree.h"

static struct {
	char *root; /* of a machine without files */
	struct ssdpm_machine *laptop, *empty;
	struct ssdpm_device *nvme;
	struct ssdpm_model *model;
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_machine_facts facts;
	struct ssdpm_plan *plan;
	struct ssdpm_intent *intent; /* of the machine without files */
	struct ssdpm_profile_settings settings;
	struct ssdpm_persist *persist;
	struct ssdpm_persist_params persist_params;
	struct ssdpm_apst table;
	struct ssdpm_power_state state;
	struct ssdpm_model_info info;
	struct ssdpm_apst_params apst_params;
} in;

/* --- model --- */

static int model_new(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_model *model = NULL;
	int err = ssdpm_model_new(sized, &in.state, 1, &model, error);

	ssdpm_model_unref(model);
	return err;
}

/* --- policy --- */

static int apst_params_init(void *sized, struct ssdpm_error *error)
{
	(void)error;
	return ssdpm_apst_params_init(sized, sized_size(sized));
}

static int apst_generate(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_apst table;

	return ssdpm_apst_generate(in.model, sized, &table, error);
}

static int catalogue_get_row(void *sized, struct ssdpm_error *error)
{
	(void)error;
	return ssdpm_catalogue_get_row(in.catalogue, 0, sized);
}

static int apst_explain(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_apst_verdict verdicts[SSDPM_MAX_STATES];

	return ssdpm_apst_explain(in.model, sized, verdicts, SSDPM_MAX_STATES,
				  error);
}

static int apst_limit_range(void *sized, struct ssdpm_error *error)
{
	uint64_t low, high;

	return ssdpm_apst_limit_range(in.model, sized, &low, &high, error);
}

static int apst_keep(void *sized, struct ssdpm_error *error)
{
	uint64_t limit;

	return ssdpm_apst_keep(in.model, sized, 1, &limit, error);
}

static int apst_infer(void *sized, struct ssdpm_error *error)
{
	size_t n;

	return ssdpm_apst_infer(in.model, &in.table, sized, 1, &n, error);
}

static int apst_reach(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_apst table;

	return ssdpm_apst_reach(in.model, &in.table, 0, sized, &table, error);
}

static int apst_algorithm_parse(void *sized, struct ssdpm_error *error)
{
	return ssdpm_apst_algorithm_parse("linux:secondary-timeout=1s", sized,
					  error);
}

static int quirks_find(void *sized, struct ssdpm_error *error)
{
	uint32_t quirks;

	return ssdpm_quirks_find(in.model, sized, &quirks, NULL, error);
}

static int quirks_explain(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_quirk_match matches[SSDPM_MAX_QUIRK_MATCHES];
	size_t n;

	return ssdpm_quirks_explain(in.model, sized, matches,
				    SSDPM_MAX_QUIRK_MATCHES, &n, error);
}

static int profile_find(void *sized, struct ssdpm_error *error)
{
	return ssdpm_profile_find(NULL, 0, "balanced", SSDPM_SOURCE_AC, sized,
				  error);
}

/* --- device --- */

static int machine_new(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_machine *machine = NULL;
	int err = ssdpm_machine_new(sized, &machine, error);

	ssdpm_machine_unref(machine);
	return err;
}

static int machine_read_facts(void *sized, struct ssdpm_error *error)
{
	return ssdpm_machine_read_facts(in.laptop, sized, error);
}

static int device_read_power(void *sized, struct ssdpm_error *error)
{
	return ssdpm_device_read_power(in.nvme, sized, error);
}

static int device_get_host(void *sized, struct ssdpm_error *error)
{
	return ssdpm_device_get_host(in.nvme, &in.facts, sized, error);
}

static int device_get_host_of(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_host host = { .size = sizeof(host) };

	return ssdpm_device_get_host(in.nvme, sized, &host, error);
}

static int device_get_quirks(void *sized, struct ssdpm_error *error)
{
	uint32_t quirks, from_kernel;

	return ssdpm_device_get_quirks(in.nvme, sized, in.model, &quirks,
				       &from_kernel, error);
}

static int device_get_settings(void *sized, struct ssdpm_error *error)
{
	return ssdpm_device_get_settings(in.nvme, &in.facts, in.model, sized,
					 error);
}

static int device_get_settings_of(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_device_settings settings = { .size = sizeof(settings) };

	return ssdpm_device_get_settings(in.nvme, sized, in.model, &settings,
					 error);
}

static int device_get_apst_params(void *sized, struct ssdpm_error *error)
{
	return ssdpm_device_get_apst_params(in.nvme, &in.facts, in.model, sized,
					    error);
}

static int device_get_apst_params_of(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_apst_params params = { .size = sizeof(params) };

	return ssdpm_device_get_apst_params(in.nvme, sized, in.model, &params,
					    error);
}

static int device_get_apst_changes(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_change *changes = NULL;
	size_t n;
	int err = ssdpm_device_get_apst_changes(in.nvme, &in.facts, sized,
						&changes, &n, error);

	free(changes);
	return err;
}

static int device_get_apst_changes_of(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_change *changes = NULL;
	size_t n;
	int err = ssdpm_device_get_apst_changes(in.nvme, sized, &in.apst_params,
						&changes, &n, error);

	free(changes);
	return err;
}

static int device_diagnose(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_diagnosis *diagnoses = NULL;
	size_t n;
	int err = ssdpm_device_diagnose(in.nvme, sized, &diagnoses, &n, error);

	free(diagnoses);
	return err;
}

static int device_diagnose_of(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_diagnosis_params params = {
		.size = sizeof(params),
		.facts = sized,
		.model = in.model,
	};

	return device_diagnose(&params, error);
}

/* --- apply --- */

static int plan_new(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_plan *plan = NULL;
	int err = ssdpm_plan_new(in.laptop, sized, &plan, error);

	ssdpm_plan_free(plan);
	return err;
}

static int plan_add_profile(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_plan *plan;
	int err;

	assert_int_equal(ssdpm_plan_new(in.laptop, NULL, &plan, NULL), 0);
	err = ssdpm_plan_add_profile(plan, in.nvme, in.model, sized, error);
	ssdpm_plan_free(plan);
	return err;
}

static int plan_add_profile_to_all(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_plan *plan;
	int err;

	assert_int_equal(ssdpm_plan_new(in.laptop, NULL, &plan, NULL), 0);
	err = ssdpm_plan_add_profile(plan, NULL, NULL, sized, error);
	ssdpm_plan_free(plan);
	return err;
}

static const uint32_t min_power = SSDPM_LPM_MIN_POWER;
static const struct ssdpm_diagnosis_params diagnosis_params = {
	.size = sizeof(diagnosis_params),
	.facts = &in.facts,
};
static const struct ssdpm_lpm_params lpm_params = {
	.size = sizeof(lpm_params),
	.lpms = &min_power,
	.n_lpms = 1,
	.flags = SSDPM_LPM_ANY_PORT,
};

static int plan_add_lpm(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_machine *desktop = tree_capture("desktop-6.1");
	struct ssdpm_device *disk;
	struct ssdpm_plan *plan;
	int err;

	assert_int_equal(ssdpm_plan_new(desktop, NULL, &plan, NULL), 0);
	assert_int_equal(ssdpm_device_read(desktop, "sda", &disk, NULL), 0);
	err = ssdpm_plan_add_lpm(plan, disk, NULL, sized, error);
	ssdpm_device_unref(disk);
	ssdpm_machine_unref(desktop);
	ssdpm_plan_free(plan);
	return err;
}

static int report_new(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_report *report = NULL;
	int err = ssdpm_report_new(in.laptop, sized, &report, error);

	ssdpm_report_free(report);
	return err;
}

static int report_get_item(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_report *report;
	int err;

	(void)error;
	assert_int_equal(ssdpm_report_new(in.laptop, NULL, &report, NULL), 0);
	err = ssdpm_report_get_item(report, 0, sized);
	ssdpm_report_free(report);
	return err;
}

static int plan_get_step(void *sized, struct ssdpm_error *error)
{
	(void)error;
	return ssdpm_plan_get_step(in.plan, 0, sized);
}

static int plan_get_table(void *sized, struct ssdpm_error *error)
{
	(void)error;
	return ssdpm_plan_get_table(in.plan, 0, sized);
}

static int plan_get_journal(void *sized, struct ssdpm_error *error)
{
	(void)error;
	return ssdpm_plan_get_journal(in.plan, sized);
}

static int journal_read(void *sized, struct ssdpm_error *error)
{
	return ssdpm_journal_read(in.empty, NULL, sized, error);
}

static int journal_read_of(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_journal journal = { .size = sizeof(journal) };

	return ssdpm_journal_read(in.empty, sized, &journal, error);
}

static int request_add(void *sized, struct ssdpm_error *error)
{
	return ssdpm_request_add(in.empty, sized, error);
}

static int run_nothing(void *userdata, struct ssdpm_error *reterr)
{
	(void)userdata;
	(void)reterr;
	return 0;
}

static int request_serve(void *sized, struct ssdpm_error *error)
{
	return ssdpm_request_serve(in.empty, sized, run_nothing, NULL, NULL,
				   error);
}

SIZED_MAKES(persist_new, ssdpm_persist_new, struct ssdpm_persist,
	    ssdpm_persist_free)

static int persist_get_file(void *sized, struct ssdpm_error *error)
{
	(void)error;
	return ssdpm_persist_get_file(in.persist, 0, sized);
}

/* --- intent --- */

static int intent_get_settings(void *sized, struct ssdpm_error *error)
{
	return ssdpm_intent_get_settings(in.intent, NULL, SSDPM_SOURCE_AC,
					 sized, error);
}

static int plan_add_intent(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_plan *plan;
	int err;

	assert_int_equal(ssdpm_plan_new(in.laptop, NULL, &plan, NULL), 0);
	err = ssdpm_plan_add_intent(plan, in.nvme, in.model, in.intent, sized,
				    error);
	ssdpm_plan_free(plan);
	return err;
}

static int plan_add_intent_to_all(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_plan *plan;
	int err;

	assert_int_equal(ssdpm_plan_new(in.laptop, NULL, &plan, NULL), 0);
	err = ssdpm_plan_add_intent(plan, NULL, NULL, in.intent, sized, error);
	ssdpm_plan_free(plan);
	return err;
}

/* --- object --- */

SIZED_MAKES(object_to_json, ssdpm_object_to_json, char, free)

static struct ssdpm_object object = {
	.size = sizeof(object),
	.kind = SSDPM_OBJECT_MACHINE,
	.machine = &in.facts,
};
static const struct ssdpm_journal journal = { .size = sizeof(journal) };
static const struct ssdpm_device_power power = { .size = sizeof(power) };

static const struct sized_case cases[] = {
	SIZED(ssdpm_object_to_json, ssdpm_object, SIZED_IN, &object,
	      object_to_json),
	SIZED_MEMBER(ssdpm_object_to_json, ssdpm_machine_facts, &in.facts,
		     object_to_json, object, machine),
	SIZED_MEMBER(ssdpm_object_to_json, ssdpm_journal, &journal,
		     object_to_json, object, journal),
	SIZED_MEMBER(ssdpm_object_to_json, ssdpm_device_power, &power,
		     object_to_json, object, power),
	SIZED_MEMBER(ssdpm_object_to_json, ssdpm_profile_settings, &in.settings,
		     object_to_json, object, profile),
	SIZED_MEMBER(ssdpm_object_to_json, ssdpm_apst_params, &in.apst_params,
		     object_to_json, object, params),
	SIZED(ssdpm_model_new, ssdpm_model_info, SIZED_IN, &in.info, model_new),
	SIZED(ssdpm_catalogue_get_row, ssdpm_catalogue_row, SIZED_OUT, NULL,
	      catalogue_get_row),
	SIZED(ssdpm_apst_params_init, ssdpm_apst_params, SIZED_INIT, NULL,
	      apst_params_init),
	SIZED(ssdpm_apst_generate, ssdpm_apst_params, SIZED_IN, &in.apst_params,
	      apst_generate),
	SIZED(ssdpm_apst_explain, ssdpm_apst_params, SIZED_IN, &in.apst_params,
	      apst_explain),
	SIZED(ssdpm_apst_limit_range, ssdpm_apst_params, SIZED_IN,
	      &in.apst_params, apst_limit_range),
	SIZED(ssdpm_apst_keep, ssdpm_apst_params, SIZED_IN, &in.apst_params,
	      apst_keep),
	SIZED(ssdpm_apst_infer, ssdpm_apst_params, SIZED_OUT, NULL, apst_infer),
	SIZED(ssdpm_apst_reach, ssdpm_apst_params, SIZED_OUT, NULL, apst_reach),
	SIZED(ssdpm_apst_algorithm_parse, ssdpm_apst_params, SIZED_VARIES,
	      &in.apst_params, apst_algorithm_parse),
	SIZED(ssdpm_quirks_find, ssdpm_host, SIZED_IN, NULL, quirks_find),
	SIZED(ssdpm_quirks_explain, ssdpm_host, SIZED_IN, NULL, quirks_explain),
	SIZED(ssdpm_profile_find, ssdpm_profile_settings, SIZED_OUT, NULL,
	      profile_find),
	SIZED(ssdpm_machine_new, ssdpm_machine_params, SIZED_IN, NULL,
	      machine_new),
	SIZED(ssdpm_machine_read_facts, ssdpm_machine_facts, SIZED_OUT, NULL,
	      machine_read_facts),
	SIZED(ssdpm_device_read_power, ssdpm_device_power, SIZED_OUT, NULL,
	      device_read_power),
	SIZED(ssdpm_device_get_host, ssdpm_host, SIZED_OUT, NULL,
	      device_get_host),
	SIZED(ssdpm_device_get_host, ssdpm_machine_facts, SIZED_IN, &in.facts,
	      device_get_host_of),
	SIZED(ssdpm_device_get_quirks, ssdpm_machine_facts, SIZED_IN, &in.facts,
	      device_get_quirks),
	SIZED(ssdpm_device_get_apst_params, ssdpm_apst_params, SIZED_OUT, NULL,
	      device_get_apst_params),
	SIZED(ssdpm_device_get_apst_params, ssdpm_machine_facts, SIZED_IN,
	      &in.facts, device_get_apst_params_of),
	SIZED(ssdpm_device_get_apst_changes, ssdpm_apst_params, SIZED_IN,
	      &in.apst_params, device_get_apst_changes),
	SIZED(ssdpm_device_get_apst_changes, ssdpm_machine_facts, SIZED_IN,
	      &in.facts, device_get_apst_changes_of),
	SIZED(ssdpm_device_get_settings, ssdpm_device_settings, SIZED_OUT, NULL,
	      device_get_settings),
	SIZED(ssdpm_device_get_settings, ssdpm_machine_facts, SIZED_IN,
	      &in.facts, device_get_settings_of),
	SIZED(ssdpm_device_diagnose, ssdpm_diagnosis_params, SIZED_IN,
	      &diagnosis_params, device_diagnose),
	SIZED(ssdpm_device_diagnose, ssdpm_machine_facts, SIZED_IN, &in.facts,
	      device_diagnose_of),
	SIZED(ssdpm_plan_new, ssdpm_plan_params, SIZED_IN, NULL, plan_new),
	SIZED(ssdpm_plan_add_lpm, ssdpm_lpm_params, SIZED_IN, &lpm_params,
	      plan_add_lpm),
	SIZED(ssdpm_plan_add_profile, ssdpm_profile_settings, SIZED_IN,
	      &in.settings, plan_add_profile),
	SIZED(ssdpm_plan_add_profile, ssdpm_profile_settings, SIZED_IN,
	      &in.settings, plan_add_profile_to_all),
	SIZED(ssdpm_intent_get_settings, ssdpm_profile_settings, SIZED_OUT,
	      NULL, intent_get_settings),
	SIZED(ssdpm_plan_add_intent, ssdpm_intent_params, SIZED_IN, NULL,
	      plan_add_intent),
	SIZED(ssdpm_plan_add_intent, ssdpm_intent_params, SIZED_IN, NULL,
	      plan_add_intent_to_all),
	SIZED(ssdpm_report_new, ssdpm_profile_settings, SIZED_IN, &in.settings,
	      report_new),
	SIZED(ssdpm_report_get_item, ssdpm_report_item, SIZED_VARIES, NULL,
	      report_get_item),
	SIZED(ssdpm_plan_get_step, ssdpm_step, SIZED_OUT, NULL, plan_get_step),
	SIZED(ssdpm_plan_get_table, ssdpm_planned_table, SIZED_OUT, NULL,
	      plan_get_table),
	SIZED(ssdpm_plan_get_journal, ssdpm_journal, SIZED_OUT, NULL,
	      plan_get_journal),
	SIZED(ssdpm_journal_read, ssdpm_journal, SIZED_OUT, NULL, journal_read),
	SIZED(ssdpm_journal_read, ssdpm_plan_params, SIZED_IN, NULL,
	      journal_read_of),
	SIZED(ssdpm_request_add, ssdpm_plan_params, SIZED_IN, NULL,
	      request_add),
	SIZED(ssdpm_request_serve, ssdpm_plan_params, SIZED_IN, NULL,
	      request_serve),
	SIZED(ssdpm_persist_new, ssdpm_persist_params, SIZED_IN,
	      &in.persist_params, persist_new),
	SIZED_MEMBER(ssdpm_persist_new, ssdpm_profile_settings, &in.settings,
		     persist_new, in.persist_params, ac),
	SIZED(ssdpm_persist_get_file, ssdpm_persist_file, SIZED_OUT, NULL,
	      persist_get_file),
};

static void every_sized_structure_of_the_core_keeps_the_rule(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		sized_assert(&cases[i]);
}

static void make_parameters(void)
{
	in.info = fixture_info();
	in.state = (struct ssdpm_power_state){ .max_power_uw = 5000000 };
	in.model = fixture_model(
		(struct latencies[]){ { 0, 0, 0 }, { 1, 100, 200 } }, 2);
	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &in.catalogue, NULL), 0);
	ssdpm_apst_params_init(&in.apst_params, sizeof(in.apst_params));
	assert_int_equal(ssdpm_apst_generate(in.model, NULL, &in.table, NULL),
			 0);
	in.settings.size = sizeof(in.settings);
	assert_int_equal(ssdpm_profile_find(NULL, 0, "balanced",
					    SSDPM_SOURCE_AC, &in.settings,
					    NULL),
			 0);
	in.persist_params = (struct ssdpm_persist_params){
		.size = sizeof(in.persist_params),
		.kind = SSDPM_PERSIST_UDEV,
		.ac = &in.settings,
	};
	assert_int_equal(
		ssdpm_persist_new(&in.persist_params, &in.persist, NULL), 0);
}

static int set_up(void **state)
{
	(void)state;
	make_parameters();
	in.root = tree_new();
	tree_put(in.root, "/ssdpm-capture", "ssdpm-capture 1\n");
	in.empty = tree_machine(in.root);
	in.laptop = tree_capture("laptop");
	assert_int_equal(ssdpm_intent_read(in.empty, &in.intent, NULL), 0);
	in.facts.size = sizeof(in.facts);
	assert_int_equal(ssdpm_machine_read_facts(in.laptop, &in.facts, NULL),
			 0);
	assert_int_equal(ssdpm_device_read(in.laptop, "nvme0", &in.nvme, NULL),
			 0);
	assert_int_equal(ssdpm_plan_new(in.laptop, NULL, &in.plan, NULL), 0);
	assert_int_equal(ssdpm_plan_add_latency_tolerance(in.plan, in.nvme,
							  in.model, 7000, NULL),
			 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ssdpm_plan_free(in.plan);
	ssdpm_intent_free(in.intent);
	ssdpm_device_unref(in.nvme);
	ssdpm_machine_unref(in.laptop);
	ssdpm_machine_unref(in.empty);
	tree_remove(in.root);
	ssdpm_persist_free(in.persist);
	ssdpm_catalogue_free(in.catalogue);
	ssdpm_model_unref(in.model);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_sized_structure_of_the_core_keeps_the_rule),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
