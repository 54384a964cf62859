/* SPDX-License-Identifier: MIT */
/* Meters found by name and read: files of sysfs, and commands. */
#include "tree.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device/sampler.h"

#define SUPPLY "sys/class/power_supply/"
#define HWMON "sys/class/hwmon/"
#define ZONE "sys/class/powercap/intel-rapl:0/"
#define NS_PER_S INT64_C(1000000000)

/* The time that clocks say: nothing here waits. */
static struct {
	bool fixed;
	int64_t boottime_ns, monotonic_ns;
} now;

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	int64_t ns =
		clock == CLOCK_BOOTTIME ? now.boottime_ns : now.monotonic_ns;

	if (!now.fixed)
		return __real_clock_gettime(clock, time);
	time->tv_sec = ns / NS_PER_S;
	time->tv_nsec = ns % NS_PER_S;
	return 0;
}

static void pass(double seconds)
{
	now.boottime_ns += (int64_t)(seconds * 1e9);
	now.monotonic_ns += (int64_t)(seconds * 1e9);
}

static int set_up(void **state)
{
	char *root = tree_new();

	*state = root;
	now.fixed = true;
	now.boottime_ns = 2000 * NS_PER_S;
	now.monotonic_ns = 1000 * NS_PER_S;
	tree_mkdir(root, "sys/class/x");
	return 0;
}

static int tear_down(void **state)
{
	tree_remove(*state);
	now.fixed = false;
	return 0;
}

static struct ssdpm_meter find(const char *root, const char *text)
{
	struct ssdpm_machine *machine = tree_machine(root);
	struct ssdpm_error error = fixture_error();
	struct ssdpm_meter meter;

	if (ssdpm_machine_find_meter(machine, text, &meter, &error))
		fail_msg("%s: %s", text, error.message);
	ssdpm_machine_unref(machine);
	return meter;
}

static void __attribute__((unused))
assert_not_found(const char *root, const char *text, int code,
		 const char *fragment)
{
	struct ssdpm_machine *machine = tree_machine(root);
	struct ssdpm_error error = fixture_error();
	struct ssdpm_meter meter, before;

	memset(&meter, 0x5a, sizeof(meter));
	before = meter;
	assert_int_equal(
		ssdpm_machine_find_meter(machine, text, &meter, &error), code);
	fixture_assert_error(&error, code, 0, fragment);
	assert_memory_equal(&meter, &before, sizeof(meter));
	ssdpm_machine_unref(machine);
}

static struct ssdpm_sampler *sampler_of(const char *root, const char *text)
{
	struct ssdpm_machine *machine = tree_machine(root);
	struct ssdpm_error error = fixture_error();
	struct ssdpm_sampler *sampler = UNTOUCHED;
	struct ssdpm_meter meter;

	if (ssdpm_machine_find_meter(machine, text, &meter, &error) ||
	    ssdpm_sampler_new(machine, &meter, &sampler, &error))
		fail_msg("%s: %s", text, error.message);
	ssdpm_machine_unref(machine);
	return sampler;
}

/* A sampler that cannot be made. */
static void assert_refused(const char *root, const char *text, int code,
			   const char *fragment)
{
	struct ssdpm_machine *machine = tree_machine(root);
	struct ssdpm_error error = fixture_error();
	struct ssdpm_sampler *sampler = UNTOUCHED;
	struct ssdpm_meter meter = find(root, text);

	assert_int_equal(ssdpm_sampler_new(machine, &meter, &sampler, &error),
			 code);
	fixture_assert_error(&error, code, 0, fragment);
	assert_ptr_equal(sampler, UNTOUCHED);
	ssdpm_machine_unref(machine);
}

static struct ssdpm_reading read_one(struct ssdpm_sampler *sampler)
{
	struct ssdpm_reading reading = { .size = sizeof(reading) };
	struct ssdpm_error error = fixture_error();

	if (ssdpm_sampler_read(sampler, &reading, &error))
		fail_msg("%s", error.message);
	assert_int_equal(reading.size, sizeof(reading));
	assert_int_equal(reading.reserved, 0);
	if (now.fixed)
		assert_int_equal(reading.time_ns, now.boottime_ns);
	return reading;
}

static void assert_failed(struct ssdpm_sampler *sampler, int code,
			  const char *fragment)
{
	struct ssdpm_reading reading = { .size = sizeof(reading),
					 .power_w = 42 };
	struct ssdpm_error error = fixture_error();

	assert_int_equal(ssdpm_sampler_read(sampler, &reading, &error), code);
	fixture_assert_error(&error, code, 0, fragment);
	assert_true(reading.power_w == 42);
}

static void assert_near(double value, double expected)
{
	if (isnan(value) || fabs(value - expected) > 1e-9 * fabs(expected))
		fail_msg("%.17g is not %.17g", value, expected);
}

static void put_battery(const char *root, const char *name, const char *status,
			const char *power_now)
{
	char path[128];

	snprintf(path, sizeof(path), SUPPLY "%s/type", name);
	tree_put(root, path, "Battery\n");
	snprintf(path, sizeof(path), SUPPLY "%s/status", name);
	tree_put(root, path, status);
	snprintf(path, sizeof(path), SUPPLY "%s/power_now", name);
	tree_put(root, path, power_now);
}

static void put_current(const char *root, const char *current,
			const char *voltage)
{
	tree_put(root, SUPPLY "BAT0/type", "Battery\n");
	tree_put(root, SUPPLY "BAT0/status", "Discharging\n");
	tree_put(root, SUPPLY "BAT0/current_now", current);
	tree_put(root, SUPPLY "BAT0/voltage_now", voltage);
}

static void a_battery_that_discharges_gives_the_power_of_the_machine(
	void **state)
{
	struct ssdpm_sampler *sampler;
	struct ssdpm_reading reading;
	char *root = *state;

	put_battery(root, "BAT0", "Discharging\n", "5213000\n");
	sampler = sampler_of(root, "BAT0");
	reading = read_one(sampler);
	assert_near(reading.power_w, 5.213);
	assert_true(isnan(reading.energy_j));
	assert_int_equal(reading.flags, 0);
	ssdpm_sampler_free(sampler);
}

static void a_negative_sign_means_discharging_for_some_drivers(void **state)
{
	struct ssdpm_sampler *sampler;
	char *root = *state;

	put_battery(root, "BAT0", "Discharging\n", "-5213000\n");
	sampler = sampler_of(root, "BAT0");
	assert_near(read_one(sampler).power_w, 5.213);
	ssdpm_sampler_free(sampler);
}

static void current_and_voltage_make_a_power(void **state)
{
	struct ssdpm_sampler *sampler;
	char *root = *state;

	put_current(root, "-420000\n", "11800000\n");
	sampler = sampler_of(root, "BAT0");
	assert_near(read_one(sampler).power_w, 4.956);
	ssdpm_sampler_free(sampler);
}

static void a_battery_that_charges_or_rests_is_refused(void **state)
{
	char *root = *state;

	put_battery(root, "BAT0", "Charging\n", "20000000\n");
	assert_refused(root, "BAT0", -EBUSY, "unplug the charger");
	put_battery(root, "BAT0", "Full\n", "0\n");
	assert_refused(root, "BAT0", -EBUSY, "unplug the adapter");
	put_battery(root, "BAT0", "Not charging\n", "0\n");
	assert_refused(root, "BAT0", -EBUSY, "unplug the adapter");
}

static void a_battery_that_begins_to_charge_says_so_and_may_go_on(void **state)
{
	struct ssdpm_sampler *sampler;
	char *root = *state;

	put_battery(root, "BAT0", "Discharging\n", "5000000\n");
	sampler = sampler_of(root, "BAT0");
	read_one(sampler);
	put_battery(root, "BAT0", "Charging\n", "5000000\n");
	assert_failed(sampler, -EBUSY, "BAT0 charges");
	put_battery(root, "BAT0", "Discharging\n", "6000000\n");
	assert_near(read_one(sampler).power_w, 6);
	ssdpm_sampler_free(sampler);
}

static void a_sensor_says_its_power(void **state)
{
	struct ssdpm_sampler *sampler;
	struct ssdpm_reading reading;
	char *root = *state;

	tree_put(root, HWMON "hwmon1/name", "amdgpu\n");
	tree_put(root, HWMON "hwmon1/power1_average", "11250000\n");
	sampler = sampler_of(root, "amdgpu");
	reading = read_one(sampler);
	assert_near(reading.power_w, 11.25);
	pass(1);
	assert_int_equal(read_one(sampler).flags, SSDPM_READING_SAME);
	ssdpm_sampler_free(sampler);
}

static void a_command_prints_a_power(void **state)
{
	struct ssdpm_sampler *sampler;

	(void)state;
	now.fixed = false;
	sampler = sampler_of(NULL, "command:echo 5210 mW");
	assert_near(read_one(sampler).power_w, 5.21);
	ssdpm_sampler_free(sampler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_battery_that_discharges_gives_the_power_of_the_machine,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_negative_sign_means_discharging_for_some_drivers,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			current_and_voltage_make_a_power, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_battery_that_charges_or_rests_is_refused, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_battery_that_begins_to_charge_says_so_and_may_go_on,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_sensor_says_its_power, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_command_prints_a_power,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
