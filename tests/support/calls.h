/* SPDX-License-Identifier: MIT */
/* Calls of the library as tests like them: values in, values out. */
#ifndef SSDPM_TESTS_CALLS_H
#define SSDPM_TESTS_CALLS_H

#include <ssdpm-energy.h>
#include <string.h>

/* A struct ssdpm_result that outlives its simulation. */
struct estimated {
	struct ssdpm_run nominal, low, high;
	uint64_t assumed_nj;
	uint32_t axes;
	uint32_t loose_states;
	uint32_t loose_ops;
	uint32_t widest_axis;
	uint64_t axis_low_nj[7];
	uint64_t axis_high_nj[7];
};

static inline struct estimated estimated_of(const struct ssdpm_sim *sim)
{
	const struct ssdpm_result *from = ssdpm_sim_get_result(sim);
	struct estimated to = {
		.nominal = *from->nominal,
		.low = *from->low,
		.high = *from->high,
		.assumed_nj = from->assumed_nj,
		.axes = from->axes,
		.loose_states = from->loose_states,
		.loose_ops = from->loose_ops,
		.widest_axis = from->widest_axis,
	};

	memcpy(to.axis_low_nj, from->axis_low_nj, sizeof(to.axis_low_nj));
	memcpy(to.axis_high_nj, from->axis_high_nj, sizeof(to.axis_high_nj));
	return to;
}

static inline int finish_sim(struct ssdpm_sim *sim, uint64_t end_ns,
			     struct estimated *ret_estimated,
			     struct ssdpm_error *reterr)
{
	int err = ssdpm_sim_finish(sim, end_ns, reterr);

	if (!err)
		*ret_estimated = estimated_of(sim);
	return err;
}

static inline int estimate_ios(const struct ssdpm_model *model,
			       const struct ssdpm_sim_params *params,
			       const struct ssdpm_io *ios, size_t n,
			       struct estimated *ret_estimated,
			       struct ssdpm_error *reterr)
{
	struct ssdpm_sim *sim;
	int err = ssdpm_estimate(model, params, ios, n, &sim, reterr);

	if (err)
		return err;
	*ret_estimated = estimated_of(sim);
	ssdpm_sim_free(sim);
	return 0;
}

static inline int set_parameter(struct ssdpm_parameter *parameters, size_t n,
				uint32_t kind, uint32_t index, uint64_t low,
				uint64_t nominal, uint64_t high,
				struct ssdpm_error *reterr)
{
	const struct ssdpm_parameter value = {
		.kind = kind,
		.index = index,
		.low = low,
		.nominal = nominal,
		.high = high,
	};

	return ssdpm_parameters_set(parameters, n, &value, reterr);
}

static inline int make_parameters_of(const struct ssdpm_model *model,
				     uint32_t pcie_link,
				     struct ssdpm_parameter *ret_parameters,
				     size_t *ret_n, struct ssdpm_error *reterr)
{
	return ssdpm_parameters_from_model(model, pcie_link, ret_parameters,
					   SSDPM_MAX_PARAMETERS, ret_n, reterr);
}

/* NULL: there is none. As with strchr(), the caller knows what is constant. */
static inline struct ssdpm_parameter *find_parameter(
	const struct ssdpm_parameter *parameters, size_t n, uint32_t kind,
	uint32_t index)
{
	for (size_t i = 0; i < n; i++)
		if (parameters[i].kind == kind && parameters[i].index == index)
			return (struct ssdpm_parameter *)&parameters[i];
	return NULL;
}

static inline const struct ssdpm_measured *find_measured(
	const struct ssdpm_measured *measured, size_t n, uint32_t kind,
	uint32_t index)
{
	for (size_t i = 0; i < n; i++)
		if (measured[i].kind == kind && measured[i].index == index)
			return &measured[i];
	return NULL;
}

static inline int sweep_gaps(const struct ssdpm_gaps *gaps,
			     const struct ssdpm_model *model,
			     const struct ssdpm_sim_params *params,
			     const struct ssdpm_apst *tables, size_t n,
			     struct ssdpm_run *ret_runs,
			     struct ssdpm_error *reterr)
{
	const struct ssdpm_gaps_runs runs = {
		.size = sizeof(runs),
		.tables = tables,
		.n_tables = n,
		.runs = ret_runs,
	};

	ret_runs->size = sizeof(*ret_runs);
	return ssdpm_gaps_sweep(gaps, model, params, &runs, reterr);
}

static inline int foresee_gaps(const struct ssdpm_gaps *gaps,
			       const struct ssdpm_model *model,
			       const struct ssdpm_sim_params *params,
			       struct ssdpm_run *ret_run,
			       struct ssdpm_error *reterr)
{
	ret_run->size = sizeof(*ret_run);
	return ssdpm_gaps_clairvoyant(gaps, model, params, ret_run, reterr);
}

static inline int find_best_table(const struct ssdpm_gaps *gaps,
				  const struct ssdpm_model *model,
				  const struct ssdpm_sim_params *params,
				  const struct ssdpm_bounds *bounds,
				  struct ssdpm_apst *ret_table,
				  struct ssdpm_run *ret_run,
				  uint64_t *ret_energy_bound_nj,
				  struct ssdpm_error *reterr)
{
	struct ssdpm_best_table best = { .size = sizeof(best), .run = ret_run };
	int err;

	if (ret_run)
		ret_run->size = sizeof(*ret_run);
	err = ssdpm_gaps_best_table(gaps, model, params, bounds, &best, reterr);
	if (err)
		return err;
	*ret_table = best.table;
	if (ret_energy_bound_nj)
		*ret_energy_bound_nj = best.energy_bound_nj;
	return 0;
}

static inline int add_lpms(struct ssdpm_plan *plan, struct ssdpm_device *device,
			   struct ssdpm_model *model, const uint32_t *lpms,
			   size_t n, uint32_t flags, struct ssdpm_error *reterr)
{
	const struct ssdpm_lpm_params params = {
		.size = sizeof(params),
		.lpms = lpms,
		.n_lpms = n,
		.flags = flags,
	};

	return ssdpm_plan_add_lpm(plan, device, model, &params, reterr);
}

static inline int find_alternatives(const struct ssdpm_catalogue *catalogue,
				    const char *product, const char *firmware,
				    struct ssdpm_catalogue_match *ret_matches,
				    size_t max, size_t *ret_n,
				    struct ssdpm_error *reterr)
{
	int err = ssdpm_catalogue_find_alternatives(
		catalogue, product, firmware, ret_matches, &max, reterr);

	if (!err)
		*ret_n = max;
	return err;
}

static inline int infer_apst(const struct ssdpm_model *model,
			     const struct ssdpm_apst *table,
			     struct ssdpm_apst_params *ret_params, size_t max,
			     size_t *ret_n, struct ssdpm_error *reterr)
{
	if (max)
		ret_params->size = sizeof(*ret_params);
	return ssdpm_apst_infer(model, table, ret_params, max, ret_n, reterr);
}

static inline int reach_apst(const struct ssdpm_model *model,
			     const struct ssdpm_apst *table, uint32_t quirks,
			     struct ssdpm_apst_params *ret_params,
			     struct ssdpm_apst *ret_table,
			     struct ssdpm_error *reterr)
{
	ret_params->size = sizeof(*ret_params);
	return ssdpm_apst_reach(model, table, quirks, ret_params, ret_table,
				reterr);
}

static inline int find_activity(const struct ssdpm_samples *samples,
				const struct ssdpm_baseline *baseline,
				const struct ssdpm_detect_params *params,
				struct ssdpm_activity *ret_activities,
				size_t capacity, size_t *ret_n,
				struct ssdpm_error *reterr)
{
	int err = ssdpm_activity_find(samples, baseline, params, ret_activities,
				      &capacity, reterr);

	if (!err)
		*ret_n = capacity;
	return err;
}

static inline int find_changes(const struct ssdpm_samples *samples,
			       double sigma_w, double penalty,
			       size_t min_samples, size_t *ret_begins,
			       size_t capacity, size_t *ret_n,
			       struct ssdpm_error *reterr)
{
	const struct ssdpm_change_params params = {
		.size = sizeof(params),
		.sigma_w = sigma_w,
		.penalty = penalty,
		.min_samples = min_samples,
	};

	return ssdpm_change_points_find(samples, &params, ret_begins, capacity,
					ret_n, reterr);
}

static inline int analyse_survey(
	const struct ssdpm_survey_run *runs, size_t n,
	const struct ssdpm_survey_analysis_params *params,
	struct ssdpm_survey_analysis *ret_analysis,
	struct ssdpm_survey_mean *ret_means,
	struct ssdpm_survey_difference *ret_differences,
	struct ssdpm_error *reterr)
{
	ret_analysis->means = ret_means;
	ret_analysis->differences = ret_differences;
	return ssdpm_survey_analyse(runs, n, params, ret_analysis, reterr);
}

static inline int calibrate_run(const struct ssdpm_model *model,
				const struct ssdpm_sim_params *sim_params,
				const struct ssdpm_io *ios, size_t n,
				const struct ssdpm_samples *samples,
				const struct ssdpm_calibrate_params *params,
				struct ssdpm_measured *ret_measured,
				struct ssdpm_calibration *ret_calibration,
				struct ssdpm_error *reterr)
{
	struct ssdpm_calibrate_params all = { .size = sizeof(all) };

	if (params)
		all = *params;
	all.ios = ios;
	all.n_ios = n;
	all.samples = samples;
	ret_calibration->measured = ret_measured;
	ret_calibration->capacity = SSDPM_MAX_PARAMETERS;
	return ssdpm_calibrate(model, sim_params, &all, ret_calibration,
			       reterr);
}

static inline int write_overlay(const struct ssdpm_overlay *overlay,
				const struct ssdpm_measured *measured, size_t n,
				const struct ssdpm_calibration *calibration,
				char **ret_text, struct ssdpm_error *reterr)
{
	struct ssdpm_calibration whole = *calibration;

	whole.measured = (struct ssdpm_measured *)measured;
	whole.n_measured = n;
	return ssdpm_overlay_to_json(overlay, &whole, ret_text, reterr);
}

static inline int read_overlay(const char *text, size_t size,
			       struct ssdpm_overlay *ret_overlay,
			       struct ssdpm_measured *ret_measured,
			       size_t *ret_n,
			       struct ssdpm_calibration *ret_calibration,
			       struct ssdpm_error *reterr)
{
	int err;

	ret_calibration->measured = ret_measured;
	ret_calibration->capacity = SSDPM_MAX_PARAMETERS;
	err = ssdpm_overlay_from_json(text, size, ret_overlay, ret_calibration,
				      reterr);
	if (!err)
		*ret_n = (size_t)ret_calibration->n_measured;
	return err;
}

#endif
