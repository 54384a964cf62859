/* SPDX-License-Identifier: MIT */
/*
 * The kernel's log names the power states that PCI devices reached. It also
 * says whether the NVMe driver shuts a drive down at a suspend to idle.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/internal.h"
#include "suspend/internal.h"

/* A record of Linux has at most 8 KiB. */
#define RECORD_BYTES 8192
/* The log of a capture. */
#define MAX_LOG (4 << 20)

/* "D0" to "D3cold", as pci_power_name() of Linux writes them. */
static bool take_state(struct span *text, uint64_t *ret_state)
{
	static const char states[][8] = { "D0", "D1", "D2", "D3hot", "D3cold" };

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (ssdpm__take(text, states[i])) {
			*ret_state = i;
			return true;
		}
	return false;
}

/* The word before a mark, and what follows it: "0000:04:00.0: MARK..." */
static bool split(struct span line, const char *mark, struct span *ret_word,
		  struct span *ret_rest)
{
	struct span at = line;
	bool has_mark = false;

	while (at.at < at.end && !has_mark) {
		line.end = at.at;
		has_mark = ssdpm__take(&at, mark);
		if (!has_mark)
			at.at++;
	}
	if (!has_mark)
		return false;
	/* Before the address are a driver, a priority and a time. */
	*ret_word = line;
	for (const char *c = line.at; c < line.end; c++)
		if (*c == ' ' || *c == ';')
			ret_word->at = c + 1;
	*ret_rest = at;
	return ret_word->at < ret_word->end;
}

/* "0000:04:00.0: PCI PM: Suspend power state: D3hot" */
static bool parse_state(struct span line, struct span *ret_address,
			uint64_t *ret_state)
{
	struct span rest;

	return split(line, ": PCI PM: Suspend power state: ", ret_address,
		     &rest) &&
	       take_state(&rest, ret_state);
}

/* nvme_probe(): acpi_storage_d3() of the device is true, or forced so. */
static bool parse_quirk(struct span line, struct span *ret_address)
{
	struct span rest;

	return split(line, ": platform quirk: setting simple suspend",
		     ret_address, &rest);
}

int ssdpm_suspend_reading_add_log(struct ssdpm_suspend_reading *reading,
				  const char *text, size_t size,
				  struct ssdpm_error *reterr)
{
	struct lines lines = { .rest = ssdpm__span(text, size) };
	struct span line, address;
	uint64_t state;
	int err = 0;

	while (!err && ssdpm__next_line(&lines, &line))
		if (parse_state(line, &address, &state))
			err = ssdpm__reading_add(
				reading, SSDPM_SLEEP_COUNTER_D_STATE, address,
				SSDPM__KERNEL_LOG, state);
		else if (parse_quirk(line, &address))
			err = ssdpm__reading_add(
				reading, SSDPM_SLEEP_COUNTER_SIMPLE_SUSPEND,
				address, SSDPM__KERNEL_LOG, 1);
	return err ? ssdpm__fail(reterr, err, 0, "more than %u counters",
				 MAX_COUNTERS) :
		     0;
}

struct boot_log {
	struct ssdpm_suspend_reading *reading;
	bool is_whole; /* it begins with the boot */
};

/* Its first line; in /dev/kmsg, of dmesg and of journalctl. */
static bool is_first(struct span line)
{
	return ssdpm__span_contains(line, ";Linux version ") ||
	       ssdpm__span_contains(line, "] Linux version ") ||
	       ssdpm__span_contains(line, "kernel: Linux version ");
}

/* "nvme nvme0: pci function 0000:04:00.0" comes after the quirk, if any. */
static void take_probe(struct boot_log *log, struct span line)
{
	struct counter like = { .counter = SSDPM_SLEEP_COUNTER_SIMPLE_SUSPEND,
				.source = SSDPM__KERNEL_LOG };
	struct span address, drive;
	bool has_quirk = parse_quirk(line, &address);

	if (!has_quirk && (!log->is_whole ||
			   !split(line, ": pci function ", &drive, &address)))
		return;
	if (!ssdpm__span_copy(address, like.name, sizeof(like.name)) ||
	    (!has_quirk && ssdpm__reading_find(log->reading, &like)))
		return;
	/* A machine with more than there is room for shows the first ones. */
	(void)ssdpm__reading_add(log->reading, like.counter, address,
				 like.source, has_quirk);
}

static void take_lines(struct boot_log *log, const char *text, size_t size)
{
	struct lines lines = { .rest = ssdpm__span(text, size) };
	struct span line;

	while (ssdpm__next_line(&lines, &line)) {
		if (is_first(line))
			log->is_whole = true;
		take_probe(log, line);
	}
}

/* A record for each call; EPIPE: some were overwritten. */
static void read_records(struct boot_log *log, int fd)
{
	char record[RECORD_BYTES];
	ssize_t n;

	while ((n = read(fd, record, sizeof(record))) > 0 ||
	       (n < 0 && (errno == EPIPE || errno == EINTR)))
		if (n > 0)
			take_lines(log, record, (size_t)n);
		else if (errno == EPIPE)
			log->is_whole = false;
}

/* Where it may not be read, nothing is known. */
int ssdpm__reading_add_boot_log(struct ssdpm_suspend_reading *reading,
				const struct ssdpm_machine *machine)
{
	struct boot_log log = { .reading = reading };
	char *text;
	int fd;

	if (!ssdpm_machine_get_capture(machine)) {
		fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0) {
			read_records(&log, fd);
			close(fd);
		}
		return 0;
	}
	text = malloc(MAX_LOG);
	if (!text)
		return -ENOMEM;
	if (!ssdpm_machine_read_attribute(machine, "dev/kmsg", text, MAX_LOG,
					  NULL))
		take_lines(&log, text, strlen(text));
	free(text);
	return 0;
}
