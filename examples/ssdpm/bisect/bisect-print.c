/* SPDX-License-Identifier: MIT */
/* What a search knows, and what to tell others. */
#include "bisect/bisect-log.h"
#include "options/advised.h"
#include "options/numbers.h"

#include <stdlib.h>
#include <string.h>

struct ssdpm_bisect_state state_of_search(const struct search *search)
{
	struct ssdpm_bisect_state state = { .size = sizeof(state) };

	ssdpm_bisect_get_state(search->bisect, &state, NULL);
	return state;
}

struct cell suspect_text(const struct search *search, size_t i)
{
	static const char *const words[] = {
		[SSDPM_BISECT_LATENCY_LIMIT] = "latency limit",
		[SSDPM_BISECT_LPM] = "link policy",
		[SSDPM_BISECT_LINK] = "PCIe link",
		[SSDPM_BISECT_QUEUE_DEPTH] = "queue depth",
	};

	return cell("%s %s", drive_of(search, i)->name,
		    words[setting_of(search, i)]);
}

size_t last_step(const struct search *search, size_t i)
{
	size_t n = 0;

	while (ssdpm_bisect_get_step_name(search->bisect, i, n + 1))
		n++;
	return n;
}

static void print_steps_of_trial(const struct search *search)
{
	struct table table;

	table_begin(&table, "<<<", "setting", "in this trial", "before");
	for (size_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++)
		table_row(&table, suspect_text(search, i).text,
			  step_text(search, i,
				    ssdpm_bisect_get_step(search->bisect, i))
				  .text,
			  step_text(search, i, last_step(search, i)).text);
	table_print(&table);
}

/* Lines with commands, which get --root of a capture. */
static void print_advice(const struct search *search, const char *text)
{
	char *advised = advised_text(search->live->root, text);

	if (advised)
		puts(advised);
	free(advised);
}

const char *exposure_word(uint32_t exposure)
{
	static const char *const words[] = {
		[SSDPM_BISECT_ENTRIES] = "entries",
		[SSDPM_BISECT_IDLE_TIMES] = "idle times",
		[SSDPM_BISECT_IOS] = "I/Os",
	};

	return words[exposure];
}

const char *entries_word(const struct search *search)
{
	return exposure_word(ssdpm_bisect_get_exposure(search->bisect));
}

/* Only a trial after good ones alone does. */
static bool has_steps_of_before(const struct search *search)
{
	for (size_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++)
		if (ssdpm_bisect_get_step(search->bisect, i) !=
		    last_step(search, i))
			return false;
	return true;
}

static void print_head_of_trial(const struct search *search)
{
	static const char *const of[] = {
		[SSDPM_BISECT_ENTRIES] = "entries into the deepest state",
		[SSDPM_BISECT_IDLE_TIMES] = "idle times of 1 ms or more",
		[SSDPM_BISECT_IOS] = "I/Os",
	};
	const struct ssdpm_bisect_state state = state_of_search(search);
	const uint64_t n_unwatched = count_unwatched(search);

	printf("Trial %llu", (unsigned long long)state.n_trials + 1);
	if (state.n_trials < state.likely_trials)
		printf("; one culprit takes at most %llu",
		       (unsigned long long)state.likely_trials);
	puts(".");
	print_steps_of_trial(search);
	if (has_steps_of_before(search))
		puts("No trial failed so far: this one has the settings of "
		     "before.");
	printf("Without an error, it is good after %llu %s.\n",
	       (unsigned long long)state.need_entries,
	       of[ssdpm_bisect_get_exposure(search->bisect)]);
	if (state.entries && !n_unwatched)
		printf("It had %llu so far.\n",
		       (unsigned long long)state.entries);
	if (n_unwatched)
		printf("It had %llu so far; %llu of them do not count.\n",
		       (unsigned long long)state.entries,
		       (unsigned long long)n_unwatched);
}

struct cell sign_time_text(uint64_t us)
{
	if (us == UINT64_MAX)
		return cell("%s", "");
	return cell(" at %llu.%06llu s", (unsigned long long)us / 1000000,
		    (unsigned long long)us % 1000000);
}

void print_signs_of_trials(const struct search *search)
{
	struct ssdpm_bisect_trial trial = { .size = sizeof(trial) };

	for (size_t i = 0;
	     !ssdpm_bisect_get_trial(search->bisect, i, &trial, NULL); i++)
		if (trial.sign[0])
			printf("Trial %zu was bad: %s%s\n", i + 1, trial.sign,
			       sign_time_text(trial.sign_us).text);
}

void print_watched_trial(const struct search *search)
{
	print_head_of_trial(search);
	puts("Ctrl-C stops it; ssdpm bisect run goes on.");
	fflush(stdout);
}

/* Those of all drives, and what to do then. */
static void print_limits(const struct search *search, const char *advice)
{
	bool is_limited = false;

	for (size_t i = 0; i < search->n_drives; i++) {
		const struct cell limit = find_limit(search, i);

		if (limit.text[0])
			print_advice(search, cell("%.200s.", limit.text).text);
		is_limited = is_limited || limit.text[0];
	}
	if (is_limited)
		print_advice(search, advice);
}

static void print_trial(const struct search *search)
{
	const char *token = ssdpm_bisect_get_token(search->bisect);

	if (!token) {
		print_advice(search, "No trial runs: ssdpm bisect set begins "
				     "the next one.");
		return;
	}
	print_head_of_trial(search);
	print_limits(search,
		     "This may hide the fault: restart the machine, and set "
		     "the trial again:\nssdpm bisect set");
	print_losses(search);
	if (is_unset(search, token))
		print_advice(search, "It was never set: ssdpm bisect set sets "
				     "it.");
	else if (!is_of_this_boot(search, token))
		print_advice(search, "The machine was restarted in this trial. "
				     "If it died, call that bad;\notherwise "
				     "set the trial again: ssdpm bisect set.");
	if (!is_unset(search, token))
		print_advice(search,
			     cell("If the drive fails: ssdpm bisect bad\nIf "
				  "not, after N %s: ssdpm bisect good "
				  "--entries N",
				  entries_word(search))
				     .text);
	if (!search->live->root)
		puts("Or let it run by itself: ssdpm bisect run");
}

static void print_quirk(const struct searched_drive *drive,
			const struct ssdpm_bisect_remedy *remedy)
{
	const char *what = drive->pci[0] ? drive->pci : drive->product;

	if (what[0])
		printf("quirk of Linux for %s: %s\n", what, remedy->target);
}

struct ssdpm_device *read_searched(const struct search *search,
				   const struct searched_drive *drive)
{
	struct ssdpm_device *device;

	if (ssdpm_device_read(search->live->machine, drive->name, &device,
			      NULL))
		return NULL;
	return is_searched(search, drive, ssdpm_device_get_facts(device)) ?
		       device :
		       ssdpm_device_unref(device);
}

static void print_parameter(const struct search *search, uint32_t suspect,
			    const struct ssdpm_bisect_remedy *r)
{
	const struct searched_drive *drive = drive_of(search, suspect);
	static const char *const of[] = {
		[SSDPM_BISECT_LATENCY_LIMIT] = "NVMe drives",
		[SSDPM_BISECT_LPM] = "SATA drives",
		[SSDPM_BISECT_LINK] = "PCIe devices",
		[SSDPM_BISECT_QUEUE_DEPTH] = "SATA drives",
	};

	if (!r->all_drives)
		printf("for the port of %s alone: ", drive->name);
	else if (!strcmp(r->target, "nvme.quirks"))
		printf("for all NVMe drives %s: ", drive->pci);
	else
		printf("for all %s: ", of[setting_of(search, suspect)]);
	printf("%s=%s\n", r->target, r->value);
	print_lists_there(search, r->target);
}

/* Files of a link go together. */
static void print_link_files(const struct search *search, size_t culprit)
{
	struct ssdpm_bisect_remedy r = { .size = sizeof(r) };
	struct cell features = { "" };

	for (size_t i = 0;
	     !ssdpm_bisect_get_remedy(search->bisect, culprit, i, &r, NULL) &&
	     r.kind == SSDPM_BISECT_REMEDY_FILE;
	     i++)
		features = cell("%s%s%s=off", features.text, i ? "," : "",
				strrchr(r.target, '/') + 1);
	print_advice(search,
		     cell("until the next boot: ssdpm apply --link %s %s",
			  features.text, r.drive)
			     .text);
}

static void print_remedy(const struct search *search, uint32_t suspect,
			 const struct ssdpm_bisect_remedy *r)
{
	switch (r->kind) {
	case SSDPM_BISECT_REMEDY_LATENCY_LIMIT:
		print_advice(search,
			     cell("ssdpm apply --keep --latency %sus %s",
				  r->value, r->drive)
				     .text);
		break;
	case SSDPM_BISECT_REMEDY_LPM:
		print_advice(search, cell("ssdpm apply --keep --lpm %s %s",
					  r->value, r->drive)
					     .text);
		break;
	case SSDPM_BISECT_REMEDY_FILE:
		/* print_link_files() has printed those of a link. */
		if (setting_of(search, suspect) == SSDPM_BISECT_QUEUE_DEPTH)
			print_advice(search,
				     cell("until the next boot: ssdpm apply "
					  "--queue-depth %s %s",
					  r->value, r->drive)
					     .text);
		break;
	case SSDPM_BISECT_REMEDY_PARAMETER:
		print_parameter(search, suspect, r);
		break;
	default:
		print_quirk(drive_of(search, suspect), r);
	}
}

static void print_remedies(const struct search *search, size_t culprit)
{
	struct ssdpm_bisect_remedy remedy = { .size = sizeof(remedy) };
	uint32_t suspect, step;

	ssdpm_bisect_get_culprit(search->bisect, culprit, &suspect, &step,
				 NULL);
	if (setting_of(search, suspect) == SSDPM_BISECT_LINK)
		print_link_files(search, culprit);
	for (size_t i = 0; !ssdpm_bisect_get_remedy(search->bisect, culprit, i,
						    &remedy, NULL);
	     i++)
		print_remedy(search, suspect, &remedy);
}

static void print_found(const struct search *search)
{
	const struct ssdpm_bisect_state state = state_of_search(search);
	uint32_t suspect, step;

	printf(state.n_culprits == 1 ? "Found: it fails with\n" :
				       "Found: it fails only with all of\n");
	for (size_t i = 0; i < state.n_culprits; i++) {
		ssdpm_bisect_get_culprit(search->bisect, i, &suspect, &step,
					 NULL);
		printf("  %s: %s, but not with %s\n",
		       suspect_text(search, suspect).text,
		       step_text(search, suspect, step).text,
		       step_text(search, suspect, step - 1).text);
	}
	puts(state.n_culprits == 1 ? "This helps:" : "Each of these helps:");
	for (size_t i = 0; i < state.n_culprits; i++)
		print_remedies(search, i);
}

static void print_certainty(const struct search *search)
{
	const struct ssdpm_bisect_state state = state_of_search(search);

	if (state.n_short)
		printf("Called good too early: %s. How sure this is, is "
		       "unknown.\n",
		       counted(state.n_short, "trial").text);
	else
		printf("If errors come at random, this is wrong with a "
		       "probability of at most %u %%.\n",
		       5 * state.n_culprits);
}

/* Each of k trials without an error is wrong with at most 5 % / k. */
static void print_no_error(const struct search *search,
			   const struct ssdpm_bisect_state *state)
{
	struct ssdpm_bisect_trial last = { .size = sizeof(last) };

	ssdpm_bisect_get_trial(search->bisect, (size_t)state->n_trials - 1,
			       &last, NULL);
	puts("It did not fail, not even with the settings of before: nothing "
	     "is decided.");
	if (last.entries < state->need_entries)
		puts("That trial was called good too early. How sure this is, "
		     "is unknown.");
	else
		printf("If errors come at random, this is wrong with a "
		       "probability of at most %llu %%.\n",
		       (unsigned long long)((5 + state->likely_trials - 1) /
					    state->likely_trials));
	puts("If it fails again, begin a new search with the errors and "
	     "entries from now on.");
}

static void print_candidates(const struct search *search)
{
	uint32_t suspect, step;

	for (size_t i = 0; !ssdpm_bisect_get_candidate(search->bisect, i,
						       &suspect, &step, NULL);
	     i++)
		printf("  %s: %s\n", suspect_text(search, suspect).text,
		       step_text(search, suspect, step).text);
}

/* The steps that the drive fails with, if it has no others. */
static bool has_culprits_alone(const struct search *search,
			       const struct ssdpm_bisect_trial *trial)
{
	for (size_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++) {
		uint32_t suspect, step, needed = 0;

		for (size_t c = 0; !ssdpm_bisect_get_culprit(
			     search->bisect, c, &suspect, &step, NULL);
		     c++)
			if (suspect == i)
				needed = step;
		if (trial->steps[i] != needed)
			return false;
	}
	return true;
}

/* No culprit is known, and all was as before the search. */
static bool was_as_before(const struct search *search,
			  const struct ssdpm_bisect_trial *trial)
{
	for (size_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++)
		if (trial->steps[i] != last_step(search, i))
			return false;
	return true;
}

/*
 * The trial without the candidates was skipped, and none was good since, or the
 * one with all of them was.
 */
static bool may_be_none(const struct search *search)
{
	struct ssdpm_bisect_trial trial = { .size = sizeof(trial) };
	bool may_be = false;

	for (size_t i = 0;
	     !ssdpm_bisect_get_trial(search->bisect, i, &trial, NULL); i++)
		if (has_culprits_alone(search, &trial) ||
		    was_as_before(search, &trial))
			may_be = trial.verdict == SSDPM_BISECT_SKIP;
		else if (trial.verdict == SSDPM_BISECT_GOOD)
			may_be = false;
	return may_be;
}

/* Candidates are those for one more culprit. */
static void print_undecided(const struct search *search,
			    const struct ssdpm_bisect_state *state)
{
	uint32_t suspect, step;

	if (state->n_culprits)
		puts("Needed:");
	for (size_t i = 0; !ssdpm_bisect_get_culprit(search->bisect, i,
						     &suspect, &step, NULL);
	     i++)
		printf("  %s: %s\n", suspect_text(search, suspect).text,
		       step_text(search, suspect, step).text);
	printf("Undecided: trials were skipped, and %s may be %s:\n",
	       counted(state->n_candidates, "step").text,
	       state->n_culprits ? "needed, too" : "at fault");
	print_candidates(search);
	if (may_be_none(search))
		puts("  or none of them");
}

void print_end_of_search(const struct search *search)
{
	const struct ssdpm_bisect_state state = state_of_search(search);

	if (state.decision == SSDPM_BISECT_FOUND) {
		print_found(search);
		print_certainty(search);
	} else if (state.decision == SSDPM_BISECT_NONE) {
		puts("The drive fails with all of these settings off, too.\n"
		     "Something else makes it fail. Whether these settings do "
		     "as well is unknown.");
	} else if (state.decision == SSDPM_BISECT_NO_ERROR) {
		print_no_error(search, &state);
	} else {
		print_undecided(search, &state);
	}
	print_unrestored(search);
	print_limits(search, "This outlasts the search: restart the machine.");
}

enum exit_status print_search(const struct search *search)
{
	struct ssdpm_error error;
	char *text = NULL;

	if (search->common->form) {
		const enum exit_status status = add_unrestored(search);
		int err = 0;

		if (status)
			return status;
		err = ssdpm_bisect_to_json(search->bisect, NULL, 0, &text,
					   &error);
		return print_item(search->common, err, text, &error);
	}
	print_signs_of_trials(search);
	if (state_of_search(search).decision == SSDPM_BISECT_SEARCHING)
		print_trial(search);
	else
		print_end_of_search(search);
	return STATUS_DONE;
}
