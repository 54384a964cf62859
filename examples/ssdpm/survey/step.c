/* SPDX-License-Identifier: MIT */
/* One run of a survey: a policy is set, settles, and is measured. */
#include "survey/survey.h"

#include "options/numbers.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* A meter that says nothing this often in a row is gone. */
#define N_FAULTS 3
/* Clocks are read one after another, and adjusted. */
#define SUSPENDED_NS (SECOND_NS / 10)

struct step_work {
	struct survey *survey;
	const struct ssdpm_survey_step *step;
	struct ssdpm_sampler *sampler;
	struct progress *progress;
	struct drives drives; /* as they were when the plan was made */
	struct ssdpm_plan *plan;
	enum exit_status filled; /* how it went to fill it */
	struct workload workload;
	struct survey_row row;
	int64_t begin_ns;
	int64_t suspended_ns;
	uint32_t n_faults, n_same, n_late;
	int64_t left_ns; /* of the survey, after this run */
};

/* Its readings stay in the file, and do not count. */
static enum step_end leave(struct step_work *w, const char *why)
{
	char text[256];

	snprintf(text, sizeof(text), "run %u is left out", w->row.run);
	complain("%s: %s", text, why);
	return write_survey_comment(&w->survey->file, text, why) ? STEP_STOP :
								   STEP_AGAIN;
}

static void forget_plan(struct step_work *w)
{
	w->plan = ssdpm_plan_free(w->plan);
	free_drives(&w->drives);
}

static int fill_plan_of(struct ssdpm_plan *plan, void *userdata,
			struct ssdpm_error *reterr)
{
	struct step_work *w = userdata;
	struct survey *survey = w->survey;
	struct common common = *survey->common;

	/* Remarks on a policy were printed when it was first planned. */
	common.quiet = true;
	free_drives(&w->drives);
	w->filled = read_survey_drives(&common, &survey->drives, &w->drives);
	if (!w->filled)
		w->filled = fill_survey_plan(
			&common, &survey->policies.list[w->step->policy],
			&w->drives, plan);
	if (!w->filled)
		return 0;
	/* It is complained of. */
	*reterr = (struct ssdpm_error){ .code = -ECANCELED };
	return -ECANCELED;
}

/* From what was found: each policy is come to the same way. */
static enum exit_status set_policy(struct step_work *w)
{
	struct survey *survey = w->survey;
	enum exit_status status = put_back(&survey->state);
	const struct plan_options options = {
		.directory = survey->state.directory,
		.strict = true,
	};
	struct ssdpm_error error;
	int err;

	forget_plan(w);
	w->filled = STATUS_DONE;
	if (!status)
		status = new_plan(survey->common, &survey->drives, &options,
				  &w->plan);
	if (status)
		return status;
	err = ssdpm_plan_apply(w->plan, fill_plan_of, w, &error);
	if (!err || w->filled)
		return w->filled;
	complain("policy %s cannot be set",
		 survey->policies.list[w->step->policy].text);
	if (err == -EBUSY || err == -ESTALE)
		complain("somebody else sets policies again and again: ssdpm "
			 "show -v may say who");
	return complain_of_device(NULL, &error);
}

static bool is_in_force(struct step_work *w)
{
	struct ssdpm_error error;

	return !ssdpm_plan_verify(w->plan, 0, &error);
}

static const char *scenario_of(const struct step_work *w)
{
	return survey_scenario(w->survey, w->step);
}

static bool is_scenario(const struct step_work *w, const char *name)
{
	return !strcmp(scenario_of(w), name);
}

static void show_progress(struct step_work *w, int64_t at_ns)
{
	const int64_t run_ns = (int64_t)(w->step->end_ns - w->step->begin_ns);
	int64_t left = w->left_ns + run_ns - (at_ns - w->begin_ns);
	char text[160];

	if (left < 0)
		left = 0;
	snprintf(text, sizeof(text), "run %u, %.40s, %.60s: %s left",
		 w->row.run, scenario_of(w), w->row.policy,
		 time_text((uint64_t)(left / SECOND_NS + 1) * SECOND_NS).text);
	progress_show(w->progress, text);
}

/* With the line on the terminal renewed. */
static void wait_for(struct step_work *w, int64_t until_ns)
{
	int64_t now = survey_now_ns();

	while (now < until_ns && !caught_signal()) {
		show_progress(w, now);
		wait_until(until_ns - now > SECOND_NS ? now + SECOND_NS :
							until_ns);
		now = survey_now_ns();
	}
}

/* Now and then an embedded controller says nothing: that is no end. */
static enum exit_status read_meter(struct step_work *w, double *ret_power_w,
				   int64_t *ret_time_ns)
{
	struct ssdpm_reading reading = { .size = sizeof(reading) };
	struct ssdpm_error error;
	int err = ssdpm_sampler_read(w->sampler, &reading, &error);

	if (!err) {
		w->n_faults = 0;
		w->n_same += reading.flags & SSDPM_READING_SAME ? 1 : 0;
		*ret_power_w = reading.power_w;
		*ret_time_ns = reading.time_ns;
		return STATUS_DONE;
	}
	*ret_power_w = NAN;
	*ret_time_ns = survey_now_ns();
	if (caught_signal() ||
	    (err != -EBUSY && err != -ENODEV && ++w->n_faults < N_FAULTS))
		return STATUS_DONE;
	return complain_of_device(NULL, &error);
}

static int64_t reading_ns(const struct step_work *w, uint32_t i)
{
	const struct ssdpm_survey_params *p = &w->survey->options.params;

	return w->begin_ns + (int64_t)p->settle_ns +
	       (int64_t)(i * p->interval_ns);
}

static enum exit_status take_reading(struct step_work *w, uint32_t i)
{
	const struct ssdpm_survey_params *p = &w->survey->options.params;
	const int64_t due_ns = reading_ns(w, i);
	enum exit_status status = STATUS_DONE;
	int64_t time_ns;

	w->row.latency_us = NAN;
	if (is_scenario(w, "async")) {
		wait_for(w, due_ns - (int64_t)p->interval_ns / 2);
		if (!caught_signal())
			status = read_survey_io(&w->survey->io,
						&w->row.latency_us);
	}
	if (!status)
		wait_for(w, due_ns);
	if (!status && !caught_signal() && is_scenario(w, "sync"))
		status = read_survey_io(&w->survey->io, &w->row.latency_us);
	if (!status && !caught_signal())
		status = check_workload(&w->survey->state, &w->workload);
	if (status || caught_signal())
		return STATUS_FAILED;
	if (read_meter(w, &w->row.power_w, &time_ns) || caught_signal())
		return STATUS_FAILED;
	w->n_late += time_ns - due_ns > (int64_t)p->interval_ns ? 1 : 0;
	w->row.time_s = (double)(time_ns - w->begin_ns) / 1e9;
	return STATUS_DONE;
}

/* A counter says nothing before its second reading. */
static enum exit_status read_before(struct step_work *w)
{
	const struct ssdpm_survey_params *p = &w->survey->options.params;
	int64_t time_ns;
	double power_w;

	wait_for(w, reading_ns(w, 0) - (int64_t)p->interval_ns);
	if (caught_signal() || read_meter(w, &power_w, &time_ns))
		return STATUS_FAILED;
	w->n_same = 0;
	return STATUS_DONE;
}

static enum step_end measure(struct step_work *w)
{
	const uint32_t n = w->step->n_samples;

	if (read_before(w))
		return STEP_STOP;
	for (uint32_t i = 0; i < n; i++) {
		if (take_reading(w, i))
			return STEP_STOP;
		if (suspended_ns() - w->suspended_ns > SUSPENDED_NS)
			return leave(w, "the machine was suspended");
		if (i == n - 1 && !is_in_force(w))
			return leave(w, "somebody else changed the policy");
		if (write_survey_row(&w->survey->file, &w->row))
			return STEP_STOP;
	}
	return STEP_COMPLETE;
}

static enum step_end measure_fio(struct step_work *w)
{
	const struct ssdpm_survey_params *p = &w->survey->options.params;
	struct survey_row rows[N_FIO_JOBS];

	wait_for(w, reading_ns(w, 0));
	for (size_t i = 0; i < N_FIO_JOBS; i++) {
		rows[i] = w->row;
		rows[i].scenario = fio_scenarios[i];
		rows[i].time_s = (double)(survey_now_ns() - w->begin_ns) / 1e9;
		show_progress(w, survey_now_ns());
		if (caught_signal() ||
		    run_fio(&w->survey->state, &w->survey->fio, i,
			    p->duration_ns / N_FIO_JOBS, &rows[i]))
			return STEP_STOP;
	}
	if (suspended_ns() - w->suspended_ns > SUSPENDED_NS)
		return leave(w, "the machine was suspended");
	if (!is_in_force(w))
		return leave(w, "somebody else changed the policy");
	for (size_t i = 0; i < N_FIO_JOBS; i++)
		if (write_survey_row(&w->survey->file, &rows[i]))
			return STEP_STOP;
	return STEP_COMPLETE;
}

/* Said of the whole run, for its readings stand as they are. */
static void say_what_is_odd(const struct step_work *w)
{
	const uint32_t n = w->step->n_samples;

	/* Once is enough. */
	if (w->survey->common->quiet || w->survey->is_odd)
		return;
	w->survey->is_odd = w->n_late > n / 10 || w->n_same > n / 2;
	if (w->n_late > n / 10)
		remark("run %u: %u of %u readings came more than an interval "
		       "late: the meter is slower than --interval",
		       w->row.run, w->n_late, n);
	if (w->n_same > n / 2)
		remark("run %u: %u of %u readings are what the one before "
		       "was: the meter measures less often than --interval",
		       w->row.run, w->n_same, n);
}

static int64_t time_left(const struct survey *survey, size_t index)
{
	int64_t left = 0;

	for (size_t i = index + 1; i < survey->n_steps; i++)
		if (!survey->done[i])
			left += (int64_t)(survey->steps[i].end_ns -
					  survey->steps[i].begin_ns);
	return left;
}

static enum step_end run(struct step_work *w)
{
	struct survey *survey = w->survey;
	const char *scenario = scenario_of(w);

	if (set_policy(w))
		return STEP_STOP;
	w->begin_ns = survey_now_ns();
	w->suspended_ns = suspended_ns();
	if (!strncmp(scenario, "command:", 8)) {
		w->workload.line = scenario + 8;
		if (start_workload(&survey->state, &w->workload))
			return STEP_STOP;
	}
	return is_fio_step(survey, w->step) ? measure_fio(w) : measure(w);
}

enum step_end run_survey_step(struct survey *survey, size_t index,
			      struct ssdpm_sampler *sampler,
			      struct progress *progress)
{
	const struct ssdpm_survey_step *step = &survey->steps[index];
	struct step_work w = {
		.survey = survey,
		.step = step,
		.sampler = sampler,
		.progress = progress,
		.row = { .run = ++survey->last_run,
			 .policy = survey->policies.list[step->policy].text,
			 .scenario = survey_scenario(survey, step),
			 .block = step->block + 1,
			 .power_w = NAN,
			 .latency_us = NAN,
			 .latency_sd_us = NAN,
			 .bytes_per_s = NAN },
		.left_ns = time_left(survey, index),
	};
	enum step_end end = run(&w);

	end_workload(&survey->state, &w.workload);
	forget_plan(&w);
	if (sync_survey_file(&survey->file))
		end = STEP_STOP;
	if (end == STEP_COMPLETE && !is_fio_step(survey, step))
		say_what_is_odd(&w);
	return end;
}
