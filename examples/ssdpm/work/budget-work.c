/* SPDX-License-Identifier: MIT */
#include "work/budget.h"

#include "options/units.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS 4096

static enum exit_status grow(struct budget_work *work)
{
	size_t capacity = work->capacity ? 2 * work->capacity : RECORDS;
	struct ssdpm_io *ios;

	if (work->capacity - work->n >= RECORDS)
		return STATUS_DONE;
	ios = realloc(work->ios, (capacity + RECORDS) * sizeof(*ios));
	if (!ios)
		return out_of_memory();
	work->ios = ios;
	work->capacity = capacity + RECORDS;
	return STATUS_DONE;
}

static enum exit_status read_work(const struct common *common,
				  const struct budget_options *options,
				  struct budget_work *work)
{
	struct trace_input input;
	enum exit_status status;
	size_t n = 1;

	status = open_trace(common, &options->trace, work->workload, &input);
	if (status)
		return status;
	while (!status && n) {
		status = grow(work);
		if (!status)
			status = read_trace(&input, work->ios + work->n,
					    RECORDS, &n);
		if (!status)
			work->n += n;
	}
	if (!status)
		say_counts(common, &input);
	close_trace(&input);
	return status;
}

const char *workload_file(const char *text)
{
	size_t length = strlen(text);

	return length > 1 && !strcmp(text + length - 2, "=-") ?
		       text + length - 1 :
		       text;
}

/* Gives a work to all drives of a name. Return: how many. */
static size_t give_work(struct budget_works *works,
			const struct budget_items *items, const char *name,
			size_t length, size_t number, bool *ret_twice)
{
	size_t n = 0;

	for (size_t i = 0; i < items->n; i++)
		for (size_t j = 0; j < items->items[i].n_drives; j++) {
			const struct drive *drive = &items->items[i].drives[j];
			size_t at = (size_t)(drive - works->drives);

			if (!is_item_name(&items->items[i], drive, name,
					  length))
				continue;
			*ret_twice |= works->of_drive[at] != 0;
			works->of_drive[at] = number;
			n++;
		}
	return n;
}

/*
 * Splits "nvme0=lomax". Names of drives and files may contain "=". The file is
 * the rest after a drive's name.
 */
static const char *find_drives(struct budget_works *works,
			       const struct budget_items *items,
			       const struct work_option *option,
			       bool *ret_twice)
{
	const char *text = option->text;

	if (option->is_mix) {
		if (!option->drive_length)
			return text;
		return give_work(works, items, text, option->drive_length,
				 works->n, ret_twice) ?
			       text + option->drive_length + 1 :
			       NULL;
	}
	for (const char *at = strchr(text, '='); at; at = strchr(at + 1, '='))
		if (give_work(works, items, text, (size_t)(at - text), works->n,
			      ret_twice))
			return at + 1;
	return text;
}

static enum exit_status find_work(const struct common *common,
				  const struct work_option *option,
				  const struct budget_items *items,
				  struct budget_works *works)
{
	const char *name = option->is_mix ? "mix" : "workload";
	bool twice = false;
	const char *what = find_drives(works, items, option, &twice);
	struct budget_work *work;

	if (!what)
		return usage_error(common, "--mix %s: unknown drive '%.*s'",
				   option->text, (int)option->drive_length,
				   option->text);
	if (!*what)
		return usage_error(common, "--workload %s: no file is named",
				   option->text);
	work = &works->works[what == option->text ? 0 : works->n++];
	twice |= work->given;
	work->given = true;
	work->read_ppm = option->read_ppm;
	work->workload = option->is_mix ? NULL : what;
	if (!twice)
		return STATUS_DONE;
	return usage_error(common,
			   "--%s %s: one --workload or --mix is what a drive "
			   "does",
			   name, option->text);
}

static enum exit_status check_works(const struct common *common,
				    const struct budget_options *options,
				    const struct budget_works *works)
{
	const char *names[MAX_WORKS + 1];
	size_t n = 0;

	for (size_t i = 0; i < works->n; i++)
		if (works->works[i].workload)
			names[n++] = works->works[i].workload;
	return check_trace_options(common, &options->trace, names, n);
}

static void tell(const struct budget_options *options, struct budget_work *work)
{
	const uint64_t parts[] = { work->read_ppm, WHOLE_PPM - work->read_ppm };
	size_t n = 0;

	for (uint32_t i = 0; i < 2; i++)
		if (parts[i])
			work->streams[n++] = (struct ssdpm_cap_stream){
				.op = i ? SSDPM_OP_WRITE : SSDPM_OP_READ,
				.io_bytes = (uint32_t)options->io_bytes,
				.share = (double)parts[i] / WHOLE_PPM,
			};
	work->told = (struct ssdpm_budget_work){
		.size = sizeof(work->told),
		.name = work->workload,
		.streams = work->streams,
		.n_streams = n,
		.ios = work->ios,
		.n_ios = work->n,
	};
}

enum exit_status find_works(const struct common *common,
			    const struct budget_options *options,
			    const struct budget_items *items,
			    struct budget_works *ret_works)
{
	struct budget_works works = {
		.works = calloc(options->n_works + 1, sizeof(*works.works)),
		.of_drive =
			calloc(items->drives.n + 1, sizeof(*works.of_drive)),
		.drives = items->drives.drives,
		.n = 1,
	};
	enum exit_status status = STATUS_DONE;

	if (!works.works || !works.of_drive) {
		complain("out of memory");
		status = STATUS_FAILED;
	}
	for (size_t i = 0; i < options->n_works && !status; i++)
		status = find_work(common, &options->works[i], items, &works);
	if (!status)
		status = check_works(common, options, &works);
	for (size_t i = 0; i < works.n && !status; i++)
		if (works.works[i].workload)
			status = read_work(common, options, &works.works[i]);
	for (size_t i = 0; i < works.n && !status; i++)
		tell(options, &works.works[i]);
	*ret_works = works;
	return status;
}

void free_works(struct budget_works *works)
{
	for (size_t i = 0; works->works && i < works->n; i++)
		free(works->works[i].ios);
	free(works->works);
	free(works->of_drive);
}

const struct budget_work *work_of(const struct budget_works *works,
				  const struct drive *drive)
{
	return &works->works[works->of_drive[drive - works->drives]];
}

/* An item with a count appears that many times. Always free it. */
enum exit_status solve_budget(struct budget *budget,
			      struct ssdpm_budget **ret_solved)
{
	const struct budget_items *items = budget->items;
	const size_t n = items->n_all;
	const struct ssdpm_budget_item **known = calloc(n, sizeof(*known));
	struct ssdpm_budget_params params = {
		.size = sizeof(params),
		.items = known,
		.n_items = n,
		.budget_uw = budget->options->budget_uw,
		.base_uw = budget->options->base_uw,
	};
	struct ssdpm_error error = { .message = "out of memory" };
	size_t all = 0;

	budget->item_of = calloc(n, sizeof(*budget->item_of));
	for (size_t i = 0; known && budget->item_of && i < items->n; i++)
		for (uint64_t j = 0; j < items->items[i].count; j++) {
			budget->item_of[all] = &items->items[i];
			known[all++] = items->items[i].known;
		}
	if (all)
		ssdpm_budget_solve(&params, ret_solved, &error);
	free(known);
	if (!*ret_solved)
		return failure("%s", error.message);
	budget->solved = *ret_solved;
	budget->answer = ssdpm_budget_get_answer(budget->solved);
	budget->chosen = ssdpm_budget_get_choices(budget->solved, &all);
	return STATUS_DONE;
}

enum exit_status print_budget_answer(const struct common *common,
				     bool with_frontier,
				     const struct budget *budget)
{
	enum exit_status status = STATUS_DONE;
	struct items items = { 0 };

	if (budget->options->page.path)
		status = write_budget_page(common, &budget->options->page,
					   budget);
	if (status)
		return status;
	if (!common->form) {
		print_budget(budget, with_frontier);
		fflush(stdout);
	}
	/* The screen has begun with it. */
	if (!budget->answer->fits && common->form)
		complain("the drives do not fit into %s: they and everything "
			 "else take at least %s",
			 exact_watts(budget->options->budget_uw).text,
			 exact_watts(budget->options->base_uw +
				     budget->answer->least_power_uw)
				 .text);
	if (common->form) {
		add_budget(&items, budget);
		status = print_items(common, &items);
	}
	return status		    ? status :
	       budget->answer->fits ? STATUS_DONE :
				      STATUS_FAILED;
}
