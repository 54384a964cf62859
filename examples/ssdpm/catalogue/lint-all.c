/* SPDX-License-Identifier: MIT */
/* show --lint --all: how often each oddity is found in the catalogue. */
#include "catalogue/all.h"
#include "options/numbers.h"
#include "programs.h"
#include "text/device.h"

#include <inttypes.h>
#include <stdlib.h>

/* Their numbers are small. */
enum { MAX_CODES = 64 };

/* The findings of all drives, each of a drive once, and who has any. */
struct linted {
	struct vote *votes;
	size_t n, n_rows;
	uint64_t seen;
};

static enum exit_status vote(struct linted *linted, const struct drive *drive,
			     const struct ssdpm_finding *findings, size_t n)
{
	struct vote *votes =
		reallocarray(linted->votes, linted->n + n + 1, sizeof(*votes));
	uint64_t codes = 0;

	if (!votes)
		return out_of_memory();
	linted->votes = votes;
	for (size_t i = 0; i < n; i++) {
		if (codes >> findings[i].code % MAX_CODES & 1)
			continue;
		codes |= UINT64_C(1) << findings[i].code % MAX_CODES;
		votes[linted->n++] = (struct vote){
			.answer = findings[i].code,
			.drive = drive,
		};
	}
	if (n) {
		linted->n_rows++;
		linted->seen += drive->seen;
	}
	return STATUS_DONE;
}

static enum exit_status lint_all(const struct drives *drives,
				 struct linted *linted)
{
	enum exit_status status = STATUS_DONE;
	struct ssdpm_finding *findings;
	struct ssdpm_error error;
	size_t n;

	for (size_t i = 0; i < drives->n && !status; i++) {
		const struct drive *drive = &drives->drives[i];

		if (ssdpm_model_lint(drive->model, &findings, &n, &error))
			return failure("%s: %s", drive->name, error.message);
		status = vote(linted, drive, findings, n);
		free(findings);
	}
	return status;
}

static void print_findings_of(const struct drives *drives,
			      struct linted *linted)
{
	const uint64_t all = count_seen(drives);
	struct tally tallies[MAX_CODES];
	size_t n = count_votes(linted->votes, linted->n, tallies, MAX_CODES);
	struct table rows;

	printf("%zu of %zu rows of the catalogue have findings, %s of %" PRIu64
	       " drives seen\n\n",
	       linted->n_rows, drives->n, share_text(linted->seen, all).text,
	       all);
	table_begin(&rows, "<>><", "finding", "rows", "drives", "as in");
	for (size_t i = 0; i < n; i++)
		table_row(&rows,
			  ssdpm_finding_code_to_string(tallies[i].answer),
			  cell("%zu", tallies[i].n).text,
			  share_text(tallies[i].seen, all).text,
			  tallies[i].told[0].name);
	table_print(&rows);
}

/* Quirks are of show, and no finding. */
static enum exit_status print_all_json(const struct common *common,
				       const struct drives *drives)
{
	struct items items = { 0 };

	for (size_t i = 0; i < drives->n; i++)
		add_shown(&items, true,
			  &(struct shown){ .drive = &drives->drives[i] });
	return print_items(common, &items);
}

enum exit_status lint_catalogue(const struct common *common)
{
	struct linted linted = { 0 };
	struct drives drives;
	enum exit_status status = read_catalogue(common, 0, &drives);

	if (!status && common->form)
		status = print_all_json(common, &drives);
	else if (!status)
		status = lint_all(&drives, &linted);
	if (!status && !common->form)
		print_findings_of(&drives, &linted);
	free(linted.votes);
	free_drives(&drives);
	return status;
}
