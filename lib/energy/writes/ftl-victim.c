/* SPDX-License-Identifier: MIT */
/* Which block is erased next. */
#include "writes/ftl.h"

static uint32_t list_of(const struct ssdpm_ftl *ftl, uint32_t block)
{
	return ftl->collector == SSDPM_FTL_GREEDY ? ftl->blocks[block].n_valid :
						    0;
}

void ssdpm__ftl_list(struct ssdpm_ftl *ftl, uint32_t block)
{
	uint32_t list = list_of(ftl, block);
	struct block *b = &ftl->blocks[block];

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

void ssdpm__ftl_unlist(struct ssdpm_ftl *ftl, uint32_t block)
{
	uint32_t list = list_of(ftl, block);
	struct block *b = &ftl->blocks[block];

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

/* Some block is full: there is more flash than what is erased or open. */
uint32_t ssdpm__ftl_choose(struct ssdpm_ftl *ftl)
{
	if (ftl->collector == SSDPM_FTL_CHOICES)
		return best_of_some(ftl);
	while (ftl->first[ftl->fewest] == NOWHERE)
		ftl->fewest++;
	return ftl->first[ftl->fewest];
}
