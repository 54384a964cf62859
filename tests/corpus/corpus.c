/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

const char *corpus_directory(int argc, char **argv)
{
	const char *directory = argc > 1 ? argv[1] : getenv("SSDPM_SHARED");

	if (!directory || !*directory)
		die("Where is the corpus? Set SSDPM_SHARED.");
	return directory;
}

size_t read_file(const char *path, uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "rb");
	size_t n;

	if (!file)
		die("%s: %s", path, strerror(errno));
	n = fread(data, 1, size, file);
	fclose(file);
	return n;
}

void check_round_trip(const struct ssdpm_model *model, const char *where)
{
	struct ssdpm_model **models, *again;
	struct ssdpm_error error;
	char *text, *text_again;
	size_t n, n_again;

	if (ssdpm_model_to_json(model, &text, &error) ||
	    ssdpm_model_list_from_data(text, strlen(text), &models, &n,
				       &error) ||
	    ssdpm_model_to_json(models[0], &text_again, &error))
		die("%s: %s", where, error.message);
	again = ssdpm_model_ref(models[0]);
	ssdpm_model_list_free(models, n);
	ssdpm_model_get_states(model, &n);
	ssdpm_model_get_states(again, &n_again);
	if (strcmp(text, text_again) || n != n_again ||
	    memcmp(ssdpm_model_get_states(model, NULL),
		   ssdpm_model_get_states(again, NULL),
		   n * sizeof(struct ssdpm_power_state)))
		die("%s: another drive came back from JSON", where);
	free(text);
	free(text_again);
	ssdpm_model_unref(again);
}
