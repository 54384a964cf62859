/* SPDX-License-Identifier: MIT */
/* What is not written yet: gone before this lands. */
#include <ssdpm/apply.h>

#include <errno.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
