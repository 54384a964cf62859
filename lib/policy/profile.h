/* SPDX-License-Identifier: MIT */
/* The profiles that are built in. */
#ifndef SSDPM_LIB_POLICY_PROFILE_H
#define SSDPM_LIB_POLICY_PROFILE_H

#include "policy/internal.h"

/* lib/data/profiles.ini without comments; made at build time. */
extern const char ssdpm__profiles[];
extern const size_t ssdpm__profiles_size;

#endif
