/* SPDX-License-Identifier: MIT */
/* Which word somebody meant who mistyped one. */
#include "command.h"

#include <string.h>

#define LONGEST 32 /* a longer word gets no suggestion */

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * The number of characters to insert, to remove, to replace or to swap with a
 * neighbour: the restricted distance of Damerau and Levenshtein. Both words
 * have at most LONGEST characters.
 */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][LONGEST + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2];
	const unsigned n = (unsigned)strlen(b);

	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 0; a[i]; i++) {
		unsigned *oldest = before;

		before = last;
		last = row;
		row = oldest;
		row[0] = i + 1;
		for (unsigned j = 0; j < n; j++) {
			row[j + 1] = least(least(row[j], last[j + 1]) + 1,
					   last[j] + (a[i] != b[j]));
			if (i && j && a[i] == b[j - 1] && a[i - 1] == b[j])
				row[j + 1] =
					least(row[j + 1], before[j - 1] + 1);
		}
	}
	return row[n];
}

void suggest(struct suggestion *suggestion, const char *candidate)
{
	const char *word = suggestion->word;
	const size_t length = strlen(word);
	/* One wrong character of two is too much. */
	unsigned limit = length < 3 ? 0 : least((unsigned)length / 4 + 1, 3);
	const bool starts = !strncmp(word, candidate, length);
	unsigned d;

	if (!length || length > LONGEST || strlen(candidate) > LONGEST)
		return;
	/* The start of a word is as good as one wrong character. */
	d = starts ? 1 : distance(word, candidate);
	if ((d > limit && !starts) ||
	    (suggestion->best && d >= suggestion->distance))
		return;
	suggestion->best = candidate;
	suggestion->distance = d;
}

struct hint unknown_word(const char *thing, const struct suggestion *suggestion,
			 const char *otherwise)
{
	struct hint hint;

	if (suggestion->best)
		snprintf(hint.text, sizeof(hint.text),
			 "unknown %s '%.99s'; did you mean '%.99s'?", thing,
			 suggestion->word, suggestion->best);
	else
		snprintf(hint.text, sizeof(hint.text), "unknown %s '%.99s'; %s",
			 thing, suggestion->word, otherwise);
	return hint;
}

bool next_word(const char *list, struct word *word)
{
	const char *text = word->text ? word->text + word->length : list;

	if (!text)
		return false;
	text += strspn(text, "|");
	word->text = text;
	word->length = (int)strcspn(text, "| ");
	return word->length > 0;
}

bool stands_for_itself(const struct word *word)
{
	return word->text[0] >= 'a' && word->text[0] <= 'z';
}

bool list_has(const char *list, const char *text)
{
	struct word word = { 0 };

	while (next_word(list, &word))
		if ((size_t)word.length == strlen(text) &&
		    !memcmp(word.text, text, (size_t)word.length))
			return true;
	return false;
}

/* "a, b or c" of "a|b|c" */
static void write_expected(const char *list, char *text, size_t size)
{
	struct word word = { 0 }, next;
	size_t n = (size_t)snprintf(text, size, "expected ");
	const char *separator = "";

	while (next_word(list, &word)) {
		if (!stands_for_itself(&word))
			continue;
		if (n < size)
			n += (size_t)snprintf(text + n, size - n, "%s%.*s",
					      separator, word.length,
					      word.text);
		next = word;
		separator = ", ";
		if (next_word(list, &next)) {
			struct word after = next;

			if (!next_word(list, &after))
				separator = " or ";
		}
	}
}

struct hint unknown_of(const char *thing, const char *word, const char *list)
{
	struct suggestion suggestion = { .word = word };
	struct word candidate = { 0 };
	char expected[320], best[LONGEST + 1], text[LONGEST + 1];

	while (next_word(list, &candidate)) {
		if (candidate.length > LONGEST ||
		    !stands_for_itself(&candidate))
			continue;
		snprintf(text, sizeof(text), "%.*s", candidate.length,
			 candidate.text);
		suggest(&suggestion, text);
		if (suggestion.best == text) {
			strcpy(best, text);
			suggestion.best = best;
		}
	}
	write_expected(list, expected, sizeof(expected));
	return unknown_word(thing, &suggestion, expected);
}
