/* SPDX-License-Identifier: MIT */
/*
 * Sorting by 64-bit keys, digit by digit from the least one on; digits that are
 * the same in all keys take no pass. The C library's sort compares, which for
 * ten million idle times takes several times as long.
 */
#include "estimate/gaps.h"

#include <string.h>

#define DIGIT_BITS 8
#define DIGIT_VALUES (1u << DIGIT_BITS)
#define N_DIGITS (64 / DIGIT_BITS)

struct digits {
	size_t counts[N_DIGITS][DIGIT_VALUES];
};

static inline size_t digit_of(uint64_t key, unsigned digit)
{
	return key >> (digit * DIGIT_BITS) & (DIGIT_VALUES - 1);
}

/* An element is this many words; the first one is its key. */
static inline void count_digits(const uint64_t *words, size_t n,
				unsigned n_words, struct digits *digits)
{
	memset(digits, 0, sizeof(*digits));
	for (size_t i = 0; i < n; i++)
		for (unsigned digit = 0; digit < N_DIGITS; digit++)
			digits->counts[digit]
				      [digit_of(words[i * n_words], digit)]++;
}

/* From how many there are of each value to where the first of them goes. */
static void to_places(size_t counts[DIGIT_VALUES])
{
	size_t place = 0;

	for (unsigned i = 0; i < DIGIT_VALUES; i++) {
		size_t count = counts[i];

		counts[i] = place;
		place += count;
	}
}

static inline void move(const uint64_t *from, uint64_t *to, size_t n,
			unsigned n_words, size_t *places, unsigned digit)
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t *word = from + i * n_words;
		size_t place = places[digit_of(*word, digit)]++;

		for (unsigned w = 0; w < n_words; w++)
			to[place * n_words + w] = word[w];
	}
}

/* Returns where the result is: one of the two. */
static inline uint64_t *sort_words(uint64_t *words, uint64_t *spare, size_t n,
				   unsigned n_words)
{
	struct digits digits;

	count_digits(words, n, n_words, &digits);
	for (unsigned digit = 0; digit < N_DIGITS; digit++) {
		size_t *counts = digits.counts[digit];
		uint64_t *swap = words;

		if (counts[digit_of(*words, digit)] == n)
			continue;
		to_places(counts);
		move(words, spare, n, n_words, counts, digit);
		words = spare;
		spare = swap;
	}
	return words;
}

void ssdpm__sort_times(uint64_t **times, uint64_t **spare, size_t n)
{
	uint64_t *sorted = sort_words(*times, *spare, n, 1);

	if (sorted != *times) {
		*spare = *times;
		*times = sorted;
	}
}

void ssdpm__sort_early(struct early **early, struct early **spare, size_t n)
{
	struct early *sorted = (struct early *)sort_words(
		(uint64_t *)*early, (uint64_t *)*spare, n, 2);

	if (sorted != *early) {
		*spare = *early;
		*early = sorted;
	}
}
