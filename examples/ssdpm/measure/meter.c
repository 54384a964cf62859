/* SPDX-License-Identifier: MIT */
#include "measure/measure.h"

#include "input/live.h"
#include "text/progress.h"
#include "survey/survey.h"
#include "options/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define MOST_BAD 10	/* readings in a row without a number */
#define FEW_READINGS 10 /* which tell nothing about how often it measures */

#define METER struct meter_options
#define MOST_NS (INT64_MAX / 4)

static const struct option_spec options[] = {
	{ "meter", 'm', "NAME",
	  "Read this meter, not a FILE; ssdpm show lists meters.",
	  SETS_TEXT(METER, name) },
	{ "for", 0, "TIME",
	  "Read the meter for this time. Default: until Ctrl-C.",
	  SETS_NUMBER(METER, duration_ns, TIME_NS), .min = 1, .max = MOST_NS },
	{ "interval", 0, "TIME",
	  "Set the time between readings. Default: 1s; survey: 3s.",
	  SETS_NUMBER(METER, interval_ns, TIME_NS), .min = 1, .max = MOST_NS,
	  .rare = true },
	{ "save", 0, "FILE",
	  "Keep all readings in a new CSV file. survey: run it.",
	  SETS_TEXT(METER, save) },
};

const struct option_group meter_option_group = {
	OPTIONS(options),
	.title = "Meter",
};

const char *option_of_meter(const struct meter_options *settings)
{
	return settings->duration_ns ? "for" :
	       settings->interval_ns ? "interval" :
	       settings->save	     ? "save" :
				       NULL;
}

/* A recording that is being made. */
struct recorder {
	const struct common *common;
	const struct meter_options *options;
	struct live *live;
	struct ssdpm_meter meter;
	struct ssdpm_sampler *sampler;
	struct progress progress;
	FILE *file;
	int64_t start_ns; /* of the first reading */
	int64_t interval_ns;
	int64_t last_ns;
	uint64_t n, n_bad;
	uint64_t update_ns; /* 0: unknown */
	bool counts_only;
	bool has_counter;
	bool was_reset;
	double counter_j;
};

/* A meter is not found or not read; status_of_error() tells which. */
static enum exit_status open_sampler(struct recorder *r)
{
	const char *name = r->options->name;
	enum exit_status status =
		open_live(r->common, r->common->root, &r->live);
	struct ssdpm_error error;

	if (status)
		return status;
	if (ssdpm_machine_find_meter(r->live->machine, name, &r->meter,
				     &error) ||
	    ssdpm_sampler_new(r->live->machine, &r->meter, &r->sampler,
			      &error)) {
		complain("%s", error.message);
		return status_of_error(error.code);
	}
	return STATUS_DONE;
}

/* Nothing that somebody measured is written over. */
static enum exit_status open_samples(struct recorder *r)
{
	const char *save = r->options->save;

	r->file = save ? fopen(save, "wxe+") : tmpfile();
	if (r->file)
		return STATUS_DONE;
	return failure("%s: %s%s", save ? save : "a file for the samples",
		       strerror(errno),
		       errno == EEXIST ? ": --save takes a new file" : "");
}

static void begin_samples(struct recorder *r,
			  const struct ssdpm_reading *reading)
{
	r->start_ns = reading->time_ns;
	r->has_counter = !isnan(reading->energy_j);
	r->counts_only = isnan(reading->power_w) && r->has_counter;
	fprintf(r->file, "# meter: %s %s\n",
		ssdpm_meter_kind_to_string(r->meter.kind), r->meter.name);
	fprintf(r->file, r->counts_only ? "time_s,energy_j\n" :
			 r->has_counter ? "time_s,power_w,energy_j\n" :
					  "time_s,power_w\n");
}

/* Each line is there when it is known: a process may be killed. */
static enum exit_status write_sample(struct recorder *r,
				     const struct ssdpm_reading *reading)
{
	int64_t us;

	if (!r->n)
		begin_samples(r, reading);
	us = (reading->time_ns - r->start_ns) / 1000;
	fprintf(r->file, "%" PRId64 ".%06" PRId64, us / 1000000, us % 1000000);
	if (!r->counts_only)
		fprintf(r->file, ",%.6f", reading->power_w);
	if (r->has_counter)
		fprintf(r->file, ",%.6f", reading->energy_j);
	fprintf(r->file, "\n");
	if (!fflush(r->file))
		return STATUS_DONE;
	return failure("%s: %s",
		       r->options->save ? r->options->save : "the samples",
		       strerror(errno));
}

/* In whole seconds. */
static struct number seconds_text(uint64_t ns)
{
	const uint64_t whole_ns = ns / SECOND_NS * SECOND_NS;

	return whole_ns ? time_text(whole_ns) : (struct number){ "0 s" };
}

static void show_progress(struct recorder *r, const struct ssdpm_reading *now)
{
	const uint64_t gone_ns = (uint64_t)(now->time_ns - r->start_ns);
	const uint64_t whole_ns = r->options->duration_ns;
	char text[120], left[50] = "", power[50] = "";

	if (whole_ns > gone_ns)
		snprintf(left, sizeof(left), ", %.30s left",
			 seconds_text(whole_ns - gone_ns).text);
	if (!isnan(now->power_w))
		snprintf(power, sizeof(power), ", %.30s",
			 watts_text(now->power_w).text);
	snprintf(text, sizeof(text), "%.20s%s%s", seconds_text(gone_ns).text,
		 left, power);
	progress_show(&r->progress, text);
}

/* A number that is none is left out; whatever else fails is the end. */
static enum exit_status take_reading(struct recorder *r, bool *ret_ended)
{
	struct ssdpm_reading reading = { .size = sizeof(reading) };
	struct ssdpm_error error;
	enum exit_status status;

	if (ssdpm_sampler_read(r->sampler, &reading, &error)) {
		progress_clear();
		if (error.code == -EINVAL && ++r->n_bad < MOST_BAD) {
			if (r->n_bad == 1)
				complain("%s: left out", error.message);
			return STATUS_DONE;
		}
		complain("%s%s", error.message,
			 r->n ? "; what was measured before:" : "");
		*ret_ended = true;
		return status_of_error(error.code);
	}
	r->n_bad = 0;
	status = write_sample(r, &reading);
	r->n++;
	r->update_ns = reading.update_ns;
	r->was_reset |= (reading.flags & SSDPM_READING_RESET) != 0;
	r->last_ns = reading.time_ns;
	r->counter_j = reading.energy_j;
	show_progress(r, &reading);
	return status;
}

static enum exit_status read_all(struct recorder *r)
{
	const int64_t begin_ns = survey_now_ns();
	const int64_t duration_ns = (int64_t)r->options->duration_ns;
	enum exit_status status = STATUS_DONE;
	int64_t next_ns = begin_ns;
	bool ended = false;

	while (!status && !ended) {
		status = take_reading(r, &ended);
		/* A reading that took too long has missed some. */
		do
			next_ns += r->interval_ns;
		while (next_ns < survey_now_ns());
		if (duration_ns && next_ns - begin_ns > duration_ns)
			break;
		if (!status && !ended)
			wait_until(next_ns);
		ended |= caught_signal() != 0;
	}
	progress_clear();
	return status;
}

static void warn_of_repeats(const struct recorder *r)
{
	const uint64_t every_ns = r->update_ns;

	if (r->n < FEW_READINGS ||
	    every_ns == (uint64_t)(r->last_ns - r->start_ns) / (r->n - 1))
		return;
	if (!every_ns)
		remark("%s said the same %s times: does it measure?",
		       r->meter.name, count_text(r->n).text);
	else
		remark("%s repeats its value, and measures about each %s: "
		       "what is shorter is not seen; --interval may be as "
		       "long",
		       r->meter.name,
		       time_text(every_ns / (SECOND_NS / 10) * (SECOND_NS / 10))
			       .text);
}

static enum exit_status record(struct recorder *r)
{
	enum exit_status status = catch_signals();

	if (status)
		return status;
	r->interval_ns = r->options->interval_ns ?
				 (int64_t)r->options->interval_ns :
				 SECOND_NS;
	progress_begin(&r->progress, r->common, r->meter.name, -1);
	if (!r->options->duration_ns && !r->common->quiet)
		remark("%s is read until Ctrl-C", r->meter.name);
	status = read_all(r);
	release_signals();
	if (!r->common->quiet)
		warn_of_repeats(r);
	return status;
}

enum exit_status record_meter(const struct common *common,
			      const struct meter_options *meter_options,
			      struct recording *ret_recording)
{
	struct recorder r = { .common = common, .options = meter_options };
	struct recording recording = { .fd = -1 };
	enum exit_status status = open_sampler(&r);

	if (!status)
		status = open_samples(&r);
	if (!status)
		status = record(&r);
	if (!status && !r.n)
		status = failure("%s: no reading", meter_options->name);
	if (r.n) {
		recording.n = r.n;
		recording.has_counter =
			r.has_counter && !r.was_reset && !isnan(r.counter_j);
		recording.counter_j = r.counter_j;
		recording.fd = dup(fileno(r.file));
		if (recording.fd < 0 || lseek(recording.fd, 0, SEEK_SET)) {
			complain("the samples: %s", strerror(errno));
			status = STATUS_FAILED;
			recording.n = 0;
		}
	}
	if (r.file)
		fclose(r.file);
	/* So that the next try may take the same name. */
	if (r.file && !r.n && meter_options->save)
		unlink(meter_options->save);
	ssdpm_sampler_free(r.sampler);
	close_live(r.live);
	*ret_recording = recording;
	return status;
}
