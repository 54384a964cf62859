/* SPDX-License-Identifier: MIT */
/* Traces: a file, standard input, or a workload that is made. */
#ifndef SSDPM_COMMAND_TRACE_INPUT_H
#define SSDPM_COMMAND_TRACE_INPUT_H

#include "text/progress.h"

struct trace_options {
	struct ssdpm_trace_params reader;
	struct ssdpm_generator_params generator;
	uint64_t given; /* bits: which options of the group */
	/* Beside options of other files: they begin with "trace-". */
	bool prefixed;
};

/* How to read or to make a trace; its settings are a struct trace_options. */
extern const struct option_group trace_option_group;
/* How to read one, beside options of other files. */
extern const struct option_group prefixed_trace_option_group;

struct trace_input {
	const char *name;
	bool prefixed;	 /* its options, as in struct trace_options */
	bool has_device; /* one was named */
	struct ssdpm_trace *trace;
	int fd;	    /* -1: none to close */
	bool begun; /* stream_trace() has had an I/O; the first one is of */
	uint64_t start_ns;
	struct progress progress;
};

/* "-", a file, or the name of a workload. A file comes first. */
bool is_workload(const char *name);

/*
 * Is there a trace that reads each of the options? Names lists them all. At
 * most one may be standard input.
 */
enum exit_status check_trace_options(const struct common *common,
				     const struct trace_options *options,
				     const char *const *names, size_t n);

/* Close it with close_trace(); a failure is complained of. */
enum exit_status open_trace(const struct common *common,
			    const struct trace_options *options,
			    const char *name, struct trace_input *ret_input);
/* *ret_n 0: the end. */
enum exit_status read_trace(struct trace_input *input, struct ssdpm_io *ios,
			    size_t max, size_t *ret_n);
/* All of it, piece by piece, to a function whose failure ends it. */
typedef enum exit_status (*take_ios_fn)(void *data, struct trace_input *input,
					const struct ssdpm_io *ios, size_t n);
enum exit_status stream_trace(struct trace_input *input, take_ios_fn take,
			      void *data);
void close_trace(struct trace_input *input);

/*
 * A complaint about the trace that names it and the line. Return:
 * STATUS_FAILED.
 */
enum exit_status complain_of_trace(const struct trace_input *input,
				   const struct ssdpm_error *error);

/* The options for a workload that is generated. */
struct ssdpm_generator_params generator_of(const struct trace_options *options,
					   const char *name);

/* What the reader met, on standard error. */
void say_reading(const struct common *common, const struct trace_input *input);

/* The same, and what stands for what the trace does not have. */
void say_counts(const struct common *common, const struct trace_input *input);

/* workload-print.c: read traces, and print what is in them. */
enum exit_status describe_traces(const struct common *common,
				 const struct trace_options *options,
				 char **names, size_t n);

/* workload-write.c: is it one of the words of --to? */
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
