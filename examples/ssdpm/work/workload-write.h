/* SPDX-License-Identifier: MIT */
/* ssdpm workload: what is in traces, and traces in another form. */
#ifndef SSDPM_COMMAND_WORKLOAD_WRITE_H
#define SSDPM_COMMAND_WORKLOAD_WRITE_H

#include "input/trace-input.h"

/* Read traces, and print what is in them. */
enum exit_status describe_traces(const struct common *common,
				 const struct trace_options *options,
				 char **names, size_t n);

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
