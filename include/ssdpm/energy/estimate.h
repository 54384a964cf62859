/* SPDX-License-Identifier: MIT */
/*
 * The estimate: what a policy costs and saves on a workload.
 *
 *     model + policy + workload -> energy, time in each state, added latency
 *
 * This stage is pure. Time is exact, in whole nanoseconds; energy is summed
 * exactly from it once, at the end. An unknown of a drive has a low, a nominal
 * and a high value, and so has every result. The semantics of the simulation
 * are in ssdpm(7), the rules for what is not known in ssdpm_estimate(3).
 */
#ifndef SSDPM_ESTIMATE_H
#define SSDPM_ESTIMATE_H

#include <ssdpm/base.h>
#include <ssdpm/model.h>
#include <ssdpm/policy.h>
#include <ssdpm/energy/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Numbers of a drive that a simulation needs; each comment has the index. */
enum ssdpm_parameter_kind {
	/* By the number of a state: uW when nothing is to do. */
	SSDPM_PARAMETER_IDLE_POWER = 1,
	/* By op - 1: uW while such an I/O keeps the drive busy. */
	SSDPM_PARAMETER_ACTIVE_POWER = 2,
	/* uW while the drive enters or leaves a state; index 0. */
	SSDPM_PARAMETER_TRANSITION_POWER = 3,
	/* uW that the link adds in non-operational states; index 0. */
	SSDPM_PARAMETER_LINK_POWER = 4,
	/* By the number of a state: us. */
	SSDPM_PARAMETER_ENTRY_LATENCY = 5,
	SSDPM_PARAMETER_EXIT_LATENCY = 6,
	/* By op - 1: ns before the transfer of an I/O of unknown service. */
	SSDPM_PARAMETER_BASE_LATENCY = 7,
	/* By op - 1: bytes per second of that transfer. */
	SSDPM_PARAMETER_BANDWIDTH = 8,
	/* By op - 1: nJ of each I/O, on top of the active power. */
	SSDPM_PARAMETER_OPERATION_ENERGY = 9,
	/* By op - 1: pJ of each byte, on top of the active power. */
	SSDPM_PARAMETER_BYTE_ENERGY = 10,
	/* SATA, by the number of the link state: us of idle time in the state
	 * before, after which the link goes to this one. With min_power a host
	 * that may ask for slumber does so after the time of partial. */
	SSDPM_PARAMETER_LINK_IDLE_TIME = 11,
	/* ps that the drive works on after each byte that is written: garbage
	 * collection; index 0. Its energy is part of that of the byte. */
	SSDPM_PARAMETER_BACKGROUND_TIME = 12,
};

/**
 * struct ssdpm_parameter - one thing to know (frozen, 192 bytes)
 * @kind:       enum ssdpm_parameter_kind
 * @index:      state, op - 1, or 0
 * @provenance: enum ssdpm_provenance
 * @low, @nominal, @high: its value, in the unit of its kind; all three are the
 *              same where it is known
 * @rule:       one line: where the value comes from
 */
struct ssdpm_parameter {
	uint32_t kind;
	uint32_t index;
	uint32_t provenance;
	uint32_t reserved;
	uint64_t low;
	uint64_t nominal;
	uint64_t high;
	char rule[152];
};

/** More than a drive of 32 states has in this version. */
#define SSDPM_MAX_PARAMETERS 160

/**
 * ssdpm_parameters_from_model() - what is known and what is assumed of a drive
 * @pcie_link:      enum ssdpm_pcie_link; 0: unknown, and then the power of the
 *                  link is a range, from that of the best to that of the worst;
 *                  it does not matter for SATA
 * @ret_parameters: room for @capacity: SSDPM_MAX_PARAMETERS are enough
 * @ret_n:          how many were filled, sorted by kind and index
 *
 * The rules, each with its evidence, are in ssdpm_estimate(3).
 *
 * Return: 0; -EINVAL (@pcie_link), -EOPNOTSUPP (a hard disk), -ENODATA (a SATA
 * drive of which no state is known), -E2BIG (there are more than @capacity),
 * -ENOMEM (for a drive that smartctl describes the catalogue is looked at).
 */
SSDPM_API int ssdpm_parameters_from_model(
	const struct ssdpm_model *model, uint32_t pcie_link,
	struct ssdpm_parameter *ret_parameters, size_t capacity, size_t *ret_n,
	struct ssdpm_error *reterr);

/**
 * ssdpm_parameters_set() - override one
 * @parameters: from ssdpm_parameters_from_model()
 * @n:          how many
 * @value:      which one, by kind and index, and its low, nominal and high; all
 *              the same: it is certain
 *
 * Its provenance is then SSDPM_PROVENANCE_STATED; that of @value and its rule
 * are not read.
 *
 * Return: 0; -ENOENT (the drive has no such parameter), -EINVAL (not in order),
 * -ERANGE (beyond what the kind can have).
 */
SSDPM_API int ssdpm_parameters_set(struct ssdpm_parameter *parameters, size_t n,
				   const struct ssdpm_parameter *value,
				   struct ssdpm_error *reterr);

/**
 * ssdpm_parameters_get_service() - how long its I/Os take, nominally
 * @ret_service: for records without a service time
 */
SSDPM_API void ssdpm_parameters_get_service(
	const struct ssdpm_parameter *parameters, size_t n,
	struct ssdpm_service *ret_service);

/**
 * ssdpm_parameters_to_model() - the drive as it is taken to be
 * @model:      an NVMe drive
 * @parameters: its parameters
 * @n:          how many
 * @ret_model:  @model with the nominal idle powers and latencies, and nothing
 *              of these unknown; asleep, its link's power is part of the idle
 *              power. Free it with ssdpm_model_unref()
 *
 * For what has to know powers that few drives report: the table of
 * SSDPM_APST_LOWER_ENVELOPE.
 *
 * Return: 0; -EOPNOTSUPP (not an NVMe drive), -EINVAL (@parameters are not of
 * this drive), -ERANGE (a value that a model cannot hold), -ENOMEM.
 */
SSDPM_API int ssdpm_parameters_to_model(
	const struct ssdpm_model *model,
	const struct ssdpm_parameter *parameters, size_t n,
	struct ssdpm_model **ret_model, struct ssdpm_error *reterr);

/** What a delay does to the I/Os after it. */
enum ssdpm_loop {
	/* The host waits: idle times stand, everything later moves. */
	SSDPM_LOOP_CLOSED = 1,
	/* The host does not wait: arrival times stand. */
	SSDPM_LOOP_OPEN = 2,
};

enum ssdpm_sim_flag {
	/* idle_ms counts from the start of idle, as some firmware does. NVMe
	 * counts it from the end of the entry into the state. */
	SSDPM_SIM_IDLE_FROM_START = 1 << 0,
	/* Keep what ssdpm_sim_get_likely() needs. */
	SSDPM_SIM_LIKELY = 1 << 1,
};

/**
 * struct ssdpm_sim_params - what to simulate (sized parameters)
 * @size:         sizeof(struct ssdpm_sim_params)
 * @parameters:   what to take for known; NULL: ssdpm_parameters_from_model().
 *                Copied, like all that is pointed to here
 * @n_parameters: how many
 * @apst:         NVMe: the table that the drive has, or NULL: it never sleeps
 * @lpm:          SATA: enum ssdpm_lpm; 0 and SSDPM_LPM_KEEP_FIRMWARE_SETTINGS:
 *                unknown: it may be any of them; SSDPM_LPM_MAX_PERFORMANCE is
 *                nominal. It is part of SSDPM_AXIS_LINK_IDLE_TIME
 * @loop:         enum ssdpm_loop
 * @pcie_link:    enum ssdpm_pcie_link, or 0, as for
 *                ssdpm_parameters_from_model(); read where @parameters is NULL
 * @flags:        bits of enum ssdpm_sim_flag
 * @operational_state: the state in which the drive works
 * @interval_ns:  length of the intervals of ssdpm_sim_get_intervals(); 0: none
 */
struct ssdpm_sim_params {
	size_t size;
	const struct ssdpm_parameter *parameters;
	size_t n_parameters;
	const struct ssdpm_apst *apst;
	uint32_t lpm;
	uint32_t loop;
	uint32_t pcie_link;
	uint32_t flags;
	uint32_t operational_state;
	uint32_t reserved;
	uint64_t interval_ns;
};

/**
 * ssdpm_sim_params_init() - the defaults
 *
 * The drive never sleeps: no table, SSDPM_LPM_MAX_PERFORMANCE. Closed loop,
 * link in L1.2, state 0, no intervals.
 *
 * Return: 0; -EINVAL (@size is shorter than the size member).
 */
SSDPM_API int ssdpm_sim_params_init(struct ssdpm_sim_params *params,
				    size_t size);

/**
 * struct ssdpm_residency - one state in a run (frozen, 48 bytes)
 * @time_ns:   in the state itself; of the operational state: idle in it
 * @entry_ns:  entering it
 * @exit_ns:   leaving it
 * @energy_nj: of all three
 * @n_entries: how often it was entered
 * @n_wakes:   how often an I/O woke the drive from it, or while it was entered
 */
struct ssdpm_residency {
	uint64_t time_ns;
	uint64_t entry_ns;
	uint64_t exit_ns;
	uint64_t energy_nj;
	uint64_t n_entries;
	uint64_t n_wakes;
};

/**
 * struct ssdpm_run - the outcome of one run (sized result)
 * @size:          sizeof(struct ssdpm_run)
 * @duration_ns:   from the first I/O to the end; the sum of the next four
 * @busy_ns:       with an I/O in service
 * @idle_ns:       not busy, in a state or in the operational state
 * @entry_ns:      entering states
 * @exit_ns:       leaving states
 * @energy_nj:     all of it, rounded to the nearest
 * @transition_nj: of it, for entering and leaving
 * @mean_power_uw: energy by duration, rounded to the nearest; 0 if that is 0.
 *                 Where @background_ns is more than all time without I/O, the
 *                 drive never sleeps, and works longer: then that of I/Os and
 *                 of the work behind them, over the time that these take
 * @busy_ns_by_op: by op - 1: an I/O has the time by which it makes the busy
 *                 period longer
 * @n_ios:         by op - 1, continued records not counted
 * @bytes:         by op - 1
 * @n_gaps:        times that the drive was without work, the end not counted
 * @n_wakes:       of these, how many ended in or on the way to a state
 * @n_deepest:     entries of the deepest state that the policy leads to
 * @deepest_per_day: the same for 24 hours, rounded to the nearest
 * @n_delayed:     I/Os with an added latency
 * @delay_sum_ns:  of their added latencies
 * @delay_mean_ns: over all I/Os, rounded to the nearest
 * @delay_mean_delayed_ns: over those delayed
 * @delay_p50_ns, @delay_p99_ns, @delay_p999_ns: over all I/Os, by nearest rank:
 *                 exact where its bucket of 1/128 of its value holds but one
 *                 value, otherwise the largest delay in that bucket
 * @delay_max_ns:  the largest
 * @background_ns: of work behind the writes, in idle time; 0: none is known
 * @states:        by number
 */
struct ssdpm_run {
	size_t size;
	uint64_t duration_ns;
	uint64_t busy_ns;
	uint64_t idle_ns;
	uint64_t entry_ns;
	uint64_t exit_ns;
	uint64_t energy_nj;
	uint64_t transition_nj;
	uint64_t mean_power_uw;
	uint64_t busy_ns_by_op[SSDPM_MAX_OPS];
	uint64_t n_ios[SSDPM_MAX_OPS];
	uint64_t bytes[SSDPM_MAX_OPS];
	uint64_t n_gaps;
	uint64_t n_wakes;
	uint64_t n_deepest;
	uint64_t deepest_per_day;
	uint64_t n_delayed;
	uint64_t delay_sum_ns;
	uint64_t delay_mean_ns;
	uint64_t delay_mean_delayed_ns;
	uint64_t delay_p50_ns;
	uint64_t delay_p99_ns;
	uint64_t delay_p999_ns;
	uint64_t delay_max_ns;
	uint64_t background_ns;
	struct ssdpm_residency states[SSDPM_MAX_STATES];
};

/** Unknowns that a saving would hinge on: see @widest_axis. */
enum ssdpm_axis {
	SSDPM_AXIS_IDLE_POWER = 1,  /* of the operational state */
	SSDPM_AXIS_STATE_POWER = 2, /* idle power of the other states, link */
	/* And energy of I/Os and bytes, and the time of the work behind them.
	 */
	SSDPM_AXIS_ACTIVE_POWER = 3,
	SSDPM_AXIS_TRANSITION_POWER = 4,
	SSDPM_AXIS_LATENCY = 5, /* entry and exit */
	/* Base latency and bandwidth. Low is a quick drive: there the bandwidth
	 * is its high value. */
	SSDPM_AXIS_SERVICE = 6,
	SSDPM_AXIS_LINK_IDLE_TIME = 7,
};

/**
 * struct ssdpm_result - an estimate with its bounds (sized; the library makes
 *                       it)
 * @size:       sizeof(struct ssdpm_result) of the library
 * @nominal:    every parameter at its nominal value
 * @low, @high: member by member the minimum and the maximum: exact over all
 *              powers that the drive can have, each in its interval and in the
 *              order of ssdpm_estimate(3); where times are not known, they
 *              enclose what is possible. Percentiles to 1/128, as nominal ones
 * @assumed_nj: nominal energy whose power is assumed
 * @axes:       bits 1 << (axis - 1): those on which something is not known
 * @widest_axis: enum ssdpm_axis: which of them, alone, moves the energy most;
 *              0: nothing does
 * @n_axes:     of enum ssdpm_axis
 * @axis_low_nj, @axis_high_nj: by axis - 1: the least and most energy when only
 *              this axis leaves its nominal value
 * @own_duration_ns: nominal duration to its own end: less than that of @nominal
 *              where it was finished together with one that ends later
 * @loose_states: bits of states that may take more than the state before them:
 *              known values contradict the order, or both of its ends leave it
 *              open
 * @loose_ops:  bits 1 << (op - 1): likewise of I/Os, which may take less than
 *              the idle drive
 * @reserved:   0
 *
 * Its pointers are valid as long as the simulation, as it is itself.
 */
struct ssdpm_result {
	size_t size;
	const struct ssdpm_run *nominal;
	const struct ssdpm_run *low;
	const struct ssdpm_run *high;
	uint64_t assumed_nj;
	uint32_t axes;
	uint32_t widest_axis;
	uint32_t n_axes;
	uint32_t loose_states;
	const uint64_t *axis_low_nj;
	const uint64_t *axis_high_nj;
	uint64_t own_duration_ns;
	uint32_t loose_ops;
	uint32_t reserved;
};

/** What a drive does from a moment on. */
enum ssdpm_phase {
	SSDPM_PHASE_BUSY = 1,
	SSDPM_PHASE_IDLE = 2,	  /* in the operational state */
	SSDPM_PHASE_ENTRY = 3,	  /* into a state */
	SSDPM_PHASE_RESIDENT = 4, /* in a state */
	SSDPM_PHASE_EXIT = 5,	  /* out of a state */
	SSDPM_PHASE_END = 6,	  /* of the simulation */
};

/**
 * typedef ssdpm_change_fn - called at each change, in the order of time
 * @time_ns: on the clock of the trace, later by all delays before it where the
 *           loop is closed
 * @phase:   enum ssdpm_phase that begins
 * @state:   of which state
 *
 * Phases of length 0 are not told. The nominal run calls it.
 */
typedef void (*ssdpm_change_fn)(void *userdata, uint64_t time_ns,
				uint32_t phase, uint32_t state);

/**
 * struct ssdpm_interval - a piece of the nominal run (frozen, 64 bytes)
 * @start_ns:     counted from the first I/O
 * @energy_nj:    rounded down, the remainder is carried to the next one. Energy
 *                of I/Os and bytes counts where the I/O begins
 * @busy_ns:      likewise the next three: their sum is its length
 * @idle_ns:      in the operational state
 * @asleep_ns:    in other states
 * @transition_ns: entering and leaving
 * @n_ios:        that begin in it
 * @delay_sum_ns: their added latency
 */
struct ssdpm_interval {
	uint64_t start_ns;
	uint64_t energy_nj;
	uint64_t busy_ns;
	uint64_t idle_ns;
	uint64_t asleep_ns;
	uint64_t transition_ns;
	uint64_t n_ios;
	uint64_t delay_sum_ns;
};

struct ssdpm_sim;

/**
 * ssdpm_sim_new() - begin a simulation
 * @model:   the drive
 * @params:  what to simulate, or NULL
 * @ret_sim: free it with ssdpm_sim_free()
 *
 * Return: 0; -EINVAL (a table that ssdpm_apst_validate() refuses; a policy of
 * the other kind of drive; no such operational state; parameters that are
 * missing or twice), -ENODATA (a power or latency that nothing says and no rule
 * gives: @reterr says which option gives it), -E2BIG (@params), -ENOMEM.
 */
SSDPM_API int ssdpm_sim_new(const struct ssdpm_model *model,
			    const struct ssdpm_sim_params *params,
			    struct ssdpm_sim **ret_sim,
			    struct ssdpm_error *reterr);

/**
 * ssdpm_sim_set_change_fn() - be told of each change of state
 * @fn: called from ssdpm_sim_feed() and ssdpm_sim_finish(); NULL: not told. Set
 *      it before the first record
 */
SSDPM_API void ssdpm_sim_set_change_fn(struct ssdpm_sim *sim,
				       ssdpm_change_fn fn, void *userdata);

/**
 * ssdpm_sim_feed() - the next records, any number at a time
 *
 * Return: 0; -EINVAL (start_ns decreases, an unknown operation; @reterr has the
 * index counted from the first record; it is finished), -ERANGE (a time beyond
 * 2^64 ns), -ENOMEM (also for more than 2^24 intervals). After a failure every
 * call fails in the same way.
 */
SSDPM_API int ssdpm_sim_feed(struct ssdpm_sim *sim, const struct ssdpm_io *ios,
			     size_t n, struct ssdpm_error *reterr);

/**
 * ssdpm_sim_finish() - end a simulation
 * @end_ns:     on the clock of the trace, undelayed; idle time up to it is
 *              simulated; 0, or before the last completion: that
 *
 * Return: 0; -ENODATA (no record), -ERANGE (a time, an energy or a delay beyond
 * 64 bits), -EINVAL (finished before), -ENOMEM (as before); or as
 * ssdpm_sim_feed() failed before.
 */
SSDPM_API int ssdpm_sim_finish(struct ssdpm_sim *sim, uint64_t end_ns,
			       struct ssdpm_error *reterr);

/**
 * ssdpm_sim_finish_together() - end several simulations at the same time
 * @sims:   of policies of one drive, which had the same records
 * @n_sims: how many
 * @end_ns: as for ssdpm_sim_finish()
 *
 * The latest end of all is that of each: the others go on idling under their
 * own policy until then. So all that is compared refers to the same work over
 * the same time.
 *
 * Return: as ssdpm_sim_finish(). Where one of them cannot be finished, none is.
 */
SSDPM_API int ssdpm_sim_finish_together(struct ssdpm_sim *const *sims,
					size_t n_sims, uint64_t end_ns,
					struct ssdpm_error *reterr);

/**
 * ssdpm_sim_get_result() - what came of it
 *
 * Return: borrowed from @sim; NULL before ssdpm_sim_finish().
 */
SSDPM_API const struct ssdpm_result *ssdpm_sim_get_result(
	const struct ssdpm_sim *sim);

/**
 * ssdpm_sim_get_intervals() - the nominal run, piece by piece
 * @ret_n: how many
 *
 * Return: an array borrowed from @sim; NULL, and none, before
 * ssdpm_sim_finish().
 */
SSDPM_API const struct ssdpm_interval *ssdpm_sim_get_intervals(
	const struct ssdpm_sim *sim, size_t *ret_n);

/**
 * ssdpm_sim_get_delays() - how many I/Os of the nominal run had which delay
 * @ret_counts: room for @capacity, by ssdpm_histogram_bucket() of the added
 *              latency: SSDPM_HISTOGRAM_BUCKETS are enough. The first are
 *              written of more, the rest of fewer is 0
 *
 * I/Os without one are in bucket 0. All zero before ssdpm_sim_finish().
 */
SSDPM_API void ssdpm_sim_get_delays(const struct ssdpm_sim *sim,
				    uint64_t *ret_counts, size_t capacity);

/**
 * ssdpm_sim_get_parameters() - what it takes for known
 *
 * Return: an array borrowed from @sim.
 */
SSDPM_API const struct ssdpm_parameter *ssdpm_sim_get_parameters(
	const struct ssdpm_sim *sim, size_t *ret_n);

/**
 * ssdpm_sim_free() - @sim may be NULL
 *
 * Return: NULL.
 */
SSDPM_API struct ssdpm_sim *ssdpm_sim_free(struct ssdpm_sim *sim);

/**
 * ssdpm_estimate() - all of it in one call
 * @ret_sim: finished: ssdpm_sim_get_result() has the outcome. Free it with
 *           ssdpm_sim_free()
 *
 * Return: as ssdpm_sim_new(), ssdpm_sim_feed(), ssdpm_sim_finish().
 */
SSDPM_API int ssdpm_estimate(const struct ssdpm_model *model,
			     const struct ssdpm_sim_params *params,
			     const struct ssdpm_io *ios, size_t n,
			     struct ssdpm_sim **ret_sim,
			     struct ssdpm_error *reterr);

/**
 * struct ssdpm_saving - what one policy saves against another (frozen)
 * @low_nj, @nominal_nj, @high_nj: energy of the one minus that of the other
 * @low_uw, @nominal_uw, @high_uw: likewise mean power
 *
 * For the same work over the same time. low and high are the least and the most
 * over all powers that the drive can have. Where times are not known, they
 * enclose what is possible, as those of struct ssdpm_result. The powers are the
 * same under both policies, and in the closed loop so are idle times: what both
 * have in common counts for neither.
 */
struct ssdpm_saving {
	int64_t low_nj;
	int64_t nominal_nj;
	int64_t high_nj;
	int64_t low_uw;
	int64_t nominal_uw;
	int64_t high_uw;
};

/**
 * ssdpm_sim_get_saving() - compare two simulations that are finished
 * @from: the one
 * @to:   the other
 *
 * Where one ends before the other, it is taken to go on idling until then.
 *
 * Return: 0; -EINVAL (one is not finished, their parameters or operational
 * states differ), -ERANGE (a difference beyond 64 bits).
 */
SSDPM_API int ssdpm_sim_get_saving(const struct ssdpm_sim *from,
				   const struct ssdpm_sim *to,
				   struct ssdpm_saving *ret_saving,
				   struct ssdpm_error *reterr);

/**
 * ssdpm_parameter_kind_to_string() - "idle_power_uw" and so on: the name has
 * the unit; or NULL
 */
SSDPM_API const char *ssdpm_parameter_kind_to_string(uint32_t kind);
SSDPM_API uint32_t ssdpm_parameter_kind_from_string(const char *word);

/** ssdpm_axis_to_string() - "idle-power" and so on, or NULL */
SSDPM_API const char *ssdpm_axis_to_string(uint32_t axis);
SSDPM_API uint32_t ssdpm_axis_from_string(const char *word);

/** ssdpm_loop_to_string() - "closed", "open", or NULL */
SSDPM_API const char *ssdpm_loop_to_string(uint32_t loop);
SSDPM_API uint32_t ssdpm_loop_from_string(const char *word);

/** ssdpm_phase_to_string() - "busy", "idle" and so on, or NULL */
SSDPM_API const char *ssdpm_phase_to_string(uint32_t phase);
SSDPM_API uint32_t ssdpm_phase_from_string(const char *word);

/** ssdpm_sim_flag_to_string() - "idle-from-start", or NULL */
SSDPM_API const char *ssdpm_sim_flag_to_string(uint32_t flag);
SSDPM_API uint32_t ssdpm_sim_flag_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
