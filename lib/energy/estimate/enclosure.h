/* SPDX-License-Identifier: MIT */
/*
 * Encloses the effect of a policy on idle times whose lengths, entries, exits
 * and timers are uncertain. Energy jumps where an idle time just reaches a
 * state, so no corner of the ranges is an extreme. Each idle time is therefore
 * judged alone: the least and the most time in each state, entering it and
 * waiting for it. The sums of these enclose the true ones.
 */
#ifndef SSDPM_LIB_ESTIMATE_ENCLOSURE_H
#define SSDPM_LIB_ESTIMATE_ENCLOSURE_H

#include "common/histogram.h"
#include "estimate/periods.h"
#include "estimate/wakes.h"

/* The least and the most. */
struct extent {
	uint64_t low;
	uint64_t high;
};

struct wide_extent {
	struct wide low;
	struct wide high;
};

/*
 * Idle times with one class of shortest length and one of longest length, and
 * the sums of these lengths.
 */
struct idle_cell {
	uint64_t n;
	uint64_t n_silent; /* of them: ended by a continued record */
	uint64_t short_ns;
	uint64_t long_ns;
};

/*
 * The records taken by the quickest possible drive and by the slowest one. Any
 * drive between them begins and completes each I/O between these two.
 */
struct tracker {
	struct flow quick;
	struct flow slow;
	/* When the wake that may have begun the period ends. */
	struct extent ready_ns;
	struct extent busy_ns[SSDPM_N_OPS];
	bool sure; /* the period began with the same record in both */
};

/* Delays that were looked at one by one. */
struct late {
	struct wide_extent
		all_ns;		  /* of idle times, those that are silent too */
	struct wide_extent io_ns; /* of I/Os */
	struct histogram shortest;
	struct histogram longest;
};

struct enclosure {
	uint32_t axes;	   /* bits: what is not certain in it */
	bool open;	   /* the loop */
	bool other_policy; /* than that of the nominal run */
	/* The first has all times at their least, the second at their most. */
	struct chain quick, slow;
	struct wakes quick_wakes, slow_wakes;
	struct extent n_gaps;
	bool tracked; /* by the tracker: the service is not certain */
	struct tracker tracker;
	struct idle_cell *cells; /* [class of the shortest][of the longest] */
	struct late *late;
};

/* The chains of a policy at the low and at the high end of these axes. */
int ssdpm__enclosure_new(const struct ssdpm_model *model,
			 const struct ssdpm_sim_params *params,
			 const struct ssdpm_parameter *parameters, size_t n,
			 uint32_t axes, struct enclosure *ret_enclosure,
			 struct ssdpm_error *reterr);

void ssdpm__enclosure_free(struct enclosure *enclosure);

/* Idle times of known lengths; silent: continued records end them. */
void ssdpm__enclose_gaps(struct enclosure *enclosure, const uint64_t *idle_ns,
			 size_t n, bool silent);

/* An I/O this long after a period began, which followed such an idle time. */
void ssdpm__enclose_early(struct enclosure *enclosure, uint64_t idle_ns,
			  uint64_t offset_ns);

/* Idle times of a class if all are certain, so that the chains are equal. */
void ssdpm__enclose_class(struct enclosure *enclosure, uint32_t class,
			  struct idle_sum sum, struct idle_sum silent);

/* Certain delays of I/Os, once: of those that end no idle time, and all. */
void ssdpm__enclose_delays(struct enclosure *enclosure, struct wide late_ns,
			   const struct histogram *delays);

/*
 * The service may be unknown from now on; both drives start where this one is.
 */
void ssdpm__enclose_from(struct enclosure *enclosure, const struct flow *flow);

/* Checked records; false: a time beyond 2^64 ns. */
bool ssdpm__enclose_records(struct enclosure *enclosure,
			    const struct ssdpm_io *ios, size_t n);

/* How long a drive waits for a step. */
static inline struct extent ssdpm__wait_of(const struct chain *quick,
					   const struct chain *slow,
					   uint32_t step)
{
	uint64_t a = quick->steps[step].at_ns, b = slow->steps[step].at_ns;

	if (step) {
		a -= quick->steps[step - 1].resident_ns;
		b -= slow->steps[step - 1].resident_ns;
	}
	/* Timers that count from the start of an idle time, in reverse. */
	return (struct extent){ at_most(a, b), at_least(a, b) };
}

/* The part of a run that no policy changes. */
struct run_base {
	uint64_t start_ns;
	struct extent until_ns; /* the last completion */
	struct extent busy_ns[SSDPM_N_OPS];
	uint64_t n_ios[SSDPM_N_OPS];
	uint64_t bytes[SSDPM_N_OPS];
	struct wide over_fj; /* energy that no parameter gives */
	/* No state draws more than the one before; asleep, with the link. */
	bool descending;
	bool ordered;
};

/* A run between two ends. */
struct enclosed {
	const struct enclosure *of;
	struct run_base base;
	struct extent own_ns;	   /* from the first I/O to its own end */
	struct extent own_rest_ns; /* of it, idle after the last completion */
	struct extent rest_ns;	   /* the same until the common end */
	struct extent
		other_ns; /* the latest end of the runs compared with it */
	struct extent duration_ns; /* until the later one of the two */
	struct extent total_busy_ns;
	struct ssdpm_run least; /* without energies and means */
	struct ssdpm_run most;
	/*
	 * By state: idle times that cost at most, and at least, what any
	 * possible combination costs.
	 */
	struct extent cost_ns[SSDPM_MAX_STATES];
};

/*
 * How a run differs from a drive that knows only the first steps of its policy.
 * A counted entry or wake takes the same time wherever it is counted, so that
 * two policies cancel what they share.
 */
struct beyond_steps {
	/*
	 * By step: idle times that surely enter it; that it surely ends, less
	 * those that would have ended before it.
	 */
	uint64_t n_entered[SSDPM_MAX_STATES];
	int64_t n_woken[SSDPM_MAX_STATES];
	/* All else: by state, and in transitions. */
	struct wide_extent stay_ns[SSDPM_MAX_STATES];
	struct wide_extent moving_ns;
	/* The part of the idle times that is no stay before the next step. */
	struct wide_extent gone_ns;
};

/* The members of a base that the drive gives. */
void ssdpm__base_drive(struct run_base *base, const struct priced_drive *drive);

void ssdpm__beyond_steps(const struct enclosed *run, uint32_t n_steps,
			 struct beyond_steps *ret_beyond);

/* The run that idles until end_ns, unless its last completion is later.
 * -ERANGE.
 */
int ssdpm__enclosed_run(const struct enclosure *enclosure,
			const struct run_base *base, uint64_t end_ns,
			struct enclosed *ret_run, struct ssdpm_error *reterr);

/*
 * The same run if it idles until a shared end: the later end of the two runs.
 */
int ssdpm__enclosed_until(const struct enclosed *run, struct extent other_ns,
			  struct enclosed *ret_run, struct ssdpm_error *reterr);

/*
 * Widens low and high, member by member, by the ends of the run. Powers are all
 * low, all high, or all nominal. The intervals were cut to the order of the
 * powers, so all can be low, or high, together.
 */
int ssdpm__price_enclosed(const struct enclosed *run,
			  const struct priced_drive *drive, bool nominal_powers,
			  struct ssdpm_run *low, struct ssdpm_run *high,
			  struct ssdpm_error *reterr);

/* Likewise, by the lowest and the highest power of its policy. */
uint64_t ssdpm__mean_within(const struct enclosed *run,
			    const struct values *values,
			    uint32_t operational_state, bool most, uint64_t uw);

/*
 * Narrows mean_uw, the bound of a mean power. own is the run until its own end,
 * where own_uw is the bound.
 */
uint64_t ssdpm__mean_until(const struct enclosed *own,
			   const struct values *values,
			   uint32_t operational_state, bool most,
			   uint64_t own_uw, uint64_t mean_uw);

/*
 * How much more "from" can draw than "to" while both idle, each in one state.
 */
uint64_t ssdpm__tail_more_uw(const struct priced_drive *drive,
			     const struct enclosed *from,
			     const struct enclosed *to);

/* How much a run can spend on entering each state of its policy once. */
struct wide ssdpm__tail_entry_fj(const struct priced_drive *drive,
				 const struct enclosed *run);

enum overload {
	OVERLOAD_NEVER,
	OVERLOAD_PERHAPS,
	OVERLOAD_SURELY,
};

/* Whether the work behind the writes needs more than all time without I/O. */
enum overload ssdpm__find_overload(const struct enclosed *run,
				   uint64_t least_ps, uint64_t most_ps);

void ssdpm__widen_runs(struct ssdpm_run *low, struct ssdpm_run *high,
		       const struct ssdpm_run *run);

/* Whether both policies do the same, so that their runs end together. */
bool ssdpm__enclosures_are_same(const struct enclosure *a,
				const struct enclosure *b);

/* Widens a saving by what "to" costs less than "from". -ERANGE. */
int ssdpm__widen_saving(const struct priced_drive *drive,
			const struct enclosed *from, const struct enclosed *to,
			struct ssdpm_saving *saving,
			struct ssdpm_error *reterr);

#endif
