/* SPDX-License-Identifier: MIT */
/* A trace through a simulated drive: from bytes to pages. */
#include "writes/ftl.h"

#include <errno.h>

#include "base/internal.h"

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
