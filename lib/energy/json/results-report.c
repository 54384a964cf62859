/* SPDX-License-Identifier: MIT */
/*
 * Writes the costs and savings of policies as JSON; results.keys has the keys.
 */
#include <ssdpm/energy/json.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/json-text.h"
#include "estimate/internal.h"
#include "estimate/sim.h"

/*
 * The simulated workload and policy; all objects begin with it, and end with
 * the parameters.
 */
struct simulated {
	const char *drive;
	const struct ssdpm_model_info *info;
	size_t n_states;
	const char *trace;
	const struct ssdpm_trace_counts *counts;
	const struct ssdpm_sim_params *params;
	uint64_t spare_ppm;
	const struct ssdpm_parameter *parameters;
	size_t n_parameters;
};

/* The results. */
struct finished {
	const struct ssdpm_result *result;
	size_t n_states;
	const struct ssdpm_interval *intervals;
	size_t n_intervals;
	uint64_t delays[SSDPM_HISTOGRAM_BUCKETS];
	const struct ssdpm_prediction *likely_power; /* or NULL */
};

/* An entry of a table that is set, and a bucket that is not empty. */
struct apst_row {
	uint32_t state;
	uint32_t target;
	uint32_t idle_ms;
};

struct delay {
	uint64_t start_ns;
	uint64_t n_ios;
};

/* A comparison, and a row of it. */
struct all_compared {
	const struct ssdpm_comparison *comparison;
	size_t n_rows;
	size_t n_states;
	bool is_sata;
	const char *advised; /* the name of a row; NULL: none */
};

struct compared {
	const struct all_compared *all;
	size_t index;
	struct ssdpm_compared_policy row;
	struct finished finished;
};

/* The result of a route, and the meaning of its saving. */
struct recommended {
	const struct ssdpm_recommendation_report *report;
	const struct ssdpm_recommendation *one;
	struct ssdpm_recommendation_words words;
	size_t n_files; /* of the changes, which come first */
	char modprobe[440];
	struct ssdpm_resolved_policy resolved;
	size_t n_states;
	bool is_sata;
	bool has_limit;
	bool has_core;
	struct ssdpm_gain battery_s;
	struct ssdpm_gain year_wh;
};

static bool is_sata(const struct simulated *s)
{
	return s->info->kind == SSDPM_KIND_SATA;
}

static bool get_entry(const struct ssdpm_apst *table, size_t state,
		      struct apst_row *ret_row)
{
	const struct ssdpm_apst_entry *entry = &table->entries[state];

	*ret_row = (struct apst_row){ (uint32_t)state, entry->target,
				      entry->idle_ms };
	return entry->target || entry->idle_ms;
}

static bool get_delay(const struct finished *f, size_t bucket,
		      struct delay *ret_delay)
{
	*ret_delay = (struct delay){ ssdpm_histogram_start_ns((uint32_t)bucket),
				     f->delays[bucket] };
	return f->delays[bucket];
}

static const char *axis_word(const struct ssdpm_result *result, size_t i)
{
	return result->axes >> i & 1 ? ssdpm_axis_to_string((uint32_t)i + 1) :
				       NULL;
}

static const char *loose_op(const struct ssdpm_result *result, size_t i)
{
	return result->loose_ops >> i & 1 ?
		       ssdpm_op_to_string((uint32_t)i + 1) :
		       NULL;
}

static double energy_nj(const struct ssdpm_cap_point *point)
{
	return point->power_uw.nominal * (double)point->duration_ns / 1e6;
}

static uint64_t lowest_uw(const struct ssdpm_estimate_report *report)
{
	uint64_t uw = SSDPM_CAP_NONE;

	for (size_t i = 0; i < report->n_cap_points; i++)
		if (report->cap_points[i].cap_uw < uw)
			uw = report->cap_points[i].cap_uw;
	return uw;
}

static double share_of(const struct ssdpm_cap_report *report, uint32_t op)
{
	double share = 0;

	for (size_t i = 0; i < report->n_streams; i++)
		if (report->streams[i].op == op)
			share += report->streams[i].share;
	return share;
}

static void look(const struct ssdpm_sim *sim, size_t n_states,
		 struct finished *ret_finished)
{
	ret_finished->result = ssdpm_sim_get_result(sim);
	ret_finished->n_states = n_states;
	ret_finished->likely_power = NULL;
	ret_finished->intervals =
		ssdpm_sim_get_intervals(sim, &ret_finished->n_intervals);
	ssdpm_sim_get_delays(sim, ret_finished->delays,
			     SSDPM_HISTOGRAM_BUCKETS);
}

/* The name of row i, if its policy is the same. */
static const char *name_of(const struct compared *c, size_t i)
{
	struct ssdpm_compared_policy row = { .size = sizeof(row) };

	ssdpm_comparison_get_row(c->all->comparison, i, &row);
	return row.same_as == c->index ? row.name : NULL;
}

static bool get_compared(const struct all_compared *all, size_t i,
			 struct compared *ret_compared)
{
	struct ssdpm_compared_policy *row = &ret_compared->row;

	ret_compared->all = all;
	ret_compared->index = i;
	row->size = sizeof(*row);
	ssdpm_comparison_get_row(all->comparison, i, row);
	look(row->sim, all->n_states, &ret_compared->finished);
	return row->same_as == i;
}

static size_t count_routes(const struct ssdpm_recommendation_report *report)
{
	size_t n = 0;

	while (ssdpm_recommendations_get(report->recommendations, n))
		n++;
	return n;
}

static int battery_of(const struct ssdpm_recommendation_report *report,
		      const struct ssdpm_recommendation *one,
		      struct ssdpm_gain *ret_s, struct ssdpm_error *reterr)
{
	if (!report->battery_mwh)
		return 0;
	return ssdpm_saving_get_battery_s(
		&one->expected, (double)report->battery_mwh,
		(double)report->system_uw, ret_s, reterr);
}

/* Separates files to write now from a line for modprobe.d. */
static void sort_changes(struct recommended *r)
{
	const char module[] = "nvme_core.";
	size_t length = 0;

	for (size_t i = 0; i < r->words.n_changes; i++) {
		const struct ssdpm_change *change = &r->words.changes[i];

		if (change->target[0] == '/') {
			r->n_files++;
			continue;
		}
		if (!length)
			length = (size_t)snprintf(r->modprobe,
						  sizeof(r->modprobe),
						  "options nvme_core");
		if (length < sizeof(r->modprobe))
			length += (size_t)snprintf(
				r->modprobe + length,
				sizeof(r->modprobe) - length, " %s=%s",
				change->target + strlen(module), change->value);
	}
}

static bool get_recommended(const struct ssdpm_recommendation_report *report,
			    const struct simulated *s, size_t i,
			    struct recommended *ret)
{
	const struct ssdpm_recommendation *one =
		ssdpm_recommendations_get(report->recommendations, i);

	*ret = (struct recommended){
		.report = report,
		.one = one,
		.resolved = { .apst = one->apst, .lpm = one->lpm },
		.n_states = s->n_states,
		.is_sata = is_sata(s),
		.has_limit = one->possible &&
			     (one->route == SSDPM_ROUTE_LATENCY_LIMIT ||
			      one->route == SSDPM_ROUTE_NVME_CORE),
		.has_core =
			one->possible && one->route == SSDPM_ROUTE_NVME_CORE,
	};
	if (i < report->n_words)
		ret->words = report->words[i];
	if (one->advice != SSDPM_ADVICE_SET)
		ret->words.apply = NULL;
	if (one->advice != SSDPM_ADVICE_SET &&
	    one->advice != SSDPM_ADVICE_REBUILD)
		ret->words.n_changes = 0;
	sort_changes(ret);
	battery_of(report, one, &ret->battery_s, NULL);
	ssdpm_saving_get_year_wh(&one->expected, report->hours_per_day,
				 &ret->year_wh);
	return true;
}

#include "results-json.h"

static void take_drive(const char *name, const struct ssdpm_model *model,
		       struct simulated *s)
{
	s->drive = name;
	s->info = ssdpm_model_get_info(model);
	ssdpm_model_get_states(model, &s->n_states);
}

static void take_sim(const struct ssdpm_sim *sim, struct simulated *s)
{
	s->params = &sim->params;
	s->parameters = ssdpm_sim_get_parameters(sim, &s->n_parameters);
}

static int check_estimate(const struct ssdpm_estimate_report *r,
			  struct ssdpm_error *reterr)
{
	if (!r->model)
		return ssdpm__missing("model", reterr);
	if (!r->sim || !ssdpm_sim_get_result(r->sim))
		return ssdpm__missing("sim, finished,", reterr);
	if (!r->resolved)
		return ssdpm__missing("resolved", reterr);
	if (r->n_cap_points && !r->cap_points)
		return ssdpm__missing("cap_points", reterr);
	return 0;
}

int ssdpm_estimate_report_to_json(const struct ssdpm_estimate_report *report,
				  char **ret_text, struct ssdpm_error *reterr)
{
	struct ssdpm_estimate_report r = { 0 };
	struct ssdpm_cap_run cap_run = { 0 };
	struct json_writer w = { 0 };
	struct simulated s = { 0 };
	struct ssdpm_prediction likely = { .size = sizeof(likely) };
	struct finished f;
	int err = ssdpm__sized_in(&r, sizeof(r), report,
				  "ssdpm_estimate_report", reterr);

	if (!err)
		err = check_estimate(&r, reterr);
	if (!err)
		err = ssdpm__sized_in(&cap_run, sizeof(cap_run), r.cap_run,
				      "ssdpm_cap_run", reterr);
	if (!err && r.sim->params.flags & SSDPM_SIM_LIKELY)
		err = ssdpm_sim_get_prediction(r.sim, &likely, reterr);
	if (err)
		return err;
	r.cap_run = r.cap_run ? &cap_run : NULL;
	take_drive(r.drive, r.model, &s);
	take_sim(r.sim, &s);
	s.trace = r.trace;
	s.counts = r.counts;
	s.spare_ppm = r.spare_ppm;
	look(r.sim, s.n_states, &f);
	if (s.params->flags & SSDPM_SIM_LIKELY)
		f.likely_power = &likely;
	ssdpm__json_begin(&w, NULL, '{');
	write_estimate(&w, &r, &s, &f);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}

int ssdpm_cap_report_to_json(const struct ssdpm_cap_report *report,
			     char **ret_text, struct ssdpm_error *reterr)
{
	struct ssdpm_cap_report r = { 0 };
	struct json_writer w = { 0 };
	struct simulated s = { 0 };
	int err = ssdpm__sized_in(&r, sizeof(r), report, "ssdpm_cap_report",
				  reterr);

	if (!err && !r.model)
		err = ssdpm__missing("model", reterr);
	if (!err && !(r.streams && r.n_streams))
		err = ssdpm__missing("streams", reterr);
	if (!err && r.n_points && !r.points)
		err = ssdpm__missing("points", reterr);
	if (err)
		return err;
	take_drive(r.drive, r.model, &s);
	ssdpm__json_begin(&w, NULL, '{');
	write_cap(&w, &r, &s);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}

/* The first row has what all rows share. */
static int take_comparison(const struct ssdpm_comparison_report *r,
			   struct simulated *s, struct all_compared *ret_all,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_compared_policy row = { .size = sizeof(row) };

	if (!r->model)
		return ssdpm__missing("model", reterr);
	if (!r->comparison ||
	    ssdpm_comparison_get_row(r->comparison, 0, &row) || !row.result)
		return ssdpm__missing("comparison, finished,", reterr);
	take_drive(r->drive, r->model, s);
	take_sim(row.sim, s);
	*ret_all = (struct all_compared){ .comparison = r->comparison,
					  .n_rows = 1,
					  .n_states = s->n_states,
					  .is_sata = is_sata(s) };
	for (; !ssdpm_comparison_get_row(r->comparison, ret_all->n_rows, &row);
	     ret_all->n_rows++)
		if (row.advised)
			ret_all->advised = row.name;
	return 0;
}

int ssdpm_comparison_report_to_json(
	const struct ssdpm_comparison_report *report, char **ret_text,
	struct ssdpm_error *reterr)
{
	struct ssdpm_comparison_report r = { 0 };
	struct json_writer w = { 0 };
	struct simulated s = { 0 };
	struct all_compared all;
	int err = ssdpm__sized_in(&r, sizeof(r), report,
				  "ssdpm_comparison_report", reterr);

	if (!err)
		err = take_comparison(&r, &s, &all, reterr);
	if (err)
		return err;
	s.trace = r.trace;
	s.counts = r.counts;
	s.spare_ppm = r.spare_ppm;
	ssdpm__json_begin(&w, NULL, '{');
	write_comparison(&w, &all, &s);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}

static int check_recommendation(const struct ssdpm_recommendation_report *r,
				struct ssdpm_error *reterr)
{
	struct ssdpm_gain gain;
	int err = 0;

	if (!r->model)
		return ssdpm__missing("model", reterr);
	if (!r->bounds)
		return ssdpm__missing("bounds", reterr);
	if (!r->recommendations)
		return ssdpm__missing("recommendations", reterr);
	if (r->n_words && !r->words)
		return ssdpm__missing("words", reterr);
	for (size_t i = 0; i < count_routes(r) && !err; i++)
		err = battery_of(
			r, ssdpm_recommendations_get(r->recommendations, i),
			&gain, reterr);
	return err;
}

/* Copies of the caller's structures in this version's size. */
struct recommendation_parts {
	struct ssdpm_recommendation_report report;
	struct ssdpm_bounds bounds;
	struct ssdpm_sim_params params;
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
};

static int take_recommendation(const struct ssdpm_recommendation_report *report,
			       struct recommendation_parts *parts,
			       struct simulated *s, struct ssdpm_error *reterr)
{
	struct ssdpm_recommendation_report *r = &parts->report;
	int err = ssdpm__sized_in(r, sizeof(*r), report,
				  "ssdpm_recommendation_report", reterr);

	if (!err)
		err = check_recommendation(r, reterr);
	if (!err)
		err = ssdpm__sized_in(&parts->bounds, sizeof(parts->bounds),
				      r->bounds, "ssdpm_bounds", reterr);
	if (!err)
		err = ssdpm__check_params(r->params, &parts->params, reterr);
	if (!err)
		err = ssdpm__take_parameters(r->model, &parts->params,
					     parts->parameters,
					     &s->n_parameters, NULL, reterr);
	if (err)
		return err;
	r->bounds = &parts->bounds;
	take_drive(r->drive, r->model, s);
	s->trace = r->trace;
	s->counts = r->counts;
	s->spare_ppm = r->spare_ppm;
	s->params = &parts->params;
	s->parameters = parts->parameters;
	return 0;
}

int ssdpm_recommendation_report_to_json(
	const struct ssdpm_recommendation_report *report, char **ret_text,
	struct ssdpm_error *reterr)
{
	struct recommendation_parts parts = { .bounds.size = 0 };
	struct json_writer w = { 0 };
	struct simulated s = { 0 };
	int err = take_recommendation(report, &parts, &s, reterr);

	if (err)
		return err;
	ssdpm__json_begin(&w, NULL, '{');
	write_recommendation(&w, &parts.report, &s);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}
