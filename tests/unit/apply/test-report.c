/* SPDX-License-Identifier: MIT */
/* Reports on all drives of a machine, some of which are gone. */
#include "tree.h"

#include <stdio.h>

#define SLOT "/sys/devices/pci0000:00/0000:00:1c.4/0000:02:00.0/nvme/nvme1"
#define TOLERANCE SLOT "/power/pm_qos_latency_tolerance_us"
#define PORT "/sys/devices/pci0000:00/0000:00:17.0/ata2"
#define POLICY PORT "/host1/scsi_host/host1/link_power_management_policy"

enum { N_DRIVES = 8 }; /* of the capture eight-drives */

/* The report, with a line for each drive. */
struct lines {
	char text[N_DRIVES + 2][400];
	size_t n;
};

static void put_line(const struct ssdpm_report_item *item, char line[400])
{
	int n = snprintf(line, 400, "%s: %s: %s: %s: %s:", item->name,
			 item->product, item->policy,
			 ssdpm_diagnosis_code_to_string(item->verdict),
			 item->message);

	assert_non_null(item->device);
	assert_string_equal(ssdpm_device_get_facts(item->device)->name,
			    item->name);
	for (size_t i = 0; i < item->n_changes; i++)
		n += snprintf(line + n, 400 - (size_t)n, " %s=%s",
			      strrchr(item->changes[i].target, '/'),
			      item->changes[i].value);
}

static void put_error(const struct ssdpm_report_item *item, char line[400])
{
	snprintf(line, 400, "%s: error %d: %s", item->name, item->error,
		 item->message);
	assert_null(item->device);
	assert_null(item->reason);
	assert_int_equal(item->verdict, 0);
	assert_int_equal(item->n_changes, 0);
}

static struct lines report_on(const char *root)
{
	struct ssdpm_profile_settings saver = { .size = sizeof(saver) };
	struct ssdpm_report_item item = { .size = sizeof(item) };
	struct ssdpm_machine *machine = tree_machine(root);
	struct ssdpm_report *report;
	struct ssdpm_error error;
	struct lines lines = { .n = 0 };

	assert_int_equal(ssdpm_profile_find(NULL, 0, "power-saver",
					    SSDPM_SOURCE_BATTERY, &saver, NULL),
			 0);
	if (ssdpm_report_new(machine, &saver, &report, &error))
		fail_msg("%s", error.message);
	for (; !ssdpm_report_get_item(report, lines.n, &item); lines.n++) {
		assert_true(lines.n < sizeof(lines.text) / sizeof(*lines.text));
		(item.error ? put_error : put_line)(&item, lines.text[lines.n]);
	}
	ssdpm_report_free(report);
	ssdpm_machine_unref(machine);
	return lines;
}

static char *copy_capture(void)
{
	char *root = tree_new();
	char command[512];

	snprintf(command, sizeof(command), "cp -a %s/eight-drives/. %s",
		 getenv("SSDPM_CAPTURES"), root);
	assert_int_equal(system(command), 0);
	return root;
}

static void change(const char *root, const char *format)
{
	char command[1024];

	snprintf(command, sizeof(command), format, root, root);
	assert_int_equal(system(command), 0);
}

static void a_drive_that_is_gone_does_not_keep_the_others(void **state)
{
	static const struct {
		const char *command, *name, *line;
	} cases[] = {
		{ "rm -r %s" SLOT, "nvme1: ", "nvme1: error -2: not found" },
		{ "rm -r %s" SLOT "/*",
		  "nvme1: ", "nvme1: error -19: no such device" },
		{ "rm %s" TOLERANCE "; mkdir %s" TOLERANCE, "nvme1: ",
		  "nvme1: error -5: cannot read %s" TOLERANCE ": a directory" },
		{ "rm -r %s" PORT, "sdb: ", "sdb: error -2: not found" },
	};
	char *root = copy_capture();
	const struct lines whole = report_on(root);

	(void)state;
	tree_remove(root);
	assert_int_equal(whole.n, N_DRIVES);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const size_t length = strlen(cases[i].name);
		struct lines lines;
		size_t n_others = 0, n_errors = 0;
		char wanted[512];

		root = copy_capture();
		snprintf(wanted, sizeof(wanted), cases[i].line, root);
		change(root, cases[i].command);
		lines = report_on(root);
		tree_remove(root);
		for (size_t j = 0; j < lines.n; j++) {
			const char *line = lines.text[j];

			if (!strncmp(line, cases[i].name, length)) {
				assert_string_equal(line, wanted);
				n_errors++;
			}
			for (size_t k = 0; k < whole.n; k++)
				n_others += !strcmp(line, whole.text[k]);
		}
		assert_int_equal(n_errors, 1);
		assert_int_equal(n_others, N_DRIVES - 1);
		assert_int_equal(lines.n, N_DRIVES);
	}
}

static void settings_that_are_wrong_concern_all_drives(void **state)
{
	struct ssdpm_profile_settings wrong = {
		.size = sizeof(wrong),
		.set = SSDPM_PROFILE_MAX_EXIT_LATENCY,
		.max_exit_latency_us = UINT32_MAX,
	};
	struct ssdpm_report *report = UNTOUCHED;
	struct ssdpm_machine *machine = tree_capture("eight-drives");
	struct ssdpm_error error;

	(void)state;
	assert_int_equal(ssdpm_report_new(machine, &wrong, &report, &error),
			 -ERANGE);
	fixture_assert_error(&error, -ERANGE, 0, "more than the kernel takes");
	assert_ptr_equal(report, UNTOUCHED);
	ssdpm_machine_unref(machine);
}

/* The files are those of the capture, and hold another value. */
static void each_change_names_a_file_that_is_there(void **state)
{
	struct ssdpm_profile_settings saver = { .size = sizeof(saver) };
	struct ssdpm_report_item item = { .size = sizeof(item) };
	char *root = copy_capture();
	struct ssdpm_machine *machine = tree_machine(root);
	struct ssdpm_report *report;
	size_t n_nvme = 0, n_sata = 0;

	(void)state;
	ssdpm_profile_find(NULL, 0, "power-saver", SSDPM_SOURCE_BATTERY, &saver,
			   NULL);
	assert_int_equal(ssdpm_report_new(machine, &saver, &report, NULL), 0);
	for (size_t i = 0; !ssdpm_report_get_item(report, i, &item); i++) {
		n_nvme += *item.name == 'n' && item.n_changes;
		n_sata += *item.name == 's' && item.n_changes;
		for (size_t j = 0; j < item.n_changes; j++) {
			char path[512], text[64] = "";
			FILE *file;

			snprintf(path, sizeof(path), "%s%s", root,
				 item.changes[j].target);
			file = fopen(path, "r");
			assert_non_null(file);
			assert_non_null(fgets(text, sizeof(text), file));
			fclose(file);
			text[strcspn(text, "\n")] = '\0';
			assert_string_not_equal(text, item.changes[j].value);
		}
	}
	assert_true(n_nvme && n_sata);
	ssdpm_report_free(report);
	ssdpm_machine_unref(machine);
	tree_remove(root);
}

/* The policy and the PxCMD of its port: whether the link sleeps. */
static void check_risk(const char *command, uint32_t verdict, bool has_risk)
{
	struct ssdpm_report_item item = { .size = sizeof(item) };
	char *root = copy_capture();
	struct ssdpm_machine *machine;
	struct ssdpm_report *report;
	size_t i = 0;

	change(root, command);
	machine = tree_machine(root);
	assert_int_equal(ssdpm_report_new(machine, NULL, &report, NULL), 0);
	while (!ssdpm_report_get_item(report, i++, &item) &&
	       strcmp(item.name, "sdb"))
		;
	assert_string_equal(item.name, "sdb");
	assert_int_equal(item.verdict, verdict);
	assert_int_equal(item.risk != NULL, has_risk);
	if (item.risk)
		assert_int_equal(item.risk->code,
				 SSDPM_DIAGNOSIS_LPM_MIN_POWER);
	ssdpm_report_free(report);
	ssdpm_machine_unref(machine);
	tree_remove(root);
}

static void a_policy_that_has_lost_data_is_a_risk_where_the_link_sleeps(
	void **state)
{
	(void)state;
	check_risk("echo min_power > %s" POLICY, SSDPM_DIAGNOSIS_SAVES, true);
	check_risk("echo med_power_with_dipm > %s" POLICY,
		   SSDPM_DIAGNOSIS_SAVES, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_drive_that_is_gone_does_not_keep_the_others),
		cmocka_unit_test(settings_that_are_wrong_concern_all_drives),
		cmocka_unit_test(each_change_names_a_file_that_is_there),
		cmocka_unit_test(
			a_policy_that_has_lost_data_is_a_risk_where_the_link_sleeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
