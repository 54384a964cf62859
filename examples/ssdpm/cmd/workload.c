/* SPDX-License-Identifier: MIT */
/* ssdpm workload: what is in a trace; traces made and converted. */
#include "text/output.h"
#include "input/trace-input.h"
#include "options/units.h"

#include <string.h>

struct settings {
	struct trace_options trace;
	bool list;
	const char *form;
	const char *path;
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "list", 0, NULL, "List the workloads that ssdpm can generate.",
	  SETS_FLAG(struct settings, list) },
	{ "to", 0, "npy|iolog|csv|fio-job",
	  "Write the trace in this format instead of statistics.",
	  SETS_TEXT(struct settings, form) },
	{ "output", 'o', "FILE", "Write to FILE. Default: standard output (-).",
	  SETS_TEXT(struct settings, path) },
};

static enum exit_status list_json(const struct common *common)
{
	struct items items = { 0 };
	struct ssdpm_error error;

	for (size_t i = 0; ssdpm_generator_get_name(i); i++) {
		char *text = NULL;
		int err = ssdpm_generator_to_json(i, &text, &error);

		add_item(&items, err, text, &error);
	}
	return print_items(common, &items);
}

static enum exit_status list(const struct common *common)
{
	const char *name;
	int width = 0;

	if (common->form)
		return list_json(common);
	for (size_t i = 0; (name = ssdpm_generator_get_name(i)); i++)
		if ((int)strlen(name) > width)
			width = (int)strlen(name);
	for (size_t i = 0; (name = ssdpm_generator_get_name(i)); i++)
		printf("  %-*s  %s\n", width, name,
		       ssdpm_generator_get_description(i));
	return STATUS_DONE;
}

static enum exit_status convert(const struct common *common,
				const struct settings *settings,
				const char *name)
{
	struct trace_input input;
	enum exit_status status;

	status = open_trace(common, &settings->trace, name, &input);
	if (status)
		return status;
	status = write_trace(common, &settings->trace, &input, settings->form,
			     settings->path ? settings->path : "-");
	close_trace(&input);
	return status;
}

static enum exit_status check(const struct common *common,
			      const struct settings *settings, size_t n)
{
	if (settings->form && check_trace_form(common, settings->form))
		return STATUS_USAGE;
	if (settings->list && (n || settings->form))
		return usage_error(common, "--list takes nothing else");
	if (settings->list)
		return STATUS_DONE;
	if (!n)
		return usage_error(common,
				   "no TRACE given; see ssdpm workload --help");
	if (settings->path && !settings->form)
		return usage_error(common, "--output requires --to");
	if (settings->form && n != 1)
		return usage_error(common, "--to takes one trace, here are %zu",
				   n);
	if (settings->form && common->form)
		return usage_error(common, "--to conflicts with --%s",
				   common->form_option);
	return STATUS_DONE;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n)
{
	const struct settings *settings = data;
	enum exit_status status = check(common, settings, n);

	if (status)
		return status;
	if (settings->list)
		return list(common);
	status = check_trace_options(common, &settings->trace,
				     (const char *const *)operands, n);
	if (status)
		return status;
	if (settings->form)
		return convert(common, settings, operands[0]);
	return describe_traces(common, &settings->trace, operands, n);
}

static const struct group_use groups[] = {
	RARE_USE(&trace_option_group, &the_settings.trace),
};

static const struct option_group own = {
	OPTIONS(options),
};

const struct subcommand cmd_workload = {
	.name = "workload",
	.operands = "TRACE...",
	.operands_optional = true,
	.list = "workloads",
	.summary = "Print what is in a trace of I/Os; generate or convert one.",
	.own = &own,
	GROUPS(groups),
	.examples = "  ssdpm workload --list\n"
		    "  ssdpm workload apst-1\n"
		    "  ssdpm workload --to iolog trace.csv > trace.iolog\n"
		    "  ssdpm workload --to npy --output t.npy lomax\n",
	.run = run,
	.settings = &the_settings,
};
