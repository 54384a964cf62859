/* SPDX-License-Identifier: MIT */
/* What was watched as a page: its JSON, with verdicts and states over time. */
#include "watch/watch.h"

#include <stdlib.h>

/* NULL: it failed, which was complained of. */
static char *verdict_of(const struct watch *watch, size_t index)
{
	enum exit_status status;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file) {
		out_of_memory();
		return NULL;
	}
	status = write_watch_verdict(file, watch, index);
	if (!fclose(file) && !status)
		return text;
	if (!status)
		out_of_memory();
	free(text);
	return NULL;
}

static void put_verdict(struct page *page, const struct watch *watch,
			size_t index)
{
	char *verdict = verdict_of(watch, index);

	page->failed |= !verdict;
	put_string(page->file, verdict);
	free(verdict);
}

static void put_states(struct page *page, const struct watch *watch,
		       size_t index)
{
	struct timeline *timeline = read_states(watch, index);

	page->failed |= !timeline;
	write_timeline(page->file, timeline);
	free(timeline);
}

typedef void (*put_fn)(struct page *page, const struct watch *watch,
		       size_t index);

static void put_each(struct page *page, const char *key,
		     const struct watch *watch, put_fn put)
{
	fprintf(page->file, ",\n\"%s\": [", key);
	for (size_t i = 0; i < watch->n; i++) {
		fputs(i ? ",\n" : "", page->file);
		put(page, watch, i);
	}
	putc(']', page->file);
}

enum exit_status write_watch_page(const struct watch *watch)
{
	char *verdict = watch->n == 1 ? verdict_of(watch, 0) : NULL;
	struct items items = { 0 };
	enum exit_status status;
	struct page page;

	if (watch->n == 1 && !verdict)
		return STATUS_FAILED;
	status = begin_page(&page, "Who wakes each drive", verdict);
	free(verdict);
	if (status)
		return status;
	add_watched_drives(watch, &items);
	put_items(&page, "watched", &items);
	put_each(&page, "verdicts", watch, put_verdict);
	put_each(&page, "timelines", watch, put_states);
	return end_page(watch->common, &watch->options->page, &page);
}
