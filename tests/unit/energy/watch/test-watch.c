/* SPDX-License-Identifier: MIT */
/* A watch of a drive whose sysfs, tracefs and clock are made here;
 * tests/cli/test_watch_live.py has the command on one. */
#include "fixture.h"
#include "tracefs.h"
#include "tree.h"

#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull
/* More text than may be. */
#define MANY_LINES 25000

static const char *root;
static struct ssdpm_machine *machine;
static struct ssdpm_model *model;
static struct ssdpm_observation *observation;
static struct ssdpm_watch *watch;
static uint64_t clock_ns;
/* Processor time that each look at this clock adds */
static uint64_t look_ns, processor_ns;
static char recorded[8192];
static size_t n_recorded;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	uint64_t now_ns = clock_ns;

	if (clock == CLOCK_THREAD_CPUTIME_ID)
		now_ns = processor_ns += look_ns;

	now->tv_sec = (time_t)(now_ns / SECOND_NS);
	now->tv_nsec = (long)(now_ns % SECOND_NS);
	return 0;
}

static void put(const char *path, const char *text)
{
	tree_put(root, path, text);
}

static void put_disk(const char *folder, const char *number)
{
	char path[128], target[128];

	snprintf(path, sizeof(path), "sys/devices/%s/dev", folder);
	put(path, number);
	snprintf(path, sizeof(path), "sys/class/block/%s",
		 strrchr(folder, '/') + 1);
	snprintf(target, sizeof(target), "../../devices/%s", folder);
	tree_link(root, path, target);
}

/* nvme3 with a namespace and a partition. */
static void put_drive(void)
{
	put_disk("nvme/nvme3/nvme3n1", "259:0");
	put_disk("nvme/nvme3/nvme3n1/nvme3n1p1", "259:1");
	put("sys/devices/nvme/nvme3/nvme3n1/queue/iostats", "1\n");
	put("sys/devices/nvme/nvme3/state", "live");
	put("sys/devices/nvme/nvme3/transport", "pcie");
	put("sys/devices/nvme/nvme3/model", "One drive");
	tree_link(root, "sys/class/nvme/nvme3", "../../devices/nvme/nvme3");
}

/* Reads that were begun, and all but the last one is complete. */
static void count_to(unsigned int n)
{
	char text[128];

	/* As part_stat_show() in block/genhd.c of Linux aligns them. */
	snprintf(text, sizeof(text),
		 "%8u %8u %8u %8u %8u %8u %8u %8u %8u %8u %8u\n", n - 1, 0, 0,
		 0, 0, 0, 0, 0, 1, 0, 0);
	put("sys/devices/nvme/nvme3/nvme3n1/stat", text);
}

static int set_up(void **state)
{
	static const struct latencies latencies[] = { { 0, 0, 0 },
						      { 1, 100, 200 } };

	(void)state;
	root = tracefs_new();
	put_drive();
	count_to(100);
	machine = tree_machine(root);
	model = fixture_model(latencies, 2);
	clock_ns = 1000 * SECOND_NS;
	look_ns = 0;
	n_recorded = 0;
	return ssdpm_observation_new(&observation, NULL) ||
	       ssdpm_watch_new(machine, observation, &watch, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	watch = ssdpm_watch_free(watch);
	ssdpm_observation_free(observation);
	ssdpm_model_unref(model);
	ssdpm_machine_unref(machine);
	tracefs_remove();
	return 0;
}

static int add(const char *name, struct ssdpm_error *error)
{
	const struct ssdpm_observed_params params = {
		.size = sizeof(params),
		.model = model,
		/* Those of the device count. */
		.major = 7,
		.ctrl_id = 7,
	};
	struct ssdpm_device *device;
	int err;

	assert_int_equal(ssdpm_device_read(machine, name, &device, NULL), 0);
	err = ssdpm_watch_add_drive(watch, device, &params, error);
	ssdpm_device_unref(device);
	return err;
}

static void begin(void)
{
	assert_int_equal(add("nvme3", NULL), 0);
	assert_int_equal(ssdpm_watch_begin(watch, root, NULL), 0);
}

static void step(uint64_t after_ns)
{
	uint64_t now_ns = 0;

	clock_ns += after_ns;
	assert_int_equal(ssdpm_watch_step(watch, &now_ns, NULL), 0);
	assert_int_equal(now_ns, clock_ns);
}

static struct ssdpm_observed drive_now(void)
{
	struct ssdpm_observed drive = { .size = sizeof(drive) };

	assert_int_equal(
		ssdpm_observation_get_drive(observation, 0, &drive, NULL), 0);
	return drive;
}

/* An I/O of 1 ms. */
#define ONE_IO                                                                 \
	"dd-1 [000] 1000.500000: block_rq_issue: 259,0 R 4096 () 0 + 8 [dd]\n" \
	"dd-1 [000] 1000.501000: block_rq_complete: 259,0 R () 0 + 8 [0]\n"

static const char one_io[] = ONE_IO;

static const char one_io_and_a_command[] = ONE_IO
	"smartctl-2 [000] 1001.000000: nvme_setup_cmd: nvme3: qid=0, cmdid=12, "
	"nsid=1, flags=0x0, meta=0x0, cmd=(nvme_admin_get_log_page "
	"cdw10=00)\n";

static void a_drive_is_observed_with_its_disks(void **state)
{
	const struct ssdpm_disk *disks;
	struct ssdpm_observed drive;
	size_t n = 0;

	(void)state;
	tracefs_text = one_io_and_a_command;
	begin();
	disks = ssdpm_watch_get_disks(watch, 0, &n);
	assert_int_equal(n, 2);
	assert_string_equal(disks[0].name, "nvme3n1");
	assert_int_equal(disks[1].part, SSDPM_DISK_PARTITION);
	assert_null(ssdpm_watch_get_disks(watch, 1, &n));
	assert_true(ssdpm_watch_get_fd(watch) >= 0);
	assert_int_equal(ssdpm_watch_get_wait_ms(watch), 200);
	step(2 * SECOND_NS);
	assert_int_equal(ssdpm_watch_finish(watch, NULL), 0);
	drive = drive_now();
	assert_int_equal(drive.n_ios, 1);
	assert_int_equal(drive.n_admin, 1);
	assert_int_equal(drive.busy_ns, 1000000);
	assert_int_equal(drive.now_ns, 1002 * SECOND_NS);
	assert_int_equal(drive.uncovered_ns, 0);
}

static void an_event_that_is_too_late_is_counted_and_ends_no_watch(void **state)
{
	(void)state;
	tracefs_text = ONE_IO
		"dd-1 [001] 1000.301000: block_rq_issue: 259,0 R 4096 () 8 + 8 "
		"[dd]\n"
		"dd-1 [001] 1000.300000: block_rq_issue: 259,0 R 4096 () 16 + "
		"8 [dd]\n"
		"dd-1 [001] 1000.550000: block_rq_complete: 259,0 R () 8 + 8 "
		"[0]\n";
	begin();
	step(2 * SECOND_NS);
	assert_int_equal(ssdpm_watch_finish(watch, NULL), 0);
	assert_int_equal(drive_now().n_ios, 2);
	assert_int_equal(ssdpm_observation_get_counts(observation)->n_bad, 1);
}

static void after_text_a_timer_alone_ends_the_wait(void **state)
{
	(void)state;
	tracefs_text = one_io;
	begin();
	assert_int_equal(ssdpm_watch_get_wait_ms(watch), 200);
	step(SECOND_NS);
	assert_int_equal(ssdpm_watch_get_fd(watch), -1);
	assert_int_equal(ssdpm_watch_get_wait_ms(watch), 20);
	/* It has read all that there is. */
	step(SECOND_NS / 50);
	assert_true(ssdpm_watch_get_fd(watch) >= 0);
	assert_int_equal(ssdpm_watch_get_wait_ms(watch), 200);
}

/* A step that reads so many lines. */
static void step_over(size_t n_lines, uint64_t after_ns)
{
	char *text = malloc(2 * n_lines + 1);

	assert_non_null(text);
	for (size_t i = 0; i < n_lines; i++)
		memcpy(text + 2 * i, "x\n", 3);
	tracefs_text = text;
	begin();
	free(text);
	step(after_ns);
	assert_int_equal(ssdpm_observation_get_counts(observation)->n_lines,
			 n_lines);
}

static void steps(unsigned int n, uint64_t after_ns)
{
	while (n--)
		step(after_ns);
}

static bool is_tracing(void)
{
	char command[512], on = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "cat %s/instances/*/tracing_on",
		 root);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_int_equal(fread(&on, 1, 1, pipe), 1);
	pclose(pipe);
	return on == '1';
}

/* 3 s of text are free, and a debt of a second goes with the time. */
static void too_much_text_turns_the_trace_off_until_the_drive_is_quiet(
	void **state)
{
	(void)state;
	/* More time gives no more. */
	step_over(MANY_LINES, 40 * 86400 * SECOND_NS);
	assert_false(is_tracing());
	assert_int_equal(ssdpm_watch_get_wait_ms(watch), 10);
	/* 3,000 I/Os a second */
	for (unsigned int i = 1; i <= 40; i++) {
		count_to(100 + i * 300);
		step(SECOND_NS / 10);
	}
	assert_int_equal(drive_now().n_uncovered_ios, 40 * 300);
	assert_false(is_tracing());
	step(SECOND_NS / 20);
	assert_false(is_tracing());
	step(SECOND_NS / 20);
	assert_true(is_tracing());
	assert_int_equal(ssdpm_watch_get_wait_ms(watch), 200);
	assert_int_equal(ssdpm_watch_finish(watch, NULL), 0);
	assert_int_equal(drive_now().uncovered_ns, SECOND_NS * 41 / 10);
	assert_int_equal(ssdpm_watch_get_flags(watch, 0), 0);
}

static void the_trace_is_on_again_when_its_text_is_paid_for(void **state)
{
	(void)state;
	/* 25,000 of 24,000 lines; half of these must be free again. */
	step_over(MANY_LINES, 0);
	steps(21, SECOND_NS / 10);
	assert_false(is_tracing());
	step(SECOND_NS / 10);
	assert_true(is_tracing());
}

/* 2.4 % of a processor, and 96 ms of it at once. */
static void text_that_takes_long_turns_the_trace_off_sooner(void **state)
{
	(void)state;
	look_ns = SECOND_NS * 96 / 1000;
	step_over(100, SECOND_NS);
	assert_true(is_tracing());
	look_ns = SECOND_NS * 24 / 1000;
	steps(3, SECOND_NS);
	assert_true(is_tracing());
	look_ns += 4000;
	step(SECOND_NS);
	assert_false(is_tracing());
}

static void a_count_that_takes_long_comes_less_often(void **state)
{
	static const struct {
		uint64_t count_ns;
		uint32_t wait_ms;
	} cases[] = { { 99999, 10 },
		      { 110000, 11 },
		      { 1999999, 199 },
		      { 2000000, 200 },
		      { UINT64_MAX, 200 } };

	(void)state;
	step_over(MANY_LINES, 0);
	assert_int_equal(ssdpm_watch_get_wait_ms(watch), 10);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		look_ns = cases[i].count_ns;
		step(SECOND_NS / 100);
		assert_int_equal(ssdpm_watch_get_wait_ms(watch),
				 cases[i].wait_ms);
	}
	assert_false(is_tracing());
}

static void a_debt_of_text_is_paid_within_a_minute(void **state)
{
	unsigned int n;

	(void)state;
	/* 10 MB, which one step reads whole */
	step_over(5000000, 0);
	for (n = 0; !is_tracing(); n++)
		step(SECOND_NS);
	assert_in_range(n, 57, 60);
}

/* The I/O that was not complete is so at the end of the first second. */
static void only_the_time_with_io_is_a_gap(void **state)
{
	(void)state;
	step_over(480000, 0);
	count_to(3000);
	step(SECOND_NS);
	/* The counters of a drive that went away do, too. */
	unlink(tree_path(root, "sys/devices/nvme/nvme3/nvme3n1/stat"));
	step(SECOND_NS);
	steps(3, SECOND_NS);
	assert_false(is_tracing());
	count_to(6000);
	assert_int_equal(ssdpm_watch_finish(watch, NULL), 0);
	assert_int_equal(drive_now().n_uncovered_ios, 5900);
	assert_int_equal(drive_now().uncovered_ns, 2 * SECOND_NS);
}

static void a_drive_that_is_not_counted_is_traced_on(void **state)
{
	(void)state;
	put("sys/devices/nvme/nvme3/nvme3n1/queue/iostats", "0\n");
	step_over(MANY_LINES, 0);
	assert_true(is_tracing());
	assert_int_equal(ssdpm_watch_get_flags(watch, 0),
			 SSDPM_WATCH_UNCOUNTED);
	assert_int_equal(ssdpm_watch_get_flags(watch, 1), 0);
}

static void a_drive_that_is_gone_is_unknown_until_it_is_back(void **state)
{
	(void)state;
	tracefs_text = one_io;
	begin();
	step(SECOND_NS);
	put("sys/devices/nvme/nvme3/nvme3n1/dev", "259:7\n");
	/* It is looked for once a second. */
	step(SECOND_NS / 2);
	assert_int_equal(ssdpm_watch_get_flags(watch, 0), 0);
	step(SECOND_NS / 2);
	assert_int_equal(ssdpm_watch_get_flags(watch, 0), SSDPM_WATCH_GONE);
	/* Another drive has its name and its number now. */
	put("sys/devices/nvme/nvme3/nvme3n1/dev", "259:0\n");
	put("sys/devices/nvme/nvme3/model", "Another drive");
	step(SECOND_NS);
	assert_int_equal(ssdpm_watch_get_flags(watch, 0), SSDPM_WATCH_GONE);
	put("sys/devices/nvme/nvme3/model", "One drive");
	step(SECOND_NS);
	assert_int_equal(ssdpm_watch_get_flags(watch, 0), 0);
	step(SECOND_NS);
	assert_int_equal(ssdpm_watch_finish(watch, NULL), 0);
	/* From when it was last seen until it is seen again. */
	assert_int_equal(drive_now().uncovered_ns, 3 * SECOND_NS);
}

static void a_drive_that_goes_away_under_load_does_not_rest(void **state)
{
	(void)state;
	/* It rests meanwhile, so its counters say nothing. */
	put("sys/devices/nvme/nvme3/nvme3n1/stat", "9 0 0 0 0 0 0 0 0\n");
	step_over(480000, 0);
	step(SECOND_NS);
	assert_int_equal(ssdpm_watch_get_flags(watch, 0), 0);
	unlink(tree_path(root, "sys/devices/nvme/nvme3/nvme3n1/dev"));
	step(SECOND_NS);
	assert_int_equal(ssdpm_watch_get_flags(watch, 0), SSDPM_WATCH_GONE);
	step(SECOND_NS);
	assert_false(is_tracing());
	assert_int_equal(ssdpm_watch_finish(watch, NULL), 0);
	assert_int_equal(drive_now().uncovered_ns, 2 * SECOND_NS);
}

static void keep(void *userdata, const char *text, size_t size)
{
	assert_ptr_equal(userdata, recorded);
	assert_true(n_recorded + size < sizeof(recorded));
	memcpy(recorded + n_recorded, text, size);
	n_recorded += size;
	recorded[n_recorded] = 0;
}

static void a_recording_can_be_read_alone(void **state)
{
	const struct ssdpm_observed_params params = {
		.size = sizeof(params),
		.model = model,
		.major = 259,
		.ctrl_id = SSDPM_NO_CONTROLLER,
	};
	static const char end[] = ONE_IO "# end: 1007000000000\n";
	struct ssdpm_observed drive = { .size = sizeof(drive) };
	struct ssdpm_observation *other;

	(void)state;
	tracefs_text = one_io;
	begin();
	assert_int_equal(ssdpm_watch_set_writer(watch, keep, recorded, NULL),
			 0);
	step(7 * SECOND_NS);
	assert_int_equal(ssdpm_watch_set_writer(watch, NULL, NULL, NULL), 0);
	/* It has its end once. */
	assert_int_equal(ssdpm_watch_finish(watch, NULL), 0);
	assert_non_null(strstr(recorded, "# controller: 259,0 3\n"));
	assert_non_null(strstr(recorded, "# partition: 259,1 259,0\n"));
	assert_non_null(strstr(recorded, "# policy: "));
	assert_non_null(strstr(recorded, "# format: name: block_rq_issue\\n"
					 "print fmt: \"%d,%d %s %u (%s)"));
	assert_string_equal(recorded + n_recorded - strlen(end), end);
	assert_int_equal(ssdpm_observation_new(&other, NULL), 0);
	assert_int_equal(ssdpm_observation_add_drive(other, &params, NULL), 0);
	assert_int_equal(
		ssdpm_observation_feed(other, recorded, n_recorded, NULL), 0);
	assert_int_equal(ssdpm_observation_finish(other, 0, NULL), 0);
	assert_int_equal(ssdpm_observation_get_counts(other)->n_bad, 0);
	assert_int_equal(ssdpm_observation_get_drive(other, 0, &drive, NULL),
			 0);
	assert_int_equal(drive.n_ios, 1);
	assert_int_equal(drive.now_ns, 1007 * SECOND_NS);
	assert_int_equal(drive.energy_nj, drive_now().energy_nj);
	assert_int_equal(drive.idle_ns, drive_now().idle_ns);
	ssdpm_observation_free(other);
}

static void a_watch_that_is_finished_ends_its_recording(void **state)
{
	(void)state;
	tracefs_text = one_io;
	begin();
	assert_int_equal(ssdpm_watch_set_writer(watch, keep, recorded, NULL),
			 0);
	step(SECOND_NS);
	clock_ns += SECOND_NS;
	assert_int_equal(ssdpm_watch_finish(watch, NULL), 0);
	assert_int_equal(ssdpm_watch_set_writer(watch, NULL, NULL, NULL), 0);
	assert_string_equal(strstr(recorded, "# end:"),
			    "# end: 1002000000000\n");
}

static void put_btrfs(const char *uuid, const char *backing)
{
	char path[128], target[128];

	snprintf(path, sizeof(path), "sys/devices/virtual/bdi/%s/min_ratio",
		 backing);
	put(path, "0\n");
	snprintf(path, sizeof(path), "sys/fs/btrfs/%s/bdi", uuid);
	snprintf(target, sizeof(target), "../../../devices/virtual/bdi/%s",
		 backing);
	tree_link(root, path, target);
}

static void put_member(const char *uuid, const char *device)
{
	char path[128], target[128];

	snprintf(path, sizeof(path), "sys/fs/btrfs/%s/devices/%s", uuid,
		 strrchr(device, '/') + 1);
	snprintf(target, sizeof(target), "../../../../devices/%s", device);
	tree_link(root, path, target);
}

static const char *dirty_btrfs(unsigned int second)
{
	static char text[600];

	snprintf(text, sizeof(text),
		 "firefox-20 [000] d..1. %u.100000: "
		 "writeback_dirty_folio: bdi btrfs-2: ino=5 index=1\n"
		 "kworker/u8:1-5 [000] d..1. %u.200000: "
		 "block_bio_queue: 259,0 W 0 + 8 [kworker/u8:1]\n"
		 "kworker/u8:1-5 [000] d..1. %u.200000: "
		 "block_rq_issue: 259,0 W 4096 () 0 + 8 [kworker/u8:1]\n"
		 "<idle>-0 [000] d..1. %u.200010: "
		 "block_rq_complete: 259,0 W () 0 + 8 [0]\n",
		 second, second, second, second);
	return text;
}

/* The kernel has more text. */
static void go_on(const char *text)
{
	char path[512];
	glob_t found;
	FILE *file;

	snprintf(path, sizeof(path), "%s/instances/*/trace_pipe", root);
	assert_int_equal(glob(path, 0, NULL, &found), 0);
	file = fopen(found.gl_pathv[0], "a");
	globfree(&found);
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static bool firefox_wrote(void)
{
	struct ssdpm_cause cause = { .size = sizeof(cause) };

	for (size_t i = 0;
	     !ssdpm_observation_get_cause(observation, 0, i, &cause, NULL); i++)
		if (cause.kind == SSDPM_CAUSE_WRITEBACK &&
		    !strcmp(cause.name, "firefox") && cause.n_ios)
			return true;
	return false;
}

static void file_systems_with_names_have_their_devices(void **state)
{
	const char one[] = "# backing: btrfs-2 259,1\n";
	const char *at;

	(void)state;
	put_disk("ata/sdz", "65:144");
	put("sys/fs/btrfs/features/raid56", "0\n");
	/* Linux before 5.9 has no bdi. */
	put("sys/fs/btrfs/old/devices/nvme3n1p1/dev", "259:1\n");
	/* A disk of them is not watched. */
	put_btrfs("0a0b", "btrfs-2");
	put_member("0a0b", "nvme/nvme3/nvme3n1/nvme3n1p1");
	put_member("0a0b", "ata/sdz");
	put_btrfs("0c0d", "btrfs-3");
	put_member("0c0d", "ata/sdz");
	tracefs_text = dirty_btrfs(1000);
	begin();
	assert_int_equal(ssdpm_watch_set_writer(watch, keep, recorded, NULL),
			 0);
	at = strstr(recorded, "# backing: ");
	assert_non_null(at);
	assert_memory_equal(at, one, strlen(one));
	assert_null(strstr(at + 1, "# backing: "));
	step(SECOND_NS);
	assert_true(firefox_wrote());
}

static void a_file_system_may_be_mounted_later(void **state)
{
	(void)state;
	tracefs_text = dirty_btrfs(1000);
	begin();
	step(2 * SECOND_NS);
	step(2 * SECOND_NS);
	assert_false(firefox_wrote());
	put_btrfs("0a0b", "btrfs-2");
	put_member("0a0b", "nvme/nvme3/nvme3n1/nvme3n1p1");
	/* It is found after it was seen, and told once. */
	for (unsigned int i = 1; i < 4; i++) {
		go_on(dirty_btrfs(1000 + 4 * i));
		step(2 * SECOND_NS);
		step(2 * SECOND_NS);
	}
	assert_true(firefox_wrote());
	assert_int_equal(ssdpm_watch_set_writer(watch, keep, recorded, NULL),
			 0);
	const char *at = strstr(recorded, "# backing: btrfs-2 259,1\n");

	assert_non_null(at);
	assert_null(strstr(at + 1, "# backing: "));
}

static void wrong_calls_are_refused(void **state)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_watch *other;
	uint64_t n;

	(void)state;
	assert_int_equal(ssdpm_watch_begin(watch, root, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "no drive");
	assert_int_equal(ssdpm_watch_step(watch, &n, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "not begun");
	assert_int_equal(ssdpm_watch_finish(watch, NULL), -EINVAL);
	assert_int_equal(ssdpm_watch_read_lost(watch, &n, NULL), -EINVAL);
	assert_int_equal(ssdpm_watch_set_writer(watch, keep, NULL, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_watch_get_fd(watch), -1);
	assert_int_equal(add("nvme3", NULL), 0);
	assert_int_equal(ssdpm_watch_new(machine, observation, &other, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "has a drive");
	/* The machine is a capture, whose tracefs is nowhere. */
	assert_int_equal(ssdpm_watch_begin(watch, NULL, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "capture");
	assert_int_equal(ssdpm_watch_begin(watch, root, NULL), 0);
	assert_int_equal(ssdpm_watch_begin(watch, root, &error), -EBUSY);
	assert_int_equal(add("nvme3", &error), -EBUSY);
	fixture_assert_error(&error, -EBUSY, 0, "begun");
	assert_int_equal(ssdpm_watch_read_lost(watch, &n, NULL), 0);
	assert_int_equal(n, 19);
}

static void a_kernel_without_the_events_of_ios_is_refused(void **state)
{
	struct ssdpm_error error = fixture_error();

	(void)state;
	tracefs_lacks = "events/block/block_rq_complete/enable";
	assert_int_equal(add("nvme3", NULL), 0);
	assert_int_equal(ssdpm_watch_begin(watch, root, &error), -EOPNOTSUPP);
	fixture_assert_error(&error, -EOPNOTSUPP, 0, "block_rq_complete");
	/* It has left nothing. */
	tracefs_lacks = NULL;
	assert_int_equal(ssdpm_watch_begin(watch, root, NULL), 0);
}

static void a_drive_without_a_block_device_is_refused(void **state)
{
	struct ssdpm_error error = fixture_error();
	int fds;

	(void)state;
	put("sys/devices/nvme/nvme4/state", "live");
	put("sys/devices/nvme/nvme4/transport", "pcie");
	tree_link(root, "sys/class/nvme/nvme4", "../../devices/nvme/nvme4");
	fds = tree_count_fds();
	assert_int_equal(add("nvme4", &error), -ENODEV);
	fixture_assert_error(&error, -ENODEV, 0, "no block device");
	assert_int_equal(tree_count_fds(), fds);
	/* The next one is the first. */
	begin();
	assert_int_equal(drive_now().n_ios, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_drive_is_observed_with_its_disks),
		TEST(an_event_that_is_too_late_is_counted_and_ends_no_watch),
		TEST(after_text_a_timer_alone_ends_the_wait),
		TEST(too_much_text_turns_the_trace_off_until_the_drive_is_quiet),
		TEST(the_trace_is_on_again_when_its_text_is_paid_for),
		TEST(a_debt_of_text_is_paid_within_a_minute),
		TEST(text_that_takes_long_turns_the_trace_off_sooner),
		TEST(a_count_that_takes_long_comes_less_often),
		TEST(only_the_time_with_io_is_a_gap),
		TEST(a_drive_that_is_not_counted_is_traced_on),
		TEST(a_drive_that_is_gone_is_unknown_until_it_is_back),
		TEST(a_drive_that_goes_away_under_load_does_not_rest),
		TEST(a_recording_can_be_read_alone),
		TEST(a_watch_that_is_finished_ends_its_recording),
		TEST(file_systems_with_names_have_their_devices),
		TEST(a_file_system_may_be_mounted_later),
		TEST(wrong_calls_are_refused),
		TEST(a_kernel_without_the_events_of_ios_is_refused),
		TEST(a_drive_without_a_block_device_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
