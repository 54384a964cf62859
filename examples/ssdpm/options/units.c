/* SPDX-License-Identifier: MIT */
#include "options/units.h"

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

/* A unit, and how many of the smallest one it is. */
struct unit {
	const char *name;
	uint64_t factor;
};

#define MAX_UNITS 9

/* The units of a quantity, up to one without a name, and words about it. */
struct units {
	struct unit units[MAX_UNITS];
	const char *list, *example, *finest, *too_much;
};

enum scaled {
	SCALED = 0,
	TOO_FINE,
	TOO_MUCH,
};

static bool take_digits(const char *digits, size_t n, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, digits[i] - '0', value))
			return false;
	return true;
}

/*
 * fraction / 10^n x factor, which is less than factor: what 2 and 5 divide both
 * by is taken out first, and what is left has to divide the fraction.
 */
static bool scale_fraction(uint64_t fraction, size_t n, uint64_t factor,
			   uint64_t *ret_value)
{
	static const uint64_t primes[] = { 2, 5 };

	for (size_t i = 0; i < 2; i++)
		for (size_t left = n; left; left--) {
			uint64_t *number =
				factor % primes[i] ? &fraction : &factor;

			if (*number % primes[i])
				return false;
			*number /= primes[i];
		}
	*ret_value = fraction * factor;
	return true;
}

/* The number times the factor, exactly. */
static enum scaled scale_decimal(struct decimal d, uint64_t factor,
				 uint64_t *ret_value)
{
	uint64_t whole, fraction, value;

	if (!take_digits(d.whole, d.n_whole, &whole))
		return TOO_MUCH;
	while (d.n_fraction && d.fraction[d.n_fraction - 1] == '0')
		d.n_fraction--;
	/* A fraction this long has digits below every unit. */
	if (!take_digits(d.fraction, d.n_fraction, &fraction) ||
	    !scale_fraction(fraction, d.n_fraction, factor, &value))
		return TOO_FINE;
	if (__builtin_mul_overflow(whole, factor, &whole) ||
	    __builtin_add_overflow(whole, value, ret_value))
		return TOO_MUCH;
	return SCALED;
}

static enum exit_status parse(const struct common *common, const char *option,
			      const char *text, const struct units *units,
			      uint64_t *ret_value)
{
	const struct unit *unit = units->units;
	struct decimal d;

	if (!split_decimal(text, &d))
		return usage_error(common,
				   "--%s %s: write a number with its unit, as "
				   "in %s",
				   option, text, units->example);
	while (unit->name && strcmp(d.unit, unit->name))
		unit++;
	if (!unit->name)
		return usage_error(common, "--%s %s: the unit is %s", option,
				   text, units->list);
	switch (scale_decimal(d, unit->factor, ret_value)) {
	case TOO_FINE:
		return usage_error(common, "--%s %s: finer than a %s", option,
				   text, units->finest);
	case TOO_MUCH:
		return usage_error(common, "--%s %s: %s", option, text,
				   units->too_much);
	default:
		return STATUS_DONE;
	}
}

enum exit_status parse_time(const struct common *common, const char *option,
			    const char *text, uint64_t *ret_us)
{
	static const struct units units = {
		.units = { { "us", 1 }, { "ms", 1000 }, { "s", 1000000 } },
		.list = "us, ms or s",
		.example = "500us, 25ms or 2s",
		.finest = "microsecond",
		.too_much = "too long",
	};

	return parse(common, option, text, &units, ret_us);
}

enum exit_status parse_any_power(const struct common *common,
				 const char *option, const char *text,
				 uint64_t *ret_uw)
{
	static const struct units units = {
		.units = { { "uW", 1 }, { "mW", 1000 }, { "W", 1000000 } },
		.list = "uW, mW or W",
		.example = "800uW, 500mW or 2W",
		.finest = "microwatt",
		.too_much = "too much",
	};

	return parse(common, option, text, &units, ret_uw);
}

/* The same text with a unit behind it; false: it has one, or is too long. */
static bool add_unit(const char *text, const char *unit, char *ret, size_t size)
{
	size_t length = strlen(text);

	if (!length || strspn(text, "0123456789.") != length ||
	    length + strlen(unit) >= size)
		return false;
	memcpy(ret, text, length);
	strcpy(ret + length, unit);
	return true;
}

enum exit_status parse_watts(const struct common *common, const char *option,
			     const char *text, uint64_t *ret_uw)
{
	static const struct units units = {
		.units = { { "uW", 1 },
			   { "mW", 1000 },
			   { "W", 1000000 },
			   { "kW", 1000000000 } },
		.list = "uW, mW, W or kW",
		.example = "3120, 3120W or 3.12kW",
		.finest = "microwatt",
		.too_much = "too much",
	};
	char in_watts[64];

	if (add_unit(text, "W", in_watts, sizeof(in_watts)))
		text = in_watts;
	return parse(common, option, text, &units, ret_uw);
}

enum exit_status parse_power(const struct common *common, const char *option,
			     const char *text, uint32_t *ret_uw)
{
	enum exit_status status;
	uint64_t uw;

	status = parse_any_power(common, option, text, &uw);
	if (status)
		return status;
	if (uw > UINT32_MAX)
		return usage_error(common, "--%s %s: %s", option, text,
				   "too much");
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

enum exit_status parse_time_ns(const struct common *common, const char *option,
			       const char *text, uint64_t *ret_ns)
{
	static const struct units units = {
		.units = { { "ns", 1 },
			   { "us", 1000 },
			   { "ms", 1000000 },
			   { "s", 1000000000 },
			   { "min", UINT64_C(60000000000) },
			   { "h", UINT64_C(3600000000000) },
			   { "d", UINT64_C(86400000000000) } },
		.list = "ns, us, ms, s, min, h or d",
		.example = "80us, 25ms or 2s",
		.finest = "nanosecond",
		.too_much = "too long",
	};

	return parse(common, option, text, &units, ret_ns);
}

enum exit_status parse_bytes(const struct common *common, const char *option,
			     const char *text, uint64_t *ret_bytes)
{
	static const struct units units = {
		.units = { { "B", 1 },
			   { "kB", 1000 },
			   { "MB", 1000000 },
			   { "GB", 1000000000 },
			   { "TB", UINT64_C(1000000000000) },
			   { "KiB", 1 << 10 },
			   { "MiB", 1 << 20 },
			   { "GiB", 1 << 30 } },
		.list = "B, kB, MB, GB, TB, KiB, MiB or GiB",
		.example = "512B, 4KiB or 1GB",
		.finest = "byte",
		.too_much = "too much",
	};

	return parse(common, option, text, &units, ret_bytes);
}

enum exit_status parse_bandwidth(const struct common *common,
				 const char *option, const char *text,
				 uint64_t *ret_bytes_per_second)
{
	static const struct units units = {
		.units = { { "B/s", 1 },
			   { "kB/s", 1000 },
			   { "MB/s", 1000000 },
			   { "GB/s", 1000000000 },
			   { "KiB/s", 1 << 10 },
			   { "MiB/s", 1 << 20 },
			   { "GiB/s", 1 << 30 } },
		.list = "B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s or GiB/s",
		.example = "500MB/s or 2GiB/s",
		.finest = "byte per second",
		.too_much = "too much",
	};

	return parse(common, option, text, &units, ret_bytes_per_second);
}

enum exit_status parse_energy_pj(const struct common *common,
				 const char *option, const char *text,
				 uint64_t *ret_pj)
{
	static const struct units units = {
		.units = { { "pJ", 1 },
			   { "nJ", 1000 },
			   { "uJ", 1000000 },
			   { "mJ", 1000000000 },
			   { "J", UINT64_C(1000000000000) } },
		.list = "pJ, nJ, uJ, mJ or J",
		.example = "600pJ, 5uJ or 1mJ",
		.finest = "picojoule",
		.too_much = "too much",
	};

	return parse(common, option, text, &units, ret_pj);
}

enum exit_status parse_energy_mwh(const struct common *common,
				  const char *option, const char *text,
				  uint64_t *ret_mwh)
{
	static const struct units units = {
		.units = { { "mWh", 1 }, { "Wh", 1000 }, { "kWh", 1000000 } },
		.list = "mWh, Wh or kWh",
		.example = "50Wh",
		.finest = "milliwatt-hour",
		.too_much = "too much",
	};

	return parse(common, option, text, &units, ret_mwh);
}

enum exit_status parse_rate(const struct common *common, const char *option,
			    const char *text, uint64_t *ret_mhz)
{
	static const struct units units = {
		.units = { { "Hz", 1000 },
			   { "kHz", 1000000 },
			   { "MHz", 1000000000 } },
		.list = "Hz, kHz or MHz",
		.example = "10Hz or 20kHz",
		.finest = "millihertz",
		.too_much = "too fast",
	};

	return parse(common, option, text, &units, ret_mhz);
}

enum exit_status parse_resistance(const struct common *common,
				  const char *option, const char *text,
				  uint64_t *ret_uohm)
{
	static const struct units units = {
		.units = { { "mohm", 1000 }, { "ohm", 1000000 } },
		.list = "mohm or ohm",
		.example = "0.1ohm or 50mohm",
		.finest = "microohm",
		.too_much = "too much",
	};

	return parse(common, option, text, &units, ret_uohm);
}

enum exit_status parse_voltage(const struct common *common, const char *option,
			       const char *text, uint64_t *ret_uv)
{
	static const struct units units = {
		.units = { { "mV", 1000 }, { "V", 1000000 } },
		.list = "mV or V",
		.example = "5V or 3300mV",
		.finest = "microvolt",
		.too_much = "too much",
	};

	return parse(common, option, text, &units, ret_uv);
}

enum exit_status parse_share(const struct common *common, const char *option,
			     const char *text, uint64_t *ret_ppm)
{
	static const struct units units = {
		.units = { { "%", 10000 } },
		.list = "%",
		.example = "5%",
		.finest = "millionth",
		.too_much = "too much",
	};

	return parse(common, option, text, &units, ret_ppm);
}

enum exit_status parse_factor(const struct common *common, const char *option,
			      const char *text, uint64_t *ret_milli)
{
	static const struct units units = {
		.units = { { "x", 1000 } },
		.list = "x",
		.example = "2.5x",
		.finest = "thousandth",
		.too_much = "too much",
	};

	return parse(common, option, text, &units, ret_milli);
}

enum exit_status parse_count(const struct common *common, const char *option,
			     const char *text, uint64_t *ret_count)
{
	uint64_t count = 0;

	if (!*text || text[strspn(text, "0123456789")])
		return usage_error(common, "--%s %s: write a whole number",
				   option, text);
	for (; *text; text++) {
		uint64_t digit = (uint64_t)(*text - '0');

		if (count > (UINT64_MAX - digit) / 10)
			return usage_error(common, "--%s: too large", option);
		count = count * 10 + digit;
	}
	*ret_count = count;
	return STATUS_DONE;
}

static enum exit_status parse_op_share(const struct common *common,
				       const char *all, const char *text,
				       uint64_t *ret_ppm, bool *ret_read)
{
	char share[32];
	size_t length;

	*ret_read = !strncmp(text, "read=", 5);
	if (!*ret_read && strncmp(text, "write=", 6))
		return usage_error(common,
				   "--mix %s: write read=70%%,write=30%%", all);
	text = strchr(text, '=') + 1;
	length = strcspn(text, ",");
	if (length >= sizeof(share))
		return usage_error(common, "--mix %s: a share is too long",
				   all);
	memcpy(share, text, length);
	share[length] = 0;
	return parse_share(common, "mix", share, ret_ppm);
}

enum exit_status parse_mix(const struct common *common, const char *all,
			   uint64_t *ret_read_ppm)
{
	uint64_t sums[2] = { 0 }, ppm;
	bool seen[2] = { 0 };
	const char *text = all;

	for (; text; text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL) {
		bool read;

		if (parse_op_share(common, all, text, &ppm, &read))
			return STATUS_USAGE;
		if (seen[read])
			return usage_error(common, "--mix %s: %s stands twice",
					   all, read ? "read" : "write");
		seen[read] = true;
		sums[read] = ppm;
	}
	if (sums[0] > WHOLE_PPM || sums[0] + sums[1] != WHOLE_PPM)
		return usage_error(common,
				   "--mix %s: the shares do not come to 100%%",
				   all);
	*ret_read_ppm = sums[1];
	return STATUS_DONE;
}
