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
 * struct ssdpm_samples - power over time: a view (frozen, 48 bytes)
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
	/* Of ssdpm_sampling.remarks: slower than what happens. */
	SSDPM_SIGNAL_SLOW = 1 << 7,
	SSDPM_SIGNAL_SLOWER_THAN_IO = 1 << 8, /* than the I/Os come and go */
	/* Readings repeat until the instrument has a new one. */
	SSDPM_SIGNAL_HELD = 1 << 9,
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

struct ssdpm_integral;

/**
 * ssdpm_integral_new() - begin to integrate a signal that comes in pieces
 * @params:    or NULL
 * @ret_integral: free it with ssdpm_integral_free()
 *
 * Return: 0; -EINVAL (a tolerance below 0 or not below 1), -E2BIG, -ENOMEM.
 */
SSDPM_API int ssdpm_integral_new(const struct ssdpm_energy_params *params,
				 struct ssdpm_integral **ret_integral,
				 struct ssdpm_error *reterr);

/**
 * ssdpm_integral_feed() - the next samples, any number at a time
 *
 * Return: 0; -EINVAL (an unknown type, an interval below 1 ns).
 */
SSDPM_API int ssdpm_integral_feed(struct ssdpm_integral *integral,
				  const struct ssdpm_samples *samples,
				  struct ssdpm_error *reterr);

/**
 * ssdpm_integral_get() - what came of all samples up to now
 *
 * Can be asked again, and more be fed.
 *
 * Return: 0; -ENODATA (not one finite sample), -EINVAL, -E2BIG (its size).
 */
SSDPM_API int ssdpm_integral_get(const struct ssdpm_integral *integral,
				 struct ssdpm_energy *ret_energy,
				 struct ssdpm_error *reterr);

/** ssdpm_integral_free() - @integral may be NULL. Return: NULL. */
SSDPM_API struct ssdpm_integral *ssdpm_integral_free(
	struct ssdpm_integral *integral);

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
 * struct ssdpm_baseline - what the drive draws when it does nothing (frozen, 56
 * bytes)
 * @level_w:  the median of the window, or the mode
 * @mad_w:    median of the distances from @level_w
 * @sigma_w:  1.4826 MAD; where that is a few steps of a quantised signal, from
 *            how many samples are on which step, and no less than that of
 *            quantisation
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

struct ssdpm_level;

/**
 * ssdpm_level_new() - median and MAD of a signal too long to keep
 * @ret_level: free it with ssdpm_level_free()
 *
 * Counts each value in a bucket of 1/32768 of its power of two, so that median
 * and MAD are known as well as that; memory grows with the range of values, not
 * with their number.
 *
 * Return: 0, -ENOMEM.
 */
SSDPM_API int ssdpm_level_new(struct ssdpm_level **ret_level,
			      struct ssdpm_error *reterr);

/**
 * ssdpm_level_feed() - the next samples of an idle drive
 *
 * Return: 0; -EINVAL, -ENOMEM.
 */
SSDPM_API int ssdpm_level_feed(struct ssdpm_level *level,
			       const struct ssdpm_samples *samples,
			       struct ssdpm_error *reterr);

/**
 * ssdpm_level_get() - what came of all samples up to now
 *
 * error_w of @ret_baseline says how far each may be from the exact value.
 *
 * Return: 0; -ENODATA (fewer than 3 finite samples), -ERANGE (error_w is more
 * than a quarter of the MAD: read the signal a second time), -ENOMEM.
 */
SSDPM_API int ssdpm_level_get(const struct ssdpm_level *level,
			      struct ssdpm_baseline *ret_baseline,
			      struct ssdpm_error *reterr);

/** ssdpm_level_free() - @level may be NULL. Return: NULL. */
SSDPM_API struct ssdpm_level *ssdpm_level_free(struct ssdpm_level *level);

/**
 * struct ssdpm_detect_params - what counts as activity (sized parameters)
 * @size:          sizeof(struct ssdpm_detect_params)
 * @enter_sigmas:  it begins with @enter_samples in a row that are more above
 *                 the baseline than this; 0: 5
 * @leave_sigmas:  and ends before @leave_samples that are not even this much
 *                 above it; 0: 3
 * @floor_w:       and never with less above it than this
 * @enter_samples: 0: 3
 * @leave_samples: 0: 3
 * @filter_samples: length of a running median over the samples before all that,
 *                 against spikes: odd; 0: none
 * @reserved:      0
 */
struct ssdpm_detect_params {
	size_t size;
	double enter_sigmas;
	double leave_sigmas;
	double floor_w;
	uint32_t enter_samples;
	uint32_t leave_samples;
	uint32_t filter_samples;
	uint32_t reserved;
};

/**
 * struct ssdpm_activity - a stretch in which the drive works (frozen, 64 bytes)
 * @begin:    index of its first sample
 * @end:      index of the first one after it
 * @begin_ns: time of the first
 * @end_ns:   time of the one after it; of the last sample, where the signal
 * ends before the activity does
 * @energy_j: all that was drawn
 * @extra_j:  of it, above the baseline
 * @peak_w:   the largest sample
 * @open:     1: it had begun before the first sample; 2: it had not ended with
 *            the last; 3: both
 * @reserved: 0
 */
struct ssdpm_activity {
	uint64_t begin;
	uint64_t end;
	int64_t begin_ns;
	int64_t end_ns;
	double energy_j;
	double extra_j;
	double peak_w;
	uint32_t open;
	uint32_t reserved;
};

/**
 * ssdpm_activity_find() - when a drive works, by its power alone
 * @baseline:   from ssdpm_baseline_find()
 * @params:     or NULL
 * @ret_activities: room for @capacity; may be NULL where that is 0
 * @ret_n:      how many there are, which may be more than @capacity: then the
 *              first ones were written
 *
 * Return: 0; -ENODATA (no finite sample), -EINVAL, -E2BIG (@params), -ENOMEM.
 */
SSDPM_API int ssdpm_activity_find(const struct ssdpm_samples *samples,
				  const struct ssdpm_baseline *baseline,
				  const struct ssdpm_detect_params *params,
				  struct ssdpm_activity *ret_activities,
				  size_t capacity, size_t *ret_n,
				  struct ssdpm_error *reterr);

/**
 * struct ssdpm_tail - work that goes on after the last I/O (frozen, 48 bytes)
 * @end_ns:      when it ends
 * @duration_ns: from the last completion to there; 0: there is none
 * @extra_j:     energy above the baseline in that time
 * @sigma_j:     its standard error, from the noise of the baseline
 * @open:        1: it had not ended with the last sample
 * @n:           samples in it
 */
struct ssdpm_tail {
	int64_t end_ns;
	uint64_t duration_ns;
	double extra_j;
	double sigma_j;
	uint32_t open;
	uint32_t reserved;
	uint64_t n;
};

/**
 * ssdpm_tail_measure() - the work after the last completion
 * @completion_ns: of the last I/O, on the clock of the samples
 *
 * Return: as ssdpm_activity_find(); -ENODATA too where the samples end before
 * @completion_ns.
 */
SSDPM_API int ssdpm_tail_measure(const struct ssdpm_samples *samples,
				 const struct ssdpm_baseline *baseline,
				 const struct ssdpm_detect_params *params,
				 int64_t completion_ns,
				 struct ssdpm_tail *ret_tail,
				 struct ssdpm_error *reterr);

/**
 * struct ssdpm_idle_work - what a drive does by itself while idle (frozen, 64
 * bytes)
 * @n:           stretches of activity, without those cut off by an end
 * @regular:     1: they come at one period
 * @reserved:    0
 * @period_ns:   median time from one to the next; 0: fewer than two
 * @period_mad_ns: MAD of these times
 * @duration_ns: median of their lengths
 * @extra_j:     median of their energies above the baseline
 * @extra_mad_j: MAD of these
 * @mean_extra_w: what all of them add to the mean power
 */
struct ssdpm_idle_work {
	uint64_t n;
	uint32_t regular;
	uint32_t reserved;
	uint64_t period_ns;
	uint64_t period_mad_ns;
	uint64_t duration_ns;
	double extra_j;
	double extra_mad_j;
	double mean_extra_w;
};

/**
 * ssdpm_idle_work_find() - regular work while no I/O is sent
 * @samples: of an idle drive
 *
 * It is regular if there are four or more, and the MAD of the period is at most
 * a tenth of it.
 *
 * Return: as ssdpm_activity_find().
 */
SSDPM_API int ssdpm_idle_work_find(const struct ssdpm_samples *samples,
				   const struct ssdpm_baseline *baseline,
				   const struct ssdpm_detect_params *params,
				   struct ssdpm_idle_work *ret_work,
				   struct ssdpm_error *reterr);

/**
 * struct ssdpm_sampling_params - what samples are compared with (sized
 * parameters)
 * @size:     sizeof(struct ssdpm_sampling_params)
 * @baseline: from ssdpm_baseline_find(); NULL: not known, and there are no
 *            excursions
 * @detect:   what is above it: how many samples in a row it asks for is not
 *            read, and a running median takes short excursions away; or NULL
 * @ios:      of the same time, in the order of their start; or NULL
 * @n_ios:    how many
 */
struct ssdpm_sampling_params {
	size_t size;
	const struct ssdpm_baseline *baseline;
	const struct ssdpm_detect_params *detect;
	const struct ssdpm_io *ios;
	size_t n_ios;
};

/**
 * struct ssdpm_sampling - is it fast enough for what happens? (sized result)
 * @size:        set by the caller
 * @n:           finite samples
 * @step_ns:     from one to the next: the median of the first 4096 steps
 * @interval_ns: from one measurement of the instrument to the next: @step_ns,
 *               or longer where it holds its readings
 * @n_excursions: stretches above the baseline, of one sample or more
 * @n_short:     of these, of no more than two measurements, with a begin and an
 *               end
 * @short_ns:    mean length of those, as the samples have it: what happened may
 *               have been much shorter
 * @busy_ns:     median length of the stretches with an I/O in work, between
 *               which there is a rest of an interval or more; 0: fewer than 3,
 * or an I/O without service time
 * @advised_ns:  sample at least every so often; 0: it is fast enough, or
 *               nothing tells
 * @energy_j:    of all samples, each for a step, as are the next two
 * @extra_j:     above the baseline, of all excursions; NaN: no baseline
 * @short_j:     likewise, of the short ones
 * @remarks:     SSDPM_SIGNAL_SLOW, SSDPM_SIGNAL_SLOWER_THAN_IO,
 *               SSDPM_SIGNAL_HELD
 * @reserved:    0
 */
struct ssdpm_sampling {
	size_t size;
	uint64_t n;
	uint64_t step_ns;
	uint64_t interval_ns;
	uint64_t n_excursions;
	uint64_t n_short;
	uint64_t short_ns;
	uint64_t busy_ns;
	uint64_t advised_ns;
	double energy_j;
	double extra_j;
	double short_j;
	uint32_t remarks;
	uint32_t reserved;
};

/**
 * ssdpm_sampling_check() - are there events that it is too slow for?
 * @params: or NULL: is it held?
 *
 * SSDPM_SIGNAL_SLOW: three or more excursions are short, and they have most of
 * the energy above the baseline and 1 % of all energy. Their lengths and
 * energies are not known, and others like them may have been missed: or they
 * are spikes of the instrument, which look the same. Events of less than a
 * hundredth of the step are seldom met at all, and nothing tells.
 *
 * SSDPM_SIGNAL_SLOWER_THAN_IO: @busy_ns is less than two intervals. Where each
 * sample is the mean of its step, energies are right all the same.
 *
 * SSDPM_SIGNAL_HELD: runs of equal values are as long as each other, as those
 * of noise on the steps of an instrument are not.
 *
 * Return: 0; -ENODATA (no finite sample), -EINVAL, -E2BIG (sizes), -ENOMEM.
 */
SSDPM_API int ssdpm_sampling_check(const struct ssdpm_samples *samples,
				   const struct ssdpm_sampling_params *params,
				   struct ssdpm_sampling *ret_sampling,
				   struct ssdpm_error *reterr);

/** What a drive does after the runs of an experiment (uFLIP, 2010). */
enum ssdpm_background {
	SSDPM_BACKGROUND_NONE = 1,	      /* nothing that can be told */
	SSDPM_BACKGROUND_NOT_SIGNIFICANT = 2, /* something, here and there */
	SSDPM_BACKGROUND_SMALL = 3,	      /* less than a second */
	SSDPM_BACKGROUND_EXTENDED = 4, /* seconds, whatever the parameter */
	SSDPM_BACKGROUND_GROWS = 5,    /* with the parameter */
};

/**
 * struct ssdpm_background_run - one run of an experiment (frozen, 40 bytes)
 * @parameter: what is varied: a size, a pause, a number
 * @tail_ns:   of ssdpm_tail_measure(), as are the next two
 * @extra_j:
 * @sigma_j:
 * @reserved:  0
 */
struct ssdpm_background_run {
	double parameter;
	uint64_t tail_ns;
	double extra_j;
	double sigma_j;
	uint64_t reserved;
};

/**
 * struct ssdpm_background_class - the class of an experiment (frozen, 48 bytes)
 * @background: enum ssdpm_background
 * @n_tails:    runs with a tail
 * @tail_ns:    median length over all runs
 * @extra_j:    median energy over all runs
 * @trend:      Kendall's tau-b of parameter and energy: -1 to 1
 * @trend_p:    how likely a trend as strong is by chance
 */
struct ssdpm_background_class {
	uint32_t background;
	uint32_t reserved;
	uint64_t n_tails;
	uint64_t tail_ns;
	double extra_j;
	double trend;
	double trend_p;
};

/**
 * ssdpm_background_classify() - the class of an experiment
 * @runs: in any order, repeated values of the parameter welcome
 * @n:    how many
 *
 * The rules are in ssdpm_measure(3).
 *
 * Return: 0; -ENODATA (fewer than 4 runs, or fewer than 3 values of the
 * parameter), -EINVAL (a value that is not finite, or more than 20000 runs),
 * -ENOMEM.
 */
SSDPM_API int ssdpm_background_classify(
	const struct ssdpm_background_run *runs, size_t n,
	struct ssdpm_background_class *ret_class, struct ssdpm_error *reterr);

/**
 * ssdpm_proportionality() - how far power follows work
 * @load:    of each level of work, in any unit, from 0 (idle) on, ascending
 * @power_w: at these
 * @n:       how many, 2 or more
 * @ret_index: 1: power is in proportion to work; 0: it does not change at all;
 *           1 - (area under the curve above the line of proportion, by the
 *           area of an unchanging power above it)
 *
 * Return: 0; -EINVAL (not ascending from 0, not finite, no power at the top).
 */
SSDPM_API int ssdpm_proportionality(const double *load, const double *power_w,
				    size_t n, double *ret_index,
				    struct ssdpm_error *reterr);

/**
 * struct ssdpm_steady_params - steady state by the rules of SNIA (sized)
 * @size:      sizeof(struct ssdpm_steady_params)
 * @window:    rounds that are looked at together; 0: 5
 * @reserved:  0
 * @max_range: largest minus smallest, by the mean, is at most this; 0: 0.2
 * @max_slope: likewise of the line fitted to the window; 0: 0.1
 */
struct ssdpm_steady_params {
	size_t size;
	uint32_t window;
	uint32_t reserved;
	double max_range;
	double max_slope;
};

/**
 * ssdpm_steady_state_find() - the first window of rounds that is steady
 * @rounds: one value for each: IOPS, watts
 * @ret_begin: index of the first round of that window
 *
 * Source: SNIA Solid State Storage Performance Test Specification 2.0.2,
 * 2.1.24.
 *
 * Return: 0; -ENODATA (no window is steady, or there are fewer rounds than a
 * window has), -EINVAL, -E2BIG.
 */
SSDPM_API int ssdpm_steady_state_find(const double *rounds, size_t n,
				      const struct ssdpm_steady_params *params,
				      size_t *ret_begin,
				      struct ssdpm_error *reterr);

/**
 * ssdpm_change_points_find() - where the mean of a signal changes
 * @sigma_w:    of the noise; 0: from the differences of neighbours, by MAD
 * @penalty:    in squares of sigma for each change: 0: 2 ln n (BIC)
 * @min_samples: in each stretch; 0: 2
 * @ret_begins: index of the first sample of each stretch but the first; room
 *              for @capacity
 * @ret_n:      how many there are; more than @capacity: the first were written
 *
 * Exact: the segmentation of least squares and penalty (PELT; Killick,
 * Fearnhead and Eckley 2012). Its time is linear where changes are many, and
 * quadratic where there are none: 20000 samples at most.
 *
 * Return: 0; -ENODATA (fewer than 2 * @min_samples finite samples), -E2BIG
 * (more than 20000), -EINVAL, -ENOMEM.
 */
SSDPM_API int ssdpm_change_points_find(const struct ssdpm_samples *samples,
				       double sigma_w, double penalty,
				       size_t min_samples, size_t *ret_begins,
				       size_t capacity, size_t *ret_n,
				       struct ssdpm_error *reterr);

/*
 * Calibration: from the power and the I/Os of one run to what the model has to
 * know of the drive at hand.
 */

enum ssdpm_calibrate_flag {
	/* Energy of each I/O, and of each byte, beside the active power. */
	SSDPM_CALIBRATE_OPERATION_ENERGY = 1 << 0,
	SSDPM_CALIBRATE_BYTE_ENERGY = 1 << 1,
};

/**
 * struct ssdpm_calibrate_params - how to calibrate (sized parameters)
 * @size:          sizeof(struct ssdpm_calibrate_params)
 * @offset_ns:     add it to the time of a sample for that of the I/Os
 * @max_offset_ns: look for a better one up to this far from it; 0: it is exact
 * @bin_ns:        length of the steps of time that are compared; 0: that of the
 *                 samples, or so many of them that there are 4096 at most
 * @flags:         bits of enum ssdpm_calibrate_flag
 * @reserved:      0
 */
struct ssdpm_calibrate_params {
	size_t size;
	int64_t offset_ns;
	uint64_t max_offset_ns;
	uint64_t bin_ns;
	uint32_t flags;
	uint32_t reserved;
};

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
 * @stated:   the most that the parameters of before say
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
};

/**
 * ssdpm_calibrate() - what power and I/Os of one run say of a drive
 * @model:      the drive
 * @sim_params: the policy that was in force, and what is known before; its loop
 *              is not read; NULL: the drive never sleeps
 * @ios:        the I/Os, each with its service time: one that wakes the drive
 *              takes as much longer as the drive takes to wake
 * @n:          how many
 * @samples:    the power; each is the mean over the step around its time
 * @params:     or NULL
 * @ret_measured: room for SSDPM_MAX_PARAMETERS, sorted as parameters are
 * @ret_calibration: its size member is set by the caller
 *
 * Idle power of each state that was reached (the link's power is in it), active
 * power of each operation, power of transitions, exit latency of each state
 * that I/Os woke the drive from; energies where @params asks for them. After
 * the last I/O the drive is taken to idle to the end of the samples. The method
 * and what it is good for are in ssdpm_measure(3).
 *
 * Return: 0; -ENODATA (no I/O, an I/O without service time, fewer steps with
 * power than there is to find), -EDOM (nothing can be told apart, all samples
 * are the same, or power and I/Os are not of one run), -EINVAL, -E2BIG (sizes;
 * more than 2^22 steps), -ERANGE (times beyond 2^62 ns), -ENOMEM; or as
 * ssdpm_sim_new() and ssdpm_sim_feed().
 */
SSDPM_API int ssdpm_calibrate(
	const struct ssdpm_model *model,
	const struct ssdpm_sim_params *sim_params, const struct ssdpm_io *ios,
	size_t n, const struct ssdpm_samples *samples,
	const struct ssdpm_calibrate_params *params,
	struct ssdpm_measured ret_measured[SSDPM_MAX_PARAMETERS],
	struct ssdpm_calibration *ret_calibration, struct ssdpm_error *reterr);

/**
 * ssdpm_parameters_calibrate() - replace assumptions by what was measured
 * @parameters:   from ssdpm_parameters_from_model()
 * @n_parameters: how many
 * @measured:     from ssdpm_calibrate()
 * @n_measured:   how many
 *
 * What is SSDPM_MEASURED_KNOWN becomes low, nominal and high with the
 * provenance SSDPM_PROVENANCE_MEASURED, rounded outwards; the rest stays, and
 * so does an assumed range that lies within what was measured. As measured idle
 * powers have the link's in them, its power becomes 0, and is added to the idle
 * power of the states asleep that were not measured.
 *
 * Return: 0; -ENOENT (the drive has no such parameter), -EINVAL, -ERANGE (as
 * ssdpm_parameters_set()). After a failure @parameters are as before.
 */
SSDPM_API int ssdpm_parameters_calibrate(struct ssdpm_parameter *parameters,
					 size_t n_parameters,
					 const struct ssdpm_measured *measured,
					 size_t n_measured,
					 struct ssdpm_error *reterr);

/** ssdpm_measured_status_to_string() - "known", "not-reached" and so on, or
 * NULL */
SSDPM_API const char *ssdpm_measured_status_to_string(uint32_t status);

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
 * ssdpm_overlay_to_json() - what was measured, as "ssdpm.overlay/1"
 * @overlay:     what it is of
 * @measured:    from ssdpm_calibrate(), in its order
 * @n_measured:  how many
 * @calibration: from it too
 * @ret_text:    free() it
 *
 * See ssdpm-json(5). Values are whole numbers there: an interval is rounded
 * outwards, as ssdpm_parameters_calibrate() does, and so nothing that this
 * computes with is lost. What was written and read is written as the same text.
 *
 * Return: 0; -EINVAL (a text that is not UTF-8, has control characters or no
 * end; a value out of its order; an unknown word; parameters out of theirs),
 * -ERANGE (a value beyond 2^53), -E2BIG (a size), -ENOMEM.
 */
SSDPM_API int ssdpm_overlay_to_json(const struct ssdpm_overlay *overlay,
				    const struct ssdpm_measured *measured,
				    size_t n_measured,
				    const struct ssdpm_calibration *calibration,
				    char **ret_text,
				    struct ssdpm_error *reterr);

/**
 * ssdpm_overlay_from_json() - the other way round
 * @text:            need not end in a zero byte
 * @size:            of @text
 * @ret_overlay:     its size member is set by the caller
 * @ret_measured:    room for SSDPM_MAX_PARAMETERS
 * @ret_n:           how many were filled
 * @ret_calibration: its size member is set by the caller
 *
 * Keys that are unknown are left out; what is missing or null is not known.
 *
 * Return: 0; -EINVAL (no JSON, another schema, a value that cannot be),
 * -ERANGE (a value or text that is too large), -E2BIG (a size), -ENOMEM.
 */
SSDPM_API int ssdpm_overlay_from_json(
	const char *text, size_t size, struct ssdpm_overlay *ret_overlay,
	struct ssdpm_measured ret_measured[SSDPM_MAX_PARAMETERS], size_t *ret_n,
	struct ssdpm_calibration *ret_calibration, struct ssdpm_error *reterr);

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

/* Samples from a file. */

/** How a file of samples is written. */
enum ssdpm_power_format {
	/* Lines with a power, or with what a power is made of. */
	SSDPM_POWER_CSV = 1,
	SSDPM_POWER_FLOAT32 = 2, /* one after the other, little endian */
	SSDPM_POWER_INT16 = 3,	 /* likewise */
};

/**
 * struct ssdpm_power_params - how samples are read (sized parameters)
 * @size:        sizeof(struct ssdpm_power_params)
 * @columns:     CSV: what each column is, in words with commas between them, as
 *               ssdpm_measure(3) lists them; NULL: from the names in the first
 *               line
 * @rate_hz:     samples per second, where the file has no times; up to 1e9
 * @scale:       watts for one unit of a raw sample; 0: 1
 * @shunt_ohm:   R of the shunt, for a column shunt_v: the power of what is
 *               behind it is (V / R) (U - V)
 * @supply_v:    U before the shunt, where no column volts has it
 * @counter_j:   a counter of energy begins anew there; 0: unknown, and the
 *               power of a step in which it did is NaN
 * @format:      enum ssdpm_power_format; 0: CSV
 * @reserved:    0
 */
struct ssdpm_power_params {
	size_t size;
	const char *columns;
	double rate_hz;
	double scale;
	double shunt_ohm;
	double supply_v;
	double counter_j;
	uint32_t format;
	uint32_t reserved;
};

/**
 * struct ssdpm_power_counts - what was met so far (frozen, 32 bytes)
 * @n_lines:   lines, those without a sample too; 0: the file has none
 * @n_samples: given out
 * @n_wraps:   a counter began anew at @counter_j of the parameters
 * @n_resets:  a counter fell otherwise: the power of that step is NaN
 */
struct ssdpm_power_counts {
	uint64_t n_lines;
	uint64_t n_samples;
	uint64_t n_wraps;
	uint64_t n_resets;
};

struct ssdpm_power;

/**
 * ssdpm_power_open() - begin to read samples of power
 * @fd:        stays the caller's, and must stay open; pipes too; gzip and zstd
 *             are unpacked
 * @params:    or NULL
 * @ret_power: close it with ssdpm_power_close()
 *
 * Return: 0; -EINVAL (columns that make no power, or are unknown; a rate or a
 * resistance that is missing; no text, where CSV was to be read), -ENODATA
 * (empty; the first line has no names of columns, and @params neither),
 * -EOPNOTSUPP (packed, and without what unpacks it), -E2BIG (@params; a line
 * above 1 MiB), -EIO (packed, and damaged), -ENOMEM, and what read(2) has.
 */
SSDPM_API int ssdpm_power_open(int fd, const struct ssdpm_power_params *params,
			       struct ssdpm_power **ret_power,
			       struct ssdpm_error *reterr);

/**
 * ssdpm_power_open_data() - the same from memory
 * @data: must stay as it is until ssdpm_power_close()
 *
 * Return: as ssdpm_power_open().
 */
SSDPM_API int ssdpm_power_open_data(const void *data, size_t size,
				    const struct ssdpm_power_params *params,
				    struct ssdpm_power **ret_power,
				    struct ssdpm_error *reterr);

/**
 * ssdpm_power_read() - the next samples
 * @ret_time_ns: room for @capacity
 * @ret_power_w: likewise; NaN where the file has no number, infinite where one
 *               is larger than a double can be
 * @capacity:    1 or more
 * @ret_n:       how many there were; 0: the end
 *
 * The first time is 0. Times are as the file has them: they may jump, and
 * ssdpm_integral_feed() counts where they do. The power of a line with a
 * counter is the mean since the line before; the first line has that of the
 * second.
 *
 * Return: 0; -EINVAL (a line that cannot be read, whose number is in @reterr; a
 * raw file that ends within a sample; no room), -E2BIG, -EIO, -ENOMEM, and what
 * read(2) has. All samples before that have been given out then; it stays so.
 */
SSDPM_API int ssdpm_power_read(struct ssdpm_power *power, int64_t *ret_time_ns,
			       double *ret_power_w, size_t capacity,
			       size_t *ret_n, struct ssdpm_error *reterr);

/** ssdpm_power_get_counts() - of what was read; lives as long as @power. */
SSDPM_API const struct ssdpm_power_counts *ssdpm_power_get_counts(
	const struct ssdpm_power *power);

/** ssdpm_power_close() - @power may be NULL. Return: NULL. */
SSDPM_API struct ssdpm_power *ssdpm_power_close(struct ssdpm_power *power);

/* --- The survey: which policy is best on this machine --- */

/* Limits of a survey. */
#define SSDPM_SURVEY_MAX_POLICIES 16
#define SSDPM_SURVEY_MAX_SCENARIOS 16
#define SSDPM_SURVEY_MAX_BLOCKS 1000

/**
 * struct ssdpm_survey_params - what a survey runs (sized parameters)
 * @size:        sizeof(struct ssdpm_survey_params)
 * @seed:        of the order: the same seed gives the same order everywhere
 * @settle_ns:   between setting a policy and the first reading; 0: 10 minutes
 * @interval_ns: from one reading to the next; 0: 3 seconds
 * @duration_ns: of the readings of a run; 0: 15 minutes
 * @n_policies:  2 to SSDPM_SURVEY_MAX_POLICIES
 * @n_scenarios: 1 to SSDPM_SURVEY_MAX_SCENARIOS
 * @n_blocks:    how often all of it is run; 0: 5
 * @reserved:    0
 */
struct ssdpm_survey_params {
	size_t size;
	uint64_t seed;
	uint64_t settle_ns;
	uint64_t interval_ns;
	uint64_t duration_ns;
	uint32_t n_policies;
	uint32_t n_scenarios;
	uint32_t n_blocks;
	uint32_t reserved;
};

/**
 * struct ssdpm_survey_step - one run of a schedule (frozen, 40 bytes)
 * @begin_ns:   when its policy is set, from the begin of the survey on
 * @measure_ns: when its first reading is due: @begin_ns and the time to settle
 * @end_ns:     when it ends
 * @policy, @scenario, @block: each from 0 on
 * @n_samples:  readings that it takes
 */
struct ssdpm_survey_step {
	uint64_t begin_ns;
	uint64_t measure_ns;
	uint64_t end_ns;
	uint32_t policy;
	uint32_t scenario;
	uint32_t block;
	uint32_t n_samples;
};

/**
 * ssdpm_survey_schedule() - in which order policies and scenarios are run
 * @ret_steps:    room for @capacity; may be NULL where that is 0
 * @ret_n:        how many there are, which may be more than @capacity: then the
 *                first ones were written
 * @ret_total_ns: how long all of it takes
 *
 * A block has each scenario once, in random order, and in each scenario each
 * policy once, in random order: what is compared is run close together, and
 * drift of the machine falls on all policies alike.
 *
 * Return: 0; -EINVAL (no such number of policies, scenarios or blocks; a run of
 * fewer than 2 readings; longer than 2^62 ns), -E2BIG (@params).
 */
SSDPM_API int ssdpm_survey_schedule(const struct ssdpm_survey_params *params,
				    struct ssdpm_survey_step *ret_steps,
				    size_t capacity, size_t *ret_n,
				    uint64_t *ret_total_ns,
				    struct ssdpm_error *reterr);

/** Whether a run had settled: ssdpm_survey_summary.trend. */
enum ssdpm_survey_trend {
	SSDPM_SURVEY_TREND_NONE = 1, /* none that noise would not make */
	/* Slow, after settling: an averaging artefact of the first readings. */
	SSDPM_SURVEY_TREND_RISE = 2,
	SSDPM_SURVEY_TREND_FALL = 3,
	/* Its second half has a trend of its own: settle longer. */
	SSDPM_SURVEY_TREND_UNSETTLED = 4,
};

/**
 * struct ssdpm_survey_summary - one run in numbers (sized result)
 * @size:       set by the caller
 * @n:          finite samples
 * @n_not_finite: others, left out
 * @covered_ns: from the first sample to one step after the last
 * @mean_w:     of all finite samples
 * @se_w:       standard error of @mean_w that respects autocorrelation
 * @se_df:      degrees of freedom of @se_w, which is an estimate itself
 * @low_w, @high_w: 95 % interval of @mean_w
 * @sd_w:       standard deviation of the samples
 * @n_effective: independent samples that would give the same @se_w
 * @order:      of the autoregression that @se_w is from
 * @trend:      enum ssdpm_survey_trend
 * @leave_out_ns: the part at the begin that is not settled; 0: none
 * @n_left_out: samples in it
 * @trend_w:    mean of what is after that part, minus mean of that part
 * @settled_mean_w, @settled_se_w: as @mean_w and @se_w, without that part
 */
struct ssdpm_survey_summary {
	size_t size;
	uint64_t n;
	uint64_t n_not_finite;
	uint64_t covered_ns;
	double mean_w;
	double se_w;
	double se_df;
	double low_w;
	double high_w;
	double sd_w;
	double n_effective;
	uint32_t order;
	uint32_t trend;
	uint64_t leave_out_ns;
	uint64_t n_left_out;
	double trend_w;
	double settled_mean_w;
	double settled_se_w;
};

/**
 * ssdpm_survey_summarise() - mean power of one run, and how well it is known
 * @samples: of the run after settling, at even steps
 *
 * Methods and sources are in ssdpm_measure(3).
 *
 * Return: 0; -ENODATA (fewer than 30 finite samples, or none differs from the
 * first: nothing can be told of the noise), -EINVAL, -E2BIG, -ENOMEM.
 */
SSDPM_API int ssdpm_survey_summarise(const struct ssdpm_samples *samples,
				     struct ssdpm_survey_summary *ret_summary,
				     struct ssdpm_error *reterr);

/**
 * ssdpm_survey_range_p() - how likely a studentised range is this large
 * @q:      the range of @k means, by the standard error of one of them
 * @k:      2 to 100
 * @df:     degrees of freedom of that standard error, 1 or more
 * @ret_p:  the probability of a range above @q, where all means are the same
 *
 * Right to 1e-9 absolutely.
 *
 * Return: 0; -EINVAL.
 */
SSDPM_API int ssdpm_survey_range_p(double q, uint32_t k, double df,
				   double *ret_p, struct ssdpm_error *reterr);

/**
 * ssdpm_survey_range_q() - the studentised range of this probability
 * @p:     that it is above @ret_q: 1e-6 to 0.999999
 * @ret_q: the inverse of ssdpm_survey_range_p()
 *
 * Return: 0; -EINVAL.
 */
SSDPM_API int ssdpm_survey_range_q(double p, uint32_t k, double df,
				   double *ret_q, struct ssdpm_error *reterr);

/**
 * struct ssdpm_survey_run - what a run came to (frozen, 24 bytes)
 * @mean_w:   mean_w or settled_mean_w of its summary
 * @policy, @scenario, @block: from 0 on, as in struct ssdpm_survey_step
 * @reserved: 0
 */
struct ssdpm_survey_run {
	double mean_w;
	uint32_t policy;
	uint32_t scenario;
	uint32_t block;
	uint32_t reserved;
};

/**
 * struct ssdpm_survey_analysis_params - how to compare (sized parameters)
 * @size:           sizeof(struct ssdpm_survey_analysis_params)
 * @error_rate:     of the whole family: all pairs in all scenarios; 0: 0.05
 * @system_power_w: of the whole system, where the samples are of a part of it;
 *                  0: they are of the system
 * @n_policies:     2 to SSDPM_SURVEY_MAX_POLICIES
 * @n_scenarios:    that are analysed, each by a call: they share @error_rate;
 *                  1 or more
 * @scenario:       of which the runs are taken, below @n_scenarios
 * @reserved:       0
 */
struct ssdpm_survey_analysis_params {
	size_t size;
	double error_rate;
	double system_power_w;
	uint32_t n_policies;
	uint32_t n_scenarios;
	uint32_t scenario;
	uint32_t reserved;
};

/**
 * struct ssdpm_survey_analysis - all runs of a scenario together (sized result)
 * @size:      set by the caller
 * @n_runs:    runs of that scenario
 * @n_blocks:  blocks that have one of them or more
 * @n_complete: blocks that have all policies
 * @n_missing: runs that are missing from the others
 * @df:        degrees of freedom of @sigma_w
 * @sigma_w:   standard deviation of a run, without what its block shares
 * @block_sigma_w: standard deviation of blocks; 0: not more than noise makes
 * @critical_q: a studentised range above this is a difference
 * @system_w:  what shares are of: of the parameters, or the largest mean; NaN:
 *             that is not above 0, and shares are NaN too
 * @n_different: differences that were found
 * @reserved:  0
 */
struct ssdpm_survey_analysis {
	size_t size;
	uint64_t n_runs;
	uint32_t n_blocks;
	uint32_t n_complete;
	uint32_t n_missing;
	uint32_t df;
	double sigma_w;
	double block_sigma_w;
	double critical_q;
	double system_w;
	uint32_t n_different;
	uint32_t reserved;
};

/**
 * struct ssdpm_survey_mean - one policy in a scenario (frozen, 48 bytes)
 * @policy:  from 0 on
 * @n_runs:  runs of it
 * @mean_w:  over all blocks, by least squares where some are missing
 * @low_w, @high_w: 95 % interval, of other blocks too: it is no test of
 *           differences, which are known better
 * @se_w:    standard error of @mean_w
 * @share:   @mean_w by system_w
 */
struct ssdpm_survey_mean {
	uint32_t policy;
	uint32_t n_runs;
	double mean_w;
	double low_w;
	double high_w;
	double se_w;
	double share;
};

/**
 * struct ssdpm_survey_difference - two policies in a scenario (frozen, 64
 * bytes)
 * @policy:       the one
 * @other_policy: the other one, a higher number
 * @difference_w: mean of @policy minus that of @other_policy
 * @se_w:         its standard error
 * @low_w, @high_w: interval: all of the family hold together with a probability
 *                of 1 - error_rate
 * @p:            that chance makes any difference of the family this large
 * @share:        @difference_w by system_w
 * @different:    1: the interval does not have 0 in it
 * @reserved:     0
 */
struct ssdpm_survey_difference {
	uint32_t policy;
	uint32_t other_policy;
	double difference_w;
	double se_w;
	double low_w;
	double high_w;
	double p;
	double share;
	uint32_t different;
	uint32_t reserved;
};

/**
 * ssdpm_survey_analyse() - which policies differ in a scenario, and by how much
 * @runs:         in any order, of any scenarios; blocks may lack some
 * @n:            how many
 * @ret_analysis: the whole
 * @ret_means:    n_policies of them, by number; or NULL
 * @ret_differences: n_policies * (n_policies - 1) / 2 of them, 0-1, 0-2, ...,
 *                1-2, ...; or NULL
 *
 * Return: 0; -ENODATA (a policy has fewer than 3 runs, two policies are linked
 * by no block, or nothing is left to tell noise by: the message says which
 * runs would help), -EINVAL (a number out of its range, a run twice), -E2BIG,
 * -ENOMEM.
 */
SSDPM_API int ssdpm_survey_analyse(
	const struct ssdpm_survey_run *runs, size_t n,
	const struct ssdpm_survey_analysis_params *params,
	struct ssdpm_survey_analysis *ret_analysis,
	struct ssdpm_survey_mean *ret_means,
	struct ssdpm_survey_difference *ret_differences,
	struct ssdpm_error *reterr);

/**
 * struct ssdpm_survey_noise - noise that was sampled (frozen, 40 bytes)
 * @se_w:         of the mean of a run, as of ssdpm_survey_summarise()
 * @se_df:        its degrees of freedom, 1 or more
 * @covered_ns:   length of that run: longer runs have less noise
 * @run_sigma_w:  standard deviation of runs of that length in a block, as
 *                sigma_w of an analysis; NaN: not known
 * @run_sigma_df: its degrees of freedom; not read where that is NaN
 */
struct ssdpm_survey_noise {
	double se_w;
	double se_df;
	uint64_t covered_ns;
	double run_sigma_w;
	double run_sigma_df;
};

/**
 * struct ssdpm_survey_detectable - what a schedule can tell (frozen, 64 bytes)
 * @difference_w: between two policies, found with a probability of 80 %
 * @low_w, @high_w: 95 % interval, as the noise is an estimate
 * @power:        probability that the difference that was asked for is found;
 *                NaN: none was
 * @power_low, @power_high: 95 % interval
 * @sigma_w:      standard deviation of a run that all this is for
 * @between_known: 0: it is the noise within runs alone, run_sigma_w was not
 *                known: read @difference_w as "not less than"
 * @reserved:     0
 */
struct ssdpm_survey_detectable {
	double difference_w;
	double low_w;
	double high_w;
	double power;
	double power_low;
	double power_high;
	double sigma_w;
	uint32_t between_known;
	uint32_t reserved;
};

/**
 * ssdpm_survey_detectable() - the difference that a schedule can find
 * @params:       of the schedule
 * @noise:        as just sampled
 * @error_rate:   of all pairs in all scenarios; 0: 0.05
 * @difference_w: to find the power for; 0: none
 *
 * Return: 0; -ENODATA (fewer than 3 blocks), -EINVAL, -E2BIG.
 */
SSDPM_API int ssdpm_survey_detectable(
	const struct ssdpm_survey_params *params,
	const struct ssdpm_survey_noise *noise, double error_rate,
	double difference_w, struct ssdpm_survey_detectable *ret_detectable,
	struct ssdpm_error *reterr);

/** What can be said of a table that others have published. */
enum ssdpm_survey_verdict {
	SSDPM_SURVEY_DIFFERENT = 1,
	SSDPM_SURVEY_NOT_SHOWN = 2, /* no difference: not that there is none */
	SSDPM_SURVEY_NOT_DECIDABLE = 3,
};

/** Why it is not: bits of ssdpm_survey_judgement.missing. */
enum ssdpm_survey_missing {
	SSDPM_SURVEY_MISSING_N = 1 << 0,       /* how many runs each is of */
	SSDPM_SURVEY_MISSING_BETWEEN = 1 << 1, /* variance between runs */
	/* One run: its samples say nothing of how the next one would be. */
	SSDPM_SURVEY_MISSING_RUNS = 1 << 2,
};

/**
 * struct ssdpm_survey_stated - a row as published (frozen, 32 bytes)
 * @mean:      in any unit, as are the next two
 * @sd:        standard deviation of single samples (single I/Os): shown, but no
 *             number of them makes up for runs; NaN: not stated
 * @between_sd: standard deviation of the means of runs; NaN: not stated
 * @n_runs:    runs that @mean is of; 0: not stated
 * @reserved:  0
 */
struct ssdpm_survey_stated {
	double mean;
	double sd;
	double between_sd;
	uint32_t n_runs;
	uint32_t reserved;
};

/**
 * struct ssdpm_survey_judgement - of two rows or more (frozen, 24 bytes)
 * @verdict:  enum ssdpm_survey_verdict
 * @missing:  bits of enum ssdpm_survey_missing; 0: nothing
 * @p:        the smallest of all pairs, for the family; NaN: not decidable
 * @row, @other_row: the pair that it is of; 0 and 0: not decidable
 */
struct ssdpm_survey_judgement {
	uint32_t verdict;
	uint32_t missing;
	double p;
	uint32_t row;
	uint32_t other_row;
};

/**
 * ssdpm_survey_judge() - can a published table tell its rows apart?
 * @rows:       2 to 100, from independent runs
 * @error_rate: of all pairs; 0: 0.05
 *
 * By the test of Games and Howell (1976), which asks for no equal variances.
 *
 * Return: 0; -EINVAL (not finite, below 0, no such number of rows).
 */
SSDPM_API int ssdpm_survey_judge(const struct ssdpm_survey_stated *rows,
				 size_t n, double error_rate,
				 struct ssdpm_survey_judgement *ret_judgement,
				 struct ssdpm_error *reterr);

/**
 * struct ssdpm_survey_result - what one survey found (frozen, 24 bytes)
 * @mean_w: of a policy, or of a difference of two: machines differ by more than
 *          policies do, so merge differences
 * @se_w:   its standard error, above 0
 * @drive:  a number for each drive, or each model of drives
 * @policy: a number for each policy, or each pair
 */
struct ssdpm_survey_result {
	double mean_w;
	double se_w;
	uint32_t drive;
	uint32_t policy;
};

/**
 * struct ssdpm_survey_merged - many surveys as one (frozen, 88 bytes)
 * @n_results:  results of that policy
 * @n_drives:   drives that they are of
 * @mean_w:     over drives
 * @se_w:       its standard error
 * @low_w, @high_w: interval of the mean of all such drives
 * @drive_low_w, @drive_high_w: interval for the next drive; NaN: fewer
 *              than 3 drives cannot tell
 * @tau_w:      standard deviation between drives
 * @heterogeneity_q: Cochran's Q
 * @inconsistency: I^2: share of what is seen between drives that is not noise
 * @reserved:   0
 */
struct ssdpm_survey_merged {
	uint64_t n_results;
	uint32_t n_drives;
	uint32_t reserved;
	double mean_w;
	double se_w;
	double low_w;
	double high_w;
	double drive_low_w;
	double drive_high_w;
	double tau_w;
	double heterogeneity_q;
	double inconsistency;
};

/**
 * ssdpm_survey_merge() - one policy over all drives
 * @results: in any order, of any policies
 * @n:       how many
 * @policy:  that is merged
 * @error_rate: of the intervals, 0: 0.05. Of a table of many rows give each its
 *           part of that, 0.05 by their number (Bonferroni): then all hold
 *           together with 95 %. Tukey's does not fit, as each row has drives,
 *           and a variance between these, of its own
 *
 * Results of one drive are one, weighed by their precision. Drives are a random
 * sample of all (DerSimonian and Laird 1986); the interval is that of Hartung
 * and Knapp (2001), never shorter than without it.
 *
 * Return: 0; -ENODATA (fewer than 2 drives), -EINVAL (not finite; a rate
 * that is none), -ENOMEM.
 */
SSDPM_API int ssdpm_survey_merge(const struct ssdpm_survey_result *results,
				 size_t n, uint32_t policy, double error_rate,
				 struct ssdpm_survey_merged *ret_merged,
				 struct ssdpm_error *reterr);

/* --- The file of a survey --- */

/**
 * struct ssdpm_survey_fact - a comment "# key: value" (borrowed)
 * @key:      before the colon; all of it, where there is none
 * @value:    after it; never NULL
 * @line:     where it stands
 * @reserved: 0
 */
struct ssdpm_survey_fact {
	const char *key;
	const char *value;
	uint32_t line;
	uint32_t reserved;
};

/** Whether a run counts. */
enum ssdpm_survey_run_status {
	SSDPM_SURVEY_RUN_COMPLETE = 1,
	SSDPM_SURVEY_RUN_INCOMPLETE = 2, /* it was interrupted */
	SSDPM_SURVEY_RUN_REPLACED = 3,	 /* a later one is of the same thing */
};

/**
 * struct ssdpm_survey_readings - one run of a survey (borrowed)
 * @time_ns:    of each reading, from when the policy was set; NULL: not known
 * @power_w:    NaN: there was none
 * @latency_us: of the scenario's own I/O; NaN: none
 * @n:          how many readings
 * @run:        its number in the file; 0: it has none
 * @policy, @scenario, @block: from 0 on, as in struct ssdpm_survey_run
 * @status:     enum ssdpm_survey_run_status
 */
struct ssdpm_survey_readings {
	const int64_t *time_ns;
	const double *power_w;
	const double *latency_us;
	size_t n;
	uint64_t run;
	uint32_t policy;
	uint32_t scenario;
	uint32_t block;
	uint32_t status;
};

/**
 * struct ssdpm_survey_fio - one run of fio in a survey (frozen, 48 bytes)
 * @latency_us:    mean of its I/Os; NaN: not known, as the next two
 * @latency_sd_us: their standard deviation
 * @bytes_per_s:   its throughput
 * @run:           its number in the file; 0: it has none
 * @policy, @block: from 0 on
 * @test:          of ssdpm_survey_file_get_test(), from 0 on
 * @status:        enum ssdpm_survey_run_status
 */
struct ssdpm_survey_fio {
	double latency_us;
	double latency_sd_us;
	double bytes_per_s;
	uint64_t run;
	uint32_t policy;
	uint32_t test;
	uint32_t block;
	uint32_t status;
};

/**
 * struct ssdpm_survey_counts - what was met in a file (frozen, 24 bytes)
 * @n_lines: of the file
 * @n_rows:  readings, and results of fio
 * @n_cut:   rows that were being written when the survey was killed: left out
 */
struct ssdpm_survey_counts {
	uint64_t n_lines;
	uint64_t n_rows;
	uint64_t n_cut;
};

struct ssdpm_survey_file;

/**
 * ssdpm_survey_file_open() - read the file of a survey, all of it
 * @fd:       stays the caller's; pipes too; gzip and zstd are unpacked
 * @ret_file: close it with ssdpm_survey_file_close()
 *
 * The format is in ssdpm-survey(5). Of what others have recorded, columns
 * policy and power_w are enough.
 *
 * Return: 0; -EINVAL (a line that cannot be read, whose number is in @reterr; a
 * version that is not known; no text), -ENODATA (no survey: nothing names its
 * columns), -E2BIG (a line above 1 MiB, more than 2^24 rows or 4096 comments),
 * -EOPNOTSUPP (packed, and without what unpacks it), -EIO (packed, and
 * damaged), -ENOMEM, and what read(2) has.
 */
SSDPM_API int ssdpm_survey_file_open(int fd,
				     struct ssdpm_survey_file **ret_file,
				     struct ssdpm_error *reterr);

/**
 * ssdpm_survey_file_open_data() - the same from memory, which may go then
 *
 * Return: as ssdpm_survey_file_open().
 */
SSDPM_API int ssdpm_survey_file_open_data(const void *data, size_t size,
					  struct ssdpm_survey_file **ret_file,
					  struct ssdpm_error *reterr);

/*
 * All that follows is borrowed: it lives as long as the file.
 */

/**
 * ssdpm_survey_file_get_params() - what the survey was to run
 *
 * n_policies and n_scenarios are what the file has; of the others 0 says that
 * the file does not tell.
 */
SSDPM_API const struct ssdpm_survey_params *ssdpm_survey_file_get_params(
	const struct ssdpm_survey_file *file);

/** ssdpm_survey_file_get_counts() - of lines and rows */
SSDPM_API const struct ssdpm_survey_counts *ssdpm_survey_file_get_counts(
	const struct ssdpm_survey_file *file);

/**
 * ssdpm_survey_file_get_fact() - what a comment says
 * @key: "drive", "meter", ...
 * @n:   from 0 on: the first comment of that key, the second, ...
 *
 * Return: its value, or NULL: there is none.
 */
SSDPM_API const char *ssdpm_survey_file_get_fact(
	const struct ssdpm_survey_file *file, const char *key, size_t n);

/** ssdpm_survey_file_get_facts() - all comments, in their order */
SSDPM_API const struct ssdpm_survey_fact *ssdpm_survey_file_get_facts(
	const struct ssdpm_survey_file *file, size_t *ret_n);

/** ssdpm_survey_file_get_policy() - its name, or NULL: no such number */
SSDPM_API const char *ssdpm_survey_file_get_policy(
	const struct ssdpm_survey_file *file, uint32_t policy);

/** ssdpm_survey_file_get_scenario() - its name, or NULL: no such number */
SSDPM_API const char *ssdpm_survey_file_get_scenario(
	const struct ssdpm_survey_file *file, uint32_t scenario);

/** ssdpm_survey_file_get_test() - "randread" of "fio:randread", or NULL */
SSDPM_API const char *ssdpm_survey_file_get_test(
	const struct ssdpm_survey_file *file, uint32_t test);

/** ssdpm_survey_file_get_readings() - all runs, by their number */
SSDPM_API const struct ssdpm_survey_readings *ssdpm_survey_file_get_readings(
	const struct ssdpm_survey_file *file, size_t *ret_n);

/** ssdpm_survey_file_get_fio() - all runs of fio, in the order of the file */
SSDPM_API const struct ssdpm_survey_fio *ssdpm_survey_file_get_fio(
	const struct ssdpm_survey_file *file, size_t *ret_n);

/** ssdpm_survey_file_close() - @file may be NULL. Return: NULL. */
SSDPM_API struct ssdpm_survey_file *ssdpm_survey_file_close(
	struct ssdpm_survey_file *file);

/* --- Consistency: operations, second by second --- */

/**
 * struct ssdpm_iops_log_params - how a log is read (sized parameters)
 * @size: sizeof(struct ssdpm_iops_log_params)
 * @op:   enum ssdpm_op that is counted; 0: all
 * @reserved: 0
 */
struct ssdpm_iops_log_params {
	size_t size;
	uint32_t op;
	uint32_t reserved;
};

/**
 * ssdpm_iops_log_read() - operations in each second, from fio's log
 * @fd:       of what --write_iops_log wrote, of one job; stays the caller's;
 *            gzip and zstd are unpacked
 * @params:   or NULL
 * @ret_iops: an array to be freed with free(): of each second; NaN: the log has
 *            none, or, of several directions, not of each
 * @ret_n:    seconds, up to the last one that is whole
 *
 * With log_avg_msec, a line has the mean since the one before, or, where lines
 * are missing, of the usual step, at most 1.5 s; without, it is one operation,
 * and its value 1. Source: fio(1) 3.33, LOG FILE FORMATS.
 *
 * Return: 0; -EINVAL (a line that is none of such a log; times that fall, or
 * means of the same time, which two jobs in one log have, or two runs: the line
 * is in @reterr; means that stand further apart than that), -ENODATA (no
 * line of @op, or less than a second), -ERANGE (beyond 2^20 seconds), -E2BIG,
 * -EIO, -EOPNOTSUPP, -ENOMEM, and what read(2) has.
 */
SSDPM_API int ssdpm_iops_log_read(int fd,
				  const struct ssdpm_iops_log_params *params,
				  double **ret_iops, size_t *ret_n,
				  struct ssdpm_error *reterr);

/** ssdpm_iops_log_read_data() - the same from memory. */
SSDPM_API int ssdpm_iops_log_read_data(
	const void *data, size_t size,
	const struct ssdpm_iops_log_params *params, double **ret_iops,
	size_t *ret_n, struct ssdpm_error *reterr);

/**
 * struct ssdpm_consistency_params - what is looked at (sized parameters)
 * @size:           sizeof(struct ssdpm_consistency_params)
 * @begin_s:        the first second of it
 * @end_s:          one after the last; 0: all
 * @threshold_iops: seconds below it are counted; 0: none
 */
struct ssdpm_consistency_params {
	size_t size;
	uint64_t begin_s;
	uint64_t end_s;
	double threshold_iops;
};

/**
 * struct ssdpm_consistency - how even writes go (sized result)
 * @size:        set by the caller
 * @n:           seconds between begin_s and end_s that have a value
 * @n_holes:     others
 * @n_below:     below the threshold
 * @floor_iops:  the worst second
 * @p01_iops, @p1_iops: a thousandth, and a hundredth, of the seconds have no
 *               more (the nearest rank)
 * @median_iops, @mean_iops, @sd_iops, @max_iops
 * @variation:   coefficient of variation: @sd_iops by @mean_iops; NaN: the mean
 *               is 0
 * @floor_share: @floor_iops by @mean_iops; likewise
 * @plateau_iops: median of the first 10 seconds of the whole log, or of those
 *               before a cliff that comes earlier, after 3 or more; NaN: it has
 *               fewer than 10
 * @cliff_s:     of the whole log: the first second from which on 10 have a
 *               median of no more than half of the plateau; NaN: none
 * @steady_s:    where the first 5 minutes begin that are steady by the rules of
 *               ssdpm_steady_state_find(), in rounds of a minute from the cliff
 *               (or the begin) on; NaN: not reached
 */
struct ssdpm_consistency {
	size_t size;
	uint64_t n;
	uint64_t n_holes;
	uint64_t n_below;
	double floor_iops;
	double p01_iops;
	double p1_iops;
	double median_iops;
	double mean_iops;
	double sd_iops;
	double max_iops;
	double variation;
	double floor_share;
	double plateau_iops;
	double cliff_s;
	double steady_s;
};

/**
 * ssdpm_consistency_measure() - floor, spread, cliff and steady state
 * @iops: of each second; NaN: not known
 *
 * Return: 0; -ENODATA (no second has a value), -EINVAL (below 0 or infinite; a
 * begin that is not before the end), -E2BIG, -ENOMEM.
 */
SSDPM_API int ssdpm_consistency_measure(
	const double *iops, size_t n,
	const struct ssdpm_consistency_params *params,
	struct ssdpm_consistency *ret_consistency, struct ssdpm_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
