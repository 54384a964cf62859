/* SPDX-License-Identifier: MIT */
/* The options of a simulation, and of known values of a drive. */
#ifndef SSDPM_COMMAND_SIM_OPTIONS_H
#define SSDPM_COMMAND_SIM_OPTIONS_H

#include "input/measured.h"

#define MAX_OVERRIDES 256
#define ANY_INDEX UINT32_MAX

/*
 * A parameter that was given; index ANY_INDEX: all states or operations. The
 * drive is the beginning of the text, without its "="; length 0: all drives.
 */
struct override {
	const char *option, *text;
	size_t drive_length;
	uint32_t kind, index;
	uint64_t low, nominal, high;
};

/* The most write amplification, because no drive has blocks of more pages. */
#define MAX_WA_MILLI 65536000

struct sim_options {
	uint64_t given; /* bits: options of the group */
	uint32_t loop;
	uint32_t pcie_link;
	uint32_t flags;
	uint32_t operational_state;
	/*
	 * Values may be for one drive, as in "nvme0=PS1=4W". Those without a
	 * state are for all in which a drive works.
	 */
	bool by_drive;
	uint64_t end_ns; /* from the first I/O */
	struct override overrides[MAX_OVERRIDES];
	size_t n_overrides;
	struct measured_options measured;
	uint64_t spare_ppm; /* 0: unknown */
	uint64_t measured_wa_milli;
};

/* Its settings are a struct sim_options. */
extern const struct option_group sim_option_group;

/* Checks options that require each other. */
enum exit_status check_sim_options(const struct common *common,
				   const struct sim_options *options);

/*
 * The link state of a sleeping drive: from the options, or its machine (0:
 * unknown). It is l1.2 if there is no machine.
 */
uint32_t find_link(const struct sim_options *options,
		   const struct drive *drive);

/* The settings of a device; unknown for another drive. */
struct ssdpm_device_settings find_settings(const struct drive *drive);

/* Checks that each value for one drive has a drive. */
enum exit_status check_overrides(const struct common *common,
				 const struct sim_options *options,
				 const struct drives *drives);

/* The values of a drive: known, then measured, then given ones. */
enum exit_status find_parameters(
	const struct sim_options *options, const struct common *common,
	struct measured_files *measured, const struct drive *drive,
	struct ssdpm_parameter ret_parameters[SSDPM_MAX_PARAMETERS],
	size_t *ret_n, struct ssdpm_background_work *ret_background);

#endif
