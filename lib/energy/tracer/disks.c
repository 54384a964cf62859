/* SPDX-License-Identifier: MIT */
/* Finds in sysfs which block devices lead to a drive. */
#include <ssdpm/energy/tracer.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/text.h"
#include "base/words.h"
#include "common/device-number.h"

#define MAX_DISKS 256
#define MAX_PATH 320

static const char disk_part_words[][10] = {
	[SSDPM_DISK_WHOLE] = "whole",
	[SSDPM_DISK_PARTITION] = "partition",
	[SSDPM_DISK_STACKED] = "stacked",
};
ENUM_WORDS(disk_part)

struct disks {
	const struct ssdpm_machine *machine;
	size_t n;
	struct ssdpm_disk list[MAX_DISKS];
};

static bool is_known(const struct disks *disks, const char *name)
{
	for (size_t i = 0; i < disks->n; i++)
		if (!strcmp(disks->list[i].name, name))
			return true;
	return false;
}

/* A device that has vanished is skipped. */
static int add(struct disks *disks, const char *name, uint32_t part,
	       struct ssdpm_error *reterr)
{
	struct ssdpm_disk disk = { .part = part };
	char path[MAX_PATH], text[32];
	uint64_t device;
	struct span span;

	if (strlen(name) >= sizeof(disk.name) || is_known(disks, name))
		return 0;
	snprintf(path, sizeof(path), "sys/class/block/%s/dev", name);
	if (ssdpm_machine_read_attribute(disks->machine, path, text,
					 sizeof(text), NULL))
		return 0;
	span = ssdpm__span(text, strlen(text));
	if (!ssdpm__take_device(&span, ":", &device))
		return 0;
	if (disks->n == MAX_DISKS)
		return ssdpm__fail(reterr, -E2BIG, 0,
				   "more than %u block devices lead to it",
				   MAX_DISKS);
	disk.major = (uint32_t)(device >> 32);
	disk.minor = (uint32_t)device;
	memcpy(disk.name, name, strlen(name));
	disks->list[disks->n++] = disk;
	return 0;
}

/* Called for each name in a folder; a missing folder has none. */
typedef int (*name_fn)(struct disks *disks, const char *parent,
		       const char *name, struct ssdpm_error *reterr);

static int for_each_name(struct disks *disks, const char *path,
			 const char *parent, name_fn fn,
			 struct ssdpm_error *reterr)
{
	char **names = NULL;
	size_t n = 0;
	int err = ssdpm_machine_read_directory(disks->machine, path, &names, &n,
					       NULL);

	if (err == -ENOMEM)
		return ssdpm__no_memory(reterr);
	err = 0;
	for (size_t i = 0; i < n && !err; i++)
		err = fn(disks, parent, names[i], reterr);
	free(names);
	return err;
}

static int add_namespace(struct disks *disks, const char *controller,
			 const char *name, struct ssdpm_error *reterr)
{
	size_t n = strlen(controller);

	/* "nvme0n1", or "nvme0c0n1", a path to it. */
	if (strncmp(name, controller, n) != 0 ||
	    (name[n] != 'n' && name[n] != 'c'))
		return 0;
	return add(disks, name, SSDPM_DISK_WHOLE, reterr);
}

static int add_partition(struct disks *disks, const char *disk,
			 const char *name, struct ssdpm_error *reterr)
{
	if (strncmp(name, disk, strlen(disk)) != 0)
		return 0;
	return add(disks, name, SSDPM_DISK_PARTITION, reterr);
}

static int add_holder(struct disks *disks, const char *disk, const char *name,
		      struct ssdpm_error *reterr)
{
	(void)disk;
	return add(disks, name, SSDPM_DISK_STACKED, reterr);
}

/* Looks at each disk found; the array grows meanwhile. */
static int add_above(struct disks *disks, struct ssdpm_error *reterr)
{
	char path[MAX_PATH];
	int err = 0;

	for (size_t i = 0; i < disks->n && !err; i++) {
		const struct ssdpm_disk disk = disks->list[i];

		snprintf(path, sizeof(path), "sys/class/block/%s", disk.name);
		if (disk.part != SSDPM_DISK_PARTITION)
			err = for_each_name(disks, path, disk.name,
					    add_partition, reterr);
		snprintf(path, sizeof(path), "sys/class/block/%s/holders",
			 disk.name);
		if (!err)
			err = for_each_name(disks, path, disk.name, add_holder,
					    reterr);
	}
	return err;
}

static int find(struct disks *disks, const struct ssdpm_device_facts *facts,
		struct ssdpm_error *reterr)
{
	int err = 0;

	if (facts->kind == SSDPM_KIND_NVME && facts->path[0])
		err = for_each_name(disks, facts->path + 1, facts->name,
				    add_namespace, reterr);
	else if (facts->kind != SSDPM_KIND_NVME)
		err = add(disks, facts->name, SSDPM_DISK_WHOLE, reterr);
	return err ? err : add_above(disks, reterr);
}

int ssdpm_device_read_disks(struct ssdpm_machine *machine,
			    const struct ssdpm_device *device,
			    struct ssdpm_disk **ret_disks, size_t *ret_n,
			    struct ssdpm_error *reterr)
{
	struct disks *disks = calloc(1, sizeof(*disks));
	struct ssdpm_disk *list = NULL;
	int err;

	if (!disks)
		return ssdpm__no_memory(reterr);
	disks->machine = machine;
	err = find(disks, ssdpm_device_get_facts(device), reterr);
	if (!err && disks->n) {
		list = malloc(disks->n * sizeof(*list));
		if (!list)
			err = ssdpm__no_memory(reterr);
		else
			memcpy(list, disks->list, disks->n * sizeof(*list));
	}
	if (!err) {
		*ret_disks = list;
		*ret_n = disks->n;
	}
	free(disks);
	return err;
}
