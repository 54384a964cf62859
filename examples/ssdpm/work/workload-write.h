/* SPDX-License-Identifier: MIT */
/* ssdpm workload --to: a trace in another form. */
#ifndef SSDPM_COMMAND_WORKLOAD_WRITE_H
#define SSDPM_COMMAND_WORKLOAD_WRITE_H

#include "input/trace-input.h"

/* Is it one of the words of --to? */
enum exit_status check_trace_form(const struct common *common,
				  const char *form);

/*
 * Write what is left of a trace to path, or to standard output where it is "-".
 */
enum exit_status write_trace(const struct common *common,
			     const struct trace_options *options,
			     struct trace_input *input, const char *form,
			     const char *path);

#endif
