/* SPDX-License-Identifier: MIT */
/* A live drive and its machine as JSON; the keys are the names in C. */
#ifndef SSDPM_COMMAND_DEVICE_JSON_H
#define SSDPM_COMMAND_DEVICE_JSON_H

#include "input/live.h"

#include "base/json.h"

/* As a member; null: there was none. */
void write_journal(struct json_writer *w, const struct ssdpm_journal *journal);

/* Members of ssdpm.device/1: facts and diagnosis. */
void write_device(struct json_writer *w, const struct drive *drive,
		  const struct insight *insight);

/* More of them: tables, power state, DevSleep. */
void write_insight(struct json_writer *w, const struct drive *drive,
		   const struct insight *insight);

/* ssdpm.machine/1 as a member; complained of. */
enum exit_status write_machine(struct json_writer *w, const struct live *live);

/* A table as a member: sent, enabled, entries; NULL: null. */
void write_table(struct json_writer *w, const char *key,
		 const struct ssdpm_apst *table);

/* The names of all bits that are set, as an array. */
void write_bits(struct json_writer *w, const char *key, uint32_t bits,
		const char *(*to_string)(uint32_t bit));

/* Microseconds, or "any". */
void write_latency(struct json_writer *w, const char *key, uint64_t us);

#endif
