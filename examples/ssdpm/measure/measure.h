/* SPDX-License-Identifier: MIT */
/* Samples of power: read from a meter, turned into answers, printed. */
#ifndef SSDPM_COMMAND_MEASURE_H
#define SSDPM_COMMAND_MEASURE_H

#include "input/measure-input.h"
#include "options/apst-options.h"
#include "options/numbers.h"
#include "text/output.h"
#include "work/simulate.h"

/* Samples of power of a meter of this machine, instead of a file. */

extern const struct option_group meter_option_group;

struct meter_options {
	const char *name;     /* NULL: no meter is read */
	const char *save;     /* where the samples go; NULL: nowhere */
	uint64_t duration_ns; /* 0: until somebody ends it */
	uint64_t interval_ns; /* 0: a second */
};

/* An option that needs a meter, or NULL. */
const char *option_of_meter(const struct meter_options *options);

/* What was recorded: a file like any other, at its beginning. */
struct recording {
	int fd;
	uint64_t n;
	bool has_counter;
	double counter_j; /* of all of it */
};

/*
 * Read the meter for as long as is wanted, or until SIGINT or SIGTERM. What
 * fails is complained of: with *ret_recording filled where something was
 * recorded before that (n is not 0).
 */
enum exit_status record_meter(const struct common *common,
			      const struct meter_options *options,
			      struct recording *ret_recording);

/*
 * How often a meter has a new value, from n readings, of which n_same repeat
 * the one before; span_ns is from the first to the last. 0: that is not known.
 * Few repeats are chance.
 */
uint64_t meter_update_ns(uint64_t n, uint64_t n_same, uint64_t span_ns);

/* Whether samples are taken fast enough, for people and as JSON. */

/* A line for each fault; none if there is none. */
void print_sampling(const struct ssdpm_sampling *s);

/* How I/Os and samples of the same run go together; on stderr. */
void complain_of_sampling(const char *name, const struct ssdpm_sampling *s);

/* What was measured, for people and as JSON. */

struct energy_answer {
	const char *name;
	struct ssdpm_power_counts counts;
	struct ssdpm_energy energy;
	struct ssdpm_sampling sampling;
	bool has_tolerance;
	bool has_counter; /* of the meter */
	double counter_j;
};

/* A baseline, and what was found above it. */
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
	uint64_t completion_ns; /* above INT64_MAX: not known */
};

/* One of both, by what is asked. */
struct samples_answer {
	struct energy_answer energy;
	struct baseline_answer baseline;
};

/* Which of them an option is for. */
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

/* "energy", "baseline" or "background"; NULL: another word. */
const struct measure_action *find_measure_action(const char *name);

/* Measure files, or what a meter reads, and print the answers. */
enum exit_status measure_files(const struct common *common,
			       const struct measure_options *options,
			       const struct measure_action *action,
			       char **names, size_t n);
enum exit_status measure_meter(const struct common *common,
			       const struct measure_options *options,
			       const struct measure_action *action);

/*
 * The classes of a whole suite, as its study published them: a line for each
 * micro-benchmark, a column for each drive, in a cell the patterns "SW / RW".
 */
void print_matrix(const struct ssdpm_experiment_matrix *matrix);

/* The classes of experiments that vary a parameter, from their tails. */

/*
 * Lines of experiment,parameter,tail_s,extra_j,sigma_j under such a header; no
 * column experiment: all are of one. With micro_benchmark,drive,pattern in its
 * place they are a suite, of which the matrix is printed too.
 */
enum exit_status classify_sweep(const struct common *common, const char *path);

/* What a calibration found, for people. */

struct calibrate_answer {
	const struct subject *subject; /* what was known before */
	struct ssdpm_overlay overlay;
	struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	struct ssdpm_calibration calibration;
	bool offset_given, policy_given;
};

void print_calibration(const struct calibrate_answer *answer);

/* The options on a run, and on what to find. */
struct calibrate_options {
	struct power_options power;
	struct apst_options apst;
	struct trace_options trace;
	struct sim_options sim;
	struct ssdpm_calibrate_params params;
	struct named_policy named;
	const char *save;
	const char *date;
	uint64_t given;	 /* bits: which options of the command */
	bool has_offset; /* --offset or --max-offset is given */
	uint32_t measured_wa_milli;
};

/*
 * Where no policy is named, what the machine of a device does, or what Linux
 * does.
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
	const char *trace_name; /* NULL: the prediction was written before */
	const char *samples;
	const char *output;
	double subtracted_w;
	int64_t from_ns, to_ns; /* the samples that count */
	uint64_t given;		/* bits: which options of the command */
	bool predict_only;
};

/* Predict the power of the one drive, keep that, then measure it. */
enum exit_status check_drive(const struct common *common,
			     const struct check_options *options,
			     const struct drives *drives);
/* Is there a file that has a prediction, measured or not? */
bool is_prediction(const char *path);
/* Measure what was predicted in a file, and keep that there. */
enum exit_status check_written(const struct common *common,
			       const struct check_options *options,
			       const char *path);

/* Find the powers of one drive, and print them. operands: DRIVE POWER TRACE */
enum exit_status calibrate(const struct calibrate_options *options,
			   const struct common *common,
			   const struct drives *drives, char **operands);

#endif
