/* SPDX-License-Identifier: MIT */
#include "lines/print.h"

#include "lines/fold.h"

#include <ssdpm/base.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#undef fputs
#undef fflush

/* The text between line feeds and tabs. */
static void blunt_between(char *text)
{
	for (;;) {
		char *end = text + strcspn(text, "\n\t");
		const char separator = *end;

		*end = 0;
		ssdpm_text_blunt(text);
		if (!separator)
			return;
		*end = separator;
		text = end + 1;
	}
}

static size_t count_breaks(const char *text)
{
	size_t n = 0;

	while (*(text += strcspn(text, "\n\t"))) {
		n++;
		text++;
	}
	return n;
}

/* With marks in place of the line feeds and tabs of the format; free() it. */
__attribute__((format(printf, 1, 0))) static char *render(const char *format,
							  char line_feed,
							  char tab,
							  va_list args)
{
	char *marked = strdup(format), *text = NULL;

	if (!marked)
		return NULL;
	for (char *at = marked; *at; at++)
		*at = *at == '\n' ? line_feed : *at == '\t' ? tab : *at;
	if (vasprintf(&text, marked, args) < 0)
		text = NULL;
	free(marked);
	return text;
}

/*
 * The text where an argument has line feeds or tabs, which become '?'. Those of
 * the format are where two sets of marks differ.
 */
__attribute__((format(printf, 1, 0))) static char *render_strictly(
	const char *format, va_list args)
{
	char *text, *other;
	va_list again;

	va_copy(again, args);
	text = render(format, 1, 2, args);
	other = render(format, 3, 4, again);
	va_end(again);
	for (size_t i = 0; text && other && text[i]; i++) {
		if (text[i] != other[i])
			text[i] = text[i] == 1 ? '\n' : '\t';
		else if (text[i] == '\n' || text[i] == '\t')
			text[i] = '?';
	}
	if (!other) {
		free(text);
		text = NULL;
	}
	free(other);
	return text;
}

static int print_blunted(FILE *file, char *text)
{
	int done;

	blunt_between(text);
	done = file == stdout ? write_lines(text) : fputs(text, file);
	return done == EOF ? -1 : (int)strlen(text);
}

/* Only line feeds and tabs of the format stay. Free it. */
__attribute__((format(printf, 1, 0))) static char *render_once(
	const char *format, va_list args)
{
	char *text = NULL;
	va_list again;

	va_copy(again, args);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	if (text && count_breaks(text) != count_breaks(format)) {
		free(text);
		text = render_strictly(format, again);
	}
	va_end(again);
	return text;
}

int print_list(FILE *file, const char *format, va_list args)
{
	char *text;
	int n;

	if (file != stdout && file != stderr)
		return vfprintf(file, format, args);
	text = render_once(format, args);
	n = text ? print_blunted(file, text) : -1;
	free(text);
	return n;
}

int print_to(FILE *file, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = print_list(file, format, args);
	va_end(args);
	return n;
}

int print_text(const char *text, FILE *file)
{
	char *copy;
	int n;

	if (file != stdout && file != stderr)
		return fputs(text, file);
	copy = strdup(text);
	n = copy ? print_blunted(file, copy) : -1;
	free(copy);
	return n;
}

int print_line(const char *text)
{
	int n = print_text(text, stdout);

	return n < 0 ? n : print_char('\n', stdout);
}

int print_char(int c, FILE *file)
{
	const char text[] = { (char)c, 0 };

	if (file != stdout)
		return (putc)(c, file);
	return write_lines(text) == EOF ? EOF : c;
}

int flush_text(FILE *file)
{
	int done;

	if (file == stdout)
		flush_line();
	done = fflush(file);
	return file == stdout && output_failure() ? EOF : done;
}

void print_escape(const char *sequence)
{
	write_lines(sequence);
}

/* A log has a message in one line. */
void print_message(const char *before, const char *format, va_list args)
{
	char *text = render_once(format, args), *whole;

	if (!text || asprintf(&whole, "%s%s\n", before, text) < 0)
		whole = NULL;
	free(text);
	if (!whole)
		return;
	blunt_between(whole);
	if (isatty(STDERR_FILENO))
		print_folded(stderr, whole);
	else
		fputs(whole, stderr);
	free(whole);
}

size_t print_paragraph(const char *text, int first, int others)
{
	const size_t width = text_width(stdout);
	size_t used = (size_t)first;
	size_t n_lines = 1;
	bool begun = false;

	print_to(stdout, "%*s", first, "");
	while (*text) {
		const size_t n = strcspn(text, " ");
		const size_t columns = columns_of(text, n);

		if (begun && used + 1 + columns > width) {
			print_to(stdout, "\n%*s", others, "");
			used = (size_t)others;
			n_lines++;
		} else if (begun) {
			print_char(' ', stdout);
			used++;
		}
		print_to(stdout, "%.*s", (int)n, text);
		used += columns;
		begun = true;
		text += n;
		text += strspn(text, " ");
	}
	print_char('\n', stdout);
	return n_lines;
}

void end_paragraph(FILE *stream, char **text, int first, int others)
{
	if (!fclose(stream))
		print_paragraph(*text, first, others);
	free(*text);
	*text = NULL;
}

static bool is_command(const char *clause)
{
	return !strncmp(clause, "ssdpm ", 6) || strstr(clause, " > /");
}

/* A command ends before the words on it, and before the next command. */
static bool begins_clause(const char *text, bool of_command)
{
	return !strncmp(text, " or ", 4) || !strncmp(text, " and ", 5) ||
	       !strncmp(text, " echo ", 6) ||
	       (of_command &&
		(!strncmp(text, " for ", 5) || !strncmp(text, " which ", 7)));
}

/* The end of a clause: behind a comma or colon, or at the end of the text. */
static const char *end_of_clause(const char *text)
{
	const bool of_command = is_command(text);
	const char *end = text;

	while ((end = strpbrk(end, ",:")))
		if (*end++ == ',' ? begins_clause(end, of_command) :
				    !strncmp(end, " echo ", 6))
			return end;
	return text + strlen(text);
}

/* A command is pasted: no comma is behind it. */
static void print_clause(char *clause, int indent)
{
	const size_t n = strlen(clause);

	if (is_command(clause))
		print_to(stdout, "%*s%.*s\n", indent, "",
			 (int)(n - (clause[n - 1] == ',')), clause);
	else
		print_paragraph(clause, indent, indent + 2);
}

void print_clauses(const char *text, int indent)
{
	/* Several commands are never one line. */
	const bool fits = indent + strlen(text) <= text_width(stdout) &&
			  !strstr(text, ": echo ");

	while (*text) {
		const char *end =
			fits ? text + strlen(text) : end_of_clause(text);
		char *clause = strndup(text, (size_t)(end - text));

		if (clause)
			print_clause(clause, indent);
		free(clause);
		text = end + (*end == ' ');
	}
}
