/* SPDX-License-Identifier: MIT */
/*
 * What Linux does with a drive's power states: nvme_configure_apst() and
 * nvme_apst_get_transition_time() in drivers/nvme/host/core.c, in our words.
 */
#include "policy/internal.h"

/* Which idle time a state qualifies for; lower numbers are preferred. */
enum band {
	BAND_PRIMARY = 1,
	BAND_SECONDARY = 2,
	BAND_NONE = 3, /* too slow for both */
};

/*
 * A walk over the states from the deepest one up, as the kernel does it. The
 * target and idle time are what every shallower state gets.
 */
struct state_walk {
	const struct apst_task *task;
	bool two_bands;
	struct ssdpm_apst_entry entry;
	enum band band; /* of the target */
};

static struct state_walk start_walk(const struct apst_task *task)
{
	const struct ssdpm_apst_params *p = &task->params;

	return (struct state_walk){
		.task = task,
		.two_bands = p->algorithm == SSDPM_APST_LINUX &&
			     p->primary_timeout_ms &&
			     p->primary_latency_tolerance_us,
		.band = BAND_NONE,
	};
}

static enum band band_of(const struct ssdpm_apst_params *p, uint64_t total_us)
{
	if (total_us <= p->primary_latency_tolerance_us)
		return BAND_PRIMARY;
	if (p->secondary_timeout_ms &&
	    total_us <= p->secondary_latency_tolerance_us)
		return BAND_SECONDARY;
	return BAND_NONE;
}

/*
 * Idle time of the legacy rule: 50 times the total, so that at most 2 % of the
 * time goes into transitions. In ms, rounded up; the largest total, twice
 * UINT32_MAX, takes 29 bits of the entry's 24.
 */
static uint32_t legacy_idle_ms(uint64_t total_us)
{
	uint64_t ms = (total_us + 19) / 20;

	return ms < SSDPM_APST_MAX_IDLE_MS ? (uint32_t)ms :
					     SSDPM_APST_MAX_IDLE_MS;
}

static uint32_t use(struct state_walk *walk, uint32_t state, uint64_t ms)
{
	walk->entry.target = state;
	walk->entry.idle_ms = (uint32_t)ms;
	return SSDPM_VERDICT_USED;
}

/*
 * Look at one state; the one before it was the next deeper one. The tests
 * reject a state each on its own, so their order decides only which verdict it
 * gets, never the table.
 */
static uint32_t judge(struct state_walk *walk, uint32_t index)
{
	const struct ssdpm_power_state *state = &walk->task->states[index];
	const struct ssdpm_apst_params *p = &walk->task->params;
	uint64_t total_us = ssdpm__total_us(state);
	uint32_t verdict = ssdpm__ruled_out(walk->task, index);
	enum band band = BAND_NONE;

	if (verdict)
		return verdict;
	if (walk->two_bands) {
		band = band_of(p, total_us);
		if (band == BAND_NONE)
			return SSDPM_VERDICT_TOTAL_TOO_SLOW;
	}
	if (state->exit_latency_us > p->max_exit_latency_us)
		return SSDPM_VERDICT_EXIT_TOO_SLOW;
	if (!walk->two_bands)
		return use(walk, index, legacy_idle_ms(total_us));
	/* One state for each idle time, and none behind a faster one. */
	if (band >= walk->band)
		return SSDPM_VERDICT_SHADOWED;
	walk->band = band;
	return use(walk, index,
		   band == BAND_PRIMARY ? p->primary_timeout_ms :
					  p->secondary_timeout_ms);
}

static int make(const struct apst_task *task, struct ssdpm_apst_entry *entries,
		struct ssdpm_error *reterr)
{
	struct state_walk walk = start_walk(task);
	int err;

	err = ssdpm__check_latencies(task, reterr);
	if (err)
		return err;
	for (uint32_t i = task->n_states; i-- > 0;) {
		entries[i] = walk.entry;
		judge(&walk, i);
	}
	return 0;
}

/* used, or nothing comes of it after all */
static void say_used(const struct state_walk *walk,
		     const struct ssdpm_apst_entry *entries,
		     struct ssdpm_apst_verdict *verdict)
{
	if (walk->entry.idle_ms)
		ssdpm__say_used(entries, verdict, NULL);
	else
		ssdpm__say(verdict, SSDPM_VERDICT_NO_GAIN,
			   "entry+exit 0: idle time 0 disables the transition");
}

static void say_total_too_slow(const struct apst_task *task,
			       struct ssdpm_apst_verdict *verdict)
{
	const struct ssdpm_apst_params *p = &task->params;
	bool secondary = p->secondary_timeout_ms &&
			 p->secondary_latency_tolerance_us >
				 p->primary_latency_tolerance_us;
	uint64_t tolerance = secondary ? p->secondary_latency_tolerance_us :
					 p->primary_latency_tolerance_us;
	uint64_t total_us = ssdpm__total_us(&task->states[verdict->state]);

	ssdpm__say(verdict, SSDPM_VERDICT_TOTAL_TOO_SLOW,
		   "never: entry+exit %s > %s tolerance %s, whatever the "
		   "latency limit",
		   ssdpm_us_to_text(total_us).text,
		   secondary ? "secondary" : "primary",
		   ssdpm_us_to_text(tolerance).text);
}

static void say_shadowed(const struct state_walk *walk,
			 struct ssdpm_apst_verdict *verdict)
{
	const struct ssdpm_power_state *deeper =
		&walk->task->states[walk->entry.target];

	ssdpm__say(verdict, SSDPM_VERDICT_SHADOWED,
		   "PS%u is deeper, and its entry+exit %s is within the %s "
		   "tolerance",
		   walk->entry.target,
		   ssdpm_us_to_text(ssdpm__total_us(deeper)).text,
		   walk->band == BAND_PRIMARY ? "primary" : "secondary");
}

static void explain(const struct apst_task *task,
		    const struct ssdpm_apst_entry *entries,
		    struct ssdpm_apst_verdict *verdicts)
{
	struct state_walk walk = start_walk(task);

	for (uint32_t i = task->n_states; i-- > 0;) {
		struct ssdpm_apst_verdict *verdict = &verdicts[i];

		verdict->verdict = judge(&walk, i);
		if (verdict->verdict == SSDPM_VERDICT_USED)
			say_used(&walk, entries, verdict);
		else if (verdict->verdict == SSDPM_VERDICT_TOTAL_TOO_SLOW)
			say_total_too_slow(task, verdict);
		else if (verdict->verdict == SSDPM_VERDICT_SHADOWED)
			say_shadowed(&walk, verdict);
		else
			ssdpm__say_kept_out(task, verdict);
	}
}

const struct algorithm ssdpm__apst_linux = { make, explain };
