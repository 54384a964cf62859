/* SPDX-License-Identifier: MIT */
/* ssdpm budget: a state for each drive, so that all of them fit. */
#include "budget-print.h"
#include "comparison.h"
#include "output.h"
#include "units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define IO_BYTES 131072

struct settings {
	struct budget_options options;
	bool frontier;
};

static struct settings the_settings = {
	.options.io_bytes = IO_BYTES,
};

static const struct option_spec options[] = {
	{ "watts", 'w', "POWER",
	  "that may be drawn in all, as in 3120 or 90W" },
	{ "base-watts", 0, "POWER",
	  "that everything but these drives draws (default 0)" },
	{ "power", 0, "max|expected|p99",
	  "what a state is counted with: its maximum (default), the mean of "
	  "the work, or what that exceeds 1 % of the time" },
	{ "mix", 0, "OP=SHARE,...",
	  "what the drives do, by bytes, as in read=70%,write=30% (default: "
	  "writes, which a cap costs most)" },
	{ "workload", 0, "FILE",
	  "instead: each drive does these I/Os, a trace, - or a workload of "
	  "ssdpm workload --list" },
	{ "io-bytes", 0, "SIZE", "of each I/O (default 128KiB)" },
	{ "weight", 0, "DRIVE=FACTOR",
	  "how much its throughput is worth, as in nvme0=2x; may be repeated "
	  "(default 1x)" },
	{ "max-power", 0, "PSn=POWER",
	  "of a state whose drive does not report it; may be repeated" },
	{ "frontier", 0, NULL, "print what each watt buys, too" },
};

static enum exit_status set_max_power(struct budget_options *o,
				      const struct common *common,
				      const char *text)
{
	char *end = NULL;
	unsigned long state;
	uint32_t uw;

	if (strncmp(text, "PS", 2) || text[2] < '0' || text[2] > '9')
		return usage_error(common,
				   "--max-power %s: write a state and its "
				   "power, as in PS1=20W",
				   text);
	state = strtoul(text + 2, &end, 10);
	if (*end != '=' || state >= SSDPM_MAX_STATES)
		return usage_error(common,
				   "--max-power %s: write a state and its "
				   "power, as in PS1=20W",
				   text);
	if (parse_power(common, "max-power", end + 1, &uw))
		return STATUS_USAGE;
	o->max_power_uw[state] = uw;
	return STATUS_DONE;
}

static enum exit_status set_power(struct budget_options *o,
				  const struct common *common, const char *word)
{
	for (o->power = BUDGET_MAX; o->power <= BUDGET_P99; o->power++)
		if (!strcmp(word, budget_power_word(o->power)))
			return STATUS_DONE;
	return usage_error(common, "--power %s: max, expected or p99", word);
}

static enum exit_status set_io_bytes(struct budget_options *o,
				     const struct common *common,
				     const char *text)
{
	if (parse_bytes(common, "io-bytes", text, &o->io_bytes))
		return STATUS_USAGE;
	if (o->io_bytes && o->io_bytes <= UINT32_MAX)
		return STATUS_DONE;
	return usage_error(common, "--io-bytes %s: 1B up to below 4GiB", text);
}

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct settings *settings = data;
	struct budget_options *o = &settings->options;
	const char *name = option->name;

	if (!strcmp(name, "watts")) {
		o->has_budget = true;
		return parse_watts(common, name, argument, &o->budget_uw);
	}
	if (!strcmp(name, "base-watts"))
		return parse_watts(common, name, argument, &o->base_uw);
	if (!strcmp(name, "power"))
		return set_power(o, common, argument);
	if (!strcmp(name, "mix")) {
		o->has_mix = true;
		return parse_mix(common, argument, &o->read_ppm);
	}
	if (!strcmp(name, "workload")) {
		o->workload = argument;
		return STATUS_DONE;
	}
	if (!strcmp(name, "io-bytes"))
		return set_io_bytes(o, common, argument);
	if (!strcmp(name, "max-power"))
		return set_max_power(o, common, argument);
	if (!strcmp(name, "frontier")) {
		settings->frontier = true;
		return STATUS_DONE;
	}
	if (o->n_weights == MAX_WEIGHTS)
		return usage_error(common, "more than %d weights", MAX_WEIGHTS);
	o->weights[o->n_weights++] = argument;
	return STATUS_DONE;
}

/* What is solved: the choices of all drives, one after the other. */
struct problem {
	struct ssdpm_budget_option *options;
	uint32_t *n_options;
};

static enum exit_status make_problem(struct budget *budget,
				     struct problem *problem)
{
	const struct budget_items *items = budget->items;
	size_t n = 0, all = 0;

	for (size_t i = 0; i < items->n; i++)
		n += items->items[i].count * items->items[i].n_choices;
	problem->options = calloc(n, sizeof(*problem->options));
	problem->n_options = calloc(items->n_all, sizeof(uint32_t));
	budget->chosen = calloc(items->n_all, sizeof(*budget->chosen));
	budget->item_of = calloc(items->n_all, sizeof(*budget->item_of));
	if (!problem->options || !problem->n_options || !budget->chosen ||
	    !budget->item_of) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	n = 0;
	for (size_t i = 0; i < items->n; i++) {
		const struct budget_item *item = &items->items[i];

		for (uint64_t j = 0; j < item->count; j++) {
			budget->item_of[all] = item;
			problem->n_options[all++] = (uint32_t)item->n_choices;
			for (size_t k = 0; k < item->n_choices; k++)
				problem->options[n++] =
					(struct ssdpm_budget_option){
						item->choices[k].power_uw,
						item->choices[k].loss,
					};
		}
	}
	return STATUS_DONE;
}

static enum exit_status find_frontier(struct budget *budget,
				      const struct problem *problem,
				      struct ssdpm_error *error)
{
	size_t n = budget->items->n_all, most;

	if (ssdpm_budget_get_frontier(problem->options, problem->n_options, n,
				      NULL, 0, &most, error))
		return STATUS_FAILED;
	budget->frontier = calloc(most, sizeof(*budget->frontier));
	if (!budget->frontier) {
		strcpy(error->message, "out of memory");
		return STATUS_FAILED;
	}
	if (ssdpm_budget_get_frontier(problem->options, problem->n_options, n,
				      budget->frontier, most,
				      &budget->n_frontier, error))
		return STATUS_FAILED;
	return STATUS_DONE;
}

static enum exit_status solve(struct budget *budget,
			      const struct problem *problem)
{
	const struct budget_options *o = budget->options;
	struct ssdpm_error error;
	int err;

	if (find_frontier(budget, problem, &error)) {
		complain("%s", error.message);
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < budget->items->n_all; i++) {
		const struct budget_item *item = budget->item_of[i];

		budget->least_uw += item->choices[lowest_choice(item)].power_uw;
	}
	budget->answer.size = sizeof(budget->answer);
	if (o->base_uw > o->budget_uw)
		return STATUS_DONE;
	err = ssdpm_budget_solve(problem->options, problem->n_options,
				 budget->items->n_all,
				 o->budget_uw - o->base_uw, budget->chosen,
				 &budget->answer, &error);
	budget->fits = !err;
	if (!err || err == -ENOSPC)
		return STATUS_DONE;
	complain("%s", error.message);
	return STATUS_FAILED;
}

static enum exit_status print_answer(const struct common *common,
				     const struct settings *settings,
				     const struct budget *budget)
{
	enum exit_status status = STATUS_DONE;
	struct json_writer w = { 0 };

	if (common->form) {
		write_budget(&w, budget);
		status = print_written(common, &w);
	} else {
		print_budget(budget, settings->frontier);
	}
	if (status || budget->fits)
		return status;
	fflush(stdout);
	complain("nothing fits into %s: the lowest states and everything else "
		 "take %s",
		 exact_watts(budget->options->budget_uw).text,
		 exact_watts(budget->options->base_uw + budget->least_uw).text);
	return STATUS_FAILED;
}

static enum exit_status check(const struct common *common,
			      const struct settings *settings, char **operands,
			      size_t n)
{
	const struct budget_options *o = &settings->options;
	size_t n_traces = o->workload ? 1 : 0;

	if (!o->has_budget)
		return usage_error(common, "no --watts given: what may be "
					   "drawn in all");
	if (o->sim.operational_state)
		return usage_error(common, "--operational-state: the states "
					   "are what is looked for");
	if (o->sim.end_ns)
		return usage_error(common, "--end: throughput is of a whole "
					   "workload");
	if (o->workload && o->has_mix)
		return usage_error(common, "--workload and --mix exclude each "
					   "other");
	if (!o->workload && o->sim.loop)
		return usage_error(common, "--loop is for a --workload");
	if (check_sim_options(common, &o->sim))
		return STATUS_USAGE;
	if (!o->workload && o->trace.given)
		return usage_error(common, "options of traces and of made "
					   "workloads are for a --workload");
	if (check_trace_options(common, &o->trace, &o->workload, n_traces))
		return STATUS_USAGE;
	return check_stdin(common, operands, n, &o->workload, n_traces);
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n)
{
	const struct settings *settings = data;
	struct budget_items items = { 0 };
	struct budget budget = { .options = &settings->options,
				 .items = &items };
	struct problem problem = { 0 };
	enum exit_status status;

	status = check(common, settings, operands, n);
	if (!status)
		status = read_budget_items(common, operands, n, &items);
	if (!status)
		status = find_weights(common, &settings->options, &items);
	if (!status)
		status = find_choices(common, &settings->options, &items);
	if (!status)
		status = make_problem(&budget, &problem);
	if (!status)
		status = solve(&budget, &problem);
	if (!status)
		status = print_answer(common, settings, &budget);
	free(problem.options);
	free(problem.n_options);
	free(budget.chosen);
	free(budget.item_of);
	free(budget.frontier);
	free_budget_items(&items);
	return status;
}

static const struct group_use groups[] = {
	{ &sim_option_group, &the_settings.options.sim },
	{ &trace_option_group, &the_settings.options.trace },
};

const struct subcommand cmd_budget = {
	.name = "budget",
	.operands = "[Nx] DRIVE [+ DRIVE]...",
	.takes_drives = true,
	.summary = "Fit drives into a power budget with the least loss of "
		   "throughput.",
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.groups = groups,
	.n_groups = sizeof(groups) / sizeof(groups[0]),
	.examples = "  ssdpm budget --watts 60 4x KCM61RUL960G\n"
		    "  ssdpm budget --watts 3120 --base-watts 2900 "
		    "KCM61RUL960G + KCM61RUL960G drive.json\n"
		    "  ssdpm budget --watts 45W --power expected --mix "
		    "read=70%,write=30% drive.json\n"
		    "  ssdpm budget --watts 9 --frontier --weight "
		    "drive.json=2x drive.json drive.json\n",
	.set = set,
	.run = run,
	.settings = &the_settings,
};
