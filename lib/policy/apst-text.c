/* SPDX-License-Identifier: MIT */
/*
 * The text of nvme get-feature -f 0x0c, as nvme-cli 1, 2 and 3 word it. With -H
 * it has a paragraph for each entry, without -H a dump of the bytes. People
 * paste it with other features around, prompts and quotation marks. They also
 * cut it off after the last entry that is not empty.
 */
#include "base/text.h"
#include "policy/internal.h"

#include <errno.h>
#include <string.h>

enum { FEATURE = 0x0c, DUMP_LINE = 16 };

struct apst_text {
	struct ssdpm_apst table;
	bool skip;	   /* inside another feature */
	bool has_header;   /* the feature's own */
	bool knows_enable; /* APSTE was there */
	/* The entries that the next lines are about; all of these bits. */
	uint32_t current, have_time, have_target;
	/* The dump. */
	uint8_t data[SSDPM_APST_BYTES];
	size_t n_data;
	struct lines lines;
	struct ssdpm_error *reterr;
};

/* Step over all up to and with c, and the blanks after it. */
static bool take_past(struct span *span, char c)
{
	const char *at = NULL;

	if (span->at < span->end)
		at = memchr(span->at, c, (size_t)(span->end - span->at));
	if (!at)
		return false;
	span->at = at + 1;
	while (span->at < span->end && (*span->at == ' ' || *span->at == '\t'))
		span->at++;
	return true;
}

static void set_enable(struct apst_text *r, bool enabled)
{
	r->table.enabled = enabled;
	r->knows_enable = true;
}

/*
 * "0x0c (Autonomous Power State Transition), Current value:0x00000001"; what
 * the drive can do ("Supported capabilities") is no table.
 */
static int read_header(struct apst_text *r, struct span line)
{
	uint64_t feature, value;

	r->current = 0;
	r->skip = true;
	if (!ssdpm__take_uint(&line, UINT32_MAX, &feature) ||
	    feature != FEATURE ||
	    ssdpm__span_contains(line, "Supported capabilities"))
		return 0;
	if (r->has_header || r->have_time || r->n_data)
		return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
				   "a second APST table; one is needed");
	r->skip = false;
	r->has_header = true;
	if (take_past(&line, ':') &&
	    ssdpm__take_uint(&line, UINT32_MAX, &value))
		set_enable(r, value & 1);
	return 0;
}

static void read_enable(struct apst_text *r, struct span line)
{
	uint64_t value;

	if (!take_past(&line, ':'))
		return;
	if (ssdpm__take(&line, "Enabled"))
		set_enable(r, true);
	else if (ssdpm__take(&line, "Disabled"))
		set_enable(r, false);
	else if (ssdpm__take_uint(&line, 1, &value))
		set_enable(r, value);
}

/* "3]", or as people write "4-31]": */
static int read_index(struct apst_text *r, struct span line)
{
	uint64_t first, last;
	bool good = ssdpm__take_uint(&line, SSDPM_MAX_STATES - 1, &first);

	last = first;
	if (good && ssdpm__take(&line, "-"))
		good = ssdpm__take_uint(&line, SSDPM_MAX_STATES - 1, &last);
	if (!good || !ssdpm__take(&line, "]") || last < first)
		return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
				   "an entry has a number of 0 to 31");
	r->current = 0;
	for (uint64_t i = first; i <= last; i++)
		r->current |= 1u << i;
	return 0;
}

/* A number for the current entries: "...(ITPT): 100 ms". */
static int read_number(struct apst_text *r, struct span line, const char *what,
		       uint64_t max, uint32_t *have, uint64_t *ret_value)
{
	if (!r->current)
		return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
				   "%s outside an entry", what);
	if (*have & r->current)
		return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
				   "%s comes twice for an entry", what);
	if (!take_past(&line, ':') || !ssdpm__take_uint(&line, max, ret_value))
		return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
				   "%s is not a number of 0 to %u", what,
				   (unsigned int)max);
	*have |= r->current;
	return 0;
}

static int read_entry(struct apst_text *r, struct span line, bool is_time)
{
	uint64_t value;
	int err;

	if (is_time)
		err = read_number(r, line, "ITPT", SSDPM_APST_MAX_IDLE_MS,
				  &r->have_time, &value);
	else
		err = read_number(r, line, "ITPS", SSDPM_MAX_STATES - 1,
				  &r->have_target, &value);
	if (err)
		return err;
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		if (!(r->current & 1u << i))
			continue;
		if (is_time)
			r->table.entries[i].idle_ms = (uint32_t)value;
		else
			r->table.entries[i].target = (uint32_t)value;
	}
	return 0;
}

/* The bytes of a dump's line; two blanks or a quotation mark end them. */
static size_t take_bytes(struct span line, uint8_t bytes[DUMP_LINE])
{
	size_t n = 0;

	while (n < DUMP_LINE && line.end - line.at >= 2) {
		int high = ssdpm__hex_digit(line.at[0]);
		int low = ssdpm__hex_digit(line.at[1]);

		if (high < 0 || low < 0)
			break;
		bytes[n++] = (uint8_t)(high << 4 | low);
		line.at += 2;
		if (line.at < line.end && *line.at == ' ')
			line.at++;
	}
	return n;
}

/* "0010: 18 64 00 ...": nvme-cli, xxd. Other lines are none of ours. */
static int read_dump(struct apst_text *r, struct span line)
{
	const char *start = line.at;
	uint8_t bytes[DUMP_LINE];
	size_t offset = 0, n;

	for (; line.at < line.end; line.at++) {
		int digit = ssdpm__hex_digit(*line.at);

		if (digit < 0 || line.at - start == 8)
			break;
		offset = offset << 4 | (size_t)digit;
	}
	if (line.at - start < 4 || !ssdpm__take(&line, ":"))
		return 0;
	n = take_bytes(line, bytes);
	if (!n)
		return 0;
	if (offset != r->n_data || offset + n > sizeof(r->data))
		return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
				   "the dump goes on at 0x%zx with %zu bytes, "
				   "after %zu of 256",
				   offset, n, r->n_data);
	memcpy(r->data + offset, bytes, n);
	r->n_data += n;
	return 0;
}

static int read_line(struct apst_text *r, struct span line)
{
	while (ssdpm__take(&line, ">"))
		; /* somebody quoted a mail */
	if (ssdpm__take(&line, "get-feature:"))
		return read_header(r, line);
	if (r->skip)
		return 0;
	if (ssdpm__take(&line, "Entry") && ssdpm__take(&line, "["))
		return read_index(r, line);
	if (ssdpm__span_contains(line, "(APSTE)"))
		read_enable(r, line);
	else if (ssdpm__span_contains(line, "(ITPT)"))
		return read_entry(r, line, true);
	else if (ssdpm__span_contains(line, "(ITPS)"))
		return read_entry(r, line, false);
	else
		return read_dump(r, line);
	return 0;
}

static int finish_entries(struct apst_text *r)
{
	uint32_t half = r->have_time ^ r->have_target, first = 0;

	if (half) {
		while (!(half & 1u << first))
			first++;
		return ssdpm__fail(
			r->reterr, -EINVAL, 0, "entry %u has no %s", first,
			r->have_time & 1u << first ? "ITPS" : "ITPT");
	}
	if (r->knows_enable)
		return 0;
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		if (r->table.entries[i].target || r->table.entries[i].idle_ms)
			r->table.enabled = 1;
	return 0;
}

static int finish_dump(struct apst_text *r)
{
	bool enabled = r->table.enabled;
	int err;

	if (r->n_data % 8)
		return ssdpm__fail(r->reterr, -EINVAL, 0,
				   "the dump ends within entry %zu",
				   r->n_data / 8);
	err = ssdpm__apst_from_bytes(r->data, &r->table, r->reterr);
	if (!err && r->knows_enable)
		r->table.enabled = enabled;
	return err;
}

int ssdpm__apst_from_text(const char *text, size_t size,
			  struct ssdpm_apst *ret_table,
			  struct ssdpm_error *reterr)
{
	struct apst_text r = {
		.table.sent = 1,
		.lines.rest = ssdpm__span(text, size),
		.reterr = reterr,
	};
	struct span line;
	int err = 0;

	while (!err && ssdpm__next_line(&r.lines, &line))
		err = read_line(&r, line);
	if (!err && (r.have_time || r.have_target))
		err = finish_entries(&r);
	else if (!err && r.n_data)
		err = finish_dump(&r);
	else if (!err && r.has_header)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "feature 0Ch, but without its table");
	else if (!err)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "not an APST table: its 256 bytes, 512 "
				  "hexadecimal digits, the text of nvme "
				  "get-feature -f 0x0c, or our JSON are read");
	if (!err)
		*ret_table = r.table;
	return err;
}
