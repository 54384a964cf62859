/* SPDX-License-Identifier: MIT */
/* ssdpm tune: find the best setting of each drive, ask, and set it. */
#include "options/units.h"
#include "survey/survey.h"
#include "tune/tune.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static struct tune_options the_settings;
static struct trial_options the_trials;

static const struct option_spec options[] = {
	{ "yes", 'y', NULL, "Set it without asking.",
	  SETS_FLAG(struct tune_options, yes) },
	{ "dry-run", 'n', NULL, "Show what would be set, and set nothing.",
	  SETS_FLAG(struct tune_options, dry_run) },
	{ "keep", 0, NULL, "Keep it after a boot, in /etc/ssdpm.conf.d.",
	  SETS_FLAG(struct tune_options, keep) },
	{ "trace", 't', "TRACE",
	  "Take this trace, or a workload of ssdpm workload --list.",
	  SETS_TEXT(struct tune_options, trace_name), .once = true },
	{ "hours-per-day", 0, "N",
	  "Set how long the machine runs. Default: 24.",
	  SETS_SMALL(struct tune_options, hours_per_day, COUNT), .min = 1,
	  .max = 24, .range = "from 1 to 24" },
	{ "price", 0, "NUMBER",
	  "Print what the energy costs, as in 0.30 a kWh.",
	  SETS_REAL(struct tune_options, price_per_kwh, NUMBER_MILLI, 1e3) },
};

static void init(void *data)
{
	struct tune_options *settings = data;

	settings->hours_per_day = 24;
	trace_option_group.init(&settings->trace);
}

static const struct group_use groups[] = {
	USE(&patience_option_group, &the_settings.patience),
	USE(&trial_option_group, &the_trials),
	USE(&page_option_group, &the_settings.page),
};

static const struct option_group own = {
	OPTIONS(options),
	.init = init,
	KEEPS_GIVEN(struct tune_options, given),
};

static enum exit_status check(const struct common *common,
			      const struct tune_options *settings)
{
	enum exit_status status = check_trial_options(common, &the_trials);

	if (!status)
		status = check_patience(common, &settings->patience);
	if (status)
		return status;
	if (settings->yes && settings->dry_run)
		return usage_error(common, "--yes conflicts with --dry-run");
	if (common->form && !settings->yes && !settings->dry_run)
		return usage_error(common, "--%s requires --yes or --dry-run",
				   common->form_option);
	if (settings->trace_name &&
	    check_trace_options(common, &settings->trace, &settings->trace_name,
				1))
		return STATUS_USAGE;
	return check_page(common, &settings->page);
}

/* Faults of the machine and its drives go before a missing terminal. */
static enum exit_status check_terminal(struct tuning *tuning, char **operands,
				       size_t n)
{
	const struct tune_options *settings = tuning->options;
	enum exit_status status;

	if (settings->yes || settings->dry_run ||
	    (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
		return STATUS_DONE;
	status = find_tuning(tuning, operands, n);
	return status ? status :
			usage_error(tuning->common,
				    "no terminal to ask on: say --yes or "
				    "--dry-run");
}

bool agrees(const char *question)
{
	char answer[8];

	printf("\n%s [y/N] ", question);
	fflush(stdout);
	return fgets(answer, sizeof(answer), stdin) &&
	       (!strcasecmp(answer, "y\n") || !strcasecmp(answer, "yes\n"));
}

/* A user who cannot read the plan has not agreed to it. */
static enum exit_status show(const struct tuning *tuning)
{
	const struct tune_options *settings = tuning->options;
	const bool says_nothing = tuning->common->quiet && settings->yes;
	enum exit_status status = STATUS_DONE;

	if (settings->page.path)
		status = write_tune_page(tuning);
	if (!status && !says_nothing && !tuning->common->form)
		status = print_tuning(tuning);
	if (!status && fflush(stdout))
		status = STATUS_FAILED;
	return status ? status : say_tuning_owners(tuning);
}

static enum exit_status set(const struct tuning *tuning)
{
	const struct tune_options *settings = tuning->options;
	enum exit_status status = STATUS_DONE;

	if (settings->keep && !tuning->n_changes)
		status = keep_what_is_set(tuning);
	if (status || settings->dry_run || !tuning->n_changes)
		return status ? status : tuning->failure;
	status = check_rights(tuning);
	if (status)
		return status;
	if (!settings->yes &&
	    !agrees(tuning->n_changes == 1 ? "Set it now?" : "Set them now?")) {
		puts("Nothing was set.");
		return tuning->failure;
	}
	status = set_tuning(tuning);
	if (!status && settings->keep)
		status = keep_what_is_set(tuning);
	return !status && tuning->failure ? STATUS_PARTLY : status;
}

/* JSON comes last, because it has the errors of what is set. */
static enum exit_status decide(const struct tuning *tuning)
{
	enum exit_status status = show(tuning), printed = STATUS_DONE;

	if (!status)
		status = set(tuning);
	if (tuning->common->form &&
	    !(tuning->common->quiet && tuning->options->yes))
		printed = print_tuning(tuning);
	return status ? status : printed;
}

/* With what a trial finds, which may end early: then nothing is set. */
static enum exit_status measure_and_decide(struct tuning *tuning)
{
	enum exit_status status = read_trials(tuning);

	if (status)
		return status;
	status = measure_tuning(tuning);
	if (tuning->refused)
		puts("Nothing was tried.");
	else if (!status)
		status = decide(tuning);
	else if (tuning->common->form)
		print_tuning(tuning);
	else
		print_trials(tuning);
	return status;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	const struct tune_options *settings = data;
	struct tuning tuning = {
		.common = common,
		.options = settings,
		.trials = &the_trials,
		.workload =
			settings->trace_name ? settings->trace_name : "lomax",
		.named = n_operands > 0,
	};
	enum exit_status status = check(common, settings);

	if (!status)
		status = open_live(common, common->root, &tuning.live);
	if (status)
		return status;
	tuning.workload =
		settings->trace_name ?
			settings->trace_name :
			ssdpm_machine_get_workload(tuning.live->machine);
	status = check_terminal(&tuning, operands, n_operands);
	if (!status && !settings->dry_run)
		status = put_back_killed(common, tuning.live);
	if (!status)
		status = undo_killed(&tuning);
	if (!status)
		status = warn_of_bisect(common, tuning.live);
	if (!status)
		status = find_tuning(&tuning, operands, n_operands);
	if (!status)
		status = measure_and_decide(&tuning);
	ssdpm_energy_report_free(tuning.report);
	free(tuning.items);
	free(tuning.numbers);
	close_live(tuning.live);
	die_of_signal();
	return status;
}

const struct subcommand cmd_tune = {
	.name = "tune",
	.operands = "[TARGET...]",
	.operands_optional = true,
	.list = "drives",
	.each_alone = true,
	.summary = "Set what saves most on each drive without making I/Os wait "
		   "long.",
	.own = &own,
	GROUPS(groups),
	.examples = "  ssdpm tune --dry-run\n"
		    "  ssdpm tune --dry-run --patient --price 0.30\n"
		    "  ssdpm tune --dry-run --trace poisson\n",
	.run = run,
	.settings = &the_settings,
};
