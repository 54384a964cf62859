/* SPDX-License-Identifier: MIT */
/*
 * Lists of changes in files, for the journal and for what revert needs:
 *
 *	ssdpm-changes 1
 *	boot 3a9c0a5e-...
 *	lpm<TAB>sys/devices/...<TAB>before<TAB>after
 *	end 65d1c8b2b4d1f2aa
 *	begin 0
 *
 * The last line of the list is a checksum of all before it. Only a journal has
 * lines after that, one for each step that has begun; the last of them may be
 * cut off. Settings in sysfs do not outlive a boot, and so neither does a list.
 */
#include "apply/internal.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char first_line[] = "ssdpm-changes 1";

enum {
	BOOT_BYTES = 64,
	MAX_BYTES = 16 << 20,
	END_BYTES = 4 + 16 + 1, /* "end " and the checksum */
};

/* "-": not known, as in a capture. */
static void read_boot(const struct ssdpm_machine *machine,
		      char boot[BOOT_BYTES])
{
	if (ssdpm__read_text(machine, "proc/sys/kernel/random/boot_id", boot,
			     BOOT_BYTES) ||
	    !boot[0])
		strcpy(boot, "-");
}

/* FNV-1a: against damage, not against somebody. */
static uint64_t checksum(const char *text, size_t n)
{
	uint64_t sum = 0xcbf29ce484222325;

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3;
	return sum;
}

static struct change *change_free(struct change *change)
{
	if (!change)
		return NULL;
	free(change->path);
	free(change->before);
	free(change->after);
	free(change);
	return NULL;
}

int ssdpm__changes_add(struct changes *changes, uint32_t kind, const char *path,
		       const char *before, const char *after)
{
	struct change **list, *change;

	list = realloc(changes->list, (changes->n + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	changes->list = list;
	change = calloc(1, sizeof(*change));
	if (!change)
		return -ENOMEM;
	change->kind = kind;
	change->path = strdup(path);
	change->before = strdup(before);
	change->after = strdup(after);
	if (!change->path || !change->before || !change->after) {
		change_free(change);
		return -ENOMEM;
	}
	list[changes->n++] = change;
	return 0;
}

void ssdpm__changes_free(struct changes *changes)
{
	for (size_t i = 0; i < changes->n; i++)
		change_free(changes->list[i]);
	free(changes->list);
	changes->list = NULL;
	changes->n = 0;
}

/* A field ends at a tab, a line at its end: neither is in a name of sysfs. */
static bool is_plain(const char *text)
{
	return !strpbrk(text, "\t\n\r");
}

static size_t put(const struct change *change, char *text, size_t size)
{
	return (size_t)snprintf(text, size, "%s\t%s\t%s\t%s\n",
				ssdpm_step_kind_to_string(change->kind),
				change->path, change->before, change->after);
}

static int format(const char *boot, struct change *const *changes, size_t n,
		  char **ret_text, size_t *ret_size)
{
	size_t size = sizeof(first_line) + 6 + BOOT_BYTES + END_BYTES + 1;
	size_t used;
	char *text;

	for (size_t i = 0; i < n; i++) {
		if (!is_plain(changes[i]->path) ||
		    !is_plain(changes[i]->before) ||
		    !is_plain(changes[i]->after))
			return -EINVAL;
		size += put(changes[i], NULL, 0);
	}
	text = malloc(size);
	if (!text)
		return -ENOMEM;
	used = (size_t)snprintf(text, size, "%s\nboot %s\n", first_line, boot);
	for (size_t i = 0; i < n; i++)
		used += put(changes[i], text + used, size - used);
	used += (size_t)snprintf(text + used, size - used,
				 "end %016" PRIx64 "\n", checksum(text, used));
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

	/* What a kill has left, or somebody has put there, is not written to.
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

int ssdpm__changes_write(const struct site *site, const char *name,
			 struct change *const *changes, size_t n,
			 struct ssdpm_error *reterr)
{
	char boot[BOOT_BYTES], *text;
	size_t size;
	int err;

	read_boot(site->machine, boot);
	err = format(boot, changes, n, &text, &size);
	if (!err) {
		err = write_file(site->directory_fd, name, text, size);
		free(text);
	}
	if (err)
		return ssdpm__fail(reterr, err, 0, "cannot write %s/%s: %s",
				   site->directory, name, ssdpm_strerror(err));
	return 0;
}

static int read_file(int directory_fd, const char *name, char **ret_text,
		     size_t *ret_size)
{
	/* A pipe would wait for somebody who writes. */
	int fd = openat(directory_fd, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	size_t used = 0;
	char *text = NULL;
	ssize_t n = 1;
	int err = 0;

	if (fd < 0)
		return errno == ELOOP ? -EIO : -errno;
	if (fstat(fd, &status))
		err = -errno;
	else if (!S_ISREG(status.st_mode) || status.st_size > MAX_BYTES)
		err = -EIO;
	else if (!(text = malloc((size_t)status.st_size + 1)))
		err = -ENOMEM;
	while (!err && n && used < (size_t)status.st_size) {
		n = read(fd, text + used, (size_t)status.st_size - used);
		if (n >= 0)
			used += (size_t)n;
		else if (errno != EINTR)
			err = -errno;
	}
	close(fd);
	if (err) {
		free(text);
		return err;
	}
	text[used] = '\0';
	*ret_text = text;
	*ret_size = used;
	return 0;
}

static uint32_t parse_kind(const char *text)
{
	for (uint32_t kind = SSDPM_STEP_LATENCY_TOLERANCE;
	     ssdpm_step_kind_to_string(kind); kind++)
		if (!strcmp(ssdpm_step_kind_to_string(kind), text))
			return kind;
	return 0;
}

/* Only what a step may name: a list says what root writes, and where. */
static bool is_target(uint32_t kind, const char *path)
{
	static const char parameters[] =
		"sys/module/nvme_core/parameters/apst_";
	const char *end = strrchr(path, '/');

	if (strstr(path, "/../") || !end || !strcmp(end, "/..") ||
	    strlen(path) >= SSDPM__TARGET_BYTES - sizeof("/power/") - 32)
		return false;
	if (kind == SSDPM_STEP_NVME_CORE)
		return !strncmp(path, parameters, strlen(parameters));
	if (strncmp(path, "sys/devices/", 12))
		return false;
	if (kind == SSDPM_STEP_LPM)
		return !strcmp(end, "/link_power_management_policy");
	if (ssdpm__takes_command(kind))
		return !strncmp(end, "/nvme", 5);
	return !strcmp(end, "/pm_qos_latency_tolerance_us");
}

/* Cuts the line into its fields. */
static int parse_change(char *line, struct changes *changes)
{
	char *fields[4];
	uint32_t kind;

	for (size_t i = 0; i < 4; i++) {
		fields[i] = line;
		line = strchr(line, '\t');
		if (!line != (i == 3))
			return -EIO;
		if (line)
			*line++ = '\0';
	}
	kind = parse_kind(fields[0]);
	if (!kind || !is_target(kind, fields[1]))
		return -EIO;
	return ssdpm__changes_add(changes, kind, fields[1], fields[2],
				  fields[3]);
}

/* The line at *text, with its end cut off; NULL: there is no whole one. */
static char *take_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	*text = end + 1;
	return line;
}

/* A last line that is cut off was no step's: its step waits for the whole. */
static int parse_begun(char *text, struct changes *changes)
{
	struct span line;
	uint64_t index;
	char *at;

	while ((at = take_line(&text))) {
		line = ssdpm__span(at, strlen(at));
		if (!ssdpm__take(&line, "begin ") ||
		    !ssdpm__take_uint(&line, UINT32_MAX, &index) ||
		    line.at != line.end || index >= changes->n)
			return -EIO;
		changes->list[index]->begun = true;
	}
	return 0;
}

/* The lines between the first and the checksum; NULL: it does not fit. */
static char *take_body(char **text)
{
	char *end = strstr(*text, "\nend "), sum[END_BYTES + 1];
	char *body = *text, *line;

	if (!end)
		return NULL;
	*text = end + 1;
	snprintf(sum, sizeof(sum), "end %016" PRIx64,
		 checksum(body, (size_t)(end + 1 - body)));
	line = take_line(text);
	if (!line || strcmp(line, sum))
		return NULL;
	end[1] = '\0';
	line = take_line(&body);
	return line && !strcmp(line, first_line) ? body : NULL;
}

static int parse(char *text, size_t size, const char *boot,
		 struct changes *changes)
{
	static const char prefix[] = "boot ";
	size_t n = strlen(prefix);
	char *rest = text, *body, *line;
	int err = 0;

	if (strlen(text) != size)
		return -EIO;
	body = take_body(&rest);
	line = body ? take_line(&body) : NULL;
	if (!line || strncmp(line, prefix, n))
		return -EIO;
	if (strcmp(line + n, "-") && strcmp(boot, "-") &&
	    strcmp(line + n, boot))
		return -ESTALE;
	while (!err && (line = take_line(&body)))
		err = parse_change(line, changes);
	if (err)
		return err;
	return parse_begun(rest, changes);
}

int ssdpm__changes_read(const struct site *site, const char *name,
			struct changes *ret_changes, struct ssdpm_error *reterr)
{
	struct changes changes = { 0 };
	char boot[BOOT_BYTES], *text = NULL;
	size_t size = 0;
	int err;

	err = read_file(site->directory_fd, name, &text, &size);
	if (!err) {
		read_boot(site->machine, boot);
		err = parse(text, size, boot, &changes);
		free(text);
	}
	if (!err) {
		*ret_changes = changes;
		return 0;
	}
	ssdpm__changes_free(&changes);
	if (err == -EIO)
		return ssdpm__fail(reterr, err, 0,
				   "%s/%s is damaged: look at it, put back "
				   "what it names, and remove it",
				   site->directory, name);
	return ssdpm__fail(reterr, err, 0, "%s/%s: %s", site->directory, name,
			   ssdpm_strerror(err));
}
