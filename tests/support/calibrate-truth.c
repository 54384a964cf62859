/* SPDX-License-Identifier: MIT */
/*
 * Makes the truth without any code of the library. It has bursts of I/Os, the
 * states that the table reaches in the gaps, and the waits of wakes. Then it
 * takes the mean power of each step of the instrument.
 */
#include "calls.h"
#include "calibrate-truth.h"

#include <math.h>

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

void truth_follow_table(struct truth *truth)
{
	truth->steps[0] = (struct truth_step){ 1, 0.3, 0.004 };
	truth->steps[1] = (struct truth_step){ 2, 2, 0.015 };
	truth->n_steps = 2;
}

static void draw_noise(struct truth *truth, uint64_t *seed)
{
	truth->sigma_w = between(seed, 0.01, 0.1);
	if (truth_uniform(seed) < 0.7)
		truth->phi = between(seed, 0, 0.9);
	if (truth_uniform(seed) < 0.3)
		truth->spikes = between(seed, 0, 0.01);
	if (truth_uniform(seed) < 0.3)
		truth->quantum_w = truth->sigma_w * between(seed, 0, 1);
	if (truth_uniform(seed) < 0.3)
		truth->drift_w = truth->sigma_w * between(seed, -4, 4);
}

struct truth truth_random(uint64_t *seed)
{
	struct truth truth = { 0 };

	truth_follow_table(&truth);
	truth.idle_w[0] = between(seed, 0.5, 1.5);
	truth.idle_w[1] = between(seed, 0.05, 0.4);
	truth.idle_w[2] = between(seed, 0.002, 0.05);
	truth.active_w[0] = between(seed, 2, 4);
	truth.active_w[1] = between(seed, 3, 7);
	truth.transition_w = between(seed, 0.8, 2);
	truth.exit_s[1] = between(seed, 0.0005, 0.01);
	truth.exit_s[2] = between(seed, 0.005, 0.06);
	draw_noise(&truth, seed);
	if (truth_uniform(seed) < 0.25)
		truth.offset_ns = (int64_t)between(seed, -2e9, 2e9);
	return truth;
}

/*
 * The states of the link on the way down. A drive enters all but DevSleep by a
 * handshake.
 */
static void follow_link(struct truth *truth, uint64_t *seed)
{
	static const uint32_t policies[] = {
		SSDPM_LPM_MED_POWER_WITH_DIPM,
		SSDPM_LPM_MIN_POWER_WITH_PARTIAL,
		SSDPM_LPM_MIN_POWER,
	};
	double partial_s = between(seed, 0.001, 0.02);
	double slumber_s = between(seed, 0.05, 0.3);

	truth->lpm = policies[(size_t)(3 * truth_uniform(seed))];
	/* The host requests slumber as soon as it would request partial. */
	truth->steps[truth->n_steps++] =
		(struct truth_step){ truth->lpm == SSDPM_LPM_MIN_POWER ? 2 : 1,
				     partial_s, 0 };
	if (truth->lpm != SSDPM_LPM_MIN_POWER)
		truth->steps[truth->n_steps++] =
			(struct truth_step){ 2, slumber_s, 0 };
	if (truth->lpm != SSDPM_LPM_MED_POWER_WITH_DIPM)
		truth->steps[truth->n_steps++] =
			(struct truth_step){ 3, 1, 0.01 };
}

struct truth truth_random_sata(uint64_t *seed)
{
	struct truth truth = { 0 };

	follow_link(&truth, seed);
	truth.idle_w[0] = between(seed, 0.4, 1);
	truth.idle_w[1] = between(seed, 0.1, 0.35);
	truth.idle_w[2] = between(seed, 0.03, 0.1);
	truth.idle_w[3] = between(seed, 0.001, 0.01);
	truth.active_w[0] = between(seed, 1.5, 3);
	truth.active_w[1] = between(seed, 2, 4);
	truth.transition_w = between(seed, 0.4, 1.5);
	truth.exit_s[1] = between(seed, 2e-6, 1e-5);
	truth.exit_s[2] = between(seed, 0.001, 0.01);
	truth.exit_s[3] = between(seed, 0.005, 0.06);
	draw_noise(&truth, seed);
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

/* The integral of a step at 0 after the low pass. */
static double step_integral(double t_s, double response_s)
{
	if (t_s <= 0)
		return 0;
	return response_s > 0 ? t_s + response_s * expm1(-t_s / response_s) :
				t_s;
}

static double step_value(double t_s, double response_s)
{
	if (t_s < 0)
		return 0;
	return response_s > 0 ? -expm1(-t_s / response_s) : 1;
}

/* The share of a row between begin and end, both from the start of the row. */
static double share_of_row(const struct maker *maker, double begin_s,
			   double end_s)
{
	const struct truth_meter *meter = &maker->truth->meter;
	double t_s = maker->step_s, tau_s = meter->response_s;

	if (meter->point)
		return step_value(t_s / 2 - begin_s, tau_s) -
		       step_value(t_s / 2 - end_s, tau_s);
	return (step_integral(t_s - begin_s, tau_s) -
		step_integral(-begin_s, tau_s) -
		step_integral(t_s - end_s, tau_s) +
		step_integral(-end_s, tau_s)) /
	       t_s;
}

/*
 * Adds an amount of a column over a time, as the meter shows it. After 40
 * response times, nothing of a low pass is left.
 */
static void add(struct maker *maker, size_t column, double begin_s,
		double end_s, double amount)
{
	double last_s = end_s + 40 * maker->truth->meter.response_s;
	double first = (begin_s - maker->begin_s) / maker->step_s;
	double last = (last_s - maker->begin_s) / maker->step_s;

	for (size_t row = (size_t)fmax(first, 0);
	     row < maker->run->n && (double)row < last; row++) {
		double at_s = maker->begin_s + (double)row * maker->step_s;

		maker->run->design[row * TRUTH_COLUMNS + column] +=
			amount *
			share_of_row(maker, begin_s - at_s, end_s - at_s);
	}
}

/* Spends time in one activity. */
static void spend(struct maker *maker, size_t column, double seconds)
{
	add(maker, column, maker->now_s, maker->now_s + seconds, 1);
	maker->now_s += seconds;
}

/* Return: how long the I/O at its end waits. */
static double rest(struct maker *maker, double seconds)
{
	const struct truth *truth = maker->truth;
	size_t state = 0;

	for (size_t i = 0;
	     i < truth->n_steps && seconds > truth->steps[i].idle_s; i++) {
		const struct truth_step *step = &truth->steps[i];

		spend(maker, state, step->idle_s);
		seconds -= step->idle_s;
		if (seconds < step->entry_s) {
			spend(maker, TRUTH_TRANSITION, seconds);
			return step->entry_s - seconds +
			       truth->exit_s[step->state];
		}
		spend(maker, TRUTH_TRANSITION, step->entry_s);
		seconds -= step->entry_s;
		state = step->state;
	}
	spend(maker, state, seconds);
	maker->run->n_wakes[state]++;
	return truth->exit_s[state];
}

/*
 * Spreads energy evenly over the service with the wait, because they cannot be
 * told apart. The amount is in operations, or in bytes.
 */
static void add_energy(struct maker *maker, size_t column, double amount,
		       double wait_s, double service_s)
{
	add(maker, column, maker->now_s - wait_s, maker->now_s + service_s,
	    amount / (wait_s + service_s));
}

static void add_io(struct maker *maker, uint8_t op, double wait_s,
		   uint64_t *seed)
{
	uint32_t size = truth_uniform(seed) < 0.5 ? 4096 : 131072;
	double service_s = (size == 4096 ? 1e-4 : 6e-4) * (op == 1 ? 1 : 3) *
			   exp(0.3 * truth_normal(seed)) * 10;
	struct truth_run *run = maker->run;
	double waited_s = maker->truth->meter.no_wait ? 0 : wait_s;

	run->ios[run->n_ios++] = (struct ssdpm_io){
		.start_ns = (uint64_t)llround(maker->now_s * 1e9),
		.bytes = size,
		.service_ns = (uint32_t)llround((waited_s + service_s) * 1e9),
		.op = op,
	};
	spend(maker, TRUTH_TRANSITION, wait_s);
	add_energy(maker, TRUTH_IO - 1u + op, 1, wait_s, service_s);
	add_energy(maker, TRUTH_BYTE - 1u + op, size, wait_s, service_s);
	spend(maker, TRUTH_ACTIVE - 1u + op, service_s);
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
		/* Some wait a little, without work. */
		if (i + 1 < n && truth_uniform(seed) < 0.2)
			wait_s = rest(maker, 0.01 * truth_uniform(seed));
	}
}

static void add_noise(struct truth_run *run, const struct truth *truth,
		      uint64_t *seed)
{
	const double values[TRUTH_COLUMNS] = {
		truth->idle_w[0],    truth->idle_w[1],	 truth->idle_w[2],
		truth->idle_w[3],    truth->active_w[0], truth->active_w[1],
		truth->transition_w, truth->drift_w,	 truth->io_j[0],
		truth->io_j[1],	     truth->byte_j[0],	 truth->byte_j[1],
	};
	double noise = truth_normal(seed);
	double innovation = sqrt(1 - truth->phi * truth->phi);
	double walk_w = 0,
	       stride_w = truth->meter.walk_w / sqrt((double)run->n);

	for (size_t i = 0; i < run->n; i++) {
		double power_w = run->power_w[i] + truth->sigma_w * noise;

		run->design[i * TRUTH_COLUMNS + TRUTH_DRIFT] =
			(double)i / (double)run->n - 0.5;
		for (size_t j = 0; j < TRUTH_COLUMNS; j++)
			power_w +=
				run->design[i * TRUTH_COLUMNS + j] * values[j] *
				(j == TRUTH_DRIFT ? 1 : 1 + truth->meter.gain);
		if (stride_w > 0) {
			walk_w += stride_w * truth_normal(seed);
			power_w += walk_w;
		}
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

/* Its declared exit latencies are wrong, as those of many drives are. */
static void describe_nvme(struct truth_run *run)
{
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_power_state states[] = {
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
	size_t n = sizeof(states) / sizeof(states[0]);

	for (size_t i = 0; i < n; i++)
		states[i].unknown =
			SSDPM_FIELD_ACTIVE_POWER | SSDPM_FIELD_IDLE_POWER;
	assert_int_equal(ssdpm_model_new(&info, states, n, &run->model, NULL),
			 0);
	run->apst.sent = run->apst.enabled = 1;
	run->apst.entries[0] = (struct ssdpm_apst_entry){ 300, 1 };
	run->apst.entries[1] = (struct ssdpm_apst_entry){ 2000, 2 };
}

/* It declares 10 us, 10 ms and 20 ms to leave its states. */
static void describe_sata(struct truth_run *run, const struct truth *truth)
{
	uint16_t words[256];
	uint8_t bytes[512];
	uint32_t before = 0;

	fixture_ata_words(words);
	words[76] |= 1 << 9; /* the host may ask too */
	fixture_ata_bytes(words, bytes);
	assert_int_equal(fixture_read((const char *)bytes, sizeof(bytes),
				      &run->model, NULL),
			 0);
	run->lpm = truth->lpm;
	assert_int_equal(make_parameters_of(run->model, SSDPM_PCIE_L1_2,
					    run->parameters, &run->n_parameters,
					    NULL),
			 0);
	for (size_t i = 0; i < truth->n_steps; i++) {
		/* The timer of partial is that of the host for slumber, too. */
		uint32_t timer = before ? (uint32_t)truth->steps[i].state : 1;
		uint64_t us = (uint64_t)llround(truth->steps[i].idle_s * 1e6);

		assert_int_equal(set_parameter(run->parameters,
					       run->n_parameters,
					       SSDPM_PARAMETER_LINK_IDLE_TIME,
					       timer, us, us, us, NULL),
				 0);
		before = timer;
	}
}

struct truth_run truth_run(const struct truth *truth, size_t n, double step_s,
			   uint64_t *seed)
{
	struct truth_run run = { .n = n };
	struct maker maker = { truth, &run, step_s * (1 + truth->meter.clock),
			       10, 10 };
	double end_s = maker.begin_s + (double)n * maker.step_s;
	size_t max_ios = (size_t)((end_s - maker.begin_s) * 1000) + 200;

	if (truth->lpm)
		describe_sata(&run, truth);
	else
		describe_nvme(&run);
	run.ios = calloc(max_ios, sizeof(*run.ios));
	run.power_w = calloc(n, sizeof(*run.power_w));
	run.design = calloc(n * TRUTH_COLUMNS, sizeof(*run.design));
	run.spikes = calloc(n, 1);
	assert_non_null(run.spikes);
	/* The low pass remembers that the drive idled before. */
	add(&maker, 0, maker.begin_s - 40 * truth->meter.response_s,
	    maker.begin_s, 1);
	burst(&maker, 0, seed);
	while (maker.now_s < end_s - 8) {
		double gap_s = -0.15 * log(truth_uniform(seed));

		if (truth_uniform(seed) < 0.4)
			gap_s = between(seed, 0.3, 8);
		burst(&maker, rest(&maker, gap_s), seed);
	}
	rest(&maker, end_s - maker.now_s + maker.step_s);
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

struct truth_run truth_run_random(const struct truth *truth, uint64_t *seed)
{
	size_t n = 1000 + (size_t)(3000 * truth_uniform(seed));
	double step_s = 0.02 + 0.08 * truth_uniform(seed);

	return truth_run(truth, n, step_s, seed);
}

void truth_run_free(struct truth_run *run)
{
	ssdpm_model_unref(run->model);
	free(run->ios);
	free(run->power_w);
	free(run->design);
	free(run->spikes);
}

struct ssdpm_sim_params truth_sim_params(const struct truth_run *run)
{
	struct ssdpm_sim_params params;

	assert_int_equal(ssdpm_sim_params_init(&params, sizeof(params)), 0);
	if (run->lpm) {
		params.lpm = run->lpm;
		params.parameters = run->parameters;
		params.n_parameters = run->n_parameters;
	} else {
		params.apst = &run->apst;
	}
	return params;
}

int truth_calibrate(const struct truth_run *run,
		    const struct ssdpm_calibrate_params *params,
		    struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS],
		    struct ssdpm_calibration *calibration,
		    struct ssdpm_error *reterr)
{
	const struct ssdpm_sim_params sim_params = truth_sim_params(run);

	calibration->size = sizeof(*calibration);
	return calibrate_run(run->model, &sim_params, run->ios, run->n_ios,
			     &run->samples, params, measured, calibration,
			     reterr);
}
