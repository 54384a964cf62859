/* SPDX-License-Identifier: MIT */
/* All devices of a machine. */
#include "device/internal.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_AT_FIRST = 8 };

struct found_devices {
	struct ssdpm_machine *machine;
	struct ssdpm_device **devices;
	size_t n, room;
	bool keeps_unread;
	struct ssdpm_error *reterr;
};

static int add(struct found_devices *list,
	       const struct ssdpm_device_facts *facts)
{
	struct ssdpm_device **larger;
	int err;

	if (list->n == list->room) {
		const size_t room = list->room ? 2 * list->room : N_AT_FIRST;

		larger = realloc(list->devices, room * sizeof(*larger));
		if (!larger)
			return ssdpm__no_memory(list->reterr);
		list->devices = larger;
		list->room = room;
	}
	err = ssdpm__device_new(list->machine, facts, &list->devices[list->n],
				list->reterr);
	if (!err)
		list->n++;
	return err;
}

/* What a failure to read one device means to the list. */
static int judge(struct found_devices *list, const char *name, int code)
{
	struct ssdpm_device_facts facts = { 0 };
	int err;

	if (code == -ENOMEM || code == -EMFILE || code == -ENFILE)
		return ssdpm__fail(list->reterr, code, 0, "%s: %s", name,
				   ssdpm_strerror(code));
	ssdpm__log(list->machine, SSDPM_LOG_INFO, "%s is left out: %s", name,
		   ssdpm_strerror(code));
	if (!list->keeps_unread)
		return 0;
	snprintf(facts.name, sizeof(facts.name), "%s", name);
	err = add(list, &facts);
	if (!err)
		list->devices[list->n - 1]->err = code;
	return err;
}

static int read_one(struct found_devices *list, const char *name,
		    int (*read_facts)(const struct ssdpm_machine *machine,
				      const char *name,
				      struct ssdpm_device_facts *facts))
{
	struct ssdpm_device_facts facts;
	const int err = read_facts(list->machine, name, &facts);

	return err ? judge(list, name, err) : add(list, &facts);
}

/* No such directory: none of these. */
static int list_names(struct found_devices *list, const char *path,
		      struct names *names)
{
	const int err = ssdpm__list_names(list->machine, path, names);

	if (!err || err == -ENOENT || err == -ENOTDIR)
		return 0;
	return ssdpm__fail_read(list->machine, path, err, ssdpm_strerror(err),
				list->reterr);
}

static int add_controllers(struct found_devices *list)
{
	struct names names = { 0 };
	uint32_t number;
	int err;

	err = list_names(list, "sys/class/nvme", &names);
	for (size_t i = 0; !err && i < names.n; i++)
		if (ssdpm__is_numbered(names.names[i], "nvme", &number))
			err = read_one(list, names.names[i],
				       ssdpm__nvme_read_facts);
	ssdpm__free_names(&names);
	return err;
}

/* "sda", "sdaa" */
static bool is_disk(const char *name)
{
	const size_t length = strlen(name);

	return length > 2 && length < 8 && !strncmp(name, "sd", 2) &&
	       strspn(name + 2, "abcdefghijklmnopqrstuvwxyz") == length - 2;
}

static int add_disks(struct found_devices *list)
{
	struct names names = { 0 };
	int err;

	err = list_names(list, "sys/block", &names);
	for (size_t i = 0; !err && i < names.n; i++)
		if (is_disk(names.names[i]))
			err = read_one(list, names.names[i],
				       ssdpm__sata_read_facts);
	ssdpm__free_names(&names);
	return err;
}

static bool has_disk(const struct found_devices *list, uint32_t host)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->devices[i]->facts.ata_port &&
		    list->devices[i]->facts.host == host)
			return true;
	return false;
}

static int add_ports(struct found_devices *list)
{
	struct names names = { 0 };
	uint32_t host;
	int err;

	err = list_names(list, "sys/class/scsi_host", &names);
	for (size_t i = 0; !err && i < names.n; i++)
		if (ssdpm__is_numbered(names.names[i], "host", &host) &&
		    !has_disk(list, host))
			err = read_one(list, names.names[i],
				       ssdpm__sata_read_facts);
	ssdpm__free_names(&names);
	return err;
}

static int add_hidden(struct found_devices *list)
{
	char path[SSDPM__PATH_BYTES], real[SSDPM__PATH_BYTES];
	static const char bus[] = "sys/bus/pci/devices";
	struct names names = { 0 };
	int err;

	err = list_names(list, bus, &names);
	for (size_t i = 0; !err && i < names.n; i++) {
		struct ssdpm_device_facts facts;
		int gone;

		gone = ssdpm__join(path, bus, names.names[i]);
		if (!gone)
			gone = ssdpm__hidden_read_facts(list->machine, path,
							&facts);
		if (gone == -ENODEV)
			continue;
		/* Few hide anything: only these are worth a walk. */
		if (!gone)
			gone = ssdpm__real_path(list->machine, path, real,
						sizeof(real));
		if (!gone && strlen(real) < sizeof(facts.path) - 1)
			strcpy(facts.path + 1, real);
		err = gone ? judge(list, names.names[i], gone) :
			     add(list, &facts);
	}
	ssdpm__free_names(&names);
	return err;
}

/* NVMe, disks in reach, ports without one, and the rest. */
static int rank(const struct ssdpm_device_facts *facts)
{
	if (!facts->ata_port)
		return facts->reach == SSDPM_REACH_YES ? 0 : 3;
	return facts->name[0] == 's' ? 1 : 2;
}

static int compare(const void *a, const void *b)
{
	const struct ssdpm_device_facts *x =
		&(*(struct ssdpm_device *const *)a)->facts;
	const struct ssdpm_device_facts *y =
		&(*(struct ssdpm_device *const *)b)->facts;

	if (rank(x) != rank(y))
		return rank(x) - rank(y);
	if (x->ata_port && x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return strverscmp(x->name, y->name);
}

static int read_list(struct found_devices *list,
		     struct ssdpm_device ***ret_devices, size_t *ret_n)
{
	struct ssdpm_machine *machine = list->machine;
	int err;

	/* A capture has only what was there. */
	if (!machine->root && !ssdpm__exists(machine, "sys/class"))
		return ssdpm__fail(list->reterr, -ENOENT, 0,
				   "/sys is not mounted: there is no "
				   "/sys/class, where Linux lists the drives");
	err = add_controllers(list);
	if (!err)
		err = add_disks(list);
	list->keeps_unread = false; /* no drives follow */
	if (!err)
		err = add_ports(list);
	if (!err)
		err = add_hidden(list);
	if (err) {
		ssdpm_device_list_free(list->devices, list->n);
		return err;
	}
	if (list->n)
		qsort(list->devices, list->n, sizeof(*list->devices), compare);
	*ret_devices = list->devices;
	*ret_n = list->n;
	return 0;
}

int ssdpm_device_list_read(struct ssdpm_machine *machine,
			   struct ssdpm_device ***ret_devices, size_t *ret_n,
			   struct ssdpm_error *reterr)
{
	struct found_devices list = { .machine = machine, .reterr = reterr };

	return read_list(&list, ret_devices, ret_n);
}

int ssdpm__device_list_read_all(struct ssdpm_machine *machine,
				struct ssdpm_device ***ret_devices,
				size_t *ret_n, struct ssdpm_error *reterr)
{
	struct found_devices list = {
		.machine = machine,
		.keeps_unread = true,
		.reterr = reterr,
	};

	return read_list(&list, ret_devices, ret_n);
}

struct ssdpm_device **ssdpm_device_list_free(struct ssdpm_device **devices,
					     size_t n)
{
	for (size_t i = 0; i < n; i++)
		ssdpm_device_unref(devices[i]);
	free(devices);
	return NULL;
}
