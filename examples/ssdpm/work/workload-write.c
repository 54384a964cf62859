/* SPDX-License-Identifier: MIT */
#include "options/units.h"
#include "input/trace-input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The name of the drive in a log of fio, which --replay_redirect replaces. */
#define IOLOG_FILE "ssdpm"

struct output {
	FILE *file;
	const char *path;
	off_t start; /* of the .npy */
	uint64_t n_records;
	uint64_t origin_ns;
	uint64_t last_time; /* of the iolog, in its unit */
};

struct trace_form {
	const char *name;
	bool (*begin)(struct output *output);
	enum exit_status (*write)(struct output *output,
				  const struct ssdpm_io *ios, size_t n);
	bool (*end)(struct output *output);
};

static bool write_npy_header(struct output *output)
{
	uint8_t header[SSDPM_NPY_HEADER_BYTES];

	ssdpm_npy_header(output->n_records, header);
	return fwrite(header, sizeof(header), 1, output->file) == 1;
}

/* The head has the number of records, which is known at the end. */
static bool begin_npy(struct output *output)
{
	output->start = ftello(output->file);
	return output->start >= 0 &&
	       !fseeko(output->file, output->start, SEEK_SET) &&
	       write_npy_header(output);
}

static enum exit_status write_npy(struct output *output,
				  const struct ssdpm_io *ios, size_t n)
{
	uint8_t record[SSDPM_NPY_RECORD_BYTES];

	for (size_t i = 0; i < n; i++) {
		ssdpm_io_to_npy(&ios[i], record);
		fwrite(record, sizeof(record), 1, output->file);
	}
	return STATUS_DONE;
}

static bool end_npy(struct output *output)
{
	return !fseeko(output->file, output->start, SEEK_SET) &&
	       write_npy_header(output) && !fseeko(output->file, 0, SEEK_END);
}

static bool begin_iolog(struct output *output)
{
	return fprintf(output->file,
		       "fio version 3 iolog\n0 %s add\n0 %s open\n", IOLOG_FILE,
		       IOLOG_FILE) > 0;
}

static enum exit_status write_iolog(struct output *output,
				    const struct ssdpm_io *ios, size_t n)
{
	char line[SSDPM_FIO_IOLOG_LINE];
	struct ssdpm_error error;

	for (size_t i = 0; i < n; i++) {
		if (ssdpm_io_to_fio_iolog(&ios[i], output->origin_ns,
					  IOLOG_FILE, line, &error))
			return failure("%s: %s", output->path, error.message);
		output->last_time = strtoull(line, NULL, 10);
		fputs(line, output->file);
	}
	return STATUS_DONE;
}

static bool end_iolog(struct output *output)
{
	return fprintf(output->file, "%" PRIu64 " %s close\n",
		       output->last_time, IOLOG_FILE) > 0;
}

static bool begin_csv(struct output *output)
{
	return fputs("start_ns,offset,bytes,service_ns,op,flags\n",
		     output->file) >= 0;
}

static enum exit_status write_csv(struct output *output,
				  const struct ssdpm_io *ios, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char service[16] = "";

		if (ios[i].service_ns != SSDPM_SERVICE_UNKNOWN)
			snprintf(service, sizeof(service), "%" PRIu32,
				 ios[i].service_ns);
		fprintf(output->file,
			"%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%s,%s,%u\n",
			ios[i].start_ns, ios[i].offset, ios[i].bytes, service,
			ssdpm_op_to_string(ios[i].op), ios[i].flags);
	}
	return STATUS_DONE;
}

static bool end_csv(struct output *output)
{
	(void)output;
	return true;
}

static const struct trace_form forms[] = {
	{ "npy", begin_npy, write_npy, end_npy },
	{ "iolog", begin_iolog, write_iolog, end_iolog },
	{ "csv", begin_csv, write_csv, end_csv },
};

static const struct trace_form *find_form(const char *name)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!strcmp(forms[i].name, name))
			return &forms[i];
	return NULL;
}

enum exit_status check_trace_form(const struct common *common, const char *name)
{
	if (find_form(name) || !strcmp(name, "fio-job"))
		return STATUS_DONE;
	return unknown_value(common, "to", name, "npy|iolog|csv|fio-job");
}

/* The copy to write, and its form. */
struct copy {
	const struct trace_form *form;
	struct output *output;
};

static enum exit_status copy(void *data, struct trace_input *input,
			     const struct ssdpm_io *ios, size_t n)
{
	const struct copy *copy = data;
	struct output *output = copy->output;

	(void)input;
	if (!output->n_records)
		output->origin_ns = ios[0].start_ns;
	output->n_records += n;
	if (ferror(output->file))
		return STATUS_FAILED; /* complained of when it is closed */
	return copy->form->write(output, ios, n);
}

static enum exit_status write_job(const struct common *common,
				  const struct trace_options *options,
				  const struct trace_input *input,
				  struct output *output)
{
	struct ssdpm_generator_params params =
		generator_of(options, input->name);
	struct ssdpm_error error;
	char *text;
	int err;

	if (!is_workload(input->name))
		return usage_error(common,
				   "--to fio-job is for workloads that are "
				   "made; a trace becomes an iolog");
	err = ssdpm_generator_to_fio_job(&params, &text, &error);
	if (err)
		return complain_of_trace(input, &error);
	fputs(text, output->file);
	free(text);
	return STATUS_DONE;
}

static enum exit_status write_records(const struct common *common,
				      const struct trace_form *form,
				      struct trace_input *input,
				      struct output *output)
{
	struct copy all = { form, output };
	enum exit_status status;

	if (form->begin == begin_npy &&
	    lseek(fileno(output->file), 0, SEEK_CUR) < 0)
		return failure(
			"%s: the head of an .npy is written last: give a file "
			"with --output",
			output->path);
	if (!form->begin(output))
		return STATUS_FAILED;
	if (isatty(fileno(output->file)))
		input->progress.name = NULL; /* they would mix */
	status = stream_trace(input, copy, &all);
	if (!status)
		say_counts(common, input);
	if (!status && !form->end(output))
		return STATUS_FAILED;
	return status;
}

/* A half-written file is not left there. */
static enum exit_status close_output(struct output *output,
				     enum exit_status status)
{
	struct stat file;
	bool regular =
		!fstat(fileno(output->file), &file) && S_ISREG(file.st_mode);
	bool failed = fflush(output->file) || ferror(output->file);
	int code = errno;

	if (output->file == stdout)
		return status;
	if (fclose(output->file) && !failed) {
		failed = true;
		code = errno;
	}
	if (failed) {
		const enum exit_status own =
			cannot("write", output->path, code);

		status = status ? status : own;
	}
	if (status && regular)
		unlink(output->path);
	return status;
}

/* Opening it to write would empty the trace before it is read. */
static bool is_the_trace(const char *path, const struct trace_input *input)
{
	int fd = strcmp(input->name, "-") ? input->fd : STDIN_FILENO;
	struct stat from, to;

	return !stat(path, &to) && !fstat(fd, &from) && S_ISREG(to.st_mode) &&
	       from.st_dev == to.st_dev && from.st_ino == to.st_ino;
}

enum exit_status write_trace(const struct common *common,
			     const struct trace_options *options,
			     struct trace_input *input, const char *name,
			     const char *path)
{
	bool to_stdout = !strcmp(path, "-");
	struct output output = {
		.path = to_stdout ? "standard output" : path,
		.file = stdout,
	};
	enum exit_status status;

	if (to_stdout)
		fold_lines(false);
	else if (is_the_trace(path, input))
		return failure(
			"%s: this is the trace that is read: write to another "
			"file",
			path);
	if (!to_stdout)
		output.file = fopen(path, "we");
	if (!output.file)
		return cannot("write", path, errno);
	if (find_form(name))
		status = write_records(common, find_form(name), input, &output);
	else
		status = write_job(common, options, input, &output);
	return close_output(&output, status);
}
