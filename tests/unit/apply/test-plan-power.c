/* SPDX-License-Identifier: MIT */
/* Power states and NOPPME: shown, set, checked and reverted. */
#include "calls.h"
#include "kernel.h"

#include "apply/internal.h"

#include <stdio.h>
#include <unistd.h>

static struct ssdpm_device *device;

static int boot(void **state)
{
	kernel_setup(state);
	device = kernel_device("nvme0");
	return 0;
}

static int halt(void **state)
{
	device = ssdpm_device_unref(device);
	return kernel_teardown(state);
}

static struct ssdpm_plan *plan_state(uint32_t power_state, uint32_t hint)
{
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_error error;

	if (ssdpm_plan_add_power_state(plan, device, kernel_model(0),
				       power_state, hint, &error))
		fail_msg("%s", error.message);
	kernel_read(plan);
	return plan;
}

static struct ssdpm_plan *plan_nopp(uint32_t enabled)
{
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_error error;

	if (ssdpm_plan_add_value(plan, device, SSDPM_STEP_NOPP, enabled,
				 &error))
		fail_msg("%s", error.message);
	kernel_read(plan);
	return plan;
}

static void assert_step(const struct ssdpm_plan *plan, uint32_t state,
			const char *before, const char *after)
{
	const struct ssdpm_step step = kernel_step(plan, 0);

	assert_int_equal(step.state, state);
	assert_string_equal(step.before, before);
	assert_string_equal(step.after, after);
}

static void a_power_state_is_set_checked_and_taken_back(void **state)
{
	struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan;
	struct ssdpm_step step;

	(void)state;
	plan = plan_state(2, 1);
	step = kernel_step(plan, 0);
	assert_int_equal(step.kind, SSDPM_STEP_POWER_STATE);
	assert_int_equal(step.flags,
			 SSDPM_STEP_REVERSIBLE | SSDPM_STEP_UNTIL_RESET);
	assert_string_equal(step.device, "nvme0");
	assert_string_equal(step.target, "Set Features 02h");
	assert_int_equal(step.before_value->power_state, 0);
	assert_int_equal(step.after_value->power_state, 2);
	assert_int_equal(step.after_value->workload_hint, 1);
	assert_string_equal(step.why, "at most 1.90 W, until the next reset");
	assert_step(plan, SSDPM_STEP_PLANNED, "PS0", "PS2 hint 1");
	assert_int_equal(kernel->n_writes, 0);
	kernel_commit(plan);
	assert_int_equal(kernel->now.drives[0].power, 1 << 5 | 2);
	assert_step(plan, SSDPM_STEP_DONE, "PS0", "PS2 hint 1");
	assert_int_equal(ssdpm_plan_verify(plan, SSDPM_READ_COMMANDS, NULL), 0);
	assert_int_equal(ssdpm_plan_revert(plan, NULL), 0);
	assert_true(kernel_same(&kernel->now, &before));
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_UNDONE);
	ssdpm_plan_free(plan);
}

static void a_power_that_nobody_knows_is_not_promised(void **state)
{
	const struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_NVME,
		.unknown = SSDPM_INFO_VENDOR_ID | SSDPM_INFO_PRODUCT |
			   SSDPM_INFO_FIRMWARE,
	};
	const struct ssdpm_power_state states[] = {
		{ .unknown = SSDPM_FIELD_MAX_POWER },
		{ .not_reported = SSDPM_FIELD_MAX_POWER },
	};
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_model *model;

	(void)state;
	assert_int_equal(ssdpm_model_new(&info, states, 2, &model, NULL), 0);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(ssdpm_plan_add_power_state(
					 plan, device, model, i,
					 SSDPM_WORKLOAD_HINT_KEEP, NULL),
				 0);
		assert_string_equal(kernel_step(plan, 0).why,
				    "until the next reset");
	}
	ssdpm_model_unref(model);
	ssdpm_plan_free(plan);
}

/* In any order of adding: drives may share a limit of power. */
static void a_drive_that_takes_less_comes_before_one_that_takes_more(
	void **state)
{
	struct ssdpm_device *other = kernel_device("nvme1");

	(void)state;
	kernel->now.drives[0].power = 2;
	kernel->now.drives[1].power = 0;
	for (int i = 0; i < 2; i++) {
		struct ssdpm_plan *plan = kernel_plan();

		for (int j = 0; j < 2; j++) {
			const bool raises = i == j;

			assert_int_equal(
				ssdpm_plan_add_power_state(
					plan, raises ? device : other,
					kernel_model(!raises), raises ? 1 : 2,
					SSDPM_WORKLOAD_HINT_KEEP, NULL),
				0);
		}
		kernel_read(plan);
		assert_string_equal(kernel_step(plan, 0).device, "nvme1");
		assert_string_equal(kernel_step(plan, 1).device, "nvme0");
		ssdpm_plan_free(plan);
	}
	ssdpm_device_unref(other);
}

static void what_is_so_already_is_not_written(void **state)
{
	struct ssdpm_plan *plan;

	(void)state;
	kernel->now.drives[0].power = 2 << 5 | 1;
	plan = plan_state(1, 2);
	assert_step(plan, SSDPM_STEP_IN_FORCE, "PS1 hint 2", "PS1 hint 2");
	kernel_commit(plan);
	assert_int_equal(kernel->n_writes, 0);
	ssdpm_plan_free(plan);
	plan = plan_nopp(0);
	assert_step(plan, SSDPM_STEP_IN_FORCE, "off", "off");
	ssdpm_plan_free(plan);
}

static void a_hint_is_kept_and_so_are_the_bits_beside_it(void **state)
{
	struct ssdpm_plan *plan;

	(void)state;
	kernel->now.drives[0].power = 0x00640000 | 3 << 5;
	plan = plan_state(1, SSDPM_WORKLOAD_HINT_KEEP);
	assert_step(plan, SSDPM_STEP_PLANNED, "PS0 hint 3", "PS1 hint 3");
	kernel_commit(plan);
	assert_int_equal(kernel->now.drives[0].power, 0x00640000 | 3 << 5 | 1);
	ssdpm_plan_free(plan);
	plan = plan_state(1, 0);
	kernel_commit(plan);
	assert_int_equal(kernel->now.drives[0].power, 0x00640001);
	ssdpm_plan_free(plan);
}

static void background_work_is_allowed_and_forbidden(void **state)
{
	struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = plan_nopp(1);

	(void)state;
	assert_int_equal(kernel_step(plan, 0).kind, SSDPM_STEP_NOPP);
	assert_string_equal(kernel_step(plan, 0).target, "Set Features 11h");
	assert_step(plan, SSDPM_STEP_PLANNED, "off", "on");
	kernel_commit(plan);
	assert_int_equal(kernel->now.drives[0].nopp, 1);
	ssdpm_plan_free(plan);
	plan = kernel_plan_revert();
	assert_step(plan, SSDPM_STEP_PLANNED, "on", "off");
	kernel_commit(plan);
	assert_true(kernel_same(&kernel->now, &before));
	ssdpm_plan_free(plan);
}

static void states_that_nobody_can_keep_are_refused(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_error error;
	struct ssdpm_device *disk = kernel_device("sdb");

	(void)state;
	kernel_assert_fails(
		ssdpm_plan_add_power_state(plan, device, kernel_model(0), 5, 0,
					   &error),
		&error, -EINVAL, "has no PS5: its states are PS0 to PS4");
	kernel_assert_fails(ssdpm_plan_add_power_state(plan, device,
						       kernel_model(0), 3, 0,
						       &error),
			    &error, -EINVAL, "PS3 is non-operational");
	kernel_assert_fails(ssdpm_plan_add_power_state(plan, device,
						       kernel_model(0), 1, 8,
						       &error),
			    &error, -EINVAL, "no workload hint 8");
	kernel_assert_fails(
		ssdpm_plan_add_power_state(plan, device, NULL, 1, 0, &error),
		&error, -EINVAL, "its model, which is not known");
	kernel_assert_fails(ssdpm_plan_add_power_state(
				    plan, disk, kernel_model(0), 1, 0, &error),
			    &error, -EOPNOTSUPP, "sdb is no NVMe controller");
	kernel_assert_fails(
		ssdpm_plan_add_value(plan, disk, SSDPM_STEP_NOPP, 1, &error),
		&error, -EOPNOTSUPP, "sdb is no NVMe controller");
	kernel_assert_fails(
		ssdpm_plan_add_value(plan, device, SSDPM_STEP_NOPP, 2, &error),
		&error, -EINVAL, "0 or 1, and not 2");
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 0);
	ssdpm_device_unref(disk);
	ssdpm_plan_free(plan);
}

static void a_drive_without_the_mode_is_left_alone(void **state)
{
	struct ssdpm_plan *plan;
	struct ssdpm_step step;

	(void)state;
	kernel->no_nopp = true;
	plan = plan_nopp(1);
	step = kernel_step(plan, 0);
	assert_int_equal(step.state, SSDPM_STEP_LEFT_ALONE);
	assert_int_equal(step.flags, 0);
	assert_string_equal(step.why,
			    "nvme0 has no permissive mode for non-operational "
			    "states (CTRATT bit 1)");
	assert_null(step.before_value);
	assert_null(step.after_value);
	kernel_commit(plan);
	assert_int_equal(kernel->n_writes, 0);
	ssdpm_plan_free(plan);
}

/* All kinds of steps, for a sleeping drive and a port. */
static void add_all_kinds(struct ssdpm_plan *plan, struct ssdpm_device *disk)
{
	static const uint32_t lpm = SSDPM_LPM_MIN_POWER;
	const struct ssdpm_profile_settings settings = {
		.size = sizeof(settings),
		.set = SSDPM_PROFILE_MAX_EXIT_LATENCY,
	};
	const struct ssdpm_apst off = { .sent = 1 };
	struct ssdpm_model *model = kernel_model(0);
	int err;

	err = ssdpm_plan_add_power_state(plan, device, model, 1,
					 SSDPM_WORKLOAD_HINT_KEEP, NULL);
	if (!err)
		err = ssdpm_plan_add_value(plan, device, SSDPM_STEP_NOPP, 1,
					   NULL);
	if (!err)
		err = ssdpm_plan_add_apst(plan, device, model, &off, NULL);
	if (!err)
		err = ssdpm_plan_add_profile(plan, device, model, &settings,
					     NULL);
	if (!err)
		err = ssdpm_plan_add_nvme_core(
			plan, SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS, 500,
			NULL);
	if (!err)
		err = add_lpms(plan, disk, NULL, &lpm, 1, 0, NULL);
	assert_int_equal(err, 0);
}

static struct ssdpm_step find_step(const struct ssdpm_plan *plan, uint32_t kind)
{
	struct ssdpm_step step;
	size_t i = 0;

	do
		step = kernel_step(plan, i++);
	while (step.kind != kind);
	return step;
}

/* A plan shows what it would set before it sends any command. */
static void to_add_a_step_asks_no_drive(void **state)
{
	struct ssdpm_device *disk = kernel_device("sdb");
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_step step;

	(void)state;
	kernel->now.drives[0].power = 3 << 5;
	kernel->now.drives[0].asleep = true;
	kernel->mask = KERNEL_READ;
	kernel->n_calls = 0;
	add_all_kinds(plan, disk);
	assert_int_equal(kernel->n_calls, 0);
	assert_true(kernel->now.drives[0].asleep);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 6);
	step = find_step(plan, SSDPM_STEP_POWER_STATE);
	assert_string_equal(step.before, "");
	assert_string_equal(step.after, "PS1");
	assert_null(step.before_value);
	assert_int_equal(step.after_value->workload_hint,
			 SSDPM_WORKLOAD_HINT_KEEP);
	assert_null(find_step(plan, SSDPM_STEP_APST).before_value);
	kernel_read(plan);
	assert_true(kernel->n_calls > 0);
	/* The other controllers. */
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 8);
	find_step(plan, SSDPM_STEP_REBUILD);
	step = find_step(plan, SSDPM_STEP_POWER_STATE);
	assert_string_equal(step.before, "PS0 hint 3");
	assert_int_equal(step.after_value->workload_hint, 3);
	step = find_step(plan, SSDPM_STEP_APST);
	assert_memory_equal(&step.before_value->table,
			    &kernel->now.drives[0].table,
			    sizeof(step.before_value->table));
	assert_int_equal(step.after_value->table.enabled, 0);
	kernel->n_calls = 0;
	kernel_read(plan);
	assert_int_equal(kernel->n_calls, 0);
	ssdpm_plan_free(plan);
	ssdpm_device_unref(disk);
}

static void a_drive_that_sleeps_is_woken_to_say_its_state(void **state)
{
	struct ssdpm_plan *plan;
	struct ssdpm_error error;

	(void)state;
	kernel->now.drives[0].power = 1;
	kernel->now.drives[0].asleep = true;
	kernel->falls_asleep = true;
	plan = plan_state(2, 0);
	assert_step(plan, SSDPM_STEP_PLANNED, "PS1", "PS2");
	kernel_commit(plan);
	assert_int_equal(kernel->now.drives[0].power, 2);
	kernel->now.drives[0].asleep = true;
	assert_int_equal(ssdpm_plan_verify(plan, SSDPM_READ_COMMANDS, NULL), 0);
	kernel->now.drives[0].asleep = true;
	kernel->sleeps_on = true;
	kernel_assert_fails(
		ssdpm_plan_verify(plan, SSDPM_READ_COMMANDS, &error), &error,
		-EBUSY, "sleeps in PS4");
	ssdpm_plan_free(plan);
}

/* A value that cannot be restored is not changed. */
static void a_drive_that_sleeps_on_is_left_as_it_is(void **state)
{
	struct ssdpm_plan *plan;

	(void)state;
	kernel->now.drives[0].asleep = true;
	kernel->sleeps_on = true;
	plan = plan_state(2, 0);
	assert_step(plan, SSDPM_STEP_PLANNED, "", "PS2");
	assert_non_null(strstr(kernel_step(plan, 0).why, "is not known: nvme0 "
							 "sleeps in PS4"));
	kernel_commit_fails(plan, -EBUSY,
			    "does not say which state it wakes to");
	assert_int_equal(kernel->now.drives[0].power, 0);
	kernel->sleeps_on = false;
	kernel_commit(plan);
	assert_step(plan, SSDPM_STEP_DONE, "PS0", "PS2");
	ssdpm_plan_free(plan);
}

static void without_root_the_state_is_not_known(void **state)
{
	struct ssdpm_plan *plan;

	(void)state;
	kernel->features_error = EACCES;
	plan = plan_state(2, SSDPM_WORKLOAD_HINT_KEEP);
	assert_step(plan, SSDPM_STEP_PLANNED, "", "PS2");
	kernel_commit_fails(plan, -EACCES, "nvme0");
	ssdpm_plan_free(plan);
	plan = plan_nopp(1);
	assert_step(plan, SSDPM_STEP_PLANNED, "", "on");
	assert_null(kernel_step(plan, 0).before_value);
	assert_int_equal(kernel_step(plan, 0).after_value->nopp, 1);
	ssdpm_plan_free(plan);
}

static void a_drive_or_a_linux_that_refuses_changes_nothing(void **state)
{
	static const struct {
		int status, code;
	} refusals[] = {
		{ 0x010e, -EOPNOTSUPP }, /* cannot be changed */
		{ 0x4002, -EOPNOTSUPP }, /* invalid field, do not retry */
		{ 0x0006, -EIO },	 /* internal error */
	};
	struct kernel_values before = kernel->now;
	struct ssdpm_error error;
	struct ssdpm_plan *plan;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		kernel->power_status = refusals[i].status;
		plan = plan_state(1, 0);
		assert_int_equal(ssdpm_plan_commit(plan, &error),
				 refusals[i].code);
		assert_int_equal(error.code, refusals[i].code);
		assert_int_equal(error.nvme_status, refusals[i].status);
		assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_FAILED);
		assert_true(kernel_same(&kernel->now, &before));
		ssdpm_plan_free(plan);
	}
	kernel->refuses_power = true;
	plan = plan_state(1, 0);
	kernel_commit_fails(plan, -EACCES, "Linux refuses it");
	ssdpm_plan_free(plan);
	kernel_reset();
	kernel->ignores = true;
	plan = plan_state(1, 0);
	kernel_commit_fails(plan, -EIO, "PS1 was written, and it reads PS0");
	ssdpm_plan_free(plan);
}

static void a_state_that_changed_since_it_was_planned_is_not_written_over(
	void **state)
{
	struct ssdpm_plan *plan = plan_state(2, 0);

	(void)state;
	kernel->now.drives[0].power = 1;
	kernel_commit_fails(
		plan, -ESTALE,
		"nvme0: power-state was PS0 when it was planned and is PS1");
	assert_int_equal(kernel->now.drives[0].power, 1);
	ssdpm_plan_free(plan);
}

static void a_reset_is_seen_and_the_state_set_again(void **state)
{
	struct ssdpm_plan *plan = plan_state(2, 0);
	struct ssdpm_error error;

	(void)state;
	kernel_commit(plan);
	kernel->now.drives[0].power = 0; /* the controller was reset */
	assert_int_equal(ssdpm_plan_verify(plan, 0, NULL), 0);
	kernel_assert_fails(
		ssdpm_plan_verify(plan, SSDPM_READ_COMMANDS, &error), &error,
		-ESTALE, "Set Features 02h is PS0, not PS2");
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_DIFFERS);
	ssdpm_plan_free(plan);

	plan = kernel_plan_applied();
	assert_step(plan, SSDPM_STEP_PLANNED, "PS0", "PS2");
	assert_non_null(strstr(kernel_step(plan, 0).why, "a reset"));
	assert_string_equal(kernel_step(plan, 0).device, "nvme0");
	kernel_commit(plan);
	assert_int_equal(kernel->now.drives[0].power, 2);
	ssdpm_plan_free(plan);

	plan = kernel_plan_applied();
	assert_step(plan, SSDPM_STEP_IN_FORCE, "PS2", "PS2");
	ssdpm_plan_free(plan);
	/* The way back still leads to the first value. */
	plan = kernel_plan_revert();
	assert_step(plan, SSDPM_STEP_PLANNED, "PS2", "PS0");
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	plan = kernel_plan_applied();
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 0);
	ssdpm_plan_free(plan);
}

/* Two settings of nvme0, and one of @disk. */
static void apply_three(struct ssdpm_device *disk)
{
	static const uint32_t lpm = SSDPM_LPM_MIN_POWER;
	struct ssdpm_plan *plan = plan_nopp(1);

	assert_int_equal(add_lpms(plan, disk, NULL, &lpm, 1, 0, NULL), 0);
	assert_int_equal(ssdpm_plan_add_latency_tolerance(
				 plan, device, kernel_model(0), 5000, NULL),
			 0);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
}

static void all_that_was_applied_is_looked_at(void **state)
{
	struct ssdpm_device *disk = kernel_device("sdb");
	struct ssdpm_plan *plan;

	(void)state;
	apply_three(disk);
	kernel->now.drives[0].nopp = 0;
	kernel_set_tolerance(0, "7000");
	plan = kernel_plan_applied();
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 3);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 2);
	kernel_commit(plan);
	assert_string_equal(kernel->now.drives[0].tolerance, "5000");
	assert_int_equal(kernel->now.drives[0].nopp, 1);
	ssdpm_plan_free(plan);
	/* A drive that is not asked reports nothing. */
	kernel->features_error = EACCES;
	plan = kernel_plan_applied();
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 1);
	ssdpm_plan_free(plan);
	ssdpm_device_unref(disk);
}

static void assert_applied_to(const struct ssdpm_device *of, const char *name,
			      size_t n)
{
	struct ssdpm_plan *plan = kernel_plan();

	/* A second call replaces the steps of the first. */
	for (size_t twice = 0; twice < 2; twice++)
		assert_int_equal(ssdpm_plan_add_applied(plan, of, NULL), 0);
	kernel_read(plan);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(kernel_step(plan, i).device, name);
	ssdpm_plan_free(plan);
}

static void what_was_applied_to_one_device_is_looked_at(void **state)
{
	struct ssdpm_device *disk = kernel_device("sdb");
	struct ssdpm_device *other = kernel_device("sda");
	struct ssdpm_plan *plan;

	(void)state;
	apply_three(disk);
	assert_applied_to(device, "nvme0", 2);
	assert_applied_to(disk, "sdb", 1);
	assert_applied_to(other, "sda", 0);
	plan = kernel_plan();
	assert_int_equal(ssdpm_plan_add_applied(plan, disk, NULL), 0);
	assert_int_equal(ssdpm_plan_add_revert(plan, NULL), -EINVAL);
	assert_int_equal(ssdpm_plan_add_applied(plan, device, NULL), 0);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 3);
	ssdpm_plan_free(plan);
	ssdpm_device_unref(other);
	ssdpm_device_unref(disk);
}

static void a_record_names_only_what_a_step_can(void **state)
{
	struct ssdpm_plan *plan = plan_state(2, 1);
	char *text;

	(void)state;
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	text = kernel_text("run/ssdpm/undo");
	assert_non_null(text);
	assert_non_null(strstr(text, "power-state\tsys/devices/"));
	assert_non_null(strstr(text, "\tPS0\tPS2 hint 1\n"));
	free(text);
}

/*
 * A record decides what root sends, so only values that a step writes are
 * valid.
 */
static void a_value_that_is_no_state_is_not_known(void **state)
{
	static const char *const values[] = {
		"",	 "PS",	       "PSx",	       "PS32", "PS1 hint",
		"PS1 2", "PS1 hint 8", "PS1 hint 1 2", "1",
	};
	const struct step_kind *kind = ssdpm__kind(SSDPM_STEP_POWER_STATE);
	struct value value;

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		assert_false(ssdpm__value_parse(kind, values[i], &value));
		assert_false(value.is_known);
		assert_string_equal(value.text, values[i]);
	}
	assert_true(ssdpm__value_parse(kind, "PS31 hint 7", &value));
	assert_int_equal(value.is.power_state, 31);
	assert_int_equal(value.is.workload_hint, 7);
	assert_string_equal(value.text, "PS31 hint 7");
}

/* The drive cannot confirm the state, yet the state is restored. */
static void a_drive_that_falls_asleep_for_good_gets_its_state_back(void **state)
{
	struct ssdpm_plan *plan = plan_state(2, 1);

	(void)state;
	kernel->falls_asleep = true;
	kernel->sleeps_on = true;
	kernel_commit_fails(plan, -EBUSY,
			    "does not say which state it wakes to");
	assert_int_equal(kernel->n_writes, 2);
	assert_int_equal(kernel->now.drives[0].power, 0);
	assert_null(kernel_text("run/ssdpm/journal"));
	ssdpm_plan_free(plan);
}

/* A user who may not check a value may not undo it, either. */
static void without_root_nothing_is_reverted(void **state)
{
	struct ssdpm_plan *plan = plan_state(2, 1);

	(void)state;
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	kernel->features_error = EACCES;
	plan = kernel_plan_revert();
	assert_step(plan, SSDPM_STEP_PLANNED, "", "PS0");
	kernel_commit_fails(plan, -EACCES, "nvme0");
	ssdpm_plan_free(plan);
	kernel->features_error = 0;
	plan = kernel_plan_revert();
	assert_step(plan, SSDPM_STEP_PLANNED, "PS2 hint 1", "PS0");
	kernel_commit(plan);
	assert_int_equal(kernel->now.drives[0].power, 0);
	ssdpm_plan_free(plan);
}

/* The rest is restored, and this one's way back is kept. */
static void a_drive_that_does_not_answer_is_reverted_later(void **state)
{
	struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = plan_state(2, 1);

	(void)state;
	assert_int_equal(
		ssdpm_plan_add_value(plan, device, SSDPM_STEP_NOPP, 1, NULL),
		0);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	kernel->now.drives[0].asleep = true;
	kernel->sleeps_on = true;
	plan = kernel_plan_revert();
	assert_step(plan, SSDPM_STEP_LEFT_ALONE, "", "PS0");
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 1);
	kernel_commit(plan);
	assert_int_equal(kernel->now.drives[0].nopp, 0);
	ssdpm_plan_free(plan);
	kernel->sleeps_on = kernel->now.drives[0].asleep = false;
	plan = kernel_plan_revert();
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 1);
	assert_step(plan, SSDPM_STEP_PLANNED, "PS2 hint 1", "PS0");
	kernel_commit(plan);
	assert_true(kernel_same(&kernel->now, &before));
	ssdpm_plan_free(plan);
}

/* A capture shows values, and takes no command. */
static void a_capture_shows_its_state_and_takes_none(void **state)
{
	struct ssdpm_plan *plan;

	(void)state;
	kernel_machine->capture = 2;
	plan = plan_state(1, 0);
	assert_step(plan, SSDPM_STEP_PLANNED, "PS0", "PS1");
	assert_int_equal(ssdpm_plan_verify(plan, 0, NULL), -ESTALE);
	kernel_commit_fails(plan, -EOPNOTSUPP, "a capture takes no commands");
	ssdpm_plan_free(plan);
	plan = plan_state(0, 0);
	assert_step(plan, SSDPM_STEP_IN_FORCE, "PS0", "PS0");
	ssdpm_plan_free(plan);
	kernel_machine->capture = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			a_power_state_is_set_checked_and_taken_back,
			kernel_between),
		cmocka_unit_test_teardown(
			a_power_that_nobody_knows_is_not_promised,
			kernel_between),
		cmocka_unit_test_setup(what_is_so_already_is_not_written,
				       kernel_between),
		cmocka_unit_test_setup(
			a_drive_that_takes_less_comes_before_one_that_takes_more,
			kernel_between),
		cmocka_unit_test_setup(
			a_hint_is_kept_and_so_are_the_bits_beside_it,
			kernel_between),
		cmocka_unit_test_setup(background_work_is_allowed_and_forbidden,
				       kernel_between),
		cmocka_unit_test_setup(states_that_nobody_can_keep_are_refused,
				       kernel_between),
		cmocka_unit_test_setup(a_drive_without_the_mode_is_left_alone,
				       kernel_between),
		cmocka_unit_test_setup(to_add_a_step_asks_no_drive,
				       kernel_between),
		cmocka_unit_test_setup(
			a_drive_that_sleeps_is_woken_to_say_its_state,
			kernel_between),
		cmocka_unit_test_setup(a_drive_that_sleeps_on_is_left_as_it_is,
				       kernel_between),
		cmocka_unit_test_setup(without_root_the_state_is_not_known,
				       kernel_between),
		cmocka_unit_test_setup(
			a_drive_or_a_linux_that_refuses_changes_nothing,
			kernel_between),
		cmocka_unit_test_setup(
			a_state_that_changed_since_it_was_planned_is_not_written_over,
			kernel_between),
		cmocka_unit_test_setup(a_reset_is_seen_and_the_state_set_again,
				       kernel_between),
		cmocka_unit_test_setup(
			what_was_applied_to_one_device_is_looked_at,
			kernel_between),
		cmocka_unit_test_setup(all_that_was_applied_is_looked_at,
				       kernel_between),
		cmocka_unit_test_setup(a_record_names_only_what_a_step_can,
				       kernel_between),
		cmocka_unit_test_setup(a_value_that_is_no_state_is_not_known,
				       kernel_between),
		cmocka_unit_test_setup(
			a_drive_that_falls_asleep_for_good_gets_its_state_back,
			kernel_between),
		cmocka_unit_test_setup(without_root_nothing_is_reverted,
				       kernel_between),
		cmocka_unit_test_setup(
			a_drive_that_does_not_answer_is_reverted_later,
			kernel_between),
		cmocka_unit_test_setup(a_capture_shows_its_state_and_takes_none,
				       kernel_between),
	};

	return cmocka_run_group_tests(tests, boot, halt);
}
