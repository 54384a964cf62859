/* SPDX-License-Identifier: MIT */
/*
 * Tables for people. If one is too wide, columns that may be are left out. Then
 * its heads take several lines, then its widest texts. Else its last columns go
 * below the others.
 */
#include "text/output.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 2, BELOW = 4, LEAST_TEXT = 12 };

/* A table could not be printed: the call fails. */
static bool lost;

bool table_was_lost(void)
{
	return lost;
}

void table_cell(struct table *table, const char *format, ...)
{
	char **grown = realloc(table->cells,
			       (table->n_cells + 1) * sizeof(*table->cells));
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (grown)
		table->cells = grown;
	if (!grown || vasprintf(&text, format, args) < 0)
		table->failed = true;
	else
		table->cells[table->n_cells++] = text;
	va_end(args);
}

struct cell cell(const char *format, ...)
{
	struct cell result;
	va_list args;

	va_start(args, format);
	vsnprintf(result.text, sizeof(result.text), format, args);
	va_end(args);
	return result;
}

/* Empty cells up to the end of the last row. */
static void end_row(struct table *table)
{
	while (!table->failed && table->n_cells % strlen(table->align))
		table_cell(table, "%s", "");
}

void add_table_row(struct table *table, const char *const *cells, size_t n)
{
	end_row(table);
	for (size_t i = 0; i < n; i++)
		table_cell(table, "%s", cells[i]);
}

void begin_table(struct table *table, const char *alignment,
		 const char *const *head, size_t n)
{
	*table = (struct table){ .align = alignment, .has_head = true };
	add_table_row(table, head, n);
}

/* How to print a table: the columns below others begin a line of their own. */
struct layout {
	const struct table *table;
	size_t n_columns;
	size_t widths[TABLE_COLUMNS];
	bool below[TABLE_COLUMNS];
	bool left_out[TABLE_COLUMNS];
};

static size_t longest_word(const char *text)
{
	size_t longest = 0;

	while (*text) {
		const size_t n = strcspn(text, " ");

		const size_t columns = columns_of(text, n);

		longest = columns > longest ? columns : longest;
		text += n;
		text += strspn(text, " ");
	}
	return longest;
}

/* What a column needs: of whole cells, or of the words in its head. */
static void find_widths(struct layout *layout, bool split_heads)
{
	const struct table *table = layout->table;
	const size_t n = layout->n_columns;

	memset(layout->widths, 0, sizeof(layout->widths));
	for (size_t i = 0; i < table->n_cells; i++) {
		const char *text = table->cells[i];
		const bool splits = split_heads && table->has_head && i < n;
		const size_t length =
			splits ? longest_word(text) : text_columns(text);

		if (length > layout->widths[i % n])
			layout->widths[i % n] = length;
	}
}

static size_t total_width(const struct layout *layout)
{
	size_t total = 0;

	for (size_t i = 0; i < layout->n_columns; i++)
		if (!layout->left_out[i])
			total += GAP + layout->widths[i];
	return total;
}

/* The least width of a column: its longest word, and that of a short text. */
static size_t least_width(const struct layout *layout, size_t column)
{
	const struct table *table = layout->table;
	size_t least = table->align[column] == '<' ? LEAST_TEXT :
						     layout->widths[column];

	for (size_t i = column; i < table->n_cells; i += layout->n_columns) {
		const size_t n = longest_word(table->cells[i]);

		least = n > least ? n : least;
	}
	return least;
}

/* Narrows the widest texts by so much in all. false: too much. */
static bool narrow(struct layout *layout, size_t excess)
{
	size_t least[TABLE_COLUMNS];

	for (size_t i = 0; i < layout->n_columns; i++)
		least[i] = least_width(layout, i);
	for (; excess; excess--) {
		size_t most = 0, widest = 0;

		for (size_t i = 0; i < layout->n_columns; i++) {
			const size_t width = layout->widths[i];

			if (layout->left_out[i] || width <= most ||
			    width <= least[i])
				continue;
			most = width;
			widest = i;
		}
		if (!most)
			return false;
		layout->widths[widest]--;
	}
	return true;
}

static void put_below(struct layout *layout, size_t room)
{
	size_t used = 0;

	for (size_t i = 0; i < layout->n_columns; i++) {
		if (layout->left_out[i])
			continue;
		if (i && used + GAP + layout->widths[i] > room) {
			layout->below[i] = true;
			used = BELOW;
		}
		used += GAP;
		/* A cell that is longer than a line breaks at its blanks. */
		if (room > used && layout->widths[i] > room - used)
			layout->widths[i] = room - used;
		used += layout->widths[i];
	}
}

/* The last ones first. true: the others fit. */
static bool leave_out(struct layout *layout, size_t room)
{
	for (size_t i = layout->n_columns;
	     i-- > 0 && total_width(layout) > room;)
		layout->left_out[i] = layout->table->align[i] == '(';
	return total_width(layout) <= room;
}

static void lay_out(struct layout *layout)
{
	const size_t room = text_width(stdout);

	find_widths(layout, false);
	if (leave_out(layout, room))
		return;
	find_widths(layout, true);
	if (total_width(layout) <= room ||
	    narrow(layout, total_width(layout) - room))
		return;
	find_widths(layout, true);
	put_below(layout, room);
}

/* As many words as fit; at least one. */
static size_t piece_length(const char *text, size_t width)
{
	size_t n = strcspn(text, " "), more;

	for (;; n = more) {
		const size_t blanks = strspn(text + n, " ");

		more = n + blanks + strcspn(text + n + blanks, " ");
		if (!blanks || columns_of(text, more) > width)
			return n;
	}
}

/* Columns from first to the next that is below; texts: what is left of them. */
static bool print_piece(const struct layout *layout, size_t first, size_t end,
			const char **texts)
{
	size_t gap = first ? BELOW : 0; /* before the next text */
	bool more = false;

	for (size_t i = first; i < end; i++) {
		if (layout->left_out[i])
			continue;
		const size_t n = piece_length(texts[i], layout->widths[i]);
		char *text = strndup(texts[i], n);
		const size_t columns = text ? text_columns(text) : 0;
		const size_t pad = columns < layout->widths[i] ?
					   layout->widths[i] - columns :
					   0;
		const bool right = layout->table->align[i] == '>';

		gap += GAP + (right ? pad : 0);
		if (columns) {
			printf("%*s%s", (int)gap, "", text);
			gap = 0;
		}
		gap += right ? 0 : pad;
		free(text);
		texts[i] += n + strspn(texts[i] + n, " ");
		more |= *texts[i] != 0;
	}
	putchar('\n');
	return more;
}

static bool is_empty(const char *const *texts, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (*texts[i])
			return false;
	return true;
}

static void print_row(const struct layout *layout, char *const *cells)
{
	const char *texts[TABLE_COLUMNS];
	size_t end;

	for (size_t i = 0; i < layout->n_columns; i++)
		texts[i] = layout->left_out[i] ? "" : cells[i];
	for (size_t first = 0; first < layout->n_columns; first = end) {
		end = first + 1;
		while (end < layout->n_columns && !layout->below[end])
			end++;
		if (first && is_empty(texts, first, end))
			continue;
		while (print_piece(layout, first, end, texts))
			;
	}
}

/* A reader finds what the room did not allow. */
static void name_left_out(const struct layout *layout)
{
	size_t n = 0, left = 0;

	for (size_t i = 0; i < layout->n_columns; i++)
		left += layout->left_out[i];
	for (size_t i = 0; i < layout->n_columns; i++) {
		if (!layout->left_out[i])
			continue;
		printf("%s%s",
		       !n++	? "--wide shows " :
		       n < left ? ", " :
				  " and ",
		       layout->table->cells[i]);
	}
	if (left)
		puts(", too.");
}

bool table_print(struct table *table)
{
	struct layout layout = { .table = table,
				 .n_columns = strlen(table->align) };
	const bool has_rows =
		table->n_cells > (table->has_head ? layout.n_columns : 0);

	end_row(table);
	if (table->failed) {
		out_of_memory();
		lost = true;
	} else if (has_rows) {
		lay_out(&layout);
		for (size_t i = 0; i < table->n_cells; i += layout.n_columns)
			print_row(&layout, &table->cells[i]);
		if (table->has_head)
			name_left_out(&layout);
	}
	table_free(table);
	return has_rows;
}

void table_free(struct table *table)
{
	for (size_t i = 0; i < table->n_cells; i++)
		free(table->cells[i]);
	free(table->cells);
	*table = (struct table){ 0 };
}
