/* SPDX-License-Identifier: MIT */
#include "input/measure-input.h"

#include "options/units.h"
#include "text/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_SAMPLES 4096
#define PART_SAMPLES 4096

#define POWER struct power_options

static const struct option_spec power_options[] = {
	{ "format", 'f', "csv|float32|int16",
	  "Choose the format of the samples. Default: csv.",
	  SETS_WORD(POWER, params.format, ssdpm_power_format_to_string),
	  .rare = true },
	{ "columns", 'c', "NAMES", "Name the columns; see ssdpm-measure(1).",
	  SETS_TEXT(POWER, params.columns) },
	{ "rate", 'r', "RATE", "Set the samples per second, as in 20kHz.",
	  SETS_REAL(POWER, params.rate_hz, RATE_MHZ, 1e3), .min = 1,
	  .rare = true },
	{ "scale", 0, "POWER", "Set the unit of a raw sample, as in 1mW.",
	  SETS_REAL(POWER, params.scale, POWER_UW, 1e6), .min = 1,
	  .rare = true },
	{ "shunt", 0, "OHM", "Set the resistance of the shunt, as in 0.1ohm.",
	  SETS_REAL(POWER, params.shunt_ohm, RESISTANCE_UOHM, 1e6), .min = 1,
	  .rare = true },
	{ "supply", 0, "VOLTS", "Set the voltage of the supply, as in 5V.",
	  SETS_REAL(POWER, params.supply_v, VOLTAGE_UV, 1e6), .min = 1,
	  .rare = true },
	{ "counter", 0, "ENERGY",
	  "Set the energy at which a counter wraps, as in "
	  "262143.328850J.",
	  SETS_REAL(POWER, params.counter_j, ENERGY_PJ, 1e12), .min = 1,
	  .rare = true },
};

static void init(void *data)
{
	struct power_options *options = data;

	options->params.size = sizeof(options->params);
}

const struct option_group power_option_group = {
	OPTIONS(power_options),
	.title = "Samples",
	.init = init,
	KEEPS_GIVEN(POWER, given),
};

/* The options that give what a message asks for. */
static struct cell options_text(const char *message)
{
	static const struct {
		char words[24], option[10];
	} options[] = {
		{ "name the columns", "-c" },
		{ "rate of the samples", "--rate" },
		{ "without its resistance", "--shunt" },
		{ "voltage of the supply", "--supply" },
	};
	struct cell all = cell("%s", "");

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strstr(message, options[i].words))
			all = cell("%s%s%s", all.text,
				   all.text[0] ? " or " : "",
				   options[i].option);
	return all.text[0] ? cell(" (option %s)", all.text) : all;
}

void complain_of_power(const char *name, const struct ssdpm_error *error)
{
	const struct cell options = options_text(error->message);

	if (error->line)
		complain("%s:%u: %s%s", name, error->line, error->message,
			 options.text);
	else
		complain("%s: %s%s", name, error->message, options.text);
}

/* -1 after a complaint. */
static int open_file(const char *name, enum exit_status *ret_status)
{
	struct stat status;
	int fd = STDIN_FILENO;

	if (strcmp(name, "-"))
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		*ret_status = cannot("read", name, errno);
	} else if (!fstat(fd, &status) && S_ISDIR(status.st_mode)) {
		*ret_status = failure(
			"%s: is a directory, and no file of samples", name);
		if (fd != STDIN_FILENO)
			close(fd);
		fd = -1;
	}
	return fd;
}

enum exit_status open_power_fd(const struct power_options *options,
			       const char *name, int fd,
			       struct power_input *ret_input)
{
	struct power_input input = { .name = name, .fd = fd };
	struct ssdpm_error error;

	if (ssdpm_power_open(input.fd, &options->params, &input.power,
			     &error)) {
		complain_of_power(name, &error);
		close_power(&input);
		return STATUS_FAILED;
	}
	*ret_input = input;
	return STATUS_DONE;
}

enum exit_status take_idle(const struct common *common, const char *option,
			   const char *text, struct ssdpm_baseline_params *p)
{
	if (p->end_ns)
		return usage_error(common, "--%s is given twice", option);
	return parse_span(common, option, text, &p->begin_ns, &p->end_ns);
}

enum exit_status open_power(const struct power_options *options,
			    const char *name, struct power_input *ret_input)
{
	enum exit_status status;
	int fd = open_file(name, &status);

	return fd < 0 ? status : open_power_fd(options, name, fd, ret_input);
}

void close_power(struct power_input *input)
{
	ssdpm_power_free(input->power);
	if (input->fd != STDIN_FILENO)
		close(input->fd);
}

enum exit_status read_power(struct power_input *input, int64_t *time_ns,
			    double *power_w, size_t capacity, size_t *ret_n)
{
	struct ssdpm_error error;

	if (!ssdpm_power_read(input->power, time_ns, power_w, capacity, ret_n,
			      &error))
		return STATUS_DONE;
	complain_of_power(input->name, &error);
	return STATUS_FAILED;
}

/* Twice the room. */
static bool grow(struct power_array *array, size_t *capacity)
{
	size_t more = *capacity ? 2 * *capacity : FIRST_SAMPLES;
	int64_t *time_ns = reallocarray(array->time_ns, more, sizeof(*time_ns));

	if (time_ns)
		array->time_ns = time_ns;
	double *power_w = reallocarray(array->power_w, more, sizeof(*power_w));
	if (power_w)
		array->power_w = power_w;
	if (!time_ns || !power_w)
		return false;
	*capacity = more;
	return true;
}

enum exit_status load_power(struct power_input *input,
			    struct power_array *ret_array)
{
	struct power_array array = { 0 };
	enum exit_status status = STATUS_DONE;
	size_t capacity = 0, n = 1;

	while (!status && n) {
		if (array.n == capacity && !grow(&array, &capacity)) {
			complain("%s: %zu samples are more than fit in memory",
				 input->name, array.n);
			status = STATUS_FAILED;
			break;
		}
		status = read_power(input, array.time_ns + array.n,
				    array.power_w + array.n, capacity - array.n,
				    &n);
		array.n += status ? 0 : n;
	}
	if (status)
		free_power_array(&array);
	else
		*ret_array = array;
	return status;
}

struct ssdpm_samples samples_of(const struct power_array *array)
{
	return (struct ssdpm_samples){ .power_w = array->power_w,
				       .time_ns = array->time_ns,
				       .n = array->n,
				       .type = SSDPM_SAMPLE_FLOAT64 };
}

enum exit_status feed_power(struct power_input *input,
			    struct ssdpm_integral *integral,
			    void (*see)(struct power_array *part, void *data),
			    void *data)
{
	static int64_t time_ns[PART_SAMPLES];
	static double power_w[PART_SAMPLES];
	struct power_array part = { time_ns, power_w, 0 };
	struct ssdpm_error error;

	for (;;) {
		enum exit_status status = read_power(input, time_ns, power_w,
						     PART_SAMPLES, &part.n);
		if (status || !part.n)
			return status;
		see(&part, data);
		struct ssdpm_samples samples = samples_of(&part);
		if (part.n && ssdpm_integral_feed(integral, &samples, &error)) {
			complain_of_power(input->name, &error);
			return STATUS_FAILED;
		}
	}
}

void free_power_array(struct power_array *array)
{
	free(array->time_ns);
	free(array->power_w);
	*array = (struct power_array){ 0 };
}
