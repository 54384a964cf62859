/* SPDX-License-Identifier: MIT */
/* Models, tables and DevSleep of captures; test-live.c has the commands. */
#include "fixture.h"
#include "tree.h"

#include <stdio.h>

#include "device/internal.h"

static struct ssdpm_catalogue *catalogue;

static struct ssdpm_device *open_device(struct ssdpm_machine *machine,
					const char *name)
{
	struct ssdpm_device *device = NULL;
	struct ssdpm_error error = { .message = "" };

	if (ssdpm_device_read(machine, name, &device, &error))
		fail_msg("%s", error.message);
	ssdpm_machine_unref(machine);
	return device;
}

/* A drive of a root without dumps. */
#define PCI "sys/devices/pci0000:00/0000:01:00.0"
static char *make_nvme(const char *product, const char *firmware)
{
	char *root = tree_new();

	tree_put(root, PCI "/vendor", "0x15b7\n");
	tree_put(root, PCI "/device", "0x5008\n");
	tree_put(root, PCI "/nvme/nvme0/model", product);
	tree_put(root, PCI "/nvme/nvme0/firmware_rev", firmware);
	tree_put(root, PCI "/nvme/nvme0/transport", "pcie\n");
	tree_link(root, PCI "/nvme/nvme0/device", "../../../0000:01:00.0");
	tree_mkdir(root, "sys/class/nvme");
	tree_link(root, "sys/class/nvme/nvme0",
		  "../../devices/pci0000:00/0000:01:00.0/nvme/nvme0");
	tree_put(root, "proc/sys/kernel/osrelease", "6.1.0\n");
	return root;
}

/* The catalogue's model, as if it were a drive of this machine. */
static int read_live(const char *root, struct ssdpm_model **ret_model,
		     struct ssdpm_error *error)
{
	struct ssdpm_machine *machine = tree_machine(root);
	struct ssdpm_device *device;
	int err;

	machine->capture = 0;
	device = open_device(machine, "nvme0");
	err = ssdpm_device_read_model(device, 0, catalogue, ret_model, error);
	ssdpm_device_unref(device);
	return err;
}

static const char sn530[] = "WDC PC SN530 SDBPNPZ-512G-1002";

static void the_catalogue_gives_what_sysfs_does_not(void **state)
{
	char *root = make_nvme(sn530, "21106000");
	struct ssdpm_model *model = NULL;
	const struct ssdpm_model_info *info;

	(void)state;
	tree_put(root, PCI "/nvme/nvme0/power/pm_qos_latency_tolerance_us",
		 "100000\n");
	assert_int_equal(read_live(root, &model, NULL), 0);
	info = ssdpm_model_get_info(model);
	assert_int_equal(info->provenance, SSDPM_PROVENANCE_CATALOGUE);
	assert_int_equal(info->unknown & SSDPM_INFO_APSTA, 0);
	assert_int_equal(info->apsta, 1);
	assert_int_equal(info->unknown & SSDPM_INFO_VENDOR_ID, 0);
	assert_int_equal(info->vendor_id, 0x15b7);
	assert_string_equal(info->product, sn530);
	ssdpm_model_unref(model);
	tree_remove(root);
}

static void without_a_latency_tolerance_there_is_no_apst(void **state)
{
	char *root = make_nvme(sn530, "21106000");
	struct ssdpm_model *model = NULL;

	(void)state;
	/* Or a quirk that this kernel does not report. */
	assert_int_equal(read_live(root, &model, NULL), 0);
	assert_true(ssdpm_model_get_info(model)->unknown & SSDPM_INFO_APSTA);
	ssdpm_model_unref(model);
	tree_put(root, PCI "/nvme/nvme0/quirks", "none\n");
	assert_int_equal(read_live(root, &model, NULL), 0);
	assert_int_equal(
		ssdpm_model_get_info(model)->unknown & SSDPM_INFO_APSTA, 0);
	assert_int_equal(ssdpm_model_get_info(model)->apsta, 0);
	ssdpm_model_unref(model);
	/* A quirk forbids it, so it is unknown. */
	tree_put(root, PCI "/nvme/nvme0/quirks", "no_apst\n");
	assert_int_equal(read_live(root, &model, NULL), 0);
	assert_true(ssdpm_model_get_info(model)->unknown & SSDPM_INFO_APSTA);
	ssdpm_model_unref(model);
	tree_remove(root);
}

static void another_firmware_is_better_than_nothing(void **state)
{
	char *root = make_nvme(sn530, "NEW");
	struct ssdpm_model *model = NULL;

	(void)state;
	assert_int_equal(read_live(root, &model, NULL), 0);
	assert_string_equal(ssdpm_model_get_info(model)->firmware, "NEW");
	ssdpm_model_unref(model);
	tree_remove(root);
}

static void a_drive_that_nobody_knows_has_no_model(void **state)
{
	static const char *const products[] = { "No Such SSD", "WDC PC SN",
						"" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char *root = make_nvme(products[i], "1");
		struct ssdpm_error error = fixture_error();
		struct ssdpm_model *model = UNTOUCHED;

		assert_int_equal(read_live(root, &model, &error), -ENOENT);
		fixture_assert_error(&error, -ENOENT, 0,
				     "nvme0: the catalogue does not know");
		assert_ptr_equal(model, UNTOUCHED);
		assert_int_equal(read_live(root, &model, NULL), -ENOENT);
		tree_remove(root);
	}
}

static void a_capture_has_what_the_drive_itself_said(void **state)
{
	struct ssdpm_device *device =
		open_device(tree_capture("laptop"), "nvme0");
	struct ssdpm_model *model = NULL;
	struct ssdpm_devsleep devsleep;
	struct ssdpm_apst table;
	struct ssdpm_device_power power = { .size = sizeof(power) };

	(void)state;
	assert_int_equal(ssdpm_device_read_model(device, 0, NULL, &model, NULL),
			 0);
	assert_int_equal(ssdpm_model_get_info(model)->provenance,
			 SSDPM_PROVENANCE_REPORTED);
	ssdpm_model_unref(model);
	assert_int_equal(ssdpm_device_read_apst(device, &table, NULL), 0);
	assert_int_equal(table.enabled, 1);
	assert_int_equal(table.entries[0].target, 3);
	assert_int_equal(ssdpm_device_read_power(device, &power, NULL), 0);
	assert_int_equal(power.power_state, 0);
	assert_int_equal(ssdpm_device_read_devsleep(device, &devsleep, NULL),
			 -EOPNOTSUPP);
	ssdpm_device_unref(device);
}

static void power_dumps_have_names_and_numbers(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint32_t known;
	} cases[] = {
		{ "power_state 2\n", 0, SSDPM_POWER_FACT_STATE },
		{ "power_state 2\nworkload_hint 1\nnopp 1\n"
		  "light_throttle_k 343\nheavy_throttle_k 353\n"
		  "power_measurement 1\npower_limit_uw 12500000\n",
		  0, 63 },
		{ "power_state 2\nsomething_later 7\n", 0,
		  SSDPM_POWER_FACT_STATE },
		{ "nopp 1\n", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "power_state 32\n", -EINVAL, 0 },
		{ "power_state\n", -EINVAL, 0 },
		{ "power_state two\n", -EINVAL, 0 },
		{ "power_state 2 3\n", -EINVAL, 0 },
		{ "power_state 4294967296\n", -EINVAL, 0 },
		{ "power_state 2\nworkload_hint 8\n", -EINVAL, 0 },
		{ "power_state 2\nnopp 2\n", -EINVAL, 0 },
		{ "power_state 2\nlight_throttle_k 65536\n", -EINVAL, 0 },
	};
	char *root = make_nvme("No Such SSD", "1");
	struct ssdpm_device_power power = { .size = sizeof(power) };
	struct ssdpm_device *device;

	(void)state;
	device = open_device(tree_machine(root), "nvme0");
	assert_int_equal(ssdpm_device_read_power(device, &power, NULL),
			 -ENOENT);
	tree_put(root, "dumps/nvme0.power-state", "3\n");
	assert_int_equal(ssdpm_device_read_power(device, &power, NULL), 0);
	assert_int_equal(power.power_state, 3);
	assert_int_equal(power.known, SSDPM_POWER_FACT_STATE);
	assert_int_equal(power.supported, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tree_put(root, "dumps/nvme0.power", cases[i].text);
		power.known = 0;
		assert_int_equal(ssdpm_device_read_power(device, &power, NULL),
				 cases[i].result);
		assert_int_equal(power.known, cases[i].known);
		if (!cases[i].result)
			assert_int_equal(power.power_state, 2);
	}
	ssdpm_device_unref(device);
	tree_remove(root);
}

static void dumps_that_are_none_are_refused(void **state)
{
	static const struct {
		const char *path, *text;
		int power, model, apst;
	} cases[] = {
		{ "dumps/x", "", -ENOENT, -ENOENT, -ENOENT },
		{ "dumps/nvme0.power-state", "32\n", -EINVAL, -ENOENT,
		  -ENOENT },
		{ "dumps/nvme0.power-state", "one\n", -EINVAL, -ENOENT,
		  -ENOENT },
		{ "dumps/nvme0.power-state",
		  "0000000000000000000000000000000000000000", -EINVAL, -ENOENT,
		  -ENOENT },
		{ "dumps/nvme0.power-state", "31\n", 0, -ENOENT, -ENOENT },
		{ "dumps/nvme0.identify", "short", -EINVAL, -EINVAL, -ENOENT },
		{ "dumps/nvme0.apst", "{}", -EINVAL, -EINVAL, -EINVAL },
	};
	char *root = make_nvme("No Such SSD", "1");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_model *model = UNTOUCHED;
		struct ssdpm_device *device;
		struct ssdpm_device_power power = { .size = sizeof(power),
						    .power_state = 99 };
		struct ssdpm_apst table;

		tree_put(root, cases[i].path, cases[i].text);
		device = open_device(tree_machine(root), "nvme0");
		assert_int_equal(ssdpm_device_read_model(device, 0, catalogue,
							 &model, NULL),
				 cases[i].model);
		assert_ptr_equal(model, UNTOUCHED);
		assert_int_equal(ssdpm_device_read_apst(device, &table, NULL),
				 cases[i].apst);
		assert_int_equal(ssdpm_device_read_power(device, &power, NULL),
				 cases[i].power);
		assert_int_equal(power.power_state, cases[i].power ? 99 : 31);
		ssdpm_device_unref(device);
	}
	tree_remove(root);
}

static void a_folder_is_no_dump(void **state)
{
	char *root = make_nvme("No Such SSD", "1");
	struct ssdpm_device *device = open_device(tree_machine(root), "nvme0");
	struct ssdpm_error error = fixture_error();
	struct ssdpm_apst table;

	(void)state;
	tree_mkdir(root, "dumps/nvme0.apst");
	assert_int_equal(ssdpm_device_read_apst(device, &table, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0,
			     "nvme0.apst of the capture is "
			     "no file");
	ssdpm_device_unref(device);
	tree_remove(root);
}

static void what_is_no_drive_in_reach_has_no_model(void **state)
{
	static const struct {
		const char *capture, *name;
		int code;
		const char *words;
	} cases[] = {
		{ "desktop-6.1", "host2", -ENODEV, "a port without a disk" },
		{ "desktop-6.1", "host3", -EOPNOTSUPP, "optical" },
		{ "server", "sda", -EOPNOTSUPP, "out of reach (sas)" },
		{ "server", "sdc", -EOPNOTSUPP, "out of reach (usb)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_device *device = open_device(
			tree_capture(cases[i].capture), cases[i].name);
		struct ssdpm_error error = fixture_error();
		struct ssdpm_devsleep devsleep;
		struct ssdpm_model *model;
		struct ssdpm_device_power power = { .size = sizeof(power) };
		struct ssdpm_apst table;

		assert_int_equal(ssdpm_device_read_model(device, 0, catalogue,
							 &model, &error),
				 cases[i].code);
		fixture_assert_error(&error, cases[i].code, 0, cases[i].words);
		assert_int_equal(ssdpm_device_read_apst(device, &table, NULL),
				 -EOPNOTSUPP);
		assert_int_equal(ssdpm_device_read_power(device, &power, NULL),
				 -EOPNOTSUPP);
		assert_true(ssdpm_device_read_devsleep(device, &devsleep,
						       NULL) < 0);
		ssdpm_device_unref(device);
	}
}

static void sysfs_has_the_model_of_a_sata_drive(void **state)
{
	struct ssdpm_machine *machine = tree_capture("desktop-6.1");
	struct ssdpm_device *device;
	struct ssdpm_model *model = NULL;

	(void)state;
	machine->capture = 0;
	device = open_device(machine, "sda");
	assert_int_equal(ssdpm_device_read_model(device, 0, NULL, &model, NULL),
			 0);
	assert_int_equal(ssdpm_model_get_info(model)->format,
			 SSDPM_FORMAT_ATA_IDENTIFY_HEX);
	assert_int_equal(ssdpm_model_get_info(model)->provenance,
			 SSDPM_PROVENANCE_REPORTED);
	ssdpm_model_unref(model);
	ssdpm_device_unref(device);
}

static void unknown_flags_are_refused(void **state)
{
	struct ssdpm_device *device =
		open_device(tree_capture("laptop"), "nvme0");
	struct ssdpm_model *model;

	(void)state;
	assert_int_equal(ssdpm_device_read_model(device, 2, NULL, &model, NULL),
			 -EINVAL);
	ssdpm_device_unref(device);
}

static int make_catalogue(void **state)
{
	(void)state;
	return ssdpm_catalogue_new(NULL, 0, &catalogue, NULL);
}

static int free_catalogue(void **state)
{
	(void)state;
	ssdpm_catalogue_free(catalogue);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_catalogue_gives_what_sysfs_does_not),
		cmocka_unit_test(without_a_latency_tolerance_there_is_no_apst),
		cmocka_unit_test(another_firmware_is_better_than_nothing),
		cmocka_unit_test(a_drive_that_nobody_knows_has_no_model),
		cmocka_unit_test(a_capture_has_what_the_drive_itself_said),
		cmocka_unit_test(power_dumps_have_names_and_numbers),
		cmocka_unit_test(dumps_that_are_none_are_refused),
		cmocka_unit_test(a_folder_is_no_dump),
		cmocka_unit_test(what_is_no_drive_in_reach_has_no_model),
		cmocka_unit_test(sysfs_has_the_model_of_a_sata_drive),
		cmocka_unit_test(unknown_flags_are_refused),
	};

	return cmocka_run_group_tests(tests, make_catalogue, free_catalogue);
}
