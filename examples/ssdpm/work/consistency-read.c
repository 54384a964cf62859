/* SPDX-License-Identifier: MIT */
#include "work/consistency.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void free_one(struct iops_series *series)
{
	free(series->name);
	free(series->iops);
	free(series->power_w);
}

enum exit_status add_series(struct iops_list *list,
			    const struct consistency_options *o,
			    struct iops_series *series)
{
	struct iops_series *all =
		reallocarray(list->series, list->n + 1, sizeof(*all));
	struct ssdpm_error error = { .message = "out of memory" };
	struct ssdpm_consistency_params params = o->params;
	int err = all ? 0 : -ENOMEM;

	params.power_w = series->power_w;
	if (all)
		list->series = all;
	series->found =
		(struct ssdpm_consistency){ .size = sizeof(series->found) };
	if (!err)
		err = ssdpm_consistency_measure(series->iops, series->n,
						&params, &series->found,
						&error);
	if (!err) {
		list->series[list->n++] = *series;
		return STATUS_DONE;
	}
	complain("%s: %s", series->name, error.message);
	free_one(series);
	return STATUS_FAILED;
}

void free_series(struct iops_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free_one(&list->series[i]);
	free(list->series);
}

enum exit_status read_iops_log(const struct consistency_options *o,
			       const char *name, int fd, struct iops_list *list)
{
	struct iops_series series = { 0 };
	struct ssdpm_error error;
	int err = ssdpm_iops_log_read(fd, &o->log, &series.iops, &series.n,
				      &error);

	close(fd);
	if (err) {
		if (error.line)
			complain("%s:%u: %s", name, error.line, error.message);
		else
			complain("%s: %s", name, error.message);
		return STATUS_FAILED;
	}
	series.name = strdup(name);
	if (series.name)
		return add_series(list, o, &series);
	free(series.iops);
	return out_of_memory();
}

enum exit_status read_logs(const struct consistency_options *o, char **operands,
			   size_t n, struct iops_list *list)
{
	enum exit_status result = STATUS_DONE;

	for (size_t i = 0; i < n; i++) {
		int fd = strcmp(operands[i], "-") ?
				 open(operands[i], O_RDONLY | O_CLOEXEC) :
				 fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);

		if (fd < 0) {
			result = cannot("read", operands[i], errno);
		} else if (read_iops_log(o, operands[i], fd, list)) {
			result = STATUS_FAILED;
		}
	}
	return result;
}
