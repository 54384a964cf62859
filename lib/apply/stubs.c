/* SPDX-License-Identifier: MIT */
/* What is not written yet: gone before this lands. */
#include <ssdpm/apply.h>

#include <errno.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

int ssdpm_plan_new(struct ssdpm_machine *machine,
		   const struct ssdpm_plan_params *params,
		   struct ssdpm_plan **ret_plan, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

struct ssdpm_plan *ssdpm_plan_free(struct ssdpm_plan *plan)
{
	return NULL;
}

int ssdpm_plan_add_latency_tolerance(struct ssdpm_plan *plan,
				     struct ssdpm_device *device,
				     struct ssdpm_model *model,
				     uint64_t max_exit_latency_us,
				     struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_plan_add_nvme_core(struct ssdpm_plan *plan, uint32_t parameter,
			     uint64_t value, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_plan_add_apst(struct ssdpm_plan *plan, struct ssdpm_device *device,
			struct ssdpm_model *model,
			const struct ssdpm_apst *table,
			struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_plan_add_lpm(struct ssdpm_plan *plan, struct ssdpm_device *device,
		       struct ssdpm_model *model, const uint32_t *lpms,
		       size_t n, uint32_t flags, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_plan_add_profile(struct ssdpm_plan *plan, struct ssdpm_device *device,
			   struct ssdpm_model *model,
			   const struct ssdpm_profile_settings *settings,
			   struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_plan_add_revert(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

size_t ssdpm_plan_get_n_steps(const struct ssdpm_plan *plan)
{
	return 0;
}

int ssdpm_plan_get_step(const struct ssdpm_plan *plan, size_t index,
			struct ssdpm_step *ret_step)
{
	return -ENOSYS;
}

size_t ssdpm_plan_get_n_planned(const struct ssdpm_plan *plan)
{
	return 0;
}

size_t ssdpm_plan_get_n_tables(const struct ssdpm_plan *plan)
{
	return 0;
}

int ssdpm_plan_get_table(const struct ssdpm_plan *plan, size_t index,
			 struct ssdpm_planned_table *ret_table)
{
	return -ENOSYS;
}

int ssdpm_plan_commit(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_plan_verify(struct ssdpm_plan *plan, uint32_t flags,
		      struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_plan_revert(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_recover(struct ssdpm_machine *machine,
		  const struct ssdpm_plan_params *params, size_t *ret_n,
		  struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

const char *ssdpm_step_kind_to_string(uint32_t kind)
{
	return NULL;
}

const char *ssdpm_step_state_to_string(uint32_t state)
{
	return NULL;
}

const char *ssdpm_step_flag_to_string(uint32_t flag)
{
	return NULL;
}
