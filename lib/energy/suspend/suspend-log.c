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

/* A line is cut in two at a mark. */
static bool cut(struct span line, const char *mark, struct span *ret_before,
		struct span *ret_after)
{
	struct span at = line;

	for (; at.at < at.end; at.at++) {
		line.end = at.at;
		if (ssdpm__take(&at, mark)) {
			*ret_before = line;
			*ret_after = at;
			return true;
		}
	}
	return false;
}

/* journalctl: "Nov 30 17:43:50 host kernel: "; dmesg -x: "kern  :info  : " */
static bool is_of_kernel(struct span head)
{
	struct span word, last = { 0 };
	struct span rest = head;

	while (ssdpm__take_word(&rest, &word))
		last = word;
	return ssdpm__span_is(last, "kernel") || ssdpm__take(&head, "kern  :");
}

/* "2026-11-30T17:43:50,123456+00:00", as dmesg --time-format iso has it. */
static bool is_time(struct span word)
{
	for (; word.at < word.end; word.at++)
		if (!strchr("0123456789-T:,.+Z", *word.at))
			return false;
	return true;
}

/* "<6>", "[   12.345678] ", and "[   T12] " of the caller. */
static void skip_time(struct span *line)
{
	struct span before, rest = *line;
	uint64_t priority;

	if (ssdpm__take(&rest, "<") &&
	    ssdpm__take_uint(&rest, UINT64_MAX, &priority) &&
	    ssdpm__take(&rest, ">"))
		*line = rest;
	while (line->at < line->end && *line->at == '[' &&
	       cut(*line, "]", &before, &rest))
		*line = rest;
	rest = *line;
	if (ssdpm__take_word(&rest, &before) && is_time(before))
		*line = rest;
}

/* What Linux itself wrote. Programs write to /dev/kmsg and the journal, too. */
static bool find_message(struct span line, struct span *ret_message)
{
	struct span before, after, number = line;
	uint64_t priority;

	/* "6,1234,5678,-;": LOG_KERN is 0, and a program cannot give that. */
	if (ssdpm__take_uint(&number, UINT64_MAX, &priority) &&
	    ssdpm__take(&number, ",") && cut(line, ";", &before, &after)) {
		*ret_message = after;
		return priority < 8;
	}
	if (cut(line, ": ", &before, &after) && is_of_kernel(before))
		line = after;
	skip_time(&line);
	*ret_message = line;
	return true;
}

/* "nvme 0000:04:00.0MARK": the driver, which is one word, and the device. */
static bool split(struct span message, const char *mark,
		  struct span *ret_driver, struct span *ret_device,
		  struct span *ret_rest)
{
	struct span head;

	return cut(message, mark, &head, ret_rest) &&
	       ssdpm__take_word(&head, ret_driver) &&
	       ret_driver->end[-1] != ':' &&
	       ssdpm__take_word(&head, ret_device) && head.at == head.end;
}

/* "nvme 0000:04:00.0: PCI PM: Suspend power state: D3hot" */
static bool parse_state(struct span message, struct span *ret_address,
			uint64_t *ret_state)
{
	struct span driver, rest;

	return split(message, ": PCI PM: Suspend power state: ", &driver,
		     ret_address, &rest) &&
	       take_state(&rest, ret_state);
}

/* nvme_probe(): acpi_storage_d3() of the device is true, or forced so. */
static bool parse_quirk(struct span message, struct span *ret_address)
{
	struct span driver, rest;

	return split(message, ": platform quirk: setting simple suspend",
		     &driver, ret_address, &rest) &&
	       ssdpm__span_is(driver, "nvme");
}

/* "nvme nvme0: pci function 0000:04:00.0" comes after the quirk, if any. */
static bool parse_probe(struct span message, struct span *ret_address)
{
	struct span driver, drive;

	return split(message, ": pci function ", &driver, &drive,
		     ret_address) &&
	       ssdpm__span_is(driver, "nvme");
}

struct boot_log {
	struct ssdpm_suspend_reading *reading;
	bool has_states; /* those of a suspend that is of interest */
	bool is_whole;	 /* it begins with the boot */
};

/* What the log said of an earlier boot. */
static void forget(struct ssdpm_suspend_reading *reading)
{
	size_t n = 0;

	for (size_t i = 0; i < reading->n; i++)
		if (strcmp(reading->counters[i].source, SSDPM__KERNEL_LOG) != 0)
			reading->counters[n++] = reading->counters[i];
	reading->n = n;
}

static int take_probe(struct boot_log *log, struct span address)
{
	struct counter like = { .counter = SSDPM_SLEEP_COUNTER_SIMPLE_SUSPEND,
				.source = SSDPM__KERNEL_LOG };

	if (!log->is_whole ||
	    !ssdpm__span_copy(address, like.name, sizeof(like.name)) ||
	    ssdpm__reading_find(log->reading, &like))
		return 0;
	return ssdpm__reading_add(log->reading, like.counter, address,
				  like.source, 0);
}

static int take_line(struct boot_log *log, struct span line)
{
	struct span message, address;
	uint64_t state;

	if (!find_message(line, &message))
		return 0;
	if (log->has_states && parse_state(message, &address, &state))
		return ssdpm__reading_add(log->reading,
					  SSDPM_SLEEP_COUNTER_D_STATE, address,
					  SSDPM__KERNEL_LOG, state);
	if (parse_quirk(message, &address))
		return ssdpm__reading_add(log->reading,
					  SSDPM_SLEEP_COUNTER_SIMPLE_SUSPEND,
					  address, SSDPM__KERNEL_LOG, 1);
	if (parse_probe(message, &address))
		return take_probe(log, address);
	/* The first line of a boot. */
	if (ssdpm__take(&message, "Linux version ")) {
		forget(log->reading);
		log->is_whole = true;
	}
	return 0;
}

/* -E2BIG: it has the first ones that there is room for. */
static int take_lines(struct boot_log *log, const char *text, size_t size)
{
	struct lines lines = { .rest = ssdpm__span(text, size) };
	struct span line;
	int err = 0;

	while (ssdpm__next_line(&lines, &line)) {
		const int failed = take_line(log, line);

		err = err ? err : failed;
	}
	return err;
}

int ssdpm_suspend_reading_add_log(struct ssdpm_suspend_reading *reading,
				  const char *text, size_t size,
				  struct ssdpm_error *reterr)
{
	struct boot_log log = { .reading = reading, .has_states = true };
	int err = take_lines(&log, text, size);

	return err ? ssdpm__fail(reterr, err, 0, "more than %u counters",
				 MAX_COUNTERS) :
		     0;
}

/* A record for each call; EPIPE: some were overwritten. */
static void read_records(struct boot_log *log, int fd)
{
	char record[RECORD_BYTES];
	ssize_t n;

	while ((n = read(fd, record, sizeof(record))) > 0 ||
	       (n < 0 && (errno == EPIPE || errno == EINTR)))
		if (n > 0)
			(void)take_lines(log, record, (size_t)n);
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
		(void)take_lines(&log, text, strlen(text));
	free(text);
	return 0;
}
