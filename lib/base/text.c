/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static void skip_blanks(struct span *span)
{
	while (span->at < span->end && is_blank(*span->at))
		span->at++;
}

struct span ssdpm__span(const char *text, size_t size)
{
	/* NULL + 0 is undefined. */
	return (struct span){ .at = text, .end = size ? text + size : text };
}

bool ssdpm__span_is_same(struct span a, struct span b)
{
	return a.end - a.at == b.end - b.at &&
	       !memcmp(a.at, b.at, (size_t)(a.end - a.at));
}

bool ssdpm__next_line(struct lines *lines, struct span *ret_line)
{
	struct span line = lines->rest;
	const char *end;

	if (line.at == line.end)
		return false;
	end = memchr(line.at, '\n', (size_t)(line.end - line.at));
	lines->rest.at = end ? end + 1 : line.end;
	lines->line++;
	if (end)
		line.end = end;
	skip_blanks(&line);
	while (line.end > line.at &&
	       (is_blank(line.end[-1]) || line.end[-1] == '\r'))
		line.end--;
	*ret_line = line;
	return true;
}

/* Where text ends that span begins with, or NULL. */
static const char *after(struct span span, const char *text)
{
	for (; *text; text++, span.at++)
		if (span.at == span.end || lower(*span.at) != lower(*text))
			return NULL;
	return span.at;
}

bool ssdpm__take(struct span *span, const char *text)
{
	const char *at = after(*span, text);

	if (!at)
		return false;
	span->at = at;
	skip_blanks(span);
	return true;
}

bool ssdpm__next_mail_line(struct lines *lines, struct span *ret_line)
{
	if (!ssdpm__next_line(lines, ret_line))
		return false;
	while (ssdpm__take(ret_line, ">"))
		;
	return true;
}

int ssdpm__hex_digit(char c)
{
	c = lower(c);
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int digit(char c, unsigned int base)
{
	int value = ssdpm__hex_digit(c);

	return value < (int)base ? value : -1;
}

/* Take digits, at least one. false: there is none, or they exceed max. */
static bool take_digits(struct span *span, unsigned int base, uint64_t max,
			uint64_t *value)
{
	const char *start = span->at;
	int next;

	for (; span->at < span->end; span->at++) {
		next = digit(*span->at, base);
		if (next < 0)
			break;
		if ((uint64_t)next > max || *value > (max - next) / base)
			return false;
		*value = *value * base + (unsigned int)next;
	}
	return span->at > start;
}

bool ssdpm__take_uint(struct span *span, uint64_t max, uint64_t *ret_value)
{
	const char *hex = after(*span, "0x");
	struct span rest = *span;
	uint64_t value = 0;

	if (hex)
		rest.at = hex;
	if (!take_digits(&rest, hex ? 16 : 10, max, &value))
		return false;
	skip_blanks(&rest);
	*span = rest;
	*ret_value = value;
	return true;
}

/* Take the digits after the point, at least one. */
static bool take_decimals(struct span *span, uint64_t max, uint64_t *value)
{
	const char *start = span->at;
	uint64_t unit = 1000000;

	for (; span->at < span->end; span->at++) {
		int next = digit(*span->at, 10);

		if (next < 0)
			break;
		unit /= 10;
		if ((!unit && next) || unit * (unsigned int)next > max - *value)
			return false;
		*value += unit * (unsigned int)next;
	}
	return span->at > start;
}

bool ssdpm__take_millionths(struct span *span, uint64_t max,
			    uint64_t *ret_value)
{
	struct span rest = *span;
	uint64_t value = 0;

	if (!take_digits(&rest, 10, max / 1000000, &value))
		return false;
	value *= 1000000;
	if (rest.at < rest.end && *rest.at == '.') {
		rest.at++;
		if (!take_decimals(&rest, max, &value))
			return false;
	}
	skip_blanks(&rest);
	*span = rest;
	*ret_value = value;
	return true;
}

bool ssdpm__take_word(struct span *span, struct span *ret_word)
{
	struct span word;

	skip_blanks(span);
	word = *span;
	if (word.at == word.end)
		return false;
	while (span->at < span->end && !is_blank(*span->at))
		span->at++;
	word.end = span->at;
	skip_blanks(span);
	*ret_word = word;
	return true;
}

struct span ssdpm__span_trim(struct span text)
{
	while (text.at < text.end && (*text.at == ' ' || *text.at == '\t'))
		text.at++;
	while (text.end > text.at &&
	       (text.end[-1] == ' ' || text.end[-1] == '\t'))
		text.end--;
	return text;
}

bool ssdpm__span_is(struct span span, const char *text)
{
	size_t length = strlen(text);

	/* memcmp() wants no NULL, however little it compares. */
	return (size_t)(span.end - span.at) == length &&
	       (!length || !memcmp(span.at, text, length));
}

bool ssdpm__span_contains(struct span span, const char *text)
{
	for (; span.at < span.end; span.at++)
		if (after(span, text))
			return true;
	return !*text;
}

bool ssdpm__span_copy(struct span span, char *ret_text, size_t size)
{
	size_t length = (size_t)(span.end - span.at);

	if (length >= size)
		return false;
	for (size_t i = 0; i < length; i++)
		ret_text[i] = span.at[i] >= ' ' && span.at[i] <= '~' ?
				      span.at[i] :
				      '?';
	ret_text[length] = 0;
	return true;
}

const char *ssdpm__last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

uint32_t ssdpm__span_value(struct span span,
			   uint32_t (*from_string)(const char *word))
{
	char word[64];

	return ssdpm__span_copy(span, word, sizeof(word)) ? from_string(word) :
							    0;
}

bool ssdpm__ini_is_empty(struct span line)
{
	return line.at == line.end || *line.at == '#' || *line.at == ';';
}

bool ssdpm__ini_take_head(struct span line, struct span *ret_name)
{
	if (line.end - line.at < 2 || line.end[-1] != ']')
		return false;
	*ret_name = (struct span){ line.at + 1, line.end - 1 };
	return true;
}

bool ssdpm__ini_take_key(struct span line, struct span *ret_key,
			 struct span *ret_value)
{
	const char *sign =
		line.at == line.end ?
			NULL :
			memchr(line.at, '=', (size_t)(line.end - line.at));
	struct span key = { line.at, sign }, value = { sign, line.end };

	if (!sign)
		return false;
	while (key.end > key.at && is_blank(key.end[-1]))
		key.end--;
	for (value.at++; value.at < value.end; value.at++)
		if (!is_blank(*value.at))
			break;
	*ret_key = key;
	*ret_value = value;
	return true;
}

uint64_t ssdpm__checksum(const char *text, size_t n)
{
	uint64_t sum = 0xcbf29ce484222325;

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3;
	return sum;
}
