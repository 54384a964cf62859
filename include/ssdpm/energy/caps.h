/* SPDX-License-Identifier: MIT */
/*
 * Power caps.
 *
 *     a cap + model + streams -> throughput, latency, energy
 *
 * See ssdpm_caps(3).
 */
#ifndef SSDPM_CAPS_H
#define SSDPM_CAPS_H

#include <ssdpm/energy/estimate.h>

#ifdef __cplusplus
extern "C" {
#endif

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
 * simulation. Where neither an active power nor an energy is known, the cost of
 * a stream is assumed. It is nothing (low), or @max_uw at its full throughput
 * (nominal and high). Bounds are those over all combinations of bounds.
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
 * @sim:          its parameters, with what was measured put in by
 *                ssdpm_parameters_calibrate(), and the operational state are
 *                read; NULL: the defaults
 * @streams:      their op, share, io_bytes and write_amplification say what
 *                they are; what they know stays, the rest of the spans is
 *                filled
 * @n_streams:    1 to SSDPM_MAX_CAP_STREAMS
 * @ret_params:   its size member is set by the caller. The cap is the maximum
 *                power of the state; where the drive does not report it,
 *                SSDPM_CAP_NONE. @streams is borrowed
 *
 * Energies are those of state 0: a cap makes a drive slower, not I/Os cheaper.
 * If the active power of writes is assumed, its nominal value is the high one:
 * a maximum power is what writes at full throughput take.
 *
 * Return: 0; -EINVAL (the state, the parameters, a stream), -E2BIG.
 */
SSDPM_API int ssdpm_cap_params_from_model(const struct ssdpm_model *model,
					  const struct ssdpm_sim_params *sim,
					  struct ssdpm_cap_stream *streams,
					  size_t n_streams,
					  struct ssdpm_cap_params *ret_params,
					  struct ssdpm_error *reterr);

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
 * ssdpm_cap_segment_set_state() - a power state as a cap
 * @segment: its @duration_ns stays
 * @model:   of the drive
 * @before:  the power state before; UINT32_MAX: none, or not known
 * @state:   in which the drive works: the cap is its reported maximum power.
 *           The change to it takes EXLAT of @before and ENLAT of @state, which
 *           are the most; one that is not reported counts as 0
 *
 * Source: NVM Express Base Specification 2.1, Identify Controller, Power State
 * Descriptor: MP, ENLAT, EXLAT.
 *
 * Return: 0; -ENOENT (no state, or none in which it works), -ENODATA (it
 * reports no maximum power of the state).
 */
SSDPM_API int ssdpm_cap_segment_set_state(struct ssdpm_cap_segment *segment,
					  const struct ssdpm_model *model,
					  uint32_t before, uint32_t state,
					  struct ssdpm_error *reterr);

/**
 * struct ssdpm_cap_point - a piece of a timeline (frozen, 80 bytes)
 * @start_ns:    counted from the begin
 * @duration_ns: how long
 * @cap_uw:      the lowest cap in it
 * @limit:       enum ssdpm_cap_limit, of the longest part, and of equal ones
 *               the first. A trace has SSDPM_CAP_LIMIT_POWER where the cap made
 *               an I/O longer, otherwise 0
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
 * struct ssdpm_cap_schedule - caps that change, and a trace (sized parameters)
 * @size:        sizeof(struct ssdpm_cap_schedule)
 * @segments:    one cap after the other
 * @n_segments:  1 or more
 * @interval_ns: ssdpm_cap_timeline(): length of each point, the last one may be
 *               shorter; 0: a point for each segment
 * @ios:         ssdpm_cap_simulate(): the trace, sorted
 * @n_ios:       how many
 */
struct ssdpm_cap_schedule {
	size_t size;
	const struct ssdpm_cap_segment *segments;
	size_t n_segments;
	uint64_t interval_ns;
	const struct ssdpm_io *ios;
	size_t n_ios;
};

/**
 * ssdpm_cap_timeline() - caps that change while a drive works
 * @params:      the drive and what it does; its cap is not read
 * @schedule:    the caps; its trace is not read
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
				 const struct ssdpm_cap_schedule *schedule,
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
 * @schedule:   the trace and the caps, from the first I/O on, on the clock of
 *              the simulation, which all delays move. The last one lasts as
 *              long as the trace: its duration is not read
 * @ret_run:    its size member is set by the caller
 * @ret_points: what comes of each segment, as many as these, or NULL.
 *              Segments that the trace does not come to have no duration
 *
 * An I/O takes energy beyond idle power. The cap that holds when the drive
 * takes it up limits how fast that is spent, so that the I/O takes longer.
 * Closed loop: everything later moves; open loop: what comes meanwhile waits.
 * An unspent rest may be used within 10 ms of the same busy period. The trace
 * that comes of it goes through a simulation, whose other powers are not above
 * the least cap. How it does so is in ssdpm_caps(3).
 *
 * Return: 0; as ssdpm_estimate(); -EINVAL (no segment, one without duration or
 * cap), -ERANGE too (an I/O takes over 4.29 s under the cap, or waits for that
 * long in the open loop: the drive is too slow).
 */
SSDPM_API int ssdpm_cap_simulate(const struct ssdpm_model *model,
				 const struct ssdpm_sim_params *params,
				 const struct ssdpm_cap_schedule *schedule,
				 struct ssdpm_cap_run *ret_run,
				 struct ssdpm_cap_point *ret_points,
				 struct ssdpm_error *reterr);

/** ssdpm_cap_limit_to_string() - "interface", "nand", "power", or NULL */
SSDPM_API const char *ssdpm_cap_limit_to_string(uint32_t limit);
SSDPM_API uint32_t ssdpm_cap_limit_from_string(const char *word);

/** ssdpm_cap_field_to_string() - "interface", "active-power", or NULL */
SSDPM_API const char *ssdpm_cap_field_to_string(uint32_t field);
SSDPM_API uint32_t ssdpm_cap_field_from_string(const char *word);

/** The forms of drives whose power governor is known. */
enum ssdpm_governor_form {
	SSDPM_GOVERNOR_PCIE = 1,    /* Intel DC P3700 and its family: x4, U.2 */
	SSDPM_GOVERNOR_PCIE_X8 = 2, /* a card with two drives on it */
	SSDPM_GOVERNOR_SATA = 3,    /* Intel DC S3x00 */
};

/**
 * struct ssdpm_governor_mode - what a drive may take in a mode (frozen, 16
 *                              bytes)
 * @mode:       from 0 on, as the vendor's tool and nvme-cli count
 * @is_limited: 1: @power_uw says how much; 0: there is no limit
 * @power_uw:   a mean; of SATA in mode 1 what is typical
 *
 * A mode of an NVMe drive is a power state: see ssdpm_plan_add_power_state().
 * To set that of a SATA drive, use the vendor's tool.
 */
struct ssdpm_governor_mode {
	uint32_t mode;
	uint32_t is_limited;
	uint64_t power_uw;
};

/**
 * ssdpm_governor_get_modes() - the modes of a form of drive, as published
 * @form:  enum ssdpm_governor_form
 * @ret_n: how many
 *
 * From Intel's article on the power of data-centre SSDs; their provenance is
 * SSDPM_PROVENANCE_CATALOGUE. Never freed. Return: the modes, mode 0 first;
 * NULL with 0 of them: @form is none.
 */
SSDPM_API const struct ssdpm_governor_mode *ssdpm_governor_get_modes(
	uint32_t form, size_t *ret_n);

/** ssdpm_governor_form_to_string() - "pcie", "pcie-x8", "sata", or NULL */
SSDPM_API const char *ssdpm_governor_form_to_string(uint32_t form);
SSDPM_API uint32_t ssdpm_governor_form_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
