/* SPDX-License-Identifier: MIT */
/*
 * The kernel's log, for a capture: what its NVMe driver found when it bound a
 * drive. Other lines have names of hosts, users and networks, so they stay out.
 */
#include "device/capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/kernel-log.h"

/* Some 800 lines: each drive has two each time that it is bound. */
#define MAX_BYTES (64 << 10)

struct log_copy {
	char text[MAX_BYTES];
	size_t n;
	char boot[128]; /* the first line of the boot; "": it is gone */
	bool is_full;
};

/* As of a record of Linux, LOG_KERN. */
#define MARK "6,0,0,-;"

/* Without this check a name could hold anything. */
static bool has_only(struct span text, const char *characters)
{
	for (; text.at < text.end; text.at++)
		if (!*text.at || !strchr(characters, *text.at))
			return false;
	return true;
}

static void add(struct log_copy *copy, struct span text)
{
	const size_t room = sizeof(copy->text) - copy->n;
	const int n = snprintf(copy->text + copy->n, room, MARK "%.*s\n",
			       (int)(text.end - text.at), text.at);

	if (n < 0 || (size_t)n >= room)
		copy->is_full = true;
	else
		copy->n += (size_t)n;
}

static void forget(struct log_copy *copy)
{
	copy->boot[0] = '\0';
	copy->n = 0;
	copy->is_full = false;
}

/* The version has more than the release: who compiled it, and where. */
static void begin_boot(struct log_copy *copy, struct span message)
{
	struct span word = { 0 };

	for (int i = 0; i < 3; i++)
		ssdpm__take_word(&message, &word);
	forget(copy);
	snprintf(copy->boot, sizeof(copy->boot), MARK "Linux version %.*s\n",
		 (int)(word.end - word.at), word.at);
}

/* The lines themselves, and no more of them than is read later. */
static bool is_of_drive(struct span *message)
{
	static const char quirk[] = ": platform quirk: setting simple suspend";
	struct span address;

	if (ssdpm__log_quirk(*message, &address))
		message->end = address.end + strlen(quirk);
	else if (!ssdpm__log_probe(*message, &address))
		return false;
	return has_only(address, "0123456789abcdefABCDEF:.") &&
	       has_only(*message, "0123456789abcdefghijklmnopqrstuvwxyz"
				  "ABCDEF:. ");
}

static void take_line(struct log_copy *copy, struct span line)
{
	struct span message;

	if (!ssdpm__log_message(line, &message))
		return;
	if (ssdpm__log_boot(message))
		begin_boot(copy, message);
	else if (is_of_drive(&message))
		add(copy, message);
}

static void take_lines(struct log_copy *copy, const char *text, size_t size)
{
	struct lines lines = { .rest = ssdpm__span(text, size) };
	struct span line;

	while (ssdpm__next_line(&lines, &line))
		take_line(copy, line);
}

/* A record for each call. EPIPE: lines were lost, so nothing before counts. */
static void read_records(const struct ssdpm_machine *machine,
			 struct log_copy *copy)
{
	const int fd =
		ssdpm__open(machine, "dev/kmsg", O_RDONLY | O_NONBLOCK, 0);
	char record[SSDPM__LOG_RECORD_BYTES];
	ssize_t n;

	if (fd < 0)
		return;
	while ((n = read(fd, record, sizeof(record))) > 0 ||
	       (n < 0 && (errno == EPIPE || errno == EINTR)))
		if (n > 0)
			take_lines(copy, record, (size_t)n);
		else if (errno == EPIPE)
			forget(copy);
	close(fd);
}

static int read_file(const struct ssdpm_machine *machine, struct log_copy *copy)
{
	char *text = malloc(SSDPM__LOG_BYTES);
	size_t n;

	if (!text)
		return -ENOMEM;
	if (!ssdpm__read_bytes(machine, "dev/kmsg", text, SSDPM__LOG_BYTES, &n))
		take_lines(copy, text, n);
	free(text);
	return 0;
}

/* A part of a log would say less than is true of a drive bound again. */
static int write_log(const struct capture *self, struct log_copy *copy)
{
	const size_t n_boot = strlen(copy->boot);
	char *text;
	int err;

	if (!copy->n || copy->is_full)
		return 0;
	text = malloc(n_boot + copy->n);
	if (!text)
		return -ENOMEM;
	memcpy(text, copy->boot, n_boot);
	memcpy(text + n_boot, copy->text, copy->n);
	err = ssdpm__capture_write(self->fd, "dev/kmsg", text,
				   n_boot + copy->n);
	free(text);
	return err;
}

int ssdpm__capture_log(struct capture *self)
{
	struct log_copy *copy = calloc(1, sizeof(*copy));
	int err = copy ? 0 : -ENOMEM;

	strcpy(self->failed, "dev/kmsg");
	if (!err && self->source->capture)
		err = read_file(self->source, copy);
	else if (!err)
		read_records(self->source, copy);
	if (!err)
		err = write_log(self, copy);
	free(copy);
	return err;
}
