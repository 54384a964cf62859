/* SPDX-License-Identifier: MIT */
/*
 * The studentised range, and other integrals over an estimated standard
 * deviation s:
 *
 *     P(Q <= q) = integral of f(s) W(q s) ds over s > 0
 *     W(w)      = k integral of phi(z) (Phi(z) - Phi(z - w))^(k-1) dz
 *     f(s)      ~ s^(df-1) ssdpm__exp(-df s^2 / 2)
 *
 * Both use the trapezoid rule over the whole line, the outer one over x = ln s.
 * Its error falls exponentially with the number of points if a function is
 * analytic and vanishes at both ends (Trefethen and Weideman 2014). The sum of
 * f normalises it, so no gamma function is needed.
 */
#include "survey/internal.h"

#include <errno.h>

#include "base/internal.h"

/* Points of the inner integral; e^-36 is left out at its ends. */
#define INNER_STEP 0.2
#define INNER_END 8.4
#define N_INNER 85 /* 2 * 8.4 / 0.2 + 1 */
/* The largest step of the outer integral. */
#define OUTER_STEP 0.1
/* A weight below e^-42 of the largest is negligible. */
#define NOTHING (-42.0)
/* With this many degrees of freedom, s is 1 to within 1e-9. */
#define CERTAIN_DF 1e10

#define SQRT_HALF 0.70710678118654752
#define SQRT_2PI 2.5066282746310005

/* Below -9, it is less than the integrals leave out. */
static double normal_p(double z)
{
	return z < -9 ? 0 : ssdpm__erfc(-z * SQRT_HALF) / 2;
}

/* The part of the inner integral that does not depend on w. */
struct studentized_range {
	double q;
	double weight[N_INNER]; /* step x k x phi(z) */
	double below[N_INNER];	/* Phi(z) */
	uint32_t k;
};

static void range_set(struct studentized_range *range, double q, uint32_t k)
{
	range->q = q;
	range->k = k;
	for (int i = 0; i < N_INNER; i++) {
		double z = i * INNER_STEP - INNER_END;

		range->weight[i] =
			INNER_STEP * k * ssdpm__exp(-z * z / 2) / SQRT_2PI;
		range->below[i] = normal_p(z);
	}
}

static double power_of(double x, uint32_t n)
{
	double result = 1;

	for (; n; n >>= 1, x *= x)
		if (n & 1)
			result *= x;
	return result;
}

/* 1 - W(q s) */
static double range_above(const void *data, double s)
{
	const struct studentized_range *range = data;
	double inside = 0;

	if (range->k == 2)
		return ssdpm__erfc(range->q * s / 2);
	for (int i = 0; i < N_INNER; i++) {
		double z = i * INNER_STEP - INNER_END;

		inside += range->weight[i] *
			  power_of(range->below[i] - normal_p(z - range->q * s),
				   range->k - 1);
	}
	return 1 - inside;
}

/* Logarithm of f(s) ds over x = ln s: 0 at its largest. */
static double log_weight(double x, double df)
{
	return df * (x + (1 - ssdpm__exp(2 * x)) / 2);
}

typedef double value_of_s(const void *data, double s);

/* The mean of a function over f. */
static double mean_over_s(value_of_s *value, const void *data, double df)
{
	double step = ssdpm__min(OUTER_STEP, 0.5 / sqrt(2 * df));
	double weights = 0, sum = 0;

	if (df >= CERTAIN_DF)
		return value(data, 1);
	for (int side = -1; side <= 1; side += 2) {
		for (int i = side > 0; /* 0 once */; i++) {
			double x = side * i * step;
			double log_w = log_weight(x, df);

			if (!(log_w >= NOTHING)) /* NaN, too */
				break;
			double weight = ssdpm__exp(log_w);

			weights += weight;
			sum += weight * value(data, ssdpm__exp(x));
		}
	}
	return sum / weights;
}

double ssdpm__range_p(double q, uint32_t k, double df)
{
	struct studentized_range range;

	if (q <= 0)
		return 1;
	range_set(&range, q, k);
	return ssdpm__min(1,
			  ssdpm__max(0, mean_over_s(range_above, &range, df)));
}

/* Finds where a falling function of x > 0 equals p, by halving. */
typedef double falling(const void *data, double x);

static double find_falling(falling *value, const void *data, double p)
{
	double low = 0, high = 4;

	while (value(data, high) > p && high < 1e12) {
		low = high;
		high *= 2;
	}
	/* Regula falsi with halved weights (Illinois), in the logarithm. */
	double at_low =
		low > 0 ? ssdpm__ln(value(data, low) / p) : -ssdpm__ln(p);
	double at_high = ssdpm__ln(ssdpm__max(value(data, high), 1e-300) / p);

	for (int i = 0, kept = 0; i < 200 && high - low > 1e-12 * high; i++) {
		double x = high - at_high * (high - low) / (at_high - at_low);

		if (!(x > low && x < high))
			x = low + (high - low) / 2;
		double at_x = ssdpm__ln(ssdpm__max(value(data, x), 1e-300) / p);

		if (at_x == 0)
			return x;
		if (at_x > 0) {
			low = x;
			at_low = at_x;
			at_high = kept == 1 ? at_high / 2 : at_high;
			kept = 1;
		} else {
			high = x;
			at_high = at_x;
			at_low = kept == -1 ? at_low / 2 : at_low;
			kept = -1;
		}
		if (fabs(at_x) < 1e-12)
			return x;
	}
	return low + (high - low) / 2;
}

struct range_means {
	uint32_t k;
	double df;
};

static double range_p_of(const void *data, double q)
{
	const struct range_means *means = data;

	return ssdpm__range_p(q, means->k, means->df);
}

double ssdpm__range_q(double p, uint32_t k, double df)
{
	struct range_means means = { k, df };

	return find_falling(range_p_of, &means, p);
}

struct shifted {
	double limit;
	double shift;
};

static double shifted_above(const void *data, double s)
{
	const struct shifted *shifted = data;

	return normal_p(shifted->shift - shifted->limit * s) +
	       normal_p(-shifted->shift - shifted->limit * s);
}

double ssdpm__shifted_t_p(double limit, double shift, double df)
{
	struct shifted shifted = { limit, shift };

	return mean_over_s(shifted_above, &shifted, df);
}

static double student_p_of(const void *data, double t)
{
	return ssdpm__shifted_t_p(t, 0, *(const double *)data);
}

double ssdpm__student_t(double p, double df)
{
	return find_falling(student_p_of, &df, p);
}

#define PI 3.14159265358979324
#define N_BRIDGE 8
#define BRIDGE_TERMS 5

/*
 * Cramer and von Mises' statistic of a Brownian bridge (Smirnov 1936) is above
 * x with the probability
 *
 *     2/pi sum of (-1)^j integral of exp(-x u^2 / 2) / sqrt(-u sin u) du
 *
 * over u from (2 j + 1) pi to (2 j + 2) pi. The ends are singular, but not over
 * an angle: u = (2 j + 1) pi + t and t = pi/2 (1 - cos(angle)). Midpoints are
 * then as good as for a periodic function. Both t and the rest of the integrand
 * are symmetric around pi/2.
 */
static double bridge_above(double x)
{
	static const double t[N_BRIDGE] = {
		0.0075638136558265024, 0.06763796246486783, 0.1854776442341895,
		0.3565543460786516,    0.5742936862872912,  0.8303280641255186,
		1.1148182220387453,    1.4168313628022826,
	};
	static const double weights[N_BRIDGE] = {
		0.34760295110173284, 0.34438499212144313, 0.33856108084251907,
		0.3311815677317281,  0.3234733419094725,  0.3165967591907871,
		0.3114851797485224,  0.30877168164590385,
	};
	double sum = 0;

	for (int j = 0; j < BRIDGE_TERMS; j++) {
		double begin = (2 * j + 1) * PI;

		if (x * begin * begin / 2 > -NOTHING)
			break;
		for (int i = 0; i < 2 * N_BRIDGE; i++) {
			int k = i < N_BRIDGE ? i : 2 * N_BRIDGE - 1 - i;
			double u = begin + (i < N_BRIDGE ? t[k] : PI - t[k]);
			double part = weights[k] * ssdpm__exp(-x * u * u / 2) /
				      sqrt(u);

			sum += j % 2 ? -part : part;
		}
	}
	return ssdpm__min(1, 2 / PI * sum);
}

static double bridge_above_s(const void *data, double s)
{
	double x = *(const double *)data * s * s;

	/* Nearly all are above this, where the sum would need more terms. */
	return x < 0.02 ? 1 : bridge_above(x);
}

double ssdpm__bridge_p(double statistic, double df)
{
	return mean_over_s(bridge_above_s, &statistic, df);
}

/* The integral of f over a short part of x = ln s, by Gauss's 3-point rule. */
static double chi_part(double begin, double end, double df)
{
	double half = (end - begin) / 2, middle = begin + half;
	double off = 0.7745966692414834 * half; /* sqrt(3/5) */

	return (5 * ssdpm__exp(log_weight(middle - off, df)) +
		8 * ssdpm__exp(log_weight(middle, df)) +
		5 * ssdpm__exp(log_weight(middle + off, df))) *
	       half / 9;
}

double ssdpm__chi_quantile(double p, double df)
{
	const int n = 1000;
	/* f is below exp(-df x^2 / 2) from -1 on, and exp(-df x^2) above 0. */
	double width = sqrt(-2 * NOTHING / df);
	double begin = width < 1 ? -width : NOTHING / df - 0.5;
	double step = (sqrt(-NOTHING / df) - begin) / n;
	double whole = 0, below = 0, part = 0;
	int at = 0;

	for (int i = 0; i < n; i++)
		whole += chi_part(begin + i * step, begin + (i + 1) * step, df);
	for (; at < n && below + part < p * whole; at++) {
		below += part;
		part = chi_part(begin + at * step, begin + (at + 1) * step, df);
	}
	/* It is in the previous part. */
	begin += (at - 1) * step;
	double low = begin, high = begin + step;

	for (int i = 0; i < 60; i++) {
		double x = low + (high - low) / 2;

		if (below + chi_part(begin, x, df) < p * whole)
			low = x;
		else
			high = x;
	}
	return ssdpm__exp(low);
}

bool ssdpm__is_survey_power(double power_w)
{
	double size = fabs(power_w);

	return size == 0 || (size >= 1e-60 && size <= 1e60);
}

double ssdpm__rate_of_each(double rate, uint32_t n)
{
	return 1 - ssdpm__pow(1 - rate, 1.0 / n);
}

double ssdpm__p_of_all(double p, uint32_t n)
{
	return 1 - ssdpm__pow(1 - p, n);
}

int ssdpm__error_rate(double *rate, struct ssdpm_error *reterr)
{
	if (*rate == 0)
		*rate = SURVEY_ERROR_RATE;
	if (*rate >= 1e-6 && *rate <= 0.5)
		return 0;
	return ssdpm__fail(reterr, -EINVAL, 0,
			   "an error rate is 0.000001 to 0.5");
}

static int check_means(uint32_t k, double df, struct ssdpm_error *reterr)
{
	if (k >= 2 && k <= SURVEY_MAX_MEANS && df >= 1 && isfinite(df))
		return 0;
	return ssdpm__fail(
		reterr, -EINVAL, 0,
		"a studentised range is of 2 to %d means and 1 degree of freedom or more",
		SURVEY_MAX_MEANS);
}

int ssdpm_survey_range_p(double q, uint32_t k, double df, double *ret_p,
			 struct ssdpm_error *reterr)
{
	int err = check_means(k, df, reterr);

	if (err)
		return err;
	if (!(q >= 0) || !isfinite(q))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a range is a number from 0 on");
	*ret_p = ssdpm__range_p(q, k, df);
	return 0;
}

int ssdpm_survey_range_q(double p, uint32_t k, double df, double *ret_q,
			 struct ssdpm_error *reterr)
{
	int err = check_means(k, df, reterr);

	if (err)
		return err;
	if (!(p >= 1e-6 && p <= 0.999999))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"the probability of a range is 0.000001 to 0.999999");
	*ret_q = ssdpm__range_q(p, k, df);
	return 0;
}
