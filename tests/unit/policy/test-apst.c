/* SPDX-License-Identifier: MIT */
/* APST tables: made as Linux makes them, checked, encoded, decoded. */
#include "fixture.h"

/* Three operational states, then two to sleep in. */
static struct ssdpm_model *five_states(uint32_t entry3, uint32_t exit3,
				       uint32_t entry4, uint32_t exit4)
{
	struct latencies l[] = {
		{ 0, 0, 0 },	      { 0, 0, 0 },	    { 0, 0, 0 },
		{ 1, entry3, exit3 }, { 1, entry4, exit4 },
	};

	return fixture_model(l, 5);
}

static struct ssdpm_apst_params linux_params(void)
{
	struct ssdpm_apst_params p;

	assert_int_equal(ssdpm_apst_params_init(&p, sizeof(p)), 0);
	return p;
}

static struct ssdpm_apst_params legacy_params(void)
{
	struct ssdpm_apst_params p = linux_params();

	p.algorithm = SSDPM_APST_LINUX_LEGACY;
	return p;
}

static struct ssdpm_apst generate(const struct ssdpm_model *model,
				  const struct ssdpm_apst_params *params)
{
	struct ssdpm_error error = fixture_error(), before = error;
	struct ssdpm_apst table;

	memset(&table, 0x5a, sizeof(table));
	assert_int_equal(ssdpm_apst_generate(model, params, &table, &error), 0);
	assert_memory_equal(&error, &before, sizeof(error));
	return table;
}

/* The 64 bits that Linux sends for an entry. */
static uint64_t raw(const struct ssdpm_apst *table, unsigned int i)
{
	uint8_t data[SSDPM_APST_BYTES];
	uint64_t value = 0;

	assert_int_equal(ssdpm_apst_encode(table, data, NULL), 0);
	for (int byte = 7; byte >= 0; byte--)
		value = value << 8 | data[i * 8 + (unsigned int)byte];
	return value;
}

/* Entries 0 to n - 1 are these and the rest is 0; consumes the model. */
static void assert_entries(struct ssdpm_model *model,
			   const struct ssdpm_apst_params *params,
			   const uint64_t *expected, unsigned int n)
{
	struct ssdpm_apst table = generate(model, params);

	assert_int_equal(table.sent, 1);
	assert_int_equal(table.enabled, 1);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(raw(&table, i), expected[i]);
	for (unsigned int i = n; i < SSDPM_MAX_STATES; i++)
		assert_int_equal(raw(&table, i), 0);
	ssdpm_model_unref(model);
}

static void defaults_are_those_of_linux(void **state)
{
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	assert_int_equal(p.size, sizeof(p));
	assert_int_equal(p.algorithm, SSDPM_APST_LINUX);
	assert_int_equal(p.quirks, 0);
	assert_int_equal(p.max_exit_latency_us, 100000);
	assert_int_equal(p.primary_timeout_ms, 100);
	assert_int_equal(p.primary_latency_tolerance_us, 15000);
	assert_int_equal(p.secondary_timeout_ms, 2000);
	assert_int_equal(p.secondary_latency_tolerance_us, 100000);
	assert_int_equal(p.scheme, SSDPM_SCHEME_BALANCED);
	assert_int_equal(p.power_source, SSDPM_SOURCE_AC);
	assert_int_equal(p.idle_power_uw, 0);
	assert_int_equal(p.transition_power_uw, 0);
}

static void params_init_fills_what_a_shorter_caller_knows(void **state)
{
	struct ssdpm_apst_params p;
	size_t size = offsetof(struct ssdpm_apst_params, primary_timeout_ms);

	(void)state;
	memset(&p, 0x5a, sizeof(p));
	assert_int_equal(ssdpm_apst_params_init(&p, size), 0);
	assert_int_equal(p.size, size);
	assert_int_equal(p.max_exit_latency_us, 100000);
	assert_int_equal(p.primary_timeout_ms, 0x5a5a5a5a5a5a5a5a);
}

static void params_init_refuses_impossible_sizes(void **state)
{
	struct ssdpm_apst_params p, before;

	(void)state;
	memset(&p, 0x5a, sizeof(p));
	before = p;
	assert_int_equal(ssdpm_apst_params_init(&p, 0), -EINVAL);
	assert_int_equal(ssdpm_apst_params_init(&p, sizeof(size_t) - 1),
			 -EINVAL);
	assert_memory_equal(&p, &before, sizeof(p));
}

static void worked_case_a_jumps_to_the_fast_deepest_state(void **state)
{
	static const uint64_t expected[] = { 0x6420, 0x6420, 0x6420, 0x6420,
					     0 };

	(void)state;
	assert_entries(five_states(210, 1200, 2000, 8000), NULL, expected, 5);
}

static void worked_case_a_legacy_is_a_chain(void **state)
{
	static const uint64_t expected[] = { 0x4718, 0x4718, 0x4718, 0x1f420,
					     0 };
	struct ssdpm_apst_params p = legacy_params();

	(void)state;
	assert_entries(five_states(210, 1200, 2000, 8000), &p, expected, 5);
}

static void worked_case_b_has_both_idle_times(void **state)
{
	static const uint64_t expected[] = { 0x6418, 0x6418, 0x6418, 0x7d020,
					     0 };

	(void)state;
	assert_entries(five_states(4000, 10000, 4000, 45000), NULL, expected,
		       5);
}

static void worked_case_b_legacy_is_a_chain(void **state)
{
	static const uint64_t expected[] = { 0x2bc18, 0x2bc18, 0x2bc18, 0x99220,
					     0 };
	struct ssdpm_apst_params p = legacy_params();

	(void)state;
	assert_entries(five_states(4000, 10000, 4000, 45000), &p, expected, 5);
}

static void worked_case_c_leaves_the_deepest_state_out(void **state)
{
	static const uint64_t expected[] = { 0x6418, 0x6418, 0x6418, 0, 0 };
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	assert_entries(five_states(210, 1200, 2000, 8000), &p, expected, 5);
}

static void worked_case_d_is_the_samsung_950(void **state)
{
	struct ssdpm_model *model = five_states(500, 5000, 2000, 22000);
	struct ssdpm_apst_params p = legacy_params();
	struct ssdpm_apst table = generate(model, &p);

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(table.entries[i].idle_ms, 275);
		assert_int_equal(table.entries[i].target, 3);
	}
	assert_int_equal(table.entries[3].idle_ms, 1200);
	assert_int_equal(table.entries[3].target, 4);
	ssdpm_model_unref(model);
}

static uint32_t deepest_target(struct ssdpm_model *model,
			       const struct ssdpm_apst_params *params)
{
	struct ssdpm_apst table = generate(model, params);
	uint32_t deepest = 0;

	for (int i = 0; i < SSDPM_MAX_STATES; i++)
		if (table.entries[i].target > deepest)
			deepest = table.entries[i].target;
	ssdpm_model_unref(model);
	return deepest;
}

static void the_limit_looks_at_exit_alone_and_allows_equality(void **state)
{
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.max_exit_latency_us = 10000;
	assert_int_equal(deepest_target(five_states(1, 1, 4000, 10000), &p), 4);
	assert_int_equal(deepest_target(five_states(1, 1, 4000, 10001), &p), 3);
	p.algorithm = SSDPM_APST_LINUX_LEGACY;
	assert_int_equal(deepest_target(five_states(1, 1, 99999, 10000), &p),
			 4);
	assert_int_equal(deepest_target(five_states(1, 1, 0, 10001), &p), 3);
}

static void both_tolerances_are_inclusive_and_look_at_the_total(void **state)
{
	static const uint64_t primary[] = { 0x6420, 0x6420, 0x6420, 0x6420 };
	static const uint64_t secondary[] = { 0x7d020, 0x7d020, 0x7d020,
					      0x7d020 };
	static const uint64_t none[] = { 0 };
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.max_exit_latency_us = SSDPM_LATENCY_ANY;
	assert_entries(five_states(200000, 0, 5000, 10000), &p, primary, 4);
	assert_entries(five_states(200000, 0, 5001, 10000), &p, secondary, 4);
	assert_entries(five_states(200000, 0, 90000, 10000), &p, secondary, 4);
	assert_entries(five_states(200000, 0, 90000, 10001), &p, none, 1);
}

static void too_slow_states_get_entries_like_all_shallower_ones(void **state)
{
	static const struct latencies l[] = {
		{ 0, 0, 0 },
		{ 1, 0, 200000 },
		{ 1, 90000, 90000 },
		{ 1, 1, 1 },
	};
	static const uint64_t expected[] = { 0x6418, 0x6418, 0x6418, 0 };

	(void)state;
	assert_entries(fixture_model(l, 4), NULL, expected, 4);
}

static void a_secondary_state_alone_is_entered_directly(void **state)
{
	static const uint64_t expected[] = { 0x7d020, 0x7d020, 0x7d020, 0x7d020,
					     0 };

	(void)state;
	assert_entries(five_states(150000, 0, 10000, 30000), NULL, expected, 5);
}

static void at_most_two_states_are_targets(void **state)
{
	static const struct latencies l[] = {
		{ 0, 0, 0 },	     { 1, 100, 100 },	  { 1, 200, 200 },
		{ 1, 10000, 10000 }, { 1, 20000, 20000 }, { 1, 60000, 60000 },
	};
	static const uint64_t expected[] = { 0x6410,  0x6410, 0x7d020,
					     0x7d020, 0,      0 };

	(void)state;
	assert_entries(fixture_model(l, 6), NULL, expected, 6);
}

static void a_fast_deep_state_hides_all_slower_shallow_ones(void **state)
{
	static const uint64_t expected[] = { 0x6420, 0x6420, 0x6420, 0x6420,
					     0 };

	(void)state;
	assert_entries(five_states(40000, 40000, 1, 1), NULL, expected, 5);
}

static void legacy_takes_the_shallow_slow_state_first(void **state)
{
	/* 80 ms: 4000 ms idle; 2 us: 1 ms */
	static const uint64_t expected[] = { 0xfa018, 0xfa018, 0xfa018, 0x120,
					     0 };
	struct ssdpm_apst_params p = legacy_params();

	(void)state;
	assert_entries(five_states(40000, 40000, 1, 1), &p, expected, 5);
}

static void power_is_never_looked_at(void **state)
{
	struct ssdpm_power_state states[3] = { { .max_power_uw = 1 },
					       { .max_power_uw = 5 },
					       { .max_power_uw = 4000000000 } };
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_model *model;

	(void)state;
	states[1].flags = states[2].flags = SSDPM_STATE_NON_OPERATIONAL;
	assert_int_equal(ssdpm_model_new(&info, states, 3, &model, NULL), 0);
	assert_int_equal(deepest_target(model, NULL), 2);
}

static void the_quirk_means_the_last_state_not_the_deepest_sleep(void **state)
{
	static const struct latencies l[] = {
		{ 0, 0, 0 },
		{ 1, 1, 1 },
		{ 1, 2, 2 },
		{ 0, 0, 0 },
	};
	static const uint64_t expected[] = { 0x6410, 0x6410, 0, 0 };
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	assert_entries(fixture_model(l, 4), &p, expected, 4);
}

static void the_quirk_holds_for_legacy_too(void **state)
{
	static const uint64_t expected[] = { 0x4718, 0x4718, 0x4718, 0, 0 };
	struct ssdpm_apst_params p = legacy_params();

	(void)state;
	p.quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	assert_entries(five_states(210, 1200, 2000, 8000), &p, expected, 5);
}

static void secondary_timeout_0_means_no_second_idle_time(void **state)
{
	static const uint64_t expected[] = { 0x6418, 0x6418, 0x6418, 0 };
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.secondary_timeout_ms = 0;
	assert_entries(five_states(4000, 10000, 4000, 45000), &p, expected, 4);
}

static void a_secondary_tolerance_below_the_primary_is_empty(void **state)
{
	static const uint64_t expected[] = { 0x6418, 0x6418, 0x6418, 0 };
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.secondary_latency_tolerance_us = 15000;
	assert_entries(five_states(4000, 10000, 4000, 45000), &p, expected, 4);
	p.secondary_latency_tolerance_us = 0;
	assert_entries(five_states(4000, 10000, 4000, 45000), &p, expected, 4);
}

static void a_huge_primary_tolerance_takes_all(void **state)
{
	static const uint64_t expected[] = { 0x6420, 0x6420, 0x6420, 0x6420 };
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.primary_latency_tolerance_us = UINT64_MAX;
	assert_entries(five_states(1, 1, UINT32_MAX, 100000), &p, expected, 4);
}

static void primary_0_is_the_legacy_rule_and_not_secondary_only(void **state)
{
	static const uint64_t expected[] = { 0x2bc18, 0x2bc18, 0x2bc18,
					     0x99220 };
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.primary_timeout_ms = 0;
	assert_entries(five_states(4000, 10000, 4000, 45000), &p, expected, 4);
	p = linux_params();
	p.primary_latency_tolerance_us = 0;
	assert_entries(five_states(4000, 10000, 4000, 45000), &p, expected, 4);
}

static void legacy_ignores_the_parameters_of_linux(void **state)
{
	static const uint64_t expected[] = { 0x4718, 0x4718, 0x4718, 0x1f420 };
	struct ssdpm_apst_params p = legacy_params();

	(void)state;
	p.primary_timeout_ms = 1;
	p.primary_latency_tolerance_us = 1;
	p.secondary_timeout_ms = 1;
	p.secondary_latency_tolerance_us = 1;
	assert_entries(five_states(210, 1200, 2000, 8000), &p, expected, 4);
}

static void legacy_idle_times_are_rounded_up(void **state)
{
	static const struct {
		uint32_t total, ms;
	} cases[] = { { 1, 1 },	 { 19, 1 }, { 20, 1 },	     { 21, 2 },
		      { 40, 2 }, { 41, 3 }, { 99999, 5000 }, { 100000, 5000 } };
	struct ssdpm_apst_params p = legacy_params();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_model *model =
			five_states(UINT32_MAX, UINT32_MAX, 0, cases[i].total);
		struct ssdpm_apst table = generate(model, &p);

		assert_int_equal(table.entries[0].idle_ms, cases[i].ms);
		assert_int_equal(table.entries[0].target, 4);
		ssdpm_model_unref(model);
	}
}

static void legacy_idle_times_are_clamped_to_24_bits(void **state)
{
	struct ssdpm_apst_params p = legacy_params();
	struct ssdpm_model *model = five_states(0, 335544280, 0, 335544300);
	struct ssdpm_apst table;

	(void)state;
	p.max_exit_latency_us = SSDPM_LATENCY_ANY;
	table = generate(model, &p);
	assert_int_equal(table.entries[0].idle_ms, 0xfffffe);
	assert_int_equal(table.entries[3].idle_ms, 0xffffff);
	ssdpm_model_unref(model);
	model = five_states(0, 335544301, UINT32_MAX, UINT32_MAX);
	table = generate(model, &p);
	assert_int_equal(table.entries[0].idle_ms, 0xffffff);
	assert_int_equal(table.entries[3].idle_ms, 0xffffff);
	ssdpm_model_unref(model);
}

static void legacy_with_a_total_of_0_is_a_disabled_transition(void **state)
{
	static const uint64_t legacy[] = { 0x18, 0x18, 0x18, 0x20 };
	static const uint64_t linux_table[] = { 0x6420, 0x6420, 0x6420,
						0x6420 };
	struct ssdpm_apst_params p = legacy_params();

	(void)state;
	assert_entries(five_states(0, 0, 0, 0), &p, legacy, 4);
	assert_entries(five_states(0, 0, 0, 0), NULL, linux_table, 4);
}

static void a_non_operational_state_0_is_never_entered(void **state)
{
	static const struct latencies l[] = { { 1, 1, 1 }, { 0, 0, 0 } };
	static const uint64_t expected[] = { 0 };
	struct ssdpm_apst_params p = legacy_params();

	(void)state;
	assert_entries(fixture_model(l, 2), NULL, expected, 1);
	assert_entries(fixture_model(l, 2), &p, expected, 1);
	assert_entries(fixture_model(l, 1), NULL, expected, 1);
}

static void enabled_with_an_empty_table_is_a_normal_outcome(void **state)
{
	static const struct latencies l[] = { { 0, 0, 0 }, { 0, 0, 0 } };
	static const uint64_t expected[] = { 0 };

	(void)state;
	assert_entries(fixture_model(l, 2), NULL, expected, 1);
}

static void thirty_two_states_are_walked(void **state)
{
	struct latencies l[32];
	struct ssdpm_apst_params p = legacy_params();
	struct ssdpm_model *model;
	struct ssdpm_apst table;

	(void)state;
	for (uint32_t i = 0; i < 32; i++)
		l[i] = (struct latencies){ 1, 0, (i + 1) * 20 };
	model = fixture_model(l, 32);
	table = generate(model, &p);
	for (uint32_t i = 0; i < 31; i++) {
		assert_int_equal(table.entries[i].target, i + 1);
		assert_int_equal(table.entries[i].idle_ms, i + 2);
	}
	assert_int_equal(table.entries[31].target, 0);
	assert_int_equal(table.entries[31].idle_ms, 0);
	ssdpm_model_unref(model);
}

static void assert_off(struct ssdpm_model *model,
		       const struct ssdpm_apst_params *params, uint32_t sent)
{
	struct ssdpm_apst table = generate(model, params), empty = { 0 };

	empty.sent = sent;
	assert_memory_equal(&table, &empty, sizeof(table));
}

static void a_limit_of_0_sends_a_zero_table_to_switch_off(void **state)
{
	struct ssdpm_model *model = five_states(0, 0, 0, 0);
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.max_exit_latency_us = 0;
	assert_off(model, &p, 1);
	p.algorithm = SSDPM_APST_LINUX_LEGACY;
	assert_off(model, &p, 1);
	ssdpm_model_unref(model);
}

static void the_quirk_no_apst_sends_a_zero_table_to_switch_off(void **state)
{
	struct ssdpm_model *model = five_states(1, 1, 1, 1);
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.quirks = SSDPM_QUIRK_NO_APST;
	assert_off(model, &p, 1);
	p.quirks |= SSDPM_QUIRK_NO_DEEPEST_PS;
	assert_off(model, &p, 1);
	ssdpm_model_unref(model);
}

static struct ssdpm_model *model_with_apsta(uint8_t apsta, uint32_t unknown)
{
	struct ssdpm_power_state states[2] = { { .max_power_uw = 1 },
					       { .exit_latency_us = 5 } };
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_model *model;

	states[1].flags = SSDPM_STATE_NON_OPERATIONAL;
	info.apsta = apsta;
	info.unknown = unknown;
	assert_int_equal(ssdpm_model_new(&info, states, 2, &model, NULL), 0);
	return model;
}

static void apsta_0_sends_nothing_whatever_else_is_off(void **state)
{
	struct ssdpm_model *model = model_with_apsta(0, 0);
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	assert_off(model, NULL, 0);
	p.quirks = SSDPM_QUIRK_NO_APST;
	p.max_exit_latency_us = 0;
	assert_off(model, &p, 0);
	ssdpm_model_unref(model);
}

static void any_apsta_but_0_and_an_unknown_one_are_support(void **state)
{
	static const uint8_t values[] = { 1, 2, 0x80, 0xff };

	(void)state;
	for (size_t i = 0; i < sizeof(values); i++)
		assert_int_equal(
			deepest_target(model_with_apsta(values[i], 0), NULL),
			1);
	assert_int_equal(
		deepest_target(model_with_apsta(0, SSDPM_INFO_APSTA), NULL), 1);
}

static void any_limit_lets_the_slowest_exit_pass(void **state)
{
	struct ssdpm_apst_params p = legacy_params();

	(void)state;
	p.max_exit_latency_us = SSDPM_LATENCY_ANY;
	assert_int_equal(
		deepest_target(five_states(1, 1, UINT32_MAX, UINT32_MAX), &p),
		4);
	p.max_exit_latency_us = UINT32_MAX - 1;
	assert_int_equal(
		deepest_target(five_states(1, 1, UINT32_MAX, UINT32_MAX), &p),
		3);
}

/* Generate and explain fail alike, and return nothing. */
static void assert_refused(const struct ssdpm_model *model,
			   const struct ssdpm_apst_params *params, int code,
			   const char *fragment)
{
	struct ssdpm_apst_verdict verdicts[SSDPM_MAX_STATES];
	struct ssdpm_apst_verdict verdicts_before[SSDPM_MAX_STATES];
	struct ssdpm_apst table, table_before;
	struct ssdpm_error error = fixture_error();

	memset(&table, 0x5a, sizeof(table));
	table_before = table;
	memset(verdicts, 0x5a, sizeof(verdicts));
	memcpy(verdicts_before, verdicts, sizeof(verdicts));
	assert_int_equal(ssdpm_apst_generate(model, params, &table, &error),
			 code);
	fixture_assert_error(&error, code, 0, fragment);
	error = fixture_error();
	assert_int_equal(ssdpm_apst_explain(model, params, verdicts,
					    SSDPM_MAX_STATES, &error),
			 code);
	fixture_assert_error(&error, code, 0, fragment);
	assert_int_equal(ssdpm_apst_generate(model, params, &table, NULL),
			 code);
	assert_int_equal(ssdpm_apst_explain(model, params, verdicts,
					    SSDPM_MAX_STATES, NULL),
			 code);
	assert_memory_equal(&table, &table_before, sizeof(table));
	assert_memory_equal(verdicts, verdicts_before, sizeof(verdicts));
}

static void timeouts_that_do_not_fit_are_refused(void **state)
{
	struct ssdpm_model *model = five_states(1, 1, 20000, 1);
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.primary_timeout_ms = 0x1000000;
	assert_refused(model, &p, -ERANGE,
		       "primary_timeout_ms is 16777216 ms; an APST entry "
		       "holds at most 16777215 ms");
	p.primary_timeout_ms = UINT64_MAX;
	assert_refused(model, &p, -ERANGE, "primary_timeout_ms");
	p = linux_params();
	p.secondary_timeout_ms = 0x1000000;
	assert_refused(model, &p, -ERANGE, "secondary_timeout_ms");
	p.secondary_timeout_ms = 0x100000000;
	assert_refused(model, &p, -ERANGE, "secondary_timeout_ms");
	ssdpm_model_unref(model);
}

static void the_largest_timeouts_fit(void **state)
{
	static const uint64_t expected[] = { 0xffffff18, 0xffffff18, 0xffffff18,
					     0xffffff20 };
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.primary_timeout_ms = p.secondary_timeout_ms = SSDPM_APST_MAX_IDLE_MS;
	assert_entries(five_states(1, 1, 20000, 1), &p, expected, 4);
}

static void unknown_words_are_refused(void **state)
{
	struct ssdpm_model *model = five_states(1, 1, 1, 1);
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.algorithm = 0;
	assert_refused(model, &p, -EINVAL, "unknown algorithm 0");
	p.algorithm = 5;
	assert_refused(model, &p, -EINVAL, "unknown algorithm 5");
	p = linux_params();
	p.scheme = 0;
	assert_refused(model, &p, -EINVAL, "unknown scheme 0");
	p.scheme = 5;
	assert_refused(model, &p, -EINVAL, "unknown scheme 5");
	p = linux_params();
	p.power_source = 0;
	assert_refused(model, &p, -EINVAL, "unknown power_source 0");
	p.power_source = 3;
	assert_refused(model, &p, -EINVAL, "unknown power_source 3");
	p = linux_params();
	p.quirks = 1 << 7;
	assert_refused(model, &p, -EINVAL, "unknown bits in quirks 0x80");
	p.quirks = UINT32_MAX;
	assert_refused(model, &p, -EINVAL, "unknown bits in quirks 0xffffffff");
	ssdpm_model_unref(model);
}

static struct ssdpm_model *model_with_unknown(uint32_t flags, uint32_t unknown)
{
	struct ssdpm_power_state states[3] = { { .max_power_uw = 1 } };
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_model *model;

	states[1].flags = flags;
	states[1].unknown = unknown;
	assert_int_equal(ssdpm_model_new(&info, states, 3, &model, NULL), 0);
	return model;
}

static void unknown_latencies_of_sleep_states_are_enodata(void **state)
{
	const uint32_t both =
		SSDPM_FIELD_ENTRY_LATENCY | SSDPM_FIELD_EXIT_LATENCY;
	struct ssdpm_apst_params p = linux_params();
	struct ssdpm_model *model;

	(void)state;
	model = model_with_unknown(1, SSDPM_FIELD_ENTRY_LATENCY);
	assert_refused(model, NULL, -ENODATA,
		       "PS1: entry_latency_us is unknown");
	ssdpm_model_unref(model);
	model = model_with_unknown(1, SSDPM_FIELD_EXIT_LATENCY);
	assert_refused(model, NULL, -ENODATA,
		       "PS1: exit_latency_us is unknown");
	ssdpm_model_unref(model);
	model = model_with_unknown(1, both);
	assert_refused(model, NULL, -ENODATA, "PS1: exit_latency_us");
	p.max_exit_latency_us = 0;
	assert_off(model, &p, 1);
	ssdpm_model_unref(model);
}

static void unknown_latencies_of_operational_states_do_not_matter(void **state)
{
	(void)state;
	assert_int_equal(
		deepest_target(
			model_with_unknown(0, SSDPM_FIELD_ENTRY_LATENCY |
						      SSDPM_FIELD_EXIT_LATENCY),
			NULL),
		0);
}

static struct ssdpm_model *sata_model(void)
{
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_model *model;

	info.kind = SSDPM_KIND_SATA;
	assert_int_equal(ssdpm_model_new(&info, NULL, 0, &model, NULL), 0);
	return model;
}

static void a_sata_drive_has_no_apst(void **state)
{
	struct ssdpm_model *model = sata_model();
	struct ssdpm_apst table = { 0 };
	struct ssdpm_error error;

	(void)state;
	assert_refused(model, NULL, -EOPNOTSUPP, "not an NVMe drive");
	assert_int_equal(ssdpm_apst_validate(model, &table, &error),
			 -EOPNOTSUPP);
	fixture_assert_error(&error, -EOPNOTSUPP, 0, "not an NVMe drive");
	assert_int_equal(ssdpm_apst_validate(model, &table, NULL), -EOPNOTSUPP);
	ssdpm_model_unref(model);
}

static void params_without_a_size_are_refused(void **state)
{
	struct ssdpm_model *model = five_states(1, 1, 1, 1);
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.size = 0;
	assert_refused(model, &p, -EINVAL, "ssdpm_apst_params.size is 0");
	p.size = sizeof(size_t) - 1;
	assert_refused(model, &p, -EINVAL, "ssdpm_apst_params.size is");
	ssdpm_model_unref(model);
}

/* A caller that knows less is given the defaults for the rest. */
static void shorter_params_are_completed_with_defaults(void **state)
{
	static const uint64_t expected[] = { 0x718, 0x718, 0x718, 0x7d020 };
	struct ssdpm_apst_params p;

	(void)state;
	memset(&p, 0x5a, sizeof(p));
	p.size = sizeof(size_t);
	assert_int_equal(deepest_target(five_states(1, 1, 2, 2), &p), 4);
	p = linux_params();
	p.primary_timeout_ms = 7;
	memset((char *)&p + offsetof(struct ssdpm_apst_params,
				     primary_latency_tolerance_us),
	       0x5a, 24);
	p.size = offsetof(struct ssdpm_apst_params,
			  primary_latency_tolerance_us);
	assert_entries(five_states(4000, 10000, 4000, 45000), &p, expected, 4);
}

static void longer_params_must_end_in_zeros(void **state)
{
	struct {
		struct ssdpm_apst_params known;
		uint8_t tail[16];
	} p = { .known = linux_params() };
	struct ssdpm_model *model = five_states(1, 1, 2, 2);

	(void)state;
	p.known.size = sizeof(p);
	generate(model, &p.known);
	for (size_t i = 0; i < sizeof(p.tail); i++) {
		memset(p.tail, 0, sizeof(p.tail));
		p.tail[i] = 0x80;
		assert_refused(model, &p.known, -E2BIG, "is set");
	}
	ssdpm_model_unref(model);
}

static void assert_unsound(const struct ssdpm_apst *table, const char *fragment)
{
	struct ssdpm_model *model = five_states(1, 1, 2, 2);
	struct ssdpm_error error = fixture_error();

	assert_int_equal(ssdpm_apst_validate(model, table, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, fragment);
	assert_int_equal(ssdpm_apst_validate(model, table, NULL), -EINVAL);
	ssdpm_model_unref(model);
}

static struct ssdpm_apst table_with(uint32_t source, uint32_t target,
				    uint32_t idle_ms)
{
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };

	table.entries[source].target = target;
	table.entries[source].idle_ms = idle_ms;
	return table;
}

static void what_is_generated_is_sound(void **state)
{
	struct ssdpm_model *model = five_states(210, 1200, 2000, 8000);
	struct ssdpm_error error = fixture_error(), before = error;
	struct ssdpm_apst table = generate(model, NULL);

	(void)state;
	assert_int_equal(ssdpm_apst_validate(model, &table, &error), 0);
	assert_memory_equal(&error, &before, sizeof(error));
	table = (struct ssdpm_apst){ 0 };
	assert_int_equal(ssdpm_apst_validate(model, &table, NULL), 0);
	table = table_with(0, 4, SSDPM_APST_MAX_IDLE_MS);
	assert_int_equal(ssdpm_apst_validate(model, &table, NULL), 0);
	ssdpm_model_unref(model);
}

static void a_source_that_does_not_exist_is_unsound(void **state)
{
	struct ssdpm_apst table = table_with(5, 4, 1);

	(void)state;
	assert_unsound(&table, "entry 5: the drive has only 5 states");
	table = table_with(31, 0, 1);
	assert_unsound(&table, "entry 31: the drive has only 5 states");
}

static void a_target_that_does_not_exist_is_unsound(void **state)
{
	struct ssdpm_apst table = table_with(0, 5, 1);

	(void)state;
	assert_unsound(&table, "entry 0: target PS5 does not exist");
	table = table_with(1, UINT32_MAX, 1);
	assert_unsound(&table, "entry 1: target PS4294967295 does not exist");
}

static void a_target_that_is_not_deeper_is_unsound(void **state)
{
	struct ssdpm_apst table = table_with(3, 3, 1);

	(void)state;
	assert_unsound(&table, "entry 3: target PS3 is not deeper");
	table = table_with(4, 3, 1);
	assert_unsound(&table, "entry 4: target PS3 is not deeper");
	table = table_with(0, 0, 1);
	assert_unsound(&table, "entry 0: target PS0 is not deeper");
}

static void an_operational_target_is_unsound(void **state)
{
	struct ssdpm_apst table = table_with(0, 2, 1);

	(void)state;
	assert_unsound(&table, "entry 0: target PS2 is operational");
}

static void an_idle_time_of_0_is_unsound(void **state)
{
	struct ssdpm_apst table = table_with(0, 3, 0);

	(void)state;
	assert_unsound(&table, "entry 0: idle time 0 disables the transition "
			       "to PS3");
}

static void an_idle_time_that_does_not_fit_is_unsound(void **state)
{
	struct ssdpm_apst table = table_with(0, 3, 0x1000000);

	(void)state;
	assert_unsound(&table, "entry 0: idle time 16777216 ms needs more");
}

static void a_table_that_is_off_but_not_empty_is_unsound(void **state)
{
	struct ssdpm_apst table = table_with(2, 3, 1);

	(void)state;
	table.enabled = 0;
	assert_unsound(&table, "entry 2: set in a table that is not enabled");
}

static void enabled_without_sent_is_unsound(void **state)
{
	static const uint32_t pairs[][2] = {
		{ 0, 1 }, { 2, 0 }, { 2, 1 }, { 1, 2 }, { UINT32_MAX, 0 }
	};
	struct ssdpm_apst table = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		table.sent = pairs[i][0];
		table.enabled = pairs[i][1];
		assert_unsound(&table, "only 0 0, 1 0 and 1 1 mean something");
	}
}

static void the_first_fault_is_reported(void **state)
{
	struct ssdpm_apst table = table_with(3, 1, 1);

	(void)state;
	table.entries[1] = (struct ssdpm_apst_entry){ 1, 9 };
	assert_unsound(&table, "entry 1: target PS9 does not exist");
}

static void entries_are_encoded_in_32_little_endian_quadwords(void **state)
{
	struct ssdpm_apst table = { 0 };
	uint8_t data[SSDPM_APST_BYTES], expected[SSDPM_APST_BYTES] = { 0 };

	(void)state;
	table.entries[0] = (struct ssdpm_apst_entry){ 0x123456, 3 };
	table.entries[31] = (struct ssdpm_apst_entry){ 0xffffff, 31 };
	memcpy(expected, "\x18\x56\x34\x12", 4);
	memcpy(expected + 248, "\xf8\xff\xff\xff", 4);
	memset(data, 0x5a, sizeof(data));
	assert_int_equal(ssdpm_apst_encode(&table, data, NULL), 0);
	assert_memory_equal(data, expected, sizeof(data));
}

static void what_does_not_fit_is_not_encoded(void **state)
{
	struct ssdpm_apst table = table_with(7, 32, 1);
	uint8_t data[SSDPM_APST_BYTES], before[SSDPM_APST_BYTES];
	struct ssdpm_error error;

	(void)state;
	memset(data, 0x5a, sizeof(data));
	memcpy(before, data, sizeof(data));
	assert_int_equal(ssdpm_apst_encode(&table, data, &error), -ERANGE);
	fixture_assert_error(&error, -ERANGE, 0,
			     "entry 7: target PS32 after 1 ms does not fit");
	table = table_with(31, 1, 0x1000000);
	assert_int_equal(ssdpm_apst_encode(&table, data, &error), -ERANGE);
	fixture_assert_error(&error, -ERANGE, 0,
			     "entry 31: target PS1 after 16777216 ms");
	assert_int_equal(ssdpm_apst_encode(&table, data, NULL), -ERANGE);
	assert_memory_equal(data, before, sizeof(data));
}

static void what_is_encoded_is_decoded_again(void **state)
{
	uint64_t seed = 12;

	(void)state;
	for (int round = 0; round < 1000; round++) {
		struct ssdpm_apst table = { .sent = 1 }, again;
		uint8_t data[SSDPM_APST_BYTES];

		table.enabled = round & 1;
		for (int i = 0; i < SSDPM_MAX_STATES; i++) {
			uint64_t bits = fixture_random(&seed);

			table.entries[i].target = bits & 31;
			table.entries[i].idle_ms = bits >> 5 & 0xffffff;
		}
		assert_int_equal(ssdpm_apst_encode(&table, data, NULL), 0);
		memset(&again, 0x5a, sizeof(again));
		assert_int_equal(
			ssdpm_apst_from_data(data, sizeof(data), &again, NULL),
			0);
		again.enabled = round & 1;
		assert_memory_equal(&table, &again, sizeof(table));
	}
}

static void each_reserved_bit_is_refused(void **state)
{
	struct ssdpm_apst table, before;
	struct ssdpm_error error;

	(void)state;
	memset(&table, 0x5a, sizeof(table));
	before = table;
	for (size_t bit = 0; bit < SSDPM_APST_BYTES * 8; bit++) {
		uint8_t data[SSDPM_APST_BYTES] = { 0 };
		bool reserved = bit % 64 < 3 || bit % 64 >= 32;
		struct ssdpm_apst good;

		data[bit / 8] = (uint8_t)(1 << bit % 8);
		if (!reserved) {
			assert_int_equal(ssdpm_apst_from_data(data,
							      sizeof(data),
							      &good, NULL),
					 0);
			continue;
		}
		assert_int_equal(ssdpm_apst_from_data(data, sizeof(data),
						      &table, &error),
				 -EINVAL);
		fixture_assert_error(&error, -EINVAL, 0, "a reserved bit");
		assert_int_equal(
			ssdpm_apst_from_data(data, sizeof(data), &table, NULL),
			-EINVAL);
	}
	assert_string_equal(error.message, "entry 31: a reserved bit is set");
	assert_memory_equal(&table, &before, sizeof(table));
}

static void algorithms_have_names(void **state)
{
	static const char *const names[] = { NULL, "linux", "linux-legacy",
					     "windows", "lower-envelope" };

	(void)state;
	for (uint32_t i = 1; i <= 4; i++)
		assert_string_equal(ssdpm_apst_algorithm_to_string(i),
				    names[i]);
	assert_null(ssdpm_apst_algorithm_to_string(0));
	assert_null(ssdpm_apst_algorithm_to_string(5));
}

static struct ssdpm_apst_params defaults(void)
{
	struct ssdpm_apst_params params;

	ssdpm_apst_params_init(&params, sizeof(params));
	return params;
}

static struct ssdpm_apst_params parsed(const char *word)
{
	struct ssdpm_apst_params params = defaults();
	struct ssdpm_error error = { 0 };

	if (ssdpm_apst_algorithm_parse(word, &params, &error))
		fail_msg("%s: %s", word, error.message);
	return params;
}

static void a_word_of_an_algorithm_may_have_a_scheme_and_a_source(void **state)
{
	struct ssdpm_apst_params wanted = defaults();
	struct ssdpm_apst_params got = parsed("linux");

	(void)state;
	assert_memory_equal(&got, &wanted, sizeof(got));
	wanted.algorithm = SSDPM_APST_WINDOWS;
	got = parsed("windows");
	assert_memory_equal(&got, &wanted, sizeof(got));
	wanted.scheme = SSDPM_SCHEME_POWER_SAVER;
	got = parsed("windows:power-saver");
	assert_memory_equal(&got, &wanted, sizeof(got));
	wanted.power_source = SSDPM_SOURCE_BATTERY;
	wanted.max_exit_latency_us = 25000;
	got = parsed("windows:power-saver:battery:limit=25ms");
	assert_memory_equal(&got, &wanted, sizeof(got));
}

static void a_word_of_an_algorithm_may_have_its_times(void **state)
{
	struct ssdpm_apst_params wanted = defaults(), got;

	(void)state;
	wanted.secondary_timeout_ms = 1000;
	got = parsed("linux:primary=50ms:secondary=1s");
	assert_int_equal(got.primary_timeout_ms, 50);
	assert_int_equal(got.secondary_timeout_ms, 1000);
	got = parsed("linux:secondary-timeout=1s");
	assert_memory_equal(&got, &wanted, sizeof(got));
	wanted.secondary_latency_tolerance_us = 50500;
	wanted.primary_timeout_ms = 0;
	wanted.primary_latency_tolerance_us = 500;
	wanted.max_exit_latency_us = SSDPM_LATENCY_ANY;
	got = parsed(
		"linux:primary-tolerance=500us:primary-timeout=0s:limit=any:"
		"secondary-tolerance=50.5ms:secondary-timeout=1000ms");
	assert_memory_equal(&got, &wanted, sizeof(got));
	wanted = defaults();
	wanted.algorithm = SSDPM_APST_LINUX_LEGACY;
	wanted.max_exit_latency_us = 0;
	got = parsed("linux-legacy:limit=0ms");
	assert_memory_equal(&got, &wanted, sizeof(got));
}

static void a_bad_word_of_an_algorithm_says_what_is_allowed(void **state)
{
	static const struct {
		const char *word, *message;
	} bad[] = {
		{ "", "is no algorithm" },
		{ ":", "is no algorithm" },
		{ "macos", "is no algorithm" },
		{ "macos:limit=1ms", "is no algorithm" },
		{ "linux:", "is no algorithm" },
		{ "linux:balanced", "is no algorithm" },
		{ "linux::limit=1ms", "is no algorithm" },
		{ "linux:limit=1ms:", "is no algorithm" },
		{ "linux:limit=1ms:ac", "is no algorithm" },
		{ "windows:", "is no algorithm" },
		{ "windows:ac", "is no algorithm" },
		{ "windows:fast", "is no algorithm" },
		{ "windows:balanced:", "is no algorithm" },
		{ "windows:balanced:usb", "is no algorithm" },
		{ "windows::ac", "is no algorithm" },
		{ "windows:balanced:ac:", "is no algorithm" },
		{ "windows:balanced:ac:more", "is no algorithm" },
		{ "windows:limit=1ms:ac", "is no algorithm" },
		{ "linux:secondry=1s",
		  "unknown parameter 'secondry' of linux; expected "
		  "limit, primary, primary-timeout, primary-tolerance, "
		  "secondary, secondary-timeout or secondary-tolerance" },
		{ "linux:=1s", "unknown parameter '' of linux" },
		{ "linux-legacy:primary-timeout=1s",
		  "unknown parameter 'primary-timeout' of linux-legacy; expected "
		  "limit" },
		{ "windows:balanced:secondary-timeout=1s",
		  "unknown parameter 'secondary-timeout' of windows; expected limit" },
		{ "linux:secondary-timeout=1",
		  "secondary-timeout=1: write a time with its unit" },
		{ "linux:secondary-timeout=",
		  "secondary-timeout=: write a time" },
		{ "linux:secondary-timeout=any",
		  "secondary-timeout=any: write a time" },
		{ "linux:secondary-timeout=1s,limit=1ms",
		  "secondary-timeout=1s,limit=1ms: write a time" },
		{ "linux:primary-timeout=1500us", "whole milliseconds" },
		{ "linux:primary-timeout=16777216ms", "too long" },
		{ "linux:limit=2147483647us", "too long" },
		{ "linux:limit=1ms:limit=1ms", "limit is given twice" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct ssdpm_apst_params before = defaults();
		struct ssdpm_apst_params params = before;
		struct ssdpm_error error = { 0 };

		if (ssdpm_apst_algorithm_parse(bad[i].word, &params, &error) !=
		    -EINVAL)
			fail_msg("%s is taken", bad[i].word);
		fixture_assert_error(&error, -EINVAL, 0, bad[i].message);
		assert_memory_equal(&params, &before, sizeof(params));
	}
}

static void schemes_and_power_sources_have_names(void **state)
{
	static const char *const schemes[] = { NULL, "performance", "balanced",
					       "power-saver",
					       "modern-standby" };
	static const char *const sources[] = { NULL, "ac", "battery" };

	(void)state;
	for (uint32_t i = 1; i <= 4; i++)
		assert_string_equal(ssdpm_power_scheme_to_string(i),
				    schemes[i]);
	for (uint32_t i = 1; i <= 2; i++)
		assert_string_equal(ssdpm_power_source_to_string(i),
				    sources[i]);
	assert_null(ssdpm_power_scheme_to_string(0));
	assert_null(ssdpm_power_scheme_to_string(5));
	assert_null(ssdpm_power_source_to_string(0));
	assert_null(ssdpm_power_source_to_string(3));
}

static void quirks_have_names(void **state)
{
	(void)state;
	assert_string_equal(ssdpm_quirk_to_string(SSDPM_QUIRK_NO_APST),
			    "no-apst");
	assert_string_equal(ssdpm_quirk_to_string(SSDPM_QUIRK_NO_DEEPEST_PS),
			    "no-deepest-ps");
	assert_null(ssdpm_quirk_to_string(0));
	assert_null(ssdpm_quirk_to_string(3));
	assert_string_equal(ssdpm_quirk_to_string(4), "simple-suspend");
	assert_null(ssdpm_quirk_to_string(1 << 7));
	assert_null(ssdpm_quirk_to_string(1u << 31));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_those_of_linux),
		cmocka_unit_test(params_init_fills_what_a_shorter_caller_knows),
		cmocka_unit_test(params_init_refuses_impossible_sizes),
		cmocka_unit_test(worked_case_a_jumps_to_the_fast_deepest_state),
		cmocka_unit_test(worked_case_a_legacy_is_a_chain),
		cmocka_unit_test(worked_case_b_has_both_idle_times),
		cmocka_unit_test(worked_case_b_legacy_is_a_chain),
		cmocka_unit_test(worked_case_c_leaves_the_deepest_state_out),
		cmocka_unit_test(worked_case_d_is_the_samsung_950),
		cmocka_unit_test(
			the_limit_looks_at_exit_alone_and_allows_equality),
		cmocka_unit_test(
			both_tolerances_are_inclusive_and_look_at_the_total),
		cmocka_unit_test(
			too_slow_states_get_entries_like_all_shallower_ones),
		cmocka_unit_test(a_secondary_state_alone_is_entered_directly),
		cmocka_unit_test(at_most_two_states_are_targets),
		cmocka_unit_test(
			a_fast_deep_state_hides_all_slower_shallow_ones),
		cmocka_unit_test(legacy_takes_the_shallow_slow_state_first),
		cmocka_unit_test(power_is_never_looked_at),
		cmocka_unit_test(
			the_quirk_means_the_last_state_not_the_deepest_sleep),
		cmocka_unit_test(the_quirk_holds_for_legacy_too),
		cmocka_unit_test(secondary_timeout_0_means_no_second_idle_time),
		cmocka_unit_test(
			a_secondary_tolerance_below_the_primary_is_empty),
		cmocka_unit_test(a_huge_primary_tolerance_takes_all),
		cmocka_unit_test(
			primary_0_is_the_legacy_rule_and_not_secondary_only),
		cmocka_unit_test(legacy_ignores_the_parameters_of_linux),
		cmocka_unit_test(legacy_idle_times_are_rounded_up),
		cmocka_unit_test(legacy_idle_times_are_clamped_to_24_bits),
		cmocka_unit_test(
			legacy_with_a_total_of_0_is_a_disabled_transition),
		cmocka_unit_test(a_non_operational_state_0_is_never_entered),
		cmocka_unit_test(
			enabled_with_an_empty_table_is_a_normal_outcome),
		cmocka_unit_test(thirty_two_states_are_walked),
		cmocka_unit_test(a_limit_of_0_sends_a_zero_table_to_switch_off),
		cmocka_unit_test(
			the_quirk_no_apst_sends_a_zero_table_to_switch_off),
		cmocka_unit_test(apsta_0_sends_nothing_whatever_else_is_off),
		cmocka_unit_test(
			any_apsta_but_0_and_an_unknown_one_are_support),
		cmocka_unit_test(any_limit_lets_the_slowest_exit_pass),
		cmocka_unit_test(timeouts_that_do_not_fit_are_refused),
		cmocka_unit_test(the_largest_timeouts_fit),
		cmocka_unit_test(unknown_words_are_refused),
		cmocka_unit_test(unknown_latencies_of_sleep_states_are_enodata),
		cmocka_unit_test(
			unknown_latencies_of_operational_states_do_not_matter),
		cmocka_unit_test(a_sata_drive_has_no_apst),
		cmocka_unit_test(params_without_a_size_are_refused),
		cmocka_unit_test(shorter_params_are_completed_with_defaults),
		cmocka_unit_test(longer_params_must_end_in_zeros),
		cmocka_unit_test(what_is_generated_is_sound),
		cmocka_unit_test(a_source_that_does_not_exist_is_unsound),
		cmocka_unit_test(a_target_that_does_not_exist_is_unsound),
		cmocka_unit_test(a_target_that_is_not_deeper_is_unsound),
		cmocka_unit_test(an_operational_target_is_unsound),
		cmocka_unit_test(an_idle_time_of_0_is_unsound),
		cmocka_unit_test(an_idle_time_that_does_not_fit_is_unsound),
		cmocka_unit_test(a_table_that_is_off_but_not_empty_is_unsound),
		cmocka_unit_test(enabled_without_sent_is_unsound),
		cmocka_unit_test(the_first_fault_is_reported),
		cmocka_unit_test(
			entries_are_encoded_in_32_little_endian_quadwords),
		cmocka_unit_test(what_does_not_fit_is_not_encoded),
		cmocka_unit_test(what_is_encoded_is_decoded_again),
		cmocka_unit_test(each_reserved_bit_is_refused),
		cmocka_unit_test(algorithms_have_names),
		cmocka_unit_test(
			a_word_of_an_algorithm_may_have_a_scheme_and_a_source),
		cmocka_unit_test(a_word_of_an_algorithm_may_have_its_times),
		cmocka_unit_test(
			a_bad_word_of_an_algorithm_says_what_is_allowed),
		cmocka_unit_test(schemes_and_power_sources_have_names),
		cmocka_unit_test(quirks_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
