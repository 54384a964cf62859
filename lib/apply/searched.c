/* SPDX-License-Identifier: MIT */
/*
 * What a search of ssdpm bisect has set. Another record must not call these
 * values those of before, so nobody else sets these devices meanwhile. All
 * others are free.
 */
#include "apply/internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int read_search(struct searched *searched, struct ssdpm_error *reterr)
{
	int err = ssdpm__read_kept(&searched->site, &searched->kept, reterr);

	if (err == -EACCES)
		return 0;
	/* Which devices it has set is known once it is undone. */
	if (!err && ssdpm__journal_stands(&searched->site))
		err = ssdpm__fail(reterr, -EBUSY, 0,
				  "a search of ssdpm bisect was killed: ssdpm "
				  "bisect stop ends it, and restores what it "
				  "has set");
	return err;
}

int ssdpm__searched_read(const struct ssdpm_plan *plan, const struct site *own,
			 struct searched *searched, struct ssdpm_error *reterr)
{
	*searched = (struct searched){ 0 };
	if (ssdpm__site_find_search(plan, own, &searched->site))
		return 0;
	searched->is_there = true;
	return read_search(searched, reterr);
}

void ssdpm__searched_free(struct searched *searched)
{
	ssdpm__changes_free(&searched->kept);
	if (searched->is_there)
		close(searched->site.directory_fd);
	*searched = (struct searched){ 0 };
}

/*
 * A parameter is each table's, and a latency limit has the kernel build one.
 * The ASPM policy is each link's.
 */
static bool is_in_the_way(const struct change *kept, const struct step *step)
{
	char device[32], own[32];

	if (step->change.kind->role == ROLE_PARAMETER)
		return kept->kind->role == ROLE_TOLERANCE;
	if (step->change.kind->number == SSDPM_STEP_ASPM_POLICY)
		return kept->kind->number == SSDPM_STEP_PCIE_LINK;
	ssdpm__change_device(kept, device);
	/* The step of a port has the name of its disk. */
	ssdpm__change_device(&step->change, own);
	return !strcmp(device, own);
}

int ssdpm__searched_check(const struct searched *searched,
			  const struct step *step, struct ssdpm_error *reterr)
{
	char name[SSDPM__JOURNAL_BYTES];
	bool found;

	if (!searched->is_there)
		return 0;
	found = ssdpm__journal_is_aside(&searched->site, step->device, name);
	for (size_t i = 0; i < searched->kept.n && !found; i++)
		found = is_in_the_way(searched->kept.list[i], step);
	return found ? ssdpm__fail(reterr, -EBUSY, 0,
				   "%s: a search of ssdpm bisect has set "
				   "values there: ssdpm bisect stop ends it, "
				   "and restores them",
				   step->device) :
		       0;
}
