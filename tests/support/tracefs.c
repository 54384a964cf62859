/* SPDX-License-Identifier: MIT */
#include "tracefs.h"
#include "tree.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *root;
int tracefs_refuses;
const char *tracefs_lacks;
const char *tracefs_text;

/*
 * Nothing here allocates, because a test may fail every allocation of a call.
 */
#define TRACE_PIPE "trace_pipe"
static const char *const files[][2] = {
	{ "tracing_on", "0" },
	{ "trace_clock", "0" },
	{ "buffer_size_kb", "0" },
	{ "options/record-tgid", "0" },
	{ "options/context-info", "0" },
	/* The administrator has set these for all. */
	{ "options/latency-format", "1" },
	{ "options/userstacktrace", "1" },
	{ "events/block/block_rq_issue/enable", "0" },
	{ "events/block/block_rq_issue/filter", "0" },
	{ "events/block/block_rq_issue/format",
	  "name: block_rq_issue\n"
	  "print fmt: \"%d,%d %s %u (%s) %llu + %u [%s]\", REC->dev, REC->dev, "
	  "REC->rwbs, REC->bytes, __get_str(cmd), REC->sector, "
	  "REC->nr_sector, REC->comm\n" },
	{ "events/block/block_rq_complete/enable", "0" },
	{ "events/block/block_rq_complete/filter", "0" },
	{ "events/block/block_rq_complete/format",
	  "name: block_rq_complete\n"
	  "print fmt: \"%d,%d %s (%s) %llu + %u [%d]\", REC->dev, REC->dev, "
	  "REC->rwbs, __get_str(cmd), REC->sector, REC->nr_sector, "
	  "REC->error\n" },
	{ "events/nvme/nvme_setup_cmd/enable", "0" },
	{ "events/nvme/nvme_setup_cmd/filter", "0" },
	{ TRACE_PIPE, "text of the kernel\n" },
	{ "per_cpu/cpu0/stats",
	  "entries: 1\noverrun: 12\ndropped events: 3\n" },
	{ "per_cpu/cpu1/stats", "overrun: 4\n" },
};

#define N_FILES (sizeof(files) / sizeof(files[0]))

static void put(const char *instance, const char *path, const char *text)
{
	char full[512];
	const int n = snprintf(full, sizeof(full), "%s/%s/", root, instance);

	if (tracefs_lacks && !strcmp(path, tracefs_lacks))
		return;
	snprintf(full + n, sizeof(full) - (size_t)n, "%s", path);
	for (char *at = full + n; (at = strchr(at, '/')); at++) {
		*at = '\0';
		syscall(SYS_mkdirat, AT_FDCWD, full, 0700);
		*at = '/';
	}
	int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		abort();
	close(fd);
}

static void fill_instance(const char *instance)
{
	for (size_t i = 0; i < N_FILES; i++)
		put(instance, files[i][0],
		    tracefs_text && !strcmp(files[i][0], TRACE_PIPE) ?
			    tracefs_text :
			    files[i][1]);
}

/* Removes the file, and the folders that are then empty. */
static void take_away(const char *instance, const char *path)
{
	char full[512];
	const int n = snprintf(full, sizeof(full), "%s/", instance);

	snprintf(full + n, sizeof(full) - (size_t)n, "%s", path);
	syscall(SYS_unlinkat, AT_FDCWD, full, 0);
	for (char *at; (at = strrchr(full + n, '/'));) {
		*at = '\0';
		syscall(SYS_unlinkat, AT_FDCWD, full, AT_REMOVEDIR);
	}
}

int mkdirat(int fd, const char *path, mode_t mode)
{
	if (!strncmp(path, "instances/", 10) && tracefs_refuses) {
		errno = tracefs_refuses;
		return -1;
	}
	if (syscall(SYS_mkdirat, fd, path, mode))
		return -1;
	if (!strncmp(path, "instances/", 10))
		fill_instance(path);
	return 0;
}

int unlinkat(int fd, const char *path, int flags)
{
	const char *name = strrchr(path, '/');

	(void)fd;
	if (!(flags & AT_REMOVEDIR) || !root)
		return (int)syscall(SYS_unlinkat, fd, path, flags);
	char full[512];

	snprintf(full, sizeof(full), "%s/instances/%s", root,
		 name ? name + 1 : path);
	if (access(full, F_OK))
		return (int)syscall(SYS_unlinkat, fd, path, flags);
	for (size_t i = 0; i < N_FILES; i++)
		take_away(full, files[i][0]);
	return (int)syscall(SYS_unlinkat, AT_FDCWD, full, AT_REMOVEDIR);
}

const char *tracefs_new(void)
{
	root = tree_new();
	tree_mkdir(root, "instances");
	tracefs_refuses = 0;
	tracefs_lacks = NULL;
	tracefs_text = NULL;
	return root;
}

void tracefs_remove(void)
{
	char *mine = root;

	root = NULL;
	tree_remove(mine);
}
