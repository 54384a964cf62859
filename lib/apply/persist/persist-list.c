/* SPDX-License-Identifier: MIT */
/* Files that make a policy last, in memory: their text, and a list of them. */
#include "apply/persist/persist.h"
#include "base/words.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ssdpm__put(struct text *text, const char *format, ...)
{
	size_t room = sizeof(text->text) - text->n;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->text + text->n, room, format, args);
	va_end(args);
	/* Every word that comes from outside has a limit. */
	assert(n >= 0 && (size_t)n < room);
	text->n += (size_t)n;
}

int ssdpm__persist_add(struct ssdpm_persist *persist, const char *path,
		       uint32_t mode, const char *contents, const char *note,
		       struct ssdpm_error *reterr)
{
	struct persist_file *files, *file;

	files = realloc(persist->files, (persist->n + 1) * sizeof(*files));
	if (!files)
		return ssdpm__no_memory(reterr);
	persist->files = files;
	file = &files[persist->n++];
	file->mode = mode;
	file->path = strdup(path);
	file->contents = strdup(contents);
	file->note = strdup(note);
	if (!file->path || !file->contents || !file->note)
		return ssdpm__no_memory(reterr);
	return 0;
}

struct ssdpm_persist *ssdpm_persist_free(struct ssdpm_persist *persist)
{
	if (!persist)
		return NULL;
	for (size_t i = 0; i < persist->n; i++) {
		free(persist->files[i].path);
		free(persist->files[i].contents);
		free(persist->files[i].note);
	}
	free(persist->files);
	free(persist);
	return NULL;
}

int ssdpm_persist_get_file(const struct ssdpm_persist *persist, size_t index,
			   struct ssdpm_persist_file *ret_file)
{
	struct ssdpm_persist_file file = { 0 };
	int err;

	if (index >= persist->n)
		return -ERANGE;
	err = ssdpm__sized_check(ret_file, sizeof(file), "ssdpm_persist_file",
				 NULL);
	if (err)
		return err;
	file.mode = persist->files[index].mode;
	file.path = persist->files[index].path;
	file.contents = persist->files[index].contents;
	file.note = persist->files[index].note;
	ssdpm__sized_out(ret_file, &file, sizeof(file));
	return 0;
}

static const char persist_kind_words[][9] = {
	[SSDPM_PERSIST_UDEV] = "udev",
	[SSDPM_PERSIST_MODPROBE] = "modprobe",
	[SSDPM_PERSIST_SYSTEMD] = "systemd",
	[SSDPM_PERSIST_TLP] = "tlp",
	[SSDPM_PERSIST_TUNED] = "tuned",
};
ENUM_WORDS(persist_kind)
