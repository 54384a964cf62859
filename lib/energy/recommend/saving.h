/* SPDX-License-Identifier: MIT */
/* What one policy saves against another, at the same corner. */
#ifndef SSDPM_LIB_RECOMMEND_SAVING_H
#define SSDPM_LIB_RECOMMEND_SAVING_H

#include "recommend/gaps.h"

/*
 * What tables save against the first of them: at the nominal corner, and over
 * all corners the least and the most. The service times are those of the gaps.
 * ret_savings: one for each table but the first.
 */
int ssdpm__savings(const struct gaps_task *task,
		   const struct ssdpm_parameter *parameters,
		   size_t n_parameters, const struct ssdpm_apst *tables,
		   size_t n_tables, struct ssdpm_saving *ret_savings,
		   struct ssdpm_error *reterr);

#endif
