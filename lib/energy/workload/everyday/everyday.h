/* SPDX-License-Identifier: MIT */
/*
 * Workloads made from statistics of recordings: a Markov chain. A state has how
 * busy the host is, the operation of an I/O, and the class of the pause before.
 * make-everyday.py makes its tables, which ssdpm_workload(3) explains.
 */
#ifndef SSDPM_LIB_WORKLOAD_EVERYDAY_H
#define SSDPM_LIB_WORKLOAD_EVERYDAY_H

#include <ssdpm/energy/workload.h>

#include "workload/generator/generator.h"

#define EVERYDAY_CLASSES 7
#define EVERYDAY_GAP_PARTS 32
#define EVERYDAY_SIZE_PARTS 16

struct everyday_gap {
	uint64_t least_ns, most_ns;
};

struct everyday {
	char description[72];
	uint64_t n_ios;
	uint64_t area_bytes;
	/* Parts of as many pauses of each class, by their limits. */
	struct everyday_gap gaps[EVERYDAY_CLASSES][EVERYDAY_GAP_PARTS];
	uint8_t n_gaps[EVERYDAY_CLASSES];
	/* By op - 1: the mean of each part of all sizes. */
	uint32_t sizes[SSDPM_MAX_OPS][EVERYDAY_SIZE_PARTS];
	uint32_t n_ops[SSDPM_MAX_OPS];
	uint32_t n_sequential[SSDPM_MAX_OPS];
	uint16_t first_state;
	uint16_t n_states;
};

const struct everyday *ssdpm__everyday(const struct workload *workload);

/* The plan of a workload: what the caller chose, and what the table has. */
int ssdpm__everyday_plan(struct workload_plan *plan,
			 struct ssdpm_error *reterr);

int ssdpm__everyday_open(const struct workload_plan *plan,
			 struct ssdpm_trace **ret_trace,
			 struct ssdpm_error *reterr);

#endif
