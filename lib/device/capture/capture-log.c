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
/* uname(2) has no longer release. */
#define MAX_RELEASE 64
/* Linux prints the domain of PCI as %04x, and it is an int. */
#define MAX_DOMAIN 8

struct log_copy {
	char text[MAX_BYTES];
	size_t n;
	char boot[128]; /* the first line of the boot; "": it is gone */
	bool is_full;
};

/* As of a record of Linux, LOG_KERN. */
#define MARK "6,0,0,-;"

/* Without this check a release could hold anything. */
static bool is_release(struct span word)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz"
				      "0123456789.+_~-";

	if (word.end - word.at > MAX_RELEASE)
		return false;
	for (; word.at < word.end; word.at++)
		if (!memchr(letters, *word.at, sizeof(letters) - 1))
			return false;
	return true;
}

/* How many of the next digits, at most. */
static size_t skip_hex(struct span *text, size_t max)
{
	size_t n = 0;

	while (n < max && text->at < text->end &&
	       ssdpm__hex_digit(*text->at) >= 0) {
		text->at++;
		n++;
	}
	return n;
}

static bool skip(struct span *text, char c)
{
	return text->at < text->end && *text->at++ == c;
}

/* "0000:04:00.0": others may name a host, a network card or a drive. */
static bool is_address(struct span text)
{
	return skip_hex(&text, MAX_DOMAIN) && skip(&text, ':') &&
	       skip_hex(&text, 2) == 2 && skip(&text, ':') &&
	       skip_hex(&text, 2) == 2 && skip(&text, '.') &&
	       skip_hex(&text, 1) && text.at == text.end;
}

/* "nvme0": others may be a serial number. */
static bool is_drive(struct span text)
{
	static const char name[] = "nvme";
	const size_t n = strlen(name);

	if ((size_t)(text.end - text.at) <= n || memcmp(text.at, name, n) != 0)
		return false;
	for (text.at += n; text.at < text.end; text.at++)
		if (*text.at < '0' || *text.at > '9')
			return false;
	return true;
}

static void add(struct log_copy *copy, struct span device, const char *mark,
		struct span address)
{
	const size_t room = sizeof(copy->text) - copy->n;
	const int n =
		snprintf(copy->text + copy->n, room, MARK "nvme %.*s%s%.*s\n",
			 (int)(device.end - device.at), device.at, mark,
			 (int)(address.end - address.at), address.at);

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
	if (is_release(word))
		snprintf(copy->boot, sizeof(copy->boot),
			 MARK "Linux version %.*s\n", (int)(word.end - word.at),
			 word.at);
}

/* The parts of a line that are read later, and no more of it. */
static void take_line(struct log_copy *copy, struct span line)
{
	struct span message, drive, address;

	if (!ssdpm__log_message(line, &message))
		return;
	if (ssdpm__log_boot(message))
		begin_boot(copy, message);
	else if (ssdpm__log_quirk(message, &address) && is_address(address))
		add(copy, address, SSDPM__LOG_QUIRK, ssdpm__span("", 0));
	else if (ssdpm__log_probe(message, &drive, &address) &&
		 is_drive(drive) && is_address(address))
		add(copy, drive, SSDPM__LOG_PROBE, address);
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

/* Up to a zero byte, as other readers of a capture. */
static int read_file(const struct ssdpm_machine *machine, struct log_copy *copy)
{
	char *text = malloc(SSDPM__LOG_BYTES);

	if (!text)
		return -ENOMEM;
	if (!ssdpm__read_text(machine, "dev/kmsg", text, SSDPM__LOG_BYTES))
		take_lines(copy, text, strlen(text));
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
