/* SPDX-License-Identifier: MIT */
#include "options/numbers.h"

#include <inttypes.h>
#include <string.h>

struct scale {
	double factor; /* of one in the smallest unit */
	const char *unit;
};

/* Digits behind the point, so that there are three; none where it is whole. */
static int decimals(double value)
{
	int n = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	for (; n; n--) {
		double shifted = value * (n == 2 ? 10 : 1);
		double rest = shifted - (double)(uint64_t)(shifted + 0.5);

		if (rest > 0.05 || rest < -0.05)
			break;
	}
	return n;
}

/* The last scale that leaves 1 or more; the first one if there is none. */
static struct number scaled(double value, const struct scale *scales,
			    const char *sign)
{
	const struct scale *scale = scales;
	struct number number;

	while (scale[1].unit && value >= scale[1].factor * 0.9995)
		scale++;
	value /= scale->factor;
	snprintf(number.text, sizeof(number.text), "%s%.*f %s", sign,
		 decimals(value), value, scale->unit);
	return number;
}

struct number time_text(uint64_t ns)
{
	static const struct scale scales[] = {
		{ 1, "ns" },	  { 1e3, "us" },   { 1e6, "ms" },
		{ 1e9, "s" },	  { 60e9, "min" }, { 3600e9, "h" },
		{ 86400e9, "d" }, { 0, NULL },
	};

	return scaled((double)ns, scales, "");
}

struct number energy_text(uint64_t nj)
{
	static const struct scale scales[] = {
		{ 1, "nJ" },	{ 1e3, "uJ" },	{ 1e6, "mJ" }, { 1e9, "J" },
		{ 1e12, "kJ" }, { 1e15, "MJ" }, { 0, NULL },
	};

	return scaled((double)nj, scales, "");
}

static const struct scale powers[] = {
	{ 1, "uW" },
	{ 1e3, "mW" },
	{ 1e6, "W" },
	{ 0, NULL },
};

static double magnitude(int64_t uw)
{
	return uw < 0 ? -(double)uw : (double)uw;
}

struct number power_text(int64_t uw)
{
	return scaled(magnitude(uw), powers, uw < 0 ? "-" : "");
}

struct number any_power_text(uint64_t uw)
{
	return power_text((int64_t)uw);
}

static struct number in_unit(int64_t uw, double factor)
{
	double value = magnitude(uw) / factor;
	struct number number;

	snprintf(number.text, sizeof(number.text), "%s%.*f", uw < 0 ? "-" : "",
		 decimals(value), value);
	return number;
}

struct number power_range_text(int64_t low_uw, int64_t high_uw)
{
	double low = magnitude(low_uw), high = magnitude(high_uw);
	double most = low > high ? low : high, least = low > high ? high : low;
	const struct scale *scale = powers;
	struct number number;

	while (scale[1].unit && most >= scale[1].factor * 0.9995)
		scale++;
	if (least > 0 && least < scale->factor / 100)
		snprintf(number.text, sizeof(number.text), "%.12s..%.12s",
			 power_text(low_uw).text, power_text(high_uw).text);
	else
		snprintf(number.text, sizeof(number.text), "%.12s..%.12s %s",
			 in_unit(low_uw, scale->factor).text,
			 in_unit(high_uw, scale->factor).text, scale->unit);
	return number;
}

struct number bytes_text(uint64_t bytes)
{
	static const struct scale scales[] = {
		{ 1, "B" },
		{ 1024, "KiB" },
		{ 1048576, "MiB" },
		{ 1073741824, "GiB" },
		{ 1099511627776.0, "TiB" },
		{ 0, NULL },
	};

	return scaled((double)bytes, scales, "");
}

struct number share_text(uint64_t part, uint64_t whole)
{
	struct number number;
	double share = 100 * (double)part / (double)whole;

	if (!whole)
		snprintf(number.text, sizeof(number.text), "-");
	else if (part && share < 0.05)
		snprintf(number.text, sizeof(number.text), "< 0.1 %%");
	else if (part < whole && share >= 99.95)
		snprintf(number.text, sizeof(number.text), "> 99.9 %%");
	else
		snprintf(number.text, sizeof(number.text), "%.*f %%",
			 share >= 99.95 || !part ? 0 : 1, share);
	return number;
}

struct number count_text(uint64_t count)
{
	struct number number;
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	size_t length = 0;

	for (int i = 0; i < n; i++) {
		number.text[length++] = digits[i];
		if (i + 1 < n && (n - i) % 3 == 1)
			number.text[length++] = ',';
	}
	number.text[length] = 0;
	return number;
}

struct counted counted(uint64_t count, const char *one)
{
	struct counted words;

	snprintf(words.text, sizeof(words.text), "%s %s%s",
		 count_text(count).text, one, count == 1 ? "" : "s");
	return words;
}

/* What is lost is more, and not a negative saving. */
struct saving_words saving_text(const struct ssdpm_saving *s)
{
	bool lost = s->nominal_uw < 0;
	int64_t low = lost ? -s->high_uw : s->low_uw;
	int64_t high = lost ? -s->low_uw : s->high_uw;
	struct saving_words words;
	char range[96] = "";

	if (low != high)
		snprintf(range, sizeof(range), " (%s%s)",
			 power_range_text(low, high).text,
			 low >= 0 || high <= 0 ? "" :
			 lost		       ? ": it may also save" :
						 ": it may also cost");
	if (lost)
		snprintf(words.text, sizeof(words.text), "costs %s more%s",
			 power_text(-s->nominal_uw).text, range);
	else if (!s->nominal_uw && low == high)
		strcpy(words.text, "saves nothing");
	else
		snprintf(words.text, sizeof(words.text), "saves %s%s",
			 power_text(s->nominal_uw).text, range);
	return words;
}
