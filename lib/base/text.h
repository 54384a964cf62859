/* SPDX-License-Identifier: MIT */
/* Texts that people paste, taken apart line by line. */
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
	uint32_t line; /* number of the line that was taken last; 0 at first */
};

/* 0 to 15, or -1. */
int ssdpm__hex_digit(char c);

struct span ssdpm__span(const char *text, size_t size);
bool ssdpm__span_is_same(struct span a, struct span b);

/*
 * Take the next line: without its end, CRLF too, and without blanks and tabs
 * around it. false: there is none.
 */
bool ssdpm__next_line(struct lines *lines, struct span *ret_line);

/* The same, without the marks of quoted mail before it. */
bool ssdpm__next_mail_line(struct lines *lines, struct span *ret_line);

/* Each of these steps over what it took, and over blanks and tabs after it. */

/* Take these characters; ASCII letters of either case are the same. */
bool ssdpm__take(struct span *span, const char *text);

/* Take a whole number, 0x1f too. false: there is none, or it is above max. */
bool ssdpm__take_uint(struct span *span, uint64_t max, uint64_t *ret_value);

/*
 * Take a decimal number, as in "0.0500", as millionths. false: there is none,
 * it is above max millionths, or has digits after the sixth that are not 0.
 */
bool ssdpm__take_millionths(struct span *span, uint64_t max,
			    uint64_t *ret_value);

/* Take the next word: all up to a blank or tab. false: nothing is left. */
bool ssdpm__take_word(struct span *span, struct span *ret_word);

/* Without the blanks and tabs around it. */
struct span ssdpm__span_trim(struct span span);

bool ssdpm__span_is(struct span span, const char *text);
/* The value of a word; 0: from_string() knows none. */
uint32_t ssdpm__span_value(struct span span,
			   uint32_t (*from_string)(const char *word));
bool ssdpm__span_contains(struct span span, const char *text);

/*
 * Copy into a string of at most size - 1 characters: what is not printable
 * ASCII becomes '?'. false: it is longer.
 */
bool ssdpm__span_copy(struct span span, char *ret_text, size_t size);

/* The part of a path after its last slash. */
const char *ssdpm__last_component(const char *path);

/* Lines in INI form. */

/* Nothing, or a comment. */
bool ssdpm__ini_is_empty(struct span line);

/* "[NAME]". false: it has no ] at its end. The caller has seen the [. */
bool ssdpm__ini_take_head(struct span line, struct span *ret_name);

/* "key = value". false: it has no =. The value may be empty. */
bool ssdpm__ini_take_key(struct span line, struct span *ret_key,
			 struct span *ret_value);

/* FNV-1a: against damage, not against somebody. */
uint64_t ssdpm__checksum(const char *text, size_t n);

#endif
