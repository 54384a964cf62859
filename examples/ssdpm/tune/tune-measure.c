/* SPDX-License-Identifier: MIT */
/* ssdpm tune --measure: what is tried, with what, and what becomes of it. */
#include "tune/trial.h"

#include "options/numbers.h"
#include "options/units.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define TRIALS struct trial_options
/* What a trial may take: ssdpm_trial(3). */
#define DEFAULT_UP_TO_NS (1800 * SECOND_NS)
#define MAX_UP_TO_NS (7 * 24 * 3600 * SECOND_NS)

static const struct option_spec options[] = {
	{ "measure", 0, NULL,
	  "Try what is not decided, with a power meter of this machine.",
	  SETS_FLAG(TRIALS, measure) },
	{ "up-to", 0, "TIME",
	  "Try each setting for at most this time. Default: 30min.",
	  SETS_NUMBER(TRIALS, up_to_ns, TIME_NS), .min = 1,
	  .max = MAX_UP_TO_NS },
	{ "meter", 'm', "NAME",
	  "Read this meter. Default: the battery, psys of RAPL, or the meter "
	  "of ACPI.",
	  SETS_TEXT(TRIALS, meter), .rare = true },
	{ "save", 0, "FILE", "Add the results to FILE.",
	  SETS_TEXT(TRIALS, save), .rare = true },
	{ "measured", 0, "FILE",
	  "Take earlier results from FILE. May be repeated.",
	  SETS_TEXTS(TRIALS, files, n_files) },
	{ "seed", 0, "N", "Set the seed of the order. Default: drawn.",
	  SETS_NUMBER(TRIALS, seed, COUNT), .rare = true },
};

const struct option_group trial_option_group = {
	OPTIONS(options),
	.title = "Trials",
	KEEPS_GIVEN(TRIALS, given),
};

/* Six pairs must fit, with the fastest meter. */
static enum exit_status check_time(const struct common *common,
				   const struct trial_options *trials)
{
	const struct ssdpm_trial_params params = {
		.size = sizeof(params),
		.limit_ns = trials->up_to_ns,
	};
	struct ssdpm_trial *trial;
	struct ssdpm_error error;

	if (ssdpm_trial_new(&params, &trial, &error))
		return usage_error(common, "--up-to: %s", error.message);
	ssdpm_trial_free(trial);
	return STATUS_DONE;
}

enum exit_status check_trial_options(const struct common *common,
				     struct trial_options *trials)
{
	static const char *const names[] = { "up-to", "meter", "save", "seed" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!trials->measure &&
		    is_given(&trial_option_group, trials->given, names[i]))
			return usage_error(common, "--%s requires --measure",
					   names[i]);
	if (!is_given(&trial_option_group, trials->given, "seed") &&
	    getrandom(&trials->seed, sizeof(trials->seed), 0) !=
		    (ssize_t)sizeof(trials->seed))
		return failure("the kernel has no random numbers");
	return check_time(common, trials);
}

static size_t count_to_try(const struct tuning *tuning)
{
	size_t n = 0;

	for (size_t i = 0; i < tuning->n; i++)
		n += tuning->items[i].trial_likely_uw > 0;
	return n;
}

static uint64_t longest_ns(const struct tuning *tuning)
{
	const uint64_t ns = tuning->trials->up_to_ns;

	return ns ? ns : DEFAULT_UP_TO_NS;
}

static void print_what(const struct tuning *tuning,
		       const struct ssdpm_meter *meter)
{
	const size_t n = count_to_try(tuning);

	printf("To try with %s %s, for at most %s%s:\n",
	       ssdpm_meter_kind_to_string(meter->kind), meter->name,
	       time_text(longest_ns(tuning)).text, n == 1 ? "" : " each");
	for (size_t i = 0; i < tuning->n; i++) {
		const struct ssdpm_energy_report_item *item = &tuning->items[i];

		if (item->trial_likely_uw)
			printf("  %s: %s, likely %s\n", item->drive->name,
			       setting_text(item->settings).text,
			       power_range_text(
				       two_digits(item->likely->low_uw),
				       two_digits(item->likely->high_uw))
				       .text);
	}
	puts("Use the machine as always. Each drive gets its setting of today "
	     "back.\n");
}

static enum exit_status try_one(struct tuning *tuning,
				const struct trial_setup *setup, size_t i)
{
	const struct tried tried = {
		.item = tuning->items[i],
		.setting = setting_text(tuning->items[i].settings),
	};
	/* The window of the meter is unknown; drivers average over an update.
	 */
	const struct ssdpm_trial_params params = {
		.size = sizeof(params),
		.seed = tuning->trials->seed + i,
		.update_ns = setup->update_ns,
		.response_ns = setup->update_ns,
		.limit_ns = tuning->trials->up_to_ns,
		.likely_uw = tried.item.trial_likely_uw,
	};
	struct ssdpm_trial_result result;
	struct ssdpm_error error;
	enum exit_status status = run_trial(setup, &tried, &params, &result);

	if (status == STATUS_USAGE)
		return status;
	if (ssdpm_energy_report_set_trial(tuning->report, tuning->numbers[i],
					  &result, &error))
		return complain_of_device(NULL, &error);
	refresh_tuning(tuning);
	return status ? status : save_trial(tuning, i);
}

static enum exit_status try_all(struct tuning *tuning,
				struct trial_setup *setup)
{
	struct ssdpm_error error;
	enum exit_status status = STATUS_DONE;

	if (ssdpm_sampler_new(setup->live->machine, &setup->meter,
			      &setup->sampler, &error))
		return complain_of_device(NULL, &error);
	status = find_update(setup);
	for (size_t i = 0; i < tuning->n && !status; i++)
		if (tuning->items[i].trial_likely_uw)
			status = try_one(tuning, setup, i);
	ssdpm_sampler_free(setup->sampler);
	return status;
}

/* With the guard; the settings of today come back in any case. */
static enum exit_status run_guarded(struct tuning *tuning,
				    struct trial_setup *setup)
{
	enum exit_status status = catch_signals(), restored;

	if (status)
		return status;
	status = start_guard(&setup->state, NULL);
	if (!status)
		status = try_all(tuning, setup);
	/* It may have come when all was decided: that is no yes. */
	if (!status && caught_signal())
		status = STATUS_FAILED;
	restored = close_survey_state(&setup->state);
	release_signals();
	if (status && !restored)
		complain("%s: what the trial had set is undone, and nothing "
			 "else is set",
			 caught_signal() ? "interrupted" : "ended early");
	return status ? status : restored;
}

static enum exit_status run(struct tuning *tuning, struct trial_setup *setup)
{
	const struct tune_options *settings = tuning->options;
	const struct common *common = tuning->common;
	enum exit_status status = find_trial_meter(
		setup->live, tuning->trials->meter, &setup->meter);

	if (status)
		return status;
	if (!common->form && !(common->quiet && settings->yes))
		print_what(tuning, &setup->meter);
	if (settings->dry_run)
		return STATUS_DONE;
	tuning->refused = !settings->yes && !agrees("Try it now?");
	if (!tuning->refused)
		status = check_results(tuning);
	return status || tuning->refused ? status : run_guarded(tuning, setup);
}

enum exit_status measure_tuning(struct tuning *tuning)
{
	struct trial_setup setup = {
		.common = tuning->common,
		.live = tuning->live,
		.state = { .lock_fd = -1, .guard_fd = -1 },
	};
	enum exit_status status = STATUS_DONE;

	if (!tuning->trials->measure)
		return STATUS_DONE;
	if (!count_to_try(tuning)) {
		if (!tuning->common->quiet)
			remark("--measure: no setting is undecided");
		return STATUS_DONE;
	}
	if (!tuning->options->dry_run)
		status = open_survey_state(tuning->common, tuning->live,
					   &setup.state);
	if (!status)
		status = run(tuning, &setup);
	close_survey_state(&setup.state);
	return status;
}
