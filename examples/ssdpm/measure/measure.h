/* SPDX-License-Identifier: MIT */
/* Samples of power: read from a meter, analysed, printed. */
#ifndef SSDPM_COMMAND_MEASURE_H
#define SSDPM_COMMAND_MEASURE_H

#include "input/measure-input.h"
#include "options/apst-options.h"
#include "options/numbers.h"
#include "text/output.h"
#include "work/simulate.h"

/* Samples from a meter of this machine instead of a file. */

extern const struct option_group meter_option_group;

struct meter_options {
	const char *name;     /* NULL: no meter */
	const char *save;     /* the file for the samples; NULL: none */
	uint64_t duration_ns; /* 0: until a signal */
	uint64_t interval_ns; /* 0: a second */
};

/* An option that needs a meter, or NULL. */
const char *option_of_meter(const struct meter_options *options);

/* A recording, which begins like a file. */
struct recording {
	int fd;
	uint64_t n;
	bool has_counter;
	double counter_j; /* of the whole recording */
};

/*
 * Reads the meter for the requested time, or until SIGINT or SIGTERM. Complains
 * of a failure. If n is not 0, *ret_recording has what was recorded before it.
 */
enum exit_status record_meter(const struct common *common,
			      const struct meter_options *options,
			      struct recording *ret_recording);

/* Whether samples are fast enough, for people and as JSON. */

/* Prints a line for each fault. */
void print_sampling(const struct ssdpm_sampling *s);

/* Compares I/Os and samples of the same run; on stderr. */
void complain_of_sampling(const char *name, const struct ssdpm_sampling *s);

/* The measurement, for people and as JSON. */

struct energy_answer {
	const char *name;
	struct ssdpm_power_counts counts;
	struct ssdpm_energy energy;
	struct ssdpm_sampling sampling;
	bool has_tolerance;
	bool has_counter; /* of the meter */
	double counter_j;
};

/* A baseline, and the work above it. */
struct baseline_answer {
	const char *name;
	struct ssdpm_baseline baseline;
	struct ssdpm_sampling sampling;
	struct ssdpm_activity *activities;
	size_t n_activities;
	bool has_tail, has_work;
	struct ssdpm_tail tail;
	struct ssdpm_idle_work work;
};

struct number joules_text(double joules);
struct number watts_text(double watts);

void print_energy(const struct energy_answer *a);
void add_energy(struct items *items, const struct energy_answer *a);
void print_baseline(const struct baseline_answer *a);
void add_baseline(struct items *items, const struct baseline_answer *a);
void print_background(const struct baseline_answer *a);
void add_background(struct items *items, const struct baseline_answer *a);

/* The options and the files of a question about samples. */
struct measure_options {
	struct power_options power;
	struct meter_options meter;
	struct ssdpm_energy_params energy;
	struct ssdpm_baseline_params baseline;
	struct ssdpm_detect_params detect;
	const char *sweep;
	uint64_t completion_ns; /* above INT64_MAX: unknown */
};

/* One of both, as requested. */
struct samples_answer {
	struct energy_answer energy;
	struct baseline_answer baseline;
};

/* The actions that an option is for. */
enum { ENERGY = 1, BASELINE = 2, BACKGROUND = 4 };

struct measure_action {
	const char *name;
	uint32_t mode;
	enum exit_status (*measure)(const struct measure_options *settings,
				    struct power_input *input,
				    struct samples_answer *answer);
	void (*print)(const struct samples_answer *answer);
	void (*add)(struct items *items, const struct samples_answer *answer);
};

/* "energy", "baseline" or "background"; NULL if it is another word. */
const struct measure_action *find_measure_action(const char *name);

/* Measures files or a meter, and prints the answers. */
enum exit_status measure_files(const struct common *common,
			       const struct measure_options *options,
			       const struct measure_action *action,
			       char **names, size_t n);
enum exit_status measure_meter(const struct common *common,
			       const struct measure_options *options,
			       const struct measure_action *action);

/*
 * Prints the classes of a whole suite, laid out as its study published them. A
 * line is a micro-benchmark, a column is a drive, and a cell has the patterns
 * "SW / RW".
 */
void print_matrix(const struct ssdpm_experiment_matrix *matrix);

/* The classes of experiments that vary a parameter, from their tails. */

/*
 * Reads lines of experiment,parameter,tail_s,extra_j,sigma_j under such a
 * header. Without the column experiment, all are of one. With
 * micro_benchmark,drive,pattern instead, they are a suite, and its matrix is
 * printed, too.
 */
enum exit_status classify_sweep(const struct common *common, const char *path);

/* The state that a measured power is of, for people; power: its file, or NULL.
 */
void print_idle_state(const struct drive *drive, const char *power,
		      const struct ssdpm_idle_state *state);

/* The result of a calibration, for people. */

struct calibrate_answer {
	const struct subject *subject; /* the values before */
	struct ssdpm_overlay overlay;
	struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	struct ssdpm_calibration calibration;
	bool offset_given, policy_given;
};

void print_calibration(const struct calibrate_answer *answer);

/* The options for the run, and for the values to find. */
struct calibrate_options {
	struct power_options power;
	struct apst_options apst;
	struct trace_options trace;
	struct sim_options sim;
	struct ssdpm_calibrate_params params;
	struct named_policy named;
	const char *save;
	const char *date;
	uint64_t given;	 /* bits: options of the command */
	bool has_offset; /* --offset or --max-offset is given */
	uint32_t measured_wa_milli;
};

/*
 * Finds the policy of a run if no option names it: that of the device's
 * machine, or else of Linux.
 */
enum exit_status find_policy_of_run(const struct common *common,
				    const struct named_policy *named,
				    const struct apst_options *apst,
				    const struct drive *drive,
				    struct policy *ret_policy);

/* "linux: PS0-PS3 to PS4 after 100 ms"; NULL: no memory. free() it. */
char *policy_words(const struct policy *policy,
		   const struct ssdpm_resolved_policy *resolved, uint32_t kind);

/* The options of a prediction, and of its measurement. */
struct check_options {
	struct power_options power;
	struct meter_options meter;
	struct apst_options apst;
	struct trace_options trace;
	struct sim_options sim;
	struct named_policy named;
	struct ssdpm_energy_params energy;
	const char *trace_name; /* NULL: the prediction was written earlier */
	const char *samples;
	const char *output;
	double subtracted_w;
	int64_t from_ns, to_ns; /* the samples that count */
	uint64_t given;		/* bits: which options of the command */
	bool predict_only;
};

/* Predicts the power of the one drive, saves that, then measures it. */
enum exit_status check_drive(const struct common *common,
			     const struct check_options *options,
			     const struct drives *drives);
/* Whether a file has a prediction, measured or not. */
bool is_prediction(const char *path);
/* Measures the prediction of a file, and saves the result there. */
enum exit_status check_written(const struct common *common,
			       const struct check_options *options,
			       const char *path);

/* Finds and prints the powers of one drive. operands: DRIVE POWER TRACE */
enum exit_status calibrate(const struct calibrate_options *options,
			   const struct common *common,
			   const struct drives *drives, char **operands);

#endif
