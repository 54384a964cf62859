/* SPDX-License-Identifier: MIT */
/* The advice for each drive on a workload. */
#ifndef SSDPM_COMMAND_ADVISE_H
#define SSDPM_COMMAND_ADVISE_H

#include "html/html.h"
#include "input/quirks.h"
#include "options/patience.h"
#include "text/output.h"
#include "work/simulate.h"

/* What a saving means; 0: nobody asks. */
struct use {
	uint64_t battery_mwh;
	uint64_t system_uw; /* what the whole system takes today */
	uint32_t hours_per_day;
};

/* The recommendation for a drive on a trace. */
struct advice {
	const struct subject *subject;
	const char *trace;
	struct ssdpm_trace_counts counts;
	struct ssdpm_sim_params params;
	struct policy from;
	struct ssdpm_resolved_policy today; /* the table of that policy */
	struct ssdpm_bounds bounds;
	struct ssdpm_apst_params kernel; /* of the device; bounds point to it */
	bool usual_bounds; /* nobody has given one: those of the library */
	const struct use *use;
	const char *raw_path; /* the file of the raw table; NULL: none */
	struct ssdpm_recommendations *routes; /* each has one */
};

/* That of a route, by its number in their order; NULL: there are no more. */
static inline const struct ssdpm_recommendation *route_of(
	const struct advice *advice, size_t index)
{
	return ssdpm_recommendations_get(advice->routes, index);
}

static inline bool is_sata(const struct advice *advice)
{
	return ssdpm_model_get_info(advice->subject->drive->model)->kind ==
	       SSDPM_KIND_SATA;
}

void print_advice(const struct advice *advice,
		  const struct sim_options *options, bool explain);
/* On a page the text names the route, and says what a saving means. */
void add_advice(struct items *items, const struct advice *advice,
		const struct sim_options *options, bool for_page);

/* Why the kernel of the drive refuses a raw table; "": it does not. */
struct cell refusal_of(const struct advice *advice,
		       const struct ssdpm_recommendation *found);

/* The verdict at the top of the page. */
struct decision decide_advice(const struct advice *advice);

struct recommend_options {
	struct trace_options trace;
	struct sim_options sim;
	struct page_options page;
	struct quirk_options quirks;
	struct patience_options patience;
	struct ssdpm_bounds bounds;
	uint64_t given;	 /* bits: which options of the command */
	bool is_bounded; /* a delay, or a time to leave a state */
	struct use use;
	const char *trace_name;
	const char *from_name;
	struct policy from; /* if it is named */
	const char *raw_path;
	bool explain;
};

/*
 * Those that ssdpm apply leaves alone are no failure of a whole machine, unless
 * nothing else is there: the other drives have their answer.
 */
enum exit_status leave_out_ports(const struct common *common,
				 struct drives *drives);

/* Simulates each drive once more, under what was recommended. */
enum exit_status write_recommend_page(const struct plan *plan,
				      const struct recommend_options *options,
				      const struct advice *advices, size_t n);

/* Find the best settings of the drives, and print them. */
enum exit_status recommend(const struct plan *plan,
			   const struct recommend_options *options,
			   const struct drives *drives);

#endif
