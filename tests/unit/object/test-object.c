/* SPDX-License-Identifier: MIT */
/* Objects as JSON: what each needs, what may be left out, and what it has. */
#include "tree.h"

#include <stdio.h>

static struct ssdpm_machine *machine;
static struct ssdpm_machine_facts facts;
static struct ssdpm_device *nvme;
static struct ssdpm_model *model;
static struct ssdpm_catalogue *catalogue;
static struct ssdpm_plan *plan;
static struct ssdpm_apst_params params;
static struct ssdpm_apst table;

/* All that any object is made of. */
static struct ssdpm_object whole(uint32_t kind)
{
	return (struct ssdpm_object){
		.size = sizeof(struct ssdpm_object),
		.kind = kind,
		.name = "this",
		.list = "these",
		.table_name = "one",
		.other_name = "other",
		.reason = kind == SSDPM_OBJECT_ERROR ? "gone" : NULL,
		.device = nvme,
		.machine = &facts,
		.model = model,
		.catalogue = catalogue,
		.plan = plan,
		.params = &params,
		.n_params = 1,
		.table = &table,
		.other = &table,
	};
}

static int set_up(void **state)
{
	(void)state;
	machine = tree_capture("laptop");
	facts.size = sizeof(facts);
	assert_int_equal(ssdpm_machine_read_facts(machine, &facts, NULL), 0);
	assert_int_equal(ssdpm_device_read(machine, "nvme0", &nvme, NULL), 0);
	model = fixture_model((struct latencies[]){ { 0, 0, 0 },
						    { 1, 100, 200 },
						    { 1, 3000, 900 } },
			      3);
	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &catalogue, NULL), 0);
	assert_int_equal(ssdpm_plan_new(machine, NULL, &plan, NULL), 0);
	ssdpm_apst_params_init(&params, sizeof(params));
	return ssdpm_apst_generate(model, &params, &table, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	ssdpm_plan_free(plan);
	ssdpm_catalogue_free(catalogue);
	ssdpm_model_unref(model);
	ssdpm_device_unref(nvme);
	ssdpm_machine_unref(machine);
	return 0;
}

static char *write(const struct ssdpm_object *object)
{
	const struct ssdpm_error before = fixture_error();
	struct ssdpm_error error = before;
	char *text = NULL;

	if (ssdpm_object_to_json(object, &text, &error))
		fail_msg("%s", error.message);
	assert_memory_equal(&error, &before, sizeof(error));
	return text;
}

static void assert_has(const struct ssdpm_object *object, const char *words)
{
	char *text = write(object);

	if (!strstr(text, words))
		fail_msg("%s is not in %s", words, text);
	free(text);
}

static void assert_lacks(const struct ssdpm_object *object, const char *words)
{
	char *text = write(object);

	if (strstr(text, words))
		fail_msg("%s is in %s", words, text);
	free(text);
}

static void refuse(const struct ssdpm_object *object, const char *words)
{
	struct ssdpm_error error;
	char *text = UNTOUCHED;

	assert_int_equal(ssdpm_object_to_json(object, &text, &error), -EINVAL);
	assert_string_equal(error.message, words);
	assert_ptr_equal(text, UNTOUCHED);
}

static void the_word_of_a_kind_names_its_schema(void **state)
{
	struct ssdpm_object object;
	char head[64];
	char *text;

	(void)state;
	for (uint32_t kind = 1; ssdpm_object_kind_to_string(kind); kind++) {
		object = whole(kind);
		text = write(&object);
		snprintf(head, sizeof(head),
			 "{\n  \"schema\": \"ssdpm.%s/%d\",\n",
			 kind == SSDPM_OBJECT_ANSWER ?
				 "this" :
				 ssdpm_object_kind_to_string(kind),
			 kind == SSDPM_OBJECT_ANSWER ? 2 : 1);
		assert_memory_equal(text, head, strlen(head));
		assert_string_equal(text + strlen(text) - 3, "\n}\n");
		free(text);
	}
	object = whole(0);
	refuse(&object, "0 is no kind of an object");
	object = whole(99);
	refuse(&object, "99 is no kind of an object");
}

static void an_object_needs_its_parts_and_no_others(void **state)
{
	static const struct {
		uint32_t kind;
		size_t part;
		const char *words;
	} parts[] = {
		{ SSDPM_OBJECT_LIST, offsetof(struct ssdpm_object, catalogue),
		  "catalogue is missing" },
		{ SSDPM_OBJECT_DEVICE, offsetof(struct ssdpm_object, device),
		  "device is missing" },
		{ SSDPM_OBJECT_LPM, offsetof(struct ssdpm_object, device),
		  "device is missing" },
		{ SSDPM_OBJECT_MACHINE, offsetof(struct ssdpm_object, machine),
		  "machine is missing" },
		{ SSDPM_OBJECT_PLAN, offsetof(struct ssdpm_object, plan),
		  "plan is missing" },
		{ SSDPM_OBJECT_CAPTURE, offsetof(struct ssdpm_object, name),
		  "name is missing" },
		{ SSDPM_OBJECT_APST, offsetof(struct ssdpm_object, model),
		  "model is missing" },
		{ SSDPM_OBJECT_APST_KEEP, offsetof(struct ssdpm_object, params),
		  "params is missing" },
		{ SSDPM_OBJECT_APST_DIFF, offsetof(struct ssdpm_object, other),
		  "other is missing" },
		{ SSDPM_OBJECT_APST_INFER,
		  offsetof(struct ssdpm_object, table_name),
		  "table_name is missing" },
		{ SSDPM_OBJECT_APST_REACH, offsetof(struct ssdpm_object, table),
		  "table is missing" },
		{ SSDPM_OBJECT_ERROR, offsetof(struct ssdpm_object, reason),
		  "reason is missing" },
		{ SSDPM_OBJECT_MODEL, offsetof(struct ssdpm_object, model),
		  "model is missing" },
		{ SSDPM_OBJECT_ANSWER, offsetof(struct ssdpm_object, name),
		  "name is missing" },
		{ SSDPM_OBJECT_ANSWER, offsetof(struct ssdpm_object, list),
		  "list is missing" },
		{ SSDPM_OBJECT_STATUS, offsetof(struct ssdpm_object, device),
		  "device is missing" },
	};
	struct ssdpm_object object;

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		object = whole(parts[i].kind);
		object.n_params = 0;
		memset((char *)&object + parts[i].part, 0, sizeof(void *));
		refuse(&object, parts[i].words);
	}
	object = whole(SSDPM_OBJECT_DEVICE);
	object.n_diagnoses = 1;
	refuse(&object, "diagnoses is missing");
	object = whole(SSDPM_OBJECT_ANSWER);
	object.n_items = 1;
	refuse(&object, "items is missing");
	object.n_items = 0;
	object.n_errors = 1;
	refuse(&object, "errors is missing");
	object.n_errors = 0;
	object.n_changes = 1;
	refuse(&object, "changes is missing");
	object = (struct ssdpm_object){ .size = sizeof(object),
					.kind = SSDPM_OBJECT_DEVICE,
					.device = nvme };
	assert_has(&object, "\"name\": \"nvme0\"");
	assert_has(&object, "\"verdict\": null,\n  \"diagnosis\": []\n}");
}

static void a_device_has_the_advice_of_its_caller(void **state)
{
	const struct ssdpm_diagnosis diagnoses[2] = {
		{ .code = SSDPM_DIAGNOSIS_SAVES_LESS,
		  .severity = SSDPM_SEVERITY_NOTE,
		  .message = "less" },
		{ .code = SSDPM_DIAGNOSIS_APST_OFF,
		  .severity = SSDPM_SEVERITY_PROBLEM,
		  .message = "off",
		  .is_main = 1 },
	};
	const char *const advice[2] = { "", "do it" };
	struct ssdpm_object object = whole(SSDPM_OBJECT_DEVICE);

	(void)state;
	object.diagnoses = diagnoses;
	object.n_diagnoses = 2;
	assert_has(&object, "\"message\": \"off\",\n      \"advice\": null");
	object.advice = advice;
	assert_has(&object, "\"verdict\": \"saves-less\"");
	assert_has(&object, "\"message\": \"less\",\n      \"advice\": null");
	assert_has(&object,
		   "\"message\": \"off\",\n      \"advice\": \"do it\"");
	object.kind = SSDPM_OBJECT_LPM; /* the main reason alone */
	assert_has(&object, "\"reason\": \"off\",\n  \"advice\": \"do it\"\n");
}

static void what_comes_of_commands_stands_after_the_diagnosis(void **state)
{
	const struct ssdpm_device_power power = {
		.size = sizeof(power),
		.known = SSDPM_POWER_FACT_STATE | SSDPM_POWER_FACT_THERMAL,
		.flags = SSDPM_POWER_FLAG_ASLEEP,
		.power_state = 4,
		.heavy_throttle_k = 350,
		.max_throttle_k = 360,
	};
	struct ssdpm_object object = whole(SSDPM_OBJECT_DEVICE);

	(void)state;
	object.power = &power;
	assert_lacks(&object, "power_state\": 4");
	object.machine_json = "{\n  \"schema\": \"x\"\n}\n";
	assert_has(&object, "\"power_state\": 4,\n  \"asleep\": true,\n"
			    "  \"workload_hint\": null,\n  \"nopp\": null,\n"
			    "  \"light_throttle_k\": 0,\n"
			    "  \"heavy_throttle_k\": 350,\n"
			    "  \"min_throttle_k\": null,\n"
			    "  \"max_throttle_k\": 360,\n");
	assert_has(&object,
		   "\"model\": null,\n"
		   "  \"machine\": {\n    \"schema\": \"x\"\n  }\n}\n");
	object.model_json = "{\n  \"a\": [\n    1\n  ]\n}\n";
	assert_has(&object,
		   "\"model\": {\n    \"a\": [\n      1\n    ]\n  },\n");
	object.table = NULL;
	assert_has(&object, "\"table\": null,\n  \"table_predicted\": {\n");
}

static void an_answer_has_a_list_of_objects_and_what_went_wrong(void **state)
{
	const char *const items[] = { "{\n  \"a\": 1\n}\n",
				      "{\n  \"a\": [\n    2\n  ]\n}\n" };
	const char *const errors[] = { "it \"broke\"", "again" };
	struct ssdpm_object object = whole(SSDPM_OBJECT_ANSWER);
	char *text = write(&object);

	(void)state;
	assert_string_equal(text, "{\n  \"schema\": \"ssdpm.this/2\",\n"
				  "  \"these\": [],\n  \"errors\": []\n}\n");
	free(text);
	object.items = items;
	object.n_items = 2;
	object.errors = errors;
	object.n_errors = 2;
	text = write(&object);
	assert_string_equal(text, "{\n  \"schema\": \"ssdpm.this/2\",\n"
				  "  \"these\": [\n"
				  "    {\n      \"a\": 1\n    },\n"
				  "    {\n      \"a\": [\n        2\n"
				  "      ]\n    }\n  ],\n"
				  "  \"errors\": [\n"
				  "    \"it \\\"broke\\\"\",\n"
				  "    \"again\"\n  ]\n}\n");
	free(text);
}

static void a_model_has_what_is_known_of_the_drive_beside_it(void **state)
{
	static const char *const alternatives[] = { "{\n  \"b\": 2\n}\n" };
	struct ssdpm_object object = whole(SSDPM_OBJECT_MODEL);
	char *plain, *text = write(&object);

	(void)state;
	assert_int_equal(ssdpm_model_to_json(model, &plain, NULL), 0);
	assert_string_equal(text, plain);
	free(plain);
	free(text);
	object.seen = 7;
	assert_has(&object, "],\n  \"seen\": 7\n}\n");
	object.items = alternatives;
	assert_has(&object, "\"seen\": 7,\n  \"alternatives\": []\n}\n");
	object.n_items = 1;
	object.quirks = SSDPM_QUIRK_NO_APST;
	object.more_json = "{\n  \"diagnosis\": []\n}\n";
	assert_has(&object, "\"alternatives\": [\n    {\n      \"b\": 2\n"
			    "    }\n  ],\n  \"quirks\": [\"no-apst\"],\n"
			    "  \"diagnosis\": []\n}\n");
	object.kind = SSDPM_OBJECT_MACHINE;
	assert_has(&object, "\"owners\": [],\n  \"diagnosis\": []\n}\n");
	object.kind = SSDPM_OBJECT_PLAN;
	assert_has(&object, "\"tables\": [],\n  \"estimates\": [\n    {\n"
			    "      \"b\": 2\n    }\n  ]\n}\n");
}

static void a_way_to_a_table_has_files_and_what_to_boot_with(void **state)
{
	static const struct ssdpm_change changes[] = {
		{ "/sys/a", "1" },
		{ "nvme_core.x", "2" },
		{ "/sys/b", "3" },
		{ "nvme_core.y", "4" },
	};
	struct ssdpm_object object = whole(SSDPM_OBJECT_APST_REACH);

	(void)state;
	assert_has(&object, "\"sysfs\": [],\n  \"apply\": null,\n"
			    "  \"modprobe\": null,\n"
			    "  \"kernel_command_line\": null\n}\n");
	object.changes = changes;
	object.n_changes = 4;
	object.apply = "do it";
	assert_has(&object, "\"sysfs\": [\n"
			    "    {\"path\": \"/sys/a\", \"value\": \"1\"},\n"
			    "    {\"path\": \"/sys/b\", \"value\": \"3\"}\n"
			    "  ],\n  \"apply\": \"do it\",\n"
			    "  \"modprobe\": \"options nvme_core x=2 y=4\",\n"
			    "  \"kernel_command_line\": "
			    "\"nvme_core.x=2 nvme_core.y=4\"\n}\n");
}

static void a_machine_has_every_parameter_of_nvme_core_in_order(void **state)
{
	struct ssdpm_object object = whole(SSDPM_OBJECT_MACHINE);
	struct ssdpm_machine_facts known = { .size = sizeof(known),
					     .mobile_lpm_policy = INT32_MIN };
	char expected[600] = "\"nvme_core\": {\n";
	size_t end = strlen(expected);

	(void)state;
	for (uint32_t i = 1; ssdpm_nvme_core_to_string(i); i++) {
		known.nvme_core_known |= i == 3 ? 0 : 1u << i;
		known.nvme_core[i] = 100 + i;
		end += (size_t)snprintf(expected + end, sizeof(expected) - end,
					i == 3 ? "%s    \"%s\": null" :
						 "%s    \"%s\": %u",
					i > 1 ? ",\n" : "",
					ssdpm_nvme_core_to_string(i), 100 + i);
	}
	snprintf(expected + end, sizeof(expected) - end, "\n  }");
	object.machine = &known;
	assert_has(&object, expected);
	assert_has(&object, "\"mobile_lpm_policy\": null");
	known.mobile_lpm_policy = -1;
	assert_has(&object, "\"mobile_lpm_policy\": -1");
	assert_has(&object, "\"power_source\": null");
}

static void a_plan_has_files_only_where_there_may_be_some(void **state)
{
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };
	struct ssdpm_persist_params modprobe = { .size = sizeof(modprobe),
						 .kind = SSDPM_PERSIST_UDEV,
						 .ac = &settings };
	struct ssdpm_persist *persists[2] = { NULL, NULL };
	struct ssdpm_object object = whole(SSDPM_OBJECT_PLAN);

	(void)state;
	assert_has(&object, "\"profile\": null,\n  \"power_source\": null,\n"
			    "  \"reason\": null,\n  \"in_force\": true,\n"
			    "  \"journal\": null,\n  \"steps\": [],\n"
			    "  \"tables\": []\n}");
	object.persists = persists;
	object.n_persists = 2;
	assert_has(&object, "\"tables\": [],\n  \"files\": []\n}");
	assert_int_equal(ssdpm_profile_find(NULL, 0, "balanced",
					    SSDPM_SOURCE_AC, &settings, NULL),
			 0);
	assert_int_equal(ssdpm_persist_new(&modprobe, &persists[1], NULL), 0);
	object.profile = &settings;
	assert_has(&object, "\"profile\": \"balanced\",\n"
			    "  \"power_source\": \"ac\",\n");
	assert_has(&object, "\"files\": [\n    {\n      \"path\": \"/");
	ssdpm_persist_free(persists[1]);
}

static void
a_plan_is_in_force_unless_its_steps_its_journal_or_its_caller_object(
	void **state)
{
	struct ssdpm_object object = whole(SSDPM_OBJECT_PLAN);
	struct ssdpm_journal journal = { .size = sizeof(journal),
					 .state = SSDPM_JOURNAL_UNDONE };

	(void)state;
	assert_has(&object, "\"in_force\": true");
	object.flags = SSDPM_OBJECT_NOT_IN_FORCE;
	assert_has(&object, "\"in_force\": false");
	object.flags = 0;
	object.journal = &journal;
	assert_has(&object, "\"in_force\": true");
	journal.state = SSDPM_JOURNAL_RUNNING;
	journal.stands = 1;
	assert_has(&object, "\"in_force\": false");
}

static void the_journal_of_none_is_null(void **state)
{
	struct ssdpm_journal journal = { .size = sizeof(journal),
					 .state = SSDPM_JOURNAL_NONE };
	struct ssdpm_object object = whole(SSDPM_OBJECT_PLAN);

	(void)state;
	object.journal = &journal;
	assert_has(&object, "\"journal\": null");
	journal.state = SSDPM_JOURNAL_UNDONE;
	journal.n_undone = 3;
	assert_has(&object, "\"state\": \"undone\",\n    \"age_ms\": 0,\n"
			    "    \"n_undone\": 3,\n    \"n_left_alone\": 0,\n"
			    "    \"line\": null,\n    \"reason\": null\n  }");
}

static void parameters_are_those_that_the_algorithm_reads(void **state)
{
	struct ssdpm_apst_params other = params;
	struct ssdpm_object object = whole(SSDPM_OBJECT_APST);

	(void)state;
	object.params = &other;
	other.max_exit_latency_us = SSDPM_LATENCY_ANY;
	assert_has(&object, "\"max_exit_latency_us\": \"any\",\n"
			    "    \"primary_timeout_ms\": 100,\n");
	other.algorithm = SSDPM_APST_WINDOWS;
	assert_has(&object, "\"scheme\": \"balanced\",\n"
			    "    \"power_source\": \"ac\",\n    \"quirks\"");
	other.algorithm = SSDPM_APST_LOWER_ENVELOPE;
	other.idle_power_uw = 5000;
	assert_has(&object, "\"idle_power_uw\": 5000,\n"
			    "    \"transition_power_uw\": 5000,\n");
}

static void two_tables_are_the_same_or_differ(void **state)
{
	struct ssdpm_object object = whole(SSDPM_OBJECT_APST_DIFF);
	struct ssdpm_apst other = table;

	(void)state;
	assert_has(&object, "\"same\": true,\n");
	assert_has(&object, "\"differences\": []\n");
	other.entries[1] =
		(struct ssdpm_apst_entry){ .idle_ms = 7, .target = 2 };
	other.entries[0] = (struct ssdpm_apst_entry){ .idle_ms = 0 };
	object.other = &other;
	object.params = NULL;
	object.n_params = 0;
	assert_has(&object, "\"algorithm\": null,\n  \"parameters\": null,\n"
			    "  \"other\": \"other\",\n  \"same\": false,\n");
	assert_has(&object, "\"other_target\": null, \"other_idle_ms\": null}");
	assert_has(&object, "\"other_target\": 2, \"other_idle_ms\": 7}");
}

static void a_limit_or_the_reason_why_there_is_none(void **state)
{
	struct ssdpm_object object = whole(SSDPM_OBJECT_APST_KEEP);

	(void)state;
	object.index = 2;
	assert_has(&object,
		   "\"state\": 2,\n  \"max_exit_latency_us\": 100000,\n"
		   "  \"limit_min_us\": ");
	assert_has(&object, "\"reason\": null\n");
	object.reason = "so";
	assert_has(&object,
		   "\"max_exit_latency_us\": null,\n"
		   "  \"limit_min_us\": null,\n  \"reason\": \"so\"\n");
}

static void a_row_of_the_catalogue_is_one_that_it_has(void **state)
{
	struct ssdpm_object object = whole(SSDPM_OBJECT_LIST);
	struct ssdpm_error error;
	char expected[128];
	char *text = UNTOUCHED;

	(void)state;
	object.index = 5;
	snprintf(expected, sizeof(expected), "\"product\": \"%s\"",
		 fixture_row(catalogue, 5).product);
	assert_has(&object, expected);
	object.index = fixture_count_rows(catalogue);
	assert_true(ssdpm_object_to_json(&object, &text, &error) < 0);
	assert_ptr_equal(text, UNTOUCHED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_word_of_a_kind_names_its_schema),
		cmocka_unit_test(an_object_needs_its_parts_and_no_others),
		cmocka_unit_test(a_device_has_the_advice_of_its_caller),
		cmocka_unit_test(
			what_comes_of_commands_stands_after_the_diagnosis),
		cmocka_unit_test(
			an_answer_has_a_list_of_objects_and_what_went_wrong),
		cmocka_unit_test(
			a_model_has_what_is_known_of_the_drive_beside_it),
		cmocka_unit_test(
			a_way_to_a_table_has_files_and_what_to_boot_with),
		cmocka_unit_test(
			a_machine_has_every_parameter_of_nvme_core_in_order),
		cmocka_unit_test(a_plan_has_files_only_where_there_may_be_some),
		cmocka_unit_test(
			a_plan_is_in_force_unless_its_steps_its_journal_or_its_caller_object),
		cmocka_unit_test(the_journal_of_none_is_null),
		cmocka_unit_test(parameters_are_those_that_the_algorithm_reads),
		cmocka_unit_test(two_tables_are_the_same_or_differ),
		cmocka_unit_test(a_limit_or_the_reason_why_there_is_none),
		cmocka_unit_test(a_row_of_the_catalogue_is_one_that_it_has),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
