/* SPDX-License-Identifier: MIT */
/* A live drive and its machine for people. */
#ifndef SSDPM_COMMAND_DEVICE_PRINT_H
#define SSDPM_COMMAND_DEVICE_PRINT_H

#include "input/live.h"

/* "nvme0: WDC PC SN530, firmware 21106000, NVMe at 0000:01:00.0" */
void print_device_heading(const struct drive *drive);

/* Its heading and the diagnosis. */
void print_device_summary(const struct drive *drive,
			  const struct insight *insight);

/* What it does now, too. */
void print_device(const struct drive *drive, const struct insight *insight);

/* After an empty line, who else sets link policies, where somebody does. */
enum exit_status print_link_owners(const struct live *live);

/* The machine as a whole, other programs that set the same, and meters. */
enum exit_status print_machine(const struct live *live);

/* "100 ms", "any"; "off" for 0 */
struct setting_text {
	char text[32];
};
struct setting_text latency_text(uint64_t us);

/* The names of all bits that are set, with ", " between. */
void print_bits(uint32_t bits, const char *(*to_string)(uint32_t bit));

#endif
