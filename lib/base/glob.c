/* SPDX-License-Identifier: MIT */
#include "base/glob.h"

/* Where the "]" of a class is that begins at at, or NULL. */
static const char *end_of_class(const char *at, const char *end)
{
	if (at < end && *at == '!')
		at++;
	/* The first one is a member. */
	while (at < end && ++at < end)
		if (*at == ']')
			return at;
	return NULL;
}

/* The characters between "[" and "]", "!" too. */
static bool is_in_class(const char *at, const char *end, char c)
{
	bool others = *at == '!';
	bool found = false;

	at += others;
	while (at < end) {
		unsigned char first = (unsigned char)*at, last = first;

		if (end - at >= 3 && at[1] == '-') {
			last = (unsigned char)at[2];
			at += 2;
		}
		at++;
		found |= first <= (unsigned char)c && (unsigned char)c <= last;
	}
	return found != others;
}

/* Take what stands for one character, if it stands for this one. */
static bool take_one(struct span *pattern, char c)
{
	const char *at = pattern->at, *end;
	bool fits;

	if (at == pattern->end)
		return false;
	end = *at == '[' ? end_of_class(at + 1, pattern->end) : NULL;
	if (end) {
		fits = is_in_class(at + 1, end, c);
		at = end;
	} else if (*at == '\\' && at + 1 < pattern->end) {
		at++;
		fits = *at == c;
	} else {
		fits = *at == '?' || *at == c;
	}
	if (fits)
		pattern->at = at + 1;
	return fits;
}

bool ssdpm__glob(struct span pattern, struct span text)
{
	const char *after_star = NULL, *resume = NULL;

	for (;;) {
		if (pattern.at < pattern.end && *pattern.at == '*') {
			after_star = ++pattern.at;
			resume = text.at;
		} else if (text.at == text.end) {
			/* A longer share for the star would not help. */
			return pattern.at == pattern.end;
		} else if (take_one(&pattern, *text.at)) {
			text.at++;
		} else if (after_star) {
			/* Only the last star has to be tried again. */
			pattern.at = after_star;
			text.at = ++resume;
		} else {
			return false;
		}
	}
}
