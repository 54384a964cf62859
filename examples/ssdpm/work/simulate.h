/* SPDX-License-Identifier: MIT */
/* Simulations: drives under policies on a trace that is read once. */
#ifndef SSDPM_COMMAND_SIMULATE_H
#define SSDPM_COMMAND_SIMULATE_H

#include "options/policies.h"
#include "options/sim-options.h"
#include "input/trace-input.h"

#define TIMELINE_BINS 400

/* busy, idle, on the way; from TIMELINE_ASLEEP on the states slept in. */
enum {
	TIMELINE_BUSY = 0,
	TIMELINE_IDLE = 1,
	TIMELINE_TRANSITION = 2,
	TIMELINE_ASLEEP = 3,
	TIMELINE_UNKNOWN = TIMELINE_ASLEEP + SSDPM_MAX_STATES, /* not shown */
	TIMELINE_CLASSES,
};

/*
 * What a drive does when, in constant memory however long that takes: bins of
 * equal length; when they do not suffice, two become one.
 */
struct timeline {
	bool begun;
	uint32_t now;	  /* which class, */
	uint64_t last_ns; /* since when, from the first I/O */
	uint64_t start_ns;
	uint64_t bin_ns;
	uint64_t ns[TIMELINE_BINS][TIMELINE_CLASSES];
};

/* A ssdpm_change_fn, its userdata being a struct timeline. */
void timeline_change(void *userdata, uint64_t time_ns, uint32_t phase,
		     uint32_t state);

/* As JSON, for a page; null for NULL. */
void write_timeline(FILE *file, const struct timeline *timeline);

/* A drive with what is known of it, the same for all policies. */
struct subject {
	const struct drive *drive;
	struct quirks quirks;
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	size_t n_parameters;
	struct ssdpm_background_work background; /* with --spare */
};

/* One drive under one policy. */
struct job {
	const struct policy *policy;
	struct ssdpm_compared_policy row;
	struct timeline *timeline; /* NULL: nobody wants it */
};

/* A drive on a trace: a job for each policy. */
struct estimate {
	bool is_alone; /* of the first policy that is for the drive */
	const char *trace;
	const struct subject *subject;
	struct ssdpm_trace_counts counts;
	struct ssdpm_comparison *comparison;
	struct job *jobs; /* its rows */
	size_t n_jobs;
};

/* Is a job the same as one before it? */
bool is_merged(const struct estimate *estimate, size_t index);

/* A trace that is kept, all of it. */
struct records {
	struct ssdpm_io *ios;
	size_t n;
	size_t capacity;
};

/* Keep more of them. */
enum exit_status keep_ios(struct records *records, const struct ssdpm_io *ios,
			  size_t n);

/* What to do. */
struct plan {
	const struct common *common;
	const struct trace_options *trace_options;
	const struct sim_options *sim_options;
	const struct quirk_options *quirk_options;
	const struct policy *policies;
	size_t n_policies;
	/* Further ones are left out where a drive cannot have them. */
	size_t n_required;
	bool by_kind;	 /* nor required ones that are not for a drive */
	bool only_first; /* the first that is for a drive */
	bool and_all;	 /* and once more, with all of them: of one trace */
	uint64_t interval_ns;
	bool timelines;		 /* of those that are not alone */
	struct records *records; /* where the trace is kept; NULL: it is not */
	bool no_tables;		 /* no words about their quirks */
	bool one_of_many;	 /* what was measured may be of another drive */
};

struct estimates {
	struct subject *subjects;
	size_t n_subjects;
	struct estimate *estimates; /* by trace, then by drive */
	size_t n;
	size_t n_compared; /* behind these: with all policies */
};

/* Those with all policies; they are still part of @all. */
struct estimates compared_of(const struct estimates *all);

/*
 * Do it all, for each trace and each drive. Free it with free_estimates(), also
 * after a failure, which is complained of.
 */
enum exit_status run_plan(const struct plan *plan, const struct drives *drives,
			  const char *const *traces, size_t n_traces,
			  struct estimates *ret_estimates);
void free_estimates(struct estimates *estimates);

/* The values of all drives, and their quirks; free() them. */
enum exit_status find_subjects(const struct plan *plan,
			       const struct drives *drives,
			       struct subject **ret_subjects);

/* What to simulate, but for the policy. */
struct ssdpm_sim_params sim_params_of(const struct plan *plan,
				      const struct subject *subject);

/* The sum over all operations. */
uint64_t all_ios(const struct ssdpm_run *run);

/* The end of the simulation on the clock of a trace. */
uint64_t end_on_clock(const struct sim_options *options, uint64_t start_ns);

/* When the last of them was completed, or one before them. */
void note_last(const struct ssdpm_io *ios, size_t n, uint64_t *last_ns);

/* That --end is before that, if it is. */
void say_end(const struct plan *plan, const struct trace_input *input,
	     uint64_t last_ns);

#endif
