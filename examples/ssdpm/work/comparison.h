/* SPDX-License-Identifier: MIT */
/* What estimate and compare both print. */
#ifndef SSDPM_COMMAND_COMPARISON_H
#define SSDPM_COMMAND_COMPARISON_H

#include "text/output.h"
#include "options/numbers.h"
#include "work/simulate.h"

/* A field of CSV, and what follows it. */
void csv_text(const char *text, char end);

/* The fields that say of what a line is: "drive,trace,policy,". */
void csv_names(const struct estimate *estimate, const struct job *job);

/* "drive.json on trace.csv, closed loop, PCIe link l1.2" */
/* A line on what was taken from the machine of a device. */
void print_taken(const struct subject *subject,
		 const struct sim_options *options);

void print_subject(const struct estimate *estimate,
		   const struct sim_options *options);

/* The values of a drive that are taken for known. */
void print_known(const struct ssdpm_parameter *parameters, size_t n);

/* A table of what may be saved at least and at most: its head, and a row. */
void begin_possible(struct table *rows);
void possible_row(struct table *rows, const char *name,
		  const struct ssdpm_saving *saving);

/* A value in the unit of its kind; "idle power PS0-PS2", "bandwidth read". */
struct number value_text(uint32_t kind, uint64_t value);
struct number parameter_text(uint32_t kind, uint32_t index, uint32_t last);

/* Only one thing is read from standard input. */
enum exit_status check_stdin(const struct common *common, char **drives,
			     size_t n_drives, const char *const *traces,
			     size_t n_traces);

struct cap_answer;
struct page_options;

/* How estimates are printed, beside the form. */
struct estimate_form {
	const struct sim_options *sim;
	bool intervals; /* CSV: these, and not the states */
	bool explain;
};

/* An estimate as an object; cap: what --power-cap answers, or NULL. */
void add_estimate(struct items *items, const struct sim_options *options,
		  const struct estimate *estimate,
		  const struct cap_answer *cap);

/* One policy for each drive; caps: what --power-cap answers, or NULL. */
enum exit_status print_estimates(const struct common *common,
				 const struct estimate_form *form,
				 const struct estimates *all,
				 const struct cap_answer *caps);
/* What --power-cap answers of a mix. */
enum exit_status print_mixes(const struct common *common,
			     const struct sim_options *options,
			     const struct cap_answer *caps, size_t n);

/* The values of a drive that are taken for known. */
void explain_values(const struct job *job);

/* All policies on one workload; as CSV, a line for each. */
void print_policies(const struct sim_options *options,
		    const struct estimate *estimate, bool explain);
void print_comparisons_csv(const struct estimates *all);

/*
 * The options of traces, what is read from standard input, and those of the
 * page.
 */
enum exit_status check_inputs(const struct common *common,
			      const struct trace_options *options,
			      const char *const *traces, size_t n_traces,
			      char **drives, size_t n_drives,
			      const struct page_options *page);

/* "delays 19.6 % of the I/Os by 11.6 ms on average", "delays no I/O" */
struct cell delays_text(const struct ssdpm_run *run);

/* A link policy that has lost data, unless the port refuses it. */
bool may_lose_data(const struct job *job);

/* A comparison as an object; the saving is against the first policy. */
void add_comparison(struct items *items, const struct estimate *estimate,
		    const struct sim_options *options);

#endif
