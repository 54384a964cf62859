/* SPDX-License-Identifier: MIT */
/*
 * The effect of a policy on idle times whose lengths, entries, exits and timers
 * are not certain. Energy jumps where an idle time just reaches a state, so
 * that no corner of the ranges is an extreme. So each idle time is judged
 * alone: the least and the most that it can be in each state, enter it and wait
 * for it. The sums of these enclose the true ones.
 */
#ifndef SSDPM_LIB_ESTIMATE_ENCLOSURE_H
#define SSDPM_LIB_ESTIMATE_ENCLOSURE_H

#include "common/histogram.h"
#include "estimate/periods.h"
#include "estimate/wakes.h"

/* The least and the most. */
struct span {
	uint64_t low;
	uint64_t high;
};

struct wide_span {
	struct wide low;
	struct wide high;
};

/*
 * Idle times whose shortest length has one class and whose longest length has
 * one, too: the sums of these lengths.
 */
struct idle_cell {
	uint64_t n;
	uint64_t n_silent; /* of them: ended by a continued record */
	uint64_t short_ns;
	uint64_t long_ns;
};

/*
 * The records taken up twice: by a drive that is as quick as it can be, and by
 * one that is as slow. What is between begins and completes each I/O between
 * these two.
 */
struct tracker {
	struct flow quick;
	struct flow slow;
	/* A wake that began the period, perhaps: when it is over. */
	struct span ready_ns;
	struct span busy_ns[SSDPM_N_OPS];
	bool sure; /* the period began with the same record in both */
};

/* Delays of which each was looked at. */
struct late {
	struct wide_span all_ns; /* of idle times, those that are silent too */
	struct wide_span io_ns;	 /* of I/Os */
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
	struct span n_gaps;
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

/* An I/O so long after the beginning of a period, after such an idle time. */
void ssdpm__enclose_early(struct enclosure *enclosure, uint64_t idle_ns,
			  uint64_t offset_ns);

/* Idle times of a class that are certain: the chains do not differ. */
void ssdpm__enclose_class(struct enclosure *enclosure, uint32_t class,
			  struct idle_sum sum, struct idle_sum silent);

/* Delays of I/Os that are certain, once: those that end no idle time; all. */
void ssdpm__enclose_delays(struct enclosure *enclosure, struct wide late_ns,
			   const struct histogram *delays);

/* From now on the service may be unknown: both drives are where this one is. */
void ssdpm__enclose_from(struct enclosure *enclosure, const struct flow *flow);

/* Records, checked before; false: a time beyond 2^64 ns. */
bool ssdpm__enclose_records(struct enclosure *enclosure,
			    const struct ssdpm_io *ios, size_t n);

/* How long a drive stays where it was until a step. */
static inline struct span ssdpm__wait_of(const struct chain *quick,
					 const struct chain *slow,
					 uint32_t step)
{
	uint64_t a = quick->steps[step].at_ns, b = slow->steps[step].at_ns;

	if (step) {
		a -= quick->steps[step - 1].resident_ns;
		b -= slow->steps[step - 1].resident_ns;
	}
	/* Timers that count from the start of idle: the other way round. */
	return (struct span){ at_most(a, b), at_least(a, b) };
}

/* What no policy changes of a run. */
struct run_base {
	uint64_t start_ns;
	struct span until_ns; /* the last completion */
	struct span busy_ns[SSDPM_N_OPS];
	uint64_t n_ios[SSDPM_N_OPS];
	uint64_t bytes[SSDPM_N_OPS];
	struct wide over_fj; /* energy that no parameter gives */
	/* No state takes more than the one before it; asleep, with the link. */
	bool descending;
	bool ordered;
};

/* A run between two ends. */
struct enclosed {
	const struct enclosure *of;
	struct run_base base;
	struct span own_ns;	 /* from the first I/O to its own end */
	struct span own_rest_ns; /* of it, idle after the last completion */
	struct span rest_ns;	 /* the same until the common end */
	struct span other_ns; /* the latest end of those it is compared with */
	struct span duration_ns; /* until the later one of the two */
	struct span total_busy_ns;
	struct ssdpm_run least; /* without energies and means */
	struct ssdpm_run most;
	/* By state: idle times that cost no less, and no more, than all that is
	 * possible together. */
	struct span cost_ns[SSDPM_MAX_STATES];
};

/*
 * How it differs from a drive that knows only the first steps of its policy.
 * What is counted has a time that is the same one wherever it is counted, so
 * that it goes out where two policies have it in common.
 */
struct beyond_steps {
	/* By step: idle times that surely enter it; that it surely ends, less
	 * those that would have ended before it. */
	uint64_t n_entered[SSDPM_MAX_STATES];
	int64_t n_woken[SSDPM_MAX_STATES];
	/* Beside these: by state, and of transitions. */
	struct wide_span stay_ns[SSDPM_MAX_STATES];
	struct wide_span moving_ns;
	/* What of the idle times is no stay before the next step. */
	struct wide_span gone_ns;
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
 * The same where it goes on idling until an end that it shares: the later of
 * its end and another one's.
 */
int ssdpm__enclosed_until(const struct enclosed *run, struct span other_ns,
			  struct enclosed *ret_run, struct ssdpm_error *reterr);

/*
 * low and high: widened, member by member, by its ends with all powers low, and
 * high, or all nominal. The intervals were cut to what an order leaves, so that
 * all of them can be low, and high, together.
 */
int ssdpm__price_enclosed(const struct enclosed *run,
			  const struct priced_drive *drive, bool nominal_powers,
			  struct ssdpm_run *low, struct ssdpm_run *high,
			  struct ssdpm_error *reterr);

/* Likewise by the least and the greatest power of its policy. */
uint64_t ssdpm__mean_within(const struct enclosed *run,
			    const struct values *values,
			    uint32_t operational_state, bool most, uint64_t uw);

/*
 * The bound of a mean power, mean_uw, made narrower: own is the run until its
 * own end, where the bound of the mean power is own_uw.
 */
uint64_t ssdpm__mean_until(const struct enclosed *own,
			   const struct values *values,
			   uint32_t operational_state, bool most,
			   uint64_t own_uw, uint64_t mean_uw);

/* While both only idle: what from can take more than to, in a state each. */
uint64_t ssdpm__tail_more_uw(const struct priced_drive *drive,
			     const struct enclosed *from,
			     const struct enclosed *to);

/* What a run can take while it enters the states of its policy once each. */
struct wide ssdpm__tail_entry_fj(const struct priced_drive *drive,
				 const struct enclosed *run);

enum overload {
	OVERLOAD_NEVER,
	OVERLOAD_PERHAPS,
	OVERLOAD_SURELY,
};

/* Does the work behind the writes need more than all time without I/O? */
enum overload ssdpm__find_overload(const struct enclosed *run,
				   uint64_t least_ps, uint64_t most_ps);

void ssdpm__widen_runs(struct ssdpm_run *low, struct ssdpm_run *high,
		       const struct ssdpm_run *run);

/* saving: widened by what to costs less than from. -ERANGE. */
int ssdpm__widen_saving(const struct priced_drive *drive,
			const struct enclosed *from, const struct enclosed *to,
			struct ssdpm_saving *saving,
			struct ssdpm_error *reterr);

#endif
