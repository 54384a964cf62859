/* SPDX-License-Identifier: MIT */
/*
 * What shares a budget: drives, and cards of several devices, each with the
 * states that it can be in.
 */
#ifndef SSDPM_COMMAND_BUDGET_ITEMS_H
#define SSDPM_COMMAND_BUDGET_ITEMS_H

#include "input/input.h"

/* A state: what it is counted with, and what is left to do in it. */
struct budget_choice {
	uint32_t state;
	uint32_t limit;	  /* enum ssdpm_cap_limit; 0: of several devices */
	uint32_t assumed; /* bits of enum ssdpm_cap_field */
	uint64_t power_uw;
	struct ssdpm_span
		expected_uw; /* of it or, where that is counted, p99 */
	struct ssdpm_span bytes_per_s;
	uint64_t lost; /* bytes per second, against its best state */
	uint64_t loss; /* the same, by its weight */
};

/* One drive, or a card of several devices that follow each other. */
struct budget_item {
	const struct drive *drives;
	size_t n_drives;
	uint64_t count;	 /* that many alike */
	uint64_t weight; /* in thousandths */
	struct budget_choice *choices;
	size_t n_choices;
};

struct budget_items {
	struct drives drives;
	struct budget_item *items;
	size_t n;
	size_t n_all; /* with their counts */
};

/*
 * Words: a drive; "+" between the devices of a card; "4x" before what is there
 * four times. Free the items with free_budget_items(), also after a failure,
 * which is complained of.
 */
enum exit_status read_budget_items(const struct common *common, char **words,
				   size_t n_words,
				   struct budget_items *ret_items);
void free_budget_items(struct budget_items *items);

/* "nvme0 + nvme1" */
struct item_name {
	char text[160];
};

struct item_name item_name(const struct budget_item *item);

/* Is this the name of the item, or of this drive of it? */
bool is_item_name(const struct budget_item *item, const struct drive *drive,
		  const char *name, size_t length);

#endif
