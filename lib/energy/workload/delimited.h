/* SPDX-License-Identifier: MIT */
/* What the parts of the reader of delimited text share. */
#ifndef SSDPM_LIB_WORKLOAD_DELIMITED_H
#define SSDPM_LIB_WORKLOAD_DELIMITED_H

#include "workload/internal.h"

#define MAP_MAX_COLUMNS 64
#define MAP_MAX_WORDS 32

enum column_kind {
	COLUMN_SKIP = 1,
	COLUMN_TIME,
	COLUMN_OFFSET,
	COLUMN_BYTES,
	COLUMN_SERVICE,
	COLUMN_OP,
	COLUMN_DEVICE,
	COLUMN_FLAGS,
};

/*
 * scale: one unit in ns or bytes. digits: significant digits of the fraction.
 * comma: the comma is a decimal point, because it does not separate columns.
 */
struct column {
	uint32_t kind; /* enum column_kind */
	uint32_t digits;
	uint64_t scale;
	bool comma;
};

/* A word in the column op. */
struct op_word {
	char text[23];
	uint8_t op;
};

/*
 * The meaning of each column of a line. If the separator is ' ', any number of
 * blanks and tabs separates. kinds: a bit for each column kind. more: further
 * columns may follow.
 */
struct delimited_map {
	struct column columns[MAP_MAX_COLUMNS];
	struct op_word words[MAP_MAX_WORDS];
	uint32_t n_columns;
	uint32_t n_words;
	uint32_t kinds;
	uint32_t skip;	  /* lines before the first row */
	char after[64];	  /* rows follow a line that begins with this */
	char unknown[24]; /* in the column service: not recorded */
	char separator;
	bool more;
};

/* A row as read. bytes: any length. device: NULL if there is none. */
struct delimited_row {
	struct ssdpm_io io; /* service_ns is not set yet */
	uint64_t bytes;
	uint64_t service_ns;
	bool has_service;
	struct span device;
};

enum row_fault {
	ROW_FINE,
	ROW_SHORT,    /* a column is missing */
	ROW_LONG,     /* too many columns */
	ROW_TEXT,     /* not a number */
	ROW_FRACTION, /* not a whole number */
	ROW_RANGE,
	ROW_OP,
};

/*
 * Read a column map, as ssdpm_workload(3) describes it. 0 or -EINVAL.
 */
int ssdpm__delimited_map(const char *text, struct delimited_map *ret_map,
			 struct ssdpm_error *reterr);

/* The map for a header line with the names of struct ssdpm_io. */
bool ssdpm__delimited_header(struct span line, struct delimited_map *ret_map);

/*
 * Reads a row. Return: what is wrong with it; ret_column is the column, from 0.
 */
enum row_fault ssdpm__delimited_row(const struct delimited_map *map,
				    struct span line, struct delimited_row *row,
				    uint32_t *ret_column);

/* The map of a preset as text, or NULL. */
const char *ssdpm__delimited_preset(uint32_t format);

/* The format of a trace with this head; 0: none of these. */
uint32_t ssdpm__delimited_recognise(const char *head, size_t size);

/* Whether a line begins with a text, after blanks. */
bool ssdpm__delimited_begins(struct span line, const char *text);

#endif
