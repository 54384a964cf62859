/* SPDX-License-Identifier: MIT */
/*
 * The search. The least prefix of the base that fails ends with an element that
 * is needed. It is required from then on, and the same is asked of the prefix
 * before it, until what is required fails alone. If no trial failed up to then,
 * all is required that was set before: one more trial has all of it.
 */
#include "bisect/internal.h"

#include <string.h>

/* What the base is by now: does it have to be searched at all? */
static void begin_stage(struct bisect_search *search)
{
	memset(search->skipped, 0, sizeof(search->skipped));
	search->low = -1;
	search->high = (int)search->n_base;
	if (!search->n_base && search->has_failed)
		search->decision = SSDPM_BISECT_FOUND;
}

void ssdpm__bisect_start(struct bisect_search *search)
{
	search->decision = SSDPM_BISECT_SEARCHING;
	begin_stage(search);
}

static bool is_open(const struct bisect_search *search, int n)
{
	return n > search->low && n < search->high && !search->skipped[n];
}

/* -1: all that could decide was skipped. */
static int find_next(const struct bisect_search *search)
{
	int low = search->low < 0 ? 0 : search->low;
	int middle = (low + search->high) / 2;

	if (!search->n_base || is_open(search, 0))
		return 0;
	for (int d = 0; d < search->high - low; d++) {
		if (is_open(search, middle - d))
			return middle - d;
		if (is_open(search, middle + d))
			return middle + d;
	}
	return -1;
}

int ssdpm__bisect_next(const struct bisect_search *search)
{
	return find_next(search);
}

/* The last element of the prefix that fails. Its lower steps are in it. */
static void require_last(struct bisect_search *search)
{
	const struct bisect_element last = search->base[search->high - 1];
	size_t n = 0;

	search->required[search->n_required++] = last;
	for (int i = 0; i < search->high - 1; i++)
		if (search->base[i].suspect != last.suspect)
			search->base[n++] = search->base[i];
	search->n_base = n;
	begin_stage(search);
}

/* That of the settings of before. If it is skipped, any of them may fail. */
static void learn_of_before(struct bisect_search *search, uint32_t verdict)
{
	if (verdict == SSDPM_BISECT_BAD) {
		search->decision = SSDPM_BISECT_FOUND;
		return;
	}
	search->decision = verdict == SSDPM_BISECT_GOOD ?
				   SSDPM_BISECT_NO_ERROR :
				   SSDPM_BISECT_UNDECIDED;
	memcpy(search->base, search->required,
	       search->n_required * sizeof(search->base[0]));
	search->low = 0;
	search->high = (int)search->n_required;
	search->n_base = search->n_required;
	search->n_required = 0;
}

void ssdpm__bisect_learn(struct bisect_search *search, uint32_t verdict)
{
	int n = find_next(search);

	search->has_failed |= verdict == SSDPM_BISECT_BAD;
	if (!search->n_base) {
		learn_of_before(search, verdict);
		return;
	}
	if (verdict == SSDPM_BISECT_GOOD)
		search->low = n;
	else if (verdict == SSDPM_BISECT_BAD)
		search->high = n;
	else
		search->skipped[n] = true;
	if (!search->high)
		search->decision = search->n_required ? SSDPM_BISECT_FOUND :
							SSDPM_BISECT_NONE;
	else if (search->low >= 0 && search->high - search->low == 1)
		require_last(search);
	else if (find_next(search) < 0)
		search->decision = SSDPM_BISECT_UNDECIDED;
}
