/* SPDX-License-Identifier: MIT */
/* Likely drives, and the result of a policy on each of them. */
#ifndef SSDPM_LIB_LIKELY_INTERNAL_H
#define SSDPM_LIB_LIKELY_INTERNAL_H

#include <ssdpm/energy/likely.h>

#include "estimate/sim.h"

/* A mean power too small to notice. */
#define SMALL_UW 5000

/* The number of drives drawn; prime, as the lattice requires. */
#define N_DRAWS 10007
/* How many of them if only the word is needed. */
#define N_FEW_DRAWS 2003
/* Sets of times; each has as many drives. */
#define N_TIMES 61

/* An unknown of a drive, which takes one random number. */
struct unknown {
	uint32_t prior; /* index; N_PRIORS: only its range is known */
	double log_sd;
	bool time;
	uint32_t first; /* the first parameter that has it */
};

/* The parameters that are drawn, and their distributions. */
struct unknowns {
	const struct priced_drive *drive;
	size_t n_states;
	size_t n;
	struct unknown at[SSDPM_MAX_PARAMETERS];
	/* By parameter: its number, or UINT32_MAX if it is known. */
	uint32_t of[SSDPM_MAX_PARAMETERS];
};

/* The rows of priors.tsv. */
uint32_t ssdpm__priors_version(void);
size_t ssdpm__n_priors(void);
/* Whether it has fewer than ten independent sources. */
bool ssdpm__prior_is_thin(uint32_t prior);

/* doubled: the prior to take twice as wide; UINT32_MAX: none. */
void ssdpm__find_unknowns(const struct priced_drive *drive, uint32_t doubled,
			  struct unknowns *ret_unknowns);

/*
 * The standard normal quantile at the middle of each of n equal shares. Free
 * it.
 */
double *ssdpm__normal_shares(size_t n);

/* The share of n that each of n draws has in a dimension; each share once. */
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

/*
 * The centre of a distribution: the nominal value, or a tenth of the highest if
 * that is 0.
 */
static inline double ssdpm__centre_of(const struct ssdpm_parameter *parameter)
{
	return parameter->nominal ? (double)parameter->nominal :
				    (double)parameter->high / 10;
}

/* A drawn value of a parameter, within its range. */
double ssdpm__drawn_value(const struct ssdpm_parameter *parameter,
			  double log_sd, double normal);

/* exp(log_sd z) of the n shares, by share. */
struct factor {
	double log_sd;
	uint32_t n;
	double *of;
};

/*
 * Those of many draws, of few, and of few with a prior that is twice as wide:
 * each has one for each parameter at most.
 */
struct factors {
	struct factor at[3 * SSDPM_MAX_PARAMETERS];
	size_t n;
};

/* Makes it once. NULL: out of memory. */
const double *ssdpm__factors(struct factors *factors, double log_sd,
			     const double *normals, uint32_t n);
void ssdpm__factors_free(struct factors *factors);

/*
 * Idle times of nearly one length, in order of length. All shorter ones are
 * summed, so that a policy takes as many steps as it has states. The last one
 * is longer than all, and has the sums of all.
 */
struct likely_gap {
	double length_ns;
	double shorter; /* their number */
	double shorter_ns;
};

/* The cost of a run's I/Os under any policy. */
struct likely_work {
	double busy_ns[SSDPM_N_OPS];
	double fixed_fj; /* of I/Os and bytes, besides active power */
};

/* A policy, and the idle times that matter to it. */
struct subject {
	const struct ssdpm_model *model;
	struct ssdpm_sim_params params; /* its table, too */
	struct likely_gap *gaps;	/* n_gaps, and the last one */
	size_t n_gaps;
	double short_ns; /* the sum of idle times too short for any policy */
	double busy_ns;	 /* all but idle time, to the last completion */
	double rest_ns;	 /* idle after that, to its own end */
};

/*
 * Copies the model and the idle times of a profile; idle_ns is the sum of all.
 * The caller sets the policy, busy_ns and rest_ns. Free it with
 * ssdpm__subject_free().
 */
int ssdpm__subject_new(const struct gap_profile *profile, double idle_ns,
		       struct subject *ret_subject, struct ssdpm_error *reterr);
void ssdpm__subject_free(struct subject *subject);

/*
 * Compares two policies of one drive; likely values stay within possible ones.
 */
int ssdpm__find_likely(const struct priced_drive *drive,
		       const struct subject *from, const struct subject *to,
		       const struct ssdpm_saving *possible,
		       struct ssdpm_likely *ret_likely,
		       struct ssdpm_error *reterr);

/* The subject of a simulation, and the cost of its I/Os. */
int ssdpm__subject_of(const struct ssdpm_sim *sim, struct subject *ret_subject,
		      struct ssdpm_error *reterr);

/*
 * What a drive likely saves if its link goes into a deeper state while it
 * sleeps, and all else stays; sim has SSDPM_SIM_LIKELY.
 */
int ssdpm__find_likely_link(const struct ssdpm_sim *sim, uint32_t pcie_link,
			    struct ssdpm_likely *ret_likely,
			    struct ssdpm_error *reterr);

/* The 5th, 50th and 95th percentile of the mean power of one policy, in uW. */
int ssdpm__draw_power(const struct priced_drive *drive,
		      const struct subject *subject,
		      const struct likely_work *work, double ret_uw[3],
		      struct ssdpm_error *reterr);

/* The times of a policy in each state and in transitions, in ns. */
struct likely_times {
	struct chain chain;
	double own_ns; /* to the end of its run */
	double stay_ns[SSDPM_MAX_STATES];
	double moving_ns;
};

/* The times with these values; "draw" chooses one of unknown policies. */
int ssdpm__likely_times(const struct subject *subject, uint32_t draw,
			const struct values *values,
			struct likely_times *ret_times,
			struct ssdpm_error *reterr);

/* Extends them until end_ns, which is not before their own end. */
void ssdpm__likely_rest(const struct subject *subject, double end_ns,
			struct likely_times *times);

#endif
