/* SPDX-License-Identifier: MIT */
/*
 * The text of blkparse in its default format (blkparse(1), "DEFAULT FORMAT"):
 *
 *   8,0    3        1     0.000000000   697  D   R 223490 + 8 [kjournald]
 *   device cpu sequence seconds         pid  action RWBS sector + sectors
 */
#include "workload/io-block.h"

#include <errno.h>
#include <string.h>

#include "base/internal.h"

/*
 * A time before the first event is negative. blkparse prints 2^64 ns less its
 * size, and cuts the seconds to 32 bits. For -1 ns it prints
 * 1266874889.709551615. Times down to a minute before are read as negative.
 */
#define WRAPPED_MAX_NS 1266874889709551615u
#define WRAPPED_MIN_NS (WRAPPED_MAX_NS - 60000000000u)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip_blanks(struct span *span)
{
	while (span->at < span->end && is_blank(*span->at))
		span->at++;
}

static struct span take_word(struct span *span)
{
	struct span word;

	skip_blanks(span);
	word.at = span->at;
	while (span->at < span->end && !is_blank(*span->at))
		span->at++;
	word.end = span->at;
	return word;
}

/* At least one digit. false: none, or too many. */
static bool take_number(struct span *span, uint64_t *ret_value)
{
	const char *start = span->at;
	uint64_t value = 0;

	for (; span->at < span->end && is_digit(*span->at); span->at++) {
		unsigned digit = (unsigned)(*span->at - '0');

		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret_value = value;
	return span->at > start;
}

/* The parts that every event's line has. */
struct event_line {
	struct span device, time, rest;
	char action;
};

static bool is_number(struct span word)
{
	uint64_t value;

	return take_number(&word, &value) && word.at == word.end;
}

/* The letters of blkparse(1), "ACTION IDENTIFIERS"; m is a message. */
static bool is_action(char c)
{
	return c && strchr("ABCDFGIMPQRSTUXm", c);
}

/* Whether a line begins like an event, with "8,0 ". */
static bool begins_event(struct span line)
{
	uint64_t value;

	skip_blanks(&line);
	if (!take_number(&line, &value) || line.at == line.end ||
	    *line.at++ != ',')
		return false;
	return take_number(&line, &value) && line.at < line.end &&
	       is_blank(*line.at);
}

/* Parses up to the action, which tells whether the event matters. */
static bool take_event_line(struct span line, struct event_line *ret_event)
{
	struct span word;

	ret_event->device = take_word(&line);
	take_word(&line); /* CPU */
	take_word(&line); /* sequence */
	ret_event->time = take_word(&line);
	take_word(&line); /* process */
	word = take_word(&line);
	if (word.at == word.end)
		return false;
	ret_event->action = *word.at;
	ret_event->rest = line;
	return word.end - word.at <= 2 && is_action(*word.at);
}

/* "0.000000000": seconds and nine digits. 0, -EINVAL, -ERANGE. */
static int take_time(struct span span, uint64_t *ret_ns)
{
	uint64_t seconds, ns;

	if (!take_number(&span, &seconds))
		return span.at < span.end && is_digit(*span.at) ? -ERANGE :
								  -EINVAL;
	if (span.end - span.at != 10 || *span.at++ != '.' ||
	    !take_number(&span, &ns) || span.at != span.end)
		return -EINVAL;
	if (__builtin_mul_overflow(seconds, 1000000000u, &seconds) ||
	    __builtin_add_overflow(seconds, ns, ret_ns))
		return -ERANGE;
	return 0;
}

static bool is_event(struct span line)
{
	struct event_line event;
	struct span words = line;
	uint64_t ns;

	if (!begins_event(line) || !take_event_line(line, &event))
		return false;
	take_word(&words);
	return is_number(take_word(&words)) && is_number(take_word(&words)) &&
	       take_time(take_word(&words), &ns) == 0 &&
	       is_number(take_word(&words));
}

static bool is_blkparse(const char *head, size_t size)
{
	struct lines lines = { .rest = ssdpm__span(head, size) };
	struct span line;

	while (ssdpm__next_line(&lines, &line))
		if (is_event(line))
			return true;
	return false;
}

static int open_blkparse(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct block_letters letters = { 0 };
	struct lines lines = { .rest = ssdpm__trace_head(trace) };
	struct event_line event;
	struct span line;

	while (ssdpm__next_line(&lines, &line)) {
		if (!begins_event(line) || !take_event_line(line, &event))
			continue;
		if (!trace->device_wanted ||
		    ssdpm__span_is(event.device, trace->device))
			ssdpm__block_see(&letters, event.action);
	}
	return ssdpm__block_open(trace, &letters, reterr);
}

/*
 * Parses "SECTOR + SECTORS [process]". A flush has no size, and may lack a
 * sector. A passthrough command has a size in bytes and its bytes: "36 (12 00
 * ..) [x]".
 */
static int take_place(struct span rest, struct span rwbs,
		      struct pair_event *event)
{
	uint64_t sector = 0, sectors = 0;

	skip_blanks(&rest);
	if (rest.at < rest.end && is_digit(*rest.at) &&
	    !take_number(&rest, &sector))
		return -ERANGE;
	skip_blanks(&rest);
	if (rest.at < rest.end && *rest.at == '+') {
		rest.at++;
		skip_blanks(&rest);
		if (!take_number(&rest, &sectors))
			return rest.at < rest.end && is_digit(*rest.at) ?
				       -ERANGE :
				       -EINVAL;
	} else if (rest.at == rest.end ||
		   (*rest.at != '[' && *rest.at != '(')) {
		return -EINVAL;
	}
	event->op = ssdpm__block_op(rwbs, sectors);
	event->offset = event->op == SSDPM_OP_FLUSH ? 0 : sector;
	if (__builtin_mul_overflow(event->offset, 512u, &event->offset) ||
	    __builtin_mul_overflow(sectors, 512u, &event->bytes) ||
	    !ssdpm__pair_fits(event))
		return -ERANGE;
	return 0;
}

static int take_io(struct ssdpm_trace *trace, const struct event_line *line,
		   struct ssdpm_error *reterr)
{
	struct queue_block *block = trace->state;
	struct pair_event event = { 0 };
	struct span rest = line->rest;
	struct span rwbs = take_word(&rest);
	int err = take_time(line->time, &event.time_ns);

	if (err == 0)
		err = take_place(rest, rwbs, &event);
	if (err == -ERANGE)
		return ssdpm__trace_bad(trace, reterr, err,
					"a number is too large");
	if (err)
		return ssdpm__trace_bad(trace, reterr, err,
					"the event cannot be read: blkparse "
					"prints \"SECTOR + SECTORS [NAME]\"");
	if (event.time_ns >= WRAPPED_MIN_NS &&
	    event.time_ns <= WRAPPED_MAX_NS) {
		trace->counts.n_wrapped++;
		event.time_ns = block->last_time_ns;
	}
	block->last_time_ns = event.time_ns;
	return ssdpm__block_event(trace, line->action, line->device, &event,
				  reterr);
}

/*
 * Takes a line that is no event: a blank one, words before the first event, or
 * the summary. The summary begins with "CPU0 (8,16):", or with "Total (8,16):"
 * if there is one CPU.
 */
static int take_other(struct ssdpm_trace *trace, struct span line,
		      struct ssdpm_error *reterr)
{
	struct queue_block *block = trace->state;

	skip_blanks(&line);
	if (line.at == line.end || !block->has_events)
		return 0;
	if (ssdpm__take(&line, "CPU") || ssdpm__take(&line, "Total ("))
		block->in_summary = true;
	if (block->in_summary)
		return 0;
	return ssdpm__trace_bad(trace, reterr, -EINVAL,
				"this is no event of blkparse");
}

static int next_line(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct queue_block *block = trace->state;
	struct event_line event;
	struct span line;
	int err = ssdpm__block_line(trace, &line,
				    "there is no event of blkparse", reterr);

	if (err <= 0)
		return err;
	if (!begins_event(line)) {
		err = take_other(trace, line, reterr);
	} else if (!take_event_line(line, &event)) {
		err = ssdpm__trace_bad(trace, reterr, -EINVAL,
				       "the event is cut off, or has no action "
				       "of blkparse");
	} else {
		block->has_events = true;
		block->in_summary = false;
		if (ssdpm__block_wants(block, event.action))
			err = take_io(trace, &event, reterr);
		else
			err = 0;
	}
	return err < 0 ? err : 1;
}

const struct trace_reader ssdpm__read_blkparse = {
	.format = SSDPM_TRACE_BLKPARSE,
	.is = is_blkparse,
	.open = open_blkparse,
	.next = next_line,
};
