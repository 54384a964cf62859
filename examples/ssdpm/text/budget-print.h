/* SPDX-License-Identifier: MIT */
/* The answer to a budget, for people and as JSON. */
#ifndef SSDPM_COMMAND_BUDGET_PRINT_H
#define SSDPM_COMMAND_BUDGET_PRINT_H

#include "text/output.h"
#include "work/budget-choices.h"

/* A budget with its answer; item_of and chosen: of all, counts and all. */
struct budget {
	const struct budget_options *options;
	const struct budget_items *items;
	const struct budget_works *works;
	const struct budget_item **item_of;
	const struct ssdpm_budget *solved;
	const struct ssdpm_budget_answer *answer;
	const uint32_t *chosen;
};

void print_budget(const struct budget *budget, bool with_frontier);
void add_budget(struct items *items, const struct budget *budget);

/* "12.34 W", all digits that there are */
struct item_name exact_watts(uint64_t uw);

#endif
