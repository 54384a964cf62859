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
	unsigned limit = (unsigned)least((unsigned)length / 4 + 1, 3), d;

	if (!length || length > LONGEST || strlen(candidate) > LONGEST)
		return;
	/* The start of a word is as good as one wrong character. */
	d = strncmp(word, candidate, length) ? distance(word, candidate) : 1;
	if (d > limit || (suggestion->best && d >= suggestion->distance))
		return;
	suggestion->best = candidate;
	suggestion->distance = d;
}

struct hint did_you_mean(const struct suggestion *suggestion,
			 const char *otherwise)
{
	struct hint hint;

	if (suggestion->best)
		snprintf(hint.text, sizeof(hint.text), "; did you mean %s?",
			 suggestion->best);
	else
		snprintf(hint.text, sizeof(hint.text), "; %s", otherwise);
	return hint;
}
