/* SPDX-License-Identifier: MIT */
/* Surveys of several drives as one: what holds for all of them. */
#include "survey/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

struct merge_part {
	struct ssdpm_survey_merge_part shown;
	char *drive; /* that of a comment; NULL: it has none */
	char why[384];
};

struct merge_row {
	struct ssdpm_survey_merge_row shown;
	struct ssdpm_survey_merged merged;
	struct ssdpm_error why; /* code 0: it is merged */
};

struct ssdpm_survey_merge {
	struct ssdpm_survey_merge_info info;
	struct merge_part *parts;
	size_t n_parts;
	struct merge_row *rows;
	size_t n_rows, room;
	struct ssdpm_survey_effect *effects; /* room for a survey each */
};

/* "Fixture SSD 256GB" of "Fixture SSD 256GB, FW 1.0"; else the survey's name.
 */
static int name_drive(struct merge_part *part, struct ssdpm_error *reterr)
{
	const struct ssdpm_survey_result_info *info = &part->shown.result->info;
	const char *fact = ssdpm_survey_file_get_fact(info->file, "drive", 0);
	const char *comma = fact ? strrchr(fact, ',') : NULL;

	part->shown.name = info->name;
	part->shown.drive = info->name;
	if (!fact || fact == comma)
		return 0;
	part->drive = strdup(fact);
	if (!part->drive)
		return ssdpm__no_memory(reterr);
	if (comma)
		part->drive[comma - fact] = 0;
	part->shown.drive = part->drive;
	return 0;
}

static bool is_same_survey(const struct ssdpm_survey_result *a,
			   const struct ssdpm_survey_result *b)
{
	if (a->n_runs != b->n_runs || !a->n_runs)
		return false;
	for (size_t i = 0; i < a->n_runs; i++) {
		const struct ssdpm_survey_readings *x =
			a->runs[i].shown.readings;
		const struct ssdpm_survey_readings *y =
			b->runs[i].shown.readings;

		if (x->n != y->n ||
		    memcmp(x->power_w, y->power_w, x->n * sizeof(double)))
			return false;
	}
	return true;
}

static void leave_out(struct merge_part *part, uint32_t reason,
		      const char *text)
{
	part->shown.reason = reason;
	part->shown.reason_text = text;
}

/* Is there anything in it that can be merged? */
static void look_at(struct ssdpm_survey_merge *merge, size_t i)
{
	struct merge_part *part = &merge->parts[i];
	const struct ssdpm_survey_result *result = part->shown.result;

	part->shown.number = (uint32_t)i;
	for (size_t k = i; k-- > 0;) {
		const struct ssdpm_survey_merge_part *other =
			&merge->parts[k].shown;

		if (!strcmp(other->drive, part->shown.drive))
			part->shown.number = other->number;
		if (!is_same_survey(other->result, result))
			continue;
		snprintf(part->why, sizeof(part->why),
			 "it is the same survey as %.300s", other->name);
		leave_out(part, SSDPM_SURVEY_REASON_SAME, part->why);
	}
	if (part->shown.reason)
		return;
	for (size_t c = 0; c < result->n_comparisons; c++)
		if (!result->comparisons[c].shown.reason)
			return;
	if (result->n_comparisons)
		leave_out(part, result->comparisons[0].shown.reason,
			  result->comparisons[0].shown.reason_text);
	else
		leave_out(part, SSDPM_SURVEY_REASON_NO_RUN,
			  "it has no complete run");
}

static bool is_like(const struct ssdpm_survey_comparison *a, uint32_t quantity,
		    uint32_t fio, const char *of)
{
	return a->quantity == quantity && a->fio == fio && !strcmp(a->of, of);
}

static const struct ssdpm_survey_comparison *find_like(
	const struct merge_part *part,
	const struct ssdpm_survey_comparison *like)
{
	const struct ssdpm_survey_result *result = part->shown.result;

	for (size_t i = 0; !part->shown.reason && i < result->n_comparisons;
	     i++) {
		const struct ssdpm_survey_comparison *c =
			&result->comparisons[i].shown;

		if (!c->reason &&
		    is_like(c, like->quantity, like->fio, like->of))
			return c;
	}
	return NULL;
}

static const char *name_of(const struct merge_part *part,
			   const struct ssdpm_survey_comparison *c, uint32_t i)
{
	return ssdpm_survey_file_get_policy(part->shown.result->info.file,
					    c->analysis->means[i].policy);
}

/* The number of a policy in the file. */
static uint32_t find_policy(const struct merge_part *part,
			    const struct ssdpm_survey_comparison *c,
			    const char *name)
{
	for (uint32_t i = 0; i < c->n_policies; i++)
		if (!strcmp(name_of(part, c, i), name))
			return c->analysis->means[i].policy;
	return SSDPM_SURVEY_NO_POLICY;
}

/* How many surveys have it. */
static size_t count_policy(const struct ssdpm_survey_merge *merge,
			   const struct ssdpm_survey_comparison *like,
			   const char *policy)
{
	size_t n = 0;

	for (size_t i = 0; i < merge->n_parts; i++) {
		const struct merge_part *part = &merge->parts[i];
		const struct ssdpm_survey_comparison *c = find_like(part, like);

		n += c &&
		     find_policy(part, c, policy) != SSDPM_SURVEY_NO_POLICY;
	}
	return n;
}

/* The differences of one pair in all surveys. */
static size_t collect(const struct ssdpm_survey_merge *merge,
		      const struct ssdpm_survey_merge_row *row)
{
	const struct ssdpm_survey_comparison like = {
		.of = row->of,
		.quantity = row->quantity,
		.fio = row->fio,
	};
	size_t n = 0;

	for (size_t i = 0; i < merge->n_parts; i++) {
		const struct merge_part *part = &merge->parts[i];
		const struct ssdpm_survey_comparison *c =
			find_like(part, &like);
		struct ssdpm_survey_difference d;

		if (!c || ssdpm_survey_comparison_get_difference(
				  c, find_policy(part, c, row->policy),
				  find_policy(part, c, row->from), &d))
			continue;
		merge->effects[n++] = (struct ssdpm_survey_effect){
			.mean_w = d.difference_w,
			.se_w = d.se_w,
			.drive = part->shown.number,
		};
	}
	return n;
}

static int grow(struct ssdpm_survey_merge *merge, struct ssdpm_error *reterr)
{
	size_t room = merge->room ? 2 * merge->room : 32;
	struct merge_row *rows;

	if (merge->n_rows < merge->room)
		return 0;
	rows = reallocarray(merge->rows, room, sizeof(*rows));
	if (!rows)
		return ssdpm__no_memory(reterr);
	merge->rows = rows;
	merge->room = room;
	return 0;
}

static int add_row(struct ssdpm_survey_merge *merge,
		   const struct ssdpm_survey_comparison *like,
		   const char *policy, const char *from,
		   struct ssdpm_error *reterr)
{
	struct merge_row row = { .shown = { .of = like->of,
					    .quantity = like->quantity,
					    .fio = like->fio,
					    .policy = policy,
					    .from = from } };
	size_t n = collect(merge, &row.shown);
	int err = grow(merge, reterr);

	if (err)
		return err;
	err = ssdpm_survey_merge_effects(merge->effects, n, 0, 0, &row.merged,
					 &row.why);
	if (err == -ENOMEM)
		return ssdpm__pass_on(err, &row.why, reterr);
	if (err) {
		row.shown.reason = err == -ENODATA ?
					   SSDPM_SURVEY_REASON_DRIVES :
					   SSDPM_SURVEY_REASON_VALUE;
	} else {
		merge->info.n_merged++;
	}
	merge->rows[merge->n_rows++] = row;
	return 0;
}

/* The first of those that most surveys have. */
static const char *choose_from(const struct ssdpm_survey_merge *merge,
			       const struct ssdpm_survey_comparison *like)
{
	const char *from = NULL;
	size_t most = 0;

	for (size_t i = 0; i < merge->n_parts; i++) {
		const struct merge_part *part = &merge->parts[i];
		const struct ssdpm_survey_comparison *c = find_like(part, like);

		for (uint32_t k = 0; c && k < c->n_policies; k++) {
			const char *name = name_of(part, c, k);
			size_t n = count_policy(merge, like, name);

			if (n > most) {
				most = n;
				from = name;
			}
		}
	}
	return from;
}

static bool has_row(const struct ssdpm_survey_merge *merge,
		    const struct ssdpm_survey_comparison *like,
		    const char *policy)
{
	for (size_t i = 0; i < merge->n_rows; i++) {
		const struct ssdpm_survey_merge_row *row =
			&merge->rows[i].shown;

		if (is_like(like, row->quantity, row->fio, row->of) &&
		    (!policy || !strcmp(row->policy, policy)))
			return true;
	}
	return false;
}

/* All pairs of a scenario. */
static int merge_like(struct ssdpm_survey_merge *merge,
		      const struct ssdpm_survey_comparison *like,
		      struct ssdpm_error *reterr)
{
	const char *from = choose_from(merge, like);
	int err = 0;

	for (size_t i = 0; i < merge->n_parts; i++) {
		const struct merge_part *part = &merge->parts[i];
		const struct ssdpm_survey_comparison *c = find_like(part, like);

		for (uint32_t k = 0; c && !err && k < c->n_policies; k++) {
			const char *name = name_of(part, c, k);

			if (strcmp(name, from) && !has_row(merge, like, name))
				err = add_row(merge, like, name, from, reterr);
		}
	}
	return err;
}

static int merge_quantity(struct ssdpm_survey_merge *merge, uint32_t quantity,
			  struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < merge->n_parts; i++) {
		const struct ssdpm_survey_result *result =
			merge->parts[i].shown.result;

		for (size_t c = 0; !err && c < result->n_comparisons; c++) {
			const struct ssdpm_survey_comparison *like =
				&result->comparisons[c].shown;

			if (like->quantity == quantity &&
			    find_like(&merge->parts[i], like) &&
			    !has_row(merge, like, NULL))
				err = merge_like(merge, like, reterr);
		}
	}
	return err;
}

/* When all rows are known: each has its part of the error, and its place. */
static int finish_rows(struct ssdpm_survey_merge *merge,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_survey_merge_info *info = &merge->info;
	int err = 0;

	info->row_error_rate = info->error_rate /
			       (double)(info->n_merged ? info->n_merged : 1);
	for (size_t i = 0; i < merge->n_rows && !err; i++) {
		struct merge_row *row = &merge->rows[i];

		if (!row->shown.reason)
			err = ssdpm_survey_merge_effects(
				merge->effects, collect(merge, &row->shown), 0,
				info->row_error_rate, &row->merged, reterr);
		if (!row->shown.reason)
			row->shown.merged = &row->merged;
		else if (row->shown.reason == SSDPM_SURVEY_REASON_DRIVES)
			row->shown.reason_text =
				"of one drive: two or more are needed";
		else
			row->shown.reason_text = row->why.message;
	}
	return err;
}

static void count_used(struct ssdpm_survey_merge *merge)
{
	for (size_t i = 0; i < merge->n_parts; i++) {
		const struct ssdpm_survey_merge_part *part =
			&merge->parts[i].shown;
		bool is_first = true;

		if (part->reason)
			continue;
		for (size_t k = 0; k < i; k++)
			if (!merge->parts[k].shown.reason &&
			    merge->parts[k].shown.number == part->number)
				is_first = false;
		merge->info.n_surveys++;
		merge->info.n_drives += is_first;
	}
}

static int merge_all(struct ssdpm_survey_merge *merge,
		     const struct ssdpm_survey_result *const *results, size_t n,
		     struct ssdpm_error *reterr)
{
	int err = ssdpm__error_rate(&merge->info.error_rate, reterr);

	if (err)
		return err;
	merge->parts = calloc(n + 1, sizeof(*merge->parts));
	merge->effects = calloc(n + 1, sizeof(*merge->effects));
	if (!merge->parts || !merge->effects)
		return ssdpm__no_memory(reterr);
	for (size_t i = 0; i < n && !err; i++) {
		merge->parts[i].shown.result = results[i];
		merge->n_parts++;
		err = name_drive(&merge->parts[i], reterr);
		if (!err)
			look_at(merge, i);
	}
	for (uint32_t q = SSDPM_SURVEY_POWER;
	     q <= SSDPM_SURVEY_THROUGHPUT && !err; q++)
		err = merge_quantity(merge, q, reterr);
	if (!err)
		err = finish_rows(merge, reterr);
	count_used(merge);
	return err;
}

int ssdpm_survey_merge_new(const struct ssdpm_survey_result *const *results,
			   size_t n, double error_rate,
			   struct ssdpm_survey_merge **ret_merge,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_survey_merge *merge = calloc(1, sizeof(*merge));
	int err;

	if (!merge)
		return ssdpm__no_memory(reterr);
	merge->info.error_rate = error_rate;
	err = merge_all(merge, results, n, reterr);
	if (err)
		ssdpm_survey_merge_free(merge);
	else
		*ret_merge = merge;
	return err;
}

struct ssdpm_survey_merge *ssdpm_survey_merge_free(
	struct ssdpm_survey_merge *merge)
{
	if (!merge)
		return NULL;
	for (size_t i = 0; i < merge->n_parts; i++)
		free(merge->parts[i].drive);
	free(merge->parts);
	free(merge->effects);
	free(merge->rows);
	free(merge);
	return NULL;
}

const struct ssdpm_survey_merge_info *ssdpm_survey_merge_get_info(
	const struct ssdpm_survey_merge *merge)
{
	return &merge->info;
}

const struct ssdpm_survey_merge_part *ssdpm_survey_merge_get_part(
	const struct ssdpm_survey_merge *merge, size_t index)
{
	return index < merge->n_parts ? &merge->parts[index].shown : NULL;
}

const struct ssdpm_survey_merge_row *ssdpm_survey_merge_get_row(
	const struct ssdpm_survey_merge *merge, size_t index)
{
	return index < merge->n_rows ? &merge->rows[index].shown : NULL;
}
