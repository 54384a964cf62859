/* SPDX-License-Identifier: MIT */
/*
 * A tracefs that is a folder: mkdirat() and unlinkat() of a program that uses
 * it do what the kernel does, fill an instance and take it away.
 */
#ifndef SSDPM_TESTS_TRACEFS_H
#define SSDPM_TESTS_TRACEFS_H

/* Make it; one at a time. */
const char *tracefs_new(void);
void tracefs_remove(void);

/* What fails in the instances to come: an errno, a file that is not there. */
extern int tracefs_refuses;
extern const char *tracefs_lacks;

#endif
