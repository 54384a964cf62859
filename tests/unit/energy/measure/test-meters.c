/* SPDX-License-Identifier: MIT */
/* What measures power on a machine: machines made up here, and captures. */
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

static void assert_meter(const struct meters *meters, size_t index,
			 uint32_t kind, const char *name, const char *path)
{
	assert_in_range(index + 1, 1, meters->n);
	assert_int_equal(meters->all[index].kind, kind);
	assert_string_equal(meters->all[index].name, name);
	assert_string_equal(meters->all[index].path, path);
	assert_int_equal(meters->all[index].readable, 1);
}

#define SUPPLY "sys/class/power_supply/"

static void batteries_measure_power_or_current(void **state)
{
	struct meters meters;
	char *root = tree_new();
	struct ssdpm_machine *machine = tree_machine(root);

	(void)state;
	tree_put(root, SUPPLY "AC/type", "Mains\n");
	tree_put(root, SUPPLY "AC/power_now", "1\n");
	tree_put(root, SUPPLY "BAT0/type", "Battery\n");
	tree_put(root, SUPPLY "BAT0/power_now", "1\n");
	tree_put(root, SUPPLY "BAT0/current_now", "1\n");
	tree_put(root, SUPPLY "BAT1/type", "Battery\n");
	tree_put(root, SUPPLY "BAT1/current_now", "1\n");
	tree_put(root, SUPPLY "BAT2/type", "Battery\n");
	tree_put(root, SUPPLY "BAT3/type", "Battery\n");
	tree_put(root, SUPPLY "BAT3/present", "0\n");
	tree_put(root, SUPPLY "BAT3/power_now", "0\n");
	tree_put(root, SUPPLY "mouse/type", "Battery\n");
	tree_put(root, SUPPLY "mouse/scope", "Device\n");
	tree_put(root, SUPPLY "mouse/power_now", "1\n");
	meters = read_meters(machine);
	assert_int_equal(meters.n, 2);
	assert_meter(&meters, 0, SSDPM_METER_BATTERY, "BAT0",
		     "/" SUPPLY "BAT0/power_now");
	assert_meter(&meters, 1, SSDPM_METER_BATTERY, "BAT1",
		     "/" SUPPLY "BAT1/current_now");
	free(meters.all);
	ssdpm_machine_unref(machine);
	tree_remove(root);
}

static void rapl_zones_have_names(void **state)
{
	struct meters meters;
	char *root = tree_new();
	struct ssdpm_machine *machine = tree_machine(root);

	(void)state;
	tree_put(root, "sys/class/powercap/intel-rapl/enabled", "1\n");
	tree_put(root, "sys/class/powercap/intel-rapl:0/energy_uj", "1\n");
	tree_put(root, "sys/class/powercap/intel-rapl:0/name", "package-0\n");
	tree_put(root, "sys/class/powercap/intel-rapl:1/energy_uj", "1\n");
	tree_put(root, "sys/class/powercap/dtpm/energy_uj", "1\n");
	meters = read_meters(machine);
	assert_int_equal(meters.n, 2);
	assert_meter(&meters, 0, SSDPM_METER_RAPL, "package-0",
		     "/sys/class/powercap/intel-rapl:0/energy_uj");
	assert_meter(&meters, 1, SSDPM_METER_RAPL, "intel-rapl:1",
		     "/sys/class/powercap/intel-rapl:1/energy_uj");
	free(meters.all);
	ssdpm_machine_unref(machine);
	tree_remove(root);
}

static void sensors_have_their_numbers_beside_their_name(void **state)
{
	struct meters meters;
	char *root = tree_new();
	struct ssdpm_machine *machine = tree_machine(root);

	(void)state;
	tree_put(root, "sys/class/hwmon/hwmon0/name", "AC\n");
	tree_put(root, "sys/class/hwmon/hwmon1/name", "amdgpu\n");
	tree_put(root, "sys/class/hwmon/hwmon1/power1_average", "1\n");
	tree_put(root, "sys/class/hwmon/hwmon1/power1_average_max", "1\n");
	tree_put(root, "sys/class/hwmon/hwmon1/power2_input", "1\n");
	tree_put(root, "sys/class/hwmon/hwmon1/power2_average", "1\n");
	tree_put(root, "sys/class/hwmon/hwmon1/powerx_input", "1\n");
	meters = read_meters(machine);
	assert_int_equal(meters.n, 2);
	assert_meter(&meters, 0, SSDPM_METER_HWMON, "amdgpu",
		     "/sys/class/hwmon/hwmon1/power1_average");
	assert_meter(&meters, 1, SSDPM_METER_HWMON, "amdgpu",
		     "/sys/class/hwmon/hwmon1/power2_input");
	free(meters.all);
	ssdpm_machine_unref(machine);
	tree_remove(root);
}

static void the_meter_of_acpi_may_have_its_number_elsewhere(void **state)
{
	struct meters meters;
	char *root = tree_new();
	struct ssdpm_machine *machine = tree_machine(root);

	(void)state;
	tree_put(root, "sys/devices/ACPI000D:00/power1_average", "1\n");
	tree_put(root, "sys/class/hwmon/hwmon2/uevent", "");
	tree_link(root, "sys/class/hwmon/hwmon2/device",
		  "../../../devices/ACPI000D:00");
	meters = read_meters(machine);
	assert_int_equal(meters.n, 1);
	assert_meter(&meters, 0, SSDPM_METER_ACPI_POWER, "ACPI000D:00",
		     "/sys/class/hwmon/hwmon2/device/power1_average");
	free(meters.all);
	tree_put(root, "sys/class/hwmon/hwmon2/name", "power_meter\n");
	tree_put(root, "sys/class/hwmon/hwmon2/power1_average", "1\n");
	meters = read_meters(machine);
	assert_int_equal(meters.n, 1);
	assert_meter(&meters, 0, SSDPM_METER_ACPI_POWER, "power_meter",
		     "/sys/class/hwmon/hwmon2/power1_average");
	free(meters.all);
	ssdpm_machine_unref(machine);
	tree_remove(root);
}

/* What a meter says, or why it says nothing. */
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
