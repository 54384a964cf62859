/* SPDX-License-Identifier: MIT */
/*
 * The estimate: what a policy costs and saves on a workload.
 *
 *     model + policy + workload -> energy, time in each state, added latency
 *
 * This stage is pure. Time is exact, in whole nanoseconds; energy is summed
 * exactly from it once, at the end. What is not known of a drive has a low, a
 * nominal and a high value, and so has every result. The semantics of the
 * simulation are in ssdpm(7), the rules for what is not known in
 * ssdpm_estimate(3).
 */
#ifndef SSDPM_ESTIMATE_H
#define SSDPM_ESTIMATE_H

#include <ssdpm/base.h>
#include <ssdpm/model.h>
#include <ssdpm/policy.h>
#include <ssdpm/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a simulation has to know of a drive; the index says of which. */
enum ssdpm_parameter_kind {
	/* Of a state, by its number: uW when nothing is to do. */
	SSDPM_PARAMETER_IDLE_POWER = 1,
	/* By op - 1: uW while such an I/O keeps the drive busy. */
	SSDPM_PARAMETER_ACTIVE_POWER = 2,
	/* uW while the drive enters or leaves a state; index 0. */
	SSDPM_PARAMETER_TRANSITION_POWER = 3,
	/* uW that the link adds in non-operational states; index 0. */
	SSDPM_PARAMETER_LINK_POWER = 4,
	/* Of a state, by its number: us. */
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
	 * collection; index 0. What that takes is part of the byte's energy. */
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

/** More than a drive of 32 states has. */
#define SSDPM_MAX_PARAMETERS 160

/**
 * ssdpm_parameters_from_model() - what is known and what is assumed of a drive
 * @pcie_link:      enum ssdpm_pcie_link; 0: unknown, and then the power of the
 *                  link is a range, from that of the best to that of the worst;
 *                  it does not matter for SATA
 * @ret_parameters: room for SSDPM_MAX_PARAMETERS
 * @ret_n:          how many were filled, sorted by kind and index
 *
 * The rules, each with its evidence, are in ssdpm_estimate(3).
 *
 * Return: 0; -EINVAL (@pcie_link), -ENODATA (a SATA drive of which no state is
 * known).
 */
SSDPM_API int ssdpm_parameters_from_model(
	const struct ssdpm_model *model, uint32_t pcie_link,
	struct ssdpm_parameter ret_parameters[SSDPM_MAX_PARAMETERS],
	size_t *ret_n, struct ssdpm_error *reterr);

/**
 * ssdpm_parameters_set() - override one
 * @parameters: from ssdpm_parameters_from_model()
 * @n:          how many
 * @kind:       enum ssdpm_parameter_kind
 * @index:      state, op - 1, or 0
 * @low, @nominal, @high: in the unit of the kind; all the same: it is certain
 *
 * Its provenance is then SSDPM_PROVENANCE_STATED.
 *
 * Return: 0; -ENOENT (the drive has no such parameter), -EINVAL (not in order),
 * -ERANGE (beyond what the kind can have).
 */
SSDPM_API int ssdpm_parameters_set(struct ssdpm_parameter *parameters, size_t n,
				   uint32_t kind, uint32_t index, uint64_t low,
				   uint64_t nominal, uint64_t high,
				   struct ssdpm_error *reterr);

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
	/* idle_ms counts from the start of idle and not, as NVMe has it, from
	 * the end of the entry into the state; some firmware does so. */
	SSDPM_SIM_IDLE_FROM_START = 1 << 0,
};

/**
 * struct ssdpm_sim_params - what to simulate (sized parameters)
 * @size:         sizeof(struct ssdpm_sim_params)
 * @parameters:   what to take for known; NULL: ssdpm_parameters_from_model().
 *                Copied, like all that is pointed to here
 * @n_parameters: how many
 * @apst:         NVMe: the table that the drive has, or NULL: it never sleeps
 * @lpm:          SATA: enum ssdpm_lpm; 0 and SSDPM_LPM_KEEP_FIRMWARE_SETTINGS:
 *                unknown, and then a range from SSDPM_LPM_MIN_POWER to
 *                SSDPM_LPM_MAX_PERFORMANCE, which is nominal; it moves along
 *                SSDPM_AXIS_LINK_IDLE_TIME. The ends of the energy hold; a
 *                saving against it can be higher than its range, unless the
 *                timers of the link are stated
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
 * struct ssdpm_run - the outcome of one run (frozen)
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
	uint64_t duration_ns;
	uint64_t busy_ns;
	uint64_t idle_ns;
	uint64_t entry_ns;
	uint64_t exit_ns;
	uint64_t energy_nj;
	uint64_t transition_nj;
	uint64_t mean_power_uw;
	uint64_t busy_ns_by_op[SSDPM_N_OPS];
	uint64_t n_ios[SSDPM_N_OPS];
	uint64_t bytes[SSDPM_N_OPS];
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

/** What is not known moves together along these axes. */
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

/** Number of axes; the index of one is axis - 1. */
#define SSDPM_N_AXES 7

/** A corner for each combination of low and high, and the nominal one. */
#define SSDPM_MAX_CORNERS (1 + (1 << SSDPM_N_AXES))

/**
 * struct ssdpm_result - an estimate with its bounds (sized result)
 * @size:       sizeof(struct ssdpm_result), set by the caller
 * @nominal:    every parameter at its nominal value
 * @low, @high: member by member the minimum and the maximum over all corners
 *              and the nominal run
 * @assumed_nj: nominal energy whose power is assumed
 * @axes:       bits 1 << (axis - 1): those on which something is not known
 * @n_corners:  how many corners were run, the nominal one too
 * @widest_axis: enum ssdpm_axis: which of them, alone, moves the energy most;
 *              0: nothing does
 * @reserved:   0
 * @axis_low_nj, @axis_high_nj: by axis - 1: the least and most energy when only
 *              this axis leaves its nominal value
 */
struct ssdpm_result {
	size_t size;
	struct ssdpm_run nominal;
	struct ssdpm_run low;
	struct ssdpm_run high;
	uint64_t assumed_nj;
	uint32_t axes;
	uint32_t n_corners;
	uint32_t widest_axis;
	uint32_t reserved;
	uint64_t axis_low_nj[SSDPM_N_AXES];
	uint64_t axis_high_nj[SSDPM_N_AXES];
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
 * Return: 0; -EINVAL (a table that ssdpm_apst_validate() refuses, a policy of
 * the other kind of drive, an operational state that is none, parameters that
 * are missing or twice), -ENODATA (a power or latency that nothing says and no
 * rule gives: @reterr says which option gives it), -E2BIG (@params), -ENOMEM.
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
 * @ret_result: its size member is set by the caller
 *
 * Return: 0; -ENODATA (no record), -ERANGE (a time, an energy or a delay beyond
 * 64 bits), -EINVAL (finished before, or size was never set), -E2BIG (size is
 * longer than this library knows), -ENOMEM (as before); or as ssdpm_sim_feed()
 * failed before.
 */
SSDPM_API int ssdpm_sim_finish(struct ssdpm_sim *sim, uint64_t end_ns,
			       struct ssdpm_result *ret_result,
			       struct ssdpm_error *reterr);

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
 * @ret_counts: by ssdpm_histogram_bucket() of the added latency
 *
 * I/Os without one are in bucket 0. All zero before ssdpm_sim_finish().
 */
SSDPM_API void ssdpm_sim_get_delays(
	const struct ssdpm_sim *sim,
	uint64_t ret_counts[SSDPM_HISTOGRAM_BUCKETS]);

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
 *
 * Return: as ssdpm_sim_new(), ssdpm_sim_feed(), ssdpm_sim_finish().
 */
SSDPM_API int ssdpm_estimate(const struct ssdpm_model *model,
			     const struct ssdpm_sim_params *params,
			     const struct ssdpm_io *ios, size_t n,
			     struct ssdpm_result *ret_result,
			     struct ssdpm_error *reterr);

/**
 * struct ssdpm_saving - what one policy saves against another (frozen)
 * @low_nj, @nominal_nj, @high_nj: energy of the one minus that of the other
 * @low_uw, @nominal_uw, @high_uw: likewise mean power
 *
 * Both are taken at the same corner; low and high are the least and the most
 * over all corners and the nominal one. Two intervals are never subtracted.
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
 * Return: 0; -EINVAL (one is not finished, their parameters or operational
 * states differ), -ERANGE (a difference beyond 64 bits).
 */
SSDPM_API int ssdpm_sim_get_saving(const struct ssdpm_sim *from,
				   const struct ssdpm_sim *to,
				   struct ssdpm_saving *ret_saving,
				   struct ssdpm_error *reterr);

struct ssdpm_gaps;

/**
 * ssdpm_gaps_new() - collect the idle times of a trace, for many policies
 * @service:  for records without a service time, or NULL: they take no time
 * @ret_gaps: let it go with ssdpm_gaps_unref()
 *
 * In the closed loop a policy's cost depends on the idle times alone. This
 * holds them sorted, with their sums: 16 bytes for each idle time, as much for
 * each I/O that starts before the first completion of its busy period, and for
 * each idle time that a continued record ends.
 *
 * Return: 0, -ENOMEM.
 */
SSDPM_API int ssdpm_gaps_new(const struct ssdpm_service *service,
			     struct ssdpm_gaps **ret_gaps,
			     struct ssdpm_error *reterr);

/**
 * ssdpm_gaps_feed() - the next records
 *
 * Return: as ssdpm_sim_feed(); -EINVAL after ssdpm_gaps_finish().
 */
SSDPM_API int ssdpm_gaps_feed(struct ssdpm_gaps *gaps,
			      const struct ssdpm_io *ios, size_t n,
			      struct ssdpm_error *reterr);

/**
 * ssdpm_gaps_finish() - no more records; from here on @gaps never changes
 * @end_ns: as for ssdpm_sim_finish()
 *
 * Return: 0; -ENODATA (no record), -EINVAL (finished before), -ENOMEM; where a
 * record was refused, that failure again.
 */
SSDPM_API int ssdpm_gaps_finish(struct ssdpm_gaps *gaps, uint64_t end_ns,
				struct ssdpm_error *reterr);

/** ssdpm_gaps_ref() - keep it; thread-safe. Return: @gaps. */
SSDPM_API struct ssdpm_gaps *ssdpm_gaps_ref(struct ssdpm_gaps *gaps);

/** ssdpm_gaps_unref() - let it go; thread-safe. Return: NULL. */
SSDPM_API struct ssdpm_gaps *ssdpm_gaps_unref(struct ssdpm_gaps *gaps);

/**
 * ssdpm_gaps_get_idle_ns() - the idle times before I/Os, in ascending order
 *
 * Return: an array borrowed from @gaps; NULL before ssdpm_gaps_finish().
 */
SSDPM_API const uint64_t *ssdpm_gaps_get_idle_ns(const struct ssdpm_gaps *gaps,
						 size_t *ret_n);

/**
 * ssdpm_gaps_to_data() - all that is known of them, as bytes
 * @gaps:     finished
 * @ret_data: free() it
 * @ret_size: how many bytes
 *
 * The same idle times are the same bytes on every machine: 8 for each idle time
 * and for each that a continued record ends, 16 for each I/O that starts before
 * the first completion of its busy period, and 152 more.
 *
 * Return: 0; -EINVAL (@gaps is not finished), -ENOMEM.
 */
SSDPM_API int ssdpm_gaps_to_data(const struct ssdpm_gaps *gaps, void **ret_data,
				 size_t *ret_size, struct ssdpm_error *reterr);

/**
 * ssdpm_gaps_from_data() - the other way round
 * @data:     from ssdpm_gaps_to_data(), of any machine; anything else is
 *            refused, and so is what no trace could have led to
 * @size:     how many bytes
 * @ret_gaps: finished; let it go with ssdpm_gaps_unref()
 *
 * It answers everything as the one that was written.
 *
 * Return: 0; -EINVAL (@data), -ENOMEM.
 */
SSDPM_API int ssdpm_gaps_from_data(const void *data, size_t size,
				   struct ssdpm_gaps **ret_gaps,
				   struct ssdpm_error *reterr);

/**
 * ssdpm_gaps_sweep() - the nominal run of many tables, closed loop
 * @params:   as for ssdpm_sim_new(); its table and intervals are not read
 * @tables:   the tables
 * @n_tables: how many
 * @ret_runs: room for as many
 *
 * Equal in every member to ssdpm_run.nominal of ssdpm_estimate(), but that
 * quantiles are exact.
 *
 * Return: as ssdpm_sim_new() and ssdpm_sim_finish(); -EINVAL too where the loop
 * is open, the drive is not NVMe, or @gaps is not finished. A failure leaves
 * all of @ret_runs as it was.
 */
SSDPM_API int ssdpm_gaps_sweep(const struct ssdpm_gaps *gaps,
			       const struct ssdpm_model *model,
			       const struct ssdpm_sim_params *params,
			       const struct ssdpm_apst *tables, size_t n_tables,
			       struct ssdpm_run *ret_runs,
			       struct ssdpm_error *reterr);

/**
 * ssdpm_gaps_clairvoyant() - the least energy that a table could ever reach
 * @ret_run: what somebody who knows the end of each idle time would do: the
 *           cheapest of staying awake and of going at once to one state; of
 *           equal ones that with less delay
 *
 * It has the same exit latencies to wait for as a table, and pays for all of an
 * entry, however short the idle time is. The energy of a table minus this one
 * is its regret. It is at least 0 where the transition power is at least that
 * of every state, and no state draws more than those before it; otherwise a
 * table that enters several states can cost less.
 *
 * Return: as ssdpm_gaps_sweep().
 */
SSDPM_API int ssdpm_gaps_clairvoyant(const struct ssdpm_gaps *gaps,
				     const struct ssdpm_model *model,
				     const struct ssdpm_sim_params *params,
				     struct ssdpm_run *ret_run,
				     struct ssdpm_error *reterr);

/** Bits of ssdpm_bounds.flags. */
enum ssdpm_bounds_flag {
	/* Latency is worth power: what keeps the bounds may take more. */
	SSDPM_BOUNDS_MAY_COST = 1 << 0,
};

/**
 * struct ssdpm_bounds - what a table may cost (sized parameters)
 * @size:                sizeof(struct ssdpm_bounds)
 * @max_delay_mean_ns:   over all I/Os; UINT64_MAX: no bound, as below
 * @max_delay_p99_ns:    no more than floor(N/100) of N I/Os are delayed by more
 * @max_exit_latency_us: of every state that is used
 * @max_states:          how many states may be used: 1 or 2 is exact; more,
 *                       up to 31, is a search with a gap; 0: 2
 * @quirks:              bits of enum ssdpm_quirk, as for ssdpm_apst_generate()
 * @flags:               bits of enum ssdpm_bounds_flag; read by
 *                       ssdpm_recommend()
 * @reserved:            0
 */
struct ssdpm_bounds {
	size_t size;
	uint64_t max_delay_mean_ns;
	uint64_t max_delay_p99_ns;
	uint64_t max_exit_latency_us;
	uint32_t max_states;
	uint32_t quirks;
	uint32_t flags;
	uint32_t reserved;
};

/**
 * ssdpm_gaps_best_table() - the static table of least energy under a bound
 * @params:        as for ssdpm_gaps_sweep()
 * @bounds:        the bounds, or NULL: none
 * @ret_table:     the table; one without entries where nothing saves, and not
 *                 enabled where the drive has no APST or a quirk forbids it.
 *                 States that it does not lead to go on like those above them
 * @ret_run:       its nominal run, or NULL
 * @ret_energy_bound_nj: no table with up to max_states states costs less, or
 *                 NULL; the energy of @ret_run where the search was exact
 *
 * Closed loop, nominal energy in exact integers, idle times in whole
 * milliseconds. Of tables with the same energy the one with less delay, then
 * with longer idle times (the first that differs counts; none is the longest),
 * then with shallower states. How it searches is in ssdpm_estimate(3).
 *
 * Return: as ssdpm_gaps_sweep(); -EINVAL (max_states above 31, an unknown
 * quirk), -E2BIG (@bounds).
 */
SSDPM_API int ssdpm_gaps_best_table(const struct ssdpm_gaps *gaps,
				    const struct ssdpm_model *model,
				    const struct ssdpm_sim_params *params,
				    const struct ssdpm_bounds *bounds,
				    struct ssdpm_apst *ret_table,
				    struct ssdpm_run *ret_run,
				    uint64_t *ret_energy_bound_nj,
				    struct ssdpm_error *reterr);

/** How a setting reaches the drive. */
enum ssdpm_route {
	/* The latency limit alone: pm_qos_latency_tolerance_us. */
	SSDPM_ROUTE_LATENCY_LIMIT = 1,
	/* The parameters apst_* of nvme_core, and the limit. */
	SSDPM_ROUTE_NVME_CORE = 2,
	/* A table by Set Features 0Ch; Linux 6.12.110 and later refuse it. */
	SSDPM_ROUTE_RAW_TABLE = 3,
};

/** What to do with the best setting of a route. */
enum ssdpm_advice {
	/* Set it: it saves, or SSDPM_BOUNDS_MAY_COST asked for latency. */
	SSDPM_ADVICE_SET = 1,
	/* Leave all as it is: the drive does the same today. */
	SSDPM_ADVICE_KEEP = 2,
	/* Leave all as it is: what keeps the bounds takes more power. */
	SSDPM_ADVICE_COSTS = 3,
	/* No setting of this route keeps the bounds. */
	SSDPM_ADVICE_NONE = 4,
};

/**
 * struct ssdpm_recommendation - the best that a route reaches (frozen)
 * @route:     enum ssdpm_route
 * @possible:  1; 0: no setting of this route keeps the bounds
 * @advice:    enum ssdpm_advice
 * @today_keeps_bounds: 1: the table of today does
 * @apst:      the table that the drive will have
 * @limit_us:  latency limit to set (the first two routes)
 * @primary_timeout_ms: SSDPM_ROUTE_NVME_CORE: what to set
 * apst_primary_timeout_ms of nvme_core to; likewise the next three
 * @primary_latency_tolerance_us: apst_primary_latency_tol_us
 * @secondary_timeout_ms: apst_secondary_timeout_ms
 * @secondary_latency_tolerance_us: apst_secondary_latency_tol_us
 * @run:       its nominal run
 * @saving:    against the table that @from of ssdpm_recommend() is
 */
struct ssdpm_recommendation {
	uint32_t route;
	uint32_t possible;
	uint32_t advice;
	uint32_t today_keeps_bounds;
	struct ssdpm_apst apst;
	uint64_t limit_us;
	uint64_t primary_timeout_ms;
	uint64_t primary_latency_tolerance_us;
	uint64_t secondary_timeout_ms;
	uint64_t secondary_latency_tolerance_us;
	struct ssdpm_run run;
	struct ssdpm_saving saving;
};

/** Number of routes. */
#define SSDPM_N_ROUTES 3

/**
 * ssdpm_gaps_get_default_bounds() - what a recommendation may cost if nobody
 *                                   says
 * @params: as for ssdpm_gaps_sweep()
 * @quirks: bits of enum ssdpm_quirk, as for ssdpm_apst_generate()
 * @ret_bounds: its size member is set by the caller
 *
 * All delays together last for at most 1 % of the time of the workload, and one
 * I/O in 100 may wait for more than 25 ms; or what the table that Linux makes
 * by default costs, where that is more. So work takes at most a hundredth
 * longer and few I/Os wait for more than a disk takes to seek, and the default
 * of Linux is always within the bounds. The mean is that time by the number of
 * I/Os, rounded up. There is no bound for exit latencies.
 *
 * Return: as ssdpm_gaps_sweep(); -EINVAL, -E2BIG (size of @ret_bounds).
 */
SSDPM_API int ssdpm_gaps_get_default_bounds(
	const struct ssdpm_gaps *gaps, const struct ssdpm_model *model,
	const struct ssdpm_sim_params *params, uint32_t quirks,
	struct ssdpm_bounds *ret_bounds, struct ssdpm_error *reterr);

/**
 * ssdpm_recommend() - the best setting that each route reaches
 * @params: as for ssdpm_gaps_sweep()
 * @bounds: what it may cost; NULL: ssdpm_gaps_get_default_bounds() without
 *          quirks
 * @from:   the table of today, which the saving is against; NULL: that of Linux
 *          with its defaults and the quirks of @bounds
 * @ret_recommendations: one for each route, in their order
 *
 * Return: as ssdpm_gaps_best_table().
 */
SSDPM_API int ssdpm_recommend(
	const struct ssdpm_gaps *gaps, const struct ssdpm_model *model,
	const struct ssdpm_sim_params *params,
	const struct ssdpm_bounds *bounds, const struct ssdpm_apst *from,
	struct ssdpm_recommendation ret_recommendations[SSDPM_N_ROUTES],
	struct ssdpm_error *reterr);

/* Sustained writes: what garbage collection adds to them. */

/**
 * enum ssdpm_wa_formula - write amplification of uniform random writes
 *
 * The spare factor is the share of the flash that holds no data: spare area by
 * all of it. Each is good for a garbage collection that erases...
 */
enum ssdpm_wa_formula {
	/* ...any block: 1 / spare factor. */
	SSDPM_WA_RANDOM = 1,
	/* ...the block written longest ago (Xiang and Kurkoski 2012; as LRW:
	 * Desnoyers 2014). What greedy comes to with large blocks. */
	SSDPM_WA_FIFO = 2,
	/* ...the block with the fewest valid pages (Desnoyers 2014). */
	SSDPM_WA_GREEDY = 3,
	/* ...the same, older and too optimistic (Agarwal and Marrow 2010). */
	SSDPM_WA_AGARWAL = 4,
};

/**
 * ssdpm_wa_calculate() - write amplification by a formula
 * @formula:         enum ssdpm_wa_formula
 * @spare_factor:    above 0, below 1: of 512 GiB of flash that hold 476 GiB of
 *                   data, 0.07. What parity takes is not spare: take it off
 * @pages_per_block: of SSDPM_WA_GREEDY; 2 to 65536. Others do not read it
 * @ret_wa:          pages programmed by pages that the host wrote, 1 or more
 *
 * Return: 0; -EINVAL (@formula), -ERANGE (@spare_factor, @pages_per_block, or
 * where the formula is not valid: Agarwal's is below 1, greedy's below 1 or
 * above the pages of a block).
 */
SSDPM_API int ssdpm_wa_calculate(uint32_t formula, double spare_factor,
				 uint32_t pages_per_block, double *ret_wa,
				 struct ssdpm_error *reterr);

/** More classes than people tell apart. */
#define SSDPM_MAX_WRITE_CLASSES 16

/**
 * struct ssdpm_write_class - addresses that are written alike (frozen, 16
 * bytes)
 * @address_share: of all addresses, above 0
 * @write_share:   of all writes: 0.2 and 0.8 are the hot addresses of 80/20
 */
struct ssdpm_write_class {
	double address_share;
	double write_share;
};

/**
 * ssdpm_wa_calculate_classes() - write amplification where some is hotter
 * @spare_factor: as for ssdpm_wa_calculate()
 * @classes:      their shares of addresses come to 1, and those of writes
 * @n_classes:    1 to SSDPM_MAX_WRITE_CLASSES
 * @ret_wa:       of SSDPM_WA_FIFO, with one stream of writes for all classes
 *
 * Return: 0; -ERANGE (@spare_factor), -EINVAL (shares below 0, or that do not
 * come to 1).
 */
SSDPM_API int ssdpm_wa_calculate_classes(
	double spare_factor, const struct ssdpm_write_class *classes,
	size_t n_classes, double *ret_wa, struct ssdpm_error *reterr);

/**
 * ssdpm_spare_factor_trim() - the spare factor that TRIM makes
 * @spare_factor:     without TRIM
 * @trim_share:       of requests that are TRIM, below 0.5; the others write
 * @ret_spare_factor: with it, for any of the formulas
 *
 * Source: Frankie, Hughes and Kreutz-Delgado 2012: of the addresses a share of
 * (1 - 2q) / (1 - q) is in use.
 *
 * Return: 0; -ERANGE.
 */
SSDPM_API int ssdpm_spare_factor_trim(double spare_factor, double trim_share,
				      double *ret_spare_factor,
				      struct ssdpm_error *reterr);

/**
 * struct ssdpm_nand - what bytes cost inside of a drive (sized parameters)
 * @size:       sizeof(struct ssdpm_nand)
 * @link_pj:    pJ for each byte of the host
 * @program_pj: pJ for each byte that is programmed
 * @read_pj:    pJ for each byte that is read to be moved
 * @erase_pj:   pJ for each byte of a block that is erased
 * @program_bytes_per_s: of all flash together; 0: without limit
 * @read_bytes_per_s: likewise
 */
struct ssdpm_nand {
	size_t size;
	double link_pj;
	double program_pj;
	double read_pj;
	double erase_pj;
	double program_bytes_per_s;
	double read_bytes_per_s;
};

/**
 * struct ssdpm_write_cost - of each byte that the host writes (frozen, 16
 * bytes)
 * @byte_pj:     link + WA (program + erase) + (WA - 1) read
 * @bytes_per_s: that the flash keeps up with: 1 / (WA / program +
 *               (WA - 1) / read); infinite: no limit was given
 */
struct ssdpm_write_cost {
	double byte_pj;
	double bytes_per_s;
};

/**
 * ssdpm_write_cost_calculate() - what write amplification does to a byte
 * @wa: 1 or more
 *
 * Return: 0; -EINVAL (numbers below 0 or not finite, @wa below 1), -E2BIG.
 */
SSDPM_API int ssdpm_write_cost_calculate(const struct ssdpm_nand *nand,
					 double wa,
					 struct ssdpm_write_cost *ret_cost,
					 struct ssdpm_error *reterr);

/**
 * struct ssdpm_sustained_writes - writes to a drive without erased flash (sized
 * parameters)
 * @size:         sizeof(struct ssdpm_sustained_writes)
 * @spare_factor: as for ssdpm_wa_calculate()
 * @measured_wa:  write amplification at which what is known of writes was
 *                measured; 0: 1, as it is on erased flash and in sequence
 * @operational_state: the state in which the drive works
 * @reserved:     0
 */
struct ssdpm_sustained_writes {
	size_t size;
	double spare_factor;
	double measured_wa;
	uint32_t operational_state;
	uint32_t reserved;
};

/**
 * struct ssdpm_background_work - the work behind the writes of the host
 * (frozen, 56 bytes)
 * @low_wa, @nominal_wa, @high_wa: write amplification: 1, as in sequence; even
 *               writes (SSDPM_WA_FIFO); any block is collected
 * @low_ps_per_byte, @nominal_ps_per_byte, @high_ps_per_byte: time that the
 *               drive works for each byte of the host after it has that
 * @power_uw:    that it takes all in all while it does so; nominal
 */
struct ssdpm_background_work {
	double low_wa;
	double nominal_wa;
	double high_wa;
	uint64_t low_ps_per_byte;
	uint64_t nominal_ps_per_byte;
	uint64_t high_ps_per_byte;
	uint64_t power_uw;
};

/**
 * ssdpm_parameters_set_spare() - a drive whose spare factor is known
 * @model:      the drive; what it says of its maximum power is a bound
 * @parameters: all else is as it should be: from ssdpm_parameters_from_model(),
 *              ssdpm_parameters_calibrate(), ssdpm_parameters_set()
 * @n:          how many
 * @writes:     what is known
 * @ret_background: what is behind it, or NULL
 *
 * Each byte that is written makes work of its own: SSDPM_PARAMETER_BACKGROUND_
 * TIME is how long that takes, and what it takes above an idle drive is added
 * to the energy of the byte. While it goes on, the drive takes no more than the
 * maximum power of the state in which it works, or if that is not known than
 * I/Os take at most. ssdpm_estimate(3) has the formula, and what is assumed
 * where only a sum is known: the provenance of both is then
 * SSDPM_PROVENANCE_ASSUMED. The time that an I/O takes stays as it is.
 *
 * Return: 0; -ERANGE (the spare factor is not above 0 and below 1, or so small
 * that the work is beyond what a parameter can have; @measured_wa; a bandwidth
 * of 0 says nothing of time), -EINVAL (@parameters are not of this drive,
 * which has no such state or does not work in it), -E2BIG.
 */
SSDPM_API int ssdpm_parameters_set_spare(
	const struct ssdpm_model *model, struct ssdpm_parameter *parameters,
	size_t n, const struct ssdpm_sustained_writes *writes,
	struct ssdpm_background_work *ret_background,
	struct ssdpm_error *reterr);

/** Which block is erased next: struct ssdpm_ftl_params.collector. */
enum ssdpm_ftl_collector {
	SSDPM_FTL_GREEDY = 1,  /* with the fewest valid pages */
	SSDPM_FTL_FIFO = 2,    /* the one written longest ago */
	SSDPM_FTL_CHOICES = 3, /* the best of a few random ones */
};

/**
 * struct ssdpm_ftl_params - a drive with a page map (sized parameters)
 * @size:            sizeof(struct ssdpm_ftl_params)
 * @seed:            of its random numbers: the same seed, the same result
 * @n_user_pages:    that the host can write
 * @n_blocks:        of flash, spare ones too
 * @pages_per_block: 2 to 65536; a page is what the map maps, 4 KiB
 * @reserve_blocks:  erased ones that are kept ready; 0: 1
 * @collector:       enum ssdpm_ftl_collector
 * @choices:         of SSDPM_FTL_CHOICES, how many; 1: any block
 * @reserved:        0
 */
struct ssdpm_ftl_params {
	size_t size;
	uint64_t seed;
	uint64_t n_user_pages;
	uint32_t n_blocks;
	uint32_t pages_per_block;
	uint32_t reserve_blocks;
	uint32_t collector;
	uint32_t choices;
	uint32_t reserved;
};

/**
 * struct ssdpm_ftl_counts - what a simulated drive did (sized result)
 * @size:          set by the caller
 * @n_written:     pages that the host wrote
 * @n_trimmed:     pages that it gave back, those that held no data too
 * @n_moved:       valid pages that garbage collection wrote again
 * @n_erased:      blocks
 * @n_mapped:      pages that hold data now
 * @n_free_blocks: erased now
 * @reserved:      0
 *
 * Write amplification is (@n_written + @n_moved) / @n_written, of the
 * difference of two counts.
 */
struct ssdpm_ftl_counts {
	size_t size;
	uint64_t n_written;
	uint64_t n_trimmed;
	uint64_t n_moved;
	uint64_t n_erased;
	uint64_t n_mapped;
	uint32_t n_free_blocks;
	uint32_t reserved;
};

struct ssdpm_ftl;

/**
 * ssdpm_ftl_new() - an erased drive
 * @ret_ftl: free it with ssdpm_ftl_free(); 8 bytes for each page of flash and
 *           less than 32 for each block
 *
 * Return: 0; -EINVAL, -ERANGE (more than 2^32 - 2 pages of flash; spare blocks
 * for less than the reserve, the block being written and one to collect),
 * -E2BIG, -ENOMEM.
 */
SSDPM_API int ssdpm_ftl_new(const struct ssdpm_ftl_params *params,
			    struct ssdpm_ftl **ret_ftl,
			    struct ssdpm_error *reterr);

/** ssdpm_ftl_free() - @ftl may be NULL. Return: NULL. */
SSDPM_API struct ssdpm_ftl *ssdpm_ftl_free(struct ssdpm_ftl *ftl);

/**
 * ssdpm_ftl_write() - the host writes pages, one after the other
 * @first_page: of the host's
 * @n_pages:    how many
 *
 * Return: 0; -ERANGE (beyond the pages of the host; nothing was written).
 */
SSDPM_API int ssdpm_ftl_write(struct ssdpm_ftl *ftl, uint64_t first_page,
			      uint64_t n_pages, struct ssdpm_error *reterr);

/**
 * ssdpm_ftl_trim() - the host gives pages back
 *
 * Return: as ssdpm_ftl_write().
 */
SSDPM_API int ssdpm_ftl_trim(struct ssdpm_ftl *ftl, uint64_t first_page,
			     uint64_t n_pages, struct ssdpm_error *reterr);

/**
 * ssdpm_ftl_feed() - the writes and discards of a trace
 * @ios:        the next records, any number at a time
 * @n:          how many
 * @page_bytes: of a page
 *
 * A write of a part of a page writes all of it, as a drive does that maps
 * pages; a discard gives back the pages that it covers. Reads and flushes do
 * nothing, and times are not looked at.
 *
 * Return: 0; -ERANGE (a write or discard beyond the pages of the host: @reterr
 * has the number of the record, counted from the first one fed; what was
 * before it is done), -EINVAL (an unknown operation, likewise; @page_bytes).
 */
SSDPM_API int ssdpm_ftl_feed(struct ssdpm_ftl *ftl, const struct ssdpm_io *ios,
			     size_t n, uint32_t page_bytes,
			     struct ssdpm_error *reterr);

/** Where a pattern writes: struct ssdpm_ftl_pattern.order. */
enum ssdpm_ftl_order {
	SSDPM_FTL_SEQUENTIAL = 1, /* and from the begin again */
	SSDPM_FTL_UNIFORM = 2,	  /* any page */
	SSDPM_FTL_CLASSES = 3,	  /* any page of a class, by its share */
};

/**
 * struct ssdpm_ftl_pattern - writes of one page each (sized parameters)
 * @size:       sizeof(struct ssdpm_ftl_pattern)
 * @first_page: where it begins
 * @n_pages:    that it writes to; 0: to the end
 * @n_classes:  1 to SSDPM_MAX_WRITE_CLASSES
 * @order:      enum ssdpm_ftl_order
 * @classes:    of SSDPM_FTL_CLASSES, from the begin of the pages on
 */
struct ssdpm_ftl_pattern {
	size_t size;
	uint64_t first_page;
	uint64_t n_pages;
	uint32_t n_classes;
	uint32_t order;
	const struct ssdpm_write_class *classes;
};

/**
 * ssdpm_ftl_write_pattern() - the host writes by a pattern
 * @n_writes: how many pages
 *
 * A sequential pattern goes on where the last one of the same pages ended.
 *
 * Return: 0; -EINVAL (@pattern), -ERANGE (beyond the pages of the host).
 */
SSDPM_API int ssdpm_ftl_write_pattern(struct ssdpm_ftl *ftl,
				      const struct ssdpm_ftl_pattern *pattern,
				      uint64_t n_writes,
				      struct ssdpm_error *reterr);

/**
 * ssdpm_ftl_get_counts() - what it did so far
 * @ret_counts: its size member is set by the caller
 *
 * Return: 0; -EINVAL, -E2BIG.
 */
SSDPM_API int ssdpm_ftl_get_counts(const struct ssdpm_ftl *ftl,
				   struct ssdpm_ftl_counts *ret_counts,
				   struct ssdpm_error *reterr);

/**
 * struct ssdpm_ftl_cost - what the work of a simulated drive takes (sized
 * parameters)
 * @size:        sizeof(struct ssdpm_ftl_cost)
 * @host_ns:     the least time between two pages of the host: link, commands,
 *               queue depth; above 0
 * @program_ns:  of a page, all flash working side by side
 * @read_ns:     of a page that is moved, likewise
 * @erase_ns:    of a block
 * @buffer_ns:   work that the drive may be behind before the host waits; 0:
 *               that of one block that is collected
 * @host_nj:     for each page of the host
 * @program_nj:  for each page programmed
 * @read_nj:     for each page moved
 * @erase_nj:    for each block
 * @idle_uw:     at all times
 * @cache_pages: of a cache in front, which takes writes until it is full. Then
 *               each write first moves the oldest page of the cache to where
 *               it belongs. 0: none
 * @cache_ns, @cache_nj: to program a page of the cache
 * @background_uw: on top, while the drive moves what was there before: valid
 *               pages of a block that it collects, the oldest of a full cache
 */
struct ssdpm_ftl_cost {
	size_t size;
	uint64_t host_ns;
	uint64_t program_ns;
	uint64_t read_ns;
	uint64_t erase_ns;
	uint64_t buffer_ns;
	uint64_t host_nj;
	uint64_t program_nj;
	uint64_t read_nj;
	uint64_t erase_nj;
	uint64_t idle_uw;
	uint64_t cache_pages;
	uint64_t cache_ns;
	uint64_t cache_nj;
	uint64_t background_uw;
};

/**
 * struct ssdpm_ftl_second - one second of a run (frozen, 40 bytes)
 * @n_written:     pages of the host
 * @n_programmed:  for these, those of the cache too: by @n_written it is the
 *                 write amplification of the second
 * @n_erased:      blocks
 * @background_ns: work to move what was there before. All work counts where
 *                 the host handed over the page that it is for, and may be more
 *                 than a second
 * @power_w:       mean power; NaN where the costs have no power or energy
 */
struct ssdpm_ftl_second {
	uint64_t n_written;
	uint64_t n_programmed;
	uint64_t n_erased;
	uint64_t background_ns;
	double power_w;
};

/**
 * ssdpm_ftl_run() - writes at full speed, second by second
 * @pattern:     as for ssdpm_ftl_write_pattern()
 * @cost:        up to 10^9 ns and 10^12 nJ each
 * @n_seconds:   how long
 * @ret_seconds: room for @n_seconds
 *
 * A run begins with an empty cache, whose pages are in their places after it.
 * The host never pauses: a drive in idle would empty its cache.
 *
 * Return: 0; as ssdpm_ftl_write_pattern(), -EINVAL (@cost), -ENOMEM.
 */
SSDPM_API int ssdpm_ftl_run(struct ssdpm_ftl *ftl,
			    const struct ssdpm_ftl_pattern *pattern,
			    const struct ssdpm_ftl_cost *cost, size_t n_seconds,
			    struct ssdpm_ftl_second *ret_seconds,
			    struct ssdpm_error *reterr);

/* Power caps: what a drive reaches that may draw only so much. */

/** cap_uw: the drive may draw what it wants. */
#define SSDPM_CAP_NONE UINT64_MAX

/** Streams of one mix. */
#define SSDPM_MAX_CAP_STREAMS 4

/**
 * struct ssdpm_span - a number and its bounds (frozen, 24 bytes)
 * @low, @nominal, @high: in the unit of the member that it is; all three are
 *                        the same where it is known
 */
struct ssdpm_span {
	double low;
	double nominal;
	double high;
};

/** What may be known: bits of struct ssdpm_cap_stream and ssdpm_cap_params. */
enum ssdpm_cap_field {
	SSDPM_CAP_INTERFACE = 1 << 0,
	SSDPM_CAP_NAND = 1 << 1,
	SSDPM_CAP_ACTIVE_POWER = 1 << 2,
	SSDPM_CAP_OPERATION_ENERGY = 1 << 3,
	SSDPM_CAP_BYTE_ENERGY = 1 << 4,
	SSDPM_CAP_IDLE_POWER = 1 << 5,
	SSDPM_CAP_MAX_POWER = 1 << 6,
};

/**
 * struct ssdpm_cap_stream - I/Os of one kind: what they reach, what they cost
 * (frozen, 152 bytes)
 * @op:        SSDPM_OP_READ or SSDPM_OP_WRITE
 * @known:     bits of enum ssdpm_cap_field: which spans have a value
 * @assumed:   of these, which rest on an assumption
 * @io_bytes:  of each I/O; read where energy of operations is known
 * @share:     of all bytes of the mix; those of all streams come to 1
 * @write_amplification: bytes programmed by bytes written, 1 or more; 0: it is
 *             in the numbers already, or not known
 * @interface_bytes_per_s: the most that the link and the controller carry
 * @nand_bytes_per_s: the most that the flash does, without amplification
 * @active_uw: while such I/Os alone keep the drive as busy as it can be, with
 *             the idle power, without the next two
 * @operation_nj: of each I/O, on top of the active power
 * @byte_pj:   of each byte, on top of the active power
 *
 * Random and sequential I/Os are different streams where they reach or cost
 * different things.
 */
struct ssdpm_cap_stream {
	uint32_t op;
	uint32_t known;
	uint32_t assumed;
	uint32_t io_bytes;
	double share;
	double write_amplification;
	struct ssdpm_span interface_bytes_per_s;
	struct ssdpm_span nand_bytes_per_s;
	struct ssdpm_span active_uw;
	struct ssdpm_span operation_nj;
	struct ssdpm_span byte_pj;
};

/**
 * struct ssdpm_cap_params - a drive under a cap (sized parameters)
 * @size:      sizeof(struct ssdpm_cap_params)
 * @cap_uw:    that it may draw, above 0; SSDPM_CAP_NONE
 * @streams:   what it does, all at a time
 * @n_streams: 1 to SSDPM_MAX_CAP_STREAMS
 * @nand:      what bytes cost inside of it, or NULL. Where it is given, a
 *             stream of writes with an amplification takes energy and
 *             throughput of the flash from it, by ssdpm_write_cost_calculate(),
 *             and its own are not read
 * @known:     SSDPM_CAP_IDLE_POWER (needed), SSDPM_CAP_MAX_POWER
 * @assumed:   of these, which rest on an assumption
 * @idle_uw:   with nothing to do, ready to work
 * @max_uw:    the most that it draws without a cap: MP of state 0
 */
struct ssdpm_cap_params {
	size_t size;
	uint64_t cap_uw;
	const struct ssdpm_cap_stream *streams;
	size_t n_streams;
	const struct ssdpm_nand *nand;
	uint32_t known;
	uint32_t assumed;
	struct ssdpm_span idle_uw;
	struct ssdpm_span max_uw;
};

/** What keeps a drive from more. */
enum ssdpm_cap_limit {
	SSDPM_CAP_LIMIT_INTERFACE = 1,
	SSDPM_CAP_LIMIT_NAND = 2,
	SSDPM_CAP_LIMIT_POWER = 3,
};

/**
 * struct ssdpm_cap_result - what a drive reaches under a cap (sized result)
 * @size:        set by the caller
 * @bytes_per_s: of all streams together
 * @uncapped_bytes_per_s: likewise without the cap
 * @loss_share:  1 - the one by the other, at the same corner; NaN where nothing
 *               says what it reaches without the cap
 * @power_uw:    mean
 * @p99_power_uw: not exceeded 99 % of the time, streams taken one by one
 * @max_power_uw: the most: that of the costliest stream, or @max_uw
 * @limit:       enum ssdpm_cap_limit, of the nominal values
 * @assumed:     bits of enum ssdpm_cap_field that rest on an assumption
 *
 * No power is above the cap.
 */
struct ssdpm_cap_result {
	size_t size;
	struct ssdpm_span bytes_per_s;
	struct ssdpm_span uncapped_bytes_per_s;
	struct ssdpm_span loss_share;
	struct ssdpm_span power_uw;
	struct ssdpm_span p99_power_uw;
	struct ssdpm_span max_power_uw;
	uint32_t limit;
	uint32_t assumed;
};

/**
 * ssdpm_cap_calculate() - throughput under a cap
 * @ret_result: its size member is set by the caller
 *
 * The least of what the interface carries, what the flash does, and
 *
 *     (cap - idle) / (energy of a byte + energy of an I/O / its size)
 *
 * where the active power over the idle one, by the throughput, is energy of
 * bytes. Streams share the drive one after the other, as transfers do in a
 * simulation. Where neither an active power nor an energy is known, a stream is
 * assumed to cost nothing (low) to @max_uw at its full throughput (nominal and
 * high). Bounds are those over all combinations of bounds.
 *
 * Return: 0; -ENODATA (the idle power; a stream without energy and throughput:
 * @reterr says what to give), -EINVAL (numbers, shares), -ERANGE (the cap is
 * below the least idle power), -E2BIG.
 */
SSDPM_API int ssdpm_cap_calculate(const struct ssdpm_cap_params *params,
				  struct ssdpm_cap_result *ret_result,
				  struct ssdpm_error *reterr);

/**
 * ssdpm_cap_params_from_model() - what is known of a drive in a power state
 * @model:        the drive
 * @parameters:   of it, from ssdpm_parameters_from_model(), with what was
 *                measured put in by ssdpm_parameters_calibrate()
 * @n_parameters: how many
 * @state:        an operational one
 * @streams:      their op, share, io_bytes and write_amplification say what
 *                they are; what they know stays, the rest of the spans is
 *                filled
 * @n_streams:    1 to SSDPM_MAX_CAP_STREAMS
 * @ret_params:   its size member is set by the caller. The cap is the maximum
 *                power of @state; where the drive does not report it,
 *                SSDPM_CAP_NONE. @streams is borrowed
 *
 * Energies are those of state 0: a cap makes a drive slower, not I/Os cheaper.
 * Of writes whose active power is assumed, the nominal one is the high one: a
 * maximum power is what writes at full throughput take.
 *
 * Return: 0; -EINVAL (the state, @parameters, a stream), -E2BIG.
 */
SSDPM_API int ssdpm_cap_params_from_model(
	const struct ssdpm_model *model,
	const struct ssdpm_parameter *parameters, size_t n_parameters,
	uint32_t state, struct ssdpm_cap_stream *streams, size_t n_streams,
	struct ssdpm_cap_params *ret_params, struct ssdpm_error *reterr);

/** Points of one timeline. */
#define SSDPM_MAX_CAP_POINTS (1 << 24)

/**
 * struct ssdpm_cap_segment - a time under one cap (frozen, 24 bytes)
 * @duration_ns: how long, above 0
 * @cap_uw:      as in struct ssdpm_cap_params
 * @transition_ns: of that, how long the drive takes to change to it and does
 *                 nothing else: between power states up to EXLAT of the one
 *                 before and ENLAT of this one; 0: no time
 */
struct ssdpm_cap_segment {
	uint64_t duration_ns;
	uint64_t cap_uw;
	uint64_t transition_ns;
};

/**
 * struct ssdpm_cap_point - a piece of a timeline (frozen, 80 bytes)
 * @start_ns:    counted from the begin
 * @duration_ns: how long
 * @cap_uw:      the lowest cap in it
 * @limit:       enum ssdpm_cap_limit, of the longest part; of equal ones the
 *               first. Of a trace: SSDPM_CAP_LIMIT_POWER where the cap made an
 *               I/O longer, otherwise 0
 * @reserved:    0
 * @bytes_per_s: mean throughput
 * @power_uw:    mean power
 */
struct ssdpm_cap_point {
	uint64_t start_ns;
	uint64_t duration_ns;
	uint64_t cap_uw;
	uint32_t limit;
	uint32_t reserved;
	struct ssdpm_span bytes_per_s;
	struct ssdpm_span power_uw;
};

/**
 * ssdpm_cap_timeline() - caps that change while a drive works
 * @params:      the drive and what it does; its cap is not read
 * @segments:    one cap after the other
 * @n_segments:  1 or more
 * @interval_ns: length of each point, the last one may be shorter; 0: a point
 *               for each segment
 * @ret_points:  room for @capacity; may be NULL where that is 0
 * @ret_n:       how many there are, which may be more than @capacity: then the
 *               first ones were written
 *
 * A new cap holds once its transition is over, in which the drive is idle.
 *
 * Return: 0; as ssdpm_cap_calculate(), with the number of the segment; -EINVAL
 * (no segment, one without duration), -ERANGE (more than 2^64 ns, or more
 * points than SSDPM_MAX_CAP_POINTS).
 */
SSDPM_API int ssdpm_cap_timeline(const struct ssdpm_cap_params *params,
				 const struct ssdpm_cap_segment *segments,
				 size_t n_segments, uint64_t interval_ns,
				 struct ssdpm_cap_point *ret_points,
				 size_t capacity, size_t *ret_n,
				 struct ssdpm_error *reterr);

/**
 * struct ssdpm_cap_run - a trace under caps (sized result)
 * @size:          set by the caller
 * @duration_ns:   nominal, as in struct ssdpm_run
 * @uncapped_duration_ns: likewise in state 0, without the cap
 * @interval_ns:   what the next quantiles are taken over: a second, or the
 *                 65536th part of a longer trace
 * @n_ios:         continued records not counted
 * @n_slowed:      of these, whose service the cap made longer
 * @delay_mean_ns: by how much, over all I/Os; nominal, as the next two. Other
 *                 than in struct ssdpm_run, time to wake is not in it
 * @delay_p99_ns:  as exact as quantiles of struct ssdpm_run
 * @delay_max_ns:  the largest
 * @loss_share:    of the throughput: 1 - uncapped by capped duration; least and
 *                 most over the corners
 * @power_uw:      mean; likewise the next three
 * @p99_power_uw:  of all whole intervals, by nearest rank; of fewer than 100,
 *                 the most
 * @max_power_uw:  of all whole intervals, and of all of it
 * @uncapped_power_uw: mean, in state 0 and without the cap
 */
struct ssdpm_cap_run {
	size_t size;
	uint64_t duration_ns;
	uint64_t uncapped_duration_ns;
	uint64_t interval_ns;
	uint64_t n_ios;
	uint64_t n_slowed;
	uint64_t delay_mean_ns;
	uint64_t delay_p99_ns;
	uint64_t delay_max_ns;
	struct ssdpm_span loss_share;
	struct ssdpm_span power_uw;
	struct ssdpm_span p99_power_uw;
	struct ssdpm_span max_power_uw;
	struct ssdpm_span uncapped_power_uw;
};

/**
 * ssdpm_cap_simulate() - a trace under a cap, or under caps that change
 * @params:     as for ssdpm_sim_new(), with the state whose idle power the
 *              drive has under all caps; intervals are not read
 * @segments:   one cap after the other, from the first I/O on, on the clock of
 *              the simulation, which all delays move. The last one lasts as
 *              long as the trace: its duration is not read
 * @n_segments: 1 or more
 * @ios:        the trace, sorted
 * @n:          how many
 * @ret_run:    its size member is set by the caller
 * @ret_points: what comes of each segment, @n_segments of them, or NULL.
 *              Segments that the trace does not come to have no duration
 *
 * What an I/O takes over idle power is spent no faster than the cap allows that
 * holds when the drive takes it up: it then takes longer. Closed loop:
 * everything later moves; open loop: what comes meanwhile waits. What is not
 * spent may be within 10 ms of the same busy period. The trace that comes of it
 * goes through a simulation, whose other powers are not above the least cap.
 * How it does so is in ssdpm_estimate(3).
 *
 * Return: 0; as ssdpm_estimate(); -EINVAL (no segment, one without duration or
 * cap), -ERANGE too where an I/O takes over 4.29 s under the cap, or in the
 * open loop waits for that long: the drive does not keep up.
 */
SSDPM_API int ssdpm_cap_simulate(const struct ssdpm_model *model,
				 const struct ssdpm_sim_params *params,
				 const struct ssdpm_cap_segment *segments,
				 size_t n_segments, const struct ssdpm_io *ios,
				 size_t n, struct ssdpm_cap_run *ret_run,
				 struct ssdpm_cap_point *ret_points,
				 struct ssdpm_error *reterr);

/* Power budgets: one state for each of many drives. */

/** Limits of a budget. */
#define SSDPM_BUDGET_MAX_ITEMS 65536
#define SSDPM_BUDGET_MAX_OPTIONS 256
#define SSDPM_BUDGET_MAX (UINT64_C(1) << 40)

/**
 * struct ssdpm_budget_option - a state that a drive may be in (frozen, 16
 * bytes)
 * @power_uw: that it is counted with; up to SSDPM_BUDGET_MAX
 * @loss:     what is lost in it, weighted, in any unit that all options share;
 *            up to SSDPM_BUDGET_MAX
 */
struct ssdpm_budget_option {
	uint64_t power_uw;
	uint64_t loss;
};

/**
 * struct ssdpm_budget_answer - the states with the least loss (sized result)
 * @size:       set by the caller
 * @power_uw:   of all states that were chosen, within the budget
 * @loss:       of all of them: no choice within the budget has less, if @exact
 * @bound_loss: of the relaxed problem, rounded up: a proof that is easy to
 *              check that nothing has less; most often just below @loss. It is
 *              where the line of ssdpm_budget_get_frontier() is at the budget,
 *              down to the next multiple of what all powers differ by
 * @n_examined: combinations that were looked at to close the rest
 * @exact:      1. 0: thousands of choices that are as good as each other, and
 *              2^23 combinations of them did not tell: something may have less
 *              than @loss, but nothing less than @bound_loss
 * @reserved:   0
 */
struct ssdpm_budget_answer {
	size_t size;
	uint64_t power_uw;
	uint64_t loss;
	uint64_t bound_loss;
	uint64_t n_examined;
	uint32_t exact;
	uint32_t reserved;
};

/**
 * ssdpm_budget_solve() - one option for each item, least loss within a budget
 * @options:     of the first item, then of the second, and so on
 * @n_options:   of each item, 1 to SSDPM_BUDGET_MAX_OPTIONS
 * @n_items:     drives, or cards of several that have one state together; 1 to
 *               SSDPM_BUDGET_MAX_ITEMS
 * @budget_uw:   that their powers may come to
 * @ret_choices: of each item, from 0 on; room for @n_items; or NULL
 * @ret_answer:  its size member is set by the caller
 *
 * Exact, in whole microwatts: the multiple-choice knapsack problem, by its
 * linear relaxation, reduced costs, and lists of undominated combinations
 * (Kellerer, Pferschy and Pisinger, Knapsack Problems, 2004, chapter 11). Its
 * work is bounded, to seconds and a few hundred megabytes: beyond that the
 * answer says that it is not @exact.
 *
 * Return: 0; -ENOSPC (the lowest states do not fit: the message has their sum),
 * -EINVAL (numbers), -E2BIG (@ret_answer), -ENOMEM.
 */
SSDPM_API int ssdpm_budget_solve(const struct ssdpm_budget_option *options,
				 const uint32_t *n_options, size_t n_items,
				 uint64_t budget_uw, uint32_t *ret_choices,
				 struct ssdpm_budget_answer *ret_answer,
				 struct ssdpm_error *reterr);

/**
 * ssdpm_budget_get_frontier() - what each watt buys
 * @ret_points: sums of power and loss, from the least power on; room for
 *              @capacity; may be NULL where that is 0
 * @ret_n:      how many there are, which may be more than @capacity: then the
 *              first ones were written
 *
 * Each point is the answer for a budget of its power, and from one to the next
 * one drive changes its state; the answer for a budget between two has no less
 * loss than the line between them. The marginal loss per watt falls from point
 * to point.
 *
 * Return: 0; as ssdpm_budget_solve().
 */
SSDPM_API int ssdpm_budget_get_frontier(
	const struct ssdpm_budget_option *options, const uint32_t *n_options,
	size_t n_items, struct ssdpm_budget_option *ret_points, size_t capacity,
	size_t *ret_n, struct ssdpm_error *reterr);

/**
 * ssdpm_parameter_kind_to_string() - "idle_power_uw" and so on: the name has
 * the unit; or NULL
 */
SSDPM_API const char *ssdpm_parameter_kind_to_string(uint32_t kind);

/** ssdpm_axis_to_string() - "idle-power" and so on, or NULL */
SSDPM_API const char *ssdpm_axis_to_string(uint32_t axis);

/** ssdpm_loop_to_string() - "closed", "open", or NULL */
SSDPM_API const char *ssdpm_loop_to_string(uint32_t loop);

/** ssdpm_phase_to_string() - "busy", "idle" and so on, or NULL */
SSDPM_API const char *ssdpm_phase_to_string(uint32_t phase);

/** ssdpm_cap_limit_to_string() - "interface", "nand", "power", or NULL */
SSDPM_API const char *ssdpm_cap_limit_to_string(uint32_t limit);

/** ssdpm_advice_to_string() - "set", "keep", "costs", "none", or NULL */
SSDPM_API const char *ssdpm_advice_to_string(uint32_t advice);

/** ssdpm_route_to_string() - "latency-limit" and so on, or NULL */
SSDPM_API const char *ssdpm_route_to_string(uint32_t route);

#ifdef __cplusplus
}
#endif

#endif
