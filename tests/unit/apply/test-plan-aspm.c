/* SPDX-License-Identifier: MIT */
/* The ASPM policy of the machine, and D3cold of a drive. */
#include "calls.h"
#include "kernel.h"

#include "apply/internal.h"

#include <stdio.h>

#define L1 SSDPM_PCIE_FEATURE_L1
#define L1_2 SSDPM_PCIE_FEATURE_L1_2
#define CLKPM SSDPM_PCIE_FEATURE_CLKPM

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

static struct ssdpm_plan *plan_policy(uint32_t flags, uint32_t policy)
{
	struct ssdpm_plan *plan = kernel_plan_of(flags);
	struct ssdpm_error error;

	if (ssdpm_plan_add_value(plan, NULL, SSDPM_STEP_ASPM_POLICY, policy,
				 &error))
		fail_msg("%s", error.message);
	kernel_read(plan);
	return plan;
}

static struct ssdpm_plan *plan_d3cold(uint32_t value)
{
	struct ssdpm_plan *plan = kernel_plan();

	assert_int_equal(ssdpm_plan_add_value(plan, device, SSDPM_STEP_D3COLD,
					      value, NULL),
			 0);
	kernel_read(plan);
	return plan;
}

static void a_policy_is_of_all_devices_and_is_set(void **state)
{
	struct ssdpm_plan *plan = plan_policy(0, SSDPM_ASPM_POWERSUPERSAVE);
	const struct ssdpm_step step = kernel_step(plan, 0);
	char *text;

	(void)state;
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 1);
	assert_int_equal(step.kind, SSDPM_STEP_ASPM_POLICY);
	assert_int_equal(step.parameter, 0);
	assert_string_equal(step.device, "all");
	assert_string_equal(step.target,
			    "/sys/module/pcie_aspm/parameters/policy");
	assert_string_equal(step.before, "default");
	assert_string_equal(step.after, "powersupersave");
	assert_int_equal(step.before_value->aspm_policy, SSDPM_ASPM_DEFAULT);
	assert_int_equal(step.after_value->aspm_policy,
			 SSDPM_ASPM_POWERSUPERSAVE);
	assert_int_equal(step.flags, SSDPM_STEP_REVERSIBLE |
					     SSDPM_STEP_ALL_DRIVES |
					     SSDPM_STEP_UNTIL_REBOOT);
	kernel_commit(plan);
	text = kernel_text("sys/module/pcie_aspm/parameters/policy");
	assert_non_null(strstr(text, " powersave [powersupersave]"));
	free(text);
	assert_int_equal(ssdpm_plan_verify(plan, 0, NULL), 0);
	ssdpm_plan_free(plan);
	/* It is so: nothing is written. */
	kernel->n_writes = 0;
	plan = plan_policy(0, SSDPM_ASPM_POWERSUPERSAVE);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 0);
	kernel_commit(plan);
	assert_int_equal(kernel->n_writes, 0);
	ssdpm_plan_free(plan);
}

static struct ssdpm_plan *plan_applied_of(const char *name)
{
	struct ssdpm_device *of = kernel_device(name);
	struct ssdpm_plan *plan = kernel_plan();

	assert_int_equal(ssdpm_plan_add_applied(plan, of, NULL), 0);
	kernel_read(plan);
	ssdpm_device_unref(of);
	return plan;
}

static void a_policy_is_looked_at_again_and_reverted(void **state)
{
	const struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = plan_policy(0, SSDPM_ASPM_PERFORMANCE);

	(void)state;
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	assert_int_equal(kernel_link(&kernel->now.drives[0]), 0);
	plan = kernel_plan_applied();
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_IN_FORCE);
	ssdpm_plan_free(plan);
	/* Somebody else sets another. */
	strcpy(kernel->now.aspm_policy, "powersave");
	kernel_sync();
	plan = plan_applied_of("nvme1");
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 1);
	kernel_commit(plan);
	assert_string_equal(kernel->now.aspm_policy, "performance");
	ssdpm_plan_free(plan);
	/* The link of a controller for SATA follows it as well. */
	plan = plan_applied_of("sda");
	assert_int_equal(ssdpm_plan_count(plan, 1u << SSDPM_STEP_IN_FORCE), 1);
	ssdpm_plan_free(plan);
	plan = kernel_plan_revert();
	kernel_commit(plan);
	assert_true(kernel_same(&kernel->now, &before));
	ssdpm_plan_free(plan);
	kernel_assert_nothing_kept();
}

/* pcie_aspm_set_policy() where the FADT says that there is no ASPM */
static void a_firmware_that_keeps_aspm_is_named(void **state)
{
	struct ssdpm_plan *plan;

	(void)state;
	kernel->keeps_aspm = true;
	plan = plan_policy(SSDPM_PLAN_STRICT, SSDPM_ASPM_POWERSUPERSAVE);
	kernel_commit_fails(plan, -EOPNOTSUPP, "the firmware keeps ASPM");
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_FAILED);
	assert_null(strstr(kernel_step(plan, 0).why, "root"));
	assert_string_equal(kernel->now.aspm_policy, "default");
	ssdpm_plan_free(plan);
	kernel_assert_nothing_kept();
}

/* No firmware keeps the files of a capture. */
static void a_capture_that_refuses_a_policy_names_no_firmware(void **state)
{
	const int capture = kernel_machine->capture;
	struct ssdpm_plan *plan;

	(void)state;
	kernel->keeps_aspm = true;
	plan = plan_policy(0, SSDPM_ASPM_POWERSUPERSAVE);
	kernel_machine->capture = 2;
	kernel_commit_fails(plan, -EPERM, "cannot write powersupersave to ");
	kernel_machine->capture = capture;
	assert_null(strstr(kernel_step(plan, 0).why, "firmware"));
	ssdpm_plan_free(plan);
}

static void a_policy_that_linux_does_not_keep_fails_the_commit(void **state)
{
	struct ssdpm_plan *plan;

	(void)state;
	kernel->ignores = true;
	plan = plan_policy(0, SSDPM_ASPM_POWERSAVE);
	kernel_commit_fails(plan, -EIO,
			    "powersave was written, and it reads default");
	ssdpm_plan_free(plan);
}

static void a_policy_of_a_newer_kernel_is_left_alone(void **state)
{
	struct ssdpm_plan *plan;
	struct ssdpm_step step;

	(void)state;
	strcpy(kernel->now.aspm_policy, "ultrasave");
	kernel_sync();
	plan = plan_policy(0, SSDPM_ASPM_POWERSAVE);
	step = kernel_step(plan, 0);
	assert_int_equal(step.state, SSDPM_STEP_LEFT_ALONE);
	assert_non_null(strstr(step.why, "it reads ultrasave, which this"));
	kernel_commit(plan);
	assert_string_equal(kernel->now.aspm_policy, "ultrasave");
	ssdpm_plan_free(plan);
}

static void add_link(struct ssdpm_plan *plan, uint64_t value)
{
	struct ssdpm_error error;

	if (ssdpm_plan_add_value(plan, device, SSDPM_STEP_PCIE_LINK, value,
				 &error))
		fail_msg("%s", error.message);
}

static void empty_file(const char *path)
{
	char name[256];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s", kernel_root(), path);
	file = fopen(name, "w");
	assert_non_null(file);
	fclose(file);
}

/* A capture may have such a file. */
static void a_file_that_is_empty_is_left_alone(void **state)
{
	static const char link[] = "sys/class/nvme/nvme0/device/";
	struct ssdpm_plan *plan = kernel_plan();
	char path[128];

	(void)state;
	empty_file(SSDPM__ASPM_POLICY);
	snprintf(path, sizeof(path), "%sd3cold_allowed", link);
	empty_file(path);
	snprintf(path, sizeof(path), "%slink/l1_2_aspm", link);
	empty_file(path);
	assert_int_equal(ssdpm_plan_add_value(plan, NULL,
					      SSDPM_STEP_ASPM_POLICY,
					      SSDPM_ASPM_POWERSAVE, NULL),
			 0);
	assert_int_equal(
		ssdpm_plan_add_value(plan, device, SSDPM_STEP_D3COLD, 0, NULL),
		0);
	add_link(plan,
		 SSDPM_PCIE_LINK_KEEP(kernel->now.drives[0].capable & ~L1_2));
	kernel_commit(plan);
	assert_int_equal(ssdpm_plan_count(plan, 1u << SSDPM_STEP_LEFT_ALONE),
			 3);
	assert_string_equal(kernel_step(plan, 0).why,
			    "its file is empty: it is not known");
	ssdpm_plan_free(plan);
	kernel_sync();
}

/* The policy comes before the features that it allows. */
static void a_policy_and_a_feature_of_a_link_are_set_together(void **state)
{
	struct ssdpm_plan *plan;
	struct kernel_values before;

	(void)state;
	kernel->now.drives[0].link_off = L1_2;
	kernel_sync();
	strcpy(kernel->now.aspm_policy, "performance");
	for (int i = 0; i < KERNEL_DRIVES; i++)
		kernel->now.drives[i].allowed = 0;
	kernel_sync();
	before = kernel->now;
	plan = kernel_plan_of(0);
	assert_int_equal(ssdpm_plan_add_value(plan, device,
					      SSDPM_STEP_PCIE_LINK, L1 | L1_2,
					      NULL),
			 0);
	assert_int_equal(ssdpm_plan_add_value(plan, NULL,
					      SSDPM_STEP_ASPM_POLICY,
					      SSDPM_ASPM_POWERSUPERSAVE, NULL),
			 0);
	kernel_commit(plan);
	assert_int_equal(kernel_step(plan, 0).kind, SSDPM_STEP_ASPM_POLICY);
	assert_int_equal(kernel_link(&kernel->now.drives[0]) & (L1 | L1_2),
			 L1 | L1_2);
	ssdpm_plan_free(plan);
	plan = kernel_plan_revert();
	kernel_commit(plan);
	assert_true(kernel_same(&kernel->now, &before));
	ssdpm_plan_free(plan);
}

/* A policy without substates: their files read 0, and Linux was told nothing.
 */
static void start_with_powersave(void)
{
	strcpy(kernel->now.aspm_policy, "powersave");
	for (int i = 0; i < KERNEL_DRIVES; i++)
		kernel->now.drives[i].allowed = CLKPM | L1;
	kernel_sync();
}

static uint32_t link_now(void)
{
	return kernel_link(&kernel->now.drives[0]);
}

static void assert_reverted(const struct kernel_values *before)
{
	struct ssdpm_plan *plan = kernel_plan_revert();

	kernel_commit(plan);
	assert_true(kernel_same(&kernel->now, before));
	ssdpm_plan_free(plan);
	kernel_assert_nothing_kept();
}

static void a_feature_stays_off_with_a_policy_of_the_same_plan(void **state)
{
	static const uint32_t flags[] = { 0, SSDPM_PLAN_STRICT };
	struct kernel_values before;
	struct ssdpm_plan *plan;

	(void)state;
	start_with_powersave();
	before = kernel->now;
	for (int i = 0; i < 2; i++) {
		plan = kernel_plan_of(flags[i]);
		assert_int_equal(
			ssdpm_plan_add_value(plan, NULL, SSDPM_STEP_ASPM_POLICY,
					     SSDPM_ASPM_POWERSUPERSAVE, NULL),
			0);
		add_link(plan, SSDPM_PCIE_LINK_KEEP(UINT32_MAX & ~L1_2 &
						    before.drives[0].capable));
		kernel_commit(plan);
		assert_int_equal(link_now(), before.drives[0].capable & ~L1_2);
		assert_int_equal(ssdpm_plan_verify(plan, 0, NULL), 0);
		assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 2);
		ssdpm_plan_free(plan);
		assert_reverted(&before);
	}
}

static void a_feature_stays_off_with_a_policy_that_comes_later(void **state)
{
	struct ssdpm_plan *plan;
	uint32_t others;

	(void)state;
	start_with_powersave();
	others = kernel->now.drives[0].capable & ~L1_2;
	for (int i = 0; i < 2; i++) {
		plan = kernel_plan_of(0);
		add_link(plan, SSDPM_PCIE_LINK_KEEP(others));
		kernel_read(plan);
		assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING),
				 0);
		kernel->n_writes = 0;
		kernel_commit(plan);
		/* Once is enough. */
		assert_int_equal(kernel->n_writes, !i);
		ssdpm_plan_free(plan);
	}
	plan = plan_policy(0, SSDPM_ASPM_POWERSUPERSAVE);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	assert_int_equal(link_now(), others);
	plan = kernel_plan_applied();
	assert_int_equal(ssdpm_plan_count(plan, 1u << SSDPM_STEP_IN_FORCE), 2);
	ssdpm_plan_free(plan);
}

static void a_feature_that_the_new_policy_forbids_is_left_alone(void **state)
{
	static const uint32_t flags[] = { 0, SSDPM_PLAN_STRICT };

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct kernel_values before = kernel->now;
		struct ssdpm_plan *plan = kernel_plan_of(flags[i]);

		add_link(plan, L1 | SSDPM_PCIE_LINK_KEEP(CLKPM | L1_2));
		assert_int_equal(
			ssdpm_plan_add_value(plan, NULL, SSDPM_STEP_ASPM_POLICY,
					     SSDPM_ASPM_PERFORMANCE, NULL),
			0);
		kernel_commit(plan);
		assert_string_equal(kernel_step(plan, 0).after, "performance");
		assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_DONE);
		assert_int_equal(
			ssdpm_plan_count(plan, 1u << SSDPM_STEP_LEFT_ALONE), 1);
		ssdpm_plan_free(plan);
		assert_reverted(&before);
	}
}

/* Nor are its substates told that they stay off as L1 goes on. */
static void what_the_policy_forbids_is_not_written(void **state)
{
	static const uint32_t asked[] = { L1, L1 | L1_2 };
	struct ssdpm_plan *plan = plan_policy(0, SSDPM_ASPM_PERFORMANCE);

	(void)state;
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	for (int i = 0; i < 2; i++) {
		const uint32_t others =
			kernel->now.drives[0].capable & ~asked[i];

		plan = kernel_plan_of(0);
		add_link(plan, asked[i] | SSDPM_PCIE_LINK_KEEP(others));
		kernel->n_writes = 0;
		kernel_commit(plan);
		assert_int_equal(kernel->n_writes, 0);
		assert_int_equal(
			ssdpm_plan_count(plan, 1u << SSDPM_STEP_LEFT_ALONE),
			i + 1);
		ssdpm_plan_free(plan);
	}
}

static void a_policy_names_the_feature_that_it_forbids(void **state)
{
	struct ssdpm_plan *plan = kernel_plan_of(0);
	struct ssdpm_step step;

	(void)state;
	start_with_powersave();
	add_link(plan,
		 L1 | L1_2 |
			 SSDPM_PCIE_LINK_KEEP(~(L1 | L1_2) &
					      kernel->now.drives[0].capable));
	kernel_read(plan);
	assert_int_equal(ssdpm_plan_count(plan, 1u << SSDPM_STEP_IN_FORCE), 1);
	step = kernel_step(plan, 1);
	assert_int_equal(step.state, SSDPM_STEP_LEFT_ALONE);
	assert_string_equal(step.why,
			    "the ASPM policy powersave forbids l1_2_aspm");
	ssdpm_plan_free(plan);
}

/* Only a write shows what the firmware has set. */
static void a_strict_plan_with_a_policy_is_done_or_undone(void **state)
{
	struct kernel_values before;
	struct ssdpm_plan *plan;

	(void)state;
	start_with_powersave();
	before = kernel->now;
	kernel->firmware_forbids = L1;
	plan = kernel_plan_of(SSDPM_PLAN_STRICT);
	add_link(plan, L1 | SSDPM_PCIE_LINK_KEEP(CLKPM | L1_2));
	assert_int_equal(ssdpm_plan_add_value(plan, NULL,
					      SSDPM_STEP_ASPM_POLICY,
					      SSDPM_ASPM_DEFAULT, NULL),
			 0);
	kernel_commit_fails(plan, -EIO, "1 was written, and it reads 0");
	ssdpm_plan_free(plan);
	assert_true(kernel_same(&kernel->now, &before));
	kernel_assert_nothing_kept();
}

/* Its files say what is so now. */
static void read_device_again(void)
{
	kernel_sync();
	ssdpm_device_unref(device);
	device = kernel_device("nvme0");
}

static void add_policy(struct ssdpm_plan *plan, uint32_t policy)
{
	assert_int_equal(ssdpm_plan_add_value(plan, NULL,
					      SSDPM_STEP_ASPM_POLICY, policy,
					      NULL),
			 0);
}

/* Nor does the way back turn it off, beside the policy. */
static void what_the_policy_turns_on_is_not_written(void **state)
{
	static const uint32_t flags[] = { 0, SSDPM_PLAN_STRICT };
	const uint32_t capable = kernel->now.drives[0].capable;
	struct kernel_values before;

	(void)state;
	strcpy(kernel->now.aspm_policy, "performance");
	for (int i = 0; i < KERNEL_DRIVES; i++)
		kernel->now.drives[i].allowed = 0;
	read_device_again();
	before = kernel->now;
	for (int i = 0; i < 2; i++) {
		struct ssdpm_plan *plan = kernel_plan_of(flags[i]);

		add_link(plan, L1 | SSDPM_PCIE_LINK_KEEP(capable & ~L1));
		add_policy(plan, SSDPM_ASPM_POWERSUPERSAVE);
		kernel->n_writes = 0;
		kernel_commit(plan);
		assert_int_equal(kernel->n_writes, 1);
		assert_int_equal(
			ssdpm_plan_count(plan, 1u << SSDPM_STEP_IN_FORCE), 1);
		assert_int_equal(link_now(), capable);
		ssdpm_plan_free(plan);
		assert_reverted(&before);
		assert_int_equal(kernel->now.drives[0].link_off, 0);
	}
	kernel_reset();
	read_device_again();
}

/* What the policy has turned on was on before the link was set. */
static void a_link_that_fails_after_the_policy_has_what_the_policy_has(
	void **state)
{
	const uint32_t capable = kernel->now.drives[0].capable;
	struct ssdpm_plan *plan;

	(void)state;
	kernel->firmware_forbids = L1_2;
	strcpy(kernel->now.aspm_policy, "performance");
	kernel->now.drives[0].allowed = 0;
	read_device_again();
	plan = kernel_plan_of(0);
	add_link(plan, L1 | L1_2 | SSDPM_PCIE_LINK_KEEP(CLKPM));
	add_policy(plan, SSDPM_ASPM_DEFAULT);
	kernel_commit_fails(plan, -EIO, "1 was written, and it reads 0");
	ssdpm_plan_free(plan);
	assert_string_equal(kernel->now.aspm_policy, "default");
	assert_int_equal(link_now(), capable & ~L1_2);
	kernel_reset();
	read_device_again();
}

/* A step that the policy has done is not so any more. */
static void what_the_policy_turned_on_is_undone_with_it(void **state)
{
	struct kernel_values before;
	struct ssdpm_plan *plan;

	(void)state;
	start_with_powersave();
	before = kernel->now;
	kernel->firmware_forbids = L1_2;
	plan = kernel_plan_of(SSDPM_PLAN_STRICT);
	add_link(plan, L1 | SSDPM_PCIE_FEATURE_L1_1 | L1_2 |
			       SSDPM_PCIE_LINK_KEEP(CLKPM));
	add_policy(plan, SSDPM_ASPM_DEFAULT);
	kernel_commit_fails(plan, -EIO, "1 was written, and it reads 0");
	assert_non_null(strstr(kernel_step(plan, 2).target, "/l1_1_aspm"));
	assert_int_equal(kernel_step(plan, 2).state, SSDPM_STEP_PLANNED);
	assert_string_equal(kernel_step(plan, 2).before, "0");
	ssdpm_plan_free(plan);
	assert_true(kernel_same(&kernel->now, &before));
}

/* The policy has them off, and they do not go on with L1. */
static void substates_are_told_nothing_under_a_policy_without_them(void **state)
{
	const uint32_t capable = kernel->now.drives[0].capable;
	struct ssdpm_plan *plan;

	(void)state;
	kernel->link_is_old = true;
	kernel->now.drives[0].link_off = L1;
	start_with_powersave();
	read_device_again();
	plan = kernel_plan_of(0);
	add_link(plan, L1 | SSDPM_PCIE_LINK_KEEP(capable & ~L1));
	kernel_commit(plan);
	assert_int_equal(link_now(), CLKPM | L1);
	ssdpm_plan_free(plan);
	plan = plan_policy(0, SSDPM_ASPM_POWERSUPERSAVE);
	kernel_commit(plan);
	assert_int_equal(link_now(), capable);
	ssdpm_plan_free(plan);
	kernel_reset();
	read_device_again();
}

/* Linux was told that it stays off, and is not told otherwise. */
static void a_policy_that_is_refused_allows_no_feature(void **state)
{
	struct ssdpm_plan *plan;

	(void)state;
	kernel->keeps_aspm = true;
	kernel->now.drives[0].link_off = L1_2;
	start_with_powersave();
	plan = kernel_plan_of(0);
	add_link(plan, L1 | L1_2 | SSDPM_PCIE_LINK_KEEP(CLKPM));
	add_policy(plan, SSDPM_ASPM_POWERSUPERSAVE);
	kernel_commit_fails(plan, -EOPNOTSUPP, "the firmware keeps ASPM");
	for (size_t i = 1; i < ssdpm_plan_count(plan, SSDPM_STEPS_ALL); i++)
		if (kernel_step(plan, i).state == SSDPM_STEP_FAILED)
			assert_non_null(strstr(kernel_step(plan, i).why,
					       "the ASPM policy powersave "
					       "forbids l1_2_aspm"));
	assert_int_equal(ssdpm_plan_count(plan, 1u << SSDPM_STEP_FAILED), 2);
	assert_true(kernel->now.drives[0].link_off & L1_2);
	ssdpm_plan_free(plan);
}

/* As in a search for the setting that fails: trials go up and down. */
static void l1_that_goes_off_and_on_leaves_substates_as_they_were(void **state)
{
	struct kernel_values before;

	(void)state;
	kernel->link_is_old = true;
	start_with_powersave();
	before = kernel->now;
	for (uint32_t on = 0; on < 2; on++) {
		struct ssdpm_plan *plan = kernel_plan_of(0);

		add_link(plan, (on ? L1 : 0) |
				       SSDPM_PCIE_LINK_KEEP(
					       before.drives[0].capable & ~L1));
		kernel_commit(plan);
		assert_int_equal(link_now() & L1, on ? L1 : 0);
		ssdpm_plan_free(plan);
	}
	assert_true(kernel_same(&kernel->now, &before));
	assert_reverted(&before);
}

static void a_policy_is_named_that_has_a_feature_off(void **state)
{
	const uint32_t others = kernel->now.drives[0].capable & ~(L1 | L1_2);
	struct ssdpm_plan *plan = kernel_plan_of(0);

	(void)state;
	add_link(plan, L1 | SSDPM_PCIE_LINK_KEEP(others));
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	plan = plan_policy(0, SSDPM_ASPM_PERFORMANCE);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	/* The others were kept, so nobody asks for them. */
	plan = kernel_plan_applied();
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 3);
	assert_non_null(strstr(kernel_step(plan, 2).target, "/l1_aspm"));
	assert_non_null(
		strstr(kernel_step(plan, 2).why, "the ASPM policy has it off"));
	ssdpm_plan_free(plan);
}

/* It was on by a policy that goes back as well. */
static void a_feature_goes_back_to_what_the_first_policy_has(void **state)
{
	struct kernel_values before;
	struct ssdpm_plan *plan;

	(void)state;
	start_with_powersave();
	before = kernel->now;
	plan = plan_policy(0, SSDPM_ASPM_POWERSUPERSAVE);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	plan = kernel_plan_of(0);
	add_link(plan, SSDPM_PCIE_LINK_KEEP(link_now() & ~L1_2));
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	assert_false(link_now() & L1_2);
	plan = kernel_plan_revert();
	kernel_commit(plan);
	assert_int_equal(kernel_step(plan, 1).state, SSDPM_STEP_LEFT_ALONE);
	assert_string_equal(kernel_step(plan, 1).why,
			    "Linux may turn it on again, but its ASPM policy, "
			    "or the firmware, has it off");
	ssdpm_plan_free(plan);
	assert_true(kernel_same(&kernel->now, &before));
	/* Nothing is left of it. */
	kernel_assert_nothing_kept();
	plan = plan_policy(0, SSDPM_ASPM_POWERSUPERSAVE);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	assert_true(link_now() & L1_2);
}

/* Only the record shows that Linux was told so. */
static void a_feature_that_cannot_go_on_is_told_to_stay_off(void **state)
{
	struct ssdpm_plan *plan;

	(void)state;
	kernel->firmware_forbids = L1_2;
	for (int i = 0; i < KERNEL_DRIVES; i++)
		kernel->now.drives[i].allowed &= ~L1_2;
	kernel_sync();
	plan = kernel_plan_of(0);
	add_link(plan, L1 | SSDPM_PCIE_LINK_KEEP(CLKPM));
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	plan = kernel_plan_of(0);
	add_link(plan, L1 | L1_2 | SSDPM_PCIE_LINK_KEEP(CLKPM));
	kernel_commit_fails(plan, -EIO, "1 was written, and it reads 0");
	ssdpm_plan_free(plan);
	assert_true(kernel->now.drives[0].link_off & L1_2);
	/* So what was applied stays in force. */
	plan = plan_policy(0, SSDPM_ASPM_POWERSUPERSAVE);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	assert_false(link_now() & L1_2);
}

/* A feature that stays on is not as it was. */
static void a_feature_that_linux_keeps_on_fails_the_way_back(void **state)
{
	struct ssdpm_plan *plan;

	(void)state;
	kernel->now.drives[0].link_off = L1_2;
	kernel_sync();
	plan = kernel_plan_of(0);
	add_link(plan, L1 | L1_2 | SSDPM_PCIE_LINK_KEEP(CLKPM));
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	plan = kernel_plan_revert();
	kernel->ignores = true;
	kernel_commit_fails(plan, -EIO, "0 was written, and it reads 1");
	ssdpm_plan_free(plan);
	kernel->ignores = false;
	plan = kernel_plan_revert();
	kernel_commit(plan);
	assert_false(link_now() & L1_2);
	ssdpm_plan_free(plan);
}

/* Each drive has its own transaction, and the policy has one before them. */
static void each_drive_is_told_that_a_feature_stays_off(void **state)
{
	struct ssdpm_device *other = kernel_device("nvme1");
	struct ssdpm_device *const both[] = { device, other };

	(void)state;
	for (int with_policy = 0; with_policy < 2; with_policy++) {
		struct ssdpm_plan *plan = kernel_plan_of(0);

		start_with_powersave();
		if (with_policy)
			assert_int_equal(ssdpm_plan_add_value(
						 plan, NULL,
						 SSDPM_STEP_ASPM_POLICY,
						 SSDPM_ASPM_PERFORMANCE, NULL),
					 0);
		for (int i = 0; i < 2; i++)
			assert_int_equal(
				ssdpm_plan_add_value(
					plan, both[i], SSDPM_STEP_PCIE_LINK,
					SSDPM_PCIE_LINK_KEEP(
						kernel->now.drives[i].capable &
						~L1_2),
					NULL),
				0);
		kernel_read(plan);
		kernel_commit(plan);
		ssdpm_plan_free(plan);
		plan = plan_policy(0, SSDPM_ASPM_POWERSUPERSAVE);
		kernel_commit(plan);
		ssdpm_plan_free(plan);
		for (int i = 0; i < 2; i++)
			assert_false(kernel_link(&kernel->now.drives[i]) &
				     L1_2);
		plan = kernel_plan_revert();
		kernel_commit(plan);
		ssdpm_plan_free(plan);
		kernel->now.drives[0].link_off = 0;
		kernel->now.drives[1].link_off = 0;
		kernel_sync();
	}
	ssdpm_device_unref(other);
}

/* The link files read 0 because of that policy alone. */
static void after_a_policy_of_ours_a_feature_is_allowed_again(void **state)
{
	const struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = plan_policy(0, SSDPM_ASPM_PERFORMANCE);

	(void)state;
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	assert_int_equal(link_now(), 0);
	plan = kernel_plan_of(0);
	add_link(plan, 0);
	kernel_read(plan);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	assert_reverted(&before);
}

/* The tables of drives follow from parameters alone. */
static void a_policy_before_a_parameter_keeps_its_tables(void **state)
{
	const struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = kernel_plan_of(0);

	(void)state;
	assert_int_equal(ssdpm_plan_add_value(plan, NULL,
					      SSDPM_STEP_ASPM_POLICY,
					      SSDPM_ASPM_PERFORMANCE, NULL),
			 0);
	assert_int_equal(ssdpm_plan_add_nvme_core(
				 plan,
				 SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS, 500,
				 NULL),
			 0);
	kernel_commit(plan);
	assert_int_equal(kernel_step(plan, 0).kind, SSDPM_STEP_NVME_CORE);
	assert_int_equal(kernel_step(plan, 1).kind, SSDPM_STEP_ASPM_POLICY);
	assert_true(ssdpm_plan_count(plan, 1u << SSDPM_STEP_DONE) > 2);
	assert_int_equal(ssdpm_plan_revert(plan, NULL), 0);
	assert_true(kernel_same(&kernel->now, &before));
	ssdpm_plan_free(plan);
}

static void what_is_no_policy_is_refused(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();
	static const uint64_t wrong[] = { 0, 5, (UINT64_C(1) << 32) + 1 };
	struct ssdpm_error error;
	char from[128], to[128];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		kernel_assert_fails(ssdpm_plan_add_value(plan, NULL,
							 SSDPM_STEP_ASPM_POLICY,
							 wrong[i], &error),
				    &error, -EINVAL, "no ASPM policy has");
	snprintf(from, sizeof(from), "%s/sys/module/pcie_aspm", kernel_root());
	snprintf(to, sizeof(to), "%s/away", kernel_root());
	assert_int_equal(rename(from, to), 0);
	kernel_assert_fails(
		ssdpm_plan_add_value(plan, NULL, SSDPM_STEP_ASPM_POLICY,
				     SSDPM_ASPM_POWERSAVE, &error),
		&error, -EOPNOTSUPP, "this Linux has no ASPM policy");
	assert_int_equal(rename(to, from), 0);
	ssdpm_plan_free(plan);
}

static void d3cold_of_a_drive_is_set_and_reverted(void **state)
{
	const struct kernel_values before = kernel->now;
	struct ssdpm_plan *plan = plan_d3cold(0);
	const struct ssdpm_step step = kernel_step(plan, 0);

	(void)state;
	assert_true(kernel->now.drives[0].d3cold);
	assert_int_equal(step.kind, SSDPM_STEP_D3COLD);
	assert_string_equal(step.device, "nvme0");
	assert_non_null(strstr(step.target, "/nvme0/device/d3cold_allowed"));
	assert_int_equal(step.before_value->d3cold, 1);
	assert_int_equal(step.after_value->d3cold, 0);
	assert_int_equal(step.flags,
			 SSDPM_STEP_REVERSIBLE | SSDPM_STEP_UNTIL_REBOOT);
	kernel_commit(plan);
	assert_false(kernel->now.drives[0].d3cold);
	assert_int_equal(ssdpm_plan_verify(plan, 0, NULL), 0);
	ssdpm_plan_free(plan);
	plan = plan_applied_of("nvme0");
	assert_int_equal(kernel_step(plan, 0).state, SSDPM_STEP_IN_FORCE);
	ssdpm_plan_free(plan);
	plan = kernel_plan_revert();
	kernel_commit(plan);
	assert_true(kernel_same(&kernel->now, &before));
	ssdpm_plan_free(plan);
}

static void what_has_no_d3cold_is_refused(void **state)
{
	struct ssdpm_device_facts *facts =
		(struct ssdpm_device_facts *)ssdpm_device_get_facts(device);
	struct ssdpm_device *disk = kernel_device("sda");
	struct ssdpm_plan *plan = kernel_plan();
	const uint32_t known = facts->known;
	struct ssdpm_error error;

	(void)state;
	kernel_assert_fails(
		ssdpm_plan_add_value(plan, disk, SSDPM_STEP_D3COLD, 1, &error),
		&error, -EOPNOTSUPP, "sda is no NVMe controller");
	kernel_assert_fails(ssdpm_plan_add_value(plan, device,
						 SSDPM_STEP_D3COLD, 2, &error),
			    &error, -EINVAL, "0 or 1, and not 2");
	facts->known &= ~(uint32_t)SSDPM_FACT_D3COLD;
	kernel_assert_fails(ssdpm_plan_add_value(plan, device,
						 SSDPM_STEP_D3COLD, 1, &error),
			    &error, -EOPNOTSUPP, "no d3cold_allowed");
	facts->known = known;
	ssdpm_plan_free(plan);
	ssdpm_device_unref(disk);
}

/* The policy and the drive are two transactions. */
static int commit_each(void *data)
{
	struct ssdpm_plan *plan = kernel_plan_of(0);
	int err =
		ssdpm_plan_add_value(plan, device, SSDPM_STEP_D3COLD, 0, NULL);

	(void)data;
	if (!err)
		err = ssdpm_plan_add_value(plan, NULL, SSDPM_STEP_ASPM_POLICY,
					   SSDPM_ASPM_PERFORMANCE, NULL);
	if (!err)
		err = ssdpm_plan_commit(plan, NULL);
	ssdpm_plan_free(plan);
	return err;
}

static void assert_all_goes_back(const struct kernel_values *before)
{
	struct ssdpm_plan *plan;

	assert_int_equal(kernel_recover(kernel_machine, NULL, NULL), 0);
	plan = kernel_plan_revert();
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	assert_true(kernel_same(&kernel->now, before));
	kernel_assert_nothing_kept();
}

static void after_a_kill_both_go_back(void **state)
{
	const struct kernel_values before = kernel->now;
	int n = 1;

	(void)state;
	while (kernel_run_and_kill(n++, commit_each, NULL)) {
		assert_all_goes_back(&before);
		kernel_reset();
	}
	assert_in_range(n, 15, 200);
	assert_string_equal(kernel->now.aspm_policy, "performance");
	assert_false(kernel->now.drives[0].d3cold);
}

static bool fail_from(int n)
{
	bool failed;

	kernel_reset();
	kernel->mask = KERNEL_CHANGES;
	kernel->fail_at = n;
	kernel->error = EIO;
	kernel->for_ever = true;
	failed = commit_each(NULL);
	kernel_calm();
	return failed;
}

/* Its journal may be set aside meanwhile, as "journal-all". */
static void what_cannot_be_undone_at_once_goes_back_later(void **state)
{
	const struct kernel_values before = kernel->now;
	int n = 1;

	(void)state;
	while (fail_from(n++))
		assert_all_goes_back(&before);
	assert_in_range(n, 15, 200);
}

/* A record that names something else is refused, whoever wrote it. */
static void only_these_files_are_targets(void **state)
{
	static const char d3cold[] =
		"sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/device/";
	const struct step_kind *policy = ssdpm__kind(SSDPM_STEP_ASPM_POLICY);
	const struct step_kind *power = ssdpm__kind(SSDPM_STEP_D3COLD);
	char path[128];

	(void)state;
	assert_true(
		policy->is_target("sys/module/pcie_aspm/parameters/policy"));
	assert_false(
		policy->is_target("sys/module/nvme_core/parameters/policy"));
	snprintf(path, sizeof(path), "%sd3cold_allowed", d3cold);
	assert_true(power->is_target(path));
	snprintf(path, sizeof(path), "%sremove", d3cold);
	assert_false(power->is_target(path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_policy_is_of_all_devices_and_is_set,
				       kernel_between),
		cmocka_unit_test_setup(a_policy_is_looked_at_again_and_reverted,
				       kernel_between),
		cmocka_unit_test_setup(a_firmware_that_keeps_aspm_is_named,
				       kernel_between),
		cmocka_unit_test_setup(
			a_capture_that_refuses_a_policy_names_no_firmware,
			kernel_between),
		cmocka_unit_test_setup(
			a_policy_that_linux_does_not_keep_fails_the_commit,
			kernel_between),
		cmocka_unit_test_setup(a_policy_of_a_newer_kernel_is_left_alone,
				       kernel_between),
		cmocka_unit_test_setup(a_file_that_is_empty_is_left_alone,
				       kernel_between),
		cmocka_unit_test_setup(
			a_policy_and_a_feature_of_a_link_are_set_together,
			kernel_between),
		cmocka_unit_test_setup(
			a_feature_stays_off_with_a_policy_of_the_same_plan,
			kernel_between),
		cmocka_unit_test_setup(
			a_feature_stays_off_with_a_policy_that_comes_later,
			kernel_between),
		cmocka_unit_test_setup(
			a_feature_that_the_new_policy_forbids_is_left_alone,
			kernel_between),
		cmocka_unit_test_setup(what_the_policy_forbids_is_not_written,
				       kernel_between),
		cmocka_unit_test_setup(
			a_policy_names_the_feature_that_it_forbids,
			kernel_between),
		cmocka_unit_test_setup(
			a_strict_plan_with_a_policy_is_done_or_undone,
			kernel_between),
		cmocka_unit_test_setup(what_the_policy_turns_on_is_not_written,
				       kernel_between),
		cmocka_unit_test_setup(
			a_link_that_fails_after_the_policy_has_what_the_policy_has,
			kernel_between),
		cmocka_unit_test_setup(
			what_the_policy_turned_on_is_undone_with_it,
			kernel_between),
		cmocka_unit_test_setup(
			substates_are_told_nothing_under_a_policy_without_them,
			kernel_between),
		cmocka_unit_test_setup(
			a_policy_that_is_refused_allows_no_feature,
			kernel_between),
		cmocka_unit_test_setup(
			l1_that_goes_off_and_on_leaves_substates_as_they_were,
			kernel_between),
		cmocka_unit_test_setup(a_policy_is_named_that_has_a_feature_off,
				       kernel_between),
		cmocka_unit_test_setup(
			a_feature_goes_back_to_what_the_first_policy_has,
			kernel_between),
		cmocka_unit_test_setup(
			a_feature_that_linux_keeps_on_fails_the_way_back,
			kernel_between),
		cmocka_unit_test_setup(
			a_feature_that_cannot_go_on_is_told_to_stay_off,
			kernel_between),
		cmocka_unit_test_setup(
			each_drive_is_told_that_a_feature_stays_off,
			kernel_between),
		cmocka_unit_test_setup(
			after_a_policy_of_ours_a_feature_is_allowed_again,
			kernel_between),
		cmocka_unit_test_setup(
			a_policy_before_a_parameter_keeps_its_tables,
			kernel_between),
		cmocka_unit_test_setup(what_is_no_policy_is_refused,
				       kernel_between),
		cmocka_unit_test_setup(d3cold_of_a_drive_is_set_and_reverted,
				       kernel_between),
		cmocka_unit_test_setup(what_has_no_d3cold_is_refused,
				       kernel_between),
		cmocka_unit_test_setup(after_a_kill_both_go_back,
				       kernel_between),
		cmocka_unit_test_setup(
			what_cannot_be_undone_at_once_goes_back_later,
			kernel_between),
		cmocka_unit_test(only_these_files_are_targets),
	};

	return cmocka_run_group_tests(tests, boot, halt);
}
