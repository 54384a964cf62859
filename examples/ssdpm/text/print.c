/* SPDX-License-Identifier: MIT */
#include "text/print.h"

#include <ssdpm/base.h>

#include <stdlib.h>
#include <string.h>

#undef fputs

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
	blunt_between(text);
	return fputs(text, file) == EOF ? -1 : (int)strlen(text);
}

int print_list(FILE *file, const char *format, va_list args)
{
	char *text = NULL;
	va_list again;
	int n;

	if (file != stdout && file != stderr)
		return vfprintf(file, format, args);
	va_copy(again, args);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	if (text && count_breaks(text) != count_breaks(format)) {
		free(text);
		text = render_strictly(format, again);
	}
	va_end(again);
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

	return n < 0 ? n : putchar('\n');
}
