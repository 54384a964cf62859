/* SPDX-License-Identifier: MIT */
/*
 * Suspend: did the machine reach its deepest sleep, and what keeps it from it.
 *
 *     machine -> reading before, reading after
 *     readings, facts and diagnoses of the drives -> verdict, evidence,
 * remedies
 *
 * Only ssdpm_machine_read_suspend() reads files. The rest is pure.
 * See ssdpm_suspend(3).
 */
#ifndef SSDPM_SUSPEND_H
#define SSDPM_SUSPEND_H

#include <ssdpm/base.h>
#include <ssdpm/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a counter of the machine counts. */
enum ssdpm_sleep_counter {
	/* Microseconds of deep sleep, since boot: */
	SSDPM_SLEEP_COUNTER_HARDWARE = 1, /* suspend_stats/total_hw_sleep */
	SSDPM_SLEEP_COUNTER_SYSTEM = 2,	  /* low_power_idle_system_residency */
	SSDPM_SLEEP_COUNTER_SLP_S0 = 3,	  /* pmc_core/slp_s0_residency_usec */
	SSDPM_SLEEP_COUNTER_SUBSTATE = 4, /* pmc_core/substate_residencies */
	/* The processor package alone, since boot: */
	SSDPM_SLEEP_COUNTER_PACKAGE = 5, /* low_power_idle_cpu_residency_us */
	/* Microseconds of deep sleep in the last suspend: */
	SSDPM_SLEEP_COUNTER_LAST = 6, /* amd_pmc/s0ix_stats, smu_fw_info */
	/* How many times, since boot: */
	SSDPM_SLEEP_COUNTER_SUCCESS = 7, /* suspend_stats/success */
	SSDPM_SLEEP_COUNTER_FAIL = 8,	 /* suspend_stats/fail */
	/* The rest: */
	SSDPM_SLEEP_COUNTER_FAILED_DEVICE = 9, /* the name has it; 0 */
	SSDPM_SLEEP_COUNTER_ASLEEP = 10,       /* us suspended, by the clocks */
	SSDPM_SLEEP_COUNTER_BATTERY = 11,     /* microwatt-hours in a battery */
	SSDPM_SLEEP_COUNTER_WAKE_IRQ = 12,    /* the interrupt that woke it */
	SSDPM_SLEEP_COUNTER_WAKE_SOURCE = 13, /* wakeup/NAME/wakeup_count */
	SSDPM_SLEEP_COUNTER_D_STATE = 14,     /* of a PCI device: 4 is D3cold */
	/* Does the NVMe driver shut the drive down at s2idle? 1: it does */
	SSDPM_SLEEP_COUNTER_SIMPLE_SUSPEND = 15,
};

struct ssdpm_suspend_reading;

/**
 * ssdpm_machine_read_suspend() - read the counters of sleep
 * @ret_reading: free it with ssdpm_suspend_reading_free()
 *
 * A counter that cannot be read is not in the reading. Those below
 * /sys/kernel/debug require root, and often /dev/kmsg does.
 *
 * Return: 0; -ENOMEM.
 */
SSDPM_API int ssdpm_machine_read_suspend(
	const struct ssdpm_machine *machine,
	struct ssdpm_suspend_reading **ret_reading, struct ssdpm_error *reterr);

/**
 * ssdpm_suspend_reading_from_text() - a reading that was saved
 * @text: from ssdpm_suspend_reading_to_text(); @size bytes
 * @ret_reading: free it with ssdpm_suspend_reading_free()
 *
 * Return: 0; -EINVAL (the text, with its line), -E2BIG (more than 512
 * counters), -ENOMEM.
 */
SSDPM_API int ssdpm_suspend_reading_from_text(
	const char *text, size_t size,
	struct ssdpm_suspend_reading **ret_reading, struct ssdpm_error *reterr);

/**
 * ssdpm_suspend_reading_to_text() - to save a reading
 * @ret_text: lines of UTF-8; free it with free()
 *
 * Return: 0; -ENOMEM.
 */
SSDPM_API int ssdpm_suspend_reading_to_text(
	const struct ssdpm_suspend_reading *reading, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * ssdpm_suspend_reading_add_log() - what the kernel's log says of PCI devices
 * @text: lines such as "nvme 0000:04:00.0: PCI PM: Suspend power state: D3hot"
 *        and "nvme 0000:04:00.0: platform quirk: setting simple suspend"; @size
 *        bytes. Other lines are passed over
 *
 * The last line of a device counts. A line of a program does not, with the
 * marks of /dev/kmsg, dmesg or journalctl. A line "Linux version" begins a
 * boot, and what the log said before is dropped. A drive that the kernel finds
 * after such a line, without the quirk, has none.
 *
 * Return: 0; -E2BIG (more than 512 counters).
 */
SSDPM_API int ssdpm_suspend_reading_add_log(
	struct ssdpm_suspend_reading *reading, const char *text, size_t size,
	struct ssdpm_error *reterr);

/** ssdpm_suspend_reading_free() - @reading may be NULL. Return: NULL. */
SSDPM_API struct ssdpm_suspend_reading *ssdpm_suspend_reading_free(
	struct ssdpm_suspend_reading *reading);

/**
 * struct ssdpm_suspend_drive - a drive of the machine (frozen, three words)
 * @facts:       from ssdpm_device_get_facts()
 * @diagnoses:   from ssdpm_device_diagnose()
 * @n_diagnoses: how many
 */
struct ssdpm_suspend_drive {
	const struct ssdpm_device_facts *facts;
	const struct ssdpm_diagnosis *diagnoses;
	size_t n_diagnoses;
};

/**
 * struct ssdpm_suspend_params - what is known of a suspend (sized parameters)
 * @size:     sizeof(struct ssdpm_suspend_params)
 * @facts:    of the machine
 * @before:   a reading before the suspend; NULL: the boot
 * @after:    a reading after it
 * @drives:   of the machine
 * @n_drives: how many
 *
 * All pointers are borrowed for the call.
 */
struct ssdpm_suspend_params {
	size_t size;
	const struct ssdpm_machine_facts *facts;
	const struct ssdpm_suspend_reading *before;
	const struct ssdpm_suspend_reading *after;
	const struct ssdpm_suspend_drive *drives;
	size_t n_drives;
};

/** Did the machine reach its deepest sleep? */
enum ssdpm_suspend_outcome {
	SSDPM_SUSPEND_OUTCOME_REACHED = 1,
	SSDPM_SUSPEND_OUTCOME_NOT_REACHED = 2,
	SSDPM_SUSPEND_OUTCOME_CONTRADICTED = 3, /* evidence for and against */
	SSDPM_SUSPEND_OUTCOME_CANNOT_SAY = 4,	/* no counter says it */
	SSDPM_SUSPEND_OUTCOME_NO_SUSPEND = 5,	/* none between the readings */
	SSDPM_SUSPEND_OUTCOME_FAILED = 6,	/* each attempt was given up */
	SSDPM_SUSPEND_OUTCOME_FIRMWARE = 7, /* not s2idle: S3, by firmware */
};

/** The side that a piece of evidence is on. */
enum ssdpm_suspend_bearing {
	SSDPM_SUSPEND_BEARING_NONE = 1, /* it is shown, and decides nothing */
	SSDPM_SUSPEND_BEARING_FOR = 2,
	SSDPM_SUSPEND_BEARING_AGAINST = 3,
};

/** Which numbers of a piece of evidence are known. */
enum ssdpm_suspend_known {
	SSDPM_SUSPEND_KNOWN_BEFORE = 1 << 0,
	SSDPM_SUSPEND_KNOWN_AFTER = 1 << 1,
};

/**
 * struct ssdpm_suspend_evidence - a number before and after (frozen, 152 bytes)
 * @counter: enum ssdpm_sleep_counter
 * @bearing: enum ssdpm_suspend_bearing
 * @known:   bits of enum ssdpm_suspend_known
 * @reserved: 0
 * @before:  its value before the suspend, or 0
 * @after:   its value after the suspend, or 0
 * @name:    "S0i3.0", "BAT0", "0000:04:00.0"; "": it has none
 * @source:  the file, "/sys/..."; what is no file: "clocks", "kernel log"
 */
struct ssdpm_suspend_evidence {
	uint32_t counter;
	uint32_t bearing;
	uint32_t known;
	uint32_t reserved;
	uint64_t before;
	uint64_t after;
	char name[32];
	char source[88];
};

/** A time or power that no counter gives. */
#define SSDPM_SUSPEND_UNKNOWN UINT64_MAX

/**
 * struct ssdpm_suspend_verdict - the answer (sized result)
 * @size:       set by the caller
 * @outcome:    enum ssdpm_suspend_outcome
 * @n_suspends: that succeeded between the readings; UINT32_MAX: unknown
 * @n_failures: likewise, that were given up
 * @reserved:   0
 * @asleep_us:  how long it was suspended, by the clocks, or
 *              SSDPM_SUSPEND_UNKNOWN, as the next two. Some machines stop no
 *              clock in s2idle: then it is unknown
 * @deep_us:    the most that a counter says of deep sleep
 * @battery_uw: mean power that the batteries gave, unless the machine was awake
 *              for more than 2 % of @asleep_us
 * @deepest:    the deepest substate that grew, or ""
 * @wanted:     the deepest substate of the platform, or ""
 * @culprit:    the drive or device that kept the machine from it, if a public
 *              case or the kernel names it, or ""
 */
struct ssdpm_suspend_verdict {
	size_t size;
	uint32_t outcome;
	uint32_t n_suspends;
	uint32_t n_failures;
	uint32_t reserved;
	uint64_t asleep_us;
	uint64_t deep_us;
	uint64_t battery_uw;
	char deepest[32];
	char wanted[32];
	char culprit[32];
};

/**
 * ssdpm_suspend_judge() - did the machine reach its deepest sleep
 * @ret_evidence: an array to be freed with free(); NULL: there is none
 * @ret_n: how many
 *
 * Evidence that contradicts other evidence is kept, and the outcome says so. A
 * wake-up source counts since its driver registered it.
 *
 * Return: 0; -EINVAL (a pointer is NULL), -ESTALE (the readings are of two
 * boots), -ERANGE (a counter since boot is less in the second reading, and is
 * no register of 32 bits and no wake-up source), -E2BIG (a size), -ENOMEM.
 */
SSDPM_API int ssdpm_suspend_judge(const struct ssdpm_suspend_params *params,
				  struct ssdpm_suspend_verdict *ret_verdict,
				  struct ssdpm_suspend_evidence **ret_evidence,
				  size_t *ret_n, struct ssdpm_error *reterr);

/** How much is known of a remedy. */
enum ssdpm_remedy_status {
	SSDPM_REMEDY_STATUS_VERIFIED = 1, /* it helped in a public case */
	SSDPM_REMEDY_STATUS_UNTESTED = 2, /* a candidate */
	SSDPM_REMEDY_STATUS_NONE = 3,	  /* a public case without a remedy */
};

/**
 * struct ssdpm_suspend_remedy - what may help (frozen, 360 bytes)
 * @status: enum ssdpm_remedy_status
 * @remedy: enum ssdpm_remedy; 0: none
 * @change: the value to set; its target is "" if there is none
 * @drive:  the drive: "nvme0"
 * @source: the public case: "intel/S0ixSelftestTool#41", or ""
 */
struct ssdpm_suspend_remedy {
	uint32_t status;
	uint32_t remedy;
	struct ssdpm_change change;
	char drive[32];
	char source[64];
};

/**
 * ssdpm_suspend_get_remedies() - what may let the machine sleep deeper
 * @outcome: enum ssdpm_suspend_outcome, from ssdpm_suspend_judge()
 * @ret_remedies: verified ones first; an array to be freed with free(); NULL:
 *                there is none
 * @ret_n: how many
 *
 * They come from public cases of the same drive and from the diagnoses. Where
 * the deepest sleep was reached, or no suspend was seen, there are none.
 *
 * Return: 0; -EINVAL (a pointer is NULL), -E2BIG (a size), -ENOMEM.
 */
SSDPM_API int ssdpm_suspend_get_remedies(
	const struct ssdpm_suspend_params *params, uint32_t outcome,
	struct ssdpm_suspend_remedy **ret_remedies, size_t *ret_n,
	struct ssdpm_error *reterr);

/**
 * ssdpm_suspend_get_plan() - what Linux does with a drive at a suspend
 * @drive:   with its diagnoses; NULL: none
 * @outcome: enum ssdpm_suspend_outcome, from ssdpm_suspend_judge()
 *
 * A SATA drive keeps the policy of its link in s2idle.
 *
 * Return: the message of the first diagnosis that says it, borrowed from the
 * drive; NULL: none does.
 */
SSDPM_API const char *ssdpm_suspend_get_plan(
	const struct ssdpm_suspend_drive *drive, uint32_t outcome);

/**
 * ssdpm_suspend_explain_plan() - the same, with what the kernel's log says
 * @params:   with readings and drives
 * @drive:    its index
 * @outcome:  enum ssdpm_suspend_outcome, from ssdpm_suspend_judge()
 * @ret_text: free it with free(); NULL: it is unknown
 *
 * "platform quirk: setting simple suspend" says that the driver shuts the drive
 * down at s2idle. Where a reading has this answer, it replaces the exceptions
 * that the diagnosis has. A SATA drive is put into standby, too.
 *
 * Return: 0; -ENOENT (@drive), -EINVAL (a pointer is NULL), -E2BIG (a size),
 * -ENOMEM.
 */
SSDPM_API int ssdpm_suspend_explain_plan(
	const struct ssdpm_suspend_params *params, size_t drive,
	uint32_t outcome, char **ret_text, struct ssdpm_error *reterr);

/**
 * ssdpm_suspend_to_json() - verdict, evidence and remedies: "ssdpm.suspend/1"
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * Return: as ssdpm_suspend_judge().
 */
SSDPM_API int ssdpm_suspend_to_json(const struct ssdpm_suspend_params *params,
				    char **ret_text,
				    struct ssdpm_error *reterr);

/** ssdpm_sleep_counter_to_string() - "hardware", "substate", ..., or NULL */
SSDPM_API const char *ssdpm_sleep_counter_to_string(uint32_t counter);
SSDPM_API uint32_t ssdpm_sleep_counter_from_string(const char *word);

/** ssdpm_suspend_outcome_to_string() - "reached", ..., or NULL */
SSDPM_API const char *ssdpm_suspend_outcome_to_string(uint32_t outcome);
SSDPM_API uint32_t ssdpm_suspend_outcome_from_string(const char *word);

/** ssdpm_suspend_bearing_to_string() - "none", "for", "against", or NULL */
SSDPM_API const char *ssdpm_suspend_bearing_to_string(uint32_t bearing);
SSDPM_API uint32_t ssdpm_suspend_bearing_from_string(const char *word);

/** ssdpm_remedy_status_to_string() - "verified", "untested", "none", or NULL */
SSDPM_API const char *ssdpm_remedy_status_to_string(uint32_t status);
SSDPM_API uint32_t ssdpm_remedy_status_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
