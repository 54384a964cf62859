/* SPDX-License-Identifier: MIT */
/* The head and the end of a recording, as ssdpm_observation_feed() takes it. */
#include "watch/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

static void write_text(const struct ssdpm_watch *watch, const char *text)
{
	watch->write_fn(watch->userdata, text, strlen(text));
}

/* The numbers of a drive. */
static void write_numbers(const struct ssdpm_watch *watch,
			  const struct watched *drive)
{
	const struct ssdpm_disk *disks = drive->disks;
	const uint32_t controller = ssdpm__controller_of(drive->device);
	char line[128];

	if (controller != SSDPM_NO_CONTROLLER) {
		snprintf(line, sizeof(line),
			 "# controller: %" PRIu32 ",%" PRIu32 " %" PRIu32 "\n",
			 disks[0].major, disks[0].minor, controller);
		write_text(watch, line);
	}
	for (size_t i = 1; i < drive->n_disks; i++) {
		if (disks[i].part == SSDPM_DISK_STACKED)
			continue;
		snprintf(line, sizeof(line),
			 "# partition: %" PRIu32 ",%" PRIu32 " %" PRIu32
			 ",%" PRIu32 "\n",
			 disks[i].major, disks[i].minor, disks[0].major,
			 disks[0].minor);
		write_text(watch, line);
	}
}

/* Under what it is recorded. */
static int write_policy(const struct ssdpm_watch *watch, size_t drive,
			struct ssdpm_error *reterr)
{
	char *text;
	const int err = ssdpm_observation_get_policy(watch->observation, drive,
						     &text, reterr);

	if (err)
		return err;
	write_text(watch, text);
	write_text(watch, "\n");
	free(text);
	return 0;
}

static void write_escaped(const struct ssdpm_watch *watch, const char *line,
			  size_t size)
{
	while (size) {
		const char *slash = memchr(line, '\\', size);
		const size_t n = slash ? (size_t)(slash - line) + 1 : size;

		watch->write_fn(watch->userdata, line, n);
		if (slash)
			write_text(watch, "\\");
		line += n;
		size -= n;
	}
}

/* In one line: what a reader needs of it alone. */
static void write_format(const struct ssdpm_watch *watch, const char *format)
{
	write_text(watch, "# format: ");
	while (*format) {
		const size_t n = strcspn(format, "\n");

		if (!strncmp(format, "name:", 5)) {
			write_escaped(watch, format, n);
			write_text(watch, "\\n");
		} else if (!strncmp(format, "print fmt:", 10)) {
			write_escaped(watch, format, n);
		}
		format += n + (format[n] == '\n');
	}
	write_text(watch, "\n");
}

/* This kernel may lack most events. */
static int write_formats(const struct ssdpm_watch *watch,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	char *format;

	for (size_t i = 0; ssdpm_observation_get_event(i); i++) {
		const int err = ssdpm_tracer_read_format(watch->tracer, i,
							 &format, &error);

		if (err == -ENOENT)
			continue;
		if (err)
			return ssdpm__pass_on(err, &error, reterr);
		write_format(watch, format);
		free(format);
	}
	return 0;
}

void ssdpm__watch_end_recording(struct ssdpm_watch *watch)
{
	char line[40];

	if (!watch->write_fn)
		return;
	/* While the trace is off, no event says what comes after the gap. */
	snprintf(line, sizeof(line), "# end: %" PRIu64 "\n",
		 watch->load.is_off ? watch->load.from_ns : watch->now_ns);
	write_text(watch, line);
	watch->write_fn = NULL;
}

int ssdpm__watch_write_head(const struct ssdpm_watch *watch,
			    struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < watch->n && !err; i++) {
		write_numbers(watch, &watch->drives[i]);
		err = write_policy(watch, i, reterr);
	}
	if (!err && watch->remarks)
		write_text(watch, watch->remarks);
	return err ? err : write_formats(watch, reterr);
}
