/* SPDX-License-Identifier: MIT */
/* ssdpm show: what a drive says of its power states, and what it does now. */
#include "catalogue/all.h"
#include "text/device.h"
#include "text/output.h"
#include "input/quirks.h"
#include "programs.h"

#include <inttypes.h>
#include <stdlib.h>

struct settings {
	bool lint, share;
	struct quirk_options quirks;
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "lint", 0, NULL,
	  "Report what is odd in the drive's data, and why that "
	  "matters.",
	  SETS_FLAG(struct settings, lint) },
	{ "share", 0, NULL,
	  "Print a line that you can pass on: what the drive reports "
	  "of its states.",
	  SETS_FLAG(struct settings, share) },
	{ "quirks-file", 0, "FILE",
	  "Read rules for drives from FILE, before those of Linux.",
	  SETS_TEXT(struct settings, quirks.path), .rare = true },
	ALL_OPTION("With --lint: count what is odd in the catalogue."),
};

static void print_heading(const struct drive *drive)
{
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(drive->model);

	printf("%s: %s", drive->name,
	       info->product[0] ? info->product : "(no product name)");
	if (info->firmware[0])
		printf(", firmware %s", info->firmware);
	if (!(info->unknown & SSDPM_INFO_VENDOR_ID))
		printf(", vendor 0x%04x", info->vendor_id);
	if (info->kind == SSDPM_KIND_SATA)
		printf(", SATA");
	else if (info->unknown & SSDPM_INFO_APSTA)
		printf(", APST unknown");
	else
		printf(", APST %s", info->apsta ? "yes" : "no");
	if (drive->seen)
		printf(", from the catalogue (%" PRIu64 " seen)", drive->seen);
	putchar('\n');
}

static void print_drive(const struct drive *drive, uint32_t quirks)
{
	print_heading(drive);
	print_states(drive);
	if (quirks) {
		fputs("  quirks: ", stdout);
		print_quirks(stdout, quirks);
		putchar('\n');
	}
}

static enum exit_status print_all_json(const struct common *common,
				       const struct settings *settings,
				       const struct shown *all, size_t n)
{
	struct items items = { 0 };

	for (size_t i = 0; i < n; i++)
		add_shown(&items, settings->lint, &all[i]);
	return print_items(common, &items);
}

/* Everything of a device that was named. */
static void print_whole_device(const struct shown *shown)
{
	print_device(shown->drive, &shown->insight);
	print_power_states(shown->drive);
}

static enum exit_status print_one(const struct settings *settings,
				  const struct shown *shown)
{
	if (!shown->drive->device)
		print_drive(shown->drive, shown->quirks.in_force);
	else if (shown->drive->named)
		print_whole_device(shown);
	else
		print_device_summary(shown->drive, &shown->insight);
	if (settings->lint && shown->drive->model)
		return print_findings(shown->drive);
	return STATUS_DONE;
}

static enum exit_status print_all(const struct common *common,
				  const struct settings *settings,
				  const struct drives *drives,
				  const struct shown *all)
{
	enum exit_status status = STATUS_DONE;

	if (common->form)
		return print_all_json(common, settings, all, drives->n);
	for (size_t i = 0; i < drives->n && !status; i++) {
		if (i)
			putchar('\n');
		status = print_one(settings, &all[i]);
	}
	for (size_t i = 0; i < drives->n_lives && !status; i++) {
		/* Opened only to look for a device, perhaps. */
		bool used = !drives->n;

		for (size_t j = 0; j < drives->n; j++)
			used = used ||
			       drives->drives[j].live == drives->lives[i];
		if (!used)
			continue;
		if (drives->n)
			putchar('\n');
		status = print_machine(drives->lives[i]);
	}
	return status;
}

/* What can be found out of one drive. */
static enum exit_status find_out(const struct common *common,
				 const struct settings *settings,
				 const struct quirk_rules *rules,
				 struct shown *shown)
{
	const struct drive *drive = shown->drive;
	enum exit_status status = STATUS_DONE;

	if (drive->device)
		status = look_into(common, drive, &shown->insight);
	if (status || !drive->model)
		return status;
	status = find_quirks(&settings->quirks, rules, drive, &shown->quirks);
	if (!status && common->verbose) {
		complain_of_quirks(drive, &shown->quirks, UINT32_MAX, false);
		complain_of_quirks(drive, &shown->quirks, UINT32_MAX, true);
	}
	return status;
}

/* A device that does not answer is an error, and the rest is shown. */
static enum exit_status show(const struct common *common,
			     const struct settings *settings,
			     const struct drives *drives)
{
	struct shown *all = calloc(drives->n + 1, sizeof(*all));
	enum exit_status status = STATUS_FAILED, failed = STATUS_DONE;
	struct quirk_rules rules = { 0 };

	if (all)
		status = read_quirk_rules(&settings->quirks, &rules);
	else
		complain("out of memory");
	for (size_t i = 0; i < drives->n && !status; i++) {
		all[i].drive = &drives->drives[i];
		status = find_out(common, settings, &rules, &all[i]);
		if (status && drives->drives[i].device) {
			failed = status;
			status = STATUS_DONE;
		}
	}
	if (!status)
		status = print_all(common, settings, drives, all);
	for (size_t i = 0; all && i < drives->n; i++)
		free_insight(&all[i].insight);
	free(rules.text);
	free(all);
	return status ? status : failed;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	const struct settings *settings = data;
	enum exit_status status, unread = STATUS_DONE;
	struct drives drives;

	if (common->all && !settings->lint)
		return usage_error(common, "--all requires --lint");
	if (settings->lint && !has_energy)
		return failure("--lint: ssdpm-energy is not installed");
	if (settings->share && settings->lint)
		return usage_error(common, "--share conflicts with --lint");
	if (settings->share && common->form)
		return usage_error(common, "--share conflicts with --json, "
					   "--value and --shell");
	if (common->all)
		return lint_catalogue(common);
	status = read_drives_or_devices(common, operands, n_operands, &drives);
	if (!status)
		unread = complain_of_all_unread(common, &drives, n_operands);
	if (!status && !drives.n && !unread && !common->quiet)
		complain_of_no_drive(common);
	if (!status && settings->share) {
		fold_lines(false);
		status = share_drives(&drives);
	} else if (!status) {
		look_at_journals(common, &drives);
		status = show(common, settings, &drives);
	}
	free_drives(&drives);
	return status ? status : unread;
}

static const struct option_group own = {
	OPTIONS(options),
};

const struct subcommand cmd_show = {
	.name = "show",
	.operands = "[DRIVE...]",
	.operands_optional = true,
	.takes_drives = true,
	.list = "drives",
	.each_alone = true,
	.energy_does_more = true, /* power meters, --lint */
	.summary = "Print how drives save power, and how they could.",
	.own = &own,
	.examples = "  ssdpm show\n"
		    "  ssdpm show drive.bin\n"
		    "  nvme id-ctrl --raw-binary /dev/nvme0 | ssdpm show -\n"
		    "  ssdpm show --json drive.bin > drive.json\n"
		    "  ssdpm show --lint drive.json\n"
		    "  ssdpm show --lint --all\n"
		    "  ssdpm show --share drive.bin\n"
		    "  ssdpm show -q \"WDC PC SN530\"\n",
	.run = run,
	.settings = &the_settings,
};
