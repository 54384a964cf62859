/* SPDX-License-Identifier: MIT */
/* Overlays: what was measured of drives, from files. */
#ifndef SSDPM_COMMAND_MEASURED_H
#define SSDPM_COMMAND_MEASURED_H

#include "input/input.h"

#define MAX_MEASURED 16

struct measured_options {
	const char *paths[MAX_MEASURED];
	size_t n;
};

struct measured_file {
	const char *path;
	struct ssdpm_overlay overlay;
	struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	size_t n;
	bool used; /* it is of one of the drives */
};

struct measured_files {
	struct measured_file *files;
	size_t n;
};

enum exit_status add_measured(const struct common *common,
			      struct measured_options *options,
			      const char *path);

/* Free it with free_measured(), also after a failure. */
enum exit_status read_measured(const struct measured_options *options,
			       struct measured_files *ret_files);
void free_measured(struct measured_files *files);

/*
 * Replace what is known of this drive by what was measured of it. Files of
 * other drives are left alone. Remarks tell what may not hold, unless common is
 * quiet.
 */
enum exit_status apply_measured(struct measured_files *files,
				const struct common *common,
				const struct drive *drive, uint32_t pcie_link,
				struct ssdpm_parameter *parameters, size_t n);

/* From the last of these files that is of this drive and has it; 0: none. */
uint32_t measured_wa_milli(const struct measured_files *files,
			   const struct drive *drive);

/* Powers of another drive are no guess: refused. */
enum exit_status check_measured(const struct measured_files *files);

/* The same before any of the drives is simulated. */
enum exit_status check_measured_of(const struct measured_options *options,
				   const struct drives *drives);

#endif
