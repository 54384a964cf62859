/* SPDX-License-Identifier: MIT */
/* ssdpm workload: what is in a trace; traces made and converted. */
#include "options/numbers.h"
#include "text/output.h"
#include "input/trace-input.h"
#include "options/units.h"
#include "work/workload-write.h"

#include <stdlib.h>
#include <string.h>

struct settings {
	struct trace_options trace;
	bool list;
	const char *form;
	const char *path;
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "list", 'l', NULL, "list the workloads that can be made",
	  SETS_FLAG(struct settings, list) },
	{ "to", 't', "npy|iolog|csv|fio-job",
	  "write the trace in this form, and no statistics",
	  SETS_TEXT(struct settings, form) },
	{ "output", 'o', "FILE", "where to; - is standard output, the default",
	  SETS_TEXT(struct settings, path) },
};

struct answer {
	const char *name;
	struct ssdpm_trace_counts counts;
	struct ssdpm_trace_stats stats;
};

static enum exit_status feed(void *data, struct trace_input *input,
			     const struct ssdpm_io *ios, size_t n)
{
	struct ssdpm_error error;

	return ssdpm_stats_feed(data, ios, n, &error) ?
		       complain_of_trace(input, &error) :
		       STATUS_DONE;
}

static enum exit_status count(const struct common *common,
			      struct trace_input *input, struct answer *answer)
{
	struct ssdpm_stats *stats = NULL;
	enum exit_status status = STATUS_FAILED;
	struct ssdpm_error error;

	answer->name = input->name;
	answer->stats.size = sizeof(answer->stats);
	if (ssdpm_stats_new(NULL, &stats, &error))
		complain_of_trace(input, &error);
	else
		status = stream_trace(input, feed, stats);
	if (!status && ssdpm_stats_get(stats, &answer->stats, &error)) {
		complain_of_trace(input, &error);
		status = STATUS_FAILED;
	}
	if (!status)
		say_counts(common, input);
	answer->counts = *ssdpm_trace_get_counts(input->trace);
	ssdpm_stats_free(stats);
	return status;
}

static void add_answer(struct items *items, const struct answer *a)
{
	const struct ssdpm_workload_report report = {
		.size = sizeof(report),
		.name = a->name,
		.counts = &a->counts,
		.stats = &a->stats,
	};
	struct ssdpm_error error;
	char *text = NULL;
	int err = ssdpm_workload_report_to_json(&report, &text, &error);

	add_item(items, err, text, &error);
}

static uint64_t sum(const uint64_t values[SSDPM_MAX_OPS])
{
	uint64_t result = 0;

	for (size_t i = 0; i < SSDPM_N_OPS; i++)
		result += values[i];
	return result;
}

static void print_mix(const struct ssdpm_trace_stats *s)
{
	static struct table rows;

	rows = (struct table){ .n_columns = 5, .align = "<>>>>" };
	table_cell(&rows, 1, "I/Os");
	table_cell(&rows, 2, "share");
	table_cell(&rows, 3, "data");
	table_cell(&rows, 4, "mean size");
	table_end_row(&rows);
	for (uint32_t i = 0; i < SSDPM_N_OPS; i++) {
		if (!s->n_ios[i])
			continue;
		table_cell(&rows, 0, "%s", ssdpm_op_to_string(i + 1));
		table_cell(&rows, 1, "%s", count_text(s->n_ios[i]).text);
		table_cell(&rows, 2, "%s",
			   share_text(s->n_ios[i], sum(s->n_ios)).text);
		table_cell(&rows, 3, "%s", bytes_text(s->bytes[i]).text);
		table_cell(&rows, 4, "%s",
			   bytes_text(s->bytes[i] / s->n_ios[i]).text);
		table_end_row(&rows);
	}
	table_print(&rows);
}

static void print_long_gaps(const struct ssdpm_trace_stats *s)
{
	static struct table rows;
	uint64_t limit_ns;

	rows = (struct table){ .n_columns = 4, .align = ">>>>" };
	table_cell(&rows, 0, "idle longer than");
	table_cell(&rows, 1, "times");
	table_cell(&rows, 2, "of all");
	table_cell(&rows, 3, "of the idle time");
	table_end_row(&rows);
	for (uint32_t i = 0; (limit_ns = ssdpm_stats_get_limit_ns(i)); i++) {
		table_cell(&rows, 0, "%s", time_text(limit_ns).text);
		table_cell(&rows, 1, "%s", count_text(s->n_longer[i]).text);
		table_cell(&rows, 2, "%s",
			   share_text(s->n_longer[i], s->n_gaps).text);
		table_cell(&rows, 3, "%s",
			   share_text(s->longer_ns[i], s->idle_ns).text);
		table_end_row(&rows);
	}
	table_print(&rows);
}

static void print_answer(const struct answer *a)
{
	const struct ssdpm_trace_stats *s = &a->stats;
	uint64_t n = sum(s->n_ios);

	printf("%s: %s %s in %s, %s busy\n", a->name, count_text(n).text,
	       n == 1 ? "I/O" : "I/Os", time_text(s->duration_ns).text,
	       share_text(s->busy_ns, s->duration_ns).text);
	if (!n)
		return;
	print_mix(s);
	printf("  sequential: %s of the I/Os begin where the one before ended\n",
	       share_text(s->n_sequential, n).text);
	if (s->n_unknown_service)
		printf("  no service time is recorded for %s of the I/Os; here "
		       "they take none\n",
		       share_text(s->n_unknown_service, n).text);
	if (!s->n_gaps) {
		puts("  the drive is never idle");
		return;
	}
	printf("  idle: %s %s; half of them longer than %s, 1 %% longer "
	       "than %s, at most %s\n",
	       count_text(s->n_gaps).text, s->n_gaps == 1 ? "time" : "times",
	       time_text(s->gap_p50_ns).text, time_text(s->gap_p99_ns).text,
	       time_text(s->gap_max_ns).text);
	print_long_gaps(s);
}

static enum exit_status print_answers(const struct common *common,
				      const struct answer *answers, size_t n)
{
	struct items items = { 0 };

	for (size_t i = 0; i < n && !common->form; i++) {
		if (i)
			putchar('\n');
		print_answer(&answers[i]);
	}
	if (!common->form)
		return STATUS_DONE;
	for (size_t i = 0; i < n; i++)
		add_answer(&items, &answers[i]);
	return print_items(common, &items);
}

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

static enum exit_status answer_all(const struct common *common,
				   const struct settings *settings,
				   char **names, size_t n)
{
	struct answer *answers = calloc(n, sizeof(*answers));
	enum exit_status status = STATUS_DONE;

	if (!answers)
		return out_of_memory();
	for (size_t i = 0; i < n && !status; i++) {
		struct trace_input input;

		status = open_trace(common, &settings->trace, names[i], &input);
		if (status)
			break;
		status = count(common, &input, &answers[i]);
		close_trace(&input);
	}
	if (!status)
		status = print_answers(common, answers, n);
	free(answers);
	return status;
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
		return usage_error(common, "--output needs --to");
	if (settings->form && n != 1)
		return usage_error(common, "--to takes one trace, here are %zu",
				   n);
	if (settings->form && common->form)
		return usage_error(common, "--to and --%s exclude each other",
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
	return answer_all(common, settings, operands, n);
}

static const struct group_use groups[] = {
	{ &trace_option_group, &the_settings.trace },
};

static const struct option_group own = {
	OPTIONS(options),
};

const struct subcommand cmd_workload = {
	.name = "workload",
	.operands = "TRACE...",
	.operands_optional = true,
	.list = "workloads",
	.summary = "Say what is in a trace of I/Os; make one, convert one.",
	.own = &own,
	GROUPS(groups),
	.examples = "  ssdpm workload --list\n"
		    "  ssdpm workload apst-1\n"
		    "  ssdpm workload --skip-bad trace.csv\n"
		    "  ssdpm workload --to iolog trace.csv > trace.iolog\n"
		    "  ssdpm workload --seed 7 --to npy --output t.npy lomax\n",
	.run = run,
	.settings = &the_settings,
};
