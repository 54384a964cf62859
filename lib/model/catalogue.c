/* SPDX-License-Identifier: MIT */
/* The catalogue: drives that others have seen, and those of a caller. */
#include "model/catalogue.h"
#include "model/sata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A model's unknown bits, less those that are no fact of its table. */
#define NAMES (SSDPM_INFO_VENDOR_ID | SSDPM_INFO_PRODUCT | SSDPM_INFO_FIRMWARE)

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool ssdpm__fold(const char *text, char *ret_key, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		ret_key[i] = small(text[i]);
		if (!text[i])
			return true;
	}
	return false;
}

int ssdpm__compare_folded(const char *a, const char *b)
{
	while (*a && small(*a) == small(*b)) {
		a++;
		b++;
	}
	return (unsigned char)small(*a) - (unsigned char)small(*b);
}

static struct drive_row user_row(const struct user_drive *drive)
{
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(drive->model);

	return (struct drive_row){
		.key = drive->key,
		.product = info->product,
		.firmware = info->firmware,
		.seen = 1,
		.table = drive->table,
		.drive = drive,
	};
}

static struct drive_row built_in_row(uint32_t index)
{
	const struct catalogue_row *row = &ssdpm_catalogue_data.rows[index];
	const char *strings = ssdpm_catalogue_data.strings;

	return (struct drive_row){
		.key = strings + row->key,
		.product = strings + row->product,
		.firmware = strings + row->firmware,
		.seen = row->seen,
		.table = row->table,
	};
}

struct drive_row ssdpm__catalogue_row(const struct ssdpm_catalogue *catalogue,
				      uint32_t index)
{
	if (catalogue->order)
		index = catalogue->order[index];
	if (index < CATALOGUE_ROWS)
		return built_in_row(index);
	return user_row(&catalogue->drives[index - CATALOGUE_ROWS]);
}

static void expand_state(const struct catalogue_state *from,
			 struct ssdpm_power_state *state)
{
	const uint32_t unit_uw =
		from->flags & CATALOGUE_SHOWN_COARSELY ? 10000 : 100;

	*state = (struct ssdpm_power_state){
		.flags = from->flags & ~(uint32_t)CATALOGUE_SHOWN_COARSELY,
		.unknown = from->unknown,
		.not_reported = from->not_reported,
		.max_power_uw = from->max_power_uw,
		.active_power_uw = from->active_power_uw,
		.idle_power_uw = from->idle_power_uw,
		.entry_latency_us = from->entry_latency_us,
		.exit_latency_us = from->exit_latency_us,
		.read_throughput_rank = from->ranks[0],
		.read_latency_rank = from->ranks[1],
		.write_throughput_rank = from->ranks[2],
		.write_latency_rank = from->ranks[3],
		.active_power_workload = from->active_power_workload,
		.shown_active_power_uw = from->shown_active * unit_uw,
	};
}

static void expand_sata(const struct catalogue_sata *from,
			struct ssdpm_model_info *info)
{
	info->unknown |= from->unknown;
	info->sata_words_valid = from->words_valid;
	info->sata_generations = from->generations;
	info->apm_level = from->apm_level;
	info->rotational = from->rotational;
	info->sata_supported = from->supported;
	info->sata_supported_unknown = from->supported_unknown;
	info->sata_enabled = from->enabled;
	info->sata_enabled_unknown = from->enabled_unknown;
}

/* A built-in table as a model has it; info has no names yet. */
static size_t expand_table(const struct catalogue_table *table,
			   struct ssdpm_model_info *info,
			   struct ssdpm_power_state states[SSDPM_MAX_STATES])
{
	*info = (struct ssdpm_model_info){
		.size = sizeof(*info),
		.kind = table->kind,
		.unknown = SSDPM_INFO_APSTA,
		.provenance = SSDPM_PROVENANCE_CATALOGUE,
	};
	if (table->kind == SSDPM_KIND_SATA) {
		expand_sata(&table->sata, info);
		return ssdpm__sata_states(info, 0, states);
	}
	for (size_t i = 0; i < table->n_states; i++)
		expand_state(
			&ssdpm_catalogue_data.states[table->first_state + i],
			&states[i]);
	return table->n_states;
}

static int built_in_model(uint32_t index, struct ssdpm_model **ret_model,
			  struct ssdpm_error *reterr)
{
	const struct catalogue_row *row = &ssdpm_catalogue_data.rows[index];
	const struct drive_row texts = built_in_row(index);
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	struct ssdpm_model_info info;
	size_t n;

	n = expand_table(&ssdpm_catalogue_data.tables[row->table], &info,
			 states);
	memcpy(info.product, texts.product, strlen(texts.product));
	memcpy(info.firmware, texts.firmware, strlen(texts.firmware));
	info.vendor_id = row->vendor_id;
	if (row->flags & CATALOGUE_VENDOR_UNKNOWN)
		info.unknown |= SSDPM_INFO_VENDOR_ID;
	return ssdpm_model_new(&info, states, n, ret_model, reterr);
}

static int check_index(const struct ssdpm_catalogue *catalogue, uint32_t index,
		       struct ssdpm_error *reterr)
{
	if (index < catalogue->n_rows)
		return 0;
	return ssdpm__fail(reterr, -ERANGE, 0,
			   "index: %u is no row; the catalogue has %u", index,
			   catalogue->n_rows);
}

int ssdpm_catalogue_get_model(const struct ssdpm_catalogue *catalogue,
			      uint32_t index, struct ssdpm_model **ret_model,
			      struct ssdpm_error *reterr)
{
	int err = check_index(catalogue, index, reterr);
	struct drive_row row;

	if (err)
		return err;
	row = ssdpm__catalogue_row(catalogue, index);
	if (row.drive) {
		*ret_model = ssdpm_model_ref(row.drive->model);
		return 0;
	}
	return built_in_model(catalogue->order ? catalogue->order[index] :
						 index,
			      ret_model, reterr);
}

int ssdpm_catalogue_get_row(const struct ssdpm_catalogue *catalogue,
			    uint32_t index, struct ssdpm_catalogue_row *ret_row)
{
	struct ssdpm_catalogue_row result = { 0 };
	struct drive_row row;
	int err;

	err = ssdpm__sized_check(ret_row, sizeof(result), "ssdpm_catalogue_row",
				 NULL);
	if (err)
		return err;
	if (index >= catalogue->n_rows)
		return -ERANGE;
	row = ssdpm__catalogue_row(catalogue, index);
	result.seen = row.seen;
	result.table = row.table + 1;
	result.product = row.product;
	result.firmware = row.firmware[0] ? row.firmware : NULL;
	ssdpm__sized_out(ret_row, &result, sizeof(result));
	return 0;
}

/*
 * A model of the caller as a row of the catalogue: what a drive reported is now
 * what a drive of the same name says.
 */
static int adopt(const struct ssdpm_model *model, size_t index,
		 struct user_drive *drive, struct ssdpm_error *reterr)
{
	struct ssdpm_model_info info = *ssdpm_model_get_info(model);
	const struct ssdpm_power_state *states;
	size_t n;

	if (!info.product[0])
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "drives[%zu].product: a catalogue finds "
				   "drives by it, here is none",
				   index);
	if (info.provenance == SSDPM_PROVENANCE_REPORTED || !info.provenance)
		info.provenance = SSDPM_PROVENANCE_CATALOGUE;
	ssdpm__fold(info.product, drive->key, sizeof(drive->key));
	drive->index = (uint32_t)index;
	states = ssdpm_model_get_states(model, &n);
	return ssdpm_model_new(&info, states, n, &drive->model, reterr);
}

/* All but the names and where the numbers come from. */
static bool same_facts(const struct ssdpm_model_info *a,
		       const struct ssdpm_model_info *b)
{
	return a->kind == b->kind && a->apsta == b->apsta &&
	       (a->unknown & ~NAMES) == (b->unknown & ~NAMES) &&
	       a->sata_words_valid == b->sata_words_valid &&
	       a->sata_generations == b->sata_generations &&
	       a->apm_level == b->apm_level && a->rotational == b->rotational &&
	       a->sata_supported == b->sata_supported &&
	       a->sata_supported_unknown == b->sata_supported_unknown &&
	       a->sata_enabled == b->sata_enabled &&
	       a->sata_enabled_unknown == b->sata_enabled_unknown;
}

static bool same_table(const struct ssdpm_model_info *info,
		       const struct ssdpm_power_state *states, size_t n,
		       const struct user_drive *drive)
{
	const struct ssdpm_power_state *other;
	size_t n_other;

	other = ssdpm_model_get_states(drive->model, &n_other);
	return n == n_other &&
	       same_facts(info, ssdpm_model_get_info(drive->model)) &&
	       !memcmp(states, other, n * sizeof(*states));
}

/* No drive of the caller has a number yet: the built-in tables come first. */
static void find_built_in_tables(struct ssdpm_catalogue *catalogue)
{
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	struct ssdpm_model_info info;

	for (size_t i = 0; i < catalogue->n_drives; i++)
		catalogue->drives[i].table = UINT32_MAX;
	for (uint32_t t = 0; t < CATALOGUE_TABLES; t++) {
		size_t n = expand_table(&ssdpm_catalogue_data.tables[t], &info,
					states);

		for (size_t i = 0; i < catalogue->n_drives; i++)
			if (same_table(&info, states, n, &catalogue->drives[i]))
				catalogue->drives[i].table = t;
	}
}

/* Equal tables have one number. */
static int number_tables(struct ssdpm_catalogue *catalogue,
			 struct ssdpm_error *reterr)
{
	find_built_in_tables(catalogue);
	for (size_t i = 0; i < catalogue->n_drives; i++) {
		struct user_drive *drive = &catalogue->drives[i];
		const struct ssdpm_power_state *states;
		size_t n;

		if (drive->table != UINT32_MAX)
			continue;
		if (catalogue->n_tables ==
		    CATALOGUE_TABLES + CATALOGUE_MAX_USER_TABLES)
			return ssdpm__fail(reterr, -E2BIG, 0,
					   "drives: more than %d different "
					   "tables",
					   CATALOGUE_MAX_USER_TABLES);
		drive->table = catalogue->n_tables++;
		states = ssdpm_model_get_states(drive->model, &n);
		for (size_t j = i + 1; j < catalogue->n_drives; j++)
			if (same_table(ssdpm_model_get_info(drive->model),
				       states, n, &catalogue->drives[j]))
				catalogue->drives[j].table = drive->table;
	}
	return 0;
}

static int compare_rows(const struct drive_row *a, const struct drive_row *b)
{
	int order = strcmp(a->key, b->key);

	return order ? order : ssdpm__compare_folded(a->firmware, b->firmware);
}

static int compare_drives(const void *a, const void *b)
{
	const struct user_drive *x = a, *y = b;
	struct drive_row row_x = user_row(x), row_y = user_row(y);
	int order = compare_rows(&row_x, &row_y);

	if (order)
		return order;
	return x->index < y->index ? -1 : 1;
}

/* Both are sorted; a drive of the caller takes the place of its namesakes. */
static void merge(struct ssdpm_catalogue *catalogue)
{
	const size_t n_drives = catalogue->n_drives;
	uint32_t i = 0, j = 0, n = 0;

	while (i < CATALOGUE_ROWS || j < n_drives) {
		int order = i < CATALOGUE_ROWS ? -1 : 1;

		if (i < CATALOGUE_ROWS && j < n_drives) {
			struct drive_row a = built_in_row(i);
			struct drive_row b = user_row(&catalogue->drives[j]);

			order = compare_rows(&a, &b);
		}
		if (order == 0)
			i++;
		else
			catalogue->order[n++] =
				order < 0 ? i++ : CATALOGUE_ROWS + j++;
	}
	catalogue->n_rows = n;
}

static int add_drives(struct ssdpm_catalogue *catalogue,
		      struct ssdpm_model *const *models, size_t n,
		      struct ssdpm_error *reterr)
{
	int err = 0;

	catalogue->drives = calloc(n, sizeof(*catalogue->drives));
	catalogue->order =
		calloc(CATALOGUE_ROWS + n, sizeof(*catalogue->order));
	if (!catalogue->drives || !catalogue->order)
		return ssdpm__no_memory(reterr);
	catalogue->n_drives = n;
	for (size_t i = 0; i < n && !err; i++)
		err = adopt(models[i], i, &catalogue->drives[i], reterr);
	if (err)
		return err;
	qsort(catalogue->drives, n, sizeof(*catalogue->drives), compare_drives);
	err = number_tables(catalogue, reterr);
	if (!err)
		merge(catalogue);
	return err;
}

int ssdpm_catalogue_new(const void *data, size_t size,
			struct ssdpm_catalogue **ret_catalogue,
			struct ssdpm_error *reterr)
{
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_model **models = NULL;
	size_t n = 0;
	int err = 0;

	if (data)
		err = ssdpm_model_list_from_data(data, size, &models, &n,
						 reterr);
	if (err)
		return err;
	catalogue = calloc(1, sizeof(*catalogue));
	if (catalogue) {
		catalogue->n_rows = CATALOGUE_ROWS;
		catalogue->n_tables = CATALOGUE_TABLES;
		if (models)
			err = add_drives(catalogue, models, n, reterr);
	} else {
		err = ssdpm__no_memory(reterr);
	}
	ssdpm_model_list_free(models, n);
	if (err)
		ssdpm_catalogue_free(catalogue);
	else
		*ret_catalogue = catalogue;
	return err;
}

struct ssdpm_catalogue *ssdpm_catalogue_free(struct ssdpm_catalogue *catalogue)
{
	if (!catalogue)
		return NULL;
	for (size_t i = 0; i < catalogue->n_drives; i++)
		ssdpm_model_unref(catalogue->drives[i].model);
	free(catalogue->drives);
	free(catalogue->order);
	free(catalogue);
	return NULL;
}
