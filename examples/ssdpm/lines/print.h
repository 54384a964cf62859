/* SPDX-License-Identifier: MIT */
/*
 * Output may quote file names and contents, which must not control a terminal.
 * Control characters and invalid UTF-8 become '?'. Macros replace the functions
 * of stdio, so that no call is missed. Line feeds and tabs stay in a format and
 * in the text of fputs() and puts(), not in arguments. Files other than
 * standard output and standard error get unchanged text.
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
int print_char(int c, FILE *file);
int flush_text(FILE *file);
/* Prints a terminal sequence, which printf() would not. */
void print_escape(const char *sequence);

/*
 * Prints a message to standard error: one line, which is folded in a terminal.
 */
void print_message(const char *before, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/*
 * Prints lines as wide as text_width() of standard output, with an indent for
 * the first line and one for the others. A longer word has its own line.
 * Return: how many lines.
 */
size_t print_paragraph(const char *text, int first, int others);
/* The same for the text of a stream by open_memstream(), which it closes. */
void end_paragraph(FILE *stream, char **text, int first, int others);
/*
 * Prints advice: a paragraph for each ", or" and ", and" if it is longer than a
 * line. A command is not broken, and those behind ": echo" have lines of their
 * own.
 */
void print_clauses(const char *text, int indent);

/* With clang, _FORTIFY_SOURCE makes some of them macros. */
#undef printf
#undef fprintf
#undef fputs
#undef puts
#undef putchar
#undef putc
#undef fputc
#undef fflush
#define printf(...) print_to(stdout, __VA_ARGS__)
#define fprintf(...) print_to(__VA_ARGS__)
#define fputs(text, file) print_text(text, file)
#define puts(text) print_line(text)
#define putchar(c) print_char(c, stdout)
#define putc(c, file) print_char(c, file)
#define fputc(c, file) print_char(c, file)
#define fflush(file) flush_text(file)

#endif
