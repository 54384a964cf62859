/* SPDX-License-Identifier: MIT */
/* What is not written yet: gone before this lands. */
#include <ssdpm/apply.h>

#include <errno.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

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

int ssdpm_plan_revert(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}
