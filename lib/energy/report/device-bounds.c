/* SPDX-License-Identifier: MIT */
/* Whether a device is estimated, and what its machine lets it have. */
#include "report/internal.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/internal.h"
#include "common/linux-release.h"
#include "estimate/internal.h"
#include "recommend/alternatives.h"

/* Its settings are in the files, but what it does with them is unknown. */
static int check_live(const struct ssdpm_device_facts *facts,
		      struct ssdpm_error *reterr)
{
	if (facts->kind != SSDPM_KIND_NVME || !facts->state[0] ||
	    !strcmp(facts->state, "live"))
		return 0;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "the controller is %s, not live: what it saves is "
			   "unknown",
			   facts->state);
}

int ssdpm__check_place(const struct ssdpm_device_facts *facts,
		       struct ssdpm_error *reterr)
{
	if (!(facts->flags & SSDPM_DEVICE_FABRICS))
		return check_live(facts, reterr);
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "over a network (%s): its power is not of this "
			   "machine",
			   facts->transport[0] ? facts->transport :
						 "NVMe over Fabrics");
}

int ssdpm_device_check_estimable(const struct ssdpm_device *device,
				 const struct ssdpm_model *model,
				 struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	const bool rotates = model ? ssdpm_model_get_info(model)->rotational :
				     facts->flags & SSDPM_DEVICE_ROTATIONAL;

	return rotates ? ssdpm__refuse_hard_disk(reterr) :
			 ssdpm__check_place(facts, reterr);
}

int ssdpm__check_port(const struct ssdpm_device_facts *facts,
		      struct ssdpm_error *reterr)
{
	if (facts->kind != SSDPM_KIND_SATA ||
	    (!(facts->flags & SSDPM_DEVICE_SHARED_PORT) &&
	     facts->n_devices < 2))
		return 0;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "several devices share the port: its policy is "
			   "that of all");
}

int ssdpm__check_link(const struct ssdpm_device *device,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_device_settings settings = { .size = sizeof(settings) };
	int err = ssdpm__check_port(ssdpm_device_get_facts(device), reterr);

	if (!err)
		err = ssdpm_device_get_settings(device, NULL, NULL, &settings,
						reterr);
	if (!err && settings.refused)
		err = ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				  "its port takes no other link policy");
	return err;
}

const char *ssdpm__find_obstacle(const struct ssdpm_plan *plan,
				 const char *device)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++)
		if (step.state == SSDPM_STEP_LEFT_ALONE &&
		    !strcmp(step.device, device))
			return step.why;
	return NULL;
}

/* The plan knows why a port is left alone, too. */
static int check_port_in_plan(struct ssdpm_machine *machine,
			      struct ssdpm_device *device,
			      struct ssdpm_model *model,
			      struct ssdpm_error *reterr)
{
	uint32_t lpms[N_LINK_POLICIES];
	const struct ssdpm_lpm_params params = {
		.size = sizeof(params),
		.lpms = lpms,
		.n_lpms = ssdpm__link_policies(false, lpms),
	};
	const char *why = NULL;
	struct ssdpm_plan *plan;
	int err = ssdpm_plan_new(machine, NULL, &plan, reterr);

	if (err)
		return err;
	err = ssdpm_plan_add_lpm(plan, device, model, &params, reterr);
	if (!err)
		why = ssdpm__find_obstacle(
			plan, ssdpm_device_get_facts(device)->name);
	if (why)
		err = ssdpm__fail(reterr, -EOPNOTSUPP, 0, "%s", why);
	ssdpm_plan_free(plan);
	return err;
}

int ssdpm__bounds_set_drive(struct ssdpm_bounds *bounds,
			    const struct ssdpm_machine_facts *facts,
			    const struct ssdpm_device *device,
			    const struct ssdpm_model *model,
			    struct ssdpm_apst_params *ret_kernel,
			    struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params kernel = { .size = sizeof(kernel) };
	int err = ssdpm__sized_check(ret_kernel, sizeof(kernel),
				     "ssdpm_apst_params", reterr);

	if (!err)
		err = ssdpm_device_get_apst_params(device, facts, model,
						   &kernel, reterr);
	if (err)
		return err;
	ssdpm__sized_out(ret_kernel, &kernel, sizeof(kernel));
	bounds->kernel = ret_kernel;
	bounds->quirks = kernel.quirks;
	bounds->flags &=
		~(uint32_t)(SSDPM_BOUNDS_IN_FORCE | SSDPM_BOUNDS_NO_RAW_TABLE);
	/* With this quirk, Linux builds no table, and there is no limit. */
	if (!(kernel.quirks & SSDPM_QUIRK_NO_APST))
		bounds->flags |= SSDPM_BOUNDS_IN_FORCE;
	if (ssdpm__refuses_raw_table(facts->linux_release))
		bounds->flags |= SSDPM_BOUNDS_NO_RAW_TABLE;
	return 0;
}

int ssdpm_bounds_set_device(struct ssdpm_bounds *bounds,
			    struct ssdpm_machine *machine,
			    struct ssdpm_device *device,
			    struct ssdpm_model *model,
			    struct ssdpm_apst_params *ret_kernel,
			    struct ssdpm_error *reterr)
{
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	struct ssdpm_bounds result = { 0 };
	int err = ssdpm__sized_in(&result, sizeof(result), bounds,
				  "ssdpm_bounds", reterr);

	if (!err)
		err = ssdpm_device_check_estimable(device, model, reterr);
	if (err)
		return err;
	if (ssdpm_device_get_facts(device)->kind == SSDPM_KIND_SATA) {
		err = check_port_in_plan(machine, device, model, reterr);
		return err ? err : ssdpm__check_link(device, reterr);
	}
	err = ssdpm_machine_read_facts(machine, &facts, reterr);
	if (!err)
		err = ssdpm__bounds_set_drive(&result, &facts, device, model,
					      ret_kernel, reterr);
	if (!err)
		ssdpm__sized_out(bounds, &result, sizeof(result));
	return err;
}
