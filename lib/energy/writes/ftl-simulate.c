/* SPDX-License-Identifier: MIT */
/* The same drive with more and with less spare area, and its flash. */
#include "writes/ftl.h"

#include <errno.h>

#include "base/internal.h"

#define USUAL_BYTES_PER_S UINT64_C(80000000)
#define USUAL_CHOICES 10

/*
 * Reading a page takes a tenth of programming it. Erasing a block takes a
 * hundredth of programming all of it.
 */
#define READ_SHARE 10
#define ERASE_SHARE 100

const double *ssdpm_ftl_get_spare_factors(size_t *ret_n)
{
	static const double usual[] = { 0.07, 0.25 };

	*ret_n = sizeof(usual) / sizeof(usual[0]);
	return usual;
}

int ssdpm_ftl_cost_calculate(uint64_t program_bytes_per_s,
			     uint32_t pages_per_block,
			     struct ssdpm_ftl_cost *ret_cost,
			     struct ssdpm_error *reterr)
{
	const uint64_t program_ns =
		SSDPM_FTL_PAGE_BYTES * NS_PER_S /
		(program_bytes_per_s ? program_bytes_per_s : USUAL_BYTES_PER_S);
	struct ssdpm_ftl_cost cost = { .host_ns = program_ns,
				       .program_ns = program_ns,
				       .read_ns = program_ns / READ_SHARE };
	int err = ssdpm__sized_check(ret_cost, sizeof(cost), "ssdpm_ftl_cost",
				     reterr);

	if (err)
		return err;
	if (pages_per_block < MIN_PAGES_PER_BLOCK ||
	    pages_per_block > MAX_PAGES_PER_BLOCK)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "%u pages per block: 2 to 65536",
				   pages_per_block);
	/* Below 2^42 ns. */
	cost.erase_ns = program_ns * pages_per_block / ERASE_SHARE;
	if (!program_ns || program_ns > MAX_NS || cost.erase_ns > MAX_NS)
		return ssdpm__fail(
			reterr, -ERANGE, 0,
			"flash of %llu bytes per second: a page takes 1 ns to 1 s, and erasing a block at most 1 s",
			(unsigned long long)program_bytes_per_s);
	ssdpm__sized_out(ret_cost, &cost, sizeof(cost));
	return 0;
}

/* What the spare factor leaves to the host. */
static int divide(struct ssdpm_ftl_params *drive, double spare_factor,
		  struct ssdpm_error *reterr)
{
	const uint64_t n_pages =
		(uint64_t)drive->n_blocks * drive->pages_per_block;
	int err = ssdpm__check_spare_factor(spare_factor, reterr);

	if (err)
		return err;
	if (drive->n_user_pages)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"n_user_pages: the spare factor says it; it must be 0");
	drive->n_user_pages =
		(uint64_t)((double)n_pages * (1 - spare_factor) + 0.5);
	if (drive->collector == SSDPM_FTL_CHOICES && !drive->choices)
		drive->choices = USUAL_CHOICES;
	return 0;
}

/* Fills the drive in order, then writes anywhere. */
static int fill_and_run(struct ssdpm_ftl *ftl,
			const struct ssdpm_ftl_cost *cost, size_t n_seconds,
			struct ssdpm_ftl_second *ret_seconds,
			struct ssdpm_error *reterr)
{
	const struct ssdpm_ftl_pattern anywhere = {
		.size = sizeof(anywhere),
		.order = SSDPM_FTL_UNIFORM,
	};
	struct ssdpm_ftl_cost usual = { .size = sizeof(usual) };
	int err = 0;

	if (!cost)
		err = ssdpm_ftl_cost_calculate(0, ftl->pages_per_block, &usual,
					       reterr);
	if (!err)
		err = ssdpm_ftl_write(ftl, 0, ftl->n_user_pages, reterr);
	if (!err)
		err = ssdpm_ftl_run(ftl, &anywhere, cost ? cost : &usual,
				    n_seconds, ret_seconds, reterr);
	return err;
}

int ssdpm_ftl_simulate(const struct ssdpm_ftl_params *params,
		       double spare_factor, const struct ssdpm_ftl_cost *cost,
		       size_t n_seconds, struct ssdpm_ftl_second *ret_seconds,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_ftl_params drive = { .size = sizeof(drive) };
	struct ssdpm_ftl *ftl = NULL;
	int err = ssdpm__sized_in(&drive, sizeof(drive), params,
				  "ssdpm_ftl_params", reterr);

	if (!err)
		err = divide(&drive, spare_factor, reterr);
	if (!err)
		err = ssdpm_ftl_new(&drive, &ftl, reterr);
	if (err)
		return err;
	err = fill_and_run(ftl, cost, n_seconds, ret_seconds, reterr);
	ssdpm_ftl_free(ftl);
	return err;
}
