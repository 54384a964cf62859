/* SPDX-License-Identifier: MIT */
/*
 * What a drive would save with settings that a report does not choose: the
 * parameters of nvme_core, which all drives share, and a raw table.
 */
#include "report/internal.h"

#include <string.h>

#include "base/internal.h"
#include "recommend/alternatives.h"

/* What to simulate, with the table of a row. */
static struct ssdpm_sim_params params_of(const struct energy_item *item,
					 struct ssdpm_compared_policy *row)
{
	struct ssdpm_sim_params params;

	ssdpm_sim_params_init(&params, sizeof(params));
	params.flags = SSDPM_SIM_LIKELY;
	params.pcie_link = item->settings.pcie_link;
	row->size = sizeof(*row);
	ssdpm_comparison_get_row(item->comparison, 0, row);
	params.apst = &row->resolved.apst;
	return params;
}

int ssdpm__begin_further(const struct report_task *task,
			 struct energy_item *item, struct ssdpm_error *reterr)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_compared_policy row;
	struct ssdpm_sim_params params;
	struct ssdpm_service service;
	size_t n;
	int err;

	if (!(task->params.flags & SSDPM_ENERGY_REPORT_FURTHER) ||
	    ssdpm_model_get_info(item->model)->kind != SSDPM_KIND_NVME)
		return 0;
	params = params_of(item, &row);
	err = ssdpm_parameters_from_model(item->model, params.pcie_link,
					  parameters, SSDPM_MAX_PARAMETERS, &n,
					  reterr);
	if (err)
		return err;
	ssdpm_parameters_get_service(parameters, n, &service);
	return ssdpm_gaps_new(&service, &item->gaps, reterr);
}

/* The saving of what is to be set: measured by a trial, or else likely */
static int64_t known_saving(const struct energy_item *item)
{
	struct ssdpm_compared_policy row = { .size = sizeof(row) };

	if (item->advice != SSDPM_ADVICE_SET)
		return 0;
	if (item->trial && ssdpm__is_power(item->trial->saving_w))
		return (int64_t)(item->trial->saving_w * 1e6);
	ssdpm_comparison_get_row(item->comparison, item->chosen, &row);
	return row.likely ? row.likely->median_uw : 0;
}

/* The first later route that saves, and more than what is set. */
static const struct ssdpm_recommendation *find_further(
	const struct energy_item *item)
{
	const int64_t known_uw = known_saving(item);
	const struct ssdpm_recommendation *r;

	for (size_t i = 0;
	     (r = ssdpm_recommendations_get(item->recommendations, i)); i++)
		if (r->route != SSDPM_ROUTE_LATENCY_LIMIT &&
		    r->advice == SSDPM_ADVICE_SET &&
		    r->likely->median_uw > known_uw &&
		    ssdpm_saving_verdict_saves(r->likely->verdict))
			return r;
	return NULL;
}

int ssdpm__find_further(const struct report_task *task,
			struct energy_item *item, struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params kernel = { .size = sizeof(kernel) };
	struct ssdpm_bounds bounds = item->bounds;
	struct ssdpm_compared_policy row;
	struct ssdpm_sim_params params;
	int err;

	/* Against an odd table, all that Linux can make seems to gain. */
	if (!item->gaps || item->advice == SSDPM_ADVICE_REBUILD)
		return 0;
	params = params_of(item, &row);
	err = ssdpm__bounds_set_drive(&bounds, &task->facts, item->drive.device,
				      item->model, &kernel, reterr);
	if (!err)
		err = ssdpm_gaps_finish(item->gaps, task->params.end_ns,
					reterr);
	if (!err)
		err = ssdpm_recommend(item->gaps, item->model, &params, &bounds,
				      &item->recommendations, reterr);
	if (!err)
		item->further = find_further(item);
	return err;
}

const struct ssdpm_recommendation *ssdpm__get_further(
	const struct energy_item *item, int64_t *ret_gain_uw)
{
	*ret_gain_uw = 0;
	if (!item->further)
		return NULL;
	*ret_gain_uw = item->further->likely->median_uw - known_saving(item);
	if (*ret_gain_uw > 0)
		return item->further;
	*ret_gain_uw = 0;
	return NULL;
}
