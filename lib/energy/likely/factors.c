/* SPDX-License-Identifier: MIT */
/* The factors of drawn powers, which the trials of a drive have in common. */
#include "likely/internal.h"

#include <stdlib.h>

#include "common/elementary.h"

const double *ssdpm__factors(struct factors *factors, double log_sd,
			     const double *normals, uint32_t n)
{
	struct factor *one = factors->at;
	struct factor *const end = one + factors->n;

	while (one < end && (one->log_sd != log_sd || one->n != n))
		one++;
	if (one < end)
		return one->of;
	*one = (struct factor){ log_sd, n, malloc(n * sizeof(*one->of)) };
	if (!one->of)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		one->of[i] = ssdpm__exp(log_sd * normals[i]);
	factors->n++;
	return one->of;
}

void ssdpm__factors_free(struct factors *factors)
{
	for (size_t i = 0; i < factors->n; i++)
		free(factors->at[i].of);
	factors->n = 0;
}
