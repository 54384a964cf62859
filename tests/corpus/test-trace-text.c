/* SPDX-License-Identifier: MIT */
/*
 * Real traces of delimited text: each is recognised, and has as many I/Os as
 * SOURCES.tsv says.
 */
#include "corpus.h"

#include <errno.h>
#include <ssdpm-energy.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* device: the one to read. n_all: I/Os of all devices. */
static const struct expected {
	const char *file;
	const char *device;
	uint32_t format;
	uint32_t has_service;
	uint64_t n_all;
	uint64_t span_ms;
	uint64_t resolution_ns;
} traces[] = {
	{ "blkreplay_linux-mysql.load.gz", NULL, SSDPM_TRACE_BLKREPLAY, 0,
	  80794, 3599890, 1 },
	{ "blkreplay_windows-mssql.load.gz", NULL, SSDPM_TRACE_BLKREPLAY, 0,
	  42976, 3062338, 1 },
	{ "cloudPhysicsIO.vscsi.gz", NULL, SSDPM_TRACE_VSCSI, 0, 113872,
	  7200089, 1000 },
	{ "mqsim_wsrch-small.trace", "1", SSDPM_TRACE_MQSIM, 0, 24783, 60055,
	  1000 },
	{ "pixel6a_pubg_precond.csv.gz", "8388608", SSDPM_TRACE_PIXEL, 0, 51110,
	  594798, 1000 },
	{ "pixel6a_telegram_exec.csv.gz", NULL, SSDPM_TRACE_PIXEL, 0, 251879,
	  7474114, 1000 },
	{ "procmon_win10_fs_noncached.csv", NULL, SSDPM_TRACE_PROCMON, 1, 1982,
	  91562, 100 },
	{ "umass_Financial_mini.spc", "0", SSDPM_TRACE_SPC, 0, 949, 28324,
	  1000 },
};

static struct ssdpm_trace *open_trace(const char *path, const char *device,
				      int *ret_fd)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .device = device };
	struct ssdpm_trace *trace;
	struct ssdpm_error error;

	*ret_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*ret_fd < 0)
		die("%s: cannot be opened", path);
	if (ssdpm_trace_open(*ret_fd, &params, &trace, &error))
		die("%s: %s", path, error.message);
	return trace;
}

static void check_counts(const char *path, const struct expected *expected,
			 const struct ssdpm_trace_counts *counts)
{
	if (counts->format != expected->format)
		die("%s: taken for %s", path,
		    ssdpm_trace_format_to_string(counts->format));
	if (counts->n_ios + counts->n_other_device != expected->n_all ||
	    !counts->n_other_device != (expected->format != SSDPM_TRACE_SPC &&
					expected->format != SSDPM_TRACE_MQSIM))
		die("%s: %llu I/Os and %llu of other devices", path,
		    (unsigned long long)counts->n_ios,
		    (unsigned long long)counts->n_other_device);
	if (counts->resolution_ns != expected->resolution_ns)
		die("%s: resolution %llu ns", path,
		    (unsigned long long)counts->resolution_ns);
	if (counts->n_bad || counts->n_backward || counts->n_saturated)
		die("%s: something bad was counted", path);
}

static void check_trace(const char *directory, const struct expected *expected)
{
	struct ssdpm_trace *trace;
	struct ssdpm_error error;
	uint64_t first_ns = 0, last_ns = 0;
	struct ssdpm_io ios[1000];
	char path[4096];
	size_t n = 1;
	int fd;

	snprintf(path, sizeof(path), "%s/data/traces/%s", directory,
		 expected->file);
	trace = open_trace(path, expected->device, &fd);
	for (bool first = true; n; first = false) {
		if (ssdpm_trace_read(trace, ios, 1000, &n, &error))
			die("%s: line %u: %s", path, error.line, error.message);
		if (first)
			first_ns = ios[0].start_ns;
		for (size_t i = 0; i < n; i++) {
			last_ns = ios[i].start_ns;
			if (!ios[i].bytes ||
			    (ios[i].service_ns != SSDPM_SERVICE_UNKNOWN) !=
				    expected->has_service)
				die("%s: an I/O is odd", path);
		}
	}
	check_counts(path, expected, ssdpm_trace_get_counts(trace));
	if ((last_ns - first_ns) / 1000000 != expected->span_ms)
		die("%s: spans %llu ms", path,
		    (unsigned long long)(last_ns - first_ns) / 1000000);
	ssdpm_trace_free(trace);
	close(fd);
}

/* A file with several devices is read only when one is named. */
static void check_devices(const char *directory)
{
	struct ssdpm_trace *trace;
	struct ssdpm_io ios[16];
	char path[4096];
	int fd, err;
	size_t n;

	snprintf(path, sizeof(path), "%s/data/traces/umass_Financial_mini.spc",
		 directory);
	trace = open_trace(path, NULL, &fd);
	/* The I/Os before the first of another device come first. */
	do {
		err = ssdpm_trace_read(trace, ios, 16, &n, NULL);
	} while (!err && n);
	if (err != -EINVAL)
		die("%s: several devices were read as one", path);
	ssdpm_trace_free(trace);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *directory = corpus_directory(argc, argv);
	const size_t n = sizeof(traces) / sizeof(traces[0]);

	for (size_t i = 0; i < n; i++)
		check_trace(directory, &traces[i]);
	check_devices(directory);
	printf("%zu traces\n", n);
	return 0;
}
