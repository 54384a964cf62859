/* SPDX-License-Identifier: MIT */
/* The names of cgroups, from a tree that is made here. */
#include "fixture.h"
#include "tree.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "observe/observation.h"
#include "watch/internal.h"

static char *root;
static struct ssdpm_watch *watch;
static char recorded[8192];

static int set_up(void **state)
{
	(void)state;
	root = tree_new();
	recorded[0] = 0;
	watch = calloc(1, sizeof(*watch));
	assert_non_null(watch);
	assert_int_equal(ssdpm_observation_new(&watch->observation, NULL), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ssdpm_observation_free(watch->observation);
	free(watch->remarks);
	free(watch);
	tree_remove(root);
	return 0;
}

static void keep(void *userdata, const char *text, size_t size)
{
	assert_ptr_equal(userdata, recorded);
	assert_true(strlen(recorded) + size < sizeof(recorded));
	strncat(recorded, text, size);
}

/* The number of a cgroup. */
static uint64_t put(const char *cgroup)
{
	char file[2048];
	struct stat stat;

	snprintf(file, sizeof(file), "%s/cgroup.procs", cgroup);
	tree_put(root, file, "1\n");
	assert_int_equal(lstat(tree_path(root, cgroup), &stat), 0);
	return stat.st_ino;
}

/* A worker writes a file back whose pages are charged to it. */
static void see(uint64_t cgroup)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "kworker/u8:1-5 [000] d..1. 1000.100000: "
		 "writeback_single_inode_start: bdi 259:0: ino=5 state=0x0 "
		 "dirtied_when=1 age=1 index=0 to_write=1 wrote=0 "
		 "cgroup_ino=%" PRIu64 "\n"
		 "kworker/u8:1-5 [000] d..1. 1000.200000: "
		 "block_bio_queue: 259,0 W 0 + 8 [kworker/u8:1]\n",
		 cgroup);
	assert_int_equal(ssdpm_observation_feed(watch->observation, text,
						strlen(text), NULL),
			 0);
}

static void name_cgroups(void)
{
	assert_int_equal(ssdpm__watch_name_cgroups(watch, root, NULL), 0);
}

static void a_cgroup_that_was_seen_is_named_once(void **state)
{
	char line[128];

	(void)state;
	put("system.slice/cron.service");
	const uint64_t number =
		put("user.slice/user-1000.slice/session-2.scope");

	/* Nothing was seen. */
	name_cgroups();
	assert_null(watch->remarks);
	see(number);
	watch->write_fn = keep;
	watch->userdata = recorded;
	name_cgroups();
	name_cgroups();
	snprintf(line, sizeof(line),
		 "# cgroup: %" PRIu64
		 " /user.slice/user-1000.slice/session-2.scope\n",
		 number);
	assert_string_equal(watch->remarks, line);
	assert_string_equal(recorded, line);
	assert_int_equal(
		ssdpm_observation_get_counts(watch->observation)->n_bad, 0);
}

static void a_cgroup_that_is_gone_is_sought_once(void **state)
{
	(void)state;
	see(UINT64_MAX);
	assert_true(ssdpm__has_nameless_cgroup(&watch->observation->files));
	name_cgroups();
	assert_null(watch->remarks);
	assert_false(ssdpm__has_nameless_cgroup(&watch->observation->files));
}

static void a_root_that_is_not_there_has_no_names(void **state)
{
	char path[4096];

	(void)state;
	see(77);
	snprintf(path, sizeof(path), "%s/none", root);
	assert_int_equal(ssdpm__watch_name_cgroups(watch, path, NULL), 0);
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	see(78);
	assert_int_equal(ssdpm__watch_name_cgroups(watch, path, NULL), 0);
	assert_null(watch->remarks);
}

/* The walk does not go everywhere, and ends. */
static void a_tree_may_be_deep_and_its_names_long(void **state)
{
	static const size_t lengths[] = { 200, 1 }, depths[] = { 8, 40 };
	struct stat stat;
	char name[256];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		int fd = open(root, O_RDONLY | O_DIRECTORY);

		memset(name, 'a' + (int)i, lengths[i]);
		name[lengths[i]] = 0;
		for (size_t depth = 0; depth < depths[i]; depth++) {
			const int above = fd;

			assert_int_equal(mkdirat(above, name, 0700), 0);
			fd = openat(above, name, O_RDONLY | O_DIRECTORY);
			assert_true(fd >= 0);
			close(above);
			assert_int_equal(fstat(fd, &stat), 0);
			see(stat.st_ino);
		}
		close(fd);
	}
	name_cgroups();
	assert_non_null(watch->remarks);
	assert_false(ssdpm__has_nameless_cgroup(&watch->observation->files));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_cgroup_that_was_seen_is_named_once),
		TEST(a_cgroup_that_is_gone_is_sought_once),
		TEST(a_root_that_is_not_there_has_no_names),
		TEST(a_tree_may_be_deep_and_its_names_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
