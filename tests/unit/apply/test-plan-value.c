/* SPDX-License-Identifier: MIT */
/* What a link may do, and the queue of a SATA drive: set, checked, reverted. */
#include "calls.h"
#include "kernel.h"

#include "apply/internal.h"

#include <stdio.h>

#define L1 SSDPM_PCIE_FEATURE_L1
#define L1_2 SSDPM_PCIE_FEATURE_L1_2

static struct ssdpm_device *device, *disk;

static int boot(void **state)
{
	kernel_setup(state);
	device = kernel_device("nvme0");
	disk = kernel_device("sda");
	return 0;
}

static int halt(void **state)
{
	device = ssdpm_device_unref(device);
	disk = ssdpm_device_unref(disk);
	return kernel_teardown(state);
}

static struct ssdpm_plan *plan_value(struct ssdpm_device *of, uint32_t kind,
				     uint64_t value)
{
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_error error;

	if (ssdpm_plan_add_value(plan, of, kind, value, &error))
		fail_msg("%s", error.message);
	kernel_read(plan);
	return plan;
}

static uint32_t link_now(void)
{
	return kernel_link(&kernel->now.drives[0]);
}

static void a_link_without_a_substate_keeps_l1(void **state)
{
	const uint32_t before = link_now();
	struct ssdpm_plan *plan = plan_value(device, SSDPM_STEP_PCIE_LINK,
					     before & ~(uint32_t)L1_2);
	const struct ssdpm_step step = kernel_step(plan, 0);

	(void)state;
	assert_true(before & L1_2);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 1);
	assert_int_equal(step.kind, SSDPM_STEP_PCIE_LINK);
	assert_string_equal(step.device, "nvme0");
	assert_non_null(strstr(step.target, "nvme0/device/link/l1_2_aspm"));
	assert_int_equal(step.before_value->pcie_link, 1);
	assert_int_equal(step.after_value->pcie_link, 0);
	assert_int_equal(step.flags,
			 SSDPM_STEP_REVERSIBLE | SSDPM_STEP_UNTIL_REBOOT);
	kernel_commit(plan);
	assert_int_equal(link_now(), before & ~(uint32_t)L1_2);
	ssdpm_plan_free(plan);
}

/* Linux turns substates off with L1, and on again with none of them. */
static void a_link_that_was_off_has_its_substates_again(void **state)
{
	const struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = plan_value(device, SSDPM_STEP_PCIE_LINK, 0);

	(void)state;
	kernel_commit(plan);
	assert_int_equal(link_now(), 0);
	assert_int_equal(ssdpm_plan_verify(plan, 0, NULL), 0);
	assert_int_equal(ssdpm_plan_revert(plan, NULL), 0);
	assert_true(kernel_same(&kernel->now, &before));
	ssdpm_plan_free(plan);
	plan = plan_value(device, SSDPM_STEP_PCIE_LINK, 0);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	plan = kernel_plan_applied();
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 0);
	ssdpm_plan_free(plan);
	plan = kernel_plan_revert();
	kernel_commit(plan);
	assert_true(kernel_same(&kernel->now, &before));
	ssdpm_plan_free(plan);
}

/* Linux turns them off with L1, and does not turn them on with it. */
static void substates_that_are_kept_come_back_with_l1(void **state)
{
	const struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = kernel_plan_of(0);

	(void)state;
	assert_int_equal(ssdpm_plan_add_value(
				 plan, device, SSDPM_STEP_PCIE_LINK,
				 SSDPM_PCIE_LINK_KEEP(link_now() & ~L1), NULL),
			 0);
	kernel_commit(plan);
	assert_int_equal(link_now() & (L1 | L1_2), 0);
	ssdpm_plan_free(plan);
	plan = kernel_plan_revert();
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	assert_true(kernel_same(&kernel->now, &before));
}

/* Linux turns L1 on with a substate: it is on before. */
static void what_was_off_is_off_again_after_it_was_on(void **state)
{
	struct kernel_values off;
	struct ssdpm_plan *plan;

	(void)state;
	kernel->now.drives[0].link_off = UINT32_MAX;
	kernel_sync();
	off = kernel->now;
	plan = plan_value(device, SSDPM_STEP_PCIE_LINK, L1 | L1_2);
	kernel_commit(plan);
	assert_int_equal(link_now(), L1 | L1_2);
	/* And the others were told to stay off. */
	assert_int_equal(ssdpm_plan_count(plan, 1u << SSDPM_STEP_DONE), 4);
	ssdpm_plan_free(plan);
	plan = kernel_plan_revert();
	kernel_commit(plan);
	assert_true(kernel_same(&kernel->now, &off));
	ssdpm_plan_free(plan);
}

/* On Linux before 6.7 the files of the substates were told nothing. */
static void l1_goes_on_without_substates_that_are_to_stay_off(void **state)
{
	struct ssdpm_plan *plan;

	(void)state;
	kernel->link_is_old = true;
	kernel->now.drives[0].link_off = L1 | SSDPM_PCIE_FEATURE_CLKPM;
	kernel_sync();
	assert_int_equal(link_now(), 0);
	kernel->n_writes = 0;
	plan = plan_value(device, SSDPM_STEP_PCIE_LINK, L1);
	kernel_commit(plan);
	assert_int_equal(link_now(), L1);
	assert_int_equal(ssdpm_plan_verify(plan, 0, NULL), 0);
	ssdpm_plan_free(plan);
	/* It is so: nothing is written. */
	kernel->n_writes = 0;
	plan = plan_value(device, SSDPM_STEP_PCIE_LINK, L1);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 0);
	kernel_commit(plan);
	assert_int_equal(kernel->n_writes, 0);
	ssdpm_plan_free(plan);
	plan = kernel_plan_revert();
	kernel_commit(plan);
	assert_int_equal(link_now(), 0);
	ssdpm_plan_free(plan);
}

/* libata takes it, and sets what the drive has. */
static void a_queue_depth_that_linux_clamps_fails_the_commit(void **state)
{
	struct ssdpm_plan *plan;

	(void)state;
	kernel->max_depth = 31;
	strcpy(kernel->now.ports[0].depth, "31");
	kernel_sync();
	plan = plan_value(disk, SSDPM_STEP_QUEUE_DEPTH, 32);
	kernel_commit_fails(plan, -EIO, "queue_depth");
	assert_string_equal(kernel->now.ports[0].depth, "31");
	ssdpm_plan_free(plan);
}

static void a_queue_depth_that_nobody_could_restore_is_left_alone(void **state)
{
	struct ssdpm_plan *plan;
	struct ssdpm_step step;

	(void)state;
	strcpy(kernel->now.ports[0].depth, "64");
	kernel_sync();
	plan = plan_value(disk, SSDPM_STEP_QUEUE_DEPTH, 8);
	step = kernel_step(plan, 0);
	assert_int_equal(step.state, SSDPM_STEP_LEFT_ALONE);
	assert_non_null(strstr(step.why, "it reads 64, which this version"));
	kernel_commit(plan);
	assert_string_equal(kernel->now.ports[0].depth, "64");
	ssdpm_plan_free(plan);
}

static void what_the_firmware_forbids_fails_the_commit_and_is_undone(
	void **state)
{
	struct ssdpm_plan *plan;

	(void)state;
	kernel->now.drives[0].allowed &= ~(uint32_t)L1_2;
	kernel_sync();
	plan = plan_value(device, SSDPM_STEP_PCIE_LINK, L1 | L1_2);
	kernel_commit_fails(plan, -EIO, "l1_2_aspm");
	assert_false(link_now() & L1_2);
	ssdpm_plan_free(plan);
}

static void one_command_at_a_time_is_set_and_taken_back(void **state)
{
	const struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = plan_value(disk, SSDPM_STEP_QUEUE_DEPTH, 1);
	const struct ssdpm_step step = kernel_step(plan, 0);

	(void)state;
	assert_string_equal(step.device, "sda");
	assert_string_equal(step.before, "32");
	assert_string_equal(step.after, "1");
	assert_string_equal(step.why, "until the next boot");
	kernel_commit(plan);
	assert_string_equal(kernel->now.ports[0].depth, "1");
	ssdpm_plan_free(plan);
	plan = kernel_plan();
	assert_int_equal(ssdpm_plan_add_applied(plan, disk, NULL), 0);
	kernel_read(plan);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 1);
	ssdpm_plan_free(plan);
	plan = kernel_plan_revert();
	kernel_commit(plan);
	assert_true(kernel_same(&kernel->now, &before));
	ssdpm_plan_free(plan);
}

static void write_line(const char *device_path, const char *name,
		       const char *line)
{
	char path[600];
	FILE *file;

	snprintf(path, sizeof(path), "%.200s%.300s/%s", kernel_root(),
		 device_path, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", line);
	assert_int_equal(fclose(file), 0);
}

/* Linux lets go of the controller; its PCI function stays. */
static void a_link_is_put_back_after_linux_gave_its_controller_up(void **state)
{
	const char *controller = ssdpm_device_get_facts(device)->path;
	const struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = plan_value(device, SSDPM_STEP_PCIE_LINK, 0);
	char link[600], away[600];

	(void)state;
	snprintf(link, sizeof(link), "%.200s%.300s/device", kernel_root(),
		 controller);
	snprintf(away, sizeof(away), "%.200s/away", kernel_root());
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	assert_int_equal(rename(link, away), 0);
	write_line(controller, "state", "dead");
	plan = kernel_plan_revert();
	assert_string_equal(kernel_step(plan, 0).device, "nvme0");
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	write_line(controller, "state", "live");
	assert_int_equal(rename(away, link), 0);
	assert_true(kernel_same(&kernel->now, &before));
}

static void another_disk_in_its_place_keeps_its_queue(void **state)
{
	const char *path = ssdpm_device_get_facts(disk)->path;
	struct ssdpm_plan *plan;

	(void)state;
	write_line(path, "device/wwid", "naa.5000000000000001");
	plan = plan_value(disk, SSDPM_STEP_QUEUE_DEPTH, 1);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	write_line(path, "device/wwid", "naa.5000000000000002");
	plan = kernel_plan_revert();
	assert_non_null(strstr(kernel_step(plan, 0).why, "another drive"));
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	assert_string_equal(kernel->now.ports[0].depth, "1");
}

static void a_link_without_files_is_refused(void **state)
{
	struct ssdpm_device_facts *facts =
		(struct ssdpm_device_facts *)ssdpm_device_get_facts(device);
	const uint32_t capable = facts->pcie_capable;
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_error error;

	(void)state;
	facts->pcie_capable = 0;
	kernel_assert_fails(ssdpm_plan_add_value(plan, device,
						 SSDPM_STEP_PCIE_LINK, 0,
						 &error),
			    &error, -EOPNOTSUPP, "link/ of sysfs has no files");
	facts->pcie_capable = capable;
	ssdpm_plan_free(plan);
}

static void values_that_nobody_can_keep_are_refused(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_error error;
	const uint32_t capable = kernel->now.drives[0].capable;

	(void)state;
	kernel_assert_fails(ssdpm_plan_add_value(plan, disk,
						 SSDPM_STEP_PCIE_LINK, 0,
						 &error),
			    &error, -EOPNOTSUPP, "sda is no NVMe controller");
	kernel_assert_fails(ssdpm_plan_add_value(plan, device,
						 SSDPM_STEP_PCIE_LINK,
						 capable << 8, &error),
			    &error, -EINVAL, "its link lacks a feature");
	kernel_assert_fails(ssdpm_plan_add_value(plan, device,
						 SSDPM_STEP_PCIE_LINK, L1_2,
						 &error),
			    &error, -EINVAL, "L1.1 and L1.2 need l1_aspm");
	kernel_assert_fails(ssdpm_plan_add_value(plan, device,
						 SSDPM_STEP_QUEUE_DEPTH, 1,
						 &error),
			    &error, -EOPNOTSUPP, "nvme0 is no SATA drive");
	kernel_assert_fails(ssdpm_plan_add_value(plan, disk,
						 SSDPM_STEP_QUEUE_DEPTH, 0,
						 &error),
			    &error, -EINVAL, "1 to 32, and not 0");
	kernel_assert_fails(ssdpm_plan_add_value(plan, disk,
						 SSDPM_STEP_QUEUE_DEPTH, 33,
						 &error),
			    &error, -EINVAL, "1 to 32, and not 33");
	kernel_assert_fails(
		ssdpm_plan_add_value(plan, device, SSDPM_STEP_LPM, 1, &error),
		&error, -EINVAL, "has no number for a value");
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 0);
	ssdpm_plan_free(plan);
}

static int read_and_commit(struct ssdpm_plan *plan, int err)
{
	if (!err)
		err = ssdpm_plan_read(plan, NULL);
	if (!err)
		err = ssdpm_plan_commit(plan, NULL);
	ssdpm_plan_free(plan);
	return err;
}

static int commit_off(void *data)
{
	struct ssdpm_plan *plan = kernel_plan();
	int err = ssdpm_plan_add_value(plan, device, SSDPM_STEP_PCIE_LINK, 0,
				       NULL);

	(void)data;
	if (!err)
		err = ssdpm_plan_add_value(plan, disk, SSDPM_STEP_QUEUE_DEPTH,
					   1, NULL);
	return read_and_commit(plan, err);
}

/* Once the record has all, a kill is too late to matter. */
static bool all_is_set(void)
{
	return !link_now() && !strcmp(kernel->now.ports[0].depth, "1");
}

static void after_a_kill_all_is_as_before_or_as_planned(void **state)
{
	const struct kernel_values before = kernel->now;
	int n = 1, n_undone = 0;

	(void)state;
	while (kernel_run_and_kill(n++, commit_off, NULL)) {
		assert_int_equal(kernel_recover(kernel_machine, NULL, NULL), 0);
		n_undone += kernel_same(&kernel->now, &before);
		assert_true(kernel_same(&kernel->now, &before) || all_is_set());
		kernel_reset();
	}
	assert_true(all_is_set());
	assert_in_range(n_undone, 10, n);
}

static int commit_on(void *data)
{
	struct ssdpm_plan *plan = kernel_plan();

	(void)data;
	return read_and_commit(plan, ssdpm_plan_add_value(plan, device,
							  SSDPM_STEP_PCIE_LINK,
							  L1 | L1_2, NULL));
}

static void after_a_kill_l1_is_off_again_if_it_was(void **state)
{
	int n = 1, status;

	(void)state;
	do {
		kernel_reset();
		kernel->now.drives[0].link_off = UINT32_MAX;
		kernel_sync();
		status = kernel_run_and_kill(n++, commit_on, NULL);
		if (status)
			assert_int_equal(
				kernel_recover(kernel_machine, NULL, NULL), 0);
		assert_true(!link_now() || link_now() == (L1 | L1_2));
	} while (status);
	assert_in_range(n, 8, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_link_without_a_substate_keeps_l1,
				       kernel_between),
		cmocka_unit_test_setup(
			a_link_that_was_off_has_its_substates_again,
			kernel_between),
		cmocka_unit_test_setup(
			substates_that_are_kept_come_back_with_l1,
			kernel_between),
		cmocka_unit_test_setup(
			what_was_off_is_off_again_after_it_was_on,
			kernel_between),
		cmocka_unit_test_setup(
			l1_goes_on_without_substates_that_are_to_stay_off,
			kernel_between),
		cmocka_unit_test_setup(
			a_queue_depth_that_linux_clamps_fails_the_commit,
			kernel_between),
		cmocka_unit_test_teardown(
			a_queue_depth_that_nobody_could_restore_is_left_alone,
			kernel_between),
		cmocka_unit_test_setup(
			what_the_firmware_forbids_fails_the_commit_and_is_undone,
			kernel_between),
		cmocka_unit_test_setup(
			one_command_at_a_time_is_set_and_taken_back,
			kernel_between),
		cmocka_unit_test_setup(
			a_link_is_put_back_after_linux_gave_its_controller_up,
			kernel_between),
		cmocka_unit_test_setup(
			another_disk_in_its_place_keeps_its_queue,
			kernel_between),
		cmocka_unit_test_setup(a_link_without_files_is_refused,
				       kernel_between),
		cmocka_unit_test_setup(values_that_nobody_can_keep_are_refused,
				       kernel_between),
		cmocka_unit_test_setup(after_a_kill_l1_is_off_again_if_it_was,
				       kernel_between),
		cmocka_unit_test_setup(
			after_a_kill_all_is_as_before_or_as_planned,
			kernel_between),
	};

	return cmocka_run_group_tests(tests, boot, halt);
}
