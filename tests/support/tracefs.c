/* SPDX-License-Identifier: MIT */
#include "tracefs.h"
#include "tree.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *root;
int tracefs_refuses;
const char *tracefs_lacks;

static void put(const char *instance, const char *path, const char *text)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", instance, path);
	if (!tracefs_lacks || strcmp(path, tracefs_lacks) != 0)
		tree_put(root, full, text);
}

static void fill_instance(const char *instance)
{
	static const char *const files[] = {
		"tracing_on",
		"trace_clock",
		"buffer_size_kb",
		"options/record-tgid",
		"options/context-info",
		"events/block/block_rq_issue/enable",
		"events/block/block_rq_issue/filter",
		"events/nvme/nvme_setup_cmd/enable",
		"events/nvme/nvme_setup_cmd/filter",
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		put(instance, files[i], "0");
	put(instance, "events/block/block_rq_issue/format",
	    "name: block_rq_issue\n");
	put(instance, "trace_pipe", "text of the kernel\n");
	put(instance, "per_cpu/cpu0/stats",
	    "entries: 1\noverrun: 12\ndropped events: 3\n");
	put(instance, "per_cpu/cpu1/stats", "overrun: 4\n");
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

static int remove_one(const char *path, const struct stat *status, int type,
		      struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
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
	return nftw(full, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *tracefs_new(void)
{
	root = tree_new();
	tree_mkdir(root, "instances");
	tracefs_refuses = 0;
	tracefs_lacks = NULL;
	return root;
}

void tracefs_remove(void)
{
	char *mine = root;

	root = NULL;
	tree_remove(mine);
}
