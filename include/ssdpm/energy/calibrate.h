/* SPDX-License-Identifier: MIT */
/*
 * Calibration: from the power and the I/Os of one run to the parameters of this
 * drive, and the file that keeps them.
 *
 *     samples + workload + model -> parameters of the drive
 *
 * See ssdpm_calibrate(3).
 */
#ifndef SSDPM_CALIBRATE_H
#define SSDPM_CALIBRATE_H

#include <ssdpm/base.h>
#include <ssdpm/model.h>
#include <ssdpm/energy/estimate.h>
#include <ssdpm/energy/measure.h>
#include <ssdpm/energy/power.h>
#include <ssdpm/energy/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ssdpm_calibrate_flag {
	/* Energy of each I/O, and of each byte, beside the active power. */
	SSDPM_CALIBRATE_OPERATION_ENERGY = 1 << 0,
	SSDPM_CALIBRATE_BYTE_ENERGY = 1 << 1,
};

/** What may be stated of a meter: bits of struct ssdpm_meter_traits. */
enum ssdpm_meter_trait {
	SSDPM_TRAIT_SAMPLING = 1 << 0,
	SSDPM_TRAIT_RESPONSE = 1 << 1,
	SSDPM_TRAIT_DRIFT = 1 << 2,
	SSDPM_TRAIT_GAIN = 1 << 3,
	SSDPM_TRAIT_CLOCK = 1 << 4,
};

/** The time that a sample is of. */
enum ssdpm_meter_sampling {
	SSDPM_SAMPLING_MEAN = 1,  /* the mean over the step around its time */
	SSDPM_SAMPLING_POINT = 2, /* the power at its time */
};

/**
 * struct ssdpm_meter_traits - what a meter makes of power (frozen, 32 bytes)
 * @known:       bits of enum ssdpm_meter_trait: what is stated. A result has
 *               the other members as the data show, and the gain as assumed
 * @sampling:    enum ssdpm_meter_sampling
 * @response_ns: time constant of a low pass of first order; 0: none
 * @drift_uw:    how far its zero walks at random from the first sample to the
 *               last: the standard deviation; 0: it does not
 * @gain_ppm:    what it shows is within so many millionths of the power
 * @clock_ppb:   its clock is slow by so many billionths: a step is longer by
 *               that than its times say
 */
struct ssdpm_meter_traits {
	uint32_t known;
	uint32_t sampling;
	uint64_t response_ns;
	uint64_t drift_uw;
	uint32_t gain_ppm;
	int32_t clock_ppb;
};

/** The gain that is assumed if a meter's is not stated: 5 %, the tolerance of
 * the resistor with which uFLIP measured SSDs (2010). */
#define SSDPM_GAIN_ASSUMED_PPM 50000

/**
 * struct ssdpm_calibrate_params - how to calibrate (sized parameters)
 * @size:          sizeof(struct ssdpm_calibrate_params)
 * @offset_ns:     add it to the time of a sample for that of the I/Os
 * @max_offset_ns: look for a better one up to this far from it; 0: it is exact
 * @bin_ns:        length of the steps of time that are compared, in whole
 *                 samples: it is rounded; 0: that of the samples, or so many of
 *                 them that there are 4096 at most
 * @flags:         bits of enum ssdpm_calibrate_flag
 * @reserved:      0
 * @ios:           the I/Os, each with its service time: one that wakes the
 * drive takes as much longer as the drive takes to wake
 * @n_ios:         how many
 * @samples:       the power
 * @meter:         what is known of the meter; the rest is found in the data,
 *                 but the gain: SSDPM_GAIN_ASSUMED_PPM
 */
struct ssdpm_calibrate_params {
	size_t size;
	int64_t offset_ns;
	uint64_t max_offset_ns;
	uint64_t bin_ns;
	uint32_t flags;
	uint32_t reserved;
	const struct ssdpm_io *ios;
	size_t n_ios;
	const struct ssdpm_samples *samples;
	struct ssdpm_meter_traits meter;
};

/**
 * ssdpm_calibrate_params_align() - where to look for an unknown offset
 * @params: its I/Os and samples are read; @offset_ns becomes what lets the
 *          first sample and the first I/O be at the same time, @max_offset_ns
 *          the length of the samples: further apart they have nothing in common
 *
 * Without an I/O or a sample nothing changes.
 *
 * Return: 0; -ERANGE (times beyond 2^62 ns), -EINVAL, -E2BIG (sizes; samples
 * that cannot be read).
 */
SSDPM_API int ssdpm_calibrate_params_align(
	struct ssdpm_calibrate_params *params, struct ssdpm_error *reterr);

/** What became of a parameter in a calibration. */
enum ssdpm_measured_status {
	SSDPM_MEASURED_KNOWN = 1,
	/* The drive was never in that state, or did no such work. */
	SSDPM_MEASURED_NOT_REACHED = 2,
	/* It cannot be told apart from something else in these data. */
	SSDPM_MEASURED_NOT_IDENTIFIABLE = 3,
	/* Fewer than 5 I/Os to tell it from. */
	SSDPM_MEASURED_TOO_FEW = 4,
	/* All of its interval is below 0, which nothing can have. */
	SSDPM_MEASURED_NEGATIVE = 5,
	/* The data contradict what it would rest on: see enum
	 * ssdpm_contradiction. */
	SSDPM_MEASURED_CONTRADICTED = 6,
};

/** Why a run is refused: what the data contradict. */
enum ssdpm_contradiction {
	SSDPM_CONTRADICTION_RESPONSE = 1, /* the stated response, or any */
	SSDPM_CONTRADICTION_SAMPLING = 2, /* what a sample is stated to be */
	SSDPM_CONTRADICTION_CLOCK = 3,	  /* the stated clock, or any near 1 */
	SSDPM_CONTRADICTION_DRIFT = 4,	  /* the stated drift */
	/* I/Os that wake the drive take no longer than others: their service
	 * times leave the wait out. */
	SSDPM_CONTRADICTION_WAIT = 5,
	/* The powers of the second half of the run are others. */
	SSDPM_CONTRADICTION_HALVES = 6,
	/* Power rises and falls at other times than the I/Os say, and no
	 * response explains it. */
	SSDPM_CONTRADICTION_EDGES = 7,
	/* The residuals are not the noise that the intervals rest on. */
	SSDPM_CONTRADICTION_NOISE = 8,
	/* The power depends on the number or the size of I/Os, whose energies
	 * nobody asked for. */
	SSDPM_CONTRADICTION_ENERGY = 9,
};

/**
 * struct ssdpm_measured - a parameter, as measured (frozen, 208 bytes)
 * @kind:     enum ssdpm_parameter_kind
 * @index:    state, op - 1, or 0
 * @status:   enum ssdpm_measured_status
 * @exceeds:  1: an exit latency of which even @low is above what was stated
 * @n:        steps of time with some of it, or I/Os
 * @low, @nominal, @high: in the unit of its kind: the interval of 95 % and what
 *            is in its middle, none of them below 0; NaN: not measured
 * @stated:   what the drive declares; or else the most that the parameters of
 *            before say
 * @reason:   one line: why it is not known, or what exceeds what
 */
struct ssdpm_measured {
	uint32_t kind;
	uint32_t index;
	uint32_t status;
	uint32_t exceeds;
	uint64_t n;
	double low;
	double nominal;
	double high;
	double stated;
	char reason[152];
};

/**
 * struct ssdpm_calibration - how well a calibration fits (sized result)
 * @size:      set by the caller
 * @n_measured: parameters that were looked for
 * @n_known:   of these, SSDPM_MEASURED_KNOWN
 * @n_bins:    steps of time that were compared
 * @n_spikes:  steps that were left out, since nothing explains them
 * @bin_ns:    the length of a step
 * @offset_ns: of the clocks, as in struct ssdpm_calibrate_params
 * @offset_error_ns: half its interval of 95 %; 0 where it was given
 * @sigma_w:   of the noise of a step
 * @drift_w:   how much more the instrument shows at the end than at the begin
 * @noise_phi: how much of the noise that lasts is there a step later
 * @noise_share: the share of the noise's variance that lasts
 * @measured:  the parameters, sorted as parameters are: room that the caller
 *             gives, or NULL
 * @capacity:  for how many, set by the caller: SSDPM_MAX_PARAMETERS are enough
 * @meter:     what the intervals rest on: stated, found or assumed
 * @contradiction: enum ssdpm_contradiction: why the run is refused, and no
 *             parameter is known; 0: the data do not contradict its fit
 * @reserved:  0
 */
struct ssdpm_calibration {
	size_t size;
	uint64_t n_measured;
	uint64_t n_known;
	uint64_t n_bins;
	uint64_t n_spikes;
	uint64_t bin_ns;
	int64_t offset_ns;
	uint64_t offset_error_ns;
	double sigma_w;
	double drift_w;
	double noise_phi;
	double noise_share;
	struct ssdpm_measured *measured;
	size_t capacity;
	struct ssdpm_meter_traits meter;
	uint32_t contradiction;
	uint32_t reserved;
};

/**
 * ssdpm_calibrate() - what power and I/Os of one run say of a drive
 * @model:      the drive
 * @sim_params: the policy that was in force, and what is known before; its loop
 *              is not read; NULL: the drive never sleeps
 * @params:     the I/Os, the power, and how to compare them
 * @ret_calibration: the caller sets its size, and the room for what is measured
 *
 * Measures:
 * - the idle power of each state that was reached, with the link's power in it;
 * - the active power of each operation;
 * - the power of transitions;
 * - the exit latency of each state that I/Os woke the drive from;
 * - energies where @params asks for them.
 *
 * After the last I/O the drive is taken to idle to the end of the samples.
 * ssdpm_calibrate(3) has the method and tells how reliable it is.
 *
 * A run whose fit the data contradict is refused: contradiction of
 * @ret_calibration says why, and no parameter is known.
 *
 * Return: 0; -ENODATA (no I/O, an I/O without service time, fewer steps with
 * power than there is to find), -EDOM (nothing can be told apart, all samples
 * are the same, or power and I/Os are not of one run), -EINVAL, -E2BIG (sizes;
 * too little room; more than 2^22 steps), -ERANGE (times beyond 2^62 ns),
 * -ENOMEM; or as ssdpm_sim_new() and ssdpm_sim_feed().
 */
SSDPM_API int ssdpm_calibrate(const struct ssdpm_model *model,
			      const struct ssdpm_sim_params *sim_params,
			      const struct ssdpm_calibrate_params *params,
			      struct ssdpm_calibration *ret_calibration,
			      struct ssdpm_error *reterr);

/**
 * struct ssdpm_fitted_power - power over time, by a calibration (sized result)
 * @size:     set by the caller
 * @n:        steps of time
 * @begin_ns: when the first one begins, on the clock of the samples
 * @bin_ns:   the length of a step
 * @power_w:  the mean power of each step; NaN: not known. Room that the caller
 *            gives, or NULL: only the other members are found
 * @capacity: for how many steps, set by the caller
 */
struct ssdpm_fitted_power {
	size_t size;
	uint64_t n;
	int64_t begin_ns;
	uint64_t bin_ns;
	double *power_w;
	size_t capacity;
};

/**
 * ssdpm_calibration_get_fitted() - the power of a run, as a calibration
 *                                  explains it
 * @model, @sim_params, @params: as for ssdpm_calibrate(); the offset of the
 *               clocks and the length of a step are those of @calibration
 * @calibration: from ssdpm_calibrate() or ssdpm_overlay_from_json(), with what
 *               was measured
 * @ret_fitted:  its size, and the room for the power, are set by the caller
 *
 * Compare it with the samples to see what the calibration leaves unexplained. A
 * step is NaN if it begins before the first I/O. It is also NaN if the drive
 * spends any of it with something whose power was not measured. An exit latency
 * that was not measured is taken as stated.
 *
 * Return: 0; -EINVAL, -E2BIG (sizes; too little room; more than 2^22 steps),
 * -ENODATA, -EDOM, -ERANGE, -ENOMEM, as ssdpm_calibrate().
 */
SSDPM_API int ssdpm_calibration_get_fitted(
	const struct ssdpm_model *model,
	const struct ssdpm_sim_params *sim_params,
	const struct ssdpm_calibrate_params *params,
	const struct ssdpm_calibration *calibration,
	struct ssdpm_fitted_power *ret_fitted, struct ssdpm_error *reterr);

/**
 * ssdpm_parameters_calibrate() - replace assumptions by what was measured
 * @parameters:   from ssdpm_parameters_from_model()
 * @n_parameters: how many
 * @measured:     from ssdpm_calibrate()
 * @n_measured:   how many
 *
 * A value that is SSDPM_MEASURED_KNOWN becomes low, nominal and high with the
 * provenance SSDPM_PROVENANCE_MEASURED, rounded outwards. The rest stays, and
 * so does an assumed range that lies within what was measured. As measured idle
 * powers have the link's in them, its power becomes 0. It is added to the idle
 * power of the states asleep that were not measured.
 *
 * Return: 0; -ENOENT (the drive has no such parameter), -EINVAL (nothing is
 * known, and something is SSDPM_MEASURED_CONTRADICTED: the run is refused; or
 * as ssdpm_parameters_set()), -ERANGE (as that). After a failure @parameters
 * are as before.
 */
SSDPM_API int ssdpm_parameters_calibrate(struct ssdpm_parameter *parameters,
					 size_t n_parameters,
					 const struct ssdpm_measured *measured,
					 size_t n_measured,
					 struct ssdpm_error *reterr);

/** ssdpm_measured_status_to_string() - "known", "not-reached" and so on, or
 * NULL */
SSDPM_API const char *ssdpm_measured_status_to_string(uint32_t status);
SSDPM_API uint32_t ssdpm_measured_status_from_string(const char *word);

/* What was measured of a drive, kept: the overlay of its model. */

/**
 * struct ssdpm_overlay - what a calibration is of (sized)
 * @size:       sizeof(struct ssdpm_overlay), set by the caller
 * @n_samples:  of power
 * @n_ios:      of the trace
 * @kind:       enum ssdpm_kind
 * @pcie_link:  NVMe: enum ssdpm_pcie_link of the run: what that link takes is
 *              in the idle powers; 0: not known
 * @lpm:        SATA: enum ssdpm_lpm that was in force; 0: not known
 * @operational_state: the state in which the drive worked
 * @flags:      bits of enum ssdpm_sim_flag
 * @measured_wa_milli: write amplification of the run, in thousandths: 1000 or
 *              more, for struct ssdpm_sustained_writes; 0: nobody said
 * @product, @firmware: of the drive; "": not known. There is no place for a
 *              serial number
 * @policy:     what was in force, in words; "": not known
 * @power_name: of the file of the samples; "": there is none
 * @trace_name: likewise of the I/Os
 * @date:       of the run, in words; "": not known
 *
 * All texts are UTF-8 without control characters.
 */
struct ssdpm_overlay {
	size_t size;
	uint64_t n_samples;
	uint64_t n_ios;
	uint32_t kind;
	uint32_t pcie_link;
	uint32_t lpm;
	uint32_t operational_state;
	uint32_t flags;
	uint32_t measured_wa_milli;
	char product[41];
	char firmware[9];
	char policy[198];
	char power_name[256];
	char trace_name[256];
	char date[32];
};

/**
 * struct ssdpm_overlay_names - what only the caller knows of a run (sized
 * parameters)
 * @size:   sizeof(struct ssdpm_overlay_names)
 * @policy: what was in force, in words, or NULL; so are the others
 * @power_path: file of the samples: the overlay gets its name alone, because
 *          folders may say more than it is to say
 * @trace_path: likewise of the I/Os
 * @date:   of the run
 * @measured_wa_milli: as in struct ssdpm_overlay
 * @reserved: 0
 */
struct ssdpm_overlay_names {
	size_t size;
	const char *policy;
	const char *power_path;
	const char *trace_path;
	const char *date;
	uint32_t measured_wa_milli;
	uint32_t reserved;
};

/**
 * ssdpm_overlay_init() - what a calibration is of
 * @model, @sim_params, @params: as for ssdpm_calibrate()
 * @names: or NULL: nothing is known
 * @ret_overlay: its size member is set by the caller
 *
 * An I/O in several records counts once. Texts are cut where they do not fit,
 * between two characters, and pass through ssdpm_text_blunt().
 *
 * Return: 0; -EINVAL, -E2BIG (sizes; what is reserved).
 */
SSDPM_API int ssdpm_overlay_init(const struct ssdpm_model *model,
				 const struct ssdpm_sim_params *sim_params,
				 const struct ssdpm_calibrate_params *params,
				 const struct ssdpm_overlay_names *names,
				 struct ssdpm_overlay *ret_overlay,
				 struct ssdpm_error *reterr);

/**
 * ssdpm_overlay_to_json() - what was measured, as "ssdpm.overlay/1"
 * @overlay:     what it is of
 * @calibration: from ssdpm_calibrate()
 * @ret_text:    free() it
 *
 * See ssdpm-json(5). Values are whole numbers there: an interval is rounded
 * outwards, as ssdpm_parameters_calibrate() does, and so nothing that this
 * computes with is lost. An overlay that was written, read and written again is
 * the same text.
 *
 * Return: 0; -EINVAL (a text that is not UTF-8, has control characters or no
 * end; a value out of its order; an unknown word; unsound parameters), -ERANGE
 * (a value beyond 2^53), -E2BIG (a size), -ENOMEM.
 */
SSDPM_API int ssdpm_overlay_to_json(const struct ssdpm_overlay *overlay,
				    const struct ssdpm_calibration *calibration,
				    char **ret_text,
				    struct ssdpm_error *reterr);

/**
 * ssdpm_overlay_from_json() - the other way round
 * @text:            need not end in a zero byte
 * @size:            of @text
 * @ret_overlay:     its size member is set by the caller
 * @ret_calibration: as for ssdpm_calibrate()
 *
 * Keys that are unknown are left out; what is missing or null is not known.
 *
 * Return: 0; -EINVAL (no JSON, another schema, a value that cannot be),
 * -ERANGE (a value or text that is too large), -E2BIG (a size), -ENOMEM.
 */
SSDPM_API int ssdpm_overlay_from_json(const char *text, size_t size,
				      struct ssdpm_overlay *ret_overlay,
				      struct ssdpm_calibration *ret_calibration,
				      struct ssdpm_error *reterr);

/** Is an overlay of this drive? */
enum ssdpm_overlay_match {
	SSDPM_OVERLAY_SAME = 1, /* product and firmware are the same */
	/* The same product: most of it holds, but firmware changes powers. */
	SSDPM_OVERLAY_OTHER_FIRMWARE = 2,
	SSDPM_OVERLAY_UNKNOWN = 3, /* one of both does not say what it is of */
	SSDPM_OVERLAY_OTHER_DRIVE = 4, /* its powers are those of another one */
};

/**
 * ssdpm_overlay_match() - is an overlay of this drive?
 *
 * A firmware that only one of both states makes it SSDPM_OVERLAY_UNKNOWN, as
 * does a size of @overlay that other functions refuse.
 *
 * Return: enum ssdpm_overlay_match.
 */
SSDPM_API uint32_t ssdpm_overlay_match(const struct ssdpm_overlay *overlay,
				       const struct ssdpm_model *model);

/** ssdpm_meter_trait_to_string() - "sampling", "response" and so on, or NULL */
SSDPM_API const char *ssdpm_meter_trait_to_string(uint32_t trait);
SSDPM_API uint32_t ssdpm_meter_trait_from_string(const char *word);

/** ssdpm_meter_sampling_to_string() - "mean", "point", or NULL */
SSDPM_API const char *ssdpm_meter_sampling_to_string(uint32_t sampling);
SSDPM_API uint32_t ssdpm_meter_sampling_from_string(const char *word);

/** ssdpm_contradiction_to_string() - "response", "sampling" and so on, or NULL
 */
SSDPM_API const char *ssdpm_contradiction_to_string(uint32_t contradiction);
SSDPM_API uint32_t ssdpm_contradiction_from_string(const char *word);

/**
 * ssdpm_calibrate_flag_to_string() - "operation-energy", "byte-energy", or NULL
 */
SSDPM_API const char *ssdpm_calibrate_flag_to_string(uint32_t flag);
SSDPM_API uint32_t ssdpm_calibrate_flag_from_string(const char *word);

/**
 * ssdpm_overlay_match_to_string() - "same", "other-firmware" and so on, or NULL
 */
SSDPM_API const char *ssdpm_overlay_match_to_string(uint32_t match);
SSDPM_API uint32_t ssdpm_overlay_match_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
