/* SPDX-License-Identifier: MIT */
/*
 * Finds in the data what a meter does to the power. Does it lag? Is each sample
 * the power of an instant? Does its clock run at another rate? Each trait is
 * tried. It is accepted if it makes the run more likely than chance would,
 * until none does.
 */
#include "calibrate/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * A trait must add this much to the logarithm of the likelihood to be accepted.
 * Without an effect, two such logarithms differ by half a chi-square.
 */
#define GAIN_TAKEN 5.0

/* It must add this much to contradict what was stated. */
#define GAIN_CONTRADICTS 12.0

/* A meter that lags by more steps shows hardly any edge. */
#define BINS_MAX 27.0

/* The rates of two clocks differ by this much at most. */
#define CLOCK_MAX 1e-3

/* A smaller gain is not visible. */
#define GAIN_POLISHED 0.05

#define N_ROUNDS 5
#define N_POLISHES 8
#define N_NARROW 12
#define GOLDEN 0.6180339887498949

struct trait_trial {
	struct meter meter;
	int64_t offset_ns;
	double score;
};

/* A search for traits from a first fit. */
struct trait_search {
	struct calibrate_task *task;
	struct fit_noise noise;
	double n;      /* rows of the first fit */
	bool searched; /* the offset is not known */
	struct trait_trial now;
	struct trait_trial before; /* where a round of the polish began */
};

static void score(struct trait_search *s, struct trait_trial *trial)
{
	struct calibrate_task *task = s->task;

	task->meter = trial->meter;
	ssdpm__task_fill(task, trial->offset_ns);
	double value = ssdpm__fit_score(&task->fit, s->noise);
	double n = (double)(task->fit.n_used + task->fit.n_out);

	/* Fits at the ends of a run have a few more or fewer rows. */
	trial->score = isfinite(value) ? value * s->n / n : -INFINITY;
}

/*
 * A response of this many ns; an offset that was searched has absorbed most of
 * it.
 */
static struct trait_trial with_response(struct trait_search *s,
					double response_ns)
{
	struct trait_trial trial = s->now;

	trial.meter.response_ns = response_ns;
	if (s->searched)
		trial.offset_ns +=
			(int64_t)(response_ns - s->now.meter.response_ns);
	score(s, &trial);
	return trial;
}

/*
 * Another rate. An offset that was searched moves so that the middle of the run
 * stays.
 */
static struct trait_trial with_clock(struct trait_search *s, double clock)
{
	const struct rows *rows = &s->task->rows;
	double middle_ns = 0.5 * (double)rows->n * (double)rows->bin_ns;
	struct trait_trial trial = s->now;

	trial.meter.clock = clock;
	if (s->searched)
		trial.offset_ns -=
			(int64_t)((clock - s->now.meter.clock) * middle_ns);
	score(s, &trial);
	return trial;
}

static struct trait_trial with_sampling(struct trait_search *s, bool point)
{
	struct trait_trial trial = s->now;

	trial.meter.point = point;
	score(s, &trial);
	return trial;
}

static bool better(struct trait_trial *best, struct trait_trial trial)
{
	if (!(trial.score > best->score))
		return false;
	*best = trial;
	return true;
}

typedef struct trait_trial (*trial_fn)(struct trait_search *s, double value);

/* Narrows by the golden section between two values. */
static struct trait_trial narrow(struct trait_search *s, trial_fn with,
				 double low, double high)
{
	struct trait_trial left = with(s, high - GOLDEN * (high - low));
	struct trait_trial right = with(s, low + GOLDEN * (high - low));
	struct trait_trial best = left;

	better(&best, right);
	for (int i = 1; i < N_NARROW; i++) {
		if (left.score > right.score) {
			high = low + GOLDEN * (high - low);
			right = left;
			left = with(s, high - GOLDEN * (high - low));
			better(&best, left);
		} else {
			low = high - GOLDEN * (high - low);
			left = right;
			right = with(s, low + GOLDEN * (high - low));
			better(&best, right);
		}
	}
	return best;
}

static struct trait_trial find_response(struct trait_search *s)
{
	static const double bins[] = { 0, 0.04, 0.12, 0.36, 1, 3, 9 };
	double bin_ns = (double)s->task->rows.bin_ns;
	struct trait_trial best = { .score = -INFINITY };
	size_t at = 0;

	for (size_t i = 0; i < sizeof(bins) / sizeof(bins[0]); i++)
		if (better(&best, with_response(s, bins[i] * bin_ns)))
			at = i;
	if (at && best.score > s->now.score)
		better(&best, narrow(s, with_response, bins[at] * bin_ns / 3,
				     bins[at] * bin_ns * 3));
	return best;
}

static struct trait_trial find_clock(struct trait_search *s)
{
	/*
	 * At the end of the run, one step of the clock is one row. If the
	 * offset was searched, it is half a row in each direction from the
	 * middle.
	 */
	double step = (s->searched ? 2 : 1) / (double)s->task->rows.n;
	struct trait_trial best = { .score = -INFINITY };
	double at = 0;

	for (double k = 0; k * step < CLOCK_MAX; k = k < 1 ? k + 0.4 : k + 1) {
		if (better(&best, with_clock(s, k * step)))
			at = k * step;
		if (k > 0 && better(&best, with_clock(s, -k * step)))
			at = -k * step;
	}
	if (best.score > s->now.score)
		better(&best, narrow(s, with_clock, at - step, at + step));
	return best;
}

/* The best trial among the traits of this mask. */
static struct trait_trial find_best(struct trait_search *s, uint32_t traits)
{
	struct trait_trial best = s->now;

	if (traits & SSDPM_TRAIT_SAMPLING && s->task->rows.single)
		better(&best, with_sampling(s, !s->now.meter.point));
	if (traits & SSDPM_TRAIT_RESPONSE)
		better(&best, find_response(s));
	if (traits & SSDPM_TRAIT_CLOCK)
		better(&best, find_clock(s));
	return best;
}

static struct trait_trial with_offset(struct trait_search *s, double more_ns)
{
	struct trait_trial trial = s->now;

	trial.offset_ns += (int64_t)more_ns;
	score(s, &trial);
	return trial;
}

/* Limits a response to what is searched. */
static double within(const struct trait_search *s, double response_ns)
{
	return ssdpm__max(0,
			  ssdpm__min(response_ns,
				     BINS_MAX * (double)s->task->rows.bin_ns));
}

/* The trial this many times as far from where the round began. */
static struct trait_trial with_stride(struct trait_search *s, double times)
{
	const struct trait_trial *from = &s->before;
	struct trait_trial trial = s->now;
	double offset_ns = (double)(s->now.offset_ns - from->offset_ns);
	double response_ns = s->now.meter.response_ns - from->meter.response_ns;
	double clock = s->now.meter.clock - from->meter.clock;

	trial.offset_ns = from->offset_ns + (int64_t)(times * offset_ns);
	if (fabs(response_ns) > 0)
		trial.meter.response_ns = within(
			s, from->meter.response_ns + times * response_ns);
	trial.meter.clock = from->meter.clock + times * clock;
	score(s, &trial);
	return trial;
}

static void move(struct trait_search *s, trial_fn with, double low, double high)
{
	better(&s->now, narrow(s, with, low, high));
}

/*
 * Traits found one after the other compensate for each other and for the
 * offset. A meter that lags a little less, with a clock a little ahead, is
 * nearly as good. Move them in turn, then together along what the turn changed,
 * as long as that gains anything (Hooke and Jeeves 1961).
 */
static void polish(struct trait_search *s, uint32_t stated)
{
	const bool lags = !(stated & SSDPM_TRAIT_RESPONSE) &&
			  s->now.meter.response_ns > 0;
	const bool skewed =
		!(stated & SSDPM_TRAIT_CLOCK) && s->now.meter.clock != 0;
	double range_ns = (double)s->task->rows.bin_ns / 8;
	double step = 1 / (double)s->task->rows.n;

	for (int i = 0; i < N_POLISHES && s->searched + lags + skewed > 1;
	     i++) {
		s->before = s->now;
		if (s->searched)
			move(s, with_offset, -range_ns, range_ns);
		if (lags)
			move(s, with_response, s->now.meter.response_ns / 1.5,
			     within(s, s->now.meter.response_ns * 1.5));
		if (skewed)
			move(s, with_clock, s->now.meter.clock - step,
			     s->now.meter.clock + step);
		move(s, with_stride, 1, 9);
		if (!(s->now.score > s->before.score + GAIN_POLISHED))
			break;
	}
}

static int begin(struct trait_search *s, struct calibrate_task *task)
{
	s->task = task;
	s->noise = task->fit.noise;
	s->n = (double)(task->fit.n_used + task->fit.n_out);
	s->now.meter = task->meter;
	s->now.offset_ns = task->offset_ns;
	score(s, &s->now);
	return isfinite(s->now.score) ? 0 : -EDOM;
}

/*
 * Finds the best offset nearby. Each offset has its own spikes, because the
 * spikes of another would remove the edges that decide.
 */
static void settle(struct trait_search *s)
{
	double step = (double)s->task->rows.bin_ns / 8;
	struct trait_trial best = s->now;

	for (int i = -4; i <= 4; i++)
		better(&best, with_offset(s, i * step));
	s->now = best;
	move(s, with_offset, -step, step);
	move(s, with_offset, -step / 32, step / 32);
}

/* Fits with the traits found, and finds the noise anew. */
static int take(struct trait_search *s)
{
	struct calibrate_task *task = s->task;

	if (s->searched)
		settle(s);
	task->meter = s->now.meter;
	task->offset_ns = s->now.offset_ns;
	ssdpm__task_fill(task, task->offset_ns);
	return ssdpm__fit(&task->fit, task->room);
}

int ssdpm__meter_find(struct calibrate_task *task, uint32_t stated,
		      bool searched)
{
	struct trait_search s = { .searched = searched };
	int err = 0;

	for (int i = 0; err == 0 && i < N_ROUNDS; i++) {
		err = begin(&s, task);
		if (err)
			break;
		struct trait_trial best = find_best(&s, ~stated);
		bool found = best.score > s.now.score + GAIN_TAKEN;

		if (found)
			s.now = best;
		polish(&s, stated);
		err = take(&s);
		if (!found)
			break;
	}
	return err;
}

/*
 * Tries another value of a stated trait, with and without the traits found. One
 * of these may only compensate for the stated value.
 */
static struct trait_trial find_other(struct trait_search *s, uint32_t trait,
				     uint32_t stated)
{
	const struct trait_trial now = s->now;
	struct trait_trial best = find_best(s, trait);

	if (!(stated & SSDPM_TRAIT_SAMPLING))
		s->now.meter.point = false;
	if (!(stated & SSDPM_TRAIT_RESPONSE))
		s->now.meter.response_ns = 0;
	if (!(stated & SSDPM_TRAIT_CLOCK))
		s->now.meter.clock = 0;
	better(&best, find_best(s, trait));
	s->now = now;
	return best;
}

/* A best value at an end of the search range contradicts the run. */
static uint32_t check_ends(const struct trait_search *s, uint32_t stated)
{
	double bin_ns = (double)s->task->rows.bin_ns;

	if (!(stated & SSDPM_TRAIT_CLOCK) &&
	    fabs(s->now.meter.clock) > 0.95 * CLOCK_MAX)
		return SSDPM_CONTRADICTION_CLOCK;
	if (!(stated & SSDPM_TRAIT_RESPONSE) &&
	    s->now.meter.response_ns > 0.95 * BINS_MAX * bin_ns)
		return SSDPM_CONTRADICTION_RESPONSE;
	return 0;
}

static uint32_t check_stated(struct trait_search *s, uint32_t stated)
{
	static const struct {
		uint32_t trait, contradiction;
	} traits[] = {
		{ SSDPM_TRAIT_SAMPLING, SSDPM_CONTRADICTION_SAMPLING },
		{ SSDPM_TRAIT_RESPONSE, SSDPM_CONTRADICTION_RESPONSE },
		{ SSDPM_TRAIT_CLOCK, SSDPM_CONTRADICTION_CLOCK },
	};
	double most = s->now.score + GAIN_CONTRADICTS;
	uint32_t contradiction = 0;

	for (size_t i = 0; i < sizeof(traits) / sizeof(traits[0]); i++) {
		if (!(stated & traits[i].trait))
			continue;
		struct trait_trial best =
			find_other(s, traits[i].trait, stated);

		if (!(best.score > most))
			continue;
		most = best.score;
		contradiction = traits[i].contradiction;
	}
	return contradiction ? contradiction : check_ends(s, stated);
}

/* The state that a check restores. */
struct kept_fit {
	struct fit fit;
	struct meter meter;
	uint8_t out[];
};

static struct kept_fit *keep(const struct calibrate_task *task)
{
	struct kept_fit *kept = malloc(sizeof(*kept) + task->fit.n);

	if (!kept)
		return NULL;
	kept->fit = task->fit;
	kept->meter = task->meter;
	memcpy(kept->out, task->fit.out, task->fit.n);
	return kept;
}

/* Restores and frees it. */
static void put_back(struct calibrate_task *task, struct kept_fit *kept)
{
	task->meter = kept->meter;
	ssdpm__task_fill(task, task->offset_ns);
	memcpy(task->fit.out, kept->out, task->fit.n);
	task->fit = kept->fit;
	free(kept);
}

/* Lengthens each I/O that wakes the drive, up to the next I/O. */
static void lengthen(const struct drawn_course *course,
		     const uint64_t exit_ns[SSDPM_MAX_STATES],
		     struct ssdpm_io *longer)
{
	for (size_t i = 0; i < course->n_arrivals; i++) {
		const struct arrival *arrival = &course->arrivals[i];
		struct ssdpm_io *io = &longer[arrival->io];
		uint64_t service_ns = io->service_ns;

		if (arrival->phase != SSDPM_PHASE_RESIDENT)
			continue;
		service_ns += exit_ns[arrival->state];
		if (arrival->io + 1 < course->n_ios &&
		    service_ns > io[1].start_ns - io->start_ns)
			service_ns = io[1].start_ns - io->start_ns;
		if (service_ns > io->service_ns && service_ns <= UINT32_MAX)
			io->service_ns = (uint32_t)service_ns;
	}
}

/* Scores the power with longer wakes; the course is cut with cut_ns. */
static int try_wait(struct trait_search *s,
		    const uint64_t wait_ns[SSDPM_MAX_STATES],
		    const uint64_t cut_ns[SSDPM_MAX_STATES],
		    struct ssdpm_io *longer, double *ret_score)
{
	struct drawn_course *course = &s->task->course;
	const struct ssdpm_io *ios = course->ios;
	struct trait_trial trial = s->now;

	memcpy(longer, ios, course->n_ios * sizeof(*longer));
	lengthen(course, wait_ns, longer);
	course->ios = longer;
	int err = ssdpm__course_cut(course, cut_ns);

	if (err == 0)
		score(s, &trial);
	course->ios = ios;
	*ret_score = trial.score;
	return err;
}

/*
 * Compares the best of several waits with none, over the same steps. The steps
 * that a fit left out, because the latency was unknown, decide.
 */
static int compare_waits(struct trait_search *s,
			 const uint64_t exit_ns[SSDPM_MAX_STATES],
			 const uint64_t cut_ns[SSDPM_MAX_STATES],
			 struct ssdpm_io *longer, double *ret_gain)
{
	static const double factors[] = { 0, 0.25, 0.5, 1, 2, 4, 8 };
	double none = 0, with = 0;
	int err = 0;

	for (size_t k = 0; err == 0 && k < 7; k++) {
		uint64_t wait_ns[SSDPM_MAX_STATES] = { 0 };
		uint64_t all_ns[SSDPM_MAX_STATES];

		for (size_t i = 0; i < SSDPM_MAX_STATES; i++) {
			bool judged = exit_ns[i] != EXIT_UNKNOWN;

			if (judged)
				wait_ns[i] = (uint64_t)(factors[k] *
							(double)exit_ns[i]);
			all_ns[i] = wait_ns[i];
			if (!judged || (k == 0 && cut_ns[i] != EXIT_UNKNOWN))
				all_ns[i] = cut_ns[i];
		}
		err = try_wait(s, wait_ns, all_ns, longer, k ? &with : &none);
		if (k && err == 0)
			*ret_gain = ssdpm__max(*ret_gain, with - none);
	}
	return err;
}

int ssdpm__wait_check(struct calibrate_task *task,
		      const uint64_t exit_ns[SSDPM_MAX_STATES],
		      const uint64_t cut_ns[SSDPM_MAX_STATES], double *ret_gain)
{
	struct kept_fit *kept = keep(task);
	struct ssdpm_io *longer = malloc(task->course.n_ios * sizeof(*longer));
	struct trait_search s = { 0 };
	int err = kept && longer ? 0 : -ENOMEM;

	if (err == 0 && begin(&s, task) == 0)
		err = compare_waits(&s, exit_ns, cut_ns, longer, ret_gain);
	if (err == 0)
		err = ssdpm__course_cut(&task->course, cut_ns);
	if (kept && err == 0)
		put_back(task, kept);
	else
		free(kept);
	free(longer);
	return err;
}

int ssdpm__meter_check(struct calibrate_task *task, uint32_t stated,
		       uint32_t *ret_contradiction)
{
	struct trait_search s = { 0 };
	struct kept_fit *kept = keep(task);

	if (!kept)
		return -ENOMEM;
	if (begin(&s, task) == 0)
		*ret_contradiction = check_stated(&s, stated);
	put_back(task, kept);
	if (!*ret_contradiction && stated & SSDPM_TRAIT_DRIFT &&
	    task->fit.walk_gain > GAIN_CONTRADICTS)
		*ret_contradiction = SSDPM_CONTRADICTION_DRIFT;
	return 0;
}
