/* SPDX-License-Identifier: MIT */
/* Drives that are likely, and what becomes of a policy on each of them. */
#ifndef SSDPM_LIB_LIKELY_LIKELY_H
#define SSDPM_LIB_LIKELY_LIKELY_H

#include <ssdpm/energy/likely.h>

#include "estimate/sim.h"

/* Mean power below which nobody notices. */
#define SMALL_UW 5000

/* How many drives are drawn; a prime, as the lattice needs. */
#define N_DRAWS 10007
/* Of them, where only the word is asked for. */
#define N_FEW_DRAWS 2003
/* Different sets of times; each has as many drives. */
#define N_TIMES 61

/* Something that is not known of a drive: one random number for each. */
struct unknown {
	uint32_t prior; /* index; N_PRIORS: its range alone is known */
	double log_sd;
	bool time;
	uint32_t first; /* the first parameter that has it */
};

/* Which parameters are drawn, and from what. */
struct unknowns {
	const struct priced_drive *drive;
	size_t n_states;
	size_t n;
	struct unknown at[SSDPM_MAX_PARAMETERS];
	/* By parameter: which number it has, or UINT32_MAX: it is known. */
	uint32_t of[SSDPM_MAX_PARAMETERS];
};

/* The rows of priors.tsv. */
uint32_t ssdpm__priors_version(void);
size_t ssdpm__n_priors(void);
/* Fewer than ten independent sources? */
bool ssdpm__prior_is_thin(uint32_t prior);

/* doubled: the prior whose spread is taken twice; UINT32_MAX: none. */
void ssdpm__find_unknowns(const struct priced_drive *drive, uint32_t doubled,
			  struct unknowns *ret_unknowns);

/* The standard normal number of each of n equal shares. Free it. */
double *ssdpm__normal_shares(size_t n);

/* Which of n shares each of n draws has in a dimension: each of them once. */
struct lattice {
	uint32_t n;
	uint32_t step;
	uint32_t shift;
};

struct lattice ssdpm__lattice(uint32_t n, uint32_t dimension);

static inline uint32_t ssdpm__share_of(const struct lattice *lattice,
				       uint32_t draw)
{
	return (uint32_t)(((uint64_t)lattice->step * draw + lattice->shift) %
			  lattice->n);
}

/* A value of a parameter: within its range. */
double ssdpm__drawn_value(const struct ssdpm_parameter *parameter,
			  double log_sd, double normal);

/* Idle times of one length, nearly: as many, and their sum. */
struct likely_gap {
	double n;
	double ns;
};

/* What the I/Os of a run cost, whatever the policy. */
struct likely_work {
	double busy_ns[SSDPM_N_OPS];
	double fixed_fj; /* of I/Os and bytes, beside the active power */
};

/* A policy, and the idle times of its run, as far as they matter. */
struct subject {
	const struct ssdpm_model *model;
	struct ssdpm_sim_params params; /* its table, too */
	struct likely_gap *gaps;
	size_t n_gaps;
	double shorter_ns; /* the sum of those that no policy does anything of
			    */
	double busy_ns;	   /* all that is not idle, to the last completion */
	double rest_ns;	   /* idle after that, to its own end */
};

/*
 * The model and idle times of a profile; idle_ns: the sum of all of them. The
 * caller fills in the policy, busy_ns and rest_ns. Free it with
 * ssdpm__subject_free().
 */
int ssdpm__subject_new(const struct gap_profile *profile, double idle_ns,
		       struct subject *ret_subject, struct ssdpm_error *reterr);
void ssdpm__subject_free(struct subject *subject);

/* Two policies of one drive; what is possible holds what is likely. */
int ssdpm__find_likely(const struct priced_drive *drive,
		       const struct subject *from, const struct subject *to,
		       const struct ssdpm_saving *possible,
		       struct ssdpm_likely *ret_likely,
		       struct ssdpm_error *reterr);

/* The subject of a simulation, and what its I/Os cost. */
int ssdpm__subject_of(const struct ssdpm_sim *sim, struct subject *ret_subject,
		      struct ssdpm_error *reterr);

/* The 5th, 50th and 95th percentile of the mean power of one policy, in uW. */
int ssdpm__draw_power(const struct priced_drive *drive,
		      const struct subject *subject,
		      const struct likely_work *work, double ret_uw[3],
		      struct ssdpm_error *reterr);

/* How long a policy is in each state, in ns, and in transitions. */
struct likely_times {
	struct chain chain;
	double own_ns; /* to the end of its run */
	double stay_ns[SSDPM_MAX_STATES];
	double moving_ns;
};

/* With these values. Of an unknown policy draw chooses one. */
int ssdpm__likely_times(const struct subject *subject, uint32_t draw,
			const struct values *values,
			struct likely_times *ret_times,
			struct ssdpm_error *reterr);

/* Until end_ns, which is not before its own end. */
void ssdpm__likely_rest(const struct subject *subject, double end_ns,
			struct likely_times *times);

#endif
