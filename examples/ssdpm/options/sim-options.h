/* SPDX-License-Identifier: MIT */
/* The options that say what is simulated, and what is known of a drive. */
#ifndef SSDPM_COMMAND_SIM_OPTIONS_H
#define SSDPM_COMMAND_SIM_OPTIONS_H

#include "input/measured.h"

#define MAX_OVERRIDES 256
#define ANY_INDEX UINT32_MAX

/*
 * A parameter that was given; index ANY_INDEX: of all states or operations. The
 * drive is the begin of the text, without its "="; of length 0: all drives.
 */
struct override {
	const char *option, *text;
	size_t drive_length;
	uint32_t kind, index;
	uint64_t low, nominal, high;
};

/* The most write amplification: no drive has blocks of more pages. */
#define MAX_WA_MILLI 65536000

struct sim_options {
	uint64_t given; /* bits: which options of the group */
	uint32_t loop;
	uint32_t pcie_link;
	uint32_t flags;
	uint32_t operational_state;
	/*
	 * Values may be of one drive, as in "nvme0=PS1=4W", and those of no
	 * state are of all in which a drive works.
	 */
	bool by_drive;
	uint64_t end_ns; /* from the first I/O on */
	struct override overrides[MAX_OVERRIDES];
	size_t n_overrides;
	struct measured_options measured;
	uint64_t spare_ppm; /* 0: not known */
	uint64_t measured_wa_milli;
};

/* Its settings are a struct sim_options. */
extern const struct option_group sim_option_group;

/* Options that need each other. */
enum exit_status check_sim_options(const struct common *common,
				   const struct sim_options *options);

/*
 * The link of a drive that sleeps: as the options say, as its machine has it
 * (0: not known), or l1.2 where there is no machine.
 */
uint32_t find_link(const struct sim_options *options,
		   const struct drive *drive);

/* The settings of a device; those of another drive are unknown. */
struct ssdpm_device_settings find_settings(const struct drive *drive);

/* Is there a drive for each value that is of one? */
enum exit_status check_overrides(const struct common *common,
				 const struct sim_options *options,
				 const struct drives *drives);

/* What is known of a drive, with what was measured, and then what was given. */
enum exit_status find_parameters(
	const struct sim_options *options, const struct common *common,
	struct measured_files *measured, const struct drive *drive,
	struct ssdpm_parameter ret_parameters[SSDPM_MAX_PARAMETERS],
	size_t *ret_n, struct ssdpm_background_work *ret_background);

#endif
