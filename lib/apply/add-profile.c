/* SPDX-License-Identifier: MIT */
/* The settings of a profile, as steps. */
#include "apply/internal.h"
#include "policy/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Reasons, and no failures, where a profile cannot be applied. */
static bool is_reason(int err)
{
	return err == -EOPNOTSUPP || err == -ENODEV || err == -EPERM;
}

int ssdpm__plan_settle(struct ssdpm_plan *plan, uint32_t kind, const char *path,
		       const char *device, const struct ssdpm_error *error,
		       struct ssdpm_error *reterr)
{
	if (is_reason(error->code))
		return ssdpm__plan_leave_alone(plan, kind, path, device,
					       error->message, reterr);
	return ssdpm__pass_on(error->code, error, reterr);
}

static int add_parameter(struct ssdpm_plan *plan,
			 const struct ssdpm_profile_settings *settings,
			 uint32_t parameter, struct ssdpm_error *reterr)
{
	char path[SSDPM__TARGET_BYTES];
	struct ssdpm_error error = { 0 };
	uint32_t key;

	ssdpm__parameter_path(parameter, path);
	key = ssdpm__profile_of_parameter(path);
	if (!(settings->set >> key & 1))
		return 0;
	ssdpm_plan_add_nvme_core(plan, parameter,
				 ssdpm__profile_value(settings, (int)key),
				 &error);
	return ssdpm__plan_settle(plan, SSDPM_STEP_NVME_CORE, path, "all",
				  &error, reterr);
}

static int add_tolerance(struct ssdpm_plan *plan, struct ssdpm_device *device,
			 struct ssdpm_model *model,
			 const struct ssdpm_profile_settings *settings,
			 struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	char path[SSDPM__TARGET_BYTES];
	struct ssdpm_error error = { 0 };

	ssdpm_plan_add_latency_tolerance(plan, device, model,
					 settings->max_exit_latency_us, &error);
	return ssdpm__plan_settle(
		plan, SSDPM_STEP_LATENCY_TOLERANCE,
		ssdpm__tolerance_path(facts, path) ? path : facts->name,
		facts->name, &error, reterr);
}

static int add_nvme(struct ssdpm_plan *plan, struct ssdpm_device *device,
		    struct ssdpm_model *model,
		    const struct ssdpm_profile_settings *settings,
		    struct ssdpm_error *reterr)
{
	int err = 0;

	if (settings->set & SSDPM_PROFILE_MAX_EXIT_LATENCY)
		err = add_tolerance(plan, device, model, settings, reterr);
	for (uint32_t i = SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS;
	     !err && i <= SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US; i++)
		err = add_parameter(plan, settings, i, reterr);
	/* Without a tolerance its table is predicted all the same. */
	if (!err && ssdpm_device_get_facts(device)->reach == SSDPM_REACH_YES)
		err = ssdpm__plan_add_drive(plan, device, model, reterr);
	return err;
}

/* One disk that must not be is enough for its port. */
static int add_lpm(struct ssdpm_plan *plan, struct ssdpm_device *device,
		   struct ssdpm_model *model,
		   const struct ssdpm_profile_settings *settings,
		   uint32_t flags, struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	char path[SSDPM__TARGET_BYTES], name[32];
	const struct step *old = NULL;
	const struct ssdpm_lpm_params params = {
		.size = sizeof(params),
		.lpms = settings->lpms,
		.n_lpms = settings->n_lpms,
		.flags = flags,
	};
	struct ssdpm_error error = { 0 };

	if (facts->known & SSDPM_FACT_LPM &&
	    !ssdpm__lpm_path(facts, path, NULL))
		old = ssdpm__plan_find(plan, SSDPM_STEP_LPM, path);
	else
		snprintf(path, sizeof(path), "%s", facts->path + 1);
	if (old && old->state == SSDPM_STEP_LEFT_ALONE)
		return 0;
	ssdpm_plan_add_lpm(plan, device, model, &params, &error);
	ssdpm__port_name(facts, name);
	return ssdpm__plan_settle(plan, SSDPM_STEP_LPM, path, name, &error,
				  reterr);
}

/* Nothing is known of it but what stands before it. */
static int leave_alone(struct ssdpm_plan *plan,
		       const struct ssdpm_device_facts *facts,
		       struct ssdpm_error *reterr)
{
	const bool nvme = facts->kind == SSDPM_KIND_NVME ||
			  facts->reach == SSDPM_REACH_REMAPPED ||
			  facts->reach == SSDPM_REACH_VMD;
	const char *reach = ssdpm_reach_to_string(facts->reach);
	char why[96];

	snprintf(why, sizeof(why), "out of reach: %s", reach ? reach : "");
	return ssdpm__plan_leave_alone(
		plan, nvme ? SSDPM_STEP_LATENCY_TOLERANCE : SSDPM_STEP_LPM,
		facts->path[0] == '/' ? facts->path + 1 : facts->name,
		facts->name, why, reterr);
}

static int find_default(const struct ssdpm_plan *plan,
			struct ssdpm_profile_settings *ret,
			struct ssdpm_error *reterr)
{
	const uint32_t source = plan->facts.power_source;

	ret->size = sizeof(*ret);
	return ssdpm_profile_find(NULL, 0, "auto",
				  source ? source : SSDPM_SOURCE_AC, ret,
				  reterr);
}

int ssdpm__plan_add_settings(struct ssdpm_plan *plan,
			     struct ssdpm_device *device,
			     struct ssdpm_model *model,
			     const struct ssdpm_profile_settings *settings,
			     uint32_t lpm_flags, struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);

	if (facts->reach != SSDPM_REACH_YES)
		return leave_alone(plan, facts, reterr);
	if (facts->kind == SSDPM_KIND_NVME)
		return add_nvme(plan, device, model, settings, reterr);
	if (settings->set & SSDPM_PROFILE_LPM)
		return add_lpm(plan, device, model, settings, lpm_flags,
			       reterr);
	return 0;
}

int ssdpm__known_model(struct ssdpm_device *device,
		       const struct ssdpm_catalogue *catalogue,
		       struct ssdpm_model **ret_model,
		       struct ssdpm_error *reterr)
{
	int err =
		ssdpm_device_read_model(device, 0, catalogue, ret_model, NULL);

	return err == -ENOMEM ? ssdpm__no_memory(reterr) : 0;
}

static int add_known(struct ssdpm_plan *plan, struct ssdpm_device *device,
		     const struct ssdpm_catalogue *catalogue,
		     ssdpm__add_device_fn add, const void *asked,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_model *model = NULL;
	int err = ssdpm__known_model(device, catalogue, &model, reterr);

	if (!err)
		err = add(plan, device, model, asked, reterr);
	ssdpm_model_unref(model);
	return err;
}

int ssdpm__add_each(struct ssdpm_plan *plan, struct ssdpm_device *device,
		    struct ssdpm_model *model, ssdpm__add_device_fn add,
		    const void *asked, struct ssdpm_error *reterr)
{
	struct ssdpm_catalogue *catalogue = NULL;
	struct ssdpm_device **devices;
	size_t n = 0;
	int err;

	if (device)
		return add(plan, device, model, asked, reterr);
	if (model)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a model of no device: all devices have "
				   "their own");
	err = ssdpm_device_list_read(plan->machine, &devices, &n, reterr);
	if (err)
		return err;
	err = ssdpm_catalogue_new(NULL, 0, &catalogue, reterr);
	for (size_t i = 0; !err && i < n; i++)
		err = add_known(plan, devices[i], catalogue, add, asked,
				reterr);
	ssdpm_device_list_free(devices, n);
	ssdpm_catalogue_free(catalogue);
	return err;
}

static int add_profile(struct ssdpm_plan *plan, struct ssdpm_device *device,
		       struct ssdpm_model *model, const void *settings,
		       struct ssdpm_error *reterr)
{
	return ssdpm__plan_add_settings(plan, device, model, settings, 0,
					reterr);
}

int ssdpm_plan_add_profile(struct ssdpm_plan *plan, struct ssdpm_device *device,
			   struct ssdpm_model *model,
			   const struct ssdpm_profile_settings *settings,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_profile_settings s = { 0 };
	int err;

	err = ssdpm__plan_check_open(plan, reterr);
	if (!err && settings)
		err = ssdpm__sized_in(&s, sizeof(s), settings,
				      "ssdpm_profile_settings", reterr);
	else if (!err)
		err = find_default(plan, &s, reterr);
	return err ? err :
		     ssdpm__add_each(plan, device, model, add_profile, &s,
				     reterr);
}
