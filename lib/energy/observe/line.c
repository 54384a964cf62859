/* SPDX-License-Identifier: MIT */
/*
 * A record of trace_pipe, as trace_print_context() in
 * kernel/trace/trace_output.c of Linux prints it:
 *
 *     "%16s-%-7d [%03d] d..1. %5lu.%06lu: block_bio_queue: 8,0 R 0 + 8 [%s]"
 *
 * A thread chooses its own name: 15 bytes, which may look like any other part,
 * and may have line ends. So the name before the number is found by its width.
 * No name has room for all that follows it, which must be whole. A thread that
 * an event prints at its end may go on in the next line.
 */
#include <string.h>

#include "base/internal.h"
#include "observe/internal.h"

/* The width of a name; a name is shorter, so that a blank is before it. */
#define COMM_WIDTH 16

/* "1234.567890:" in ns. */
static bool take_time(struct span word, uint64_t *ret_ns)
{
	uint64_t seconds, ns = 0;
	int digits = 0;

	if (!ssdpm__take_digits(&word, &seconds) || seconds > UINT32_MAX ||
	    word.at == word.end || *word.at++ != '.')
		return false;
	for (; word.at < word.end && digits < 9 && *word.at >= '0' &&
	       *word.at <= '9';
	     word.at++, digits++)
		ns = 10 * ns + (uint64_t)(*word.at - '0');
	for (int i = digits; i < 9; i++)
		ns *= 10;
	*ret_ns = seconds * 1000000000 + ns;
	return digits && word.end - word.at == 1 && *word.at == ':';
}

/* The next " [003]". */
static const char *next_cpu(struct span line, const char *at)
{
	while ((at = memmem(at, (size_t)(line.end - at), " [", 2))) {
		const char *digit = at + 2;

		while (digit < line.end && *digit >= '0' && *digit <= '9')
			digit++;
		if (digit > at + 2 && line.end - digit > 1 && *digit == ']' &&
		    digit[1] == ' ')
			return at;
		at++;
	}
	return NULL;
}

/* "            fio-1234   ": the name may have dashes and blanks. */
static bool take_thread(struct span text, struct event *event)
{
	uint64_t pid;

	text = ssdpm__span_trim(text);
	/* "(  987)": the number of the process, where it is printed too. */
	if (text.at < text.end && text.end[-1] == ')') {
		while (text.at < text.end && *text.end != '(')
			text.end--;
		text = ssdpm__span_trim(text);
	}
	const char *dash = text.end;

	while (dash > text.at && dash[-1] != '-')
		dash--;
	struct span digits = { dash, text.end };

	if (dash == text.at || !ssdpm__take_digits(&digits, &pid) ||
	    digits.at != digits.end || pid > UINT32_MAX)
		return false;
	event->pid = (uint32_t)pid;
	event->comm = (struct span){ text.at, dash - 1 };
	return true;
}

/*
 * The processor: behind it come flags and the time, before it the thread, whose
 * name may look like one. Without a thread: the first that looks like one.
 */
static const char *find_cpu(struct span line, struct event *event)
{
	const char *first = next_cpu(line, line.at);

	for (const char *at = first; at; at = next_cpu(line, at + 1))
		if (take_thread((struct span){ line.at, at }, event))
			return at;
	return first;
}

/* "CPU:2 [LOST 1234 EVENTS]"; without a number: 1. */
static bool says_lost(struct span line, uint64_t *ret_lost)
{
	uint64_t lost, cpu;

	if (!ssdpm__take(&line, "CPU:") || !ssdpm__take_digits(&line, &cpu) ||
	    !ssdpm__take(&line, " [LOST "))
		return false;
	if (!ssdpm__take_digits(&line, &lost))
		lost = 1;
	else if (!ssdpm__take(&line, " "))
		return false;
	if (!ssdpm__take(&line, "EVENTS]") || line.at != line.end)
		return false;
	*ret_lost = lost;
	return true;
}

/* The time and the name of the event, behind the processor. */
static bool take_head(struct span *rest, struct event *event,
		      struct span *ret_name)
{
	struct span word;
	bool timed = false;

	while (ssdpm__take_word(rest, &word)) {
		if (word.end[-1] != ':')
			continue;
		if (timed) {
			*ret_name = (struct span){ word.at, word.end - 1 };
			return true;
		}
		if (!take_time(word, &event->time_ns))
			return false;
		timed = true;
	}
	return false;
}

/* "1234    " of a width, and a blank. */
static bool take_padded_pid(struct span *text, int width, struct event *event)
{
	struct span rest = *text;
	uint64_t pid;

	if (!ssdpm__take_digits(&rest, &pid) || pid > UINT32_MAX)
		return false;
	for (width++; rest.at < rest.end && *rest.at == ' '; rest.at++)
		;
	if (rest.at - text->at < width || rest.at[-1] != ' ')
		return false;
	event->pid = (uint32_t)pid;
	*text = rest;
	return true;
}

/* "(  987) ", which is printed if it is wanted, and "[003] ". */
static bool take_cpu(struct span *text)
{
	const char *at = text->at;
	uint64_t cpu;

	if (text->end - at > 10 && at[0] == '(' && at[8] == ')' && at[9] == ' ')
		text->at += 10;
	if (text->at == text->end || *text->at++ != '[')
		return false;
	at = text->at;
	if (!ssdpm__take_digits(text, &cpu) || text->at - at < 3 ||
	    text->end - text->at < 2)
		return false;
	text->at += 2;
	return text->at[-2] == ']' && text->at[-1] == ' ';
}

/* A word in this line. */
static bool take_word_here(struct span *text, struct span *ret_word)
{
	while (text->at < text->end && *text->at == ' ')
		text->at++;
	ret_word->at = text->at;
	while (text->at < text->end && *text->at != ' ' && *text->at != '\n')
		text->at++;
	ret_word->end = text->at;
	while (text->at < text->end && *text->at == ' ')
		text->at++;
	return ret_word->at < ret_word->end;
}

/* "d..1. 1234.567890: block_rq_issue:"; the flags may be missing. */
static bool take_time_and_name(struct span *text, struct event *event,
			       struct span *ret_name)
{
	struct span word;

	if (!take_word_here(text, &word))
		return false;
	if (!take_time(word, &event->time_ns) &&
	    (!take_word_here(text, &word) || !take_time(word, &event->time_ns)))
		return false;
	if (!take_word_here(text, ret_name) || ret_name->end[-1] != ':')
		return false;
	ret_name->end--;
	return true;
}

/* As the kernel prints it: all widths are as they must be. */
static bool take_fixed_head(struct span *text, struct event *event,
			    struct span *ret_name)
{
	struct span rest = { text->at + COMM_WIDTH + 1, text->end };
	struct event known = { 0 };

	if (text->end - text->at <= COMM_WIDTH || text->at[0] != ' ' ||
	    text->at[COMM_WIDTH] != '-')
		return false;
	/* trace-cmd has the width of older kernels. */
	if (!take_padded_pid(&rest, 5, &known) || !take_cpu(&rest) ||
	    !take_time_and_name(&rest, &known, ret_name))
		return false;
	known.comm = (struct span){ text->at, text->at + COMM_WIDTH };
	while (known.comm.at < known.comm.end && *known.comm.at == ' ')
		known.comm.at++;
	*event = known;
	*text = rest;
	return true;
}

/* As other programs print it. */
static bool take_loose_head(struct span *text, struct event *event,
			    struct span *ret_name)
{
	const char *cpu = find_cpu(*text, event);
	struct span word;

	if (!cpu)
		return false;
	text->at = cpu + 2;
	return ssdpm__take_word(text, &word) &&
	       take_head(text, event, ret_name);
}

/* The kernel keeps few names, and prints "<...>" for others. */
static void name_thread(struct event *event)
{
	struct span comm = event->texts[FIELD_COMM - N_NUMBERS];

	if (comm.at && ssdpm__span_is(event->comm, "<...>"))
		event->comm = comm;
}

static const char *line_end(const char *at, const char *end)
{
	const char *found = memchr(at, '\n', (size_t)(end - at));

	return found ? found : end;
}

struct span ssdpm__without_return(struct span line)
{
	if (line.at < line.end && line.end[-1] == '\r')
		line.end--;
	return line;
}

/*
 * What an event prints, up to the line end where it fits its format. A line end
 * before that is in the name of a thread. *text goes behind it.
 */
static enum line_kind take_body(const struct formats *formats,
				struct span *text, bool is_fixed,
				struct event *event)
{
	const struct span *comm = &event->texts[FIELD_COMM - N_NUMBERS];
	const char *end = line_end(text->at, text->end);

	for (;;) {
		const struct span body = { text->at, end };

		if (ssdpm__formats_follow(formats, ssdpm__without_return(body),
					  event))
			break;
		if (!is_fixed || !comm->at || end - comm->at >= COMM_WIDTH - 1)
			return LINE_BAD;
		if (end == text->end)
			return LINE_CUT;
		end = line_end(end + 1, text->end);
	}
	name_thread(event);
	text->at = end;
	return LINE_EVENT;
}

/* May this be a name with a line end, and the rest is not here yet? */
static bool is_cut_head(struct span text)
{
	return text.end - text.at <= COMM_WIDTH && text.at < text.end &&
	       *text.at == ' ';
}

enum line_kind ssdpm__observe_line(const struct formats *formats,
				   struct span *text, struct event *ret_event,
				   uint64_t *ret_lost)
{
	const char *first_end = line_end(text->at, text->end);
	const struct span line = { text->at, first_end };
	struct event event = { 0 };
	struct span name, rest = *text;
	const bool is_fixed = take_fixed_head(&rest, &event, &name);
	enum line_kind kind;

	if (!is_fixed)
		rest = line;
	if (!is_fixed && is_cut_head(*text))
		return LINE_CUT;
	/* If it is no record, the next one may begin in the next line. */
	text->at = is_fixed ? line_end(rest.at, text->end) : first_end;
	if (!is_fixed && says_lost(ssdpm__without_return(line), ret_lost))
		return LINE_LOST;
	if (!is_fixed && !take_loose_head(&rest, &event, &name))
		return LINE_OTHER;
	if (ssdpm__event_kind(name, &event.kind))
		return LINE_OTHER;
	if (!event.comm.at)
		return LINE_BAD;
	kind = take_body(formats, &rest, is_fixed, &event);
	if (kind == LINE_EVENT) {
		text->at = rest.at;
		*ret_event = event;
	}
	if (kind == LINE_CUT)
		text->at = line.at;
	return kind;
}
