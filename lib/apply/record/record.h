/* SPDX-License-Identifier: MIT */
/* What the writer and the reader of records share: record.c has the form. */
#ifndef SSDPM_LIB_APPLY_RECORD_H
#define SSDPM_LIB_APPLY_RECORD_H

#include "apply/internal.h"

/* The version of the form; a reader refuses every other one. */
#define SSDPM__RECORD_WORD "ssdpm-changes "
#define SSDPM__RECORD_VERSION "3"
#define SSDPM__RECORD_HEAD SSDPM__RECORD_WORD SSDPM__RECORD_VERSION

#define SSDPM__RECORD_DEVICE "device "

enum {
	SSDPM__BOOT_BYTES = 64,
	SSDPM__END_BYTES = 4 + 16 + 1, /* "end " and the checksum */
};

/* "-": not known, as in a capture. */
void ssdpm__read_boot(const struct ssdpm_machine *machine,
		      char boot[SSDPM__BOOT_BYTES]);

/* "sda": it is also a part of the name of a file. */
bool ssdpm__is_device_name(const char *name);

#endif
