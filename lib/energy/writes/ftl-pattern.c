/* SPDX-License-Identifier: MIT */
/*
 * Writes by a pattern. Each write needs a place of the map that is not in the
 * cache, and then the block that it names. Prefetching both overlaps the waits
 * for memory.
 */
#include "writes/ftl.h"

#include <errno.h>

#include "base/internal.h"
#include "base/words.h"

#define AHEAD 64

static uint32_t next_random(struct writer *writer)
{
	struct random *random = &writer->ftl->pattern;
	const struct page_range *range = writer->ranges;

	if (writer->n_ranges > 1) {
		uint64_t number = ssdpm__random_next(random);

		while (number > range->threshold)
			range++;
	}
	return (uint32_t)(range->first + ssdpm__random_below(random, range->n));
}

uint32_t ssdpm__ftl_next_page(struct writer *writer)
{
	uint64_t *next = &writer->ftl->next_sequential;

	if (!writer->sequential)
		return next_random(writer);
	if (*next < writer->first || *next - writer->first >= writer->n)
		*next = writer->first;
	return (uint32_t)(*next)++;
}

/* Prefetches the block that holds the host's present data. */
static void ask_for_block(const struct ssdpm_ftl *ftl, uint32_t user)
{
	uint32_t flash = ftl->flash_of_user[user];

	if (flash == NOWHERE)
		return;
	uint32_t block = flash / ftl->pages_per_block;

	__builtin_prefetch(&ftl->blocks[block], 1);
	__builtin_prefetch(&ftl->valid[(size_t)block * ftl->words_per_block +
				       flash % ftl->pages_per_block / 64],
			   1);
}

static void write_all(struct writer *writer, uint64_t n_writes)
{
	struct ssdpm_ftl *ftl = writer->ftl;
	uint32_t users[AHEAD];
	uint64_t n_asked = 0;

	for (uint64_t i = 0; i < n_writes; i++) {
		for (; n_asked < n_writes && n_asked < i + AHEAD; n_asked++) {
			uint32_t user = ssdpm__ftl_next_page(writer);

			users[n_asked % AHEAD] = user;
			__builtin_prefetch(&ftl->flash_of_user[user], 1);
		}
		if (i + AHEAD / 2 < n_asked)
			ask_for_block(ftl, users[(i + AHEAD / 2) % AHEAD]);
		ssdpm__ftl_write_page(ftl, users[i % AHEAD]);
	}
}

/* Sets the ranges with rounded ends; the last one ends with all pages. */
static int set_ranges(struct writer *writer,
		      const struct ssdpm_ftl_pattern *pattern,
		      struct ssdpm_error *reterr)
{
	double addresses = 0, writes = 0;
	uint64_t begin = 0;
	int err = ssdpm__check_write_classes(pattern->classes,
					     pattern->n_classes, reterr);

	for (uint32_t i = 0; !err && i < pattern->n_classes; i++) {
		struct page_range *range = &writer->ranges[i];
		bool last = i + 1 == pattern->n_classes;

		addresses += pattern->classes[i].address_share;
		writes += pattern->classes[i].write_share;
		uint64_t end =
			last ? writer->n :
			       (uint64_t)(addresses * (double)writer->n + 0.5);
		range->first = writer->first + begin;
		range->n = end > begin ? end - begin : 0;
		range->threshold = last || writes >= 1 ?
					   UINT64_MAX :
					   (uint64_t)(writes * 0x1p64);
		if (!range->n)
			err = ssdpm__fail(
				reterr, -EINVAL, 0,
				"class %u has no page: write to more pages, or to fewer classes",
				i + 1);
		begin = end;
	}
	writer->n_ranges = pattern->n_classes;
	return err;
}

int ssdpm__ftl_writer(struct writer *writer, struct ssdpm_ftl *ftl,
		      const struct ssdpm_ftl_pattern *pattern,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_ftl_pattern known = { .size = sizeof(known) };
	int err = ssdpm__sized_in(&known, sizeof(known), pattern,
				  "ssdpm_ftl_pattern", reterr);

	if (err)
		return err;
	if (!known.n_pages && known.first_page < ftl->n_user_pages)
		known.n_pages = ftl->n_user_pages - known.first_page;
	err = ssdpm__ftl_check_range(ftl, known.first_page, known.n_pages,
				     reterr);
	if (!err && !known.n_pages)
		err = ssdpm__fail(reterr, -ERANGE, 0,
				  "the pattern begins after the last page");
	if (err)
		return err;
	*writer = (struct writer){
		.ftl = ftl,
		.ranges[0] = { known.first_page, known.n_pages, UINT64_MAX },
		.n_ranges = 1,
		.sequential = known.order == SSDPM_FTL_SEQUENTIAL,
		.first = known.first_page,
		.n = known.n_pages,
	};
	if (known.order < SSDPM_FTL_SEQUENTIAL ||
	    known.order > SSDPM_FTL_CLASSES)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%u is no order of writes", known.order);
	return known.order == SSDPM_FTL_CLASSES ?
		       set_ranges(writer, &known, reterr) :
		       0;
}

int ssdpm_ftl_write_pattern(struct ssdpm_ftl *ftl,
			    const struct ssdpm_ftl_pattern *pattern,
			    uint64_t n_writes, struct ssdpm_error *reterr)
{
	struct writer writer;
	int err = ssdpm__ftl_writer(&writer, ftl, pattern, reterr);

	if (!err)
		write_all(&writer, n_writes);
	return err;
}

static const char ftl_order_words[][11] = {
	[SSDPM_FTL_SEQUENTIAL] = "sequential",
	[SSDPM_FTL_UNIFORM] = "uniform",
	[SSDPM_FTL_CLASSES] = "classes",
};
ENUM_WORDS(ftl_order)
