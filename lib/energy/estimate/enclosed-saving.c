/* SPDX-License-Identifier: MIT */
/* The saving of one run against another, each known within two ends. */
#include "estimate/enclosure.h"

#include <errno.h>
#include <string.h>

#include "base/internal.h"

/* The factor of each power in the energy of one run less that of another. */
struct weights {
	struct wide low[SSDPM_MAX_PARAMETERS];
	struct wide high[SSDPM_MAX_PARAMETERS];
	uint32_t n_states;
	uint32_t transition;
	uint32_t link;
	uint32_t operational_state;
};

static void add_weight(struct weights *weights, uint32_t i, struct wide low,
		       struct wide high)
{
	wide_add(&weights->low[i], low);
	wide_add(&weights->high[i], high);
}

/* Adds the power of a state, and of the link if the drive sleeps in it. */
static void add_state(struct weights *weights, uint32_t state,
		      struct wide_extent ns)
{
	add_weight(weights, state, ns.low, ns.high);
	if (state != weights->operational_state)
		add_weight(weights, weights->link, ns.low, ns.high);
}

/*
 * One uncertain time, weighted by how many more times one run has it than the
 * other.
 */
static struct wide_extent times_common(int64_t n_from, int64_t n_to,
				       struct extent time)
{
	struct wide count =
		wide_minus(wide_of_signed(n_from), wide_of_signed(n_to));
	struct wide a = wide_times(count, time.low);
	struct wide b = wide_times(count, time.high);
	struct wide low = wide_least(a, b);

	return (struct wide_extent){ low, wide_minus(wide_plus(a, b), low) };
}

/* One of two policies, beyond the steps that both begin with. */
struct side {
	const struct chain *quick, *slow;
	uint32_t first; /* the first step in which it differs */
	struct beyond_steps beyond;
};

/* One step of a policy. */
struct step_view {
	const struct chain_step *quick, *slow;
	uint32_t before; /* the state in which the drive waits for it */
	struct extent wait, entry, exit;
	int64_t n_entered, n_woken;
};

static struct step_view view_of(const struct side *side, uint32_t step)
{
	const struct chain_step *quick = &side->quick->steps[step];
	const struct chain_step *slow = &side->slow->steps[step];
	struct step_view view = {
		.quick = quick,
		.slow = slow,
		.before =
			step ? quick[-1].state : side->quick->operational_state,
		.n_entered = (int64_t)side->beyond.n_entered[step],
		.n_woken = side->beyond.n_woken[step],
	};

	view.wait = ssdpm__wait_of(side->quick, side->slow, step);
	view.entry = (struct extent){ quick->resident_ns - quick->at_ns,
				      slow->resident_ns - slow->at_ns };
	view.exit = (struct extent){ quick->exit_ns, slow->exit_ns };
	return view;
}

/* Whether both leave the same state after the same timer. */
static bool waits_alike(const struct step_view *a, const struct step_view *b)
{
	return a->before == b->before && a->quick->timer == b->quick->timer &&
	       a->wait.low == b->wait.low && a->wait.high == b->wait.high;
}

/* What a step shares with the steps of the other policy. */
struct match {
	bool waits, enters;
	int64_t n_waits, n_entered, n_woken;
};

static struct match find_match(const struct step_view *step,
			       const struct side *other)
{
	struct match match = { 0 };

	for (uint32_t i = 0; i < other->quick->n; i++) {
		struct step_view view = view_of(other, i);

		if (waits_alike(step, &view)) {
			match.waits = true;
			match.n_waits = view.n_entered;
		}
		if (view.quick->state == step->quick->state) {
			match.enters = true;
			match.n_entered = view.n_entered;
			match.n_woken = view.n_woken;
		}
	}
	return match;
}

static void add_moving(struct weights *weights, struct wide_extent ns)
{
	add_weight(weights, weights->transition, ns.low, ns.high);
}

static void add_steps(struct weights *weights, const struct side *from,
		      const struct side *to)
{
	for (uint32_t i = 0; i < from->quick->n; i++) {
		struct step_view step = view_of(from, i);
		struct match match = find_match(&step, to);

		add_state(
			weights, step.before,
			times_common(step.n_entered, match.n_waits, step.wait));
		add_moving(weights, times_common(step.n_entered,
						 match.n_entered, step.entry));
		add_moving(weights, times_common(step.n_woken, match.n_woken,
						 step.exit));
	}
	for (uint32_t i = 0; i < to->quick->n; i++) {
		struct step_view step = view_of(to, i);
		struct match match = find_match(&step, from);

		/* The steps of the first policy added what both share. */
		if (!match.waits)
			add_state(weights, step.before,
				  times_common(0, step.n_entered, step.wait));
		if (match.enters)
			continue;
		add_moving(weights,
			   times_common(0, step.n_entered, step.entry));
		add_moving(weights, times_common(0, step.n_woken, step.exit));
	}
}

/* One less the other, if they have nothing in common. */
static struct wide_extent difference(struct wide_extent from,
				     struct wide_extent to)
{
	return (struct wide_extent){ wide_minus(from.low, to.high),
				     wide_minus(from.high, to.low) };
}

static void add_rests(struct weights *weights, const struct side *from,
		      const struct side *to)
{
	const struct beyond_steps *a = &from->beyond, *b = &to->beyond;
	uint32_t before = from->first ?
				  from->quick->steps[from->first - 1].state :
				  weights->operational_state;

	for (uint32_t i = 0; i < weights->n_states; i++)
		add_state(weights, i, difference(a->stay_ns[i], b->stay_ns[i]));
	add_moving(weights, difference(a->moving_ns, b->moving_ns));
	add_state(weights, before, difference(b->gone_ns, a->gone_ns));
}

/* In the closed loop the I/Os are the same. */
static void add_busy(struct weights *weights, const struct enclosed *from,
		     const struct enclosed *to)
{
	for (unsigned op = 0; op < SSDPM_N_OPS && from->of->open; op++) {
		struct extent a = from->base.busy_ns[op];
		struct extent b = to->base.busy_ns[op];

		add_weight(weights, weights->n_states + op,
			   wide_minus(wide_of(a.low), wide_of(b.high)),
			   wide_minus(wide_of(a.high), wide_of(b.low)));
	}
}

static bool is_same_step(const struct chain_step *a, const struct chain_step *b)
{
	return a->state == b->state && a->timer == b->timer &&
	       a->at_ns == b->at_ns && a->resident_ns == b->resident_ns &&
	       a->exit_ns == b->exit_ns;
}

/* How many steps both begin with. */
static uint32_t count_common(const struct enclosure *a,
			     const struct enclosure *b)
{
	uint32_t n = 0;

	while (n < a->quick.n && n < b->quick.n &&
	       is_same_step(&a->quick.steps[n], &b->quick.steps[n]) &&
	       is_same_step(&a->slow.steps[n], &b->slow.steps[n]))
		n++;
	return n;
}

bool ssdpm__enclosures_are_same(const struct enclosure *a,
				const struct enclosure *b)
{
	const uint32_t n = count_common(a, b);

	return n == a->quick.n && n == b->quick.n;
}

static struct side side_of(const struct enclosed *run, uint32_t n_common)
{
	struct side side = {
		.quick = &run->of->quick,
		.slow = &run->of->slow,
		/* In the open loop no idle times are the same. */
		.first = run->of->open ? 0 : n_common,
	};

	ssdpm__beyond_steps(run, side.first, &side.beyond);
	return side;
}

static struct weights weights_of(const struct priced_drive *drive,
				 const struct enclosed *from,
				 const struct enclosed *to, uint32_t n_common)
{
	const struct side a = side_of(from, n_common);
	const struct side b = side_of(to, n_common);
	struct weights weights = {
		.operational_state = drive->order.operational_state,
	};

	for (uint32_t i = 0; i < drive->n; i++) {
		uint32_t kind = drive->parameters[i].kind;

		if (kind == SSDPM_PARAMETER_IDLE_POWER)
			weights.n_states++;
		else if (kind == SSDPM_PARAMETER_TRANSITION_POWER)
			weights.transition = i;
		else if (kind == SSDPM_PARAMETER_LINK_POWER)
			weights.link = i;
	}
	add_steps(&weights, &a, &b);
	add_rests(&weights, &a, &b);
	add_busy(&weights, from, to);
	return weights;
}

/* a / b, rounded to the nearest, halves away from 0; false: beyond 63 bits. */
static bool divide(struct wide a, uint64_t b, int64_t *ret_quotient)
{
	bool negative = wide_is_negative(a);
	uint64_t rest;
	struct wide quotient =
		ssdpm__wide_divide(negative ? wide_negated(a) : a, b, &rest);

	wide_add(&quotient, wide_of(rest >= b - b / 2));
	if (!wide_fits(quotient) || quotient.low > INT64_MAX)
		return false;
	*ret_quotient =
		negative ? -(int64_t)quotient.low : (int64_t)quotient.low;
	return true;
}

static int64_t lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t greater(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void widen(struct ssdpm_saving *saving, int64_t nj, int64_t uw)
{
	saving->low_nj = lesser(saving->low_nj, nj);
	saving->high_nj = greater(saving->high_nj, nj);
	saving->low_uw = lesser(saving->low_uw, uw);
	saving->high_uw = greater(saving->high_uw, uw);
}

/* Adds one end of the energy, over the shortest and the longest time. */
static bool add_extreme(struct wide fj, struct extent duration_ns,
			struct ssdpm_saving *saving)
{
	int64_t nj, shorter = 0, longer = 0;

	if (!divide(fj, FJ_PER_NJ, &nj) ||
	    (duration_ns.low && !divide(fj, duration_ns.low, &shorter)) ||
	    (duration_ns.high && !divide(fj, duration_ns.high, &longer)))
		return false;
	widen(saving, nj, shorter);
	widen(saving, nj, longer);
	return true;
}

static bool add_extremes(const struct priced_drive *drive,
			 struct weights *weights, struct extent duration_ns,
			 struct ssdpm_saving *saving)
{
	struct wide low = ssdpm__least_sum(drive->parameters, drive->n,
					   &drive->order, weights->low);
	struct wide high;

	for (size_t i = 0; i < drive->n; i++)
		weights->high[i] = wide_negated(weights->high[i]);
	high = wide_negated(ssdpm__least_sum(drive->parameters, drive->n,
					     &drive->order, weights->high));
	return add_extreme(low, duration_ns, saving) &&
	       add_extreme(high, duration_ns, saving);
}

static int64_t no_less(struct wide fj, uint64_t by)
{
	int64_t quotient;

	/* Rounded to the nearest, and one more. */
	if (!divide(fj, by, &quotient))
		return wide_is_negative(fj) ? INT64_MIN : INT64_MAX;
	return quotient < INT64_MAX ? quotient + 1 : quotient;
}

static int64_t sum_of(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* What a saving can be beyond the later end of both, while both idle. */
struct tail {
	uint64_t more_uw; /* how much more "from" draws than "to", each in one
			     state */
	struct wide entry_fj; /* of all entries */
	uint64_t ns;	      /* how long it lasts at most */
	uint64_t before_ns;   /* how long both last at least before it */
};

static int64_t most_nj(int64_t near_nj, const struct tail *tail)
{
	struct wide fj = wide_product(tail->more_uw, tail->ns);

	if (wide_is_negative(fj))
		return INT64_MAX;
	wide_add(&fj, tail->entry_fj);
	return sum_of(near_nj, no_less(fj, FJ_PER_NJ));
}

/* A mean over two parts lies between their means. */
static int64_t most_uw(int64_t near_uw, const struct tail *tail)
{
	int64_t uw = sum_of(near_uw, no_less(tail->entry_fj, tail->before_ns));

	return greater(uw, no_less(wide_of(tail->more_uw), 1));
}

static struct tail tail_of(const struct priced_drive *drive,
			   const struct enclosed *from,
			   const struct enclosed *to, struct extent near_ns,
			   uint64_t end_ns)
{
	return (struct tail){
		.more_uw = ssdpm__tail_more_uw(drive, from, to),
		.entry_fj = wide_plus(ssdpm__tail_entry_fj(drive, from),
				      ssdpm__tail_entry_fj(drive, to)),
		.ns = end_ns - at_most(end_ns, near_ns.low),
		.before_ns = near_ns.low,
	};
}

/*
 * Narrows "found", which holds until a common end that may be another policy's
 * and uncertain. In "near" is the saving until the later end of the two.
 */
static void narrow(const struct tail *more, const struct tail *less,
		   const struct ssdpm_saving *near, struct ssdpm_saving *found)
{
	int64_t low_nj = most_nj(-near->low_nj, less);
	int64_t low_uw = most_uw(-near->low_uw, less);

	found->high_nj = lesser(found->high_nj, most_nj(near->high_nj, more));
	found->high_uw = lesser(found->high_uw, most_uw(near->high_uw, more));
	found->low_nj = greater(found->low_nj, -low_nj);
	found->low_uw = greater(found->low_uw, -low_uw);
}

static struct extent either(struct extent a, struct extent b)
{
	return (struct extent){ at_most(a.low, b.low),
				at_least(a.high, b.high) };
}

int ssdpm__fail_saving(struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, -ERANGE, 0,
			   "saving: the energies differ by more than 2^63 nJ "
			   "(9.2 GJ): are the times of the workload, and the "
			   "watts, in their units?");
}

static enum overload find_either(const struct enclosed *from,
				 const struct enclosed *to,
				 const struct priced_drive *drive)
{
	/* The last kind has one parameter. */
	const struct ssdpm_parameter *work = &drive->parameters[drive->n - 1];
	enum overload a = ssdpm__find_overload(from, work->low, work->high);
	enum overload b = ssdpm__find_overload(to, work->low, work->high);

	return a == b ? a : OVERLOAD_PERHAPS;
}

/* Finds the least and the most until the common end. */
static bool find_extremes(const struct priced_drive *drive,
			  const struct enclosed *from,
			  const struct enclosed *to, struct extent duration_ns,
			  struct ssdpm_saving *ret_saving)
{
	struct weights weights =
		weights_of(drive, from, to, count_common(from->of, to->of));

	*ret_saving = (struct ssdpm_saving){
		.low_nj = INT64_MAX,
		.low_uw = INT64_MAX,
		.high_nj = INT64_MIN,
		.high_uw = INT64_MIN,
	};
	return add_extremes(drive, &weights, duration_ns, ret_saving);
}

/* Narrows a saving by what is possible until the later end of the two. */
static int narrow_by_own(const struct priced_drive *drive,
			 const struct enclosed *from, const struct enclosed *to,
			 struct ssdpm_saving *found, struct ssdpm_error *reterr)
{
	const uint64_t end_ns =
		at_least(from->duration_ns.high, to->duration_ns.high);
	const struct extent near_ns = {
		at_least(from->own_ns.low, to->own_ns.low),
		at_least(from->own_ns.high, to->own_ns.high),
	};
	struct enclosed near_from, near_to;
	struct ssdpm_saving near;
	struct tail more, less;
	int err;

	if (!near_ns.low)
		return 0;
	err = ssdpm__enclosed_until(from, to->own_ns, &near_from, reterr);
	if (!err)
		err = ssdpm__enclosed_until(to, from->own_ns, &near_to, reterr);
	if (err || !find_extremes(drive, &near_from, &near_to, near_ns, &near))
		return err;
	more = tail_of(drive, from, to, near_ns, end_ns);
	less = tail_of(drive, to, from, near_ns, end_ns);
	narrow(&more, &less, &near, found);
	return 0;
}

static int price_means(const struct priced_drive *drive,
		       const struct enclosed *run, struct extent *ret_uw,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_run low, high;
	int err;

	memset(&low, 0xff, sizeof(low));
	memset(&high, 0, sizeof(high));
	err = ssdpm__price_enclosed(run, drive, false, &low, &high, reterr);
	*ret_uw = (struct extent){ low.mean_power_uw, high.mean_power_uw };
	return err;
}

/* Narrows a saving over one time by the means of both, which are rounded. */
static int narrow_by_means(const struct priced_drive *drive,
			   const struct enclosed *from,
			   const struct enclosed *to,
			   struct ssdpm_saving *found,
			   struct ssdpm_error *reterr)
{
	struct extent a, b;
	int err = price_means(drive, from, &a, reterr);

	if (!err)
		err = price_means(drive, to, &b, reterr);
	if (err || a.high > INT64_MAX / 2 || b.high > INT64_MAX / 2)
		return err;
	found->low_uw =
		greater(found->low_uw, (int64_t)a.low - (int64_t)b.high - 1);
	found->high_uw =
		lesser(found->high_uw, (int64_t)a.high - (int64_t)b.low + 1);
	return 0;
}

int ssdpm__widen_saving(const struct priced_drive *drive,
			const struct enclosed *from, const struct enclosed *to,
			struct ssdpm_saving *saving, struct ssdpm_error *reterr)
{
	enum overload overload = find_either(from, to, drive);
	struct ssdpm_saving found;
	int err;

	if (overload == OVERLOAD_SURELY ||
	    ssdpm__enclosures_are_same(from->of, to->of)) {
		widen(saving, 0, 0);
		return 0;
	}
	/* A drive that never sleeps draws the same under both. */
	if (overload == OVERLOAD_PERHAPS)
		widen(saving, 0, 0);
	if (!find_extremes(drive, from, to,
			   either(from->duration_ns, to->duration_ns), &found))
		return ssdpm__fail_saving(reterr);
	err = narrow_by_own(drive, from, to, &found, reterr);
	/* If work leaves no idle time, a mean covers another time. */
	if (!err && overload == OVERLOAD_NEVER)
		err = narrow_by_means(drive, from, to, &found, reterr);
	if (err)
		return err;
	widen(saving, found.low_nj, found.low_uw);
	widen(saving, found.high_nj, found.high_uw);
	return 0;
}
