/* SPDX-License-Identifier: MIT */
/* The columns of a file of samples, and how they make a power. */
#include "power/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/internal.h"

/* Any longer name is unknown. */
#define NAME_BYTES 32

static const struct column_name {
	char text[NAME_BYTES];
	struct power_column column;
} names[] = {
	{ "time_s", { POWER_TIME, 0 } },
	{ "time_ms", { POWER_TIME, -3 } },
	{ "time_us", { POWER_TIME, -6 } },
	{ "time_ns", { POWER_TIME, -9 } },
	{ "seconds", { POWER_TIME, 0 } },
	{ "milliseconds", { POWER_TIME, -3 } },
	{ "s", { POWER_TIME, 0 } },
	{ "ms", { POWER_TIME, -3 } },
	{ "us", { POWER_TIME, -6 } },
	{ "ns", { POWER_TIME, -9 } },
	{ "timestamp_s", { POWER_TIME, 0 } },
	{ "timestamp_ms", { POWER_TIME, -3 } },
	{ "timestamp_us", { POWER_TIME, -6 } },
	{ "time_iso", { POWER_ISO_TIME, 0 } },
	{ "power_w", { POWER_WATTS, 0 } },
	{ "power_mw", { POWER_WATTS, -3 } },
	{ "power_uw", { POWER_WATTS, -6 } },
	{ "watts", { POWER_WATTS, 0 } },
	{ "milliwatts", { POWER_WATTS, -3 } },
	{ "w", { POWER_WATTS, 0 } },
	{ "mw", { POWER_WATTS, -3 } },
	{ "uw", { POWER_WATTS, -6 } },
	{ "volts", { POWER_VOLTS, 0 } },
	{ "millivolts", { POWER_VOLTS, -3 } },
	{ "voltage_v", { POWER_VOLTS, 0 } },
	{ "voltage_mv", { POWER_VOLTS, -3 } },
	{ "voltage_uv", { POWER_VOLTS, -6 } },
	{ "v", { POWER_VOLTS, 0 } },
	{ "mv", { POWER_VOLTS, -3 } },
	{ "uv", { POWER_VOLTS, -6 } },
	{ "amperes", { POWER_AMPERES, 0 } },
	{ "milliamperes", { POWER_AMPERES, -3 } },
	{ "current_a", { POWER_AMPERES, 0 } },
	{ "current_ma", { POWER_AMPERES, -3 } },
	{ "current_ua", { POWER_AMPERES, -6 } },
	{ "a", { POWER_AMPERES, 0 } },
	{ "ma", { POWER_AMPERES, -3 } },
	{ "ua", { POWER_AMPERES, -6 } },
	{ "shunt_v", { POWER_SHUNT, 0 } },
	{ "shunt_mv", { POWER_SHUNT, -3 } },
	{ "shunt_uv", { POWER_SHUNT, -6 } },
	{ "energy_j", { POWER_JOULES, 0 } },
	{ "energy_mj", { POWER_JOULES, -3 } },
	{ "energy_uj", { POWER_JOULES, -6 } },
	{ "joules", { POWER_JOULES, 0 } },
	{ "j", { POWER_JOULES, 0 } },
	{ "mj", { POWER_JOULES, -3 } },
	{ "uj", { POWER_JOULES, -6 } },
};

#define N_NAMES (sizeof(names) / sizeof(names[0]))

static bool is_end(const struct fields *fields, const char *at)
{
	return *at == fields->separator ||
	       (fields->separator == ' ' && *at == '\t');
}

bool ssdpm__take_field(struct fields *fields, struct span *ret_field)
{
	struct span *rest = &fields->rest;

	if (fields->separator == ' ')
		*rest = ssdpm__span_trim(*rest);
	if (fields->ended ||
	    (fields->separator == ' ' && rest->at == rest->end))
		return false;
	const char *at = rest->at;
	if (at < rest->end && *at == '"') {
		const char *quote =
			memchr(at + 1, '"', (size_t)(rest->end - at - 1));
		if (quote)
			at = quote;
	}
	while (at < rest->end && !is_end(fields, at))
		at++;
	struct span field = ssdpm__span_trim((struct span){ rest->at, at });
	fields->ended = at == rest->end;
	rest->at = fields->ended ? at : at + 1;
	if (field.end - field.at >= 2 && *field.at == '"' &&
	    field.end[-1] == '"')
		field = ssdpm__span_trim(
			(struct span){ field.at + 1, field.end - 1 });
	*ret_field = field;
	return true;
}

char ssdpm__find_separator(struct span line)
{
	static const char separators[] = { ';', '\t', ',', ' ' };

	line = ssdpm__span_trim(line);
	for (size_t i = 0; i < sizeof(separators); i++)
		if (line.at < line.end && memchr(line.at, separators[i],
						 (size_t)(line.end - line.at)))
			return separators[i];
	return ',';
}

/*
 * The micro sign and the letter mu, in UTF-8 and in Latin-1: without it, a
 * column of microwatts would be one of watts. Return: its bytes; 0: another.
 */
static size_t micro_length(struct span text)
{
	static const char signs[][3] = { "\xc2\xb5", "\xce\xbc", "\xb5" };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		const size_t n = strlen(signs[i]);

		if ((size_t)(text.end - text.at) >= n &&
		    !memcmp(text.at, signs[i], n))
			return n;
	}
	return 0;
}

/* "Power (mW)" is power_mw. */
static bool plain_name(struct span text, char name[NAME_BYTES])
{
	size_t n = 0;

	for (; text.at < text.end; text.at++) {
		const size_t micro = micro_length(text);
		char c = micro ? 'u' : *text.at;

		text.at += micro ? micro - 1 : 0;
		if ((unsigned char)c >= 0x80)
			return false;
		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9'))
			c = '_';
		if (c == '_' && (!n || name[n - 1] == '_'))
			continue;
		if (n + 1 == NAME_BYTES)
			return false;
		name[n++] = c;
	}
	if (n && name[n - 1] == '_')
		n--;
	name[n] = '\0';
	return true;
}

static bool read_name(struct span text, struct power_column *ret_column)
{
	char name[NAME_BYTES];

	if (!plain_name(text, name))
		return false;
	for (size_t i = 0; i < N_NAMES; i++)
		if (!strcmp(names[i].text, name)) {
			*ret_column = names[i].column;
			return true;
		}
	return false;
}

static int fail(struct ssdpm_error *reterr, struct span word, const char *why)
{
	char text[40];

	if (word.end - word.at >= (ptrdiff_t)sizeof(text))
		word.end = word.at + sizeof(text) - 1;
	ssdpm__span_copy(word, text, sizeof(text));
	return ssdpm__fail(reterr, -EINVAL, 0, "columns: \"%s\" %s", text, why);
}

static int add_column(struct power_columns *columns, struct span word,
		      struct power_column column, struct ssdpm_error *reterr)
{
	uint32_t kind = column.quantity == POWER_ISO_TIME ? POWER_TIME :
							    column.quantity;

	if (columns->n == POWER_MAX_COLUMNS)
		return fail(reterr, word, "is one column too many");
	if (kind != POWER_SKIP && columns->kinds & 1u << kind)
		return fail(reterr, word,
			    "is there twice, maybe in another unit: name the "
			    "columns, and \"-\" for those to be left out");
	columns->at[columns->n++] = column;
	columns->kinds |= 1u << kind;
	return 0;
}

int ssdpm__power_columns_read(const char *text, struct power_columns *columns,
			      struct ssdpm_error *reterr)
{
	struct fields fields = { ssdpm__span(text, strlen(text)), ',', false };
	struct span word;

	while (ssdpm__take_field(&fields, &word)) {
		struct power_column column = { 0 };

		if (ssdpm__span_is(word, "...") && fields.ended) {
			columns->more = true;
			return 0;
		}
		if (!ssdpm__span_is(word, "-") && !read_name(word, &column))
			return fail(reterr, word,
				    "is none: time_s, power_w, volts, amperes, "
				    "shunt_v, energy_uj and others are, - for "
				    "any other, ... for all that follow");
		int err = add_column(columns, word, column, reterr);
		if (err)
			return err;
	}
	return 0;
}

int ssdpm__power_columns_name(struct span line, struct power_columns *columns,
			      struct ssdpm_error *reterr)
{
	struct fields fields = { line, columns->separator, false };
	struct span word;
	bool known = false;

	while (ssdpm__take_field(&fields, &word)) {
		struct power_column column = { 0 };

		/* In a sentence, "a" is no ampere. */
		if (fields.separator != ' ' || word.end - word.at > 1)
			known |= read_name(word, &column);
		int err = add_column(columns, word, column, reterr);
		if (err)
			return err;
	}
	return known;
}

/* The unit in brackets of "Leistung [W]" or "Leistung (W)". */
static bool read_unit(struct span word, struct power_column *ret_column)
{
	const char *at = word.end;

	if (at == word.at || (at[-1] != ']' && at[-1] != ')'))
		return false;
	while (at > word.at && at[-1] != '[' && at[-1] != '(')
		at--;
	return at > word.at && at < word.end &&
	       read_name((struct span){ at, word.end - 1 }, ret_column);
}

/* Heads without a unit, which is then a guess: "Zeit", "I". */
static bool read_head(struct span word, struct power_column *ret_column)
{
	static const struct {
		char text[10];
		uint8_t quantity;
	} heads[] = {
		{ "t", POWER_TIME },	     { "time", POWER_TIME },
		{ "timestamp", POWER_TIME }, { "zeit", POWER_TIME },
		{ "p", POWER_WATTS },	     { "power", POWER_WATTS },
		{ "leistung", POWER_WATTS }, { "u", POWER_VOLTS },
		{ "volt", POWER_VOLTS },     { "voltage", POWER_VOLTS },
		{ "spannung", POWER_VOLTS }, { "i", POWER_AMPERES },
		{ "amps", POWER_AMPERES },   { "current", POWER_AMPERES },
		{ "strom", POWER_AMPERES },
	};
	char name[NAME_BYTES];

	if (!plain_name(word, name))
		return false;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (!strcmp(heads[i].text, name)) {
			*ret_column = (struct power_column){
				.quantity = heads[i].quantity,
			};
			return true;
		}
	return false;
}

/* The first one of the table: "time_s", "power_mw", "volts". */
static const char *name_of(struct power_column column)
{
	for (size_t i = 0; i < N_NAMES; i++)
		if (names[i].column.quantity == column.quantity &&
		    names[i].column.exponent == column.exponent)
			return names[i].text;
	return "-";
}

/* Without any unit: a time and a power, and no more than that. */
static const char *usual_name(uint32_t i, bool is_alone)
{
	if (is_alone)
		return "power_w";
	return i == 0 ? "time_s" : i == 1 ? "power_w" : "...";
}

/* The first column that is unknown may be the one that is missing. */
static void add_kind(struct power_column *columns, uint32_t n, uint8_t quantity)
{
	for (uint32_t i = 0; i < n; i++)
		if (columns[i].quantity == POWER_SKIP) {
			columns[i].quantity = quantity;
			return;
		}
}

void ssdpm__power_columns_propose(struct span line, char separator,
				  char *ret_text, size_t size)
{
	struct fields fields = { line, separator, false };
	const uint32_t times = 1u << POWER_TIME | 1u << POWER_ISO_TIME;
	struct power_column columns[POWER_MAX_COLUMNS];
	uint32_t n = 0, kinds = 0;
	struct span word;
	size_t used = 0;

	while (n < POWER_MAX_COLUMNS && ssdpm__take_field(&fields, &word)) {
		struct power_column column = { 0 };

		if ((!read_name(word, &column) && !read_unit(word, &column) &&
		     !read_head(word, &column)) ||
		    kinds & 1u << column.quantity)
			column = (struct power_column){ 0 };
		kinds |= 1u << column.quantity;
		columns[n++] = column;
	}
	*ret_text = 0;
	if (kinds != 1u << POWER_SKIP && !(kinds & times))
		add_kind(columns, n, POWER_TIME);
	if (kinds != 1u << POWER_SKIP && !(kinds >> POWER_WATTS))
		add_kind(columns, n, POWER_WATTS);
	for (uint32_t i = 0; i < n && used < size; i++) {
		const char *name = kinds == 1u << POWER_SKIP ?
					   usual_name(i, n == 1) :
					   name_of(columns[i]);

		used += (size_t)snprintf(ret_text + used, size - used, "%s%s",
					 i ? "," : "", name);
		if (!strcmp(name, "..."))
			break;
	}
}

static bool has(const struct power_columns *columns, uint32_t quantity)
{
	return columns->kinds & 1u << quantity;
}

static int check_shunt(const struct power_columns *columns,
		       const struct ssdpm_power_params *params,
		       struct ssdpm_error *reterr)
{
	if (!(params->shunt_ohm > 0))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the voltage of a shunt makes no power "
				   "without its resistance");
	if (!has(columns, POWER_VOLTS) && !(params->supply_v > 0))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the voltage of a shunt makes no power "
				   "without a column volts: name the columns, "
				   "or the voltage of the supply");
	return 0;
}

/* The only voltage, if both R and U are given, is that of the shunt. */
static void find_shunt(struct power_columns *columns,
		       const struct ssdpm_power_params *params)
{
	const uint32_t others = 1u << POWER_WATTS | 1u << POWER_AMPERES |
				1u << POWER_SHUNT | 1u << POWER_JOULES;

	if (columns->kinds & others || !has(columns, POWER_VOLTS) ||
	    !(params->shunt_ohm > 0) || !(params->supply_v > 0))
		return;
	columns->kinds ^= 1u << POWER_VOLTS | 1u << POWER_SHUNT;
	for (uint32_t i = 0; i < columns->n; i++)
		if (columns->at[i].quantity == POWER_VOLTS)
			columns->at[i].quantity = POWER_SHUNT;
}

bool ssdpm__power_columns_have_time(const struct power_columns *columns,
				    const struct ssdpm_power_params *params)
{
	return has(columns, POWER_TIME) || params->rate_hz > 0;
}

int ssdpm__power_columns_check(struct power_columns *columns,
			       const struct ssdpm_power_params *params,
			       struct ssdpm_error *reterr)
{
	find_shunt(columns, params);
	columns->way = POWER_SKIP;
	if (has(columns, POWER_WATTS))
		columns->way = POWER_WATTS;
	else if (has(columns, POWER_SHUNT))
		columns->way = POWER_SHUNT;
	else if (has(columns, POWER_AMPERES) &&
		 (has(columns, POWER_VOLTS) || params->supply_v > 0))
		columns->way = POWER_AMPERES;
	else if (has(columns, POWER_JOULES))
		columns->way = POWER_JOULES;
	if (!columns->way)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			has(columns, POWER_AMPERES) ?
				"the columns make no power without a voltage: "
				"name the columns, or the voltage of the "
				"supply" :
				"the columns make no power: name the columns "
				"of watts, of volts and amperes, of a "
				"shunt's voltage, or of a counter of energy");
	if (!ssdpm__power_columns_have_time(columns, params))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "no column is a time: name the columns, or "
				   "the rate of the samples");
	if (columns->way == POWER_SHUNT)
		return check_shunt(columns, params, reterr);
	return 0;
}
