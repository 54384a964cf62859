/* SPDX-License-Identifier: MIT */
/*
 * What the tests with the real fio need; no test by itself.
 *
 *     fio-files names                          the workloads
 *     fio-files job NAME [N_IOS AREA]          a job
 *     fio-files iolog NAME FILE N_IOS AREA     its records as an iolog of FILE
 *     fio-files read                           a trace, from stdin:
 *                                              start op offset bytes service
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ssdpm-energy.h>

static struct ssdpm_error error;

static int fail(void)
{
	fprintf(stderr, "%d: %s\n", error.code, error.message);
	return 1;
}

static struct ssdpm_generator_params params_of(const char *name,
					       const char *n_ios,
					       const char *area)
{
	struct ssdpm_generator_params params;

	ssdpm_generator_params_init(&params, sizeof(params));
	params.name = name;
	params.seed = 1;
	params.n_ios = strtoull(n_ios, NULL, 10);
	if (strncmp(name, "uflip-locality", 14) == 0)
		params.value = strtoull(area, NULL, 10);
	else
		params.area_bytes = strtoull(area, NULL, 10);
	return params;
}

static int print_names(void)
{
	for (size_t i = 0; ssdpm_generator_get_name(i); i++)
		puts(ssdpm_generator_get_name(i));
	return 0;
}

static int print_job(const char *name, const char *n_ios, const char *area)
{
	struct ssdpm_generator_params params = params_of(name, n_ios, area);
	char *text;

	if (ssdpm_generator_to_fio_job(&params, &text, &error))
		return error.code == -EOPNOTSUPP ? 3 : fail();
	fputs(text, stdout);
	free(text);
	return 0;
}

static int print_iolog(const char *name, const char *file, const char *n_ios,
		       const char *area)
{
	struct ssdpm_generator_params params = params_of(name, n_ios, area);
	char line[SSDPM_FIO_IOLOG_LINE];
	struct ssdpm_trace *trace;
	struct ssdpm_io io;
	size_t n;
	int err;

	if (ssdpm_trace_generate(&params, &trace, &error))
		return fail();
	printf("fio version 3 iolog\n0 %s add\n0 %s open\n", file, file);
	while (!(err = ssdpm_trace_read(trace, &io, 1, &n, &error)) && n &&
	       !(err = ssdpm_io_to_fio_iolog(&io, 0, file, line, &error)))
		fputs(line, stdout);
	ssdpm_trace_free(trace);
	if (err)
		return fail();
	printf("%" PRIu64 " %s close\n", io.start_ns / 1000 + 1, file);
	return 0;
}

static int print_trace(void)
{
	struct ssdpm_trace *trace;
	struct ssdpm_io io;
	size_t n;
	int err;

	if (ssdpm_trace_open(STDIN_FILENO, NULL, &trace, &error))
		return fail();
	while (!(err = ssdpm_trace_read(trace, &io, 1, &n, &error)) && n)
		printf("%" PRIu64 " %s %" PRIu64 " %" PRIu32 " %" PRIu32 "\n",
		       io.start_ns, ssdpm_op_to_string(io.op), io.offset,
		       io.bytes, io.service_ns);
	ssdpm_trace_free(trace);
	return err ? fail() : 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "names") == 0)
		return print_names();
	if (argc == 3 && strcmp(argv[1], "job") == 0)
		return print_job(argv[2], "0", "0");
	if (argc == 5 && strcmp(argv[1], "job") == 0)
		return print_job(argv[2], argv[3], argv[4]);
	if (argc == 6 && strcmp(argv[1], "iolog") == 0)
		return print_iolog(argv[2], argv[3], argv[4], argv[5]);
	if (argc == 2 && strcmp(argv[1], "read") == 0)
		return print_trace();
	return 2;
}
