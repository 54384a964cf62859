/* SPDX-License-Identifier: MIT */
/* The idle times of a trace, and many tables on them. */
#include "calls.h"
#include "gaps-random.h"

#define N_CASES 3000
#define N_TABLES 5
#define NS_PER_MS 1000000u

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

/* When the records complete, computed slowly and plainly. */
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

/* The cheapest option in an idle time, and its wake. */
static struct wide foresee(const struct random_case *c, uint64_t gap,
			   bool wakes, uint64_t *ret_delay)
{
	uint32_t awake = c->params.operational_state;
	uint64_t tr = case_parameter(c, SSDPM_PARAMETER_TRANSITION_POWER, 0);
	struct wide best = wide_product(gap, case_power_uw(c, awake));

	*ret_delay = 0;
	for (uint32_t i = c->n_awake; i < c->n_states; i++) {
		uint64_t entry =
			1000 *
			case_parameter(c, SSDPM_PARAMETER_ENTRY_LATENCY, i);
		uint64_t exit =
			1000 *
			case_parameter(c, SSDPM_PARAMETER_EXIT_LATENCY, i);
		uint64_t delay = gap < entry ? entry - gap + exit : exit;
		struct wide cost = wide_product(tr, entry + exit);

		if (!wakes)
			cost = wide_product(tr, gap < entry ? gap : entry);
		if (gap > entry)
			wide_add(&cost, wide_product(gap - entry,
						     case_power_uw(c, i)));
		if (wide_is_less(best, cost) ||
		    (wide_is_equal(cost, best) && delay >= *ret_delay))
			continue;
		best = cost;
		*ret_delay = delay;
	}
	return best;
}

/*
 * The wake after this idle time by the text of ssdpm(7). Without a table, its
 * length is known in advance.
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
			case_parameter(c, SSDPM_PARAMETER_ENTRY_LATENCY, state);
		exit = 1000 *
		       case_parameter(c, SSDPM_PARAMETER_EXIT_LATENCY, state);
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

/* Compares runs without the quantiles, which the simulator rounds. */
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
	struct estimated result = { 0 };
	struct ssdpm_sim_params params = c->params;
	struct ssdpm_sim *sim;

	params.apst = table;
	assert_int_equal(ssdpm_sim_new(c->model, &params, &sim, NULL), 0);
	assert_int_equal(ssdpm_sim_feed(sim, c->ios, c->n_ios, NULL), 0);
	assert_int_equal(finish_sim(sim, c->end_ns, &result, NULL), 0);
	ssdpm_sim_free(sim);
	*ret_run = result.nominal;
}

static void a_sweep_agrees_with_the_simulator(void **state)
{
	static struct random_case c;

	(void)state;
	for (uint64_t seed = 0; seed < fixture_cases(N_CASES); seed++) {
		struct ssdpm_apst tables[N_TABLES] = { 0 };
		struct ssdpm_run runs[N_TABLES], simulated;

		random_case_make(&c, seed, &shape);
		for (int i = 1; i < N_TABLES; i++)
			tables[i] = random_table(&c, shape.max_ms);
		assert_int_equal(sweep_gaps(c.gaps, c.model, &c.params, tables,
					    N_TABLES, runs, NULL),
				 0);
		for (int i = 0; i < N_TABLES; i++) {
			simulate(&c, &tables[i], &simulated);
			assert_same_run(&runs[i], &simulated);
			assert_quantiles(&c, &tables[i], &runs[i]);
		}
		random_case_free(&c);
	}
}

static void the_clairvoyant_takes_the_cheapest_each_time(void **state)
{
	static struct random_case c;

	(void)state;
	for (uint64_t seed = 0; seed < fixture_cases(N_CASES); seed++) {
		uint64_t delays[MAX_IOS], delay, sum = 0;
		const uint64_t *gaps;
		struct ssdpm_run run;
		struct wide fj = { 0 };
		size_t n;

		random_case_make(&c, seed, &shape);
		assert_int_equal(
			foresee_gaps(c.gaps, c.model, &c.params, &run, NULL),
			0);
		gaps = ssdpm_gaps_get_idle_ns(c.gaps, &n);
		assert_int_equal(n, run.n_gaps);
		for (size_t i = 0; i < n; i++)
			wide_add(&fj, foresee(&c, gaps[i], true, &delay));
		/* Also at the end. */
		complete(&c, delays);
		for (size_t i = 0; i < c.n_ios; i++)
			sum = delays[i] > sum ? delays[i] : sum;
		if (c.end_ns > sum)
			wide_add(&fj,
				 foresee(&c, c.end_ns - sum, false, &delay));
		assert_true(wide_is_equal(fj, case_fj(&c, &run)));
		assert_quantiles(&c, NULL, &run);
		n = find_delays(&c, NULL, delays);
		for (sum = 0; n; n--)
			sum += delays[n - 1];
		assert_int_equal(run.delay_sum_ns, sum);
		random_case_free(&c);
	}
}

/* Entering and leaving draws most, and deeper states draw less. */
static void no_table_costs_less_than_the_clairvoyant(void **state)
{
	struct random_shape sane = shape;
	static struct random_case c;

	(void)state;
	sane.sane = true;
	for (uint64_t seed = 0; seed < fixture_cases(N_CASES); seed++) {
		struct ssdpm_run run, least;
		struct ssdpm_apst table;

		random_case_make(&c, seed, &sane);
		table = random_table(&c, shape.max_ms);
		assert_int_equal(
			foresee_gaps(c.gaps, c.model, &c.params, &least, NULL),
			0);
		assert_int_equal(sweep_gaps(c.gaps, c.model, &c.params, &table,
					    1, &run, NULL),
				 0);
		assert_false(
			wide_is_less(case_fj(&c, &run), case_fj(&c, &least)));
		assert_true(least.energy_nj <= run.energy_nj);
		random_case_free(&c);
	}
}

/* Enough to take all paths of the sort, of all lengths, half of them early. */
static void many_idle_times_are_sorted(void **state)
{
	enum { N = 60000 };
	struct estimated result = { 0 };
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
	assert_int_equal(
		sweep_gaps(gaps, c.model, &c.params, &table, 1, &run, NULL), 0);
	assert_int_equal(
		estimate_ios(c.model, &c.params, ios, 2 * N, &result, NULL), 0);
	assert_same_run(&run, &result.nominal);
	assert_true(run.n_delayed > N / 2);
	ssdpm_gaps_unref(gaps);
	random_case_free(&c);
}

/*
 * A drive of these powers, entries and exits; transitions draw the first power.
 */
struct simple {
	uint32_t n;
	uint32_t power_uw[3];
	uint32_t entry_us[3];
	uint32_t exit_us[3];
};

static struct ssdpm_model *make_simple(const struct simple *simple,
				       struct ssdpm_parameter *parameters,
				       struct ssdpm_sim_params *params)
{
	struct ssdpm_power_state states[3] = { { 0 } };
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_model *model;
	size_t n;

	for (uint32_t i = 0; i < simple->n; i++) {
		states[i].flags = i ? SSDPM_STATE_NON_OPERATIONAL : 0;
		states[i].max_power_uw = simple->power_uw[i];
		states[i].idle_power_uw = simple->power_uw[i];
		states[i].entry_latency_us = simple->entry_us[i];
		states[i].exit_latency_us = simple->exit_us[i];
	}
	assert_int_equal(
		ssdpm_model_new(&info, states, simple->n, &model, NULL), 0);
	assert_int_equal(ssdpm_sim_params_init(params, sizeof(*params)), 0);
	assert_int_equal(make_parameters_of(model, SSDPM_PCIE_L1_2, parameters,
					    &n, NULL),
			 0);
	assert_int_equal(set_parameter(parameters, n,
				       SSDPM_PARAMETER_LINK_POWER, 0, 0, 0, 0,
				       NULL),
			 0);
	assert_int_equal(set_parameter(parameters, n,
				       SSDPM_PARAMETER_TRANSITION_POWER, 0,
				       simple->power_uw[0], simple->power_uw[0],
				       simple->power_uw[0], NULL),
			 0);
	params->parameters = parameters;
	params->n_parameters = n;
	return model;
}

/* How much more a table costs than the clairvoyant for one idle time. */
static uint64_t regret_nj(const struct ssdpm_model *model,
			  const struct ssdpm_sim_params *params,
			  const struct ssdpm_apst *table, uint64_t gap_ns)
{
	const struct ssdpm_io ios[] = {
		{ .op = SSDPM_OP_READ },
		{ .start_ns = gap_ns, .op = SSDPM_OP_READ },
	};
	struct ssdpm_run run, least;
	struct ssdpm_gaps *gaps;
	uint64_t seed = 1;

	gaps = random_gaps(ios, 2, NULL, 0, &seed);
	assert_int_equal(sweep_gaps(gaps, model, params, table, 1, &run, NULL),
			 0);
	assert_int_equal(foresee_gaps(gaps, model, params, &least, NULL), 0);
	ssdpm_gaps_unref(gaps);
	return run.energy_nj - least.energy_nj;
}

/*
 * Irani, Shukla and Gupta (2003): in state k, the lower envelope costs what the
 * clairvoyant pays plus beta_k. Exits of 6 and 36 ms at 1 W are betas of 6 and
 * 36 mJ. The times are 6 / (1 - 0.4) = 10 ms and 30 / (0.4 - 0.1) = 100 ms.
 * With an entry of 4 ms, (4 + 5.52) x 0.5 - 4 x 0.04 = 4.6 mJ, / 0.46 = 10 ms.
 */
static void the_lower_envelope_pays_the_optimum_and_one_overhead(void **state)
{
	static const struct simple three = {
		3, { 1000000, 400000, 100000 }, { 0 }, { 0, 6000, 36000 }
	};
	static const struct simple two = {
		2, { 500000, 40000 }, { 0, 4000 }, { 0, 5520 }
	};
	static const struct ssdpm_apst table3 = {
		.entries = { { 10, 1 }, { 90, 2 } }, .sent = 1, .enabled = 1
	};
	static const struct ssdpm_apst table2 = { .entries = { { 10, 1 } },
						  .sent = 1,
						  .enabled = 1 };
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_sim_params params;
	struct ssdpm_model *model = make_simple(&three, parameters, &params);

	(void)state;
	assert_int_equal(regret_nj(model, &params, &table3, 1), 0);
	assert_int_equal(regret_nj(model, &params, &table3, 9999999), 0);
	assert_int_equal(regret_nj(model, &params, &table3, 10000000), 6000000);
	assert_int_equal(regret_nj(model, &params, &table3, 99999999), 6000000);
	assert_int_equal(regret_nj(model, &params, &table3, 100000000),
			 36000000);
	assert_int_equal(regret_nj(model, &params, &table3, 3600000000000),
			 36000000);
	ssdpm_model_unref(model);
	model = make_simple(&two, parameters, &params);
	assert_int_equal(regret_nj(model, &params, &table2, 9999999), 0);
	assert_int_equal(regret_nj(model, &params, &table2, 14000000), 4600000);
	assert_int_equal(regret_nj(model, &params, &table2, 99000000), 4600000);
	ssdpm_model_unref(model);
}

static void assert_feed_fails(const struct ssdpm_io *ios, size_t n, int code,
			      const char *fragment)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_gaps *gaps;

	assert_int_equal(ssdpm_gaps_new(NULL, &gaps, NULL), 0);
	assert_int_equal(ssdpm_gaps_feed(gaps, ios, n, &error), code);
	fixture_assert_error(&error, code, 0, fragment);
	/* It fails from then on. */
	error = fixture_error();
	assert_int_equal(ssdpm_gaps_feed(gaps, ios, 1, &error), code);
	fixture_assert_error(&error, code, 0, fragment);
	assert_int_equal(ssdpm_gaps_finish(gaps, 0, NULL), code);
	ssdpm_gaps_unref(gaps);
}

static void bad_records_are_refused(void **state)
{
	static const struct ssdpm_io backward[] = {
		{ .start_ns = 5, .op = SSDPM_OP_READ },
		{ .start_ns = 4, .op = SSDPM_OP_READ },
	};
	static const struct ssdpm_io unknown[] = { { .op = SSDPM_OP_READ },
						   { .op = 5 } };
	static const struct ssdpm_io late[] = {
		{ .start_ns = UINT64_MAX, .service_ns = 1, .op = SSDPM_OP_READ }
	};
	struct ssdpm_error error = fixture_error();
	struct ssdpm_gaps *gaps;
	size_t n;

	(void)state;
	assert_feed_fails(backward, 2, -EINVAL, "record 1");
	assert_feed_fails(unknown, 2, -EINVAL, "unknown operation 5");
	assert_feed_fails(late, 1, -ERANGE, "2^64");
	assert_int_equal(ssdpm_gaps_new(NULL, &gaps, NULL), 0);
	assert_null(ssdpm_gaps_get_idle_ns(gaps, &n));
	assert_int_equal(ssdpm_gaps_finish(gaps, 0, &error), -ENODATA);
	fixture_assert_error(&error, -ENODATA, 0, "no record");
	assert_int_equal(ssdpm_gaps_feed(gaps, backward, 1, NULL), 0);
	assert_int_equal(ssdpm_gaps_finish(gaps, 0, NULL), 0);
	assert_int_equal(ssdpm_gaps_finish(gaps, 0, NULL), -EINVAL);
	assert_int_equal(ssdpm_gaps_feed(gaps, backward, 1, NULL), -EINVAL);
	assert_non_null(ssdpm_gaps_get_idle_ns(gaps, &n));
	assert_int_equal(n, 0);
	assert_ptr_equal(ssdpm_gaps_ref(gaps), gaps);
	assert_null(ssdpm_gaps_unref(gaps));
	assert_null(ssdpm_gaps_unref(gaps));
	assert_null(ssdpm_gaps_ref(NULL));
	assert_null(ssdpm_gaps_unref(NULL));
}

/* Sweep, clairvoyant and best table fail alike, and return nothing. */
static void assert_refused(const struct ssdpm_gaps *gaps,
			   const struct ssdpm_model *model,
			   const struct ssdpm_sim_params *params,
			   const char *fragment)
{
	static const struct ssdpm_apst none = { .sent = 1 };
	struct ssdpm_error error = fixture_error();
	struct ssdpm_run run, before;
	struct ssdpm_apst table;

	memset(&run, 0x5a, sizeof(run));
	run.size = sizeof(run);
	before = run;
	assert_int_equal(
		sweep_gaps(gaps, model, params, &none, 1, &run, &error),
		-EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, fragment);
	error = fixture_error();
	assert_int_equal(foresee_gaps(gaps, model, params, &run, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, fragment);
	error = fixture_error();
	assert_int_equal(find_best_table(gaps, model, params, NULL, &table,
					 &run, NULL, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, fragment);
	assert_memory_equal(&run, &before, sizeof(run));
}

static void what_cannot_be_is_refused(void **state)
{
	static struct random_case c;
	struct ssdpm_apst tables[2] = { { .sent = 1 }, { .enabled = 1 } };
	struct ssdpm_bounds bounds = { .size = sizeof(bounds),
				       .max_states = 32 };
	struct ssdpm_run runs[2], before[2];
	struct ssdpm_apst table;
	struct ssdpm_gaps *gaps;

	(void)state;
	random_case_make(&c, 1, &shape);
	assert_int_equal(ssdpm_gaps_new(NULL, &gaps, NULL), 0);
	assert_refused(gaps, c.model, &c.params, "not finished");
	ssdpm_gaps_unref(gaps);
	memset(runs, 0x5a, sizeof(runs));
	runs[0].size = sizeof(runs[0]);
	memcpy(before, runs, sizeof(runs));
	assert_int_equal(
		sweep_gaps(c.gaps, c.model, &c.params, tables, 2, runs, NULL),
		-EINVAL);
	assert_memory_equal(runs, before, sizeof(runs));
	assert_int_equal(find_best_table(c.gaps, c.model, &c.params, &bounds,
					 &table, NULL, NULL, NULL),
			 -EINVAL);
	bounds.max_states = 2;
	bounds.quirks = 1u << 30;
	assert_int_equal(find_best_table(c.gaps, c.model, &c.params, &bounds,
					 &table, NULL, NULL, NULL),
			 -EINVAL);
	c.params.loop = SSDPM_LOOP_OPEN;
	assert_refused(c.gaps, c.model, &c.params, "open loop");
	c.params.loop = SSDPM_LOOP_CLOSED;
	c.params.operational_state = c.n_states - 1;
	assert_refused(c.gaps, c.model, &c.params, "operational");
	random_case_free(&c);
}

static void assert_same_data(const struct ssdpm_gaps *gaps, const void *data,
			     size_t size)
{
	void *again;
	size_t n;

	assert_int_equal(ssdpm_gaps_to_data(gaps, &again, &n, NULL), 0);
	assert_int_equal(n, size);
	assert_memory_equal(again, data, n);
	free(again);
}

static void what_was_written_answers_as_before(void **state)
{
	static struct random_case c;

	(void)state;
	for (uint64_t seed = 0; seed < fixture_cases(N_CASES); seed++) {
		struct ssdpm_run runs[2], least[2];
		struct ssdpm_apst table;
		struct ssdpm_gaps *again;
		void *data;
		size_t n;

		random_case_make(&c, seed, &shape);
		table = random_table(&c, shape.max_ms);
		assert_int_equal(ssdpm_gaps_to_data(c.gaps, &data, &n, NULL),
				 0);
		assert_int_equal(ssdpm_gaps_from_data(data, n, &again, NULL),
				 0);
		assert_same_data(again, data, n);
		free(data);
		for (int i = 0; i < 2; i++) {
			const struct ssdpm_gaps *gaps = i ? again : c.gaps;

			assert_int_equal(sweep_gaps(gaps, c.model, &c.params,
						    &table, 1, &runs[i], NULL),
					 0);
			assert_int_equal(foresee_gaps(gaps, c.model, &c.params,
						      &least[i], NULL),
					 0);
		}
		assert_memory_equal(&runs[0], &runs[1], sizeof(runs[0]));
		assert_memory_equal(&least[0], &least[1], sizeof(least[0]));
		ssdpm_gaps_unref(again);
		random_case_free(&c);
	}
}

/*
 * Two idle times of 1 and 2 ms; a continued record ends the second. An I/O is
 * early after the first one.
 */
static struct ssdpm_gaps *make_small(void)
{
	static const struct ssdpm_io ios[] = {
		{ .start_ns = 3,
		  .bytes = 512,
		  .service_ns = 4,
		  .op = SSDPM_OP_WRITE },
		{ .start_ns = 1000007, .service_ns = 9, .op = SSDPM_OP_READ },
		{ .start_ns = 1000012, .service_ns = 4, .op = SSDPM_OP_READ },
		{ .start_ns = 3000016,
		  .bytes = 8,
		  .service_ns = 1,
		  .op = SSDPM_OP_READ,
		  .flags = SSDPM_IO_CONTINUED },
	};
	struct ssdpm_gaps *gaps;

	assert_int_equal(ssdpm_gaps_new(NULL, &gaps, NULL), 0);
	assert_int_equal(ssdpm_gaps_feed(gaps, ios, 4, NULL), 0);
	assert_int_equal(ssdpm_gaps_finish(gaps, 3000018, NULL), 0);
	return gaps;
}

/* The places of the small one's numbers. */
enum {
	AT_START,
	AT_END_IDLE,
	AT_BUSY,
	AT_IOS = AT_BUSY + SSDPM_N_OPS,
	AT_BYTES = AT_IOS + SSDPM_N_OPS,
	AT_N_IDLE = AT_BYTES + SSDPM_N_OPS,
	AT_N_SILENT,
	AT_N_EARLY,
	AT_IDLE,
	AT_SILENT = AT_IDLE + 2,
	AT_EARLY,
	N_SMALL = AT_EARLY + 2,
};

#define SMALL_BYTES (16 + 8 * N_SMALL)

static void put_number(uint8_t *data, size_t at, uint64_t number)
{
	for (size_t i = 0; i < 8; i++)
		data[16 + 8 * at + i] = (uint8_t)(number >> 8 * i);
}

static void the_bytes_are_the_same_on_every_machine(void **state)
{
	static const struct {
		size_t at;
		uint64_t number;
	} numbers[] = {
		{ AT_START, 3 },
		{ AT_END_IDLE, 1 },
		{ AT_BUSY, 10 },
		{ AT_BUSY + 1, 4 },
		{ AT_IOS, 2 },
		{ AT_IOS + 1, 1 },
		{ AT_BYTES, 8 },
		{ AT_BYTES + 1, 512 },
		{ AT_N_IDLE, 2 },
		{ AT_N_SILENT, 1 },
		{ AT_N_EARLY, 1 },
		{ AT_IDLE, 1000000 },
		{ AT_IDLE + 1, 2000000 },
		{ AT_SILENT, 2000000 },
		{ AT_EARLY, 1000000 },
		{ AT_EARLY + 1, 5 },
	};
	uint8_t data[SMALL_BYTES] = "ssdpm.gaps/1";
	struct ssdpm_gaps *gaps = make_small();

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		put_number(data, numbers[i].at, numbers[i].number);
	assert_same_data(gaps, data, sizeof(data));
	ssdpm_gaps_unref(gaps);
}

/* Refused with words; the caller's gaps are unchanged. */
static void assert_no_data(const void *data, size_t size, const char *fragment)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_gaps *gaps = (struct ssdpm_gaps *)&error;
	/* Sanitizers detect reads beyond its end. */
	void *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	if (size)
		memcpy(copy, data, size);
	assert_int_equal(ssdpm_gaps_from_data(copy, size, &gaps, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, fragment);
	assert_ptr_equal(gaps, &error);
	free(copy);
}

static void bytes_that_are_missing_or_too_many_are_refused(void **state)
{
	struct ssdpm_gaps *gaps = make_small();
	char longer[SMALL_BYTES + 8] = { 0 };
	void *data;
	size_t n;

	(void)state;
	assert_int_equal(ssdpm_gaps_to_data(gaps, &data, &n, NULL), 0);
	assert_int_equal(n, SMALL_BYTES);
	for (size_t i = 0; i < n; i++)
		assert_no_data(data, i, "gaps: ");
	assert_no_data(data, 0, "not from ssdpm_gaps_to_data()");
	assert_no_data(data, 20, "the head alone has 152");
	assert_no_data(data, n - 1, "not as many as the head says");
	memcpy(longer, data, n);
	for (size_t i = n + 1; i <= sizeof(longer); i++)
		assert_no_data(longer, i, "not as many as the head says");
	free(data);
	ssdpm_gaps_unref(gaps);
}

/* Accepted bytes are written unchanged, so no bit is lost. */
static void a_byte_that_changed_is_refused_or_kept(void **state)
{
	struct ssdpm_gaps *gaps = make_small(), *again;
	unsigned n_refused = 0, n_kept = 0;
	uint8_t *bytes;
	void *data;
	size_t n;

	(void)state;
	assert_int_equal(ssdpm_gaps_to_data(gaps, &data, &n, NULL), 0);
	ssdpm_gaps_unref(gaps);
	bytes = data;
	for (size_t i = 0; i < n; i++)
		for (unsigned flip = 1; flip < 256; flip++) {
			struct ssdpm_error error = fixture_error();
			int err;

			bytes[i] ^= (uint8_t)flip;
			err = ssdpm_gaps_from_data(data, n, &again, &error);
			if (err) {
				fixture_assert_error(&error, -EINVAL, 0,
						     "gaps: ");
				n_refused++;
			} else {
				assert_same_data(again, data, n);
				ssdpm_gaps_unref(again);
				n_kept++;
			}
			bytes[i] ^= (uint8_t)flip;
		}
	/* All of the name, and of the counts. */
	assert_true(n_refused > (16 + 3 * 8) * 255);
	assert_true(n_kept > 0);
	free(data);
}

static void what_no_trace_leads_to_is_refused(void **state)
{
	static const struct {
		size_t at;
		uint64_t number;
		const char *fragment;
	} wrong[] = {
		{ AT_N_IDLE, UINT64_MAX, "as many as the head says" },
		{ AT_N_IDLE, UINT64_MAX / 8 + 3, "as many as the head says" },
		{ AT_N_EARLY, UINT64_MAX / 16 + 2, "as many as the head says" },
		{ AT_N_SILENT, 0, "as many as the head says" },
		{ AT_IDLE, 0, "is 0" },
		{ AT_IDLE, 2000001, "shorter than the one before" },
		{ AT_IDLE + 1, UINT64_MAX, "beyond 2^64 ns" },
		{ AT_START, UINT64_MAX - 3000014, "beyond 2^64 ns" },
		{ AT_END_IDLE, UINT64_MAX - 3000016, "beyond 2^64 ns" },
		{ AT_BUSY, UINT64_MAX, "beyond 2^64 ns" },
		{ AT_SILENT, 1999999, "continued record" },
		{ AT_SILENT, 2000001, "continued record" },
		{ AT_EARLY, 1000001, "follows no idle time" },
		{ AT_EARLY, 3000000, "follows no idle time" },
		{ AT_EARLY + 1, 14, "starts after all work" },
		{ AT_IOS, 0, "fewer I/Os" },
		{ AT_IOS, INT64_MAX, "too many" },
	};
	struct ssdpm_gaps *gaps = make_small(), *again;
	struct ssdpm_error error = fixture_error();
	uint8_t bytes[SMALL_BYTES];
	void *data;
	size_t n;

	(void)state;
	assert_int_equal(ssdpm_gaps_to_data(gaps, &data, &n, NULL), 0);
	ssdpm_gaps_unref(gaps);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		memcpy(bytes, data, n);
		put_number(bytes, wrong[i].at, wrong[i].number);
		assert_no_data(bytes, n, wrong[i].fragment);
	}
	/* The last possible value. */
	memcpy(bytes, data, n);
	put_number(bytes, AT_START, UINT64_MAX - 3000015);
	put_number(bytes, AT_EARLY + 1, 13);
	assert_int_equal(ssdpm_gaps_from_data(bytes, n, &again, NULL), 0);
	assert_same_data(again, bytes, n);
	assert_int_equal(ssdpm_gaps_finish(again, 0, NULL), -EINVAL);
	ssdpm_gaps_unref(again);
	bytes[11] = '2';
	assert_no_data(bytes, n, "another version");
	free(data);
	assert_int_equal(ssdpm_gaps_new(NULL, &gaps, NULL), 0);
	assert_int_equal(ssdpm_gaps_to_data(gaps, &data, &n, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "not finished");
	ssdpm_gaps_unref(gaps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sweep_agrees_with_the_simulator),
		cmocka_unit_test(the_clairvoyant_takes_the_cheapest_each_time),
		cmocka_unit_test(no_table_costs_less_than_the_clairvoyant),
		cmocka_unit_test(many_idle_times_are_sorted),
		cmocka_unit_test(
			the_lower_envelope_pays_the_optimum_and_one_overhead),
		cmocka_unit_test(bad_records_are_refused),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(what_was_written_answers_as_before),
		cmocka_unit_test(the_bytes_are_the_same_on_every_machine),
		cmocka_unit_test(
			bytes_that_are_missing_or_too_many_are_refused),
		cmocka_unit_test(a_byte_that_changed_is_refused_or_kept),
		cmocka_unit_test(what_no_trace_leads_to_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
