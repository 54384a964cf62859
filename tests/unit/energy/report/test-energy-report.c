/* SPDX-License-Identifier: MIT */
/*
 * The saving of a profile on each drive of a machine, some of which are gone.
 */
#include "tree.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { N_DRIVES = 3, N_IOS = 40 }; /* of the capture desktop-6.1 */

struct savings {
	char names[N_DRIVES][32];
	int32_t errors[N_DRIVES];
	struct ssdpm_saving savings[N_DRIVES];
	uint32_t verdicts[N_DRIVES]; /* 0: nothing changes */
	int64_t added_mean_ns[N_DRIVES], added_p99_ns[N_DRIVES];
	char message[248]; /* of the last error */
	size_t n;
};

static struct ssdpm_energy_report *report_on(
	const char *root, const struct ssdpm_energy_report_params *params)
{
	struct ssdpm_energy_report *report = NULL;
	struct ssdpm_machine *machine = tree_machine(root);
	struct ssdpm_error error;

	if (ssdpm_energy_report_new(machine, params, &report, &error))
		fail_msg("%s", error.message);
	ssdpm_machine_unref(machine);
	return report;
}

static struct savings look_at(const char *root,
			      const struct ssdpm_energy_report_params *params)
{
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	struct ssdpm_energy_report *report = report_on(root, params);
	struct savings s = { .n = 0 };

	for (; !ssdpm_energy_report_get_item(report, s.n, &item); s.n++) {
		assert_true(s.n < N_DRIVES);
		strcpy(s.names[s.n], item.drive->name);
		s.errors[s.n] = item.error;
		s.savings[s.n] = item.saving;
		s.verdicts[s.n] = item.likely ? item.likely->verdict : 0;
		s.added_mean_ns[s.n] = item.added_mean_ns;
		s.added_p99_ns[s.n] = item.added_p99_ns;
		if (item.error)
			strcpy(s.message, item.message);
		else
			assert_string_equal(item.message, "");
		assert_int_equal(!item.error, item.before && item.after);
	}
	assert_null(ssdpm_energy_report_free(report));
	return s;
}

static const char *capture(void)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/desktop-6.1",
		 getenv("SSDPM_CAPTURES"));
	return path;
}

/* Pauses of up to 4 s. */
static void fill_ios(struct ssdpm_io ios[N_IOS])
{
	uint64_t now = 0;

	for (uint64_t i = 0; i < N_IOS; i++) {
		ios[i] = (struct ssdpm_io){ .start_ns = now,
					    .bytes = 4096,
					    .service_ns = 100000,
					    .op = SSDPM_OP_READ };
		now += 1000000 + i * 100000000;
	}
}

/* One simulation of a disk, as it takes two to compare. */
static struct ssdpm_sim *simulate(const char *name, uint32_t lpm,
				  const struct ssdpm_io *ios)
{
	struct ssdpm_machine *machine = tree_machine(capture());
	struct ssdpm_sim_params params;
	struct ssdpm_device *device;
	struct ssdpm_model *model;
	struct ssdpm_sim *sim;

	ssdpm_sim_params_init(&params, sizeof(params));
	params.lpm = lpm;
	assert_int_equal(ssdpm_device_read(machine, name, &device, NULL), 0);
	assert_int_equal(ssdpm_device_read_model(device, 0, NULL, &model, NULL),
			 0);
	assert_int_equal(ssdpm_estimate(model, &params, ios, N_IOS, &sim, NULL),
			 0);
	ssdpm_model_unref(model);
	ssdpm_device_unref(device);
	ssdpm_machine_unref(machine);
	return sim;
}

static void a_saving_is_that_of_two_simulations(void **state)
{
	struct ssdpm_io ios[N_IOS];
	const struct ssdpm_energy_report_params params = {
		.size = sizeof(params),
		.ios = ios,
		.n_ios = N_IOS,
		.flags = SSDPM_SIM_LIKELY,
	};
	struct ssdpm_sim *before, *after;
	struct ssdpm_saving saving;
	struct savings s;

	(void)state;
	fill_ios(ios);
	s = look_at(capture(), &params);
	assert_int_equal(s.n, N_DRIVES);
	assert_string_equal(s.names[1], "sda");
	before = simulate("sda", SSDPM_LPM_MAX_PERFORMANCE, ios);
	after = simulate("sda", SSDPM_LPM_MED_POWER_WITH_DIPM, ios);
	assert_int_equal(ssdpm_sim_get_saving(before, after, &saving, NULL), 0);
	assert_true(saving.nominal_uw > 0);
	assert_memory_equal(&s.savings[1], &saving, sizeof(saving));
	assert_int_not_equal(s.verdicts[1], 0);
	assert_int_equal(s.added_mean_ns[1],
			 ssdpm_sim_get_result(after)->nominal->delay_mean_ns);
	assert_int_equal(s.added_p99_ns[1],
			 ssdpm_sim_get_result(after)->nominal->delay_p99_ns);
	ssdpm_sim_free(before);
	ssdpm_sim_free(after);
	/* A setting that the profile does not change saves nothing. */
	assert_string_equal(s.names[0], "nvme0");
	assert_int_equal(s.errors[0], 0);
	assert_int_equal(s.savings[0].high_uw, 0);
	assert_int_equal(s.verdicts[0], 0);
	assert_int_equal(s.added_mean_ns[0], 0);
}

static void a_drive_that_is_gone_does_not_keep_the_others(void **state)
{
	const struct savings whole = look_at(capture(), NULL);
	char *root = tree_new();
	char command[1200];
	struct savings s;

	(void)state;
	assert_int_equal(whole.n, N_DRIVES);
	snprintf(command, sizeof(command),
		 "cp -a %s/. %s && rm -r $(readlink -f %s/sys/class/nvme/"
		 "nvme0)/*",
		 capture(), root, root);
	assert_int_equal(system(command), 0);
	s = look_at(root, NULL);
	tree_remove(root);
	assert_int_equal(s.n, N_DRIVES);
	assert_string_equal(s.names[2], "nvme0");
	assert_int_equal(s.errors[2], -ENODEV);
	assert_string_equal(s.message, "no such device");
	assert_memory_equal(s.savings, &whole.savings[1],
			    2 * sizeof(s.savings[0]));
	assert_int_equal(whole.errors[1] | whole.errors[2] | s.errors[0] |
				 s.errors[1],
			 0);
}

static void without_a_workload_there_is_no_report(void **state)
{
	const struct ssdpm_io io = { .op = SSDPM_OP_READ };
	const struct ssdpm_energy_report_params wrong[] = {
		{ .size = sizeof(*wrong), .workload = "no such one" },
		{ .size = sizeof(*wrong), .ios = &io },
	};
	const int codes[] = { -ENOENT, -ENODATA };
	struct ssdpm_machine *machine = tree_capture("desktop-6.1");

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct ssdpm_energy_report *report = UNTOUCHED;
		struct ssdpm_error error = fixture_error();

		assert_int_equal(ssdpm_energy_report_new(machine, &wrong[i],
							 &report, &error),
				 codes[i]);
		fixture_assert_error(&error, codes[i], 0, "workload");
		assert_ptr_equal(report, UNTOUCHED);
	}
	assert_null(ssdpm_energy_report_free(NULL));
	ssdpm_machine_unref(machine);
}

static void a_price_is_of_hours_and_at_least_0(void **state)
{
	const struct ssdpm_energy_report_params wrong[] = {
		{ .size = sizeof(*wrong), .hours_per_day = 25 },
		{ .size = sizeof(*wrong), .price_per_kwh = 0.3 },
		{ .size = sizeof(*wrong),
		  .hours_per_day = 24,
		  .price_per_kwh = -1 },
		{ .size = sizeof(*wrong),
		  .hours_per_day = 24,
		  .price_per_kwh = NAN },
	};
	struct ssdpm_machine *machine = tree_capture("laptop");

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct ssdpm_energy_report *report = UNTOUCHED;
		struct ssdpm_error error = fixture_error();

		assert_int_equal(ssdpm_energy_report_new(machine, &wrong[i],
							 &report, &error),
				 -EINVAL);
		fixture_assert_error(&error, -EINVAL, 0, "price");
		assert_ptr_equal(report, UNTOUCHED);
	}
	ssdpm_machine_unref(machine);
}

static struct ssdpm_energy_report_item item_of(
	const struct ssdpm_energy_report *report, const char *name)
{
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	size_t i = 0;

	do
		assert_int_equal(
			ssdpm_energy_report_get_item(report, i++, &item), 0);
	while (strcmp(item.drive->name, name));
	return item;
}

static struct ssdpm_energy_report *advise(const char *root)
{
	const struct ssdpm_energy_report_params params = {
		.size = sizeof(params),
		.flags = SSDPM_SIM_LIKELY | SSDPM_ENERGY_REPORT_FURTHER,
		.patience = SSDPM_PATIENCE_NORMAL,
	};
	struct ssdpm_machine *machine = tree_machine(root);
	struct ssdpm_energy_report *report;

	assert_int_equal(
		ssdpm_energy_report_new(machine, &params, &report, NULL), 0);
	ssdpm_machine_unref(machine);
	return report;
}

static void assert_equal_items(const struct ssdpm_energy_report_item *a,
			       const struct ssdpm_energy_report_item *b)
{
	assert_int_equal(a->error | b->error, 0);
	assert_int_equal(a->advice, b->advice);
	assert_memory_equal(a->before, b->before, sizeof(*a->before));
	assert_memory_equal(a->after, b->after, sizeof(*a->after));
	assert_memory_equal(&a->saving, &b->saving, sizeof(a->saving));
	assert_memory_equal(a->likely, b->likely, sizeof(*a->likely));
	assert_int_equal(a->settings->lpms[0], b->settings->lpms[0]);
	assert_int_equal(a->bounds->max_delay_mean_ns,
			 b->bounds->max_delay_mean_ns);
}

/* The second disk becomes one like the first; then its policy differs. */
static void drives_that_are_alike_share_a_simulation(void **state)
{
	static const char policy[] =
		"%s/sys/class/scsi_host/host%d/link_power_management_policy";
	char *root = tree_new(), command[900], path[200];
	struct ssdpm_energy_report *before, *report;
	struct ssdpm_energy_report_item first, second, alone;

	(void)state;
	snprintf(
		command, sizeof(command),
		"cp -a %s/. %s && cd %s && "
		"cp dumps/sda.identify dumps/sdb.identify && "
		"cp sys/class/ata_device/dev1.0/id "
		"sys/class/ata_device/dev2.0/id && "
		"for f in model rev; do cp sys/block/sda/device/$f "
		"sys/block/sdb/device/$f; done && cd sys/class/scsi_host && "
		"cp host0/ahci_port_cmd host1/ahci_port_cmd && "
		"echo max_performance | tee host?/link_power_management_policy "
		">/dev/null",
		capture(), root, root);
	assert_int_equal(system(command), 0);
	before = advise(root);
	first = item_of(before, "sda");
	second = item_of(before, "sdb");
	assert_ptr_equal(first.before, second.before);
	assert_ptr_equal(first.after, second.after);
	assert_equal_items(&first, &second);

	snprintf(path, sizeof(path), policy, root, 0);
	snprintf(command, sizeof(command), "echo medium_power > %s", path);
	assert_int_equal(system(command), 0);
	report = advise(root);
	first = item_of(report, "sda");
	alone = item_of(report, "sdb");
	assert_ptr_not_equal(first.before, alone.before);
	assert_equal_items(&second, &alone);
	ssdpm_energy_report_free(before);
	ssdpm_energy_report_free(report);
	tree_remove(root);
}

static void assert_workload(const char *root, uint32_t reason,
			    const char *workload)
{
	struct ssdpm_machine *machine = tree_machine(root);

	assert_int_equal(ssdpm_machine_get_workload_reason(machine), reason);
	assert_string_equal(ssdpm_machine_get_workload(machine), workload);
	ssdpm_machine_unref(machine);
}

static void put_disk(const char *root, char letter, const char *port)
{
	char real[80], link[40], target[100];

	snprintf(real, sizeof(real), "sys/devices/pci0000:00/%s/block/sd%c",
		 port, letter);
	tree_mkdir(root, real);
	snprintf(link, sizeof(link), "sys/block/sd%c", letter);
	snprintf(target, sizeof(target), "../../%s", real);
	tree_link(root, link, target);
}

static void a_server_and_a_nas_serve_files_and_others_a_desktop(void **state)
{
	char *root = tree_new();

	(void)state;
	tree_mkdir(root, "sys");
	assert_workload(root, SSDPM_WORKLOAD_REASON_NO_SERVER,
			"desktop-session");
	put_disk(root, 'a', "ata1/host0");
	put_disk(root, 'b', "ata2/host1");
	put_disk(root, 'c', "ata3/host2");
	put_disk(root, 'd', "usb1/host3");
	assert_workload(root, SSDPM_WORKLOAD_REASON_NO_SERVER,
			"desktop-session");
	put_disk(root, 'e', "ata4/host4");
	assert_workload(root, SSDPM_WORKLOAD_REASON_DISKS, "server-files");
	/* The cache of a NAS. */
	tree_mkdir(root, "sys/block/nvme0n1");
	assert_workload(root, SSDPM_WORKLOAD_REASON_DISKS, "server-files");
	assert_int_equal(unlink(tree_path(root, "sys/block/sde")), 0);
	/* A notebook, then a rack mount chassis. */
	tree_put(root, "sys/class/dmi/id/chassis_type", "10\n");
	assert_workload(root, SSDPM_WORKLOAD_REASON_NO_SERVER,
			"desktop-session");
	tree_put(root, "sys/class/dmi/id/chassis_type", "23\n");
	assert_workload(root, SSDPM_WORKLOAD_REASON_CHASSIS, "server-files");
	tree_put(root, "sys/firmware/acpi/pm_profile", "2\n");
	assert_workload(root, SSDPM_WORKLOAD_REASON_CHASSIS, "server-files");
	tree_put(root, "sys/firmware/acpi/pm_profile", "4\n");
	assert_workload(root, SSDPM_WORKLOAD_REASON_FIRMWARE, "server-files");
	tree_remove(root);
}

static void a_reason_has_a_word(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= SSDPM_WORKLOAD_REASON_NO_SERVER; i++)
		assert_int_equal(ssdpm_workload_reason_from_string(
					 ssdpm_workload_reason_to_string(i)),
				 i);
	assert_null(ssdpm_workload_reason_to_string(0));
	assert_null(ssdpm_workload_reason_to_string(
		SSDPM_WORKLOAD_REASON_NO_SERVER + 1));
	assert_int_equal(ssdpm_workload_reason_from_string("laptop"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_saving_is_that_of_two_simulations),
		cmocka_unit_test(a_drive_that_is_gone_does_not_keep_the_others),
		cmocka_unit_test(without_a_workload_there_is_no_report),
		cmocka_unit_test(a_price_is_of_hours_and_at_least_0),
		cmocka_unit_test(drives_that_are_alike_share_a_simulation),
		cmocka_unit_test(
			a_server_and_a_nas_serve_files_and_others_a_desktop),
		cmocka_unit_test(a_reason_has_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
