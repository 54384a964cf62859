/* SPDX-License-Identifier: MIT */
/*
 * Evidence that the mean of paired differences exceeds a value:
 *
 *     M = mean over strengths s of the product over pairs of
 *         1 + 0.9 tanh(s (d - value))
 *
 * If d - value is as likely as value - d, given its size and earlier pairs, M
 * is a martingale that starts at 1. By Ville's inequality, it ever reaches 40
 * with a probability of at most 1/40. Each factor falls with the value, so the
 * values that M refutes are a half line.
 */
#include "trial/mixture.h"

#include "common/elementary.h"

/* Strengths are 1/256 to 8 divided by the unit, each twice the one before. */
#define N_STRENGTHS 12
#define WEAKEST (1.0 / 256)

/* An outlier costs at most a factor of 10; a bet of 1 could lose all. */
#define BET 0.9

/* ln 40: 2.5 % at each end. 6 pairs reach at most 6 ln 1.9 = 3.85. */
#define THRESHOLD 3.6888794541139363

/* The precision of the ends, as a share of the unit. */
#define PRECISION 1e-5
/* The product of this many factors is at least 10^-64. */
#define MANY 64

/*
 * Adds logarithms of the products for each strength. With e = exp(-2 x),
 * tanh(x) is 2 / (1 + e) - 1. Doubling the strength squares e.
 */
static void add_pairs(const struct differences *differences, double value,
		      double sign, double logs[N_STRENGTHS])
{
	double products[N_STRENGTHS];

	for (int k = 0; k < N_STRENGTHS; k++) {
		logs[k] = 0;
		products[k] = 1;
	}
	for (size_t i = 0; i < differences->n; i++) {
		double x = sign * (differences->w[i] - value) /
			   differences->unit_w;
		double e = ssdpm__exp(-2 * WEAKEST * x);

		for (int k = 0; k < N_STRENGTHS; k++) {
			products[k] *= 1 - BET + 2 * BET / (1 + e);
			e *= e;
		}
		if ((i + 1) % MANY && i + 1 < differences->n)
			continue;
		for (int k = 0; k < N_STRENGTHS; k++) {
			logs[k] += ssdpm__ln(products[k]);
			products[k] = 1;
		}
	}
}

/* ln M; sign -1: for a lower mean. */
static double evidence(const struct differences *differences, double value,
		       double sign)
{
	double logs[N_STRENGTHS], most = -INFINITY, sum = 0;

	add_pairs(differences, value, sign, logs);
	for (int k = 0; k < N_STRENGTHS; k++) {
		logs[k] *= differences->repeat;
		most = ssdpm__max(most, logs[k]);
	}
	for (int k = 0; k < N_STRENGTHS; k++)
		sum += ssdpm__exp(logs[k] - most);
	return most + ssdpm__ln(sum / N_STRENGTHS);
}

/*
 * The excess over the threshold, which falls below 0 as the value moves in the
 * direction of the sign. Sign 0: the evidence for more, less that for less.
 */
static double excess(const struct differences *differences, double value,
		     double sign)
{
	if (sign != 0)
		return evidence(differences, value, sign) - THRESHOLD;
	return evidence(differences, value, 1) -
	       evidence(differences, value, -1);
}

/* Two values around a crossing, and the excess at each. */
struct bracket {
	double inner, outer;
	double inner_excess, outer_excess;
};

/*
 * Uses the Illinois variant of false position, where an end that stays counts
 * half. The value returned has an excess of at least 0.
 */
static double crossing_in(const struct differences *differences, double sign,
			  struct bracket b)
{
	double precision = PRECISION * differences->unit_w;
	int last = 0;

	while (fabs(b.outer - b.inner) > precision) {
		double part =
			b.outer_excess / (b.outer_excess - b.inner_excess);
		double value = b.outer + part * (b.inner - b.outer);

		if (value == b.outer || value == b.inner)
			value = b.outer + (b.inner - b.outer) / 2;
		if (value == b.outer || value == b.inner)
			break;
		double found = excess(differences, value, sign);

		if (found >= 0) {
			b.outer = value;
			b.outer_excess = found;
			b.inner_excess /= last > 0 ? 2 : 1;
			last = 1;
		} else {
			b.inner = value;
			b.inner_excess = found;
			b.outer_excess /= last < 0 ? 2 : 1;
			last = -1;
		}
	}
	return b.outer;
}

/* The least and the greatest difference. */
static void range_of(const struct differences *differences, double *ret_least,
		     double *ret_most)
{
	*ret_least = *ret_most = differences->w[0];
	for (size_t i = 1; i < differences->n; i++) {
		*ret_least = ssdpm__min(*ret_least, differences->w[i]);
		*ret_most = ssdpm__max(*ret_most, differences->w[i]);
	}
}

/*
 * A refuted end, at most PRECISION too far outside. Nothing is refuted beyond
 * all differences; everything is refuted far beyond on the other side.
 */
static double end_of(const struct differences *differences, double sign)
{
	double least, most;

	range_of(differences, &least, &most);
	double step = sign * ssdpm__max(most - least, differences->unit_w);
	struct bracket b = {
		.inner = sign > 0 ? most : least,
		.outer = sign > 0 ? least : most,
	};

	b.inner_excess = excess(differences, b.inner, sign);
	b.outer_excess = excess(differences, b.outer, sign);
	while (b.outer_excess < 0) {
		b.inner = b.outer;
		b.inner_excess = b.outer_excess;
		b.outer -= step;
		step *= 2;
		b.outer_excess = excess(differences, b.outer, sign);
	}
	return crossing_in(differences, sign, b);
}

double ssdpm__trial_low_w(const struct differences *differences)
{
	return end_of(differences, 1);
}

double ssdpm__trial_high_w(const struct differences *differences)
{
	return end_of(differences, -1);
}

double ssdpm__trial_middle_w(const struct differences *differences)
{
	struct bracket b = { 0 };

	range_of(differences, &b.outer, &b.inner);
	b.outer_excess = excess(differences, b.outer, 0);
	b.inner_excess = excess(differences, b.inner, 0);
	return b.outer == b.inner ? b.outer : crossing_in(differences, 0, b);
}
