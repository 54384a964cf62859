/* SPDX-License-Identifier: MIT */
/* fio, on its own file: throughput, and latency with its deviation. */
#include "survey/survey.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_NAME "ssdpm-survey.fio"
#define MIN_BYTES (UINT64_C(1) << 20)

const char *const fio_scenarios[N_FIO_JOBS] = {
	"fio:seqread",
	"fio:randread",
	"fio:seqwrite",
	"fio:randwrite",
};

static const struct {
	const char *rw, *bs;
	size_t first; /* of its columns; from 1 on, as in fio(1) */
} jobs[N_FIO_JOBS] = {
	{ "--rw=read", "--bs=128k", 6 },
	{ "--rw=randread", "--bs=4k", 6 },
	{ "--rw=write", "--bs=128k", 47 },
	{ "--rw=randwrite", "--bs=4k", 47 },
};

/* Columns of fio(1), TERSE OUTPUT, version 3; from jobs[].first on. */
#define COLUMN_ERROR 5
#define COLUMN_KIB_PER_S 1
#define COLUMN_LATENCY 34
#define COLUMN_LATENCY_SD 35

/* All that it prints, until it closes its standard output. */
static bool read_output(int fd, char *text, size_t size)
{
	size_t n = 0;

	while (wait_for_input(fd)) {
		ssize_t got = read(fd, text + n, size - 1 - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			text[n] = 0;
			return got == 0;
		}
		n += (size_t)got;
		if (n == size - 1)
			return false;
	}
	return false;
}

enum exit_status call_program(const struct survey_state *state,
			      const char *const *argv, char *text, size_t size)
{
	enum exit_status status;
	bool is_read;
	int fds[2], code;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return failure("pipe: %s", strerror(errno));
	status = start_program(argv, fds[1], &pid);
	close(fds[1]);
	if (!status) {
		tell_guard(state, pid);
		is_read = read_output(fds[0], text, size);
		if (!is_read || waitpid(pid, &code, 0) != pid)
			code = end_program(pid);
		tell_guard(state, 0);
		if (!is_read || code)
			status = STATUS_FAILED;
		if (status && !caught_signal())
			complain("%s failed: %.200s", argv[0],
				 is_read ? text : "");
	}
	close(fds[0]);
	return status;
}

static const char *column(const char *line, size_t number)
{
	while (line && --number) {
		line = strchr(line, ';');
		line = line ? line + 1 : NULL;
	}
	return line;
}

/* The line may follow others, which are warnings. */
static const char *terse_line(const char *text)
{
	while (text && strncmp(text, "3;", 2)) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text;
}

static enum exit_status take_output(const char *text, size_t job,
				    struct survey_row *row)
{
	const char *line = terse_line(text);
	const size_t first = jobs[job].first;
	const char *error = column(line, COLUMN_ERROR);
	const char *kib = column(line, first + COLUMN_KIB_PER_S);
	const char *latency = column(line, first + COLUMN_LATENCY);
	const char *sd = column(line, first + COLUMN_LATENCY_SD);

	if (!error || strncmp(error, "0;", 2) || !kib || !latency || !sd)
		return failure("fio says nothing that can be read: %.200s",
			       text);
	row->bytes_per_s = strtod(kib, NULL) * 1024;
	row->latency_us = strtod(latency, NULL);
	row->latency_sd_us = strtod(sd, NULL);
	return STATUS_DONE;
}

/* fio on the file, with options that end with NULL. */
static enum exit_status call_fio(const struct survey_state *state,
				 const struct survey_fio *fio,
				 const char *const *options, char *text,
				 size_t size)
{
	char filename[PATH_MAX + 32], bytes[64];
	const char *argv[16] = {
		"fio",	  "--minimal", "--terse-version=3", "--name=ssdpm",
		filename, bytes,       "--direct=1",	    "--ioengine=psync",
	};

	snprintf(filename, sizeof(filename), "--filename=%s", fio->path);
	snprintf(bytes, sizeof(bytes), "--size=%llu",
		 (unsigned long long)fio->bytes);
	for (size_t n = 8; *options; n++)
		argv[n] = *options++;
	return call_program(state, argv, text, size);
}

enum exit_status run_fio(const struct survey_state *state,
			 const struct survey_fio *fio, size_t job,
			 uint64_t time_ns, struct survey_row *row)
{
	char runtime[64], text[16384];
	const char *const options[] = { jobs[job].rw, jobs[job].bs,
					"--time_based", runtime, NULL };

	snprintf(runtime, sizeof(runtime), "--runtime=%llums",
		 (unsigned long long)time_ns / 1000000 + !(time_ns / 1000000));
	if (call_fio(state, fio, options, text, sizeof(text)))
		return STATUS_FAILED;
	return take_output(text, job, row);
}

static enum exit_status refuse(const char *directory, const char *fault)
{
	return failure("--fio %s: %s", directory, fault);
}

static enum exit_status check_room(const char *directory, uint64_t bytes)
{
	struct statvfs space;
	struct stat status;

	if (stat(directory, &status) || statvfs(directory, &space))
		return refuse(directory, strerror(errno));
	if (!S_ISDIR(status.st_mode))
		return refuse(directory, "it is no directory");
	/* Its options separate files by colons. */
	if (strchr(directory, ':'))
		return refuse(directory, "fio takes no colon in a name");
	if (bytes < MIN_BYTES)
		return refuse(directory, "--fio-size: at least 1MiB");
	/* A full disk is slow, and in the way of others. */
	if (bytes / 10 * 11 / space.f_frsize >= space.f_bavail)
		return refuse(directory, "there is no room for --fio-size and "
					 "a tenth more");
	return STATUS_DONE;
}

/* Written once as a whole, so that all of it can be read. */
static enum exit_status fill_file(const struct survey_state *state,
				  const struct survey_fio *fio)
{
	static const char *const options[] = { "--rw=write", "--bs=1M",
					       "--end_fsync=1", NULL };
	char text[16384];

	return call_fio(state, fio, options, text, sizeof(text));
}

/* One that a killed survey left is replaced; no other kind of file is. */
static enum exit_status make_file(const char *path)
{
	struct stat status;
	int fd;

	if (!lstat(path, &status) && S_ISREG(status.st_mode))
		unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return cannot("write", path, errno);
	close(fd);
	return STATUS_DONE;
}

enum exit_status prepare_fio(const struct common *common,
			     const struct survey_state *state,
			     const char *directory, uint64_t bytes,
			     struct survey_fio *ret_fio)
{
	struct survey_fio fio = { .bytes = bytes };
	enum exit_status status = check_room(directory, bytes);

	if (!status && asprintf(&fio.path, "%s/" FILE_NAME, directory) < 0)
		return out_of_memory();
	if (!status && strlen(fio.path) >= PATH_MAX)
		status = refuse(directory, "its name is too long");
	if (!status)
		status = make_file(fio.path);
	if (status) {
		free(fio.path);
		return status;
	}
	if (common->verbose)
		remark("fio writes %s", fio.path);
	status = fill_file(state, &fio);
	if (status)
		close_fio(&fio);
	else
		*ret_fio = fio;
	return status;
}

void close_fio(struct survey_fio *fio)
{
	if (!fio->path)
		return;
	unlink(fio->path);
	free(fio->path);
	fio->path = NULL;
}
