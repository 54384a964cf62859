/* SPDX-License-Identifier: MIT */
#include "binomial.h"

#include <math.h>
#include <stdio.h>

static double probability(unsigned int count, unsigned int n, double share)
{
	return exp(lgamma(n + 1.0) - lgamma(count + 1.0) -
		   lgamma(n - count + 1.0) + count * log(share) +
		   (n - count) * log(1 - share));
}

bool binomial_too_low(unsigned int count, unsigned int n, double share)
{
	double sum = 0;

	for (unsigned int i = 0; i <= count; i++)
		sum += probability(i, n, share);
	return sum < FALSE_ALARM;
}

bool binomial_too_high(unsigned int count, unsigned int n, double share)
{
	return binomial_too_low(n - count, n, 1 - share);
}

double binomial_lower(unsigned int count, unsigned int n)
{
	double low = 0, high = 1;

	for (int i = 0; count && i < 40; i++) {
		double share = (low + high) / 2, sum = 0;

		for (unsigned int k = count; k <= n; k++)
			sum += probability(k, n, share);
		if (sum < 0.05)
			low = share;
		else
			high = share;
	}
	return low;
}

int binomial_verdict(unsigned int faults, const char *const biases[],
		     const unsigned int bias_faults[], size_t n_biases)
{
	int status = faults ? 1 : 0;

	printf("as the library is: %u faults%s\n", faults,
	       faults ? " <- must be none" : "");
	for (size_t i = 0; i < n_biases; i++) {
		printf("planted bias '%s': %u faults%s\n", biases[i],
		       bias_faults[i], bias_faults[i] ? "" : " <- not found");
		if (!bias_faults[i])
			status = 1;
	}
	return status;
}
