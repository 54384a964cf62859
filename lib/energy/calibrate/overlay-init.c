/* SPDX-License-Identifier: MIT */
/* Names the drive, the simulation and the files of a calibration. */
#include "calibrate/overlay.h"

#include <stdio.h>
#include <string.h>

/* Copies as much as fits, and cuts no character in two. */
static void take_text(char *to, size_t size, const char *from)
{
	size_t n = (size_t)snprintf(to, size, "%s", from ? from : "");

	if (n >= size) {
		for (n = size - 1; n && (from[n] & 0xc0) == 0x80; n--)
			;
		to[n] = 0;
	}
	ssdpm_text_blunt(to);
}

/* The name without folders, which might reveal too much. */
static const char *name_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path;
}

static void take_names(struct ssdpm_overlay *overlay,
		       const struct ssdpm_overlay_names *names)
{
	overlay->measured_wa_milli = names->measured_wa_milli;
	take_text(overlay->policy, sizeof(overlay->policy), names->policy);
	take_text(overlay->power_name, sizeof(overlay->power_name),
		  name_of(names->power_path));
	take_text(overlay->trace_name, sizeof(overlay->trace_name),
		  name_of(names->trace_path));
	take_text(overlay->date, sizeof(overlay->date), names->date);
}

static void take_drive(struct ssdpm_overlay *overlay,
		       const struct ssdpm_model_info *info,
		       const struct ssdpm_sim_params *sim_params)
{
	overlay->kind = info->kind;
	if (info->kind == SSDPM_KIND_NVME)
		overlay->pcie_link = sim_params->pcie_link;
	else
		overlay->lpm = sim_params->lpm;
	overlay->operational_state = sim_params->operational_state;
	overlay->flags = sim_params->flags;
	take_text(overlay->product, sizeof(overlay->product), info->product);
	take_text(overlay->firmware, sizeof(overlay->firmware), info->firmware);
}

static void take_run(struct ssdpm_overlay *overlay,
		     const struct ssdpm_calibrate_params *params)
{
	overlay->n_samples = params->samples ? params->samples->n : 0;
	for (size_t i = 0; i < params->n_ios; i++)
		overlay->n_ios += !(params->ios[i].flags & SSDPM_IO_CONTINUED);
}

int ssdpm_overlay_init(const struct ssdpm_model *model,
		       const struct ssdpm_sim_params *sim_params,
		       const struct ssdpm_calibrate_params *params,
		       const struct ssdpm_overlay_names *names,
		       struct ssdpm_overlay *ret_overlay,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_overlay_names known = { .size = sizeof(known) };
	struct ssdpm_calibrate_params run = { .size = sizeof(run) };
	struct ssdpm_overlay overlay = { .size = sizeof(overlay) };
	struct ssdpm_sim_params sim;
	int err = ssdpm__sized_check(ret_overlay, sizeof(overlay),
				     "ssdpm_overlay", reterr);

	if (!err)
		err = ssdpm_sim_params_init(&sim, sizeof(sim));
	if (!err)
		err = ssdpm__sized_in(&sim, sizeof(sim), sim_params,
				      "ssdpm_sim_params", reterr);
	if (!err)
		err = ssdpm__sized_in(&run, sizeof(run), params,
				      "ssdpm_calibrate_params", reterr);
	if (!err)
		err = ssdpm__sized_in(&known, sizeof(known), names,
				      "ssdpm_overlay_names", reterr);
	if (!err)
		err = ssdpm__check_reserved(known.reserved,
					    "ssdpm_overlay_names", reterr);
	if (err)
		return err;
	take_run(&overlay, &run);
	take_drive(&overlay, ssdpm_model_get_info(model), &sim);
	take_names(&overlay, &known);
	ssdpm__sized_out(ret_overlay, &overlay, sizeof(overlay));
	return 0;
}
