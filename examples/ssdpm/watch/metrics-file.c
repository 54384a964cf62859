/* SPDX-License-Identifier: MIT */
/*
 * The file of --prometheus, for the textfile collector of node_exporter. It is
 * replaced as a whole, so that a reader sees the old one or the new one. There
 * is no fsync(): it would wake the drive that is watched, and on a tmpfs
 * nothing outlasts a power cut anyway. The checksum finds a file that one left
 * in part.
 */
#include "survey/survey.h"
#include "input/live.h"
#include "watch/metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRITE_NS (15 * SECOND_NS)
#define MAX_BYTES (16 << 20)

struct metrics_file {
	const struct watch *watch;
	const char *path;
	char *new_path; /* node_exporter reads only what ends in .prom */
	int fd;		/* of the file that is there, locked; -1: none is */
	int64_t next_ns;
	struct count *count;
	struct told told;
	struct told_drive *drives[MAX_WATCHED]; /* those that are watched */
};

/* Link, pipe, something huge: none of them was made here. */
static enum exit_status open_old(struct metrics_file *file, struct stat *stat)
{
	file->fd = open(file->path,
			O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (file->fd < 0 && errno == ENOENT)
		return STATUS_DONE;
	if (file->fd < 0 && errno == ELOOP)
		return failure("%s: a link; --prometheus takes the file itself",
			       file->path);
	if (file->fd < 0 || fstat(file->fd, stat))
		return cannot("read", file->path, errno);
	if (!S_ISREG(stat->st_mode) || stat->st_size > MAX_BYTES)
		return failure("%s: not a file that ssdpm watch wrote",
			       file->path);
	if (flock(file->fd, LOCK_EX | LOCK_NB))
		return failure("%s: %s", file->path,
			       errno == EWOULDBLOCK ?
				       "another ssdpm watch writes it" :
				       strerror(errno));
	return STATUS_DONE;
}

static enum exit_status take_old(struct metrics_file *file, char *text,
				 size_t size)
{
	switch (read_metrics(text, size, &file->told)) {
	case METRICS_FOREIGN:
		return failure("%s: not a file that ssdpm watch wrote",
			       file->path);
	case METRICS_NEWER:
		return failure("%s: another version of ssdpm wrote it",
			       file->path);
	case METRICS_DAMAGED:
		complain("%s: %s: all counters begin at 0", file->path,
			 size ? "damaged" : "empty");
		return STATUS_DONE;
	default:
		return STATUS_DONE;
	}
}

static enum exit_status read_old(struct metrics_file *file)
{
	enum exit_status status;
	struct stat stat;
	size_t size = 0;
	ssize_t n = 1;

	status = open_old(file, &stat);
	if (status || file->fd < 0)
		return status;
	char *text = malloc((size_t)stat.st_size + 1);
	if (!text)
		return out_of_memory();
	while (n > 0 && size < (size_t)stat.st_size) {
		n = read(file->fd, text + size, (size_t)stat.st_size - size);
		size += n > 0 ? (size_t)n : 0;
	}
	status = n < 0 ? cannot("read", file->path, errno) :
			 take_old(file, text, size);
	free(text);
	return status;
}

/* A drive of this name that was another one has its own counters. */
static enum exit_status take_drive(struct metrics_file *file, size_t i)
{
	const struct drive *drive = file->watch->watched[i].drive;
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	struct told_drive *told = told_drive(&file->told, facts->name);
	struct told_drive fresh = new_told_drive(facts->name);

	if (!told)
		return failure("%s: it has %d drives", file->path,
			       MAX_TOLD_DRIVES);
	snprintf(fresh.model, sizeof(fresh.model), "%s", facts->product);
	ssdpm_text_blunt(fresh.model);
	if (told->model[0] && strcmp(told->model, fresh.model) != 0) {
		complain("%s: %s was %s and is %s now: its counters begin at 0",
			 file->path, facts->name, told->model, fresh.model);
		*told = fresh;
	}
	memcpy(told->model, fresh.model, sizeof(told->model));
	snprintf(told->firmware, sizeof(told->firmware), "%s", facts->firmware);
	ssdpm_text_blunt(told->firmware);
	file->drives[i] = told;
	return STATUS_DONE;
}

static enum exit_status find_verdict(struct metrics_file *file, size_t i)
{
	const struct watch *watch = file->watch;
	struct insight insight;
	enum exit_status status =
		look_into(watch->common, watch->watched[i].drive, &insight);

	if (!status && insight.n_diagnoses)
		file->drives[i]->verdict = ssdpm_diagnosis_code_to_string(
			insight.diagnoses[0].code);
	free_insight(&insight);
	return status;
}

enum exit_status metrics_file_new(const struct watch *watch,
				  struct metrics_file **ret_file)
{
	struct metrics_file *file = calloc(1, sizeof(*file));
	enum exit_status status;

	if (!file)
		return out_of_memory();
	file->watch = watch;
	file->path = watch->options->prometheus;
	file->fd = -1;
	*ret_file = file;
	if (asprintf(&file->new_path, "%s.new", file->path) < 0) {
		file->new_path = NULL;
		return out_of_memory();
	}
	status = read_old(file);
	for (size_t i = 0; i < watch->n && !status; i++)
		status = take_drive(file, i);
	for (size_t i = 0; i < watch->n && !status; i++)
		status = find_verdict(file, i);
	if (status)
		return status;
	file->count = count_new(watch, file->drives, &file->told);
	return file->count ? STATUS_DONE : out_of_memory();
}

void metrics_file_free(struct metrics_file *file)
{
	if (!file)
		return;
	count_free(file->count);
	if (file->fd >= 0)
		close(file->fd);
	free(file->new_path);
	free(file);
}

/* Nobody has put another file in its place. */
static bool is_ours(const struct metrics_file *file)
{
	struct stat there, ours;

	if (stat(file->path, &there))
		return errno == ENOENT;
	return file->fd >= 0 && !fstat(file->fd, &ours) &&
	       there.st_dev == ours.st_dev && there.st_ino == ours.st_ino;
}

static int write_new(const struct metrics_file *file, const char *text,
		     size_t size)
{
	int fd;

	/* What a killed one left. */
	unlink(file->new_path);
	fd = open(file->new_path,
		  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return -1;
	errno = 0;
	while (size) {
		ssize_t n = write(fd, text, size);

		if (n < 0)
			break;
		text += n;
		size -= (size_t)n;
	}
	if (size || flock(fd, LOCK_EX | LOCK_NB)) {
		const int err = errno;

		unlink(file->new_path);
		close(fd);
		errno = err;
		return -1;
	}
	return fd;
}

static enum exit_status replace(struct metrics_file *file, const char *text,
				size_t size)
{
	int fd;

	if (!is_ours(file))
		return failure("%s: another program replaced it", file->path);
	fd = write_new(file, text, size);
	if (fd < 0 || rename(file->new_path, file->path)) {
		const int err = errno;

		if (fd >= 0) {
			unlink(file->new_path);
			close(fd);
		}
		return cannot("write", file->new_path, err);
	}
	if (file->fd < 0)
		remark_place(file->watch, fd, file->path);
	else
		close(file->fd);
	file->fd = fd;
	return STATUS_DONE;
}

static enum exit_status keep_likely(const struct metrics_file *file, size_t i)
{
	struct told_drive *told = file->drives[i];
	struct ssdpm_prediction power;
	enum exit_status status = find_likely(file->watch, i, &power);

	told->is_likely = power.size;
	told->likely_uw[LIKELY_LOW] = power.likely_low_uw;
	told->likely_uw[LIKELY_MEDIAN] = power.likely_median_uw;
	told->likely_uw[LIKELY_HIGH] = power.likely_high_uw;
	return status;
}

static enum exit_status tell(struct metrics_file *file, int64_t now_ns,
			     bool is_end)
{
	enum exit_status status = count_on(file->count, now_ns, is_end);
	char *text;
	size_t size;

	if (status)
		return status;
	for (size_t i = 0; i < file->watch->n && !status; i++) {
		file->drives[i]->is_watched =
			!(ssdpm_watch_get_flags(file->watch->live, i) &
			  SSDPM_WATCH_GONE);
		status = keep_likely(file, i);
	}
	if (status)
		return status;
	text = write_metrics(&file->told, &size);
	if (!text)
		return out_of_memory();
	status = replace(file, text, size);
	free(text);
	file->next_ns = now_ns + WRITE_NS;
	return status;
}

enum exit_status metrics_file_step(struct metrics_file *file, int64_t now_ns)
{
	if (!file || now_ns < file->next_ns)
		return STATUS_DONE;
	return tell(file, now_ns, false);
}

enum exit_status metrics_file_finish(struct metrics_file *file, int64_t now_ns)
{
	return file ? tell(file, now_ns, true) : STATUS_DONE;
}
