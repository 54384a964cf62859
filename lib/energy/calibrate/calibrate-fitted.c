/* SPDX-License-Identifier: MIT */
/* The power of a run as a calibration explains it. */
#include "calibrate/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"

/* A calibration with a longer exit latency is damaged: 1e12 us are 12 days. */
#define MAX_EXIT_US 1e12

static bool is_fitted(uint32_t kind)
{
	return kind == SSDPM_PARAMETER_IDLE_POWER ||
	       kind == SSDPM_PARAMETER_ACTIVE_POWER ||
	       kind == SSDPM_PARAMETER_TRANSITION_POWER ||
	       kind == SSDPM_PARAMETER_OPERATION_ENERGY ||
	       kind == SSDPM_PARAMETER_BYTE_ENERGY;
}

/* The exit latency of each state: measured, or else stated. */
static void find_exits(const struct calibration *c,
		       const struct ssdpm_calibration *by,
		       uint64_t exit_ns[SSDPM_MAX_STATES])
{
	for (size_t i = 0; i < c->n_parameters; i++)
		if (c->parameters[i].kind == SSDPM_PARAMETER_EXIT_LATENCY &&
		    c->parameters[i].index < SSDPM_MAX_STATES)
			exit_ns[c->parameters[i].index] =
				c->parameters[i].nominal * 1000;
	for (size_t i = 0; i < by->n_measured; i++) {
		const struct ssdpm_measured *m = &by->measured[i];

		if (m->kind == SSDPM_PARAMETER_EXIT_LATENCY &&
		    m->status == SSDPM_MEASURED_KNOWN &&
		    m->index < SSDPM_MAX_STATES && m->nominal >= 0 &&
		    m->nominal < MAX_EXIT_US)
			exit_ns[m->index] = (uint64_t)(m->nominal * 1000);
	}
}

/* A column for each parameter, its value in W or J; NaN: unknown. */
static int make_columns(struct calibration *c,
			const struct ssdpm_calibration *by,
			double values[FIT_MAX_COLUMNS])
{
	struct design *design = &c->task.design;
	const size_t n = c->task.rows.n;

	for (size_t i = 0; i < by->n_measured; i++) {
		const struct ssdpm_measured *m = &by->measured[i];

		if (!is_fitted(m->kind) || design->p == FIT_MAX_COLUMNS - 1)
			continue;
		values[design->p] =
			m->status == SSDPM_MEASURED_KNOWN ?
				m->nominal / ssdpm__unit_of(m->kind) :
				NAN;
		design->columns[design->p++] = (struct fit_column){
			.kind = m->kind,
			.index = m->index,
		};
	}
	/* The drift; 0 if it is unknown. */
	values[design->p++] = isfinite(by->drift_w) ? by->drift_w : 0;
	design->x = calloc(n, design->p * sizeof(double));
	design->late = calloc(n, design->p * sizeof(double));
	design->y = calloc(n, sizeof(double));
	return design->x && design->late && design->y ? 0 : -ENOMEM;
}

/* Up to half a nanosecond of a step counts as nothing. */
static bool has_any(const struct design *design, size_t column, double amount,
		    uint64_t bin_ns)
{
	const uint32_t kind = design->columns[column].kind;
	const bool is_energy = kind == SSDPM_PARAMETER_OPERATION_ENERGY ||
			       kind == SSDPM_PARAMETER_BYTE_ENERGY;

	return is_energy ? amount != 0 : amount * (double)bin_ns > 0.5;
}

/* An unknown value makes a row NaN, if the row has any of its column. */
static double power_of_row(const struct calibration *c,
			   const double values[FIT_MAX_COLUMNS], size_t row)
{
	const struct design *design = &c->task.design;
	double power_w = 0;

	for (size_t j = 0; j < design->p; j++) {
		const double length = design->columns[j].length;
		const double x = design->x[row * design->p + j];
		const double amount = length > 0 ? x * length : x;

		if (!isnan(values[j]) ||
		    has_any(design, j, amount, c->task.rows.bin_ns))
			power_w += values[j] * amount;
	}
	return power_w;
}

static int fill(const struct calibration *c,
		const double values[FIT_MAX_COLUMNS],
		struct ssdpm_fitted_power *fitted, struct ssdpm_error *reterr)
{
	const struct rows *rows = &c->task.rows;
	const int64_t first_ns =
		(int64_t)c->task.course.ios[0].start_ns - c->params.offset_ns;

	if (fitted->power_w && rows->n > fitted->capacity)
		return ssdpm__fail(
			reterr, -E2BIG, 0,
			"ssdpm_fitted_power: %zu steps: room for %zu", rows->n,
			fitted->capacity);
	fitted->n = rows->n;
	fitted->begin_ns = rows->begin_ns;
	fitted->bin_ns = rows->bin_ns;
	for (size_t i = 0; fitted->power_w && i < rows->n; i++)
		fitted->power_w[i] =
			rows->begin_ns + (int64_t)(i * rows->bin_ns) <
					first_ns ?
				NAN :
				power_of_row(c, values, i);
	return 0;
}

/* Makes the design of the run, as a calibration has it. */
static int explain(struct calibration *c, const struct ssdpm_model *model,
		   const struct ssdpm_calibration *by,
		   double values[FIT_MAX_COLUMNS], struct ssdpm_error *reterr)
{
	uint64_t exit_ns[SSDPM_MAX_STATES] = { 0 };
	int err;

	err = ssdpm__calibration_look(c, model, reterr);
	if (err)
		return err;
	find_exits(c, by, exit_ns);
	if (ssdpm__course_cut(&c->task.course, exit_ns) ||
	    make_columns(c, by, values))
		return ssdpm__no_memory(reterr);
	c->task.meter = ssdpm__meter_of(&by->meter, &c->task.rows);
	ssdpm__design_fill(&c->task.design, &c->task.course, &c->task.rows,
			   &c->task.meter, by->offset_ns);
	return 0;
}

int ssdpm_calibration_get_fitted(const struct ssdpm_model *model,
				 const struct ssdpm_sim_params *sim_params,
				 const struct ssdpm_calibrate_params *params,
				 const struct ssdpm_calibration *calibration,
				 struct ssdpm_fitted_power *ret_fitted,
				 struct ssdpm_error *reterr)
{
	struct ssdpm_calibrate_params own = { .size = sizeof(own) };
	struct ssdpm_calibration by = { .size = sizeof(by) };
	struct ssdpm_fitted_power fitted = { .size = sizeof(fitted) };
	double values[FIT_MAX_COLUMNS];
	struct calibration *c = NULL;
	int err = ssdpm__sized_in(&fitted, sizeof(fitted), ret_fitted,
				  "ssdpm_fitted_power", reterr);

	if (!err)
		err = ssdpm__sized_in(&by, sizeof(by), calibration,
				      "ssdpm_calibration", reterr);
	if (!err && (!by.measured || by.n_measured > by.capacity))
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "ssdpm_calibration: nothing is measured");
	if (!err)
		err = ssdpm__sized_in(&own, sizeof(own), params,
				      "ssdpm_calibrate_params", reterr);
	own.offset_ns = by.offset_ns;
	own.max_offset_ns = 0;
	own.bin_ns = by.bin_ns;
	if (!err)
		err = ssdpm__calibration_new(model, sim_params, &own, &c,
					     reterr);
	if (!err)
		err = explain(c, model, &by, values, reterr);
	if (!err)
		err = fill(c, values, &fitted, reterr);
	if (!err)
		ssdpm__sized_out(ret_fitted, &fitted, sizeof(fitted));
	ssdpm__calibration_free(c);
	return err;
}
