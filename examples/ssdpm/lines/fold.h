/* SPDX-License-Identifier: MIT */
/*
 * The width of lines for people. A line that is too long goes on in the next
 * one, below its text. A call that is copied ends with a backslash there, and
 * one in prose is not broken if it fits in a line. A
 * word that is too long, such as a path, stays whole.
 */
#ifndef SSDPM_COMMAND_FOLD_H
#define SSDPM_COMMAND_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* From now on standard output has text for people, or data. */
void fold_lines(bool whether);
/* --wide: any width will do. */
void widen_lines(void);

/*
 * The columns of the terminal that the file is, but at most 80; 80 for a file
 * that is no terminal.
 */
size_t text_width(FILE *file);

/* How many columns a text takes in a terminal, or n bytes of it. */
size_t text_columns(const char *text);
size_t columns_of(const char *text, size_t n);

/* Prints whole lines to any file, and cuts the text to pieces. */
void print_folded(FILE *file, char *text);

/* Writes to standard output; the last line may go on. EOF: it failed. */
int write_lines(const char *text);
/* The errno of the first failure of standard output; 0: none. */
int output_failure(void);
/* Prints a line that was begun, such as a question. */
void flush_line(void);

#endif
