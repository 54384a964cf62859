/* SPDX-License-Identifier: MIT */
#include "options/numbers.h"

#include <inttypes.h>
#include <stdlib.h>
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

double without_zero_sign(double value, int digits)
{
	double half = 0.5;

	while (digits-- > 0)
		half /= 10;
	return value < half && value > -half ? 0 : value;
}

struct number minutes_text(double minutes, int digits)
{
	struct number number;

	snprintf(number.text, sizeof(number.text), "%.*f", digits,
		 without_zero_sign(minutes, digits));
	strncat(number.text,
		strtod(number.text, NULL) == 1 ? " minute" : " minutes",
		sizeof(number.text) - 1 - strlen(number.text));
	return number;
}

static bool is_hours(double s)
{
	return s >= 7170 || s <= -7170;
}

int lasting_digits(double s)
{
	return s < 600 && s > -600;
}

struct number lasting_text(double s, int digits)
{
	const long minutes = (long)((s < 0 ? -s : s) / 60 + 0.5);
	struct number number;

	if (!is_hours(s))
		return minutes_text(s / 60, digits);
	snprintf(number.text, sizeof(number.text), "%s%ld h %ld min",
		 s < 0 ? "-" : "", minutes / 60, minutes % 60);
	return number;
}

struct saving_words lasting_range_text(double low_s, double high_s, int digits)
{
	struct saving_words words;

	if (is_hours(low_s) || is_hours(high_s))
		snprintf(words.text, sizeof(words.text), "%s to %s",
			 lasting_text(low_s, digits).text,
			 lasting_text(high_s, digits).text);
	else
		snprintf(words.text, sizeof(words.text), "%.*f to %.*f", digits,
			 without_zero_sign(low_s / 60, digits), digits,
			 without_zero_sign(high_s / 60, digits));
	return words;
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

int64_t two_digits(int64_t value)
{
	int64_t unit = 1;

	while (value / unit >= 100 || value / unit <= -100)
		unit *= 10;
	return (value + (value < 0 ? -unit : unit) / 2) / unit * unit;
}

/* One unit for all, unless that makes the middle too small to read. */
static const struct scale *saving_scale(int64_t low_uw, int64_t uw,
					int64_t high_uw)
{
	const struct scale *own = power_scale(uw, uw);
	const struct scale *all = power_scale(low_uw, high_uw);

	return uw && (own > all || magnitude(uw) < all->factor / 100) ? own :
									all;
}

/* "49 mW (likely 12 to 130)"; with a second unit where one does not fit. */
static struct saving_words likely_text(int64_t low_uw, int64_t uw,
				       int64_t high_uw)
{
	const struct scale *all, *own;
	struct saving_words words;

	uw = two_digits(uw);
	low_uw = two_digits(low_uw);
	high_uw = two_digits(high_uw);
	if (low_uw == high_uw) {
		strcpy(words.text, power_text(uw).text);
		return words;
	}
	all = power_scale(low_uw, high_uw);
	own = saving_scale(low_uw, uw, high_uw);
	snprintf(words.text, sizeof(words.text),
		 "%.12s %s (likely %.12s to %.12s%s%s)",
		 in_unit(uw, own->factor).text, own->unit,
		 in_unit(low_uw, all->factor).text,
		 in_unit(high_uw, all->factor).text, own == all ? "" : " ",
		 own == all ? "" : all->unit);
	return words;
}

/*
 * A loss is a cost, and not a negative saving. Without a decision it is a
 * saving, which may be negative.
 */
struct saving_words saving_text(const struct ssdpm_likely *likely)
{
	static const char *const forms[][2] = {
		[SSDPM_SAVING_SAVES] = { "saves", "costs" },
		[SSDPM_SAVING_PROBABLY_SAVES] = { "probably saves",
						  "probably costs" },
		[SSDPM_SAVING_NOT_DECIDED] = { "not decided:", NULL },
		[SSDPM_SAVING_PROBABLY_COSTS] = { "probably costs",
						  "probably costs" },
		[SSDPM_SAVING_COSTS] = { "costs", "costs" },
		[SSDPM_SAVING_TOO_SMALL] = { "saves too little to matter:",
					     "costs too little to matter:" },
	};
	const bool lost = likely->verdict != SSDPM_SAVING_NOT_DECIDED &&
			  (likely->median_uw < 0 ||
			   likely->verdict == SSDPM_SAVING_COSTS ||
			   likely->verdict == SSDPM_SAVING_PROBABLY_COSTS);
	struct saving_words words, numbers;

	if (likely->low_uw == likely->high_uw && !likely->median_uw) {
		strcpy(words.text, "likely saves nothing");
		return words;
	}
	if (likely->low_uw == likely->high_uw)
		strcpy(numbers.text,
		       power_text(lost ? -likely->median_uw : likely->median_uw)
			       .text);
	else if (lost)
		numbers = likely_text(-likely->high_uw, -likely->median_uw,
				      -likely->low_uw);
	else
		numbers = likely_text(likely->low_uw, likely->median_uw,
				      likely->high_uw);
	snprintf(words.text, sizeof(words.text), "%s %.90s",
		 forms[likely->verdict][lost], numbers.text);
	return words;
}
