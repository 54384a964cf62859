/* SPDX-License-Identifier: MIT */
/*
 * The devices of each btrfs. Its events name the file system, "btrfs-1", and no
 * device: super_setup_bdi() in fs/super.c. Since Linux 5.9 sysfs has the name:
 * /sys/fs/btrfs/UUID/bdi leads to it.
 */
#include "watch/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/text.h"
#include "common/device-number.h"

#define BTRFS "sys/fs/btrfs"
#define MAX_PATH 320

static bool leads_to_a_drive(const struct ssdpm_watch *watch, uint64_t device)
{
	for (size_t i = 0; i < watch->n; i++)
		for (size_t j = 0; j < watch->drives[i].n_disks; j++) {
			const struct ssdpm_disk *disk =
				&watch->drives[i].disks[j];

			if (disk->major == device >> 32 &&
			    disk->minor == (uint32_t)device)
				return true;
		}
	return false;
}

/* A device that cannot be read is none of a drive. */
static int add_member(struct ssdpm_watch *watch, const char *backing,
		      const char *devices, const char *name,
		      struct ssdpm_error *reterr)
{
	char path[2 * MAX_PATH], text[32], line[MAX_PATH];
	uint64_t device;
	struct span span;

	snprintf(path, sizeof(path), "%s/%.255s/dev", devices, name);
	if (ssdpm_machine_read_attribute(watch->machine, path, text,
					 sizeof(text), NULL))
		return 0;
	span = ssdpm__span(text, strlen(text));
	if (!ssdpm__take_device(&span, ":", &device) ||
	    !leads_to_a_drive(watch, device))
		return 0;
	snprintf(line, sizeof(line),
		 "# backing: %.255s %" PRIu32 ",%" PRIu32 "\n", backing,
		 (uint32_t)(device >> 32), (uint32_t)device);
	return ssdpm__watch_remark(watch, line, reterr);
}

/* A folder that is not there has no names. */
static int read_names(const struct ssdpm_watch *watch, const char *path,
		      char ***ret_names, size_t *ret_n,
		      struct ssdpm_error *reterr)
{
	*ret_names = NULL;
	*ret_n = 0;
	if (ssdpm_machine_read_directory(watch->machine, path, ret_names, ret_n,
					 NULL) == -ENOMEM)
		return ssdpm__no_memory(reterr);
	return 0;
}

/* Not every folder there is a file system: features is one, too. */
static int add_filesystem(struct ssdpm_watch *watch, const char *uuid,
			  struct ssdpm_error *reterr)
{
	char path[MAX_PATH], backing[MAX_PATH], **names;
	const char *name;
	size_t n;
	int err;

	snprintf(path, sizeof(path), BTRFS "/%.255s/bdi", uuid);
	err = ssdpm_machine_read_link(watch->machine, path, backing,
				      sizeof(backing), NULL);
	if (err == -ENOMEM)
		return ssdpm__no_memory(reterr);
	name = err ? NULL : strrchr(backing, '/');
	if (!name)
		return 0;
	snprintf(path, sizeof(path), BTRFS "/%.255s/devices", uuid);
	err = read_names(watch, path, &names, &n, reterr);
	for (size_t i = 0; i < n && !err; i++)
		err = add_member(watch, name + 1, path, names[i], reterr);
	free(names);
	return err;
}

int ssdpm__watch_tell_backings(struct ssdpm_watch *watch,
			       struct ssdpm_error *reterr)
{
	char **uuids;
	size_t n;
	int err = read_names(watch, BTRFS, &uuids, &n, reterr);

	for (size_t i = 0; i < n && !err; i++)
		err = add_filesystem(watch, uuids[i], reterr);
	free(uuids);
	return err;
}
