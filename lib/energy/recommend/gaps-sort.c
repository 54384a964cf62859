/* SPDX-License-Identifier: MIT */
/*
 * Sorts by 64-bit keys. A large array is first split by the logarithm of its
 * keys, over which idle times spread; each part fits a cache. Each part is then
 * sorted from its least digit on. The digits cover the bits in which its keys
 * differ. The C library's sort compares, and takes several times as long.
 */
#include "recommend/gaps.h"

#include <string.h>

/* The places of all values of a digit fit the L1 cache. */
#define MAX_DIGIT_BITS 11
#define MAX_DIGITS 8
/* With fewer elements, clearing this many places takes longer than sorting. */
#define MANY 8192
#define FEW_DIGIT_BITS 8
#define FEW 32

/* Parts: 32 for each power of two. */
#define PART_BITS 5
#define N_PARTS ((64 - PART_BITS + 1) << PART_BITS)

struct digits {
	unsigned shift; /* the lowest bit that differs */
	unsigned bits;	/* of each digit */
	unsigned n;
	size_t places[MAX_DIGITS][1 << MAX_DIGIT_BITS];
};

static inline size_t digit_of(const struct digits *digits, uint64_t key,
			      unsigned digit)
{
	return (size_t)(key >> (digits->shift + digit * digits->bits)) &
	       ((1u << digits->bits) - 1);
}

/* An element is n_words words; the first one is its key. */
static inline void plan(const uint64_t *words, size_t n, unsigned n_words,
			struct digits *digits)
{
	uint64_t differ = 0;
	unsigned span, bits = n < MANY ? FEW_DIGIT_BITS : MAX_DIGIT_BITS;

	for (size_t i = 1; i < n; i++)
		differ |= words[i * n_words] ^ words[0];
	digits->n = digits->shift = digits->bits = 0;
	if (!differ)
		return;
	digits->shift = (unsigned)__builtin_ctzll(differ);
	span = 64 - (unsigned)__builtin_clzll(differ) - digits->shift;
	digits->n = (span + bits - 1) / bits;
	digits->bits = (span + digits->n - 1) / digits->n;
}

/* Turns the count of each value into the place of its first element. */
static inline void find_places(const uint64_t *words, size_t n,
			       unsigned n_words, struct digits *digits)
{
	for (unsigned digit = 0; digit < digits->n; digit++)
		memset(digits->places[digit], 0,
		       sizeof(digits->places[digit][0]) << digits->bits);
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

/* A few elements: each is moved down to its place. */
static inline void insert_few(uint64_t *words, size_t n, unsigned n_words)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t here[2] = { words[i * n_words] };
		size_t at = i;

		if (n_words == 2)
			here[1] = words[2 * i + 1];
		for (; at && words[(at - 1) * n_words] > here[0]; at--)
			memcpy(words + at * n_words, words + (at - 1) * n_words,
			       n_words * sizeof(*words));
		memcpy(words + at * n_words, here, n_words * sizeof(*words));
	}
}

/* The result goes to spare. */
static inline void sort_part(uint64_t *words, uint64_t *spare, size_t n,
			     unsigned n_words)
{
	uint64_t *to = spare;
	struct digits digits;

	if (n <= FEW) {
		insert_few(words, n, n_words);
		memcpy(spare, words, n * n_words * sizeof(*words));
		return;
	}
	plan(words, n, n_words, &digits);
	find_places(words, n, n_words, &digits);
	for (unsigned digit = 0; digit < digits.n; digit++) {
		uint64_t *swap = words;

		move(words, spare, n, n_words, &digits, digit);
		words = spare;
		spare = swap;
	}
	if (words != to)
		memcpy(to, words, n * n_words * sizeof(*words));
}

/* Larger keys are in the same part or in a later one. */
static inline size_t part_of(uint64_t key)
{
	unsigned shift;

	if (key < 1u << PART_BITS)
		return (size_t)key;
	shift = 63 - (unsigned)__builtin_clzll(key) - PART_BITS;
	return ((size_t)shift << PART_BITS) + (size_t)(key >> shift);
}

/* Splits the words into spare, and sorts each part back. */
static inline void sort_words(uint64_t *words, uint64_t *spare, size_t n,
			      unsigned n_words)
{
	size_t ends[N_PARTS] = { 0 }, place = 0;

	for (size_t i = 0; i < n; i++)
		ends[part_of(words[i * n_words])]++;
	for (size_t i = 0; i < N_PARTS; i++) {
		size_t count = ends[i];

		ends[i] = place;
		place += count;
	}
	for (size_t i = 0; i < n; i++) {
		const uint64_t *word = words + i * n_words;
		size_t to = ends[part_of(*word)]++;

		for (unsigned w = 0; w < n_words; w++)
			spare[to * n_words + w] = word[w];
	}
	place = 0;
	for (size_t i = 0; i < N_PARTS; i++) {
		if (ends[i] != place)
			sort_part(spare + place * n_words,
				  words + place * n_words, ends[i] - place,
				  n_words);
		place = ends[i];
	}
}

void ssdpm__sort_times(uint64_t *times, uint64_t *spare, size_t n)
{
	sort_words(times, spare, n, 1);
}

void ssdpm__sort_early(struct early *early, struct early *spare, size_t n)
{
	sort_words((uint64_t *)early, (uint64_t *)spare, n, 2);
}
