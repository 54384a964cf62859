/* SPDX-License-Identifier: MIT */
/*
 * Counts against promises. A check fails if the promise, kept exactly, would
 * give a count this extreme in fewer than 1 of 1000 random runs; a count is
 * binomial, and its tails are summed exactly. Seeds are fixed: a check that
 * passes once passes always, until the code under it changes.
 */
#ifndef SSDPM_TESTS_BINOMIAL_H
#define SSDPM_TESTS_BINOMIAL_H

#include <stdbool.h>
#include <stddef.h>

#define FALSE_ALARM 0.001

/* Is count of n too low, or too high, for a promise of share? */
bool binomial_too_low(unsigned int count, unsigned int n, double share);
bool binomial_too_high(unsigned int count, unsigned int n, double share);

/* The least share for which so many of n, or more, come in 5 of 100 times: the
 * lower end of an interval of 95 % with one side (Clopper and Pearson 1934). */
double binomial_lower(unsigned int count, unsigned int n);

/*
 * The verdict on a program that counted faults for the library as it is, and
 * for each planted bias. Return: an exit status, 0 if only the biases have
 * faults.
 */
int binomial_verdict(unsigned int faults, const char *const biases[],
		     const unsigned int bias_faults[], size_t n_biases);

#endif
