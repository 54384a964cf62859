/* SPDX-License-Identifier: MIT */
/*
 * A trace under a cap, through the simulator: one pass finds what the cap does
 * to energies and times, a second one feeds the simulation with what comes of
 * the records. What is not known goes through all of it at each corner.
 */
#include "estimate/cap.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/internal.h"

#define NS_PER_S UINT64_C(1000000000)
#define MAX_INTERVALS 65536u

/* What all corners have in common. */
struct job {
	const struct ssdpm_model *model;
	struct ssdpm_sim_params params; /* with parameters */
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	const struct ssdpm_io *ios;
	size_t n;
	uint64_t cap_uw;
	struct histogram *delays; /* of the nominal corner */
};

/* A trace in a state under a cap, or in state 0 without one. */
struct drive {
	uint32_t state;
	bool capped;
	struct corner corner;
};

struct outcome {
	uint64_t duration_ns;
	uint64_t interval_ns;
	size_t n_intervals; /* whole ones */
	struct ssdpm_span power_uw;
	double p99_power_uw;
	double max_power_uw;
	bool unknown; /* a service time was */
};

static uint64_t over(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static int begin_pass(const struct job *job, const struct drive *drive,
		      struct cap_pass *ret_pass, struct ssdpm_error *reterr)
{
	struct values values;
	uint64_t idle_uw;

	*ret_pass = (struct cap_pass){
		.capped = drive->capped,
		.open = job->params.loop == SSDPM_LOOP_OPEN,
	};
	ssdpm__values(job->parameters, job->params.n_parameters, drive->state,
		      &drive->corner, &values);
	ret_pass->flow.service = values.service;
	for (unsigned op = 0; op < SSDPM_N_OPS; op++) {
		/* As measured or stated, in state 0. */
		ret_pass->over_uw[op] = over(values.active_power_uw[op],
					     values.idle_power_uw[0]);
		ret_pass->operation_nj[op] = values.operation_energy_nj[op];
		ret_pass->byte_pj[op] = values.byte_energy_pj[op];
	}
	idle_uw = values.idle_power_uw[drive->state];
	if (drive->capped && idle_uw >= job->cap_uw)
		return ssdpm__fail(
			reterr, -ERANGE, 0,
			"a cap of %" PRIu64
			" uW: the drive is taken to idle at %" PRIu64
			" uW, which leaves nothing for I/Os; idle_power_uw of state %u says so",
			job->cap_uw, idle_uw, drive->state);
	ret_pass->head_uw = over(job->cap_uw, idle_uw);
	return 0;
}

static int run_pass(const struct job *job, struct cap_pass *pass,
		    struct ssdpm_sim *sim, struct ssdpm_error *reterr)
{
	struct ssdpm_io block[BLOCK];
	int r = 0;

	for (size_t at = 0; at < job->n && !r; at += BLOCK) {
		size_t now = job->n - at < BLOCK ? job->n - at : BLOCK;

		r = ssdpm__cap_pass(pass, job->ios + at, now,
				    sim ? block : NULL, reterr);
		if (!r && sim)
			r = ssdpm_sim_feed(sim, block, now, reterr);
	}
	return r;
}

/* All three to what it is at the corner, and no power above the cap. */
static void fix(const struct job *job, const struct drive *drive,
		struct ssdpm_parameter *p, uint64_t uw)
{
	if (drive->capped && uw > job->cap_uw)
		uw = job->cap_uw;
	p->low = p->nominal = p->high = uw;
}

/* The active power that gives the energy that the pass has found. */
static uint64_t active_power(const struct drive *drive,
			     const struct cap_pass *pass,
			     const struct values *values, unsigned op)
{
	uint64_t idle_uw = values->idle_power_uw[drive->state];
	ssdpm__fj ns = pass->busy_ns[op];
	uint64_t uw = idle_uw + pass->over_uw[op];

	if (ns)
		uw = idle_uw + (uint64_t)((pass->energy_fj[op] + ns / 2) / ns);
	return uw;
}

static void set_parameters(const struct job *job, const struct drive *drive,
			   const struct cap_pass *pass,
			   struct ssdpm_parameter *parameters)
{
	struct values values;

	memcpy(parameters, job->parameters, sizeof(job->parameters));
	ssdpm__values(parameters, job->params.n_parameters, drive->state,
		      &drive->corner, &values);
	for (size_t i = 0; i < job->params.n_parameters; i++) {
		struct ssdpm_parameter *p = &parameters[i];

		switch (p->kind) {
		case SSDPM_PARAMETER_ACTIVE_POWER:
			fix(job, drive, p,
			    active_power(drive, pass, &values, p->index));
			break;
		case SSDPM_PARAMETER_OPERATION_ENERGY:
		case SSDPM_PARAMETER_BYTE_ENERGY:
			fix(job, drive, p, 0);
			break;
		case SSDPM_PARAMETER_IDLE_POWER:
			fix(job, drive, p, values.idle_power_uw[p->index]);
			break;
		case SSDPM_PARAMETER_LINK_POWER:
			fix(job, drive, p, values.link_power_uw);
			break;
		case SSDPM_PARAMETER_TRANSITION_POWER:
			fix(job, drive, p, values.transition_power_uw);
			break;
		default:
			break;
		}
	}
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Mean powers of whole intervals. */
static int quantiles(const struct ssdpm_sim *sim, struct outcome *outcome,
		     struct ssdpm_error *reterr)
{
	const struct ssdpm_interval *all;
	size_t n, kept = 0;
	double *uw;

	all = ssdpm_sim_get_intervals(sim, &n);
	uw = malloc((n ? n : 1) * sizeof(*uw));
	if (!uw)
		return ssdpm__no_memory(reterr);
	for (size_t i = 0; i < n; i++) {
		uint64_t ns = all[i].busy_ns + all[i].idle_ns +
			      all[i].asleep_ns + all[i].transition_ns;

		if (ns == outcome->interval_ns)
			uw[kept++] = (double)all[i].energy_nj * 1e6 /
				     ((double)ns / 1000) / 1000;
	}
	outcome->n_intervals = kept;
	if (kept) {
		qsort(uw, kept, sizeof(*uw), by_value);
		outcome->p99_power_uw = uw[(kept * 99 + 99) / 100 - 1];
		outcome->max_power_uw = uw[kept - 1];
	}
	free(uw);
	return 0;
}

static uint64_t interval_of(const struct job *job)
{
	const struct ssdpm_io *last = &job->ios[job->n - 1];
	uint64_t span = last->start_ns - job->ios[0].start_ns;

	return span / MAX_INTERVALS > NS_PER_S ? span / MAX_INTERVALS :
						 NS_PER_S;
}

static int simulate(const struct job *job, const struct drive *drive,
		    const struct ssdpm_parameter *parameters,
		    struct cap_pass *pass, struct outcome *outcome,
		    struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params params = job->params;
	struct ssdpm_result result = { .size = sizeof(result) };
	struct ssdpm_sim *sim;
	int r;

	params.parameters = parameters;
	params.operational_state = drive->state;
	params.interval_ns = outcome->interval_ns;
	r = ssdpm_sim_new(job->model, &params, &sim, reterr);
	if (r)
		return r;
	r = run_pass(job, pass, sim, reterr);
	if (!r)
		r = ssdpm_sim_finish(sim, 0, &result, reterr);
	if (!r)
		r = quantiles(sim, outcome, reterr);
	ssdpm_sim_free(sim);
	outcome->max_power_uw = ssdpm__max(
		outcome->max_power_uw, (double)result.nominal.mean_power_uw);
	/* Its rank is the last one; what was cut off counts then, too. */
	if (outcome->n_intervals < 100)
		outcome->p99_power_uw = outcome->max_power_uw;
	outcome->duration_ns = result.nominal.duration_ns;
	outcome->power_uw = (struct ssdpm_span){
		(double)result.low.mean_power_uw,
		(double)result.nominal.mean_power_uw,
		(double)result.high.mean_power_uw,
	};
	return r;
}

/* delays: those of this one are asked for. ret_pass: what came of it. */
static int run(const struct job *job, const struct drive *drive,
	       struct histogram *delays, struct cap_pass *ret_pass,
	       struct outcome *ret_outcome, struct ssdpm_error *reterr)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	int r = begin_pass(job, drive, ret_pass, reterr);

	*ret_outcome = (struct outcome){ .interval_ns = interval_of(job) };
	if (!r)
		r = run_pass(job, ret_pass, NULL, reterr);
	if (r)
		return r;
	set_parameters(job, drive, ret_pass, parameters);
	r = begin_pass(job, drive, ret_pass, reterr);
	ret_pass->delays = delays;
	if (!r)
		r = simulate(job, drive, parameters, ret_pass, ret_outcome,
			     reterr);
	ret_outcome->unknown = ret_pass->unknown;
	return r;
}

static void widen(struct ssdpm_span *span, double low, double high)
{
	span->low = ssdpm__min(span->low, low);
	span->high = ssdpm__max(span->high, high);
}

static struct ssdpm_span exactly(double value)
{
	return (struct ssdpm_span){ value, value, value };
}

static double loss(const struct outcome *capped, const struct outcome *free)
{
	if (!capped->duration_ns)
		return 0;
	return ssdpm__max(
		1 - (double)free->duration_ns / (double)capped->duration_ns, 0);
}

static void add(struct ssdpm_cap_run *sum, const struct outcome *capped,
		const struct outcome *free)
{
	double share = loss(capped, free);

	widen(&sum->loss_share, share, share);
	widen(&sum->power_uw, capped->power_uw.low, capped->power_uw.high);
	widen(&sum->p99_power_uw, capped->p99_power_uw, capped->p99_power_uw);
	widen(&sum->max_power_uw, capped->max_power_uw, capped->max_power_uw);
	widen(&sum->uncapped_power_uw, free->power_uw.low, free->power_uw.high);
}

/* At its most, idle power leaves nothing, or next to nothing, for I/Os. */
static void add_nothing(const struct job *job, struct ssdpm_cap_run *sum)
{
	double cap_uw = (double)job->cap_uw;

	widen(&sum->loss_share, 1, 1);
	widen(&sum->power_uw, cap_uw, cap_uw);
	widen(&sum->p99_power_uw, cap_uw, cap_uw);
	widen(&sum->max_power_uw, cap_uw, cap_uw);
}

static int run_both(const struct job *job, const struct corner *corner,
		    struct histogram *delays, struct cap_pass *ret_pass,
		    struct outcome *ret_capped, struct outcome *ret_free,
		    struct ssdpm_error *reterr)
{
	const struct drive in_state_0 = { .corner = *corner };
	const struct drive drive = {
		.state = job->params.operational_state,
		.capped = job->cap_uw != SSDPM_CAP_NONE,
		.corner = *corner,
	};
	int r = run(job, &in_state_0, NULL, ret_pass, ret_free, reterr);

	return r ? r : run(job, &drive, delays, ret_pass, ret_capped, reterr);
}

static int run_nominal(const struct job *job, struct ssdpm_cap_run *run,
		       bool *ret_unknown, struct ssdpm_error *reterr)
{
	const struct corner nominal = { 0 };
	struct outcome capped, free;
	struct cap_pass pass;
	int r = run_both(job, &nominal, job->delays, &pass, &capped, &free,
			 reterr);

	if (r)
		return r;
	run->duration_ns = capped.duration_ns;
	run->uncapped_duration_ns = free.duration_ns;
	run->interval_ns = capped.interval_ns;
	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		run->n_ios += pass.intake.n_ios[op];
	run->n_slowed = pass.n_slowed;
	if (run->n_ios)
		run->delay_mean_ns =
			(uint64_t)((pass.delay_sum_ns + run->n_ios / 2) /
				   run->n_ios);
	run->delay_p99_ns = ssdpm__histogram_quantile(job->delays, 99, 100);
	run->delay_max_ns = pass.delay_max_ns;
	run->loss_share = exactly(loss(&capped, &free));
	run->power_uw = capped.power_uw;
	run->p99_power_uw = exactly(capped.p99_power_uw);
	run->max_power_uw = exactly(capped.max_power_uw);
	run->uncapped_power_uw = free.power_uw;
	*ret_unknown = capped.unknown;
	return 0;
}

/* Powers and energies together, and service: low and high of each. */
static struct corner corner_of(enum corner_value cost,
			       enum corner_value service)
{
	struct corner corner = { 0 };

	corner.value[SSDPM_AXIS_IDLE_POWER - 1] = (uint8_t)cost;
	corner.value[SSDPM_AXIS_STATE_POWER - 1] = (uint8_t)cost;
	corner.value[SSDPM_AXIS_ACTIVE_POWER - 1] = (uint8_t)cost;
	corner.value[SSDPM_AXIS_TRANSITION_POWER - 1] = (uint8_t)cost;
	corner.value[SSDPM_AXIS_SERVICE - 1] = (uint8_t)service;
	return corner;
}

static int run_corners(const struct job *job, bool unknown,
		       struct ssdpm_cap_run *run, struct ssdpm_error *reterr)
{
	uint32_t axes =
		ssdpm__open_axes(job->parameters, job->params.n_parameters, 0);
	bool cost = axes & (1u << (SSDPM_AXIS_IDLE_POWER - 1) |
			    1u << (SSDPM_AXIS_STATE_POWER - 1) |
			    1u << (SSDPM_AXIS_ACTIVE_POWER - 1) |
			    1u << (SSDPM_AXIS_TRANSITION_POWER - 1));
	bool service = unknown && axes & 1u << (SSDPM_AXIS_SERVICE - 1);
	struct ssdpm_error error = { 0 };
	int r = 0;

	for (uint32_t i = 0; i < 4 && !r; i++) {
		enum corner_value costs = i & 1 ? CORNER_HIGH : CORNER_LOW;
		enum corner_value times = i & 2 ? CORNER_HIGH : CORNER_LOW;
		struct corner corner =
			corner_of(cost ? costs : CORNER_NOMINAL,
				  service ? times : CORNER_NOMINAL);
		struct outcome capped, free;
		struct cap_pass pass;

		if ((!cost && i & 1) || (!service && i & 2))
			continue;
		r = run_both(job, &corner, NULL, &pass, &capped, &free, &error);
		if (r == -ERANGE && costs == CORNER_HIGH) {
			add_nothing(job, run);
			r = 0;
		} else if (!r) {
			add(run, &capped, &free);
		}
	}
	if (r && reterr)
		*reterr = error;
	return r;
}

static int prepare(const struct ssdpm_model *model,
		   const struct ssdpm_sim_params *params, struct job *job,
		   struct ssdpm_error *reterr)
{
	int r = ssdpm__check_params(params, &job->params, reterr);

	if (!r)
		r = ssdpm__take_parameters(model, &job->params, job->parameters,
					   &job->params.n_parameters, reterr);
	if (r)
		return r;
	job->model = model;
	job->params.interval_ns = 0;
	if (!job->cap_uw)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"the cap: a power above 0, or none (SSDPM_CAP_NONE)");
	if (!job->n)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "the workload has no record");
	/* What the chain asks for too, before idle powers are looked up. */
	if (job->params.operational_state >= SSDPM_MAX_STATES)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"operational_state: the drive has no operational state %u",
			job->params.operational_state);
	return 0;
}

int ssdpm_cap_simulate(const struct ssdpm_model *model,
		       const struct ssdpm_sim_params *params, uint64_t cap_uw,
		       const struct ssdpm_io *ios, size_t n,
		       struct ssdpm_cap_run *ret_run,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_cap_run result = { .size = ret_run->size };
	struct job job = { .ios = ios, .n = n, .cap_uw = cap_uw };
	bool unknown = false;
	int r = ssdpm__check_result_size(result.size, sizeof(result),
					 "ssdpm_cap_run", reterr);

	if (!r)
		r = prepare(model, params, &job, reterr);
	if (r)
		return r;
	job.delays = malloc(sizeof(*job.delays));
	if (!job.delays)
		return ssdpm__no_memory(reterr);
	job.delays->n = job.delays->rows = 0;
	r = run_nominal(&job, &result, &unknown, reterr);
	if (!r)
		r = run_corners(&job, unknown, &result, reterr);
	free(job.delays);
	if (!r)
		memcpy(ret_run, &result, result.size);
	return r;
}
