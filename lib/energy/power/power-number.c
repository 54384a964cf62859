/* SPDX-License-Identifier: MIT */
/* Numbers and times as instruments write them, whatever the locale. */
#include "power/internal.h"

/* More digits than a double can tell, and what 64 bits hold. */
#define MAX_DIGITS 19
/* Beyond it all is 0 or infinite. */
#define MAX_EXPONENT 100000

static const uint64_t powers[] = {
	1u,
	10u,
	100u,
	1000u,
	10000u,
	100000u,
	1000000u,
	10000000u,
	100000000u,
	1000000000u,
	10000000000u,
	100000000000u,
	1000000000000u,
	10000000000000u,
	100000000000000u,
	1000000000000000u,
	10000000000000000u,
	100000000000000000u,
	1000000000000000000u,
	10000000000000000000u,
};

static bool is_digit(const struct span *text)
{
	return text->at < text->end && *text->at >= '0' && *text->at <= '9';
}

static bool take_char(struct span *text, char c)
{
	if (text->at == text->end || *text->at != c)
		return false;
	text->at++;
	return true;
}

/* Those before the point, or those after it. Return: how many. */
static uint32_t take_digits(struct span *text, bool fraction, uint32_t *used,
			    struct decimal *decimal)
{
	const char *start = text->at;

	for (; is_digit(text); text->at++) {
		if (*used == MAX_DIGITS) {
			decimal->exponent += !fraction;
			continue;
		}
		decimal->mantissa =
			decimal->mantissa * 10 + (uint64_t)(*text->at - '0');
		*used += decimal->mantissa != 0;
		decimal->exponent -= fraction;
	}
	return (uint32_t)(text->at - start);
}

static bool take_exponent(struct span *text, struct decimal *decimal)
{
	int32_t value = 0;

	if (!take_char(text, 'e') && !take_char(text, 'E'))
		return true;
	bool negative = take_char(text, '-');
	if (!negative)
		take_char(text, '+');
	if (!is_digit(text))
		return false;
	for (; is_digit(text); text->at++)
		if (value < MAX_EXPONENT)
			value = value * 10 + (*text->at - '0');
	decimal->exponent += negative ? -value : value;
	return true;
}

static bool is_one_of(struct span text, const char *const *words)
{
	for (size_t i = 0; words[i]; i++) {
		struct span rest = text;

		if (ssdpm__take(&rest, words[i]) && rest.at == rest.end)
			return true;
	}
	return false;
}

static bool take_word(struct span text, struct decimal *decimal)
{
	static const char *const none[] = { "nan",  "na",   "n/a", "null",
					    "none", "<na>", NULL };
	static const char *const infinite[] = { "inf", "infinity", NULL };

	if (is_one_of(text, infinite))
		decimal->kind = DECIMAL_INFINITE;
	else if (is_one_of(text, none))
		decimal->kind = DECIMAL_NONE;
	return decimal->kind;
}

bool ssdpm__decimal_read(struct span text, bool comma,
			 struct decimal *ret_decimal)
{
	struct decimal decimal = { 0 };
	uint32_t n, used = 0;

	if (text.at == text.end ||
	    (text.end - text.at == 1 && *text.at == '-')) {
		*ret_decimal = (struct decimal){ .kind = DECIMAL_NONE };
		return true;
	}
	decimal.negative = take_char(&text, '-');
	if (!decimal.negative)
		take_char(&text, '+');
	struct span word = text;
	n = take_digits(&text, false, &used, &decimal);
	if (take_char(&text, '.') || (comma && take_char(&text, ',')))
		n += take_digits(&text, true, &used, &decimal);
	if (!n) {
		*ret_decimal = decimal;
		return take_word(word, ret_decimal);
	}
	if (!take_exponent(&text, &decimal) || text.at != text.end)
		return false;
	decimal.kind = DECIMAL_NUMBER;
	*ret_decimal = decimal;
	return true;
}

/* 10^22 is the largest that a double has exactly. */
static double scale_double(double value, int32_t exponent)
{
	for (; exponent > 22 && isfinite(value); exponent -= 22)
		value *= 1e22;
	for (; exponent < -22 && value > 0; exponent += 22)
		value /= 1e22;
	if (!(value > 0) || !isfinite(value))
		return value;
	double power = 1;
	for (int32_t i = exponent < 0 ? -exponent : exponent; i > 0; i--)
		power *= 10;
	return exponent < 0 ? value / power : value * power;
}

double ssdpm__decimal_double(const struct decimal *decimal, int32_t shift)
{
	double value;

	if (decimal->kind == DECIMAL_NONE)
		return NAN;
	if (decimal->kind == DECIMAL_INFINITE)
		value = INFINITY;
	else
		value = scale_double((double)decimal->mantissa,
				     decimal->exponent + shift);
	return decimal->negative ? -value : value;
}

bool ssdpm__decimal_int64(const struct decimal *decimal, int32_t shift,
			  int64_t *ret_value)
{
	int32_t exponent = decimal->exponent + shift;
	uint64_t value = decimal->mantissa;

	if (decimal->kind != DECIMAL_NUMBER)
		return false;
	if (exponent < -MAX_DIGITS || !value) {
		value = 0;
	} else if (exponent < 0) {
		uint64_t power = powers[-exponent], rest = value % power;

		value = value / power + (rest >= power - rest);
	} else if (exponent > MAX_DIGITS ||
		   __builtin_mul_overflow(value, powers[exponent], &value)) {
		return false;
	}
	if (value > INT64_MAX)
		return false;
	*ret_value = decimal->negative ? -(int64_t)value : (int64_t)value;
	return true;
}

/* Exactly so many digits, of a number up to max. */
static bool take_fixed(struct span *text, uint32_t n_digits, uint32_t max,
		       uint32_t *ret_value)
{
	uint32_t value = 0;

	for (uint32_t i = 0; i < n_digits; i++, text->at++) {
		if (!is_digit(text))
			return false;
		value = value * 10 + (uint32_t)(*text->at - '0');
	}
	*ret_value = value;
	return value <= max;
}

/* Days since 1970 in the calendar of Gregory; years begin with March here. */
static int64_t days_of(uint32_t year, uint32_t month, uint32_t day)
{
	uint32_t y = year - (month < 3), m = month < 3 ? month + 9 : month - 3;

	return (int64_t)y * 365 + y / 4 - y / 100 + y / 400 +
	       (m * 153 + 2) / 5 + day - 719469;
}

/* No month has a day that is one of the next. */
static bool is_day(uint32_t year, uint32_t month, uint32_t day)
{
	return days_of(year, month, day) <
	       days_of(year + month / 12, month % 12 + 1, 1);
}

static bool take_zone(struct span *text, int64_t *seconds)
{
	uint32_t hours = 0, minutes = 0;

	if (take_char(text, 'Z') || take_char(text, 'z') ||
	    text->at == text->end)
		return true;
	bool west = take_char(text, '-');
	if (!west && !take_char(text, '+'))
		return false;
	if (!take_fixed(text, 2, 23, &hours))
		return false;
	take_char(text, ':');
	if (text->at < text->end && !take_fixed(text, 2, 59, &minutes))
		return false;
	int64_t ahead = hours * 3600 + minutes * 60;
	*seconds += west ? ahead : -ahead;
	return true;
}

bool ssdpm__iso_time_read(struct span text, int64_t *ret_ns)
{
	uint32_t year, month, day, hour, minute, second, used = 0;
	struct decimal fraction = { .kind = DECIMAL_NUMBER };
	int64_t ns = 0;

	/* What 64 bits of nanoseconds hold, and no day more. */
	if (!take_fixed(&text, 4, 2261, &year) || year < 1678 ||
	    !take_char(&text, '-') || !take_fixed(&text, 2, 12, &month) ||
	    !month || !take_char(&text, '-') ||
	    !take_fixed(&text, 2, 31, &day) || !day ||
	    !is_day(year, month, day))
		return false;
	if (!take_char(&text, 'T') && !take_char(&text, 't') &&
	    !take_char(&text, ' '))
		return false;
	if (!take_fixed(&text, 2, 23, &hour) || !take_char(&text, ':') ||
	    !take_fixed(&text, 2, 59, &minute) || !take_char(&text, ':') ||
	    !take_fixed(&text, 2, 60, &second))
		return false;
	if ((take_char(&text, '.') || take_char(&text, ',')) &&
	    !take_digits(&text, true, &used, &fraction))
		return false;
	ssdpm__decimal_int64(&fraction, 9, &ns);
	int64_t seconds = days_of(year, month, day) * 86400 + hour * 3600 +
			  minute * 60 + second;
	if (!take_zone(&text, &seconds) || text.at != text.end)
		return false;
	*ret_ns = seconds * 1000000000 + ns;
	return true;
}
