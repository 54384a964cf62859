/* SPDX-License-Identifier: MIT */
/* Drives of this machine, their trace, and an observation that it feeds. */
#include "watch/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/text.h"
#include "observe/observation.h"

#define TRACE_WAIT_MS 200
/*
 * A poll of trace_pipe ends at each event, whatever buffer_percent is: Linux
 * heeds that for a single processor. So nobody polls after text, for a while in
 * which a buffer does not fill.
 */
#define REST_MS 20
/* Linux has fewer events that an observation reads. */
#define MAX_EVENTS 32
#define CGROUPS "/sys/fs/cgroup"
/* A kernel that writes as fast as this reads has no end. */
#define MOST_READS 64

uint64_t ssdpm__watch_read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static uint64_t boot_ns(void)
{
	return ssdpm__watch_read_clock(CLOCK_BOOTTIME);
}

uint32_t ssdpm__controller_of(const struct ssdpm_device *device)
{
	const char *name = ssdpm_device_get_facts(device)->name;
	struct span span = ssdpm__span(name, strlen(name));
	uint64_t number;

	if (ssdpm__take(&span, "nvme") &&
	    ssdpm__take_uint(&span, SSDPM_NO_CONTROLLER - 1, &number))
		return (uint32_t)number;
	return SSDPM_NO_CONTROLLER;
}

int ssdpm_watch_new(struct ssdpm_machine *machine,
		    struct ssdpm_observation *observation,
		    struct ssdpm_watch **ret_watch, struct ssdpm_error *reterr)
{
	struct ssdpm_observed drive = { .size = sizeof(drive) };
	struct ssdpm_watch *watch;

	if (ssdpm_observation_get_drive(observation, 0, &drive, NULL) !=
	    -ENOENT)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the observation has a drive already");
	watch = calloc(1, sizeof(*watch));
	if (!watch)
		return ssdpm__no_memory(reterr);
	watch->machine = ssdpm_machine_ref(machine);
	watch->observation = observation;
	*ret_watch = watch;
	return 0;
}

static void release(struct watched *drive)
{
	ssdpm_device_unref(drive->device);
	free(drive->disks);
}

struct ssdpm_watch *ssdpm_watch_free(struct ssdpm_watch *watch)
{
	if (!watch)
		return NULL;
	ssdpm_tracer_free(watch->tracer);
	for (size_t i = 0; i < watch->n; i++)
		release(&watch->drives[i]);
	free(watch->drives);
	ssdpm_machine_unref(watch->machine);
	free(watch->remarks);
	free(watch);
	return NULL;
}

static int read_disks(const struct ssdpm_watch *watch, struct watched *drive,
		      struct ssdpm_error *reterr)
{
	const int err =
		ssdpm_device_read_disks(watch->machine, drive->device,
					&drive->disks, &drive->n_disks, reterr);

	if (err)
		return err;
	if (!drive->n_disks || drive->disks[0].part != SSDPM_DISK_WHOLE)
		return ssdpm__fail(reterr, -ENODEV, 0,
				   "no block device belongs to it");
	return 0;
}

/* All but the first of its devices are the same drive, if they are not above
 * it. */
static int add_partitions(const struct ssdpm_watch *watch, size_t index,
			  struct ssdpm_error *reterr)
{
	const struct watched *drive = &watch->drives[index];
	int err = 0;

	for (size_t i = 1; i < drive->n_disks && !err; i++)
		if (drive->disks[i].part != SSDPM_DISK_STACKED)
			err = ssdpm_observation_add_partition(
				watch->observation, index,
				drive->disks[i].major, drive->disks[i].minor,
				reterr);
	return err;
}

static int observe(const struct ssdpm_watch *watch, const struct watched *drive,
		   const struct ssdpm_observed_params *params,
		   struct ssdpm_error *reterr)
{
	struct ssdpm_observed_params own = { .size = sizeof(own) };
	int err = ssdpm__sized_in(&own, sizeof(own), params,
				  "struct ssdpm_observed_params", reterr);

	if (err)
		return err;
	own.major = drive->disks[0].major;
	own.minor = drive->disks[0].minor;
	own.ctrl_id = ssdpm__controller_of(drive->device);
	return ssdpm_observation_add_drive(watch->observation, &own, reterr);
}

int ssdpm_watch_add_drive(struct ssdpm_watch *watch,
			  struct ssdpm_device *device,
			  const struct ssdpm_observed_params *params,
			  struct ssdpm_error *reterr)
{
	struct watched drive = { 0 };
	struct watched *more;
	int err;

	if (watch->tracer)
		return ssdpm__fail(reterr, -EBUSY, 0, "the watch has begun");
	more = reallocarray(watch->drives, watch->n + 1, sizeof(*more));
	if (!more)
		return ssdpm__no_memory(reterr);
	watch->drives = more;
	drive.device = ssdpm_device_ref(device);
	err = read_disks(watch, &drive, reterr);
	if (!err)
		err = observe(watch, &drive, params, reterr);
	if (err) {
		release(&drive);
		return err;
	}
	watch->drives[watch->n++] = drive;
	return add_partitions(watch, watch->n - 1, reterr);
}

const struct ssdpm_disk *ssdpm_watch_get_disks(const struct ssdpm_watch *watch,
					       size_t drive, size_t *ret_n)
{
	if (drive >= watch->n)
		return NULL;
	*ret_n = watch->drives[drive].n_disks;
	return watch->drives[drive].disks;
}

/* All block devices that lead to any of the drives; NULL: out of memory. */
static struct ssdpm_disk *all_disks(const struct ssdpm_watch *watch,
				    size_t *ret_n)
{
	struct ssdpm_disk *disks;
	size_t n = 0;

	for (size_t i = 0; i < watch->n; i++)
		n += watch->drives[i].n_disks;
	disks = calloc(n + 1, sizeof(*disks));
	*ret_n = 0;
	for (size_t i = 0; disks && i < watch->n; i++)
		for (size_t j = 0; j < watch->drives[i].n_disks; j++)
			disks[(*ret_n)++] = watch->drives[i].disks[j];
	return disks;
}

static int open_tracer(struct ssdpm_watch *watch, const char *tracefs,
		       struct ssdpm_error *reterr)
{
	const char *events[MAX_EVENTS];
	struct ssdpm_tracer_params params = { .size = sizeof(params),
					      .tracefs = tracefs,
					      .events = events };
	struct ssdpm_disk *disks = all_disks(watch, &params.n_disks);
	int err;

	if (!disks)
		return ssdpm__no_memory(reterr);
	params.disks = disks;
	while (params.n_events < MAX_EVENTS &&
	       (events[params.n_events] =
			ssdpm_observation_get_event(params.n_events)))
		params.n_events++;
	err = ssdpm_tracer_new(&params, &watch->tracer, reterr);
	free(disks);
	return err;
}

/* Without these it would see no I/O. */
static bool is_needed(const char *event)
{
	return !strcmp(event, "block/block_rq_issue") ||
	       !strcmp(event, "block/block_rq_complete");
}

static int set_format(const struct ssdpm_watch *watch, size_t index,
		      struct ssdpm_error *reterr)
{
	const char *event = ssdpm_observation_get_event(index);
	struct ssdpm_error error;
	char *format;
	int err =
		ssdpm_tracer_read_format(watch->tracer, index, &format, &error);
	if (err == -ENOENT && !is_needed(event))
		return 0;
	if (err == -ENOENT)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "not supported by this kernel: it has no "
				   "trace event %s, without which no I/O is "
				   "seen",
				   event);
	if (err)
		return ssdpm__pass_on(err, &error, reterr);
	err = ssdpm_observation_set_format(watch->observation, format,
					   strlen(format), &error);
	free(format);
	return err ? ssdpm__fail(reterr, err, 0, "%s: %s", event,
				 error.message) :
		     0;
}

int ssdpm_watch_begin(struct ssdpm_watch *watch, const char *tracefs,
		      struct ssdpm_error *reterr)
{
	int err;

	if (watch->tracer)
		return ssdpm__fail(reterr, -EBUSY, 0, "the watch has begun");
	if (!watch->n)
		return ssdpm__fail(reterr, -EINVAL, 0, "no drive is watched");
	if (!tracefs && ssdpm_machine_get_capture(watch->machine))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a capture has no trace events");
	err = open_tracer(watch, tracefs, reterr);
	for (size_t i = 0; !err && ssdpm_observation_get_event(i); i++)
		err = set_format(watch, i, reterr);
	/* The last thing before the first event: then no drive can be added. */
	free(watch->remarks);
	watch->remarks = NULL;
	if (!err)
		err = ssdpm__watch_tell_backings(watch, reterr);
	if (err) {
		watch->tracer = ssdpm_tracer_free(watch->tracer);
		return err;
	}
	watch->observation->is_live = true;
	watch->now_ns = watch->looked_ns = boot_ns();
	ssdpm__load_begin(watch);
	return 0;
}

int ssdpm_watch_get_fd(const struct ssdpm_watch *watch)
{
	return watch->tracer && !watch->rests ?
		       ssdpm_tracer_get_fd(watch->tracer) :
		       -1;
}

uint32_t ssdpm_watch_get_wait_ms(const struct ssdpm_watch *watch)
{
	if (watch->load.is_off)
		return ssdpm__load_get_wait_ms(watch);
	return watch->rests ? REST_MS : TRACE_WAIT_MS;
}

int ssdpm__watch_feed(struct ssdpm_watch *watch, const char *text, size_t size,
		      struct ssdpm_error *reterr)
{
	if (watch->write_fn)
		watch->write_fn(watch->userdata, text, size);
	return ssdpm_observation_feed(watch->observation, text, size, reterr);
}

int ssdpm__watch_remark(struct ssdpm_watch *watch, const char *line,
			struct ssdpm_error *reterr)
{
	const size_t n_before = watch->remarks ? strlen(watch->remarks) : 0;
	const size_t n = strlen(line);
	char *text;

	if (n_before && strstr(watch->remarks, line))
		return 0;
	text = realloc(watch->remarks, n_before + n + 1);
	if (!text)
		return ssdpm__no_memory(reterr);
	memcpy(text + n_before, line, n + 1);
	watch->remarks = text;
	return ssdpm__watch_feed(watch, line, n, reterr);
}

int ssdpm__watch_tell_gap(struct ssdpm_watch *watch,
			  const struct watched *drive, uint64_t from_ns,
			  uint64_t n_ios, struct ssdpm_error *reterr)
{
	char line[128];
	const int n = snprintf(line, sizeof(line),
			       "# gap: %" PRIu32 ",%" PRIu32 " %" PRIu64
			       " %" PRIu64 " %" PRIu64 "\n",
			       drive->disks[0].major, drive->disks[0].minor,
			       from_ns, watch->now_ns, n_ios);

	return ssdpm__watch_feed(watch, line, (size_t)n, reterr);
}

/* All text that is there now. */
static int read_text(struct ssdpm_watch *watch, struct ssdpm_error *reterr)
{
	size_t n = 1;

	watch->rests = false;
	for (size_t i = 0; n && i < MOST_READS; i++) {
		int err = ssdpm_tracer_read(watch->tracer, watch->text,
					    sizeof(watch->text), &n, reterr);

		if (!err && n)
			err = ssdpm__watch_feed(watch, watch->text, n, reterr);
		if (err)
			return err;
		watch->rests |= n != 0;
	}
	watch->is_empty = !n;
	return 0;
}

static bool is_there(const struct ssdpm_watch *watch,
		     const struct watched *drive)
{
	const struct ssdpm_disk *disk = &drive->disks[0];
	char path[80], number[32], was[32];

	snprintf(path, sizeof(path), "sys/class/block/%s/dev", disk->name);
	snprintf(was, sizeof(was), "%u:%u", (unsigned int)disk->major,
		 (unsigned int)disk->minor);
	return !ssdpm_machine_read_attribute(watch->machine, path, number,
					     sizeof(number), NULL) &&
	       !strcmp(number, was);
}

/* Another one may have its name and its number now. */
static bool is_same_drive(const struct ssdpm_watch *watch,
			  const struct watched *drive)
{
	const struct ssdpm_device_facts *was =
		ssdpm_device_get_facts(drive->device);
	struct ssdpm_device *device;

	if (ssdpm_device_read(watch->machine, was->name, &device, NULL))
		return false;
	const struct ssdpm_device_facts *is = ssdpm_device_get_facts(device);
	const bool same = !strcmp(is->product, was->product) &&
			  !strcmp(is->address, was->address);

	ssdpm_device_unref(device);
	return same;
}

/* false: it was here all the time. */
static bool was_away(const struct ssdpm_watch *watch, struct watched *drive)
{
	const bool was_gone = drive->flags & SSDPM_WATCH_GONE;
	const bool is_gone = !is_there(watch, drive) ||
			     (was_gone && !is_same_drive(watch, drive));

	drive->flags &= ~SSDPM_WATCH_GONE;
	if (is_gone)
		drive->flags |= SSDPM_WATCH_GONE;
	return was_gone || is_gone;
}

/*
 * The state of a drive that went away is unknown from when it was last here
 * until it is back.
 */
static int look_for_gone(struct ssdpm_watch *watch, struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < watch->n && !err; i++) {
		const struct watched *drive = &watch->drives[i];

		if (was_away(watch, &watch->drives[i]))
			err = ssdpm__watch_tell_gap(
				watch, drive, watch->looked_ns, 0, reterr);
	}
	watch->looked_ns = watch->now_ns;
	return err;
}

/* The trace is off until the drives do less. */
static int turn_off(struct ssdpm_watch *watch, struct ssdpm_error *reterr)
{
	int err;

	ssdpm__load_begin_gap(watch);
	err = ssdpm_tracer_set_on(watch->tracer, 0, reterr);
	watch->now_ns = boot_ns();
	ssdpm__load_begin_gap_time(watch);
	do {
		if (!err)
			err = read_text(watch, reterr);
	} while (!err && !watch->is_empty);
	return err;
}

static int turn_on(struct ssdpm_watch *watch, struct ssdpm_error *reterr)
{
	int err;

	watch->now_ns = boot_ns();
	err = ssdpm__load_tell_gaps(watch, reterr);
	watch->load.is_off = watch->rests = false;
	return err ? err : ssdpm_tracer_set_on(watch->tracer, 1, reterr);
}

/* Another root says nothing of the cgroups of this machine. */
static int name_cgroups(struct ssdpm_watch *watch, struct ssdpm_error *reterr)
{
	return ssdpm_machine_get_capture(watch->machine) ?
		       0 :
		       ssdpm__watch_name_cgroups(watch, CGROUPS, reterr);
}

/* A file system may be mounted later. */
static int tell_new_backings(struct ssdpm_watch *watch,
			     struct ssdpm_error *reterr)
{
	if (!watch->observation->lacks_backing)
		return 0;
	watch->observation->lacks_backing = false;
	return ssdpm__watch_tell_backings(watch, reterr);
}

/* Once a second */
static int look(struct ssdpm_watch *watch, struct ssdpm_error *reterr)
{
	int err;

	if (watch->now_ns - watch->looked_ns < SECOND_NS)
		return 0;
	err = name_cgroups(watch, reterr);
	if (!err)
		err = tell_new_backings(watch, reterr);
	return err ? err : look_for_gone(watch, reterr);
}

static int count(struct ssdpm_watch *watch, struct ssdpm_error *reterr)
{
	const bool is_quiet = ssdpm__load_is_quiet(watch);
	/* One that is gone counts nothing, as one that rests. */
	int err = look(watch, reterr);

	if (err)
		return err;
	if (is_quiet)
		return turn_on(watch, reterr);
	if (watch->now_ns - watch->load.from_ns >= SECOND_NS)
		return ssdpm__load_tell_gaps(watch, reterr);
	return 0;
}

static int trace(struct ssdpm_watch *watch, struct ssdpm_error *reterr)
{
	int err = read_text(watch, reterr);

	if (err)
		return err;
	if (ssdpm__load_is_too_much(watch))
		return turn_off(watch, reterr);
	if (!watch->is_empty)
		return 0;
	err = look(watch, reterr);
	return err ? err :
		     ssdpm_observation_advance(watch->observation,
					       watch->now_ns, reterr);
}

static int step(struct ssdpm_watch *watch, struct ssdpm_error *reterr)
{
	if (!watch->tracer)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the watch has not begun");
	/* Time first: what comes after it is later. */
	watch->now_ns = boot_ns();
	ssdpm__load_begin_step(watch);
	return watch->load.is_off ? count(watch, reterr) : trace(watch, reterr);
}

int ssdpm_watch_step(struct ssdpm_watch *watch, uint64_t *ret_now_ns,
		     struct ssdpm_error *reterr)
{
	const int err = step(watch, reterr);

	if (!err)
		*ret_now_ns = watch->now_ns;
	return err;
}

int ssdpm_watch_finish(struct ssdpm_watch *watch, struct ssdpm_error *reterr)
{
	int err = step(watch, reterr);

	if (!err && watch->load.is_off)
		err = ssdpm__load_tell_gaps(watch, reterr);
	if (!err)
		err = name_cgroups(watch, reterr);
	if (!err)
		err = look_for_gone(watch, reterr);
	if (err)
		return err;
	ssdpm__watch_end_recording(watch);
	return ssdpm_observation_finish(watch->observation, watch->now_ns,
					reterr);
}

uint32_t ssdpm_watch_get_flags(const struct ssdpm_watch *watch, size_t drive)
{
	return drive < watch->n ? watch->drives[drive].flags : 0;
}

int ssdpm_watch_read_lost(const struct ssdpm_watch *watch, uint64_t *ret_lost,
			  struct ssdpm_error *reterr)
{
	if (!watch->tracer)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the watch has not begun");
	return ssdpm_tracer_read_lost(watch->tracer, ret_lost, reterr);
}

int ssdpm_watch_set_writer(struct ssdpm_watch *watch,
			   ssdpm_watch_write_fn write_fn, void *userdata,
			   struct ssdpm_error *reterr)
{
	int err;

	if (!watch->tracer)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the watch has not begun");
	/* Else there is text of a time before now. */
	if (watch->is_empty)
		ssdpm__watch_end_recording(watch);
	watch->write_fn = write_fn;
	watch->userdata = userdata;
	if (!write_fn)
		return 0;
	err = ssdpm__watch_write_head(watch, reterr);
	if (err)
		watch->write_fn = NULL;
	return err;
}
