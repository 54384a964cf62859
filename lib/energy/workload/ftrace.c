/* SPDX-License-Identifier: MIT */
/*
 * Reads the block events of the kernel as text: from tracefs (trace,
 * trace_pipe), trace-cmd report and perf script. The name of an event precedes
 * the text of Linux's include/trace/events/block.h. Newer kernels add the
 * priority (a patch of 2024, "block: Add ioprio to block_rq tracepoint"):
 *
 *     a-7 [003] d..1. 9904.831159: block_rq_issue: 259,0 WS 4096 () 8 + 8 [a]
 *     fio 7 [003] 9904.831178: block:block_rq_complete: 259,0 WS () 8 + 8 [0]
 *     ... block_rq_issue: 259,0 WFSU 16384 () 768 + 32 none,0,0 [xfs_io]
 *     ... block_bio_queue: 8,16 WFS 4112 + 4 [dmcrypt_write]
 *
 * The reader skips everything else (other events, stacks, comments).
 */
#include "workload/io-block.h"

#include <errno.h>
#include <string.h>

#include "base/internal.h"
#include "workload/awake.h"

#define SYSTEM "block:"

/* Events and their letters in blkparse. */
static const struct {
	char name[20];
	char letter;
} names[] = {
	{ "block_rq_issue:", 'D' },   { "block_rq_complete:", 'C' },
	{ "block_rq_requeue:", 'R' }, { "block_rq_insert:", 'I' },
	{ "block_bio_queue:", 'Q' },
};

struct ftrace_line {
	struct span time; /* with a colon */
	struct span rest; /* behind the name of the event */
	char letter;
	bool of_perf;
	bool has_time;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_blanks(struct span *span)
{
	while (span->at < span->end && is_blank(*span->at))
		span->at++;
}

/* Takes the last word of a text. */
static struct span take_last_word(struct span *text)
{
	struct span word = *text = ssdpm__span_trim(*text);

	word.at = word.end;
	while (word.at > text->at && !is_blank(word.at[-1]))
		word.at--;
	text->end = word.at;
	return word;
}

static bool is_number(struct span word)
{
	for (const char *at = word.at; at < word.end; at++)
		if (!is_digit(*at))
			return false;
	return word.at < word.end;
}

/* "9904.831159:", or "9904831159:" if the clock has no seconds. */
static bool is_time(struct span word)
{
	uint32_t n_points = 0;

	if (word.end - word.at < 2 || word.end[-1] != ':' ||
	    !is_digit(*word.at))
		return false;
	for (word.end--; word.at < word.end; word.at++)
		if (*word.at == '.')
			n_points++;
		else if (!is_digit(*word.at))
			return false;
	return n_points <= 1;
}

static bool has_time(struct span text)
{
	while (text.at < text.end)
		if (is_time(take_last_word(&text)))
			return true;
	return false;
}

/*
 * The time precedes the event; perf may print a period between them. false: the
 * time is that of another event, whose text contains this name.
 */
static bool take_time_before(struct span before, struct ftrace_line *line)
{
	struct span word = take_last_word(&before);

	if (is_number(word))
		word = take_last_word(&before);
	line->time = word;
	line->has_time = is_time(word);
	return line->has_time || !has_time(before);
}

/* Whether an event with this name begins here. */
static bool take_name(struct span line, const char *at,
		      struct ftrace_line *ret_line)
{
	struct span rest = { at, line.end };
	const char *begin = at;
	size_t n = strlen(SYSTEM);

	ret_line->of_perf =
		(size_t)(at - line.at) >= n && !memcmp(at - n, SYSTEM, n);
	if (ret_line->of_perf)
		begin -= n;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t length = strlen(names[i].name);

		if ((size_t)(rest.end - rest.at) <= length ||
		    memcmp(rest.at, names[i].name, length) != 0)
			continue;
		ret_line->letter = names[i].letter;
		ret_line->rest = (struct span){ at + length, line.end };
		return take_time_before((struct span){ line.at, begin },
					ret_line);
	}
	return false;
}

/*
 * A thread may be called "block_rq_issue:". The event is behind the time, if
 * the line has one.
 */
static bool take_line(struct span line, struct ftrace_line *ret_line)
{
	const char *at = line.at;
	struct ftrace_line one;
	bool found = false;

	while ((at = memmem(at, (size_t)(line.end - at), "block_", 6))) {
		if (take_name(line, at, &one) && (one.has_time || !found)) {
			*ret_line = one;
			found = true;
			if (one.has_time)
				break;
		}
		at++;
	}
	return found && (ret_line->has_time || !has_time(ret_line->rest));
}

/* Finds the first event at the beginning, and the letters of all. */
static bool look_at(const struct ssdpm_trace *trace, struct span head,
		    struct block_letters *ret_letters, bool *ret_of_perf)
{
	struct lines lines = { .rest = head };
	struct ftrace_line event;
	bool has_event = false;
	struct span line, device;

	while (ssdpm__next_line(&lines, &line)) {
		if (!take_line(line, &event) || !event.has_time)
			continue;
		if (!has_event)
			*ret_of_perf = event.of_perf;
		has_event = true;
		if (trace && ssdpm__take_word(&event.rest, &device) &&
		    (!trace->device_wanted ||
		     ssdpm__span_is(device, trace->device)))
			ssdpm__block_see(ret_letters, event.letter);
	}
	return has_event;
}

static bool is_ftrace(const char *head, size_t size)
{
	struct block_letters letters = { 0 };
	bool of_perf;

	return look_at(NULL, ssdpm__span(head, size), &letters, &of_perf);
}

static int open_ftrace(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct block_letters letters = { 0 };
	bool of_perf = false;

	look_at(trace, ssdpm__trace_head(trace), &letters, &of_perf);
	if (!trace->counts.format)
		trace->counts.format =
			of_perf ? SSDPM_TRACE_PERF_SCRIPT : SSDPM_TRACE_FTRACE;
	return ssdpm__block_open(trace, &letters, reterr);
}

/* 0, -EINVAL, -ERANGE. */
static int take_time(struct span word, uint64_t *ret_ns)
{
	uint64_t seconds, ns = 0;
	uint32_t digits = 0;

	word.end--; /* the colon */
	if (!ssdpm__take_uint(&word, UINT64_MAX / 1000000000 - 1, &seconds))
		return -ERANGE;
	if (word.at == word.end || *word.at++ != '.')
		return -EINVAL;
	for (; word.at < word.end && digits < 9; word.at++, digits++)
		ns = 10 * ns + (uint64_t)(*word.at - '0');
	for (; digits < 9; digits++)
		ns *= 10;
	*ret_ns = seconds * 1000000000 + ns;
	return word.at == word.end ? 0 : -EINVAL;
}

/*
 * Parses "BYTES (COMMAND) SECTOR + SECTORS PRIORITY [PROCESS]". Bytes, command
 * and priority may be missing. Only commands that are no I/O have bytes.
 */
static int take_place(struct span rest, struct span rwbs,
		      struct pair_event *event)
{
	const char *command =
		memchr(rest.at, '(', (size_t)(rest.end - rest.at));
	uint64_t sector, sectors;

	if (command) {
		rest.at = memchr(command, ')', (size_t)(rest.end - command));
		if (!rest.at)
			return -EINVAL;
		rest.at++;
		skip_blanks(&rest);
	}
	if (!ssdpm__take_uint(&rest, UINT64_MAX, &sector) ||
	    rest.at == rest.end || *rest.at++ != '+')
		return -EINVAL;
	skip_blanks(&rest);
	if (!ssdpm__take_uint(&rest, UINT32_MAX, &sectors) ||
	    !ssdpm__span_contains(rest, "["))
		return -EINVAL;
	event->op = ssdpm__block_op(rwbs, sectors);
	/* Sector 2^64 - 1 means none. */
	if (!event->op || event->op == SSDPM_OP_FLUSH)
		return 0;
	event->bytes = sectors * 512;
	if (__builtin_mul_overflow(sector, 512u, &event->offset) ||
	    !ssdpm__pair_fits(event))
		return -ERANGE;
	return 0;
}

static int take_io(struct ssdpm_trace *trace, const struct ftrace_line *line,
		   struct ssdpm_error *reterr)
{
	struct pair_event event = { 0 };
	struct span rest = line->rest, device, rwbs;

	if (!line->has_time)
		return ssdpm__trace_bad(trace, reterr, -EINVAL,
					"no time in seconds stands before the "
					"event: print it, as perf script -F "
					"+time does");
	int err = take_time(line->time, &event.time_ns);
	if (err == -EINVAL)
		return ssdpm__trace_bad(trace, reterr, err,
					"the time has no seconds: record with "
					"a clock that has, such as local or "
					"mono");
	if (!err)
		err = ssdpm__take_word(&rest, &device) &&
				      ssdpm__take_word(&rest, &rwbs) ?
			      take_place(rest, rwbs, &event) :
			      -EINVAL;
	if (err == -ERANGE)
		return ssdpm__trace_bad(trace, reterr, err,
					"a number is too large");
	if (err)
		return ssdpm__trace_bad(trace, reterr, err,
					"the event cannot be read: the kernel "
					"prints \"DEVICE RWBS BYTES () SECTOR "
					"+ SECTORS [NAME]\"");
	return ssdpm__block_event(trace, line->letter, device, &event, reterr);
}

static bool ends_with(struct span line, const char *text)
{
	const size_t n = strlen(text);

	return (size_t)(line.end - line.at) >= n &&
	       !memcmp(line.end - n, text, n);
}

/*
 * Matches "CPU:2 [LOST 1234 EVENTS]" of tracefs and "[1234 EVENTS DROPPED]". A
 * thread may be called "CPU:2 [LOST 1", but no name has room for all.
 */
static bool says_lost(struct span line)
{
	line = ssdpm__span_trim(line);
	return ssdpm__take(&line, "CPU:") &&
	       ((ssdpm__span_contains(line, "[LOST ") &&
		 ends_with(line, "EVENTS]")) ||
		ends_with(line, "EVENTS DROPPED]"));
}

/*
 * Matches "# gap: 259,0 FROM UNTIL N" of ssdpm watch --save: ssdpm_observe(3).
 */
static bool says_gap(const struct ssdpm_trace *trace, struct span line)
{
	struct span device;
	uint64_t from_ns, until_ns, n_ios;

	return ssdpm__take(&line, "# gap:") &&
	       ssdpm__take_word(&line, &device) &&
	       ssdpm__take_uint(&line, UINT64_MAX, &from_ns) &&
	       ssdpm__take_uint(&line, UINT64_MAX, &until_ns) &&
	       ssdpm__take_uint(&line, UINT64_MAX, &n_ios) &&
	       line.at == line.end &&
	       (!trace->device_wanted || ssdpm__span_is(device, trace->device));
}

static int next_line(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct queue_block *block = trace->state;
	struct ftrace_line event;
	struct span line;
	int err = ssdpm__block_line(trace, &line,
				    "there is no event block_rq_issue, "
				    "_insert or _complete",
				    reterr);

	if (err <= 0)
		return err;
	/* A comment has no time; the name of a thread may begin as one. */
	const bool is_event =
		take_line(line, &event) && (event.has_time || *line.at != '#');

	err = 0;
	if (says_gap(trace, line)) {
		err = ssdpm__trace_bad(trace, reterr, -EINVAL,
				       "the trace was off here, which looks "
				       "like idle time: record a lighter load, "
				       "or skip what is bad");
	} else if (!is_event && line.at < line.end && *line.at == '#') {
		err = ssdpm__trace_policy(trace, line, reterr);
	} else if (is_event) {
		block->has_events = true;
		if (ssdpm__block_wants(block, event.letter))
			err = take_io(trace, &event, reterr);
	} else if (says_lost(line)) {
		err = ssdpm__trace_bad(trace, reterr, -EINVAL,
				       "the kernel lost events here, which "
				       "looks like idle time: record with a "
				       "larger buffer, or skip what is bad");
	}
	return err < 0 ? err : 1;
}

const struct trace_reader ssdpm__read_ftrace = {
	.format = SSDPM_TRACE_PERF_SCRIPT,
	.last_format = SSDPM_TRACE_FTRACE,
	.is = is_ftrace,
	.open = open_ftrace,
	.next = next_line,
};
