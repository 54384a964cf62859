/* SPDX-License-Identifier: MIT */
/* A chain as a list of classes, and what a drive does in each of them. */
#include "estimate/wakes.h"

#include <errno.h>

#include "base/internal.h"

void ssdpm__wakes(const struct chain *chain, struct wakes *ret_wakes)
{
	*ret_wakes = (struct wakes){
		.n_compared = (2 * chain->n + 3) / 4 * 4,
		.last = 2 * chain->n,
	};
	for (uint32_t i = 0; i < MAX_CLASSES - 1; i++)
		ret_wakes->from[i] = UINT64_MAX;
	for (uint32_t i = 0; i < chain->n; i++) {
		const struct chain_step *step = &chain->steps[i];

		ret_wakes->from[2 * i] = step->at_ns;
		ret_wakes->from[2 * i + 1] = step->resident_ns;
		ret_wakes->base_ns[2 * i + 1] =
			step->resident_ns + step->exit_ns;
		ret_wakes->mask[2 * i + 1] = UINT64_MAX;
		ret_wakes->base_ns[2 * i + 2] = step->exit_ns;
	}
}

/* How long the drive stays in the state of a step, all idle times together. */
static struct wide stay(const struct chain *chain, uint32_t step,
			uint32_t class, uint64_t n, uint64_t idle_ns)
{
	uint64_t from = chain->steps[step].resident_ns;

	if (class > 2 * step + 2)
		return wide_product(n, chain->steps[step + 1].at_ns - from);
	if (class < 2 * step + 2)
		return wide_of(0);
	return wide_minus(wide_of(idle_ns), wide_product(n, from));
}

uint32_t ssdpm__idle_parts(const struct chain *chain, uint32_t class,
			   uint64_t n, uint64_t idle_ns, bool wakes,
			   struct idle_part ret_parts[MAX_PARTS])
{
	const struct chain_step *steps = chain->steps;
	uint32_t n_steps = (class + 1) / 2, n_parts = 0;

	ret_parts[n_parts++] =
		(struct idle_part){ SSDPM_PHASE_IDLE, chain->operational_state,
				    n_steps ? wide_product(n, steps[0].at_ns) :
					      wide_of(idle_ns) };
	for (uint32_t i = 0; i < n_steps; i++) {
		bool cut = class == 2 * i + 1 && !wakes;
		struct wide entry =
			wide_product(n, steps[i].resident_ns - steps[i].at_ns);

		if (cut)
			entry = wide_minus(wide_of(idle_ns),
					   wide_product(n, steps[i].at_ns));
		ret_parts[n_parts++] =
			(struct idle_part){ SSDPM_PHASE_ENTRY, steps[i].state,
					    entry };
		ret_parts[n_parts++] =
			(struct idle_part){ SSDPM_PHASE_RESIDENT,
					    steps[i].state,
					    stay(chain, i, class, n, idle_ns) };
	}
	if (n_steps && wakes)
		ret_parts[n_parts++] = (struct idle_part){
			SSDPM_PHASE_EXIT, steps[n_steps - 1].state,
			wide_product(n, steps[n_steps - 1].exit_ns)
		};
	return n_parts;
}

static void add_parts(struct state_times *times, const struct idle_part *parts,
		      uint32_t n_parts)
{
	for (uint32_t i = 0; i < n_parts; i++) {
		struct wide *of_phase =
			parts[i].phase == SSDPM_PHASE_ENTRY ? times->entry :
			parts[i].phase == SSDPM_PHASE_EXIT  ? times->exit :
							      times->idle;

		wide_add(&of_phase[parts[i].state], parts[i].ns);
	}
}

void ssdpm__add_class(const struct chain *chain, uint32_t class,
		      struct idle_sum sum, bool wakes,
		      struct state_times *times, struct ssdpm_run *run)
{
	struct idle_part parts[MAX_PARTS];
	uint32_t n_steps = (class + 1) / 2;

	add_parts(times, parts,
		  ssdpm__idle_parts(chain, class, sum.n, sum.ns, wakes, parts));
	for (uint32_t i = 0; i < n_steps; i++)
		run->states[chain->steps[i].state].n_entries += sum.n;
	if (n_steps && wakes)
		run->states[chain->steps[n_steps - 1].state].n_wakes += sum.n;
}

int ssdpm__fill_times(const struct state_times *times, struct ssdpm_run *run,
		      struct ssdpm_error *reterr)
{
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		if (!wide_fits(times->idle[i]) || !wide_fits(times->entry[i]) ||
		    !wide_fits(times->exit[i]))
			return ssdpm__fail(reterr, -ERANGE, 0,
					   "time in a state: beyond 2^64 ns");
		run->states[i].time_ns = times->idle[i].low;
		run->states[i].entry_ns = times->entry[i].low;
		run->states[i].exit_ns = times->exit[i].low;
	}
	return 0;
}
