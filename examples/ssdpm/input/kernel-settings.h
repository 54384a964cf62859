/* SPDX-License-Identifier: MIT */
/* How Linux is told to build a table: parameters, and the latency limit. */
#ifndef SSDPM_COMMAND_KERNEL_SETTINGS_H
#define SSDPM_COMMAND_KERNEL_SETTINGS_H

#include "input/input.h"

#include "base/json.h"

/* A parameter of nvme_core, and what it is by default. */
struct setting {
	const char *name;
	uint64_t value;
	uint64_t usual;
};

#define MAX_SETTINGS 5

void get_settings(const struct ssdpm_apst_params *params,
		  struct setting settings[MAX_SETTINGS]);

/* All that are the default, or are not, with blanks between. */
void join_settings(const struct setting settings[MAX_SETTINGS], bool usual,
		   const char *prefix, char *text, size_t size);

/*
 * The call of ssdpm apply that sets it on a device, verifies it and can be
 * undone: free it. NULL: the drive is no device, or out of memory.
 */
char *apply_text(const struct drive *drive,
		 const struct ssdpm_apst_params *params);
/* The same for a table in a file; NULL: it has no name yet, "FILE". */
char *apply_table_text(const struct drive *drive, const char *path);

/* What to write to sysfs now, in this order: the limit twice, at the end. */
struct sysfs_values {
	struct sysfs_value {
		char path[96];
		char value[24];
	} values[MAX_SETTINGS + 1];
	size_t n;
};

void get_sysfs(const struct drive *drive,
	       const struct ssdpm_apst_params *params,
	       struct sysfs_values *ret_values);

/* The same, and the call of ssdpm apply, as members. */
void write_sysfs(struct json_writer *w, const struct drive *drive,
		 const struct ssdpm_apst_params *params);
/* For people: ssdpm apply, or what to write if the drive is no device. */
void print_sysfs(const struct drive *drive,
		 const struct ssdpm_apst_params *params);

#endif
