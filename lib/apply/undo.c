/* SPDX-License-Identifier: MIT */
/* The way back: from a commit that failed or was killed, and on request. */
#include "apply/internal.h"

#include <errno.h>

/*
 * The kernel heeds parameters when it builds a table, and a change of the
 * tolerance makes it build one. So parameters go back first, and a table of
 * one's own comes last. The rest goes back in reverse.
 */
enum { N_UNDO_RANKS = 4 };

struct undo {
	const struct site *site;
	struct change *const *changes;
	size_t n;
	bool rebuild; /* parameters have changed */
	struct undone done;
};

/* What it was to be, or one of the policies that a step was to try. */
static bool is_wanted(const struct change *change, const struct value *now)
{
	for (uint32_t i = 0; i < change->n_lpms; i++)
		if (now->is.lpm == change->lpms[i])
			return true;
	return ssdpm__value_is(now, &change->after);
}

static bool is_between(const struct change *change, const struct value *now)
{
	return change->kind->is_between &&
	       change->kind->is_between(change, now);
}

/* Linux builds a table when what it is made from changes. */
static bool may_be_rebuilt(const struct undo *undo, const struct change *table)
{
	for (size_t i = 0; i < undo->n; i++) {
		const struct change *change = undo->changes[i];

		if (change->begun &&
		    (change->kind->role == ROLE_PARAMETER ||
		     ssdpm__is_tolerance_of(change, table->path)))
			return true;
	}
	return false;
}

/* Neither what was there before nor what was planned, nor on the way to it. */
static bool is_foreign(const struct undo *undo, const struct change *change,
		       const struct value *now)
{
	const struct step_kind *kind = change->kind;

	if (!now->text[0])
		return false;
	if (change->flux == FLUX_FAILED &&
	    (!change->left.text[0] || ssdpm__value_is(now, &change->left)))
		return false;
	if (kind->role == ROLE_TABLE &&
	    (!change->after.is_known || may_be_rebuilt(undo, change)))
		return false;
	if (change->begun && is_wanted(change, now))
		return false;
	return change->flux == FLUX_NONE || !is_between(change, now);
}

void ssdpm__note_left(const struct site *site, struct change *const *changes,
		      size_t index)
{
	struct change *change = changes[index];
	char record[SSDPM__VALUE_BYTES];
	struct value now = { 0 };

	if (!ssdpm__read_value(site->machine, change->kind, change->path, &now,
			       NULL) &&
	    (ssdpm__value_is(&now, &change->before) ||
	     is_wanted(change, &now) || is_between(change, &now)))
		return;
	/* The journal says so already. */
	if (change->flux == FLUX_FAILED && ssdpm__value_is(&now, &change->left))
		return;
	change->flux = FLUX_FAILED;
	change->left = now;
	ssdpm__journal_left(site, index,
			    ssdpm__value_record(change->kind, &now, record));
}

/* Should this be killed, the next one knows that it may be in between. */
static void note_way_back(const struct undo *undo, size_t index)
{
	/* The journal says so already. */
	if (undo->changes[index]->flux == FLUX_NONE)
		ssdpm__journal_back(undo->site, index);
}

static int leave_alone(struct undo *undo, const struct change *change,
		       const struct value *now, bool rebuild,
		       struct ssdpm_error *reterr)
{
	undo->done.n_left_alone++;
	ssdpm__log(undo->site->machine, SSDPM_LOG_WARNING,
		   "/%s is %.90s, which somebody else has written: it stays",
		   change->path, now->text);
	if (!rebuild)
		return 0;
	return ssdpm__rebuild(undo->site->machine, change->path, now, reterr);
}

static int undo_one(struct undo *undo, size_t index, struct ssdpm_error *reterr)
{
	const struct change *change = undo->changes[index];
	struct ssdpm_machine *machine = undo->site->machine;
	bool rebuild = undo->rebuild && change->kind->role == ROLE_TOLERANCE;
	struct value now = { 0 };
	bool is_before;
	uint64_t serial;
	int err;

	if (!change->begun && !rebuild)
		return 0;
	err = ssdpm__read_serial(machine, change, &serial, reterr);
	if (err)
		return err;
	if (ssdpm__is_another(change, serial))
		return ssdpm__fail(reterr, -ENODEV, 0,
				   "/%s: another drive is in its place",
				   change->path);
	err = ssdpm__read_value(machine, change->kind, change->path, &now,
				reterr);
	/* A drive that sleeps, and says nothing, takes it all the same. */
	if (err && err != -EBUSY)
		return err;
	is_before = ssdpm__value_is(&now, &change->before);
	if (is_before && !ssdpm__is_kept_off(undo->site, change)) {
		if (!rebuild)
			return 0;
		note_way_back(undo, index);
		err = ssdpm__rebuild(machine, change->path, &now, reterr);
	} else {
		if (!is_before && is_foreign(undo, change, &now))
			return leave_alone(undo, change, &now, rebuild, reterr);
		note_way_back(undo, index);
		err = ssdpm__put_back(undo->site, change, reterr);
		undo->done.n += !err;
	}
	if (err)
		ssdpm__note_left(undo->site, undo->changes, index);
	return err;
}

/*
 * A device that is gone has nothing to be put back. What the kernel does not
 * take today it will not take tomorrow. Neither must hold up the next commit
 * for ever.
 */
static bool is_final(const struct undo *undo, const struct change *change,
		     int err)
{
	return err == -ENODEV || err == -EINVAL || err == -EOPNOTSUPP ||
	       ssdpm__value_removal(undo->site->machine, change);
}

int ssdpm__undo(const struct site *site, struct change *const *changes,
		size_t n, struct undone *ret_undone, struct ssdpm_error *reterr)
{
	struct undo undo = { .site = site, .changes = changes, .n = n };
	struct ssdpm_error error;
	int first_err = 0;

	for (size_t i = 0; i < n; i++)
		if (changes[i]->kind->role == ROLE_PARAMETER)
			undo.rebuild |= changes[i]->begun;
	for (uint32_t rank = 0; rank < N_UNDO_RANKS; rank++) {
		for (size_t i = n; i-- > 0;) {
			int err = 0;

			if (changes[i]->kind->undo_rank == rank)
				err = undo_one(&undo, i, &error);
			if (!err)
				continue;
			ssdpm__log(site->machine, SSDPM_LOG_WARNING,
				   "not put back: %s", error.message);
			undo.done.n_left_alone +=
				is_final(&undo, changes[i], err);
			if (first_err || is_final(&undo, changes[i], err))
				continue;
			first_err = err;
			undo.done.failed = changes[i];
			if (reterr)
				*reterr = error;
		}
	}
	*ret_undone = undo.done;
	return first_err;
}
