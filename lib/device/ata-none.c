/* SPDX-License-Identifier: MIT */
/* IDENTIFY DEVICE, in a build that did not find libatasmart. */
#include "device/internal.h"

#include <errno.h>

int ssdpm__ata_identify(const struct ssdpm_machine *machine, const char *name,
			uint8_t data[512], struct ssdpm_error *reterr)
{
	(void)machine;
	(void)data;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "%s: this libssdpm was built without libatasmart, "
			   "and sends no IDENTIFY DEVICE",
			   name);
}
