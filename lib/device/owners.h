/* SPDX-License-Identifier: MIT */
/* Other owners of the settings: what owners.c shares. */
#ifndef SSDPM_LIB_DEVICE_OWNERS_H
#define SSDPM_LIB_DEVICE_OWNERS_H

#include "device/internal.h"

/* What files of ssdpm begin with, after the line of an interpreter. */
#define SSDPM__OWN_MARK "# Written by ssdpm"

/*
 * Where TuneD finds a profile, the administrator's before its own: 2.23 and
 * later read the folders "profiles", earlier ones the folders above these.
 */
enum { SSDPM__N_TUNED_FOLDERS = 4, SSDPM__N_TUNED_ETC_FOLDERS = 2 };
extern const char ssdpm__tuned_folders[SSDPM__N_TUNED_FOLDERS][24];

#endif
