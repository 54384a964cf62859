/* SPDX-License-Identifier: MIT */
/*
 * JSON, read and written by the library and by the command.
 *
 * json-c (0.16, Debian 12) is not used. When an allocation fails, its parser
 * crashes or drops members and reports success. It accepts NaN and repeated
 * keys, and clamps numbers. It forgets lines, so that the text needs a second
 * walk. CONTRIBUTING.md has the measurement.
 */
#ifndef SSDPM_LIB_BASE_JSON_TEXT_H
#define SSDPM_LIB_BASE_JSON_TEXT_H

#include "base/internal.h"

#include <inttypes.h>

/* Limits of the reader. */
#define JSON_MAX_DEPTH 32
#define JSON_MAX_KEYS 256 /* in one object, because all pairs are compared */

enum json_type {
	JSON_NULL = 1,
	JSON_BOOLEAN,
	JSON_INTEGER,
	JSON_REAL,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

/*
 * A value. Strings are as in the text, without their quotes. A member's name is
 * its key. The node after this value and its content has the index next.
 */
struct json_node {
	uint32_t type;
	uint32_t line;
	uint32_t start, end;
	uint32_t key_start, key_end;
	uint32_t next;
	uint32_t n_children;
};

/* A checked text, and its values in the order of the text. */
struct json {
	const char *text;
	struct json_node *nodes;
	uint32_t n_nodes;
	uint32_t capacity;
	bool borrowed; /* the nodes are the caller's */
};

/*
 * Reads an object or an array (RFC 8259, no key twice). The text is borrowed.
 * Free the result with ssdpm__json_free().
 */
int ssdpm__json_parse(const char *text, size_t size, struct json *ret_json,
		      struct ssdpm_error *reterr);
void ssdpm__json_free(struct json *json);

/*
 * The same without an allocation. The values go to n nodes of the caller, which
 * must outlive *ret_json. -E2BIG: too few nodes.
 */
int ssdpm__json_parse_into(const char *text, size_t size,
			   struct json_node *nodes, uint32_t n,
			   struct json *ret_json, struct ssdpm_error *reterr);

/* Skips the byte order mark that some editors put before UTF-8. */
void ssdpm__json_skip_mark(const char **text, size_t *size);

/* The member of an object, or NULL. */
const struct json_node *ssdpm__json_member(const struct json *json,
					   const struct json_node *object,
					   const char *key);

/*
 * The subject of a text: its first value. For output of the command
 * ("ssdpm.show/2"), it is the list beside "errors".
 */
const struct json_node *ssdpm__json_subject(const struct json *json);

/* The children of an array or object: NULL after the last. */
const struct json_node *ssdpm__json_first(const struct json *json,
					  const struct json_node *parent);
const struct json_node *ssdpm__json_next(const struct json *json,
					 const struct json_node *parent,
					 const struct json_node *child);

/*
 * Gets a value as a number or text. Messages call it "what". -EINVAL: another
 * type; -ERANGE: above max, or longer than size - 1.
 */
int ssdpm__json_get_uint(const struct json *json, const struct json_node *node,
			 uint64_t max, const char *what, uint64_t *ret_value,
			 struct ssdpm_error *reterr);
/* Gets a number of either sign; max limits its magnitude. */
int ssdpm__json_get_int(const struct json *json, const struct json_node *node,
			uint64_t max, const char *what, int64_t *ret_value,
			struct ssdpm_error *reterr);
int ssdpm__json_get_string(const struct json *json,
			   const struct json_node *node, char *ret_text,
			   size_t size, const char *what,
			   struct ssdpm_error *reterr);
int ssdpm__json_expect(const struct json_node *node, enum json_type type,
		       const char *what, struct ssdpm_error *reterr);
bool ssdpm__json_is_true(const struct json *json, const struct json_node *node);

/*
 * A growing text. It remembers a failed allocation, which ssdpm__json_finish()
 * reports. In arrays and at the top, key is NULL. A NULL string is written as
 * null.
 */
struct json_writer {
	char *text;
	size_t length;
	size_t capacity;
	unsigned int depth;
	bool first;    /* no value precedes at this depth */
	bool one_line; /* all values are on one line */
	bool failed;
};

void ssdpm__json_begin(struct json_writer *writer, const char *key, char open);
void ssdpm__json_end(struct json_writer *writer, char close);
void ssdpm__json_string(struct json_writer *writer, const char *key,
			const char *value);
void ssdpm__json_uint(struct json_writer *writer, const char *key,
		      uint64_t value);
void ssdpm__json_int(struct json_writer *writer, const char *key,
		     int64_t value);
void ssdpm__json_bool(struct json_writer *writer, const char *key, bool value);
void ssdpm__json_null(struct json_writer *writer, const char *key);

/* 0 means unknown: null. */
void ssdpm__json_known(struct json_writer *writer, const char *key,
		       uint64_t value);

/* value * scale, rounded; null if it is no number or beyond 9e18. */
void ssdpm__json_scaled(struct json_writer *writer, const char *key,
			double value, double scale);

/* Writes each as ssdpm__json_scaled() does; null if values is NULL. */
void ssdpm__json_numbers(struct json_writer *writer, const char *key,
			 const double *values, size_t n, double scale);

/* Writes each in an array on one line. */
void ssdpm__json_uints(struct json_writer *writer, const char *key,
		       const uint64_t *values, size_t n);

/* Writes the words of bits that have one, in an array on one line. */
void ssdpm__json_words(struct json_writer *writer, const char *key,
		       uint32_t bits, const char *(*to_string)(uint32_t bit));

/*
 * Adds the members of an object from ssdpm__json_finish() to the current
 * object.
 */
void ssdpm__json_members(struct json_writer *writer, const char *object);

/* Returns the text with a final newline; free it with free(). */
int ssdpm__json_finish(struct json_writer *writer, char **ret_text,
		       struct ssdpm_error *reterr);

#endif
