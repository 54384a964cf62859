/* SPDX-License-Identifier: MIT */
/* How a capture is written, and what is taken out of it. */
#ifndef SSDPM_LIB_DEVICE_CAPTURE_H
#define SSDPM_LIB_DEVICE_CAPTURE_H

#include "device/internal.h"

/* Reads a text of 256 words, eight a line. */
#define ATA_TEXT_BYTES (256 * 5 + 1)

/* capture-blank.c: take out what identifies a drive. */
void ssdpm__blank_nvme_identify(uint8_t data[SSDPM_NVME_IDENTIFY_BYTES]);
void ssdpm__blank_ata_identify(uint8_t data[SSDPM__ATA_PAGE_BYTES]);
void ssdpm__blank_devsleep(uint8_t page[SSDPM__ATA_PAGE_BYTES]);

/* The text of ata_device/DEVICE/id. Return its length; 0: it is no such text.
 */
size_t ssdpm__blank_ata_words(const char *text, char blanked[ATA_TEXT_BYTES]);

/* The address of a controller over a network, up to size bytes of it. */
size_t ssdpm__blank_address(const char *text, size_t n, char *blanked,
			    size_t size);

/* A line of a udev rule: values that may name a drive become "???". */
void ssdpm__blank_rule(char *line);

/*
 * Whether a path names a device by its MAC address or its serial number, as
 * batteries of mice do.
 */
bool ssdpm__names_a_peripheral(const char *path);

/* capture-meters.c: what a meter may be made of. 0 or -ENOMEM. */
int ssdpm__read_meters(const struct ssdpm_machine *machine,
		       struct ssdpm_error *reterr);

/*
 * capture-write.c: files and links below a directory that was just made. Paths
 * have no links in them.
 */
int ssdpm__capture_make_folder(int root_fd, const char *path);
int ssdpm__capture_write(int root_fd, const char *path, const void *bytes,
			 size_t n);
/* A link that leads to target, which is a path below the same directory. */
int ssdpm__capture_make_link(int root_fd, const char *path, const char *target);
/* All that is below. */
void ssdpm__capture_remove(int root_fd);

/*
 * capture-files.c: a machine that is read with ssdpm__capture_observe() as its
 * observer is written down as it is read.
 */
struct capture {
	struct ssdpm_machine *source;
	int fd; /* of the directory */
	int err;
	char failed[SSDPM__PATH_BYTES]; /* where it could not be written */
	struct ssdpm_owner *owners;
	size_t n_owners;
};
/* capture-log.c: what the kernel's log says of drives, if it may be read. */
int ssdpm__capture_log(struct capture *self);
void ssdpm__capture_observe(void *observer, const char *path, const void *bytes,
			    size_t n);

#endif
