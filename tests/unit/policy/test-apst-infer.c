/* SPDX-License-Identifier: MIT */
/*
 * Inverse questions: what made this table, which limit keeps this state, how to
 * make Linux build this table, and where two tables differ.
 */
#include "calls.h"
#include "fixture.h"

enum { MAX = 32 };

#define ANY SSDPM_LATENCY_ANY

/* As WD's SN550: exits of 11 and 39 ms, totals of 14.9 and 44 ms. */
static struct ssdpm_model *usual_drive(void)
{
	static const struct latencies l[] = {
		{ 0, 0, 0 },	    { 0, 0, 0 },	{ 0, 0, 0 },
		{ 1, 3900, 11000 }, { 1, 5000, 39000 },
	};

	return fixture_model(l, 5);
}

static struct ssdpm_apst_params defaults(void)
{
	struct ssdpm_apst_params p;

	assert_int_equal(ssdpm_apst_params_init(&p, sizeof(p)), 0);
	return p;
}

static struct ssdpm_apst generate(const struct ssdpm_model *model,
				  const struct ssdpm_apst_params *params)
{
	struct ssdpm_apst table;

	assert_int_equal(ssdpm_apst_generate(model, params, &table, NULL), 0);
	return table;
}

struct candidates {
	struct ssdpm_apst_params params[MAX];
	size_t n;
};

/* All of them make the table. */
static struct candidates infer(const struct ssdpm_model *model,
			       const struct ssdpm_apst *table)
{
	struct ssdpm_error error = fixture_error(), before = error;
	struct candidates c;

	assert_int_equal(infer_apst(model, table, c.params, MAX, &c.n, &error),
			 0);
	assert_memory_equal(&error, &before, sizeof(error));
	assert_true(c.n <= MAX);
	for (size_t i = 0; i < c.n; i++) {
		struct ssdpm_apst made = generate(model, &c.params[i]);

		assert_memory_equal(&made, table, sizeof(made));
		assert_int_equal(c.params[i].size, sizeof(c.params[i]));
		for (size_t k = 0; k < i; k++)
			assert_memory_not_equal(&c.params[i], &c.params[k],
						sizeof(c.params[i]));
	}
	return c;
}

static struct candidates infer_of(const struct ssdpm_model *model,
				  const struct ssdpm_apst_params *params)
{
	struct ssdpm_apst table = generate(model, params);

	return infer(model, &table);
}

static void assert_candidate(const struct candidates *c, size_t i,
			     struct ssdpm_apst_params wanted)
{
	assert_true(i < c->n);
	assert_memory_equal(&c->params[i], &wanted, sizeof(wanted));
}

/* Candidates of Linux; there may be others. */
static size_t count_linux(const struct candidates *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->params[i].algorithm <= SSDPM_APST_LINUX_LEGACY;
	return n;
}

static void the_defaults_are_found_first(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct candidates c = infer_of(model, NULL);

	(void)state;
	assert_candidate(&c, 0, defaults());
	assert_int_equal(count_linux(&c), 1);
	ssdpm_model_unref(model);
}

static void a_table_without_the_deepest_state_has_several_causes(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst_params p = defaults(), wanted;
	struct candidates c;

	(void)state;
	p.max_exit_latency_us = 25000;
	c = infer_of(model, &p);
	wanted = defaults();
	wanted.max_exit_latency_us = 11000;
	assert_candidate(&c, 0, wanted);
	wanted = defaults();
	wanted.quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	assert_candidate(&c, 1, wanted);
	wanted = defaults();
	wanted.secondary_timeout_ms = 0;
	assert_candidate(&c, 2, wanted);
	wanted = defaults();
	wanted.secondary_latency_tolerance_us = 1;
	assert_candidate(&c, 3, wanted);
	assert_int_equal(count_linux(&c), 4);
	ssdpm_model_unref(model);
}

static void apst_that_is_off_has_its_causes(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst_params p = defaults();
	struct candidates c;

	(void)state;
	p.max_exit_latency_us = 0;
	c = infer_of(model, &p);
	assert_candidate(&c, 0, p);
	p = defaults();
	p.quirks = SSDPM_QUIRK_NO_APST;
	assert_candidate(&c, 1, p);
	assert_int_equal(count_linux(&c), 2);
	ssdpm_model_unref(model);
}

static void legacy_is_found_with_its_limit_and_its_quirk(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst_params p = defaults();
	struct candidates c;

	(void)state;
	p.algorithm = SSDPM_APST_LINUX_LEGACY;
	c = infer_of(model, &p);
	assert_candidate(&c, 0, p);
	assert_int_equal(count_linux(&c), 1);
	p.max_exit_latency_us = 38999;
	c = infer_of(model, &p);
	p.max_exit_latency_us = 11000;
	assert_candidate(&c, 0, p);
	ssdpm_model_unref(model);

	/* Only the quirk: the deepest state is the fastest. */
	model = fixture_model(
		(struct latencies[]){ { 0, 0, 0 }, { 1, 7, 90 }, { 1, 5, 8 } },
		3);
	p.quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	p.max_exit_latency_us = ANY;
	c = infer_of(model, &p);
	p.max_exit_latency_us = 100000;
	assert_candidate(&c, count_linux(&c) - 1, p);
	ssdpm_model_unref(model);
}

static void one_other_setting_is_found(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst_params p = defaults();
	struct candidates c;

	(void)state;
	p.primary_timeout_ms = 50;
	c = infer_of(model, &p);
	assert_candidate(&c, 0, p);
	p = defaults();
	p.secondary_timeout_ms = 1000;
	c = infer_of(model, &p);
	assert_candidate(&c, 0, p);
	p = defaults();
	p.primary_latency_tolerance_us = 50000;
	c = infer_of(model, &p);
	p.primary_latency_tolerance_us = 44000; /* the least that fits */
	assert_candidate(&c, 0, p);
	ssdpm_model_unref(model);
}

static void several_other_settings_are_found(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst_params p = defaults();
	struct candidates c;

	(void)state;
	p.primary_timeout_ms = 7;
	p.secondary_timeout_ms = 70000;
	c = infer_of(model, &p);
	assert_candidate(&c, 0, p);
	assert_int_equal(c.n, 1);
	p.primary_latency_tolerance_us = 60000;
	p.quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	c = infer_of(model, &p);
	assert_true(c.n >= 1);
	ssdpm_model_unref(model);

	/* Only the quirk explains why the fastest state is not used. */
	model = fixture_model(
		(struct latencies[]){ { 0, 0, 0 }, { 1, 7, 90 }, { 1, 5, 8 } },
		3);
	p = defaults();
	p.primary_timeout_ms = 7;
	p.quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	c = infer_of(model, &p);
	assert_candidate(&c, 0, p);
	assert_int_equal(c.n, 1);
	ssdpm_model_unref(model);
}

static void a_table_that_nothing_makes_has_no_candidate(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst table = generate(model, NULL);
	struct candidates c;

	(void)state;
	table.entries[1].idle_ms = 99;
	c = infer(model, &table);
	assert_int_equal(c.n, 0);
	table = generate(model, NULL);
	table.sent = 0;
	c = infer(model, &table);
	assert_int_equal(c.n, 0);
	ssdpm_model_unref(model);
}

static struct ssdpm_model *drive_without_apst(void)
{
	struct ssdpm_power_state states[2] = {
		{ 0 }, { .flags = SSDPM_STATE_NON_OPERATIONAL }
	};
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_model *model;

	info.apsta = 0;
	assert_int_equal(ssdpm_model_new(&info, states, 2, &model, NULL), 0);
	return model;
}

static void a_drive_without_apst_has_one_candidate(void **state)
{
	struct ssdpm_model *model = drive_without_apst();
	struct candidates c = infer_of(model, NULL);

	(void)state;
	assert_candidate(&c, 0, defaults());
	assert_int_equal(c.n, 1);
	ssdpm_model_unref(model);
}

static void only_what_there_is_room_for_is_written(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst_params p = defaults(), got[2], before;
	struct ssdpm_apst table;
	size_t n = 77;

	(void)state;
	p.max_exit_latency_us = 25000;
	table = generate(model, &p);
	memset(got, 0x5a, sizeof(got));
	got[0].size = sizeof(got[0]);
	before = got[1];
	assert_int_equal(ssdpm_apst_infer(model, &table, got, 1, &n, NULL), 0);
	assert_true(n >= 4);
	assert_int_equal(got[0].max_exit_latency_us, 11000);
	assert_memory_equal(&got[1], &before, sizeof(before));
	n = 77;
	assert_int_equal(infer_apst(model, &table, NULL, 0, &n, NULL), 0);
	assert_true(n >= 4);
	ssdpm_model_unref(model);
}

/* A program that was compiled when the structure was shorter. */
static void a_shorter_structure_gets_what_it_has_room_for(void **state)
{
	const size_t size = offsetof(struct ssdpm_apst_params, scheme);
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst table = generate(model, NULL), made;
	struct ssdpm_apst_params got, wanted = defaults();
	size_t n;

	(void)state;
	wanted.size = size;
	memset(&got, 0x5a, sizeof(got));
	got.size = size;
	assert_int_equal(ssdpm_apst_infer(model, &table, &got, 1, &n, NULL), 0);
	assert_memory_equal(&got, &wanted, size);
	assert_int_equal(got.scheme, 0x5a5a5a5a);
	memset(&got, 0x5a, sizeof(got));
	got.size = size;
	assert_int_equal(ssdpm_apst_reach(model, &table, 0, &got, &made, NULL),
			 0);
	assert_memory_equal(&got, &wanted, size);
	assert_int_equal(got.scheme, 0x5a5a5a5a);
	ssdpm_model_unref(model);
}

static void sizes_and_tables_are_checked(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst table = { .entries = { { 1, 32 } } }, made, before;
	struct ssdpm_apst_params p = defaults(), same = p;
	struct ssdpm_error error;
	size_t n = 77;

	(void)state;
	memset(&made, 0x5a, sizeof(made));
	before = made;
	p.size = same.size = sizeof(size_t) - 1;
	assert_int_equal(ssdpm_apst_infer(model, &made, &p, 1, &n, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "ssdpm_apst_params");
	assert_int_equal(ssdpm_apst_reach(model, &made, 0, &p, &made, &error),
			 -EINVAL);
	p.size = same.size = sizeof(p);
	assert_int_equal(ssdpm_apst_infer(model, &table, &p, 1, &n, &error),
			 -ERANGE);
	fixture_assert_error(&error, -ERANGE, 0, "entry 0");
	assert_int_equal(reach_apst(model, &table, 0, &p, &made, &error),
			 -ERANGE);
	table.entries[0].target = 4;
	assert_int_equal(reach_apst(model, &table, 1u << 31, &p, &made, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "quirks 0x80000000");
	assert_int_equal(n, 77);
	assert_memory_equal(&p, &same, sizeof(p));
	assert_memory_equal(&made, &before, sizeof(made));
	ssdpm_model_unref(model);
}

static void a_model_that_has_no_answer_is_refused(void **state)
{
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_apst_params p = defaults();
	struct ssdpm_apst table = { .sent = 1 };
	struct ssdpm_model *model;
	uint64_t low, high;
	size_t n;

	(void)state;
	info.kind = SSDPM_KIND_SATA;
	info.unknown = SSDPM_INFO_VENDOR_ID | SSDPM_INFO_APSTA;
	info.vendor_id = info.apsta = 0;
	info.unknown |= SSDPM_INFO_SATA_WORDS_VALID |
			SSDPM_INFO_SATA_GENERATIONS | SSDPM_INFO_APM_LEVEL;
	assert_int_equal(ssdpm_model_new(&info, NULL, 0, &model, NULL), 0);
	assert_int_equal(infer_apst(model, &table, &p, 1, &n, NULL),
			 -EOPNOTSUPP);
	assert_int_equal(reach_apst(model, &table, 0, &p, &table, NULL),
			 -EOPNOTSUPP);
	assert_int_equal(ssdpm_apst_keep(model, NULL, 0, &low, NULL),
			 -EOPNOTSUPP);
	assert_int_equal(ssdpm_apst_limit_range(model, NULL, &low, &high, NULL),
			 -EOPNOTSUPP);
	ssdpm_model_unref(model);
}

static void assert_range(const struct ssdpm_model *model, uint64_t limit,
			 uint64_t low, uint64_t high)
{
	struct ssdpm_apst_params p = defaults();
	uint64_t got_low = 1, got_high = 2;

	p.max_exit_latency_us = limit;
	assert_int_equal(
		ssdpm_apst_limit_range(model, &p, &got_low, &got_high, NULL),
		0);
	assert_int_equal(got_low, low);
	assert_int_equal(got_high, high);
}

static void limits_between_two_exits_make_the_same_table(void **state)
{
	struct ssdpm_model *model = usual_drive();
	uint64_t low, high;

	(void)state;
	assert_range(model, 0, 0, 0);
	assert_range(model, 1, 1, 10999);
	assert_range(model, 10999, 1, 10999);
	assert_range(model, 11000, 11000, 38999);
	assert_range(model, 38999, 11000, 38999);
	assert_range(model, 39000, 39000, ANY);
	assert_range(model, ANY, 39000, ANY);
	assert_int_equal(ssdpm_apst_limit_range(model, NULL, &low, &high, NULL),
			 0);
	assert_int_equal(low, 39000);
	ssdpm_model_unref(model);
	/* Too slow for every tolerance, so the limit does not matter. */
	model = fixture_model(
		(struct latencies[]){ { 0, 0, 0 }, { 1, 90000, 20000 } }, 2);
	assert_range(model, 5, 1, ANY);
	ssdpm_model_unref(model);
}

static void assert_keeps(const struct ssdpm_model *model,
			 const struct ssdpm_apst_params *p, uint32_t keep,
			 uint64_t limit)
{
	uint64_t got = 1;

	assert_int_equal(ssdpm_apst_keep(model, p, keep, &got, NULL), 0);
	assert_int_equal(got, limit);
}

static void assert_keeps_not(const struct ssdpm_model *model,
			     const struct ssdpm_apst_params *p, uint32_t keep,
			     int code, const char *fragment)
{
	struct ssdpm_error error = fixture_error();
	uint64_t got = 77;

	assert_int_equal(ssdpm_apst_keep(model, p, keep, &got, &error), code);
	fixture_assert_error(&error, code, 0, fragment);
	assert_int_equal(got, 77);
}

static void the_limit_below_the_next_exit_keeps_a_state(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst_params p = defaults();

	(void)state;
	p.max_exit_latency_us = 0; /* does not matter */
	assert_keeps(model, NULL, 3, 38999);
	assert_keeps(model, &p, 4, ANY);
	p.algorithm = SSDPM_APST_LINUX_LEGACY;
	assert_keeps(model, &p, 3, 38999);
	p.quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	assert_keeps(model, &p, 3, ANY);
	ssdpm_model_unref(model);
}

static void no_limit_keeps_these_and_it_says_why(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst_params p = defaults();

	(void)state;
	assert_keeps_not(model, NULL, 1, -EOPNOTSUPP,
			 "no limit uses PS1: APST enters only non-operational");
	assert_keeps_not(model, NULL, 5, -EINVAL, "only 5 states");
	assert_keeps_not(model, NULL, UINT32_MAX, -EINVAL, "only 5 states");
	p.secondary_timeout_ms = 0;
	assert_keeps_not(model, &p, 4, -EOPNOTSUPP, "no limit uses PS4: never");
	p.quirks = SSDPM_QUIRK_NO_APST;
	assert_keeps_not(model, &p, 3, -EOPNOTSUPP, "quirk no-apst");
	ssdpm_model_unref(model);
	model = fixture_model((struct latencies[]){ { 0, 0, 0 },
						    { 1, 2000, 5000 },
						    { 1, 20000, 1000 } },
			      3);
	assert_keeps_not(model, NULL, 1, -EOPNOTSUPP,
			 "no limit drops PS2 and keeps PS1: PS2 exits in 1 ms, "
			 "PS1 in 5 ms");
	ssdpm_model_unref(model);
	model = drive_without_apst();
	assert_keeps_not(model, NULL, 1, -EOPNOTSUPP, "no APST");
	ssdpm_model_unref(model);
}

struct reached {
	struct ssdpm_apst_params params;
	struct ssdpm_apst table;
};

static struct reached reach(const struct ssdpm_model *model,
			    const struct ssdpm_apst *table, uint32_t quirks)
{
	struct reached r;
	struct ssdpm_apst made;

	assert_int_equal(
		reach_apst(model, table, quirks, &r.params, &r.table, NULL), 0);
	assert_int_equal(r.params.algorithm, SSDPM_APST_LINUX);
	assert_int_equal(r.params.quirks, quirks);
	made = generate(model, &r.params);
	assert_memory_equal(&made, &r.table, sizeof(made));
	return r;
}

static void what_linux_makes_is_reached_with_few_settings(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst_params p = defaults();
	struct ssdpm_apst table = generate(model, NULL);
	struct reached r = reach(model, &table, 0);

	(void)state;
	assert_memory_equal(&r.params, &p, sizeof(p));
	p.primary_timeout_ms = 50;
	p.secondary_timeout_ms = 700;
	table = generate(model, &p);
	r = reach(model, &table, 0);
	assert_memory_equal(&r.params, &p, sizeof(p));
	p = defaults();
	p.algorithm = SSDPM_APST_LINUX_LEGACY;
	table = generate(model, &p);
	r = reach(model, &table, 0);
	assert_memory_equal(&r.table, &table, sizeof(table));
	p = defaults();
	p.primary_timeout_ms = 0;
	assert_memory_equal(&r.params, &p, sizeof(p));
	ssdpm_model_unref(model);
}

/* Their exits are the same: only tolerances tell the states apart. */
static void two_tolerances_next_to_each_other_are_reached(void **state)
{
	struct ssdpm_model *model = fixture_model(
		(struct latencies[]){
			{ 0, 0, 0 }, { 1, 5, 5 }, { 1, 15, 5 }, { 1, 25, 5 } },
		4);
	struct ssdpm_apst_params p = defaults();
	struct ssdpm_apst table;
	struct reached r;

	(void)state;
	p.primary_latency_tolerance_us = 10;
	p.secondary_latency_tolerance_us = 20;
	table = generate(model, &p);
	assert_int_equal(table.entries[0].target, 1);
	assert_int_equal(table.entries[1].target, 2);
	assert_int_equal(table.entries[2].target, 0);
	r = reach(model, &table, 0);
	assert_memory_equal(&r.params, &p, sizeof(p));
	assert_memory_equal(&infer(model, &table).params[0], &p, sizeof(p));
	ssdpm_model_unref(model);
}

static void a_table_that_is_off_or_empty_is_reached(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst table = { .sent = 1 };
	struct reached r = reach(model, &table, 0);

	(void)state;
	assert_int_equal(r.params.max_exit_latency_us, 0);
	assert_memory_equal(&r.table, &table, sizeof(table));
	table.enabled = 1;
	r = reach(model, &table, 0);
	assert_int_equal(r.params.max_exit_latency_us, 1);
	assert_memory_equal(&r.table, &table, sizeof(table));
	ssdpm_model_unref(model);
}

static void the_closest_has_the_right_targets_and_a_median(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst table = generate(model, NULL);
	struct reached r;

	(void)state;
	table.entries[0].idle_ms = 500;
	table.entries[1].idle_ms = 10;
	table.entries[2].idle_ms = 70;
	r = reach(model, &table, 0);
	assert_int_equal(r.params.primary_timeout_ms, 70);
	assert_int_equal(ssdpm_apst_diff(&r.table, &table), 3);
	/* If two are equally good: the default, else the lower value. */
	table.entries[2] = (struct ssdpm_apst_entry){ 0 };
	r = reach(model, &table, 0);
	assert_int_equal(r.params.primary_timeout_ms, 100);
	table.entries[1].idle_ms = 400;
	r = reach(model, &table, 0);
	assert_int_equal(r.params.primary_timeout_ms, 400);
	/* 0 would be another rule. */
	table.entries[0].idle_ms = table.entries[1].idle_ms = 0;
	r = reach(model, &table, 0);
	assert_int_equal(r.params.primary_timeout_ms, 1);
	ssdpm_model_unref(model);
}

/* An extra entry is better than a missing one. */
static void what_is_wanted_comes_before_what_is_not(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };
	struct reached r;

	(void)state;
	table.entries[0] = (struct ssdpm_apst_entry){ 500, 4 };
	table.entries[3] = (struct ssdpm_apst_entry){ 700, 4 };
	r = reach(model, &table, 0);
	assert_int_equal(r.table.entries[0].target, 4);
	assert_int_equal(r.table.entries[0].idle_ms, 500);
	assert_int_equal(ssdpm_apst_diff(&r.table, &table),
			 1 << 1 | 1 << 2 | 1 << 3);
	ssdpm_model_unref(model);
}

static void a_quirk_of_the_kernel_is_reckoned_with(void **state)
{
	struct ssdpm_model *model = usual_drive();
	struct ssdpm_apst table = generate(model, NULL);
	struct reached r = reach(model, &table, SSDPM_QUIRK_NO_DEEPEST_PS);

	(void)state;
	assert_int_equal(ssdpm_apst_diff(&r.table, &table), 1 << 3);
	r = reach(model, &table, SSDPM_QUIRK_NO_APST);
	assert_int_equal(ssdpm_apst_diff(&r.table, &table), 15);
	ssdpm_model_unref(model);
}

static void a_limit_that_cannot_be_written_becomes_any(void **state)
{
	static const struct latencies l[] = {
		{ 0, 0, 0 },
		{ 1, 0, 2147483646 },
		{ 1, 0, 2147483647 },
		{ 1, 0, 4294967295 },
	};
	struct ssdpm_model *model = fixture_model(l, 4);
	struct ssdpm_apst_params p = defaults();
	struct ssdpm_apst table;
	struct reached r;

	(void)state;
	p.primary_timeout_ms = 0;
	p.max_exit_latency_us = ANY;
	table = generate(model, &p);
	r = reach(model, &table, 0);
	assert_int_equal(r.params.max_exit_latency_us, ANY);
	assert_int_equal(ssdpm_apst_diff(&r.table, &table), 0);
	p.max_exit_latency_us = 4294967294;
	table = generate(model, &p);
	r = reach(model, &table, 0);
	assert_true(r.params.max_exit_latency_us <= 2147483646 ||
		    r.params.max_exit_latency_us == ANY);
	ssdpm_model_unref(model);
}

static void a_difference_is_a_bit_for_each_entry(void **state)
{
	struct ssdpm_apst a = { .sent = 1 }, b = { .enabled = 1 };

	(void)state;
	assert_int_equal(ssdpm_apst_diff(&a, &b), 0);
	a.entries[0].idle_ms = 1;
	b.entries[31].target = 1;
	assert_int_equal(ssdpm_apst_diff(&a, &b), 0x80000001);
	assert_int_equal(ssdpm_apst_diff(&b, &a), 0x80000001);
	/* A drive may keep the entries of a table that is switched off. */
	b.enabled = 0;
	assert_int_equal(ssdpm_apst_diff(&b, &a), 0);
}

/* Small numbers, so that limits and latencies meet often. */
static struct ssdpm_model *random_drive(uint64_t *seed, size_t max)
{
	struct latencies l[SSDPM_MAX_STATES];
	size_t n = 1 + (size_t)(fixture_random(seed) % max);

	for (size_t i = 0; i < n; i++)
		l[i] = (struct latencies){
			fixture_random(seed) % 4 != 0,
			(uint32_t)(fixture_random(seed) % 12),
			(uint32_t)(fixture_random(seed) % 12),
		};
	return fixture_model(l, n);
}

static struct ssdpm_apst_params random_params(uint64_t *seed)
{
	struct ssdpm_apst_params p = defaults();

	p.algorithm = fixture_random(seed) % 4 ? SSDPM_APST_LINUX :
						 SSDPM_APST_LINUX_LEGACY;
	p.max_exit_latency_us = fixture_random(seed) % 14;
	p.primary_timeout_ms = fixture_random(seed) % 5;
	p.primary_latency_tolerance_us = fixture_random(seed) % 24;
	p.secondary_timeout_ms = fixture_random(seed) % 5;
	p.secondary_latency_tolerance_us = fixture_random(seed) % 24;
	if (fixture_random(seed) % 4 == 0)
		p.quirks = fixture_random(seed) % 4;
	return p;
}

static void whatever_linux_makes_is_inferred_and_reached(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct ssdpm_model *model = random_drive(&seed, 8);
		struct ssdpm_apst_params p = random_params(&seed);
		struct ssdpm_apst table = generate(model, &p);
		struct candidates c = infer(model, &table);
		struct reached r = reach(model, &table, p.quirks);

		assert_true(c.n >= 1);
		/* Off because of a limit is reached with a quirk too. */
		assert_memory_equal(&r.table, &table, sizeof(table));
		ssdpm_model_unref(model);
	}
}

static bool uses_last(const struct ssdpm_apst *table, uint32_t keep)
{
	bool used = false;

	for (int i = 0; i < SSDPM_MAX_STATES; i++) {
		if (!table->entries[i].idle_ms)
			continue;
		if (table->entries[i].target > keep)
			return false;
		used = used || table->entries[i].target == keep;
	}
	return used;
}

static void keep_agrees_with_all_limits_tried(void **state)
{
	uint64_t seed = 2;
	int kept = 0, not_kept = 0;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct ssdpm_model *model = random_drive(&seed, 8);
		struct ssdpm_apst_params p = random_params(&seed);
		uint64_t limit = 14, got, low, high;
		struct ssdpm_apst table;
		size_t n;
		uint32_t keep;
		int err;

		ssdpm_model_get_states(model, &n);
		keep = (uint32_t)(fixture_random(&seed) % n);
		for (;; limit--) {
			p.max_exit_latency_us = limit;
			table = generate(model, &p);
			if (!limit || uses_last(&table, keep))
				break;
		}
		err = ssdpm_apst_keep(model, &p, keep, &got, NULL);
		assert_int_equal(err, limit ? 0 : -EOPNOTSUPP);
		/* No exit is 12: 14 stands for all larger ones. */
		if (limit)
			assert_int_equal(got, limit == 14 ? ANY : limit);
		kept += limit != 0;
		not_kept += limit == 0;
		if (limit) {
			assert_int_equal(ssdpm_apst_limit_range(model, &p, &low,
								&high, NULL),
					 0);
			assert_true(low <= limit && high == got);
		}
		ssdpm_model_unref(model);
	}
	assert_true(kept > 300 && not_kept > 300);
}

struct distance {
	uint64_t targets, missed, idle;
};

static struct distance measure(const struct ssdpm_apst *made,
			       const struct ssdpm_apst *wanted)
{
	struct distance d = { 0 };

	for (int i = 0; i < SSDPM_MAX_STATES; i++) {
		int64_t idle = made->entries[i].idle_ms;

		if (made->entries[i].target == wanted->entries[i].target) {
			idle -= wanted->entries[i].idle_ms;
			d.idle += (uint64_t)llabs(idle);
			continue;
		}
		d.targets++;
		d.missed += wanted->entries[i].target != 0;
	}
	return d;
}

static bool is_closer(const struct distance *a, const struct distance *b)
{
	if (a->targets != b->targets)
		return a->targets < b->targets;
	if (a->missed != b->missed)
		return a->missed < b->missed;
	return a->idle < b->idle;
}

/* No other parameters come closer than those found. */
static void nothing_comes_closer_than_what_is_reached(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < 300; i++) {
		struct ssdpm_model *model = random_drive(&seed, 6);
		struct ssdpm_apst table = { .sent = 1, .enabled = 1 };
		struct distance best, other;
		struct reached r;

		for (uint32_t k = 0; k < 6; k++)
			if (fixture_random(&seed) % 2)
				table.entries[k] = (struct ssdpm_apst_entry){
					(uint32_t)(fixture_random(&seed) % 5),
					k + 1,
				};
		r = reach(model, &table, 0);
		best = measure(&r.table, &table);
		for (int k = 0; k < 300; k++) {
			struct ssdpm_apst_params p = random_params(&seed);
			struct ssdpm_apst made;

			p.algorithm = SSDPM_APST_LINUX;
			p.quirks = 0;
			made = generate(model, &p);
			other = measure(&made, &table);
			assert_false(is_closer(&other, &best));
		}
		ssdpm_model_unref(model);
	}
}

static void a_drive_of_32_states_is_answered(void **state)
{
	struct latencies l[SSDPM_MAX_STATES];
	struct ssdpm_apst_params p = defaults();
	struct ssdpm_model *model;
	struct ssdpm_apst table;
	struct reached r;

	(void)state;
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		l[i] = (struct latencies){ 1, i * 7, UINT32_MAX - i };
	model = fixture_model(l, SSDPM_MAX_STATES);
	p.primary_latency_tolerance_us = UINT64_MAX;
	p.max_exit_latency_us = ANY;
	table = generate(model, &p);
	r = reach(model, &table, 0);
	assert_memory_equal(&r.table, &table, sizeof(table));
	assert_true(infer(model, &table).n >= 1);
	ssdpm_model_unref(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_defaults_are_found_first),
		cmocka_unit_test(
			a_table_without_the_deepest_state_has_several_causes),
		cmocka_unit_test(apst_that_is_off_has_its_causes),
		cmocka_unit_test(legacy_is_found_with_its_limit_and_its_quirk),
		cmocka_unit_test(one_other_setting_is_found),
		cmocka_unit_test(several_other_settings_are_found),
		cmocka_unit_test(a_table_that_nothing_makes_has_no_candidate),
		cmocka_unit_test(a_drive_without_apst_has_one_candidate),
		cmocka_unit_test(only_what_there_is_room_for_is_written),
		cmocka_unit_test(a_shorter_structure_gets_what_it_has_room_for),
		cmocka_unit_test(sizes_and_tables_are_checked),
		cmocka_unit_test(a_model_that_has_no_answer_is_refused),
		cmocka_unit_test(limits_between_two_exits_make_the_same_table),
		cmocka_unit_test(the_limit_below_the_next_exit_keeps_a_state),
		cmocka_unit_test(no_limit_keeps_these_and_it_says_why),
		cmocka_unit_test(what_linux_makes_is_reached_with_few_settings),
		cmocka_unit_test(two_tolerances_next_to_each_other_are_reached),
		cmocka_unit_test(a_table_that_is_off_or_empty_is_reached),
		cmocka_unit_test(
			the_closest_has_the_right_targets_and_a_median),
		cmocka_unit_test(what_is_wanted_comes_before_what_is_not),
		cmocka_unit_test(a_quirk_of_the_kernel_is_reckoned_with),
		cmocka_unit_test(a_limit_that_cannot_be_written_becomes_any),
		cmocka_unit_test(a_difference_is_a_bit_for_each_entry),
		cmocka_unit_test(whatever_linux_makes_is_inferred_and_reached),
		cmocka_unit_test(keep_agrees_with_all_limits_tried),
		cmocka_unit_test(nothing_comes_closer_than_what_is_reached),
		cmocka_unit_test(a_drive_of_32_states_is_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
