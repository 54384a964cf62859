/* SPDX-License-Identifier: MIT */
/* What each drive did, and who made it. */
#include "options/numbers.h"
#include "text/output.h"
#include "watch/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROWS 10

/* A cause with what the drive would do without it. */
struct row {
	struct ssdpm_cause cause;
	struct ssdpm_without without;
};

struct rows {
	struct row *rows;
	size_t n;
};

static int by_energy(const void *a, const void *b)
{
	const struct ssdpm_cause *one = &((const struct row *)a)->cause;
	const struct ssdpm_cause *other = &((const struct row *)b)->cause;

	if (one->energy_nj != other->energy_nj)
		return one->energy_nj < other->energy_nj ? 1 : -1;
	return strcmp(one->name, other->name);
}

static enum exit_status find_rows(const struct watch *watch, size_t drive,
				  size_t n, struct rows *ret_rows)
{
	const struct ssdpm_observation *observation = watch->observation;
	struct ssdpm_error error;
	struct row *rows = calloc(n + 1, sizeof(*rows));

	*ret_rows = (struct rows){ rows, n };
	if (!rows)
		return out_of_memory();
	for (size_t i = 0; i < n; i++) {
		rows[i].cause.size = sizeof(rows[i].cause);
		rows[i].without.size = sizeof(rows[i].without);
		if (ssdpm_observation_get_cause(observation, drive, i,
						&rows[i].cause, &error) ||
		    ssdpm_observation_get_without(observation, drive, i,
						  &rows[i].without, &error))
			return failure("%s: %s",
				       watch->watched[drive].drive->name,
				       error.message);
	}
	qsort(rows, n, sizeof(*rows), by_energy);
	return STATUS_DONE;
}

int64_t power_uw(int64_t nj, uint64_t ns)
{
	return ns ? (int64_t)((double)nj * 1e6 / (double)ns) : 0;
}

struct cell cause_text(const struct ssdpm_cause *cause)
{
	switch (cause->kind) {
	case SSDPM_CAUSE_WRITEBACK:
		return cell("%s, written back", cause->name);
	case SSDPM_CAUSE_JOURNAL:
		return cell("%s, journal", cause->name);
	case SSDPM_CAUSE_KERNEL:
		return cell("%s, kernel", cause->name);
	default:
		return cell("%s", cause->name);
	}
}

enum exit_status find_likely(const struct watch *watch, size_t drive,
			     struct ssdpm_prediction *ret_likely)
{
	struct ssdpm_prediction likely = { .size = sizeof(likely) };
	struct ssdpm_error error;
	int err = ssdpm_observation_get_prediction(watch->observation, drive,
						   &likely, &error);

	*ret_likely = err ? (struct ssdpm_prediction){ 0 } : likely;
	return err && err != -ENODATA ?
		       failure("%s: %s", watch->watched[drive].drive->name,
			       error.message) :
		       STATUS_DONE;
}

/* Nobody knows more digits. */
struct cell likely_text(const struct ssdpm_prediction *likely)
{
	if (!likely->size)
		return cell("unknown");
	return cell(
		"%s to %s",
		power_text(two_digits((int64_t)likely->likely_low_uw)).text,
		power_text(two_digits((int64_t)likely->likely_high_uw)).text);
}

static void print_rows(const struct ssdpm_observed *drive,
		       const struct rows *rows)
{
	const uint64_t ns = covered_ns(drive);
	const size_t n = rows->n < MOST_ROWS ? rows->n : MOST_ROWS;
	struct table table;
	uint64_t rest_nj = 0;

	table_begin(&table, "<>>>>>", "", "I/Os", "admin", "wakes", "takes",
		    "without it");
	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_cause *cause = &rows->rows[i].cause;
		const struct ssdpm_without *without = &rows->rows[i].without;
		int64_t change_nj = (int64_t)(without->without_energy_nj -
					      without->energy_nj);
		const uint64_t without_ns = without->until_ns -
					    without->from_ns -
					    without->uncovered_ns;

		/* The energy of admin commands is unknown, which is not 0. */
		const bool known = cause->n_ios || cause->bytes;

		table_row(&table, cause_text(cause).text,
			  count_text(cause->n_ios).text,
			  count_text(cause->n_admin).text,
			  count_text(cause->n_wakes).text,
			  known ? power_text(power_uw((int64_t)cause->energy_nj,
						      ns))
					  .text :
				  "unknown",
			  known ? power_text(power_uw(change_nj, without_ns))
					  .text :
				  "unknown");
	}
	for (size_t i = n; i < rows->n; i++)
		rest_nj += rows->rows[i].cause.energy_nj;
	if (rows->n > n)
		table_row(&table, cell("%zu others", rows->n - n).text, "", "",
			  "", power_text(power_uw((int64_t)rest_nj, ns)).text,
			  "");
	table_row(&table, "nobody: at rest", "", "", "",
		  power_text(power_uw((int64_t)drive->resting_nj, ns)).text,
		  "");
	table_print(&table);
}

/* The cause that wakes it most often; NULL: nothing does. */
static const struct ssdpm_cause *main_waker(const struct rows *rows)
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

/* Sentences with this between them: names are long. */
static void write_verdict(FILE *file, const char *name,
			  const struct ssdpm_observed *drive,
			  const struct ssdpm_prediction *likely,
			  const struct rows *rows, const char *between)
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
		fprintf(file, "Woken %s, %s of these by %s",
			counted(drive->n_wakes, "time").text,
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
				   struct rows *ret_rows)
{
	struct ssdpm_error error;
	enum exit_status status;

	*ret_drive = (struct ssdpm_observed){ .size = sizeof(*ret_drive) };
	*ret_rows = (struct rows){ 0 };
	if (ssdpm_observation_get_drive(watch->observation, index, ret_drive,
					&error))
		return failure("%s: %s", watch->watched[index].drive->name,
			       error.message);
	status = find_likely(watch, index, ret_likely);
	return status ? status :
			find_rows(watch, index, (size_t)ret_drive->n_causes,
				  ret_rows);
}

static enum exit_status print_drive(const struct watch *watch, size_t index)
{
	struct ssdpm_observed drive;
	struct ssdpm_prediction likely;
	struct rows rows;
	enum exit_status status =
		read_drive(watch, index, &drive, &likely, &rows);

	if (!status) {
		write_verdict(stdout, watch->watched[index].drive->name, &drive,
			      &likely, &rows, "\n");
		putchar('\n');
		status = print_states_of(watch, index, &drive);
		if (rows.n)
			print_rows(&drive, &rows);
		if (!status)
			status = print_help_of(watch, index);
	}
	free(rows.rows);
	return status;
}

enum exit_status write_watch_verdict(FILE *file, const struct watch *watch,
				     size_t index)
{
	struct ssdpm_observed drive;
	struct ssdpm_prediction likely;
	struct rows rows;
	enum exit_status status =
		read_drive(watch, index, &drive, &likely, &rows);

	if (!status) {
		write_verdict(file, watch->watched[index].drive->name, &drive,
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
