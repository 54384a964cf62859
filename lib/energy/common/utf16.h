/* SPDX-License-Identifier: MIT */
#ifndef SSDPM_LIB_COMMON_UTF16_H
#define SSDPM_LIB_COMMON_UTF16_H

#include "common/input.h"

/*
 * Returns a source that owns this one. It turns UTF-16 into UTF-8 without its
 * byte order mark, and leaves other bytes alone.
 */
int ssdpm__source_from_utf16(struct source *source, struct source **ret_source,
			     struct ssdpm_error *reterr);

#endif
