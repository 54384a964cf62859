/* SPDX-License-Identifier: MIT */
/* Many events lead to few runs, and none is lost. */
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_PROCESSES = 4, N_ROUNDS = 100, MOST_BYTES = 65536 };

static char *root;
static struct ssdpm_machine *machine;

/* The behaviour of runs, and what they saw. */
struct runs {
	size_t n;
	size_t n_adds[4]; /* requests that come while a run runs */
	int err;
};

static int boot(void **state)
{
	(void)state;
	root = tree_new();
	tree_put(root, "/ssdpm-capture", "ssdpm-capture 1\n");
	tree_mkdir(root, "/sys/class");
	machine = tree_machine(root);
	return 0;
}

static int halt(void **state)
{
	(void)state;
	ssdpm_machine_unref(machine);
	tree_remove(root);
	return 0;
}

static void add(size_t n)
{
	struct ssdpm_error error;

	for (size_t i = 0; i < n; i++)
		if (ssdpm_request_add(machine, NULL, &error))
			fail_msg("%s", error.message);
}

static int run(void *userdata, struct ssdpm_error *reterr)
{
	struct runs *runs = userdata;

	if (runs->n < sizeof(runs->n_adds) / sizeof(*runs->n_adds))
		add(runs->n_adds[runs->n]);
	runs->n++;
	if (runs->err)
		*reterr = (struct ssdpm_error){ .code = runs->err,
						.message = "it failed" };
	return runs->err;
}

static size_t serve(struct runs *runs)
{
	struct ssdpm_error error;
	size_t n = 99;

	if (ssdpm_request_serve(machine, NULL, run, runs, &n, &error))
		fail_msg("%s", error.message);
	assert_int_equal(n, runs->n);
	return n;
}

static void nobody_asks_and_nothing_runs(void **state)
{
	struct runs runs = { 0 };

	(void)state;
	assert_int_equal(serve(&runs), 0);
}

static void many_requests_are_one_run(void **state)
{
	struct runs runs = { 0 }, none = { 0 };

	(void)state;
	add(64);
	assert_int_equal(serve(&runs), 1);
	assert_int_equal(serve(&none), 0);
}

static void what_comes_during_a_run_is_one_more_run(void **state)
{
	struct runs runs = { .n_adds = { 20, 0, 1 } }, none = { 0 };

	(void)state;
	add(1);
	assert_int_equal(serve(&runs), 2);
	assert_int_equal(serve(&none), 0);
}

static void a_run_that_fails_has_served(void **state)
{
	struct runs runs = { .err = -EIO }, none = { 0 };
	struct ssdpm_error error = { 0 };
	size_t n = 99;

	(void)state;
	add(3);
	assert_int_equal(
		ssdpm_request_serve(machine, NULL, run, &runs, &n, &error),
		-EIO);
	assert_string_equal(error.message, "it failed");
	assert_int_equal(n, 99);
	assert_int_equal(runs.n, 1);
	assert_int_equal(serve(&none), 0);
}

static void a_file_of_requests_that_is_long_is_shortened(void **state)
{
	struct runs runs = { .n_adds = { 2 } }, none = { 0 };
	struct stat status;

	(void)state;
	add(MOST_BYTES + 1);
	assert_int_equal(serve(&runs), 2);
	assert_false(stat(tree_path(root, "run/ssdpm/requests"), &status));
	assert_int_equal(status.st_size, 3);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(serve(&none), 0);
}

static int die(void *userdata, struct ssdpm_error *reterr)
{
	(void)userdata;
	(void)reterr;
	kill(getpid(), SIGKILL);
	return 0;
}

static void what_a_killed_run_has_not_served_is_served_later(void **state)
{
	struct runs runs = { 0 };
	int status;
	pid_t pid;

	(void)state;
	add(2);
	pid = fork();
	if (!pid) {
		ssdpm_request_serve(machine, NULL, die, NULL, NULL, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(serve(&runs), 1);
}

static void requests_that_somebody_has_removed_are_no_fault(void **state)
{
	struct runs runs = { 0 }, more = { 0 };

	(void)state;
	/* As many as before were served. */
	add(1);
	assert_int_equal(serve(&runs), 1);
	usleep(20000); /* the clock of files has ticked */
	assert_false(unlink(tree_path(root, "run/ssdpm/requests")));
	add(1);
	assert_int_equal(serve(&more), 1);
}

static void a_link_in_the_place_of_a_file_is_not_followed(void **state)
{
	struct runs runs = { 0 };
	struct ssdpm_error error;

	(void)state;
	tree_mkdir(root, "/run/ssdpm");
	tree_link(root, "/run/ssdpm/requests", "/tmp");
	assert_int_equal(ssdpm_request_add(machine, NULL, &error), -EIO);
	assert_non_null(strstr(error.message, "requests is a link"));
	assert_int_equal(
		ssdpm_request_serve(machine, NULL, run, &runs, NULL, &error),
		-EIO);
	assert_int_equal(runs.n, 0);
}

static void a_root_that_is_no_capture_is_not_written(void **state)
{
	struct runs runs = { 0 };
	struct ssdpm_machine *real;
	struct ssdpm_error error;

	(void)state;
	assert_false(unlink(tree_path(root, "ssdpm-capture")));
	real = tree_machine(root);
	assert_int_equal(ssdpm_request_add(real, NULL, &error), -EROFS);
	assert_int_equal(
		ssdpm_request_serve(real, NULL, run, &runs, NULL, &error),
		-EROFS);
	ssdpm_machine_unref(real);
}

/* Shared by processes: the wanted value, and the value that a run saw. */
struct shared {
	_Atomic uint64_t wanted, seen, n_runs, n_lost, n_at_once;
};

static int look(void *userdata, struct ssdpm_error *reterr)
{
	struct shared *shared = userdata;

	(void)reterr;
	/* One at a time. */
	if (atomic_fetch_add(&shared->n_at_once, 1))
		atomic_fetch_add(&shared->n_lost, 1);
	atomic_store(&shared->seen, atomic_load(&shared->wanted));
	atomic_fetch_add(&shared->n_runs, 1);
	atomic_fetch_sub(&shared->n_at_once, 1);
	return 0;
}

static void want_and_serve(struct shared *shared)
{
	const uint64_t mine = atomic_fetch_add(&shared->wanted, 1) + 1;

	if (ssdpm_request_add(machine, NULL, NULL) ||
	    ssdpm_request_serve(machine, NULL, look, shared, NULL, NULL) ||
	    atomic_load(&shared->seen) < mine)
		atomic_fetch_add(&shared->n_lost, 1);
}

static void no_request_is_lost_between_processes(void **state)
{
	struct shared *shared =
		mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(shared, MAP_FAILED);
	for (int i = 0; i < N_PROCESSES; i++)
		if (!fork()) {
			for (int j = 0; j < N_ROUNDS / N_PROCESSES; j++)
				want_and_serve(shared);
			_exit(0);
		}
	for (int i = 0; i < N_PROCESSES; i++)
		assert_true(wait(NULL) > 0);
	assert_int_equal(atomic_load(&shared->wanted), N_ROUNDS);
	assert_int_equal(atomic_load(&shared->n_lost), 0);
	assert_true(atomic_load(&shared->n_runs) <= N_ROUNDS);
	munmap(shared, sizeof(*shared));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, boot, halt)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nobody_asks_and_nothing_runs),
		TEST(many_requests_are_one_run),
		TEST(what_comes_during_a_run_is_one_more_run),
		TEST(a_run_that_fails_has_served),
		TEST(a_file_of_requests_that_is_long_is_shortened),
		TEST(what_a_killed_run_has_not_served_is_served_later),
		TEST(requests_that_somebody_has_removed_are_no_fault),
		TEST(a_link_in_the_place_of_a_file_is_not_followed),
		TEST(a_root_that_is_no_capture_is_not_written),
		TEST(no_request_is_lost_between_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
