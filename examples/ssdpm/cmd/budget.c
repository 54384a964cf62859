/* SPDX-License-Identifier: MIT */
/* ssdpm budget: a state for each drive, so that all of them fit. */
#include "input/budget-words.h"
#include "work/budget.h"
#include "work/comparison.h"
#include "text/output.h"
#include "options/units.h"

#include <stdlib.h>
#include <string.h>

#define IO_BYTES 131072

struct settings {
	struct budget_options options;
	bool frontier;
	uint64_t given; /* bits: which of the options below */
};

static struct settings the_settings = {
	.options.power = SSDPM_BUDGET_POWER_MAX,
	.options.io_bytes = IO_BYTES,
	.options.sim.by_drive = true,
};

static const struct option_spec options[] = {
	{ "watts", 'w', "POWER", "Set the budget, as in 3120 or 90W. Required.",
	  SETS_NUMBER(struct settings, options.budget_uw, WATTS_UW) },
	{ "base-watts", 0, "POWER", "Set what all else draws. Default: 0.",
	  SETS_NUMBER(struct settings, options.base_uw, WATTS_UW) },
	{ "power", 0, "max|expected|p99",
	  "Count a state with its maximum, the mean of the work, or "
	  "its 99th percentile. Default: max.",
	  SETS_WORD(struct settings, options.power,
		    ssdpm_budget_power_to_string) },
	{ "mix", 0, "OP=SHARE,...",
	  "Set what the drives do, as in read=70%,write=30%, or one "
	  "drive, as in nvme0=read=100%. Default: writes.",
	  SETS_OWN },
	{ "workload", 0, "TRACE",
	  "Give the drives these I/Os, a trace or a workload, or one "
	  "drive, as in nvme0=lomax.",
	  SETS_OWN },
	{ "io-bytes", 0, "SIZE", "Set the size of an I/O. Default: 128KiB.",
	  SETS_NUMBER(struct settings, options.io_bytes, BYTES), .min = 1,
	  .max = UINT32_MAX, .range = "1B up to below 4GiB", .rare = true },
	{ "weight", 0, "DRIVE=FACTOR",
	  "Weigh the throughput of a drive, as in nvme0=2x. May be "
	  "repeated. Default: 1x.",
	  SETS_TEXTS(struct settings, options.weights, options.n_weights),
	  .rare = true },
	{ "max-power", 0, "PSn=POWER",
	  "Set the power of a state, as in PS1=20W or nvme0=PS1=20W. "
	  "May be repeated.",
	  SETS_OWN },
	{ "frontier", 0, NULL, "Also print what each watt buys.",
	  SETS_FLAG(struct settings, frontier) },
};

/* "nvme0" before "=read=70%,write=30%" */
static size_t mix_drive(const char *text)
{
	for (const char *at = strchr(text, '='); at; at = strchr(at + 1, '='))
		if (!strncmp(at + 1, "read=", 5) ||
		    !strncmp(at + 1, "write=", 6))
			return (size_t)(at - text);
	return 0;
}

static enum exit_status add_work(struct budget_options *o,
				 const struct common *common, bool is_mix,
				 const char *text)
{
	struct work_option *work = &o->works[o->n_works];

	if (o->n_works == MAX_WORKS)
		return usage_error(common, "more than %d workloads and mixes",
				   MAX_WORKS);
	*work = (struct work_option){ .text = text, .is_mix = is_mix };
	o->n_works++;
	if (!is_mix)
		return STATUS_DONE;
	work->drive_length = mix_drive(text);
	if (work->drive_length)
		text += work->drive_length + 1;
	return parse_mix(common, text, &work->read_ppm);
}

/* "PS1" at the end of "nvme0=PS1"; what is before it. */
static bool parse_max_power_state(const char *text, size_t length,
				  struct max_power *ret)
{
	size_t at = length;

	while (at && text[at - 1] != '=')
		at--;
	if (length - at < 3 || length - at > 4 || strncmp(text + at, "PS", 2))
		return false;
	ret->drive_length = at ? at - 1 : 0;
	ret->state = 0;
	for (at += 2; at < length; at++) {
		if (text[at] < '0' || text[at] > '9')
			return false;
		ret->state = ret->state * 10 + (uint32_t)(text[at] - '0');
	}
	return ret->state < SSDPM_MAX_STATES;
}

static enum exit_status add_max_power(struct budget_options *o,
				      const struct common *common,
				      const char *text)
{
	struct max_power *m = &o->max_powers[o->n_max_powers];
	const char *equals = strrchr(text, '=');

	if (o->n_max_powers == MAX_WEIGHTS)
		return usage_error(common, "more than %d maximum powers",
				   MAX_WEIGHTS);
	if (!equals || !parse_max_power_state(text, (size_t)(equals - text), m))
		return usage_error(common,
				   "--max-power %s: write a state and its "
				   "power, as in PS1=20W",
				   text);
	m->text = text;
	o->n_max_powers++;
	return parse_power(common, "max-power", equals + 1, &m->uw);
}

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct settings *settings = data;
	struct budget_options *o = &settings->options;
	const char *name = option->name;

	return strcmp(name, "max-power") ?
		       add_work(o, common, *name == 'm', argument) :
		       add_max_power(o, common, argument);
}

static const struct option_group own = {
	OPTIONS(options),
	.set = set,
	KEEPS_GIVEN(struct settings, given),
};

static enum exit_status check(const struct common *common,
			      const struct settings *settings, char **operands,
			      size_t n)
{
	const struct budget_options *o = &settings->options;
	const char *names[MAX_WORKS];
	size_t n_traces = 0;

	for (size_t i = 0; i < o->n_works; i++)
		if (!o->works[i].is_mix)
			names[n_traces++] = workload_file(o->works[i].text);
	if (!is_given(&own, settings->given, "watts"))
		return usage_error(common, "no --watts given: what may be "
					   "drawn in all");
	if (o->sim.operational_state)
		return usage_error(common, "--operational-state: the states "
					   "are what is looked for");
	if (o->sim.end_ns)
		return usage_error(common, "--end: throughput is of a whole "
					   "workload");
	if (!n_traces && o->sim.loop)
		return usage_error(common, "--loop requires --workload");
	if (check_sim_options(common, &o->sim))
		return STATUS_USAGE;
	if (!n_traces && o->trace.given)
		return usage_error(common, "options of traces and of made "
					   "workloads are for a --workload");
	if (check_stdin(common, operands, n, names, n_traces))
		return STATUS_USAGE;
	return check_page(common, &o->page);
}

/* Read all of it, and look at each drive in each state. */
static enum exit_status look(const struct common *common,
			     const struct budget_options *o, char **operands,
			     size_t n, struct budget_items *items,
			     struct budget_works *works)
{
	enum exit_status status;

	status = read_budget_items(common, operands, n, items);
	if (!status)
		status = find_weights(common, o, items);
	if (!status)
		status = find_works(common, o, items, works);
	if (!status)
		status = find_choices(common, o, works, items);
	return status;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n)
{
	const struct settings *settings = data;
	struct budget_items items = { 0 };
	struct budget_works works = { 0 };
	struct budget budget = { .options = &settings->options,
				 .items = &items,
				 .works = &works };
	struct ssdpm_budget *solved = NULL;
	enum exit_status status;

	status = check(common, settings, operands, n);
	if (!status)
		status = look(common, &settings->options, operands, n, &items,
			      &works);
	if (!status)
		status = solve_budget(&budget, &solved);
	if (!status)
		status = print_budget_answer(common, settings->frontier,
					     &budget);
	ssdpm_budget_free(solved);
	free(budget.item_of);
	free_works(&works);
	free_budget_items(&items);
	return status;
}

static const struct group_use groups[] = {
	RARE_USE(&sim_option_group, &the_settings.options.sim),
	RARE_USE(&trace_option_group, &the_settings.options.trace),
	USE(&page_option_group, &the_settings.options.page),
};

const struct subcommand cmd_budget = {
	.name = "budget",
	.operands = "[Nx] DRIVE [+ DRIVE]...",
	.takes_drives = true,
	.list = "budgets",
	.summary = "Fit drives into a power budget with the least loss of "
		   "throughput.",
	.what_operands_are = BUDGET_OPERANDS,
	.own = &own,
	GROUPS(groups),
	.examples = "  ssdpm budget --watts 220 12x KCM61RUL960G + 2x "
		    "SSDPE2KX010T8\n"
		    "  ssdpm budget --watts 3120 --base-watts 2900 "
		    "KCM61RUL960G + 1x drive.json\n"
		    "  ssdpm budget --watts 45W --power expected --mix "
		    "read=70%,write=30% drive.json\n",
	.run = run,
	.settings = &the_settings,
};
