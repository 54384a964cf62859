/* SPDX-License-Identifier: MIT */
/*
 * Every call that fails, writes less, or is the last one before a kill: all is
 * as it was, or as it was planned.
 */
#include "calls.h"
#include "kernel.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static struct kernel_values old_values, new_values;

static int add(struct ssdpm_plan *plan)
{
	static const uint32_t lpm = SSDPM_LPM_MIN_POWER;
	struct ssdpm_device *device = kernel_device("nvme0");
	int err;

	err = ssdpm_plan_add_latency_tolerance(plan, device, kernel_model(0),
					       5000, NULL);
	if (!err)
		err = ssdpm_plan_add_power_state(plan, device, kernel_model(0),
						 2, 1, NULL);
	if (!err)
		err = ssdpm_plan_add_value(plan, device, SSDPM_STEP_NOPP, 1,
					   NULL);
	if (!err)
		err = ssdpm_plan_add_value(plan, device, SSDPM_STEP_D3COLD, 0,
					   NULL);
	ssdpm_device_unref(device);
	if (!err)
		err = ssdpm_plan_add_value(plan, NULL, SSDPM_STEP_ASPM_POLICY,
					   SSDPM_ASPM_PERFORMANCE, NULL);
	if (!err)
		err = ssdpm_plan_add_nvme_core(
			plan, SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS, 500,
			NULL);
	if (!err)
		err = ssdpm_plan_add_nvme_core(
			plan, SSDPM_NVME_CORE_APST_PRIMARY_LATENCY_TOL_US, 900,
			NULL);
	device = kernel_device("sdb");
	if (!err)
		err = add_lpms(plan, device, NULL, &lpm, 1, 0, NULL);
	ssdpm_device_unref(device);
	return err;
}

static struct ssdpm_plan *new_plan(void)
{
	struct ssdpm_plan *plan = kernel_plan();

	assert_int_equal(add(plan), 0);
	kernel_read(plan);
	return plan;
}

static int boot(void **state)
{
	struct ssdpm_plan *plan;

	kernel_setup(state);
	old_values = kernel->now;
	plan = new_plan();
	assert_int_equal(ssdpm_plan_commit(plan, NULL), 0);
	ssdpm_plan_free(plan);
	new_values = kernel->now;
	return 0;
}

static bool is_old(void)
{
	return kernel_same(&kernel->now, &old_values);
}

static bool is_new(void)
{
	return kernel_same(&kernel->now, &new_values);
}

/* One device, or all of them. */
static bool has_journal(void)
{
	struct ssdpm_journal journal = { .size = sizeof(journal) };

	assert_int_equal(
		ssdpm_journal_read(kernel_machine, NULL, &journal, NULL), 0);
	return journal.state != SSDPM_JOURNAL_NONE;
}

/* The values that revert knows are right, whichever of the two it is. */
static void assert_revertible(void)
{
	struct ssdpm_plan *plan = kernel_plan_revert();

	assert_int_equal(ssdpm_plan_commit(plan, NULL), 0);
	ssdpm_plan_free(plan);
	assert_true(is_old());
}

static void assert_whole(int call, int n)
{
	if (!is_old() && !is_new())
		fail_msg("half done: call %#x number %d", call, n);
	assert_false(has_journal());
	assert_revertible();
}

/* One call fails, or all from it on. Return whether there was one. */
static bool fail_once(int mask, int n, int error, bool for_ever)
{
	struct ssdpm_error words = fixture_error();
	struct ssdpm_plan *plan;
	bool failed;
	int err;

	kernel_reset();
	plan = kernel_plan();
	assert_int_equal(add(plan), 0);
	kernel->mask = mask;
	kernel->fail_at = n;
	kernel->error = error;
	kernel->for_ever = for_ever;
	err = ssdpm_plan_commit(plan, &words);
	failed = kernel->n_calls >= n;
	kernel_calm();
	ssdpm_plan_free(plan);
	if (err) {
		assert_int_equal(words.code, err);
		assert_true(words.message[0]);
		/* What it could not undo, the next one does. */
		assert_int_equal(kernel_recover(kernel_machine, NULL, NULL), 0);
		if (!is_old())
			fail_msg("call %#x number %d, error %d: not undone",
				 mask, n, error);
	} else if (!is_new()) {
		fail_msg("call %#x number %d, error %d: not done", mask, n,
			 error);
	}
	assert_whole(mask, n);
	return failed;
}

static void every_failure_leaves_all_or_nothing(void **state)
{
	static const int errors[] = { EIO,    EACCES,	  EINVAL, ENODEV, EROFS,
				      ENOSPC, EOPNOTSUPP, ENOMEM, EBUSY,  0 };
	static const int calls[] = { KERNEL_WRITE, KERNEL_READ, KERNEL_LOG,
				     KERNEL_SYNC, KERNEL_NAME };
	size_t n_errors = fixture_cases(10) < 10 ? 2 : 10;
	int stride = fixture_stride();

	(void)state;
	for (size_t c = 0; c < 5; c++)
		for (size_t e = 0; e < n_errors; e++)
			for (int n = 1;
			     fail_once(calls[c], n, errors[e], false);
			     n += stride)
				;
}

static void what_fails_for_ever_is_undone_by_the_next(void **state)
{
	static const int calls[] = { KERNEL_WRITE, KERNEL_LOG, KERNEL_SYNC,
				     KERNEL_NAME, KERNEL_CHANGES };

	(void)state;
	for (size_t c = 0; c < 5; c++)
		for (int n = 1; fail_once(calls[c], n, EIO, true);
		     n += fixture_stride())
			;
}

static void without_memory_a_commit_is_undone(void **state)
{
	(void)state;
	for (int n = 1; fail_once(KERNEL_MEMORY, n, ENOMEM, false);
	     n += fixture_stride())
		;
}

static int plan_all(struct ssdpm_device *drive, struct ssdpm_device *disk,
		    struct ssdpm_plan **ret_plan)
{
	static const uint32_t lpm = SSDPM_LPM_MIN_POWER;
	struct ssdpm_plan *plan;
	int err;

	err = ssdpm_plan_new(kernel_machine, &kernel_strict, &plan, NULL);
	if (err)
		return err;
	err = ssdpm_plan_add_latency_tolerance(plan, drive, kernel_model(0),
					       5000, NULL);
	if (!err)
		err = ssdpm_plan_add_nvme_core(
			plan, SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS, 500,
			NULL);
	if (!err)
		err = add_lpms(plan, disk, NULL, &lpm, 1, 0, NULL);
	if (!err)
		err = ssdpm_plan_add_power_state(plan, drive, kernel_model(0),
						 2, 1, NULL);
	if (!err)
		err = ssdpm_plan_add_value(plan, drive, SSDPM_STEP_NOPP, 1,
					   NULL);
	if (!err)
		err = ssdpm_plan_add_value(plan, drive, SSDPM_STEP_D3COLD, 0,
					   NULL);
	if (!err)
		err = ssdpm_plan_add_value(plan, NULL, SSDPM_STEP_ASPM_POLICY,
					   SSDPM_ASPM_PERFORMANCE, NULL);
	*ret_plan = plan;
	return err;
}

/* With a table to be read and compared, which a capture has not. */
static void without_memory_there_is_no_plan(void **state)
{
	struct ssdpm_device *drive, *disk;
	struct ssdpm_plan *plan;
	int err = -ENOMEM;

	(void)state;
	kernel_reset();
	kernel->now.drives[0].table.entries[1].idle_ms++;
	drive = kernel_device("nvme0");
	disk = kernel_device("sdb");
	for (int n = 1; err; n++) {
		plan = NULL;
		kernel->mask = KERNEL_MEMORY;
		kernel->fail_at = n;
		err = plan_all(drive, disk, &plan);
		kernel_calm();
		ssdpm_plan_free(plan);
		assert_true(!err || err == -ENOMEM);
	}
	assert_int_equal(kernel->n_writes, 0);
	ssdpm_device_unref(drive);
	ssdpm_device_unref(disk);
}

static int recover(void *data)
{
	(void)data;
	return kernel_recover(kernel_machine, NULL, NULL) ? 1 : 0;
}

static int commit(void *data)
{
	struct ssdpm_plan *plan;
	int err;

	(void)data;
	if (ssdpm_plan_new(kernel_machine, &kernel_strict, &plan, NULL) ||
	    add(plan))
		return 2;
	err = ssdpm_plan_commit(plan, NULL);
	ssdpm_plan_free(plan);
	return err ? 3 : 0;
}

/* In a child: is it killed at the n-th call? */
static bool run_and_kill(int (*run)(void *data), int n)
{
	int status = kernel_run_and_kill(n, run, NULL);

	assert_true(status <= 0);
	return status < 0;
}

static void a_child_does_not_keep_the_lock_that_its_parent_has_left(
	void **state)
{
	struct ssdpm_plan *plan;
	pid_t child;

	(void)state;
	assert_int_equal(ssdpm_plan_new(kernel_machine, NULL, &plan, NULL), 0);
	assert_int_equal(ssdpm_plan_lock(plan, NULL), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		pause();
		_exit(0);
	}
	ssdpm_plan_unlock(plan);
	assert_int_equal(ssdpm_plan_lock(plan, NULL), 0);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	ssdpm_plan_free(plan);
}

static void after_a_kill_all_is_old_or_new(void **state)
{
	int n, n_old = 0, n_new = 0;

	(void)state;
	for (n = 1;; n++) {
		kernel_reset();
		if (!run_and_kill(commit, n))
			break;
		assert_int_equal(kernel_recover(kernel_machine, NULL, NULL), 0);
		n_old += is_old();
		n_new += is_new();
		assert_whole(KERNEL_CHANGES, n);
	}
	/* Before the journal is gone it is undone, after that it is done. */
	assert_int_equal(n_old + n_new, n - 1);
	assert_true(n_old > 15);
	assert_true(n_new >= 1);
}

/* Somebody's own, by Set Features: no file says anything of it. */
static void set_foreign_table(void)
{
	struct ssdpm_apst *table = &kernel->now.drives[0].table;

	kernel_reset();
	table->entries[0] = (struct ssdpm_apst_entry){ 50, 3 };
	table->entries[1] = (struct ssdpm_apst_entry){ 70, 4 };
}

static void a_kill_costs_nobody_his_table(void **state)
{
	struct kernel_values old = old_values;
	bool killed = true;

	(void)state;
	set_foreign_table();
	old_values = kernel->now;
	for (int n = 1; killed; n++) {
		set_foreign_table();
		killed = run_and_kill(commit, n);
		assert_int_equal(kernel_recover(kernel_machine, NULL, NULL), 0);
		assert_whole(KERNEL_CHANGES, n);
	}
	old_values = old;
}

static void a_kill_of_the_recovery_changes_nothing(void **state)
{
	int stride = fixture_stride();

	(void)state;
	for (int n = 1;; n += 2 * stride - 1) {
		bool killed = true;

		for (int m = 1; killed; m += stride) {
			kernel_reset();
			if (!run_and_kill(commit, n))
				return;
			killed = run_and_kill(recover, m);
			assert_int_equal(
				kernel_recover(kernel_machine, NULL, NULL), 0);
			assert_whole(KERNEL_CHANGES, n);
		}
	}
}

static void the_next_commit_recovers_by_itself(void **state)
{
	int n, n_stale = 0;

	(void)state;
	for (n = 1;; n++) {
		struct ssdpm_plan *plan;
		int err;

		kernel_reset();
		plan = new_plan(); /* made before the kill */
		if (!run_and_kill(commit, n)) {
			ssdpm_plan_free(plan);
			break;
		}
		err = ssdpm_plan_commit(plan, NULL);
		/* A commit that was complete has changed what it shows. */
		n_stale += err == -ESTALE;
		assert_true(!err || err == -ESTALE);
		assert_true(is_new());
		ssdpm_plan_free(plan);
		assert_whole(KERNEL_CHANGES, n);
	}
	assert_true(n_stale >= 1 && n_stale < n / 2);
}

/* It was made after the kill, when all looked as it should. */
static void a_plan_with_nothing_to_do_sees_the_journal(void **state)
{
	struct ssdpm_plan *plan;
	int n, n_undone = 0;

	(void)state;
	for (n = 1;; n++) {
		int err;

		kernel_reset();
		if (!run_and_kill(commit, n))
			break;
		if (!is_new())
			continue;
		plan = new_plan();
		assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING),
				 0);
		err = ssdpm_plan_commit(plan, NULL);
		n_undone += err == -ESTALE;
		assert_true(err ? is_old() : is_new());
		ssdpm_plan_free(plan);
		assert_whole(KERNEL_CHANGES, n);
	}
	assert_true(n_undone >= 1);
}

enum { N_RACERS = 4 };

/* All that can be set, and another value for each racer. */
static int add_racer(struct ssdpm_plan *plan, uint32_t racer)
{
	static const char *const names[] = { "nvme0", "nvme1", "nvme2" };
	const uint32_t lpm = SSDPM_LPM_MAX_PERFORMANCE + racer;
	int err = 0;

	for (int i = 0; !err && i < 3; i++) {
		struct ssdpm_device *device = kernel_device(names[i]);

		err = ssdpm_plan_add_latency_tolerance(
			plan, device, kernel_model(i), 9000 * (racer + 1),
			NULL);
		ssdpm_device_unref(device);
	}
	for (uint32_t i = SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS;
	     !err && i <= SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US; i++)
		err = ssdpm_plan_add_nvme_core(plan, i, 300 * i * (racer + 1),
					       NULL);
	for (int i = 0; !err && i < 2; i++) {
		struct ssdpm_device *device = kernel_device(i ? "sda" : "sdb");

		err = add_lpms(plan, device, NULL, &lpm, 1, 0, NULL);
		ssdpm_device_unref(device);
	}
	return err;
}

/* A value that somebody else has set meanwhile is planned again. */
static int race(uint32_t racer)
{
	int err;

	do {
		struct ssdpm_plan *plan;

		err = ssdpm_plan_new(kernel_machine, &kernel_strict, &plan,
				     NULL);
		if (!err)
			err = add_racer(plan, racer);
		if (!err)
			err = ssdpm_plan_commit(plan, NULL);
		ssdpm_plan_free(plan);
	} while (err == -ESTALE);
	return err;
}

/* One of them is killed at its n-th call, or not at all. */
static bool race_all(int n)
{
	pid_t racers[N_RACERS];
	bool killed = false;
	int status;

	kernel->real_time = true;
	kernel->mask = KERNEL_CHANGES;
	/* Nobody's calls count until the first racer has said who it is. */
	kernel->victim = -1;
	for (uint32_t i = 0; i < N_RACERS; i++) {
		racers[i] = fork();
		assert_true(racers[i] >= 0);
		if (racers[i])
			continue;
		if (!i) {
			kernel->kill_at = n;
			kernel->victim = getpid();
		}
		_exit(race(i) ? 1 : 0);
	}
	for (uint32_t i = 0; i < N_RACERS; i++) {
		assert_int_equal(waitpid(racers[i], &status, 0), racers[i]);
		if (!i && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
			killed = true;
		else
			assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	}
	kernel->real_time = false;
	kernel_calm();
	kernel_sync();
	return killed;
}

static void of_many_commits_at_once_the_last_one_holds(void **state)
{
	struct kernel_values wanted[N_RACERS];
	int n_rounds = (int)fixture_cases(20), n_killed = 0;

	(void)state;
	for (uint32_t i = 0; i < N_RACERS; i++) {
		kernel_reset();
		assert_int_equal(race(i), 0);
		wanted[i] = kernel->now;
	}
	for (int n = 1; n <= n_rounds; n++) {
		bool whole = false;

		kernel_reset();
		n_killed += race_all(n % 2 ? n : 0);
		assert_int_equal(kernel_recover(kernel_machine, NULL, NULL), 0);
		for (uint32_t i = 0; i < N_RACERS; i++)
			whole |= kernel_same(&kernel->now, &wanted[i]);
		if (!whole)
			fail_msg("round %d: a mixture", n);
		assert_false(has_journal());
		assert_revertible();
	}
	assert_true(n_killed > n_rounds / 4);
}

static void of_two_commits_one_waits(void **state)
{
	struct ssdpm_plan_params params = { .size = sizeof(params),
					    .lock_timeout_ms = 30 };
	struct ssdpm_error error;
	struct ssdpm_plan *plan;
	char path[128];
	int ready[2], done[2], status;
	pid_t child;
	char byte;

	(void)state;
	kernel_reset();
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(done), 0);
	snprintf(path, sizeof(path), "mkdir -p %s/run/ssdpm", kernel_root());
	assert_int_equal(system(path), 0);
	snprintf(path, sizeof(path), "%s/run/ssdpm/lock", kernel_root());
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		char command[300];

		snprintf(command, sizeof(command),
			 "exec flock %s sh -c 'echo >&%d; read x <&%d'", path,
			 ready[1], done[0]);
		close(done[1]);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(ssdpm_plan_new(kernel_machine, &params, &plan, NULL),
			 0);
	assert_int_equal(add(plan), 0);
	assert_int_equal(ssdpm_plan_commit(plan, &error), -EBUSY);
	fixture_assert_error(&error, -EBUSY, 0, "held the lock for 30 ms");
	assert_true(is_old());
	close(done[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(ssdpm_plan_commit(plan, NULL), 0);
	assert_true(is_new());
	ssdpm_plan_free(plan);
	close(ready[0]);
	close(ready[1]);
	close(done[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_failure_leaves_all_or_nothing),
		cmocka_unit_test(what_fails_for_ever_is_undone_by_the_next),
		cmocka_unit_test(without_memory_a_commit_is_undone),
		cmocka_unit_test(without_memory_there_is_no_plan),
		cmocka_unit_test(
			a_child_does_not_keep_the_lock_that_its_parent_has_left),
		cmocka_unit_test(after_a_kill_all_is_old_or_new),
		cmocka_unit_test(a_kill_costs_nobody_his_table),
		cmocka_unit_test(a_kill_of_the_recovery_changes_nothing),
		cmocka_unit_test(the_next_commit_recovers_by_itself),
		cmocka_unit_test(a_plan_with_nothing_to_do_sees_the_journal),
		cmocka_unit_test(of_many_commits_at_once_the_last_one_holds),
		cmocka_unit_test(of_two_commits_one_waits),
	};

	return cmocka_run_group_tests(tests, boot, kernel_teardown);
}
