/* SPDX-License-Identifier: MIT */
/* The machine as a whole, its devices and the policy, and words. */
#include "tree.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static struct ssdpm_machine_facts read_facts(const char *root)
{
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	struct ssdpm_machine *machine = tree_machine(root);

	assert_int_equal(ssdpm_machine_read_facts(machine, &facts, NULL), 0);
	ssdpm_machine_unref(machine);
	return facts;
}

static void a_root_must_be_a_directory(void **state)
{
	struct ssdpm_machine_params params = { .size = sizeof(params) };
	struct ssdpm_machine *machine = UNTOUCHED;
	struct ssdpm_error error = fixture_error();
	char *root = tree_new(), path[256];

	(void)state;
	tree_put(root, "file", "");
	snprintf(path, sizeof(path), "%s/file", root);
	params.root = path;
	assert_int_equal(ssdpm_machine_new(&params, &machine, &error),
			 -ENOTDIR);
	fixture_assert_error(&error, -ENOTDIR, 0, "/file: ");
	snprintf(path, sizeof(path), "%s/none", root);
	assert_int_equal(ssdpm_machine_new(&params, &machine, &error), -ENOENT);
	fixture_assert_error(&error, -ENOENT, 0, "/none: ");
	assert_ptr_equal(machine, UNTOUCHED);
	tree_remove(root);
}

static void parameters_of_a_machine_are_checked(void **state)
{
	struct {
		struct ssdpm_machine_params params;
		uint64_t tail;
	} more = { .params = { .size = sizeof(more) } };
	struct ssdpm_machine_params params = { .size = sizeof(params),
					       .log_level = 4 };
	struct ssdpm_machine *machine = UNTOUCHED;
	struct ssdpm_error error = fixture_error();
	size_t size = sizeof(size);

	(void)state;
	assert_int_equal(ssdpm_machine_new(&params, &machine, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "log_level");
	params.log_level = 0;
	params.reserved = 1;
	assert_int_equal(ssdpm_machine_new(&params, &machine, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "reserved");
	params.size = 3;
	assert_int_equal(ssdpm_machine_new(&params, &machine, &error), -EINVAL);
	more.tail = 1;
	assert_int_equal(ssdpm_machine_new(&more.params, &machine, &error),
			 -E2BIG);
	assert_ptr_equal(machine, UNTOUCHED);
	more.tail = 0;
	assert_int_equal(ssdpm_machine_new(&more.params, &machine, NULL), 0);
	ssdpm_machine_unref(machine);
	/* Only a size: this machine. */
	assert_int_equal(ssdpm_machine_new((const void *)&size, &machine, NULL),
			 0);
	assert_ptr_equal(ssdpm_machine_ref(machine), machine);
	assert_null(ssdpm_machine_unref(machine));
	assert_null(ssdpm_machine_unref(machine));
	assert_int_equal(ssdpm_machine_new(NULL, &machine, NULL), 0);
	ssdpm_machine_unref(machine);
	assert_null(ssdpm_machine_ref(NULL));
	assert_null(ssdpm_machine_unref(NULL));
}

static void facts_fill_what_the_caller_knows_of(void **state)
{
	struct ssdpm_machine *machine = tree_capture("laptop");
	struct ssdpm_machine_facts facts;
	struct ssdpm_error error = fixture_error();

	(void)state;
	memset(&facts, 0x5a, sizeof(facts));
	facts.size = offsetof(struct ssdpm_machine_facts, aspm_policy);
	assert_int_equal(ssdpm_machine_read_facts(machine, &facts, NULL), 0);
	assert_int_equal(facts.suspend, SSDPM_SUSPEND_S2IDLE);
	assert_int_equal(facts.aspm_policy, 0x5a5a5a5a);
	facts.size = 0;
	assert_int_equal(ssdpm_machine_read_facts(machine, &facts, &error),
			 -EINVAL);
	ssdpm_machine_unref(machine);
}

static void a_laptop_is_read_as_a_whole(void **state)
{
	struct ssdpm_machine *machine = tree_capture("laptop");
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };

	(void)state;
	assert_int_equal(ssdpm_machine_read_facts(machine, &facts, NULL), 0);
	assert_int_equal(facts.power_source, SSDPM_SOURCE_BATTERY);
	assert_int_equal(facts.suspend, SSDPM_SUSPEND_S2IDLE);
	assert_int_equal(facts.aspm_policy, SSDPM_ASPM_DEFAULT);
	assert_int_equal(facts.nvme_core_known, 0x7e);
	assert_int_equal(
		facts.nvme_core[SSDPM_NVME_CORE_DEFAULT_PS_MAX_LATENCY_US],
		100000);
	assert_int_equal(
		facts.nvme_core[SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS],
		2000);
	assert_int_equal(facts.nvme_core[SSDPM_NVME_CORE_FORCE_APST], 0);
	assert_string_equal(facts.linux_release, "7.3.4+deb13-amd64");
	assert_string_equal(facts.sys_vendor, "LENOVO");
	assert_string_equal(facts.bios_date, "03/14/2024");
	assert_string_equal(facts.mask_port_ext, "");
	assert_int_equal(facts.mobile_lpm_policy, -1);
	assert_int_equal(facts.capture, 2);
	ssdpm_machine_unref(machine);
}

static void an_empty_root_knows_nothing(void **state)
{
	char *root = tree_new();
	struct ssdpm_machine_facts facts = read_facts(root);

	(void)state;
	assert_int_equal(facts.power_source, 0);
	assert_int_equal(facts.suspend, 0);
	assert_int_equal(facts.aspm_policy, 0);
	assert_int_equal(facts.nvme_core_known, 0);
	assert_string_equal(facts.linux_release, "");
	assert_int_equal(facts.mobile_lpm_policy, INT32_MIN);
	assert_int_equal(facts.capture, 1);
	tree_remove(root);
}

/* "Mains 1", "Battery Discharging", "Battery Charging Device", ... */
static void put_supply(const char *root, int number, const char *supply)
{
	char type[16] = "", first[16] = "", scope[16] = "", path[128];

	assert_true(sscanf(supply, "%15s %15[^:]:%15s", type, first, scope) >=
		    1);
	snprintf(path, sizeof(path), "sys/class/power_supply/S%d/type", number);
	tree_put(root, path, type);
	snprintf(path, sizeof(path), "sys/class/power_supply/S%d/%s", number,
		 strcmp(type, "Mains") && strcmp(type, "USB") ? "status" :
								"online");
	if (first[0])
		tree_put(root, path, first);
	snprintf(path, sizeof(path), "sys/class/power_supply/S%d/scope",
		 number);
	if (scope[0])
		tree_put(root, path, scope);
}

static void the_power_source_follows_from_the_supplies(void **state)
{
	enum { NONE = 0, AC = SSDPM_SOURCE_AC, BAT = SSDPM_SOURCE_BATTERY };
	static const struct {
		uint32_t source;
		const char *supplies[4];
	} cases[] = {
		{ AC, { NULL } },
		{ AC, { "Mains 1" } },
		{ BAT, { "Mains 0" } },
		{ AC, { "Mains 1", "Battery Discharging" } },
		{ AC, { "Mains 1", "Battery Not charging" } },
		{ BAT, { "Mains 0", "Battery Discharging" } },
		{ BAT, { "Mains 0", "Battery Full" } },
		{ BAT, { "Mains 0", "Battery Unknown" } },
		/*
		 * USB-C supplies power: the firmware's adapter reports nothing.
		 */
		{ AC, { "Mains 0", "USB 1", "Battery Charging" } },
		{ BAT, { "Mains 0", "USB 1", "Battery Discharging" } },
		/* The adapter was unplugged after this was read. */
		{ BAT, { "Mains 0", "Battery Charging" } },
		{ BAT, { "Mains 0", "USB 0", "Battery Charging" } },
		{ AC, { "Battery Charging" } },
		{ AC, { "Mains 0", "Mains 1", "Battery Discharging" } },
		{ BAT, { "USB 1", "Battery Discharging" } },
		{ AC, { "USB 1", "Battery Charging" } },
		{ AC, { "Battery Full" } },
		{ NONE, { "Battery Unknown" } },
		{ NONE, { "Battery" } },
		{ BAT, { "Battery Full", "Battery Discharging" } },
		/* The battery of a mouse. */
		{ AC, { "Battery Discharging:Device" } },
		{ AC, { "Mains 1", "Battery Discharging:Device" } },
		{ BAT, { "Battery Discharging:System" } },
		{ BAT, { "UPS Discharging" } },
		{ AC, { "USB 0" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *root = tree_new();

		tree_mkdir(root, "sys/class/power_supply");
		for (int j = 0; j < 4 && cases[i].supplies[j]; j++)
			put_supply(root, j, cases[i].supplies[j]);
		assert_int_equal(read_facts(root).power_source,
				 cases[i].source);
		tree_remove(root);
	}
}

static void a_kernel_that_knows_no_supplies_is_on_ac(void **state)
{
	char *root = tree_new();

	(void)state;
	tree_mkdir(root, "sys/class");
	assert_int_equal(read_facts(root).power_source, SSDPM_SOURCE_AC);
	tree_remove(root);
}

static void the_word_in_brackets_is_the_one_that_holds(void **state)
{
	static const struct {
		const char *text;
		uint32_t suspend;
	} cases[] = {
		{ "[s2idle] deep\n", SSDPM_SUSPEND_S2IDLE },
		{ "s2idle [deep]\n", SSDPM_SUSPEND_DEEP },
		{ "s2idle [shallow] deep\n", SSDPM_SUSPEND_SHALLOW },
		{ "s2idle deep\n", 0 },
		{ "[s2idle\n", 0 },
		{ "[]\n", 0 },
		{ "[deeper]\n", 0 },
		{ "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *root = tree_new();

		tree_put(root, "sys/power/mem_sleep", cases[i].text);
		assert_int_equal(read_facts(root).suspend, cases[i].suspend);
		tree_remove(root);
	}
}

static void parameters_of_modules_are_read(void **state)
{
	char *root = tree_new();
	struct ssdpm_machine_facts facts;

	(void)state;
	tree_put(root, "sys/module/nvme_core/parameters/force_apst", "Y\n");
	tree_put(root,
		 "sys/module/nvme_core/parameters/apst_primary_timeout_ms",
		 "18446744073709551615\n");
	tree_put(root,
		 "sys/module/nvme_core/parameters/apst_secondary_timeout_ms",
		 "no\n");
	tree_put(root, "sys/module/ahci/parameters/mask_port_ext",
		 "0000:00:17.0=0x4\n");
	tree_put(root, "sys/module/ahci/parameters/mobile_lpm_policy", "3\n");
	tree_put(root, "sys/module/pcie_aspm/parameters/policy",
		 "default performance powersave [powersupersave] \n");
	facts = read_facts(root);
	assert_int_equal(facts.nvme_core_known,
			 1 << SSDPM_NVME_CORE_FORCE_APST |
				 1 << SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS);
	assert_true(facts.nvme_core[SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS] ==
		    UINT64_MAX);
	assert_int_equal(facts.nvme_core[SSDPM_NVME_CORE_FORCE_APST], 1);
	assert_string_equal(facts.mask_port_ext, "0000:00:17.0=0x4");
	assert_int_equal(facts.mobile_lpm_policy, 3);
	assert_int_equal(facts.aspm_policy, SSDPM_ASPM_POWERSUPERSAVE);
	tree_put(root, "sys/module/ahci/parameters/mobile_lpm_policy", "x\n");
	tree_put(root, "sys/module/ahci/parameters/mask_port_ext", "(null)\n");
	facts = read_facts(root);
	assert_int_equal(facts.mobile_lpm_policy, INT32_MIN);
	assert_string_equal(facts.mask_port_ext, "");
	tree_remove(root);
}

static struct ssdpm_device *read_device(const char *capture, const char *name,
					struct ssdpm_machine_facts *ret_facts)
{
	struct ssdpm_machine *machine = tree_capture(capture);
	struct ssdpm_device *device;

	ret_facts->size = sizeof(*ret_facts);
	assert_int_equal(ssdpm_machine_read_facts(machine, ret_facts, NULL), 0);
	assert_int_equal(ssdpm_device_read(machine, name, &device, NULL), 0);
	ssdpm_machine_unref(machine);
	return device;
}

static const struct {
	const char *osrelease, *version, *signature, *is;
} releases[] = {
	{ "6.1.0-56-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026)",
	  NULL, "6.1.192 (6.1.0-56-amd64)" },
	{ "7.3.4+deb13-amd64", "#1 SMP Debian 7.3.4-1 (2026)", NULL,
	  "7.3.4+deb13-amd64" },
	{ "6.1.0-56-amd64", "#1 SMP Debian 5.10.223-1", NULL,
	  "6.1.0-56-amd64" },
	{ "6.1.0-56-amd64", "#1 SMP Debian x", NULL, "6.1.0-56-amd64" },
	{ "6.8.0-45-generic", "#45-Ubuntu SMP",
	  "Ubuntu 6.8.0-45.45-generic 6.8.12", "6.8.12 (6.8.0-45-generic)" },
	{ "6.8.0-1014-aws", "#15~22.04.1-Ubuntu SMP",
	  "Ubuntu 6.8.0-1014.15~22.04.1-aws 6.8.12",
	  "6.8.12 (6.8.0-1014-aws)" },
	{ "6.8.0-45-generic", "#45-Ubuntu SMP",
	  "Ubuntu 6.5.0-45.45-generic 6.5.13", "6.8.0-45-generic" },
	{ "6.8.0-45-generic", "#45-Ubuntu SMP", "Ubuntu ", "6.8.0-45-generic" },
	{ "6.8.0-45-generic", NULL, "Ubuntu 6.8.0-45.45-generic",
	  "6.8.0-45-generic" },
	{ "6.8.0-45-generic", NULL, "Mine 1 6.8.12", "6.8.0-45-generic" },
	{ "6.8.0-45-generic", NULL, "", "6.8.0-45-generic" },
	{ "6.8.0-45-generic", NULL, NULL, "6.8.0-45-generic" },
	{ "", NULL, NULL, "" },
};

static void debian_and_ubuntu_say_the_patch_level_elsewhere(void **state)
{
	char *root;

	(void)state;
	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		root = tree_new();
		tree_put(root, "proc/sys/kernel/osrelease",
			 releases[i].osrelease);
		if (releases[i].version)
			tree_put(root, "proc/sys/kernel/version",
				 releases[i].version);
		if (releases[i].signature)
			tree_put(root, "proc/version_signature",
				 releases[i].signature);
		assert_string_equal(read_facts(root).linux_release,
				    releases[i].is);
		tree_remove(root);
	}
}

static void quirks_depend_on_the_host(void **state)
{
	struct ssdpm_machine_facts facts;
	struct ssdpm_device *device =
		read_device("desktop-6.1", "nvme0", &facts);
	struct ssdpm_host host = { .size = sizeof(host) };

	(void)state;
	assert_int_equal(ssdpm_device_get_host(device, &facts, &host, NULL), 0);
	assert_int_equal(host.size, sizeof(host));
	assert_string_equal(host.linux_release, "6.1.192 (6.1.0-56-amd64)");
	assert_string_equal(host.board_name, "PRIME B550-PLUS");
	assert_int_equal(host.pci_vendor_id, 0x144d);
	assert_int_equal(host.adapter_vendor_id, 0);
	facts.sys_vendor[0] = 0;
	assert_int_equal(ssdpm_device_get_host(device, &facts, &host, NULL), 0);
	assert_null(host.sys_vendor);
	ssdpm_device_unref(device);
	device = read_device("desktop-6.1", "sda", &facts);
	assert_int_equal(ssdpm_device_get_host(device, &facts, &host, NULL), 0);
	assert_int_equal(host.pci_vendor_id, 0);
	assert_int_equal(host.adapter_vendor_id, 0x8086);
	ssdpm_device_unref(device);
}

static struct ssdpm_model *kingston(void)
{
	struct ssdpm_model_info info = { .size = sizeof(info),
					 .kind = SSDPM_KIND_NVME,
					 .vendor_id = 0x2646,
					 .product = "KINGSTON SA2000M8500G",
					 .firmware = "S5Z42105",
					 .unknown = SSDPM_INFO_APSTA };
	struct ssdpm_power_state state = { .max_power_uw = 1 };
	struct ssdpm_model *model;

	assert_int_equal(ssdpm_model_new(&info, &state, 1, &model, NULL), 0);
	return model;
}

static void the_kernel_knows_its_quirks_best(void **state)
{
	struct ssdpm_machine_facts facts;
	struct ssdpm_device *device =
		read_device("eight-drives", "nvme2", &facts);
	struct ssdpm_model *model = kingston();
	struct ssdpm_error error = fixture_error();
	uint32_t quirks = 77, from_kernel = 77;

	(void)state;
	/* 6.12 does not report this, so our rules decide. */
	assert_int_equal(ssdpm_device_get_quirks(device, &facts, NULL, &quirks,
						 &from_kernel, &error),
			 -ENODATA);
	fixture_assert_error(&error, -ENODATA, 0, "nvme2: ");
	assert_int_equal(quirks, 77);
	assert_int_equal(ssdpm_device_get_quirks(device, &facts, model, &quirks,
						 &from_kernel, NULL),
			 0);
	assert_int_equal(quirks, SSDPM_QUIRK_NO_DEEPEST_PS);
	assert_int_equal(from_kernel, 0);
	facts.nvme_core[SSDPM_NVME_CORE_FORCE_APST] = 1;
	assert_int_equal(ssdpm_device_get_quirks(device, &facts, model, &quirks,
						 &from_kernel, NULL),
			 0);
	assert_int_equal(quirks, 0);
	ssdpm_device_unref(device);
	/* 7.3 reports none, whatever the model. */
	device = read_device("laptop", "nvme0", &facts);
	assert_int_equal(ssdpm_device_get_quirks(device, &facts, model, &quirks,
						 &from_kernel, NULL),
			 0);
	assert_int_equal(quirks, 0);
	assert_int_equal(from_kernel, 1);
	assert_int_equal(ssdpm_device_get_quirks(device, &facts, NULL, &quirks,
						 &from_kernel, NULL),
			 0);
	ssdpm_device_unref(device);
	ssdpm_model_unref(model);
}

static void the_table_follows_from_what_the_kernel_was_told(void **state)
{
	struct ssdpm_machine_facts facts;
	struct ssdpm_device *device = read_device("laptop", "nvme0", &facts);
	struct ssdpm_apst_params params = { .size = sizeof(params) };
	struct ssdpm_error error = fixture_error();

	(void)state;
	facts.nvme_core[SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS] = 11;
	facts.nvme_core[SSDPM_NVME_CORE_APST_PRIMARY_LATENCY_TOL_US] = 12;
	facts.nvme_core[SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS] = 13;
	facts.nvme_core[SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US] = 14;
	assert_int_equal(ssdpm_device_get_apst_params(device, &facts, NULL,
						      &params, NULL),
			 0);
	assert_int_equal(params.size, sizeof(params));
	assert_int_equal(params.algorithm, SSDPM_APST_LINUX);
	assert_int_equal(params.quirks, 0);
	assert_int_equal(params.max_exit_latency_us, 100000);
	assert_int_equal(params.primary_timeout_ms, 11);
	assert_int_equal(params.primary_latency_tolerance_us, 12);
	assert_int_equal(params.secondary_timeout_ms, 13);
	assert_int_equal(params.secondary_latency_tolerance_us, 14);
	/* Without facts about nvme_core: the defaults. */
	facts.nvme_core_known = 0;
	assert_int_equal(ssdpm_device_get_apst_params(device, &facts, NULL,
						      &params, NULL),
			 0);
	assert_int_equal(params.algorithm, SSDPM_APST_LINUX);
	assert_int_equal(params.primary_timeout_ms, 100);
	ssdpm_device_unref(device);

	device = read_device("desktop-6.1", "sda", &facts);
	assert_int_equal(ssdpm_device_get_apst_params(device, &facts, NULL,
						      &params, &error),
			 -EOPNOTSUPP);
	fixture_assert_error(&error, -EOPNOTSUPP, 0, "sda: ");
	ssdpm_device_unref(device);
}

/* "name=value" for each, separated by blanks. */
static char *join_changes(const struct ssdpm_device *device,
			  const struct ssdpm_machine_facts *facts,
			  const struct ssdpm_apst_params *params)
{
	static char text[2048];
	struct ssdpm_change *changes;
	size_t n;
	int length = 0;

	assert_int_equal(ssdpm_device_get_apst_changes(device, facts, params,
						       &changes, &n, NULL),
			 0);
	for (size_t i = 0; i < n; i++)
		length += snprintf(text + length, sizeof(text) - (size_t)length,
				   "%s%s=%s", i ? " " : "", changes[i].target,
				   changes[i].value);
	free(changes);
	return text;
}

#define CORE "/sys/module/nvme_core/parameters/"
#define LIMIT_OF(name) \
	"/sys/class/nvme/" name "/power/pm_qos_latency_tolerance_us="

static void a_table_is_built_from_what_is_written(void **state)
{
	struct ssdpm_machine_facts facts;
	struct ssdpm_device *device = read_device("laptop", "nvme0", &facts);
	struct ssdpm_apst_params params;

	(void)state;
	ssdpm_apst_params_init(&params, sizeof(params));
	assert_string_equal(
		join_changes(NULL, NULL, &params),
		LIMIT_OF("nvmeN") "99999 " LIMIT_OF("nvmeN") "100000");
	params.primary_timeout_ms = 50;
	params.secondary_timeout_ms = 7;
	params.max_exit_latency_us = SSDPM_LATENCY_ANY;
	assert_string_equal(
		join_changes(NULL, NULL, &params), CORE
		"apst_primary_timeout_ms=50 " CORE
		"apst_secondary_timeout_ms=7 " LIMIT_OF("nvmeN") "2147483646 " LIMIT_OF(
			"nvmeN") "any "
				 "nvme_core.apst_primary_timeout_ms=50 "
				 "nvme_core.apst_secondary_timeout_ms=7 "
				 "nvme_core.default_ps_max_latency_us=2147483647");
	/*
	 * A value already in force is not written, but must be so after a boot.
	 */
	facts.nvme_core[SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS] = 50;
	facts.nvme_core[SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS] = 8;
	params.max_exit_latency_us = 0;
	assert_string_equal(
		join_changes(device, &facts, &params), CORE
		"apst_secondary_timeout_ms=7 " LIMIT_OF("nvme0") "1 " LIMIT_OF(
			"nvme0") "0 "
				 "nvme_core.apst_primary_timeout_ms=50 "
				 "nvme_core.apst_secondary_timeout_ms=7 "
				 "nvme_core.default_ps_max_latency_us=0");
	/* The boot of this machine sets others than Linux does by default. */
	ssdpm_apst_params_init(&params, sizeof(params));
	facts.nvme_core[SSDPM_NVME_CORE_DEFAULT_PS_MAX_LATENCY_US] = 0;
	assert_string_equal(
		join_changes(device, &facts, &params), CORE
		"apst_primary_timeout_ms=100 " CORE
		"apst_secondary_timeout_ms=2000 " LIMIT_OF("nvme0") "99999 " LIMIT_OF(
			"nvme0") "100000 "
				 "nvme_core.apst_primary_timeout_ms=100 "
				 "nvme_core.apst_secondary_timeout_ms=2000 "
				 "nvme_core.default_ps_max_latency_us=100000");
	ssdpm_device_unref(device);
}

static void linux_without_the_parameters_has_the_old_algorithm(void **state)
{
	struct ssdpm_machine_facts facts;
	struct ssdpm_device *device = read_device("old-5.10", "nvme0", &facts);
	struct ssdpm_model *model = kingston();
	struct ssdpm_apst_params params = { .size = sizeof(params) };

	(void)state;
	assert_int_equal(ssdpm_device_get_apst_params(device, &facts, model,
						      &params, NULL),
			 0);
	assert_int_equal(params.algorithm, SSDPM_APST_LINUX_LEGACY);
	ssdpm_device_unref(device);
	ssdpm_model_unref(model);
}

static void assert_settings(const char *capture, const char *name,
			    const struct ssdpm_device_settings *wanted)
{
	struct ssdpm_device_settings found = { .size = sizeof(found) };
	struct ssdpm_machine_facts facts;
	struct ssdpm_device *device = read_device(capture, name, &facts);
	struct ssdpm_model *model;

	assert_int_equal(ssdpm_device_read_model(device, 0, NULL, &model, NULL),
			 0);

	assert_int_equal(
		ssdpm_device_get_settings(device, &facts, model, &found, NULL),
		0);
	assert_int_equal(found.known, wanted->known);
	assert_int_equal(found.pcie_link, wanted->pcie_link);
	assert_int_equal(found.lpm, wanted->lpm);
	assert_int_equal(found.quirks & SSDPM_QUIRK_NO_APST, wanted->quirks);
	ssdpm_model_unref(model);
	ssdpm_device_unref(device);
}

static void a_prediction_takes_what_the_machine_says(void **state)
{
	const uint32_t quirks = SSDPM_SETTING_QUIRKS | SSDPM_SETTING_APST;
	const uint32_t both = quirks | SSDPM_SETTING_PCIE_LINK;

	(void)state;
	assert_settings("laptop", "nvme0",
			&(struct ssdpm_device_settings){
				.known = both, .pcie_link = SSDPM_PCIE_L1_2 });
	/* L1 without L1.2. */
	assert_settings("desktop-6.1", "nvme0",
			&(struct ssdpm_device_settings){
				.known = both, .pcie_link = SSDPM_PCIE_L1 });
	/* Linux does not manage the first link, and keeps the second in L0. */
	assert_settings("no-aspm", "nvme0",
			&(struct ssdpm_device_settings){ .known = quirks });
	assert_settings("no-aspm", "nvme1",
			&(struct ssdpm_device_settings){
				.known = both, .pcie_link = SSDPM_PCIE_L0 });
	/* No latency tolerance: this kernel has no APST for it. */
	assert_settings("eight-drives", "nvme3",
			&(struct ssdpm_device_settings){
				.known = both,
				.pcie_link = SSDPM_PCIE_L1,
				.quirks = SSDPM_QUIRK_NO_APST });
	assert_settings("eight-drives", "sdb",
			&(struct ssdpm_device_settings){
				.known = SSDPM_SETTING_LPM,
				.lpm = SSDPM_LPM_MED_POWER_WITH_DIPM });
}

static struct ssdpm_model *sleeper(void)
{
	const struct ssdpm_model_info info = { .size = sizeof(info),
					       .kind = SSDPM_KIND_NVME,
					       .unknown = SSDPM_INFO_APSTA };
	const struct ssdpm_power_state states[] = {
		{ .max_power_uw = 2 },
		{ .max_power_uw = 1,
		  .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .entry_latency_us = 1000,
		  .exit_latency_us = 2000 },
	};
	struct ssdpm_model *model;

	assert_int_equal(ssdpm_model_new(&info, states, 2, &model, NULL), 0);
	return model;
}

/* The table that Linux has programmed, not its default table. */
static void today_is_what_the_machine_does(void **state)
{
	struct ssdpm_device_settings now = { .size = sizeof(now) };
	struct ssdpm_machine_facts facts;
	struct ssdpm_device *device = read_device("apst-off", "nvme0", &facts);
	struct ssdpm_model *model = sleeper();
	struct ssdpm_apst_params params = { .size = sizeof(params) };
	struct ssdpm_apst table = { .sent = 0 };

	(void)state;
	assert_int_equal(ssdpm_device_get_facts(device)->latency_tolerance_us,
			 0);
	assert_int_equal(
		ssdpm_device_get_settings(device, &facts, model, &now, NULL),
		0);
	assert_true(now.known & SSDPM_SETTING_APST);
	assert_int_equal(now.apst.enabled, 0);
	ssdpm_device_unref(device);

	device = read_device("laptop", "nvme0", &facts);
	/* The table that was read is none of this drive, and hides no other. */
	assert_int_equal(
		ssdpm_device_get_settings(device, &facts, model, &now, NULL),
		0);
	assert_false(now.known & SSDPM_SETTING_APST);
	facts.nvme_core[SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS] = 1234;
	assert_int_equal(ssdpm_device_get_apst_params(device, &facts, model,
						      &params, NULL),
			 0);
	assert_int_equal(ssdpm_apst_generate(model, &params, &table, NULL), 0);
	assert_int_equal(table.entries[0].idle_ms, 1234);
	assert_int_equal(
		ssdpm_device_get_settings(device, &facts, NULL, &now, NULL), 0);
	assert_false(now.known & SSDPM_SETTING_APST);
	ssdpm_device_unref(device);
	ssdpm_model_unref(model);
}

static void without_a_latency_tolerance_there_is_no_apst(void **state)
{
	struct ssdpm_machine_facts facts;
	struct ssdpm_device *device =
		read_device("eight-drives", "nvme3", &facts);
	struct ssdpm_model *model = kingston();
	struct ssdpm_apst_params params = { .size = sizeof(params) };

	(void)state;
	assert_false(ssdpm_device_get_facts(device)->known &
		     SSDPM_FACT_LATENCY_TOLERANCE);
	assert_int_equal(ssdpm_device_get_apst_params(device, &facts, model,
						      &params, NULL),
			 0);
	assert_true(params.quirks & SSDPM_QUIRK_NO_APST);
	ssdpm_device_unref(device);
	ssdpm_model_unref(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_root_must_be_a_directory),
		cmocka_unit_test(parameters_of_a_machine_are_checked),
		cmocka_unit_test(facts_fill_what_the_caller_knows_of),
		cmocka_unit_test(a_laptop_is_read_as_a_whole),
		cmocka_unit_test(an_empty_root_knows_nothing),
		cmocka_unit_test(the_power_source_follows_from_the_supplies),
		cmocka_unit_test(a_kernel_that_knows_no_supplies_is_on_ac),
		cmocka_unit_test(the_word_in_brackets_is_the_one_that_holds),
		cmocka_unit_test(parameters_of_modules_are_read),
		cmocka_unit_test(
			debian_and_ubuntu_say_the_patch_level_elsewhere),
		cmocka_unit_test(quirks_depend_on_the_host),
		cmocka_unit_test(the_kernel_knows_its_quirks_best),
		cmocka_unit_test(
			the_table_follows_from_what_the_kernel_was_told),
		cmocka_unit_test(
			linux_without_the_parameters_has_the_old_algorithm),
		cmocka_unit_test(a_table_is_built_from_what_is_written),
		cmocka_unit_test(a_prediction_takes_what_the_machine_says),
		cmocka_unit_test(today_is_what_the_machine_does),
		cmocka_unit_test(without_a_latency_tolerance_there_is_no_apst),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
