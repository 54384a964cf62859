/* SPDX-License-Identifier: MIT */
#include "measure/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The first samples show whether they are fast enough. */
static void keep_first(struct power_array *more, void *data)
{
	struct power_array *first = data;
	size_t n = SSDPM_SAMPLING_SAMPLES - first->n;

	if (n > more->n)
		n = more->n;
	memcpy(first->time_ns + first->n, more->time_ns, n * sizeof(int64_t));
	memcpy(first->power_w + first->n, more->power_w, n * sizeof(double));
	first->n += n;
}

static int check_first(const struct power_array *first,
		       struct ssdpm_sampling *sampling,
		       struct ssdpm_error *error)
{
	struct ssdpm_samples samples = samples_of(first);
	int err;

	sampling->size = sizeof(*sampling);
	err = ssdpm_sampling_check(&samples, NULL, sampling, error);
	/* Numbers may come later. */
	return err == -ENODATA ? 0 : err;
}

/* Measures a file of any length without keeping it. */
static enum exit_status measure_energy(const struct measure_options *settings,
				       struct power_input *input,
				       struct samples_answer *answer)
{
	struct energy_answer *a = &answer->energy;
	struct power_array first = {
		calloc(SSDPM_SAMPLING_SAMPLES, sizeof(*first.time_ns)),
		calloc(SSDPM_SAMPLING_SAMPLES, sizeof(*first.power_w)), 0
	};
	struct ssdpm_integral *integral = NULL;
	enum exit_status status = STATUS_FAILED;
	struct ssdpm_error error;

	a->name = input->name;
	a->has_tolerance = settings->energy.tolerance > 0;
	a->energy.size = sizeof(a->energy);
	if (!first.time_ns || !first.power_w)
		complain("out of memory");
	else if (ssdpm_integral_new(&settings->energy, &integral, &error))
		complain_of_power(input->name, &error);
	else
		status = feed_power(input, integral, keep_first, &first);
	if (!status && (ssdpm_integral_get(integral, &a->energy, &error) ||
			check_first(&first, &a->sampling, &error))) {
		complain_of_power(input->name, &error);
		status = STATUS_FAILED;
	}
	a->counts = *ssdpm_power_get_counts(input->power);
	ssdpm_integral_free(integral);
	free_power_array(&first);
	return status;
}

static int find_runs(const struct measure_options *settings,
		     const struct ssdpm_samples *samples,
		     struct baseline_answer *a, struct ssdpm_error *error)
{
	size_t n = 0;
	int err = ssdpm_activity_find(samples, &a->baseline, &settings->detect,
				      NULL, &n, error);

	if (err || !n)
		return err;
	a->activities = calloc(n, sizeof(*a->activities));
	if (!a->activities) {
		snprintf(error->message, sizeof(error->message),
			 "out of memory");
		error->line = 0;
		return -ENOMEM;
	}
	a->n_activities = n;
	return ssdpm_activity_find(samples, &a->baseline, &settings->detect,
				   a->activities, &n, error);
}

/* The idle part: the samples after the tail, or all without a completion. */
static struct ssdpm_samples idle_part(const struct ssdpm_samples *samples,
				      const struct baseline_answer *a)
{
	struct ssdpm_samples part = *samples;
	const double *power_w = samples->power_w;

	while (a->has_tail && part.n && part.time_ns[0] < a->tail.end_ns) {
		part.time_ns++;
		power_w++;
		part.n--;
	}
	part.power_w = power_w;
	return part;
}

static int find_background(const struct measure_options *settings,
			   const struct ssdpm_samples *samples,
			   struct baseline_answer *a, struct ssdpm_error *error)
{
	int err = 0;

	if (settings->completion_ns <= INT64_MAX) {
		err = ssdpm_tail_measure(
			samples, &a->baseline, &settings->detect,
			(int64_t)settings->completion_ns, &a->tail, error);
		a->has_tail = !err;
	}
	struct ssdpm_samples idle = idle_part(samples, a);
	if (err || !idle.n)
		return err;
	err = ssdpm_idle_work_find(&idle, &a->baseline, &settings->detect,
				   &a->work, error);
	a->has_work = !err;
	/* The tail may leave no samples. */
	return a->has_tail && err == -ENODATA ? 0 : err;
}

typedef int (*find_fn)(const struct measure_options *settings,
		       const struct ssdpm_samples *samples,
		       struct baseline_answer *a, struct ssdpm_error *error);

static int check_sampling(const struct measure_options *settings,
			  const struct ssdpm_samples *samples,
			  struct baseline_answer *a, struct ssdpm_error *error)
{
	struct ssdpm_sampling_params params = {
		.size = sizeof(params),
		.baseline = &a->baseline,
		.detect = &settings->detect,
	};

	a->sampling.size = sizeof(a->sampling);
	return ssdpm_sampling_check(samples, &params, &a->sampling, error);
}

static enum exit_status measure_above(const struct measure_options *settings,
				      struct power_input *input,
				      struct samples_answer *answer,
				      find_fn find)
{
	struct baseline_answer *a = &answer->baseline;
	struct power_array array;
	struct ssdpm_error error;

	if (load_power(input, &array))
		return STATUS_FAILED;
	struct ssdpm_samples samples = samples_of(&array);
	a->name = input->name;
	int err = ssdpm_baseline_find(&samples, &settings->baseline,
				      &a->baseline, &error);
	if (!err)
		err = check_sampling(settings, &samples, a, &error);
	if (!err)
		err = find(settings, &samples, a, &error);
	if (err)
		complain("%s: %s%s", input->name, error.message,
			 err == -EDOM ? " (--idle)" : "");
	free_power_array(&array);
	return err ? STATUS_FAILED : STATUS_DONE;
}

static enum exit_status measure_baseline(const struct measure_options *settings,
					 struct power_input *input,
					 struct samples_answer *answer)
{
	return measure_above(settings, input, answer, find_runs);
}

static enum exit_status measure_background(
	const struct measure_options *settings, struct power_input *input,
	struct samples_answer *answer)
{
	return measure_above(settings, input, answer, find_background);
}

static void print_energy_answer(const struct samples_answer *a)
{
	print_energy(&a->energy);
}

static void print_baseline_answer(const struct samples_answer *a)
{
	print_baseline(&a->baseline);
}

static void print_background_answer(const struct samples_answer *a)
{
	print_background(&a->baseline);
}

static void add_energy_answer(struct items *items,
			      const struct samples_answer *a)
{
	add_energy(items, &a->energy);
}

static void add_baseline_answer(struct items *items,
				const struct samples_answer *a)
{
	add_baseline(items, &a->baseline);
}

static void add_background_answer(struct items *items,
				  const struct samples_answer *a)
{
	add_background(items, &a->baseline);
}

static const struct measure_action actions[] = {
	{ "energy", ENERGY, measure_energy, print_energy_answer,
	  add_energy_answer },
	{ "baseline", BASELINE, measure_baseline, print_baseline_answer,
	  add_baseline_answer },
	{ "background", BACKGROUND, measure_background, print_background_answer,
	  add_background_answer },
};

static enum exit_status print_answers(const struct common *common,
				      const struct measure_action *action,
				      const struct samples_answer *answers,
				      size_t n)
{
	struct items items = { 0 };

	for (size_t i = 0; i < n && !common->form; i++)
		action->print(&answers[i]);
	if (!common->form)
		return STATUS_DONE;
	for (size_t i = 0; i < n; i++)
		action->add(&items, &answers[i]);
	return print_items(common, &items);
}

enum exit_status measure_files(const struct common *common,
			       const struct measure_options *settings,
			       const struct measure_action *action,
			       char **names, size_t n)
{
	struct samples_answer *answers = calloc(n, sizeof(*answers));
	enum exit_status status = STATUS_DONE;

	if (!answers)
		return out_of_memory();
	for (size_t i = 0; i < n && !status; i++) {
		struct power_input input;

		status = open_power(&settings->power, names[i], &input);
		if (status)
			break;
		status = action->measure(settings, &input, &answers[i]);
		close_power(&input);
	}
	if (!status)
		status = print_answers(common, action, answers, n);
	for (size_t i = 0; i < n; i++)
		free(answers[i].baseline.activities);
	free(answers);
	return status;
}

/* A recording counts, whatever ended it. */
enum exit_status measure_meter(const struct common *common,
			       const struct measure_options *settings,
			       const struct measure_action *action)
{
	enum exit_status status, recorded;
	struct recording recording;
	struct power_input input;
	struct samples_answer answer = { 0 };

	recorded = record_meter(common, &settings->meter, &recording);
	if (!recording.n)
		return recorded;
	status = open_power_fd(&settings->power, settings->meter.name,
			       recording.fd, &input);
	if (status)
		return status;
	answer.energy.has_counter = recording.has_counter;
	answer.energy.counter_j = recording.counter_j;
	status = action->measure(settings, &input, &answer);
	close_power(&input);
	if (!status)
		status = print_answers(common, action, &answer, 1);
	free(answer.baseline.activities);
	return status ? status : recorded;
}

const struct measure_action *find_measure_action(const char *name)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (!strcmp(actions[i].name, name))
			return &actions[i];
	return NULL;
}
