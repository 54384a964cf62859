/* SPDX-License-Identifier: MIT */
/*
 * Reads the file of a survey, as ssdpm-survey(5) describes it. Comments
 * describe the machine, then each row is a reading.
 */
#include "survey/survey-names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

/* The room for a word of the file in a message. */
#define QUOTED_BYTES 40

static int fail(const struct ssdpm_survey_file *file, struct span word,
		const char *why, struct ssdpm_error *reterr)
{
	char text[QUOTED_BYTES];

	if (word.end - word.at >= (ptrdiff_t)sizeof(text))
		word.end = word.at + sizeof(text) - 1;
	ssdpm__span_copy(word, text, sizeof(text));
	return ssdpm__fail(reterr, -EINVAL, file->input.line, "\"%s\" %s", text,
			   why);
}

/* Makes room for one more member of this size, up to a limit of n. */
static int make_room(void **array, size_t *room, size_t n, size_t size,
		     struct ssdpm_error *reterr)
{
	if (n < *room)
		return 0;
	size_t more = *room ? 2 * *room : 64;
	void *bigger = realloc(*array, more * size);
	if (!bigger)
		return ssdpm__no_memory(reterr);
	*array = bigger;
	*room = more;
	return 0;
}

/* The number of a name; a new name gets a new number. */
static int find_name(struct ssdpm_survey_file *file, struct survey_names *names,
		     struct span word, uint32_t *ret_i,
		     struct ssdpm_error *reterr)
{
	char text[SURVEY_NAME_BYTES];

	if (word.at == word.end)
		return fail(file, word, "is no name", reterr);
	if (!ssdpm__span_copy(word, text, sizeof(text)))
		return fail(file, word, "... is a name above 255 characters",
			    reterr);
	for (uint32_t i = 0; i < names->n; i++)
		if (!strcmp(names->at[i], text)) {
			*ret_i = i;
			return 0;
		}
	if (names->n == SURVEY_MAX_NAMES)
		return fail(file, word,
			    "is one too many: a survey has up to 16 policies, "
			    "scenarios and tests each",
			    reterr);
	size_t size = strlen(text) + 1;
	names->at[names->n] = malloc(size);
	if (!names->at[names->n])
		return ssdpm__no_memory(reterr);
	memcpy(names->at[names->n], text, size);
	*ret_i = names->n++;
	return 0;
}

/* Numbers the names of a list such as "idle;sync". */
static int read_names(struct ssdpm_survey_file *file,
		      struct survey_names *names, struct span text,
		      struct ssdpm_error *reterr)
{
	struct fields fields = { text, ';', false };
	struct span word;
	uint32_t i;

	while (ssdpm__take_field(&fields, &word)) {
		int err = find_name(file, names, word, &i, reterr);
		if (err)
			return err;
	}
	return 0;
}

static int read_seconds(struct ssdpm_survey_file *file, struct span text,
			bool zero, uint64_t *ret_ns, struct ssdpm_error *reterr)
{
	struct decimal decimal;
	int64_t ns;

	if (!ssdpm__decimal_read(text, false, &decimal) ||
	    !ssdpm__decimal_int64(&decimal, 9, &ns) || ns < !zero)
		return fail(file, text, "is no length of time in seconds",
			    reterr);
	*ret_ns = (uint64_t)ns;
	return 0;
}

static int read_count(struct ssdpm_survey_file *file, struct span text,
		      uint64_t max, uint64_t *ret_value,
		      struct ssdpm_error *reterr)
{
	struct span rest = text;

	if (!ssdpm__take_uint(&rest, max, ret_value) || rest.at != rest.end)
		return fail(file, text, "is no such number", reterr);
	return 0;
}

/* Reads a parameter that the reader itself needs. */
static int read_param(struct ssdpm_survey_file *file, const char *key,
		      struct span value, struct ssdpm_error *reterr)
{
	struct ssdpm_survey_params *params = &file->params;
	uint64_t n = params->n_blocks;
	int err = 0;

	if (!strcmp(key, "policies"))
		err = read_names(file, &file->policies, value, reterr);
	else if (!strcmp(key, "scenarios"))
		err = read_names(file, &file->scenarios, value, reterr);
	else if (!strcmp(key, "settle_s"))
		err = read_seconds(file, value, true, &params->settle_ns,
				   reterr);
	else if (!strcmp(key, "interval_s"))
		err = read_seconds(file, value, false, &params->interval_ns,
				   reterr);
	else if (!strcmp(key, "duration_s"))
		err = read_seconds(file, value, false, &params->duration_ns,
				   reterr);
	else if (!strcmp(key, "seed"))
		err = read_count(file, value, UINT64_MAX, &params->seed,
				 reterr);
	else if (!strcmp(key, "blocks"))
		err = read_count(file, value, SSDPM_SURVEY_MAX_BLOCKS, &n,
				 reterr);
	params->n_blocks = (uint32_t)n;
	return err;
}

static int check_version(struct ssdpm_survey_file *file, struct span text,
			 struct ssdpm_error *reterr)
{
	uint64_t version;

	if (!ssdpm__take_uint(&text, UINT32_MAX, &version) ||
	    text.at != text.end || version != 1)
		return ssdpm__fail(reterr, -EINVAL, file->input.line,
				   "a survey of a version that is not known "
				   "here: this library reads version 1");
	file->is_marked = true;
	return 0;
}

static int add_fact(struct ssdpm_survey_file *file, struct span key,
		    struct span value, struct ssdpm_error *reterr)
{
	size_t key_size = (size_t)(key.end - key.at) + 1;
	size_t value_size = (size_t)(value.end - value.at) + 1;

	if (file->n_facts == SURVEY_MAX_FACTS ||
	    key_size + value_size > SURVEY_FACT_BYTES)
		return ssdpm__fail(reterr, -E2BIG, file->input.line,
				   "more than %u comments, or one above %u "
				   "characters",
				   SURVEY_MAX_FACTS, SURVEY_FACT_BYTES - 2);
	int err = make_room((void **)&file->facts, &file->room_facts,
			    file->n_facts, sizeof(*file->facts), reterr);
	if (err)
		return err;
	char *text = malloc(key_size + value_size);
	if (!text)
		return ssdpm__no_memory(reterr);
	ssdpm__span_copy(key, text, key_size);
	ssdpm__span_copy(value, text + key_size, value_size);
	file->facts[file->n_facts++] = (struct ssdpm_survey_fact){
		.key = text,
		.value = text + key_size,
		.line = file->input.line,
	};
	return 0;
}

static int read_comment(struct ssdpm_survey_file *file, struct span text,
			struct ssdpm_error *reterr)
{
	struct span version = text, key, value;

	if (ssdpm__take(&version, "ssdpm survey "))
		return check_version(file, version, reterr);
	if (text.at == text.end)
		return 0;
	const char *colon = memchr(text.at, ':', (size_t)(text.end - text.at));
	key = ssdpm__span_trim(
		(struct span){ text.at, colon ? colon : text.end });
	value = ssdpm__span_trim(
		(struct span){ colon ? colon + 1 : text.end, text.end });
	int err = add_fact(file, key, value, reterr);
	if (err)
		return err;
	return read_param(file, file->facts[file->n_facts - 1].key, value,
			  reterr);
}

static uint8_t find_column(struct span name)
{
	static const char names[N_SURVEY_COLUMNS][16] = {
		[SURVEY_RUN] = "run",
		[SURVEY_POLICY] = "policy",
		[SURVEY_SCENARIO] = "scenario",
		[SURVEY_BLOCK] = "block",
		[SURVEY_TIME] = "time_s",
		[SURVEY_POWER] = "power_w",
		[SURVEY_LATENCY] = "latency_us",
		[SURVEY_LATENCY_SD] = "latency_sd_us",
		[SURVEY_RATE] = "bytes_per_s",
	};

	for (uint8_t i = SURVEY_RUN; i < N_SURVEY_COLUMNS; i++)
		if (ssdpm__span_is(name, names[i]))
			return i;
	return SURVEY_SKIP;
}

static int read_head(struct ssdpm_survey_file *file, struct span line,
		     struct ssdpm_error *reterr)
{
	struct fields fields = { line, ssdpm__find_separator(line), false };
	uint32_t seen = 0;
	struct span word;

	file->separator = fields.separator;
	while (ssdpm__take_field(&fields, &word)) {
		uint8_t column = find_column(word);

		if (column && seen & 1u << column)
			return fail(file, word, "names two columns", reterr);
		if (file->n_columns == POWER_MAX_COLUMNS)
			return fail(file, word, "is one column too many",
				    reterr);
		seen |= 1u << column;
		file->columns[file->n_columns++] = column;
	}
	file->has_time = seen & 1u << SURVEY_TIME;
	if (seen & 1u << SURVEY_POLICY && seen & 1u << SURVEY_POWER)
		return 0;
	return ssdpm__fail(reterr, -EINVAL, file->input.line,
			   "no column policy, or none power_w (watts): the "
			   "names of the columns stand before the first row");
}

static int read_number(struct ssdpm_survey_file *file, struct span field,
		       double *ret_value, struct ssdpm_error *reterr)
{
	struct decimal decimal;

	if (!ssdpm__decimal_read(field, file->separator != ',', &decimal))
		return fail(file, field, "is no number", reterr);
	*ret_value = ssdpm__decimal_double(&decimal, 0);
	return 0;
}

static int read_time(struct ssdpm_survey_file *file, struct span field,
		     int64_t *ret_ns, struct ssdpm_error *reterr)
{
	struct decimal decimal;

	if (!ssdpm__decimal_read(field, file->separator != ',', &decimal) ||
	    (decimal.kind != DECIMAL_NONE &&
	     !ssdpm__decimal_int64(&decimal, 9, ret_ns)))
		return fail(file, field,
			    "is no time in seconds, or beyond 2^63 ns", reterr);
	return 0;
}

/* A row as read, before its run is known. */
struct fields_read {
	struct span policy;
	struct span scenario;
	uint64_t run;
	uint64_t block;
	int64_t time_ns;
	double numbers[N_SURVEY_COLUMNS];
	bool has_time;
};

static int read_field(struct ssdpm_survey_file *file, uint32_t column,
		      struct span field, struct fields_read *row,
		      struct ssdpm_error *reterr)
{
	switch (column) {
	case SURVEY_SKIP:
		return 0;
	case SURVEY_POLICY:
		row->policy = field;
		return 0;
	case SURVEY_SCENARIO:
		row->scenario = field;
		return 0;
	case SURVEY_RUN:
		return read_count(file, field, UINT32_MAX, &row->run, reterr);
	case SURVEY_BLOCK:
		return read_count(file, field, SSDPM_SURVEY_MAX_BLOCKS,
				  &row->block, reterr);
	case SURVEY_TIME:
		row->has_time = field.at < field.end;
		return read_time(file, field, &row->time_ns, reterr);
	default:
		return read_number(file, field, &row->numbers[column], reterr);
	}
}

static int read_fields(struct ssdpm_survey_file *file, struct span line,
		       struct fields_read *row, struct ssdpm_error *reterr)
{
	struct fields fields = { line, file->separator, false };
	struct span field;
	uint32_t i = 0;

	for (; ssdpm__take_field(&fields, &field); i++) {
		/* A separator at the end of each line is harmless. */
		if (i == file->n_columns && fields.ended &&
		    field.at == field.end)
			return 0;
		if (i == file->n_columns)
			return ssdpm__fail(reterr, -EINVAL, file->input.line,
					   "more than %u columns", i);
		int err =
			read_field(file, file->columns[i], field, row, reterr);
		if (err)
			return err;
	}
	if (i == file->n_columns)
		return 0;
	/* Only take_row() sees -EPIPE. */
	return ssdpm__fail(reterr, -EPIPE, file->input.line,
			   "%u of %u columns: the line is cut off", i,
			   file->n_columns);
}

static int add_fio(struct ssdpm_survey_file *file,
		   const struct fields_read *fields, struct span test,
		   uint32_t policy, struct ssdpm_error *reterr)
{
	struct ssdpm_survey_fio fio = {
		.latency_us = fields->numbers[SURVEY_LATENCY],
		.latency_sd_us = fields->numbers[SURVEY_LATENCY_SD],
		.bytes_per_s = fields->numbers[SURVEY_RATE],
		.run = fields->run,
		.policy = policy,
		.block = (uint32_t)fields->block - 1,
		.status = SSDPM_SURVEY_RUN_COMPLETE,
	};

	int err = find_name(file, &file->tests, test, &fio.test, reterr);
	if (err == 0)
		err = make_room((void **)&file->fio, &file->room_fio,
				file->n_fio, sizeof(fio), reterr);
	if (err == 0)
		file->fio[file->n_fio++] = fio;
	return err;
}

static int add_reading(struct ssdpm_survey_file *file,
		       const struct fields_read *fields, uint32_t policy,
		       struct ssdpm_error *reterr)
{
	struct survey_row row = {
		.run = fields->run,
		.time_ns = fields->time_ns,
		.power_w = fields->numbers[SURVEY_POWER],
		.latency_us = fields->numbers[SURVEY_LATENCY],
		.policy = policy,
		.block = (uint32_t)fields->block - 1,
		.line = file->input.line,
		.number = file->n_rows,
	};

	if (file->has_time && !fields->has_time)
		return ssdpm__fail(reterr, -EINVAL, file->input.line,
				   "a reading without its time");
	int err = find_name(file, &file->scenarios, fields->scenario,
			    &row.scenario, reterr);
	if (err == 0)
		err = make_room((void **)&file->rows, &file->room_rows,
				file->n_rows, sizeof(row), reterr);
	if (err == 0)
		file->rows[file->n_rows++] = row;
	return err;
}

static int read_row(struct ssdpm_survey_file *file, struct span line,
		    struct ssdpm_error *reterr)
{
	struct fields_read fields = { .scenario = ssdpm__span("idle", 4),
				      .block = 1 };
	uint32_t policy;

	for (uint32_t i = 0; i < N_SURVEY_COLUMNS; i++)
		fields.numbers[i] = NAN;
	if (file->n_rows + file->n_fio == SURVEY_MAX_ROWS)
		return ssdpm__fail(reterr, -E2BIG, file->input.line,
				   "more than %u rows", SURVEY_MAX_ROWS);
	int err = read_fields(file, line, &fields, reterr);
	if (err == 0 && !fields.block)
		err = fail(file, line, "has no block: they begin with 1",
			   reterr);
	if (err == 0)
		err = find_name(file, &file->policies, fields.policy, &policy,
				reterr);
	if (err)
		return err;
	struct span test = fields.scenario;
	if (ssdpm__take(&test, "fio:"))
		return add_fio(file, &fields, test, policy, reterr);
	return add_reading(file, &fields, policy, reterr);
}

/*
 * A row that ends too early was cut when the survey was killed. It is left out
 * if the file ends there, or if a comment of the next start follows.
 */
static int take_row(struct ssdpm_survey_file *file, struct span line,
		    struct ssdpm_error *reterr)
{
	bool is_ended = file->input.at != line.end;
	struct ssdpm_error error = { 0 };
	int err = read_row(file, line, &error);

	if (err == -EPIPE || (err == -EINVAL && !is_ended)) {
		error.code = -EINVAL;
		file->cut = error;
		if (is_ended)
			return 0;
		file->cut.code = 0;
		file->counts.n_cut++;
		return 0;
	}
	if (err && reterr)
		*reterr = error;
	return err;
}

static int take_line(struct ssdpm_survey_file *file, struct span line,
		     struct ssdpm_error *reterr)
{
	struct span text = ssdpm__span_trim(line);

	file->counts.n_lines++;
	if (text.at == text.end)
		return 0;
	if (*text.at == '#') {
		text.at++;
		file->counts.n_cut += file->cut.code != 0;
		file->cut.code = 0;
		return read_comment(file, ssdpm__span_trim(text), reterr);
	}
	if (file->cut.code) {
		if (reterr)
			*reterr = file->cut;
		return file->cut.code;
	}
	if (!file->n_columns)
		return read_head(file, line, reterr);
	return take_row(file, line, reterr);
}

static int read_lines(struct ssdpm_survey_file *file,
		      struct ssdpm_error *reterr)
{
	struct span line;
	int err;

	do {
		err = ssdpm__input_line(&file->input, &line, reterr);
		if (err > 0)
			err = take_line(file, line, reterr);
		else if (err == 0)
			break;
	} while (err == 0);
	if (err)
		return err;
	if (file->cut.code) {
		if (reterr)
			*reterr = file->cut;
		return file->cut.code;
	}
	if (!file->n_columns && !file->is_marked)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "this is no survey: it has no line with the "
				   "names of columns, as in policy,power_w");
	return 0;
}

static int read_all(struct ssdpm_survey_file *file, struct ssdpm_error *reterr)
{
	int err = ssdpm__input_text(&file->input, reterr);

	if (err < 0)
		return err;
	if (!err)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "this is no text, and a survey is one");
	err = read_lines(file, reterr);
	if (err)
		return err;
	return ssdpm__survey_make_runs(file, reterr);
}

static int open_file(struct given_bytes given,
		     struct ssdpm_survey_file **ret_file,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_survey_file *file = calloc(1, sizeof(*file));

	if (!file)
		return ssdpm__no_memory(reterr);
	file->params.size = sizeof(file->params);
	int err = ssdpm__input_open(&file->input, given, reterr);

	if (err == 0)
		err = read_all(file, reterr);
	ssdpm__input_close(&file->input);
	if (err) {
		ssdpm_survey_file_free(file);
		return err;
	}
	*ret_file = file;
	return 0;
}

int ssdpm_survey_file_open(int fd, struct ssdpm_survey_file **ret_file,
			   struct ssdpm_error *reterr)
{
	return open_file(ssdpm__of_fd(fd), ret_file, reterr);
}

int ssdpm_survey_file_open_data(const void *data, size_t size,
				struct ssdpm_survey_file **ret_file,
				struct ssdpm_error *reterr)
{
	return open_file(ssdpm__in_memory(data, size), ret_file, reterr);
}

static void free_names(struct survey_names *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		free(names->at[i]);
}

struct ssdpm_survey_file *ssdpm_survey_file_free(struct ssdpm_survey_file *file)
{
	if (!file)
		return NULL;
	free_names(&file->policies);
	free_names(&file->scenarios);
	free_names(&file->tests);
	for (size_t i = 0; i < file->n_facts; i++)
		free((char *)file->facts[i].key);
	free(file->facts);
	free(file->rows);
	free(file->readings);
	free(file->fio);
	free(file->time_ns);
	free(file->power_w);
	free(file->latency_us);
	free(file);
	return NULL;
}
