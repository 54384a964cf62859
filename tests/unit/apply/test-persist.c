/* SPDX-License-Identifier: MIT */
/*
 * Files that make a policy last: what they say, and how they are written and
 * removed. What udev, systemd, TLP and TuneD make of them: tests/system.
 */
#include "fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * System calls that the library makes end up here: the one that is number
 * fail_at of those that change something fails.
 */
static struct {
	unsigned int n, fail_at;
	int code;
	size_t most; /* bytes that a write takes; 0: all */
} calls;

static bool fails(void)
{
	if (++calls.n != calls.fail_at)
		return false;
	errno = calls.code;
	return true;
}

ssize_t write(int fd, const void *data, size_t size)
{
	if (calls.fail_at && fails())
		return -1;
	if (calls.most && size > calls.most)
		size = calls.most;
	return syscall(SYS_write, fd, data, size);
}

int fsync(int fd)
{
	return calls.fail_at && fails() ? -1 : (int)syscall(SYS_fsync, fd);
}

int fchmod(int fd, mode_t mode)
{
	return calls.fail_at && fails() ? -1 :
					  (int)syscall(SYS_fchmod, fd, mode);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	return calls.fail_at && fails() ?
		       -1 :
		       (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, 0);
}

int mkdirat(int fd, const char *path, mode_t mode)
{
	return calls.fail_at && fails() ?
		       -1 :
		       (int)syscall(SYS_mkdirat, fd, path, mode);
}

int unlinkat(int fd, const char *path, int flags)
{
	return calls.fail_at && fails() ?
		       -1 :
		       (int)syscall(SYS_unlinkat, fd, path, flags);
}

/* A root that may be written to, the only one of a test. */
static char root[64];

static void at(char path[256], const char *name)
{
	snprintf(path, 256, "%s%s", root, name);
}

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	at(path, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static bool get(const char *name, char text[8192])
{
	char path[256];
	FILE *file;
	size_t n;

	at(path, name);
	file = fopen(path, "r");
	if (!file)
		return false;
	n = fread(text, 1, 8191, file);
	text[n] = 0;
	fclose(file);
	return true;
}

static bool is_there(const char *name)
{
	struct stat status;
	char path[256];

	at(path, name);
	return !lstat(path, &status);
}

static void make_directory(const char *name)
{
	char path[256];

	at(path, name);
	assert_int_equal(syscall(SYS_mkdirat, AT_FDCWD, path, 0755), 0);
}

static int set_up(void **state)
{
	strcpy(root, "/tmp/ssdpm-persist-XXXXXX");
	memset(&calls, 0, sizeof(calls));
	(void)state;
	if (!mkdtemp(root))
		return -1;
	put("/ssdpm-capture", "");
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	memset(&calls, 0, sizeof(calls));
	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static struct ssdpm_machine *open_root(void)
{
	const struct ssdpm_machine_params params = { .size = sizeof(params),
						     .root = root };
	struct ssdpm_machine *machine;

	assert_int_equal(ssdpm_machine_new(&params, &machine, NULL), 0);
	return machine;
}

static struct ssdpm_profile_settings profile(const char *name, uint32_t source)
{
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };

	assert_int_equal(
		ssdpm_profile_find(NULL, 0, name, source, &settings, NULL), 0);
	return settings;
}

static int make(uint32_t kind, const struct ssdpm_profile_settings *ac,
		const struct ssdpm_profile_settings *battery,
		struct ssdpm_persist **ret_persist, struct ssdpm_error *reterr)
{
	const struct ssdpm_persist_params params = {
		.size = sizeof(params),
		.kind = kind,
		.ac = ac,
		.battery = battery,
	};

	return ssdpm_persist_new(&params, ret_persist, reterr);
}

static struct ssdpm_persist *make_profile(uint32_t kind, const char *name)
{
	struct ssdpm_profile_settings ac = profile(name, SSDPM_SOURCE_AC);
	struct ssdpm_profile_settings battery =
		profile(name, SSDPM_SOURCE_BATTERY);
	struct ssdpm_error error = fixture_error();
	struct ssdpm_persist *persist;

	if (make(kind, &ac, &battery, &persist, &error))
		fail_msg("%s", error.message);
	return persist;
}

static struct ssdpm_persist_file file_of(const struct ssdpm_persist *persist,
					 size_t index)
{
	struct ssdpm_persist_file file = { .size = sizeof(file) };

	assert_int_equal(ssdpm_persist_get_file(persist, index, &file), 0);
	return file;
}

static void assert_has(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("no \"%s\" in:\n%s", words, text);
}

static void assert_has_not(const char *text, const char *words)
{
	if (strstr(text, words))
		fail_msg("\"%s\" in:\n%s", words, text);
}

/* One setting, which is the same on AC and on battery. */
static struct ssdpm_profile_settings tolerance_of(uint64_t us)
{
	struct ssdpm_profile_settings settings = {
		.size = sizeof(settings),
		.power_source = SSDPM_SOURCE_AC,
		.set = SSDPM_PROFILE_MAX_EXIT_LATENCY,
		.max_exit_latency_us = us,
		.name = "mine",
		.reason = "a test",
	};

	return settings;
}

static void every_file_has_the_marker_and_the_kind(void **state)
{
	static const char *const names[] = { "balanced", "performance",
					     "power-saver" };
	char kind_line[40];

	(void)state;
	for (uint32_t kind = 1; ssdpm_persist_kind_to_string(kind); kind++) {
		for (int i = 0; i < 3; i++) {
			struct ssdpm_persist *persist;

			/* It has no file for two power sources. */
			if (kind == SSDPM_PERSIST_MODPROBE && i)
				continue;
			persist = make_profile(kind, names[i]);
			assert_true(fixture_count_files(persist) >= 1);
			snprintf(kind_line, sizeof(kind_line), "\n# Kind: %s\n",
				 ssdpm_persist_kind_to_string(kind));
			for (size_t k = 0; k < fixture_count_files(persist);
			     k++) {
				struct ssdpm_persist_file file =
					file_of(persist, k);

				assert_has(file.contents,
					   "# Written by ssdpm; `ssdpm revert "
					   "--persist` removes it\n");
				assert_has(file.contents, kind_line);
				assert_has(file.contents, names[i]);
				assert_int_equal(
					file.mode,
					strstr(file.path, ".sh") ? 0755 : 0644);
			}
			ssdpm_persist_free(persist);
		}
	}
}

static void plain_values_are_set_by_udev_itself(void **state)
{
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_UDEV, "balanced");
	struct ssdpm_persist_file file = file_of(persist, 0);

	(void)state;
	assert_int_equal(fixture_count_files(persist), 1);
	assert_string_equal(file.path, "/etc/udev/rules.d/85-ssdpm.rules");
	assert_has(file.contents,
		   "ATTR{power/pm_qos_latency_tolerance_us}=\"100000\"");
	/* Which ports have to be left alone, the command knows. */
	assert_has(file.contents, "KERNEL==\"sd*\"");
	assert_has(file.contents, "apply --profile balanced --quiet\"");
	assert_has_not(file.contents, "power_supply");
	assert_has(file.note, "udevadm control --reload");
	ssdpm_persist_free(persist);
}

static void no_limit_is_written_as_any(void **state)
{
	struct ssdpm_profile_settings mine = tolerance_of(SSDPM_LATENCY_ANY);
	struct ssdpm_persist *persist;

	(void)state;
	assert_int_equal(make(SSDPM_PERSIST_UDEV, &mine, NULL, &persist, NULL),
			 0);
	assert_has(file_of(persist, 0).contents,
		   "latency_tolerance_us}=\"any\"");
	assert_has_not(file_of(persist, 0).contents, "RUN");
	ssdpm_persist_free(persist);
	/* The parameter takes a number. */
	assert_int_equal(
		make(SSDPM_PERSIST_MODPROBE, &mine, NULL, &persist, NULL), 0);
	assert_has(file_of(persist, 0).contents,
		   "options nvme_core default_ps_max_latency_us=2147483647\n");
	assert_has_not(file_of(persist, 0).contents, "ahci");
	ssdpm_persist_free(persist);
}

static void what_depends_on_the_source_calls_the_command(void **state)
{
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_UDEV, "power-saver");
	const char *text = file_of(persist, 0).contents;

	(void)state;
	assert_has(text, "SUBSYSTEM==\"power_supply\"");
	assert_has(text,
		   "/usr/bin/ssdpm apply --profile power-saver --quiet\"");
	assert_has(text, "systemd-run --no-block");
	assert_has_not(text, "ATTR{power/");
	ssdpm_persist_free(persist);
}

/* nvme_core makes no table anew by itself. */
static void what_needs_a_new_table_calls_the_command(void **state)
{
	struct ssdpm_profile_settings saver =
		profile("power-saver", SSDPM_SOURCE_AC);
	struct ssdpm_persist *persist;
	const char *text;

	(void)state;
	assert_int_equal(make(SSDPM_PERSIST_UDEV, &saver, NULL, &persist, NULL),
			 0);
	text = file_of(persist, 0).contents;
	assert_has(text, "apply --profile power-saver --source ac "
			 "--quiet");
	assert_has_not(text, "power_supply");
	ssdpm_persist_free(persist);
	/* A setting for battery holds on AC, too. */
	saver = profile("power-saver", SSDPM_SOURCE_BATTERY);
	assert_int_equal(make(SSDPM_PERSIST_UDEV, &saver, NULL, &persist, NULL),
			 0);
	assert_has(file_of(persist, 0).contents,
		   "apply --profile power-saver --source battery --quiet");
	ssdpm_persist_free(persist);
	saver.power_source = 3;
	assert_int_equal(make(SSDPM_PERSIST_UDEV, &saver, NULL, &persist, NULL),
			 -EINVAL);
}

static void modprobe_says_when_the_initramfs_has_to_be_rebuilt(void **state)
{
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_MODPROBE, "balanced");
	struct ssdpm_persist_file file = file_of(persist, 0);

	(void)state;
	assert_string_equal(file.path, "/etc/modprobe.d/ssdpm.conf");
	assert_has(file.contents,
		   "\noptions nvme_core default_ps_max_latency_us=100000 "
		   "apst_primary_timeout_ms=100 "
		   "apst_primary_latency_tol_us=15000 "
		   "apst_secondary_timeout_ms=2000 "
		   "apst_secondary_latency_tol_us=100000\n");
	assert_has(file.contents, "\noptions ahci mobile_lpm_policy=3\n");
	assert_has(file.note, "update-initramfs -u");
	assert_has(file.note, "dracut --force");
	assert_has(file.note, "mkinitcpio -P");
	assert_has(file.note, " nvme_core.default_ps_max_latency_us=100000 "
			      "nvme_core.apst_primary_timeout_ms=100 ");
	assert_has(file.note, " ahci.mobile_lpm_policy=3");
	ssdpm_persist_free(persist);
}

static void modprobe_has_no_file_for_two_sources(void **state)
{
	struct ssdpm_profile_settings ac =
		profile("power-saver", SSDPM_SOURCE_AC);
	struct ssdpm_profile_settings battery =
		profile("power-saver", SSDPM_SOURCE_BATTERY);
	struct ssdpm_error error = fixture_error();
	struct ssdpm_persist *persist = UNTOUCHED;

	(void)state;
	assert_int_equal(
		make(SSDPM_PERSIST_MODPROBE, &ac, &battery, &persist, &error),
		-EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "udev");
	assert_ptr_equal(persist, UNTOUCHED);
}

static void tlp_gets_the_links_and_udev_the_rest(void **state)
{
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_TLP, "power-saver");

	(void)state;
	assert_int_equal(fixture_count_files(persist), 2);
	assert_string_equal(file_of(persist, 0).path,
			    "/etc/tlp.d/50-ssdpm.conf");
	assert_has(file_of(persist, 0).contents,
		   "\nSATA_LINKPWR_ON_AC=\"med_power_with_dipm\"\n"
		   "SATA_LINKPWR_ON_BAT=\"min_power_with_partial "
		   "med_power_with_dipm\"\n");
	assert_string_equal(file_of(persist, 1).path,
			    "/etc/udev/rules.d/85-ssdpm.rules");
	assert_has_not(file_of(persist, 1).contents, "sd*");
	ssdpm_persist_free(persist);
	persist = make_profile(SSDPM_PERSIST_TLP, "balanced");
	assert_has_not(file_of(persist, 1).contents, "scsi_host");
	ssdpm_persist_free(persist);
}

static void tlp_has_nothing_for_a_profile_without_links(void **state)
{
	struct ssdpm_profile_settings mine = tolerance_of(5000);
	struct ssdpm_error error = fixture_error();
	struct ssdpm_persist *persist;

	(void)state;
	assert_int_equal(make(SSDPM_PERSIST_TLP, &mine, NULL, &persist, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "udev");
}

static void systemd_applies_at_boot_after_sleep_and_on_a_change_of_source(
	void **state)
{
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_SYSTEMD, "performance");
	const char *unit = file_of(persist, 0).contents;

	(void)state;
	assert_int_equal(fixture_count_files(persist), 2);
	assert_string_equal(file_of(persist, 0).path,
			    "/etc/systemd/system/ssdpm.service");
	assert_has(unit, "\nAfter=suspend.target ");
	assert_has(unit, "\nWantedBy=multi-user.target suspend.target ");
	/* Drivers that udev loads at boot may be later than the unit. */
	assert_has(unit, "\nExecStartPre=-/usr/bin/udevadm settle "
			 "--timeout=60\n");
	assert_has(unit, "\nExecStart=/usr/bin/ssdpm apply --profile "
			 "performance --quiet\n");
	assert_has(file_of(persist, 1).contents, "restart ssdpm.service");
	ssdpm_persist_free(persist);
	persist = make_profile(SSDPM_PERSIST_SYSTEMD, "balanced");
	assert_int_equal(fixture_count_files(persist), 1);
	ssdpm_persist_free(persist);
}

static void tuned_gets_a_profile_with_a_script(void **state)
{
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_TUNED, "power-saver");

	(void)state;
	assert_int_equal(fixture_count_files(persist), 4);
	/* TuneD 2.23 and later; and those before. */
	assert_string_equal(file_of(persist, 0).path,
			    "/etc/tuned/profiles/ssdpm-power-saver/tuned.conf");
	assert_string_equal(file_of(persist, 1).path,
			    "/etc/tuned/profiles/ssdpm-power-saver/script.sh");
	assert_string_equal(file_of(persist, 2).path,
			    "/etc/tuned/ssdpm-power-saver/tuned.conf");
	assert_string_equal(file_of(persist, 3).path,
			    "/etc/tuned/ssdpm-power-saver/script.sh");
	assert_int_equal(strncmp(file_of(persist, 1).contents,
				 "#!/bin/sh\n# Written by ssdpm", 28),
			 0);
	assert_has(file_of(persist, 0).note,
		   "tuned-adm profile ssdpm-power-saver");
	ssdpm_persist_free(persist);
}

/* A kind that calls the command says which profile, by one name. */
static void a_file_names_one_profile(void **state)
{
	struct ssdpm_profile_settings ac =
		profile("performance", SSDPM_SOURCE_AC);
	struct ssdpm_profile_settings battery =
		profile("power-saver", SSDPM_SOURCE_BATTERY);

	(void)state;
	for (uint32_t kind = 1; ssdpm_persist_kind_to_string(kind); kind++) {
		struct ssdpm_error error = fixture_error();
		struct ssdpm_persist *persist;

		if (kind == SSDPM_PERSIST_MODPROBE)
			continue;
		assert_int_equal(make(kind, &ac, &battery, &persist, &error),
				 -EINVAL);
		fixture_assert_error(&error, -EINVAL, 0,
				     "performance on AC and power-saver on "
				     "battery");
	}
}

static void balanced_and_power_saver_are_auto(void **state)
{
	struct ssdpm_profile_settings ac = profile("balanced", SSDPM_SOURCE_AC);
	struct ssdpm_profile_settings battery =
		profile("power-saver", SSDPM_SOURCE_BATTERY);
	struct ssdpm_persist *persist;

	(void)state;
	for (uint32_t kind = 1; ssdpm_persist_kind_to_string(kind); kind++) {
		size_t n;

		if (kind == SSDPM_PERSIST_MODPROBE)
			continue;
		assert_int_equal(make(kind, &ac, &battery, &persist, NULL), 0);
		n = fixture_count_files(persist);
		assert_has(file_of(persist,
				   kind == SSDPM_PERSIST_SYSTEMD ? 0 : n - 1)
				   .contents,
			   "/usr/bin/ssdpm apply --profile auto --quiet");
		ssdpm_persist_free(persist);
	}
}

static void a_profile_of_the_user_comes_with_its_file(void **state)
{
	struct ssdpm_profile_settings ac = tolerance_of(5000);
	struct ssdpm_profile_settings battery = tolerance_of(9000);
	struct ssdpm_persist_params params = { .size = sizeof(params),
					       .kind = SSDPM_PERSIST_UDEV,
					       .ac = &ac,
					       .battery = &battery };
	struct ssdpm_error error = fixture_error();
	struct ssdpm_persist *persist;

	(void)state;
	assert_int_equal(ssdpm_persist_new(&params, &persist, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "mine is not built in");
	params.profiles = "etc/profiles.ini";
	assert_int_equal(ssdpm_persist_new(&params, &persist, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "profiles: a path");
	params.profiles = "/etc/profiles.ini";
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), 0);
	assert_has(
		file_of(persist, 0).contents,
		"apply --profile mine --profiles /etc/profiles.ini --quiet\"");
	ssdpm_persist_free(persist);
	/* A caller of before there was that member. */
	params.profiles = "";
	params.size = offsetof(struct ssdpm_persist_params, profiles);
	params.battery = NULL;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), 0);
	ssdpm_persist_free(persist);
}

static void words_from_outside_steer_nothing(void **state)
{
	static const char *const commands[] = {
		"ssdpm", "", "/a b", "/a;b", "/a\nb", "/a\"b", "/$a", "/a%b",
	};
	static const char *const names[] = { "", "-a", "a b", "a\nb", "../a" };
	struct ssdpm_profile_settings mine = tolerance_of(5000);
	struct ssdpm_persist_params params = { .size = sizeof(params),
					       .kind = SSDPM_PERSIST_UDEV,
					       .ac = &mine };
	struct ssdpm_error error = fixture_error();
	struct ssdpm_persist *persist;
	char longest[210];

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		params.command = commands[i];
		assert_int_equal(ssdpm_persist_new(&params, &persist, &error),
				 -EINVAL);
		fixture_assert_error(&error, -EINVAL, 0, "command");
	}
	memset(longest, '/', sizeof(longest));
	longest[201] = 0;
	params.command = longest;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), -EINVAL);
	params.command = NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		strcpy(mine.name, names[i]);
		assert_int_equal(ssdpm_persist_new(&params, &persist, &error),
				 -EINVAL);
		fixture_assert_error(&error, -EINVAL, 0, "name");
	}
	strcpy(mine.name, "mine");
	strcpy(mine.reason, "a\nRUN+=\"b\" \\");
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), 0);
	assert_has(file_of(persist, 0).contents, "\n# mine: a?RUN+=\"b\" ?\n");
	ssdpm_persist_free(persist);
	memset(mine.reason, 'r', sizeof(mine.reason));
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), -EINVAL);
}

static struct ssdpm_persist_power power_of(uint32_t state, uint32_t hint)
{
	struct ssdpm_persist_power power = {
		.set = SSDPM_PERSIST_POWER_STATE,
		.power_state = state,
		.workload_hint = hint,
		.address = "0000:01:00.0",
		.product = "A drive, by \"X\" $HOME",
	};

	return power;
}

static void a_power_state_is_set_whenever_its_controller_starts(void **state)
{
	struct ssdpm_persist_power powers[] = { power_of(2, 1),
						power_of(0, 0) };
	struct ssdpm_persist_params params = { .size = sizeof(params),
					       .kind = SSDPM_PERSIST_UDEV,
					       .powers = powers,
					       .n_powers = 2 };
	struct ssdpm_persist *persist;
	const char *text;

	(void)state;
	powers[1].set = SSDPM_PERSIST_NOPP;
	powers[1].nopp = 1;
	strcpy(powers[1].address, "10000:e1:00.0");
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), 0);
	assert_int_equal(fixture_count_files(persist), 1);
	assert_string_equal(file_of(persist, 0).path,
			    "/etc/udev/rules.d/85-ssdpm.rules");
	text = file_of(persist, 0).contents;
	assert_has(text, "\n# Kind: udev\n");
	assert_has(text, "ACTION==\"change\", SUBSYSTEM==\"nvme\", "
			 "ENV{NVME_EVENT}==\"connected\", \\\n"
			 "  GOTO=\"ssdpm_power\"\n");
	assert_has(text, "ACTION==\"add\", SUBSYSTEM==\"nvme\", "
			 "ATTR{state}==\"live\", GOTO=\"ssdpm_power\"\n");
	assert_has(text, "ATTRS{address}==\"0000:01:00.0\", "
			 "ATTRS{model}==\"A drive? by ?X? ?HOME\", \\\n"
			 "  ENV{.SSDPM_POWER}=\"--power-state 2 "
			 "--workload-hint 1\"\n");
	assert_has(text, "  ENV{.SSDPM_POWER}=\"--nopp on\"\n");
	assert_has(text, "RUN+=\"/usr/bin/ssdpm apply $env{.SSDPM_POWER} "
			 "--quiet $kernel\"\n");
	assert_has_not(text, "--profile");
	ssdpm_persist_free(persist);
	params.kind = SSDPM_PERSIST_SYSTEMD;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), 0);
	text = file_of(persist, 0).contents;
	assert_has(text, "\nExecStart=/usr/bin/ssdpm apply --power-state 2 "
			 "--workload-hint 1 --quiet "
			 "/dev/disk/by-path/pci-0000:01:00.0-nvme-1\n"
			 "ExecStart=/usr/bin/ssdpm apply --nopp on --quiet "
			 "/dev/disk/by-path/pci-10000:e1:00.0-nvme-1\n");
	assert_has_not(text, "--profile");
	ssdpm_persist_free(persist);
}

static void a_power_state_lasts_beside_a_profile(void **state)
{
	struct ssdpm_profile_settings ac = profile("power-saver", 1);
	struct ssdpm_profile_settings battery = profile("power-saver", 2);
	struct ssdpm_persist_power power = power_of(1, 0);
	struct ssdpm_persist_params params = { .size = sizeof(params),
					       .kind = SSDPM_PERSIST_UDEV,
					       .ac = &ac,
					       .battery = &battery,
					       .powers = &power,
					       .n_powers = 1 };
	struct ssdpm_persist *persist;
	const char *text;

	(void)state;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), 0);
	text = file_of(persist, 0).contents;
	assert_has(text, "--power-state 1");
	assert_has(text, "apply --profile power-saver");
	/* A rule for the power state does not stop the rules of the profile. */
	assert_true(strstr(text, "LABEL=\"ssdpm_power_end\"") <
		    strstr(text, "SUBSYSTEM==\"power_supply\""));
	ssdpm_persist_free(persist);
	params.kind = SSDPM_PERSIST_SYSTEMD;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), 0);
	text = file_of(persist, 0).contents;
	assert_has(text, "apply --profile power-saver --quiet\n"
			 "ExecStart=/usr/bin/ssdpm apply --power-state 1");
	ssdpm_persist_free(persist);
}

static void power_states_that_cannot_last_are_refused(void **state)
{
	struct ssdpm_persist_power power = power_of(1, 0);
	struct ssdpm_persist_params params = { .size = sizeof(params),
					       .kind = SSDPM_PERSIST_TLP,
					       .powers = &power,
					       .n_powers = 1 };
	struct ssdpm_error error = fixture_error();
	struct ssdpm_persist *persist;

	(void)state;
	for (; params.kind <= SSDPM_PERSIST_TUNED; params.kind++) {
		assert_int_equal(ssdpm_persist_new(&params, &persist, &error),
				 -EINVAL);
		fixture_assert_error(&error, -EINVAL, 0,
				     "udev and systemd can");
	}
	params.kind = SSDPM_PERSIST_MODPROBE;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), -EINVAL);
	params.kind = SSDPM_PERSIST_UDEV;
	params.n_powers = SSDPM_MAX_PERSIST_POWERS + 1;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), -EINVAL);
	params.n_powers = 1;
	params.powers = NULL;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), -EINVAL);
	params.powers = &power;
	for (int i = 0; i < 9; i++) {
		power = power_of(1, 0);
		if (i == 0)
			power.set = 0;
		else if (i == 1)
			power.set = 4;
		else if (i == 2)
			power.power_state = 32;
		else if (i == 3)
			power.workload_hint = 8;
		else if (i == 4)
			power.nopp = 2;
		else if (i == 5)
			power.product[0] = 0;
		else if (i == 6)
			strcpy(power.address, "traddr=192.0.2.7");
		else if (i == 7)
			strcpy(power.address, "0000:01");
		else
			memset(power.address, '0', sizeof(power.address));
		assert_int_equal(ssdpm_persist_new(&params, &persist, &error),
				 -EINVAL);
		assert_has(error.message, "powers: ");
	}
	power = power_of(1, 0);
	params.command = "ssdpm";
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), -EINVAL);
	params.command = NULL;
	params.battery = UNTOUCHED;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), -EINVAL);
}

static void the_longest_words_fit(void **state)
{
	struct ssdpm_persist_power powers[SSDPM_MAX_PERSIST_POWERS];
	struct ssdpm_profile_settings ac = profile("power-saver", 1);
	struct ssdpm_profile_settings battery = profile("power-saver", 2);
	struct ssdpm_persist_params params = { .size = sizeof(params),
					       .ac = &ac,
					       .battery = &battery };
	struct ssdpm_persist *persist;
	char command[201];

	(void)state;
	memset(command, 'c', sizeof(command) - 1);
	command[0] = '/';
	command[200] = 0;
	params.command = command;
	params.profiles = command;
	memset(ac.name, 'n', 31);
	memset(ac.reason, 'r', 247);
	memset(battery.name, 'n', 31);
	memset(battery.reason, 'r', 247);
	for (int i = 0; i < SSDPM_MAX_PERSIST_POWERS; i++) {
		powers[i] = power_of(31, 7);
		powers[i].set |= SSDPM_PERSIST_NOPP;
		memset(powers[i].product, 'p', sizeof(powers[i].product) - 1);
		strcpy(powers[i].address, "12345678:9a:bc.d");
	}
	for (uint32_t i = 0; i < 5; i++)
		ac.lpms[i] = battery.lpms[i] = 2 + i;
	ac.n_lpms = battery.n_lpms = 5;
	for (params.kind = 1; ssdpm_persist_kind_to_string(params.kind);
	     params.kind++) {
		params.battery =
			params.kind == SSDPM_PERSIST_MODPROBE ? NULL : &battery;
		params.powers = powers;
		params.n_powers =
			params.kind == SSDPM_PERSIST_UDEV ||
					params.kind == SSDPM_PERSIST_SYSTEMD ?
				SSDPM_MAX_PERSIST_POWERS :
				0;
		assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), 0);
		ssdpm_persist_free(persist);
	}
}

/* One setting, without a profile. */
static struct ssdpm_profile_settings setting(uint32_t bit)
{
	return (struct ssdpm_profile_settings){
		.size = sizeof(struct ssdpm_profile_settings),
		.set = bit,
		.max_exit_latency_us = 5000,
		.primary_timeout_ms = 50,
		.n_lpms = 2,
		.lpms = { SSDPM_LPM_MIN_POWER_WITH_PARTIAL,
			  SSDPM_LPM_MEDIUM_POWER },
	};
}

static void a_setting_lasts_without_a_profile(void **state)
{
	static const struct {
		uint32_t kind, setting;
		const char *text; /* NULL: this kind cannot express it */
	} cases[] = {
		{ SSDPM_PERSIST_UDEV, SSDPM_PROFILE_MAX_EXIT_LATENCY,
		  "ATTR{power/pm_qos_latency_tolerance_us}=\"5000\"" },
		{ SSDPM_PERSIST_UDEV, SSDPM_PROFILE_PRIMARY_TIMEOUT,
		  " apply --nvme-core apst_primary_timeout_ms=50 --quiet\"" },
		{ SSDPM_PERSIST_UDEV, SSDPM_PROFILE_LPM,
		  " apply --lpm min_power_with_partial,medium_power --quiet\"" },
		{ SSDPM_PERSIST_MODPROBE, SSDPM_PROFILE_MAX_EXIT_LATENCY,
		  "options nvme_core default_ps_max_latency_us=5000\n" },
		{ SSDPM_PERSIST_MODPROBE, SSDPM_PROFILE_PRIMARY_TIMEOUT,
		  "options nvme_core apst_primary_timeout_ms=50\n" },
		{ SSDPM_PERSIST_MODPROBE, SSDPM_PROFILE_LPM,
		  "options ahci mobile_lpm_policy=4\n" },
		{ SSDPM_PERSIST_SYSTEMD, SSDPM_PROFILE_MAX_EXIT_LATENCY,
		  "ExecStart=/usr/bin/ssdpm apply --latency 5000us --quiet\n" },
		{ SSDPM_PERSIST_SYSTEMD, SSDPM_PROFILE_PRIMARY_TIMEOUT,
		  "apply --nvme-core apst_primary_timeout_ms=50 --quiet\n" },
		{ SSDPM_PERSIST_SYSTEMD, SSDPM_PROFILE_LPM,
		  "apply --lpm min_power_with_partial,medium_power --quiet\n" },
		{ SSDPM_PERSIST_TLP, SSDPM_PROFILE_MAX_EXIT_LATENCY, NULL },
		{ SSDPM_PERSIST_TLP, SSDPM_PROFILE_PRIMARY_TIMEOUT, NULL },
		{ SSDPM_PERSIST_TLP, SSDPM_PROFILE_LPM,
		  "_ON_BAT=\"min_power_with_partial medium_power\"\n" },
		{ SSDPM_PERSIST_TUNED, SSDPM_PROFILE_MAX_EXIT_LATENCY,
		  "summary=Power policy of SSDs: settings\n" },
		{ SSDPM_PERSIST_TUNED, SSDPM_PROFILE_PRIMARY_TIMEOUT,
		  "# Settings: --nvme-core apst_primary_timeout_ms=50\n" },
		{ SSDPM_PERSIST_TUNED, SSDPM_PROFILE_LPM,
		  "# Settings: --lpm min_power_with_partial,medium_power\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ssdpm_profile_settings own =
			setting(cases[i].setting);
		const struct ssdpm_persist_params params = {
			.size = sizeof(params),
			.kind = cases[i].kind,
			.settings = &own,
		};
		struct ssdpm_error error = fixture_error();
		struct ssdpm_persist *persist = NULL;
		int err = ssdpm_persist_new(&params, &persist, &error);

		assert_int_equal(err, cases[i].text ? 0 : -EINVAL);
		if (err)
			fixture_assert_error(&error, err, 0,
					     "SATA ports alone");
		else
			assert_has(file_of(persist, 0).contents, cases[i].text);
		ssdpm_persist_free(persist);
	}
}

static void a_setting_takes_the_place_of_what_a_profile_says(void **state)
{
	struct ssdpm_profile_settings ac = profile("power-saver", 1);
	struct ssdpm_profile_settings battery = profile("power-saver", 2);
	struct ssdpm_profile_settings own =
		setting(SSDPM_PROFILE_MAX_EXIT_LATENCY);
	struct ssdpm_persist_params params = { .size = sizeof(params),
					       .kind = SSDPM_PERSIST_UDEV,
					       .ac = &ac,
					       .battery = &battery,
					       .settings = &own };
	struct ssdpm_persist *persist;

	(void)state;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), 0);
	assert_has(file_of(persist, 0).contents,
		   "apply --profile power-saver --latency 5000us --quiet");
	ssdpm_persist_free(persist);
	params.kind = SSDPM_PERSIST_MODPROBE;
	params.battery = NULL;
	own.max_exit_latency_us = SSDPM_LATENCY_ANY;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), 0);
	assert_has(file_of(persist, 0).contents,
		   " default_ps_max_latency_us=2147483647 ");
	ssdpm_persist_free(persist);
	own.set = 0;
	params.ac = NULL;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), -EINVAL);
	own.set = 1 << 6;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), -EINVAL);
	own.size = 0;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), -EINVAL);
}

static void parameters_are_checked(void **state)
{
	struct ssdpm_profile_settings mine = tolerance_of(5000);
	struct ssdpm_persist_params params = { .size = sizeof(params),
					       .kind = 0,
					       .ac = &mine };
	struct ssdpm_error error = fixture_error();
	struct ssdpm_persist_file file = { 0 };
	struct ssdpm_persist *persist;

	(void)state;
	assert_int_equal(ssdpm_persist_new(&params, &persist, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "kind");
	params.kind = 6;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), -EINVAL);
	params.kind = SSDPM_PERSIST_UDEV;
	params.size = 0;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), -EINVAL);
	params.size = sizeof(params);
	params.ac = NULL;
	assert_int_equal(ssdpm_persist_new(&params, &persist, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "ac");
	params.ac = &mine;
	mine.set = 0;
	assert_int_equal(ssdpm_persist_new(&params, &persist, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "sets nothing");
	mine.set = 1 << 6;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), -EINVAL);
	mine.set = SSDPM_PROFILE_LPM;
	assert_int_equal(ssdpm_persist_new(&params, &persist, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "lpms");
	mine.n_lpms = 1;
	mine.lpms[0] = SSDPM_LPM_KEEP_FIRMWARE_SETTINGS;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), -EINVAL);
	mine.n_lpms = 7;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), -EINVAL);
	mine.n_lpms = 1;
	mine.lpms[0] = SSDPM_LPM_MIN_POWER;
	params.kind = SSDPM_PERSIST_MODPROBE;
	assert_int_equal(ssdpm_persist_new(&params, &persist, NULL), 0);
	assert_int_equal(ssdpm_persist_get_file(persist, 0, &file), -EINVAL);
	file.size = sizeof(file);
	assert_int_equal(ssdpm_persist_get_file(persist, 1, &file), -ERANGE);
	ssdpm_persist_free(persist);
	assert_null(ssdpm_persist_free(NULL));
	assert_null(ssdpm_persist_kind_to_string(0));
}

static void times_that_linux_does_not_take_are_not_written(void **state)
{
	const struct {
		uint32_t setting;
		uint64_t most;
		const char *name;
	} cases[] = {
		{ SSDPM_PROFILE_MAX_EXIT_LATENCY, SSDPM_LATENCY_MAX,
		  "max_exit_latency_us: Linux takes up to 2147483646" },
		{ SSDPM_PROFILE_PRIMARY_TIMEOUT, SSDPM_APST_MAX_IDLE_MS,
		  "primary_timeout_ms: Linux takes up to 16777215" },
		{ SSDPM_PROFILE_PRIMARY_LATENCY_TOLERANCE, SSDPM_LATENCY_MAX,
		  "primary_latency_tolerance_us: Linux takes up to 2147483646" },
		{ SSDPM_PROFILE_SECONDARY_TIMEOUT, SSDPM_APST_MAX_IDLE_MS,
		  "secondary_timeout_ms: Linux takes up to 16777215" },
		{ SSDPM_PROFILE_SECONDARY_LATENCY_TOLERANCE, SSDPM_LATENCY_MAX,
		  "secondary_latency_tolerance_us: Linux takes up to" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (uint64_t over = 0; over < 2; over++) {
			const uint64_t value = cases[i].most + over;
			const struct ssdpm_profile_settings own = {
				.size = sizeof(own),
				.set = cases[i].setting,
				.max_exit_latency_us = value,
				.primary_timeout_ms = value,
				.primary_latency_tolerance_us = value,
				.secondary_timeout_ms = value,
				.secondary_latency_tolerance_us = value,
			};
			const struct ssdpm_persist_params params = {
				.size = sizeof(params),
				.kind = SSDPM_PERSIST_MODPROBE,
				.settings = &own,
			};
			struct ssdpm_error error = fixture_error();
			struct ssdpm_persist *persist = NULL;
			int err = ssdpm_persist_new(&params, &persist, &error);

			assert_int_equal(err, over ? -EINVAL : 0);
			if (err)
				fixture_assert_error(&error, err, 0,
						     cases[i].name);
			ssdpm_persist_free(persist);
		}
}

/*
 * The text that is read back is the one written; a note says what to do then.
 */
static void assert_reads(struct ssdpm_machine *machine,
			 const struct ssdpm_persist *written, uint32_t kind)
{
	struct ssdpm_persist *there = NULL;
	size_t n = fixture_count_files(written), found = 0;

	assert_int_equal(ssdpm_persist_read(machine, kind, &there, NULL), 0);
	assert_int_equal(fixture_count_files(there), n);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			struct ssdpm_persist_file a = file_of(written, i);
			struct ssdpm_persist_file b = file_of(there, j);

			if (strcmp(a.path, b.path) != 0)
				continue;
			assert_string_equal(a.contents, b.contents);
			assert_int_equal(a.mode, b.mode);
			assert_true(b.note[0] || strstr(b.path, "script.sh"));
			found++;
		}
	assert_int_equal(found, n);
	ssdpm_persist_free(there);
}

static void files_are_written_and_removed(void **state)
{
	struct ssdpm_machine *machine = open_root();
	char text[8192], path[256];
	struct stat status;
	mode_t mask = umask(077);

	(void)state;
	for (uint32_t kind = 1; ssdpm_persist_kind_to_string(kind); kind++) {
		struct ssdpm_persist *persist = make_profile(kind, "balanced");
		size_t n = fixture_count_files(persist), removed = 77;

		assert_int_equal(ssdpm_persist_write(persist, machine, 0, NULL),
				 0);
		for (size_t i = 0; i < n; i++) {
			struct ssdpm_persist_file file = file_of(persist, i);

			assert_true(get(file.path, text));
			assert_string_equal(text, file.contents);
			at(path, file.path);
			assert_int_equal(stat(path, &status), 0);
			assert_int_equal(status.st_mode & 07777, file.mode);
		}
		assert_reads(machine, persist, kind);
		for (uint32_t other = 1; ssdpm_persist_kind_to_string(other);
		     other++) {
			if (other == kind)
				continue;
			assert_int_equal(ssdpm_persist_remove(machine, other,
							      &removed, NULL),
					 0);
			assert_int_equal(removed, 0);
		}
		assert_int_equal(
			ssdpm_persist_remove(machine, kind, &removed, NULL), 0);
		assert_int_equal(removed, n);
		for (size_t i = 0; i < n; i++)
			assert_false(is_there(file_of(persist, i).path));
		assert_int_equal(
			ssdpm_persist_remove(machine, kind, NULL, NULL), 0);
		ssdpm_persist_free(persist);
	}
	assert_false(is_there("/etc/tuned/ssdpm-balanced"));
	assert_false(is_there("/etc/tuned/profiles/ssdpm-balanced"));
	assert_int_equal(ssdpm_persist_remove(machine, 0, NULL, NULL), -EINVAL);
	umask(mask);
	ssdpm_machine_unref(machine);
}

static void what_is_there_already_is_not_written_again(void **state)
{
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_TLP, "balanced");
	struct ssdpm_machine *machine = open_root();

	(void)state;
	assert_int_equal(ssdpm_persist_write(persist, machine, 0, NULL), 0);
	calls.fail_at = 1;
	calls.code = EIO;
	assert_int_equal(ssdpm_persist_write(persist, machine, 0, NULL), 0);
	assert_int_equal(calls.n, 0);
	ssdpm_persist_free(persist);
	ssdpm_machine_unref(machine);
}

static void another_profile_takes_the_place_of_the_first(void **state)
{
	struct ssdpm_machine *machine = open_root();
	struct ssdpm_persist *persist;
	char text[8192];

	(void)state;
	persist = make_profile(SSDPM_PERSIST_UDEV, "balanced");
	assert_int_equal(ssdpm_persist_write(persist, machine, 0, NULL), 0);
	ssdpm_persist_free(persist);
	persist = make_profile(SSDPM_PERSIST_UDEV, "performance");
	assert_int_equal(ssdpm_persist_write(persist, machine, 0, NULL), 0);
	assert_true(get("/etc/udev/rules.d/85-ssdpm.rules", text));
	assert_string_equal(text, file_of(persist, 0).contents);
	ssdpm_persist_free(persist);
	ssdpm_machine_unref(machine);
}

static void an_unknown_flag_is_refused_and_nothing_is_written(void **state)
{
	struct ssdpm_machine *machine = open_root();
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_UDEV, "balanced");
	struct ssdpm_error error = fixture_error();

	(void)state;
	assert_int_equal(ssdpm_persist_write(persist, machine,
					     SSDPM_PERSIST_CHECK << 1, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "unknown flags 0x2");
	assert_false(is_there("/etc/udev/rules.d/85-ssdpm.rules"));
	ssdpm_persist_free(persist);
	ssdpm_machine_unref(machine);
}

static void what_the_first_profile_had_beyond_the_second_goes(void **state)
{
	struct ssdpm_machine *machine = open_root();
	struct ssdpm_profile_settings links =
		profile("balanced", SSDPM_SOURCE_AC);
	struct ssdpm_persist *persist;

	(void)state;
	persist = make_profile(SSDPM_PERSIST_TLP, "power-saver");
	assert_int_equal(ssdpm_persist_write(persist, machine, 0, NULL), 0);
	ssdpm_persist_free(persist);
	assert_true(is_there("/etc/udev/rules.d/85-ssdpm.rules"));
	/* Nothing for NVMe: no rule. */
	links.set = SSDPM_PROFILE_LPM;
	assert_int_equal(make(SSDPM_PERSIST_TLP, &links, NULL, &persist, NULL),
			 0);
	assert_int_equal(ssdpm_persist_write(persist, machine,
					     SSDPM_PERSIST_CHECK, NULL),
			 0);
	assert_true(is_there("/etc/udev/rules.d/85-ssdpm.rules"));
	assert_int_equal(ssdpm_persist_write(persist, machine, 0, NULL), 0);
	assert_false(is_there("/etc/udev/rules.d/85-ssdpm.rules"));
	assert_true(is_there("/etc/tlp.d/50-ssdpm.conf"));
	/* A file of another kind, or of nobody, stays. */
	put("/etc/udev/rules.d/85-ssdpm.rules", "# mine\n");
	assert_int_equal(ssdpm_persist_write(persist, machine, 0, NULL), 0);
	assert_true(is_there("/etc/udev/rules.d/85-ssdpm.rules"));
	ssdpm_persist_free(persist);
	ssdpm_machine_unref(machine);
}

static void files_of_others_are_left_alone(void **state)
{
	static const char *const others[] = {
		"",
		"# mine\n",
		"#!",
		"#!/bin/sh\n",
		"# Written by ssdpm; `ssdpm revert --persist` removes it",
		/* In parentheses: one file, says clang. */
		("x\n# Written by ssdpm; `ssdpm revert --persist` removes it\n"
		 "# Kind: tlp\n"),
	};
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_TLP, "balanced");
	struct ssdpm_machine *machine = open_root();
	struct ssdpm_error error = fixture_error();
	char text[8192];
	size_t n = 77;

	(void)state;
	make_directory("/etc");
	make_directory("/etc/udev");
	make_directory("/etc/udev/rules.d");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		put("/etc/udev/rules.d/85-ssdpm.rules", others[i]);
		assert_int_equal(
			ssdpm_persist_write(persist, machine, 0, &error),
			-EEXIST);
		fixture_assert_error(&error, -EEXIST, 0,
				     "/etc/udev/rules.d/85-ssdpm.rules is "
				     "there, and ssdpm did not write it");
		assert_int_equal(ssdpm_persist_write(persist, machine,
						     SSDPM_PERSIST_CHECK, NULL),
				 -EEXIST);
		assert_int_equal(ssdpm_persist_remove(
					 machine, SSDPM_PERSIST_TLP, &n, NULL),
				 0);
		assert_int_equal(n, 0);
		assert_true(get("/etc/udev/rules.d/85-ssdpm.rules", text));
		assert_string_equal(text, others[i]);
		/* The file before it was not written either. */
		assert_false(is_there("/etc/tlp.d"));
	}
	/* Larger than any of ours. */
	memset(text, '#', 8000);
	text[8000] = 0;
	put("/etc/udev/rules.d/85-ssdpm.rules", text);
	assert_int_equal(ssdpm_persist_write(persist, machine, 0, NULL),
			 -EEXIST);
	ssdpm_persist_free(persist);
	ssdpm_machine_unref(machine);
}

static void two_kinds_do_not_share_a_file(void **state)
{
	struct ssdpm_persist *udev =
		make_profile(SSDPM_PERSIST_UDEV, "balanced");
	struct ssdpm_persist *tlp = make_profile(SSDPM_PERSIST_TLP, "balanced");
	struct ssdpm_machine *machine = open_root();
	struct ssdpm_error error = fixture_error();

	(void)state;
	assert_int_equal(ssdpm_persist_write(udev, machine, 0, NULL), 0);
	assert_int_equal(ssdpm_persist_write(tlp, machine, 0, &error), -EEXIST);
	fixture_assert_error(&error, -EEXIST, 0, "remove that one first");
	ssdpm_persist_free(udev);
	ssdpm_persist_free(tlp);
	ssdpm_machine_unref(machine);
}

static void what_enabled_the_unit_goes_with_it(void **state)
{
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_SYSTEMD, "balanced");
	struct ssdpm_machine *machine = open_root();
	char path[256];

	(void)state;
	assert_int_equal(ssdpm_persist_write(persist, machine, 0, NULL), 0);
	make_directory("/etc/systemd/system/suspend.target.wants");
	at(path, "/etc/systemd/system/suspend.target.wants/ssdpm.service");
	assert_int_equal(symlink("/etc/systemd/system/ssdpm.service", path), 0);
	put("/etc/systemd/system/suspend.target.wants/other.service", "");
	assert_int_equal(ssdpm_persist_remove(machine, SSDPM_PERSIST_SYSTEMD,
					      NULL, NULL),
			 0);
	assert_false(is_there(
		"/etc/systemd/system/suspend.target.wants/ssdpm.service"));
	assert_true(is_there(
		"/etc/systemd/system/suspend.target.wants/other.service"));
	ssdpm_persist_free(persist);
	ssdpm_machine_unref(machine);
}

static void a_profile_of_tuned_with_more_in_it_stays(void **state)
{
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_TUNED, "balanced");
	struct ssdpm_machine *machine = open_root();
	size_t n;

	(void)state;
	assert_int_equal(ssdpm_persist_write(persist, machine, 0, NULL), 0);
	put("/etc/tuned/ssdpm-balanced/mine", "");
	make_directory("/etc/tuned/ssdpm-other");
	put("/etc/tuned/ssdpm-other/tuned.conf", "[main]\n");
	make_directory("/etc/tuned/other");
	assert_int_equal(
		ssdpm_persist_remove(machine, SSDPM_PERSIST_TUNED, &n, NULL),
		0);
	assert_int_equal(n, 4);
	assert_false(is_there("/etc/tuned/profiles/ssdpm-balanced"));
	assert_true(is_there("/etc/tuned/ssdpm-balanced/mine"));
	assert_false(is_there("/etc/tuned/ssdpm-balanced/tuned.conf"));
	assert_true(is_there("/etc/tuned/ssdpm-other/tuned.conf"));
	assert_true(is_there("/etc/tuned/other"));
	ssdpm_persist_free(persist);
	ssdpm_machine_unref(machine);
}

static void nothing_is_written_to_a_root_that_is_no_capture(void **state)
{
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_UDEV, "balanced");
	struct ssdpm_error error = fixture_error();
	struct ssdpm_machine *machine;
	char path[256];

	(void)state;
	at(path, "/ssdpm-capture");
	assert_int_equal(unlink(path), 0);
	machine = open_root();
	assert_int_equal(ssdpm_persist_write(persist, machine, 0, &error),
			 -EROFS);
	fixture_assert_error(&error, -EROFS, 0, "ssdpm-capture");
	assert_int_equal(
		ssdpm_persist_remove(machine, SSDPM_PERSIST_UDEV, NULL, NULL),
		-EROFS);
	assert_false(is_there("/etc"));
	ssdpm_persist_free(persist);
	ssdpm_machine_unref(machine);
}

/* A stranger's capture: its links lead into the root, not out of it. */
static void links_lead_nowhere_else(void **state)
{
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_MODPROBE, "balanced");
	char outside[] = "/tmp/ssdpm-outside-XXXXXX", path[256], line[256];
	struct ssdpm_machine *machine = open_root();

	(void)state;
	assert_non_null(mkdtemp(outside));
	make_directory("/etc");
	at(path, "/etc/modprobe.d");
	assert_int_equal(symlink(outside, path), 0);
	assert_int_not_equal(ssdpm_persist_write(persist, machine, 0, NULL), 0);
	/* Empty still. */
	assert_int_equal(rmdir(outside), 0);
	assert_int_equal(unlink(path), 0);
	make_directory("/etc/modprobe.d");
	at(path, "/etc/modprobe.d/ssdpm.conf");
	snprintf(line, sizeof(line), "%s/target", outside);
	assert_int_equal(symlink(line, path), 0);
	/* The link itself gives way to the file. */
	assert_int_equal(ssdpm_persist_write(persist, machine, 0, NULL), 0);
	assert_int_equal(access(line, F_OK), -1);
	ssdpm_persist_free(persist);
	ssdpm_machine_unref(machine);
}

#define MARKER "# Written by ssdpm; `ssdpm revert --persist` removes it\n"

/* In the middle of a write, or before it got its name. */
static const char *const leftovers[] = {
	"",
	"# Wri",
	MARKER "# Kind: tlp\n",
	MARKER "# Kind: udev\nACTION",
};

static void what_a_killed_call_left_is_cleaned_by_the_next(void **state)
{
	static const char *const paths[] = {
		"/etc/modprobe.d/.ssdpm.conf.new",
		"/etc/tlp.d/.50-ssdpm.conf.new",
		"/etc/tuned/ssdpm-balanced/.tuned.conf.new",
	};
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_MODPROBE, "balanced");
	struct ssdpm_machine *machine = open_root();

	(void)state;
	make_directory("/etc");
	make_directory("/etc/modprobe.d");
	make_directory("/etc/tlp.d");
	make_directory("/etc/tuned");
	for (size_t i = 0; i < 4; i++)
		for (int write = 0; write < 2; write++) {
			make_directory("/etc/tuned/ssdpm-balanced");
			for (size_t k = 0; k < 3; k++)
				put(paths[k], leftovers[i]);
			assert_int_equal(
				write ? ssdpm_persist_write(persist, machine, 0,
							    NULL) :
					ssdpm_persist_remove(
						machine, SSDPM_PERSIST_TUNED,
						NULL, NULL),
				0);
			for (size_t k = 0; k < 3; k++)
				assert_false(is_there(paths[k]));
			assert_false(is_there("/etc/tuned/ssdpm-balanced"));
		}
	ssdpm_persist_free(persist);
	ssdpm_machine_unref(machine);
}

static void what_somebody_else_has_under_such_a_name_stays(void **state)
{
	static const char path[] = "/etc/modprobe.d/.ssdpm.conf.new";
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_MODPROBE, "balanced");
	struct ssdpm_machine *machine = open_root();
	struct ssdpm_error error = fixture_error();
	char text[8192];

	(void)state;
	make_directory("/etc");
	make_directory("/etc/modprobe.d");
	put(path, "precious");
	assert_int_equal(ssdpm_persist_write(persist, machine,
					     SSDPM_PERSIST_CHECK, &error),
			 -EEXIST);
	fixture_assert_error(&error, -EEXIST, 0, path);
	assert_int_equal(ssdpm_persist_write(persist, machine, 0, NULL),
			 -EEXIST);
	assert_false(is_there("/etc/modprobe.d/ssdpm.conf"));
	assert_int_equal(ssdpm_persist_remove(machine, SSDPM_PERSIST_MODPROBE,
					      NULL, NULL),
			 0);
	assert_true(get(path, text));
	assert_string_equal(text, "precious");
	ssdpm_persist_free(persist);
	ssdpm_machine_unref(machine);
}

static void short_writes_are_gone_on_with(void **state)
{
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_UDEV, "balanced");
	struct ssdpm_machine *machine = open_root();
	char text[8192];

	(void)state;
	calls.most = 7;
	assert_int_equal(ssdpm_persist_write(persist, machine, 0, NULL), 0);
	assert_true(get("/etc/udev/rules.d/85-ssdpm.rules", text));
	assert_string_equal(text, file_of(persist, 0).contents);
	ssdpm_persist_free(persist);
	ssdpm_machine_unref(machine);
}

/* Each call that changes something fails once: old or new, and nothing else. */
static void whatever_fails_a_file_is_the_old_one_or_the_new_one(void **state)
{
	static const int codes[] = { EIO, ENOSPC, EACCES, EROFS, EPERM };
	struct ssdpm_persist *old = make_profile(SSDPM_PERSIST_TLP, "balanced");
	struct ssdpm_persist *new =
		make_profile(SSDPM_PERSIST_TLP, "power-saver");
	struct ssdpm_machine *machine = open_root();
	char text[8192];

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		for (unsigned int n = 1;; n++) {
			struct ssdpm_error error = fixture_error();
			int err;

			assert_int_equal(
				ssdpm_persist_write(old, machine, 0, NULL), 0);
			calls.n = 0;
			calls.fail_at = n;
			calls.code = codes[i];
			err = ssdpm_persist_write(new, machine, 0, &error);
			calls.fail_at = 0;
			if (!err)
				break;
			assert_int_equal(err, -codes[i]);
			fixture_assert_error(&error, -codes[i], 0, "/etc/");
			for (size_t k = 0; k < 2; k++) {
				struct ssdpm_persist_file was = file_of(old, k);
				struct ssdpm_persist_file is = file_of(new, k);

				assert_true(get(was.path, text));
				assert_true(!strcmp(text, was.contents) ||
					    !strcmp(text, is.contents));
			}
			assert_false(is_there("/etc/tlp.d/.50-ssdpm.conf.new"));
			assert_int_equal(
				ssdpm_persist_write(new, machine, 0, NULL), 0);
		}
		assert_true(calls.n >= 10);
	}
	ssdpm_persist_free(old);
	ssdpm_persist_free(new);
	ssdpm_machine_unref(machine);
}

static void what_cannot_be_removed_is_named(void **state)
{
	struct ssdpm_persist *persist =
		make_profile(SSDPM_PERSIST_UDEV, "balanced");
	struct ssdpm_machine *machine = open_root();
	struct ssdpm_error error = fixture_error();
	size_t n = 77;

	(void)state;
	assert_int_equal(ssdpm_persist_write(persist, machine, 0, NULL), 0);
	calls.fail_at = 1;
	calls.code = EACCES;
	assert_int_equal(
		ssdpm_persist_remove(machine, SSDPM_PERSIST_UDEV, &n, &error),
		-EACCES);
	fixture_assert_error(&error, -EACCES, 0, "root is needed");
	assert_int_equal(n, 77);
	assert_true(is_there("/etc/udev/rules.d/85-ssdpm.rules"));
	/* No directory can be made, either. */
	calls.fail_at = 0;
	assert_int_equal(
		ssdpm_persist_remove(machine, SSDPM_PERSIST_UDEV, &n, NULL), 0);
	assert_int_equal(n, 1);
	ssdpm_persist_free(persist);
	ssdpm_machine_unref(machine);
}

#define WITH_ROOT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_file_has_the_marker_and_the_kind),
		cmocka_unit_test(plain_values_are_set_by_udev_itself),
		cmocka_unit_test(no_limit_is_written_as_any),
		cmocka_unit_test(what_depends_on_the_source_calls_the_command),
		cmocka_unit_test(what_needs_a_new_table_calls_the_command),
		cmocka_unit_test(
			modprobe_says_when_the_initramfs_has_to_be_rebuilt),
		cmocka_unit_test(modprobe_has_no_file_for_two_sources),
		cmocka_unit_test(tlp_gets_the_links_and_udev_the_rest),
		cmocka_unit_test(tlp_has_nothing_for_a_profile_without_links),
		cmocka_unit_test(
			systemd_applies_at_boot_after_sleep_and_on_a_change_of_source),
		cmocka_unit_test(tuned_gets_a_profile_with_a_script),
		cmocka_unit_test(a_file_names_one_profile),
		cmocka_unit_test(balanced_and_power_saver_are_auto),
		cmocka_unit_test(a_profile_of_the_user_comes_with_its_file),
		cmocka_unit_test(words_from_outside_steer_nothing),
		cmocka_unit_test(
			a_power_state_is_set_whenever_its_controller_starts),
		cmocka_unit_test(a_power_state_lasts_beside_a_profile),
		cmocka_unit_test(power_states_that_cannot_last_are_refused),
		cmocka_unit_test(the_longest_words_fit),
		cmocka_unit_test(a_setting_lasts_without_a_profile),
		cmocka_unit_test(
			a_setting_takes_the_place_of_what_a_profile_says),
		cmocka_unit_test(parameters_are_checked),
		cmocka_unit_test(
			times_that_linux_does_not_take_are_not_written),
		WITH_ROOT(files_are_written_and_removed),
		WITH_ROOT(what_is_there_already_is_not_written_again),
		WITH_ROOT(another_profile_takes_the_place_of_the_first),
		WITH_ROOT(an_unknown_flag_is_refused_and_nothing_is_written),
		WITH_ROOT(what_the_first_profile_had_beyond_the_second_goes),
		WITH_ROOT(files_of_others_are_left_alone),
		WITH_ROOT(two_kinds_do_not_share_a_file),
		WITH_ROOT(what_enabled_the_unit_goes_with_it),
		WITH_ROOT(a_profile_of_tuned_with_more_in_it_stays),
		WITH_ROOT(nothing_is_written_to_a_root_that_is_no_capture),
		WITH_ROOT(links_lead_nowhere_else),
		WITH_ROOT(what_a_killed_call_left_is_cleaned_by_the_next),
		WITH_ROOT(what_somebody_else_has_under_such_a_name_stays),
		WITH_ROOT(short_writes_are_gone_on_with),
		WITH_ROOT(whatever_fails_a_file_is_the_old_one_or_the_new_one),
		WITH_ROOT(what_cannot_be_removed_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
