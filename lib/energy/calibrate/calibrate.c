/* SPDX-License-Identifier: MIT */
/* Computes the parameters of a drive from the power and the I/Os of a run. */
#include "calibrate/internal.h"
#include "calibrate/overlay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"

#define KNOWN_FLAGS \
	(SSDPM_CALIBRATE_OPERATION_ENERGY | SSDPM_CALIBRATE_BYTE_ENERGY)

static int take_params(struct calibration *c,
		       const struct ssdpm_sim_params *sim_params,
		       const struct ssdpm_calibrate_params *params,
		       struct ssdpm_error *reterr)
{
	int err = ssdpm_sim_params_init(&c->sim_params, sizeof(c->sim_params));

	if (err == 0)
		err = ssdpm__sized_in(&c->sim_params, sizeof(c->sim_params),
				      sim_params, "ssdpm_sim_params", reterr);
	c->params.size = sizeof(c->params);
	if (err == 0)
		err = ssdpm__sized_in(&c->params, sizeof(c->params), params,
				      "ssdpm_calibrate_params", reterr);
	if (err == 0)
		err = ssdpm__check_reserved(c->params.reserved,
					    "ssdpm_calibrate_params", reterr);
	if (err)
		return err;
	if (!c->params.samples)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_calibrate_params: no samples");
	c->task.course.ios = c->params.ios;
	c->task.course.n_ios = c->params.n_ios;
	if (c->params.flags & ~(uint32_t)KNOWN_FLAGS)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"ssdpm_calibrate_params: flags: 0x%x has unknown bits",
			c->params.flags);
	err = ssdpm__traits_take(&c->params.meter, reterr);
	if (err)
		return err;
	if (c->params.max_offset_ns > INT64_MAX / 8 ||
	    c->params.offset_ns > INT64_MAX / 4 ||
	    c->params.offset_ns < -INT64_MAX / 4)
		return ssdpm__fail(
			reterr, -ERANGE, 0,
			"offset: beyond 2^61 ns, or 2^60 ns to look in");
	return 0;
}

static int take_parameters(struct calibration *c,
			   const struct ssdpm_model *model,
			   struct ssdpm_error *reterr)
{
	const struct ssdpm_sim_params *given = &c->sim_params;

	if (!given->parameters)
		return ssdpm_parameters_from_model(
			model, given->pcie_link, c->parameters,
			SSDPM_MAX_PARAMETERS, &c->n_parameters, reterr);
	if (given->n_parameters > SSDPM_MAX_PARAMETERS)
		return ssdpm__fail(reterr, -EINVAL, 0, "too many parameters");
	memcpy(c->parameters, given->parameters,
	       given->n_parameters * sizeof(c->parameters[0]));
	c->n_parameters = given->n_parameters;
	return 0;
}

int ssdpm__calibration_new(const struct ssdpm_model *model,
			   const struct ssdpm_sim_params *sim_params,
			   const struct ssdpm_calibrate_params *params,
			   struct calibration **ret_calibration,
			   struct ssdpm_error *reterr)
{
	struct calibration *c = calloc(1, sizeof(*c));
	int err = c ? take_params(c, sim_params, params, reterr) :
		      ssdpm__no_memory(reterr);

	if (!err)
		err = take_parameters(c, model, reterr);
	if (err)
		ssdpm__calibration_free(c);
	else
		*ret_calibration = c;
	return err;
}

static const struct ssdpm_parameter *find(const struct calibration *c,
					  uint32_t kind, uint32_t index)
{
	for (size_t i = 0; i < c->n_parameters; i++)
		if (c->parameters[i].kind == kind &&
		    c->parameters[i].index == index)
			return &c->parameters[i];
	return NULL;
}

/*
 * The greatest error of a stated clock rate; the end of the run allows for it.
 */
#define CLOCK_SLACK 0.01

/* The run ends with the samples or with the last I/O. */
static uint64_t end_of(const struct calibration *c)
{
	const struct ssdpm_io *ios = c->task.course.ios;
	const size_t n = c->task.course.n_ios;
	const struct rows *rows = &c->task.rows;
	const uint64_t length_ns = rows->n * rows->bin_ns;
	int64_t last_ns = rows->begin_ns + (int64_t)length_ns +
			  (int64_t)(CLOCK_SLACK * (double)length_ns) +
			  c->params.offset_ns +
			  (int64_t)c->params.max_offset_ns;
	uint64_t end_ns = last_ns > 0 ? (uint64_t)last_ns : 0;

	for (size_t i = 0; i < n; i++)
		if (ios[i].start_ns + ios[i].service_ns > end_ns)
			end_ns = ios[i].start_ns + ios[i].service_ns;
	return end_ns;
}

int ssdpm__calibration_look(struct calibration *c,
			    const struct ssdpm_model *model,
			    struct ssdpm_error *reterr)
{
	int err = ssdpm__rows_take(&c->task.rows, c->params.samples,
				   c->params.bin_ns, reterr);

	if (err)
		return err;
	c->task.course.end_ns = end_of(c);
	return ssdpm__course_find(&c->task.course, model, &c->sim_params,
				  reterr);
}

static void say_not_measured(struct ssdpm_measured *measured, uint32_t status,
			     const char *reason)
{
	measured->status = status;
	measured->low = measured->nominal = measured->high = NAN;
	memcpy(measured->reason, reason, strlen(reason) + 1);
}

/*
 * I/Os show no wait, or a shorter one than was known, so the power must decide.
 * If they show none, and its length is below this share of the known one, the
 * power need not exceed chance.
 */
#define WAIT_SHARE 0.1

static void suspect(struct calibration *c,
		    const struct ssdpm_parameter *parameter,
		    const struct wake_latency *latency)
{
	double nominal_ns = (double)parameter->nominal * 1000;

	if (latency->n < WAKES_MIN)
		return;
	c->suspicious = c->suspicious || latency->low_ns <= 0 ||
			latency->high_ns < nominal_ns;
	c->implausible =
		c->implausible || (latency->low_ns <= 0 &&
				   latency->high_ns < WAIT_SHARE * nominal_ns);
}

/* Times of I/Os cannot show less. */
#define LATENCY_MIN_NS 1.0

static void say_latency(struct ssdpm_measured *measured,
			const struct wake_latency *latency)
{
	measured->status = SSDPM_MEASURED_KNOWN;
	measured->low = latency->low_ns / 1000;
	measured->nominal = latency->nominal_ns / 1000;
	measured->high = latency->high_ns / 1000;
	measured->exceeds = measured->low > measured->stated;
	if (measured->exceeds)
		snprintf(
			measured->reason, sizeof(measured->reason),
			"measured exit latency exceeds the table: %lld us (%lld to %lld), the table says %lld us",
			(long long)ssdpm__floor(measured->nominal + 0.5),
			(long long)ssdpm__floor(measured->low + 0.5),
			(long long)ssdpm__floor(measured->high + 0.5),
			(long long)ssdpm__floor(measured->stated + 0.5));
}

/*
 * Leaves states without a measured exit latency out of the fit, if few I/Os
 * wake the drive from them. Their stated latency may be wrong, and would
 * distort the powers of I/Os. If most wakes are from such states, the stated
 * latencies are the best available.
 */
static void leave_out_unknown(const struct calibration *c,
			      uint64_t exit_ns[SSDPM_MAX_STATES])
{
	const struct drawn_course *course = &c->task.course;
	bool measured[SSDPM_MAX_STATES] = { false };
	size_t n = 0;

	for (size_t i = 0; i < c->n_parameters; i++)
		if (c->parameters[i].kind == SSDPM_PARAMETER_EXIT_LATENCY &&
		    c->parameters[i].index < SSDPM_MAX_STATES)
			measured[c->parameters[i].index] =
				c->measured[i].status == SSDPM_MEASURED_KNOWN;
	for (size_t i = 0; i < course->n_arrivals; i++)
		n += course->arrivals[i].phase != SSDPM_PHASE_IDLE &&
		     !measured[course->arrivals[i].state];
	for (size_t i = 0; 2 * n < course->n_arrivals && i < SSDPM_MAX_STATES;
	     i++)
		if (!measured[i])
			exit_ns[i] = EXIT_UNKNOWN;
}

/*
 * Measures the exit latency of each state, and sets the times for the pieces.
 */
static int measure_exits(struct calibration *c,
			 uint64_t exit_ns[SSDPM_MAX_STATES])
{
	struct wake_latency latency;

	for (size_t i = 0; i < c->n_parameters; i++) {
		const struct ssdpm_parameter *parameter = &c->parameters[i];
		struct ssdpm_measured *measured = &c->measured[i];

		if (parameter->kind != SSDPM_PARAMETER_EXIT_LATENCY ||
		    parameter->index >= SSDPM_MAX_STATES)
			continue;
		if (ssdpm__exit_measure(&c->task.course, parameter->index,
					&latency))
			return -ENOMEM;
		measured->n = latency.n;
		exit_ns[parameter->index] = parameter->nominal * 1000;
		suspect(c, parameter, &latency);
		if (latency.n >= WAKES_MIN &&
		    latency.high_ns < LATENCY_MIN_NS) {
			say_not_measured(
				measured, SSDPM_MEASURED_CONTRADICTED,
				"I/Os that woke the drive from it took less time than others: is the wait in their service times?");
		} else if (latency.n >= WAKES_MIN) {
			say_latency(measured, &latency);
			exit_ns[parameter->index] =
				(uint64_t)latency.nominal_ns;
		} else if (latency.n) {
			say_not_measured(
				measured, SSDPM_MEASURED_TOO_FEW,
				"fewer than 5 I/Os woke the drive from it that others of their size and operation can be compared with");
		} else {
			say_not_measured(
				measured, SSDPM_MEASURED_NOT_REACHED,
				"no I/O woke the drive from it that others of its size and operation can be compared with");
		}
	}
	leave_out_unknown(c, exit_ns);
	return 0;
}

static bool is_wanted(const struct calibration *c, uint32_t kind)
{
	switch (kind) {
	case SSDPM_PARAMETER_IDLE_POWER:
	case SSDPM_PARAMETER_ACTIVE_POWER:
	case SSDPM_PARAMETER_TRANSITION_POWER:
		return true;
	case SSDPM_PARAMETER_OPERATION_ENERGY:
		return c->params.flags & SSDPM_CALIBRATE_OPERATION_ENERGY;
	case SSDPM_PARAMETER_BYTE_ENERGY:
		return c->params.flags & SSDPM_CALIBRATE_BYTE_ENERGY;
	default:
		return false;
	}
}

static int make_design(struct calibration *c)
{
	struct calibrate_task *task = &c->task;
	struct design *design = &task->design;
	size_t n = task->rows.n;

	for (size_t i = 0; i < c->n_parameters; i++)
		if (is_wanted(c, c->parameters[i].kind) &&
		    design->p < FIT_MAX_COLUMNS - 1)
			design->columns[design->p++] = (struct fit_column){
				.kind = c->parameters[i].kind,
				.index = c->parameters[i].index,
			};
	design->p++; /* the drift */
	design->x = calloc(n, design->p * sizeof(double));
	design->late = calloc(n, design->p * sizeof(double));
	design->y = calloc(n, sizeof(double));
	task->fit.n = n;
	task->fit.x = calloc(n, design->p * sizeof(double));
	task->fit.out = calloc(n, 1);
	task->fit.y = design->y;
	task->room = calloc(n, sizeof(double));
	return design->x && design->late && design->y && task->fit.x &&
			       task->fit.out && task->room ?
		       0 :
		       -ENOMEM;
}

/* Removes columns from the fit until no power is negative; the drift may be. */
static void clip(struct fit *fit, const size_t *keep, size_t drift)
{
	double change = 1;

	for (int i = 0; i < 2000 && change > 1e-12; i++) {
		change = 0;
		for (size_t j = 0; j < fit->p; j++) {
			double value = fit->right[j];

			for (size_t k = 0; k < fit->p; k++)
				if (k != j)
					value -= fit->b[k] *
						 fit->normal[j > k ? j : k]
							    [j > k ? k : j];
			value /= fit->normal[j][j];
			if (keep[j] != drift)
				value = ssdpm__max(0, value);
			change = ssdpm__max(change, fabs(value - fit->b[j]));
			fit->b[j] = value;
		}
	}
}

double ssdpm__unit_of(uint32_t kind)
{
	switch (kind) {
	case SSDPM_PARAMETER_OPERATION_ENERGY:
		return 1e9;
	case SSDPM_PARAMETER_BYTE_ENERGY:
		return 1e12;
	default:
		return 1e6;
	}
}

static void say_alike(struct ssdpm_measured *measured,
		      const struct fit_column *other)
{
	const char *name = ssdpm_parameter_kind_to_string(other->kind);

	say_not_measured(
		measured, SSDPM_MEASURED_NOT_IDENTIFIABLE,
		"not identifiable from this data: it cannot be told apart from a drift of the instrument");
	if (name)
		snprintf(
			measured->reason, sizeof(measured->reason),
			"not identifiable from this data: it cannot be told apart from %s of %u, as one never goes without the other",
			name, other->index);
}

/* The highest power of a step. */
static double most_w(const struct calibrate_task *task)
{
	double most = 0;

	for (size_t i = 0; i < task->rows.n; i++)
		if (task->rows.power_w[i] > most)
			most = task->rows.power_w[i];
	return most;
}

static bool is_power(uint32_t kind)
{
	return kind == SSDPM_PARAMETER_IDLE_POWER ||
	       kind == SSDPM_PARAMETER_ACTIVE_POWER ||
	       kind == SSDPM_PARAMETER_TRANSITION_POWER;
}

/* gain: the meter reads too high or too low by up to this share. */
static void say_power(struct ssdpm_measured *measured, double middle,
		      double nominal, double half, double gain)
{
	if (middle + half < 0) {
		say_not_measured(
			measured, SSDPM_MEASURED_NEGATIVE,
			"all of its interval is below 0: the instrument has an offset, or the policy was another one");
		return;
	}
	measured->status = SSDPM_MEASURED_KNOWN;
	measured->low = ssdpm__max(0, middle - half) / (1 + gain);
	measured->high = (middle + half) / (1 - gain);
	measured->nominal =
		ssdpm__min(ssdpm__max(nominal, measured->low), measured->high);
}

static struct ssdpm_measured *measured_of(struct calibration *c,
					  const struct fit_column *column)
{
	const struct ssdpm_parameter *parameter =
		find(c, column->kind, column->index);

	return parameter ? &c->measured[parameter - c->parameters] : NULL;
}

static void say_columns(struct calibration *c)
{
	struct calibrate_task *task = &c->task;
	struct design *design = &task->design;
	struct fit *fit = &task->fit;
	double middle[FIT_MAX_COLUMNS];

	memcpy(middle, fit->b, sizeof(middle));
	clip(fit, task->keep, design->p - 1);
	for (size_t j = 0; j + 1 < design->p; j++) {
		struct fit_column *column = &design->columns[j];
		struct ssdpm_measured *measured = measured_of(c, column);

		measured->n = column->n;
		if (!column->n)
			say_not_measured(measured, SSDPM_MEASURED_NOT_REACHED,
					 "nothing of it is in the run");
		else if (task->with[j] >= 0)
			say_alike(measured, &design->columns[task->with[j]]);
	}
	for (size_t k = 0; k < fit->p; k++) {
		struct fit_column *column = &design->columns[task->keep[k]];
		double unit = ssdpm__unit_of(column->kind) / column->length;
		double half =
			fit->quantile * sqrt(fit->covariance[k][k]) * unit;

		if (task->keep[k] == design->p - 1 ||
		    task->with[task->keep[k]] >= 0)
			continue;
		struct ssdpm_measured *measured = measured_of(c, column);

		half = sqrt(half * half + c->exit_half[task->keep[k]] *
						  ssdpm__unit_of(column->kind) *
						  ssdpm__unit_of(column->kind));
		if (is_power(column->kind) && half > most_w(task) * 1e6)
			say_not_measured(
				measured, SSDPM_MEASURED_NOT_IDENTIFIABLE,
				"not identifiable from this data: so little of it is in the run that it could be more than any power in it");
		else
			say_power(measured, middle[k] * unit, fit->b[k] * unit,
				  half, c->params.meter.gain_ppm * 1e-6);
	}
}

static double drift_of(const struct calibrate_task *task)
{
	size_t drift = task->design.p - 1;

	for (size_t k = 0; k < task->fit.p; k++)
		if (task->keep[k] == drift && task->with[drift] < 0)
			return task->fit.b[k] /
			       task->design.columns[drift].length;
	return NAN;
}

/* How many powers are certain enough to be told apart. */
static size_t count_told(const struct calibration *c)
{
	const struct calibrate_task *task = &c->task;
	const struct fit *fit = &task->fit;
	double most = most_w(task);
	size_t n = 0;

	for (size_t k = 0; k < fit->p; k++) {
		const struct fit_column *column =
			&task->design.columns[task->keep[k]];
		double half = fit->quantile * sqrt(fit->covariance[k][k]) /
			      column->length;

		n += task->with[task->keep[k]] < 0 && is_power(column->kind) &&
		     half <= most;
	}
	return n;
}

/*
 * True if at most one row in 100 is a spike, plus three standard deviations;
 * intervals were tested with that share. More spikes are power that the I/Os do
 * not explain, not errors of an instrument.
 */
static bool has_usual_spikes(const struct fit *fit)
{
	double usual = (double)(fit->n_used + fit->n_out) / 100;

	return (double)fit->n_out <= usual + 3 * sqrt(usual) + 1;
}

/*
 * Refuses power and I/Os of different runs. A single known power is only the
 * mean and is not checked. If much is unexplained, the drive may do what the
 * model lacks; the relation must then be stronger.
 */
static int check_relation(const struct calibration *c,
			  struct ssdpm_error *reterr)
{
	uint64_t n_places =
		2 * c->params.max_offset_ns / c->task.rows.bin_ns + 1;
	bool related = true;
	int err = 0;

	if (!has_usual_spikes(&c->task.fit))
		n_places *= 1000;
	if (count_told(c) >= 2)
		err = ssdpm__is_related(&c->task, n_places, &related);
	if (err)
		return ssdpm__fail(reterr, err, 0, "out of memory");
	if (!related)
		return ssdpm__fail(
			reterr, -EDOM, 0,
			"power and I/Os are not of one run: they fit as well with another offset. Give files of the same run, its policy, and the offset of their clocks");
	return 0;
}

static int fit_power(struct calibration *c, struct ssdpm_error *reterr)
{
	struct calibrate_task *task = &c->task;
	const struct ssdpm_meter_traits *meter = &c->params.meter;
	const bool searched = c->params.max_offset_ns > 0;
	int err = 0;

	task->offset_ns = c->params.offset_ns;
	task->meter = ssdpm__meter_of(meter, &task->rows);
	task->fit.drift_w = meter->known & SSDPM_TRAIT_DRIFT ?
				    (double)meter->drift_uw / MICRO :
				    NAN;
	if (c->params.max_offset_ns) {
		err = ssdpm__offset_guess(task, c->params.max_offset_ns,
					  c->parameters, c->n_parameters,
					  reterr);
		if (err)
			return err;
		err = ssdpm__offset_refine(task);
	}
	if (err == 0) {
		ssdpm__task_fill(task, task->offset_ns);
		err = ssdpm__fit(&task->fit, task->room);
	}
	if (err == 0)
		err = ssdpm__meter_find(task, meter->known, searched);
	if (err == 0 && searched) {
		ssdpm__offset_measure(task, meter->known);
		ssdpm__task_fill(task, task->offset_ns);
		err = ssdpm__fit(&task->fit, task->room);
	}
	if (err == -ENOMEM)
		return ssdpm__fail(reterr, err, 0, "out of memory");
	if (err == -EDOM && task->fit.n_used < task->fit.p + 8)
		return ssdpm__fail(
			reterr, -ENODATA, 0,
			"%zu steps of time have both power and I/Os: %zu things to know need more",
			task->fit.n_used, task->fit.p);
	if (err == -EDOM)
		return ssdpm__fail(
			reterr, err, 0,
			"nothing can be told apart: power and I/Os do not fit, or the offset is wrong");
	return err ? err : check_relation(c, reterr);
}

/* Fits with another exit latency of a state. */
static int fit_with(struct calibration *c, uint64_t exit_ns[SSDPM_MAX_STATES],
		    uint32_t state, double latency_us, double *ret_shift)
{
	struct calibrate_task *task = &c->task;
	uint64_t kept_ns = exit_ns[state];

	exit_ns[state] = (uint64_t)(latency_us * 1000);
	int err = ssdpm__course_cut(&task->course, exit_ns);

	exit_ns[state] = kept_ns;
	if (err)
		return err;
	*ret_shift = c->params.max_offset_ns ? ssdpm__offset_shift(task) : 0;
	ssdpm__task_fill(task, task->offset_ns);
	ssdpm__fit_at(&task->fit, task->fit.noise);
	for (size_t j = 0; j < task->fit.p; j++)
		task->fit.b[j] /= task->design.columns[task->keep[j]].length;
	return 0;
}

/*
 * The exit latency is uncertain too, and time given to waking is taken from an
 * I/O. The powers and the clocks' offset therefore differ between the ends of
 * its interval.
 */
static int measure_exit_errors(struct calibration *c,
			       uint64_t exit_ns[SSDPM_MAX_STATES])
{
	struct calibrate_task *task = &c->task;
	struct fit *good = malloc(sizeof(*good));
	double low[FIT_MAX_COLUMNS]; /* by column, because fits reorder them */
	double shift_low = 0, shift_high = 0;
	double error_ns = (double)task->error_ns;
	double variance = error_ns * error_ns;
	int err = good ? 0 : -ENOMEM;

	if (good)
		*good = task->fit;
	for (size_t i = 0; err == 0 && i < c->n_parameters; i++) {
		const struct ssdpm_measured *measured = &c->measured[i];
		uint32_t state = c->parameters[i].index;

		if (c->parameters[i].kind != SSDPM_PARAMETER_EXIT_LATENCY ||
		    measured->status != SSDPM_MEASURED_KNOWN)
			continue;
		for (size_t j = 0; j < FIT_MAX_COLUMNS; j++)
			low[j] = NAN;
		err = fit_with(c, exit_ns, state, measured->low, &shift_low);
		for (size_t k = 0; err == 0 && k < task->fit.p; k++)
			low[task->keep[k]] = task->fit.b[k];
		if (err == 0)
			err = fit_with(c, exit_ns, state, measured->high,
				       &shift_high);
		variance +=
			(shift_high - shift_low) * (shift_high - shift_low) / 4;
		for (size_t k = 0; err == 0 && k < task->fit.p; k++) {
			size_t column = task->keep[k];
			double half = (task->fit.b[k] - low[column]) / 2;

			if (isfinite(half))
				c->exit_half[column] += half * half;
		}
	}
	if (err == 0)
		err = ssdpm__course_cut(&task->course, exit_ns);
	if (err == 0) {
		ssdpm__task_fill(task, task->offset_ns);
		good->p = task->fit.p;
		task->fit = *good;
		task->error_ns = (uint64_t)ssdpm__ceil(sqrt(variance));
	}
	free(good);
	return err;
}

/* Chance exceeds this in fewer than 1 of a million runs. */
#define WAIT_GAIN 12.0

/* Looks for a wait in the power, if I/Os show none. */
static int check_wait(struct calibration *c,
		      const uint64_t cut_ns[SSDPM_MAX_STATES])
{
	uint64_t exit_ns[SSDPM_MAX_STATES] = { 0 };
	int err;

	if (!c->suspicious)
		return 0;
	for (size_t i = 0; i < c->n_parameters; i++) {
		uint32_t state = c->parameters[i].index;

		if (c->parameters[i].kind != SSDPM_PARAMETER_EXIT_LATENCY ||
		    state >= SSDPM_MAX_STATES)
			continue;
		exit_ns[state] =
			cut_ns[state] != EXIT_UNKNOWN ||
					c->measured[i].status ==
						SSDPM_MEASURED_CONTRADICTED ?
				c->parameters[i].nominal * 1000 :
				EXIT_UNKNOWN;
	}
	c->wait_gain = -INFINITY;
	err = ssdpm__wait_check(&c->task, exit_ns, cut_ns, &c->wait_gain);
	if (c->wait_gain > (c->implausible ? 0 : WAIT_GAIN))
		c->contradiction = SSDPM_CONTRADICTION_WAIT;
	return err;
}

/* The strongest explanation comes first. */
static int find_contradiction(struct calibration *c,
			      const uint64_t exit_ns[SSDPM_MAX_STATES])
{
	int err = ssdpm__meter_check(&c->task, c->params.meter.known,
				     &c->contradiction);

	if (!err && !c->contradiction)
		err = check_wait(c, exit_ns);
	if (!err && !c->contradiction)
		err = ssdpm__residuals_check(&c->task, &c->contradiction);
	return err;
}

/* Advice for each contradiction. */
static const char reasons[][110] = {
	[SSDPM_CONTRADICTION_RESPONSE] =
		"the meter lags by another time than stated, or by 27 steps or more",
	[SSDPM_CONTRADICTION_SAMPLING] =
		"the data contradict what a sample is stated to be",
	[SSDPM_CONTRADICTION_CLOCK] =
		"the clocks of power and I/Os differ by another rate than stated, or by 1000 ppm or more",
	[SSDPM_CONTRADICTION_DRIFT] =
		"the zero of the meter walks further than stated",
	[SSDPM_CONTRADICTION_WAIT] =
		"I/Os that wake the drive take no longer than others: their service times leave the wait out",
	[SSDPM_CONTRADICTION_HALVES] =
		"the powers of the second half of the run are others than those of the first",
	[SSDPM_CONTRADICTION_EDGES] =
		"power rises and falls at other times than the I/Os say",
	[SSDPM_CONTRADICTION_NOISE] =
		"what the I/Os leave of the power is no noise of a meter",
	[SSDPM_CONTRADICTION_ENERGY] =
		"the power depends on the number or the size of I/Os: ask for the energy of each operation or byte",
};

/*
 * Drops a latency that I/Os do not show and that is shorter than what was
 * known. It stays if the power excludes a wait.
 */
static void drop_waitless(struct calibration *c)
{
	if (!c->suspicious || c->wait_gain < -WAIT_GAIN)
		return;
	for (size_t i = 0; i < c->n_parameters; i++) {
		struct ssdpm_measured *measured = &c->measured[i];
		bool shorter =
			c->implausible ||
			measured->high < (double)c->parameters[i].nominal;

		if (c->parameters[i].kind == SSDPM_PARAMETER_EXIT_LATENCY &&
		    measured->status == SSDPM_MEASURED_KNOWN &&
		    measured->low <= 0 && shorter)
			say_not_measured(
				measured, SSDPM_MEASURED_CONTRADICTED,
				"I/Os that woke the drive from it took no longer than others: is the wait in their service times?");
	}
}

/* Drops all values of a run whose fit contradicts it. */
static void refuse(struct calibration *c)
{
	for (size_t i = 0; i < c->n_parameters; i++)
		if (c->measured[i].status == SSDPM_MEASURED_KNOWN ||
		    c->measured[i].status == SSDPM_MEASURED_NEGATIVE) {
			say_not_measured(&c->measured[i],
					 SSDPM_MEASURED_CONTRADICTED,
					 reasons[c->contradiction]);
			c->measured[i].exceeds = 0;
		}
}

static int calibrate(struct calibration *c, const struct ssdpm_model *model,
		     struct ssdpm_error *reterr)
{
	struct drawn_course *course = &c->task.course;
	uint64_t exit_ns[SSDPM_MAX_STATES] = { 0 };
	int err = ssdpm__calibration_look(c, model, reterr);

	if (err)
		return err;
	if (ssdpm__course_cut(course, exit_ns) || measure_exits(c, exit_ns) ||
	    ssdpm__course_cut(course, exit_ns) || make_design(c))
		return ssdpm__no_memory(reterr);
	err = fit_power(c, reterr);
	if (err)
		return err;
	if (find_contradiction(c, exit_ns))
		return ssdpm__no_memory(reterr);
	if (measure_exit_errors(c, exit_ns))
		return ssdpm__no_memory(reterr);
	say_columns(c);
	drop_waitless(c);
	if (c->contradiction)
		refuse(c);
	return 0;
}

/* Keeps what was searched for. Return: how many. */
static size_t gather(struct calibration *c, uint64_t *ret_known)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_parameters; i++) {
		if (!c->measured[i].status)
			continue;
		c->measured[i].kind = c->parameters[i].kind;
		c->measured[i].index = c->parameters[i].index;
		*ret_known += c->measured[i].status == SSDPM_MEASURED_KNOWN;
		c->measured[n++] = c->measured[i];
	}
	return n;
}

int ssdpm__calibration_out(struct ssdpm_calibration *ret_calibration,
			   struct ssdpm_calibration *calibration,
			   const struct ssdpm_measured *measured,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_calibration room = { .size = sizeof(room) };
	const size_t n = (size_t)calibration->n_measured;
	int err = ssdpm__sized_in(&room, sizeof(room), ret_calibration,
				  "ssdpm_calibration", reterr);

	if (err)
		return err;
	if (room.measured && n > room.capacity)
		return ssdpm__fail(reterr, -E2BIG, 0,
				   "%zu parameters were measured: room for %zu",
				   n, room.capacity);
	if (room.measured)
		memcpy(room.measured, measured, n * sizeof(*measured));
	calibration->measured = room.measured;
	calibration->capacity = room.capacity;
	ssdpm__sized_out(ret_calibration, calibration, sizeof(*calibration));
	return 0;
}

static int fill(struct calibration *c,
		struct ssdpm_calibration *ret_calibration,
		struct ssdpm_error *reterr)
{
	const struct calibrate_task *task = &c->task;
	struct ssdpm_calibration calibration = {
		.n_bins = task->fit.n_used + task->fit.n_out,
		.n_spikes = task->fit.n_out,
		.bin_ns = task->rows.bin_ns,
		.offset_ns = task->offset_ns,
		.offset_error_ns = task->error_ns,
		.sigma_w = task->fit.sigma,
		.drift_w = drift_of(task),
		.noise_phi = task->fit.noise.phi,
		.noise_share = task->fit.noise.share,
		.meter = ssdpm__traits_found(c),
		.contradiction = c->contradiction,
	};

	calibration.n_measured = gather(c, &calibration.n_known);
	return ssdpm__calibration_out(ret_calibration, &calibration,
				      c->measured, reterr);
}

void ssdpm__calibration_free(struct calibration *c)
{
	if (!c)
		return;
	ssdpm__course_free(&c->task.course);
	free(c->task.rows.power_w);
	free(c->task.design.x);
	free(c->task.design.late);
	free(c->task.design.y);
	free(c->task.fit.x);
	free(c->task.fit.out);
	free(c->task.room);
	free(c);
}

/* Compares a drive with the exit latency that it declares. */
static double stated(const struct ssdpm_model *model,
		     const struct ssdpm_parameter *parameter)
{
	const struct ssdpm_power_state *state =
		&ssdpm_model_get_states(model, NULL)[parameter->index];
	const bool declared = parameter->kind == SSDPM_PARAMETER_EXIT_LATENCY &&
			      !state->link_state && state->exit_latency_us &&
			      state->exit_latency_us == parameter->nominal;

	return (double)(declared ? parameter->nominal : parameter->high);
}

int ssdpm_calibrate(const struct ssdpm_model *model,
		    const struct ssdpm_sim_params *sim_params,
		    const struct ssdpm_calibrate_params *params,
		    struct ssdpm_calibration *ret_calibration,
		    struct ssdpm_error *reterr)
{
	int err = ssdpm__sized_check(ret_calibration, sizeof(*ret_calibration),
				     "ssdpm_calibration", reterr);
	struct calibration *c;

	if (err)
		return err;
	c = NULL;
	err = ssdpm__calibration_new(model, sim_params, params, &c, reterr);
	for (size_t i = 0; c && i < c->n_parameters; i++)
		c->measured[i].stated = stated(model, &c->parameters[i]);
	if (!err)
		err = calibrate(c, model, reterr);
	if (!err)
		err = fill(c, ret_calibration, reterr);
	ssdpm__calibration_free(c);
	return err;
}

int ssdpm_calibrate_params_align(struct ssdpm_calibrate_params *params,
				 struct ssdpm_error *reterr)
{
	struct ssdpm_calibrate_params all = { .size = sizeof(all) };
	int64_t first_ns, last_ns;
	int err = ssdpm__sized_in(&all, sizeof(all), params,
				  "ssdpm_calibrate_params", reterr);

	if (err)
		return err;
	if (!all.n_ios || !all.samples || !all.samples->n)
		return 0;
	err = ssdpm__samples_check(all.samples, reterr);
	if (err)
		return err;
	first_ns = ssdpm__sample_ns(all.samples, 0);
	last_ns = ssdpm__sample_ns(all.samples, all.samples->n - 1);
	if (first_ns < -INT64_MAX / 2 || last_ns > INT64_MAX / 2 ||
	    all.ios[0].start_ns > INT64_MAX / 2)
		return ssdpm__fail(reterr, -ERANGE, 0, "times beyond 2^62 ns");
	all.offset_ns = (int64_t)all.ios[0].start_ns - first_ns;
	all.max_offset_ns =
		last_ns > first_ns ? (uint64_t)(last_ns - first_ns) : 0;
	ssdpm__sized_out(params, &all, sizeof(all));
	return 0;
}

static const char calibrate_flag_words[][17] = {
	[FLAG(SSDPM_CALIBRATE_OPERATION_ENERGY)] = "operation-energy",
	[FLAG(SSDPM_CALIBRATE_BYTE_ENERGY)] = "byte-energy",
};
FLAG_WORDS(calibrate_flag)
