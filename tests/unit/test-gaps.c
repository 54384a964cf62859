/* SPDX-License-Identifier: MIT */
/* The idle times of a trace, and many tables on them. */
#include "gaps-random.h"

#define N_CASES 3000
#define N_TABLES 5
#define NS_PER_MS 1000000u

__extension__ typedef __int128 wide;

static const struct random_shape shape = {
	.max_asleep = 4,
	.max_ms = 12,
	.max_latency_us = 9000,
	.max_ios = 120,
};

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* When the records complete: as slow and as plain as can be. */
static void complete(const struct random_case *c, uint64_t *ends)
{
	uint64_t channel = 0;

	for (size_t i = 0; i < c->n_ios; i++) {
		const struct ssdpm_io *io = &c->ios[i];
		uint64_t rate = c->service.bytes_per_second[io->op - 1];
		uint64_t begin = io->start_ns + c->service.base_ns[io->op - 1];

		ends[i] = io->start_ns + io->service_ns;
		if (io->service_ns != SSDPM_SERVICE_UNKNOWN)
			continue;
		if (begin < channel)
			begin = channel;
		channel = begin + (rate ? io->bytes * 1000000000ull / rate : 0);
		ends[i] = channel;
	}
}

static uint64_t parameter(const struct random_case *c, uint32_t kind,
			  uint32_t index)
{
	for (size_t i = 0; i < c->params.n_parameters; i++)
		if (c->parameters[i].kind == kind &&
		    c->parameters[i].index == index)
			return c->parameters[i].nominal;
	fail_msg("no parameter %u of %u", kind, index);
	return 0;
}

static uint64_t power_of(const struct random_case *c, uint32_t state)
{
	uint64_t power = parameter(c, SSDPM_PARAMETER_IDLE_POWER, state);

	if (state != c->params.operational_state)
		power += parameter(c, SSDPM_PARAMETER_LINK_POWER, 0);
	return power;
}

/* The cheapest thing to do in an idle time, and what the wake then takes. */
static wide foresee(const struct random_case *c, uint64_t gap, bool wakes,
		    uint64_t *ret_delay)
{
	uint32_t awake = c->params.operational_state;
	uint64_t tr = parameter(c, SSDPM_PARAMETER_TRANSITION_POWER, 0);
	wide best = (wide)gap * power_of(c, awake);

	*ret_delay = 0;
	for (uint32_t i = c->n_awake; i < c->n_states; i++) {
		uint64_t entry =
			1000 * parameter(c, SSDPM_PARAMETER_ENTRY_LATENCY, i);
		uint64_t exit =
			1000 * parameter(c, SSDPM_PARAMETER_EXIT_LATENCY, i);
		uint64_t delay = gap < entry ? entry - gap + exit : exit;
		wide cost = (wide)tr * (entry + exit);

		if (!wakes)
			cost = (wide)tr * (gap < entry ? gap : entry);
		if (gap > entry)
			cost += (wide)(gap - entry) * power_of(c, i);
		if (cost > best || (cost == best && delay >= *ret_delay))
			continue;
		best = cost;
		*ret_delay = delay;
	}
	return best;
}

/*
 * What a wake takes after this idle time, by the words of ssdpm(7); without a
 * table as somebody who knows how long it is.
 */
static uint64_t delay_of(const struct random_case *c,
			 const struct ssdpm_apst *table, uint64_t gap)
{
	uint32_t state = c->params.operational_state;
	uint64_t ready = 0, exit = 0, entry = 0;

	if (!table) {
		foresee(c, gap, true, &exit);
		return exit;
	}

	while (table->entries[state].idle_ms) {
		uint64_t at = table->entries[state].idle_ms * 1000000ull;

		if (!(c->params.flags & SSDPM_SIM_IDLE_FROM_START))
			at += ready;
		else if (at < ready)
			at = ready;
		if (gap < at)
			break;
		state = table->entries[state].target;
		entry = 1000 *
			parameter(c, SSDPM_PARAMETER_ENTRY_LATENCY, state);
		exit = 1000 * parameter(c, SSDPM_PARAMETER_EXIT_LATENCY, state);
		ready = at + entry;
		if (gap < ready)
			return ready - gap + exit;
	}
	return exit;
}

/* The delay of every I/O, sorted. Returns how many. */
static size_t find_delays(const struct random_case *c,
			  const struct ssdpm_apst *table, uint64_t *delays)
{
	uint64_t ends[MAX_IOS], until = c->ios[0].start_ns, wake = 0;
	size_t first = 0, n = 0;

	complete(c, ends);
	for (size_t i = 0; i < c->n_ios; i++) {
		uint64_t start = c->ios[i].start_ns, offset, least = UINT64_MAX;

		if (start > until) {
			wake = delay_of(c, table, start - until);
			first = i;
		}
		for (size_t j = first; j < i; j++)
			least = ends[j] < least ? ends[j] : least;
		offset = start - c->ios[first].start_ns;
		until = ends[i] > until ? ends[i] : until;
		if (c->ios[i].flags & SSDPM_IO_CONTINUED)
			continue;
		delays[n++] =
			start < least && wake > offset ? wake - offset : 0;
	}
	qsort(delays, n, sizeof(*delays), compare);
	return n;
}

/* Nearest rank of the k-th of a thousand. */
static uint64_t nearest_rank(const uint64_t *delays, size_t n, uint64_t k)
{
	return n ? delays[(n * k + 999) / 1000 - 1] : 0;
}

static void assert_quantiles(const struct random_case *c,
			     const struct ssdpm_apst *table,
			     const struct ssdpm_run *run)
{
	uint64_t delays[MAX_IOS];
	size_t n = find_delays(c, table, delays);

	assert_int_equal(run->delay_p50_ns, nearest_rank(delays, n, 500));
	assert_int_equal(run->delay_p99_ns, nearest_rank(delays, n, 990));
	assert_int_equal(run->delay_p999_ns, nearest_rank(delays, n, 999));
	assert_int_equal(run->delay_max_ns, nearest_rank(delays, n, 1000));
}

/* The same but for the quantiles, which the simulator rounds. */
static void assert_same_run(const struct ssdpm_run *run,
			    const struct ssdpm_run *simulated)
{
	struct ssdpm_run rounded = *simulated;

	rounded.delay_p50_ns = run->delay_p50_ns;
	rounded.delay_p99_ns = run->delay_p99_ns;
	rounded.delay_p999_ns = run->delay_p999_ns;
	rounded.delay_max_ns = run->delay_max_ns;
	assert_memory_equal(&rounded, run, sizeof(rounded));
}

static void simulate(const struct random_case *c,
		     const struct ssdpm_apst *table, struct ssdpm_run *ret_run)
{
	struct ssdpm_result result = { .size = sizeof(result) };
	struct ssdpm_sim_params params = c->params;
	struct ssdpm_sim *sim;

	params.apst = table;
	assert_int_equal(ssdpm_sim_new(c->model, &params, &sim, NULL), 0);
	assert_int_equal(ssdpm_sim_feed(sim, c->ios, c->n_ios, NULL), 0);
	assert_int_equal(ssdpm_sim_finish(sim, c->end_ns, &result, NULL), 0);
	ssdpm_sim_free(sim);
	*ret_run = result.nominal;
}

static void a_sweep_agrees_with_the_simulator(void **state)
{
	static struct random_case c;

	(void)state;
	for (uint64_t seed = 0; seed < N_CASES; seed++) {
		struct ssdpm_apst tables[N_TABLES] = { 0 };
		struct ssdpm_run runs[N_TABLES], simulated;

		random_case_make(&c, seed, &shape);
		for (int i = 1; i < N_TABLES; i++)
			tables[i] = random_table(&c, shape.max_ms);
		assert_int_equal(ssdpm_gaps_sweep(c.gaps, c.model, &c.params,
						  tables, N_TABLES, runs, NULL),
				 0);
		for (int i = 0; i < N_TABLES; i++) {
			simulate(&c, &tables[i], &simulated);
			assert_same_run(&runs[i], &simulated);
			assert_quantiles(&c, &tables[i], &runs[i]);
		}
		random_case_free(&c);
	}
}

/* All that a policy changes, in femtojoules. */
static wide exact_fj(const struct random_case *c, const struct ssdpm_run *run)
{
	uint64_t tr = parameter(c, SSDPM_PARAMETER_TRANSITION_POWER, 0);
	wide sum = 0;

	for (uint32_t i = 0; i < c->n_states; i++) {
		const struct ssdpm_residency *state = &run->states[i];

		sum += (wide)state->time_ns * power_of(c, i) +
		       ((wide)state->entry_ns + state->exit_ns) * tr;
	}
	return sum;
}

static void the_clairvoyant_takes_the_cheapest_each_time(void **state)
{
	static struct random_case c;

	(void)state;
	for (uint64_t seed = 0; seed < N_CASES; seed++) {
		uint64_t delays[MAX_IOS], delay, sum = 0;
		const uint64_t *gaps;
		struct ssdpm_run run;
		wide fj = 0;
		size_t n;

		random_case_make(&c, seed, &shape);
		assert_int_equal(ssdpm_gaps_clairvoyant(c.gaps, c.model,
							&c.params, &run, NULL),
				 0);
		gaps = ssdpm_gaps_get_idle_ns(c.gaps, &n);
		assert_int_equal(n, run.n_gaps);
		for (size_t i = 0; i < n; i++)
			fj += foresee(&c, gaps[i], true, &delay);
		/* And at the end. */
		complete(&c, delays);
		for (size_t i = 0; i < c.n_ios; i++)
			sum = delays[i] > sum ? delays[i] : sum;
		if (c.end_ns > sum)
			fj += foresee(&c, c.end_ns - sum, false, &delay);
		assert_true(fj == exact_fj(&c, &run));
		assert_quantiles(&c, NULL, &run);
		n = find_delays(&c, NULL, delays);
		for (sum = 0; n; n--)
			sum += delays[n - 1];
		assert_int_equal(run.delay_sum_ns, sum);
		random_case_free(&c);
	}
}

/* Where entering and leaving draws most, and deeper states less. */
static void no_table_costs_less_than_the_clairvoyant(void **state)
{
	struct random_shape sane = shape;
	static struct random_case c;

	(void)state;
	sane.sane = true;
	for (uint64_t seed = 0; seed < N_CASES; seed++) {
		struct ssdpm_run run, least;
		struct ssdpm_apst table;

		random_case_make(&c, seed, &sane);
		table = random_table(&c, shape.max_ms);
		assert_int_equal(ssdpm_gaps_clairvoyant(c.gaps, c.model,
							&c.params, &least,
							NULL),
				 0);
		assert_int_equal(ssdpm_gaps_sweep(c.gaps, c.model, &c.params,
						  &table, 1, &run, NULL),
				 0);
		assert_true(exact_fj(&c, &least) <= exact_fj(&c, &run));
		assert_true(least.energy_nj <= run.energy_nj);
		random_case_free(&c);
	}
}

/* As many as take all ways of the sort, of all lengths, half of them early. */
static void many_idle_times_are_sorted(void **state)
{
	enum { N = 60000 };
	struct ssdpm_result result = { .size = sizeof(result) };
	static struct ssdpm_io ios[2 * N];
	static struct random_case c;
	uint64_t now = 0, sum = 0;
	struct ssdpm_apst table;
	struct ssdpm_gaps *gaps;
	struct ssdpm_run run;
	const uint64_t *idle;
	size_t n;

	(void)state;
	random_case_make(&c, 7, &shape);
	for (size_t i = 0; i < 2 * N; i++) {
		ios[i] = (struct ssdpm_io){ .start_ns = now,
					    .service_ns = 100,
					    .op = SSDPM_OP_READ };
		now += 50;
		if (i % 2)
			now += 50 +
			       (i % 6 > 2 ? random_below(&c.seed, 9000000) :
					    random_below(&c.seed, 1ull << 44) >>
						    random_below(&c.seed, 44));
	}
	gaps = random_gaps(ios, 2 * N, NULL, 0, &c.seed);
	idle = ssdpm_gaps_get_idle_ns(gaps, &n);
	assert_in_range(n, N - N / 8, N);
	for (size_t i = 0; i < n; i++) {
		assert_true(!i || idle[i - 1] <= idle[i]);
		sum += idle[i];
	}
	assert_int_equal(sum + 150 * N, ios[2 * N - 1].start_ns + 100);
	table = random_table(&c, 1);
	c.params.apst = &table;
	assert_int_equal(ssdpm_gaps_sweep(gaps, c.model, &c.params, &table, 1,
					  &run, NULL),
			 0);
	assert_int_equal(
		ssdpm_estimate(c.model, &c.params, ios, 2 * N, &result, NULL),
		0);
	assert_same_run(&run, &result.nominal);
	assert_true(run.n_delayed > N / 2);
	ssdpm_gaps_unref(gaps);
	random_case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sweep_agrees_with_the_simulator),
		cmocka_unit_test(the_clairvoyant_takes_the_cheapest_each_time),
		cmocka_unit_test(no_table_costs_less_than_the_clairvoyant),
		cmocka_unit_test(many_idle_times_are_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
