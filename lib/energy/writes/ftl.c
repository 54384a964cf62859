/* SPDX-License-Identifier: MIT */
/*
 * A flash translation layer that maps each page. It shows what garbage
 * collection adds to a host's writes. The host and garbage collection write to
 * the same open block.
 */
#include "writes/ftl.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"

#define BITS 64

static uint32_t list_of(const struct ssdpm_ftl *ftl, uint32_t block)
{
	return ftl->collector == SSDPM_FTL_GREEDY ? ftl->blocks[block].n_valid :
						    0;
}

/* Adds a full block to its list. */
static void list_block(struct ssdpm_ftl *ftl, uint32_t block)
{
	uint32_t list = list_of(ftl, block);
	struct flash_block *b = &ftl->blocks[block];

	b->full = true;
	b->next = NOWHERE;
	b->previous = ftl->last[list];
	if (b->previous == NOWHERE)
		ftl->first[list] = block;
	else
		ftl->blocks[b->previous].next = block;
	ftl->last[list] = block;
	if (list < ftl->fewest)
		ftl->fewest = list;
}

static void unlist_block(struct ssdpm_ftl *ftl, uint32_t block)
{
	uint32_t list = list_of(ftl, block);
	struct flash_block *b = &ftl->blocks[block];

	b->full = false;
	if (b->previous == NOWHERE)
		ftl->first[list] = b->next;
	else
		ftl->blocks[b->previous].next = b->next;
	if (b->next == NOWHERE)
		ftl->last[list] = b->previous;
	else
		ftl->blocks[b->next].previous = b->previous;
}

static uint32_t any_full(struct ssdpm_ftl *ftl)
{
	uint32_t block;

	do
		block = (uint32_t)ssdpm__random_below(&ftl->victims,
						      ftl->n_blocks);
	while (!ftl->blocks[block].full);
	return block;
}

static uint32_t best_of_some(struct ssdpm_ftl *ftl)
{
	uint32_t best = any_full(ftl);

	for (uint32_t i = 1; i < ftl->choices; i++) {
		uint32_t other = any_full(ftl);

		if (ftl->blocks[other].n_valid < ftl->blocks[best].n_valid)
			best = other;
	}
	return best;
}

/*
 * The block to erase next. A full block exists, because there is more flash
 * than erased and open blocks.
 */
static uint32_t choose(struct ssdpm_ftl *ftl)
{
	if (ftl->collector == SSDPM_FTL_CHOICES)
		return best_of_some(ftl);
	while (ftl->first[ftl->fewest] == NOWHERE)
		ftl->fewest++;
	return ftl->first[ftl->fewest];
}

/* An erased block exists whenever this is called: see make_room(). */
static void open_block(struct ssdpm_ftl *ftl)
{
	assert(ftl->n_erased);
	ftl->open = ftl->erased;
	ftl->erased = ftl->blocks[ftl->open].next;
	ftl->n_erased--;
	ftl->n_open = 0;
}

/* Writes the next page of the open block. */
static void program(struct ssdpm_ftl *ftl, uint32_t user)
{
	if (ftl->n_open == ftl->pages_per_block)
		open_block(ftl);

	uint32_t block = ftl->open, page = ftl->n_open++;
	size_t flash = (size_t)block * ftl->pages_per_block + page;

	ftl->flash_of_user[user] = (uint32_t)flash;
	ftl->user_of_flash[flash] = user;
	ftl->valid[(size_t)block * ftl->words_per_block + page / BITS] |=
		UINT64_C(1) << page % BITS;
	ftl->blocks[block].n_valid++;
	if (ftl->n_open == ftl->pages_per_block)
		list_block(ftl, block);
}

/* Invalidates the host's old page. true: there was one. */
static bool invalidate(struct ssdpm_ftl *ftl, uint32_t user)
{
	uint32_t flash = ftl->flash_of_user[user];

	if (flash == NOWHERE)
		return false;
	uint32_t number = flash / ftl->pages_per_block;
	uint32_t page = flash % ftl->pages_per_block;
	struct flash_block *block = &ftl->blocks[number];
	bool moves = block->full && ftl->collector == SSDPM_FTL_GREEDY;

	if (moves)
		unlist_block(ftl, number);
	ftl->valid[(size_t)number * ftl->words_per_block + page / BITS] &=
		~(UINT64_C(1) << page % BITS);
	block->n_valid--;
	if (moves)
		list_block(ftl, number);
	return true;
}

static void move_word(struct ssdpm_ftl *ftl, const uint32_t *users,
		      uint64_t valid)
{
	/* Prefetch all of them at once. */
	for (uint64_t left = valid; left; left &= left - 1)
		__builtin_prefetch(
			&ftl->flash_of_user[users[__builtin_ctzll(left)]], 1);
	for (uint64_t left = valid; left; left &= left - 1)
		program(ftl, users[__builtin_ctzll(left)]);
}

/* Moves valid pages and erases the block. */
static void collect(struct ssdpm_ftl *ftl)
{
	uint32_t number = choose(ftl);
	struct flash_block *block = &ftl->blocks[number];
	uint64_t *valid = ftl->valid + (size_t)number * ftl->words_per_block;
	const uint32_t *users =
		ftl->user_of_flash + (size_t)number * ftl->pages_per_block;

	unlist_block(ftl, number);
	ftl->counts.n_moved += block->n_valid;
	for (uint32_t i = 0; i < ftl->words_per_block; i++) {
		move_word(ftl, users + (size_t)i * BITS, valid[i]);
		valid[i] = 0;
	}
	block->n_valid = 0;
	block->next = ftl->erased;
	ftl->erased = number;
	ftl->n_erased++;
	ftl->counts.n_erased++;
}

/*
 * Opening a block leaves one less than the reserve. A block then collected has
 * at most as many valid pages as the new one has room, so one erased block is
 * enough. There are fewer host pages than pages in full blocks, so some block
 * gains room.
 */
static void make_room(struct ssdpm_ftl *ftl)
{
	while (ftl->n_open == ftl->pages_per_block) {
		open_block(ftl);
		while (ftl->n_erased < ftl->reserve_blocks)
			collect(ftl);
	}
}

void ssdpm__ftl_write_page(struct ssdpm_ftl *ftl, uint32_t user)
{
	make_room(ftl);
	if (!invalidate(ftl, user))
		ftl->counts.n_mapped++;
	program(ftl, user);
	ftl->counts.n_written++;
}

int ssdpm__ftl_check_range(const struct ssdpm_ftl *ftl, uint64_t first_page,
			   uint64_t n_pages, struct ssdpm_error *reterr)
{
	if (first_page <= ftl->n_user_pages &&
	    n_pages <= ftl->n_user_pages - first_page)
		return 0;
	return ssdpm__fail(
		reterr, -ERANGE, 0,
		"pages %llu to %llu: the host has only %llu",
		(unsigned long long)first_page,
		(unsigned long long)(first_page + (n_pages ? n_pages - 1 : 0)),
		(unsigned long long)ftl->n_user_pages);
}

int ssdpm_ftl_write(struct ssdpm_ftl *ftl, uint64_t first_page,
		    uint64_t n_pages, struct ssdpm_error *reterr)
{
	int err = ssdpm__ftl_check_range(ftl, first_page, n_pages, reterr);

	for (uint64_t i = 0; !err && i < n_pages; i++)
		ssdpm__ftl_write_page(ftl, (uint32_t)(first_page + i));
	return err;
}

int ssdpm_ftl_trim(struct ssdpm_ftl *ftl, uint64_t first_page, uint64_t n_pages,
		   struct ssdpm_error *reterr)
{
	int err = ssdpm__ftl_check_range(ftl, first_page, n_pages, reterr);

	if (err)
		return err;
	for (uint64_t i = first_page; i < first_page + n_pages; i++)
		if (invalidate(ftl, (uint32_t)i)) {
			ftl->flash_of_user[i] = NOWHERE;
			ftl->counts.n_mapped--;
		}
	ftl->counts.n_trimmed += n_pages;
	return 0;
}

int ssdpm_ftl_get_counts(const struct ssdpm_ftl *ftl,
			 struct ssdpm_ftl_counts *ret_counts,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_ftl_counts counts = ftl->counts;
	int err = ssdpm__sized_check(ret_counts, sizeof(counts),
				     "ssdpm_ftl_counts", reterr);

	if (err)
		return err;
	counts.n_free_blocks = ftl->n_erased;
	ssdpm__sized_out(ret_counts, &counts, sizeof(counts));
	return 0;
}

static const char ftl_collector_words[][8] = {
	[SSDPM_FTL_GREEDY] = "greedy",
	[SSDPM_FTL_FIFO] = "fifo",
	[SSDPM_FTL_CHOICES] = "choices",
};
ENUM_WORDS(ftl_collector)
