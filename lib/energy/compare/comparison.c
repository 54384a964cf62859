/* SPDX-License-Identifier: MIT */
/* Several policies for one drive on one workload, which goes by once. */
#include "compare/comparison.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "estimate/internal.h"

struct comparison_row {
	char *name;
	struct ssdpm_resolved_policy resolved;
	size_t same_as;
	/* Where it is the first of its kind. */
	struct ssdpm_sim *sim;
	struct ssdpm_saving saving;
	struct ssdpm_likely likely; /* SSDPM_SIM_LIKELY */
	bool wants_likely;	    /* although it may not save */
};

struct ssdpm_comparison {
	struct ssdpm_model *model;
	struct ssdpm_sim_params params;
	struct ssdpm_parameter *parameters; /* those of params; NULL: none */
	struct ssdpm_device_settings settings;
	uint32_t quirks; /* of Linux, that the data decides */
	bool has_settings, begun, finished, skips_costs;
	size_t advised; /* a row; 0: none */
	struct comparison_row *rows;
	size_t n_rows;
};

int ssdpm_device_settings_get_pcie_link(
	const struct ssdpm_device_settings *settings, uint32_t *ret_link,
	struct ssdpm_error *reterr)
{
	struct ssdpm_device_settings today = {
		.size = sizeof(today),
		.pcie_link = SSDPM_PCIE_L1_2,
	};
	int err = 0;

	if (settings)
		err = ssdpm__sized_in(&today, sizeof(today), settings,
				      "ssdpm_device_settings", reterr);
	if (!err)
		*ret_link = today.pcie_link;
	return err;
}

int ssdpm_sim_params_set_policy(struct ssdpm_sim_params *params,
				const struct ssdpm_model *model,
				const struct ssdpm_policy *policy,
				const struct ssdpm_device_settings *settings,
				struct ssdpm_resolved_policy *ret_resolved,
				struct ssdpm_error *reterr)
{
	struct ssdpm_policy usual = { .size = sizeof(usual) };
	struct ssdpm_device_settings today = { .size = sizeof(today) };
	struct ssdpm_sim_params changed = { .size = sizeof(changed) };
	int err = ssdpm__sized_in(&changed, sizeof(changed), params,
				  "ssdpm_sim_params", reterr);

	if (!err)
		err = ssdpm__sized_in(&today, sizeof(today), settings,
				      "ssdpm_device_settings", reterr);
	if (!err && !policy)
		err = ssdpm_policy_get_reference(model, settings, NULL, &usual,
						 reterr);
	if (!err)
		err = ssdpm_policy_resolve(model, policy ? policy : &usual,
					   params, settings, ret_resolved,
					   reterr);
	if (err)
		return err;
	if (settings && !changed.parameters)
		changed.pcie_link = today.pcie_link;
	if (ssdpm_model_get_info(model)->kind == SSDPM_KIND_NVME)
		changed.apst = &ret_resolved->apst;
	else
		changed.lpm = ret_resolved->lpm;
	ssdpm__sized_out(params, &changed, sizeof(changed));
	return 0;
}

static int make(struct ssdpm_comparison *comparison,
		const struct ssdpm_sim_params *params,
		const struct ssdpm_device_settings *settings,
		struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params *own = &comparison->params;
	int err = ssdpm_sim_params_init(own, sizeof(*own));

	if (!err)
		err = ssdpm__sized_in(own, sizeof(*own), params,
				      "ssdpm_sim_params", reterr);
	comparison->settings.size = sizeof(comparison->settings);
	comparison->has_settings = settings;
	if (!err)
		err = ssdpm__sized_in(&comparison->settings,
				      sizeof(comparison->settings), settings,
				      "ssdpm_device_settings", reterr);
	if (!err)
		err = ssdpm_quirks_find(comparison->model, NULL,
					&comparison->quirks, NULL, reterr);
	own->apst = NULL;
	own->lpm = SSDPM_LPM_MAX_PERFORMANCE;
	if (err || !own->parameters)
		return err;
	comparison->parameters =
		calloc(own->n_parameters + 1, sizeof(*own->parameters));
	if (!comparison->parameters)
		return ssdpm__no_memory(reterr);
	memcpy(comparison->parameters, own->parameters,
	       own->n_parameters * sizeof(*own->parameters));
	own->parameters = comparison->parameters;
	return 0;
}

int ssdpm_comparison_new(const struct ssdpm_model *model,
			 const struct ssdpm_sim_params *params,
			 const struct ssdpm_device_settings *settings,
			 struct ssdpm_comparison **ret_comparison,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_comparison *comparison = calloc(1, sizeof(*comparison));
	int err;

	if (!comparison)
		return ssdpm__no_memory(reterr);
	comparison->model = ssdpm_model_ref((struct ssdpm_model *)model);
	err = make(comparison, params, settings, reterr);
	if (err)
		ssdpm_comparison_free(comparison);
	else
		*ret_comparison = comparison;
	return err;
}

/* A SATA drive need not have the states in which two policies differ. */
static bool is_same(const struct ssdpm_model *model,
		    const struct ssdpm_resolved_policy *a,
		    const struct ssdpm_resolved_policy *b)
{
	if (ssdpm_model_get_info(model)->kind == SSDPM_KIND_SATA)
		return ssdpm__is_link_same(model, a->lpm, b->lpm);
	return ssdpm_resolved_policy_is_same(a, b);
}

/*
 * The port keeps the policy that it has, or Linux keeps the link of the drive
 * awake whatever the policy is.
 */
static bool is_refused(const struct ssdpm_comparison *comparison,
		       const struct ssdpm_resolved_policy *resolved)
{
	const struct ssdpm_device_settings *settings = &comparison->settings;
	const struct ssdpm_model *model = comparison->model;
	const uint32_t lpm = comparison->quirks & SSDPM_QUIRK_NO_LPM ?
				     SSDPM_LPM_MAX_PERFORMANCE :
			     settings->refused ? settings->lpm :
						 resolved->lpm;

	return ssdpm_model_get_info(model)->kind == SSDPM_KIND_SATA &&
	       !ssdpm__is_link_same(model, lpm, resolved->lpm);
}

/* What the row does; if no earlier one does the same, its simulation. */
static int start(struct ssdpm_comparison *comparison,
		 const struct ssdpm_policy *policy, struct comparison_row *row,
		 struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params params = comparison->params;
	int err = ssdpm_sim_params_set_policy(
		&params, comparison->model, policy,
		comparison->has_settings ? &comparison->settings : NULL,
		&row->resolved, reterr);

	if (err)
		return err;
	for (row->same_as = 0; row->same_as < comparison->n_rows;
	     row->same_as++)
		if (is_same(comparison->model,
			    &comparison->rows[row->same_as].resolved,
			    &row->resolved))
			return 0;
	return ssdpm_sim_new(comparison->model, &params, &row->sim, reterr);
}

int ssdpm_comparison_add(struct ssdpm_comparison *comparison, const char *name,
			 const struct ssdpm_policy *policy,
			 struct ssdpm_error *reterr)
{
	const size_t n = comparison->n_rows;
	struct ssdpm_policy word = { .size = sizeof(word) };
	struct comparison_row *rows, *row;
	int err = 0;

	if (comparison->begun)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "policies come before the workload");
	if (!policy)
		err = ssdpm_policy_parse(name, NULL, &word, reterr);
	if (err)
		return err;
	rows = reallocarray(comparison->rows, n + 1, sizeof(*rows));
	if (!rows)
		return ssdpm__no_memory(reterr);
	comparison->rows = rows;
	row = &rows[n];
	*row = (struct comparison_row){ .name = strdup(name) };
	err = row->name ?
		      start(comparison, policy ? policy : &word, row, reterr) :
		      ssdpm__no_memory(reterr);
	if (err)
		free(row->name);
	else
		comparison->n_rows++;
	return err;
}

void ssdpm__comparison_skip_costs(struct ssdpm_comparison *comparison)
{
	comparison->skips_costs = true;
}

void ssdpm__comparison_want_likely(struct ssdpm_comparison *comparison)
{
	struct comparison_row *rows = comparison->rows;

	rows[rows[comparison->n_rows - 1].same_as].wants_likely = true;
}

int ssdpm_comparison_feed(struct ssdpm_comparison *comparison,
			  const struct ssdpm_io *ios, size_t n,
			  struct ssdpm_error *reterr)
{
	int err = 0;

	comparison->begun = true;
	for (size_t i = 0; i < comparison->n_rows && !err; i++)
		if (comparison->rows[i].sim)
			err = ssdpm_sim_feed(comparison->rows[i].sim, ios, n,
					     reterr);
	return err;
}

/* Against row 0. */
static int find_saving(const struct ssdpm_comparison *comparison,
		       struct comparison_row *row, struct ssdpm_error *reterr)
{
	const struct ssdpm_sim *from = comparison->rows[0].sim;
	int err;

	if (is_refused(comparison, &row->resolved))
		return 0;
	err = ssdpm_sim_get_saving(from, row->sim, &row->saving, reterr);

	if (err || row->sim == from ||
	    !(comparison->params.flags & SSDPM_SIM_LIKELY) ||
	    (comparison->skips_costs && !row->wants_likely &&
	     row->saving.high_nj <= 0))
		return err;
	row->likely.size = sizeof(row->likely);
	return ssdpm_sim_get_likely(from, row->sim, &row->likely, reterr);
}

/* The row of what Linux does by default; n_rows: there is none. */
static int find_usual(const struct ssdpm_comparison *comparison,
		      size_t *ret_row, struct ssdpm_error *reterr)
{
	const struct ssdpm_device_settings *settings =
		comparison->has_settings ? &comparison->settings : NULL;
	struct ssdpm_policy usual = { .size = sizeof(usual) };
	struct ssdpm_resolved_policy resolved;
	size_t i = 0;
	int err = ssdpm_policy_get_reference(comparison->model, NULL, NULL,
					     &usual, reterr);

	if (!err)
		err = ssdpm_policy_resolve(comparison->model, &usual,
					   &comparison->params, settings,
					   &resolved, reterr);
	if (err)
		return err;
	while (i < comparison->n_rows &&
	       !is_same(comparison->model, &comparison->rows[i].resolved,
			&resolved))
		i++;
	*ret_row = i;
	return 0;
}

static int advise(struct ssdpm_comparison *comparison,
		  struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	size_t usual = comparison->n_rows;

	if (!(comparison->params.flags & SSDPM_SIM_LIKELY) ||
	    comparison->settings.left_alone)
		return 0;
	/* The rows are known already: what fails is none of them. */
	if (find_usual(comparison, &usual, &error) == -ENOMEM)
		return ssdpm__pass_on(-ENOMEM, &error, reterr);
	if (ssdpm__find_advised(comparison, comparison->n_rows, usual,
				&comparison->advised))
		return ssdpm__no_memory(reterr);
	return 0;
}

int ssdpm_comparison_finish(struct ssdpm_comparison *comparison,
			    uint64_t end_ns, struct ssdpm_error *reterr)
{
	struct comparison_row *rows = comparison->rows;
	struct ssdpm_sim **sims;
	size_t n = 0;
	int err;

	if (!comparison->n_rows)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "there is no policy to compare");
	sims = calloc(comparison->n_rows, sizeof(*sims));
	if (!sims)
		return ssdpm__no_memory(reterr);
	for (size_t i = 0; i < comparison->n_rows; i++)
		if (rows[i].sim)
			sims[n++] = rows[i].sim;
	err = ssdpm_sim_finish_together(sims, n, end_ns, reterr);
	free(sims);
	for (size_t i = 0; i < comparison->n_rows && !err; i++)
		if (rows[i].sim)
			err = find_saving(comparison, &rows[i], reterr);
	comparison->begun = true;
	if (err)
		return err;
	comparison->finished = true;
	err = advise(comparison, reterr);
	comparison->finished = !err;
	return err;
}

int ssdpm_comparison_get_row(const struct ssdpm_comparison *comparison,
			     size_t index,
			     struct ssdpm_compared_policy *ret_row)
{
	struct ssdpm_compared_policy found = { .size = sizeof(found) };
	const struct comparison_row *row;
	int err = ssdpm__sized_check(ret_row, sizeof(found),
				     "ssdpm_compared_policy", NULL);

	if (err)
		return err;
	if (index >= comparison->n_rows)
		return -ENOENT;
	found.name = comparison->rows[index].name;
	found.resolved = comparison->rows[index].resolved;
	found.same_as = comparison->rows[index].same_as;
	row = &comparison->rows[found.same_as];
	found.sim = row->sim;
	found.refused = is_refused(comparison, &row->resolved);
	if (comparison->finished) {
		found.result = ssdpm_sim_get_result(row->sim);
		found.saving = row->saving;
		found.likely = row->likely.size ? &row->likely : NULL;
		found.advised = index && index == comparison->advised;
	}
	ssdpm__sized_out(ret_row, &found, sizeof(found));
	return 0;
}

struct ssdpm_comparison *ssdpm_comparison_free(
	struct ssdpm_comparison *comparison)
{
	if (!comparison)
		return NULL;
	for (size_t i = 0; i < comparison->n_rows; i++) {
		ssdpm_sim_free(comparison->rows[i].sim);
		free(comparison->rows[i].name);
	}
	free(comparison->rows);
	free(comparison->parameters);
	ssdpm_model_unref(comparison->model);
	free(comparison);
	return NULL;
}
