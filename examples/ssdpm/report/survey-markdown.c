/* SPDX-License-Identifier: MIT */
/* The report of a survey for an issue tracker. */
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* What comes from the file can end no cell, and begin no tag. */
static void put_text(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (strchr("|\\`*_<>[]#", *text))
			putc('\\', file);
		putc(*text, file);
	}
}

static void put_means(FILE *file, const struct survey_result *r,
		      const struct survey_comparison *c)
{
	bool power = c->quantity == QUANTITY_POWER;

	fprintf(file,
		"| policy | runs | mean | 95 %% interval |%s\n"
		"|---|---:|---:|---:|%s\n",
		power ? " share |" : "", power ? "---:|" : "");
	for (uint32_t i = 0; i < c->n_policies; i++) {
		const struct ssdpm_survey_mean *m = &c->means[i];

		fputs("| ", file);
		put_text(file, survey_policy(r, c, i));
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

static void put_differences(FILE *file, const struct survey_result *r,
			    const struct survey_comparison *c)
{
	uint32_t n = c->n_policies * (c->n_policies - 1) / 2;

	fputs("\n| policies | difference | interval | p | |\n"
	      "|---|---:|---:|---:|---|\n",
	      file);
	for (uint32_t i = 0; i < n; i++) {
		const struct ssdpm_survey_difference *d = &c->differences[i];

		fputs("| ", file);
		put_text(file, survey_policy(r, c, d->policy));
		fputs(" - ", file);
		put_text(file, survey_policy(r, c, d->other_policy));
		fprintf(file, " | %s | %s | %s | %s |\n",
			quantity_text(c->quantity, d->difference_w).text,
			quantity_range(c->quantity, d->low_w, d->high_w).text,
			survey_p_text(d->p).text,
			d->different ? "differ" : "not shown");
	}
}

static void put_comparison(FILE *file, const struct survey_result *r,
			   const struct survey_comparison *c)
{
	fputs("\n### ", file);
	put_text(file, comparison_title(c).text);
	fputs("\n\n", file);
	if (!c->compared) {
		put_text(file, c->why);
		putc('\n', file);
		return;
	}
	put_means(file, r, c);
	put_differences(file, r, c);
}

static void put_facts(FILE *file, const struct survey_result *r)
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
	fprintf(file, "- complete runs: %zu, left out: %zu\n",
		r->n_status[SSDPM_SURVEY_RUN_COMPLETE],
		r->n_status[SSDPM_SURVEY_RUN_INCOMPLETE] +
			r->n_status[SSDPM_SURVEY_RUN_REPLACED]);
	if (r->n_trends[SSDPM_SURVEY_TREND_RISE] ||
	    r->n_trends[SSDPM_SURVEY_TREND_FALL])
		fprintf(file,
			"- runs with a slow begin, of which the settled rest "
			"counts: %zu\n",
			r->n_trends[SSDPM_SURVEY_TREND_RISE] +
				r->n_trends[SSDPM_SURVEY_TREND_FALL]);
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

FILE *open_markdown(const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "we") : stdout;

	if (!file)
		complain("%s: %s", path, strerror(errno));
	return file;
}

enum exit_status close_markdown(FILE *file, const char *path)
{
	bool failed = ferror(file);

	if (file == stdout || (!fclose(file) && !failed))
		return STATUS_DONE;
	complain("%s: %s", path, strerror(errno));
	return STATUS_FAILED;
}

static void put_all(FILE *file, const struct survey_result *r)
{
	fputs("## Survey of power policies\n\n", file);
	put_facts(file, r);
	for (size_t i = 0; i < r->n_comparisons; i++)
		put_comparison(file, r, &r->comparisons[i]);
	put_advice(file, &r->advice);
}

enum exit_status write_survey_markdown(const struct survey_result *result,
				       const char *path)
{
	FILE *file = open_markdown(path);

	if (!file)
		return STATUS_FAILED;
	put_all(file, result);
	return close_markdown(file, path);
}
