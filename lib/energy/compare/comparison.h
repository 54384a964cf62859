/* SPDX-License-Identifier: MIT */
#ifndef SSDPM_LIB_COMPARE_COMPARISON_H
#define SSDPM_LIB_COMPARE_COMPARISON_H

#include <ssdpm/energy/compare.h>

/*
 * What is likely is found of rows that may save at all, and of no others: to
 * find it takes most of the time.
 */
void ssdpm__comparison_skip_costs(struct ssdpm_comparison *comparison);

/*
 * Find the row of a finished comparison of n rows that saves most within the
 * default bounds; 0: none. usual: the row of what Linux does by default; n:
 * there is none. -ENOMEM.
 */
int ssdpm__find_advised(const struct ssdpm_comparison *comparison, size_t n,
			size_t usual, size_t *ret_row);

#endif
