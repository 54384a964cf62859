/* SPDX-License-Identifier: MIT */
/* The advice, as a plan that is committed, proven and kept. */
#include "input/owners.h"
#include "options/advised.h"
#include "text/device.h"
#include "tune/tune.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The drive as it is now: the one that was simulated, and not another one. */
static enum exit_status read_again(const struct tuning *tuning, size_t index,
				   struct ssdpm_device **ret_device)
{
	const char *name = tuning->items[index].drive->name;
	struct ssdpm_error error;
	int err = ssdpm_energy_report_read_device(
		tuning->report, tuning->numbers[index], ret_device, &error);

	if (err == -ESTALE)
		return failure("%s; run ssdpm tune again", error.message);
	return err ? complain_of_device(name, &error) : STATUS_DONE;
}

static enum exit_status add_advice(const struct tuning *tuning,
				   struct ssdpm_plan *plan)
{
	enum exit_status status = STATUS_DONE;
	struct ssdpm_error error;

	for (size_t i = 0; i < tuning->n && !status; i++) {
		const struct ssdpm_energy_report_item *item = &tuning->items[i];
		struct ssdpm_device *device;

		if (!is_to_set(item))
			continue;
		status = read_again(tuning, i, &device);
		if (status)
			break;
		if (ssdpm_plan_add_profile(plan, device, item->model,
					   item->settings, &error))
			status = complain_of_device(item->drive->name, &error);
		ssdpm_device_unref(device);
	}
	return status;
}

static enum exit_status check_step(const struct tuning *tuning,
				   const struct ssdpm_step *step)
{
	const char *root = tuning->live->root;
	char path[PATH_MAX];

	if (step->state == SSDPM_STEP_LEFT_ALONE)
		return STATUS_DONE;
	snprintf(path, sizeof(path), "%s%s", root ? root : "", step->target);
	if (!access(path, W_OK) || (errno != EACCES && errno != EPERM))
		return STATUS_DONE;
	complain("cannot set the %s of %s: only root may write %s%s",
		 step->kind == SSDPM_STEP_LPM ? "link policy" : "latency limit",
		 step->device, path, root ? "" : "; try: sudo ssdpm tune");
	return STATUS_NO_PRIVILEGES;
}

enum exit_status check_rights(const struct tuning *tuning)
{
	struct live *live = tuning->live;
	const struct drives drives = { .lives = &live, .n_lives = 1 };
	struct ssdpm_step step = { .size = sizeof(step) };
	struct ssdpm_plan *plan = NULL;
	enum exit_status status =
		new_plan(tuning->common, &drives, NULL, &plan);

	if (!status)
		status = add_advice(tuning, plan);
	for (size_t i = 0; !status && !ssdpm_plan_get_step(plan, i, &step); i++)
		status = check_step(tuning, &step);
	ssdpm_plan_free(plan);
	return status;
}

enum exit_status say_tuning_owners(const struct tuning *tuning)
{
	struct live *live = tuning->live;
	const struct drives drives = { .lives = &live, .n_lives = 1 };
	struct ssdpm_owner *owners = NULL;
	struct ssdpm_plan *plan = NULL;
	enum exit_status status;
	size_t n = 0;

	if (!tuning->options->keep || !tuning->n_changes ||
	    tuning->common->quiet)
		return STATUS_DONE;
	status = new_plan(tuning->common, &drives, NULL, &plan);
	if (!status)
		status = add_advice(tuning, plan);
	if (!status)
		status = find_owners(live, plan, NULL, &owners, &n);
	for (size_t i = 0; i < n; i++)
		say_owner(&owners[i], plan);
	free(owners);
	ssdpm_plan_free(plan);
	return status;
}

/* The options of ssdpm apply for the same. */
static struct plan_options options_of(const struct ssdpm_profile_settings *s)
{
	struct plan_options options = { .n_lpms = 0 };

	if (s->set & SSDPM_PROFILE_MAX_EXIT_LATENCY)
		set_latency(&options, s->max_exit_latency_us);
	if (s->set & SSDPM_PROFILE_LPM) {
		options.n_lpms = s->n_lpms;
		memcpy(options.lpms, s->lpms, sizeof(options.lpms));
	}
	return options;
}

/* plan: after its commit, or NULL: before it. */
static bool is_set(const struct ssdpm_energy_report_item *item,
		   const struct ssdpm_plan *plan)
{
	return is_to_set(item) &&
	       !(plan && ssdpm_plan_has_failed(plan, item->drive->name));
}

static size_t count_set(const struct tuning *tuning,
			const struct ssdpm_plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < tuning->n; i++)
		n += is_set(&tuning->items[i], plan);
	return n;
}

enum exit_status go_drive(const struct tuning *tuning,
			  const struct ssdpm_energy_report_item *item,
			  const struct ssdpm_profile_settings *settings,
			  const struct common *common, settings_fn go)
{
	struct live *live = tuning->live;
	struct drive drive = {
		.name = (char *)item->drive->name,
		.live = live,
		.device = item->drive->device,
		.model = item->model,
		.named = true,
	};
	const struct drives drives = {
		.drives = &drive, .n = 1, .lives = &live, .n_lives = 1
	};
	const struct plan_options options = options_of(settings);
	const struct work work = { .common = common,
				   .drives = &drives,
				   .options = &options };

	return go(&work, tuning->options->keep, 1);
}

/* Each drive gets its own section. Only the last one prints a remark. */
static enum exit_status for_each_drive(const struct tuning *tuning,
				       const struct ssdpm_plan *plan,
				       settings_fn go)
{
	struct common quiet = *tuning->common;
	enum exit_status status = STATUS_DONE;
	size_t left = count_set(tuning, plan);

	quiet.quiet = true;
	for (size_t i = 0; i < tuning->n && !status; i++) {
		const struct ssdpm_energy_report_item *item = &tuning->items[i];

		if (is_set(item, plan))
			status = go_drive(tuning, item, item->settings,
					  --left ? &quiet : tuning->common, go);
	}
	return status;
}

static enum exit_status fill(struct work *work, void *data)
{
	const struct tuning *tuning = data;
	enum exit_status status = add_advice(tuning, work->plan);

	if (!status)
		status = read_plan(work->plan);
	if (!status)
		work->in_force = all_in_force(work->plan);
	return status ? status : for_each_drive(tuning, NULL, check_settings);
}

/* A capture has no kernel that builds them anew. */
static void write_old_tables(FILE *file, const struct tuning *tuning)
{
	for (size_t i = 0; i < tuning->n && tuning->live->facts.capture; i++)
		if (is_to_set(&tuning->items[i]) &&
		    tuning->items[i].settings->set &
			    SSDPM_PROFILE_MAX_EXIT_LATENCY) {
			fputs(KEPT_TABLE, file);
			return;
		}
}

void write_done(FILE *file, const struct tuning *tuning)
{
	fprintf(file, "\nDone, and in force%s: %zu setting%s.\n",
		tuning->options->keep ? "" : " until the next boot",
		tuning->n_changes, tuning->n_changes == 1 ? "" : "s");
	write_old_tables(file, tuning);
	write_way_back(file, tuning->live, tuning->options->keep);
}

/* The settings in force although something else is not, and how they last. */
static void say_partly(const struct tuning *tuning,
		       const struct ssdpm_plan *plan)
{
	const size_t n = count_set(tuning, plan);

	printf("\n%s: %zu of %zu settings.\n",
	       tuning->options->keep ? "In force, and kept" :
				       "In force until the next boot",
	       n, tuning->n_changes);
	write_way_back(stdout, tuning->live, tuning->options->keep);
}

static void say_set(const struct tuning *tuning, const struct ssdpm_plan *plan,
		    enum exit_status status, enum exit_status kept)
{
	if (!status && !kept)
		write_done(stdout, tuning);
	else if (status == STATUS_PARTLY && plan && !kept)
		say_partly(tuning, plan);
	else if (kept)
		write_way_back(stdout, tuning->live, true);
}

enum exit_status undo_killed(const struct tuning *tuning)
{
	struct live *live = tuning->live;
	const struct drives drives = { .lives = &live, .n_lives = 1 };
	struct ssdpm_journal journal = { .size = sizeof(journal) };
	struct ssdpm_plan *plan = NULL;
	struct ssdpm_error error;
	enum exit_status status;

	if (tuning->options->dry_run) {
		look_at_journals(tuning->common, &drives);
		return STATUS_DONE;
	}
	status = read_journal(live, NULL, &journal);
	if (status || !journal.stands || journal.state == SSDPM_JOURNAL_RUNNING)
		return status;
	status = new_plan(tuning->common, &drives, NULL, &plan);
	if (!status && ssdpm_plan_lock(plan, &error))
		status = complain_of_device(NULL, &error);
	ssdpm_plan_free(plan);
	return status;
}

enum exit_status set_tuning(const struct tuning *tuning)
{
	struct live *live = tuning->live;
	const struct drives drives = { .lives = &live, .n_lives = 1 };
	struct work work = {
		.common = tuning->common,
		.drives = &drives,
		.failures_only = true,
	};
	enum exit_status kept = STATUS_DONE;
	enum exit_status status =
		new_plan(tuning->common, &drives, NULL, &work.plan);

	if (!status)
		status = carry_out(&work, fill, (void *)tuning);
	if (status && work.plan && !tuning->common->form)
		print_steps(&work);
	if (!status || (status == STATUS_PARTLY && work.plan))
		kept = for_each_drive(tuning, work.plan, keep_settings);
	if (!tuning->common->quiet && !tuning->common->form)
		say_set(tuning, work.plan, status, kept);
	free_work(&work);
	return status ? status : kept;
}
