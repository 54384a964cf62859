/* SPDX-License-Identifier: MIT */
/* gzip, in a build that did not find zlib. */
#include "workload/unpack.h"

#include <errno.h>

#include "base/internal.h"

static int open_gzip(void **ret_state, struct ssdpm_error *reterr)
{
	(void)ret_state;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "the trace is packed with gzip, and this libssdpm "
			   "was built without zlib: unpack it (gzip -d)");
}

const struct unpack_codec ssdpm__unpack_gzip = { .open = open_gzip };
