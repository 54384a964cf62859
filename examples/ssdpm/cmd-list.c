/* SPDX-License-Identifier: MIT */
/* ssdpm list: the drives of the catalogue. */
#include "input.h"
#include "output.h"

#include "base/json.h"
#include "base/quantity.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_COLUMNS 5

struct settings {
	bool catalogue;
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "catalogue", 0, "[FILE]",
	  "list the catalogue, with your drives in FILE" },
};

/* A row of the catalogue. */
struct entry {
	const char *product;
	const char *firmware; /* NULL: not known */
	uint32_t seen, table;
	struct ssdpm_model *model;
};

struct entries {
	struct entry *entries;
	size_t n;
};

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct settings *settings = data;

	(void)option;
	settings->catalogue = true;
	if (argument)
		common->catalogue_path = argument;
	return STATUS_DONE;
}

static bool fits(const char *pattern, const char *product)
{
	if (!pattern)
		return true;
	if (strpbrk(pattern, "*?"))
		return !fnmatch(pattern, product, FNM_CASEFOLD);
	return strcasestr(product, pattern);
}

static void free_entries(struct entries *entries)
{
	for (size_t i = 0; i < entries->n; i++)
		ssdpm_model_unref(entries->entries[i].model);
	free(entries->entries);
}

/* All rows that fit. On failure there is a complaint. */
static enum exit_status collect(const struct ssdpm_catalogue *catalogue,
				const char *pattern, struct entries *entries)
{
	uint32_t n = ssdpm_catalogue_get_n_rows(catalogue);
	struct ssdpm_error error = { .message = "out of memory" };

	entries->entries = calloc(n, sizeof(*entries->entries));
	for (uint32_t i = 0; entries->entries && i < n; i++) {
		struct entry *entry = &entries->entries[entries->n];

		entry->product = ssdpm_catalogue_get_product(catalogue, i);
		if (!fits(pattern, entry->product))
			continue;
		entry->firmware = ssdpm_catalogue_get_firmware(catalogue, i);
		entry->seen = ssdpm_catalogue_get_seen(catalogue, i);
		entry->table = ssdpm_catalogue_get_table(catalogue, i);
		if (ssdpm_catalogue_get_model(catalogue, i, &entry->model,
					      &error)) {
			complain("%s", error.message);
			return STATUS_FAILED;
		}
		entries->n++;
	}
	if (entries->entries)
		return STATUS_DONE;
	complain("%s", error.message);
	return STATUS_FAILED;
}

/* The state that takes least, or NULL where no power is known. */
static const struct ssdpm_power_state *deepest(const struct entry *entry)
{
	const struct ssdpm_power_state *states;
	size_t n;

	states = ssdpm_model_get_states(entry->model, &n);
	if (!n || (states[n - 1].unknown & SSDPM_FIELD_MAX_POWER))
		return NULL;
	return &states[n - 1];
}

struct line {
	char cells[N_COLUMNS][48];
};

static void format_entry(const struct entry *entry, struct line *line)
{
	const struct ssdpm_power_state *last = deepest(entry);
	const size_t size = sizeof(line->cells[0]);
	size_t n;

	ssdpm_model_get_states(entry->model, &n);
	snprintf(line->cells[0], size, "%s", entry->product);
	snprintf(line->cells[1], size, "%s",
		 entry->firmware ? entry->firmware : "-");
	snprintf(line->cells[2], size, "%u", entry->seen);
	snprintf(line->cells[3], size, "%zu", n);
	snprintf(line->cells[4], size, "%s",
		 last ? ssdpm__format_uw(last->max_power_uw).text : "-");
}

static void print_line(const struct line *line, const int widths[N_COLUMNS])
{
	printf("  %-*s  %-*s  %*s  %*s  %*s\n", widths[0], line->cells[0],
	       widths[1], line->cells[1], widths[2], line->cells[2], widths[3],
	       line->cells[3], widths[4], line->cells[4]);
}

/* Thousands of rows: each is made twice and none is kept. */
static void print_entries(const struct entries *entries)
{
	static const struct line head = {
		{ "product", "firmware", "seen", "states", "deepest power" },
	};
	int widths[N_COLUMNS] = { 0 };
	struct line line = head;

	for (size_t i = 0; i <= entries->n; i++) {
		for (size_t j = 0; j < N_COLUMNS; j++)
			if ((int)strlen(line.cells[j]) > widths[j])
				widths[j] = (int)strlen(line.cells[j]);
		if (i < entries->n)
			format_entry(&entries->entries[i], &line);
	}
	print_line(&head, widths);
	for (size_t i = 0; i < entries->n; i++) {
		format_entry(&entries->entries[i], &line);
		print_line(&line, widths);
	}
}

static void write_entry(struct json_writer *w, const struct entry *entry)
{
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(entry->model);
	const struct ssdpm_power_state *last = deepest(entry);
	size_t n;

	ssdpm_model_get_states(entry->model, &n);
	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "schema", "ssdpm.list/1");
	ssdpm__json_string(w, "kind", ssdpm_kind_to_string(info->kind));
	if (info->unknown & SSDPM_INFO_VENDOR_ID)
		ssdpm__json_null(w, "vendor_id");
	else
		ssdpm__json_uint(w, "vendor_id", info->vendor_id);
	ssdpm__json_string(w, "product", entry->product);
	ssdpm__json_string(w, "firmware", entry->firmware);
	ssdpm__json_uint(w, "seen", entry->seen);
	ssdpm__json_uint(w, "table", entry->table);
	ssdpm__json_uint(w, "states_count", n);
	if (last)
		ssdpm__json_uint(w, "deepest_max_power_uw", last->max_power_uw);
	else
		ssdpm__json_null(w, "deepest_max_power_uw");
	ssdpm__json_end(w, '}');
}

static enum exit_status print_entries_json(const struct common *common,
					   const struct entries *entries)
{
	struct json_writer writer = { 0 };

	if (entries->n != 1)
		ssdpm__json_begin(&writer, NULL, '[');
	for (size_t i = 0; i < entries->n; i++)
		write_entry(&writer, &entries->entries[i]);
	if (entries->n != 1)
		ssdpm__json_end(&writer, ']');
	return print_written(common, &writer);
}

static enum exit_status fail_pattern(const char *pattern)
{
	if (access(pattern, F_OK))
		complain("%s: no drive in the catalogue matches", pattern);
	else
		complain("%s: no drive in the catalogue matches; to add the "
			 "drives of this file, write --catalogue=%s",
			 pattern, pattern);
	return STATUS_FAILED;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	const char *pattern = n_operands ? operands[0] : NULL;
	const struct settings *settings = data;
	struct entries entries = { 0 };
	struct ssdpm_catalogue *catalogue;
	enum exit_status status;

	if (!settings->catalogue)
		return usage_error(common, "only the catalogue can be listed "
					   "so far: give --catalogue");
	if (n_operands > 1)
		return usage_error(common, "one PATTERN at most; here are %zu",
				   n_operands);
	catalogue = open_catalogue(common);
	if (!catalogue)
		return STATUS_FAILED;
	status = collect(catalogue, pattern, &entries);
	if (!status && !entries.n)
		status = fail_pattern(pattern);
	else if (!status && common->form)
		status = print_entries_json(common, &entries);
	else if (!status)
		print_entries(&entries);
	free_entries(&entries);
	ssdpm_catalogue_unref(catalogue);
	return status;
}

const struct subcommand cmd_list = {
	.name = "list",
	.operands = "[PATTERN]",
	.operands_optional = true,
	.summary = "List the drives of the catalogue.",
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.examples = "  ssdpm list --catalogue sn530\n"
		    "  ssdpm list --catalogue 'samsung*pro*'\n"
		    "  ssdpm list --catalogue --json sn530\n",
	.set = set,
	.run = run,
	.settings = &the_settings,
};
