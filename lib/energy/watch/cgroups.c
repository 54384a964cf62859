/* SPDX-License-Identifier: MIT */
/*
 * The names of cgroups. Events have their numbers, which are those of their
 * directories. Linux charges written pages to a cgroup under cgroup v2 alone.
 */
#include "watch/internal.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/internal.h"
#include "observe/observation.h"

#define MAX_DEPTH 32

struct walk {
	struct ssdpm_watch *watch;
	size_t n_root;
	char path[1024];
};

static int tell(struct walk *walk, uint64_t number, struct ssdpm_error *reterr)
{
	char line[1100];

	if (!ssdpm__is_nameless_cgroup(&walk->watch->observation->files,
				       number))
		return 0;
	snprintf(line, sizeof(line), "# cgroup: %" PRIu64 " %s\n", number,
		 walk->path + walk->n_root);
	return ssdpm__watch_remark(walk->watch, line, reterr);
}

static int walk_down(struct walk *walk, int depth, struct ssdpm_error *reterr);

/* A name that finds no room is that of no cgroup of systemd. */
static int visit(struct walk *walk, const struct dirent *entry, int depth,
		 struct ssdpm_error *reterr)
{
	const size_t n = strlen(walk->path);
	int err;

	if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
	    n + 1 + strlen(entry->d_name) >= sizeof(walk->path))
		return 0;
	walk->path[n] = '/';
	strcpy(walk->path + n + 1, entry->d_name);
	err = tell(walk, entry->d_ino, reterr);
	if (!err && depth < MAX_DEPTH)
		err = walk_down(walk, depth + 1, reterr);
	walk->path[n] = '\0';
	return err;
}

/* One that is removed meanwhile has nothing below it. */
static int walk_down(struct walk *walk, int depth, struct ssdpm_error *reterr)
{
	DIR *dir = opendir(walk->path);
	const struct dirent *entry;
	int err = dir || errno != ENOMEM ? 0 : ssdpm__no_memory(reterr);

	while (dir && !err && (entry = readdir(dir)))
		err = visit(walk, entry, depth, reterr);
	if (dir)
		closedir(dir);
	return err;
}

int ssdpm__watch_name_cgroups(struct ssdpm_watch *watch, const char *root,
			      struct ssdpm_error *reterr)
{
	struct files *files = &watch->observation->files;
	struct walk walk = { .watch = watch, .n_root = strlen(root) };
	int err = 0;

	if (!ssdpm__has_nameless_cgroup(files))
		return 0;
	if (walk.n_root < sizeof(walk.path)) {
		strcpy(walk.path, root);
		err = walk_down(&walk, 0, reterr);
	}
	/* The others are removed: nobody can tell any more. */
	ssdpm__cgroups_sought(files);
	return err;
}
