/* SPDX-License-Identifier: MIT */
/* What is not written yet: gone before this lands. */
#include <ssdpm/device.h>

#include <errno.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

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
