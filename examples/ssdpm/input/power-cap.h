/* SPDX-License-Identifier: MIT */
/* estimate --power-cap: what a trace or a mix loses under caps. */
#ifndef SSDPM_COMMAND_POWER_CAP_H
#define SSDPM_COMMAND_POWER_CAP_H

#include "text/output.h"
#include "options/numbers.h"
#include "work/simulate.h"

#define MAX_CAPS 64

/* One cap after the other, as they were asked for. */
struct power_caps {
	size_t n;
	struct power_cap {
		uint64_t duration_ns; /* 0: not said */
		uint64_t cap_uw;      /* 0: that of the state */
		uint32_t state;
	} caps[MAX_CAPS];
};

/* The answer for a drive. */
struct cap_answer {
	const struct subject *subject;
	const struct estimate *estimate; /* NULL: of a mix */
	uint64_t read_ppm;
	bool changes; /* there is more than one cap */
	uint64_t lowest_uw;
	struct ssdpm_cap_run run;
	struct ssdpm_cap_point *points; /* free() */
	size_t n_points;
};

enum exit_status parse_power_caps(const struct common *common, const char *text,
				  struct power_caps *ret_caps);

/* A failure, in these two, is complained of. */
enum exit_status run_power_caps(const struct plan *plan,
				const struct estimate *estimate,
				const struct power_caps *caps,
				struct cap_answer *ret_answer);

/* Run the caps on all estimates; without a cap *ret_caps stays NULL. */
enum exit_status run_caps(const struct plan *plan,
			  const struct power_caps *caps,
			  const struct estimates *all,
			  struct cap_answer **ret_caps);

/*
 * Run a mix on n drives, not a trace. interval_ns: of each point; 0: one
 * for each cap.
 */
enum exit_status run_mixes(const struct plan *plan,
			   const struct subject *subjects, size_t n,
			   uint64_t read_ppm, const struct power_caps *caps,
			   uint64_t interval_ns, struct cap_answer **ret_caps);
void free_caps(struct cap_answer *caps, size_t n);

/* The reads and the writes of a mix. */
void cap_streams(const struct cap_answer *answer,
		 struct ssdpm_cap_stream streams[2]);

/* "10 W", "none" */
struct number cap_text(uint64_t cap_uw);

void print_power_caps(const struct cap_answer *answer,
		      const struct sim_options *options);
void print_power_caps_csv(const struct cap_answer *answers, size_t n);

/* What a cap costs, in a sentence; free() it; NULL: no memory. */
char *power_cap_verdict(const struct cap_answer *answer,
			const struct sim_options *options);

/* An answer of a mix. */
void add_mix(struct items *items, const struct cap_answer *answer);

#endif
