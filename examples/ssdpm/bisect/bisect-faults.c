/* SPDX-License-Identifier: MIT */
/*
 * Faults of the drives while a trial runs: the kernel's log, AER, and drives
 * that go away.
 */
#include "bisect/bisect-run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KERNEL_LOG "/dev/kmsg"
/* A record of Linux has at most 8 KiB. */
#define RECORD_BYTES 8192

static bool is_sign(const struct fault_watch *w, const char *line, size_t size,
		    struct cell *ret_what)
{
	struct ssdpm_fault fault = { .size = sizeof(fault) };

	ssdpm_fault_from_line(line, size, &fault, NULL);
	if (!fault.kind ||
	    (fault.kind == SSDPM_FAULT_CORRECTED && !w->corrected))
		return false;
	for (size_t i = 0; i < w->drives->n; i++) {
		const struct ssdpm_device_facts *facts =
			ssdpm_device_get_facts(w->drives->drives[i].device);

		if (!ssdpm_fault_is_of(fault.device, facts->name, facts->path,
				       facts->ata_port))
			continue;
		*ret_what = cell("%s: %s", fault.device,
				 ssdpm_fault_kind_to_string(fault.kind));
		return true;
	}
	return false;
}

/* All lines that have come; the first sign counts. */
static bool look_into_log(const struct fault_watch *w, struct cell *ret_what)
{
	char record[RECORD_BYTES + 1];
	bool found = false;
	ssize_t n;

	for (;;) {
		n = read(w->fd, record, RECORD_BYTES);
		/* EPIPE: records were overwritten before they were read. */
		if (n < 0 && (errno == EINTR || errno == EPIPE))
			continue;
		if (n <= 0)
			return found;
		record[n] = 0;
		for (char *rest = record, *line;
		     !found && (line = strsep(&rest, "\n"));)
			found = is_sign(w, line, strlen(line), ret_what);
	}
}

/* 0: the file is not there. */
static uint64_t count_file(const struct fault_watch *w, const char *address,
			   size_t n, const char *file)
{
	char path[128], text[1024];
	uint64_t count;

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%.*s/%s", (int)n,
		 address, file);
	if (ssdpm_machine_read_attribute(w->live->machine, path, text,
					 sizeof(text), NULL) ||
	    ssdpm_fault_count_aer(text, strlen(text), &count, NULL))
		return 0;
	return count;
}

/* Counts errors of the controller and of all bridges above it. */
static uint64_t count_aer(const struct fault_watch *w, const char *path)
{
	uint64_t count = 0;

	while ((path = strchr(path, '/'))) {
		const size_t n = strcspn(++path, "/");

		/* "0000:04:00.0" */
		if (n != 12 || path[4] != ':' || path[7] != ':')
			continue;
		count += count_file(w, path, n, "aer_dev_fatal") +
			 count_file(w, path, n, "aer_dev_nonfatal");
		if (w->corrected)
			count += count_file(w, path, n, "aer_dev_correctable");
	}
	return count;
}

static uint64_t count_all_aer(const struct fault_watch *w)
{
	uint64_t count = 0;

	for (size_t i = 0; i < w->drives->n; i++)
		count += count_aer(
			w, ssdpm_device_get_facts(w->drives->drives[i].device)
				   ->path);
	return count;
}

enum exit_status open_fault_watch(struct fault_watch *w)
{
	w->fd = open(KERNEL_LOG, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (w->fd < 0) {
		complain("%s: %s", KERNEL_LOG, strerror(errno));
		return status_of_error(-errno);
	}
	/* A pipe has no end, and nothing before it. */
	lseek(w->fd, 0, SEEK_END);
	w->n_aer = count_all_aer(w);
	return STATUS_DONE;
}

void close_fault_watch(struct fault_watch *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}

static bool is_gone(const struct fault_watch *w, struct cell *ret_what)
{
	for (size_t i = 0; i < w->drives->n; i++) {
		const struct ssdpm_device_facts *facts =
			ssdpm_device_get_facts(w->drives->drives[i].device);

		if (!access(facts->path, F_OK))
			continue;
		*ret_what = cell("%s: gone", facts->name);
		return true;
	}
	return false;
}

bool find_fault(struct fault_watch *w, struct cell *ret_what)
{
	const uint64_t n_aer = count_all_aer(w);

	if (look_into_log(w, ret_what) || is_gone(w, ret_what))
		return true;
	if (n_aer <= w->n_aer)
		return false;
	*ret_what = cell("%llu errors of PCIe AER",
			 (unsigned long long)(n_aer - w->n_aer));
	w->n_aer = n_aer;
	return true;
}
