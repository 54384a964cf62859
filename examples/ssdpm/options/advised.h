/* SPDX-License-Identifier: MIT */
/* Calls of ssdpm and settings of Linux for a drive: to be pasted. */
#ifndef SSDPM_COMMAND_ADVISED_H
#define SSDPM_COMMAND_ADVISED_H

#include "input/input.h"
#include "text/shell.h"

/* What to do about a diagnosis of a drive; free it. NULL: there is none. */
char *advice_text(const struct drive *drive,
		  const struct ssdpm_diagnosis *diagnosis);

/* "ssdpm show" for a device; free it. NULL: out of memory. */
char *show_text(const struct drive *drive);

/* How Linux is told to make a table; from ssdpm_device_get_apst_changes(): free
 * them; none: out of memory. */
struct changes {
	struct ssdpm_change *all;
	size_t n;
};

struct changes find_changes(const struct drive *drive,
			    const struct ssdpm_apst_params *params);

/* The parameters to boot with, with blanks between. */
void join_changes(const struct changes *changes, const char *prefix, char *text,
		  size_t size);

/* The name of such a parameter; NULL: the change is a file. */
const char *parameter_of(const struct ssdpm_change *change);

/*
 * The call of ssdpm apply that sets it on a device, verifies it and can be
 * undone: free it. NULL: the drive is no device, or out of memory.
 */
char *apply_text(const struct drive *drive, const struct changes *changes);
/*
 * The same for a table in a file; NULL: it has no name yet, "FILE". A capture
 * refuses it: the second one is for the machine that it was made of.
 */
char *apply_table_text(const struct drive *drive, const char *path);
char *apply_table_there_text(const struct drive *drive, const char *path);

/* For people: ssdpm apply, or what to write if the drive is no device. */
void print_sysfs(const struct drive *drive, const struct changes *changes);

#endif
