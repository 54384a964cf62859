/* SPDX-License-Identifier: MIT */
/* A survey before it begins: on what, in which order, how long. */
#include "survey/survey.h"

#include "options/numbers.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *survey_scenario(const struct survey *survey,
			    const struct ssdpm_survey_step *step)
{
	return is_fio_step(survey, step) ?
		       "fio" :
		       survey->options.scenarios[step->scenario];
}

bool is_fio_step(const struct survey *survey,
		 const struct ssdpm_survey_step *step)
{
	return step->scenario >= survey->options.n_scenarios;
}

static bool may_be_read(struct ssdpm_machine *machine,
			const struct ssdpm_meter *meter,
			struct ssdpm_error *error)
{
	struct ssdpm_sampler *sampler;

	if (ssdpm_sampler_new(machine, meter, &sampler, error))
		return false;
	ssdpm_sampler_free(sampler);
	return true;
}

/* The one battery that discharges: with several, one is not the machine's. */
static enum exit_status find_battery(struct ssdpm_machine *machine, bool say,
				     struct ssdpm_meter *ret_meter)
{
	struct ssdpm_error error, why = { .message = "there is no battery" };
	struct ssdpm_meter *meters;
	size_t n, found = 0;

	if (ssdpm_machine_read_meters(machine, &meters, &n, &error))
		return complain_of_device(NULL, &error);
	for (size_t i = 0; i < n; i++) {
		if (meters[i].kind != SSDPM_METER_BATTERY)
			continue;
		if (!may_be_read(machine, &meters[i], &error))
			why = error;
		else if (!found++)
			*ret_meter = meters[i];
	}
	free(meters);
	if (found == 1)
		return STATUS_DONE;
	if (say)
		complain(
			"%s: name what measures: --meter NAME (ssdpm show lists them), "
			"or --meter command:LINE",
			found ? "several batteries discharge" : why.message);
	return STATUS_DEVICE_CANNOT;
}

/* To look at the order, no meter is needed. */
static enum exit_status find_meter(struct survey *survey)
{
	struct ssdpm_machine *machine = survey->drives.lives[0]->machine;
	const char *text = survey->options.meter;
	struct ssdpm_error error;

	if (!text)
		return find_battery(machine,
				    !survey->options.dry_run ||
					    !survey->common->quiet,
				    &survey->meter);
	if (ssdpm_machine_find_meter(machine, text, &survey->meter, &error) ||
	    !may_be_read(machine, &survey->meter, &error))
		return complain_of_device(NULL, &error);
	return STATUS_DONE;
}

static enum exit_status make_schedule(struct survey *survey)
{
	struct ssdpm_survey_params *params = &survey->options.params;
	struct ssdpm_error error;
	size_t n;
	int err;

	params->size = sizeof(*params);
	params->n_policies = (uint32_t)survey->policies.n;
	params->n_scenarios = (uint32_t)survey->options.n_scenarios;
	params->n_scenarios += survey->options.fio ? 1 : 0;
	err = ssdpm_survey_schedule(params, NULL, 0, &n, &survey->total_ns,
				    &error);
	if (err) {
		complain("%s", error.message);
		return STATUS_USAGE;
	}
	survey->steps = calloc(n, sizeof(*survey->steps));
	survey->done = calloc(n, sizeof(*survey->done));
	if (!survey->steps || !survey->done)
		return out_of_memory();
	survey->n_steps = n;
	ssdpm_survey_schedule(params, survey->steps, n, &n, &survey->total_ns,
			      NULL);
	return STATUS_DONE;
}

enum exit_status prepare_survey(struct survey *survey)
{
	struct survey_options *options = &survey->options;
	enum exit_status status;

	status = select_survey_drives(survey->common, options, &survey->drives);
	if (!status)
		status = make_survey_policies(survey->common, options,
					      &survey->drives,
					      &survey->policies);
	if (!status)
		status = make_schedule(survey);
	if (!status)
		status = find_meter(survey);
	return options->dry_run && status == STATUS_DEVICE_CANNOT &&
			       survey->n_steps ?
		       STATUS_DONE :
		       status;
}

static void print_drives(FILE *file, const struct survey *survey)
{
	for (size_t i = 0; i < survey->drives.n; i++) {
		const struct drive *drive = &survey->drives.drives[i];

		fprintf(file, "%s%s, %s, ",
			i ? "           " : "drives:    ", drive->name,
			ssdpm_device_get_facts(drive->device)->product);
		print_survey_setting(file, drive);
		fputs(" as found\n", file);
	}
}

static void print_words(FILE *file, const struct survey *survey)
{
	const struct survey_options *options = &survey->options;

	for (size_t i = 0; i < survey->policies.n; i++)
		fprintf(file, "%s%s\n", i ? "           " : "policies:  ",
			survey->policies.list[i].text);
	for (size_t i = 0; i < options->n_scenarios; i++)
		fprintf(file, "%s%s\n", i ? "           " : "scenarios: ",
			options->scenarios[i]);
	if (options->fio)
		fprintf(file, "           fio, %s in %s\n",
			bytes_text(options->fio_bytes).text, options->fio);
	if (survey->meter.kind)
		fprintf(file, "meter:     %s %s\n",
			ssdpm_meter_kind_to_string(survey->meter.kind),
			survey->meter.name);
}

void print_schedule(FILE *file, const struct survey *survey, bool all)
{
	const struct ssdpm_survey_params *p = &survey->options.params;

	print_drives(file, survey);
	print_words(file, survey);
	fprintf(file,
		"%zu runs in %u block%s: %s to settle, then a reading each %s "
		"for %s\n",
		survey->n_steps, p->n_blocks, p->n_blocks == 1 ? "" : "s",
		time_text(p->settle_ns).text, time_text(p->interval_ns).text,
		time_text(p->duration_ns).text);
	fprintf(file, "takes %s; seed %llu\n", time_text(survey->total_ns).text,
		(unsigned long long)p->seed);
	for (size_t i = 0; all && i < survey->n_steps; i++) {
		const struct ssdpm_survey_step *step = &survey->steps[i];

		fprintf(file, "  %zu. after %s, block %u, %s: %s\n", i + 1,
			time_text(step->begin_ns).text, step->block + 1,
			survey_scenario(survey, step),
			survey->policies.list[step->policy].text);
	}
}

static bool may_write(const struct survey *survey,
		      const struct ssdpm_step *step)
{
	const char *root = survey->drives.lives[0]->root;
	char path[PATH_MAX];

	if (step->state == SSDPM_STEP_LEFT_ALONE)
		return true;
	if (step->target[0] != '/')
		return may_send_commands();
	snprintf(path, sizeof(path), "%s%s", root ? root : "", step->target);
	return !access(path, W_OK);
}

enum exit_status check_survey_privileges(const struct survey *survey)
{
	struct ssdpm_step step = { .size = sizeof(step) };
	enum exit_status status = STATUS_DONE;
	struct ssdpm_plan *plan;

	for (size_t i = 0; i < survey->policies.n && !status; i++) {
		status = plan_survey_policy(survey->common,
					    &survey->policies.list[i],
					    &survey->drives, NULL, &plan);
		for (size_t j = 0;
		     !status && !ssdpm_plan_get_step(plan, j, &step); j++) {
			if (may_write(survey, &step))
				continue;
			complain("%s cannot be written: policies are set by "
				 "root: sudo ssdpm measure survey ...",
				 step.target);
			status = STATUS_NO_PRIVILEGES;
		}
		if (status != STATUS_DONE && status != STATUS_NO_PRIVILEGES)
			return status;
		ssdpm_plan_free(plan);
	}
	return status;
}
