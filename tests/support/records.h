/* SPDX-License-Identifier: MIT */
/*
 * Records that this machine's /dev/kmsg has for the program that runs. Its
 * read(), open64() and syscall() are for the programs that ask for them.
 */
#ifndef SSDPM_TESTS_RECORDS_H
#define SSDPM_TESTS_RECORDS_H

#include <stdbool.h>

/* Here Linux has overwritten some: EPIPE. */
#define RECORDS_LOST ""

/* From now on, up to NULL. NULL: those of the machine again. */
void records_set(const char *const *records);

/* For a program that has another openat64(). -1: it is no such file. */
int records_open(const char *path, int flags);

#endif
