/* SPDX-License-Identifier: MIT */
/* The page of tune: a verdict, and the advice for each drive. */
#include "html/html.h"
#include "tune/tune.h"

#include <stdlib.h>
#include <string.h>

/* The text that the screen shows; free it. NULL: out of memory. */
static char *printed(void (*write)(FILE *, const struct tuning *),
		     const struct tuning *tuning)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (file)
		write(file, tuning);
	if (file && !fclose(file))
		return text;
	free(text);
	out_of_memory();
	return NULL;
}

static enum exit_status begin(struct page *page, const struct tuning *tuning)
{
	char *verdict = printed(write_verdict, tuning);
	enum exit_status status = STATUS_FAILED;

	/* It takes two lines on the screen. */
	for (char *c = verdict; c && (c = strchr(c, '\n'));)
		*c = ' ';
	if (verdict)
		status = begin_page(page, "What to set on each drive", verdict);
	free(verdict);
	return status;
}

/* Writes a member; null if nothing is printed. */
static void put_printed(struct page *page, const char *key,
			void (*write)(FILE *, const struct tuning *),
			const struct tuning *tuning)
{
	char *text = printed(write, tuning);

	page->failed |= !text;
	fprintf(page->file, ",\n\"%s\": ", key);
	put_string(page->file, text && *text ? text : NULL);
	free(text);
}

/* "idle power PS3" */
static const char *decider_text(const struct ssdpm_energy_report_item *item,
				struct number *text)
{
	const struct ssdpm_likely *likely = item->likely;

	if (!likely || !likely->decider_kind ||
	    likely->verdict != SSDPM_SAVING_NOT_DECIDED)
		return NULL;
	*text = parameter_text(likely->decider_kind, likely->decider_index,
			       likely->decider_index);
	return text->text;
}

/* Text for a drive that is not in its JSON. */
static void put_words(FILE *file, const struct ssdpm_energy_report_item *item)
{
	struct number decider;

	fputs("{\"setting\": ", file);
	put_string(file,
		   item->settings ? setting_text(item->settings).text : NULL);
	fputs(", \"reason\": ", file);
	put_string(file, is_to_set(item) ? NULL : reason_text(item).text);
	fputs(", \"decider\": ", file);
	put_string(file, decider_text(item, &decider));
	putc('}', file);
}

enum exit_status write_tune_page(const struct tuning *tuning)
{
	struct items items = { 0 };
	enum exit_status status;
	struct page page;

	status = begin(&page, tuning);
	if (status)
		return status;
	add_tuning(&items, tuning);
	put_items(&page, "tuning", &items);
	fputs(",\n\"words\": [", page.file);
	for (size_t i = 0; i < tuning->n; i++) {
		fputs(i ? ",\n" : "", page.file);
		put_words(page.file, &tuning->items[i]);
	}
	fputs("],\n\"workload\": ", page.file);
	put_string(page.file, tuning->workload);
	fputs(",\n\"limits\": ", page.file);
	put_string(page.file, limits_text(&tuning->options->patience));
	put_printed(&page, "risk", write_risk, tuning);
	put_printed(&page, "to_decide", write_decider, tuning);
	put_printed(&page, "further", write_further, tuning);
	put_printed(&page, "link", write_link, tuning);
	return end_page(tuning->common, &tuning->options->page, &page);
}
