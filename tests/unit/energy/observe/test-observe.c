/* SPDX-License-Identifier: MIT */
/*
 * Observations, computed by hand: the drive of test-sim.c, in lines of Linux.
 * It enters state 1 after 10 ms, which takes 2, and state 2 at 112 ms. It draws
 * 1 W idle, 4 W busy, and 2 W entering and leaving. Random traces have the
 * simulator as their oracle.
 */
#include "calls.h"
#include "fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define DRIVE "259,0"

static struct ssdpm_model *make_model(void)
{
	static const struct latencies states[] = {
		{ 0, 0, 0 },
		{ 1, 2000, 3000 },
		{ 1, 10000, 20000 },
	};

	return fixture_model(states, 3);
}

struct given {
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_apst table;
	struct ssdpm_sim_params sim;
	struct ssdpm_model *model;
};

static void set(struct given *given, uint32_t kind, uint32_t index,
		uint64_t value)
{
	assert_int_equal(set_parameter(given->parameters,
				       given->sim.n_parameters, kind, index,
				       value, value, value, NULL),
			 0);
}

static void give(struct given *given, bool awake)
{
	memset(given, 0, sizeof(*given));
	given->model = make_model();
	given->table = (struct ssdpm_apst){ .sent = 1, .enabled = 1 };
	given->table.entries[0] = (struct ssdpm_apst_entry){ 10, 1 };
	given->table.entries[1] = (struct ssdpm_apst_entry){ 100, 2 };
	assert_int_equal(ssdpm_sim_params_init(&given->sim, sizeof(given->sim)),
			 0);
	assert_int_equal(make_parameters_of(given->model, SSDPM_PCIE_L1_2,
					    given->parameters,
					    &given->sim.n_parameters, NULL),
			 0);
	for (uint32_t i = 0; i < 3; i++)
		set(given, SSDPM_PARAMETER_IDLE_POWER, i,
		    (const uint64_t[]){ 1000000, 100000, 10000 }[i]);
	for (uint32_t op = 0; op < SSDPM_N_OPS; op++) {
		set(given, SSDPM_PARAMETER_ACTIVE_POWER, op, 4000000);
		set(given, SSDPM_PARAMETER_BASE_LATENCY, op, MS / 10);
	}
	set(given, SSDPM_PARAMETER_TRANSITION_POWER, 0, 2000000);
	given->sim.parameters = given->parameters;
	given->sim.loop = SSDPM_LOOP_OPEN;
	given->sim.apst = awake ? NULL : &given->table;
}

static struct ssdpm_observed_params params_of(const struct given *given)
{
	return (struct ssdpm_observed_params){
		.size = sizeof(struct ssdpm_observed_params),
		.model = given->model,
		.sim_params = &given->sim,
		.major = 259,
		.ctrl_id = 7,
	};
}

static struct ssdpm_observation *observe_with(bool awake)
{
	struct ssdpm_observed_params params;
	struct ssdpm_observation *observation = UNTOUCHED;
	struct given given;

	give(&given, awake);
	params = params_of(&given);
	assert_int_equal(ssdpm_observation_new(&observation, NULL), 0);
	assert_int_equal(
		ssdpm_observation_add_drive(observation, &params, NULL), 0);
	ssdpm_model_unref(given.model);
	/* The caller's data are not used after this. */
	memset(&given, 0xa5, sizeof(given));
	return observation;
}

/* Device 259,5 has no controller. */
static void add_another(struct ssdpm_observation *observation)
{
	struct ssdpm_observed_params params;
	struct given given;

	give(&given, false);
	params = params_of(&given);
	params.minor = 5;
	params.ctrl_id = SSDPM_NO_CONTROLLER;
	assert_int_equal(
		ssdpm_observation_add_drive(observation, &params, NULL), 0);
	ssdpm_model_unref(given.model);
}

static struct ssdpm_observation *observe(void)
{
	return observe_with(false);
}

static void feed(struct ssdpm_observation *observation, const char *text)
{
	struct ssdpm_error error = fixture_error();

	assert_int_equal(
		ssdpm_observation_feed(observation, text, strlen(text), &error),
		0);
}

/* A line from one thread. */
static void tell(struct ssdpm_observation *observation, const char *thread,
		 uint64_t ns, const char *event)
{
	char line[512];

	snprintf(line, sizeof(line), "%16s [003] d..1. %5llu.%06llu: %s\n",
		 thread, (unsigned long long)(ns / SECOND),
		 (unsigned long long)(ns % SECOND / 1000), event);
	feed(observation, line);
}

static void tellf(struct ssdpm_observation *observation, const char *thread,
		  uint64_t ns, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static void tellf(struct ssdpm_observation *observation, const char *thread,
		  uint64_t ns, const char *format, ...)
{
	char event[400];
	va_list args;

	va_start(args, format);
	vsnprintf(event, sizeof(event), format, args);
	va_end(args);
	tell(observation, thread, ns, event);
}

/* A request of 8 sectors goes to the drive, and comes back 1 ms later. */
static void serve(struct ssdpm_observation *observation, uint64_t ns,
		  const char *rwbs, unsigned int sector)
{
	tellf(observation, "kworker/3:1H-77", ns,
	      "block_rq_issue: " DRIVE " %s 4096 () %u + 8 [kworker/3:1H]",
	      rwbs, sector);
	tellf(observation, "<idle>-0", ns + MS,
	      "block_rq_complete: " DRIVE " %s () %u + 8 [0]", rwbs, sector);
}

static void read_by(struct ssdpm_observation *observation, const char *thread,
		    uint64_t ns, unsigned int sector)
{
	tellf(observation, thread, ns,
	      "block_bio_queue: " DRIVE " R %u + 8 [x]", sector);
	serve(observation, ns, "R", sector);
}

static struct ssdpm_observed drive_of(struct ssdpm_observation *observation)
{
	struct ssdpm_observed drive = { .size = sizeof(drive) };

	assert_int_equal(
		ssdpm_observation_get_drive(observation, 0, &drive, NULL), 0);
	return drive;
}

static struct ssdpm_cause cause_at(struct ssdpm_observation *observation,
				   size_t index)
{
	struct ssdpm_cause cause = { .size = sizeof(cause) };

	assert_int_equal(ssdpm_observation_get_cause(observation, 0, index,
						     &cause, NULL),
			 0);
	return cause;
}

static size_t index_of(struct ssdpm_observation *observation, uint32_t kind,
		       const char *name)
{
	size_t n = (size_t)drive_of(observation).n_causes;

	for (size_t i = 0; i < n; i++) {
		struct ssdpm_cause cause = cause_at(observation, i);

		if (cause.kind == kind && !strcmp(cause.name, name))
			return i;
	}
	fail_msg("no cause %s %s", ssdpm_cause_kind_to_string(kind), name);
	return 0;
}

static struct ssdpm_cause cause_of(struct ssdpm_observation *observation,
				   uint32_t kind, const char *name)
{
	return cause_at(observation, index_of(observation, kind, name));
}

static void finish(struct ssdpm_observation *observation, uint64_t end_ns)
{
	assert_int_equal(ssdpm_observation_finish(observation, end_ns, NULL),
			 0);
}

static void assert_shares_are_all(struct ssdpm_observation *observation)
{
	struct ssdpm_observed drive = drive_of(observation);
	uint64_t sum = drive.resting_nj, bytes = 0, wakes = 0, ios = 0;

	for (size_t i = 0; i < drive.n_causes; i++) {
		struct ssdpm_cause cause = cause_at(observation, i);

		sum += cause.energy_nj;
		bytes += cause.bytes;
		wakes += cause.n_wakes;
		ios += cause.n_ios;
	}
	assert_int_equal(sum, drive.energy_nj);
	assert_int_equal(bytes, drive.bytes);
	assert_int_equal(wakes, drive.n_wakes);
	assert_int_equal(ios, drive.n_ios);
	assert_int_equal(drive.busy_ns + drive.idle_ns + drive.asleep_ns +
				 drive.transition_ns + drive.uncovered_ns,
			 drive.now_ns - drive.start_ns);
}

static void a_process_takes_its_io_the_time_after_it_and_the_wake(void **state)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_cause cause;
	struct ssdpm_observed drive;

	(void)state;
	read_by(observation, "cat-10", SECOND, 0);
	/* 1 ms busy, 10 idle, 2 entry, 37 in state 1, then 3 exit. */
	read_by(observation, "dd-11", SECOND + 50 * MS, 64);
	finish(observation, SECOND + 55 * MS);
	drive = drive_of(observation);
	assert_int_equal(drive.n_wakes, 1);
	assert_int_equal(drive.delay_sum_ns, 3 * MS);
	assert_int_equal(drive.asleep_ns, 37 * MS);
	/* 37 ms at 100 mW. */
	assert_int_equal(drive.resting_nj, 3700000);
	cause = cause_of(observation, SSDPM_CAUSE_PROCESS, "cat");
	/* 1 ms at 4 W, 10 at 1 W, 2 at 2 W. */
	assert_int_equal(cause.energy_nj, 18000000);
	assert_int_equal(cause.pid, 10);
	assert_int_equal(cause.n_wakes, 0);
	cause = cause_of(observation, SSDPM_CAUSE_PROCESS, "dd");
	/* 3 ms of exit, 0.1 ms awake (its 1 ms has the wake in it), 1.9 idle */
	assert_int_equal(cause.energy_nj, 6000000 + 400000 + 1900000);
	assert_int_equal(cause.n_wakes, 1);
	assert_int_equal(cause.bytes, 4096);
	assert_shares_are_all(observation);
	ssdpm_observation_free(observation);
}

static void who_is_behind_another_device_is_found(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	/* dm-crypt: a worker sends on what firefox wrote. */
	tell(observation, "firefox-20", SECOND,
	     "block_bio_queue: 254,0 WS 4096 + 8 [firefox]");
	tell(observation, "kworker/u8:1-5", SECOND + MS,
	     "block_bio_remap: " DRIVE " WS 36864 + 8 <- (254,0) 4096");
	tell(observation, "kworker/u8:1-5", SECOND + MS,
	     "block_bio_queue: " DRIVE " WS 36864 + 8 [kworker/u8:1]");
	serve(observation, SECOND + 2 * MS, "WS", 36864);
	/* The same place again, but not written from there. */
	tell(observation, "cat-21", SECOND + 5 * MS,
	     "block_bio_queue: " DRIVE " WS 36864 + 8 [cat]");
	serve(observation, SECOND + 5 * MS, "WS", 36864);
	finish(observation, 0);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "firefox").bytes,
		4096);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "cat").bytes, 4096);
	assert_int_equal(drive_of(observation).n_causes, 2);
	assert_int_equal(
		ssdpm_observation_get_counts(observation)->unknown_bytes, 0);
	ssdpm_observation_free(observation);
}

static void parts_of_a_bio_that_was_split_are_found(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	tell(observation, "tar-20", SECOND,
	     "block_bio_queue: 254,0 R 4096 + 16 [tar]");
	tell(observation, "tar-20", SECOND,
	     "block_bio_remap: " DRIVE " R 100 + 8 <- (254,0) 4096");
	tell(observation, "kworker/1:0-9", SECOND,
	     "block_bio_remap: " DRIVE " R 900 + 8 <- (254,0) 4104");
	serve(observation, SECOND, "R", 100);
	serve(observation, SECOND + 2 * MS, "R", 900);
	finish(observation, 0);
	assert_int_equal(drive_of(observation).n_causes, 1);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "tar").n_ios, 2);
	ssdpm_observation_free(observation);
}

static void the_latest_bio_is_split_and_not_one_that_began_there(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	tell(observation, "cat-21", SECOND,
	     "block_bio_queue: 254,0 R 4104 + 8 [cat]");
	tell(observation, "tar-20", SECOND,
	     "block_bio_queue: 254,0 R 4096 + 16 [tar]");
	tell(observation, "tar-20", SECOND,
	     "block_bio_remap: " DRIVE " R 900 + 8 <- (254,0) 4104");
	serve(observation, SECOND, "R", 900);
	finish(observation, 0);
	assert_int_equal(drive_of(observation).n_causes, 1);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "tar").n_ios, 1);
	ssdpm_observation_free(observation);
}

static void a_request_that_the_drive_did_not_take_keeps_its_causes(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	tell(observation, "tar-20", SECOND,
	     "block_bio_queue: " DRIVE " R 100 + 24 [tar]");
	tell(observation, "cat-21", SECOND,
	     "block_bio_queue: " DRIVE " R 124 + 8 [cat]");
	/* One without an issue is ignored. */
	tell(observation, "tar-20", SECOND,
	     "block_rq_requeue: " DRIVE " R () 100 + 32 [0]");
	tell(observation, "tar-20", SECOND,
	     "block_rq_issue: " DRIVE " R 16384 () 100 + 32 [tar]");
	tell(observation, "tar-20", SECOND,
	     "block_rq_requeue: " DRIVE " R () 100 + 32 [0]");
	tell(observation, "kworker/1:1H-9", SECOND + MS,
	     "block_rq_issue: " DRIVE " R 16384 () 100 + 32 [kworker/1:1H]");
	tell(observation, "<idle>-0", SECOND + 2 * MS,
	     "block_rq_complete: " DRIVE " R () 100 + 32 [0]");
	finish(observation, 0);
	assert_int_equal(drive_of(observation).n_ios, 1);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "tar").bytes,
		24 * 512);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "cat").bytes,
		8 * 512);
	assert_int_equal(
		ssdpm_observation_get_counts(observation)->unknown_bytes, 0);
	ssdpm_observation_free(observation);
}

static void a_request_of_many_has_four_parts(void **state)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_cause other;

	(void)state;
	/* a to f have 8, 16, ... sectors from 0, 8, 24, ... on. */
	for (unsigned int i = 0; i < 6; i++) {
		char thread[] = "a-1";

		thread[0] = (char)('a' + i);
		tellf(observation, thread, SECOND,
		      "block_bio_queue: " DRIVE " R %u + %u [x]",
		      4 * i * (i + 1), 8 * (i + 1));
	}
	tell(observation, "a-1", SECOND,
	     "block_rq_issue: " DRIVE " R 86016 () 0 + 168 [a]");
	tell(observation, "<idle>-0", SECOND + MS,
	     "block_rq_complete: " DRIVE " R () 0 + 168 [0]");
	finish(observation, 0);
	assert_int_equal(drive_of(observation).n_causes, 4);
	other = cause_of(observation, SSDPM_CAUSE_OTHER, "other");
	/* a had the least when e came; f found no room. */
	assert_int_equal(other.bytes, (8 + 40 + 48) * 512);
	assert_int_equal(cause_of(observation, SSDPM_CAUSE_PROCESS, "d").bytes,
			 32 * 512);
	assert_shares_are_all(observation);
	ssdpm_observation_free(observation);
}

static void a_partition_is_its_drive(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	feed(observation, "# partition: 259,1 259,0\n");
	tell(observation, "tar-20", SECOND,
	     "block_bio_remap: 259,1 R 2148 + 8 <- (259,1) 100");
	tell(observation, "tar-20", SECOND,
	     "block_bio_queue: 259,1 R 2148 + 8 [tar]");
	serve(observation, SECOND, "R", 2148);
	finish(observation, 0);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "tar").n_ios, 1);
	assert_int_equal(
		ssdpm_observation_get_counts(observation)->unknown_bytes, 0);
	ssdpm_observation_free(observation);
}

/* A block that a worker of btrfs writes. */
static void write_of_btrfs(struct ssdpm_observation *observation,
			   const char *device, unsigned int i)
{
	const uint64_t at = 2 * SECOND + i * 2 * MS;

	tellf(observation, "kworker/u8:1-5", at,
	      "block_bio_queue: %s W %u + 8 [kworker/u8:1]", device, i * 8);
	if (strcmp(device, DRIVE) != 0)
		tellf(observation, "kworker/u8:1-5", at,
		      "block_bio_remap: " DRIVE " W %u + 8 <- (%s) %u", i * 8,
		      device, i * 8);
	serve(observation, at, "W", i * 8);
}

static void pages_of_btrfs_are_of_those_who_changed_them(void **state)
{
	static const struct {
		const char *head;
		const char *device; /* where its bios go first */
		uint64_t n_firefox;
	} cases[] = {
		{ "# backing: btrfs-1 259,0\n", DRIVE, 30 },
		/* A partition; the same line twice; other file systems. */
		{ "# partition: 259,1 259,0\n# backing: btrfs-1 259,1\n"
		  "# backing: btrfs-1 259,1\n# backing: btrfs-2 259,1\n",
		  DRIVE, 30 },
		/* dm-crypt, and a disk that nobody watches. */
		{ "# backing: btrfs-1 8,1\n# backing: btrfs-1 253,0\n", "253,0",
		  30 },
		{ "", DRIVE, 0 },
		{ "# backing: btrfs-11 259,0\n", DRIVE, 0 },
		{ "# backing: btrfs 259,0\n", DRIVE, 0 },
		{ "# backing: btrfs-1 8,0\n", DRIVE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_observation *observation = observe();
		struct ssdpm_cause cause;

		feed(observation, cases[i].head);
		for (int j = 0; j < 40; j++)
			tellf(observation, j % 4 ? "firefox-20" : "gedit-21",
			      SECOND,
			      "writeback_dirty_folio: bdi btrfs-1: ino=5 "
			      "index=%d",
			      j);
		for (unsigned int j = 0; j < 40; j++)
			write_of_btrfs(observation, cases[i].device, j);
		finish(observation, 0);
		assert_int_equal(
			ssdpm_observation_get_counts(observation)->n_bad, 0);
		cause = cause_of(observation,
				 cases[i].n_firefox ? SSDPM_CAUSE_WRITEBACK :
						      SSDPM_CAUSE_KERNEL,
				 cases[i].n_firefox ? "firefox" : "kworker");
		assert_int_equal(cause.n_ios,
				 cases[i].n_firefox ? cases[i].n_firefox : 40);
		ssdpm_observation_free(observation);
	}
}

/* A worker begins with a file, and writes blocks of it. */
static void write_file(struct ssdpm_observation *observation, uint64_t at,
		       const char *file, const char *cgroup, unsigned int n)
{
	tellf(observation, "kworker/u8:1-5", at,
	      "writeback_single_inode_start: bdi %s state=I_DIRTY_SYNC|"
	      "I_DIRTY_DATASYNC|I_DIRTY_PAGES dirtied_when=4294937296 age=30 "
	      "index=0 to_write=-1 wrote=0 cgroup_ino=%s",
	      file, cgroup);
	for (unsigned int i = 0; i < n; i++) {
		const uint64_t block = 1000 * (at / SECOND) + i * 8;

		at += 2 * MS;
		tellf(observation, "kworker/u8:1-5", at,
		      "block_bio_queue: " DRIVE " W %" PRIu64
		      " + 8 [kworker/u8:1]",
		      block);
		serve(observation, at, "W", (unsigned int)block);
	}
}

static void change_file(struct ssdpm_observation *observation, const char *who,
			const char *file, int n)
{
	for (int i = 0; i < n; i++)
		tellf(observation, who, SECOND,
		      "writeback_dirty_folio: bdi %s index=%d", file, i);
}

static void a_file_is_of_the_process_that_changed_it(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	change_file(observation, "gedit-21", "259:0: ino=5", 10);
	change_file(observation, "firefox-20", "259:0: ino=6", 400);
	/* The last one counts. */
	change_file(observation, "gedit-21", "259:0: ino=7", 10);
	change_file(observation, "firefox-20", "259:0: ino=7", 1);
	write_file(observation, 2 * SECOND, "259:0: ino=5", "1", 100);
	write_file(observation, 4 * SECOND, "259:0: ino=7", "1", 7);
	/* Another worker has begun with no file. */
	tell(observation, "kworker/u8:2-6", 6 * SECOND,
	     "block_bio_queue: " DRIVE " W 90000 + 8 [kworker/u8:2]");
	serve(observation, 6 * SECOND, "W", 90000);
	finish(observation, 0);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_WRITEBACK, "gedit").n_ios,
		100);
	/* Nobody knows the last one: gedit has had more than its pages. */
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_WRITEBACK, "firefox").n_ios,
		8);
	ssdpm_observation_free(observation);
}

/* Two btrfs on partitions of the disk, and another file system on a third one.
 */
static void files_of_one_number_are_told_apart_by_their_backing_device(
	void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	feed(observation,
	     "# partition: 259,1 259,0\n# partition: 259,2 259,0\n"
	     "# backing: btrfs-1 259,1\n# backing: btrfs-2 259,2\n");
	change_file(observation, "gedit-21", "btrfs-1: ino=257", 1);
	change_file(observation, "firefox-20", "btrfs-2: ino=257", 1);
	change_file(observation, "cron-22", "259:0: ino=257", 1);
	write_file(observation, 2 * SECOND, "btrfs-1: ino=257", "1", 10);
	write_file(observation, 4 * SECOND, "btrfs-2: ino=257", "1", 20);
	write_file(observation, 6 * SECOND, "259:0: ino=257", "1", 30);
	finish(observation, 0);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_WRITEBACK, "gedit").n_ios,
		10);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_WRITEBACK, "firefox").n_ios,
		20);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_WRITEBACK, "cron").n_ios, 30);
	ssdpm_observation_free(observation);
}

/* Files of one number on these two share one place. */
static void files_that_share_a_place_are_told_apart(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	feed(observation, "# partition: 259,1 259,0\n# partition: 259,2 259,0\n"
			  "# backing: btrfs-39 259,1\n"
			  "# backing: btrfs-406 259,2\n");
	change_file(observation, "firefox-20", "btrfs-39: ino=257", 1);
	change_file(observation, "gedit-21", "btrfs-406: ino=257", 1);
	/* The later one has displaced it. */
	write_file(observation, 2 * SECOND, "btrfs-39: ino=257", "77", 10);
	finish(observation, 0);
	assert_int_equal(cause_of(observation, SSDPM_CAUSE_CGROUP, "77").n_ios,
			 10);
	ssdpm_observation_free(observation);
}

static void processes_on_other_disks_use_up_no_causes(void **state)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_cause cause;
	char thread[16];

	(void)state;
	/* There is room for 256 causes. */
	for (int i = 0; i < 600; i++) {
		snprintf(thread, sizeof(thread), "test-%d-%d", i, 100 + i);
		change_file(observation, thread,
			    i % 2 ? "8:0: ino=5" : "259:0: ino=6", 1);
	}
	change_file(observation, "gedit-21", "259:0: ino=5", 10);
	write_file(observation, 2 * SECOND, "259:0: ino=5", "1", 100);
	read_by(observation, "cat-10", 4 * SECOND, 90000);
	finish(observation, 0);
	cause = cause_of(observation, SSDPM_CAUSE_WRITEBACK, "gedit");
	assert_int_equal(cause.n_ios, 100);
	assert_int_equal(cause.pid, 21);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "cat").n_ios, 1);
	assert_int_equal(drive_of(observation).n_causes, 2);
	ssdpm_observation_free(observation);
}

static void a_file_of_btrfs_is_of_the_process_that_changed_it(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	feed(observation, "# partition: 259,1 259,0\n"
			  "# backing: btrfs-1 8,0\n"
			  "# backing: btrfs-1 259,1\n");
	change_file(observation, "firefox-20", "btrfs-1: ino=6", 400);
	change_file(observation, "gedit-21", "btrfs-1: ino=5", 10);
	write_file(observation, 2 * SECOND, "btrfs-1: ino=5", "1", 100);
	finish(observation, 0);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_WRITEBACK, "gedit").n_ios,
		100);
	ssdpm_observation_free(observation);
}

static void a_file_that_nobody_was_seen_changing_is_of_its_cgroup(void **state)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_cause cause;

	(void)state;
	change_file(observation, "firefox-20", "259:0: ino=6", 400);
	feed(observation, "# cgroup: 77 /system.slice/postgresql.service\n");
	write_file(observation, 2 * SECOND, "259:0: ino=5", "77", 3);
	/* It is named when it has been seen. */
	write_file(observation, 3 * SECOND, "259:0: ino=8", "78", 4);
	feed(observation, "# cgroup: 78 /machine/a-name-of-many-bytes.scope\n");
	write_file(observation, 4 * SECOND, "259:0: ino=8", "78", 1);
	/* Nobody names it. */
	write_file(observation, 5 * SECOND, "259:0: ino=9",
		   "18446744073709551615", 5);
	/* The root says nothing: pages that were seen decide. */
	write_file(observation, 6 * SECOND, "259:0: ino=10", "1", 6);
	finish(observation, 0);
	assert_int_equal(ssdpm_observation_get_counts(observation)->n_bad, 0);
	cause = cause_of(observation, SSDPM_CAUSE_CGROUP, "postgresql");
	assert_int_equal(cause.n_ios, 3);
	assert_int_equal(cause.pid, 0);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_CGROUP, "a-name-of-many-")
			.n_ios,
		5);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_CGROUP, "184467440737095")
			.n_ios,
		5);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_WRITEBACK, "firefox").n_ios,
		6);
	ssdpm_observation_free(observation);
}

/* How many causes there are of that name. */
static size_t count_cgroups(struct ssdpm_observation *observation,
			    const char *name)
{
	const size_t n = (size_t)drive_of(observation).n_causes;
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_cause cause = cause_at(observation, i);

		found += cause.kind == SSDPM_CAUSE_CGROUP &&
			 !strcmp(cause.name, name);
	}
	return found;
}

static void cgroups_of_one_name_are_told_apart_whenever_they_are_named(
	void **state)
{
	static const char names[] = "# cgroup: 77 /a/cron.service\n"
				    "# cgroup: 78 /b/cron.service\n";

	(void)state;
	for (int is_late = 0; is_late < 2; is_late++) {
		struct ssdpm_observation *observation = observe();

		feed(observation, is_late ? "" : names);
		for (unsigned int i = 0; i < 4; i++)
			write_file(observation, (2 + i) * SECOND,
				   i % 2 ? "259:0: ino=5" : "259:0: ino=6",
				   i % 2 ? "77" : "78", 3);
		feed(observation, is_late ? names : "");
		finish(observation, 0);
		assert_int_equal(count_cgroups(observation, "cron"), 2);
		assert_int_equal(drive_of(observation).n_causes, 2);
		assert_int_equal(cause_at(observation, 0).n_ios, 6);
		assert_shares_are_all(observation);
		ssdpm_observation_free(observation);
	}
}

/* Four that are no such line; others: more lines than there is room for. */
static void count_bad(const char *const lines[4], const char *before,
		      const char *after, int n_others)
{
	struct ssdpm_observation *observation = observe();
	const struct ssdpm_observation_counts *counts =
		ssdpm_observation_get_counts(observation);
	char line[64];

	for (uint64_t i = 0; i < 4; i++) {
		feed(observation, lines[i]);
		assert_int_equal(counts->n_bad, i + 1);
	}
	for (int i = 0; i < n_others; i++) {
		assert_int_equal(counts->n_bad, 4);
		snprintf(line, sizeof(line), "%s%d%s\n", before, 100 + i,
			 after);
		feed(observation, line);
	}
	assert_int_equal(counts->n_bad, 5);
	ssdpm_observation_free(observation);
}

static void a_cgroup_that_cannot_be_read_is_counted(void **state)
{
	static const char *const lines[] = {
		"# cgroup: 77\n",
		"# cgroup: /system.slice\n",
		"# cgroup: 18446744073709551616 /system.slice\n",
		"# cgroup: 77 /system.slice/\n",
	};

	(void)state;
	/* There is room for 512. */
	count_bad(lines, "# cgroup: ", " /a", 513);
}

static void a_backing_that_cannot_be_read_is_counted(void **state)
{
	static const char *const lines[] = {
		"# backing: btrfs-1\n",
		"# backing: 259,0\n",
		"# backing: btrfs-1 259:0\n",
		"# backing: a-name-that-has-more-than-31-bytes 259,0\n",
	};

	(void)state;
	/* There is room for 256. */
	count_bad(lines, "# backing: btrfs-", " 259,0", 257);
}

static void written_pages_are_of_those_who_changed_them(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	for (int i = 0; i < 400; i++)
		tellf(observation, i % 4 ? "firefox-20" : "gedit-21", SECOND,
		      "writeback_dirty_folio: bdi 259:0: ino=5 index=%d", i);
	/* A process that writes pages back does not change them. */
	tell(observation, "kworker/u8:1-5", SECOND,
	     "writeback_dirty_folio: bdi 259:0: ino=5 index=900");
	for (unsigned int i = 0; i < 400; i++) {
		uint64_t at = 2 * SECOND + i * 2 * MS;

		tellf(observation, "kworker/u8:1-5", at,
		      "block_bio_queue: " DRIVE " W %u + 8 [kworker/u8:1]",
		      i * 8);
		serve(observation, at, "W", i * 8);
	}
	/* Swapped out. */
	tell(observation, "kswapd0-6", 3 * SECOND + 20 * MS,
	     "block_bio_queue: " DRIVE " W 70000 + 8 [kswapd0]");
	serve(observation, 3 * SECOND + 20 * MS, "W", 70000);
	/* A new file system writes its tables. */
	tell(observation, "ext4lazyinit-9", 3 * SECOND + 30 * MS,
	     "block_bio_queue: " DRIVE " W 75000 + 8 [ext4lazyinit]");
	serve(observation, 3 * SECOND + 30 * MS, "W", 75000);
	/* The file system's own writes. */
	tell(observation, "kworker/u8:1-5", 3 * SECOND,
	     "block_bio_queue: " DRIVE " WM 80000 + 8 [kworker/u8:1]");
	serve(observation, 3 * SECOND, "WM", 80000);
	tell(observation, "jbd2/nvme0n1p2--8", 3 * SECOND + 9 * MS,
	     "block_bio_queue: " DRIVE " WS 90000 + 8 [jbd2/nvme0n1p2-]");
	serve(observation, 3 * SECOND + 9 * MS, "WS", 90000);
	finish(observation, 0);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_WRITEBACK, "firefox").n_ios,
		300);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_WRITEBACK, "gedit").n_ios,
		100);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_KERNEL, "kworker").n_ios, 1);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_KERNEL, "kswapd0").n_ios, 1);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_KERNEL, "ext4lazyinit").n_ios,
		1);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_JOURNAL, "jbd2/nvme0n1p2-")
			.n_ios,
		1);
	assert_shares_are_all(observation);
	ssdpm_observation_free(observation);
}

/* Reads that a thread of this name asks for: of which kind their cause is. */
static uint32_t kind_of(const char *name)
{
	struct ssdpm_observation *observation = observe();
	char task[32];
	uint32_t kind = 0;

	snprintf(task, sizeof(task), "%s-20", name);
	tell(observation, task, SECOND,
	     "block_bio_queue: " DRIVE " R 100 + 8 [x]");
	tell(observation, task, SECOND,
	     "block_rq_issue: " DRIVE " R 4096 () 100 + 8 [x]");
	tell(observation, task, SECOND + MS,
	     "block_rq_complete: " DRIVE " R () 100 + 8 [0]");
	finish(observation, SECOND + 2 * MS);
	for (size_t i = 0; !kind; i++) {
		struct ssdpm_cause cause = { .size = sizeof(cause) };

		assert_int_equal(ssdpm_observation_get_cause(observation, 0, i,
							     &cause, NULL),
				 0);
		if (!strcmp(cause.name, name))
			kind = cause.kind;
	}
	ssdpm_observation_free(observation);
	return kind;
}

static void a_program_whose_name_begins_as_that_of_a_thread_is_a_process(
	void **state)
{
	static const char *const programs[] = {
		"md5sum",	  "md5deep",	   "md127",	  "md0x_y",
		"md_raid",	  "loop0fs",	   "loop",	  "loop5_x",
		"f2fs_io",	  "btrfs-convert", "btrfs-image", "btrfs",
		"btrfs-find-root"
	};
	static const char *const threads[] = { "md0_raid1",   "md127_resync",
					       "loop0",	      "loop12",
					       "btrfs-endio", "f2fs_gc-259:1" };

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		assert_int_equal(kind_of(programs[i]), SSDPM_CAUSE_PROCESS);
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		assert_int_equal(kind_of(threads[i]), SSDPM_CAUSE_KERNEL);
}

static void a_merged_request_is_shared_by_bytes(void **state)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_cause tar, cat;

	(void)state;
	tell(observation, "tar-20", SECOND,
	     "block_bio_queue: " DRIVE " R 100 + 24 [tar]");
	tell(observation, "cat-21", SECOND,
	     "block_bio_queue: " DRIVE " R 124 + 8 [cat]");
	tell(observation, "tar-20", SECOND,
	     "block_rq_issue: " DRIVE " R 16384 () 100 + 32 [tar]");
	tell(observation, "tar-20", SECOND + MS,
	     "block_rq_complete: " DRIVE " R () 100 + 32 [0]");
	finish(observation, SECOND + 2 * MS);
	tar = cause_of(observation, SSDPM_CAUSE_PROCESS, "tar");
	cat = cause_of(observation, SSDPM_CAUSE_PROCESS, "cat");
	assert_int_equal(tar.bytes, 24 * 512);
	assert_int_equal(cat.bytes, 8 * 512);
	assert_int_equal(tar.energy_nj, 3 * cat.energy_nj);
	assert_int_equal(tar.n_ios, 1);
	assert_int_equal(cat.n_ios, 0);
	assert_shares_are_all(observation);
	ssdpm_observation_free(observation);
}

static void what_was_not_seen_is_of_who_sends_it(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	tell(observation, "smart thing [1]-20", SECOND,
	     "block_rq_issue: " DRIVE " R 4096 () 100 + 8 none,0,0 [x]");
	tell(observation, "<idle>-0", SECOND + MS,
	     "block_rq_complete: " DRIVE " R () 100 + 8 none,0,0 [0]");
	finish(observation, 0);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "smart thing [1]")
			.n_ios,
		1);
	assert_int_equal(
		ssdpm_observation_get_counts(observation)->unknown_bytes, 4096);
	ssdpm_observation_free(observation);
}

static void threads_are_found_whatever_their_names_are(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	read_by(observation, "a [1] b-20", SECOND, 0);
	/* The kernel has forgotten the name; the event has it. */
	tell(observation, "<...>-21", SECOND + 5 * MS,
	     "block_bio_queue: " DRIVE " R 800 + 8 [updatedb]");
	serve(observation, SECOND + 5 * MS, "R", 800);
	finish(observation, 0);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "a [1] b").n_ios, 1);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "updatedb").n_ios,
		1);
	assert_int_equal(drive_of(observation).n_causes, 2);
	ssdpm_observation_free(observation);
}

static void a_flush_is_of_who_asked_for_it(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	/* Sector 0, where another process reads. */
	tell(observation, "cat-21", SECOND,
	     "block_bio_queue: " DRIVE " R 0 + 8 [cat]");
	tell(observation, "sqlite-20", SECOND,
	     "block_bio_queue: " DRIVE " FF 0 + 0 [sqlite]");
	serve(observation, SECOND, "R", 0);
	tell(observation, "sqlite-20", SECOND,
	     "block_bio_queue: " DRIVE " FWFS 100 + 8 [sqlite]");
	tell(observation, "kworker/3:1H-77", SECOND,
	     "block_rq_issue: " DRIVE " FF 0 () 0 + 0 [kworker/3:1H]");
	tell(observation, "<idle>-0", SECOND + MS,
	     "block_rq_complete: " DRIVE " FF () 0 + 0 [0]");
	serve(observation, SECOND + 2 * MS, "FWFS", 100);
	finish(observation, 0);
	assert_int_equal(drive_of(observation).n_causes, 2);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "cat").n_ios, 1);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "sqlite").n_ios, 2);
	ssdpm_observation_free(observation);
}

static void admin_commands_are_counted_and_cost_nothing(void **state)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_observed drive;

	(void)state;
	tell(observation, "smartctl-30", SECOND,
	     "nvme_setup_cmd: nvme7: qid=0, cmdid=12, nsid=1, flags=0x0, "
	     "meta=0x0, cmd=(nvme_admin_get_log_page cdw10=02 00 7f 00)");
	tell(observation, "smartctl-30", SECOND,
	     "nvme_setup_cmd: nvme7: disk=nvme7n1, qid=3, cmdid=12, nsid=1, "
	     "flags=0x0, meta=0x0, cmd=(nvme_cmd_read slba=0)");
	tell(observation, "smartctl-30", SECOND,
	     "nvme_setup_cmd: nvme6: qid=0, cmdid=12, nsid=1, flags=0x0, "
	     "meta=0x0, cmd=(nvme_admin_get_log_page cdw10=02 00 7f 00)");
	finish(observation, 0);
	drive = drive_of(observation);
	assert_int_equal(drive.n_admin, 1);
	assert_int_equal(drive.energy_nj, 0);
	assert_int_equal(drive.phase, 0);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "smartctl").n_admin,
		1);
	ssdpm_observation_free(observation);
}

#define FORMAT(name, print) "# format: name: " name "\\nprint fmt: " print "\n"
#define AT "\"%d,%d %s %llu + %u\", REC->dev, REC->dev, REC->rwbs, "
#define RANGE_OF "REC->sector, REC->nr_sector"

static size_t index_of_event(const char *path)
{
	size_t i = 0;

	while (strcmp(ssdpm_observation_get_event(i), path) != 0)
		i++;
	return i;
}

/* A text with the formats of requests has those of all that there are. */
static void without_its_event_the_admin_commands_are_unknown(void **state)
{
	static const char issue[] = FORMAT("block_rq_issue", AT RANGE_OF),
			  complete[] = FORMAT("block_rq_complete", AT RANGE_OF),
			  page[] = FORMAT("writeback_dirty_page",
					  "\"%s %lu\", REC->name, REC->ino"),
			  admin[] = FORMAT("nvme_setup_cmd",
					   "\"%d %d\", REC->ctrl_id, REC->qid");
	const size_t setup = index_of_event("nvme/nvme_setup_cmd"),
		     folio = index_of_event("writeback/writeback_dirty_folio");
	struct ssdpm_observation *observation = observe();

	(void)state;
	assert_int_equal(
		ssdpm_observation_feed(observation, issue, strlen(issue), NULL),
		0);
	assert_false(ssdpm_observation_lacks_event(observation, setup));
	assert_int_equal(ssdpm_observation_feed(observation, complete,
						strlen(complete), NULL),
			 0);
	assert_true(ssdpm_observation_lacks_event(observation, setup));
	assert_true(ssdpm_observation_lacks_event(observation, folio));
	assert_false(ssdpm_observation_lacks_event(observation, folio + 1));
	assert_false(ssdpm_observation_lacks_event(observation, 99));
	tell(observation, "cat-30", SECOND,
	     "block_rq_issue: " DRIVE " R 8 + 8");
	assert_true(drive_of(observation).n_admin == SSDPM_ADMIN_UNKNOWN);
	assert_int_equal(
		ssdpm_observation_feed(observation, page, strlen(page), NULL),
		0);
	assert_false(ssdpm_observation_lacks_event(observation, folio));
	assert_int_equal(
		ssdpm_observation_feed(observation, admin, strlen(admin), NULL),
		0);
	assert_false(ssdpm_observation_lacks_event(observation, setup));
	assert_int_equal(drive_of(observation).n_admin, 0);
	ssdpm_observation_free(observation);
}

static void admin_commands_of_an_unknown_controller_are_unknown(void **state)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_observed drive = { .size = sizeof(drive) };

	(void)state;
	add_another(observation);
	tell(observation, "smartctl-30", SECOND,
	     "nvme_setup_cmd: nvme4294967295: qid=0, cmdid=12, nsid=1, "
	     "flags=0x0, meta=0x0, cmd=(nvme_admin_get_log_page cdw10=02)");
	finish(observation, 0);
	assert_int_equal(ssdpm_observation_get_counts(observation)->n_events,
			 1);
	assert_int_equal(
		ssdpm_observation_get_drive(observation, 1, &drive, NULL), 0);
	assert_true(drive.n_admin == SSDPM_ADMIN_UNKNOWN);
	ssdpm_observation_free(observation);
}

/* The head of a recording has the controller of each NVMe drive. */
static void a_recording_without_a_controller_is_of_no_nvme_drive(void **state)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_observed drive = { .size = sizeof(drive) };

	(void)state;
	add_another(observation);
	feed(observation, "# policy: 259,5 base 0 0 0 0\n");
	tell(observation, "cat-30", SECOND,
	     "block_rq_issue: 259,5 R 4096 () 8 + 8 none,0,0 [cat]");
	finish(observation, 0);
	assert_int_equal(
		ssdpm_observation_get_drive(observation, 1, &drive, NULL), 0);
	assert_int_equal(drive.n_admin, 0);
	ssdpm_observation_free(observation);
}

/* SMART of a SATA disk comes among its I/Os. */
static void commands_that_are_no_ios_are_of_who_sends_them(void **state)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_observed drive;

	(void)state;
	tell(observation, "smartctl-30", SECOND,
	     "block_rq_issue: " DRIVE " N 512 () 0 + 0 [smartctl]");
	assert_true(drive_of(observation).n_admin == SSDPM_ADMIN_UNKNOWN);
	/* Another controller is a sign that they are traced. */
	tell(observation, "smartctl-30", SECOND,
	     "nvme_setup_cmd: nvme99: qid=0, cmdid=12, nsid=1, flags=0x0, "
	     "meta=0x0, cmd=(nvme_admin_get_log_page cdw10=02)");
	tell(observation, "<idle>-0", SECOND + MS,
	     "block_rq_complete: " DRIVE " N () 0 + 0 [0]");
	tell(observation, "smartctl-30", 2 * SECOND,
	     "block_rq_issue: " DRIVE " N 0 () 0 + 0 none,0,0 [smartctl]");
	tell(observation, "smartctl-30", 2 * SECOND,
	     "block_rq_issue: 8,16 N 512 () 0 + 0 [smartctl]");
	/* Zeroes that are written have sectors. */
	tell(observation, "mkfs-31", 3 * SECOND,
	     "block_rq_issue: " DRIVE " N 4096 () 0 + 8 [mkfs]");
	finish(observation, 0);
	drive = drive_of(observation);
	assert_int_equal(drive.n_admin, 2);
	assert_int_equal(drive.n_ios, 0);
	assert_int_equal(drive.energy_nj, 0);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "smartctl").n_admin,
		2);
	ssdpm_observation_free(observation);
}

static void a_drive_that_never_sleeps_rests_awake(void **state)
{
	struct ssdpm_observation *observation = observe_with(true);

	(void)state;
	read_by(observation, "cat-10", SECOND, 0);
	finish(observation, 2 * SECOND);
	assert_int_equal(drive_of(observation).resting_nj, 999 * 1000000);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "cat").energy_nj,
		4000000);
	assert_shares_are_all(observation);
	ssdpm_observation_free(observation);
}

static struct ssdpm_deepest deepest_of(struct ssdpm_observation *observation)
{
	struct ssdpm_deepest deepest = { .size = sizeof(deepest) };

	assert_int_equal(
		ssdpm_observation_get_deepest(observation, 0, &deepest, NULL),
		0);
	return deepest;
}

/* Entries between two I/Os: an I/O takes 1 ms. */
static uint64_t entries_in(uint64_t idle_ms)
{
	struct ssdpm_observation *observation = observe();
	uint64_t n;

	read_by(observation, "cat-10", SECOND, 0);
	read_by(observation, "cat-10", SECOND + MS + idle_ms * MS, 8);
	finish(observation, 0);
	n = deepest_of(observation).n_entries;
	ssdpm_observation_free(observation);
	return n;
}

/* State 2 is reached 122 ms after the last I/O. */
static void entries_into_the_deepest_state_are_counted(void **state)
{
	static const uint64_t idle_ms[] = { 60, 500, 5000, 20, 500 };
	struct ssdpm_observation *observation = observe();
	uint64_t at = SECOND;

	(void)state;
	assert_int_equal(deepest_of(observation).n_entries, 0);
	assert_int_equal(deepest_of(observation).after_ns, 122 * MS);
	assert_int_equal(deepest_of(observation).state, 2);
	assert_int_equal(entries_in(60), 0);
	/* On the way. */
	assert_int_equal(entries_in(121), 0);
	assert_int_equal(entries_in(123), 1);
	assert_int_equal(entries_in(5000), 1);
	read_by(observation, "cat-10", at, 0);
	for (unsigned int i = 0; i < 5; i++) {
		at += MS + idle_ms[i] * MS;
		read_by(observation, "cat-10", at, 8 * i + 8);
	}
	finish(observation, at);
	assert_int_equal(deepest_of(observation).n_entries, 3);
	/* The I/O after 5 s waits for the drive until the next one comes. */
	assert_int_equal(deepest_of(observation).n_idle_times, 4);
	ssdpm_observation_free(observation);
}

static void a_drive_that_never_sleeps_has_no_deepest_state(void **state)
{
	struct ssdpm_observation *observation = observe_with(true);

	(void)state;
	read_by(observation, "cat-10", SECOND, 0);
	/* Idle for half a millisecond, and then for two. */
	read_by(observation, "cat-10", SECOND + MS + MS / 2, 8);
	read_by(observation, "cat-10", SECOND + 4 * MS + MS / 2, 16);
	finish(observation, 9 * SECOND);
	assert_int_equal(deepest_of(observation).after_ns, 0);
	assert_int_equal(deepest_of(observation).n_entries, 0);
	assert_int_equal(deepest_of(observation).n_idle_times, 2);
	ssdpm_observation_free(observation);
}

static struct ssdpm_without without_at(struct ssdpm_observation *observation,
				       size_t cause)
{
	struct ssdpm_without without = { .size = sizeof(without) };

	assert_int_equal(ssdpm_observation_get_without(observation, 0, cause,
						       &without, NULL),
			 0);
	return without;
}

/* 1 ms busy, 9 idle; the gap; 10 idle, 2 entry, 50 in state 1. */
static void a_gap_is_in_no_sum(void **state)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_without without;
	struct ssdpm_observed drive;

	(void)state;
	read_by(observation, "cat-10", SECOND, 0);
	feed(observation, "# gap: 259,0 1010000000 2000000000 4000\n");
	drive = drive_of(observation);
	assert_int_equal(drive.phase, 0);
	assert_int_equal(drive.now_ns, 2 * SECOND);
	feed(observation, "# gap: 259,0 2000000000 3000000000 5000\n");
	finish(observation, 3 * SECOND + 62 * MS);
	drive = drive_of(observation);
	assert_int_equal(drive.n_ios, 1);
	assert_int_equal(drive.uncovered_ns, 1990 * MS);
	assert_int_equal(drive.n_uncovered_ios, 9000);
	assert_int_equal(drive.busy_ns, 1 * MS);
	assert_int_equal(drive.idle_ns, 9 * MS + 10 * MS);
	assert_int_equal(drive.transition_ns, 2 * MS);
	assert_int_equal(drive.asleep_ns, 50 * MS);
	assert_int_equal(drive.n_wakes, 0);
	/* 1 ms at 4 W, 9 at 1 W. Nobody pays for what follows the gap. */
	assert_int_equal(cause_at(observation, 0).energy_nj, 13000000);
	assert_shares_are_all(observation);
	without = without_at(observation, 0);
	assert_int_equal(without.energy_nj, drive.energy_nj);
	assert_int_equal(without.asleep_ns, drive.asleep_ns);
	assert_int_equal(without.uncovered_ns, drive.uncovered_ns);
	ssdpm_observation_free(observation);
}

static void what_was_on_its_way_when_a_gap_began_is_lost(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	read_by(observation, "cat-10", SECOND, 0);
	tell(observation, "dd-11", SECOND + 5 * MS,
	     "block_bio_queue: " DRIVE " R 64 + 8 [dd]");
	tell(observation, "dd-11", SECOND + 5 * MS,
	     "block_rq_issue: " DRIVE " R 4096 () 64 + 8 [dd]");
	feed(observation, "# gap: 259,0 1006000000 2000000000 1\n");
	/* The earlier bio is not from the present caller. */
	serve(observation, 2 * SECOND + 500 * MS, "R", 64);
	finish(observation, 3 * SECOND);
	assert_int_equal(ssdpm_observation_get_counts(observation)->n_unmatched,
			 1);
	assert_int_equal(ssdpm_observation_get_counts(observation)->n_orphans,
			 0);
	assert_int_equal(drive_of(observation).n_ios, 2);
	assert_int_equal(drive_of(observation).n_wakes, 1);
	assert_int_equal(drive_of(observation).n_causes, 2);
	assert_int_equal(cause_at(observation, 1).kind, SSDPM_CAUSE_KERNEL);
	assert_shares_are_all(observation);
	ssdpm_observation_free(observation);
}

static void a_gap_of_one_drive_forgets_no_bio_of_another(void **state)
{
	struct ssdpm_observation *observation = observe();
	const struct ssdpm_observation_counts *counts =
		ssdpm_observation_get_counts(observation);

	(void)state;
	add_another(observation);
	tell(observation, "tar-20", SECOND,
	     "block_bio_queue: " DRIVE " R 100 + 8 [tar]");
	tell(observation, "cat-21", SECOND,
	     "block_bio_queue: 259,5 R 100 + 8 [cat]");
	feed(observation, "# gap: 259,5 1000000000 1100000000 3\n");
	serve(observation, SECOND + 100 * MS, "R", 100);
	assert_int_equal(counts->unknown_bytes, 0);
	tell(observation, "kworker/3:1H-77", SECOND + 100 * MS,
	     "block_rq_issue: 259,5 R 4096 () 100 + 8 [kworker/3:1H]");
	assert_int_equal(counts->unknown_bytes, 4096);
	finish(observation, 0);
	assert_int_equal(
		cause_of(observation, SSDPM_CAUSE_PROCESS, "tar").n_ios, 1);
	assert_int_equal(drive_of(observation).n_causes, 1);
	ssdpm_observation_free(observation);
}

static void an_idle_time_ends_at_a_gap(void **state)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_deepest deepest = { .size = sizeof(deepest) };

	(void)state;
	read_by(observation, "cat-10", SECOND, 0);
	/* 9 ms idle, a gap, and 50 ms idle. */
	feed(observation, "# gap: 259,0 1010000000 1050000000 5\n");
	read_by(observation, "cat-10", SECOND + 100 * MS, 64);
	finish(observation, 0);
	assert_int_equal(
		ssdpm_observation_get_deepest(observation, 0, &deepest, NULL),
		0);
	assert_int_equal(deepest.n_idle_times, 2);
	ssdpm_observation_free(observation);
}

static void an_observation_may_begin_with_a_gap(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	feed(observation, "# gap: 259,0 1000000000 2000000000 7\n"
			  "# gap: 8,0 1000000000 2000000000 7\n");
	finish(observation, 2 * SECOND);
	assert_int_equal(drive_of(observation).start_ns, SECOND);
	assert_int_equal(drive_of(observation).uncovered_ns, SECOND);
	assert_int_equal(drive_of(observation).n_uncovered_ios, 7);
	assert_int_equal(drive_of(observation).energy_nj, 0);
	assert_shares_are_all(observation);
	ssdpm_observation_free(observation);
}

static void gaps_that_cannot_be_read_are_counted(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	feed(observation, "# gap: 259 1 2 3\n# gap: 259,0 2 1 3\n"
			  "# gap: 259,0 1 2\n# gap: 259,0 x 2 3\n"
			  "# gap: 259,0 1 18446744073709551615 3\n"
			  "# gap: 259,0 -1 2 3\n# gap: 259,0 1 2 3-10\n");
	assert_int_equal(ssdpm_observation_get_counts(observation)->n_bad, 7);
	finish(observation, SECOND);
	assert_int_equal(drive_of(observation).uncovered_ns, 0);
	ssdpm_observation_free(observation);
}

/* The name of a thread may begin a line with "# end". */
static void a_gap_of_a_time_that_is_over_changes_nothing(void **state)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_observed drive;

	(void)state;
	read_by(observation, "cat-10", SECOND, 0);
	read_by(observation, "cat-10", 2 * SECOND, 64);
	feed(observation, "# gap: 259,0 1100000000 1200000000 5\n"
			  "# gap: 259,0 1 2 5\n# end: 9-10 [000] d..1\n");
	assert_int_equal(ssdpm_observation_get_counts(observation)->n_bad, 3);
	finish(observation, 3 * SECOND);
	drive = drive_of(observation);
	assert_int_equal(drive.uncovered_ns, 0);
	assert_int_equal(drive.n_uncovered_ios, 0);
	assert_int_equal(drive.n_wakes, 1);
	ssdpm_observation_free(observation);
}

static void assert_moves_no_time(const char *comment)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_error error = { .message = "" };
	static const char late[] =
		"dd-11 [000] d..1. 2.000000: block_bio_queue: " DRIVE
		" R 64 + 8 [dd]\n";

	read_by(observation, "cat-10", SECOND, 0);
	feed(observation, comment);
	assert_int_equal(
		ssdpm_observation_feed(observation, late, strlen(late), &error),
		-EINVAL);
	assert_non_null(strstr(error.message, "time goes backwards"));
	ssdpm_observation_free(observation);
}

/* All events of an earlier time are before it. */
static void an_event_of_before_a_gap_or_the_end_is_refused_after_it(
	void **state)
{
	(void)state;
	assert_moves_no_time("# gap: 259,0 1100000000 4000000000000000000 5\n");
	assert_moves_no_time("# end: 4000000000000000000\n");
	assert_moves_no_time("# end: 2500000000\n");
}

static void ios_in_gaps_are_no_more_than_can_be_counted(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	feed(observation,
	     "# gap: 259,0 1000000000 2000000000 18446744073709551615\n"
	     "# gap: 259,0 2000000000 3000000000 18446744073709551615\n");
	finish(observation, 3 * SECOND);
	assert_true(drive_of(observation).n_uncovered_ios == UINT64_MAX);
	ssdpm_observation_free(observation);
}

static void what_is_not_complete_is_not_known_yet(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	read_by(observation, "cat-10", SECOND, 0);
	tell(observation, "dd-11", 2 * SECOND,
	     "block_rq_issue: " DRIVE " R 4096 () 100 + 8 [dd]");
	assert_int_equal(
		ssdpm_observation_advance(observation, 3 * SECOND, NULL), 0);
	assert_int_equal(drive_of(observation).now_ns, 2 * SECOND);
	assert_int_equal(drive_of(observation).phase, SSDPM_PHASE_RESIDENT);
	assert_int_equal(drive_of(observation).state, 2);
	tell(observation, "<idle>-0", 3 * SECOND,
	     "block_rq_complete: " DRIVE " R () 100 + 8 [0]");
	assert_int_equal(
		ssdpm_observation_advance(observation, 4 * SECOND, NULL), 0);
	assert_int_equal(drive_of(observation).now_ns, 3800 * MS);
	assert_int_equal(drive_of(observation).n_ios, 2);
	assert_shares_are_all(observation);
	ssdpm_observation_free(observation);
}

static void a_drive_is_known_while_another_one_works(void **state)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_observed_params params;
	struct given given;

	(void)state;
	give(&given, false);
	params = params_of(&given);
	params.minor = 1;
	assert_int_equal(
		ssdpm_observation_add_drive(observation, &params, NULL), 0);
	ssdpm_model_unref(given.model);
	read_by(observation, "cat-10", SECOND, 0);
	for (uint64_t at = 2; at < 10; at++)
		tell(observation, "dd-11", at * SECOND,
		     "block_rq_issue: 259,1 R 4096 () 100 + 8 [dd]");
	assert_in_range(drive_of(observation).now_ns, 8700 * MS, 9000 * MS);
	assert_int_equal(drive_of(observation).phase, SSDPM_PHASE_RESIDENT);
	ssdpm_observation_free(observation);
}

/* Whole or in parts, with or without a line before it. */
static void a_line_that_is_too_long_is_bad_and_no_more(void **state)
{
	enum { LONGEST = 16384 };
	static char line[LONGEST + 1002];
	static const char head[] = "# format: ";

	(void)state;
	memset(line, 'A', sizeof(line));
	memcpy(line, head, sizeof(head) - 1);
	for (size_t n = LONGEST; n <= LONGEST + 1001;
	     n += n > LONGEST ? 1000 : 1)
		for (size_t first = 0; first < 2 * LONGEST; first += LONGEST) {
			struct ssdpm_observation *observation = observe();
			const struct ssdpm_observation_counts *counts =
				ssdpm_observation_get_counts(observation);

			line[n] = '\n';
			assert_int_equal(ssdpm_observation_feed(observation,
								line, first,
								NULL),
					 0);
			assert_int_equal(ssdpm_observation_feed(
						 observation, line + first,
						 n + 1 - first, NULL),
					 0);
			line[n] = 'A';
			feed(observation, "# partition: 259,1 259,0\n");
			finish(observation, SECOND);
			assert_int_equal(counts->n_lines, 2);
			assert_int_equal(counts->n_bad, 1);
			ssdpm_observation_free(observation);
		}
}

static void time_that_goes_backwards_by_far_is_refused(void **state)
{
	/* Two runs; one wild time stamp, and then the rest. */
	static const struct {
		const char *before, *message;
		uint64_t at;
	} cases[] = {
		{ "", "a second run begins", SECOND / 2 },
		{ "              wild-1       [003] d..1. 90000.000000: "
		  "block_bio_queue: 8,0 R 1 + 8 [x]\n",
		  "Split the file there", 4 * SECOND },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_observation *observation = observe();
		struct ssdpm_error error = { 0 };
		char line[128];

		read_by(observation, "cat-10", SECOND, 0);
		/* From another processor. */
		read_by(observation, "cat-10", 3 * SECOND, 100);
		read_by(observation, "dd-11", 3 * SECOND - 199 * MS, 64);
		feed(observation, cases[i].before);
		snprintf(line, sizeof(line),
			 "             cat-10      [003] d..1. %d.%06d: "
			 "block_bio_queue: 259,0 R 800 + 8 [cat]\n",
			 (int)(cases[i].at / SECOND),
			 (int)(cases[i].at % SECOND / 1000));
		for (int j = 0; j < 2; j++)
			assert_int_equal(
				ssdpm_observation_feed(observation, line,
						       strlen(line), &error),
				-EINVAL);
		assert_non_null(strstr(error.message, cases[i].message));
		assert_null(strstr(error.message, "skip"));
		ssdpm_observation_free(observation);
	}
}

static void the_end_of_a_recording_is_in_its_text(void **state)
{
	static const char *const lines[] = { "# end:\n", "# end: x\n",
					     "# end: -1\n",
					     "# end: 99999999999999999999\n" };
	struct ssdpm_observation *observation = observe();
	struct ssdpm_observed drive;

	(void)state;
	read_by(observation, "cat-10", SECOND, 0);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		feed(observation, lines[i]);
	assert_int_equal(ssdpm_observation_get_counts(observation)->n_bad, 4);
	/* One before the last event, as one that was read while it waited. */
	feed(observation, "# end: 400000000\n# end: 5000000000\n");
	finish(observation, 0);
	drive = drive_of(observation);
	assert_int_equal(drive.now_ns, 5 * SECOND);
	/* 1 ms busy, 10 idle, 2 entry; 88 in state 1, 10 entry */
	assert_int_equal(drive.asleep_ns, 4 * SECOND - 23 * MS);
	assert_int_equal(ssdpm_observation_get_counts(observation)->n_bad, 4);
	ssdpm_observation_free(observation);
}

static void lines_that_say_nothing_are_counted_or_passed_over(void **state)
{
	struct ssdpm_observation *observation = observe();
	const struct ssdpm_observation_counts *counts =
		ssdpm_observation_get_counts(observation);

	(void)state;
	feed(observation, "# tracer: nop\n#\n\nCPU:2 [LOST 1234 EVENTS]\n"
			  "CPU:0 [LOST EVENTS]\n# partition: 259,1 259\n"
			  "# partition: 259,1 8,0\n# format: x\n");
	tell(observation, "cat-10", SECOND, "sched_switch: prev=1 [003] x");
	tell(observation, "cat-10", SECOND, "block_rq_issue: " DRIVE " R");
	tell(observation, "cat-x", SECOND,
	     "block_rq_issue: " DRIVE " R 4096 () 100 + 8 [dd]");
	/* Another drive, and a number that no drive has. */
	tell(observation, "cat-10", SECOND,
	     "block_rq_issue: 8,0 R 4096 () 100 + 8 [dd]");
	tell(observation, "cat-10", SECOND,
	     "block_rq_issue: " DRIVE
	     " R 4096 () 18446744073709551615 + 8 [dd]");
	tell(observation, "cat-10", SECOND,
	     "block_rq_complete: " DRIVE " R () 4 + 8 [0]");
	finish(observation, 0);
	assert_int_equal(counts->n_lines, 14);
	assert_int_equal(counts->n_lost, 1235);
	assert_int_equal(counts->n_bad, 4);
	assert_int_equal(counts->n_events, 3);
	assert_int_equal(counts->n_orphans, 1);
	assert_int_equal(drive_of(observation).n_ios, 0);
	ssdpm_observation_free(observation);
}

static int set_format(struct ssdpm_observation *observation, const char *text,
		      struct ssdpm_error *error)
{
	return ssdpm_observation_set_format(observation, text, strlen(text),
					    error);
}

#define HEAD "name: block_rq_issue\nID: 1\nformat:\n\tfield:int x;\n\n"
#define ARGS                                                              \
	"((unsigned int) ((REC->dev) >> 20)), ((unsigned int) "           \
	"((REC->dev) & ((1U << 20) - 1))), REC->rwbs, REC->nr_sector, "   \
	"(unsigned long long)REC->sector, __print_symbolic((REC->ioprio " \
	">> 13), { 0, \"none, \\\"\" }, { 1, \"rt)\" })\n"

static void the_format_of_the_kernel_is_followed(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	assert_int_equal(
		set_format(observation,
			   HEAD "print fmt: \"<%d:%d> 100%% %s %#x n=%u "
				"s=%llu\", REC->dev, REC->dev, REC->rwbs, "
				"REC->cmd_flags, REC->nr_sector, REC->sector\n",
			   NULL),
		0);
	tell(observation, "cat-10", SECOND,
	     "block_rq_issue: <259:0> 100% R 0x1f n=8 s=100");
	/* The usual format is a bad line now. */
	tell(observation, "cat-10", SECOND,
	     "block_rq_issue: " DRIVE " R 4096 () 100 + 8 [dd]");
	tell(observation, "cat-10", SECOND + MS,
	     "block_rq_complete: " DRIVE " R () 100 + 8 [0]");
	finish(observation, 0);
	assert_int_equal(drive_of(observation).n_ios, 1);
	assert_int_equal(ssdpm_observation_get_counts(observation)->n_bad, 1);
	ssdpm_observation_free(observation);
}

static void a_format_may_be_in_the_text(void **state)
{
	struct ssdpm_observation *observation = observe();

	(void)state;
	feed(observation,
	     "# format: name: block_rq_issue\\nprint fmt: \"<%d:%d> %s %u "
	     "%llu %s\", REC->dev, REC->dev, REC->rwbs, REC->nr_sector, "
	     "REC->sector, __print_symbolic(REC->x, { 0, \"a\\\\n\" })\n");
	tell(observation, "cat-10", SECOND, "block_rq_issue: <259:0> R 8 64 a");
	tell(observation, "cat-10", SECOND + MS,
	     "block_rq_complete: " DRIVE " R () 64 + 8 [0]");
	finish(observation, 0);
	assert_int_equal(drive_of(observation).n_ios, 1);
	ssdpm_observation_free(observation);
}

static void formats_that_cannot_be_followed_are_refused(void **state)
{
	static const struct {
		const char *text;
		int code;
		const char *words;
	} bad[] = {
		{ "", -EINVAL, "name" },
		{ "name: block_rq_issue\n", -EINVAL, "print fmt" },
		{ "name: sched_switch\nprint fmt: \"x\"\n", -ENOENT, "event" },
		{ HEAD "print fmt: x\n", -EINVAL, "followed" },
		{ HEAD "print fmt: \"%d,%d\n", -EINVAL, "followed" },
		{ HEAD "print fmt: \"%d,%d %s %u %llu\", " ARGS, 0, "" },
		{ HEAD "print fmt: \"%d,%d %s %u %llu %s %d\", " ARGS, -EINVAL,
		  "followed" },
		{ HEAD "print fmt: \"%d,%d %s %u\", " ARGS, -ENODATA, "field" },
		{ HEAD "print fmt: \"%d,%d %d %u %llu\", " ARGS, -EINVAL,
		  "followed" },
		{ HEAD "print fmt: \"%d,%s %s %u %llu\", " ARGS, -EINVAL,
		  "followed" },
		{ HEAD "print fmt: \"%d,%n\", " ARGS, -EINVAL, "followed" },
		{ HEAD "print fmt: \"%d,%\", " ARGS, -EINVAL, "followed" },
		{ HEAD "print fmt: \"a literal that is too long %d\", " ARGS,
		  -EINVAL, "followed" },
		{ HEAD "print fmt: \"%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d"
		       "%d%d%d%d%d%d\", " ARGS,
		  -EINVAL, "followed" },
	};
	struct ssdpm_observation *observation = observe();

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ssdpm_error error = fixture_error();

		assert_int_equal(set_format(observation, bad[i].text, &error),
				 bad[i].code);
		if (bad[i].code)
			fixture_assert_error(&error, bad[i].code, 0,
					     bad[i].words);
	}
	ssdpm_observation_free(observation);
}

/* The number of a key of the next interval, where it is first. */
static uint64_t next_of(const char *text, const char *key)
{
	char quoted[40];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\": ", key);
	at = strstr(text, quoted);
	assert_non_null(at);
	return strtoull(at + strlen(quoted), NULL, 10);
}

static char *next_interval(struct ssdpm_observation *observation)
{
	struct ssdpm_error error = fixture_error();
	char *text = NULL;

	assert_int_equal(ssdpm_observation_interval_to_json(
				 observation, 0, "nvme0", &text, &error),
			 0);
	return text;
}

/* By hand, as in a_process_takes_its_io_the_time_after_it_and_the_wake(). */
static void an_interval_is_what_is_new(void **state)
{
	struct ssdpm_observation *observation = observe();
	char *text = next_interval(observation);

	(void)state;
	assert_int_equal(next_of(text, "now_ns"), 0);
	assert_non_null(strstr(text, "\"phase\": null"));
	assert_non_null(strstr(text, "\"causes\": []"));
	free(text);
	read_by(observation, "cat-10", SECOND, 0);
	/* 0.2 s are not known yet. */
	assert_int_equal(
		ssdpm_observation_advance(observation, SECOND + 250 * MS, NULL),
		0);
	text = next_interval(observation);
	assert_int_equal(next_of(text, "start_ns"), SECOND);
	assert_int_equal(next_of(text, "now_ns"), SECOND + 50 * MS);
	assert_int_equal(next_of(text, "n_ios"), 1);
	assert_int_equal(next_of(text, "asleep_ns"), 37 * MS);
	assert_int_equal(next_of(text, "energy_nj"), 18000000 + 3700000);
	assert_int_equal(next_of(text, "resting_nj"), 3700000);
	assert_non_null(strstr(text, "\"name\": \"cat\""));
	free(text);
	assert_int_equal(
		ssdpm_observation_advance(observation, SECOND + 280 * MS, NULL),
		0);
	text = next_interval(observation);
	assert_int_equal(next_of(text, "start_ns"), SECOND + 50 * MS);
	assert_int_equal(next_of(text, "now_ns"), SECOND + 80 * MS);
	assert_int_equal(next_of(text, "n_ios"), 0);
	assert_int_equal(next_of(text, "asleep_ns"), 30 * MS);
	assert_int_equal(next_of(text, "energy_nj"), 3000000);
	/* It did nothing meanwhile. */
	assert_non_null(strstr(text, "\"causes\": []"));
	free(text);
	ssdpm_observation_free(observation);
}

static void a_gap_that_is_told_late_makes_no_interval_negative(void **state)
{
	struct ssdpm_observation *observation = observe();
	char *text;

	(void)state;
	read_by(observation, "cat-10", SECOND, 0);
	assert_int_equal(
		ssdpm_observation_advance(observation, 20 * SECOND, NULL), 0);
	free(next_interval(observation));
	feed(observation, "# gap: 259,0 10000000000 30000000000 5\n");
	text = next_interval(observation);
	assert_int_equal(next_of(text, "uncovered_ns"), 20 * SECOND);
	assert_int_equal(next_of(text, "n_uncovered_ios"), 5);
	assert_int_equal(next_of(text, "asleep_ns"), 0);
	assert_int_equal(next_of(text, "energy_nj"), 0);
	free(text);
	ssdpm_observation_free(observation);
}

static int predict(struct ssdpm_observation *observation,
		   struct ssdpm_prediction *likely)
{
	*likely = (struct ssdpm_prediction){ .size = sizeof(*likely) };
	return ssdpm_observation_get_prediction(observation, 0, likely, NULL);
}

/* All parameters that have a power are known, so nothing spreads it far. */
static void the_likely_power_is_of_the_time_after_the_last_gap(void **state)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_prediction likely;
	struct ssdpm_observed drive;

	(void)state;
	assert_int_equal(predict(observation, &likely), -ENODATA);
	for (unsigned int i = 0; i < 300; i++)
		read_by(observation, "cat-10", (1 + i) * SECOND, 64 * i);
	assert_int_equal(
		ssdpm_observation_advance(observation, 400 * SECOND, NULL), 0);
	drive = drive_of(observation);
	assert_int_equal(predict(observation, &likely), 0);
	assert_int_equal(likely.duration_ns, drive.now_ns - drive.start_ns);
	assert_int_equal(likely.nominal_uw,
			 (uint64_t)((double)drive.energy_nj * 1e6 /
					    (double)likely.duration_ns +
				    0.5));
	assert_in_range(likely.likely_median_uw, likely.likely_low_uw,
			likely.likely_high_uw);
	assert_in_range(likely.likely_low_uw, likely.possible_low_uw,
			likely.possible_high_uw);
	feed(observation, "# gap: 259,0 400000000000 500000000000 5\n");
	assert_int_equal(predict(observation, &likely), -ENODATA);
	read_by(observation, "cat-10", 510 * SECOND, 0);
	finish(observation, 512 * SECOND);
	assert_int_equal(predict(observation, &likely), 0);
	assert_int_equal(likely.duration_ns, 2 * SECOND);
	ssdpm_observation_free(observation);
}

static void wrong_calls_are_refused(void **state)
{
	char *text = UNTOUCHED;
	struct ssdpm_prediction likely = { .size = sizeof(likely) };
	struct ssdpm_observation *observation = observe();
	struct ssdpm_observed drive = { .size = sizeof(drive) };
	struct ssdpm_cause cause = { .size = sizeof(cause) };
	struct ssdpm_observed_params params;
	struct ssdpm_error error = fixture_error();
	struct given given;

	(void)state;
	give(&given, false);
	params = params_of(&given);
	assert_int_equal(
		ssdpm_observation_add_drive(observation, &params, &error),
		-EEXIST);
	params.minor = 1;
	given.sim.interval_ns = 1;
	assert_int_equal(
		ssdpm_observation_add_drive(observation, &params, NULL),
		-EINVAL);
	given.sim.interval_ns = 0;
	params.model = NULL;
	assert_int_equal(
		ssdpm_observation_add_drive(observation, &params, NULL),
		-EINVAL);
	params.model = given.model;
	assert_int_equal(
		ssdpm_observation_add_partition(observation, 1, 1, 1, NULL),
		-ENOENT);
	assert_int_equal(
		ssdpm_observation_get_drive(observation, 1, &drive, NULL),
		-ENOENT);
	assert_int_equal(
		ssdpm_observation_get_cause(observation, 0, 0, &cause, NULL),
		-ENOENT);
	assert_int_equal(
		ssdpm_observation_get_prediction(observation, 1, &likely, NULL),
		-ENOENT);
	assert_int_equal(ssdpm_observation_interval_to_json(
				 observation, 1, "nvme1", &text, NULL),
			 -ENOENT);
	assert_int_equal(ssdpm_observation_interval_to_json(observation, 0,
							    NULL, &text, NULL),
			 -EINVAL);
	assert_ptr_equal(text, UNTOUCHED);
	feed(observation, "\n");
	assert_int_equal(
		ssdpm_observation_add_drive(observation, &params, NULL),
		-EBUSY);
	finish(observation, 0);
	assert_int_equal(ssdpm_observation_feed(observation, "", 0, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_observation_finish(observation, 0, NULL),
			 -EINVAL);
	for (size_t i = 0; ssdpm_observation_get_event(i); i++)
		assert_non_null(strchr(ssdpm_observation_get_event(i), '/'));
	ssdpm_observation_free(observation);
	ssdpm_model_unref(given.model);
	assert_null(ssdpm_observation_free(NULL));
}

/* A random trace as text, its I/Os, and their callers. */
#define N_RANDOM 400
#define N_THREADS 5

struct random_trace {
	char text[N_RANDOM * 3 * 100];
	struct ssdpm_io ios[N_RANDOM];
	unsigned int threads[N_RANDOM];
};

static size_t write_line(char *text, unsigned int thread, uint64_t ns,
			 const char *event, unsigned int i)
{
	return (size_t)sprintf(
		text,
		"         thread%u-1%u      [000] ..... "
		"%llu.%06llu: %s %u + 8 [0]\n",
		thread, thread, (unsigned long long)(ns / SECOND),
		(unsigned long long)(ns % SECOND / 1000), event, i * 8);
}

/* The drive serves all in its base latency; the service times are fixed. */
static void write_random(struct random_trace *trace, uint64_t seed,
			 unsigned int without)
{
	uint64_t now = SECOND;
	size_t at = 0;

	for (unsigned int i = 0; i < N_RANDOM; i++) {
		uint64_t gap = (fixture_random(&seed) % 1000) *
			       (fixture_random(&seed) % 4 ? 1000 : 500000);
		unsigned int thread =
			(unsigned int)(fixture_random(&seed) % N_THREADS);
		uint64_t end;

		now += gap + 1000;
		end = now + 1000 * (1 + fixture_random(&seed) % 100);
		trace->threads[i] = thread;
		trace->ios[i] = (struct ssdpm_io){
			.start_ns = now,
			.bytes = 4096,
			.service_ns = (uint32_t)(end - now),
			.op = SSDPM_OP_READ,
		};
		if (thread == without)
			continue;
		at += write_line(trace->text + at, thread, now,
				 "block_bio_queue: " DRIVE " R", i);
		at += write_line(trace->text + at, thread, now,
				 "block_rq_issue: " DRIVE " R 4096 ()", i);
		at += write_line(trace->text + at, thread, end,
				 "block_rq_complete: " DRIVE " R ()", i);
	}
}

static void assert_simulated(const struct random_trace *trace, bool awake,
			     const struct ssdpm_observed *drive)
{
	struct estimated result = { 0 };
	struct ssdpm_sim *sim;
	struct given given;

	give(&given, awake);
	assert_int_equal(ssdpm_sim_new(given.model, &given.sim, &sim, NULL), 0);
	assert_int_equal(ssdpm_sim_feed(sim, trace->ios, N_RANDOM, NULL), 0);
	assert_int_equal(finish_sim(sim, drive->now_ns, &result, NULL), 0);
	assert_int_equal(result.nominal.energy_nj, drive->energy_nj);
	assert_int_equal(result.nominal.busy_ns, drive->busy_ns);
	assert_int_equal(result.nominal.n_wakes, drive->n_wakes);
	assert_int_equal(result.nominal.delay_sum_ns, drive->delay_sum_ns);
	ssdpm_sim_free(sim);
	ssdpm_model_unref(given.model);
}

static void shares_are_all_and_all_is_what_is_simulated(void **state)
{
	static struct random_trace trace;

	(void)state;
	for (uint64_t seed = 1; seed <= fixture_cases(40); seed++) {
		bool awake = seed % 4 == 0;
		struct ssdpm_observation *observation = observe_with(awake);
		struct ssdpm_observed drive;

		write_random(&trace, seed, N_THREADS);
		feed(observation, trace.text);
		finish(observation, 0);
		drive = drive_of(observation);
		assert_int_equal(drive.n_ios, N_RANDOM);
		assert_simulated(&trace, awake, &drive);
		assert_shares_are_all(observation);
		ssdpm_observation_free(observation);
	}
}

static void it_does_not_matter_where_the_text_is_cut(void **state)
{
	static struct random_trace trace;
	struct ssdpm_observation *whole = observe(), *cut = observe();
	struct ssdpm_observed a, b;
	uint64_t seed = 5;

	(void)state;
	write_random(&trace, 9, N_THREADS);
	feed(whole, trace.text);
	for (size_t at = 0, n = strlen(trace.text); at < n;) {
		size_t piece = 1 + (size_t)(fixture_random(&seed) % 90);

		if (piece > n - at)
			piece = n - at;
		assert_int_equal(ssdpm_observation_feed(cut, trace.text + at,
							piece, NULL),
				 0);
		at += piece;
	}
	finish(whole, 0);
	finish(cut, 0);
	a = drive_of(whole);
	b = drive_of(cut);
	assert_memory_equal(&a, &b, sizeof(a));
	ssdpm_observation_free(whole);
	ssdpm_observation_free(cut);
}

/* What PR_SET_NAME of prctl(2) lets a thread be called: up to 15 bytes. */
static const char *const hostile_names[] = {
	"a-1 [0] 9.9: ",
	"-1 [000] 9.9: x",
	"-1     [0] 9.9:",
	"-1       [000] ",
	"[LOST 99",
	"\nCPU:0 [LOST 99",
	"CPU:0 [LOST 99",
	"[LOST EVENTS]",
	"a\nb",
	"\n",
	"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
	"]",
	"]\n",
	"]\n-1     [000] ",
	"]\n             ",
	"]\n# gap: 8,0 1",
	"\n# format: x",
	"]\n# format: x",
	"# comment",
	"[001]",
	"x] [001] ",
	" [001] ",
	"            ",
	"9.9: block_rq:",
	"\t\r\x1b[31m",
	"\xff\xfe\x80",
	"kworker/0:1",
	"<...>",
	"a",
};
#define N_HOSTILE (sizeof(hostile_names) / sizeof(hostile_names[0]))

static void name_any(char name[16], uint64_t *seed)
{
	static const char letters[] = "\n\n [](]-:#.019CPULOSTEV<>";
	size_t n = 1 + (size_t)(fixture_random(seed) % 15);

	if (fixture_random(seed) % 2) {
		strcpy(name, hostile_names[fixture_random(seed) % N_HOSTILE]);
		return;
	}
	for (size_t i = 0; i < n; i++)
		name[i] = letters[fixture_random(seed) % (sizeof(letters) - 1)];
	name[n] = '\0';
}

/* As Linux prints it; the name in the head may be an old one. */
static size_t write_kernel_line(char *text, const char *head, unsigned int pid,
				uint64_t ns, const char *event)
{
	return (size_t)sprintf(
		text, "%16s-%-7u [%03u] d..1. %5llu.%06llu: %s\n", head, pid,
		pid % 8, (unsigned long long)(ns / SECOND),
		(unsigned long long)(ns % SECOND / 1000), event);
}

#define N_NAMED 200
#define NAMED_BYTES (N_NAMED * 3 * 160)

/* The same I/Os, by threads with such names or with harmless ones. */
static void write_named(char text[NAMED_BYTES], uint64_t seed, bool hostile)
{
	uint64_t now = SECOND;

	for (unsigned int i = 0; i < N_NAMED; i++) {
		char head[16], body[16], event[128];

		name_any(head, &seed);
		name_any(body, &seed);
		if (!hostile) {
			strcpy(head, "a");
			strcpy(body, "a");
		}
		now += 1000 * (1 + fixture_random(&seed) % 50000);
		sprintf(event, "block_bio_queue: " DRIVE " R %u + 8 [%s]",
			8 * i, body);
		text += write_kernel_line(text, head, 1 + i, now, event);
		sprintf(event,
			"block_rq_issue: " DRIVE " R 4096 () %u + 8 [%s]",
			8 * i, body);
		text += write_kernel_line(text, head, 1 + i, now, event);
		sprintf(event, "block_rq_complete: " DRIVE " R () %u + 8 [0]",
			8 * i);
		text += write_kernel_line(text, head, 1 + i, now + 5000, event);
	}
}

static void assert_same_drive(struct ssdpm_observation *a,
			      struct ssdpm_observation *b)
{
	struct ssdpm_observed one = drive_of(a), other = drive_of(b);

	one.n_causes = other.n_causes = 0;
	assert_memory_equal(&one, &other, sizeof(one));
	assert_int_equal(ssdpm_observation_get_counts(a)->n_events,
			 ssdpm_observation_get_counts(b)->n_events);
	assert_int_equal(ssdpm_observation_get_counts(a)->n_lost, 0);
	assert_int_equal(ssdpm_observation_get_counts(a)->n_unmatched, 0);
}

static void feed_pieces(struct ssdpm_observation *observation, const char *text,
			uint64_t seed)
{
	for (size_t at = 0, n = strlen(text); at < n;) {
		size_t piece = 1 + (size_t)(fixture_random(&seed) % 90);

		if (piece > n - at)
			piece = n - at;
		assert_int_equal(ssdpm_observation_feed(observation, text + at,
							piece, NULL),
				 0);
		at += piece;
	}
}

static void no_name_of_a_thread_hides_or_forges_an_event(void **state)
{
	static char hostile[NAMED_BYTES], harmless[NAMED_BYTES];

	(void)state;
	for (uint64_t seed = 1; seed <= fixture_cases(100); seed++) {
		struct ssdpm_observation *a = observe(), *b = observe(),
					 *cut = observe();

		write_named(hostile, seed, true);
		write_named(harmless, seed, false);
		feed(a, hostile);
		feed(b, harmless);
		feed_pieces(cut, hostile, seed);
		finish(a, 0);
		finish(b, 0);
		finish(cut, 0);
		assert_int_equal(drive_of(a).n_ios, N_NAMED);
		assert_same_drive(a, b);
		assert_same_drive(cut, b);
		assert_shares_are_all(a);
		assert_memory_equal(ssdpm_observation_get_counts(a),
				    ssdpm_observation_get_counts(cut),
				    sizeof(struct ssdpm_observation_counts));
		ssdpm_observation_free(a);
		ssdpm_observation_free(b);
		ssdpm_observation_free(cut);
	}
}

static void assert_is_named(const char *name)
{
	struct ssdpm_observation *observation = observe();
	struct ssdpm_cause cause;
	char text[512], event[128];
	size_t n;

	sprintf(event, "block_bio_queue: " DRIVE " R 0 + 8 [%s]", name);
	n = write_kernel_line(text, name, 4711, SECOND, event);
	assert_int_equal(ssdpm_observation_feed(observation, text, n, NULL), 0);
	serve(observation, SECOND, "R", 0);
	finish(observation, 0);
	cause = cause_at(observation, 0);
	/* The kernel pads names with blanks. */
	while (*name == ' ')
		name++;
	if (!strncmp(name, "kworker/", 8))
		name = "kworker";
	assert_string_equal(cause.name, name);
	assert_int_equal(cause.pid, 4711);
	assert_int_equal(ssdpm_observation_get_counts(observation)->n_lost, 0);
	ssdpm_observation_free(observation);
}

static void a_thread_keeps_its_name_and_number_whatever_they_look_like(
	void **state)
{
	(void)state;
	for (size_t i = 0; i < N_HOSTILE; i++)
		assert_is_named(hostile_names[i]);
}

static void short_lines_at_the_end_are_passed_over(void **state)
{
	static const char *const texts[] = { " x\n", " x", " \n \n", " \n\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ssdpm_observation *observation = observe();

		feed(observation, texts[i]);
		finish(observation, 0);
		assert_int_equal(
			ssdpm_observation_get_counts(observation)->n_lines,
			1 + i / 2);
		assert_int_equal(
			ssdpm_observation_get_counts(observation)->n_bad, 0);
		ssdpm_observation_free(observation);
	}
}

struct told {
	uint64_t first_ns, last_ns;
	uint64_t ns[SSDPM_PHASE_END + 1]; /* by phase */
	uint32_t phase;
	size_t n;
};

static void take_change(void *userdata, uint64_t time_ns, uint32_t phase,
			uint32_t state)
{
	struct told *told = userdata;

	(void)state;
	if (!told->n++)
		told->first_ns = told->last_ns = time_ns;
	assert_true(time_ns >= told->last_ns);
	assert_int_not_equal(told->phase, SSDPM_PHASE_END);
	told->ns[told->phase] += time_ns - told->last_ns;
	told->last_ns = time_ns;
	told->phase = phase;
}

static void a_replay_tells_each_phase(void **state)
{
	static struct random_trace trace;
	struct ssdpm_observation *observation = observe();
	struct ssdpm_error error = fixture_error();
	struct ssdpm_observed drive;
	struct told told = { 0 };

	(void)state;
	assert_int_equal(ssdpm_observation_replay(observation, 0, take_change,
						  &told, NULL),
			 0);
	assert_int_equal(told.n, 0);
	write_random(&trace, 4, N_THREADS);
	feed(observation, trace.text);
	finish(observation, 0);
	assert_int_equal(ssdpm_observation_replay(observation, 0, take_change,
						  &told, NULL),
			 0);
	drive = drive_of(observation);
	assert_int_equal(told.phase, SSDPM_PHASE_END);
	assert_int_equal(told.first_ns, drive.start_ns);
	assert_int_equal(told.last_ns, drive.now_ns);
	assert_int_equal(told.ns[SSDPM_PHASE_BUSY], drive.busy_ns);
	assert_int_equal(told.ns[SSDPM_PHASE_IDLE], drive.idle_ns);
	assert_int_equal(told.ns[SSDPM_PHASE_RESIDENT], drive.asleep_ns);
	assert_int_equal(told.ns[SSDPM_PHASE_ENTRY] + told.ns[SSDPM_PHASE_EXIT],
			 drive.transition_ns);
	assert_int_equal(ssdpm_observation_replay(observation, 1, take_change,
						  &told, &error),
			 -ENOENT);
	assert_int_equal(
		ssdpm_observation_replay(observation, 0, NULL, &told, &error),
		-EINVAL);
	ssdpm_observation_free(observation);
}

static void without_a_cause_is_the_trace_without_it(void **state)
{
	static struct random_trace trace;

	(void)state;
	for (unsigned int thread = 0; thread < N_THREADS; thread++) {
		struct ssdpm_observation *all = observe(), *less = observe();
		struct ssdpm_without without = { .size = sizeof(without) };
		struct ssdpm_observed drive;
		char name[SSDPM_CAUSE_NAME];

		snprintf(name, sizeof(name), "thread%u", thread);
		write_random(&trace, 3, N_THREADS);
		feed(all, trace.text);
		finish(all, 0);
		write_random(&trace, 3, thread);
		feed(less, trace.text);
		finish(less, drive_of(all).now_ns);
		drive = drive_of(less);
		assert_int_equal(
			ssdpm_observation_get_without(
				all, 0,
				index_of(all, SSDPM_CAUSE_PROCESS, name),
				&without, NULL),
			0);
		assert_int_equal(without.energy_nj, drive_of(all).energy_nj);
		assert_int_equal(without.n_wakes, drive_of(all).n_wakes);
		assert_int_equal(without.until_ns, drive_of(all).now_ns);
		/* The trace without the first I/O begins later. */
		if (trace.threads[0] != thread) {
			assert_int_equal(without.without_energy_nj,
					 drive.energy_nj);
			assert_int_equal(without.without_asleep_ns,
					 drive.asleep_ns);
			assert_int_equal(without.without_n_wakes,
					 drive.n_wakes);
		}
		ssdpm_observation_free(all);
		ssdpm_observation_free(less);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_process_takes_its_io_the_time_after_it_and_the_wake),
		cmocka_unit_test(who_is_behind_another_device_is_found),
		cmocka_unit_test(parts_of_a_bio_that_was_split_are_found),
		cmocka_unit_test(
			the_latest_bio_is_split_and_not_one_that_began_there),
		cmocka_unit_test(
			a_request_that_the_drive_did_not_take_keeps_its_causes),
		cmocka_unit_test(a_request_of_many_has_four_parts),
		cmocka_unit_test(a_partition_is_its_drive),
		cmocka_unit_test(written_pages_are_of_those_who_changed_them),
		cmocka_unit_test(pages_of_btrfs_are_of_those_who_changed_them),
		cmocka_unit_test(a_file_is_of_the_process_that_changed_it),
		cmocka_unit_test(
			files_of_one_number_are_told_apart_by_their_backing_device),
		cmocka_unit_test(files_that_share_a_place_are_told_apart),
		cmocka_unit_test(processes_on_other_disks_use_up_no_causes),
		cmocka_unit_test(
			a_file_of_btrfs_is_of_the_process_that_changed_it),
		cmocka_unit_test(
			a_file_that_nobody_was_seen_changing_is_of_its_cgroup),
		cmocka_unit_test(
			cgroups_of_one_name_are_told_apart_whenever_they_are_named),
		cmocka_unit_test(a_cgroup_that_cannot_be_read_is_counted),
		cmocka_unit_test(a_backing_that_cannot_be_read_is_counted),
		cmocka_unit_test(
			a_program_whose_name_begins_as_that_of_a_thread_is_a_process),
		cmocka_unit_test(a_line_that_is_too_long_is_bad_and_no_more),
		cmocka_unit_test(a_merged_request_is_shared_by_bytes),
		cmocka_unit_test(what_was_not_seen_is_of_who_sends_it),
		cmocka_unit_test(threads_are_found_whatever_their_names_are),
		cmocka_unit_test(a_flush_is_of_who_asked_for_it),
		cmocka_unit_test(admin_commands_are_counted_and_cost_nothing),
		cmocka_unit_test(
			without_its_event_the_admin_commands_are_unknown),
		cmocka_unit_test(
			admin_commands_of_an_unknown_controller_are_unknown),
		cmocka_unit_test(
			a_recording_without_a_controller_is_of_no_nvme_drive),
		cmocka_unit_test(
			commands_that_are_no_ios_are_of_who_sends_them),
		cmocka_unit_test(a_drive_that_never_sleeps_rests_awake),
		cmocka_unit_test(entries_into_the_deepest_state_are_counted),
		cmocka_unit_test(
			a_drive_that_never_sleeps_has_no_deepest_state),
		cmocka_unit_test(a_gap_is_in_no_sum),
		cmocka_unit_test(what_was_on_its_way_when_a_gap_began_is_lost),
		cmocka_unit_test(a_gap_of_one_drive_forgets_no_bio_of_another),
		cmocka_unit_test(an_idle_time_ends_at_a_gap),
		cmocka_unit_test(an_observation_may_begin_with_a_gap),
		cmocka_unit_test(gaps_that_cannot_be_read_are_counted),
		cmocka_unit_test(a_gap_of_a_time_that_is_over_changes_nothing),
		cmocka_unit_test(
			an_event_of_before_a_gap_or_the_end_is_refused_after_it),
		cmocka_unit_test(ios_in_gaps_are_no_more_than_can_be_counted),
		cmocka_unit_test(what_is_not_complete_is_not_known_yet),
		cmocka_unit_test(a_drive_is_known_while_another_one_works),
		cmocka_unit_test(time_that_goes_backwards_by_far_is_refused),
		cmocka_unit_test(the_end_of_a_recording_is_in_its_text),
		cmocka_unit_test(
			lines_that_say_nothing_are_counted_or_passed_over),
		cmocka_unit_test(the_format_of_the_kernel_is_followed),
		cmocka_unit_test(a_format_may_be_in_the_text),
		cmocka_unit_test(formats_that_cannot_be_followed_are_refused),
		cmocka_unit_test(an_interval_is_what_is_new),
		cmocka_unit_test(
			a_gap_that_is_told_late_makes_no_interval_negative),
		cmocka_unit_test(
			the_likely_power_is_of_the_time_after_the_last_gap),
		cmocka_unit_test(wrong_calls_are_refused),
		cmocka_unit_test(shares_are_all_and_all_is_what_is_simulated),
		cmocka_unit_test(it_does_not_matter_where_the_text_is_cut),
		cmocka_unit_test(no_name_of_a_thread_hides_or_forges_an_event),
		cmocka_unit_test(
			a_thread_keeps_its_name_and_number_whatever_they_look_like),
		cmocka_unit_test(short_lines_at_the_end_are_passed_over),
		cmocka_unit_test(a_replay_tells_each_phase),
		cmocka_unit_test(without_a_cause_is_the_trace_without_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
