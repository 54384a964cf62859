/* SPDX-License-Identifier: MIT */
/* How many drives give an answer, and which. */
#include "catalogue/all.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 80

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* By answer; the most seen drive first, and then as in the catalogue. */
static int compare_votes(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;
	int order = compare_numbers(x->answer, y->answer);

	if (!order)
		order = compare_numbers(y->drive->seen, x->drive->seen);
	return order ? order :
		       compare_numbers((uintptr_t)x->drive,
				       (uintptr_t)y->drive);
}

static int compare_tallies(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;
	int order = compare_numbers(y->seen, x->seen);

	return order ? order : compare_numbers(x->answer, y->answer);
}

static int compare_names(const void *a, const void *b)
{
	const struct product *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int compare_seen(const void *a, const void *b)
{
	const struct product *x = a, *y = b;
	int order = compare_numbers(y->seen, x->seen);

	return order ? order : compare_names(a, b);
}

/* The most seen products; several firmwares of one are several votes. */
static void tell(struct tally *tally, const struct vote *votes,
		 struct product *room)
{
	size_t n = 0;

	for (size_t i = 0; i < tally->n; i++)
		room[i] = (struct product){ votes[i].drive->name,
					    votes[i].drive->seen };
	qsort(room, tally->n, sizeof(*room), compare_names);
	for (size_t i = 0; i < tally->n; i++)
		if (n && !strcmp(room[n - 1].name, room[i].name))
			room[n - 1].seen += room[i].seen;
		else
			room[n++] = room[i];
	qsort(room, n, sizeof(*room), compare_seen);
	tally->n_told = n < MAX_TOLD ? n : MAX_TOLD;
	memcpy(tally->told, room, tally->n_told * sizeof(*room));
}

/* An idle time, and how often drives with it were seen. */
struct weighted {
	uint64_t ms, seen;
};

static int compare_weighted(const void *a, const void *b)
{
	const struct weighted *x = a, *y = b;

	return compare_numbers(x->ms, y->ms);
}

/* The lower median of one of the times. */
static uint64_t median_of(const struct vote *votes, size_t n, int which,
			  struct weighted *room)
{
	uint64_t all = 0, below = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		room[i] = (struct weighted){ votes[i].ms[which],
					     votes[i].drive->seen };
		all += room[i].seen;
	}
	qsort(room, n, sizeof(*room), compare_weighted);
	for (i = 0; i + 1 < n; i++) {
		below += room[i].seen;
		if (below * 2 >= all)
			break;
	}
	return room[i].ms;
}

/* Count the n votes of one answer. */
static struct tally tally_of(const struct vote *votes, size_t n,
			     struct weighted *room, struct product *products)
{
	struct tally tally = { .answer = votes[0].answer, .n = n };

	for (size_t i = 0; i < n; i++)
		tally.seen += votes[i].drive->seen;
	tell(&tally, votes, products);
	for (int i = 0; i < 2; i++)
		tally.ms[i] = median_of(votes, n, i, room);
	return tally;
}

size_t count_votes(struct vote *votes, size_t n, struct tally *tallies,
		   size_t max)
{
	struct weighted *room = calloc(n + 1, sizeof(*room));
	struct product *products = calloc(n + 1, sizeof(*products));
	const bool has_room = room && products;
	size_t n_tallies = 0;

	if (!has_room)
		out_of_memory();
	qsort(votes, n, sizeof(*votes), compare_votes);
	for (size_t i = 0, last; has_room && i < n && n_tallies < max;
	     i = last) {
		for (last = i; last < n; last++)
			if (votes[last].answer != votes[i].answer)
				break;
		tallies[n_tallies++] =
			tally_of(votes + i, last - i, room, products);
	}
	free(products);
	free(room);
	qsort(tallies, n_tallies, sizeof(*tallies), compare_tallies);
	return n_tallies;
}

void print_told(const char *label, const struct tally *tally)
{
	size_t column = strlen(label) + 3;

	printf("  %s:", label);
	for (size_t i = 0; i < tally->n_told; i++) {
		const struct cell told =
			cell("%s %.200s %" PRIu64, i ? "," : "",
			     tally->told[i].name, tally->told[i].seen);

		column += strlen(told.text);
		if (i && column > WIDTH)
			break;
		fputs(told.text, stdout);
	}
	putchar('\n');
}
