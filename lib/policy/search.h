/* SPDX-License-Identifier: MIT */
/*
 * Questions to the algorithms, answered by asking them again and again: what
 * table for this limit, and for that one? Only the values matter at which some
 * state begins to qualify.
 */
#ifndef SSDPM_LIB_POLICY_SEARCH_H
#define SSDPM_LIB_POLICY_SEARCH_H

#include "policy/internal.h"

/*
 * Values in ascending order, none twice. All that lie between one and the next
 * give the same table.
 */
struct steps {
	uint64_t values[SSDPM_APST_MAX_STEPS];
	uint32_t n;
};

void ssdpm__steps_add(struct steps *steps, uint64_t value);

/* The step that value belongs to, or n where it is below the first. */
uint32_t ssdpm__steps_find(const struct steps *steps, uint64_t value);

/* What stands for a step: the default if it belongs there, or its least. */
uint64_t ssdpm__steps_value(const struct steps *steps, uint32_t step,
			    uint64_t preferred);

/*
 * Latency limits: 0 switches APST off. With totals, those of entry and exit
 * together too, for algorithms that look at them.
 */
void ssdpm__limit_steps(const struct ssdpm_model *model, bool totals,
			struct steps *ret_steps);

/* Tolerances of entry and exit together, from 1 on. */
void ssdpm__tolerance_steps(const struct ssdpm_model *model,
			    struct steps *ret_steps);

/* Do these parameters make this table? No, where they make none. */
bool ssdpm__makes(const struct ssdpm_model *model,
		  const struct ssdpm_apst_params *params,
		  const struct ssdpm_apst *table);

/*
 * The parameters of SSDPM_APST_LINUX that come closest to a table; quirks are
 * given. legacy: the legacy rule, primary timeout 0, may be used.
 */
int ssdpm__apst_closest(const struct ssdpm_model *model,
			const struct ssdpm_apst *wanted, uint32_t quirks,
			bool legacy, struct ssdpm_apst_params *ret_params,
			struct ssdpm_error *reterr);

#endif
