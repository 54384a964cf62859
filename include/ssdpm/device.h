/* SPDX-License-Identifier: MIT */
/*
 * The devices: what a running Linux, or a capture of one, says of its SSDs, and
 * why each does or does not save power.
 *
 * A machine is this one, or a directory that was captured from one. A device is
 * a snapshot of sysfs: an NVMe controller, a SATA port with its disk, or a disk
 * that is out of reach. Only calls whose comment says so send a command to a
 * drive. See ssdpm_device(3).
 */
#ifndef SSDPM_DEVICE_H
#define SSDPM_DEVICE_H

#include <ssdpm/base.h>
#include <ssdpm/model.h>
#include <ssdpm/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ssdpm_machine;
struct ssdpm_device;

enum ssdpm_log_level {
	SSDPM_LOG_WARNING = 1,
	SSDPM_LOG_INFO = 2,
	SSDPM_LOG_DEBUG = 3, /* every file that is read, every command sent */
};

/** @message is one line without a newline, valid during the call only. */
typedef void (*ssdpm_log_fn)(void *userdata, uint32_t level,
			     const char *message);

/**
 * struct ssdpm_machine_params - which machine (sized parameters)
 * @size:     sizeof(struct ssdpm_machine_params)
 * @root:     a capture (see ssdpm-capture(5)), or any directory that holds a
 *            sys/; NULL: this machine. Symbolic links under it never lead out
 *            of it
 * @log_fn:   told what is done, or NULL
 * @userdata: handed to @log_fn
 * @log_level: enum ssdpm_log_level: the most that @log_fn wants; 0: warnings
 */
struct ssdpm_machine_params {
	size_t size;
	const char *root;
	ssdpm_log_fn log_fn;
	void *userdata;
	uint32_t log_level;
	uint32_t reserved;
};

/**
 * ssdpm_machine_new() - the machine that is asked
 * @params:      which one, or NULL: this one
 * @ret_machine: free it with ssdpm_machine_unref()
 *
 * Opens the root and nothing else.
 *
 * Return: 0; -ENOENT, -ENOTDIR, -EACCES (@root cannot be opened), -EINVAL
 * (@params), -E2BIG (@params), -ENOMEM.
 */
SSDPM_API int ssdpm_machine_new(const struct ssdpm_machine_params *params,
				struct ssdpm_machine **ret_machine,
				struct ssdpm_error *reterr);

/** ssdpm_machine_ref() - keep a machine, or NULL. Thread-safe. Return: it. */
SSDPM_API struct ssdpm_machine *ssdpm_machine_ref(
	struct ssdpm_machine *machine);

/**
 * ssdpm_machine_unref() - let a machine go, or NULL; the last one frees it
 *
 * Thread-safe. Return: NULL.
 */
SSDPM_API struct ssdpm_machine *ssdpm_machine_unref(
	struct ssdpm_machine *machine);

/** The way in which Linux suspends the machine: /sys/power/mem_sleep. */
enum ssdpm_suspend {
	SSDPM_SUSPEND_S2IDLE = 1,
	SSDPM_SUSPEND_SHALLOW = 2,
	SSDPM_SUSPEND_DEEP = 3,
};

/** /sys/module/pcie_aspm/parameters/policy */
enum ssdpm_aspm_policy {
	SSDPM_ASPM_DEFAULT = 1,
	SSDPM_ASPM_PERFORMANCE = 2,
	SSDPM_ASPM_POWERSAVE = 3,
	SSDPM_ASPM_POWERSUPERSAVE = 4,
};

/** Parameters of nvme_core: indexes of ssdpm_machine_facts.nvme_core. */
enum ssdpm_nvme_core {
	SSDPM_NVME_CORE_DEFAULT_PS_MAX_LATENCY_US = 1,
	SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS = 2,
	SSDPM_NVME_CORE_APST_PRIMARY_LATENCY_TOL_US = 3,
	SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS = 4,
	SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US = 5,
	SSDPM_NVME_CORE_FORCE_APST = 6,
};

/** Room for the values of parameters, more than there are. */
#define SSDPM_MAX_NVME_CORE 16

/**
 * struct ssdpm_machine_facts - the machine as a whole (sized; the caller sets
 *                              size)
 * @size:          sizeof(struct ssdpm_machine_facts)
 * @power_source:  enum ssdpm_power_source; 0: no supply says. A machine without
 *                 a mains adapter and without a battery is on AC
 * @suspend:       enum ssdpm_suspend; 0: unknown
 * @aspm_policy:   enum ssdpm_aspm_policy; 0: unknown, or no ASPM at all
 * @nvme_core_known: bit i is set if @nvme_core[i] could be read. Linux 5.13 and
 *                 older have no apst_ parameters
 * @nvme_core:     by enum ssdpm_nvme_core
 * @linux_release: /proc/sys/kernel/osrelease, or ""; where that of Debian or of
 *                 Ubuntu lacks the patch level, "6.8.12 (6.8.0-45-generic)"
 * @sys_vendor:    /sys/class/dmi/id/sys_vendor, or ""
 * @product_name, @product_version, @board_vendor, @board_name, @bios_date:
 *                 likewise
 * @mask_port_ext: parameter of ahci: ports that count as internal; "" if there
 *                 is none
 * @mobile_lpm_policy: parameter of ahci; -1: not set; INT32_MIN: unknown
 * @capture:       0: this machine; 1: another root; 2: one with the marker of a
 *                 capture, so that a plan may write there
 */
struct ssdpm_machine_facts {
	size_t size;
	uint32_t power_source;
	uint32_t suspend;
	uint32_t aspm_policy;
	uint32_t nvme_core_known;
	uint64_t nvme_core[SSDPM_MAX_NVME_CORE];
	char linux_release[72];
	char sys_vendor[72];
	char product_name[72];
	char product_version[72];
	char board_vendor[72];
	char board_name[72];
	char bios_date[16];
	char mask_port_ext[128];
	int32_t mobile_lpm_policy;
	uint32_t capture;
};

/**
 * ssdpm_machine_read_facts() - read what is known of the machine as a whole
 *
 * A fact that cannot be read is unknown, and no failure.
 *
 * Return: 0; -EINVAL, -E2BIG (the size of @ret_facts), -ENOMEM, -EMFILE.
 */
SSDPM_API int ssdpm_machine_read_facts(struct ssdpm_machine *machine,
				       struct ssdpm_machine_facts *ret_facts,
				       struct ssdpm_error *reterr);

/** Can this library set its policy? If not, what stands before it. */
enum ssdpm_reach {
	SSDPM_REACH_YES = 1,
	SSDPM_REACH_SAS = 2,	  /* behind a SAS adapter */
	SSDPM_REACH_USB = 3,	  /* behind a USB bridge */
	SSDPM_REACH_REMAPPED = 4, /* NVMe hidden by Intel RST */
	SSDPM_REACH_VMD = 5,  /* behind Intel VMD, whose driver is not there */
	SSDPM_REACH_RAID = 6, /* behind another adapter with its own disks */
	SSDPM_REACH_NO_LPM = 7, /* SATA adapter whose driver knows no LPM */
};

/** Bits of ssdpm_device_facts.flags. */
enum ssdpm_device_flag {
	SSDPM_DEVICE_FABRICS = 1 << 0,	/* NVMe over a network: no PCI device */
	SSDPM_DEVICE_EMPTY = 1 << 1,	/* a port without a disk */
	SSDPM_DEVICE_OPTICAL = 1 << 2,	/* a port with an ATAPI drive */
	SSDPM_DEVICE_EXTERNAL = 1 << 3, /* PxCMD.ESP and CAP.SXS */
	SSDPM_DEVICE_HOT_PLUG = 1 << 4, /* PxCMD.HPCP */
	SSDPM_DEVICE_SHARED_PORT = 1 << 5, /* behind a port multiplier */
	SSDPM_DEVICE_ROTATIONAL = 1 << 6,  /* a hard disk */
	SSDPM_DEVICE_REMOVABLE = 1 << 7,
	SSDPM_DEVICE_D3COLD_ALLOWED = 1 << 8,
	/* NVMe: the file of the limit is there, but no limit is read from it */
	SSDPM_DEVICE_LIMIT_UNREAD = 1 << 9,
};

/** Bits of ssdpm_device_facts.known: the member holds what a file says. */
enum ssdpm_device_fact {
	SSDPM_FACT_QUIRKS = 1 << 0,
	SSDPM_FACT_LATENCY_TOLERANCE = 1 << 1,
	SSDPM_FACT_PCIE = 1 << 2, /* the directory link/ of the PCI device */
	SSDPM_FACT_D3COLD = 1 << 3,
	SSDPM_FACT_LPM = 1 << 4,
	SSDPM_FACT_LPM_SUPPORTED = 1 << 5,
	SSDPM_FACT_AHCI_PORT_CMD = 1 << 6,
	SSDPM_FACT_AHCI_HOST_CAPS = 1 << 7,
	SSDPM_FACT_AHCI_HOST_CAP2 = 1 << 8,
	SSDPM_FACT_RESET_COUNT = 1 << 9,
	SSDPM_FACT_RUNTIME_PM = 1 << 10,
	SSDPM_FACT_PORT = 1 << 11,
};

/**
 * Bits of ssdpm_device_facts.pcie_capable and .pcie_enabled: files of the
 * directory link/ of the PCI device; the last is that of its power management.
 */
enum ssdpm_pcie_feature {
	SSDPM_PCIE_FEATURE_CLKPM = 1 << 0,
	SSDPM_PCIE_FEATURE_L0S = 1 << 1,
	SSDPM_PCIE_FEATURE_L1 = 1 << 2,
	SSDPM_PCIE_FEATURE_L1_1 = 1 << 3,
	SSDPM_PCIE_FEATURE_L1_2 = 1 << 4,
	SSDPM_PCIE_FEATURE_L1_1_PCIPM = 1 << 5,
	SSDPM_PCIE_FEATURE_L1_2_PCIPM = 1 << 6,
};

/**
 * struct ssdpm_device_facts - what sysfs says of a device (sized; borrowed)
 * @size:     how much of it this library fills
 * @kind:     enum ssdpm_kind; 0: out of reach, and not known to be either
 * @reach:    enum ssdpm_reach
 * @flags:    bits of enum ssdpm_device_flag
 * @known:    bits of enum ssdpm_device_fact
 * @name:     "nvme0", "sda"; a port without a disk: "host3"; what RST or VMD
 *            hides: the PCI address of that
 * @product:  model, or ""; likewise @firmware and @state
 * @state:    state of the controller, "live", or of the disk, "running"
 * @address:  PCI address of the controller or of the SATA adapter,
 *            "0000:01:00.0"; over fabrics the address that the kernel shows
 * @driver:   of the PCI device: "nvme", "ahci", "ata_piix"
 * @path:     the directory in sysfs (of an empty port: in class scsi_host; of
 *            what is hidden: the PCI device), without symbolic links, as in
 *            "/sys/devices/pci0000:00/.../nvme/nvme0": it names the slot, not
 *            only a number
 * @pci_vendor_id, @pci_device_id: of @address; 0: unknown
 *
 * @pci_power_state: of the PCI device: "D0", "D3hot", ..., or ""
 * @runtime_pm:   power/control of the PCI device, "on" or "auto", or ""; Linux
 *                has no runtime D3 for NVMe, whatever it says
 * @pcie_capable, @pcie_enabled: bits of enum ssdpm_pcie_feature
 *
 * NVMe:
 * @kernel_quirks: bits of enum ssdpm_quirk that the kernel says are in force
 * @latency_tolerance_us: pm_qos_latency_tolerance_us; SSDPM_LATENCY_ANY for
 *                "any" and "auto". Not known: the kernel has no APST for this
 *                controller, by its own word or by a quirk
 * @transport:    "pcie", "tcp", ...; if Linux has no such file, "pcie" of a PCI
 *                device, else ""
 * @reset_count:  resets of the controller since it was found, or since somebody
 *                wrote 0 there; its first start is none
 *
 * SATA:
 * @host:         number N of hostN
 * @ata_port:     number P of ataP, from 1 on; 0: out of reach, and then nothing
 *                is known of the port, not even @host
 * @lpm:          enum ssdpm_lpm, what the port is told to do
 * @lpm_supported: link_power_management_supported: 0 or 1
 * @ahci_port_cmd, @ahci_host_caps, @ahci_host_cap2: registers PxCMD, CAP and
 *                CAP2 (AHCI 1.3.1)
 * @devices_without_hipm: how many devices on the port do not take requests of
 *                the host (word 76 bit 9)
 * @n_devices:    how many devices are on the port; how many NVMe drives RST
 *                hides
 * @port:         number of the port on its adapter, from 0 on: one less than
 *                port_no of ataP, which the masks of the module ahci count by
 * @lpm_word:     link_power_management_policy, if it is none of enum ssdpm_lpm:
 *                a policy that this version does not know; else ""
 */
struct ssdpm_device_facts {
	size_t size;
	uint32_t kind;
	uint32_t reach;
	uint32_t flags;
	uint32_t known;
	char name[32];
	char product[48];
	char firmware[16];
	char state[24];
	char address[128];
	char driver[24];
	char path[256];
	uint16_t pci_vendor_id;
	uint16_t pci_device_id;
	char pci_power_state[12];
	char runtime_pm[8];
	uint32_t pcie_capable;
	uint32_t pcie_enabled;
	uint32_t kernel_quirks;
	uint64_t latency_tolerance_us;
	char transport[12];
	uint32_t reset_count;
	uint32_t host;
	uint32_t ata_port;
	uint32_t lpm;
	uint32_t lpm_supported;
	uint32_t ahci_port_cmd;
	uint32_t ahci_host_caps;
	uint32_t ahci_host_cap2;
	uint32_t devices_without_hipm;
	uint32_t n_devices;
	uint32_t port;
	char lpm_word[32];
};

/**
 * ssdpm_device_list_read() - all devices of a machine
 * @ret_devices: an array; free it with ssdpm_device_list_free(). NULL where
 *               there is none
 * @ret_n:       how many
 *
 * NVMe controllers by number, then SATA ports by number of their host, disks
 * before empty ports, then what is out of reach. Sends no command, needs no
 * root. A device that vanishes while it is read is left out.
 *
 * Return: 0, -ENOENT (/sys of this machine is not mounted), -ENOMEM, -EACCES,
 * -EMFILE, and others of open(2).
 */
SSDPM_API int ssdpm_device_list_read(struct ssdpm_machine *machine,
				     struct ssdpm_device ***ret_devices,
				     size_t *ret_n, struct ssdpm_error *reterr);

/** ssdpm_device_list_free() - unref all and free the array. Return: NULL. */
SSDPM_API struct ssdpm_device **ssdpm_device_list_free(
	struct ssdpm_device **devices, size_t n);

/**
 * ssdpm_device_read() - one device, by name
 * @name: "nvme0", "nvme0n1", "sda", "host3", with or without "/dev/"; a
 *        partition stands for its disk; links under /dev (by-id) too
 *
 * Return: 0; -ENOENT (there is none: @reterr names those that there are),
 * -EINVAL (no name of a device, or that of several: a namespace with several
 * controllers, a host with several disks), -ENOMEM, and others of open(2).
 */
SSDPM_API int ssdpm_device_read(struct ssdpm_machine *machine, const char *name,
				struct ssdpm_device **ret_device,
				struct ssdpm_error *reterr);

/** ssdpm_device_ref() - keep a device, or NULL. Thread-safe. Return: it. */
SSDPM_API struct ssdpm_device *ssdpm_device_ref(struct ssdpm_device *device);

/**
 * ssdpm_device_unref() - let a device go, or NULL; the last one frees it
 *
 * Thread-safe. Return: NULL.
 */
SSDPM_API struct ssdpm_device *ssdpm_device_unref(struct ssdpm_device *device);

/**
 * ssdpm_device_get_facts() - what sysfs said when the device was read
 *
 * Return: borrowed from @device, valid as long as it.
 */
SSDPM_API const struct ssdpm_device_facts *ssdpm_device_get_facts(
	const struct ssdpm_device *device);

/** Bits of the flags of ssdpm_device_read_model() and of a capture. */
enum ssdpm_read_flag {
	SSDPM_READ_COMMANDS = 1 << 0, /* commands may be sent to drives */
};

/**
 * ssdpm_device_read_model() - the model of a live drive
 * @flags: with SSDPM_READ_COMMANDS: Identify is sent, by libnvme (NVMe) or
 *         through SG_IO (SATA). Without, or where that is not allowed: what
 *         sysfs has (SATA), the dump of a capture, or @catalogue
 * @catalogue: for what sysfs does not say, by product and firmware; or NULL
 *
 * A model from the catalogue has that provenance. sysfs adds the vendor, and
 * APSTA by the presence of the latency tolerance.
 *
 * A SATA disk gets CHECK POWER MODE first. If it is in standby, or if Linux has
 * suspended it, no other command follows. A warning is logged, and the model is
 * that of sysfs.
 *
 * Return: 0; -EOPNOTSUPP (out of reach, or built without the back end), -EACCES
 * (root is needed, and nothing else knows the drive), -ENOENT (not in the
 * catalogue), -ENODEV (it is gone, or its library is not installed), -EIO,
 * -EINVAL, -ENOMEM. @reterr says what to do.
 */
SSDPM_API int ssdpm_device_read_model(struct ssdpm_device *device,
				      uint32_t flags,
				      const struct ssdpm_catalogue *catalogue,
				      struct ssdpm_model **ret_model,
				      struct ssdpm_error *reterr);

/**
 * ssdpm_device_read_apst() - the table that is in force: Get Features 0Ch
 *
 * Sends a command, which takes CAP_SYS_ADMIN; or reads the dump of a capture.
 *
 * Return: 0; -EOPNOTSUPP (not NVMe, no APST, built without libnvme), -EACCES
 * (not root), -ENOENT (the capture has no dump), -ENODEV, -EIO.
 */
SSDPM_API int ssdpm_device_read_apst(struct ssdpm_device *device,
				     struct ssdpm_apst *ret_table,
				     struct ssdpm_error *reterr);

/** Bits of ssdpm_device_power.known and .supported. */
enum ssdpm_power_fact {
	SSDPM_POWER_FACT_STATE = 1 << 0,
	SSDPM_POWER_FACT_WORKLOAD_HINT = 1 << 1,
	SSDPM_POWER_FACT_NOPP = 1 << 2,	       /* CTRATT bit 1 */
	SSDPM_POWER_FACT_THERMAL = 1 << 3,     /* HCTMA bit 0 */
	SSDPM_POWER_FACT_LIMIT = 1 << 4,       /* CTRATT bit 20: NVMe 2.3 */
	SSDPM_POWER_FACT_MEASUREMENT = 1 << 5, /* CTRATT bit 21: NVMe 2.3 */
};

/** Bits of ssdpm_device_power.flags. */
enum ssdpm_power_flag {
	/* It sleeps: power_state is non-operational, and which operational one
	 * it wakes to is not known. */
	SSDPM_POWER_FLAG_ASLEEP = 1 << 0,
};

/**
 * struct ssdpm_device_power - what an NVMe drive says of its power (sized; the
 *                             caller sets size)
 * @size:      sizeof(struct ssdpm_device_power)
 * @known:     bits of enum ssdpm_power_fact: the members that have a value
 * @supported: likewise: what the drive says that it has (Identify); the first
 *             two are set where Identify is known, and no bit is where it is
 *             not
 * @flags:     bits of enum ssdpm_power_flag
 * @power_state: Get Features 02h, bits 4 to 0; a drive that sleeps may say the
 *             state that it sleeps in, or wake
 * @workload_hint: likewise, bits 7 to 5. 0: none; 1: long idle, then bursts of
 *             small writes; 2: heavy sequential writes; 3 to 7: not defined
 * @nopp:      Get Features 11h, bit 0 (NOPPME): 1: in non-operational states
 *             background work may exceed their power
 * @power_measurement: Get Features 25h, bits 3 to 0: 1: it measures; 0: not
 * @light_throttle_k: Get Features 10h, bits 31 to 16 (TMT1), in kelvin: from
 *             here on it saves power with little loss; 0: off
 * @heavy_throttle_k: likewise, bits 15 to 0 (TMT2): whatever that loses
 * @min_throttle_k, @max_throttle_k: the least and the most that can be set
 *             (MNTMT, MXTMT); 0: the drive does not say, or Identify is not
 *             known
 * @power_limit_uw: Get Features 23h; not known either where none is set
 * @reserved:  0
 *
 * The state with its hint and NOPPME can be set: ssdpm/apply.h. The others are
 * only read.
 *
 * Source: NVMe Base 2.1, Get and Set Features, Identify Controller; of NVMe 2.3
 * libnvme 3's types.h, from which the newer fields are taken.
 */
struct ssdpm_device_power {
	size_t size;
	uint32_t known;
	uint32_t supported;
	uint32_t flags;
	uint32_t power_state;
	uint32_t workload_hint;
	uint32_t nopp;
	uint32_t power_measurement;
	uint32_t light_throttle_k;
	uint32_t heavy_throttle_k;
	uint32_t min_throttle_k;
	uint32_t max_throttle_k;
	uint32_t reserved;
	uint64_t power_limit_uw;
};

/**
 * ssdpm_device_read_power() - power state, workload hint, limits: as they are
 *
 * Sends Identify and Get Features of what the drive says that it has, or reads
 * the dumps of a capture. A feature that the drive refuses or the capture lacks
 * is unknown, which is no failure; only the power state is required. Changes
 * nothing, though a drive that sleeps may wake.
 *
 * Return: as ssdpm_device_read_apst(); -EINVAL, -E2BIG (the size of
 * @ret_power).
 */
SSDPM_API int ssdpm_device_read_power(struct ssdpm_device *device,
				      struct ssdpm_device_power *ret_power,
				      struct ssdpm_error *reterr);

/**
 * struct ssdpm_devsleep - DevSleep timing of a SATA drive (frozen, 16 bytes)
 * @reported: 1: the drive says so; 0: the values that Serial ATA defines then
 * @minimum_assertion_ms: MDAT
 * @exit_timeout_ms: DETO
 *
 * Source: Identify Device Data log (30h), page 08h, bytes 30h to 37h (ACS-4).
 */
struct ssdpm_devsleep {
	uint32_t reported;
	uint32_t minimum_assertion_ms;
	uint32_t exit_timeout_ms;
	uint32_t reserved;
};

/**
 * ssdpm_device_read_devsleep() - READ LOG EXT, by SG_IO
 *
 * Sends CHECK POWER MODE first, and nothing else to a disk that sleeps.
 *
 * Return: as ssdpm_device_read_apst(), for SATA; -EBUSY: the disk is in
 * standby, or Linux has suspended it.
 */
SSDPM_API int ssdpm_device_read_devsleep(struct ssdpm_device *device,
					 struct ssdpm_devsleep *ret_devsleep,
					 struct ssdpm_error *reterr);

/**
 * ssdpm_device_get_host() - what the quirks of a device depend on
 * @facts:    of its machine; borrowed by @ret_host
 * @ret_host: for ssdpm_quirks_find(); its size member is set by the caller; its
 *            strings live as long as @facts and @device
 *
 * Return: 0; -EINVAL, -E2BIG (the size of @facts or @ret_host).
 */
SSDPM_API int ssdpm_device_get_host(const struct ssdpm_device *device,
				    const struct ssdpm_machine_facts *facts,
				    struct ssdpm_host *ret_host,
				    struct ssdpm_error *reterr);

/**
 * ssdpm_device_get_quirks() - the quirks in force
 * @model:   of the drive, or NULL: not known
 * @ret_from_kernel: 1: the kernel says so (sysfs); 0: our rules say so
 *
 * Return: 0; -ENODATA (the kernel does not say, and @model is NULL), -EINVAL,
 * -E2BIG (the size of @facts); as ssdpm_quirks_find().
 */
SSDPM_API int ssdpm_device_get_quirks(const struct ssdpm_device *device,
				      const struct ssdpm_machine_facts *facts,
				      const struct ssdpm_model *model,
				      uint32_t *ret_quirks,
				      uint32_t *ret_from_kernel,
				      struct ssdpm_error *reterr);

/**
 * ssdpm_device_get_apst_params() - what this kernel builds its table from
 * @ret_params: its size member is set by the caller: the algorithm of the
 *              running Linux with its parameters, the latency tolerance and
 *              the quirks of this device
 *
 * ssdpm_apst_generate() of it is the table that Linux programs.
 *
 * A controller without a latency tolerance has no APST in this kernel: then
 * SSDPM_QUIRK_NO_APST is among the quirks of @ret_params.
 *
 * Return: 0; -EOPNOTSUPP (not NVMe), -EINVAL, -E2BIG (the size of @ret_params);
 * as ssdpm_device_get_quirks().
 */
SSDPM_API int ssdpm_device_get_apst_params(
	const struct ssdpm_device *device,
	const struct ssdpm_machine_facts *facts,
	const struct ssdpm_model *model, struct ssdpm_apst_params *ret_params,
	struct ssdpm_error *reterr);

/**
 * ssdpm_device_get_settings() - what to simulate a device of a machine with
 * @facts: of its machine
 * @model: of the drive, or NULL: not known
 * @ret_settings: its size member is set by the caller
 *
 * @pcie_link goes into ssdpm_parameters_from_model(), which makes a range of a
 * link that is not known. @apst and @lpm go into struct ssdpm_sim_params: they
 * are the policy of today, which savings are counted from. @quirks go into the
 * parameters of a table. L1.1 counts as L1. @apst is what Linux programs, or in
 * a capture the table that was read. It is not known without @model, where
 * no table can be made of what @model says, or where the drive cannot follow
 * what was read.
 *
 * Source: the files of link/ in sysfs (drivers/pci/pcie/aspm.c),
 * pm_qos_latency_tolerance_us, link_power_management_policy.
 *
 * Return: 0; -EINVAL, -E2BIG (the size of @facts or @ret_settings), -ENOMEM.
 */
SSDPM_API int ssdpm_device_get_settings(
	const struct ssdpm_device *device,
	const struct ssdpm_machine_facts *facts,
	const struct ssdpm_model *model,
	struct ssdpm_device_settings *ret_settings, struct ssdpm_error *reterr);

/** Is the drive saving power? And what a diagnosis says. */
enum ssdpm_severity {
	SSDPM_SEVERITY_GOOD = 1, /* it is */
	SSDPM_SEVERITY_NOTE = 2, /* worth knowing */
	SSDPM_SEVERITY_PROBLEM =
		3, /* it saves less than it could, or nothing */
	SSDPM_SEVERITY_UNKNOWN = 4, /* more has to be known: root, a command */
};

enum ssdpm_diagnosis_code {
	SSDPM_DIAGNOSIS_SAVES = 1, /* verdicts: the first is one of these */
	SSDPM_DIAGNOSIS_SAVES_LESS = 2,
	SSDPM_DIAGNOSIS_SAVES_NOTHING = 3,
	SSDPM_DIAGNOSIS_NOT_KNOWN = 4,
	SSDPM_DIAGNOSIS_OUT_OF_REACH = 5,
	SSDPM_DIAGNOSIS_NO_DISK = 6,
	SSDPM_DIAGNOSIS_NO_APST = 16, /* NVMe: evidence */
	SSDPM_DIAGNOSIS_QUIRK = 17,
	SSDPM_DIAGNOSIS_APST_OFF = 18,	 /* latency tolerance 0 */
	SSDPM_DIAGNOSIS_APST_EMPTY = 19, /* enabled, no entry */
	SSDPM_DIAGNOSIS_STATE_NOT_USED = 20,
	SSDPM_DIAGNOSIS_TABLE_DIFFERS = 21, /* from what this kernel builds */
	SSDPM_DIAGNOSIS_NO_NON_OPERATIONAL = 22,
	SSDPM_DIAGNOSIS_LINK_NO_L1_2 = 23, /* PCIe */
	SSDPM_DIAGNOSIS_LINK_NO_ASPM = 24,
	SSDPM_DIAGNOSIS_ASPM_POLICY = 25,
	SSDPM_DIAGNOSIS_SUSPEND = 26, /* which path it will take */
	SSDPM_DIAGNOSIS_RESETS = 27,
	SSDPM_DIAGNOSIS_NOT_LIVE = 28,
	SSDPM_DIAGNOSIS_D3COLD = 29,	      /* forbidden, at suspend */
	SSDPM_DIAGNOSIS_FORCED = 30,	      /* force_apst, against a quirk */
	SSDPM_DIAGNOSIS_LPM_UNSUPPORTED = 48, /* SATA */
	SSDPM_DIAGNOSIS_LPM_OFF = 49,
	SSDPM_DIAGNOSIS_LPM_MIN_POWER = 50, /* a policy that lost data */
	SSDPM_DIAGNOSIS_EXTERNAL_PORT = 51,
	SSDPM_DIAGNOSIS_HOT_PLUG_PORT = 52,
	SSDPM_DIAGNOSIS_NO_HIPM = 53, /* only the device begins */
	SSDPM_DIAGNOSIS_NO_DIPM = 54,
	SSDPM_DIAGNOSIS_HOST_BITS = 55, /* the policy reads so, ALPE does not */
	SSDPM_DIAGNOSIS_STALE_ASP = 56,
	SSDPM_DIAGNOSIS_DEVSLEEP = 57,
	SSDPM_DIAGNOSIS_OPTICAL = 58,
	SSDPM_DIAGNOSIS_RUNTIME_PM = 59,
	SSDPM_DIAGNOSIS_LPM_KEPT = 60,	       /* as the firmware left it */
	SSDPM_DIAGNOSIS_LPM_RAISED = 61,       /* since suspend is s2idle */
	SSDPM_DIAGNOSIS_LPM_PARTIAL_ONLY = 62, /* medium_power */
	SSDPM_DIAGNOSIS_EMPTY_PORT = 63,
};

/** What to do about a diagnosis. What it changes: struct ssdpm_diagnosis. */
enum ssdpm_remedy {
	SSDPM_REMEDY_IDENTIFY = 1, /* ask the drive itself, as root */
	/* NVMe; a second change: the parameter that causes it */
	SSDPM_REMEDY_LATENCY_LIMIT = 2,
	/* a state is used again, at the price of a longer wait */
	SSDPM_REMEDY_LATENCY_TOLERANCE = 3,
	SSDPM_REMEDY_REBUILD_TABLE = 4,	  /* write both, in this order */
	SSDPM_REMEDY_LEAVE_STATE_OUT = 5, /* an experiment: do resets end? */
	SSDPM_REMEDY_LEAVE_QUIRK = 6,	  /* it is right as it is */
	SSDPM_REMEDY_REMOVE_FORCE_APST = 7,
	SSDPM_REMEDY_LINK_FILE = 8, /* PCIe; read it again afterwards */
	SSDPM_REMEDY_ASPM_POLICY = 9,
	SSDPM_REMEDY_ASPM_POLICY_OR_FIRMWARE = 10, /* or its setup */
	SSDPM_REMEDY_BOOT_WITH_ASPM = 11,
	SSDPM_REMEDY_ALLOW_D3COLD = 12,
	SSDPM_REMEDY_SIMPLE_SUSPEND = 13, /* if it does not wake */
	SSDPM_REMEDY_LPM = 14,		  /* SATA */
	SSDPM_REMEDY_LPM_OFF = 15,
	SSDPM_REMEDY_LPM_FOR_GOOD = 16, /* only a reboot undoes it */
	SSDPM_REMEDY_LPM_AGAIN = 17,	/* and look whether it stays */
	SSDPM_REMEDY_LPM_CLEAR = 18,	/* write both, in this order */
	SSDPM_REMEDY_HOT_PLUG = 19,	/* to plug disks in: write, rescan */
	SSDPM_REMEDY_MOBILE_LPM = 20,
	SSDPM_REMEDY_MOBILE_LPM_CHIPSET = 21, /* of a mobile chipset only */
	SSDPM_REMEDY_PORT_MASK = 22,	      /* or FIRMWARE_HOT_PLUG */
	SSDPM_REMEDY_FIRMWARE_HOT_PLUG = 23,  /* switch it off in the setup */
	SSDPM_REMEDY_KERNEL_LOG = 24,	      /* it says why */
	SSDPM_REMEDY_UPDATE_LINUX = 25,	      /* to 6.19 */
	SSDPM_REMEDY_MAINBOARD_PORT = 26,     /* connect it there */
	SSDPM_REMEDY_FIRMWARE_NO_RAID = 27,   /* AHCI instead, in the setup */
	SSDPM_REMEDY_FIRMWARE_NO_IDE = 28,
	SSDPM_REMEDY_LOAD_VMD = 29, /* the module; or no VMD, in the setup */
	SSDPM_REMEDY_ADAPTER_TOOL = 30,
};

#define SSDPM_MAX_CHANGES 3

/**
 * struct ssdpm_change - a value to set (frozen, 256 bytes)
 * @target: a file, "/sys/..."; else a kernel parameter: "nvme_core.force_apst"
 * @value:  what to write or to boot with; "": remove the parameter
 */
struct ssdpm_change {
	char target[88];
	char value[168];
};

/**
 * struct ssdpm_diagnosis - one thing about a drive (frozen, 1044 bytes)
 * @code:     enum ssdpm_diagnosis_code
 * @severity: enum ssdpm_severity
 * @message:  one line with the evidence: "PS4 never: entry+exit 113 ms > 100 ms
 *            in nvme_core.apst_secondary_latency_tol_us"
 * @remedy:   enum ssdpm_remedy; 0: nothing to do
 * @n_changes: how many of @changes the remedy has, in their order
 * @state:    of SSDPM_REMEDY_LATENCY_TOLERANCE, the power state that is used
 *            then; of SSDPM_REMEDY_LEAVE_STATE_OUT, the one that is not; else 0
 * @wait_us:  of SSDPM_REMEDY_LATENCY_TOLERANCE, how long @state takes to wake;
 *            else 0
 * @is_main:  1: the one to name first. It is that a controller is not live;
 *            else the first problem; without one, what keeps a drive awake that
 *            saves nothing, as a quirk; without that, the first thing that must
 *            be known, or the verdict. If all is well, no diagnosis has it
 */
struct ssdpm_diagnosis {
	uint32_t code;
	uint32_t severity;
	char message[248];
	uint32_t remedy;
	uint32_t n_changes;
	uint32_t state;
	uint32_t wait_us;
	uint32_t is_main;
	struct ssdpm_change changes[SSDPM_MAX_CHANGES];
};

/**
 * struct ssdpm_diagnosis_params - what is known of a drive (sized parameters)
 * @size:  sizeof(struct ssdpm_diagnosis_params)
 * @facts: of its machine
 * @model: of the drive, or NULL: not known
 * @table: the table that is in force, or NULL: not known; then what this kernel
 *         builds is taken, and said so
 */
struct ssdpm_diagnosis_params {
	size_t size;
	const struct ssdpm_machine_facts *facts;
	const struct ssdpm_model *model;
	const struct ssdpm_apst *table;
};

/**
 * ssdpm_device_diagnose() - is it saving power, if not why, and what to do
 * @ret_diagnoses: an array to be freed with free(), the verdict first
 * @ret_n: how many, at least one
 *
 * Touches nothing: it judges what was read.
 *
 * Return: 0; -EINVAL (no facts), -E2BIG (the size of @params or of the facts),
 * -ENOMEM.
 */
SSDPM_API int ssdpm_device_diagnose(const struct ssdpm_device *device,
				    const struct ssdpm_diagnosis_params *params,
				    struct ssdpm_diagnosis **ret_diagnoses,
				    size_t *ret_n, struct ssdpm_error *reterr);

/**
 * ssdpm_device_get_apst_changes() - what to write so that Linux builds its
 *                                   table from other parameters
 * @device: an NVMe controller; NULL: it is not here, and "nvmeN" stands for it
 * @facts:  of its machine; NULL: its parameters are the defaults of Linux
 * @params: what to build it from, with SSDPM_APST_LINUX
 * @ret_changes: an array to be freed with free()
 * @ret_n:  how many, at least two
 *
 * The files to write until the next boot come first, in their order:
 * - parameters of nvme_core that are not so already;
 * - the latency tolerance, twice, because Linux builds a table only when that
 *   changes.
 *
 * The parameters to boot with follow, for all drives. Their values are not the
 * default of Linux, or not those that this machine has.
 *
 * Return: 0; -EINVAL, -E2BIG (the size of @facts or @params), -ENOMEM.
 */
SSDPM_API int ssdpm_device_get_apst_changes(
	const struct ssdpm_device *device,
	const struct ssdpm_machine_facts *facts,
	const struct ssdpm_apst_params *params,
	struct ssdpm_change **ret_changes, size_t *ret_n,
	struct ssdpm_error *reterr);

/** Programs that set the same things. */
enum ssdpm_owner_kind {
	SSDPM_OWNER_TLP = 1,
	SSDPM_OWNER_TUNED = 2,
	SSDPM_OWNER_LAPTOP_MODE_TOOLS = 3,
	SSDPM_OWNER_UDEV = 4,
	SSDPM_OWNER_MODPROBE = 5,
	SSDPM_OWNER_SSDPM = 6,	 /* files of ssdpm apply --persist */
	SSDPM_OWNER_SYSTEMD = 7, /* units, such as powertop's, and tmpfiles.d */
	SSDPM_OWNER_SYSFSUTILS = 8,
};

/** What a place sets: bits of struct ssdpm_owner. */
enum ssdpm_owner_target {
	SSDPM_OWNER_SETS_LATENCY_TOLERANCE = 1 << 0,
	SSDPM_OWNER_SETS_LPM = 1 << 1,
	/* As a module is loaded: it undoes nothing that is set later. */
	SSDPM_OWNER_SETS_PARAMETER = 1 << 2,
	SSDPM_OWNER_SETS_RUNTIME_PM = 1 << 3,
	SSDPM_OWNER_SETS_ASPM_POLICY = 1 << 4,
};

/**
 * struct ssdpm_owner - a place that sets it too (frozen, 512 bytes)
 * @kind:    enum ssdpm_owner_kind
 * @line:    of the file; 0: the file as a whole
 * @sets:    bits of enum ssdpm_owner_target
 * @path:    the file
 * @setting: what it says
 */
struct ssdpm_owner {
	uint32_t kind;
	uint32_t line;
	uint32_t sets;
	char path[248];
	char setting[252];
};

/**
 * ssdpm_machine_read_owners() - who else sets what ssdpm sets
 * @ret_owners: an array to be freed with free(); NULL where there is none
 *
 * Return: 0, -ENOMEM.
 */
SSDPM_API int ssdpm_machine_read_owners(struct ssdpm_machine *machine,
					struct ssdpm_owner **ret_owners,
					size_t *ret_n,
					struct ssdpm_error *reterr);

/**
 * ssdpm_machine_get_capture() - is this another machine's root?
 *
 * Return: as ssdpm_machine_facts.capture.
 */
SSDPM_API uint32_t
ssdpm_machine_get_capture(const struct ssdpm_machine *machine);

/**
 * ssdpm_machine_read_attribute() - the text of a file of the machine
 * @path:     below the root, without a slash before it:
 *            "sys/class/power_supply/BAT0/status"
 * @ret_text: room for @size bytes; a zero byte ends it, and the blanks and line
 *            feeds at its end are gone
 *
 * No link leads out of the root. Up to a @size of 4 KiB, a failure leaves
 * @ret_text as it was; above that it may have been written to.
 *
 * Return: 0; -ENOENT, -EACCES, -E2BIG (it has @size bytes or more),
 * -ENAMETOOLONG (@path), -ENODATA and others of open(2) and read(2).
 */
SSDPM_API int ssdpm_machine_read_attribute(const struct ssdpm_machine *machine,
					   const char *path, char *ret_text,
					   size_t size,
					   struct ssdpm_error *reterr);

/**
 * ssdpm_machine_read_directory() - the names in a folder of the machine
 * @path:      as for ssdpm_machine_read_attribute()
 * @ret_names: sorted, numbers as numbers; one block, to be freed with free();
 *             NULL where there is none. Names that are not printable ASCII are
 *             not among them
 * @ret_n:     how many
 *
 * Return: 0; -ENOENT, -ENOTDIR, -ENOMEM and others of open(2).
 */
SSDPM_API int ssdpm_machine_read_directory(const struct ssdpm_machine *machine,
					   const char *path, char ***ret_names,
					   size_t *ret_n,
					   struct ssdpm_error *reterr);

/**
 * ssdpm_machine_read_link() - where a path with links in it leads
 * @path:     as for ssdpm_machine_read_attribute()
 * @ret_path: room for @size bytes: "sys/devices/..."
 *
 * Return: 0; -ENOENT (also where it leads to a name that is not printable
 * ASCII), -ENAMETOOLONG and others of open(2).
 */
SSDPM_API int ssdpm_machine_read_link(const struct ssdpm_machine *machine,
				      const char *path, char *ret_path,
				      size_t size, struct ssdpm_error *reterr);

/** Bytes of the SMART / Health Information log page (NVMe Base, log 02h). */
#define SSDPM_NVME_HEALTH_BYTES 512

/**
 * ssdpm_machine_read_nvme_health() - the log 02h of an NVMe drive, by a command
 * @name:     "nvme0"
 * @ret_data: as the drive gave it
 *
 * The drive may wake to answer.
 *
 * Return: as ssdpm_device_read_apst().
 */
SSDPM_API int ssdpm_machine_read_nvme_health(
	const struct ssdpm_machine *machine, const char *name,
	uint8_t ret_data[SSDPM_NVME_HEALTH_BYTES], struct ssdpm_error *reterr);

/**
 * ssdpm_machine_capture() - write a capture: what every call here reads
 * @directory: made by this call; it must not exist
 * @flags:     SSDPM_READ_COMMANDS: dumps of Identify, of the APST table and of
 *             the DevSleep log too, where that is allowed
 *
 * Serial numbers, WWNs, NQNs, FGUID, vendor areas, host names and the kernel's
 * command line are blanked. See ssdpm-capture(5).
 *
 * Return: 0; -EEXIST, -EACCES, -ENOSPC and others of mkdir(2) and write(2),
 * -ENOMEM.
 */
SSDPM_API int ssdpm_machine_capture(struct ssdpm_machine *machine,
				    const char *directory, uint32_t flags,
				    struct ssdpm_error *reterr);

/** ssdpm_reach_to_string() - "yes", "usb" and so on, or NULL */
SSDPM_API const char *ssdpm_reach_to_string(uint32_t reach);
SSDPM_API uint32_t ssdpm_reach_from_string(const char *word);

/** ssdpm_device_flag_to_string() - name of one bit: "hot-plug", or NULL */
SSDPM_API const char *ssdpm_device_flag_to_string(uint32_t flag);
SSDPM_API uint32_t ssdpm_device_flag_from_string(const char *word);

/** ssdpm_pcie_feature_to_string() - name of one bit: "l1.2", or NULL */
SSDPM_API const char *ssdpm_pcie_feature_to_string(uint32_t feature);
SSDPM_API uint32_t ssdpm_pcie_feature_from_string(const char *word);

/** ssdpm_power_fact_to_string() - name of one bit: "thermal", or NULL */
SSDPM_API const char *ssdpm_power_fact_to_string(uint32_t fact);
SSDPM_API uint32_t ssdpm_power_fact_from_string(const char *word);

/** ssdpm_power_flag_to_string() - name of one bit: "asleep", or NULL */
SSDPM_API const char *ssdpm_power_flag_to_string(uint32_t flag);
SSDPM_API uint32_t ssdpm_power_flag_from_string(const char *word);

/** ssdpm_suspend_to_string() - "s2idle", "shallow", "deep", or NULL */
SSDPM_API const char *ssdpm_suspend_to_string(uint32_t suspend);
SSDPM_API uint32_t ssdpm_suspend_from_string(const char *word);

/** ssdpm_aspm_policy_to_string() - "default" and so on, or NULL */
SSDPM_API const char *ssdpm_aspm_policy_to_string(uint32_t policy);
SSDPM_API uint32_t ssdpm_aspm_policy_from_string(const char *word);

/**
 * ssdpm_nvme_core_to_string() - name of a parameter: "apst_primary_timeout_ms",
 * or NULL
 */
SSDPM_API const char *ssdpm_nvme_core_to_string(uint32_t parameter);
SSDPM_API uint32_t ssdpm_nvme_core_from_string(const char *word);

/** ssdpm_severity_to_string() - "good", "note", "problem", "unknown" or NULL */
SSDPM_API const char *ssdpm_severity_to_string(uint32_t severity);
SSDPM_API uint32_t ssdpm_severity_from_string(const char *word);

/** ssdpm_diagnosis_code_to_string() - "saves", "apst-empty", ..., or NULL */
SSDPM_API const char *ssdpm_diagnosis_code_to_string(uint32_t code);
SSDPM_API uint32_t ssdpm_diagnosis_code_from_string(const char *word);

/** ssdpm_remedy_to_string() - "latency-limit", "lpm", ..., or NULL */
SSDPM_API const char *ssdpm_remedy_to_string(uint32_t remedy);
SSDPM_API uint32_t ssdpm_remedy_from_string(const char *word);

/** ssdpm_owner_target_to_string() - "lpm" and so on, or NULL */
SSDPM_API const char *ssdpm_owner_target_to_string(uint32_t target);
SSDPM_API uint32_t ssdpm_owner_target_from_string(const char *word);

/** ssdpm_owner_kind_to_string() - "tlp" and so on, or NULL */
SSDPM_API const char *ssdpm_owner_kind_to_string(uint32_t kind);
SSDPM_API uint32_t ssdpm_owner_kind_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
