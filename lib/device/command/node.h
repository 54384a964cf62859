/* SPDX-License-Identifier: MIT */
/* What the back ends for live commands share. */
#ifndef SSDPM_LIB_DEVICE_NODE_H
#define SSDPM_LIB_DEVICE_NODE_H

#include "device/internal.h"

/* 0, or -EOPNOTSUPP with words: a capture has no drives. */
int ssdpm__check_live(const struct ssdpm_machine *machine, const char *name,
		      struct ssdpm_error *reterr);

/*
 * Open /dev/NAME, with O_CLOEXEC, for a command that messages name so. Return:
 * the descriptor, or as ssdpm__fail_command().
 */
int ssdpm__open_node(const struct ssdpm_machine *machine, const char *name,
		     int flags, const char *command,
		     struct ssdpm_error *reterr);

/*
 * The command could not be sent; err is an errno. -EACCES: root is needed.
 * -ENODEV: the drive was removed, or has no node. Others are -ENOMEM and -EIO.
 */
int ssdpm__fail_command(const struct ssdpm_machine *machine, const char *name,
			const char *command, int err,
			struct ssdpm_error *reterr);

/* -EBUSY: the disk is in standby, and nothing wakes it. */
int ssdpm__fail_standby(const char *name, struct ssdpm_error *reterr);

/* The checksum of IDENTIFY DEVICE data, if there is one: 0 or -EIO. */
int ssdpm__check_ata_sum(const char *name,
			 const uint8_t data[SSDPM__ATA_PAGE_BYTES],
			 struct ssdpm_error *reterr);

#endif
