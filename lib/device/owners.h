/* SPDX-License-Identifier: MIT */
/* Other owners of the settings: what owners.c offers to the capture. */
#ifndef SSDPM_LIB_DEVICE_OWNERS_H
#define SSDPM_LIB_DEVICE_OWNERS_H

#include "device/internal.h"

/* What files of ssdpm begin with, after the line of an interpreter. */
#define SSDPM__OWN_MARK "# Written by ssdpm"

/*
 * The files that ssdpm_machine_read_owners() finds something in, each once, and
 * what it needs to find them: "etc/tlp.conf". Free with ssdpm__free_names().
 */
int ssdpm__list_owner_files(struct ssdpm_machine *machine,
			    struct names *ret_names,
			    struct ssdpm_error *reterr);

#endif
