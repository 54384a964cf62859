/* SPDX-License-Identifier: MIT */
/* ssdpm suspend: did the machine sleep deeply, and what keeps it from that. */
#ifndef SSDPM_COMMAND_SUSPEND_H
#define SSDPM_COMMAND_SUSPEND_H

#include "input/live.h"

struct suspend_options {
	const char *save;  /* a reading is written there */
	const char *since; /* a reading that was saved; NULL: the boot */
	const char *until; /* the later one; NULL: now */
	uint64_t test_ns;  /* suspend now, for this time; 0: do not */
	bool yes;
};

/* All that one call knows. */
struct suspended {
	const struct common *common;
	const struct suspend_options *options;
	const struct live *live;
	struct ssdpm_machine_facts facts;
	struct insight *insights;
	struct ssdpm_suspend_drive *drives;
	size_t n_drives;
	struct ssdpm_suspend_reading *before; /* NULL: the boot */
	struct ssdpm_suspend_reading *after;
};

struct ssdpm_suspend_params suspend_params(const struct suspended *suspended);

/* Those of now. */
enum exit_status read_counters(const struct live *live,
			       struct ssdpm_suspend_reading **ret_reading);

/*
 * Suspend once, with a reading before and after it. The kernel's messages about
 * power states are switched on for it, and off again on every way out.
 */
enum exit_status test_suspend(struct suspended *suspended);

/* Remark that a test was killed, if one was. */
void look_at_killed_test(const struct live *live);
/* Undo what a killed test left, and say so. */
enum exit_status undo_killed_test(const struct live *live);
/* Clear the alarm of a record, if it is still set. Return: whether it was. */
bool undo_alarm(const struct live *live, const char *record);

/*
 * Messages of the kernel. A file below the root names those to switch off, from
 * before they are switched on until after they are off.
 */
struct messages {
	const struct live *live;
	int record; /* the file, locked; -1: none */
	int log;    /* of the kernel, to be read from here on; -1: none */
};

/* It first switches off what a killed test left. */
enum exit_status switch_on_messages(const struct live *live,
				    struct messages *ret_messages);
/* Add what the kernel said to a reading, and switch them off. */
enum exit_status switch_off_messages(struct messages *messages,
				     struct ssdpm_suspend_reading *reading);

/* Open a file of the machine for writing. Return: a descriptor, or -errno. */
int open_to_write(const struct live *live, const char *path);
/* Write a text to it. Return: 0, or -errno. */
int write_attribute(const struct live *live, const char *path,
		    const char *text);

void print_suspend_remedies(const struct suspended *suspended,
			    const struct ssdpm_suspend_remedy *remedies,
			    size_t n);
enum exit_status print_suspended(const struct suspended *suspended);

#endif
