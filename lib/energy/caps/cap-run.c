/* SPDX-License-Identifier: MIT */
/*
 * Simulates a trace under caps. Each record runs under the cap at its start.
 * All steps run at each corner of the unknown values.
 */
#include "caps/cap.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/elementary.h"
#include "base/internal.h"
#include "estimate/sim.h"

#define NS_PER_S UINT64_C(1000000000)
#define MAX_INTERVALS 65536u

/* A trace in a state under caps, or in state 0 without a cap. */
struct capped_drive {
	uint32_t state;
	bool capped;
	struct corner corner;
};

/* In the order of struct ssdpm_cap_run. */
enum {
	LOSS_SHARE,
	POWER_UW,
	P99_POWER_UW,
	MAX_POWER_UW,
	UNCAPPED_POWER_UW,
	N_SPANS,
};
static_assert(offsetof(struct ssdpm_cap_run, loss_share) +
			      UNCAPPED_POWER_UW * sizeof(struct ssdpm_span) ==
		      offsetof(struct ssdpm_cap_run, uncapped_power_uw),
	      "one after the other");

struct cap_outcome {
	uint64_t duration_ns;
	struct ssdpm_span power_uw;
	double p99_power_uw;
	double max_power_uw;
};

/* The part of a run under one cap. */
struct cap_piece {
	uint64_t ns;
	uint64_t bytes;
	struct wide energy_fj;
	bool slowed;
};

/* What all corners share. */
struct cap_job {
	const struct ssdpm_model *model;
	struct ssdpm_sim_params params; /* with parameters */
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	const struct ssdpm_io *ios;
	size_t n;
	const struct ssdpm_cap_segment *segments;
	size_t n_segments;
	uint64_t least_uw; /* of all caps */
	uint64_t most_uw;
	uint64_t interval_ns;
	struct histogram *delays; /* of the nominal corner */
	struct ssdpm_span spans[N_SPANS];
	struct ssdpm_cap_point *points; /* the points of segments */
	struct cap_piece *pieces;	/* likewise, for one run */
};

/* The observer of a simulation's changes of phase. */
struct watch {
	const struct cap_job *job;
	const struct ssdpm_sim *sim;
	size_t at;	 /* the segment */
	uint64_t end_ns; /* of the segment */
	uint64_t since_ns;
	uint64_t power_uw; /* since then */
};

static uint64_t over(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void begin_pass(const struct cap_job *job,
		       const struct capped_drive *drive,
		       struct cap_pass *ret_pass)
{
	struct values values;

	ssdpm__values(job->parameters, job->params.n_parameters, drive->state,
		      &drive->corner, &values);
	*ret_pass = (struct cap_pass){
		.open = job->params.loop == SSDPM_LOOP_OPEN,
		.segments = job->segments,
		.n_segments = drive->capped ? job->n_segments : 0,
		.idle_uw = values.idle_power_uw[drive->state],
		.flow.service = values.service,
	};
	for (unsigned op = 0; op < SSDPM_N_OPS; op++) {
		/* In state 0, as measured or stated. */
		ret_pass->over_uw[op] = over(values.active_power_uw[op],
					     values.idle_power_uw[0]);
		ret_pass->operation_nj[op] = values.operation_energy_nj[op];
		ret_pass->byte_pj[op] = values.byte_energy_pj[op];
	}
}

/*
 * Fixes all three values at the corner, and other states' powers below all
 * caps.
 */
static void fix(const struct cap_job *job, const struct capped_drive *drive,
		struct ssdpm_parameter *p, uint64_t uw)
{
	bool works = p->kind == SSDPM_PARAMETER_ACTIVE_POWER ||
		     (p->kind == SSDPM_PARAMETER_IDLE_POWER &&
		      p->index == drive->state);

	if (drive->capped && !works)
		uw = least(uw, job->least_uw);
	p->low = p->nominal = p->high = uw;
}

/* The drive draws idle power when busy, and the energy of I/Os is added. */
static void set_parameters(const struct cap_job *job,
			   const struct capped_drive *drive,
			   struct ssdpm_parameter *parameters)
{
	bool is_capped = drive->capped && job->least_uw != SSDPM_CAP_NONE;
	struct values values;

	memcpy(parameters, job->parameters, sizeof(job->parameters));
	ssdpm__values(parameters, job->params.n_parameters, drive->state,
		      &drive->corner, &values);
	for (size_t i = 0; i < job->params.n_parameters; i++) {
		struct ssdpm_parameter *p = &parameters[i];

		switch (p->kind) {
		case SSDPM_PARAMETER_ACTIVE_POWER:
			fix(job, drive, p, values.idle_power_uw[drive->state]);
			break;
		case SSDPM_PARAMETER_OPERATION_ENERGY:
		case SSDPM_PARAMETER_BYTE_ENERGY:
			fix(job, drive, p, 0);
			break;
		case SSDPM_PARAMETER_BACKGROUND_TIME:
			/* The cap stretches I/Os by their background work. */
			fix(job, drive, p,
			    is_capped ? 0 : values.background_ps);
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

static void on_change(void *userdata, uint64_t time_ns, uint32_t phase,
		      uint32_t state)
{
	struct watch *watch = userdata;
	const struct cap_job *job = watch->job;

	time_ns -= job->ios[0].start_ns;
	while (watch->since_ns < time_ns) {
		struct cap_piece *piece = &job->pieces[watch->at];
		bool last = watch->at + 1 == job->n_segments;
		uint64_t end = last ? time_ns : least(time_ns, watch->end_ns);
		uint64_t ns = end - watch->since_ns;

		piece->ns += ns;
		wide_add(&piece->energy_fj, wide_product(ns, watch->power_uw));
		watch->since_ns = end;
		if (end == watch->end_ns && !last)
			watch->end_ns += job->segments[++watch->at].duration_ns;
	}
	watch->power_uw =
		ssdpm__timeline_power(&watch->sim->timeline, phase, state);
}

static void begin_watch(const struct cap_job *job, const struct ssdpm_sim *sim,
			struct watch *ret_watch)
{
	memset(job->pieces, 0, job->n_segments * sizeof(*job->pieces));
	*ret_watch = (struct watch){
		.job = job,
		.sim = sim,
		.end_ns = job->segments[0].duration_ns,
	};
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Quantiles of mean powers of whole intervals. Saved energy belongs to its own
 * time; a little of it may be in the interval before.
 */
static int quantiles(const struct cap_job *job, const struct ssdpm_sim *sim,
		     double cap_uw, struct cap_outcome *outcome,
		     struct ssdpm_error *reterr)
{
	double whole_ns = (double)job->interval_ns;
	const struct ssdpm_interval *all;
	size_t n, kept = 0;
	double *uw;

	all = ssdpm_sim_get_intervals(sim, &n);
	uw = malloc((n ? n : 1) * sizeof(*uw));
	if (!uw)
		return ssdpm__no_memory(reterr);
	for (size_t i = 0; i < n; i++)
		if (all[i].busy_ns + all[i].idle_ns + all[i].asleep_ns +
			    all[i].transition_ns ==
		    job->interval_ns)
			uw[kept++] = ssdpm__min((double)all[i].energy_nj *
							FJ_PER_NJ / whole_ns,
						cap_uw);
	if (kept) {
		qsort(uw, kept, sizeof(*uw), by_value);
		outcome->p99_power_uw = uw[(kept * 99 + 99) / 100 - 1];
		outcome->max_power_uw = uw[kept - 1];
	}
	free(uw);
	outcome->max_power_uw =
		ssdpm__max(outcome->max_power_uw, outcome->power_uw.nominal);
	/*
	 * The rank is that of the last interval, and a cut interval counts
	 * then, too.
	 */
	if (kept < 100)
		outcome->p99_power_uw = outcome->max_power_uw;
	return 0;
}

static uint64_t interval_of(const struct cap_job *job)
{
	const struct ssdpm_io *last = &job->ios[job->n - 1];
	uint64_t span = last->start_ns - job->ios[0].start_ns;

	return span / MAX_INTERVALS > NS_PER_S ? span / MAX_INTERVALS :
						 NS_PER_S;
}

/* Feeds records one by one, because a record's start determines its cap. */
static int feed(const struct cap_job *job, struct cap_pass *pass,
		struct ssdpm_sim *sim, struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < job->n && !err; i++) {
		const struct ssdpm_io *io = &job->ios[i];
		struct cap_piece *piece;
		struct cap_taken taken;

		err = ssdpm__cap_pass(pass, io, &taken, reterr);
		if (!err)
			err = ssdpm_sim_feed(sim, &taken.io, 1, reterr);
		if (err)
			break;
		pass->late_ns = sim->timeline.shift_ns;
		wide_add(&sim->over_fj, taken.over_fj);
		ssdpm__timeline_add(&sim->timeline, taken.need_ns,
				    taken.over_fj);
		piece = &job->pieces[pass->at];
		wide_add(&piece->energy_fj, taken.over_fj);
		piece->slowed |= taken.slowed;
		if (io->op == SSDPM_OP_READ || io->op == SSDPM_OP_WRITE)
			piece->bytes += io->bytes;
	}
	return err;
}

static int finish(const struct cap_job *job, struct ssdpm_sim *sim,
		  double cap_uw, struct cap_outcome *ret_outcome,
		  struct ssdpm_error *reterr)
{
	const struct ssdpm_result *result;
	int err = ssdpm_sim_finish(sim, 0, reterr);

	if (err)
		return err;
	result = ssdpm_sim_get_result(sim);
	*ret_outcome = (struct cap_outcome){
		.duration_ns = result->nominal->duration_ns,
		.power_uw = { (double)result->low->mean_power_uw,
			      (double)result->nominal->mean_power_uw,
			      (double)result->high->mean_power_uw },
	};
	return quantiles(job, sim, cap_uw, ret_outcome, reterr);
}

/* ret_pass: the result; delays: the histogram to fill, or NULL. */
static int run(const struct cap_job *job, const struct capped_drive *drive,
	       struct histogram *delays, struct cap_pass *ret_pass,
	       struct cap_outcome *ret_outcome, struct ssdpm_error *reterr)
{
	double cap_uw = drive->capped ? (double)job->most_uw : INFINITY;
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_sim_params params = job->params;
	struct watch watch;
	struct ssdpm_sim *sim;
	int err;

	begin_pass(job, drive, ret_pass);
	ret_pass->delays = delays;
	set_parameters(job, drive, parameters);
	params.parameters = parameters;
	params.operational_state = drive->state;
	params.interval_ns = job->interval_ns;
	err = ssdpm_sim_new(job->model, &params, &sim, reterr);
	if (err)
		return err;
	begin_watch(job, sim, &watch);
	ssdpm_sim_set_change_fn(sim, on_change, &watch);
	err = feed(job, ret_pass, sim, reterr);
	if (!err)
		err = finish(job, sim, cap_uw, ret_outcome, reterr);
	ssdpm_sim_free(sim);
	return err;
}

static double loss(const struct cap_outcome *capped,
		   const struct cap_outcome *free)
{
	if (!capped->duration_ns)
		return 0;
	return ssdpm__max(
		1 - (double)free->duration_ns / (double)capped->duration_ns, 0);
}

static double mean_uw(struct wide energy, double ns)
{
	return ((double)energy.high * 0x1p64 + (double)energy.low) / ns;
}

/* Adds both runs at a corner; the nominal corner comes first. */
static void add(struct cap_job *job, bool nominal,
		const struct cap_outcome *capped,
		const struct cap_outcome *free)
{
	const struct ssdpm_span spans[N_SPANS] = {
		[LOSS_SHARE] = ssdpm__exactly(loss(capped, free)),
		[POWER_UW] = capped->power_uw,
		[P99_POWER_UW] = ssdpm__exactly(capped->p99_power_uw),
		[MAX_POWER_UW] = ssdpm__exactly(capped->max_power_uw),
		[UNCAPPED_POWER_UW] = free->power_uw,
	};

	if (nominal)
		memcpy(job->spans, spans, sizeof(spans));
	for (size_t i = 0; i < N_SPANS; i++)
		ssdpm__widen(&job->spans[i], spans[i].low, spans[i].high);
	for (size_t i = 0; i < job->n_segments; i++) {
		const struct cap_piece *piece = &job->pieces[i];
		struct ssdpm_cap_point *point = &job->points[i];
		double ns = piece->ns ? (double)piece->ns : 1;
		double rate = (double)piece->bytes / ns * NS_PER_S;
		double uw = mean_uw(piece->energy_fj, ns);

		if (nominal)
			*point = (struct ssdpm_cap_point){
				.start_ns =
					i ? point[-1].start_ns +
							point[-1].duration_ns :
					    0,
				.duration_ns = piece->ns,
				.cap_uw = job->segments[i].cap_uw,
				.limit = piece->slowed ? SSDPM_CAP_LIMIT_POWER :
							 0,
				.bytes_per_s = ssdpm__exactly(rate),
				.power_uw = ssdpm__exactly(uw),
			};
		/* Not all corners last as long. */
		if (!point->duration_ns || !piece->ns)
			continue;
		ssdpm__widen(&point->bytes_per_s, rate, rate);
		ssdpm__widen(&point->power_uw, uw, uw);
	}
}

/* At this corner, idle power leaves little or nothing for I/Os. */
static void add_nothing(struct cap_job *job, const struct cap_pass *pass,
			const struct cap_outcome *free)
{
	double cap_uw = (double)job->segments[pass->at].cap_uw;
	struct ssdpm_cap_point *point = &job->points[pass->at];

	ssdpm__widen(&job->spans[UNCAPPED_POWER_UW], free->power_uw.low,
		     free->power_uw.high);
	ssdpm__widen(&job->spans[LOSS_SHARE], 1, 1);
	for (size_t i = POWER_UW; i <= MAX_POWER_UW; i++)
		ssdpm__widen(&job->spans[i], cap_uw, cap_uw);
	if (!point->duration_ns)
		return;
	ssdpm__widen(&point->bytes_per_s, 0, 0);
	ssdpm__widen(&point->power_uw, cap_uw, cap_uw);
}

static int run_both(const struct cap_job *job, const struct corner *corner,
		    struct histogram *delays, struct cap_pass *ret_pass,
		    struct cap_outcome *ret_capped,
		    struct cap_outcome *ret_free, struct ssdpm_error *reterr)
{
	const struct capped_drive in_state_0 = { .corner = *corner };
	const struct capped_drive drive = {
		.state = job->params.operational_state,
		.capped = true,
		.corner = *corner,
	};
	int err = run(job, &in_state_0, NULL, ret_pass, ret_free, reterr);

	return err ? err :
		     run(job, &drive, delays, ret_pass, ret_capped, reterr);
}

static int run_nominal(struct cap_job *job, struct ssdpm_cap_run *run,
		       bool *ret_unknown, struct ssdpm_error *reterr)
{
	const struct corner nominal = { 0 };
	struct cap_outcome capped, free;
	struct cap_pass pass;
	int err = run_both(job, &nominal, job->delays, &pass, &capped, &free,
			   reterr);

	if (err)
		return err;
	add(job, true, &capped, &free);
	run->duration_ns = capped.duration_ns;
	run->uncapped_duration_ns = free.duration_ns;
	run->interval_ns = job->interval_ns;
	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		run->n_ios += pass.intake.n_ios[op];
	run->n_slowed = pass.n_slowed;
	if (run->n_ios)
		run->delay_mean_ns =
			ssdpm__wide_divide(wide_plus(pass.delay_sum_ns,
						     wide_of(run->n_ios / 2)),
					   run->n_ios, NULL)
				.low;
	run->delay_p99_ns = ssdpm__histogram_quantile(job->delays, 99, 100);
	run->delay_max_ns = pass.delay_max_ns;
	*ret_unknown = pass.unknown;
	return 0;
}

/* A corner: powers with energies at one end, service at one end. */
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

static int run_corners(struct cap_job *job, bool unknown,
		       struct ssdpm_error *reterr)
{
	uint32_t axes =
		ssdpm__open_axes(job->parameters, job->params.n_parameters, 0);
	bool cost = axes & (1u << (SSDPM_AXIS_IDLE_POWER - 1) |
			    1u << (SSDPM_AXIS_STATE_POWER - 1) |
			    1u << (SSDPM_AXIS_ACTIVE_POWER - 1) |
			    1u << (SSDPM_AXIS_TRANSITION_POWER - 1));
	bool service = unknown && axes & 1u << (SSDPM_AXIS_SERVICE - 1);
	struct ssdpm_error error = { 0 };
	int err = 0;

	for (uint32_t i = 0; i < 4 && !err; i++) {
		enum corner_value costs = i & 1 ? CORNER_HIGH : CORNER_LOW;
		enum corner_value times = i & 2 ? CORNER_HIGH : CORNER_LOW;
		struct corner corner =
			corner_of(cost ? costs : CORNER_NOMINAL,
				  service ? times : CORNER_NOMINAL);
		struct cap_outcome capped, free;
		struct cap_pass pass;

		if ((!cost && i & 1) || (!service && i & 2))
			continue;
		err = run_both(job, &corner, NULL, &pass, &capped, &free,
			       &error);
		if (err == -ERANGE && costs == CORNER_HIGH && pass.n_segments &&
		    job->segments[pass.at].cap_uw != SSDPM_CAP_NONE) {
			add_nothing(job, &pass, &free);
			err = 0;
		} else if (!err) {
			add(job, false, &capped, &free);
		}
	}
	if (err && reterr)
		*reterr = error;
	return err;
}

/* The last segment lasts as long as the trace. */
static int check_segments(struct cap_job *job, struct ssdpm_error *reterr)
{
	uint64_t end = 0;
	int err = 0;

	job->least_uw = SSDPM_CAP_NONE;
	if (!job->n_segments)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "segments: there is none");
	for (size_t i = 0; i < job->n_segments && !err; i++) {
		uint64_t cap_uw = job->segments[i].cap_uw;

		err = ssdpm__cap_check_segment(
			&job->segments[i], i + 1,
			i + 1 < job->n_segments ? &end : NULL, reterr);
		job->least_uw = least(job->least_uw, cap_uw);
		if (job->most_uw < cap_uw)
			job->most_uw = cap_uw;
	}
	return err;
}

static int prepare(const struct ssdpm_model *model,
		   const struct ssdpm_sim_params *params, struct cap_job *job,
		   struct ssdpm_error *reterr)
{
	int err = ssdpm__check_params(params, &job->params, reterr);

	if (!err)
		err = ssdpm__take_parameters(
			model, &job->params, job->parameters,
			&job->params.n_parameters, NULL, reterr);
	if (!err)
		err = check_segments(job, reterr);
	if (err)
		return err;
	job->model = model;
	if (!job->n)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "the workload has no record");
	job->interval_ns = interval_of(job);
	/*
	 * Check before the chain does, because idle powers are looked up first.
	 */
	return ssdpm__check_operational(model, job->params.operational_state,
					reterr);
}

static int simulate(struct cap_job *job, struct ssdpm_cap_run *run,
		    struct ssdpm_error *reterr)
{
	bool unknown = false;
	int err;

	job->delays->n = job->delays->rows = 0;
	err = run_nominal(job, run, &unknown, reterr);
	if (!err)
		err = run_corners(job, unknown, reterr);
	memcpy((char *)run + offsetof(struct ssdpm_cap_run, loss_share),
	       job->spans, sizeof(job->spans));
	return err;
}

int ssdpm_cap_simulate(const struct ssdpm_model *model,
		       const struct ssdpm_sim_params *params,
		       const struct ssdpm_cap_schedule *schedule,
		       struct ssdpm_cap_run *ret_run,
		       struct ssdpm_cap_point *ret_points,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_cap_run result = { 0 };
	struct ssdpm_cap_schedule known = { .size = sizeof(known) };
	struct cap_job job = { 0 };
	size_t n_segments;
	int err = ssdpm__sized_check(ret_run, sizeof(result), "ssdpm_cap_run",
				     reterr);

	if (!err)
		err = ssdpm__sized_in(&known, sizeof(known), schedule,
				      "ssdpm_cap_schedule", reterr);
	job.ios = known.ios;
	job.n = known.n_ios;
	job.segments = known.segments;
	job.n_segments = n_segments = known.n_segments;
	if (!err)
		err = prepare(model, params, &job, reterr);
	if (err)
		return err;
	job.delays = malloc(sizeof(*job.delays));
	job.points = calloc(n_segments, sizeof(*job.points));
	job.pieces = calloc(n_segments, sizeof(*job.pieces));
	if (job.delays && job.points && job.pieces)
		err = simulate(&job, &result, reterr);
	else
		err = ssdpm__no_memory(reterr);
	if (!err && ret_points)
		memcpy(ret_points, job.points,
		       n_segments * sizeof(*ret_points));
	free(job.delays);
	free(job.points);
	free(job.pieces);
	if (!err)
		ssdpm__sized_out(ret_run, &result, sizeof(result));
	return err;
}
