/* SPDX-License-Identifier: MIT */
#include "../support/calls.h"
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Arbitrary records and an arbitrary drive. The sorted idle times agree with
 * the simulator. No table beats the clairvoyant. The best table is within its
 * bounds, and is the best.
 */

#define MAX_IOS 64
#define MAX_ASLEEP 3

struct subject {
	struct ssdpm_model *model;
	uint32_t n_states;
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_sim_params params;
	struct ssdpm_service service;
	struct ssdpm_io ios[MAX_IOS];
	size_t n_ios;
	uint64_t end_ns;
	struct ssdpm_gaps *gaps;
};

static uint64_t nominal(const struct subject *s, uint32_t kind, uint32_t index)
{
	const struct ssdpm_parameter *found = find_parameter(
		s->parameters, s->params.n_parameters, kind, index);

	return found ? found->nominal : 0;
}

static void make_parameters(struct subject *s, struct bytes *bytes, bool wild)
{
	for (size_t i = 0; i < s->params.n_parameters; i++) {
		struct ssdpm_parameter *p = &s->parameters[i];
		uint64_t value = p->nominal;

		if (p->kind == SSDPM_PARAMETER_IDLE_POWER ||
		    p->kind == SSDPM_PARAMETER_TRANSITION_POWER)
			value = take_number(bytes, wild ? 4 : 1);
		if (p->kind == SSDPM_PARAMETER_ENTRY_LATENCY ||
		    p->kind == SSDPM_PARAMETER_EXIT_LATENCY)
			value = wild ? take_number(bytes, 4) :
				       50 * take_number(bytes, 1);
		if (p->kind == SSDPM_PARAMETER_BASE_LATENCY)
			s->service.base_ns[p->index] = value;
		if (p->kind == SSDPM_PARAMETER_BANDWIDTH)
			s->service.bytes_per_second[p->index] = value;
		p->low = p->nominal = p->high = value;
	}
}

static void make_drive(struct subject *s, struct bytes *bytes, bool wild)
{
	struct ssdpm_power_state states[1 + MAX_ASLEEP] = {
		{ .max_power_uw = 9000000 }
	};
	struct ssdpm_model_info info = { .size = sizeof(info),
					 .kind = SSDPM_KIND_NVME,
					 .apsta = 1,
					 .product = "Fuzz" };

	s->n_states = 2 + (uint32_t)take_number(bytes, 1) % MAX_ASLEEP;
	for (uint32_t i = 1; i < s->n_states; i++) {
		states[i].flags = SSDPM_STATE_NON_OPERATIONAL;
		states[i].max_power_uw = 1000;
	}
	check(!ssdpm_model_new(&info, states, s->n_states, &s->model, NULL),
	      "a drive is made");
	check(!ssdpm_sim_params_init(&s->params, sizeof(s->params)),
	      "parameters have defaults");
	check(!make_parameters_of(s->model, SSDPM_PCIE_L1, s->parameters,
				  &s->params.n_parameters, NULL),
	      "a drive has parameters");
	s->params.parameters = s->parameters;
	s->params.flags = take_number(bytes, 1) & SSDPM_SIM_IDLE_FROM_START;
	make_parameters(s, bytes, wild);
}

/* Feeds records until one is refused; false: there are no idle times. */
static bool make_gaps(struct subject *s, struct bytes *bytes, bool wild)
{
	struct ssdpm_error error;
	uint64_t now = 0;
	int err;

	for (; bytes->left && s->n_ios < MAX_IOS; s->n_ios++) {
		uint8_t what = (uint8_t)take_number(bytes, 1);

		now += take_number(bytes, wild ? what & 7 : 2) *
		       (wild || what & 8 ? 1 : 1000);
		s->ios[s->n_ios] = (struct ssdpm_io){
			.start_ns = now,
			.bytes = 4096,
			.service_ns = what & 16 ?
					      SSDPM_SERVICE_UNKNOWN :
					      (uint32_t)take_number(bytes, 2),
			.op = (uint8_t)(1 + (what >> 5) % 4),
			.flags = what >> 7,
		};
	}
	s->end_ns = now + take_number(bytes, 2);
	check(!ssdpm_gaps_new(&s->service, &s->gaps, NULL), "gaps are made");
	err = ssdpm_gaps_feed(s->gaps, s->ios, s->n_ios, &error);
	if (!err)
		err = ssdpm_gaps_finish(s->gaps, s->end_ns, &error);
	if (err)
		check_error(err, &error);
	return !err;
}

/* Converts to bytes and back; the result replaces the first one. */
static void check_data_of(struct subject *s)
{
	struct ssdpm_gaps *again;
	void *data, *data_again;
	size_t n, n_again;

	check(!ssdpm_gaps_to_data(s->gaps, &data, &n, NULL), "it is written");
	check(!ssdpm_gaps_from_data(data, n, &again, NULL), "it is read");
	check(!ssdpm_gaps_to_data(again, &data_again, &n_again, NULL),
	      "it is written again");
	check(n == n_again && !memcmp(data, data_again, n), "nothing is lost");
	free(data);
	free(data_again);
	ssdpm_gaps_unref(s->gaps);
	s->gaps = again;
}

static void make_table(struct subject *s, struct bytes *bytes, bool wild,
		       struct ssdpm_apst *table)
{
	*table = (struct ssdpm_apst){ .sent = 1, .enabled = 1 };
	for (uint32_t i = 0; i + 1 < s->n_states; i++)
		table->entries[i] = (struct ssdpm_apst_entry){
			.idle_ms =
				1 + (uint32_t)take_number(bytes, wild ? 3 : 1) %
					    SSDPM_APST_MAX_IDLE_MS,
			.target = i + 1 +
				  (uint32_t)take_number(bytes, 1) %
					  (s->n_states - i - 1),
		};
}

/* Compares two runs of one policy; the simulator rounds its quantiles up. */
static void check_same(const struct ssdpm_run *run,
		       const struct ssdpm_run *simulated)
{
	struct ssdpm_run rounded = *simulated;

	check(run->delay_p99_ns <= rounded.delay_p99_ns &&
		      rounded.delay_p99_ns - run->delay_p99_ns <=
			      run->delay_p99_ns / 64,
	      "quantiles agree");
	rounded.delay_p50_ns = run->delay_p50_ns;
	rounded.delay_p99_ns = run->delay_p99_ns;
	rounded.delay_p999_ns = run->delay_p999_ns;
	check(!memcmp(&rounded, run, sizeof(rounded)), "two ways agree");
}

static bool check_table(struct subject *s, const struct ssdpm_apst *table,
			struct ssdpm_run *run)
{
	struct estimated result = { 0 };
	struct ssdpm_sim_params params = s->params;
	struct ssdpm_sim *sim;
	struct ssdpm_error error;
	int err = sweep_gaps(s->gaps, s->model, &params, table, 1, run, &error);
	int sim_err;

	if (err)
		check_error(err, &error);
	params.apst = table;
	check(!ssdpm_sim_new(s->model, &params, &sim, NULL), "it simulates");
	sim_err = ssdpm_sim_feed(sim, s->ios, s->n_ios, NULL);
	if (!sim_err)
		sim_err = finish_sim(sim, s->end_ns, &result, NULL);
	ssdpm_sim_free(sim);
	check(err == sim_err, "two ways fail alike");
	if (!err)
		check_same(run, &result.nominal);
	return !err;
}

/* The transition draws most, and no state more than those before it. */
static bool is_orderly(const struct subject *s)
{
	uint64_t last = nominal(s, SSDPM_PARAMETER_TRANSITION_POWER, 0);

	for (uint32_t i = 0; i < s->n_states; i++) {
		uint64_t power = nominal(s, SSDPM_PARAMETER_IDLE_POWER, i);

		if (i)
			power += nominal(s, SSDPM_PARAMETER_LINK_POWER, 0);
		if (power > last)
			return false;
		last = power;
	}
	return true;
}

static void check_clairvoyant(const struct subject *s, bool wild,
			      const struct ssdpm_run *run)
{
	struct ssdpm_run least;
	int err = foresee_gaps(s->gaps, s->model, &s->params, &least, NULL);

	check(!err || wild, "somebody knows");
	if (!err && is_orderly(s))
		check(least.energy_nj <= run->energy_nj,
		      "who knows what comes needs least");
}

/* Checks how many states it leads to, and their exit latencies. */
static bool keeps_states(const struct subject *s,
			 const struct ssdpm_apst *table,
			 const struct ssdpm_bounds *bounds)
{
	uint32_t n = 0;

	for (uint32_t state = 0; table->entries[state].idle_ms; n++) {
		state = table->entries[state].target;
		if (nominal(s, SSDPM_PARAMETER_EXIT_LATENCY, state) >
		    bounds->max_exit_latency_us)
			return false;
	}
	return n <= bounds->max_states;
}

static void check_best(struct subject *s, struct bytes *bytes,
		       const struct ssdpm_apst *other_table,
		       const struct ssdpm_run *other)
{
	const struct ssdpm_bounds bounds = {
		.size = sizeof(bounds),
		.max_delay_mean_ns = take_number(bytes, 3),
		.max_delay_p99_ns = take_number(bytes, 3),
		.max_states = take_number(bytes, 1) % 16 ? 2 : 3,
		.max_exit_latency_us = take_number(bytes, 1) * 100,
	};
	struct ssdpm_apst table;
	struct ssdpm_error error;
	struct ssdpm_run run;
	uint64_t bound_nj, n_ios = 0;
	int err = find_best_table(s->gaps, s->model, &s->params, &bounds,
				  &table, &run, &bound_nj, &error);

	if (err) {
		check_error(err, &error);
		return;
	}
	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		n_ios += run.n_ios[op];
	check(!ssdpm_apst_validate(s->model, &table, NULL), "it is sound");
	check(run.delay_sum_ns <= bounds.max_delay_mean_ns * n_ios &&
		      run.delay_p99_ns <= bounds.max_delay_p99_ns,
	      "it keeps its bounds");
	check(keeps_states(s, &table, &bounds),
	      "it uses no more and no deeper states than the bounds allow");
	check(bound_nj <= run.energy_nj, "no table costs less");
	if (keeps_states(s, other_table, &bounds) &&
	    other->delay_sum_ns <= bounds.max_delay_mean_ns * n_ios &&
	    other->delay_p99_ns <= bounds.max_delay_p99_ns)
		check(bound_nj <= other->energy_nj, "not this one either");
}

int fuzz_gaps(const uint8_t *data, size_t size)
{
	struct bytes bytes = { data, size };
	bool wild = take_number(&bytes, 1) & 1;
	struct subject s = { 0 };
	struct ssdpm_run run;
	struct ssdpm_apst table;

	make_drive(&s, &bytes, wild);
	make_table(&s, &bytes, wild, &table);
	struct bytes bound_bytes = bytes;
	bool made = make_gaps(&s, &bytes, wild);

	if (made)
		check_data_of(&s);
	if (made && check_table(&s, &table, &run)) {
		check_clairvoyant(&s, wild, &run);
		/* Wild idle times have too many milliseconds to try. */
		if (!wild)
			check_best(&s, &bound_bytes, &table, &run);
	}
	ssdpm_gaps_unref(s.gaps);
	ssdpm_model_unref(s.model);
	return 0;
}

/*
 * Idle times from arbitrary bytes. Accepted bytes are written unchanged, and
 * every question gets an answer or an error.
 */

static struct ssdpm_model *make_known_drive(void)
{
	static const struct ssdpm_power_state states[] = {
		{ .max_power_uw = 9000000 },
		{ .max_power_uw = 50000,
		  .idle_power_uw = 40000,
		  .entry_latency_us = 2000,
		  .exit_latency_us = 3000,
		  .flags = SSDPM_STATE_NON_OPERATIONAL },
		{ .max_power_uw = 4000,
		  .idle_power_uw = 3000,
		  .entry_latency_us = 5000,
		  .exit_latency_us = 20000,
		  .flags = SSDPM_STATE_NON_OPERATIONAL },
	};
	const struct ssdpm_model_info info = { .size = sizeof(info),
					       .kind = SSDPM_KIND_NVME,
					       .apsta = 1,
					       .product = "Fuzz" };
	struct ssdpm_model *model = NULL;

	check(!ssdpm_model_new(&info, states, 3, &model, NULL),
	      "a drive is made");
	return model;
}

static void check_bytes(const struct ssdpm_gaps *gaps, const uint8_t *data,
			size_t size)
{
	void *again;
	size_t n;

	check(!ssdpm_gaps_to_data(gaps, &again, &n, NULL),
	      "what was read is written");
	check(n == size && !memcmp(again, data, n), "as the same bytes");
	free(again);
}

/* An idle time of an hour has too many milliseconds to try. */
static void check_best_of_data(const struct ssdpm_gaps *gaps,
			       const struct ssdpm_model *model,
			       const struct ssdpm_run *run)
{
	const struct ssdpm_bounds bounds = { .size = sizeof(bounds),
					     .max_delay_mean_ns = 1000000,
					     .max_delay_p99_ns = 10000000,
					     .max_states = 2,
					     .max_exit_latency_us = 100000 };
	struct ssdpm_apst table;
	struct ssdpm_run best;
	struct ssdpm_error error;
	int err;

	if (run->duration_ns > 10000000000)
		return;
	err = find_best_table(gaps, model, NULL, &bounds, &table, &best, NULL,
			      &error);
	if (err)
		check_error(err, &error);
	else
		check(!ssdpm_apst_validate(model, &table, NULL), "it is sound");
}

static void check_answers(const struct ssdpm_gaps *gaps)
{
	const struct ssdpm_apst table = { .entries = { { 3, 1 }, { 90, 2 } },
					  .sent = 1,
					  .enabled = 1 };
	struct ssdpm_model *model = make_known_drive();
	struct ssdpm_run run, least;
	struct ssdpm_error error;
	int err = sweep_gaps(gaps, model, NULL, &table, 1, &run, &error);

	if (err)
		check_error(err, &error);
	else
		check_best_of_data(gaps, model, &run);
	if (!err)
		check(run.delay_p50_ns <= run.delay_p99_ns &&
			      run.delay_p99_ns <= run.delay_p999_ns &&
			      run.delay_p999_ns <= run.delay_max_ns &&
			      run.n_wakes <= run.n_gaps + 1,
		      "the run is one");
	err = foresee_gaps(gaps, model, NULL, &least, &error);
	if (err)
		check_error(err, &error);
	ssdpm_model_unref(model);
}

int fuzz_gaps_data(const uint8_t *data, size_t size)
{
	struct ssdpm_gaps *gaps;
	struct ssdpm_error error;
	int err = ssdpm_gaps_from_data(data, size, &gaps, &error);

	if (err) {
		check_error(err, &error);
		check(err == -EINVAL || err == -ENOMEM, "it is a known code");
		return 0;
	}
	check_bytes(gaps, data, size);
	check_answers(gaps);
	ssdpm_gaps_unref(gaps);
	return 0;
}
