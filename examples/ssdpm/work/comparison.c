/* SPDX-License-Identifier: MIT */
#include "work/comparison.h"

#include "html/html.h"
#include "options/numbers.h"
#include "text/device.h"
#include "text/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* As text of the terminal: see print.h. */
static void print_quoted(const char *text)
{
	char *quoted = NULL;
	size_t size;
	FILE *file = open_memstream(&quoted, &size);

	if (!file)
		return;
	putc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', file);
		putc(*text, file);
	}
	putc('"', file);
	if (!fclose(file))
		printf("%s", quoted);
	free(quoted);
}

void csv_text(const char *text, char end)
{
	if (text[strcspn(text, ",\"\r\n")])
		print_quoted(text);
	else
		printf("%s", text);
	putchar(end);
}

void csv_names(const struct estimate *e, const struct job *job)
{
	csv_text(e->subject->drive->name, ',');
	csv_text(e->trace, ',');
	csv_text(job->policy->name, ',');
}

bool may_lose_data(const struct job *job)
{
	return job->row.resolved.lpm == SSDPM_LPM_MIN_POWER &&
	       !job->row.refused;
}

static bool is_measured(const struct subject *subject)
{
	for (size_t i = 0; i < subject->n_parameters; i++)
		if (subject->parameters[i].provenance ==
		    SSDPM_PROVENANCE_MEASURED)
			return true;
	return false;
}

/* "l0", or "l1.2 to l0": not known. */
static const char *link_text(uint32_t link)
{
	return link ? ssdpm_pcie_link_to_string(link) : "l1.2 to l0";
}

void print_taken(const struct subject *subject,
		 const struct sim_options *options)
{
	struct ssdpm_device_settings settings = find_settings(subject->drive);
	uint32_t quirks = subject->quirks.in_force & APST_QUIRKS;

	const struct ssdpm_device_facts *facts;

	if (!subject->drive->device)
		return;
	if (ssdpm_model_get_info(subject->drive->model)->kind !=
	    SSDPM_KIND_NVME) {
		if (settings.lpm < SSDPM_LPM_MAX_PERFORMANCE)
			puts("  the machine says: nothing of the link policy, "
			     "so it is a range, min_power to max_performance");
		return;
	}
	facts = ssdpm_device_get_facts(subject->drive->device);
	fputs("  the machine says: ", stdout);
	if (!options->pcie_link && settings.pcie_link)
		printf("link in %s while asleep; ",
		       link_text(settings.pcie_link));
	else if (!options->pcie_link)
		printf("nothing of the link, so it is a range, %s; ",
		       link_text(0));
	if (!(settings.known & SSDPM_SETTING_QUIRKS))
		fputs("nothing of quirks", stdout);
	else if (quirks)
		print_quirks(stdout, quirks);
	else
		fputs("no quirk of APST", stdout);
	if (facts->known & SSDPM_FACT_LATENCY_TOLERANCE &&
	    !facts->latency_tolerance_us)
		fputs("; APST is off, the latency limit is 0", stdout);
	putchar('\n');
}

void print_subject(const struct estimate *e, const struct sim_options *options)
{
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(e->subject->drive->model);
	uint32_t loop = options->loop ? options->loop : SSDPM_LOOP_CLOSED;
	uint32_t link = find_link(options, e->subject->drive);

	printf("%s%s%s on %s, %s loop", e->subject->drive->name,
	       info->product[0] ? ": " : "", info->product, e->trace,
	       ssdpm_loop_to_string(loop));
	if (info->kind == SSDPM_KIND_NVME)
		printf(", asleep with the link in %s", link_text(link));
	if (is_measured(e->subject))
		fputs(", with measured values", stdout);
	if (options->spare_ppm)
		printf(", %s of the flash spare",
		       share_text(options->spare_ppm, 1000000).text);
	putchar('\n');
	print_taken(e->subject, options);
}

enum exit_status check_stdin(const struct common *common, char **drives,
			     size_t n_drives, const char *const *traces,
			     size_t n_traces)
{
	size_t n = 0;

	for (size_t i = 0; i < n_drives; i++)
		n += !strcmp(drives[i], "-");
	for (size_t i = 0; i < n_traces; i++)
		n += !strcmp(traces[i], "-");
	if (n < 2)
		return STATUS_DONE;
	return usage_error(common, "standard input is named twice");
}

enum exit_status check_inputs(const struct common *common,
			      const struct trace_options *options,
			      const char *const *traces, size_t n_traces,
			      char **drives, size_t n_drives,
			      const struct page_options *page)
{
	if (check_trace_options(common, options, traces, n_traces) ||
	    check_stdin(common, drives, n_drives, traces, n_traces))
		return STATUS_USAGE;
	return check_page(common, page);
}

struct number value_text(uint32_t kind, uint64_t value)
{
	struct number number;

	switch (kind) {
	case SSDPM_PARAMETER_IDLE_POWER:
	case SSDPM_PARAMETER_ACTIVE_POWER:
	case SSDPM_PARAMETER_TRANSITION_POWER:
	case SSDPM_PARAMETER_LINK_POWER:
		return power_text((int64_t)value);
	case SSDPM_PARAMETER_BASE_LATENCY:
		return time_text(value);
	case SSDPM_PARAMETER_OPERATION_ENERGY:
		return energy_text(value);
	case SSDPM_PARAMETER_BYTE_ENERGY:
		snprintf(number.text, sizeof(number.text), "%" PRIu64 " pJ",
			 value);
		return number;
	case SSDPM_PARAMETER_BACKGROUND_TIME:
		snprintf(number.text, sizeof(number.text), "%" PRIu64 " ps",
			 value);
		return number;
	case SSDPM_PARAMETER_BANDWIDTH:
		number = bytes_text(value);
		strcat(number.text, "/s");
		return number;
	default:
		return time_text(value * 1000);
	}
}

static const struct {
	uint32_t kind;
	const char *name;
	bool of_op, of_state;
} names[] = {
	{ SSDPM_PARAMETER_IDLE_POWER, "idle power", false, true },
	{ SSDPM_PARAMETER_ACTIVE_POWER, "active power", true, false },
	{ SSDPM_PARAMETER_TRANSITION_POWER, "transition power", false, false },
	{ SSDPM_PARAMETER_LINK_POWER, "link power", false, false },
	{ SSDPM_PARAMETER_ENTRY_LATENCY, "entry latency", false, true },
	{ SSDPM_PARAMETER_EXIT_LATENCY, "exit latency", false, true },
	{ SSDPM_PARAMETER_BASE_LATENCY, "base latency", true, false },
	{ SSDPM_PARAMETER_BANDWIDTH, "bandwidth", true, false },
	{ SSDPM_PARAMETER_OPERATION_ENERGY, "operation energy", true, false },
	{ SSDPM_PARAMETER_BYTE_ENERGY, "byte energy", true, false },
	{ SSDPM_PARAMETER_LINK_IDLE_TIME, "link idle time", false, true },
	{ SSDPM_PARAMETER_BACKGROUND_TIME, "work after a byte", false, false },
};

struct number parameter_text(uint32_t kind, uint32_t index, uint32_t last)
{
	struct number text;
	const size_t size = sizeof(text.text);
	size_t i = 0;

	while (names[i].kind != kind)
		i++;
	if (names[i].of_op && last > index)
		snprintf(text.text, size, "%s %s-%s", names[i].name,
			 ssdpm_op_to_string(index + 1),
			 ssdpm_op_to_string(last + 1));
	else if (names[i].of_op)
		snprintf(text.text, size, "%s %s", names[i].name,
			 ssdpm_op_to_string(index + 1));
	else if (names[i].of_state)
		snprintf(text.text, size, "%s %.16s", names[i].name,
			 states_text(index, last).text);
	else
		snprintf(text.text, size, "%s", names[i].name);
	return text;
}

static void known_row(struct table *rows, const struct ssdpm_parameter *p,
		      uint32_t last)
{
	bool range = p->low != p->high;

	table_row(rows, parameter_text(p->kind, p->index, last).text,
		  range ? value_text(p->kind, p->low).text : "",
		  value_text(p->kind, p->nominal).text,
		  range ? value_text(p->kind, p->high).text : "",
		  ssdpm_provenance_to_string(p->provenance), p->rule);
}

static bool is_the_same(const struct ssdpm_parameter *a,
			const struct ssdpm_parameter *b)
{
	return a->kind == b->kind && a->provenance == b->provenance &&
	       a->low == b->low && a->nominal == b->nominal &&
	       a->high == b->high && !strcmp(a->rule, b->rule);
}

/* Neighbours of the same value stand on one line. */
void print_known(const struct ssdpm_parameter *p, size_t n)
{
	struct table rows;

	table_begin(&rows, "<>>><<", "taken for known", "low", "nominal",
		    "high", "source", "rule");
	for (size_t i = 0, last; i < n; i = last + 1) {
		last = i;
		while (last + 1 < n && is_the_same(&p[i], &p[last + 1]))
			last++;
		known_row(&rows, &p[i], p[last].index);
	}
	table_print(&rows);
}

void begin_possible(struct table *rows)
{
	table_begin(rows, "<>>>", "possible saving", "low", "nominal", "high");
}

void possible_row(struct table *rows, const char *name,
		  const struct ssdpm_saving *saving)
{
	table_row(rows, name, power_text(saving->low_uw).text,
		  power_text(saving->nominal_uw).text,
		  power_text(saving->high_uw).text);
}

struct cell delays_text(const struct ssdpm_run *run)
{
	if (!run->n_delayed)
		return cell("delays no I/O");
	return cell("delays %s of the I/Os by %s on average",
		    share_text(run->n_delayed, all_ios(run)).text,
		    time_text(run->delay_mean_delayed_ns).text);
}

void add_comparison(struct items *items, const struct estimate *e,
		    const struct sim_options *options)
{
	const struct ssdpm_comparison_report report = {
		.size = sizeof(report),
		.drive = e->subject->drive->name,
		.model = e->subject->drive->model,
		.trace = e->trace,
		.counts = &e->counts,
		.comparison = e->comparison,
		.spare_ppm = options->spare_ppm,
	};
	struct ssdpm_error error;
	char *text = NULL;
	int err = ssdpm_comparison_report_to_json(&report, &text, &error);

	add_item(items, err, text, &error);
}
