/* SPDX-License-Identifier: MIT */
/* The policy stage: what its files share. */
#ifndef SSDPM_LIB_POLICY_INTERNAL_H
#define SSDPM_LIB_POLICY_INTERNAL_H

#include "base/internal.h"
#include "base/text.h"

#include <ssdpm/policy.h>

/* Why there is nothing to make: the table is off, or not even sent. */
enum off {
	ON = 0,
	OFF_NOT_SUPPORTED, /* APSTA is 0 */
	OFF_QUIRK,
	OFF_LIMIT, /* the latency limit is 0 */
};

/* A drive, and what is to be done with it: checked, and complete. */
struct apst_task {
	struct ssdpm_apst_params params;
	const struct ssdpm_power_state *states;
	uint32_t n_states;
	enum off off;
};

static inline uint64_t ssdpm__total_us(const struct ssdpm_power_state *state)
{
	return (uint64_t)state->entry_latency_us + state->exit_latency_us;
}

/* Whether a field, enum ssdpm_field, has no number. */
static inline bool ssdpm__is_unknown(const struct ssdpm_power_state *state,
				     uint32_t field)
{
	return (state->unknown | state->not_reported) & field;
}

/* What forbids a state before any algorithm looks at it; 0: nothing. */
static inline uint32_t ssdpm__ruled_out(const struct apst_task *task,
					uint32_t state)
{
	if (!(task->states[state].flags & SSDPM_STATE_NON_OPERATIONAL))
		return SSDPM_VERDICT_OPERATIONAL;
	if ((task->params.quirks & SSDPM_QUIRK_NO_DEEPEST_PS) &&
	    state == task->n_states - 1)
		return SSDPM_VERDICT_QUIRK;
	return 0;
}

/* Likewise, and the latency limit. */
static inline uint32_t ssdpm__kept_out(const struct apst_task *task,
				       uint32_t state)
{
	uint32_t verdict = ssdpm__ruled_out(task, state);

	if (!verdict && task->states[state].exit_latency_us >
				task->params.max_exit_latency_us)
		return SSDPM_VERDICT_EXIT_TOO_SLOW;
	return verdict;
}

/*
 * The abilities of an algorithm; neither is used if the table is off. The
 * function make() fills entries that are zero. The function explain() gives the
 * verdict and the reason for each state (its number is there, the rest is
 * zero).
 */
struct algorithm {
	int (*make)(const struct apst_task *task,
		    struct ssdpm_apst_entry *entries,
		    struct ssdpm_error *reterr);
	void (*explain)(const struct apst_task *task,
			const struct ssdpm_apst_entry *entries,
			struct ssdpm_apst_verdict *verdicts);
};

/* apst.c */

/* algorithm is a known one. */
const struct algorithm *ssdpm__algorithm(uint32_t algorithm);

int ssdpm__make_table(const struct apst_task *task,
		      struct ssdpm_apst *ret_table, struct ssdpm_error *reterr);

/* apst-linux.c, apst-windows.c, apst-envelope.c */
extern const struct algorithm ssdpm__apst_linux;
extern const struct algorithm ssdpm__apst_windows;
extern const struct algorithm ssdpm__apst_envelope;

/* apst-task.c */

/* Check the input. */
int ssdpm__start_task(const struct ssdpm_model *model,
		      const struct ssdpm_apst_params *params,
		      struct apst_task *ret_task, struct ssdpm_error *reterr);

/* Every algorithm needs the latencies of all non-operational states. */
int ssdpm__check_latencies(const struct apst_task *task,
			   struct ssdpm_error *reterr);

/*
 * Leads each state from first to target - 1 there. ms counts from the start of
 * the idle time. An entry counts from the time when the drive came into its
 * state. Only in first have first_ms passed. -ERANGE: an entry cannot hold it.
 */
int ssdpm__lead(struct ssdpm_apst_entry *entries, uint32_t first,
		uint64_t first_ms, uint32_t target, uint64_t ms,
		struct ssdpm_error *reterr);

/* apst-explain.c */

/* The reason of a verdict that ssdpm__kept_out() gave. */
void ssdpm__say_kept_out(const struct apst_task *task,
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

/* Tables that somebody saved: what the readers share. */

/* 256 bytes do not say whether APST was on: it was unless they are all 0. */
int ssdpm__apst_from_bytes(const uint8_t data[SSDPM_APST_BYTES],
			   struct ssdpm_apst *ret_table,
			   struct ssdpm_error *reterr);

/* What nvme get-feature -f 0x0c prints, with and without -H. */
int ssdpm__apst_from_text(const char *text, size_t size,
			  struct ssdpm_apst *ret_table,
			  struct ssdpm_error *reterr);

/* The profiles that are built in. */

/* lib/data/profiles.ini without comments; made at build time. */
extern const char ssdpm__profiles[];
extern const size_t ssdpm__profiles_size;

/*
 * Questions to the algorithms, answered by asking them again and again: what
 * table for this limit, and for that one? Only the values matter at which some
 * state begins to qualify.
 */

/*
 * Values in ascending order, none twice. All that lie between one and the next
 * give the same table.
 */
struct steps {
	uint64_t values[SSDPM_APST_MAX_STEPS];
	uint32_t n;
};

/* The step that value belongs to, or n where it is below the first. */
uint32_t ssdpm__steps_find(const struct steps *steps, uint64_t value);

/* The value of a step: the default if it belongs there, or the least. */
uint64_t ssdpm__steps_value(const struct steps *steps, uint32_t step,
			    uint64_t preferred);

/*
 * Latency limits: 0 switches APST off. With totals, those of entry and exit
 * together too, for algorithms that look at them.
 */
void ssdpm__limit_steps(const struct ssdpm_model *model, bool totals,
			struct steps *ret_steps);

/* Tolerances of entry and exit together, from 1 on. */
void ssdpm__tolerance_steps(const struct ssdpm_model *model,
			    struct steps *ret_steps);

/* Do these parameters make this table? No, where they make none. */
bool ssdpm__makes(const struct ssdpm_model *model,
		  const struct ssdpm_apst_params *params,
		  const struct ssdpm_apst *table);

/*
 * The parameters of SSDPM_APST_LINUX that come closest to a table; quirks are
 * given. legacy: the legacy rule, primary timeout 0, may be used.
 */
int ssdpm__apst_closest(const struct ssdpm_model *model,
			const struct ssdpm_apst *wanted, uint32_t quirks,
			bool legacy, struct ssdpm_apst_params *ret_params,
			struct ssdpm_error *reterr);

/* profile.c: the lines of a profile, for those who have such lines elsewhere */

/* Which power sources a key is for, and step over that: bits 0 and 1. */
uint32_t ssdpm__take_sources(struct span *key);
/* The number of the bit of a setting; UINT32_MAX: it is the key of none. */
uint32_t ssdpm__profile_key(struct span name);
/* Set it, and its bit. NULL, or what is wrong with the value. */
const char *ssdpm__profile_set(struct ssdpm_profile_settings *settings,
			       uint32_t key, struct span value);
/* Whether a setting, by its bit, is an idle time in a table. */
bool ssdpm__is_timeout(uint32_t setting);
/* Whether a setting, by its bit, may have this value: all but that of lpm. */
bool ssdpm__profile_takes(uint32_t setting, uint64_t value);
/* The value of a setting, by the number of its bit: all but that of lpm. */
uint64_t ssdpm__profile_value(const struct ssdpm_profile_settings *settings,
			      int key);
/* Do they set the same? What they do not set, and their names, may differ. */
bool ssdpm__profile_is_same(const struct ssdpm_profile_settings *a,
			    const struct ssdpm_profile_settings *b);
/* These settings alone, as bits. */
void ssdpm__profile_copy(struct ssdpm_profile_settings *to,
			 const struct ssdpm_profile_settings *from,
			 uint32_t set);
/*
 * As ssdpm_profile_find(), without those that are built in, and the settings
 * are of this version. 1: found; 0: not.
 */
int ssdpm__profile_find_in(const char *text, size_t bytes, const char *name,
			   uint32_t power_source,
			   struct ssdpm_profile_settings *ret_settings,
			   struct ssdpm_error *reterr);
int ssdpm__check_source(uint32_t power_source, struct ssdpm_error *reterr);
/* The size that a caller has set, and the power source. */
int ssdpm__profile_check(const struct ssdpm_profile_settings *ret_settings,
			 uint32_t power_source, struct ssdpm_error *reterr);
/* As ssdpm_profile_get_name(), of something. */
typedef int (*ssdpm__profile_name_fn)(const void *of, size_t index,
				      char ret_name[32]);
/* There is no such profile: -ENOENT, with the names of those that there are. */
int ssdpm__profile_fail(const char *name, ssdpm__profile_name_fn get_name,
			const void *of, struct ssdpm_error *reterr);

#endif
