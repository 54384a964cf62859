/* SPDX-License-Identifier: MIT */
/* How people tell Linux to build a table: what the library says, in words. */
#ifndef SSDPM_COMMAND_KERNEL_SETTINGS_H
#define SSDPM_COMMAND_KERNEL_SETTINGS_H

#include "input/input.h"

/* From ssdpm_device_get_apst_changes(): free them; none: out of memory. */
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
/* The same for a table in a file; NULL: it has no name yet, "FILE". */
char *apply_table_text(const struct drive *drive, const char *path);

/* For people: ssdpm apply, or what to write if the drive is no device. */
void print_sysfs(const struct drive *drive, const struct changes *changes);

#endif
