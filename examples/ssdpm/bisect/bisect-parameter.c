/* SPDX-License-Identifier: MIT */
/*
 * Parameters of Linux that are lists. Linux takes the last value of such a
 * parameter as a whole, so an item belongs into the list that is there. See
 * ata_parse_force_param() in drivers/ata/libata-core.c.
 */
#include "bisect/bisect.h"

#include <stdlib.h>
#include <string.h>

#include "lines/print.h"

/* Linux has 2 KiB on most machines, and 32 KiB more of a bootconfig. */
#define COMMAND_LINE_BYTES (1 << 16)

/* A parameter that is a list, and another one that each such module has. */
static const struct list {
	char name[16];
	char module[8];
	char option[8];
	char other[16];
} lists[] = {
	{ "libata.force", "libata", "force=", "atapi_enabled" },
	{ "nvme.quirks", "nvme", "quirks=", "io_queue_depth" },
};

/* NULL: it is no list. */
static const struct list *find_list(const char *parameter)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (strcmp(parameter, lists[i].name) == 0)
			return &lists[i];
	return NULL;
}

/* Quotes and words for the first process do not matter: the reader sees it. */
static bool is_in_command_line(const struct search *search,
			       const struct list *list)
{
	char *line = malloc(COMMAND_LINE_BYTES);
	const bool is_there = line &&
			      !ssdpm_machine_read_attribute(
				      search->live->machine, "proc/cmdline",
				      line, COMMAND_LINE_BYTES, NULL) &&
			      strstr(line, cell("%s=", list->name).text);

	free(line);
	return is_there;
}

static bool has_file(const struct search *search, const char *module,
		     const char *file)
{
	const struct cell path = cell("sys/module/%s/%s", module, file);
	char text[64];

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

/* "options libata force=noncq"; the option may be behind the end of a long one.
 */
static bool has_list(const struct ssdpm_owner *owner, const struct list *list)
{
	const char *setting = owner->setting;
	char module[sizeof(list->module) + 1];

	return owner->kind == SSDPM_OWNER_MODPROBE &&
	       sscanf(setting, "%*s %8s", module) == 1 &&
	       strcmp(module, list->module) == 0 &&
	       (strstr(setting, list->option) ||
		strlen(setting) == sizeof(owner->setting) - 1);
}

/* The lines of modprobe.d with the list; NULL: there is none. */
static struct ssdpm_owner *find_in_modprobe(const struct search *search,
					    const struct list *list,
					    size_t *ret_n)
{
	struct ssdpm_owner *owners = NULL;
	size_t n = 0;

	*ret_n = 0;
	if (is_built_in(search, list) ||
	    ssdpm_machine_read_owners(search->live->machine, &owners, &n, NULL))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (has_list(&owners[i], list))
			owners[(*ret_n)++] = owners[i];
	return owners;
}

/* In each of several lists the item counts, whichever Linux takes. */
static void print_places(const struct ssdpm_owner *owners, size_t n,
			 bool in_command_line)
{
	const size_t n_all = n + in_command_line;

	printf("  Linux takes one such list: put it into %s of ",
	       n_all == 1 ? "that" : "those");
	for (size_t i = 0; i < n_all; i++) {
		if (i > 0)
			printf(i + 1 == n_all ? " and " : ", ");
		if (i < n)
			printf("%s:%u", owners[i].path, owners[i].line);
		else
			printf("the command line");
	}
	puts("");
}

void print_lists_there(const struct search *search, const char *parameter)
{
	const struct list *list = find_list(parameter);
	struct ssdpm_owner *owners;
	bool in_command_line;
	size_t n;

	if (!list)
		return;
	in_command_line = is_in_command_line(search, list);
	owners = find_in_modprobe(search, list, &n);
	if (n || in_command_line)
		print_places(owners, n, in_command_line);
	free(owners);
}
