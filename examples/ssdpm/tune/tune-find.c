/* SPDX-License-Identifier: MIT */
/* The best setting of each drive that was named, on a workload. */
#include "tune/tune.h"

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

static bool is_named(const char *name, char **operands, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(operands[i], name) ||
		    (!strncmp(operands[i], "/dev/", 5) &&
		     !strcmp(operands[i] + 5, name)))
			return true;
	return !n;
}

static enum exit_status check_operands(const struct tuning *tuning,
				       char **operands, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool found = false;

		for (size_t j = 0; j < tuning->n; j++)
			found |= is_named(tuning->items[j].drive->name,
					  &operands[i], 1);
		if (!found)
			return failure("%s: no drive of this machine; ssdpm "
				       "list has all",
				       operands[i]);
	}
	return STATUS_DONE;
}

static enum exit_status collect(struct tuning *tuning, char **operands,
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
		if (is_named(item.drive->name, operands, n)) {
			tuning->numbers[tuning->n] = i;
			tuning->items[tuning->n++] = item;
			tuning->n_changes += is_to_set(&item);
		}
	}
	return check_operands(tuning, operands, n);
}

enum exit_status find_tuning(struct tuning *tuning, char **operands, size_t n)
{
	const struct tune_options *settings = tuning->options;
	struct all_ios all = { 0 };
	struct ssdpm_energy_report_params params = {
		.size = sizeof(params),
		.flags = SSDPM_SIM_LIKELY,
		.patience = settings->patient ? SSDPM_PATIENCE_PATIENT :
			    settings->instant ? SSDPM_PATIENCE_INSTANT :
						SSDPM_PATIENCE_NORMAL,
	};
	struct ssdpm_error error;
	enum exit_status status = read_ios(tuning->common, settings, &all);

	params.ios = all.ios;
	params.n_ios = all.n;
	if (!status && ssdpm_energy_report_new(tuning->live->machine, &params,
					       &tuning->report, &error))
		status = complain_of_device(NULL, &error);
	free(all.ios);
	return status ? status : collect(tuning, operands, n);
}
