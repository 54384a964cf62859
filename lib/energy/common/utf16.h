/* SPDX-License-Identifier: MIT */
#ifndef SSDPM_LIB_COMMON_UTF16_H
#define SSDPM_LIB_COMMON_UTF16_H

#include "common/input.h"

/*
 * Take a source and give one that owns it; text in UTF-16 comes out in UTF-8
 * and without its byte order mark, anything else as it is.
 */
int ssdpm__source_from_utf16(struct source *source, struct source **ret_source,
			     struct ssdpm_error *reterr);

#endif
