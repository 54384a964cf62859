/* SPDX-License-Identifier: MIT */
#include "measure/check.h"

#include "options/units.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 4096

/* All samples of the input, and how many of them are in the window. */
struct span {
	int64_t first_ns, last_ns;
	uint64_t n, n_inside;
};

static bool is_inside(const struct check_options *s, int64_t time_ns)
{
	return time_ns >= s->from_ns && time_ns < s->to_ns;
}

/* Those of the window; how many is returned. */
static size_t take_window(const struct check_options *s, int64_t *time_ns,
			  double *power_w, size_t n, struct span *span)
{
	size_t kept = 0;

	if (!span->n)
		span->first_ns = time_ns[0];
	span->last_ns = time_ns[n - 1];
	span->n += n;
	for (size_t i = 0; i < n; i++) {
		if (!is_inside(s, time_ns[i]))
			continue;
		time_ns[kept] = time_ns[i];
		power_w[kept++] = power_w[i];
	}
	span->n_inside += kept;
	return kept;
}

/* Samples may begin before 0. */
static struct number at_text(int64_t time_ns)
{
	struct number text;

	snprintf(text.text, sizeof(text.text), "%.9gs", (double)time_ns / 1e9);
	return text;
}

static enum exit_status check_window(const struct check *c, const char *name,
				     const struct span *span)
{
	if (!span->n || span->n_inside)
		return STATUS_DONE;
	return failure("%s: no sample is inside --window %s..%s: the samples "
		       "are at %s to %s",
		       name, at_text(c->settings->from_ns).text,
		       at_text(c->settings->to_ns).text,
		       at_text(span->first_ns).text,
		       at_text(span->last_ns).text);
}

static enum exit_status feed(const struct check *c, struct power_input *input,
			     struct ssdpm_integral *integral)
{
	struct span span = { 0 };
	static int64_t time_ns[CHUNK];
	static double power_w[CHUNK];
	struct power_array array = { time_ns, power_w, 0 };
	struct ssdpm_error error;

	for (;;) {
		enum exit_status status =
			read_power(input, time_ns, power_w, CHUNK, &array.n);

		if (status)
			return status;
		if (!array.n)
			return check_window(c, input->name, &span);
		array.n = take_window(c->settings, time_ns, power_w, array.n,
				      &span);
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
	if (!c->common->quiet && c->found.length_differs)
		remark("%s: samples of %s, and the prediction is of %s: "
		       "--window chooses samples, --end the end of a "
		       "prediction",
		       name, time_text(c->energy.covered_ns).text,
		       time_text(c->prediction.duration_ns).text);
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
