/* SPDX-License-Identifier: MIT */
/*
 * The policy: the APST table that an algorithm makes for a drive, why each
 * state is or is not in it, and its 256 bytes.
 *
 * APST (Autonomous Power State Transition, NVMe feature 0Ch) is a table with an
 * entry for each power state. An entry is an idle time (ITPT) and the state to
 * go to after it (ITPS). This stage is pure: it allocates nothing and touches
 * nothing. See ssdpm_policy(3).
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

/** The longest limit that the kernel's sysfs file takes, in us. */
#define SSDPM_LATENCY_MAX 2147483646u

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
 * @idle_power_uw: power of the drive when it is idle in an operational state;
 *             0: what it reports for state 0. Only SSDPM_APST_LOWER_ENVELOPE
 *             reads it
 * @transition_power_uw: power while the drive enters or leaves a state; 0: the
 *             idle power. Likewise
 *
 * The timeouts and tolerances are the parameters of nvme_core with the prefix
 * apst_; only SSDPM_APST_LINUX reads them. All algorithms heed the limit, the
 * quirks and APSTA; Windows itself has no such limit. Initialise with
 * ssdpm_apst_params_init(): what an algorithm does not read must be valid too.
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
 * 15 ms, secondary 2000 ms and 100 ms. The other algorithms: scheme balanced
 * on AC, and the powers that the drive reports.
 *
 * What this library does not know of a longer structure becomes zero.
 *
 * Return: 0; -EINVAL (@size is shorter than the size member).
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
 * SSDPM_APST_LINUX and _LINUX_LEGACY: bit by bit what nvme_configure_apst() in
 * drivers/nvme/host/core.c of Linux sends. One case differs: an idle time that
 * does not fit is refused. Linux spills it into reserved bits.
 *
 * SSDPM_APST_WINDOWS: the table that brings a drive by itself to where StorNVMe
 * brings it, at the same times. At each of two idle times that is the deepest
 * state whose entry and exit together are within a tolerance. Source:
 * Microsoft, "Power management for storage hardware devices", NVMe.
 *
 *	scheme          source    primary          secondary
 *	performance     AC        200 ms,   0 ms   2000 ms,   0 ms
 *	                battery   200 ms,  10 ms   2000 ms,   0 ms
 *	balanced        AC        200 ms,  15 ms   2000 ms, 100 ms
 *	                battery   100 ms,  50 ms   1000 ms, 100 ms
 *	power saver     AC        100 ms, 100 ms   1000 ms, 200 ms
 *	                battery   100 ms, 200 ms   1000 ms, 200 ms
 *	modern standby  both       50 ms, 500 ms   none
 *
 * These times count from the last I/O, but an entry counts in the current
 * state: from the primary state on it holds the difference. A latency of 0
 * (not reported) is within a tolerance of 0.
 *
 * SSDPM_APST_LOWER_ENVELOPE: idle times that cost at most twice the energy of
 * somebody who knows how long the drive will be idle, but for their rounding.
 * Source: Irani, Shukla and Gupta, ACM TECS 2003.
 *
 * In state k an idle time t costs beta_k + P_k t. P_k is the idle power of the
 * state, or its maximum where that is unknown. The transition power is P_tr.
 * Then beta_k is P_tr (entry + exit) - P_k entry, at least 0. P_0 is the idle
 * power, and beta_0 is 0. The table uses the states on the lower envelope of
 * these lines. It goes from k - 1 to k where two of them cross, at
 * (beta_k - beta_(k-1)) / (P_(k-1) - P_k). Idle times are whole milliseconds,
 * rounded up, each at least 1 ms after the one before.
 *
 * Return: 0; -ERANGE (a timeout or a threshold above SSDPM_APST_MAX_IDLE_MS, a
 * beta above 2^64 pJ), -ENODATA (a non-operational state has an unknown
 * latency; SSDPM_APST_LOWER_ENVELOPE: an unknown idle power of state 0, or no
 * power of a state that qualifies), -EOPNOTSUPP (not an NVMe drive), -EINVAL
 * (unknown algorithm, quirk, scheme or power source), -E2BIG (@params).
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
	SSDPM_VERDICT_NO_GAIN, /* nothing enters it, or it saves nothing */
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
 * @ret_verdicts: room for @capacity: SSDPM_MAX_STATES are enough. As many are
 *                filled as the model has states
 *
 * A state that is too slow for every tolerance is SSDPM_VERDICT_TOTAL_TOO_SLOW,
 * even if its exit is above the limit as well. A higher limit would not help.
 * SSDPM_APST_LOWER_ENVELOPE has no tolerance, and never gives this verdict.
 *
 * Return: as ssdpm_apst_generate(); -E2BIG too if the model has more states
 * than @capacity.
 */
SSDPM_API int ssdpm_apst_explain(const struct ssdpm_model *model,
				 const struct ssdpm_apst_params *params,
				 struct ssdpm_apst_verdict *ret_verdicts,
				 size_t capacity, struct ssdpm_error *reterr);

/**
 * ssdpm_apst_validate() - is this table sound for this drive?
 * @model: an NVMe drive
 * @table: any table
 *
 * Each entry's target must exist, be non-operational and deeper than its
 * source, its idle time must be set and fit, and its source must exist. A table
 * that is not enabled must be empty, and one that is not sent must not be
 * enabled. A table of SSDPM_APST_LINUX_LEGACY that leads to a state with entry
 * and exit 0 is refused. Linux sends it, and the drive never makes that
 * transition.
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
 * If the host does not have the PCI ID of an NVMe drive, the product name
 * decides, if all drives of that name agree. If some have the quirk and some do
 * not, it is unknown.
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
 * @ret_matches: room for @capacity: SSDPM_MAX_QUIRK_MATCHES are enough for the
 *               rules of the library. One for each rule, in their order
 * @ret_n:       how many were filled
 *
 * All quirks together, and all unknown ones that are not among them, are what
 * ssdpm_quirks_find() returns.
 *
 * Return: as ssdpm_quirks_find(); -E2BIG too where more than @capacity rules
 * fit.
 */
SSDPM_API int ssdpm_quirks_explain(const struct ssdpm_model *model,
				   const struct ssdpm_host *host,
				   struct ssdpm_quirk_match *ret_matches,
				   size_t capacity, size_t *ret_n,
				   struct ssdpm_error *reterr);

/**
 * ssdpm_apst_from_data() - read a table from whatever somebody saved
 * @data:      the contents of a file
 * @size:      how many bytes
 * @ret_table: the table; sent is 1 unless our JSON says otherwise
 *
 * The format is recognised by content:
 * - the 256 bytes of feature 0Ch;
 * - 512 hexadecimal digits;
 * - the text of nvme get-feature -f 0x0c, with and without -H;
 * - our JSON ("ssdpm.apst/1", with "raw" or "entries").
 *
 * Bytes and digits never tell whether APST was enabled. If the input does not
 * tell, it was enabled unless the table is empty. Bit 0 of dword 0 of the
 * command's result tells (APSTE): set enabled to it where you have it. Entries
 * that a text does not have are empty.
 *
 * Return: 0; -EINVAL (none of these, cut off in the middle, a reserved bit is
 * set, two tables), -ERANGE (a number of the JSON is beyond its field), -E2BIG
 * (more than 16 MiB of JSON, or more than 1024 values). @reterr has the line.
 */
SSDPM_API int ssdpm_apst_from_data(const void *data, size_t size,
				   struct ssdpm_apst *ret_table,
				   struct ssdpm_error *reterr);

/**
 * ssdpm_apst_diff() - where two tables differ
 *
 * The entries of two tables that are switched off count for nothing, and differ
 * nowhere. Otherwise sent and enabled are not looked at.
 *
 * Return: bit i is set if entry i differs, the transition from state i.
 */
SSDPM_API uint32_t ssdpm_apst_diff(const struct ssdpm_apst *a,
				   const struct ssdpm_apst *b);

/**
 * ssdpm_apst_limit_range() - the latency limits that make the same table
 * @params:     what to do, or NULL for the defaults of Linux
 * @ret_min_us: the least max_exit_latency_us, from that of @params down, that
 *              makes the table that @params makes
 * @ret_max_us: likewise the largest; SSDPM_LATENCY_ANY: there is none
 *
 * Return: as ssdpm_apst_generate().
 */
SSDPM_API int ssdpm_apst_limit_range(const struct ssdpm_model *model,
				     const struct ssdpm_apst_params *params,
				     uint64_t *ret_min_us, uint64_t *ret_max_us,
				     struct ssdpm_error *reterr);

/**
 * ssdpm_apst_keep() - the limit that keeps a state and drops all deeper ones
 * @params: what to do, or NULL; its max_exit_latency_us does not matter
 * @state:  the state to keep
 * @ret_max_exit_latency_us: the largest limit with which the table uses @state
 *          and none deeper; SSDPM_LATENCY_ANY: no limit is needed
 *
 * A table uses a state if an entry with an idle time leads to it.
 *
 * Return: 0; -EOPNOTSUPP (no limit does that, and @reterr says why, or not an
 * NVMe drive); -EINVAL (there is no such state); or as ssdpm_apst_generate().
 */
SSDPM_API int ssdpm_apst_keep(const struct ssdpm_model *model,
			      const struct ssdpm_apst_params *params,
			      uint32_t state, uint64_t *ret_max_exit_latency_us,
			      struct ssdpm_error *reterr);

/** Bits of ssdpm_device_settings.known. */
enum ssdpm_setting {
	SSDPM_SETTING_QUIRKS = 1 << 0,
	SSDPM_SETTING_PCIE_LINK = 1 << 1,
	SSDPM_SETTING_LPM = 1 << 2,
	SSDPM_SETTING_APST = 1 << 3,
};

/**
 * struct ssdpm_device_settings - what a prediction takes from the machine
 * (sized result)
 * @size:      sizeof(struct ssdpm_device_settings)
 * @known:     bits of enum ssdpm_setting: the members that have a value
 * @quirks:    bits of enum ssdpm_quirk that are in force; SSDPM_QUIRK_NO_APST
 *             also where this kernel has no APST for the drive
 * @pcie_link: NVMe: enum ssdpm_pcie_link, the deepest that Linux has on; 0: not
 *             known, because Linux does not manage the link
 * @lpm:       SATA: enum ssdpm_lpm of the port; 0: not known
 * @left_alone: 1: SATA: nobody should change the link policy of the port,
 *             because it is external, for hot-plug, or shared by several disks
 * @refused:   1: SATA: the port takes no other link policy
 * @apst:      NVMe: the table in force, the policy of today: in a capture the
 *             one that was read, else that of ssdpm_device_get_apst_params()
 */
struct ssdpm_device_settings {
	size_t size;
	uint32_t known;
	uint32_t quirks;
	uint32_t pcie_link;
	uint32_t lpm;
	uint32_t left_alone;
	uint32_t refused;
	struct ssdpm_apst apst;
};

/** Settings of Linux at some values of which its table changes. */
enum ssdpm_apst_step {
	SSDPM_APST_STEP_LIMIT = 1,     /* max_exit_latency_us */
	SSDPM_APST_STEP_TOLERANCE = 2, /* either latency tolerance */
};

/** 0, 1, and for each state an exit, and an entry and exit. */
#define SSDPM_APST_MAX_STEPS (2 * SSDPM_MAX_STATES + 2)

/**
 * ssdpm_apst_get_steps() - one value for each table that a setting can make
 * @step:       enum ssdpm_apst_step
 * @preferred:  stands for the values that make the same table as it, which
 *              otherwise the least of them does
 * @ret_values: room for @capacity, ascending: SSDPM_APST_MAX_STEPS are enough
 *
 * With SSDPM_APST_LINUX no other value makes another table.
 *
 * Return: how many there are; more than @capacity: the first were written.
 */
SSDPM_API size_t ssdpm_apst_get_steps(const struct ssdpm_model *model,
				      uint32_t step, uint64_t preferred,
				      uint64_t *ret_values, size_t capacity);

/**
 * ssdpm_apst_infer() - which algorithm and parameters made this table?
 * @model:      the drive that the table is for
 * @table:      a table, perhaps of a live drive
 * @ret_params: the candidates, the most plausible first; each one makes exactly
 *              @table. The size of the first is that of each. May be NULL if
 *              @max is 0
 * @max:        how many there is room for
 * @ret_n:      how many there are: 0 if nothing known makes this table. Only
 *              the first @max were written
 *
 * The order:
 * 1. the defaults of Linux;
 * 2. the defaults with another limit, then with one other setting, the first
 *    value that fits. In this order: a quirk, the primary timeout, the
 *    secondary one, the primary tolerance, the secondary one;
 * 3. SSDPM_APST_LINUX_LEGACY with the default limit or another, then with the
 *    quirk no-deepest-ps;
 * 4. SSDPM_APST_WINDOWS, its schemes as balanced, power-saver, modern-standby,
 *    performance, each on AC and then on battery;
 * 5. SSDPM_APST_LOWER_ENVELOPE as to its other parameters at their defaults;
 * 6. SSDPM_APST_LINUX with several other settings, if nothing of Linux fitted
 *    before.
 *
 * 2 is tried only if 1 does not fit. A setting is the default where that fits,
 * else the least value that makes the same table; ssdpm_apst_limit_range() has
 * the other limits. A table that is not sent has one candidate: it is the drive
 * that has no APST.
 *
 * Return: 0; -ERANGE (an entry of @table does not fit); -EINVAL, -E2BIG (the
 * size of @ret_params); or as ssdpm_apst_generate().
 */
SSDPM_API int ssdpm_apst_infer(const struct ssdpm_model *model,
			       const struct ssdpm_apst *table,
			       struct ssdpm_apst_params *ret_params, size_t max,
			       size_t *ret_n, struct ssdpm_error *reterr);

/**
 * ssdpm_apst_reach() - make Linux build this table, or the closest one
 * @model:      an NVMe drive
 * @table:      the table that is wanted, sound or not
 * @quirks:     bits of enum ssdpm_quirk that the kernel has for this drive
 * @ret_params: algorithm SSDPM_APST_LINUX, @quirks, and the parameters of
 *              nvme_core and the limit that come closest; its size member is
 *              set by the caller
 * @ret_table:  what they make; equal to @table if it can be reached
 *
 * New kernels refuse Set Features 0Ch from user space: only the parameters of
 * nvme_core are left. The closest table is taken. It has, in this order of
 * weight:
 * 1. the fewest entries that lead to another state;
 * 2. the fewest entries missing that @table has;
 * 3. the smallest sum of differences in idle time, over the entries that lead
 *    to the right state;
 * 4. APST enabled as in @table;
 * 5. the fewest parameters that are not the default.
 *
 * A limit that the kernel cannot be told (above 2147483646) is
 * SSDPM_LATENCY_ANY or not used. At most some 20,000 tables are made, for 32
 * non-operational states; 40 for two.
 *
 * Return: 0; -ERANGE (an entry of @table does not fit); -EINVAL (size, unknown
 * bits in @quirks), -E2BIG (size); or as ssdpm_apst_generate().
 */
SSDPM_API int ssdpm_apst_reach(const struct ssdpm_model *model,
			       const struct ssdpm_apst *table, uint32_t quirks,
			       struct ssdpm_apst_params *ret_params,
			       struct ssdpm_apst *ret_table,
			       struct ssdpm_error *reterr);

/**
 * ssdpm_apst_algorithm_parse() - the algorithm and its parameters of a word
 * @word:   "linux", "linux-legacy", "windows" or "lower-envelope", and what
 *          follows after colons. "windows" may have a scheme and then a source,
 *          as in "windows:balanced:battery". All may have "limit=TIME", "linux"
 *          also "primary-timeout=TIME", "primary-tolerance=TIME",
 *          "secondary-timeout=TIME" and "secondary-tolerance=TIME", as in
 *          "linux:secondary-timeout=1s:limit=25ms". "primary" and "secondary"
 *          are short for the timeouts, as in "linux:secondary=1s"
 * @params: what @word says is set, all else stays: see ssdpm_apst_params_init()
 *
 * limit is max_exit_latency_us, and may be "any". A TIME has its unit: us, ms
 * or s.
 *
 * Return: 0; -EINVAL (no such word, a bad or unknown parameter, or a size),
 * -E2BIG (the size of @params).
 */
SSDPM_API int ssdpm_apst_algorithm_parse(const char *word,
					 struct ssdpm_apst_params *params,
					 struct ssdpm_error *reterr);

/**
 * ssdpm_apst_algorithm_to_string() - "linux", "linux-legacy", "windows",
 * "lower-envelope", or NULL
 */
SSDPM_API const char *ssdpm_apst_algorithm_to_string(uint32_t algorithm);
SSDPM_API uint32_t ssdpm_apst_algorithm_from_string(const char *word);

/**
 * ssdpm_power_scheme_to_string() - "performance", "balanced", "power-saver",
 * "modern-standby", or NULL
 */
SSDPM_API const char *ssdpm_power_scheme_to_string(uint32_t scheme);
SSDPM_API uint32_t ssdpm_power_scheme_from_string(const char *word);

/**
 * ssdpm_power_source_to_string() - "ac", "battery", or NULL
 */
SSDPM_API const char *ssdpm_power_source_to_string(uint32_t source);
SSDPM_API uint32_t ssdpm_power_source_from_string(const char *word);

/**
 * ssdpm_quirk_to_string() - name of one bit of enum ssdpm_quirk: "no-apst",
 * "no-deepest-ps" and so on, or NULL
 */
SSDPM_API const char *ssdpm_quirk_to_string(uint32_t quirk);
SSDPM_API uint32_t ssdpm_quirk_from_string(const char *word);

/**
 * ssdpm_verdict_to_string() - "used", "exit-too-slow" and so on, or NULL
 */
SSDPM_API const char *ssdpm_verdict_to_string(uint32_t verdict);
SSDPM_API uint32_t ssdpm_verdict_from_string(const char *word);

/**
 * How Linux sets the link of a SATA port that is idle. The names are those of
 * /sys/class/scsi_host/hostN/link_power_management_policy.
 */
enum ssdpm_lpm {
	SSDPM_LPM_KEEP_FIRMWARE_SETTINGS = 1,
	SSDPM_LPM_MAX_PERFORMANCE = 2,
	SSDPM_LPM_MEDIUM_POWER = 3,
	SSDPM_LPM_MED_POWER_WITH_DIPM = 4,
	SSDPM_LPM_MIN_POWER_WITH_PARTIAL = 5,
	SSDPM_LPM_MIN_POWER = 6,
};

/**
 * ssdpm_lpm_to_string() - "max_performance" and so on, or NULL
 */
SSDPM_API const char *ssdpm_lpm_to_string(uint32_t lpm);
SSDPM_API uint32_t ssdpm_lpm_from_string(const char *word);

/**
 * State of the PCIe link while the drive is in a non-operational state; 0 is
 * unknown.
 */
enum ssdpm_pcie_link {
	SSDPM_PCIE_L0 = 1, /* no ASPM: the link stays awake */
	SSDPM_PCIE_L1 = 2, /* ASPM L1 */
	SSDPM_PCIE_L1_2 =
		3, /* L1 substate L1.2: what a state's watts ask for */
};

/** ssdpm_pcie_link_to_string() - "l0", "l1", "l1.2", or NULL */
SSDPM_API const char *ssdpm_pcie_link_to_string(uint32_t link);
SSDPM_API uint32_t ssdpm_pcie_link_from_string(const char *word);

/** Most policies that a profile names. */
#define SSDPM_MAX_LPMS 8

/** Bits of ssdpm_profile_settings.set: the profile says this. */
enum ssdpm_profile_field {
	SSDPM_PROFILE_MAX_EXIT_LATENCY = 1 << 0,
	SSDPM_PROFILE_PRIMARY_TIMEOUT = 1 << 1,
	SSDPM_PROFILE_PRIMARY_LATENCY_TOLERANCE = 1 << 2,
	SSDPM_PROFILE_SECONDARY_TIMEOUT = 1 << 3,
	SSDPM_PROFILE_SECONDARY_LATENCY_TOLERANCE = 1 << 4,
	SSDPM_PROFILE_LPM = 1 << 5,
};

/**
 * struct ssdpm_profile_settings - a profile on one power source (sized)
 * @size:         sizeof(struct ssdpm_profile_settings)
 * @power_source: enum ssdpm_power_source
 * @set:          bits of enum ssdpm_profile_field: what is not set is left as
 *                it is
 * @n_lpms:       how many @lpms there are
 * @max_exit_latency_us: latency tolerance of NVMe controllers
 * @primary_timeout_ms: parameter of nvme_core
 * @primary_latency_tolerance_us: likewise
 * @secondary_timeout_ms: likewise
 * @secondary_latency_tolerance_us: likewise
 * @lpms:         values of enum ssdpm_lpm: the first that a port takes
 * @name:         "performance", "balanced", "power-saver", or the user's
 * @reason:       one line: why these values, with their source
 */
struct ssdpm_profile_settings {
	size_t size;
	uint32_t power_source;
	uint32_t set;
	uint32_t n_lpms;
	uint32_t lpms[SSDPM_MAX_LPMS];
	uint32_t reserved;
	uint64_t max_exit_latency_us;
	uint64_t primary_timeout_ms;
	uint64_t primary_latency_tolerance_us;
	uint64_t secondary_timeout_ms;
	uint64_t secondary_latency_tolerance_us;
	char name[32];
	char reason[248];
};

/**
 * ssdpm_profile_find() - what a profile says
 * @text:  profiles of a user (see ssdpm_policy(3), Profiles), or NULL; they
 *         come before those that are built in
 * @bytes: its length
 * @name:  of the profile
 *         "auto" is balanced on AC, and power-saver on battery
 * @power_source: enum ssdpm_power_source
 * @ret_settings: its size is set by the caller
 *
 * Allocates nothing.
 *
 * Return: 0; -ENOENT (no such profile: @reterr names those that there are),
 * -EINVAL (a fault in @text: @reterr has the line; @power_source; the size),
 * -E2BIG.
 */
SSDPM_API int ssdpm_profile_find(const char *text, size_t bytes,
				 const char *name, uint32_t power_source,
				 struct ssdpm_profile_settings *ret_settings,
				 struct ssdpm_error *reterr);

/**
 * ssdpm_profile_get_name() - names of all profiles, the user's first
 * @index: from 0 on
 * @ret_name: of at least 32 bytes
 *
 * Return: 0; -ERANGE (no more), -EINVAL (a fault in @text).
 */
SSDPM_API int ssdpm_profile_get_name(const char *text, size_t bytes,
				     size_t index, char ret_name[32],
				     struct ssdpm_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
