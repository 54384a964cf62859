/* SPDX-License-Identifier: MIT */
/*
 * A folder as tracefs. A program's mkdirat() and unlinkat() act as the kernel
 * does: they fill an instance, and remove it.
 */
#ifndef SSDPM_TESTS_TRACEFS_H
#define SSDPM_TESTS_TRACEFS_H

/* Makes it; one at a time. */
const char *tracefs_new(void);
void tracefs_remove(void);

/* Faults of later instances: an errno, and a missing file. */
extern int tracefs_refuses;
extern const char *tracefs_lacks;
/* That their trace_pipe has; NULL: "text of the kernel". */
extern const char *tracefs_text;

#endif
