/* SPDX-License-Identifier: MIT */
/*
 * Before a drive is written to: is it a whole drive, does anything use it or a
 * part of it, and what is on it?
 */
#include "consistency.h"

#include "survey-work.h"

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
	complain("%s: %s", path, fault);
	return STATUS_FAILED;
}

static enum exit_status refuse_in_use(const char *path, const char *part,
				      const char *by, const char *name)
{
	complain("%s: %s is in use: %s %s; nothing was written", path, part, by,
		 name);
	return STATUS_FAILED;
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

/* A drive and its partitions: directories of sysfs. */
struct parts {
	size_t n;
	char name[MAX_PARTS][NAME_MAX + 1];
	char *directory[MAX_PARTS];
	dev_t device[MAX_PARTS];
};

static void free_parts(struct parts *parts)
{
	for (size_t i = 0; parts && i < parts->n; i++)
		free(parts->directory[i]);
	free(parts);
}

static bool add_part(struct parts *parts, char *directory)
{
	unsigned int of_major, of_minor;
	char dev[32];

	if (!directory || parts->n == MAX_PARTS) {
		free(directory);
		return false;
	}
	read_line(directory, "dev", dev, sizeof(dev));
	parts->directory[parts->n] = directory;
	snprintf(parts->name[parts->n], sizeof(parts->name[0]), "%s",
		 strrchr(directory, '/') + 1);
	parts->n++;
	if (sscanf(dev, "%u:%u", &of_major, &of_minor) != 2)
		return false;
	parts->device[parts->n - 1] = makedev(of_major, of_minor);
	return true;
}

static bool add_partition(struct parts *parts, const char *name)
{
	char *path;

	if (name[0] == '.' ||
	    asprintf(&path, "%s/%s", parts->directory[0], name) < 0)
		return name[0] == '.';
	if (exists(path, "partition"))
		return add_part(parts, path);
	free(path);
	return true;
}

/* In the order of their numbers; NULL after a complaint. */
static struct parts *find_parts(const struct disk *disk)
{
	struct parts *parts = calloc(1, sizeof(*parts));
	bool known = parts && add_part(parts, strdup(disk->sysfs));
	struct dirent **entries = NULL;
	int n = scandir(disk->sysfs, &entries, NULL, versionsort);

	known = known && n >= 0;
	for (int i = 0; i < n; i++) {
		known = known && add_partition(parts, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (known)
		return parts;
	refuse(disk->path, "its partitions cannot be read");
	free_parts(parts);
	return NULL;
}

/* Whose number is it? NULL: of none of them. */
static const char *part_of(const struct parts *parts, dev_t device)
{
	for (size_t i = 0; i < parts->n; i++)
		if (parts->device[i] == device)
			return parts->name[i];
	return NULL;
}

/* The same of a file that is a block device. */
static const char *part_at(const struct parts *parts, const char *path)
{
	struct stat status;

	if (stat(path, &status) || !S_ISBLK(status.st_mode))
		return NULL;
	return part_of(parts, status.st_rdev);
}

/* Device mapper, RAID and others that are made of it. */
static enum exit_status check_holders(const struct disk *disk,
				      const struct parts *parts)
{
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; i < parts->n && !status; i++) {
		const struct dirent *entry;
		char path[PATH_MAX + 16];

		snprintf(path, sizeof(path), "%s/holders", parts->directory[i]);
		DIR *directory = opendir(path);

		while (directory && !status && (entry = readdir(directory)))
			if (entry->d_name[0] != '.')
				status = refuse_in_use(
					disk->path, parts->name[i],
					"it is part of", entry->d_name);
		if (directory)
			closedir(directory);
	}
	return status;
}

static enum exit_status check_swap(const struct disk *disk,
				   const struct parts *parts)
{
	enum exit_status status = STATUS_DONE;
	FILE *file = fopen("/proc/swaps", "re");
	char line[PATH_MAX + 128];

	/* A kernel may have been built without swap. */
	while (file && !status && fgets(line, sizeof(line), file)) {
		line[strcspn(line, " \t\n")] = 0;
		const char *part = part_at(parts, line);

		if (part)
			status = refuse_in_use(disk->path, part, "swap, as",
					       line);
	}
	if (file)
		fclose(file);
	return status;
}

/* A line of /proc/self/mountinfo: by number, and by what it was mounted from.
 */
static const char *mounted_part(const struct parts *parts, char *line,
				const char **ret_where)
{
	unsigned int of_major, of_minor;
	const char *part;
	int at = 0;

	if (sscanf(line, "%*s %*s %u:%u %*s %n", &of_major, &of_minor, &at) <
		    2 ||
	    !at)
		return NULL;
	part = part_of(parts, makedev(of_major, of_minor));
	char *source = strstr(line + at, " - ");

	if (source)
		source = strchr(source + 3, ' ');
	if (!part && source) {
		source++;
		source[strcspn(source, " \n")] = 0;
		part = part_at(parts, source);
	}
	line[at + (int)strcspn(line + at, " ")] = 0;
	*ret_where = line + at;
	return part;
}

static enum exit_status check_mounts(const struct disk *disk,
				     const struct parts *parts)
{
	enum exit_status status = STATUS_DONE;
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return refuse(disk->path, "what is mounted cannot be read from "
					  "/proc/self/mountinfo");
	while (!status && getline(&line, &size, file) > 0) {
		const char *where;
		const char *part = mounted_part(parts, line, &where);

		if (part)
			status = refuse_in_use(disk->path, part,
					       "it is mounted at", where);
	}
	free(line);
	fclose(file);
	return status;
}

static enum exit_status check_use(const struct disk *disk)
{
	struct parts *parts = find_parts(disk);
	enum exit_status status = parts ? STATUS_DONE : STATUS_FAILED;

	if (!status)
		status = check_holders(disk, parts);
	if (!status)
		status = check_swap(disk, parts);
	if (!status)
		status = check_mounts(disk, parts);
	free_parts(parts);
	return status;
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
	complain("%s: %s", disk->path, strerror(errno));
	return errno == EACCES || errno == EPERM ? STATUS_NO_PRIVILEGES :
						   STATUS_FAILED;
}

enum exit_status open_disk(const char *path, bool writable,
			   struct disk *ret_disk)
{
	struct disk disk = { .path = path, .fd = -1 };
	enum exit_status result;
	struct stat status, opened;

	if (stat(path, &status)) {
		complain("%s: %s", path, strerror(errno));
		return STATUS_FAILED;
	}
	result = read_facts(&disk, &status);
	if (!result)
		result = check_use(&disk);
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
	/* Of a serial number, enough to tell two drives from each other. */
	complain("%s: %s, %s%s%s: all of its data will be lost", disk->path,
		 disk->model[0] ? disk->model : "no model",
		 bytes_text(disk->n_bytes).text, n ? ", serial ends in " : "",
		 disk->serial + (n > 4 ? n - 4 : 0));
	for (size_t i = 1; i < parts->n; i++)
		complain("  %s: a partition", parts->name[i]);
	status = say_signatures(parts);
	free_parts(parts);
	return status;
}
