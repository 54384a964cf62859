/* SPDX-License-Identifier: MIT */
/* Not there yet: each is replaced by its own file. */
#include <errno.h>

#include <ssdpm/estimate.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

int ssdpm_gaps_best_table(const struct ssdpm_gaps *gaps,
			  const struct ssdpm_model *model,
			  const struct ssdpm_sim_params *params,
			  const struct ssdpm_bounds *bounds,
			  struct ssdpm_apst *ret_table,
			  struct ssdpm_run *ret_run,
			  uint64_t *ret_energy_bound_nj,
			  struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_recommend(
	const struct ssdpm_gaps *gaps, const struct ssdpm_model *model,
	const struct ssdpm_sim_params *params,
	const struct ssdpm_bounds *bounds, const struct ssdpm_apst *from,
	struct ssdpm_recommendation ret_recommendations[SSDPM_N_ROUTES],
	struct ssdpm_error *reterr)
{
	return -ENOSYS;
}
