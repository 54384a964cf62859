/* SPDX-License-Identifier: MIT */
/* Simulations: drives under policies on a trace that is read once. */
#ifndef SSDPM_COMMAND_SIMULATE_H
#define SSDPM_COMMAND_SIMULATE_H

#include "options/policies.h"
#include "options/sim-options.h"
#include "input/trace-input.h"

#define TIMELINE_BINS 400

/* busy, idle, changing; from TIMELINE_ASLEEP the states slept in */
enum {
	TIMELINE_BUSY = 0,
	TIMELINE_IDLE = 1,
	TIMELINE_TRANSITION = 2,
	TIMELINE_ASLEEP = 3,
	TIMELINE_UNKNOWN = TIMELINE_ASLEEP + SSDPM_MAX_STATES, /* not shown */
	TIMELINE_CLASSES,
};

/*
 * The activity of a drive over time, in constant memory. Bins have equal
 * length; when they run out, pairs of them merge.
 */
struct timeline {
	bool begun;
	uint32_t now;	  /* the class, */
	uint64_t last_ns; /* and since when, from the first I/O */
	uint64_t start_ns;
	uint64_t bin_ns;
	uint64_t ns[TIMELINE_BINS][TIMELINE_CLASSES];
};

/* A ssdpm_change_fn, its userdata being a struct timeline. */
void timeline_change(void *userdata, uint64_t time_ns, uint32_t phase,
		     uint32_t state);

/* The time in a class. */
uint64_t timeline_ns(const struct timeline *timeline, uint32_t class);

/* Writes it as JSON for a page; null for NULL. */
void write_timeline(FILE *file, const struct timeline *timeline);

/* A drive with its known values, the same for all policies. */
struct subject {
	const struct drive *drive;
	struct quirks quirks;
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	size_t n_parameters;
	struct ssdpm_background_work background; /* with --spare */
};

/*
 * False: it rotates, it draws its power at another machine, or its controller
 * is not live; and why.
 */
bool is_estimated(const struct drive *drive, char why[256]);

/* If all are left out. A drive that could not be read is a failure first. */
enum exit_status status_without_drives(void);

/* As read_drives(), without those that are not estimated. */
enum exit_status read_estimated_drives(const struct common *common,
				       char **operands, size_t n,
				       struct drives *ret_drives);

/* One drive under one policy. */
struct job {
	const struct policy *policy;
	struct ssdpm_compared_policy row;
	struct timeline *timeline; /* NULL: not wanted */
};

/* A drive on a trace: a job for each policy. */
struct estimate {
	bool is_alone; /* of the first policy that fits the drive */
	const char *trace;
	const struct subject *subject;
	struct ssdpm_trace_counts counts;
	struct ssdpm_comparison *comparison;
	struct job *jobs; /* its rows */
	size_t n_jobs;
};

/* Whether a job equals an earlier one. */
bool is_merged(const struct estimate *estimate, size_t index);

/* A trace kept whole. */
struct records {
	struct ssdpm_io *ios;
	size_t n;
	size_t capacity;
};

/* Keeps more records. */
enum exit_status keep_ios(struct records *records, const struct ssdpm_io *ios,
			  size_t n);

/* The work to do. */
struct plan {
	const struct common *common;
	const struct trace_options *trace_options;
	const struct sim_options *sim_options;
	const struct quirk_options *quirk_options;
	const struct policy *policies;
	size_t n_policies;
	/* Further policies that a drive cannot have are left out. */
	size_t n_required;
	bool by_kind; /* also leave out required ones that do not fit a drive */
	bool only_first; /* the first that fits a drive */
	bool and_all;	 /* and all together again, on one trace */
	uint64_t interval_ns;
	bool timelines;		 /* unless they are alone */
	struct records *records; /* where the trace is kept; NULL: nowhere */
	bool no_tables;		 /* no text about their quirks */
	bool one_of_many;	 /* measurements may be of another drive */
};

struct estimates {
	struct subject *subjects;
	size_t n_subjects;
	struct estimate *estimates; /* by trace, then by drive */
	size_t n;
	size_t n_compared; /* after these: with all policies */
};

/* Those with all policies; still a part of @all. */
struct estimates compared_of(const struct estimates *all);

/*
 * Runs each trace on each drive. Free it with free_estimates(), even after a
 * failure, which it complains of.
 */
enum exit_status run_plan(const struct plan *plan, const struct drives *drives,
			  const char *const *traces, size_t n_traces,
			  struct estimates *ret_estimates);
void free_estimates(struct estimates *estimates);

/* Finds the values of all drives, and their quirks; free() them. */
enum exit_status find_subjects(const struct plan *plan,
			       const struct drives *drives,
			       struct subject **ret_subjects);

/* The parameters of a simulation without the policy. */
struct ssdpm_sim_params sim_params_of(const struct plan *plan,
				      const struct subject *subject);

/* The sum over all operations. */
uint64_t all_ios(const struct ssdpm_run *run);

/* The end of the simulation on the clock of a trace. */
uint64_t end_on_clock(const struct sim_options *options, uint64_t start_ns);

/* Notes the latest completion. */
void note_last(const struct ssdpm_io *ios, size_t n, uint64_t *last_ns);

/* Reports --end before the last completion. */
void say_end(const struct plan *plan, const struct trace_input *input,
	     uint64_t last_ns);

#endif
