/* SPDX-License-Identifier: MIT */
/*
 * A drive and its machine, for people and as JSON with the names of C as keys.
 */
#ifndef SSDPM_COMMAND_DEVICE_H
#define SSDPM_COMMAND_DEVICE_H

#include "input/quirks.h"
#include "text/output.h"
#include "input/live.h"

#include <ssdpm/object.h>

/* "PS0-PS2"; "PS3" if both are the same. */
struct cell states_text(uint32_t first, uint32_t last);

/* "PS4"; of a link: "PS2 slumber". */
struct cell state_text(const struct ssdpm_model *model, uint32_t number);

/* The table of its states, with the text around it. */
void print_states(const struct drive *drive);

/* Likewise of a device, with its origin; or why it is not known. */
void print_power_states(const struct drive *drive);

/* "nvme0: WDC PC SN530, firmware 21106000, NVMe at 0000:01:00.0" */
void print_device_heading(const struct drive *drive);

/* Prints its heading and the diagnosis. */
void print_device_summary(const struct drive *drive,
			  const struct insight *insight);

/* Prints its heading and its present state. */
void print_device_settings(const struct drive *drive,
			   const struct insight *insight);

/* Prints all of these. */
void print_device(const struct drive *drive, const struct insight *insight);

/* After an empty line, prints the other programs that set link policies. */
enum exit_status print_link_owners(const struct live *live);

/*
 * Prints the machine as a whole, other programs that set the same, and meters.
 */
enum exit_status print_machine(const struct live *live);

/*
 * For --share: writes a line of JSON for each drive with its reported states. A
 * model that is not from the drive itself is an error.
 */
enum exit_status share_drives(const struct drives *drives);

/* "100 ms", "any"; latency_text(): "0 (off)" for 0 */
struct ssdpm_quantity limit_text(uint64_t us);
struct ssdpm_quantity latency_text(uint64_t us);

/* A capture has no kernel that builds a table anew: once one would be another.
 */
void print_old_table(void);
/* The same before a setting changes. */
#define KEPT_TABLE "The capture keeps the APST table that was read.\n"

/* Prints the names of all bits set, separated by ", ". */
void print_bits(uint32_t bits, const char *(*to_string)(uint32_t bit));

/*
 * An object of a device: DEVICE, or LPM. The caller's object adds to the facts
 * and the diagnosis.
 */
int drive_json(struct ssdpm_object object, const struct drive *drive,
	       const struct insight *insight, char **ret_text,
	       struct ssdpm_error *reterr);

/* With all known facts; NULL if there is no model. */
int whole_drive_json(const struct drive *drive, const struct insight *insight,
		     const char *model_json, char **ret_text,
		     struct ssdpm_error *reterr);

/* A drive with the findings about it. */
struct shown {
	const struct drive *drive;
	struct quirks quirks;
	struct insight insight; /* of a device */
};

/* Adds a drive of ssdpm show; lint: with its oddities. */
void add_shown(struct items *items, bool lint, const struct shown *shown);

/* Prints the ports of these drives with their reasons; n were named. */
enum exit_status show_ports(const struct common *common,
			    const struct drives *drives, size_t n);

#endif
