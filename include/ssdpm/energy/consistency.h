/* SPDX-License-Identifier: MIT */
/*
 * Consistency: operations, second by second.
 *
 *     fio's log -> the worst second, the spread, the cliff, the steady state
 *
 * See ssdpm_consistency(3).
 */
#ifndef SSDPM_CONSISTENCY_H
#define SSDPM_CONSISTENCY_H

#include <ssdpm/base.h>
#include <ssdpm/device.h>

#ifdef __cplusplus
extern "C" {
#endif

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
 *            gzip, zstd, xz and bzip2 are unpacked
 * @params:   or NULL
 * @ret_iops: an array to be freed with free(): of each second; NaN: the log has
 *            none, or, of several directions, not of each
 * @ret_n:    seconds, up to the last one that is whole
 *
 * With log_avg_msec, a line has the mean since the one before. If lines are
 * missing, it is that of the usual step, at most 1.5 s. Without log_avg_msec, a
 * line is one operation, and its value 1. Source: fio(1) 3.33, LOG FILE
 * FORMATS.
 *
 * Return: 0; -EINVAL (a line of no such log; times that fall; two means of one
 * time, from two jobs or runs; means too far apart), -ENODATA (no line of @op,
 * or less than a second), -ERANGE (beyond 2^20 seconds), -E2BIG, -EIO,
 * -EOPNOTSUPP, -ENOMEM, and what read(2) has. With -EINVAL @reterr has the
 * line.
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
 * @power_w:        mean power of each second, as many as iops has; NaN: not
 *                  known. NULL: of none
 */
struct ssdpm_consistency_params {
	size_t size;
	uint64_t begin_s;
	uint64_t end_s;
	double threshold_iops;
	const double *power_w;
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
 * @plateau_power_w: mean power of the seconds of the plateau that have a value
 *               and whose power is known; NaN: there are none
 * @mean_power_w: likewise, of the @n seconds that @mean_iops is of
 *
 * A second without a value has no part in a mean power, so that power and
 * operations are of the same seconds.
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
	double plateau_power_w;
	double mean_power_w;
};

/**
 * ssdpm_consistency_measure() - floor, spread, cliff and steady state
 * @iops: of each second; NaN: not known
 *
 * Return: 0; -ENODATA (no second has a value), -EINVAL (operations or watts
 * below 0 or infinite; a begin that is not before the end), -E2BIG, -ENOMEM.
 */
SSDPM_API int ssdpm_consistency_measure(
	const double *iops, size_t n,
	const struct ssdpm_consistency_params *params,
	struct ssdpm_consistency *ret_consistency, struct ssdpm_error *reterr);

/**
 * ssdpm_machine_check_unused() - may a whole disk be written over?
 * @disk_major, @disk_minor: its number, as st_rdev of its node has it
 *
 * A disk is not in use if neither it nor a partition of it
 * - is mounted or is swap;
 * - is part of device mapper or RAID;
 * - is the backing file of a loop device, or a namespace of Linux's NVMe
 *   target;
 * - is open in another process, under whatever name.
 *
 * Sends no command, and opens only loop devices. A user of it through another
 * node, as /dev/sg0 or /dev/ng0n1, is not seen.
 *
 * Open the disk with O_EXCL and call this again before the first write. From
 * then on no process can have the disk for itself, and one that has opened it
 * otherwise is found. Nothing keeps a process from opening it later.
 *
 * Return: 0: nothing uses it; -EBUSY (@reterr says what does), -EACCES (not all
 * processes can be seen: @reterr says what allows it), -ENODEV (there is no
 * such disk in sysfs), -EOPNOTSUPP (a capture), -ENOMEM, -EIO, and others of
 * open(2).
 */
SSDPM_API int ssdpm_machine_check_unused(const struct ssdpm_machine *machine,
					 uint32_t disk_major,
					 uint32_t disk_minor,
					 struct ssdpm_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
