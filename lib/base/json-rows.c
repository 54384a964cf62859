/* SPDX-License-Identifier: MIT */
#include "base/json-rows.h"

#include <stdlib.h>
#include <string.h>

static uint64_t number_at(const void *base, size_t at, size_t width)
{
	const char *p = (const char *)base + at;

	switch (width) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		return *(const uint16_t *)(const void *)p;
	case 4:
		return *(const uint32_t *)(const void *)p;
	default:
		return *(const uint64_t *)(const void *)p;
	}
}

static const void *pointer_at(const void *base, size_t at)
{
	return *(const void *const *)(const void *)((const char *)base + at);
}

static bool holds(const void *base, size_t at, unsigned int test)
{
	if (test == JSON_ALWAYS)
		return true;
	if (test >= 128)
		return number_at(base, at, 4) <= test - 128;
	if (test >= 64)
		return number_at(base, at, 4) == test - 64;
	if (test >= 32)
		return number_at(base, at, test - 32) != 0;
	return number_at(base, at, 4) >> test & 1;
}

static void write_object(struct json_writer *w, const struct json_table *table,
			 const char *key, unsigned int part, const void *base)
{
	if (!base) {
		ssdpm__json_null(w, key);
		return;
	}
	ssdpm__json_begin(w, key, '{');
	w->one_line = table->parts[part].is_row;
	ssdpm__json_rows(w, table, part, base);
	ssdpm__json_end(w, '}');
}

static void write_list(struct json_writer *w, const struct json_table *table,
		       const struct json_row *row, const void *base)
{
	const char *items = pointer_at(base, row->at);
	size_t n = *(const size_t *)(const void *)((const char *)base +
						   row->test_at);

	for (size_t i = 0; i < n; i++)
		write_object(w, table, NULL, row->argument,
			     items + i * table->parts[row->argument].size);
}

static void write_every(struct json_writer *w, const struct json_table *table,
			const struct json_row *row, const void *base)
{
	uint64_t item[JSON_ROOM / 8];
	int got;

	for (size_t i = 0;
	     (got = table->get_item(row->test, base, i, item)) >= 0; i++)
		if (got)
			write_object(w, table, NULL, row->argument, item);
}

static void write_words(struct json_writer *w, const struct json_table *table,
			unsigned int which, uint32_t bits)
{
	w->one_line = true;
	for (uint32_t bit = 1; bit; bit <<= 1)
		if ((bits & bit) && table->get_word(which, bit))
			ssdpm__json_string(w, NULL,
					   table->get_word(which, bit));
}

static void write_array(struct json_writer *w, const struct json_table *table,
			const struct json_row *row, const void *base)
{
	ssdpm__json_begin(w, table->keys + row->key, '[');
	if ((row->form & ~ROW_OMIT) == ROW_WORDS)
		write_words(w, table, row->argument,
			    (uint32_t)number_at(base, row->at, 4));
	else if (row->form == ROW_LIST)
		write_list(w, table, row, base);
	else
		write_every(w, table, row, base);
	ssdpm__json_end(w, ']');
}

static void write_text(struct json_writer *w, const char *key,
		       const struct json_row *row, const void *base)
{
	const char *text = row->argument ? pointer_at(base, row->at) :
					   (const char *)base + row->at;

	if ((row->form & ~ROW_OMIT) == ROW_TEXT && text && !*text)
		text = NULL;
	ssdpm__json_string(w, key, text);
}

/* The text of an object becomes a member. */
static void write_json(struct json_writer *w, const char *key, const char *text)
{
	if (!text) {
		ssdpm__json_null(w, key);
		return;
	}
	ssdpm__json_begin(w, key, '{');
	ssdpm__json_members(w, text);
	ssdpm__json_end(w, '}');
}

static void write_number(struct json_writer *w, const char *key,
			 unsigned int form, uint64_t value)
{
	if (form == ROW_INT && (uint32_t)value == UINT32_C(1) << 31)
		ssdpm__json_null(w, key);
	else if (form == ROW_INT)
		ssdpm__json_int(w, key, (int32_t)value);
	else if (form == ROW_LATENCY && value == UINT64_MAX)
		ssdpm__json_string(w, key, "any");
	else
		ssdpm__json_uint(w, key, value);
}

/* The structure of a part: a member, or what a member points to. */
static const void *structure_of(const struct json_row *row, const void *base)
{
	const unsigned int form = row->form & ~ROW_OMIT;

	if (form == ROW_OBJECT_AT || form == ROW_MEMBERS_AT)
		return pointer_at(base, row->at);
	return (const char *)base + row->at;
}

static void write_value(struct json_writer *w, const struct json_table *table,
			const struct json_row *row, const void *base)
{
	const char *key = table->keys + row->key;
	const unsigned int form = row->form & ~ROW_OMIT;

	switch (form) {
	case ROW_STRING:
	case ROW_TEXT:
		write_text(w, key, row, base);
		break;
	case ROW_BOOL:
		ssdpm__json_bool(w, key, holds(base, row->at, row->argument));
		break;
	case ROW_WORD:
		ssdpm__json_string(
			w, key,
			table->get_word(row->argument,
					(uint32_t)number_at(base, row->at, 4)));
		break;
	case ROW_OBJECT:
	case ROW_OBJECT_AT:
		write_object(w, table, key, row->argument,
			     structure_of(row, base));
		break;
	case ROW_JSON:
		write_json(w, key, pointer_at(base, row->at));
		break;
	case ROW_SPLICE:
		ssdpm__json_members(w, pointer_at(base, row->at));
		break;
	case ROW_WORDS:
		write_array(w, table, row, base);
		break;
	default:
		write_number(w, key, form,
			     number_at(base, row->at, row->argument));
	}
}

void ssdpm__json_rows(struct json_writer *w, const struct json_table *table,
		      unsigned int part, const void *base)
{
	const struct json_row *row = &table->rows[table->parts[part].first];

	for (; row->form; row++) {
		const unsigned int form = row->form & ~ROW_OMIT;

		if (form == ROW_LIST || form == ROW_EVERY)
			write_array(w, table, row, base);
		else if (!holds(base, row->test_at, row->test)) {
			if (form == ROW_WHEN)
				return;
			if (!(row->form & ROW_OMIT))
				ssdpm__json_null(w, table->keys + row->key);
		} else if (form == ROW_MEMBERS || form == ROW_MEMBERS_AT) {
			ssdpm__json_rows(w, table, row->argument,
					 structure_of(row, base));
		} else if (form != ROW_WHEN) {
			write_value(w, table, row, base);
		}
	}
}
