/* SPDX-License-Identifier: MIT */
/*
 * The policy: the APST table that an algorithm makes for a drive, why each
 * state is or is not in it, and its 256 bytes.
 *
 * APST (Autonomous Power State Transition, NVMe feature 0Ch) tells a controller
 * for each power state: after this much idle time (ITPT), go to that state
 * (ITPS). This stage is pure: it allocates nothing and touches nothing.
 * See ssdpm_policy(3).
 */
#ifndef SSDPM_POLICY_H
#define SSDPM_POLICY_H

#include <ssdpm/base.h>
#include <ssdpm/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Size of the APST data structure: 32 little-endian 64-bit entries. */
#define SSDPM_APST_BYTES 256

/** Largest idle time: ITPT has 24 bits. */
#define SSDPM_APST_MAX_IDLE_MS 16777215u

/** max_exit_latency_us: no limit ("any" in the kernel's sysfs file). */
#define SSDPM_LATENCY_ANY UINT64_MAX

/**
 * struct ssdpm_apst_entry - one transition (frozen, 8 bytes)
 * @idle_ms: ITPT, idle time in the current state; 0 disables the transition
 * @target:  ITPS, the state to go to
 *
 * Both 0: the table says nothing for this state.
 */
struct ssdpm_apst_entry {
	uint32_t idle_ms;
	uint32_t target;
};

/**
 * struct ssdpm_apst - an APST table (frozen, 264 bytes)
 * @entries: one for each state, by number
 * @sent:    1 if the host sends Set Features 0Ch at all
 * @enabled: 1 if it sets APSTE; 0 with @sent: APST is switched off
 *
 * Enabled with no entry is a normal outcome: Linux does that where no state
 * qualifies, and the drive then never sleeps.
 */
struct ssdpm_apst {
	struct ssdpm_apst_entry entries[SSDPM_MAX_STATES];
	uint32_t sent;
	uint32_t enabled;
};

enum ssdpm_apst_algorithm {
	/** Linux 5.14 and later: two idle times, two tolerances. */
	SSDPM_APST_LINUX = 1,
	/** Linux 4.11 to 5.13: idle time = 50 x (entry + exit), a chain. */
	SSDPM_APST_LINUX_LEGACY = 2,
	/** Windows' StorNVMe: the timeouts and tolerances of a power scheme. */
	SSDPM_APST_WINDOWS = 3,
	/** The idle times that cost least without knowledge of the future. */
	SSDPM_APST_LOWER_ENVELOPE = 4,
};

/** Power schemes of Windows; SSDPM_APST_WINDOWS reads them. */
enum ssdpm_power_scheme {
	SSDPM_SCHEME_PERFORMANCE = 1,
	SSDPM_SCHEME_BALANCED = 2,
	SSDPM_SCHEME_POWER_SAVER = 3,
	SSDPM_SCHEME_MODERN_STANDBY = 4,
};

enum ssdpm_power_source {
	SSDPM_SOURCE_AC = 1,
	SSDPM_SOURCE_BATTERY = 2,
};

/**
 * What a host must not do on a drive with a known fault; Linux's names. APST
 * tables depend on the first two alone. The second two are about suspending the
 * machine: a simple suspend shuts the drive down instead of leaving it in its
 * last state. The rest is for SATA: link power management.
 */
enum ssdpm_quirk {
	SSDPM_QUIRK_NO_APST = 1 << 0,	    /* APST is switched off */
	SSDPM_QUIRK_NO_DEEPEST_PS = 1 << 1, /* the last state is never used */
	SSDPM_QUIRK_SIMPLE_SUSPEND = 1 << 2,
	SSDPM_QUIRK_FORCE_NO_SIMPLE_SUSPEND = 1 << 3,
	SSDPM_QUIRK_NO_LPM = 1 << 4, /* the link stays at full power */
	/* It does so behind an adapter of ATI (PCI vendor 1002). */
	SSDPM_QUIRK_NO_LPM_ON_ATI = 1 << 5,
	/* It does so behind one of ATI or AMD (1002, 1022). */
	SSDPM_QUIRK_NO_LPM_ON_ATI_AND_AMD = 1 << 6,
};

/**
 * struct ssdpm_apst_params - what an algorithm is to do (sized parameters)
 * @size:      sizeof(struct ssdpm_apst_params); a shorter one is completed
 *             with defaults, a longer one must end in zeros
 * @algorithm: enum ssdpm_apst_algorithm
 * @quirks:    bits of enum ssdpm_quirk; what ssdpm_quirks_find() finds may be
 *             put here
 * @max_exit_latency_us: latency tolerance of the controller (what
 *             pm_qos_latency_tolerance_us holds): a state whose *exit* takes
 *             longer is not used; 0 switches APST off; SSDPM_LATENCY_ANY
 * @primary_timeout_ms, @primary_latency_tolerance_us: the deepest state whose
 *             entry and exit *together* take no longer is entered after this
 *             much idle time; either 0: the legacy rule
 * @secondary_timeout_ms, @secondary_latency_tolerance_us: likewise for a
 *             deeper, slower state; timeout 0: none
 *
 * @scheme:       enum ssdpm_power_scheme; only SSDPM_APST_WINDOWS reads it
 * @power_source: enum ssdpm_power_source; likewise
 * @idle_power_uw: power of the drive when it is idle in an operational state,
 *             where the drive does not report it; 0: what it reports. Only
 *             SSDPM_APST_LOWER_ENVELOPE reads it
 * @transition_power_uw: power while the drive enters or leaves a state; 0: the
 *             idle power. Likewise
 *
 * The timeouts and tolerances are the parameters of nvme_core with the prefix
 * apst_; only SSDPM_APST_LINUX reads them. Initialise with
 * ssdpm_apst_params_init().
 */
struct ssdpm_apst_params {
	size_t size;
	uint32_t algorithm;
	uint32_t quirks;
	uint64_t max_exit_latency_us;
	uint64_t primary_timeout_ms;
	uint64_t primary_latency_tolerance_us;
	uint64_t secondary_timeout_ms;
	uint64_t secondary_latency_tolerance_us;
	uint32_t scheme;
	uint32_t power_source;
	uint32_t idle_power_uw;
	uint32_t transition_power_uw;
};

/**
 * ssdpm_apst_params_init() - the defaults of Linux
 * @params: what to fill
 * @size:   sizeof(struct ssdpm_apst_params)
 *
 * Algorithm SSDPM_APST_LINUX, no quirks, limit 100 ms, primary 100 ms and
 * 15 ms, secondary 2000 ms and 100 ms.
 *
 * Return: 0; -EINVAL (@size is shorter than the size member), -E2BIG (@size is
 * longer than this library knows).
 */
SSDPM_API int ssdpm_apst_params_init(struct ssdpm_apst_params *params,
				     size_t size);

/**
 * ssdpm_apst_generate() - the table that a host programs
 * @model:     an NVMe drive; an unknown APSTA counts as support
 * @params:    what to do, or NULL for the defaults of Linux
 * @ret_table: the table
 * @reterr:    where words about a failure go, or NULL
 *
 * Bit by bit what nvme_configure_apst() in drivers/nvme/host/core.c of Linux
 * sends, but that an idle time which does not fit is refused (Linux spills it
 * into reserved bits).
 *
 * Return: 0; -ERANGE (a timeout above SSDPM_APST_MAX_IDLE_MS), -ENODATA (a
 * non-operational state has an unknown latency), -EOPNOTSUPP (not an NVMe
 * drive), -EINVAL (unknown algorithm or quirk), -E2BIG (@params).
 */
SSDPM_API int ssdpm_apst_generate(const struct ssdpm_model *model,
				  const struct ssdpm_apst_params *params,
				  struct ssdpm_apst *ret_table,
				  struct ssdpm_error *reterr);

/** What became of a state. */
enum ssdpm_verdict {
	SSDPM_VERDICT_USED = 1,
	SSDPM_VERDICT_OPERATIONAL,   /* APST enters only non-operational ones */
	SSDPM_VERDICT_EXIT_TOO_SLOW, /* exit above max_exit_latency_us */
	SSDPM_VERDICT_TOTAL_TOO_SLOW, /* entry + exit above every tolerance */
	SSDPM_VERDICT_SHADOWED,	      /* a deeper state takes its place */
	SSDPM_VERDICT_QUIRK,	      /* forbidden by a quirk */
	SSDPM_VERDICT_NO_GAIN,	      /* would qualify, but nothing enters it */
};

/**
 * struct ssdpm_apst_verdict - what became of one state (frozen, 128 bytes)
 * @state:   its number
 * @verdict: enum ssdpm_verdict
 * @reason:  one line with the numbers, as in "exit 45 ms > limit 25 ms"
 */
struct ssdpm_apst_verdict {
	uint32_t state;
	uint32_t verdict;
	char reason[120];
};

/**
 * ssdpm_apst_explain() - why each state is or is not in the table
 * @ret_verdicts: as many are filled as the model has states
 *
 * A state that is too slow for every tolerance is SSDPM_VERDICT_TOTAL_TOO_SLOW
 * even if its exit is above the limit as well: a higher limit would not help.
 *
 * Return: as ssdpm_apst_generate().
 */
SSDPM_API int ssdpm_apst_explain(
	const struct ssdpm_model *model, const struct ssdpm_apst_params *params,
	struct ssdpm_apst_verdict ret_verdicts[SSDPM_MAX_STATES],
	struct ssdpm_error *reterr);

/**
 * ssdpm_apst_validate() - is this table sound for this drive?
 * @model: an NVMe drive
 * @table: any table
 *
 * Each entry's target must exist, be non-operational and deeper than its
 * source, its idle time must be set and fit, and its source must exist. A table
 * that is not enabled must be empty, one that is not sent not enabled. So a
 * table of SSDPM_APST_LINUX_LEGACY that leads to a state with entry and exit 0
 * is refused: Linux sends it, and the drive never makes that transition.
 *
 * Return: 0; -EINVAL with the first fault in @reterr; -EOPNOTSUPP (not an NVMe
 * drive).
 */
SSDPM_API int ssdpm_apst_validate(const struct ssdpm_model *model,
				  const struct ssdpm_apst *table,
				  struct ssdpm_error *reterr);

/**
 * ssdpm_apst_encode() - the 256 bytes of Set Features 0Ch
 * @table:    sent and enabled do not matter: they are not part of the bytes
 * @ret_data: 32 little-endian entries: ITPS in bits 7:3, ITPT in bits 31:8
 *
 * Return: 0; -ERANGE (a target above 31, or an idle time above 24 bits).
 */
SSDPM_API int ssdpm_apst_encode(const struct ssdpm_apst *table,
				uint8_t ret_data[SSDPM_APST_BYTES],
				struct ssdpm_error *reterr);

/**
 * ssdpm_apst_decode() - read the 256 bytes of feature 0Ch
 * @data:      what Get Features returned
 * @enabled:   APSTE, bit 0 of dword 0 (not part of the bytes)
 * @ret_table: the table; sent is 1
 *
 * Return: 0; -EINVAL (a reserved bit is set).
 */
SSDPM_API int ssdpm_apst_decode(const uint8_t data[SSDPM_APST_BYTES],
				bool enabled, struct ssdpm_apst *ret_table,
				struct ssdpm_error *reterr);

/**
 * struct ssdpm_host - what the drive itself does not say (sized parameters)
 * @size:              sizeof(struct ssdpm_host)
 * @linux_release:     whose quirks: as in uname -r, "6.12.117-amd64"; NULL: of
 *                     the newest Linux that the data knows
 * @sys_vendor:        what /sys/class/dmi/id/sys_vendor holds, without the end
 *                     of line; likewise the next five; NULL: unknown
 * @product_name:      likewise
 * @product_version:   likewise
 * @board_vendor:      likewise
 * @board_name:        likewise
 * @bios_date:         likewise, "04/06/2018": month, day, year
 * @rules:             rules of the owner of this host, which come before those
 *                     of the library; no final NUL needed; NULL: none. The
 *                     format is described in ssdpm_policy(3)
 * @rules_bytes:       their length
 * @pci_vendor_id:     of the drive on the bus; 0: unknown, and so is
 *                     @pci_device_id. Identify does not say the device ID
 * @pci_device_id:     of the drive on the bus
 * @adapter_vendor_id: PCI vendor of the SATA adapter; 0: unknown
 *
 * All that is zero is unknown.
 */
struct ssdpm_host {
	size_t size;
	const char *linux_release;
	const char *sys_vendor;
	const char *product_name;
	const char *product_version;
	const char *board_vendor;
	const char *board_name;
	const char *bios_date;
	const char *rules;
	size_t rules_bytes;
	uint16_t pci_vendor_id;
	uint16_t pci_device_id;
	uint16_t adapter_vendor_id;
	uint16_t reserved;
};

/**
 * ssdpm_quirks_find() - the quirks that Linux applies to a drive
 * @model:       a drive
 * @host:        what is known of its host, or NULL: nothing
 * @ret_quirks:  bits of enum ssdpm_quirk: what the data decides
 * @ret_unknown: bits that more facts about the host or the drive could add, or
 *               NULL
 * @reterr:      where words about a failure go, or NULL
 *
 * Where the host does not say the PCI ID of an NVMe drive, its product name
 * stands for it, if all drives of that name have the same. Where some have and
 * some have not, the quirk is unknown.
 *
 * Source: nvme_id_table, check_vendor_combination_bug() and core_quirks in
 * drivers/nvme/host, __ata_dev_quirks and ahci_broken_lpm() in drivers/ata of
 * Linux 5.10 to 7.3. ACPI and the parameters of the kernel's modules can change
 * them; that is not known here.
 *
 * Return: 0; -EINVAL (faulty rules: @reterr has the line; linux_release that is
 * none), -E2BIG (@host).
 */
SSDPM_API int ssdpm_quirks_find(const struct ssdpm_model *model,
				const struct ssdpm_host *host,
				uint32_t *ret_quirks, uint32_t *ret_unknown,
				struct ssdpm_error *reterr);

/** Most matches that are explained. */
#define SSDPM_MAX_QUIRK_MATCHES 32

/**
 * struct ssdpm_quirk_match - a rule that fits (frozen, 128 bytes)
 * @quirks:  bits that it gives
 * @unknown: bits that it may give: something that it asks for is unknown
 * @reason:  one line: the rule and where it stands, or what it depends on, as
 * in "Kingston A2000: Linux 5.10.223 and later, nvme_id_table"
 */
struct ssdpm_quirk_match {
	uint32_t quirks;
	uint32_t unknown;
	char reason[120];
};

/**
 * ssdpm_quirks_explain() - which rules give these quirks
 * @ret_matches: one for each rule, in the order of the rules
 * @ret_n:       how many were filled
 *
 * All quirks together, and all unknown ones that are not among them, are what
 * ssdpm_quirks_find() returns.
 *
 * Return: as ssdpm_quirks_find(); -E2BIG too where more than
 * SSDPM_MAX_QUIRK_MATCHES rules fit.
 */
SSDPM_API int ssdpm_quirks_explain(
	const struct ssdpm_model *model, const struct ssdpm_host *host,
	struct ssdpm_quirk_match ret_matches[SSDPM_MAX_QUIRK_MATCHES],
	size_t *ret_n, struct ssdpm_error *reterr);

/**
 * ssdpm_apst_algorithm_to_string() - "linux", "linux-legacy", or NULL
 */
SSDPM_API const char *ssdpm_apst_algorithm_to_string(uint32_t algorithm);

/**
 * ssdpm_power_scheme_to_string() - "performance", "balanced", "power-saver",
 * "modern-standby", or NULL
 */
SSDPM_API const char *ssdpm_power_scheme_to_string(uint32_t scheme);

/**
 * ssdpm_power_source_to_string() - "ac", "battery", or NULL
 */
SSDPM_API const char *ssdpm_power_source_to_string(uint32_t source);

/**
 * ssdpm_quirk_to_string() - name of one bit of enum ssdpm_quirk: "no-apst",
 * "no-deepest-ps" and so on, or NULL
 */
SSDPM_API const char *ssdpm_quirk_to_string(uint32_t quirk);

/**
 * ssdpm_verdict_to_string() - "used", "exit-too-slow" and so on, or NULL
 */
SSDPM_API const char *ssdpm_verdict_to_string(uint32_t verdict);

#ifdef __cplusplus
}
#endif

#endif
