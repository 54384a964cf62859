/* SPDX-License-Identifier: MIT */
/* The files of a machine, in their order. */
#include "intent/internal.h"

#include "base/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 20 };

static const char vendor[] = "usr/lib/ssdpm";
static const char own[] = "etc/ssdpm.conf";
static const char drop_ins[] = "etc/ssdpm.conf.d";
static const char passing[] = "run/ssdpm.conf.d";

static int fail(struct ssdpm_error *reterr, int err, const char *path)
{
	return ssdpm__fail(reterr, err, 0, "/%s: %s", path,
			   ssdpm_strerror(err));
}

int ssdpm__intent_read_text(struct ssdpm_machine *machine, const char *path,
			    char **ret_text, size_t *ret_size)
{
	char *room = malloc(MAX_BYTES + 1), *text;
	size_t size;
	int err = room ? ssdpm__read_bytes(machine, path, room, MAX_BYTES + 1,
					   &size) :
			 -ENOMEM;

	text = err ? NULL : malloc(size + 1);
	if (text)
		memcpy(text, room, size + 1);
	free(room);
	if (!text)
		return err ? err : -ENOMEM;
	*ret_text = text;
	*ret_size = size;
	return 0;
}

/* The text of a file, twice: one of them is for its profiles alone. */
static int read_file(struct ssdpm_machine *machine, const char *path,
		     struct intent_file *ret_file, struct ssdpm_error *reterr)
{
	struct intent_file *file = ret_file;
	int err = ssdpm__intent_read_text(machine, path, &file->text,
					  &file->size);

	if (err)
		return err == -ENOENT ? err : fail(reterr, err, path);
	file->path = strdup(path);
	file->profiles = malloc(file->size + 1);
	if (!file->path || !file->profiles)
		return ssdpm__no_memory(reterr);
	memcpy(file->profiles, file->text, file->size + 1);
	return 0;
}

static int add_file(struct ssdpm_machine *machine, const char *path,
		    struct ssdpm_intent *intent, struct ssdpm_error *reterr)
{
	struct intent_file *more;
	int err;

	more = realloc(intent->files, (intent->n_files + 1) * sizeof(*more));
	if (!more)
		return ssdpm__no_memory(reterr);
	intent->files = more;
	memset(&more[intent->n_files], 0, sizeof(*more));
	err = read_file(machine, path, &more[intent->n_files], reterr);
	if (err == -ENOENT)
		return 0;
	intent->n_files++;
	return err ? err : ssdpm__intent_parse(intent, reterr);
}

static bool is_conf(const char *name)
{
	size_t length = strlen(name);

	return *name != '.' && length > 5 &&
	       !strcmp(name + length - 5, ".conf");
}

static bool has_name(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->names[i], name))
			return true;
	return false;
}

/* The names in a directory; none, if it is not there. */
static int list(struct ssdpm_machine *machine, const char *directory,
		struct names *ret_names, struct ssdpm_error *reterr)
{
	int err = ssdpm__list_names(machine, directory, ret_names);

	return !err || err == -ENOENT ? 0 : fail(reterr, err, directory);
}

/* masks: names that are not read here; a link to nothing is one, too. */
static int add_directory(struct ssdpm_machine *machine, const char *directory,
			 const struct names *names, const struct names *masks,
			 struct ssdpm_intent *intent,
			 struct ssdpm_error *reterr)
{
	char path[SSDPM__PATH_BYTES];
	int err = 0;

	for (size_t i = 0; !err && i < names->n; i++) {
		const char *name = names->names[i];

		if (!is_conf(name) || has_name(masks, name))
			continue;
		err = ssdpm__join(path, directory, name);
		err = err ? fail(reterr, err, directory) :
			    add_file(machine, path, intent, reterr);
	}
	return err;
}

static int add_all(struct ssdpm_machine *machine, struct ssdpm_intent *intent,
		   struct ssdpm_error *reterr)
{
	struct names of_vendor = { 0 }, of_admin = { 0 }, of_run = { 0 };
	const struct names none = { 0 };
	int err = list(machine, vendor, &of_vendor, reterr);

	if (!err)
		err = list(machine, drop_ins, &of_admin, reterr);
	if (!err)
		err = list(machine, passing, &of_run, reterr);
	if (!err)
		err = add_directory(machine, vendor, &of_vendor, &of_admin,
				    intent, reterr);
	if (!err)
		err = add_file(machine, own, intent, reterr);
	if (!err)
		err = add_directory(machine, drop_ins, &of_admin, &none, intent,
				    reterr);
	if (!err)
		err = add_directory(machine, passing, &of_run, &none, intent,
				    reterr);
	ssdpm__free_names(&of_vendor);
	ssdpm__free_names(&of_admin);
	ssdpm__free_names(&of_run);
	return err;
}

/* Profiles that are named, and perhaps defined in another file. */
static int check_profiles(const struct ssdpm_intent *intent,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_profile_settings settings;
	struct ssdpm_error error;

	for (size_t i = 0; i < intent->n_lines; i++) {
		const struct intent_line *line = &intent->lines[i];

		/* In [desktop] the key is a name of the desktop's. */
		if ((line->key != INTENT_PROFILE &&
		     line->key != INTENT_N_KEYS) ||
		    ssdpm__span_is(line->value, "none"))
			continue;
		if (ssdpm__intent_profile(intent, line->value, SSDPM_SOURCE_AC,
					  &settings, &error))
			return ssdpm__intent_fail(&intent->files[line->file],
						  line->number, reterr,
						  "%.180s", error.message);
	}
	return 0;
}

int ssdpm_intent_read(struct ssdpm_machine *machine,
		      struct ssdpm_intent **ret_intent,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_intent *intent = calloc(1, sizeof(*intent));
	int err;

	if (!intent)
		return ssdpm__no_memory(reterr);
	err = add_all(machine, intent, reterr);
	if (!err)
		err = check_profiles(intent, reterr);
	if (err)
		ssdpm_intent_free(intent);
	else
		*ret_intent = intent;
	return err;
}

struct ssdpm_intent *ssdpm_intent_free(struct ssdpm_intent *intent)
{
	if (!intent)
		return NULL;
	for (uint32_t i = 0; i < intent->n_files; i++) {
		free(intent->files[i].path);
		free(intent->files[i].text);
		free(intent->files[i].profiles);
	}
	free(intent->files);
	free(intent->sections);
	free(intent->lines);
	free(intent);
	return NULL;
}

/* Does it say something else on AC than on battery? */
static bool is_of_source(const struct ssdpm_intent *intent,
			 const struct intent_line *line)
{
	struct ssdpm_profile_settings ac, battery;

	if (line->sources != 3)
		return true;
	if ((line->key != INTENT_PROFILE && line->key != INTENT_N_KEYS) ||
	    ssdpm__span_is(line->value, "none"))
		return false;
	if (ssdpm__intent_profile(intent, line->value, SSDPM_SOURCE_AC, &ac,
				  NULL) ||
	    ssdpm__intent_profile(intent, line->value, SSDPM_SOURCE_BATTERY,
				  &battery, NULL))
		return true;
	/* Their settings are compared, not their names. */
	return !ssdpm__profile_is_same(&ac, &battery);
}

uint32_t ssdpm_intent_get_flags(const struct ssdpm_intent *intent)
{
	uint32_t flags = 0;

	for (size_t i = 0; i < intent->n_lines; i++) {
		const struct intent_line *line = &intent->lines[i];

		if (line->key <= INTENT_PROFILE || line->key == INTENT_N_KEYS)
			flags |= SSDPM_INTENT_SETS;
		if (is_of_source(intent, line))
			flags |= SSDPM_INTENT_BY_SOURCE;
		if (line->key >= INTENT_DESKTOP_PROFILE)
			flags |= SSDPM_INTENT_BY_DESKTOP;
		if (line->key >= INTENT_POWER_STATE &&
		    line->key < INTENT_N_SETTINGS)
			flags |= SSDPM_INTENT_BY_COMMAND;
	}
	return flags;
}

static const char intent_flag_words[][11] = {
	[FLAG(SSDPM_INTENT_SETS)] = "sets",
	[FLAG(SSDPM_INTENT_BY_SOURCE)] = "by-source",
	[FLAG(SSDPM_INTENT_BY_DESKTOP)] = "by-desktop",
	[FLAG(SSDPM_INTENT_BY_COMMAND)] = "by-command",
};
FLAG_WORDS(intent_flag)
