/* SPDX-License-Identifier: MIT */
/* The report of a survey for an issue tracker. */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void put_text(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (strchr("|\\`*_<>[]#", *text))
			putc('\\', file);
		putc(*text, file);
	}
}

static void put_means(FILE *file, const struct survey_report *r,
		      const struct ssdpm_survey_comparison *c)
{
	bool power = c->quantity == SSDPM_SURVEY_POWER;

	fprintf(file,
		"| policy | runs | mean | 95 %% interval |%s\n"
		"|---|---:|---:|---:|%s\n",
		power ? " share |" : "", power ? "---:|" : "");
	for (uint32_t i = 0; i < c->n_policies; i++) {
		const struct ssdpm_survey_mean *m = &c->analysis->means[i];

		fputs("| ", file);
		put_text(file, survey_policy(r, m->policy));
		fprintf(file, " | %u | %s | %s |", m->n_runs,
			quantity_text(c->quantity, m->mean_w).text,
			quantity_range(c->quantity, m->low_w, m->high_w).text);
		if (power && isfinite(m->share))
			fprintf(file, " %.3g %% |", m->share * 100);
		else if (power)
			fputs(" - |", file);
		putc('\n', file);
	}
}

static void put_differences(FILE *file, const struct survey_report *r,
			    const struct ssdpm_survey_comparison *c)
{
	uint32_t n = c->n_policies * (c->n_policies - 1) / 2;

	fputs("\n| policies | difference | interval | p | |\n"
	      "|---|---:|---:|---:|---|\n",
	      file);
	for (uint32_t i = 0; i < n; i++) {
		const struct ssdpm_survey_difference *d =
			&c->analysis->differences[i];

		fputs("| ", file);
		put_text(file, survey_policy(r, d->policy));
		fputs(" - ", file);
		put_text(file, survey_policy(r, d->other_policy));
		fprintf(file, " | %s | %s | %s | %s |\n",
			quantity_text(c->quantity, d->difference_w).text,
			quantity_range(c->quantity, d->low_w, d->high_w).text,
			survey_p_text(d->p).text,
			d->different ? "differ" : "not shown");
	}
}

static void put_comparison(FILE *file, const struct survey_report *r,
			   const struct ssdpm_survey_comparison *c)
{
	fputs("\n### ", file);
	put_text(file, comparison_title(c).text);
	fputs("\n\n", file);
	if (c->reason) {
		put_text(file, c->reason_text);
		putc('\n', file);
		return;
	}
	put_means(file, r, c);
	put_differences(file, r, c);
}

static void put_facts(FILE *file, const struct survey_report *r)
{
	static const char *const keys[] = { "drive", "machine", "meter",
					    "found" };
	const char *value;

	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		for (size_t i = 0;
		     (value = ssdpm_survey_file_get_fact(r->file, keys[k], i));
		     i++) {
			fprintf(file, "- %s: ", keys[k]);
			put_text(file, value);
			putc('\n', file);
		}
	fprintf(file, "- complete runs: %" PRIu64 ", left out: %" PRIu64 "\n",
		r->info->n_complete,
		r->info->n_incomplete + r->info->n_replaced);
	if (r->info->n_rise || r->info->n_fall)
		fprintf(file,
			"- runs with a slow begin, of which the settled rest "
			"counts: %" PRIu64 "\n",
			r->info->n_rise + r->info->n_fall);
}

static void put_advice(FILE *file, const struct survey_advice *a)
{
	fputs("\n### recommendation\n\n", file);
	for (size_t i = 0; i < a->n_lines; i++) {
		fputs("- ", file);
		put_text(file, a->lines[i]);
		putc('\n', file);
	}
	if (a->warning) {
		fputs("- **warning:** ", file);
		put_text(file, a->warning);
		putc('\n', file);
	}
	if (a->setting[0])
		fprintf(file, "\n```\n%s\n```\n", a->setting);
	if (a->rule[0]) {
		fputs("\n```\n", file);
		fputs(a->rule, file);
		fputs("```\n", file);
	}
}

enum exit_status begin_markdown(struct markdown *markdown)
{
	*markdown = (struct markdown){ 0 };
	markdown->file = open_memstream(&markdown->text, &markdown->size);
	return markdown->file ? STATUS_DONE : out_of_memory();
}

enum exit_status end_markdown(struct markdown *markdown, const char *path)
{
	enum exit_status status = STATUS_DONE;

	if (fclose(markdown->file))
		status = out_of_memory();
	else if (strcmp(path, "-"))
		status = save_file(path, markdown->text, markdown->size);
	else {
		fold_lines(false);
		fputs(markdown->text, stdout);
	}
	free(markdown->text);
	return status;
}

enum exit_status write_survey_markdown(const struct survey_report *report,
				       const struct survey_advice *advice,
				       const char *path)
{
	const struct ssdpm_survey_comparison *c;
	struct markdown markdown;

	if (begin_markdown(&markdown))
		return STATUS_FAILED;
	fputs("## Survey of power policies\n\n", markdown.file);
	put_facts(markdown.file, report);
	for (size_t i = 0;
	     (c = ssdpm_survey_result_get_comparison(report->result, i)); i++)
		put_comparison(markdown.file, report, c);
	put_advice(markdown.file, advice);
	return end_markdown(&markdown, path);
}
