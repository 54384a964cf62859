/* SPDX-License-Identifier: MIT */
/*
 * Logs of fio, as either format. What an iolog gave can be counted, and written
 * again.
 */
#include "check.h"

#include <string.h>

/* A long discard is very many records. */
enum { MAX_RECORDS = 1000 };

static void check_written(const struct ssdpm_io *io)
{
	char line[SSDPM_FIO_IOLOG_LINE];

	check(!ssdpm_io_to_fio_iolog(io, 0, "f", line, NULL),
	      "what was read can be written");
	check(strlen(line) < sizeof(line) && line[strlen(line) - 1] == '\n',
	      "a line is a line");
}

static void count(struct ssdpm_trace *trace, struct ssdpm_stats *stats)
{
	struct ssdpm_trace_stats numbers = { .size = sizeof(numbers) };
	struct ssdpm_error error;
	struct ssdpm_io io;
	size_t n = 1;
	int err = 0;

	for (int i = 0; i < MAX_RECORDS && n && !err; i++) {
		err = ssdpm_trace_read(trace, &io, 1, &n, &error);
		if (err || !n)
			break;
		check_written(&io);
		err = ssdpm_stats_feed(stats, &io, 1, &error);
	}
	if (err)
		check_error(err, &error);
	check(!ssdpm_stats_get(stats, &numbers, NULL), "there are numbers");
	check(numbers.idle_ns + numbers.busy_ns == numbers.duration_ns,
	      "a time is idle or busy");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .format = SSDPM_TRACE_FIO_IOLOG };
	struct ssdpm_trace *trace;
	struct ssdpm_stats *stats;

	check_trace(data, size, &params);
	params.flags = SSDPM_TRACE_SKIP_BAD;
	check_trace(data, size, &params);
	if (!ssdpm_trace_open_data(data, size, &params, &trace, NULL)) {
		check(!ssdpm_stats_new(NULL, &stats, NULL), "there is memory");
		count(trace, stats);
		ssdpm_stats_free(stats);
		ssdpm_trace_free(trace);
	}
	params.format = SSDPM_TRACE_FIO_LATENCY_LOG;
	check_trace(data, size, &params);
	params.flags = 0;
	check_trace(data, size, &params);
	return 0;
}
