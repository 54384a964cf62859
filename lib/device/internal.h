/* SPDX-License-Identifier: MIT */
/* What the files of the device stage share, and the apply stage may see. */
#ifndef SSDPM_LIB_DEVICE_INTERNAL_H
#define SSDPM_LIB_DEVICE_INTERNAL_H

#include <ssdpm/device.h>

#include "base/internal.h"
#include "base/text.h"

#include <sys/types.h>

#include <limits.h>

/* Longest path under a root, and longest text of a sysfs file that is read. */
#define SSDPM__PATH_BYTES 320

/* What an attribute of sysfs may have: a page, and a zero byte. */
#define SSDPM__ATTRIBUTE_BYTES 4097
#define SSDPM__TEXT_BYTES 4096

/*
 * Told of what is read under the root, and of what is there: bytes is NULL
 * where only that was asked. capture.c writes it down.
 */
typedef void (*observe_fn)(void *observer, const char *path, const void *bytes,
			   size_t n);

struct ssdpm_machine {
	uint32_t references;
	int root_fd;
	bool walk;	  /* do without openat2(), as where there is none */
	uint32_t capture; /* as in struct ssdpm_machine_facts */
	ssdpm_log_fn log_fn;
	void *userdata;
	uint32_t log_level;
	char *root;	    /* as the caller said it; NULL: this machine */
	observe_fn observe; /* or NULL */
	void *observer;
};

struct ssdpm_device {
	uint32_t references;
	struct ssdpm_machine *machine;
	int err; /* not 0: its name is all that could be read */
	struct ssdpm_device_facts facts;
};

/*
 * As ssdpm_device_list_read(), with the drives that could not be read, last:
 * each has an err.
 */
int ssdpm__device_list_read_all(struct ssdpm_machine *machine,
				struct ssdpm_device ***ret_devices,
				size_t *ret_n, struct ssdpm_error *reterr);

/* Short names of files: by controller, and by host. */
#define SSDPM__TOLERANCE_FILE \
	"/sys/class/nvme/%s/power/pm_qos_latency_tolerance_us"

#define SSDPM__LPM_FILE \
	"/sys/class/scsi_host/host%u/link_power_management_policy"

/*
 * What to write before a tolerance, so that Linux builds the table anew. One
 * less never allows a state that the tolerance forbids.
 */
uint64_t ssdpm__other_tolerance_us(uint64_t us);

/*
 * What may cost data, of all that ssdpm_device_diagnose() found; NULL: nothing.
 */
const struct ssdpm_diagnosis *ssdpm__risk_of(
	const struct ssdpm_diagnosis *found, size_t n);

/* Whether the port of a device takes no other link policy. */
bool ssdpm__refuses_lpm(const struct ssdpm_device_facts *facts);

/* The facts of a caller, whose structure may be of another version. */
int ssdpm__facts_in(const struct ssdpm_machine_facts *facts,
		    struct ssdpm_machine_facts *ret_known,
		    struct ssdpm_error *reterr);

void ssdpm__log(const struct ssdpm_machine *machine, uint32_t level,
		const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * files.c: all access to files under the root of a machine, by openat2() with
 * RESOLVE_IN_ROOT, or component by component where the kernel has no openat2().
 * Paths have no leading slash: "sys/class/nvme". All return 0 (or what they
 * say) or -errno.
 */
int ssdpm__open(const struct ssdpm_machine *machine, const char *path,
		int flags, mode_t mode);

/* The whole file, at most size - 1 bytes (-E2BIG) and a zero byte; ret_n may be
 * NULL. */
int ssdpm__read_bytes(const struct ssdpm_machine *machine, const char *path,
		      void *buffer, size_t size, size_t *ret_n);

/* The same without blanks and newlines at its end. */
int ssdpm__read_text(const struct ssdpm_machine *machine, const char *path,
		     char *text, size_t size);

/* The word in brackets of "default [powersave]", cut in place; NULL: none. */
const char *ssdpm__choice(char *text);

/* A whole number in this base (0: decimal, 0x...). -EINVAL: it is none. */
int ssdpm__read_number(const struct ssdpm_machine *machine, const char *path,
		       int base, uint64_t *ret_value);

/* Is it there? 0, or -errno. */
int ssdpm__find(const struct ssdpm_machine *machine, const char *path);
bool ssdpm__exists(const struct ssdpm_machine *machine, const char *path);

/*
 * Whether this process may; a process of root may have lost capabilities, as in
 * a container.
 */
#define SSDPM__ONLY_ROOT ": only root with its capabilities may"

/*
 * Where a link, or a path with links in it, leads: "sys/devices/...". -ENOENT,
 * too, where that is not all printable ASCII.
 */
int ssdpm__real_path(const struct ssdpm_machine *machine, const char *path,
		     char *real, size_t size);

/*
 * The names in a directory, sorted by strverscmp(), without "." and "..", and
 * without those that are not all printable ASCII. Free with
 * ssdpm__free_names().
 */
struct names {
	char **names;
	size_t n;
};
int ssdpm__list_names(const struct ssdpm_machine *machine, const char *path,
		      struct names *ret_names);
void ssdpm__free_names(struct names *names);

/*
 * Write a text to a file that is there, by one write(). -EROFS: the root is not
 * this machine, and has no marker.
 */
int ssdpm__write_text(const struct ssdpm_machine *machine, const char *path,
		      const char *text);

/* May anything be written under the root? 0 or -EROFS with words. */
int ssdpm__check_writable(const struct ssdpm_machine *machine,
			  struct ssdpm_error *reterr);

/*
 * Facts about one thing, read one by one from its directory. A value that
 * cannot be read is unknown, and these return false. They keep an err that says
 * nothing about the file: -ENOMEM, -EMFILE, -ENFILE.
 */
struct directory {
	const struct ssdpm_machine *machine;
	const char *path; /* under the root, without a slash around it */
	int err;
};

/* Printable ASCII, without blanks around it, as much as there is room for. */
bool ssdpm__get_text(struct directory *directory, const char *name, char *text,
		     size_t size);
bool ssdpm__get_number(struct directory *directory, const char *name, int base,
		       uint64_t max, uint64_t *ret_value);
/* The last component of what a link holds. */
bool ssdpm__get_link(struct directory *directory, const char *name, char *text,
		     size_t size);
bool ssdpm__has(struct directory *directory, const char *name);
/* Its file below the adapter, as "link/l1_aspm"; NULL: there is none. */
const char *ssdpm__link_file(uint32_t feature);
/* The bit of enum ssdpm_pcie_feature of "l1_aspm"; 0: it is none. */
uint32_t ssdpm__link_feature(const char *name);
/* Whether it is suspended, by this file power/runtime_status. */
bool ssdpm__is_suspended(struct directory *directory, const char *name);
void ssdpm__note_failure(struct directory *directory, int code);

/* "directory/name"; -ENAMETOOLONG. */
int ssdpm__join(char path[SSDPM__PATH_BYTES], const char *directory,
		const char *name);

/* Linux has the file of the limit only where it did not switch APST off. */
static inline bool ssdpm__has_limit(const struct ssdpm_device_facts *facts)
{
	return facts->known & SSDPM_FACT_LATENCY_TOLERANCE ||
	       facts->flags & SSDPM_DEVICE_LIMIT_UNREAD;
}

/* device.c: one reference, a copy of the facts; the machine is kept. */
int ssdpm__device_new(struct ssdpm_machine *machine,
		      const struct ssdpm_device_facts *facts,
		      struct ssdpm_device **ret_device,
		      struct ssdpm_error *reterr);

/* Reads the directory of a PCI device, or of another one. */
void ssdpm__read_adapter(struct directory *adapter,
			 struct ssdpm_device_facts *facts);

/*
 * The path of facts, from a link in a class. Like those of the kernel, it must
 * lead to something of the same name. -ENODEV: it does not.
 */
int ssdpm__find_path(const struct ssdpm_machine *machine, const char *class,
		     const char *name, struct ssdpm_device_facts *facts);

/*
 * find.c: the words for a device at this path that Linux has removed, or is
 * about to; NULL: it is there. Ask where a call has failed.
 */
const char *ssdpm__removal(const struct ssdpm_machine *machine,
			   const char *path);

/* "nvme" and digits, "host" and digits, and the number. */
bool ssdpm__is_numbered(const char *name, const char *prefix,
			uint32_t *ret_number);

/*
 * nvme-facts.c, sata-facts.c: fill facts of a controller ("nvme0"), of a disk
 * ("sda", in reach or not), of a port ("host3"; -ENODEV: none of libata).
 * -ENOENT: it vanished.
 */
int ssdpm__nvme_read_facts(const struct ssdpm_machine *machine,
			   const char *name, struct ssdpm_device_facts *facts);
int ssdpm__sata_read_facts(const struct ssdpm_machine *machine,
			   const char *name, struct ssdpm_device_facts *facts);

/*
 * hidden.c: what the PCI device at this path, without links, hides. -ENODEV:
 * nothing.
 */
int ssdpm__hidden_read_facts(const struct ssdpm_machine *machine,
			     const char *path,
			     struct ssdpm_device_facts *facts);

/* The directory of its host, with the policy; false: it has none. */
bool ssdpm__sata_find_host(const struct ssdpm_device_facts *facts,
			   char ret_path[SSDPM__PATH_BYTES]);

/*
 * The kernel's copy of IDENTIFY DEVICE: the text of ata_device/devP.0/id, 256
 * words of four digits each. -ENOENT: there is none.
 */
int ssdpm__sata_read_id(const struct ssdpm_machine *machine,
			const struct ssdpm_device_facts *facts,
			char text[SSDPM__TEXT_BYTES]);
/* false: there are less than 256. */
bool ssdpm__sata_parse_words(const char *text, uint16_t words[256]);

/*
 * Back ends for live commands; -EOPNOTSUPP with words from a -none.c twin.
 * name is that of the node under /dev.
 */

/* nvme-libnvme1.c */
int ssdpm__nvme_identify(const struct ssdpm_machine *machine, const char *name,
			 uint8_t data[SSDPM_NVME_IDENTIFY_BYTES],
			 struct ssdpm_error *reterr);
/* data may be NULL with size 0; ret_dword: dword 0 of the completion. */
int ssdpm__nvme_get_feature(const struct ssdpm_machine *machine,
			    const char *name, uint8_t fid, void *data,
			    size_t size, uint32_t *ret_dword,
			    struct ssdpm_error *reterr);
/* Set Features 0Ch, never with the save bit. -EACCES: see nvme-libnvme1.c. */
int ssdpm__nvme_set_apst(const struct ssdpm_machine *machine, const char *name,
			 const uint8_t data[SSDPM_APST_BYTES], bool enable,
			 struct ssdpm_error *reterr);

/* Set Features with no data, never with the save bit: likewise. */
int ssdpm__nvme_set_feature(const struct ssdpm_machine *machine,
			    const char *name, uint8_t fid, uint32_t dword,
			    struct ssdpm_error *reterr);

/*
 * wake.c: read a block of a namespace of this controller, by no cache. -ENODEV:
 * it has none that can be read.
 */
int ssdpm__nvme_wake(const struct ssdpm_machine *machine,
		     const struct ssdpm_device_facts *facts,
		     struct ssdpm_error *reterr);

/*
 * ata-sg.c: IDENTIFY DEVICE, and one page of a log, through SG_IO, if CHECK
 * POWER MODE says that the drive is awake. Errors:
 * - -EBUSY: it is in standby;
 * - -EOPNOTSUPP: the drive or its driver refuses commands;
 * - -ENODATA: the drive has no such log.
 */
int ssdpm__ata_identify(const struct ssdpm_machine *machine, const char *name,
			uint8_t data[512], struct ssdpm_error *reterr);
int ssdpm__ata_read_log(const struct ssdpm_machine *machine, const char *name,
			uint8_t log, uint8_t page, uint8_t data[512],
			struct ssdpm_error *reterr);

/* ata-libatasmart.c: the same data, but it asks for the SMART status, too. */
int ssdpm__atasmart_identify(const struct ssdpm_machine *machine,
			     const char *name, uint8_t data[512],
			     struct ssdpm_error *reterr);

/*
 * Dumps of a capture (ssdpm-capture(5)). "dumps/nvme0.identify" has 4096 bytes,
 * "dumps/nvme0.apst" our JSON, ssdpm.apst/1. "dumps/nvme0.power-state" is a
 * decimal number, and "dumps/nvme0.power" has lines as "nopp 1".
 * "dumps/sda.identify" has 512 bytes, "dumps/sda.devsleep" the 512 bytes of log
 * 30h page 08h. The marker is the file "ssdpm-capture".
 */
#define SSDPM__MARKER "ssdpm-capture"
#define SSDPM__DUMP_BYTES 16384 /* the longest: JSON */
#define SSDPM__ATA_PAGE_BYTES 512
#define SSDPM__DEVSLEEP_LOG 0x30
#define SSDPM__DEVSLEEP_PAGE 0x08

/* files.c: "cannot read ROOT/PATH: CAUSE"; returns err. */
int ssdpm__fail_read(const struct ssdpm_machine *machine, const char *path,
		     int err, const char *cause, struct ssdpm_error *reterr);

/*
 * files.c: a dump, with a zero byte at its end. -ENOENT: the capture has none;
 * -EINVAL: it is longer.
 */
int ssdpm__read_dump(const struct ssdpm_device *device, const char *what,
		     void *buffer, size_t size, size_t *ret_n,
		     struct ssdpm_error *reterr);

/*
 * Identify of a drive, by a command or from a dump: 4096 bytes (NVMe) or 512
 * (SATA). There must be room for them, and for a byte more.
 */
int ssdpm__read_identify(const struct ssdpm_device *device, uint8_t *data,
			 struct ssdpm_error *reterr);

/*
 * Log 30h, page 08h, likewise. -EOPNOTSUPP: the drive has no DevSleep;
 * -ENODATA: it has no such log.
 */
int ssdpm__read_devsleep_page(const struct ssdpm_device *device,
			      uint8_t page[SSDPM__ATA_PAGE_BYTES + 1],
			      struct ssdpm_error *reterr);

/*
 * Get Features, of a live drive. -EOPNOTSUPP: it has no such feature, for which
 * it says: invalid field.
 */
int ssdpm__read_feature(const struct ssdpm_device *device, uint8_t fid,
			void *data, size_t size, uint32_t *ret_dword,
			struct ssdpm_error *reterr);

/* power.c: what is known, as dumps/nvme0.power holds it; its length. */
#define SSDPM__POWER_DUMP_BYTES 256
size_t ssdpm__format_power(const struct ssdpm_device_power *power,
			   char text[SSDPM__POWER_DUMP_BYTES]);

/* Is it a drive that can be read? 0, -ENODEV, -EOPNOTSUPP. */
int ssdpm__check_drive(const struct ssdpm_device *device,
		       struct ssdpm_error *reterr);

/* diagnose.c */

#define SSDPM__WARNING_BYTES 600

/*
 * The warning of the diagnosis if the port had this policy, or if the NVMe
 * controller may sleep (lpm 0). It is one line, or "". Return: 0 or -ENOMEM.
 */
int ssdpm__warn_of_setting(const struct ssdpm_device *device,
			   const struct ssdpm_machine_facts *machine,
			   const struct ssdpm_model *model, uint32_t lpm,
			   char ret_warning[SSDPM__WARNING_BYTES],
			   struct ssdpm_error *reterr);

/* owners.c: other owners of the settings */

/* What files of ssdpm begin with, after the line of an interpreter. */
#define SSDPM__OWN_MARK "# Written by ssdpm"

/*
 * Where TuneD finds a profile, the administrator's before its own: 2.23 and
 * later read the folders "profiles", earlier ones the folders above these.
 */
enum { SSDPM__N_TUNED_FOLDERS = 4, SSDPM__N_TUNED_ETC_FOLDERS = 2 };
extern const char ssdpm__tuned_folders[SSDPM__N_TUNED_FOLDERS][24];

#endif
