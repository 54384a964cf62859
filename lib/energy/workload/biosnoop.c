/* SPDX-License-Identifier: MIT */
/*
 * Reads text with a line for each completion under a line of column names.
 * Tools are biosnoop of bcc and of bpftrace, and iosnoop of perf-tools
 * (biosnoop_example.txt, iosnoop_example.txt). Also reads "TIMEus DELTAus",
 * which has only times and latencies.
 */
#include "workload/io-block.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

/* Latencies up to this are sorted, as long as their I/Os can be held. */
#define WINDOW_NS 30000000000u

#define MAX_COLUMNS 16
#define MAX_WORDS 32

enum column {
	NONE,
	/* The time of a completion, or of both ends if both are there. */
	TIME_S,
	TIME_MS,
	TIME_US,
	START_S,
	END_S,
	LATENCY_MS,
	LATENCY_US,
	DISK,
	DISK_MINOR, /* then DISK is the major */
	TYPE,
	SECTOR,
	BYTES,
	COMMAND, /* may contain blanks */
	OTHER,
	N_COLUMNS,
};

static const struct {
	char name[12];
	uint8_t column;
} names[] = {
	{ "TIME(s)", TIME_S },	 { "TIME(ms)", TIME_MS },
	{ "TIMEus", TIME_US },	 { "STARTs", START_S },
	{ "ENDs", END_S },	 { "LAT(ms)", LATENCY_MS },
	{ "LATms", LATENCY_MS }, { "DELTAus", LATENCY_US },
	{ "DISK", DISK },	 { "DEV", DISK },
	{ "ID", DISK_MINOR },	 { "T", TYPE },
	{ "TYPE", TYPE },	 { "SECTOR", SECTOR },
	{ "BLOCK", SECTOR },	 { "BYTES", BYTES },
	{ "COMM", COMMAND },	 { "PID", OTHER },
	{ "QUE(ms)", OTHER },	 { "P", OTHER },
};

struct header {
	uint32_t n;
	uint32_t at[N_COLUMNS]; /* index + 1; 0: missing */
};

struct snoop {
	struct header header;
};

struct snoop_words {
	struct span word[MAX_WORDS];
	uint32_t n;
};

static bool split(struct span line, struct snoop_words *ret_words)
{
	ret_words->n = 0;
	while (ret_words->n < MAX_WORDS &&
	       ssdpm__take_word(&line, &ret_words->word[ret_words->n]))
		ret_words->n++;
	return line.at == line.end;
}

static enum column find_column(struct span word)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (ssdpm__span_is(word, names[i].name))
			return names[i].column;
	return NONE;
}

/* Accepts known names, each column once, and requires a latency. */
static bool take_header(struct span line, struct header *ret_header)
{
	struct header header = { 0 };
	struct snoop_words words;

	if (!split(line, &words) || words.n < 2 || words.n > MAX_COLUMNS)
		return false;
	for (; header.n < words.n; header.n++) {
		enum column column = find_column(words.word[header.n]);

		if (column == NONE || (header.at[column] && column != OTHER))
			return false;
		header.at[column] = header.n + 1;
	}
	if (!header.at[LATENCY_MS] == !header.at[LATENCY_US])
		return false;
	*ret_header = header;
	return true;
}

static bool has_times(const struct header *header)
{
	return header->at[TIME_S] || header->at[TIME_MS] ||
	       header->at[TIME_US] || header->at[START_S] || header->at[END_S];
}

static bool is_biosnoop(const char *head, size_t size)
{
	struct lines lines = { .rest = ssdpm__span(head, size) };
	struct header header;
	struct span line;

	while (ssdpm__next_line(&lines, &line))
		if (take_header(line, &header))
			return true;
	return false;
}

static int take_beginning(struct ssdpm_trace *trace, struct snoop *snoop,
			  struct ssdpm_error *reterr)
{
	struct span line;
	int err;

	do {
		err = ssdpm__input_line(&trace->input, &line, reterr);
		if (err < 0)
			return err;
		if (err == 0)
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "no line names the columns, as in "
					   "\"TIME(s) COMM PID DISK T SECTOR "
					   "BYTES LAT(ms)\"");
	} while (!take_header(line, &snoop->header));
	if (!has_times(&snoop->header))
		return ssdpm__fail(reterr, -EINVAL, trace->input.line,
				   "no column has the time: iosnoop needs the "
				   "options -ts");
	if (trace->device_wanted && !snoop->header.at[DISK])
		return ssdpm__fail(reterr, -EINVAL, trace->input.line,
				   "no column has the device: read the trace "
				   "without naming one");
	return 0;
}

static int open_biosnoop(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct snoop *snoop = calloc(1, sizeof(*snoop));

	if (!snoop)
		return ssdpm__no_memory(reterr);
	trace->state = snoop;
	int err = take_beginning(trace, snoop, reterr);
	return err ? err :
		     ssdpm__pair_new(trace, WINDOW_NS, PAIR_MAX_HELD, reterr);
}

/* The values of a line and their columns. */
struct snoop_row {
	const struct header *header;
	struct snoop_words words;
};

/* Splits a row; only the name of a command may contain blanks. */
static bool split_row(struct span line, const struct header *header,
		      struct snoop_row *ret_row)
{
	ret_row->header = header;
	return split(line, &ret_row->words) &&
	       (ret_row->words.n == header->n ||
		(header->at[COMMAND] && ret_row->words.n > header->n));
}

static bool has(const struct snoop_row *row, enum column column)
{
	return row->header->at[column];
}

static struct span get(const struct snoop_row *row, enum column column)
{
	uint32_t at = row->header->at[column];
	uint32_t command = row->header->at[COMMAND];

	if (command && at > command)
		at += row->words.n - row->header->n;
	return row->words.word[at - 1];
}

static bool get_uint(const struct snoop_row *row, enum column column,
		     uint64_t max, uint64_t *ret_value)
{
	struct span word = get(row, column);

	return ssdpm__take_uint(&word, max, ret_value) && word.at == word.end;
}

/* Six digits as in "0.000004" seconds, or "0.74" milliseconds. */
static bool get_time(const struct snoop_row *row, enum column column,
		     uint64_t unit_ns, uint64_t *ret_ns)
{
	struct span word = get(row, column);
	uint64_t scale = unit_ns / 1000000;
	uint64_t millionths;

	if (!ssdpm__take_millionths(&word, UINT64_MAX / scale, &millionths) ||
	    word.at != word.end)
		return false;
	*ret_ns = millionths * scale;
	return true;
}

/* Whole microseconds. */
static bool get_us(const struct snoop_row *row, enum column column,
		   uint64_t *ret_ns)
{
	uint64_t us;

	if (!get_uint(row, column, UINT64_MAX / 1000, &us))
		return false;
	*ret_ns = us * 1000;
	return true;
}

struct io_times {
	uint64_t start_ns, end_ns, latency_ns;
};

static bool get_end(const struct snoop_row *row, uint64_t *ret_ns)
{
	if (has(row, END_S))
		return get_time(row, END_S, 1000000000, ret_ns);
	if (has(row, TIME_S))
		return get_time(row, TIME_S, 1000000000, ret_ns);
	if (has(row, TIME_MS))
		return get_time(row, TIME_MS, 1000000, ret_ns);
	return get_us(row, TIME_US, ret_ns);
}

/*
 * The clock may start at the first completion; an earlier start is set to it.
 * If the row has both ends, they are finer than the latency.
 */
static bool get_times(const struct snoop_row *row, struct io_times *t)
{
	bool only_start = has(row, START_S) && !has(row, END_S);

	if (has(row, LATENCY_MS) ?
		    !get_time(row, LATENCY_MS, 1000000, &t->latency_ns) :
		    !get_us(row, LATENCY_US, &t->latency_ns))
		return false;
	if (has(row, START_S) &&
	    !get_time(row, START_S, 1000000000, &t->start_ns))
		return false;
	if (only_start)
		return !__builtin_add_overflow(t->start_ns, t->latency_ns,
					       &t->end_ns);
	if (!get_end(row, &t->end_ns))
		return false;
	if (has(row, START_S))
		t->latency_ns = t->end_ns - t->start_ns;
	else
		t->start_ns = t->end_ns > t->latency_ns ?
				      t->end_ns - t->latency_ns :
				      0;
	return t->start_ns <= t->end_ns;
}

/*
 * Finds what the I/O is; without an operation, a read, and without bytes, of
 * nothing.
 */
static bool get_place(const struct snoop_row *row, struct pair_event *event)
{
	uint64_t sector = 0;

	event->op = SSDPM_OP_READ;
	if (has(row, BYTES) &&
	    !get_uint(row, BYTES, DISCARD_MAX_BYTES, &event->bytes))
		return false;
	if (has(row, TYPE) && has(row, BYTES))
		event->op = event->bytes ? ssdpm__block_op(get(row, TYPE),
							   event->bytes) :
					   SSDPM_OP_FLUSH;
	if (has(row, SECTOR) && event->op != SSDPM_OP_FLUSH &&
	    !get_uint(row, SECTOR, UINT64_MAX / 512, &sector))
		return false;
	event->offset = sector * 512;
	return event->op && ssdpm__pair_fits(event);
}

static int is_device_wanted(struct ssdpm_trace *trace,
			    const struct snoop_row *row,
			    struct ssdpm_error *reterr)
{
	char text[64];

	if (!has(row, DISK))
		return 1;
	struct span device = get(row, DISK);
	if (has(row, DISK_MINOR)) {
		struct span minor = get(row, DISK_MINOR);
		int n = snprintf(text, sizeof(text), "%.*s,%.*s",
				 (int)(device.end - device.at), device.at,
				 (int)(minor.end - minor.at), minor.at);

		if (n < 0 || (size_t)n >= sizeof(text))
			return ssdpm__trace_bad(trace, reterr, -EINVAL,
						"the disk has no number");
		device = (struct span){ text, text + n };
	}
	return ssdpm__trace_device(trace, device, reterr);
}

static int take_row(struct ssdpm_trace *trace, const struct snoop_row *row,
		    struct ssdpm_error *reterr)
{
	struct pair_event event = { 0 };
	struct io_times times = { 0 };

	if (!get_times(row, &times) || !get_place(row, &event))
		return ssdpm__trace_bad(trace, reterr, -EINVAL,
					"a number or the type of the I/O "
					"cannot be read, or does not fit");
	int err = is_device_wanted(trace, row, reterr);
	if (err <= 0)
		return err;
	event.time_ns = times.start_ns;
	err = ssdpm__trace_order(trace, times.start_ns, times.end_ns, reterr);
	if (err)
		return err;
	trace->counts.n_untyped += !has(row, TYPE) || !has(row, BYTES);
	ssdpm__pair_add(trace->pair, &event, times.end_ns,
			ssdpm__trace_service(trace, times.latency_ns));
	return 0;
}

/*
 * Lines that these tools print at their end, and bpftrace below its first line.
 */
static bool is_remark(struct span first)
{
	return ssdpm__take(&first, "^C") || ssdpm__take(&first, "Ending") ||
	       ssdpm__take(&first, "Detaching") ||
	       ssdpm__span_is(first, "MAJOR");
}

/* The line of names repeats if two files were joined. */
static bool is_header(struct snoop *snoop, struct span line)
{
	struct header header;

	if (!take_header(line, &header) || !has_times(&header))
		return false;
	snoop->header = header;
	return true;
}

static int next_row(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct snoop *snoop = trace->state;
	struct span line, rest, first;
	struct snoop_row row;
	int err = ssdpm__input_line(&trace->input, &line, reterr);

	if (err <= 0)
		return err;
	rest = line;
	if (!ssdpm__take_word(&rest, &first) || is_remark(first) ||
	    (find_column(first) != NONE && is_header(snoop, line)))
		return 1;
	if (split_row(line, &snoop->header, &row))
		err = take_row(trace, &row, reterr);
	else
		err = ssdpm__trace_bad(
			trace, reterr, -EINVAL,
			"the line has other columns than the one "
			"that names them");
	return err < 0 ? err : 1;
}

const struct trace_reader ssdpm__read_biosnoop = {
	.format = SSDPM_TRACE_BIOSNOOP,
	.is = is_biosnoop,
	.open = open_biosnoop,
	.next = next_row,
};
