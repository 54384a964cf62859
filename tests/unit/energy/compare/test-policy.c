/* SPDX-License-Identifier: MIT */
/* The words for policies, and the policy of each for a drive. */
#include "fixture.h"

#include <errno.h>

static struct ssdpm_model *nvme, *sata;

static int make_models(void **state)
{
	struct ssdpm_model_info info = { .size = sizeof(info),
					 .kind = SSDPM_KIND_SATA };

	(void)state;
	nvme = fixture_read_good(
		"{\"schema\":\"ssdpm.model/1\",\"kind\":\"nvme\",\"states\":["
		"{\"operational\":true,\"max_power_uw\":5000000,"
		"\"idle_power_uw\":900000},"
		"{\"operational\":false,\"max_power_uw\":50000,"
		"\"idle_power_uw\":40000,"
		"\"entry_latency_us\":1000,\"exit_latency_us\":5000},"
		"{\"operational\":false,\"max_power_uw\":5000,"
		"\"idle_power_uw\":4000,"
		"\"entry_latency_us\":5000,\"exit_latency_us\":45000}]}");
	assert_int_equal(ssdpm_model_new(&info, NULL, 0, &sata, NULL), 0);
	return 0;
}

static int drop_models(void **state)
{
	(void)state;
	nvme = ssdpm_model_unref(nvme);
	sata = ssdpm_model_unref(sata);
	return 0;
}

static struct ssdpm_policy parsed(const char *word)
{
	struct ssdpm_policy policy = { .size = sizeof(policy) };
	struct ssdpm_error error;

	if (ssdpm_policy_parse(word, NULL, &policy, &error))
		fail_msg("%s: %s", word, error.message);
	return policy;
}

static struct ssdpm_resolved_policy resolved(
	const char *word, const struct ssdpm_device_settings *settings)
{
	const struct ssdpm_policy policy = parsed(word);
	struct ssdpm_resolved_policy result;
	struct ssdpm_error error;

	if (ssdpm_policy_resolve(nvme, &policy, NULL, settings, &result,
				 &error))
		fail_msg("%s: %s", word, error.message);
	return result;
}

static void every_common_word_is_a_policy_and_the_way_back(void **state)
{
	const char *word, *back;
	size_t n = 0;

	(void)state;
	for (; (word = ssdpm_policy_get_common(0, n)); n++) {
		const struct ssdpm_policy policy = parsed(word);

		assert_int_equal(ssdpm_policy_get_word(&policy, &back, NULL),
				 0);
		assert_string_equal(back, word);
	}
	assert_true(n >= 17);
	assert_string_equal(ssdpm_policy_get_common(SSDPM_KIND_SATA, 1),
			    "med_power_with_dipm");
	assert_null(ssdpm_policy_get_common(SSDPM_KIND_SATA, 6));
}

static void what_a_word_leaves_out_is_of_the_parameters(void **state)
{
	struct ssdpm_policy policy = { .size = sizeof(policy) };
	struct ssdpm_apst_params params;
	const char *word;

	(void)state;
	ssdpm_apst_params_init(&params, sizeof(params));
	params.power_source = SSDPM_SOURCE_BATTERY;
	params.scheme = SSDPM_SCHEME_POWER_SAVER;
	assert_int_equal(ssdpm_policy_parse("windows", &params, &policy, NULL),
			 0);
	assert_int_equal(ssdpm_policy_get_word(&policy, &word, NULL), 0);
	assert_string_equal(word, "windows:power-saver:battery");
	assert_int_equal(
		ssdpm_policy_parse("windows:balanced", &params, &policy, NULL),
		0);
	assert_int_equal(ssdpm_policy_get_word(&policy, &word, NULL), 0);
	assert_string_equal(word, "windows:balanced:battery");
}

static void a_word_with_parameters_goes_before_the_parameters(void **state)
{
	struct ssdpm_policy policy = { .size = sizeof(policy) };
	struct ssdpm_error error = fixture_error();
	struct ssdpm_apst_params params;

	(void)state;
	ssdpm_apst_params_init(&params, sizeof(params));
	params.primary_timeout_ms = 50;
	params.secondary_timeout_ms = 3000;
	assert_int_equal(ssdpm_policy_parse("linux:secondary-timeout=1s",
					    &params, &policy, NULL),
			 0);
	assert_int_equal(policy.kind, SSDPM_POLICY_ALGORITHM);
	assert_int_equal(policy.params.primary_timeout_ms, 50);
	assert_int_equal(policy.params.secondary_timeout_ms, 1000);
	assert_int_equal(
		ssdpm_policy_parse("linux:second=1s", &params, &policy, &error),
		-EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "unknown parameter 'second'");
}

static void a_word_that_is_none_is_refused(void **state)
{
	static const char *const words[] = {
		"",
		"Linux",
		"linux:",
		"linux:ac",
		"windows:",
		"windows:ac",
		"windows:",
		"windows:balanced:",
		"windows:balanced:ac:",
		"nones",
		"min_power:ac",
		"windows:balanced:mains",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct ssdpm_policy policy = { .size = sizeof(policy) };
		struct ssdpm_error error = fixture_error();

		if (ssdpm_policy_parse(words[i], NULL, &policy, &error) !=
		    -EINVAL)
			fail_msg("\"%s\" is taken", words[i]);
		fixture_assert_error(&error, -EINVAL, 0, "is no policy");
		assert_int_equal(policy.kind, 0);
	}
}

static void assert_refused(const struct ssdpm_model *model, const char *word,
			   const struct ssdpm_device_settings *settings,
			   const char *why)
{
	const struct ssdpm_policy policy = parsed(word);
	struct ssdpm_resolved_policy result;
	struct ssdpm_error error = fixture_error();

	assert_int_equal(ssdpm_policy_check(model, &policy, settings, &error),
			 -EOPNOTSUPP);
	fixture_assert_error(&error, -EOPNOTSUPP, 0, why);
	error = fixture_error();
	assert_int_equal(ssdpm_policy_resolve(model, &policy, NULL, settings,
					      &result, &error),
			 -EOPNOTSUPP);
	fixture_assert_error(&error, -EOPNOTSUPP, 0, why);
}

static void a_policy_that_is_not_for_a_drive_is_refused(void **state)
{
	const struct ssdpm_device_settings nothing = { .size = sizeof(
							       nothing) };

	(void)state;
	assert_refused(nvme, "min_power", NULL, "min_power is for SATA drives");
	assert_refused(sata, "windows", NULL,
		       "windows:balanced:ac is for NVMe drives");
	assert_refused(nvme, "today", NULL, "only devices have it");
	assert_refused(sata, "today", NULL, "only devices have it");
	assert_refused(nvme, "today", &nothing, "its machine does not say");
}

static void the_reference_is_today_or_what_linux_does(void **state)
{
	struct ssdpm_device_settings settings = { .size = sizeof(settings) };
	struct ssdpm_policy policy = { .size = sizeof(policy) };
	const char *word;

	(void)state;
	ssdpm_policy_get_reference(nvme, NULL, NULL, &policy, NULL);
	ssdpm_policy_get_word(&policy, &word, NULL);
	assert_string_equal(word, "linux");
	ssdpm_policy_get_reference(nvme, &settings, NULL, &policy, NULL);
	ssdpm_policy_get_word(&policy, &word, NULL);
	assert_string_equal(word, "linux");
	settings.known = SSDPM_SETTING_APST;
	ssdpm_policy_get_reference(nvme, &settings, NULL, &policy, NULL);
	assert_int_equal(policy.kind, SSDPM_POLICY_TODAY);
	ssdpm_policy_get_reference(sata, NULL, NULL, &policy, NULL);
	ssdpm_policy_get_word(&policy, &word, NULL);
	assert_string_equal(word, "med_power_with_dipm");
}

static void a_table_is_what_its_algorithm_makes(void **state)
{
	struct ssdpm_apst_params params;
	struct ssdpm_apst table;

	(void)state;
	ssdpm_apst_params_init(&params, sizeof(params));
	for (uint32_t i = 1; ssdpm_apst_algorithm_to_string(i); i++) {
		const char *word = ssdpm_apst_algorithm_to_string(i);
		const struct ssdpm_resolved_policy made = resolved(word, NULL);

		params.algorithm = i;
		assert_int_equal(
			ssdpm_apst_generate(nvme, &params, &table, NULL), 0);
		assert_memory_equal(&made.apst, &table, sizeof(table));
		assert_int_equal(made.lpm, SSDPM_LPM_MAX_PERFORMANCE);
	}
}

static void quirks_of_the_machine_are_for_linux_and_not_for_windows(
	void **state)
{
	const struct ssdpm_device_settings settings = {
		.size = sizeof(settings),
		.known = SSDPM_SETTING_QUIRKS,
		.quirks = SSDPM_QUIRK_NO_APST,
	};

	(void)state;
	assert_false(resolved("linux", &settings).apst.sent &&
		     resolved("linux", &settings).apst.enabled);
	assert_true(resolved("windows", &settings).apst.enabled);
	assert_true(resolved("linux", NULL).apst.enabled);
}

static void quirks_of_the_policy_are_for_windows_too(void **state)
{
	struct ssdpm_policy policy = { .size = sizeof(policy) };
	struct ssdpm_resolved_policy made;

	(void)state;
	assert_int_equal(ssdpm_policy_parse("windows", NULL, &policy, NULL), 0);
	policy.params.quirks = SSDPM_QUIRK_NO_APST;
	assert_int_equal(
		ssdpm_policy_resolve(nvme, &policy, NULL, NULL, &made, NULL),
		0);
	assert_false(made.apst.enabled);
}

static void today_is_what_the_machine_says(void **state)
{
	const struct ssdpm_device_settings settings = {
		.size = sizeof(settings),
		.known = SSDPM_SETTING_APST,
		.apst = { .sent = 1,
			  .enabled = 1,
			  .entries = { { .idle_ms = 7, .target = 2 } } },
	};
	const struct ssdpm_resolved_policy today = resolved("today", &settings);
	struct ssdpm_resolved_policy other = today;

	(void)state;
	assert_memory_equal(&today.apst, &settings.apst, sizeof(today.apst));
	assert_true(ssdpm_resolved_policy_is_same(&today, &other));
	other.apst.entries[0].idle_ms = 8;
	assert_false(ssdpm_resolved_policy_is_same(&today, &other));
	/*
	 * A table that is off, and one without entries: the drive never sleeps.
	 */
	other.apst.enabled = 0;
	assert_false(ssdpm_resolved_policy_is_same(&today, &other));
	assert_true(ssdpm_resolved_policy_is_same(
		&other, &(struct ssdpm_resolved_policy){ .lpm = today.lpm }));
}

static void the_drive_is_simulated_as_its_machine_has_it(void **state)
{
	const struct ssdpm_device_settings settings = {
		.size = sizeof(settings),
		.known = SSDPM_SETTING_APST,
		.pcie_link = SSDPM_PCIE_L1,
		.apst = { .sent = 1,
			  .enabled = 1,
			  .entries = { { .idle_ms = 7, .target = 2 } } },
	};
	const struct ssdpm_device_settings port = {
		.size = sizeof(port),
		.known = SSDPM_SETTING_LPM,
		.lpm = SSDPM_LPM_MIN_POWER,
	};
	struct ssdpm_resolved_policy resolved;
	struct ssdpm_sim_params params;
	uint32_t link;

	(void)state;
	assert_int_equal(
		ssdpm_device_settings_get_pcie_link(&settings, &link, NULL), 0);
	assert_int_equal(link, SSDPM_PCIE_L1);
	assert_int_equal(
		ssdpm_device_settings_get_pcie_link(&port, &link, NULL), 0);
	assert_int_equal(link, 0);
	assert_int_equal(ssdpm_device_settings_get_pcie_link(NULL, &link, NULL),
			 0);
	assert_int_equal(link, SSDPM_PCIE_L1_2);
	ssdpm_sim_params_init(&params, sizeof(params));
	assert_int_equal(ssdpm_sim_params_set_policy(&params, nvme, NULL,
						     &settings, &resolved,
						     NULL),
			 0);
	assert_ptr_equal(params.apst, &resolved.apst);
	assert_memory_equal(params.apst, &settings.apst, sizeof(settings.apst));
	assert_int_equal(params.pcie_link, SSDPM_PCIE_L1);
	assert_int_equal(ssdpm_sim_params_set_policy(&params, sata, NULL, &port,
						     &resolved, NULL),
			 0);
	assert_int_equal(params.lpm, SSDPM_LPM_MIN_POWER);
	/* Without a machine: Linux's default, and the link is unchanged. */
	ssdpm_sim_params_init(&params, sizeof(params));
	assert_int_equal(ssdpm_sim_params_set_policy(&params, nvme, NULL, NULL,
						     &resolved, NULL),
			 0);
	assert_true(params.apst->enabled);
	assert_int_equal(params.pcie_link, SSDPM_PCIE_L1_2);
}

static const struct ssdpm_io ios[] = {
	{ .start_ns = 0, .service_ns = 1000, .op = SSDPM_OP_READ, .bytes = 1 },
	{ .start_ns = 60000000000,
	  .service_ns = 1000,
	  .op = SSDPM_OP_READ,
	  .bytes = 1 },
};

static struct ssdpm_compared_policy row_of(
	const struct ssdpm_comparison *comparison, size_t index)
{
	struct ssdpm_compared_policy row = { .size = sizeof(row) };

	assert_int_equal(ssdpm_comparison_get_row(comparison, index, &row), 0);
	return row;
}

static void policies_are_compared_and_the_same_one_runs_once(void **state)
{
	static const char *const words[] = { "none", "linux", "linux",
					     "windows:performance:ac" };
	struct ssdpm_compared_policy row = { .size = sizeof(row) };
	struct ssdpm_comparison *comparison;

	(void)state;
	assert_int_equal(
		ssdpm_comparison_new(nvme, NULL, NULL, &comparison, NULL), 0);
	assert_int_equal(ssdpm_comparison_finish(comparison, 0, NULL),
			 -ENODATA);
	assert_int_equal(
		ssdpm_comparison_add(comparison, "min_power", NULL, NULL),
		-EOPNOTSUPP);
	ssdpm_comparison_free(comparison);
	assert_int_equal(
		ssdpm_comparison_new(nvme, NULL, NULL, &comparison, NULL), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(
			ssdpm_comparison_add(comparison, words[i], NULL, NULL),
			0);
	assert_null(row_of(comparison, 0).result);
	assert_int_equal(ssdpm_comparison_feed(comparison, ios, 2, NULL), 0);
	assert_int_equal(ssdpm_comparison_add(comparison, "none", NULL, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_comparison_finish(comparison, 0, NULL), 0);
	assert_int_equal(row_of(comparison, 1).same_as, 1);
	assert_int_equal(row_of(comparison, 2).same_as, 1);
	assert_string_equal(row_of(comparison, 2).name, "linux");
	assert_ptr_equal(row_of(comparison, 2).sim, row_of(comparison, 1).sim);
	assert_int_equal(row_of(comparison, 0).saving.nominal_nj, 0);
	assert_true(row_of(comparison, 1).saving.nominal_nj > 0);
	assert_non_null(row_of(comparison, 3).result);
	assert_int_equal(ssdpm_comparison_get_row(comparison, 4, &row),
			 -ENOENT);
	assert_int_equal(ssdpm_comparison_finish(comparison, 0, NULL), -EINVAL);
	assert_null(ssdpm_comparison_free(comparison));
	assert_null(ssdpm_comparison_free(NULL));
}

/* The advised policy for periodic I/Os; "": none. */
static const char *find_advised(struct ssdpm_model *model,
				const struct ssdpm_device_settings *settings,
				uint64_t gap_ns, const char *const *words)
{
	struct ssdpm_sim_params params;
	struct ssdpm_comparison *comparison;
	struct ssdpm_io io = ios[0];
	const char *found = "";
	size_t n = 0;

	ssdpm_sim_params_init(&params, sizeof(params));
	params.flags |= SSDPM_SIM_LIKELY;
	assert_int_equal(ssdpm_comparison_new(model, &params, settings,
					      &comparison, NULL),
			 0);
	for (; words[n]; n++)
		assert_int_equal(
			ssdpm_comparison_add(comparison, words[n], NULL, NULL),
			0);
	for (int i = 0; i < 200; i++, io.start_ns += gap_ns)
		assert_int_equal(
			ssdpm_comparison_feed(comparison, &io, 1, NULL), 0);
	assert_int_equal(row_of(comparison, 1).advised, 0);
	assert_int_equal(ssdpm_comparison_finish(comparison, 0, NULL), 0);
	for (size_t i = 0; i < n; i++)
		if (row_of(comparison, i).advised) {
			assert_string_equal(found, "");
			found = words[i];
		}
	ssdpm_comparison_free(comparison);
	return found;
}

static void the_policy_that_saves_most_is_advised(void **state)
{
	const uint64_t minute = 60000000000;
	static const char *const words[] = { "none", "linux-legacy", "linux",
					     NULL };

	(void)state;
	assert_string_equal(find_advised(nvme, NULL, minute, words), "linux");
	/* Nothing saves against the best one. */
	assert_string_equal(
		find_advised(nvme, NULL, minute,
			     (const char *const[]){ "linux", "none", NULL }),
		"");
}

static void what_delays_more_than_linux_and_the_limits_is_not_advised(
	void **state)
{
	/* It leaves a state in 5 ms, which is 1.25 % of 400 ms. */
	static const char *const shallow[] = { "none", "linux:limit=25ms",
					       NULL };
	/* It takes 45 ms, which is more than 25 ms. */
	static const char *const deep[] = { "none", "lower-envelope", NULL };
	static const char *const usual[] = { "none", "lower-envelope", "linux",
					     NULL };
	const uint64_t often = 400000000, minute = 60000000000;

	(void)state;
	assert_string_equal(find_advised(nvme, NULL, minute, shallow),
			    shallow[1]);
	assert_string_equal(find_advised(nvme, NULL, often, shallow), "");
	assert_string_equal(find_advised(nvme, NULL, minute, deep), "");
	assert_string_not_equal(find_advised(nvme, NULL, minute, usual), "");
}

/* Both ends may put its link into Slumber. */
static struct ssdpm_model *make_disk(void)
{
	const struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_SATA,
		.unknown = SSDPM_INFO_APSTA | SSDPM_INFO_VENDOR_ID |
			   SSDPM_INFO_APM_LEVEL,
		.sata_words_valid = 1,
		.sata_generations = 14,
		.sata_supported = SSDPM_SATA_HIPM | SSDPM_SATA_DIPM,
		.sata_enabled_unknown = 63,
	};
	const uint32_t unknown =
		SSDPM_FIELD_MAX_POWER | SSDPM_FIELD_ACTIVE_POWER |
		SSDPM_FIELD_IDLE_POWER | SSDPM_FIELD_ENTRY_LATENCY;
	const struct ssdpm_power_state states[] = {
		{ .link_state = SSDPM_LINK_ACTIVE, .unknown = unknown },
		{ .link_state = SSDPM_LINK_PARTIAL,
		  .exit_latency_us = 10,
		  .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .unknown = unknown },
		{ .link_state = SSDPM_LINK_SLUMBER,
		  .exit_latency_us = 10000,
		  .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .unknown = unknown },
	};
	struct ssdpm_model *disk;

	assert_int_equal(ssdpm_model_new(&info, states, 3, &disk, NULL), 0);
	return disk;
}

static void a_link_policy_that_lost_data_is_not_advised(void **state)
{
	static const char *const words[] = {
		"max_performance",     "min_power",    "min_power_with_partial",
		"med_power_with_dipm", "medium_power", NULL
	};
	struct ssdpm_device_settings port = { .size = sizeof(port) };
	const uint64_t minute = 60000000000;
	struct ssdpm_model *disk = make_disk();

	(void)state;
	assert_string_equal(find_advised(disk, &port, minute, words),
			    "med_power_with_dipm");
	/* A hot-plug port, for example. */
	port.left_alone = 1;
	assert_string_equal(find_advised(disk, &port, minute, words), "");
	ssdpm_model_unref(disk);
}

static void what_the_port_refuses_saves_nothing_and_is_not_advised(void **state)
{
	static const char *const words[] = { "today", "med_power_with_dipm",
					     "max_performance", NULL };
	struct ssdpm_device_settings port = {
		.size = sizeof(port),
		.known = SSDPM_SETTING_LPM,
		.lpm = SSDPM_LPM_MAX_PERFORMANCE,
	};
	struct ssdpm_model *disk = make_disk();
	struct ssdpm_comparison *comparison;
	struct ssdpm_sim_params params;

	(void)state;
	assert_string_equal(find_advised(disk, &port, 60000000000, words),
			    "med_power_with_dipm");
	port.refused = 1;
	assert_string_equal(find_advised(disk, &port, 60000000000, words), "");
	ssdpm_sim_params_init(&params, sizeof(params));
	params.flags |= SSDPM_SIM_LIKELY;
	assert_int_equal(
		ssdpm_comparison_new(disk, &params, &port, &comparison, NULL),
		0);
	for (size_t i = 0; words[i]; i++)
		assert_int_equal(
			ssdpm_comparison_add(comparison, words[i], NULL, NULL),
			0);
	assert_int_equal(ssdpm_comparison_feed(comparison, ios, 2, NULL), 0);
	assert_int_equal(ssdpm_comparison_finish(comparison, 60000000000, NULL),
			 0);
	for (size_t i = 0; words[i]; i++) {
		const struct ssdpm_compared_policy row = row_of(comparison, i);

		/* The port has what does the same as today. */
		assert_int_equal(row.refused, i == 1);
		assert_int_equal(row.saving.high_nj, 0);
		assert_null(row.likely);
	}
	ssdpm_comparison_free(comparison);
	ssdpm_model_unref(disk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_common_word_is_a_policy_and_the_way_back),
		cmocka_unit_test(what_a_word_leaves_out_is_of_the_parameters),
		cmocka_unit_test(
			a_word_with_parameters_goes_before_the_parameters),
		cmocka_unit_test(a_word_that_is_none_is_refused),
		cmocka_unit_test(a_policy_that_is_not_for_a_drive_is_refused),
		cmocka_unit_test(the_reference_is_today_or_what_linux_does),
		cmocka_unit_test(a_table_is_what_its_algorithm_makes),
		cmocka_unit_test(
			quirks_of_the_machine_are_for_linux_and_not_for_windows),
		cmocka_unit_test(quirks_of_the_policy_are_for_windows_too),
		cmocka_unit_test(today_is_what_the_machine_says),
		cmocka_unit_test(the_drive_is_simulated_as_its_machine_has_it),
		cmocka_unit_test(
			policies_are_compared_and_the_same_one_runs_once),
		cmocka_unit_test(the_policy_that_saves_most_is_advised),
		cmocka_unit_test(
			what_delays_more_than_linux_and_the_limits_is_not_advised),
		cmocka_unit_test(a_link_policy_that_lost_data_is_not_advised),
		cmocka_unit_test(
			what_the_port_refuses_saves_nothing_and_is_not_advised),
	};

	return cmocka_run_group_tests(tests, make_models, drop_models);
}
