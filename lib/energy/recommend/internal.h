/* SPDX-License-Identifier: MIT */
/* The search for recommendations: what its files share. */
#ifndef SSDPM_LIB_RECOMMEND_INTERNAL_H
#define SSDPM_LIB_RECOMMEND_INTERNAL_H

#include "recommend/gaps.h"

#define N_ROUTES SSDPM_ROUTE_RAW_TABLE

/* A set of states that Linux leads to, and the parameters that do so. */
struct reach {
	uint32_t states; /* bits */
	uint32_t n_changed;
	bool solved; /* the best of them was found, or of more states */
	struct ssdpm_apst_params params;
};

/* All pairs of states, all single ones, none. */
#define MAX_REACHES (1 + SSDPM_MAX_STATES * (SSDPM_MAX_STATES + 1) / 2)

struct candidate {
	bool found;
	struct ssdpm_apst_params params;
	struct ssdpm_apst table;
	struct chain chain;
	struct ssdpm_run run;
	struct wide fj;
};

/* All tables of a limit alone. */
#define MAX_LIMITS (SSDPM_APST_MAX_STEPS + 1)

struct quest {
	struct gaps_task task;
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	size_t n_parameters;
	struct power_order order;
	struct ssdpm_bounds bounds;
	struct ssdpm_apst_params defaults; /* of Linux, for this drive */
	struct ssdpm_apst_params kernel;   /* what a limit alone changes */
	struct ssdpm_apst_params made_of;  /* of a device: what is set */
	struct delays delays;
	struct reach reaches[MAX_REACHES];
	uint32_t n_reaches;
	struct candidate now;
	struct candidate best[N_ROUTES];     /* by route - 1 */
	struct candidate limits[MAX_LIMITS]; /* those that keep the bounds */
	uint32_t n_limits;
	struct candidate today;
	const struct ssdpm_apst *from; /* the caller's; NULL: that of Linux */
	uint32_t lpm;		       /* of a SATA drive, today */
};

/*
 * The table that Linux makes with these parameters, if the drive can obey: kept
 * if it is the best of its route so far.
 */
int ssdpm__quest_consider(struct quest *quest, uint32_t route,
			  const struct ssdpm_apst_params *params,
			  struct ssdpm_error *reterr);

/* All limits; the default first, which stays where another is no better. */
int ssdpm__quest_limits(struct quest *quest, uint32_t route, bool legacy,
			struct ssdpm_error *reterr);

/* The best table of a drive, with so many states; 0: what the bounds say. */
int ssdpm__quest_search(const struct quest *quest,
			const struct ssdpm_model *model,
			const struct ssdpm_parameter *parameters, size_t n,
			uint32_t max_states, struct ssdpm_apst *ret_table,
			struct ssdpm_error *reterr);

/* The best that the parameters of nvme_core reach. */
int ssdpm__quest_nvme_core(struct quest *quest, struct ssdpm_error *reterr);

/* saving.c: what tables save against the first of them */

/* Tables of which no two are the same, or link policies. */
struct rivals {
	struct priced_drive drive;
	const struct ssdpm_apst *tables; /* NULL: of a SATA drive, */
	const uint32_t *lpms;		 /* which has these */
	size_t n;
	size_t n_from; /* it is one of so many first ones that they save against
			*/
};

static inline void rival_params(const struct rivals *rivals, size_t index,
				struct ssdpm_sim_params *params)
{
	if (rivals->tables)
		params->apst = &rivals->tables[index];
	else
		params->lpm = rivals->lpms[index];
}

/* What comes of a table. */
struct outcome {
	struct ssdpm_run run; /* nominal */
	struct ssdpm_run low; /* what is possible of it */
	struct ssdpm_run high;
	struct chain slow; /* all latencies at their most */
	struct ssdpm_saving saving;
	struct ssdpm_likely likely; /* size 0: nobody asked for it */
};

/*
 * Over the same time: until the last of them ends. The service times are those
 * of the gaps. ret: one for each table; the first saves nothing.
 */
int ssdpm__savings(const struct gaps_task *task, const struct rivals *rivals,
		   struct outcome *ret, struct ssdpm_error *reterr);

/* The number of a table: it is added where no table before is the same. */
size_t ssdpm__number_of(const struct ssdpm_apst *table,
			struct ssdpm_apst *tables, size_t *n_tables);

/* What comes of a setting that a route has. */
void ssdpm__fill_outcome(const struct quest *quest, const struct outcome *kept,
			 struct ssdpm_recommendation *ret);

/* recommend-link.c: the run of what Linux does by default on a SATA drive */
int ssdpm__link_default(const struct ssdpm_gaps *gaps,
			const struct ssdpm_model *model,
			const struct ssdpm_sim_params *params,
			struct ssdpm_run *ret_run, struct ssdpm_error *reterr);

/* The best link policy; *ret points to the outcome. */
int ssdpm__quest_link(const struct quest *quest,
		      struct ssdpm_recommendation *ret,
		      struct outcome *ret_outcome, struct ssdpm_error *reterr);

/* likely-saving.c: likewise what is likely; the savings are there. */
int ssdpm__likely_savings(const struct gaps_task *task,
			  const struct rivals *rivals, struct outcome *outcomes,
			  struct ssdpm_error *reterr);

/* Take the limit whose likely saving has the greatest median. */
int ssdpm__quest_rank_limits(struct quest *quest, struct ssdpm_error *reterr);

#endif
