/* SPDX-License-Identifier: MIT */
#include "text/progress.h"

#include "options/numbers.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FIRST_NS UINT64_C(1000000000)
#define AGAIN_NS UINT64_C(250000000)

/* How many characters stand on the terminal; a terminal is one. */
static int width;

static uint64_t now_ns(void)
{
	struct timespec now = { 0, 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void show(const char *name, const char *text)
{
	int before = width;

	putc('\r', stderr);
	width = fprintf(stderr, "ssdpm: %.60s: %s", name, text);
	if (width < before)
		fprintf(stderr, "%*s", before - width, "");
	else
		before = width;
	width = before;
	fflush(stderr);
}

void progress_clear(void)
{
	if (width > 0) {
		putc('\r', stderr);
		fprintf(stderr, "%*s", width, "");
		putc('\r', stderr);
	}
	width = 0;
}

void progress_begin(struct progress *progress, const struct common *common,
		    const char *name, int fd)
{
	struct stat status;

	*progress = (struct progress){ .fd = -1 };
	if (common->quiet || !isatty(STDERR_FILENO))
		return;
	progress->name = name;
	progress->next_ns = now_ns() + FIRST_NS;
	if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode) ||
	    status.st_size <= 0)
		return;
	progress->fd = fd;
	progress->size = (uint64_t)status.st_size;
}

/* true: it is time to say something. */
static bool is_due(struct progress *progress)
{
	uint64_t now;

	if (!progress->name)
		return false;
	now = now_ns();
	if (now < progress->next_ns)
		return false;
	progress->next_ns = now + AGAIN_NS;
	return true;
}

void progress_show(struct progress *progress, const char *text)
{
	if (is_due(progress))
		show(progress->name, text);
}

void progress_add(struct progress *progress, size_t n_records)
{
	char text[80];
	off_t at = -1;

	progress->n_records += n_records;
	if (!is_due(progress))
		return;
	if (progress->fd >= 0)
		at = lseek(progress->fd, 0, SEEK_CUR);
	if (at >= 0)
		snprintf(text, sizeof(text), "%s read, %s records",
			 share_text((uint64_t)at, progress->size).text,
			 count_text(progress->n_records).text);
	else
		snprintf(text, sizeof(text), "%s records",
			 count_text(progress->n_records).text);
	show(progress->name, text);
}

void progress_say(const struct progress *progress, const char *what)
{
	if (width > 0)
		show(progress->name, what);
}
