/* SPDX-License-Identifier: MIT */
#include "survey/survey.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 4096

/* The block device of a file, or one below it, is the drive's own. */
static bool is_on(const struct drives *drives, const struct stat *status)
{
	char link[64], path[PATH_MAX];

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u",
		 major(status->st_dev), minor(status->st_dev));
	if (!realpath(link, path))
		return false;
	for (size_t i = 0; i < drives->n; i++) {
		const struct ssdpm_device_facts *facts =
			ssdpm_device_get_facts(drives->drives[i].device);
		const size_t n = strlen(facts->path);

		if (n && !strncmp(path, facts->path, n) && path[n] == '/')
			return true;
	}
	return false;
}

static enum exit_status check_file(const char *name, const struct stat *status)
{
	const char *fault = NULL;

	if (!S_ISREG(status->st_mode))
		fault = "it is no regular file";
	else if (status->st_size < BLOCK)
		fault = "it is shorter than 4 KiB";
	else if (status->st_blocks * 512 < status->st_size / BLOCK * BLOCK)
		fault = "it has holes, which are not read from a drive";
	if (!fault)
		return STATUS_DONE;
	return failure(
		"--file %s: %s; dd if=/dev/urandom bs=1M count=64 of=FILE "
		"makes one",
		name, fault);
}

enum exit_status open_survey_io(const struct common *common, const char *name,
				const struct drives *drives, uint64_t seed,
				struct survey_io *ret_io)
{
	struct survey_io io = { .name = name, .random = seed | 1 };
	enum exit_status result = STATUS_FAILED;
	struct stat status;

	/* Opening a pipe must not wait for its other end. */
	io.fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (io.fd < 0 || fstat(io.fd, &status)) {
		complain("--file %s: %s", name, strerror(errno));
	} else if (check_file(name, &status)) {
		result = STATUS_FAILED;
	} else if (fcntl(io.fd, F_SETFL, O_DIRECT) ||
		   posix_memalign(&io.buffer, BLOCK, BLOCK)) {
		complain("--file %s: its file system has no direct reads, past "
			 "the cache: name a file on the drive",
			 name);
	} else {
		io.n_blocks = (uint64_t)status.st_size / BLOCK;
		result = STATUS_DONE;
	}
	if (result) {
		close_survey_io(&io);
		return result;
	}
	if (!common->root && !common->quiet && !is_on(drives, &status))
		remark("--file %s: it cannot be seen to be on a drive of the "
		       "survey",
		       name);
	*ret_io = io;
	return STATUS_DONE;
}

/* Another block each time, so that the drive's own memory does not have it. */
enum exit_status read_survey_io(struct survey_io *io, double *ret_latency_us)
{
	struct timespec begin, end;
	uint64_t block;
	ssize_t n;

	io->random = io->random * UINT64_C(6364136223846793005) + 1;
	block = (io->random >> 16) % io->n_blocks;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		n = pread(io->fd, io->buffer, BLOCK, (off_t)(block * BLOCK));
	while (n < 0 && errno == EINTR);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (n != BLOCK)
		return failure("--file %s: %s", io->name,
			       n < 0 ? strerror(errno) :
				       "it has become shorter");
	*ret_latency_us = (double)(end.tv_sec - begin.tv_sec) * 1e6 +
			  (double)(end.tv_nsec - begin.tv_nsec) / 1e3;
	return STATUS_DONE;
}

void close_survey_io(struct survey_io *io)
{
	if (io->fd >= 0)
		close(io->fd);
	free(io->buffer);
	*io = (struct survey_io){ .fd = -1 };
}

/* Its standard output would be among our data. */
static int set_files(posix_spawn_file_actions_t *files, int fd)
{
	int err = posix_spawn_file_actions_init(files);

	if (!err)
		err = posix_spawn_file_actions_addopen(
			files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!err && fd >= 0)
		err = posix_spawn_file_actions_adddup2(files, fd,
						       STDOUT_FILENO);
	else if (!err)
		err = posix_spawn_file_actions_addopen(
			files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	return err;
}

enum exit_status start_program(const char *const *argv, int fd, pid_t *ret_pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int err;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	err = set_files(&files, fd);
	if (!err)
		err = posix_spawnattr_init(&attributes);
	if (!err) {
		posix_spawnattr_setflags(&attributes,
					 POSIX_SPAWN_SETPGROUP |
						 POSIX_SPAWN_SETSIGDEF);
		posix_spawnattr_setsigdefault(&attributes, &defaults);
		err = posix_spawnp(ret_pid, argv[0], &files, &attributes,
				   (char *const *)argv, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&files);
	if (!err)
		return STATUS_DONE;
	return failure("%s: %s", argv[0], strerror(err));
}

int end_program(pid_t pid)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	int status = 0;

	kill(-pid, SIGTERM);
	for (int i = 0; i < 100; i++) {
		if (waitpid(pid, &status, WNOHANG))
			break;
		nanosleep(&pause, NULL);
	}
	/* What it began may be left of its group. */
	kill(-pid, SIGKILL);
	waitpid(pid, &status, 0);
	return status;
}

enum exit_status start_workload(const struct survey_state *state,
				struct workload *workload)
{
	const char *const argv[] = { "/bin/sh", "-c", workload->line, NULL };
	enum exit_status status = start_program(argv, -1, &workload->pid);

	if (status)
		workload->pid = 0;
	tell_guard(state, workload->pid);
	return status;
}

enum exit_status check_workload(const struct survey_state *state,
				struct workload *workload)
{
	int status;

	if (!workload->pid ||
	    waitpid(workload->pid, &status, WNOHANG) != workload->pid)
		return STATUS_DONE;
	kill(-workload->pid, SIGKILL);
	workload->pid = 0;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return start_workload(state, workload);
	return failure("the workload failed (%s %d): %s",
		       WIFEXITED(status) ? "status" : "signal",
		       WIFEXITED(status) ? WEXITSTATUS(status) :
					   WTERMSIG(status),
		       workload->line);
}

void end_workload(const struct survey_state *state, struct workload *workload)
{
	if (!workload->pid)
		return;
	end_program(workload->pid);
	workload->pid = 0;
	tell_guard(state, 0);
}
