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
#define SHORTEST_PART 3

/* How a product has a name. */
enum fit {
	FIT_EXACT,
	FIT_BEGINS,
	FIT_HAS_WORDS,
	FIT_OTHER_CAPACITY,
	N_FITS,
};

/* The wanted name, and how the best products match it. */
struct drive_search {
	const struct ssdpm_catalogue *catalogue;
	const char *firmware; /* NULL: any */
	char key[PRODUCT_SIZE];
	char family[PRODUCT_SIZE]; /* the key with marks for capacities */
	size_t length;
	enum fit fit;
	uint32_t first; /* no row before it fits */
	bool has_capacity;
	bool other_capacity; /* the last word of the key was one */
};

/* How much speaks for each table. */
struct name_tally {
	uint64_t weights[MAX_TABLES];
	uint32_t n_rows, n_tables;
};

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

/* Whether a key has the words of a name, in this order. */
static bool has_words(const char *key, const char *name)
{
	while (*name) {
		size_t length = strcspn(name, " ");

		key = memmem(key, strlen(key), name, length);
		if (!key)
			return false;
		key += length;
		name += length + strspn(name + length, " ");
	}
	return true;
}

static bool is_of_family(const struct drive_search *search, const char *key)
{
	char family[PRODUCT_SIZE];

	/* A mark, and what is enough for a part of a name. */
	return search->has_capacity && strlen(search->family) > SHORTEST_PART &&
	       ssdpm__drop_capacities(key, family) &&
	       strstr(family, search->family);
}

static bool has_name(const struct drive_search *search, const char *key)
{
	switch (search->fit) {
	case FIT_EXACT:
		return !strcmp(key, search->key);
	case FIT_BEGINS:
		return !strncmp(key, search->key, search->length);
	case FIT_HAS_WORDS:
		return search->length >= SHORTEST_PART &&
		       has_words(key, search->key);
	default:
		return is_of_family(search, key);
	}
}

/* Rows are sorted by their keys: these fits are side by side. */
static bool is_sorted(enum fit fit)
{
	return fit <= FIT_BEGINS;
}

static uint32_t first_row(const struct drive_search *search)
{
	uint32_t low = 0, high = search->catalogue->n_rows;

	if (!is_sorted(search->fit))
		return 0;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(ssdpm__catalogue_row(search->catalogue, middle).key,
			   search->key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The next row with the name from *at on, which is behind it then. */
static bool next_name(const struct drive_search *search, uint32_t *at,
		      struct drive_row *ret_row)
{
	while (*at < search->catalogue->n_rows) {
		*ret_row = ssdpm__catalogue_row(search->catalogue, (*at)++);
		if (has_name(search, ret_row->key))
			return true;
		if (is_sorted(search->fit))
			return false;
	}
	return false;
}

/* The best fit, this one or worse, that some product has, or N_FITS. */
static void find_fit(struct drive_search *search, enum fit best)
{
	struct drive_row row;

	for (search->fit = best; search->fit < N_FITS; search->fit++) {
		uint32_t at = search->first = first_row(search);

		if (next_name(search, &at, &row))
			return;
	}
}

/* "970 EVO Plus 4TB": a capacity that nobody has seen is as the others. */
static bool drop_capacity(struct drive_search *search)
{
	char *last = strrchr(search->key, ' ');
	size_t length = last ? strlen(last) : 0;

	if (length < 4 || last[1] < '0' || last[1] > '9' ||
	    (strcmp(last + length - 2, "gb") &&
	     strcmp(last + length - 2, "tb")))
		return false;
	*last = 0;
	search->length = (size_t)(last - search->key);
	search->other_capacity = true;
	return true;
}

/* next_name() with the firmware, too. */
static bool next_match(const struct drive_search *search, uint32_t *at,
		       struct drive_row *ret_row)
{
	while (next_name(search, at, ret_row))
		if (!search->firmware ||
		    !ssdpm__compare_folded(ret_row->firmware, search->firmware))
			return true;
	return false;
}

static uint64_t weight_of(const struct drive_row *row)
{
	return row->seen + (row->drive ? USER_WEIGHT : 0);
}

static void count(const struct drive_search *search, struct name_tally *tally)
{
	struct drive_row row;

	memset(tally->weights, 0,
	       search->catalogue->n_tables * sizeof(tally->weights[0]));
	tally->n_rows = 0;
	tally->n_tables = 0;
	for (uint32_t i = search->first; next_match(search, &i, &row);) {
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
	struct drive_row row;

	for (uint32_t i = search->first; next_match(search, &i, &row);)
		if (tally->weights[row.table] > most) {
			most = tally->weights[row.table];
			best = row.table;
		}
	return best;
}

/* The row of this table that is seen most, and how often all of them are. */
static struct ssdpm_catalogue_match describe(const struct drive_search *search,
					     const struct name_tally *tally,
					     uint32_t table)
{
	struct ssdpm_catalogue_match match = {
		.exact = search->fit == FIT_EXACT,
		.other_capacity = search->other_capacity ||
				  search->fit == FIT_OTHER_CAPACITY,
		.n_matches = tally->n_rows,
		.n_tables = tally->n_tables,
	};
	uint64_t most = 0;
	struct drive_row row;

	for (uint32_t i = search->first; next_match(search, &i, &row);) {
		if (row.table != table)
			continue;
		match.n_rows++;
		match.seen += row.seen;
		if (weight_of(&row) > most) {
			most = weight_of(&row);
			match.index = i - 1;
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
	struct drive_row row;

	for (uint32_t i = search->first; next_name(search, &i, &row);) {
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

/* Whether a key has this word, but for one letter. */
static bool has_nearly(const char *key, const char *word, size_t length)
{
	const size_t n = strlen(key);

	for (size_t at = 0; at + length <= n; at++) {
		size_t wrong = 0;

		for (size_t i = 0; i < length; i++)
			wrong += key[at + i] != word[i];
		if (wrong <= 1)
			return true;
	}
	return false;
}

/*
 * Counts the letters of a name in a key. For each word it counts those at its
 * beginning, if they are three or the word. One letter of four or more may be
 * wrong. One more counts if the key begins as the name.
 */
static size_t likeness(const char *key, const char *name)
{
	const bool begins = *key == *name;
	size_t sum = 0;

	while (*name) {
		size_t word = strcspn(name, " "), length = word;

		while (length > 1 && !memmem(key, strlen(key), name, length))
			length--;
		if (word > 3 && length + 1 < word &&
		    has_nearly(key, name, word))
			length = word - 1;
		if (length > 2 || (length > 1 && length == word))
			sum += length;
		name += word + strspn(name + word, " ");
	}
	return sum ? sum + begins : 0;
}

/* Products that are most like it, if they have a quarter of it. */
static void find_similar(const struct drive_search *search,
			 struct name_words *words)
{
	const struct ssdpm_catalogue *catalogue = search->catalogue;
	size_t most = (search->length + 3) / 4;
	const char *last = "";

	for (uint32_t i = 0; i < catalogue->n_rows; i++) {
		struct drive_row row = ssdpm__catalogue_row(catalogue, i);
		size_t alike = likeness(row.key, search->key);

		if (alike < most || !strcmp(row.key, last))
			continue;
		if (alike > most)
			*words = (struct name_words){ .n = 0 };
		most = alike;
		if (words->n < SIMILAR)
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
	return ssdpm__fail(reterr, -ENOENT, 0, "not in the catalogue%s%s%s",
			   words.n ? "; did you mean " : "", words.text,
			   words.n ? "?" : "");
}

static int search_for(const struct ssdpm_catalogue *catalogue,
		      const char *product, const char *firmware,
		      struct drive_search *search, struct name_tally *tally,
		      struct ssdpm_error *reterr)
{
	search->catalogue = catalogue;
	search->firmware = firmware;
	search->other_capacity = false;
	if (!set_key(search, product))
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "not in the catalogue: no drive has a "
				   "product name of more than %zu characters",
				   sizeof(search->key) - 1);
	if (!search->length)
		return ssdpm__fail(reterr, -EINVAL, 0, "product: empty");
	search->has_capacity =
		ssdpm__drop_capacities(search->key, search->family);
	find_fit(search, FIT_EXACT);
	/* The rest of the name is then no name of a product. */
	if (search->fit == N_FITS && drop_capacity(search))
		find_fit(search, FIT_BEGINS);
	if (search->fit == N_FITS)
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
