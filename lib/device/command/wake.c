/* SPDX-License-Identifier: MIT */
/*
 * A drive that sleeps may say the state that it sleeps in. The one that it goes
 * back to is then unknown. An I/O wakes it.
 */
#include "device/command/node.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 4096 }; /* the largest of usual ones */

static const char command[] = "a read, to wake it,";

/*
 * "nvme0n1", or of several paths "nvme0c1n1", whose head is nvme0n1: false: it
 * is no namespace.
 */
static bool take_namespace(const char *entry, char node[32])
{
	unsigned int subsystem, path, id;
	int n = 0;

	if (sscanf(entry, "nvme%un%u%n", &subsystem, &id, &n) == 2 &&
	    !entry[n]) {
		snprintf(node, 32, "nvme%un%u", subsystem, id);
		return true;
	}
	if (sscanf(entry, "nvme%uc%un%u%n", &subsystem, &path, &id, &n) == 3 &&
	    !entry[n]) {
		snprintf(node, 32, "nvme%un%u", subsystem, id);
		return true;
	}
	return false;
}

static int read_block(int fd)
{
	_Alignas(BLOCK) char block[BLOCK];

	return pread(fd, block, sizeof(block), 0) < 0 ? errno : 0;
}

int ssdpm__nvme_wake(const struct ssdpm_machine *machine,
		     const struct ssdpm_device_facts *facts,
		     struct ssdpm_error *reterr)
{
	char node[32] = "";
	struct names names;
	int err, fd;

	err = ssdpm__list_names(machine, facts->path + 1, &names);
	if (err)
		return ssdpm__fail_command(machine, facts->name, command, -err,
					   reterr);
	for (size_t i = 0; i < names.n; i++)
		if (take_namespace(names.names[i], node))
			break;
	ssdpm__free_names(&names);
	if (!node[0])
		return ssdpm__fail(reterr, -ENODEV, 0,
				   "%s has no namespace that could be read to "
				   "wake it",
				   facts->name);
	fd = ssdpm__open_node(machine, node, O_RDONLY | O_DIRECT, command,
			      reterr);
	if (fd < 0)
		return fd;
	err = read_block(fd);
	close(fd);
	if (err)
		return ssdpm__fail_command(machine, node, command, err, reterr);
	return 0;
}
