/* SPDX-License-Identifier: MIT */
/* SATA ports with several disks: libata sets the policy of all of them. */
#include "calls.h"
#include "tree.h"

#include <errno.h>
#include <stdio.h>

#define PORT "sys/devices/pci0000:00/0000:00:1f.2/ata7/"
#define HOST PORT "host6/scsi_host/host6/"
#define SAFE "CT500MX500SSD1"
#define FORBIDDEN "Crucial_CT512MX100SSD1" /* firmware MU01 */

static char *root;
static struct ssdpm_machine *machine;

/* 256 words, as sysfs has them. */
static void put_id(const char *path, const char *product)
{
	uint16_t words[256];
	char text[256 * 5 + 1], *at = text;

	fixture_ata_words(words);
	fixture_ata_text(words + 23, 4, "MU01");
	fixture_ata_text(words + 27, 20, product);
	for (size_t i = 0; i < 256; i++)
		at += sprintf(at, "%04x%c", words[i], i % 8 == 7 ? '\n' : ' ');
	tree_put(root, path, text);
}

static void put_disk(int link, const char *product)
{
	char path[256], target[320];

	snprintf(path, sizeof(path),
		 PORT "host6/target6:%d:0/6:%d:0:0/block/sd%c", link, link,
		 'a' + link);
	snprintf(target, sizeof(target), "../../%s", path);
	strcat(path, "/removable");
	tree_put(root, path, "0\n");
	snprintf(path, sizeof(path), "sys/block/sd%c", 'a' + link);
	tree_link(root, path, target);
	snprintf(path, sizeof(path),
		 PORT "link7.%d/dev7.%d.0/ata_device/dev7.%d.0/class", link,
		 link, link);
	tree_put(root, path, "ata\n");
	snprintf(path, sizeof(path),
		 PORT "link7.%d/dev7.%d.0/ata_device/dev7.%d.0/id", link, link,
		 link);
	put_id(path, product);
}

/* A port multiplier with sda and sdb. */
static void put_machine(const char *first, const char *second)
{
	root = tree_new();
	tree_put(root, "ssdpm-capture", "");
	tree_put(root, "proc/sys/kernel/osrelease", "6.1.0\n");
	tree_put(root, HOST "state", "running\n");
	tree_put(root, HOST "link_power_management_policy",
		 "max_performance\n");
	tree_link(root, "sys/class/scsi_host/host6", "../../../" HOST);
	tree_put(root, PORT "link7/dev7.15/ata_device/dev7.15/class", "pmp\n");
	put_disk(0, first);
	put_disk(1, second);
	machine = tree_machine(root);
}

static int put_mixed(void **state)
{
	(void)state;
	put_machine(FORBIDDEN, SAFE);
	return 0;
}

static int put_safe(void **state)
{
	(void)state;
	put_machine(SAFE, SAFE);
	return 0;
}

static int remove_machine(void **state)
{
	(void)state;
	machine = ssdpm_machine_unref(machine);
	tree_remove(root);
	return 0;
}

static struct ssdpm_plan *new_plan(void)
{
	struct ssdpm_plan *plan;

	assert_int_equal(ssdpm_plan_new(machine, NULL, &plan, NULL), 0);
	return plan;
}

static int add(struct ssdpm_plan *plan, const char *name, bool has_model,
	       uint32_t flags)
{
	const uint32_t lpm = SSDPM_LPM_MED_POWER_WITH_DIPM;
	struct ssdpm_model *model = NULL;
	struct ssdpm_device *device;
	int err;

	assert_int_equal(ssdpm_device_read(machine, name, &device, NULL), 0);
	if (has_model)
		assert_int_equal(
			ssdpm_device_read_model(device, 0, NULL, &model, NULL),
			0);
	err = add_lpms(plan, device, model, &lpm, 1, flags, NULL);
	ssdpm_model_unref(model);
	ssdpm_device_unref(device);
	return err;
}

/* The one step of the plan, which is of the port. */
static struct ssdpm_step read_step(struct ssdpm_plan *plan)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	assert_int_equal(ssdpm_plan_read(plan, NULL), 0);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 1);
	assert_int_equal(ssdpm_plan_get_step(plan, 0, &step), 0);
	assert_string_equal(step.device, "host6");
	return step;
}

static void assert_forbidden(struct ssdpm_plan *plan)
{
	struct ssdpm_step step = read_step(plan);

	assert_int_equal(step.state, SSDPM_STEP_LEFT_ALONE);
	assert_memory_equal(step.why, "sda: the quirk no-lpm", 21);
	assert_int_equal(ssdpm_plan_commit(plan, NULL), 0);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_WRITTEN), 0);
	ssdpm_plan_free(plan);
}

static void a_disk_that_must_not_have_a_policy_keeps_it_from_its_port(
	void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct ssdpm_plan *plan = new_plan();

		assert_int_equal(
			add(plan, "sdb", i & 1, i & 2 ? SSDPM_LPM_ANY_PORT : 0),
			0);
		assert_forbidden(plan);
	}
}

static void whichever_disk_is_added_last_the_port_is_left_alone(void **state)
{
	static const char *const orders[][2] = { { "sda", "sdb" },
						 { "sdb", "sda" } };

	(void)state;
	for (int i = 0; i < 8; i++) {
		const char *const *order = orders[i & 1];
		struct ssdpm_plan *plan = new_plan();

		for (int k = 0; k < 2; k++)
			assert_int_equal(add(plan, order[k],
					     i & 2 && order[k][2] == 'b',
					     i & 4 ? SSDPM_LPM_ANY_PORT : 0),
					 0);
		assert_forbidden(plan);
	}
}

/* The step of the disk that fails is no step: it may be added before, too. */
static void a_model_that_forbids_it_is_not_outvoted(void **state)
{
	struct ssdpm_plan *plan = new_plan();

	(void)state;
	assert_int_equal(add(plan, "sdb", true, SSDPM_LPM_ANY_PORT), 0);
	assert_int_equal(add(plan, "sda", true, SSDPM_LPM_ANY_PORT),
			 -EOPNOTSUPP);
	assert_forbidden(plan);
	plan = new_plan();
	assert_int_equal(add(plan, "sda", true, SSDPM_LPM_ANY_PORT),
			 -EOPNOTSUPP);
	assert_int_equal(add(plan, "sdb", true, SSDPM_LPM_ANY_PORT), 0);
	assert_forbidden(plan);
}

static void a_profile_leaves_the_port_alone_too(void **state)
{
	static const char *const targets[] = { "sda", "sdb", NULL };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct ssdpm_plan *plan = new_plan();
		struct ssdpm_device *device = NULL;

		if (targets[i])
			assert_int_equal(ssdpm_device_read(machine, targets[i],
							   &device, NULL),
					 0);
		assert_int_equal(
			ssdpm_plan_add_profile(plan, device, NULL, NULL, NULL),
			0);
		assert_forbidden(plan);
		ssdpm_device_unref(device);
	}
}

static void a_port_of_several_disks_is_left_alone_unless_any_port_is_meant(
	void **state)
{
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	struct ssdpm_device_settings settings = { .size = sizeof(settings) };
	struct ssdpm_plan *plan = new_plan();
	struct ssdpm_device *device;
	struct ssdpm_step step;

	(void)state;
	assert_int_equal(add(plan, "sdb", false, 0), 0);
	step = read_step(plan);
	assert_int_equal(step.state, SSDPM_STEP_LEFT_ALONE);
	assert_non_null(strstr(step.why, "several devices share the port"));
	/* ssdpm_device_get_settings() agrees. */
	assert_int_equal(ssdpm_machine_read_facts(machine, &facts, NULL), 0);
	assert_int_equal(ssdpm_device_read(machine, "sdb", &device, NULL), 0);
	assert_int_equal(ssdpm_device_get_settings(device, &facts, NULL,
						   &settings, NULL),
			 0);
	assert_int_equal(settings.left_alone, 1);
	ssdpm_device_unref(device);

	assert_int_equal(add(plan, "sdb", false, SSDPM_LPM_ANY_PORT), 0);
	step = read_step(plan);
	assert_int_equal(step.state, SSDPM_STEP_PLANNED);
	assert_string_equal(step.after, "med_power_with_dipm");
	ssdpm_plan_free(plan);
}

/* A disk that came to the port after its policy was set. */
static void what_was_applied_is_not_set_again_for_a_disk_that_came(void **state)
{
	struct ssdpm_plan *plan = new_plan();

	(void)state;
	assert_int_equal(add(plan, "sda", false, SSDPM_LPM_ANY_PORT), 0);
	assert_int_equal(ssdpm_plan_commit(plan, NULL), 0);
	ssdpm_plan_free(plan);
	tree_put(root, HOST "link_power_management_policy",
		 "max_performance\n");
	put_id(PORT "link7.0/dev7.0.0/ata_device/dev7.0.0/id", FORBIDDEN);
	plan = new_plan();
	assert_int_equal(ssdpm_plan_add_applied(plan, NULL, NULL), 0);
	assert_forbidden(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_disk_that_must_not_have_a_policy_keeps_it_from_its_port,
			put_mixed, remove_machine),
		cmocka_unit_test_setup_teardown(
			whichever_disk_is_added_last_the_port_is_left_alone,
			put_mixed, remove_machine),
		cmocka_unit_test_setup_teardown(
			a_model_that_forbids_it_is_not_outvoted, put_mixed,
			remove_machine),
		cmocka_unit_test_setup_teardown(
			a_profile_leaves_the_port_alone_too, put_mixed,
			remove_machine),
		cmocka_unit_test_setup_teardown(
			a_port_of_several_disks_is_left_alone_unless_any_port_is_meant,
			put_safe, remove_machine),
		cmocka_unit_test_setup_teardown(
			what_was_applied_is_not_set_again_for_a_disk_that_came,
			put_safe, remove_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
