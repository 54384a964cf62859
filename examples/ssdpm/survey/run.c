/* SPDX-License-Identifier: MIT */
/* ssdpm measure survey --save, --resume and --dry-run. */
#include "survey/survey.h"

#include "options/numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A step whose readings do not count is run again, and not for ever. */
#define N_ATTEMPTS 3

static enum exit_status ask(const struct survey *survey)
{
	char answer[16];

	if (survey->options.yes || survey->options.resume)
		return STATUS_DONE;
	if (!isatty(STDIN_FILENO))
		return usage_error(survey->common,
				   "policies will be set for %s; --dry-run "
				   "shows which, --yes says that they may be",
				   time_text(survey->total_ns).text);
	print_schedule(stderr, survey, false);
	fputs("Set these policies, and put back after that what is in force "
	      "now? [y/N] ",
	      stderr);
	if (fgets(answer, sizeof(answer), stdin) &&
	    (answer[0] == 'y' || answer[0] == 'Y'))
		return STATUS_DONE;
	return failure("nothing was set");
}

static enum exit_status run_steps(struct survey *survey,
				  struct ssdpm_sampler *sampler)
{
	enum step_end end = STEP_COMPLETE;
	struct progress progress;

	progress_begin(&progress, survey->common, survey->file.name, -1);
	for (size_t i = 0; i < survey->n_steps && end == STEP_COMPLETE; i++) {
		if (survey->done[i])
			continue;
		end = STEP_AGAIN;
		for (int j = 0; j < N_ATTEMPTS && end == STEP_AGAIN; j++)
			end = run_survey_step(survey, i, sampler, &progress);
		if (survey->common->verbose && end == STEP_COMPLETE)
			remark("run %zu of %zu is done", i + 1,
			       survey->n_steps);
	}
	progress_clear();
	return end == STEP_COMPLETE ? STATUS_DONE : STATUS_FAILED;
}

/* Others that set the same change it back in the midst of a run. */
static void name_owners(const struct survey *survey)
{
	struct surroundings found;

	if (survey->common->quiet ||
	    read_surroundings(survey->drives.lives[0], &found, NULL))
		return;
	for (size_t i = 0; i < found.n_owners; i++)
		if (found.owners[i].kind == SSDPM_OWNER_TLP ||
		    found.owners[i].kind == SSDPM_OWNER_TUNED ||
		    found.owners[i].kind == SSDPM_OWNER_LAPTOP_MODE_TOOLS) {
			remark("%s sets policies too: stop %s for the time "
			       "of the survey, if it runs",
			       found.owners[i].path,
			       ssdpm_owner_kind_to_string(
				       found.owners[i].kind));
			break;
		}
	free_surroundings(&found);
}

/* All that can go wrong does so before the first policy is set. */
static enum exit_status open_work(struct survey *survey,
				  struct ssdpm_sampler **ret_sampler)
{
	const struct survey_options *options = &survey->options;
	struct ssdpm_error error;
	enum exit_status status = STATUS_DONE;

	if (options->file)
		status = open_survey_io(survey->common, options->file,
					&survey->drives, options->params.seed,
					&survey->io);
	if (!status && ssdpm_sampler_new(survey->drives.lives[0]->machine,
					 &survey->meter, ret_sampler, &error))
		status = complain_of_device(NULL, &error);
	return status;
}

static enum exit_status open_file(struct survey *survey)
{
	const char *resume = survey->options.resume;
	enum exit_status status;

	if (resume)
		return reopen_survey_file(resume, &survey->file);
	status = create_survey_file(survey->options.save, &survey->file);
	return status ? status : write_survey_head(survey);
}

static void note(const struct survey *survey, const char *key,
		 const char *value)
{
	if (survey->file.fd >= 0)
		write_survey_comment(&survey->file, key, value);
}

static void say_end(struct survey *survey, enum exit_status status,
		    enum exit_status restored)
{
	const char *name = survey->file.name;
	const int number = caught_signal();

	if (!restored)
		note(survey, "restored", NULL);
	sync_survey_file(&survey->file);
	if (survey->common->quiet && !status)
		return;
	if (!status)
		complain("%s has all %zu runs; ssdpm measure survey %s says "
			 "again what came of them",
			 name, survey->n_steps, name);
	else
		complain("%s%s; ssdpm measure survey --resume %s goes on",
			 number ? "interrupted" : "ended early",
			 restored ? "" :
				    ": what was in force before is put back",
			 name);
}

/* With the lock, the guard and the file; the policies go back in any case. */
static enum exit_status run_guarded(struct survey *survey,
				    struct ssdpm_sampler *sampler)
{
	enum exit_status status =
		start_guard(&survey->state, survey->file.name);
	enum exit_status restored;

	if (!status && survey->options.fio)
		status = prepare_fio(survey->common, &survey->state,
				     survey->options.fio,
				     survey->options.fio_bytes, &survey->fio);
	if (!status)
		status = run_steps(survey, sampler);
	close_fio(&survey->fio);
	if (status)
		note(survey, "interrupted",
		     caught_signal() ? strsignal(caught_signal()) :
				       "a failure");
	restored = close_survey_state(&survey->state);
	say_end(survey, status, restored);
	return status ? status : restored;
}

static enum exit_status run(struct survey *survey)
{
	struct ssdpm_sampler *sampler = NULL;
	enum exit_status status = check_survey_privileges(survey);

	if (!status)
		status = ask(survey);
	if (!status)
		status = open_work(survey, &sampler);
	if (!status)
		status = open_file(survey);
	if (!status) {
		name_owners(survey);
		status = run_guarded(survey, sampler);
	}
	ssdpm_sampler_free(sampler);
	return status;
}

/* The lock before anything is read: what a killed survey left goes first. */
static enum exit_status run_locked(struct survey *survey)
{
	enum exit_status status;
	struct live *live;

	status = open_live(survey->common, survey->common->root, &live);
	if (status)
		return status;
	status = open_survey_state(survey->common, live, &survey->state);
	if (!status)
		status = prepare_survey(survey);
	if (!status && survey->options.resume)
		status = read_survey_rows(survey);
	if (!status)
		status = run(survey);
	close_survey_state(&survey->state);
	close_live(live);
	return status;
}

static enum exit_status look(struct survey *survey)
{
	enum exit_status status = prepare_survey(survey);

	if (status)
		return status;
	print_schedule(stdout, survey, true);
	return sample_survey_noise(survey);
}

static void free_survey(struct survey *survey)
{
	close_survey_io(&survey->io);
	close_survey_file(&survey->file);
	free_survey_policies(&survey->policies);
	free_drives(&survey->drives);
	free(survey->steps);
	free(survey->done);
	free(survey->resumed);
}

enum exit_status run_survey(const struct common *given,
			    const struct survey_options *options)
{
	struct common common = *given;
	struct survey survey = {
		.common = &common,
		.options = *options,
		.io = { .fd = -1 },
		.file = { .fd = -1 },
		.state = { .lock_fd = -1, .guard_fd = -1 },
	};
	enum exit_status status;

	status = check_survey_options(&common, &survey.options);
	/* The answers of the drives prove the tables. */
	common.identify = !common.root && may_send_commands();
	if (!status && options->resume)
		status = read_survey_head(options->resume, &survey);
	if (!status)
		status = catch_signals();
	if (!status)
		status = survey.options.dry_run ? look(&survey) :
						  run_locked(&survey);
	free_survey(&survey);
	die_of_signal();
	return status;
}
