/* SPDX-License-Identifier: MIT */
#include "input/trace-input.h"

#include "options/apst-options.h"
#include "options/numbers.h"
#include "options/units.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK 1024 /* I/Os at a time */
#define TRACE struct trace_options

/* Where an option sets how a workload is made. */
#define MADE(form, member, unit) \
	form(TRACE, generator.member, unit), .modes = MODE_MADE

enum { MODE_READ = 1, MODE_MADE = 2 };

/* How a trace is read: the options, with this before their names. */
/* clang-format off */
#define READER_OPTIONS(prefix, letter)                                         \
	{ prefix "format", letter,                                             \
	  "npy|blkparse|blktrace|fio-iolog|fio-latency-log|biosnoop|"          \
	  "delimited|msr|spc|fiu|mqsim|disksim|blkreplay|pixel|procmon|"       \
	  "cloudphysics|perf-script|ftrace|vscsi|oracle-general|procmon-csv",  \
	  "Choose the format of the trace. Default: recognised by content.",   \
	  SETS_WORD(TRACE, reader.format, ssdpm_trace_format_to_string),       \
	  .modes = MODE_READ },                                                \
	{ prefix "columns", 0, "MAP",                                          \
	  "delimited: Map the columns, as in ssdpm-workload(1).",              \
	  SETS_TEXT(TRACE, reader.columns), .modes = MODE_READ },              \
	{ prefix "device", 0, "DEV",                                           \
	  "Read only the I/Os of this device, as the trace names it.",         \
	  SETS_TEXT(TRACE, reader.device), .modes = MODE_READ },               \
	{ prefix "skip-bad", 0, NULL,                                          \
	  "Skip and count lines that cannot be read.",                         \
	  SETS_BIT(TRACE, reader.flags, SSDPM_TRACE_SKIP_BAD),                 \
	  .modes = MODE_READ }
/* clang-format on */

static const struct option_spec options[] = {
	READER_OPTIONS("", 'f'),
	{ "seed", 0, "N", "Set the seed of a generated workload. Default: 0.",
	  MADE(SETS_NUMBER, seed, COUNT) },
	{ "n-ios", 0, "N", "Generate N I/Os.", MADE(SETS_NUMBER, n_ios, COUNT),
	  .min = 1 },
	{ "parameter", 0, "N",
	  "Set what a uFLIP micro-benchmark varies, in its unit.",
	  MADE(SETS_NUMBER, value, COUNT), .min = 1 },
	{ "mean-idle", 0, "TIME",
	  "Set the mean idle time between arrivals, as in 5ms.",
	  MADE(SETS_NUMBER, mean_idle_ns, TIME_NS), .min = 1 },
	{ "shape", 0, "N",
	  "Set the shape of the Lomax distribution, as in 1.5.",
	  MADE(SETS_SMALL, shape_milli, NUMBER_MILLI), .min = 1 },
	{ "op", 0, "read|write",
	  "Read or write where the workload leaves it open.",
	  MADE(SETS_WORD, op, ssdpm_op_to_string), .max = SSDPM_OP_WRITE },
	{ "bytes", 0, "SIZE", "Set the size of an I/O, as in 4KiB.",
	  MADE(SETS_SMALL, bytes, BYTES), .min = 1 },
	{ "area", 0, "SIZE", "Keep the I/Os below this offset, as in 1GiB.",
	  MADE(SETS_NUMBER, area_bytes, BYTES), .min = 1 },
	{ "service", 0, "TIME",
	  "Set the time of an I/O. Default: 130us a read, 10us a "
	  "write, and 1ns for 3 bytes.",
	  MADE(SETS_SMALL, service_ns, TIME_NS), .max = SSDPM_SERVICE_MAX,
	  .range = "at most 4.294967294s" },
};

static void init(void *data)
{
	struct trace_options *settings = data;

	ssdpm_generator_params_init(&settings->generator,
				    sizeof(settings->generator));
}

const struct option_group trace_option_group = {
	OPTIONS(options),
	.title = "Trace or generated workload",
	.init = init,
	KEEPS_GIVEN(TRACE, given),
};

static const struct option_spec reader_options[] = {
	READER_OPTIONS("trace-", 0),
};

static void init_prefixed(void *data)
{
	struct trace_options *settings = data;

	init(data);
	settings->prefixed = true;
}

const struct option_group prefixed_trace_option_group = {
	OPTIONS(reader_options),
	.title = "Trace",
	.init = init_prefixed,
	KEEPS_GIVEN(TRACE, given),
};

static bool is_generator(const char *name)
{
	const char *known;

	for (size_t i = 0; (known = ssdpm_generator_get_name(i)); i++)
		if (!strcmp(known, name))
			return true;
	return false;
}

/* A name that exists is a file, even if it cannot be read. */
bool is_workload(const char *name)
{
	struct stat status;

	return strcmp(name, "-") && is_generator(name) && stat(name, &status) &&
	       (errno == ENOENT || errno == ENOTDIR);
}

enum exit_status check_trace_options(const struct common *common,
				     const struct trace_options *settings,
				     const char *const *names, size_t n)
{
	size_t n_made = 0, n_stdin = 0;
	const char *other;

	for (size_t i = 0; i < n; i++) {
		n_made += is_workload(names[i]);
		n_stdin += !strcmp(names[i], "-");
	}
	if (n_stdin > 1)
		return usage_error(common, "standard input is named twice");
	other = option_not_for(
		settings->prefixed ? &prefixed_trace_option_group :
				     &trace_option_group,
		settings->given,
		(n_made < n ? MODE_READ : 0) | (n_made ? MODE_MADE : 0));
	if (!other)
		return STATUS_DONE;
	return n_made ? usage_error(common,
				    "--%s is for traces that are read, and %s "
				    "is made",
				    other, names[0]) :
			usage_error(common,
				    "--%s is for workloads that are made, and "
				    "%s is a file",
				    other, names[0]);
}

/* A file to read; waits for what a writer has yet to write, not for a writer.
 */
static int open_file(const char *path, const char **ret_problem)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat status;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &status)) {
		if (S_ISDIR(status.st_mode))
			*ret_problem = "is a directory, and no trace";
		else if (S_ISBLK(status.st_mode))
			*ret_problem = "is a device; give a trace of it, such "
				       "as blktrace writes";
	}
	if (*ret_problem) {
		close(fd);
		return -EINVAL;
	}
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

/* The library says what to name, and not how this command is told. */
static const char *option_for(const char *message, bool prefixed)
{
	static const struct {
		const char *end, *how, *prefixed;
	} options_for[] = {
		{ "name the one to read", " with --device",
		  " with --trace-device" },
		{ "name the format, or its columns",
		  " with --format or --columns, as in time:s,op,offset,bytes",
		  " with --trace-format or --trace-columns, as in time:s,op,offset,bytes" },
		{ "are not known: name them", " with --columns",
		  " with --trace-columns" },
		{ "or skip what is bad", " with --skip-bad",
		  " with --trace-skip-bad" },
	};
	size_t length = strlen(message);

	for (size_t i = 0; i < sizeof(options_for) / sizeof(options_for[0]);
	     i++) {
		size_t n = strlen(options_for[i].end);

		if (n <= length &&
		    !strcmp(message + length - n, options_for[i].end))
			return prefixed ? options_for[i].prefixed :
					  options_for[i].how;
	}
	return "";
}

/* A number of the command line, not the workload, is at fault. */
static bool is_of_interval(const struct ssdpm_error *error,
			   const char **ret_cause)
{
	static const char parameter[] = "interval_ns: ";
	const size_t n = sizeof(parameter) - 1;

	*ret_cause = error->message + n;
	return !strncmp(error->message, parameter, n);
}

enum exit_status complain_of_trace(const struct trace_input *input,
				   const struct ssdpm_error *error)
{
	const char *how = option_for(error->message, input->prefixed);
	const char *cause;

	if (is_of_interval(error, &cause)) {
		complain("%s: --interval: %s", input->name, cause);
		return STATUS_USAGE;
	}
	if (error->line)
		complain("%s:%u: %s%s", input->name, error->line,
			 error->message, how);
	else
		complain("%s: %s%s", input->name, error->message, how);
	return STATUS_FAILED;
}

struct ssdpm_generator_params generator_of(const struct trace_options *settings,
					   const char *name)
{
	struct ssdpm_generator_params params = settings->generator;

	params.name = name;
	return params;
}

/* Numbers that no workload of this name can have are a matter of usage. */
static enum exit_status make_trace(const struct trace_options *settings,
				   struct trace_input *input)
{
	struct ssdpm_generator_params params =
		generator_of(settings, input->name);
	struct ssdpm_error error;
	int err = ssdpm_trace_generate(&params, &input->trace, &error);

	if (!err)
		return STATUS_DONE;
	complain_of_trace(input, &error);
	return err == -EINVAL || err == -ERANGE ? STATUS_USAGE : STATUS_FAILED;
}

static enum exit_status open_fd(const struct trace_options *settings, int fd,
				struct trace_input *input)
{
	struct ssdpm_trace_params params = settings->reader;
	struct ssdpm_error error;

	params.size = sizeof(params);
	if (!ssdpm_trace_open(fd, &params, &input->trace, &error))
		return STATUS_DONE;
	return complain_of_trace(input, &error);
}

static enum exit_status no_such_trace(const char *name)
{
	struct suggestion suggestion = { .word = name };
	const char *known;

	for (size_t i = 0; (known = ssdpm_generator_get_name(i)); i++)
		suggest(&suggestion, known);
	return failure("%s", unknown_word("trace or workload", &suggestion,
					  "see ssdpm workload --list")
				     .text);
}

enum exit_status open_trace(const struct common *common,
			    const struct trace_options *settings,
			    const char *name, struct trace_input *ret_input)
{
	struct trace_input input = { .name = name,
				     .prefixed = settings->prefixed,
				     .has_device = settings->reader.device,
				     .fd = -1 };
	const char *problem = NULL;
	enum exit_status status;

	if (is_workload(name)) {
		status = make_trace(settings, &input);
	} else if (!strcmp(name, "-")) {
		status = open_fd(settings, STDIN_FILENO, &input);
	} else {
		input.fd = open_file(name, &problem);
		if (input.fd == -ENOENT)
			return no_such_trace(name);
		if (input.fd < 0 && problem)
			return failure("%s: %s", name, problem);
		if (input.fd < 0)
			return cannot("read", name, -input.fd);
		status = open_fd(settings, input.fd, &input);
	}
	if (status) {
		close_trace(&input);
		return status;
	}
	progress_begin(&input.progress, common, name,
		       strcmp(name, "-") ? input.fd : STDIN_FILENO);
	*ret_input = input;
	return STATUS_DONE;
}

enum exit_status read_trace(struct trace_input *input, struct ssdpm_io *ios,
			    size_t max, size_t *ret_n)
{
	struct ssdpm_error error;

	if (!ssdpm_trace_read(input->trace, ios, max, ret_n, &error)) {
		progress_add(&input->progress, *ret_n);
		return STATUS_DONE;
	}
	return complain_of_trace(input, &error);
}

enum exit_status stream_trace(struct trace_input *input, take_ios_fn take,
			      void *data)
{
	struct ssdpm_io ios[CHUNK];
	enum exit_status status;
	size_t n;

	do {
		status = read_trace(input, ios, CHUNK, &n);
		if (!status && n && !input->begun)
			input->start_ns = ios[0].start_ns;
		input->begun |= !status && n;
		if (!status && n)
			status = take(data, input, ios, n);
	} while (!status && n);
	return status;
}

void close_trace(struct trace_input *input)
{
	progress_clear();
	input->trace = ssdpm_trace_free(input->trace);
	if (input->fd >= 0)
		close(input->fd);
	input->fd = -1;
}

static void say_count(const char *name, uint64_t count, const char *one,
		      const char *many)
{
	if (count)
		remark("%s: %s %s", name, count_text(count).text,
		       count == 1 ? one : many);
}

void say_reading(const struct common *common, const struct trace_input *input)
{
	const struct ssdpm_trace_counts *c =
		ssdpm_trace_get_counts(input->trace);
	const char *name = input->name;

	if (common->quiet)
		return;
	say_count(name, c->n_bad, "line could not be read and is left out",
		  "lines could not be read and are left out");
	say_count(name, c->n_unmatched, "I/O never completed and is left out",
		  "I/Os never completed and are left out");
	say_count(name, c->n_orphans,
		  "completion of an I/O that never began is left out",
		  "completions of I/Os that never began are left out");
	say_count(name, c->n_saturated,
		  "I/O took longer than 4.29 s and counts as that",
		  "I/Os took longer than 4.29 s and count as that");
	say_count(name, c->n_backward, "time went backwards and was raised",
		  "times went backwards and were raised");
	say_count(name, c->n_wrapped, "time of -1 ns was put right",
		  "times of -1 ns were put right");
	say_count(name, c->n_cached,
		  "I/O of a file was served by a cache and is left out",
		  "I/Os of files were served by a cache and are left out");
	if (c->n_late > c->n_backward)
		remark("%s: %s %s late, by %s at most, and put in order%s",
		       name, count_text(c->n_late).text,
		       c->n_late == 1 ? "I/O was" : "I/Os were",
		       time_text(c->late_max_ns).text,
		       c->n_backward ? " where that was possible" : "");
	if (c->n_ios > 1 && c->resolution_ns >= 1000000000)
		remark("%s: all times are whole seconds: the trace does not "
		       "show shorter idle times",
		       name);
	if (!c->n_ios && c->n_other_device)
		remark("%s: no I/O is of the device that --device names", name);
	if (!input->has_device)
		say_count(name, c->n_other_device,
			  "I/O names another device than the first, and all "
			  "count as one drive, as in MQSim",
			  "I/Os name other devices than the first, and all "
			  "count as one drive, as in MQSim");
	if (!common->verbose && c->n_ios)
		return;
	if (input->has_device)
		say_count(name, c->n_other_device,
			  "I/O of another device is left out, as asked",
			  "I/Os of other devices are left out, as asked");
	if (common->verbose && c->format)
		remark("%s: %s, %s lines or events, %s I/Os", name,
		       ssdpm_trace_format_to_string(c->format),
		       count_text(c->n_lines).text, count_text(c->n_ios).text);
}

void say_counts(const struct common *common, const struct trace_input *input)
{
	const struct ssdpm_trace_counts *c =
		ssdpm_trace_get_counts(input->trace);

	say_reading(common, input);
	if (common->quiet)
		return;
	say_count(input->name, c->n_unsized,
		  "I/O has no size in the trace and counts as 0 bytes",
		  "I/Os have no size in the trace and count as 0 bytes");
	say_count(input->name, c->n_untyped,
		  "I/O has no operation in the trace and counts as a read",
		  "I/Os have no operation in the trace and count as reads");
}
