/* SPDX-License-Identifier: MIT */
/*
 * An instance of tracefs (Documentation/trace/ftrace.rst of Linux,
 * "Instances"). It has its own buffer, events, filters and clock, and does not
 * disturb others.
 */
#include <ssdpm/energy/tracer.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/internal.h"
#include "base/text.h"

#define DEFAULT_TRACEFS "/sys/kernel/tracing"
#define DEFAULT_BUFFER_BYTES (512u << 10)
#define MAX_TRACED 16384
#define MAX_EVENTS 32
#define PREFIX "ssdpm-"
/* Linux refuses a filter that does not fit into a page. */
#define FILTER_BYTES 4096
#define MAX_FORMAT (1u << 18)

struct ssdpm_tracer {
	int root; /* tracefs */
	int dir;  /* the instance */
	int pipe;
	size_t n_removed;
	size_t n_events;
	char path[96];		     /* of the instance; "": none */
	char events[MAX_EVENTS][64]; /* "": this kernel lacks it */
};

static int fail_path(struct ssdpm_error *reterr, int err, const char *path)
{
	return ssdpm__fail(reterr, err, 0, "tracefs: %s: %s", path,
			   ssdpm_strerror(err));
}

static int write_at(int dir, const char *path, const char *text)
{
	int fd = openat(dir, path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	size_t n = strlen(text);
	int err = 0;

	if (fd < 0)
		return -errno;
	ssize_t written = write(fd, text, n);
	if (written < 0)
		err = -errno;
	else if ((size_t)written != n)
		err = -EIO;
	close(fd);
	return err;
}

static int write_needed(const struct ssdpm_tracer *tracer, const char *path,
			const char *text, struct ssdpm_error *reterr)
{
	int err = write_at(tracer->dir, path, text);

	return err ? fail_path(reterr, err, path) : 0;
}

/*
 * Reads field 22 of /proc/PID/stat, the start time; the name may have blanks.
 */
static int read_start(unsigned long pid, unsigned long long *ret_start)
{
	char path[64], text[1024];
	int fd;

	snprintf(path, sizeof(path), "/proc/%lu/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -EIO;
	text[n] = '\0';
	const char *at = strrchr(text, ')');

	if (!at || sscanf(at + 1,
			  " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u "
			  "%*u %*d %*d %*d %*d %*d %*d %llu",
			  ret_start) != 1)
		return -EIO;
	return 0;
}

/* Whether the process of "ssdpm-PID-START-NUMBER" has ended. */
static bool is_dead(const char *name)
{
	unsigned long long start, now;
	unsigned long pid;
	unsigned int number;
	int end = 0;

	if (sscanf(name, PREFIX "%lu-%llu-%u%n", &pid, &start, &number, &end) !=
		    3 ||
	    name[end])
		return false;
	int err = read_start(pid, &now);

	return err == -ENOENT || err == -ESRCH || (!err && now != start);
}

/*
 * Removes instances of dead processes. The kernel keeps one that is still read.
 * An unreadable folder has none to remove. -ENOMEM.
 */
static int remove_dead(int root, size_t *ret_n)
{
	int fd = openat(root, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const int err = dir || errno != ENOMEM ? 0 : -ENOMEM;
	const struct dirent *entry;

	*ret_n = 0;
	if (!dir && fd >= 0)
		close(fd);
	while (dir && (entry = readdir(dir)))
		if (is_dead(entry->d_name))
			*ret_n += !unlinkat(dirfd(dir), entry->d_name,
					    AT_REMOVEDIR);
	if (dir)
		closedir(dir);
	return err;
}

/* A process may have several instances. */
#define MAX_INSTANCES 100

static int make_instance(struct ssdpm_tracer *tracer,
			 struct ssdpm_error *reterr)
{
	unsigned long long start;
	int err = read_start((unsigned long)getpid(), &start);

	if (err)
		return fail_path(reterr, err, "/proc/self/stat");
	err = -EEXIST;
	for (unsigned int i = 0; i < MAX_INSTANCES && err == -EEXIST; i++) {
		snprintf(tracer->path, sizeof(tracer->path),
			 "instances/" PREFIX "%ld-%llu-%u", (long)getpid(),
			 start, i);
		err = mkdirat(tracer->root, tracer->path, 0700) ? -errno : 0;
	}
	if (err) {
		const int code = err == -EROFS ? -EPERM : err;

		fail_path(reterr, code, tracer->path);
		tracer->path[0] = '\0';
		return code;
	}
	tracer->dir = openat(tracer->root, tracer->path,
			     O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return tracer->dir < 0 ? fail_path(reterr, -errno, tracer->path) : 0;
}

/*
 * Sets the format of lines: time, thread and processor. A new instance inherits
 * the options that the administrator has set for all. A kernel without an
 * option behaves as if it were off.
 */
static int set_up(const struct ssdpm_tracer *tracer, uint32_t buffer_bytes,
		  struct ssdpm_error *reterr)
{
	static const char *const options[][2] = {
		{ "options/context-info", "1" },
		{ "options/irq-info", "1" },
		{ "options/record-cmd", "1" },
		{ "options/record-tgid", "0" },
		{ "options/verbose", "0" },
		{ "options/raw", "0" },
		{ "options/hex", "0" },
		{ "options/bin", "0" },
		{ "options/fields", "0" },
		{ "options/stacktrace", "0" },
		{ "options/hash-ptr", "1" },
		{ "options/latency-format", "0" },
		{ "options/userstacktrace", "0" },
	};
	char text[24];

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		write_at(tracer->dir, options[i][0], options[i][1]);
	if (!buffer_bytes)
		buffer_bytes = DEFAULT_BUFFER_BYTES;
	snprintf(text, sizeof(text), "%u", buffer_bytes / 1024);
	int err = write_needed(tracer, "trace_clock", "boot", reterr);
	return err ? err : write_needed(tracer, "buffer_size_kb", text, reterr);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return one < other ? -1 : one > other;
}

/*
 * Makes "dev == 266338304 || (dev >= 271581184 && dev <= 271581187)".
 * Neighbors that are closer than the gap share a range. false: it is too long.
 */
static bool put_ranges(const uint32_t *devices, size_t n, uint32_t gap,
		       char filter[FILTER_BYTES])
{
	size_t at = 0;

	for (size_t i = 0, last; i < n && at < FILTER_BYTES; i = last + 1) {
		const char *between = i ? " || " : "";

		for (last = i; last + 1 < n; last++)
			if (devices[last + 1] - devices[last] > gap)
				break;
		if (devices[i] == devices[last])
			at += (size_t)snprintf(filter + at, FILTER_BYTES - at,
					       "%sdev == %u", between,
					       devices[i]);
		else
			at += (size_t)snprintf(filter + at, FILTER_BYTES - at,
					       "%s(dev >= %u && dev <= %u)",
					       between, devices[i],
					       devices[last]);
	}
	return at < FILTER_BYTES;
}

/*
 * The devices, MAJOR << 20 | MINOR. If there are too many for a filter, some
 * between them pass it, too: the observation does not take them for a drive.
 */
static int write_filter(const struct ssdpm_tracer_params *params,
			char filter[FILTER_BYTES], struct ssdpm_error *reterr)
{
	const size_t n = params->n_disks;
	uint32_t *devices = malloc(n * sizeof(*devices));
	uint32_t gap = 1;

	if (!devices)
		return ssdpm__no_memory(reterr);
	for (size_t i = 0; i < n; i++)
		devices[i] =
			params->disks[i].major << 20 | params->disks[i].minor;
	qsort(devices, n, sizeof(*devices), by_number);
	/* The last gap makes one range of all. */
	while (!put_ranges(devices, n, gap, filter))
		gap = 2 * gap + 1;
	free(devices);
	return 0;
}

/* The filter by which the kernel drops unwanted events. */
static const char *filter_of(const char *event, const char *disks)
{
	if (!strncmp(event, "block/", 6))
		return disks;
	if (!strcmp(event, "nvme/nvme_setup_cmd"))
		return "qid == 0";
	return NULL;
}

/* A kernel may lack the event. */
static int choose(struct ssdpm_tracer *tracer, size_t number, const char *disks,
		  struct ssdpm_error *reterr)
{
	const char *event = tracer->events[number];
	const char *filter = filter_of(event, disks);
	char path[128];

	snprintf(path, sizeof(path), "events/%s/enable", event);
	if (faccessat(tracer->dir, path, F_OK, 0)) {
		tracer->events[number][0] = '\0';
		return 0;
	}
	snprintf(path, sizeof(path), "events/%s/filter", event);
	return filter ? write_needed(tracer, path, filter, reterr) : 0;
}

static int choose_all(struct ssdpm_tracer *tracer,
		      const struct ssdpm_tracer_params *params,
		      struct ssdpm_error *reterr)
{
	char filter[FILTER_BYTES];
	size_t n_chosen = 0;
	int err = write_filter(params, filter, reterr);

	for (size_t i = 0; i < params->n_events && !err; i++) {
		memcpy(tracer->events[i], params->events[i],
		       strlen(params->events[i]));
		err = choose(tracer, i, filter, reterr);
		n_chosen += tracer->events[i][0] != '\0';
	}
	tracer->n_events = params->n_events;
	if (!err && !n_chosen)
		err = ssdpm__fail(reterr, -ENODATA, 0,
				  "tracefs: the kernel has none of the events");
	return err;
}

static int check(const struct ssdpm_tracer_params *params,
		 struct ssdpm_error *reterr)
{
	int err = ssdpm__check_reserved(params->reserved, "ssdpm_tracer_params",
					reterr);

	if (err)
		return err;
	if (!params->n_disks || params->n_disks > MAX_TRACED)
		return ssdpm__fail(reterr, -EINVAL, 0, "disks: from 1 to %u",
				   MAX_TRACED);
	if (!params->n_events || params->n_events > MAX_EVENTS)
		return ssdpm__fail(reterr, -EINVAL, 0, "events: from 1 to %u",
				   MAX_EVENTS);
	for (size_t i = 0; i < params->n_events; i++)
		if (strlen(params->events[i]) >=
			    sizeof(((struct ssdpm_tracer *)0)->events[0]) ||
		    strstr(params->events[i], ".."))
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "event %zu: no name of an event", i);
	return 0;
}

static int open_root(struct ssdpm_tracer *tracer, const char *path,
		     struct ssdpm_error *reterr)
{
	tracer->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (tracer->root < 0)
		return fail_path(reterr, -errno, path);
	/* An unmounted folder exists and is empty. */
	if (faccessat(tracer->root, "instances", F_OK, 0))
		return ssdpm__fail(reterr, errno == ENOENT ? -ENOENT : -errno,
				   0, "tracefs is not mounted on %s", path);
	if (remove_dead(tracer->root, &tracer->n_removed))
		return ssdpm__no_memory(reterr);
	return 0;
}

static int begin(struct ssdpm_tracer *tracer,
		 const struct ssdpm_tracer_params *params,
		 struct ssdpm_error *reterr)
{
	int err = open_root(tracer,
			    params->tracefs ? params->tracefs : DEFAULT_TRACEFS,
			    reterr);

	if (!err)
		err = make_instance(tracer, reterr);
	if (!err)
		err = set_up(tracer, params->buffer_bytes, reterr);
	if (!err)
		err = choose_all(tracer, params, reterr);
	if (err)
		return err;
	tracer->pipe = openat(tracer->dir, "trace_pipe",
			      O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (tracer->pipe < 0)
		return fail_path(reterr, -errno, "trace_pipe");
	return ssdpm_tracer_set_on(tracer, 1, reterr);
}

int ssdpm_tracer_new(const struct ssdpm_tracer_params *params,
		     struct ssdpm_tracer **ret_tracer,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_tracer_params known = { .size = sizeof(known) };
	int err = ssdpm__sized_in(&known, sizeof(known), params,
				  "ssdpm_tracer_params", reterr);

	if (!err)
		err = check(&known, reterr);
	if (err)
		return err;
	struct ssdpm_tracer *tracer = calloc(1, sizeof(*tracer));

	if (!tracer)
		return ssdpm__no_memory(reterr);
	tracer->root = tracer->dir = tracer->pipe = -1;
	err = begin(tracer, &known, reterr);
	if (err)
		ssdpm_tracer_free(tracer);
	else
		*ret_tracer = tracer;
	return err;
}

/* An instance that is still open cannot be removed. */
struct ssdpm_tracer *ssdpm_tracer_free(struct ssdpm_tracer *tracer)
{
	if (!tracer)
		return NULL;
	if (tracer->dir >= 0)
		write_at(tracer->dir, "tracing_on", "0");
	if (tracer->pipe >= 0)
		close(tracer->pipe);
	if (tracer->dir >= 0)
		close(tracer->dir);
	if (tracer->path[0])
		unlinkat(tracer->root, tracer->path, AT_REMOVEDIR);
	if (tracer->root >= 0)
		close(tracer->root);
	free(tracer);
	return NULL;
}

int ssdpm_tracer_get_fd(const struct ssdpm_tracer *tracer)
{
	return tracer->pipe;
}

size_t ssdpm_tracer_get_n_removed(const struct ssdpm_tracer *tracer)
{
	return tracer->n_removed;
}

int ssdpm_tracer_read(struct ssdpm_tracer *tracer, char *text, size_t size,
		      size_t *ret_n, struct ssdpm_error *reterr)
{
	ssize_t n = read(tracer->pipe, text, size);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return fail_path(reterr, -errno, "trace_pipe");
	*ret_n = n > 0 ? (size_t)n : 0;
	return 0;
}

static int enable_all(const struct ssdpm_tracer *tracer, const char *on,
		      struct ssdpm_error *reterr)
{
	char path[128];
	int err = 0;

	for (size_t i = 0; i < tracer->n_events && !err; i++) {
		snprintf(path, sizeof(path), "events/%s/enable",
			 tracer->events[i]);
		if (tracer->events[i][0])
			err = write_needed(tracer, path, on, reterr);
	}
	return err;
}

/* An event that is enabled takes time in each I/O, even if tracing is off. */
int ssdpm_tracer_set_on(struct ssdpm_tracer *tracer, uint32_t on,
			struct ssdpm_error *reterr)
{
	int err = on ? enable_all(tracer, "1", reterr) : 0;

	if (!err)
		err = write_needed(tracer, "tracing_on", on ? "1" : "0",
				   reterr);
	return !err && !on ? enable_all(tracer, "0", reterr) : err;
}

/* Reads all of a file, and appends a zero byte. */
static int read_all(int dir, const char *path, char **ret_text)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	char *text = fd < 0 ? NULL : malloc(MAX_FORMAT + 1);
	size_t n = 0;
	ssize_t got = 1;
	int err = fd < 0 ? -errno : text ? 0 : -ENOMEM;

	while (!err && got > 0) {
		got = read(fd, text + n, MAX_FORMAT - n);
		if (got < 0)
			err = -errno;
		else
			n += (size_t)got;
		if (n == MAX_FORMAT)
			err = -E2BIG;
	}
	if (fd >= 0)
		close(fd);
	if (err) {
		free(text);
		return err;
	}
	text[n] = '\0';
	*ret_text = text;
	return 0;
}

int ssdpm_tracer_read_format(const struct ssdpm_tracer *tracer, size_t event,
			     char **ret_text, struct ssdpm_error *reterr)
{
	char path[128];

	if (event >= tracer->n_events || !tracer->events[event][0])
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "event %zu: this kernel lacks it", event);
	snprintf(path, sizeof(path), "events/%s/format", tracer->events[event]);
	int err = read_all(tracer->dir, path, ret_text);
	return err ? fail_path(reterr, err, path) : 0;
}

/* Reads "overrun: 12" and "dropped events: 3" in the file of a processor. */
static int read_cpu_lost(const struct ssdpm_tracer *tracer, const char *cpu,
			 uint64_t *lost)
{
	static const char *const keys[] = { "overrun:", "dropped events:" };
	char path[320], *text;
	struct lines lines = { 0 };
	struct span line;
	uint64_t n;

	snprintf(path, sizeof(path), "per_cpu/%s/stats", cpu);
	int err = read_all(tracer->dir, path, &text);
	if (err)
		return err;
	lines.rest = ssdpm__span(text, strlen(text));
	while (ssdpm__next_line(&lines, &line))
		for (size_t i = 0; i < 2; i++)
			if (ssdpm__take(&line, keys[i]) &&
			    ssdpm__take_uint(&line, UINT64_MAX, &n))
				*lost += n;
	free(text);
	return 0;
}

int ssdpm_tracer_read_lost(const struct ssdpm_tracer *tracer,
			   uint64_t *ret_lost, struct ssdpm_error *reterr)
{
	int fd = openat(tracer->dir, "per_cpu",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	uint64_t lost = 0;
	int err = dir ? 0 : -errno;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && !err && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "cpu", 3))
			err = read_cpu_lost(tracer, entry->d_name, &lost);
	if (dir)
		closedir(dir);
	if (err)
		return fail_path(reterr, err, "per_cpu");
	*ret_lost = lost;
	return 0;
}
