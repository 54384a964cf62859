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
 * scale: what one is in ns or bytes. digits: of its fraction that count. comma:
 * it may be the decimal point, because it separates nothing.
 */
struct column {
	uint32_t kind; /* enum column_kind */
	uint32_t digits;
	uint64_t scale;
	bool comma;
};

/* A word of the column op. */
struct op_word {
	char text[23];
	uint8_t op;
};

/*
 * What the columns of a line mean. separator ' ': blanks and tabs, any number
 * of them. kinds: a bit for each that there is. more: columns may follow.
 */
struct delimited_map {
	struct column columns[MAP_MAX_COLUMNS];
	struct op_word words[MAP_MAX_WORDS];
	uint32_t n_columns;
	uint32_t n_words;
	uint32_t kinds;
	uint32_t skip;	  /* lines before the first row */
	char after[64];	  /* rows come below a line that begins so */
	char unknown[24]; /* in the column service: not recorded */
	char separator;
	bool more;
};

/* A row as it was read. bytes: of any length. device: NULL where none is. */
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
	ROW_LONG,     /* there are more */
	ROW_TEXT,     /* no number */
	ROW_FRACTION, /* no whole number */
	ROW_RANGE,
	ROW_OP,
};

/*
 * Read a column map, as ssdpm_workload(3) describes it. 0 or -EINVAL.
 */
int ssdpm__delimited_map(const char *text, struct delimited_map *ret_map,
			 struct ssdpm_error *reterr);

/* The map that a header line with the names of struct ssdpm_io stands for. */
bool ssdpm__delimited_header(struct span line, struct delimited_map *ret_map);

/* What is wrong with a line, and in which column (from 0 on). */
enum row_fault ssdpm__delimited_row(const struct delimited_map *map,
				    struct span line, struct delimited_row *row,
				    uint32_t *ret_column);

/* The map of a preset as text, or NULL. */
const char *ssdpm__delimited_preset(uint32_t format);

/* Which format the head of a trace has; 0: none of these. */
uint32_t ssdpm__delimited_recognise(const char *head, size_t size);

/* Does a line begin so, blanks before it aside? */
bool ssdpm__delimited_begins(struct span line, const char *text);

#endif
