/* SPDX-License-Identifier: MIT */
/* What plan, apply and check share: their options, and how they go on. */
#include "programs.h"

#include <stdlib.h>

struct plan_command the_plan_command;
struct plan_options the_plan_options;

/* The files set all drives alike, but for power states. */
static enum exit_status check_persist(const struct common *common,
				      const struct plan_command *settings,
				      size_t n)
{
	const struct plan_options *options = &settings->plan;

	if (options->table_name)
		return usage_error(
			common,
			"--persist %s cannot make --apst last: each reset of a "
			"drive brings the table of Linux back; --latency and "
			"--nvme-core last",
			ssdpm_persist_kind_to_string(settings->persist));
	if (is_until_boot(options))
		return usage_error(
			common,
			"--persist %s is not for " UNTIL_BOOT
			": they last until the next boot",
			ssdpm_persist_kind_to_string(settings->persist));
	if (options->config && (settings->persist == SSDPM_PERSIST_UDEV ||
				settings->persist == SSDPM_PERSIST_SYSTEMD))
		return usage_error(
			common,
			"what the files ask for lasts already, by ssdpmd(8) or "
			"its rule for udev; --persist tlp, tuned or modprobe "
			"has others set the same");
	if (n && (plan_has(options, "latency") || options->nvme_core_given ||
		  options->n_lpms))
		return usage_error(
			common,
			"--persist %s makes --latency, --nvme-core and --lpm "
			"last for all drives: name no TARGET; for single "
			"drives there is ssdpm apply --keep",
			ssdpm_persist_kind_to_string(settings->persist));
	return STATUS_DONE;
}

static enum exit_status check_options(const struct common *common,
				      struct plan_command *settings, size_t n)
{
	enum exit_status status = check_plan_options(common, &settings->plan);

	if (!status && settings->persist)
		status = check_persist(common, settings, n);
	if (!status && settings->keep)
		status = check_keep(common, &settings->plan, n);
	if (status)
		return status;
	if (settings->coalesce && !settings->plan.config)
		return usage_error(common,
				   "--coalesce is for --config: other calls "
				   "do not ask for the same");
	if (!status && settings->both_sources &&
	    (!settings->plan.profile || settings->plan.power_source))
		return usage_error(common,
				   "--both-sources requires --profile, and "
				   "conflicts with --source");
	return status ? status :
			check_saving(common, settings->both_sources, n);
}

/* The machine alone: who commits reads its devices under the lock. */
static enum exit_status find_machine(const struct common *common,
				     struct drives *drives)
{
	drives->lives = calloc(1, sizeof(*drives->lives));
	if (!drives->lives)
		return failure("out of memory");
	drives->n_lives = 1;
	return open_live(common, common->root, &drives->lives[0]);
}

enum exit_status run_plan_command(const void *data, const struct common *common,
				  char **operands, size_t n_operands,
				  finish_fn finish)
{
	struct plan_command settings = *(const struct plan_command *)data;
	struct work work = { .common = common, .options = &settings.plan };
	struct drives drives = { 0 };
	enum exit_status status, unread = STATUS_DONE;
	bool commits;

	settings.plan = the_plan_options;
	settings.plan.strict = settings.strict;
	commits = finish == finish_apply && !settings.dry_run;
	status = check_options(common, &settings, n_operands);
	if (!status)
		status = commits ? find_machine(common, &drives) :
				   read_devices(common, operands, n_operands,
						&drives);
	work.drives = &drives;
	if (!status)
		status = find_intent(&drives, &settings.plan);
	if (!status && !n_operands)
		unread = complain_of_unread_drives(common, drives.lives[0],
						   kinds_of(&settings.plan));
	if (!status && !common->identify && !commits)
		identify_concerned(&work, NULL, &drives);
	if (!status)
		status = finish(&work, &settings, operands, n_operands);
	unread = unread ? unread : work.unread;
	free_work(&work);
	free_drives(&drives);
	if (!status && unread && commits)
		return STATUS_PARTLY;
	return status ? status : unread;
}
