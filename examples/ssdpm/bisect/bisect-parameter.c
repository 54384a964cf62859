/* SPDX-License-Identifier: MIT */
/*
 * A parameter of Linux that is a list, with what the command line has of it.
 * Linux takes the last value of such a parameter as a whole: the others are
 * lost. See ata_parse_force_param() in drivers/ata/libata-core.c.
 */
#include "bisect/bisect.h"

#include <string.h>

/* Linux has fewer bytes of it on most machines. */
#define COMMAND_LINE_BYTES 4096

/* The value of "NAME=VALUE"; NULL: it is another parameter. */
static char *value_of(char *word, const char *name)
{
	const size_t n = strlen(name);

	/* Linux takes off quotes around all of it, or around the value. */
	if (*word == '"')
		word++;
	if (strncmp(word, name, n) != 0 || word[n] != '=')
		return NULL;
	word += n + 1;
	if (*word == '"')
		word++;
	word[strcspn(word, "\"")] = '\0';
	return word;
}

/* The words after "--" are for the first process. */
static struct cell last_value(const struct search *search, const char *name)
{
	char line[COMMAND_LINE_BYTES], *rest = line, *word, *value;
	struct cell found = { "" };

	if (ssdpm_machine_read_attribute(search->live->machine, "proc/cmdline",
					 line, sizeof(line), NULL))
		return found;
	while ((word = strsep(&rest, " \t\n")) && strcmp(word, "--") != 0) {
		value = value_of(word, name);
		if (value)
			found = cell("%s", value);
	}
	return found;
}

/*
 * An item without a port has that of the item before it, so one for all ports
 * comes first. The last item about a port counts.
 */
struct cell whole_value(const struct search *search,
			const struct ssdpm_bisect_remedy *r)
{
	struct cell now;

	if (strcmp(r->target, "libata.force") != 0)
		return cell("%s", r->value);
	now = last_value(search, r->target);
	if (!now.text[0])
		return cell("%s", r->value);
	return r->all_drives ? cell("%s,%s", r->value, now.text) :
			       cell("%s,%s", now.text, r->value);
}
