/* SPDX-License-Identifier: MIT */
/* The lines of texts in INI form, as people write them. */
#ifndef SSDPM_LIB_BASE_INI_H
#define SSDPM_LIB_BASE_INI_H

#include "base/text.h"

/* Nothing, or a comment. */
bool ssdpm__ini_is_empty(struct span line);

/* "[NAME]". false: it has no ] at its end. The caller has seen the [. */
bool ssdpm__ini_take_head(struct span line, struct span *ret_name);

/* "key = value". false: it has no =. The value may be empty. */
bool ssdpm__ini_take_key(struct span line, struct span *ret_key,
			 struct span *ret_value);

#endif
