/* SPDX-License-Identifier: MIT */
/* What each drive did, and who made it. */
#include "options/numbers.h"
#include "text/output.h"
#include "watch/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROWS 10

static void print_rows(const struct ssdpm_observed *drive,
		       const struct cause_rows *rows)
{
	const size_t n = rows->n < MOST_ROWS ? rows->n : MOST_ROWS;
	struct table table;

	table_begin(&table, "<>>>>>", "", "I/Os", "admin", "wakes", "takes",
		    "without it");
	for (size_t i = 0; i < n; i++) {
		const struct cause_texts t = cause_texts(&rows->rows[i], drive);

		table_row(&table, t.name.text, t.n_ios.text, t.n_admin.text,
			  t.n_wakes.text, t.takes.text, t.without.text);
	}
	if (rows->n > n)
		table_row(&table, cell("%zu others", rows->n - n).text, "", "",
			  "", rest_text(rows, n, drive).text, "");
	table_row(&table, AT_REST, "", "", "", at_rest_text(drive).text, "");
	table_print(&table);
}

/* The cause that wakes it most often; NULL: nothing does. */
static const struct ssdpm_cause *main_waker(const struct cause_rows *rows)
{
	const struct ssdpm_cause *most = NULL;

	for (size_t i = 0; i < rows->n; i++) {
		const struct ssdpm_cause *cause = &rows->rows[i].cause;

		if (cause->n_wakes && (!most || cause->n_wakes > most->n_wakes))
			most = cause;
	}
	return most;
}

/* Control characters too, which printf() replaces. */
static void write_plain(FILE *file, const char *text)
{
	for (; *text; text++)
		putc(*text, file);
}

static void write_uncovered(FILE *file, const struct ssdpm_observed *drive,
			    const char *between)
{
	if (!drive->uncovered_ns)
		return;
	write_plain(file, between);
	fprintf(file, "Unknown: %s more", time_text(drive->uncovered_ns).text);
	/* Nobody counts those of a drive that is away. */
	if (drive->n_uncovered_ios)
		fprintf(file, ", with %s",
			counted(drive->n_uncovered_ios, "I/O").text);
	fputs(", while it was not traced", file);
}

/* It covers the kept I/Os after the last gap. */
static void write_likely(FILE *file, const struct ssdpm_observed *drive,
			 const struct ssdpm_prediction *likely,
			 const char *between)
{
	write_plain(file, between);
	fprintf(file, "Likely power: %s", likely_text(likely).text);
	if (likely->size && likely->duration_ns < covered_ns(drive))
		fprintf(file, " in the last %s",
			time_text(likely->duration_ns).text);
}

/* ", 714 an hour"; a share of less than a minute says little. */
static struct cell hourly_text(const struct ssdpm_observed *drive)
{
	const double hours = (double)covered_ns(drive) / 3600e9;
	const double rate = hours > 0 ? (double)drive->n_wakes / hours : 0;

	if (hours < 1.0 / 60)
		return cell("%s", "");
	/* Seldom is not never. */
	if (rate < 9.95)
		return cell(", %.2g an hour", rate);
	return cell(", %s an hour", count_text((uint64_t)(rate + 0.5)).text);
}

void write_observed(FILE *file, const char *name,
		    const struct ssdpm_observed *drive,
		    const struct ssdpm_prediction *likely,
		    const struct cause_rows *rows, const char *between)
{
	const struct ssdpm_cause *waker = main_waker(rows);
	const uint64_t ns = covered_ns(drive);

	if (!drive->n_ios) {
		fprintf(file, "%s: no I/O came%s", name,
			drive->uncovered_ns ? " while the trace was on" : "");
		write_uncovered(file, drive, between);
		return;
	}
	fprintf(file, "%s, simulated: asleep %s of %s, about %s", name,
		share_text(drive->asleep_ns, ns).text, time_text(ns).text,
		power_text(power_uw((int64_t)drive->energy_nj, ns)).text);
	write_likely(file, drive, likely, between);
	write_plain(file, between);
	if (waker)
		fprintf(file, "Woken %s%s, %s of these by %s",
			counted(drive->n_wakes, "time").text,
			hourly_text(drive).text,
			count_text(waker->n_wakes).text,
			cause_text(waker).text);
	else
		fputs("Nothing woke it", file);
	if (drive->n_delayed) {
		write_plain(file, between);
		fprintf(file, "%s waited for it to wake, %s in all",
			counted(drive->n_delayed, "I/O").text,
			time_text(drive->delay_sum_ns).text);
	}
	write_uncovered(file, drive, between);
}

static void print_notes(const struct watch *watch)
{
	const struct ssdpm_observation_counts *counts =
		ssdpm_observation_get_counts(watch->observation);

	if (watch->common->quiet)
		return;
	if (counts->n_lost)
		remark("the kernel lost %s: what they were is not in these "
		       "numbers",
		       counted(counts->n_lost, "event").text);
	if (counts->n_bad)
		remark("%s of events could not be read",
		       counted(counts->n_bad, "line").text);
	if (counts->n_unmatched)
		remark("%s not complete within 30 s or at the end",
		       counts->n_unmatched == 1 ? "an I/O was" : "I/Os were");
}

/* rows are to be freed, whatever is returned. */
static enum exit_status read_drive(const struct watch *watch, size_t index,
				   struct ssdpm_observed *ret_drive,
				   struct ssdpm_prediction *ret_likely,
				   struct cause_rows *ret_rows)
{
	enum exit_status status;

	*ret_rows = (struct cause_rows){ 0 };
	status = read_causes(watch, index, ret_drive, ret_rows);
	if (!status)
		status = find_likely(watch, index, ret_likely);
	for (size_t i = 0; i < ret_rows->n && !status; i++)
		status = read_without(watch, index, &ret_rows->rows[i]);
	if (ret_rows->n)
		qsort(ret_rows->rows, ret_rows->n, sizeof(*ret_rows->rows),
		      by_share);
	return status;
}

static enum exit_status print_drive(const struct watch *watch, size_t index)
{
	struct ssdpm_observed drive;
	struct ssdpm_prediction likely;
	struct cause_rows rows;
	struct helps helps = { 0 };
	enum exit_status status =
		read_drive(watch, index, &drive, &likely, &rows);

	if (!status)
		status = read_helps(watch, index, &helps);
	if (!status) {
		price_admin(&rows, &helps);
		write_observed(stdout, watch->watched[index].drive->name,
			       &drive, &likely, &rows, "\n");
		putchar('\n');
		status = print_states_of(watch, index, &drive);
		if (rows.n)
			print_rows(&drive, &rows);
		if (!status)
			status = print_helps(watch, index, &helps);
	}
	free(helps.list);
	free(rows.rows);
	return status;
}

enum exit_status write_watch_verdict(FILE *file, const struct watch *watch,
				     size_t index)
{
	struct ssdpm_observed drive;
	struct ssdpm_prediction likely;
	struct cause_rows rows;
	enum exit_status status =
		read_drive(watch, index, &drive, &likely, &rows);

	if (!status) {
		write_observed(file, watch->watched[index].drive->name, &drive,
			       &likely, &rows, ". ");
		putc('.', file);
	}
	free(rows.rows);
	return status;
}

void add_watched_drives(const struct watch *watch, struct items *items)
{
	for (size_t i = 0; i < watch->n; i++) {
		struct ssdpm_error error;
		char *text = NULL;
		int err = ssdpm_observation_to_json(
			watch->observation, i, watch->watched[i].drive->name,
			&text, &error);

		add_item(items, err, text, &error);
	}
}

static enum exit_status print_json(const struct watch *watch)
{
	struct items items = { 0 };

	add_watched_drives(watch, &items);
	print_notes(watch);
	return print_items(watch->common, &items);
}

enum exit_status print_watch(const struct watch *watch)
{
	enum exit_status status = STATUS_DONE;

	if (watch->common->form)
		return print_json(watch);

	for (size_t i = 0; i < watch->n && !status; i++)
		status = print_drive(watch, i);
	print_notes(watch);
	return status;
}
