/* SPDX-License-Identifier: MIT */
/* The states that each drive of a budget can be in, and what they cost. */
#ifndef SSDPM_COMMAND_BUDGET_CHOICES_H
#define SSDPM_COMMAND_BUDGET_CHOICES_H

#include "budget-items.h"
#include "sim-options.h"
#include "trace-input.h"

#define MAX_WEIGHTS 64

/* What a state is counted with. */
enum budget_power {
	BUDGET_MAX = 0, /* the maximum power that it is defined with */
	BUDGET_EXPECTED,
	BUDGET_P99,
};

/* "max", "expected", "p99" */
const char *budget_power_word(enum budget_power power);

struct budget_options {
	struct sim_options sim;
	struct trace_options trace;
	const char *workload; /* NULL: the mix */
	enum budget_power power;
	bool has_budget;
	uint64_t budget_uw; /* with the base */
	uint64_t base_uw;
	bool has_mix;
	uint64_t read_ppm; /* of all bytes; the others are written */
	uint64_t io_bytes;
	const char *weights[MAX_WEIGHTS]; /* "nvme0=2x" */
	size_t n_weights;
	uint64_t max_power_uw[SSDPM_MAX_STATES]; /* 0: not given */
};

/* Weights first: a loss has them. Complained of. */
enum exit_status find_weights(const struct common *common,
			      const struct budget_options *options,
			      struct budget_items *items);
enum exit_status find_choices(const struct common *common,
			      const struct budget_options *options,
			      struct budget_items *items);

/* Bytes per second in the best of its states. */
double best_rate(const struct budget_item *item);

#endif
