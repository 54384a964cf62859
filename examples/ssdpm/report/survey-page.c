/* SPDX-License-Identifier: MIT */
/* The report of a survey as a page: its JSON, and all readings. */
#include "report/report.h"

#include <math.h>

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
				   const struct survey_report *report,
				   const char *json)
{
	const struct ssdpm_survey_readings *readings;
	struct json_writer w = { 0 };
	size_t n_runs, n = 0;

	readings = ssdpm_survey_file_get_readings(report->file, &n_runs);
	for (size_t i = 0; i < n_runs; i++)
		n += readings[i].n;
	ssdpm__json_begin(&w, NULL, '{');
	ssdpm__json_string(&w, "title", "A survey of power policies");
	ssdpm__json_begin(&w, "survey", '{');
	ssdpm__json_members(&w, json);
	/* In the order of runs. */
	ssdpm__json_begin(&w, "courses", '[');
	for (size_t i = 0; i < n_runs; i++)
		write_course(&w, &readings[i], n / PAGE_POINTS + 1);
	ssdpm__json_end(&w, ']');
	ssdpm__json_end(&w, '}');
	ssdpm__json_end(&w, '}');
	return write_page(page, &w);
}
