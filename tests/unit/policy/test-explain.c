/* SPDX-License-Identifier: MIT */
/* Why each state is or is not in the table, and that the table agrees. */
#include "fixture.h"

struct expected {
	uint32_t verdict;
	const char *reason;
};

static const char operational[] = "APST enters only non-operational states";

static struct ssdpm_apst_params linux_params(void)
{
	struct ssdpm_apst_params p;

	assert_int_equal(ssdpm_apst_params_init(&p, sizeof(p)), 0);
	return p;
}

static void assert_verdicts(const struct latencies *l, size_t n,
			    const struct ssdpm_apst_params *params,
			    const struct expected *expected)
{
	struct ssdpm_apst_verdict verdicts[SSDPM_MAX_STATES], untouched;
	struct ssdpm_error error = fixture_error(), before = error;
	struct ssdpm_model *model = fixture_model(l, n);

	memset(verdicts, 0x5a, sizeof(verdicts));
	memset(&untouched, 0x5a, sizeof(untouched));
	assert_int_equal(ssdpm_apst_explain(model, params, verdicts,
					    SSDPM_MAX_STATES, &error),
			 0);
	assert_memory_equal(&error, &before, sizeof(error));
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(verdicts[i].state, i);
		assert_string_equal(verdicts[i].reason, expected[i].reason);
		assert_int_equal(verdicts[i].verdict, expected[i].verdict);
	}
	for (size_t i = n; i < SSDPM_MAX_STATES; i++)
		assert_memory_equal(&verdicts[i], &untouched,
				    sizeof(untouched));
	ssdpm_model_unref(model);
}

static void used_states_say_from_where_and_after_how_long(void **state)
{
	static const struct latencies l[] = {
		{ 0, 0, 0 },	    { 0, 0, 0 },	{ 0, 0, 0 },
		{ 1, 4000, 10000 }, { 1, 4000, 45000 },
	};
	static const struct expected expected[] = {
		{ SSDPM_VERDICT_OPERATIONAL, operational },
		{ SSDPM_VERDICT_OPERATIONAL, operational },
		{ SSDPM_VERDICT_OPERATIONAL, operational },
		{ SSDPM_VERDICT_USED, "from PS0-PS2 after 100 ms idle" },
		{ SSDPM_VERDICT_USED, "from PS3 after 2 s idle" },
	};

	(void)state;
	assert_verdicts(l, 5, NULL, expected);
}

static void exits_above_the_limit_are_compared_with_it(void **state)
{
	static const struct latencies l[] = {
		{ 0, 0, 0 },
		{ 1, 4000, 10000 },
		{ 1, 4000, 45000 },
	};
	static const struct expected expected[] = {
		{ SSDPM_VERDICT_OPERATIONAL, operational },
		{ SSDPM_VERDICT_USED, "from PS0 after 100 ms idle" },
		{ SSDPM_VERDICT_EXIT_TOO_SLOW, "exit 45 ms > limit 25 ms" },
	};
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.max_exit_latency_us = 25000;
	assert_verdicts(l, 3, &p, expected);
}

static void totals_above_every_tolerance_are_never_used(void **state)
{
	static const struct latencies l[] = {
		{ 0, 0, 0 },
		{ 1, 30000, 100000 },
		{ 1, 1, 4294967295 },
	};
	static const struct expected expected[] = {
		{ SSDPM_VERDICT_OPERATIONAL, operational },
		{ SSDPM_VERDICT_TOTAL_TOO_SLOW,
		  "never: entry+exit 130 ms > secondary tolerance 100 ms, "
		  "whatever the latency limit" },
		{ SSDPM_VERDICT_TOTAL_TOO_SLOW,
		  "never: entry+exit 4294.967296 s > secondary tolerance "
		  "100 ms, whatever the latency limit" },
	};

	(void)state;
	assert_verdicts(l, 3, NULL, expected);
}

static void without_a_second_idle_time_the_primary_tolerance_counts(
	void **state)
{
	static const struct latencies l[] = { { 0, 0, 0 }, { 1, 8000, 7001 } };
	static const struct expected expected[] = {
		{ SSDPM_VERDICT_OPERATIONAL, operational },
		{ SSDPM_VERDICT_TOTAL_TOO_SLOW,
		  "never: entry+exit 15.001 ms > primary tolerance 15 ms, "
		  "whatever the latency limit" },
	};
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.secondary_timeout_ms = 0;
	assert_verdicts(l, 2, &p, expected);
	p = linux_params();
	p.secondary_latency_tolerance_us = 14999;
	assert_verdicts(l, 2, &p, expected);
}

static void shadowed_states_name_the_deeper_one(void **state)
{
	static const struct latencies l[] = {
		{ 0, 0, 0 },	     { 1, 100, 110 },	  { 1, 200, 8300 },
		{ 1, 10000, 10000 }, { 1, 20000, 20000 },
	};
	static const struct expected expected[] = {
		{ SSDPM_VERDICT_OPERATIONAL, operational },
		{ SSDPM_VERDICT_SHADOWED,
		  "PS2 is deeper, and its entry+exit 8.5 ms is within the "
		  "primary tolerance" },
		{ SSDPM_VERDICT_USED, "from PS0-PS1 after 100 ms idle" },
		{ SSDPM_VERDICT_SHADOWED,
		  "PS4 is deeper, and its entry+exit 40 ms is within the "
		  "secondary tolerance" },
		{ SSDPM_VERDICT_USED, "from PS2-PS3 after 2 s idle" },
	};

	(void)state;
	assert_verdicts(l, 5, NULL, expected);
}

static void verdicts_without_room_are_refused(void **state)
{
	static const struct latencies l[] = { { 0, 0, 0 }, { 1, 1, 1 } };
	struct ssdpm_apst_verdict verdicts[2] = { { .state = 7 } };
	struct ssdpm_model *model = fixture_model(l, 2);
	struct ssdpm_error error;

	(void)state;
	assert_int_equal(ssdpm_apst_explain(model, NULL, verdicts, 1, &error),
			 -E2BIG);
	fixture_assert_error(&error, -E2BIG, 0,
			     "2 states, and room for 1 verdicts");
	assert_int_equal(verdicts[0].state, 7);
	assert_int_equal(ssdpm_apst_explain(model, NULL, verdicts, 2, NULL), 0);
	assert_int_equal(verdicts[1].state, 1);
	ssdpm_model_unref(model);
}

static void a_slower_state_behind_a_faster_deep_one_is_shadowed(void **state)
{
	static const struct latencies l[] = {
		{ 0, 0, 0 },
		{ 1, 40000, 40000 },
		{ 1, 1, 1 },
	};
	struct ssdpm_apst_verdict verdicts[SSDPM_MAX_STATES];
	struct ssdpm_model *model = fixture_model(l, 3);

	(void)state;
	assert_int_equal(ssdpm_apst_explain(model, NULL, verdicts,
					    SSDPM_MAX_STATES, NULL),
			 0);
	assert_int_equal(verdicts[1].verdict, SSDPM_VERDICT_SHADOWED);
	assert_non_null(strstr(verdicts[1].reason,
			       "PS2 is deeper, and its entry+exit 2 us is "
			       "within the primary tolerance"));
	ssdpm_model_unref(model);
}

static void the_last_state_may_be_forbidden_by_a_quirk(void **state)
{
	static const struct latencies l[] = {
		{ 0, 0, 0 },
		{ 1, 1, 1 },
		{ 1, 2, 2 },
	};
	static const struct expected expected[] = {
		{ SSDPM_VERDICT_OPERATIONAL, operational },
		{ SSDPM_VERDICT_USED, "from PS0 after 100 ms idle" },
		{ SSDPM_VERDICT_QUIRK,
		  "quirk no-deepest-ps: the last state is not used" },
	};
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	assert_verdicts(l, 3, &p, expected);
}

static void a_state_that_nothing_enters_brings_no_gain(void **state)
{
	static const struct latencies l[] = { { 1, 1, 1 }, { 0, 0, 0 } };
	static const struct expected expected[] = {
		{ SSDPM_VERDICT_NO_GAIN,
		  "there is no shallower state to enter it from" },
		{ SSDPM_VERDICT_OPERATIONAL, operational },
	};

	(void)state;
	assert_verdicts(l, 2, NULL, expected);
}

static void legacy_with_a_total_of_0_brings_no_gain(void **state)
{
	static const struct latencies l[] = {
		{ 0, 0, 0 },
		{ 1, 0, 0 },
		{ 1, 0, 21 },
	};
	static const struct expected expected[] = {
		{ SSDPM_VERDICT_OPERATIONAL, operational },
		{ SSDPM_VERDICT_NO_GAIN,
		  "entry+exit 0: idle time 0 disables the transition" },
		{ SSDPM_VERDICT_USED, "from PS1 after 2 ms idle" },
	};
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.algorithm = SSDPM_APST_LINUX_LEGACY;
	assert_verdicts(l, 3, &p, expected);
}

static void a_drive_without_apst_says_so_for_each_sleep_state(void **state)
{
	struct ssdpm_power_state states[2] = { { .max_power_uw = 1 } };
	struct ssdpm_apst_verdict verdicts[SSDPM_MAX_STATES];
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_model *model;

	(void)state;
	info.apsta = 0;
	states[1].flags = SSDPM_STATE_NON_OPERATIONAL;
	assert_int_equal(ssdpm_model_new(&info, states, 2, &model, NULL), 0);
	assert_int_equal(ssdpm_apst_explain(model, NULL, verdicts,
					    SSDPM_MAX_STATES, NULL),
			 0);
	assert_int_equal(verdicts[0].verdict, SSDPM_VERDICT_OPERATIONAL);
	assert_string_equal(verdicts[0].reason, operational);
	assert_int_equal(verdicts[1].verdict, SSDPM_VERDICT_NO_GAIN);
	assert_string_equal(verdicts[1].reason, "the drive has no APST "
						"(APSTA 0): no table is sent");
	ssdpm_model_unref(model);
}

static void the_quirk_no_apst_is_the_cause_for_all(void **state)
{
	static const struct latencies l[] = { { 0, 0, 0 }, { 1, 1, 1 } };
	static const struct expected expected[] = {
		{ SSDPM_VERDICT_OPERATIONAL, operational },
		{ SSDPM_VERDICT_QUIRK, "quirk no-apst: APST is switched off" },
	};
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.quirks = SSDPM_QUIRK_NO_APST;
	assert_verdicts(l, 2, &p, expected);
}

static void a_limit_of_0_is_the_cause_for_all(void **state)
{
	static const struct latencies l[] = { { 0, 0, 0 }, { 1, 0, 0 } };
	static const struct expected expected[] = {
		{ SSDPM_VERDICT_OPERATIONAL, operational },
		{ SSDPM_VERDICT_EXIT_TOO_SLOW,
		  "a latency limit of 0 switches APST off" },
	};
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.max_exit_latency_us = 0;
	assert_verdicts(l, 2, &p, expected);
}

/* With the legacy rule the total does not matter, and durations show. */
static void durations_are_exact_in_the_unit_people_read(void **state)
{
	static const struct {
		uint32_t exit;
		const char *reason;
	} cases[] = {
		{ 2, "exit 2 us > limit 1 us" },
		{ 999, "exit 999 us > limit 1 us" },
		{ 1000, "exit 1 ms > limit 1 us" },
		{ 1001, "exit 1.001 ms > limit 1 us" },
		{ 8500, "exit 8.5 ms > limit 1 us" },
		{ 10010, "exit 10.01 ms > limit 1 us" },
		{ 999999, "exit 999.999 ms > limit 1 us" },
		{ 1000000, "exit 1 s > limit 1 us" },
		{ 1000001, "exit 1.000001 s > limit 1 us" },
		{ 1500000, "exit 1.5 s > limit 1 us" },
		{ 4294967295, "exit 4294.967295 s > limit 1 us" },
	};
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.algorithm = SSDPM_APST_LINUX_LEGACY;
	p.max_exit_latency_us = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct latencies l[] = { { 0, 0, 0 },
					       { 1, 0, cases[i].exit } };
		const struct expected expected[] = {
			{ SSDPM_VERDICT_OPERATIONAL, operational },
			{ SSDPM_VERDICT_EXIT_TOO_SLOW, cases[i].reason },
		};

		assert_verdicts(l, 2, &p, expected);
	}
}

static void the_longest_reason_is_whole(void **state)
{
	static const struct latencies l[] = {
		{ 0, 0, 0 },
		{ 1, 4294967295, 4294967295 },
	};
	static const struct expected expected[] = {
		{ SSDPM_VERDICT_OPERATIONAL, operational },
		{ SSDPM_VERDICT_TOTAL_TOO_SLOW,
		  "never: entry+exit 8589.93459 s > secondary tolerance "
		  "8589.934589 s, whatever the latency limit" },
	};
	struct ssdpm_apst_params p = linux_params();

	(void)state;
	p.secondary_latency_tolerance_us = 8589934589;
	assert_verdicts(l, 2, &p, expected);
}

static void verdicts_have_names(void **state)
{
	static const char *const names[] = {
		NULL,
		"used",
		"operational",
		"exit-too-slow",
		"total-too-slow",
		"shadowed",
		"quirk",
		"no-gain",
	};

	(void)state;
	for (uint32_t i = 1; i <= 7; i++)
		assert_string_equal(ssdpm_verdict_to_string(i), names[i]);
	assert_null(ssdpm_verdict_to_string(0));
	assert_null(ssdpm_verdict_to_string(8));
	assert_null(ssdpm_verdict_to_string(UINT32_MAX));
}

/*
 * The kernel's rule once more, without its loop. A state can be a target if it
 * is non-operational, not forbidden, and its exit is within the limit.
 */
struct rule {
	struct latencies states[SSDPM_MAX_STATES];
	uint32_t n;
	struct ssdpm_apst_params p;
};

static bool can_be_target(const struct rule *r, uint32_t i)
{
	bool forbidden =
		r->p.quirks & SSDPM_QUIRK_NO_DEEPEST_PS && i + 1 == r->n;

	return r->states[i].nops && !forbidden &&
	       r->states[i].exit <= r->p.max_exit_latency_us;
}

static uint64_t total(const struct rule *r, uint32_t i)
{
	return (uint64_t)r->states[i].entry + r->states[i].exit;
}

/* The deepest target whose total is above low and at most high, or 0. */
static uint32_t deepest_within(const struct rule *r, bool above, uint64_t low,
			       uint64_t high)
{
	uint32_t found = 0;

	for (uint32_t i = 1; i < r->n; i++)
		if (can_be_target(r, i) && total(r, i) <= high &&
		    (!above || total(r, i) > low))
			found = i;
	return found;
}

/*
 * Two idle times: each state enters the deepest primary state where that is
 * deeper than itself, and else the deepest secondary one.
 */
static struct ssdpm_apst_entry two_bands(const struct rule *r, uint32_t source)
{
	const struct ssdpm_apst_params *p = &r->p;
	uint32_t primary =
		deepest_within(r, false, 0, p->primary_latency_tolerance_us);
	uint32_t secondary = 0;

	if (p->secondary_timeout_ms)
		secondary =
			deepest_within(r, true, p->primary_latency_tolerance_us,
				       p->secondary_latency_tolerance_us);
	if (source < primary)
		return (struct ssdpm_apst_entry){
			(uint32_t)p->primary_timeout_ms, primary
		};
	if (source < secondary)
		return (struct ssdpm_apst_entry){
			(uint32_t)p->secondary_timeout_ms, secondary
		};
	return (struct ssdpm_apst_entry){ 0, 0 };
}

/* The legacy rule: the next deeper target, after 50 times its total. */
static struct ssdpm_apst_entry chain(const struct rule *r, uint32_t source)
{
	for (uint32_t i = source + 1; i < r->n; i++) {
		uint64_t us = total(r, i) * 50;
		uint64_t ms = us / 1000 + (us % 1000 != 0);

		if (can_be_target(r, i))
			return (struct ssdpm_apst_entry){
				ms > 0xffffff ? 0xffffff : (uint32_t)ms, i
			};
	}
	return (struct ssdpm_apst_entry){ 0, 0 };
}

static struct ssdpm_apst restate(const struct rule *r)
{
	struct ssdpm_apst table = { .sent = 1 };
	bool bands = r->p.algorithm == SSDPM_APST_LINUX &&
		     r->p.primary_timeout_ms &&
		     r->p.primary_latency_tolerance_us;

	if (r->p.quirks & SSDPM_QUIRK_NO_APST || !r->p.max_exit_latency_us)
		return table;
	table.enabled = 1;
	for (uint32_t i = 0; i < r->n; i++)
		table.entries[i] = bands ? two_bands(r, i) : chain(r, i);
	return table;
}

/* Numbers at and around the limits, more often than any others. */
static uint32_t random_latency(uint64_t *seed)
{
	static const uint32_t edges[] = { 0,	  1,	     19,    20,
					  21,	  7500,	     14999, 15000,
					  15001,  50000,     99999, 100000,
					  100001, UINT32_MAX };
	uint64_t r = fixture_random(seed);
	uint32_t noise = (uint32_t)(r >> 32);

	switch (r % 4) {
	case 0:
		return noise;
	case 1:
		return noise % 120000;
	case 2:
		return edges[noise % 14] / 2;
	default:
		return edges[noise % 14];
	}
}

static struct rule random_rule(uint64_t *seed)
{
	static const uint64_t limits[] = { 0, 1, 15000, 100000,
					   SSDPM_LATENCY_ANY };
	struct rule r = { .p = linux_params() };
	uint64_t bits = fixture_random(seed);

	r.n = 1 + (bits & 31);
	r.p.algorithm = 1 + (bits >> 5 & 1);
	r.p.quirks = (uint32_t)(bits >> 6) & (bits >> 8 & 1 ? 2 : 3);
	r.p.max_exit_latency_us =
		bits >> 9 & 1 ? limits[bits % 5] : random_latency(seed);
	if (bits >> 10 & 1)
		r.p.primary_timeout_ms = bits >> 40 & (bits >> 11 & 1);
	if (bits >> 12 & 1)
		r.p.primary_latency_tolerance_us = random_latency(seed);
	if (bits >> 13 & 1)
		r.p.secondary_timeout_ms = bits >> 40 & (bits >> 14 & 1) * 9;
	if (bits >> 15 & 1)
		r.p.secondary_latency_tolerance_us = random_latency(seed);
	for (uint32_t i = 0; i < r.n; i++) {
		r.states[i].nops = fixture_random(seed) % 4 != 0;
		r.states[i].entry = random_latency(seed);
		r.states[i].exit = random_latency(seed);
	}
	return r;
}

/* They are quick, but many: of few cases even fewer. */
static uint64_t rounds(uint64_t n)
{
	return fixture_cases(fixture_cases(n));
}

static void random_tables_are_those_of_the_rule_restated(void **state)
{
	uint64_t seed = 0x5eed5eed5eed5eed;
	unsigned long seen[8] = { 0 };

	(void)state;
	for (uint64_t i = 0; i < rounds(200000); i++) {
		struct rule r = random_rule(&seed);
		struct ssdpm_model *model = fixture_model(r.states, r.n);
		struct ssdpm_apst expected = restate(&r), table;

		memset(&table, 0x5a, sizeof(table));
		assert_int_equal(ssdpm_apst_generate(model, &r.p, &table, NULL),
				 0);
		assert_memory_equal(&table, &expected, sizeof(table));
		fixture_assert_explained(model, &r.p, &table, seen);
		ssdpm_model_unref(model);
	}
	/* Noise that misses a kind of state would prove little. */
	for (uint32_t verdict = 1; verdict <= 7; verdict++)
		assert_true(seen[verdict] > rounds(1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(used_states_say_from_where_and_after_how_long),
		cmocka_unit_test(exits_above_the_limit_are_compared_with_it),
		cmocka_unit_test(totals_above_every_tolerance_are_never_used),
		cmocka_unit_test(
			without_a_second_idle_time_the_primary_tolerance_counts),
		cmocka_unit_test(shadowed_states_name_the_deeper_one),
		cmocka_unit_test(verdicts_without_room_are_refused),
		cmocka_unit_test(
			a_slower_state_behind_a_faster_deep_one_is_shadowed),
		cmocka_unit_test(the_last_state_may_be_forbidden_by_a_quirk),
		cmocka_unit_test(a_state_that_nothing_enters_brings_no_gain),
		cmocka_unit_test(legacy_with_a_total_of_0_brings_no_gain),
		cmocka_unit_test(
			a_drive_without_apst_says_so_for_each_sleep_state),
		cmocka_unit_test(the_quirk_no_apst_is_the_cause_for_all),
		cmocka_unit_test(a_limit_of_0_is_the_cause_for_all),
		cmocka_unit_test(durations_are_exact_in_the_unit_people_read),
		cmocka_unit_test(the_longest_reason_is_whole),
		cmocka_unit_test(verdicts_have_names),
		cmocka_unit_test(random_tables_are_those_of_the_rule_restated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
