/* SPDX-License-Identifier: MIT */
/* Draws drives from the priors, on a lattice. */
#include "likely/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/elementary.h"

struct prior {
	const char *rule;
	double log_sd; /* 0: the range holds 90 % */
	uint32_t n_sources;
	bool by_drive;
};

#include "priors.inc"

#define N_PRIORS (sizeof(priors) / sizeof(priors[0]))
/* From the 5th to the 95th percentile, in standard deviations. */
#define RANGE_SDS 3.2897072539029444

uint32_t ssdpm__priors_version(void)
{
	return PRIORS_VERSION;
}

size_t ssdpm__n_priors(void)
{
	return N_PRIORS;
}

bool ssdpm__prior_is_thin(uint32_t prior)
{
	return prior < N_PRIORS && priors[prior].n_sources < 10;
}

/* A rule begins with its name. */
static uint32_t find_prior(const char *rule)
{
	size_t n = strcspn(rule, ": ");
	uint32_t i = 0;

	while (i < N_PRIORS &&
	       (strlen(priors[i].rule) != n || memcmp(priors[i].rule, rule, n)))
		i++;
	return i;
}

static double range_sd(const struct ssdpm_parameter *parameter)
{
	double low = (double)parameter->low, high = (double)parameter->high;

	/* The low end is at least a hundredth of the centre. */
	low = ssdpm__max(low, ssdpm__centre_of(parameter) / 100);
	return ssdpm__ln(high / low) / RANGE_SDS;
}

static bool is_time(const struct ssdpm_parameter *parameter)
{
	return parameter->kind == SSDPM_PARAMETER_ENTRY_LATENCY ||
	       parameter->kind == SSDPM_PARAMETER_EXIT_LATENCY ||
	       parameter->kind == SSDPM_PARAMETER_LINK_IDLE_TIME;
}

/*
 * Service and energies of bytes are the same under each policy, so they are not
 * drawn.
 */
static bool is_drawn(const struct ssdpm_parameter *parameter)
{
	return parameter->low != parameter->high &&
	       (is_time(parameter) ||
		parameter->kind == SSDPM_PARAMETER_IDLE_POWER ||
		parameter->kind == SSDPM_PARAMETER_ACTIVE_POWER ||
		parameter->kind == SSDPM_PARAMETER_TRANSITION_POWER ||
		parameter->kind == SSDPM_PARAMETER_LINK_POWER);
}

/* The number of an earlier parameter that shares its value; or n. */
static uint32_t find_shared(const struct unknowns *unknowns, uint32_t prior,
			    double log_sd)
{
	uint32_t i = 0;

	if (prior == N_PRIORS || !priors[prior].by_drive)
		return (uint32_t)unknowns->n;
	while (i < unknowns->n && (unknowns->at[i].prior != prior ||
				   unknowns->at[i].log_sd != log_sd))
		i++;
	return i;
}

void ssdpm__find_unknowns(const struct priced_drive *drive, uint32_t doubled,
			  struct unknowns *ret_unknowns)
{
	struct unknowns unknowns = { .drive = drive };

	for (uint32_t i = 0; i < drive->n; i++) {
		const struct ssdpm_parameter *p = &drive->parameters[i];
		uint32_t prior = find_prior(p->rule), number;
		double sd;

		unknowns.n_states += p->kind == SSDPM_PARAMETER_IDLE_POWER;
		unknowns.of[i] = UINT32_MAX;
		if (!is_drawn(p))
			continue;
		sd = prior < N_PRIORS && priors[prior].log_sd > 0 ?
			     priors[prior].log_sd :
			     range_sd(p);
		if (prior == doubled)
			sd *= 2;
		number = find_shared(&unknowns, prior, sd);
		unknowns.of[i] = number;
		if (number < unknowns.n)
			continue;
		unknowns.at[unknowns.n++] =
			(struct unknown){ prior, sd, is_time(p), i };
	}
	*ret_unknowns = unknowns;
}

static double density(double z)
{
	return 0.39894228040143268 * ssdpm__exp(-z * z / 2);
}

/*
 * The quantile of a share of the normal distribution, by Newton's method from
 * that of another share. After a step s an error of s^2 z / 2 remains.
 */
static double normal_quantile(double share, double z, double more)
{
	double step = more / density(z);

	z += step + step * step * z / 2; /* two terms of the series */
	for (int i = 0; i < 30 && fabs(step) > 1e-7; i++) {
		double below = ssdpm__erfc(-z * 0.70710678118654752) / 2;

		step = (below - share) / density(z);
		z -= step;
	}
	return z;
}

double *ssdpm__normal_shares(size_t n)
{
	double *shares = malloc(n * sizeof(*shares));
	double z = 0, share = 0.5;

	if (!shares)
		return NULL;
	/* From the middle up; the lower half is its mirror image. */
	for (size_t i = n / 2; i < n; i++) {
		const double next = ((double)i + 0.5) / (double)n;

		z = normal_quantile(next, z, next - share);
		share = next;
		shares[i] = z;
		shares[n - 1 - i] = -z;
	}
	return shares;
}

/* Powers of a generator, each with its own shift (Korobov). */
struct lattice ssdpm__lattice(uint32_t n, uint32_t dimension)
{
	uint64_t step = 1;

	for (uint32_t i = 0; i < dimension; i++)
		step = step * (n / 3 + 2) % n;
	return (struct lattice){ n, (uint32_t)step, 7919u * dimension };
}

double ssdpm__drawn_value(const struct ssdpm_parameter *parameter,
			  double log_sd, double normal)
{
	double value =
		ssdpm__centre_of(parameter) * ssdpm__exp(log_sd * normal);

	value = ssdpm__max(value, (double)parameter->low);
	return ssdpm__min(value, (double)parameter->high);
}
