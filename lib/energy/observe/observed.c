/* SPDX-License-Identifier: MIT */
/* What an observation knows, for its caller. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "observe/observation.h"

/* Up to when all I/Os of a drive are known. */
static uint64_t known_until(const struct ssdpm_observation *observation,
			    const struct observed_drive *drive)
{
	uint64_t now = observation->now_ns;
	uint64_t first = ssdpm__pair_first_ns(drive->trace.pair);

	if (!observation->finished)
		now = now > TRACE_LATE_NS ? now - TRACE_LATE_NS : 0;
	return first < now ? first : now;
}

/*
 * Without a sign of the event it is unknown whether it was traced. Commands of
 * an NVMe drive name its controller. A text with the policy of a drive has its
 * controller, too, if there is one.
 */
static bool lacks_admin(const struct ssdpm_observation *observation,
			const struct observed_drive *drive)
{
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(drive->setup.model);

	if (drive->ctrl_id == SSDPM_NO_CONTROLLER)
		return info->kind == SSDPM_KIND_NVME && !drive->is_recorded;
	return !(observation->formats.seen >> EVENT_NVME_SETUP & 1);
}

int ssdpm__view_new(const struct ssdpm_observation *observation, size_t drive,
		    struct drive_view **ret_view, struct ssdpm_error *reterr)
{
	const struct observed_drive *one;
	struct drive_view *view;
	int err = ssdpm__check_observed(observation, drive, reterr);

	if (err)
		return err;
	one = observation->drives[drive];
	view = malloc(sizeof(*view));
	if (!view)
		return ssdpm__no_memory(reterr);
	view->start_ns = one->start_ns;
	view->n_uncovered_ios = one->n_uncovered_ios;
	view->lacks_admin = lacks_admin(observation, one);
	err = ssdpm__drive_account(one, known_until(observation, one),
				   &view->account, &view->now_ns, reterr);
	if (err)
		free(view);
	else
		*ret_view = view;
	return err;
}

int ssdpm__observed_nj(struct wide energy_fj, uint64_t *ret_nj,
		       struct ssdpm_error *reterr)
{
	if (ssdpm__divide(energy_fj, FJ_PER_NJ, ret_nj))
		return 0;
	return ssdpm__fail(reterr, -ERANGE, 0, "energy: beyond 2^64 nJ");
}

const struct ssdpm_observation_counts *ssdpm_observation_get_counts(
	const struct ssdpm_observation *observation)
{
	return &observation->counts;
}

int ssdpm__view_drive(const struct observed_drive *drive,
		      const struct drive_view *view,
		      struct ssdpm_observed *ret_drive,
		      struct ssdpm_error *reterr)
{
	const struct account *account = &view->account;

	*ret_drive = (struct ssdpm_observed){
		.size = sizeof(*ret_drive),
		.start_ns = view->start_ns,
		.now_ns = view->now_ns,
		.phase = account->phase,
		.state = account->state,
		.busy_ns = account->busy_ns,
		.idle_ns = account->idle_ns,
		.asleep_ns = account->asleep_ns,
		.transition_ns = account->transition_ns,
		.n_ios = account->n_ios,
		.bytes = account->bytes,
		.n_wakes = account->n_wakes,
		.n_delayed = account->n_delayed,
		.delay_sum_ns = account->delay_sum_ns,
		.n_admin = view->lacks_admin ? SSDPM_ADMIN_UNKNOWN :
					       account->n_admin,
		.n_causes = drive->n_causes,
		.uncovered_ns = account->uncovered_ns,
		.n_uncovered_ios = view->n_uncovered_ios,
	};
	int err = ssdpm__observed_nj(account->energy_fj, &ret_drive->energy_nj,
				     reterr);
	return err ? err :
		     ssdpm__observed_nj(account->resting_fj,
					&ret_drive->resting_nj, reterr);
}

int ssdpm_observation_get_drive(const struct ssdpm_observation *observation,
				size_t drive, struct ssdpm_observed *ret_drive,
				struct ssdpm_error *reterr)
{
	struct ssdpm_observed known;
	struct drive_view *view;
	int err = ssdpm__sized_check(ret_drive, sizeof(known), "ssdpm_observed",
				     reterr);

	if (!err)
		err = ssdpm__view_new(observation, drive, &view, reterr);
	if (err)
		return err;
	err = ssdpm__view_drive(observation->drives[drive], view, &known,
				reterr);
	if (!err)
		ssdpm__sized_out(ret_drive, &known, sizeof(known));
	free(view);
	return err;
}

int ssdpm_observation_get_deepest(const struct ssdpm_observation *observation,
				  size_t drive,
				  struct ssdpm_deepest *ret_deepest,
				  struct ssdpm_error *reterr)
{
	struct ssdpm_deepest known = { .size = sizeof(known) };
	const struct chain_step *last;
	struct drive_view *view;
	int err = ssdpm__sized_check(ret_deepest, sizeof(known),
				     "ssdpm_deepest", reterr);

	if (!err)
		err = ssdpm__view_new(observation, drive, &view, reterr);
	if (err)
		return err;
	if (view->account.sleeps) {
		const struct chain *chain =
			&observation->drives[drive]->fresh.chain;

		last = &chain->steps[chain->n - 1];
		known.n_entries = view->account.n_deepest;
		known.after_ns = last->resident_ns;
		known.state = last->state;
	}
	known.n_idle_times = view->account.n_idle_times;
	free(view);
	ssdpm__sized_out(ret_deepest, &known, sizeof(known));
	return 0;
}

/* A view of a drive that has this cause. */
static int view_cause(const struct ssdpm_observation *observation, size_t drive,
		      size_t cause, struct drive_view **ret_view,
		      struct ssdpm_error *reterr)
{
	int err = ssdpm__check_observed(observation, drive, reterr);

	if (err)
		return err;
	if (cause >= observation->drives[drive]->n_causes)
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "cause %zu: there are %zu", cause,
				   observation->drives[drive]->n_causes);
	return ssdpm__view_new(observation, drive, ret_view, reterr);
}

/*
 * Each share is what it adds to the sum of those before it, rounded: so their
 * sum is the rounded sum.
 */
static int share_nj(const struct observed_drive *drive,
		    const struct account *account, size_t cause,
		    uint64_t *ret_nj, struct ssdpm_error *reterr)
{
	struct wide sum = account->resting_fj;
	uint64_t before, with;
	int err;

	for (size_t i = 0; i < cause; i++)
		wide_add(&sum, account->causes[drive->causes[i]].energy_fj);
	err = ssdpm__observed_nj(sum, &before, reterr);
	wide_add(&sum, account->causes[drive->causes[cause]].energy_fj);
	if (!err)
		err = ssdpm__observed_nj(sum, &with, reterr);
	if (!err)
		*ret_nj = with - before;
	return err;
}

int ssdpm__view_cause(const struct ssdpm_observation *observation,
		      const struct observed_drive *drive,
		      const struct drive_view *view, size_t cause,
		      struct ssdpm_cause *ret_cause, struct ssdpm_error *reterr)
{
	const uint16_t number = drive->causes[cause];
	const struct cause_entry *entry = &observation->causes.entries[number];
	const struct counted *counted = &view->account.causes[number];

	*ret_cause = (struct ssdpm_cause){
		.size = sizeof(*ret_cause),
		.kind = entry->kind,
		.pid = entry->pid,
		.n_ios = counted->n_ios,
		.bytes = counted->bytes,
		.n_wakes = counted->n_wakes,
		.n_admin = view->lacks_admin ? SSDPM_ADMIN_UNKNOWN :
					       counted->n_admin,
	};
	memcpy(ret_cause->name, entry->name, sizeof(ret_cause->name));
	return share_nj(drive, &view->account, cause, &ret_cause->energy_nj,
			reterr);
}

int ssdpm_observation_get_cause(const struct ssdpm_observation *observation,
				size_t drive, size_t cause,
				struct ssdpm_cause *ret_cause,
				struct ssdpm_error *reterr)
{
	struct ssdpm_cause known;
	struct drive_view *view;
	int err = ssdpm__sized_check(ret_cause, sizeof(known), "ssdpm_cause",
				     reterr);

	if (!err)
		err = view_cause(observation, drive, cause, &view, reterr);
	if (err)
		return err;
	err = ssdpm__view_cause(observation, observation->drives[drive], view,
				cause, &known, reterr);
	if (!err)
		ssdpm__sized_out(ret_cause, &known, sizeof(known));
	free(view);
	return err;
}

static int replay(const struct observed_drive *drive, uint64_t until_ns,
		  uint16_t cause, struct ssdpm_without *known,
		  struct ssdpm_error *reterr)
{
	struct account *account = malloc(sizeof(*account));

	if (!account)
		return ssdpm__no_memory(reterr);
	int err = ssdpm__drive_replay(drive, until_ns, CAUSE_NONE, account,
				      reterr);
	known->asleep_ns = account->asleep_ns;
	known->n_wakes = account->n_wakes;
	known->uncovered_ns = account->uncovered_ns;
	if (!err)
		err = ssdpm__observed_nj(account->energy_fj, &known->energy_nj,
					 reterr);
	if (!err)
		err = ssdpm__drive_replay(drive, until_ns, cause, account,
					  reterr);
	known->without_asleep_ns = account->asleep_ns;
	known->without_n_wakes = account->n_wakes;
	if (!err)
		err = ssdpm__observed_nj(account->energy_fj,
					 &known->without_energy_nj, reterr);
	free(account);
	return err;
}

int ssdpm_observation_get_without(const struct ssdpm_observation *observation,
				  size_t drive, size_t cause,
				  struct ssdpm_without *ret_without,
				  struct ssdpm_error *reterr)
{
	struct ssdpm_without known = { .size = sizeof(known) };
	struct drive_view *view;
	int err = ssdpm__sized_check(ret_without, sizeof(known),
				     "ssdpm_without", reterr);

	if (!err)
		err = view_cause(observation, drive, cause, &view, reterr);
	if (err)
		return err;
	const struct observed_drive *one = observation->drives[drive];

	known.from_ns = ssdpm__drive_kept_from_ns(one);
	known.until_ns = view->now_ns;
	free(view);
	err = replay(one, known.until_ns, one->causes[cause], &known, reterr);
	if (!err)
		ssdpm__sized_out(ret_without, &known, sizeof(known));
	return err;
}

/* Each number has up to 20 digits. */
#define POLICY_BYTES (128 + SSDPM_MAX_STATES * 72)

static void write_policy(const struct observed_drive *drive, char *at)
{
	const struct timeline *timeline = &drive->fresh;

	at += snprintf(at, 64, "# policy: %u,%u base",
		       (uint32_t)(drive->device >> 32),
		       (uint32_t)drive->device);
	for (int op = 0; op < SSDPM_N_OPS; op++) {
		uint64_t base_ns = timeline->values.service.base_ns[op];

		/* No service time is longer. */
		at += snprintf(at, 16, " %u",
			       base_ns < UINT32_MAX ? (uint32_t)base_ns :
						      UINT32_MAX);
	}
	for (uint32_t i = 0; i < timeline->chain.n; i++) {
		const struct chain_step *step = &timeline->chain.steps[i];

		at += snprintf(at, 72, " sleep %llu %llu %llu",
			       (unsigned long long)step->at_ns,
			       (unsigned long long)step->resident_ns,
			       (unsigned long long)step->exit_ns);
	}
}

int ssdpm_observation_get_policy(const struct ssdpm_observation *observation,
				 size_t drive, char **ret_text,
				 struct ssdpm_error *reterr)
{
	char *text;
	int err = ssdpm__check_observed(observation, drive, reterr);

	if (err)
		return err;
	text = malloc(POLICY_BYTES);
	if (!text)
		return ssdpm__no_memory(reterr);
	write_policy(observation->drives[drive], text);
	*ret_text = text;
	return 0;
}

int ssdpm_observation_replay(const struct ssdpm_observation *observation,
			     size_t drive, ssdpm_change_fn fn, void *userdata,
			     struct ssdpm_error *reterr)
{
	struct drive_view *view;
	int err = fn ? ssdpm__view_new(observation, drive, &view, reterr) :
		       ssdpm__missing("fn", reterr);

	if (err)
		return err;
	err = ssdpm__drive_tell(observation->drives[drive], view->now_ns, fn,
				userdata, &view->account, reterr);
	free(view);
	return err;
}
