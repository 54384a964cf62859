/* SPDX-License-Identifier: MIT */
/* A policy and its APST table in words: for the command and for Python. */
#ifndef SSDPM_COMMAND_TABLE_WORDS_H
#define SSDPM_COMMAND_TABLE_WORDS_H

#include <stdio.h>

#include <ssdpm/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "PS0-PS2 to PS3 after 100 ms, PS3 to PS4 after 2 s", or "never sleeps". */
void write_apst_to(FILE *file, const struct ssdpm_apst *table);

/*
 * "linux: PS0-PS3 to PS4 after 100 ms"; name may be "", and table is NULL for
 * a SATA drive.
 */
void write_policy_to(FILE *file, const char *name,
		     const struct ssdpm_apst *table);

#ifdef __cplusplus
}
#endif

#endif
