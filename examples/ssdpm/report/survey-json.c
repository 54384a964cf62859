/* SPDX-License-Identifier: MIT */
/* The report of a survey as JSON, and as the page that is made of it. */
#include "report/report.h"

#include "measure/measure.h"

#include <math.h>
#include <string.h>

/* Names of keys, and what a value is multiplied by for them. */
static const struct unit {
	const char *suffix;
	double scale;
} units[N_QUANTITIES] = {
	[QUANTITY_POWER] = { "uw", 1e6 },
	[QUANTITY_LATENCY] = { "ns", 1e3 },
	[QUANTITY_THROUGHPUT] = { "bytes_per_s", 1 },
};

void write_quantity(struct json_writer *w, enum survey_quantity quantity,
		    const char *name, double value)
{
	const struct unit *unit = &units[quantity];
	char key[64];

	snprintf(key, sizeof(key), "%s_%s", name, unit->suffix);
	ssdpm__json_scaled(w, key, value, unit->scale);
}

static void write_value(struct json_writer *w,
			const struct survey_comparison *c, const char *name,
			double value)
{
	write_quantity(w, c->quantity, name, value);
}

static void write_facts(struct json_writer *w, const struct survey_result *r,
			const char *key, const char *member)
{
	const char *value;

	ssdpm__json_begin(w, member, '[');
	for (size_t i = 0;
	     (value = ssdpm_survey_file_get_fact(r->file, key, i)); i++)
		ssdpm__json_string(w, NULL, value);
	ssdpm__json_end(w, ']');
}

static void write_ns(struct json_writer *w, const char *key, uint64_t ns)
{
	if (ns)
		ssdpm__json_uint(w, key, ns);
	else
		ssdpm__json_null(w, key);
}

static void write_head(struct json_writer *w, const struct survey_result *r)
{
	const struct ssdpm_survey_params *p =
		ssdpm_survey_file_get_params(r->file);
	const struct ssdpm_survey_counts *counts =
		ssdpm_survey_file_get_counts(r->file);

	ssdpm__json_string(w, "schema", "ssdpm.survey/1");
	ssdpm__json_string(w, "file", r->name);
	ssdpm__json_string(w, "machine",
			   ssdpm_survey_file_get_fact(r->file, "machine", 0));
	ssdpm__json_string(w, "meter",
			   ssdpm_survey_file_get_fact(r->file, "meter", 0));
	write_facts(w, r, "drive", "drives");
	write_facts(w, r, "found", "found");
	ssdpm__json_begin(w, "policies", '[');
	for (uint32_t i = 0; i < r->n_policies; i++)
		ssdpm__json_string(w, NULL,
				   ssdpm_survey_file_get_policy(r->file, i));
	ssdpm__json_end(w, ']');
	write_ns(w, "settle_ns", p->settle_ns);
	write_ns(w, "interval_ns", p->interval_ns);
	write_ns(w, "duration_ns", p->duration_ns);
	ssdpm__json_uint(w, "n_rows", counts->n_rows);
	ssdpm__json_uint(w, "n_cut", counts->n_cut);
	ssdpm__json_uint(w, "n_complete",
			 r->n_status[SSDPM_SURVEY_RUN_COMPLETE]);
	ssdpm__json_uint(w, "n_incomplete",
			 r->n_status[SSDPM_SURVEY_RUN_INCOMPLETE]);
	ssdpm__json_uint(w, "n_replaced",
			 r->n_status[SSDPM_SURVEY_RUN_REPLACED]);
	ssdpm__json_scaled(w, "error_rate_ppm", r->error_rate, 1e6);
	if (r->system_w > 0)
		ssdpm__json_scaled(w, "system_power_uw", r->system_w, 1e6);
	else
		ssdpm__json_null(w, "system_power_uw");
}

static const char *const statuses[] = { NULL, "complete", "incomplete",
					"replaced" };
static const char *const trends[] = { NULL, "none", "rise", "fall",
				      "unsettled" };

static void write_summary(struct json_writer *w,
			  const struct ssdpm_survey_summary *s)
{
	if (!s->size) {
		ssdpm__json_null(w, "summary");
		return;
	}
	ssdpm__json_begin(w, "summary", '{');
	ssdpm__json_uint(w, "n", s->n);
	ssdpm__json_uint(w, "n_not_finite", s->n_not_finite);
	ssdpm__json_scaled(w, "mean_uw", s->mean_w, 1e6);
	ssdpm__json_scaled(w, "se_uw", s->se_w, 1e6);
	ssdpm__json_scaled(w, "low_uw", s->low_w, 1e6);
	ssdpm__json_scaled(w, "high_uw", s->high_w, 1e6);
	ssdpm__json_scaled(w, "sd_uw", s->sd_w, 1e6);
	ssdpm__json_scaled(w, "n_effective", s->n_effective, 1);
	ssdpm__json_string(w, "trend", trends[s->trend]);
	ssdpm__json_uint(w, "n_left_out", s->n_left_out);
	ssdpm__json_scaled(w, "trend_uw", s->trend_w, 1e6);
	ssdpm__json_scaled(w, "settled_mean_uw", s->settled_mean_w, 1e6);
	ssdpm__json_end(w, '}');
}

static void write_run(struct json_writer *w, const struct survey_result *r,
		      const struct survey_run_result *run)
{
	const struct ssdpm_survey_readings *of = run->readings;

	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_uint(w, "run", of->run);
	ssdpm__json_string(w, "policy",
			   ssdpm_survey_file_get_policy(r->file, of->policy));
	ssdpm__json_string(
		w, "scenario",
		ssdpm_survey_file_get_scenario(r->file, of->scenario));
	ssdpm__json_uint(w, "block", of->block + 1);
	ssdpm__json_string(w, "status", statuses[of->status]);
	ssdpm__json_uint(w, "n", of->n);
	ssdpm__json_scaled(w, "mean_uw", run->mean_w, 1e6);
	ssdpm__json_scaled(w, "latency_ns", run->latency_us, 1e3);
	write_summary(w, &run->summary);
	ssdpm__json_end(w, '}');
}

static void write_mean(struct json_writer *w, const struct survey_result *r,
		       const struct survey_comparison *c, uint32_t i)
{
	const struct ssdpm_survey_mean *m = &c->means[i];

	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "policy", survey_policy(r, c, i));
	ssdpm__json_uint(w, "n_runs", m->n_runs);
	write_value(w, c, "mean", m->mean_w);
	write_value(w, c, "low", m->low_w);
	write_value(w, c, "high", m->high_w);
	write_value(w, c, "se", m->se_w);
	if (c->quantity == QUANTITY_POWER)
		ssdpm__json_scaled(w, "share_ppm", m->share, 1e6);
	ssdpm__json_end(w, '}');
}

static void write_difference(struct json_writer *w,
			     const struct survey_result *r,
			     const struct survey_comparison *c,
			     const struct ssdpm_survey_difference *d)
{
	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "policy", survey_policy(r, c, d->policy));
	ssdpm__json_string(w, "other_policy",
			   survey_policy(r, c, d->other_policy));
	write_value(w, c, "difference", d->difference_w);
	write_value(w, c, "se", d->se_w);
	write_value(w, c, "low", d->low_w);
	write_value(w, c, "high", d->high_w);
	ssdpm__json_scaled(w, "p_ppm", d->p, 1e6);
	if (c->quantity == QUANTITY_POWER)
		ssdpm__json_scaled(w, "share_ppm", d->share, 1e6);
	ssdpm__json_bool(w, "different", d->different);
	ssdpm__json_end(w, '}');
}

static void write_comparison_of(struct json_writer *w,
				const struct survey_result *r,
				const struct survey_comparison *c)
{
	const struct ssdpm_survey_analysis *a = &c->analysis;
	uint32_t n = c->compared ? c->n_policies : 0;

	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "of", c->of);
	ssdpm__json_bool(w, "fio", c->fio);
	ssdpm__json_bool(w, "compared", c->compared);
	ssdpm__json_string(w, "reason", c->compared ? NULL : c->why);
	ssdpm__json_uint(w, "n_runs", c->n_runs);
	ssdpm__json_uint(w, "n_blocks", a->n_blocks);
	ssdpm__json_uint(w, "n_missing", a->n_missing);
	ssdpm__json_uint(w, "df", a->df);
	write_value(w, c, "sigma", c->compared ? a->sigma_w : NAN);
	write_value(w, c, "block_sigma", c->compared ? a->block_sigma_w : NAN);
	ssdpm__json_uint(w, "n_different", a->n_different);
	ssdpm__json_begin(w, "means", '[');
	for (uint32_t i = 0; i < n; i++)
		write_mean(w, r, c, i);
	ssdpm__json_end(w, ']');
	ssdpm__json_begin(w, "differences", '[');
	for (uint32_t i = 0; n && i < n * (n - 1) / 2; i++)
		write_difference(w, r, c, &c->differences[i]);
	ssdpm__json_end(w, ']');
	ssdpm__json_end(w, '}');
}

static void write_advice_of(struct json_writer *w,
			    const struct survey_result *r)
{
	static const char *const kinds[] = {
		[ADVICE_UNDECIDED] = "undecided",
		[ADVICE_NOT_SHOWN] = "not-shown",
		[ADVICE_KEEP] = "keep",
		[ADVICE_CHANGE] = "change",
	};
	const struct survey_advice *a = &r->advice;

	ssdpm__json_begin(w, "recommendation", '{');
	ssdpm__json_string(w, "kind", kinds[a->kind]);
	ssdpm__json_string(w, "policy", a->policy);
	ssdpm__json_string(w, "from", a->from);
	ssdpm__json_string(w, "scenario", a->power ? a->power->of : NULL);
	ssdpm__json_begin(w, "text", '[');
	for (size_t i = 0; i < a->n_lines; i++)
		ssdpm__json_string(w, NULL, a->lines[i]);
	ssdpm__json_end(w, ']');
	ssdpm__json_string(w, "warning", a->warning);
	ssdpm__json_string(w, "setting", a->setting[0] ? a->setting : NULL);
	ssdpm__json_string(w, "udev_rule", a->rule[0] ? a->rule : NULL);
	ssdpm__json_end(w, '}');
}

static void write_members(struct json_writer *w, const struct survey_result *r)
{
	static const char *const names[N_QUANTITIES] = { "power", "latency",
							 "throughput" };

	write_head(w, r);
	for (uint32_t q = 0; q < N_QUANTITIES; q++) {
		ssdpm__json_begin(w, names[q], '[');
		for (size_t i = 0; i < r->n_comparisons; i++)
			if (r->comparisons[i].quantity == q)
				write_comparison_of(w, r, &r->comparisons[i]);
		ssdpm__json_end(w, ']');
	}
	ssdpm__json_begin(w, "runs", '[');
	for (size_t i = 0; i < r->n_runs; i++)
		write_run(w, r, &r->runs[i]);
	ssdpm__json_end(w, ']');
	write_advice_of(w, r);
}

void write_survey(struct json_writer *w, const struct survey_result *result)
{
	ssdpm__json_begin(w, NULL, '{');
	write_members(w, result);
	ssdpm__json_end(w, '}');
}

/* Points of all runs together on a page: more are made fewer by means. */
#define PAGE_POINTS 40000

static void write_course(struct json_writer *w,
			 const struct ssdpm_survey_readings *r, size_t step)
{
	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_uint(w, "step", step);
	ssdpm__json_int(w, "begin_ns", r->time_ns ? r->time_ns[0] : 0);
	ssdpm__json_int(w, "end_ns", r->time_ns ? r->time_ns[r->n - 1] : 0);
	ssdpm__json_begin(w, "power_uw", '[');
	w->one_line = true;
	for (size_t i = 0; i < r->n; i += step) {
		double sum = 0, n = 0;

		for (size_t k = i; k < i + step && k < r->n; k++)
			if (isfinite(r->power_w[k])) {
				sum += r->power_w[k];
				n++;
			}
		if (n > 0)
			ssdpm__json_scaled(w, NULL, sum / n, 1e6);
		else
			ssdpm__json_null(w, NULL);
	}
	ssdpm__json_end(w, ']');
	ssdpm__json_end(w, '}');
}

enum exit_status write_survey_page(const struct page_options *page,
				   const struct survey_result *result)
{
	struct json_writer w = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < result->n_runs; i++)
		n += result->runs[i].readings->n;
	ssdpm__json_begin(&w, NULL, '{');
	ssdpm__json_string(&w, "title", "A survey of power policies");
	ssdpm__json_begin(&w, "survey", '{');
	write_members(&w, result);
	/* In the order of runs. */
	ssdpm__json_begin(&w, "courses", '[');
	for (size_t i = 0; i < result->n_runs; i++)
		write_course(&w, result->runs[i].readings, n / PAGE_POINTS + 1);
	ssdpm__json_end(&w, ']');
	ssdpm__json_end(&w, '}');
	ssdpm__json_end(&w, '}');
	return write_page(page, &w);
}
