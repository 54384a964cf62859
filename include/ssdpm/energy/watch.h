/* SPDX-License-Identifier: MIT */
/*
 * Watch: drives of this machine that are observed now.
 *
 *     drives -> disks -> tracer -> observation; a recording, too
 *
 * While the drives work hard, the trace is off and their I/Os are only counted.
 * The stage sends no command to a drive and writes to none. See ssdpm_watch(3).
 */
#ifndef SSDPM_WATCH_H
#define SSDPM_WATCH_H

#include <ssdpm/energy/observe.h>
#include <ssdpm/energy/tracer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of the flags of a drive that is watched. */
#define SSDPM_WATCH_GONE 1u /* it went away: what it does is unknown */
/* Linux does not count its I/Os, so the trace stays on under load. */
#define SSDPM_WATCH_UNCOUNTED 2u

struct ssdpm_watch;

/**
 * ssdpm_watch_new() - without a drive
 * @machine:     the watch keeps it
 * @observation: without a drive; it must live longer than the watch. Between
 *               the calls the caller may read it
 * @ret_watch:   free it with ssdpm_watch_free()
 *
 * Return: 0; -EINVAL (@observation has a drive), -ENOMEM.
 */
SSDPM_API int ssdpm_watch_new(struct ssdpm_machine *machine,
			      struct ssdpm_observation *observation,
			      struct ssdpm_watch **ret_watch,
			      struct ssdpm_error *reterr);

/**
 * ssdpm_watch_free() - end the trace, and remove what it made in tracefs
 *
 * Return: NULL.
 */
SSDPM_API struct ssdpm_watch *ssdpm_watch_free(struct ssdpm_watch *watch);

/**
 * ssdpm_watch_add_drive() - watch this drive, too
 * @device: the watch keeps it
 * @params: as for ssdpm_observation_add_drive(), but major, minor and ctrl_id
 *          are those of @device
 *
 * The drive and its partitions are added to the observation. Its index there is
 * that of the watch, too.
 *
 * Return: 0; -EBUSY (it has begun), -ENODEV (no block device belongs to it),
 * and as ssdpm_device_read_disks(), ssdpm_observation_add_drive() and
 * ssdpm_observation_add_partition().
 */
SSDPM_API int ssdpm_watch_add_drive(struct ssdpm_watch *watch,
				    struct ssdpm_device *device,
				    const struct ssdpm_observed_params *params,
				    struct ssdpm_error *reterr);

/**
 * ssdpm_watch_get_disks() - the block devices that lead to a drive
 * @ret_n: how many
 *
 * Return: as of ssdpm_device_read_disks(), until the watch is freed; NULL: no
 * such drive.
 */
SSDPM_API const struct ssdpm_disk *ssdpm_watch_get_disks(
	const struct ssdpm_watch *watch, size_t drive, size_t *ret_n);

/**
 * ssdpm_watch_begin() - begin to trace
 * @tracefs: where it is mounted; NULL: /sys/kernel/tracing
 *
 * Return: 0; -EBUSY (it has begun), -EOPNOTSUPP (this kernel lacks an event of
 * I/Os), -EINVAL (no drive, or the machine is a capture and @tracefs is NULL),
 * and as ssdpm_tracer_new(), ssdpm_tracer_read_format() and
 * ssdpm_observation_set_format().
 */
SSDPM_API int ssdpm_watch_begin(struct ssdpm_watch *watch, const char *tracefs,
				struct ssdpm_error *reterr);

/**
 * ssdpm_watch_get_fd() - to wait with poll(2) before a step; not to be read
 *
 * Ask before each poll(2), which ignores -1.
 *
 * Return: the descriptor; -1 if it has not begun, or if the last step has read
 * text. A poll would then end at the next event, so wait for the time alone.
 */
SSDPM_API int ssdpm_watch_get_fd(const struct ssdpm_watch *watch);

/**
 * ssdpm_watch_get_wait_ms() - how long to wait at most before the next step
 *
 * Return: 20 after a step that has read text; 200 after another, because Linux
 * may report text only when the buffer is half full. While it counts: 10 to
 * 200, so that a count takes at most 1 % of a processor.
 */
SSDPM_API uint32_t ssdpm_watch_get_wait_ms(const struct ssdpm_watch *watch);

/**
 * ssdpm_watch_step() - what has happened since the last step
 * @ret_now_ns: on the clock of the trace, CLOCK_BOOTTIME
 *
 * Feeds the observation, and never waits. More than 6,000 lines of text a
 * second turn the trace off until the drives do less. So does text that takes
 * more than 2.4 % of a processor to read. Until then their I/Os are counted,
 * and the observation is told so, as a gap. A drive that went away has a gap,
 * too, until it is back.
 *
 * Return: 0; -EINVAL (not begun, or finished), and as ssdpm_tracer_read(),
 * ssdpm_tracer_set_on() and ssdpm_observation_feed().
 */
SSDPM_API int ssdpm_watch_step(struct ssdpm_watch *watch, uint64_t *ret_now_ns,
			       struct ssdpm_error *reterr);

/**
 * ssdpm_watch_finish() - a last step; then the observation is finished
 *
 * A recording gets its end, and is no longer written. The trace ends with
 * ssdpm_watch_free().
 *
 * Return: as ssdpm_watch_step().
 */
SSDPM_API int ssdpm_watch_finish(struct ssdpm_watch *watch,
				 struct ssdpm_error *reterr);

/** ssdpm_watch_get_flags() - bits SSDPM_WATCH_...; 0: no such drive, too */
SSDPM_API uint32_t ssdpm_watch_get_flags(const struct ssdpm_watch *watch,
					 size_t drive);

/**
 * ssdpm_watch_read_lost() - events that the kernel dropped so far
 *
 * Return: 0; -EINVAL (not begun), and as ssdpm_tracer_read_lost().
 */
SSDPM_API int ssdpm_watch_read_lost(const struct ssdpm_watch *watch,
				    uint64_t *ret_lost,
				    struct ssdpm_error *reterr);

/** ssdpm_watch_write_fn - the next piece of a recording; it is not kept */
typedef void (*ssdpm_watch_write_fn)(void *userdata, const char *text,
				     size_t size);

/**
 * ssdpm_watch_set_writer() - record what it reads from now on
 * @write_fn: called by this function and by later steps; NULL: no longer
 *
 * The recording begins with the drives, their policies and the formats, so that
 * it can be read alone. The writer before gets a line "# end: ", so that the
 * recording has the time after its last event. @write_fn keeps its own errors.
 *
 * Return: 0; -EINVAL (not begun), -ENOMEM, and as ssdpm_tracer_read_format().
 */
SSDPM_API int ssdpm_watch_set_writer(struct ssdpm_watch *watch,
				     ssdpm_watch_write_fn write_fn,
				     void *userdata,
				     struct ssdpm_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
