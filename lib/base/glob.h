/* SPDX-License-Identifier: MIT */
/* Patterns with wildcards. */
#ifndef SSDPM_LIB_BASE_GLOB_H
#define SSDPM_LIB_BASE_GLOB_H

#include "base/text.h"

/*
 * Does a text match a pattern as a whole? "*" is any text, and "?" one
 * character. "[a-c]" is one of these, "[!a-c]" one of the others, and "\" takes
 * the next character as it is. "[" without its "]" is a character like others.
 * Capitals differ from small letters. The matcher of Linux, lib/glob.c, does
 * the same.
 *
 * Time is at most the product of both lengths.
 */
bool ssdpm__glob(struct span pattern, struct span text);

#endif
