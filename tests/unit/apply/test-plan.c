/* SPDX-License-Identifier: MIT */
/* Plans: what they show, what they write, and what becomes of it. */
#include "calls.h"
#include "kernel.h"

#include <stdio.h>
#include <unistd.h>

static int add_tolerance(struct ssdpm_plan *plan, int drive, uint64_t us,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_device *device;
	char name[16];
	int err;

	snprintf(name, sizeof(name), "nvme%d", drive);
	device = kernel_device(name);
	err = ssdpm_plan_add_latency_tolerance(plan, device,
					       kernel_model(drive), us, reterr);
	if (!err)
		err = ssdpm_plan_read(plan, reterr);
	ssdpm_device_unref(device);
	return err;
}

static int add_lpm(struct ssdpm_plan *plan, const char *name, uint32_t lpm,
		   uint32_t flags, struct ssdpm_error *reterr)
{
	struct ssdpm_device *device = kernel_device(name);
	int err;

	err = add_lpms(plan, device, NULL, &lpm, 1, flags, reterr);
	ssdpm_device_unref(device);
	return err;
}

/* They are added, or the test fails. */
static void plan_tolerance(struct ssdpm_plan *plan, int drive, uint64_t us)
{
	assert_int_equal(add_tolerance(plan, drive, us, NULL), 0);
}

static void plan_lpm(struct ssdpm_plan *plan, const char *name, uint32_t lpm)
{
	assert_int_equal(add_lpm(plan, name, lpm, 0, NULL), 0);
}

static void plan_nvme_core(struct ssdpm_plan *plan, uint32_t parameter,
			   uint64_t value)
{
	assert_int_equal(ssdpm_plan_add_nvme_core(plan, parameter, value, NULL),
			 0);
}

static void steps_are_shown_in_the_order_in_which_they_are_done(void **state)
{
	static const struct {
		uint32_t kind;
		const char *device, *before, *after;
	} wanted[] = {
		{ SSDPM_STEP_NVME_CORE, "all", "2000", "500" },
		{ SSDPM_STEP_LATENCY_TOLERANCE, "nvme0", "100000", "25000" },
		{ SSDPM_STEP_REBUILD, "nvme1", "100000", "100000" },
		{ SSDPM_STEP_REBUILD, "nvme2", "100000", "100000" },
		{ SSDPM_STEP_LPM, "sdb", "med_power_with_dipm", "min_power" },
	};
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	plan_lpm(plan, "sdb", SSDPM_LPM_MIN_POWER);
	plan_tolerance(plan, 0, 25000);
	plan_nvme_core(plan, SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS, 500);
	kernel_read(plan);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 5);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 5);
	for (size_t i = 0; i < 5; i++) {
		struct ssdpm_step step = kernel_step(plan, i);

		assert_int_equal(step.kind, wanted[i].kind);
		assert_int_equal(step.state, SSDPM_STEP_PLANNED);
		assert_string_equal(step.device, wanted[i].device);
		assert_string_equal(step.before, wanted[i].before);
		assert_string_equal(step.after, wanted[i].after);
		assert_true(step.flags & SSDPM_STEP_REVERSIBLE);
		assert_true(step.why[0]);
		assert_memory_equal(step.target, "/sys/", 5);
	}
	assert_int_equal(kernel->n_writes, 0);
	ssdpm_plan_free(plan);
}

static void a_step_has_its_values_as_numbers(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_step step;

	(void)state;
	kernel_set_tolerance(0, "auto");
	plan_lpm(plan, "sdb", SSDPM_LPM_MIN_POWER);
	plan_tolerance(plan, 0, 25000);
	plan_nvme_core(plan, SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS, 500);
	kernel_read(plan);
	step = kernel_step(plan, 0);
	assert_int_equal(step.parameter,
			 SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS);
	assert_int_equal(step.before_value->size, sizeof(*step.before_value));
	assert_int_equal(step.before_value->nvme_core, 2000);
	assert_int_equal(step.after_value->nvme_core, 500);
	step = kernel_step(plan, 1);
	assert_int_equal(step.parameter, 0);
	assert_true(step.before_value->max_exit_latency_us ==
		    SSDPM_LATENCY_ANY);
	assert_string_equal(step.before, "any");
	assert_int_equal(step.after_value->max_exit_latency_us, 25000);
	step = kernel_step(plan, 4);
	assert_int_equal(step.before_value->lpm, SSDPM_LPM_MED_POWER_WITH_DIPM);
	assert_int_equal(step.after_value->lpm, SSDPM_LPM_MIN_POWER);
	assert_int_equal(step.after_value->max_exit_latency_us, 0);
	ssdpm_plan_free(plan);
}

static void a_commit_does_all_steps_and_the_next_writes_nothing(void **state)
{
	struct ssdpm_planned_table table = { .size = sizeof(table) };
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_error error;

	(void)state;
	plan_tolerance(plan, 0, 5000);
	plan_tolerance(plan, 1, SSDPM_LATENCY_ANY);
	plan_lpm(plan, "sda", SSDPM_LPM_MIN_POWER);
	kernel_commit(plan);
	assert_string_equal(kernel->now.drives[0].tolerance, "5000");
	assert_string_equal(kernel->now.drives[1].tolerance, "any");
	assert_string_equal(kernel->now.ports[0].applied, "min_power");
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(kernel_step(plan, i).state, SSDPM_STEP_DONE);
	assert_true(kernel_step(plan, 2).flags & SSDPM_STEP_NO_HOST_BITS);
	assert_int_equal(ssdpm_plan_get_table(plan, 2, &table), -ERANGE);
	assert_int_equal(ssdpm_plan_get_table(plan, 0, &table), 0);
	assert_int_equal(table.known, SSDPM_TABLE_BEFORE | SSDPM_TABLE_AFTER |
					      SSDPM_TABLE_BUILT);
	assert_memory_equal(&table.built, &table.after, sizeof(table.after));
	assert_memory_equal(&table.built, &kernel->now.drives[0].table,
			    sizeof(table.after));
	assert_int_equal(ssdpm_plan_verify(plan, SSDPM_READ_COMMANDS, &error),
			 0);
	kernel_commit_fails(plan, -EALREADY, "committed");
	ssdpm_plan_free(plan);

	kernel->mask = KERNEL_CHANGES;
	kernel->n_calls = kernel->n_writes = 0;
	plan = kernel_plan();
	plan_tolerance(plan, 0, 5000);
	plan_tolerance(plan, 1, SSDPM_LATENCY_ANY);
	plan_lpm(plan, "sda", SSDPM_LPM_MIN_POWER);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 0);
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_IN_FORCE);
	kernel_commit(plan);
	assert_int_equal(kernel->n_writes, 0);
	assert_int_equal(kernel->n_calls, 0);
	ssdpm_plan_free(plan);
}

static void parameters_make_all_controllers_build_their_tables(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();
	struct kernel_values before;

	(void)state;
	kernel_set_tolerance(1, "auto");
	before = kernel->now;
	plan_nvme_core(plan, SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US,
		       15000);
	kernel_commit(plan);
	/* It was read as "any", which is the same: it is no other value. */
	assert_string_equal(kernel->now.drives[1].tolerance, "any");
	for (int i = 0; i < 3; i++)
		assert_int_equal(kernel->now.drives[i].n_built,
				 before.drives[i].n_built + 2);
	assert_memory_not_equal(&kernel->now.drives[0].table,
				&before.drives[0].table,
				sizeof(struct ssdpm_apst));
	ssdpm_plan_free(plan);
}

static void a_change_of_policy_clears_asp_on_the_way(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	kernel->starts_late = true;
	kernel->pending = 5;
	plan_lpm(plan, "sdb", SSDPM_LPM_MIN_POWER);
	assert_int_equal(kernel_step(plan, 0).flags & SSDPM_STEP_NO_HOST_BITS,
			 0);
	kernel_commit(plan);
	assert_int_equal(kernel->now.ports[1].bits, 3 << 26);
	ssdpm_plan_free(plan);

	plan = kernel_plan();
	plan_lpm(plan, "host1", SSDPM_LPM_MED_POWER_WITH_DIPM);
	kernel_commit(plan);
	assert_string_equal(kernel->now.ports[1].applied,
			    "med_power_with_dipm");
	assert_int_equal(kernel->now.ports[1].bits, 1 << 26);
	ssdpm_plan_free(plan);
}

static void a_policy_that_the_kernel_does_not_know_gives_way(void **state)
{
	static const uint32_t lpms[] = { SSDPM_LPM_MIN_POWER,
					 SSDPM_LPM_MEDIUM_POWER };
	struct ssdpm_device *device = kernel_device("sdb");
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	kernel->knows = 4;
	assert_int_equal(add_lpms(plan, device, NULL, lpms, 2, 0, NULL), 0);
	kernel_commit(plan);
	assert_string_equal(kernel_step(plan, 0).after, "medium_power");
	assert_string_equal(kernel->now.ports[1].applied, "medium_power");
	assert_int_equal(ssdpm_plan_revert(plan, NULL), 0);
	ssdpm_plan_free(plan);

	plan = kernel_plan();
	assert_int_equal(add_lpms(plan, device, NULL, lpms, 1, 0, NULL), 0);
	kernel_commit_fails(plan, -EINVAL, "does not know min_power");
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_FAILED);
	assert_string_equal(kernel->now.ports[1].applied,
			    "med_power_with_dipm");
	ssdpm_device_unref(device);
	ssdpm_plan_free(plan);
}

static void a_port_that_does_not_come_back_is_an_error(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	plan_tolerance(plan, 0, 5000);
	plan_lpm(plan, "sdb", SSDPM_LPM_MIN_POWER);
	kernel->deaf = true;
	kernel_commit_fails(plan, -ETIMEDOUT,
			    "not running again 10000 ms after");
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_UNDONE);
	assert_int_equal(kernel_step(plan, 1).state, SSDPM_STEP_FAILED);
	assert_string_equal(kernel->now.drives[0].tolerance, "100000");
	ssdpm_plan_free(plan);
}

/* The next commit is not held up by it, whether it comes back or not. */
static void a_port_that_hangs_stands_in_nobodys_way(void **state)
{
	struct kernel_values before = kernel->now;

	(void)state;
	for (int comes_back = 0; comes_back < 2; comes_back++) {
		struct ssdpm_plan *plan = kernel_plan();

		kernel->deaf = true;
		plan_lpm(plan, "sdb", SSDPM_LPM_MIN_POWER);
		assert_int_equal(ssdpm_plan_commit(plan, NULL), -ETIMEDOUT);
		ssdpm_plan_free(plan);
		assert_string_equal(kernel->now.ports[1].policy,
				    before.ports[1].policy);
		kernel->deaf = !comes_back;
		plan = kernel_plan();
		plan_tolerance(plan, 0, 5000 + comes_back);
		kernel_commit(plan);
		ssdpm_plan_free(plan);
		assert_null(kernel_text("run/ssdpm/journal"));
	}
}

static void a_port_that_vanishes_undoes_the_rest(void **state)
{
	struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	kernel->dies = 1 << 1;
	plan_tolerance(plan, 0, 5000);
	plan_lpm(plan, "sda", SSDPM_LPM_MIN_POWER);
	plan_lpm(plan, "sdb", SSDPM_LPM_MIN_POWER);
	kernel_commit_fails(plan, -ENODEV, "sdb: it was removed");
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_UNDONE);
	assert_int_equal(kernel_step(plan, 1).state, SSDPM_STEP_UNDONE);
	assert_int_equal(kernel_step(plan, 2).state, SSDPM_STEP_FAILED);
	assert_string_equal(kernel->now.drives[0].tolerance, "100000");
	assert_string_equal(kernel->now.ports[0].applied,
			    before.ports[0].applied);
	assert_null(kernel_text("run/ssdpm/journal"));
	ssdpm_plan_free(plan);
}

/* A link on which the kernel has given up: sysfs still says the policy. */
static void a_port_whose_bits_never_show_is_undone(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	kernel->now.ports[1].hipm = false;
	plan_lpm(plan, "sdb", SSDPM_LPM_MIN_POWER);
	kernel_commit_fails(plan, -EIO,
			    "host1 says min_power, but has ALPE 0 and ASP 0");
	assert_string_equal(kernel->now.ports[1].applied,
			    "med_power_with_dipm");
	assert_null(kernel_text("run/ssdpm/journal"));
	ssdpm_plan_free(plan);
}

static void a_port_that_is_refused_undoes_the_rest(void **state)
{
	struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	kernel->unsupported = 1 << 1;
	plan_tolerance(plan, 0, 5000);
	plan_lpm(plan, "sda", SSDPM_LPM_MIN_POWER);
	plan_lpm(plan, "sdb", SSDPM_LPM_MIN_POWER);
	kernel_commit_fails(plan, -EOPNOTSUPP,
			    "no link power management for this port");
	assert_true(kernel_same(&kernel->now, &before));
	assert_null(kernel_text("run/ssdpm/journal"));
	ssdpm_plan_free(plan);
}

static void a_value_that_is_taken_and_not_kept_is_an_error(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_error error;

	(void)state;
	kernel->ignores = true;
	plan_tolerance(plan, 0, 5000);
	kernel_commit_fails(plan, -EIO,
			    "5000 was written, and it reads 100000");
	ssdpm_plan_free(plan);
	plan = kernel_plan();
	plan_lpm(plan, "sdb", SSDPM_LPM_MAX_PERFORMANCE);
	assert_true(ssdpm_plan_commit(plan, &error) < 0);
	ssdpm_plan_free(plan);
}

static void another_table_than_predicted_is_undone(void **state)
{
	struct ssdpm_planned_table table = { .size = sizeof(table) };
	struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	kernel->other_table = true;
	plan_tolerance(plan, 0, 5000);
	kernel_commit_fails(plan, -EREMOTEIO, "nvme0: the kernel's entry 0 is");
	assert_string_equal(kernel->now.drives[0].tolerance, "100000");
	assert_int_equal(ssdpm_plan_get_table(plan, 0, &table), 0);
	assert_int_equal(table.known, SSDPM_TABLE_BEFORE | SSDPM_TABLE_AFTER |
					      SSDPM_TABLE_BUILT);
	assert_true(ssdpm_apst_diff(&table.built, &table.after) & 1);
	assert_null(kernel_text("run/ssdpm/journal"));
	assert_true(before.drives[0].table.enabled);
	ssdpm_plan_free(plan);
}

static void where_the_table_cannot_be_read_the_step_says_so(void **state)
{
	static const int errors[] = { EACCES, EOPNOTSUPP, ENODEV };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct ssdpm_plan *plan = kernel_plan();
		struct ssdpm_error error;

		kernel->features_error = errors[i];
		plan_tolerance(plan, 0, 100000);
		if (!i)
			assert_non_null(strstr(kernel_step(plan, 0).why,
					       "is not known: nvme0: Linux"));
		plan_tolerance(plan, 0, 5000 + i);
		kernel_commit(plan);
		assert_non_null(
			strstr(kernel_step(plan, 0).why, "was not read back"));
		assert_int_equal(ssdpm_plan_verify(plan, 0, NULL), 0);
		kernel_assert_fails(
			ssdpm_plan_verify(plan, SSDPM_READ_COMMANDS, &error),
			&error, -errors[i], "");
		ssdpm_plan_free(plan);
	}
}

static void what_somebody_else_changed_is_not_written_over(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	plan_tolerance(plan, 0, 5000);
	kernel_set_tolerance(0, "77");
	kernel_commit_fails(plan, -ESTALE,
			    "nvme0: latency-tolerance was 100000 when it was "
			    "planned and is 77 now: plan again: /sys/");
	assert_string_equal(kernel->now.drives[0].tolerance, "77");
	ssdpm_plan_free(plan);
}

/* Adds a step, and is not alone. */
struct filling {
	int n_calls;
	int n_rivals; /* so often somebody else writes meanwhile */
	int err;
};

static int fill(struct ssdpm_plan *plan, void *userdata,
		struct ssdpm_error *reterr)
{
	struct filling *filling = userdata;
	int err = add_tolerance(plan, 0, 5000, reterr);
	char rival[16];

	snprintf(rival, sizeof(rival), "%d", 700 + filling->n_calls);
	if (filling->n_calls++ < filling->n_rivals)
		kernel_set_tolerance(0, rival);
	return err ? err : filling->err;
}

static void a_plan_is_made_again_where_somebody_writes_meanwhile(void **state)
{
	static const struct {
		struct filling filling;
		int n_calls, err;
		const char *tolerance;
	} cases[] = {
		{ { .n_rivals = 0 }, 1, 0, "5000" },
		{ { .n_rivals = 1 }, 2, 0, "5000" },
		{ { .n_rivals = 4 }, 5, 0, "5000" },
		{ { .n_rivals = 5 }, 5, -EBUSY, "704" },
		{ { .err = -ENOENT }, 1, -ENOENT, "100000" },
		/* Its own failure is no reason to fill it again. */
		{ { .err = -ESTALE }, 1, -ESTALE, "100000" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct filling filling = cases[i].filling;
		struct ssdpm_plan *plan = kernel_plan();
		struct ssdpm_error error = fixture_error();

		assert_int_equal(ssdpm_plan_apply(plan, fill, &filling, &error),
				 cases[i].err);
		if (cases[i].err == -EBUSY)
			fixture_assert_error(&error, -EBUSY, 0,
					     "again and again");
		assert_int_equal(filling.n_calls, cases[i].n_calls);
		assert_string_equal(kernel->now.drives[0].tolerance,
				    cases[i].tolerance);
		assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 1);
		assert_int_equal(kernel_step(plan, 0).state,
				 cases[i].err ? SSDPM_STEP_PLANNED :
						SSDPM_STEP_DONE);
		ssdpm_plan_free(plan);
		kernel_reset();
	}
}

/* Root without CAP_SYS_ADMIN writes values, and sends no command. */
static void what_no_command_tells_is_no_failure_of_apply(void **state)
{
	struct ssdpm_plan_params params = {
		.size = sizeof(params),
		.flags = SSDPM_READ_COMMANDS,
	};
	struct filling filling = { .n_rivals = 0 };
	struct ssdpm_plan *plan;
	struct ssdpm_error error;

	(void)state;
	kernel->features_error = EACCES;
	assert_int_equal(ssdpm_plan_new(kernel_machine, &params, &plan, NULL),
			 0);
	assert_int_equal(ssdpm_plan_apply(plan, fill, &filling, NULL), 0);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_WRITTEN), 1);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_NOT_IN_FORCE), 0);
	ssdpm_plan_free(plan);
	params.flags = 2;
	kernel_assert_fails(
		ssdpm_plan_new(kernel_machine, &params, &plan, &error), &error,
		-EINVAL, "unknown flags 0x2");
	params.flags = 0;
	params.reserved = 7;
	kernel_assert_fails(
		ssdpm_plan_new(kernel_machine, &params, &plan, &error), &error,
		-EINVAL, "reserved");
}

static void revert_goes_back_to_what_was_there_first(void **state)
{
	struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan;

	(void)state;
	for (uint64_t us = 5000; us < 8000; us += 1000) {
		plan = kernel_plan();
		plan_tolerance(plan, 0, us);
		plan_nvme_core(plan, SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS,
			       us);
		kernel_commit(plan);
		ssdpm_plan_free(plan);
	}
	plan = kernel_plan_revert();
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 4);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	assert_true(kernel_same(&kernel->now, &before));
	kernel_assert_nothing_kept();
}

static void revert_leaves_alone_what_somebody_else_changed(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_error error;

	(void)state;
	plan_tolerance(plan, 0, 5000);
	plan_tolerance(plan, 1, 5000);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	kernel_set_tolerance(1, "77");
	plan = kernel_plan_revert();
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 2);
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_PLANNED);
	assert_int_equal(kernel_step(plan, 1).state, SSDPM_STEP_LEFT_ALONE);
	assert_non_null(strstr(kernel_step(plan, 1).why, "another program"));
	kernel_assert_fails(add_tolerance(plan, 2, 1, &error), &error, -EINVAL,
			    "takes no other steps");
	kernel_commit(plan);
	assert_string_equal(kernel->now.drives[0].tolerance, "100000");
	assert_string_equal(kernel->now.drives[1].tolerance, "77");
	ssdpm_plan_free(plan);
	kernel_assert_nothing_kept();
}

static void a_port_has_one_name_in_all_plans(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();
	char name[32];

	(void)state;
	plan_lpm(plan, "sdb", SSDPM_LPM_MIN_POWER);
	snprintf(name, sizeof(name), "%s", kernel_step(plan, 0).device);
	assert_string_equal(name, "sdb");
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	plan = kernel_plan_applied();
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 1);
	assert_string_equal(kernel_step(plan, 0).device, name);
	ssdpm_plan_free(plan);
	plan = kernel_plan_revert();
	assert_string_equal(kernel_step(plan, 0).device, name);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
}

static void a_record_of_another_boot_is_none(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();
	char command[256];

	(void)state;
	snprintf(command, sizeof(command),
		 "mkdir -p %s/proc/sys/kernel/random && "
		 "echo one >%s/proc/sys/kernel/random/boot_id",
		 kernel_root(), kernel_root());
	assert_int_equal(system(command), 0);
	plan_tolerance(plan, 0, 5000);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	snprintf(command, sizeof(command),
		 "echo two >%s/proc/sys/kernel/random/boot_id", kernel_root());
	assert_int_equal(system(command), 0);
	kernel_assert_nothing_kept();
	snprintf(command, sizeof(command), "rm -r %s/proc/sys/kernel/random",
		 kernel_root());
	assert_int_equal(system(command), 0);
}

static void a_plan_undoes_what_it_committed(void **state)
{
	struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_error error;

	(void)state;
	plan_tolerance(plan, 0, 5000);
	plan_nvme_core(plan, SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS, 500);
	plan_lpm(plan, "sdb", SSDPM_LPM_MIN_POWER);
	kernel_assert_fails(ssdpm_plan_revert(plan, &error), &error, -EINVAL,
			    "not committed");
	kernel_commit(plan);
	assert_false(kernel_same(&kernel->now, &before));
	assert_int_equal(ssdpm_plan_revert(plan, NULL), 0);
	assert_true(kernel_same(&kernel->now, &before));
	for (size_t i = 0; i < ssdpm_plan_count(plan, SSDPM_STEPS_ALL); i++)
		assert_int_equal(kernel_step(plan, i).state, SSDPM_STEP_UNDONE);
	/* All is as it was at first: nothing is left to be reverted. */
	ssdpm_plan_free(plan);
	kernel_assert_nothing_kept();
}

static void a_plan_leaves_alone_what_somebody_else_changed(void **state)
{
	struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	plan_tolerance(plan, 0, 5000);
	plan_tolerance(plan, 1, 5000);
	plan_lpm(plan, "sdb", SSDPM_LPM_MIN_POWER);
	kernel_commit(plan);
	kernel_set_tolerance(1, "77");
	assert_int_equal(ssdpm_plan_revert(plan, NULL), 0);
	assert_string_equal(kernel->now.drives[0].tolerance, "100000");
	assert_string_equal(kernel->now.drives[1].tolerance, "77");
	assert_string_equal(kernel->now.ports[1].applied,
			    before.ports[1].applied);
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_UNDONE);
	assert_int_equal(kernel_step(plan, 1).state, SSDPM_STEP_DONE);
	assert_non_null(strstr(kernel_step(plan, 1).why,
			       "it has changed since 5000 was written"));
	assert_int_equal(kernel_step(plan, 2).state, SSDPM_STEP_UNDONE);
	ssdpm_plan_free(plan);
}

static void a_plan_with_nothing_to_write_is_undone_by_nothing(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	plan_tolerance(plan, 0, 100000);
	kernel_commit(plan);
	kernel_commit_fails(plan, -EALREADY, "was committed");
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_IN_FORCE);
	assert_int_equal(ssdpm_plan_revert(plan, NULL), 0);
	assert_int_equal(kernel->n_writes, 0);
	ssdpm_plan_free(plan);
}

static void verify_says_what_is_not_in_force(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_error error;

	(void)state;
	plan_tolerance(plan, 0, 5000);
	plan_lpm(plan, "sdb", SSDPM_LPM_MIN_POWER);
	kernel_assert_fails(ssdpm_plan_verify(plan, 0, &error), &error, -ESTALE,
			    "is 100000, not 5000");
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_PLANNED);
	kernel_commit(plan);
	kernel_set_tolerance(0, "77");
	assert_int_equal(ssdpm_plan_verify(plan, 0, NULL), -ESTALE);
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_DIFFERS);
	kernel_set_tolerance(0, "5000");
	assert_int_equal(ssdpm_plan_verify(plan, 0, NULL), 0);
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_DONE);
	kernel->now.ports[1].bits = 0;
	kernel_sync();
	kernel_assert_fails(ssdpm_plan_verify(plan, 0, &error), &error, -ESTALE,
			    "ALPE 0 and ASP 0");
	kernel->now.ports[1].bits = 3 << 26;
	kernel->now.drives[0].table.entries[1].idle_ms++;
	kernel_sync();
	kernel_assert_fails(
		ssdpm_plan_verify(plan, SSDPM_READ_COMMANDS, &error), &error,
		-EREMOTEIO, "entry 1 is");
	assert_int_equal(ssdpm_plan_verify(plan, 4, NULL), -EINVAL);
	ssdpm_plan_free(plan);
}

static void a_table_of_ones_own_is_sent_and_taken_back(void **state)
{
	struct ssdpm_device *device = kernel_device("nvme0");
	struct kernel_values before = kernel->now;
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	table.entries[0] = (struct ssdpm_apst_entry){ 50, 3 };
	assert_int_equal(ssdpm_plan_add_apst(plan, device, kernel_model(0),
					     &table, NULL),
			 0);
	kernel_read(plan);
	assert_non_null(strstr(kernel_step(plan, 0).before, " to PS"));
	assert_string_equal(kernel_step(plan, 0).after,
			    "PS0 to PS3 after 50 ms");
	assert_memory_equal(&kernel_step(plan, 0).after_value->table, &table,
			    sizeof(table));
	assert_string_equal(kernel_step(plan, 0).target, "Set Features 0Ch");
	kernel_commit(plan);
	assert_memory_equal(&kernel->now.drives[0].table, &table,
			    sizeof(table));
	assert_int_equal(ssdpm_plan_verify(plan, SSDPM_READ_COMMANDS, NULL), 0);
	assert_int_equal(ssdpm_plan_revert(plan, NULL), 0);
	assert_true(kernel_same(&kernel->now, &before));
	ssdpm_plan_free(plan);

	kernel->refuses_table = true;
	plan = kernel_plan();
	assert_int_equal(ssdpm_plan_add_apst(plan, device, kernel_model(0),
					     &table, NULL),
			 0);
	kernel_read(plan);
	kernel_commit_fails(plan, -EACCES, "Linux refuses it");
	assert_true(kernel_same(&kernel->now, &before));
	ssdpm_plan_free(plan);
	ssdpm_device_unref(device);
}

/* Somebody else's, by Set Features; the kernel knows nothing of it. */
static struct ssdpm_apst set_foreign_table(void)
{
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };

	table.entries[0] = (struct ssdpm_apst_entry){ 50, 3 };
	table.entries[1] = (struct ssdpm_apst_entry){ 70, 4 };
	kernel->now.drives[0].table = table;
	return table;
}

static void assert_table(const struct ssdpm_apst *table)
{
	assert_memory_equal(&kernel->now.drives[0].table, table,
			    sizeof(*table));
}

static void revert_all(void)
{
	struct ssdpm_plan *plan = kernel_plan_revert();

	kernel_commit(plan);
	ssdpm_plan_free(plan);
	kernel_assert_nothing_kept();
}

static void parameters_without_a_table_of_theirs_get_it(void **state)
{
	struct kernel_values before = kernel->now;
	struct ssdpm_planned_table table = { .size = sizeof(table) };
	struct ssdpm_plan *plan;
	struct ssdpm_step step;

	(void)state;
	strcpy(kernel->now.parameters[2], "500");
	kernel_sync();
	plan = kernel_plan();
	plan_tolerance(plan, 0, 100000);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 2);
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_IN_FORCE);
	step = kernel_step(plan, 1);
	assert_int_equal(step.kind, SSDPM_STEP_REBUILD);
	assert_int_equal(step.state, SSDPM_STEP_PLANNED);
	assert_non_null(strstr(step.why, "is not what Linux makes of"));
	assert_non_null(strstr(step.why, "revert brings the table in force"));
	kernel_commit(plan);
	assert_int_equal(ssdpm_plan_get_table(plan, 0, &table), 0);
	assert_int_equal(table.after.entries[3].idle_ms, 500);
	assert_table(&table.after);
	assert_int_equal(ssdpm_plan_verify(plan, SSDPM_READ_COMMANDS, NULL), 0);
	ssdpm_plan_free(plan);

	/* The parameter alone is enough, and is so already. */
	revert_all();
	assert_table(&before.drives[0].table);
	plan = kernel_plan();
	plan_tolerance(plan, 0, 100000);
	plan_nvme_core(plan, SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS, 500);
	kernel_read(plan);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 1);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	assert_table(&table.after);
	plan = kernel_plan();
	plan_tolerance(plan, 0, 100000);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 0);
	ssdpm_plan_free(plan);
}

static void what_a_plan_does_not_speak_of_is_not_built_anew(void **state)
{
	struct ssdpm_profile_settings s = {
		.size = sizeof(s),
		.set = SSDPM_PROFILE_LPM,
		.n_lpms = 1,
		.lpms = { SSDPM_LPM_MIN_POWER },
	};
	struct ssdpm_device *device = kernel_device("nvme0");
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	set_foreign_table();
	assert_int_equal(
		ssdpm_plan_add_profile(plan, device, kernel_model(0), &s, NULL),
		0);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 0);
	/* Nor is a drive asked whose model is not its own word. */
	assert_int_equal(ssdpm_plan_add_latency_tolerance(plan, device, NULL,
							  100000, NULL),
			 0);
	kernel_read(plan);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 1);
	ssdpm_plan_free(plan);
	plan = kernel_plan();
	assert_int_equal(ssdpm_plan_add_latency_tolerance(plan, device, NULL,
							  100000, NULL),
			 0);
	kernel_read(plan);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 0);
	ssdpm_plan_free(plan);
	ssdpm_device_unref(device);
}

static void a_foreign_table_comes_back(void **state)
{
	struct ssdpm_apst foreign = set_foreign_table();
	struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	plan_tolerance(plan, 0, 5000);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 1);
	assert_non_null(strstr(kernel_step(plan, 0).why,
			       "revert brings the table in force back"));
	kernel_commit(plan);
	assert_memory_not_equal(&kernel->now.drives[0].table, &foreign,
				sizeof(foreign));
	assert_int_equal(ssdpm_plan_revert(plan, NULL), 0);
	assert_true(kernel_same(&kernel->now, &before));
	ssdpm_plan_free(plan);
	kernel_assert_nothing_kept();

	/* Two commits and a rebuild later, too, by one transaction or many. */
	for (int each = 0; each < 2; each++) {
		for (uint64_t us = 5000; us < 7000; us += 1000) {
			plan = each ? kernel_plan_of(0) : kernel_plan();
			plan_tolerance(plan, 0, us);
			plan_nvme_core(plan,
				       SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS,
				       us);
			kernel_commit(plan);
			ssdpm_plan_free(plan);
		}
		revert_all();
		assert_true(kernel_same(&kernel->now, &before));
	}
}

static void a_foreign_table_survives_a_commit_that_fails(void **state)
{
	struct kernel_values before;
	struct ssdpm_plan *plan;

	(void)state;
	set_foreign_table();
	before = kernel->now;
	kernel->unsupported = 1 << 1;
	plan = kernel_plan();
	plan_tolerance(plan, 0, 5000);
	plan_lpm(plan, "sdb", SSDPM_LPM_MIN_POWER);
	assert_int_equal(ssdpm_plan_commit(plan, NULL), -EOPNOTSUPP);
	assert_true(kernel_same(&kernel->now, &before));
	assert_null(kernel_text("run/ssdpm/journal"));
	/* And it is no worse for a second try. */
	kernel->unsupported = 0;
	kernel_commit(plan);
	assert_int_equal(ssdpm_plan_revert(plan, NULL), 0);
	assert_true(kernel_same(&kernel->now, &before));
	ssdpm_plan_free(plan);
}

static void where_linux_takes_no_table_its_own_is_built(void **state)
{
	struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan;

	(void)state;
	set_foreign_table();
	kernel->refuses_table = true;
	plan = kernel_plan();
	plan_tolerance(plan, 0, 5000);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	plan = kernel_plan_revert();
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 2);
	kernel_commit(plan);
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_DONE);
	assert_int_equal(kernel_step(plan, 1).kind, SSDPM_STEP_APST);
	assert_int_equal(kernel_step(plan, 1).state, SSDPM_STEP_LEFT_ALONE);
	assert_non_null(strstr(kernel_step(plan, 1).why, "refuses it"));
	ssdpm_plan_free(plan);
	assert_true(kernel_same(&kernel->now, &before));
	kernel_assert_nothing_kept();

	/* Nor does a commit that fails hang on it. */
	set_foreign_table();
	kernel->unsupported = 1 << 1;
	plan = kernel_plan();
	plan_tolerance(plan, 0, 5000);
	plan_lpm(plan, "sdb", SSDPM_LPM_MIN_POWER);
	assert_int_equal(ssdpm_plan_commit(plan, NULL), -EOPNOTSUPP);
	assert_true(kernel_same(&kernel->now, &before));
	assert_null(kernel_text("run/ssdpm/journal"));
	ssdpm_plan_free(plan);
}

static void a_table_of_ones_own_outlives_a_change_of_the_tolerance(void **state)
{
	struct ssdpm_device *device = kernel_device("nvme0");
	struct ssdpm_apst foreign = set_foreign_table();
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	assert_int_equal(ssdpm_plan_add_apst(plan, device, kernel_model(0),
					     &foreign, NULL),
			 0);
	kernel_read(plan);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 0);
	plan_tolerance(plan, 0, 5000);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 2);
	plan_tolerance(plan, 0, 100000);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 0);
	plan_tolerance(plan, 0, 5000);
	kernel_commit(plan);
	assert_table(&foreign);
	assert_string_equal(kernel->now.drives[0].tolerance, "5000");
	assert_int_equal(ssdpm_plan_verify(plan, SSDPM_READ_COMMANDS, NULL), 0);
	assert_int_equal(ssdpm_plan_revert(plan, NULL), 0);
	assert_table(&foreign);
	ssdpm_plan_free(plan);
	ssdpm_device_unref(device);
}

/* Not to one that Linux made of settings which go back, too. */
static void revert_goes_back_to_the_first_table(void **state)
{
	struct ssdpm_device *device = kernel_device("nvme0");
	struct ssdpm_apst own = { .sent = 1, .enabled = 1 };
	struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan;

	(void)state;
	own.entries[0] = (struct ssdpm_apst_entry){ 50, 3 };
	for (int more = 0; more < 2; more++) {
		plan = kernel_plan();
		plan_nvme_core(plan, SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS,
			       70);
		kernel_commit(plan);
		ssdpm_plan_free(plan);
		plan = kernel_plan();
		assert_int_equal(ssdpm_plan_add_apst(plan, device,
						     kernel_model(0), &own,
						     NULL),
				 0);
		kernel_commit(plan);
		ssdpm_plan_free(plan);
		plan = kernel_plan();
		if (more)
			plan_tolerance(plan, 0, 5000);
		kernel_commit(plan);
		ssdpm_plan_free(plan);
		revert_all();
		assert_true(kernel_same(&kernel->now, &before));
	}
	ssdpm_device_unref(device);
}

/* Whatever the model is from, that is no prediction. */
static void a_table_of_ones_own_is_verified_without_the_drives_word(
	void **state)
{
	struct ssdpm_device *device = kernel_device("nvme0");
	struct ssdpm_apst table = { .sent = 1 };
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_error error;
	struct ssdpm_model *model;

	(void)state;
	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &catalogue, NULL), 0);
	assert_int_equal(ssdpm_catalogue_get_model(catalogue, 0, &model, NULL),
			 0);
	assert_int_not_equal(ssdpm_model_get_info(model)->provenance,
			     SSDPM_PROVENANCE_REPORTED);
	assert_int_equal(ssdpm_plan_add_apst(plan, device, model, &table, NULL),
			 0);
	kernel_commit(plan);
	assert_int_equal(ssdpm_plan_verify(plan, SSDPM_READ_COMMANDS, NULL), 0);
	kernel->now.drives[0].table.enabled = 1; /* a reset */
	kernel_assert_fails(
		ssdpm_plan_verify(plan, SSDPM_READ_COMMANDS, &error), &error,
		-EREMOTEIO, "APST is enabled");
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_DIFFERS);
	ssdpm_plan_free(plan);
	ssdpm_model_unref(model);
	ssdpm_catalogue_free(catalogue);
	ssdpm_device_unref(device);
}

static void what_tables_are_made_from_is_read_again(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	plan_tolerance(plan, 0, 5000);
	strcpy(kernel->now.parameters[3], "1");
	kernel_sync();
	kernel_commit_fails(
		plan, -ESTALE,
		"nvme_core.apst_secondary_latency_tol_us has changed");
	strcpy(kernel->now.parameters[3], "100000");
	kernel_sync();
	set_foreign_table();
	kernel_commit_fails(plan, -ESTALE, "the table of nvme0 has changed");
	assert_int_equal(kernel->n_writes, 0);
	ssdpm_plan_free(plan);
}

static void tables_that_must_not_be_are_refused(void **state)
{
	struct ssdpm_device *device = kernel_device("nvme2");
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_error error;

	(void)state;
	table.entries[0] = (struct ssdpm_apst_entry){ 50, 4 };
	kernel_assert_fails(ssdpm_plan_add_apst(plan, device, kernel_model(2),
						&table, &error),
			    &error, -EPERM, "no-deepest-ps forbids PS4");
	table.entries[0].target = 30;
	kernel_assert_fails(ssdpm_plan_add_apst(plan, device, kernel_model(2),
						&table, &error),
			    &error, -EINVAL, "");
	kernel_assert_fails(
		ssdpm_plan_add_apst(plan, device, NULL, &table, &error), &error,
		-EINVAL, "model");
	ssdpm_device_unref(device);
	device = kernel_device("nvme3");
	table.entries[0] = (struct ssdpm_apst_entry){ 0 };
	kernel_assert_fails(ssdpm_plan_add_apst(plan, device, kernel_model(3),
						&table, &error),
			    &error, -EOPNOTSUPP,
			    "nvme3: the kernel has no APST");
	ssdpm_device_unref(device);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 0);
	ssdpm_plan_free(plan);
}

static void what_cannot_be_set_is_refused_with_the_reason(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_error error;

	(void)state;
	kernel_assert_fails(add_tolerance(plan, 3, 1, &error), &error,
			    -EOPNOTSUPP,
			    "nvme3: the kernel has no APST for it");
	kernel_assert_fails(add_tolerance(plan, 0, 2147483647, &error), &error,
			    -ERANGE, "say any");
	kernel_assert_fails(
		add_lpm(plan, "nvme0", SSDPM_LPM_MIN_POWER, 0, &error), &error,
		-EOPNOTSUPP, "nvme0 is on no SATA port");
	kernel_assert_fails(add_lpm(plan, "sda",
				    SSDPM_LPM_KEEP_FIRMWARE_SETTINGS, 0,
				    &error),
			    &error, -EINVAL, "keep_firmware_settings");
	kernel_assert_fails(add_lpm(plan, "sda", 77, 0, &error), &error,
			    -EINVAL, "77 is no policy");
	kernel_assert_fails(ssdpm_plan_add_nvme_core(plan, 0, 1, &error),
			    &error, -EINVAL, "makes no table");
	kernel_assert_fails(ssdpm_plan_add_nvme_core(
				    plan,
				    SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS,
				    SSDPM_APST_MAX_IDLE_MS + 1, &error),
			    &error, -ERANGE, "does not fit");
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 0);
	ssdpm_plan_free(plan);
}

static void an_empty_port_is_left_alone_unless_any_port_is_meant(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	plan_lpm(plan, "host4", SSDPM_LPM_MIN_POWER);
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_LEFT_ALONE);
	assert_string_equal(kernel_step(plan, 0).why, "no disk is on the port");
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 0);
	assert_int_equal(add_lpm(plan, "host4", SSDPM_LPM_MIN_POWER,
				 SSDPM_LPM_ANY_PORT, NULL),
			 0);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 1);
	kernel_commit(plan);
	assert_string_equal(kernel->now.ports[4].applied, "min_power");
	ssdpm_plan_free(plan);
}

static void a_profile_goes_to_all_devices_that_can(void **state)
{
	struct {
		struct ssdpm_profile_settings s;
		uint64_t tail;
	} longer = { .tail = 1 };
	struct ssdpm_error error;
	struct ssdpm_profile_settings s = {
		.size = sizeof(s),
		.power_source = SSDPM_SOURCE_BATTERY,
		.set = SSDPM_PROFILE_MAX_EXIT_LATENCY |
		       SSDPM_PROFILE_SECONDARY_TIMEOUT | SSDPM_PROFILE_LPM,
		.n_lpms = 1,
		.lpms = { SSDPM_LPM_MED_POWER_WITH_DIPM },
		.max_exit_latency_us = 50000,
		.secondary_timeout_ms = 1000,
	};
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_device **devices;
	size_t n, n_core = 0, n_alone = 0;

	(void)state;
	assert_int_equal(
		ssdpm_device_list_read(kernel_machine, &devices, &n, NULL), 0);
	longer.s = s;
	longer.s.size = sizeof(longer);
	error = fixture_error();
	kernel_assert_fails(ssdpm_plan_add_profile(plan, devices[0], NULL,
						   &longer.s, &error),
			    &error, -E2BIG, "ssdpm_profile_settings");
	kernel_assert_fails(
		ssdpm_plan_add_profile(plan, NULL, kernel_model(0), &s, &error),
		&error, -EINVAL, "a model of no device");
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(ssdpm_plan_add_profile(
					 plan, devices[i],
					 i < 4 ? kernel_model((int)i) : NULL,
					 &s, NULL),
				 0);
	for (size_t i = 0; i < ssdpm_plan_count(plan, SSDPM_STEPS_ALL); i++) {
		struct ssdpm_step step = kernel_step(plan, i);

		n_core += step.kind == SSDPM_STEP_NVME_CORE;
		n_alone += step.state == SSDPM_STEP_LEFT_ALONE;
		/* All tolerances change: no rebuild is needed. */
		assert_int_not_equal(step.kind, SSDPM_STEP_REBUILD);
		if (step.kind == SSDPM_STEP_LATENCY_TOLERANCE &&
		    !strcmp(step.device, "nvme2"))
			assert_non_null(strstr(step.why, "no-deepest-ps"));
	}
	assert_int_equal(n_core, 1);
	assert_int_equal(n_alone, 2); /* nvme3, and the empty port */
	kernel_commit(plan);
	assert_string_equal(kernel->now.drives[2].tolerance, "50000");
	assert_string_equal(kernel->now.parameters[2], "1000");
	ssdpm_device_list_free(devices, n);
	ssdpm_plan_free(plan);
}

/* Run a command in the directory of the journal. */
static void run(const char *command)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "mkdir -p %s/run/ssdpm && cd %s/run/ssdpm && { %s; }",
		 kernel_root(), kernel_root(), command);
	assert_int_equal(system(text), 0);
}

static int commit_tolerance(int drive, uint64_t us, struct ssdpm_error *reterr)
{
	struct ssdpm_plan *plan = kernel_plan();
	int err = add_tolerance(plan, drive, us, NULL);

	assert_int_equal(err, 0);
	err = ssdpm_plan_commit(plan, reterr);
	ssdpm_plan_free(plan);
	return err;
}

static void a_journal_that_is_no_file_stops_every_commit(void **state)
{
	static const char *const commands[] = {
		"mkfifo journal",
		"ln -s nowhere journal",
		"mkdir journal",
	};
	static const char *const words[] = {
		"/run/ssdpm/journal is a pipe, and no file",
		"/run/ssdpm/journal is a link, and no file",
		"/run/ssdpm/journal is a directory, and no file",
	};
	struct ssdpm_error error;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		run(commands[i]);
		kernel_assert_fails(commit_tolerance(0, 5000, &error), &error,
				    -EIO, words[i]);
		run("rm -r journal");
	}
	assert_int_equal(kernel->n_writes, 0);
}

static void what_stands_in_the_way_of_a_journal_is_not_written_to(void **state)
{
	static const char *const commands[] = {
		"echo precious >../../file; ln -s ../../file journal.new",
		"ln ../../file journal.new",
		"mkfifo journal.new",
	};
	char *text;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		run(commands[i]);
		assert_int_equal(commit_tolerance(0, 5000 + i, NULL), 0);
	}
	text = kernel_text("file");
	assert_string_equal(text, "precious\n");
	free(text);
}

static void a_directory_that_others_may_write_is_not_trusted(void **state)
{
	struct ssdpm_error error;
	struct ssdpm_plan *plan;

	(void)state;
	for (int i = 0; i < 2; i++) {
		/* As root, one of somebody else too. */
		run(i && !geteuid() ? "chown 1 ." : "chmod 777 .");
		kernel_assert_fails(
			commit_tolerance(0, 5000, &error), &error, -EPERM,
			"/run/ssdpm: somebody else may write there");
		plan = kernel_plan();
		kernel_assert_fails(ssdpm_plan_add_revert(plan, &error), &error,
				    -EPERM, "cannot be trusted");
		ssdpm_plan_free(plan);
		run("chmod 755 .");
	}
	assert_int_equal(kernel->n_writes, 0);
}

static void a_record_that_cannot_be_renamed_is_not_written_over(void **state)
{
	struct kernel_values before = kernel->now;
	struct ssdpm_error error;
	int err = -EIO;

	(void)state;
	/* The last of its calls that fails: it is done all the same. */
	for (int n = 1; err; n++) {
		kernel->mask = KERNEL_NAME;
		kernel->fail_at = n;
		kernel->error = EIO;
		err = commit_tolerance(0, 5000, NULL);
		kernel_calm();
	}
	assert_null(kernel_text("run/ssdpm/undo"));
	kernel->mask = KERNEL_NAME;
	kernel->fail_at = 1;
	kernel->for_ever = true;
	kernel_assert_fails(commit_tolerance(1, 5000, &error), &error, -EIO,
			    "/run/ssdpm/undo.new: ");
	kernel_calm();
	assert_int_equal(commit_tolerance(1, 5000, NULL), 0);
	revert_all();
	assert_true(kernel_same(&kernel->now, &before));
}

static void a_revert_forgets_only_what_it_shows(void **state)
{
	struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan;

	(void)state;
	assert_int_equal(commit_tolerance(0, 5000, NULL), 0);
	plan = kernel_plan_revert();
	assert_int_equal(commit_tolerance(1, 5000, NULL), 0);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	assert_string_equal(kernel->now.drives[0].tolerance, "100000");
	assert_string_equal(kernel->now.drives[1].tolerance, "5000");
	revert_all();
	assert_true(kernel_same(&kernel->now, &before));
}

static void a_root_without_the_marker_is_not_written_to(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();

	(void)state;
	plan_tolerance(plan, 0, 5000);
	kernel_machine->capture = 1;
	kernel_commit_fails(plan, -EROFS, "no capture");
	kernel_machine->capture = 2;
	kernel_commit(plan);
	kernel_machine->capture = 0;
	assert_string_equal(kernel->now.drives[0].tolerance, "5000");
	ssdpm_plan_free(plan);
}

static void sizes_of_structures_are_checked(void **state)
{
	struct ssdpm_plan_params params = { .size = 3 };
	struct ssdpm_planned_table table = { .size = sizeof(table) };
	struct ssdpm_step step = { .size = sizeof(step) };
	struct ssdpm_plan *plan = UNTOUCHED;

	(void)state;
	assert_int_equal(ssdpm_plan_new(kernel_machine, &params, &plan, NULL),
			 -EINVAL);
	assert_ptr_equal(plan, UNTOUCHED);
	plan = kernel_plan();
	assert_int_equal(ssdpm_plan_get_step(plan, 0, &step), -ERANGE);
	assert_int_equal(ssdpm_plan_get_table(plan, 0, &table), -ERANGE);
	step.size = 0;
	assert_int_equal(ssdpm_plan_get_step(plan, 0, &step), -EINVAL);
	assert_null(ssdpm_plan_free(plan));
	assert_null(ssdpm_plan_free(NULL));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, kernel_between)
	const struct CMUnitTest tests[] = {
		TEST(steps_are_shown_in_the_order_in_which_they_are_done),
		TEST(a_step_has_its_values_as_numbers),
		TEST(a_commit_does_all_steps_and_the_next_writes_nothing),
		TEST(parameters_make_all_controllers_build_their_tables),
		TEST(a_change_of_policy_clears_asp_on_the_way),
		TEST(a_policy_that_the_kernel_does_not_know_gives_way),
		TEST(a_port_that_does_not_come_back_is_an_error),
		TEST(a_port_that_hangs_stands_in_nobodys_way),
		TEST(a_port_that_vanishes_undoes_the_rest),
		TEST(a_port_whose_bits_never_show_is_undone),
		TEST(a_port_that_is_refused_undoes_the_rest),
		TEST(a_value_that_is_taken_and_not_kept_is_an_error),
		TEST(another_table_than_predicted_is_undone),
		TEST(where_the_table_cannot_be_read_the_step_says_so),
		TEST(what_somebody_else_changed_is_not_written_over),
		TEST(a_plan_is_made_again_where_somebody_writes_meanwhile),
		TEST(what_no_command_tells_is_no_failure_of_apply),
		TEST(revert_goes_back_to_what_was_there_first),
		TEST(revert_leaves_alone_what_somebody_else_changed),
		TEST(a_port_has_one_name_in_all_plans),
		TEST(a_record_of_another_boot_is_none),
		TEST(a_plan_undoes_what_it_committed),
		TEST(a_plan_leaves_alone_what_somebody_else_changed),
		TEST(a_plan_with_nothing_to_write_is_undone_by_nothing),
		TEST(verify_says_what_is_not_in_force),
		TEST(a_table_of_ones_own_is_sent_and_taken_back),
		TEST(parameters_without_a_table_of_theirs_get_it),
		TEST(what_a_plan_does_not_speak_of_is_not_built_anew),
		TEST(a_foreign_table_comes_back),
		TEST(a_foreign_table_survives_a_commit_that_fails),
		TEST(where_linux_takes_no_table_its_own_is_built),
		TEST(a_table_of_ones_own_outlives_a_change_of_the_tolerance),
		TEST(revert_goes_back_to_the_first_table),
		TEST(a_table_of_ones_own_is_verified_without_the_drives_word),
		TEST(what_tables_are_made_from_is_read_again),
		TEST(tables_that_must_not_be_are_refused),
		TEST(what_cannot_be_set_is_refused_with_the_reason),
		TEST(an_empty_port_is_left_alone_unless_any_port_is_meant),
		TEST(a_profile_goes_to_all_devices_that_can),
		TEST(a_journal_that_is_no_file_stops_every_commit),
		TEST(what_stands_in_the_way_of_a_journal_is_not_written_to),
		TEST(a_directory_that_others_may_write_is_not_trusted),
		TEST(a_record_that_cannot_be_renamed_is_not_written_over),
		TEST(a_revert_forgets_only_what_it_shows),
		TEST(a_root_without_the_marker_is_not_written_to),
		TEST(sizes_of_structures_are_checked),
	};

	return cmocka_run_group_tests(tests, kernel_setup, kernel_teardown);
}
