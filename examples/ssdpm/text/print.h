/* SPDX-License-Identifier: MIT */
/*
 * What is printed may quote the names of files and what files say, and none of
 * that may steer a terminal: control characters become '?', and so does what is
 * no UTF-8. The functions of stdio are replaced, so that no call is forgotten.
 * Line feeds and tabs stay in a format and in what fputs() and puts() print,
 * not in arguments. A file that is neither standard output nor standard error
 * gets all as it is.
 */
#ifndef SSDPM_COMMAND_PRINT_H
#define SSDPM_COMMAND_PRINT_H

#include <stdarg.h>
#include <stdio.h>

int print_list(FILE *file, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
int print_to(FILE *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int print_text(const char *text, FILE *file);
int print_line(const char *text);

/*
 * Print in lines of up to 80 columns, of which the first one and the others are
 * indented so far. A word that is longer has a line for itself. Return: how
 * many lines.
 */
size_t print_paragraph(const char *text, int first, int others);
/* The same for the text of a stream by open_memstream(), which it ends. */
void end_paragraph(FILE *stream, char **text, int first, int others);
/*
 * Print advice: a paragraph of its own for each ", or" and ", and" if it is
 * longer than a line. A command is not broken.
 */
void print_clauses(const char *text, int indent);

/* _FORTIFY_SOURCE makes macros of some of them where the compiler is clang. */
#undef printf
#undef fprintf
#undef fputs
#undef puts
#define printf(...) print_to(stdout, __VA_ARGS__)
#define fprintf(...) print_to(__VA_ARGS__)
#define fputs(text, file) print_text(text, file)
#define puts(text) print_line(text)

#endif
