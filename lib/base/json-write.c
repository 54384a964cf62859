/* SPDX-License-Identifier: MIT */
/*
 * The JSON writer: two blanks for each level, an array of scalars on one line.
 * The same calls give the same bytes everywhere.
 */
#include "base/json-text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(struct json_writer *writer, const char *text, size_t length)
{
	size_t needed = writer->length + length + 1;

	if (writer->failed)
		return;
	if (needed > writer->capacity) {
		size_t capacity = needed * 2 > 1024 ? needed * 2 : 1024;
		char *grown = realloc(writer->text, capacity);

		if (!grown) {
			writer->failed = true;
			return;
		}
		writer->text = grown;
		writer->capacity = capacity;
	}
	memcpy(writer->text + writer->length, text, length);
	writer->length += length;
	writer->text[writer->length] = 0;
}

static void append_string(struct json_writer *writer, const char *text)
{
	char escape[8];

	append(writer, "\"", 1);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\') {
			append(writer, "\\", 1);
			append(writer, text, 1);
		} else if ((unsigned char)*text < ' ' || *text == 0x7f) {
			snprintf(escape, sizeof(escape), "\\u%04x",
				 (unsigned int)*text);
			append(writer, escape, 6);
		} else if ((unsigned char)*text == 0xc2 &&
			   (unsigned char)text[1] >= 0x80 &&
			   (unsigned char)text[1] < 0xa0) {
			/* U+0080 to U+009F steer terminals, too. */
			text++;
			snprintf(escape, sizeof(escape), "\\u%04x",
				 (unsigned int)(unsigned char)*text);
			append(writer, escape, 6);
		} else {
			append(writer, text, 1);
		}
	}
	append(writer, "\"", 1);
}

static void new_line(struct json_writer *writer)
{
	append(writer, "\n", 1);
	for (unsigned int i = 0; i < writer->depth; i++)
		append(writer, "  ", 2);
}

/* The text before a value or its key: comma, line, indentation. */
static void separate(struct json_writer *writer)
{
	if (!writer->first)
		append(writer, ",", 1);
	if (writer->depth) {
		if (!writer->one_line)
			new_line(writer);
		else if (!writer->first)
			append(writer, " ", 1);
	}
	writer->first = false;
}

static void before(struct json_writer *writer, const char *key)
{
	separate(writer);
	if (key) {
		append_string(writer, key);
		append(writer, ": ", 2);
	}
}

void ssdpm__json_begin(struct json_writer *writer, const char *key, char open)
{
	if (!writer->length)
		writer->first = true;
	before(writer, key);
	append(writer, &open, 1);
	writer->depth++;
	writer->first = true;
	writer->one_line = false;
}

void ssdpm__json_end(struct json_writer *writer, char close)
{
	writer->depth--;
	if (!writer->first && !writer->one_line)
		new_line(writer);
	append(writer, &close, 1);
	writer->first = false;
	writer->one_line = false;
}

void ssdpm__json_string(struct json_writer *writer, const char *key,
			const char *value)
{
	if (!value) {
		ssdpm__json_null(writer, key);
		return;
	}
	before(writer, key);
	append_string(writer, value);
}

void ssdpm__json_uint(struct json_writer *writer, const char *key,
		      uint64_t value)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, value);

	before(writer, key);
	append(writer, digits, (size_t)length);
}

void ssdpm__json_int(struct json_writer *writer, const char *key, int64_t value)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRId64, value);

	before(writer, key);
	append(writer, digits, (size_t)length);
}

void ssdpm__json_bool(struct json_writer *writer, const char *key, bool value)
{
	before(writer, key);
	append(writer, value ? "true" : "false", value ? 4 : 5);
}

void ssdpm__json_null(struct json_writer *writer, const char *key)
{
	before(writer, key);
	append(writer, "null", 4);
}

void ssdpm__json_known(struct json_writer *writer, const char *key,
		       uint64_t value)
{
	if (value)
		ssdpm__json_uint(writer, key, value);
	else
		ssdpm__json_null(writer, key);
}

void ssdpm__json_scaled(struct json_writer *writer, const char *key,
			double value, double scale)
{
	value *= scale;
	if (value > -9e18 && value < 9e18)
		ssdpm__json_int(
			writer, key,
			(int64_t)(value < 0 ? value - 0.5 : value + 0.5));
	else
		ssdpm__json_null(writer, key);
}

void ssdpm__json_numbers(struct json_writer *writer, const char *key,
			 const double *values, size_t n, double scale)
{
	if (!values) {
		ssdpm__json_null(writer, key);
		return;
	}
	ssdpm__json_begin(writer, key, '[');
	writer->one_line = true;
	for (size_t i = 0; i < n; i++)
		ssdpm__json_scaled(writer, NULL, values[i], scale);
	ssdpm__json_end(writer, ']');
}

void ssdpm__json_uints(struct json_writer *writer, const char *key,
		       const uint64_t *values, size_t n)
{
	ssdpm__json_begin(writer, key, '[');
	writer->one_line = true;
	for (size_t i = 0; i < n; i++)
		ssdpm__json_uint(writer, NULL, values[i]);
	ssdpm__json_end(writer, ']');
}

void ssdpm__json_words(struct json_writer *writer, const char *key,
		       uint32_t bits, const char *(*to_string)(uint32_t bit))
{
	ssdpm__json_begin(writer, key, '[');
	writer->one_line = true;
	for (uint32_t bit = 1; bit; bit <<= 1)
		if ((bits & bit) && to_string(bit))
			ssdpm__json_string(writer, NULL, to_string(bit));
	ssdpm__json_end(writer, ']');
}

/* The lines between the braces are one level deep already. */
void ssdpm__json_members(struct json_writer *writer, const char *object)
{
	const char *line = strchr(object, '\n');

	for (; line && line[1] == ' '; line = strchr(line + 1, '\n')) {
		if (!writer->first)
			append(writer, ",", 1);
		append(writer, "\n", 1);
		for (unsigned int i = 1; i < writer->depth; i++)
			append(writer, "  ", 2);
		append(writer, line + 1, strcspn(line + 1, "\n"));
		/* The commas between its members are in it. */
		writer->first = true;
	}
	writer->first = false;
}

int ssdpm__json_finish(struct json_writer *writer, char **ret_text,
		       struct ssdpm_error *reterr)
{
	append(writer, "\n", 1);
	if (writer->failed) {
		free(writer->text);
		writer->text = NULL;
		return ssdpm__no_memory(reterr);
	}
	*ret_text = writer->text;
	return 0;
}
