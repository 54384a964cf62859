/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a disk is in use. All code that overwrites disks uses this
 * rule.
 *
 * The check compares device numbers (st_rdev), because a disk may have many
 * names. Exclusive users, such as a mount in another namespace, fail the
 * caller's open with O_EXCL. A process that has the disk open without O_EXCL
 * shows only in /proc, and only if the caller may see all processes.
 */
#include <ssdpm/energy/consistency.h>

#include "base/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
	CAP_SYS_PTRACE = 19,
	PATH_BYTES = 1024,
	TEXT_BYTES = 4096,
};

/* Linux: include/linux/proc_ns.h, PROC_PID_INIT_INO. */
static const char first_namespace[] = "pid:[4026531836]";

/* The disk, which comes first, or one of its partitions. */
struct disk_part {
	dev_t number;
	char name[64];
};

struct disk_look {
	const struct ssdpm_machine *machine;
	int root_fd; /* for files that are no text */
	struct ssdpm_error *reterr;
	char directory[PATH_BYTES]; /* of the disk, in sysfs */
	struct disk_part *parts;
	size_t n_parts;
	bool hidden; /* a process could not be inspected */
};

/* Names in one block, to be freed. */
struct disk_names {
	char **names;
	size_t n;
};

static int list_names(const struct disk_look *look, const char *path,
		      struct disk_names *ret_names)
{
	return ssdpm_machine_read_directory(
		look->machine, path, &ret_names->names, &ret_names->n, NULL);
}

static bool exists(const struct disk_look *look, const char *path)
{
	return !faccessat(look->root_fd, path, F_OK, 0);
}

static int open_file(const struct disk_look *look, const char *path, int flags)
{
	int fd = openat(look->root_fd, path, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* "directory/name"; -ENAMETOOLONG. */
static int join(char path[PATH_BYTES], const char *directory, const char *name)
{
	return snprintf(path, PATH_BYTES, "%s/%s", directory, name) <
			       PATH_BYTES ?
		       0 :
		       -ENAMETOOLONG;
}

static int say_used(const struct disk_look *look, const struct disk_part *part,
		    const char *how, const char *by)
{
	return ssdpm__fail(look->reterr, -EBUSY, 0, "%s is in use: %s %.200s",
			   part->name, how, by);
}

static int fail_file(const struct disk_look *look, const char *path, int err)
{
	return ssdpm__fail(look->reterr, err, 0, "%s: /%s: %s",
			   look->parts[0].name, path, ssdpm_strerror(err));
}

/* Reads "8:0" from the file dev in a directory of sysfs. */
static int read_device_number(const struct disk_look *look,
			      const char *directory, dev_t *ret_number)
{
	char path[PATH_BYTES], text[32];
	unsigned int of_major, of_minor;
	int err, end = 0;

	err = join(path, directory, "dev");
	if (!err)
		err = ssdpm_machine_read_attribute(look->machine, path, text,
						   sizeof(text), NULL);
	if (!err && (sscanf(text, "%u:%u%n", &of_major, &of_minor, &end) != 2 ||
		     text[end]))
		err = -EIO;
	if (!err)
		*ret_number = makedev(of_major, of_minor);
	return err;
}

static int add_part(struct disk_look *look, const char *directory)
{
	struct disk_part *part = &look->parts[look->n_parts];

	snprintf(part->name, sizeof(part->name), "%s",
		 strrchr(directory, '/') + 1);
	look->n_parts++;
	return read_device_number(look, directory, &part->number);
}

static int add_partitions(struct disk_look *look,
			  const struct disk_names *names)
{
	char path[PATH_BYTES], file[PATH_BYTES];
	int err = 0;

	for (size_t i = 0; i < names->n && !err; i++) {
		err = join(path, look->directory, names->names[i]);
		if (!err)
			err = join(file, path, "partition");
		if (!err && exists(look, file))
			err = add_part(look, path);
	}
	return err;
}

static int find_parts(struct disk_look *look, const char *link)
{
	struct disk_names names;
	int err;

	err = ssdpm_machine_read_link(look->machine, link, look->directory,
				      sizeof(look->directory), NULL);
	if (!err)
		err = list_names(look, look->directory, &names);
	if (err)
		return ssdpm__fail(look->reterr, err == -ENOENT ? -ENODEV : err,
				   0, "/%s: %s", link, ssdpm_strerror(err));
	look->parts = calloc(names.n + 1, sizeof(*look->parts));
	if (look->parts)
		err = add_part(look, look->directory);
	if (look->parts && !err)
		err = add_partitions(look, &names);
	free(names.names);
	if (!look->parts)
		return ssdpm__no_memory(look->reterr);
	return err ? fail_file(look, look->directory, err) : 0;
}

static const struct disk_part *part_of(const struct disk_look *look,
				       dev_t number)
{
	for (size_t i = 0; i < look->n_parts; i++)
		if (look->parts[i].number == number)
			return &look->parts[i];
	return NULL;
}

/* Follows links, including those of /proc. -errno: it cannot be inspected. */
static int find_part_at(const struct disk_look *look, int directory,
			const char *name, const struct disk_part **ret_part)
{
	struct stat status;

	if (fstatat(directory, name, &status, 0))
		return -errno;
	*ret_part =
		S_ISBLK(status.st_mode) ? part_of(look, status.st_rdev) : NULL;
	return 0;
}

static const struct disk_part *part_at(const struct disk_look *look,
				       const char *path)
{
	const struct disk_part *part;

	if (path[0] != '/' ||
	    find_part_at(look, look->root_fd, path + 1, &part))
		return NULL;
	return part;
}

/* Device mapper, RAID and others on top of it. */
static int check_holders(const struct disk_look *look)
{
	char path[PATH_BYTES];
	struct disk_names names;
	int err = 0;

	for (size_t i = 0; i < look->n_parts && !err; i++) {
		const struct disk_part *part = &look->parts[i];

		if (snprintf(path, sizeof(path), "%s%s%s/holders",
			     look->directory, i ? "/" : "",
			     i ? part->name : "") >= (int)sizeof(path))
			return fail_file(look, look->directory, -ENAMETOOLONG);
		err = list_names(look, path, &names);
		if (err == -ENOENT) {
			err = 0;
			continue;
		}
		if (err)
			return fail_file(look, path, err);
		if (names.n)
			err = say_used(look, part, "it is part of",
				       names.names[0]);
		free(names.names);
	}
	return err;
}

/* Takes a line of a file of /proc. A result other than 0 is final. */
typedef int (*line_fn)(const struct disk_look *look, char *line);

static int check_lines(const struct disk_look *look, const char *path,
		       line_fn check)
{
	int err = 0, fd = open_file(look, path, O_RDONLY);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "re");
	char buffer[BUFSIZ], *line = NULL;
	size_t size = 0;

	if (!file) {
		err = fd < 0 ? fd : -errno;
		if (fd >= 0)
			close(fd);
		return fail_file(look, path, err);
	}
	setvbuf(file, buffer, _IOFBF, sizeof(buffer));
	while (!err && (errno = 0, getline(&line, &size, file)) > 0)
		err = check(look, line);
	/* A line that could not be read might decide. */
	if (!err && !feof(file))
		err = fail_file(look, path, errno ? -errno : -EIO);
	free(line);
	fclose(file);
	return err;
}

static int check_swap(const struct disk_look *look, char *line)
{
	const struct disk_part *part;

	line[strcspn(line, " \t\n")] = 0;
	part = part_at(look, line);
	return part ? say_used(look, part, "swap, as", line) : 0;
}

/* Compares the number of a mount, and its source. */
static int check_mount(const struct disk_look *look, char *line)
{
	const struct disk_part *part;
	unsigned int of_major, of_minor;
	char *source;
	int at = 0;

	if (sscanf(line, "%*s %*s %u:%u %*s %n", &of_major, &of_minor, &at) <
		    2 ||
	    !at)
		return 0;
	part = part_of(look, makedev(of_major, of_minor));
	source = strstr(line + at, " - ");
	if (source)
		source = strchr(source + 3, ' ');
	if (!part && source) {
		source++;
		source[strcspn(source, " \n")] = 0;
		part = part_at(look, source);
	}
	line[at + (int)strcspn(line + at, " ")] = 0;
	return part ? say_used(look, part, "it is mounted at", line + at) : 0;
}

/*
 * Asks Linux about a loop device, whatever names are visible here. It reports
 * the number of the backing node, or of its file's file system. Return: whether
 * Linux answered.
 */
static bool find_part_of_loop(const struct disk_look *look, const char *name,
			      const struct disk_part **ret_part)
{
	struct loop_info64 info;
	char path[64];
	int fd, err;

	if (snprintf(path, sizeof(path), "dev/%s", name) >= (int)sizeof(path))
		return false;
	fd = open_file(look, path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return false;
	err = ioctl(fd, LOOP_GET_STATUS64, &info);
	close(fd);
	if (err)
		return false;
	*ret_part = part_of(look, (dev_t)info.lo_rdevice);
	if (!*ret_part)
		*ret_part = part_of(look, (dev_t)info.lo_device);
	return true;
}

/* Loop devices keep their backing file open, outside any process. */
static int check_loops(const struct disk_look *look)
{
	static const char class[] = "sys/block";
	char path[PATH_BYTES], file[TEXT_BYTES];
	struct disk_names names;
	int err;

	err = list_names(look, class, &names);
	if (err)
		return fail_file(look, class, err);
	for (size_t i = 0; i < names.n && !err; i++) {
		const struct disk_part *part;

		snprintf(path, sizeof(path), "%s/%s/loop/backing_file", class,
			 names.names[i]);
		if (strncmp(names.names[i], "loop", 4) ||
		    ssdpm_machine_read_attribute(look->machine, path, file,
						 sizeof(file), NULL))
			continue;
		if (!find_part_of_loop(look, names.names[i], &part))
			part = part_at(look, file);
		if (part)
			err = say_used(look, part, "it is the backing file of",
				       names.names[i]);
	}
	free(names.names);
	return err;
}

static int check_target(const struct disk_look *look, const char *namespaces)
{
	char path[PATH_BYTES], file[TEXT_BYTES];
	const struct disk_part *part;
	struct disk_names names;
	int err = 0;

	if (list_names(look, namespaces, &names))
		return 0; /* removed meanwhile */
	for (size_t i = 0; i < names.n && !err; i++) {
		if (snprintf(path, sizeof(path), "%s/%s/device_path",
			     namespaces, names.names[i]) >= (int)sizeof(path) ||
		    ssdpm_machine_read_attribute(look->machine, path, file,
						 sizeof(file), NULL))
			continue;
		part = part_at(look, file);
		if (part)
			err = say_used(look, part,
				       "it is exported over NVMe-oF, by",
				       namespaces);
	}
	free(names.names);
	return err;
}

/* Linux's NVMe target opens a disk without O_EXCL, outside any process. */
static int check_targets(const struct disk_look *look)
{
	static const char all[] = "sys/kernel/config/nvmet/subsystems";
	char path[PATH_BYTES];
	struct disk_names names;
	int err = list_names(look, all, &names);

	if (err)
		return err == -ENOENT ? 0 : fail_file(look, all, err);
	for (size_t i = 0; i < names.n && !err; i++)
		if (snprintf(path, sizeof(path), "%s/%s/namespaces", all,
			     names.names[i]) < (int)sizeof(path))
			err = check_target(look, path);
	free(names.names);
	return err;
}

static int say_process(const struct disk_look *look,
		       const struct disk_part *part, const char *pid)
{
	char path[PATH_BYTES], name[32] = "?", words[64];

	snprintf(path, sizeof(path), "proc/%s/comm", pid);
	if (!ssdpm_machine_read_attribute(look->machine, path, name,
					  sizeof(name), NULL))
		ssdpm_text_blunt(name);
	snprintf(words, sizeof(words), "%s (%s)", pid, name);
	return say_used(look, part, "it is open in process", words);
}

static bool is_gone(int err)
{
	return err == -ENOENT || err == -ESRCH;
}

/* -EACCES: some are hidden. */
static int check_descriptors(const struct disk_look *look, const char *pid,
			     int fd)
{
	const struct disk_part *part;
	const struct dirent *entry;
	DIR *directory = fdopendir(fd);
	int err = 0;

	if (!directory) {
		err = -errno;
		close(fd);
		return err;
	}
	while (!err && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		err = find_part_at(look, fd, entry->d_name, &part);
		if (is_gone(err))
			err = 0;
		else if (!err && part)
			err = say_process(look, part, pid);
	}
	closedir(directory);
	return err;
}

/* A thread may have its own descriptors. */
static int check_thread(struct disk_look *look, const char *pid,
			const char *thread)
{
	char path[PATH_BYTES];
	int end, err, fd;

	end = snprintf(path, sizeof(path), "proc/%s/task/%s", pid, thread);
	snprintf(path + end, sizeof(path) - (size_t)end, "/fd");
	fd = open_file(look, path, O_RDONLY | O_DIRECTORY);
	err = fd < 0 ? fd : check_descriptors(look, pid, fd);
	if (err == -EBUSY || !err || is_gone(err))
		return err == -EBUSY ? err : 0;
	if (err == -ENOMEM || err == -EMFILE || err == -ENFILE)
		return fail_file(look, path, err);
	/* Linux also reports this for a thread that has just ended. */
	path[end] = 0;
	look->hidden |= exists(look, path);
	return 0;
}

static int check_process(struct disk_look *look, const char *pid)
{
	char path[PATH_BYTES];
	struct disk_names threads;
	int err;

	snprintf(path, sizeof(path), "proc/%s/task", pid);
	err = list_names(look, path, &threads);
	if (is_gone(err))
		return 0;
	if (err)
		return fail_file(look, path, err);
	for (size_t i = 0; i < threads.n && !err; i++)
		err = check_thread(look, pid, threads.names[i]);
	free(threads.names);
	return err;
}

/* All but our process, which has it open to write. */
static int check_processes(struct disk_look *look)
{
	char own[16];
	struct disk_names names;
	int err;

	err = list_names(look, "proc", &names);
	if (err)
		return fail_file(look, "proc", err);
	snprintf(own, sizeof(own), "%ld", (long)getpid());
	for (size_t i = 0; i < names.n && !err; i++)
		if (names.names[i][0] >= '0' && names.names[i][0] <= '9' &&
		    strcmp(names.names[i], own))
			err = check_process(look, names.names[i]);
	free(names.names);
	return err;
}

/* 1: this line of proc/self/status shows a right to see all processes. */
static int has_right(const struct disk_look *look, char *line)
{
	unsigned long long capabilities;

	(void)look;
	return sscanf(line, "CapEff: %llx", &capabilities) == 1 &&
	       capabilities >> CAP_SYS_PTRACE & 1;
}

static bool is_in_first_namespace(const struct disk_look *look)
{
	char link[sizeof(first_namespace)];
	ssize_t n = readlinkat(look->root_fd, "proc/self/ns/pid", link,
			       sizeof(link));

	return n == sizeof(link) - 1 &&
	       !memcmp(link, first_namespace, sizeof(link) - 1);
}

/* After finding no user, checks that every process was visible. */
static int check_sight(const struct disk_look *look)
{
	const char *name = look->parts[0].name;
	int right;

	if (!is_in_first_namespace(look))
		return ssdpm__fail(look->reterr, -EACCES, 0,
				   "cannot see which processes use %s: this "
				   "PID namespace hides those outside of it; a "
				   "container needs that of the machine "
				   "(--pid=host)",
				   name);
	right = check_lines(look, "proc/self/status", has_right);
	if (right < 0)
		return right;
	if (look->hidden || !right)
		return ssdpm__fail(look->reterr, -EACCES, 0,
				   "cannot see which processes use %s: root "
				   "with CAP_SYS_PTRACE can",
				   name);
	return 0;
}

static int check_all(struct disk_look *look)
{
	static const char swaps[] =
		"proc/swaps"; /* absent if Linux lacks swap */
	int err = check_holders(look);

	if (!err && exists(look, swaps))
		err = check_lines(look, swaps, check_swap);
	if (!err)
		err = check_lines(look, "proc/self/mountinfo", check_mount);
	if (!err)
		err = check_loops(look);
	if (!err)
		err = check_targets(look);
	if (!err)
		err = check_processes(look);
	return err ? err : check_sight(look);
}

int ssdpm_machine_check_unused(const struct ssdpm_machine *machine,
			       uint32_t disk_major, uint32_t disk_minor,
			       struct ssdpm_error *reterr)
{
	struct disk_look look = { .machine = machine, .reterr = reterr };
	char link[48];
	int err;

	if (ssdpm_machine_get_capture(machine))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "a capture does not say which disks are in "
				   "use");
	look.root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (look.root_fd < 0)
		return ssdpm__fail(reterr, -errno, 0, "/: %s",
				   ssdpm_strerror(-errno));
	snprintf(link, sizeof(link), "sys/dev/block/%u:%u", disk_major,
		 disk_minor);
	err = find_parts(&look, link);
	if (!err)
		err = check_all(&look);
	free(look.parts);
	close(look.root_fd);
	return err;
}
