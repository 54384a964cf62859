/* SPDX-License-Identifier: MIT */
/* Drives in a budget: what the files about it share. */
#ifndef SSDPM_LIB_CAPS_BUDGET_H
#define SSDPM_LIB_CAPS_BUDGET_H

#include <ssdpm/energy/caps.h>

#include "estimate/internal.h"

/* An option that no other one of its item dominates. */
struct choice {
	int64_t uw;
	int64_t loss;
	uint32_t number; /* as the caller counts */
};

struct item {
	struct choice *choices; /* by power, upwards; loss falls */
	uint32_t n;
	uint32_t base; /* where the relaxed problem has it */
};

/* From one corner of an item's convex hull to the next. */
struct move {
	int64_t uw;
	int64_t less;
	uint32_t item;
	uint32_t to;
};

/*
 * The problem with the options that can matter, and the moves with the most
 * loss saved per power first. Of each item its moves are in order.
 */
struct problem {
	struct item *items;
	struct choice *choices;
	struct move *moves;
	size_t n_items;
	size_t n_moves;
	int64_t least_uw; /* all items at their lowest */
	int64_t most_loss;
	int64_t unit_uw; /* all differences are multiples of these */
	int64_t loss_unit;
	uint64_t budget_uw;
};

int ssdpm__problem_new(struct problem *problem,
		       const struct ssdpm_budget_params *params,
		       struct ssdpm_error *reterr);
void ssdpm__problem_free(struct problem *problem);

#endif
