/* SPDX-License-Identifier: MIT */
/* What the files of the intent stage share. */
#ifndef SSDPM_LIB_INTENT_INTERNAL_H
#define SSDPM_LIB_INTENT_INTERNAL_H

#include <ssdpm/intent.h>

#include "apply/internal.h"
#include "policy/internal.h"

/* Settings are numbered as bits; those of a profile come first, as theirs. */
enum intent_key {
	INTENT_POWER_STATE = 6,
	INTENT_WORKLOAD_HINT,
	INTENT_NOPP,
	INTENT_N_SETTINGS,
	INTENT_PROFILE = INTENT_N_SETTINGS,
	/* Which drives. */
	INTENT_KIND,
	INTENT_MODEL,
	INTENT_SERIAL,
	INTENT_PORT,
	INTENT_DESKTOP_PROFILE,
	INTENT_N_KEYS,
};

/* That set something, of all files. */
enum { INTENT_MAX_LINES = 1024 };

/* The settings of one drive; all controllers share the rest. */
enum {
	INTENT_OF_A_DRIVE = SSDPM_PROFILE_MAX_EXIT_LATENCY | SSDPM_PROFILE_LPM |
			    1 << INTENT_POWER_STATE |
			    1 << INTENT_WORKLOAD_HINT | 1 << INTENT_NOPP,
};

struct intent_file {
	char *path; /* below the root */
	char *text;
	size_t size;
	char *profiles; /* of the same size: its profiles, on their lines */
};

/* "key = value"; in [desktop] the key is a name. */
struct intent_line {
	uint32_t key;
	uint32_t sources; /* bits of enum ssdpm_power_source - 1 */
	uint32_t file, number;
	struct span name, value;
};

enum intent_section_kind {
	INTENT_MACHINE = 1,
	INTENT_DRIVE,
	INTENT_DESKTOP,
	INTENT_PROFILES,
};

struct intent_section {
	enum intent_section_kind kind;
	uint32_t file, number; /* of its head */
	size_t first, n;       /* of its lines */
};

struct ssdpm_intent {
	struct intent_file *files;
	uint32_t n_files;
	struct intent_section *sections;
	size_t n_sections;
	struct intent_line *lines;
	size_t n_lines;
};

/* The settings of a device, and the line of each. */
struct intent_found {
	uint32_t set; /* bits, by intent_key */
	struct ssdpm_profile_settings settings;
	uint32_t power_state, workload_hint, nopp;
	bool by_name; /* the link policy: of a drive by its serial or port */
	const struct intent_line *origins[INTENT_N_SETTINGS];
};

/* Longest name of a profile of the desktop, and a zero byte. */
#define SSDPM__DESKTOP_BYTES 64

/* What it depends on, beside the files. */
struct intent_case {
	uint32_t power_source;
	const char *desktop_profile; /* or NULL */
	char desktop_room[SSDPM__DESKTOP_BYTES];
	const struct ssdpm_device_facts *facts;
	const char *serial; /* or "" */
};

/* intent-read.c: a whole text, and a zero byte; -errno. */
int ssdpm__intent_read_text(struct ssdpm_machine *machine, const char *path,
			    char **ret_text, size_t *ret_size);

/* intent-plan.c: the serial number that the kernel knows, or "". */
void ssdpm__intent_read_serial(struct ssdpm_machine *machine,
			       const struct ssdpm_device_facts *facts,
			       char serial[24]);

/* intent-desktop.c: the profile that was noted, or NULL */
const char *ssdpm__intent_read_desktop(struct ssdpm_machine *machine,
				       char room[SSDPM__DESKTOP_BYTES]);

/* intent-parse.c: the lines of the last file. */
int ssdpm__intent_parse(struct ssdpm_intent *intent,
			struct ssdpm_error *reterr);
/* Set one of the values, which is no profile. NULL, or what is wrong with it.
 */
const char *ssdpm__intent_set(struct intent_found *found, uint32_t key,
			      struct span value);
/* A fault in a line, by its number. */
int ssdpm__intent_fail(const struct intent_file *file, uint32_t number,
		       struct ssdpm_error *reterr, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* intent-find.c */

/* The settings of a profile of the files, or of a built-in one. */
int ssdpm__intent_profile(const struct ssdpm_intent *intent, struct span name,
			  uint32_t power_source,
			  struct ssdpm_profile_settings *ret_settings,
			  struct ssdpm_error *reterr);
/* "ata3", or "" for a drive that has no such port. */
void ssdpm__intent_port(const struct ssdpm_device_facts *facts, char port[16]);
/* Is any section about drives of a serial number? */
bool ssdpm__intent_by_serial(const struct ssdpm_intent *intent);
void ssdpm__intent_find(const struct ssdpm_intent *intent,
			const struct intent_case *of,
			struct intent_found *ret_found);

#endif
