/* SPDX-License-Identifier: MIT */
/* The lower envelope: the idle times that cost least energy, exactly. */
#include "fixture.h"

/* The input of the algorithm. idle 0: not reported. */
struct power {
	uint32_t nops, max, idle, entry, exit;
};

static const char operational[] = "APST enters only non-operational states";

static struct ssdpm_apst_params envelope(uint32_t idle_uw,
					 uint32_t transition_uw)
{
	struct ssdpm_apst_params p;

	assert_int_equal(ssdpm_apst_params_init(&p, sizeof(p)), 0);
	p.algorithm = SSDPM_APST_LOWER_ENVELOPE;
	p.idle_power_uw = idle_uw;
	p.transition_power_uw = transition_uw;
	return p;
}

static struct ssdpm_model *model_of(const struct power *powers, size_t n)
{
	struct ssdpm_power_state states[SSDPM_MAX_STATES] = { { 0 } };
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_model *model;

	for (size_t i = 0; i < n; i++) {
		states[i].flags =
			powers[i].nops ? SSDPM_STATE_NON_OPERATIONAL : 0;
		states[i].max_power_uw = powers[i].max;
		states[i].idle_power_uw = powers[i].idle;
		if (!powers[i].idle)
			states[i].unknown = SSDPM_FIELD_IDLE_POWER;
		states[i].entry_latency_us = powers[i].entry;
		states[i].exit_latency_us = powers[i].exit;
	}
	assert_int_equal(ssdpm_model_new(&info, states, n, &model, NULL), 0);
	return model;
}

/* The table and the verdicts, with reasons if given. */
static void assert_made(const struct power *powers, size_t n,
			const struct ssdpm_apst_params *params,
			const struct fixture_made *expected)
{
	fixture_assert_made(model_of(powers, n), params, expected, n);
}

/* Generate and explain fail alike, and return nothing; consumes the model. */
static void assert_refused(struct ssdpm_model *model,
			   const struct ssdpm_apst_params *params, int code,
			   const char *fragment)
{
	struct ssdpm_apst_verdict v[SSDPM_MAX_STATES],
		v_before[sizeof(v) / sizeof(v[0])];
	struct ssdpm_error error = fixture_error();
	struct ssdpm_apst table, before;

	memset(&table, 0x5a, sizeof(table));
	before = table;
	memset(v, 0x5a, sizeof(v));
	memcpy(v_before, v, sizeof(v));
	assert_int_equal(ssdpm_apst_generate(model, params, &table, &error),
			 code);
	fixture_assert_error(&error, code, 0, fragment);
	error = fixture_error();
	assert_int_equal(
		ssdpm_apst_explain(model, params, v, SSDPM_MAX_STATES, &error),
		code);
	fixture_assert_error(&error, code, 0, fragment);
	assert_int_equal(ssdpm_apst_generate(model, params, &table, NULL),
			 code);
	assert_memory_equal(&table, &before, sizeof(table));
	assert_memory_equal(v, v_before, sizeof(v));
	ssdpm_model_unref(model);
}

/*
 * The overheads: 0.5 W x 14.9 ms - 25 mW x 4 ms = 7.35 mJ. And 0.5 W x 44 ms -
 * 5 mW x 5 ms = 21.975 mJ. The times: 7.35 mJ / 475 mW = 15.473684 ms. And
 * 14.625 mJ / 20 mW = 731.25 ms.
 */
static const struct power laptop[] = {
	{ 0, 3500000, 500000, 0, 0 }, { 0, 2400000, 0, 0, 0 },
	{ 0, 1900000, 0, 0, 0 },      { 1, 25000, 0, 4000, 10900 },
	{ 1, 5000, 0, 5000, 39000 },
};

static void the_worked_example_is_exact(void **state)
{
	static const struct fixture_made expected[] = {
		{ 3, 16, SSDPM_VERDICT_OPERATIONAL, operational },
		{ 3, 16, SSDPM_VERDICT_OPERATIONAL, operational },
		{ 3, 16, SSDPM_VERDICT_OPERATIONAL, operational },
		{ 4, 716, SSDPM_VERDICT_USED,
		  "from PS0-PS2 after 16 ms idle: 25 mW instead of 500 mW pays "
		  "after 15.474 ms" },
		{ 0, 0, SSDPM_VERDICT_USED,
		  "from PS3 after 716 ms idle: 5 mW instead of 25 mW pays "
		  "after 731.25 ms" },
	};
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	assert_made(laptop, 5, &p, expected);
	p = envelope(500000, 500000);
	assert_made(laptop, 5, &p, expected);
}

/* The limit applies to the exit, as everywhere. */
static void a_slow_exit_is_not_on_the_envelope(void **state)
{
	static const struct fixture_made expected[] = {
		{ 3, 16, 0, NULL },
		{ 3, 16, 0, NULL },
		{ 3, 16, 0, NULL },
		{ 0, 0, SSDPM_VERDICT_USED, NULL },
		{ 0, 0, SSDPM_VERDICT_EXIT_TOO_SLOW,
		  "exit 39 ms > limit 38.999 ms" },
	};
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	p.max_exit_latency_us = 38999;
	assert_made(laptop, 5, &p, expected);
}

static void the_quirk_forbids_the_last_state(void **state)
{
	static const struct fixture_made expected[] = {
		{ 3, 16, 0, NULL },
		{ 3, 16, 0, NULL },
		{ 3, 16, 0, NULL },
		{ 0, 0, SSDPM_VERDICT_USED, NULL },
		{ 0, 0, SSDPM_VERDICT_QUIRK,
		  "quirk no-deepest-ps: the last state is not used" },
	};
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	p.quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	assert_made(laptop, 5, &p, expected);
}

/* 1 W: 14.9 mJ - 0.1 mJ = 14.8 mJ / 975 mW; 44 mJ - 0.025 mJ - 14.8 mJ. */
static void a_given_idle_power_comes_before_the_reported_one(void **state)
{
	static const struct fixture_made expected[] = {
		{ 3, 16, 0, NULL },
		{ 3, 16, 0, NULL },
		{ 3, 16, 0, NULL },
		{ 4, 1459 - 16, SSDPM_VERDICT_USED,
		  "from PS0-PS2 after 16 ms idle: 25 mW instead of 1 W pays "
		  "after 15.18 ms" },
		{ 0, 0, SSDPM_VERDICT_USED, NULL },
	};
	struct ssdpm_apst_params p = envelope(1000000, 0);

	(void)state;
	assert_made(laptop, 5, &p, expected);
}

/* 2 W: 29.8 mJ - 0.1 mJ = 29.7 mJ / 475 mW = 62.526316 ms. */
static void transitions_may_take_another_power(void **state)
{
	static const struct fixture_made expected[] = {
		{ 3, 63, 0, NULL },
		{ 3, 63, 0, NULL },
		{ 3, 63, 0, NULL },
		{ 4, 2914 - 63, SSDPM_VERDICT_USED,
		  "from PS0-PS2 after 63 ms idle: 25 mW instead of 500 mW pays "
		  "after 62.527 ms" },
		{ 0, 0, SSDPM_VERDICT_USED, NULL },
	};
	struct ssdpm_apst_params p = envelope(0, 2000000);

	(void)state;
	assert_made(laptop, 5, &p, expected);
}

static void the_idle_power_of_a_state_comes_before_its_maximum(void **state)
{
	static const struct power powers[] = {
		{ 0, 3500000, 500000, 0, 0 },
		{ 1, 1000000, 25000, 4000, 10900 },
	};
	static const struct fixture_made expected[] = {
		{ 1, 16, 0, NULL },
		{ 0, 0, SSDPM_VERDICT_USED, NULL },
	};
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	assert_made(powers, 2, &p, expected);
}

static void thresholds_are_rounded_up_to_whole_milliseconds(void **state)
{
	struct power powers[] = { { 0, 1, 1000, 0, 0 }, { 1, 500, 0, 0, 0 } };
	struct fixture_made expected[] = { { 1, 0, 0, NULL },
					   { 0, 0, 0, NULL } };
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	/* 1000 uW x exit / 500 uW: twice the exit */
	powers[1].exit = 5000;
	expected[0].idle_ms = 10;
	assert_made(powers, 2, &p, expected);
	powers[1].exit = 5001;
	expected[0].idle_ms = 11;
	assert_made(powers, 2, &p, expected);
	powers[1].exit = 4999;
	expected[0].idle_ms = 10;
	assert_made(powers, 2, &p, expected);
}

/*
 * An idle time of 0 would disable the transition. Overheads of 0, 1, 3 and
 * 603 nJ: 100 uW less pays after 0, 10, 20 us and 6 ms.
 */
static void steps_that_pay_at_once_have_a_millisecond_each(void **state)
{
	static const struct power powers[] = {
		{ 0, 1, 1000, 0, 0 },  { 1, 500, 0, 0, 0 },
		{ 1, 400, 0, 0, 1 },   { 1, 300, 0, 0, 3 },
		{ 1, 200, 0, 0, 603 },
	};
	static const struct fixture_made expected[] = {
		{ 1, 1, SSDPM_VERDICT_OPERATIONAL, operational },
		{ 2, 1, SSDPM_VERDICT_USED,
		  "from PS0 after 1 ms idle: 500 uW instead of 1 mW pays after "
		  "0 us" },
		{ 3, 1, SSDPM_VERDICT_USED,
		  "from PS1 after 1 ms idle: 400 uW instead of 500 uW pays after "
		  "10 us" },
		{ 4, 3, SSDPM_VERDICT_USED,
		  "from PS2 after 1 ms idle: 300 uW instead of 400 uW pays after "
		  "20 us" },
		{ 0, 0, SSDPM_VERDICT_USED,
		  "from PS3 after 3 ms idle: 200 uW instead of 300 uW pays after "
		  "6 ms" },
	};
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	assert_made(powers, 5, &p, expected);
}

static void equal_powers_bring_no_gain(void **state)
{
	static const struct power powers[] = {
		{ 0, 0, 500000, 0, 0 },	   { 1, 500000, 0, 100, 100 },
		{ 1, 25000, 0, 100, 100 }, { 1, 25000, 0, 100, 100 },
		{ 1, 25001, 0, 1, 1 },
	};
	static const struct fixture_made expected[] = {
		{ 2, 1, 0, NULL },
		{ 2, 1, SSDPM_VERDICT_NO_GAIN,
		  "500 mW is not below the 500 mW of PS0" },
		{ 0, 0, SSDPM_VERDICT_USED, NULL },
		{ 0, 0, SSDPM_VERDICT_NO_GAIN,
		  "25 mW is not below the 25 mW of PS2" },
		{ 0, 0, SSDPM_VERDICT_NO_GAIN,
		  "25.001 mW is not below the 25 mW of PS2" },
	};
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	assert_made(powers, 5, &p, expected);
}

static void a_drive_of_equal_powers_never_sleeps(void **state)
{
	static const struct power powers[] = {
		{ 0, 0, 500000, 0, 0 },
		{ 1, 500000, 0, 1, 1 },
		{ 1, 500000, 0, 0, 0 },
	};
	static const struct fixture_made expected[] = {
		{ 0, 0, 0, NULL },
		{ 0, 0, SSDPM_VERDICT_NO_GAIN, NULL },
		{ 0, 0, SSDPM_VERDICT_NO_GAIN, NULL },
	};
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	assert_made(powers, 3, &p, expected);
}

/* 0.5 W: PS1 5 mJ, pays after 10.526 ms; PS2 4 mJ - 0.004 mJ, 8.073 ms. */
static void a_state_above_the_envelope_is_shadowed(void **state)
{
	static const struct power powers[] = {
		{ 0, 0, 500000, 0, 0 },
		{ 1, 25000, 0, 0, 10000 },
		{ 1, 5000, 0, 800, 7200 },
	};
	static const struct fixture_made expected[] = {
		{ 2, 9, 0, NULL },
		{ 2, 9, SSDPM_VERDICT_SHADOWED,
		  "would pay after 10.527 ms; PS2 does after 8.073 ms and takes "
		  "no more power" },
		{ 0, 0, SSDPM_VERDICT_USED, NULL },
	};
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	assert_made(powers, 3, &p, expected);
}

/* PS2 touches the envelope in the point where PS1 and PS3 cross. */
static void a_state_that_only_touches_the_envelope_is_shadowed(void **state)
{
	static const struct power powers[] = {
		{ 0, 0, 1000, 0, 0 },
		{ 1, 600, 0, 0, 2000 },
		{ 1, 400, 0, 0, 4000 },
		{ 1, 200, 0, 0, 6000 },
	};
	static const struct fixture_made expected[] = {
		{ 1, 5, 0, NULL },
		{ 3, 5, SSDPM_VERDICT_USED, NULL },
		{ 3, 10, SSDPM_VERDICT_SHADOWED,
		  "would pay after 10 ms; PS3 does after 10 ms and takes no more "
		  "power" },
		{ 0, 0, SSDPM_VERDICT_USED,
		  "from PS1 after 5 ms, PS2 after 10 ms idle: 200 uW instead of "
		  "600 uW pays after 10 ms" },
	};
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	assert_made(powers, 4, &p, expected);
}

static void of_equal_powers_the_one_with_less_overhead_is_used(void **state)
{
	static const struct power powers[] = {
		{ 0, 0, 500000, 0, 0 },
		{ 1, 25000, 0, 0, 19000 },
		{ 1, 25000, 0, 0, 9500 },
	};
	static const struct fixture_made expected[] = {
		{ 2, 10, 0, NULL },
		{ 2, 10, SSDPM_VERDICT_SHADOWED,
		  "would pay after 20 ms; PS2 does after 10 ms and takes no more "
		  "power" },
		{ 0, 0, SSDPM_VERDICT_USED, NULL },
	};
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	assert_made(powers, 3, &p, expected);
}

/*
 * PS2 draws more power than PS1, and PS3 less than both, soon. PS1 drops out,
 * and then PS2 is useful after all.
 */
static void a_state_is_compared_with_those_on_the_envelope_only(void **state)
{
	static const struct power powers[] = {
		{ 0, 0, 500000, 0, 0 },
		{ 1, 25000, 0, 0, 90000 },
		{ 1, 30000, 0, 0, 1000 },
		{ 1, 5000, 0, 0, 10000 },
	};
	static const struct fixture_made expected[] = {
		{ 2, 2, 0, NULL },
		{ 2, 2, SSDPM_VERDICT_SHADOWED, NULL },
		{ 3, 178, SSDPM_VERDICT_USED,
		  "from PS0-PS1 after 2 ms idle: 30 mW instead of 500 mW pays "
		  "after 1.064 ms" },
		{ 0, 0, SSDPM_VERDICT_USED, NULL },
	};
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	assert_made(powers, 4, &p, expected);
}

/* Below 0 the formula would say that sleeping earns energy. */
static void cheap_transitions_cost_nothing_and_earn_nothing(void **state)
{
	static const struct power powers[] = {
		{ 0, 0, 500000, 0, 0 },
		{ 1, 25000, 0, 100000, 1 },
		{ 1, 5000, 0, 100000, 50000 },
	};
	static const struct fixture_made expected[] = {
		{ 2, 1, 0, NULL },
		{ 2, 1, SSDPM_VERDICT_SHADOWED,
		  "would pay after 0 us; PS2 does after 0 us and takes no more "
		  "power" },
		{ 0, 0, SSDPM_VERDICT_USED, NULL },
	};
	struct ssdpm_apst_params p = envelope(0, 1);

	(void)state;
	assert_made(powers, 3, &p, expected);
}

static void one_state_has_nowhere_to_go(void **state)
{
	static const struct power awake[] = { { 0, 0, 500000, 0, 0 } };
	static const struct power asleep[] = { { 1, 5000, 500000, 1, 1 } };
	static const struct fixture_made first[] = {
		{ 0, 0, SSDPM_VERDICT_OPERATIONAL, operational },
	};
	static const struct fixture_made second[] = {
		{ 0, 0, SSDPM_VERDICT_NO_GAIN,
		  "there is no shallower state to enter it from" },
	};
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	assert_made(awake, 1, &p, first);
	assert_made(asleep, 1, &p, second);
}

/* Each state one step on a parabola: all of them are on the envelope. */
static void thirty_two_states_are_all_steps(void **state)
{
	struct power powers[SSDPM_MAX_STATES] = { { 0, 0, 3200, 0, 0 } };
	struct fixture_made expected[SSDPM_MAX_STATES] = { { 0 } };
	struct ssdpm_apst_params p = envelope(0, 1000);

	(void)state;
	/* Overhead i x i x 500 nJ, 100 uW less each: 5000 (2 i + 1) us. */
	for (uint32_t i = 1; i < SSDPM_MAX_STATES; i++) {
		powers[i] =
			(struct power){ 1, 3200 - 100 * i, 0, 0, 500 * i * i };
		expected[i - 1].target = i;
		expected[i - 1].idle_ms = i == 1 ? 5 : 10;
	}
	p.max_exit_latency_us = SSDPM_LATENCY_ANY;
	assert_made(powers, SSDPM_MAX_STATES, &p, expected);
}

static void the_longest_latencies_do_not_overflow(void **state)
{
	static const struct power powers[] = {
		{ 0, 0, 500000, 0, 0 },
		{ 1, 25000, 0, UINT32_MAX, UINT32_MAX },
	};
	/* (2 x 500000 - 25000) x 4294967295 / 475000 us, in ms */
	static const struct fixture_made expected[] = {
		{ 1, 8815986, 0, NULL },
		{ 0, 0, SSDPM_VERDICT_USED,
		  "from PS0 after 8815.986 s idle: 25 mW instead of 500 mW pays "
		  "after 8815.985501 s" },
	};
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	p.max_exit_latency_us = SSDPM_LATENCY_ANY;
	assert_made(powers, 2, &p, expected);
}

static void an_overhead_beyond_64_bits_is_refused(void **state)
{
	struct power powers[] = {
		{ 0, 0, 1, 0, 0 },
		{ 1, 1, 0, UINT32_MAX, UINT32_MAX },
	};
	struct ssdpm_apst_params p = envelope(UINT32_MAX, 0);
	struct fixture_made fits[] = { { 1, 4294968, 0, NULL },
				       { 0, 0, 0, NULL } };

	(void)state;
	p.max_exit_latency_us = SSDPM_LATENCY_ANY;
	assert_refused(model_of(powers, 2), &p, -ERANGE,
		       "PS1: entering and leaving takes more than 18 MJ");
	/* UINT32_MAX squared over UINT32_MAX - 1 is one more, and a bit. */
	powers[1].entry = 0;
	assert_made(powers, 2, &p, fits);
}

static void a_threshold_that_does_not_fit_is_refused(void **state)
{
	struct power powers[] = {
		{ 0, 0, 1000, 0, 0 },
		{ 1, 999, 0, 0, 16777215 },
		{ 0, 0, 0, 0, 0 },
	};
	static const struct fixture_made expected[] = {
		{ 1, SSDPM_APST_MAX_IDLE_MS, 0, NULL },
		{ 0, 0, 0, NULL },
		{ 0, 0, 0, NULL },
	};
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	p.max_exit_latency_us = SSDPM_LATENCY_ANY;
	assert_made(powers, 3, &p, expected);
	powers[1].exit++;
	assert_refused(model_of(powers, 3), &p, -ERANGE,
		       "PS0 to PS1: idle time 16777216 ms; an APST entry holds "
		       "at most 16777215 ms");
}

static void without_an_idle_power_of_ps0_there_is_no_envelope(void **state)
{
	static const struct power powers[] = {
		{ 0, 3500000, 0, 0, 0 },
		{ 1, 25000, 0, 4000, 10900 },
	};
	static const struct fixture_made expected[] = {
		{ 1, 16, 0, NULL },
		{ 0, 0, 0, NULL },
	};
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	assert_refused(model_of(powers, 2), &p, -ENODATA,
		       "PS0: idle_power_uw is unknown: give idle_power_uw");
	p = envelope(500000, 0);
	assert_made(powers, 2, &p, expected);
}

static void a_maximum_power_of_0_is_no_power(void **state)
{
	struct power powers[] = {
		{ 0, 0, 500000, 0, 0 },
		{ 1, 0, 0, 4000, 10900 },
	};
	struct ssdpm_apst_params p = envelope(0, 0);
	static const struct fixture_made expected[] = {
		{ 0, 0, 0, NULL },
		{ 0, 0, SSDPM_VERDICT_EXIT_TOO_SLOW, NULL },
	};

	(void)state;
	assert_refused(model_of(powers, 2), &p, -ENODATA,
		       "PS1: idle_power_uw and max_power_uw are unknown, and "
		       "one of them is needed");
	/* A state that cannot be used does not need it. */
	p.max_exit_latency_us = 10899;
	assert_made(powers, 2, &p, expected);
}

static void unknown_powers_and_latencies_are_enodata(void **state)
{
	struct ssdpm_power_state states[2] = { { .idle_power_uw = 500000 } };
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_apst_params p = envelope(0, 0);
	struct ssdpm_model *model;

	(void)state;
	states[1].flags = SSDPM_STATE_NON_OPERATIONAL;
	states[1].unknown = SSDPM_FIELD_IDLE_POWER | SSDPM_FIELD_MAX_POWER;
	assert_int_equal(ssdpm_model_new(&info, states, 2, &model, NULL), 0);
	assert_refused(model, &p, -ENODATA, "PS1: idle_power_uw and");
	states[1].unknown |= SSDPM_FIELD_ENTRY_LATENCY;
	assert_int_equal(ssdpm_model_new(&info, states, 2, &model, NULL), 0);
	assert_refused(model, &p, -ENODATA, "PS1: entry_latency_us is unknown");
}

static void a_table_that_is_off_needs_no_powers(void **state)
{
	static const struct power powers[] = { { 0, 0, 0, 0, 0 },
					       { 1, 0, 0, 1, 1 } };
	struct ssdpm_model *model = model_of(powers, 2);
	struct ssdpm_apst table, off = { .sent = 1 };
	struct ssdpm_apst_params p = envelope(0, 0);

	(void)state;
	p.quirks = SSDPM_QUIRK_NO_APST;
	assert_int_equal(ssdpm_apst_generate(model, &p, &table, NULL), 0);
	assert_memory_equal(&table, &off, sizeof(table));
	ssdpm_model_unref(model);
}

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	return (uint32_t)(fixture_random(seed) % limit);
}

static void random_powers(uint64_t *seed, struct power *powers, uint32_t n)
{
	powers[0] = (struct power){ 0, 0, 1 + random_below(seed, 30), 0, 0 };
	for (uint32_t i = 1; i < n; i++)
		powers[i] = (struct power){ random_below(seed, 6) > 0,
					    1 + random_below(seed, 30), 0,
					    random_below(seed, 20),
					    random_below(seed, 3000) };
}

/*
 * Each state only leads to less power, and the verdicts fit. Python shows that
 * the times are right, with fractions.
 */
static void assert_sound(const struct power *powers, uint32_t n,
			 const struct ssdpm_apst_params *p,
			 unsigned long seen[8])
{
	struct ssdpm_model *model = model_of(powers, n);
	struct ssdpm_apst table;

	assert_int_equal(ssdpm_apst_generate(model, p, &table, NULL), 0);
	assert_int_equal(ssdpm_apst_validate(model, &table, NULL), 0);
	for (uint32_t i = 0, power = powers[0].idle; table.entries[i].target;) {
		i = table.entries[i].target;
		assert_true(powers[i].max < power);
		power = powers[i].max;
	}
	fixture_assert_explained(model, p, &table, seen);
	ssdpm_model_unref(model);
}

static void random_tables_are_sound_and_explained(void **state)
{
	uint64_t seed = 0x5eed5eed5eed5eed;
	unsigned long seen[8] = { 0 };

	(void)state;
	for (int round = 0; round < (int)fixture_cases(50000); round++) {
		struct power powers[SSDPM_MAX_STATES];
		uint32_t n = 1 + random_below(&seed, 7);
		struct ssdpm_apst_params p =
			envelope(0, random_below(&seed, 40));

		if (round % 8 == 0)
			p.quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
		p.max_exit_latency_us = 2500;
		random_powers(&seed, powers, n);
		assert_sound(powers, n, &p, seen);
	}
	for (uint32_t verdict = 1; verdict <= 7; verdict++)
		assert_true(verdict == SSDPM_VERDICT_TOTAL_TOO_SLOW ?
				    !seen[verdict] :
				    seen[verdict] > fixture_cases(1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worked_example_is_exact),
		cmocka_unit_test(a_slow_exit_is_not_on_the_envelope),
		cmocka_unit_test(the_quirk_forbids_the_last_state),
		cmocka_unit_test(
			a_given_idle_power_comes_before_the_reported_one),
		cmocka_unit_test(transitions_may_take_another_power),
		cmocka_unit_test(
			the_idle_power_of_a_state_comes_before_its_maximum),
		cmocka_unit_test(
			thresholds_are_rounded_up_to_whole_milliseconds),
		cmocka_unit_test(
			steps_that_pay_at_once_have_a_millisecond_each),
		cmocka_unit_test(equal_powers_bring_no_gain),
		cmocka_unit_test(a_drive_of_equal_powers_never_sleeps),
		cmocka_unit_test(a_state_above_the_envelope_is_shadowed),
		cmocka_unit_test(
			a_state_that_only_touches_the_envelope_is_shadowed),
		cmocka_unit_test(
			of_equal_powers_the_one_with_less_overhead_is_used),
		cmocka_unit_test(
			a_state_is_compared_with_those_on_the_envelope_only),
		cmocka_unit_test(
			cheap_transitions_cost_nothing_and_earn_nothing),
		cmocka_unit_test(one_state_has_nowhere_to_go),
		cmocka_unit_test(thirty_two_states_are_all_steps),
		cmocka_unit_test(the_longest_latencies_do_not_overflow),
		cmocka_unit_test(an_overhead_beyond_64_bits_is_refused),
		cmocka_unit_test(a_threshold_that_does_not_fit_is_refused),
		cmocka_unit_test(
			without_an_idle_power_of_ps0_there_is_no_envelope),
		cmocka_unit_test(a_maximum_power_of_0_is_no_power),
		cmocka_unit_test(unknown_powers_and_latencies_are_enodata),
		cmocka_unit_test(a_table_that_is_off_needs_no_powers),
		cmocka_unit_test(random_tables_are_sound_and_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
