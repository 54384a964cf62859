/* SPDX-License-Identifier: MIT */
#include "input/trace-input.h"

#include "options/numbers.h"
#include "text/output.h"

#include <stdlib.h>

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
		say_reading(common, input);
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
	struct table rows;

	table_begin(&rows, "<>>>>", "", "I/Os", "share", "data", "mean size");
	for (uint32_t i = 0; i < SSDPM_N_OPS; i++)
		if (s->n_ios[i])
			table_row(&rows, ssdpm_op_to_string(i + 1),
				  count_text(s->n_ios[i]).text,
				  share_text(s->n_ios[i], sum(s->n_ios)).text,
				  bytes_text(s->bytes[i]).text,
				  bytes_text(s->bytes[i] / s->n_ios[i]).text);
	table_print(&rows);
}

static void print_long_gaps(const struct ssdpm_trace_stats *s)
{
	struct table rows;
	uint64_t limit_ns;

	table_begin(&rows, ">>>>", "idle longer than", "times", "of all",
		    "of the idle time");
	for (uint32_t i = 0; (limit_ns = ssdpm_stats_get_limit_ns(i)); i++)
		table_row(&rows, time_text(limit_ns).text,
			  count_text(s->n_longer[i]).text,
			  share_text(s->n_longer[i], s->n_gaps).text,
			  share_text(s->longer_ns[i], s->idle_ns).text);
	table_print(&rows);
}

static void print_answer(const struct answer *a)
{
	const struct ssdpm_trace_stats *s = &a->stats;
	uint64_t n = sum(s->n_ios);

	printf("%s: %s in %s, %s busy\n", a->name, counted(n, "I/O").text,
	       time_text(s->duration_ns).text,
	       share_text(s->busy_ns, s->duration_ns).text);
	if (!n)
		return;
	print_mix(s);
	printf("  sequential: %s of the I/Os begin where the one before ended\n",
	       share_text(s->n_sequential, n).text);
	if (a->counts.n_unsized)
		printf("  no size is in the trace for %s of the I/Os; here "
		       "they have 0 bytes\n",
		       share_text(a->counts.n_unsized, n).text);
	if (a->counts.n_untyped)
		printf("  no operation is in the trace for %s of the I/Os; "
		       "here they are reads\n",
		       share_text(a->counts.n_untyped, n).text);
	if (s->n_unknown_service)
		printf("  no service time is recorded for %s of the I/Os; here "
		       "they take none\n",
		       share_text(s->n_unknown_service, n).text);
	if (!s->n_gaps) {
		puts("  the drive is never idle");
		return;
	}
	printf("  idle: %s; half of them longer than %s, 1 %% longer "
	       "than %s, at most %s\n",
	       counted(s->n_gaps, "time").text, time_text(s->gap_p50_ns).text,
	       time_text(s->gap_p99_ns).text, time_text(s->gap_max_ns).text);
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

enum exit_status describe_traces(const struct common *common,
				 const struct trace_options *options,
				 char **names, size_t n)
{
	struct answer *answers = calloc(n, sizeof(*answers));
	enum exit_status status = STATUS_DONE;

	if (!answers)
		return out_of_memory();
	for (size_t i = 0; i < n && !status; i++) {
		struct trace_input input;

		status = open_trace(common, options, names[i], &input);
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
