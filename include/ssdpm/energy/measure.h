/* SPDX-License-Identifier: MIT */
/*
 * The measurement: what a signal of power tells.
 *
 *     samples -> energy, baseline -> runs, tails
 *
 * This stage is pure. Results are doubles in watts and joules, as samples are.
 * A result that a signal cannot give is refused with the reason, or has an
 * interval. See ssdpm_measure(3).
 */
#ifndef SSDPM_MEASURE_H
#define SSDPM_MEASURE_H

#include <ssdpm/base.h>
#include <ssdpm/energy/power.h>
#include <ssdpm/energy/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Faults of a signal, certain or possible: bits of ssdpm_energy.remarks. */
enum ssdpm_signal_remark {
	SSDPM_SIGNAL_NOT_FINITE = 1 << 0, /* NaN or infinite: left out */
	SSDPM_SIGNAL_NEGATIVE = 1 << 1,	  /* counted as they are */
	SSDPM_SIGNAL_CONSTANT = 1 << 2,	  /* all the same: is it connected? */
	/* Many at the largest value, and it is far from what is next to it. */
	SSDPM_SIGNAL_SATURATED = 1 << 3,
	SSDPM_SIGNAL_DUPLICATES = 1 << 4, /* of a time; the last one counts */
	SSDPM_SIGNAL_BACKWARDS = 1 << 5,  /* a clock that jumped back */
	SSDPM_SIGNAL_GAPS = 1 << 6,
	/* Only in ssdpm_sampling.remarks: slower than what happens. */
	SSDPM_SIGNAL_SLOW = 1 << 7,
	SSDPM_SIGNAL_SLOWER_THAN_IO = 1 << 8, /* than the I/Os come and go */
	/* Readings repeat until the instrument has a new one. */
	SSDPM_SIGNAL_HELD = 1 << 9,
};

/** ssdpm_signal_remark_to_string() - "not-finite" and so on, or NULL */
SSDPM_API const char *ssdpm_signal_remark_to_string(uint32_t bit);
SSDPM_API uint32_t ssdpm_signal_remark_from_string(const char *word);

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
	/* The mode, by halving: if it is unknown when the drive idles. */
	SSDPM_BASELINE_HALF_SAMPLE = 2,
};

/** ssdpm_baseline_method_to_string() - "window", "half-sample", or NULL */
SSDPM_API const char *ssdpm_baseline_method_to_string(uint32_t method);
SSDPM_API uint32_t ssdpm_baseline_method_from_string(const char *word);

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
 * @params: or NULL: it is unknown when the drive idles
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
 * Counts each value in a bucket of 1/32768 of its power of two: median and MAD
 * are as exact as that. Memory grows with the range of values, not with their
 * number.
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
 * @ret_activities: room for @n; may be NULL where that is 0
 * @n:          then how many there are, which may be more than there was room
 *              for: the first ones were written
 *
 * Return: 0; -ENODATA (no finite sample), -EINVAL, -E2BIG (@params), -ENOMEM.
 */
SSDPM_API int ssdpm_activity_find(const struct ssdpm_samples *samples,
				  const struct ssdpm_baseline *baseline,
				  const struct ssdpm_detect_params *params,
				  struct ssdpm_activity *ret_activities,
				  size_t *n, struct ssdpm_error *reterr);

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
 * a tenth of it. Nine tenths of the times between must be within a fifth of it.
 *
 * Return: as ssdpm_activity_find().
 */
SSDPM_API int ssdpm_idle_work_find(const struct ssdpm_samples *samples,
				   const struct ssdpm_baseline *baseline,
				   const struct ssdpm_detect_params *params,
				   struct ssdpm_idle_work *ret_work,
				   struct ssdpm_error *reterr);

/** How many of the first samples of a long signal tell how it was sampled. */
#define SSDPM_SAMPLING_SAMPLES 65536

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
 * @params: NULL: the baseline is that of ssdpm_baseline_find(), if it finds one
 *
 * SSDPM_SIGNAL_SLOW: three or more excursions are short, and they have most of
 * the energy above the baseline and 1 % of all energy. Their lengths and
 * energies are not known, and others like them may have been missed. They may
 * also be spikes of the instrument, which look the same. Events of less than a
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
 * struct ssdpm_change_params - what a change of the mean is (sized parameters)
 * @size:        sizeof(struct ssdpm_change_params)
 * @sigma_w:     of the noise; 0: from the differences of neighbours, by MAD
 * @penalty:     in squares of sigma for each change: 0: 2 ln n (BIC)
 * @min_samples: in each stretch; 0: 2
 */
struct ssdpm_change_params {
	size_t size;
	double sigma_w;
	double penalty;
	size_t min_samples;
};

/**
 * ssdpm_change_points_find() - where the mean of a signal changes
 * @params:     or NULL
 * @ret_begins: index of the first sample of each stretch but the first; room
 *              for @capacity
 * @ret_n:      how many there are; more than @capacity: the first were written
 *
 * Exact: the segmentation of least squares and penalty (PELT; Killick,
 * Fearnhead and Eckley 2012). Its time is linear where changes are many, and
 * quadratic where there are none: 20000 samples at most.
 *
 * Return: 0; -ENODATA (fewer than 2 * min_samples finite samples), -E2BIG
 * (more than 20000), -EINVAL, -ENOMEM.
 */
SSDPM_API int ssdpm_change_points_find(const struct ssdpm_samples *samples,
				       const struct ssdpm_change_params *params,
				       size_t *ret_begins, size_t capacity,
				       size_t *ret_n,
				       struct ssdpm_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
