/* SPDX-License-Identifier: MIT */
/* zstd, in a build that did not find libzstd. */
#include "workload/unpack.h"

#include <errno.h>

#include "base/internal.h"

static int open_zstd(void **ret_state, struct ssdpm_error *reterr)
{
	(void)ret_state;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "the trace is packed with zstd, and this libssdpm "
			   "was built without libzstd: unpack it (zstd -d)");
}

const struct unpack_codec ssdpm__unpack_zstd = { .open = open_zstd };
