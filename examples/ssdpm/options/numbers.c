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
	if (!strcmp(number.text, "-0"))
		strcpy(number.text, "0");
	return number;
}

/* The scale of a range is that of its larger end. */
static const struct scale *power_scale(int64_t low_uw, int64_t high_uw)
{
	double low = magnitude(low_uw), high = magnitude(high_uw);
	double most = low > high ? low : high;
	const struct scale *scale = powers;

	while (scale[1].unit && most >= scale[1].factor * 0.9995)
		scale++;
	return scale;
}

struct number power_range_text(int64_t low_uw, int64_t high_uw)
{
	double low = magnitude(low_uw), high = magnitude(high_uw);
	double least = low > high ? high : low;
	const struct scale *scale = power_scale(low_uw, high_uw);
	struct number number;

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

/* What is likely is not known better. */
static int64_t two_digits(int64_t uw)
{
	int64_t unit = 1;

	while (uw / unit >= 100 || uw / unit <= -100)
		unit *= 10;
	return (uw + (uw < 0 ? -unit : unit) / 2) / unit * unit;
}

/* " (likely 12 to 130)"; with a unit where that is another one. */
static struct number likely_range(int64_t low_uw, int64_t uw, int64_t high_uw)
{
	const struct scale *scale;
	struct number number = { "" };

	low_uw = two_digits(low_uw);
	high_uw = two_digits(high_uw);
	if (low_uw == high_uw)
		return number;
	scale = power_scale(low_uw, high_uw);
	snprintf(number.text, sizeof(number.text), " (likely %.6s to %.6s%s%s)",
		 in_unit(low_uw, scale->factor).text,
		 in_unit(high_uw, scale->factor).text,
		 scale == power_scale(uw, uw) ? "" : " ",
		 scale == power_scale(uw, uw) ? "" : scale->unit);
	return number;
}

/* What is lost is more, and not a negative saving. */
struct saving_words saving_text(const struct ssdpm_likely *likely)
{
	static const char *const forms[][2] = {
		[SSDPM_SAVING_SAVES] = { "saves %s%s", "saves %s%s" },
		[SSDPM_SAVING_PROBABLY_SAVES] = { "probably saves %s%s",
						  "probably saves %s%s" },
		[SSDPM_SAVING_NOT_DECIDED] = { "not decided: %s%s",
					       "not decided: -%s%s" },
		[SSDPM_SAVING_PROBABLY_COSTS] = { "probably costs %s%s",
						  "probably costs %s%s" },
		[SSDPM_SAVING_COSTS] = { "costs %s%s", "costs %s%s" },
		[SSDPM_SAVING_TOO_SMALL] = { "saves too little to matter: %s%s",
					     "costs too little to matter: %s%s" },
	};
	const bool lost = likely->median_uw < 0;
	const bool turned = likely->verdict == SSDPM_SAVING_COSTS ||
			    likely->verdict == SSDPM_SAVING_PROBABLY_COSTS ||
			    (lost && likely->verdict == SSDPM_SAVING_TOO_SMALL);
	const bool certain = likely->low_uw == likely->high_uw;
	int64_t uw = lost ? -likely->median_uw : likely->median_uw;
	struct number range = { "" };
	struct saving_words words;

	if (!certain) {
		uw = two_digits(uw);
		range = likely_range(
			turned ? -likely->high_uw : likely->low_uw, uw,
			turned ? -likely->low_uw : likely->high_uw);
	}
	if (certain && !uw)
		strcpy(words.text, "likely saves nothing");
	else
		snprintf(words.text, sizeof(words.text),
			 forms[likely->verdict][lost], power_text(uw).text,
			 range.text);
	return words;
}
