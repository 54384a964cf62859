/* SPDX-License-Identifier: MIT */
/* Drives that are alike share one simulation. */
#include "report/internal.h"

#include <string.h>

static bool is_same_drive(const struct ssdpm_model *a,
			  const struct ssdpm_model *b)
{
	size_t n_a, n_b;
	const struct ssdpm_power_state *of_a = ssdpm_model_get_states(a, &n_a);
	const struct ssdpm_power_state *of_b = ssdpm_model_get_states(b, &n_b);

	return !memcmp(ssdpm_model_get_info(a), ssdpm_model_get_info(b),
		       sizeof(struct ssdpm_model_info)) &&
	       n_a == n_b && !memcmp(of_a, of_b, n_a * sizeof(*of_a));
}

/* The catalogue may know more of a drive than its states. */
static bool has_same_values(const struct energy_item *a,
			    const struct energy_item *b)
{
	const uint32_t link = a->settings.pcie_link;
	struct ssdpm_parameter of_a[SSDPM_MAX_PARAMETERS] = { 0 };
	struct ssdpm_parameter of_b[SSDPM_MAX_PARAMETERS] = { 0 };
	size_t n_a, n_b;

	return !ssdpm_parameters_from_model(a->model, link, of_a,
					    SSDPM_MAX_PARAMETERS, &n_a, NULL) &&
	       !ssdpm_parameters_from_model(b->model, link, of_b,
					    SSDPM_MAX_PARAMETERS, &n_b, NULL) &&
	       n_a == n_b && !memcmp(of_a, of_b, sizeof(of_a));
}

/* The rows are compared by what they do, and in their order. */
static bool has_same_rows(const struct energy_item *a,
			  const struct energy_item *b)
{
	struct ssdpm_compared_policy of_a = { .size = sizeof(of_a) };
	struct ssdpm_compared_policy of_b = { .size = sizeof(of_b) };
	size_t i = 0;
	int err_a, err_b;

	do {
		err_a = ssdpm_comparison_get_row(a->comparison, i, &of_a);
		err_b = ssdpm_comparison_get_row(b->comparison, i++, &of_b);
		if (err_a || err_b)
			return err_a && err_b;
	} while (!strcmp(of_a.name, of_b.name) &&
		 of_a.same_as == of_b.same_as &&
		 ssdpm_resolved_policy_is_same(&of_a.resolved, &of_b.resolved));
	return false;
}

/* What a drive saves on other routes depends on the kernel's parameters. */
static bool has_same_kernel(const struct report_task *task,
			    const struct energy_item *a,
			    const struct energy_item *b)
{
	struct ssdpm_apst_params of_a = { .size = sizeof(of_a) };
	struct ssdpm_apst_params of_b = { .size = sizeof(of_b) };

	if (ssdpm_model_get_info(a->model)->kind != SSDPM_KIND_NVME)
		return true;
	return !ssdpm_device_get_apst_params(a->drive.device, &task->facts,
					     a->model, &of_a, NULL) &&
	       !ssdpm_device_get_apst_params(b->drive.device, &task->facts,
					     b->model, &of_b, NULL) &&
	       !memcmp(&of_a, &of_b, sizeof(of_a));
}

bool ssdpm__is_alike(const struct report_task *task,
		     const struct energy_item *a, const struct energy_item *b)
{
	return a->comparison && b->comparison &&
	       is_same_drive(a->model, b->model) &&
	       !memcmp(&a->settings, &b->settings, sizeof(a->settings)) &&
	       has_same_rows(a, b) && has_same_values(a, b) &&
	       has_same_kernel(task, a, b);
}
