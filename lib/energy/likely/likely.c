/* SPDX-License-Identifier: MIT */
/*
 * The saving on drives that are drawn. Each policy runs once for each set of
 * times. The saving is then a sum of products with the powers of each drive.
 */
#include "likely/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"
#include "common/elementary.h"

/* The factor of each parameter under one set of times, and the end. */
struct weighed {
	double of[SSDPM_MAX_PARAMETERS];
	double fixed_fj;
	double end_ns;
};

/* All drives of one kind. */
struct trial {
	const struct subject *from, *to; /* NULL: one policy alone */
	const struct likely_work *work;	 /* for one policy alone */
	bool deeper_link; /* the last parameter is that of another link */
	uint32_t asleep;  /* the first state that is not operational; 0: none */
	struct unknowns unknowns;
	const double *normals; /* of n draws */
	const double *time_normals;
	uint32_t n;
	struct lattice lattices[SSDPM_MAX_PARAMETERS]; /* by unknown */
	struct weighed weighed[N_TIMES];
	bool times_weighed; /* that is from a trial with the same times */
	double *nj, *uw;    /* saved, by draw */
	struct factors *factors;
};

/* Times have a share for each set of times; powers have one for each draw. */
static void find_lattices(struct trial *trial)
{
	const struct unknowns *unknowns = &trial->unknowns;

	for (uint32_t i = 0; i < unknowns->n; i++)
		trial->lattices[i] = ssdpm__lattice(
			unknowns->at[i].time ? N_TIMES : trial->n, i);
}

static void put_drawn_times(const struct trial *trial, uint32_t set,
			    struct ssdpm_parameter *parameters)
{
	const struct unknowns *unknowns = &trial->unknowns;

	for (size_t i = 0; i < unknowns->drive->n; i++) {
		struct ssdpm_parameter *p = &parameters[i];
		uint32_t number = unknowns->of[i], share;

		if (number == UINT32_MAX || !unknowns->at[number].time)
			continue;
		share = ssdpm__share_of(&trial->lattices[number], set);
		p->nominal = (uint64_t)(ssdpm__drawn_value(
						p, unknowns->at[number].log_sd,
						trial->time_normals[share]) +
					0.5);
	}
}

static void weigh(const struct likely_times *times, double sign,
		  const struct priced_drive *drive, struct weighed *weighed)
{
	double asleep = 0;

	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		if (i != drive->order.operational_state)
			asleep += times->stay_ns[i];
	for (size_t i = 0; i < drive->n; i++) {
		const struct ssdpm_parameter *p = &drive->parameters[i];

		if (p->kind == SSDPM_PARAMETER_IDLE_POWER)
			weighed->of[i] += sign * times->stay_ns[p->index];
		else if (p->kind == SSDPM_PARAMETER_TRANSITION_POWER)
			weighed->of[i] += sign * times->moving_ns;
		else if (p->kind == SSDPM_PARAMETER_LINK_POWER)
			weighed->of[i] += sign * asleep;
	}
}

static void weigh_work(const struct likely_work *work,
		       const struct priced_drive *drive,
		       struct weighed *weighed)
{
	for (size_t i = 0; i < drive->n; i++) {
		const struct ssdpm_parameter *p = &drive->parameters[i];

		if (p->kind == SSDPM_PARAMETER_ACTIVE_POWER)
			weighed->of[i] += work->busy_ns[p->index];
	}
	weighed->fixed_fj = work->fixed_fj;
}

/* Weighs one policy alone. */
static void weigh_one(const struct trial *trial, struct likely_times *times,
		      struct weighed *weighed)
{
	const struct priced_drive *drive = trial->unknowns.drive;

	weighed->end_ns = times->own_ns;
	ssdpm__likely_rest(trial->from, weighed->end_ns, times);
	weigh(times, 1, drive, weighed);
	weigh_work(trial->work, drive, weighed);
}

/* Weighs one policy with two links, which differ in the drive's sleep alone. */
static void weigh_links(const struct trial *trial, struct likely_times *times,
			struct weighed *weighed)
{
	const struct priced_drive *drive = trial->unknowns.drive;
	struct weighed all = { .end_ns = 0 };

	weighed->end_ns = times->own_ns;
	ssdpm__likely_rest(trial->from, weighed->end_ns, times);
	weigh(times, 1, drive, &all);
	for (size_t i = 0; i < drive->n; i++)
		if (drive->parameters[i].kind == SSDPM_PARAMETER_LINK_POWER)
			weighed->of[i] = all.of[i];
	weighed->of[drive->n - 1] *= -1;
}

static void weigh_both(const struct trial *trial, struct likely_times *from,
		       struct likely_times *to, struct weighed *weighed)
{
	const struct priced_drive *drive = trial->unknowns.drive;

	weighed->end_ns = ssdpm__max(from->own_ns, to->own_ns);
	ssdpm__likely_rest(trial->from, weighed->end_ns, from);
	ssdpm__likely_rest(trial->to, weighed->end_ns, to);
	weigh(from, 1, drive, weighed);
	weigh(to, -1, drive, weighed);
}

/* Weighs both policies with one set of times, over the same time. */
static int weigh_times(struct trial *trial, uint32_t set,
		       struct ssdpm_error *reterr)
{
	const struct priced_drive *drive = trial->unknowns.drive;
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	const struct corner nominal = { { 0 } };
	struct weighed weighed = { .end_ns = 0 };
	struct likely_times from, to;
	struct values values;
	int err;

	memcpy(parameters, drive->parameters, drive->n * sizeof(*parameters));
	put_drawn_times(trial, set, parameters);
	ssdpm__values(parameters, drive->n, drive->order.operational_state,
		      &nominal, &values);
	err = ssdpm__likely_times(trial->from, set, &values, &from, reterr);
	if (!err && trial->to)
		err = ssdpm__likely_times(trial->to, set, &values, &to, reterr);
	if (err)
		return err;
	if (trial->to)
		weigh_both(trial, &from, &to, &weighed);
	else if (trial->deeper_link)
		weigh_links(trial, &from, &weighed);
	else
		weigh_one(trial, &from, &weighed);
	trial->weighed[set] = weighed;
	return 0;
}

static bool is_bound(const struct unknowns *unknowns, uint32_t state)
{
	return !(unknowns->drive->order.loose_states >> state & 1);
}

/*
 * No state draws more than the one before it. The deeper one is lowered, unless
 * its range prevents that. Idle powers are the first parameters, by state, and
 * active ones the next; an I/O draws no less than the idle drive.
 */
static void put_in_order(const struct unknowns *unknowns,
			 double powers[SSDPM_MAX_PARAMETERS])
{
	const struct power_order *order = &unknowns->drive->order;

	for (uint32_t i = 1; i < unknowns->n_states; i++)
		if (is_bound(unknowns, i))
			powers[i] = ssdpm__max(
				ssdpm__min(powers[i], powers[i - 1]),
				(double)unknowns->drive->parameters[i].low);
	for (size_t i = unknowns->n_states; i-- > 1;)
		if (is_bound(unknowns, (uint32_t)i))
			powers[i - 1] = ssdpm__max(powers[i - 1], powers[i]);
	for (uint32_t op = 0; op < SSDPM_N_OPS; op++) {
		double *active = &powers[unknowns->n_states + op];

		if (!(order->loose_ops >> op & 1))
			*active = ssdpm__max(*active,
					     powers[order->operational_state]);
	}
}

/*
 * A drive that sleeps draws no more with its link than the idle drive, whose
 * power contains the same link. So the link is lowered, and the idle power is
 * raised if the link's range prevents that.
 */
static void put_link_in_order(const struct trial *trial,
			      double powers[SSDPM_MAX_PARAMETERS])
{
	const struct priced_drive *drive = trial->unknowns.drive;
	const uint32_t operational = drive->order.operational_state;
	const double asleep = powers[trial->asleep];
	double *idle = &powers[operational], before = *idle;

	if (!trial->asleep)
		return;
	for (size_t i = 0; i < drive->n; i++) {
		const struct ssdpm_parameter *p = &drive->parameters[i];

		if (p->kind != SSDPM_PARAMETER_LINK_POWER)
			continue;
		powers[i] = ssdpm__max(ssdpm__min(powers[i], *idle - asleep),
				       (double)p->low);
		*idle = ssdpm__max(
			*idle,
			ssdpm__min(
				asleep + powers[i],
				(double)drive->parameters[operational].high));
	}
	if (*idle > before)
		put_in_order(&trial->unknowns, powers);
}

/* A deeper state of the link draws no more. */
static void put_links_in_order(const struct priced_drive *drive,
			       double powers[SSDPM_MAX_PARAMETERS])
{
	double *deeper = &powers[drive->n - 1];

	for (size_t i = 0; i + 1 < drive->n; i++)
		if (drive->parameters[i].kind == SSDPM_PARAMETER_LINK_POWER)
			*deeper = ssdpm__min(*deeper, powers[i]);
}

/*
 * Whether a power has a factor. None that has one is put in order by one that
 * has none, so that is not drawn.
 */
static bool counts(const struct trial *trial, uint32_t kind)
{
	if (trial->work)
		return true;
	return kind == SSDPM_PARAMETER_LINK_POWER ||
	       kind == SSDPM_PARAMETER_IDLE_POWER ||
	       (!trial->deeper_link && kind != SSDPM_PARAMETER_ACTIVE_POWER);
}

/* A power that is drawn: its share of the lattice, for one draw after another.
 */
struct drawn_power {
	size_t index;
	double centre, low, high;
	const double *factors;
	uint32_t share, step;
};

struct drawn_powers {
	double known[SSDPM_MAX_PARAMETERS]; /* nominal ones, in those places */
	struct drawn_power at[SSDPM_MAX_PARAMETERS];
	size_t n;
	/* Those that have a weight under some set of times */
	size_t weighed[SSDPM_MAX_PARAMETERS];
	size_t n_weighed;
};

static int find_drawn(const struct trial *trial, struct drawn_powers *drawn,
		      struct ssdpm_error *reterr)
{
	const struct unknowns *unknowns = &trial->unknowns;
	const struct priced_drive *drive = unknowns->drive;

	drawn->n = 0;
	for (size_t i = 0; i < drive->n; i++) {
		const struct ssdpm_parameter *p = &drive->parameters[i];
		const uint32_t number = unknowns->of[i];

		drawn->known[i] = (double)p->nominal;
		if (number == UINT32_MAX || unknowns->at[number].time ||
		    !counts(trial, p->kind))
			continue;
		drawn->at[drawn->n] = (struct drawn_power){
			.index = i,
			.centre = ssdpm__centre_of(p),
			.low = (double)p->low,
			.high = (double)p->high,
			.factors = ssdpm__factors(trial->factors,
						  unknowns->at[number].log_sd,
						  trial->normals, trial->n),
			.share = ssdpm__share_of(&trial->lattices[number], 0),
			.step = trial->lattices[number].step,
		};
		if (!drawn->at[drawn->n++].factors)
			return ssdpm__no_memory(reterr);
	}
	return 0;
}

static void find_weighed(const struct trial *trial, struct drawn_powers *drawn)
{
	drawn->n_weighed = 0;
	for (size_t i = 0; i < trial->unknowns.drive->n; i++) {
		uint32_t set = 0;

		while (set < N_TIMES && trial->weighed[set].of[i] == 0)
			set++;
		if (set < N_TIMES)
			drawn->weighed[drawn->n_weighed++] = i;
	}
}

static void draw_powers(const struct trial *trial, struct drawn_powers *drawn,
			double powers[SSDPM_MAX_PARAMETERS])
{
	const struct unknowns *unknowns = &trial->unknowns;
	const struct priced_drive *drive = unknowns->drive;

	memcpy(powers, drawn->known, drive->n * sizeof(*powers));
	for (size_t i = 0; i < drawn->n; i++) {
		struct drawn_power *one = &drawn->at[i];

		powers[one->index] = ssdpm__min(
			ssdpm__max(one->centre * one->factors[one->share],
				   one->low),
			one->high);
		one->share += one->step;
		if (one->share >= trial->n)
			one->share -= trial->n;
	}
	put_in_order(unknowns, powers);
	put_link_in_order(trial, powers);
	if (trial->deeper_link)
		put_links_in_order(drive, powers);
}

static uint32_t first_asleep(const struct ssdpm_model *model)
{
	size_t n, i = 0;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);

	while (i < n && !(states[i].flags & SSDPM_STATE_NON_OPERATIONAL))
		i++;
	return i < n ? (uint32_t)i : 0;
}

static int run_trial(struct trial *trial, struct ssdpm_error *reterr)
{
	struct drawn_powers drawn;
	int err;

	trial->asleep = first_asleep(trial->from->model);
	find_lattices(trial);
	err = find_drawn(trial, &drawn, reterr);
	for (uint32_t i = 0; i < N_TIMES && !err && !trial->times_weighed; i++)
		err = weigh_times(trial, i, reterr);
	if (!err)
		find_weighed(trial, &drawn);
	for (uint32_t draw = 0; draw < trial->n && !err; draw++) {
		const struct weighed *weighed = &trial->weighed[draw % N_TIMES];
		double powers[SSDPM_MAX_PARAMETERS];
		double fj = weighed->fixed_fj;

		draw_powers(trial, &drawn, powers);
		for (size_t i = 0; i < drawn.n_weighed; i++)
			fj += powers[drawn.weighed[i]] *
			      weighed->of[drawn.weighed[i]];
		trial->nj[draw] = fj / FJ_PER_NJ;
		trial->uw[draw] =
			weighed->end_ns > 0 ? fj / weighed->end_ns : 0;
	}
	return err;
}

/*
 * The value of this rank, from 0; reorders the values. This is C. A. R. Hoare's
 * algorithm, in place, because qsort() may allocate.
 */
static double ranked(double *values, size_t n, size_t rank)
{
	size_t from = 0, to = n - 1;

	while (from < to) {
		const double pivot = values[from + (to - from) / 2];
		size_t i = from, j = to;

		for (;; i++, j--) {
			double swapped;

			while (values[i] < pivot)
				i++;
			while (values[j] > pivot)
				j--;
			if (i >= j)
				break;
			swapped = values[i];
			values[i] = values[j];
			values[j] = swapped;
		}
		if (rank <= j)
			to = j;
		else
			from = j + 1;
	}
	return values[rank];
}

static uint32_t ppm(size_t count, size_t of)
{
	return of ? (uint32_t)((count * UINT64_C(1000000) + of / 2) / of) : 0;
}

/* The share of drives that save, and that cost. */
struct signs {
	uint32_t saves_ppm;
	uint32_t costs_ppm;
};

static struct signs count_signs(const struct trial *trial)
{
	size_t saves = 0, costs = 0;

	for (uint32_t i = 0; i < trial->n; i++) {
		saves += trial->nj[i] > 0;
		costs += trial->nj[i] < 0;
	}
	return (struct signs){ ppm(saves, trial->n), ppm(costs, trial->n) };
}

/* Whether nine of ten cases are too small to notice. */
static bool is_small(const struct trial *trial)
{
	const uint32_t n = trial->n, edge = n / 20;

	return ranked(trial->uw, n, edge) > -SMALL_UW &&
	       ranked(trial->uw, n, n - 1 - edge) < SMALL_UW;
}

static uint32_t judge(struct signs signs)
{
	if (signs.saves_ppm > 950000)
		return SSDPM_SAVING_SAVES;
	if (signs.saves_ppm > 800000)
		return SSDPM_SAVING_PROBABLY_SAVES;
	if (signs.costs_ppm > 950000)
		return SSDPM_SAVING_COSTS;
	if (signs.costs_ppm > 800000)
		return SSDPM_SAVING_PROBABLY_COSTS;
	return SSDPM_SAVING_NOT_DECIDED;
}

/* How much the chance differs between the halves of an unknown. */
static uint32_t shift_of(const struct trial *trial, uint32_t number)
{
	const struct lattice *lattice = &trial->lattices[number];
	size_t n[2] = { 0 }, saves[2] = { 0 };
	uint32_t a, b;

	for (uint32_t i = 0; i < trial->n; i++) {
		/*
		 * Times repeat after a whole set, so n draws cover the shares.
		 */
		uint32_t share = ssdpm__share_of(lattice, i % lattice->n);
		bool upper = share >= lattice->n / 2;

		n[upper]++;
		saves[upper] += trial->nj[i] > 0;
	}
	a = ppm(saves[0], n[0]);
	b = ppm(saves[1], n[1]);
	return a > b ? a - b : b - a;
}

/*
 * Whether the source, such as smartctl's text, may have left it out, but not
 * the drive.
 */
static bool is_in_identify(const struct ssdpm_model *model, uint32_t state)
{
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);

	return ssdpm_model_get_info(model)->kind == SSDPM_KIND_NVME &&
	       state < n && states[state].unknown & SSDPM_FIELD_IDLE_POWER;
}

static uint32_t ways_to_know(const struct ssdpm_model *model, uint32_t kind,
			     uint32_t index)
{
	switch (kind) {
	case SSDPM_PARAMETER_IDLE_POWER:
		return SSDPM_WAY_STATE |
		       (is_in_identify(model, index) ? SSDPM_WAY_IDENTIFY : 0);
	case SSDPM_PARAMETER_TRANSITION_POWER:
	case SSDPM_PARAMETER_ENTRY_LATENCY:
	case SSDPM_PARAMETER_EXIT_LATENCY:
		return SSDPM_WAY_STATE | SSDPM_WAY_CALIBRATE;
	case SSDPM_PARAMETER_ACTIVE_POWER:
	case SSDPM_PARAMETER_LINK_POWER:
	case SSDPM_PARAMETER_LINK_IDLE_TIME:
		return SSDPM_WAY_STATE;
	default:
		return 0; /* not drawn */
	}
}

static void find_decider(const struct trial *trial, struct ssdpm_likely *likely)
{
	for (uint32_t i = 0; i < trial->unknowns.n; i++) {
		uint32_t shift = shift_of(trial, i);
		const struct ssdpm_parameter *p =
			&trial->unknowns.drive
				 ->parameters[trial->unknowns.at[i].first];

		if (shift <= likely->decider_ppm)
			continue;
		likely->decider_ppm = shift;
		likely->decider_kind = p->kind;
		likely->decider_index = p->index;
	}
	likely->decider_ways =
		ways_to_know(trial->from->model, likely->decider_kind,
			     likely->decider_index);
}

static int64_t whole(double value)
{
	/* Limit to 63 bits; a possible saving fits them. */
	value = ssdpm__max(ssdpm__min(value, 9e18), -9e18);
	return (int64_t)ssdpm__floor(value + 0.5);
}

/* The verdict on the sign and the size after a trial. */
struct judged {
	uint32_t word;
	bool small;
	uint32_t saves_ppm;
};

static int find_word(struct trial *trial, struct judged *ret_judged,
		     struct ssdpm_error *reterr)
{
	int err = run_trial(trial, reterr);
	struct signs signs;

	if (err)
		return err;
	signs = count_signs(trial);
	*ret_judged = (struct judged){ judge(signs), is_small(trial),
				       signs.saves_ppm };
	return 0;
}

static bool uses(const struct unknowns *unknowns, uint32_t prior)
{
	for (size_t i = 0; i < unknowns->n; i++)
		if (unknowns->at[i].prior == prior)
			return true;
	return false;
}

static bool changes_times(const struct unknowns *unknowns, uint32_t prior)
{
	for (size_t i = 0; i < unknowns->n; i++)
		if (unknowns->at[i].prior == prior && unknowns->at[i].time)
			return true;
	return false;
}

/* No further prior changes such a verdict. */
static bool is_weakest(const struct judged *judged)
{
	return judged->word == SSDPM_SAVING_NOT_DECIDED && !judged->small;
}

/* The certainty of a word; above 0 it saves. */
static int strength_of(uint32_t word)
{
	static const int8_t strengths[] = {
		[SSDPM_SAVING_SAVES] = 2,
		[SSDPM_SAVING_PROBABLY_SAVES] = 1,
		[SSDPM_SAVING_PROBABLY_COSTS] = -1,
		[SSDPM_SAVING_NOT_DECIDED] = 0,
		[SSDPM_SAVING_COSTS] = -2,
	};

	return strengths[word];
}

/* The weaker of two words of one sign, which holds under both. */
static uint32_t weaker(uint32_t a, uint32_t b)
{
	int x = strength_of(a), y = strength_of(b);

	if (a == b)
		return a;
	if (x * y <= 0)
		return SSDPM_SAVING_NOT_DECIDED;
	return x * x < y * y ? a : b;
}

/* The sign and the size that hold if any one thin prior is twice as wide. */
static int check_prior(struct trial *trial, const struct priced_drive *drive,
		       uint32_t prior, struct judged *judged,
		       struct ssdpm_error *reterr)
{
	struct judged other;
	int err;

	ssdpm__find_unknowns(drive, prior, &trial->unknowns);
	err = find_word(trial, &other, reterr);
	if (err)
		return err;
	judged->word = weaker(judged->word, other.word);
	judged->small = judged->small && other.small;
	return 0;
}

/*
 * The sign and the size that hold if any one thin prior is twice as wide. Those
 * of powers come first, because they change no time that was weighed.
 */
static int check_word(struct trial *trial, const double *few_normals,
		      struct judged *judged, struct ssdpm_error *reterr)
{
	const struct unknowns unknowns = trial->unknowns;
	const uint32_t n = (uint32_t)ssdpm__n_priors();
	int err = 0;

	trial->n = N_FEW_DRAWS;
	trial->normals = few_normals;
	for (uint32_t i = 0; i < 2 * n && !err && !is_weakest(judged); i++) {
		trial->times_weighed = i < n;
		if (ssdpm__prior_is_thin(i % n) && uses(&unknowns, i % n) &&
		    changes_times(&unknowns, i % n) == (i >= n))
			err = check_prior(trial, unknowns.drive, i % n, judged,
					  reterr);
	}
	return err;
}

static int find_likely(struct trial *trial, const double *few_normals,
		       void *result, struct ssdpm_error *reterr)
{
	struct ssdpm_likely *likely = result;
	const uint32_t n = trial->n, edge = n / 20;
	struct judged judged;
	int err = find_word(trial, &judged, reterr);

	if (err)
		return err;
	find_decider(trial, likely);
	likely->saves_ppm = judged.saves_ppm;
	likely->priors_version = ssdpm__priors_version();
	likely->low_uw = whole(ranked(trial->uw, n, edge));
	likely->median_uw = whole(ranked(trial->uw, n, n / 2));
	likely->high_uw = whole(ranked(trial->uw, n, n - 1 - edge));
	likely->low_nj = whole(ranked(trial->nj, n, edge));
	likely->median_nj = whole(ranked(trial->nj, n, n / 2));
	likely->high_nj = whole(ranked(trial->nj, n, n - 1 - edge));
	err = check_word(trial, few_normals, &judged, reterr);
	likely->verdict = judged.small ? SSDPM_SAVING_TOO_SMALL : judged.word;
	return err;
}

/* The allocations of a trial: all or none. */
struct room {
	struct trial trial;
	double nj[N_DRAWS], uw[N_DRAWS];
	struct factors factors;
};

/* What to do with a trial, and its shares. */
typedef int (*try_fn)(struct trial *trial, const double *few_normals,
		      void *result, struct ssdpm_error *reterr);

static int try_drives(const struct priced_drive *drive,
		      const struct trial *what, try_fn try, void *result,
		      struct ssdpm_error *reterr)
{
	double *normals = ssdpm__normal_shares(N_DRAWS);
	double *few = ssdpm__normal_shares(N_FEW_DRAWS);
	double *times = ssdpm__normal_shares(N_TIMES);
	struct room *room = malloc(sizeof(*room));
	int err =
		normals && few && times && room ? 0 : ssdpm__no_memory(reterr);

	if (!err) {
		struct trial *trial = &room->trial;

		*trial = *what;
		trial->n = N_DRAWS;
		trial->normals = normals;
		trial->time_normals = times;
		trial->nj = room->nj;
		trial->uw = room->uw;
		trial->factors = &room->factors;
		room->factors.n = 0;
		ssdpm__find_unknowns(drive, UINT32_MAX, &trial->unknowns);
		err = try(trial, few, result, reterr);
		ssdpm__factors_free(&room->factors);
	}
	free(room);
	free(times);
	free(few);
	free(normals);
	return err;
}

/*
 * Keeps likely values within possible ones, because buckets of idle times are
 * slightly inexact.
 */
static void stay_within(struct ssdpm_likely *likely,
			const struct ssdpm_saving *possible)
{
	int64_t *uw[] = { &likely->low_uw, &likely->median_uw,
			  &likely->high_uw };
	int64_t *nj[] = { &likely->low_nj, &likely->median_nj,
			  &likely->high_nj };

	for (size_t i = 0; i < 3; i++) {
		if (*uw[i] < possible->low_uw)
			*uw[i] = possible->low_uw;
		if (*uw[i] > possible->high_uw)
			*uw[i] = possible->high_uw;
		if (*nj[i] < possible->low_nj)
			*nj[i] = possible->low_nj;
		if (*nj[i] > possible->high_nj)
			*nj[i] = possible->high_nj;
	}
}

int ssdpm__find_likely(const struct priced_drive *drive,
		       const struct subject *from, const struct subject *to,
		       const struct ssdpm_saving *possible,
		       struct ssdpm_likely *ret_likely,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_likely likely = { .size = sizeof(likely) };
	const struct trial what = { .from = from, .to = to };
	int err = try_drives(drive, &what, find_likely, &likely, reterr);

	if (err)
		return err;
	stay_within(&likely, possible);
	*ret_likely = likely;
	return 0;
}

static int find_power(struct trial *trial, const double *few_normals,
		      void *result, struct ssdpm_error *reterr)
{
	const uint32_t n = trial->n, edge = n / 20;
	double *uw = result;
	int err = run_trial(trial, reterr);

	(void)few_normals;
	if (err)
		return err;
	uw[0] = ranked(trial->uw, n, edge);
	uw[1] = ranked(trial->uw, n, n / 2);
	uw[2] = ranked(trial->uw, n, n - 1 - edge);
	return 0;
}

int ssdpm__draw_power(const struct priced_drive *drive,
		      const struct subject *subject,
		      const struct likely_work *work, double ret_uw[3],
		      struct ssdpm_error *reterr)
{
	const struct trial what = { .from = subject, .work = work };

	return try_drives(drive, &what, find_power, ret_uw, reterr);
}

int ssdpm__subject_of(const struct ssdpm_sim *sim, struct subject *ret_subject,
		      struct ssdpm_error *reterr)
{
	const struct course *nominal = &sim->nominal;
	struct subject subject;
	double idle_ns = 0;
	int err;

	for (uint32_t class = 0; class <= nominal->wakes.last; class ++)
		idle_ns += (double)nominal->tally.gaps[class].ns;
	err = ssdpm__subject_new(sim->profile, idle_ns, &subject, reterr);
	if (err)
		return err;
	subject.params = sim->params;
	if (sim->profile->has_table)
		subject.params.apst = &sim->profile->table;
	subject.busy_ns =
		(double)(nominal->flow.busy.until_ns - sim->start_ns) - idle_ns;
	subject.rest_ns =
		(double)(nominal->rest_ns -
			 (nominal->run.duration_ns - sim->own_duration_ns));
	*ret_subject = subject;
	return 0;
}

int ssdpm_sim_get_likely(const struct ssdpm_sim *from,
			 const struct ssdpm_sim *to,
			 struct ssdpm_likely *ret_likely,
			 struct ssdpm_error *reterr)
{
	const struct priced_drive drive = ssdpm__sim_drive(from);
	struct ssdpm_likely likely;
	struct subject a = { 0 }, b = { 0 };
	struct ssdpm_saving possible;
	int err = ssdpm__sized_check(ret_likely, sizeof(likely), "ssdpm_likely",
				     reterr);

	if (!err)
		err = ssdpm_sim_get_saving(from, to, &possible, reterr);
	if (err)
		return err;
	if (!from->profile || !to->profile)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a simulation was made without "
				   "SSDPM_SIM_LIKELY");
	err = ssdpm__subject_of(from, &a, reterr);
	if (!err)
		err = ssdpm__subject_of(to, &b, reterr);
	if (!err)
		err = ssdpm__find_likely(&drive, &a, &b, &possible, &likely,
					 reterr);
	ssdpm__subject_free(&a);
	ssdpm__subject_free(&b);
	if (!err)
		ssdpm__sized_out(ret_likely, &likely, sizeof(likely));
	return err;
}

/* The power of the link in this state. */
static int find_link(const struct ssdpm_model *model, uint32_t pcie_link,
		     struct ssdpm_parameter *ret_link,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	size_t n = 0;
	int err = ssdpm_parameters_from_model(model, pcie_link, parameters,
					      SSDPM_MAX_PARAMETERS, &n, reterr);

	for (size_t i = 0; i < n; i++)
		if (parameters[i].kind == SSDPM_PARAMETER_LINK_POWER)
			*ret_link = parameters[i];
	return err;
}

int ssdpm__find_likely_link(const struct ssdpm_sim *sim, uint32_t pcie_link,
			    struct ssdpm_likely *ret_likely,
			    struct ssdpm_error *reterr)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS], link;
	struct priced_drive drive = ssdpm__sim_drive(sim);
	struct ssdpm_likely likely = { .size = sizeof(likely) };
	struct subject subject = { 0 };
	const struct trial what = { .from = &subject, .deeper_link = true };
	int err = ssdpm__subject_of(sim, &subject, reterr);

	if (!err)
		err = find_link(subject.model, pcie_link, &link, reterr);
	if (!err) {
		memcpy(parameters, drive.parameters,
		       drive.n * sizeof(*parameters));
		parameters[drive.n++] = link;
		drive.parameters = parameters;
		err = try_drives(&drive, &what, find_likely, &likely, reterr);
	}
	ssdpm__subject_free(&subject);
	if (!err)
		*ret_likely = likely;
	return err;
}

static const char saving_verdict_words[][15] = {
	[SSDPM_SAVING_SAVES] = "saves",
	[SSDPM_SAVING_PROBABLY_SAVES] = "probably-saves",
	[SSDPM_SAVING_NOT_DECIDED] = "not-decided",
	[SSDPM_SAVING_PROBABLY_COSTS] = "probably-costs",
	[SSDPM_SAVING_COSTS] = "costs",
	[SSDPM_SAVING_TOO_SMALL] = "too-small",
};
ENUM_WORDS(saving_verdict)

bool ssdpm_saving_verdict_saves(uint32_t verdict)
{
	return verdict == SSDPM_SAVING_SAVES ||
	       verdict == SSDPM_SAVING_PROBABLY_SAVES;
}

static const char way_words[][10] = {
	[FLAG(SSDPM_WAY_IDENTIFY)] = "identify",
	[FLAG(SSDPM_WAY_CALIBRATE)] = "calibrate",
	[FLAG(SSDPM_WAY_STATE)] = "state",
};
FLAG_WORDS(way)
