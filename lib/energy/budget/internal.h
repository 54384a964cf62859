/* SPDX-License-Identifier: MIT */
/* Drives in a budget: what the files about it share. */
#ifndef SSDPM_LIB_BUDGET_INTERNAL_H
#define SSDPM_LIB_BUDGET_INTERNAL_H

#include <ssdpm/energy/budget.h>

#include "estimate/internal.h"

/* What a mix does, in millionths of all bytes. */
struct budget_mix {
	uint32_t read_ppm;
	uint32_t write_ppm;
	uint32_t io_bytes;
};

/* What is told of a device of an item. */
struct budget_device {
	char *name;		   /* NULL: it has none */
	struct ssdpm_model *model; /* NULL: the states are the caller's */
	char *workload;		   /* name of its trace, or NULL */
	bool has_mix;
	struct budget_mix mix;
};

struct ssdpm_budget_item {
	unsigned int refs;
	uint32_t power; /* enum ssdpm_budget_power; 0: as the caller has it */
	uint64_t weight_thousandths;
	struct budget_device *devices;
	size_t n_devices;
	struct ssdpm_budget_state *states;
	size_t n_states;
};

/* Without devices and states yet, but with room for them. */
struct ssdpm_budget_item *ssdpm__budget_item_alloc(size_t n_devices,
						   size_t n_states);

struct budget_mix ssdpm__budget_mix(const struct ssdpm_budget_work *work);

struct ssdpm_budget {
	const struct ssdpm_budget_item **items;
	size_t n_items;
	uint64_t budget_uw;
	uint64_t base_uw;
	uint32_t *choices;
	struct ssdpm_budget_answer answer;
	struct ssdpm_budget_point *frontier;
	size_t n_frontier;
};

/* A state that no other one of its item dominates. */
struct budget_choice {
	int64_t uw;
	int64_t loss;
	uint32_t number; /* as the caller counts */
};

struct problem_item {
	struct budget_choice *choices; /* by power, upwards; loss falls */
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
 * The problem with the states that can matter, and the moves with the most loss
 * saved per power first. Of each item its moves are in order.
 */
struct problem {
	struct problem_item *items;
	struct budget_choice *choices;
	struct move *moves;
	size_t n_items;
	size_t n_moves;
	int64_t least_uw; /* all items at their lowest */
	int64_t most_loss;
	int64_t unit_uw; /* all differences are multiples of these */
	int64_t loss_unit;
};

/* Free it with ssdpm__problem_free(), also after -ENOMEM. */
int ssdpm__problem_new(struct problem *problem,
		       const struct ssdpm_budget_item *const *items, size_t n);
void ssdpm__problem_free(struct problem *problem);

/* Those of the frontier: one more than there are moves. */
void ssdpm__problem_points(const struct problem *problem,
			   struct ssdpm_budget_point *ret_points);

/*
 * The choice of each item, and what they come to; all fit in their lowest
 * states. The problem is used up, but for what ssdpm__problem_free() frees.
 */
int ssdpm__problem_solve(const struct problem *problem, int64_t budget_uw,
			 uint32_t *ret_choices,
			 struct ssdpm_budget_answer *ret_answer);

#endif
