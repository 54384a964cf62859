/* SPDX-License-Identifier: MIT */
/*
 * Lists of changes in files, for the journal and for what revert needs:
 *
 * ssdpm-changes 3
 * boot 3a9c0a5e-...
 * device sda
 * lpm<TAB>sys/devices/...<TAB>serial<TAB>before<TAB>after
 * end 65d1c8b2b4d1f2aa
 * begin 0
 * left 0 value
 * back 0
 *
 * Device is in a journal: all its changes are of the transaction of this one. A
 * journal without it is of several devices, or of all.
 *
 * Serial is a checksum of the controller's serial number, so that another drive
 * in its place does not get its values; 0: there is none. The last line of the
 * list is a checksum of all before it. Only a journal has lines after that.
 * Each step that has begun has one, and each that is put back. So has each odd
 * value of a failed write. The last of them may be cut off. Settings in sysfs
 * do not outlive a boot, and so neither does a list.
 */
#include "apply/record/record.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char reserve[] = "reserve";

void ssdpm__read_boot(const struct ssdpm_machine *machine,
		      char boot[SSDPM__BOOT_BYTES])
{
	if (ssdpm__read_text(machine, "proc/sys/kernel/random/boot_id", boot,
			     SSDPM__BOOT_BYTES) ||
	    !boot[0])
		strcpy(boot, "-");
}

static struct change *change_free(struct change *change)
{
	if (!change)
		return NULL;
	free(change->path);
	free(change);
	return NULL;
}

int ssdpm__changes_add(struct changes *changes, const struct change *change)
{
	struct change **list, *copy;

	list = realloc(changes->list, (changes->n + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	changes->list = list;
	copy = calloc(1, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	copy->kind = change->kind;
	copy->serial = change->serial;
	copy->before = change->before;
	copy->after = change->after;
	copy->path = strdup(change->path);
	if (!copy->path) {
		change_free(copy);
		return -ENOMEM;
	}
	list[changes->n++] = copy;
	return 0;
}

struct change *ssdpm__changes_find(const struct changes *changes,
				   const struct change *change)
{
	for (size_t i = 0; i < changes->n; i++)
		if (changes->list[i]->kind == change->kind &&
		    !strcmp(changes->list[i]->path, change->path))
			return changes->list[i];
	return NULL;
}

void ssdpm__changes_cut(struct changes *changes, size_t n)
{
	while (changes->n > n)
		change_free(changes->list[--changes->n]);
}

void ssdpm__changes_free(struct changes *changes)
{
	ssdpm__changes_cut(changes, 0);
	free(changes->list);
	changes->list = NULL;
}

/* A field ends at a tab, a line at its end: neither is in a name of sysfs. */
static bool is_plain(const char *text)
{
	return !strpbrk(text, "\t\n\r");
}

/* Which policies may be found on a port after a kill: "a,b". */
static const char *format_after(const struct change *change,
				char tries[SSDPM__VALUE_BYTES])
{
	size_t used = 0;

	if (change->n_lpms < 2)
		return ssdpm__value_record(change->kind, &change->after, tries);
	for (uint32_t i = 0; i < change->n_lpms; i++)
		used += (size_t)snprintf(
			tries + used, SSDPM__VALUE_BYTES - used, "%s%s",
			i ? "," : "", ssdpm_lpm_to_string(change->lpms[i]));
	return tries;
}

/* At most: to make the lines twice would take as long again. */
static size_t longest(const struct change *change)
{
	return strlen(change->kind->word) + strlen(change->path) +
	       2 * (size_t)SSDPM__VALUE_BYTES + 16 + sizeof("\t\t\t\t\n");
}

static size_t put(const struct change *change, char *text, size_t size)
{
	char before[SSDPM__VALUE_BYTES], after[SSDPM__VALUE_BYTES];

	return (size_t)snprintf(
		text, size, "%s\t%s\t%" PRIx64 "\t%s\t%s\n", change->kind->word,
		change->path, change->serial,
		ssdpm__value_record(change->kind, &change->before, before),
		format_after(change, after));
}

bool ssdpm__is_device_name(const char *name)
{
	static const char characters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	const size_t n = strlen(name);

	return n && n < sizeof(((struct changes *)0)->device) &&
	       strspn(name, characters) == n;
}

static int format(const char *boot, const char *device,
		  struct change *const *changes, size_t n, char **ret_text,
		  size_t *ret_size)
{
	size_t size = sizeof(SSDPM__RECORD_HEAD) + 6 + SSDPM__BOOT_BYTES +
		      sizeof(SSDPM__RECORD_DEVICE) + strlen(device) +
		      SSDPM__END_BYTES + 1;
	size_t used;
	char *text;

	for (size_t i = 0; i < n; i++) {
		/* A reader refuses what cannot be put back, for ever. */
		if (!changes[i]->before.is_known ||
		    !is_plain(changes[i]->path) ||
		    !is_plain(changes[i]->before.text) ||
		    !is_plain(changes[i]->after.text))
			return -EINVAL;
		size += longest(changes[i]);
	}
	text = malloc(size);
	if (!text)
		return -ENOMEM;
	used = (size_t)snprintf(text, size, "%s\nboot %s\n", SSDPM__RECORD_HEAD,
				boot);
	if (ssdpm__is_device_name(device))
		used += (size_t)snprintf(text + used, size - used,
					 SSDPM__RECORD_DEVICE "%s\n", device);
	for (size_t i = 0; i < n; i++)
		used += put(changes[i], text + used, size - used);
	used += (size_t)snprintf(text + used, size - used,
				 "end %016" PRIx64 "\n",
				 ssdpm__checksum(text, used));
	*ret_text = text;
	*ret_size = used;
	return 0;
}

int ssdpm__write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t n = write(fd, text, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EIO;
		text += n;
		size -= (size_t)n;
	}
	return 0;
}

static int write_file(int directory_fd, const char *name, const char *text,
		      size_t size)
{
	int fd, err;

	/*
	 * Files that a kill or somebody else has left there are not written to.
	 */
	if (unlinkat(directory_fd, name, 0) && errno != ENOENT)
		return -errno;
	fd = openat(directory_fd, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	err = ssdpm__write_all(fd, text, size);
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

static int reserve_bytes(const struct site *site, off_t n)
{
	const int directory = site->directory_fd;
	struct stat status;
	int err, fd;

	if (!fstatat(directory, reserve, &status, AT_SYMLINK_NOFOLLOW)) {
		if (S_ISREG(status.st_mode) && status.st_size >= n)
			return 0;
		unlinkat(directory, reserve, 0);
	}
	fd = openat(directory, reserve,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	err = -posix_fallocate(fd, 0, n);
	close(fd);
	if (err)
		unlinkat(directory, reserve, 0);
	return err;
}

int ssdpm__reserve(const struct site *site, const char *name,
		   struct ssdpm_error *reterr)
{
	struct stat status;
	int err = 0;

	if (fstatat(site->directory_fd, name, &status, AT_SYMLINK_NOFOLLOW))
		err = -errno;
	/* Twice, with what a journal has more, each in whole pages. */
	if (!err)
		err = reserve_bytes(site, 4 * status.st_size + 2 * 4096);
	return err ? ssdpm__fail_state(site, reserve, err, reterr) : 0;
}

bool ssdpm__make_room(const struct site *site, int err)
{
	return (err == -ENOSPC || err == -EDQUOT) && site->goes_back &&
	       !unlinkat(site->directory_fd, reserve, 0);
}

int ssdpm__changes_write(const struct site *site, const char *name,
			 const char *device, struct change *const *changes,
			 size_t n, struct ssdpm_error *reterr)
{
	char boot[SSDPM__BOOT_BYTES], *text;
	size_t size;
	int err;

	ssdpm__read_boot(site->machine, boot);
	err = format(boot, device, changes, n, &text, &size);
	if (!err) {
		do
			err = write_file(site->directory_fd, name, text, size);
		while (ssdpm__make_room(site, err));
		free(text);
	}
	return err ? ssdpm__fail_state(site, name, err, reterr) : 0;
}
