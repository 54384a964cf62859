/* SPDX-License-Identifier: MIT */
/*
 * Simulations. The first bytes make a drive and a policy, the others records:
 * eight for each. Whatever they are, times add up, bounds hold the nominal run,
 * in pieces it is the same, and without a policy so are both loops.
 */
#include "../support/calls.h"
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RECORDS = 64, N_STATES = 4, HEAD = 24, RECORD = 8 };

struct input {
	const uint8_t *at;
	const uint8_t *end;
};

static uint8_t next(struct input *input)
{
	return input->at < input->end ? *input->at++ : 0;
}

/* Few bits of how much, many orders of magnitude. */
static uint64_t spread(struct input *input)
{
	uint8_t byte = next(input);

	return (uint64_t)(byte & 7) << (byte >> 3) << (byte >> 4);
}

static struct ssdpm_model *make_drive(struct input *input)
{
	struct ssdpm_power_state states[N_STATES] = { 0 };

	for (size_t i = 0; i < N_STATES; i++) {
		uint8_t byte = next(input);

		states[i].flags = i ? byte & 1 : 0;
		states[i].unknown =
			SSDPM_FIELD_IDLE_POWER | SSDPM_FIELD_ACTIVE_POWER;
		if (byte & 2)
			states[i].unknown |= SSDPM_FIELD_EXIT_LATENCY;
		else
			states[i].exit_latency_us = 1u << (byte >> 4);
		states[i].entry_latency_us = byte >> 2 & 3;
		states[i].max_power_uw = 1000u << (byte >> 4);
	}
	return make_nameless_drive(states, N_STATES);
}

static size_t make_records(struct input *input, struct ssdpm_io *ios)
{
	uint64_t start = spread(input) << (next(input) & 31);
	size_t n = 0;

	for (; n < MAX_RECORDS && input->end - input->at >= RECORD; n++) {
		uint8_t kind = next(input);

		start += spread(input) * (1u + next(input));
		start += spread(input);
		ios[n] = (struct ssdpm_io){
			.start_ns = start,
			.bytes = (uint32_t)spread(input),
			.service_ns = (uint32_t)spread(input),
			.op = kind % 6,
			.flags = kind >> 4 & 1,
		};
		/* Wrong operations end a run: not too often. */
		if (kind & 32)
			ios[n].op = 1 + kind % 4;
		if (kind & 64)
			ios[n].service_ns = SSDPM_SERVICE_UNKNOWN;
		input->at += 2;
	}
	return n;
}

static void check_sums(const struct ssdpm_run *run)
{
	uint64_t idle = 0, entry = 0, leave = 0, busy = 0, wakes = 0;

	for (int i = 0; i < SSDPM_MAX_STATES; i++) {
		idle += run->states[i].time_ns;
		entry += run->states[i].entry_ns;
		leave += run->states[i].exit_ns;
		wakes += run->states[i].n_wakes;
	}
	for (int op = 0; op < SSDPM_N_OPS; op++)
		busy += run->busy_ns_by_op[op];
	check(idle == run->idle_ns && entry == run->entry_ns &&
		      leave == run->exit_ns && busy == run->busy_ns &&
		      wakes == run->n_wakes,
	      "the states add up");
	check(idle + entry + leave + busy == run->duration_ns,
	      "the times add up to the duration");
	check(run->delay_p50_ns <= run->delay_p99_ns &&
		      run->delay_p99_ns <= run->delay_p999_ns &&
		      run->delay_p999_ns <= run->delay_max_ns,
	      "quantiles are in order");
	check(run->transition_nj <= run->energy_nj && wakes <= run->n_gaps,
	      "parts are less than the whole");
}

static void check_bounds(const struct estimated *result)
{
	enum {
		BEGIN = offsetof(struct ssdpm_run, duration_ns),
		N = (sizeof(struct ssdpm_run) - BEGIN) / sizeof(uint64_t),
	};
	uint64_t low[N], nominal[N], high[N];

	memcpy(low, &result->low.duration_ns, sizeof(low));
	memcpy(nominal, &result->nominal.duration_ns, sizeof(nominal));
	memcpy(high, &result->high.duration_ns, sizeof(high));
	for (int i = 0; i < N; i++)
		check(low[i] <= nominal[i] && nominal[i] <= high[i],
		      "bounds hold the nominal run");
	check(result->assumed_nj <= result->nominal.energy_nj,
	      "what is assumed is part of it");
}

/* No power is higher than the highest. */
static void check_energy(const struct ssdpm_sim *sim,
			 const struct ssdpm_run *run)
{
	size_t n;
	const struct ssdpm_parameter *p = ssdpm_sim_get_parameters(sim, &n);
	uint64_t most_uw = 0;

	for (; n--; p++)
		if (p->kind <= SSDPM_PARAMETER_TRANSITION_POWER &&
		    p->nominal > most_uw)
			most_uw = p->nominal;
	check((double)run->energy_nj <=
		      (double)run->duration_ns * (double)most_uw * 1.000001e-6 +
			      1,
	      "energy is at most the highest power all the time");
}

static void note(void *userdata, uint64_t time_ns, uint32_t phase,
		 uint32_t state)
{
	uint64_t *last = userdata;

	check(time_ns >= *last, "changes come in the order of time");
	check(phase >= SSDPM_PHASE_BUSY && phase <= SSDPM_PHASE_END &&
		      state < N_STATES,
	      "phases and states are known");
	*last = time_ns;
}

static void check_intervals(const struct ssdpm_sim *sim,
			    const struct ssdpm_run *run)
{
	struct ssdpm_interval sum = { 0 };
	size_t n;
	const struct ssdpm_interval *intervals =
		ssdpm_sim_get_intervals(sim, &n);

	for (size_t i = 0; i < n; i++) {
		sum.busy_ns += intervals[i].busy_ns;
		sum.idle_ns += intervals[i].idle_ns + intervals[i].asleep_ns;
		sum.transition_ns += intervals[i].transition_ns;
		sum.delay_sum_ns += intervals[i].delay_sum_ns;
	}
	check(sum.busy_ns == run->busy_ns && sum.idle_ns == run->idle_ns &&
		      sum.transition_ns == run->entry_ns + run->exit_ns &&
		      sum.delay_sum_ns == run->delay_sum_ns,
	      "intervals sum up to the run");
}

/* All at once, or in pieces and told. */
static int run(const struct ssdpm_model *model,
	       const struct ssdpm_sim_params *params,
	       const struct ssdpm_io *ios, size_t n, size_t piece,
	       uint64_t end_ns, struct estimated *result)
{
	struct ssdpm_error error;
	struct ssdpm_sim *sim;
	uint64_t last = 0;
	int err = ssdpm_sim_new(model, params, &sim, &error);

	if (err) {
		check_error(err, &error);
		return err;
	}
	if (piece)
		ssdpm_sim_set_change_fn(sim, note, &last);
	else
		piece = MAX_RECORDS;
	for (size_t at = 0; at < n && !err; at += piece)
		err = ssdpm_sim_feed(sim, ios + at,
				     piece < n - at ? piece : n - at, &error);
	if (!err)
		err = finish_sim(sim, end_ns, result, &error);
	if (err)
		check_error(err, &error);
	else
		check_energy(sim, &result->nominal);
	if (!err && params->interval_ns)
		check_intervals(sim, &result->nominal);
	ssdpm_sim_free(sim);
	return err;
}

/* A drive that never sleeps delays nothing. */
static void check_loops(const struct ssdpm_model *model,
			struct ssdpm_sim_params params,
			const struct ssdpm_io *ios, size_t n, uint64_t end_ns)
{
	struct estimated closed = { 0 }, open = closed;

	params.apst = NULL;
	params.interval_ns = 0;
	params.loop = SSDPM_LOOP_CLOSED;
	int err = run(model, &params, ios, n, 0, end_ns, &closed);
	params.loop = SSDPM_LOOP_OPEN;
	check(err == run(model, &params, ios, n, 0, end_ns, &open),
	      "both loops end in the same way");
	if (!err)
		check(!memcmp(&closed, &open, sizeof(open)),
		      "both loops are the same without delays");
}

int fuzz_sim(const uint8_t *data, size_t size)
{
	struct input input = { data, data + size };
	struct estimated whole = { 0 }, pieces = whole;
	struct ssdpm_io ios[MAX_RECORDS];
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };
	struct ssdpm_sim_params params;

	if (size < HEAD)
		return 0;
	struct ssdpm_model *model = make_drive(&input);
	ssdpm_sim_params_init(&params, sizeof(params));
	params.apst = &table;
	params.loop = 1 + (next(&input) & 1);
	params.flags = next(&input) & 1;
	for (uint32_t i = 0; i + 1 < N_STATES; i++) {
		table.entries[i].idle_ms = next(&input);
		if (table.entries[i].idle_ms)
			table.entries[i].target =
				i + 1 + next(&input) % (N_STATES - i);
	}
	size_t piece = 1 + next(&input) % 70;
	uint64_t end = spread(&input) * (1u + next(&input));
	size_t n = make_records(&input, ios);

	int err = run(model, &params, ios, n, 0, end, &whole);
	int again = run(model, &params, ios, n, piece, end, &pieces);
	check(err == again, "in pieces it ends in the same way");
	if (!err) {
		check_sums(&whole.nominal);
		check_bounds(&whole);
		check(!memcmp(&whole, &pieces, sizeof(whole)),
		      "in pieces it is the same");
		params.interval_ns = whole.nominal.duration_ns / 40 + 1;
		check(!run(model, &params, ios, n, piece, end, &pieces),
		      "with intervals it works too");
		check(!memcmp(&whole, &pieces, sizeof(whole)),
		      "with intervals it is the same");
	}
	check_loops(model, params, ios, n, end);
	ssdpm_model_unref(model);
	return 0;
}
