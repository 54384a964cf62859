/* SPDX-License-Identifier: MIT */
/* How Linux is told to build a table: parameters, and the latency limit. */
#ifndef SSDPM_COMMAND_KERNEL_SETTINGS_H
#define SSDPM_COMMAND_KERNEL_SETTINGS_H

#include "input.h"

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

#define APPLY_BYTES 9600

/*
 * The call of ssdpm apply that sets it on a device, verifies it and can be
 * undone. false: the drive is no device.
 */
bool format_apply(const struct drive *drive,
		  const struct ssdpm_apst_params *params,
		  char text[APPLY_BYTES]);
/* The same for a table in a file; NULL: it has no name yet, "FILE". */
bool format_apply_table(const struct drive *drive, const char *file,
			char text[APPLY_BYTES]);

/* What to write to sysfs now, in this order. */
void write_sysfs(struct json_writer *w, const struct drive *drive,
		 const struct ssdpm_apst_params *params);
/* For people: ssdpm apply, or what to write if the drive is no device. */
void print_sysfs(const struct drive *drive,
		 const struct ssdpm_apst_params *params);

#endif
