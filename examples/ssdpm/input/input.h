/* SPDX-License-Identifier: MIT */
/* Operands: where a command takes a drive, it takes any of these. */
#ifndef SSDPM_COMMAND_INPUT_H
#define SSDPM_COMMAND_INPUT_H

#include "command.h"

/* A table of other drives of the same name, and how many have it. */
struct alternative {
	struct ssdpm_model *model;
	uint64_t seen;
};

struct live;

/*
 * A drive, and how the person named it: "drive.json", "fleet.json[3]", "WDC PC
 * SN530", "nvme0". seen is 0, and there are no alternatives, where it is not
 * from the catalogue by its name.
 */
struct drive {
	char *name;
	struct ssdpm_model *model; /* NULL: of a device, where that will do */
	uint64_t seen;
	struct alternative *alternatives;
	size_t n_alternatives;
	/* For a device: */
	const struct live *live; /* its machine; NULL: it is no device */
	struct ssdpm_device *device;
	struct ssdpm_error
		problem; /* why there is no model; code 0: there is */
	bool named;	 /* by an operand, not as one of all */
	size_t operand;	 /* by which one */
};

struct drives {
	struct drive *drives;
	size_t n;
	struct live **lives; /* their machines */
	size_t n_lives;
	bool models_optional;
};

/*
 * Read all operands. On failure there is one line on standard error for each
 * bad operand, and *ret_drives is empty. Free it with free_drives().
 */
enum exit_status read_drives(const struct common *common, char **operands,
			     size_t n_operands, struct drives *ret_drives);

/*
 * The same where a device needs no model; without operands, all devices of the
 * machine.
 */
enum exit_status read_drives_or_devices(const struct common *common,
					char **operands, size_t n_operands,
					struct drives *ret_drives);

/* Only devices of the machine; without operands all of them. */
enum exit_status read_devices(const struct common *common, char **operands,
			      size_t n_operands, struct drives *ret_drives);

/* Takes over what the drive holds, also when it fails. */
enum exit_status add_drive(struct drives *drives, struct drive *drive);

void free_drives(struct drives *drives);

struct buffer {
	char *data;
	size_t size;
	size_t capacity;
};

/*
 * Read a file, or standard input for "-". Free the data in any case. A failure
 * is complained of, and returned as -errno.
 */
int read_operand(const char *path, struct buffer *buffer);

/*
 * catalogue.c: the catalogue with the user's own drives, NULL after a
 * complaint.
 */
struct ssdpm_catalogue *open_catalogue(const struct common *common);

/*
 * Look a drive up by name, as --firmware says. Return: 0; -ENOENT: the
 * catalogue has none; another -errno.
 */
int find_drive(const struct common *common,
	       const struct ssdpm_catalogue *catalogue, const char *name,
	       struct drive *ret_drive, struct ssdpm_error *reterr);
void free_drive(struct drive *drive);

/*
 * list-catalogue.c: print, for the completions, the name of each device of this
 * machine, and with catalogued of each drive in the catalogue, one a line.
 */
enum exit_status print_drive_names(bool catalogued);

/* list-catalogue.c: print the drives whose product fits; NULL: all. */
enum exit_status list_catalogue(const struct common *common,
				const char *pattern);

#endif
