/* SPDX-License-Identifier: MIT */
/*
 * The tracer: trace events of Linux, as text, for ssdpm_observation_feed().
 *
 *     machine -> disks; tracefs -> an instance -> formats, text
 *
 * The stage reads and writes tracefs. It sends no command to a drive and writes
 * to none. See ssdpm_tracer(3).
 */
#ifndef SSDPM_TRACER_H
#define SSDPM_TRACER_H

#include <ssdpm/base.h>
#include <ssdpm/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A block device and a drive. */
enum ssdpm_disk_part {
	SSDPM_DISK_WHOLE = 1,	  /* the drive, or a namespace of it */
	SSDPM_DISK_PARTITION = 2, /* a partition of that */
	SSDPM_DISK_STACKED = 3,	  /* a device that uses one of them: dm, md */
};

/**
 * struct ssdpm_disk - a block device that leads to a drive (frozen, 48 bytes)
 * @part:     enum ssdpm_disk_part
 * @major:    as in /sys/block/nvme0n1/dev
 * @minor:    likewise
 * @reserved: 0
 * @name:     "nvme0n1", "nvme0n1p1", "dm-0"
 */
struct ssdpm_disk {
	uint32_t part;
	uint32_t major;
	uint32_t minor;
	uint32_t reserved;
	char name[32];
};

/**
 * ssdpm_device_read_disks() - the block devices that lead to a drive
 * @ret_disks: whole ones first; an array to be freed with free(); NULL: none
 * @ret_n:     how many
 *
 * Return: 0; -E2BIG (more than 256), -ENOMEM, and others of open(2).
 */
SSDPM_API int ssdpm_device_read_disks(struct ssdpm_machine *machine,
				      const struct ssdpm_device *device,
				      struct ssdpm_disk **ret_disks,
				      size_t *ret_n,
				      struct ssdpm_error *reterr);

/**
 * struct ssdpm_tracer_params - what to trace (sized parameters)
 * @size:       sizeof(struct ssdpm_tracer_params)
 * @tracefs:    where it is mounted; NULL: /sys/kernel/tracing
 * @disks:      of all drives: whole, partitions and stacked; copied
 * @n_disks:    how many, from 1 to 16,384
 * @events:     the events to read: the n-th is block/block_rq_issue and so on,
 *              as of ssdpm_observation_get_event()
 * @n_events:   how many
 * @buffer_bytes: of the kernel, for each processor; 0: 512 KiB
 * @reserved:   0
 */
struct ssdpm_tracer_params {
	size_t size;
	const char *tracefs;
	const struct ssdpm_disk *disks;
	size_t n_disks;
	const char *const *events;
	size_t n_events;
	uint32_t buffer_bytes;
	uint32_t reserved;
};

struct ssdpm_tracer;

/**
 * ssdpm_tracer_new() - begin to trace
 * @ret_tracer: free it with ssdpm_tracer_free()
 *
 * Makes an instance "ssdpm-PID-START" of tracefs, which nobody else uses, after
 * those of dead processes were removed. Its clock is that of CLOCK_BOOTTIME.
 * Events of other disks are filtered out by the kernel. An event that this
 * kernel does not have is left out.
 *
 * Return: 0; -ENOENT (tracefs is not mounted), -EACCES, -EPERM (no rights, or
 * the kernel is locked down), -ENODATA (the kernel has none of the events),
 * -EINVAL, -E2BIG (@params), -ENOMEM, and others of open(2) and mkdir(2).
 */
SSDPM_API int ssdpm_tracer_new(const struct ssdpm_tracer_params *params,
			       struct ssdpm_tracer **ret_tracer,
			       struct ssdpm_error *reterr);

/**
 * ssdpm_tracer_free() - end, and remove the instance; @tracer may be NULL
 *
 * Return: NULL.
 */
SSDPM_API struct ssdpm_tracer *ssdpm_tracer_free(struct ssdpm_tracer *tracer);

/** ssdpm_tracer_get_fd() - to wait for text with poll(2); not to be read */
SSDPM_API int ssdpm_tracer_get_fd(const struct ssdpm_tracer *tracer);

/** ssdpm_tracer_get_n_removed() - instances of dead processes, removed by new
 */
SSDPM_API size_t ssdpm_tracer_get_n_removed(const struct ssdpm_tracer *tracer);

/**
 * ssdpm_tracer_read() - text that has come
 * @text:  room for @size bytes
 * @ret_n: how many were written; 0: there is none now
 *
 * Return: 0, and others of read(2).
 */
SSDPM_API int ssdpm_tracer_read(struct ssdpm_tracer *tracer, char *text,
				size_t size, size_t *ret_n,
				struct ssdpm_error *reterr);

/**
 * ssdpm_tracer_read_format() - how this kernel prints an event
 * @event:    its number in the parameters
 * @ret_text: for ssdpm_observation_set_format(); free it with free()
 *
 * Return: 0; -ENOENT (no such number, or this kernel lacks the event), -E2BIG,
 * -ENOMEM, and others of open(2).
 */
SSDPM_API int ssdpm_tracer_read_format(const struct ssdpm_tracer *tracer,
				       size_t event, char **ret_text,
				       struct ssdpm_error *reterr);

/**
 * ssdpm_tracer_set_on() - stop for a while, and go on
 *
 * While it is off, the events take no time in the I/Os either.
 *
 * Return: 0, and others of write(2).
 */
SSDPM_API int ssdpm_tracer_set_on(struct ssdpm_tracer *tracer, uint32_t on,
				  struct ssdpm_error *reterr);

/**
 * ssdpm_tracer_read_lost() - events that the kernel dropped so far
 *
 * The text says so too, but late.
 *
 * Return: 0, and others of open(2).
 */
SSDPM_API int ssdpm_tracer_read_lost(const struct ssdpm_tracer *tracer,
				     uint64_t *ret_lost,
				     struct ssdpm_error *reterr);

/** ssdpm_disk_part_to_string() - "whole", "partition", "stacked", or NULL */
SSDPM_API const char *ssdpm_disk_part_to_string(uint32_t part);
SSDPM_API uint32_t ssdpm_disk_part_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
