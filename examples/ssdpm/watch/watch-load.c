/* SPDX-License-Identifier: MIT */
/*
 * While the drives work hard, the trace is off and their I/Os are only counted.
 * A line of text costs the machine about 2 us, and a drive that works does not
 * sleep anyway.
 */
#include "survey/survey.h"
#include "watch/watch-load.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* So much text goes on for ever: 16 ms of each second. */
#define LINES_PER_S 8000
/* As much at once is a burst, such as the start of a program. */
#define BURST_LINES (3 * LINES_PER_S)
/* Drives that do less are traced again. */
#define QUIET_IOS_PER_S 2000
#define POLL_MS 10
#define QUIET_NS (SECOND_NS / 10)

static bool is_path(const char *name)
{
	unsigned int numbers[3];

	return sscanf(name, "nvme%uc%un%u", &numbers[0], &numbers[1],
		      &numbers[2]) == 3;
}

/* The namespaces of a drive together; one that cannot be read counts nothing.
 */
static struct drive_ios count_ios(const struct watched *watched)
{
	struct drive_ios all = { 0 };

	for (size_t i = 0; i < watched->n_disks; i++) {
		unsigned long long reads, writes, flying, discards = 0;
		unsigned long long flushes = 0;
		char path[80];
		FILE *file;

		/* nvme0c0n1 is a path to nvme0n1, which counts the same. */
		if (watched->disks[i].part != SSDPM_DISK_WHOLE ||
		    is_path(watched->disks[i].name))
			continue;
		snprintf(path, sizeof(path), "/sys/class/block/%s/stat",
			 watched->disks[i].name);
		file = fopen(path, "re");
		if (!file)
			continue;
		/* Documentation/block/stat.rst of Linux */
		if (fscanf(file,
			   "%llu %*u %*u %*u %llu %*u %*u %*u %llu %*u %*u "
			   "%llu %*u %*u %*u %llu",
			   &reads, &writes, &flying, &discards,
			   &flushes) >= 3) {
			all.begun +=
				reads + writes + discards + flushes + flying;
			all.in_flight += flying;
		}
		fclose(file);
	}
	return all;
}

/* Does the kernel count the I/Os of all drives? */
static bool are_counted(const struct watch *watch)
{
	for (size_t i = 0; i < watch->n; i++) {
		char path[80];
		FILE *file;
		int first;

		snprintf(path, sizeof(path),
			 "/sys/class/block/%s/queue/iostats",
			 watch->watched[i].disks[0].name);
		file = fopen(path, "re");
		first = file ? getc(file) : EOF;
		if (file)
			fclose(file);
		if (first == '1')
			continue;
		if (watch->common->quiet)
			return false;
		remark("%s: the kernel does not count its I/Os, so the trace "
		       "stays on under load",
		       watch->watched[i].drive->name);
		remark("try: echo 1 >/sys/block/%s/queue/iostats",
		       watch->watched[i].disks[0].name);
		return false;
	}
	return true;
}

void begin_load(struct load *load, int64_t now_ns)
{
	load->budget_lines = BURST_LINES;
	load->paid_ns = now_ns;
}

/* What was read since the last call, against what time has given. */
static void pay(struct load *load, const struct watch *watch, int64_t now_ns)
{
	const uint64_t n_lines =
		ssdpm_observation_get_counts(watch->observation)->n_lines;

	load->budget_lines += (double)(now_ns - load->paid_ns) * LINES_PER_S /
			      (double)SECOND_NS;
	if (load->budget_lines > BURST_LINES)
		load->budget_lines = BURST_LINES;
	load->budget_lines -= (double)(n_lines - load->n_lines);
	load->n_lines = n_lines;
	load->paid_ns = now_ns;
}

bool is_too_much(struct load *load, const struct watch *watch, int64_t now_ns)
{
	pay(load, watch, now_ns);
	if (load->budget_lines >= 0 || load->stays_on)
		return false;
	load->stays_on = !are_counted(watch);
	return !load->stays_on;
}

void begin_gap(struct load *load, const struct watch *watch)
{
	for (size_t i = 0; i < watch->n; i++)
		load->told[i] = load->seen[i] = count_ios(&watch->watched[i]);
}

void begin_gap_time(struct load *load, int64_t now_ns)
{
	load->from_ns = load->quiet_ns = load->looked_ns = now_ns;
}

/* Counting takes time, too: with many drives it comes less often. */
void wait_for_quiet(struct load *load, const struct watch *watch)
{
	poll(NULL, 0, POLL_MS * (1 + (int)watch->n / 4));
	const int64_t now_ns = survey_now_ns();
	const int64_t took_ns = now_ns - load->looked_ns;
	uint64_t n = 0;

	for (size_t i = 0; i < watch->n; i++) {
		const struct drive_ios seen = count_ios(&watch->watched[i]);

		/* The counters of a drive that went away do, too. */
		if (seen.begun >= load->seen[i].begun) {
			n += seen.begun - load->seen[i].begun;
			load->seen[i] = seen;
		} else {
			load->seen[i].in_flight = 0;
		}
	}
	if ((double)n * (double)SECOND_NS > QUIET_IOS_PER_S * (double)took_ns)
		load->quiet_ns = now_ns;
	load->looked_ns = now_ns;
	pay(load, watch, now_ns);
}

bool is_quiet(const struct load *load)
{
	return load->looked_ns - load->quiet_ns >= QUIET_NS &&
	       load->budget_lines >= BURST_LINES / 2;
}

size_t tell_gap(struct load *load, const struct watch *watch, size_t drive,
		int64_t until_ns, char line[GAP_LINE])
{
	const struct ssdpm_disk *disk = &watch->watched[drive].disks[0];
	const struct drive_ios told = load->told[drive];
	const struct drive_ios seen = load->seen[drive];

	load->told[drive] = seen;
	/* It is known to have rested. */
	if (seen.begun == told.begun && !told.in_flight && !seen.in_flight)
		return 0;
	return (size_t)snprintf(line, GAP_LINE, "# gap: %u,%u %lld %lld %llu\n",
				disk->major, disk->minor,
				(long long)load->from_ns, (long long)until_ns,
				(unsigned long long)(seen.begun - told.begun));
}
