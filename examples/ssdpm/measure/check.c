/* SPDX-License-Identifier: MIT */
#include "measure/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* UTC, to the second. */
const char *now_text(char text[32])
{
	const time_t now = time(NULL);
	struct tm tm;

	if (!gmtime_r(&now, &tm) || !strftime(text, 32, "%FT%TZ", &tm))
		return NULL;
	return text;
}

static enum exit_status complain_of_existing(const char *path)
{
	return failure("%s: it exists: name a new file with --output", path);
}

/* Early, so that no work is lost; create() decides. */
static enum exit_status check_new(const char *path)
{
	return path && !access(path, F_OK) ? complain_of_existing(path) :
					     STATUS_DONE;
}

/* Nothing that somebody has is written over. */
static enum exit_status create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0 && errno == EEXIST)
		return complain_of_existing(path);
	if (fd < 0)
		return cannot("write", path, errno);
	close(fd);
	return STATUS_DONE;
}

static enum exit_status keep(const struct check *c)
{
	return c->path ? save_file(c->path, c->text, strlen(c->text)) :
			 STATUS_DONE;
}

static const char *const verdict_texts[] = {
	[SSDPM_PREDICTION_INSIDE_LIKELY] = "inside the likely range",
	[SSDPM_PREDICTION_INSIDE_POSSIBLE] =
		"outside the likely range, inside the possible one",
	[SSDPM_PREDICTION_MISSED] = "missed: outside the possible range",
};

static void print_measured(const struct check *c)
{
	const struct ssdpm_prediction_check *found = &c->found;

	printf("measured   %s", watts_text((double)found->power_uw / 1e6).text);
	if (found->low_uw != found->high_uw)
		printf(" (%s to %s)",
		       watts_text((double)found->low_uw / 1e6).text,
		       watts_text((double)found->high_uw / 1e6).text);
	printf(" in %s\n%s%s%s\n", time_text(c->energy.covered_ns).text,
	       found->length_differs ? "of another length, so no proof: " : "",
	       verdict_texts[found->verdict],
	       found->certain ? "" :
				"; within the instrument's error it may be "
				"another verdict");
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

/* A file of a table has a name of its user: it is not in the prediction. */
static char *name_policy(const struct job *job, const struct ssdpm_model *model)
{
	struct policy policy = *job->policy;

	if (policy.what.kind == SSDPM_POLICY_TABLE)
		policy.name = "table";
	return policy_words(&policy, &job->row.resolved,
			    ssdpm_model_get_info(model)->kind);
}

static enum exit_status write_prediction(struct check *c,
					 const struct estimate *e,
					 const struct records *records)
{
	const struct job *job = &e->jobs[0];
	const struct ssdpm_model *model = e->subject->drive->model;
	char *policy = name_policy(job, model);
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
	if (err)
		return failure("%s: %s", c->name, error.message);
	if (c->path && create(c->path))
		return STATUS_FAILED;
	return keep(c);
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

bool is_prediction(const char *path)
{
	struct ssdpm_prediction p = { .size = sizeof(p) };
	struct buffer buffer = { 0 };
	struct stat status;
	int err;

	if (stat(path, &status) || !S_ISREG(status.st_mode) ||
	    !status.st_size || read_operand(path, &buffer))
		return false;
	err = ssdpm_prediction_from_json(buffer.data, buffer.size, &p, NULL);
	free(buffer.data);
	return !err || err == -EEXIST;
}

static bool is_drive(const struct buffer *buffer)
{
	struct ssdpm_model **models;
	size_t n;

	if (ssdpm_model_list_from_data(buffer->data, buffer->size, &models, &n,
				       NULL))
		return false;
	ssdpm_model_list_free(models, n);
	return true;
}

/* Something that has its own name is a drive. */
static enum exit_status check_file(const struct check *c, const char *path)
{
	struct stat status;

	if (!strcmp(path, "-"))
		return STATUS_DONE;
	if (stat(path, &status))
		return failure("%s is no file of a prediction (%s); a DRIVE "
			       "requires --trace",
			       path, strerror(errno));
	if (S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode) ||
	    S_ISCHR(status.st_mode))
		return usage_error(c->common,
				   "%s is no file of a prediction; a DRIVE "
				   "requires --trace",
				   path);
	return STATUS_DONE;
}

static enum exit_status read_prediction(struct check *c, const char *path)
{
	struct buffer buffer = { 0 };
	struct ssdpm_error error;
	enum exit_status status = check_file(c, path);
	int err;

	c->prediction.size = sizeof(c->prediction);
	if (status)
		return status;
	err = read_operand(path, &buffer);
	status = status_of_file(err);
	if (err)
		goto out;
	if (ssdpm_prediction_from_json(buffer.data, buffer.size, &c->prediction,
				       &error)) {
		if (is_drive(&buffer))
			status = usage_error(c->common,
					     "%s is a drive, which requires "
					     "--trace",
					     path);
		else
			complain_of_power(path, &error);
		goto out;
	}
	c->text = strndup(buffer.data, buffer.size);
	status = c->text ? STATUS_DONE : out_of_memory();
out:
	free(buffer.data);
	return status;
}

enum exit_status check_written(const struct common *common,
			       const struct check_options *settings,
			       const char *path)
{
	struct check c = { .common = common,
			   .settings = settings,
			   .name = path };
	enum exit_status status;
	bool is_copied = false;

	c.path = settings->output  ? settings->output :
		 strcmp(path, "-") ? path :
				     NULL;
	status = read_prediction(&c, path);
	if (!status && c.path && strcmp(c.path, path)) {
		status = create(c.path);
		is_copied = !status;
	}
	if (is_copied)
		status = keep(&c);
	if (!status)
		status = go_on(&c);
	if (status && !c.is_measured && is_copied)
		unlink(c.path);
	free(c.text);
	return status;
}
