/* SPDX-License-Identifier: MIT */
/*
 * While the drives work hard, the trace is off and their I/Os are only counted.
 * A line of text costs the machine 13,000 instructions, mostly those of Linux
 * that print it, and a drive that works does not sleep anyway. See
 * tests/vm/test_watch_cost.py.
 */
#include "watch/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* So much text goes on for ever: 2,000 I/Os a second of a whole disk. */
#define LINES_PER_S 6000
/*
 * Processor time that counts as a line: 6,000 take 2.4 % of a processor. On a
 * slow one a line takes longer, and fewer may come. Linux takes some time more
 * in the processes that do the I/Os.
 */
#define LINE_NS 4000
/* Counting takes at most 1 % of a processor. */
#define COUNT_SHARE 100
#define COUNT_WAIT_MS 10
#define COUNT_MOST_WAIT_MS 200
/* As much at once is a burst, such as the start of a program. */
#define BURST_S 4
#define BURST (BURST_S * LINES_PER_S * (int64_t)SECOND_NS)
/* A debt is paid within a minute, and no product below overflows. */
#define MOST_DEBT (14 * BURST)
#define MOST_LINES (1u << 30)
/* Drives that do less are traced again: with four lines an I/O, too. */
#define QUIET_IOS_PER_S 1500
#define QUIET_NS (SECOND_NS / 10)

/* "nvme0c0n1" is a path to nvme0n1, which counts the same. */
static bool is_path(const char *name)
{
	return !strncmp(name, "nvme", 4) && strchr(name + 4, 'c');
}

/* Documentation/block/stat.rst of Linux; older ones have fewer fields. */
static bool parse_stat(const char *text, struct drive_ios *ios)
{
	enum { READS, WRITES = 4, IN_FLIGHT = 8, DISCARDS = 11, FLUSHES = 15 };
	/* The kernel aligns its numbers: blanks come first. */
	struct span span = ssdpm__span_trim(ssdpm__span(text, strlen(text)));
	uint64_t value;
	int n = 0;

	for (; ssdpm__take_uint(&span, UINT64_MAX, &value); n++) {
		if (n == READS || n == WRITES || n == IN_FLIGHT ||
		    n == DISCARDS || n == FLUSHES)
			ios->begun += value;
		if (n == IN_FLIGHT)
			ios->in_flight += value;
	}
	return n > IN_FLIGHT;
}

/* The namespaces of a drive together; one that cannot be read counts nothing.
 */
static struct drive_ios count_ios(const struct ssdpm_watch *watch,
				  const struct watched *drive)
{
	struct drive_ios all = { 0 };

	for (size_t i = 0; i < drive->n_disks; i++) {
		const struct ssdpm_disk *disk = &drive->disks[i];
		struct drive_ios more = all;
		char path[80], text[512];

		if (disk->part != SSDPM_DISK_WHOLE || is_path(disk->name))
			continue;
		snprintf(path, sizeof(path), "sys/class/block/%s/stat",
			 disk->name);
		if (!ssdpm_machine_read_attribute(watch->machine, path, text,
						  sizeof(text), NULL) &&
		    parse_stat(text, &more))
			all = more;
	}
	return all;
}

/* Does the kernel count the I/Os of all drives? */
static bool are_counted(struct ssdpm_watch *watch)
{
	bool all = true;

	for (size_t i = 0; i < watch->n; i++) {
		struct watched *drive = &watch->drives[i];
		char path[80], text[32];

		snprintf(path, sizeof(path), "sys/class/block/%s/queue/iostats",
			 drive->disks[0].name);
		if (!ssdpm_machine_read_attribute(watch->machine, path, text,
						  sizeof(text), NULL) &&
		    text[0] == '1')
			continue;
		drive->flags |= SSDPM_WATCH_UNCOUNTED;
		all = false;
	}
	return all;
}

void ssdpm__load_begin(struct ssdpm_watch *watch)
{
	watch->load.budget = BURST;
	watch->load.paid_ns = watch->now_ns;
}

static uint64_t processor_ns(void)
{
	return ssdpm__watch_read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void ssdpm__load_begin_step(struct ssdpm_watch *watch)
{
	watch->load.step_ns = processor_ns();
}

/* What was read since the last call, against what time has given. */
static void pay(struct ssdpm_watch *watch, uint64_t took_ns)
{
	struct watch_load *load = &watch->load;
	const uint64_t n_lines =
		ssdpm_observation_get_counts(watch->observation)->n_lines;
	uint64_t passed_ns = watch->now_ns - load->paid_ns;
	uint64_t n = n_lines - load->n_lines;

	if (n < took_ns / LINE_NS)
		n = took_ns / LINE_NS;
	if (passed_ns > BURST_S * SECOND_NS)
		passed_ns = BURST_S * SECOND_NS;
	if (n > MOST_LINES)
		n = MOST_LINES;
	load->budget += (int64_t)(passed_ns * LINES_PER_S);
	if (load->budget > BURST)
		load->budget = BURST;
	load->budget -= (int64_t)(n * SECOND_NS);
	if (load->budget < -MOST_DEBT)
		load->budget = -MOST_DEBT;
	load->n_lines = n_lines;
	load->paid_ns = watch->now_ns;
}

uint32_t ssdpm__load_get_wait_ms(const struct ssdpm_watch *watch)
{
	const uint64_t wait_ms = watch->load.count_ns / (1000000 / COUNT_SHARE);

	if (wait_ms < COUNT_WAIT_MS)
		return COUNT_WAIT_MS;
	return wait_ms < COUNT_MOST_WAIT_MS ? (uint32_t)wait_ms :
					      COUNT_MOST_WAIT_MS;
}

bool ssdpm__load_is_too_much(struct ssdpm_watch *watch)
{
	struct watch_load *load = &watch->load;

	pay(watch, processor_ns() - load->step_ns);
	if (load->budget >= 0 || load->stays_on)
		return false;
	load->stays_on = !are_counted(watch);
	return !load->stays_on;
}

void ssdpm__load_begin_gap(struct ssdpm_watch *watch)
{
	watch->load.is_off = true;
	for (size_t i = 0; i < watch->n; i++)
		watch->drives[i].told = watch->drives[i].seen =
			count_ios(watch, &watch->drives[i]);
}

void ssdpm__load_begin_gap_time(struct ssdpm_watch *watch)
{
	struct watch_load *load = &watch->load;

	load->from_ns = load->quiet_ns = load->looked_ns = watch->now_ns;
}

/* I/Os since the last look. The counters of a drive that went away do, too. */
static uint64_t count_all(struct ssdpm_watch *watch)
{
	uint64_t n = 0;

	for (size_t i = 0; i < watch->n; i++) {
		struct watched *drive = &watch->drives[i];
		const struct drive_ios seen = count_ios(watch, drive);

		if (seen.begun >= drive->seen.begun) {
			n += seen.begun - drive->seen.begun;
			drive->seen = seen;
		} else {
			drive->seen.in_flight = 0;
		}
	}
	return n;
}

bool ssdpm__load_is_quiet(struct ssdpm_watch *watch)
{
	struct watch_load *load = &watch->load;
	const uint64_t took_ns = watch->now_ns - load->looked_ns;
	const uint64_t n = count_all(watch);

	/* n / took > QUIET / s, without a product that overflows */
	if (n > took_ns / (SECOND_NS / QUIET_IOS_PER_S))
		load->quiet_ns = watch->now_ns;
	load->looked_ns = watch->now_ns;
	load->count_ns = processor_ns() - load->step_ns;
	pay(watch, 0);
	return load->looked_ns - load->quiet_ns >= QUIET_NS &&
	       load->budget >= BURST / 2;
}

static int tell_gap(struct ssdpm_watch *watch, struct watched *drive,
		    struct ssdpm_error *reterr)
{
	const struct drive_ios told = drive->told, seen = drive->seen;

	drive->told = seen;
	/* It is known to have rested. */
	if (seen.begun == told.begun && !told.in_flight && !seen.in_flight)
		return 0;
	return ssdpm__watch_tell_gap(watch, drive, watch->load.from_ns,
				     seen.begun - told.begun, reterr);
}

int ssdpm__load_tell_gaps(struct ssdpm_watch *watch, struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < watch->n && !err; i++)
		err = tell_gap(watch, &watch->drives[i], reterr);
	watch->load.from_ns = watch->now_ns;
	return err ? err :
		     ssdpm_observation_advance(watch->observation,
					       watch->now_ns, reterr);
}
