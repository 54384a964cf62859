/* SPDX-License-Identifier: MIT */
/*
 * Lines of the kernel's log, as of /dev/kmsg, dmesg or journalctl, that tell
 * what its NVMe driver found.
 */
#ifndef SSDPM_LIB_BASE_KERNEL_LOG_H
#define SSDPM_LIB_BASE_KERNEL_LOG_H

#include "base/text.h"

/* A record of Linux has at most 8 KiB. */
#define SSDPM__LOG_RECORD_BYTES 8192
/* The log of a capture. */
#define SSDPM__LOG_BYTES (4 << 20)
/* These come after the name of a device. */
#define SSDPM__LOG_QUIRK ": platform quirk: setting simple suspend"
#define SSDPM__LOG_PROBE ": pci function "

/*
 * What Linux itself wrote, without the time. Programs write to /dev/kmsg and
 * the journal, too: false.
 */
bool ssdpm__log_message(struct span line, struct span *ret_message);

/* "nvme 0000:04:00.0MARK": the driver, which is one word, and the device. */
bool ssdpm__log_split(struct span message, const char *mark,
		      struct span *ret_driver, struct span *ret_device,
		      struct span *ret_rest);

/* "Linux version ...": the first line of a boot. */
bool ssdpm__log_boot(struct span message);

/*
 * "nvme 0000:04:00.0: platform quirk: setting simple suspend". In nvme_probe(),
 * acpi_storage_d3() of the device is true, or forced so.
 */
bool ssdpm__log_quirk(struct span message, struct span *ret_address);

/* "nvme nvme0: pci function 0000:04:00.0" comes after the quirk, if any. */
bool ssdpm__log_probe(struct span message, struct span *ret_drive,
		      struct span *ret_address);

#endif
