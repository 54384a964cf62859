/* SPDX-License-Identifier: MIT */
/*
 * The measurement: from samples of power to energy, to what a drive does by
 * itself, and to a model that fits the drive at hand.
 *
 *     samples -> energy, baseline -> runs, tails, background work
 *     samples + workload + model  -> parameters of the drive
 *     samples of many policies    -> which one is best
 *
 * This stage is pure. Samples are doubles or floats in watts, so are results:
 * they come from an instrument, and none is exact. Times are whole nanoseconds.
 * What a signal cannot tell is refused with the reason, or has an interval. See
 * ssdpm_measure(3).
 */
#ifndef SSDPM_MEASURE_H
#define SSDPM_MEASURE_H

#include <ssdpm/base.h>
#include <ssdpm/model.h>
#include <ssdpm/policy.h>
#include <ssdpm/workload.h>
#include <ssdpm/estimate.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What struct ssdpm_samples.power points to. */
enum ssdpm_sample_type {
	SSDPM_SAMPLE_FLOAT32 = 1,
	SSDPM_SAMPLE_FLOAT64 = 2,
};

/**
 * struct ssdpm_samples - power over time: a view (frozen; nothing is owned)
 * @power_w:     @n values in watts, of @type
 * @time_ns:     the time of each, or NULL: one each @interval_ns
 * @n:           how many
 * @start_ns:    time of the first, read where @time_ns is NULL
 * @interval_ns: from one to the next, read there too: 1 or more, and not a
 * whole number for 48 kHz
 * @type:        enum ssdpm_sample_type
 * @reserved:    0
 */
struct ssdpm_samples {
	const void *power_w;
	const int64_t *time_ns;
	size_t n;
	int64_t start_ns;
	double interval_ns;
	uint32_t type;
	uint32_t reserved;
};

/** What is wrong with a signal, or may be: bits of ssdpm_energy.remarks. */
enum ssdpm_signal_remark {
	SSDPM_SIGNAL_NOT_FINITE = 1 << 0, /* NaN or infinite: left out */
	SSDPM_SIGNAL_NEGATIVE = 1 << 1,	  /* counted as they are */
	SSDPM_SIGNAL_CONSTANT = 1 << 2,	  /* all the same: is it connected? */
	/* Many at the largest value, and it is far from what is next to it. */
	SSDPM_SIGNAL_SATURATED = 1 << 3,
	SSDPM_SIGNAL_DUPLICATES = 1 << 4, /* of a time; the last one counts */
	SSDPM_SIGNAL_BACKWARDS = 1 << 5,  /* a clock that jumped back */
	SSDPM_SIGNAL_GAPS = 1 << 6,
};

/**
 * struct ssdpm_energy_params - how to integrate (sized parameters)
 * @size:       sizeof(struct ssdpm_energy_params)
 * @max_gap_ns: a longer step is a gap, over which no energy is counted; 0: ten
 *              times the median step of the first 4096 samples
 * @tolerance:  relative error of the instrument that is the same for all
 *              samples: 0.05 for a shunt of 5 %
 * @flags:      0
 * @reserved:   0
 */
struct ssdpm_energy_params {
	size_t size;
	uint64_t max_gap_ns;
	double tolerance;
	uint32_t flags;
	uint32_t reserved;
};

/**
 * struct ssdpm_energy - the energy of a signal (sized result)
 * @size:         set by the caller
 * @n:            samples
 * @n_not_finite: of these NaN or infinite, left out
 * @n_negative:   below 0
 * @n_duplicates: at the time of the one before
 * @n_backwards:  earlier than the one before: a new stretch begins
 * @n_gaps:       steps longer than max_gap_ns: likewise
 * @n_at_max:     at the largest value
 * @gap_ns:       time in gaps
 * @covered_ns:   time that @energy_j is of
 * @min_step_ns, @max_step_ns: between two samples of a stretch
 * @energy_j:     by the trapezoid rule, the sum compensated
 * @low_j, @high_j: what it is for the tolerance of the instrument
 * @mean_power_w: @energy_j by @covered_ns; NaN where that is 0
 * @min_power_w, @max_power_w: of the finite samples
 * @remarks:      bits of enum ssdpm_signal_remark
 */
struct ssdpm_energy {
	size_t size;
	uint64_t n;
	uint64_t n_not_finite;
	uint64_t n_negative;
	uint64_t n_duplicates;
	uint64_t n_backwards;
	uint64_t n_gaps;
	uint64_t n_at_max;
	uint64_t gap_ns;
	uint64_t covered_ns;
	uint64_t min_step_ns;
	uint64_t max_step_ns;
	double energy_j;
	double low_j;
	double high_j;
	double mean_power_w;
	double min_power_w;
	double max_power_w;
	uint32_t remarks;
	uint32_t reserved;
};

struct ssdpm_meter;

/**
 * ssdpm_meter_new() - begin to integrate a signal that comes in pieces
 * @params:    or NULL
 * @ret_meter: free it with ssdpm_meter_free()
 *
 * Return: 0; -EINVAL (a tolerance below 0 or not below 1), -E2BIG, -ENOMEM.
 */
SSDPM_API int ssdpm_meter_new(const struct ssdpm_energy_params *params,
			      struct ssdpm_meter **ret_meter,
			      struct ssdpm_error *reterr);

/**
 * ssdpm_meter_feed() - the next samples, any number at a time
 *
 * Return: 0; -EINVAL (an unknown type, an interval below 1 ns).
 */
SSDPM_API int ssdpm_meter_feed(struct ssdpm_meter *meter,
			       const struct ssdpm_samples *samples,
			       struct ssdpm_error *reterr);

/**
 * ssdpm_meter_read() - what came of all samples up to now
 *
 * Can be asked again, and more be fed.
 *
 * Return: 0; -ENODATA (not one finite sample), -EINVAL, -E2BIG (its size).
 */
SSDPM_API int ssdpm_meter_read(const struct ssdpm_meter *meter,
			       struct ssdpm_energy *ret_energy,
			       struct ssdpm_error *reterr);

/** ssdpm_meter_free() - @meter may be NULL. Return: NULL. */
SSDPM_API struct ssdpm_meter *ssdpm_meter_free(struct ssdpm_meter *meter);

/**
 * ssdpm_energy_measure() - all of it in one call, for an array
 *
 * Return: as the calls above.
 */
SSDPM_API int ssdpm_energy_measure(const struct ssdpm_samples *samples,
				   const struct ssdpm_energy_params *params,
				   struct ssdpm_energy *ret_energy,
				   struct ssdpm_error *reterr);

/** How a baseline was found. */
enum ssdpm_baseline_method {
	/* Median and MAD of a stretch in which the drive is known to idle. */
	SSDPM_BASELINE_WINDOW = 1,
	/* The mode, by halving: where nobody says when the drive idles. */
	SSDPM_BASELINE_HALF_SAMPLE = 2,
};

/**
 * struct ssdpm_baseline_params - where the drive idles (sized parameters)
 * @size:     sizeof(struct ssdpm_baseline_params)
 * @begin_ns: the stretch in which it idles
 * @end_ns:   and its end, itself not in it
 * @method:   enum ssdpm_baseline_method; 0: the window, where there is one
 *            (@end_ns above @begin_ns), else the half-sample mode
 * @reserved: 0
 */
struct ssdpm_baseline_params {
	size_t size;
	int64_t begin_ns;
	int64_t end_ns;
	uint32_t method;
	uint32_t reserved;
};

/**
 * struct ssdpm_baseline - what the drive draws when it does nothing (frozen)
 * @level_w:  the median of the window, or the mode
 * @mad_w:    median of the distances from @level_w
 * @sigma_w:  1.4826 MAD, and no less than that of quantisation
 * @quantum_w: the smallest step between two values, where many are equal; 0:
 *            the signal is not quantised
 * @error_w:  @level_w and @mad_w are that good; 0: exact
 * @n:        samples that it is from, the finite ones
 * @method:   enum ssdpm_baseline_method
 * @reserved: 0
 */
struct ssdpm_baseline {
	double level_w;
	double mad_w;
	double sigma_w;
	double quantum_w;
	double error_w;
	uint64_t n;
	uint32_t method;
	uint32_t reserved;
};

/**
 * ssdpm_baseline_find() - the baseline of an array
 * @params: or NULL: nobody knows when the drive idles
 *
 * Median and MAD are exact: the values in the middle, for an even number the
 * mean of both.
 *
 * Return: 0; -ENODATA (fewer than 3 finite samples), -EDOM (no baseline can be
 * told: more than half of the samples are of something else; @reterr asks for a
 * window), -EINVAL, -E2BIG (@params), -ENOMEM.
 */
SSDPM_API int ssdpm_baseline_find(const struct ssdpm_samples *samples,
				  const struct ssdpm_baseline_params *params,
				  struct ssdpm_baseline *ret_baseline,
				  struct ssdpm_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
