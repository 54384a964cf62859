/* SPDX-License-Identifier: MIT */
/* What is not written yet: gone before this lands. */
#include <ssdpm/device.h>

#include <errno.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

int ssdpm_machine_capture(struct ssdpm_machine *machine, const char *directory,
			  uint32_t flags, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}
