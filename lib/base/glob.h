/* SPDX-License-Identifier: MIT */
/* Patterns with wildcards. */
#ifndef SSDPM_LIB_BASE_GLOB_H
#define SSDPM_LIB_BASE_GLOB_H

#include "base/text.h"

/*
 * Whether a text matches a whole pattern. A "*" matches any text, and a "?" one
 * character. A set "[a-c]" matches one of these, and "[!a-c]" any other. A "\"
 * takes the next character literally. A "[" without its "]" is a normal
 * character. Case matters. The matcher of Linux, lib/glob.c, does the same.
 *
 * Time is at most the product of both lengths.
 */
bool ssdpm__glob(struct span pattern, struct span text);

#endif
