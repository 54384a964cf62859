/* SPDX-License-Identifier: MIT */
/*
 * The idle times that cost least energy if it is unknown how long the drive
 * will be idle. Source: Irani, Shukla and Gupta, "Online strategies for dynamic
 * power management in systems with multiple power-saving states", ACM TECS
 * 2003.
 *
 * Being in state k for an idle time t costs overhead_k + power_k t: a line for
 * each state. Somebody who knows t would pay their lower envelope. To change
 * lines where they cross costs at most twice that, for every t. Microwatts
 * times microseconds are picojoules: all numbers are exact.
 */
#include "policy/internal.h"

#include <errno.h>
#include <stdio.h>

struct cost_line {
	uint64_t overhead_pj;
	uint32_t power_uw;
	bool ok; /* may be a target, and takes less power than the base */
};

/*
 * Line 0 is the base: idle in an operational state. The steps are the states of
 * the envelope from the one for the longest idle times up to the base.
 */
struct envelope {
	struct cost_line lines[SSDPM_MAX_STATES];
	uint32_t steps[SSDPM_MAX_STATES];
	uint32_t n_steps;
};

/* Typical idle power, or the maximum, which is above it. */
static bool power_of(const struct ssdpm_power_state *state, uint32_t *ret_uw)
{
	if (!ssdpm__is_unknown(state, SSDPM_FIELD_IDLE_POWER))
		*ret_uw = state->idle_power_uw;
	else if (!ssdpm__is_unknown(state, SSDPM_FIELD_MAX_POWER))
		*ret_uw = state->max_power_uw;
	else
		return false;
	return true;
}

static int base_power(const struct apst_task *task, uint32_t *ret_uw,
		      struct ssdpm_error *reterr)
{
	*ret_uw = task->params.idle_power_uw;
	if (*ret_uw)
		return 0;
	if (ssdpm__is_unknown(&task->states[0], SSDPM_FIELD_IDLE_POWER))
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "PS0: idle_power_uw is unknown: give "
				   "idle_power_uw");
	*ret_uw = task->states[0].idle_power_uw;
	return 0;
}

/*
 * The energy of entry and exit beyond the power of the state: transition x
 * (entry + exit) - power x entry. The time of the state counts from the start
 * of the entry. A transition that takes less power than the state is no gain.
 */
static bool overhead(const struct ssdpm_power_state *state, uint64_t power_uw,
		     uint64_t transition_uw, uint64_t *ret_pj)
{
	uint64_t exit_pj = transition_uw * state->exit_latency_us;
	uint64_t less_pj;

	if (transition_uw >= power_uw)
		return !__builtin_add_overflow(exit_pj,
					       (transition_uw - power_uw) *
						       state->entry_latency_us,
					       ret_pj);
	less_pj = (power_uw - transition_uw) * state->entry_latency_us;
	*ret_pj = exit_pj > less_pj ? exit_pj - less_pj : 0;
	return true;
}

static int draw_line(const struct apst_task *task, uint32_t index,
		     struct envelope *envelope, uint32_t transition_uw,
		     struct ssdpm_error *reterr)
{
	const struct ssdpm_power_state *state = &task->states[index];
	struct cost_line *line = &envelope->lines[index];

	*line = (struct cost_line){ 0 };
	if (ssdpm__kept_out(task, index))
		return 0;
	if (!power_of(state, &line->power_uw))
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "PS%u: idle_power_uw and max_power_uw are "
				   "unknown, and one of them is needed",
				   index);
	if (!overhead(state, line->power_uw, transition_uw, &line->overhead_pj))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "PS%u: entering and leaving takes more than "
				   "18 MJ",
				   index);
	line->ok = line->power_uw < envelope->lines[0].power_uw;
	return 0;
}

static int draw_lines(const struct apst_task *task, struct envelope *envelope,
		      struct ssdpm_error *reterr)
{
	struct cost_line *base = &envelope->lines[0];
	uint32_t transition_uw = task->params.transition_power_uw;
	int err;

	*base = (struct cost_line){ 0 };
	err = base_power(task, &base->power_uw, reterr);
	if (!err)
		err = ssdpm__check_latencies(task, reterr);
	if (!transition_uw)
		transition_uw = base->power_uw;
	for (uint32_t i = 1; i < task->n_states && !err; i++)
		err = draw_line(task, i, envelope, transition_uw, reterr);
	return err;
}

/* Where two lines cross: pj / uw microseconds after the start. */
struct crossing {
	uint64_t pj;
	uint32_t uw;
};

/* low takes less power than high, and has at least its overhead. */
static struct crossing cross(const struct cost_line *high,
			     const struct cost_line *low)
{
	return (struct crossing){ low->overhead_pj - high->overhead_pj,
				  high->power_uw - low->power_uw };
}

/* Below 0, 0, or above 0 as a is earlier than, at, or later than b. */
static int compare(struct crossing a, struct crossing b)
{
	uint64_t whole_a = a.pj / a.uw, whole_b = b.pj / b.uw;
	uint64_t rest_a = a.pj % a.uw * b.uw, rest_b = b.pj % b.uw * a.uw;

	if (whole_a != whole_b)
		return whole_a < whole_b ? -1 : 1;
	return (rest_a > rest_b) - (rest_a < rest_b);
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static uint64_t in_us(struct crossing crossing)
{
	return divide_up(crossing.pj, crossing.uw);
}

static uint64_t in_ms(struct crossing crossing)
{
	return divide_up(crossing.pj, 1000ull * crossing.uw);
}

/* For endless idle times: the least power, then the least overhead. */
static uint32_t last_step(const struct apst_task *task,
			  const struct envelope *envelope)
{
	const struct cost_line *lines = envelope->lines;
	uint32_t best = 0;

	for (uint32_t i = 1; i < task->n_states; i++)
		if (lines[i].ok &&
		    (lines[i].power_uw < lines[best].power_uw ||
		     (lines[i].power_uw == lines[best].power_uw &&
		      lines[i].overhead_pj < lines[best].overhead_pj)))
			best = i;
	return best;
}

/*
 * The state to come from. It is shallower (APST only leads deeper) and takes
 * more power. Its line is crossed last, so that none is lower before. If
 * several cross in one point, it is the one of most power.
 */
static uint32_t step_before(const struct envelope *envelope, uint32_t index)
{
	const struct cost_line *lines = envelope->lines, *to = &lines[index];
	uint32_t best = 0;

	for (uint32_t i = 1; i < index; i++) {
		const struct cost_line *from = &lines[i];
		int later;

		if (!from->ok || from->power_uw <= to->power_uw ||
		    from->overhead_pj > to->overhead_pj)
			continue;
		later = compare(cross(from, to), cross(&lines[best], to));
		if (later > 0 ||
		    (!later && from->power_uw > lines[best].power_uw))
			best = i;
	}
	return best;
}

static int find_envelope(const struct apst_task *task,
			 struct envelope *envelope, struct ssdpm_error *reterr)
{
	uint32_t step;
	int err;

	err = draw_lines(task, envelope, reterr);
	if (err)
		return err;
	envelope->n_steps = 0;
	for (step = last_step(task, envelope); step;
	     step = step_before(envelope, step))
		envelope->steps[envelope->n_steps++] = step;
	envelope->steps[envelope->n_steps++] = 0;
	return 0;
}

/*
 * Each step has another whole millisecond: the crossing rounded up, but after
 * the step before, since an idle time of 0 disables a transition.
 */
static int make(const struct apst_task *task, struct ssdpm_apst_entry *entries,
		struct ssdpm_error *reterr)
{
	struct envelope envelope;
	uint64_t passed_ms = 0;
	int err;

	err = find_envelope(task, &envelope, reterr);
	if (err)
		return err;
	for (uint32_t i = envelope.n_steps; !err && i-- > 1;) {
		uint32_t from = envelope.steps[i], to = envelope.steps[i - 1];
		uint64_t ms = in_ms(
			cross(&envelope.lines[from], &envelope.lines[to]));

		if (ms <= passed_ms)
			ms = passed_ms + 1;
		err = ssdpm__lead(entries, from, passed_ms, to, ms, reterr);
		passed_ms = ms;
	}
	return err;
}

/* The deepest step above a state, which takes the least power of them. */
static uint32_t step_above(const struct envelope *envelope, uint32_t state)
{
	const uint32_t *step = envelope->steps;

	while (*step >= state)
		step++;
	return *step;
}

/*
 * Finds the step to a state, or past it to one that takes no more power: it
 * leads from steps[i] to steps[i - 1].
 */
static uint32_t find_step(const struct envelope *envelope, uint32_t state)
{
	const struct cost_line *lines = envelope->lines;
	uint32_t i = envelope->n_steps - 1;

	while (envelope->steps[i - 1] < state ||
	       lines[envelope->steps[i - 1]].power_uw > lines[state].power_uw)
		i--;
	return i;
}

static void say_used(const struct envelope *envelope, uint32_t step,
		     const struct ssdpm_apst_entry *entries,
		     struct ssdpm_apst_verdict *verdict)
{
	const struct cost_line *to = &envelope->lines[verdict->state];
	const struct cost_line *from = &envelope->lines[envelope->steps[step]];
	char note[96];

	snprintf(note, sizeof(note), "%s instead of %s pays after %s",
		 ssdpm_uw_to_text(to->power_uw).text,
		 ssdpm_uw_to_text(from->power_uw).text,
		 ssdpm_us_to_text(in_us(cross(from, to))).text);
	ssdpm__say_used(entries, verdict, note);
}

/* Another state takes less power, or as little sooner. */
static void say_shadowed(const struct envelope *envelope, uint32_t step,
			 struct ssdpm_apst_verdict *verdict)
{
	const struct cost_line *lines = envelope->lines;
	const struct cost_line *from = &lines[envelope->steps[step]];
	uint32_t to = envelope->steps[step - 1];

	ssdpm__say(verdict, SSDPM_VERDICT_SHADOWED,
		   "would pay after %s; PS%u does after %s and takes no more "
		   "power",
		   ssdpm_us_to_text(in_us(cross(from, &lines[verdict->state])))
			   .text,
		   to, ssdpm_us_to_text(in_us(cross(from, &lines[to]))).text);
}

static void say_no_gain(const struct envelope *envelope, uint32_t above,
			struct ssdpm_apst_verdict *verdict)
{
	const struct cost_line *lines = envelope->lines;

	ssdpm__say(verdict, SSDPM_VERDICT_NO_GAIN,
		   "%s is not below the %s of PS%u",
		   ssdpm_uw_to_text(lines[verdict->state].power_uw).text,
		   ssdpm_uw_to_text(lines[above].power_uw).text, above);
}

/* A state below 0 that nothing keeps out. */
static void say_line(const struct envelope *envelope,
		     const struct ssdpm_apst_entry *entries,
		     struct ssdpm_apst_verdict *verdict)
{
	const struct cost_line *lines = envelope->lines;
	uint32_t above = step_above(envelope, verdict->state);
	uint32_t step;

	if (lines[verdict->state].power_uw >= lines[above].power_uw) {
		say_no_gain(envelope, above, verdict);
		return;
	}
	step = find_step(envelope, verdict->state);
	if (envelope->steps[step - 1] == verdict->state)
		say_used(envelope, step, entries, verdict);
	else
		say_shadowed(envelope, step, verdict);
}

static void explain(const struct apst_task *task,
		    const struct ssdpm_apst_entry *entries,
		    struct ssdpm_apst_verdict *verdicts)
{
	struct envelope envelope;

	if (find_envelope(task, &envelope, NULL))
		return; /* never: make() did not fail */
	for (uint32_t i = 0; i < task->n_states; i++) {
		verdicts[i].verdict = ssdpm__kept_out(task, i);
		if (verdicts[i].verdict)
			ssdpm__say_kept_out(task, &verdicts[i]);
		else if (i)
			say_line(&envelope, entries, &verdicts[i]);
		else
			ssdpm__say_used(entries, &verdicts[i], NULL);
	}
}

const struct algorithm ssdpm__apst_envelope = { make, explain };
