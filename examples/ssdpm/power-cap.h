/* SPDX-License-Identifier: MIT */
/* estimate --power-cap: what a trace loses under a cap. */
#ifndef SSDPM_COMMAND_POWER_CAP_H
#define SSDPM_COMMAND_POWER_CAP_H

#include "result-json.h"

/* A failure is complained of. */
enum exit_status run_power_cap(const struct plan *plan,
			       const struct estimate *estimate, uint64_t cap_uw,
			       struct ssdpm_cap_run *ret_run);

void print_power_cap(const struct ssdpm_cap_run *run, uint64_t cap_uw,
		     const struct sim_options *options);

/* As the member "power_cap". */
void write_power_cap(struct json_writer *w, const struct ssdpm_cap_run *run,
		     uint64_t cap_uw);

#endif
