/* SPDX-License-Identifier: MIT */
/* The report of a survey as a page: its JSON, and all readings. */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>

/* Points of all runs together on a page: more are made fewer by means. */
#define PAGE_POINTS 40000

static void put_course(FILE *file, const struct ssdpm_survey_readings *r,
		       size_t step)
{
	fprintf(file, "{\"step\": %zu, \"begin_ns\": %" PRId64, step,
		r->time_ns ? r->time_ns[0] : 0);
	fprintf(file, ", \"end_ns\": %" PRId64 ", \"power_uw\": [",
		r->time_ns ? r->time_ns[r->n - 1] : 0);
	for (size_t i = 0; i < r->n; i += step) {
		double sum = 0, n = 0;

		for (size_t k = i; k < i + step && k < r->n; k++)
			if (isfinite(r->power_w[k])) {
				sum += r->power_w[k];
				n++;
			}
		fputs(i ? ", " : "", file);
		if (n > 0)
			fprintf(file, "%.0f", sum / n * 1e6);
		else
			fputs("null", file);
	}
	fputs("]}", file);
}

enum exit_status write_survey_page(const struct common *common,
				   const struct page_options *options,
				   const struct survey_report *report,
				   const struct survey_advice *advice,
				   const char *json)
{
	const struct ssdpm_survey_readings *readings;
	struct page page;
	size_t n_runs, n = 0;

	readings = ssdpm_survey_file_get_readings(report->file, &n_runs);
	for (size_t i = 0; i < n_runs; i++)
		n += readings[i].n;
	if (begin_page(&page, "A survey of power policies", advice->lines[0]))
		return STATUS_FAILED;
	fputs(",\n\"survey\": ", page.file);
	fputs(json, page.file);
	/* In the order of runs. */
	fputs(",\n\"courses\": [", page.file);
	for (size_t i = 0; i < n_runs; i++) {
		fputs(i ? ",\n" : "", page.file);
		put_course(page.file, &readings[i], n / PAGE_POINTS + 1);
	}
	putc(']', page.file);
	return end_page(common, options, &page);
}
