/* SPDX-License-Identifier: MIT */
/* Words and calls of ssdpm that can be pasted into a shell. */
#ifndef SSDPM_COMMAND_SHELL_H
#define SSDPM_COMMAND_SHELL_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A blank and a word, quoted where a shell needs it. */
void write_word(FILE *file, const char *word);

/* " --root" and the directory as it was given; NULL: nothing. */
void write_root(FILE *file, const char *root);

/*
 * A text in which each "ssdpm COMMAND" is followed by --root, if there is one.
 * Free it; NULL: out of memory.
 */
char *advised_text(const char *root, const char *text);

#ifdef __cplusplus
}
#endif

#endif
