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
#include "base/kernel-log.h"
#include "suspend/internal.h"

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

/* "nvme 0000:04:00.0: PCI PM: Suspend power state: D3hot" */
static bool parse_state(struct span message, struct span *ret_address,
			uint64_t *ret_state)
{
	struct span driver, rest;

	return ssdpm__log_split(message,
				": PCI PM: Suspend power state: ", &driver,
				ret_address, &rest) &&
	       take_state(&rest, ret_state);
}

struct boot_log {
	struct ssdpm_suspend_reading *reading;
	bool has_states; /* those of a suspend that is of interest */
	bool is_whole;	 /* it begins with the boot */
	/* By counter: what these lines have of its driver so far. */
	enum driver_lines {
		NO_LINE,
		QUIRK_LINE,
		PROBE_LINE
	} seen[MAX_COUNTERS];
};

/* Drops lines of an earlier boot, or from before lines that are lost. */
static void forget(struct boot_log *log)
{
	struct ssdpm_suspend_reading *reading = log->reading;
	size_t n = 0;

	for (size_t i = 0; i < reading->n; i++)
		if (strcmp(reading->counters[i].source, SSDPM__KERNEL_LOG) != 0)
			reading->counters[n++] = reading->counters[i];
	reading->n = n;
	memset(log->seen, 0, sizeof(log->seen));
}

/* -1: the log has not said of a drive what its driver found. */
static int find_driver(const struct boot_log *log, struct span address)
{
	struct counter like = { .counter = SSDPM_SLEEP_COUNTER_SIMPLE_SUSPEND,
				.source = SSDPM__KERNEL_LOG };
	const struct counter *known;

	if (!ssdpm__span_copy(address, like.name, sizeof(like.name)))
		return -1;
	known = ssdpm__reading_find(log->reading, &like);
	return known ? (int)(known - log->reading->counters) : -1;
}

static int set_driver(struct boot_log *log, struct span address, bool quirk)
{
	const int err = ssdpm__reading_add(log->reading,
					   SSDPM_SLEEP_COUNTER_SIMPLE_SUSPEND,
					   address, SSDPM__KERNEL_LOG, quirk);
	const int i = find_driver(log, address);

	if (i >= 0)
		log->seen[i] = quirk ? QUIRK_LINE : PROBE_LINE;
	return err;
}

/* A driver that is bound again may find otherwise, as with nvme.noacpi. */
static int take_probe(struct boot_log *log, struct span address)
{
	const int i = find_driver(log, address);
	const enum driver_lines seen = i >= 0 ? log->seen[i] : NO_LINE;

	if (seen == QUIRK_LINE) {
		log->seen[i] = PROBE_LINE;
		return 0;
	}
	/* Without the lines before, a quirk may be among the lost ones. */
	return seen == PROBE_LINE || log->is_whole ?
		       set_driver(log, address, false) :
		       0;
}

static int take_line(struct boot_log *log, struct span line)
{
	struct span message, drive, address;
	uint64_t state;

	if (!ssdpm__log_message(line, &message))
		return 0;
	if (log->has_states && parse_state(message, &address, &state))
		return ssdpm__reading_add(log->reading,
					  SSDPM_SLEEP_COUNTER_D_STATE, address,
					  SSDPM__KERNEL_LOG, state);
	if (ssdpm__log_quirk(message, &address))
		return set_driver(log, address, true);
	if (ssdpm__log_probe(message, &drive, &address))
		return take_probe(log, address);
	/* The first line of a boot. */
	if (ssdpm__log_boot(message)) {
		forget(log);
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
	char record[SSDPM__LOG_RECORD_BYTES];
	ssize_t n;

	while ((n = read(fd, record, sizeof(record))) > 0 ||
	       (n < 0 && (errno == EPIPE || errno == EINTR)))
		if (n > 0)
			(void)take_lines(log, record, (size_t)n);
		else if (errno == EPIPE) {
			forget(log);
			log->is_whole = false;
		}
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
	text = malloc(SSDPM__LOG_BYTES);
	if (!text)
		return -ENOMEM;
	if (!ssdpm_machine_read_attribute(machine, "dev/kmsg", text,
					  SSDPM__LOG_BYTES, NULL))
		(void)take_lines(&log, text, strlen(text));
	free(text);
	return 0;
}
