/* SPDX-License-Identifier: MIT */
/* zstd, in a build that did not find libzstd. */
#include "workload/unpack.h"

const struct unpack_codec ssdpm__unpack_zstd = {
	.missing = "the trace is packed with zstd, and this libssdpm was built "
		   "without libzstd: unpack it (zstd -d)",
};
