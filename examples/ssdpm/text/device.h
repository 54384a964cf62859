/* SPDX-License-Identifier: MIT */
/* A drive and its machine, for people and as JSON, whose keys are the names in
 * C. */
#ifndef SSDPM_COMMAND_DEVICE_H
#define SSDPM_COMMAND_DEVICE_H

#include "input/live.h"

#include "base/json.h"

/* The table of its states, with what stands before and after it. */
void print_states(const struct drive *drive);

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
