/* SPDX-License-Identifier: MIT */
/* Meters found by name and read: files of sysfs, and commands. */
#include "tree.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "meters/sampler.h"

#define SUPPLY "sys/class/power_supply/"
#define HWMON "sys/class/hwmon/"
#define ZONE "sys/class/powercap/intel-rapl:0/"
#define NS_PER_S INT64_C(1000000000)

/* The clocks' time, so no test waits. step_ns: added at each look. */
static struct {
	bool fixed;
	int64_t boottime_ns, monotonic_ns, step_ns;
} now;

static void pass(double seconds)
{
	now.boottime_ns += (int64_t)(seconds * 1e9);
	now.monotonic_ns += (int64_t)(seconds * 1e9);
}

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	int64_t ns =
		clock == CLOCK_BOOTTIME ? now.boottime_ns : now.monotonic_ns;

	if (!now.fixed)
		return __real_clock_gettime(clock, time);
	time->tv_sec = (time_t)(ns / NS_PER_S);
	time->tv_nsec = (long)(ns % NS_PER_S);
	pass((double)now.step_ns / 1e9);
	return 0;
}

/* The n-th call of these fails; 0: none. */
static struct {
	unsigned int n_read, n_calloc, n_kill;
	int error;
} fails;

ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __wrap_read(int fd, void *buffer, size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

int __real_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number);

int __wrap_kill(pid_t pid, int number)
{
	if (fails.n_kill && !--fails.n_kill) {
		errno = fails.error;
		return -1;
	}
	return __real_kill(pid, number);
}

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
	if (fails.n_read && !--fails.n_read) {
		errno = fails.error;
		return -1;
	}
	return __real_read(fd, buffer, size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	if (fails.n_calloc && !--fails.n_calloc) {
		errno = ENOMEM;
		return NULL;
	}
	return __real_calloc(n, size);
}

static int set_up(void **state)
{
	char *root = tree_new();

	*state = root;
	memset(&fails, 0, sizeof(fails));
	now.fixed = true;
	now.step_ns = 0;
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

/* The sampler cannot be made. */
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
	assert_int_equal((int)reading.power_w, 42);
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
	assert_true(isnan(reading.energy_j) && isnan(reading.left_j));
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
	assert_true(isnan(reading.left_j));
	pass(1);
	assert_int_equal(read_one(sampler).flags, SSDPM_READING_SAME);
	ssdpm_sampler_free(sampler);
}

static void a_counter_of_energy_counts_beside_the_power(void **state)
{
	struct ssdpm_sampler *sampler;
	struct ssdpm_reading reading;
	char *root = *state;

	put_battery(root, "BAT0", "Discharging\n", "5000000\n");
	tree_put(root, SUPPLY "BAT0/energy_now", "41000000\n");
	sampler = sampler_of(root, "BAT0");
	assert_near(read_one(sampler).energy_j + 1, 1);
	pass(36);
	tree_put(root, SUPPLY "BAT0/energy_now", "40950000\n");
	reading = read_one(sampler);
	assert_near(reading.power_w, 5);
	assert_near(reading.energy_j, 0.05 * 3600);
	assert_near(reading.left_j, 40.95 * 3600);
	assert_int_equal(reading.flags, SSDPM_READING_SAME);
	/* The gauge was reset. */
	tree_put(root, SUPPLY "BAT0/energy_now", "42000000\n");
	pass(1);
	reading = read_one(sampler);
	assert_near(reading.power_w, 5);
	assert_near(reading.energy_j + 1, 1);
	assert_true(reading.flags & SSDPM_READING_RESET);
	ssdpm_sampler_free(sampler);
}

static void a_counter_of_charge_is_multiplied_with_the_voltage(void **state)
{
	struct ssdpm_sampler *sampler;
	struct ssdpm_reading reading;
	char *root = *state;

	put_current(root, "420000\n", "12000000\n");
	tree_put(root, SUPPLY "BAT0/charge_now", "3000000\n");
	sampler = sampler_of(root, "BAT0");
	assert_int_equal(read_one(sampler).flags, SSDPM_READING_CHARGE_COUNTER);
	pass(60);
	tree_put(root, SUPPLY "BAT0/charge_now", "2990000\n");
	tree_put(root, SUPPLY "BAT0/voltage_now", "11000000\n");
	reading = read_one(sampler);
	assert_near(reading.energy_j, 0.01 * 3600 * 11.5);
	assert_near(reading.left_j, 2.99 * 11 * 3600);
	ssdpm_sampler_free(sampler);
}

static void a_status_that_is_unknown_is_judged_by_sign_and_adapter(void **state)
{
	struct ssdpm_sampler *sampler;
	char *root = *state;

	put_battery(root, "BAT0", "Unknown\n", "5000000\n");
	tree_put(root, SUPPLY "AC/type", "Mains\n");
	tree_put(root, SUPPLY "AC/online", "1\n");
	assert_refused(root, "BAT0", -EBUSY, "unplug the adapter");
	tree_put(root, SUPPLY "AC/online", "0\n");
	sampler = sampler_of(root, "BAT0");
	assert_near(read_one(sampler).power_w, 5);
	tree_put(root, SUPPLY "AC/online", "1\n");
	put_battery(root, "BAT0", "Unknown\n", "-5000000\n");
	assert_near(read_one(sampler).power_w, 5);
	ssdpm_sampler_free(sampler);
}

static void a_battery_may_discharge_while_its_adapter_is_in(void **state)
{
	struct ssdpm_sampler *sampler;
	char *root = *state;

	put_battery(root, "BAT0", "Discharging\n", "5000000\n");
	tree_put(root, SUPPLY "AC/type", "Mains\n");
	tree_put(root, SUPPLY "AC/online", "1\n");
	sampler = sampler_of(root, "BAT0");
	assert_near(read_one(sampler).power_w, 5);
	ssdpm_sampler_free(sampler);
}

static void powers_that_no_machine_has_are_refused(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "0\n", "says 0 W" },
		{ "900000000000\n", "more than 100 kW" },
		{ "nan\n", "holds no number" },
		{ "\n", "holds no number" },
		{ "5213000 W\n", "holds no number" },
		{ "99999999999999999999\n", "holds no number" },
	};
	struct ssdpm_sampler *sampler;
	char *root = *state;

	put_battery(root, "BAT0", "Discharging\n", "5000000\n");
	sampler = sampler_of(root, "BAT0");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_battery(root, "BAT0", "Discharging\n", cases[i].text);
		assert_failed(sampler, -EINVAL, cases[i].words);
	}
	put_battery(root, "BAT0", "Discharging\n", "5000000\n");
	assert_near(read_one(sampler).power_w, 5);
	ssdpm_sampler_free(sampler);
}

static void a_meter_that_vanishes_may_come_back(void **state)
{
	struct ssdpm_sampler *sampler;
	char *root = *state;

	put_battery(root, "BAT0", "Discharging\n", "5000000\n");
	sampler = sampler_of(root, "BAT0");
	assert_int_equal(unlink(tree_path(root, SUPPLY "BAT0/power_now")), 0);
	assert_failed(sampler, -ENODEV, "BAT0/power_now is gone");
	put_battery(root, "BAT0", "Discharging\n", "4000000\n");
	assert_near(read_one(sampler).power_w, 4);
	ssdpm_sampler_free(sampler);
}

static void of_several_batteries_the_sum_counts(void **state)
{
	struct ssdpm_sampler *sampler;
	struct ssdpm_meter meter;
	struct ssdpm_reading reading;
	char *root = *state;

	put_battery(root, "BAT0", "Not charging\n", "0\n");
	tree_put(root, SUPPLY "BAT0/energy_now", "20000000\n");
	put_battery(root, "mouse", "Charging\n", "3\n");
	tree_put(root, SUPPLY "mouse/scope", "Device\n");
	assert_string_equal(find(root, "battery").name, "BAT0");
	put_battery(root, "BAT1", "Discharging\n", "5500000\n");
	tree_put(root, SUPPLY "BAT1/energy_now", "30000000\n");
	meter = find(root, "battery");
	assert_int_equal(meter.kind, SSDPM_METER_BATTERY);
	assert_int_equal(meter.readable, 1);
	assert_string_equal(meter.name, "battery");
	assert_string_equal(meter.path, "/sys/class/power_supply");
	assert_refused(root, "BAT0", -EBUSY, "all batteries together");
	sampler = sampler_of(root, "battery");
	assert_near(read_one(sampler).power_w, 5.5);
	put_battery(root, "BAT0", "Discharging\n", "-500000\n");
	tree_put(root, SUPPLY "BAT0/energy_now", "19990000\n");
	tree_put(root, SUPPLY "BAT1/energy_now", "29980000\n");
	pass(18);
	reading = read_one(sampler);
	assert_near(reading.power_w, 6);
	assert_near(reading.energy_j, 0.03 * 3600);
	assert_near(reading.left_j, (19.99 + 29.98) * 3600);
	/* One is removed; its content was not used. */
	tree_put(root, SUPPLY "BAT0/present", "0\n");
	reading = read_one(sampler);
	assert_near(reading.power_w, 5.5);
	assert_int_equal(reading.flags, SSDPM_READING_RESET);
	put_battery(root, "BAT1", "Full\n", "0\n");
	assert_failed(sampler, -EBUSY, "no battery discharges");
	put_battery(root, "BAT1", "Charging\n", "1\n");
	assert_failed(sampler, -EBUSY, "BAT1 charges");
	put_battery(root, "BAT1", "Discharging\n", "x\n");
	assert_failed(sampler, -EINVAL, "holds no number");
	tree_put(root, SUPPLY "BAT1/present", "0\n");
	assert_failed(sampler, -ENODEV, "no battery says its power");
	ssdpm_sampler_free(sampler);
}

static void a_sensor_may_count_energy_alone(void **state)
{
	struct ssdpm_sampler *sampler;
	struct ssdpm_reading reading;
	char *root = *state;

	tree_put(root, HWMON "hwmon0/name", "amd_energy\n");
	tree_put(root, HWMON "hwmon0/energy1_input", "5000000\n");
	sampler = sampler_of(root, "amd_energy");
	reading = read_one(sampler);
	assert_true(isnan(reading.power_w));
	assert_near(reading.energy_j + 1, 1);
	tree_put(root, HWMON "hwmon0/energy1_input", "26000000\n");
	pass(2);
	reading = read_one(sampler);
	assert_near(reading.power_w, 10.5);
	assert_near(reading.energy_j, 21);
	assert_int_equal(reading.flags, 0);
	pass(2);
	reading = read_one(sampler);
	assert_near(reading.power_w + 1, 1);
	assert_int_equal(reading.flags, SSDPM_READING_SAME);
	/* Two readings at one time have no mean. */
	reading = read_one(sampler);
	assert_true(isnan(reading.power_w));
	ssdpm_sampler_free(sampler);
}

static void a_sensor_with_both_has_both(void **state)
{
	struct ssdpm_sampler *sampler;
	struct ssdpm_reading reading;
	char *root = *state;

	tree_put(root, HWMON "hwmon0/name", "ina238\n");
	tree_put(root, HWMON "hwmon0/power1_input", "3000000\n");
	tree_put(root, HWMON "hwmon0/energy1_input", "100000000\n");
	assert_string_equal(find(root, "ina238").path,
			    "/" HWMON "hwmon0/power1_input");
	sampler = sampler_of(root, "ina238");
	read_one(sampler);
	tree_put(root, HWMON "hwmon0/energy1_input", "106000000\n");
	pass(2);
	reading = read_one(sampler);
	assert_near(reading.power_w, 3);
	assert_near(reading.energy_j, 6);
	assert_int_equal(unlink(tree_path(root, HWMON "hwmon0/energy1_input")),
			 0);
	reading = read_one(sampler);
	assert_near(reading.power_w, 3);
	assert_true(isnan(reading.energy_j));
	ssdpm_sampler_free(sampler);
}

static void a_sensor_below_0_or_far_above_all_is_none(void **state)
{
	struct ssdpm_sampler *sampler;
	char *root = *state;

	tree_put(root, HWMON "hwmon0/name", "ina238\n");
	tree_put(root, HWMON "hwmon0/power1_input", "0\n");
	sampler = sampler_of(root, "ina238");
	assert_near(read_one(sampler).power_w + 1, 1);
	tree_put(root, HWMON "hwmon0/power1_input", "-3\n");
	assert_failed(sampler, -EINVAL, "says -3");
	tree_put(root, HWMON "hwmon0/power1_input", "100000000001\n");
	assert_failed(sampler, -EINVAL, "no machine takes such a power");
	ssdpm_sampler_free(sampler);
}

static void put_zone(const char *root, const char *energy, const char *range)
{
	tree_put(root, ZONE "name", "package-0\n");
	tree_put(root, ZONE "energy_uj", energy);
	tree_put(root, ZONE "max_energy_range_uj", range);
}

static void a_counter_of_rapl_wraps_at_its_range(void **state)
{
	struct ssdpm_sampler *sampler;
	struct ssdpm_reading reading;
	char *root = *state;

	put_zone(root, "262143000000\n", "262143328850\n");
	sampler = sampler_of(root, "package-0");
	assert_true(isnan(read_one(sampler).power_w));
	pass(1);
	put_zone(root, "9671150\n", "262143328850\n");
	reading = read_one(sampler);
	assert_near(reading.power_w, 10);
	assert_near(reading.energy_j, 10);
	assert_int_equal(reading.flags, SSDPM_READING_WRAP);
	pass(1);
	put_zone(root, "14671150\n", "262143328850\n");
	reading = read_one(sampler);
	assert_near(reading.power_w, 5);
	assert_near(reading.energy_j, 15);
	assert_int_equal(reading.flags, 0);
	ssdpm_sampler_free(sampler);
}

/* A reset that is no wrap, and the next reading of the counter. */
static void assert_reset(struct ssdpm_sampler *sampler, const char *root)
{
	struct ssdpm_reading reading = read_one(sampler);

	assert_true(isnan(reading.power_w));
	assert_near(reading.energy_j + 1, 1);
	assert_int_equal(reading.flags, SSDPM_READING_RESET);
	pass(2);
	tree_put(root, ZONE "energy_uj", "8000000\n");
	reading = read_one(sampler);
	assert_near(reading.power_w, 3);
	assert_near(reading.energy_j, 6);
	assert_int_equal(reading.flags, 0);
}

static void a_counter_that_falls_otherwise_begins_anew(void **state)
{
	static const char *const ranges[] = { "none\n", "50000000\n" };
	struct ssdpm_sampler *sampler;
	char *root = *state;

	for (size_t i = 0; i < 2; i++) {
		put_zone(root, "60000000\n", ranges[i]);
		sampler = sampler_of(root, "package-0");
		read_one(sampler);
		pass(1);
		put_zone(root, "2000000\n", ranges[i]);
		assert_reset(sampler, root);
		ssdpm_sampler_free(sampler);
	}
}

static void a_counter_that_falls_while_suspended_begins_anew(void **state)
{
	struct ssdpm_sampler *sampler;
	char *root = *state;

	put_zone(root, "60000000\n", "262143328850\n");
	sampler = sampler_of(root, "package-0");
	read_one(sampler);
	pass(1);
	now.boottime_ns += 36000 * NS_PER_S;
	put_zone(root, "2000000\n", "262143328850\n");
	assert_reset(sampler, root);
	ssdpm_sampler_free(sampler);
}

static void a_counter_that_jumps_begins_anew(void **state)
{
	struct ssdpm_sampler *sampler;
	char *root = *state;

	/* As a wrap, this would be 200 kW. */
	put_zone(root, "62145328850\n", "262143328850\n");
	sampler = sampler_of(root, "package-0");
	read_one(sampler);
	pass(1);
	tree_put(root, ZONE "energy_uj", "2000000\n");
	assert_reset(sampler, root);
	ssdpm_sampler_free(sampler);
}

static void who_may_not_read_rapl_is_told_why(void **state)
{
	struct ssdpm_sampler *sampler;
	char *root = *state;

	put_zone(root, "60000000\n", "262143328850\n");
	sampler = sampler_of(root, "package-0");
	fails.error = EACCES;
	fails.n_read = 1;
	assert_failed(sampler, -EACCES, "since Linux 5.10 only root may");
	ssdpm_sampler_free(sampler);
}

static void each_errno_of_a_read_has_words(void **state)
{
	static const struct {
		int error, code;
		const char *words;
	} cases[] = {
		{ ENODEV, -ENODEV, "has no value now" },
		{ ENXIO, -ENODEV, "has no value now" },
		{ ENODATA, -ENODEV, "has no value now" },
		{ EACCES, -EACCES, "root is needed to read it" },
		{ EPERM, -EACCES, "root is needed to read it" },
		{ EIO, -EIO, "input/output error" },
		{ ENOMEM, -ENOMEM, "out of memory" },
	};
	struct ssdpm_sampler *sampler;
	char *root = *state;

	tree_put(root, HWMON "hwmon0/name", "ina238\n");
	tree_put(root, HWMON "hwmon0/power1_input", "7\n");
	sampler = sampler_of(root, "ina238");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fails.error = cases[i].error;
		fails.n_read = 1;
		assert_failed(sampler, cases[i].code, cases[i].words);
	}
	ssdpm_sampler_free(sampler);
}

/* Whatever fails, nothing stays open, and the next reading is good. */
static void each_read_of_batteries_may_fail(void **state)
{
	static const int errors[] = { EMFILE, ENOMEM, EIO, ENODEV };
	struct ssdpm_sampler *sampler;
	char *root = *state;
	unsigned int n_good = 0;
	int n_fds;

	put_battery(root, "BAT0", "Discharging\n", "5000000\n");
	put_battery(root, "BAT1", "Unknown\n", "1000000\n");
	sampler = sampler_of(root, "battery");
	n_fds = tree_count_fds();
	for (unsigned int i = 0; i < 4 * 40; i++) {
		struct ssdpm_reading reading = { .size = sizeof(reading) };
		struct ssdpm_error error = fixture_error();
		int err;

		fails.error = errors[i % 4];
		fails.n_read = i / 4 + 1;
		err = ssdpm_sampler_read(sampler, &reading, &error);
		n_good += fails.n_read > 0;
		fails.n_read = 0;
		if (err) {
			assert_int_equal(error.code, err);
			assert_true(error.message[0]);
		}
		assert_near(read_one(sampler).power_w, 6);
	}
	assert_int_equal(tree_count_fds(), n_fds);
	assert_in_range(n_good, 1, 4 * 40 - 1);
	ssdpm_sampler_free(sampler);
}

static void a_sampler_needs_memory(void **state)
{
	struct ssdpm_machine *machine;
	struct ssdpm_error error = fixture_error();
	struct ssdpm_sampler *sampler = UNTOUCHED;
	struct ssdpm_meter meter;
	char *root = *state;

	put_zone(root, "60000000\n", "262143328850\n");
	machine = tree_machine(root);
	meter = find(root, "package-0");
	fails.n_calloc = 1;
	assert_int_equal(ssdpm_sampler_new(machine, &meter, &sampler, &error),
			 -ENOMEM);
	fixture_assert_error(&error, -ENOMEM, 0, "out of memory");
	assert_ptr_equal(sampler, UNTOUCHED);
	assert_null(ssdpm_sampler_free(NULL));
	ssdpm_machine_unref(machine);
}

static void meters_that_nobody_found_are_refused(void **state)
{
	static const struct {
		struct ssdpm_meter meter;
		int code;
		const char *words;
	} cases[] = {
		{ { .kind = 9, .path = "/a/b" }, -EOPNOTSUPP, "kind 9" },
		{ { .kind = 1, .path = "power_now" }, -EINVAL, "is no path" },
		{ { .kind = 1, .path = "/power_now" }, -EINVAL, "is no path" },
		{ { .kind = 2, .path = "/x/energy_uj" }, -ENODEV, "is gone" },
		{ { .kind = SSDPM_METER_COMMAND, .path = "echo 5" },
		  -EOPNOTSUPP,
		  "no command is run for a capture" },
		{ { .kind = SSDPM_METER_NVME, .name = "nvme0", .path = "/d/n" },
		  -EOPNOTSUPP,
		  "nvme0" },
	};
	struct ssdpm_machine *machine = tree_machine(*state);
	struct ssdpm_sampler *sampler = UNTOUCHED;
	struct ssdpm_meter endless;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_error error = fixture_error();

		assert_int_equal(ssdpm_sampler_new(machine, &cases[i].meter,
						   &sampler, &error),
				 cases[i].code);
		fixture_assert_error(&error, cases[i].code, 0, cases[i].words);
		assert_ptr_equal(sampler, UNTOUCHED);
	}
	memset(&endless, 'a', sizeof(endless));
	assert_int_equal(ssdpm_sampler_new(machine, &endless, &sampler, NULL),
			 -EINVAL);
	ssdpm_machine_unref(machine);
}

static void a_reading_is_as_long_as_its_caller_knows(void **state)
{
	struct ssdpm_sampler *sampler;
	struct ssdpm_reading reading = { .energy_j = 42 };
	struct ssdpm_error error = fixture_error();
	char *root = *state;

	put_zone(root, "60000000\n", "262143328850\n");
	sampler = sampler_of(root, "package-0");
	assert_int_equal(ssdpm_sampler_read(sampler, &reading, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "ssdpm_reading");
	reading.size = offsetof(struct ssdpm_reading, energy_j);
	assert_int_equal(ssdpm_sampler_read(sampler, &reading, NULL), 0);
	assert_int_equal(reading.time_ns, now.boottime_ns);
	assert_int_equal((int)reading.energy_j, 42);
	ssdpm_sampler_free(sampler);
}

static void meters_are_found_by_name_folder_file_or_path(void **state)
{
	static const char *const names[] = {
		"intel-rapl:0",
		"/" ZONE "energy_uj",
		"intel-rapl:0/energy_uj",
	};
	char *root = *state;

	put_zone(root, "1\n", "2\n");
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(find(root, names[i]).name, "package-0");
	tree_put(root, HWMON "hwmon1/name", "amdgpu\n");
	tree_put(root, HWMON "hwmon1/power1_average", "1\n");
	tree_put(root, HWMON "hwmon1/power1_input", "1\n");
	tree_put(root, HWMON "hwmon1/power2_average", "1\n");
	assert_not_found(root, "amdgpu", -EINVAL,
			 "/" HWMON "hwmon1/power1_input, /" HWMON
			 "hwmon1/power2_average");
	assert_string_equal(find(root, "amdgpu/power2_average").path,
			    "/" HWMON "hwmon1/power2_average");
	/* It is not listed beside the input, but exists. */
	assert_int_equal(find(root, "/" HWMON "hwmon1/power1_average").kind,
			 SSDPM_METER_HWMON);
	assert_not_found(root, "/" HWMON "hwmon1/power3_input", -ENOENT,
			 "not found");
	assert_not_found(root, "/" HWMON "hwmon1/name", -EINVAL,
			 "is no file of a meter");
	assert_not_found(root, "BAT0", -ENOENT,
			 "expected package-0, amdgpu, amdgpu");
	assert_not_found(root, "battery", -ENOENT, "expected package-0");
	assert_not_found(root, "", -ENOENT, "expected package-0");
}

static void after_ten_readings_it_is_known_how_often_a_meter_measures(
	void **state)
{
	/* Its value changes with every so many readings, which are 1 s apart.
	 */
	static const struct {
		int every;
		double update_s; /* of 20 readings; 0: unknown */
	} all[] = {
		{ 1, 1 }, { 2, 19 / 9. }, { 4, 19 / 4. }, { 10, 19 }, { 40, 0 }
	};
	char *root = *state, text[32];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct ssdpm_sampler *sampler;
		struct ssdpm_reading reading;

		put_battery(root, "BAT0", "Discharging\n", "5000000\n");
		sampler = sampler_of(root, "BAT0");
		for (int n = 1; n <= 20; n++) {
			snprintf(text, sizeof(text), "%d\n",
				 5000000 + (n - 1) / all[i].every);
			put_battery(root, "BAT0", "Discharging\n", text);
			reading = read_one(sampler);
			if (n < 10)
				assert_int_equal(reading.update_ns, 0);
			pass(1);
		}
		assert_int_equal(reading.update_ns,
				 (uint64_t)(all[i].update_s * 1e9));
		ssdpm_sampler_free(sampler);
	}
}

static void a_repeat_that_may_be_chance_does_not_count(void **state)
{
	char *root = *state, text[32];
	struct ssdpm_sampler *sampler;
	struct ssdpm_reading reading;

	put_battery(root, "BAT0", "Discharging\n", "5000000\n");
	sampler = sampler_of(root, "BAT0");
	for (int n = 0; n < 12; n++) {
		snprintf(text, sizeof(text), "%d\n",
			 5000000 + (n == 3 ? 2 :
				    n == 7 ? 6 :
					     n));
		put_battery(root, "BAT0", "Discharging\n", text);
		reading = read_one(sampler);
		pass(1);
	}
	assert_int_equal(reading.update_ns, 1000000000);
	ssdpm_sampler_free(sampler);
}

/* It is looked for in this order; a part of the machine is none. */
static void the_machine_as_a_whole_has_one_meter_or_none(void **state)
{
	static const char psys[] = "sys/class/powercap/intel-rapl:1/";
	static const char acpi[] = "sys/class/hwmon/hwmon2/";
	char *root = *state, path[128];

	put_zone(root, "1\n", "262143328850\n");
	tree_put(root, "sys/class/hwmon/hwmon1/name", "amdgpu\n");
	tree_put(root, "sys/class/hwmon/hwmon1/power1_input", "1\n");
	assert_not_found(root, "machine", -ENOENT, "as a whole");
	put_battery(root, "BAT0", "Charging\n", "20000000\n");
	assert_not_found(root, "machine", -EBUSY, "charges");
	snprintf(path, sizeof(path), "%sname", acpi);
	tree_put(root, path, "power_meter\n");
	snprintf(path, sizeof(path), "%spower1_average", acpi);
	tree_put(root, path, "4000000\n");
	assert_int_equal(find(root, "machine").kind, SSDPM_METER_ACPI_POWER);
	snprintf(path, sizeof(path), "%sname", psys);
	tree_put(root, path, "psys\n");
	snprintf(path, sizeof(path), "%senergy_uj", psys);
	tree_put(root, path, "1\n");
	snprintf(path, sizeof(path), "%smax_energy_range_uj", psys);
	tree_put(root, path, "262143328850\n");
	assert_string_equal(find(root, "machine").name, "psys");
	put_battery(root, "BAT0", "Discharging\n", "5000000\n");
	assert_string_equal(find(root, "machine").name, "BAT0");
	put_battery(root, "BAT1", "Not charging\n", "0\n");
	assert_string_equal(find(root, "machine").name, "battery");
}

static void odd_bytes_of_a_name_are_not_printed(void **state)
{
	char *root = *state;

	tree_put(root, HWMON "hwmon1/name", "a\033[31m\xc2\x9b\n");
	tree_put(root, HWMON "hwmon1/power1_input", "1\n");
	assert_string_equal(find(root, "hwmon1").name, "a?[31m??");
}

static void of_a_counter_that_is_there_twice_one_is_meant(void **state)
{
	static const char mmio[] = "sys/class/powercap/intel-rapl-mmio:0/";
	char *root = *state;

	tree_put(root, "sys/class/powercap/intel-rapl-mmio:0/name",
		 "package-0\n");
	tree_put(root, "sys/class/powercap/intel-rapl-mmio:0/energy_uj", "1\n");
	assert_memory_equal(find(root, "package-0").path + 1, mmio,
			    sizeof(mmio) - 1);
	put_zone(root, "1\n", "2\n");
	assert_string_equal(find(root, "package-0").path, "/" ZONE "energy_uj");
	assert_memory_equal(find(root, "intel-rapl-mmio:0").path + 1, mmio,
			    sizeof(mmio) - 1);
	tree_put(root, "sys/class/powercap/intel-rapl:1/name", "package-0\n");
	tree_put(root, "sys/class/powercap/intel-rapl:1/energy_uj", "1\n");
	assert_not_found(root, "package-0", -EINVAL, "several meters");
}

static void without_any_meter_a_command_is_proposed(void **state)
{
	assert_not_found(*state, "BAT0", -ENOENT,
			 "no power meter; \"command:LINE\"");
}

static void drives_of_a_capture_cannot_be_asked(void **state)
{
	struct ssdpm_machine *machine = tree_capture("laptop");
	struct ssdpm_error error = fixture_error();
	struct ssdpm_meter meter;

	(void)state;
	assert_int_equal(
		ssdpm_machine_find_meter(machine, "nvme0", &meter, &error),
		-EOPNOTSUPP);
	assert_int_equal(error.code, -EOPNOTSUPP);
	ssdpm_machine_unref(machine);
	machine = tree_capture("desktop-6.1");
	assert_int_equal(
		ssdpm_machine_find_meter(machine, "sda", &meter, &error),
		-EOPNOTSUPP);
	fixture_assert_error(&error, -EOPNOTSUPP, 0,
			     "does not measure its power");
	ssdpm_machine_unref(machine);
}

/* Bytes of the SMART log as NVMe 2.3 defines them. */
static void the_health_of_a_drive_has_its_power(void **state)
{
	uint8_t health[SSDPM_NVME_HEALTH_BYTES];
	struct meter_value value = { .power_w = 42 };

	(void)state;
	memset(health, 0xff, sizeof(health));
	memset(health + 232, 0, 12);
	assert_int_equal(ssdpm__nvme_decode_power(health, &value), -EOPNOTSUPP);
	memcpy(health + 240, (uint8_t[]){ 0x34, 0x12, 0x12, 0x00 }, 4);
	assert_int_equal(ssdpm__nvme_decode_power(health, &value), 0);
	assert_near(value.power_w, 46.60);
	assert_false(value.counts);
	memcpy(health + 232, (uint8_t[]){ 1, 2, 3, 4, 5, 6, 7, 8 }, 8);
	memcpy(health + 240, (uint8_t[]){ 0xff, 0xff, 0xf1, 0x03 }, 4);
	assert_int_equal(ssdpm__nvme_decode_power(health, &value), 0);
	assert_near(value.power_w, 6.5535);
	assert_true(value.counts && !value.sinks);
	assert_true(value.count == UINT64_C(0x0807060504030201));
	assert_near(value.joules, 3600);
	memcpy(health + 240, (uint8_t[]){ 0, 0, 2, 0 }, 4);
	assert_int_equal(ssdpm__nvme_decode_power(health, &value), 0);
	assert_near(value.power_w + 1, 1);
	value.power_w = 42;
	health[242] = 3;
	assert_int_equal(ssdpm__nvme_decode_power(health, &value), -EINVAL);
	health[242] = 0;
	health[240] = 1;
	assert_int_equal(ssdpm__nvme_decode_power(health, &value), -EINVAL);
	assert_int_equal((int)value.power_w, 42);
}

static void the_first_number_of_a_text_counts(void **state)
{
	static const struct {
		const char *text;
		double power_w; /* -1: none */
	} cases[] = {
		{ "5.21", 5.21 },
		{ "5.21 W\n", 5.21 },
		{ "5210 mW", 5.21 },
		{ "5210000uW", 5.21 },
		{ "0.00521kW\n", 0.00521e3 },
		{ "power1: 12.5 Watts (avg)\n", 12.5 },
		{ "P=7,\n", 7 },
		{ "{\"power\": 5.25, \"volts\": 12}", 5.25 },
		{ "BAT0 is at\n\t.5e1 watt\n", 5 },
		{ "0", 0 },
		{ "5;6", 5 },
		{ "1e-3 W", 0.001 },
		{ "5 W\nat 12 V", 5 },
		{ "5\nvolts", 5 },
		{ "", -1 },
		{ "none\n", -1 },
		{ "nan W", -1 },
		{ "-5 W", -1 },
		{ "5.2 V", -1 },
		{ "12:30 5.2 W", -1 },
		{ "5 W/s", -1 },
		{ "5,21 W", -1 },
		{ "50 %", -1 },
		{ "1e9 W", -1 },
		{ "101 kW", -1 },
		{ "power1", -1 },
		{ "5 \xc2\xb5W", -1 },
		{ "1e99999999999", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double power_w = -1;
		const char *why = NULL;
		bool good = ssdpm__power_read(cases[i].text, &power_w, &why);

		if (good != (cases[i].power_w >= 0) ||
		    fabs(power_w - cases[i].power_w) > 1e-12)
			fail_msg("\"%s\" is %.17g", cases[i].text, power_w);
		assert_true(good || why[0]);
	}
}

/* Any text gives a plausible power, or none. */
static void any_text_is_a_power_or_none(void **state)
{
	static const char alphabet[] = "0123456789..,-+eEWmuk VatsI\n\xc2%/:";
	uint64_t seed = 7;
	uint64_t n_good = 0;

	(void)state;
	for (uint64_t i = 0; i < fixture_cases(200000); i++) {
		size_t n = (size_t)(fixture_random(&seed) % 24);
		char *text = malloc(n + 1);
		double power_w = -1;
		const char *why;

		assert_non_null(text);
		for (size_t j = 0; j < n; j++)
			text[j] = alphabet[fixture_random(&seed) %
					   (sizeof(alphabet) - 1)];
		text[n] = 0;
		if (ssdpm__power_read(text, &power_w, &why)) {
			assert_true(power_w >= 0 && power_w <= 1e5);
			n_good++;
		} else {
			assert_true(power_w < 0);
		}
		free(text);
	}
	assert_true(n_good > 100);
}

static struct ssdpm_sampler *command(const char *text)
{
	now.fixed = false;
	return sampler_of(NULL, text);
}

static void assert_command(const char *text, int code, const char *fragment)
{
	struct ssdpm_sampler *sampler = command(text);

	assert_failed(sampler, code, fragment);
	ssdpm_sampler_free(sampler);
}

static void commands_that_fail_say_how(void **state)
{
	(void)state;
	assert_command("command:exit 3", -ENODEV, "failed with status 3");
	assert_command("command:echo 5; exit 1", -ENODEV, "with status 1");
	assert_command("command:kill -9 $$", -ENODEV, "killed by signal 9");
	assert_command("command:true", -EINVAL, "prints \"\": no number");
	assert_command("command:echo 5 V", -EINVAL, "prints \"5 V\": a number");
	assert_command("command:printf 'a\\033b\\nc'", -EINVAL, "\"a?b\"");
}

static void a_command_is_named_in_time(void **state)
{
	char line[400] = "command:";
	char *root = *state;

	assert_not_found(root, "command:echo 5", -EOPNOTSUPP,
			 "no command is run for a capture");
	memset(line + 8, 'x', sizeof(line) - 9);
	assert_not_found(NULL, line, -ENAMETOOLONG, "put it into a script");
	assert_not_found(NULL, "command: \t", -EINVAL, "needs a line");
	line[8 + 311] = 0;
	assert_int_equal(strlen(find(NULL, line).path), 311);
}

static void a_command_has_no_input_and_may_print_much(void **state)
{
	struct ssdpm_sampler *sampler;
	int n_fds;

	(void)state;
	sampler = command("command:cat; echo 6; head -c 300000 /dev/zero");
	n_fds = tree_count_fds();
	for (int i = 0; i < 3; i++)
		assert_near(read_one(sampler).power_w, 6);
	assert_int_equal(tree_count_fds(), n_fds);
	ssdpm_sampler_free(sampler);
}

/* As in programs that ignore SIGCHLD, or block all signals. */
static void a_command_does_not_depend_on_the_signals_of_its_caller(void **state)
{
	struct ssdpm_sampler *sampler;
	sigset_t all, before;

	(void)state;
	sampler = command("command:kill -INT $$; echo 6");
	signal(SIGCHLD, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	assert_failed(sampler, -EINVAL, "no number");
	signal(SIGCHLD, SIG_DFL);
	assert_failed(sampler, -ENODEV, "killed by signal 2");
	sigprocmask(SIG_SETMASK, &before, NULL);
	signal(SIGINT, SIG_DFL);
	ssdpm_sampler_free(sampler);
}

/* Time passes faster here: by this much with each look at the clock. */
static void a_command_that_does_not_end_is_killed(void **state)
{
	static const struct {
		const char *line;
		int64_t step_s;
	} cases[] = {
		{ "command:sleep 1000", 31 },
		{ "command:sleep 1000 & echo 5", 31 },
		/* Its output ends, but the command does not. */
		{ "command:exec >/dev/null; sleep 1000", 14 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_sampler *sampler = command(cases[i].line);

		now.fixed = true;
		now.step_ns = cases[i].step_s * NS_PER_S;
		assert_failed(sampler, -ETIMEDOUT, "within 30 s");
		now.step_ns = 0;
		ssdpm_sampler_free(sampler);
		/* No child is left. */
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
		assert_int_equal(errno, ECHILD);
	}
}

/* An emulator's posix_spawn() may return before the group exists. */
static void a_command_that_has_no_group_yet_is_killed(void **state)
{
	struct ssdpm_sampler *sampler = command("command:exec sleep 1000");

	(void)state;
	now.fixed = true;
	now.step_ns = 31 * NS_PER_S;
	fails.n_kill = 1;
	fails.error = ESRCH;
	assert_failed(sampler, -ETIMEDOUT, "within 30 s");
	assert_int_equal(fails.n_kill, 0);
	now.step_ns = 0;
	ssdpm_sampler_free(sampler);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void *read_often(void *data)
{
	struct ssdpm_sampler *sampler = data;
	double *sum = malloc(sizeof(*sum));

	*sum = 0;
	for (int i = 0; i < 20; i++) {
		struct ssdpm_reading reading = { .size = sizeof(reading) };

		if (!ssdpm_sampler_read(sampler, &reading, NULL))
			*sum += reading.power_w;
	}
	return sum;
}

static void commands_of_several_threads_do_not_mix(void **state)
{
	static const char *const lines[] = { "command:echo 1", "command:echo 2",
					     "command:echo 3" };
	struct ssdpm_sampler *samplers[3];
	pthread_t threads[3];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		samplers[i] = command(lines[i]);
		assert_int_equal(pthread_create(&threads[i], NULL, read_often,
						samplers[i]),
				 0);
	}
	for (size_t i = 0; i < 3; i++) {
		void *sum;

		assert_int_equal(pthread_join(threads[i], &sum), 0);
		assert_near(*(double *)sum, 20 * (double)(i + 1));
		free(sum);
		ssdpm_sampler_free(samplers[i]);
	}
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_battery_that_discharges_gives_the_power_of_the_machine),
		TEST(a_negative_sign_means_discharging_for_some_drivers),
		TEST(current_and_voltage_make_a_power),
		TEST(a_battery_that_charges_or_rests_is_refused),
		TEST(a_battery_that_begins_to_charge_says_so_and_may_go_on),
		TEST(a_sensor_says_its_power),
		TEST(a_counter_of_energy_counts_beside_the_power),
		TEST(a_counter_of_charge_is_multiplied_with_the_voltage),
		TEST(a_status_that_is_unknown_is_judged_by_sign_and_adapter),
		TEST(a_battery_may_discharge_while_its_adapter_is_in),
		TEST(powers_that_no_machine_has_are_refused),
		TEST(a_meter_that_vanishes_may_come_back),
		TEST(of_several_batteries_the_sum_counts),
		TEST(a_sensor_may_count_energy_alone),
		TEST(a_sensor_with_both_has_both),
		TEST(a_sensor_below_0_or_far_above_all_is_none),
		TEST(a_counter_of_rapl_wraps_at_its_range),
		TEST(a_counter_that_falls_otherwise_begins_anew),
		TEST(a_counter_that_falls_while_suspended_begins_anew),
		TEST(a_counter_that_jumps_begins_anew),
		TEST(who_may_not_read_rapl_is_told_why),
		TEST(each_errno_of_a_read_has_words),
		TEST(each_read_of_batteries_may_fail),
		TEST(a_sampler_needs_memory),
		TEST(meters_that_nobody_found_are_refused),
		TEST(a_reading_is_as_long_as_its_caller_knows),
		TEST(meters_are_found_by_name_folder_file_or_path),
		TEST(after_ten_readings_it_is_known_how_often_a_meter_measures),
		TEST(a_repeat_that_may_be_chance_does_not_count),
		TEST(the_machine_as_a_whole_has_one_meter_or_none),
		TEST(odd_bytes_of_a_name_are_not_printed),
		TEST(of_a_counter_that_is_there_twice_one_is_meant),
		TEST(without_any_meter_a_command_is_proposed),
		TEST(drives_of_a_capture_cannot_be_asked),
		TEST(the_health_of_a_drive_has_its_power),
		TEST(the_first_number_of_a_text_counts),
		TEST(any_text_is_a_power_or_none),
		TEST(commands_that_fail_say_how),
		TEST(a_command_is_named_in_time),
		TEST(a_command_has_no_input_and_may_print_much),
		TEST(a_command_does_not_depend_on_the_signals_of_its_caller),
		TEST(a_command_that_does_not_end_is_killed),
		TEST(a_command_that_has_no_group_yet_is_killed),
		TEST(commands_of_several_threads_do_not_mix),
		TEST(a_command_prints_a_power),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
