/* SPDX-License-Identifier: MIT */
#include "base/words.h"

#include <ssdpm/energy/recommend.h>

static const char advice_words[][6] = {
	[SSDPM_ADVICE_SET] = "set",
	[SSDPM_ADVICE_KEEP] = "keep",
	[SSDPM_ADVICE_COSTS] = "costs",
	[SSDPM_ADVICE_NONE] = "none",
};
ENUM_WORDS(advice)

static const char route_words[][14] = {
	[SSDPM_ROUTE_LATENCY_LIMIT] = "latency-limit",
	[SSDPM_ROUTE_NVME_CORE] = "nvme-core",
	[SSDPM_ROUTE_RAW_TABLE] = "raw-table",
};
ENUM_WORDS(route)
