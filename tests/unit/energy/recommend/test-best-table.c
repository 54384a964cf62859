/* SPDX-License-Identifier: MIT */
/* The best static table, compared with trying them all. */
#include "calls.h"
#include "gaps-random.h"

#define N_CASES 4000
#define NS_PER_MS 1000000u
#define MAX_MS 7

static const struct random_shape shapes[] = {
	{ 3, MAX_MS, 3000, 300, false },
	{ 3, MAX_MS, 600, 300, true },
	{ 2, MAX_MS, 900, 60, true },
};

/* A table, its exact cost, and its place among others. */
struct tried {
	uint32_t n;
	uint32_t states[3];
	uint32_t ms[3];
	struct wide fj;
	struct ssdpm_run run;
};

static struct ssdpm_apst table_of(const struct random_case *c,
				  const struct tried *tried)
{
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };
	uint32_t state = c->params.operational_state;

	for (uint32_t i = 0; i < tried->n; i++) {
		table.entries[state].target = tried->states[i];
		table.entries[state].idle_ms = tried->ms[i];
		state = tried->states[i];
	}
	return table;
}

static uint64_t count_ios(const struct ssdpm_run *run)
{
	return run->n_ios[0] + run->n_ios[1] + run->n_ios[2] + run->n_ios[3];
}

static bool keeps(const struct ssdpm_bounds *bounds,
		  const struct ssdpm_run *run)
{
	if (bounds->max_delay_mean_ns != UINT64_MAX &&
	    run->delay_sum_ns > bounds->max_delay_mean_ns * count_ios(run))
		return false;
	return run->delay_p99_ns <= bounds->max_delay_p99_ns;
}

static bool allows(const struct random_case *c,
		   const struct ssdpm_bounds *bounds, uint32_t state)
{
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(c->model, NULL);

	if (!(states[state].flags & SSDPM_STATE_NON_OPERATIONAL) ||
	    bounds->quirks & SSDPM_QUIRK_NO_APST)
		return false;
	if (bounds->quirks & SSDPM_QUIRK_NO_DEEPEST_PS &&
	    state == c->n_states - 1)
		return false;
	return case_parameter(c, SSDPM_PARAMETER_EXIT_LATENCY, state) <=
	       bounds->max_exit_latency_us;
}

/* Less energy, less delay, longer idle times, shallower states. */
static bool is_better(const struct tried *a, const struct tried *b)
{
	if (!wide_is_equal(a->fj, b->fj))
		return wide_is_less(a->fj, b->fj);
	if (a->run.delay_sum_ns != b->run.delay_sum_ns)
		return a->run.delay_sum_ns < b->run.delay_sum_ns;
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t x = i < a->n ? a->ms[i] : UINT32_MAX;
		uint32_t y = i < b->n ? b->ms[i] : UINT32_MAX;

		if (x != y)
			return x > y;
	}
	for (uint32_t i = 0; i < a->n; i++)
		if (a->states[i] != b->states[i])
			return a->states[i] < b->states[i];
	return false;
}

static void try(const struct random_case *c, const struct ssdpm_bounds *bounds,
		struct tried *tried, struct tried *best)
{
	struct ssdpm_apst table = table_of(c, tried);

	assert_int_equal(sweep_gaps(c->gaps, c->model, &c->params, &table, 1,
				    &tried->run, NULL),
			 0);
	tried->fj = case_fj(c, &tried->run);
	if (keeps(bounds, &tried->run) && is_better(tried, best))
		*best = *tried;
}

/* Tries all times of the next state of a table, and all states after it. */
static void try_states(const struct random_case *c,
		       const struct ssdpm_bounds *bounds, uint32_t max_states,
		       const struct tried *begun, struct tried *best)
{
	uint32_t from = c->params.operational_state;
	uint32_t max_ms = MAX_MS + 3 + 7 * (begun->n > 0);

	if (begun->n)
		from = begun->states[begun->n - 1];
	for (uint32_t state = from + 1; state < c->n_states; state++) {
		struct tried tried = *begun;

		if (!allows(c, bounds, state))
			continue;
		tried.states[tried.n++] = state;
		for (uint32_t ms = 1; ms <= max_ms; ms++) {
			tried.ms[tried.n - 1] = ms;
			try(c, bounds, &tried, best);
			if (tried.n < max_states)
				try_states(c, bounds, max_states, &tried, best);
		}
	}
}

static struct tried try_all(const struct random_case *c,
			    const struct ssdpm_bounds *bounds,
			    uint32_t max_states)
{
	struct tried none = { .n = 0 }, best;

	memset(&best, 0, sizeof(best));
	best.fj = (struct wide){ 0, UINT64_C(1) << 56 };
	try(c, bounds, &none, &best);
	none.n = 0;
	try_states(c, bounds, max_states, &none, &best);
	return best;
}

static struct ssdpm_bounds random_bounds(struct random_case *c)
{
	struct ssdpm_bounds bounds = {
		.size = sizeof(bounds),
		.max_delay_mean_ns = UINT64_MAX,
		.max_delay_p99_ns = UINT64_MAX,
		.max_exit_latency_us = UINT64_MAX,
		.max_states = (uint32_t)random_below(&c->seed, 3),
	};

	if (random_below(&c->seed, 2))
		bounds.max_delay_mean_ns = random_below(&c->seed, NS_PER_MS) >>
					   random_below(&c->seed, 6);
	if (!random_below(&c->seed, 3))
		bounds.max_delay_p99_ns = random_below(&c->seed, 4) * NS_PER_MS;
	if (!random_below(&c->seed, 4))
		bounds.max_exit_latency_us = random_below(&c->seed, 3000);
	if (!random_below(&c->seed, 4))
		bounds.quirks = (uint32_t)random_below(&c->seed, 4);
	return bounds;
}

/* The table does the same as the best one, step by step. */
static void assert_is(const struct random_case *c, const struct tried *best,
		      const struct ssdpm_apst *table,
		      const struct ssdpm_run *run)
{
	uint32_t state = c->params.operational_state, n = 0;

	assert_memory_equal(run, &best->run, sizeof(*run));
	for (; table->entries[state].idle_ms;
	     state = table->entries[state].target, n++) {
		assert_true(n < best->n);
		assert_int_equal(table->entries[state].idle_ms, best->ms[n]);
		assert_int_equal(table->entries[state].target, best->states[n]);
	}
	assert_int_equal(n, best->n);
}

static void set(struct random_case *c, uint32_t kind, uint32_t index,
		uint64_t value)
{
	assert_int_equal(set_parameter(c->parameters, c->params.n_parameters,
				       kind, index, value, value, value, NULL),
			 0);
}

/* Returns how many states the best table has. */
static uint32_t assert_exact(struct random_case *c)
{
	struct ssdpm_bounds bounds = random_bounds(c);
	struct tried best =
		try_all(c, &bounds, bounds.max_states ? bounds.max_states : 2);
	struct ssdpm_apst table;
	struct ssdpm_run run;
	uint64_t bound_nj;

	assert_int_equal(find_best_table(c->gaps, c->model, &c->params, &bounds,
					 &table, &run, &bound_nj, NULL),
			 0);
	assert_int_equal(ssdpm_apst_validate(c->model, &table, NULL), 0);
	assert_is(c, &best, &table, &run);
	assert_int_equal(bound_nj, run.energy_nj);
	return best.n;
}

/* With few cases even fewer, because each tries all tables. */
static uint64_t n_cases(void)
{
	return fixture_cases(fixture_cases(N_CASES));
}

static void the_best_of_up_to_two_states_is_exact(void **state)
{
	static struct random_case c;
	size_t n_used = 0, n_two = 0;

	(void)state;
	for (uint64_t seed = 0; seed < n_cases(); seed++) {
		uint32_t n;

		random_case_make(&c, seed, &shapes[seed % 3]);
		/* No state saves by its transition alone. */
		if (seed % 2)
			set(&c, SSDPM_PARAMETER_TRANSITION_POWER, 0, 3000000);
		n = assert_exact(&c);
		n_used += n > 0;
		n_two += n > 1;
		random_case_free(&c);
	}
	/* The cases are not trivial. */
	assert_true(n_used > n_cases() / 4);
	assert_true(n_two > n_cases() / 40);
}

/*
 * Many idle times end part-way through a millisecond, and it pays to sleep just
 * after. A state that draws as much as awake, or slightly more, can move the
 * next one there by its entry.
 */
static void make_useless(struct random_case *c, uint32_t first)
{
	uint64_t *seed = &c->seed, part_us = random_below(seed, 1000);
	uint64_t more_uw = random_below(seed, 3) / 2 * random_below(seed, 9000);
	uint64_t short_ms = 2 + random_below(seed, 3), now = 0;

	set(c, SSDPM_PARAMETER_LINK_POWER, 0, 0);
	set(c, SSDPM_PARAMETER_TRANSITION_POWER, 0,
	    1000000 + random_below(seed, 2) * more_uw);
	set(c, SSDPM_PARAMETER_IDLE_POWER, c->params.operational_state,
	    1000000);
	set(c, SSDPM_PARAMETER_IDLE_POWER, first, 1000000 + more_uw);
	set(c, SSDPM_PARAMETER_IDLE_POWER, first + 1, 0);
	set(c, SSDPM_PARAMETER_ENTRY_LATENCY, first,
	    part_us + random_below(seed, 300));
	set(c, SSDPM_PARAMETER_ENTRY_LATENCY, first + 1,
	    random_below(seed, 300));
	set(c, SSDPM_PARAMETER_EXIT_LATENCY, first,
	    random_below(seed, 3) / 2 * random_below(seed, 100));
	set(c, SSDPM_PARAMETER_EXIT_LATENCY, first + 1, 4000);
	for (size_t i = 0; i < c->n_ios; i++) {
		c->ios[i] = (struct ssdpm_io){ .start_ns = now, .op = 1 };
		now += random_below(seed, 4) ?
			       short_ms * NS_PER_MS + part_us * 1000 :
			       (8 + random_below(seed, 6)) * NS_PER_MS;
	}
	ssdpm_gaps_unref(c->gaps);
	c->gaps = random_gaps(c->ios, c->n_ios, NULL, c->end_ns, seed);
}

static void a_state_that_draws_no_less_is_searched_exactly(void **state)
{
	static struct random_case c;
	size_t n_two = 0;

	(void)state;
	for (uint64_t seed = 0; seed < N_CASES / 2; seed++) {
		random_case_make(&c, seed, &shapes[2]);
		if (c.n_states == c.n_awake + 2) {
			make_useless(&c, c.n_awake);
			n_two += assert_exact(&c) > 1;
		}
		random_case_free(&c);
	}
	assert_true(n_two > N_CASES / 80);
}

/* A search without a guarantee, but with a valid bound. */
static void more_states_come_with_a_bound(void **state)
{
	static struct random_case c;
	size_t n_more = 0;

	(void)state;
	for (uint64_t seed = 0; seed < N_CASES / 8; seed++) {
		struct ssdpm_bounds bounds;
		struct tried best, two;
		struct ssdpm_apst table;
		struct ssdpm_run run;
		struct wide fj;
		uint64_t bound_nj;

		random_case_make(&c, seed, &shapes[seed % 2]);
		bounds = random_bounds(&c);
		best = try_all(&c, &bounds, 3);
		two = try_all(&c, &bounds, 2);
		bounds.max_states = 3;
		assert_int_equal(find_best_table(c.gaps, c.model, &c.params,
						 &bounds, &table, &run,
						 &bound_nj, NULL),
				 0);
		assert_int_equal(ssdpm_apst_validate(c.model, &table, NULL), 0);
		assert_true(keeps(&bounds, &run));
		assert_true(bound_nj <= best.run.energy_nj);
		fj = case_fj(&c, &run);
		assert_false(wide_is_less(fj, best.fj));
		assert_false(wide_is_less(two.fj, fj));
		n_more += best.n == 3 && wide_is_equal(fj, best.fj);
		random_case_free(&c);
	}
	assert_true(n_more > 0);
}

/* A distribution of idle times with a known best timeout. */
struct known {
	double shape; /* of Lomax; 0: all the same */
	double scale_ms;
	uint32_t least_ms, most_ms; /* of the table; 0: none */
};

/* Idle times with the frequencies of the distribution. */
static size_t make_known(const struct known *known, struct ssdpm_io *ios,
			 size_t max)
{
	double left = 1;
	uint64_t now = 0;
	size_t n = 0;

	for (uint64_t k = 1; n < max; k++) {
		double m = known->scale_ms, x = 0.25 * (double)k;
		/* Lomax of shape 2; or exponential with a mean of 50 ms. */
		double next = known->shape > 0 ? m / (m + x) * m / (m + x) :
						 left * 0.995012479192682;
		uint64_t gap = (uint64_t)(x * 1e6);

		if (known->shape < 0)
			gap = (uint64_t)(m * 1e6);
		for (; n < max && (double)n < (1 - next) * (double)max; n++) {
			ios[n] = (struct ssdpm_io){ .start_ns = now,
						    .op = SSDPM_OP_READ };
			now += gap;
		}
		left = next;
		if (k > 2000000)
			break;
	}
	return n;
}

/*
 * P0 0.5 W, P1 25 mW, no entry, an exit of 14.7 ms at 0.5 W: 7.35 mJ. The
 * break-even is 7.35 / 0.475 = 15.473684 ms. For Lomax of shape a and scale m,
 * the best timeout is a x 15.47 - m. Exponential: at once, if the mean is
 * longer than the break-even. All the same: at once, or never. "At once" is
 * after 1 ms here.
 */
static void the_best_timeout_is_that_of_theory(void **state)
{
	static const struct known cases[] = {
		{ 2, 5, 25, 27 }, { 2, 20, 10, 12 }, { 0, 0, 1, 1 },
		{ -1, 17, 1, 1 }, { -1, 16, 0, 0 },  { 2, 40, 1, 1 },
	};
	static struct ssdpm_power_state states[] = {
		{ .max_power_uw = 3500000, .idle_power_uw = 500000 },
		{ .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .max_power_uw = 25000,
		  .idle_power_uw = 25000,
		  .exit_latency_us = 14700 },
	};
	static struct ssdpm_io ios[200000];
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_sim_params params;
	struct ssdpm_model *model;
	uint64_t seed = 1;

	(void)state;
	assert_int_equal(ssdpm_model_new(&info, states, 2, &model, NULL), 0);
	assert_int_equal(ssdpm_sim_params_init(&params, sizeof(params)), 0);
	assert_int_equal(make_parameters_of(model, SSDPM_PCIE_L1_2, parameters,
					    &params.n_parameters, NULL),
			 0);
	params.parameters = parameters;
	assert_int_equal(set_parameter(parameters, params.n_parameters,
				       SSDPM_PARAMETER_TRANSITION_POWER, 0,
				       500000, 500000, 500000, NULL),
			 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = make_known(&cases[i], ios, 200000);
		struct ssdpm_gaps *gaps = random_gaps(ios, n, NULL, 0, &seed);
		struct ssdpm_apst table;

		assert_int_equal(find_best_table(gaps, model, &params, NULL,
						 &table, NULL, NULL, NULL),
				 0);
		assert_in_range(table.entries[0].idle_ms, cases[i].least_ms,
				cases[i].most_ms);
		ssdpm_gaps_unref(gaps);
	}
	ssdpm_model_unref(model);
}

/*
 * "random" runs only those against a search of all tables, thousands of times.
 */
int main(int argc, char **argv)
{
	static const struct CMUnitTest random[] = {
		cmocka_unit_test(the_best_of_up_to_two_states_is_exact),
		cmocka_unit_test(
			a_state_that_draws_no_less_is_searched_exactly),
		cmocka_unit_test(more_states_come_with_a_bound),
	};
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_best_timeout_is_that_of_theory),
	};

	if (argc > 1 && strcmp(argv[1], "random") == 0)
		return cmocka_run_group_tests(random, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
