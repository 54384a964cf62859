/* SPDX-License-Identifier: MIT */
/* What is not written yet: gone before this lands. */
#include <ssdpm/device.h>

#include <errno.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
