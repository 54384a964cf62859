/* SPDX-License-Identifier: MIT */
/* A line on the terminal while a long trace is read. */
#ifndef SSDPM_COMMAND_PROGRESS_H
#define SSDPM_COMMAND_PROGRESS_H

#include "command.h"

struct progress {
	const char *name; /* NULL: nobody is to see it */
	int fd;		  /* of a file of known size; -1: none */
	uint64_t size;
	uint64_t n_records;
	uint64_t next_ns; /* when to say something again */
};

/*
 * It prints only on a terminal, after a second, and unless the user asked for
 * quiet. fd -1: no file.
 */
void progress_begin(struct progress *progress, const struct common *common,
		    const char *name, int fd);
void progress_add(struct progress *progress, size_t n_records);

/* Show what is done, a few times a second at most. */
void progress_show(struct progress *progress, const char *text);

/* What follows the reading, if that took long. */
void progress_say(const struct progress *progress, const char *what);

/* Take the line away, before anything else is written. */
void progress_clear(void);

#endif
