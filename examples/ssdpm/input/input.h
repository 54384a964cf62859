/* SPDX-License-Identifier: MIT */
/* Operands: where a command takes a drive, it takes any of these. */
#ifndef SSDPM_COMMAND_INPUT_H
#define SSDPM_COMMAND_INPUT_H

#include "command.h"

/* Another table of drives with the same name, and how many drives have it. */
struct alternative {
	struct ssdpm_model *model;
	uint64_t seen;
};

struct live;

/*
 * A drive and the operand that named it: "drive.json", "fleet.json[3]", "WDC PC
 * SN530", "nvme0". Only a name of the catalogue gives "seen" above 0, and
 * alternatives.
 */
struct drive {
	char *name;
	struct ssdpm_model *model; /* NULL: a device that needs no model */
	uint64_t seen;
	struct alternative *alternatives;
	size_t n_alternatives;
	/* For a device: */
	const struct live *live; /* its machine; NULL: no device */
	struct ssdpm_device *device;
	struct ssdpm_error
		problem; /* why there is no model; code 0: there is one */
	bool named;	 /* by an operand, not as one of all */
	size_t operand;	 /* the operand */
};

struct drives {
	struct drive *drives;
	size_t n;
	struct live **lives; /* their machines */
	size_t n_lives;
	bool models_optional;
};

/* The user named them; otherwise they are all of the machine, or none. */
static inline bool are_named(const struct drives *drives)
{
	return drives->n && drives->drives[0].named;
}

/*
 * Reads all operands. On failure, standard error has a line for each bad
 * operand, and *ret_drives is empty. Free it with free_drives().
 */
enum exit_status read_drives(const struct common *common, char **operands,
			     size_t n_operands, struct drives *ret_drives);

/*
 * The same if a device needs no model. Without operands, it reads all devices
 * of the machine.
 */
enum exit_status read_drives_or_devices(const struct common *common,
					char **operands, size_t n_operands,
					struct drives *ret_drives);

/* Reads only devices of the machine; all of them without operands. */
enum exit_status read_devices(const struct common *common, char **operands,
			      size_t n_operands, struct drives *ret_drives);

/* Takes over what the drive owns, even if it fails. */
enum exit_status add_drive(struct drives *drives, struct drive *drive);

void free_drives(struct drives *drives);

struct buffer {
	char *data;
	size_t size;
	size_t capacity;
};

/* An operand that exists is a file, even if it cannot be read. */
bool is_file(const char *operand);

/*
 * Reads a file, or standard input for "-". Always free the data. Complains of a
 * failure, and returns it as -errno.
 */
int read_operand(const char *path, struct buffer *buffer);

/* The next piece of a file; 0 or -errno. */
typedef int (*take_piece_fn)(void *data, const char *text, size_t n,
			     struct ssdpm_error *reterr);
/*
 * The same for a file of any size, piece by piece, until one fails; "-" is
 * standard input.
 */
int read_pieces(const char *path, take_piece_fn take, void *data);

/*
 * catalogue.c: the catalogue with the user's own drives; NULL after a
 * complaint, with its status.
 */
enum exit_status open_catalogue(const struct common *common,
				struct ssdpm_catalogue **ret_catalogue);

/*
 * Looks a drive up by name and --firmware. Return: 0; -ENOENT: not in the
 * catalogue; another -errno.
 */
int find_drive(const struct common *common,
	       const struct ssdpm_catalogue *catalogue, const char *name,
	       struct drive *ret_drive, struct ssdpm_error *reterr);
/* The file of --raw has the table of one drive; NULL: no file. */
enum exit_status check_raw(const struct common *common, const char *path,
			   size_t n_operands, const struct drives *drives);

void free_drive(struct drive *drive);

/*
 * list-catalogue.c: prints names for the completions, one a line. They are the
 * devices of this machine, and with "catalogued" the drives of the catalogue.
 */
enum exit_status print_drive_names(bool catalogued, const char *root);

/* list-catalogue.c: prints the drives whose product matches; NULL: all. */
enum exit_status list_catalogue(const struct common *common,
				const char *pattern);

#endif
