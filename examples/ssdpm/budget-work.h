/* SPDX-License-Identifier: MIT */
/* What the drives of a budget do in a state: a mix, or a workload. */
#ifndef SSDPM_COMMAND_BUDGET_WORK_H
#define SSDPM_COMMAND_BUDGET_WORK_H

#include "budget-choices.h"

/* The I/Os of --workload, all of them. */
struct budget_work {
	struct ssdpm_io *ios;
	size_t n;
	size_t capacity;
	uint64_t bytes[2]; /* read, written */
};

/* free() its I/Os, also after a failure. */
enum exit_status read_budget_work(const struct common *common,
				  const struct budget_options *options,
				  struct budget_work *ret_work);

/* A drive in a state. */
struct budget_drive {
	const struct drive *drive;
	const struct ssdpm_model *model;
	const struct ssdpm_parameter *parameters;
	size_t n_parameters;
	uint32_t state;
};

/*
 * What it does there, with its maximum power as a cap; the uncapped throughput
 * and the largest power are left alone. work: NULL: the mix.
 */
enum exit_status find_cap_result(const struct budget_options *options,
				 const struct budget_work *work,
				 const struct budget_drive *drive,
				 struct ssdpm_cap_result *ret_result);

#endif
