/* SPDX-License-Identifier: MIT */
/* What the files of a drive with a page map share. */
#ifndef SSDPM_LIB_WRITES_FTL_H
#define SSDPM_LIB_WRITES_FTL_H

#include <ssdpm/energy/writes.h>

#include "estimate/internal.h"
#include "common/random.h"

/* No page, no block. */
#define NOWHERE UINT32_MAX

#define MIN_PAGES_PER_BLOCK 2u
#define MAX_PAGES_PER_BLOCK 65536u

/* The most of a time in struct ssdpm_ftl_cost. */
#define MAX_NS UINT64_C(1000000000)
#define NS_PER_S UINT64_C(1000000000)

/*
 * A block is either open or in a list. A list has the erased blocks, or those
 * with one number of valid pages (greedy). For other collectors, a list has all
 * full blocks in the order of filling.
 */
struct flash_block {
	uint32_t next;
	uint32_t previous;
	uint32_t n_valid;
	bool full;
};

struct ssdpm_ftl {
	uint64_t n_user_pages;
	uint32_t n_blocks;
	uint32_t pages_per_block;
	uint32_t words_per_block; /* of valid */
	uint32_t reserve_blocks;
	uint32_t collector;
	uint32_t choices;
	struct random victims;
	struct random pattern;
	uint64_t next_sequential;
	uint64_t n_records; /* of a trace */
	struct ssdpm_ftl_counts counts;

	uint32_t *flash_of_user; /* page of flash, or NOWHERE */
	uint32_t *user_of_flash;
	uint64_t *valid; /* a bit for each page of flash */
	struct flash_block *blocks;
	uint32_t *first; /* of each list */
	uint32_t *last;
	uint32_t fewest; /* no list before this one has a block */
	uint32_t erased; /* the first of a list without previous */
	uint32_t n_erased;
	uint32_t open;	 /* the block being written */
	uint32_t n_open; /* its pages so far */
};

/* The host writes one page. */
void ssdpm__ftl_write_page(struct ssdpm_ftl *ftl, uint32_t user);

/* A class as a range of pages, and the upper limit of its random numbers. */
struct page_range {
	uint64_t first;
	uint64_t n;
	uint64_t threshold;
};

/* A checked pattern. */
struct writer {
	struct ssdpm_ftl *ftl;
	struct page_range ranges[SSDPM_MAX_WRITE_CLASSES];
	uint32_t n_ranges;
	bool sequential;
	uint64_t first, n;
};

int ssdpm__ftl_writer(struct writer *writer, struct ssdpm_ftl *ftl,
		      const struct ssdpm_ftl_pattern *pattern,
		      struct ssdpm_error *reterr);

/* The page that the pattern writes next. */
uint32_t ssdpm__ftl_next_page(struct writer *writer);

/* Checks a range of the host's pages. -ERANGE: beyond them. */
int ssdpm__ftl_check_range(const struct ssdpm_ftl *ftl, uint64_t first_page,
			   uint64_t n_pages, struct ssdpm_error *reterr);

/* 0, or -ERANGE. */
int ssdpm__check_spare_factor(double spare_factor, struct ssdpm_error *reterr);

/* 0, or -EINVAL: the shares do not sum to 1. */
int ssdpm__check_write_classes(const struct ssdpm_write_class *classes,
			       size_t n_classes, struct ssdpm_error *reterr);

#endif
