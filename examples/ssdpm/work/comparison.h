/* SPDX-License-Identifier: MIT */
/* What estimate and compare both print. */
#ifndef SSDPM_COMMAND_COMPARISON_H
#define SSDPM_COMMAND_COMPARISON_H

#include "text/output.h"
#include "options/numbers.h"
#include "work/simulate.h"

/* Fields of CSV. */
void csv_text(const char *text, char end);
void csv_line(int n, ...);

/* "drive.json on trace.csv, closed loop, PCIe link l1.2" */
/* A line on what was taken from the machine of a device. */
void print_taken(const struct subject *subject,
		 const struct sim_options *options);

void print_subject(const struct estimate *estimate,
		   const struct sim_options *options);

/* What is taken for known of a drive. */
void print_known(const struct subject *subject);

/* A value in the unit of its kind; "idle power PS0-PS2", "bandwidth read". */
struct number value_text(uint32_t kind, uint64_t value);
struct number parameter_text(uint32_t kind, uint32_t index, uint32_t last);

/* Only one thing is read from standard input. */
enum exit_status check_stdin(const struct common *common, char **drives,
			     size_t n_drives, const char *const *traces,
			     size_t n_traces);

struct cap_answer;

/* An estimate of one policy; cap: what --power-cap answers, or NULL. */
void print_estimate(const struct sim_options *options,
		    const struct estimate *estimate,
		    const struct cap_answer *cap, bool explain);
void add_estimate(struct items *items, const struct sim_options *options,
		  const struct estimate *estimate,
		  const struct cap_answer *cap);

/* A line for each state, and one for each interval. */
void print_states_csv(const struct estimates *all);
void print_intervals_csv(const struct estimates *all);

/* All policies on one workload; as CSV, a line for each. */
void print_policies(const struct sim_options *options,
		    const struct estimate *estimate);
void print_comparisons_csv(const struct estimates *all);

/* A comparison as an object; the saving is against the first policy. */
void add_comparison(struct items *items, const struct estimate *estimate,
		    const struct sim_options *options);

#endif
