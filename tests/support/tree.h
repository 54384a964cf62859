/* SPDX-License-Identifier: MIT */
/* Small roots made by a test: a directory with what it puts there. */
#ifndef SSDPM_TESTS_TREE_H
#define SSDPM_TESTS_TREE_H

#include "fixture.h"

/* A new, empty directory; tree_remove() frees it. */
char *tree_new(void);
void tree_remove(char *root);

/* A file with its directories. */
void tree_put(const char *root, const char *path, const char *text);
void tree_link(const char *root, const char *path, const char *target);
void tree_mkdir(const char *root, const char *path);

/* root/path; valid until the next call. */
const char *tree_path(const char *root, const char *path);

/* A machine of it, without a log. */
struct ssdpm_machine *tree_machine(const char *root);

/* A machine of tests/captures. */
struct ssdpm_machine *tree_capture(const char *name);

/* How many descriptors this process has. */
int tree_count_fds(void);

#endif
