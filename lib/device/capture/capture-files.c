/* SPDX-License-Identifier: MIT */
/*
 * The files that go into a capture, and how. Nothing else does: only what the
 * library reads is ever looked at here.
 */
#include "device/capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static bool starts_with(const char *text, const char *beginning)
{
	return !strncmp(text, beginning, strlen(beginning));
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), n_end = strlen(end);

	return n >= n_end && !strcmp(text + n - n_end, end);
}

/* Make the links that a path goes through, and say where it ends. */
static int follow(struct capture *self, const char *path,
		  char real[SSDPM__PATH_BYTES])
{
	char next[SSDPM__PATH_BYTES], target[SSDPM__PATH_BYTES];
	size_t n = 0;
	int err = 0;

	for (const char *at = path; !err && *at;) {
		size_t length = strcspn(at, "/");

		if (n + 1 + length >= SSDPM__PATH_BYTES)
			return -ENAMETOOLONG;
		memcpy(next, real, n);
		if (n)
			next[n++] = '/';
		memcpy(next + n, at, length);
		next[n + length] = 0;
		at += length + (at[length] == '/');
		err = ssdpm__real_path(self->source, next, target,
				       sizeof(target));
		if (err)
			return err;
		if (strcmp(next, target) != 0)
			err = ssdpm__capture_make_link(self->fd, next, target);
		strcpy(real, target);
		n = strlen(real);
	}
	return err;
}

static mode_t kind_of(const struct capture *self, const char *path)
{
	int fd = ssdpm__open(self->source, path, O_PATH | O_NOFOLLOW, 0);
	struct stat status = { .st_mode = 0 };

	if (fd < 0)
		return 0;
	if (fstat(fd, &status) < 0)
		status.st_mode = 0;
	close(fd);
	return status.st_mode & S_IFMT;
}

static bool is_there(const struct capture *self, const char *path)
{
	struct stat status;

	return fstatat(self->fd, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static int write_sysfs(struct capture *self, const char *path,
		       const void *bytes, size_t n)
{
	char blanked[ATA_TEXT_BYTES];

	if (strstr(path, "/ata_device/") && ends_in(path, "/id")) {
		n = ssdpm__blank_ata_words(bytes, blanked);
		bytes = blanked;
	} else if (strstr(path, "/nvme") && ends_in(path, "/address")) {
		n = ssdpm__blank_address(bytes, n, blanked, sizeof(blanked));
		bytes = blanked;
	}
	return ssdpm__capture_write(self->fd, path, bytes, n);
}

static int note_sysfs(struct capture *self, const char *path, const void *bytes,
		      size_t n)
{
	char real[SSDPM__PATH_BYTES];
	int err = follow(self, path, real);

	if (err == -ENOENT || err == -ELOOP || err == -ENOTDIR)
		return 0; /* it vanished, or never led anywhere */
	if (err)
		return err;
	if (bytes)
		return write_sysfs(self, real, bytes, n);
	switch (kind_of(self, real)) {
	case S_IFDIR:
		return ssdpm__capture_make_folder(self->fd, real);
	case S_IFREG: /* it may be one that is not to be read */
		return is_there(self, real) ?
			       0 :
			       ssdpm__capture_write(self->fd, real, "", 0);
	default:
		return 0;
	}
}

static bool is_tuned(const char *path)
{
	return starts_with(path, "etc/tuned/") ||
	       starts_with(path, "usr/lib/tuned/");
}

/* Is it a line that ssdpm_machine_read_owners() goes by? */
static bool is_kept(const struct capture *self, const char *path,
		    uint32_t number, struct span line)
{
	enum { N_LINES_OF_MARK = 3 };

	for (size_t i = 0; i < self->n_owners; i++) {
		const struct ssdpm_owner *owner = &self->owners[i];

		if (strcmp(owner->path + 1, path) == 0 &&
		    (owner->line == number ||
		     (!owner->line && number <= N_LINES_OF_MARK)))
			return true;
	}
	if (!is_tuned(path))
		return false;
	return ends_in(path, "/active_profile") ||
	       (line.at < line.end && *line.at == '[') ||
	       ssdpm__take(&line, "include") || ssdpm__take(&line, "type");
}

/* Lines that say nothing to us become empty: their numbers stay. */
static size_t filter(const struct capture *self, const char *path,
		     struct span text, char *filtered)
{
	struct lines lines = { text, 0 };
	size_t n = 0, n_kept = 0;
	struct span line;

	while (ssdpm__next_line(&lines, &line)) {
		size_t length = (size_t)(line.end - line.at);

		if (is_kept(self, path, lines.line, line)) {
			memcpy(filtered + n, line.at, length);
			filtered[n + length] = 0;
			if (ends_in(path, ".rules"))
				ssdpm__blank_rule(filtered + n);
			n += length;
			n_kept = n + 1;
		}
		filtered[n++] = '\n';
	}
	return n_kept;
}

/* Settings of other programs: what is about power, and no more. */
static int note_settings(struct capture *self, const char *path,
			 const void *bytes, size_t n)
{
	char *filtered = malloc(n + 2);
	int err = 0;

	if (!filtered)
		return -ENOMEM;
	n = filter(self, path, ssdpm__span(bytes, n), filtered);
	if (n)
		err = ssdpm__capture_write(self->fd, path, filtered, n);
	free(filtered);
	return err;
}

/* By name: others in proc/ tell who uses the machine, and for what. */
static bool is_about_linux(const char *path)
{
	return !strcmp(path, "proc/sys/kernel/osrelease") ||
	       !strcmp(path, "proc/sys/kernel/version") ||
	       !strcmp(path, "proc/version_signature");
}

void ssdpm__capture_observe(void *observer, const char *path, const void *bytes,
			    size_t n)
{
	struct capture *self = observer;

	if (self->err || ssdpm__names_a_peripheral(path))
		return;
	if (starts_with(path, "sys/") || is_about_linux(path))
		self->err = note_sysfs(self, path, bytes, n);
	else if (bytes &&
		 (starts_with(path, "etc/") || starts_with(path, "run/") ||
		  starts_with(path, "usr/")))
		self->err = note_settings(self, path, bytes, n);
	if (self->err)
		snprintf(self->failed, sizeof(self->failed), "%s", path);
}
