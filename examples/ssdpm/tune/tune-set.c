/* SPDX-License-Identifier: MIT */
/* The advice, as a plan that is committed, proven and kept. */
#include "options/advised.h"
#include "tune/tune.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The drive that was simulated has not been replaced since. */
static enum exit_status check_same(const struct tuning *tuning,
				   const struct ssdpm_device_facts *then)
{
	const struct ssdpm_device_facts *now;
	struct ssdpm_device *device;
	struct ssdpm_error error;
	bool same;

	if (ssdpm_device_read(tuning->live->machine, then->name, &device,
			      &error))
		return complain_of_device(then->name, &error);
	now = ssdpm_device_get_facts(device);
	same = !strcmp(now->product, then->product) &&
	       !strcmp(now->path, then->path);
	ssdpm_device_unref(device);
	return same ? STATUS_DONE :
		      failure("%s: it is another drive now; run ssdpm tune "
			      "again",
			      then->name);
}

static enum exit_status add_advice(const struct tuning *tuning,
				   struct ssdpm_plan *plan)
{
	enum exit_status status = STATUS_DONE;
	struct ssdpm_error error;

	for (size_t i = 0; i < tuning->n && !status; i++) {
		const struct ssdpm_energy_report_item *item = &tuning->items[i];

		if (!is_to_set(item))
			continue;
		status = check_same(
			tuning, ssdpm_device_get_facts(item->drive->device));
		if (!status &&
		    ssdpm_plan_add_profile(plan, item->drive->device,
					   item->model, item->settings, &error))
			status = complain_of_device(item->drive->name, &error);
	}
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

typedef enum exit_status (*settings_fn)(const struct work *work, bool lasting,
					size_t n);

/* Each drive gets its own section. Only the last one prints a remark. */
static enum exit_status for_each_drive(const struct tuning *tuning,
				       settings_fn go)
{
	struct common quiet = *tuning->common;
	enum exit_status status = STATUS_DONE;
	size_t left = tuning->n_changes;

	quiet.quiet = true;
	for (size_t i = 0; i < tuning->n && !status; i++) {
		const struct ssdpm_energy_report_item *item = &tuning->items[i];
		struct drive drive = {
			.name = (char *)item->drive->name,
			.live = tuning->live,
			.device = item->drive->device,
			.model = item->model,
			.named = true,
		};
		struct live *live = tuning->live;
		const struct drives drives = {
			.drives = &drive, .n = 1, .lives = &live, .n_lives = 1
		};
		struct plan_options options;
		struct work work = { .drives = &drives, .options = &options };

		if (!is_to_set(item))
			continue;
		options = options_of(item->settings);
		work.common = --left ? &quiet : tuning->common;
		status = go(&work, tuning->options->keep, 1);
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
	return status ? status : for_each_drive(tuning, check_settings);
}

static void say_done(const struct tuning *tuning)
{
	if (tuning->common->quiet || tuning->common->form)
		return;
	printf("\nDone, and in force: %zu setting%s.\n", tuning->n_changes,
	       tuning->n_changes == 1 ? "" : "s");
	fputs("To go back to before the first change: ssdpm revert", stdout);
	if (tuning->options->keep)
		fputs(" --forget", stdout);
	write_root(stdout, tuning->live->root);
	putchar('\n');
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
	enum exit_status status =
		new_plan(tuning->common, &drives, NULL, &work.plan);

	if (!status)
		status = carry_out(&work, fill, (void *)tuning);
	if (status && work.plan && !tuning->common->form)
		print_steps(&work);
	if (!status)
		status = for_each_drive(tuning, keep_settings);
	if (!status)
		say_done(tuning);
	free_work(&work);
	return status;
}
