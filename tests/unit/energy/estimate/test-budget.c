/* SPDX-License-Identifier: MIT */
/* Drives in a power budget, against trying everything. */
#include "fixture.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define MAX_ITEMS 7
#define MAX_CHOICES 5

struct small {
	struct ssdpm_budget_option options[MAX_ITEMS * MAX_CHOICES];
	uint32_t n_options[MAX_ITEMS];
	size_t n_items;
	uint64_t budget_uw;
};

static struct ssdpm_budget_params shared(
	const struct ssdpm_budget_option *options, const uint32_t *n_options,
	size_t n_items, uint64_t budget_uw)
{
	return (struct ssdpm_budget_params){
		.size = sizeof(struct ssdpm_budget_params),
		.options = options,
		.n_options = n_options,
		.n_items = n_items,
		.budget_uw = budget_uw,
	};
}

static int budget_solve(const struct ssdpm_budget_option *options,
			const uint32_t *n_options, size_t n_items,
			uint64_t budget_uw, uint32_t *ret_choices,
			struct ssdpm_budget_answer *ret_answer,
			struct ssdpm_error *reterr)
{
	const struct ssdpm_budget_params params =
		shared(options, n_options, n_items, budget_uw);

	return ssdpm_budget_solve(&params, ret_choices, ret_answer, reterr);
}

static int budget_get_frontier(const struct ssdpm_budget_option *options,
			       const uint32_t *n_options, size_t n_items,
			       struct ssdpm_budget_option *ret_points,
			       size_t capacity, size_t *ret_n,
			       struct ssdpm_error *reterr)
{
	const struct ssdpm_budget_params params =
		shared(options, n_options, n_items, 0);

	return ssdpm_budget_get_frontier(&params, ret_points, capacity, ret_n,
					 reterr);
}

static uint32_t below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((*seed >> 33) % n);
}

/* The least loss of all choices that fit. */
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
		const struct ssdpm_budget_option *o = &s->options[option + i];

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
			/* Any; as the power falls; as it falls, nearly; few
			 * values. */
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
		struct ssdpm_budget_answer a = { .size = sizeof(a) };
		uint64_t uw = 0, loss = UINT64_MAX;
		uint32_t choices[MAX_ITEMS];
		struct ssdpm_error error;
		struct small s;

		make_small(&s, &seed);
		bool fits = try_everything(&s, 0, 0, 0, 0, &uw, &loss);
		int err = budget_solve(s.options, s.n_options, s.n_items,
				       s.budget_uw, choices, &a, &error);

		if (!fits) {
			assert_int_equal(err, -ENOSPC);
			n_without++;
			continue;
		}
		if (err)
			fail_msg("%s", error.message);
		assert_int_equal(a.exact, 1);
		assert_int_equal(a.loss, loss);
		assert_true(a.power_uw <= s.budget_uw);
		assert_true(a.bound_loss <= a.loss);
		assert_adds_up(&s, choices, &a);
	}
	assert_in_range(n_without, n / 50, n / 2);
}

#define TABLE_ITEMS 40
#define TABLE_UNITS 4000

/* The least loss for each budget in units of 10 mW, item by item. */
static void fill_table(const struct ssdpm_budget_option *options,
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
	struct ssdpm_budget_option options[6 * TABLE_ITEMS];
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
			struct ssdpm_budget_answer a = { .size = sizeof(a) };
			int err = budget_solve(options, n_options, TABLE_ITEMS,
					       unit * 10000 + unit, NULL, &a,
					       NULL);

			if (table[unit] == UINT64_MAX) {
				assert_int_equal(err, -ENOSPC);
				continue;
			}
			assert_int_equal(err, 0);
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
		struct ssdpm_budget_option points[64], few[2];
		struct ssdpm_budget_answer a = { .size = sizeof(a) };
		struct small s;
		size_t n, m;

		make_small(&s, &seed);
		assert_int_equal(budget_get_frontier(s.options, s.n_options,
						     s.n_items, points, 64, &n,
						     NULL),
				 0);
		assert_in_range(n, 1, 64);
		for (size_t j = 0; j < n; j++) {
			assert_int_equal(budget_solve(s.options, s.n_options,
						      s.n_items,
						      points[j].power_uw, NULL,
						      &a, NULL),
					 0);
			assert_int_equal(a.loss, points[j].loss);
			assert_int_equal(a.power_uw, points[j].power_uw);
			assert_int_equal(a.bound_loss, a.loss);
		}
		assert_int_equal(budget_get_frontier(s.options, s.n_options,
						     s.n_items, few,
						     n < 2 ? n : 2, &m, NULL),
				 0);
		assert_int_equal(m, n);
		assert_memory_equal(few, points,
				    (n < 2 ? n : 2) * sizeof(few[0]));
	}
}

/* As many as a rack has: the bound tells that it is right. */
static void hundreds_of_drives_come_close_to_their_bound(void **state)
{
	static struct ssdpm_budget_option options[500 * 8];
	static uint32_t n_options[500], choices[500];
	struct ssdpm_budget_answer a = { .size = sizeof(a) };
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
		struct ssdpm_error error;
		uint64_t budget = most / 100 * share;

		if (budget_solve(options, n_options, 500, budget, choices, &a,
				 &error))
			fail_msg("%s", error.message);
		assert_true(a.power_uw <= budget);
		assert_true(a.bound_loss <= a.loss);
	}
}

/*
 * Powers without a grid, and what is lost is the same for each: there are too
 * many sums to look at all of them.
 */
static void choices_that_are_all_alike_end_in_time(void **state)
{
	static struct ssdpm_budget_option options[200 * 32];
	static uint32_t n_options[200], choices[200];
	struct ssdpm_budget_answer a = { .size = sizeof(a) };
	uint64_t seed = 5, most = 0, sum = 0;
	struct ssdpm_error error;
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

	if (budget_solve(options, n_options, 200, most * 8 / 10, choices, &a,
			 &error))
		fail_msg("%s", error.message);
	/* 2^30 steps are some seconds, also for a slow machine. */
	assert_true(clock() - start < 60 * CLOCKS_PER_SEC);
	assert_int_equal(a.exact, 0);
	assert_true(a.power_uw <= most * 8 / 10);
	assert_true(a.bound_loss <= a.loss);
	/* What was found is near. */
	assert_true(a.loss - a.bound_loss < a.loss / 100000);
	for (size_t i = 0; i < 200; i++) {
		sum += options[32 * i + choices[i]].power_uw;
		loss += options[32 * i + choices[i]].loss;
	}
	assert_int_equal(sum, a.power_uw);
	assert_int_equal(loss, a.loss);
}

static void what_does_not_fit_says_by_how_much(void **state)
{
	const struct ssdpm_budget_option options[] = { { 10500000, 0 },
						       { 5000000, 1 },
						       { 8000001, 0 } };
	const uint32_t n_options[] = { 2, 1 };
	struct ssdpm_budget_answer a = { .size = sizeof(a), .loss = 7 };
	struct ssdpm_error error;

	(void)state;
	assert_int_equal(
		budget_solve(options, n_options, 2, 12500000, NULL, &a, &error),
		-ENOSPC);
	assert_string_equal(
		error.message,
		"all drives in their lowest state take 13.000001 W, 0.500001 W more than the budget");
	assert_int_equal(a.loss, 7);
	assert_int_equal(
		budget_solve(options, n_options, 2, 13000001, NULL, &a, &error),
		0);
	assert_int_equal(a.loss, 1);
	assert_int_equal(budget_solve(options, n_options, 2, UINT64_MAX, NULL,
				      &a, &error),
			 0);
	assert_int_equal(a.loss, 0);
	assert_int_equal(a.power_uw, 18500001);
}

static void numbers_beyond_the_limits_are_refused(void **state)
{
	struct ssdpm_budget_option option = { SSDPM_BUDGET_MAX, 0 };
	struct ssdpm_budget_answer a = { .size = sizeof(a) };
	uint32_t one = 1, none = 0, many = 257;
	size_t n = 7;

	(void)state;
	assert_int_equal(
		budget_solve(&option, &one, 1, UINT64_MAX, NULL, &a, NULL), 0);
	assert_int_equal(budget_solve(&option, &one, 0, 1, NULL, &a, NULL),
			 -EINVAL);
	assert_int_equal(budget_solve(&option, &none, 1, 1, NULL, &a, NULL),
			 -EINVAL);
	assert_int_equal(budget_solve(&option, &many, 1, 1, NULL, &a, NULL),
			 -EINVAL);
	option.power_uw++;
	assert_int_equal(
		budget_get_frontier(&option, &one, 1, NULL, 0, &n, NULL),
		-EINVAL);
	option.power_uw = 0;
	option.loss = SSDPM_BUDGET_MAX + 1;
	assert_int_equal(
		budget_get_frontier(&option, &one, 1, NULL, 0, &n, NULL),
		-EINVAL);
	assert_int_equal(n, 7);
	a.size = 0;
	assert_int_equal(budget_solve(&option, &one, 1, 1, NULL, &a, NULL),
			 -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_those_of_trying_everything),
		cmocka_unit_test(answers_are_those_of_a_dense_table),
		cmocka_unit_test(each_point_of_the_frontier_is_an_answer),
		cmocka_unit_test(hundreds_of_drives_come_close_to_their_bound),
		cmocka_unit_test(choices_that_are_all_alike_end_in_time),
		cmocka_unit_test(what_does_not_fit_says_by_how_much),
		cmocka_unit_test(numbers_beyond_the_limits_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
