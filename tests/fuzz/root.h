/* SPDX-License-Identifier: MIT */
/* The root of a machine that a target makes: a directory, removed at the end.
 */
#ifndef SSDPM_TESTS_FUZZ_ROOT_H
#define SSDPM_TESTS_FUZZ_ROOT_H

#include <stddef.h>

extern char root[sizeof("/dev/shm/ssdpm-fuzz-XXXXXX")];
extern int root_fd; /* -1: there is none yet */

void root_make(void);

/* A file, and the folders that a path needs. */
void root_put(const char *path, const void *bytes, size_t n);
void root_make_folders(const char *path);

#endif
