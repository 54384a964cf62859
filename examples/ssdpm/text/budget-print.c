/* SPDX-License-Identifier: MIT */
#include "text/budget-print.h"

#include "options/advised.h"
#include "work/budget-work.h"
#include "work/comparison.h"
#include "input/live.h"
#include "text/output.h"
#include "options/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define UW_PER_W 1000000

static const struct {
	uint32_t bit;
	const char *name, *words;
} fields[] = {
	{ SSDPM_CAP_INTERFACE, "interface", "throughput of the interface" },
	{ SSDPM_CAP_NAND, "nand", "full throughput" },
	{ SSDPM_CAP_ACTIVE_POWER, "active-power", "active power" },
	{ SSDPM_CAP_OPERATION_ENERGY, "operation-energy", "energy of I/Os" },
	{ SSDPM_CAP_BYTE_ENERGY, "byte-energy", "energy of bytes" },
	{ SSDPM_CAP_IDLE_POWER, "idle-power", "idle power" },
	{ SSDPM_CAP_MAX_POWER, "max-power", "maximum power" },
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

struct item_name exact_watts(uint64_t uw)
{
	struct item_name name;
	int length =
		snprintf(name.text, sizeof(name.text), "%" PRIu64 ".%06" PRIu64,
			 uw / UW_PER_W, uw % UW_PER_W);

	while (name.text[length - 1] == '0')
		length--;
	if (name.text[length - 1] == '.')
		length--;
	strcpy(name.text + length, " W");
	return name;
}

static struct number rate_text(double bytes_per_s)
{
	return value_text(SSDPM_PARAMETER_BANDWIDTH,
			  (uint64_t)(bytes_per_s + 0.5));
}

size_t lowest_choice(const struct budget_item *item)
{
	size_t lowest = 0;

	for (size_t i = 1; i < item->n_choices; i++)
		if (item->choices[i].power_uw < item->choices[lowest].power_uw)
			lowest = i;
	return lowest;
}

static const struct budget_choice *choice_of(const struct budget *budget,
					     size_t number)
{
	const struct budget_item *item = budget->item_of[number];

	return &item->choices[budget->fits ? budget->chosen[number] :
					     lowest_choice(item)];
}

/* A line for all of an item that are in the same state. */
struct line {
	const struct budget_item *item;
	const struct budget_choice *choice;
	uint64_t count;
};

static bool next_line(const struct budget *budget, size_t *number,
		      size_t *choice, struct line *line)
{
	while (*number < budget->items->n_all) {
		const struct budget_item *item = budget->item_of[*number];

		*line = (struct line){ .item = item,
				       .choice = &item->choices[*choice] };
		for (size_t i = 0; i < item->count; i++)
			line->count +=
				choice_of(budget, *number + i) == line->choice;
		if (++*choice == item->n_choices) {
			*choice = 0;
			*number += (size_t)item->count;
		}
		if (line->count)
			return true;
	}
	return false;
}

static void head_row(struct row *row)
{
	static const char *const heads[] = { "",      "drive",	    "state",
					     "power", "throughput", "lost" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		row_cell(row, i, "%s", heads[i]);
}

/* Walks are quick, and nothing has to be kept: from the start for each row. */
struct rows {
	const struct budget *budget;
	size_t at, number, choice;
};

static void line_row(const void *data, size_t number, struct row *row)
{
	struct rows *rows = *(struct rows *const *)data;
	const struct budget_choice *choice;
	struct line line;

	if (!number) {
		rows->number = rows->choice = 0;
		head_row(row);
		return;
	}
	if (!next_line(rows->budget, &rows->number, &rows->choice, &line))
		return;
	choice = line.choice;
	if (line.item->count > 1)
		row_cell(row, 0, "%" PRIu64 "x", line.count);
	row_cell(row, 1, "%s", item_name(line.item).text);
	row_cell(row, 2, "PS%u", choice->state);
	row_cell(row, 3, "%s", exact_watts(choice->power_uw).text);
	row_cell(row, 4, "%s", rate_text(choice->bytes_per_s.nominal).text);
	row_cell(row, 5, "%s",
		 share_text(choice->lost, (uint64_t)best_rate(line.item)).text);
}

static void print_lines(const struct budget *budget)
{
	struct rows rows = { .budget = budget }, *at = &rows;
	struct line line;
	size_t n = 1;

	while (next_line(budget, &rows.number, &rows.choice, &line))
		n++;
	print_rows("><<>>>", line_row, &at, n);
}

/* What all drives do together, and what of it is not sure. */
struct sums {
	double bytes_per_s, best, expected_low, expected_high;
	uint64_t power_uw, lost;
	uint32_t assumed;
};

static struct sums sums_of(const struct budget *budget)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < budget->items->n_all; i++) {
		const struct budget_choice *choice = choice_of(budget, i);

		sums.bytes_per_s += choice->bytes_per_s.nominal;
		sums.best += best_rate(budget->item_of[i]);
		sums.expected_low += choice->expected_uw.low;
		sums.expected_high += choice->expected_uw.high;
		sums.power_uw += choice->power_uw;
		sums.lost += choice->lost;
		sums.assumed |= choice->assumed;
	}
	return sums;
}

static void print_work(const struct budget_work *work)
{
	if (work->workload)
		printf(" %s", work->workload);
	else if (work->read_ppm == WHOLE_PPM)
		fputs(" reads", stdout);
	else if (!work->read_ppm)
		fputs(" writes", stdout);
	else
		printf(" %s reads, the rest writes",
		       share_text(work->read_ppm, WHOLE_PPM).text);
}

/* Drives that do something of their own, each name once. */
static void print_own_works(const struct budget *budget)
{
	const struct drives *drives = &budget->items->drives;

	for (size_t number = 1; number < budget->works->n; number++) {
		const char *last = "";

		for (size_t i = 0; i < drives->n; i++) {
			const char *name = drives->drives[i].name;

			if (budget->works->of_drive[i] != number ||
			    !strcmp(name, last))
				continue;
			printf("  %s:", name);
			print_work(&budget->works->works[number]);
			putchar('\n');
			last = name;
		}
	}
}

/* Of the drives that have none of their own, if there are any. */
static void print_default_work(const struct budget *budget)
{
	const struct budget_work *work = &budget->works->works[0];
	bool used = false;

	for (size_t i = 0; i < budget->items->drives.n; i++)
		used |= !budget->works->of_drive[i];
	if (!used)
		return;
	putchar(';');
	print_work(work);
	if (work->workload)
		fputs(" on each", stdout);
	else if (!work->given)
		fputs(", as no --mix is given", stdout);
}

static const char *drives_word(const struct budget *budget)
{
	const struct budget_items *items = budget->items;
	size_t n_cards = 0;

	for (size_t i = 0; i < items->n; i++)
		n_cards += items->items[i].n_drives > 1;
	if (n_cards == items->n)
		return items->n_all == 1 ? "card" : "cards";
	if (n_cards)
		return "drives and cards";
	return items->n_all == 1 ? "drive" : "drives";
}

static void print_what(const struct budget *budget)
{
	const struct budget_options *o = budget->options;
	uint64_t n = budget->items->n_all;

	fputs(exact_watts(o->budget_uw).text, stdout);
	if (o->base_uw)
		printf(", of which everything else takes %s",
		       exact_watts(o->base_uw).text);
	printf("; %s %s by %s power", count_text(n).text, drives_word(budget),
	       o->power == BUDGET_MAX	   ? "maximum" :
	       o->power == BUDGET_EXPECTED ? "expected" :
					     "p99");
	print_default_work(budget);
	putchar('\n');
	print_own_works(budget);
}

static void print_assumed(const struct sums *sums)
{
	const char *before = "  assumed, so that losses are a guess: ";

	for (size_t i = 0; i < N_FIELDS; i++) {
		if (!(sums->assumed & fields[i].bit))
			continue;
		printf("%s%s", before, fields[i].words);
		before = ", ";
	}
	if (sums->assumed)
		puts("; give them, or --measured");
}

static bool weighted(const struct budget *budget)
{
	for (size_t i = 0; i < budget->items->n; i++)
		if (budget->items->items[i].weight != 1000)
			return true;
	return false;
}

/* The line of the frontier is what nothing can lose less than. */
static void print_bound(const struct budget *budget)
{
	const struct ssdpm_budget_answer *a = &budget->answer;
	const char *by = weighted(budget) ? ", by their weights" : "";
	struct number less = rate_text((double)(a->loss - a->bound_loss));

	if (!a->exact)
		printf("  some states may lose less%s, by %s at most: %s combinations did not tell\n",
		       by, less.text, count_text(a->n_examined).text);
	else if (a->loss == a->bound_loss)
		printf("  no states within the budget lose less%s%s\n", by,
		       a->loss ? "; this is a point of the frontier" : "");
	else
		printf("  no states within the budget lose less%s; the frontier allows %s less, %s %s it out\n",
		       by, less.text, count_text(a->n_examined).text,
		       a->n_examined == 1 ? "combination rules" :
					    "combinations rule");
}

static void print_sums(const struct budget *budget)
{
	const struct budget_options *o = budget->options;
	struct sums sums = sums_of(budget);
	uint64_t all = o->base_uw + sums.power_uw;

	printf("  in all %s%s, %s left; %s of %s lost (%s)\n",
	       exact_watts(sums.power_uw).text,
	       o->base_uw ? " for the drives" : "",
	       exact_watts(o->budget_uw - all).text,
	       rate_text((double)sums.lost).text, rate_text(sums.best).text,
	       share_text(sums.lost, (uint64_t)sums.best).text);
	print_bound(budget);
	if (o->power != BUDGET_MAX && sums.expected_low < sums.expected_high)
		printf("  with what is not known of the drives: %s\n",
		       power_range_text((int64_t)sums.expected_low,
					(int64_t)sums.expected_high)
			       .text);
	print_assumed(&sums);
}

/* Each line can be checked by itself, and so can their sum. */
static void print_proof(const struct budget *budget)
{
	const struct budget_options *o = budget->options;
	uint64_t all = o->base_uw + budget->least_uw;

	printf("  each drive is in its lowest state: %s",
	       exact_watts(budget->least_uw).text);
	if (o->base_uw)
		printf(", with everything else %s", exact_watts(all).text);
	printf(", %s more than the budget\n",
	       exact_watts(all - o->budget_uw).text);
}

static void frontier_row(const void *data, size_t number, struct row *row)
{
	const struct budget *budget = data;
	const struct ssdpm_budget_option *p = budget->frontier + number - 1;

	if (!number) {
		row_cell(row, 0, "drives");
		row_cell(row, 1, "with all else");
		row_cell(row, 2, "lost%s",
			 weighted(budget) ? " by weight" : "");
		row_cell(row, 3, "a watt more saves");
		return;
	}
	row_cell(row, 0, "%s", exact_watts(p->power_uw).text);
	row_cell(row, 1, "%s",
		 exact_watts(budget->options->base_uw + p->power_uw).text);
	row_cell(row, 2, "%s", rate_text((double)p->loss).text);
	if (number < budget->n_frontier)
		row_cell(row, 3, "%s",
			 rate_text((double)(p->loss - p[1].loss) * UW_PER_W /
				   (double)(p[1].power_uw - p->power_uw))
				 .text);
}

/* The next device of a machine, from *number and *member on; or NULL. */
static const struct drive *next_device(const struct budget *budget,
				       const struct live *live, size_t *number,
				       size_t *member)
{
	for (; *number < budget->items->n_all; ++*number, *member = 0) {
		const struct budget_item *item = budget->item_of[*number];

		while (*member < item->n_drives) {
			const struct drive *drive = &item->drives[(*member)++];

			if (drive->live == live)
				return drive;
		}
	}
	return NULL;
}

static const char *device_name(const struct drive *drive)
{
	return ssdpm_device_get_facts(drive->device)->name;
}

/* One command for a machine: all of it is set, or nothing. */
static void write_command(FILE *file, const struct budget *budget,
			  const struct live *live)
{
	const char *before = "ssdpm apply --power-state ";
	size_t number = 0, member = 0;
	const struct drive *drive;

	while ((drive = next_device(budget, live, &number, &member))) {
		fprintf(file, "%s%s=%u", before, device_name(drive),
			choice_of(budget, number)->state);
		before = ",";
	}
	write_root(file, live->root);
	/* What is lowered is lowered before anything is raised. */
	for (uint32_t state = SSDPM_MAX_STATES; state--;) {
		number = member = 0;
		while ((drive = next_device(budget, live, &number, &member)))
			if (choice_of(budget, number)->state == state)
				write_word(file, device_name(drive));
	}
}

/* The n-th command; free() it. NULL: no more, or out of memory. */
static char *command_text(const struct budget *budget, size_t n)
{
	const struct drives *drives = &budget->items->drives;
	char *text = NULL;
	size_t length;

	for (size_t i = 0; budget->fits && i < drives->n_lives; i++) {
		size_t number = 0, member = 0;
		FILE *file;

		if (!next_device(budget, drives->lives[i], &number, &member) ||
		    n--)
			continue;
		file = open_memstream(&text, &length);
		if (!file)
			return NULL;
		write_command(file, budget, drives->lives[i]);
		return fclose(file) ? NULL : text;
	}
	return NULL;
}

static void print_commands(const struct budget *budget)
{
	const struct drives *drives = &budget->items->drives;
	bool is_capture = false;
	char *text;

	for (size_t i = 0; i < drives->n_lives; i++)
		is_capture |= drives->lives[i]->root != NULL;
	for (size_t i = 0; (text = command_text(budget, i)); i++) {
		if (!i)
			printf("\nThis sets it%s until the drives are reset; with --persist udev, after that too:\n",
			       is_capture ?
				       " on the machine of the capture, there without --root," :
				       "");
		printf("  %s\n", text);
		free(text);
	}
}

static void write_commands(struct json_writer *w, const struct budget *budget)
{
	char *text;

	ssdpm__json_begin(w, "commands", '[');
	for (size_t i = 0; (text = command_text(budget, i)); i++) {
		ssdpm__json_string(w, NULL, text);
		free(text);
	}
	ssdpm__json_end(w, ']');
}

void print_budget(const struct budget *budget, bool with_frontier)
{
	print_what(budget);
	print_lines(budget);
	if (budget->fits)
		print_sums(budget);
	else
		print_proof(budget);
	if (with_frontier) {
		putchar('\n');
		print_rows(">>>>", frontier_row, budget,
			   budget->n_frontier + 1);
	}
	print_commands(budget);
}

static void write_span(struct json_writer *w, const char *key,
		       const struct ssdpm_span *span)
{
	ssdpm__json_begin(w, key, '{');
	ssdpm__json_uint(w, "low", (uint64_t)(span->low + 0.5));
	ssdpm__json_uint(w, "nominal", (uint64_t)(span->nominal + 0.5));
	ssdpm__json_uint(w, "high", (uint64_t)(span->high + 0.5));
	ssdpm__json_end(w, '}');
}

static void write_choice(struct json_writer *w,
			 const struct budget_choice *choice)
{
	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_uint(w, "state", choice->state);
	ssdpm__json_uint(w, "power_uw", choice->power_uw);
	write_span(w, "expected_power_uw", &choice->expected_uw);
	write_span(w, "bytes_per_s", &choice->bytes_per_s);
	ssdpm__json_uint(w, "lost_bytes_per_s", choice->lost);
	ssdpm__json_uint(w, "loss", choice->loss);
	ssdpm__json_string(w, "limit",
			   ssdpm_cap_limit_to_string(choice->limit));
	ssdpm__json_begin(w, "assumed", '[');
	for (size_t i = 0; i < N_FIELDS; i++)
		if (choice->assumed & fields[i].bit)
			ssdpm__json_string(w, NULL, fields[i].name);
	ssdpm__json_end(w, ']');
	ssdpm__json_end(w, '}');
}

static void write_work(struct json_writer *w, const struct budget *budget,
		       const struct budget_work *work)
{
	ssdpm__json_string(w, "workload", work->workload);
	if (work->workload) {
		ssdpm__json_null(w, "mix");
		return;
	}
	ssdpm__json_begin(w, "mix", '{');
	ssdpm__json_uint(w, "read_ppm", work->read_ppm);
	ssdpm__json_uint(w, "write_ppm", WHOLE_PPM - work->read_ppm);
	ssdpm__json_uint(w, "io_bytes", budget->options->io_bytes);
	ssdpm__json_end(w, '}');
}

static void write_item(struct json_writer *w, const struct budget *budget,
		       size_t number)
{
	const struct budget_item *item = budget->item_of[number];
	const struct budget_choice *choice = choice_of(budget, number);

	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_begin(w, "devices", '[');
	for (size_t i = 0; i < item->n_drives; i++) {
		ssdpm__json_begin(w, NULL, '{');
		write_drive_names(w, &item->drives[i]);
		write_work(w, budget, work_of(budget->works, &item->drives[i]));
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
	ssdpm__json_uint(w, "weight_thousandths", item->weight);
	ssdpm__json_uint(w, "state", choice->state);
	ssdpm__json_uint(w, "power_uw", choice->power_uw);
	ssdpm__json_uint(w, "lost_bytes_per_s", choice->lost);
	ssdpm__json_begin(w, "states", '[');
	for (size_t i = 0; i < item->n_choices; i++)
		write_choice(w, &item->choices[i]);
	ssdpm__json_end(w, ']');
	ssdpm__json_end(w, '}');
}

static void write_answer(struct json_writer *w, const struct budget *budget)
{
	static const char *const keys[] = { "loss", "bound_loss",
					    "n_examined" };
	const struct ssdpm_budget_answer *a = &budget->answer;
	const uint64_t values[] = { a->loss, a->bound_loss, a->n_examined };
	const struct budget_options *o = budget->options;

	ssdpm__json_bool(w, "fits", budget->fits);
	ssdpm__json_uint(w, "least_power_uw", budget->least_uw);
	if (budget->fits) {
		ssdpm__json_uint(w, "power_uw", a->power_uw);
		ssdpm__json_uint(w, "left_uw",
				 o->budget_uw - o->base_uw - a->power_uw);
	} else {
		ssdpm__json_null(w, "power_uw");
		ssdpm__json_null(w, "left_uw");
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (budget->fits)
			ssdpm__json_uint(w, keys[i], values[i]);
		else
			ssdpm__json_null(w, keys[i]);
	if (budget->fits)
		ssdpm__json_bool(w, "exact", a->exact);
	else
		ssdpm__json_null(w, "exact");
}

static void write_frontier(struct json_writer *w, const struct budget *budget)
{
	ssdpm__json_begin(w, "frontier", '[');
	for (size_t i = 0; i < budget->n_frontier; i++) {
		ssdpm__json_begin(w, NULL, '{');
		w->one_line = true;
		ssdpm__json_uint(w, "power_uw", budget->frontier[i].power_uw);
		ssdpm__json_uint(w, "loss", budget->frontier[i].loss);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
}

void write_budget(struct json_writer *w, const struct budget *budget)
{
	const struct budget_options *o = budget->options;

	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "schema", "ssdpm.budget/1");
	ssdpm__json_string(w, "power", budget_power_word(o->power));
	ssdpm__json_uint(w, "budget_uw", o->budget_uw);
	ssdpm__json_uint(w, "base_uw", o->base_uw);
	write_work(w, budget, &budget->works->works[0]);
	write_answer(w, budget);
	ssdpm__json_begin(w, "items", '[');
	for (size_t i = 0; i < budget->items->n_all; i++)
		write_item(w, budget, i);
	ssdpm__json_end(w, ']');
	write_frontier(w, budget);
	write_commands(w, budget);
	ssdpm__json_end(w, '}');
}
