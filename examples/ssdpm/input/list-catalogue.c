/* SPDX-License-Identifier: MIT */
#include "input/live.h"
#include "text/device.h"
#include "text/output.h"

#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

static bool fits(const char *pattern, const char *product)
{
	if (!pattern)
		return true;
	if (strpbrk(pattern, "*?"))
		return !fnmatch(pattern, product, FNM_CASEFOLD);
	return strcasestr(product, pattern);
}

/* The power of the state that takes least; "-" if none is known. */
static struct cell deepest_power(const struct ssdpm_model *model)
{
	const struct ssdpm_power_state *states;
	size_t n;

	states = ssdpm_model_get_states(model, &n);
	if (!n || (states[n - 1].unknown & SSDPM_FIELD_MAX_POWER))
		return cell("-");
	return cell("%s", ssdpm_uw_to_text(states[n - 1].max_power_uw).text);
}

static enum exit_status add_row(struct table *rows,
				const struct ssdpm_catalogue *catalogue,
				uint32_t i,
				const struct ssdpm_catalogue_row *row)
{
	struct ssdpm_model *model;
	struct ssdpm_error error;
	size_t n;

	if (ssdpm_catalogue_get_model(catalogue, i, &model, &error))
		return failure("%s", error.message);
	ssdpm_model_get_states(model, &n);
	table_row(rows, row->product, row->firmware ? row->firmware : "-",
		  cell("%u", row->seen).text, cell("%zu", n).text,
		  deepest_power(model).text);
	ssdpm_model_unref(model);
	return STATUS_DONE;
}

static void add_entry(struct items *items,
		      const struct ssdpm_catalogue *catalogue, uint32_t i)
{
	const struct ssdpm_object object = {
		.size = sizeof(object),
		.kind = SSDPM_OBJECT_LIST,
		.index = i,
		.catalogue = catalogue,
	};

	add_object(items, &object);
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

/* All rows that fit. On failure there is a complaint. */
static enum exit_status list(const struct common *common,
			     const struct ssdpm_catalogue *catalogue,
			     const char *pattern)
{
	struct ssdpm_catalogue_row row = { .size = sizeof(row) };
	enum exit_status status = STATUS_DONE;
	struct items items = { 0 };
	struct table rows;
	bool any = false;

	table_begin(&rows, "<<>>>", "product", "firmware", "seen", "states",
		    "deepest power");
	for (uint32_t i = 0;
	     !status && !ssdpm_catalogue_get_row(catalogue, i, &row); i++) {
		if (!fits(pattern, row.product))
			continue;
		any = true;
		if (common->form)
			add_entry(&items, catalogue, i);
		else
			status = add_row(&rows, catalogue, i, &row);
	}
	if (!status && !any)
		status = fail_pattern(pattern);
	else if (!status && common->form)
		status = print_items(common, &items);
	else if (!status)
		table_print(&rows);
	free_items(&items);
	table_free(&rows);
	return status;
}

enum exit_status list_catalogue(const struct common *common,
				const char *pattern)
{
	struct ssdpm_catalogue *catalogue;
	enum exit_status status = open_catalogue(common, &catalogue);

	if (status)
		return status;
	status = list(common, catalogue, pattern);
	ssdpm_catalogue_free(catalogue);
	return status;
}

static void print_device_names(const struct live *live)
{
	struct ssdpm_device **devices;
	size_t n;

	if (ssdpm_device_list_read(live->machine, &devices, &n, NULL))
		return;
	for (size_t i = 0; i < n; i++)
		puts(ssdpm_device_get_facts(devices[i])->name);
	ssdpm_device_list_free(devices, n);
}

/* Rows of one product follow each other. */
static void print_products(const struct ssdpm_catalogue *catalogue)
{
	struct ssdpm_catalogue_row row = { .size = sizeof(row) };
	const char *last = "";

	for (uint32_t i = 0; !ssdpm_catalogue_get_row(catalogue, i, &row);
	     i++) {
		if (strcmp(row.product, last))
			puts(row.product);
		last = row.product;
	}
}

enum exit_status print_drive_names(bool catalogued, const char *root)
{
	const struct common common = { .subcommand = "list", .quiet = true };
	struct ssdpm_catalogue *catalogue = NULL;
	struct live *live;

	if (!open_live(&common, root, &live)) {
		print_device_names(live);
		close_live(live);
	}
	if (catalogued && !open_catalogue(&common, &catalogue))
		print_products(catalogue);
	ssdpm_catalogue_free(catalogue);
	return STATUS_DONE;
}
