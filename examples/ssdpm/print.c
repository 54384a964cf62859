/* SPDX-License-Identifier: MIT */
#include "print.h"

#include "base/internal.h"

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
		ssdpm__blunt_controls(text);
		if (!separator)
			return;
		*end = separator;
		text = end + 1;
	}
}

int print_list(FILE *file, const char *format, va_list args)
{
	char small[1024], *text = small;
	va_list again;
	int n;

	if (file != stdout && file != stderr)
		return vfprintf(file, format, args);
	va_copy(again, args);
	n = vsnprintf(small, sizeof(small), format, args);
	if (n >= (int)sizeof(small)) {
		text = malloc((size_t)n + 1);
		if (text)
			vsnprintf(text, (size_t)n + 1, format, again);
		else
			text = small; /* what there is room for */
	}
	va_end(again);
	blunt_between(text);
	if (fputs(text, file) == EOF)
		n = -1;
	if (text != small)
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
	return print_to(file, "%s", text);
}

int print_line(const char *text)
{
	return print_to(stdout, "%s\n", text);
}
