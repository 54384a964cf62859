/* SPDX-License-Identifier: MIT */
/* How Linux is told to build a table: parameters, and the latency limit. */
#ifndef SSDPM_COMMAND_KERNEL_SETTINGS_H
#define SSDPM_COMMAND_KERNEL_SETTINGS_H

#include "command.h"

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

/* What to write to sysfs now, in this order. */
void write_sysfs(struct json_writer *w, const struct ssdpm_apst_params *params);
void print_sysfs(const struct ssdpm_apst_params *params);

#endif
