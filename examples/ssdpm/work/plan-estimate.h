/* SPDX-License-Identifier: MIT */
/* What a plan saves on a workload, and what it adds to delays. */
#ifndef SSDPM_COMMAND_PLAN_ESTIMATE_H
#define SSDPM_COMMAND_PLAN_ESTIMATE_H

#include "work/work.h"

struct saving_options {
	const char *trace; /* NULL: no estimate is wanted */
	struct trace_options trace_options;
	struct sim_options sim;
};

/* Simulate each drive as it is and as it will be. */
enum exit_status estimate_work(struct work *work,
			       const struct saving_options *options);

void print_savings(const struct work *work);
void write_savings(struct json_writer *w, const struct work *work);

#endif
