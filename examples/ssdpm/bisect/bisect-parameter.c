/* SPDX-License-Identifier: MIT */
/*
 * A parameter of Linux that is a list, with what the command line or modprobe.d
 * has of it. Linux takes the last value of such a parameter as a whole: the
 * others are lost. See ata_parse_force_param() in drivers/ata/libata-core.c.
 */
#include "bisect/bisect.h"

#include <stdlib.h>
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
static bool find_in_command_line(const struct search *search, const char *name,
				 struct cell *ret_value)
{
	char line[COMMAND_LINE_BYTES], *rest = line, *word, *value;
	bool is_there = false;

	if (ssdpm_machine_read_attribute(search->live->machine, "proc/cmdline",
					 line, sizeof(line), NULL))
		return false;
	while ((word = strsep(&rest, " \t\n")) && strcmp(word, "--") != 0) {
		value = value_of(word, name);
		if (!value)
			continue;
		*ret_value = cell("%s", value);
		is_there = true;
	}
	return is_there;
}

/* A parameter that is a list, and another one that each such module has. */
static const struct list {
	char name[16];
	char module[8];
	char key[8];
	char other[16];
} lists[] = {
	{ "libata.force", "libata", "force", "atapi_enabled" },
	{ "nvme.quirks", "nvme", "quirks", "io_queue_depth" },
};

static bool has_file(const struct search *search, const char *module,
		     const char *file)
{
	const struct cell path = cell("sys/module/%s/%s", module, file);
	char text[COMMAND_LINE_BYTES];

	return !ssdpm_machine_read_attribute(search->live->machine, path.text,
					     text, sizeof(text), NULL);
}

/* A module that is built into Linux has parameters, and no state. */
static bool is_built_in(const struct search *search, const struct list *list)
{
	return has_file(search, list->module,
			cell("parameters/%s", list->other).text) &&
	       !has_file(search, list->module, "initstate");
}

/* "options libata force=noncq" */
static bool take_option(const struct ssdpm_owner *owner,
			const struct list *list, struct cell *ret_value)
{
	struct cell line = cell("%s", owner->setting);
	char *rest = line.text, *word, *value;
	bool is_there = false;
	int n = 0;

	while ((word = strsep(&rest, " \t"))) {
		if (!*word)
			continue;
		if (n < 2 && strcmp(word, n ? list->module : "options") != 0)
			return false;
		value = n++ < 2 ? NULL : value_of(word, list->key);
		if (!value)
			continue;
		*ret_value = cell("%s", value);
		is_there = true;
	}
	return is_there;
}

static const char *name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* modprobe(8) takes files by their names, whatever their folder is. */
static bool find_in_modprobe(const struct search *search,
			     const struct list *list, struct cell *ret_value)
{
	struct ssdpm_owner *owners = NULL;
	const char *last = "";
	bool is_there = false;
	size_t n = 0;

	if (is_built_in(search, list) ||
	    ssdpm_machine_read_owners(search->live->machine, &owners, &n, NULL))
		return false;
	for (size_t i = 0; i < n; i++)
		if (owners[i].kind == SSDPM_OWNER_MODPROBE &&
		    strcmp(name_of(owners[i].path), last) >= 0 &&
		    take_option(&owners[i], list, ret_value)) {
			last = name_of(owners[i].path);
			is_there = true;
		}
	free(owners);
	return is_there;
}

/* modprobe(8) passes the options of the command line last. */
static struct cell last_value(const struct search *search,
			      const struct list *list)
{
	struct cell found = { "" };

	if (!find_in_command_line(search, list->name, &found))
		find_in_modprobe(search, list, &found);
	return found;
}

/*
 * An item without a port has that of the item before it, so one for all ports
 * comes first. The last item about a port counts.
 */
static struct cell with_ports(const struct cell *now,
			      const struct ssdpm_bisect_remedy *r)
{
	return r->all_drives ? cell("%s,%s", r->value, now->text) :
			       cell("%s,%s", now->text, r->value);
}

/*
 * "15b7:5008:no_apst,bogus_nid-144d:a808:no_deepest_ps": Linux takes the first
 * entry of a drive alone.
 */
static struct cell with_quirk(const struct cell *now,
			      const struct ssdpm_bisect_remedy *r)
{
	const char *quirk = strrchr(r->value, ':') + 1;
	const size_t n = (size_t)(quirk - r->value);
	const char *at = now->text;

	while (strncmp(at, r->value, n) != 0) {
		at = strchr(at, '-');
		if (!at++)
			return cell("%s-%s", now->text, r->value);
	}
	at += n;
	return cell("%.*s%s,%s", (int)(at - now->text), now->text, quirk, at);
}

struct cell whole_value(const struct search *search,
			const struct ssdpm_bisect_remedy *r)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct cell now;

		if (strcmp(r->target, lists[i].name) != 0)
			continue;
		now = last_value(search, &lists[i]);
		if (now.text[0])
			return strcmp(lists[i].key, "quirks") ?
				       with_ports(&now, r) :
				       with_quirk(&now, r);
	}
	return cell("%s", r->value);
}
