/* SPDX-License-Identifier: MIT */
/*
 * Files that threads of Linux write back: who changed them, and in which
 * cgroup. The event writeback_single_inode_start tells with which file a thread
 * begins. It queues blocks of that file until it begins with another one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/internal.h"
#include "observe/internal.h"

/* The root: it says nothing of any process. */
#define ROOT_CGROUP 1

static struct file *place_of(struct files *files, const struct file_name *name)
{
	const uint64_t disk = name->device * 31 + name->backing;

	/* Neighbours have neighbouring places. */
	return &files->changed[(disk + name->inode) % MAX_FILES];
}

void ssdpm__file_changed(struct files *files, const struct file_name *name,
			 const struct author *author)
{
	*place_of(files, name) =
		(struct file){ .name = *name, .author = *author };
}

static struct flusher *find_flusher(struct files *files, uint32_t pid,
				    uint64_t device)
{
	for (size_t i = 0; i < files->n_flushers; i++)
		if (files->flushers[i].pid == pid &&
		    files->flushers[i].file.device == device)
			return &files->flushers[i];
	return NULL;
}

static struct flusher *new_flusher(struct files *files)
{
	struct flusher *oldest = files->flushers;

	if (files->n_flushers < MAX_FLUSHERS)
		return &files->flushers[files->n_flushers++];
	for (size_t i = 1; i < MAX_FLUSHERS; i++)
		if (files->flushers[i].used < oldest->used)
			oldest = &files->flushers[i];
	return oldest;
}

void ssdpm__file_begun(struct files *files, uint32_t pid,
		       const struct file_name *name, uint64_t cgroup)
{
	struct flusher *flusher = find_flusher(files, pid, name->device);

	if (!flusher)
		flusher = new_flusher(files);
	*flusher = (struct flusher){ .pid = pid,
				     .file = *name,
				     .cgroup = cgroup,
				     .used = ++files->clock };
}

/* A new one has no name; NULL: no room for it. */
static struct cgroup *cgroup_of(struct files *files, uint64_t number)
{
	for (size_t i = 0; i < files->n_cgroups; i++)
		if (files->cgroups[i].number == number)
			return &files->cgroups[i];
	if (files->n_cgroups == MAX_CGROUPS)
		return NULL;
	files->cgroups[files->n_cgroups] = (struct cgroup){ .number = number };
	return &files->cgroups[files->n_cgroups++];
}

/* The last component of a path, without what systemd adds to each name. */
static struct span short_name(struct span path)
{
	static const char *const endings[] = { ".service", ".scope", ".slice" };
	struct span name = path;

	for (const char *at = path.at; at < path.end; at++)
		if (*at == '/')
			name.at = at + 1;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const size_t n = strlen(endings[i]);

		if ((size_t)(name.end - name.at) > n &&
		    !memcmp(name.end - n, endings[i], n))
			name.end -= n;
	}
	return name;
}

bool ssdpm__cgroup_named(struct files *files, struct causes *causes,
			 uint64_t number, struct span path)
{
	struct span name = short_name(path);
	struct cgroup *cgroup =
		name.at < name.end ? cgroup_of(files, number) : NULL;

	if (!cgroup)
		return false;
	if ((size_t)(name.end - name.at) >= sizeof(cgroup->name))
		name.end = name.at + sizeof(cgroup->name) - 1;
	ssdpm__span_copy(name, cgroup->name, sizeof(cgroup->name));
	/* It was seen before anybody knew its name. */
	if (cgroup->cause != CAUSE_OTHER)
		memcpy(causes->entries[cgroup->cause].name, cgroup->name,
		       sizeof(cgroup->name));
	return true;
}

static bool is_nameless(const struct cgroup *cgroup)
{
	return !cgroup->name[0] && !cgroup->is_sought;
}

bool ssdpm__is_nameless_cgroup(const struct files *files, uint64_t number)
{
	for (size_t i = 0; i < files->n_cgroups; i++)
		if (files->cgroups[i].number == number)
			return is_nameless(&files->cgroups[i]);
	return false;
}

bool ssdpm__has_nameless_cgroup(const struct files *files)
{
	for (size_t i = 0; i < files->n_cgroups; i++)
		if (is_nameless(&files->cgroups[i]))
			return true;
	return false;
}

void ssdpm__cgroups_sought(struct files *files)
{
	for (size_t i = 0; i < files->n_cgroups; i++)
		files->cgroups[i].is_sought = true;
}

/* By its number: its name may be known only later, and others may have it. */
static uint16_t cause_of_cgroup(struct files *files, struct causes *causes,
				uint64_t number)
{
	struct cgroup *cgroup =
		number > ROOT_CGROUP ? cgroup_of(files, number) : NULL;
	char digits[24];
	const char *name = digits;

	if (!cgroup)
		return CAUSE_OTHER;
	snprintf(digits, sizeof(digits), "%" PRIu64, number);
	if (cgroup->name[0])
		name = cgroup->name;
	if (cgroup->cause == CAUSE_OTHER)
		cgroup->cause =
			ssdpm__new_cause(causes, SSDPM_CAUSE_CGROUP,
					 ssdpm__span(name, strlen(name)));
	return cgroup->cause;
}

uint16_t ssdpm__file_cause(struct files *files, struct causes *causes,
			   uint32_t pid, uint64_t device)
{
	const struct flusher *flusher = find_flusher(files, pid, device);
	const struct file *file;

	if (!flusher)
		return CAUSE_OTHER;
	file = place_of(files, &flusher->file);
	if (!memcmp(&file->name, &flusher->file, sizeof(file->name)))
		return ssdpm__cause_of_author(causes, &file->author);
	return cause_of_cgroup(files, causes, flusher->cgroup);
}
