/* SPDX-License-Identifier: MIT */
/* A drive that is observed: its I/Os simulated, and charged to their causes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "observe/internal.h"

/* ASPM and DIPM take microseconds. */
#define IDLE_TIME_NS 1000000

/* I/Os that are not complete, of one drive. */
#define MAX_HELD 8192

static const struct trace_reader no_reader = { 0 };

/* The parameters are copied: all that are used, whoever gave them. */
static int keep_setup(struct setup *setup, const struct ssdpm_model *model,
		      const struct ssdpm_sim_params *sim,
		      const struct ssdpm_parameter *parameters, size_t n,
		      struct ssdpm_error *reterr)
{
	setup->parameters = malloc((n ? n : 1) * sizeof(*parameters));
	if (!setup->parameters)
		return ssdpm__no_memory(reterr);
	memcpy(setup->parameters, parameters, n * sizeof(*parameters));
	setup->model = ssdpm_model_ref((struct ssdpm_model *)model);
	setup->sim = *sim;
	setup->sim.flags = SSDPM_SIM_LIKELY;
	setup->sim.parameters = setup->parameters;
	setup->sim.n_parameters = n;
	if (sim->apst) {
		setup->table = *sim->apst;
		setup->sim.apst = &setup->table;
	}
	return 0;
}

static int init_timeline(struct observed_drive *drive,
			 const struct ssdpm_observed_params *params,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_sim_params sim;
	size_t n;
	int err = ssdpm__check_params(params->sim_params, &sim, reterr);

	if (!err && sim.interval_ns)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "interval_ns: an observation has none");
	if (!err)
		err = ssdpm__take_parameters(params->model, &sim, parameters,
					     &n, NULL, reterr);
	if (err)
		return err;
	sim.loop = SSDPM_LOOP_OPEN;
	err = ssdpm__timeline_init(&drive->fresh, params->model, &sim,
				   parameters, n, reterr);
	return err ? err :
		     keep_setup(&drive->setup, params->model, &sim, parameters,
				n, reterr);
}

static void free_setup(struct setup *setup)
{
	if (setup->model)
		ssdpm_model_unref(setup->model);
	free(setup->parameters);
}

int ssdpm__drive_new(const struct ssdpm_observed_params *params,
		     struct observed_drive **ret_drive,
		     struct ssdpm_error *reterr)
{
	struct observed_drive *drive = calloc(1, sizeof(*drive));

	if (!drive)
		return ssdpm__no_memory(reterr);
	drive->device = ssdpm__device(params->major, params->minor);
	drive->ctrl_id = params->ctrl_id;
	drive->trace.reader = &no_reader;
	int err = init_timeline(drive, params, reterr);
	if (!err)
		err = ssdpm__pair_new(&drive->trace, TRACE_LATE_NS, MAX_HELD,
				      reterr);
	if (err) {
		free_setup(&drive->setup);
		free(drive);
		return err;
	}
	drive->timeline = drive->fresh;
	drive->account.sleeps = drive->fresh.chain.n > 0;
	if (drive->account.sleeps)
		drive->account.deepest =
			drive->fresh.chain.steps[drive->fresh.chain.n - 1]
				.state;
	*ret_drive = drive;
	return 0;
}

struct observed_drive *ssdpm__drive_free(struct observed_drive *drive)
{
	if (!drive)
		return NULL;
	ssdpm__pair_free(drive->trace.pair);
	free_setup(&drive->setup);
	free(drive->mark);
	free(drive->kept);
	free(drive);
	return NULL;
}

/* By bytes; the last part takes what is left over. Flushes have none. */
static void charge(struct account *account, const struct parts *parts,
		   struct wide energy_fj)
{
	uint64_t bytes = 0;
	struct wide rest = energy_fj;

	for (size_t i = 0; i < parts->n; i++)
		bytes += parts->bytes[i];
	for (size_t i = 0; i < parts->n; i++) {
		struct wide part = rest;

		if (i + 1u < parts->n)
			part = bytes ? ssdpm__wide_divide(
					       wide_times(energy_fj,
							  parts->bytes[i]),
					       bytes, NULL) :
				       wide_of(0);
		wide_add(&account->causes[parts->causes[i]].energy_fj, part);
		rest = wide_minus(rest, part);
	}
	if (!parts->n)
		wide_add(&account->resting_fj, energy_fj);
}

/* A drive that wakes has an I/O. */
static void note_idle(struct account *account, uint32_t phase, uint64_t ns)
{
	const uint64_t before_ns = account->idle_run_ns;

	if (phase == SSDPM_PHASE_BUSY || phase == SSDPM_PHASE_EXIT) {
		account->idle_run_ns = 0;
		return;
	}
	account->idle_run_ns += ns;
	account->n_idle_times += before_ns < IDLE_TIME_NS &&
				 account->idle_run_ns >= IDLE_TIME_NS;
}

static void spend(void *spender, uint32_t phase, uint32_t state, uint64_t ns,
		  struct wide energy_fj)
{
	struct account *account = spender;

	if (phase == SSDPM_PHASE_RESIDENT && state == account->deepest &&
	    (account->phase != phase || account->state != state))
		account->n_deepest++;
	note_idle(account, phase, ns);
	account->phase = phase;
	account->state = state;
	wide_add(&account->energy_fj, energy_fj);
	switch (phase) {
	case SSDPM_PHASE_BUSY:
		account->busy_ns += ns;
		charge(account, &account->next, energy_fj);
		break;
	case SSDPM_PHASE_EXIT:
		account->transition_ns += ns;
		charge(account, &account->next, energy_fj);
		break;
	case SSDPM_PHASE_ENTRY:
		account->transition_ns += ns;
		charge(account, &account->last, energy_fj);
		break;
	case SSDPM_PHASE_IDLE:
		account->idle_ns += ns;
		if (account->sleeps)
			charge(account, &account->last, energy_fj);
		else
			wide_add(&account->resting_fj, energy_fj);
		break;
	default:
		account->asleep_ns += ns;
		wide_add(&account->resting_fj, energy_fj);
	}
}

/* How long an I/O waits for the drive to wake, if it comes now. */
static uint64_t wait_ns(const struct timeline *timeline, uint64_t start_ns,
			bool *ret_wakes)
{
	uint64_t until = timeline->flow.busy.until_ns;
	uint64_t gap = start_ns > until ? start_ns - until : 0;
	uint64_t ready = timeline->flow.ready_ns;
	uint32_t class = gap ? ssdpm__wake_class(&timeline->wakes, gap) : 0;

	*ret_wakes = class > 0;
	if (gap)
		return ssdpm__wake_delay(&timeline->wakes, class, gap);
	return ready > start_ns ? ready - start_ns : 0;
}

/*
 * A recorded service time has the wake in it, which the simulation adds again.
 * The wake is that of the policy in force, or else of the simulated one.
 */
static void make_awake(struct observed_drive *drive, struct ssdpm_io *io)
{
	const struct timeline *timeline = &drive->timeline;
	bool wakes;

	if (drive->is_recorded)
		ssdpm__awake_take(&drive->recorded, io);
	else
		io->service_ns = ssdpm__awake_service(
			timeline->values.service.base_ns[io->op - 1u],
			io->service_ns,
			wait_ns(timeline, io->start_ns, &wakes));
}

struct ssdpm_io ssdpm__kept_io(const struct kept *kept)
{
	return (struct ssdpm_io){
		.start_ns = kept->start_ns,
		.bytes = kept->bytes,
		.service_ns = kept->service_ns,
		.op = kept->op,
		.flags = kept->flags,
	};
}

int ssdpm__drive_feed(struct timeline *timeline, struct account *account,
		      const struct kept *kept, struct ssdpm_error *reterr)
{
	const struct ssdpm_io io = ssdpm__kept_io(kept);
	struct counted *most;
	bool wakes;

	wait_ns(timeline, io.start_ns, &wakes);
	account->next = kept->parts;
	most = &account->causes[kept->parts.causes[ssdpm__parts_most(
		&kept->parts)]];
	int err = ssdpm__timeline_feed(timeline, &io, 1, reterr);
	if (err)
		return err;
	if (timeline->taken.busy_ns)
		account->last = kept->parts;
	account->n_ios++;
	account->bytes += io.bytes;
	account->n_wakes += wakes;
	account->n_delayed += timeline->taken.delay_ns > 0;
	account->delay_sum_ns += timeline->taken.delay_ns;
	most->n_ios++;
	most->n_wakes += wakes;
	for (size_t i = 0; i < kept->parts.n; i++)
		account->causes[kept->parts.causes[i]].bytes +=
			kept->parts.bytes[i];
	return 0;
}

static int keep(struct observed_drive *drive, const struct kept *kept,
		struct ssdpm_error *reterr)
{
	size_t max = drive->max_kept ? 2 * drive->max_kept : 256;

	if (drive->n_kept == drive->max_kept && max <= MAX_KEPT) {
		struct kept *more = realloc(drive->kept, max * sizeof(*more));

		if (!more)
			return ssdpm__no_memory(reterr);
		drive->kept = more;
		drive->max_kept = max;
	}
	drive->kept[drive->kept_at] = *kept;
	drive->kept_at = (drive->kept_at + 1) % MAX_KEPT;
	if (drive->n_kept < drive->max_kept)
		drive->n_kept++;
	return 0;
}

static void see_cause(struct observed_drive *drive, uint16_t cause)
{
	if (drive->index_of[cause])
		return;
	drive->causes[drive->n_causes++] = cause;
	drive->index_of[cause] = (uint16_t)drive->n_causes;
}

int ssdpm__drive_take(struct observed_drive *drive, const struct ssdpm_io *io,
		      const struct parts *parts, struct ssdpm_error *reterr)
{
	struct kept kept = {
		.bytes = io->bytes,
		.op = io->op,
		.parts = *parts,
	};
	struct ssdpm_io awake = *io;

	if (awake.start_ns < drive->last_start_ns)
		awake.start_ns = drive->last_start_ns;
	drive->last_start_ns = awake.start_ns;
	if (!drive->begun) {
		ssdpm__timeline_begin(&drive->timeline, awake.start_ns);
		drive->start_ns = awake.start_ns;
	}
	drive->begun = true;
	make_awake(drive, &awake);
	kept.start_ns = awake.start_ns;
	kept.service_ns = awake.service_ns;
	for (size_t i = 0; i < parts->n; i++)
		see_cause(drive, parts->causes[i]);
	/* The account may have been copied since. */
	drive->timeline.spent = spend;
	drive->timeline.spender = &drive->account;
	int err = ssdpm__drive_feed(&drive->timeline, &drive->account, &kept,
				    reterr);
	if (err)
		return err;
	ssdpm__awake_delay(&drive->recorded, drive->timeline.taken.delay_ns);
	return keep(drive, &kept, reterr);
}

/*
 * The drive was in some state before the gap, and in the operational one after
 * it: it had I/Os. The cause of that work is unknown, so nobody pays for the
 * idle time after it.
 */
static void skip(const struct observed_drive *drive, struct timeline *timeline,
		 struct account *account, uint64_t until_ns)
{
	const uint64_t end_ns = timeline->start_ns + timeline->elapsed_ns;
	const ssdpm_change_fn fn = timeline->fn;
	void *userdata = timeline->userdata;

	if (until_ns < end_ns)
		until_ns = end_ns;
	account->uncovered_ns += until_ns - end_ns;
	account->phase = account->state = 0;
	account->idle_run_ns = 0;
	account->last = (struct parts){ 0 };
	*timeline = drive->fresh;
	timeline->fn = fn;
	timeline->userdata = userdata;
	timeline->spent = spend;
	timeline->spender = account;
	ssdpm__timeline_begin(timeline, until_ns);
}

static bool is_gap(const struct kept *kept)
{
	return kept->op == KEPT_GAP || kept->op == KEPT_GAP_END;
}

/* The ring may have lost the begin of a gap: its end is first. */
static int step_over(const struct observed_drive *drive,
		     struct timeline *timeline, struct account *account,
		     const struct kept *kept, struct ssdpm_error *reterr)
{
	if (kept->op == KEPT_GAP)
		return ssdpm__timeline_finish(timeline, kept->start_ns, reterr);
	skip(drive, timeline, account, kept->start_ns);
	return 0;
}

static int keep_gap(struct observed_drive *drive, uint64_t from_ns,
		    uint64_t until_ns, struct ssdpm_error *reterr)
{
	const struct kept begin = { .start_ns = from_ns, .op = KEPT_GAP };
	const struct kept end = { .start_ns = until_ns, .op = KEPT_GAP_END };
	struct kept *last = NULL;

	if (drive->n_kept)
		last = &drive->kept[(drive->kept_at + MAX_KEPT - 1) % MAX_KEPT];
	/* The end of a gap that goes on. */
	if (last && last->op == KEPT_GAP_END && last->start_ns == from_ns) {
		last->start_ns = until_ns;
		return 0;
	}
	int err = keep(drive, &begin, reterr);
	return err ? err : keep(drive, &end, reterr);
}

int ssdpm__drive_skip(struct observed_drive *drive, uint64_t from_ns,
		      uint64_t until_ns, uint64_t n_ios,
		      struct ssdpm_error *reterr)
{
	if (from_ns < drive->last_start_ns)
		from_ns = drive->last_start_ns;
	/* A simulated wake may have moved the last record. */
	if (from_ns < drive->recorded.answers.start_ns)
		from_ns = drive->recorded.answers.start_ns;
	if (!drive->begun) {
		ssdpm__timeline_begin(&drive->timeline, from_ns);
		drive->start_ns = from_ns;
	}
	drive->begun = true;
	drive->timeline.spent = spend;
	drive->timeline.spender = &drive->account;
	int err = ssdpm__timeline_finish(&drive->timeline, from_ns, reterr);
	if (err)
		return err;
	skip(drive, &drive->timeline, &drive->account, until_ns);
	until_ns = drive->timeline.start_ns;
	drive->last_start_ns = until_ns;
	if (__builtin_add_overflow(drive->n_uncovered_ios, n_ios,
				   &drive->n_uncovered_ios))
		drive->n_uncovered_ios = UINT64_MAX;
	drive->flush_cause = CAUSE_OTHER;
	/* It was awake at the end of the gap. */
	drive->recorded.until_ns = until_ns;
	drive->recorded.ready_ns = 0;
	drive->recorded.begun = true;
	drive->recorded.answers = (struct answers){ .start_ns = until_ns };
	return keep_gap(drive, from_ns, until_ns, reterr);
}

void ssdpm__drive_admin(struct observed_drive *drive, uint64_t time_ns,
			uint16_t cause)
{
	see_cause(drive, cause);
	drive->asked[drive->account.n_admin % MAX_ASKED] =
		(struct asked){ time_ns, cause };
	drive->account.n_admin++;
	drive->account.causes[cause].n_admin++;
}

int ssdpm__drive_account(const struct observed_drive *drive, uint64_t now_ns,
			 struct account *ret_account, uint64_t *ret_now_ns,
			 struct ssdpm_error *reterr)
{
	struct timeline timeline = drive->timeline;

	*ret_account = drive->account;
	*ret_now_ns = 0;
	if (!drive->begun)
		return 0;
	timeline.spender = ret_account;
	int err = ssdpm__timeline_finish(&timeline, now_ns, reterr);
	*ret_now_ns = timeline.start_ns + timeline.elapsed_ns;
	return err;
}

const struct kept *ssdpm__drive_kept(const struct observed_drive *drive,
				     size_t i)
{
	size_t first = drive->n_kept == MAX_KEPT ? drive->kept_at : 0;

	return &drive->kept[(first + i) % MAX_KEPT];
}

size_t ssdpm__drive_after_gaps(const struct observed_drive *drive,
			       uint64_t *ret_from_ns)
{
	size_t i = drive->n_kept;

	while (i && !is_gap(ssdpm__drive_kept(drive, i - 1)))
		i--;
	*ret_from_ns = i ? ssdpm__drive_kept(drive, i - 1)->start_ns :
			   ssdpm__drive_kept_from_ns(drive);
	return i;
}

uint64_t ssdpm__drive_kept_from_ns(const struct observed_drive *drive)
{
	return drive->n_kept ? ssdpm__drive_kept(drive, 0)->start_ns : 0;
}

/* The rest of an I/O without a cause; false: nothing is left. */
static bool is_left(struct kept *kept, uint16_t without)
{
	struct parts left = { 0 };
	uint32_t bytes = 0;

	for (size_t i = 0; i < kept->parts.n; i++)
		if (kept->parts.causes[i] == without)
			bytes += kept->parts.bytes[i];
		else
			ssdpm__parts_add(&left, kept->parts.causes[i],
					 kept->parts.bytes[i]);
	kept->parts = left;
	kept->bytes -= bytes < kept->bytes ? bytes : kept->bytes;
	return left.n > 0;
}

void ssdpm__drive_begin_replay(const struct observed_drive *drive,
			       uint64_t from_ns, struct timeline *ret_timeline,
			       struct account *ret_account)
{
	*ret_timeline = drive->fresh;
	memset(ret_account, 0, sizeof(*ret_account));
	ret_account->sleeps = drive->account.sleeps;
	ret_timeline->spent = spend;
	ret_timeline->spender = ret_account;
	ssdpm__timeline_begin(ret_timeline, from_ns);
}

static int replay(const struct observed_drive *drive, struct timeline *timeline,
		  uint64_t now_ns, uint16_t without,
		  struct account *ret_account, struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < drive->n_kept && !err; i++) {
		struct kept kept = *ssdpm__drive_kept(drive, i);

		if (is_gap(&kept))
			err = step_over(drive, timeline, ret_account, &kept,
					reterr);
		else if (is_left(&kept, without))
			err = ssdpm__drive_feed(timeline, ret_account, &kept,
						reterr);
	}
	return err ? err : ssdpm__timeline_finish(timeline, now_ns, reterr);
}

int ssdpm__drive_replay(const struct observed_drive *drive, uint64_t now_ns,
			uint16_t without, struct account *ret_account,
			struct ssdpm_error *reterr)
{
	struct timeline timeline;

	ssdpm__drive_begin_replay(drive, ssdpm__drive_kept_from_ns(drive),
				  &timeline, ret_account);
	return replay(drive, &timeline, now_ns, without, ret_account, reterr);
}

int ssdpm__drive_tell(const struct observed_drive *drive, uint64_t now_ns,
		      ssdpm_change_fn fn, void *userdata,
		      struct account *account, struct ssdpm_error *reterr)
{
	struct timeline timeline;

	if (!drive->n_kept)
		return 0;
	ssdpm__drive_begin_replay(drive, ssdpm__drive_kept_from_ns(drive),
				  &timeline, account);
	timeline.fn = fn;
	timeline.userdata = userdata;
	return replay(drive, &timeline, now_ns, CAUSE_NONE, account, reterr);
}
