/* SPDX-License-Identifier: MIT */
/* Why each state is or is not in the table, with the numbers. */
#include "policy/internal.h"
#include "base/words.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static_assert(sizeof(struct ssdpm_apst_verdict) == 128, "frozen");

void ssdpm__say(struct ssdpm_apst_verdict *verdict, uint32_t is,
		const char *format, ...)
{
	va_list args;

	verdict->verdict = is;
	va_start(args, format);
	vsnprintf(verdict->reason, sizeof(verdict->reason), format, args);
	va_end(args);
}

/* Sources in a row that enter the same state after the same time. */
struct sources {
	uint32_t first, last;
	char text[64]; /* "PS0-PS2 after 100 ms" */
};

/* Those up to last, or none: first is above last. */
static struct sources find_sources(const struct ssdpm_apst_entry *entries,
				   uint32_t target, uint32_t last)
{
	const struct ssdpm_apst_entry *entry = &entries[last];
	struct sources s = { .first = last, .last = last };
	struct ssdpm_quantity idle = ssdpm_us_to_text(entry->idle_ms * 1000ull);

	while (s.first > 0 && entries[s.first - 1].target == target &&
	       entries[s.first - 1].idle_ms == entry->idle_ms)
		s.first--;
	if (s.first == s.last)
		snprintf(s.text, sizeof(s.text), "PS%u after %s", s.first,
			 idle.text);
	else
		snprintf(s.text, sizeof(s.text), "PS%u-PS%u after %s", s.first,
			 s.last, idle.text);
	return s;
}

void ssdpm__say_used(const struct ssdpm_apst_entry *entries,
		     struct ssdpm_apst_verdict *verdict, const char *note)
{
	uint32_t target = verdict->state;
	struct sources near, far = { 0 };
	bool two;

	if (!target) {
		ssdpm__say(verdict, SSDPM_VERDICT_NO_GAIN,
			   "there is no shallower state to enter it from");
		return;
	}
	near = find_sources(entries, target, target - 1);
	two = near.first > 0 && entries[near.first - 1].target == target;
	if (two)
		far = find_sources(entries, target, near.first - 1);
	ssdpm__say(verdict, SSDPM_VERDICT_USED, "from %s%s%s idle%s%s",
		   far.text, two ? ", " : "", near.text, note ? ": " : "",
		   note ? note : "");
}

void ssdpm__say_kept_out(const struct apst_task *task,
			 struct ssdpm_apst_verdict *verdict)
{
	uint32_t exit_us = task->states[verdict->state].exit_latency_us;
	uint64_t limit_us = task->params.max_exit_latency_us;

	if (verdict->verdict == SSDPM_VERDICT_OPERATIONAL)
		ssdpm__say(verdict, SSDPM_VERDICT_OPERATIONAL,
			   "APST enters only non-operational states");
	else if (verdict->verdict == SSDPM_VERDICT_EXIT_TOO_SLOW)
		ssdpm__say(verdict, SSDPM_VERDICT_EXIT_TOO_SLOW,
			   "exit %s > limit %s", ssdpm_us_to_text(exit_us).text,
			   ssdpm_us_to_text(limit_us).text);
	else
		ssdpm__say(verdict, SSDPM_VERDICT_QUIRK,
			   "quirk no-deepest-ps: the last state is not used");
}

/* The whole table is off: one cause for all states that could be in it. */
static void say_off(const struct apst_task *task,
		    struct ssdpm_apst_verdict *verdict)
{
	if (ssdpm__ruled_out(task, verdict->state) ==
	    SSDPM_VERDICT_OPERATIONAL) {
		verdict->verdict = SSDPM_VERDICT_OPERATIONAL;
		ssdpm__say_kept_out(task, verdict);
	} else if (task->off == OFF_NOT_SUPPORTED) {
		ssdpm__say(verdict, SSDPM_VERDICT_NO_GAIN,
			   "the drive has no APST (APSTA 0): no table is sent");
	} else if (task->off == OFF_QUIRK) {
		ssdpm__say(verdict, SSDPM_VERDICT_QUIRK,
			   "quirk no-apst: APST is switched off");
	} else {
		ssdpm__say(verdict, SSDPM_VERDICT_EXIT_TOO_SLOW,
			   "a latency limit of 0 switches APST off");
	}
}

int ssdpm_apst_explain(const struct ssdpm_model *model,
		       const struct ssdpm_apst_params *params,
		       struct ssdpm_apst_verdict *ret_verdicts, size_t capacity,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_apst table;
	struct apst_task task;
	int err;

	err = ssdpm__start_task(model, params, &task, reterr);
	if (!err)
		err = ssdpm__make_table(&task, &table, reterr);
	if (err)
		return err;
	if (task.n_states > capacity)
		return ssdpm__fail(reterr, -E2BIG, 0,
				   "%u states, and room for %zu verdicts",
				   task.n_states, capacity);
	memset(ret_verdicts, 0, task.n_states * sizeof(*ret_verdicts));
	for (uint32_t i = 0; i < task.n_states; i++) {
		ret_verdicts[i].state = i;
		if (task.off)
			say_off(&task, &ret_verdicts[i]);
	}
	if (!task.off)
		ssdpm__algorithm(task.params.algorithm)
			->explain(&task, table.entries, ret_verdicts);
	return 0;
}

static const char verdict_words[][15] = {
	[SSDPM_VERDICT_USED] = "used",
	[SSDPM_VERDICT_OPERATIONAL] = "operational",
	[SSDPM_VERDICT_EXIT_TOO_SLOW] = "exit-too-slow",
	[SSDPM_VERDICT_TOTAL_TOO_SLOW] = "total-too-slow",
	[SSDPM_VERDICT_SHADOWED] = "shadowed",
	[SSDPM_VERDICT_QUIRK] = "quirk",
	[SSDPM_VERDICT_NO_GAIN] = "no-gain",
};
ENUM_WORDS(verdict)
