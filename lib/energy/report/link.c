/* SPDX-License-Identifier: MIT */
/* What a drive would save if its PCIe link went into a deeper state. */
#include "report/internal.h"

#include <stdlib.h>

#include "base/internal.h"
#include "likely/internal.h"

static bool is_of_link(const struct ssdpm_diagnosis *d)
{
	return (d->code == SSDPM_DIAGNOSIS_LINK_NO_ASPM ||
		d->code == SSDPM_DIAGNOSIS_LINK_NO_L1_2) &&
	       (d->remedy == SSDPM_REMEDY_LINK_FILE ||
		d->remedy == SSDPM_REMEDY_ASPM_POLICY ||
		d->remedy == SSDPM_REMEDY_ASPM_POLICY_OR_FIRMWARE);
}

/* A file of the link has one feature, and the policy all of them. */
static uint32_t link_after(const struct ssdpm_device_facts *facts,
			   const struct ssdpm_diagnosis *d)
{
	if (d->remedy == SSDPM_REMEDY_LINK_FILE &&
	    d->code == SSDPM_DIAGNOSIS_LINK_NO_ASPM)
		return SSDPM_PCIE_L1;
	return facts->pcie_capable & SSDPM_PCIE_FEATURE_L1_2 ? SSDPM_PCIE_L1_2 :
							       SSDPM_PCIE_L1;
}

int ssdpm__look_at_link(const struct report_task *task,
			struct energy_item *item, struct ssdpm_error *reterr)
{
	const struct ssdpm_diagnosis_params params = {
		.size = sizeof(params),
		.facts = &task->facts,
		.model = item->model,
	};
	struct ssdpm_diagnosis *found;
	size_t n;
	int err;

	if (ssdpm_model_get_info(item->model)->kind != SSDPM_KIND_NVME)
		return 0;
	err = ssdpm_device_diagnose(item->drive.device, &params, &found, &n,
				    reterr);
	if (err)
		return err;
	for (size_t i = 0; i < n && !item->link.finding; i++) {
		if (!is_of_link(&found[i]))
			continue;
		item->finding = found[i];
		item->link.finding = &item->finding;
		item->link.pcie_link = link_after(
			ssdpm_device_get_facts(item->drive.device), &found[i]);
	}
	free(found);
	return 0;
}

int ssdpm__find_link_saving(struct energy_item *item,
			    struct ssdpm_error *reterr)
{
	struct ssdpm_compared_policy row = { .size = sizeof(row) };

	if (!item->link.finding)
		return 0;
	item->link.pcie_link_today = item->settings.pcie_link;
	item->link.likely = &item->link_likely;
	ssdpm_comparison_get_row(
		item->comparison,
		item->advice == SSDPM_ADVICE_SET ? item->chosen : 0, &row);
	return ssdpm__find_likely_link(row.sim, item->link.pcie_link,
				       &item->link_likely, reterr);
}
