/* SPDX-License-Identifier: MIT */
/* The policy stage: what its files share. */
#ifndef SSDPM_LIB_POLICY_INTERNAL_H
#define SSDPM_LIB_POLICY_INTERNAL_H

#include "base/internal.h"

#include <ssdpm/policy.h>

/* Why there is nothing to make: the table is off, or not even sent. */
enum off {
	ON = 0,
	OFF_NOT_SUPPORTED, /* APSTA is 0 */
	OFF_QUIRK,
	OFF_LIMIT, /* the latency limit is 0 */
};

/* A drive, and what is to be done with it: checked, and complete. */
struct task {
	struct ssdpm_apst_params params;
	const struct ssdpm_power_state *states;
	uint32_t n_states;
	enum off off;
};

static inline uint64_t ssdpm__total_us(const struct ssdpm_power_state *state)
{
	return (uint64_t)state->entry_latency_us + state->exit_latency_us;
}

/* What forbids a state before any algorithm looks at it; 0: nothing. */
static inline uint32_t ssdpm__ruled_out(const struct task *task, uint32_t state)
{
	if (!(task->states[state].flags & SSDPM_STATE_NON_OPERATIONAL))
		return SSDPM_VERDICT_OPERATIONAL;
	if ((task->params.quirks & SSDPM_QUIRK_NO_DEEPEST_PS) &&
	    state == task->n_states - 1)
		return SSDPM_VERDICT_QUIRK;
	return 0;
}

/* Likewise, and the latency limit. */
static inline uint32_t ssdpm__kept_out(const struct task *task, uint32_t state)
{
	uint32_t verdict = ssdpm__ruled_out(task, state);

	if (!verdict && task->states[state].exit_latency_us >
				task->params.max_exit_latency_us)
		return SSDPM_VERDICT_EXIT_TOO_SLOW;
	return verdict;
}

/*
 * What an algorithm can do; neither is asked for where the table is off.
 * make() fills entries that are zero, explain() says the verdict and the reason
 * for each state (its number is there, the rest is zero).
 */
struct algorithm {
	int (*make)(const struct task *task, struct ssdpm_apst_entry *entries,
		    struct ssdpm_error *reterr);
	void (*explain)(const struct task *task,
			const struct ssdpm_apst_entry *entries,
			struct ssdpm_apst_verdict *verdicts);
};

/* apst.c */

/* algorithm is a known one. */
const struct algorithm *ssdpm__algorithm(uint32_t algorithm);

int ssdpm__make_table(const struct task *task, struct ssdpm_apst *ret_table,
		      struct ssdpm_error *reterr);

/* apst-linux.c, apst-windows.c, apst-envelope.c */
extern const struct algorithm ssdpm__apst_linux;
extern const struct algorithm ssdpm__apst_windows;
extern const struct algorithm ssdpm__apst_envelope;

/* apst-task.c */

/* Check the input. */
int ssdpm__start_task(const struct ssdpm_model *model,
		      const struct ssdpm_apst_params *params,
		      struct task *ret_task, struct ssdpm_error *reterr);

/* Every algorithm needs the latencies of all non-operational states. */
int ssdpm__check_latencies(const struct task *task, struct ssdpm_error *reterr);

/*
 * Lead every state from first to target - 1 there. ms counts from the start of
 * the idle time, an entry from when the drive came into its state: only in
 * first have first_ms of them passed. -ERANGE where an entry does not hold it.
 */
int ssdpm__lead(struct ssdpm_apst_entry *entries, uint32_t first,
		uint64_t first_ms, uint32_t target, uint64_t ms,
		struct ssdpm_error *reterr);

/* apst-explain.c */

/* The reason of a verdict that ssdpm__kept_out() gave. */
void ssdpm__say_kept_out(const struct task *task,
			 struct ssdpm_apst_verdict *verdict);

/*
 * Used, with from where and after how long, and a note (NULL: none); or no
 * gain, since nothing can enter state 0.
 */
void ssdpm__say_used(const struct ssdpm_apst_entry *entries,
		     struct ssdpm_apst_verdict *verdict, const char *note);

/* Set the verdict and the reason. */
void ssdpm__say(struct ssdpm_apst_verdict *verdict, uint32_t is,
		const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
