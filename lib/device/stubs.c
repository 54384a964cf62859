/* SPDX-License-Identifier: MIT */
/* What is not written yet: gone before this lands. */
#include "device/internal.h"

#include <errno.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

void ssdpm__log(const struct ssdpm_machine *machine, uint32_t level,
		const char *format, ...)
{
}

int ssdpm_machine_new(const struct ssdpm_machine_params *params,
		      struct ssdpm_machine **ret_machine,
		      struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

struct ssdpm_machine *ssdpm_machine_ref(struct ssdpm_machine *machine)
{
	return NULL;
}

struct ssdpm_machine *ssdpm_machine_unref(struct ssdpm_machine *machine)
{
	return NULL;
}

int ssdpm_machine_read_facts(struct ssdpm_machine *machine,
			     struct ssdpm_machine_facts *ret_facts,
			     struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_device_list_read(struct ssdpm_machine *machine,
			   struct ssdpm_device ***ret_devices, size_t *ret_n,
			   struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

struct ssdpm_device **ssdpm_device_list_free(struct ssdpm_device **devices,
					     size_t n)
{
	return NULL;
}

int ssdpm_device_read(struct ssdpm_machine *machine, const char *name,
		      struct ssdpm_device **ret_device,
		      struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

struct ssdpm_device *ssdpm_device_ref(struct ssdpm_device *device)
{
	return NULL;
}

struct ssdpm_device *ssdpm_device_unref(struct ssdpm_device *device)
{
	return NULL;
}

const struct ssdpm_device_facts *ssdpm_device_get_facts(
	const struct ssdpm_device *device)
{
	return NULL;
}

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

void ssdpm_device_get_host(const struct ssdpm_device *device,
			   const struct ssdpm_machine_facts *facts,
			   struct ssdpm_host *ret_host)
{
}

int ssdpm_device_get_quirks(const struct ssdpm_device *device,
			    const struct ssdpm_machine_facts *facts,
			    const struct ssdpm_model *model,
			    uint32_t *ret_quirks, uint32_t *ret_from_kernel,
			    struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_device_get_apst_params(const struct ssdpm_device *device,
				 const struct ssdpm_machine_facts *facts,
				 const struct ssdpm_model *model,
				 struct ssdpm_apst_params *ret_params,
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

const char *ssdpm_reach_to_string(uint32_t reach)
{
	return NULL;
}

const char *ssdpm_device_flag_to_string(uint32_t flag)
{
	return NULL;
}

const char *ssdpm_pcie_feature_to_string(uint32_t feature)
{
	return NULL;
}

const char *ssdpm_suspend_to_string(uint32_t suspend)
{
	return NULL;
}

const char *ssdpm_aspm_policy_to_string(uint32_t policy)
{
	return NULL;
}

const char *ssdpm_nvme_core_to_string(uint32_t parameter)
{
	return NULL;
}

const char *ssdpm_severity_to_string(uint32_t severity)
{
	return NULL;
}

const char *ssdpm_diagnosis_code_to_string(uint32_t code)
{
	return NULL;
}

const char *ssdpm_owner_kind_to_string(uint32_t kind)
{
	return NULL;
}

const char *ssdpm_meter_kind_to_string(uint32_t kind)
{
	return NULL;
}
