/* SPDX-License-Identifier: MIT */
/*
 * The kernel's log. Linux may turn off a setting by itself, and its files in
 * sysfs then read as before: the log alone says so.
 */
#include "bisect/bisect-log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define KERNEL_LOG "/dev/kmsg"
/* A record of Linux has at most 8 KiB. */
#define RECORD_BYTES 8192

int open_kernel_log(void)
{
	return open(KERNEL_LOG, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

bool read_kernel_log(int fd, log_reader *take, void *userdata)
{
	char record[RECORD_BYTES + 1];
	bool is_whole = true;
	ssize_t n;

	for (;;) {
		n = read(fd, record, RECORD_BYTES);
		/* EPIPE: records were overwritten before they were read. */
		if (n < 0 && errno == EPIPE)
			is_whole = false;
		if (n < 0 && (errno == EINTR || errno == EPIPE))
			continue;
		if (n <= 0)
			return is_whole;
		record[n] = 0;
		for (char *rest = record, *line; (line = strsep(&rest, "\n"));)
			take(userdata, line);
	}
}

bool is_setting_lost(uint32_t fault)
{
	return fault == SSDPM_FAULT_LPM_OFF || fault == SSDPM_FAULT_APST_FAILED;
}

const char *lost_setting_text(uint32_t fault)
{
	switch (fault) {
	case SSDPM_FAULT_NCQ_OFF:
		return "after errors Linux has turned NCQ off";
	case SSDPM_FAULT_SLOWED:
		return "after errors Linux has slowed the link down";
	case SSDPM_FAULT_LPM_OFF:
		return "Linux has given up LPM of its link, until the next "
		       "boot";
	default:
		return "Linux could not set its APST table";
	}
}

bool is_fault_of(const struct ssdpm_fault *fault,
		 const struct ssdpm_device *device)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);

	return ssdpm_fault_is_of(fault->device, facts->name, facts->path,
				 facts->ata_port);
}

struct fault_sign sign_of_fault(const struct ssdpm_fault *fault)
{
	const char *kind = ssdpm_fault_kind_to_string(fault->kind);

	return (struct fault_sign){ cell("%s: %s", fault->device, kind),
				    fault->time_us };
}

/* Faults of a drive in all records from one on. */
struct history {
	const struct ssdpm_device *device; /* NULL: none */
	uint64_t from;
	bool has_begun;
	uint64_t first; /* the number of the oldest record */
	uint64_t next;	/* the one after the newest */
	uint32_t faults;
	struct fault_sign sign; /* the first one */
};

/* "6,1234,5678901,-;text"; false: the line continues a record. */
static bool take_number(const char *line, uint64_t *ret_number)
{
	unsigned long long number;

	if (sscanf(line, "%*u,%llu,", &number) != 1)
		return false;
	*ret_number = number;
	return true;
}

static void take_line(void *userdata, const char *line)
{
	struct ssdpm_fault fault = { .size = sizeof(fault) };
	struct history *h = userdata;
	uint64_t number;

	if (!take_number(line, &number))
		return;
	if (!h->has_begun)
		h->first = number;
	h->has_begun = true;
	h->next = number + 1;
	if (!h->device || number < h->from)
		return;
	ssdpm_fault_from_line(line, strlen(line), &fault, NULL);
	if (!fault.kind || !is_fault_of(&fault, h->device))
		return;
	h->faults |= 1U << fault.kind;
	if (!h->sign.what.text[0] && !is_setting_lost(fault.kind) &&
	    fault.kind != SSDPM_FAULT_CORRECTED)
		h->sign = sign_of_fault(&fault);
}

/* false: a capture has no log, and a pipe begins nowhere. */
static bool read_history(const struct search *search, struct history *h)
{
	const int fd = search->live->root ? -1 : open_kernel_log();
	const bool is_whole = fd >= 0 && !lseek(fd, 0, SEEK_SET);

	if (is_whole)
		read_kernel_log(fd, take_line, h);
	if (fd >= 0)
		close(fd);
	return is_whole;
}

uint64_t next_record(const struct search *search)
{
	struct history h = { .device = NULL };

	return read_history(search, &h) ? h.next : NO_RECORD;
}

bool find_past_faults(const struct search *search, size_t drive, uint64_t from,
		      uint32_t *ret_faults, struct fault_sign *ret_first)
{
	struct ssdpm_device *device =
		read_searched(search, &search->drives[drive]);
	struct history h = { .device = device, .from = from };
	const bool is_known = from != NO_RECORD && read_history(search, &h) &&
			      h.first <= from;

	ssdpm_device_unref(device);
	*ret_faults = h.faults;
	*ret_first = h.sign;
	return is_known;
}
