/* SPDX-License-Identifier: MIT */
#ifndef SSDPM_LIB_COMPARE_COMPARISON_H
#define SSDPM_LIB_COMPARE_COMPARISON_H

#include <ssdpm/energy/compare.h>

/*
 * What is likely is found of rows that may save at all, and of no others: to
 * find it takes most of the time.
 */
void ssdpm__comparison_skip_costs(struct ssdpm_comparison *comparison);

#endif
