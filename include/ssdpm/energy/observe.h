/* SPDX-License-Identifier: MIT */
/*
 * Observation: who makes the drives work, from the trace events of Linux.
 *
 *     formats and lines of trace events -> causes and I/Os -> simulation
 *         -> what each cause takes, and what the drive would take without it
 *
 * The stage is pure: the caller reads the lines, from tracefs or from a file.
 * See ssdpm_observe(3).
 */
#ifndef SSDPM_OBSERVE_H
#define SSDPM_OBSERVE_H

#include <ssdpm/base.h>
#include <ssdpm/energy/estimate.h>
#include <ssdpm/energy/likely.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Why the drive works. */
enum ssdpm_cause_kind {
	SSDPM_CAUSE_PROCESS = 1,   /* a process asked for it */
	SSDPM_CAUSE_WRITEBACK = 2, /* a process changed the pages before */
	SSDPM_CAUSE_JOURNAL = 3,   /* the journal of a file system */
	SSDPM_CAUSE_KERNEL = 4,	   /* a thread of the kernel, for whomever */
	SSDPM_CAUSE_OTHER = 5,	   /* all causes that found no room */
	SSDPM_CAUSE_CGROUP = 6, /* a process of it changed the pages before */
};

/** ctrl_id: the drive has no NVMe controller, or it is unknown. */
#define SSDPM_NO_CONTROLLER UINT32_MAX

/**
 * struct ssdpm_observed_params - a drive to be observed (sized parameters)
 * @size:       sizeof(struct ssdpm_observed_params)
 * @model:      the drive; the observation keeps what it needs of it
 * @sim_params: its table or link policy as they are in force, copied; NULL: the
 *              drive never sleeps. The loop is always open, because a trace has
 *              the times at which I/Os arrived, and interval_ns must be 0
 * @major:      of the block device, as in /sys/block/nvme0n1/dev
 * @minor:      likewise
 * @ctrl_id:    7 for nvme7, or SSDPM_NO_CONTROLLER
 * @reserved:   0
 */
struct ssdpm_observed_params {
	size_t size;
	const struct ssdpm_model *model;
	const struct ssdpm_sim_params *sim_params;
	uint32_t major;
	uint32_t minor;
	uint32_t ctrl_id;
	uint32_t reserved;
};

/** Nobody saw admin commands: they are not 0. */
#define SSDPM_ADMIN_UNKNOWN UINT64_MAX

/**
 * struct ssdpm_observed - what is known of a drive (sized result)
 * @size:         set by the caller
 * @start_ns:     of its first I/O, on the clock of the trace
 * @now_ns:       all numbers are up to here. Some I/Os are known only when
 *                later ones come, so it lies up to 0.3 s before the last time
 *                that was given, or before the first I/O that is not complete
 * @phase:        enum ssdpm_phase, now; 0: it had no I/O, or none of the time
 *                since a gap is known yet
 * @state:        of that phase
 * @busy_ns:      with an I/O in service; the sum of this, the next three and
 *                uncovered_ns is now_ns - start_ns
 * @idle_ns:      idle in the operational state
 * @asleep_ns:    in other states
 * @transition_ns: entering and leaving them
 * @n_ios:        that began
 * @bytes:        of these
 * @n_wakes:      I/Os that ended a sleep, or the way to it
 * @n_delayed:    I/Os that waited for the drive to wake
 * @delay_sum_ns: how long
 * @n_admin:      admin commands of its controller, and commands of programs
 *                that are no I/Os, as of smartctl to a SATA disk: what they
 *                cost is not in any energy here. SSDPM_ADMIN_UNKNOWN: it is
 *                an NVMe drive, and its controller is unknown, or neither a
 *                format nor a line says that nvme_setup_cmd was traced
 * @energy_nj:    nominal
 * @resting_nj:   of it, what no cause takes: asleep, or idle where the policy
 *                never lets the drive sleep
 * @n_causes:     how many there are
 * @uncovered_ns: gaps of the trace in which the drive had I/Os. Unknown is not
 *                idle: no other number here includes them
 * @n_uncovered_ios: I/Os that began in these gaps, as counted by the kernel
 */
struct ssdpm_observed {
	size_t size;
	uint64_t start_ns;
	uint64_t now_ns;
	uint32_t phase;
	uint32_t state;
	uint64_t busy_ns;
	uint64_t idle_ns;
	uint64_t asleep_ns;
	uint64_t transition_ns;
	uint64_t n_ios;
	uint64_t bytes;
	uint64_t n_wakes;
	uint64_t n_delayed;
	uint64_t delay_sum_ns;
	uint64_t n_admin;
	uint64_t energy_nj;
	uint64_t resting_nj;
	uint64_t n_causes;
	uint64_t uncovered_ns;
	uint64_t n_uncovered_ios;
};

/** Room for the name of a cause, with its final zero. */
#define SSDPM_CAUSE_NAME 16

/**
 * struct ssdpm_cause - what one cause takes of a drive (sized result)
 * @size:      set by the caller
 * @kind:      enum ssdpm_cause_kind
 * @pid:       of the process or thread that was seen first; 0 of a cgroup
 * @name:      of the process or thread, as Linux has it in comm; the last part
 *             of a cgroup's path without .service, .scope or .slice; "other"
 * @n_ios:     I/Os; one that is merged from several counts for the cause with
 *             most of its bytes
 * @bytes:     its part of all bytes
 * @n_wakes:   how often one of its I/Os woke the drive
 * @n_admin:   admin commands, and commands of programs that are no I/Os; or
 *             SSDPM_ADMIN_UNKNOWN
 * @energy_nj: its share, nominal. The shares of all causes and resting_nj are
 *             energy_nj of the drive, to the last digit
 *
 * A cause takes the energy of its I/Os and of the exit from the state that they
 * end. It also takes the idle time after them, until the policy lets the drive
 * sleep, and the entry into the states that follow. Causes of one I/O share it
 * by bytes.
 */
struct ssdpm_cause {
	size_t size;
	uint32_t kind;
	uint32_t pid;
	char name[SSDPM_CAUSE_NAME];
	uint64_t n_ios;
	uint64_t bytes;
	uint64_t n_wakes;
	uint64_t n_admin;
	uint64_t energy_nj;
};

/**
 * struct ssdpm_deepest - the deepest state that a policy uses (sized result)
 * @size:      set by the caller
 * @n_entries: how often the drive reached it, up to now_ns of the drive; one
 *             that an I/O ended on the way does not count
 * @after_ns:  after so much idle time the drive is in it; 0: there is none,
 *             because the policy never lets it sleep
 * @state:     its number, as in struct ssdpm_observed
 * @reserved:  0
 * @n_idle_times: times of 1 ms or more without an I/O, awake or asleep: longer
 *             than a link takes to go to sleep
 */
struct ssdpm_deepest {
	size_t size;
	uint64_t n_entries;
	uint64_t after_ns;
	uint32_t state;
	uint32_t reserved;
	uint64_t n_idle_times;
};

/**
 * struct ssdpm_without - a drive with and without a cause (sized result)
 * @size:          set by the caller
 * @from_ns:       the first I/O that is still known: 32,768 are kept
 * @until_ns:      now_ns of the drive
 * @energy_nj:     of all I/Os since then, nominal
 * @asleep_ns:     of all: in a state other than the operational one
 * @n_wakes:       of all
 * @without_energy_nj: the same without the cause
 * @without_asleep_ns: likewise
 * @without_n_wakes: likewise
 * @uncovered_ns:  gaps of the trace since from_ns, in no number but the times
 */
struct ssdpm_without {
	size_t size;
	uint64_t from_ns;
	uint64_t until_ns;
	uint64_t energy_nj;
	uint64_t asleep_ns;
	uint64_t n_wakes;
	uint64_t without_energy_nj;
	uint64_t without_asleep_ns;
	uint64_t without_n_wakes;
	uint64_t uncovered_ns;
};

/** What may let a drive sleep more, against one cause. */
enum ssdpm_help_kind {
	SSDPM_HELP_INTERVAL = 1, /* a process works at a longer interval */
	SSDPM_HELP_BATCH = 2,	 /* a process writes several times together */
	SSDPM_HELP_WRITEBACK_INTERVAL = 3, /* vm.dirty_writeback_centisecs */
	SSDPM_HELP_LAPTOP_MODE = 4,	   /* vm.laptop_mode */
	SSDPM_HELP_COMMIT_INTERVAL = 5,	   /* mount with a longer one */
	SSDPM_HELP_NOATIME = 6,		   /* mount with it */
	SSDPM_HELP_ADMIN_INTERVAL = 7,	   /* ask the controller less often */
};

/**
 * struct ssdpm_help - what would help, and how much (frozen, 64 bytes)
 * @kind:           enum ssdpm_help_kind
 * @cause:          against which cause, by its index
 * @period_ns:      between its own I/Os or admin commands now; 0: they are not
 *                  periodic
 * @interval_ns:    the interval that was simulated; 0: the I/Os were left out
 * @from_ns:        the first I/O that is still known, as in ssdpm_without; or
 * the end of the last gap
 * @until_ns:       now_ns of the drive
 * @saving_low_nj:  energy that it saves in this time, nominal; 0 where the part
 *                  that it avoids is unknown: noatime, admin commands
 * @saving_high_nj: the same, at most
 * @n_wakes:        I/Os that would then wake the drive
 */
struct ssdpm_help {
	uint32_t kind;
	uint32_t cause;
	uint64_t period_ns;
	uint64_t interval_ns;
	uint64_t from_ns;
	uint64_t until_ns;
	uint64_t saving_low_nj;
	uint64_t saving_high_nj;
	uint64_t n_wakes;
};

/**
 * struct ssdpm_observation_counts - what was met on the way (frozen, 64 bytes)
 * @n_lines:      lines that were read
 * @n_events:     of these, events that say something
 * @n_bad:        lines of such events, of formats and of partitions that could
 *                not be read; of a watch, also events that are too late
 * @n_lost:       events that the kernel says it lost
 * @n_unmatched:  I/Os that were not completed within 30 s
 * @n_orphans:    completions without an I/O
 * @unknown_bytes: of I/Os whose origin was not seen: their cause is the
 *                process that sent them to the drive
 * @n_clipped:    discards above 4 GiB, taken for 512 bytes less
 */
struct ssdpm_observation_counts {
	uint64_t n_lines;
	uint64_t n_events;
	uint64_t n_bad;
	uint64_t n_lost;
	uint64_t n_unmatched;
	uint64_t n_orphans;
	uint64_t unknown_bytes;
	uint64_t n_clipped;
};

struct ssdpm_observation;

/**
 * ssdpm_observation_new() - without a drive
 * @ret_observation: free it with ssdpm_observation_free()
 *
 * Return: 0, -ENOMEM.
 */
SSDPM_API int ssdpm_observation_new(struct ssdpm_observation **ret_observation,
				    struct ssdpm_error *reterr);

/** ssdpm_observation_free() - @observation may be NULL. Return: NULL. */
SSDPM_API struct ssdpm_observation *ssdpm_observation_free(
	struct ssdpm_observation *observation);

/**
 * ssdpm_observation_add_drive() - observe this drive too
 *
 * Add all drives before the first line. The first one has index 0.
 *
 * Return: 0; -EBUSY (lines were fed), -EEXIST (the device is one already),
 * -E2BIG (@params, or more than 256 drives), and as ssdpm_sim_new().
 */
SSDPM_API int ssdpm_observation_add_drive(
	struct ssdpm_observation *observation,
	const struct ssdpm_observed_params *params, struct ssdpm_error *reterr);

/**
 * ssdpm_observation_add_partition() - a partition of a drive
 * @drive: its index
 * @major: of the partition, as in /sys/block/nvme0n1/nvme0n1p1/dev
 * @minor: likewise
 *
 * Linux names the partition where an I/O is queued, and the drive where it is
 * sent. A line "# partition: 259,1 259,0" of the text says the same. A
 * partition that is known already is of this drive from now on.
 *
 * Return: 0; -ENOENT (no such drive), -E2BIG (more than 1,024).
 */
SSDPM_API int ssdpm_observation_add_partition(
	struct ssdpm_observation *observation, size_t drive, uint32_t major,
	uint32_t minor, struct ssdpm_error *reterr);

/**
 * ssdpm_observation_get_event() - an event that an observation reads
 *
 * Return: "block/block_rq_issue" and so on, as below events/ of tracefs; NULL:
 * @index is too high. A kernel may lack some: see ssdpm_observe(3).
 */
SSDPM_API const char *ssdpm_observation_get_event(size_t index);

/**
 * ssdpm_observation_lacks_event() - does the kernel that is observed lack it
 * @index: as of ssdpm_observation_get_event()
 *
 * A watch and its recording give the format of each event that the kernel has.
 * So it is known once the formats of block_rq_issue and block_rq_complete were
 * given. A kernel has either writeback_dirty_folio or its older name,
 * writeback_dirty_page: the first one stands for both.
 *
 * Return: true if it does; false if it has it, if it is unknown, and if @index
 * is too high.
 */
SSDPM_API bool ssdpm_observation_lacks_event(
	const struct ssdpm_observation *observation, size_t index);

/**
 * ssdpm_observation_set_format() - how this kernel prints an event
 * @text: what the file format of the event says
 *
 * Without it, the formats of Linux 6.1 to 7.3 are tried.
 *
 * Return: 0; -ENOENT (an event that is not read), -EINVAL (no "print fmt:", or
 * one that cannot be followed), -ENODATA (a field that is needed is missing).
 */
SSDPM_API int ssdpm_observation_set_format(
	struct ssdpm_observation *observation, const char *text, size_t size,
	struct ssdpm_error *reterr);

/**
 * ssdpm_observation_feed() - the next piece of the text
 * @text: of trace or trace_pipe of tracefs, cut anywhere; the clock has seconds
 *
 * Lines of other events are passed over. Lines that cannot be read are counted.
 * A line "# format: " holds what ssdpm_observation_set_format() takes, with \n
 * and \\ for line ends and backslashes. A line "# controller: 259,0 7" says
 * that the device belongs to nvme7. A line "# policy: " is that of
 * ssdpm_observation_get_policy(): the recording was made under this policy, and
 * not under that of the drive's parameters. A line "# gap: 259,0 FROM UNTIL N"
 * says that the trace was off between two times in ns. N I/Os of the device
 * began meanwhile. A line "# end: NS" says that no event came up to that time.
 * See Gaps in ssdpm_observe(3).
 *
 * An event may be up to 0.2 s earlier than one before it, because each
 * processor has its own buffer. If it is earlier by more, a second run begins
 * there, or a time stamp is wrong, and the text is refused.
 *
 * Return: 0; -EINVAL (it is finished, or time goes backwards), -ERANGE (a time
 * beyond 2^64 ns), -ENOMEM. After a failure every call fails in the same way.
 */
SSDPM_API int ssdpm_observation_feed(struct ssdpm_observation *observation,
				     const char *text, size_t size,
				     struct ssdpm_error *reterr);

/**
 * ssdpm_observation_advance() - time has passed, and no event came
 * @now_ns: on the clock of the trace; all lines up to it were fed
 *
 * Return: as ssdpm_observation_feed().
 */
SSDPM_API int ssdpm_observation_advance(struct ssdpm_observation *observation,
					uint64_t now_ns,
					struct ssdpm_error *reterr);

/**
 * ssdpm_observation_finish() - no more lines come
 * @end_ns: when the observation ended; 0, or before the last line: with that
 *
 * I/Os that are not complete are counted as unmatched.
 *
 * Return: as ssdpm_observation_feed().
 */
SSDPM_API int ssdpm_observation_finish(struct ssdpm_observation *observation,
				       uint64_t end_ns,
				       struct ssdpm_error *reterr);

/** ssdpm_observation_get_counts() - until it is freed */
SSDPM_API const struct ssdpm_observation_counts *ssdpm_observation_get_counts(
	const struct ssdpm_observation *observation);

/**
 * ssdpm_observation_get_drive() - a drive, by index
 * @ret_drive: its size member is set by the caller
 *
 * Return: 0; -ENOENT (no such drive), -EINVAL, -E2BIG (its size), -ERANGE (an
 * energy beyond 2^64 nJ), -ENOMEM.
 */
SSDPM_API int ssdpm_observation_get_drive(
	const struct ssdpm_observation *observation, size_t drive,
	struct ssdpm_observed *ret_drive, struct ssdpm_error *reterr);

/**
 * ssdpm_observation_get_deepest() - how often a drive reached its deepest state
 * @ret_deepest: its size member is set by the caller
 *
 * The policy is that of the parameters of the drive, which need not be in
 * force. Gaps of the trace have no entries.
 *
 * Return: as ssdpm_observation_get_drive().
 */
SSDPM_API int ssdpm_observation_get_deepest(
	const struct ssdpm_observation *observation, size_t drive,
	struct ssdpm_deepest *ret_deepest, struct ssdpm_error *reterr);

/**
 * ssdpm_observation_get_cause() - a cause of a drive, by index
 * @cause:     below n_causes; an index keeps its cause
 * @ret_cause: its size member is set by the caller
 *
 * Return: as ssdpm_observation_get_drive(), -ENOENT too for the cause.
 */
SSDPM_API int ssdpm_observation_get_cause(
	const struct ssdpm_observation *observation, size_t drive, size_t cause,
	struct ssdpm_cause *ret_cause, struct ssdpm_error *reterr);

/**
 * ssdpm_observation_get_without() - simulate the I/Os without those of a cause
 * @ret_without: its size member is set by the caller
 *
 * An I/O that has several causes becomes smaller by the bytes of this one, and
 * takes as long as it took.
 *
 * Return: as ssdpm_observation_get_cause().
 */
SSDPM_API int ssdpm_observation_get_without(
	const struct ssdpm_observation *observation, size_t drive, size_t cause,
	struct ssdpm_without *ret_without, struct ssdpm_error *reterr);

/**
 * ssdpm_observation_get_policy() - the policy of a drive, for a recording
 * @ret_text: a line "# policy: ..." without its end; free it with free()
 *
 * Put it before the events of a recording. Recorded service times hold the
 * wake-ups under this policy, and readers of the recording take them out.
 *
 * Return: 0; -ENOENT (no such drive), -ENOMEM.
 */
SSDPM_API int ssdpm_observation_get_policy(
	const struct ssdpm_observation *observation, size_t drive,
	char **ret_text, struct ssdpm_error *reterr);

/**
 * ssdpm_observation_list_help() - what would let a drive sleep more
 * @ret_helps: what saves most is first; an array to be freed with free();
 *             NULL: nothing saves 1 % of the energy or more
 * @ret_n:     how many
 *
 * Each is simulated alone, from the I/Os that are kept: ssdpm_observe(3), Help,
 * has the assumptions.
 *
 * Return: as ssdpm_observation_get_drive().
 */
SSDPM_API int ssdpm_observation_list_help(
	const struct ssdpm_observation *observation, size_t drive,
	struct ssdpm_help **ret_helps, size_t *ret_n,
	struct ssdpm_error *reterr);

/**
 * ssdpm_observation_replay() - each change of state of a drive
 * @fn: called in the order of time, the last time with SSDPM_PHASE_END at
 *      now_ns of the drive; before a gap likewise. It must not use @observation
 *
 * It simulates the I/Os that are still known, the latest 32,768, from the first
 * of them on. If the drive had no I/O, it calls nothing.
 *
 * Return: as ssdpm_observation_get_drive(), -EINVAL too for a missing @fn.
 * After a failure, @fn may have been called.
 */
SSDPM_API int ssdpm_observation_replay(
	const struct ssdpm_observation *observation, size_t drive,
	ssdpm_change_fn fn, void *userdata, struct ssdpm_error *reterr);

/**
 * ssdpm_observation_get_prediction() - the mean power that a drive likely takes
 * @ret_prediction: as of ssdpm_sim_get_prediction(); its size member is set by
 *                  the caller
 *
 * It simulates the I/Os that are still known, the latest 32,768, up to now_ns
 * of the drive. If the trace had gaps, it begins after the last one:
 * duration_ns says how long that is.
 *
 * Return: as ssdpm_observation_get_drive(), -ENODATA too (no I/O is known, or
 * none since the last gap).
 */
SSDPM_API int ssdpm_observation_get_prediction(
	const struct ssdpm_observation *observation, size_t drive,
	struct ssdpm_prediction *ret_prediction, struct ssdpm_error *reterr);

/**
 * ssdpm_observation_interval_to_json() - what a drive did since the call before
 * @name:     what the drive is called
 * @ret_text: "ssdpm.watch-interval/1", see ssdpm-json(5); free it with free()
 *
 * The first call tells all since the first I/O. A call that fails begins no
 * interval. The shares of all causes and resting_nj are energy_nj, as in
 * ssdpm_observation_get_cause().
 *
 * Return: as ssdpm_observation_get_drive().
 */
SSDPM_API int ssdpm_observation_interval_to_json(
	struct ssdpm_observation *observation, size_t drive, const char *name,
	char **ret_text, struct ssdpm_error *reterr);

/**
 * ssdpm_observation_to_json() - a drive with its causes, as ssdpm.watch/1
 * @name:     what the drive is called
 * @ret_text: see ssdpm-json(5); free it with free()
 *
 * It simulates the I/Os anew for each cause.
 *
 * Return: as ssdpm_observation_get_without().
 */
SSDPM_API int ssdpm_observation_to_json(
	const struct ssdpm_observation *observation, size_t drive,
	const char *name, char **ret_text, struct ssdpm_error *reterr);

/** ssdpm_cause_kind_to_string() - "process", "writeback" and so on, or NULL */
SSDPM_API const char *ssdpm_cause_kind_to_string(uint32_t kind);
SSDPM_API uint32_t ssdpm_cause_kind_from_string(const char *word);

/** ssdpm_help_kind_to_string() - "commit-interval" and so on, or NULL */
SSDPM_API const char *ssdpm_help_kind_to_string(uint32_t kind);
SSDPM_API uint32_t ssdpm_help_kind_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
