/* SPDX-License-Identifier: MIT */
/* Other owners of the settings: what owners.c shares. */
#ifndef SSDPM_LIB_DEVICE_OWNERS_H
#define SSDPM_LIB_DEVICE_OWNERS_H

#include "device/internal.h"

/* What files of ssdpm begin with, after the line of an interpreter. */
#define SSDPM__OWN_MARK "# Written by ssdpm"

#endif
