/* SPDX-License-Identifier: MIT */
/* Exponential, logarithm and error function, by their series. */
#include "base/elementary.h"

/* The logarithm of 2 in two parts: the first has bits to spare. */
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33

static double scale(double value, int64_t exponent)
{
	int64_t bits = (exponent + 1023) << 52;
	double power;

	memcpy(&power, &bits, sizeof(power));
	return value * power;
}

double ssdpm__exp(double value)
{
	double sum = 1;

	if (value != value)
		return value;
	if (value > 709.78)
		return INFINITY;
	if (value < -708)
		return 0;
	int64_t twos =
		(int64_t)ssdpm__floor(value / (LN2_HIGH + LN2_LOW) + 0.5);
	double rest = value - (double)twos * LN2_HIGH - (double)twos * LN2_LOW;

	/* Up to 0.35: the fourteenth term is below 2^-54. */
	for (int i = 14; i > 0; i--)
		sum = 1 + sum * rest / i;
	/* In two steps: 2^1024 is no double. */
	return scale(scale(sum, twos / 2), twos - twos / 2);
}

double ssdpm__ln(double value)
{
	int64_t bits, twos = 0;
	double sum = 0;

	if (value == 0)
		return -INFINITY;
	if (!(value > 0) || value == INFINITY)
		return value == INFINITY ? value : NAN;
	if (value < 0x1p-1022) {
		value *= 0x1p54;
		twos = -54;
	}
	memcpy(&bits, &value, sizeof(bits));
	twos += (bits >> 52) - 1023;
	bits = (bits & 0xfffffffffffff) | INT64_C(1023) << 52;
	memcpy(&value, &bits, sizeof(value));
	if (value > 0x1.6a09e667f3bcdp0) {
		value /= 2;
		twos++;
	}
	/* 2 atanh: squares are up to 0.0295. */
	double ratio = (value - 1) / (value + 1), square = ratio * ratio;

	for (int i = 23; i > 1; i -= 2)
		sum = (sum + 2.0 / i) * square;
	sum = ratio * (2 + sum);
	return (double)twos * LN2_HIGH + (sum + (double)twos * LN2_LOW);
}

/* erf(x) = 2/sqrt(pi) exp(-x^2) sum of 2^n x^(2n+1) / (2n+1)!! */
static double erf_series(double value)
{
	double term = value, sum = value, square = value * value;

	for (int i = 3; term > sum * 1e-17; i += 2) {
		term *= 2 * square / i;
		sum += term;
	}
	return 1.1283791670955126 * ssdpm__exp(-square) * sum;
}

/* The continued fraction, from far inside outwards: enough from 1.25 on. */
static double erfc_fraction(double value)
{
	double fraction = value;

	for (int i = 200; i > 0; i--)
		fraction = value + (i / 2.0) / fraction;
	/* The square loses digits that count when it is large: in two parts. */
	double high = ssdpm__floor(value * 65536) / 65536;
	double low = value - high;
	double power =
		ssdpm__exp(-high * high) * ssdpm__exp(-low * (value + high));

	return power / (fraction * 1.7724538509055159);
}

double ssdpm__erfc(double value)
{
	if (value != value)
		return value;
	if (value < 0)
		return 2 - ssdpm__erfc(-value);
	if (value < 1.25)
		return 1 - erf_series(value);
	return value > 27 ? 0 : erfc_fraction(value);
}
