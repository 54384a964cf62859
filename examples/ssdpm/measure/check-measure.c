/* SPDX-License-Identifier: MIT */
#include "measure/check.h"

#include "options/units.h"

#include <stdlib.h>
#include <string.h>

/* All samples of the input, and how many of them are in the window. */
struct span {
	const struct check_options *settings;
	int64_t first_ns, last_ns;
	uint64_t n, n_inside;
};

static bool is_inside(const struct check_options *s, int64_t time_ns)
{
	return time_ns >= s->from_ns && time_ns < s->to_ns;
}

/* Leaves those of the window. */
static void take_window(struct power_array *part, void *data)
{
	struct span *span = data;
	size_t kept = 0;

	if (!span->n)
		span->first_ns = part->time_ns[0];
	span->last_ns = part->time_ns[part->n - 1];
	span->n += part->n;
	for (size_t i = 0; i < part->n; i++) {
		if (!is_inside(span->settings, part->time_ns[i]))
			continue;
		part->time_ns[kept] = part->time_ns[i];
		part->power_w[kept++] = part->power_w[i];
	}
	part->n = kept;
	span->n_inside += kept;
}

/* Samples may begin before 0. */
static struct number at_text(int64_t time_ns)
{
	struct number text;

	snprintf(text.text, sizeof(text.text), "%.9gs", (double)time_ns / 1e9);
	return text;
}

static enum exit_status check_window(const char *name, const struct span *span)
{
	if (!span->n || span->n_inside)
		return STATUS_DONE;
	return failure("%s: no sample is inside --window %s..%s: the samples "
		       "are at %s to %s",
		       name, at_text(span->settings->from_ns).text,
		       at_text(span->settings->to_ns).text,
		       at_text(span->first_ns).text,
		       at_text(span->last_ns).text);
}

static enum exit_status integrate(struct check *c, struct power_input *input)
{
	struct span span = { .settings = c->settings };
	struct ssdpm_integral *integral = NULL;
	struct ssdpm_error error;
	enum exit_status status;

	c->energy.size = sizeof(c->energy);
	if (ssdpm_integral_new(&c->settings->energy, &integral, &error)) {
		complain_of_power(input->name, &error);
		return STATUS_FAILED;
	}
	status = feed_power(input, integral, take_window, &span);
	if (!status)
		status = check_window(input->name, &span);
	if (!status && ssdpm_integral_get(integral, &c->energy, &error)) {
		complain_of_power(input->name, &error);
		status = STATUS_FAILED;
	}
	ssdpm_integral_free(integral);
	return status;
}

/* If the times differ, the mean power is that of another run. */
static void say_times(const struct check *c, const char *name)
{
	if (!c->common->quiet && c->found.length_differs)
		remark("%s: samples of %s, and the prediction is of %s: %s",
		       name, time_text(c->energy.covered_ns).text,
		       time_text(c->prediction.duration_ns).text,
		       c->energy.covered_ns < c->prediction.duration_ns ?
			       "measure the whole trace, or predict a shorter "
			       "one" :
			       "--window chooses samples, and --end lengthens "
			       "a prediction");
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

	c->found.size = sizeof(c->found);
	if (ssdpm_prediction_judge(&c->prediction, &c->energy,
				   measured.subtracted_w, &c->found, &error) ||
	    ssdpm_prediction_add_measured(c->text, strlen(c->text), &measured,
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

enum exit_status measure_power(struct check *c)
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
