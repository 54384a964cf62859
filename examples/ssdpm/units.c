/* SPDX-License-Identifier: MIT */
#include "units.h"

#include <string.h>

/* A decimal number as it was written: "1.5" before its unit. */
struct decimal {
	const char *whole, *fraction, *unit;
	size_t n_whole, n_fraction;
};

static bool split_decimal(const char *text, struct decimal *d)
{
	d->whole = text;
	d->n_whole = strspn(text, "0123456789");
	d->unit = text + d->n_whole;
	d->fraction = d->unit;
	d->n_fraction = 0;
	if (*d->unit == '.') {
		d->fraction = d->unit + 1;
		d->n_fraction = strspn(d->fraction, "0123456789");
		d->unit = d->fraction + d->n_fraction;
		if (!d->n_fraction)
			return false;
	}
	return d->n_whole && *d->unit;
}

/* The number times 10^digits, exactly, or false if it does not fit. */
static bool scale_decimal(const struct decimal *d, size_t digits,
			  uint64_t *ret_value)
{
	uint64_t value = 0;

	for (size_t i = 0; i < d->n_whole + digits; i++) {
		char digit = '0';

		if (i < d->n_whole)
			digit = d->whole[i];
		else if (i - d->n_whole < d->n_fraction)
			digit = d->fraction[i - d->n_whole];
		if (value > (UINT64_MAX - 9) / 10)
			return false;
		value = value * 10 + (uint64_t)(digit - '0');
	}
	*ret_value = value;
	return true;
}

/* Millionths, thousandths and wholes of something, and words about it. */
struct units {
	const char *names[3];
	const char *list, *example, *finest, *too_much;
};

static enum exit_status parse(const struct common *common, const char *option,
			      const char *text, const struct units *units,
			      uint64_t *ret_millionths)
{
	struct decimal d;
	size_t unit = 0;

	if (!split_decimal(text, &d))
		return usage_error(common,
				   "--%s %s: write a number with its unit, as "
				   "in %s",
				   option, text, units->example);
	while (unit < 3 && strcmp(d.unit, units->names[unit]))
		unit++;
	if (unit == 3)
		return usage_error(common, "--%s %s: the unit is %s", option,
				   text, units->list);
	if (d.n_fraction > unit * 3)
		return usage_error(common, "--%s %s: finer than a %s", option,
				   text, units->finest);
	if (!scale_decimal(&d, unit * 3, ret_millionths))
		return usage_error(common, "--%s %s: %s", option, text,
				   units->too_much);
	return STATUS_DONE;
}

enum exit_status parse_time(const struct common *common, const char *option,
			    const char *text, uint64_t *ret_us)
{
	static const struct units units = {
		.names = { "us", "ms", "s" },
		.list = "us, ms or s",
		.example = "500us, 25ms or 2s",
		.finest = "microsecond",
		.too_much = "too long",
	};

	return parse(common, option, text, &units, ret_us);
}

enum exit_status parse_power(const struct common *common, const char *option,
			     const char *text, uint32_t *ret_uw)
{
	static const struct units units = {
		.names = { "uW", "mW", "W" },
		.list = "uW, mW or W",
		.example = "800uW, 500mW or 2W",
		.finest = "microwatt",
		.too_much = "too much",
	};
	enum exit_status status;
	uint64_t uw;

	status = parse(common, option, text, &units, &uw);
	if (status)
		return status;
	if (uw > UINT32_MAX)
		return usage_error(common, "--%s %s: %s", option, text,
				   units.too_much);
	if (!uw)
		return usage_error(common, "--%s %s: no power at all", option,
				   text);
	*ret_uw = (uint32_t)uw;
	return STATUS_DONE;
}

enum exit_status parse_idle_time(const struct common *common,
				 const char *option, const char *text,
				 uint64_t *ret_ms)
{
	enum exit_status status;
	uint64_t us;

	status = parse_time(common, option, text, &us);
	if (status)
		return status;
	if (us % 1000)
		return usage_error(common,
				   "--%s %s: APST counts whole milliseconds",
				   option, text);
	*ret_ms = us / 1000;
	return STATUS_DONE;
}
