/* SPDX-License-Identifier: MIT */
/* Texts that people paste, split line by line. */
#ifndef SSDPM_LIB_BASE_TEXT_H
#define SSDPM_LIB_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a text; it does not end in a zero byte. */
struct span {
	const char *at;
	const char *end;
};

struct lines {
	struct span rest;
	uint32_t line; /* number of the last line taken; 0 at first */
};

/* 0 to 15, or -1. */
int ssdpm__hex_digit(char c);

struct span ssdpm__span(const char *text, size_t size);
bool ssdpm__span_is_same(struct span a, struct span b);

/*
 * Takes the next line, without its end (LF or CRLF) and surrounding blanks and
 * tabs. false: no more.
 */
bool ssdpm__next_line(struct lines *lines, struct span *ret_line);

/* The same, without the quote marks of mail before it. */
bool ssdpm__next_mail_line(struct lines *lines, struct span *ret_line);

/* Each of these skips what it took, and the blanks and tabs after it. */

/* Takes these characters; ASCII case does not matter. */
bool ssdpm__take(struct span *span, const char *text);

/* Takes a whole number, also 0x1f. false: none, or above max. */
bool ssdpm__take_uint(struct span *span, uint64_t max, uint64_t *ret_value);

/*
 * Takes a decimal number such as "0.0500", in millionths. false: none, or above
 * max millionths. Also false if a digit after the sixth is not 0.
 */
bool ssdpm__take_millionths(struct span *span, uint64_t max,
			    uint64_t *ret_value);

/* Takes the next word, up to a blank or tab. false: nothing is left. */
bool ssdpm__take_word(struct span *span, struct span *ret_word);

/* Drops blanks and tabs around it. */
struct span ssdpm__span_trim(struct span span);

bool ssdpm__span_is(struct span span, const char *text);
/* The value of a word; 0: unknown to from_string(). */
uint32_t ssdpm__span_value(struct span span,
			   uint32_t (*from_string)(const char *word));
bool ssdpm__span_contains(struct span span, const char *text);

/*
 * Copies into a string of at most size - 1 characters; all but printable ASCII
 * becomes '?'. false: it is longer.
 */
bool ssdpm__span_copy(struct span span, char *ret_text, size_t size);

/* The part of a path after its last slash. */
const char *ssdpm__last_component(const char *path);

/* Lines in INI form. */

/* Whether the line is empty or a comment. */
bool ssdpm__ini_is_empty(struct span line);

/* Takes "[NAME]". false: no ] at its end. The caller has seen the [. */
bool ssdpm__ini_take_head(struct span line, struct span *ret_name);

/* Takes "key = value". false: no =. The value may be empty. */
bool ssdpm__ini_take_key(struct span line, struct span *ret_key,
			 struct span *ret_value);

/* FNV-1a, against damage, not against attackers. */
uint64_t ssdpm__checksum(const char *text, size_t n);

#endif
