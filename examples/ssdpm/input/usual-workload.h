/* SPDX-License-Identifier: MIT */
#ifndef SSDPM_COMMAND_USUAL_WORKLOAD_H
#define SSDPM_COMMAND_USUAL_WORKLOAD_H

#include "text/output.h"

struct drives;
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

#endif
