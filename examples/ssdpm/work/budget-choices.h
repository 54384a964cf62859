/* SPDX-License-Identifier: MIT */
/* The states that each drive of a budget can be in, and what they cost. */
#ifndef SSDPM_COMMAND_BUDGET_CHOICES_H
#define SSDPM_COMMAND_BUDGET_CHOICES_H

#include "work/budget-items.h"
#include "options/sim-options.h"
#include "input/trace-input.h"

#define MAX_WEIGHTS 256
#define MAX_WORKS 256

/*
 * What a drive does: --workload or --mix. Which one, the begin of the text
 * says: "nvme0=lomax", "nvme0=read=70%,write=30%".
 */
struct work_option {
	const char *text;
	bool is_mix;
	size_t drive_length; /* of a mix; 0: all drives */
	uint64_t read_ppm;   /* of all bytes; the others are written */
};

/* "PS1=20W" of a drive, or of all */
struct max_power {
	const char *text;
	size_t drive_length;
	uint32_t state, uw;
};

struct budget_options {
	struct sim_options sim;
	struct trace_options trace;
	uint32_t power;	    /* enum ssdpm_budget_power */
	uint64_t budget_uw; /* with the base */
	uint64_t base_uw;
	struct work_option works[MAX_WORKS];
	size_t n_works;
	uint64_t io_bytes;
	const char *weights[MAX_WEIGHTS]; /* "nvme0=2x" */
	size_t n_weights;
	struct max_power max_powers[MAX_WEIGHTS];
	size_t n_max_powers;
};

struct budget_works;

/* Weights first: a loss has them. Complained of. */
enum exit_status find_weights(const struct common *common,
			      const struct budget_options *options,
			      struct budget_items *items);
enum exit_status find_choices(const struct common *common,
			      const struct budget_options *options,
			      const struct budget_works *works,
			      struct budget_items *items);

#endif
