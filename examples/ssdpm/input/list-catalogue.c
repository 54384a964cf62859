/* SPDX-License-Identifier: MIT */
#include "text/device.h"
#include "text/output.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A row of the catalogue. */
struct entry {
	const char *product;
	const char *firmware; /* NULL: not known */
	uint32_t seen, row;
	struct ssdpm_model *model;
};

struct entries {
	const struct ssdpm_catalogue *catalogue;
	struct entry *entries;
	size_t n;
};

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

	entries->catalogue = catalogue;
	entries->entries = calloc(n, sizeof(*entries->entries));
	for (uint32_t i = 0; entries->entries && i < n; i++) {
		struct entry *entry = &entries->entries[entries->n];

		entry->product = ssdpm_catalogue_get_product(catalogue, i);
		if (!fits(pattern, entry->product))
			continue;
		entry->firmware = ssdpm_catalogue_get_firmware(catalogue, i);
		entry->seen = ssdpm_catalogue_get_seen(catalogue, i);
		entry->row = i;
		if (ssdpm_catalogue_get_model(catalogue, i, &entry->model,
					      &error))
			return failure("%s", error.message);
		entries->n++;
	}
	if (entries->entries)
		return STATUS_DONE;
	return failure("%s", error.message);
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

static void print_table(const struct entries *entries)
{
	struct table rows;

	table_begin(&rows, "<<>>>", "product", "firmware", "seen", "states",
		    "deepest power");
	for (size_t i = 0; i < entries->n; i++) {
		const struct entry *entry = &entries->entries[i];
		const struct ssdpm_power_state *last = deepest(entry);
		size_t n;

		ssdpm_model_get_states(entry->model, &n);
		table_row(&rows, entry->product,
			  entry->firmware ? entry->firmware : "-",
			  cell("%u", entry->seen).text, cell("%zu", n).text,
			  last ? ssdpm_uw_to_text(last->max_power_uw).text :
				 "-");
	}
	table_print(&rows);
}

static void add_entry(struct items *items, const struct entries *entries,
		      size_t i)
{
	const struct ssdpm_object object = {
		.size = sizeof(object),
		.kind = SSDPM_OBJECT_LIST,
		.index = entries->entries[i].row,
		.catalogue = entries->catalogue,
	};

	add_object(items, &object);
}

static enum exit_status print_entries_json(const struct common *common,
					   const struct entries *entries)
{
	struct items items = { 0 };

	for (size_t i = 0; i < entries->n; i++)
		add_entry(&items, entries, i);
	return print_items(common, &items);
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

enum exit_status list_catalogue(const struct common *common,
				const char *pattern)
{
	struct entries entries = { 0 };
	struct ssdpm_catalogue *catalogue;
	enum exit_status status;

	catalogue = open_catalogue(common);
	if (!catalogue)
		return STATUS_FAILED;
	status = collect(catalogue, pattern, &entries);
	if (!status && !entries.n)
		status = fail_pattern(pattern);
	else if (!status && common->form)
		status = print_entries_json(common, &entries);
	else if (!status)
		print_table(&entries);
	free_entries(&entries);
	ssdpm_catalogue_free(catalogue);
	return status;
}
