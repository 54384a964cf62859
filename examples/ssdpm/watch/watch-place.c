/* SPDX-License-Identifier: MIT */
/* Is a file on a drive that is watched? */
#include "input/live.h"
#include "watch/watch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static const char *drive_of(const struct watch *watch, dev_t device)
{
	for (size_t i = 0; i < watch->n; i++)
		for (size_t j = 0; j < watch->watched[i].n_disks; j++) {
			const struct ssdpm_disk *disk =
				&watch->watched[i].disks[j];

			if (major(device) == disk->major &&
			    minor(device) == disk->minor)
				return watch->watched[i].drive->name;
		}
	return NULL;
}

/* The number of the mount that a file is on; 0: unknown. */
static unsigned int read_mount_id(int fd)
{
	char path[40], line[256];
	unsigned int id = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	while (file && !id && fgets(line, sizeof(line), file))
		if (sscanf(line, "mnt_id: %u", &id) != 1)
			id = 0;
	if (file)
		fclose(file);
	return id;
}

/* What follows " - " in the line of a mount: its type and its source. */
struct mount {
	char type[32];
	char source[256];
};

static bool read_mount(unsigned int id, struct mount *ret_mount)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	bool is_found = false;
	char *line = NULL;
	size_t size = 0;

	while (file && !is_found && getline(&line, &size, file) >= 0) {
		const char *end = strstr(line, " - ");

		is_found = end && strtoul(line, NULL, 10) == id &&
			   sscanf(end, " - %31s %255s", ret_mount->type,
				  ret_mount->source) == 2;
	}
	free(line);
	if (file)
		fclose(file);
	return is_found;
}

/* Pools and layers, whose drives no source names. */
static bool hides_drives(const char *type)
{
	static const char types[][12] = { "zfs", "overlay", "bcachefs" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

/* File systems such as btrfs have numbers of no device. */
static void remark_mount(const struct watch *watch, int fd, const char *path)
{
	const unsigned int id = read_mount_id(fd);
	const char *name = NULL;
	struct mount mount;
	struct stat status;

	if (!id || !read_mount(id, &mount))
		return;
	if (mount.source[0] == '/' && !stat(mount.source, &status) &&
	    S_ISBLK(status.st_mode))
		name = drive_of(watch, status.st_rdev);
	if (name)
		remark("%s is on %s: to write it wakes the drive", path, name);
	else if (hides_drives(mount.type))
		remark("%s is on %s, which may be on a drive that is watched: "
		       "to write it would wake that",
		       path, mount.type);
}

void remark_place(const struct watch *watch, int fd, const char *path)
{
	struct stat status;
	const char *name;

	if (watch->common->quiet || fstat(fd, &status))
		return;
	name = drive_of(watch, status.st_dev);
	if (name)
		remark("%s is on %s: to write it wakes the drive", path, name);
	else if (!major(status.st_dev))
		remark_mount(watch, fd, path);
}
