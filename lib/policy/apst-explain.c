/* SPDX-License-Identifier: MIT */
/* Why each state is or is not in the table, with the numbers. */
#include "base/quantity.h"
#include "policy/internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static_assert(sizeof(struct ssdpm_apst_verdict) == 128, "frozen");

struct reason {
	char *text;
	size_t size;
};

static uint64_t total_us(const struct ssdpm_power_state *state)
{
	return (uint64_t)state->entry_latency_us + state->exit_latency_us;
}

/* "PS0-PS2", or "PS3". */
static void name_range(uint32_t first, uint32_t last, char *text, size_t size)
{
	if (first == last)
		snprintf(text, size, "PS%u", first);
	else
		snprintf(text, size, "PS%u-PS%u", first, last);
}

/* used, or nothing comes of it after all */
static uint32_t say_used(const struct walk *walk, uint32_t state,
			 const struct ssdpm_apst *table, struct reason reason)
{
	uint32_t first = state;
	char sources[24];

	if (!walk->entry.idle_ms) {
		snprintf(reason.text, reason.size,
			 "entry+exit 0: idle time 0 disables the transition");
		return SSDPM_VERDICT_NO_GAIN;
	}
	while (first > 0 && table->entries[first - 1].target == state)
		first--;
	if (first == state) {
		snprintf(reason.text, reason.size,
			 "there is no shallower state to enter it from");
		return SSDPM_VERDICT_NO_GAIN;
	}
	name_range(first, state - 1, sources, sizeof(sources));
	snprintf(reason.text, reason.size, "from %s after %s idle", sources,
		 ssdpm__format_us((uint64_t)walk->entry.idle_ms * 1000).text);
	return SSDPM_VERDICT_USED;
}

static void say_total_too_slow(const struct walk *walk, uint32_t state,
			       struct reason reason)
{
	const struct ssdpm_apst_params *p = &walk->params;
	bool secondary = p->secondary_timeout_ms &&
			 p->secondary_latency_tolerance_us >
				 p->primary_latency_tolerance_us;
	uint64_t tolerance = secondary ? p->secondary_latency_tolerance_us :
					 p->primary_latency_tolerance_us;

	snprintf(reason.text, reason.size,
		 "never: entry+exit %s > %s tolerance %s, whatever the "
		 "latency limit",
		 ssdpm__format_us(total_us(&walk->states[state])).text,
		 secondary ? "secondary" : "primary",
		 ssdpm__format_us(tolerance).text);
}

static void say_shadowed(const struct walk *walk, struct reason reason)
{
	const struct ssdpm_power_state *deeper =
		&walk->states[walk->entry.target];

	snprintf(reason.text, reason.size,
		 "PS%u is deeper, and its entry+exit %s is within the %s "
		 "tolerance",
		 walk->entry.target, ssdpm__format_us(total_us(deeper)).text,
		 walk->band == BAND_PRIMARY ? "primary" : "secondary");
}

/* walk is as ssdpm__walk_judge() left it for this state. */
static void say(const struct walk *walk, const struct ssdpm_apst *table,
		struct ssdpm_apst_verdict *ret)
{
	struct reason reason = { ret->reason, sizeof(ret->reason) };
	const struct ssdpm_power_state *state = &walk->states[ret->state];

	switch (ret->verdict) {
	case SSDPM_VERDICT_USED:
		ret->verdict = say_used(walk, ret->state, table, reason);
		break;
	case SSDPM_VERDICT_OPERATIONAL:
		snprintf(reason.text, reason.size,
			 "APST enters only non-operational states");
		break;
	case SSDPM_VERDICT_EXIT_TOO_SLOW:
		snprintf(reason.text, reason.size, "exit %s > limit %s",
			 ssdpm__format_us(state->exit_latency_us).text,
			 ssdpm__format_us(walk->params.max_exit_latency_us)
				 .text);
		break;
	case SSDPM_VERDICT_TOTAL_TOO_SLOW:
		say_total_too_slow(walk, ret->state, reason);
		break;
	case SSDPM_VERDICT_SHADOWED:
		say_shadowed(walk, reason);
		break;
	default:
		snprintf(reason.text, reason.size,
			 "quirk no-deepest-ps: the last state is not used");
	}
}

/* The whole table is off: one cause for all states that could be in it. */
static void say_off(const struct walk *walk, enum off off,
		    struct ssdpm_apst_verdict *ret)
{
	if (!(walk->states[ret->state].flags & SSDPM_STATE_NON_OPERATIONAL)) {
		ret->verdict = SSDPM_VERDICT_OPERATIONAL;
		say(walk, NULL, ret);
	} else if (off == OFF_NOT_SUPPORTED) {
		ret->verdict = SSDPM_VERDICT_NO_GAIN;
		snprintf(ret->reason, sizeof(ret->reason),
			 "the drive has no APST (APSTA 0): no table is sent");
	} else if (off == OFF_QUIRK) {
		ret->verdict = SSDPM_VERDICT_QUIRK;
		snprintf(ret->reason, sizeof(ret->reason),
			 "quirk no-apst: APST is switched off");
	} else {
		ret->verdict = SSDPM_VERDICT_EXIT_TOO_SLOW;
		snprintf(ret->reason, sizeof(ret->reason),
			 "a latency limit of 0 switches APST off");
	}
}

int ssdpm_apst_explain(const struct ssdpm_model *model,
		       const struct ssdpm_apst_params *params,
		       struct ssdpm_apst_verdict ret_verdicts[SSDPM_MAX_STATES],
		       struct ssdpm_error *reterr)
{
	struct ssdpm_apst table;
	struct walk walk;
	enum off off;
	int err;

	err = ssdpm_apst_generate(model, params, &table, reterr);
	if (!err)
		err = ssdpm__walk_start(model, params, &walk, &off, reterr);
	if (err)
		return err;
	memset(ret_verdicts, 0, walk.n_states * sizeof(*ret_verdicts));
	for (uint32_t i = walk.n_states; i-- > 0;) {
		struct ssdpm_apst_verdict *ret = &ret_verdicts[i];

		ret->state = i;
		if (off) {
			say_off(&walk, off, ret);
			continue;
		}
		ret->verdict = ssdpm__walk_judge(&walk, i);
		say(&walk, &table, ret);
	}
	return 0;
}

const char *ssdpm_verdict_to_string(uint32_t verdict)
{
	static const char *const names[] = {
		[SSDPM_VERDICT_USED] = "used",
		[SSDPM_VERDICT_OPERATIONAL] = "operational",
		[SSDPM_VERDICT_EXIT_TOO_SLOW] = "exit-too-slow",
		[SSDPM_VERDICT_TOTAL_TOO_SLOW] = "total-too-slow",
		[SSDPM_VERDICT_SHADOWED] = "shadowed",
		[SSDPM_VERDICT_QUIRK] = "quirk",
		[SSDPM_VERDICT_NO_GAIN] = "no-gain",
	};

	if (verdict < SSDPM_VERDICT_USED || verdict > SSDPM_VERDICT_NO_GAIN)
		return NULL;
	return names[verdict];
}
