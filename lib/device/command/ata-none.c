/* SPDX-License-Identifier: MIT */
/* IDENTIFY DEVICE by libatasmart, in a build that did not find it. */
#include "device/internal.h"

#include <errno.h>

int ssdpm__atasmart_identify(const struct ssdpm_machine *machine,
			     const char *name, uint8_t data[512],
			     struct ssdpm_error *reterr)
{
	(void)machine;
	(void)data;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "%s takes no command through SG_IO, and this "
			   "libssdpm was built without libatasmart",
			   name);
}
