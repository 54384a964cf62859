/* SPDX-License-Identifier: MIT */
/*
 * Names of drives that differ in their capacity alone: CT4000P3SSD8 and
 * CT1000P3SSD8, WDC WDS250G2B0C-00PXH0 and WDC WDS100T2B0C-00PXH0, KXG60ZNV512G
 * TOSHIBA and KXG60ZNV1T02 TOSHIBA. MP400 and MP600 are no such names: a
 * capacity has a unit, or follows Crucial's CT.
 */
#include "model/catalogue.h"

#include <string.h>

#define MOST_DIGITS 5

/* GB that drives are sold with. */
static const uint16_t sizes[] = {
	15360, 16000, 1000, 1024, 1600, 1920, 2000, 2048, 3200,
	3840,  4000,  4096, 6400, 7680, 8000, 8192, 120,  128,
	240,   250,   256,  400,  480,	500,  512,  800,  960,
};

static size_t count_digits(const char *at)
{
	return strspn(at, "0123456789");
}

static uint32_t number(const char *at, size_t n)
{
	uint32_t value = 0;

	while (n--)
		value = value * 10 + (uint32_t)(*at++ - '0');
	return value;
}

/* How many of these digits, at their end, are a size: 3 of "8500"; or 0. */
static size_t size_digits(const char *at, size_t n)
{
	for (size_t i = n < MOST_DIGITS ? n : MOST_DIGITS; i >= 3; i--)
		for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
			if (at[n - i] != '0' &&
			    number(at + n - i, i) == sizes[k])
				return i;
	return 0;
}

/* How long "1t", "1t0", "1t02", "01t", "020t" and WD's "100t" are; or 0. */
static size_t terabytes(const char *at, size_t n)
{
	if (at[n] != 't' || n > 3 || !number(at, n))
		return 0;
	if (n == 1) {
		size_t fraction = count_digits(at + 2);
		return 2 + (fraction < 2 ? fraction : 2);
	}
	return at[0] == '0' || (n == 3 && number(at + 1, 2) == 0) ? n + 1 : 0;
}

static bool follows_ct(const char *key, size_t at)
{
	return at >= 2 && !memcmp(key + at - 2, "ct", 2) &&
	       (at == 2 || key[at - 3] == ' ' || key[at - 3] == '_');
}

/* How long the capacity is behind the first of n digits; 0: there is none. */
static size_t capacity_at(const char *key, size_t at, size_t n,
			  size_t *ret_before)
{
	size_t length = terabytes(key + at, n), digits;

	*ret_before = 0;
	if (length)
		return length;
	digits = key[at + n] == 'g' || key[at + n] == 't' ||
				 follows_ct(key, at) ?
			 size_digits(key + at, n) :
			 0;
	*ret_before = n - digits;
	return digits ? digits + (key[at + n] == 'g') : 0;
}

bool ssdpm__drop_capacities(const char *key, char ret_rest[PRODUCT_SIZE])
{
	size_t length = 0, at = 0, before;
	bool has_one = false;

	while (key[at]) {
		size_t n = count_digits(key + at);
		size_t capacity = n ? capacity_at(key, at, n, &before) : 0;

		if (!n)
			before = 1;
		memcpy(ret_rest + length, key + at, before);
		length += before;
		at += before + capacity;
		if (capacity)
			ret_rest[length++] = CAPACITY_MARK;
		has_one |= capacity > 0;
	}
	ret_rest[length] = 0;
	return has_one;
}
