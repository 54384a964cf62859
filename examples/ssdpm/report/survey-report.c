/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "options/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPORT struct survey_report_options

static const struct option_spec options[] = {
	{ "error-rate", 0, "SHARE",
	  "survey, merge: Set how often chance may show a "
	  "difference. Default: 5%.",
	  SETS_REAL(REPORT, error_rate, SHARE_PPM, 1e6), .min = 1,
	  .max = WHOLE_PPM - 1, .range = "above 0 and below 100%" },
	{ "system-power", 0, "POWER",
	  "survey: Set the power of the machine, if the meter sees a "
	  "part of it.",
	  SETS_REAL(REPORT, system_power_w, POWER_UW, 1e6), .min = 1,
	  .max = UINT32_MAX },
	{ "markdown", 0, "FILE",
	  "survey, merge: Also write the report for an issue "
	  "tracker; - writes nothing else.",
	  SETS_TEXT(REPORT, markdown) },
};

const struct option_group survey_report_group = {
	OPTIONS(options),
	.title = "Report of a survey",
	KEEPS_GIVEN(REPORT, given),
};

/* The first option that only a report takes, not a survey that runs. */
const char *report_option(const struct survey_report_options *settings,
			  const struct page_options *page)
{
	const char *given =
		option_not_for(&survey_report_group, settings->given, 0);

	return given	      ? given :
	       page->path     ? "html" :
	       page->chart_js ? "chart-js" :
				NULL;
}

enum exit_status check_markdown(const struct common *common,
				const struct survey_report_options *settings)
{
	if (!settings->markdown || strcmp(settings->markdown, "-") ||
	    !common->form)
		return STATUS_DONE;
	return usage_error(common,
			   "--markdown - takes the place of what --%s prints",
			   common->form_option);
}

static enum exit_status open_survey(struct survey_report *report)
{
	bool is_stdin = !strcmp(report->name, "-");
	int fd = is_stdin ? 0 : open(report->name, O_RDONLY | O_CLOEXEC);
	struct ssdpm_error error;

	if (fd < 0)
		return cannot("read", report->name, errno);
	int err = ssdpm_survey_file_open(fd, &report->file, &error);
	if (!is_stdin)
		close(fd);
	if (!err)
		return STATUS_DONE;
	if (error.line)
		complain("%s:%u: %s", report->name, error.line, error.message);
	else
		complain("%s: %s", report->name, error.message);
	return STATUS_FAILED;
}

enum exit_status load_survey(const char *name,
			     const struct survey_report_options *settings,
			     struct survey_report *ret_report)
{
	const struct ssdpm_survey_result_params params = {
		.size = sizeof(params),
		.name = name,
		.error_rate = settings->error_rate,
		.system_power_w = settings->system_power_w,
	};
	struct survey_report *report = ret_report;
	struct ssdpm_error error;
	enum exit_status status;

	*report = (struct survey_report){ .name = name };
	status = open_survey(report);
	if (status)
		return status;
	if (ssdpm_survey_result_new(report->file, &params, &report->result,
				    &error))
		return failure("%s: %s", name, error.message);
	report->info = ssdpm_survey_result_get_info(report->result);
	return STATUS_DONE;
}

void free_survey(struct survey_report *report)
{
	ssdpm_survey_result_free(report->result);
	ssdpm_survey_file_free(report->file);
}

static int to_json(const struct survey_report *report,
		   const struct survey_advice *advice, char **ret_json,
		   struct ssdpm_error *reterr)
{
	const struct ssdpm_survey_words words = {
		.lines = advice->line_at,
		.n_lines = advice->n_lines,
		.warning = advice->warning,
		.setting = advice->setting[0] ? advice->setting : NULL,
		.udev_rule = advice->rule[0] ? advice->rule : NULL,
	};
	return ssdpm_survey_result_to_json(report->result, &words, ret_json,
					   reterr);
}

/* The report as JSON. */
static enum exit_status write_json(const struct common *common,
				   const struct page_options *page,
				   const struct survey_report *report,
				   const struct survey_advice *advice)
{
	enum exit_status status = STATUS_DONE;
	struct ssdpm_error error;
	char *json;

	if (!page->path && !common->form)
		return STATUS_DONE;
	if (to_json(report, advice, &json, &error))
		return failure("%s: %s", report->name, error.message);
	if (page->path)
		status = write_survey_page(common, page, report, advice, json);
	if (!status && common->form)
		return print_item(common, 0, json, &error);
	free(json);
	return status;
}

enum exit_status report_survey(const struct common *common,
			       const struct survey_report_options *settings,
			       const struct page_options *page,
			       const char *name)
{
	const char *markdown = settings->markdown;
	struct survey_report report;
	struct survey_advice advice;
	enum exit_status status;

	status = check_markdown(common, settings);
	if (!status)
		status = check_page(common, page);
	if (status)
		return status;
	status = load_survey(name, settings, &report);
	if (!status) {
		advise(&report, &advice);
		if (markdown)
			status = write_survey_markdown(&report, &advice,
						       markdown);
	}
	if (!status)
		status = write_json(common, page, &report, &advice);
	if (!status && !common->form && !(markdown && !strcmp(markdown, "-")))
		print_survey(&report, &advice);
	free_survey(&report);
	return status;
}
