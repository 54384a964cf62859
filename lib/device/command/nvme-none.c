/* SPDX-License-Identifier: MIT */
/* NVMe commands, in a build that did not find libnvme. */
#include "device/internal.h"

#include <errno.h>

static int fail(const char *name, struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "%s: this libssdpm was built without libnvme, and "
			   "sends no command to NVMe drives",
			   name);
}

int ssdpm__nvme_identify(const struct ssdpm_machine *machine, const char *name,
			 uint8_t data[SSDPM_NVME_IDENTIFY_BYTES],
			 struct ssdpm_error *reterr)
{
	(void)machine;
	(void)data;
	return fail(name, reterr);
}

int ssdpm__nvme_get_feature(const struct ssdpm_machine *machine,
			    const char *name, uint8_t fid, void *data,
			    size_t size, uint32_t *ret_dword,
			    struct ssdpm_error *reterr)
{
	(void)machine;
	(void)fid;
	(void)data;
	(void)size;
	(void)ret_dword;
	return fail(name, reterr);
}

int ssdpm_machine_read_nvme_health(const struct ssdpm_machine *machine,
				   const char *name,
				   uint8_t ret_data[SSDPM_NVME_HEALTH_BYTES],
				   struct ssdpm_error *reterr)
{
	(void)machine;
	(void)ret_data;
	return fail(name, reterr);
}

int ssdpm__nvme_set_apst(const struct ssdpm_machine *machine, const char *name,
			 const uint8_t data[SSDPM_APST_BYTES], bool enable,
			 struct ssdpm_error *reterr)
{
	(void)machine;
	(void)data;
	(void)enable;
	return fail(name, reterr);
}

int ssdpm__nvme_set_feature(const struct ssdpm_machine *machine,
			    const char *name, uint8_t fid, uint32_t dword,
			    struct ssdpm_error *reterr)
{
	(void)machine;
	(void)fid;
	(void)dword;
	return fail(name, reterr);
}
