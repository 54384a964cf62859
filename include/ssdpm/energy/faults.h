/* SPDX-License-Identifier: MIT */
/*
 * Faults: signs in the kernel's log that a drive or its link fails.
 *
 *     a line of the log -> which device, when, what failed
 *
 * The stage is pure: the caller reads the log. See ssdpm_faults(3).
 */
#ifndef SSDPM_FAULTS_H
#define SSDPM_FAULTS_H

#include <ssdpm/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What failed. */
enum ssdpm_fault_kind {
	SSDPM_FAULT_TIMEOUT = 1,     /* a command had no answer in time */
	SSDPM_FAULT_RESET = 2,	     /* Linux reset the drive or its link */
	SSDPM_FAULT_DOWN = 3,	     /* the drive does not answer any more */
	SSDPM_FAULT_EXCEPTION = 4,   /* libata's error handler was called */
	SSDPM_FAULT_LINK = 5,	     /* an error of a SATA link, from SError */
	SSDPM_FAULT_CRC = 6,	     /* a transfer had a wrong checksum */
	SSDPM_FAULT_CORRECTED = 7,   /* PCIe AER: corrected by hardware */
	SSDPM_FAULT_UNCORRECTED = 8, /* PCIe AER: not corrected */
	SSDPM_FAULT_IO = 9,	     /* an I/O failed */
	SSDPM_FAULT_SLOWED = 10,     /* Linux slowed a link down after errors */
	SSDPM_FAULT_NCQ_OFF = 11,    /* Linux turned NCQ off after errors */
	/* Alone, these two do not say that the drive fails. */
	SSDPM_FAULT_LPM_OFF = 12,     /* Linux gave up the policy of a link */
	SSDPM_FAULT_APST_FAILED = 13, /* Linux could not set the APST table */
};

/** time_us: the line has no time since the boot. */
#define SSDPM_FAULT_NO_TIME UINT64_MAX

/** Room for the name of a device, with its final zero. */
#define SSDPM_FAULT_DEVICE 32

/**
 * struct ssdpm_fault - what a line says (sized result)
 * @size:     set by the caller
 * @time_us:  since the boot; SSDPM_FAULT_NO_TIME
 * @kind:     enum ssdpm_fault_kind; 0: the line is no sign of a fault
 * @reserved: 0
 * @device:   "nvme0"; "ata3", the port; "0000:04:00.0", a PCI device, which may
 *            be the bridge above the drive; "nvme0n1" or "sda" for
 *            SSDPM_FAULT_IO; "": kind is 0
 */
struct ssdpm_fault {
	size_t size;
	uint64_t time_us;
	uint32_t kind;
	uint32_t reserved;
	char device[SSDPM_FAULT_DEVICE];
};

/**
 * ssdpm_fault_from_line() - what a line of the kernel's log says
 * @line: a record of /dev/kmsg, a line of dmesg, or one of journalctl -k; one
 *        line end at its end is ignored
 *
 * The texts are those of Linux 6.1 to 7.3; those of failed I/Os from 5.10 on.
 *
 * Return: 0; -EINVAL, -E2BIG (@ret_fault).
 */
SSDPM_API int ssdpm_fault_from_line(const char *line, size_t size,
				    struct ssdpm_fault *ret_fault,
				    struct ssdpm_error *reterr);

/**
 * ssdpm_fault_is_of() - does a fault belong to this drive?
 * @device:   of struct ssdpm_fault
 * @name:     of the drive, "nvme0" or "sda"
 * @path:     its directory in sysfs, without symbolic links, as in struct
 *            ssdpm_device_facts
 * @ata_port: P of ataP; 0: none
 *
 * A fault of a PCI device belongs to all drives below it. One of a block device
 * belongs to the drive of which this is a namespace.
 *
 * Return: 1, or 0.
 */
SSDPM_API uint32_t ssdpm_fault_is_of(const char *device, const char *name,
				     const char *path, uint32_t ata_port);

/**
 * ssdpm_fault_count_aer() - how many errors a file of sysfs has counted
 * @text: of aer_dev_correctable, aer_dev_fatal or aer_dev_nonfatal below
 *        /sys/bus/pci/devices/ADDRESS
 *
 * Return: 0; -EINVAL (no line TOTAL_ERR_...).
 */
SSDPM_API int ssdpm_fault_count_aer(const char *text, size_t size,
				    uint64_t *ret_n_errors,
				    struct ssdpm_error *reterr);

/** ssdpm_fault_kind_to_string() - "timeout", "reset" and so on, or NULL */
SSDPM_API const char *ssdpm_fault_kind_to_string(uint32_t kind);
SSDPM_API uint32_t ssdpm_fault_kind_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
