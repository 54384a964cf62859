/* SPDX-License-Identifier: MIT */
/* What the files of the budget share. */
#ifndef SSDPM_LIB_BUDGET_INTERNAL_H
#define SSDPM_LIB_BUDGET_INTERNAL_H

#include <ssdpm/energy/budget.h>

#include "estimate/internal.h"

/* The shares of a mix, in millionths of all bytes. */
struct budget_mix {
	uint32_t read_ppm;
	uint32_t write_ppm;
	uint32_t io_bytes;
};

/* What an item reports of a device. */
struct budget_device {
	char *name;		   /* NULL: no name */
	struct ssdpm_model *model; /* NULL: the states are the caller's */
	char *workload;		   /* name of its trace, or NULL */
	bool has_mix;
	struct budget_mix mix;
};

struct ssdpm_budget_item {
	unsigned int refs;
	uint32_t power; /* enum ssdpm_budget_power; 0: the caller's */
	uint64_t weight_thousandths;
	struct budget_device *devices;
	size_t n_devices;
	struct ssdpm_budget_state *states;
	size_t n_states;
};

/* Allocates room for devices and states. */
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
	uint32_t number; /* as the caller counts it */
};

struct problem_item {
	struct budget_choice *choices; /* by rising power and falling loss */
	uint32_t n;
	uint32_t base; /* its choice in the relaxed problem */
};

/* A step between two corners of an item's convex hull. */
struct move {
	int64_t uw;
	int64_t less;
	uint32_t item;
	uint32_t to;
};

/*
 * The problem with the states that can matter. The moves that save the most
 * loss per power come first. The moves of one item are in order.
 */
struct problem {
	struct problem_item *items;
	struct budget_choice *choices;
	struct move *moves;
	size_t n_items;
	size_t n_moves;
	int64_t least_uw; /* all items at their lowest */
	int64_t most_loss;
	int64_t unit_uw; /* all differences are multiples of this */
	int64_t loss_unit;
};

/* Free it with ssdpm__problem_free(), even after -ENOMEM. */
int ssdpm__problem_new(struct problem *problem,
		       const struct ssdpm_budget_item *const *items, size_t n);
void ssdpm__problem_free(struct problem *problem);

/* The points of the frontier: one more than moves. */
void ssdpm__problem_points(const struct problem *problem,
			   struct ssdpm_budget_point *ret_points);

/*
 * The choice of each item and their totals; all items fit in their lowest
 * states. Only ssdpm__problem_free() may use the problem afterwards.
 */
int ssdpm__problem_solve(const struct problem *problem, int64_t budget_uw,
			 uint32_t *ret_choices,
			 struct ssdpm_budget_answer *ret_answer);

#endif
