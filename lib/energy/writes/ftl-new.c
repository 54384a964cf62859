/* SPDX-License-Identifier: MIT */
/* An erased drive, and its end. */
#include "writes/ftl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

/* More would be one random block after another. */
#define MAX_CHOICES 1024

static int check_numbers(const struct ssdpm_ftl_params *p,
			 struct ssdpm_error *reterr)
{
	if (p->reserved)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_ftl_params: reserved is not 0");
	if (p->pages_per_block < MIN_PAGES_PER_BLOCK ||
	    p->pages_per_block > MAX_PAGES_PER_BLOCK)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%u pages per block: 2 to 65536",
				   p->pages_per_block);
	if (p->collector < SSDPM_FTL_GREEDY || p->collector > SSDPM_FTL_CHOICES)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%u is no garbage collector", p->collector);
	if (p->collector == SSDPM_FTL_CHOICES ?
		    !p->choices || p->choices > MAX_CHOICES :
		    p->choices != 0)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"%u choices: 1 to 1024 with that collector, 0 with others",
			p->choices);
	if (!p->n_user_pages)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the host has no page to write");
	return 0;
}

/* Products of two 32-bit numbers fit. */
static int check_capacity(const struct ssdpm_ftl_params *p,
			  struct ssdpm_error *reterr)
{
	uint64_t kept = (uint64_t)p->reserve_blocks + 1;
	uint64_t pages = (uint64_t)p->n_blocks * p->pages_per_block;

	if (pages >= NOWHERE)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "more than 2^32 - 2 pages of flash");
	if (kept < p->n_blocks &&
	    p->n_user_pages <= (p->n_blocks - kept) * p->pages_per_block)
		return 0;
	return ssdpm__fail(
		reterr, -ERANGE, 0,
		"%llu pages of the host in %llu of flash: the spare ones must fill %llu blocks",
		(unsigned long long)p->n_user_pages, (unsigned long long)pages,
		(unsigned long long)kept);
}

static int allocate(struct ssdpm_ftl *ftl)
{
	size_t n = ftl->n_blocks, ppb = ftl->pages_per_block;
	size_t n_user = (size_t)ftl->n_user_pages; /* below 2^32 */
	size_t lists = ftl->collector == SSDPM_FTL_GREEDY ? ppb + 1 : 1;

	ftl->flash_of_user = calloc(n_user, sizeof(uint32_t));
	ftl->user_of_flash = calloc(n * ppb, sizeof(uint32_t));
	ftl->valid = calloc(n * ftl->words_per_block, sizeof(uint64_t));
	ftl->blocks = calloc(n, sizeof(*ftl->blocks));
	ftl->first = calloc(lists, sizeof(uint32_t));
	ftl->last = calloc(lists, sizeof(uint32_t));
	if (!ftl->flash_of_user || !ftl->user_of_flash || !ftl->valid ||
	    !ftl->blocks || !ftl->first || !ftl->last)
		return -ENOMEM;
	memset(ftl->flash_of_user, 0xff, n_user * sizeof(uint32_t));
	memset(ftl->first, 0xff, lists * sizeof(uint32_t));
	memset(ftl->last, 0xff, lists * sizeof(uint32_t));
	return 0;
}

static void erase_all(struct ssdpm_ftl *ftl)
{
	ftl->n_erased = ftl->n_blocks;
	for (uint32_t i = 0; i < ftl->n_blocks; i++)
		ftl->blocks[i].next = i + 1 < ftl->n_blocks ? i + 1 : NOWHERE;
	/* As if one was full: the first write opens one. */
	ftl->n_open = ftl->pages_per_block;
}

int ssdpm_ftl_new(const struct ssdpm_ftl_params *params,
		  struct ssdpm_ftl **ret_ftl, struct ssdpm_error *reterr)
{
	struct ssdpm_ftl_params known = { .size = sizeof(known) };
	int err = ssdpm__sized_in(&known, sizeof(known), params,
				  "ssdpm_ftl_params", reterr);

	if (!known.reserve_blocks)
		known.reserve_blocks = 1;
	if (!err)
		err = check_numbers(&known, reterr);
	if (!err)
		err = check_capacity(&known, reterr);
	if (err)
		return err;
	struct ssdpm_ftl *ftl = calloc(1, sizeof(*ftl));

	if (!ftl)
		return ssdpm__no_memory(reterr);
	ftl->n_user_pages = known.n_user_pages;
	ftl->n_blocks = known.n_blocks;
	ftl->pages_per_block = known.pages_per_block;
	ftl->words_per_block = (known.pages_per_block + 63) / 64;
	ftl->reserve_blocks = known.reserve_blocks;
	ftl->collector = known.collector;
	ftl->choices = known.choices;
	ssdpm__random_seed(&ftl->victims, known.seed);
	ssdpm__random_seed(&ftl->pattern, ~known.seed);
	if (allocate(ftl)) {
		ssdpm_ftl_free(ftl);
		return ssdpm__fail(reterr, -ENOMEM, 0,
				   "out of memory: 8 bytes for each page");
	}
	erase_all(ftl);
	*ret_ftl = ftl;
	return 0;
}

struct ssdpm_ftl *ssdpm_ftl_free(struct ssdpm_ftl *ftl)
{
	if (!ftl)
		return NULL;
	free(ftl->flash_of_user);
	free(ftl->user_of_flash);
	free(ftl->valid);
	free(ftl->blocks);
	free(ftl->first);
	free(ftl->last);
	free(ftl);
	return NULL;
}

/* A trace through a simulated drive: from bytes to pages. */

/* A power of two or not: drives have been built with both. */
#define MAX_PAGE_BYTES (1u << 30)

/* The pages of [begin, end): those that it touches, or those that it covers. */
static void pages_of(uint64_t begin, uint64_t end, uint32_t page_bytes,
		     bool covered, uint64_t *ret_first, uint64_t *ret_n)
{
	bool cut = begin % page_bytes != 0, rest = end % page_bytes != 0;
	uint64_t first = begin / page_bytes + (covered && cut);
	uint64_t last = end / page_bytes + (!covered && rest);

	*ret_first = first;
	*ret_n = last > first ? last - first : 0;
}

static int feed_one(struct ssdpm_ftl *ftl, const struct ssdpm_io *io,
		    uint32_t page_bytes, struct ssdpm_error *reterr)
{
	/* Below 2^32 pages of up to 2^30 bytes. */
	uint64_t capacity = ftl->n_user_pages * page_bytes;
	uint64_t first, n;

	if (io->op < SSDPM_OP_READ || io->op > SSDPM_OP_DISCARD)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "record %llu: operation %u is unknown",
				   (unsigned long long)ftl->n_records, io->op);
	if (io->op != SSDPM_OP_WRITE && io->op != SSDPM_OP_DISCARD)
		return 0;
	if (io->offset > capacity || io->bytes > capacity - io->offset)
		return ssdpm__fail(
			reterr, -ERANGE, 0,
			"record %llu: %u bytes from byte %llu on, and the host has %llu",
			(unsigned long long)ftl->n_records, io->bytes,
			(unsigned long long)io->offset,
			(unsigned long long)capacity);
	pages_of(io->offset, io->offset + io->bytes, page_bytes,
		 io->op == SSDPM_OP_DISCARD, &first, &n);
	if (io->op == SSDPM_OP_DISCARD)
		return n ? ssdpm_ftl_trim(ftl, first, n, reterr) : 0;
	return io->bytes ? ssdpm_ftl_write(ftl, first, n, reterr) : 0;
}

int ssdpm_ftl_feed(struct ssdpm_ftl *ftl, const struct ssdpm_io *ios, size_t n,
		   uint32_t page_bytes, struct ssdpm_error *reterr)
{
	int err = 0;

	if (!page_bytes || page_bytes > MAX_PAGE_BYTES)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a page of %u bytes: 1 to 2^30", page_bytes);
	for (size_t i = 0; i < n && !err; i++) {
		err = feed_one(ftl, &ios[i], page_bytes, reterr);
		if (!err)
			ftl->n_records++;
	}
	return err;
}
