/* SPDX-License-Identifier: MIT */
/* --keep of what ssdpm has set since the boot, by an earlier call too. */
#include "tune/tune.h"

#include <stdio.h>
#include <string.h>

/* They come from the steps of the drive that are in force. */
static struct ssdpm_profile_settings settings_in_force(
	const struct ssdpm_plan *plan, const char *name)
{
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++) {
		if (step.state != SSDPM_STEP_IN_FORCE || !step.after_value ||
		    strcmp(step.device, name))
			continue;
		if (step.kind == SSDPM_STEP_LATENCY_TOLERANCE) {
			settings.set |= SSDPM_PROFILE_MAX_EXIT_LATENCY;
			settings.max_exit_latency_us =
				step.after_value->max_exit_latency_us;
		} else if (step.kind == SSDPM_STEP_LPM) {
			settings.set |= SSDPM_PROFILE_LPM;
			settings.n_lpms = 1;
			settings.lpms[0] = step.after_value->lpm;
		}
	}
	return settings;
}

static size_t count_in_force(const struct tuning *tuning,
			     const struct ssdpm_plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < tuning->n; i++)
		n += settings_in_force(plan, tuning->items[i].drive->name)
			     .set != 0;
	return n;
}

static enum exit_status keep_each(const struct tuning *tuning,
				  const struct ssdpm_plan *plan)
{
	struct common quiet = *tuning->common;
	enum exit_status status = STATUS_DONE;

	quiet.quiet = true;
	for (size_t i = 0; i < tuning->n && !status; i++) {
		const struct ssdpm_energy_report_item *item = &tuning->items[i];
		const struct ssdpm_profile_settings settings =
			settings_in_force(plan, item->drive->name);

		if (settings.set)
			status = go_drive(tuning, item, &settings, &quiet,
					  keep_settings);
	}
	return status;
}

static void print_kept(const struct tuning *tuning, const char *verb, size_t n)
{
	putchar('\n');
	print_paragraph(cell("%s: the settings of %s; %s.", verb,
			     counted(n, "drive").text,
			     keeper_words(tuning->live))
				.text,
			0, 2);
}

static enum exit_status keep(const struct tuning *tuning,
			     const struct ssdpm_plan *plan)
{
	const bool speaks = !tuning->common->quiet && !tuning->common->form;
	const size_t n = count_in_force(tuning, plan);
	enum exit_status status;

	/* Set earlier, and not by this call */
	if (tuning->n_changes)
		return keep_each(tuning, plan);
	if (tuning->options->dry_run || !n) {
		if (speaks && n)
			print_kept(tuning, "To keep", n);
		else if (speaks)
			puts("\nNothing to keep: no latency limit or link "
			     "policy that ssdpm has set is in force.");
		return STATUS_DONE;
	}
	if (!tuning->options->yes && !agrees("Keep what ssdpm has set?")) {
		puts("Nothing was kept.");
		return STATUS_DONE;
	}
	status = keep_each(tuning, plan);
	if (status || !speaks)
		return status;
	print_kept(tuning, "Kept", n);
	write_way_back(stdout, tuning->live, true);
	return STATUS_DONE;
}

enum exit_status keep_what_is_set(const struct tuning *tuning)
{
	struct live *live = tuning->live;
	const struct drives drives = { .lives = &live, .n_lives = 1 };
	struct ssdpm_plan *plan = NULL;
	struct ssdpm_error error;
	enum exit_status status =
		new_plan(tuning->common, &drives, NULL, &plan);

	if (!status && ssdpm_plan_add_applied(plan, NULL, &error))
		status = complain_of_device(NULL, &error);
	if (!status)
		status = read_plan(plan);
	if (!status)
		status = keep(tuning, plan);
	ssdpm_plan_free(plan);
	return status;
}
