/* SPDX-License-Identifier: MIT */
/* Reads traces of delimited text. Each line is an I/O, read by a column map. */
#include "workload/delimited.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "workload/pair.h"

/* This many I/Os may complete while one takes long. */
#define MAX_HELD (1u << 15)

struct delimited {
	struct delimited_map map;
};

static const char *skip_blanks(const char *at, const char *end, char separator)
{
	while (at < end && (*at == ' ' || (*at == '\t' && separator != '\t')))
		at++;
	return at;
}

static const char *end_of_word(const char *at, const char *end)
{
	while (at < end && *at != ' ' && *at != '\t')
		at++;
	return at;
}

/* The end of the field at "at"; separators may be quoted. */
static const char *end_of_field(const char *at, const char *end, char separator)
{
	if (separator == ' ')
		return end_of_word(at, end);
	if (at < end && *at == '"') {
		const char *quote = memchr(at + 1, '"', (size_t)(end - at - 1));
		if (quote)
			at = quote + 1;
	}
	while (at < end && *at != separator)
		at++;
	return at;
}

static struct span trimmed(const char *at, const char *end)
{
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return (struct span){ at, end };
}

static unsigned digit_at(const char *at)
{
	return (unsigned char)*at - (unsigned)'0';
}

/* Takes 20 or more digits; zeros may lead. */
static bool take_long_number(const char *at, const char *end,
			     uint64_t *ret_value)
{
	uint64_t value = 0;

	for (; at < end; at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit_at(at), &value))
			return false;
	*ret_value = value;
	return true;
}

static enum row_fault take_fraction(const char **at, const char *end,
				    uint32_t digits, uint64_t *value)
{
	static const uint64_t powers[] = {
		1,	10,	 100,	   1000,      10000,
		100000, 1000000, 10000000, 100000000, 1000000000,
	};
	const char *start = *at, *p = start;
	uint64_t fraction = 0;
	uint32_t n = 0;

	if (digits == 0)
		return ROW_FRACTION;
	for (; p < end && digit_at(p) <= 9; p++) {
		/* Digits below a nanosecond are dropped. */
		if (n == digits)
			continue;
		fraction = fraction * 10 + digit_at(p);
		n++;
	}
	*at = p;
	if (p == start)
		return ROW_TEXT;
	if (__builtin_add_overflow(*value, fraction * powers[digits - n],
				   value))
		return ROW_RANGE;
	return ROW_FINE;
}

/* Takes a decimal number, and moves at behind it. */
static enum row_fault take_number(const char **at, const char *end,
				  const struct column *column,
				  uint64_t *ret_value)
{
	const char *start = *at, *p = start;
	uint64_t value = 0;

	for (; p < end && digit_at(p) <= 9; p++)
		value = value * 10 + digit_at(p);
	*at = p;
	if (p == start)
		return ROW_TEXT;
	if (p - start > 19 && !take_long_number(start, p, &value))
		return ROW_RANGE;
	if (__builtin_mul_overflow(value, column->scale, &value))
		return ROW_RANGE;
	if (p < end && (*p == '.' || (*p == ',' && column->comma))) {
		++*at;
		enum row_fault fault =
			take_fraction(at, end, column->digits, &value);
		if (fault)
			return fault;
	}
	*ret_value = value;
	return ROW_FINE;
}

/* Compares ASCII words without case. */
static bool is_word(const char *word, struct span text)
{
	for (; *word && text.at < text.end; word++, text.at++) {
		char c = *word, lower = c | 0x20;
		bool is_letter = lower >= 'a' && lower <= 'z';

		if (c != *text.at && !(is_letter && (c ^ *text.at) == 0x20))
			return false;
	}
	return !*word && text.at == text.end;
}

static enum row_fault take_op(const struct delimited_map *map, const char **at,
			      const char *end, uint8_t *ret_op)
{
	const char *start = *at;

	*at = end_of_field(start, end, map->separator);
	struct span text = trimmed(start, *at);
	for (uint32_t i = 0; i < map->n_words; i++)
		if (is_word(map->words[i].text, text)) {
			*ret_op = map->words[i].op;
			return ROW_FINE;
		}
	return ROW_OP;
}

/* An empty field, or the map's word for it, is an unknown service. */
static enum row_fault take_service(const struct delimited_map *map,
				   const struct column *column, const char **at,
				   const char *end, struct delimited_row *row)
{
	const char *start = *at;

	if (start < end && *start != map->separator &&
	    *start != map->unknown[0])
		goto number;
	*at = end_of_field(start, end, map->separator);
	struct span text = trimmed(start, *at);
	if (text.at == text.end || ssdpm__span_is(text, map->unknown))
		return ROW_FINE;
	*at = start;
number:
	row->has_service = true;
	return take_number(at, end, column, &row->service_ns);
}

static enum row_fault take_flags(const char **at, const char *end,
				 const struct column *column,
				 uint8_t *ret_flags)
{
	uint64_t value = 0;
	enum row_fault fault = take_number(at, end, column, &value);

	if (!fault && value & ~(uint64_t)SSDPM_IO_CONTINUED)
		fault = ROW_RANGE;
	*ret_flags = (uint8_t)value;
	return fault;
}

static enum row_fault take_field(const struct delimited_map *map,
				 const struct column *column, const char **at,
				 const char *end, struct delimited_row *row)
{
	const char *start = *at;

	switch (column->kind) {
	case COLUMN_TIME:
		return take_number(at, end, column, &row->io.start_ns);
	case COLUMN_OFFSET:
		return take_number(at, end, column, &row->io.offset);
	case COLUMN_BYTES:
		return take_number(at, end, column, &row->bytes);
	case COLUMN_OP:
		return take_op(map, at, end, &row->io.op);
	case COLUMN_FLAGS:
		return take_flags(at, end, column, &row->io.flags);
	case COLUMN_SERVICE:
		return take_service(map, column, at, end, row);
	case COLUMN_DEVICE:
		*at = end_of_field(start, end, map->separator);
		if (!row->device.at)
			row->device.at = start;
		row->device.end = trimmed(start, *at).end;
		return ROW_FINE;
	default:
		*at = end_of_field(start, end, map->separator);
		return ROW_FINE;
	}
}

enum row_fault ssdpm__delimited_row(const struct delimited_map *map,
				    struct span line, struct delimited_row *row,
				    uint32_t *ret_column)
{
	const char separator = map->separator;
	const char *at = skip_blanks(line.at, line.end, separator);

	*row = (struct delimited_row){ 0 };
	for (uint32_t i = 0;; i++) {
		*ret_column = i;
		enum row_fault fault =
			take_field(map, &map->columns[i], &at, line.end, row);
		if (fault)
			return fault;
		const char *field_end = at;
		bool is_last = i + 1 == map->n_columns;

		at = skip_blanks(at, line.end, separator);
		if (at == line.end) {
			*ret_column += !is_last;
			return is_last ? ROW_FINE : ROW_SHORT;
		}
		if (separator == ' ' ? at == field_end : *at != separator)
			return ROW_TEXT;
		if (is_last)
			return map->more ? ROW_FINE : ROW_LONG;
		if (separator != ' ')
			at = skip_blanks(at + 1, line.end, separator);
	}
}

static const char *kind_name(const struct delimited_map *map, uint32_t column)
{
	static const char *const names[] = {
		[COLUMN_SKIP] = "any",	      [COLUMN_TIME] = "time",
		[COLUMN_OFFSET] = "offset",   [COLUMN_BYTES] = "bytes",
		[COLUMN_SERVICE] = "service", [COLUMN_OP] = "op",
		[COLUMN_DEVICE] = "device",   [COLUMN_FLAGS] = "flags",
	};

	return names[map->columns[column].kind];
}

static int bad_row(struct ssdpm_trace *trace, enum row_fault fault,
		   uint32_t column, struct ssdpm_error *reterr)
{
	const struct delimited *self = trace->state;
	const char *name = kind_name(&self->map, column);
	const char *const causes[] = {
		[ROW_SHORT] = "it is missing",
		[ROW_LONG] = "more columns follow",
		[ROW_TEXT] = trace->input.line == 1 ?
				     "this is no decimal number; skip=1 leaves "
				     "out a line of names" :
				     "this is no decimal number",
		[ROW_FRACTION] = "this is no whole number",
		[ROW_RANGE] = "the number is too large",
		[ROW_OP] = "this is no operation that is known",
	};

	return ssdpm__trace_bad(
		trace, reterr, fault == ROW_RANGE ? -ERANGE : -EINVAL,
		"column %u (%s): %s", column + 1, name, causes[fault]);
}

/* Checks what depends on several columns. */
static int check_row(struct ssdpm_trace *trace, struct delimited_row *row,
		     struct ssdpm_error *reterr)
{
	int err = 1;

	if (!ssdpm__io_fits(row->io.op, row->bytes))
		return ssdpm__trace_bad(trace, reterr, -ERANGE,
					"%llu bytes are too many for one I/O",
					(unsigned long long)row->bytes);
	if (row->io.offset > UINT64_MAX - row->bytes)
		return ssdpm__trace_bad(trace, reterr, -ERANGE,
					"the I/O ends beyond 2^64 bytes");
	if (row->device.at)
		err = ssdpm__trace_device(trace, row->device, reterr);
	if (err == 1)
		row->io.service_ns =
			row->has_service ?
				ssdpm__trace_service(trace, row->service_ns) :
				SSDPM_SERVICE_UNKNOWN;
	return err;
}

/* 1; 0: the end; or a negative errno. */
static int next_row(struct ssdpm_trace *trace, struct delimited_row *row,
		    struct ssdpm_error *reterr)
{
	const struct delimited *self = trace->state;
	struct span line;
	uint32_t column;

	for (;;) {
		int err = ssdpm__input_line(&trace->input, &line, reterr);
		if (err <= 0)
			return err;
		if (skip_blanks(line.at, line.end, 0) == line.end)
			continue;
		enum row_fault fault =
			ssdpm__delimited_row(&self->map, line, row, &column);
		if (fault)
			err = bad_row(trace, fault, column, reterr);
		else
			err = check_row(trace, row, reterr);
		if (err)
			return err;
	}
}

static int next_event(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct delimited_row row;
	int err = next_row(trace, &row, reterr);

	if (err <= 0)
		return err;
	struct pair_event event = { .time_ns = row.io.start_ns,
				    .offset = row.io.offset,
				    .bytes = row.bytes,
				    .op = row.io.op,
				    .flags = row.io.flags };
	err = ssdpm__pair_record(trace->pair, &event, row.service_ns,
				 row.io.service_ns, reterr);
	return err ? err : 1;
}

static int find_map(struct ssdpm_trace *trace, struct delimited_map *ret_map,
		    struct ssdpm_error *reterr)
{
	struct ssdpm_trace_counts *counts = &trace->counts;
	struct lines lines = { .rest = ssdpm__trace_head(trace) };
	const char *preset;
	struct span line;

	if (!counts->format && !trace->columns)
		counts->format = ssdpm__delimited_recognise(
			lines.rest.at,
			(size_t)(lines.rest.end - lines.rest.at));
	if (!counts->format)
		counts->format = SSDPM_TRACE_DELIMITED;
	if (trace->columns)
		return ssdpm__delimited_map(trace->columns, ret_map, reterr);
	preset = ssdpm__delimited_preset(counts->format);
	if (preset)
		return ssdpm__delimited_map(preset, ret_map, reterr);
	if (ssdpm__next_line(&lines, &line) &&
	    ssdpm__delimited_header(line, ret_map))
		return 0;
	return ssdpm__fail(reterr, -EINVAL, 0,
			   "the columns of the trace are not known: name them");
}

/* Whether the next line that is not blank is a row. */
static bool row_follows(struct lines lines, const struct delimited_map *map)
{
	struct delimited_row row;
	struct span line;
	uint32_t column;

	while (ssdpm__next_line(&lines, &line))
		if (line.at != line.end)
			return !ssdpm__delimited_row(map, line, &row, &column);
	return false;
}

/*
 * How many lines come before the first row. Some files of blkreplay have two
 * heads; the head with a row below it counts.
 */
static uint32_t n_lines_before(const struct ssdpm_trace *trace,
			       const struct delimited_map *map)
{
	struct lines lines = { .rest = ssdpm__trace_head(trace) };
	struct span line;
	uint32_t first = 0; /* stays 0 if the head was cut off */

	while (map->after[0] && ssdpm__next_line(&lines, &line)) {
		if (!ssdpm__delimited_begins(line, map->after))
			continue;
		if (row_follows(lines, map))
			return lines.line + map->skip;
		if (!first)
			first = lines.line;
	}
	return first + map->skip;
}

static int skip_lines(struct ssdpm_trace *trace, uint32_t n,
		      struct ssdpm_error *reterr)
{
	struct span line;

	while (n--) {
		int err = ssdpm__input_line(&trace->input, &line, reterr);
		if (err < 0)
			return err;
		if (err == 0)
			break;
	}
	return 0;
}

static int open_delimited(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct delimited *self = calloc(1, sizeof(*self));

	if (!self)
		return ssdpm__no_memory(reterr);
	trace->state = self;
	int err = find_map(trace, &self->map, reterr);
	if (err)
		return err;
	if (trace->device_wanted && !(self->map.kinds & 1u << COLUMN_DEVICE))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "device: no column of the trace names one");
	/* MQSim and SSDsim ignore the device: MQSim's issue 47. */
	trace->is_one_drive = trace->counts.format == SSDPM_TRACE_MQSIM &&
			      !trace->device_wanted;
	/* Rows with a service may be sorted by completion. */
	if (self->map.kinds & 1u << COLUMN_SERVICE)
		err = ssdpm__pair_new(trace, UINT64_MAX, MAX_HELD, reterr);
	else
		err = ssdpm__pair_new(trace, TRACE_LATE_NS, PAIR_MAX_HELD,
				      reterr);
	if (err)
		return err;
	return skip_lines(trace, n_lines_before(trace, &self->map), reterr);
}

static bool is_delimited(const char *head, size_t size)
{
	return ssdpm__delimited_recognise(head, size);
}

const struct trace_reader ssdpm__read_delimited = {
	.format = SSDPM_TRACE_DELIMITED,
	.last_format = SSDPM_TRACE_CLOUDPHYSICS,
	.is = is_delimited,
	.open = open_delimited,
	.next = next_event,
};
