/* SPDX-License-Identifier: MIT */
/*
 * What shares a budget: drives, and cards of several devices, each with the
 * states that it can be in.
 */
#ifndef SSDPM_COMMAND_BUDGET_ITEMS_H
#define SSDPM_COMMAND_BUDGET_ITEMS_H

#include "input/input.h"

/* One drive, or a card of several devices that follow each other. */
struct budget_item {
	const struct drive *drives;
	size_t n_drives;
	uint64_t count;			 /* that many alike */
	uint64_t weight;		 /* in thousandths */
	struct ssdpm_budget_item *known; /* what each state takes and loses */
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
