/* SPDX-License-Identifier: MIT */
/* Not there yet: each is replaced by its own file. */
#include <errno.h>

#include <ssdpm/estimate.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

int ssdpm_gaps_new(const struct ssdpm_service *service,
		   struct ssdpm_gaps **ret_gaps, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_gaps_feed(struct ssdpm_gaps *gaps, const struct ssdpm_io *ios,
		    size_t n, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_gaps_finish(struct ssdpm_gaps *gaps, uint64_t end_ns,
		      struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

struct ssdpm_gaps *ssdpm_gaps_ref(struct ssdpm_gaps *gaps)
{
	return 0;
}

struct ssdpm_gaps *ssdpm_gaps_unref(struct ssdpm_gaps *gaps)
{
	return 0;
}

const uint64_t *ssdpm_gaps_get_idle_ns(const struct ssdpm_gaps *gaps,
				       size_t *ret_n)
{
	return 0;
}

int ssdpm_gaps_sweep(const struct ssdpm_gaps *gaps,
		     const struct ssdpm_model *model,
		     const struct ssdpm_sim_params *params,
		     const struct ssdpm_apst *tables, size_t n_tables,
		     struct ssdpm_run *ret_runs, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_gaps_clairvoyant(const struct ssdpm_gaps *gaps,
			   const struct ssdpm_model *model,
			   const struct ssdpm_sim_params *params,
			   struct ssdpm_run *ret_run,
			   struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

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
