/* SPDX-License-Identifier: MIT */
/* The idle times of a trace, and many tables on them. */
#include "gaps-random.h"

#define N_CASES 3000
#define N_TABLES 5

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

/* What a wake takes after this idle time, by the words of ssdpm(7). */
static uint64_t delay_of(const struct random_case *c,
			 const struct ssdpm_apst *table, uint64_t gap)
{
	uint32_t state = c->params.operational_state;
	uint64_t ready = 0, exit = 0, entry = 0;

	while (table->entries[state].idle_ms) {
		uint64_t at = table->entries[state].idle_ms * 1000000ull;

		if (!(c->params.flags & SSDPM_SIM_IDLE_FROM_START))
			at += ready;
		else if (at < ready)
			at = ready;
		if (gap < at)
			break;
		state = table->entries[state].target;
		for (size_t i = 0; i < c->params.n_parameters; i++) {
			const struct ssdpm_parameter *p = &c->parameters[i];

			if (p->index != state)
				continue;
			if (p->kind == SSDPM_PARAMETER_ENTRY_LATENCY)
				entry = 1000 * p->nominal;
			if (p->kind == SSDPM_PARAMETER_EXIT_LATENCY)
				exit = 1000 * p->nominal;
		}
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sweep_agrees_with_the_simulator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
