/* SPDX-License-Identifier: MIT */
/*
 * Formulas for write amplification. With alpha = flash / data = 1 / (1 - spare
 * factor), all use Lambert's W as the root u of one equation,
 *
 *     1 - u = e^(-alpha u),  0 < u < 1
 *
 * The root u is the invalid share of a block when it is collected: -W(-alpha
 * e^-alpha) = alpha (1 - u), on the branch W_0.
 */
#include "writes/ftl.h"

#include <errno.h>
#include <math.h>

#include "common/elementary.h"
#include "base/internal.h"
#include "base/words.h"

/* Closer to 0 than this, a series is more accurate than its function. */
#define SERIES_SPARE 1e-4
#define SERIES_X 1e-2
/* Shares from people and files are rounded. */
#define SHARE_ERROR 1e-6
/* Newton's steps halve the distance at worst, once for each bit of a double. */
#define MAX_STEPS 64

int ssdpm__check_spare_factor(double spare_factor, struct ssdpm_error *reterr)
{
	if (spare_factor > 0 && spare_factor < 1)
		return 0;
	return ssdpm__fail(
		reterr, -ERANGE, 0,
		"the spare factor is the share of the flash that holds no data: above 0 and below 1");
}

/*
 * The root by Newton's method on -ln(1 - u) - alpha u. The function is convex
 * and 1 - e^-alpha is at or above the root, so each step approaches from above.
 */
static double invalid_share(double spare)
{
	double alpha = 1 / (1 - spare);
	double u = 1 - ssdpm__exp(-alpha);

	if (spare < SERIES_SPARE)
		return 1 / (1 / (2 * spare) + 1.0 / 6);
	for (int i = 0; i < MAX_STEPS && u < 1; i++) {
		double rest = 1 - u, lost = (rest - 1) + u;
		double value = lost / rest - ssdpm__ln(rest) - alpha * u;
		double next = u - value / (1 / rest - alpha);

		if (!(next < u))
			break;
		u = next;
	}
	return u;
}

static int calculate_greedy(double alpha, uint32_t pages_per_block,
			    double *ret_wa, struct ssdpm_error *reterr)
{
	double n = pages_per_block;

	if (pages_per_block < MIN_PAGES_PER_BLOCK ||
	    pages_per_block > MAX_PAGES_PER_BLOCK)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "greedy: a block has 2 to 65536 pages");
	double k = (1 + 1 / (2 * n)) * alpha;
	double valid = 0.5 + n * k / alpha * (1 - invalid_share(1 - 1 / k));
	double wa = n / (n - (valid - 1));

	/* Both are beyond the validity of the approximation. */
	if (!(wa >= 1) || wa > n)
		return ssdpm__fail(
			reterr, -ERANGE, 0,
			"greedy: not valid for that spare factor with %u pages per block",
			pages_per_block);
	*ret_wa = wa;
	return 0;
}

int ssdpm_wa_calculate(uint32_t formula, double spare_factor,
		       uint32_t pages_per_block, double *ret_wa,
		       struct ssdpm_error *reterr)
{
	double wa = 1 / (2 * spare_factor);
	int err = ssdpm__check_spare_factor(spare_factor, reterr);

	if (err)
		return err;
	switch (formula) {
	case SSDPM_WA_RANDOM:
		*ret_wa = 1 / spare_factor;
		return 0;
	case SSDPM_WA_FIFO:
		*ret_wa = 1 / invalid_share(spare_factor);
		return 0;
	case SSDPM_WA_GREEDY:
		return calculate_greedy(1 / (1 - spare_factor), pages_per_block,
					ret_wa, reterr);
	case SSDPM_WA_AGARWAL:
		/* wa is (1 + rho) / (2 rho), where rho = alpha - 1 */
		if (wa < 1)
			return ssdpm__fail(
				reterr, -ERANGE, 0,
				"agarwal: not valid above a spare factor of 0.5");
		*ret_wa = wa;
		return 0;
	default:
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%u is no formula of write amplification",
				   formula);
	}
}

int ssdpm__check_write_classes(const struct ssdpm_write_class *classes,
			       size_t n_classes, struct ssdpm_error *reterr)
{
	double addresses = 0, writes = 0;

	if (!n_classes || n_classes > SSDPM_MAX_WRITE_CLASSES)
		return ssdpm__fail(reterr, -EINVAL, 0, "1 to %d classes",
				   SSDPM_MAX_WRITE_CLASSES);
	for (size_t i = 0; i < n_classes; i++) {
		if (!(classes[i].address_share > 0) ||
		    !(classes[i].write_share >= 0))
			return ssdpm__fail(
				reterr, -EINVAL, 0,
				"class %zu: its share of addresses must be above 0, that of writes not below",
				i + 1);
		addresses += classes[i].address_share;
		writes += classes[i].write_share;
	}
	if (!(fabs(addresses - 1) < SHARE_ERROR) ||
	    !(fabs(writes - 1) < SHARE_ERROR))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"classes: the shares of addresses must come to 1, and those of writes");
	return 0;
}

/* x / (1 - e^-x): the flash per page of a class; and its slope. */
static double flash_of(double x, double *ret_slope)
{
	if (x < SERIES_X) {
		*ret_slope = 0.5 + x / 6 - x * x * x / 180;
		return 1 + x / 2 + x * x / 12 - x * x * x * x / 720;
	}
	double rest = ssdpm__exp(-x), used = 1 - rest;

	*ret_slope = (1 - rest * (1 + x)) / (used * used);
	return x / used;
}

/*
 * With y = alpha / WA, class i takes f_i x_i / (1 - e^-x_i) of the flash, where
 * x_i = y r_i / f_i. All classes take alpha. The sum is convex in y, and y =
 * alpha is at or above the root.
 */
int ssdpm_wa_calculate_classes(double spare_factor,
			       const struct ssdpm_write_class *classes,
			       size_t n_classes, double *ret_wa,
			       struct ssdpm_error *reterr)
{
	double alpha = 1 / (1 - spare_factor), y = alpha;
	int err = ssdpm__check_spare_factor(spare_factor, reterr);

	if (!err)
		err = ssdpm__check_write_classes(classes, n_classes, reterr);
	if (err)
		return err;
	for (int i = 0; i < MAX_STEPS; i++) {
		double value = -alpha, slope = 0, one;

		for (size_t j = 0; j < n_classes; j++) {
			double f = classes[j].address_share;
			double share = classes[j].write_share;

			value += f * flash_of(y * share / f, &one);
			slope += share * one;
		}
		double next = y - value / slope;

		if (!(next < y))
			break;
		y = next;
	}
	*ret_wa = ssdpm__max(alpha / y, 1);
	return 0;
}

int ssdpm_spare_factor_trim(double spare_factor, double trim_share,
			    double *ret_spare_factor,
			    struct ssdpm_error *reterr)
{
	int err = ssdpm__check_spare_factor(spare_factor, reterr);

	if (err)
		return err;
	if (!(trim_share >= 0) || !(trim_share < 0.5))
		return ssdpm__fail(
			reterr, -ERANGE, 0,
			"TRIM: its share of requests is 0 or more and below 0.5");
	*ret_spare_factor = 1 - (1 - spare_factor) * (1 - 2 * trim_share) /
					(1 - trim_share);
	return 0;
}

static bool is_cost(double value)
{
	return value >= 0 && isfinite(value);
}

int ssdpm_write_cost_calculate(const struct ssdpm_nand *nand, double wa,
			       struct ssdpm_write_cost *ret_cost,
			       struct ssdpm_error *reterr)
{
	struct ssdpm_nand known = { .size = sizeof(known) };
	int err = ssdpm__sized_in(&known, sizeof(known), nand, "ssdpm_nand",
				  reterr);
	double s_per_byte = 0;

	if (err)
		return err;
	if (!(wa >= 1) || !isfinite(wa))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "write amplification is 1 or more");
	if (!is_cost(known.link_pj) || !is_cost(known.program_pj) ||
	    !is_cost(known.read_pj) || !is_cost(known.erase_pj) ||
	    !is_cost(known.program_bytes_per_s) ||
	    !is_cost(known.read_bytes_per_s))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"ssdpm_nand: energies and rates are 0 or more, and finite");
	if (known.program_bytes_per_s > 0)
		s_per_byte += wa / known.program_bytes_per_s;
	if (known.read_bytes_per_s > 0)
		s_per_byte += (wa - 1) / known.read_bytes_per_s;
	ret_cost->byte_pj = known.link_pj +
			    wa * (known.program_pj + known.erase_pj) +
			    (wa - 1) * known.read_pj;
	ret_cost->bytes_per_s = 1 / s_per_byte;
	return 0;
}

static const char wa_formula_words[][8] = {
	[SSDPM_WA_RANDOM] = "random",
	[SSDPM_WA_FIFO] = "fifo",
	[SSDPM_WA_GREEDY] = "greedy",
	[SSDPM_WA_AGARWAL] = "agarwal",
};
ENUM_WORDS(wa_formula)
