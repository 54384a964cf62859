/* SPDX-License-Identifier: MIT */
/* --dry-run: what the noise of now lets a survey tell. */
#include "survey/survey.h"

#include "options/numbers.h"
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define N_READINGS 40
#define MAX_READINGS 100000

struct noise {
	int64_t *time_ns;
	double *power_w;
	size_t n;
};

static enum exit_status take_readings(const struct survey *survey,
				      struct ssdpm_sampler *sampler,
				      size_t n_wanted, struct noise *noise)
{
	const int64_t step = (int64_t)survey->options.params.interval_ns;
	struct ssdpm_reading reading = { .size = sizeof(reading) };
	const int64_t begin = survey_now_ns();
	struct progress progress;
	struct ssdpm_error error;

	progress_begin(&progress, survey->common, "the noise", -1);
	for (size_t i = 0; i <= n_wanted; i++) {
		wait_until(begin + (int64_t)i * step);
		if (caught_signal())
			break;
		int err = ssdpm_sampler_read(sampler, &reading, &error);
		if (err == -EBUSY || err == -ENODEV)
			return complain_of_device(NULL, &error);
		progress_add(&progress, 1);
		if (err || !i) /* a counter says nothing yet */
			continue;
		noise->time_ns[noise->n] = reading.time_ns;
		noise->power_w[noise->n++] = reading.power_w;
	}
	progress_clear();
	return STATUS_DONE;
}

/* By how much runs differ: the most of all scenarios that tell it. */
struct earlier {
	double sigma_w; /* NaN: not known */
	double df;
	char of[320];
};

/*
 * Runs of another length differ otherwise: so does what is within them, and
 * which part that is, is unknown.
 */
static enum exit_status read_earlier(const struct survey *survey,
				     struct earlier *earlier)
{
	const struct survey_report_options options = { 0 };
	const char *from = survey->options.from;
	const uint64_t wanted_ns = survey->options.params.duration_ns;
	const struct ssdpm_survey_comparison *c;
	struct survey_report report;
	enum exit_status status = load_survey(from, &options, &report);
	uint64_t was_ns = 0;

	earlier->sigma_w = NAN;
	if (!status)
		was_ns = ssdpm_survey_file_get_params(report.file)->duration_ns;
	for (size_t i = 0;
	     !status &&
	     (c = ssdpm_survey_result_get_comparison(report.result, i));
	     i++) {
		if (c->quantity != SSDPM_SURVEY_POWER || c->reason ||
		    c->analysis->sigma_w <= earlier->sigma_w)
			continue;
		earlier->sigma_w = c->analysis->sigma_w;
		earlier->df = c->analysis->df;
		snprintf(earlier->of, sizeof(earlier->of), "%s",
			 comparison_title(c).text);
	}
	if (!status && isnan(earlier->sigma_w)) {
		complain("%s: no scenario in it says by how much runs differ",
			 from);
		status = STATUS_FAILED;
	} else if (!status && was_ns && was_ns != wanted_ns) {
		complain("%s: its runs are of %s: this takes --duration of as "
			 "much",
			 from, time_text(was_ns).text);
		status = STATUS_FAILED;
	}
	free_survey(&report);
	return status;
}

static void print_difference(const struct ssdpm_survey_detectable *d,
			     const struct earlier *earlier, double mean_w)
{
	const bool known = d->between_known;

	printf("finds four of five times a difference of %s%s (%s), %.2g %% "
	       "of that;\n",
	       known ? "" : "not less than ",
	       power_text((int64_t)(d->difference_w * 1e6)).text,
	       power_range_text((int64_t)(d->low_w * 1e6),
				(int64_t)(d->high_w * 1e6))
		       .text,
	       100 * d->difference_w / mean_w);
	if (known)
		printf("runs of the earlier survey differ by %s (%s)\n",
		       power_text((int64_t)(earlier->sigma_w * 1e6)).text,
		       earlier->of);
	else
		puts("by how much runs differ beyond this noise is only known "
		     "after a survey: --from FILE");
}

static void print_detectable(const struct survey *survey,
			     const struct earlier *earlier,
			     const struct ssdpm_survey_summary *s)
{
	const struct ssdpm_survey_noise noise = {
		.se_w = s->se_w,
		.se_df = s->se_df < 1 ? 1 : s->se_df,
		.covered_ns = s->covered_ns,
		.run_sigma_w = earlier->sigma_w,
		.run_sigma_df = earlier->df,
	};
	struct ssdpm_survey_detectable d;
	struct ssdpm_error error;

	printf("now: %s on average, %s of noise in %s\n",
	       power_text((int64_t)(s->mean_w * 1e6)).text,
	       power_text((int64_t)(s->sd_w * 1e6)).text,
	       time_text(s->covered_ns).text);
	if (ssdpm_survey_detectable(&survey->options.params, &noise, 0, 0, &d,
				    &error)) {
		printf("what it can tell: not known: %s\n", error.message);
		return;
	}
	print_difference(&d, earlier, s->mean_w);
}

static enum exit_status judge(const struct survey *survey,
			      const struct earlier *earlier,
			      const struct noise *noise)
{
	const struct ssdpm_samples samples = {
		.power_w = noise->power_w,
		.time_ns = noise->time_ns,
		.n = noise->n,
		.type = SSDPM_SAMPLE_FLOAT64,
	};
	struct ssdpm_survey_summary summary = { .size = sizeof(summary) };
	struct ssdpm_error error;

	if (!ssdpm_survey_summarise(&samples, &summary, &error)) {
		print_detectable(survey, earlier, &summary);
		return STATUS_DONE;
	}
	/* The order is what was asked for first. */
	printf("what it can tell: not known: %s\n", error.message);
	return error.code == -ENODATA ? STATUS_DONE : STATUS_FAILED;
}

enum exit_status sample_survey_noise(const struct survey *survey)
{
	const struct survey_options *options = &survey->options;
	size_t n = options->sample_ns ? (size_t)(options->sample_ns /
						 options->params.interval_ns) :
					N_READINGS;
	enum exit_status status = STATUS_FAILED;
	struct ssdpm_sampler *sampler;
	struct earlier earlier = { .sigma_w = NAN };
	struct noise noise = { 0 };
	struct ssdpm_error error;

	if (options->from && read_earlier(survey, &earlier))
		return STATUS_FAILED;
	if (!survey->meter.kind) {
		puts("what it can tell: not known without a meter");
		return STATUS_DONE;
	}
	if (n > MAX_READINGS)
		n = MAX_READINGS;
	noise.time_ns = calloc(n + 1, sizeof(*noise.time_ns));
	noise.power_w = calloc(n + 1, sizeof(*noise.power_w));
	fflush(stdout);
	if (!noise.time_ns || !noise.power_w) {
		complain("out of memory");
	} else if (ssdpm_sampler_new(survey->drives.lives[0]->machine,
				     &survey->meter, &sampler, &error)) {
		status = complain_of_device(NULL, &error);
	} else {
		status = take_readings(survey, sampler, n, &noise);
		ssdpm_sampler_free(sampler);
	}
	if (!status && !caught_signal())
		status = judge(survey, &earlier, &noise);
	free(noise.time_ns);
	free(noise.power_w);
	return status;
}
