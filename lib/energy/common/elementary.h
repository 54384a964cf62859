/* SPDX-License-Identifier: MIT */
/*
 * The functions of <math.h> that the library needs and that are more than one
 * instruction. Without libm, the library adds 0.3 MiB less to programs that ask
 * it for a table. It also gives the same digits on every machine.
 */
#ifndef SSDPM_LIB_COMMON_ELEMENTARY_H
#define SSDPM_LIB_COMMON_ELEMENTARY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* NaN is less than all else. */
static inline double ssdpm__max(double a, double b)
{
	return a > b || b != b ? a : b;
}

static inline double ssdpm__min(double a, double b)
{
	return a < b || b != b ? a : b;
}

/* From 2^52 on all doubles are whole. */
static inline double ssdpm__floor(double value)
{
	if (!(fabs(value) < 4503599627370496.0))
		return value;
	double whole = (double)(int64_t)value;

	return whole > value ? whole - 1 : whole;
}

static inline double ssdpm__ceil(double value)
{
	return -ssdpm__floor(-value);
}

/* The next larger double; the largest and infinity give infinity. */
static inline double ssdpm__next_up(double value)
{
	int64_t bits;

	if (!(value < INFINITY))
		return value;
	if (value == 0)
		value = 0; /* -0, too */
	memcpy(&bits, &value, sizeof(bits));
	bits += bits < 0 ? -1 : 1;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/*
 * Errors are below 1e-15 of the value, for erfc 1e-14; test-common.c compares
 * with libm. Below -708, exp is 0.
 */
double ssdpm__exp(double value);
double ssdpm__ln(double value);
double ssdpm__erfc(double value);

/* The base is above 0. */
static inline double ssdpm__pow(double base, double exponent)
{
	return ssdpm__exp(exponent * ssdpm__ln(base));
}

#endif
