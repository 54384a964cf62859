/* SPDX-License-Identifier: MIT */
/*
 * A commit that fails in its middle, because a drive is removed or a value can
 * no longer be written. Its result, its words and the states of its steps agree
 * with the values on the machine.
 */
#include "calls.h"
#include "kernel.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static const char other_drive[] = "nvme1";

/* The traces of a removal in sysfs, and the resulting words. */
static const struct removal {
	const char *state, *words;
} removals[] = {
	{ NULL, "nvme1: it was removed" },
	{ "deleting\n", "nvme1: it is being removed" },
	{ "deleting (no IO)\n", "nvme1: it is being removed" },
	{ "", "nvme1: it is being removed" },
	{ "dead\n", "nvme1: it was removed, or Linux gave it up: see dmesg" },
};

static int add_tolerance(struct ssdpm_plan *plan, const char *name)
{
	struct ssdpm_device *device = kernel_device(name);
	int err;

	err = ssdpm_plan_add_latency_tolerance(
		plan, device, kernel_model(name[4] - '0'), 5000, NULL);
	ssdpm_device_unref(device);
	return err;
}

static int add_power_state(struct ssdpm_plan *plan, const char *name)
{
	struct ssdpm_device *device = kernel_device(name);
	int err;

	err = ssdpm_plan_add_power_state(
		plan, device, kernel_model(name[4] - '0'), 1, 0, NULL);
	ssdpm_device_unref(device);
	return err;
}

/* Two drives, a parameter for all of them, and a port. */
static struct ssdpm_plan *fill_plan(struct ssdpm_plan *plan)
{
	static const uint32_t lpm = SSDPM_LPM_MIN_POWER;
	struct ssdpm_device *disk = kernel_device("sdb");

	assert_int_equal(add_tolerance(plan, "nvme0"), 0);
	assert_int_equal(add_tolerance(plan, other_drive), 0);
	assert_int_equal(add_power_state(plan, "nvme0"), 0);
	assert_int_equal(add_power_state(plan, other_drive), 0);
	assert_int_equal(ssdpm_plan_add_nvme_core(
				 plan,
				 SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS, 500,
				 NULL),
			 0);
	assert_int_equal(add_lpms(plan, disk, NULL, &lpm, 1, 0, NULL), 0);
	ssdpm_device_unref(disk);
	return plan;
}

static struct ssdpm_plan *new_plan(void)
{
	return fill_plan(kernel_plan());
}

static struct ssdpm_plan *new_locked_plan(void)
{
	struct ssdpm_plan *plan = kernel_plan();

	assert_int_equal(ssdpm_plan_lock(plan, NULL), 0);
	return fill_plan(plan);
}

/* The machine's value for a step. */
static const char *value_now(const struct ssdpm_step *step, char text[16])
{
	const struct kernel_values *now = &kernel->now;
	const struct kernel_drive *drive = now->drives;

	/* Other steps name "all", or a disk. */
	if (!strncmp(step->device, "nvme", 4))
		drive += step->device[4] - '0';
	switch (step->kind) {
	case SSDPM_STEP_LATENCY_TOLERANCE:
	case SSDPM_STEP_REBUILD:
		return drive->tolerance;
	case SSDPM_STEP_POWER_STATE:
		snprintf(text, 16, "PS%u", drive->power & 31);
		return text;
	case SSDPM_STEP_NVME_CORE:
		return now->parameters[2];
	default:
		assert_int_equal(step->kind, SSDPM_STEP_LPM);
		return now->ports[1].policy;
	}
}

static bool is_gone(const struct ssdpm_step *step)
{
	return kernel->is_removed && !strcmp(step->device, other_drive);
}

/* Whether a step's state agrees with the machine. */
static bool is_true(const struct ssdpm_step *step)
{
	char text[16];
	const char *value = value_now(step, text);

	if (is_gone(step))
		return step->state == SSDPM_STEP_PLANNED ||
		       strstr(step->why, "removed");
	switch (step->state) {
	case SSDPM_STEP_PLANNED:
	case SSDPM_STEP_UNDONE:
	case SSDPM_STEP_FAILED:
		return !strcmp(value, step->before);
	case SSDPM_STEP_DONE:
		return !strcmp(value, step->after);
	default:
		return step->state == SSDPM_STEP_DIFFERS &&
		       strcmp(value, step->before) &&
		       strcmp(value, step->after);
	}
}

static void assert_steps_are_true(const struct ssdpm_plan *plan, int n)
{
	for (size_t i = 0; i < ssdpm_plan_count(plan, SSDPM_STEPS_ALL); i++) {
		struct ssdpm_step step = kernel_step(plan, i);
		char text[16];

		if (!is_true(&step))
			fail_msg("call %d: %s: %s -> %s is %s, and it has %s: "
				 "%s",
				 n, step.device, step.before, step.after,
				 ssdpm_step_state_to_string(step.state),
				 value_now(&step, text), step.why);
	}
}

/* All values are old, except on the removed drive. */
static void assert_nothing_is_changed(const struct kernel_values *before)
{
	struct kernel_values now = kernel->now;

	now.drives[KERNEL_REMOVED] = before->drives[KERNEL_REMOVED];
	assert_true(kernel_same(&now, before));
	assert_null(kernel_text("run/ssdpm/journal"));
}

/* The drive went after the commit; verify reports that. */
static void assert_verify_names_it(struct ssdpm_plan *plan,
				   const struct removal *removal, int n)
{
	struct ssdpm_error error;

	kernel_assert_fails(ssdpm_plan_verify(plan, 0, &error), &error, -ENODEV,
			    removal->words);
	for (size_t i = 0; i < ssdpm_plan_count(plan, SSDPM_STEPS_ALL); i++) {
		struct ssdpm_step step = kernel_step(plan, i);

		/* A power state requires a command, which was not allowed. */
		if (step.kind != SSDPM_STEP_POWER_STATE && is_gone(&step))
			assert_int_equal(step.state, SSDPM_STEP_DIFFERS);
		else if (step.state != SSDPM_STEP_DONE)
			fail_msg("call %d: %s is %s", n, step.device,
				 ssdpm_step_state_to_string(step.state));
	}
}

/* Return: whether there was such a call. */
static bool remove_at(int n, const struct removal *removal, int *n_failed)
{
	const struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = new_plan();
	struct ssdpm_error error;
	bool removed;
	int err;

	kernel->mask = KERNEL_CHANGES | KERNEL_READ;
	kernel->remove_at = n;
	kernel->going = removal->state;
	err = ssdpm_plan_commit(plan, &error);
	kernel_calm();
	removed = kernel->is_removed;
	if (err) {
		if (strcmp(error.message, removal->words))
			fail_msg("call %d: %s", n, error.message);
		assert_int_equal(err, -ENODEV);
		assert_nothing_is_changed(&before);
		assert_steps_are_true(plan, n);
		*n_failed += 1;
	} else if (removed) {
		assert_verify_names_it(plan, removal, n);
	}
	ssdpm_plan_free(plan);
	kernel_reset();
	return removed;
}

static void a_drive_that_is_removed_at_any_call_is_named(void **state)
{
	int stride = fixture_stride();

	(void)state;
	for (size_t i = 0; i < sizeof(removals) / sizeof(removals[0]); i++) {
		int n_tried = 0, n_failed = 0;

		while (remove_at(1 + stride * n_tried, &removals[i], &n_failed))
			n_tried++;
		/* Before the commit, and after it. */
		assert_true(n_failed > 20 / stride && n_tried > n_failed);
	}
}

/*
 * From some write on, all fail, so nothing can be restored and the plan reports
 * that.
 */
static void steps_that_cannot_be_put_back_say_what_is_so(void **state)
{
	bool failed = true;

	(void)state;
	for (int n = 1; failed; n++) {
		struct ssdpm_plan *plan = new_plan();

		kernel->mask = KERNEL_WRITE;
		kernel->error = EIO;
		kernel->for_ever = true;
		kernel->fail_at = n;
		failed = ssdpm_plan_commit(plan, NULL);
		kernel_calm();
		assert_steps_are_true(plan, n);
		/* The same plan may be tried again, and then does it all. */
		if (failed)
			kernel_commit(plan);
		assert_int_equal(ssdpm_plan_verify(plan, 0, NULL), 0);
		assert_string_equal(kernel->now.parameters[2], "500");
		assert_string_equal(kernel->now.drives[0].tolerance, "5000");
		assert_string_equal(kernel->now.ports[1].applied, "min_power");
		ssdpm_plan_free(plan);
		kernel_reset();
	}
}

/* A revert after a commit, while one call fails, or all from it on. */
static bool fail_revert(int call, int n, bool for_ever, bool locked)
{
	const struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = locked ? new_locked_plan() : new_plan();
	struct ssdpm_error error;
	bool failed;
	int err;

	kernel_commit(plan);
	kernel->n_calls = 0;
	kernel->mask = call;
	kernel->error = EIO;
	kernel->for_ever = for_ever;
	kernel->fail_at = n;
	err = ssdpm_plan_revert(plan, &error);
	failed = kernel->n_calls >= n;
	kernel_calm();
	if (err)
		assert_int_equal(error.code, err);
	assert_steps_are_true(plan, n);
	/* The same plan may be tried again, and then does it all. */
	if (err)
		assert_int_equal(ssdpm_plan_revert(plan, NULL), 0);
	assert_true(kernel_same(&kernel->now, &before));
	assert_steps_are_true(plan, n);
	ssdpm_plan_free(plan);
	kernel_reset();
	return failed;
}

static void after_a_revert_that_failed_steps_say_what_is_so(void **state)
{
	static const int calls[] = { KERNEL_WRITE, KERNEL_LOG, KERNEL_NAME,
				     KERNEL_CHANGES };

	(void)state;
	for (size_t c = 0; c < sizeof(calls) / sizeof(calls[0]); c++)
		for (int how = 0; how < 4; how++) {
			int n = 1;

			while (fail_revert(calls[c], n, how & 1, how & 2))
				n += fixture_stride();
			assert_true(n > 3);
		}
}

static bool remove_in_revert(int n, int *n_failed)
{
	struct ssdpm_plan *plan = new_plan();
	struct ssdpm_error error;
	bool removed;
	int err;

	kernel_commit(plan);
	kernel->n_calls = 0;
	kernel->mask = KERNEL_CHANGES | KERNEL_READ;
	kernel->remove_at = n;
	kernel->going = NULL;
	err = ssdpm_plan_revert(plan, &error);
	kernel_calm();
	removed = kernel->is_removed;
	if (err)
		kernel_assert_fails(err, &error, -ENODEV, removals[0].words);
	*n_failed += err != 0;
	if (err)
		assert_steps_are_true(plan, n);
	ssdpm_plan_free(plan);
	kernel_reset();
	return removed;
}

static void a_drive_that_is_removed_during_a_revert_is_named(void **state)
{
	int n = 1, n_failed = 0;

	(void)state;
	/* A drive that returns gets a copy of the machine. */
	while (remove_in_revert(n, &n_failed))
		n += 7;
	assert_true(n_failed > 5);
}

/* Each device has its own transaction. */

static const char *const each_devices[] = { "all", "nvme0", "nvme1", "nvme2",
					    "sdb" };
enum { N_EACH = 5 };

/* Whether the machine has the values of a device's steps before, or after. */
static bool device_is(const struct ssdpm_plan *plan, const char *device,
		      bool after)
{
	for (size_t i = 0; i < ssdpm_plan_count(plan, SSDPM_STEPS_ALL); i++) {
		struct ssdpm_step step = kernel_step(plan, i);
		char text[16];

		if (!strcmp(step.device, device) &&
		    strcmp(value_now(&step, text),
			   after ? step.after : step.before))
			return false;
	}
	return true;
}

static struct ssdpm_plan *new_plan_of_each(void)
{
	struct ssdpm_plan *plan = fill_plan(kernel_plan_of(0));

	kernel_read(plan);
	return plan;
}

/* Return whether there was such a call. */
static bool fail_one_call(int call, int n, int *n_partly)
{
	struct ssdpm_plan *plan = new_plan_of_each();
	int n_failed = 0;
	bool failed;
	int err;

	kernel->n_calls = 0;
	kernel->mask = call;
	kernel->error = EIO;
	kernel->fail_at = n;
	err = ssdpm_plan_commit(plan, NULL);
	failed = kernel->n_calls >= n;
	kernel_calm();
	assert_steps_are_true(plan, n);
	for (size_t i = 0; i < N_EACH; i++) {
		const char *device = each_devices[i];
		const bool is_failed = ssdpm_plan_has_failed(plan, device);

		n_failed += is_failed;
		if (!device_is(plan, device, !is_failed))
			fail_msg("call %d: %s is neither old nor new", n,
				 device);
	}
	/* Before the first of them, no step is done, and none has failed. */
	if (n_failed)
		assert_true(err && n_failed == 1);
	*n_partly += n_failed;
	assert_int_equal(ssdpm_plan_has_failed(plan, NULL), n_failed);
	ssdpm_plan_free(plan);
	kernel_reset();
	return failed;
}

static void where_one_device_fails_all_others_are_done(void **state)
{
	static const int calls[] = { KERNEL_WRITE, KERNEL_LOG, KERNEL_NAME };

	(void)state;
	for (size_t c = 0; c < sizeof(calls) / sizeof(calls[0]); c++) {
		int n = 1, n_partly = 0;

		while (fail_one_call(calls[c], n, &n_partly))
			n++;
		assert_true(n_partly > 3);
	}
}

static bool remove_from_each(int n, int *n_failed)
{
	struct ssdpm_plan *plan = new_plan_of_each();
	struct ssdpm_error error;
	bool removed;
	int err;

	kernel->n_calls = 0;
	kernel->mask = KERNEL_CHANGES | KERNEL_READ;
	kernel->remove_at = n;
	kernel->going = NULL;
	err = ssdpm_plan_commit(plan, &error);
	kernel_calm();
	removed = kernel->is_removed;
	for (size_t i = 0; i < N_EACH; i++)
		if (strcmp(each_devices[i], other_drive) != 0 &&
		    !device_is(plan, each_devices[i], true))
			fail_msg("call %d: %s is not done", n, each_devices[i]);
	assert_int_equal(err != 0, ssdpm_plan_has_failed(plan, other_drive));
	if (err)
		kernel_assert_fails(err, &error, -ENODEV, removals[0].words);
	if (err)
		assert_steps_are_true(plan, n);
	assert_null(kernel_text("run/ssdpm/journal"));
	*n_failed += err != 0;
	ssdpm_plan_free(plan);
	kernel_reset();
	return removed;
}

static void a_drive_that_is_removed_at_any_call_stops_no_other(void **state)
{
	int n = 1, n_failed = 0;

	(void)state;
	while (remove_from_each(n, &n_failed))
		n += fixture_stride();
	assert_true(n_failed > 20 / fixture_stride());
}

static int commit_each(void *data)
{
	struct ssdpm_plan *plan = fill_plan(kernel_plan_of(0));

	(void)data;
	return ssdpm_plan_commit(plan, NULL) ? 3 : 0;
}

static void after_a_kill_each_device_is_old_or_new(void **state)
{
	int n, n_mixed = 0;

	(void)state;
	for (n = 1;; n += fixture_stride()) {
		struct ssdpm_plan *plan = new_plan_of_each();
		bool killed = kernel_run_and_kill(n, commit_each, NULL) < 0;
		int n_new = 0;

		assert_int_equal(kernel_recover(kernel_machine, NULL, NULL), 0);
		for (size_t i = 0; i < N_EACH; i++) {
			bool is_new = device_is(plan, each_devices[i], true);

			n_new += is_new;
			if (!is_new && !device_is(plan, each_devices[i], false))
				fail_msg("call %d: %s is neither old nor new",
					 n, each_devices[i]);
		}
		n_mixed += n_new % N_EACH != 0;
		ssdpm_plan_free(plan);
		kernel_reset();
		if (!killed)
			break;
	}
	assert_true(n_mixed > 3);
}

/* The steps done can be reverted; the failed ones are left alone. */
static void a_commit_that_is_partly_done_can_be_reverted(void **state)
{
	const struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = new_plan_of_each();

	(void)state;
	kernel->power_status = 0x4002; /* of nvme0, the first that is asked */
	assert_int_not_equal(ssdpm_plan_commit(plan, NULL), 0);
	kernel->power_status = 0;
	assert_true(ssdpm_plan_has_failed(plan, "nvme0"));
	assert_true(device_is(plan, "sdb", true));
	assert_int_equal(ssdpm_plan_commit(plan, NULL), -EALREADY);
	assert_int_equal(ssdpm_plan_revert(plan, NULL), 0);
	assert_true(kernel_same(&kernel->now, &before));
	ssdpm_plan_free(plan);
}

/* Nothing is done, so the same plan may be tried again. */
static void a_commit_that_has_written_nothing_can_be_tried_again(void **state)
{
	struct ssdpm_plan *plan = kernel_plan_of(0);

	(void)state;
	kernel_set_tolerance(1, "5000");
	assert_int_equal(add_tolerance(plan, "nvme0"), 0);
	assert_int_equal(add_tolerance(plan, other_drive), 0);
	kernel_read(plan);
	assert_int_equal(kernel_step(plan, 1).state, SSDPM_STEP_IN_FORCE);
	kernel->mask = KERNEL_WRITE;
	kernel->error = EIO;
	kernel->fail_at = 1;
	assert_int_equal(ssdpm_plan_commit(plan, NULL), -EIO);
	kernel_calm();
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_WRITTEN), 0);
	kernel_commit(plan);
	assert_string_equal(kernel->now.drives[0].tolerance, "5000");
	ssdpm_plan_free(plan);
}

/* Another process: it has the files, but not the plan. */
static struct ssdpm_machine *new_machine(void)
{
	const struct ssdpm_machine_params params = { .size = sizeof(params),
						     .root = kernel_root() };
	struct ssdpm_machine *machine;

	assert_int_equal(ssdpm_machine_new(&params, &machine, NULL), 0);
	machine->capture = 0;
	return machine;
}

/*
 * From the n-th write on, all fail, and leave values that are neither old nor
 * new.
 */
static int fail_oddly(struct ssdpm_plan *plan, int n)
{
	int err;

	kernel->n_calls = 0;
	kernel->mask = KERNEL_WRITE;
	kernel->error = EIO;
	kernel->for_ever = true;
	kernel->fail_at = n;
	kernel->leaves = "777";
	err = ssdpm_plan_commit(plan, NULL);
	kernel_calm();
	kernel->leaves = NULL;
	return err;
}

static void what_failed_writes_have_left_is_undone_by_another_process(
	void **state)
{
	const struct kernel_values before = kernel->now;
	int n_odd = 0;
	bool failed = true;

	(void)state;
	for (int n = 1; failed; n++) {
		struct ssdpm_machine *machine = new_machine();
		struct ssdpm_plan *plan = new_plan();

		failed = fail_oddly(plan, n);
		ssdpm_plan_free(plan);
		n_odd += !strcmp(kernel->now.drives[0].tolerance, "777");
		assert_int_equal(kernel_recover(machine, NULL, NULL), 0);
		if (failed && !kernel_same(&kernel->now, &before))
			fail_msg("write %d: it is not as it was", n);
		ssdpm_machine_unref(machine);
		kernel_reset();
	}
	assert_true(n_odd > 1);
}

static struct ssdpm_plan *new_plan_of_a_drive(void)
{
	struct ssdpm_plan *plan = kernel_plan_of(0);

	assert_int_equal(add_tolerance(plan, "nvme0"), 0);
	return plan;
}

static void revert_all(struct ssdpm_machine *machine)
{
	struct ssdpm_plan *plan;

	assert_int_equal(ssdpm_plan_new(machine, NULL, &plan, NULL), 0);
	assert_int_equal(ssdpm_plan_lock(plan, NULL), 0);
	assert_int_equal(ssdpm_plan_add_revert(plan, NULL), 0);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
}

static void of_a_journal_that_is_set_aside_too(void **state)
{
	struct ssdpm_plan *plan = new_plan_of_a_drive();
	struct ssdpm_machine *machine = new_machine();

	(void)state;
	assert_int_equal(fail_oddly(plan, 1), -EIO);
	ssdpm_plan_free(plan);
	assert_string_equal(kernel->now.drives[0].tolerance, "777");
	revert_all(machine);
	assert_string_equal(kernel->now.drives[0].tolerance, "100000");
	ssdpm_machine_unref(machine);
}

static void what_somebody_has_written_since_stays(void **state)
{
	struct ssdpm_plan *plan = new_plan_of_a_drive();
	struct ssdpm_machine *machine = new_machine();

	(void)state;
	assert_int_equal(fail_oddly(plan, 1), -EIO);
	ssdpm_plan_free(plan);
	kernel_set_tolerance(0, "778");
	revert_all(machine);
	assert_string_equal(kernel->now.drives[0].tolerance, "778");
	ssdpm_machine_unref(machine);
}

/* However often it is tried, it is noted only once. */
static void a_way_back_that_fails_again_does_not_fill_the_disk(void **state)
{
	struct ssdpm_plan *plan = new_plan_of_a_drive();
	char *first = NULL, *text;

	(void)state;
	assert_int_equal(fail_oddly(plan, 1), -EIO);
	ssdpm_plan_free(plan);
	for (int i = 0; i < 3; i++) {
		kernel->mask = KERNEL_WRITE;
		kernel->for_ever = true;
		kernel->fail_at = 1;
		assert_int_equal(kernel_recover(kernel_machine, NULL, NULL),
				 -EIO);
		kernel_calm();
		text = kernel_text("run/ssdpm/journal-nvme0");
		assert_non_null(text);
		assert_non_null(strstr(text, "left 0 777\n"));
		if (first)
			assert_string_equal(text, first);
		free(first);
		first = text;
	}
	free(first);
	assert_int_equal(kernel_recover(kernel_machine, NULL, NULL), 0);
	assert_string_equal(kernel->now.drives[0].tolerance, "100000");
}

/* Two kinds of steps of one disk: that of its port, and that of its queue. */
static struct ssdpm_plan *new_plan_of_a_disk(void)
{
	const uint32_t lpm = SSDPM_LPM_MIN_POWER;
	struct ssdpm_plan *plan = kernel_plan_of(0);
	struct ssdpm_device *disk = kernel_device("sda");

	assert_int_equal(ssdpm_plan_add_value(plan, disk,
					      SSDPM_STEP_QUEUE_DEPTH, 8, NULL),
			 0);
	assert_int_equal(add_lpms(plan, disk, NULL, &lpm, 1, 0, NULL), 0);
	ssdpm_device_unref(disk);
	return plan;
}

static int commit_disk(void *data)
{
	struct ssdpm_plan *plan = new_plan_of_a_disk();
	int err = ssdpm_plan_commit(plan, NULL);

	(void)data;
	ssdpm_plan_free(plan);
	return err;
}

/* Its first write, which puts the queue of sda back, fails. */
static int commit_while_the_queue_stays(struct ssdpm_plan *plan)
{
	int err;

	kernel->n_calls = 0;
	kernel->mask = KERNEL_WRITE;
	kernel->error = EIO;
	kernel->fail_at = 1;
	err = ssdpm_plan_commit(plan, NULL);
	kernel_calm();
	ssdpm_plan_free(plan);
	return err;
}

/* And "journal-sda" is there until the disk is as it was. */
static void assert_in_nobodys_way(void)
{
	const uint32_t lpm = SSDPM_LPM_MIN_POWER;
	struct ssdpm_plan *plan = kernel_plan_of(0);
	struct ssdpm_device *other = kernel_device("sdb");

	assert_string_equal(kernel->now.ports[0].depth, "8");
	assert_int_equal(add_lpms(plan, other, NULL, &lpm, 1, 0, NULL), 0);
	ssdpm_device_unref(other);
	assert_int_equal(commit_while_the_queue_stays(plan), 0);
	assert_string_equal(kernel->now.ports[1].applied, "min_power");
	assert_null(kernel_text("run/ssdpm/journal"));
	assert_int_equal(commit_while_the_queue_stays(new_plan_of_a_disk()),
			 -EIO);
	assert_string_equal(kernel->now.ports[0].depth, "8");
	assert_int_equal(kernel_recover(kernel_machine, NULL, NULL), 0);
	assert_string_equal(kernel->now.ports[0].depth, "32");
	assert_null(kernel_text("run/ssdpm/journal-sda"));
}

static void a_disk_with_its_port_is_in_no_other_devices_way(void **state)
{
	(void)state;
	kernel->mask = KERNEL_WRITE;
	kernel->error = EIO;
	kernel->for_ever = true;
	kernel->fail_at = 2;
	assert_int_equal(commit_disk(NULL), -EIO);
	kernel_calm();
	assert_null(kernel_text("run/ssdpm/journal"));
	assert_in_nobodys_way();
}

static void assert_names_what_cannot_be_undone(void)
{
	struct ssdpm_plan *plan = new_plan_of_a_disk();
	struct ssdpm_error error;

	kernel->mask = KERNEL_WRITE;
	kernel->error = EIO;
	kernel->for_ever = true;
	kernel->fail_at = 3;
	assert_int_equal(ssdpm_plan_commit(plan, &error), -EIO);
	kernel_calm();
	assert_string_equal(
		error.message,
		"sda: cannot write min_power to link_power_management_policy: "
		"input/output error; and to undo it failed: sda: cannot write "
		"max_performance to link_power_management_policy: "
		"input/output error");
	ssdpm_plan_free(plan);
}

/* However long the paths are. */
static void what_cannot_be_undone_is_named_with_its_cause(void **state)
{
	(void)state;
	assert_names_what_cannot_be_undone();
}

static void a_root_with_blanks_is_no_part_of_what_cannot_be_undone(void **state)
{
	char blanks[] = "/media/a b/my /sys/ root";
	char *root = kernel_machine->root;

	(void)state;
	/* It is in messages alone: a descriptor is what files are opened below.
	 */
	kernel_machine->root = blanks;
	assert_names_what_cannot_be_undone();
	kernel_machine->root = root;
}

static void after_a_kill_a_disk_with_its_port_is_in_nobodys_way(void **state)
{
	(void)state;
	for (int n = 1; strcmp(kernel->now.ports[0].depth, "8") != 0; n++) {
		kernel_reset();
		assert_true(kernel_run_and_kill(n, commit_disk, NULL) < 0);
	}
	assert_in_nobodys_way();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			a_drive_that_is_removed_at_any_call_is_named,
			kernel_between),
		cmocka_unit_test_teardown(
			steps_that_cannot_be_put_back_say_what_is_so,
			kernel_between),
		cmocka_unit_test_teardown(
			after_a_revert_that_failed_steps_say_what_is_so,
			kernel_between),
		cmocka_unit_test_teardown(
			a_drive_that_is_removed_during_a_revert_is_named,
			kernel_between),
		cmocka_unit_test_teardown(
			where_one_device_fails_all_others_are_done,
			kernel_between),
		cmocka_unit_test_teardown(
			a_drive_that_is_removed_at_any_call_stops_no_other,
			kernel_between),
		cmocka_unit_test_teardown(
			after_a_kill_each_device_is_old_or_new, kernel_between),
		cmocka_unit_test_teardown(
			a_commit_that_is_partly_done_can_be_reverted,
			kernel_between),
		cmocka_unit_test_teardown(
			a_commit_that_has_written_nothing_can_be_tried_again,
			kernel_between),
		cmocka_unit_test_teardown(
			what_failed_writes_have_left_is_undone_by_another_process,
			kernel_between),
		cmocka_unit_test_teardown(of_a_journal_that_is_set_aside_too,
					  kernel_between),
		cmocka_unit_test_teardown(what_somebody_has_written_since_stays,
					  kernel_between),
		cmocka_unit_test_teardown(
			a_way_back_that_fails_again_does_not_fill_the_disk,
			kernel_between),
		cmocka_unit_test_teardown(
			a_disk_with_its_port_is_in_no_other_devices_way,
			kernel_between),
		cmocka_unit_test_teardown(
			what_cannot_be_undone_is_named_with_its_cause,
			kernel_between),
		cmocka_unit_test_teardown(
			a_root_with_blanks_is_no_part_of_what_cannot_be_undone,
			kernel_between),
		cmocka_unit_test_teardown(
			after_a_kill_a_disk_with_its_port_is_in_nobodys_way,
			kernel_between),
	};

	return cmocka_run_group_tests(tests, kernel_setup, kernel_teardown);
}
