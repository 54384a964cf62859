/* SPDX-License-Identifier: MIT */
/* Instances of a tracefs that is made here: tests/vm/test_watch.py has real
 * ones. */
#include "fixture.h"
#include "tracefs.h"
#include "tree.h"

#include <stdio.h>
#include <unistd.h>

static const char *root;

static const struct ssdpm_disk disks[] = {
	{ .part = SSDPM_DISK_WHOLE,
	  .major = 259,
	  .minor = 0,
	  .name = "nvme0n1" },
	{ .part = SSDPM_DISK_STACKED,
	  .major = 254,
	  .minor = 3,
	  .name = "dm-3" },
};
static const char *const events[] = {
	"block/block_rq_issue",
	"writeback/writeback_dirty_folio",
	"nvme/nvme_setup_cmd",
};

static struct ssdpm_tracer_params usual(void)
{
	return (struct ssdpm_tracer_params){
		.size = sizeof(struct ssdpm_tracer_params),
		.tracefs = root,
		.disks = disks,
		.n_disks = 2,
		.events = events,
		.n_events = 3,
	};
}

static int set_up(void **state)
{
	(void)state;
	root = tracefs_new();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tracefs_remove();
	return 0;
}

static struct ssdpm_tracer *make(void)
{
	const struct ssdpm_tracer_params params = usual();
	struct ssdpm_tracer *tracer = UNTOUCHED;
	struct ssdpm_error error = fixture_error();

	assert_int_equal(ssdpm_tracer_new(&params, &tracer, &error), 0);
	return tracer;
}

/* The only instance, and what one of its files says. */
static void instance_name(char *ret_name, size_t size)
{
	unsigned long long start = 0;
	unsigned int number;
	long pid;
	FILE *list;
	char command[512];

	snprintf(command, sizeof(command), "ls %s/instances", root);
	list = popen(command, "r");
	assert_non_null(list);
	assert_int_equal(
		fscanf(list, "ssdpm-%ld-%llu-%u", &pid, &start, &number), 3);
	pclose(list);
	assert_int_equal(pid, getpid());
	snprintf(ret_name, size, "instances/ssdpm-%ld-%llu-%u", pid, start,
		 number);
}

static void assert_file(const char *path, const char *wanted)
{
	char name[128], full[256], text[512] = "";
	FILE *file;

	instance_name(name, sizeof(name));
	snprintf(full, sizeof(full), "%s/%s", name, path);
	file = fopen(tree_path(root, full), "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, wanted);
}

/* The filter of block events for so many disks. */
static void read_filter(size_t n, char text[8192])
{
	struct ssdpm_disk *many = calloc(n, sizeof(*many));
	struct ssdpm_tracer_params params = usual();
	struct ssdpm_tracer *tracer;
	char name[128], full[256];
	FILE *file;

	assert_non_null(many);
	for (size_t i = 0; i < n; i++) {
		many[i].major = 259;
		/* From the last one to the first; pairs have no gap. */
		many[i].minor = (uint32_t)((n - 1 - i) / 2 * 9 + (i & 1));
	}
	params.disks = many;
	params.n_disks = n;
	assert_int_equal(ssdpm_tracer_new(&params, &tracer, NULL), 0);
	instance_name(name, sizeof(name));
	snprintf(full, sizeof(full), "%s/events/block/block_rq_issue/filter",
		 name);
	file = fopen(tree_path(root, full), "r");
	assert_non_null(file);
	text[fread(text, 1, 8191, file)] = '\0';
	fclose(file);
	ssdpm_tracer_free(tracer);
	free(many);
}

/* How many devices from 259:0 on pass the filter. */
static size_t count_passing(const char *text, uint32_t max)
{
	size_t n = 0;

	while (*text) {
		unsigned int first = 0, last = 0;
		int length = 0;

		if (sscanf(text, "(dev >= %u && dev <= %u)%n", &first, &last,
			   &length) < 2 ||
		    !length) {
			assert_int_equal(
				sscanf(text, "dev == %u%n", &first, &length),
				1);
			last = first;
		}
		assert_in_range(first, 259u << 20, last);
		assert_in_range(last, first, (259u << 20) + max);
		n += last - first + 1;
		text += length;
		text += strncmp(text, " || ", 4) ? 0 : 4;
	}
	return n;
}

static size_t count_instances(void)
{
	char command[512];
	unsigned int n = 0;
	FILE *list;

	snprintf(command, sizeof(command), "ls %s/instances | wc -l", root);
	list = popen(command, "r");
	assert_non_null(list);
	assert_int_equal(fscanf(list, "%u", &n), 1);
	pclose(list);
	return n;
}

static void an_instance_is_set_up_and_taken_away(void **state)
{
	struct ssdpm_tracer *tracer;
	int fds = tree_count_fds();

	(void)state;
	tracer = make();
	assert_file("tracing_on", "1");
	assert_file("trace_clock", "boot");
	assert_file("buffer_size_kb", "512");
	assert_file("options/record-tgid", "0");
	assert_file("options/context-info", "1");
	assert_file("events/block/block_rq_issue/enable", "1");
	/* 254 << 20 | 3, and 259 << 20. */
	assert_file("events/block/block_rq_issue/filter",
		    "dev == 266338307 || dev == 271581184");
	assert_file("events/nvme/nvme_setup_cmd/filter", "qid == 0");
	assert_int_equal(ssdpm_tracer_set_on(tracer, 0, NULL), 0);
	assert_file("tracing_on", "0");
	assert_file("events/block/block_rq_issue/enable", "0");
	assert_int_equal(ssdpm_tracer_set_on(tracer, 1, NULL), 0);
	assert_file("tracing_on", "1");
	assert_file("events/block/block_rq_issue/enable", "1");
	assert_null(ssdpm_tracer_free(tracer));
	assert_int_equal(count_instances(), 0);
	assert_int_equal(tree_count_fds(), fds);
	assert_null(ssdpm_tracer_free(NULL));
}

static void an_instance_inherits_no_other_format_of_lines(void **state)
{
	struct ssdpm_tracer *tracer = make();

	(void)state;
	assert_file("options/latency-format", "0");
	assert_file("options/userstacktrace", "0");
	ssdpm_tracer_free(tracer);
}

static void text_and_formats_are_read(void **state)
{
	struct ssdpm_tracer *tracer = make();
	struct ssdpm_error error = fixture_error();
	uint64_t lost = 0;
	char text[64], *format;
	size_t n = 0;

	(void)state;
	assert_true(ssdpm_tracer_get_fd(tracer) >= 0);
	assert_int_equal(ssdpm_tracer_read(tracer, text, 8, &n, NULL), 0);
	assert_int_equal(n, 8);
	assert_memory_equal(text, "text of ", 8);
	assert_int_equal(
		ssdpm_tracer_read(tracer, text, sizeof(text), &n, NULL), 0);
	assert_int_equal(n, 11);
	assert_int_equal(
		ssdpm_tracer_read(tracer, text, sizeof(text), &n, NULL), 0);
	assert_int_equal(n, 0);
	assert_int_equal(ssdpm_tracer_read_format(tracer, 0, &format, NULL), 0);
	assert_memory_equal(format, "name: block_rq_issue\nprint fmt: ", 32);
	free(format);
	/* This kernel lacks one, and has no text for another. */
	assert_int_equal(ssdpm_tracer_read_format(tracer, 1, &format, &error),
			 -ENOENT);
	assert_int_equal(ssdpm_tracer_read_format(tracer, 2, &format, NULL),
			 -ENOENT);
	assert_int_equal(ssdpm_tracer_read_format(tracer, 3, &format, NULL),
			 -ENOENT);
	assert_int_equal(ssdpm_tracer_read_lost(tracer, &lost, NULL), 0);
	assert_int_equal(lost, 19);
	ssdpm_tracer_free(tracer);
}

static void a_process_has_several_instances(void **state)
{
	struct ssdpm_tracer *one = make(), *other = make();

	(void)state;
	assert_int_equal(count_instances(), 2);
	assert_int_equal(ssdpm_tracer_get_n_removed(other), 0);
	ssdpm_tracer_free(one);
	ssdpm_tracer_free(other);
	assert_int_equal(count_instances(), 0);
}

static void instances_of_dead_processes_are_removed(void **state)
{
	struct ssdpm_tracer *tracer;

	(void)state;
	/* A process that started at another time, and one that is not there. */
	tree_mkdir(root, "instances/ssdpm-1-1-0");
	tree_mkdir(root, "instances/ssdpm-4194304-5-0");
	/* Those of others, and names that are not ours. */
	tree_mkdir(root, "instances/ssdpm-4194304-5");
	tree_mkdir(root, "instances/ssdpm-4194304-5-0x");
	tree_mkdir(root, "instances/perf-4194304-5-0");
	tracer = make();
	assert_int_equal(ssdpm_tracer_get_n_removed(tracer), 2);
	assert_int_equal(count_instances(), 4);
	ssdpm_tracer_free(tracer);
}

static void assert_refused(const struct ssdpm_tracer_params *params, int code,
			   const char *words)
{
	struct ssdpm_tracer *tracer = UNTOUCHED;
	struct ssdpm_error error = fixture_error();
	int fds = tree_count_fds();

	assert_int_equal(ssdpm_tracer_new(params, &tracer, &error), code);
	fixture_assert_error(&error, code, 0, words);
	assert_ptr_equal(tracer, UNTOUCHED);
	assert_int_equal(tree_count_fds(), fds);
}

static void what_cannot_be_traced_is_refused_and_leaves_nothing(void **state)
{
	struct ssdpm_tracer_params params = usual();
	static const char *const bad[] = { "../../etc/passwd" };
	static const char *const unknown[] = { "block/none" };

	(void)state;
	params.tracefs = "/nonexistent";
	assert_refused(&params, -ENOENT, "/nonexistent");
	params.tracefs = "/proc";
	assert_refused(&params, -ENOENT, "is not mounted");
	params = usual();
	tracefs_refuses = EPERM;
	assert_refused(&params, -EPERM, "instances/");
	tracefs_refuses = EROFS;
	assert_refused(&params, -EPERM, "instances/");
	tracefs_refuses = EEXIST;
	assert_refused(&params, -EEXIST, "instances/");
	tracefs_refuses = 0;
	params.n_disks = 0;
	assert_refused(&params, -EINVAL, "disks");
	params = usual();
	params.n_events = 0;
	assert_refused(&params, -EINVAL, "events");
	params = usual();
	params.events = bad;
	params.n_events = 1;
	assert_refused(&params, -EINVAL, "event 0");
	params.events = unknown;
	assert_refused(&params, -ENODATA, "none of the events");
	params = usual();
	params.reserved = 1;
	assert_refused(&params, -EINVAL, "reserved");
	params = usual();
	tracefs_lacks = "trace_pipe";
	assert_refused(&params, -ENOENT, "trace_pipe");
	tracefs_lacks = "trace_clock";
	assert_refused(&params, -ENOENT, "trace_clock");
	assert_int_equal(count_instances(), 0);
}

static struct ssdpm_disk *disks_of(struct ssdpm_machine *machine,
				   const char *name, size_t *ret_n)
{
	struct ssdpm_disk *found = UNTOUCHED;
	struct ssdpm_device *device;

	assert_int_equal(ssdpm_device_read(machine, name, &device, NULL), 0);
	assert_int_equal(
		ssdpm_device_read_disks(machine, device, &found, ret_n, NULL),
		0);
	ssdpm_device_unref(device);
	return found;
}

/* nvme0n1 with a partition, an encrypted volume in it, and LVM in that. */
static void put_disks(void)
{
	static const char *const files[][2] = {
		{ "nvme/nvme0/nvme0n1", "259:0" },
		{ "nvme/nvme0/nvme0n1/nvme0n1p1", "259:1" },
		{ "virtual/block/dm-0", "254:0" },
		{ "virtual/block/dm-1", "254:1" },
	};
	char path[128];

	for (size_t i = 0; i < 4; i++) {
		const char *name = strrchr(files[i][0], '/') + 1;

		snprintf(path, sizeof(path), "sys/devices/%s/dev", files[i][0]);
		tree_put(root, path, files[i][1]);
		snprintf(path, sizeof(path), "sys/class/block/%s", name);
		char target[128];

		snprintf(target, sizeof(target), "../../devices/%s",
			 files[i][0]);
		tree_link(root, path, target);
	}
	tree_mkdir(root,
		   "sys/devices/nvme/nvme0/nvme0n1/nvme0n1p1/holders/dm-0");
	tree_mkdir(root, "sys/devices/virtual/block/dm-0/holders/dm-1");
	tree_put(root, "sys/devices/nvme/nvme0/state", "live");
	tree_put(root, "sys/devices/nvme/nvme0/transport", "pcie");
	tree_link(root, "sys/class/nvme/nvme0", "../../devices/nvme/nvme0");
}

static void all_devices_that_lead_to_a_drive_are_found(void **state)
{
	static const struct ssdpm_disk wanted[] = {
		{ SSDPM_DISK_WHOLE, 259, 0, 0, "nvme0n1" },
		{ SSDPM_DISK_PARTITION, 259, 1, 0, "nvme0n1p1" },
		{ SSDPM_DISK_STACKED, 254, 0, 0, "dm-0" },
		{ SSDPM_DISK_STACKED, 254, 1, 0, "dm-1" },
	};
	struct ssdpm_machine *machine;
	struct ssdpm_disk *found;
	size_t n = 0;

	(void)state;
	put_disks();
	machine = tree_machine(root);
	found = disks_of(machine, "nvme0", &n);
	assert_int_equal(n, 4);
	assert_memory_equal(found, wanted, sizeof(wanted));
	free(found);
	ssdpm_machine_unref(machine);
}

static void a_filter_of_many_disks_fits_into_a_page(void **state)
{
	char text[8192];

	(void)state;
	read_filter(100, text);
	/* Each disk, and no other one. */
	assert_int_equal(count_passing(text, 442), 100);
	for (size_t n = 200; n < 10000; n *= 5) {
		read_filter(n, text);
		assert_true(strlen(text) < 4096);
		/* The first and the last are in it, and so is each between. */
		assert_true(count_passing(text, (uint32_t)(n / 2 * 9)) >= n);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(an_instance_is_set_up_and_taken_away),
		TEST(an_instance_inherits_no_other_format_of_lines),
		TEST(text_and_formats_are_read),
		TEST(a_process_has_several_instances),
		TEST(a_filter_of_many_disks_fits_into_a_page),
		TEST(instances_of_dead_processes_are_removed),
		TEST(what_cannot_be_traced_is_refused_and_leaves_nothing),
		TEST(all_devices_that_lead_to_a_drive_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
