/* SPDX-License-Identifier: MIT */
/* What the parts of the calibration share. */
#ifndef SSDPM_LIB_CALIBRATE_INTERNAL_H
#define SSDPM_LIB_CALIBRATE_INTERNAL_H

#include "calibrate/calibrate-fit.h"
#include "measure/internal.h"

/* What the drive does for some time, as a parameter. */
struct calibrate_piece {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t kind;
	uint32_t index;
	bool vague; /* another parameter is possible */
};

/* An I/O that arrives when no other is in service. */
struct arrival {
	size_t io;
	uint32_t phase; /* the phase that it ends: idle, entry or resident */
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
	bool failed; /* out of memory */

	struct arrival *arrivals; /* room for n_ios */
	size_t n_arrivals;

	struct calibrate_piece *pieces;
	size_t n_pieces;
	size_t max_pieces;
};

/*
 * Finds the course of the drive up to end_ns, as ssdpm_sim_new() and
 * ssdpm_sim_feed() do. Waking takes no time in it, because services include it.
 * Free it even after a failure.
 */
int ssdpm__course_find(struct drawn_course *course,
		       const struct ssdpm_model *model,
		       const struct ssdpm_sim_params *params,
		       struct ssdpm_error *reterr);

/* The exit latency is unknown. */
#define EXIT_UNKNOWN UINT64_MAX

/* Makes the pieces, with these exit latencies. 0, -ENOMEM. */
int ssdpm__course_cut(struct drawn_course *course,
		      const uint64_t exit_ns[SSDPM_MAX_STATES]);

void ssdpm__course_free(struct drawn_course *course);

/* An exit latency, from I/Os that woke the drive. */
struct wake_latency {
	size_t n; /* I/Os */
	double low_ns;
	double nominal_ns;
	double high_ns;
};

#define WAKES_MIN 5

/* n below WAKES_MIN means too few I/Os; it returns 0. -ENOMEM. */
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

/* The column of the drift is the last one and has the kind 0. */
struct design {
	size_t p;
	struct fit_column columns[FIT_MAX_COLUMNS];
	double *x;
	double *late; /* as x: for a meter that lags */
	double *y;
};

/* What a meter does to the power. */
struct meter {
	double response_ns;
	bool point;
	double clock; /* steps are longer by this share */
};

/*
 * Fills the rows of the columns for one offset; x and y have room. A row that
 * is vague, or not wholly within the run, is NaN in y. A column that no other
 * row has stays 0.
 */
void ssdpm__design_fill(struct design *design,
			const struct drawn_course *course,
			const struct rows *rows, const struct meter *meter,
			int64_t offset_ns);

/* Everything that a fit for an offset needs. */
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

/* Fills the rows of the fit for an offset. */
void ssdpm__task_fill(struct calibrate_task *task, int64_t offset_ns);

/* How far from its offset a recut course fits best, in ns. */
double ssdpm__offset_shift(struct calibrate_task *task);

/*
 * Searches roughly for the offset, up to max_ns from the task's. parameters are
 * those known before. 0, -EDOM, -E2BIG, -ENOMEM.
 */
int ssdpm__offset_guess(struct calibrate_task *task, uint64_t max_ns,
			const struct ssdpm_parameter *parameters, size_t n,
			struct ssdpm_error *reterr);

/* Refines the task's offset. Returns as ssdpm__fit() does. */
int ssdpm__offset_refine(struct calibrate_task *task);

/*
 * Measures the error of the offset: half an interval of 95 %. It allows for
 * traits that are not stated, and were found in the same data.
 */
void ssdpm__offset_measure(struct calibrate_task *task, uint32_t stated);

/*
 * Finds the traits of the meter that are not stated, from a first fit. The
 * offset moves with them if "searched" is set. Returns as ssdpm__fit() does.
 */
int ssdpm__meter_find(struct calibrate_task *task, uint32_t stated,
		      bool searched);

/*
 * Which stated trait the data contradict: enum ssdpm_contradiction, 0: none.
 * The fit is unchanged afterwards. 0, -ENOMEM.
 */
int ssdpm__meter_check(struct calibrate_task *task, uint32_t stated,
		       uint32_t *ret_contradiction);

/* Likewise, from the residuals. */
int ssdpm__residuals_check(struct calibrate_task *task,
			   uint32_t *ret_contradiction);

/*
 * Whether the power is related to the I/Os, after a fit. n_places: how many
 * offsets were tried. True if it cannot be decided. 0, -ENOMEM.
 */
int ssdpm__is_related(const struct calibrate_task *task, uint64_t n_places,
		      bool *ret_related);

/*
 * How much more likely the power is if the I/Os' service times leave out the
 * wake, as a logarithm. The array exit_ns has the approximate exit latencies,
 * or EXIT_UNKNOWN. The course is cut with cut_ns. 0, -ENOMEM.
 */
int ssdpm__wait_check(struct calibrate_task *task,
		      const uint64_t exit_ns[SSDPM_MAX_STATES],
		      const uint64_t cut_ns[SSDPM_MAX_STATES],
		      double *ret_gain);

/* The input of a calibration, and its result. */
struct calibration {
	struct ssdpm_calibrate_params params;
	struct ssdpm_sim_params sim_params;
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	size_t n_parameters;
	struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	struct calibrate_task task;
	uint32_t contradiction;
	bool suspicious;  /* I/Os from a state show no wait, or a short one */
	bool implausible; /* that wait is far shorter than the known one */
	double wait_gain; /* as of ssdpm__wait_check() */
	/*
	 * By column of the fit: half an interval, from the errors of exit
	 * latencies.
	 */
	double exit_half[FIT_MAX_COLUMNS];
};

/* Checks the input and copies it. Free it with ssdpm__calibration_free(). */
int ssdpm__calibration_new(const struct ssdpm_model *model,
			   const struct ssdpm_sim_params *sim_params,
			   const struct ssdpm_calibrate_params *params,
			   struct calibration **ret_calibration,
			   struct ssdpm_error *reterr);
void ssdpm__calibration_free(struct calibration *calibration);

/* Makes the rows of the samples, and finds what the drive did meanwhile. */
int ssdpm__calibration_look(struct calibration *calibration,
			    const struct ssdpm_model *model,
			    struct ssdpm_error *reterr);

/*
 * Checks the traits, and sets unknown ones to 0 or the assumed value. 0,
 * -EINVAL, -ERANGE.
 */
int ssdpm__traits_take(struct ssdpm_meter_traits *traits,
		       struct ssdpm_error *reterr);

/* The traits on which the intervals rest. */
struct ssdpm_meter_traits ssdpm__traits_found(const struct calibration *c);

/* The meter of these traits; 0 and unknown ones are those without a fault. */
struct meter ssdpm__meter_of(const struct ssdpm_meter_traits *traits,
			     const struct rows *rows);

/* How many units of a parameter make a watt or a joule. */
double ssdpm__unit_of(uint32_t kind);

#endif
