/* SPDX-License-Identifier: MIT */
/*
 * How many columns a text takes in a terminal. The rule is here and not in the
 * locale, because a locale may be missing, and tables are the same everywhere.
 */
#include "lines/fold.h"

#include <stdint.h>
#include <string.h>

struct range {
	uint32_t first, last;
};

/* Unicode: combining marks, joiners and variation selectors. */
static const struct range without_width[] = {
	{ 0x300, 0x36f },   { 0x483, 0x489 },	{ 0x591, 0x5bd },
	{ 0x610, 0x61a },   { 0x64b, 0x65f },	{ 0x1ab0, 0x1aff },
	{ 0x1dc0, 0x1dff }, { 0x200b, 0x200f }, { 0x20d0, 0x20ff },
	{ 0x302a, 0x302d }, { 0x3099, 0x309a }, { 0xfe00, 0xfe0f },
	{ 0xfe20, 0xfe2f }, { 0xfeff, 0xfeff },
};

/* Unicode Standard Annex 11: wide and fullwidth. */
static const struct range of_two_columns[] = {
	{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0x4dbf },
	{ 0x4e00, 0xa4cf },   { 0xa960, 0xa97f },   { 0xac00, 0xd7a3 },
	{ 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },
	{ 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff },
	{ 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};

static bool is_in(uint32_t c, const struct range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

#define IS_IN(c, ranges) is_in(c, ranges, sizeof(ranges) / sizeof((ranges)[0]))

/* The bytes of the character; 1 for a byte that is no UTF-8. */
static size_t decode(const char *text, size_t n, uint32_t *ret_c)
{
	const unsigned char first = (unsigned char)text[0];
	const size_t length = first >= 0xf0 ? 4 :
			      first >= 0xe0 ? 3 :
			      first >= 0xc0 ? 2 :
					      1;
	uint32_t c = first;

	*ret_c = '?';
	if (length > n)
		return 1;
	if (length > 1)
		c &= 0x7fU >> length;
	for (size_t i = 1; i < length; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 1;
		c = c << 6 | ((unsigned char)text[i] & 0x3f);
	}
	*ret_c = c;
	return length;
}

size_t columns_of(const char *text, size_t n)
{
	size_t columns = 0;
	uint32_t c;

	for (size_t i = 0; i < n;) {
		i += decode(text + i, n - i, &c);
		if (!IS_IN(c, without_width))
			columns += IS_IN(c, of_two_columns) ? 2 : 1;
	}
	return columns;
}

size_t text_columns(const char *text)
{
	return columns_of(text, strlen(text));
}
