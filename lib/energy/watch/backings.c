/* SPDX-License-Identifier: MIT */
/*
 * The devices of each btrfs. Its events name the file system, "btrfs-1", and no
 * device: super_setup_bdi() in fs/super.c. Since Linux 5.9 sysfs has the name:
 * /sys/fs/btrfs/UUID/bdi leads to it.
 */
#include "watch/watch.h"

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
static void write_member(const struct ssdpm_watch *watch, FILE *file,
			 const char *backing, const char *devices,
			 const char *name)
{
	char path[2 * MAX_PATH], text[32];
	uint64_t device;
	struct span span;

	snprintf(path, sizeof(path), "%s/%s/dev", devices, name);
	if (ssdpm_machine_read_attribute(watch->machine, path, text,
					 sizeof(text), NULL))
		return;
	span = ssdpm__span(text, strlen(text));
	if (ssdpm__take_device(&span, ":", &device) &&
	    leads_to_a_drive(watch, device))
		fprintf(file, "# backing: %s %" PRIu32 ",%" PRIu32 "\n",
			backing, (uint32_t)(device >> 32), (uint32_t)device);
}

/* Not every folder there is a file system: features is one, too. */
static int write_filesystem(const struct ssdpm_watch *watch, FILE *file,
			    const char *uuid, struct ssdpm_error *reterr)
{
	char path[MAX_PATH], backing[MAX_PATH], **names = NULL;
	const char *name;
	size_t n = 0;
	int err;

	snprintf(path, sizeof(path), BTRFS "/%.200s/bdi", uuid);
	if (ssdpm_machine_read_link(watch->machine, path, backing,
				    sizeof(backing), NULL))
		return 0;
	name = strrchr(backing, '/');
	snprintf(path, sizeof(path), BTRFS "/%.200s/devices", uuid);
	err = ssdpm_machine_read_directory(watch->machine, path, &names, &n,
					   NULL);
	if (err == -ENOMEM)
		return ssdpm__no_memory(reterr);
	for (size_t i = 0; name && i < n; i++)
		write_member(watch, file, name + 1, path, names[i]);
	free(names);
	return 0;
}

static int write_all(const struct ssdpm_watch *watch, FILE *file,
		     struct ssdpm_error *reterr)
{
	char **uuids = NULL;
	size_t n = 0;
	int err = ssdpm_machine_read_directory(watch->machine, BTRFS, &uuids,
					       &n, NULL);

	if (err == -ENOMEM)
		return ssdpm__no_memory(reterr);
	err = 0;
	for (size_t i = 0; i < n && !err; i++)
		err = write_filesystem(watch, file, uuids[i], reterr);
	free(uuids);
	return err;
}

int ssdpm__watch_read_backings(const struct ssdpm_watch *watch, char **ret_text,
			       struct ssdpm_error *reterr)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	int err;

	if (!file)
		return ssdpm__no_memory(reterr);
	err = write_all(watch, file, reterr);
	if (fclose(file) && !err)
		err = ssdpm__no_memory(reterr);
	if (err)
		free(text);
	else
		*ret_text = text;
	return err;
}
