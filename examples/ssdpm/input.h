/* SPDX-License-Identifier: MIT */
/* Operands: where a command takes a drive, it takes any of these. */
#ifndef SSDPM_COMMAND_INPUT_H
#define SSDPM_COMMAND_INPUT_H

#include "command.h"

/* A drive, and how the person named it: "drive.json", "fleet.json[3]". */
struct drive {
	char *name;
	struct ssdpm_model *model;
};

struct drives {
	struct drive *drives;
	size_t n;
};

/*
 * Read all operands. On failure there is one line on standard error for each
 * bad operand, and *ret_drives is empty. Free it with free_drives().
 */
enum exit_status read_drives(const struct common *common, char **operands,
			     size_t n_operands, struct drives *ret_drives);
void free_drives(struct drives *drives);

/* Read a file, a pipe, or - for standard input. Free the data with free(). */
enum exit_status read_file(const char *path, char **ret_data, size_t *ret_size);

#endif
