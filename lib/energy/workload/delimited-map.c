/* SPDX-License-Identifier: MIT */
/*
 * The column map: "time:us,op,offset:sectors,bytes;separator=comma;skip=1".
 * Columns in their order, then options.
 */
#include <errno.h>
#include <string.h>

#include "base/internal.h"
#include "workload/delimited.h"

struct named_column {
	const char *name;
	uint32_t value;
};

static const struct named_column kinds[] = {
	{ "-", COLUMN_SKIP },	       { "time", COLUMN_TIME },
	{ "offset", COLUMN_OFFSET },   { "bytes", COLUMN_BYTES },
	{ "service", COLUMN_SERVICE }, { "op", COLUMN_OP },
	{ "device", COLUMN_DEVICE },   { "flags", COLUMN_FLAGS },
};

/* Nanoseconds; how many digits a fraction of them has. */
static const struct unit {
	const char *name;
	uint64_t scale;
	uint32_t digits;
} units[] = {
	{ "s", 1000000000, 9 }, { "ms", 1000000, 6 },	{ "us", 1000, 3 },
	{ "ns", 1, 0 },		{ "filetime", 100, 2 },
};

static const struct named_column separators[] = {
	{ "comma", ',' }, { "semicolon", ';' }, { "tab", '\t' },
	{ "blank", ' ' }, { "colon", ':' },	{ "bar", '|' },
};

/* Words of the column op where the map names none. */
static const struct op_word default_words[] = {
	{ "read", SSDPM_OP_READ },	 { "r", SSDPM_OP_READ },
	{ "write", SSDPM_OP_WRITE },	 { "w", SSDPM_OP_WRITE },
	{ "flush", SSDPM_OP_FLUSH },	 { "f", SSDPM_OP_FLUSH },
	{ "discard", SSDPM_OP_DISCARD }, { "d", SSDPM_OP_DISCARD },
	{ "trim", SSDPM_OP_DISCARD },
};

/* Take all before the first of the ends. */
static struct span take_until(struct span *rest, const char *ends)
{
	struct span part = *rest;

	/* strchr() finds a zero byte in every string. */
	while (rest->at < rest->end && (!*rest->at || !strchr(ends, *rest->at)))
		rest->at++;
	part.end = rest->at;
	return part;
}

static bool take_char(struct span *rest, char c)
{
	if (rest->at == rest->end || *rest->at != c)
		return false;
	rest->at++;
	return true;
}

static int fail(struct ssdpm_error *reterr, struct span part, const char *why)
{
	char text[40];

	if (part.end - part.at >= (ptrdiff_t)sizeof(text))
		part.end = part.at + sizeof(text) - 1;
	ssdpm__span_copy(part, text, sizeof(text));
	return ssdpm__fail(reterr, -EINVAL, 0, "columns: \"%s\" %s", text, why);
}

static int read_scale(struct span text, struct column *column,
		      struct ssdpm_error *reterr)
{
	bool is_time =
		column->kind == COLUMN_TIME || column->kind == COLUMN_SERVICE;
	bool is_size =
		column->kind == COLUMN_OFFSET || column->kind == COLUMN_BYTES;
	struct span rest = text;

	for (size_t i = 0; is_time && i < sizeof(units) / sizeof(units[0]); i++)
		if (ssdpm__span_is(text, units[i].name)) {
			column->scale = units[i].scale;
			column->digits = units[i].digits;
			return 0;
		}
	if (is_time)
		return fail(reterr, text,
			    "is no unit of time: s, ms, us, ns or filetime");
	if (is_size && ssdpm__span_is(text, "sectors"))
		column->scale = 512;
	else if (!is_size ||
		 !ssdpm__take_uint(&rest, 1 << 30, &column->scale) ||
		 rest.at != rest.end || !column->scale)
		return fail(reterr, text,
			    "is no unit: sectors, or a number of bytes");
	return 0;
}

static int read_column(struct span text, struct delimited_map *map,
		       struct ssdpm_error *reterr)
{
	struct column column = { .scale = 1 };
	struct span rest = text, name = take_until(&rest, ":");

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (ssdpm__span_is(name, kinds[i].name))
			column.kind = kinds[i].value;
	if (!column.kind)
		return fail(reterr, text,
			    "is no column: time, offset, bytes, service, op, "
			    "device, flags, or - for any other");
	if (map->n_columns == MAP_MAX_COLUMNS)
		return fail(reterr, text, "is one column too many");
	if (map->kinds & 1u << column.kind && column.kind != COLUMN_SKIP &&
	    !(column.kind == COLUMN_DEVICE &&
	      map->columns[map->n_columns - 1].kind == COLUMN_DEVICE))
		return fail(reterr, text, "is there twice");
	if (take_char(&rest, ':')) {
		int err = read_scale(rest, &column, reterr);
		if (err)
			return err;
	} else if (column.kind == COLUMN_TIME ||
		   column.kind == COLUMN_SERVICE) {
		return fail(reterr, text,
			    "needs a unit: s, ms, us, ns or filetime");
	}
	map->columns[map->n_columns++] = column;
	map->kinds |= 1u << column.kind;
	return 0;
}

static int read_columns(struct span text, struct delimited_map *map,
			struct ssdpm_error *reterr)
{
	do {
		struct span column = take_until(&text, ",");

		if (ssdpm__span_is(column, "...") && text.at == text.end) {
			map->more = true;
			break;
		}
		int err = read_column(column, map, reterr);
		if (err)
			return err;
	} while (take_char(&text, ','));
	for (uint32_t kind = COLUMN_TIME; kind <= COLUMN_OP; kind++)
		if (kind != COLUMN_SERVICE && !(map->kinds & 1u << kind))
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "columns: there is no %s",
					   kinds[kind - 1].name);
	return 0;
}

static int read_words(struct span text, uint8_t op, struct delimited_map *map,
		      struct ssdpm_error *reterr)
{
	do {
		struct span word = take_until(&text, "|");
		struct op_word *new = &map->words[map->n_words];

		if (map->n_words == MAP_MAX_WORDS)
			return fail(reterr, word, "is one word too many");
		if (word.at == word.end ||
		    !ssdpm__span_copy(word, new->text, sizeof(new->text)))
			return fail(reterr, word,
				    "cannot be a word for an operation");
		new->op = op;
		map->n_words++;
	} while (take_char(&text, '|'));
	return 0;
}

static int read_separator(struct span text, struct delimited_map *map,
			  struct ssdpm_error *reterr)
{
	map->separator = 0;
	for (size_t i = 0; i < sizeof(separators) / sizeof(separators[0]); i++)
		if (ssdpm__span_is(text, separators[i].name))
			map->separator = (char)separators[i].value;
	if (!map->separator)
		return fail(reterr, text,
			    "is no separator: comma, semicolon, tab, blank, "
			    "colon or bar");
	return 0;
}

static int read_option(struct span name, struct span value,
		       struct delimited_map *map, struct ssdpm_error *reterr)
{
	const uint32_t op = ssdpm__span_value(name, ssdpm_op_from_string);

	if (op)
		return read_words(value, (uint8_t)op, map, reterr);
	if (ssdpm__span_is(name, "separator"))
		return read_separator(value, map, reterr);
	if (ssdpm__span_is(name, "skip")) {
		uint64_t n;

		if (!ssdpm__take_uint(&value, UINT32_MAX, &n) ||
		    value.at != value.end)
			return fail(reterr, name, "needs a number of lines");
		map->skip = (uint32_t)n;
		return 0;
	}
	if (ssdpm__span_is(name, "unknown")) {
		if (!ssdpm__span_copy(value, map->unknown,
				      sizeof(map->unknown)))
			return fail(reterr, value, "is too long");
		return 0;
	}
	return fail(reterr, name,
		    "is no option: separator, skip, unknown, read, write, "
		    "flush, discard, after");
}

static int read_options(struct span rest, struct delimited_map *map,
			struct ssdpm_error *reterr)
{
	while (take_char(&rest, ';')) {
		struct span name = take_until(&rest, "=;");

		if (!take_char(&rest, '='))
			return fail(reterr, name, "has no value");
		/* The last one: its text may have anything in it. */
		if (ssdpm__span_is(name, "after")) {
			if (!ssdpm__span_copy(rest, map->after,
					      sizeof(map->after)))
				return fail(reterr, rest, "is too long");
			return 0;
		}
		int err =
			read_option(name, take_until(&rest, ";"), map, reterr);
		if (err)
			return err;
	}
	return 0;
}

static void finish(struct delimited_map *map)
{
	if (map->n_words)
		return;
	memcpy(map->words, default_words, sizeof(default_words));
	map->n_words = sizeof(default_words) / sizeof(default_words[0]);
}

int ssdpm__delimited_map(const char *text, struct delimited_map *ret_map,
			 struct ssdpm_error *reterr)
{
	struct delimited_map map = { .separator = ',' };
	struct span rest = { text, text + strlen(text) };
	int err = read_columns(take_until(&rest, ";"), &map, reterr);

	if (err == 0)
		err = read_options(rest, &map, reterr);
	if (err)
		return err;
	for (uint32_t i = 0; i < map.n_columns; i++)
		map.columns[i].comma = map.separator != ',';
	finish(&map);
	*ret_map = map;
	return 0;
}

bool ssdpm__delimited_header(struct span line, struct delimited_map *ret_map)
{
	static const struct named_column names[] = {
		{ "start_ns", COLUMN_TIME }, { "offset", COLUMN_OFFSET },
		{ "bytes", COLUMN_BYTES },   { "service_ns", COLUMN_SERVICE },
		{ "op", COLUMN_OP },	     { "flags", COLUMN_FLAGS },
	};
	const uint32_t needed = 1u << COLUMN_TIME | 1u << COLUMN_OFFSET |
				1u << COLUMN_BYTES | 1u << COLUMN_OP;
	/* What a library that knows no missing values writes instead. */
	struct delimited_map map = { .separator = ',',
				     .skip = 1,
				     .unknown = "4294967295" };

	do {
		struct span name = take_until(&line, ",");
		uint32_t kind = COLUMN_SKIP;

		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (ssdpm__span_is(name, names[i].name))
				kind = names[i].value;
		if (map.n_columns == MAP_MAX_COLUMNS ||
		    (kind != COLUMN_SKIP && map.kinds & 1u << kind))
			return false;
		map.columns[map.n_columns++] =
			(struct column){ .kind = kind, .scale = 1 };
		map.kinds |= 1u << kind;
	} while (take_char(&line, ','));
	if ((map.kinds & needed) != needed)
		return false;
	finish(&map);
	*ret_map = map;
	return true;
}
