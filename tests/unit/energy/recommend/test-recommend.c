/* SPDX-License-Identifier: MIT */
/* The best setting of each route, compared with trying them all. */
#include "calls.h"
#include "fixture.h"

#define MS 1000000ull

/* Some watts, entry and exit; powers as MP in 0.0001 W. */
struct sleeper {
	uint16_t mp;
	uint32_t entry, exit;
};

/* 3 W at work, 1 W idle, and these states. */
enum { N_ROUTES = 3 };

/*
 * All routes, against today's table or that of Linux; their runs until the next
 * call.
 */
static int recommend(const struct ssdpm_gaps *gaps,
		     const struct ssdpm_model *model,
		     const struct ssdpm_sim_params *params,
		     const struct ssdpm_bounds *bounds,
		     const struct ssdpm_apst *today,
		     struct ssdpm_recommendation ret[N_ROUTES],
		     struct ssdpm_error *error)
{
	static struct ssdpm_run runs[N_ROUTES], lows[N_ROUTES], highs[N_ROUTES];
	static struct ssdpm_likely likely[N_ROUTES];
	struct ssdpm_recommendations *found;
	struct ssdpm_sim_params with;
	int err;

	ssdpm_sim_params_init(&with, sizeof(with));
	if (params)
		with = *params;
	with.apst = today;
	err = ssdpm_recommend(gaps, model, &with, bounds, &found, error);
	if (err)
		return err;
	for (size_t i = 0; i < N_ROUTES; i++) {
		ret[i] = *ssdpm_recommendations_get(found, i);
		assert_int_equal(ret[i].possible, ret[i].run != NULL);
		assert_int_equal(ret[i].possible, ret[i].kept != 0);
		if (!ret[i].run)
			continue;
		runs[i] = *ret[i].run;
		lows[i] = *ret[i].low;
		highs[i] = *ret[i].high;
		ret[i].run = &runs[i];
		ret[i].low = &lows[i];
		ret[i].high = &highs[i];
		if (!ret[i].likely)
			continue;
		likely[i] = *ret[i].likely;
		ret[i].likely = &likely[i];
	}
	assert_null(ssdpm_recommendations_get(found, N_ROUTES));
	assert_null(ssdpm_recommendations_free(found));
	return 0;
}

static struct ssdpm_model *drive(const struct sleeper *sleepers, size_t n)
{
	uint8_t id[SSDPM_NVME_IDENTIFY_BYTES];
	struct psd psds[5] = { { .mp = 300, .idlp = 100, .ips = 2 } };

	for (size_t i = 0; i < n; i++)
		psds[i + 1] = (struct psd){ .mp = sleepers[i].mp,
					    .mxps = 1,
					    .nops = 1,
					    .enlat = sleepers[i].entry,
					    .exlat = sleepers[i].exit };
	fixture_identify(id, psds, n + 1);
	return fixture_decode(id);
}

/* Reads of 100 us, with idle times of up to max_us between them. */
static struct ssdpm_gaps *trace(uint64_t seed, size_t n, uint64_t max_us)
{
	struct ssdpm_gaps *gaps = NULL;
	uint64_t now = 0;

	assert_int_equal(ssdpm_gaps_new(NULL, &gaps, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		struct ssdpm_io io = { .start_ns = now,
				       .bytes = 4096,
				       .service_ns = 100000,
				       .op = SSDPM_OP_READ };
		/* Short ones are more frequent, and some I/Os overlap. */
		uint64_t a = fixture_random(&seed) % max_us;
		uint64_t b = fixture_random(&seed) % max_us;

		now += 50000 + (a < b ? a : b) * 1000;
		assert_int_equal(ssdpm_gaps_feed(gaps, &io, 1, NULL), 0);
	}
	assert_int_equal(ssdpm_gaps_finish(gaps, 0, NULL), 0);
	return gaps;
}

static const struct ssdpm_bounds unbounded = {
	.size = sizeof(unbounded),
	.max_delay_mean_ns = UINT64_MAX,
	.max_delay_p99_ns = UINT64_MAX,
	.max_exit_latency_us = UINT64_MAX,
};

static bool keeps(const struct ssdpm_bounds *bounds,
		  const struct ssdpm_model *model,
		  const struct ssdpm_apst *table, const struct ssdpm_run *run)
{
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, NULL);
	uint32_t s = 0;

	for (; table->entries[s].idle_ms; s = table->entries[s].target)
		if (states[table->entries[s].target].exit_latency_us >
		    bounds->max_exit_latency_us)
			return false;
	return run->delay_p99_ns <= bounds->max_delay_p99_ns &&
	       (bounds->max_delay_mean_ns == UINT64_MAX ||
		run->delay_sum_ns <= bounds->max_delay_mean_ns *
					     run->n_ios[SSDPM_OP_READ - 1]);
}

/* The result of trying everything. */
struct trial {
	const struct ssdpm_gaps *gaps;
	const struct ssdpm_model *model;
	const struct ssdpm_bounds *bounds;
	struct ssdpm_sim_params params;
	uint64_t least_nj;
	struct ssdpm_apst before; /* the table that was tried last */
};

static struct ssdpm_run run_of(const struct trial *trial,
			       const struct ssdpm_apst *table)
{
	struct ssdpm_run run;

	assert_int_equal(sweep_gaps(trial->gaps, trial->model, &trial->params,
				    table, 1, &run, NULL),
			 0);
	return run;
}

static void try_params(struct trial *trial, struct ssdpm_apst_params params)
{
	struct ssdpm_apst table;
	struct ssdpm_run run;

	params.quirks = trial->bounds->quirks;
	assert_int_equal(
		ssdpm_apst_generate(trial->model, &params, &table, NULL), 0);
	if (memcmp(&table, &trial->before, sizeof(table)) == 0 ||
	    ssdpm_apst_validate(trial->model, &table, NULL))
		return;
	trial->before = table;
	run = run_of(trial, &table);
	if (run.energy_nj < trial->least_nj &&
	    keeps(trial->bounds, trial->model, &table, &run))
		trial->least_nj = run.energy_nj;
}

/* Finds all limits that change some state. */
static size_t find_limits(const struct ssdpm_model *model, uint64_t *limits,
			  bool totals)
{
	size_t n_states, n = 0;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n_states);

	limits[n++] = totals ? 1 : 0;
	limits[n++] = 1;
	for (size_t i = 1; i < n_states; i++)
		limits[n++] = states[i].exit_latency_us +
			      (totals ? states[i].entry_latency_us : 0);
	return n;
}

static uint64_t least_by_limit(struct trial trial)
{
	struct ssdpm_apst_params params;
	uint64_t limits[8];
	size_t n = find_limits(trial.model, limits, false);

	ssdpm_apst_params_init(&params, sizeof(params));
	for (size_t i = 0; i < n; i++) {
		params.max_exit_latency_us = limits[i];
		try_params(&trial, params);
	}
	return trial.least_nj;
}

/* Idle times up to max_ms, where no idle time is longer. */
static uint64_t least_by_nvme_core(struct trial trial, uint64_t max_ms)
{
	uint64_t limits[8], tolerances[8];
	size_t n = find_limits(trial.model, limits, false);
	struct ssdpm_apst_params p;

	find_limits(trial.model, tolerances, true);
	ssdpm_apst_params_init(&p, sizeof(p));
	for (size_t i = 0; i < n * n * n; i++) {
		p.max_exit_latency_us = limits[i % n];
		p.primary_latency_tolerance_us = tolerances[i / n % n];
		p.secondary_latency_tolerance_us = tolerances[i / n / n];
		for (p.primary_timeout_ms = 0; p.primary_timeout_ms <= max_ms;
		     p.primary_timeout_ms++)
			for (p.secondary_timeout_ms = 0;
			     p.secondary_timeout_ms <= max_ms;
			     p.secondary_timeout_ms++)
				try_params(&trial, p);
	}
	return trial.least_nj;
}

/*
 * A recommended setting makes its own table and its run, which may idle until
 * that of another table ends.
 */
static void assert_sound(const struct trial *trial,
			 const struct ssdpm_recommendation *r)
{
	struct ssdpm_apst_params params;
	struct ssdpm_apst table;
	struct ssdpm_run run = run_of(trial, &r->apst);

	assert_int_equal(r->possible, 1);
	assert_true(r->run->duration_ns >= run.duration_ns);
	assert_true(r->run->energy_nj >= run.energy_nj);
	assert_memory_equal(&r->run->n_delayed, &run.n_delayed,
			    offsetof(struct ssdpm_run, background_ns) -
				    offsetof(struct ssdpm_run, n_delayed));
	assert_true(keeps(trial->bounds, trial->model, &r->apst, &run));
	if (r->route == SSDPM_ROUTE_RAW_TABLE)
		return;
	ssdpm_apst_params_init(&params, sizeof(params));
	params.quirks = trial->bounds->quirks;
	params.max_exit_latency_us = r->limit_us;
	if (r->route == SSDPM_ROUTE_NVME_CORE) {
		params.primary_timeout_ms = r->primary_timeout_ms;
		params.primary_latency_tolerance_us =
			r->primary_latency_tolerance_us;
		params.secondary_timeout_ms = r->secondary_timeout_ms;
		params.secondary_latency_tolerance_us =
			r->secondary_latency_tolerance_us;
	}
	assert_int_equal(
		ssdpm_apst_generate(trial->model, &params, &table, NULL), 0);
	assert_memory_equal(&table, &r->apst, sizeof(table));
}

static void assert_best_of(const struct sleeper *sleepers, size_t n,
			   uint64_t max_us, const struct ssdpm_bounds *bounds,
			   uint32_t flags)
{
	struct ssdpm_model *model = drive(sleepers, n);
	struct ssdpm_gaps *gaps = trace(n * 1000 + max_us, 150, max_us);
	struct trial trial = { .gaps = gaps,
			       .model = model,
			       .bounds = bounds,
			       .least_nj = UINT64_MAX };
	struct ssdpm_recommendation r[N_ROUTES];
	static struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	uint64_t own_nj[N_ROUTES];

	ssdpm_sim_params_init(&trial.params, sizeof(trial.params));
	trial.params.flags = flags;
	/* Once, not for each of some thousand tables. */
	assert_int_equal(make_parameters_of(model, trial.params.pcie_link,
					    parameters,
					    &trial.params.n_parameters, NULL),
			 0);
	trial.params.parameters = parameters;
	assert_int_equal(
		recommend(gaps, model, &trial.params, bounds, NULL, r, NULL),
		0);
	for (uint32_t i = 0; i < N_ROUTES; i++) {
		assert_int_equal(r[i].route, i + 1);
		assert_sound(&trial, &r[i]);
	}
	for (uint32_t i = 0; i < N_ROUTES; i++) {
		assert_true(r[i].run->duration_ns == r[0].run->duration_ns);
		/* The search looks at the energy to its own end. */
		own_nj[i] = run_of(&trial, &r[i].apst).energy_nj;
	}
	assert_int_equal(own_nj[0], least_by_limit(trial));
	assert_int_equal(own_nj[1],
			 least_by_nvme_core(trial, max_us / 1000 + 2));
	assert_true(own_nj[1] <= own_nj[0]);
	assert_true(own_nj[2] <= own_nj[1]);
	ssdpm_gaps_unref(gaps);
	ssdpm_model_unref(model);
}

static void assert_best(const struct sleeper *sleepers, size_t n,
			uint64_t max_us, const struct ssdpm_bounds *bounds)
{
	assert_best_of(sleepers, n, max_us, bounds, 0);
}

static const struct sleeper chain[] = { { 1000, 200, 300 },
					{ 50, 1000, 2500 } };
/* The deeper one is faster; the middle one is slow. */
static const struct sleeper odd[] = { { 1000, 2000, 900 },
				      { 500, 5000, 9000 },
				      { 50, 300, 700 } };

static void each_route_finds_the_best_that_it_reaches(void **state)
{
	(void)state;
	assert_best(chain, 2, 3000, &unbounded);
	assert_best(chain, 2, 9000, &unbounded);
	assert_best(odd, 3, 7000, &unbounded);
	assert_best(odd, 2, 9000, &unbounded);
}

/* Linux never enters a slow state if a deeper one is faster. */
static void it_does_so_where_the_best_table_is_out_of_reach(void **state)
{
	/* The middle one draws the least. */
	static const struct sleeper slow[] = { { 1500, 200, 300 },
					       { 10, 100, 900 },
					       { 2000, 300, 400 } };

	(void)state;
	assert_best(slow, 3, 9000, &unbounded);
	assert_best(slow + 1, 2, 9000, &unbounded);
	assert_best_of(slow, 3, 7000, &unbounded, SSDPM_SIM_IDLE_FROM_START);
}

static void it_does_so_where_idle_times_count_from_their_start(void **state)
{
	(void)state;
	struct ssdpm_bounds bounds = unbounded;

	assert_best_of(chain, 2, 9000, &bounds, SSDPM_SIM_IDLE_FROM_START);
	assert_best_of(odd, 3, 6000, &bounds, SSDPM_SIM_IDLE_FROM_START);
	bounds.max_delay_mean_ns = 100000;
	assert_best_of(chain, 2, 9000, &bounds, SSDPM_SIM_IDLE_FROM_START);
	assert_best_of(odd, 3, 6000, &bounds, SSDPM_SIM_IDLE_FROM_START);
}

/* Not reported, or up to 3 ms. */
static uint32_t any_latency(uint64_t *seed)
{
	uint64_t value = fixture_random(seed);

	return value % 3 ? (uint32_t)(value % 3000) : 0;
}

/* Any powers and latencies, deeper states slower or not. */
static void it_does_so_for_drives_of_all_kinds(void **state)
{
	(void)state;
	uint64_t seed = 20;

	/*
	 * Each is compared with all settings. Three cover all kinds of bounds.
	 */
	uint64_t n = fixture_cases(30) < 30 ? 3 : 30;

	for (uint64_t i = 0; i < n; i++) {
		struct ssdpm_bounds bounds = unbounded;
		struct sleeper any[3];

		for (size_t k = 0; k < 3; k++) {
			any[k].mp =
				(uint16_t)(1 + fixture_random(&seed) % 6000);
			any[k].entry = any_latency(&seed);
			any[k].exit = any_latency(&seed);
		}
		if (i % 3 == 1)
			bounds.max_delay_mean_ns = fixture_random(&seed) % MS;
		if (i % 3 == 2)
			bounds.max_delay_p99_ns =
				fixture_random(&seed) % (3 * MS);
		assert_best(any, 3, 5000, &bounds);
	}
}

static void it_does_so_within_bounds(void **state)
{
	(void)state;
	struct ssdpm_bounds bounds = unbounded;

	bounds.max_delay_mean_ns = 100000;
	assert_best(chain, 2, 9000, &bounds);
	bounds.max_delay_mean_ns = 0;
	assert_best(chain, 2, 9000, &bounds);
	bounds = unbounded;
	bounds.max_delay_p99_ns = 300000;
	assert_best(chain, 2, 9000, &bounds);
	assert_best(odd, 3, 6000, &bounds);
	bounds = unbounded;
	bounds.max_exit_latency_us = 1000;
	assert_best(chain, 2, 9000, &bounds);
	assert_best(odd, 3, 6000, &bounds);
	bounds = unbounded;
	bounds.quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	assert_best(chain, 2, 9000, &bounds);
}

static bool is_first(struct ssdpm_sim *const *sims, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (sims[j] == sims[i])
			return false;
	return true;
}

/* Finds the simulation of an equal table, or makes a new one. */
static struct ssdpm_sim *sim_of(const struct ssdpm_model *model,
				const struct ssdpm_sim_params *given,
				const struct ssdpm_apst *const *tables,
				struct ssdpm_sim *const *sims, size_t i)
{
	struct ssdpm_sim_params params = *given;
	struct ssdpm_sim *sim = NULL;

	for (size_t j = 0; j < i; j++)
		if (!memcmp(tables[j], tables[i], sizeof(*tables[i])))
			return sims[j];
	params.apst = tables[i];
	assert_int_equal(ssdpm_sim_new(model, &params, &sim, NULL), 0);
	return sim;
}

/*
 * Simulates today's table and those of all routes until a common end; equal
 * tables share one.
 */
static void simulate_all(const struct ssdpm_model *model,
			 const struct ssdpm_sim_params *given,
			 const struct ssdpm_apst *today,
			 const struct ssdpm_recommendation *r,
			 struct ssdpm_sim *ret_sims[1 + N_ROUTES],
			 const struct ssdpm_io *ios, size_t n)
{
	const struct ssdpm_apst *tables[1 + N_ROUTES] = { today };
	struct ssdpm_sim *distinct[1 + N_ROUTES];
	size_t n_distinct = 0;

	for (uint32_t i = 0; i < 1 + N_ROUTES; i++) {
		if (i)
			tables[i] = &r[i - 1].apst;
		ret_sims[i] = sim_of(model, given, tables, ret_sims, i);
	}
	for (uint32_t i = 0; i < 1 + N_ROUTES; i++)
		if (is_first(ret_sims, i))
			distinct[n_distinct++] = ret_sims[i];
	for (size_t i = 0; i < n_distinct; i++)
		assert_int_equal(ssdpm_sim_feed(distinct[i], ios, n, NULL), 0);
	assert_int_equal(
		ssdpm_sim_finish_together(distinct, n_distinct, 0, NULL), 0);
}

static void assert_range(const struct ssdpm_recommendation *r,
			 const struct ssdpm_result *want)
{
	assert_true(r->low->energy_nj == want->low->energy_nj);
	assert_true(r->high->energy_nj == want->high->energy_nj);
	assert_true(r->low->delay_sum_ns == want->low->delay_sum_ns);
	assert_true(r->high->delay_sum_ns == want->high->delay_sum_ns);
	assert_true(r->low->delay_p99_ns <= r->run->delay_p99_ns);
	assert_true(r->high->delay_p99_ns >= r->run->delay_p99_ns);
}

static void assert_savings(const struct ssdpm_model *model,
			   const struct ssdpm_gaps *gaps,
			   const struct ssdpm_sim_params *params,
			   const struct ssdpm_io *ios, size_t n)
{
	struct ssdpm_recommendation r[N_ROUTES];
	struct ssdpm_sim *sims[1 + N_ROUTES];
	struct ssdpm_apst today;

	assert_int_equal(ssdpm_apst_generate(model, NULL, &today, NULL), 0);
	assert_int_equal(
		recommend(gaps, model, params, &unbounded, NULL, r, NULL), 0);
	simulate_all(model, params, &today, r, sims, ios, n);
	for (uint32_t i = 0; i < N_ROUTES; i++) {
		struct ssdpm_saving want;

		assert_int_equal(
			ssdpm_sim_get_saving(sims[0], sims[i + 1], &want, NULL),
			0);
		assert_memory_equal(&r[i].saving, &want, sizeof(want));
		assert_true(
			r[i].run->energy_nj ==
			ssdpm_sim_get_result(sims[i + 1])->nominal->energy_nj);
		assert_true(r[i].run->states[1].time_ns ==
			    ssdpm_sim_get_result(sims[i + 1])
				    ->nominal->states[1]
				    .time_ns);
		assert_range(&r[i], ssdpm_sim_get_result(sims[i + 1]));
	}
	for (uint32_t i = 1 + N_ROUTES; i--;)
		if (is_first(sims, i))
			ssdpm_sim_free(sims[i]);
	assert_true(r[2].saving.nominal_nj > 0);
	assert_true(r[2].saving.low_nj < r[2].saving.high_nj);
}

static void what_it_saves_is_what_two_simulations_say(void **state)
{
	(void)state;
	/* No latencies are reported: the axis of latency is open. */
	const struct sleeper open[] = { { 1000, 0, 0 }, { 50, 1000, 2500 } };
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_model *model = drive(open, 2);
	struct ssdpm_sim_params params;
	struct ssdpm_io ios[200];
	struct ssdpm_gaps *gaps = NULL;
	uint64_t seed = 5;

	for (size_t i = 0; i < 200; i++)
		ios[i] = (struct ssdpm_io){
			.start_ns = (i ? ios[i - 1].start_ns : 0) +
				    fixture_random(&seed) % (400 * MS),
			.bytes = 4096,
			.service_ns = 100000,
			.op = SSDPM_OP_WRITE,
		};
	assert_int_equal(ssdpm_gaps_new(NULL, &gaps, NULL), 0);
	assert_int_equal(ssdpm_gaps_feed(gaps, ios, 200, NULL), 0);
	assert_int_equal(ssdpm_gaps_finish(gaps, 0, NULL), 0);
	ssdpm_sim_params_init(&params, sizeof(params));
	assert_savings(model, gaps, &params, ios, 200);
	/* And with the caller's values of the drive. */
	assert_int_equal(make_parameters_of(model, params.pcie_link, parameters,
					    &params.n_parameters, NULL),
			 0);
	params.parameters = parameters;
	for (size_t i = 0; i < params.n_parameters; i++) {
		struct ssdpm_parameter *p = &parameters[i];

		if (p->kind != SSDPM_PARAMETER_TRANSITION_POWER)
			continue;
		p->low = p->nominal = p->nominal / 2;
		p->high *= 2;
	}
	assert_savings(model, gaps, &params, ios, 200);
	ssdpm_gaps_unref(gaps);
	ssdpm_model_unref(model);
}

/* The recommended raw table within these bounds. */
static struct ssdpm_recommendation within(const struct ssdpm_model *model,
					  const struct ssdpm_sim_params *params,
					  uint64_t mean_ns, uint64_t p99_ns)
{
	struct ssdpm_gaps *gaps = trace(3, 500, 9000);
	struct ssdpm_bounds bounds = unbounded;
	struct ssdpm_recommendation r[N_ROUTES];

	bounds.max_delay_mean_ns = mean_ns;
	bounds.max_delay_p99_ns = p99_ns;
	assert_int_equal(recommend(gaps, model, params, &bounds, NULL, r, NULL),
			 0);
	ssdpm_gaps_unref(gaps);
	return r[N_ROUTES - 1];
}

static void bounds_are_kept_surely_or_with_the_nominal_latencies(void **state)
{
	(void)state;
	struct ssdpm_model *model = drive(chain, 2);
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_sim_params params;
	struct ssdpm_recommendation r;
	uint64_t mean_ns, p99_ns;

	ssdpm_sim_params_init(&params, sizeof(params));
	r = within(model, &params, UINT64_MAX, UINT64_MAX);
	assert_int_equal(r.kept, SSDPM_KEPT_SURELY);
	assert_true(r.run->n_delayed > 0);
	mean_ns = r.high->delay_mean_ns + 1;
	p99_ns = r.high->delay_p99_ns;
	assert_int_equal(within(model, &params, mean_ns, p99_ns).kept,
			 SSDPM_KEPT_SURELY);
	mean_ns = r.run->delay_mean_ns + 1;
	p99_ns = r.run->delay_p99_ns;
	assert_int_equal(within(model, &params, mean_ns, UINT64_MAX).kept,
			 SSDPM_KEPT_NOMINALLY);
	assert_int_equal(within(model, &params, UINT64_MAX, p99_ns).kept,
			 SSDPM_KEPT_NOMINALLY);
	/* Stated latencies are certain. */
	assert_int_equal(make_parameters_of(model, params.pcie_link, parameters,
					    &params.n_parameters, NULL),
			 0);
	params.parameters = parameters;
	for (size_t i = 0; i < params.n_parameters; i++)
		if (parameters[i].kind == SSDPM_PARAMETER_ENTRY_LATENCY ||
		    parameters[i].kind == SSDPM_PARAMETER_EXIT_LATENCY)
			parameters[i].low = parameters[i].high =
				parameters[i].nominal;
	assert_int_equal(within(model, &params, mean_ns, p99_ns).kept,
			 SSDPM_KEPT_SURELY);
	ssdpm_model_unref(model);
}

static void a_drive_without_apst_is_told_nothing(void **state)
{
	(void)state;
	struct ssdpm_bounds bounds = unbounded;
	struct ssdpm_model *model = drive(chain, 2);
	struct ssdpm_gaps *gaps = trace(3, 50, 9000);
	struct ssdpm_recommendation r[N_ROUTES];

	bounds.quirks = SSDPM_QUIRK_NO_APST;
	assert_int_equal(recommend(gaps, model, NULL, &bounds, NULL, r, NULL),
			 0);
	for (uint32_t i = 0; i < N_ROUTES; i++) {
		assert_int_equal(r[i].possible, 1);
		assert_int_equal(r[i].apst.entries[0].idle_ms, 0);
		assert_int_equal(r[i].saving.high_nj, 0);
	}
	ssdpm_gaps_unref(gaps);
	ssdpm_model_unref(model);
}

static uint64_t value_of(const struct ssdpm_change *changes, size_t n,
			 const char *name, uint64_t usual)
{
	for (size_t i = 0; i < n; i++)
		if (changes[i].target[0] != '/' &&
		    !strcmp(changes[i].target + strlen("nvme_core."), name))
			return strtoull(changes[i].value, NULL, 10);
	return usual;
}

/* Linux, booted with the changes, builds the table of the route. */
static void what_is_written_for_a_route_is_its_table(void **state)
{
	(void)state;
	struct ssdpm_model *model = drive(chain, 2);
	struct ssdpm_gaps *gaps = trace(3, 50, 9000);
	struct ssdpm_recommendation r[N_ROUTES];
	struct ssdpm_change *changes = UNTOUCHED;
	struct ssdpm_apst_params p;
	const struct {
		const char *name;
		uint64_t *value;
	} values[] = {
		{ "apst_primary_timeout_ms", &p.primary_timeout_ms },
		{ "apst_primary_latency_tol_us",
		  &p.primary_latency_tolerance_us },
		{ "apst_secondary_timeout_ms", &p.secondary_timeout_ms },
		{ "apst_secondary_latency_tol_us",
		  &p.secondary_latency_tolerance_us },
		{ "default_ps_max_latency_us", &p.max_exit_latency_us },
	};
	struct ssdpm_apst table;
	size_t n;

	assert_int_equal(recommend(gaps, model, NULL, NULL, NULL, r, NULL), 0);
	for (uint32_t i = 0; i < SSDPM_ROUTE_RAW_TABLE - 1; i++) {
		assert_int_equal(ssdpm_recommendation_get_changes(
					 &r[i], NULL, NULL, &changes, &n, NULL),
				 0);
		ssdpm_apst_params_init(&p, sizeof(p));
		for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++)
			*values[k].value = value_of(changes, n, values[k].name,
						    *values[k].value);
		free(changes);
		assert_int_equal(ssdpm_apst_generate(model, &p, &table, NULL),
				 0);
		assert_memory_equal(&table, &r[i].apst, sizeof(table));
	}
	assert_int_equal(ssdpm_recommendation_get_changes(
				 &r[SSDPM_ROUTE_RAW_TABLE - 1], NULL, NULL,
				 &changes, &n, NULL),
			 0);
	assert_null(changes);
	assert_int_equal(n, 0);
	ssdpm_gaps_unref(gaps);
	ssdpm_model_unref(model);
}

static struct ssdpm_gaps *made(const char *name)
{
	struct ssdpm_generator_params params;
	struct ssdpm_gaps *gaps = NULL;
	struct ssdpm_trace *made;
	struct ssdpm_io ios[64];
	size_t n;

	ssdpm_generator_params_init(&params, sizeof(params));
	params.name = name;
	params.n_ios = 150;
	assert_int_equal(ssdpm_trace_generate(&params, &made, NULL), 0);
	assert_int_equal(ssdpm_gaps_new(NULL, &gaps, NULL), 0);
	do {
		assert_int_equal(ssdpm_trace_read(made, ios, 64, &n, NULL), 0);
		assert_int_equal(ssdpm_gaps_feed(gaps, ios, n, NULL), 0);
	} while (n);
	assert_int_equal(ssdpm_gaps_finish(gaps, 0, NULL), 0);
	ssdpm_trace_free(made);
	return gaps;
}

static uint64_t count_ios(const struct ssdpm_run *run)
{
	uint64_t n = 0;

	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		n += run->n_ios[op];
	return n;
}

/*
 * More than 1 % of the time or than Linux; or at a cost that was not allowed.
 */
static void assert_modest(const struct ssdpm_model *model,
			  const struct ssdpm_gaps *gaps,
			  const struct ssdpm_apst *today, size_t *n_set)
{
	struct ssdpm_recommendation r[N_ROUTES];
	struct ssdpm_apst linux_table;
	struct ssdpm_run usual;
	uint64_t most_ns;

	assert_int_equal(ssdpm_apst_generate(model, NULL, &linux_table, NULL),
			 0);
	assert_int_equal(
		sweep_gaps(gaps, model, NULL, &linux_table, 1, &usual, NULL),
		0);
	assert_int_equal(recommend(gaps, model, NULL, NULL, today, r, NULL), 0);
	most_ns = usual.duration_ns / 100;
	if (usual.delay_sum_ns > most_ns)
		most_ns = usual.delay_sum_ns;
	for (size_t i = 0; i < N_ROUTES; i++) {
		assert_int_equal(r[i].possible, 1);
		assert_true(r[i].run->delay_sum_ns <=
			    most_ns + count_ios(&usual));
		assert_true(r[i].run->delay_p99_ns <= 25 * MS ||
			    r[i].run->delay_p99_ns <= usual.delay_p99_ns);
		if (r[i].advice == SSDPM_ADVICE_SET)
			assert_true(r[i].saving.nominal_nj >= 0);
		*n_set += r[i].advice == SSDPM_ADVICE_SET;
	}
}

/* Each route reaches the default of Linux, which is within the bounds. */
static void no_best_likely_costs_what_leaving_all_as_it_is_saves(void **state)
{
	const uint32_t step = fixture_cases(30) < 30 ? 200 : 60;
	struct ssdpm_gaps *gaps = made("lomax");
	struct ssdpm_recommendation r[N_ROUTES];
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_sim_params params;
	struct ssdpm_model *model;

	(void)state;
	ssdpm_sim_params_init(&params, sizeof(params));
	params.flags = SSDPM_SIM_LIKELY;
	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &catalogue, NULL), 0);
	for (uint32_t i = 0; fixture_row(catalogue, i).product; i += step) {
		int64_t least_nj = 0;

		assert_int_equal(
			ssdpm_catalogue_get_model(catalogue, i, &model, NULL),
			0);
		if (ssdpm_model_get_info(model)->kind != SSDPM_KIND_NVME) {
			ssdpm_model_unref(model);
			continue;
		}
		assert_int_equal(
			recommend(gaps, model, &params, NULL, NULL, r, NULL),
			0);
		for (size_t k = 0; k < N_ROUTES; k++) {
			assert_true(r[k].likely->median_nj >= least_nj);
			least_nj = r[k].likely->median_nj;
			assert_int_equal(r[k].expected.low_uw,
					 r[k].likely->low_uw);
			assert_int_equal(r[k].expected.nominal_nj, least_nj);
		}
		ssdpm_model_unref(model);
	}
	ssdpm_catalogue_free(catalogue);
	ssdpm_gaps_unref(gaps);
}

static void no_drive_of_the_catalogue_is_advised_to_wait_long_or_to_pay(
	void **state)
{
	static const char *const workloads[] = { "lomax", "poisson", "apst-7" };
	const uint32_t step = fixture_cases(30) < 30 ? 40 : 8;
	struct ssdpm_gaps *gaps[3];
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_apst none = { .sent = 1 };
	size_t n_set = 0, n_drives = 0;
	struct ssdpm_model *model;

	(void)state;
	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &catalogue, NULL), 0);
	for (size_t i = 0; i < 3; i++)
		gaps[i] = made(workloads[i]);
	for (uint32_t i = 0; fixture_row(catalogue, i).product; i += step) {
		assert_int_equal(
			ssdpm_catalogue_get_model(catalogue, i, &model, NULL),
			0);
		if (ssdpm_model_get_info(model)->kind == SSDPM_KIND_NVME) {
			n_drives++;
			for (size_t k = 0; k < 3; k++) {
				assert_modest(model, gaps[k], NULL, &n_set);
				assert_modest(model, gaps[k], &none, &n_set);
			}
		}
		ssdpm_model_unref(model);
	}
	assert_true(n_drives > 10 && n_set > n_drives);
	for (size_t i = 0; i < 3; i++)
		ssdpm_gaps_unref(gaps[i]);
	ssdpm_catalogue_free(catalogue);
}

static void a_raw_table_that_the_kernel_refuses_is_left_out(void **state)
{
	struct ssdpm_model *model = drive(chain, 2);
	struct ssdpm_gaps *gaps = made("lomax");
	struct ssdpm_recommendation r[N_ROUTES];
	struct ssdpm_bounds bounds = unbounded;
	const struct ssdpm_recommendation *one;
	struct ssdpm_recommendations *found;

	(void)state;
	assert_int_equal(recommend(gaps, model, NULL, &bounds, NULL, r, NULL),
			 0);
	bounds.flags = SSDPM_BOUNDS_NO_RAW_TABLE;
	assert_int_equal(
		ssdpm_recommend(gaps, model, NULL, &bounds, &found, NULL), 0);
	for (size_t i = 0; i < SSDPM_ROUTE_NVME_CORE; i++) {
		one = ssdpm_recommendations_get(found, i);
		assert_int_equal(one->route, r[i].route);
		assert_memory_equal(&one->apst, &r[i].apst, sizeof(one->apst));
	}
	assert_null(ssdpm_recommendations_get(found, SSDPM_ROUTE_NVME_CORE));
	ssdpm_recommendations_free(found);
	ssdpm_gaps_unref(gaps);
	ssdpm_model_unref(model);
}

/* The kernel has the limit, and the drive has an empty table. */
static void a_table_that_linux_makes_of_today_is_built_anew(void **state)
{
	struct ssdpm_model *model = drive(chain, 2);
	struct ssdpm_gaps *gaps = made("lomax");
	struct ssdpm_recommendation r[N_ROUTES];
	struct ssdpm_bounds bounds = unbounded;
	struct ssdpm_apst empty = { .sent = 1 };
	struct ssdpm_apst_params kernel;
	struct ssdpm_error error;
	uint64_t limit_us;

	(void)state;
	ssdpm_apst_params_init(&kernel, sizeof(kernel));
	bounds.kernel = &kernel;
	assert_int_equal(recommend(gaps, model, NULL, &bounds, &empty, r, NULL),
			 0);
	assert_int_equal(r[0].advice, SSDPM_ADVICE_SET);
	limit_us = r[0].limit_us;

	/* Another limit that makes the same table: that of today is named. */
	bounds.flags = SSDPM_BOUNDS_IN_FORCE;
	kernel.max_exit_latency_us = limit_us + 1;
	assert_int_equal(recommend(gaps, model, NULL, &bounds, &empty, r, NULL),
			 0);
	assert_int_equal(r[0].advice, SSDPM_ADVICE_REBUILD);
	assert_int_equal(r[0].limit_us, limit_us + 1);
	assert_int_equal(r[1].advice, SSDPM_ADVICE_SET);

	/* With its own quirks, that kernel builds another table. */
	kernel.quirks = SSDPM_QUIRK_NO_APST;
	assert_int_equal(recommend(gaps, model, NULL, &bounds, &empty, r, NULL),
			 0);
	assert_int_equal(r[0].advice, SSDPM_ADVICE_SET);
	assert_int_equal(r[0].limit_us, limit_us);
	kernel.quirks = 0;

	/* Nothing says that it is in force, or another limit is set. */
	bounds.flags = 0;
	assert_int_equal(recommend(gaps, model, NULL, &bounds, &empty, r, NULL),
			 0);
	assert_int_equal(r[0].advice, SSDPM_ADVICE_SET);
	assert_int_equal(r[0].limit_us, limit_us);
	bounds.flags = SSDPM_BOUNDS_IN_FORCE;
	kernel.max_exit_latency_us = 0;
	assert_int_equal(recommend(gaps, model, NULL, &bounds, &empty, r, NULL),
			 0);
	assert_int_equal(r[0].advice, SSDPM_ADVICE_SET);
	assert_int_equal(r[0].limit_us, limit_us);

	bounds.kernel = NULL;
	assert_int_equal(
		recommend(gaps, model, NULL, &bounds, &empty, r, &error),
		-EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "needs a kernel");
	ssdpm_gaps_unref(gaps);
	ssdpm_model_unref(model);
}

static void less_delay_is_paid_for_only_if_asked_for(void **state)
{
	struct ssdpm_model *model = drive(chain, 2);
	struct ssdpm_gaps *gaps = made("lomax");
	struct ssdpm_recommendation r[N_ROUTES];
	struct ssdpm_bounds bounds = unbounded;
	struct ssdpm_error error;

	(void)state;
	bounds.max_delay_mean_ns = 0;
	assert_int_equal(recommend(gaps, model, NULL, &bounds, NULL, r, NULL),
			 0);
	for (size_t i = 0; i < N_ROUTES; i++) {
		assert_int_equal(r[i].advice, SSDPM_ADVICE_COSTS);
		assert_int_equal(r[i].today_keeps_bounds, 0);
		assert_true(r[i].saving.nominal_nj < 0);
	}
	bounds.flags = SSDPM_BOUNDS_MAY_COST;
	assert_int_equal(recommend(gaps, model, NULL, &bounds, NULL, r, NULL),
			 0);
	for (size_t i = 0; i < N_ROUTES; i++)
		assert_int_equal(r[i].advice, SSDPM_ADVICE_SET);
	bounds.max_delay_mean_ns = UINT64_MAX;
	assert_int_equal(
		recommend(gaps, model, NULL, &bounds, &r[2].apst, r, NULL), 0);
	assert_int_equal(r[2].advice, SSDPM_ADVICE_SET);
	assert_int_equal(
		recommend(gaps, model, NULL, &bounds, &r[2].apst, r, NULL), 0);
	assert_int_equal(r[2].advice, SSDPM_ADVICE_KEEP);
	/* Today's is within the bounds already, and a cost was not allowed. */
	assert_int_equal(
		recommend(gaps, model, NULL, &bounds, &r[2].apst, r, NULL), 0);
	assert_int_not_equal(r[0].advice, SSDPM_ADVICE_SET);
	bounds.flags = 1 << 6;
	assert_int_equal(recommend(gaps, model, NULL, &bounds, NULL, r, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0,
			     "flags: 0x40 has unknown bits");
	bounds.flags = 0;
	bounds.patience = 4;
	assert_int_equal(recommend(gaps, model, NULL, &bounds, NULL, r, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0,
			     "ssdpm_bounds: patience: 4 is unknown");
	ssdpm_gaps_unref(gaps);
	ssdpm_model_unref(model);
}

static void a_limit_alone_keeps_the_parameters_of_the_kernel(void **state)
{
	struct ssdpm_model *model = drive(chain, 2);
	struct ssdpm_gaps *gaps = made("lomax");
	struct ssdpm_recommendation r[N_ROUTES];
	struct ssdpm_bounds bounds = unbounded;
	struct ssdpm_apst_params kernel, made_of;
	struct ssdpm_apst table;
	struct ssdpm_error error;

	(void)state;
	ssdpm_apst_params_init(&kernel, sizeof(kernel));
	bounds.kernel = &kernel;
	kernel.primary_timeout_ms = 321;
	kernel.max_exit_latency_us = 0; /* nothing says that it is in force */
	assert_int_equal(recommend(gaps, model, NULL, &bounds, NULL, r, NULL),
			 0);
	assert_int_equal(r[0].primary_timeout_ms, 321);
	made_of = kernel;
	made_of.max_exit_latency_us = r[0].limit_us;
	assert_int_equal(ssdpm_apst_generate(model, &made_of, &table, NULL), 0);
	assert_memory_equal(&r[0].apst, &table, sizeof(table));
	assert_true(r[1].run->energy_nj < r[0].run->energy_nj);

	kernel.algorithm = SSDPM_APST_LINUX_LEGACY;
	assert_int_equal(recommend(gaps, model, NULL, &bounds, NULL, r, NULL),
			 0);
	made_of = kernel;
	made_of.max_exit_latency_us = r[0].limit_us;
	assert_int_equal(ssdpm_apst_generate(model, &made_of, &table, NULL), 0);
	assert_memory_equal(&r[0].apst, &table, sizeof(table));
	assert_memory_equal(&r[1].apst, &table, sizeof(table));

	kernel.algorithm = SSDPM_APST_WINDOWS;
	assert_int_equal(recommend(gaps, model, NULL, &bounds, NULL, r, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "not that of Linux");
	ssdpm_gaps_unref(gaps);
	ssdpm_model_unref(model);
}

/* The default of Linux, old or new, is within all limits but the tightest. */
static void patience_moves_the_limits_and_the_kernel_its_default(void **state)
{
	static const struct {
		uint64_t share, p99_ns, exit_us;
		uint32_t flags;
	} limits[] = {
		[SSDPM_PATIENCE_NORMAL] = { 100, 25 * MS, 100000, 0 },
		[SSDPM_PATIENCE_PATIENT] = { 20, 100 * MS, 1000000, 0 },
		[SSDPM_PATIENCE_INSTANT] = { 1000, 5 * MS, 10000,
					     SSDPM_BOUNDS_MAY_COST },
	};
	struct ssdpm_apst_params kernel = { .size = sizeof(kernel) };
	struct ssdpm_bounds from = { .size = sizeof(from) }, found = from;
	struct ssdpm_model *model = drive(chain, 2);
	struct ssdpm_gaps *gaps = made("lomax");
	struct ssdpm_apst table;
	struct ssdpm_run run;

	(void)state;
	ssdpm_apst_params_init(&kernel, sizeof(kernel));
	from.kernel = &kernel;
	for (uint32_t i = 0; i < 6; i++) {
		const uint32_t patience = 1 + i / 2;
		const bool exceeds = patience != SSDPM_PATIENCE_INSTANT;
		uint64_t sum_ns, p99_ns = limits[patience].p99_ns;

		kernel.algorithm =
			i % 2 ? SSDPM_APST_LINUX_LEGACY : SSDPM_APST_LINUX;
		from.patience = patience;
		assert_int_equal(ssdpm_gaps_get_default_bounds(gaps, model,
							       NULL, &from,
							       &found, NULL),
				 0);
		ssdpm_apst_generate(model, &kernel, &table, NULL);
		sweep_gaps(gaps, model, NULL, &table, 1, &run, NULL);
		sum_ns = run.duration_ns / limits[patience].share;
		if (exceeds && sum_ns < run.delay_sum_ns)
			sum_ns = run.delay_sum_ns;
		if (exceeds && p99_ns < run.delay_p99_ns)
			p99_ns = run.delay_p99_ns;
		assert_int_equal(found.max_delay_mean_ns,
				 (sum_ns + count_ios(&run) - 1) /
					 count_ios(&run));
		assert_int_equal(found.max_delay_p99_ns, p99_ns);
		assert_int_equal(found.max_exit_latency_us,
				 limits[patience].exit_us);
		assert_int_equal(found.flags, limits[patience].flags);
		assert_int_equal(found.patience, patience);
		assert_ptr_equal(found.kernel, &kernel);

		/* A bound of the caller stands, and the others are as before.
		 */
		from.flags = SSDPM_BOUNDS_OWN_P99;
		from.max_delay_p99_ns = 7;
		p99_ns = found.max_delay_mean_ns;
		assert_int_equal(ssdpm_gaps_get_default_bounds(gaps, model,
							       NULL, &from,
							       &found, NULL),
				 0);
		assert_int_equal(found.max_delay_p99_ns, 7);
		assert_int_equal(found.max_delay_mean_ns, p99_ns);
		assert_int_equal(found.max_exit_latency_us,
				 limits[patience].exit_us);
		from.flags = 0;
	}
	/* The two defaults differ on this drive. */
	from.patience = 0;
	assert_int_equal(ssdpm_gaps_get_default_bounds(gaps, model, NULL, &from,
						       &from, NULL),
			 0);
	assert_int_equal(from.patience, SSDPM_PATIENCE_NORMAL);
	from.kernel = NULL;
	assert_int_equal(ssdpm_gaps_get_default_bounds(gaps, model, NULL, &from,
						       &found, NULL),
			 0);
	assert_true(found.max_delay_mean_ns != from.max_delay_mean_ns);
	ssdpm_gaps_unref(gaps);
	ssdpm_model_unref(model);
}

static void a_failure_says_why_and_leaves_the_results_alone(void **state)
{
	(void)state;
	struct ssdpm_recommendation r[N_ROUTES], before[N_ROUTES];
	struct ssdpm_model *model = drive(chain, 2);
	struct ssdpm_gaps *gaps = trace(3, 50, 9000);
	struct ssdpm_error error = fixture_error();
	struct ssdpm_apst wrong = { .sent = 1, .enabled = 1 };
	struct {
		struct ssdpm_bounds bounds;
		uint64_t more;
	} longer = { unbounded, 1 };

	memset(r, 0x5a, sizeof(r));
	memcpy(before, r, sizeof(r));
	longer.bounds.size = sizeof(longer);
	assert_int_equal(
		recommend(gaps, model, NULL, &longer.bounds, NULL, r, &error),
		-E2BIG);
	fixture_assert_error(&error, -E2BIG, 0, "ssdpm_bounds");
	wrong.entries[0] = (struct ssdpm_apst_entry){ 1, 7 };
	assert_int_equal(recommend(gaps, model, NULL, NULL, &wrong, r, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "entry 0");
	assert_memory_equal(r, before, sizeof(r));
	ssdpm_gaps_unref(gaps);
	ssdpm_model_unref(model);
}

static void a_saving_is_minutes_of_a_battery_and_watt_hours_of_a_year(
	void **state)
{
	const struct ssdpm_saving saving = { .low_uw = -1000000,
					     .nominal_uw = 0,
					     .high_uw = 1000000 };
	struct ssdpm_error error = fixture_error();
	struct ssdpm_gain gain;

	(void)state;
	/* 4 Wh last for 2 h at 2 W, for 4 h at 1 W, for 80 min at 3 W. */
	assert_int_equal(
		ssdpm_saving_get_battery_s(&saving, 4000, 2e6, &gain, NULL), 0);
	assert_true(gain.high == 7200 && gain.nominal == 0 &&
		    gain.low == -2400);
	assert_int_equal(
		ssdpm_saving_get_battery_s(&saving, 4000, 1e6, &gain, &error),
		-EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "the drive alone saves");
	assert_int_equal(
		ssdpm_saving_get_battery_s(&saving, 0, 2e6, &gain, NULL),
		-EINVAL);
	ssdpm_saving_get_year_wh(&saving, 24, &gain);
	assert_true(gain.high == 8760 && gain.low == -8760);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_route_finds_the_best_that_it_reaches),
		cmocka_unit_test(
			it_does_so_where_the_best_table_is_out_of_reach),
		cmocka_unit_test(
			it_does_so_where_idle_times_count_from_their_start),
		cmocka_unit_test(it_does_so_for_drives_of_all_kinds),
		cmocka_unit_test(it_does_so_within_bounds),
		cmocka_unit_test(what_it_saves_is_what_two_simulations_say),
		cmocka_unit_test(
			bounds_are_kept_surely_or_with_the_nominal_latencies),
		cmocka_unit_test(a_drive_without_apst_is_told_nothing),
		cmocka_unit_test(what_is_written_for_a_route_is_its_table),
		cmocka_unit_test(
			no_best_likely_costs_what_leaving_all_as_it_is_saves),
		cmocka_unit_test(
			no_drive_of_the_catalogue_is_advised_to_wait_long_or_to_pay),
		cmocka_unit_test(
			a_raw_table_that_the_kernel_refuses_is_left_out),
		cmocka_unit_test(
			a_table_that_linux_makes_of_today_is_built_anew),
		cmocka_unit_test(less_delay_is_paid_for_only_if_asked_for),
		cmocka_unit_test(
			a_limit_alone_keeps_the_parameters_of_the_kernel),
		cmocka_unit_test(
			patience_moves_the_limits_and_the_kernel_its_default),
		cmocka_unit_test(
			a_failure_says_why_and_leaves_the_results_alone),
		cmocka_unit_test(
			a_saving_is_minutes_of_a_battery_and_watt_hours_of_a_year),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
