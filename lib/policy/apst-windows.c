/* SPDX-License-Identifier: MIT */
/*
 * The rule of StorNVMe, the NVMe driver of Windows. At each of two idle times
 * it takes the deepest state whose entry and exit together are within a
 * tolerance.
 *
 * The rule and all numbers are from Microsoft, Windows hardware design, "Power
 * management for storage hardware devices", NVMe. See its table of default idle
 * timeouts and latency tolerances.
 * https://learn.microsoft.com/en-us/windows-hardware/design/
 * component-guidelines/power-management-for-storage-hardware-devices-nvme
 */
#include "policy/internal.h"

/* timeout_ms counts from the last I/O; 0: there is no such step. */
struct windows_step {
	uint32_t timeout_ms;
	uint32_t tolerance_us;
};

struct windows_plan {
	struct windows_step primary, secondary;
};

static const struct windows_plan plans[][2] = {
	[SSDPM_SCHEME_PERFORMANCE - 1] = { { { 200, 0 }, { 2000, 0 } },
					   { { 200, 10000 }, { 2000, 0 } } },
	[SSDPM_SCHEME_BALANCED - 1] = { { { 200, 15000 }, { 2000, 100000 } },
					{ { 100, 50000 }, { 1000, 100000 } } },
	[SSDPM_SCHEME_POWER_SAVER -
		1] = { { { 100, 100000 }, { 1000, 200000 } },
		       { { 100, 200000 }, { 1000, 200000 } } },
	[SSDPM_SCHEME_MODERN_STANDBY - 1] = { { { 50, 500000 }, { 0, 0 } },
					      { { 50, 500000 }, { 0, 0 } } },
};

static const struct windows_plan *plan_of(const struct apst_task *task)
{
	return &plans[task->params.scheme - 1][task->params.power_source - 1];
}

/* 0: none; nothing enters state 0. */
struct targets {
	uint32_t primary, secondary;
};

static uint32_t deepest_within(const struct apst_task *task,
			       const struct windows_step *step)
{
	for (uint32_t i = task->n_states; i-- > 1 && step->timeout_ms;)
		if (!ssdpm__kept_out(task, i) &&
		    ssdpm__total_us(&task->states[i]) <= step->tolerance_us)
			return i;
	return 0;
}

/*
 * APST only leads deeper: a secondary state that is not deeper than the primary
 * one is none.
 */
static struct targets targets_of(const struct apst_task *task)
{
	const struct windows_plan *plan = plan_of(task);
	struct targets targets;

	targets.primary = deepest_within(task, &plan->primary);
	targets.secondary = deepest_within(task, &plan->secondary);
	if (targets.secondary <= targets.primary)
		targets.secondary = 0;
	return targets;
}

/*
 * Microsoft counts both idle times from the last I/O, but an APST entry counts
 * in the current state. The primary time has passed only where the table led
 * into the primary state.
 */
static int make(const struct apst_task *task, struct ssdpm_apst_entry *entries,
		struct ssdpm_error *reterr)
{
	const struct windows_plan *plan = plan_of(task);
	struct targets targets;
	uint32_t passed_ms;
	int err;

	err = ssdpm__check_latencies(task, reterr);
	if (err)
		return err;
	targets = targets_of(task);
	passed_ms = targets.primary ? plan->primary.timeout_ms : 0;
	err = ssdpm__lead(entries, 0, 0, targets.primary, passed_ms, reterr);
	if (!err)
		err = ssdpm__lead(entries, targets.primary, passed_ms,
				  targets.secondary, plan->secondary.timeout_ms,
				  reterr);
	return err;
}

static void say_total_too_slow(const struct apst_task *task,
			       struct ssdpm_apst_verdict *verdict,
			       uint64_t total_us, uint32_t tolerance_us)
{
	ssdpm__say(verdict, SSDPM_VERDICT_TOTAL_TOO_SLOW,
		   "entry+exit %s > %s tolerance %s (%s)",
		   ssdpm_us_to_text(total_us).text,
		   ssdpm_power_scheme_to_string(task->params.scheme),
		   ssdpm_us_to_text(tolerance_us).text,
		   ssdpm_power_source_to_string(task->params.power_source));
}

static void say_shadowed(const struct apst_task *task,
			 struct ssdpm_apst_verdict *verdict, uint32_t deeper,
			 bool primary)
{
	const struct windows_plan *plan = plan_of(task);
	const struct windows_step *step =
		primary ? &plan->primary : &plan->secondary;

	ssdpm__say(
		verdict, SSDPM_VERDICT_SHADOWED,
		"PS%u is deeper, and its entry+exit %s is within the %s "
		"tolerance %s",
		deeper,
		ssdpm_us_to_text(ssdpm__total_us(&task->states[deeper])).text,
		primary ? "primary" : "secondary",
		ssdpm_us_to_text(step->tolerance_us).text);
}

/* A state that is within a tolerance, and what it came to. */
static void say_within(const struct apst_task *task,
		       const struct targets *targets,
		       const struct ssdpm_apst_entry *entries,
		       struct ssdpm_apst_verdict *verdict)
{
	uint64_t total_us = ssdpm__total_us(&task->states[verdict->state]);
	bool primary = total_us <= plan_of(task)->primary.tolerance_us ||
		       !targets->secondary;
	uint32_t deeper = primary ? targets->primary : targets->secondary;

	if (deeper > verdict->state)
		say_shadowed(task, verdict, deeper, primary);
	else
		ssdpm__say_used(entries, verdict,
				total_us ? NULL :
					   "entry+exit 0, not reported, is "
					   "within any tolerance");
}

static void explain(const struct apst_task *task,
		    const struct ssdpm_apst_entry *entries,
		    struct ssdpm_apst_verdict *verdicts)
{
	const struct windows_plan *plan = plan_of(task);
	struct targets targets = targets_of(task);
	uint32_t most_us = plan->primary.tolerance_us;

	if (plan->secondary.tolerance_us > most_us)
		most_us = plan->secondary.tolerance_us;
	for (uint32_t i = 0; i < task->n_states; i++) {
		uint64_t total_us = ssdpm__total_us(&task->states[i]);

		verdicts[i].verdict = ssdpm__kept_out(task, i);
		if (total_us > most_us && !ssdpm__ruled_out(task, i))
			say_total_too_slow(task, &verdicts[i], total_us,
					   most_us);
		else if (verdicts[i].verdict)
			ssdpm__say_kept_out(task, &verdicts[i]);
		else
			say_within(task, &targets, entries, &verdicts[i]);
	}
}

const struct algorithm ssdpm__apst_windows = { make, explain };
