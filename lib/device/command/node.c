/* SPDX-License-Identifier: MIT */
/* The nodes under /dev, through which commands are sent. */
#include "device/command/node.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

int ssdpm__check_live(const struct ssdpm_machine *machine, const char *name,
		      struct ssdpm_error *reterr)
{
	if (!machine->capture)
		return 0;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "%s is a drive of a capture: no command can be sent "
			   "to it",
			   name);
}

/* As ssdpm__removal(), of a controller, or of a block device. */
static const char *removal_of(const struct ssdpm_machine *machine,
			      const char *name)
{
	/* "nvme0", but "nvme0n1" */
	const bool is_controller = !strncmp(name, "nvme", strlen("nvme")) &&
				   !strchr(name + strlen("nvme"), 'n');
	char path[64];

	if (snprintf(path, sizeof(path), "sys/class/%s/%s",
		     is_controller ? "nvme" : "block",
		     name) >= (int)sizeof(path))
		return NULL;
	return ssdpm__removal(machine, path);
}

/*
 * The error for a drive that was removed depends on how far Linux is with it.
 */
static int fail_to_send(const struct ssdpm_machine *machine, const char *name,
			const char *command, int err,
			struct ssdpm_error *reterr)
{
	const char *removal = removal_of(machine, name);

	if (removal)
		return ssdpm__fail(reterr, -ENODEV, 0, "%s: %s", name, removal);
	if (err == ENOENT || err == ENODEV || err == ENXIO)
		return ssdpm__fail(reterr, -ENODEV, 0,
				   "%s: %s cannot be sent: the drive has no "
				   "node under /dev",
				   name, command);
	if (err == EAGAIN) /* what Linux says to open a controller not live */
		return ssdpm__fail(reterr, -EIO, 0,
				   "%s: %s cannot be sent: the drive is being "
				   "reset; try again",
				   name, command);
	return ssdpm__fail(reterr, -EIO, 0, "%s: %s failed: %s (%d)", name,
			   command, ssdpm_strerror(-err), err);
}

int ssdpm__fail_command(const struct ssdpm_machine *machine, const char *name,
			const char *command, int err,
			struct ssdpm_error *reterr)
{
	switch (err) {
	case EACCES:
	case EPERM:
		return ssdpm__fail(reterr, -EACCES, 0,
				   "%s: root is needed to send %s, with "
				   "CAP_SYS_ADMIN",
				   name, command);
	case ENOMEM:
		return ssdpm__no_memory(reterr);
	default:
		return fail_to_send(machine, name, command, err, reterr);
	}
}

int ssdpm__fail_standby(const char *name, struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, -EBUSY, 0,
			   "%s is in standby: ssdpm lets it sleep", name);
}

int ssdpm__check_ata_sum(const char *name,
			 const uint8_t data[SSDPM__ATA_PAGE_BYTES],
			 struct ssdpm_error *reterr)
{
	enum { SIGNATURE = 0xa5 }; /* of word 255: the other byte is the sum */
	uint8_t sum = 0;

	for (size_t i = 0; i < SSDPM__ATA_PAGE_BYTES; i++)
		sum = (uint8_t)(sum + data[i]);
	if (data[SSDPM__ATA_PAGE_BYTES - 2] != SIGNATURE || !sum)
		return 0;
	return ssdpm__fail(reterr, -EIO, 0,
			   "%s: IDENTIFY DEVICE: checksum: the bytes add up to "
			   "0x%02x instead of 0",
			   name, sum);
}

int ssdpm__open_node(const struct ssdpm_machine *machine, const char *name,
		     int flags, const char *command, struct ssdpm_error *reterr)
{
	char path[64];
	int fd, err;

	err = ssdpm__check_live(machine, name, reterr);
	if (err)
		return err;
	if (snprintf(path, sizeof(path), "/dev/%s", name) >= (int)sizeof(path))
		return ssdpm__fail_command(machine, name, command, ENODEV,
					   reterr);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		return ssdpm__fail_command(machine, name, command, errno,
					   reterr);
	ssdpm__log(machine, SSDPM_LOG_DEBUG, "%s: %s", name, command);
	return fd;
}
