/* SPDX-License-Identifier: MIT */
/* The program ssdpm-energy: all commands. plan-estimate.c has plan --trace. */
#include "programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const bool has_energy = true;

const struct subcommand *const subcommands[] = {
	&cmd_status,	  &cmd_tune,	&cmd_list,	&cmd_show,
	&cmd_lpm,	  &cmd_plan,	&cmd_apply,	&cmd_check,
	&cmd_revert,	  &cmd_capture, &cmd_apst,	&cmd_workload,
	&cmd_estimate,	  &cmd_compare, &cmd_recommend, &cmd_budget,
	&cmd_consistency, &cmd_measure, &cmd_watch,	&cmd_suspend,
	&cmd_bisect,	  NULL,
};

void run_energy_program(char **argv)
{
	(void)argv;
}

const char *get_workload_name(size_t i)
{
	return ssdpm_generator_get_name(i);
}

bool needs_energy(const char *command)
{
	(void)command;
	return false;
}

int read_meters(const struct live *live, struct ssdpm_meter **ret_meters,
		size_t *ret_n, struct ssdpm_error *reterr)
{
	return ssdpm_machine_read_meters(live->machine, ret_meters, ret_n,
					 reterr);
}

int meters_json(const struct ssdpm_meter *meters, size_t n, char **ret_text,
		struct ssdpm_error *reterr)
{
	return ssdpm_meters_to_json(meters, n, ret_text, reterr);
}

const char *meter_kind_word(uint32_t kind)
{
	return ssdpm_meter_kind_to_string(kind);
}

/* NULL: a deeper link is not known to save. */
static const struct ssdpm_link_saving *saving_link(
	const struct ssdpm_link_saving *link)
{
	return link && ssdpm_saving_verdict_saves(link->likely->verdict) ?
		       link :
		       NULL;
}

static bool is_estimable(const struct ssdpm_energy_report_item *item)
{
	return !item->drive->error &&
	       !ssdpm_device_check_estimable(item->drive->device, item->model,
					     NULL);
}

int read_outlooks(const struct live *live, struct outlooks *ret_outlooks,
		  struct ssdpm_error *reterr)
{
	const struct ssdpm_energy_report_params params = {
		.size = sizeof(params),
		.flags = SSDPM_SIM_LIKELY | SSDPM_ENERGY_REPORT_AWAKE,
		.patience = SSDPM_PATIENCE_NORMAL,
		.hours_per_day = 24,
	};
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	struct ssdpm_energy_report *report;
	int err = ssdpm_energy_report_new(live->machine, &params, &report,
					  reterr);

	if (err)
		return err;
	ret_outlooks->report = report;
	ret_outlooks->workload = ssdpm_machine_get_workload(live->machine);
	for (size_t i = 0;
	     !err && !ssdpm_energy_report_get_item(report, i, &item); i++)
		err = add_outlook(
			ret_outlooks,
			(struct outlook){
				.drive = *item.drive,
				.is_skipped = item.error == -EALREADY,
				.is_estimated = is_estimable(&item),
				.is_known = !item.error ||
					    item.error == -EOPNOTSUPP,
				.is_to_set = item.advice == SSDPM_ADVICE_SET,
				.is_to_rebuild =
					item.advice == SSDPM_ADVICE_REBUILD,
				.likely = item.likely,
				.added_mean_ns = item.added_mean_ns,
				.model = item.model,
				.settings = item.settings,
				.link = saving_link(item.link),
			},
			reterr);
	if (err)
		free_outlooks(ret_outlooks);
	return err;
}

void free_outlooks(struct outlooks *outlooks)
{
	free(outlooks->list);
	ssdpm_energy_report_free(outlooks->report);
	*outlooks = (struct outlooks){ 0 };
}

int outlook_json(const struct outlooks *outlooks, const char *name,
		 char **ret_text, struct ssdpm_error *reterr)
{
	size_t i = 0;

	while (i < outlooks->n && strcmp(outlooks->list[i].drive.name, name))
		i++;
	*ret_text = NULL;
	return i == outlooks->n ?
		       0 :
		       ssdpm_energy_report_item_to_json(outlooks->report, i,
							ret_text, reterr);
}
