/* SPDX-License-Identifier: MIT */
/* compare --all: what policies save on all drives of the catalogue. */
#include "catalogue/compare-all.h"

#include "options/numbers.h"
#include "text/progress.h"
#include "work/comparison.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Simulations in memory at a time. */
enum { CHUNK = 16 };

/* What a policy does to a drive, against the first. */
enum answer {
	ANSWER_NONE = 0, /* it is not for this drive */
	ANSWER_SAVES,
	ANSWER_PROBABLY,
	ANSWER_NOT_DECIDED,
	ANSWER_COSTS,
	ANSWER_TOO_SMALL,
	ANSWER_SAME,
	N_ANSWERS,
};

struct found {
	enum answer answer;
	int64_t uw; /* the middle of the likely range */
};

struct all {
	const struct plan *plan;
	const char *trace;
	struct drives drives;
	struct subject *subjects;
	size_t *leaders;     /* the first drive of which the same is known */
	struct found *found; /* for each drive, for each policy */
	char **texts;	     /* of each drive, for the JSON */
	bool failed;	     /* one of them could not be made */
};

static struct found *found_of(const struct all *all, size_t drive)
{
	return &all->found[drive * all->plan->n_policies];
}

/* The facts of a drive that are simulated, without its names. */
static struct ssdpm_model_info nameless(const struct subject *subject)
{
	struct ssdpm_model_info info =
		*ssdpm_model_get_info(subject->drive->model);

	info.vendor_id = 0;
	memset(info.product, 0, sizeof(info.product));
	memset(info.firmware, 0, sizeof(info.firmware));
	return info;
}

/* Two drives of which the same is known do the same under each policy. */
static bool is_same_subject(const struct subject *a, const struct subject *b)
{
	const struct ssdpm_model_info x = nameless(a), y = nameless(b);
	const struct ssdpm_power_state *s, *t;
	size_t n, m;

	s = ssdpm_model_get_states(a->drive->model, &n);
	t = ssdpm_model_get_states(b->drive->model, &m);
	return n == m && a->n_parameters == b->n_parameters &&
	       a->quirks.in_force == b->quirks.in_force &&
	       !memcmp(&x, &y, sizeof(x)) && !memcmp(s, t, n * sizeof(*s)) &&
	       !memcmp(a->parameters, b->parameters,
		       a->n_parameters * sizeof(a->parameters[0]));
}

/* Are there two policies for it? */
static bool is_compared(const struct all *all, const struct drive *drive)
{
	size_t n = 0;

	if (ssdpm_model_get_info(drive->model)->rotational)
		return false;
	for (size_t i = 0; i < all->plan->n_policies; i++)
		n += policy_fits(&all->plan->policies[i], drive, false);
	return n > 1;
}

/* Hard disks, and drives that have no policies to compare, are left out. */
static enum exit_status read_drives_of(struct all *all)
{
	struct drives *drives = &all->drives;
	enum exit_status status = read_catalogue(all->plan->common, 0, drives);
	size_t n = drives->n;

	if (status)
		return status;
	drives->n = 0;
	for (size_t i = 0; i < n; i++)
		if (is_compared(all, &drives->drives[i]))
			drives->drives[drives->n++] = drives->drives[i];
		else
			free_drive(&drives->drives[i]);
	if (drives->n)
		return STATUS_DONE;
	return usage_error(all->plan->common,
			   "--all requires two policies for the same drives");
}

static void find_leaders(struct all *all)
{
	for (size_t i = 0; i < all->drives.n; i++) {
		size_t j = 0;

		while (j < i &&
		       (all->leaders[j] != j ||
			!is_same_subject(&all->subjects[j], &all->subjects[i])))
			j++;
		all->leaders[i] = j;
	}
}

static struct found look_at(const struct estimate *e, size_t index)
{
	static const enum answer answers[] = {
		[SSDPM_SAVING_SAVES] = ANSWER_SAVES,
		[SSDPM_SAVING_PROBABLY_SAVES] = ANSWER_PROBABLY,
		[SSDPM_SAVING_NOT_DECIDED] = ANSWER_NOT_DECIDED,
		[SSDPM_SAVING_PROBABLY_COSTS] = ANSWER_COSTS,
		[SSDPM_SAVING_COSTS] = ANSWER_COSTS,
		[SSDPM_SAVING_TOO_SMALL] = ANSWER_TOO_SMALL,
	};
	const struct ssdpm_compared_policy *row = &e->jobs[index].row;

	if (!row->same_as || !row->likely)
		return (struct found){ ANSWER_SAME, 0 };
	return (struct found){ answers[row->likely->verdict],
			       row->likely->median_uw };
}

/* The JSON of a drive that does what the estimate says, under its own name. */
static char *text_of(struct all *all, const struct estimate *e,
		     const struct subject *subject)
{
	struct estimate own = *e;
	struct items items = { 0 };
	char *text = NULL;

	own.subject = subject;
	add_comparison(&items, &own, all->plan->sim_options);
	if (items.failed)
		all->failed = true;
	else
		text = items.texts[0];
	free(items.texts);
	return text;
}

/* Give all drives that a leader stands for what came out for it. */
static void keep(struct all *all, size_t leader, const struct estimate *e)
{
	for (size_t i = leader; i < all->drives.n; i++) {
		if (all->leaders[i] != leader)
			continue;
		for (size_t j = 0; j < e->n_jobs; j++)
			found_of(all,
				 i)[e->jobs[j].policy - all->plan->policies] =
				look_at(e, j);
		if (all->plan->common->form && e->n_jobs)
			all->texts[i] = text_of(all, e, &all->subjects[i]);
	}
}

static enum exit_status run_chunk(struct all *all, const size_t *leaders,
				  size_t n)
{
	struct common quiet = *all->plan->common;
	struct plan plan = *all->plan;
	struct drive drives[CHUNK];
	const struct drives chunk = { .drives = drives, .n = n };
	struct estimates estimates;
	enum exit_status status;

	quiet.quiet = true;
	plan.common = &quiet;
	for (size_t i = 0; i < n; i++)
		drives[i] = all->drives.drives[leaders[i]];
	status = run_plan(&plan, &chunk, &all->trace, 1, &estimates);
	for (size_t i = 0; i < n && !status; i++)
		keep(all, leaders[i], &estimates.estimates[i]);
	free_estimates(&estimates);
	return status;
}

static enum exit_status run_all(struct all *all)
{
	enum exit_status status = STATUS_DONE;
	size_t leaders[CHUNK], n = 0;
	struct progress progress;

	progress_begin(&progress, all->plan->common, all->trace, -1);
	for (size_t i = 0; i < all->drives.n && !status; i++) {
		if (all->leaders[i] == i)
			leaders[n++] = i;
		if (n < CHUNK && i + 1 < all->drives.n)
			continue;
		progress_show(
			&progress,
			cell("%zu of %zu drives", i + 1, all->drives.n).text);
		if (n)
			status = run_chunk(all, leaders, n);
		n = 0;
	}
	progress_clear();
	return status;
}

/* One policy on the drives of one kind. */
struct line {
	const struct policy *policy;
	size_t rows;
	uint64_t seen[N_ANSWERS], all;
	int64_t low_uw, uw, high_uw; /* quantiles over the drives seen */
};

struct weighted {
	int64_t uw;
	uint64_t seen;
};

static int compare_weighted(const void *a, const void *b)
{
	const struct weighted *x = a, *y = b;

	return (x->uw > y->uw) - (x->uw < y->uw);
}

/* The least value that this share of the drives does not exceed. */
static int64_t quantile(const struct weighted *values, size_t n, uint64_t all,
			unsigned int percent)
{
	uint64_t below = 0;
	size_t i;

	for (i = 0; i + 1 < n; i++) {
		below += values[i].seen;
		if (below * 100 >= all * percent)
			break;
	}
	return values[i].uw;
}

static struct line count_line(const struct all *all, uint32_t kind,
			      size_t policy, struct weighted *values)
{
	struct line line = { .policy = &all->plan->policies[policy] };

	for (size_t i = 0; i < all->drives.n; i++) {
		const struct drive *drive = &all->drives.drives[i];
		const struct found *found = &found_of(all, i)[policy];

		if (ssdpm_model_get_info(drive->model)->kind != kind ||
		    !found->answer)
			continue;
		values[line.rows++] =
			(struct weighted){ found->uw, drive->seen };
		line.seen[found->answer] += drive->seen;
		line.all += drive->seen;
	}
	if (!line.rows)
		return line;
	qsort(values, line.rows, sizeof(*values), compare_weighted);
	line.low_uw = quantile(values, line.rows, line.all, 10);
	line.uw = quantile(values, line.rows, line.all, 50);
	line.high_uw = quantile(values, line.rows, line.all, 90);
	return line;
}

static uint64_t saving(const struct line *line)
{
	return line->seen[ANSWER_SAVES] + line->seen[ANSWER_PROBABLY];
}

/* The answer: which policy saves on the most drives. */
static void print_head(const struct all *all, const char *kind,
		       const struct line *lines, size_t n)
{
	const struct line *best = &lines[1];

	for (size_t i = 2; i < n; i++)
		if (saving(&lines[i]) > saving(best))
			best = &lines[i];
	printf("%s saves or probably saves on %s of %" PRIu64
	       " %s drives seen\n",
	       best->policy->name, share_text(saving(best), best->all).text,
	       best->all, kind);
	printf("  on %s, against %s, over %zu rows of the catalogue\n",
	       all->trace, lines[0].policy->name, lines[0].rows);
}

/* Whole percent: a column has little room. */
static struct cell percent(uint64_t seen, uint64_t all)
{
	if (!seen)
		return cell("-");
	if (seen * 100 < all)
		return cell("<1%%");
	return cell("%" PRIu64 "%%", (seen * 100 + all / 2) / all);
}

static int64_t milliwatts(int64_t uw)
{
	return (uw + (uw < 0 ? -500 : 500)) / 1000;
}

static void add_line(struct table *rows, const struct line *line)
{
	table_row(rows, line->policy->name);
	for (int i = ANSWER_SAVES; i < N_ANSWERS; i++)
		table_cell(rows, "%s", percent(line->seen[i], line->all).text);
	table_cell(rows, "%" PRId64 "/%" PRId64 "/%" PRId64,
		   milliwatts(line->low_uw), milliwatts(line->uw),
		   milliwatts(line->high_uw));
}

/* Do two policies do the same to all drives? */
static bool is_same_line(const struct all *all, const struct line *a,
			 const struct line *b)
{
	const struct policy *policies = all->plan->policies;

	for (size_t i = 0; i < all->drives.n; i++) {
		const struct found *x = &found_of(all, i)[a->policy - policies];
		const struct found *y = &found_of(all, i)[b->policy - policies];

		if (x->answer != y->answer || x->uw != y->uw)
			return false;
	}
	return true;
}

/* One line for policies that do the same, which stand below. */
static void print_lines(const struct all *all, const struct line *lines,
			size_t n)
{
	size_t first[MAX_POLICIES];
	struct table rows;

	table_begin(&rows, "<>>>>>>>", "policy", "save", "prob", "open", "cost",
		    "tiny", "same", "mW 10/50/90%");
	for (size_t i = 1; i < n; i++) {
		for (first[i] = 1; first[i] < i; first[i]++)
			if (is_same_line(all, &lines[first[i]], &lines[i]))
				break;
		if (first[i] == i)
			add_line(&rows, &lines[i]);
	}
	table_print(&rows);
	for (size_t i = 1; i < n; i++)
		if (first[i] != i)
			printf("  %s is also %s\n",
			       lines[first[i]].policy->name,
			       lines[i].policy->name);
}

/* false: fewer than two policies are for this kind. */
static bool print_kind(const struct all *all, uint32_t kind, const char *name,
		       struct weighted *values, bool further)
{
	struct line lines[MAX_POLICIES];
	size_t n = 0;

	for (size_t i = 0; i < all->plan->n_policies; i++) {
		lines[n] = count_line(all, kind, i, values);
		n += lines[n].rows > 0;
	}
	if (n < 2)
		return false;
	if (further)
		putchar('\n');
	print_head(all, name, lines, n);
	print_lines(all, lines, n);
	return true;
}

static enum exit_status print_people(const struct all *all)
{
	struct weighted *values = calloc(all->drives.n + 1, sizeof(*values));
	bool any;

	if (!values)
		return out_of_memory();
	any = print_kind(all, SSDPM_KIND_NVME, "NVMe", values, false);
	any |= print_kind(all, SSDPM_KIND_SATA, "SATA", values, any);
	free(values);
	puts("\n  prob: probably saves; open: not decided; tiny: within 5 mW. "
	     "mW: likely saved\n"
	     "  power, of which 10, 50 and 90 % of the drives seen have less.");
	return STATUS_DONE;
}

static enum exit_status print_all(struct all *all)
{
	struct items items = { .failed = all->failed };

	if (!all->plan->common->form)
		return print_people(all);
	for (size_t i = 0; i < all->drives.n; i++)
		if (all->texts[i])
			all->texts[items.n++] = all->texts[i];
	items.texts = all->texts;
	all->texts = NULL;
	return print_items(all->plan->common, &items);
}

static enum exit_status answer(struct all *all)
{
	const size_t n = all->drives.n + 1;
	enum exit_status status;

	status = find_subjects(all->plan, &all->drives, &all->subjects);
	if (status)
		return status;
	all->leaders = calloc(n, sizeof(*all->leaders));
	all->texts = calloc(n, sizeof(*all->texts));
	all->found = calloc(n * all->plan->n_policies, sizeof(*all->found));
	if (!all->leaders || !all->texts || !all->found)
		return out_of_memory();
	find_leaders(all);
	status = run_all(all);
	return status ? status : print_all(all);
}

enum exit_status compare_all(const struct plan *given, const char *trace)
{
	struct plan plan = *given;
	struct all all = { .plan = &plan, .trace = trace };
	enum exit_status status = read_drives_of(&all);

	plan.by_kind = plan.no_tables = true;
	if (!status)
		status = answer(&all);
	for (size_t i = 0; all.texts && i < all.drives.n; i++)
		free(all.texts[i]);
	free(all.texts);
	free(all.found);
	free(all.leaders);
	free(all.subjects);
	free_drives(&all.drives);
	return status;
}
