/* SPDX-License-Identifier: MIT */
#ifndef SSDPM_COMMAND_USUAL_WORKLOAD_H
#define SSDPM_COMMAND_USUAL_WORKLOAD_H

#include "text/output.h"

struct drives;
struct live;
struct ssdpm_machine;

/* The workload and why it is taken; machine: NULL for a drive of no machine. */
struct cell workload_text(const struct ssdpm_machine *machine,
			  const char *name);

/*
 * That of the machine of the drives, reported; drives: NULL for the catalogue.
 * A usage error if their machines have different ones.
 */
enum exit_status take_usual_workload(const struct common *common,
				     const struct drives *drives,
				     const char **ret_name);

/*
 * The energy that is left in all batteries of the machine, and the power that
 * they give. False: it runs on AC, or they do not say.
 */
bool read_batteries(const struct live *live, double *ret_wh, double *ret_w);

#endif
