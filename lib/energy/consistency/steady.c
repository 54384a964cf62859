/* SPDX-License-Identifier: MIT */
/* Rounds of a test: when are they steady, and how far does power follow load?
 */
#include <ssdpm/energy/consistency.h>

#include "measure/internal.h"

#include <errno.h>

#include "base/internal.h"

#define WINDOW 5
#define MAX_RANGE 0.2
#define MAX_SLOPE 0.1

/* Of a window: does it keep both limits? */
static bool is_steady(const double *rounds, size_t n, double max_range,
		      double max_slope)
{
	double min = INFINITY, max = -INFINITY, sum = 0, slope = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		min = ssdpm__min(min, rounds[i]);
		max = ssdpm__max(max, rounds[i]);
		sum += rounds[i];
	}
	double mean = sum / (double)n;

	for (size_t i = 0; i < n; i++) {
		double x = (double)i - ((double)n - 1) / 2;

		slope += x * (rounds[i] - mean);
		squares += x * x;
	}
	/* From one end of the fitted line to the other. */
	double excursion = fabs(slope / squares) * ((double)n - 1);

	return max - min <= max_range * mean && excursion <= max_slope * mean;
}

int ssdpm_steady_state_find(const double *rounds, size_t n,
			    const struct ssdpm_steady_params *params,
			    size_t *ret_begin, struct ssdpm_error *reterr)
{
	struct ssdpm_steady_params known = { .size = sizeof(known) };
	int err = ssdpm__sized_in(&known, sizeof(known), params,
				  "ssdpm_steady_params", reterr);

	if (!err)
		err = ssdpm__check_reserved(known.reserved,
					    "ssdpm_steady_params", reterr);
	if (err)
		return err;
	if (!known.window)
		known.window = WINDOW;
	if (known.max_range == 0)
		known.max_range = MAX_RANGE;
	if (known.max_slope == 0)
		known.max_slope = MAX_SLOPE;
	if (known.window < 2 || !(known.max_range > 0) ||
	    !(known.max_slope > 0))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"steady state: a window of 2 rounds or more and limits above 0 are needed");
	for (size_t i = 0; i < n; i++)
		if (!isfinite(rounds[i]))
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "round %zu is not a finite number",
					   i + 1);
	for (size_t i = 0; i + known.window <= n; i++)
		if (is_steady(rounds + i, known.window, known.max_range,
			      known.max_slope)) {
			*ret_begin = i;
			return 0;
		}
	return ssdpm__fail(reterr, -ENODATA, 0,
			   "steady state was not reached in %zu rounds", n);
}

int ssdpm_proportionality(const double *load, const double *power_w, size_t n,
			  double *ret_index, struct ssdpm_error *reterr)
{
	double above = 0;

	for (size_t i = 0; i < n; i++)
		if (!isfinite(load[i]) || !isfinite(power_w[i]) ||
		    !(i ? load[i] > load[i - 1] : load[i] == 0))
			return ssdpm__fail(
				reterr, -EINVAL, 0,
				"loads begin with 0 and ascend, powers are finite");
	if (n < 2 || !(power_w[n - 1] > 0))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"two loads or more are needed, and a power above 0 W at the last");
	/* Both as shares of the last. */
	for (size_t i = 1; i < n; i++) {
		double width = (load[i] - load[i - 1]) / load[n - 1];
		double left = power_w[i - 1] / power_w[n - 1] -
			      load[i - 1] / load[n - 1];
		double right =
			power_w[i] / power_w[n - 1] - load[i] / load[n - 1];

		above += width * (left + right) / 2;
	}
	/* A power that never changes has a triangle of 1/2 above the line. */
	*ret_index = 1 - above / 0.5;
	return 0;
}
