/* SPDX-License-Identifier: MIT */
/*
 * A commit that fails in its middle, since a drive is removed or since a value
 * cannot be written any more: what it returns, its words and the states of its
 * steps agree with the values on the machine.
 */
#include "calls.h"
#include "kernel.h"

#include <stdio.h>

static const char other_drive[] = "nvme1";

/* How Linux removes it, and what is said of it then. */
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

/* What the machine has for a step. */
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

/* Does a step say what is so? */
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
	for (size_t i = 0; i < ssdpm_plan_get_n_steps(plan); i++) {
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

/* All is as it was, but the drive that is not there. */
static void assert_nothing_is_changed(const struct kernel_values *before)
{
	struct kernel_values now = kernel->now;

	now.drives[KERNEL_REMOVED] = before->drives[KERNEL_REMOVED];
	assert_true(kernel_same(&now, before));
	assert_null(kernel_text("run/ssdpm/journal"));
}

/* It was committed, and the drive went then: who looks again learns it. */
static void assert_verify_names_it(struct ssdpm_plan *plan,
				   const struct removal *removal, int n)
{
	struct ssdpm_error error;

	kernel_assert_fails(ssdpm_plan_verify(plan, 0, &error), &error, -ENODEV,
			    removal->words);
	for (size_t i = 0; i < ssdpm_plan_get_n_steps(plan); i++) {
		struct ssdpm_step step = kernel_step(plan, i);

		/* A power state takes a command, which was not allowed. */
		if (step.kind != SSDPM_STEP_POWER_STATE && is_gone(&step))
			assert_int_equal(step.state, SSDPM_STEP_DIFFERS);
		else if (step.state != SSDPM_STEP_DONE)
			fail_msg("call %d: %s is %s", n, step.device,
				 ssdpm_step_state_to_string(step.state));
	}
}

/* Return whether there was such a call. */
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
		/* Before it is committed, and after that. */
		assert_true(n_failed > 20 / stride && n_tried > n_failed);
	}
}

/* From a write on none works: nothing can be put back, and that is so. */
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

/* Committed, and then reverted while a call fails: all from it on, or one. */
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
	/* A drive that is put in again takes a copy of the machine. */
	while (remove_in_revert(n, &n_failed))
		n += 7;
	assert_true(n_failed > 5);
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
	};

	return cmocka_run_group_tests(tests, kernel_setup, kernel_teardown);
}
