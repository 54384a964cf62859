/* SPDX-License-Identifier: MIT */
/* ssdpm revert: back to what was there before the first apply. */
#include "options/words.h"
#include "options/units.h"
#include "programs.h"
#include "options/apst-options.h"
#include "survey/survey.h"
#include "plan/work.h"

#include <errno.h>
#include <string.h>

struct settings {
	bool persist;
	uint32_t kind; /* 0: all */
	bool dry_run;
	bool forget;
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "persist", 0, "[KIND]",
	  "Also remove the files of apply --persist: udev, modprobe, "
	  "systemd, tlp, tuned, or all.",
	  SETS_OWN, .values = PERSIST_WORDS "|all" },
	{ "forget", 0, NULL, "Also forget what apply --keep wrote.",
	  SETS_FLAG(struct settings, forget) },
	{ "dry-run", 'n', NULL,
	  "Show what revert would write, and write nothing.",
	  SETS_FLAG(struct settings, dry_run) },
};

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct settings *settings = data;

	settings->persist = true;
	settings->kind = 0;
	if (!argument || !strcmp(argument, "all"))
		return STATUS_DONE;
	settings->kind = ssdpm_persist_kind_from_string(argument);
	return settings->kind ? STATUS_DONE :
				unknown_value(common, "persist", argument,
					      option->values);
}

/* The files of one kind, or of all. */
static enum exit_status find_files(struct work *work,
				   const struct settings *settings)
{
	const struct live *live = work->drives->lives[0];
	struct ssdpm_error error;

	work->removes_files = settings->persist;
	for (uint32_t kind = 1; ssdpm_persist_kind_to_string(kind); kind++)
		if (settings->persist && !work->persist[kind - 1] &&
		    (!settings->kind || settings->kind == kind) &&
		    ssdpm_persist_read(live->machine, kind,
				       &work->persist[kind - 1], &error))
			return complain_of_device(NULL, &error);
	return STATUS_DONE;
}

static enum exit_status remove_files(struct work *work)
{
	const struct live *live = work->drives->lives[0];
	struct ssdpm_error error;

	for (uint32_t kind = 1; ssdpm_persist_kind_to_string(kind); kind++)
		if (work->persist[kind - 1] &&
		    ssdpm_persist_remove(live->machine, kind, NULL, &error))
			return complain_of_device(NULL, &error);
	work->files_done = true;
	return STATUS_DONE;
}

/* The file of apply --keep; its text is not needed. */
static const char kept_path[] = "/etc/ssdpm.conf.d/50-local.conf";

static bool is_kept(const struct work *work)
{
	char text[1];

	return ssdpm_machine_read_attribute(work->drives->lives[0]->machine,
					    kept_path + 1, text, sizeof(text),
					    NULL) != -ENOENT;
}

/* With what is or will be forgotten, if there is such a file. */
static void say_forgotten(const struct work *work, bool kept, const char *what)
{
	if (work->common->quiet)
		return;
	if (kept)
		remark("%s", what);
	else
		remark("apply --keep was told nothing: there is no %s",
		       kept_path);
}

static enum exit_status forget(const struct work *work, uint32_t flags)
{
	const bool kept = is_kept(work);
	struct ssdpm_error error;

	if (ssdpm_intent_forget(work->drives->lives[0]->machine, flags, &error))
		return complain_of_device(NULL, &error);
	if (!flags)
		say_forgotten(work, kept,
			      "what apply --keep was told is forgotten");
	return STATUS_DONE;
}

static enum exit_status fill(struct work *work, void *data)
{
	struct ssdpm_error error;
	enum exit_status status;

	work->reverts = true;
	if (ssdpm_plan_add_revert(work->plan, &error))
		return complain_of_device(NULL, &error);
	status = read_plan(work->plan);
	if (status)
		return status;
	work->in_force = all_in_force(work->plan);
	return find_files(work, data);
}

static enum exit_status revert(struct work *work, struct settings *settings)
{
	enum exit_status status, printed;

	work->failures_only = work->common->quiet && !settings->dry_run;
	if (settings->dry_run) {
		status = fill(work, settings);
		if (status)
			return status;
		status = look_at_journal(work);
		if (!status)
			status = warn_of_bisect(work->common,
						work->drives->lives[0]);
		if (!status && settings->forget)
			say_forgotten(work, is_kept(work),
				      cell("to be removed: %s, which ssdpm "
					   "plan --config shows",
					   kept_path)
					      .text);
	} else {
		status = carry_out(work, fill, settings);
		if (!work->plan)
			return status;
		if (!status)
			status = remove_files(work);
		if (!status)
			status = forget(work, SSDPM_KEEP_UNTIL_REBOOT);
		if (!status && settings->forget)
			status = forget(work, 0);
		else if (!status && !work->common->quiet)
			status = say_what_decides(
				work, "; ssdpm revert --forget also removes "
				      "what --keep wrote");
	}
	/* It is not known that there is nothing to do. */
	if (status && !work->common->form &&
	    !ssdpm_plan_count(work->plan, SSDPM_STEPS_ALL))
		return status;
	printed = print_work(work);
	return status ? status : printed;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	struct settings settings = *(const struct settings *)data;
	struct work work = { .common = common };
	struct live *lives[1] = { NULL };
	const struct drives drives = { .lives = lives, .n_lives = 1 };
	enum exit_status status;

	if (n_operands && settings.persist)
		return usage_error(common,
				   "--persist %s: write --persist=%s, or "
				   "--persist alone for the files of all kinds",
				   operands[0], operands[0]);
	if (n_operands)
		return usage_error(common,
				   "%s: unexpected operand; ssdpm revert "
				   "restores all drives",
				   operands[0]);
	work.drives = &drives;
	status = open_live(common, common->root, &lives[0]);
	if (!status)
		status = put_back_after_survey(common, lives[0],
					       settings.dry_run);
	if (!status)
		status = new_plan(common, &drives, NULL, &work.plan);
	if (!status)
		status = revert(&work, &settings);
	free_work(&work);
	close_live(lives[0]);
	return status;
}

static const struct option_group own = {
	OPTIONS(options),
	.set = set,
};

const struct subcommand cmd_revert = {
	.name = "revert",
	.operands = "",
	.operands_optional = true,
	.list = "plans",
	.summary = "Restore what was set before the first apply.",
	.own = &own,
	.examples = "  ssdpm revert --dry-run\n"
		    "  ssdpm revert --forget --dry-run\n",
	.run = run,
	.settings = &the_settings,
};
