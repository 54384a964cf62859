/* SPDX-License-Identifier: MIT */
/*
 * What a record may say: it names what root writes, and where. A word that this
 * version does not know is refused before anything is written.
 */
#include "apply/record/record.h"

#include <string.h>

/* Only what a step may name. */
static bool is_target(const struct step_kind *kind, const char *path)
{
	const char *end = strrchr(path, '/');

	if (strstr(path, "/../") || !end || !strcmp(end, "/..") ||
	    strlen(path) >= SSDPM__TARGET_BYTES - sizeof("/power/") - 32)
		return false;
	return kind->is_target(path);
}

/* One that a step can have written, in the one form that it has. */
static bool take_value(const struct step_kind *kind, const char *text,
		       struct value *ret_value)
{
	return ssdpm__value_parse(kind, text, ret_value) &&
	       !strcmp(ret_value->text, text);
}

/* The policies that a step was to try, with commas between. */
static bool take_tries(struct change *change, const char *text)
{
	char word[32];

	while (change->n_lpms < SSDPM_MAX_LPMS) {
		size_t n = strcspn(text, ",");

		if (n >= sizeof(word))
			return false;
		memcpy(word, text, n);
		word[n] = '\0';
		if (!take_value(change->kind, word, &change->after))
			return false;
		change->lpms[change->n_lpms++] = change->after.is.lpm;
		if (!text[n])
			return true;
		text += n + 1;
	}
	return false;
}

static bool take_after(struct change *change, const char *text, bool journal)
{
	/* What took the place of a table may not have been read. */
	if (change->kind->role == ROLE_TABLE && !*text)
		return true;
	if (journal && change->kind->has_tries)
		return take_tries(change, text);
	return take_value(change->kind, text, &change->after);
}

const char *ssdpm__fill_change(struct change *change, const char *before,
			       const char *after, bool journal)
{
	if (!is_target(change->kind, change->path))
		return "no target of such a step";
	if (!take_value(change->kind, before, &change->before))
		return "unknown value before";
	if (!take_after(change, after, journal))
		return "unknown value after";
	return NULL;
}
