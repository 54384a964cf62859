/* SPDX-License-Identifier: MIT */
/* gzip, in a build that did not find zlib. */
#include "workload/unpack.h"

const struct unpack_codec ssdpm__unpack_gzip = {
	.missing = "the trace is packed with gzip, and this libssdpm was built "
		   "without zlib: unpack it (gzip -d)",
};
