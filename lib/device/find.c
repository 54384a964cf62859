/* SPDX-License-Identifier: MIT */
/* One device, by whatever name people have for it. */
#include "device/internal.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Under a directory such as /dev/disk/by-id. */
static const char dev[] = "/dev/";

static int say_no_name(const char *name, struct ssdpm_error *reterr)
{
	return ssdpm__fail(
		reterr, -EINVAL, 0,
		"\"%.64s\" is no name of a device: nvme0, sda, host3, "
		"or a file in /dev",
		name);
}

/* Those that there are. */
static int say_absent(struct ssdpm_machine *machine, const char *name,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_device **devices = NULL;
	char there[160] = "";
	size_t n = 0, at = 0;
	int err;

	if (!reterr)
		return -ENOENT;
	err = ssdpm_device_list_read(machine, &devices, &n, reterr);
	if (err)
		return err;
	for (size_t i = 0; i < n && at < sizeof(there) - 40; i++)
		at += (size_t)snprintf(there + at, sizeof(there) - at, "%s%s",
				       i ? ", " : "", devices[i]->facts.name);
	ssdpm_device_list_free(devices, n);
	if (!n)
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "unknown drive '%s'; this machine has no "
				   "NVMe or SATA drive",
				   name);
	return ssdpm__fail(reterr, -ENOENT, 0,
			   "unknown drive '%s'; expected %s%s", name, there,
			   strlen(there) >= sizeof(there) - 40 ? ", ..." : "");
}

/* The name without directories; a link under /dev is followed. */
static int take_name(struct ssdpm_machine *machine, const char *text,
		     char name[SSDPM__PATH_BYTES], struct ssdpm_error *reterr)
{
	char real[SSDPM__PATH_BYTES];
	int err;

	if (strncmp(text, dev, strlen(dev))) {
		if (!*text || strchr(text, '/') || text[0] == '.' ||
		    strlen(text) >= SSDPM__PATH_BYTES)
			return say_no_name(text, reterr);
		strcpy(name, text);
		return 0;
	}
	err = ssdpm__real_path(machine, text + 1, real, sizeof(real));
	if (!err && strncmp(real, dev + 1, strlen(dev + 1)))
		return say_no_name(text, reterr);
	/* A capture has no nodes, and a container not all of them. */
	strcpy(name, err ? "" : ssdpm__last_component(real));
	if (err && strlen(text) < SSDPM__PATH_BYTES)
		strcpy(name, text + strlen(dev));
	if (!name[0] || strchr(name, '/'))
		return err == -ENOENT && name[0] ?
			       say_absent(machine, text, reterr) :
			       say_no_name(text, reterr);
	return 0;
}

static bool copy_component(struct span component, char *name, size_t size)
{
	return component.end > component.at &&
	       ssdpm__span_copy(component, name, size);
}

/* The controllers of a subsystem, which the namespace belongs to. */
static int take_controller(struct ssdpm_machine *machine, const char *path,
			   const char *text, char *name, size_t size,
			   struct ssdpm_error *reterr)
{
	char found[SSDPM__PATH_BYTES] = "";
	struct names names;
	uint32_t number;
	size_t n = 0, at = 0;
	int err;

	err = ssdpm__list_names(machine, path, &names);
	if (err)
		return ssdpm__fail_read(machine, path, err, ssdpm_strerror(err),
					reterr);
	for (size_t i = 0; i < names.n; i++) {
		if (!ssdpm__is_numbered(names.names[i], "nvme", &number) ||
		    strlen(names.names[i]) >= size || at > 100)
			continue;
		strcpy(name, names.names[i]);
		at += (size_t)snprintf(found + at, sizeof(found) - at, "%s%s",
				       n++ ? ", " : "", names.names[i]);
	}
	ssdpm__free_names(&names);
	if (n > 1)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s is reached by several controllers: name "
				   "one of %s",
				   text, found);
	return n ? 0 : say_absent(machine, text, reterr);
}

/*
 * From where a block device stands: .../nvme/nvme0/nvme0n1/nvme0n1p2,
 * .../nvme-subsys0/nvme0n1, .../block/sda/sda1.
 */
static int take_drive(struct ssdpm_machine *machine, char *path,
		      const char *text, char *name, size_t size,
		      struct ssdpm_error *reterr)
{
	char *at = path;
	uint32_t number;

	for (;;) {
		const size_t length = strcspn(at, "/");
		const struct span component = { at, at + length };
		const bool is_last = !at[length];

		if (copy_component(component, name, size)) {
			if (ssdpm__is_numbered(name, "nvme", &number))
				return 0;
			if (ssdpm__is_numbered(name, "nvme-subsys", &number)) {
				at[length] = 0;
				return take_controller(machine, path, text,
						       name, size, reterr);
			}
			if (!strncmp(name, "sd", 2) && at > path + 6 &&
			    !strncmp(at - 6, "block/", 6))
				return 0;
		}
		if (is_last)
			return say_absent(machine, text, reterr);
		at += length + 1;
	}
}

/* hostN: its disk, if it has one. */
static int take_disk_of_host(struct ssdpm_machine *machine, uint32_t host,
			     const char *text, char *name, size_t size,
			     struct ssdpm_error *reterr)
{
	struct ssdpm_device **devices = NULL;
	const char *first = NULL, *second = NULL;
	size_t n = 0;
	int err;

	err = ssdpm_device_list_read(machine, &devices, &n, reterr);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_device_facts *facts = &devices[i]->facts;

		if (!facts->ata_port || facts->host != host)
			continue;
		if (first)
			second = facts->name;
		else
			first = facts->name;
	}
	if (second)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "%s has several disks: name one of %s, %s",
				  text, first, second);
	else if (!first)
		err = say_absent(machine, text, reterr);
	else
		snprintf(name, size, "%s", first);
	ssdpm_device_list_free(devices, n);
	return err;
}

/* nvme0n1p2, sda1: the name of the disk. false: no partition. */
static bool cut_partition(char *name)
{
	char *end = name + strlen(name);
	char *digits = end;

	while (digits > name && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (digits == end)
		return false;
	if (!strncmp(name, "sd", 2)) {
		*digits = 0;
		return true;
	}
	if (strncmp(name, "nvme", 4) || digits[-1] != 'p')
		return false;
	digits[-1] = 0;
	return true;
}

static int find_block(const struct ssdpm_machine *machine, const char *class,
		      const char *name, char *real, size_t size)
{
	char path[SSDPM__PATH_BYTES];
	int err = ssdpm__join(path, class, name);

	return err ? err : ssdpm__real_path(machine, path, real, size);
}

/* Where a block device stands. */
static int find_block_device(const struct ssdpm_machine *machine,
			     const char *name, char *real, size_t size)
{
	char node[SSDPM__PATH_BYTES];
	int err;

	/* ng0n1 is another node of nvme0n1. */
	if (!strncmp(name, "ng", 2) && name[2] >= '0' && name[2] <= '9')
		err = snprintf(node, sizeof(node), "nvme%s", name + 2);
	else
		err = snprintf(node, sizeof(node), "%s", name);
	if (err >= (int)sizeof(node))
		return -ENOENT;
	err = find_block(machine, "sys/class/block", node, real, size);
	if (err == -ENOENT)
		err = find_block(machine, "sys/block", node, real, size);
	/* Not every capture has partitions. */
	if (err == -ENOENT && machine->capture && cut_partition(node))
		err = find_block(machine, "sys/block", node, real, size);
	return err;
}

/* A missing right is one to a file. */
static int fail_to_read(const struct ssdpm_machine *machine, const char *folder,
			const char *name, const char *text, int err,
			struct ssdpm_error *reterr)
{
	char path[SSDPM__PATH_BYTES];

	if (err != -EACCES || ssdpm__join(path, folder, name))
		return ssdpm__fail(reterr, err, 0, "%s: %s", text,
				   ssdpm_strerror(err));
	return ssdpm__fail_read(machine, path, err, ssdpm_strerror(err),
				reterr);
}

/* The name that the list has for it. */
static int resolve(struct ssdpm_machine *machine, const char *text,
		   char name[SSDPM__PATH_BYTES], struct ssdpm_error *reterr)
{
	const size_t size = SSDPM__PATH_BYTES;
	char given[SSDPM__PATH_BYTES], real[SSDPM__PATH_BYTES];
	uint32_t number;
	int err;

	err = take_name(machine, text, given, reterr);
	if (err)
		return err;
	if (ssdpm__is_numbered(given, "host", &number))
		return take_disk_of_host(machine, number, text, name, size,
					 reterr);
	if (ssdpm__is_numbered(given, "nvme", &number) || strchr(given, ':')) {
		strcpy(name, given);
		return 0;
	}
	err = find_block_device(machine, given, real, sizeof(real));
	if (err)
		return err == -ENOENT ? say_absent(machine, text, reterr) :
					fail_to_read(machine, "sys/class/block",
						     given, text, err, reterr);
	return take_drive(machine, real, text, name, size, reterr);
}

/* What RST or VMD hides has the PCI address of that for a name. */
static int read_hidden(const struct ssdpm_machine *machine, const char *name,
		       struct ssdpm_device_facts *facts)
{
	char path[SSDPM__PATH_BYTES], real[SSDPM__PATH_BYTES];
	int err;

	err = ssdpm__join(path, "sys/bus/pci/devices", name);
	if (!err)
		err = ssdpm__real_path(machine, path, real, sizeof(real));
	return err ? err : ssdpm__hidden_read_facts(machine, real, facts);
}

int ssdpm_device_read(struct ssdpm_machine *machine, const char *name,
		      struct ssdpm_device **ret_device,
		      struct ssdpm_error *reterr)
{
	const char *folder = "sys/block";
	struct ssdpm_device_facts facts;
	char found[SSDPM__PATH_BYTES];
	int err;

	err = resolve(machine, name, found, reterr);
	if (err)
		return err;
	if (strchr(found, ':')) {
		folder = "sys/bus/pci/devices";
		err = read_hidden(machine, found, &facts);
	} else if (!strncmp(found, "nvme", 4)) {
		folder = "sys/class/nvme";
		err = ssdpm__nvme_read_facts(machine, found, &facts);
	} else {
		err = ssdpm__sata_read_facts(machine, found, &facts);
	}
	if (err == -ENOENT || err == -ENODEV)
		return say_absent(machine, name, reterr);
	if (err)
		return fail_to_read(machine, folder, found, name, err, reterr);
	return ssdpm__device_new(machine, &facts, ret_device, reterr);
}

/*
 * Linux takes the files out of the folder of a device first, and the folder
 * last. Each device has this file; a capture need not have it.
 */
static bool is_emptied(const struct ssdpm_machine *machine, const char *path)
{
	char file[SSDPM__PATH_BYTES];

	return !ssdpm__join(file, path, "uevent") &&
	       !ssdpm__exists(machine, file) &&
	       ssdpm__exists(machine, "sys/kernel/uevent_seqnum");
}

/* Controllers and SCSI hosts say by their state that they go. */
const char *ssdpm__removal(const struct ssdpm_machine *machine,
			   const char *path)
{
	char file[SSDPM__PATH_BYTES], state[32];
	int err = ssdpm__find(machine, path);

	/* Without sysfs nothing is there, and nothing was removed. */
	if (err == -ENOENT && ssdpm__exists(machine, "sys/class"))
		return "it was removed";
	if (err || ssdpm__join(file, path, "state"))
		return NULL;
	if (ssdpm__read_text(machine, file, state, sizeof(state)))
		return is_emptied(machine, path) ? "it is being removed" : NULL;
	if (!strncmp(state, "delet", strlen("delet")) ||
	    !strncmp(state, "cancel", strlen("cancel")))
		return "it is being removed";
	if (!strcmp(state, "dead"))
		return "it was removed, or Linux gave it up: see dmesg";
	return NULL;
}
