/* SPDX-License-Identifier: MIT */
/* Traces as JSON: workload.keys has what is written. */
#include <ssdpm/energy/json.h>

#include <errno.h>

#include "base/json-text.h"

/* Idle times of a bucket, or longer than a limit. */
struct gaps {
	uint64_t start_ns;
	uint64_t n_gaps;
	uint64_t gaps_ns;
};

static bool get_bucket(const struct ssdpm_trace_stats *stats, size_t i,
		       struct gaps *ret_gaps)
{
	*ret_gaps = (struct gaps){ ssdpm_histogram_start_ns((uint32_t)i),
				   stats->gaps[i], stats->gaps_ns[i] };
	return stats->gaps[i];
}

static bool get_limit(const struct ssdpm_trace_stats *stats, size_t i,
		      struct gaps *ret_gaps)
{
	*ret_gaps = (struct gaps){ ssdpm_stats_get_limit_ns((uint32_t)i),
				   stats->n_longer[i], stats->longer_ns[i] };
	return ret_gaps->start_ns;
}

#include "workload-json.h"

int ssdpm_workload_report_to_json(const struct ssdpm_workload_report *report,
				  char **ret_text, struct ssdpm_error *reterr)
{
	struct ssdpm_workload_report r = { 0 };
	struct ssdpm_trace_stats stats = { 0 };
	struct json_writer w = { 0 };
	int err = ssdpm__sized_in(&r, sizeof(r), report,
				  "ssdpm_workload_report", reterr);

	if (!err && (!r.name || !r.counts || !r.stats))
		err = ssdpm__missing(!r.name   ? "name" :
				     !r.counts ? "counts" :
						 "stats",
				     reterr);
	if (!err)
		err = ssdpm__sized_in(&stats, sizeof(stats), r.stats,
				      "ssdpm_trace_stats", reterr);
	if (err)
		return err;
	r.stats = &stats;
	ssdpm__json_begin(&w, NULL, '{');
	write_workload(&w, &r);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}

int ssdpm_generator_to_json(size_t index, char **ret_text,
			    struct ssdpm_error *reterr)
{
	struct json_writer w = { 0 };

	if (!ssdpm_generator_get_name(index))
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "no workload has the index %zu", index);
	ssdpm__json_begin(&w, NULL, '{');
	write_generator(&w, index);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}
