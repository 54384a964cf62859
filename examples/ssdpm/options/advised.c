/* SPDX-License-Identifier: MIT */
#include "options/advised.h"

#include "input/live.h"
#include "text/remedy.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *root_of(const struct drive *drive)
{
	return drive->live ? drive->live->root : NULL;
}

char *advice_text(const struct drive *drive,
		  const struct ssdpm_diagnosis *diagnosis)
{
	return diagnosis && diagnosis->remedy ?
		       remedy_advice(root_of(drive),
				     ssdpm_device_get_facts(drive->device),
				     diagnosis) :
		       NULL;
}

char *show_text(const struct drive *drive)
{
	char *result = NULL;
	size_t size;
	FILE *file = open_memstream(&result, &size);

	if (!file)
		return NULL;
	fputs("ssdpm show", file);
	write_root(file, root_of(drive));
	write_word(file, drive->name);
	if (fclose(file)) {
		free(result);
		return NULL;
	}
	return result;
}
