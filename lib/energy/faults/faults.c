/* SPDX-License-Identifier: MIT */
/*
 * Lines of the kernel's log. The texts are those that these files of Linux
 * print: drivers/nvme/host/pci.c and core.c, drivers/ata/libata-eh.c and
 * libata-core.c, drivers/pci/pcie/aer.c, drivers/pci/pci.c and quirks.c,
 * block/blk-core.c and blk-mq.c.
 */
#include <ssdpm/energy/faults.h>

#include <errno.h>
#include <string.h>

#include "base/internal.h"
#include "base/text.h"
#include "base/words.h"

static const char fault_kind_words[][12] = {
	[SSDPM_FAULT_TIMEOUT] = "timeout",
	[SSDPM_FAULT_RESET] = "reset",
	[SSDPM_FAULT_DOWN] = "down",
	[SSDPM_FAULT_EXCEPTION] = "exception",
	[SSDPM_FAULT_LINK] = "link",
	[SSDPM_FAULT_CRC] = "crc",
	[SSDPM_FAULT_CORRECTED] = "corrected",
	[SSDPM_FAULT_UNCORRECTED] = "uncorrected",
	[SSDPM_FAULT_IO] = "io",
	[SSDPM_FAULT_SLOWED] = "slowed",
	[SSDPM_FAULT_NCQ_OFF] = "ncq-off",
	[SSDPM_FAULT_LPM_OFF] = "lpm-off",
	[SSDPM_FAULT_APST_FAILED] = "apst-failed",
};
ENUM_WORDS(fault_kind)

enum device_kind {
	DEVICE_NVME = 1,
	DEVICE_ATA,
	DEVICE_PCI,
};

/* The first row that fits counts. contains: "" is in each line. */
static const struct {
	uint8_t device;
	uint8_t kind;
	char begins[45];
	char contains[11];
} signs[] = {
	{ DEVICE_NVME, SSDPM_FAULT_TIMEOUT, "I/O ", " timeout, " },
	{ DEVICE_NVME, SSDPM_FAULT_DOWN, "controller is down; will reset", "" },
	{ DEVICE_NVME, SSDPM_FAULT_DOWN, "Device not ready; aborting", "" },
	{ DEVICE_NVME, SSDPM_FAULT_DOWN, "Removing after probe failure", "" },
	{ DEVICE_NVME, SSDPM_FAULT_DOWN, "Disabling device after reset failure",
	  "" },
	/* Newer kernels print "Device not ready; aborting shutdown". */
	{ DEVICE_NVME, SSDPM_FAULT_DOWN, "Device shutdown incomplete; abort",
	  "" },
	{ DEVICE_NVME, SSDPM_FAULT_RESET, "frozen state error detected, reset",
	  "" },
	{ DEVICE_NVME, SSDPM_FAULT_RESET, "resetting controller due to", "" },
	{ DEVICE_NVME, SSDPM_FAULT_APST_FAILED, "failed to set APST feature (",
	  "" },
	{ DEVICE_ATA, SSDPM_FAULT_EXCEPTION, "exception Emask", "" },
	/* Linux takes a refusal of the drive, Emask 0x1, for no failure. */
	{ DEVICE_ATA, SSDPM_FAULT_EXCEPTION, "failed to enable DIPM, Emask",
	  "" },
	{ DEVICE_ATA, SSDPM_FAULT_EXCEPTION, "failed to disable DIPM, Emask",
	  "" },
	{ DEVICE_ATA, SSDPM_FAULT_CRC, "SError: {", "BadCRC" },
	{ DEVICE_ATA, SSDPM_FAULT_LINK, "SError: {", "" },
	{ DEVICE_ATA, SSDPM_FAULT_CRC, "error: {", "ICRC" },
	{ DEVICE_ATA, SSDPM_FAULT_RESET, "hard resetting link", "" },
	{ DEVICE_ATA, SSDPM_FAULT_RESET, "soft resetting link", "" },
	{ DEVICE_ATA, SSDPM_FAULT_TIMEOUT, "qc timeout", "" },
	{ DEVICE_ATA, SSDPM_FAULT_DOWN, "disable device", "" },
	{ DEVICE_ATA, SSDPM_FAULT_DOWN, "disabled", "" },
	{ DEVICE_ATA, SSDPM_FAULT_SLOWED, "limiting SATA link speed to ", "" },
	{ DEVICE_ATA, SSDPM_FAULT_SLOWED, "limiting speed to ", "" },
	{ DEVICE_ATA, SSDPM_FAULT_NCQ_OFF,
	  "NCQ disabled due to excessive errors", "" },
	{ DEVICE_ATA, SSDPM_FAULT_LPM_OFF, "disabling LPM on the link", "" },
	/* Corrected; Correctable in newer kernels. */
	{ DEVICE_PCI, SSDPM_FAULT_CORRECTED, "PCIe Bus Error: severity=Correct",
	  "" },
	{ DEVICE_PCI, SSDPM_FAULT_UNCORRECTED,
	  "PCIe Bus Error: severity=Uncorrect", "" },
	{ DEVICE_PCI, SSDPM_FAULT_DOWN,
	  "Unable to change power state from D3cold", "" },
	{ DEVICE_PCI, SSDPM_FAULT_DOWN, "can't change power state from D3cold",
	  "" },
	/* pcie_failed_link_retrain(), since Linux 6.5 */
	{ DEVICE_PCI, SSDPM_FAULT_SLOWED,
	  "broken device, retraining non-functional", "downstream" },
};

/* ssdpm__take() looks past upper case, and over blanks: this does not. */
static bool take_exactly(struct span *span, const char *text)
{
	const size_t n = strlen(text);

	if ((size_t)(span->end - span->at) < n || memcmp(span->at, text, n))
		return false;
	span->at += n;
	return true;
}

static size_t take_digits(struct span *span)
{
	const char *begin = span->at;

	while (span->at != span->end && *span->at >= '0' && *span->at <= '9')
		span->at++;
	return (size_t)(span->at - begin);
}

/* Leaves out a mark, and what is before it. */
static bool pass(struct span *span, const char *mark)
{
	const char *at = memmem(span->at, (size_t)(span->end - span->at), mark,
				strlen(mark));

	if (at)
		span->at = at + strlen(mark);
	return at;
}

/* "6,1234,5678901,-;text" */
static bool take_record_head(struct span *line, uint64_t *ret_us)
{
	struct span s = *line;
	uint64_t number, us;

	if (!ssdpm__take_uint(&s, UINT64_MAX, &number) ||
	    !take_exactly(&s, ",") ||
	    !ssdpm__take_uint(&s, UINT64_MAX, &number) ||
	    !take_exactly(&s, ",") ||
	    !ssdpm__take_uint(&s, UINT64_MAX - 1, &us) ||
	    !take_exactly(&s, ",") || !pass(&s, ";"))
		return false;
	*line = s;
	*ret_us = us;
	return true;
}

/* "<3>" of /proc/kmsg and dmesg -r */
static void take_number_of_level(struct span *line)
{
	struct span s = *line;

	if (take_exactly(&s, "<") && take_digits(&s) && take_exactly(&s, ">"))
		*line = s;
}

/* "kern  :err   : " and "local0:err   : " of dmesg -x */
static void take_words_of_level(struct span *line)
{
	static const char levels[][8] = { "emerg", "alert",  "crit", "err",
					  "warn",  "notice", "info", "debug" };
	struct span s = *line;

	while (s.at != s.end && *s.at >= 'a' && *s.at <= 'z')
		s.at++;
	take_digits(&s);
	if (s.at == line->at)
		return;
	s = ssdpm__span_trim(s);
	if (!take_exactly(&s, ":"))
		return;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (ssdpm__take(&s, levels[i]) && ssdpm__take(&s, ":")) {
			*line = s;
			return;
		}
}

/* "2026-11-30T02:01:08,259288+00:00 " of dmesg --time-format iso */
static void take_iso_time(struct span *line)
{
	static const char form[] = "0000-00-00T00:00:00";
	struct span s = *line;

	for (const char *c = form; *c; c++)
		if (*c == '0' ? s.at == s.end || *s.at < '0' || *s.at++ > '9' :
				!take_exactly(&s, (char[]){ *c, 0 }))
			return;
	if (pass(&s, " "))
		*line = s;
}

/*
 * "[ 1461.259288] ", and "[  T123]" of some kernels after it. With -T and -e,
 * dmesg prints "[Mon Nov 30 02:01:08 2026] " and "[  +0.000042] ".
 */
static void take_stamp(struct span *line, uint64_t *ret_us)
{
	struct span s = *line, t = *line;
	uint64_t us;

	if (!ssdpm__take(&s, "[") || !pass(&s, "]"))
		return;
	ssdpm__take(&t, "[");
	if (ssdpm__take_millionths(&t, UINT64_MAX - 1, &us) &&
	    ssdpm__take(&t, "]"))
		*ret_us = us;
	*line = s = ssdpm__span_trim(s);
	if (take_exactly(&s, "[") && pass(&s, "]"))
		*line = ssdpm__span_trim(s);
}

/* Step over what tells the time and the level. */
static uint64_t take_time(struct span *line)
{
	uint64_t us = SSDPM_FAULT_NO_TIME;

	if (take_record_head(line, &us))
		return us;
	pass(line, " kernel: ");
	take_number_of_level(line);
	take_words_of_level(line);
	take_iso_time(line);
	take_stamp(line, &us);
	return us;
}

static bool is_pci_address(struct span name)
{
	static const char form[] = "xxxx:xx:xx.x";

	if ((size_t)(name.end - name.at) != sizeof(form) - 1)
		return false;
	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'x' ? ssdpm__hex_digit(name.at[i]) < 0 :
				     name.at[i] != form[i])
			return false;
	return true;
}

/* 0: none. The port of "ata1.00" is the device. */
static enum device_kind kind_of_device(struct span *name)
{
	struct span s = *name;

	if (is_pci_address(s))
		return DEVICE_PCI;
	if (take_exactly(&s, "nvme"))
		return take_digits(&s) && s.at == s.end ? DEVICE_NVME : 0;
	if (!take_exactly(&s, "ata") || !take_digits(&s) ||
	    (s.at != s.end && *s.at != '.'))
		return 0;
	name->end = s.at;
	return DEVICE_ATA;
}

/* "nvme nvme0: ", "pcieport 0000:00:1d.0: ", "ata1.00: "; 0: none. */
static enum device_kind take_device(struct span *text, struct span *ret_name)
{
	enum device_kind kind = 0;

	for (int i = 0; i < 2 && !kind; i++) {
		if (!ssdpm__take_word(text, ret_name) ||
		    ret_name->end - ret_name->at < 2)
			return 0;
		if (ret_name->end[-1] != ':')
			continue;
		ret_name->end--;
		kind = kind_of_device(ret_name);
	}
	return kind;
}

static uint32_t find_sign(enum device_kind device, struct span text)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		struct span s = text;

		if (signs[i].device == device &&
		    take_exactly(&s, signs[i].begins) &&
		    ssdpm__span_contains(s, signs[i].contains))
			return signs[i].kind;
	}
	return 0;
}

/*
 * The words of blk_errors[] in block/blk-core.c, which blk_print_req_error()
 * prints, and older kernels print_req_error(). These mean that a device or its
 * link failed. Linux prints "device offline" after its error handler has given
 * up a SCSI disk. The others are no failures of a device:
 *
 *     refusals       operation not supported, invalid, reservation conflict,
 *                    critical nexus, duration limit exceeded
 *     no room        critical space allocation, open or active zones exceeded
 *     Linux' own     kernel resource, device resource, nonblocking retry,
 *                    dm internal retry
 */
static const char failures[][22] = {
	"I/O",
	"timeout",
	"recoverable transport",
	"critical target",
	"protection",
	"critical medium",
	"device offline",
};

/*
 * A SCSI disk that does not know these commands refuses them with the sense of
 * an illegal request, which Linux prints as "critical target".
 */
static bool is_optional(struct span text)
{
	return ssdpm__span_contains(text, "(DISCARD)") ||
	       ssdpm__span_contains(text, "(SECURE_ERASE)") ||
	       ssdpm__span_contains(text, "(WRITE_SAME)") ||
	       ssdpm__span_contains(text, "(WRITE_ZEROES)");
}

static bool take_failure(struct span *text, struct span *ret_what)
{
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		struct span s = *text;

		if (!take_exactly(&s, failures[i]))
			continue;
		*ret_what = ssdpm__span(text->at, strlen(failures[i]));
		*text = s;
		return true;
	}
	return false;
}

/* "critical medium error, dev nvme0n1, sector 12345 op 0x0:(READ) ..." */
static uint32_t read_io_error(struct span text, struct span *ret_name)
{
	struct span what;

	take_exactly(&text, "blk_update_request: ");
	if (!take_failure(&text, &what) || !take_exactly(&text, " error, dev "))
		return 0;
	ret_name->at = text.at;
	if (!pass(&text, ", sector "))
		return 0;
	ret_name->end = text.at - strlen(", sector ");
	if (ssdpm__span_is(what, "critical target") && is_optional(text))
		return 0;
	return SSDPM_FAULT_IO;
}

/*
 * The status type and code for which nvme_error_status() of
 * drivers/nvme/host/core.c returns a word that is no failure.
 */
static bool is_refusal(unsigned int status)
{
	switch (status) {
	case 0x001: /* invalid opcode */
	case 0x002: /* invalid field */
	case 0x00b: /* invalid namespace */
	case 0x081: /* capacity exceeded */
	case 0x083: /* reservation conflict */
	case 0x180: /* conflicting attributes */
	/* Until 6.15 not supported; since, the size limits of DSM and Copy. */
	case 0x183:
	case 0x1bd: /* too many active zones */
	case 0x1be: /* too many open zones */
		return true;
	default:
		return false;
	}
}

static bool take_hex(struct span *text, unsigned int most, unsigned int *ret)
{
	unsigned int value = 0;
	const char *begin = text->at;

	while (text->at != text->end && ssdpm__hex_digit(*text->at) >= 0 &&
	       value <= most)
		value = value << 4 |
			(unsigned int)ssdpm__hex_digit(*text->at++);
	*ret = value;
	return text->at != begin && value <= most;
}

/*
 * nvme_log_error() of drivers/nvme/host/core.c, since Linux 5.18. Those of a
 * kernel with CONFIG_NVME_VERBOSE_ERRORS name the command and the error:
 *
 *     nvme0n1: I/O Cmd(0x2) @ LBA 0, 8 blocks, I/O Error (sct 0x3 / sc 0x71)
 *     nvme0n1: Read(0x2) @ LBA 0, 8 blocks, Unrecovered Read Error (sct 0x2 ...
 *
 * A command that a user sends has no LBA there.
 */
static uint32_t read_nvme_error(struct span text, struct span *ret_name)
{
	unsigned int sct, sc;
	struct span s;

	if (!ssdpm__take_word(&text, ret_name))
		return 0;
	s = *ret_name;
	if (!take_exactly(&s, "nvme") || !take_digits(&s) || s.at == s.end ||
	    ret_name->end[-1] != ':' || !pass(&text, ") @ LBA ") ||
	    !pass(&text, " blocks, ") || !pass(&text, " (sct 0x") ||
	    !take_hex(&text, 7, &sct) || !take_exactly(&text, " / sc 0x") ||
	    !take_hex(&text, 255, &sc) || is_refusal(sct << 8 | sc))
		return 0;
	ret_name->end--;
	return SSDPM_FAULT_IO;
}

static uint32_t read_sign(struct span text, struct span *ret_name)
{
	uint32_t io = read_io_error(text, ret_name);

	if (!io)
		io = read_nvme_error(text, ret_name);
	if (io)
		return io;
	const enum device_kind device = take_device(&text, ret_name);

	take_exactly(&text, "AER: ");
	return device ? find_sign(device, text) : 0;
}

int ssdpm_fault_from_line(const char *line, size_t size,
			  struct ssdpm_fault *ret_fault,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_fault fault = { .size = sizeof(fault) };
	struct span text = ssdpm__span(line, size), name = { 0 };
	int err = ssdpm__sized_check(ret_fault, sizeof(fault), "ssdpm_fault",
				     reterr);

	if (err)
		return err;
	if (size && line[size - 1] == '\n')
		text.end--;
	fault.time_us = take_time(&text);
	fault.kind = read_sign(text, &name);
	if (fault.kind &&
	    (!ssdpm__span_copy(name, fault.device, sizeof(fault.device)) ||
	     !fault.device[0]))
		fault.kind = 0;
	if (!fault.kind)
		memset(fault.device, 0, sizeof(fault.device));
	ssdpm__sized_out(ret_fault, &fault, sizeof(fault));
	return 0;
}

/* "nvme0n1" and "nvme0c0n1" are of nvme0. */
/* "nvme0n1", or with the number of the controller "nvme0c1n1" */
static bool is_namespace(struct span device, const char *drive)
{
	struct span name = ssdpm__span(drive, strlen(drive));
	uint64_t of, number;

	if (!take_exactly(&device, "nvme") || !take_exactly(&name, "nvme") ||
	    !ssdpm__take_uint(&device, UINT32_MAX, &number) ||
	    !ssdpm__take_uint(&name, UINT32_MAX, &of) || name.at != name.end)
		return false;
	if (take_exactly(&device, "c") &&
	    !ssdpm__take_uint(&device, UINT32_MAX, &number))
		return false;
	return number == of && take_exactly(&device, "n");
}

static bool is_above(const char *path, const char *device)
{
	const size_t n = strlen(device);

	for (const char *at = path; (at = strstr(at, device)); at += n)
		if (at != path && at[-1] == '/' && (!at[n] || at[n] == '/'))
			return true;
	return false;
}

uint32_t ssdpm_fault_is_of(const char *device, const char *name,
			   const char *path, uint32_t ata_port)
{
	const struct span span = ssdpm__span(device, strlen(device));
	struct span rest = span;
	uint64_t port;

	if (!name[0])
		return 0;
	if (ssdpm__span_is(span, name) || is_namespace(span, name))
		return 1;
	if (is_pci_address(span))
		return is_above(path, device);
	return ata_port && take_exactly(&rest, "ata") &&
	       ssdpm__take_uint(&rest, UINT32_MAX, &port) &&
	       rest.at == rest.end && port == ata_port;
}

int ssdpm_fault_count_aer(const char *text, size_t size, uint64_t *ret_n_errors,
			  struct ssdpm_error *reterr)
{
	struct lines lines = { .rest = ssdpm__span(text, size) };
	struct span line, key;
	uint64_t n;

	while (ssdpm__next_line(&lines, &line))
		if (take_exactly(&line, "TOTAL_ERR_") &&
		    ssdpm__take_word(&line, &key) &&
		    ssdpm__take_uint(&line, UINT64_MAX, &n) &&
		    line.at == line.end) {
			*ret_n_errors = n;
			return 0;
		}
	return ssdpm__fail(reterr, -EINVAL, 0, "no line TOTAL_ERR_");
}
