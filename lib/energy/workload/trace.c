/* SPDX-License-Identifier: MIT */
/* A trace as a stream: recognised, read, and checked by the rules for all. */
#include "workload/pair.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"
#include "workload/awake.h"

/* Those that can be told from any other come first. */
static const struct trace_reader *const readers[] = {
	&ssdpm__read_npy,
	&ssdpm__read_blktrace,
	&ssdpm__read_fio_iolog,
	&ssdpm__read_fio_latency_log,
	&ssdpm__read_procmon,
	/* Columns of text: those with the least of their own come last. */
	&ssdpm__read_blkparse,
	&ssdpm__read_ftrace,
	&ssdpm__read_biosnoop,
	&ssdpm__read_delimited,
	/* No text, and no mark: numbers that fit. */
	&ssdpm__read_vscsi,
	&ssdpm__read_oracle,
};

int ssdpm__trace_bad(struct ssdpm_trace *trace, struct ssdpm_error *reterr,
		     int code, const char *format, ...)
{
	char message[200];
	va_list args;

	if (trace->flags & SSDPM_TRACE_SKIP_BAD) {
		trace->counts.n_bad++;
		return 0;
	}
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return ssdpm__fail(reterr, code, trace->input.line, "%s", message);
}

int ssdpm__trace_record(struct ssdpm_trace *trace, size_t size,
			const char **ret_record, struct ssdpm_error *reterr)
{
	struct input *input = &trace->input;
	int err = ssdpm__input_need(input, size, reterr);

	if (err < 0 || (err == 0 && input->at == input->end))
		return err;
	input->line++;
	*ret_record = err ? input->at : NULL;
	input->at = err ? input->at + size : input->end;
	if (err == 0)
		err = ssdpm__trace_bad(trace, reterr, -EIO,
				       "the last record is cut off");
	return err < 0 ? err : 1;
}

/* For a message: a long one is cut off. */
static void copy_name(struct span name, char ret_text[32])
{
	if (name.end - name.at > 31)
		name.end = name.at + 31;
	ssdpm__span_copy(name, ret_text, 32);
}

int ssdpm__trace_device(struct ssdpm_trace *trace, struct span device,
			struct ssdpm_error *reterr)
{
	size_t n = (size_t)(device.end - device.at);

	if (!trace->device) {
		trace->device = malloc(n + 1);
		if (!trace->device)
			return ssdpm__no_memory(reterr);
		memcpy(trace->device, device.at, n);
		trace->device[n] = '\0';
		return 1;
	}
	if (strlen(trace->device) == n &&
	    memcmp(trace->device, device.at, n) == 0)
		return 1;
	if (trace->device_wanted || trace->is_one_drive) {
		trace->counts.n_other_device++;
		return trace->is_one_drive;
	}
	char first[32], other[32];
	copy_name(ssdpm__span(trace->device, strlen(trace->device)), first);
	copy_name(device, other);
	return ssdpm__fail(reterr, -EINVAL, trace->input.line,
			   "the trace has several devices, %s and %s: name the "
			   "one to read",
			   first, other);
}

/* "0.000306 s": no digit is lost, and no zero printed at the end. */
static void print_step(uint64_t ns, char ret_text[48])
{
	int digits = 9;
	uint64_t fraction = ns % 1000000000;

	for (; digits && fraction % 10 == 0; digits--)
		fraction /= 10;
	if (digits)
		snprintf(ret_text, 48, "%llu.%0*llu s",
			 (unsigned long long)(ns / 1000000000), digits,
			 (unsigned long long)fraction);
	else
		snprintf(ret_text, 48, "%llu s",
			 (unsigned long long)(ns / 1000000000));
}

/* A record that is too late to be put in its place: what to do about it. */
static int fail_backwards(struct ssdpm_trace *trace, uint64_t start_ns,
			  uint64_t step_ns, struct ssdpm_error *reterr)
{
	char step[48];

	print_step(step_ns, step);
	/* The first records of a run may be late, too. */
	if (step_ns > TRACE_LATE_NS &&
	    (start_ns < trace->first_start_ns ||
	     start_ns - trace->first_start_ns <= TRACE_LATE_NS))
		return ssdpm__fail(reterr, -EINVAL, trace->input.line,
				   "time goes backwards by %s, to where the "
				   "trace began or before: a second run "
				   "begins here or shortly before. Split the "
				   "file and read one run at a time",
				   step);
	return ssdpm__fail(reterr, -EINVAL, trace->input.line,
			   "time goes backwards by %s here or shortly before, "
			   "too much to put records in order (0.2 s). Split "
			   "the file there%s",
			   step,
			   trace->never_skips ? "" : ", or skip what is bad");
}

int ssdpm__trace_order(struct ssdpm_trace *trace, uint64_t start_ns,
		       uint64_t end_ns, struct ssdpm_error *reterr)
{
	struct ssdpm_trace_counts *counts = &trace->counts;
	uint64_t late_ns = 0;

	if (!trace->has_start) {
		trace->has_start = true;
		trace->first_start_ns = start_ns;
	}
	if (start_ns < trace->latest_start_ns &&
	    end_ns < trace->latest_end_ns) {
		uint64_t by_start = trace->latest_start_ns - start_ns;
		uint64_t by_end = trace->latest_end_ns - end_ns;

		late_ns = by_start < by_end ? by_start : by_end;
	}
	if (late_ns > TRACE_LATE_NS && !(trace->flags & SSDPM_TRACE_SKIP_BAD))
		return fail_backwards(trace, start_ns, late_ns, reterr);
	if (late_ns) {
		counts->n_late++;
		if (late_ns > counts->late_max_ns)
			counts->late_max_ns = late_ns;
	}
	if (start_ns > trace->latest_start_ns)
		trace->latest_start_ns = start_ns;
	ssdpm__trace_see_end(trace, end_ns);
	return 0;
}

uint32_t ssdpm__trace_service(struct ssdpm_trace *trace, uint64_t service_ns)
{
	if (service_ns <= SSDPM_SERVICE_MAX)
		return (uint32_t)service_ns;
	trace->counts.n_saturated++;
	return SSDPM_SERVICE_MAX;
}

/* The parts of an I/O of 4 GiB and more: a power of two stays aligned. */
#define PART_BYTES ((uint64_t)1 << 31)

static size_t split_rest(struct ssdpm_trace *trace, struct ssdpm_io *ios,
			 size_t max)
{
	size_t n = 0;

	for (; n < max && trace->rest_bytes; n++) {
		uint64_t part = trace->rest_bytes < PART_BYTES ?
					trace->rest_bytes :
					PART_BYTES;

		ios[n] = trace->rest;
		ios[n].bytes = (uint32_t)part;
		trace->rest.offset += part;
		trace->rest.flags |= SSDPM_IO_CONTINUED;
		trace->rest_bytes -= part;
	}
	return n;
}

size_t ssdpm__trace_split(struct ssdpm_trace *trace, const struct ssdpm_io *io,
			  uint64_t bytes, struct ssdpm_io *ios, size_t max)
{
	if (bytes <= UINT32_MAX) {
		ios[0] = *io;
		ios[0].bytes = (uint32_t)bytes;
		return 1;
	}
	trace->rest = *io;
	trace->rest_bytes = bytes;
	return split_rest(trace, ios, max);
}

static const struct trace_reader *recognise(const struct ssdpm_trace *trace)
{
	struct span head = ssdpm__trace_head(trace);

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (readers[i]->is(head.at, (size_t)(head.end - head.at)))
			return readers[i];
	return NULL;
}

static const struct trace_reader *find_reader(uint32_t format)
{
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (readers[i]->format == format ||
		    (readers[i]->format < format &&
		     format <= readers[i]->last_format))
			return readers[i];
	return NULL;
}

/* Lines have 32 bits, their number has 64. */
static void count_lines(struct ssdpm_trace *trace)
{
	uint64_t *n = &trace->counts.n_lines;

	*n += (uint32_t)(trace->input.line - (uint32_t)*n);
}

static int choose_reader(struct ssdpm_trace *trace, uint32_t format,
			 struct ssdpm_error *reterr)
{
	while (!trace->input.complete &&
	       (size_t)(trace->input.end - trace->input.at) <
		       TRACE_HEAD_BYTES) {
		int err = ssdpm__input_fill(&trace->input, reterr);
		if (err)
			return err;
	}
	/* Programs of Windows begin their text with a byte order mark. */
	if (trace->input.end - trace->input.at >= 3 &&
	    memcmp(trace->input.at, "\xef\xbb\xbf", 3) == 0)
		trace->input.at += 3;
	if (trace->input.at == trace->input.end)
		return ssdpm__fail(reterr, -EINVAL, 0, "the trace is empty");
	if (!format && trace->columns)
		format = SSDPM_TRACE_DELIMITED;
	trace->reader = format ? find_reader(format) : recognise(trace);
	if (!trace->reader && format)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "unknown format of a trace: %u", format);
	if (!trace->reader)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "this is no trace in a known format: name "
				   "the format, or its columns");
	trace->counts.format = format;
	int err = trace->reader->open(trace, reterr);
	if (!trace->counts.format)
		trace->counts.format = trace->reader->format;
	count_lines(trace);
	return err;
}

static int copy_text(const char *text, char **ret_copy,
		     struct ssdpm_error *reterr)
{
	if (!text)
		return 0;
	size_t size = strlen(text) + 1;
	*ret_copy = malloc(size);
	if (!*ret_copy)
		return ssdpm__no_memory(reterr);
	memcpy(*ret_copy, text, size);
	return 0;
}

static int begin(struct ssdpm_trace *trace, struct given_bytes given,
		 const struct ssdpm_trace_params *params,
		 struct ssdpm_error *reterr)
{
	int err = ssdpm__input_open(&trace->input, given, reterr);

	if (err)
		return err;
	trace->flags = params->flags;
	trace->device_wanted = params->device;
	err = copy_text(params->columns, &trace->columns, reterr);
	if (err == 0)
		err = copy_text(params->device, &trace->device, reterr);
	if (err == 0)
		err = choose_reader(trace, params->format, reterr);
	return err;
}

static int take_params(const struct ssdpm_trace_params *given,
		       struct ssdpm_trace_params *params,
		       struct ssdpm_error *reterr)
{
	int err = ssdpm__sized_in(params, sizeof(*params), given,
				  "ssdpm_trace_params", reterr);

	if (!err && params->flags & ~(uint32_t)SSDPM_TRACE_SKIP_BAD)
		err = ssdpm__fail(reterr, -EINVAL, 0, "flags: an unknown bit");
	return err;
}

static int open_trace(struct given_bytes given,
		      const struct ssdpm_trace_params *params,
		      struct ssdpm_trace **ret_trace,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_trace_params known = { .size = sizeof(known) };
	int err = take_params(params, &known, reterr);

	if (err)
		return err;
	struct ssdpm_trace *trace = calloc(1, sizeof(*trace));
	if (!trace)
		return ssdpm__no_memory(reterr);
	err = begin(trace, given, &known, reterr);
	if (err) {
		ssdpm_trace_free(trace);
		return err;
	}
	*ret_trace = trace;
	return 0;
}

int ssdpm_trace_open(int fd, const struct ssdpm_trace_params *params,
		     struct ssdpm_trace **ret_trace, struct ssdpm_error *reterr)
{
	return open_trace(ssdpm__of_fd(fd), params, ret_trace, reterr);
}

int ssdpm_trace_open_data(const void *data, size_t size,
			  const struct ssdpm_trace_params *params,
			  struct ssdpm_trace **ret_trace,
			  struct ssdpm_error *reterr)
{
	return open_trace(ssdpm__in_memory(data, size), params, ret_trace,
			  reterr);
}

static void update_resolution(struct ssdpm_trace_counts *counts,
			      uint64_t tick_ns, uint64_t time_ns)
{
	if (counts->resolution_ns == 0)
		counts->resolution_ns = 1000000000000u;
	while (counts->resolution_ns > tick_ns &&
	       time_ns % counts->resolution_ns)
		counts->resolution_ns /= 10;
}

/* false: time goes back, and that is no record. */
static bool check_time(struct ssdpm_trace *trace, struct ssdpm_io *io)
{
	if (io->start_ns < trace->last_start_ns) {
		if (!(trace->flags & SSDPM_TRACE_SKIP_BAD))
			return false;
		trace->counts.n_backward++;
		io->start_ns = trace->last_start_ns;
	}
	trace->last_start_ns = io->start_ns;
	return true;
}

/*
 * The rules that hold for every reader: time does not go back; count. Returns
 * how many records are good. The first that is not comes before whatever else
 * failed.
 */
static size_t check_records(struct ssdpm_trace *trace, struct ssdpm_io *ios,
			    size_t n)
{
	struct ssdpm_trace_counts *counts = &trace->counts;
	uint64_t tick_ns = trace->tick_ns ? trace->tick_ns : 1;
	uint64_t n_ios = 0, n_unsized = 0;
	size_t i = 0;

	for (; i < n && check_time(trace, &ios[i]); i++) {
		if (counts->resolution_ns != tick_ns)
			update_resolution(counts, tick_ns, ios[i].start_ns);
		n_ios += !(ios[i].flags & SSDPM_IO_CONTINUED);
		n_unsized += !ios[i].bytes && ios[i].op != SSDPM_OP_FLUSH;
	}
	counts->n_ios += n_ios;
	counts->n_unsized += n_unsized;
	counts->n_records += i;
	if (i < n) {
		trace->ended = true;
		fail_backwards(trace, ios[i].start_ns,
			       trace->last_start_ns - ios[i].start_ns,
			       &trace->failed);
	}
	return i;
}

static void read_some(struct ssdpm_trace *trace, struct ssdpm_io *ios,
		      size_t max, size_t *ret_n, struct ssdpm_error *reterr)
{
	if (trace->reader->read)
		trace->reader->read(trace, ios, max, ret_n, reterr);
	else
		ssdpm__pair_read(trace, ios, max, ret_n, reterr);
}

/* A failure ends the input: what a reader still holds comes, as at the end. */
static size_t read_records(struct ssdpm_trace *trace, struct ssdpm_io *ios,
			   size_t max)
{
	struct ssdpm_error error = { 0 };
	size_t n = 0;

	if (trace->rest_bytes)
		return split_rest(trace, ios, max);
	read_some(trace, ios, max, &n, &error);
	if (error.code && !trace->failed.code) {
		trace->failed = error;
		ssdpm__input_end(&trace->input);
		if (n == 0)
			read_some(trace, ios, max, &n, &error);
	}
	return n;
}

int ssdpm_trace_read(struct ssdpm_trace *trace, struct ssdpm_io *ios,
		     size_t max, size_t *ret_n, struct ssdpm_error *reterr)
{
	size_t n = 0;

	if (max == 0)
		return ssdpm__fail(reterr, -EINVAL, 0, "no room for a record");
	if (!trace->ended) {
		n = read_records(trace, ios, max);
		count_lines(trace);
		trace->ended = n == 0;
		n = check_records(trace, ios, n);
		ssdpm__trace_wake(trace, ios, n);
	}
	if (n == 0 && trace->failed.code) {
		if (reterr)
			*reterr = trace->failed;
		return trace->failed.code;
	}
	*ret_n = n;
	return 0;
}

const struct ssdpm_trace_counts *ssdpm_trace_get_counts(
	const struct ssdpm_trace *trace)
{
	return &trace->counts;
}

struct ssdpm_trace *ssdpm_trace_free(struct ssdpm_trace *trace)
{
	if (!trace)
		return NULL;
	ssdpm__pair_free(trace->pair);
	free(trace->state);
	ssdpm__input_close(&trace->input);
	free(trace->columns);
	free(trace->device);
	free(trace->awakes);
	free(trace);
	return NULL;
}

static const char op_words[][8] = {
	[SSDPM_OP_READ] = "read",
	[SSDPM_OP_WRITE] = "write",
	[SSDPM_OP_FLUSH] = "flush",
	[SSDPM_OP_DISCARD] = "discard",
};
ENUM_WORDS(op)

static const char trace_format_words[][16] = {
	[SSDPM_TRACE_NPY] = "npy",
	[SSDPM_TRACE_BLKPARSE] = "blkparse",
	[SSDPM_TRACE_BLKTRACE] = "blktrace",
	[SSDPM_TRACE_FIO_IOLOG] = "fio-iolog",
	[SSDPM_TRACE_FIO_LATENCY_LOG] = "fio-latency-log",
	[SSDPM_TRACE_BIOSNOOP] = "biosnoop",
	[SSDPM_TRACE_DELIMITED] = "delimited",
	[SSDPM_TRACE_MSR] = "msr",
	[SSDPM_TRACE_SPC] = "spc",
	[SSDPM_TRACE_FIU] = "fiu",
	[SSDPM_TRACE_MQSIM] = "mqsim",
	[SSDPM_TRACE_DISKSIM] = "disksim",
	[SSDPM_TRACE_BLKREPLAY] = "blkreplay",
	[SSDPM_TRACE_PIXEL] = "pixel",
	[SSDPM_TRACE_PROCMON] = "procmon",
	[SSDPM_TRACE_CLOUDPHYSICS] = "cloudphysics",
	[SSDPM_TRACE_PERF_SCRIPT] = "perf-script",
	[SSDPM_TRACE_FTRACE] = "ftrace",
	[SSDPM_TRACE_VSCSI] = "vscsi",
	[SSDPM_TRACE_ORACLE_GENERAL] = "oracle-general",
	[SSDPM_TRACE_PROCMON_CSV] = "procmon-csv",
};
ENUM_WORDS(trace_format)

static const char io_flag_words[][10] = {
	[FLAG(SSDPM_IO_CONTINUED)] = "continued",
};
FLAG_WORDS(io_flag)

static const char trace_flag_words[][9] = {
	[FLAG(SSDPM_TRACE_SKIP_BAD)] = "skip-bad",
};
FLAG_WORDS(trace_flag)
