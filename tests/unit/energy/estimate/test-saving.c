/* SPDX-License-Identifier: MIT */
/*
 * The saving of one policy against another: the same work over the same time.
 */
#include "../../../support/fixture.h"

#include <ssdpm-energy.h>
#include <string.h>

#include "estimate/internal.h"

#define MS UINT64_C(1000000)
#define N_TABLES 3

static uint64_t random_below(uint64_t *seed, uint64_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (*seed >> 33) % n;
}

/* PS0, and two that sleep: 2 ms and 40 ms to leave. */
static struct ssdpm_model *make_model(void)
{
	struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_NVME,
		.product = "Sleeper",
		.apsta = 1,
	};
	const struct ssdpm_power_state states[] = {
		{ .max_power_uw = 5000000,
		  .unknown =
			  SSDPM_FIELD_IDLE_POWER | SSDPM_FIELD_ACTIVE_POWER },
		{ .max_power_uw = 50000,
		  .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .entry_latency_us = 1000,
		  .exit_latency_us = 2000,
		  .unknown =
			  SSDPM_FIELD_IDLE_POWER | SSDPM_FIELD_ACTIVE_POWER },
		{ .max_power_uw = 5000,
		  .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .entry_latency_us = 5000,
		  .exit_latency_us = 40000,
		  .unknown =
			  SSDPM_FIELD_IDLE_POWER | SSDPM_FIELD_ACTIVE_POWER },
	};
	struct ssdpm_model *model;

	assert_int_equal(ssdpm_model_new(&info, states, 3, &model, NULL), 0);
	return model;
}

/* Awake; PS1 after 10 ms; PS1 after 5 ms and PS2 50 ms later. */
static struct ssdpm_apst make_table(int which)
{
	struct ssdpm_apst table = { .sent = 1, .enabled = which > 0 };

	if (which)
		table.entries[0] =
			(struct ssdpm_apst_entry){ which == 1 ? 10 : 5, 1 };
	if (which == 2)
		table.entries[1] = (struct ssdpm_apst_entry){ 50, 2 };
	return table;
}

static struct ssdpm_sim *make_sim(int which, uint32_t loop)
{
	const struct ssdpm_apst table = make_table(which);
	struct ssdpm_model *model = make_model();
	struct ssdpm_sim_params params;
	struct ssdpm_sim *sim;

	ssdpm_sim_params_init(&params, sizeof(params));
	params.apst = &table;
	params.loop = loop;
	assert_int_equal(ssdpm_sim_new(model, &params, &sim, NULL), 0);
	ssdpm_model_unref(model);
	return sim;
}

/* Idle times around the steps of the tables. Return: how many. */
static size_t make_ios(uint64_t *seed, struct ssdpm_io *ios)
{
	size_t n = 1 + (size_t)random_below(seed, 20);
	uint64_t at = random_below(seed, 3) * MS;

	for (size_t i = 0; i < n; i++) {
		ios[i] = (struct ssdpm_io){
			.start_ns = at,
			.bytes = 4096,
			.service_ns = (uint32_t)random_below(seed, 2 * MS),
			.op = (uint8_t)(1 + random_below(seed, 2)),
		};
		at += random_below(seed, 3) ? random_below(seed, 8 * MS) :
					      random_below(seed, 900 * MS);
	}
	return n;
}

struct policies {
	struct ssdpm_sim *sims[N_TABLES];
};

static struct policies run_all(uint64_t seed, bool together)
{
	struct policies all;
	struct ssdpm_io ios[20];
	uint32_t loop =
		random_below(&seed, 2) ? SSDPM_LOOP_CLOSED : SSDPM_LOOP_OPEN;
	size_t n = make_ios(&seed, ios);
	uint64_t end = random_below(&seed, 2) * random_below(&seed, 5000 * MS);

	for (int i = 0; i < N_TABLES; i++) {
		all.sims[i] = make_sim(i, loop);
		assert_int_equal(ssdpm_sim_feed(all.sims[i], ios, n, NULL), 0);
		if (!together)
			assert_int_equal(
				ssdpm_sim_finish(all.sims[i], end, NULL), 0);
	}
	if (together)
		assert_int_equal(ssdpm_sim_finish_together(all.sims, N_TABLES,
							   end, NULL),
				 0);
	return all;
}

static void free_all(struct policies *all)
{
	for (int i = 0; i < N_TABLES; i++)
		ssdpm_sim_free(all->sims[i]);
}

static struct ssdpm_saving saving_of(const struct policies *all, int from,
				     int to)
{
	struct ssdpm_saving saving;

	assert_int_equal(ssdpm_sim_get_saving(all->sims[from], all->sims[to],
					      &saving, NULL),
			 0);
	return saving;
}

static void a_saving_turned_round_is_a_loss(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 500; seed++) {
		struct policies all = run_all(seed, seed % 2);
		struct ssdpm_saving there = saving_of(&all, 1, 2);
		struct ssdpm_saving back = saving_of(&all, 2, 1);

		assert_true(there.nominal_nj == -back.nominal_nj);
		assert_true(there.low_nj == -back.high_nj);
		assert_true(there.high_nj == -back.low_nj);
		assert_true(there.nominal_uw == -back.nominal_uw);
		assert_true(there.low_uw == -back.high_uw);
		assert_true(there.high_uw == -back.low_uw);
		free_all(&all);
	}
}

static void savings_over_the_same_time_add_up(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 500; seed++) {
		struct policies all = run_all(seed, true);
		struct ssdpm_saving first = saving_of(&all, 0, 1);
		struct ssdpm_saving second = saving_of(&all, 1, 2);
		struct ssdpm_saving both = saving_of(&all, 0, 2);

		assert_true(first.nominal_nj + second.nominal_nj ==
			    both.nominal_nj);
		assert_true(first.nominal_uw + second.nominal_uw ==
			    both.nominal_uw);
		/* Ranges of sums are no wider than sums of ranges. */
		assert_true(first.low_nj + second.low_nj <= both.low_nj + 2);
		assert_true(first.high_nj + second.high_nj >= both.high_nj - 2);
		free_all(&all);
	}
}

/* uJ per s are uW, so a saving of energy is a saving of power. */
static void joules_and_watts_say_the_same(void **state)
{
	uint64_t n_losses = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 500; seed++) {
		struct policies all = run_all(seed, seed % 2);
		struct ssdpm_saving s = saving_of(&all, 0, 2);

		assert_true(s.nominal_nj >= 0 || s.nominal_uw <= 0);
		assert_true(s.nominal_nj <= 0 || s.nominal_uw >= 0);
		assert_true(s.low_nj >= 0 || s.low_uw <= 0);
		assert_true(s.high_nj <= 0 || s.high_uw >= 0);
		n_losses += s.low_nj < 0;
		free_all(&all);
	}
	assert_true(n_losses);
}

static void all_runs_that_end_together_last_as_long(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 500; seed++) {
		struct policies all = run_all(seed, true);
		struct policies alone = run_all(seed, false);
		uint64_t last = 0;

		for (int i = 0; i < N_TABLES; i++) {
			const struct ssdpm_result *a =
				ssdpm_sim_get_result(all.sims[i]);
			const struct ssdpm_result *b =
				ssdpm_sim_get_result(alone.sims[i]);

			assert_true(a->own_duration_ns ==
				    b->nominal->duration_ns);
			assert_true(b->own_duration_ns ==
				    b->nominal->duration_ns);
			if (last < b->nominal->duration_ns)
				last = b->nominal->duration_ns;
			assert_true(a->nominal->delay_sum_ns ==
				    b->nominal->delay_sum_ns);
		}
		for (int i = 0; i < N_TABLES; i++)
			assert_true(ssdpm_sim_get_result(all.sims[i])
					    ->nominal->duration_ns == last);
		free_all(&all);
		free_all(&alone);
	}
}

/*
 * The drive was in PS1 for 1 ms when its own run ended. Another one continues
 * for 2 ms, not for the 10 ms of its timer again.
 */
static void a_run_that_idles_on_stays_in_its_state(void **state)
{
	const struct ssdpm_io ios[] = {
		{ .start_ns = 0, .service_ns = MS, .op = SSDPM_OP_READ },
		{ .start_ns = 100 * MS, .service_ns = MS, .op = SSDPM_OP_READ },
	};
	struct ssdpm_sim *sims[] = { make_sim(1, SSDPM_LOOP_CLOSED),
				     make_sim(0, SSDPM_LOOP_CLOSED) };
	const struct ssdpm_run *asleep, *awake;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(ssdpm_sim_feed(sims[i], ios, 2, NULL), 0);
	assert_int_equal(ssdpm_sim_finish_together(sims, 2, 113 * MS, NULL), 0);
	asleep = ssdpm_sim_get_result(sims[0])->nominal;
	awake = ssdpm_sim_get_result(sims[1])->nominal;
	/* A wake of 2 ms moves its end from 113 to 115 ms. */
	assert_true(asleep->duration_ns == 115 * MS);
	assert_true(awake->duration_ns == 115 * MS);
	assert_true(awake->states[0].time_ns == 113 * MS);
	/* 88 of 99 ms, and 1 of 12. */
	assert_true(asleep->states[1].time_ns == 89 * MS);
	assert_true(asleep->states[1].n_entries == 2);
	for (int i = 0; i < 2; i++)
		ssdpm_sim_free(sims[i]);
}

static void simulations_of_which_one_is_finished_are_left_alone(void **state)
{
	const struct ssdpm_io io = { .service_ns = 1, .op = SSDPM_OP_READ };
	struct ssdpm_sim *sims[] = { make_sim(0, SSDPM_LOOP_CLOSED),
				     make_sim(1, SSDPM_LOOP_CLOSED) };
	struct ssdpm_error error;

	(void)state;
	assert_int_equal(ssdpm_sim_feed(sims[0], &io, 1, NULL), 0);
	assert_int_equal(ssdpm_sim_finish_together(sims, 2, 0, &error),
			 -ENODATA);
	fixture_assert_error(&error, -ENODATA, 0, "no record");
	assert_null(ssdpm_sim_get_result(sims[0]));
	assert_int_equal(ssdpm_sim_feed(sims[1], &io, 1, NULL), 0);
	assert_int_equal(ssdpm_sim_finish(sims[1], 0, NULL), 0);
	assert_int_equal(ssdpm_sim_finish_together(sims, 2, 0, NULL), -EINVAL);
	assert_int_equal(ssdpm_sim_finish(sims[0], 0, NULL), 0);
	for (int i = 0; i < 2; i++)
		ssdpm_sim_free(sims[i]);
}

static void the_same_work_is_compared_and_each_simulation_once(void **state)
{
	const struct ssdpm_io ios[] = {
		{ .service_ns = 1, .op = SSDPM_OP_READ },
		{ .start_ns = MS, .service_ns = 1, .op = SSDPM_OP_READ },
	};
	struct ssdpm_sim *sims[] = { make_sim(0, SSDPM_LOOP_CLOSED),
				     make_sim(1, SSDPM_LOOP_CLOSED) };
	struct ssdpm_sim *twice[] = { sims[0], sims[0] };
	struct ssdpm_saving saving;
	struct ssdpm_error error;

	(void)state;
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(ssdpm_sim_feed(sims[i], ios, 1 + i, NULL), 0);
	assert_int_equal(ssdpm_sim_finish_together(twice, 2, 0, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "each given once");
	assert_int_equal(ssdpm_sim_finish_together(sims, 2, 0, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "the same records");
	for (int i = 0; i < 2; i++)
		assert_int_equal(ssdpm_sim_finish(sims[i], 0, NULL), 0);
	assert_int_equal(
		ssdpm_sim_get_saving(sims[0], sims[1], &saving, &error),
		-EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "one workload");
	for (int i = 0; i < 2; i++)
		ssdpm_sim_free(sims[i]);
}

/* A small drive of random ranges: four states, of which one works. */
#define N_ORDERED (4 + SSDPM_N_OPS)

static void make_powers(uint64_t *seed, struct ssdpm_parameter *parameters)
{
	for (uint32_t i = 0; i < N_ORDERED; i++) {
		uint64_t low = random_below(seed, 6);
		uint64_t high = low + random_below(seed, 5);

		parameters[i] = (struct ssdpm_parameter){
			.kind = i < 4 ? SSDPM_PARAMETER_IDLE_POWER :
					SSDPM_PARAMETER_ACTIVE_POWER,
			.index = i < 4 ? i : i - 4,
			.low = low,
			.nominal = low + random_below(seed, high - low + 1),
			.high = high,
		};
	}
}

static bool is_in_order(const struct power_order *order, const uint64_t *powers)
{
	for (uint32_t i = 1; i < 4; i++)
		if (!(order->loose_states >> i & 1) &&
		    powers[i - 1] < powers[i])
			return false;
	for (uint32_t op = 0; op < SSDPM_N_OPS; op++)
		if (!(order->loose_ops >> op & 1) &&
		    powers[4 + op] < powers[order->operational_state])
			return false;
	return true;
}

/* Steps through all powers in whole steps. */
static bool next_powers(const struct ssdpm_parameter *parameters,
			uint64_t *powers)
{
	for (uint32_t i = 0; i < N_ORDERED; i++) {
		if (powers[i]++ < parameters[i].high)
			return true;
		powers[i] = parameters[i].low;
	}
	return false;
}

static void the_least_sum_is_that_of_all_sets_in_order(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct ssdpm_parameter given[N_ORDERED], parameters[N_ORDERED];
		uint64_t powers[N_ORDERED], s = seed;
		struct wide weights[N_ORDERED], least = { 0 };
		struct power_order order;
		int64_t weight[N_ORDERED], best = INT64_MAX;

		make_powers(&s, given);
		memcpy(parameters, given, sizeof(given));
		ssdpm__order_powers(parameters, N_ORDERED,
				    (uint32_t)random_below(&s, 2), &order);
		for (uint32_t i = 0; i < N_ORDERED; i++) {
			weight[i] = (int64_t)random_below(&s, 9) - 4;
			weights[i] = wide_of_signed(weight[i]);
			powers[i] = given[i].low;
		}
		do {
			int64_t sum = 0;

			for (uint32_t i = 0; i < N_ORDERED; i++)
				sum += weight[i] * (int64_t)powers[i];
			if (sum < best && is_in_order(&order, powers))
				best = sum;
		} while (next_powers(given, powers));
		least = ssdpm__least_sum(parameters, N_ORDERED, &order,
					 weights);
		assert_true(wide_is_equal(least, wide_of_signed(best)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_saving_turned_round_is_a_loss),
		cmocka_unit_test(savings_over_the_same_time_add_up),
		cmocka_unit_test(joules_and_watts_say_the_same),
		cmocka_unit_test(all_runs_that_end_together_last_as_long),
		cmocka_unit_test(a_run_that_idles_on_stays_in_its_state),
		cmocka_unit_test(
			simulations_of_which_one_is_finished_are_left_alone),
		cmocka_unit_test(
			the_same_work_is_compared_and_each_simulation_once),
		cmocka_unit_test(the_least_sum_is_that_of_all_sets_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
