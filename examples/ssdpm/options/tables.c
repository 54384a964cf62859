/* SPDX-License-Identifier: MIT */
#include "options/apst-options.h"

#include "input/input.h"
#include "options/units.h"
#include "options/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum exit_status read_table(struct table_source *source)
{
	struct ssdpm_error error;
	struct buffer buffer = { 0 };
	int err = read_operand(source->name, &buffer);

	if (err) {
		free(buffer.data);
		return status_of_file(err);
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

/* "windows:balancd" or "linux:seconds=1s": no file has such a name. */
static bool begins_as_algorithm(const char *argument)
{
	const size_t n = strcspn(argument, ":");
	char word[32];

	if (n >= sizeof(word))
		return false;
	memcpy(word, argument, n);
	word[n] = '\0';
	return ssdpm_apst_algorithm_from_string(word);
}

/* A file, or what somebody takes for one. */
static bool is_path(const char *argument)
{
	return is_file(argument) || strpbrk(argument, "./");
}

bool may_be_table(const char *argument)
{
	return begins_as_algorithm(argument) || is_path(argument);
}

/* Only the library has the list of parameters: its message ends in it. */
static void suggest_parameter(struct ssdpm_error *error)
{
	static const char begin[] = "unknown parameter '";
	char words[sizeof(error->message)];
	char *key = words + strlen(begin), *key_end, *list, *rest;
	struct suggestion suggestion = { .word = key };

	strcpy(words, error->message);
	if (strncmp(words, begin, strlen(begin)) != 0)
		return;
	key_end = strstr(key, "' of ");
	list = key_end ? strstr(key_end, "; expected ") : NULL;
	if (!list)
		return;
	*key_end = '\0';
	for (const char *word =
		     strtok_r(list + strlen("; expected "), ", ", &rest);
	     word; word = strtok_r(NULL, ", ", &rest))
		if (strcmp(word, "or") != 0)
			suggest(&suggestion, word);
	if (suggestion.best)
		snprintf(error->message + (list - words),
			 sizeof(words) - (size_t)(list - words),
			 "; did you mean '%s'?", suggestion.best);
}

enum exit_status parse_table(const struct common *common, const char *option,
			     const char *argument,
			     const struct ssdpm_apst_params *params,
			     struct table_source *ret_source)
{
	struct table_source *source = ret_source;
	struct ssdpm_error error;

	*source = (struct table_source){ .name = argument, .params = *params };
	source->is_made =
		!ssdpm_apst_algorithm_parse(argument, &source->params, &error);
	if (source->is_made)
		return STATUS_DONE;
	if (begins_as_algorithm(argument)) {
		suggest_parameter(&error);
		return usage_error(common, "--%s %s: %s", option, argument,
				   error.message);
	}
	return is_path(argument) || !strcmp(option, "table") ?
		       read_table(source) :
		       failure("%s", unknown_of("file or algorithm", argument,
						TABLE_WORDS)
					     .text);
}

int make_table(const struct table_source *source, const struct drive *drive,
	       const struct quirks *quirks, struct ssdpm_apst *ret_table,
	       struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params params = source->params;

	if (ssdpm_model_get_info(drive->model)->kind != SSDPM_KIND_NVME) {
		snprintf(reterr->message, sizeof(reterr->message),
			 "%s is for NVMe drives",
			 source->is_made ? source->name : "a table");
		return reterr->code = -EOPNOTSUPP;
	}
	*ret_table = source->table;
	if (!source->is_made)
		return 0;
	params.quirks = apst_quirks(quirks, params.algorithm);
	return ssdpm_apst_generate(drive->model, &params, ret_table, reterr);
}

/* write_apst_to() belongs to Python, too, and knows no folded line. */
void print_apst(const struct ssdpm_apst *table)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return;
	write_apst_to(file, table);
	if (!fclose(file))
		fputs(text, stdout);
	free(text);
}
