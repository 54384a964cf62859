/* SPDX-License-Identifier: MIT */
/* What each drive is advised to do on a workload. */
#ifndef SSDPM_COMMAND_ADVISE_H
#define SSDPM_COMMAND_ADVISE_H

#include "html/html.h"
#include "input/quirks.h"
#include "text/recommend-text.h"

struct recommend_options {
	struct trace_options trace;
	struct sim_options sim;
	struct page_options page;
	struct quirk_options quirks;
	struct ssdpm_bounds bounds;
	uint64_t given;	 /* bits: which options of the command */
	bool is_bounded; /* a delay, or a time to leave a state */
	struct use use;
	const char *trace_name;
	const char *from_name;
	struct policy from; /* if it is named */
	const char *raw_path;
};

/* Find the best settings of the drives, and print them. */
enum exit_status recommend(const struct plan *plan,
			   const struct recommend_options *options,
			   const struct drives *drives);

#endif
