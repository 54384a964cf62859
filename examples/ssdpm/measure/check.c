/* SPDX-License-Identifier: MIT */
#include "measure/measure.h"

#include "options/units.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define CHUNK 4096

/* A prediction as a text, and what of it is shown. */
struct check {
	const struct common *common;
	const struct check_options *settings;
	char *text; /* it gets the measurement */
	struct ssdpm_prediction prediction;
	struct ssdpm_energy energy;
	const char *path; /* where it is kept; NULL: nowhere */
	const char *name; /* what is predicted, for people */
	bool is_measured;
};

/* UTC, to the second. */
static const char *now_text(char text[32])
{
	const time_t now = time(NULL);
	struct tm tm;

	if (!gmtime_r(&now, &tm) || !strftime(text, 32, "%FT%TZ", &tm))
		return NULL;
	return text;
}

/* Nothing that somebody has is written over. */
static enum exit_status check_new(const char *path)
{
	struct stat status;

	if (!path || stat(path, &status))
		return STATUS_DONE;
	return failure("%s: it exists: name a new file with --output", path);
}

static enum exit_status keep(const struct check *c)
{
	return c->path ? save_file(c->path, c->text, strlen(c->text)) :
			 STATUS_DONE;
}

static bool is_inside(const struct check_options *s, int64_t time_ns)
{
	return time_ns >= s->from_ns && time_ns < s->to_ns;
}

/* Those of the window; how many is returned. */
static size_t take_window(const struct check_options *s, int64_t *time_ns,
			  double *power_w, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_inside(s, time_ns[i]))
			continue;
		time_ns[kept] = time_ns[i];
		power_w[kept++] = power_w[i];
	}
	return kept;
}

static enum exit_status feed(const struct check *c, struct power_input *input,
			     struct ssdpm_integral *integral)
{
	static int64_t time_ns[CHUNK];
	static double power_w[CHUNK];
	struct power_array array = { time_ns, power_w, 0 };
	struct ssdpm_error error;

	for (;;) {
		enum exit_status status =
			read_power(input, time_ns, power_w, CHUNK, &array.n);

		if (status || !array.n)
			return status;
		array.n = take_window(c->settings, time_ns, power_w, array.n);
		struct ssdpm_samples samples = samples_of(&array);
		if (array.n &&
		    ssdpm_integral_feed(integral, &samples, &error)) {
			complain_of_power(input->name, &error);
			return STATUS_FAILED;
		}
	}
}

static enum exit_status integrate(struct check *c, struct power_input *input)
{
	struct ssdpm_integral *integral = NULL;
	struct ssdpm_error error;
	enum exit_status status;

	c->energy.size = sizeof(c->energy);
	if (ssdpm_integral_new(&c->settings->energy, &integral, &error)) {
		complain_of_power(input->name, &error);
		return STATUS_FAILED;
	}
	status = feed(c, input, integral);
	if (!status && ssdpm_integral_get(integral, &c->energy, &error)) {
		complain_of_power(input->name, &error);
		status = STATUS_FAILED;
	}
	ssdpm_integral_free(integral);
	return status;
}

/* Of another time, a mean power is that of another run. */
static void say_times(const struct check *c, const char *name)
{
	const uint64_t measured = c->energy.covered_ns;
	const uint64_t predicted = c->prediction.duration_ns;
	const uint64_t more = measured > predicted ? measured : predicted;
	const uint64_t less = measured > predicted ? predicted : measured;

	if (!c->common->quiet && more - less > more / 10)
		remark("%s: samples of %s, and the prediction is of %s: "
		       "--window chooses samples, --end the end of a "
		       "prediction",
		       name, time_text(measured).text,
		       time_text(predicted).text);
}

static enum exit_status add_measurement(struct check *c, const char *name)
{
	char when[32];
	const struct ssdpm_prediction_measured measured = {
		.size = sizeof(measured),
		.energy = &c->energy,
		.subtracted_w = c->settings->subtracted_w,
		.measured_at = now_text(when),
	};
	struct ssdpm_error error;
	char *text;

	if (ssdpm_prediction_add_measured(c->text, strlen(c->text), &measured,
					  &text, &error)) {
		complain_of_power(name, &error);
		return STATUS_FAILED;
	}
	free(c->text);
	c->text = text;
	c->is_measured = true;
	say_times(c, name);
	return STATUS_DONE;
}

static enum exit_status measure_power(struct check *c)
{
	const struct check_options *s = c->settings;
	const char *name = s->samples ? s->samples : s->meter.name;
	enum exit_status status, recorded = STATUS_DONE;
	struct recording recording;
	struct power_input input;

	if (s->samples) {
		status = open_power(&s->power, name, &input);
	} else {
		recorded = record_meter(c->common, &s->meter, &recording);
		if (!recording.n)
			return recorded;
		status = open_power_fd(&s->power, name, recording.fd, &input);
	}
	if (status)
		return status;
	status = integrate(c, &input);
	close_power(&input);
	if (!status)
		status = add_measurement(c, name);
	return status ? status : recorded;
}

static const char *const verdict_texts[] = {
	[SSDPM_PREDICTION_INSIDE_LIKELY] = "inside the likely range",
	[SSDPM_PREDICTION_INSIDE_POSSIBLE] =
		"outside the likely range, inside the possible one",
	[SSDPM_PREDICTION_MISSED] = "missed: outside the possible range",
};

static void print_measured(const struct check *c)
{
	struct ssdpm_prediction_check found = { .size = sizeof(found) };

	if (ssdpm_prediction_judge(&c->prediction, &c->energy,
				   c->settings->subtracted_w, &found, NULL))
		return;
	printf("measured   %s", watts_text((double)found.power_uw / 1e6).text);
	if (found.low_uw != found.high_uw)
		printf(" (%s to %s)",
		       watts_text((double)found.low_uw / 1e6).text,
		       watts_text((double)found.high_uw / 1e6).text);
	printf(" in %s\n%s%s\n", time_text(c->energy.covered_ns).text,
	       verdict_texts[found.verdict],
	       found.certain ? "" :
			       "; within the instrument's error it may be "
			       "another");
}

static void print_check(const struct check *c)
{
	const struct ssdpm_prediction *p = &c->prediction;

	printf("%s: %s\n", c->name, time_text(p->duration_ns).text);
	printf("predicted  %s, likely %s to %s, possible %s to %s\n",
	       any_power_text(p->nominal_uw).text,
	       any_power_text(p->likely_low_uw).text,
	       any_power_text(p->likely_high_uw).text,
	       any_power_text(p->possible_low_uw).text,
	       any_power_text(p->possible_high_uw).text);
	if (c->is_measured)
		print_measured(c);
}

/* The prediction is on the disk before anything is measured. */
static enum exit_status go_on(struct check *c)
{
	enum exit_status status = STATUS_DONE, measured = STATUS_DONE;

	if (!c->settings->predict_only)
		measured = measure_power(c);
	if (c->is_measured)
		status = keep(c);
	if (status || (measured && !c->is_measured))
		return status ? status : measured;
	if (c->common->form) {
		/* It takes the text. */
		status = print_item(c->common, 0, c->text, NULL);
		c->text = NULL;
		return status ? status : measured;
	}
	print_check(c);
	return measured;
}

static enum exit_status write_prediction(struct check *c,
					 const struct estimate *e,
					 const struct records *records)
{
	const struct job *job = &e->jobs[0];
	const struct ssdpm_model *model = e->subject->drive->model;
	char *policy = policy_words(job->policy, &job->row.resolved,
				    ssdpm_model_get_info(model)->kind);
	char when[32];
	const struct ssdpm_prediction_report report = {
		.size = sizeof(report),
		.model = model,
		.sim = job->row.sim,
		.prediction = &c->prediction,
		.ios = records->ios,
		.n_ios = records->n,
		.policy = policy,
		.predicted_at = now_text(when),
	};
	struct ssdpm_error error;
	int err;

	c->prediction.size = sizeof(c->prediction);
	err = ssdpm_sim_get_prediction(job->row.sim, &c->prediction, &error);
	if (!err)
		err = ssdpm_prediction_report_to_json(&report, &c->text,
						      &error);
	free(policy);
	if (!err)
		return keep(c);
	return failure("%s: %s", c->name, error.message);
}

enum exit_status check_drive(const struct common *common,
			     const struct check_options *settings,
			     const struct drives *drives)
{
	struct check c = { .common = common,
			   .settings = settings,
			   .path = settings->output,
			   .name = drives->drives[0].name };
	struct records records = { 0 };
	struct estimates all = { 0 };
	struct policy policy;
	const struct plan plan = {
		.common = common,
		.trace_options = &settings->trace,
		.sim_options = &settings->sim,
		.quirk_options = &settings->apst.quirks,
		.policies = &policy,
		.n_policies = 1,
		.n_required = 1,
		.records = &records,
	};
	enum exit_status status = check_new(settings->output);

	if (!status)
		status = find_policy_of_run(common, &settings->named,
					    &settings->apst, drives->drives,
					    &policy);
	if (!status)
		status =
			run_plan(&plan, drives, &settings->trace_name, 1, &all);
	if (!status)
		status = write_prediction(&c, &all.estimates[0], &records);
	if (!status)
		status = go_on(&c);
	free(c.text);
	free_estimates(&all);
	free(records.ios);
	return status;
}

enum exit_status check_written(const struct common *common,
			       const struct check_options *settings,
			       const char *path)
{
	struct check c = { .common = common,
			   .settings = settings,
			   .name = path };
	struct buffer buffer = { 0 };
	struct ssdpm_error error;
	enum exit_status status = STATUS_FAILED;

	c.path = settings->output  ? settings->output :
		 strcmp(path, "-") ? path :
				     NULL;
	c.prediction.size = sizeof(c.prediction);
	if (c.path && strcmp(c.path, path) && check_new(c.path))
		goto out;
	if (read_operand(path, &buffer))
		goto out;
	if (ssdpm_prediction_from_json(buffer.data, buffer.size, &c.prediction,
				       &error)) {
		complain_of_power(path, &error);
		goto out;
	}
	c.text = strndup(buffer.data, buffer.size);
	status = c.text ? go_on(&c) : out_of_memory();
out:
	free(c.text);
	free(buffer.data);
	return status;
}
