/* SPDX-License-Identifier: MIT */
/* The tables of Windows' StorNVMe: its four schemes, on AC and on battery. */
#include "fixture.h"

static struct ssdpm_apst_params windows(uint32_t scheme, uint32_t source)
{
	struct ssdpm_apst_params p;

	assert_int_equal(ssdpm_apst_params_init(&p, sizeof(p)), 0);
	p.algorithm = SSDPM_APST_WINDOWS;
	p.scheme = scheme;
	p.power_source = source;
	return p;
}

static struct ssdpm_apst_params balanced(void)
{
	return windows(SSDPM_SCHEME_BALANCED, SSDPM_SOURCE_AC);
}

static const char operational[] = "APST enters only non-operational states";

/* The table and the verdicts, where a reason is given. */
static void assert_made(const struct latencies *l, size_t n,
			const struct ssdpm_apst_params *params,
			const struct fixture_made *expected)
{
	fixture_assert_made(fixture_model(l, n), params, expected, n);
}

/* Microsoft's page gives these three, without stating that PS0 is awake. */
static const struct latencies worked_example[] = {
	{ 0, 5, 5 },
	{ 1, 10000, 300 },
	{ 1, 50000, 10000 },
};

/* The result for a drive; each is a test. */
struct made_case {
	const char *name;
	uint32_t scheme, source, quirks;
	size_t n;
	struct latencies states[5];
	struct fixture_made made[5];
};

static const struct made_case made_cases[] = {
	{
		.name = "microsofts_example_on_battery_enters_ps1",
		.scheme = SSDPM_SCHEME_BALANCED,
		.source = SSDPM_SOURCE_BATTERY,
		.n = 3,
		.states = { { 0, 5, 5 }, { 1, 10000, 300 }, { 1, 50000, 10000 } },
		.made = {
			{ 1, 100, SSDPM_VERDICT_OPERATIONAL, operational },
			{ 2, 900, SSDPM_VERDICT_USED,
			  "from PS0 after 100 ms idle" },
			{ 0, 0, SSDPM_VERDICT_USED,
			  "from PS1 after 900 ms idle" },
		},
	},
	{
		.name = "the_secondary_time_counts_from_the_primary_state",
		.scheme = SSDPM_SCHEME_BALANCED,
		.source = SSDPM_SOURCE_AC,
		.n = 5,
		.states = {
			{ 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 },
			{ 1, 3900, 11000 }, { 1, 5000, 39000 },
		},
		.made = {
			{ 3, 200, SSDPM_VERDICT_OPERATIONAL, operational },
			{ 3, 200, SSDPM_VERDICT_OPERATIONAL, operational },
			{ 3, 200, SSDPM_VERDICT_OPERATIONAL, operational },
			{ 4, 1800, SSDPM_VERDICT_USED,
			  "from PS0-PS2 after 200 ms idle" },
			{ 0, 0, SSDPM_VERDICT_USED,
			  "from PS3 after 1.8 s idle" },
		},
	},
	{
		.name = "without_a_primary_state_the_secondary_time_is_whole",
		.scheme = SSDPM_SCHEME_BALANCED,
		.source = SSDPM_SOURCE_AC,
		.n = 3,
		.states = {
			{ 0, 0, 0 },
			{ 1, 20000, 20000 },
			{ 1, 30000, 40000 },
		},
		.made = {
			{ 2, 2000, SSDPM_VERDICT_OPERATIONAL, operational },
			{ 2, 2000, SSDPM_VERDICT_SHADOWED,
			  "PS2 is deeper, and its entry+exit 70 ms is within the "
			  "secondary tolerance 100 ms" },
			{ 0, 0, SSDPM_VERDICT_USED,
			  "from PS0-PS1 after 2 s idle" },
		},
	},
	/* After 200 ms, the drive is only in PS1. */
	{
		.name = "states_between_the_two_wait_for_the_whole_time",
		.scheme = SSDPM_SCHEME_BALANCED,
		.source = SSDPM_SOURCE_AC,
		.n = 5,
		.states = {
			{ 0, 0, 0 }, { 1, 5000, 5000 }, { 0, 0, 0 },
			{ 1, 20000, 20000 }, { 1, 30000, 40000 },
		},
		.made = {
			{ 1, 200, SSDPM_VERDICT_OPERATIONAL, operational },
			{ 4, 1800, SSDPM_VERDICT_USED,
			  "from PS0 after 200 ms idle" },
			{ 4, 2000, SSDPM_VERDICT_OPERATIONAL, operational },
			{ 4, 2000, SSDPM_VERDICT_SHADOWED, NULL },
			{ 0, 0, SSDPM_VERDICT_USED,
			  "from PS1 after 1.8 s, PS2-PS3 after 2 s idle" },
		},
	},
	{
		.name = "a_secondary_state_that_is_the_primary_one_is_none",
		.scheme = SSDPM_SCHEME_BALANCED,
		.source = SSDPM_SOURCE_AC,
		.n = 4,
		.states = {
			{ 0, 0, 0 },
			{ 1, 30000, 40000 },
			{ 1, 5000, 5000 },
			{ 1, 90000, 90000 },
		},
		.made = {
			{ 2, 200, SSDPM_VERDICT_OPERATIONAL, operational },
			{ 2, 200, SSDPM_VERDICT_SHADOWED,
			  "PS2 is deeper, and its entry+exit 10 ms is within the "
			  "primary tolerance 15 ms" },
			{ 0, 0, SSDPM_VERDICT_USED,
			  "from PS0-PS1 after 200 ms idle" },
			{ 0, 0, SSDPM_VERDICT_TOTAL_TOO_SLOW,
			  "entry+exit 180 ms > balanced tolerance 100 ms (ac)" },
		},
	},
	/* Performance on battery: 10 ms at first, then 0 ms. */
	{
		.name = "a_secondary_tolerance_below_the_primary_leads_nowhere",
		.scheme = SSDPM_SCHEME_PERFORMANCE,
		.source = SSDPM_SOURCE_BATTERY,
		.n = 4,
		.states = {
			{ 0, 0, 0 },
			{ 1, 0, 0 },
			{ 1, 5000, 5000 },
			{ 1, 5000, 5001 },
		},
		.made = {
			{ 2, 200, SSDPM_VERDICT_OPERATIONAL, operational },
			{ 2, 200, SSDPM_VERDICT_SHADOWED,
			  "PS2 is deeper, and its entry+exit 10 ms is within the "
			  "primary tolerance 10 ms" },
			{ 0, 0, SSDPM_VERDICT_USED,
			  "from PS0-PS1 after 200 ms idle" },
			{ 0, 0, SSDPM_VERDICT_TOTAL_TOO_SLOW,
			  "entry+exit 10.001 ms > performance tolerance 10 ms "
			  "(battery)" },
		},
	},
	{
		.name = "a_tolerance_of_0_leaves_the_table_empty",
		.scheme = SSDPM_SCHEME_PERFORMANCE,
		.source = SSDPM_SOURCE_AC,
		.n = 2,
		.states = { { 0, 0, 0 }, { 1, 0, 1 },
		},
		.made = {
			{ 0, 0, SSDPM_VERDICT_OPERATIONAL, operational },
			{ 0, 0, SSDPM_VERDICT_TOTAL_TOO_SLOW,
			  "entry+exit 1 us > performance tolerance 0 us (ac)" },
		},
	},
	{
		.name = "latencies_that_are_not_reported_are_within_0",
		.scheme = SSDPM_SCHEME_PERFORMANCE,
		.source = SSDPM_SOURCE_AC,
		.n = 3,
		.states = {
			{ 0, 0, 0 },
			{ 1, 0, 0 },
			{ 1, 0, 1 },
		},
		.made = {
			{ 1, 200, SSDPM_VERDICT_OPERATIONAL, operational },
			{ 0, 0, SSDPM_VERDICT_USED,
			  "from PS0 after 200 ms idle: entry+exit 0, not reported, is "
			  "within any tolerance" },
			{ 0, 0, SSDPM_VERDICT_TOTAL_TOO_SLOW, NULL },
		},
	},
	{
		.name = "the_quirk_forbids_the_last_state",
		.scheme = SSDPM_SCHEME_BALANCED,
		.source = SSDPM_SOURCE_AC,
		.quirks = SSDPM_QUIRK_NO_DEEPEST_PS,
		.n = 3,
		.states = { { 0, 5, 5 }, { 1, 10000, 300 }, { 1, 50000, 10000 } },
		.made = {
			{ 1, 200, SSDPM_VERDICT_OPERATIONAL, operational },
			{ 0, 0, SSDPM_VERDICT_USED,
			  "from PS0 after 200 ms idle" },
			{ 0, 0, SSDPM_VERDICT_QUIRK,
			  "quirk no-deepest-ps: the last state is not used" },
		},
	},
};

static void it_is_made(void **state)
{
	const struct made_case *c = *state;
	struct ssdpm_apst_params p = windows(c->scheme, c->source);

	p.quirks = c->quirks;
	assert_made(c->states, c->n, &p, c->made);
}

static void microsofts_example_in_modern_standby_enters_ps2(void **state)
{
	static const struct fixture_made expected[] = {
		{ 2, 50, SSDPM_VERDICT_OPERATIONAL, operational },
		{ 2, 50, SSDPM_VERDICT_SHADOWED,
		  "PS2 is deeper, and its entry+exit 60 ms is within the "
		  "primary tolerance 500 ms" },
		{ 0, 0, SSDPM_VERDICT_USED, "from PS0-PS1 after 50 ms idle" },
	};

	(void)state;
	for (uint32_t source = 1; source <= 2; source++) {
		struct ssdpm_apst_params p =
			windows(SSDPM_SCHEME_MODERN_STANDBY, source);

		assert_made(worked_example, 3, &p, expected);
	}
}

/* Microsoft's table of defaults, in milliseconds; 0: not applicable. */
static const struct {
	uint32_t scheme, source;
	uint32_t timeout, tolerance, timeout2, tolerance2;
} microsoft[] = {
	{ SSDPM_SCHEME_PERFORMANCE, SSDPM_SOURCE_AC, 200, 0, 2000, 0 },
	{ SSDPM_SCHEME_PERFORMANCE, SSDPM_SOURCE_BATTERY, 200, 10, 2000, 0 },
	{ SSDPM_SCHEME_BALANCED, SSDPM_SOURCE_AC, 200, 15, 2000, 100 },
	{ SSDPM_SCHEME_BALANCED, SSDPM_SOURCE_BATTERY, 100, 50, 1000, 100 },
	{ SSDPM_SCHEME_POWER_SAVER, SSDPM_SOURCE_AC, 100, 100, 1000, 200 },
	{ SSDPM_SCHEME_POWER_SAVER, SSDPM_SOURCE_BATTERY, 100, 200, 1000, 200 },
	{ SSDPM_SCHEME_MODERN_STANDBY, SSDPM_SOURCE_AC, 50, 500, 0, 0 },
	{ SSDPM_SCHEME_MODERN_STANDBY, SSDPM_SOURCE_BATTERY, 50, 500, 0, 0 },
};

enum { N_MICROSOFT = sizeof(microsoft) / sizeof(microsoft[0]) };

/* One state, and where PS0 leads. */
static struct ssdpm_apst_entry entry_for(uint32_t row, uint32_t total_us)
{
	const struct latencies l[] = {
		{ 0, 0, 0 }, { 1, total_us / 2, total_us - total_us / 2 }
	};
	struct ssdpm_apst_params p =
		windows(microsoft[row].scheme, microsoft[row].source);
	struct ssdpm_model *model = fixture_model(l, 2);
	struct ssdpm_apst table;

	p.max_exit_latency_us = SSDPM_LATENCY_ANY;
	assert_int_equal(ssdpm_apst_generate(model, &p, &table, NULL), 0);
	ssdpm_model_unref(model);
	return table.entries[0];
}

static void each_number_of_microsofts_table_is_in_use(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < N_MICROSOFT; i++) {
		uint32_t low = microsoft[i].tolerance * 1000;
		uint32_t high = microsoft[i].tolerance2 * 1000;

		assert_int_equal(entry_for(i, low).target, 1);
		assert_int_equal(entry_for(i, low).idle_ms,
				 microsoft[i].timeout);
		if (high > low) {
			assert_int_equal(entry_for(i, low + 1).idle_ms,
					 microsoft[i].timeout2);
			assert_int_equal(entry_for(i, high).target, 1);
			low = high;
		}
		assert_int_equal(entry_for(i, low + 1).target, 0);
		assert_int_equal(entry_for(i, low + 1).idle_ms, 0);
	}
}

static void the_latency_limit_holds_for_windows_too(void **state)
{
	static const struct latencies l[] = {
		{ 0, 0, 0 },
		{ 1, 5000, 9000 },
		{ 1, 50000, 100001 },
	};
	static const struct fixture_made limited[] = {
		{ 1, 50, SSDPM_VERDICT_OPERATIONAL, operational },
		{ 0, 0, SSDPM_VERDICT_USED, "from PS0 after 50 ms idle" },
		{ 0, 0, SSDPM_VERDICT_EXIT_TOO_SLOW,
		  "exit 100.001 ms > limit 100 ms" },
	};
	static const struct fixture_made any[] = {
		{ 2, 50, 0, NULL },
		{ 2, 50, SSDPM_VERDICT_SHADOWED, NULL },
		{ 0, 0, SSDPM_VERDICT_USED, "from PS0-PS1 after 50 ms idle" },
	};
	struct ssdpm_apst_params p =
		windows(SSDPM_SCHEME_MODERN_STANDBY, SSDPM_SOURCE_AC);

	(void)state;
	assert_made(l, 3, &p, limited);
	p.max_exit_latency_us = SSDPM_LATENCY_ANY;
	assert_made(l, 3, &p, any);
}

static void nothing_enters_state_0(void **state)
{
	static const struct latencies asleep[] = {
		{ 1, 1, 1 },
		{ 1, 30000, 40000 },
	};
	static const struct fixture_made expected[] = {
		{ 1, 2000, SSDPM_VERDICT_NO_GAIN,
		  "there is no shallower state to enter it from" },
		{ 0, 0, SSDPM_VERDICT_USED, "from PS0 after 2 s idle" },
	};
	static const struct latencies slow[] = { { 1, 30000, 40000 } };
	static const struct fixture_made nothing[] = {
		{ 0, 0, SSDPM_VERDICT_NO_GAIN,
		  "there is no shallower state to enter it from" },
	};
	struct ssdpm_apst_params p = balanced();

	(void)state;
	assert_made(asleep, 2, &p, expected);
	assert_made(slow, 1, &p, nothing);
}

static void the_times_of_linux_do_not_matter(void **state)
{
	static const struct fixture_made expected[] = {
		{ 1, 200, 0, NULL },
		{ 2, 1800, 0, NULL },
		{ 0, 0, 0, NULL },
	};
	struct ssdpm_apst_params p = balanced();

	(void)state;
	p.primary_timeout_ms = p.primary_latency_tolerance_us = 0;
	p.secondary_timeout_ms = p.secondary_latency_tolerance_us = 1;
	assert_made(worked_example, 3, &p, expected);
}

static void what_switches_apst_off_does_so_for_windows(void **state)
{
	struct ssdpm_apst_params p = balanced();
	struct ssdpm_model *model = fixture_model(worked_example, 3);
	struct ssdpm_apst table, off = { .sent = 1 };

	(void)state;
	p.quirks = SSDPM_QUIRK_NO_APST;
	assert_int_equal(ssdpm_apst_generate(model, &p, &table, NULL), 0);
	assert_memory_equal(&table, &off, sizeof(table));
	p = balanced();
	p.max_exit_latency_us = 0;
	assert_int_equal(ssdpm_apst_generate(model, &p, &table, NULL), 0);
	assert_memory_equal(&table, &off, sizeof(table));
	ssdpm_model_unref(model);
}

static void a_drive_without_apst_is_sent_nothing(void **state)
{
	struct ssdpm_power_state states[2] = { { .max_power_uw = 1 },
					       { .max_power_uw = 1 } };
	struct ssdpm_apst_params p = balanced();
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_apst table, nothing = { 0 };
	struct ssdpm_model *model;

	(void)state;
	info.apsta = 0;
	states[1].flags = SSDPM_STATE_NON_OPERATIONAL;
	states[1].unknown = SSDPM_FIELD_EXIT_LATENCY;
	assert_int_equal(ssdpm_model_new(&info, states, 2, &model, NULL), 0);
	assert_int_equal(ssdpm_apst_generate(model, &p, &table, NULL), 0);
	assert_memory_equal(&table, &nothing, sizeof(table));
	ssdpm_model_unref(model);
}

static void an_unknown_latency_is_enodata(void **state)
{
	struct ssdpm_power_state states[2] = { { 0 } };
	struct ssdpm_apst_params p = balanced();
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_error error = fixture_error();
	struct ssdpm_model *model;
	struct ssdpm_apst table;

	(void)state;
	states[1].flags = SSDPM_STATE_NON_OPERATIONAL;
	states[1].unknown = SSDPM_FIELD_EXIT_LATENCY;
	assert_int_equal(ssdpm_model_new(&info, states, 2, &model, NULL), 0);
	assert_int_equal(ssdpm_apst_generate(model, &p, &table, &error),
			 -ENODATA);
	fixture_assert_error(&error, -ENODATA, 0,
			     "PS1: exit_latency_us is unknown");
	ssdpm_model_unref(model);
}

static void the_longest_reasons_are_whole(void **state)
{
	struct latencies l[SSDPM_MAX_STATES] = { { 0, 0, 0 } };
	struct ssdpm_model *model;
	struct ssdpm_apst_params p =
		windows(SSDPM_SCHEME_MODERN_STANDBY, SSDPM_SOURCE_BATTERY);
	struct ssdpm_apst_verdict v[SSDPM_MAX_STATES];

	(void)state;
	for (int i = 1; i < SSDPM_MAX_STATES; i++)
		l[i] = (struct latencies){ 1, 0, 99999 };
	l[1] = (struct latencies){ 1, UINT32_MAX, UINT32_MAX };
	l[31].entry = 123456;
	model = fixture_model(l, SSDPM_MAX_STATES);
	assert_int_equal(
		ssdpm_apst_explain(model, &p, v, SSDPM_MAX_STATES, NULL), 0);
	assert_string_equal(v[1].reason,
			    "entry+exit 8589.93459 s > modern-standby "
			    "tolerance 500 ms (battery)");
	assert_string_equal(v[30].reason,
			    "PS31 is deeper, and its entry+exit 223.455 ms is "
			    "within the primary tolerance 500 ms");
	ssdpm_model_unref(model);
}

/*
 * Microsoft's rule as a clock: the drive is in a state since its last I/O. Each
 * idle time leads to the deepest state within its tolerance.
 */
struct rule {
	struct latencies states[SSDPM_MAX_STATES];
	uint32_t n, row;
	struct ssdpm_apst_params p;
};

static uint32_t deepest(const struct rule *r, uint32_t tolerance_ms)
{
	bool forbidden = r->p.quirks & SSDPM_QUIRK_NO_DEEPEST_PS;
	uint32_t found = 0;

	for (uint32_t i = 1; i < r->n - forbidden; i++) {
		const struct latencies *l = &r->states[i];

		if (l->nops && l->exit <= r->p.max_exit_latency_us &&
		    (uint64_t)l->entry + l->exit <= tolerance_ms * 1000ull)
			found = i;
	}
	return found;
}

/* The state of the drive this long after an I/O in state from. */
static uint32_t windows_after(const struct rule *r, uint32_t from, uint32_t ms)
{
	uint32_t first = deepest(r, microsoft[r->row].tolerance);
	uint32_t second = deepest(r, microsoft[r->row].tolerance2);

	if (ms >= microsoft[r->row].timeout && first > from)
		from = first;
	if (microsoft[r->row].timeout2 && ms >= microsoft[r->row].timeout2 &&
	    second > from)
		from = second;
	return from;
}

static uint32_t table_after(const struct ssdpm_apst *table, uint32_t from,
			    uint32_t ms)
{
	while (table->entries[from].target &&
	       table->entries[from].idle_ms <= ms) {
		ms -= table->entries[from].idle_ms;
		from = table->entries[from].target;
	}
	return from;
}

static struct rule random_rule(uint64_t *seed)
{
	static const uint32_t totals[] = { 0,	   1,	   10000,  10001,
					   15000,  15001,  50000,  50001,
					   100000, 100001, 200000, 200001,
					   500000, 500001, 700000, UINT32_MAX };
	static const uint64_t limits[] = { 1, 15000, 100000, 300000,
					   SSDPM_LATENCY_ANY };
	struct rule r = { 0 };

	r.row = (uint32_t)(fixture_random(seed) % N_MICROSOFT);
	r.p = windows(microsoft[r.row].scheme, microsoft[r.row].source);
	r.p.max_exit_latency_us = limits[fixture_random(seed) % 5];
	r.p.quirks = fixture_random(seed) % 4 ? 0 : SSDPM_QUIRK_NO_DEEPEST_PS;
	r.n = 1 + (uint32_t)(fixture_random(seed) % 7);
	for (uint32_t i = 0; i < r.n; i++) {
		uint32_t total = totals[fixture_random(seed) % 16], thirds;

		r.states[i].nops = fixture_random(seed) % 3 != 0;
		thirds = (uint32_t)(fixture_random(seed) % 3);
		r.states[i].entry = thirds * (total / 3);
		r.states[i].exit = total - r.states[i].entry;
	}
	return r;
}

/* No idle time begins in the primary state: the table has led there. */
static void assert_same_clock(const struct rule *r,
			      const struct ssdpm_apst *table)
{
	static const uint32_t times[] = {
		0,   49,   50,	 99,   100,  199,  200,	 899,  900,
		999, 1000, 1199, 1799, 1800, 1999, 2000, 2200, 100000
	};
	uint32_t primary = deepest(r, microsoft[r->row].tolerance);

	for (uint32_t from = 0; from < r->n; from++) {
		if (primary && from == primary)
			continue;
		for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
			assert_int_equal(table_after(table, from, times[i]),
					 windows_after(r, from, times[i]));
	}
}

static void random_tables_are_where_windows_is_at_any_time(void **state)
{
	uint64_t seed = 0x5eed5eed5eed5eed;
	unsigned long seen[8] = { 0 };

	(void)state;
	for (int round = 0; round < (int)fixture_cases(50000); round++) {
		struct rule r = random_rule(&seed);
		struct ssdpm_model *model = fixture_model(r.states, r.n);
		struct ssdpm_apst table;

		assert_int_equal(ssdpm_apst_generate(model, &r.p, &table, NULL),
				 0);
		assert_int_equal(ssdpm_apst_validate(model, &table, NULL), 0);
		assert_same_clock(&r, &table);
		fixture_assert_explained(model, &r.p, &table, seen);
		ssdpm_model_unref(model);
	}
	for (uint32_t verdict = 1; verdict <= 7; verdict++)
		assert_true(seen[verdict] > fixture_cases(1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			microsofts_example_in_modern_standby_enters_ps2),
		cmocka_unit_test(each_number_of_microsofts_table_is_in_use),
		cmocka_unit_test(the_latency_limit_holds_for_windows_too),
		cmocka_unit_test(nothing_enters_state_0),
		cmocka_unit_test(the_times_of_linux_do_not_matter),
		cmocka_unit_test(what_switches_apst_off_does_so_for_windows),
		cmocka_unit_test(a_drive_without_apst_is_sent_nothing),
		cmocka_unit_test(an_unknown_latency_is_enodata),
		cmocka_unit_test(the_longest_reasons_are_whole),
		cmocka_unit_test(
			random_tables_are_where_windows_is_at_any_time),
	};

	return FIXTURE_RUN_ROWS(made_cases, it_is_made) +
	       cmocka_run_group_tests(tests, NULL, NULL);
}
