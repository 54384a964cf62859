/* SPDX-License-Identifier: MIT */
/* The observation: from lines to events, and from events to drives. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "observe/observation.h"
#include "workload/io-block.h"

int ssdpm_observation_new(struct ssdpm_observation **ret_observation,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_observation *observation = calloc(1, sizeof(*observation));

	if (!observation)
		return ssdpm__no_memory(reterr);
	ssdpm__formats_init(&observation->formats);
	ssdpm__causes_init(&observation->causes);
	observation->order.never_skips = true;
	*ret_observation = observation;
	return 0;
}

struct ssdpm_observation *ssdpm_observation_free(
	struct ssdpm_observation *observation)
{
	if (!observation)
		return NULL;
	for (size_t i = 0; i < observation->n_drives; i++)
		ssdpm__drive_free(observation->drives[i]);
	free(observation);
	return NULL;
}

static struct observed_drive *find_drive(
	const struct ssdpm_observation *observation, uint64_t device)
{
	for (size_t i = 0; i < observation->n_drives; i++)
		if (observation->drives[i]->device == device)
			return observation->drives[i];
	return NULL;
}

int ssdpm_observation_add_drive(struct ssdpm_observation *observation,
				const struct ssdpm_observed_params *params,
				struct ssdpm_error *reterr)
{
	struct ssdpm_observed_params known = { .size = sizeof(known) };
	int err = ssdpm__sized_in(&known, sizeof(known), params,
				  "ssdpm_observed_params", reterr);

	if (!err)
		err = ssdpm__check_reserved(known.reserved,
					    "ssdpm_observed_params", reterr);
	if (!err && !known.model)
		err = ssdpm__missing("model", reterr);
	if (err)
		return err;
	if (observation->begun)
		return ssdpm__fail(reterr, -EBUSY, 0,
				   "the observation has begun");
	if (observation->n_drives == MAX_DRIVES)
		return ssdpm__fail(reterr, -E2BIG, 0, "drives: at most %u",
				   MAX_DRIVES);
	if (find_drive(observation, ssdpm__device(known.major, known.minor)))
		return ssdpm__fail(reterr, -EEXIST, 0,
				   "device %u,%u: it is observed already",
				   known.major, known.minor);
	err = ssdpm__drive_new(
		&known, &observation->drives[observation->n_drives], reterr);
	if (!err)
		observation->n_drives++;
	return err;
}

int ssdpm__check_observed(const struct ssdpm_observation *observation,
			  size_t drive, struct ssdpm_error *reterr)
{
	if (drive < observation->n_drives)
		return 0;
	return ssdpm__fail(reterr, -ENOENT, 0, "drive %zu: there are %zu",
			   drive, observation->n_drives);
}

/* Its index; n_partitions: it is none. */
static size_t find_partition(const struct ssdpm_observation *observation,
			     uint64_t device)
{
	size_t i = 0;

	while (i < observation->n_partitions &&
	       observation->partitions[i].device != device)
		i++;
	return i;
}

int ssdpm_observation_add_partition(struct ssdpm_observation *observation,
				    size_t drive, uint32_t major,
				    uint32_t minor, struct ssdpm_error *reterr)
{
	int err = ssdpm__check_observed(observation, drive, reterr);

	if (err)
		return err;
	uint64_t device = ssdpm__device(major, minor);
	size_t i = find_partition(observation, device);

	if (i == MAX_PARTITIONS)
		return ssdpm__fail(reterr, -E2BIG, 0, "partitions: at most %u",
				   MAX_PARTITIONS);
	observation->n_partitions += i == observation->n_partitions;
	observation->partitions[i] = (struct partition){ device, drive };
	return 0;
}

static int kind_of_path(const char *path, enum event_kind *ret_kind)
{
	const char *name = ssdpm__last_component(path);

	return ssdpm__event_kind(ssdpm__span(name, strlen(name)), ret_kind);
}

const char *ssdpm_observation_get_event(size_t index)
{
	return ssdpm__event_path(index);
}

/* The first one of two names of an event stands for both. */
bool ssdpm_observation_lacks_event(const struct ssdpm_observation *observation,
				   size_t index)
{
	const char *path = ssdpm__event_path(index);
	enum event_kind kind, before;

	if (!path || kind_of_path(path, &kind))
		return false;
	if (index && !kind_of_path(ssdpm__event_path(index - 1), &before) &&
	    before == kind)
		return false;
	return ssdpm__formats_lack(&observation->formats, kind);
}

int ssdpm_observation_set_format(struct ssdpm_observation *observation,
				 const char *text, size_t size,
				 struct ssdpm_error *reterr)
{
	return ssdpm__formats_set(&observation->formats,
				  ssdpm__span(text, size), reterr);
}

/* The device where an I/O is sent, for one where it is queued. */
static uint64_t whole_device(const struct ssdpm_observation *observation,
			     uint64_t device)
{
	size_t i = find_partition(observation, device);

	return i < observation->n_partitions ?
		       observation->drives[observation->partitions[i].drive]
			       ->device :
		       device;
}

static uint64_t device_of(struct ssdpm_observation *observation,
			  const struct event *event, enum event_field major)
{
	return whole_device(observation,
			    ssdpm__device(event->numbers[major],
					  event->numbers[major + 1]));
}

static bool has_letter(struct span rwbs, char letter)
{
	return memchr(rwbs.at, letter, (size_t)(rwbs.end - rwbs.at)) != NULL;
}

static struct span rwbs_of(const struct event *event)
{
	return event->texts[FIELD_RWBS - N_NUMBERS];
}

static struct bio bio_of(struct ssdpm_observation *observation,
			 const struct event *event)
{
	uint64_t sectors = event->numbers[FIELD_SECTORS];

	return (struct bio){
		.device = device_of(observation, event, FIELD_MAJOR),
		.sector = event->numbers[FIELD_SECTOR],
		.sectors =
			sectors < UINT32_MAX ? (uint32_t)sectors : UINT32_MAX,
	};
}

/*
 * The process behind a bio; for data that the kernel writes, the one that
 * changed it.
 */
static uint16_t origin_of(struct ssdpm_observation *observation,
			  const struct event *event, const struct bio *bio)
{
	uint16_t cause = ssdpm__cause_of_thread(&observation->causes,
						event->pid, event->comm);
	const uint64_t bytes = (uint64_t)bio->sectors * 512;
	struct span rwbs = rwbs_of(event);
	uint16_t dirtier;

	if (!ssdpm__writes_back(&observation->causes, cause) ||
	    !has_letter(rwbs, 'W') || has_letter(rwbs, 'M'))
		return cause;
	dirtier = ssdpm__file_cause(&observation->files, &observation->causes,
				    event->pid, bio->device);
	if (dirtier != CAUSE_OTHER)
		ssdpm__dirty_pay(&observation->dirty, &observation->causes,
				 bio->device, dirtier, bytes);
	else
		dirtier = ssdpm__dirty_take(&observation->dirty,
					    &observation->causes, bio->device,
					    bytes);
	return dirtier == CAUSE_OTHER ? cause : dirtier;
}

static void see_flush(struct ssdpm_observation *observation,
		      const struct event *event, const struct bio *bio)
{
	struct observed_drive *drive = find_drive(observation, bio->device);
	struct span rwbs = rwbs_of(event);

	if (drive && rwbs.at < rwbs.end && *rwbs.at == 'F')
		drive->flush_cause = bio->cause;
}

static void queue_bio(struct ssdpm_observation *observation,
		      const struct event *event)
{
	struct bio bio = bio_of(observation, event);
	struct bio *known =
		ssdpm__bio_at(&observation->bios, bio.device, bio.sector);

	/* Another device has handed it on just now, and says for whom. */
	if (known && known->remapped) {
		known->remapped = false;
		bio.cause = known->cause;
	} else {
		bio.cause = origin_of(observation, event, &bio);
		ssdpm__bio_put(&observation->bios, &bio);
	}
	see_flush(observation, event, &bio);
}

static void remap_bio(struct ssdpm_observation *observation,
		      const struct event *event)
{
	struct bio bio = bio_of(observation, event);
	uint64_t old = device_of(observation, event, FIELD_OLD_MAJOR);
	const struct bio *known = ssdpm__bio_around(
		&observation->bios, old, event->numbers[FIELD_OLD_SECTOR]);

	/* A partition: its bio is queued after this. */
	if (old == bio.device)
		return;
	bio.remapped = true;
	bio.cause = known ? known->cause : origin_of(observation, event, &bio);
	ssdpm__bio_put(&observation->bios, &bio);
}

/* Which bios a request is made of, and who is behind them. */
static void find_parts(struct ssdpm_observation *observation,
		       const struct event *event, const struct bio *request,
		       struct parts *ret_parts)
{
	uint64_t at = request->sector, end = at + request->sectors;

	while (at < end) {
		struct bio *bio = ssdpm__bio_around(&observation->bios,
						    request->device, at);
		uint64_t stop = bio ? bio->sector + bio->sectors : end;

		if (stop > end)
			stop = end;
		if (!bio || stop <= at)
			break;
		ssdpm__parts_add(ret_parts, bio->cause,
				 (uint32_t)(stop - at) * 512);
		if (stop == bio->sector + bio->sectors)
			ssdpm__bio_remove(&observation->bios, bio);
		at = stop;
	}
	if (at == end)
		return;
	observation->counts.unknown_bytes += (end - at) * 512;
	ssdpm__parts_add(ret_parts, origin_of(observation, event, request),
			 (uint32_t)(end - at) * 512);
}

/* A number for the causes of an I/O, which comes out with it. */
static uint32_t tag_of(struct ssdpm_observation *observation,
		       const struct parts *parts)
{
	uint32_t number = observation->n_mixed++ & ~TAG_MIXED;

	if (parts->n == 1) {
		observation->n_mixed--;
		return parts->causes[0];
	}
	observation->mixed[number % MAX_MIXED] =
		(struct mixed){ number, *parts };
	return number | TAG_MIXED;
}

static struct parts parts_of(const struct ssdpm_observation *observation,
			     uint32_t tag, uint32_t bytes)
{
	uint32_t number = tag & ~TAG_MIXED;
	const struct mixed *mixed = &observation->mixed[number % MAX_MIXED];
	uint16_t cause = tag & TAG_MIXED ? CAUSE_OTHER : (uint16_t)tag;

	if (tag & TAG_MIXED && mixed->number == number)
		return mixed->parts;
	return (struct parts){ .n = 1,
			       .causes = { cause },
			       .bytes = { bytes } };
}

/* Complete I/Os go to the simulation. */
static int drain(struct ssdpm_observation *observation,
		 struct observed_drive *drive, struct ssdpm_error *reterr)
{
	struct ssdpm_io ios[16];
	int err = 0;
	size_t n;

	while (!err && (n = ssdpm__pair_take(drive->trace.pair, ios, 16)))
		for (size_t i = 0; i < n && !err; i++) {
			struct parts parts =
				parts_of(observation, ssdpm__io_tag(&ios[i]),
					 ios[i].bytes);

			err = ssdpm__drive_take(drive, &ios[i], &parts, reterr);
		}
	return err;
}

static void flush_parts(const struct observed_drive *drive,
			struct ssdpm_observation *observation,
			const struct event *event, struct parts *ret_parts)
{
	uint16_t cause = drive->flush_cause;

	if (cause == CAUSE_OTHER)
		cause = ssdpm__cause_of_thread(&observation->causes, event->pid,
					       event->comm);
	ssdpm__parts_add(ret_parts, cause, 0);
}

/* Is the request an I/O? Its place and size. */
static bool take_request(struct ssdpm_observation *observation,
			 const struct event *event,
			 struct pair_event *ret_event)
{
	uint64_t sectors = event->numbers[FIELD_SECTORS];
	uint8_t op = ssdpm__block_op(rwbs_of(event), sectors);

	*ret_event = (struct pair_event){
		.time_ns = event->time_ns,
		.op = op,
	};
	if (!op || op == SSDPM_OP_FLUSH)
		return op;
	if (sectors > UINT32_MAX / 512) {
		sectors = UINT32_MAX / 512;
		observation->counts.n_clipped += event->kind == EVENT_RQ_ISSUE;
	}
	ret_event->bytes = sectors * 512;
	return !__builtin_mul_overflow(event->numbers[FIELD_SECTOR], 512u,
				       &ret_event->offset) &&
	       ssdpm__pair_fits(ret_event);
}

static int issue(struct ssdpm_observation *observation,
		 struct observed_drive *drive, const struct event *event,
		 struct pair_event *request, struct ssdpm_error *reterr)
{
	struct bio bio = bio_of(observation, event);
	struct parts parts = { 0 };
	int err = ssdpm__pair_reserve(drive->trace.pair, reterr);

	if (err)
		return err;
	bio.sectors = (uint32_t)(request->bytes / 512);
	if (bio.sectors)
		find_parts(observation, event, &bio, &parts);
	else
		flush_parts(drive, observation, event, &parts);
	request->tag = tag_of(observation, &parts);
	ssdpm__pair_issue(drive->trace.pair, request);
	return 0;
}

/* The drive did not take it. Its bios are here again for its next issue. */
static void requeue(struct ssdpm_observation *observation,
		    struct observed_drive *drive, const struct event *event,
		    const struct pair_event *request)
{
	struct bio bio = bio_of(observation, event);
	struct parts parts;
	uint32_t tag;

	if (!ssdpm__pair_requeue(drive->trace.pair, request, &tag))
		return;
	parts = parts_of(observation, tag, (uint32_t)request->bytes);
	for (size_t i = 0; i < parts.n; i++) {
		bio.sectors = parts.bytes[i] / 512;
		bio.cause = parts.causes[i];
		if (bio.sectors)
			ssdpm__bio_put(&observation->bios, &bio);
		bio.sector += bio.sectors;
	}
}

/*
 * A command of a program, such as smartctl, that is no I/O: Linux prints the
 * letter N for its operation, and no sectors.
 */
static void take_other_command(struct ssdpm_observation *observation,
			       struct observed_drive *drive,
			       const struct event *event)
{
	struct span rwbs = rwbs_of(event);

	if (event->kind != EVENT_RQ_ISSUE || event->numbers[FIELD_SECTORS] ||
	    rwbs.at == rwbs.end || *rwbs.at != 'N')
		return;
	ssdpm__drive_admin(drive, event->time_ns,
			   ssdpm__cause_of_thread(&observation->causes,
						  event->pid, event->comm));
}

static int take_request_event(struct ssdpm_observation *observation,
			      const struct event *event,
			      struct ssdpm_error *reterr)
{
	struct observed_drive *drive = find_drive(
		observation, device_of(observation, event, FIELD_MAJOR));
	struct pair_event request;
	int err = 0;

	if (!drive)
		return 0;
	if (!take_request(observation, event, &request)) {
		take_other_command(observation, drive, event);
		return 0;
	}
	if (event->kind == EVENT_RQ_ISSUE)
		err = issue(observation, drive, event, &request, reterr);
	else if (event->kind == EVENT_RQ_REQUEUE)
		requeue(observation, drive, event, &request);
	else
		ssdpm__pair_complete(drive->trace.pair, &request);
	return err ? err : drain(observation, drive, reterr);
}

/* Queue 0 of a controller has its admin commands. */
static void take_command(struct ssdpm_observation *observation,
			 const struct event *event)
{
	/* The number of no controller may be in the text, too. */
	if (event->numbers[FIELD_QUEUE] ||
	    event->numbers[FIELD_CONTROLLER] == SSDPM_NO_CONTROLLER)
		return;
	for (size_t i = 0; i < observation->n_drives; i++)
		if (observation->drives[i]->ctrl_id ==
		    event->numbers[FIELD_CONTROLLER])
			ssdpm__drive_admin(
				observation->drives[i], event->time_ns,
				ssdpm__cause_of_thread(&observation->causes,
						       event->pid,
						       event->comm));
}

/*
 * The devices whose pages an event is about. "259:0" is a disk. A file system
 * of several disks has a name, and each of them may get the pages. *at begins
 * at 0.
 */
static bool next_backing(struct ssdpm_observation *observation,
			 const struct event *event, size_t *at,
			 uint64_t *ret_device)
{
	const bool is_first = !*at;
	const struct span name = event->texts[FIELD_NAME - N_NUMBERS];
	struct span number = name;

	if (ssdpm__take_device(&number, ":", ret_device)) {
		*ret_device = whole_device(observation, *ret_device);
		return !(*at)++;
	}
	while (*at < observation->n_members) {
		const struct member *member = &observation->members[(*at)++];

		*ret_device = whole_device(observation, member->device);
		if (ssdpm__span_is(name, member->name))
			return true;
	}
	observation->lacks_backing |= is_first;
	return false;
}

static struct file_name file_of(const struct event *event, uint64_t device)
{
	const struct span backing = event->texts[FIELD_NAME - N_NUMBERS];

	return (struct file_name){
		.device = device,
		.backing = ssdpm__checksum(backing.at,
					   (size_t)(backing.end - backing.at)),
		.inode = event->numbers[FIELD_INODE],
	};
}

static void take_dirty(struct ssdpm_observation *observation,
		       const struct event *event)
{
	const struct author author = ssdpm__author(event->pid, event->comm);
	uint64_t device;

	if (!ssdpm__is_process(event->comm))
		return;
	for (size_t at = 0; next_backing(observation, event, &at, &device);) {
		const struct file_name name = file_of(event, device);

		ssdpm__dirty_add(&observation->dirty, device, &author);
		ssdpm__file_changed(&observation->files, &name, &author);
	}
}

static void take_write_back(struct ssdpm_observation *observation,
			    const struct event *event)
{
	uint64_t device;

	for (size_t at = 0; next_backing(observation, event, &at, &device);) {
		const struct file_name name = file_of(event, device);

		ssdpm__file_begun(&observation->files, event->pid, &name,
				  event->numbers[FIELD_CGROUP]);
	}
}

static void see_time(struct ssdpm_observation *observation, uint64_t now_ns)
{
	if (now_ns > observation->now_ns)
		observation->now_ns = now_ns;
}

/* After an event of a later time the I/Os of this one would be lost. */
static int check_order(struct ssdpm_observation *observation, uint64_t time_ns,
		       struct ssdpm_error *reterr)
{
	observation->order.input.line =
		(uint32_t)(observation->counts.n_lines + 1);
	return ssdpm__trace_order(&observation->order, time_ns, time_ns,
				  reterr);
}

static int take_event(struct ssdpm_observation *observation,
		      const struct event *event, struct ssdpm_error *reterr)
{
	see_time(observation, event->time_ns);
	/* A kernel that prints an event has it. */
	observation->formats.seen |= 1u << event->kind;
	switch (event->kind) {
	case EVENT_BIO_QUEUE:
		queue_bio(observation, event);
		return 0;
	case EVENT_BIO_REMAP:
		remap_bio(observation, event);
		return 0;
	case EVENT_NVME_SETUP:
		take_command(observation, event);
		return 0;
	case EVENT_DIRTY:
		take_dirty(observation, event);
		return 0;
	case EVENT_WRITE_BACK:
		take_write_back(observation, event);
		return 0;
	default:
		return take_request_event(observation, event, reterr);
	}
}

static int advance_drives(struct ssdpm_observation *observation, bool end,
			  struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < observation->n_drives && !err; i++) {
		struct observed_drive *drive = observation->drives[i];

		ssdpm__pair_advance(drive->trace.pair, observation->now_ns);
		if (end)
			ssdpm__pair_end(drive->trace.pair);
		err = drain(observation, drive, reterr);
	}
	return err;
}

/* Drives that have no events are known up to now, too. */
static int follow_time(struct ssdpm_observation *observation,
		       struct ssdpm_error *reterr)
{
	if (observation->now_ns - observation->followed_ns < FOLLOW_NS)
		return 0;
	observation->followed_ns = observation->now_ns;
	return advance_drives(observation, false, reterr);
}

/* "259,1 259,0": a partition and its drive, which may be one of others. */
static bool take_partition(struct ssdpm_observation *observation,
			   struct span text, int *ret_err,
			   struct ssdpm_error *reterr)
{
	uint64_t partition, drive;

	if (!ssdpm__take_device(&text, ",", &partition) ||
	    !ssdpm__take_device(&text, ",", &drive))
		return false;
	/* Requests are of the drive, so that nothing would come. */
	if (partition != drive && find_drive(observation, partition))
		*ret_err = ssdpm__fail(
			reterr, -EINVAL, 0,
			"%u,%u is a partition of %u,%u: observe "
			"that device",
			(uint32_t)(partition >> 32), (uint32_t)partition,
			(uint32_t)(drive >> 32), (uint32_t)drive);
	for (size_t i = 0; i < observation->n_drives; i++)
		if (observation->drives[i]->device == drive)
			return !ssdpm_observation_add_partition(
				observation, i, (uint32_t)(partition >> 32),
				(uint32_t)partition, NULL);
	return true;
}

static bool is_member(const struct ssdpm_observation *observation,
		      const struct member *member)
{
	for (size_t i = 0; i < observation->n_members; i++)
		if (observation->members[i].device == member->device &&
		    !strcmp(observation->members[i].name, member->name))
			return true;
	return false;
}

/* "btrfs-1 259,1": a file system, and a device of it. */
static bool take_backing(struct ssdpm_observation *observation,
			 struct span text)
{
	struct member member = { .name = "" };
	struct span name;

	if (!ssdpm__take_word(&text, &name) ||
	    !ssdpm__take_device(&text, ",", &member.device) ||
	    !ssdpm__span_copy(name, member.name, sizeof(member.name)))
		return false;
	if (is_member(observation, &member))
		return true;
	if (observation->n_members == MAX_MEMBERS)
		return false;
	observation->members[observation->n_members++] = member;
	return true;
}

/* "4711 /system.slice/cron.service": a cgroup. */
static bool take_cgroup(struct ssdpm_observation *observation, struct span text)
{
	uint64_t number;

	return ssdpm__take_uint(&text, UINT64_MAX, &number) &&
	       ssdpm__cgroup_named(&observation->files, &observation->causes,
				   number, ssdpm__span_trim(text));
}

/* "259,0 7": the number of a drive's controller. */
static bool take_controller(struct ssdpm_observation *observation,
			    struct span text)
{
	struct observed_drive *drive;
	uint64_t device, number;

	if (!ssdpm__take_device(&text, ",", &device) ||
	    !ssdpm__take_uint(&text, UINT32_MAX, &number))
		return false;
	drive = find_drive(observation, device);
	if (drive)
		drive->ctrl_id = (uint32_t)number;
	return true;
}

/* The policy under which a drive was recorded. */
static bool take_policy(struct ssdpm_observation *observation, struct span text)
{
	struct observed_drive *drive;
	struct awake awake;

	if (!ssdpm__awake_parse(text, &awake))
		return false;
	drive = find_drive(observation, awake.device);
	if (drive)
		drive->recorded = awake;
	if (drive)
		drive->is_recorded = true;
	return true;
}

/*
 * All events up to a time were before this line. An earlier one after it is out
 * of order. false: the line is out of order.
 */
static bool pass_time(struct ssdpm_observation *observation, uint64_t time_ns)
{
	const uint64_t latest_ns = observation->order.latest_start_ns;

	if (time_ns > latest_ns)
		return !check_order(observation, time_ns, NULL);
	return latest_ns - time_ns <= TRACE_LATE_NS;
}

/* "259,0 12000000000 13500000000 4711": from, until, and I/Os between. */
static bool take_gap(struct ssdpm_observation *observation, struct span text,
		     int *ret_err, struct ssdpm_error *reterr)
{
	uint64_t device, from_ns, until_ns, n_ios;
	struct observed_drive *drive;

	if (!ssdpm__take_device(&text, ",", &device) ||
	    !ssdpm__take_uint(&text, MAX_TIME_NS, &from_ns) ||
	    !ssdpm__take_uint(&text, MAX_TIME_NS, &until_ns) ||
	    !ssdpm__take_uint(&text, UINT64_MAX, &n_ios) ||
	    text.at < text.end || from_ns > until_ns)
		return false;
	drive = find_drive(observation, device);
	if (!drive)
		return true;
	if (!pass_time(observation, until_ns))
		return false;
	/* What was on its way may have ended since. */
	ssdpm__bios_forget(&observation->bios, device);
	ssdpm__pair_end(drive->trace.pair);
	*ret_err = drain(observation, drive, reterr);
	ssdpm__pair_resume(drive->trace.pair);
	ssdpm__pair_advance(drive->trace.pair, until_ns);
	if (!*ret_err)
		*ret_err = ssdpm__drive_skip(drive, from_ns, until_ns, n_ios,
					     reterr);
	see_time(observation, until_ns);
	return true;
}

/* "601500000000": a recording ended then, in ns. */
static bool take_end(struct ssdpm_observation *observation, struct span text,
		     int *ret_err, struct ssdpm_error *reterr)
{
	uint64_t end_ns;

	if (!ssdpm__take_uint(&text, MAX_TIME_NS, &end_ns) ||
	    text.at < text.end)
		return false;
	/* One of an earlier time says nothing. */
	if (!pass_time(observation, end_ns))
		return true;
	see_time(observation, end_ns);
	*ret_err = advance_drives(observation, false, reterr);
	return true;
}

/* A format in one line of at most MAX_LINE: \n and \\ stand for line ends and
 * backslashes. */
static bool take_format(struct ssdpm_observation *observation, struct span text)
{
	char plain[MAX_LINE];
	size_t n = 0;

	for (; text.at < text.end; text.at++) {
		bool escaped = *text.at == '\\' && text.at + 1 < text.end;

		text.at += escaped;
		plain[n++] = escaped && *text.at == 'n' ? '\n' : *text.at;
	}
	return !ssdpm_observation_set_format(observation, plain, n, NULL);
}

/* Reads a line that begins with "#"; comments of other programs say nothing. */
static int take_comment(struct ssdpm_observation *observation, struct span line,
			struct ssdpm_error *reterr)
{
	bool good = true;
	int err = 0;

	if (ssdpm__take(&line, "# partition:"))
		good = take_partition(observation, line, &err, reterr);
	else if (ssdpm__take(&line, "# controller:"))
		good = take_controller(observation, line);
	else if (ssdpm__take(&line, "# backing:"))
		good = take_backing(observation, line);
	else if (ssdpm__take(&line, "# cgroup:"))
		good = take_cgroup(observation, line);
	else if (ssdpm__take(&line, "# policy:"))
		good = take_policy(observation, line);
	else if (ssdpm__take(&line, "# format:"))
		good = take_format(observation, line);
	else if (ssdpm__take(&line, "# gap:"))
		good = take_gap(observation, line, &err, reterr);
	else if (ssdpm__take(&line, "# end:"))
		good = take_end(observation, line, &err, reterr);
	observation->counts.n_bad += !good;
	return err;
}

static int take_record(struct ssdpm_observation *observation,
		       enum line_kind kind, const struct event *event,
		       uint64_t lost, struct ssdpm_error *reterr)
{
	struct ssdpm_observation_counts *counts = &observation->counts;
	int err;

	switch (kind) {
	case LINE_EVENT:
		err = check_order(observation, event->time_ns, reterr);
		if (err && observation->is_live)
			break;
		counts->n_events++;
		if (!err)
			err = take_event(observation, event, reterr);
		return err ? err : follow_time(observation, reterr);
	case LINE_LOST:
		counts->n_lost += lost;
		return 0;
	case LINE_BAD:
		break;
	default:
		return 0;
	}
	counts->n_bad++;
	return 0;
}

static const char *first_end(struct span text)
{
	const char *end = memchr(text.at, '\n', (size_t)(text.end - text.at));

	return end ? end : text.end;
}

/* The first record, or comment; false: its end is not here. */
static bool take_first(struct ssdpm_observation *observation, struct span *text,
		       bool end, int *ret_err, struct ssdpm_error *reterr)
{
	const struct span line = { text->at, first_end(*text) };
	struct event event;
	uint64_t lost = 0;
	enum line_kind kind;

	*ret_err = 0;
	if (line.at < line.end && *line.at == '#') {
		text->at = line.end;
		*ret_err = take_comment(observation,
					ssdpm__without_return(line), reterr);
		return true;
	}
	kind = ssdpm__observe_line(&observation->formats, text, &event, &lost);
	if (kind == LINE_CUT && !end)
		return false;
	/* Nothing comes after it. */
	if (kind == LINE_CUT)
		text->at = line.end;
	*ret_err = take_record(observation, kind, &event, lost, reterr);
	return true;
}

/* Whole lines; *text: those that wait for the next one. NULL: none does. */
static int take_lines(struct ssdpm_observation *observation, struct span *text,
		      bool end, struct ssdpm_error *reterr)
{
	int err = 0;

	while (text->at && !err) {
		if (!take_first(observation, text, end, &err, reterr))
			return 0;
		observation->counts.n_lines++;
		text->at = text->at < text->end ? text->at + 1 : NULL;
	}
	return err;
}

/* No record of Linux is so long. */
static void count_long_line(struct ssdpm_observation *observation)
{
	observation->counts.n_lines++;
	observation->counts.n_bad++;
}

/* Keep the part of a line whose end is not here yet. */
static void keep_part(struct ssdpm_observation *observation, struct span part)
{
	size_t n = (size_t)(part.end - part.at);
	size_t room = MAX_LINE - observation->n_line;

	observation->too_long |= n > room;
	if (n > room)
		n = room;
	memcpy(observation->line + observation->n_line, part.at, n);
	observation->n_line += n;
}

/* Keep whole lines, and the end of the last one. */
static void keep_lines(struct ssdpm_observation *observation, struct span lines)
{
	const size_t n = (size_t)(lines.end - lines.at);

	if (n >= MAX_LINE) {
		count_long_line(observation);
		return;
	}
	memmove(observation->line, lines.at, n);
	observation->line[n] = '\n';
	observation->n_line = n + 1;
}

static int take_kept_lines(struct ssdpm_observation *observation, bool end,
			   struct ssdpm_error *reterr)
{
	struct span lines = ssdpm__span(observation->line, observation->n_line);
	bool too_long = observation->too_long;
	int err;

	if (end && lines.at < lines.end && lines.end[-1] == '\n')
		lines.end--;
	observation->n_line = 0;
	observation->too_long = false;
	if (too_long) {
		count_long_line(observation);
		return 0;
	}
	err = take_lines(observation, &lines, end, reterr);
	if (!err && lines.at)
		keep_lines(observation, lines);
	return err;
}

/* A line that is here as a whole; nothing of those before waits for it. */
static int take_whole_line(struct ssdpm_observation *observation,
			   struct span line, struct ssdpm_error *reterr)
{
	int err;

	if (line.end - line.at > MAX_LINE) {
		count_long_line(observation);
		return 0;
	}
	err = take_lines(observation, &line, false, reterr);
	if (!err && line.at)
		keep_lines(observation, line);
	return err;
}

static int take_text(struct ssdpm_observation *observation, struct span text,
		     struct ssdpm_error *reterr)
{
	int err = 0;

	while (text.at < text.end && !err) {
		const char *end =
			memchr(text.at, '\n', (size_t)(text.end - text.at));
		struct span line = { text.at, end ? end : text.end };

		text.at = end ? end + 1 : text.end;
		if (end && !observation->n_line && !observation->too_long) {
			err = take_whole_line(observation, line, reterr);
			continue;
		}
		keep_part(observation, line);
		if (end)
			err = take_kept_lines(observation, false, reterr);
	}
	return err;
}

static int check_open(const struct ssdpm_observation *observation,
		      struct ssdpm_error *reterr)
{
	if (observation->failed.code && reterr)
		*reterr = observation->failed;
	if (observation->failed.code)
		return observation->failed.code;
	if (observation->finished)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the observation is finished");
	return 0;
}

/* What was met by drives. */
static void count_ends(struct ssdpm_observation *observation)
{
	struct ssdpm_observation_counts *counts = &observation->counts;

	counts->n_unmatched = 0;
	counts->n_orphans = 0;
	for (size_t i = 0; i < observation->n_drives; i++) {
		const struct ssdpm_trace *trace =
			&observation->drives[i]->trace;

		counts->n_unmatched += trace->counts.n_unmatched;
		counts->n_orphans += trace->counts.n_orphans;
	}
}

static int keep_failure(struct ssdpm_observation *observation, int err,
			const struct ssdpm_error *error,
			struct ssdpm_error *reterr)
{
	count_ends(observation);
	if (err)
		observation->failed = *error;
	if (err && reterr)
		*reterr = *error;
	return err;
}

int ssdpm_observation_feed(struct ssdpm_observation *observation,
			   const char *text, size_t size,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };
	int err = check_open(observation, reterr);

	if (err)
		return err;
	observation->begun = true;
	err = take_text(observation, ssdpm__span(text, size), &error);
	return keep_failure(observation, err, &error, reterr);
}

static int drain_all(struct ssdpm_observation *observation, bool end,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };
	int err = advance_drives(observation, end, &error);

	return keep_failure(observation, err, &error, reterr);
}

int ssdpm_observation_advance(struct ssdpm_observation *observation,
			      uint64_t now_ns, struct ssdpm_error *reterr)
{
	int err = check_open(observation, reterr);

	if (err)
		return err;
	observation->begun = true;
	if (now_ns > observation->now_ns)
		observation->now_ns = now_ns;
	return drain_all(observation, false, reterr);
}

int ssdpm_observation_finish(struct ssdpm_observation *observation,
			     uint64_t end_ns, struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };
	int err = check_open(observation, reterr);

	if (err)
		return err;
	observation->begun = true;
	if (observation->n_line)
		err = take_kept_lines(observation, true, &error);
	err = keep_failure(observation, err, &error, reterr);
	if (err)
		return err;
	if (end_ns > observation->now_ns)
		observation->now_ns = end_ns;
	observation->finished = true;
	return drain_all(observation, true, reterr);
}
