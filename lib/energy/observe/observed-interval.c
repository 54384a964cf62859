/* SPDX-License-Identifier: MIT */
/* What a drive did since it was asked before. */
#include <stdlib.h>

#include "base/internal.h"
#include "observe/observation.h"

/* Energies are divided among causes, rounded: a sum may shrink by its last
 * digit. */
static struct wide energy_since(struct wide now, struct wide before)
{
	const struct wide since = wide_minus(now, before);

	return wide_is_negative(since) ? wide_of(0) : since;
}

/* A gap may be told after the time at which it began: what was taken for sleep
 * is then unknown. */
static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static struct counted cause_since(const struct counted *now,
				  const struct counted *before)
{
	return (struct counted){
		.energy_fj = energy_since(now->energy_fj, before->energy_fj),
		.n_ios = since(now->n_ios, before->n_ios),
		.bytes = since(now->bytes, before->bytes),
		.n_wakes = since(now->n_wakes, before->n_wakes),
		.n_admin = since(now->n_admin, before->n_admin),
	};
}

/* The energy of all is that of the parts, so that these are all of it. */
static void count_since(struct account *now, const struct account *before)
{
	now->resting_fj = energy_since(now->resting_fj, before->resting_fj);
	now->energy_fj = now->resting_fj;
	for (size_t i = 0; i < MAX_CAUSES; i++) {
		now->causes[i] =
			cause_since(&now->causes[i], &before->causes[i]);
		wide_add(&now->energy_fj, now->causes[i].energy_fj);
	}
	now->busy_ns = since(now->busy_ns, before->busy_ns);
	now->idle_ns = since(now->idle_ns, before->idle_ns);
	now->asleep_ns = since(now->asleep_ns, before->asleep_ns);
	now->transition_ns = since(now->transition_ns, before->transition_ns);
	now->uncovered_ns = since(now->uncovered_ns, before->uncovered_ns);
	now->n_ios = since(now->n_ios, before->n_ios);
	now->bytes = since(now->bytes, before->bytes);
	now->n_wakes = since(now->n_wakes, before->n_wakes);
	now->n_delayed = since(now->n_delayed, before->n_delayed);
	now->delay_sum_ns = since(now->delay_sum_ns, before->delay_sum_ns);
	now->n_admin = since(now->n_admin, before->n_admin);
}

void ssdpm__view_since(struct drive_view *view, const struct mark *mark)
{
	count_since(&view->account, &mark->account);
	/* Unless it had not begun. */
	if (mark->now_ns)
		view->start_ns = mark->now_ns;
	view->n_uncovered_ios -= mark->n_uncovered_ios;
}

int ssdpm__mark_new(const struct drive_view *view, struct mark **ret_mark,
		    struct ssdpm_error *reterr)
{
	struct mark *mark = malloc(sizeof(*mark));

	if (!mark)
		return ssdpm__no_memory(reterr);
	mark->account = view->account;
	mark->now_ns = view->now_ns;
	mark->n_uncovered_ios = view->n_uncovered_ios;
	*ret_mark = mark;
	return 0;
}
