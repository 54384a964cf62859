/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "options/units.h"

#include <string.h>

static const struct option_spec options[] = {
	{ "error-rate", 0, "SHARE",
	  "survey, merge: how often chance may show a difference (default: "
	  "5%)" },
	{ "system-power", 0, "POWER",
	  "survey: of all the machine, where the meter sees a part of it" },
	{ "markdown", 0, "FILE",
	  "survey, merge: write the report for an issue tracker too; -: nothing but "
	  "it" },
};

static enum exit_status set_rate(struct survey_report_options *settings,
				 const struct common *common,
				 const char *argument)
{
	uint64_t ppm;

	if (parse_share(common, "error-rate", argument, &ppm))
		return STATUS_USAGE;
	if (!ppm || ppm >= 1000000)
		return usage_error(common,
				   "--error-rate %s: above 0 and below 100%%",
				   argument);
	settings->error_rate = (double)ppm / 1e6;
	return STATUS_DONE;
}

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct survey_report_options *settings = data;
	uint32_t uw;

	settings->first = option->name;
	if (!strcmp(option->name, "error-rate"))
		return set_rate(settings, common, argument);
	if (!strcmp(option->name, "markdown")) {
		settings->markdown = argument;
		return STATUS_DONE;
	}
	if (parse_power(common, "system-power", argument, &uw))
		return STATUS_USAGE;
	settings->system_power_w = (double)uw / 1e6;
	return STATUS_DONE;
}

const struct option_group survey_report_group = {
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.set = set,
};

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

static enum exit_status print_report(
	const struct common *common,
	const struct survey_report_options *settings,
	const struct survey_result *result)
{
	bool to_stdout = settings->markdown && !strcmp(settings->markdown, "-");
	struct json_writer w = { 0 };

	if (to_stdout)
		return STATUS_DONE;
	if (!common->form) {
		print_survey(result);
		return STATUS_DONE;
	}
	begin_list(&w, common);
	write_survey(&w, result);
	return print_written(common, &w);
}

enum exit_status report_survey(const struct common *common,
			       const struct survey_report_options *settings,
			       const struct page_options *page,
			       const char *name)
{
	struct survey_result result;
	enum exit_status status;

	status = check_markdown(common, settings);
	if (!status)
		status = check_page(common, page);
	if (status)
		return status;
	status = load_survey(name, settings, &result);
	if (!status && settings->markdown)
		status = write_survey_markdown(&result, settings->markdown);
	if (!status && page->path)
		status = write_survey_page(page, &result);
	if (!status)
		status = print_report(common, settings, &result);
	free_survey(&result);
	return status;
}
