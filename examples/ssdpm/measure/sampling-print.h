/* SPDX-License-Identifier: MIT */
/* Whether samples are taken fast enough, for people and as JSON. */
#ifndef SSDPM_COMMAND_SAMPLING_PRINT_H
#define SSDPM_COMMAND_SAMPLING_PRINT_H

#include "text/output.h"

/* What is wrong, a line for each; nothing is. */
void print_sampling(const struct ssdpm_sampling *s);

/* A member "sampling". */
void write_sampling(struct json_writer *w, const struct ssdpm_sampling *s);

/* Its words, as members of an array. */
void write_sampling_remarks(struct json_writer *w,
			    const struct ssdpm_sampling *s);

/* How I/Os and samples of the same run go together; on stderr. */
void complain_of_sampling(const char *name, const struct ssdpm_sampling *s);

#endif
