/* SPDX-License-Identifier: MIT */
/*
 * Reads fio's iolog, which --write_iolog writes and --read_iolog replays.
 * fio(1), "TRACE FILE FORMAT", has the fields. fio 3.33 showed the units:
 * version 3 has microseconds, and the waits of version 2 are milliseconds.
 */
#include "workload/pair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

#define MAGIC "fio version "

struct iolog {
	unsigned int version;
	uint64_t wait_ms; /* version 2: no I/O begins earlier */
};

/* The action of a line; only version 3 has a time. */
struct action {
	uint64_t time_us;
	struct span file;
	struct span name;
	bool has_extent;
	uint64_t offset;
	uint64_t bytes;
};

static bool is_iolog(const char *head, size_t size)
{
	size_t n = strlen(MAGIC);

	return size > n && memcmp(head, MAGIC, n) == 0;
}

static int open_iolog(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct span line;
	int err = ssdpm__input_line(&trace->input, &line, reterr);

	if (err < 0)
		return err;
	bool is_2 = err && ssdpm__span_is(line, MAGIC "2 iolog");
	if (!is_2 && !(err && ssdpm__span_is(line, MAGIC "3 iolog")))
		return ssdpm__fail(reterr, -EINVAL, 1,
				   "an iolog begins with \"fio version 2 "
				   "iolog\" or \"fio version 3 iolog\"");
	struct iolog *iolog = calloc(1, sizeof(*iolog));
	if (!iolog)
		return ssdpm__no_memory(reterr);
	iolog->version = is_2 ? 2 : 3;
	trace->state = iolog;
	return ssdpm__pair_new(trace, TRACE_LATE_NS, PAIR_MAX_HELD, reterr);
}

/* Takes a number that is a whole word. */
static bool take_number(struct span *line, uint64_t max, uint64_t *ret_value)
{
	struct span word;

	return ssdpm__take_word(line, &word) &&
	       ssdpm__take_uint(&word, max, ret_value) && word.at == word.end;
}

static bool take_action(struct span line, unsigned int version,
			struct action *ret_action)
{
	struct action action = { .time_us = 0 };

	if (version == 3 &&
	    !take_number(&line, UINT64_MAX / 1000, &action.time_us))
		return false;
	if (!ssdpm__take_word(&line, &action.file) ||
	    !ssdpm__take_word(&line, &action.name))
		return false;
	action.has_extent = line.at != line.end;
	if (action.has_extent &&
	    (!take_number(&line, UINT64_MAX, &action.offset) ||
	     !take_number(&line, UINT64_MAX, &action.bytes)))
		return false;
	if (line.at != line.end)
		return false;
	*ret_action = action;
	return true;
}

/* 0: no I/O. */
static uint8_t find_op(struct span name)
{
	static const struct {
		char name[16];
		uint8_t op;
	} ops[] = {
		{ "read", SSDPM_OP_READ },
		{ "write", SSDPM_OP_WRITE },
		{ "trim", SSDPM_OP_DISCARD },
		{ "sync", SSDPM_OP_FLUSH },
		{ "datasync", SSDPM_OP_FLUSH },
		{ "syncfs", SSDPM_OP_FLUSH },
		{ "sync_file_range", SSDPM_OP_FLUSH },
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (ssdpm__span_is(name, ops[i].name))
			return ops[i].op;
	return 0;
}

static bool is_file_action(struct span name)
{
	return ssdpm__span_is(name, "add") || ssdpm__span_is(name, "open") ||
	       ssdpm__span_is(name, "close") || ssdpm__span_is(name, "unlink");
}

/* fio waits until this many milliseconds of the run have passed. */
static int take_wait(struct ssdpm_trace *trace, const struct action *action,
		     struct ssdpm_error *reterr)
{
	struct iolog *iolog = trace->state;

	if (action->offset > UINT64_MAX / 1000000)
		return ssdpm__trace_bad(trace, reterr, -ERANGE,
					"wait: beyond 2^64 ns");
	if (action->offset < iolog->wait_ms)
		return ssdpm__trace_bad(
			trace, reterr, -EINVAL,
			"wait: %llu after %llu; fio takes them as "
			"milliseconds since its start, whatever its manual "
			"says: use version 3",
			(unsigned long long)action->offset,
			(unsigned long long)iolog->wait_ms);
	iolog->wait_ms = action->offset;
	return 0;
}

static int take_io(struct ssdpm_trace *trace, const struct action *action,
		   uint8_t op, struct ssdpm_error *reterr)
{
	const struct iolog *iolog = trace->state;
	struct pair_event event = {
		.time_ns = iolog->version == 3 ? action->time_us * 1000 :
						 iolog->wait_ms * 1000000,
		.op = op,
	};
	int err = ssdpm__trace_device(trace, action->file, reterr);

	if (err <= 0)
		return err;
	if (op != SSDPM_OP_FLUSH) {
		event.offset = action->offset;
		event.bytes = action->bytes;
	}
	if (!ssdpm__pair_fits(&event))
		return ssdpm__trace_bad(trace, reterr, -ERANGE,
					"%llu bytes at %llu are no I/O",
					(unsigned long long)action->bytes,
					(unsigned long long)action->offset);
	err = ssdpm__trace_order(trace, event.time_ns, event.time_ns, reterr);
	if (err)
		return err;
	ssdpm__pair_add(trace->pair, &event, event.time_ns,
			SSDPM_SERVICE_UNKNOWN);
	return 0;
}

static int take_any(struct ssdpm_trace *trace, const struct action *action,
		    struct ssdpm_error *reterr)
{
	const struct iolog *iolog = trace->state;
	uint8_t op = find_op(action->name);

	if (!action->has_extent && is_file_action(action->name))
		return 0;
	if (action->has_extent && iolog->version == 2 &&
	    ssdpm__span_is(action->name, "wait"))
		return take_wait(trace, action, reterr);
	if (op && action->has_extent)
		return take_io(trace, action, op, reterr);
	return ssdpm__trace_bad(trace, reterr, -EINVAL,
				"this is no action of an iolog of version %u",
				iolog->version);
}

static int next_line(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	const struct iolog *iolog = trace->state;
	struct action action = { .time_us = 0 };
	struct span line;
	int err = ssdpm__input_line(&trace->input, &line, reterr);

	if (err <= 0)
		return err;
	if (take_action(line, iolog->version, &action))
		err = take_any(trace, &action, reterr);
	else
		err = ssdpm__trace_bad(trace, reterr, -EINVAL,
				       "this is no line of an iolog of "
				       "version %u",
				       iolog->version);
	return err < 0 ? err : 1;
}

const struct trace_reader ssdpm__read_fio_iolog = {
	.format = SSDPM_TRACE_FIO_IOLOG,
	.is = is_iolog,
	.open = open_iolog,
	.next = next_line,
};

static const char *action_word(uint8_t op)
{
	switch (op) {
	case SSDPM_OP_READ:
		return "read";
	case SSDPM_OP_WRITE:
		return "write";
	case SSDPM_OP_FLUSH:
		return "sync";
	case SSDPM_OP_DISCARD:
		return "trim";
	default:
		return NULL;
	}
}

/* Whether sscanf(3) takes it as one word, and people can read it. */
static bool is_file_name(const char *file)
{
	size_t n = strnlen(file, 64);

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)file[i] <= ' ' || file[i] == 0x7f)
			return false;
	return n > 0 && n < 64;
}

int ssdpm_io_to_fio_iolog(const struct ssdpm_io *io, uint64_t origin_ns,
			  const char *file, char ret_line[SSDPM_FIO_IOLOG_LINE],
			  struct ssdpm_error *reterr)
{
	const char *action = action_word(io->op);

	if (!action)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "op: unknown operation %u", io->op);
	if (!is_file_name(file))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "file: the name of a file in an iolog has 1 "
				   "to 63 bytes and no blanks");
	if (io->start_ns < origin_ns)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "start_ns: before origin_ns");
	/* fio would not wait for the I/O after a time of 0. */
	snprintf(ret_line, SSDPM_FIO_IOLOG_LINE, "%llu %s %s %llu %u\n",
		 (unsigned long long)((io->start_ns - origin_ns) / 1000 + 1),
		 file, action, (unsigned long long)io->offset, io->bytes);
	return 0;
}
