/* SPDX-License-Identifier: MIT */
/* Suspects, trials and what they show. */
#include "bisect/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"

#define MAX_ENTRIES (UINT64_C(1) << 63)

static const char bisect_verdict_words[][5] = {
	[SSDPM_BISECT_GOOD] = "good",
	[SSDPM_BISECT_BAD] = "bad",
	[SSDPM_BISECT_SKIP] = "skip",
};
ENUM_WORDS(bisect_verdict)

static const char bisect_decision_words[][10] = {
	[SSDPM_BISECT_SEARCHING] = "searching",
	[SSDPM_BISECT_FOUND] = "found",
	[SSDPM_BISECT_NONE] = "none",
	[SSDPM_BISECT_UNDECIDED] = "undecided",
	[SSDPM_BISECT_NO_ERROR] = "no-error",
};
ENUM_WORDS(bisect_decision)

int ssdpm_bisect_new(const struct ssdpm_bisect_params *params,
		     struct ssdpm_bisect **ret_bisect,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_bisect_params known = { .size = sizeof(known) };
	uint64_t entries;
	int err = ssdpm__sized_in(&known, sizeof(known), params,
				  "ssdpm_bisect_params", reterr);

	if (!err)
		err = ssdpm_bisect_calculate_entries(
			known.n_errors, known.n_entries, 1, &entries, reterr);
	if (!err && known.n_errors > known.n_entries)
		err = ssdpm__fail(reterr, -ERANGE, 0,
				  "more errors than entries: an error needs an "
				  "entry");
	if (err)
		return err;
	struct ssdpm_bisect *bisect = calloc(1, sizeof(*bisect));

	if (!bisect)
		return ssdpm__no_memory(reterr);
	bisect->params = known;
	*ret_bisect = bisect;
	return 0;
}

struct ssdpm_bisect *ssdpm_bisect_free(struct ssdpm_bisect *bisect)
{
	free(bisect);
	return NULL;
}

static bool is_word(const char *text)
{
	const size_t n = text ? strnlen(text, SSDPM_BISECT_WORD) : 0;

	for (size_t i = 0; i < n; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return n > 0 && n < SSDPM_BISECT_WORD;
}

static int check_word(const char *text, const char *what,
		      struct ssdpm_error *reterr)
{
	if (is_word(text))
		return 0;
	return ssdpm__fail(reterr, -EINVAL, 0,
			   "%s: need a word of up to %d printable characters",
			   what, SSDPM_BISECT_WORD - 1);
}

static int check_suspect(const struct ssdpm_bisect *bisect, const char *name,
			 size_t n_steps, struct ssdpm_error *reterr)
{
	int err = check_word(name, "suspect", reterr);

	if (err)
		return err;
	if (bisect->started)
		return ssdpm__fail(reterr, -EBUSY, 0,
				   "the first trial began: no suspect can be "
				   "added");
	if (n_steps < 2 || n_steps > SSDPM_BISECT_STEPS)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "suspect %s: need 2 to %d steps", name,
				   SSDPM_BISECT_STEPS);
	for (size_t i = 0; i < bisect->n_suspects; i++)
		if (!strcmp(bisect->suspects[i].name, name))
			return ssdpm__fail(reterr, -EEXIST, 0,
					   "suspect %s was added before", name);
	if (bisect->n_suspects == SSDPM_BISECT_SUSPECTS)
		return ssdpm__fail(reterr, -E2BIG, 0, "more than %d suspects",
				   SSDPM_BISECT_SUSPECTS);
	return 0;
}

/* All off, halving, and the culprit alone. */
static void foresee(struct ssdpm_bisect *bisect)
{
	size_t n_elements = 0;

	for (size_t i = 0; i < bisect->n_suspects; i++)
		n_elements += bisect->suspects[i].n_steps - 1;
	bisect->likely_trials = 2;
	while (n_elements > UINT64_C(1) << (bisect->likely_trials - 2))
		bisect->likely_trials++;
	/* The numbers are good: ssdpm_bisect_new() has seen them. */
	ssdpm_bisect_calculate_entries(
		bisect->params.n_errors, bisect->params.n_entries,
		bisect->likely_trials, &bisect->need_entries, NULL);
}

int ssdpm_bisect_add_suspect(struct ssdpm_bisect *bisect, const char *name,
			     const char *const *steps, size_t n_steps,
			     struct ssdpm_error *reterr)
{
	int err = check_suspect(bisect, name, n_steps, reterr);

	for (size_t i = 0; !err && i < n_steps; i++)
		err = check_word(steps[i], "step", reterr);
	if (!err)
		err = ssdpm__bisect_check_steps(name, steps, n_steps, reterr);
	if (err)
		return err;
	struct bisect_suspect *suspect = &bisect->suspects[bisect->n_suspects];

	ssdpm__bisect_put_word(suspect->name, name);
	suspect->n_steps = n_steps;
	for (size_t i = 0; i < n_steps; i++)
		ssdpm__bisect_put_word(suspect->steps[i], steps[i]);
	bisect->n_suspects++;
	foresee(bisect);
	return 0;
}

static void start(struct ssdpm_bisect *bisect)
{
	struct bisect_search *search = &bisect->search;

	for (size_t i = 0; i < bisect->n_suspects; i++)
		for (size_t j = 1; j < bisect->suspects[i].n_steps; j++)
			search->base[search->n_base++] =
				(struct bisect_element){ (uint8_t)i,
							 (uint8_t)j };
	ssdpm__bisect_start(search);
	bisect->started = true;
}

int ssdpm_bisect_begin(struct ssdpm_bisect *bisect, const char *token,
		       struct ssdpm_error *reterr)
{
	const char *word = token ? token : "-";
	int err = check_word(word, "token", reterr);

	if (err)
		return err;
	if (bisect->running) {
		ssdpm__bisect_put_word(bisect->token, word);
		return 0;
	}
	if (!bisect->n_suspects)
		return ssdpm__fail(reterr, -ENODATA, 0, "no suspect was added");
	if (bisect->n_trials == BISECT_MAX_TRIALS)
		return ssdpm__fail(reterr, -E2BIG, 0, "more than %d trials",
				   BISECT_MAX_TRIALS);
	if (!bisect->started)
		start(bisect);
	if (bisect->search.decision != SSDPM_BISECT_SEARCHING)
		return ssdpm__fail(reterr, -EINVAL, 0, "the search has ended");
	ssdpm__bisect_put_word(bisect->token, word);
	bisect->entries = 0;
	bisect->running = true;
	return 0;
}

static int check_running(const struct ssdpm_bisect *bisect,
			 struct ssdpm_error *reterr)
{
	return bisect->running ?
		       0 :
		       ssdpm__fail(reterr, -EINVAL, 0, "no trial runs");
}

int ssdpm_bisect_add_entries(struct ssdpm_bisect *bisect, uint64_t n_entries,
			     struct ssdpm_error *reterr)
{
	int err = check_running(bisect, reterr);

	if (err)
		return err;
	if (n_entries > MAX_ENTRIES - bisect->entries)
		return ssdpm__fail(reterr, -ERANGE, 0, "too many entries");
	bisect->entries += n_entries;
	return 0;
}

/* The step of the next trial. */
static uint32_t step_of(const struct ssdpm_bisect *bisect, size_t suspect)
{
	const struct bisect_search *search = &bisect->search;
	const int n = bisect->started ? ssdpm__bisect_next(search) : 0;
	uint32_t step = 0;

	for (size_t i = 0; i < search->n_required; i++)
		if (search->required[i].suspect == suspect)
			step = search->required[i].step;
	for (int i = 0; i < n; i++)
		if (search->base[i].suspect == suspect)
			step = search->base[i].step;
	return step;
}

uint32_t ssdpm_bisect_get_step(const struct ssdpm_bisect *bisect,
			       size_t suspect)
{
	if (suspect >= bisect->n_suspects)
		return UINT32_MAX;
	if (bisect->started &&
	    bisect->search.decision != SSDPM_BISECT_SEARCHING)
		return (uint32_t)bisect->suspects[suspect].n_steps - 1;
	return step_of(bisect, suspect);
}

int ssdpm_bisect_judge(struct ssdpm_bisect *bisect, uint32_t verdict,
		       struct ssdpm_error *reterr)
{
	int err = check_running(bisect, reterr);

	if (err)
		return err;
	if (!ssdpm_bisect_verdict_to_string(verdict))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%u is no verdict of a trial", verdict);
	struct ssdpm_bisect_trial *trial = &bisect->trials[bisect->n_trials++];

	trial->size = sizeof(*trial);
	trial->verdict = verdict;
	trial->entries = bisect->entries;
	trial->sign_us = UINT64_MAX;
	for (size_t i = 0; i < bisect->n_suspects; i++)
		trial->steps[i] = (uint8_t)step_of(bisect, i);
	bisect->n_short += verdict == SSDPM_BISECT_GOOD &&
			   bisect->entries < bisect->need_entries;
	bisect->running = false;
	bisect->entries = 0;
	ssdpm__bisect_learn(&bisect->search, verdict);
	return 0;
}

static bool is_sign(const char *text)
{
	const size_t n = text ? strnlen(text, SSDPM_BISECT_WORD) : 0;

	for (size_t i = 0; i < n; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return n > 0 && n < SSDPM_BISECT_WORD && text[0] != ' ' &&
	       text[n - 1] != ' ';
}

int ssdpm_bisect_set_sign(struct ssdpm_bisect *bisect, const char *sign,
			  uint64_t sign_us, struct ssdpm_error *reterr)
{
	struct ssdpm_bisect_trial *trial =
		bisect->n_trials ? &bisect->trials[bisect->n_trials - 1] : NULL;

	if (!is_sign(sign))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "sign: need up to %d printable characters",
				   SSDPM_BISECT_WORD - 1);
	if (!trial || trial->verdict != SSDPM_BISECT_BAD)
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "the last trial is not bad");
	trial->sign_us = sign_us;
	ssdpm__bisect_put_word(trial->sign, sign);
	return 0;
}

/* The elements from there on, of which the last that fails is one. */
static size_t first_candidate(const struct bisect_search *search)
{
	return search->low < 0 ? 0 : (size_t)search->low;
}

static size_t count_candidates(const struct bisect_search *search)
{
	if (search->decision != SSDPM_BISECT_SEARCHING &&
	    search->decision != SSDPM_BISECT_UNDECIDED)
		return 0;
	return (size_t)search->high - first_candidate(search);
}

int ssdpm_bisect_get_state(const struct ssdpm_bisect *bisect,
			   struct ssdpm_bisect_state *ret_state,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_bisect_state state = {
		.size = sizeof(state),
		.n_trials = bisect->n_trials,
		.entries = bisect->entries,
		.likely_trials = bisect->likely_trials,
		.need_entries = bisect->need_entries,
		.n_short = bisect->n_short,
		.n_culprits = (uint32_t)bisect->search.n_required,
		.decision = SSDPM_BISECT_SEARCHING,
		.running = bisect->running,
	};
	int err = ssdpm__sized_check(ret_state, sizeof(state),
				     "ssdpm_bisect_state", reterr);

	if (err)
		return err;
	if (bisect->started) {
		state.decision = bisect->search.decision;
		state.n_candidates = count_candidates(&bisect->search);
	}
	ssdpm__sized_out(ret_state, &state, sizeof(state));
	return 0;
}

int ssdpm_bisect_get_trial(const struct ssdpm_bisect *bisect, size_t index,
			   struct ssdpm_bisect_trial *ret_trial,
			   struct ssdpm_error *reterr)
{
	int err = ssdpm__sized_check(ret_trial, sizeof(*ret_trial),
				     "ssdpm_bisect_trial", reterr);

	if (err)
		return err;
	if (index >= bisect->n_trials)
		return ssdpm__fail(reterr, -ENOENT, 0, "unknown trial");
	ssdpm__sized_out(ret_trial, &bisect->trials[index], sizeof(*ret_trial));
	return 0;
}

const char *ssdpm_bisect_get_suspect(const struct ssdpm_bisect *bisect,
				     size_t suspect)
{
	return suspect < bisect->n_suspects ? bisect->suspects[suspect].name :
					      NULL;
}

const char *ssdpm_bisect_get_step_name(const struct ssdpm_bisect *bisect,
				       size_t suspect, size_t step)
{
	if (suspect >= bisect->n_suspects ||
	    step >= bisect->suspects[suspect].n_steps)
		return NULL;
	return bisect->suspects[suspect].steps[step];
}

int ssdpm_bisect_get_culprit(const struct ssdpm_bisect *bisect, size_t index,
			     uint32_t *ret_suspect, uint32_t *ret_step,
			     struct ssdpm_error *reterr)
{
	if (index >= bisect->search.n_required)
		return ssdpm__fail(reterr, -ENOENT, 0, "unknown culprit");
	*ret_suspect = bisect->search.required[index].suspect;
	*ret_step = bisect->search.required[index].step;
	return 0;
}

int ssdpm_bisect_get_candidate(const struct ssdpm_bisect *bisect, size_t index,
			       uint32_t *ret_suspect, uint32_t *ret_step,
			       struct ssdpm_error *reterr)
{
	const struct bisect_search *search = &bisect->search;

	if (index >= count_candidates(search))
		return ssdpm__fail(reterr, -ENOENT, 0, "unknown candidate");
	index += first_candidate(search);
	*ret_suspect = search->base[index].suspect;
	*ret_step = search->base[index].step;
	return 0;
}

const char *ssdpm_bisect_get_token(const struct ssdpm_bisect *bisect)
{
	return bisect->running ? bisect->token : NULL;
}
