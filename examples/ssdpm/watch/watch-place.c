/* SPDX-License-Identifier: MIT */
/* Is a file on a drive that is watched? */
#include "input/live.h"
#include "watch/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* The device of a file, and those below it. */
#define MAX_BELOW 256
#define MAX_PATH 512

struct descent {
	const struct ssdpm_machine *machine;
	bool is_unsure; /* a stacked device does not show what is below */
	size_t n;
	dev_t devices[MAX_BELOW];
};

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

static bool has(const struct ssdpm_machine *machine, const char *folder,
		const char *name)
{
	char path[MAX_PATH], **names = NULL;
	size_t n;
	int err;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	err = ssdpm_machine_read_directory(machine, path, &names, &n, NULL);
	free(names);
	return !err || err == -ENOTDIR;
}

static void add_below(struct descent *descent, dev_t device)
{
	for (size_t i = 0; i < descent->n; i++)
		if (descent->devices[i] == device)
			return;
	if (descent->n == MAX_BELOW)
		descent->is_unsure = true;
	else
		descent->devices[descent->n++] = device;
}

/* "259:2" */
static void add_slave(struct descent *descent, const char *folder,
		      const char *name)
{
	char path[MAX_PATH], text[32];
	unsigned int number[2];

	snprintf(path, sizeof(path), "%s/slaves/%s/dev", folder, name);
	if (ssdpm_machine_read_attribute(descent->machine, path, text,
					 sizeof(text), NULL) ||
	    sscanf(text, "%u:%u", &number[0], &number[1]) != 2)
		descent->is_unsure = true;
	else
		add_below(descent, makedev(number[0], number[1]));
}

/* The folder of a device in sysfs; that of the disk of a partition. */
static bool find_folder(const struct ssdpm_machine *machine, dev_t device,
			char *ret_folder)
{
	char path[64];

	snprintf(path, sizeof(path), "sys/dev/block/%u:%u", major(device),
		 minor(device));
	if (ssdpm_machine_read_link(machine, path, ret_folder, MAX_PATH / 2,
				    NULL))
		return false;
	if (has(machine, ret_folder, "partition"))
		*strrchr(ret_folder, '/') = '\0';
	return true;
}

/* Device-mapper and md name the devices that they use. */
static void look_below(struct descent *descent, dev_t device)
{
	const struct ssdpm_machine *machine = descent->machine;
	char folder[MAX_PATH / 2], path[MAX_PATH], **names = NULL;
	size_t n = 0;

	if (!find_folder(machine, device, folder))
		return;
	snprintf(path, sizeof(path), "%s/slaves", folder);
	if (ssdpm_machine_read_directory(machine, path, &names, &n, NULL))
		n = 0;
	for (size_t i = 0; i < n; i++)
		add_slave(descent, folder, names[i]);
	free(names);
	if (!n && (has(machine, folder, "dm") || has(machine, folder, "md")))
		descent->is_unsure = true;
}

/* The watched drive that a device is on; NULL: none is known. */
static const char *descend(const struct watch *watch, dev_t device,
			   struct descent *descent)
{
	const char *name = NULL;

	add_below(descent, device);
	for (size_t i = 0; i < descent->n && !name; i++) {
		name = drive_of(watch, descent->devices[i]);
		if (!name)
			look_below(descent, descent->devices[i]);
	}
	return name;
}

/* File systems such as btrfs have numbers of no device, but name it. */
static const char *find_watched(const struct watch *watch, dev_t device,
				const struct mount *mount,
				struct descent *descent)
{
	const char *name = descend(watch, device, descent);
	struct stat status;

	if (name || major(device) || mount->source[0] != '/' ||
	    stat(mount->source, &status) || !S_ISBLK(status.st_mode))
		return name;
	descent->n = 0;
	return descend(watch, status.st_rdev, descent);
}

void remark_place(const struct watch *watch, int fd, const char *path)
{
	struct mount mount = { 0 };
	struct descent descent;
	struct stat status;
	const char *name;
	unsigned int id;

	if (watch->common->quiet || !watch->live || fstat(fd, &status))
		return;
	descent.machine = watch->watched[0].drive->live->machine;
	descent.is_unsure = false;
	descent.n = 0;
	id = read_mount_id(fd);
	if (!id || !read_mount(id, &mount))
		mount = (struct mount){ 0 };
	name = find_watched(watch, status.st_dev, &mount, &descent);
	if (name)
		remark("%s is on %s: to write it wakes the drive", path, name);
	else if (descent.is_unsure || hides_drives(mount.type))
		remark("%s is on %s, which may be on a drive that is watched: "
		       "to write it would wake that",
		       path,
		       !descent.is_unsure ? mount.type :
		       mount.source[0]	  ? mount.source :
					    "a stacked device");
}
