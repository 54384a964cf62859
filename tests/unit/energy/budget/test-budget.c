/* SPDX-License-Identifier: MIT */
/* Drives in a power budget, compared with trying all choices. */
#include "fixture.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define MAX_ITEMS 7
#define MAX_CHOICES 5
#define MAX_STATES 32

struct small {
	struct ssdpm_budget_point options[MAX_ITEMS * MAX_CHOICES];
	uint32_t n_options[MAX_ITEMS];
	size_t n_items;
	uint64_t budget_uw;
};

/* An item with these states. */
static struct ssdpm_budget_item *item_of(
	const struct ssdpm_budget_point *options, uint32_t n)
{
	struct ssdpm_budget_state states[MAX_STATES] = { 0 };
	struct ssdpm_budget_item *item;

	for (uint32_t i = 0; i < n; i++) {
		states[i].state = i;
		states[i].power_uw = options[i].power_uw;
		states[i].loss = options[i].loss;
	}
	assert_int_equal(
		ssdpm_budget_item_from_states(NULL, states, n, &item, NULL), 0);
	return item;
}

/* Free it. */
static struct ssdpm_budget *share_out(const struct ssdpm_budget_point *options,
				      const uint32_t *n_options, size_t n_items,
				      uint64_t budget_uw)
{
	struct ssdpm_budget_item **items = calloc(n_items, sizeof(*items));
	const struct ssdpm_budget_params params = {
		.size = sizeof(params),
		.items = (const struct ssdpm_budget_item *const *)items,
		.n_items = n_items,
		.budget_uw = budget_uw,
	};
	struct ssdpm_budget *budget;

	for (size_t i = 0; i < n_items; options += n_options[i], i++)
		items[i] = item_of(options, n_options[i]);
	assert_int_equal(ssdpm_budget_solve(&params, &budget, NULL), 0);
	for (size_t i = 0; i < n_items; i++)
		ssdpm_budget_item_unref(items[i]);
	free(items);
	return budget;
}

/* Whether the choices fit. */
static bool budget_solve(const struct ssdpm_budget_point *options,
			 const uint32_t *n_options, size_t n_items,
			 uint64_t budget_uw, uint32_t *ret_choices,
			 struct ssdpm_budget_answer *ret_answer)
{
	struct ssdpm_budget *budget =
		share_out(options, n_options, n_items, budget_uw);
	const uint32_t *choices;
	size_t n;

	choices = ssdpm_budget_get_choices(budget, &n);
	assert_int_equal(n, n_items);
	if (ret_choices)
		memcpy(ret_choices, choices, n * sizeof(*choices));
	*ret_answer = *ssdpm_budget_get_answer(budget);
	ssdpm_budget_free(budget);
	return ret_answer->fits;
}

static uint32_t below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((*seed >> 33) % n);
}

/* The least loss among all choices that fit. */
static bool try_everything(const struct small *s, size_t item, size_t option,
			   uint64_t uw, uint64_t loss, uint64_t *best_uw,
			   uint64_t *best_loss)
{
	bool found = false;

	if (uw > s->budget_uw)
		return false;
	if (item == s->n_items) {
		if (loss > *best_loss || (loss == *best_loss && uw >= *best_uw))
			return true;
		*best_loss = loss;
		*best_uw = uw;
		return true;
	}
	for (uint32_t i = 0; i < s->n_options[item]; i++) {
		const struct ssdpm_budget_point *o = &s->options[option + i];

		found |= try_everything(
			s, item + 1, option + s->n_options[item],
			uw + o->power_uw, loss + o->loss, best_uw, best_loss);
	}
	return found;
}

static void make_small(struct small *s, uint64_t *seed)
{
	uint32_t kind = below(seed, 4), unit = kind == 3 ? 1 : 10000;
	uint64_t most = 0;
	size_t n = 0;

	s->n_items = 1 + below(seed, MAX_ITEMS);
	for (size_t i = 0; i < s->n_items; i++) {
		uint32_t largest = 0;

		s->n_options[i] = 1 + below(seed, MAX_CHOICES);
		for (uint32_t j = 0; j < s->n_options[i]; j++, n++) {
			uint32_t uw = below(seed, 40);

			s->options[n].power_uw = (uint64_t)uw * unit;
			/*
			 * Any; falling with power; nearly falling; few values.
			 */
			s->options[n].loss =
				kind == 0 ? below(seed, 1000) :
				kind == 1 ? 40 - uw :
				kind == 2 ? (40 - uw) * 10 + below(seed, 9) :
					    below(seed, 4);
			largest = uw > largest ? uw : largest;
		}
		most += (uint64_t)largest * unit;
	}
	s->budget_uw = most * below(seed, 1001) / 1000;
}

static void assert_adds_up(const struct small *s, const uint32_t *choices,
			   const struct ssdpm_budget_answer *answer)
{
	uint64_t uw = 0, loss = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->n_items; i++) {
		assert_true(choices[i] < s->n_options[i]);
		uw += s->options[n + choices[i]].power_uw;
		loss += s->options[n + choices[i]].loss;
		n += s->n_options[i];
	}
	assert_int_equal(uw, answer->power_uw);
	assert_int_equal(loss, answer->loss);
}

static void answers_are_those_of_trying_everything(void **state)
{
	int n = getenv("SSDPM_FEW_CASES") ? 500 : 5000, n_without = 0;
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < n; i++) {
		struct ssdpm_budget_answer a;
		uint64_t uw = 0, loss = UINT64_MAX;
		uint32_t choices[MAX_ITEMS];
		struct small s;

		make_small(&s, &seed);
		bool fits = try_everything(&s, 0, 0, 0, 0, &uw, &loss);
		assert_int_equal(budget_solve(s.options, s.n_options, s.n_items,
					      s.budget_uw, choices, &a),
				 fits);
		assert_adds_up(&s, choices, &a);
		if (!fits) {
			assert_int_equal(a.power_uw, a.least_power_uw);
			assert_true(a.power_uw > s.budget_uw);
			assert_int_equal(a.exact, 0);
			n_without++;
			continue;
		}
		assert_int_equal(a.exact, 1);
		assert_int_equal(a.loss, loss);
		assert_true(a.power_uw <= s.budget_uw);
		assert_true(a.bound_loss <= a.loss);
	}
	assert_in_range(n_without, n / 50, n / 2);
}

#define TABLE_ITEMS 40
#define TABLE_UNITS 4000

/* The least loss for each budget in units of 10 mW, item by item. */
static void fill_table(const struct ssdpm_budget_point *options,
		       uint64_t *table)
{
	uint64_t *next = malloc((TABLE_UNITS + 1) * sizeof(*next));

	memset(table, 0, (TABLE_UNITS + 1) * sizeof(*table));
	for (size_t i = 0; i < TABLE_ITEMS; i++) {
		for (size_t unit = 0; unit <= TABLE_UNITS; unit++) {
			next[unit] = UINT64_MAX;
			for (size_t j = 6 * i; j < 6 * i + 6; j++) {
				uint64_t uses = options[j].power_uw / 10000;

				if (uses > unit ||
				    table[unit - uses] == UINT64_MAX)
					continue;
				uint64_t loss =
					table[unit - uses] + options[j].loss;

				if (loss < next[unit])
					next[unit] = loss;
			}
		}
		memcpy(table, next, (TABLE_UNITS + 1) * sizeof(*table));
	}
	free(next);
}

static void answers_are_those_of_a_dense_table(void **state)
{
	static uint64_t table[TABLE_UNITS + 1];
	struct ssdpm_budget_point options[6 * TABLE_ITEMS];
	uint32_t n_options[TABLE_ITEMS];
	uint64_t seed = 4;

	(void)state;
	for (uint32_t kind = 0; kind < 6; kind++) {
		for (size_t i = 0; i < TABLE_ITEMS; i++) {
			uint32_t rate = 1 + below(&seed, 20);

			n_options[i] = 6;
			for (size_t j = 6 * i; j < 6 * i + 6; j++) {
				uint32_t unit = 10 + below(&seed, 90);

				options[j].power_uw = 10000 * unit;
				options[j].loss =
					kind % 3 == 0 ? 100 - unit :
					kind % 3 == 1 ? (100 - unit) * rate :
							below(&seed, 10000);
			}
		}
		fill_table(options, table);
		for (uint64_t unit = 0; unit <= TABLE_UNITS; unit += 37) {
			struct ssdpm_budget_answer a;
			bool fits =
				budget_solve(options, n_options, TABLE_ITEMS,
					     unit * 10000 + unit, NULL, &a);

			assert_int_equal(fits, table[unit] != UINT64_MAX);
			if (fits)
				assert_int_equal(a.loss, table[unit]);
		}
	}
}

/* Each point is the answer for its power, and less power loses more. */
static void each_point_of_the_frontier_is_an_answer(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (int i = 0; i < 200; i++) {
		const struct ssdpm_budget_point *points;
		struct ssdpm_budget *budget;
		struct ssdpm_budget_answer a;
		struct small s;
		size_t n;

		make_small(&s, &seed);
		budget = share_out(s.options, s.n_options, s.n_items, 0);
		points = ssdpm_budget_get_frontier(budget, &n);
		assert_in_range(n, 1, 64);
		for (size_t j = 0; j < n; j++) {
			assert_true(budget_solve(s.options, s.n_options,
						 s.n_items, points[j].power_uw,
						 NULL, &a));
			assert_int_equal(a.loss, points[j].loss);
			assert_int_equal(a.power_uw, points[j].power_uw);
			assert_int_equal(a.bound_loss, a.loss);
		}
		ssdpm_budget_free(budget);
	}
}

/* As many as in a rack; the bound proves the answer. */
static void hundreds_of_drives_come_close_to_their_bound(void **state)
{
	static struct ssdpm_budget_point options[500 * 8];
	static uint32_t n_options[500], choices[500];
	struct ssdpm_budget_answer a;
	uint64_t seed = 3, most = 0;

	(void)state;
	for (size_t i = 0; i < 500; i++) {
		uint32_t uw = 10000 * (800 + below(&seed, 2200));

		n_options[i] = 8;
		most += uw;
		for (size_t j = 0; j < 8; j++) {
			options[8 * i + j].power_uw = uw;
			options[8 * i + j].loss =
				j * (1000000 + below(&seed, 1000000));
			uw -= 10000 * below(&seed, 100);
		}
	}
	for (uint64_t share = 83; share < 100; share += 4) {
		uint64_t budget = most / 100 * share;

		assert_true(budget_solve(options, n_options, 500, budget,
					 choices, &a));
		assert_true(a.power_uw <= budget);
		assert_true(a.bound_loss <= a.loss);
	}
}

/*
 * Powers without a grid, all with the same loss per power, have too many sums
 * to try.
 */
static void choices_that_are_all_alike_end_in_time(void **state)
{
	static struct ssdpm_budget_point options[200 * 32];
	static uint32_t n_options[200], choices[200];
	struct ssdpm_budget_answer a;
	uint64_t seed = 5, most = 0, sum = 0;
	uint64_t loss = 0;

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		uint64_t uw = 50000000;

		n_options[i] = 32;
		for (size_t j = 0; j < 32; j++) {
			options[32 * i + j].power_uw = uw;
			options[32 * i + j].loss =
				(50000000 - uw) * 1000 + below(&seed, 1000);
			uw -= 1 + below(&seed, 1000000);
		}
		most += 50000000;
	}
	clock_t start = clock();

	assert_true(budget_solve(options, n_options, 200, most * 8 / 10,
				 choices, &a));
	/* 2^30 steps are some seconds, also for a slow machine. */
	assert_true(clock() - start < 60 * CLOCKS_PER_SEC);
	assert_int_equal(a.exact, 0);
	assert_true(a.power_uw <= most * 8 / 10);
	assert_true(a.bound_loss <= a.loss);
	/* The answer is close to the bound. */
	assert_true(a.loss - a.bound_loss < a.loss / 100000);
	for (size_t i = 0; i < 200; i++) {
		sum += options[32 * i + choices[i]].power_uw;
		loss += options[32 * i + choices[i]].loss;
	}
	assert_int_equal(sum, a.power_uw);
	assert_int_equal(loss, a.loss);
}

static void what_does_not_fit_is_in_its_lowest_states(void **state)
{
	const struct ssdpm_budget_point options[] = {
		{ 10500000, 0 }, { 5000000, 7 }, { 5000000, 1 }, { 8000001, 0 }
	};
	const uint32_t n_options[] = { 3, 1 };
	struct ssdpm_budget_answer a;
	uint32_t choices[2];

	(void)state;
	assert_false(
		budget_solve(options, n_options, 2, 13000000, choices, &a));
	assert_int_equal(a.n_fitting, 1);
	assert_int_equal(a.least_power_uw, 13000001);
	assert_int_equal(a.power_uw, 13000001);
	assert_int_equal(a.loss, 1);
	/* The least loss among the lowest powers. */
	assert_int_equal(choices[0], 2);
	assert_false(budget_solve(options, n_options, 2, 4999999, choices, &a));
	assert_int_equal(a.n_fitting, 0);
	assert_true(budget_solve(options, n_options, 2, 13000001, choices, &a));
	assert_int_equal(a.n_fitting, 2);
	assert_int_equal(a.loss, 1);
	assert_true(budget_solve(options, n_options, 2, UINT64_MAX, NULL, &a));
	assert_int_equal(a.loss, 0);
	assert_int_equal(a.power_uw, 18500001);
	assert_int_equal(a.least_power_uw, 13000001);
}

static void everything_else_takes_its_part_of_the_budget(void **state)
{
	const struct ssdpm_budget_point options[] = { { 9, 0 }, { 5, 3 } };
	struct ssdpm_budget_item *item = item_of(options, 2);
	const struct ssdpm_budget_item *items[2] = { item, item };
	struct ssdpm_budget_params params = { .size = sizeof(params),
					      .items = items,
					      .n_items = 2,
					      .budget_uw = 114,
					      .base_uw = 100 };
	struct ssdpm_budget *budget;

	(void)state;
	assert_int_equal(ssdpm_budget_solve(&params, &budget, NULL), 0);
	assert_int_equal(ssdpm_budget_get_answer(budget)->power_uw, 14);
	ssdpm_budget_free(budget);
	/* The base alone may exceed the budget. */
	params.base_uw = 115;
	assert_int_equal(ssdpm_budget_solve(&params, &budget, NULL), 0);
	assert_int_equal(ssdpm_budget_get_answer(budget)->fits, 0);
	ssdpm_budget_free(budget);
	ssdpm_budget_item_unref(item);
}

static int make_states(const struct ssdpm_budget_state *states, size_t n)
{
	struct ssdpm_budget_item *item = UNTOUCHED;
	int err = ssdpm_budget_item_from_states("one", states, n, &item, NULL);

	if (err)
		assert_ptr_equal(item, UNTOUCHED);
	else
		ssdpm_budget_item_unref(item);
	return err;
}

static void numbers_beyond_the_limits_are_refused(void **state)
{
	static struct ssdpm_budget_state states[257];
	const struct ssdpm_budget_item *none[1] = { NULL };
	struct ssdpm_budget_params params = { .size = sizeof(params) };
	struct ssdpm_budget *budget = UNTOUCHED;

	(void)state;
	states[0].power_uw = states[0].loss = SSDPM_BUDGET_MAX;
	assert_int_equal(make_states(states, 256), 0);
	assert_int_equal(make_states(states, 257), -EINVAL);
	assert_int_equal(make_states(states, 0), -EINVAL);
	assert_int_equal(make_states(NULL, 1), -EINVAL);
	states[0].power_uw++;
	assert_int_equal(make_states(states, 1), -EINVAL);
	states[0].power_uw = 0;
	states[0].loss++;
	assert_int_equal(make_states(states, 1), -EINVAL);
	states[0].loss = 0;
	assert_int_equal(ssdpm_budget_solve(&params, &budget, NULL), -EINVAL);
	params.n_items = 1;
	assert_int_equal(ssdpm_budget_solve(&params, &budget, NULL), -EINVAL);
	params.items = none;
	assert_int_equal(ssdpm_budget_solve(&params, &budget, NULL), -EINVAL);
	params.n_items = SSDPM_BUDGET_MAX_ITEMS + 1;
	assert_int_equal(ssdpm_budget_solve(&params, &budget, NULL), -EINVAL);
	assert_ptr_equal(budget, UNTOUCHED);
}

/* A drive that idles at 4 W, with these maxima; 0: not reported. */
static struct ssdpm_model *governed(uint32_t n, const uint32_t *watts)
{
	struct ssdpm_power_state states[SSDPM_MAX_STATES] = { 0 };
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_model *model;

	for (uint32_t i = 0; i < n; i++) {
		states[i].max_power_uw = watts[i] * 1000000;
		states[i].idle_power_uw = 4000000;
	}
	assert_int_equal(ssdpm_model_new(&info, states, n, &model, NULL), 0);
	return model;
}

/* Writes at 2 GB/s and 25 W. */
static const struct ssdpm_cap_stream writes = {
	.op = SSDPM_OP_WRITE,
	.known = SSDPM_CAP_INTERFACE | SSDPM_CAP_ACTIVE_POWER,
	.share = 1,
	.interface_bytes_per_s = { 2e9, 2e9, 2e9 },
	.active_uw = { 25e6, 25e6, 25e6 },
};
static const struct ssdpm_budget_work work_of_writes = {
	.size = sizeof(work_of_writes),
	.streams = &writes,
	.n_streams = 1,
};

static struct ssdpm_budget_drive writer(const struct ssdpm_model *model)
{
	return (struct ssdpm_budget_drive){
		.size = sizeof(struct ssdpm_budget_drive),
		.name = "a",
		.model = model,
		.work = &work_of_writes,
	};
}

static struct ssdpm_budget_item *look(const struct ssdpm_budget_drive *drive,
				      uint32_t power, uint64_t weight)
{
	struct ssdpm_budget_item *item = NULL;
	struct ssdpm_error error;

	if (ssdpm_budget_item_new(&drive, 1, power, weight, &item, &error))
		fail_msg("%s", error.message);
	return item;
}

static void a_state_is_a_cap_of_its_maximum(void **state)
{
	const uint64_t power_uw[] = { 25000000, 20000000, 10000000 };
	/* 16 and 6 of 21 parts of the power that writes take. */
	const uint64_t loss[] = { 0, 1190476190, 3571428573 };
	struct ssdpm_model *model = governed(3, (uint32_t[]){ 25, 20, 10 });
	const struct ssdpm_budget_drive drive = writer(model);
	struct ssdpm_budget_item *item =
		look(&drive, SSDPM_BUDGET_POWER_MAX, 2500);
	const struct ssdpm_budget_state *states;
	size_t n;

	(void)state;
	states = ssdpm_budget_item_get_states(item, &n);
	assert_int_equal(n, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(states[i].state, i);
		assert_int_equal(states[i].power_uw, power_uw[i]);
		assert_int_equal(states[i].loss, loss[i]);
		assert_int_equal(states[i].limit,
				 i ? SSDPM_CAP_LIMIT_POWER :
				     SSDPM_CAP_LIMIT_INTERFACE);
	}
	assert_true(states[1].lost_bytes_per_s == 476190476);
	assert_true(states[0].bytes_per_s.nominal == 2e9);
	ssdpm_budget_item_unref(item);
	ssdpm_model_unref(model);
}

/* Which states lose more than the numbers say, if ranks are these. */
static uint32_t outranked(const uint8_t *write_ranks, uint8_t read_rank,
			  uint32_t unknown)
{
	struct ssdpm_power_state states[3] = { 0 };
	struct ssdpm_model_info info = fixture_info();
	const struct ssdpm_budget_state *found;
	struct ssdpm_budget_drive drive;
	struct ssdpm_budget_item *item;
	struct ssdpm_model *model;
	uint32_t bits = 0;
	size_t n;

	/* Full throughput takes 25 W: the first two states lose nothing. */
	for (uint32_t i = 0; i < 3; i++) {
		states[i].max_power_uw =
			(uint32_t[]){ 30, 25, 10 }[i] * 1000000;
		states[i].idle_power_uw = 4000000;
		states[i].write_throughput_rank = write_ranks[i];
		states[i].read_throughput_rank = i ? read_rank : 0;
	}
	states[0].unknown = unknown;
	assert_int_equal(ssdpm_model_new(&info, states, 3, &model, NULL), 0);
	drive = writer(model);
	item = look(&drive, SSDPM_BUDGET_POWER_MAX, 1000);
	found = ssdpm_budget_item_get_states(item, &n);
	assert_int_equal(n, 3);
	for (uint32_t i = 0; i < 3; i++)
		bits |= found[i].outranked << 8 * i;
	assert_true(found[1].lost_bytes_per_s == 0);
	assert_int_equal(found[1].loss, found[1].outranked);
	assert_true(found[2].lost_bytes_per_s > 0);
	ssdpm_budget_item_unref(item);
	ssdpm_model_unref(model);
	return bits;
}

static void a_rank_says_what_is_lost_beyond_the_numbers(void **state)
{
	const uint8_t same[3] = { 0 }, slower[3] = { 0, 3, 4 };
	const uint8_t last[3] = { 0, 0, 1 };

	(void)state;
	assert_int_equal(outranked(same, 0, 0), 0);
	assert_int_equal(outranked(slower, 0, 0), 3 << 8);
	/* The numbers know of this loss, and nothing is read. */
	assert_int_equal(outranked(last, 0, 0), 0);
	assert_int_equal(outranked(same, 1, 0), 0);
	assert_int_equal(
		outranked(slower, 0, SSDPM_FIELD_WRITE_THROUGHPUT_RANK), 0);
}

static void powers_of_the_work_are_rounded_up_to_the_maximum(void **state)
{
	struct ssdpm_cap_stream stream = writes;
	const struct ssdpm_budget_work work = { .size = sizeof(work),
						.streams = &stream,
						.n_streams = 1 };
	struct ssdpm_model *model = governed(2, (uint32_t[]){ 25, 20 });
	struct ssdpm_budget_drive drive = writer(model);
	const struct ssdpm_budget_state *states;
	struct ssdpm_budget_item *item;
	size_t n;

	(void)state;
	stream.active_uw.low = stream.active_uw.nominal =
		stream.active_uw.high = 20001234;
	drive.work = &work;
	for (uint32_t power = SSDPM_BUDGET_POWER_EXPECTED;
	     power <= SSDPM_BUDGET_POWER_P99; power++) {
		item = look(&drive, power, 1000);
		states = ssdpm_budget_item_get_states(item, &n);
		assert_int_equal(states[0].power_uw, 20010000);
		assert_int_equal(states[1].power_uw, 20000000);
		ssdpm_budget_item_unref(item);
	}
	ssdpm_model_unref(model);
}

static void a_card_is_in_states_that_all_its_devices_have(void **state)
{
	struct ssdpm_model *three = governed(3, (uint32_t[]){ 25, 20, 10 });
	struct ssdpm_model *two = governed(2, (uint32_t[]){ 12, 9 });
	const struct ssdpm_budget_drive a = writer(three), b = writer(two);
	const struct ssdpm_budget_drive *const drives[] = { &a, &b, &a };
	const struct ssdpm_budget_state *states;
	struct ssdpm_budget_item *card;
	uint32_t shared, unknown;
	size_t n;

	(void)state;
	assert_int_equal(ssdpm_budget_drives_get_states(drives, 3, &shared,
							&unknown, NULL),
			 0);
	assert_int_equal(shared, 3);
	assert_int_equal(unknown, 0);
	assert_int_equal(ssdpm_budget_item_new(drives, 3,
					       SSDPM_BUDGET_POWER_MAX, 1000,
					       &card, NULL),
			 0);
	states = ssdpm_budget_item_get_states(card, &n);
	assert_int_equal(n, 2);
	assert_int_equal(states[0].power_uw, 62000000);
	assert_int_equal(states[1].power_uw, 49000000);
	/* It differs between the items. */
	assert_int_equal(states[0].limit, 0);
	assert_int_equal(states[1].limit, SSDPM_CAP_LIMIT_POWER);
	ssdpm_budget_item_unref(card);
	ssdpm_model_unref(three);
	ssdpm_model_unref(two);
}

static int refuse(const struct ssdpm_budget_drive *const *drives, size_t n,
		  uint64_t weight, const char *words)
{
	struct ssdpm_budget_item *item = UNTOUCHED;
	struct ssdpm_error error = { 0 };
	int err = ssdpm_budget_item_new(drives, n, SSDPM_BUDGET_POWER_MAX,
					weight, &item, &error);

	assert_string_equal(error.message, words);
	assert_ptr_equal(item, UNTOUCHED);
	return err;
}

static void a_maximum_is_stated_where_none_is_reported(void **state)
{
	const uint32_t stated[] = { 99000000, 20000000 };
	struct ssdpm_model *model = governed(2, (uint32_t[]){ 25, 0 });
	struct ssdpm_model *known = governed(2, (uint32_t[]){ 25, 20 });
	struct ssdpm_budget_drive a = writer(known), b = writer(model);
	const struct ssdpm_budget_drive *const drives[] = { &a, &b };
	const struct ssdpm_budget_state *states;
	struct ssdpm_budget_item *item;
	uint32_t shared, unknown;
	size_t n;

	(void)state;
	b.name = NULL;
	assert_int_equal(
		refuse(drives, 2, 1000,
		       "Fixture SSD 256GB: it does not report the maximum power of PS1"),
		-ENODATA);
	assert_int_equal(ssdpm_budget_drives_get_states(drives, 2, &shared,
							&unknown, NULL),
			 0);
	assert_int_equal(shared, 3);
	assert_int_equal(unknown, 2);
	b.max_power_uw = stated;
	b.n_max_powers = 2;
	item = look(&b, SSDPM_BUDGET_POWER_MAX, 1000);
	states = ssdpm_budget_item_get_states(item, &n);
	assert_int_equal(states[0].power_uw, 25000000);
	assert_int_equal(states[1].power_uw, 20000000);
	ssdpm_budget_item_unref(item);
	/* A value that only one of the devices lacks is not required. */
	b.n_max_powers = 0;
	a.model = ssdpm_model_unref(known);
	known = governed(1, (uint32_t[]){ 25 });
	a.model = known;
	assert_int_equal(ssdpm_budget_drives_get_states(drives, 2, &shared,
							&unknown, NULL),
			 0);
	assert_int_equal(shared, 1);
	assert_int_equal(unknown, 0);
	ssdpm_model_unref(model);
	ssdpm_model_unref(known);
}

/* Its bytes are those of 100 writes of 1 MB in 100 ms. */
static void a_trace_is_slowed_by_the_cap(void **state)
{
	static struct ssdpm_io ios[100];
	const struct ssdpm_budget_work work = { .size = sizeof(work),
						.ios = ios,
						.n_ios = 100 };
	struct ssdpm_model *model = governed(2, (uint32_t[]){ 25, 5 });
	struct ssdpm_budget_drive drive = writer(model);
	const struct ssdpm_budget_state *states;
	struct ssdpm_budget_item *item;
	size_t n;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		ios[i] = (struct ssdpm_io){ .start_ns = i * 1000000,
					    .service_ns = 1000000,
					    .bytes = 1000000,
					    .op = SSDPM_OP_WRITE };
	drive.work = &work;
	item = look(&drive, SSDPM_BUDGET_POWER_MAX, 1000);
	states = ssdpm_budget_item_get_states(item, &n);
	assert_int_equal((uint64_t)(states[0].bytes_per_s.nominal + 0.5),
			 1000000000);
	assert_int_equal(states[0].limit, 0);
	assert_true(states[1].bytes_per_s.nominal <
		    states[0].bytes_per_s.nominal);
	assert_int_equal(states[1].limit, SSDPM_CAP_LIMIT_POWER);
	ssdpm_budget_item_unref(item);
	ssdpm_model_unref(model);
}

static void drives_that_cannot_share_are_refused(void **state)
{
	static const struct ssdpm_io flush = { .op = SSDPM_OP_FLUSH };
	const struct ssdpm_budget_work nothing = {
		.size = sizeof(nothing), .name = "t", .ios = &flush, .n_ios = 1
	};
	const struct ssdpm_budget_work empty = { .size = sizeof(empty) };
	struct ssdpm_budget_work many = work_of_writes;
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_model *model = governed(2, (uint32_t[]){ 25, 9 });
	struct ssdpm_model *sata;
	struct ssdpm_budget_drive d = writer(model);
	const struct ssdpm_budget_drive *drives[] = { &d };

	(void)state;
	info.kind = SSDPM_KIND_SATA;
	assert_int_equal(ssdpm_model_new(&info, NULL, 0, &sata, NULL), 0);
	assert_int_equal(refuse(drives, 0, 1, "a card has one device or more"),
			 -EINVAL);
	assert_int_equal(
		refuse(drives, 1, UINT64_MAX, "a: its weight is too much"),
		-ERANGE);
	d.work = &nothing;
	assert_int_equal(
		refuse(drives, 1, 1,
		       "t: nothing is read or written, so that nothing can be lost"),
		-ENODATA);
	d.work = &empty;
	assert_int_equal(refuse(drives, 1, 1, "streams is missing"), -EINVAL);
	many.n_streams = SSDPM_MAX_CAP_STREAMS + 1;
	d.work = &many;
	assert_int_equal(refuse(drives, 1, 1, "a mix has 1 to 4 streams"),
			 -EINVAL);
	d.work = NULL;
	assert_int_equal(refuse(drives, 1, 1, "work is missing"), -EINVAL);
	d.n_max_powers = 1;
	assert_int_equal(refuse(drives, 1, 1, "max_power_uw is missing"),
			 -EINVAL);
	d.model = sata;
	d.n_max_powers = 0;
	d.work = &work_of_writes;
	assert_int_equal(refuse(drives, 1, 1,
				"a: no SATA drive reports its maximum power"),
			 -ENODATA);
	d.model = NULL;
	assert_int_equal(refuse(drives, 1, 1, "model is missing"), -EINVAL);
	drives[0] = NULL;
	assert_int_equal(refuse(drives, 1, 1, "a drive is missing"), -EINVAL);
	ssdpm_model_unref(model);
	ssdpm_model_unref(sata);
}

static void a_sata_drive_has_one_choice(void **state)
{
	const uint32_t stated[] = { 4000000 };
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_budget_drive d;
	const struct ssdpm_budget_drive *drives[] = { &d, &d };
	const struct ssdpm_budget_state *states;
	uint32_t which = 7, unknown = 7;
	struct ssdpm_budget_item *item;
	struct ssdpm_model *sata;
	size_t n;

	(void)state;
	info.kind = SSDPM_KIND_SATA;
	assert_int_equal(ssdpm_model_new(&info, NULL, 0, &sata, NULL), 0);
	d = writer(sata);
	assert_int_equal(ssdpm_budget_drives_get_states(drives, 1, &which,
							&unknown, NULL),
			 0);
	assert_int_equal(which, 1);
	assert_int_equal(unknown, 1);
	d.max_power_uw = stated;
	d.n_max_powers = 1;
	assert_int_equal(ssdpm_budget_item_new(drives, 1,
					       SSDPM_BUDGET_POWER_P99, 1000,
					       &item, NULL),
			 0);
	states = ssdpm_budget_item_get_states(item, &n);
	assert_int_equal(n, 1);
	assert_int_equal(states->state, 0);
	assert_int_equal(states->power_uw, 4000000);
	assert_int_equal(states->loss, 0);
	assert_true(isnan(states->bytes_per_s.nominal));
	ssdpm_budget_item_unref(item);
	assert_int_equal(
		refuse(drives, 2, 1000, "a: a SATA drive is no part of a card"),
		-EOPNOTSUPP);
	ssdpm_model_unref(sata);
}

static void json_says_what_is_not_known(void **state)
{
	const struct ssdpm_budget_state own = {
		.power_uw = 7,
		.lost_bytes_per_s = NAN,
		.expected_power_uw = { NAN, NAN, NAN },
		.bytes_per_s = { NAN, NAN, NAN },
		.assumed = SSDPM_CAP_NAND | SSDPM_CAP_IDLE_POWER | 1u << 30,
	};
	struct ssdpm_budget_item *item;
	const struct ssdpm_budget_params params = {
		.size = sizeof(params),
		.items = (const struct ssdpm_budget_item *const *)&item,
		.n_items = 1,
		.budget_uw = 6,
	};
	struct ssdpm_budget_report report = { .size = sizeof(report) };
	struct ssdpm_budget *budget;
	char *text = UNTOUCHED;

	(void)state;
	assert_int_equal(
		ssdpm_budget_item_from_states("mine", &own, 1, &item, NULL), 0);
	assert_int_equal(ssdpm_budget_solve(&params, &budget, NULL), 0);
	assert_int_equal(ssdpm_budget_report_to_json(&report, &text, NULL),
			 -EINVAL);
	report.budget = budget;
	assert_int_equal(ssdpm_budget_report_to_json(&report, &text, NULL),
			 -EINVAL);
	report.work = &work_of_writes;
	report.n_commands = 1;
	assert_int_equal(ssdpm_budget_report_to_json(&report, &text, NULL),
			 -EINVAL);
	assert_ptr_equal(text, UNTOUCHED);
	report.n_commands = 0;
	assert_int_equal(ssdpm_budget_report_to_json(&report, &text, NULL), 0);
	assert_non_null(strstr(text, "\"power\": null,"));
	assert_non_null(strstr(text, "\"write_ppm\": 1000000,"));
	assert_non_null(strstr(text, "\"fits\": false,"));
	assert_non_null(strstr(text, "\"left_uw\": null,"));
	assert_non_null(strstr(text, "\"drive\": \"mine\","));
	assert_non_null(strstr(text, "\"product\": null,"));
	assert_non_null(strstr(text, "\"lost_bytes_per_s\": null"));
	assert_non_null(strstr(text, "\"nominal\": null"));
	assert_non_null(strstr(text, "\"nand\",\n"));
	assert_non_null(strstr(text, "\"idle-power\"\n"));
	assert_null(strstr(text, "\"exact\": false"));
	free(text);
	ssdpm_budget_free(budget);
	ssdpm_budget_item_unref(item);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_those_of_trying_everything),
		cmocka_unit_test(answers_are_those_of_a_dense_table),
		cmocka_unit_test(each_point_of_the_frontier_is_an_answer),
		cmocka_unit_test(hundreds_of_drives_come_close_to_their_bound),
		cmocka_unit_test(choices_that_are_all_alike_end_in_time),
		cmocka_unit_test(what_does_not_fit_is_in_its_lowest_states),
		cmocka_unit_test(everything_else_takes_its_part_of_the_budget),
		cmocka_unit_test(numbers_beyond_the_limits_are_refused),
		cmocka_unit_test(a_state_is_a_cap_of_its_maximum),
		cmocka_unit_test(a_rank_says_what_is_lost_beyond_the_numbers),
		cmocka_unit_test(
			powers_of_the_work_are_rounded_up_to_the_maximum),
		cmocka_unit_test(a_card_is_in_states_that_all_its_devices_have),
		cmocka_unit_test(a_maximum_is_stated_where_none_is_reported),
		cmocka_unit_test(a_trace_is_slowed_by_the_cap),
		cmocka_unit_test(drives_that_cannot_share_are_refused),
		cmocka_unit_test(a_sata_drive_has_one_choice),
		cmocka_unit_test(json_says_what_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
