/* SPDX-License-Identifier: MIT */
/* Finding a drive in the catalogue by its name, without an allocation. */
#include "model/catalogue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAX_TABLES (CATALOGUE_TABLES + CATALOGUE_MAX_USER_TABLES)

/* One drive of the caller outweighs all built-in ones. */
#define USER_WEIGHT ((uint64_t)1 << 40)

#define SIMILAR 4 /* products that a message names */

/* What is looked for, and the rows from first up to end that have the name. */
struct drive_search {
	const struct ssdpm_catalogue *catalogue;
	const char *firmware; /* NULL: any */
	char key[PRODUCT_SIZE];
	size_t length;
	uint32_t first, end;
	bool exact;
};

/* How much speaks for each table. */
struct name_tally {
	uint64_t weights[MAX_TABLES];
	uint32_t n_rows, n_tables;
};

/* The first row whose key is not before this one. */
static uint32_t lower_bound(const struct ssdpm_catalogue *catalogue,
			    const char *key)
{
	uint32_t low = 0, high = catalogue->n_rows;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(ssdpm__catalogue_row(catalogue, middle).key, key) <
		    0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many rows from first on have this key, or begin with it. */
static uint32_t count_rows(const struct ssdpm_catalogue *catalogue,
			   uint32_t first, const char *key, size_t length)
{
	uint32_t i = first;

	while (i < catalogue->n_rows &&
	       !strncmp(ssdpm__catalogue_row(catalogue, i).key, key, length))
		i++;
	return i - first;
}

/* The name without blanks around it, in small letters. false: too long. */
static bool set_key(struct drive_search *search, const char *product)
{
	while (*product == ' ')
		product++;
	search->length = strlen(product);
	while (search->length && product[search->length - 1] == ' ')
		search->length--;
	if (search->length >= sizeof(search->key))
		return false;
	memset(search->key, 0, sizeof(search->key));
	memcpy(search->key, product, search->length);
	return ssdpm__fold(search->key, search->key, sizeof(search->key));
}

static void find_range(struct drive_search *search)
{
	uint32_t n;

	search->first = lower_bound(search->catalogue, search->key);
	/* With the final zero: the whole name. */
	n = count_rows(search->catalogue, search->first, search->key,
		       search->length + 1);
	search->exact = n;
	if (!n)
		n = count_rows(search->catalogue, search->first, search->key,
			       search->length);
	search->end = search->first + n;
}

static bool matches(const struct drive_search *search,
		    const struct drive_row *row)
{
	return !search->firmware ||
	       !ssdpm__compare_folded(row->firmware, search->firmware);
}

static uint64_t weight_of(const struct drive_row *row)
{
	return row->seen + (row->drive ? USER_WEIGHT : 0);
}

static void count(const struct drive_search *search, struct name_tally *tally)
{
	memset(tally->weights, 0,
	       search->catalogue->n_tables * sizeof(tally->weights[0]));
	tally->n_rows = 0;
	tally->n_tables = 0;
	for (uint32_t i = search->first; i < search->end; i++) {
		struct drive_row row =
			ssdpm__catalogue_row(search->catalogue, i);

		if (!matches(search, &row))
			continue;
		tally->n_rows++;
		tally->n_tables += !tally->weights[row.table];
		tally->weights[row.table] += weight_of(&row);
	}
}

/* The table that most speaks for; of equal ones that of the first row. */
static uint32_t best_table(const struct drive_search *search,
			   const struct name_tally *tally)
{
	uint32_t best = search->catalogue->n_tables;
	uint64_t most = 0;

	for (uint32_t i = search->first; i < search->end; i++) {
		struct drive_row row =
			ssdpm__catalogue_row(search->catalogue, i);

		if (matches(search, &row) && tally->weights[row.table] > most) {
			most = tally->weights[row.table];
			best = row.table;
		}
	}
	return best;
}

/* The row of this table that is seen most, and how often all of them are. */
static struct ssdpm_catalogue_match describe(const struct drive_search *search,
					     const struct name_tally *tally,
					     uint32_t table)
{
	struct ssdpm_catalogue_match match = {
		.exact = search->exact,
		.n_matches = tally->n_rows,
		.n_tables = tally->n_tables,
	};
	uint64_t most = 0;

	for (uint32_t i = search->first; i < search->end; i++) {
		struct drive_row row =
			ssdpm__catalogue_row(search->catalogue, i);

		if (row.table != table || !matches(search, &row))
			continue;
		match.n_rows++;
		match.seen += row.seen;
		if (weight_of(&row) > most) {
			most = weight_of(&row);
			match.index = i;
		}
	}
	return match;
}

/* Words in a message, as many as there is room for. */
struct name_words {
	char text[160];
	size_t length;
	size_t n;
};

static void add_word(struct name_words *words, const char *word)
{
	size_t room = sizeof(words->text) - words->length;
	int length = snprintf(words->text + words->length, room, "%s%s",
			      words->n ? ", " : "", word);

	if (length < 0 || (size_t)length >= room) {
		words->text[words->length] = 0;
		return;
	}
	words->length += (size_t)length;
	words->n++;
}

/* The firmwares of the rows that have the name, each once if they are sorted.
 */
static int fail_firmware(const struct drive_search *search,
			 struct ssdpm_error *reterr)
{
	const char *last = "";
	struct name_words words = { .n = 0 };

	for (uint32_t i = search->first; i < search->end; i++) {
		struct drive_row row =
			ssdpm__catalogue_row(search->catalogue, i);

		if (words.n < SIMILAR &&
		    ssdpm__compare_folded(row.firmware, last))
			add_word(&words, row.firmware);
		last = row.firmware;
	}
	return ssdpm__fail(reterr, -ENOENT, 0,
			   "in the catalogue, but not with firmware %.20s; it "
			   "has %s%s",
			   search->firmware, words.text,
			   words.n < SIMILAR ? "" : " and others");
}

/* Products that share the longest beginning, the first word at least. */
static void find_similar(const struct drive_search *search,
			 struct name_words *words)
{
	const struct ssdpm_catalogue *catalogue = search->catalogue;
	size_t least = strcspn(search->key, " ");
	size_t length = search->length;
	char key[PRODUCT_SIZE];
	const char *last = "";
	uint32_t first = 0, n = 0;

	memcpy(key, search->key, sizeof(key));
	while (length && length >= least && !n) {
		key[length] = 0;
		first = lower_bound(catalogue, key);
		n = count_rows(catalogue, first, key, length--);
	}
	for (uint32_t i = first; i < first + n && words->n < SIMILAR; i++) {
		struct drive_row row = ssdpm__catalogue_row(catalogue, i);

		if (strcmp(row.key, last))
			add_word(words, row.product);
		last = row.key;
	}
}

static int fail_product(const struct drive_search *search,
			struct ssdpm_error *reterr)
{
	struct name_words words = { .n = 0 };

	if (reterr)
		find_similar(search, &words);
	return ssdpm__fail(reterr, -ENOENT, 0, "not in the catalogue%s%s",
			   words.n ? "; similar are " : "", words.text);
}

static int search_for(const struct ssdpm_catalogue *catalogue,
		      const char *product, const char *firmware,
		      struct drive_search *search, struct name_tally *tally,
		      struct ssdpm_error *reterr)
{
	search->catalogue = catalogue;
	search->firmware = firmware;
	if (!set_key(search, product))
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "not in the catalogue: no drive has a "
				   "product name of more than %zu characters",
				   sizeof(search->key) - 1);
	if (!search->length)
		return ssdpm__fail(reterr, -EINVAL, 0, "product: empty");
	find_range(search);
	if (search->first == search->end)
		return fail_product(search, reterr);
	count(search, tally);
	return tally->n_rows ? 0 : fail_firmware(search, reterr);
}

int ssdpm_catalogue_find(const struct ssdpm_catalogue *catalogue,
			 const char *product, const char *firmware,
			 struct ssdpm_catalogue_match *ret_match,
			 struct ssdpm_error *reterr)
{
	struct drive_search search;
	struct name_tally tally;
	int err = search_for(catalogue, product, firmware, &search, &tally,
			     reterr);

	if (err)
		return err;
	*ret_match = describe(&search, &tally, best_table(&search, &tally));
	return 0;
}

int ssdpm_catalogue_find_alternatives(const struct ssdpm_catalogue *catalogue,
				      const char *product, const char *firmware,
				      struct ssdpm_catalogue_match *ret_matches,
				      size_t *n, struct ssdpm_error *reterr)
{
	struct drive_search search;
	struct name_tally tally;
	const size_t max = *n;
	uint32_t table;
	int err = search_for(catalogue, product, firmware, &search, &tally,
			     reterr);

	if (err)
		return err;
	/* Take the tables one after the other out of the count. */
	tally.weights[best_table(&search, &tally)] = 0;
	for (*n = 0; *n < max; ++*n) {
		table = best_table(&search, &tally);
		if (table == catalogue->n_tables)
			break;
		ret_matches[*n] = describe(&search, &tally, table);
		tally.weights[table] = 0;
	}
	return 0;
}
