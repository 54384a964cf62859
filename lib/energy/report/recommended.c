/* SPDX-License-Identifier: MIT */
/* What to write for a recommendation. */
#include <ssdpm/energy/report.h>

/* Linux keeps its defaults where the route leaves them alone. */
static void take_params(const struct ssdpm_recommendation *r,
			struct ssdpm_apst_params *ret_params)
{
	ssdpm_apst_params_init(ret_params, sizeof(*ret_params));
	ret_params->max_exit_latency_us = r->limit_us;
	if (r->route != SSDPM_ROUTE_NVME_CORE)
		return;
	ret_params->primary_timeout_ms = r->primary_timeout_ms;
	ret_params->primary_latency_tolerance_us =
		r->primary_latency_tolerance_us;
	ret_params->secondary_timeout_ms = r->secondary_timeout_ms;
	ret_params->secondary_latency_tolerance_us =
		r->secondary_latency_tolerance_us;
}

int ssdpm_recommendation_get_changes(
	const struct ssdpm_recommendation *recommendation,
	const struct ssdpm_device *device,
	const struct ssdpm_machine_facts *facts,
	struct ssdpm_change **ret_changes, size_t *ret_n,
	struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params params;

	if (!recommendation->possible ||
	    recommendation->route == SSDPM_ROUTE_RAW_TABLE) {
		*ret_changes = NULL;
		*ret_n = 0;
		return 0;
	}
	take_params(recommendation, &params);
	return ssdpm_device_get_apst_changes(device, facts, &params,
					     ret_changes, ret_n, reterr);
}
