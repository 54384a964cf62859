/* SPDX-License-Identifier: MIT */
/* Calls of ssdpm that are printed, so that they can be pasted into a shell. */
#ifndef SSDPM_COMMAND_ADVISED_H
#define SSDPM_COMMAND_ADVISED_H

#include "input/input.h"

#include <stdio.h>

/* A blank and a word, quoted where a shell needs it. */
void write_word(FILE *file, const char *word);

/* " --root" and the directory as it was given; NULL: nothing. */
void write_root(FILE *file, const char *root);

/*
 * A text in which each "ssdpm COMMAND" is followed by --root, if there is one.
 * Free it; NULL: out of memory.
 */
char *advised_text(const char *root, const char *text);

/* What to do about a diagnosis of a drive; free it. NULL: there is none. */
char *advice_text(const struct drive *drive,
		  const struct ssdpm_diagnosis *diagnosis);

/* "ssdpm show" for a device; free it. NULL: out of memory. */
char *show_text(const struct drive *drive);

#endif
