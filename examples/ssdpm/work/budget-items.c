/* SPDX-License-Identifier: MIT */
#include "work/budget.h"

#include <stdlib.h>
#include <string.h>

/* The words sorted into drives, counts and cards. */
struct words {
	char **drives;	  /* the names of drives */
	uint64_t *counts; /* of each of them */
	bool *joined;	  /* on the card of the previous one */
	size_t n;
};

static void free_words(struct words *words)
{
	free(words->drives);
	free(words->counts);
	free(words->joined);
}

/* Parses "12x" as 12. 0: not such a word. */
static enum exit_status parse_count_word(const struct common *common,
					 const char *word, uint64_t *ret_count)
{
	size_t length = strspn(word, "0123456789");

	*ret_count = 0;
	if (!length || strcmp(word + length, "x"))
		return STATUS_DONE;
	for (size_t i = 0; i < length; i++) {
		*ret_count = *ret_count * 10 + (uint64_t)(word[i] - '0');
		if (*ret_count > SSDPM_BUDGET_MAX_ITEMS)
			break;
	}
	if (*ret_count && *ret_count <= SSDPM_BUDGET_MAX_ITEMS)
		return STATUS_DONE;
	return usage_error(common, "%s: 1x to %dx", word,
			   SSDPM_BUDGET_MAX_ITEMS);
}

/* The prefixes of a drive. */
struct before {
	uint64_t count;
	bool join;
	const char *word; /* the last one; NULL: none */
};

static enum exit_status take_word(const struct common *common, char *word,
				  struct before *before, struct words *words)
{
	uint64_t count;

	if (parse_count_word(common, word, &count))
		return STATUS_USAGE;
	if (!strcmp(word, "+")) {
		if (!words->n || before->word)
			return usage_error(common, "+ stands between two "
						   "devices of a card");
		before->join = true;
		before->word = word;
		return STATUS_DONE;
	}
	if (count) {
		if (before->join)
			return usage_error(common,
					   "+ %s: the count stands before the "
					   "first device of the card",
					   word);
		if (before->word)
			return usage_error(common, "%s %s: one count will do",
					   before->word, word);
		before->count = count;
		before->word = word;
		return STATUS_DONE;
	}
	words->drives[words->n] = word;
	words->counts[words->n] = before->count ? before->count : 1;
	words->joined[words->n++] = before->join;
	*before = (struct before){ 0 };
	return STATUS_DONE;
}

static enum exit_status sort_words(const struct common *common, char **from,
				   size_t n, struct words *ret_words)
{
	struct words words = {
		.drives = calloc(n + 1, sizeof(*words.drives)),
		.counts = calloc(n + 1, sizeof(*words.counts)),
		.joined = calloc(n + 1, sizeof(*words.joined)),
	};
	enum exit_status status = STATUS_DONE;
	struct before before = { 0 };

	if (!words.drives || !words.counts || !words.joined) {
		complain("out of memory");
		status = STATUS_FAILED;
	}
	for (size_t i = 0; i < n && !status; i++)
		status = take_word(common, from[i], &before, &words);
	if (!status && before.word)
		status = usage_error(common, "%s: no drive follows",
				     before.word);
	*ret_words = words;
	return status;
}

/* A device counted twice would receive power twice. */
static enum exit_status check_devices(const struct common *common,
				      const struct drives *drives)
{
	for (size_t i = 0; i < drives->n; i++)
		for (size_t j = 0; j < i && drives->drives[i].live; j++) {
			const struct drive *a = &drives->drives[j];
			const struct drive *b = &drives->drives[i];

			if (a->live != b->live ||
			    strcmp(ssdpm_device_get_facts(a->device)->name,
				   ssdpm_device_get_facts(b->device)->name))
				continue;
			return usage_error(common,
					   "%s is named twice: it takes its "
					   "power once",
					   b->name);
		}
	return STATUS_DONE;
}

/* Checks that a card or device word means one drive. */
static enum exit_status check_item(const struct common *common,
				   const struct words *words,
				   const struct drives *drives, size_t i)
{
	const struct drive *drive = &drives->drives[i];
	size_t word = drive->operand;
	bool more = i + 1 < drives->n && drives->drives[i + 1].operand == word;
	bool on_card = words->joined[word] ||
		       (word + 1 < words->n && words->joined[word + 1]);

	if (more && on_card)
		return usage_error(common,
				   "%s: several drives; name the devices of a "
				   "card one by one",
				   words->drives[word]);
	if (drive->live && words->counts[word] > 1)
		return usage_error(common, "%s is a device: it is there once",
				   drive->name);
	return STATUS_DONE;
}

static enum exit_status make_items(const struct common *common,
				   const struct words *words,
				   struct budget_items *items)
{
	const struct drives *drives = &items->drives;

	items->items = calloc(drives->n + 1, sizeof(*items->items));
	if (!items->items)
		return out_of_memory();
	for (size_t i = 0; i < drives->n; i++) {
		const struct drive *drive = &drives->drives[i];
		struct budget_item *item;

		if (check_item(common, words, drives, i))
			return STATUS_USAGE;
		if (words->joined[drive->operand]) {
			items->items[items->n - 1].n_drives++;
			continue;
		}
		item = &items->items[items->n++];
		item->drives = drive;
		item->n_drives = 1;
		item->count = words->counts[drive->operand];
		item->weight = 1000;
		items->n_all += (size_t)item->count;
	}
	if (items->n_all <= SSDPM_BUDGET_MAX_ITEMS)
		return STATUS_DONE;
	return usage_error(common, "more than %d drives",
			   SSDPM_BUDGET_MAX_ITEMS);
}

enum exit_status read_budget_items(const struct common *common, char **from,
				   size_t n, struct budget_items *ret_items)
{
	struct budget_items items = { 0 };
	enum exit_status status;
	struct words words;

	status = sort_words(common, from, n, &words);
	if (!status)
		status = read_drives(common, words.drives, words.n,
				     &items.drives);
	if (!status)
		status = check_devices(common, &items.drives);
	if (!status && !words.n) /* all devices of a machine */
		words.counts[0] = 1;
	if (!status)
		status = make_items(common, &words, &items);
	free_words(&words);
	*ret_items = items;
	return status;
}

void free_budget_items(struct budget_items *items)
{
	for (size_t i = 0; i < items->n; i++)
		ssdpm_budget_item_unref(items->items[i].known);
	free(items->items);
	free_drives(&items->drives);
}

struct item_name item_name(const struct budget_item *item)
{
	struct item_name name = { "" };
	size_t length = 0;

	for (size_t i = 0; i < item->n_drives; i++) {
		length = strlen(name.text);
		snprintf(name.text + length, sizeof(name.text) - length, "%s%s",
			 i ? " + " : "", item->drives[i].name);
	}
	return name;
}

bool is_item_name(const struct budget_item *item, const struct drive *drive,
		  const char *name, size_t length)
{
	struct item_name whole = item_name(item);

	return (strlen(drive->name) == length &&
		!memcmp(drive->name, name, length)) ||
	       (strlen(whole.text) == length &&
		!memcmp(whole.text, name, length));
}
