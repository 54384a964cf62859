/* SPDX-License-Identifier: MIT */
#ifndef SSDPM_LIB_COMPARE_COMPARISON_H
#define SSDPM_LIB_COMPARE_COMPARISON_H

#include <ssdpm/energy/compare.h>

/*
 * Computes likely savings only for rows that may save. These computations take
 * most of the time.
 */
void ssdpm__comparison_skip_costs(struct ssdpm_comparison *comparison);

/* Also computes that of the last row so far. */
void ssdpm__comparison_want_likely(struct ssdpm_comparison *comparison);

/*
 * Finds the row of a finished comparison of n rows that saves most within the
 * default bounds; 0: none. The row of Linux's default is "usual", or n.
 * -ENOMEM.
 */
int ssdpm__find_advised(const struct ssdpm_comparison *comparison, size_t n,
			size_t usual, size_t *ret_row);

#endif
