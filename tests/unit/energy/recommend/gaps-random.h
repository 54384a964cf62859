/* SPDX-License-Identifier: MIT */
/* Random drives, traces and tables with many coinciding times. */
#ifndef SSDPM_TESTS_GAPS_RANDOM_H
#define SSDPM_TESTS_GAPS_RANDOM_H

#include "fixture.h"

#include "base/wide.h"

#define MAX_IOS 400

/* A drive, its values, and a trace. */
struct random_case {
	uint64_t seed;
	struct ssdpm_model *model;
	uint32_t n_states;
	uint32_t n_awake; /* of these, the first ones */
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_sim_params params;
	struct ssdpm_service service;
	struct ssdpm_io ios[MAX_IOS];
	size_t n_ios;
	uint64_t end_ns;
	struct ssdpm_gaps *gaps;
};

/* Limits of a random case. */
struct random_shape {
	uint32_t max_asleep;	 /* non-operational states, at most */
	uint32_t max_ms;	 /* of idle times and tables */
	uint32_t max_latency_us; /* of entry and of exit */
	uint32_t max_ios;
	bool sane; /* deeper states draw less, transitions most */
};

void random_case_make(struct random_case *c, uint64_t seed,
		      const struct random_shape *shape);
void random_case_free(struct random_case *c);

/* The gaps of records fed in pieces. */
struct ssdpm_gaps *random_gaps(const struct ssdpm_io *ios, size_t n,
			       const struct ssdpm_service *service,
			       uint64_t end_ns, uint64_t *seed);

/* A valid table for the drive. */
struct ssdpm_apst random_table(struct random_case *c, uint32_t max_ms);

/* The drive's value, and a state's power with the link. */
uint64_t case_parameter(const struct random_case *c, uint32_t kind,
			uint32_t index);
uint64_t case_power_uw(const struct random_case *c, uint32_t state);

/* The energy that a table changes, in femtojoules. */
struct wide case_fj(const struct random_case *c, const struct ssdpm_run *run);

uint64_t random_below(uint64_t *seed, uint64_t n);

#endif
