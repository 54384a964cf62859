/* SPDX-License-Identifier: MIT */
/*
 * Bisection: which power setting makes a drive fail.
 *
 *     suspects, errors so far -> trial -> good or bad -> next trial -> culprit
 *
 * The stage is pure: the caller sets, waits, counts and looks for errors. The
 * search is a text between trials, so that it lasts over reboots and crashes.
 * See ssdpm_bisect(3).
 */
#ifndef SSDPM_BISECT_H
#define SSDPM_BISECT_H

#include <ssdpm/base.h>
#include <ssdpm/device.h>
#include <ssdpm/model.h>
#include <ssdpm/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Room for suspects, for the steps of each, and for a word with its zero. */
#define SSDPM_BISECT_SUSPECTS 32
#define SSDPM_BISECT_STEPS 16
#define SSDPM_BISECT_WORD 64

/** How a trial ended. */
enum ssdpm_bisect_verdict {
	SSDPM_BISECT_GOOD = 1, /* no error */
	SSDPM_BISECT_BAD = 2,  /* an error, or the machine died */
	SSDPM_BISECT_SKIP = 3, /* it cannot be judged */
};

/** What a search knows. */
enum ssdpm_bisect_decision {
	SSDPM_BISECT_SEARCHING = 1, /* go on */
	SSDPM_BISECT_FOUND = 2,	    /* the culprits fail, and only together */
	SSDPM_BISECT_NONE = 3,	    /* it fails with all suspects off, too */
	/* Trials that were skipped leave several candidates. */
	SSDPM_BISECT_UNDECIDED = 4,
	/* All trials were good, that of the settings of before, too. */
	SSDPM_BISECT_NO_ERROR = 5,
};

/** What a suspect sets. */
enum ssdpm_bisect_setting {
	SSDPM_BISECT_LATENCY_LIMIT = 1,
	SSDPM_BISECT_LPM = 2,
	SSDPM_BISECT_LINK = 3,
	SSDPM_BISECT_QUEUE_DEPTH = 4,
};

/** The meaning of an entry in a search. Errors come with entries. */
enum ssdpm_bisect_exposure {
	/* into the deepest state that the settings of before allow */
	SSDPM_BISECT_ENTRIES = 1,
	/* times of 1 ms or more without an I/O: the link of a drive sleeps */
	SSDPM_BISECT_IDLE_TIMES = 2,
	SSDPM_BISECT_IOS = 3,
};

/** The kind of a remedy. */
enum ssdpm_bisect_remedy_kind {
	/* files of sysfs: until the next boot, unless it is kept */
	SSDPM_BISECT_REMEDY_LATENCY_LIMIT = 1,
	SSDPM_BISECT_REMEDY_LPM = 2,
	SSDPM_BISECT_REMEDY_PARAMETER = 3, /* to boot with */
	SSDPM_BISECT_REMEDY_QUIRK = 4,	   /* for the sources of Linux */
	SSDPM_BISECT_REMEDY_FILE = 5,	   /* of the device, until the boot */
};

/**
 * struct ssdpm_bisect_params - what was seen before (sized parameters)
 * @size:      sizeof(struct ssdpm_bisect_params)
 * @n_errors:  errors of the drive with all settings as they are; from 1 on
 * @n_entries: how often it entered the suspect state up to the last of them;
 *             from 1 to UINT32_MAX. ssdpm_bisect_get_exposure() says what
 *             else is counted as an entry
 */
struct ssdpm_bisect_params {
	size_t size;
	uint64_t n_errors;
	uint64_t n_entries;
};

/**
 * struct ssdpm_bisect_state - what is known so far (sized result)
 * @size:         set by the caller
 * @n_trials:     trials with a verdict
 * @likely_trials: how many one culprit takes at most that fails each time, if
 *                none is skipped
 * @need_entries: without an error, a trial is good after so many entries
 * @entries:      of the running trial so far
 * @n_short:      trials that were called good with fewer entries
 * @n_candidates: single steps of suspects that may be the next culprit
 * @n_culprits:   found so far
 * @decision:     enum ssdpm_bisect_decision
 * @running:      1: a trial began, and has no verdict
 * @reserved:     0
 */
struct ssdpm_bisect_state {
	size_t size;
	uint64_t n_trials;
	uint64_t likely_trials;
	uint64_t need_entries;
	uint64_t entries;
	uint64_t n_short;
	uint64_t n_candidates;
	uint32_t n_culprits;
	uint32_t decision;
	uint32_t running;
	uint32_t reserved;
};

/**
 * struct ssdpm_bisect_trial - a trial with a verdict (sized result)
 * @size:    set by the caller
 * @entries: how many it lasted
 * @verdict: enum ssdpm_bisect_verdict
 * @reserved: 0
 * @steps:   of each suspect
 * @sign_us: when @sign came, in microseconds since the boot of the trial, as in
 *           the kernel's log; UINT64_MAX: unknown
 * @sign:    what made it bad, such as "nvme0: timeout"; "": unknown
 */
struct ssdpm_bisect_trial {
	size_t size;
	uint64_t entries;
	uint32_t verdict;
	uint32_t reserved;
	uint8_t steps[SSDPM_BISECT_SUSPECTS];
	uint64_t sign_us;
	char sign[SSDPM_BISECT_WORD];
};

/**
 * struct ssdpm_bisect_remedy - what keeps a culprit from failing (sized result)
 * @size:       set by the caller
 * @kind:       enum ssdpm_bisect_remedy_kind
 * @all_drives: 1: it changes all drives of this kind, and not only this one;
 *              nvme.quirks changes those with the same PCI IDs
 * @drive:      as in the name of the suspect, "nvme0"
 * @target:     a file of sysfs, a parameter of Linux or a quirk, such as
 *              "nvme_core.default_ps_max_latency_us"
 * @value:      what to set there; "": nothing, as of a quirk
 */
struct ssdpm_bisect_remedy {
	size_t size;
	uint32_t kind;
	uint32_t all_drives;
	char drive[SSDPM_BISECT_WORD];
	char target[SSDPM_BISECT_WORD];
	char value[SSDPM_BISECT_WORD];
};

struct ssdpm_bisect;

/**
 * ssdpm_bisect_calculate_entries() - how long a trial without an error is good
 * @n_errors:  that were seen
 * @n_entries: in so many entries; up to UINT32_MAX
 * @n_trials:  of the search; from 1 to 1,000
 * @ret_entries: n_entries ((n_trials / 0.05)^(1 / n_errors) - 1), rounded up
 *
 * Errors come at random, with the same rate in each entry. n_errors above
 * 10,000 are taken for 10,000: the result is then longer.
 *
 * Return: 0; -ERANGE (0, or a number above its limit).
 */
SSDPM_API int ssdpm_bisect_calculate_entries(uint64_t n_errors,
					     uint64_t n_entries,
					     uint64_t n_trials,
					     uint64_t *ret_entries,
					     struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_new() - a search without suspects
 * @ret_bisect: free it with ssdpm_bisect_free()
 *
 * Return: 0; -ERANGE (no error or no entry, too many entries, or more errors
 * than entries), -EINVAL,
 * -E2BIG (@params), -ENOMEM.
 */
SSDPM_API int ssdpm_bisect_new(const struct ssdpm_bisect_params *params,
			       struct ssdpm_bisect **ret_bisect,
			       struct ssdpm_error *reterr);

/** ssdpm_bisect_free() - @bisect may be NULL. Return: NULL. */
SSDPM_API struct ssdpm_bisect *ssdpm_bisect_free(struct ssdpm_bisect *bisect);

/**
 * ssdpm_bisect_add_suspect() - a setting that may make the drive fail
 * @name:  a word, such as "latency-tolerance"
 * @steps: words, from the safest to what is set today; each allows all that
 *         the one before it allows
 * @n_steps: 2 to SSDPM_BISECT_STEPS
 *
 * Add all suspects before the first trial. The first one has index 0. A name of
 * the calls below, such as "nvme0:link", takes their steps alone.
 *
 * Return: 0; -EBUSY (a trial began), -EEXIST (the name), -EINVAL (not a word of
 * printable ASCII, or too long; no such step), -ERANGE (@n_steps), -E2BIG (more
 * than SSDPM_BISECT_SUSPECTS).
 */
SSDPM_API int ssdpm_bisect_add_suspect(struct ssdpm_bisect *bisect,
				       const char *name,
				       const char *const *steps, size_t n_steps,
				       struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_add_latency_limit() - the latency limit of an NVMe drive
 * @drive:    its name, as in "nvme0"; the suspect is "nvme0:latency_us"
 * @model:    its power states
 * @params:   from ssdpm_device_get_apst_params(): the limit of today, the
 *            quirks in force, and what else Linux makes the table from
 *
 * Its steps are limits in microseconds: 0, which means no APST, then the least
 * limit of each deeper table, and that of today. Each has another table of
 * ssdpm_apst_generate() than the one before. "any" is SSDPM_LATENCY_ANY.
 *
 * Return: 0; -EOPNOTSUPP (Linux enters no state), -EINVAL (@drive, @params, or
 * NULL), -E2BIG (@params), and as ssdpm_bisect_add_suspect().
 */
SSDPM_API int ssdpm_bisect_add_latency_limit(
	struct ssdpm_bisect *bisect, const char *drive,
	const struct ssdpm_model *model, const struct ssdpm_apst_params *params,
	struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_add_lpm() - the link policy of a SATA drive
 * @drive: its name, as in "sda"; the suspect is "sda:lpm"
 * @lpm:   enum ssdpm_lpm, that of today
 *
 * Its steps are words of ssdpm_lpm_to_string(), from max_performance on.
 *
 * Return: 0; -EOPNOTSUPP (max_performance, or the firmware's own), -EINVAL
 * (@drive, @lpm), and as ssdpm_bisect_add_suspect().
 */
SSDPM_API int ssdpm_bisect_add_lpm(struct ssdpm_bisect *bisect,
				   const char *drive, uint32_t lpm,
				   struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_add_link() - the PCIe link of an NVMe drive
 * @drive:    its name, as in "nvme0"; the suspect is "nvme0:link"
 * @features: bits of enum ssdpm_pcie_feature: what is on today
 *
 * Its steps are "off", then words of ssdpm_pcie_feature_to_string(), from L0s
 * and L1 to the substates: a step has all features up to its own.
 *
 * Return: 0; -EOPNOTSUPP (no feature), -EINVAL (@drive), and as
 * ssdpm_bisect_add_suspect().
 */
SSDPM_API int ssdpm_bisect_add_link(struct ssdpm_bisect *bisect,
				    const char *drive, uint32_t features,
				    struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_add_queue_depth() - NCQ of a SATA drive
 * @drive:       its name, as in "sda"; the suspect is "sda:queue_depth"
 * @queue_depth: how many commands it has at a time today
 *
 * Its steps are 1, with which Linux uses no NCQ, and @queue_depth.
 *
 * Return: 0; -EOPNOTSUPP (0 or 1), -EINVAL (@drive), and as
 * ssdpm_bisect_add_suspect().
 */
SSDPM_API int ssdpm_bisect_add_queue_depth(struct ssdpm_bisect *bisect,
					   const char *drive,
					   uint32_t queue_depth,
					   struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_begin() - the next trial begins
 * @token: a word that the caller gets back, such as the ID of the boot; NULL:
 *         "-"
 *
 * Call it, write ssdpm_bisect_to_text() to disk, and then set what
 * ssdpm_bisect_get_step() returns of each suspect. If a trial runs, as after a
 * boot, it goes on with the new token.
 *
 * Return: 0; -ENODATA (no suspect), -EINVAL (the
 * search has ended; @token is not a word), -E2BIG (1,024 trials).
 */
SSDPM_API int ssdpm_bisect_begin(struct ssdpm_bisect *bisect, const char *token,
				 struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_add_entries() - how often the suspect state was entered
 *
 * Count the entries that the drive would make with the settings before the
 * search. Simulate them: a trial that forbids the state has no entries.
 *
 * Return: 0; -EINVAL (no trial runs), -ERANGE (the sum is above 2^63).
 */
SSDPM_API int ssdpm_bisect_add_entries(struct ssdpm_bisect *bisect,
				       uint64_t n_entries,
				       struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_judge() - the running trial ends
 * @verdict: enum ssdpm_bisect_verdict
 *
 * Return: 0; -EINVAL (no trial runs, or another verdict).
 */
SSDPM_API int ssdpm_bisect_judge(struct ssdpm_bisect *bisect, uint32_t verdict,
				 struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_set_sign() - what made the last trial bad
 * @sign:    as in struct ssdpm_bisect_trial: printable ASCII that neither
 *           begins nor ends with a blank
 * @sign_us: likewise
 *
 * A second call replaces the first.
 *
 * Return: 0; -ENOENT (the last trial with a verdict is not bad, or there is
 * none), -EINVAL (@sign is NULL, empty, too long or not of such characters).
 */
SSDPM_API int ssdpm_bisect_set_sign(struct ssdpm_bisect *bisect,
				    const char *sign, uint64_t sign_us,
				    struct ssdpm_error *reterr);

/** ssdpm_bisect_get_state() - Return: 0; -EINVAL, -E2BIG (@ret_state). */
SSDPM_API int ssdpm_bisect_get_state(const struct ssdpm_bisect *bisect,
				     struct ssdpm_bisect_state *ret_state,
				     struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_get_trial() - a trial with a verdict, from the first one on
 *
 * Return: 0; -ENOENT (@index), -EINVAL, -E2BIG (@ret_trial).
 */
SSDPM_API int ssdpm_bisect_get_trial(const struct ssdpm_bisect *bisect,
				     size_t index,
				     struct ssdpm_bisect_trial *ret_trial,
				     struct ssdpm_error *reterr);

/** ssdpm_bisect_get_suspect() - its name, or NULL; until @bisect is freed */
SSDPM_API const char *ssdpm_bisect_get_suspect(
	const struct ssdpm_bisect *bisect, size_t suspect);

/**
 * ssdpm_bisect_get_setting() - what a suspect sets: enum ssdpm_bisect_setting;
 *                              0: what the caller knows
 */
SSDPM_API uint32_t ssdpm_bisect_get_setting(const struct ssdpm_bisect *bisect,
					    size_t suspect);

/**
 * ssdpm_bisect_get_exposure() - what an entry is
 *
 * Return: enum ssdpm_bisect_exposure: what each drive of the suspects has.
 * Latency limits and link policies of SATA drives have a deepest state, and
 * so have suspects of the caller. A PCIe link alone sleeps in idle times, and
 * NCQ alone matters for each I/O.
 */
SSDPM_API uint32_t ssdpm_bisect_get_exposure(const struct ssdpm_bisect *bisect);

/** ssdpm_bisect_get_step_name() - a step of a suspect, or NULL; likewise */
SSDPM_API const char *ssdpm_bisect_get_step_name(
	const struct ssdpm_bisect *bisect, size_t suspect, size_t step);

/**
 * ssdpm_bisect_get_step() - the step to set
 *
 * Return: that of the running or the next trial. After the search: the last
 * step, which was set before. UINT32_MAX: no such suspect.
 */
SSDPM_API uint32_t ssdpm_bisect_get_step(const struct ssdpm_bisect *bisect,
					 size_t suspect);

/**
 * ssdpm_bisect_get_culprit() - the least step with which a suspect fails
 *
 * Steps of several culprits fail together. Each of them is needed for that.
 *
 * Return: 0; -ENOENT (@index).
 */
SSDPM_API int ssdpm_bisect_get_culprit(const struct ssdpm_bisect *bisect,
				       size_t index, uint32_t *ret_suspect,
				       uint32_t *ret_step,
				       struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_get_candidate() - a step that may be the next culprit
 * @index: below the n_candidates of the state
 *
 * If trials were skipped, a search ends with several of them. One of them may
 * be at fault, together with the culprits that were found. If the trial without
 * all of them was skipped, too, it may be none of them.
 *
 * Return: 0; -ENOENT (@index).
 */
SSDPM_API int ssdpm_bisect_get_candidate(const struct ssdpm_bisect *bisect,
					 size_t index, uint32_t *ret_suspect,
					 uint32_t *ret_step,
					 struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_set_drive() - a drive of the suspects, as it is now
 * @facts:   from ssdpm_device_get_facts(); a suspect begins with its name
 * @machine: from ssdpm_machine_get_facts()
 *
 * Then there are remedies for less than all drives: the port in libata.force,
 * and since Linux 7.2 the PCI IDs in nvme.quirks. Parameters and quirks that
 * are in force already are no remedies. Neither are those that this release of
 * Linux does not know: libata.force=nolpm came with Linux 5.19. A second call
 * for the same drive replaces the first. The text of a search does not have it,
 * because a boot may give a port another number.
 *
 * Return: 0; -ENOENT (no suspect of that name), -EINVAL (a pointer is NULL, or
 * a size), -E2BIG (a size), -ENOMEM.
 */
SSDPM_API int ssdpm_bisect_set_drive(struct ssdpm_bisect *bisect,
				     const struct ssdpm_device_facts *facts,
				     const struct ssdpm_machine_facts *machine,
				     struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_get_remedy() - what helps against a culprit
 * @culprit: as of ssdpm_bisect_get_culprit()
 * @index:   from 0 on: what changes least of a machine is first
 *
 * Each remedy alone keeps the step that fails from being used, but for those of
 * the kind SSDPM_BISECT_REMEDY_FILE. They go together: the good trials had none
 * of these features. Suspects of ssdpm_bisect_add_suspect() have no remedy.
 *
 * Return: 0; -ENOENT (@culprit, or no more), -EINVAL, -E2BIG (@ret_remedy).
 */
SSDPM_API int ssdpm_bisect_get_remedy(const struct ssdpm_bisect *bisect,
				      size_t culprit, size_t index,
				      struct ssdpm_bisect_remedy *ret_remedy,
				      struct ssdpm_error *reterr);

/** ssdpm_bisect_get_token() - of the running trial; NULL: none runs */
SSDPM_API const char *ssdpm_bisect_get_token(const struct ssdpm_bisect *bisect);

/**
 * ssdpm_bisect_to_text() - all that a search knows
 * @ret_text: free it with free(3)
 *
 * Return: 0, -ENOMEM.
 */
SSDPM_API int ssdpm_bisect_to_text(const struct ssdpm_bisect *bisect,
				   char **ret_text, struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_from_text() - the search that ssdpm_bisect_to_text() wrote
 * @ret_bisect: free it with ssdpm_bisect_free()
 *
 * The last line has a checksum of all before it.
 *
 * Return: 0; -EINVAL (not such a text, or not all of it; @reterr has the line),
 * -ENOMEM, and as
 * the calls that make such a search.
 */
SSDPM_API int ssdpm_bisect_from_text(const char *text, size_t size,
				     struct ssdpm_bisect **ret_bisect,
				     struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_add_unrestored() - a setting that is not as before the search
 * @suspect: its number
 * @before:  its value before the search, as people read it
 * @now:     its value now; NULL: unknown, or the drive is gone
 *
 * ssdpm_bisect_to_json() has it; the text of a search does not. A second call
 * for the same suspect replaces the first.
 *
 * Return: 0; -ENOENT (@suspect), -EINVAL (@before is NULL), -E2BIG (a value has
 * 128 bytes or more).
 */
SSDPM_API int ssdpm_bisect_add_unrestored(struct ssdpm_bisect *bisect,
					  uint32_t suspect, const char *before,
					  const char *now,
					  struct ssdpm_error *reterr);

/**
 * ssdpm_bisect_to_json() - as ssdpm.bisect/1: ssdpm-json(5)
 * @devices:   objects of ssdpm_object_to_json(), for its list of devices; NULL
 *             among them is left out
 * @n_devices: how many; 0: none, and @devices may be NULL
 * @ret_text:  free it with free(3)
 *
 * Return: 0, -ENOMEM.
 */
SSDPM_API int ssdpm_bisect_to_json(const struct ssdpm_bisect *bisect,
				   const char *const *devices, size_t n_devices,
				   char **ret_text, struct ssdpm_error *reterr);

/** ssdpm_bisect_verdict_to_string() - "good", "bad", "skip", or NULL */
SSDPM_API const char *ssdpm_bisect_verdict_to_string(uint32_t verdict);
SSDPM_API uint32_t ssdpm_bisect_verdict_from_string(const char *word);

/** ssdpm_bisect_decision_to_string() - "searching" and so on, or NULL */
SSDPM_API const char *ssdpm_bisect_decision_to_string(uint32_t decision);
SSDPM_API uint32_t ssdpm_bisect_decision_from_string(const char *word);

/** ssdpm_bisect_setting_to_string() - "latency-limit" and so on, or NULL */
SSDPM_API const char *ssdpm_bisect_setting_to_string(uint32_t setting);
SSDPM_API uint32_t ssdpm_bisect_setting_from_string(const char *word);

/** ssdpm_bisect_exposure_to_string() - "entries", "idle-times", "ios", or NULL
 */
SSDPM_API const char *ssdpm_bisect_exposure_to_string(uint32_t exposure);
SSDPM_API uint32_t ssdpm_bisect_exposure_from_string(const char *word);

/** ssdpm_bisect_remedy_kind_to_string() - "latency-limit" and so on, or NULL */
SSDPM_API const char *ssdpm_bisect_remedy_kind_to_string(uint32_t kind);
SSDPM_API uint32_t ssdpm_bisect_remedy_kind_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
