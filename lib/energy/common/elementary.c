/* SPDX-License-Identifier: MIT */
/* Exponential, logarithm and error function, by their series. */
#include "common/elementary.h"

/* The logarithm of 2 in two parts; the first has spare bits. */
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
	/* 1/14! to 1/0!; a division takes as long as four terms. */
	static const double terms[] = {
		0x1.93974a8c07c9dp-37,
		0x1.6124613a86d09p-33,
		0x1.1eed8eff8d898p-29,
		0x1.ae64567f544e4p-26,
		0x1.27e4fb7789f5cp-22,
		0x1.71de3a556c734p-19,
		0x1.a01a01a01a01ap-16,
		0x1.a01a01a01a01ap-13,
		0x1.6c16c16c16c17p-10,
		0x1.1111111111111p-7,
		0x1.5555555555555p-5,
		0x1.5555555555555p-3,
		0.5,
		1,
		1,
	};
	double sum = 0;

	if (value != value)
		return value;
	if (value > 709.78)
		return INFINITY;
	if (value < -708)
		return 0;
	int64_t twos =
		(int64_t)ssdpm__floor(value / (LN2_HIGH + LN2_LOW) + 0.5);
	double rest = value - (double)twos * LN2_HIGH - (double)twos * LN2_LOW;

	/* Up to 0.35, the fourteenth term is below 2^-54. */
	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++)
		sum = sum * rest + terms[i];
	/* Two steps, because 2^1024 is no double. */
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
	/* 2 atanh; squares are at most 0.0295. */
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

/*
 * Evaluates the continued fraction from the inside out, as a numerator over a
 * denominator. Each denominator is the previous numerator, so one division is
 * enough. After n terms, a relative error of exp(-2 value sqrt(2 n)) remains.
 * 200 terms are enough at 1.25, where they reach 10^178.
 */
static double erfc_fraction(double value)
{
	double over = value, under = 1;

	for (int i = 10 + (int)(312 / (value * value)); i > 0; i--) {
		double next = value * over + i * 0.5 * under;

		under = over;
		over = next;
	}
	/*
	 * A large square would lose significant digits, so it is taken in two
	 * parts.
	 */
	double high = ssdpm__floor(value * 65536) / 65536;
	double low = value - high;
	double power =
		ssdpm__exp(-high * high) * ssdpm__exp(-low * (value + high));

	return power * under / (over * 1.7724538509055159);
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
