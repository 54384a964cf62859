/* SPDX-License-Identifier: MIT */
#include "work/budget.h"

#include "options/advised.h"
#include "work/comparison.h"
#include "input/live.h"
#include "text/output.h"
#include "options/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define UW_PER_W 1000000

/* By bit of enum ssdpm_cap_field. */
static const char *const fields[] = {
	"throughput of the interface",
	"full throughput",
	"active power",
	"energy of I/Os",
	"energy of bytes",
	"idle power",
	"maximum power",
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

static const struct ssdpm_budget_state *choice_of(const struct budget *budget,
						  size_t number)
{
	const struct budget_item *item = budget->item_of[number];
	size_t n;

	return ssdpm_budget_item_get_states(item->known, &n) +
	       budget->chosen[number];
}

/* The bytes per second of its best state. */
static double best_rate(const struct budget_item *item)
{
	const struct ssdpm_budget_state *states;
	double most = 0;
	size_t n;

	states = ssdpm_budget_item_get_states(item->known, &n);
	for (size_t i = 0; i < n; i++)
		if (states[i].bytes_per_s.nominal > most)
			most = states[i].bytes_per_s.nominal;
	return most;
}

/* The most that an item takes without a cap. */
static uint64_t most_uw(const struct budget_item *item)
{
	const struct ssdpm_budget_state *states;
	uint64_t most = 0;
	size_t n;

	states = ssdpm_budget_item_get_states(item->known, &n);
	for (size_t i = 0; i < n; i++)
		if (states[i].power_uw > most)
			most = states[i].power_uw;
	return most;
}

/* A SATA drive has one choice, which is no power state. */
static bool is_sata(const struct drive *drive)
{
	return ssdpm_model_get_info(drive->model)->kind == SSDPM_KIND_SATA;
}

/* A line for all of an item in the same state. */
struct line {
	const struct budget_item *item;
	const struct ssdpm_budget_state *choice;
	uint64_t count;
};

static bool next_line(const struct budget *budget, size_t *number,
		      size_t *choice, struct line *line)
{
	while (*number < budget->items->n_all) {
		const struct budget_item *item = budget->item_of[*number];
		const struct ssdpm_budget_state *states;
		size_t n;

		states = ssdpm_budget_item_get_states(item->known, &n);
		*line = (struct line){ .item = item,
				       .choice = &states[*choice] };
		for (size_t i = 0; i < item->count; i++)
			line->count +=
				choice_of(budget, *number + i) == line->choice;
		if (++*choice == n) {
			*choice = 0;
			*number += (size_t)item->count;
		}
		if (line->count)
			return true;
	}
	return false;
}

static void print_lines(const struct budget *budget)
{
	size_t number = 0, choice = 0;
	struct table rows;
	struct line line;

	table_begin(&rows, "><<>>>", "", "drive",
		    budget->answer->fits ? "state" : "lowest state", "power",
		    "throughput", "lost");
	while (next_line(budget, &number, &choice, &line)) {
		const struct ssdpm_budget_state *s = line.choice;

		table_row(&rows,
			  line.item->count > 1 ?
				  cell("%" PRIu64 "x", line.count).text :
				  "",
			  item_name(line.item).text,
			  is_sata(line.item->drives) ?
				  "SATA" :
				  cell("PS%u", s->state).text,
			  exact_watts(s->power_uw).text,
			  is_sata(line.item->drives) ?
				  "-" :
				  rate_text(s->bytes_per_s.nominal).text,
			  cell("%s%s", s->outranked ? "> " : "",
			       share_text((uint64_t)s->lost_bytes_per_s,
					  (uint64_t)best_rate(line.item))
				       .text)
				  .text);
	}
	table_print(&rows);
}

/* The sums over all drives, and which of them are uncertain. */
struct sums {
	double bytes_per_s, best, expected_low, expected_high;
	uint64_t power_uw, lost;
	uint32_t assumed;
	bool outranked; /* more is lost in one of them */
};

static struct sums sums_of(const struct budget *budget)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < budget->items->n_all; i++) {
		const struct ssdpm_budget_state *choice = choice_of(budget, i);

		if (!is_sata(budget->item_of[i]->drives))
			sums.bytes_per_s += choice->bytes_per_s.nominal;
		sums.best += best_rate(budget->item_of[i]);
		sums.expected_low += choice->expected_power_uw.low;
		sums.expected_high += choice->expected_power_uw.high;
		sums.power_uw += choice->power_uw;
		sums.lost += (uint64_t)choice->lost_bytes_per_s;
		sums.assumed |= choice->assumed;
		sums.outranked |= choice->outranked;
	}
	return sums;
}

static void write_work(FILE *file, const struct budget_work *work)
{
	if (work->workload)
		fprintf(file, " %s", work->workload);
	else if (work->read_ppm == WHOLE_PPM)
		fputs(" reads", file);
	else if (!work->read_ppm)
		fputs(" writes", file);
	else
		fprintf(file, " %s reads, the rest writes",
			share_text(work->read_ppm, WHOLE_PPM).text);
}

/* Prints each drive with its own work once. */
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
			write_work(stdout, &budget->works->works[number]);
			putchar('\n');
			last = name;
		}
	}
}

/* The work of the drives without --work, if there are any. */
static void write_default_work(FILE *file, const struct budget *budget)
{
	const struct budget_work *work = &budget->works->works[0];
	bool used = false;

	for (size_t i = 0; i < budget->items->drives.n; i++)
		used |= !budget->works->of_drive[i];
	if (!used)
		return;
	putc(';', file);
	write_work(file, work);
	if (work->workload)
		fputs(" on each", file);
	else if (!work->given)
		fputs(", as no --mix is given", file);
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
	uint64_t n = budget->items->n_all, most = 0;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	for (size_t i = 0; i < n; i++)
		most += most_uw(budget->item_of[i]);

	if (!file)
		return;
	fputs(exact_watts(o->budget_uw).text, file);
	if (o->base_uw)
		fprintf(file, ", of which everything else takes %s",
			exact_watts(o->base_uw).text);
	fprintf(file, "; %s %s by %s power", count_text(n).text,
		drives_word(budget),
		o->power == SSDPM_BUDGET_POWER_MAX	? "maximum" :
		o->power == SSDPM_BUDGET_POWER_EXPECTED ? "expected" :
							  "p99");
	fprintf(file, ", %s without caps", exact_watts(most).text);
	write_default_work(file, budget);
	end_paragraph(file, &text, 2, 4);
	print_own_works(budget);
}

static void print_assumed(const struct sums *sums)
{
	const char *before = "losses are a guess, as these are assumed: ";
	char *text = NULL;
	size_t size;
	FILE *file = sums->assumed ? open_memstream(&text, &size) : NULL;

	if (!file)
		return;
	for (size_t i = 0; i < N_FIELDS; i++) {
		if (!(sums->assumed >> i & 1))
			continue;
		fprintf(file, "%s%s", before, fields[i]);
		before = ", ";
	}
	fputs("; give them, or --measured", file);
	end_paragraph(file, &text, 2, 4);
}

static bool weighted(const struct budget *budget)
{
	for (size_t i = 0; i < budget->items->n; i++)
		if (budget->items->items[i].weight != 1000)
			return true;
	return false;
}

/* Prints whether this is the best choice. */
static void print_bound(const struct budget *budget)
{
	const struct ssdpm_budget_answer *a = budget->answer;
	const char *by = weighted(budget) ? ", by their weights" : "";
	struct number less = rate_text((double)(a->loss - a->bound_loss));

	if (!a->exact)
		printf("  another choice may lose less%s, by %s at most: %s combinations did not tell\n",
		       by, less.text, count_text(a->n_examined).text);
	else
		printf("  no other choice of states within the budget loses less%s\n",
		       by);
}

static void write_sums(FILE *file, const struct budget_options *o,
		       const struct sums *sums)
{
	const double kept = sums->best - (double)sums->lost;

	fprintf(file, "fits: in all %s%s, %s left; ",
		exact_watts(sums->power_uw).text,
		o->base_uw ? " for the drives" : "",
		exact_watts(o->budget_uw - o->base_uw - sums->power_uw).text);
	if (!(sums->best > 0)) {
		fputs("the throughput is unknown", file);
		return;
	}
	fprintf(file, "%s%s of %s kept, %s%s lost",
		sums->outranked ? "less than " : "",
		rate_text(kept > 0 ? kept : 0).text, rate_text(sums->best).text,
		sums->outranked ? "more than " : "",
		share_text(sums->lost, (uint64_t)sums->best).text);
}

/* A loss that the drive's ranks deny is no bound, and no choice is the best. */
static bool print_outranked(const struct budget *budget)
{
	size_t number = 0, choice = 0;
	bool result = false;
	struct line line;

	while (next_line(budget, &number, &choice, &line)) {
		if (!line.choice->outranked)
			continue;
		printf("  by its ranks, %s is slower in PS%u than the table says, but it does not say by how much\n",
		       item_name(line.item).text, line.choice->state);
		result = true;
	}
	return result;
}

static void print_sums(const struct budget *budget)
{
	const struct budget_options *o = budget->options;
	struct sums sums = sums_of(budget);

	if (!print_outranked(budget) && sums.best > 0)
		print_bound(budget);
	if (o->power != SSDPM_BUDGET_POWER_MAX &&
	    sums.expected_low < sums.expected_high)
		printf("  with what is not known of the drives: %s\n",
		       power_range_text((int64_t)sums.expected_low,
					(int64_t)sums.expected_high)
			       .text);
	print_assumed(&sums);
}

/* Writes a proof whose lines, and their sum, can be checked separately. */
static void write_proof(FILE *file, const struct budget *budget)
{
	const struct budget_options *o = budget->options;
	uint64_t all = o->base_uw + budget->answer->least_power_uw;

	fprintf(file, "does not fit: the drives take at least %s",
		exact_watts(budget->answer->least_power_uw).text);
	if (o->base_uw)
		fprintf(file, ", and with everything else %s",
			exact_watts(all).text);
	fprintf(file, ", %s more than the budget",
		exact_watts(all - o->budget_uw).text);
	if (budget->items->n_all > 1)
		fprintf(file, "; at most %" PRIu64 " of %zu fit",
			budget->answer->n_fitting, budget->items->n_all);
}

char *budget_verdict(const struct budget *budget)
{
	const struct sums sums = sums_of(budget);
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	if (budget->answer->fits)
		write_sums(file, budget->options, &sums);
	else
		write_proof(file, budget);
	putc('.', file);
	if (fclose(file))
		return NULL;
	text[0] = (char)toupper((unsigned char)text[0]);
	return text;
}

static void print_verdict(const struct budget *budget)
{
	char *text = budget_verdict(budget);

	if (text)
		print_paragraph(text, 0, 2);
	free(text);
}

/* Each rank counts as 1, by weight, and these sums are no throughput. */
static bool is_of_ranks(const struct budget *budget, uint64_t loss)
{
	double most = 0;

	for (size_t i = 0; i < budget->items->n; i++)
		most += (double)budget->items->items[i].count *
			SSDPM_MAX_STATES *
			((double)budget->items->items[i].weight / 1000 + 1);
	return loss && (double)loss <= most;
}

static void print_frontier(const struct budget *budget)
{
	const struct ssdpm_budget_point *p;
	struct table rows;
	size_t n;

	table_begin(&rows, ">>>>", "drives", "with all else",
		    weighted(budget) ? "lost by weight" : "lost",
		    "a watt more gains");
	p = ssdpm_budget_get_frontier(budget->solved, &n);
	for (size_t i = 0; i < n; i++) {
		table_row(&rows, exact_watts(p[i].power_uw).text,
			  exact_watts(budget->options->base_uw + p[i].power_uw)
				  .text,
			  is_of_ranks(budget, p[i].loss) ?
				  "by ranks" :
				  rate_text((double)p[i].loss).text);
		if (i + 1 < n && !is_of_ranks(budget, p[i].loss))
			table_cell(
				&rows, "%s",
				rate_text((double)(p[i].loss - p[i + 1].loss) *
					  UW_PER_W /
					  (double)(p[i + 1].power_uw -
						   p[i].power_uw))
					.text);
	}
	table_print(&rows);
}

/* The next device to set on a machine, from *number and *member; or NULL. */
static const struct drive *next_device(const struct budget *budget,
				       const struct live *live, size_t *number,
				       size_t *member)
{
	for (; *number < budget->items->n_all; ++*number, *member = 0) {
		const struct budget_item *item = budget->item_of[*number];

		while (*member < item->n_drives) {
			const struct drive *drive = &item->drives[(*member)++];

			if (drive->live == live && !is_sata(drive))
				return drive;
		}
	}
	return NULL;
}

static const char *device_name(const struct drive *drive)
{
	return ssdpm_device_get_facts(drive->device)->name;
}

/*
 * Writes one command for a machine, which sets all or nothing. A capture takes
 * no commands, so that of its machine has no --root; of several, a remark names
 * it.
 */
static void write_command(FILE *file, const struct budget *budget,
			  const struct live *live)
{
	size_t number = 0, member = 0, n = 0;
	const struct drive *drive;

	while (next_device(budget, live, &number, &member))
		n++;
	fprintf(file, "ssdpm apply %s--power-state ", n > 1 ? "--strict " : "");
	number = member = n = 0;
	while ((drive = next_device(budget, live, &number, &member)))
		fprintf(file, "%s%s=%u", n++ ? "," : "", device_name(drive),
			choice_of(budget, number)->state);
	number = member = 0;
	while ((drive = next_device(budget, live, &number, &member)))
		write_word(file, device_name(drive));
	if (budget->items->drives.n_lives > 1 && live->root)
		fprintf(file, " # %s", live->root);
}

/* The n-th command; free() it. NULL: no more, or out of memory. */
static char *command_text(const struct budget *budget, size_t n)
{
	const struct drives *drives = &budget->items->drives;
	char *text = NULL;
	size_t length;

	for (size_t i = 0; budget->answer->fits && i < drives->n_lives; i++) {
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

/* For drives of the catalogue: how to set the first cap on a machine. */
static void print_example(const struct budget *budget)
{
	for (size_t i = 0; i < budget->items->n_all; i++) {
		const struct ssdpm_budget_state *choice = choice_of(budget, i);

		if (choice->power_uw >= most_uw(budget->item_of[i]))
			continue;
		printf("\nTo set PS%u on a drive nvme0: "
		       "ssdpm apply --power-state nvme0=%u nvme0\n",
		       choice->state, choice->state);
		return;
	}
}

static void print_commands(const struct budget *budget)
{
	const struct drives *drives = &budget->items->drives;
	bool is_capture = false;
	char *text;

	if (budget->answer->fits && !drives->n_lives)
		print_example(budget);
	for (size_t i = 0; i < drives->n_lives; i++)
		is_capture |= drives->lives[i]->root != NULL;
	for (size_t i = 0; (text = command_text(budget, i)); i++) {
		if (!i)
			printf("\nThis sets it%s until the drives are reset;\n"
			       "with --persist udev, after that too:\n",
			       is_capture ? " on that machine" : "");
		printf("  %s\n", text);
		free(text);
	}
}

void print_budget(const struct budget *budget, bool with_frontier)
{
	print_verdict(budget);
	print_what(budget);
	print_lines(budget);
	if (budget->answer->fits)
		print_sums(budget);
	if (with_frontier) {
		putchar('\n');
		print_frontier(budget);
	}
	print_commands(budget);
}

void add_budget(struct items *items, const struct budget *budget)
{
	const size_t n_lives = budget->items->drives.n_lives;
	char **commands = calloc(n_lives + 1, sizeof(*commands));
	struct ssdpm_budget_report report = {
		.size = sizeof(report),
		.budget = budget->solved,
		.work = &budget->works->works->told,
		.commands = (const char *const *)commands,
	};
	struct ssdpm_error error = { .message = "out of memory" };
	char *text = NULL;
	int err = -ENOMEM;

	while (commands && (commands[report.n_commands] =
				    command_text(budget, report.n_commands)))
		report.n_commands++;
	if (commands)
		err = ssdpm_budget_report_to_json(&report, &text, &error);
	add_item(items, err, text, &error);
	for (size_t i = 0; i < report.n_commands; i++)
		free(commands[i]);
	free(commands);
}
