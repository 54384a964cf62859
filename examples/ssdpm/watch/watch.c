/* SPDX-License-Identifier: MIT */
/* Which drives are watched, and what is known of each. */
#include "input/live.h"
#include "watch/watch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

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

uint32_t controller_of(const struct drive *drive)
{
	const struct ssdpm_device_facts *facts =
		drive->device ? ssdpm_device_get_facts(drive->device) : NULL;
	unsigned int number;

	if (facts && sscanf(facts->name, "nvme%u", &number) == 1)
		return number;
	return SSDPM_NO_CONTROLLER;
}

/* The numbers of its devices: of the machine, or as the options say. */
static enum exit_status find_disks(const struct watch *watch,
				   struct watched *watched)
{
	const struct drive *drive = watched->drive;
	struct ssdpm_error error;
	struct ssdpm_disk *disk;

	if (!watch->options->read) {
		if (ssdpm_device_read_disks(drive->live->machine, drive->device,
					    &watched->disks, &watched->n_disks,
					    &error))
			return complain_of_device(drive->name, &error);
		if (!watched->n_disks ||
		    watched->disks[0].part != SSDPM_DISK_WHOLE)
			return failure("%s: no block device belongs to it",
				       drive->name);
		return STATUS_DONE;
	}
	disk = watched->disks = calloc(1, sizeof(*disk));
	if (!disk)
		return out_of_memory();
	watched->n_disks = 1;
	disk->part = SSDPM_DISK_WHOLE;
	if (!parse_device(watch->options->device, &disk->major, &disk->minor))
		return usage_error(watch->common,
				   "--device: \"%s\" is no device number: a "
				   "recording writes it as in 259,0",
				   watch->options->device);
	return STATUS_DONE;
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

/* All but the first of its devices are the same drive, if they are not above
 * it. */
static enum exit_status add_partitions(const struct watch *watch,
				       const struct watched *watched)
{
	struct ssdpm_error error;

	for (size_t i = 1; i < watched->n_disks; i++) {
		const struct ssdpm_disk *disk = &watched->disks[i];

		if (disk->part != SSDPM_DISK_STACKED &&
		    ssdpm_observation_add_partition(watch->observation,
						    watch->n, disk->major,
						    disk->minor, &error))
			return complain_of_device(watched->drive->name, &error);
	}
	return STATUS_DONE;
}

static enum exit_status add_watched(struct watch *watch,
				    const struct subject *subject)
{
	const struct plan plan = { .common = watch->common,
				   .sim_options = &watch->options->sim };
	struct watched *watched = &watch->watched[watch->n];
	struct ssdpm_sim_params sim = sim_params_of(&plan, subject);
	struct ssdpm_resolved_policy resolved;
	struct ssdpm_error error;
	enum exit_status status;

	watched->drive = subject->drive;
	status = find_disks(watch, watched);
	if (!status)
		status = choose_policy(watch, subject, &sim, &resolved);
	if (status)
		return status;
	const struct ssdpm_observed_params params = {
		.size = sizeof(params),
		.model = subject->drive->model,
		.sim_params = &sim,
		.major = watched->disks[0].major,
		.minor = watched->disks[0].minor,
		.ctrl_id = controller_of(subject->drive),
	};
	if (ssdpm_observation_add_drive(watch->observation, &params, &error))
		return complain_of_device(subject->drive->name, &error);
	status = add_partitions(watch, watched);
	watch->n++;
	return status;
}

void remark_place(const struct watch *watch, int fd, const char *path)
{
	struct stat status;

	if (watch->common->quiet || fstat(fd, &status))
		return;
	for (size_t i = 0; i < watch->n; i++)
		for (size_t j = 0; j < watch->watched[i].n_disks; j++) {
			const struct ssdpm_disk *disk =
				&watch->watched[i].disks[j];

			if (major(status.st_dev) == disk->major &&
			    minor(status.st_dev) == disk->minor) {
				remark("%s is on %s: to write it wakes the "
				       "drive",
				       path, watch->watched[i].drive->name);
				return;
			}
		}
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
	for (size_t i = 0; watch->watched && i < watch->drives->n; i++)
		free(watch->watched[i].disks);
	free(watch->watched);
	free(watch->subjects);
	ssdpm_observation_free(watch->observation);
}
