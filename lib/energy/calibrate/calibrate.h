/* SPDX-License-Identifier: MIT */
/* What the parts of the calibration share. */
#ifndef SSDPM_LIB_CALIBRATE_CALIBRATE_H
#define SSDPM_LIB_CALIBRATE_CALIBRATE_H

#include "calibrate/calibrate-fit.h"
#include "measure/internal.h"

/* What the drive does for some time, in terms of a parameter. */
struct calibrate_piece {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t kind;
	uint32_t index;
	bool vague; /* that, or something else */
};

/* An I/O that comes when there is nothing else to do. */
struct arrival {
	size_t io;
	uint32_t phase; /* that it ends: idle, entry or resident */
	uint32_t state;
};

struct level_change {
	uint64_t time_ns;
	uint32_t phase;
	uint32_t state;
};

/* A run, on the clock of its I/Os. */
struct drawn_course {
	const struct ssdpm_io *ios;
	size_t n_ios;
	uint64_t end_ns;

	struct level_change *changes;
	size_t n_changes;
	size_t max_changes;
	bool failed; /* no memory for one */

	struct arrival *arrivals; /* room for n_ios */
	size_t n_arrivals;

	struct calibrate_piece *pieces;
	size_t n_pieces;
	size_t max_pieces;
};

/*
 * The course of the drive up to end_ns. Waking takes no time in it: it is in
 * the services. As ssdpm_sim_new() and ssdpm_sim_feed(). Let go of it in any
 * case.
 */
int ssdpm__course_find(struct drawn_course *course,
		       const struct ssdpm_model *model,
		       const struct ssdpm_sim_params *params,
		       struct ssdpm_error *reterr);

/* Nobody knows how long the drive takes to wake. */
#define EXIT_UNKNOWN UINT64_MAX

/* The pieces, with these times for waking. 0, -ENOMEM. */
int ssdpm__course_cut(struct drawn_course *course,
		      const uint64_t exit_ns[SSDPM_MAX_STATES]);

void ssdpm__course_free(struct drawn_course *course);

/* A latency, from I/Os that woke the drive. */
struct wake_latency {
	size_t n; /* I/Os */
	double low_ns;
	double nominal_ns;
	double high_ns;
};

#define WAKES_MIN 5

/* 0 with n below WAKES_MIN: there are too few; -ENOMEM. */
int ssdpm__exit_measure(const struct drawn_course *course, uint32_t state,
			struct wake_latency *ret_latency);

/* The samples as rows of equal length. */
struct rows {
	size_t n;
	double *power_w;  /* NaN: not measured */
	int64_t begin_ns; /* on the clock of the samples */
	uint64_t bin_ns;
	bool single; /* a row has one sample */
};

int ssdpm__rows_take(struct rows *rows, const struct ssdpm_samples *samples,
		     uint64_t bin_ns, struct ssdpm_error *reterr);

struct fit_column {
	uint32_t kind;
	uint32_t index;
	size_t n;      /* rows that have any of it */
	double length; /* before it was made 1 */
};

/* A column for the drift is the last one and has the kind 0. */
struct design {
	size_t p;
	struct fit_column columns[FIT_MAX_COLUMNS];
	double *x;
	double *late; /* as x: for a meter that lags */
	double *y;
};

/* What a meter makes of the power. */
struct meter {
	double response_ns;
	bool point;
	double clock; /* steps are longer by this share */
};

/*
 * The rows of the columns for one offset: x and y have room. Rows that are not
 * wholly within the run, or are vague, are NaN in y; a column that none of the
 * rest has is left as 0.
 */
void ssdpm__design_fill(struct design *design,
			const struct drawn_course *course,
			const struct rows *rows, const struct meter *meter,
			int64_t offset_ns);

/* All that a fit for an offset takes. */
struct calibrate_task {
	struct drawn_course course;
	struct rows rows;
	struct design design;
	struct fit fit;
	size_t keep[FIT_MAX_COLUMNS]; /* columns of the design, in the fit */
	int with[FIT_MAX_COLUMNS];    /* as of ssdpm__fit_rank() */
	double *room;		      /* a double for each row */
	struct meter meter;

	int64_t offset_ns;
	uint64_t error_ns;
};

/* The rows of the fit for an offset. */
void ssdpm__task_fill(struct calibrate_task *task, int64_t offset_ns);

/* How far from its offset a course that was cut anew fits best, in ns. */
double ssdpm__offset_shift(struct calibrate_task *task);

/* Look for the offset, roughly, up to max_ns from that of the task. parameters
 * are what is known before. 0, -EDOM, -E2BIG, -ENOMEM. */
int ssdpm__offset_guess(struct calibrate_task *task, uint64_t max_ns,
			const struct ssdpm_parameter *parameters, size_t n,
			struct ssdpm_error *reterr);

/* A better one near that of the task. As ssdpm__fit(). */
int ssdpm__offset_refine(struct calibrate_task *task);

/* How far off it may be: half an interval of 95 %, where what is not stated of
 * the meter was found in the same data. */
void ssdpm__offset_measure(struct calibrate_task *task, uint32_t stated);

/*
 * Find what of the meter is not stated, from a first fit on; the offset moves
 * with it where "searched" is set. As ssdpm__fit().
 */
int ssdpm__meter_find(struct calibrate_task *task, uint32_t stated,
		      bool searched);

/*
 * What the data contradict of what is stated: enum ssdpm_contradiction, 0:
 * nothing. The fit is as it was after. 0, -ENOMEM.
 */
int ssdpm__meter_check(struct calibrate_task *task, uint32_t stated,
		       uint32_t *ret_contradiction);

/* Likewise, by what is left of the power. */
int ssdpm__residuals_check(struct calibrate_task *task,
			   uint32_t *ret_contradiction);

/* Has the power anything to do with the I/Os, after a fit? n_places: at how
 * many offsets they were looked at. True where nobody can tell. 0, -ENOMEM. */
int ssdpm__is_related(const struct calibrate_task *task, uint64_t n_places,
		      bool *ret_related);

/*
 * How much more likely the power is if the I/Os leave out how long the drive
 * takes to wake: the logarithm. exit_ns has about how long each state takes, or
 * EXIT_UNKNOWN if I/Os tell nothing. The course is cut with cut_ns. Returns 0
 * or -ENOMEM.
 */
int ssdpm__wait_check(struct calibrate_task *task,
		      const uint64_t exit_ns[SSDPM_MAX_STATES],
		      const uint64_t cut_ns[SSDPM_MAX_STATES],
		      double *ret_gain);

/* What is given to a calibration, and what it fills. */
struct calibration {
	struct ssdpm_calibrate_params params;
	struct ssdpm_sim_params sim_params;
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	size_t n_parameters;
	struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	struct calibrate_task task;
	uint32_t contradiction;
	bool suspicious;  /* I/Os from a state show no wait, or a short one */
	bool implausible; /* and it would be far shorter than is known */
	double wait_gain; /* as of ssdpm__wait_check() */
	/* By column of the fit: half an interval, for what is not known of exit
	 * latencies. */
	double exit_half[FIT_MAX_COLUMNS];
};

/* What is given, checked. Free it with ssdpm__calibration_free(). */
int ssdpm__calibration_new(const struct ssdpm_model *model,
			   const struct ssdpm_sim_params *sim_params,
			   const struct ssdpm_calibrate_params *params,
			   struct calibration **ret_calibration,
			   struct ssdpm_error *reterr);
void ssdpm__calibration_free(struct calibration *calibration);

/* The rows of the samples, and what the drive did meanwhile. */
int ssdpm__calibration_look(struct calibration *calibration,
			    const struct ssdpm_model *model,
			    struct ssdpm_error *reterr);

/* Checked, and what is not known is 0, or assumed. 0, -EINVAL, -ERANGE. */
int ssdpm__traits_take(struct ssdpm_meter_traits *traits,
		       struct ssdpm_error *reterr);

/* What the intervals rest on. */
struct ssdpm_meter_traits ssdpm__traits_found(const struct calibration *c);

/* 0 and unknown traits are those of a meter without faults. */
struct meter ssdpm__meter_of(const struct ssdpm_meter_traits *traits,
			     const struct rows *rows);

/* How many of the unit of a parameter are a watt or a joule. */
double ssdpm__unit_of(uint32_t kind);

#endif
