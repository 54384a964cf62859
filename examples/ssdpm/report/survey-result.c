/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "measure/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Fewer runs of a policy tell nothing of the noise between them. */
#define MIN_RUNS 3

static struct number signed_text(double value, struct number text)
{
	struct number number;

	snprintf(number.text, sizeof(number.text), "%s%.28s",
		 value < 0 ? "-" : "", text.text);
	return number;
}

struct number quantity_text(enum survey_quantity quantity, double value)
{
	struct number text;

	if (quantity == QUANTITY_POWER)
		return watts_text(value);
	if (!(fabs(value) < 9e15))
		return (struct number){ "unknown" };
	if (quantity == QUANTITY_LATENCY)
		return signed_text(
			value, time_text((uint64_t)(fabs(value) * 1e3 + 0.5)));
	text = bytes_text((uint64_t)(fabs(value) + 0.5));
	strcat(text.text, "/s");
	return signed_text(value, text);
}

struct survey_range quantity_range(enum survey_quantity quantity, double low,
				   double high)
{
	struct survey_range range;

	snprintf(range.text, sizeof(range.text), "%s to %s",
		 quantity_text(quantity, low).text,
		 quantity_text(quantity, high).text);
	return range;
}

struct number survey_p_text(double p)
{
	struct number text;

	if (p < 0.001)
		snprintf(text.text, sizeof(text.text), "< 0.001");
	else
		snprintf(text.text, sizeof(text.text), "%.3f", p);
	return text;
}

const char *survey_policy(const struct survey_result *result,
			  const struct survey_comparison *c, uint32_t i)
{
	return ssdpm_survey_file_get_policy(result->file, c->policies[i]);
}

struct survey_title comparison_title(const struct survey_comparison *c)
{
	static const char *const words[N_QUANTITIES] = {
		[QUANTITY_POWER] = "mean power",
		[QUANTITY_LATENCY] = "latency",
		[QUANTITY_THROUGHPUT] = "throughput",
	};
	struct survey_title title;

	snprintf(title.text, sizeof(title.text), "%s, %s%.255s",
		 words[c->quantity], c->fio ? "fio " : "", c->of);
	return title;
}

const struct ssdpm_survey_difference *find_difference(
	const struct survey_comparison *c, uint32_t a, uint32_t b,
	double *ret_sign)
{
	uint32_t n = c->n_policies;

	for (uint32_t i = 0; i < n * (n - 1) / 2; i++) {
		const struct ssdpm_survey_difference *d = &c->differences[i];

		*ret_sign = d->policy == a ? 1 : -1;
		if ((d->policy == a && d->other_policy == b) ||
		    (d->policy == b && d->other_policy == a))
			return d;
	}
	return NULL;
}

/* The mean of what is a number. */
static double mean_of(const double *values, size_t n)
{
	size_t finite = 0;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(values[i])) {
			sum += values[i];
			finite++;
		}
	return finite ? sum / (double)finite : NAN;
}

/*
 * The readings are taken to be at even steps, which is what a survey asks for:
 * a late one is one in hundreds. Where nobody knows the step, it is a second.
 */
static double step_of(const struct survey_result *result,
		      const struct ssdpm_survey_readings *r)
{
	uint64_t ns = ssdpm_survey_file_get_params(result->file)->interval_ns;

	if (ns)
		return (double)ns;
	if (!r->time_ns || r->n < 2)
		return 1e9;
	double step = ((double)r->time_ns[r->n - 1] - (double)r->time_ns[0]) /
		      (double)(r->n - 1);
	return step >= 1 ? step : 1e9;
}

static bool is_settled(const struct ssdpm_survey_summary *s)
{
	return s->trend != SSDPM_SURVEY_TREND_RISE &&
	       s->trend != SSDPM_SURVEY_TREND_FALL;
}

static void summarise(struct survey_result *result,
		      struct survey_run_result *run)
{
	const struct ssdpm_survey_readings *r = run->readings;
	struct ssdpm_survey_summary *summary = &run->summary;
	const struct ssdpm_samples samples = {
		.power_w = r->power_w,
		.n = r->n,
		.interval_ns = step_of(result, r),
		.type = SSDPM_SAMPLE_FLOAT64,
	};

	run->mean_w = mean_of(r->power_w, r->n);
	run->latency_us = mean_of(r->latency_us, r->n);
	summary->size = sizeof(*summary);
	if (ssdpm_survey_summarise(&samples, summary, NULL))
		summary->size = 0;
	else
		run->mean_w = is_settled(summary) ? summary->mean_w :
						    summary->settled_mean_w;
	result->n_status[r->status]++;
	if (r->status != SSDPM_SURVEY_RUN_COMPLETE)
		return;
	if (isnan(run->mean_w))
		result->n_empty++;
	else if (summary->size)
		result->n_trends[summary->trend]++;
	else
		result->n_short++;
}

static enum exit_status summarise_all(struct survey_result *result)
{
	const struct ssdpm_survey_readings *readings =
		ssdpm_survey_file_get_readings(result->file, &result->n_runs);

	result->runs = calloc(result->n_runs + 1, sizeof(*result->runs));
	if (!result->runs) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < result->n_runs; i++) {
		result->runs[i].readings = &readings[i];
		summarise(result, &result->runs[i]);
	}
	return STATUS_DONE;
}

/* A run that counts, with its policy as the file numbers it. */
static void add_run(struct survey_comparison *c, double value, uint32_t policy,
		    uint32_t block)
{
	if (isfinite(value))
		c->runs[c->n_runs++] = (struct ssdpm_survey_run){
			.mean_w = value,
			.policy = policy,
			.block = block,
		};
}

static void add_readings(const struct survey_result *result,
			 struct survey_comparison *c)
{
	for (size_t i = 0; i < result->n_runs; i++) {
		const struct survey_run_result *run = &result->runs[i];
		const struct ssdpm_survey_readings *r = run->readings;

		if (r->status == SSDPM_SURVEY_RUN_COMPLETE &&
		    r->scenario == c->scenario)
			add_run(c,
				c->quantity == QUANTITY_POWER ? run->mean_w :
								run->latency_us,
				r->policy, r->block);
	}
}

static void add_fio(const struct survey_result *result,
		    struct survey_comparison *c)
{
	size_t n;
	const struct ssdpm_survey_fio *fio =
		ssdpm_survey_file_get_fio(result->file, &n);

	for (size_t i = 0; i < n; i++)
		if (fio[i].status == SSDPM_SURVEY_RUN_COMPLETE &&
		    fio[i].test == c->scenario)
			add_run(c,
				c->quantity == QUANTITY_LATENCY ?
					fio[i].latency_us :
					fio[i].bytes_per_s,
				fio[i].policy, fio[i].block);
}

/* Leave out the policies that have too few runs, and number the others. */
static void choose_policies(const struct survey_result *result,
			    struct survey_comparison *c)
{
	uint32_t n_runs[SSDPM_SURVEY_MAX_POLICIES] = { 0 };
	uint32_t number[SSDPM_SURVEY_MAX_POLICIES] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < c->n_runs; i++)
		n_runs[c->runs[i].policy]++;
	for (uint32_t j = 0; j < result->n_policies; j++) {
		number[j] = c->n_policies;
		if (n_runs[j] >= MIN_RUNS)
			c->policies[c->n_policies++] = j;
		else
			c->n_few += n_runs[j] > 0;
	}
	if (c->n_policies < 2)
		return;
	for (size_t i = 0; i < c->n_runs; i++) {
		struct ssdpm_survey_run run = c->runs[i];

		if (n_runs[run.policy] < MIN_RUNS)
			continue;
		run.policy = number[run.policy];
		c->runs[n++] = run;
	}
	c->n_runs = n;
}

/* One more, if there are runs of it. */
static enum exit_status add_comparison(struct survey_result *result,
				       enum survey_quantity quantity, bool fio,
				       uint32_t scenario, const char *of)
{
	struct survey_comparison *c =
		&result->comparisons[result->n_comparisons];
	size_t n_fio;

	ssdpm_survey_file_get_fio(result->file, &n_fio);
	*c = (struct survey_comparison){
		.quantity = quantity,
		.fio = fio,
		.of = of,
		.scenario = scenario,
		.runs = calloc(result->n_runs + n_fio + 1, sizeof(*c->runs)),
	};
	if (!c->runs) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	if (fio)
		add_fio(result, c);
	else
		add_readings(result, c);
	if (!c->n_runs) {
		free(c->runs);
		return STATUS_DONE;
	}
	choose_policies(result, c);
	result->n_comparisons++;
	return STATUS_DONE;
}

#define MAX_COMPARISONS (4 * SSDPM_SURVEY_MAX_SCENARIOS)

static enum exit_status add_comparisons(struct survey_result *result)
{
	const struct ssdpm_survey_file *file = result->file;
	enum exit_status status = STATUS_DONE;
	const char *name;

	result->comparisons =
		calloc(MAX_COMPARISONS, sizeof(*result->comparisons));
	if (!result->comparisons) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (uint32_t q = QUANTITY_POWER; q <= QUANTITY_LATENCY; q++)
		for (uint32_t i = 0;
		     !status &&
		     (name = ssdpm_survey_file_get_scenario(file, i));
		     i++)
			status = add_comparison(result, q, false, i, name);
	for (uint32_t q = QUANTITY_LATENCY; q <= QUANTITY_THROUGHPUT; q++)
		for (uint32_t i = 0;
		     !status && (name = ssdpm_survey_file_get_test(file, i));
		     i++)
			status = add_comparison(result, q, true, i, name);
	return status;
}

/* Powers are one family of tests; all that they cost is another. */
static uint32_t family_of(const struct survey_result *result,
			  const struct survey_comparison *of, uint32_t *ret_n)
{
	uint32_t n = 0, number = 0;

	for (size_t i = 0; i < result->n_comparisons; i++) {
		const struct survey_comparison *c = &result->comparisons[i];

		if ((c->quantity == QUANTITY_POWER) !=
			    (of->quantity == QUANTITY_POWER) ||
		    c->n_policies < 2)
			continue;
		if (c == of)
			number = n;
		n++;
	}
	*ret_n = n;
	return number;
}

static void compare(const struct survey_result *result,
		    struct survey_comparison *c)
{
	struct ssdpm_survey_analysis_params params = {
		.size = sizeof(params),
		.error_rate = result->error_rate,
		.system_power_w =
			c->quantity == QUANTITY_POWER ? result->system_w : 0,
		.n_policies = c->n_policies,
	};
	struct ssdpm_error error;

	if (c->n_policies < 2) {
		snprintf(c->why, sizeof(c->why),
			 "differences cannot be told from noise: that takes "
			 "two policies with runs in %d blocks each",
			 MIN_RUNS);
		return;
	}
	params.scenario = family_of(result, c, &params.n_scenarios);
	for (size_t i = 0; i < c->n_runs; i++)
		c->runs[i].scenario = params.scenario;
	c->analysis.size = sizeof(c->analysis);
	c->analysis.means = c->means;
	c->analysis.differences = c->differences;
	c->compared = !ssdpm_survey_analyse(c->runs, c->n_runs, &params,
					    &c->analysis, &error);
	if (!c->compared)
		snprintf(c->why, sizeof(c->why), "%.220s", error.message);
}

static enum exit_status open_survey(struct survey_result *result)
{
	bool is_stdin = !strcmp(result->name, "-");
	int fd = is_stdin ? 0 : open(result->name, O_RDONLY | O_CLOEXEC);
	struct ssdpm_error error;

	if (fd < 0) {
		complain("%s: %s", result->name, strerror(errno));
		return STATUS_FAILED;
	}
	int err = ssdpm_survey_file_open(fd, &result->file, &error);
	if (!is_stdin)
		close(fd);
	if (!err)
		return STATUS_DONE;
	if (error.line)
		complain("%s:%u: %s", result->name, error.line, error.message);
	else
		complain("%s: %s", result->name, error.message);
	return STATUS_FAILED;
}

/* What the file says of the system's power; 0: nothing. */
static double stated_system_w(const struct ssdpm_survey_file *file)
{
	const char *text = ssdpm_survey_file_get_fact(file, "system_w", 0);
	double value = text ? strtod(text, NULL) : 0;

	return value > 0 && isfinite(value) ? value : 0;
}

enum exit_status load_survey(const char *name,
			     const struct survey_report_options *options,
			     struct survey_result *ret_result)
{
	struct survey_result *result = ret_result;

	*result = (struct survey_result){
		.name = name,
		.error_rate =
			options->error_rate > 0 ? options->error_rate : 0.05,
		.system_w = options->system_power_w,
	};
	if (open_survey(result))
		return STATUS_FAILED;
	if (!(result->system_w > 0))
		result->system_w = stated_system_w(result->file);
	result->n_policies =
		ssdpm_survey_file_get_params(result->file)->n_policies;
	if (summarise_all(result) || add_comparisons(result))
		return STATUS_FAILED;
	for (size_t i = 0; i < result->n_comparisons; i++)
		compare(result, &result->comparisons[i]);
	advise(result);
	return STATUS_DONE;
}

void free_survey(struct survey_result *result)
{
	for (size_t i = 0; i < result->n_comparisons; i++)
		free(result->comparisons[i].runs);
	free(result->comparisons);
	free(result->runs);
	ssdpm_survey_file_free(result->file);
	*result = (struct survey_result){ 0 };
}
