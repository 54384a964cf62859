/* SPDX-License-Identifier: MIT */
/*
 * Faults of the drives while a trial runs: the kernel's log, AER, and drives
 * that go away.
 */
#include "bisect/bisect-log.h"
#include "bisect/bisect-run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A line of the log is of one of the drives. */
static void take_fault(struct fault_watch *w, const struct ssdpm_fault *fault,
		       const char *drive)
{
	if (!is_setting_lost(fault->kind)) {
		if (!w->first.what.text[0])
			w->first = sign_of_fault(fault);
	} else if (!w->lost) {
		w->lost = fault->kind;
		w->lost_drive = drive;
	}
}

/* The first sign counts. */
static void take_line(void *userdata, const char *line)
{
	struct ssdpm_fault fault = { .size = sizeof(fault) };
	struct fault_watch *w = userdata;

	ssdpm_fault_from_line(line, strlen(line), &fault, NULL);
	if (!fault.kind ||
	    (fault.kind == SSDPM_FAULT_CORRECTED && !w->corrected))
		return;
	for (size_t i = 0; i < w->drives->n; i++)
		if (is_fault_of(&fault, w->drives->drives[i].device))
			take_fault(w, &fault, w->drives->drives[i].name);
}

/* All lines that have come. */
static bool look_into_log(struct fault_watch *w, struct fault_sign *ret_sign)
{
	w->first.what = cell("%s", "");
	if (!read_kernel_log(w->fd, take_line, w))
		w->has_gap = true;
	if (!w->first.what.text[0])
		return false;
	*ret_sign = w->first;
	return true;
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
	w->fd = open_kernel_log();
	if (w->fd < 0)
		return cannot("read", "/dev/kmsg", errno);
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

/* The kernel's log has no time asleep, and neither has this clock. */
static struct fault_sign sign_of_now(struct cell what)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (struct fault_sign){ what,
				    (uint64_t)now.tv_sec * 1000000 +
					    (uint64_t)now.tv_nsec / 1000 };
}

static bool is_gone(const struct fault_watch *w, struct fault_sign *ret_sign)
{
	for (size_t i = 0; i < w->drives->n; i++) {
		const struct ssdpm_device_facts *facts =
			ssdpm_device_get_facts(w->drives->drives[i].device);

		if (!access(facts->path, F_OK))
			continue;
		*ret_sign = sign_of_now(cell("%s: gone", facts->name));
		return true;
	}
	return false;
}

bool find_fault(struct fault_watch *w, struct fault_sign *ret_sign)
{
	const uint64_t n_aer = count_all_aer(w);

	if (w->past.what.text[0]) {
		*ret_sign = w->past;
		w->past.what = cell("%s", "");
		return true;
	}
	if (look_into_log(w, ret_sign) || is_gone(w, ret_sign))
		return true;
	if (n_aer <= w->n_aer)
		return false;
	*ret_sign = sign_of_now(cell("%llu errors of PCIe AER",
				     (unsigned long long)(n_aer - w->n_aer)));
	w->n_aer = n_aer;
	return true;
}
