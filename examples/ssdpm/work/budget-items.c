/* SPDX-License-Identifier: MIT */
#include "input/budget-words.h"
#include "text/shell.h"
#include "work/budget.h"
#include "work/simulate.h"

#include <stdlib.h>
#include <string.h>

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

/* On the card of the previous word; without words there are no cards. */
static bool is_joined(const struct budget_words *words, size_t word)
{
	return word < words->n && words->joined[word];
}

/* Checks that a card or device word means one drive. */
static enum exit_status check_item(const struct common *common,
				   const struct budget_words *words,
				   const struct drives *drives, size_t i)
{
	const struct drive *drive = &drives->drives[i];
	size_t word = drive->operand;
	bool more = i + 1 < drives->n && drives->drives[i + 1].operand == word;
	bool on_card = is_joined(words, word) || is_joined(words, word + 1);

	if (more && on_card)
		return usage_error(common,
				   "%s: several drives; name the devices of a "
				   "card one by one",
				   words->drives[word]);
	if (drive->live && words->n && words->counts[word] > 1)
		return usage_error(common, "%s is a device: it is there once",
				   drive->name);
	return STATUS_DONE;
}

/* A drive over a network draws its power at another machine. */
static bool is_elsewhere(const struct drive *drive)
{
	return drive->live && ssdpm_device_get_facts(drive->device)->flags &
				      SSDPM_DEVICE_FABRICS;
}

/* A named one is refused, and one of all is left out. */
static enum exit_status leave_out_elsewhere(const struct common *common,
					    struct drives *drives)
{
	enum exit_status status = STATUS_DONE;
	size_t n = 0, n_here = 0;
	char why[256];

	for (size_t i = 0; i < drives->n; i++)
		n_here += !is_elsewhere(&drives->drives[i]);
	for (size_t i = 0; i < drives->n; i++) {
		struct drive *drive = &drives->drives[i];

		if (!is_elsewhere(drive)) {
			drives->drives[n++] = *drive;
			continue;
		}
		if (drive->named && !is_estimated(drive, why))
			complain("%s: %s", drive->name, why);
		else if (!common->quiet && n_here)
			remark("%s is over a network: it does not count",
			       drive->name);
		if (drive->named)
			status = STATUS_DEVICE_CANNOT;
		free_drive(drive);
	}
	if (!status && !n_here && drives->n)
		status = failure("no drive draws power of this machine");
	drives->n = n;
	return status;
}

static enum exit_status make_items(const struct common *common,
				   const struct budget_words *words,
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
		if (is_joined(words, drive->operand)) {
			items->items[items->n - 1].n_drives++;
			continue;
		}
		item = &items->items[items->n++];
		item->drives = drive;
		item->n_drives = 1;
		/* Without words, they are all devices of a machine. */
		item->count = words->n ? words->counts[drive->operand] : 1;
		item->weight = 1000;
		items->n_all += (size_t)item->count;
	}
	if (items->n_all <= SSDPM_BUDGET_MAX_ITEMS)
		return STATUS_DONE;
	return usage_error(common, "more than %d drives",
			   SSDPM_BUDGET_MAX_ITEMS);
}

/* "24 KCM61RUL960G" is a name, and "24 x KCM61RUL960G" is three. Short ones
 * alone: "870 EVO" may be one, too. */
static void hint_at_count(const struct budget_words *words)
{
	for (size_t i = 0; i < words->n; i++) {
		const char *text = words->drives[i];
		const size_t n = strspn(text, "0123456789");
		const size_t skip =
			i + 2 < words->n && !strcmp(words->drives[i + 1], "x");
		const char *drive =
			text[n] == ' '	 ? text + n + 1 :
			i + 1 < words->n ? words->drives[i + 1 + skip] :
					   "DRIVE";

		if (n && n <= 2 && (!text[n] || text[n] == ' '))
			remark("try: %.*sx %s", (int)n, text, drive);
	}
}

enum exit_status read_budget_items(const struct common *common, char **from,
				   size_t n, struct budget_items *ret_items)
{
	struct budget_items items = { 0 };
	struct budget_words words;
	enum exit_status status;

	status = read_budget_words(common, from, n, &words);
	if (!status)
		status = read_drives(common, words.drives, words.n,
				     &items.drives);
	if (status && status != STATUS_USAGE)
		hint_at_count(&words);
	if (!status)
		status = leave_out_elsewhere(common, &items.drives);
	if (!status)
		status = check_devices(common, &items.drives);
	if (!status)
		status = make_items(common, &words, &items);
	free_budget_words(&words);
	*ret_items = items;
	return status;
}

void say_card(const struct common *common, const struct budget_item *item,
	      bool is_card)
{
	const char *first = item->drives[0].name;
	const char *next = item->drives[item->n_drives > 1].name;
	char *word = NULL;
	size_t size;
	FILE *file;

	if (item->n_drives < 2 || common->quiet)
		return;
	file = open_memstream(&word, &size);
	if (file)
		write_word(file, next);
	if (file && !fclose(file) && item->count > 1)
		remark("%ux %s + %s %s; for one drive more write + 1x%s",
		       (unsigned)item->count, first, next,
		       is_card ? "are cards, whose drives share one state" :
				 "would be cards",
		       word);
	else if (file)
		remark("%s + %s %s; for two drives write + 1x%s", first, next,
		       is_card ? "is a card, whose drives share one state" :
				 "would be a card",
		       word);
	free(word);
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
