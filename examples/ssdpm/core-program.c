/* SPDX-License-Identifier: MIT */
/* The program ssdpm: the commands that need libssdpm alone. */
#include "programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const bool has_energy = false;

const struct subcommand *const subcommands[] = {
	&cmd_status,  &cmd_list,  &cmd_show,  &cmd_lpm,
	&cmd_plan,    &cmd_apply, &cmd_check, &cmd_revert,
	&cmd_capture, &cmd_apst,  NULL,
};

/*
 * It is in the same folder, and not in libexecdir. That holds in /usr/bin, in a
 * root that was unpacked somewhere, and in the folder of a build. So no path is
 * compiled in. The kernel's link is to this file itself, also if a link in
 * another folder was called.
 */
static bool find_energy_program(char *path, size_t size)
{
	static const char name[] = "ssdpm-energy";
	ssize_t n = readlink("/proc/self/exe", path, size - sizeof(name));

	if (n < 0)
		return false;
	while (n && path[n - 1] != '/')
		n--;
	memcpy(path + n, name, sizeof(name));
	return true;
}

void run_energy_program(char **argv)
{
	char path[4096];

	if (!find_energy_program(path, sizeof(path)))
		return;
	execv(path, argv);
	if (errno != ENOENT)
		complain("cannot run %s: %s", path, strerror(errno));
}

const char *get_workload_name(size_t i)
{
	(void)i;
	return NULL;
}

bool needs_energy(const char *command)
{
	static const char words[][12] = {
		"workload", "estimate",	   "compare", "recommend",
		"budget",   "consistency", "measure", "tune",
		"watch",    "suspend",	   "bisect",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(command, words[i]))
			return true;
	return false;
}

int read_meters(const struct live *live, struct ssdpm_meter **ret_meters,
		size_t *ret_n, struct ssdpm_error *reterr)
{
	(void)live;
	(void)reterr;
	*ret_meters = NULL;
	*ret_n = 0;
	return 0;
}

const char *meter_kind_word(uint32_t kind)
{
	(void)kind;
	return NULL;
}

int meters_json(const struct ssdpm_meter *meters, size_t n, char **ret_text,
		struct ssdpm_error *reterr)
{
	(void)meters;
	(void)n;
	(void)ret_text;
	(void)reterr;
	return 0;
}

/* Status complains of files that cannot be read; then "auto" is built in. */
static int read_report(const struct live *live, struct ssdpm_report **ret,
		       struct ssdpm_error *reterr)
{
	const uint32_t source = live->facts.power_source;
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };
	struct ssdpm_intent *intent = NULL;
	const bool known =
		!ssdpm_intent_read(live->machine, &intent, NULL) &&
		!ssdpm_intent_get_settings(intent, "auto",
					   source ? source : SSDPM_SOURCE_AC,
					   &settings, NULL);

	ssdpm_intent_free(intent);
	return ssdpm_report_new(live->machine, known ? &settings : NULL, ret,
				reterr);
}

int read_outlooks(const struct live *live, struct outlooks *ret_outlooks,
		  struct ssdpm_error *reterr)
{
	struct ssdpm_report_item drive = { .size = sizeof(drive) };
	struct ssdpm_report *report;
	int err = read_report(live, &report, reterr);

	if (err)
		return err;
	ret_outlooks->report = report;
	for (size_t i = 0; !err && !ssdpm_report_get_item(report, i, &drive);
	     i++)
		err = add_outlook(ret_outlooks,
				  (struct outlook){ .drive = drive }, reterr);
	if (err)
		free_outlooks(ret_outlooks);
	return err;
}

void free_outlooks(struct outlooks *outlooks)
{
	free(outlooks->list);
	ssdpm_report_free(outlooks->report);
	*outlooks = (struct outlooks){ 0 };
}

int outlook_json(const struct outlooks *outlooks, const char *name,
		 char **ret_text, struct ssdpm_error *reterr)
{
	(void)outlooks;
	(void)name;
	(void)reterr;
	*ret_text = NULL;
	return 0;
}

enum exit_status print_findings(const struct drive *drive)
{
	(void)drive;
	return STATUS_FAILED;
}

enum exit_status lint_catalogue(const struct common *common)
{
	(void)common;
	return STATUS_FAILED;
}

int findings_json(const struct ssdpm_model *model, char **ret_text,
		  struct ssdpm_error *reterr)
{
	(void)model;
	(void)ret_text;
	(void)reterr;
	return -ENOSYS;
}

static const struct option_group nothing;

const struct group_use plan_groups[N_PLAN_GROUPS] = {
	USE(&plan_option_group, &the_plan_options),
	USE(&nothing, NULL),
	USE(&nothing, NULL),
	USE(&nothing, NULL),
};

enum exit_status check_saving(const struct common *common, bool both_sources,
			      size_t n)
{
	(void)common;
	(void)both_sources;
	(void)n;
	return STATUS_DONE;
}

enum exit_status estimate_work(struct work *work)
{
	(void)work;
	return STATUS_DONE;
}

void print_savings(const struct work *work)
{
	(void)work;
}

void add_savings(struct items *items, const struct work *work)
{
	(void)items;
	(void)work;
}

void free_savings(struct work *work)
{
	(void)work;
}
