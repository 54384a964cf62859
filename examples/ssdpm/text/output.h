/* SPDX-License-Identifier: MIT */
/* Output: JSON in four forms, and tables for people. */
#ifndef SSDPM_COMMAND_OUTPUT_H
#define SSDPM_COMMAND_OUTPUT_H

#include "command.h"

#include <stdarg.h>

/* What a subcommand answers: the objects of the list that it names. */
struct items {
	char **texts;
	size_t n;
	bool failed; /* one could not be made, which was complained of */
};

/*
 * One more, that the library made: err, text and error are of its call. The
 * text is freed with the others.
 */
void add_item(struct items *items, int err, char *text,
	      const struct ssdpm_error *error);
/* One more that the library makes of an object. */
void add_object(struct items *items, const struct ssdpm_object *object);
void free_items(struct items *items);

/*
 * Print them, and free them, as --json, --shell or --value ask for. These two
 * have the keys of an item alone, one inside another being named by its path:
 * "states_3_exit_latency_us"; an array has "states_count" too.
 */
enum exit_status print_items(const struct common *common, struct items *items);

/* An answer of one. */
enum exit_status print_item(const struct common *common, int err, char *text,
			    const struct ssdpm_error *error);

/* An error for "errors": what complain() says. */
void note_error(const char *format, va_list args)
	__attribute__((format(printf, 1, 0)));

/*
 * A drive has failed, and was complained of. true: it is among the others of
 * the list, with that as its error, and they go on; false: the call fails.
 */
bool keep_failed_drive(const struct common *common, const char *name, size_t n,
		       enum exit_status status);

/* How the first of them failed; STATUS_DONE: none did. */
enum exit_status failed_drive_status(void);

/*
 * At the end: where --json was asked for, and nothing was answered, the object
 * with an empty list. Return: the status, or that of a drive that failed.
 */
enum exit_status print_errors(const struct common *common,
			      enum exit_status status);

/* Write a small file, anew; what fails is complained of. */
enum exit_status save_file(const char *path, const void *data, size_t size);

#define TABLE_COLUMNS 12

/*
 * A table of any length: cells are copied, columns get the width of their
 * widest cell.
 */
struct table {
	const char *align; /* for each column '<' or '>' */
	char **cells;	   /* row after row */
	size_t n_cells;
	bool has_head;
	bool failed; /* memory was used up */
};

/* A cell made of a format, for table_row(). */
struct cell {
	char text[256];
};
struct cell cell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * An empty table, and its head; a row of as many cells as are given. Cells are
 * texts: time_text(ns).text, cell("PS%u", state).text.
 */
#define table_begin(table, alignment, ...) \
	begin_table(table, alignment, CELLS(__VA_ARGS__))
#define table_row(table, ...) add_table_row(table, CELLS(__VA_ARGS__))
#define CELLS(...)                                             \
	(const char *const[]){ __VA_ARGS__ },                  \
		sizeof((const char *const[]){ __VA_ARGS__ }) / \
			sizeof(const char *)
void begin_table(struct table *table, const char *alignment,
		 const char *const *head, size_t n);
void add_table_row(struct table *table, const char *const *cells, size_t n);

/* One more cell of the last row. */
void table_cell(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Print it, and free it. false: it has only a head, and nothing is printed. */
bool table_print(struct table *table);
void table_free(struct table *table);

#endif
