/* SPDX-License-Identifier: MIT */
/*
 * fio's --write_lat_log: a line for each completion. Fields as fio(1), "LOG
 * FILE FORMATS", of fio 3.33: time (ms), latency (ns), direction, block size,
 * offset (with log_offset), priority.
 */
#include "workload/pair.h"

#include <errno.h>

#include "base/internal.h"

/* Latencies up to this are put in order, as far as they can be held. */
#define WINDOW_NS 30000000000u

/* Completions have whole milliseconds. */
#define TICK_NS 1000000u

#define MIN_FIELDS 4
#define MAX_FIELDS 7

struct latency_fields {
	uint64_t value[MAX_FIELDS];
	uint32_t n;
};

/* Numbers with a comma and a blank between them. */
static bool split(struct span line, struct latency_fields *ret_fields)
{
	struct latency_fields fields = { .n = 0 };

	do {
		if (fields.n == MAX_FIELDS ||
		    !ssdpm__take_uint(&line, UINT64_MAX,
				      &fields.value[fields.n++]))
			return false;
	} while (ssdpm__take(&line, ","));
	if (line.at != line.end || fields.n < MIN_FIELDS)
		return false;
	*ret_fields = fields;
	return true;
}

static bool is_latency_log(const char *head, size_t size)
{
	struct lines lines = { .rest = ssdpm__span(head, size) };
	struct latency_fields fields;
	struct span line;

	return ssdpm__next_line(&lines, &line) &&
	       ssdpm__span_contains(line, ", ") && split(line, &fields) &&
	       fields.value[2] <= 2;
}

static int open_latency_log(struct ssdpm_trace *trace,
			    struct ssdpm_error *reterr)
{
	trace->tick_ns = TICK_NS;
	return ssdpm__pair_new(trace, WINDOW_NS, PAIR_MAX_HELD, reterr);
}

/*
 * The fifth of five is a priority, or, before fio had that, an offset: those
 * are above 1 and priorities without log_prio are not.
 */
static uint64_t get_offset(const struct latency_fields *fields)
{
	uint64_t value = fields->n > MIN_FIELDS ? fields->value[4] : 0;

	return fields->n == 5 && value <= 1 ? 0 : value;
}

static int take_fields(struct ssdpm_trace *trace,
		       const struct latency_fields *fields,
		       struct ssdpm_error *reterr)
{
	static const uint8_t ops[] = { SSDPM_OP_READ, SSDPM_OP_WRITE,
				       SSDPM_OP_DISCARD };
	uint64_t latency_ns = fields->value[1], bytes = fields->value[3];

	if (fields->value[2] >= sizeof(ops))
		return ssdpm__trace_bad(trace, reterr, -EINVAL,
					"direction: neither 0 (read), 1 "
					"(write) nor 2 (trim)");
	/* Not a bad line: there is nothing to read in all of the file. */
	if (bytes == 0)
		return ssdpm__fail(reterr, -EINVAL, trace->input.line,
				   "this log has averages and no single I/Os: "
				   "write one without log_avg_msec");
	struct pair_event event = { .offset = get_offset(fields),
				    .bytes = bytes,
				    .op = ops[fields->value[2]] };
	if (fields->value[0] > UINT64_MAX / TICK_NS ||
	    !ssdpm__io_fits(event.op, bytes) ||
	    bytes > UINT64_MAX - event.offset)
		return ssdpm__trace_bad(trace, reterr, -ERANGE,
					"a time beyond 2^64 ns, or a size that "
					"is no I/O");
	uint64_t end_ns = fields->value[0] * TICK_NS;
	/* The first may begin before its millisecond does. */
	if (end_ns > latency_ns)
		event.time_ns = end_ns - latency_ns;
	int err = ssdpm__trace_order(trace, event.time_ns, end_ns, reterr);
	if (err)
		return err;
	ssdpm__pair_add(trace->pair, &event, end_ns,
			ssdpm__trace_service(trace, latency_ns));
	return 0;
}

static int next_line(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct latency_fields fields;
	struct span line;
	int err = ssdpm__input_line(&trace->input, &line, reterr);

	if (err <= 0)
		return err;
	if (split(line, &fields))
		err = take_fields(trace, &fields, reterr);
	else
		err = ssdpm__trace_bad(
			trace, reterr, -EINVAL,
			"this is no line of a latency log: \"time, "
			"latency, direction, bytes, ...\"");
	return err ? err : 1;
}

const struct trace_reader ssdpm__read_fio_latency_log = {
	.format = SSDPM_TRACE_FIO_LATENCY_LOG,
	.is = is_latency_log,
	.open = open_latency_log,
	.next = next_line,
};
