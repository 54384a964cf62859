/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <math.h>

#define SECOND INT64_C(1000000000)
#define MINUTE (60 * SECOND)
#define WEEK (7 * 24 * 60 * MINUTE)
/* The precision of the ends, as a share of the unit of evidence. */
#define PRECISION 1e-5

static struct ssdpm_trial_params usual(void)
{
	struct ssdpm_trial_params params = {
		.size = sizeof(params),
		.seed = 1,
		.update_ns = SECOND,
		.response_ns = SECOND,
		.limit_ns = 20 * MINUTE,
		.likely_uw = 100000,
	};

	return params;
}

static struct ssdpm_trial *trial_of(const struct ssdpm_trial_params *params)
{
	struct ssdpm_trial *trial = UNTOUCHED;
	struct ssdpm_error error = fixture_error();

	assert_int_equal(ssdpm_trial_new(params, &trial, &error), 0);
	return trial;
}

static struct ssdpm_trial_block next(struct ssdpm_trial *trial, int64_t now_ns)
{
	struct ssdpm_trial_block block = { .size = sizeof(block) };

	assert_int_equal(ssdpm_trial_next(trial, now_ns, &block, NULL), 0);
	return block;
}

static struct ssdpm_trial_state state_of(const struct ssdpm_trial *trial)
{
	struct ssdpm_trial_state state = { .size = sizeof(state) };

	assert_int_equal(ssdpm_trial_get_state(trial, &state, NULL), 0);
	return state;
}

/* A block from now on with this reading of the meter. Return: its end. */
static int64_t pass_block(struct ssdpm_trial *trial, int64_t now_ns, double a_w,
			  double b_w)
{
	struct ssdpm_trial_block block = next(trial, now_ns);
	double power_w = block.setting == SSDPM_TRIAL_A ? a_w : b_w;

	assert_int_equal(ssdpm_trial_feed(trial, block.count_ns, power_w, NULL),
			 0);
	return block.end_ns;
}

/* A pair for each difference of A and B; the last one is complete, too. */
static struct ssdpm_trial_state state_after(
	const struct ssdpm_trial_params *params, const double *differences_w,
	size_t n)
{
	struct ssdpm_trial *trial = trial_of(params);
	int64_t now_ns = 0;

	for (size_t i = 0; i < n; i++) {
		now_ns = pass_block(trial, now_ns, 5 + differences_w[i], 5);
		now_ns = pass_block(trial, now_ns, 5 + differences_w[i], 5);
	}
	next(trial, now_ns);
	struct ssdpm_trial_state state = state_of(trial);

	assert_int_equal(state.n_pairs, n);
	ssdpm_trial_free(trial);
	return state;
}

static void assert_near(double is, double must_be, double tolerance)
{
	if (!(fabs(is - must_be) <= tolerance))
		fail_msg("%.9g is not %.9g", is, must_be);
}

static void a_block_stays_until_it_has_ended(void **state)
{
	const struct ssdpm_trial_params params = usual();
	struct ssdpm_trial *trial = trial_of(&params);
	struct ssdpm_trial_block first = next(trial, 100 * SECOND), again;

	(void)state;
	assert_int_equal(first.index, 0);
	assert_int_equal(first.start_ns, 100 * SECOND);
	assert_int_equal(first.count_ns, 110 * SECOND);
	assert_int_equal(first.end_ns, 130 * SECOND);
	ssdpm_trial_feed(trial, 120 * SECOND, 5, NULL);
	again = next(trial, 130 * SECOND - 1);
	assert_memory_equal(&first, &again, sizeof(first));
	/* The caller is late, so the next one starts at its call. */
	again = next(trial, 135 * SECOND);
	assert_int_equal(again.index, 1);
	assert_int_equal(again.start_ns, 135 * SECOND);
	assert_int_not_equal(again.setting, first.setting);
	ssdpm_trial_free(trial);
}

static void a_fair_coin_draws_the_order_of_each_pair(void **state)
{
	struct ssdpm_trial_params params = usual();
	unsigned int a_first = 0, changes = 0;
	uint32_t before = 0;
	int64_t now_ns = 0;

	(void)state;
	params.limit_ns = WEEK;
	struct ssdpm_trial *trial = trial_of(&params);

	for (int i = 0; i < 10000; i++) {
		uint32_t setting = next(trial, now_ns).setting;

		a_first += setting == SSDPM_TRIAL_A;
		changes += setting != before;
		before = setting;
		now_ns = pass_block(trial, now_ns, 5, 5);
		assert_int_equal(next(trial, now_ns).setting,
				 SSDPM_TRIAL_A + SSDPM_TRIAL_B - setting);
		now_ns = pass_block(trial, now_ns, 5, 5);
	}
	/* Five standard deviations. */
	assert_in_range(a_first, 4750, 5250);
	assert_in_range(changes, 4750, 5250);
	ssdpm_trial_free(trial);
}

static void another_seed_draws_another_order(void **state)
{
	struct ssdpm_trial_params params = usual();
	unsigned int differ = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 64; seed++) {
		struct ssdpm_trial *trial, *same;

		params.seed = seed;
		trial = trial_of(&params);
		same = trial_of(&params);
		assert_int_equal(next(trial, 0).setting, next(same, 0).setting);
		differ += next(trial, 0).setting == SSDPM_TRIAL_A;
		ssdpm_trial_free(trial);
		ssdpm_trial_free(same);
	}
	assert_in_range(differ, 16, 48);
}

static const struct {
	const char *name;
	int64_t update_s, response_s, settle_s, block_s;
} meters[] = {
	{ "a fast meter needs 30 s", 0, 0, 10, 30 },
	{ "one of 5 s needs no more", 5, 5, 10, 30 },
	{ "one that averages over 8 s needs 36 s", 1, 8, 16, 36 },
	{ "one of 20 s needs three updates", 20, 20, 40, 60 },
	{ "one that is updated each minute needs three", 60, 0, 60, 180 },
	{ "one that averages over a minute drops two", 1, 60, 120, 140 },
	{ "one that does both has one update that counts", 60, 60, 120, 180 },
};

static void a_block_fits_the_meter(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(meters) / sizeof(meters[0]); i++) {
		struct ssdpm_trial_params params = usual();

		params.update_ns = (uint64_t)(meters[i].update_s * SECOND);
		params.response_ns = (uint64_t)(meters[i].response_s * SECOND);
		params.limit_ns = 0;
		struct ssdpm_trial *trial = trial_of(&params);
		struct ssdpm_trial_block block = next(trial, 0);
		uint64_t room = 1800 / (2 * (uint64_t)meters[i].block_s);

		print_message("%s\n", meters[i].name);
		assert_int_equal(block.count_ns, meters[i].settle_s * SECOND);
		assert_int_equal(block.end_ns, meters[i].block_s * SECOND);
		assert_int_equal(state_of(trial).max_pairs,
				 room < 6 ? 6 : room);
		ssdpm_trial_free(trial);
	}
}

static void readings_outside_of_the_counted_part_change_nothing(void **state)
{
	const struct ssdpm_trial_params params = usual();
	struct ssdpm_trial *trial = trial_of(&params);
	int64_t now_ns = 0;

	(void)state;
	assert_int_equal(ssdpm_trial_feed(trial, 0, 1000, NULL), 0);
	for (int i = 0; i < 2; i++) {
		struct ssdpm_trial_block block = next(trial, now_ns);
		double power_w = block.setting == SSDPM_TRIAL_A ? 3 : 2;

		ssdpm_trial_feed(trial, block.start_ns, 1000, NULL);
		ssdpm_trial_feed(trial, block.count_ns - 1, 1000, NULL);
		ssdpm_trial_feed(trial, block.count_ns, power_w - 1, NULL);
		ssdpm_trial_feed(trial, block.end_ns - 1, power_w + 1, NULL);
		ssdpm_trial_feed(trial, block.end_ns, 1000, NULL);
		now_ns = block.end_ns;
	}
	next(trial, now_ns);
	assert_near(state_of(trial).saving_w, 1, 0);
	ssdpm_trial_free(trial);
}

static void a_reading_that_is_no_power_is_refused(void **state)
{
	const struct ssdpm_trial_params params = usual();
	struct ssdpm_trial *trial = trial_of(&params);
	struct ssdpm_error error = fixture_error();
	int64_t now_ns = 0;

	(void)state;
	for (int i = 0; i < 2; i++) {
		int64_t count_ns = next(trial, now_ns).count_ns;

		assert_int_equal(ssdpm_trial_feed(trial, count_ns, NAN, &error),
				 -EINVAL);
		assert_int_equal(
			ssdpm_trial_feed(trial, count_ns, INFINITY, &error),
			-ERANGE);
		assert_int_equal(
			ssdpm_trial_feed(trial, count_ns, -INFINITY, &error),
			-ERANGE);
		assert_int_equal(
			ssdpm_trial_feed(trial, count_ns, 1e300, &error),
			-ERANGE);
		fixture_assert_error(&error, -ERANGE, 0, "above 1 MW");
		now_ns = pass_block(trial, now_ns, 1e6, -1e6);
	}
	next(trial, now_ns);
	assert_near(state_of(trial).saving_w, 2e6, 0);
	ssdpm_trial_free(trial);
}

static void a_block_without_a_reading_ends_the_trial(void **state)
{
	const struct ssdpm_trial_params params = usual();
	struct ssdpm_trial *trial = trial_of(&params);
	struct ssdpm_trial_block block = next(trial, 0), kept = block;
	struct ssdpm_error error = fixture_error();

	(void)state;
	ssdpm_trial_feed(trial, block.count_ns - 1, 5, NULL);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			ssdpm_trial_next(trial, block.end_ns, &kept, &error),
			-ENODATA);
		fixture_assert_error(&error, -ENODATA, 0, "block 0");
	}
	assert_memory_equal(&kept, &block, sizeof(block));
	ssdpm_trial_free(trial);
}

static void a_time_that_cannot_be_is_refused(void **state)
{
	const struct ssdpm_trial_params params = usual();
	struct ssdpm_trial *trial = trial_of(&params);
	struct ssdpm_trial_block block = { .size = sizeof(block) };

	(void)state;
	assert_int_equal(ssdpm_trial_next(trial, INT64_MAX, &block, NULL),
			 -ERANGE);
	assert_int_equal(
		ssdpm_trial_next(trial, INT64_MAX - 30 * SECOND, &block, NULL),
		0);
	assert_int_equal(
		ssdpm_trial_next(trial, INT64_MAX - 31 * SECOND, &block, NULL),
		-ERANGE);
	ssdpm_trial_free(trial);
	trial = trial_of(&params);
	assert_int_equal(next(trial, INT64_MIN).end_ns,
			 INT64_MIN + 30 * SECOND);
	ssdpm_trial_free(trial);
}

static void before_a_pair_nothing_is_known(void **state)
{
	const struct ssdpm_trial_params params = usual();
	struct ssdpm_trial_state found = state_after(&params, NULL, 0);

	(void)state;
	assert_true(isnan(found.saving_w) && isnan(found.resolvable_w));
	assert_true(isinf(found.low_w) && found.low_w < 0);
	assert_true(isinf(found.high_w) && found.high_w > 0);
	assert_int_equal(found.decision, SSDPM_TRIAL_NOT_YET);
	assert_int_equal(found.max_pairs, 20);
}

static void seven_equal_savings_decide_and_five_never(void **state)
{
	struct ssdpm_trial_params params = usual();
	double w[7];

	(void)state;
	for (int sign = -1; sign <= 1; sign += 2) {
		for (size_t i = 0; i < 7; i++)
			w[i] = sign * 9e5;
		struct ssdpm_trial_state found = state_after(&params, w, 5);

		assert_int_equal(found.decision, SSDPM_TRIAL_NOT_YET);
		assert_true(isinf(found.low_w) && isinf(found.high_w));
		/* All strengths agree: 2^6 is above 40. */
		found = state_after(&params, w, 6);
		assert_int_equal(found.decision, sign > 0 ? SSDPM_TRIAL_SAVES :
							    SSDPM_TRIAL_COSTS);
		assert_near(found.saving_w, w[0], 1e-9);
		for (size_t i = 0; i < 7; i++)
			w[i] = sign * 0.1;
		found = state_after(&params, w, 6);
		assert_int_equal(found.decision, SSDPM_TRIAL_NOT_YET);
		assert_near(found.saving_w, w[0], 1e-9);
		found = state_after(&params, w, 7);
		assert_int_equal(found.decision, SSDPM_TRIAL_NOT_YET);
		for (size_t i = 0; i < 7; i++)
			w[i] = sign * 0.5;
		found = state_after(&params, w, 7);
		assert_int_equal(found.decision, sign > 0 ? SSDPM_TRIAL_SAVES :
							    SSDPM_TRIAL_COSTS);
	}
}

static void no_difference_never_decides(void **state)
{
	struct ssdpm_trial_params params = usual();
	const double w[20] = { 0 };

	(void)state;
	for (size_t n = 6; n <= 20; n++) {
		struct ssdpm_trial_state found = state_after(&params, w, n);

		assert_near(found.saving_w, 0, 0);
		assert_near(found.low_w + found.high_w, 0, 0);
		assert_true(found.low_w < 0);
		assert_int_equal(found.decision, n < 20 ?
							 SSDPM_TRIAL_NOT_YET :
							 SSDPM_TRIAL_UNDECIDED);
	}
}

static void a_trial_turned_round_is_the_same(void **state)
{
	const struct ssdpm_trial_params params = usual();
	double w[9], turned[9];
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < 9; i++) {
		w[i] = (double)(fixture_random(&seed) >> 40) / (1 << 22) - 1;
		turned[i] = -w[i];
	}
	struct ssdpm_trial_state one = state_after(&params, w, 9);
	struct ssdpm_trial_state other = state_after(&params, turned, 9);

	assert_near(one.low_w, -other.high_w, 1e-12);
	assert_near(one.high_w, -other.low_w, 1e-12);
	assert_near(one.saving_w, -other.saving_w, PRECISION * 0.1);
}

static void one_outlier_does_not_hide_a_saving(void **state)
{
	const struct ssdpm_trial_params params = usual();
	double w[16];

	(void)state;
	for (int i = 0; i < 16; i++)
		w[i] = 0.2 + (i % 2 ? 0.05 : -0.05);
	for (int sign = -1; sign <= 1; sign += 2) {
		w[3] = sign * 10;
		struct ssdpm_trial_state found = state_after(&params, w, 16);

		assert_int_equal(found.decision, SSDPM_TRIAL_SAVES);
		assert_true(found.low_w < 0.2 && 0.2 < found.high_w);
		assert_true(found.low_w <= found.saving_w &&
			    found.saving_w <= found.high_w);
		assert_near(found.saving_w, 0.2, 0.15);
	}
}

static void the_time_limit_ends_the_trial(void **state)
{
	struct ssdpm_trial_params params = usual();
	int64_t now_ns = 0;

	(void)state;
	params.limit_ns = 6 * MINUTE;
	struct ssdpm_trial *trial = trial_of(&params);

	for (int i = 0; i < 12; i++)
		now_ns = pass_block(trial, now_ns, 5, i);
	for (int i = 0; i < 2; i++) {
		struct ssdpm_trial_block block =
			next(trial, now_ns + i * MINUTE);

		assert_int_equal(block.setting, 0);
		assert_int_equal(block.index, 12);
		assert_int_equal(
			ssdpm_trial_feed(trial, block.count_ns, 5, NULL), 0);
	}
	assert_int_equal(state_of(trial).n_pairs, 6);
	assert_int_equal(state_of(trial).decision, SSDPM_TRIAL_UNDECIDED);
	ssdpm_trial_free(trial);
}

static void what_cannot_be_resolved_is_hopeless_after_four_pairs(void **state)
{
	struct ssdpm_trial_params params = usual();
	const double w[] = { 3, -3, 2, -2, 1 };
	/* They show more than can be resolved, whatever is likely. */
	const double far[] = { 0.9, 1.1, 1, 1 };

	(void)state;
	assert_true(isnan(state_after(&params, w, 3).resolvable_w));
	assert_int_equal(state_after(&params, w, 3).decision,
			 SSDPM_TRIAL_NOT_YET);
	struct ssdpm_trial_state found = state_after(&params, w, 4);

	assert_true(found.resolvable_w > 1 && found.resolvable_w < 3);
	assert_int_equal(found.decision, SSDPM_TRIAL_HOPELESS);
	params.likely_uw = 1000;
	found = state_after(&params, far, 4);
	assert_true(found.resolvable_w > 0.001);
	assert_true(found.resolvable_w < found.saving_w);
	assert_int_equal(found.decision, SSDPM_TRIAL_NOT_YET);
	/* More time, a larger saving, or no expected one. */
	params.likely_uw = 3000000;
	assert_int_equal(state_after(&params, w, 4).decision,
			 SSDPM_TRIAL_NOT_YET);
	params.likely_uw = 0;
	assert_int_equal(state_after(&params, w, 4).decision,
			 SSDPM_TRIAL_NOT_YET);
	params.likely_uw = 300000;
	params.limit_ns = WEEK;
	assert_int_equal(state_after(&params, w, 4).decision,
			 SSDPM_TRIAL_NOT_YET);
}

static void at_the_time_limit_what_was_resolvable_is_half_of_the_interval(
	void **state)
{
	struct ssdpm_trial_params params = usual();
	const double w[] = { 0.3, -0.1, 0.5, 0.2, -0.3, 0.1 };

	(void)state;
	params.limit_ns = 6 * MINUTE;
	struct ssdpm_trial_state found = state_after(&params, w, 6);

	assert_near(found.resolvable_w, (found.high_w - found.low_w) / 2, 0);
}

static void watts_and_the_likely_saving_have_no_scale(void **state)
{
	struct ssdpm_trial_params small = usual(), large = usual();
	double w[12], more[12];
	uint64_t seed = 9;

	(void)state;
	small.likely_uw = 1;
	large.likely_uw = 1 << 20;
	for (int i = 0; i < 12; i++) {
		/* Sums with 5 W are exact. */
		more[i] = (double)(fixture_random(&seed) >> 52) / 1024 - 1;
		w[i] = more[i] / (1 << 20);
	}
	struct ssdpm_trial_state one = state_after(&small, w, 12);
	struct ssdpm_trial_state other = state_after(&large, more, 12);

	assert_near(one.low_w * (1 << 20), other.low_w, 1e-6);
	assert_near(one.high_w * (1 << 20), other.high_w, 1e-6);
	assert_near(one.resolvable_w * (1 << 20), other.resolvable_w, 1e-6);
}

static void thousands_of_pairs_do_not_overflow(void **state)
{
	struct ssdpm_trial_params params = usual();
	double *w = calloc(10080, sizeof(*w));

	(void)state;
	params.limit_ns = WEEK;
	params.likely_uw = 1000000000;
	for (int i = 0; i < 10080; i++)
		w[i] = 1000 + (i % 2 ? 0.5 : -0.5);
	struct ssdpm_trial_state found = state_after(&params, w, 10080);

	assert_int_equal(found.max_pairs, 10080);
	assert_int_equal(found.decision, SSDPM_TRIAL_SAVES);
	assert_near(found.saving_w, 1000, 1);
	assert_true(found.low_w > 900 && found.high_w < 1100);
	params.likely_uw = 1;
	for (int i = 0; i < 10080; i++)
		w[i] = i % 3 ? 9e5 : -9e5;
	found = state_after(&params, w, 10080);
	assert_true(found.low_w < 9e5 && found.high_w > 3e5);
	free(w);
}

static const struct {
	const char *fragment;
	struct ssdpm_trial_params params;
} refused[] = {
	{ "an hour each", { .update_ns = 61 * (uint64_t)MINUTE } },
	{ "an hour each", { .response_ns = UINT64_MAX } },
	{ "7 days each", { .limit_ns = WEEK + 1 } },
	{ "7 days each", { .block_ns = UINT64_MAX } },
	{ "1 kW", { .likely_uw = 1000000001 } },
	{ "at least 30 s", { .block_ns = 30 * SECOND - 1 } },
	{ "at least 181 s", { .update_ns = 60 * SECOND + 1, .block_ns = 1 } },
	{ "6 pairs of blocks need", { .limit_ns = 6 * MINUTE - 1 } },
	{ "6 pairs of blocks need",
	  { .block_ns = WEEK, .limit_ns = 11 * (uint64_t)WEEK / 12 } },
};

static void a_trial_that_cannot_be_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct ssdpm_trial_params params = refused[i].params;
		struct ssdpm_trial *trial = UNTOUCHED;
		struct ssdpm_error error = fixture_error();

		params.size = sizeof(params);
		assert_int_equal(ssdpm_trial_new(&params, &trial, &error),
				 -ERANGE);
		fixture_assert_error(&error, -ERANGE, 0, refused[i].fragment);
		assert_ptr_equal(trial, UNTOUCHED);
	}
	assert_null(ssdpm_trial_free(NULL));
}

static void a_long_block_has_time_for_six_pairs(void **state)
{
	const struct ssdpm_trial_params params = {
		.size = sizeof(params),
		.block_ns = 10 * (uint64_t)MINUTE,
	};
	struct ssdpm_trial *trial = trial_of(&params);

	(void)state;
	assert_int_equal(next(trial, 0).end_ns, 10 * MINUTE);
	assert_int_equal(state_of(trial).max_pairs, 6);
	ssdpm_trial_free(trial);
}

static void settings_and_decisions_have_words(void **state)
{
	(void)state;
	assert_string_equal(ssdpm_trial_setting_to_string(SSDPM_TRIAL_B), "b");
	assert_int_equal(ssdpm_trial_setting_from_string("a"), SSDPM_TRIAL_A);
	assert_null(ssdpm_trial_setting_to_string(0));
	assert_string_equal(ssdpm_trial_decision_to_string(SSDPM_TRIAL_NOT_YET),
			    "not-yet");
	assert_string_equal(
		ssdpm_trial_decision_to_string(SSDPM_TRIAL_UNDECIDED),
		"undecided");
	assert_int_equal(ssdpm_trial_decision_from_string("hopeless"),
			 SSDPM_TRIAL_HOPELESS);
	assert_int_equal(ssdpm_trial_decision_from_string("perhaps"), 0);
	assert_null(ssdpm_trial_decision_to_string(6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_stays_until_it_has_ended),
		cmocka_unit_test(a_fair_coin_draws_the_order_of_each_pair),
		cmocka_unit_test(another_seed_draws_another_order),
		cmocka_unit_test(a_block_fits_the_meter),
		cmocka_unit_test(
			readings_outside_of_the_counted_part_change_nothing),
		cmocka_unit_test(a_reading_that_is_no_power_is_refused),
		cmocka_unit_test(a_block_without_a_reading_ends_the_trial),
		cmocka_unit_test(a_time_that_cannot_be_is_refused),
		cmocka_unit_test(before_a_pair_nothing_is_known),
		cmocka_unit_test(seven_equal_savings_decide_and_five_never),
		cmocka_unit_test(no_difference_never_decides),
		cmocka_unit_test(a_trial_turned_round_is_the_same),
		cmocka_unit_test(one_outlier_does_not_hide_a_saving),
		cmocka_unit_test(the_time_limit_ends_the_trial),
		cmocka_unit_test(
			what_cannot_be_resolved_is_hopeless_after_four_pairs),
		cmocka_unit_test(
			at_the_time_limit_what_was_resolvable_is_half_of_the_interval),
		cmocka_unit_test(watts_and_the_likely_saving_have_no_scale),
		cmocka_unit_test(thousands_of_pairs_do_not_overflow),
		cmocka_unit_test(a_trial_that_cannot_be_is_refused),
		cmocka_unit_test(a_long_block_has_time_for_six_pairs),
		cmocka_unit_test(settings_and_decisions_have_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
