/* SPDX-License-Identifier: MIT */
/* Searches for settings that fail, against drives that are made up. */
#include "fixture.h"

#include <stdbool.h>
#include <stdio.h>

#define MAX_ELEMENTS 480

struct element {
	uint32_t suspect;
	uint32_t step;
};

/* A drive that fails if all of these are allowed, once in so many entries. */
struct drive {
	struct element culprits[4];
	size_t n_culprits;
	uint64_t one_in;
	uint64_t seed;
};

static const char *const words[] = { "off", "1",  "2",	"3", "4",  "5",
				     "6",   "7",  "8",	"9", "10", "11",
				     "12",  "13", "14", "15" };

static struct ssdpm_bisect *search_of(const size_t *n_steps, size_t n_suspects,
				      uint64_t n_entries)
{
	const struct ssdpm_bisect_params params = { .size = sizeof(params),
						    .n_errors = 1,
						    .n_entries = n_entries };
	struct ssdpm_bisect *bisect = UNTOUCHED;
	struct ssdpm_error error = fixture_error();

	assert_int_equal(ssdpm_bisect_new(&params, &bisect, &error), 0);
	for (size_t i = 0; i < n_suspects; i++) {
		const char name[] = { 's', (char)('a' + i), 0 };

		assert_int_equal(ssdpm_bisect_add_suspect(bisect, name, words,
							  n_steps[i], &error),
				 0);
	}
	return bisect;
}

static struct ssdpm_bisect_state state_of(const struct ssdpm_bisect *bisect)
{
	struct ssdpm_bisect_state state = { .size = sizeof(state) };

	assert_int_equal(ssdpm_bisect_get_state(bisect, &state, NULL), 0);
	return state;
}

static bool may_fail(const struct drive *drive,
		     const struct ssdpm_bisect *bisect)
{
	for (size_t i = 0; i < drive->n_culprits; i++)
		if (ssdpm_bisect_get_step(bisect, drive->culprits[i].suspect) <
		    drive->culprits[i].step)
			return false;
	return true;
}

/* Entries until the drive fails; at most so many, if it does not. */
static uint64_t entries_to_error(struct drive *drive, uint64_t most,
				 bool *ret_failed)
{
	uint64_t n = 0;

	*ret_failed = false;
	while (n < most && !*ret_failed) {
		n++;
		*ret_failed = fixture_random(&drive->seed) % drive->one_in == 0;
	}
	return n;
}

/* Each trial is on disk before it begins. */
static struct ssdpm_bisect *write_and_read(struct ssdpm_bisect *bisect)
{
	struct ssdpm_bisect *again = UNTOUCHED;
	struct ssdpm_error error = fixture_error();
	char *text, *same;

	assert_int_equal(ssdpm_bisect_to_text(bisect, &text, NULL), 0);
	ssdpm_bisect_free(bisect);
	if (ssdpm_bisect_from_text(text, strlen(text), &again, &error))
		fail_msg("line %u: %s of:\n%s", error.line, error.message,
			 text);
	assert_int_equal(ssdpm_bisect_to_text(again, &same, NULL), 0);
	assert_string_equal(same, text);
	free(text);
	free(same);
	return again;
}

static void run_trial(struct ssdpm_bisect *bisect, struct drive *drive)
{
	bool failed = false;
	uint64_t entries = state_of(bisect).need_entries;

	if (may_fail(drive, bisect))
		entries = entries_to_error(drive, entries, &failed);
	assert_int_equal(ssdpm_bisect_add_entries(bisect, entries, NULL), 0);
	assert_int_equal(ssdpm_bisect_judge(bisect,
					    failed ? SSDPM_BISECT_BAD :
						     SSDPM_BISECT_GOOD,
					    NULL),
			 0);
}

static struct ssdpm_bisect *run_search(struct ssdpm_bisect *bisect,
				       struct drive *drive)
{
	while (state_of(bisect).decision == SSDPM_BISECT_SEARCHING) {
		assert_int_equal(ssdpm_bisect_begin(bisect, "boot-1", NULL), 0);
		bisect = write_and_read(bisect);
		assert_string_equal(ssdpm_bisect_get_token(bisect), "boot-1");
		run_trial(bisect, drive);
	}
	return bisect;
}

static bool is_found(const struct ssdpm_bisect *bisect,
		     const struct drive *drive)
{
	const struct ssdpm_bisect_state state = state_of(bisect);
	size_t n = 0;

	if (state.decision != SSDPM_BISECT_FOUND ||
	    state.n_culprits != drive->n_culprits)
		return false;
	for (size_t i = 0; i < drive->n_culprits; i++)
		for (size_t j = 0; j < drive->n_culprits; j++) {
			struct element found;

			assert_int_equal(ssdpm_bisect_get_culprit(
						 bisect, j, &found.suspect,
						 &found.step, NULL),
					 0);
			n += !memcmp(&found, &drive->culprits[i],
				     sizeof(found));
		}
	return n == drive->n_culprits;
}

/* How many trials it took. */
static uint64_t assert_found(const size_t *n_steps, size_t n_suspects,
			     struct drive drive)
{
	struct ssdpm_bisect *bisect =
		run_search(search_of(n_steps, n_suspects, 1), &drive);
	const struct ssdpm_bisect_state state = state_of(bisect);

	assert_true(is_found(bisect, &drive));
	assert_int_equal(state.n_candidates, 0);
	assert_int_equal(state.n_short, 0);
	for (size_t i = 0; i < n_suspects; i++)
		assert_int_equal(ssdpm_bisect_get_step(bisect, i),
				 n_steps[i] - 1);
	ssdpm_bisect_free(bisect);
	return state.n_trials;
}

static const size_t shapes[][6] = {
	{ 2 },
	{ 2, 2 },
	{ 3, 2 },
	{ 16 },
	{ 3, 3, 3 },
	{ 5, 2, 3, 2, 4, 2 },
	{ 2, 2, 2, 2, 2, 2 },
	{ 2, 16, 2, 3, 9 },
	{ 16, 16, 16, 16, 16, 16 },
};

static size_t count_suspects(const size_t *shape)
{
	size_t n = 0;

	while (n < 6 && shape[n])
		n++;
	return n;
}

static size_t list_elements(const size_t *shape, struct element *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < count_suspects(shape); i++)
		for (size_t step = 1; step < shape[i]; step++)
			ret[n++] =
				(struct element){ (uint32_t)i, (uint32_t)step };
	return n;
}

/* Rounded up. */
static uint64_t binary_logarithm(size_t n)
{
	uint64_t bits = 0;

	while (UINT64_C(1) << bits < n)
		bits++;
	return bits;
}

static void each_single_culprit_is_found_in_log2_and_two_trials(void **state)
{
	(void)state;
	for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
		struct element elements[MAX_ELEMENTS];
		const size_t n = list_elements(shapes[s], elements);

		for (size_t i = 0; i < n; i++) {
			const struct drive drive = {
				.culprits = { elements[i] },
				.n_culprits = 1,
				.one_in = 1,
			};

			assert_in_range(assert_found(shapes[s],
						     count_suspects(shapes[s]),
						     drive),
					1, binary_logarithm(n) + 2);
		}
	}
}

static void each_pair_of_suspects_that_fails_only_together_is_found(
	void **state)
{
	(void)state;
	for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
		struct element elements[MAX_ELEMENTS];
		const size_t n = list_elements(shapes[s], elements);

		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < i; j++) {
				const struct drive drive = {
					.culprits = { elements[i],
						      elements[j] },
					.n_culprits = 2,
					.one_in = 1,
				};

				if (elements[i].suspect == elements[j].suspect)
					continue;
				assert_in_range(
					assert_found(shapes[s],
						     count_suspects(shapes[s]),
						     drive),
					1, 2 * binary_logarithm(n) + 3);
			}
	}
}

static void four_that_fail_only_together_are_found(void **state)
{
	static const size_t shape[] = { 3, 2, 5, 4, 2, 3 };
	const struct drive drive = {
		.culprits = { { 0, 2 }, { 2, 3 }, { 3, 1 }, { 5, 2 } },
		.n_culprits = 4,
		.one_in = 1,
	};

	(void)state;
	assert_found(shape, 6, drive);
}

/* Either fails alone. One is enough: the other shows in the next search. */
static void of_two_culprits_one_is_found(void **state)
{
	static const size_t shape[] = { 4, 4 };
	struct ssdpm_bisect *bisect = search_of(shape, 2, 1);
	uint32_t suspect, step;

	(void)state;
	while (state_of(bisect).decision == SSDPM_BISECT_SEARCHING) {
		bool bad = ssdpm_bisect_get_step(bisect, 0) >= 2 ||
			   ssdpm_bisect_get_step(bisect, 1) >= 3;

		ssdpm_bisect_begin(bisect, NULL, NULL);
		ssdpm_bisect_judge(bisect,
				   bad ? SSDPM_BISECT_BAD : SSDPM_BISECT_GOOD,
				   NULL);
	}
	assert_int_equal(state_of(bisect).n_culprits, 1);
	ssdpm_bisect_get_culprit(bisect, 0, &suspect, &step, NULL);
	assert_int_equal(suspect, 0);
	assert_int_equal(step, 2);
	/* No entry was counted. */
	assert_int_not_equal(state_of(bisect).n_short, 0);
	ssdpm_bisect_free(bisect);
}

static void all_off_comes_first_and_ends_the_search_if_it_fails(void **state)
{
	static const size_t shape[] = { 4, 2, 3 };
	const struct drive drive = { .n_culprits = 0, .one_in = 1 };
	struct drive any = drive;
	struct ssdpm_bisect *bisect = search_of(shape, 3, 10);

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(ssdpm_bisect_get_step(bisect, i), 0);
	bisect = run_search(bisect, &any);
	assert_int_equal(state_of(bisect).decision, SSDPM_BISECT_NONE);
	assert_int_equal(state_of(bisect).n_trials, 1);
	assert_int_equal(ssdpm_bisect_begin(bisect, NULL, NULL), -EINVAL);
	ssdpm_bisect_free(bisect);
}

/* All trials are good, but for the last one: that of the settings of before. */
static struct ssdpm_bisect *end_without_error(const size_t *shape,
					      uint32_t last_verdict)
{
	const size_t n = count_suspects(shape);
	struct ssdpm_bisect *bisect = search_of(shape, n, 10);
	bool is_last = false;

	while (state_of(bisect).decision == SSDPM_BISECT_SEARCHING) {
		assert_false(is_last);
		assert_int_equal(ssdpm_bisect_begin(bisect, NULL, NULL), 0);
		is_last = true;
		for (size_t i = 0; i < n; i++)
			is_last = is_last && ssdpm_bisect_get_step(bisect, i) ==
						     shape[i] - 1;
		ssdpm_bisect_add_entries(bisect, state_of(bisect).need_entries,
					 NULL);
		ssdpm_bisect_judge(bisect,
				   is_last ? last_verdict : SSDPM_BISECT_GOOD,
				   NULL);
		bisect = write_and_read(bisect);
	}
	assert_true(is_last);
	return bisect;
}

static void good_trials_alone_decide_nothing(void **state)
{
	(void)state;
	for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
		const size_t n = count_suspects(shapes[s]);
		struct ssdpm_bisect_remedy remedy = { .size = sizeof(remedy) };
		struct ssdpm_bisect *bisect =
			end_without_error(shapes[s], SSDPM_BISECT_GOOD);

		assert_int_equal(state_of(bisect).decision,
				 SSDPM_BISECT_NO_ERROR);
		assert_int_equal(state_of(bisect).n_culprits, 0);
		assert_int_equal(state_of(bisect).n_candidates, 0);
		assert_int_equal(
			ssdpm_bisect_get_remedy(bisect, 0, 0, &remedy, NULL),
			-ENOENT);
		assert_int_equal(ssdpm_bisect_begin(bisect, NULL, NULL),
				 -EINVAL);
		ssdpm_bisect_free(bisect);
		bisect = end_without_error(shapes[s], SSDPM_BISECT_BAD);
		assert_int_equal(state_of(bisect).decision, SSDPM_BISECT_FOUND);
		assert_int_equal(state_of(bisect).n_culprits, n);
		ssdpm_bisect_free(bisect);
		bisect = end_without_error(shapes[s], SSDPM_BISECT_SKIP);
		assert_int_equal(state_of(bisect).decision,
				 SSDPM_BISECT_UNDECIDED);
		assert_int_equal(state_of(bisect).n_culprits, 0);
		assert_int_equal(state_of(bisect).n_candidates, n);
		ssdpm_bisect_free(bisect);
	}
}

static void a_fault_once_in_20_entries_is_found_in_95_of_100_searches(
	void **state)
{
	static const size_t shape[] = { 5, 2, 3, 2, 4, 2 };
	struct element elements[MAX_ELEMENTS];
	const size_t n = list_elements(shape, elements);
	uint64_t seed = 20;
	unsigned int right = 0;

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct drive drive = {
			.culprits = { elements[fixture_random(&seed) % n] },
			.n_culprits = 1,
			.one_in = 20,
			.seed = fixture_random(&seed),
		};
		bool failed;
		const uint64_t entries =
			entries_to_error(&drive, UINT32_MAX, &failed);
		struct ssdpm_bisect *bisect =
			run_search(search_of(shape, 6, entries), &drive);

		right += is_found(bisect, &drive);
		ssdpm_bisect_free(bisect);
	}
	print_message("%u of 200 are right\n", right);
	assert_in_range(right, 190, 200);
}

/* The same with the least exposure: the stop rule is what makes them right. */
static void shorter_trials_are_often_wrong(void **state)
{
	static const size_t shape[] = { 5, 2, 3, 2, 4, 2 };
	unsigned int right = 0;
	uint64_t seed = 20;

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct drive drive = {
			.culprits = { { 2, 1 } },
			.n_culprits = 1,
			.one_in = 2000,
			.seed = fixture_random(&seed),
		};
		/* As if one error in one entry were known. */
		struct ssdpm_bisect *bisect =
			run_search(search_of(shape, 6, 1), &drive);

		right += is_found(bisect, &drive);
		ssdpm_bisect_free(bisect);
	}
	assert_in_range(right, 0, 100);
}

static void skipped_trials_are_passed_by_until_nothing_can_decide(void **state)
{
	static const size_t shape[] = { 9 };
	struct ssdpm_bisect *bisect = search_of(shape, 1, 1);
	struct ssdpm_bisect_trial trial = { .size = sizeof(trial) };
	uint32_t steps[16];
	size_t n = 0;

	(void)state;
	/* Step 3 fails, and 3 to 6 cannot be tried. */
	while (state_of(bisect).decision == SSDPM_BISECT_SEARCHING) {
		const uint32_t step = ssdpm_bisect_get_step(bisect, 0);

		assert_true(n < 16);
		for (size_t i = 0; i < n; i++)
			assert_int_not_equal(steps[i], step);
		steps[n++] = step;
		assert_int_equal(ssdpm_bisect_begin(bisect, NULL, NULL), 0);
		ssdpm_bisect_judge(bisect,
				   step >= 3 && step <= 6 ? SSDPM_BISECT_SKIP :
				   step >= 3		  ? SSDPM_BISECT_BAD :
							    SSDPM_BISECT_GOOD,
				   NULL);
		bisect = write_and_read(bisect);
	}
	assert_int_equal(state_of(bisect).decision, SSDPM_BISECT_UNDECIDED);
	assert_int_equal(state_of(bisect).n_candidates, 5);
	for (uint32_t i = 0; i < 5; i++) {
		uint32_t suspect = 9, step = 9;

		assert_int_equal(ssdpm_bisect_get_candidate(bisect, i, &suspect,
							    &step, NULL),
				 0);
		assert_int_equal(suspect, 0);
		assert_int_equal(step, 3 + i);
	}
	assert_int_equal(
		ssdpm_bisect_get_candidate(bisect, 5, steps, steps, NULL),
		-ENOENT);
	assert_int_equal(ssdpm_bisect_get_trial(bisect, 1, &trial, NULL), 0);
	assert_int_equal(trial.verdict, SSDPM_BISECT_SKIP);
	assert_int_equal(trial.steps[0], 4);
	assert_int_equal(ssdpm_bisect_get_trial(bisect, n, &trial, NULL),
			 -ENOENT);
	ssdpm_bisect_free(bisect);
}

static const struct {
	uint64_t n_errors, n_entries, n_trials, must_be;
} exposures[] = {
	{ 1, 1, 4, 79 }, /* one error, four trials: 79 times as long */
	{ 1, 1000, 4, 79000 },
	{ 2, 1000, 5, 9000 },  /* 100^(1/2) - 1 */
	{ 3, 1000, 50, 9000 }, /* 1000^(1/3) - 1 */
	{ 2, 1000, 4, 7945 },  /* 80^(1/2) - 1 = 7.944... */
	{ 10, 1000, 4, 550 },  /* 80^(1/10) - 1 = 0.54992... */
	{ 1, UINT32_MAX, 1000, UINT64_C(4294967295) * 19999 },
};

static void the_stop_rule_is_what_the_page_says(void **state)
{
	uint64_t entries = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(exposures) / sizeof(exposures[0]); i++) {
		assert_int_equal(ssdpm_bisect_calculate_entries(
					 exposures[i].n_errors,
					 exposures[i].n_entries,
					 exposures[i].n_trials, &entries, NULL),
				 0);
		assert_int_equal(entries, exposures[i].must_be);
	}
	/* log(80) / 10000 = 0.00043820 */
	ssdpm_bisect_calculate_entries(UINT64_MAX, 100000000, 4, &entries,
				       NULL);
	assert_in_range(entries, 43829, 43840);
}

/* u^n >= 20 k t0^n, in numbers that are small enough to count exactly. */
static void the_stop_rule_is_never_too_short(void **state)
{
	(void)state;
	for (uint64_t n = 1; n <= 4; n++)
		for (uint64_t k = 1; k <= 11; k++)
			for (uint64_t t0 = 1; t0 <= 200; t0++) {
				uint64_t more, exact = t0, wanted = 20 * k;
				uint64_t power = 0;

				for (uint64_t i = 0; i < n; i++)
					wanted *= t0;
				for (; power < wanted; exact++) {
					power = 1;
					for (uint64_t i = 0; i < n; i++)
						power *= exact;
				}
				exact--;
				ssdpm_bisect_calculate_entries(n, t0, k, &more,
							       NULL);
				assert_in_range(more + t0, exact, exact + 1);
			}
}

static void what_no_rule_covers_is_refused(void **state)
{
	struct ssdpm_bisect_params params = { .size = sizeof(params) };
	struct ssdpm_bisect *bisect = UNTOUCHED;
	struct ssdpm_error error = fixture_error();
	uint64_t entries = 7;

	(void)state;
	assert_int_equal(ssdpm_bisect_new(&params, &bisect, &error), -ERANGE);
	fixture_assert_error(&error, -ERANGE, 0, "at least one error");
	params.n_errors = 1;
	assert_int_equal(ssdpm_bisect_new(&params, &bisect, NULL), -ERANGE);
	params.n_entries = UINT64_C(1) << 32;
	assert_int_equal(ssdpm_bisect_new(&params, &bisect, NULL), -ERANGE);
	params.n_errors = 5;
	params.n_entries = 4;
	assert_int_equal(ssdpm_bisect_new(&params, &bisect, &error), -ERANGE);
	fixture_assert_error(&error, -ERANGE, 0, "more errors than entries");
	assert_ptr_equal(bisect, UNTOUCHED);
	assert_int_equal(
		ssdpm_bisect_calculate_entries(1, 1, 0, &entries, NULL),
		-ERANGE);
	assert_int_equal(
		ssdpm_bisect_calculate_entries(1, 1, 1001, &entries, NULL),
		-ERANGE);
	assert_int_equal(entries, 7);
}

static int add(struct ssdpm_bisect *bisect, const char *name, const char *step,
	       size_t n_steps)
{
	const char *steps[16] = { [0] = "off", [1] = step };

	for (size_t i = 2; i < 16; i++)
		steps[i] = "on";
	return ssdpm_bisect_add_suspect(bisect, name, steps, n_steps, NULL);
}

static void suspects_are_words_with_steps_before_the_first_trial(void **state)
{
	static const size_t none[1];
	struct ssdpm_bisect *bisect = search_of(none, 0, 1);
	char word[65];

	(void)state;
	memset(word, 'w', 64);
	word[64] = 0;
	assert_int_equal(ssdpm_bisect_begin(bisect, NULL, NULL), -ENODATA);
	assert_int_equal(add(bisect, word, "on", 2), -EINVAL);
	assert_int_equal(add(bisect, "apst", word, 2), -EINVAL);
	word[63] = 0;
	assert_int_equal(add(bisect, word, word, 2), 0);
	assert_int_equal(add(bisect, word, "on", 2), -EEXIST);
	assert_int_equal(add(bisect, "", "on", 2), -EINVAL);
	assert_int_equal(add(bisect, NULL, "on", 2), -EINVAL);
	assert_int_equal(add(bisect, "a b", "on", 2), -EINVAL);
	assert_int_equal(add(bisect, "apst", "o\nn", 2), -EINVAL);
	assert_int_equal(add(bisect, "apst", "\x7f", 2), -EINVAL);
	assert_int_equal(add(bisect, "apst", "on", 1), -ERANGE);
	assert_int_equal(add(bisect, "apst", "on", 17), -ERANGE);
	for (char c = '!'; c < '!' + 31; c++)
		assert_int_equal(add(bisect, (char[]){ c, 0 }, "on", 16), 0);
	assert_int_equal(add(bisect, "one-more", "on", 2), -E2BIG);
	assert_int_equal(ssdpm_bisect_begin(bisect, "a b", NULL), -EINVAL);
	assert_int_equal(ssdpm_bisect_begin(bisect, NULL, NULL), 0);
	assert_int_equal(add(bisect, "late", "on", 2), -EBUSY);
	assert_string_equal(ssdpm_bisect_get_suspect(bisect, 1), "!");
	assert_null(ssdpm_bisect_get_suspect(bisect, 32));
	assert_string_equal(ssdpm_bisect_get_step_name(bisect, 1, 1), "on");
	assert_null(ssdpm_bisect_get_step_name(bisect, 1, 16));
	assert_null(ssdpm_bisect_get_step_name(bisect, 32, 0));
	assert_int_equal(ssdpm_bisect_get_step(bisect, 32), UINT32_MAX);
	bisect = write_and_read(bisect);
	ssdpm_bisect_free(bisect);
}

static void a_trial_begins_once_and_has_one_verdict(void **state)
{
	static const size_t shape[] = { 2 };
	struct ssdpm_bisect *bisect = search_of(shape, 1, 1);
	uint32_t suspect = 7, step = 7;

	(void)state;
	assert_null(ssdpm_bisect_get_token(bisect));
	assert_int_equal(ssdpm_bisect_add_entries(bisect, 1, NULL), -EINVAL);
	assert_int_equal(ssdpm_bisect_judge(bisect, SSDPM_BISECT_BAD, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_bisect_begin(bisect, NULL, NULL), 0);
	assert_string_equal(ssdpm_bisect_get_token(bisect), "-");
	assert_int_equal(ssdpm_bisect_add_entries(bisect, 41, NULL), 0);
	/* After a boot it goes on. */
	assert_int_equal(ssdpm_bisect_begin(bisect, "boot-2", NULL), 0);
	assert_string_equal(ssdpm_bisect_get_token(bisect), "boot-2");
	assert_int_equal(ssdpm_bisect_add_entries(bisect, 1, NULL), 0);
	assert_int_equal(ssdpm_bisect_add_entries(bisect, UINT64_MAX, NULL),
			 -ERANGE);
	assert_int_equal(state_of(bisect).entries, 42);
	assert_int_equal(state_of(bisect).running, 1);
	assert_int_equal(ssdpm_bisect_judge(bisect, 4, NULL), -EINVAL);
	assert_int_equal(
		ssdpm_bisect_get_culprit(bisect, 0, &suspect, &step, NULL),
		-ENOENT);
	assert_int_equal(suspect, 7);
	assert_int_equal(ssdpm_bisect_judge(bisect, SSDPM_BISECT_GOOD, NULL),
			 0);
	/* One element: if it fails with it and not without it, it is it. */
	assert_int_equal(state_of(bisect).decision, SSDPM_BISECT_SEARCHING);
	assert_int_equal(ssdpm_bisect_begin(bisect, NULL, NULL), 0);
	assert_int_equal(ssdpm_bisect_get_step(bisect, 0), 1);
	assert_int_equal(ssdpm_bisect_judge(bisect, SSDPM_BISECT_BAD, NULL), 0);
	assert_int_equal(state_of(bisect).decision, SSDPM_BISECT_FOUND);
	assert_int_equal(
		ssdpm_bisect_get_culprit(bisect, 0, &suspect, &step, NULL), 0);
	assert_int_equal(suspect, 0);
	assert_int_equal(step, 1);
	ssdpm_bisect_free(bisect);
}

static void a_bad_trial_keeps_its_sign_and_its_time(void **state)
{
	static const size_t shape[] = { 16 };
	struct ssdpm_bisect_trial trial = { .size = sizeof(trial) };
	struct ssdpm_bisect *bisect = search_of(shape, 1, 1);
	char *text;

	(void)state;
	assert_int_equal(ssdpm_bisect_set_sign(bisect, "x", 0, NULL), -ENOENT);
	ssdpm_bisect_begin(bisect, NULL, NULL);
	ssdpm_bisect_judge(bisect, SSDPM_BISECT_GOOD, NULL);
	assert_int_equal(ssdpm_bisect_set_sign(bisect, "x", 0, NULL), -ENOENT);
	for (int i = 0; i < 3; i++) {
		ssdpm_bisect_begin(bisect, NULL, NULL);
		ssdpm_bisect_judge(bisect, SSDPM_BISECT_BAD, NULL);
		if (i == 1)
			assert_int_equal(ssdpm_bisect_set_sign(
						 bisect, "sda: a b", 62, NULL),
					 0);
		if (i == 2)
			assert_int_equal(ssdpm_bisect_set_sign(bisect, "2 x",
							       UINT64_MAX,
							       NULL),
					 0);
	}
	bisect = write_and_read(bisect);
	assert_int_equal(ssdpm_bisect_get_trial(bisect, 1, &trial, NULL), 0);
	assert_string_equal(trial.sign, "");
	assert_int_equal(trial.sign_us, UINT64_MAX);
	assert_int_equal(ssdpm_bisect_get_trial(bisect, 2, &trial, NULL), 0);
	assert_string_equal(trial.sign, "sda: a b");
	assert_int_equal(trial.sign_us, 62);
	assert_int_equal(ssdpm_bisect_get_trial(bisect, 3, &trial, NULL), 0);
	assert_string_equal(trial.sign, "2 x");
	assert_int_equal(trial.sign_us, UINT64_MAX);
	assert_int_equal(ssdpm_bisect_to_json(bisect, NULL, 0, &text, NULL), 0);
	assert_non_null(strstr(text, "\"sign\": null"));
	assert_non_null(strstr(text, "\"sign\": \"sda: a b\""));
	assert_non_null(strstr(text, "\"sign_us\": 62"));
	free(text);
	ssdpm_bisect_free(bisect);
}

static void a_sign_is_one_line(void **state)
{
	static const size_t shape[] = { 2 };
	static const char *const bad[] = {
		"", " x", "x ", "a\nb", "\x7f", NULL
	};
	struct ssdpm_bisect *bisect = search_of(shape, 1, 1);
	struct ssdpm_error error = fixture_error();
	char word[65];

	(void)state;
	memset(word, 'w', 64);
	word[64] = 0;
	ssdpm_bisect_begin(bisect, NULL, NULL);
	ssdpm_bisect_judge(bisect, SSDPM_BISECT_BAD, NULL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(
			ssdpm_bisect_set_sign(bisect, bad[i], 0, &error),
			-EINVAL);
		fixture_assert_error(&error, -EINVAL, 0, "printable");
	}
	assert_int_equal(ssdpm_bisect_set_sign(bisect, word, 0, NULL), -EINVAL);
	word[63] = 0;
	assert_int_equal(
		ssdpm_bisect_set_sign(bisect, word, UINT64_MAX - 1, NULL), 0);
	ssdpm_bisect_free(write_and_read(bisect));
}

/* With the last line that its bytes need. */
static int read_sealed(const char *text, struct ssdpm_bisect **ret_bisect,
		       struct ssdpm_error *error)
{
	char *sealed = fixture_sealed(text);
	int err = ssdpm_bisect_from_text(sealed, strlen(sealed), ret_bisect,
					 error);

	free(sealed);
	return err;
}

#define GOOD_HEAD "# ssdpm bisect 1\nerrors 1\nentries 5\n"
#define GOOD_TEXT GOOD_HEAD "suspect apst off PS3 PS4\n"

static const struct {
	const char *text;
	int err;
	uint32_t line;
} texts[] = {
	{ "", -EINVAL, 1 },
	{ "# ssdpm bisect 2\n", -EINVAL, 1 },
	{ "# ssdpm bisect 1\nerrors -1\n", -EINVAL, 2 },
	{ "# ssdpm bisect 1\nerrors 1\nentries 5 5\n", -EINVAL, 3 },
	{ "# ssdpm bisect 1\nerrors 0\nentries 5\n", -ERANGE, 3 },
	{ GOOD_HEAD "\n", -EINVAL, 4 },
	{ GOOD_HEAD "suspect\n", -EINVAL, 4 },
	{ GOOD_HEAD "suspect apst\n", -ERANGE, 4 },
	{ GOOD_HEAD "suspect a 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n",
	  -EINVAL, 4 },
	{ GOOD_HEAD "good 5\n", -ENODATA, 4 },
	{ GOOD_TEXT "worse 5\n", -EINVAL, 5 },
	{ GOOD_TEXT "good\n", -EINVAL, 5 },
	{ GOOD_TEXT "good 5 boot\n", -EINVAL, 5 },
	{ GOOD_TEXT "running 5\n", -EINVAL, 5 },
	{ GOOD_TEXT "good 18446744073709551615\n", -ERANGE, 5 },
	{ GOOD_TEXT "running 5 boot\ngood 5\n", -EINVAL, 6 },
	{ GOOD_TEXT "good 5\nsuspect aspm off L1\n", -EBUSY, 6 },
	{ GOOD_TEXT "bad 5\ngood 5\n", -EINVAL, 6 },
	{ GOOD_TEXT "sign 5 x\n", -EINVAL, 5 },
	{ GOOD_TEXT "good 5\nsign 5 x\n", -ENOENT, 6 },
	{ GOOD_TEXT "good 5\nbad 5\nsign x\n", -EINVAL, 7 },
	{ GOOD_TEXT "good 5\nbad 5\nsign 5\n", -EINVAL, 7 },
	{ GOOD_TEXT "good 5\nbad 5\nsign 5 x\nsign 5 x\n", -EINVAL, 8 },
	{ GOOD_TEXT "good 5\nrunning 5 boot\nsign 5 x\n", -EINVAL, 7 },
};

static void a_text_that_is_no_search_is_refused_with_its_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ssdpm_bisect *bisect = UNTOUCHED;
		struct ssdpm_error error = fixture_error();

		assert_int_equal(read_sealed(texts[i].text, &bisect, &error),
				 texts[i].err);
		assert_int_equal(error.line, texts[i].line);
		assert_ptr_equal(bisect, UNTOUCHED);
	}
}

static void assert_not_whole(const char *text, size_t size)
{
	struct ssdpm_bisect *bisect = UNTOUCHED;
	struct ssdpm_error error = fixture_error();

	assert_int_equal(ssdpm_bisect_from_text(text, size, &bisect, &error),
			 -EINVAL);
	assert_ptr_equal(bisect, UNTOUCHED);
}

static void a_text_that_was_cut_or_changed_anywhere_is_refused(void **state)
{
	static const size_t shape[] = { 4, 2 };
	struct ssdpm_bisect *bisect = search_of(shape, 2, 5);
	char *text, longer[512];
	size_t n;

	(void)state;
	for (uint64_t i = 0; i < 2; i++) {
		ssdpm_bisect_begin(bisect, NULL, NULL);
		ssdpm_bisect_add_entries(bisect, 999, NULL);
		ssdpm_bisect_judge(bisect, SSDPM_BISECT_GOOD, NULL);
	}
	ssdpm_bisect_begin(bisect, "boot", NULL);
	assert_int_equal(ssdpm_bisect_to_text(bisect, &text, NULL), 0);
	n = strlen(text);
	for (size_t i = 0; i < n; i++) {
		assert_not_whole(text, i);
		for (int bit = 0; bit < 8; bit++) {
			text[i] = (char)(text[i] ^ 1 << bit);
			assert_not_whole(text, n);
			text[i] = (char)(text[i] ^ 1 << bit);
		}
	}
	snprintf(longer, sizeof(longer), "%sgood 5\n", text);
	assert_not_whole(longer, strlen(longer));
	snprintf(longer, sizeof(longer), "%s\n", text);
	assert_not_whole(longer, strlen(longer));
	free(text);
	ssdpm_bisect_free(bisect);
}

/* Names of settings take their own steps, each in its place. */
static void steps_of_a_setting_are_checked(void **state)
{
	static const struct {
		const char *suspect;
		int err;
	} cases[] = {
		{ "nvme0:latency_us 0 11000 any", 0 },
		{ "nvme0:latency_us 0 11000 18446744073709551614", 0 },
		{ "nvme0:latency_us 0 any 11000", -EINVAL },
		{ "nvme0:latency_us 0 011000", -EINVAL },
		{ "nvme0:latency_us 0 0x11", -EINVAL },
		{ "nvme0:latency_us 0 11000 11000", -EINVAL },
		{ "nvme0:latency_us 5 11000", -EINVAL },
		{ "nvme0:latency_us off 11000", -EINVAL },
		{ "nvme0:latency_us 0 18446744073709551615", -EINVAL },
		{ "nvme0:link off l1 l1.2", 0 },
		{ "nvme0:link off l1.2 l1", -EINVAL },
		{ "nvme0:link l1 l1.2", -EINVAL },
		{ "nvme0:link off l3", -EINVAL },
		{ "sda:lpm max_performance min_power", 0 },
		{ "sda:lpm medium_power min_power", -EINVAL },
		{ "sda:lpm max_performance keep_firmware_settings", -EINVAL },
		{ "sda:queue_depth 1 32", 0 },
		{ "sda:queue_depth 2 32", -EINVAL },
		{ "sda:queue_depth 1 0", -EINVAL },
		{ "sda:colour 7 5", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_bisect *bisect = UNTOUCHED;
		struct ssdpm_error error = fixture_error();
		char text[256];

		snprintf(text, sizeof(text), GOOD_HEAD "suspect %s\n",
			 cases[i].suspect);
		if (read_sealed(text, &bisect, &error) != cases[i].err)
			fail_msg("%s: %s", cases[i].suspect, error.message);
		if (!cases[i].err)
			ssdpm_bisect_free(bisect);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_single_culprit_is_found_in_log2_and_two_trials),
		cmocka_unit_test(
			each_pair_of_suspects_that_fails_only_together_is_found),
		cmocka_unit_test(four_that_fail_only_together_are_found),
		cmocka_unit_test(of_two_culprits_one_is_found),
		cmocka_unit_test(
			all_off_comes_first_and_ends_the_search_if_it_fails),
		cmocka_unit_test(good_trials_alone_decide_nothing),
		cmocka_unit_test(
			a_fault_once_in_20_entries_is_found_in_95_of_100_searches),
		cmocka_unit_test(shorter_trials_are_often_wrong),
		cmocka_unit_test(
			skipped_trials_are_passed_by_until_nothing_can_decide),
		cmocka_unit_test(the_stop_rule_is_what_the_page_says),
		cmocka_unit_test(the_stop_rule_is_never_too_short),
		cmocka_unit_test(what_no_rule_covers_is_refused),
		cmocka_unit_test(
			suspects_are_words_with_steps_before_the_first_trial),
		cmocka_unit_test(a_trial_begins_once_and_has_one_verdict),
		cmocka_unit_test(a_bad_trial_keeps_its_sign_and_its_time),
		cmocka_unit_test(a_sign_is_one_line),
		cmocka_unit_test(
			a_text_that_is_no_search_is_refused_with_its_line),
		cmocka_unit_test(
			a_text_that_was_cut_or_changed_anywhere_is_refused),
		cmocka_unit_test(steps_of_a_setting_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
