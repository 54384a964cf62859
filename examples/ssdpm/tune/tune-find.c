/* SPDX-License-Identifier: MIT */
/* The best setting of each drive that was named, on a workload. */
#include "tune/tune.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All I/Os of a trace. */
struct all_ios {
	struct ssdpm_io *ios;
	size_t n, room;
};

static enum exit_status take(void *data, struct trace_input *input,
			     const struct ssdpm_io *ios, size_t n)
{
	struct all_ios *all = data;

	(void)input;
	if (all->n + n > all->room) {
		size_t room = 2 * all->room + n;
		struct ssdpm_io *more =
			reallocarray(all->ios, room, sizeof(*more));

		if (!more)
			return out_of_memory();
		all->ios = more;
		all->room = room;
	}
	memcpy(all->ios + all->n, ios, n * sizeof(*ios));
	all->n += n;
	return STATUS_DONE;
}

static enum exit_status read_ios(const struct common *common,
				 const struct tune_options *settings,
				 struct all_ios *all)
{
	struct trace_input input;
	enum exit_status status;

	if (!settings->trace_name)
		return STATUS_DONE;
	status = open_trace(common, &settings->trace, settings->trace_name,
			    &input);
	if (status)
		return status;
	status = stream_trace(&input, take, all);
	if (!status && !all->n)
		status = failure("%s: the workload has no record", input.name);
	if (!status)
		say_counts(common, &input);
	close_trace(&input);
	return status;
}

/* A port without a disk, or with an optical drive, is in no report. */
static enum exit_status check_drive(struct ssdpm_device *device)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	struct ssdpm_model *model = NULL;
	struct ssdpm_error error;
	int err = 0;

	if (facts->flags & (SSDPM_DEVICE_EMPTY | SSDPM_DEVICE_OPTICAL))
		err = ssdpm_device_read_model(device, 0, NULL, &model, &error);
	ssdpm_model_unref(model);
	return err ? complain_of_device(facts->name, &error) : STATUS_DONE;
}

/* The device that an operand names: "/dev/nvme0n1" is nvme0. */
static enum exit_status find_name(const struct tuning *tuning,
				  const char *operand, char name[32])
{
	struct ssdpm_device *device;
	struct ssdpm_error error;
	enum exit_status status;

	if (ssdpm_device_read(tuning->live->machine, operand, &device, &error))
		return complain_of_name(tuning->live, operand, &error);
	status = check_drive(device);
	if (!status)
		snprintf(name, 32, "%s", ssdpm_device_get_facts(device)->name);
	ssdpm_device_unref(device);
	return status;
}

/* Without all of them nothing is set. */
static enum exit_status find_names(const struct tuning *tuning, char **operands,
				   size_t n, char (*names)[32])
{
	for (size_t i = 0; i < n; i++) {
		enum exit_status status =
			find_name(tuning, operands[i], names[i]);

		if (status && (!tuning->options->dry_run ||
			       !keep_failed_drive(tuning->common, operands[i],
						  n, status)))
			return status;
	}
	return STATUS_DONE;
}

static bool is_named(const char *name, const char (*names)[32], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return !n;
}

/* It cannot be read, or it was named and cannot be set. */
static bool is_failure(const struct tuning *tuning,
		       const struct ssdpm_energy_report_item *item)
{
	return item->error && (item->error != -EOPNOTSUPP || tuning->named);
}

static void complain_of_item(struct tuning *tuning,
			     const struct ssdpm_energy_report_item *item)
{
	enum exit_status status = status_of_error(item->error);

	if (item->error == -EOPNOTSUPP)
		complain_about(item->drive->name, item->message);
	else
		status = say_unread(tuning->live, item->drive->name,
				    item->error, item->message);
	if (!tuning->failure)
		tuning->failure = status;
}

static void take_item(struct tuning *tuning, size_t number,
		      const struct ssdpm_energy_report_item *item)
{
	if (is_failure(tuning, item))
		complain_of_item(tuning, item);
	tuning->numbers[tuning->n] = number;
	tuning->items[tuning->n++] = *item;
}

static enum exit_status collect(struct tuning *tuning, const char (*names)[32],
				size_t n)
{
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	size_t room = 0;

	while (!ssdpm_energy_report_get_item(tuning->report, room, &item))
		room++;
	tuning->items = calloc(room + 1, sizeof(item));
	tuning->numbers = calloc(room + 1, sizeof(*tuning->numbers));
	if (!tuning->items || !tuning->numbers)
		return out_of_memory();
	for (size_t i = 0; i < room; i++) {
		ssdpm_energy_report_get_item(tuning->report, i, &item);
		if (is_named(item.drive->name, names, n))
			take_item(tuning, i, &item);
	}
	refresh_tuning(tuning);
	return STATUS_DONE;
}

void refresh_tuning(struct tuning *tuning)
{
	tuning->n_changes = 0;
	for (size_t i = 0; i < tuning->n; i++) {
		struct ssdpm_energy_report_item *item = &tuning->items[i];

		ssdpm_energy_report_get_item(tuning->report, tuning->numbers[i],
					     item);
		tuning->n_changes += is_to_set(item);
	}
}

enum exit_status find_tuning(struct tuning *tuning, char **operands, size_t n)
{
	const struct tune_options *settings = tuning->options;
	struct all_ios all = { 0 };
	struct ssdpm_energy_report_params params = {
		.size = sizeof(params),
		.flags = SSDPM_SIM_LIKELY | SSDPM_ENERGY_REPORT_FURTHER,
		.patience = patience_of(&settings->patience),
		.hours_per_day = settings->hours_per_day,
		.price_per_kwh = settings->price_per_kwh,
	};
	struct ssdpm_error error;
	char(*names)[32] = calloc(n + 1, sizeof(*names));
	enum exit_status status =
		names ? find_names(tuning, operands, n, names) :
			out_of_memory();

	if (!status)
		status = read_ios(tuning->common, settings, &all);

	params.ios = all.ios;
	params.n_ios = all.n;
	if (!status && ssdpm_energy_report_new(tuning->live->machine, &params,
					       &tuning->report, &error))
		status = complain_of_device(NULL, &error);
	if (!status)
		status = collect(tuning, (const char(*)[32])names, n);
	if (!status && !tuning->common->form && !tuning->common->quiet)
		find_saver(tuning, &params);
	free(all.ios);
	free(names);
	return status;
}
