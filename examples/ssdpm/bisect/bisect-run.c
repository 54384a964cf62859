/* SPDX-License-Identifier: MIT */
/* The steps of a search: a trial is on disk first, and then it is set. */
#include "bisect/bisect-log.h"
#include "bisect/bisect-run.h"
#include "options/advised.h"
#include "programs.h"
#include "survey/survey.h"

#include <stdlib.h>
#include <string.h>

/* Before the ID of the boot: ssdpm watches this trial. */
#define WATCHED "run:"
/* Likewise: it sets the trial, to watch it. */
#define SETTING "setting:"
/* Likewise: the trial is on disk, and not yet set. */
#define UNSET "unset:"
/* Likewise: a setting of it could not be set, in whatever boot. */
#define FAILED "failed:"
/* Likewise: it was watched, and a signal ended that. */
#define STOPPED "stopped:"

bool is_searching(const struct search *search)
{
	return state_of_search(search).decision == SSDPM_BISECT_SEARCHING;
}

static bool has_prefix(const char *token, const char *prefix)
{
	return !strncmp(token, prefix, strlen(prefix));
}

bool is_of_this_boot(const struct search *search, const char *token)
{
	const char *colon = strchr(token, ':');
	const char *boot = colon ? colon + 1 : token;
	const struct cell now = boot_token(search);
	const size_t n = strlen(now.text);

	return !strncmp(boot, now.text, n) &&
	       (!boot[n] || boot[n] == TOKEN_RECORD ||
		boot[n] == TOKEN_UNWATCHED);
}

/* A machine that died as it set a trial may have died of it. */
bool is_unset(const struct search *search, const char *token)
{
	return has_prefix(token, FAILED) ||
	       ((has_prefix(token, UNSET) || has_prefix(token, SETTING)) &&
		is_of_this_boot(search, token));
}

uint64_t count_unwatched(const struct search *search)
{
	const char *token = ssdpm_bisect_get_token(search->bisect);
	const char *at = token ? strchr(token, TOKEN_UNWATCHED) : NULL;
	const uint64_t n = at ? strtoull(at + 1, NULL, 10) : 0;
	const uint64_t n_entries = state_of_search(search).entries;

	return n < n_entries ? n : n_entries;
}

static enum exit_status begin_without(struct search *search, const char *token,
				      uint64_t n_unwatched)
{
	const struct cell unwatched = cell("%c%llu", TOKEN_UNWATCHED,
					   (unsigned long long)n_unwatched);
	struct ssdpm_error error;

	if (ssdpm_bisect_begin(
		    search->bisect,
		    cell("%s%s", token, n_unwatched ? unwatched.text : "").text,
		    &error))
		return failure("%s", error.message);
	return write_search(search);
}

/* It goes on, or is the next one. */
static enum exit_status begin_trial(struct search *search, const char *token)
{
	return begin_without(search, token, count_unwatched(search));
}

static enum exit_status begin_as(struct search *search, const char *prefix)
{
	return begin_trial(
		search,
		cell("%.10s%.40s", prefix, boot_token(search).text).text);
}

enum exit_status drop_entries(struct search *search)
{
	return begin_without(
		search, cell("%s%.40s", WATCHED, boot_token(search).text).text,
		state_of_search(search).entries);
}

/* A trial that was set, and is not watched. */
static enum exit_status begin_as_set(struct search *search, const char *prefix)
{
	if (search->set_at == NO_RECORD)
		return begin_as(search, prefix);
	return begin_trial(search, cell("%.8s%.36s%c%llu", prefix,
					boot_token(search).text, TOKEN_RECORD,
					(unsigned long long)search->set_at)
					   .text);
}

/* A machine that dies while a trial is set has this trial on disk. */
static enum exit_status begin_and_set(struct search *search)
{
	enum exit_status status = begin_as(search, UNSET);

	search->set_at = next_record(search);
	if (status)
		return status;
	status = set_trial(search);
	if (!status)
		return begin_as_set(search, "");
	begin_as(search, FAILED);
	return status;
}

/*
 * The service and udev were refused during the search, and an event does not
 * come again.
 */
static void tell_pending(const struct search *search)
{
	char *text;
	size_t n;

	if (search->common->quiet || count_pending(search->live, &n, NULL) ||
	    !n)
		return;
	text = advised_text(
		search->live->root,
		"settings of ssdpm.conf(5) were refused during the search, or "
		"changed: ssdpm apply --config sets them");
	if (text)
		remark("%s", text);
	free(text);
}

static enum exit_status restore(struct search *search)
{
	const enum exit_status status = put_back_search(search);

	if (search->is_over)
		tell_pending(search);
	return status;
}

/* The result is known, whether or not all could be put back. */
static enum exit_status end_search(struct search *search)
{
	const enum exit_status status = restore(search);
	const enum exit_status printed = print_search(search);

	return status ? status : printed;
}

enum exit_status go_on(struct search *search)
{
	enum exit_status status;

	if (is_searching(search)) {
		status = begin_and_set(search);
		return status ? status : print_search(search);
	}
	status = write_search(search);
	return status ? status : end_search(search);
}

/* A trial of this boot was set, and what was there before is not recorded. */
static bool is_record_lost(const struct search *search)
{
	const char *token =
		search->bisect ? ssdpm_bisect_get_token(search->bisect) : NULL;

	return token && is_of_this_boot(search, token) &&
	       is_record_empty(search);
}

enum exit_status stop_search(struct search *search)
{
	enum exit_status status = STATUS_DONE, removed = STATUS_DONE;
	bool is_lost;

	if (search->lock_fd < 0)
		return no_search(search);
	is_lost = is_record_lost(search);
	if (is_lost)
		status = put_back_without_record(search);
	if (is_put_back(status) || search->forgets)
		removed = remove_search(search);
	/* Last, so that nobody judges a trial that is no longer set. */
	if (!is_lost && !removed)
		status = restore(search);
	if (!status)
		status = removed;
	return status && search->forgets ? STATUS_PARTLY : status;
}

/* Good or bad. */
static enum exit_status check_verdict(struct search *search, uint32_t verdict,
				      const char *token)
{
	const bool is_good = verdict == SSDPM_BISECT_GOOD;
	enum exit_status status;

	if (is_unset(search, token)) {
		complain("this trial was never set: ssdpm bisect set sets it");
		return STATUS_NOT_IN_FORCE;
	}
	/* Linux has its own settings since the boot. */
	if (!is_of_this_boot(search, token))
		return is_good ? failure("the machine was restarted in this "
					 "trial: ssdpm bisect set sets it "
					 "again") :
				 STATUS_DONE;
	if (!is_good)
		return check_bad_trial(search);
	status = check_losses(search);
	return status ? status : prove_trial(search);
}

/* It is bad, even if nothing says so. */
static int set_sign(struct search *search, const struct fault_sign *sign,
		    struct ssdpm_error *reterr)
{
	if (!sign->what.text[0])
		return 0;
	return ssdpm_bisect_set_sign(search->bisect, sign->what.text,
				     sign->time_us, reterr);
}

enum exit_status judge_trial(struct search *search, uint32_t verdict,
			     uint64_t n_entries)
{
	const uint64_t n_counted = state_of_search(search).entries;
	const char *token = ssdpm_bisect_get_token(search->bisect);
	struct fault_sign sign = { .time_us = UINT64_MAX };
	struct ssdpm_error error;
	enum exit_status status = STATUS_DONE;
	int err = 0;

	if (token && verdict != SSDPM_BISECT_SKIP)
		status = check_verdict(search, verdict, token);
	if (status)
		return status;
	if (verdict == SSDPM_BISECT_BAD)
		sign = find_past_sign(search);
	/* Those that were counted are among them. */
	if (n_entries > n_counted)
		err = ssdpm_bisect_add_entries(search->bisect,
					       n_entries - n_counted, &error);
	if (!err)
		err = ssdpm_bisect_judge(search->bisect, verdict, &error);
	if (!err)
		err = set_sign(search, &sign, &error);
	return err ? failure("%s", error.message) : go_on(search);
}

/* The token changes last: until it is set, it is a trial of another boot. */
enum exit_status set_again(struct search *search)
{
	enum exit_status status;

	if (!ssdpm_bisect_get_token(search->bisect))
		return go_on(search);
	status = begin_and_set(search);
	return status ? status : print_search(search);
}

/* A trial that was watched when the machine went down. */
static bool has_died(const struct search *search)
{
	const char *token = ssdpm_bisect_get_token(search->bisect);

	return token &&
	       (has_prefix(token, WATCHED) || has_prefix(token, SETTING)) &&
	       !is_of_this_boot(search, token);
}

static enum exit_status judge_death(struct search *search,
				    const struct run_options *options)
{
	struct ssdpm_error error;

	if (!has_died(search))
		return STATUS_DONE;
	if (!options->count_death) {
		remark("the machine went down in this trial, which is not "
		       "counted; with --count-death it is bad");
		return STATUS_DONE;
	}
	remark("the machine went down in this trial: bad");
	if (ssdpm_bisect_judge(search->bisect, SSDPM_BISECT_BAD, &error) ||
	    ssdpm_bisect_set_sign(search->bisect, "the machine went down",
				  UINT64_MAX, &error))
		return failure("%s", error.message);
	return write_search(search);
}

static enum exit_status watch_trial(struct search *search,
				    struct exposure *exposure)
{
	enum exit_status status = begin_as(search, SETTING);

	search->set_at = next_record(search);
	if (!status)
		status = set_trial(search);
	exposure->is_set = !status;
	if (!status)
		status = begin_as(search, WATCHED);
	if (!status && !search->common->form && !search->common->quiet)
		print_watched_trial(search);
	return status ? status : expose(exposure);
}

/* Until there is a verdict, a failure or a signal. */
static enum exit_status finish_trial(struct search *search,
				     struct exposure *exposure)
{
	enum exit_status status = watch_trial(search, exposure), stopped;
	struct ssdpm_error error;

	/* Errors may have come after the last look, or before the first one. */
	if ((status || !exposure->verdict) && find_last_fault(exposure))
		status = STATUS_DONE;
	/* Only a death leaves the token of a watched trial. */
	if (status || !exposure->verdict) {
		stopped = exposure->is_set ?
				  begin_as_set(search, status ? "" : STOPPED) :
				  begin_as(search, FAILED);
		return status ? status : stopped;
	}
	if (ssdpm_bisect_judge(search->bisect, exposure->verdict, &error) ||
	    (exposure->verdict == SSDPM_BISECT_BAD &&
	     set_sign(search, &exposure->sign, &error)))
		return failure("%s", error.message);
	status = write_search(search);
	if (!status && exposure->verdict == SSDPM_BISECT_BAD &&
	    is_searching(search))
		status = settle(exposure);
	return status;
}

/*
 * A signal stopped the run, and its trial stayed set. An error of an entry that
 * counts may have come since then. With other settings it is not of the trial.
 */
static void see_past(struct search *search, struct fault_watch *faults)
{
	const char *token = ssdpm_bisect_get_token(search->bisect);
	struct fault_sign sign;

	if (!token || !has_prefix(token, STOPPED))
		return;
	sign = find_past_sign(search);
	if (sign.what.text[0] && !check_bad_trial(search))
		faults->past = sign;
}

static enum exit_status run_trial(struct search *search,
				  const struct run_options *options)
{
	struct exposure *exposure = calloc(1, sizeof(*exposure));
	enum exit_status status;

	if (!exposure)
		return out_of_memory();
	exposure->search = search;
	exposure->options = options;
	status = begin_exposure(exposure);
	if (!status) {
		see_past(search, &exposure->faults);
		status = finish_trial(search, exposure);
	}
	end_exposure(exposure);
	free(exposure);
	return status;
}

/* A link may come up slower than before, without a word of Linux. */
static void tell_speeds(const struct search *search, const struct cell *before)
{
	for (size_t i = 0; i < search->n_drives; i++) {
		const struct cell now = find_speed(search, i);

		if (now.text[0] && before[i].text[0] &&
		    strcmp(now.text, before[i].text) != 0 &&
		    !search->common->quiet)
			remark("%s: its link runs at %s, and before this trial "
			       "at %s: a fault may need the faster one",
			       search->drives[i].name, now.text,
			       before[i].text);
	}
}

/* The trial after a bad one: what Linux has limited may hide the fault. */
static enum exit_status run_fair_trial(struct search *search,
				       const struct run_options *options)
{
	struct cell before[SSDPM_BISECT_SUSPECTS];
	struct cell speeds[SSDPM_BISECT_SUSPECTS];
	enum exit_status status;

	for (size_t i = 0; i < search->n_drives; i++) {
		before[i] = find_limit(search, i);
		speeds[i] = find_speed(search, i);
		if (!is_lpm_lost(search, i))
			continue;
		complain("%s: restart the machine, and go on: ssdpm bisect run",
			 before[i].text);
		return STATUS_NOT_IN_FORCE;
	}
	status = run_trial(search, options);
	tell_speeds(search, speeds);
	if (status || !is_searching(search))
		return status;
	for (size_t i = 0; i < search->n_drives; i++) {
		const struct cell after = find_limit(search, i);

		if (!after.text[0] || !strcmp(before[i].text, after.text))
			continue;
		complain("%s, which may hide the fault: restart the machine, "
			 "and go on: ssdpm bisect run",
			 after.text);
		status = STATUS_FAILED;
	}
	return status;
}

enum exit_status run_search(struct search *search,
			    const struct run_options *options)
{
	enum exit_status status = options->provoke ?
					  check_suspects_to_provoke(search) :
					  STATUS_DONE;

	if (!status)
		status = judge_death(search, options);
	if (!status)
		status = catch_signals();
	if (status)
		return status;
	while (!status && is_searching(search) && !caught_signal())
		status = run_fair_trial(search, options);
	if (!status)
		status = is_searching(search) ? print_search(search) :
						end_search(search);
	release_signals();
	return status;
}
