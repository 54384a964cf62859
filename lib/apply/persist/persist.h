/* SPDX-License-Identifier: MIT */
/* What the files that make a policy last share. */
#ifndef SSDPM_LIB_APPLY_PERSIST_H
#define SSDPM_LIB_APPLY_PERSIST_H

#include <ssdpm/apply.h>

#include "base/internal.h"

/* The first line of a file, or the second of a script. */
#define SSDPM__PERSIST_MARKER \
	"# Written by ssdpm; `ssdpm revert --persist` removes it\n"
/* The line after it, with the name of the kind. */
#define SSDPM__PERSIST_KIND "# Kind: "

#define SSDPM__UDEV_RULES "/etc/udev/rules.d/85-ssdpm.rules"
#define SSDPM__MODPROBE_CONF "/etc/modprobe.d/ssdpm.conf"
#define SSDPM__UNIT "/etc/systemd/system/ssdpm.service"
#define SSDPM__TLP_CONF "/etc/tlp.d/50-ssdpm.conf"

struct persist_file {
	uint32_t mode;
	char *path;
	char *contents;
	char *note;
};

struct ssdpm_persist {
	uint32_t kind;
	struct persist_file *files;
	size_t n;
};

/* What shall last, checked. */
struct lasting {
	uint32_t kind;
	const char *command;
	const char *profiles; /* NULL: built in */
	bool is_same;	      /* on AC and on battery */
	bool one_source;      /* what ac says holds on both sources */
	bool has_profile;
	bool of_files; /* of ssdpm.conf(5), which the command reads */
	bool is_named; /* the profile, by one of these files */
	bool has_own;  /* settings beside a profile, or without one */
	/* The profile, overridden by the settings. */
	struct ssdpm_profile_settings ac, battery;
	struct ssdpm_profile_settings own;
	const struct ssdpm_persist_power *powers;
	size_t n_powers;
};

/*
 * A text that is being written; the longest has some 1500 characters, and 350
 * for each power state.
 */
struct text {
	char text[32768];
	size_t n;
};

/* persist-list.c */

void ssdpm__put(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Copies all of it; what fails is freed with the persist. */
int ssdpm__persist_add(struct ssdpm_persist *persist, const char *path,
		       uint32_t mode, const char *contents, const char *note,
		       struct ssdpm_error *reterr);

/* Only what the command complains of is logged: nothing, if all went well. */
#define SSDPM__LOG_LEVEL "SyslogLevel=warning"
#define SSDPM__LOG_LEVEL_MAX "LogLevelMax=notice"
/* A program that udev calls has to be short: systemd calls the command. */
#define SSDPM__SYSTEMD_RUN                                                       \
	"/usr/bin/systemd-run --no-block --collect --quiet -p " SSDPM__LOG_LEVEL \
	" -p " SSDPM__LOG_LEVEL_MAX

/* persist-power.c */

/* Rules that set power states again; nothing where there are none. */
void ssdpm__put_power_rules(struct text *text, const struct lasting *kept);
/* A line "ExecStart=" for each. */
void ssdpm__put_power_calls(struct text *text, const struct lasting *kept);
int ssdpm__check_powers(const struct lasting *kept, struct ssdpm_error *reterr);

/* persist-text.c: the files for what is kept. */
int ssdpm__persist_fill(struct ssdpm_persist *persist,
			const struct lasting *kept, struct ssdpm_error *reterr);

/* Targets that pull the unit in; NULL after the last. */
extern const char *const ssdpm__unit_targets[];

#endif
