/* SPDX-License-Identifier: MIT */
/*
 * CSV as Process Monitor of Sysinternals writes it: a quoted field for each
 * column that was shown, below a line with their names. A row is an operation
 * of a file system:
 *
 *   "9:25:34.1234567 AM","x.exe","8","ReadFile","C:\x","SUCCESS",
 *   "Offset: 2,275,840, Length: 16,384, I/O Flags: Non-cached, Paging I/O"
 *
 * Those with the flag Non-cached go to the drive; all others end in the cache,
 * whose own reads and writes are rows with that flag. Times are those of a
 * clock on the wall, and numbers are in the style of the country.
 */
#include "workload/pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

/* Rows may be in the order of their completions. */
#define WINDOW_NS 30000000000u
#define DAY_NS 86400000000000u
#define MAX_COLUMNS 64

enum column { TIME = 1, OPERATION, RESULT, DETAIL, DURATION, N_COLUMNS };

static const char names[N_COLUMNS][12] = {
	[TIME] = "Time of Day", [OPERATION] = "Operation", [RESULT] = "Result",
	[DETAIL] = "Detail",	[DURATION] = "Duration",
};

struct procmon {
	uint8_t columns[MAX_COLUMNS]; /* enum column; 0: any other */
	uint32_t n_columns;
	uint64_t day_ns;  /* when the day began, from that of the first row */
	uint64_t last_ns; /* the latest time so far */
	bool has_rows;
};

/* Fields by enum column; those that are not there are empty. */
struct procmon_row {
	struct span field[N_COLUMNS];
};

/* A quote within a field is written twice. */
static bool take_field(struct span *rest, struct span *ret_field)
{
	if (rest->at == rest->end || *rest->at++ != '"')
		return false;
	ret_field->at = rest->at;
	for (; rest->at < rest->end; rest->at++) {
		if (*rest->at != '"')
			continue;
		ret_field->end = rest->at++;
		if (rest->at == rest->end)
			return true;
		if (*rest->at == ',') {
			rest->at++;
			return true;
		}
	}
	return false;
}

static uint8_t find_column(struct span name)
{
	for (uint8_t i = TIME; i < N_COLUMNS; i++)
		if (ssdpm__span_is(name, names[i]))
			return i;
	return 0;
}

static bool take_header(struct span line, struct procmon *self)
{
	uint32_t seen = 0;
	struct span name;

	self->n_columns = 0;
	while (line.at < line.end && self->n_columns < MAX_COLUMNS &&
	       take_field(&line, &name)) {
		uint8_t column = find_column(name);

		seen |= 1u << column;
		self->columns[self->n_columns++] = column;
	}
	return line.at == line.end && seen & 1u << TIME &&
	       seen & 1u << OPERATION && seen & 1u << DETAIL;
}

static bool is_procmon(const char *head, size_t size)
{
	struct lines lines = { .rest = ssdpm__span(head, size) };
	struct procmon self;
	struct span line;

	return ssdpm__next_line(&lines, &line) && take_header(line, &self);
}

static int open_procmon(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct procmon *self = calloc(1, sizeof(*self));
	struct span line;

	if (!self)
		return ssdpm__no_memory(reterr);
	trace->state = self;
	int err = ssdpm__input_line(&trace->input, &line, reterr);
	if (err < 0)
		return err;
	if (err == 0 || !take_header(line, self))
		return ssdpm__fail(reterr, -EINVAL, 1,
				   "no columns \"Time of Day\", \"Operation\" "
				   "and \"Detail\" of Process Monitor");
	if (trace->device_wanted)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "device: no column of the trace names one");
	return ssdpm__pair_new(trace, WINDOW_NS, PAIR_MAX_HELD, reterr);
}

static bool split(const struct procmon *self, struct span line,
		  struct procmon_row *ret_fields)
{
	struct span field;

	*ret_fields = (struct procmon_row){ 0 };
	for (uint32_t i = 0; i < self->n_columns; i++) {
		if (!take_field(&line, &field))
			return false;
		ret_fields->field[self->columns[i]] = field;
	}
	return line.at == line.end;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* ".1234567", with the point of the country, as nanoseconds; or nothing. */
static bool take_fraction(struct span *rest, uint64_t *ret_ns)
{
	uint64_t ns = 0;
	uint32_t digits = 0;

	if (rest->at < rest->end && (*rest->at == '.' || *rest->at == ',')) {
		rest->at++;
		for (;
		     digits < 9 && rest->at < rest->end && is_digit(*rest->at);
		     digits++)
			ns = 10 * ns + (uint64_t)(*rest->at++ - '0');
		if (!digits)
			return false;
	}
	for (; digits < 9; digits++)
		ns *= 10;
	*ret_ns = ns;
	return true;
}

/* Two digits at most, and what separates them from the next. */
static bool take_part(struct span *rest, uint64_t below, uint64_t *value)
{
	uint64_t part = 0;
	uint32_t n = 0;

	for (; n < 2 && rest->at < rest->end && is_digit(*rest->at); n++)
		part = 10 * part + (uint64_t)(*rest->at++ - '0');
	*value = *value * below + part;
	return n && part < below;
}

/* "9:25:34.1234567 AM", "21:25:34,1234567": since the day began. */
static bool take_time_of_day(struct span text, uint64_t *ret_ns)
{
	uint64_t hour = 0, seconds, ns;

	if (!take_part(&text, 24, &hour))
		return false;
	seconds = hour;
	for (int i = 0; i < 2; i++) {
		if (text.at == text.end || (*text.at != ':' && *text.at != '.'))
			return false;
		text.at++;
		if (!take_part(&text, 60, &seconds))
			return false;
	}
	if (!take_fraction(&text, &ns))
		return false;
	text = ssdpm__span_trim(text);
	bool is_am = ssdpm__span_is(text, "AM");
	bool is_pm = ssdpm__span_is(text, "PM");
	if ((!is_am && !is_pm && text.at < text.end) ||
	    ((is_am || is_pm) && (hour > 12 || !hour)))
		return false;
	if (is_am && hour == 12)
		seconds -= 12 * 3600;
	else if (is_pm && hour < 12)
		seconds += 12 * 3600;
	*ret_ns = seconds * 1000000000 + ns;
	return true;
}

/*
 * Half a day back is the next day. Shortly after midnight, rows of the day
 * before may be late.
 */
static uint64_t on_its_day(struct procmon *self, uint64_t time_ns)
{
	uint64_t ns = self->day_ns + time_ns;

	if (self->has_rows && ns + DAY_NS / 2 < self->last_ns) {
		self->day_ns += DAY_NS;
		ns += DAY_NS;
	} else if (self->day_ns && ns - DAY_NS <= self->last_ns &&
		   self->last_ns - (ns - DAY_NS) <= WINDOW_NS) {
		ns -= DAY_NS;
	}
	self->has_rows = true;
	if (ns > self->last_ns)
		self->last_ns = ns;
	return ns;
}

/* What separates three digits: of ASCII, or a space of UTF-8 that keeps. */
static size_t separator_at(struct span text)
{
	static const char *const separators[] = {
		",", ".", "'", " ", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x99"
	};

	for (size_t i = 0; i < sizeof(separators) / sizeof(separators[0]);
	     i++) {
		size_t n = strlen(separators[i]);

		if ((size_t)(text.end - text.at) > n &&
		    !memcmp(text.at, separators[i], n) && is_digit(text.at[n]))
			return n;
	}
	return 0;
}

/* "2,275,840" */
static bool take_grouped(struct span text, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (text.at == text.end || !is_digit(*text.at))
		return false;
	while (text.at < text.end && is_digit(*text.at)) {
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text.at - '0'),
					   &value))
			return false;
		text.at++;
		text.at += separator_at(text);
	}
	*ret_value = value;
	return true;
}

/* The number behind a word of the detail. */
static bool find_number(struct span detail, const char *word,
			uint64_t *ret_value)
{
	size_t n = strlen(word);
	const char *at =
		memmem(detail.at, (size_t)(detail.end - detail.at), word, n);

	return at &&
	       take_grouped((struct span){ at + n, detail.end }, ret_value);
}

/* 0: not one that a drive sees. */
static uint8_t find_op(struct span operation)
{
	if (ssdpm__span_is(operation, "ReadFile"))
		return SSDPM_OP_READ;
	if (ssdpm__span_is(operation, "WriteFile"))
		return SSDPM_OP_WRITE;
	return ssdpm__span_is(operation, "FlushBuffersFile") ? SSDPM_OP_FLUSH :
							       0;
}

/* false: there is one that cannot be read. */
static bool take_duration(struct ssdpm_trace *trace, struct span text,
			  uint64_t *ret_ns, uint32_t *ret_service_ns)
{
	uint64_t seconds, ns;

	*ret_ns = 0;
	*ret_service_ns = SSDPM_SERVICE_UNKNOWN;
	if (text.at == text.end)
		return true;
	if (!ssdpm__take_uint(&text, 1000000000, &seconds) ||
	    !take_fraction(&text, &ns))
		return false;
	*ret_ns = seconds * 1000000000 + ns;
	*ret_service_ns = ssdpm__trace_service(trace, *ret_ns);
	return true;
}

static int take_io(struct ssdpm_trace *trace, const struct procmon_row *row,
		   uint8_t op, struct ssdpm_error *reterr)
{
	struct procmon *self = trace->state;
	struct pair_event event = { .op = op };
	struct span detail = row->field[DETAIL];
	uint64_t time_ns, took_ns;
	uint32_t service_ns;

	if (!take_time_of_day(row->field[TIME], &time_ns) ||
	    !take_duration(trace, row->field[DURATION], &took_ns, &service_ns))
		return ssdpm__trace_bad(trace, reterr, -EINVAL,
					"the time or the duration cannot be "
					"read");
	if (op != SSDPM_OP_FLUSH &&
	    !ssdpm__span_contains(detail, "Non-cached")) {
		trace->counts.n_cached += trace->counts.n_cached < UINT32_MAX;
		return 0;
	}
	if (op != SSDPM_OP_FLUSH &&
	    (!find_number(detail, "Offset: ", &event.offset) ||
	     !find_number(detail, "Length: ", &event.bytes) ||
	     !ssdpm__pair_fits(&event)))
		return ssdpm__trace_bad(trace, reterr, -EINVAL,
					"the detail has no \"Offset: N, "
					"Length: N\" that is an I/O");
	if (self->day_ns > UINT64_MAX / 2)
		return ssdpm__trace_bad(trace, reterr, -ERANGE,
					"too many days");
	event.time_ns = on_its_day(self, time_ns);
	int err = ssdpm__trace_order(trace, event.time_ns,
				     event.time_ns + took_ns, reterr);
	if (err)
		return err;
	ssdpm__pair_add(trace->pair, &event, event.time_ns + took_ns,
			service_ns);
	return 0;
}

static int next_row(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	const struct procmon *self = trace->state;
	struct procmon_row row;
	struct span line;
	int err = ssdpm__input_line(&trace->input, &line, reterr);

	if (err <= 0)
		return err;
	if (line.at == line.end)
		return 1;
	if (!split(self, line, &row)) {
		err = ssdpm__trace_bad(trace, reterr, -EINVAL,
				       "the row has other columns than the "
				       "first line names");
		return err < 0 ? err : 1;
	}
	/* Clocks of the day do not show a second run that began later. */
	if (ssdpm__span_is(row.field[OPERATION], names[OPERATION])) {
		err = ssdpm__trace_bad(trace, reterr, -EINVAL,
				       "a second run begins here: split the "
				       "file and read one run at a time");
		return err < 0 ? err : 1;
	}
	uint8_t op = find_op(row.field[OPERATION]);
	struct span result = row.field[RESULT];
	if (!op || (result.at && !ssdpm__span_is(result, "SUCCESS")))
		return 1;
	err = take_io(trace, &row, op, reterr);
	return err < 0 ? err : 1;
}

const struct trace_reader ssdpm__read_procmon = {
	.format = SSDPM_TRACE_PROCMON_CSV,
	.is = is_procmon,
	.open = open_procmon,
	.next = next_row,
};
