/* SPDX-License-Identifier: MIT */
/*
 * The truth is made here without anything of the library: bursts of I/Os, the
 * states that the table leads to in the gaps, the wait of what wakes the drive,
 * and the mean power of each step of the instrument.
 */
#include "calibrate-truth.h"

#include <math.h>

static const double entry_s[TRUTH_STATES] = { 0, 0.004, 0.015 };
static const double idle_s[TRUTH_STATES] = { 0.3, 2, 0 }; /* before the next */

double truth_uniform(uint64_t *seed)
{
	return ((double)(fixture_random(seed) >> 11) + 0.5) /
	       9007199254740992.0;
}

double truth_normal(uint64_t *seed)
{
	double radius = sqrt(-2 * log(truth_uniform(seed)));

	return radius * cos(6.283185307179586 * truth_uniform(seed));
}

static double between(uint64_t *seed, double low, double high)
{
	return low + (high - low) * truth_uniform(seed);
}

struct truth truth_random(uint64_t *seed)
{
	struct truth truth = { 0 };

	truth.idle_w[0] = between(seed, 0.5, 1.5);
	truth.idle_w[1] = between(seed, 0.05, 0.4);
	truth.idle_w[2] = between(seed, 0.002, 0.05);
	truth.active_w[0] = between(seed, 2, 4);
	truth.active_w[1] = between(seed, 3, 7);
	truth.transition_w = between(seed, 0.8, 2);
	truth.exit_s[1] = between(seed, 0.0005, 0.01);
	truth.exit_s[2] = between(seed, 0.005, 0.06);
	truth.sigma_w = between(seed, 0.01, 0.1);
	if (truth_uniform(seed) < 0.7)
		truth.phi = between(seed, 0, 0.9);
	if (truth_uniform(seed) < 0.3)
		truth.spikes = between(seed, 0, 0.01);
	if (truth_uniform(seed) < 0.3)
		truth.quantum_w = truth.sigma_w * between(seed, 0, 1);
	if (truth_uniform(seed) < 0.3)
		truth.drift_w = truth.sigma_w * between(seed, -4, 4);
	if (truth_uniform(seed) < 0.25)
		truth.offset_ns = (int64_t)between(seed, -2e9, 2e9);
	return truth;
}

void truth_add_energies(struct truth *truth, uint64_t *seed)
{
	for (int op = 0; op < 2; op++) {
		truth->io_j[op] = between(seed, 0.0005, 0.005);
		truth->byte_j[op] = between(seed, 1e-8, 2e-7);
	}
}

void truth_add_offset(struct truth *truth, uint64_t *seed)
{
	truth->offset_ns = (int64_t)between(seed, -2e9, 2e9);
}

double truth_value(const struct truth *truth, uint32_t kind, uint32_t index)
{
	switch (kind) {
	case SSDPM_PARAMETER_IDLE_POWER:
		return index < TRUTH_STATES ? truth->idle_w[index] * 1e6 : NAN;
	case SSDPM_PARAMETER_ACTIVE_POWER:
		return index < 2 ? truth->active_w[index] * 1e6 : NAN;
	case SSDPM_PARAMETER_TRANSITION_POWER:
		return truth->transition_w * 1e6;
	case SSDPM_PARAMETER_EXIT_LATENCY:
		return index < TRUTH_STATES ? truth->exit_s[index] * 1e6 : NAN;
	case SSDPM_PARAMETER_OPERATION_ENERGY:
		return index < 2 ? truth->io_j[index] * 1e9 : NAN;
	case SSDPM_PARAMETER_BYTE_ENERGY:
		return index < 2 ? truth->byte_j[index] * 1e12 : NAN;
	default:
		return NAN;
	}
}

struct maker {
	const struct truth *truth;
	struct truth_run *run;
	double step_s;
	double now_s; /* on the clock of the I/Os */
	double begin_s;
};

/* The drive is so for a time. */
static void spend(struct maker *maker, size_t column, double seconds)
{
	double begin = (maker->now_s - maker->begin_s) / maker->step_s;
	double end = begin + seconds / maker->step_s;

	maker->now_s += seconds;
	for (size_t row = (size_t)fmax(begin, 0);
	     row < maker->run->n && (double)row < end; row++)
		maker->run->design[row * TRUTH_COLUMNS + column] +=
			fmax(0, fmin(end, (double)(row + 1)) -
					fmax(begin, (double)row));
}

/* Return: how long the I/O at its end has to wait. */
static double rest(struct maker *maker, double seconds)
{
	size_t state = 0;

	for (; state + 1 < TRUTH_STATES && seconds > idle_s[state]; state++) {
		spend(maker, state, idle_s[state]);
		seconds -= idle_s[state];
		if (seconds < entry_s[state + 1]) {
			spend(maker, 5, seconds);
			return entry_s[state + 1] - seconds +
			       maker->truth->exit_s[state + 1];
		}
		spend(maker, 5, entry_s[state + 1]);
		seconds -= entry_s[state + 1];
	}
	spend(maker, state, seconds);
	maker->run->n_wakes[state]++;
	return maker->truth->exit_s[state];
}

/* Evenly over the service, the wait too: nobody can tell them apart. In all so
 * many operations, or bytes. */
static void add_energy(struct maker *maker, size_t column, double amount,
		       double wait_s, double service_s)
{
	double begin = (maker->now_s - wait_s - maker->begin_s) / maker->step_s;
	double bins = (wait_s + service_s) / maker->step_s;

	for (size_t row = (size_t)fmax(begin, 0);
	     row < maker->run->n && (double)row < begin + bins; row++)
		maker->run->design[row * TRUTH_COLUMNS + column] +=
			amount / maker->step_s / bins *
			(fmin(begin + bins, (double)(row + 1)) -
			 fmax(begin, (double)row));
}

static void add_io(struct maker *maker, uint8_t op, double wait_s,
		   uint64_t *seed)
{
	uint32_t size = truth_uniform(seed) < 0.5 ? 4096 : 131072;
	double service_s = (size == 4096 ? 1e-4 : 6e-4) * (op == 1 ? 1 : 3) *
			   exp(0.3 * truth_normal(seed)) * 10;
	struct truth_run *run = maker->run;

	run->ios[run->n_ios++] = (struct ssdpm_io){
		.start_ns = (uint64_t)llround(maker->now_s * 1e9),
		.bytes = size,
		.service_ns = (uint32_t)llround((wait_s + service_s) * 1e9),
		.op = op,
	};
	spend(maker, 5, wait_s);
	add_energy(maker, TRUTH_POWERS - 1u + op, 1, wait_s, service_s);
	add_energy(maker, TRUTH_POWERS + 1u + op, size, wait_s, service_s);
	spend(maker, 2 + op, service_s);
}

static void burst(struct maker *maker, double wait_s, uint64_t *seed)
{
	uint8_t op = truth_uniform(seed) < 0.5 ? SSDPM_OP_READ : SSDPM_OP_WRITE;
	unsigned int n = 1 + (unsigned int)(60 * truth_uniform(seed));

	if (truth_uniform(seed) < 0.5)
		n = 1;
	for (unsigned int i = 0; i < n; i++) {
		add_io(maker, op, wait_s, seed);
		wait_s = 0;
		/* Some wait a little, with nothing to do. */
		if (i + 1 < n && truth_uniform(seed) < 0.2)
			rest(maker, 0.01 * truth_uniform(seed));
	}
}

static void add_noise(struct truth_run *run, const struct truth *truth,
		      uint64_t *seed)
{
	const double values[TRUTH_COLUMNS] = {
		truth->idle_w[0],   truth->idle_w[1],	truth->idle_w[2],
		truth->active_w[0], truth->active_w[1], truth->transition_w,
		truth->drift_w,	    truth->io_j[0],	truth->io_j[1],
		truth->byte_j[0],   truth->byte_j[1],
	};
	double noise = truth_normal(seed);
	double innovation = sqrt(1 - truth->phi * truth->phi);

	for (size_t i = 0; i < run->n; i++) {
		double power_w = run->power_w[i] + truth->sigma_w * noise;

		run->design[i * TRUTH_COLUMNS + 6] =
			(double)i / (double)run->n - 0.5;
		for (size_t j = 0; j < TRUTH_COLUMNS; j++)
			power_w +=
				run->design[i * TRUTH_COLUMNS + j] * values[j];
		if (truth_uniform(seed) < truth->spikes) {
			power_w += truth->sigma_w * between(seed, 8, 40);
			run->spikes[i] = 1;
		}
		if (truth->quantum_w > 0)
			power_w = truth->quantum_w *
				  floor(power_w / truth->quantum_w + 0.5);
		run->power_w[i] = power_w;
		noise = truth->phi * noise + innovation * truth_normal(seed);
	}
}

/* What it says of itself is wrong of the exit latencies, as is that of many. */
static void describe_drive(struct truth_run *run)
{
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_power_state states[TRUTH_STATES] = {
		{ .max_power_uw = 6000000 },
		{ .max_power_uw = 300000,
		  .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .entry_latency_us = 4000,
		  .exit_latency_us = 2000 },
		{ .max_power_uw = 5000,
		  .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .entry_latency_us = 15000,
		  .exit_latency_us = 8000 },
	};

	for (size_t i = 0; i < TRUTH_STATES; i++)
		states[i].unknown =
			SSDPM_FIELD_ACTIVE_POWER | SSDPM_FIELD_IDLE_POWER;
	assert_int_equal(
		ssdpm_model_new(&info, states, TRUTH_STATES, &run->model, NULL),
		0);
	run->apst.sent = run->apst.enabled = 1;
	run->apst.entries[0] = (struct ssdpm_apst_entry){ 300, 1 };
	run->apst.entries[1] = (struct ssdpm_apst_entry){ 2000, 2 };
}

struct truth_run truth_run(const struct truth *truth, size_t n, double step_s,
			   uint64_t *seed)
{
	struct truth_run run = { .n = n };
	struct maker maker = { truth, &run, step_s, 10, 10 };
	double end_s = maker.begin_s + (double)n * step_s;
	size_t max_ios = (size_t)((end_s - maker.begin_s) * 1000) + 200;

	describe_drive(&run);
	run.ios = calloc(max_ios, sizeof(*run.ios));
	run.power_w = calloc(n, sizeof(*run.power_w));
	run.design = calloc(n * TRUTH_COLUMNS, sizeof(*run.design));
	run.spikes = calloc(n, 1);
	assert_non_null(run.spikes);
	burst(&maker, 0, seed);
	while (maker.now_s < end_s - 8) {
		double gap_s = -0.15 * log(truth_uniform(seed));

		if (truth_uniform(seed) < 0.4)
			gap_s = between(seed, 0.3, 8);
		burst(&maker, rest(&maker, gap_s), seed);
	}
	rest(&maker, end_s - maker.now_s + step_s);
	add_noise(&run, truth, seed);
	run.samples = (struct ssdpm_samples){
		.power_w = run.power_w,
		.n = n,
		.start_ns = llround((maker.begin_s + step_s / 2) * 1e9) -
			    truth->offset_ns,
		.interval_ns = step_s * 1e9,
		.type = SSDPM_SAMPLE_FLOAT64,
	};
	return run;
}

void truth_run_free(struct truth_run *run)
{
	ssdpm_model_unref(run->model);
	free(run->ios);
	free(run->power_w);
	free(run->design);
	free(run->spikes);
}

int truth_calibrate(const struct truth_run *run,
		    const struct ssdpm_calibrate_params *params,
		    struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS],
		    struct ssdpm_calibration *calibration,
		    struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params sim_params;

	assert_int_equal(ssdpm_sim_params_init(&sim_params, sizeof(sim_params)),
			 0);
	sim_params.apst = &run->apst;
	calibration->size = sizeof(*calibration);
	return ssdpm_calibrate(run->model, &sim_params, run->ios, run->n_ios,
			       &run->samples, params, measured, calibration,
			       reterr);
}
