/* SPDX-License-Identifier: MIT */
/*
 * Compares counts with promises. A check fails if the exact promise would give
 * such an extreme count in fewer than 1 of 1000 random runs. A count is
 * binomial, and its tails are summed exactly. Seeds are fixed, so a check that
 * passes once always passes, until the code under it changes.
 */
#ifndef SSDPM_TESTS_BINOMIAL_H
#define SSDPM_TESTS_BINOMIAL_H

#include <stdbool.h>
#include <stddef.h>

#define FALSE_ALARM 0.001

/* Whether count of n is too low, or too high, for a promised share. */
bool binomial_too_low(unsigned int count, unsigned int n, double share);
bool binomial_too_high(unsigned int count, unsigned int n, double share);

/*
 * The least share that gives this many of n, or more, in 5 of 100 cases. It is
 * the lower end of a one-sided interval of 95 % (Clopper and Pearson 1934).
 */
double binomial_lower(unsigned int count, unsigned int n);

/*
 * The verdict on a program that counted faults for the library itself, and for
 * each planted bias. Return: an exit status, 0 if only the biases have faults.
 */
int binomial_verdict(unsigned int faults, const char *const biases[],
		     const unsigned int bias_faults[], size_t n_biases);

#endif
