/* SPDX-License-Identifier: MIT */
/* Which drives are watched, and what is known of each. */
#include "input/live.h"
#include "watch/watch.h"

#include <stdlib.h>
#include <string.h>

/* "259,0" of a recording. */
static bool parse_device(const char *text, uint32_t *ret_major,
			 uint32_t *ret_minor)
{
	char first[11], second[11], end;

	if (sscanf(text, "%10[0-9],%10[0-9]%c", first, second, &end) != 2)
		return false;
	const unsigned long long major = strtoull(first, NULL, 10),
				 minor = strtoull(second, NULL, 10);

	*ret_major = (uint32_t)major;
	*ret_minor = (uint32_t)minor;
	return major <= UINT32_MAX && minor <= UINT32_MAX;
}

static enum exit_status choose_policy(const struct watch *watch,
				      const struct subject *subject,
				      struct ssdpm_sim_params *params,
				      struct ssdpm_resolved_policy *resolved)
{
	struct ssdpm_device_settings settings =
		settings_with_quirks(subject->drive, &subject->quirks);
	const struct named_policy *named = &watch->options->named;
	struct ssdpm_apst_params apst;
	struct ssdpm_policy what;
	struct policy policy;
	struct ssdpm_error error;
	enum exit_status status = STATUS_DONE;

	ssdpm_apst_params_init(&apst, sizeof(apst));
	if (named->option)
		status = parse_policy(watch->common, named->option, named->name,
				      &apst, &policy);
	if (!status && named->option &&
	    !policy_fits(&policy, subject->drive, true))
		status = STATUS_DEVICE_CANNOT;
	if (!status && watch->change_settings)
		status = watch->change_settings(watch, subject->drive,
						&settings);
	if (status)
		return status;
	if (named->option)
		what = policy_with_quirks(&policy, &subject->quirks);
	if (ssdpm_sim_params_set_policy(params, subject->drive->model,
					named->option ? &what : NULL, &settings,
					resolved, &error))
		return complain_of_device(subject->drive->name, &error);
	return STATUS_DONE;
}

/* With the numbers that the options say. */
static enum exit_status add_recorded(const struct watch *watch,
				     const struct drive *drive,
				     struct ssdpm_observed_params *params)
{
	struct ssdpm_error error;

	if (!parse_device(watch->options->device, &params->major,
			  &params->minor))
		return usage_error(watch->common,
				   "--device: \"%s\" is no device number: a "
				   "recording writes it as in 259,0",
				   watch->options->device);
	if (ssdpm_observation_add_drive(watch->observation, params, &error))
		return complain_of_device(drive->name, &error);
	return STATUS_DONE;
}

static enum exit_status add_live(struct watch *watch, const struct drive *drive,
				 const struct ssdpm_observed_params *params)
{
	struct watched *watched = &watch->watched[watch->n];
	struct ssdpm_error error;

	if (!watch->live &&
	    ssdpm_watch_new(drive->live->machine, watch->observation,
			    &watch->live, &error))
		return out_of_memory();
	if (ssdpm_watch_add_drive(watch->live, drive->device, params, &error))
		return complain_of_device(drive->name, &error);
	watched->disks =
		ssdpm_watch_get_disks(watch->live, watch->n, &watched->n_disks);
	return STATUS_DONE;
}

static enum exit_status add_watched(struct watch *watch,
				    const struct subject *subject)
{
	const struct plan plan = { .common = watch->common,
				   .sim_options = &watch->options->sim };
	struct ssdpm_sim_params sim = sim_params_of(&plan, subject);
	struct ssdpm_observed_params params = {
		.size = sizeof(params),
		.model = subject->drive->model,
		.sim_params = &sim,
		.ctrl_id = SSDPM_NO_CONTROLLER,
	};
	struct ssdpm_resolved_policy resolved;
	enum exit_status status =
		choose_policy(watch, subject, &sim, &resolved);

	if (status)
		return status;
	watch->watched[watch->n].drive = subject->drive;
	status = watch->options->read ?
			 add_recorded(watch, subject->drive, &params) :
			 add_live(watch, subject->drive, &params);
	if (!status)
		watch->n++;
	return status;
}

enum exit_status begin_watch(struct watch *watch)
{
	const struct plan plan = {
		.common = watch->common,
		.sim_options = &watch->options->sim,
		.quirk_options = &watch->options->quirks,
		.no_tables = true,
	};
	enum exit_status status =
		find_subjects(&plan, watch->drives, &watch->subjects);
	struct ssdpm_error error;

	if (status)
		return status;
	watch->watched = calloc(watch->drives->n, sizeof(*watch->watched));
	if (!watch->watched ||
	    ssdpm_observation_new(&watch->observation, &error))
		return out_of_memory();
	for (size_t i = 0; i < watch->drives->n && !status; i++)
		status = add_watched(watch, &watch->subjects[i]);
	return status;
}

void end_watch(struct watch *watch)
{
	ssdpm_watch_free(watch->live);
	free(watch->watched);
	free(watch->subjects);
	ssdpm_observation_free(watch->observation);
}
