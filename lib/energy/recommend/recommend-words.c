/* SPDX-License-Identifier: MIT */
#include <ssdpm/energy/recommend.h>

const char *ssdpm_advice_to_string(uint32_t advice)
{
	switch (advice) {
	case SSDPM_ADVICE_SET:
		return "set";
	case SSDPM_ADVICE_KEEP:
		return "keep";
	case SSDPM_ADVICE_COSTS:
		return "costs";
	case SSDPM_ADVICE_NONE:
		return "none";
	default:
		return NULL;
	}
}

const char *ssdpm_route_to_string(uint32_t route)
{
	switch (route) {
	case SSDPM_ROUTE_LATENCY_LIMIT:
		return "latency-limit";
	case SSDPM_ROUTE_NVME_CORE:
		return "nvme-core";
	case SSDPM_ROUTE_RAW_TABLE:
		return "raw-table";
	default:
		return NULL;
	}
}
