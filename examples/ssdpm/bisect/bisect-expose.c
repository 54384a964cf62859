/* SPDX-License-Identifier: MIT */
/*
 * A trial that runs. It counts entries into the deepest state, as the settings
 * of before would make them, until there are enough or a drive fails.
 */
#include "bisect/bisect-log.h"
#include "bisect/bisect-run.h"
#include "options/numbers.h"
#include "survey/survey.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOK_NS (SECOND_NS / 5)
/*
 * For a link and for NCQ: longer than an idle time that counts. A SATA link
 * that the host puts to sleep may need as long, as far as anybody knows.
 */
#define PAUSE_NS (SECOND_NS / 100)
/* Reads for NCQ, so seldom that ssdpm watch counts each of them. */
#define QUEUE_NS (SECOND_NS / 10)
/* To write it more often would wake the drives. */
#define SAVE_NS (600 * SECOND_NS)
/* Errors may go on for so many times the time to settle. */
#define N_SETTLES 10
/* A signal or a verdict ends it. */
#define FOR_EVER_NS (INT64_MAX / 4)

/*
 * The states that a drive may enter: those of before, or those of the trial.
 * NULL: no suspect changes them.
 */
static const char *word_of(const struct exposure *e, const char *drive,
			   uint32_t *ret_setting)
{
	const struct search *search = e->search;

	for (size_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++) {
		const size_t step =
			e->in_force ? ssdpm_bisect_get_step(search->bisect, i) :
				      last_step(search, i);

		*ret_setting = setting_of(search, i);
		if (strcmp(drive_of(search, i)->name, drive) != 0 ||
		    (*ret_setting != SSDPM_BISECT_LATENCY_LIMIT &&
		     *ret_setting != SSDPM_BISECT_LPM))
			continue;
		return ssdpm_bisect_get_step_name(search->bisect, i, step);
	}
	return NULL;
}

static int table_of_limit(const struct drive *drive, uint64_t limit_us,
			  struct ssdpm_apst *ret_table,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params params = { .size = sizeof(params) };
	int err =
		ssdpm_device_get_apst_params(drive->device, &drive->live->facts,
					     drive->model, &params, reterr);

	params.max_exit_latency_us = limit_us;
	return err ? err :
		     ssdpm_apst_generate(drive->model, &params, ret_table,
					 reterr);
}

static enum exit_status change_settings(const struct watch *watch,
					const struct drive *drive,
					struct ssdpm_device_settings *settings)
{
	const struct exposure *e = watch->userdata;
	const char *name = ssdpm_device_get_facts(drive->device)->name;
	uint32_t setting = 0;
	const char *word = word_of(e, name, &setting);
	struct ssdpm_error error;

	if (!word)
		return STATUS_DONE;
	if (setting == SSDPM_BISECT_LPM) {
		settings->lpm = ssdpm_lpm_from_string(word);
		settings->known |= SSDPM_SETTING_LPM;
		return STATUS_DONE;
	}
	if (table_of_limit(drive, latency_of(word), &settings->apst, &error))
		return complain_of_device(drive->name, &error);
	settings->known |= SSDPM_SETTING_APST;
	return STATUS_DONE;
}

/* The entries of a drive so far, and how long a pause makes one. */
static enum exit_status read_exposure(const struct exposure *e,
				      const struct watch *watch, size_t i,
				      uint64_t *ret_n, uint64_t *ret_after_ns)
{
	const uint32_t exposure = ssdpm_bisect_get_exposure(e->search->bisect);
	const char *name = watch->watched[i].drive->name;
	struct ssdpm_deepest deepest = { .size = sizeof(deepest) };
	struct ssdpm_observed observed = { .size = sizeof(observed) };
	struct ssdpm_error error;

	if (ssdpm_observation_get_deepest(watch->observation, i, &deepest,
					  &error) ||
	    ssdpm_observation_get_drive(watch->observation, i, &observed,
					&error))
		return complain_of_device(name, &error);
	*ret_n = exposure == SSDPM_BISECT_IOS	     ? observed.n_ios :
		 exposure == SSDPM_BISECT_IDLE_TIMES ? deepest.n_idle_times :
						       deepest.n_entries;
	*ret_after_ns =
		exposure == SSDPM_BISECT_ENTRIES ? deepest.after_ns : PAUSE_NS;
	return *ret_after_ns ?
		       STATUS_DONE :
		       failure("%s: before the search it never slept", name);
}

/* Those of the drive that had the fewest. */
static enum exit_status count_entries(struct exposure *e,
				      const struct watch *watch)
{
	enum exit_status status = STATUS_DONE;
	uint64_t fewest = UINT64_MAX;
	struct ssdpm_error error;

	for (size_t i = 0; i < watch->n; i++) {
		uint64_t n, after_ns;

		status = read_exposure(e, watch, i, &n, &after_ns);
		if (status)
			return status;
		if (n < fewest)
			fewest = n;
	}
	/* Without its settings a trial has no entries. */
	if (fewest <= e->n_counted || e->faults.lost)
		return STATUS_DONE;
	/* Without the trial they are no evidence of a good one. */
	if (e->verdict != SSDPM_BISECT_BAD)
		status = check_trial(e->search);
	if (status)
		return status;
	if (ssdpm_bisect_add_entries(e->search->bisect, fewest - e->n_counted,
				     &error))
		return failure("%s", error.message);
	e->n_counted = fewest;
	return STATUS_DONE;
}

static void say_verdict(const struct exposure *e)
{
	const struct ssdpm_bisect_state state = state_of_search(e->search);

	if (!e->search->common->quiet)
		remark("trial %llu: %s after %llu %s%s%s%s",
		       (unsigned long long)state.n_trials + 1,
		       ssdpm_bisect_verdict_to_string(e->verdict),
		       (unsigned long long)state.entries,
		       entries_word(e->search),
		       e->verdict == SSDPM_BISECT_BAD ? ": " : "",
		       e->verdict == SSDPM_BISECT_BAD ? e->sign.what.text : "",
		       e->verdict == SSDPM_BISECT_BAD ?
			       sign_time_text(e->sign.time_us).text :
			       "");
}

static void say_wait(const struct exposure *e, const char *why)
{
	if (e->options->settle_ns && !e->search->common->quiet)
		remark("%s; waiting %s for late errors", why,
		       time_text(e->options->settle_ns).text);
}

/* A queue that was never used is no evidence for NCQ. */
static enum exit_status check_queues(const struct exposure *e)
{
	for (size_t i = 0; i < e->n_provoked; i++) {
		const struct provoked *p = &e->provoked[i];

		if (p->n_reads > 1 && p->most < 2 &&
		    depth_of_drive(e->search, p->name, false) > 1)
			return failure("%s: it had no two of the reads of "
				       "--provoke at once, so this trial says "
				       "nothing about NCQ; try: ssdpm bisect "
				       "run",
				       p->name);
	}
	return STATUS_DONE;
}

/* The text without an error is enough to wait for late ones. */
static struct cell why_to_wait(const struct exposure *e)
{
	const struct ssdpm_bisect_state state = state_of_search(e->search);

	if (e->faults.lost)
		return cell("%s: %s", e->faults.lost_drive,
			    lost_setting_text(e->faults.lost));
	return state.entries - count_unwatched(e->search) >=
			       state.need_entries ?
		       cell("it has its %s", entries_word(e->search)) :
		       cell("%s", "");
}

/* Linux has turned a setting off, and the drive had no fault. */
static enum exit_status complain_of_loss(const struct fault_watch *w)
{
	complain("%s: %s, so this trial is neither good nor bad: %s: ssdpm "
		 "bisect run",
		 w->lost_drive, lost_setting_text(w->lost),
		 w->lost == SSDPM_FAULT_LPM_OFF ?
			 "restart the machine, and go on" :
			 "set it again");
	return STATUS_NOT_IN_FORCE;
}

/* No entry is counted while a trial waits for late errors. */
static enum exit_status find_good(struct exposure *e)
{
	enum exit_status status = e->faults.lost ?
					  complain_of_loss(&e->faults) :
					  prove_trial(e->search);

	if (!status)
		status = check_queues(e);
	if (!status)
		e->verdict = SSDPM_BISECT_GOOD;
	return status;
}

static enum exit_status decide(struct exposure *e, struct watch *watch,
			       int64_t now_ns)
{
	const struct cell why = why_to_wait(e);
	enum exit_status status = STATUS_DONE;

	if (!e->verdict && !e->settled_ns && why.text[0]) {
		e->settled_ns = now_ns + (int64_t)e->options->settle_ns;
		say_wait(e, why.text);
	}
	if (!e->verdict && e->settled_ns && now_ns >= e->settled_ns)
		status = find_good(e);
	if (status || !e->verdict)
		return status;
	watch->is_over = true;
	say_verdict(e);
	return STATUS_DONE;
}

/* A good trial needs all of its entries after the last gap in the log. */
static enum exit_status see_gap(struct exposure *e)
{
	if (!e->faults.has_gap)
		return STATUS_DONE;
	e->faults.has_gap = false;
	e->settled_ns = 0;
	if (!e->search->common->quiet)
		remark("lines of the kernel's log were overwritten before "
		       "ssdpm read them, so the %llu %s so far do not count",
		       (unsigned long long)state_of_search(e->search).entries,
		       entries_word(e->search));
	return drop_entries(e->search);
}

bool find_last_fault(struct exposure *e)
{
	const bool is_fault = find_fault(&e->faults, &e->sign);

	/* The caller writes the file anyway. */
	see_gap(e);
	if (!is_fault || (e->is_set && check_bad_trial(e->search)))
		return false;
	e->verdict = SSDPM_BISECT_BAD;
	say_verdict(e);
	return true;
}

static enum exit_status look(struct watch *watch, int64_t now_ns)
{
	struct exposure *e = watch->userdata;
	enum exit_status status = STATUS_DONE, noted;

	for (size_t i = 0; i < e->n_provoked && !e->settled_ns; i++)
		provoke(e->search, &e->provoked[i]);
	if (now_ns < e->look_ns)
		return STATUS_DONE;
	e->look_ns = now_ns + LOOK_NS;
	if (find_fault(&e->faults, &e->sign)) {
		e->verdict = SSDPM_BISECT_BAD;
		status = check_bad_trial(e->search);
	}
	if (!status)
		status = count_entries(e, watch);
	noted = see_gap(e);
	if (!status)
		status = noted;
	if (!status)
		status = decide(e, watch, now_ns);
	if (status || e->verdict || now_ns < e->save_ns)
		return status;
	e->save_ns = now_ns + SAVE_NS;
	return write_search(e->search);
}

/*
 * Linux reports one failure over a minute: time-outs, a reset, the end. With
 * the first steps set nothing is added to them.
 */
enum exit_status settle(struct exposure *e)
{
	const struct timespec nap = { .tv_nsec = LOOK_NS };
	const int64_t settle_ns = (int64_t)e->options->settle_ns;
	const int64_t begin_ns = survey_now_ns();
	enum exit_status status =
		settle_ns ? set_first_steps(e->search) : STATUS_DONE;
	int64_t now_ns = begin_ns, quiet_ns = begin_ns + settle_ns;
	struct fault_sign late = { .time_us = 0 };

	say_wait(e, "all suspects have their first step");
	while (!status && now_ns < quiet_ns && !caught_signal()) {
		if (now_ns - begin_ns > N_SETTLES * settle_ns)
			return failure("after a bad trial errors go on with "
				       "all of these settings off, too: %s",
				       late.what.text);
		nanosleep(&nap, NULL);
		now_ns = survey_now_ns();
		if (find_fault(&e->faults, &late))
			quiet_ns = now_ns + settle_ns;
	}
	return status;
}

/* Service times have the wake-ups of the policy of the trial in them. */
static enum exit_status tell_policies(struct exposure *e,
				      const struct watch *watch)
{
	struct watch real = {
		.common = watch->common,
		.options = watch->options,
		.drives = watch->drives,
		.userdata = watch->userdata,
		.change_settings = watch->change_settings,
	};
	enum exit_status status;

	e->in_force = true;
	status = begin_watch(&real);
	e->in_force = false;
	for (size_t i = 0; i < real.n && !status; i++) {
		struct ssdpm_error error;
		char *text = NULL;

		if (ssdpm_observation_get_policy(real.observation, i, &text,
						 &error))
			status = complain_of_device(real.watched[i].drive->name,
						    &error);
		else if (ssdpm_observation_feed(watch->observation, text,
						strlen(text), &error) ||
			 ssdpm_observation_feed(watch->observation, "\n", 1,
						&error))
			status = failure("%s", error.message);
		free(text);
	}
	end_watch(&real);
	return status;
}

static enum exit_status open_one_provoked(struct exposure *e,
					  const struct watch *watch, size_t i)
{
	const char *name = watch->watched[i].drive->name;
	const bool for_queue = ssdpm_bisect_get_exposure(e->search->bisect) ==
			       SSDPM_BISECT_IOS;
	const uint32_t depth = depth_of_drive(e->search, name, true);
	struct provoked p = { .name = name, .n_reads = 1 };
	uint64_t n, after_ns;
	enum exit_status status = read_exposure(e, watch, i, &n, &after_ns);

	if (after_ns < PAUSE_NS)
		after_ns = PAUSE_NS;
	/* A tenth more, since a timer of a drive need not be exact. */
	p.gap_ns = (int64_t)(for_queue ? QUEUE_NS : after_ns + after_ns / 10);
	if (for_queue)
		p.n_reads = depth < MAX_READS ? depth : MAX_READS;
	if (!status)
		status = open_provoked(&watch->watched[i], &p);
	if (status)
		return status;
	e->provoked[e->n_provoked++] = p;
	if (!e->search->common->quiet)
		remark("--provoke reads %s4 KiB of %s, past the cache, every "
		       "%s; it writes nothing",
		       for_queue ? cell("%ux ", p.n_reads).text : "", name,
		       time_text((uint64_t)p.gap_ns).text);
	return STATUS_DONE;
}

static enum exit_status open_all_provoked(struct exposure *e,
					  const struct watch *watch)
{
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; i < watch->n && !status; i++)
		status = open_one_provoked(e, watch, i);
	return status;
}

enum exit_status begin_exposure(struct exposure *e)
{
	const struct search *search = e->search;
	char *names[SSDPM_BISECT_SUSPECTS];
	enum exit_status status;

	e->faults = (struct fault_watch){ .live = search->live,
					  .drives = &e->drives,
					  .corrected = e->options->corrected,
					  .fd = -1 };
	for (size_t i = 0; i < search->n_drives; i++)
		names[i] = e->search->drives[i].name;
	status = read_devices(search->common, names, search->n_drives,
			      &e->drives);
	for (size_t i = 0; i < search->n_drives && !status; i++) {
		struct ssdpm_device *device =
			read_searched(search, &search->drives[i]);

		if (!device)
			status = failure("%s is another drive than at the "
					 "start",
					 names[i]);
		ssdpm_device_unref(device);
	}
	return status ? status : open_fault_watch(&e->faults);
}

enum exit_status expose(struct exposure *e)
{
	const struct watch_options options = { .for_ns = FOR_EVER_NS };
	struct watch watch = { .common = e->search->common,
			       .options = &options,
			       .drives = &e->drives,
			       .userdata = e,
			       .change_settings = change_settings,
			       .step = look };
	enum exit_status status = begin_watch(&watch);

	if (!status)
		status = tell_policies(e, &watch);
	e->save_ns = survey_now_ns() + SAVE_NS;
	if (!status && e->options->provoke)
		status = open_all_provoked(e, &watch);
	if (!status)
		status = watch_machine(&watch);
	/* A signal ended it: up to then they count. */
	if (!status && !e->verdict)
		status = count_entries(e, &watch);
	end_watch(&watch);
	return status;
}

void end_exposure(struct exposure *e)
{
	for (size_t i = 0; i < e->n_provoked; i++)
		close_provoked(&e->provoked[i]);
	close_fault_watch(&e->faults);
	free_drives(&e->drives);
}
