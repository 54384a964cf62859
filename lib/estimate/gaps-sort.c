/* SPDX-License-Identifier: MIT */
/*
 * Sorting by 64-bit keys, digit by digit from the least one on. The digits
 * cover the bits in which keys differ, evenly: ten million idle times of up to
 * an hour take four passes. The C library's sort compares, and takes several
 * times as long.
 */
#include "estimate/gaps.h"

#include <string.h>

/* The places of all values of a digit fit the L1 cache. */
#define MAX_DIGIT_BITS 11
#define MAX_DIGITS 6

struct digits {
	unsigned shift; /* the lowest bit that differs */
	unsigned bits;	/* of each digit */
	unsigned n;
	size_t places[MAX_DIGITS][1 << MAX_DIGIT_BITS];
};

static inline size_t digit_of(const struct digits *digits, uint64_t key,
			      unsigned digit)
{
	return key >> (digits->shift + digit * digits->bits) &
	       ((1u << digits->bits) - 1);
}

/* An element is n_words words; the first one is its key. */
static inline void plan(const uint64_t *words, size_t n, unsigned n_words,
			struct digits *digits)
{
	uint64_t differ = 0;
	unsigned span;

	for (size_t i = 1; i < n; i++)
		differ |= words[i * n_words] ^ words[0];
	digits->n = 0;
	if (!differ)
		return;
	digits->shift = (unsigned)__builtin_ctzll(differ);
	span = 64 - (unsigned)__builtin_clzll(differ) - digits->shift;
	digits->n = (span + MAX_DIGIT_BITS - 1) / MAX_DIGIT_BITS;
	digits->bits = (span + digits->n - 1) / digits->n;
}

/* From how many there are of each value to where the first of them goes. */
static inline void find_places(const uint64_t *words, size_t n,
			       unsigned n_words, struct digits *digits)
{
	memset(digits->places, 0, sizeof(digits->places));
	for (size_t i = 0; i < n; i++)
		for (unsigned digit = 0; digit < digits->n; digit++)
			digits->places[digit][digit_of(
				digits, words[i * n_words], digit)]++;
	for (unsigned digit = 0; digit < digits->n; digit++) {
		size_t place = 0;

		for (size_t i = 0; i < 1u << digits->bits; i++) {
			size_t count = digits->places[digit][i];

			digits->places[digit][i] = place;
			place += count;
		}
	}
}

static inline void move(const uint64_t *from, uint64_t *to, size_t n,
			unsigned n_words, struct digits *digits, unsigned digit)
{
	size_t *places = digits->places[digit];
	unsigned shift = digits->shift + digit * digits->bits;
	uint64_t mask = (1u << digits->bits) - 1;

	for (size_t i = 0; i < n; i++) {
		const uint64_t *word = from + i * n_words;
		size_t place = places[*word >> shift & mask]++;

		for (unsigned w = 0; w < n_words; w++)
			to[place * n_words + w] = word[w];
	}
}

/* Returns where the result is: one of the two. */
static inline uint64_t *sort_words(uint64_t *words, uint64_t *spare, size_t n,
				   unsigned n_words)
{
	struct digits digits;

	plan(words, n, n_words, &digits);
	find_places(words, n, n_words, &digits);
	for (unsigned digit = 0; digit < digits.n; digit++) {
		uint64_t *swap = words;

		move(words, spare, n, n_words, &digits, digit);
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
