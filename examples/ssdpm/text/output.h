/* SPDX-License-Identifier: MIT */
/* Output: one JSON text in four forms, and tables for people. */
#ifndef SSDPM_COMMAND_OUTPUT_H
#define SSDPM_COMMAND_OUTPUT_H

#include "command.h"

#include "base/json.h"

/*
 * Print JSON as --json, --shell or --value ask for. A key inside is named by
 * its path: "states_3_exit_latency_us"; an array has "states_count" too.
 */
enum exit_status print_json(const struct common *common, const char *text);

/* The same of what was written so far; that is over then. */
enum exit_status print_written(const struct common *common,
			       struct json_writer *writer);

#define TABLE_COLUMNS 12
#define TABLE_ROWS 40
#define TABLE_CELL 128

/* A table: cells are copied, columns get the width of their widest cell. */
struct table {
	size_t n_columns;
	size_t n_rows;
	const char *align; /* for each column '<' or '>' */
	char cells[TABLE_ROWS][TABLE_COLUMNS][TABLE_CELL];
};

void table_cell(struct table *table, size_t column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void table_end_row(struct table *table);
void table_print(const struct table *table);

/*
 * A table of any length: each row is made twice, and none is kept. Row 0 is the
 * head; cells come empty.
 */
#define ROW_CELL 256
struct row {
	char cells[TABLE_COLUMNS][ROW_CELL];
};
typedef void (*row_fn)(const void *data, size_t number, struct row *ret_row);
void print_rows(const char *align, row_fn make_row, const void *data,
		size_t n_rows);
void row_cell(struct row *row, size_t column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
