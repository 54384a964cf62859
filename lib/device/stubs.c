/* SPDX-License-Identifier: MIT */
/* What is not written yet: gone before this lands. */
#include <ssdpm/device.h>

#include <errno.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

int ssdpm_device_read_model(struct ssdpm_device *device, uint32_t flags,
			    const struct ssdpm_catalogue *catalogue,
			    struct ssdpm_model **ret_model,
			    struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_device_read_apst(struct ssdpm_device *device,
			   struct ssdpm_apst *ret_table,
			   struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_device_read_power_state(struct ssdpm_device *device,
				  uint32_t *ret_state,
				  struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_device_read_devsleep(struct ssdpm_device *device,
			       struct ssdpm_devsleep *ret_devsleep,
			       struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_device_diagnose(const struct ssdpm_device *device,
			  const struct ssdpm_machine_facts *facts,
			  const struct ssdpm_model *model,
			  const struct ssdpm_apst *table,
			  struct ssdpm_diagnosis **ret_diagnoses, size_t *ret_n,
			  struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_machine_read_owners(struct ssdpm_machine *machine,
			      struct ssdpm_owner **ret_owners, size_t *ret_n,
			      struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_machine_read_meters(struct ssdpm_machine *machine,
			      struct ssdpm_meter **ret_meters, size_t *ret_n,
			      struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_machine_capture(struct ssdpm_machine *machine, const char *directory,
			  uint32_t flags, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}
