/* SPDX-License-Identifier: MIT */
/* The file of a search. */
#include "bisect/bisect.h"
#include "options/advised.h"
#include "survey/survey.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static enum exit_status complain_of_path(const char *path, int error)
{
	complain("%s: %s%s", path, strerror(error),
		 error == EACCES || error == EPERM ? ": only root may search" :
						     "");
	return status_of_error(-error);
}

static enum exit_status name_paths(struct search *search)
{
	const char *root = search->live->root ? search->live->root : "";

	if (asprintf(&search->path, "%s/var/lib/ssdpm/bisect", root) < 0)
		search->path = NULL;
	if (asprintf(&search->record, "%s/run/ssdpm/bisect", root) < 0)
		search->record = NULL;
	return search->path && search->record ? STATUS_DONE : out_of_memory();
}

/* The folders above a file that are not there. */
static enum exit_status make_folders(const struct search *search,
				     const char *path)
{
	const size_t root = search->live->root ? strlen(search->live->root) : 0;
	char *part = strdup(path);
	int error = 0;

	if (!part)
		return out_of_memory();
	for (char *at = part + root + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		if (mkdir(part, 0755) && errno != EEXIST)
			error = errno;
		*at = '/';
	}
	free(part);
	return error ? complain_of_path(path, error) : STATUS_DONE;
}

/*
 * One that cannot be read may have more. The space that ssdpm apply reserves is
 * no setting.
 */
bool is_record_empty(const struct search *search)
{
	DIR *folder = opendir(search->record);
	const struct dirent *file;
	bool result = folder || errno == ENOENT;

	while (folder && result && (file = readdir(folder)))
		result = file->d_name[0] == '.' ||
			 !strcmp(file->d_name, "search") ||
			 !strcmp(file->d_name, "reserve") ||
			 !strcmp(file->d_name, "lock");
	if (folder)
		closedir(folder);
	return result;
}

/* Somebody who ended the search has removed the file that is locked. */
static bool is_removed(int fd, const char *path)
{
	struct stat locked, now;

	return fstat(fd, &locked) || stat(path, &now) ||
	       locked.st_ino != now.st_ino || locked.st_dev != now.st_dev;
}

/* A call that does not get the lock has none, and sweeps nothing at the end. */
static enum exit_status take_lock(struct search *search, const char *path)
{
	const int fd =
		open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return complain_of_path(path, errno);
	if (flock(fd, LOCK_EX | LOCK_NB) || is_removed(fd, path)) {
		close(fd);
		return failure("%s: another ssdpm bisect runs", path);
	}
	search->lock_fd = fd;
	return STATUS_DONE;
}

static enum exit_status lock_search(struct search *search)
{
	enum exit_status status = check_capture(search->live);
	char *path = NULL;

	if (!status)
		status = make_folders(search, search->path);
	if (!status)
		status = asprintf(&path, "%s/search", search->record) < 0 ?
				 out_of_memory() :
				 make_folders(search, path);
	if (!status)
		status = take_lock(search, path);
	free(path);
	return status;
}

/* The next of the fields of a line; false: it does not fit. */
static bool take_field(char **line, char *ret, size_t size)
{
	const char *field = strsep(line, "\t");

	if (!field || strlen(field) >= size)
		return false;
	strcpy(ret, field);
	return true;
}

static bool read_drive(struct search *search, char *line)
{
	struct searched_drive *drive = &search->drives[search->n_drives];

	if (search->n_drives == SSDPM_BISECT_SUSPECTS)
		return false;
	search->n_drives++;
	return take_field(&line, drive->name, sizeof(drive->name)) &&
	       take_field(&line, drive->address, sizeof(drive->address)) &&
	       take_field(&line, drive->product, sizeof(drive->product)) &&
	       take_field(&line, drive->firmware, sizeof(drive->firmware)) &&
	       take_field(&line, drive->pci, sizeof(drive->pci)) &&
	       take_field(&line, drive->identity, sizeof(drive->identity)) &&
	       !line;
}

static const char drive_key[] = "drive\t";
/* The first line: a checksum of those of drives. The search has its own. */
static const char head_format[] = "drives %016llx\n";
enum { HEAD_BYTES = 7 + 16 + 1 };

static void print_head(const char *drives, size_t n, char ret[HEAD_BYTES + 1])
{
	snprintf(ret, HEAD_BYTES + 1, head_format,
		 (unsigned long long)checksum_of(drives, n));
}

/* The settings of before are in the record, which this file is not needed for.
 */
static enum exit_status complain_of_file(const struct search *search,
					 const char *what)
{
	/* Then the record alone has to do. */
	if (search->stops)
		return STATUS_FAILED;
	return failure("%s: %s: ssdpm bisect stop restores the settings and "
		       "forgets the search",
		       search->path, what);
}

/* The text after the lines of drives; NULL: these are not as they were. */
static char *take_drives(struct search *search, char *text)
{
	const size_t n_key = sizeof(drive_key) - 1;
	char head[HEAD_BYTES + 1], *at = text, *line;

	if (strlen(text) < HEAD_BYTES)
		return NULL;
	text = at += HEAD_BYTES;
	while (!strncmp(at, drive_key, n_key)) {
		at += strcspn(at, "\n");
		if (!*at++)
			return NULL;
	}
	print_head(text, (size_t)(at - text), head);
	if (memcmp(text - HEAD_BYTES, head, HEAD_BYTES) != 0)
		return NULL;
	while (text != at) {
		line = strsep(&text, "\n");
		if (!read_drive(search, line + n_key))
			return NULL;
	}
	return text;
}

/* Drives first. */
static enum exit_status read_text(struct search *search, char *text)
{
	struct ssdpm_error error;

	text = take_drives(search, text);
	if (!text)
		return complain_of_file(search, "the drives are not as they "
						"were written");
	if (ssdpm_bisect_from_text(text, strlen(text), &search->bisect, &error))
		return complain_of_file(search,
					cell("line %u after the drives: %s",
					     error.line, error.message)
						.text);
	for (size_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++)
		if (!drive_of(search, i) || !setting_of(search, i))
			return complain_of_file(
				search,
				cell("unknown %s '%s'",
				     drive_of(search, i) ? "setting" : "drive",
				     ssdpm_bisect_get_suspect(search->bisect,
							      i))
					.text);
	return STATUS_DONE;
}

/* What a boot may have changed: the number of a port, the release of Linux. */
static void tell_drives(const struct search *search)
{
	for (size_t i = 0; i < search->n_drives; i++) {
		struct ssdpm_device *device =
			read_searched(search, &search->drives[i]);

		if (device)
			ssdpm_bisect_set_drive(search->bisect,
					       ssdpm_device_get_facts(device),
					       &search->live->facts, NULL);
		ssdpm_device_unref(device);
	}
}

static enum exit_status read_search(struct search *search)
{
	struct buffer buffer = { 0 };
	enum exit_status status;
	struct stat about;
	char *text = NULL;
	int err;

	err = stat(search->path, &about) ? errno : 0;
	if (err == ENOENT)
		return STATUS_DONE;
	/* As a crash may leave it. */
	if (!err && !about.st_size)
		return complain_of_file(search, "it is empty");
	err = read_operand(search->path, &buffer);
	status = status_of_file(err);
	if (!err) {
		text = strndup(buffer.data ? buffer.data : "", buffer.size);
		status = text ? read_text(search, text) : out_of_memory();
	}
	if (!status)
		tell_drives(search);
	free(text);
	free(buffer.data);
	return status;
}

/*
 * Only a search that is there, or that starts, has folders and a lock. What was
 * set can be put back without the file.
 */
static bool is_to_lock(const struct search *search, enum search_use use)
{
	return use == SEARCH_START ||
	       (use != SEARCH_LOOK && !access(search->path, F_OK)) ||
	       (use == SEARCH_STOP && !is_record_empty(search));
}

enum exit_status open_search(const struct common *common, enum search_use use,
			     struct search *ret_search)
{
	struct search *search = ret_search;
	enum exit_status status;

	*search = (struct search){ .common = common, .lock_fd = -1 };
	status = open_live(common, common->root, &search->live);
	if (!status)
		status = name_paths(search);
	if (!status && is_to_lock(search, use))
		status = lock_search(search);
	search->stops = use == SEARCH_STOP;
	if (status)
		return status;
	status = read_search(search);
	if (!status || !search->stops)
		return status;
	search->bisect = ssdpm_bisect_free(search->bisect);
	return STATUS_DONE;
}

/*
 * A record of no use would keep others from setting values. Without a search,
 * and with nothing to put back, the locks are litter, too.
 */
static void sweep_search(struct search *search)
{
	const bool is_there = !access(search->path, F_OK);
	DIR *folder = NULL;
	const struct dirent *file;

	if (search->is_over || (!is_there && is_record_empty(search)))
		folder = opendir(search->record);
	while (folder && (file = readdir(folder)))
		if (!is_there || strcmp(file->d_name, "search") != 0)
			unlinkat(dirfd(folder), file->d_name, 0);
	if (folder)
		closedir(folder);
	if (!folder || is_there)
		return;
	rmdir(search->record);
	*strrchr(search->path, '/') = 0;
	rmdir(search->path);
}

enum exit_status check_record(const struct search *search)
{
	char *text;

	if (is_record_empty(search))
		return STATUS_DONE;
	text = advised_text(search->live->root,
			    "a search has ended, and not all of its values are "
			    "restored; try again: ssdpm bisect stop; to leave "
			    "them as they are: ssdpm bisect stop --forget");
	if (!text)
		return out_of_memory();
	complain("%s", text);
	free(text);
	return STATUS_FAILED;
}

enum exit_status no_search(const struct search *search)
{
	const enum exit_status status = check_record(search);

	return status ? status :
			failure("there is no search: ssdpm bisect start begins "
				"one");
}

void close_search(struct search *search)
{
	ssdpm_bisect_free(search->bisect);
	if (search->lock_fd >= 0) {
		sweep_search(search);
		close(search->lock_fd);
	}
	free(search->path);
	free(search->record);
	if (search->live)
		close_live(search->live);
}

static void write_drives(const struct search *search, FILE *file)
{
	for (size_t i = 0; i < search->n_drives; i++) {
		const struct searched_drive *d = &search->drives[i];

		fprintf(file, "%s%s\t%s\t%s\t%s\t%s\t%s\n", drive_key, d->name,
			d->address, d->product, d->firmware, d->pci,
			d->identity);
	}
}

enum exit_status write_search(const struct search *search)
{
	struct ssdpm_error error;
	enum exit_status status;
	char *search_text, *text = NULL, head[HEAD_BYTES + 1] = "";
	size_t size = 0;
	FILE *file;

	if (ssdpm_bisect_to_text(search->bisect, &search_text, &error))
		return failure("%s", error.message);
	file = open_memstream(&text, &size);
	if (file) {
		fprintf(file, head_format, 0ULL);
		write_drives(search, file);
		fflush(file);
		if (text)
			print_head(text + HEAD_BYTES, size - HEAD_BYTES, head);
		fputs(search_text, file);
	}
	if (!file || fclose(file) || !head[0]) {
		status = out_of_memory();
	} else {
		memcpy(text, head, HEAD_BYTES);
		status = replace_file(search->path, text, size);
	}
	free(search_text);
	free(text);
	return status;
}

enum exit_status remove_search(const struct search *search)
{
	if (unlink(search->path) && errno != ENOENT)
		return complain_of_path(search->path, errno);
	return STATUS_DONE;
}

struct cell boot_token(const struct search *search)
{
	struct cell token = cell("-");

	if (ssdpm_machine_read_attribute(search->live->machine,
					 "proc/sys/kernel/random/boot_id",
					 token.text, SSDPM_BISECT_WORD, NULL) ||
	    !token.text[0])
		return cell("-");
	return token;
}
