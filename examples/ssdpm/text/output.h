/* SPDX-License-Identifier: MIT */
/* Output: JSON in four forms, and tables for people. */
#ifndef SSDPM_COMMAND_OUTPUT_H
#define SSDPM_COMMAND_OUTPUT_H

#include "command.h"

#include <stdarg.h>

/* The answer of a subcommand: the objects of its list. */
struct items {
	char **texts;
	size_t n;
	bool failed; /* one failed, with a complaint */
};

/*
 * Adds an item from the library; err, text and error are the results of its
 * call. The text is freed with the others.
 */
void add_item(struct items *items, int err, char *text,
	      const struct ssdpm_error *error);
/* Adds an item that the library makes of an object. */
void add_object(struct items *items, const struct ssdpm_object *object);
void free_items(struct items *items);

/*
 * Prints and frees items as --json, --shell or --value request. The latter two
 * have only the keys of an item. Nested keys are paths, as in
 * "states_3_exit_latency_us"; an array also has "states_count".
 */
enum exit_status print_items(const struct common *common, struct items *items);

/* From now on each JSON is one line. */
void begin_json_lines(void);
/* What the library made, as begin_json_lines() wants it. */
void print_json_text(const char *text);

/* Prints an answer of one item. */
enum exit_status print_item(const struct common *common, int err, char *text,
			    const struct ssdpm_error *error);

/* Notes an error for "errors", from complain(). */
void note_error(const char *format, va_list args)
	__attribute__((format(printf, 1, 0)));

/*
 * Keeps a drive that failed, after a complaint. Returns true if the others go
 * on, in text or in the list that has its error; false if the call fails.
 */
bool keep_failed_drive(const struct common *common, const char *name, size_t n,
		       enum exit_status status);

/* The others go on, and the list does not have it. */
void note_failed_drive(const struct common *common, enum exit_status status);

/* The failure of the first of them; STATUS_DONE: none. */
enum exit_status failed_drive_status(void);

/*
 * Called at the end. With --json and without an answer, it prints the object
 * with an empty list. Return: the status, or that of a failed drive.
 */
enum exit_status print_errors(const struct common *common,
			      enum exit_status status);

/* Writes a small file anew; complains of a failure. */
enum exit_status save_file(const char *path, const void *data, size_t size);
/* Likewise: after a crash, too, it has all of the old text or of the new one.
 */
enum exit_status replace_file(const char *path, const void *data, size_t size);

#define TABLE_COLUMNS 12

/*
 * A table of any length. Cells are copied, and columns are as wide as their
 * widest cell.
 */
struct table {
	/* For each column '<', '>', or '(': left, and left out for room. */
	const char *align;
	char **cells; /* row after row */
	size_t n_cells;
	bool has_head;
	bool failed; /* out of memory */
};

/* A cell made of a format, for table_row(). */
struct cell {
	char text[256];
};
struct cell cell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* help.c: the help of an option, with the verb of its command. */
struct cell option_text(const struct group_use *use,
			const struct option_spec *option);

/*
 * Starts a table with its head; adds a row of cells. Cells are texts:
 * time_text(ns).text, cell("PS%u", state).text.
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

/* Appends a cell to the last row. */
void table_cell(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints and frees it. false: it has only a head, and nothing is printed. */
bool table_print(struct table *table);
void table_free(struct table *table);
/* Whether one could not be printed. */
bool table_was_lost(void);

/* FNV-1a, for files that ssdpm reads again */
uint64_t checksum_of(const char *text, size_t size);

#endif
