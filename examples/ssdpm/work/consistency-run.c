/* SPDX-License-Identifier: MIT */
/* ssdpm consistency --run: fio writes to a drive, and its log is analysed. */
#include "work/consistency.h"

#include "text/progress.h"
#include "survey/survey.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A line of the log, and room for the job and the report. */
#define LINE_BYTES 48
#define OTHER_BYTES 65536

/* The interval of checks whether fio has ended. */
#define WAIT_NS (SECOND_NS / 5)

/* The files of fio, and the copy of its log. */
struct run {
	char directory[PATH_MAX];
	char job[PATH_MAX + 16];
	char prefix[PATH_MAX + 16];
	char log[PATH_MAX + 32];
	char report[PATH_MAX + 16];
	char *save;
	int save_fd;
};

static enum exit_status complain_of(const char *name)
{
	return failure("%s: %s", name, strerror(errno));
}

/* Check for room now, not half an hour later. */
static enum exit_status check_room(const struct consistency_options *options,
				   const char *name, int fd)
{
	const uint64_t size = options->duration_s * LINE_BYTES + OTHER_BYTES;
	int err = posix_fallocate(fd, 0, (off_t)size);

	if (ftruncate(fd, 0) && !err)
		err = errno;
	if (!err)
		return STATUS_DONE;
	return failure("%s: %s: %s are needed for the log; nothing was written",
		       name, strerror(err), bytes_text(size).text);
}

/* Opens the result's file first, to keep half an hour's result in any case. */
static enum exit_status open_save(const struct consistency_options *options,
				  const struct disk *disk, struct run *run)
{
	const char *name = strrchr(disk->sysfs, '/') + 1;

	if (options->save)
		run->save = strdup(options->save);
	else if (asprintf(&run->save, "%s_iops.log", name) < 0)
		run->save = NULL;
	if (!run->save)
		return out_of_memory();
	run->save_fd =
		open(run->save, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (run->save_fd >= 0)
		return check_room(options, run->save, run->save_fd);
	if (errno != EEXIST)
		return complain_of(run->save);
	return failure("%s is there already: name a new file with --save",
		       run->save);
}

/*
 * Random writes may hit any block at any time (norandommap). A map of written
 * blocks would make garbage collection too easy.
 */
static void write_phases(FILE *file, const char *size, uint64_t duration_s,
			 const char *prefix)
{
	fprintf(file,
		"[fill]\nstonewall\nrw=write\nbs=128k\nsize=%s\n\n"
		"[random]\nstonewall\nrw=randwrite\nbs=4k\nsize=%s\n"
		"norandommap=1\nrandom_generator=tausworthe64\n"
		"time_based\nruntime=%llus\n"
		"write_iops_log=%s\nlog_avg_msec=1000\nper_job_logs=0\n",
		size, size, (unsigned long long)duration_s, prefix);
}

void write_fio_job(FILE *file, const struct consistency_options *options,
		   bool trim, const char *prefix)
{
	char size[32];

	/* fio takes whole percents only. */
	snprintf(size, sizeof(size), "%u%%",
		 (unsigned int)(options->share_ppm / 10000));
	fputs("[global]\nioengine=libaio\ndirect=1\niodepth=32\n"
	      "refill_buffers=1\nexitall_on_error=1\n\n",
	      file);
	if (trim)
		fputs("[precondition]\nstonewall\nrw=trim\nbs=16m\niodepth=1\n"
		      "size=100%\n\n",
		      file);
	write_phases(file, size, options->duration_s, prefix);
}

static enum exit_status make_job(const struct consistency_options *options,
				 const struct disk *disk, struct run *run)
{
	const char *tmp = getenv("TMPDIR");
	int n = snprintf(run->directory, sizeof(run->directory),
			 "%s/ssdpm-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	FILE *file;

	if (n < 0 || (size_t)n >= sizeof(run->directory) ||
	    !mkdtemp(run->directory)) {
		run->directory[0] = 0;
		return complain_of("a directory for fio");
	}
	snprintf(run->job, sizeof(run->job), "%s/job", run->directory);
	snprintf(run->prefix, sizeof(run->prefix), "%s/ssdpm", run->directory);
	snprintf(run->log, sizeof(run->log), "%s_iops.log", run->prefix);
	snprintf(run->report, sizeof(run->report), "--output=%s/report",
		 run->directory);
	file = fopen(run->job, "we");
	if (!file)
		return complain_of(run->job);
	if (check_room(options, run->directory, fileno(file))) {
		fclose(file);
		return STATUS_FAILED;
	}
	write_fio_job(file, options, disk->trims && !options->no_trim,
		      run->prefix);
	return fclose(file) ? complain_of(run->job) : STATUS_DONE;
}

/* Waits for its end, or for a signal, which it does not report. */
static enum exit_status wait_for_fio(const struct common *common,
				     const struct disk *disk, pid_t pid)
{
	const int64_t begin_ns = survey_now_ns();
	struct progress progress;
	int code = 0;

	progress_begin(&progress, common, disk->path, -1);
	while (!caught_signal() && waitpid(pid, &code, WNOHANG) != pid) {
		int64_t now_ns = survey_now_ns();
		char text[64];

		snprintf(text, sizeof(text), "fio has run for %s",
			 time_text((uint64_t)(now_ns - begin_ns)).text);
		progress_show(&progress, text);
		wait_until(now_ns + WAIT_NS);
	}
	progress_clear();
	if (caught_signal()) {
		end_program(pid);
		return STATUS_FAILED;
	}
	if (!code)
		return STATUS_DONE;
	return failure("fio failed (%s %d)",
		       WIFEXITED(code) ? "status" : "signal",
		       WIFEXITED(code) ? WEXITSTATUS(code) : WTERMSIG(code));
}

/*
 * Passes our own descriptor, because a name may have colons, or change its
 * target.
 */
static enum exit_status call_fio(const struct common *common,
				 const struct disk *disk, const struct run *run)
{
	char filename[64];
	const char *const argv[] = { "fio",    "--eta=never", run->report,
				     filename, run->job,      NULL };
	enum exit_status status;
	pid_t pid;

	snprintf(filename, sizeof(filename), "--filename=/proc/%ld/fd/%d",
		 (long)getpid(), disk->fd);
	status = start_program(argv, -1, &pid);
	return status ? status : wait_for_fio(common, disk, pid);
}

/* Returns -1 after a complaint. */
static int copy_log(struct run *run)
{
	int from = open(run->log, O_RDONLY | O_CLOEXEC);
	char buffer[65536];
	ssize_t n = -1;

	if (from >= 0) {
		while ((n = read(from, buffer, sizeof(buffer))) > 0)
			if (write(run->save_fd, buffer, (size_t)n) != n) {
				n = -1;
				break;
			}
		close(from);
	}
	if (!n && !lseek(run->save_fd, 0, SEEK_CUR)) {
		complain("fio ended before the first second of random writes");
		return -1;
	}
	if (!n && !fsync(run->save_fd) && !lseek(run->save_fd, 0, SEEK_SET))
		return 0;
	complain_of(from < 0 ? "the log of fio" : run->save);
	complain("fio's log is left at %s", run->log);
	run->directory[0] = 0;
	return -1;
}

static void clean_up(struct run *run)
{
	if (run->save_fd >= 0) {
		if (!lseek(run->save_fd, 0, SEEK_END))
			unlink(run->save);
		close(run->save_fd);
	}
	free(run->save);
	if (!run->directory[0])
		return;
	unlink(run->job);
	unlink(run->log);
	unlink(run->report + strlen("--output="));
	rmdir(run->directory);
}

static enum exit_status write_and_read(
	const struct common *common, const struct consistency_options *options,
	const struct disk *disk, struct run *run, struct iops_list *list)
{
	enum exit_status status;
	int fd;

	if (!common->quiet)
		remark("fio fills %u %% of it, then writes 4 KiB anywhere "
		       "for %s",
		       (unsigned int)(options->share_ppm / 10000),
		       time_text(options->duration_s * 1000000000).text);
	status = call_fio(common, disk, run);
	if (access(run->log, F_OK)) {
		if (!status)
			complain("fio wrote no log");
		return STATUS_FAILED;
	}
	/* After a signal, too, because fio has written its log. */
	if (copy_log(run))
		return STATUS_FAILED;
	if (status) {
		complain("%s has the log up to then", run->save);
		return status;
	}
	fd = fcntl(run->save_fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return complain_of(run->save);
	return read_iops_log(options, run->save, fd, list);
}

static enum exit_status run_fio_on(const struct common *common,
				   const struct consistency_options *options,
				   const struct disk *disk,
				   struct iops_list *list)
{
	struct run run = { .save_fd = -1 };
	enum exit_status status = open_save(options, disk, &run);

	if (!status)
		status = make_job(options, disk, &run);
	if (!status)
		status = catch_signals();
	/* It may have been claimed since the first check. */
	if (!status)
		status = check_unused(disk);
	if (!status)
		status = write_and_read(common, options, disk, &run, list);
	clean_up(&run);
	die_of_signal();
	return status;
}

enum exit_status run_on_drive(const struct common *common,
			      const struct consistency_options *options,
			      struct iops_list *list)
{
	enum exit_status status;
	struct disk disk;

	if (common->root)
		return usage_error(common, "--run conflicts with --root");
	status = open_disk(options->device, options->destroy_data, &disk);
	if (status)
		return status;
	status = say_what_is_lost(&disk);
	if (!status && !options->destroy_data)
		status = usage_error(common,
				     "nothing was written: --destroy-data says "
				     "that all of this may be lost");
	if (!status && !disk.trims && !options->no_trim && !common->quiet)
		remark("it takes no TRIM, and is written as it is");
	if (!status)
		status = run_fio_on(common, options, &disk, list);
	close_disk(&disk);
	return status;
}
