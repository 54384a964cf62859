/* SPDX-License-Identifier: MIT */
/* The calls that follow a plan: what sets it, and what undoes it. */
#include "options/advised.h"
#include "plan/work.h"
#include "programs.h"

#include <string.h>

static bool takes(const struct subcommand *subcommand, const char *name)
{
	const struct option_spec *option;

	for (size_t i = 0; (option = option_at(subcommand, i)); i++)
		if (!strcmp(option->name, name))
			return true;
	return false;
}

/* How it is printed says nothing of what is set. */
static bool is_of_output(const char *name)
{
	static const char *const names[] = { "dry-run", "quiet", "verbose",
					     "wide" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* The options that apply takes as well, and the operands. */
static void write_same(FILE *file, const struct common *common, char **operands,
		       size_t n)
{
	for (size_t i = 0; i < common->n_given; i++) {
		const struct given_option *given = &common->given[i];

		if (!takes(&cmd_apply, given->option->name) ||
		    is_of_output(given->option->name))
			continue;
		if (given->by_letter)
			fprintf(file, " -%c", given->option->letter);
		else
			fprintf(file, " --%s", given->option->name);
		if (given->argument)
			write_word(file, given->argument);
	}
	for (size_t i = 0; i < n; i++)
		write_word(file, operands[i]);
}

static bool has_changes(const struct work *const *works, size_t n)
{
	size_t n_pending = 0;

	for (size_t i = 0; i < n; i++)
		n_pending +=
			ssdpm_plan_count(works[i]->plan, SSDPM_STEPS_PENDING);
	return n_pending;
}

void print_way_on(const struct work *const *works, size_t n_works,
		  char **operands, size_t n)
{
	const struct work *work = works[0];

	if (work->common->quiet || work->common->form ||
	    !has_changes(works, n_works))
		return;
	if (has_energy && work->options->profile && !work->estimates)
		puts("-t WORKLOAD adds what it saves in watts; so does ssdpm "
		     "tune.");
	fputs("To set it: ssdpm apply", stdout);
	write_same(stdout, work->common, operands, n);
	putchar('\n');
}

void write_way_back(FILE *file, const struct live *live, bool kept)
{
	fputs("To go back to before the first change: ssdpm revert", file);
	if (kept)
		fputs(" --forget", file);
	write_root(file, live->root);
	putc('\n', file);
}
