/* SPDX-License-Identifier: MIT */
/* Remove a directory with all that is in it. */
#ifndef SSDPM_TESTS_REMOVE_H
#define SSDPM_TESTS_REMOVE_H

#include <ftw.h>
#include <stdio.h>

static int remove_one(const char *path, const struct stat *status, int type,
		      struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

/* It returns what nftw() does; links are removed, and not followed. */
static inline int remove_tree(const char *path)
{
	return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
