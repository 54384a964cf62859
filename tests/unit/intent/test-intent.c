/* SPDX-License-Identifier: MIT */
/* The files of ssdpm.conf(5), and the line that decides. */
#include "tree.h"

#include <stdio.h>
#include <unistd.h>

#define AT(line) ": /etc/ssdpm.conf, line " #line "\n"

enum { AC = SSDPM_SOURCE_AC, BATTERY = SSDPM_SOURCE_BATTERY };

#define OWN "etc/ssdpm.conf"
#define VENDOR "usr/lib/ssdpm/"
#define DROP_INS "etc/ssdpm.conf.d/"
#define PASSING "run/ssdpm.conf.d/"

/* A machine with an NVMe drive and a disk, and a root for files. */
static struct {
	struct ssdpm_machine *desktop;
	struct ssdpm_device *nvme, *disk;
	struct ssdpm_model *model; /* of the first */
	char *root;
} in;

static int set_up(void **state)
{
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_catalogue_match match;

	(void)state;
	in.desktop = tree_capture("desktop-6.1");
	assert_int_equal(ssdpm_device_read(in.desktop, "nvme0", &in.nvme, NULL),
			 0);
	assert_int_equal(ssdpm_device_read(in.desktop, "sda", &in.disk, NULL),
			 0);
	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &catalogue, NULL), 0);
	assert_int_equal(
		ssdpm_catalogue_find(catalogue,
				     ssdpm_device_get_facts(in.nvme)->product,
				     NULL, &match, NULL),
		0);
	assert_int_equal(ssdpm_catalogue_get_model(catalogue, match.index,
						   &in.model, NULL),
			 0);
	ssdpm_catalogue_free(catalogue);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ssdpm_model_unref(in.model);
	ssdpm_device_unref(in.nvme);
	ssdpm_device_unref(in.disk);
	ssdpm_machine_unref(in.desktop);
	return 0;
}

static int new_root(void **state)
{
	(void)state;
	in.root = tree_new();
	return 0;
}

static int remove_root(void **state)
{
	(void)state;
	tree_remove(in.root);
	return 0;
}

static int read_root(struct ssdpm_intent **ret_intent,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_machine *machine = tree_machine(in.root);
	int err = ssdpm_intent_read(machine, ret_intent, reterr);

	ssdpm_machine_unref(machine);
	return err;
}

static struct ssdpm_intent *get(void)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_intent *intent = NULL;

	if (read_root(&intent, &error))
		fail_msg("%s", error.message);
	return intent;
}

static struct ssdpm_intent *get_of(const char *text)
{
	tree_put(in.root, OWN, text);
	return get();
}

static struct ssdpm_plan *plan_of(const struct ssdpm_intent *intent,
				  struct ssdpm_device *device, uint32_t source,
				  const char *desktop)
{
	const struct ssdpm_intent_params params = {
		.size = sizeof(params),
		.power_source = source,
		.desktop_profile = desktop,
	};
	struct ssdpm_error error = fixture_error();
	struct ssdpm_plan *plan;

	assert_int_equal(ssdpm_plan_new(in.desktop, NULL, &plan, NULL), 0);
	if (ssdpm_plan_add_intent(plan, device,
				  device == in.nvme ? in.model : NULL, intent,
				  &params, &error))
		fail_msg("%s", error.message);
	return plan;
}

/* A line for each step: the setting, its value, and the line of the file. */
static const char *steps_of(const struct ssdpm_plan *plan)
{
	struct ssdpm_step step = { .size = sizeof(step) };
	static char text[2000];
	size_t length = 0;

	*text = 0;
	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++) {
		const char *what = ssdpm_step_kind_to_string(step.kind);

		if (step.kind == SSDPM_STEP_NVME_CORE)
			what = strrchr(step.target, '/') + 1;
		length += (size_t)snprintf(
			text + length, sizeof(text) - length, "%s %s: %s\n",
			what, step.after ? step.after : "left alone",
			step.origin);
	}
	return text;
}

static void assert_steps(const char *config, struct ssdpm_device *device,
			 uint32_t source, const char *desktop,
			 const char *expected)
{
	struct ssdpm_intent *intent = get_of(config);
	struct ssdpm_plan *plan = plan_of(intent, device, source, desktop);

	assert_string_equal(steps_of(plan), expected);
	ssdpm_plan_free(plan);
	ssdpm_intent_free(intent);
}

/* --- faults --- */

static const struct fault {
	const char *name, *text;
	uint32_t line;
	const char *words;
} faults[] = {
	{ "a_line_before_any_section_is_a_fault", "\n# x\nprofile = auto\n", 3,
	  "before any section" },
	{ "a_section_of_another_name_is_a_fault", "[disk]\n", 1,
	  "a section is [machine], [drive], [desktop] or [profile NAME]" },
	{ "a_head_without_its_bracket_is_a_fault", "[machine\n", 1,
	  "a section is" },
	{ "a_profile_without_a_name_is_a_fault", "[profile ]\n", 1,
	  "a section is" },
	{ "a_line_without_a_sign_is_a_fault", "[machine]\nprofile auto\n", 2,
	  "neither KEY = VALUE nor the head of a section" },
	{ "a_line_without_a_key_is_a_fault", "[machine]\n = auto\n", 2,
	  "neither KEY" },
	{ "a_key_that_there_is_not_is_a_fault", "[machine]\nlatency = 1ms\n", 2,
	  "latency: no key of this section" },
	{ "a_key_in_capitals_is_a_fault", "[machine]\nLPM = min_power\n", 2,
	  "LPM: no key" },
	{ "a_key_of_two_sources_is_a_fault", "[machine]\nac.battery.lpm = x\n",
	  2, "no key" },
	{ "a_key_without_a_value_is_a_fault", "[machine]\nlpm =\n", 2,
	  "lpm: no value" },
	{ "a_key_given_twice_is_a_fault", "[machine]\nnopp = on\nnopp = off\n",
	  3, "nopp: given twice in one section" },
	{ "a_key_given_twice_for_a_source_is_a_fault",
	  "[machine]\nac.nopp = on\nnopp = off\n", 3, "nopp: given twice" },
	{ "a_profile_after_a_setting_is_a_fault",
	  "[machine]\nnopp = on\nprofile = auto\n", 3,
	  "profile: stands before what else they get" },
	{ "a_profile_after_one_for_a_source_is_a_fault",
	  "[machine]\nac.nopp = on\nbattery.profile = auto\n", 3,
	  "profile: stands before" },
	{ "a_pattern_for_the_machine_is_a_fault", "[machine]\nmodel = *\n", 2,
	  "model: says which drives: that is for [drive]" },
	{ "a_pattern_after_a_setting_is_a_fault",
	  "[drive]\nmodel = *\nnopp = on\nport = ata1\n", 4,
	  "port: says which drives, and stands before what they get" },
	{ "a_pattern_after_a_profile_is_a_fault",
	  "[drive]\nmodel = *\nprofile = auto\nport = ata1\n", 4,
	  "port: says which drives" },
	{ "a_pattern_for_a_source_is_a_fault", "[drive]\nac.model = *\n", 2,
	  "ac.model: no key of this section" },
	{ "a_drive_without_a_pattern_is_a_fault",
	  "[machine]\n[drive]\nnopp = on\n", 2, "[drive]: which drives?" },
	{ "a_drive_that_gets_nothing_is_a_fault",
	  "\n[drive]\nmodel = *\n[machine]\n", 2, "[drive]: it sets nothing" },
	{ "a_parameter_for_a_drive_is_a_fault",
	  "[drive]\nmodel = *\nprimary_timeout = 1s\n", 3,
	  "primary_timeout: all controllers share it: that is for [machine]" },
	{ "a_time_without_its_unit_is_a_fault",
	  "[machine]\nmax_exit_latency = 25\n", 2,
	  "max_exit_latency: write a time with its unit" },
	{ "a_time_that_linux_does_not_take_is_a_fault",
	  "[machine]\nmax_exit_latency = 3000s\n", 2, "too long" },
	{ "a_link_policy_that_there_is_not_is_a_fault",
	  "[machine]\nlpm = min_power fast\n", 2,
	  "lpm: not a policy that can be set" },
	{ "a_power_state_that_nvme_does_not_have_is_a_fault",
	  "[machine]\npower_state = 32\n", 2,
	  "power_state: a power state is a number, 0 to 31" },
	{ "a_hint_that_nvme_does_not_have_is_a_fault",
	  "[machine]\nworkload_hint = 8\n", 2,
	  "workload_hint: a hint is a number, 0 to 7" },
	{ "nopp_is_on_or_off", "[machine]\nnopp = yes\n", 2,
	  "nopp: write on or off" },
	{ "a_kind_that_there_is_not_is_a_fault", "[drive]\nkind = usb\n", 2,
	  "kind: write nvme or sata" },
	{ "a_profile_that_there_is_not_is_a_fault",
	  "[machine]\nprofile = fast\n", 2,
	  "unknown profile 'fast'; expected" },
	{ "a_profile_with_a_long_name_is_a_fault",
	  "[machine]\nprofile = 12345678901234567890123456789012\n", 2,
	  "more than 31 characters" },
	{ "a_profile_of_the_desktop_that_there_is_not_is_a_fault",
	  "[desktop]\n\nquiet = quiet\n", 3, "unknown profile 'quiet'" },
	{ "a_profile_of_the_desktop_without_a_value_is_a_fault",
	  "[desktop]\nquiet =\n", 2, "no value" },
	{ "a_fault_in_a_profile_has_its_line",
	  "[machine]\nprofile = auto\n\n[profile mine]\nnopp = on\n", 5,
	  "nopp: no key of a profile" },
	{ "a_fault_in_a_later_profile_has_its_line",
	  "[profile one]\nlpm = min_power\n[machine]\n[profile two]\nlpm = x\n",
	  5, "lpm = x" },
	{ "a_profile_that_sets_nothing_is_a_fault", "\n[profile mine]\n", 2,
	  "a profile that sets nothing" },
	{ "a_profile_with_a_blank_in_its_name_is_a_fault",
	  "\n[profile my own]\nlpm = min_power\n", 2, "a profile begins with" },
	{ "a_profile_named_none_is_a_fault",
	  "\n[profile none]\nlpm = min_power\n", 2, "none" },
	{ "two_profiles_of_a_name_in_a_file_are_a_fault",
	  "[profile a]\nlpm = min_power\n[profile a]\nlpm = min_power\n", 3,
	  "a profile of this name stands before" },
};

static void the_fault_names_its_file_and_line(void **state)
{
	const struct fault *fault = *state;
	struct ssdpm_error error = fixture_error();
	struct ssdpm_intent *intent = (void *)&error;
	char place[64];

	snprintf(place, sizeof(place), "/" OWN ":%u: ", fault->line);
	new_root(NULL);
	tree_put(in.root, OWN, fault->text);
	assert_int_equal(read_root(&intent, &error), -EINVAL);
	assert_ptr_equal(intent, &error);
	fixture_assert_error(&error, -EINVAL, fault->line, fault->words);
	if (strncmp(error.message, place, strlen(place)) != 0)
		fail_msg("%s", error.message);
	assert_int_equal(read_root(&intent, NULL), -EINVAL);
	remove_root(NULL);
}

static void a_fault_in_any_file_is_a_fault_of_that_file(void **state)
{
	static const char *const paths[] = { VENDOR "1.conf", OWN,
					     DROP_INS "1.conf" };
	struct ssdpm_intent *intent;
	struct ssdpm_error error;

	(void)state;
	for (int i = 0; i < 3; i++) {
		tree_put(in.root, paths[i], "x\n");
		assert_int_equal(read_root(&intent, &error), -EINVAL);
		assert_non_null(strstr(error.message, paths[i]));
		tree_put(in.root, paths[i], "");
	}
}

static void more_than_is_accepted_is_too_big(void **state)
{
	struct ssdpm_intent *intent;
	struct ssdpm_error error;
	const size_t most = 1 << 20;
	char *text = malloc(most + 2);

	(void)state;
	assert_non_null(text);
	memset(text, '\n', most + 1);
	text[most] = 0;
	ssdpm_intent_free(get_of(text));
	text[most] = '\n';
	text[most + 1] = 0;
	tree_put(in.root, OWN, text);
	assert_int_equal(read_root(&intent, &error), -E2BIG);
	assert_non_null(strstr(error.message, "/" OWN));
	*text = 0;
	for (int i = 0; i < 1024; i++)
		strcpy(text + 19 * i, "[machine]\nnopp=on\n\n");
	ssdpm_intent_free(get_of(text));
	strcat(text, "[machine]\nnopp=on\n");
	tree_put(in.root, OWN, text);
	assert_int_equal(read_root(&intent, &error), -E2BIG);
	assert_int_equal(error.line, 3 * 1024 + 2);
	free(text);
}

static void a_directory_in_the_place_of_a_file_is_a_fault(void **state)
{
	struct ssdpm_intent *intent;
	struct ssdpm_error error;

	(void)state;
	tree_mkdir(in.root, OWN);
	assert_int_equal(read_root(&intent, &error), -EISDIR);
	assert_non_null(strstr(error.message, "/" OWN ": "));
}

/* --- files --- */

static void without_files_nothing_is_asked_for(void **state)
{
	struct ssdpm_intent *intent = get();
	struct ssdpm_plan *plan = plan_of(intent, in.nvme, 0, NULL);

	(void)state;
	assert_int_equal(ssdpm_intent_get_flags(intent), 0);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 0);
	ssdpm_plan_free(plan);
	ssdpm_intent_free(intent);
	assert_null(ssdpm_intent_free(NULL));
}

static void assert_root(struct ssdpm_device *device, const char *expected)
{
	struct ssdpm_intent *intent = get();
	struct ssdpm_plan *plan = plan_of(intent, device, AC, NULL);

	assert_string_equal(steps_of(plan), expected);
	ssdpm_plan_free(plan);
	ssdpm_intent_free(intent);
}

static void put_limit(const char *path, int ms)
{
	char text[80];

	snprintf(text, sizeof(text), "[machine]\nmax_exit_latency = %dms\n",
		 ms);
	tree_put(in.root, path, text);
}

static void later_files_come_after_earlier_ones(void **state)
{
	(void)state;
	put_limit(VENDOR "10.conf", 1);
	put_limit(VENDOR "9.conf", 2);
	assert_root(in.nvme, "latency-tolerance 1000: "
			     "/usr/lib/ssdpm/10.conf, line 2\n");
	put_limit(OWN, 3);
	assert_root(in.nvme, "latency-tolerance 3000: "
			     "/etc/ssdpm.conf, line 2\n");
	put_limit(DROP_INS "a.conf", 4);
	assert_root(in.nvme, "latency-tolerance 4000: "
			     "/etc/ssdpm.conf.d/a.conf, line 2\n");
	put_limit(DROP_INS "b.conf", 5);
	assert_root(in.nvme, "latency-tolerance 5000: "
			     "/etc/ssdpm.conf.d/b.conf, line 2\n");
	put_limit(PASSING "a.conf", 6);
	assert_root(in.nvme, "latency-tolerance 6000: "
			     "/run/ssdpm.conf.d/a.conf, line 2\n");
}

static void assert_noted(const char *desktop, int err, const char *expected)
{
	struct ssdpm_machine *machine = tree_machine(in.root);
	char text[80] = "";
	FILE *file;

	assert_int_equal(ssdpm_intent_note_desktop(machine, desktop, NULL),
			 err);
	ssdpm_machine_unref(machine);
	file = fopen(tree_path(in.root, "run/ssdpm/desktop-profile"), "r");
	if (!expected) {
		assert_null(file);
		return;
	}
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_string_equal(text, expected);
}

static void the_profile_of_the_desktop_is_noted_if_it_is_a_name(void **state)
{
	const char *long_name = "abcdefghijklmnopqrstuvwxyz0123456789"
				"abcdefghijklmnopqrstuvwxyz0";

	(void)state;
	assert_noted("balanced", -EROFS, NULL);
	tree_put(in.root, "/ssdpm-capture", "ssdpm-capture 1\n");
	assert_noted(NULL, 0, NULL);
	assert_noted("power-saver", 0, "power-saver\n");
	assert_noted("", -EINVAL, "power-saver\n");
	assert_noted("two words", -EINVAL, "power-saver\n");
	assert_noted("two\nlines", -EINVAL, "power-saver\n");
	assert_noted(long_name, 0,
		     "abcdefghijklmnopqrstuvwxyz0123456789"
		     "abcdefghijklmnopqrstuvwxyz0\n");
	assert_noted("abcdefghijklmnopqrstuvwxyz0123456789"
		     "abcdefghijklmnopqrstuvwxyz01",
		     -EINVAL,
		     "abcdefghijklmnopqrstuvwxyz0123456789"
		     "abcdefghijklmnopqrstuvwxyz0\n");
	assert_noted(NULL, 0, NULL);
}

static void assert_text(const char *path, const char *expected)
{
	FILE *file = fopen(tree_path(in.root, path), "r");
	char text[512];
	size_t n;

	assert_non_null(file);
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = 0;
	fclose(file);
	assert_string_equal(text, expected);
}

static void what_is_kept_for_one_source_leaves_the_other_one(void **state)
{
	static const char path[] = "etc/ssdpm.conf.d/50-local.conf";
	static const struct {
		const char *old, *lines, *new;
	} cases[] = {
		{ "lpm = min_power\n", "ac.lpm = medium_power\n",
		  "battery.lpm = min_power\nac.lpm = medium_power\n" },
		{ "  lpm=min_power", "battery.lpm = medium_power\n",
		  "  ac.lpm=min_power\nbattery.lpm = medium_power\n" },
		{ "ac.lpm = min_power\nbattery.lpm = min_power\n",
		  "battery.lpm = medium_power\n",
		  "ac.lpm = min_power\nbattery.lpm = medium_power\n" },
		{ "ac.lpm = min_power\nbattery.lpm = min_power\n",
		  "lpm = medium_power\n", "lpm = medium_power\n" },
		{ "lpm = min_power\n",
		  "ac.lpm = medium_power\nbattery.lpm = medium_power\n",
		  "ac.lpm = medium_power\nbattery.lpm = medium_power\n" },
		{ "lpm = min_power\nnopp = on\n",
		  "battery.profile = power-saver\n",
		  "battery.profile = power-saver\nac.lpm = min_power\n"
		  "ac.nopp = on\n" },
		{ "profile = auto\nlpm = min_power\n",
		  "ac.profile = performance\n",
		  "ac.profile = performance\nbattery.profile = auto\n"
		  "battery.lpm = min_power\n" },
		{ "profile = auto\nlpm = min_power\n", "lpm = medium_power\n",
		  "profile = auto\nlpm = medium_power\n" },
		{ "lpm = min_power\nac.nopp = on\n", "profile = auto\n",
		  "profile = auto\n" },
	};
	struct ssdpm_error error = fixture_error();
	char text[512];

	(void)state;
	tree_put(in.root, "ssdpm-capture", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_machine *machine = tree_machine(in.root);

		snprintf(text, sizeof(text), "# Mine\n[machine]\n%s",
			 cases[i].old);
		tree_put(in.root, path, text);
		if (ssdpm_intent_keep(machine, NULL, cases[i].lines, 0, &error))
			fail_msg("%zu: %s", i, error.message);
		snprintf(text, sizeof(text), "# Mine\n[machine]\n%s",
			 cases[i].new);
		assert_text(path, text);
		ssdpm_machine_unref(machine);
	}
}

static void files_of_other_names_are_not_read(void **state)
{
	(void)state;
	tree_put(in.root, DROP_INS "a.conf~", "x");
	tree_put(in.root, DROP_INS ".a.conf", "x");
	tree_put(in.root, DROP_INS "README", "x");
	tree_put(in.root, DROP_INS ".conf", "x");
	assert_root(in.nvme, "");
}

static void a_drop_in_takes_the_place_of_the_vendors_file(void **state)
{
	(void)state;
	put_limit(VENDOR "10.conf", 1);
	tree_put(in.root, DROP_INS "10.conf", "# nothing\n");
	assert_root(in.nvme, "");
	put_limit(DROP_INS "10.conf", 2);
	assert_root(in.nvme, "latency-tolerance 2000: "
			     "/etc/ssdpm.conf.d/10.conf, line 2\n");
}

/* /dev/null is not in a root, so that the link leads nowhere. */
static void a_link_to_nothing_turns_the_vendors_file_off(void **state)
{
	(void)state;
	put_limit(VENDOR "10.conf", 1);
	tree_link(in.root, DROP_INS "10.conf", "/dev/null");
	assert_root(in.nvme, "");
	tree_put(in.root, "dev/null", "");
	assert_root(in.nvme, "");
}

/* --- which drives --- */

static const struct match {
	const char *name, *pattern;
	bool nvme, disk;
	const char *desktop;
} matches[] = {
	{ "kind_nvme_is_nvme", "kind = nvme", true, false, NULL },
	{ "kind_sata_is_sata", "kind = sata", false, true, NULL },
	{ "any_model_is_all", "model = *", true, true, NULL },
	{ "blanks_after_a_model_do_not_count",
	  "model = Samsung SSD 970 EVO Plus 1TB", true, false, NULL },
	{ "a_part_of_a_model_is_not_the_model", "model = Samsung", false, false,
	  NULL },
	{ "a_model_in_small_letters_is_another", "model = samsung*", false,
	  false, NULL },
	{ "a_model_with_a_set", "model = [CD]T1???MX500SSD1", false, true,
	  NULL },
	{ "a_serial_of_nvme", "serial = SECRETNVME0000000000", true, false,
	  NULL },
	{ "an_address_of_nvme", "port = 0000:01:00.0", true, false, NULL },
	{ "a_port_of_sata", "port = ata1", false, true, NULL },
	{ "another_port_of_sata", "port = ata11", false, false, NULL },
	{ "all_patterns_have_to_hold", "kind = sata\nmodel = Samsung*", false,
	  false, NULL },
	{ "two_patterns_that_hold", "kind = nvme\nmodel = Samsung*", true,
	  false, NULL },
	{ "a_desktop_that_is_not_known", "desktop_profile = *", false, false,
	  NULL },
	{ "a_desktop_without_a_name", "desktop_profile = *", false, false, "" },
	{ "a_desktop_that_is", "desktop_profile = power*", true, true,
	  "power-saver" },
	{ "a_desktop_that_is_not", "desktop_profile = power*", false, false,
	  "balanced" },
};

static void the_section_is_for_the_drives_of_its_patterns(void **state)
{
	const struct match *match = *state;
	char config[200];

	snprintf(config, sizeof(config),
		 "[drive]\n%s\nmax_exit_latency = 1ms\nlpm = medium_power\n",
		 match->pattern);
	new_root(NULL);
	for (int i = 0; i < 2; i++) {
		struct ssdpm_intent *intent = get_of(config);
		struct ssdpm_plan *plan = plan_of(intent, i ? in.disk : in.nvme,
						  AC, match->desktop);

		assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL),
				 i ? match->disk : match->nvme);
		ssdpm_plan_free(plan);
		ssdpm_intent_free(intent);
	}
	remove_root(NULL);
}

/* IDENTIFY DEVICE of a disk in sysfs, with a serial number. */
static void put_words(const char *root, const char *serial)
{
	char text[256 * 5 + 1];
	uint16_t words[256];

	fixture_ata_words(words);
	fixture_ata_text(words + 10, 10, serial);
	for (size_t i = 0; i < 256; i++)
		snprintf(text + 5 * i, 6, "%04x%c", words[i],
			 i % 8 == 7 ? '\n' : ' ');
	tree_put(root,
		 "sys/devices/pci0000:00/0000:00:17.0/ata1/link1/dev1.0/"
		 "ata_device/dev1.0/id",
		 text);
}

static void the_serial_of_a_disk_is_in_its_words(void **state)
{
	struct ssdpm_machine *machine;
	struct ssdpm_intent *intent;
	struct ssdpm_plan *plan;
	char command[1024];

	(void)state;
	snprintf(command, sizeof(command), "cp -a %s/desktop-6.1/. %s",
		 getenv("SSDPM_CAPTURES"), in.root);
	assert_int_equal(system(command), 0);
	put_words(in.root, "  S1234 5");
	machine = tree_machine(in.root);
	intent = get_of("[drive]\nserial = S123[3-5] 5\n"
			"port = ata1\nlpm = medium_power\n");
	assert_int_equal(ssdpm_plan_new(machine, NULL, &plan, NULL), 0);
	assert_int_equal(
		ssdpm_plan_add_intent(plan, NULL, NULL, intent, NULL, NULL), 0);
	assert_string_equal(steps_of(plan), "lpm medium_power" AT(4));
	ssdpm_plan_free(plan);
	ssdpm_intent_free(intent);
	ssdpm_machine_unref(machine);
}

/* --- the results --- */

static void a_key_for_a_source_holds_on_that_source(void **state)
{
	static const char config[] = "[machine]\nac.max_exit_latency = 1ms\n"
				     "battery.max_exit_latency = 2ms\n"
				     "battery.lpm = medium_power\n";

	(void)state;
	assert_steps(config, in.nvme, AC, NULL, "latency-tolerance 1000" AT(2));
	assert_steps(config, in.nvme, BATTERY, NULL,
		     "latency-tolerance 2000" AT(3));
	assert_steps(config, in.disk, AC, NULL, "");
	assert_steps(config, in.disk, BATTERY, NULL, "lpm medium_power" AT(4));
	/* The machine is on AC. */
	assert_steps(config, in.nvme, 0, NULL, "latency-tolerance 1000" AT(2));
}

static void a_profile_takes_the_place_of_what_was_before(void **state)
{
	static const char config[] =
		"[machine]\nmax_exit_latency = 1ms\npower_state = 1\n"
		"[drive]\nkind = nvme\nprofile = mine\n"
		"[profile mine]\nlpm = medium_power\n";

	(void)state;
	assert_steps(config, in.nvme, AC, NULL, "");
	assert_steps(config, in.disk, AC, NULL, "");
}

static void none_leaves_the_drives_alone_but_for_what_follows(void **state)
{
	static const char config[] =
		"[machine]\nprofile = balanced\nlpm = medium_power\n"
		"[drive]\nkind = sata\nprofile = none\n"
		"[drive]\nkind = nvme\nprofile = none\nmax_exit_latency = any\n"
		"[machine]\nprofile = none\nprimary_timeout = 1s\n";

	(void)state;
	assert_steps(config, in.disk, AC, NULL, "");
	assert_steps(config, in.nvme, AC, NULL,
		     "apst_primary_timeout_ms 1000" AT(
			     13) "latency-tolerance any" AT(10));
}

static void the_profile_of_a_drive_sets_no_parameter_of_nvme_core(void **state)
{
	static const char config[] = "[drive]\nkind = nvme\nprofile = mine\n"
				     "[profile mine]\nmax_exit_latency = 3ms\n"
				     "primary_timeout = 1s\n";

	(void)state;
	assert_steps(config, in.nvme, AC, NULL, "latency-tolerance 3000" AT(3));
}

static void the_desktop_takes_the_place_of_the_profile_only(void **state)
{
	static const char config[] =
		"[machine]\nprofile = one\nlpm = medium_power\n"
		"[desktop]\nquiet = one\nloud = none\n# then\n"
		"[desktop]\nquiet = two\n"
		"[profile one]\nmax_exit_latency = 1ms\n"
		"[profile two]\nmax_exit_latency = 2ms\nlpm = min_power\n";

	(void)state;
	assert_steps(config, in.nvme, AC, NULL, "latency-tolerance 1000" AT(2));
	assert_steps(config, in.nvme, AC, "other",
		     "latency-tolerance 1000" AT(2));
	assert_steps(config, in.nvme, AC, "quiet",
		     "latency-tolerance 2000" AT(9));
	assert_steps(config, in.nvme, AC, "loud", "");
	assert_steps(config, in.disk, AC, "quiet", "lpm medium_power" AT(3));
	assert_steps(config, in.disk, AC, "loud", "lpm medium_power" AT(3));
}

static void a_profile_of_a_later_file_comes_before_an_earlier_one(void **state)
{
	(void)state;
	tree_put(in.root, OWN, "[machine]\nprofile = balanced\n");
	tree_put(in.root, DROP_INS "1.conf",
		 "[profile balanced]\nmax_exit_latency = 4ms\n");
	assert_root(in.nvme, "latency-tolerance 4000" AT(2));
	tree_put(in.root, DROP_INS "2.conf",
		 "[profile balanced]\nmax_exit_latency = 5ms\n");
	assert_root(in.nvme, "latency-tolerance 5000" AT(2));
}

static void power_states_have_their_hint(void **state)
{
	static const char config[] =
		"[machine]\npower_state = 1\nworkload_hint = 2\nnopp = off\n"
		"[drive]\nkind = nvme\nworkload_hint = 3\n";
	struct ssdpm_step step = { .size = sizeof(step) };
	struct ssdpm_intent *intent = get_of(config);
	struct ssdpm_plan *plan = plan_of(intent, in.nvme, AC, NULL);

	(void)state;
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 2);
	assert_int_equal(ssdpm_plan_get_step(plan, 0, &step), 0);
	assert_int_equal(step.kind, SSDPM_STEP_POWER_STATE);
	assert_int_equal(step.after_value->power_state, 1);
	assert_int_equal(step.after_value->workload_hint, 3);
	assert_string_equal(step.origin, "/etc/ssdpm.conf, line 2");
	ssdpm_plan_free(plan);
	assert_steps(config, in.disk, AC, NULL, "");
	ssdpm_intent_free(intent);
}

static void assert_left_alone(const char *config, struct ssdpm_model *model,
			      const char *why)
{
	struct ssdpm_step step = { .size = sizeof(step) };
	struct ssdpm_intent *intent = get_of(config);
	struct ssdpm_plan *plan;

	assert_int_equal(ssdpm_plan_new(in.desktop, NULL, &plan, NULL), 0);
	assert_int_equal(
		ssdpm_plan_add_intent(plan, in.nvme, model, intent, NULL, NULL),
		0);
	assert_int_equal(ssdpm_plan_get_step(plan, 0, &step), 0);
	assert_int_equal(step.state, SSDPM_STEP_LEFT_ALONE);
	assert_non_null(strstr(step.why, why));
	assert_string_equal(step.origin, "/etc/ssdpm.conf, line 2");
	ssdpm_plan_free(plan);
	ssdpm_intent_free(intent);
}

static void a_power_state_that_a_drive_lacks_leaves_it_alone(void **state)
{
	(void)state;
	assert_left_alone("[machine]\npower_state = 9\n", in.model,
			  "nvme0 has no PS9");
	assert_left_alone("[machine]\npower_state = 4\n", in.model,
			  "PS4 is non-operational");
	assert_left_alone("[machine]\npower_state = 1\n", NULL,
			  "its model, which is not known");
}

static void what_the_caller_set_has_no_origin(void **state)
{
	struct ssdpm_intent *intent =
		get_of("[drive]\nkind = sata\nmax_exit_latency = 1ms\n"
		       "lpm = medium_power\n");
	struct ssdpm_plan *plan;

	(void)state;
	assert_int_equal(ssdpm_plan_new(in.desktop, NULL, &plan, NULL), 0);
	assert_int_equal(ssdpm_plan_add_latency_tolerance(plan, in.nvme, NULL,
							  7000, NULL),
			 0);
	assert_int_equal(
		ssdpm_plan_add_intent(plan, in.disk, NULL, intent, NULL, NULL),
		0);
	assert_string_equal(steps_of(plan), "latency-tolerance 7000: \n"
					    "lpm medium_power" AT(4));
	ssdpm_plan_free(plan);
	ssdpm_intent_free(intent);
}

static void all_devices_get_what_each_one_gets(void **state)
{
	struct ssdpm_intent *intent =
		get_of("[machine]\nsecondary_timeout = 1s\nlpm = min_power\n"
		       "[drive]\nport = ata1\nlpm = medium_power\n"
		       "[drive]\nkind = nvme\nmax_exit_latency = 1ms\n");
	struct ssdpm_plan *plan;
	const char *text;

	(void)state;
	assert_int_equal(ssdpm_plan_new(in.desktop, NULL, &plan, NULL), 0);
	assert_int_equal(
		ssdpm_plan_add_intent(plan, NULL, NULL, intent, NULL, NULL), 0);
	text = steps_of(plan);
	assert_non_null(strstr(text, "apst_secondary_timeout_ms 1000" AT(2)));
	assert_non_null(strstr(text, "latency-tolerance 1000" AT(9)));
	assert_non_null(strstr(text, "lpm medium_power" AT(6)));
	assert_non_null(strstr(text, "lpm min_power" AT(3)));
	ssdpm_plan_free(plan);
	ssdpm_intent_free(intent);
}

static void a_power_source_that_there_is_not_is_refused(void **state)
{
	const struct ssdpm_intent_params params = { .size = sizeof(params),
						    .power_source = 3 };
	struct ssdpm_intent *intent = get();
	struct ssdpm_error error = fixture_error();
	struct ssdpm_plan *plan;

	(void)state;
	assert_int_equal(ssdpm_plan_new(in.desktop, NULL, &plan, NULL), 0);
	assert_int_equal(ssdpm_plan_add_intent(plan, in.nvme, NULL, intent,
					       &params, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "power_source");
	ssdpm_plan_free(plan);
	ssdpm_intent_free(intent);
}

/* --- flags --- */

enum {
	SETS = SSDPM_INTENT_SETS,
	SOURCE = SETS | SSDPM_INTENT_BY_SOURCE,
	DESKTOP = SETS | SSDPM_INTENT_BY_DESKTOP,
	COMMAND = SETS | SSDPM_INTENT_BY_COMMAND,
};

static const struct flags {
	const char *name, *text;
	uint32_t flags;
} flags[] = {
	{ "a_machine_without_lines_sets_nothing", "[machine]\n", 0 },
	{ "a_profile_alone_sets_nothing", "[profile a]\nac.lpm = min_power\n",
	  0 },
	{ "a_setting_sets_something", "[machine]\nlpm = min_power\n", SETS },
	{ "none_sets_something", "[machine]\nprofile = none\n", SETS },
	{ "auto_is_by_source", "[machine]\nprofile = auto\n", SOURCE },
	{ "a_key_for_ac_is_by_source", "[machine]\nac.lpm = min_power\n",
	  SOURCE },
	{ "a_key_for_battery_is_by_source",
	  "[drive]\nmodel = *\nbattery.lpm = min_power\n", SOURCE },
	{ "none_for_a_source_is_by_source", "[machine]\nac.profile = none\n",
	  SOURCE },
	{ "a_profile_that_says_one_thing_is_not_by_source",
	  "[machine]\nprofile = a\n[profile a]\nlpm = min_power\n", SETS },
	{ "a_profile_for_a_source_is_by_source",
	  "[machine]\nac.profile = a\n[profile a]\nlpm = min_power\n", SOURCE },
	{ "a_profile_that_says_two_things_is_by_source",
	  "[machine]\nprofile = a\n[profile a]\nac.lpm = min_power\n", SOURCE },
	{ "what_a_profile_overrides_for_both_sources_is_not_by_source",
	  "[machine]\nprofile = a\n[profile a]\nbased_on = power-saver\n"
	  "max_exit_latency = 50ms\nsecondary_latency_tolerance = 100ms\n"
	  "lpm = medium_power\n",
	  SETS },
	{ "reasons_are_no_settings",
	  "[machine]\nprofile = a\n[profile a]\nlpm = min_power\n"
	  "ac.reason = x\nbattery.reason = y\n",
	  SETS },
	{ "a_desktop_is_by_desktop", "[desktop]\nx = none\n", DESKTOP },
	{ "a_desktop_may_be_by_source", "[desktop]\nx = auto\n",
	  DESKTOP | SOURCE },
	{ "a_drive_of_a_desktop_is_by_desktop",
	  "[drive]\ndesktop_profile = x\nlpm = min_power\n", DESKTOP },
	{ "a_power_state_is_by_command", "[machine]\npower_state = 1\n",
	  COMMAND },
	{ "nopp_is_by_command", "[machine]\nnopp = on\n", COMMAND },
};

static void the_flags_say_what_it_is_about(void **state)
{
	const struct flags *one = *state;
	struct ssdpm_intent *intent;

	new_root(NULL);
	intent = get_of(one->text);
	assert_int_equal(ssdpm_intent_get_flags(intent), one->flags);
	ssdpm_intent_free(intent);
	remove_root(NULL);
}

/* --- a slow and obvious model, on random files --- */

enum key { LATENCY, TIMEOUT, LPM, POWER_STATE, NOPP, N_KEYS, PROFILE = N_KEYS };
enum kind { MACHINE, DRIVE, ON_DESKTOP, OWN_PROFILE };
enum { N_FILES = 3, N_SECTIONS = 4, N_LINES = 12 };

static const char *const paths[N_FILES] = { VENDOR "10.conf", OWN,
					    DROP_INS "90.conf" };
static const char *const key_words[] = {
	"max_exit_latency", "primary_timeout", "lpm", "power_state", "nopp",
	"profile"
};
static const char *const source_words[] = { "ac.", "battery.", "" };
static const char *const desktops[] = { NULL, "quiet", "loud" };
static const char *const profiles[] = { "a",	      "b",	  "none",
					"auto",	      "balanced", "performance",
					"power-saver" };
static const char *const lpms[] = { "max_performance", "medium_power",
				    "min_power" };
/* The drives that each line matches. */
static const struct {
	const char *line;
	bool nvme, disk;
	const char *desktop; /* the only one; "*": any that is known */
} patterns[] = {
	{ "kind = nvme", true, false, NULL },
	{ "kind = sata", false, true, NULL },
	{ "model = *", true, true, NULL },
	{ "model = Samsung*", true, false, NULL },
	{ "serial = SECRETNVME*", true, false, NULL },
	{ "port = ata1", false, true, NULL },
	{ "desktop_profile = quiet", true, true, "quiet" },
	{ "desktop_profile = *", true, true, "*" },
};

enum { N_PATTERNS = sizeof(patterns) / sizeof(patterns[0]) };

struct line {
	uint32_t key, sources, number;
	uint64_t value; /* of a profile: which one; on a desktop: its key */
};

struct section {
	enum kind kind;
	uint32_t name; /* of a profile */
	uint32_t n_patterns, n_lines;
	uint32_t patterns[2];
	struct line lines[N_LINES];
};

struct file {
	uint32_t n_sections;
	struct section sections[N_SECTIONS];
};

/* A device's value for a key. */
struct answer {
	bool is_set;
	uint64_t value;
	char origin[64];
};

static uint64_t seed;

static uint32_t below(uint32_t n)
{
	return (uint32_t)(fixture_random(&seed) >> 33) % n;
}

static uint64_t random_value(uint32_t key)
{
	switch (key) {
	case LATENCY:
		return 1000 * (1 + below(50));
	case TIMEOUT:
		return 1 + below(2000);
	case NOPP:
		return below(2);
	default:
		return below(3);
	}
}

/* The same key for both sources, for one, or for each separately. */
static void add_lines(struct section *section, uint32_t key)
{
	const uint32_t how = below(5);

	for (uint32_t i = 0; i < 3; i++) {
		const bool is_there = how == 3 ? i < 2 : how == i;

		if (is_there)
			section->lines[section->n_lines++] = (struct line){
				.key = key,
				.sources = i + 1,
				.value = key == PROFILE ? below(7) :
							  random_value(key),
			};
	}
}

static void make_lines(struct section *section)
{
	const bool is_machine = section->kind == MACHINE;

	while (!section->n_lines) {
		if (section->kind != OWN_PROFILE && below(2))
			add_lines(section, PROFILE);
		for (uint32_t key = 0; key < N_KEYS; key++) {
			if (section->kind == OWN_PROFILE && key > LPM)
				continue;
			if (section->kind == DRIVE && key == TIMEOUT)
				continue;
			if (below(3) == 0)
				add_lines(section, key);
		}
		if (is_machine)
			return;
	}
}

/* Two patterns with one key would be a fault. */
static void make_patterns(struct section *section)
{
	section->n_patterns = 1;
	section->patterns[0] = below(N_PATTERNS);
	section->patterns[1] = below(N_PATTERNS);
	if (strncmp(patterns[section->patterns[0]].line,
		    patterns[section->patterns[1]].line, 4) != 0)
		section->n_patterns = 1 + below(2);
}

static void make_section(struct section *section)
{
	memset(section, 0, sizeof(*section));
	section->kind = below(3);
	if (section->kind == DRIVE)
		make_patterns(section);
	if (section->kind != ON_DESKTOP) {
		make_lines(section);
		return;
	}
	for (uint32_t i = 1; i < 3; i++)
		if (below(2))
			section->lines[section->n_lines++] = (struct line){
				.key = i,
				.sources = 3,
				.value = below(7),
			};
}

/* The first file has both profiles, so each name exists. */
static void make_files(struct file files[N_FILES])
{
	for (uint32_t f = 0; f < N_FILES; f++) {
		struct file *file = &files[f];

		file->n_sections = below(N_SECTIONS - 1);
		for (uint32_t i = 0; i < file->n_sections; i++)
			make_section(&file->sections[i]);
		for (uint32_t name = 0; name < 2; name++) {
			struct section *own = &file->sections[file->n_sections];

			if (file->n_sections == N_SECTIONS || (f && below(2)))
				continue;
			memset(own, 0, sizeof(*own));
			own->kind = OWN_PROFILE;
			own->name = name;
			make_lines(own);
			file->n_sections++;
		}
	}
}

static void print_line(FILE *out, const struct section *section,
		       const struct line *line)
{
	if (section->kind == ON_DESKTOP) {
		fprintf(out, "%s = %s\n", desktops[line->key],
			profiles[line->value]);
		return;
	}
	fprintf(out, "%s%s = ", source_words[line->sources - 1],
		key_words[line->key]);
	if (line->key == LATENCY)
		fprintf(out, "%uus\n", (unsigned int)line->value);
	else if (line->key == TIMEOUT)
		fprintf(out, "%ums\n", (unsigned int)line->value);
	else if (line->key == LPM)
		fprintf(out, "%s\n", lpms[line->value]);
	else if (line->key == PROFILE)
		fprintf(out, "%s\n", profiles[line->value]);
	else if (line->key == NOPP)
		fprintf(out, "%s\n", line->value ? "on" : "off");
	else
		fprintf(out, "%u\n", (unsigned int)line->value);
}

/* Lines get their numbers. */
static void print_section(FILE *out, struct section *section, uint32_t *number)
{
	static const char *const heads[] = { "machine", "drive", "desktop" };

	if (section->kind == OWN_PROFILE)
		fprintf(out, "[profile %s]\n", profiles[section->name]);
	else
		fprintf(out, "[%s]\n", heads[section->kind]);
	++*number;
	for (uint32_t i = 0; i < section->n_patterns; i++, ++*number)
		fprintf(out, "%s\n", patterns[section->patterns[i]].line);
	for (uint32_t i = 0; i < section->n_lines; i++) {
		if (below(4) == 0) {
			fputs(below(2) ? "\n" : "; nopp = maybe\n", out);
			++*number;
		}
		print_line(out, section, &section->lines[i]);
		section->lines[i].number = ++*number;
	}
}

static void print_files(struct file files[N_FILES])
{
	for (uint32_t f = 0; f < N_FILES; f++) {
		size_t size;
		char *text = NULL;
		FILE *out = open_memstream(&text, &size);
		uint32_t number = 0;

		assert_non_null(out);
		for (uint32_t i = 0; i < files[f].n_sections; i++)
			print_section(out, &files[f].sections[i], &number);
		fclose(out);
		tree_put(in.root, paths[f], text);
		free(text);
	}
}

static struct answer nothing(void)
{
	return (struct answer){ .is_set = false };
}

static struct answer is(uint64_t value)
{
	return (struct answer){ .is_set = true, .value = value };
}

/* The value that a plan sets for a key. */
static struct answer answer_of(const struct ssdpm_plan *plan, uint32_t key)
{
	static const uint32_t kinds[] = { SSDPM_STEP_LATENCY_TOLERANCE,
					  SSDPM_STEP_NVME_CORE, SSDPM_STEP_LPM,
					  SSDPM_STEP_POWER_STATE,
					  SSDPM_STEP_NOPP };
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++) {
		const struct ssdpm_step_value *value = step.after_value;
		struct answer answer;

		if (step.kind != kinds[key] ||
		    (key == TIMEOUT &&
		     step.parameter != SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS))
			continue;
		assert_non_null(value);
		answer = is(key == LATENCY     ? value->max_exit_latency_us :
			    key == TIMEOUT     ? value->nvme_core :
			    key == LPM	       ? value->lpm :
			    key == POWER_STATE ? value->power_state :
						 value->nopp);
		snprintf(answer.origin, sizeof(answer.origin), "%s",
			 step.origin);
		return answer;
	}
	return nothing();
}

/* A built-in profile of the apply stage. */
static struct answer built_in(const char *name, uint32_t key, uint32_t source)
{
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };
	struct ssdpm_plan *plan;
	struct answer answer;

	assert_int_equal(
		ssdpm_profile_find(NULL, 0, name, source, &settings, NULL), 0);
	assert_int_equal(ssdpm_plan_new(in.desktop, NULL, &plan, NULL), 0);
	assert_int_equal(ssdpm_plan_add_profile(plan,
						key == LPM ? in.disk : in.nvme,
						NULL, &settings, NULL),
			 0);
	answer = answer_of(plan, key);
	ssdpm_plan_free(plan);
	return answer;
}

static uint64_t value_of(const struct line *line)
{
	return line->key == LPM ? ssdpm_lpm_from_string(lpms[line->value]) :
				  line->value;
}

static struct answer profile_says(const struct file *files, uint64_t name,
				  uint32_t key, uint32_t source)
{
	for (int f = N_FILES - 1; f >= 0; f--) {
		for (uint32_t i = 0; i < files[f].n_sections; i++) {
			const struct section *own = &files[f].sections[i];

			if (own->kind != OWN_PROFILE || own->name != name)
				continue;
			for (uint32_t k = 0; k < own->n_lines; k++)
				if (own->lines[k].key == key &&
				    own->lines[k].sources & source)
					return is(value_of(&own->lines[k]));
			return nothing();
		}
	}
	return key > LPM || !strcmp(profiles[name], "none") ?
		       nothing() :
		       built_in(profiles[name], key, source);
}

static bool holds(const struct section *section, bool is_disk,
		  const char *desktop)
{
	for (uint32_t i = 0; i < section->n_patterns; i++) {
		const uint32_t p = section->patterns[i];
		const char *wanted = patterns[p].desktop;

		if (is_disk ? !patterns[p].disk : !patterns[p].nvme)
			return false;
		if (wanted && (!desktop || (strcmp(wanted, "*") != 0 &&
					    strcmp(wanted, desktop) != 0)))
			return false;
	}
	return true;
}

/*
 * The last line for a key among matching sections of a kind. It is the key
 * itself, or a profile, which is for all keys. On a desktop: the last line for
 * that. NULL: none.
 */
static const struct line *last_line(const struct file *files, enum kind kind,
				    uint32_t key, bool is_disk, uint32_t source,
				    const char *desktop, uint32_t *ret_file)
{
	const struct line *last = NULL;

	for (uint32_t f = 0; f < N_FILES; f++) {
		for (uint32_t i = 0; i < files[f].n_sections; i++) {
			const struct section *section = &files[f].sections[i];

			if (section->kind != kind ||
			    !holds(section, is_disk, desktop))
				continue;
			for (uint32_t k = 0; k < section->n_lines; k++) {
				const struct line *line = &section->lines[k];

				if (!(line->sources & source) ||
				    (line->key != key &&
				     (line->key != PROFILE ||
				      kind == ON_DESKTOP)))
					continue;
				last = line;
				*ret_file = f;
			}
		}
	}
	return last;
}

static struct answer expected_of(const struct file *files, uint32_t key,
				 bool is_disk, uint32_t source,
				 const char *desktop)
{
	const struct line *line = NULL, *instead = NULL;
	struct answer answer;
	uint32_t file = 0;

	/* All controllers share it; no drive has its own. */
	if (key != TIMEOUT)
		line = last_line(files, DRIVE, key, is_disk, source, desktop,
				 &file);
	if (!line) {
		line = last_line(files, MACHINE, key, is_disk, source, desktop,
				 &file);
		if (desktop && (!line || line->key == PROFILE))
			instead = last_line(files, ON_DESKTOP,
					    strcmp(desktop, "quiet") ? 2 : 1,
					    is_disk, source, desktop, &file);
	}
	if (instead)
		line = instead;
	if (!line)
		return nothing();
	answer = instead || line->key == PROFILE ?
			 profile_says(files, line->value, key, source) :
			 is(value_of(line));
	snprintf(answer.origin, sizeof(answer.origin), "/%s, line %u",
		 paths[file], line->number);
	return answer;
}

static void assert_answers(const struct file *files,
			   const struct ssdpm_intent *intent, bool is_disk,
			   uint32_t source, const char *desktop)
{
	struct ssdpm_plan *plan =
		plan_of(intent, is_disk ? in.disk : in.nvme, source, desktop);

	for (uint32_t key = 0; key < N_KEYS; key++) {
		const struct answer got = answer_of(plan, key);
		const struct answer expected =
			expected_of(files, key, is_disk, source, desktop);

		if (is_disk != (key == LPM)) {
			assert_false(got.is_set);
			continue;
		}
		assert_int_equal(got.is_set, expected.is_set);
		if (!got.is_set)
			continue;
		assert_int_equal(got.value, expected.value);
		assert_string_equal(got.origin, expected.origin);
	}
	ssdpm_plan_free(plan);
}

static void random_files_mean_what_a_slow_model_says(void **state)
{
	const uint64_t n = fixture_cases(400);
	struct file files[N_FILES];

	(void)state;
	for (uint64_t i = 1; i <= n; i++) {
		struct ssdpm_intent *intent;

		seed = i;
		make_files(files);
		print_files(files);
		intent = get();
		for (uint32_t way = 0; way < 12; way++)
			assert_answers(files, intent, way & 1,
				       1 + (way >> 1) % 2, desktops[way / 4]);
		ssdpm_intent_free(intent);
	}
}

static struct ssdpm_profile_settings settings_of(
	const struct ssdpm_intent *intent, uint32_t source)
{
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };

	assert_int_equal(ssdpm_intent_get_settings(intent, NULL, source,
						   &settings, NULL),
			 0);
	assert_string_equal(settings.name, "files");
	assert_int_equal(settings.power_source, source);
	return settings;
}

static void settings_of_all_drives_leave_out_what_some_get(void **state)
{
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };
	struct ssdpm_intent *intent;

	(void)state;
	intent = get_of("[machine]\nprimary_timeout = 50ms\n"
			"[drive]\nkind = nvme\n"
			"ac.max_exit_latency = 25ms\n"
			"battery.max_exit_latency = 100ms\n"
			"[drive]\nkind = sata\nlpm = medium_power\n"
			"[drive]\nmodel = *\nmax_exit_latency = 1ms\n"
			"[drive]\nserial = *\nmax_exit_latency = 1ms\n"
			"[drive]\nport = *\nmax_exit_latency = 1ms\n"
			"[drive]\ndesktop_profile = *\n"
			"max_exit_latency = 1ms\n");
	settings = settings_of(intent, AC);
	assert_int_equal(settings.set, SSDPM_PROFILE_MAX_EXIT_LATENCY |
					       SSDPM_PROFILE_PRIMARY_TIMEOUT |
					       SSDPM_PROFILE_LPM);
	assert_int_equal(settings.max_exit_latency_us, 25000);
	assert_int_equal(settings.primary_timeout_ms, 50);
	settings = settings_of(intent, BATTERY);
	assert_int_equal(settings.max_exit_latency_us, 100000);
	settings = settings_of(intent, AC);
	assert_true(settings.set & SSDPM_PROFILE_LPM);
	assert_int_equal(settings.n_lpms, 1);
	assert_int_equal(settings.lpms[0], SSDPM_LPM_MEDIUM_POWER);
	assert_int_equal(
		ssdpm_intent_get_settings(intent, NULL, 0, &settings, NULL),
		-EINVAL);
	ssdpm_intent_free(intent);
}

static void profiles_of_files_come_before_the_built_in_ones(void **state)
{
	static const char *const expected[] = { "quiet", "balanced", "mine",
						"performance", "power-saver" };
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };
	struct ssdpm_error error = fixture_error();
	struct ssdpm_intent *intent;
	char name[32];
	size_t n = 0;

	(void)state;
	tree_put(in.root, "etc/ssdpm.conf.d/60-later.conf",
		 "[profile quiet]\nmax_exit_latency = any\n"
		 "[profile balanced]\nmax_exit_latency = 3ms\n");
	intent = get_of("[profile mine]\nbattery.max_exit_latency = 9ms\n"
			"ac.max_exit_latency = 8ms\n"
			"[profile quiet]\nmax_exit_latency = 1ms\n");
	for (; !ssdpm_intent_get_profile_name(intent, n, name); n++) {
		assert_true(n < sizeof(expected) / sizeof(expected[0]));
		assert_string_equal(name, expected[n]);
		assert_int_equal(ssdpm_intent_get_settings(intent, name, AC,
							   &settings, NULL),
				 0);
		assert_string_equal(settings.name, name);
	}
	assert_int_equal(n, sizeof(expected) / sizeof(expected[0]));
	assert_int_equal(ssdpm_intent_get_profile_name(intent, n, name),
			 -ERANGE);
	ssdpm_intent_get_settings(intent, "mine", BATTERY, &settings, NULL);
	assert_int_equal(settings.max_exit_latency_us, 9000);
	ssdpm_intent_get_settings(intent, "auto", AC, &settings, NULL);
	assert_string_equal(settings.name, "balanced");
	assert_int_equal(settings.max_exit_latency_us, 3000);
	ssdpm_intent_get_settings(intent, "auto", BATTERY, &settings, NULL);
	assert_string_equal(settings.name, "power-saver");
	assert_int_equal(ssdpm_intent_get_settings(intent, "quite", AC,
						   &settings, &error),
			 -ENOENT);
	assert_string_equal(
		error.message,
		"unknown profile 'quite'; expected quiet, balanced, "
		"mine, performance, power-saver");
	ssdpm_intent_free(intent);
}

#define WITH_ROOT(test) \
	cmocka_unit_test_setup_teardown(test, new_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_ROOT(settings_of_all_drives_leave_out_what_some_get),
		WITH_ROOT(profiles_of_files_come_before_the_built_in_ones),
		WITH_ROOT(a_fault_in_any_file_is_a_fault_of_that_file),
		WITH_ROOT(more_than_is_accepted_is_too_big),
		WITH_ROOT(a_directory_in_the_place_of_a_file_is_a_fault),
		WITH_ROOT(without_files_nothing_is_asked_for),
		WITH_ROOT(later_files_come_after_earlier_ones),
		WITH_ROOT(the_profile_of_the_desktop_is_noted_if_it_is_a_name),
		WITH_ROOT(what_is_kept_for_one_source_leaves_the_other_one),
		WITH_ROOT(files_of_other_names_are_not_read),
		WITH_ROOT(a_drop_in_takes_the_place_of_the_vendors_file),
		WITH_ROOT(a_link_to_nothing_turns_the_vendors_file_off),
		WITH_ROOT(the_serial_of_a_disk_is_in_its_words),
		WITH_ROOT(a_key_for_a_source_holds_on_that_source),
		WITH_ROOT(a_profile_takes_the_place_of_what_was_before),
		WITH_ROOT(none_leaves_the_drives_alone_but_for_what_follows),
		WITH_ROOT(
			the_profile_of_a_drive_sets_no_parameter_of_nvme_core),
		WITH_ROOT(the_desktop_takes_the_place_of_the_profile_only),
		WITH_ROOT(
			a_profile_of_a_later_file_comes_before_an_earlier_one),
		WITH_ROOT(power_states_have_their_hint),
		WITH_ROOT(a_power_state_that_a_drive_lacks_leaves_it_alone),
		WITH_ROOT(what_the_caller_set_has_no_origin),
		WITH_ROOT(all_devices_get_what_each_one_gets),
		WITH_ROOT(a_power_source_that_there_is_not_is_refused),
		WITH_ROOT(random_files_mean_what_a_slow_model_says),
	};
	int failed;

	if (set_up(NULL))
		return 1;
	failed = FIXTURE_RUN_ROWS(faults, the_fault_names_its_file_and_line);
	failed += FIXTURE_RUN_ROWS(
		matches, the_section_is_for_the_drives_of_its_patterns);
	failed += FIXTURE_RUN_ROWS(flags, the_flags_say_what_it_is_about);
	failed += cmocka_run_group_tests(tests, NULL, NULL);
	tear_down(NULL);
	return failed;
}
