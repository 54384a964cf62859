/* SPDX-License-Identifier: MIT */
/* What came out of a simulation, as JSON; the keys are the names in C. */
#ifndef SSDPM_COMMAND_RESULT_JSON_H
#define SSDPM_COMMAND_RESULT_JSON_H

#include "work/simulate.h"

/* The key is NULL in an array. */
void write_run(struct json_writer *w, const char *key,
	       const struct ssdpm_run *run, const struct drive *drive);
void write_saving(struct json_writer *w, const char *key,
		  const struct ssdpm_saving *saving);

/* What was simulated, as members. */
void write_sim_options(struct json_writer *w, const struct sim_options *options,
		       const struct drive *drive);

/* entries, sent, enabled of NVMe, lpm of SATA, as members. */
void write_resolved(struct json_writer *w,
		    const struct ssdpm_resolved_policy *resolved,
		    const struct drive *drive);

void write_known(struct json_writer *w, const struct subject *subject);

uint64_t all_ios(const struct ssdpm_run *run);

#endif
