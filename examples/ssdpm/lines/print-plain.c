/* SPDX-License-Identifier: MIT */
/* For Python, which prints to no terminal: see print.h. */
#include "lines/print.h"

#undef fprintf
#undef fputs
#undef putc

int print_to(FILE *file, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vfprintf(file, format, args);
	va_end(args);
	return n;
}

int print_text(const char *text, FILE *file)
{
	return fputs(text, file);
}

int print_char(int c, FILE *file)
{
	return putc(c, file);
}
