/* SPDX-License-Identifier: MIT */
/*
 * Names of drives that differ in their capacity alone: CT4000P3SSD8 and
 * CT1000P3SSD8, WDC WDS250G2B0C-00PXH0 and WDC WDS100T2B0C-00PXH0, KXG60ZNV512G
 * TOSHIBA and KXG60ZNV1T02 TOSHIBA. MP400 and MP600 are no such names: a
 * capacity has a unit, or follows Crucial's CT.
 */
#include "model/catalogue.h"

#include <string.h>

static size_t count_digits(const char *at)
{
	return strspn(at, "0123456789");
}

/* GB that drives are sold with; none of them ends in one before it. */
static const char sizes[] = "15360\0"
			    "16000\0"
			    "1000\0"
			    "1024\0"
			    "1600\0"
			    "1920\0"
			    "2000\0"
			    "2048\0"
			    "3200\0"
			    "3840\0"
			    "4000\0"
			    "4096\0"
			    "6400\0"
			    "7680\0"
			    "8000\0"
			    "8192\0"
			    "120\0"
			    "128\0"
			    "240\0"
			    "250\0"
			    "256\0"
			    "400\0"
			    "480\0"
			    "500\0"
			    "512\0"
			    "800\0"
			    "960\0";

/* How many of n digits, at their end, are a size: 3 of "8500"; or 0. */
static size_t size_digits(const char *at, size_t n)
{
	for (const char *size = sizes; *size; size += strlen(size) + 1) {
		size_t length = strlen(size);

		if (length <= n && !memcmp(at + n - length, size, length))
			return length;
	}
	return 0;
}

/* How long "1t", "1t0", "1t02", "01t", "020t" and WD's "100t" are; or 0. */
static size_t terabytes(const char *at, size_t n)
{
	size_t fraction;

	if (at[n] != 't' || n > 3 || strspn(at, "0") >= n)
		return 0;
	if (n > 1)
		return at[0] == '0' || !memcmp(at + 1, "00", 2) ? n + 1 : 0;
	fraction = count_digits(at + 2);
	return 2 + (fraction < 2 ? fraction : 2);
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
