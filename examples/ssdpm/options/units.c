/* SPDX-License-Identifier: MIT */
#include "options/units.h"

#include <string.h>

/* A decimal number as written: "1.5" before its unit. */
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

/* A unit, and its multiple of the smallest one. */
struct unit {
	const char *name;
	uint64_t factor;
};

#define MAX_UNITS 9

/*
 * The units of a quantity, ending with one without a name, and words about it.
 */
static const struct units {
	struct unit units[MAX_UNITS];
	const char *list, *example, *finest, *too_much;
} all_units[] = {
	[TIME_US] = { { { "us", 1 }, { "ms", 1000 }, { "s", 1000000 } },
		      "us, ms or s",
		      "500us, 25ms or 2s",
		      "microsecond",
		      "too long" },
	[TIME_NS] = { { { "ns", 1 },
			{ "us", 1000 },
			{ "ms", 1000000 },
			{ "s", 1000000000 },
			{ "min", UINT64_C(60000000000) },
			{ "h", UINT64_C(3600000000000) },
			{ "d", UINT64_C(86400000000000) } },
		      "ns, us, ms, s, min, h or d",
		      "80us, 25ms or 2s",
		      "nanosecond",
		      "too long" },
	[POWER_UW] = { { { "uW", 1 }, { "mW", 1000 }, { "W", 1000000 } },
		       "uW, mW or W",
		       "800uW, 500mW or 2W",
		       "microwatt",
		       "too much" },
	[WATTS_UW] = { { { "uW", 1 },
			 { "mW", 1000 },
			 { "W", 1000000 },
			 { "kW", 1000000000 } },
		       "uW, mW, W or kW",
		       "3120, 3120W or 3.12kW",
		       "microwatt",
		       "too much" },
	[BYTES] = { { { "B", 1 },
		      { "kB", 1000 },
		      { "MB", 1000000 },
		      { "GB", 1000000000 },
		      { "TB", UINT64_C(1000000000000) },
		      { "KiB", 1 << 10 },
		      { "MiB", 1 << 20 },
		      { "GiB", 1 << 30 } },
		    "B, kB, MB, GB, TB, KiB, MiB or GiB",
		    "512B, 4KiB or 1GB",
		    "byte",
		    "too much" },
	[BANDWIDTH] = { { { "B/s", 1 },
			  { "kB/s", 1000 },
			  { "MB/s", 1000000 },
			  { "GB/s", 1000000000 },
			  { "KiB/s", 1 << 10 },
			  { "MiB/s", 1 << 20 },
			  { "GiB/s", 1 << 30 } },
			"B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s or GiB/s",
			"500MB/s or 2GiB/s",
			"byte per second",
			"too much" },
	[ENERGY_PJ] = { { { "pJ", 1 },
			  { "nJ", 1000 },
			  { "uJ", 1000000 },
			  { "mJ", 1000000000 },
			  { "J", UINT64_C(1000000000000) } },
			"pJ, nJ, uJ, mJ or J",
			"600pJ, 5uJ or 1mJ",
			"picojoule",
			"too much" },
	[ENERGY_MWH] = { { { "mWh", 1 }, { "Wh", 1000 }, { "kWh", 1000000 } },
			 "mWh, Wh or kWh",
			 "50Wh",
			 "milliwatt-hour",
			 "too much" },
	[RATE_MHZ] = { { { "Hz", 1000 },
			 { "kHz", 1000000 },
			 { "MHz", 1000000000 } },
		       "Hz, kHz or MHz",
		       "10Hz or 20kHz",
		       "millihertz",
		       "too fast" },
	[RESISTANCE_UOHM] = { { { "mohm", 1000 }, { "ohm", 1000000 } },
			      "mohm or ohm",
			      "0.1ohm or 50mohm",
			      "microohm",
			      "too much" },
	[VOLTAGE_UV] = { { { "mV", 1000 }, { "V", 1000000 } },
			 "mV or V",
			 "5V or 3300mV",
			 "microvolt",
			 "too much" },
	[SHARE_PPM] = { { { "%", 10000 } },
			"%",
			"5%",
			"millionth",
			"too much" },
	[RATE_PPB] = { { { "ppb", 1 }, { "ppm", 1000 } },
		       "ppb or ppm",
		       "500ppm",
		       "billionth",
		       "too much" },
	[FACTOR_MILLI] = { { { "x", 1000 } },
			   "x",
			   "2.5x",
			   "thousandth",
			   "too much" },
};

/* Quantities that are parsed as another one, in whole multiples of it. */
static const struct {
	enum quantity read_as;
	uint32_t divisor;
	const char *finer;
} wholes[] = {
	[TIME_MS] = { TIME_US, 1000, "APST counts whole milliseconds" },
	[TIME_S] = { TIME_NS, 1000000000, "whole seconds" },
	[SECONDS] = { TIME_NS, 1000000000, "whole seconds" },
	[ENERGY_NJ] = { ENERGY_PJ, 1000, "finer than a nanojoule" },
	[NUMBER_MILLI] = { FACTOR_MILLI, 1, "" }, /* the last one */
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
 * Computes fraction / 10^n x factor, which is less than factor. Cancels the 2s
 * and 5s of the factor against the divisor; the rest must divide the fraction.
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

/* Computes the number times the factor exactly. */
static enum scaled scale_decimal(struct decimal d, uint64_t factor,
				 uint64_t *ret_value)
{
	uint64_t whole, fraction, value;

	if (!take_digits(d.whole, d.n_whole, &whole))
		return TOO_MUCH;
	while (d.n_fraction && d.fraction[d.n_fraction - 1] == '0')
		d.n_fraction--;
	/* A longer fraction has digits below every unit. */
	if (!take_digits(d.fraction, d.n_fraction, &fraction) ||
	    !scale_fraction(fraction, d.n_fraction, factor, &value))
		return TOO_FINE;
	if (__builtin_mul_overflow(whole, factor, &whole) ||
	    __builtin_add_overflow(whole, value, ret_value))
		return TOO_MUCH;
	return SCALED;
}

/* "0,30" has a decimal comma, or one between thousands: nobody can know. */
static bool has_comma(const char *text)
{
	const size_t n = strspn(text, "0123456789");

	return n && text[n] == ',' && strspn(text + n + 1, "0123456789");
}

static enum exit_status refuse_comma(const struct common *common,
				     const char *option, const char *text)
{
	return usage_error(common,
			   "--%s %s: write decimals after a point, as in 0.5",
			   option, text);
}

/* What was said may lack the unit that the text has. */
static enum exit_status parse(const struct common *common, const char *option,
			      const char *said, const char *text,
			      const struct units *units, uint64_t *ret_value)
{
	const struct unit *unit = units->units;
	struct decimal d;

	if (has_comma(text))
		return refuse_comma(common, option, said);
	if (!split_decimal(text, &d))
		return usage_error(common,
				   "--%s %s: write a number with its unit, as "
				   "in %s",
				   option, said, units->example);
	while (unit->name && strcmp(d.unit, unit->name))
		unit++;
	if (!unit->name)
		return usage_error(common, "--%s %s: the unit is %s", option,
				   said, units->list);
	switch (scale_decimal(d, unit->factor, ret_value)) {
	case TOO_FINE:
		return usage_error(common, "--%s %s: finer than a %s", option,
				   said, units->finest);
	case TOO_MUCH:
		return usage_error(common, "--%s %s: %s", option, said,
				   units->too_much);
	default:
		return STATUS_DONE;
	}
}

bool is_number_of(enum quantity quantity, const char *text)
{
	const struct unit *unit = all_units[quantity].units;
	struct decimal d;

	if (!split_decimal(text, &d))
		return false;
	while (unit->name && strcmp(d.unit, unit->name))
		unit++;
	return unit->name;
}

/* Appends a unit; false: the text has one, or is too long. */
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

static enum exit_status parse_count(const struct common *common,
				    const char *option, const char *text,
				    uint64_t *ret_count)
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

enum exit_status parse_number(const struct common *common, const char *option,
			      const char *said, enum quantity quantity,
			      uint64_t *ret_number)
{
	const enum quantity read_as = wholes[quantity].read_as;
	const char *unit = quantity == WATTS_UW	    ? "W" :
			   quantity == SECONDS	    ? "s" :
			   quantity == NUMBER_MILLI ? "x" :
						      NULL;
	struct units units = all_units[read_as ? read_as : quantity];
	const char *text = said;
	char with_unit[64];
	uint64_t number = 0;
	struct decimal d;

	if (quantity == COUNT)
		return parse_count(common, option, said, ret_number);
	if (unit && add_unit(said, unit, with_unit, sizeof(with_unit)))
		text = with_unit;
	if (quantity == NUMBER_MILLI && has_comma(said))
		return refuse_comma(common, option, said);
	if (quantity == NUMBER_MILLI &&
	    (text == said || !split_decimal(text, &d)))
		return usage_error(common, "--%s %s: write a number, as in 1.5",
				   option, said);
	if (quantity == SECONDS)
		units.example = "5, 5s or 5min";
	if (parse(common, option, said, text, &units, &number))
		return STATUS_USAGE;
	if (read_as && number % wholes[quantity].divisor)
		return usage_error(common, "--%s %s: %s", option, said,
				   wholes[quantity].finer);
	*ret_number = read_as ? number / wholes[quantity].divisor : number;
	return STATUS_DONE;
}

enum exit_status parse_power(const struct common *common, const char *option,
			     const char *text, uint32_t *ret_uw)
{
	uint64_t uw;

	if (parse_number(common, option, text, POWER_UW, &uw))
		return STATUS_USAGE;
	if (uw > UINT32_MAX)
		return usage_error(common, "--%s %s: too much", option, text);
	if (!uw)
		return usage_error(common, "--%s %s: must be above 0", option,
				   text);
	*ret_uw = (uint32_t)uw;
	return STATUS_DONE;
}

/* Parses up to the last of the words; 0: all. */
enum exit_status unknown_value(const struct common *common, const char *option,
			       const char *text, const char *words)
{
	char thing[64];

	snprintf(thing, sizeof(thing), "--%s", option);
	return usage_error(common, "%s", unknown_of(thing, text, words).text);
}

static enum exit_status parse_words(const struct common *common,
				    const char *option, const char *text,
				    const char *(*to_string)(uint32_t),
				    uint64_t last, uint32_t *ret_value)
{
	char words[256] = "";
	size_t length = 0;

	for (uint32_t i = 1; i - 1 != last || !last; i++) {
		if (!to_string(i))
			break;
		if (!strcmp(text, to_string(i))) {
			*ret_value = i;
			return STATUS_DONE;
		}
		length += (size_t)snprintf(words + length,
					   sizeof(words) - length, "%s%s",
					   i == 1 ? "" : "|", to_string(i));
	}
	return unknown_value(common, option, text, words);
}

enum exit_status parse_word(const struct common *common, const char *option,
			    const char *text,
			    const char *(*to_string)(uint32_t),
			    uint32_t *ret_value)
{
	return parse_words(common, option, text, to_string, 0, ret_value);
}

enum exit_status parse_span(const struct common *common, const char *option,
			    const char *text, int64_t *ret_begin_ns,
			    int64_t *ret_end_ns)
{
	const char *dots = strstr(text, "..");
	uint64_t begin_ns, end_ns;
	char begin[64];

	if (!dots || dots - text >= (ptrdiff_t)sizeof(begin))
		return usage_error(common,
				   "--%s %s: write a time, two dots and a "
				   "time, as in 0s..10s",
				   option, text);
	memcpy(begin, text, (size_t)(dots - text));
	begin[dots - text] = 0;
	if (parse_number(common, option, begin, TIME_NS, &begin_ns) ||
	    parse_number(common, option, dots + 2, TIME_NS, &end_ns))
		return STATUS_USAGE;
	if (begin_ns >= end_ns || end_ns > INT64_MAX)
		return usage_error(common,
				   "--%s %s: it ends before it begins, or too "
				   "late",
				   option, text);
	*ret_begin_ns = (int64_t)begin_ns;
	*ret_end_ns = (int64_t)end_ns;
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
	return parse_number(common, "mix", share, SHARE_PPM, ret_ppm);
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
			return usage_error(common,
					   "--mix %s: %s is given twice", all,
					   read ? "read" : "write");
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

static enum exit_status set_number(const struct option_spec *option,
				   const struct common *common,
				   const char *argument, void *at)
{
	const uint64_t most = option->max		   ? option->max :
			      option->kind == OPTION_SMALL ? UINT32_MAX :
							     UINT64_MAX;
	uint64_t number;

	/* TIME|any in the help: no limit. */
	if (!strcmp(argument, "any") && strstr(option->argument, "|any"))
		number = UINT64_MAX;
	else if (parse_number(common, option->name, argument, option->quantity,
			      &number))
		return STATUS_USAGE;
	if (number < option->min || number > most)
		return usage_error(common, "--%s %s: %s", option->name,
				   argument,
				   option->range	? option->range :
				   number < option->min ? "must be above 0" :
							  "too much");
	if (option->kind == OPTION_SMALL)
		*(uint32_t *)at = (uint32_t)number;
	else if (option->kind == OPTION_REAL)
		*(double *)at = (double)number / option->per;
	else
		*(uint64_t *)at = number;
	return STATUS_DONE;
}

static enum exit_status set_text(const struct option_spec *option,
				 const struct common *common,
				 const char *argument, const char **ret_text)
{
	if (option->once && *ret_text)
		return usage_error(common, "--%s is given twice", option->name);
	*ret_text = argument;
	return STATUS_DONE;
}

static enum exit_status add_text(const struct option_spec *option,
				 const struct common *common,
				 const char *argument, const char **list,
				 size_t *n)
{
	if (*n == option->max)
		return usage_error(common, "--%s: %zu are the most",
				   option->name, (size_t)option->max);
	list[(*n)++] = argument;
	return STATUS_DONE;
}

bool is_given(const struct option_group *group, uint64_t given,
	      const char *name)
{
	for (size_t i = 0; i < group->n_options; i++)
		if (!strcmp(group->options[i].name, name))
			return given >> i & 1;
	return false;
}

const char *option_not_for(const struct option_group *group, uint64_t given,
			   uint32_t modes)
{
	for (size_t i = 0; i < group->n_options; i++)
		if (given >> i & 1 && !(group->options[i].modes & modes))
			return group->options[i].name;
	return NULL;
}

enum exit_status set_option(const struct option_group *group, void *settings,
			    struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	void *at = (char *)settings + option->offset;

	if (group->keeps_given)
		*(uint64_t *)((char *)settings + group->given) |=
			UINT64_C(1) << (option - group->options);
	switch (option->kind) {
	case OPTION_OWN:
		return group->set(settings, common, option, argument);
	case OPTION_FLAG:
		*(bool *)at = true;
		return STATUS_DONE;
	case OPTION_BIT:
		*(uint32_t *)at |= option->bit;
		return STATUS_DONE;
	case OPTION_COMMON:
		*(bool *)((char *)common + option->offset) = true;
		return STATUS_DONE;
	case OPTION_TEXT:
		return set_text(option, common, argument, at);
	case OPTION_TEXTS:
		return add_text(option, common, argument, at,
				(void *)((char *)settings + option->count));
	case OPTION_WORD:
		return parse_words(common, option->name, argument,
				   option->to_string, option->max, at);
	case OPTION_NUMBER:
	case OPTION_SMALL:
	case OPTION_REAL:
		if (!argument) /* it is optional */
			return STATUS_DONE;
		return set_number(option, common, argument, at);
	case OPTION_FORM:
		return choose_form(common, FORM_OWN, option->name);
	}
	return STATUS_DONE;
}
