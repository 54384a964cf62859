/* SPDX-License-Identifier: MIT */
/* The file of trials: a line for each, which later calls take. */
#include "tune/trial.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "# ssdpm trials 1\n"
#define COLUMNS                                                      \
	"product\tfirmware\tpower_source\tbefore\tafter\tdecision\t" \
	"saving_uw\tlow_uw\thigh_uw\tresolvable_uw\tpairs\tseconds\tmeter\n"

/* The limit of a reading in ssdpm_trial(3). */
#define MAX_WATTS 1e6

enum { N_COLUMNS = 13 };

/* What the kernel has in its file. */
static struct cell raw_setting(const struct ssdpm_profile_settings *settings)
{
	if (settings->set & SSDPM_PROFILE_LPM)
		return cell("%s", ssdpm_lpm_to_string(settings->lpms[0]));
	return cell("%" PRIu64, settings->max_exit_latency_us);
}

/* A product may hold a tab; "-" is unknown. */
static void put_text(FILE *file, const char *text, char end)
{
	const char *at = *text ? text : "-";

	for (; *at; at++)
		fputc((unsigned char)*at < ' ' ? ' ' : *at, file);
	fputc(end, file);
}

static void put_uw(FILE *file, double watts)
{
	if (isfinite(watts))
		fprintf(file, "%.0f\t", watts * 1e6);
	else
		fputs("-\t", file);
}

static const char *source_word(uint32_t source)
{
	const char *word = ssdpm_power_source_to_string(source);

	return word ? word : "-";
}

/* The columns that say of what a result is. */
static void put_subject(FILE *file, const struct ssdpm_energy_report_item *item,
			uint32_t source)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(item->drive->device);

	put_text(file, facts->product, '\t');
	put_text(file, facts->firmware, '\t');
	put_text(file, source_word(source), '\t');
	put_text(file, item->drive->policy, '\t');
	put_text(file, raw_setting(item->settings).text, '\t');
}

/* To append. */
static enum exit_status open_results(const char *name, FILE **ret_file)
{
	FILE *file = fopen(name, "ae");

	if (!file)
		return cannot("write", name, errno);
	if (!fseek(file, 0, SEEK_END) && !ftell(file))
		fputs(FIRST_LINE COLUMNS, file);
	*ret_file = file;
	return STATUS_DONE;
}

static enum exit_status close_results(const char *name, FILE *file)
{
	const bool failed = ferror(file);

	if (fclose(file) || failed)
		return cannot("write", name, errno);
	return STATUS_DONE;
}

enum exit_status check_results(const struct tuning *tuning)
{
	const char *name = tuning->trials->save;
	enum exit_status status;
	FILE *file;

	if (!name)
		return STATUS_DONE;
	status = open_results(name, &file);
	return status ? status : close_results(name, file);
}

enum exit_status save_trial(const struct tuning *tuning, size_t i)
{
	const char *name = tuning->trials->save;
	const struct ssdpm_energy_report_item *item = &tuning->items[i];
	const struct ssdpm_trial_result *trial = item->trial;
	enum exit_status status;
	FILE *file;

	if (!name)
		return STATUS_DONE;
	status = open_results(name, &file);
	if (status)
		return status;
	put_subject(file, item, trial->power_source);
	put_text(file, ssdpm_trial_decision_to_string(trial->decision), '\t');
	put_uw(file, trial->saving_w);
	put_uw(file, trial->low_w);
	put_uw(file, trial->high_w);
	put_uw(file, trial->resolvable_w);
	fprintf(file, "%" PRIu64 "\t%" PRIu64 "\t", trial->n_pairs,
		trial->duration_ns / (uint64_t)SECOND_NS);
	put_text(file, trial->meter, '\n');
	return close_results(name, file);
}

static bool read_watts(const char *text, double unknown, double *ret)
{
	char *end;

	*ret = unknown;
	if (!strcmp(text, "-"))
		return true;
	errno = 0;
	*ret = (double)strtoll(text, &end, 10) / 1e6;
	return end != text && !*end && !errno && fabs(*ret) <= MAX_WATTS;
}

static bool read_count(const char *text, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

/* A decision has the number that it is of. */
static bool is_complete(const struct ssdpm_trial_result *result)
{
	switch (result->decision) {
	case SSDPM_TRIAL_SAVES:
	case SSDPM_TRIAL_COSTS:
		return isfinite(result->saving_w);
	case SSDPM_TRIAL_HOPELESS:
		return isfinite(result->resolvable_w);
	default:
		return result->decision;
	}
}

/* From the column of the decision on. */
static bool read_result(char *const columns[], struct ssdpm_trial_result *ret)
{
	struct ssdpm_trial_result result = {
		.size = sizeof(result),
		.decision = ssdpm_trial_decision_from_string(columns[5]),
		.power_source = ssdpm_power_source_from_string(columns[2]),
	};
	uint64_t seconds;

	if (!read_watts(columns[6], NAN, &result.saving_w) ||
	    !read_watts(columns[7], -INFINITY, &result.low_w) ||
	    !read_watts(columns[8], INFINITY, &result.high_w) ||
	    !read_watts(columns[9], NAN, &result.resolvable_w) ||
	    !read_count(columns[10], &result.n_pairs) ||
	    !read_count(columns[11], &seconds) ||
	    seconds > UINT64_MAX / (uint64_t)SECOND_NS || !is_complete(&result))
		return false;
	result.duration_ns = seconds * (uint64_t)SECOND_NS;
	snprintf(result.meter, sizeof(result.meter), "%s", columns[12]);
	*ret = result;
	return true;
}

static size_t split(char *line, char *columns[N_COLUMNS])
{
	size_t n = 0;

	line[strcspn(line, "\n")] = 0;
	while (line && n < N_COLUMNS)
		columns[n++] = strsep(&line, "\t");
	return line ? n + 1 : n;
}

/* The drive, and what it has and could have, are those of the result. */
static bool is_of(const struct tuning *tuning,
		  const struct ssdpm_energy_report_item *item,
		  char *const columns[])
{
	char *text = NULL, *at;
	size_t size;
	bool same = true;
	FILE *file;

	if (!item->takes_trial)
		return false;
	file = open_memstream(&text, &size);
	if (!file)
		return false;
	put_subject(file, item, tuning->live->facts.power_source);
	fclose(file);
	at = text;
	for (size_t i = 0; i < 5 && same; i++)
		same = !strcmp(strsep(&at, "\t"), columns[i]);
	free(text);
	return same;
}

static enum exit_status take_line(struct tuning *tuning, const char *name,
				  size_t number, char *line, size_t *n_taken)
{
	struct ssdpm_trial_result result;
	char *columns[N_COLUMNS];
	struct ssdpm_error error;

	if (split(line, columns) != N_COLUMNS || !read_result(columns, &result))
		return failure("%s:%zu: expected a line of ssdpm tune --save",
			       name, number);
	for (size_t i = 0; i < tuning->n; i++) {
		if (!is_of(tuning, &tuning->items[i], columns))
			continue;
		if (ssdpm_energy_report_set_trial(tuning->report,
						  tuning->numbers[i], &result,
						  &error))
			return failure("%s:%zu: %s", name, number,
				       error.message);
		++*n_taken;
	}
	return STATUS_DONE;
}

static enum exit_status read_lines(struct tuning *tuning, const char *name,
				   FILE *file, size_t *n_taken)
{
	enum exit_status status = STATUS_DONE;
	size_t capacity = 0, number = 0;
	char *line = NULL;

	while (!status && getline(&line, &capacity, file) > 0)
		if (!number++ && strcmp(line, FIRST_LINE) != 0)
			status = failure("%s:1: expected a file of ssdpm tune "
					 "--save",
					 name);
		else if (number > 2)
			status = take_line(tuning, name, number, line, n_taken);
	if (!status && ferror(file))
		status = cannot("read", name, errno);
	if (!status && !number)
		status = failure("%s: it is empty", name);
	free(line);
	return status;
}

static enum exit_status read_file(struct tuning *tuning, const char *name)
{
	FILE *file = fopen(name, "re");
	enum exit_status status;
	size_t n_taken = 0;

	if (!file)
		return cannot("read", name, errno);
	status = read_lines(tuning, name, file, &n_taken);
	fclose(file);
	if (!status && !n_taken && !tuning->common->quiet)
		remark("%s: no result is of these drives, settings and power "
		       "source",
		       name);
	return status;
}

enum exit_status read_trials(struct tuning *tuning)
{
	const struct trial_options *trials = tuning->trials;
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; i < trials->n_files && !status; i++)
		status = read_file(tuning, trials->files[i]);
	if (!status)
		refresh_tuning(tuning);
	return status;
}
