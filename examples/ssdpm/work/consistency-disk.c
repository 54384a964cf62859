/* SPDX-License-Identifier: MIT */
/*
 * Before a drive is written to: is it a whole drive, which the library says
 * that nothing uses, and what is on it?
 */
#include "work/consistency.h"

#include "input/live.h"
#include "survey/survey.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MAX_PARTS 256 /* a drive, and its partitions */

static enum exit_status refuse(const char *path, const char *fault)
{
	return failure("%s: %s", path, fault);
}

/* The first line of a file below a directory; "": it has none. */
static void read_line(const char *directory, const char *name, char *ret_text,
		      size_t size)
{
	char path[PATH_MAX + 512];
	size_t n;

	*ret_text = 0;
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	FILE *file = fopen(path, "re");
	if (!file)
		return;
	if (!fgets(ret_text, (int)size, file))
		*ret_text = 0;
	fclose(file);
	n = strcspn(ret_text, "\n");
	while (n && ret_text[n - 1] == ' ')
		n--;
	ret_text[n] = 0;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)ret_text[i] < ' ' || ret_text[i] == 0x7f)
			ret_text[i] = '?';
}

static bool exists(const char *directory, const char *name)
{
	char path[PATH_MAX + 512];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return !access(path, F_OK);
}

/* A drive and its partitions, by their names in sysfs. */
struct parts {
	size_t n;
	char name[MAX_PARTS][NAME_MAX + 1];
};

static bool add_partition(struct parts *parts, const struct disk *disk,
			  const char *name)
{
	char file[NAME_MAX + 16];

	snprintf(file, sizeof(file), "%s/partition", name);
	if (name[0] == '.' || !exists(disk->sysfs, file))
		return true;
	if (parts->n == MAX_PARTS)
		return false;
	strcpy(parts->name[parts->n++], name);
	return true;
}

/* In the order of their numbers; NULL after a complaint. */
static struct parts *find_parts(const struct disk *disk)
{
	struct parts *parts = calloc(1, sizeof(*parts));
	struct dirent **entries = NULL;
	int n = scandir(disk->sysfs, &entries, NULL, versionsort);
	bool known = parts && n >= 0;

	if (parts)
		snprintf(parts->name[parts->n++], sizeof(parts->name[0]), "%s",
			 strrchr(disk->sysfs, '/') + 1);
	for (int i = 0; i < n; i++) {
		known = known && add_partition(parts, disk, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (known)
		return parts;
	refuse(disk->path, "its partitions cannot be read");
	free(parts);
	return NULL;
}

static enum exit_status check_number(const struct disk *disk, dev_t number)
{
	struct ssdpm_machine *machine;
	struct ssdpm_error error;
	int err = ssdpm_machine_new(NULL, &machine, &error);

	if (!err) {
		err = ssdpm_machine_check_unused(machine, major(number),
						 minor(number), &error);
		ssdpm_machine_unref(machine);
	}
	if (!err)
		return STATUS_DONE;
	complain("%s: %s; nothing was written", disk->path, error.message);
	return err == -EACCES ? STATUS_NO_PRIVILEGES : status_of_error(err);
}

enum exit_status check_unused(const struct disk *disk)
{
	struct stat status;

	if (!fstat(disk->fd, &status))
		return check_number(disk, status.st_rdev);
	return refuse(disk->path, strerror(errno));
}

static enum exit_status read_facts(struct disk *disk, const struct stat *status)
{
	char link[64], text[64];

	if (!S_ISBLK(status->st_mode))
		return refuse(disk->path, "it is no drive: name a block "
					  "device, as /dev/nvme0n1");
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u",
		 major(status->st_rdev), minor(status->st_rdev));
	disk->sysfs = realpath(link, NULL);
	if (!disk->sysfs)
		return refuse(disk->path, "it is not in /sys");
	if (exists(disk->sysfs, "partition"))
		return refuse(disk->path,
			      "it is a partition: name the whole drive; "
			      "--share says how much of it is written");
	read_line(disk->sysfs, "size", text, sizeof(text));
	disk->n_bytes = 512 * strtoull(text, NULL, 10);
	if (!disk->n_bytes)
		return refuse(disk->path, "it has no size");
	read_line(disk->sysfs, "queue/discard_max_bytes", text, sizeof(text));
	disk->trims = strtoull(text, NULL, 10) > 0;
	read_line(disk->sysfs, "device/model", disk->model,
		  sizeof(disk->model));
	read_line(disk->sysfs, "device/serial", disk->serial,
		  sizeof(disk->serial));
	read_line(disk->sysfs, "ro", text, sizeof(text));
	return strcmp(text, "1") ? STATUS_DONE :
				   refuse(disk->path, "it is read-only");
}

/* With O_EXCL, whatever has it for itself makes that fail. */
static enum exit_status claim(struct disk *disk, bool writable)
{
	disk->fd = open(disk->path, (writable ? O_RDWR : O_RDONLY) | O_EXCL |
					    O_NONBLOCK | O_CLOEXEC);
	if (disk->fd >= 0)
		return STATUS_DONE;
	if (errno == EBUSY)
		return refuse(disk->path, "it is in use; nothing was written");
	return cannot("open", disk->path, errno);
}

enum exit_status open_disk(const char *path, bool writable,
			   struct disk *ret_disk)
{
	struct disk disk = { .path = path, .fd = -1 };
	enum exit_status result;
	struct stat status, opened;

	if (stat(path, &status))
		return cannot("read", path, errno);
	result = read_facts(&disk, &status);
	if (!result)
		result = check_number(&disk, status.st_rdev);
	if (!result)
		result = claim(&disk, writable);
	/* The name may lead elsewhere by now. */
	if (!result &&
	    (fstat(disk.fd, &opened) || opened.st_rdev != status.st_rdev))
		result = refuse(path, "it has just become another one");
	if (result)
		close_disk(&disk);
	else
		*ret_disk = disk;
	return result;
}

void close_disk(struct disk *disk)
{
	if (disk->fd >= 0)
		close(disk->fd);
	free(disk->sysfs);
	disk->fd = -1;
	disk->sysfs = NULL;
}

/* It is in a directory that the path of a user need not have. */
static const char *wipefs_name(void)
{
	static const char *const names[] = { "/usr/sbin/wipefs",
					     "/sbin/wipefs" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!access(names[i], X_OK))
			return names[i];
	return "wipefs";
}

/* File systems, partition tables and members of arrays, by libblkid. */
static enum exit_status say_signatures(const struct parts *parts)
{
	const struct survey_state state = { .lock_fd = -1, .guard_fd = -1 };
	char paths[MAX_PARTS][NAME_MAX + 8], text[16384];
	const char *argv[MAX_PARTS + 4] = { wipefs_name(), "--noheadings",
					    "--output=DEVICE,TYPE,LABEL" };
	enum exit_status status;

	for (size_t i = 0; i < parts->n; i++) {
		snprintf(paths[i], sizeof(paths[i]), "/dev/%s", parts->name[i]);
		/* As in cciss!c0d0. */
		for (char *at = paths[i]; (at = strchr(at, '!'));)
			*at = '/';
		argv[3 + i] = paths[i];
	}
	status = call_program(&state, argv, text, sizeof(text));
	if (status) {
		complain("what is on it cannot be told without wipefs, of "
			 "util-linux; nothing was written");
		return status;
	}
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		complain("  %s", line);
	return STATUS_DONE;
}

enum exit_status say_what_is_lost(const struct disk *disk)
{
	const size_t n = strlen(disk->serial);
	struct parts *parts = find_parts(disk);
	enum exit_status status;

	if (!parts)
		return STATUS_FAILED;
	/* Enough of a serial number to tell two drives from each other. */
	complain("%s: %s, %s%s%s: all of its data will be lost", disk->path,
		 disk->model[0] ? disk->model : "no model",
		 bytes_text(disk->n_bytes).text, n ? ", serial ends in " : "",
		 disk->serial + (n > 4 ? n - 4 : 0));
	for (size_t i = 1; i < parts->n; i++)
		complain("  %s: a partition", parts->name[i]);
	status = say_signatures(parts);
	free(parts);
	return status;
}
