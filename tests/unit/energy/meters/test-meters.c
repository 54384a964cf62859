/* SPDX-License-Identifier: MIT */
/* Power meters of made-up machines and of captures. */
#include "tree.h"

#include <unistd.h>

struct meters {
	struct ssdpm_meter *all;
	size_t n;
};

static struct meters read_meters(struct ssdpm_machine *machine)
{
	struct meters meters;

	assert_int_equal(ssdpm_machine_read_meters(machine, &meters.all,
						   &meters.n, NULL),
			 0);
	return meters;
}

/* A file below the root. */
struct put {
	const char *path, *text;
};

struct expected {
	uint32_t kind;
	const char *name, *path;
};

static void assert_meters(struct ssdpm_machine *machine,
			  const struct expected *expected, size_t n)
{
	struct meters meters = read_meters(machine);

	assert_int_equal(meters.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(meters.all[i].name, expected[i].name);
		assert_string_equal(meters.all[i].path, expected[i].path);
		assert_int_equal(meters.all[i].kind, expected[i].kind);
		assert_int_equal(meters.all[i].readable, 1);
	}
	free(meters.all);
}

static void assert_two_meters(const struct put *puts, size_t n_puts,
			      const struct expected expected[2])
{
	char *root = tree_new();
	struct ssdpm_machine *machine = tree_machine(root);

	for (size_t i = 0; i < n_puts; i++)
		tree_put(root, puts[i].path, puts[i].text);
	assert_meters(machine, expected, 2);
	ssdpm_machine_unref(machine);
	tree_remove(root);
}

#define SUPPLY "sys/class/power_supply/"
#define POWERCAP "sys/class/powercap/"
#define HWMON "sys/class/hwmon/"

static void batteries_measure_power_or_current(void **state)
{
	static const struct put puts[] = {
		{ SUPPLY "AC/type", "Mains\n" },
		{ SUPPLY "AC/power_now", "1\n" },
		{ SUPPLY "BAT0/type", "Battery\n" },
		{ SUPPLY "BAT0/power_now", "1\n" },
		{ SUPPLY "BAT0/current_now", "1\n" },
		{ SUPPLY "BAT1/type", "Battery\n" },
		{ SUPPLY "BAT1/current_now", "1\n" },
		{ SUPPLY "BAT2/type", "Battery\n" },
		{ SUPPLY "BAT3/type", "Battery\n" },
		{ SUPPLY "BAT3/present", "0\n" },
		{ SUPPLY "BAT3/power_now", "0\n" },
		{ SUPPLY "mouse/type", "Battery\n" },
		{ SUPPLY "mouse/scope", "Device\n" },
		{ SUPPLY "mouse/power_now", "1\n" },
	};
	static const struct expected found[] = {
		{ SSDPM_METER_BATTERY, "BAT0", "/" SUPPLY "BAT0/power_now" },
		{ SSDPM_METER_BATTERY, "BAT1", "/" SUPPLY "BAT1/current_now" },
	};

	(void)state;
	assert_two_meters(puts, sizeof(puts) / sizeof(puts[0]), found);
}

static void rapl_zones_have_names(void **state)
{
	static const struct put puts[] = {
		{ POWERCAP "intel-rapl/enabled", "1\n" },
		{ POWERCAP "intel-rapl:0/energy_uj", "1\n" },
		{ POWERCAP "intel-rapl:0/name", "package-0\n" },
		{ POWERCAP "intel-rapl:1/energy_uj", "1\n" },
		{ POWERCAP "dtpm/energy_uj", "1\n" },
	};
	static const struct expected found[] = {
		{ SSDPM_METER_RAPL, "package-0",
		  "/" POWERCAP "intel-rapl:0/energy_uj" },
		{ SSDPM_METER_RAPL, "intel-rapl:1",
		  "/" POWERCAP "intel-rapl:1/energy_uj" },
	};

	(void)state;
	assert_two_meters(puts, sizeof(puts) / sizeof(puts[0]), found);
}

static void sensors_have_their_numbers_beside_their_name(void **state)
{
	static const struct put puts[] = {
		{ HWMON "hwmon0/name", "AC\n" },
		{ HWMON "hwmon1/name", "amdgpu\n" },
		{ HWMON "hwmon1/power1_average", "1\n" },
		{ HWMON "hwmon1/power1_average_max", "1\n" },
		{ HWMON "hwmon1/power2_input", "1\n" },
		{ HWMON "hwmon1/power2_average", "1\n" },
		{ HWMON "hwmon1/powerx_input", "1\n" },
	};
	static const struct expected found[] = {
		{ SSDPM_METER_HWMON, "amdgpu",
		  "/" HWMON "hwmon1/power1_average" },
		{ SSDPM_METER_HWMON, "amdgpu",
		  "/" HWMON "hwmon1/power2_input" },
	};

	(void)state;
	assert_two_meters(puts, sizeof(puts) / sizeof(puts[0]), found);
}

static void the_meter_of_acpi_may_have_its_number_elsewhere(void **state)
{
	static const struct expected found[] = {
		{ SSDPM_METER_ACPI_POWER, "ACPI000D:00",
		  "/" HWMON "hwmon2/device/power1_average" },
		{ SSDPM_METER_ACPI_POWER, "power_meter",
		  "/" HWMON "hwmon2/power1_average" },
	};
	char *root = tree_new();
	struct ssdpm_machine *machine = tree_machine(root);

	(void)state;
	tree_put(root, "sys/devices/ACPI000D:00/power1_average", "1\n");
	tree_put(root, HWMON "hwmon2/uevent", "");
	tree_link(root, HWMON "hwmon2/device", "../../../devices/ACPI000D:00");
	assert_meters(machine, &found[0], 1);
	tree_put(root, HWMON "hwmon2/name", "power_meter\n");
	tree_put(root, HWMON "hwmon2/power1_average", "1\n");
	assert_meters(machine, &found[1], 1);
	ssdpm_machine_unref(machine);
	tree_remove(root);
}

/* Compares the readings of a meter, or why there are none. */
static void assert_same_samples(struct ssdpm_machine *a,
				struct ssdpm_machine *b,
				const struct ssdpm_meter *meter)
{
	struct ssdpm_machine *machines[] = { a, b };
	struct ssdpm_reading readings[2];
	int r[2];

	memset(readings, 0, sizeof(readings));
	for (size_t i = 0; i < 2; i++) {
		struct ssdpm_sampler *sampler = NULL;

		readings[i].size = sizeof(readings[i]);
		r[i] = ssdpm_sampler_new(machines[i], meter, &sampler, NULL);
		if (!r[i])
			r[i] = ssdpm_sampler_read(sampler, &readings[i], NULL);
		ssdpm_sampler_free(sampler);
		readings[i].time_ns = 0;
	}
	assert_int_equal(r[0], r[1]);
	assert_memory_equal(&readings[0], &readings[1], sizeof(readings[0]));
}

static void a_capture_has_the_meters_of_its_machine(void **state)
{
	static const char *const names[] = { "laptop", "desktop-6.1", "server",
					     "hostile" };
	size_t n_found = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct ssdpm_machine *machine = tree_capture(names[i]);
		char *root = tree_new();
		struct ssdpm_machine *copy;
		struct meters a, b;

		assert_int_equal(rmdir(root), 0);
		assert_int_equal(ssdpm_machine_capture(machine, root, 0, NULL),
				 0);
		copy = tree_machine(root);
		a = read_meters(machine);
		b = read_meters(copy);
		assert_int_equal(a.n, b.n);
		if (a.n)
			assert_memory_equal(a.all, b.all, a.n * sizeof(*a.all));
		for (size_t j = 0; j < a.n; j++)
			assert_same_samples(machine, copy, &a.all[j]);
		n_found += a.n;
		free(a.all);
		free(b.all);
		ssdpm_machine_unref(copy);
		ssdpm_machine_unref(machine);
		tree_remove(root);
	}
	assert_true(n_found > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batteries_measure_power_or_current),
		cmocka_unit_test(rapl_zones_have_names),
		cmocka_unit_test(sensors_have_their_numbers_beside_their_name),
		cmocka_unit_test(
			the_meter_of_acpi_may_have_its_number_elsewhere),
		cmocka_unit_test(a_capture_has_the_meters_of_its_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
