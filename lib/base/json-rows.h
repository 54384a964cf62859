/* SPDX-License-Identifier: MIT */
/*
 * JSON by tables: a row of ten bytes for each key, where generated calls take
 * five times that. lib/json-keys.py makes the tables.
 */
#ifndef SSDPM_LIB_BASE_JSON_ROWS_H
#define SSDPM_LIB_BASE_JSON_ROWS_H

#include "base/json-text.h"

/* How a value is written. */
enum json_form {
	ROW_STRING = 1,
	ROW_TEXT, /* "" is null */
	ROW_UINT,
	ROW_INT, /* INT32_MIN is null */
	ROW_BOOL,
	ROW_LATENCY,
	ROW_WORD,
	ROW_WORDS,
	ROW_OBJECT,	 /* of a member */
	ROW_OBJECT_AT,	 /* of what a member points to; NULL is null */
	ROW_JSON,	 /* the text of an object; NULL is null */
	ROW_SPLICE,	 /* without a key: the members of such a text */
	ROW_MEMBERS,	 /* without a key: the rows of a part */
	ROW_MEMBERS_AT,	 /* likewise, of what a member points to */
	ROW_WHEN,	 /* the rows after it only if the test holds */
	ROW_LIST,	 /* at the member test_at: how many */
	ROW_EVERY,	 /* test: which getter */
	ROW_OMIT = 0x80, /* if the test fails: no key, and not null */
};

/*
 * A key. argument is what the form needs: bytes of the value, a word, a part, a
 * test, or whether a text is pointed to.
 */
struct json_row {
	uint16_t key; /* in the keys of the table */
	uint16_t at;  /* offset of the value */
	uint16_t test_at;
	uint8_t form;
	uint8_t argument;
	uint8_t test; /* of the member at test_at */
};

/* Tests: a bit of 32, any value of so many bytes, a value of 32 bits. */
#define JSON_ALWAYS 255
#define JSON_BIT(bit) __builtin_ctz(bit)
#define JSON_SET(type, member) (32 + JSON_WIDTH(type, member))
#define JSON_EQUALS(value) (64 + (value))
#define JSON_AT_MOST(value) (128 + (value))
#define JSON_WIDTH(type, member) sizeof(((type *)0)->member)
#define JSON_IS_POINTER(type, member) \
	_Generic(((type *)0)->member, const char * : 1, char * : 0)

struct json_part {
	uint16_t first; /* its rows end with one of form 0 */
	uint16_t size;	/* of its structure */
	uint8_t is_row; /* an object on one line */
};

/* Room for an item of a getter. */
#define JSON_ROOM 1024

struct json_table {
	const struct json_row *rows;
	const struct json_part *parts;
	const char *keys;
	const char *(*get_word)(unsigned int which, uint32_t value);
	/* 1; 0: the item is left out; -1: there are no more. */
	int (*get_item)(unsigned int which, const void *base, size_t i,
			void *item);
};

/* The members of a part, of the structure at base. */
void ssdpm__json_rows(struct json_writer *w, const struct json_table *table,
		      unsigned int part, const void *base);

#endif
