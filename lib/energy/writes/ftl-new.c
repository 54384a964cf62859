/* SPDX-License-Identifier: MIT */
/* An erased drive, and its end. */
#include "writes/ftl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

#define MIN_PAGES_PER_BLOCK 2
#define MAX_PAGES_PER_BLOCK 65536
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
