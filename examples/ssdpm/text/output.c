/* SPDX-License-Identifier: MIT */
#include "text/output.h"

#include "base/internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A walk over all scalars of a JSON text, each with its path as a name. */
struct walk {
	const struct json *json;
	const char *wanted; /* --value: print only this key, bare */
	bool silent;	    /* only look for it */
	bool found;
	bool failed;
	char name[256];
};

/* What was complained of, and whether an object was printed: one a process. */
static char **errors;
static size_t n_errors;
static bool answered;

/* Drives that failed, as items of the list, and how the first one did. */
static char **failed;
static size_t n_failed;
static enum exit_status first_failure;

static void print_quoted(const char *text, size_t length)
{
	putchar('\'');
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\'')
			fputs("'\\''", stdout);
		else
			putchar(text[i]);
	putchar('\'');
}

static void print_pair(struct walk *walk, const char *text, size_t length)
{
	if (walk->wanted) {
		if (strcmp(walk->wanted, walk->name))
			return;
		walk->found = true;
		if (walk->silent)
			return;
		fwrite(text, 1, length, stdout);
	} else {
		printf("%s=", walk->name);
		print_quoted(text, length);
	}
	putchar('\n');
}

/* Escapes only make a string shorter: its raw length is room enough. */
static void print_string(struct walk *walk, const struct json_node *node)
{
	size_t size = node->end - node->start + 1;
	char *text = malloc(size);

	if (text && !ssdpm__json_get_string(walk->json, node, text, size,
					    walk->name, NULL)) {
		/* Scripts get the bytes as they are, people do not. */
		if (isatty(STDOUT_FILENO))
			ssdpm__blunt_controls(text);
		print_pair(walk, text, strlen(text));
	} else
		walk->failed = true;
	free(text);
}

static void print_scalar(struct walk *walk, const struct json_node *node)
{
	const char *raw = walk->json->text + node->start;

	if (node->type == JSON_STRING)
		print_string(walk, node);
	else if (node->type == JSON_NULL)
		print_pair(walk, "", 0);
	else
		print_pair(walk, raw, node->end - node->start);
}

static void print_node(struct walk *walk, const struct json_node *node);

static void print_children(struct walk *walk, const struct json_node *parent)
{
	const struct json_node *child = ssdpm__json_first(walk->json, parent);
	size_t length = strlen(walk->name), index = 0;
	char *end = walk->name + length;
	size_t room = sizeof(walk->name) - length;
	char count[16];

	if (parent->type == JSON_ARRAY) {
		snprintf(end, room, "_count");
		snprintf(count, sizeof(count), "%u", parent->n_children);
		print_pair(walk, count, strlen(count));
	}
	for (; child; child = ssdpm__json_next(walk->json, parent, child)) {
		const char *separator = length ? "_" : "";

		if (parent->type == JSON_ARRAY)
			snprintf(end, room, "%s%zu", separator, index++);
		else
			snprintf(end, room, "%s%.*s", separator,
				 (int)(child->key_end - child->key_start),
				 walk->json->text + child->key_start);
		print_node(walk, child);
	}
	*end = 0;
}

static void print_node(struct walk *walk, const struct json_node *node)
{
	if (node->type == JSON_OBJECT || node->type == JSON_ARRAY)
		print_children(walk, node);
	else
		print_scalar(walk, node);
}

static enum exit_status print_drive(const struct common *common,
				    const struct json *json,
				    const struct json_node *drive, bool silent)
{
	struct walk walk = {
		.json = json,
		.wanted = common->value_key,
		.silent = silent,
	};

	print_node(&walk, drive);
	if (walk.failed) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	if (!walk.wanted || walk.found)
		return STATUS_DONE;
	return usage_error(common, "--value %s: no such key; --shell shows all",
			   walk.wanted);
}

/* All drives, or nothing: the key is looked for before anything is printed. */
static enum exit_status print_drives(const struct common *common,
				     const struct json *json,
				     const struct json_node *list, bool silent)
{
	const struct json_node *drive = ssdpm__json_first(json, list);
	enum exit_status status = STATUS_DONE;

	for (; drive && !status; drive = ssdpm__json_next(json, list, drive))
		status = print_drive(common, json, drive, silent);
	return status;
}

static enum exit_status print_flat(const struct common *common,
				   const struct json *json)
{
	const struct json_node *list =
		ssdpm__json_member(json, &json->nodes[0], common->list);
	enum exit_status status;

	if (list->n_children != 1 && common->form == FORM_SHELL)
		return usage_error(common,
				   "--shell takes one drive, or one plan; here "
				   "are %u",
				   list->n_children);
	status = common->value_key ? print_drives(common, json, list, true) :
				     STATUS_DONE;
	return status ? status : print_drives(common, json, list, false);
}

static enum exit_status print_text_as(const struct common *common,
				      const char *text)
{
	enum exit_status status;
	struct ssdpm_error error;
	struct json json;

	if (common->form == FORM_JSON) {
		answered = true;
		fputs(text, stdout);
		return STATUS_DONE;
	}
	if (ssdpm__json_parse(text, strlen(text), &json, &error)) {
		complain("%s", error.message);
		return STATUS_FAILED;
	}
	status = print_flat(common, &json);
	ssdpm__json_free(&json);
	return status;
}

/* "ssdpm.measure-energy/2" */
static void write_schema(struct json_writer *writer,
			 const struct common *common)
{
	char schema[64];

	snprintf(schema, sizeof(schema), "ssdpm.%s/2", common->subcommand);
	for (char *at = schema; *at; at++)
		if (*at == ' ')
			*at = '-';
	ssdpm__json_string(writer, "schema", schema);
}

void begin_list(struct json_writer *writer, const struct common *common)
{
	ssdpm__json_begin(writer, NULL, '{');
	write_schema(writer, common);
	ssdpm__json_begin(writer, common->list, '[');
}

enum exit_status print_written(const struct common *common,
			       struct json_writer *writer)
{
	struct ssdpm_error error;
	enum exit_status status;
	char *text;

	for (size_t i = 0; i < n_failed; i++)
		add_item(writer, failed[i]);
	ssdpm__json_end(writer, ']');
	ssdpm__json_begin(writer, "errors", '[');
	for (size_t i = 0; i < n_errors; i++)
		ssdpm__json_string(writer, NULL, errors[i]);
	ssdpm__json_end(writer, ']');
	ssdpm__json_end(writer, '}');
	if (ssdpm__json_finish(writer, &text, &error)) {
		complain("%s", error.message);
		return STATUS_FAILED;
	}
	status = print_text_as(common, text);
	free(text);
	return status;
}

void add_item(struct json_writer *writer, const char *text)
{
	ssdpm__json_begin(writer, NULL, '{');
	ssdpm__json_members(writer, text);
	ssdpm__json_end(writer, '}');
}

void add_written(struct json_writer *writer, char *text)
{
	if (text)
		add_item(writer, text);
	else
		writer->failed = true;
	free(text);
}

enum exit_status print_item(const struct common *common, const char *text)
{
	struct json_writer writer = { 0 };

	begin_list(&writer, common);
	add_item(&writer, text);
	return print_written(common, &writer);
}

void note_error(const char *format, va_list args)
{
	char **grown = realloc(errors, (n_errors + 1) * sizeof(*errors));

	if (!grown)
		return;
	errors = grown;
	if (vasprintf(&errors[n_errors], format, args) < 0)
		return;
	/* JSON has no bytes that are no text. */
	ssdpm__blunt_controls(errors[n_errors]);
	n_errors++;
}

bool keep_failed_drive(const struct common *common, const char *name, size_t n,
		       enum exit_status status)
{
	const struct ssdpm_object object = {
		.size = sizeof(object),
		.kind = SSDPM_OBJECT_ERROR,
		.name = name,
		.reason = n_errors ? errors[n_errors - 1] : "out of memory",
	};
	char **grown = NULL, *text = NULL;

	if (!common->each_alone || common->form != FORM_JSON || n < 2)
		return false;
	if (!ssdpm_object_to_json(&object, &text, NULL))
		grown = realloc(failed, (n_failed + 1) * sizeof(*failed));
	if (!grown) {
		free(text);
		return false;
	}
	failed = grown;
	failed[n_failed++] = text;
	if (!first_failure)
		first_failure = status;
	return true;
}

enum exit_status failed_drive_status(void)
{
	return first_failure;
}

enum exit_status print_errors(const struct common *common,
			      enum exit_status status)
{
	struct json_writer writer = { 0 };

	/* What is not in force is no failure. */
	if (!status || status == STATUS_NOT_IN_FORCE)
		status = first_failure ? first_failure : status;
	if (common->form != FORM_JSON || answered || status == STATUS_USAGE)
		return status;
	begin_list(&writer, common);
	print_written(common, &writer);
	return status;
}

void row_cell(struct row *row, size_t column, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(row->cells[column], ROW_CELL, format, args);
	va_end(args);
}

static void begin_row(struct row *row, size_t n_columns)
{
	for (size_t i = 0; i < n_columns; i++)
		row->cells[i][0] = 0;
}

static void print_cells(const char *const *cells, const int *widths,
			const char *align, size_t n)
{
	while (n && !cells[n - 1][0]) /* no blanks at the end */
		n--;
	for (size_t i = 0; i < n; i++)
		if (align[i] == '>')
			printf("  %*s", widths[i], cells[i]);
		else
			printf("  %-*s", i + 1 < n ? widths[i] : 0, cells[i]);
	putchar('\n');
}

void print_rows(const char *align, row_fn make_row, const void *data,
		size_t n_rows)
{
	const char *cells[TABLE_COLUMNS];
	int widths[TABLE_COLUMNS] = { 0 };
	size_t n = strlen(align);
	struct row row;

	for (size_t i = 0; i < n; i++)
		cells[i] = row.cells[i];
	for (size_t i = 0; i < 2 * n_rows; i++) {
		begin_row(&row, n);
		make_row(data, i % n_rows, &row);
		for (size_t j = 0; j < n && i < n_rows; j++)
			if ((int)strlen(row.cells[j]) > widths[j])
				widths[j] = (int)strlen(row.cells[j]);
		if (i >= n_rows)
			print_cells(cells, widths, align, n);
	}
}

void table_cell(struct table *table, size_t column, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(table->cells[table->n_rows][column], TABLE_CELL, format,
		  args);
	va_end(args);
}

void table_end_row(struct table *table)
{
	table->n_rows++;
}

static int column_width(const struct table *table, size_t column)
{
	size_t width = 0;

	for (size_t row = 0; row < table->n_rows; row++) {
		size_t length = strlen(table->cells[row][column]);

		if (length > width)
			width = length;
	}
	return (int)width;
}

void table_print(const struct table *table)
{
	int widths[TABLE_COLUMNS];

	for (size_t column = 0; column < table->n_columns; column++)
		widths[column] = column_width(table, column);
	for (size_t row = 0; row < table->n_rows; row++) {
		const char *cells[TABLE_COLUMNS];

		for (size_t column = 0; column < table->n_columns; column++)
			cells[column] = table->cells[row][column];
		print_cells(cells, widths, table->align, table->n_columns);
	}
}
