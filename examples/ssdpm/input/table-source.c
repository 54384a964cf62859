/* SPDX-License-Identifier: MIT */
#include "input/table-source.h"

#include <stdlib.h>
#include <string.h>

/* What stands before the next colon; at moves behind it, NULL at the end. */
static size_t next_word(const char **at)
{
	size_t length = strcspn(*at, ":");

	*at = (*at)[length] ? *at + length + 1 : NULL;
	return length;
}

/* The number that to_string() gives this word for, or 0. */
static uint32_t find_word(const char *(*to_string)(uint32_t), const char *text,
			  size_t length)
{
	for (uint32_t i = 1; to_string(i); i++)
		if (strlen(to_string(i)) == length &&
		    !memcmp(to_string(i), text, length))
			return i;
	return 0;
}

/* "linux", "windows:balanced:battery"; anything else is a file. */
enum exit_status parse_table_source(const struct common *common,
				    const char *option, const char *argument,
				    struct table_source *source)
{
	struct ssdpm_apst_params *p = &source->params;
	const char *at = argument, *word = at;
	uint32_t number =
		find_word(ssdpm_apst_algorithm_to_string, word, next_word(&at));

	source->name = argument;
	source->is_algorithm = number != 0;
	if (!number)
		return STATUS_DONE;
	p->algorithm = number;
	for (int i = 0; at && number; i++) {
		word = at;
		number = 0;
		if (i == 0 && p->algorithm == SSDPM_APST_WINDOWS)
			number = p->scheme =
				find_word(ssdpm_power_scheme_to_string, word,
					  next_word(&at));
		else if (i == 1)
			number = p->power_source =
				find_word(ssdpm_power_source_to_string, word,
					  next_word(&at));
	}
	if (number)
		return STATUS_DONE;
	return usage_error(common,
			   "--%s %s: write a file, or an algorithm as in linux "
			   "or windows:balanced:battery",
			   option, argument);
}

enum exit_status read_table_source(struct table_source *source)
{
	struct ssdpm_error error;
	struct buffer buffer = { 0 };
	int err;

	if (source->is_algorithm)
		return STATUS_DONE;
	if (read_operand(source->name, &buffer)) {
		free(buffer.data);
		return STATUS_FAILED;
	}
	err = ssdpm_apst_from_data(buffer.data, buffer.size, &source->table,
				   &error);
	free(buffer.data);
	if (err && error.line)
		complain("%s:%u: %s", source->name, error.line, error.message);
	else if (err)
		complain("%s: %s", source->name, error.message);
	return err ? STATUS_FAILED : STATUS_DONE;
}

int make_table(const struct table_source *source, const struct drive *drive,
	       const struct quirks *quirks, struct ssdpm_apst *ret_table,
	       struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params params = source->params;

	if (!source->is_algorithm) {
		*ret_table = source->table;
		return 0;
	}
	params.quirks = apst_quirks(quirks, params.algorithm);
	return ssdpm_apst_generate(drive->model, &params, ret_table, reterr);
}
