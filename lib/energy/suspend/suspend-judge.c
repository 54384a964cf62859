/* SPDX-License-Identifier: MIT */
/*
 * The verdict. Evidence for the deepest sleep is a counter of it that grew, and
 * evidence against it is one that did not. If a platform has substates, the
 * deepest of them counts: the other counters grow in shallower ones, too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"
#include "suspend/internal.h"

/* Below that, gauges are too coarse to tell what a suspended machine takes. */
#define SHORTEST_FOR_BATTERY_US (600 * UINT64_C(1000000))
/* The share of the time asleep in which 20 W, awake, would add 0.4 W. */
#define MOST_AWAKE_SHARE 50
/* A machine that takes more has not slept deeply, whatever its counters say. */
#define MOST_ASLEEP_UW 1000000
/* How much the difference of two clocks may vary while none is stopped. */
#define CLOCKS_JITTER_US 10000

static const char suspend_outcome_words[][16] = {
	[SSDPM_SUSPEND_OUTCOME_REACHED] = "reached",
	[SSDPM_SUSPEND_OUTCOME_NOT_REACHED] = "not-reached",
	[SSDPM_SUSPEND_OUTCOME_CONTRADICTED] = "contradicted",
	[SSDPM_SUSPEND_OUTCOME_CANNOT_SAY] = "cannot-say",
	[SSDPM_SUSPEND_OUTCOME_NO_SUSPEND] = "no-suspend",
	[SSDPM_SUSPEND_OUTCOME_FAILED] = "failed",
	[SSDPM_SUSPEND_OUTCOME_FIRMWARE] = "firmware",
};
ENUM_WORDS(suspend_outcome)

static const char suspend_bearing_words[][8] = {
	[SSDPM_SUSPEND_BEARING_NONE] = "none",
	[SSDPM_SUSPEND_BEARING_FOR] = "for",
	[SSDPM_SUSPEND_BEARING_AGAINST] = "against",
};
ENUM_WORDS(suspend_bearing)

struct judgement {
	const struct ssdpm_suspend_params *params;
	struct ssdpm_suspend_verdict verdict;
	struct ssdpm_suspend_evidence *evidence;
	size_t n;
	bool lacks_substates; /* one of them has no first value */
};

static bool is_since_boot(uint32_t counter)
{
	switch (counter) {
	case SSDPM_SLEEP_COUNTER_LAST:
	case SSDPM_SLEEP_COUNTER_FAILED_DEVICE:
	case SSDPM_SLEEP_COUNTER_BATTERY:
	case SSDPM_SLEEP_COUNTER_WAKE_IRQ:
	case SSDPM_SLEEP_COUNTER_D_STATE:
	case SSDPM_SLEEP_COUNTER_SIMPLE_SUSPEND:
		return false;
	default:
		return true;
	}
}

/* That of a wake-up source begins anew when its driver registers it anew. */
static bool only_grows(uint32_t counter)
{
	return is_since_boot(counter) &&
	       counter != SSDPM_SLEEP_COUNTER_WAKE_SOURCE;
}

static bool is_deep(uint32_t counter)
{
	return counter == SSDPM_SLEEP_COUNTER_HARDWARE ||
	       counter == SSDPM_SLEEP_COUNTER_SYSTEM ||
	       counter == SSDPM_SLEEP_COUNTER_SLP_S0;
}

/* Nobody reads two clocks at one moment. */
static bool is_jitter(const struct ssdpm_suspend_evidence *e)
{
	return e->counter == SSDPM_SLEEP_COUNTER_ASLEEP &&
	       e->before - e->after < CLOCKS_JITTER_US;
}

/*
 * Counters since boot began with 0. A register that went through its range
 * counted from 0 to its value once more, as did a source registered anew.
 */
static uint64_t growth(const struct ssdpm_suspend_evidence *e)
{
	if (e->after >= e->before)
		return e->after - e->before;
	return is_jitter(e) ? 0 : e->after;
}

static bool has_grown(const struct ssdpm_suspend_evidence *e)
{
	return e->after != e->before;
}

/*
 * pmc_core reads registers of 32 bits. That of a substate counts 30.5 us, and
 * goes through its range in 36 hours. The one that LPIT names has the width
 * that the firmware states. Only within one boot is less a sign of that.
 */
static bool may_have_wrapped(const struct judgement *j, uint32_t counter)
{
	const struct ssdpm_suspend_reading *before = j->params->before;

	return (counter == SSDPM_SLEEP_COUNTER_SYSTEM ||
		counter == SSDPM_SLEEP_COUNTER_SLP_S0 ||
		counter == SSDPM_SLEEP_COUNTER_SUBSTATE) &&
	       before->boot[0] && j->params->after->boot[0];
}

/*
 * A value of one suspend alone has none before it. A counter that the first
 * reading lacks has an unknown value there, unless it never grew.
 */
static int add_evidence(struct judgement *j, const struct counter *after,
			struct ssdpm_error *reterr)
{
	const struct counter *before =
		ssdpm__reading_find(j->params->before, after);
	struct ssdpm_suspend_evidence *e = &j->evidence[j->n++];

	*e = (struct ssdpm_suspend_evidence){
		.counter = after->counter,
		.bearing = SSDPM_SUSPEND_BEARING_NONE,
		.known = SSDPM_SUSPEND_KNOWN_AFTER,
		.after = after->value,
	};
	memcpy(e->name, after->name, sizeof(e->name));
	memcpy(e->source, after->source, sizeof(e->source));
	if (before) {
		e->before = before->value;
		e->known |= SSDPM_SUSPEND_KNOWN_BEFORE;
	} else if ((!j->params->before || !after->value) &&
		   is_since_boot(after->counter)) {
		e->known |= SSDPM_SUSPEND_KNOWN_BEFORE;
	}
	if (only_grows(e->counter) && e->after < e->before && !is_jitter(e) &&
	    !may_have_wrapped(j, e->counter))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "%s: it is less after than before",
				   e->source);
	return 0;
}

static bool has_both(const struct ssdpm_suspend_evidence *e)
{
	return e->known ==
	       (SSDPM_SUSPEND_KNOWN_BEFORE | SSDPM_SUSPEND_KNOWN_AFTER);
}

/* The growth of the first counter of a kind; false: unknown. */
static bool find_growth(const struct judgement *j, uint32_t counter,
			uint64_t *ret_growth)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->evidence[i].counter == counter &&
		    has_both(&j->evidence[i])) {
			*ret_growth = growth(&j->evidence[i]);
			return true;
		}
	return false;
}

static uint32_t count(const struct judgement *j, uint32_t counter)
{
	uint64_t n;

	if (!find_growth(j, counter, &n))
		return UINT32_MAX;
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX - 1;
}

/* S0i3.0 is deeper than S0i2.2: their names are in that order. */
static void find_substates(struct judgement *j)
{
	struct ssdpm_suspend_verdict *v = &j->verdict;

	for (size_t i = 0; i < j->n; i++) {
		const struct ssdpm_suspend_evidence *e = &j->evidence[i];

		if (e->counter != SSDPM_SLEEP_COUNTER_SUBSTATE)
			continue;
		if (strcmp(e->name, v->wanted) > 0)
			memcpy(v->wanted, e->name, sizeof(v->wanted));
		if (!has_both(e))
			j->lacks_substates = true;
		else if (has_grown(e) && strcmp(e->name, v->deepest) > 0)
			memcpy(v->deepest, e->name, sizeof(v->deepest));
	}
}

/* Nobody knows whether there was a suspend since the first reading. */
static bool is_last_of_unknown(const struct judgement *j,
			       const struct ssdpm_suspend_evidence *e)
{
	return j->params->before && j->verdict.n_suspends == UINT32_MAX &&
	       !(e->known & SSDPM_SUSPEND_KNOWN_BEFORE);
}

/* Whether it shows deep sleep: enum ssdpm_suspend_bearing. */
static uint32_t bearing_of(const struct judgement *j,
			   const struct ssdpm_suspend_evidence *e)
{
	const struct ssdpm_suspend_verdict *v = &j->verdict;
	bool grew;

	if (e->counter == SSDPM_SLEEP_COUNTER_LAST) {
		/* Without a success it is of an earlier suspend. */
		if (!v->n_suspends || is_last_of_unknown(j, e))
			return SSDPM_SUSPEND_BEARING_NONE;
		grew = e->after && !(e->known & SSDPM_SUSPEND_KNOWN_BEFORE &&
				     !has_grown(e));
	} else if (!has_both(e)) {
		return SSDPM_SUSPEND_BEARING_NONE;
	} else if (e->counter == SSDPM_SLEEP_COUNTER_SUBSTATE) {
		if (strcmp(e->name, v->wanted) != 0)
			return SSDPM_SUSPEND_BEARING_NONE;
		grew = has_grown(e);
	} else if (is_deep(e->counter)) {
		grew = has_grown(e);
	} else {
		return SSDPM_SUSPEND_BEARING_NONE;
	}
	/* A shallower substate explains it, or may do so. */
	if (grew && strcmp(v->deepest, v->wanted) != 0 &&
	    (v->deepest[0] || j->lacks_substates))
		return SSDPM_SUSPEND_BEARING_NONE;
	return grew ? SSDPM_SUSPEND_BEARING_FOR : SSDPM_SUSPEND_BEARING_AGAINST;
}

/* Drain while the machine was awake is no drain in sleep. */
static bool was_awake(const struct judgement *j)
{
	const struct ssdpm_suspend_reading *before = j->params->before;
	const uint64_t begin_us = before ? before->at_us : 0;
	const uint64_t end_us = j->params->after->at_us;
	const uint64_t asleep_us = j->verdict.asleep_us;

	return !begin_us || end_us < begin_us ||
	       (end_us - begin_us > asleep_us &&
		end_us - begin_us - asleep_us > asleep_us / MOST_AWAKE_SHARE);
}

static void weigh_battery(struct judgement *j)
{
	struct ssdpm_suspend_verdict *v = &j->verdict;
	uint64_t taken_uwh = 0, given_uwh = 0;
	bool known = false;

	for (size_t i = 0; i < j->n; i++) {
		const struct ssdpm_suspend_evidence *e = &j->evidence[i];

		if (e->counter != SSDPM_SLEEP_COUNTER_BATTERY || !has_both(e))
			continue;
		known = true;
		if (e->after > e->before)
			given_uwh += e->after - e->before;
		else
			taken_uwh += e->before - e->after;
	}
	/* With a charger nothing is known. 10^15 uWh are no battery. */
	if (v->asleep_us == SSDPM_SUSPEND_UNKNOWN || v->asleep_us < 1000000 ||
	    was_awake(j) || !known || given_uwh ||
	    taken_uwh > UINT64_C(1000000000000))
		return;
	v->battery_uw = taken_uwh * 3600 / (v->asleep_us / 1000000);
	if (v->asleep_us < SHORTEST_FOR_BATTERY_US ||
	    v->battery_uw <= MOST_ASLEEP_UW)
		return;
	for (size_t i = 0; i < j->n; i++)
		if (j->evidence[i].counter == SSDPM_SLEEP_COUNTER_BATTERY &&
		    has_both(&j->evidence[i]))
			j->evidence[i].bearing = SSDPM_SUSPEND_BEARING_AGAINST;
}

static void weigh(struct judgement *j)
{
	struct ssdpm_suspend_verdict *v = &j->verdict;

	v->n_suspends = count(j, SSDPM_SLEEP_COUNTER_SUCCESS);
	v->n_failures = count(j, SSDPM_SLEEP_COUNTER_FAIL);
	v->asleep_us = v->deep_us = v->battery_uw = SSDPM_SUSPEND_UNKNOWN;
	/* Linux stops no clock where the driver of idle states cannot. */
	if (find_growth(j, SSDPM_SLEEP_COUNTER_ASLEEP, &v->asleep_us) &&
	    v->n_suspends && v->asleep_us < CLOCKS_JITTER_US)
		v->asleep_us = SSDPM_SUSPEND_UNKNOWN;
	find_substates(j);
	for (size_t i = 0; i < j->n; i++) {
		struct ssdpm_suspend_evidence *e = &j->evidence[i];
		uint64_t us;

		e->bearing = bearing_of(j, e);
		if (e->bearing == SSDPM_SUSPEND_BEARING_NONE &&
		    !is_deep(e->counter))
			continue;
		if (e->counter == SSDPM_SLEEP_COUNTER_LAST)
			us = e->after;
		else if (has_both(e))
			us = growth(e);
		else
			continue;
		if (v->deep_us == SSDPM_SUSPEND_UNKNOWN || us > v->deep_us)
			v->deep_us = us;
	}
	weigh_battery(j);
}

static bool any(const struct judgement *j, uint32_t bearing)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->evidence[i].bearing == bearing)
			return true;
	return false;
}

static uint32_t outcome_of(const struct judgement *j)
{
	const struct ssdpm_suspend_verdict *v = &j->verdict;
	const uint32_t suspend = j->params->facts->suspend;
	const bool is_for = any(j, SSDPM_SUSPEND_BEARING_FOR);
	const bool is_against = any(j, SSDPM_SUSPEND_BEARING_AGAINST);

	if (suspend && suspend != SSDPM_SUSPEND_S2IDLE)
		return SSDPM_SUSPEND_OUTCOME_FIRMWARE;
	if (!v->n_suspends)
		return v->n_failures && v->n_failures != UINT32_MAX ?
			       SSDPM_SUSPEND_OUTCOME_FAILED :
			       SSDPM_SUSPEND_OUTCOME_NO_SUSPEND;
	if (is_for && is_against)
		return SSDPM_SUSPEND_OUTCOME_CONTRADICTED;
	if (is_for)
		return SSDPM_SUSPEND_OUTCOME_REACHED;
	/* If nobody counts suspends, there may have been none. */
	if (!is_against || v->n_suspends == UINT32_MAX)
		return SSDPM_SUSPEND_OUTCOME_CANNOT_SAY;
	return SSDPM_SUSPEND_OUTCOME_NOT_REACHED;
}

/* What did not sleep bears on nothing. */
static void take_bearings_back(struct judgement *j)
{
	for (size_t i = 0; i < j->n; i++)
		j->evidence[i].bearing = SSDPM_SUSPEND_BEARING_NONE;
}

static void name_culprit(struct judgement *j)
{
	struct ssdpm_suspend_verdict *v = &j->verdict;
	const struct ssdpm_suspend_drive *drive;

	if (v->outcome == SSDPM_SUSPEND_OUTCOME_FAILED)
		for (size_t i = 0; i < j->n; i++)
			if (j->evidence[i].counter ==
			    SSDPM_SLEEP_COUNTER_FAILED_DEVICE)
				memcpy(v->culprit, j->evidence[i].name,
				       sizeof(v->culprit));
	if (v->outcome != SSDPM_SUSPEND_OUTCOME_NOT_REACHED)
		return;
	drive = ssdpm__suspend_culprit(j->params);
	if (drive)
		memcpy(v->culprit, drive->facts->name, sizeof(v->culprit));
}

/* Everything that was read, in the order of the second reading. */
bool ssdpm__is_of_two_boots(const struct ssdpm_suspend_params *params)
{
	const struct ssdpm_suspend_reading *before = params->before;
	const struct ssdpm_suspend_reading *after = params->after;

	return before && before->boot[0] && after->boot[0] &&
	       strcmp(before->boot, after->boot) != 0;
}

static int judge(struct judgement *j, struct ssdpm_error *reterr)
{
	const struct ssdpm_suspend_reading *after = j->params->after;
	int err = 0;

	if (ssdpm__is_of_two_boots(j->params))
		return ssdpm__fail(reterr, -ESTALE, 0,
				   "the machine was started anew since the "
				   "first reading");
	j->evidence = calloc(after->n + 1, sizeof(*j->evidence));
	if (!j->evidence)
		return ssdpm__no_memory(reterr);
	for (size_t i = 0; i < after->n && !err; i++)
		err = add_evidence(j, &after->counters[i], reterr);
	if (err) {
		free(j->evidence);
		return err;
	}
	weigh(j);
	j->verdict.outcome = outcome_of(j);
	if (j->verdict.outcome >= SSDPM_SUSPEND_OUTCOME_NO_SUSPEND)
		take_bearings_back(j);
	name_culprit(j);
	return 0;
}

int ssdpm__suspend_params(struct suspend_input *ret_input,
			  const struct ssdpm_suspend_params *params,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_suspend_params *known = &ret_input->params;
	int err;

	*ret_input = (struct suspend_input){
		.params.size = sizeof(ret_input->params),
		.facts.size = sizeof(ret_input->facts),
	};
	err = ssdpm__sized_in(known, sizeof(*known), params,
			      "ssdpm_suspend_params", reterr);
	if (err)
		return err;
	if (!known->facts)
		return ssdpm__missing("facts", reterr);
	if (!known->after)
		return ssdpm__missing("after", reterr);
	if (known->n_drives && !known->drives)
		return ssdpm__missing("drives", reterr);
	err = ssdpm__sized_in(&ret_input->facts, sizeof(ret_input->facts),
			      known->facts, "ssdpm_machine_facts", reterr);
	known->facts = &ret_input->facts;
	return err;
}

int ssdpm_suspend_judge(const struct ssdpm_suspend_params *params,
			struct ssdpm_suspend_verdict *ret_verdict,
			struct ssdpm_suspend_evidence **ret_evidence,
			size_t *ret_n, struct ssdpm_error *reterr)
{
	struct suspend_input input;
	struct judgement j = { .params = &input.params };
	int err = ssdpm__suspend_params(&input, params, reterr);

	if (!err)
		err = ssdpm__sized_check(ret_verdict, sizeof(j.verdict),
					 "ssdpm_suspend_verdict", reterr);
	if (!err)
		err = judge(&j, reterr);
	if (err)
		return err;
	if (!j.n) {
		free(j.evidence);
		j.evidence = NULL;
	}
	ssdpm__sized_out(ret_verdict, &j.verdict, sizeof(j.verdict));
	*ret_evidence = j.evidence;
	*ret_n = j.n;
	return 0;
}
