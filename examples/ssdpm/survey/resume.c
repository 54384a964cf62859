/* SPDX-License-Identifier: MIT */
/* The head of a survey's file: written once, and read to go on. */
#include "survey/survey.h"
#include "options/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS                                                \
	"run,policy,scenario,block,time_s,power_w,latency_us," \
	"latency_sd_us,bytes_per_s\n"

/* --- Writing --- */

static void put_seconds(FILE *file, const char *key, uint64_t ns)
{
	const uint64_t second = SECOND_NS;
	char text[32];
	size_t n;

	snprintf(text, sizeof(text), "%llu.%09llu",
		 (unsigned long long)(ns / second),
		 (unsigned long long)(ns % second));
	n = strlen(text);
	while (text[n - 1] == '0')
		n--;
	if (text[n - 1] == '.')
		n--;
	fprintf(file, "# %s: %.*s\n", key, (int)n, text);
}

static void put_list(FILE *file, const struct survey *survey)
{
	const struct survey_options *options = &survey->options;

	fputs("# policies: ", file);
	for (size_t i = 0; i < survey->policies.n; i++)
		fprintf(file, "%s%s", i ? ";" : "",
			survey->policies.list[i].text);
	fputs("\n# scenarios: ", file);
	for (size_t i = 0; i < options->n_scenarios; i++)
		fprintf(file, "%s%s", i ? ";" : "", options->scenarios[i]);
	fputc('\n', file);
}

static void put_drive(FILE *file, const struct drive *drive)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);

	fprintf(file, "# drive: %s, %s\n", facts->product, facts->firmware);
}

static void put_machine(FILE *file, const struct survey *survey)
{
	const struct ssdpm_machine_facts *facts =
		&survey->drives.lives[0]->facts;

	fprintf(file, "# ssdpm survey 1\n# machine: Linux %s, %s %s\n",
		facts->linux_release, facts->sys_vendor, facts->product_name);
	for (size_t i = 0; i < survey->drives.n; i++)
		put_drive(file, &survey->drives.drives[i]);
	fprintf(file, "# meter: %s %s\n",
		ssdpm_meter_kind_to_string(survey->meter.kind),
		survey->meter.name);
}

/* What --resume needs, and nobody else. */
static void put_paths(FILE *file, const struct survey *survey)
{
	const struct survey_options *options = &survey->options;

	if (options->meter)
		fprintf(file, "# option meter: %s\n", options->meter);
	if (options->file)
		fprintf(file, "# option file: %s\n", options->file);
	if (options->fio)
		fprintf(file, "# option fio: %s\n# option fio-size: %llu\n",
			options->fio, (unsigned long long)options->fio_bytes);
}

static void put_head(FILE *file, const struct survey *survey)
{
	const struct ssdpm_survey_params *p = &survey->options.params;

	put_machine(file, survey);
	put_list(file, survey);
	fprintf(file, "# blocks: %u\n# seed: %llu\n", p->n_blocks,
		(unsigned long long)p->seed);
	put_seconds(file, "settle_s", p->settle_ns);
	put_seconds(file, "interval_s", p->interval_ns);
	put_seconds(file, "duration_s", p->duration_ns);
	for (size_t i = 0; i < survey->drives.n; i++) {
		fprintf(file, "# found: %s ", survey->drives.drives[i].name);
		print_survey_setting(file, &survey->drives.drives[i]);
		fputc('\n', file);
	}
	put_paths(file, survey);
	fputs(COLUMNS, file);
}

enum exit_status write_survey_head(struct survey *survey)
{
	enum exit_status status;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (file)
		put_head(file, survey);
	if (!file || fclose(file))
		return out_of_memory();
	status = write_survey_text(&survey->file, text);
	free(text);
	return status ? status : sync_survey_file(&survey->file);
}

/* --- Reading --- */

static enum exit_status complain_of_head(const char *name, const char *key,
					 const char *value)
{
	return failure(
		"%s: \"# %s: %s\" is not what ssdpm measure survey --save "
		"writes",
		name, key, value);
}

/* "600" or "0.05" */
static bool read_seconds(const char *value, uint64_t *ret_ns)
{
	const struct common quiet = { .subcommand = "measure", .quiet = true };
	char text[64];

	if (strspn(value, "0123456789.") != strlen(value) ||
	    snprintf(text, sizeof(text), "%ss", value) >= (int)sizeof(text))
		return false;
	return !parse_number(&quiet, "resume", text, TIME_NS, ret_ns);
}

static bool read_number(const char *value, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(value, &end, 10);
	return *value >= '0' && *value <= '9' && !*end && !errno;
}

static bool split_words(char *value, const char **words, size_t capacity,
			size_t *n)
{
	char *word;

	while ((word = strsep(&value, ";"))) {
		if (*n == capacity || !is_survey_word(word))
			return false;
		words[(*n)++] = word;
	}
	return true;
}

/* "nvme0 latency=100ms" */
static bool take_found(struct survey_options *options, char *value)
{
	if (options->n_drives == MAX_SURVEY_DRIVES)
		return false;
	options->drives[options->n_drives++] = strsep(&value, " ");
	return true;
}

static bool take_blocks(struct survey_options *options, const char *value)
{
	uint64_t n;

	if (!read_number(value, &n) || !n || n > SSDPM_SURVEY_MAX_BLOCKS)
		return false;
	options->params.n_blocks = (uint32_t)n;
	return true;
}

/* A key that is unknown here is a fact for others. */
static bool take_fact(struct survey_options *options, const char *key,
		      char *value)
{
	struct ssdpm_survey_params *p = &options->params;

	if (!strcmp(key, "policies"))
		return split_words(value, options->policies,
				   SSDPM_SURVEY_MAX_POLICIES,
				   &options->n_policies);
	if (!strcmp(key, "scenarios"))
		return split_words(value, options->scenarios,
				   SSDPM_SURVEY_MAX_SCENARIOS,
				   &options->n_scenarios);
	if (!strcmp(key, "blocks"))
		return take_blocks(options, value);
	if (!strcmp(key, "seed"))
		return read_number(value, &p->seed);
	if (!strcmp(key, "settle_s"))
		return read_seconds(value, &p->settle_ns);
	if (!strcmp(key, "interval_s"))
		return read_seconds(value, &p->interval_ns);
	if (!strcmp(key, "duration_s"))
		return read_seconds(value, &p->duration_ns);
	if (!strcmp(key, "found"))
		return take_found(options, value);
	if (!strcmp(key, "option fio-size"))
		return read_number(value, &options->fio_bytes);
	if (!strcmp(key, "option meter"))
		options->meter = value;
	else if (!strcmp(key, "option file"))
		options->file = value;
	else if (!strcmp(key, "option fio"))
		options->fio = value;
	return true;
}

static char *take_line(char **at)
{
	char *line = *at;
	char *end = strchr(line, '\n');

	if (!*line)
		return NULL;
	if (end)
		*end = 0;
	*at = end ? end + 1 : line + strlen(line);
	return line;
}

/* Is all of it there that a survey is run from? */
static bool is_complete(const struct survey_options *options)
{
	const struct ssdpm_survey_params *p = &options->params;

	return options->n_policies > 1 && options->n_scenarios &&
	       options->n_drives && p->n_blocks && p->settle_ns &&
	       p->interval_ns && p->duration_ns &&
	       !options->fio == !options->fio_bytes;
}

static enum exit_status take_head(const char *name, char *text,
				  struct survey_options *options)
{
	char *line;

	while ((line = take_line(&text)) && *line == '#') {
		char *key = line + 1 + strspn(line + 1, " ");
		char *value = strstr(key, ": ");

		if (!value)
			continue;
		*value = 0;
		value += 2;
		if (!take_fact(options, key, value))
			return complain_of_head(name, key, value);
	}
	if (is_complete(options))
		return STATUS_DONE;
	return failure(
		"%s: it lacks lines that ssdpm measure survey --save writes, "
		"and cannot be gone on with; ssdpm measure survey %s reports "
		"on it nevertheless",
		name, name);
}

enum exit_status read_survey_head(const char *name, struct survey *survey)
{
	static const char first[] = "# ssdpm survey 1\n";
	struct buffer buffer = { 0 };
	const int err = read_operand(name, &buffer);
	char *text;

	if (err) {
		free(buffer.data);
		return status_of_file(err);
	}
	text = realloc(buffer.data, buffer.size + 1);
	if (!text) {
		free(buffer.data);
		return out_of_memory();
	}
	text[buffer.size] = 0;
	survey->resumed = text;
	if (strncmp(text, first, sizeof(first) - 1) != 0 ||
	    strlen(text) != buffer.size)
		return failure(
			"%s: it is no file of ssdpm measure survey --save",
			name);
	return take_head(name, text, &survey->options);
}

/* --- Going on --- */

/* The same drives in the same order, whatever they are called now. */
static enum exit_status check_drive(const struct survey *survey,
				    const struct drive *drive,
				    const char *expected)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	char text[128];

	snprintf(text, sizeof(text), "%s, %s", facts->product, facts->firmware);
	if (!strcmp(text, expected))
		return STATUS_DONE;
	return failure(
		"%s was begun with the drive %s, and %s is %s here: a survey "
		"goes on with the same drives on the same machine",
		survey->options.resume, expected, drive->name, text);
}

static enum exit_status check_line(struct survey *survey, const char *line,
				   size_t *n_drives)
{
	const struct drives *drives = &survey->drives;
	char machine[256];

	snprintf(machine, sizeof(machine), "# machine: Linux %s, %s %s",
		 drives->lives[0]->facts.linux_release,
		 drives->lives[0]->facts.sys_vendor,
		 drives->lives[0]->facts.product_name);
	if (!strncmp(line, "# machine: ", 11) && strcmp(line, machine) != 0)
		return failure(
			"%s is of another machine or kernel: it says \"%s\", "
			"and this is \"%s\"",
			survey->options.resume, line + 11, machine + 11);
	if (!strncmp(line, "# drive: ", 9) && *n_drives < drives->n)
		return check_drive(survey, &drives->drives[(*n_drives)++],
				   line + 9);
	return STATUS_DONE;
}

/* Which run the rows are of that follow each other. */
struct rows {
	uint32_t run, n;
	size_t step;
};

static void end_rows(struct survey *survey, struct rows *rows)
{
	const struct ssdpm_survey_step *step;

	if (rows->step >= survey->n_steps)
		return;
	step = &survey->steps[rows->step];
	if (rows->n ==
	    (is_fio_step(survey, step) ? N_FIO_JOBS : step->n_samples))
		survey->done[rows->step] = true;
}

static size_t find_step(const struct survey *survey, const char *policy,
			const char *scenario, uint64_t block)
{
	size_t i;

	if (!strncmp(scenario, "fio:", 4))
		scenario = "fio";
	for (i = 0; i < survey->n_steps; i++) {
		const struct ssdpm_survey_step *step = &survey->steps[i];

		if (step->block + UINT64_C(1) == block &&
		    !strcmp(survey_scenario(survey, step), scenario) &&
		    !strcmp(survey->policies.list[step->policy].text, policy))
			break;
	}
	return i;
}

static enum exit_status take_row(struct survey *survey, struct rows *rows,
				 char *line, size_t number)
{
	char *run = strsep(&line, ","), *policy = strsep(&line, ",");
	char *scenario = strsep(&line, ","), *block = strsep(&line, ",");
	uint64_t n, b;

	if (!line || !read_number(run, &n) || !n || n > UINT32_MAX ||
	    !read_number(block, &b))
		return failure("%s:%zu: no row of a survey",
			       survey->options.resume, number);
	if (n != rows->run) {
		end_rows(survey, rows);
		*rows = (struct rows){ .run = (uint32_t)n };
		rows->step = find_step(survey, policy, scenario, b);
	}
	rows->n++;
	if (n > survey->last_run)
		survey->last_run = (uint32_t)n;
	return STATUS_DONE;
}

/* Read again, since the head was cut into words. */
enum exit_status read_survey_rows(struct survey *survey)
{
	const char *name = survey->options.resume;
	struct rows rows = { .step = SIZE_MAX };
	enum exit_status status = STATUS_DONE;
	size_t n_drives = 0, number = 0, capacity = 0;
	FILE *file = fopen(name, "re");
	char *line = NULL;
	ssize_t n;

	if (!file)
		return cannot("read", name, errno);
	while (!status && (n = getline(&line, &capacity, file)) > 0) {
		number++;
		/* One that is not whole is removed when it is written to. */
		if (line[n - 1] != '\n')
			break;
		line[n - 1] = 0;
		if (*line == '#')
			status = check_line(survey, line, &n_drives);
		else if (strncmp(line, "run,", 4) != 0)
			status = take_row(survey, &rows, line, number);
	}
	if (!status)
		end_rows(survey, &rows);
	free(line);
	fclose(file);
	return status;
}
