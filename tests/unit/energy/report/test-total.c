/* SPDX-License-Identifier: MIT */
/* Tests of sums of savings, and of drives that are read again. */
#include "tree.h"

#include <math.h>
#include <stdio.h>

static struct ssdpm_total nothing(void)
{
	return (struct ssdpm_total){ .size = sizeof(struct ssdpm_total) };
}

static void add(struct ssdpm_total *total, int64_t low_uw, int64_t high_uw,
		uint32_t verdict)
{
	const struct ssdpm_likely likely = {
		.size = sizeof(likely),
		.verdict = verdict,
		.low_uw = low_uw,
		.median_uw = (low_uw + high_uw) / 2,
		.high_uw = high_uw,
	};

	assert_int_equal(ssdpm_total_add_likely(total, &likely, NULL), 0);
}

/* As a setting that a trial has decided. */
static int add_trial(struct ssdpm_total *total,
		     const struct ssdpm_trial_result *trial,
		     struct ssdpm_error *error)
{
	const struct ssdpm_likely likely = { .size = sizeof(likely) };
	const struct ssdpm_energy_report_item item = {
		.size = sizeof(item),
		.advice = SSDPM_ADVICE_SET,
		.trial = trial,
		.likely = &likely,
	};

	return ssdpm_total_add_item(total, &item, error);
}

static void an_item_that_is_not_to_be_set_adds_nothing(void **state)
{
	const struct ssdpm_likely likely = { .size = sizeof(likely),
					     .verdict = SSDPM_SAVING_SAVES,
					     .median_uw = 7 };
	struct ssdpm_energy_report_item item = { .size = sizeof(item),
						 .likely = &likely };

	(void)state;
	for (uint32_t a = 0; a == 0 || ssdpm_advice_to_string(a); a++) {
		struct ssdpm_total total = nothing();

		item.advice = a;
		assert_int_equal(ssdpm_total_add_item(&total, &item, NULL), 0);
		assert_int_equal(total.n, a == SSDPM_ADVICE_SET);
		assert_int_equal(total.saving.nominal_uw,
				 a == SSDPM_ADVICE_SET ? 7 : 0);
	}
}

static void one_saving_is_its_own_total(void **state)
{
	(void)state;
	for (uint32_t v = 1; ssdpm_saving_verdict_to_string(v); v++) {
		struct ssdpm_total total = nothing();

		add(&total, -4, 10, v);
		assert_int_equal(total.n, 1);
		assert_int_equal(total.verdict, v);
		assert_int_equal(total.saving.low_uw, -4);
		assert_int_equal(total.saving.nominal_uw, 3);
		assert_int_equal(total.saving.high_uw, 10);
		assert_true(total.has_range);
		assert_int_equal(total.n_undecided,
				 v == SSDPM_SAVING_NOT_DECIDED);
		assert_int_equal(total.n_decided,
				 v != SSDPM_SAVING_NOT_DECIDED &&
					 v != SSDPM_SAVING_TOO_SMALL);
	}
}

static void both_ends_decide_on_a_sum(void **state)
{
	static const struct {
		int64_t low_uw, high_uw;
		uint32_t first, second, verdict;
	} cases[] = {
		{ 1, 9, SSDPM_SAVING_SAVES, SSDPM_SAVING_SAVES,
		  SSDPM_SAVING_SAVES },
		{ 1, 9, SSDPM_SAVING_SAVES, SSDPM_SAVING_TOO_SMALL,
		  SSDPM_SAVING_SAVES },
		{ 1, 9, SSDPM_SAVING_SAVES, SSDPM_SAVING_PROBABLY_SAVES,
		  SSDPM_SAVING_PROBABLY_SAVES },
		{ 1, 9, SSDPM_SAVING_PROBABLY_SAVES, SSDPM_SAVING_SAVES,
		  SSDPM_SAVING_PROBABLY_SAVES },
		{ 0, 9, SSDPM_SAVING_SAVES, SSDPM_SAVING_SAVES,
		  SSDPM_SAVING_NOT_DECIDED },
		{ -9, 0, SSDPM_SAVING_COSTS, SSDPM_SAVING_COSTS,
		  SSDPM_SAVING_NOT_DECIDED },
		{ -9, -1, SSDPM_SAVING_COSTS, SSDPM_SAVING_COSTS,
		  SSDPM_SAVING_COSTS },
		{ -9, -1, SSDPM_SAVING_COSTS, SSDPM_SAVING_NOT_DECIDED,
		  SSDPM_SAVING_PROBABLY_COSTS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_total total = nothing();

		add(&total, cases[i].low_uw, cases[i].high_uw, cases[i].first);
		add(&total, cases[i].low_uw, cases[i].high_uw, cases[i].second);
		assert_int_equal(total.verdict, cases[i].verdict);
		assert_int_equal(total.saving.low_uw, 2 * cases[i].low_uw);
		assert_int_equal(total.saving.high_uw, 2 * cases[i].high_uw);
		assert_int_equal(total.n, 2);
	}
}

static void what_cannot_be_added_leaves_the_total(void **state)
{
	struct ssdpm_total total = nothing(), before;
	struct ssdpm_likely likely = { .size = sizeof(likely) };
	struct ssdpm_trial_result trial = { .size = sizeof(trial),
					    .decision = SSDPM_TRIAL_SAVES,
					    .saving_w = NAN };
	struct ssdpm_error error = fixture_error();

	(void)state;
	add(&total, 0, INT64_MAX, SSDPM_SAVING_NOT_DECIDED);
	before = total;
	assert_int_equal(ssdpm_total_add_likely(&total, &likely, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "verdict");
	likely.verdict = SSDPM_SAVING_SAVES;
	likely.low_uw = 1;
	likely.high_uw = 1;
	assert_int_equal(ssdpm_total_add_likely(&total, &likely, &error),
			 -EOVERFLOW);
	fixture_assert_error(&error, -EOVERFLOW, 0, "too large");
	assert_int_equal(add_trial(&total, &trial, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "saving_w");
	trial.saving_w = 1;
	trial.decision = 99;
	assert_int_equal(add_trial(&total, &trial, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "decision");
	assert_memory_equal(&total, &before, sizeof(total));
}

static void a_trial_without_an_end_leaves_the_total_without_one(void **state)
{
	struct ssdpm_trial_result trial = {
		.size = sizeof(trial),
		.decision = SSDPM_TRIAL_SAVES,
		.saving_w = 0.5,
		.low_w = 0.25,
		.high_w = 0.75,
	};
	struct ssdpm_total total = nothing();

	(void)state;
	assert_int_equal(add_trial(&total, &trial, NULL), 0);
	assert_int_equal(total.verdict, SSDPM_SAVING_SAVES);
	assert_int_equal(total.saving.low_uw, 250000);
	assert_true(total.has_range);
	trial.high_w = INFINITY;
	assert_int_equal(add_trial(&total, &trial, NULL), 0);
	assert_false(total.has_range);
	assert_int_equal(total.saving.nominal_uw, 1000000);
	assert_int_equal(total.verdict, SSDPM_SAVING_NOT_DECIDED);
	assert_int_equal(total.n_decided, 2);
	/* What comes later does not bring the end back. */
	trial.high_w = 0.75;
	assert_int_equal(add_trial(&total, &trial, NULL), 0);
	assert_false(total.has_range);
}

static void a_trial_counts_by_what_it_decided(void **state)
{
	struct ssdpm_trial_result trial = { .size = sizeof(trial) };

	(void)state;
	for (uint32_t d = 1; ssdpm_trial_decision_to_string(d); d++) {
		struct ssdpm_total total = nothing();

		trial.decision = d;
		assert_int_equal(add_trial(&total, &trial, NULL), 0);
		assert_int_equal(
			total.verdict,
			d == SSDPM_TRIAL_SAVES ? SSDPM_SAVING_SAVES :
			d == SSDPM_TRIAL_COSTS ? SSDPM_SAVING_COSTS :
						 SSDPM_SAVING_NOT_DECIDED);
	}
}

/* An item says whether its sleep saves, or why that is unknown. */
struct asleep {
	uint32_t awake; /* verdict of never sleeping; 0: unknown */
	uint32_t verdict;
	int32_t error;
};

static void add_asleep(struct ssdpm_total *total, struct asleep asleep)
{
	const struct ssdpm_likely awake = {
		.size = sizeof(awake),
		.verdict = asleep.awake,
		.low_uw = -30,
		.median_uw = -20,
		.high_uw = -5,
	};
	const struct ssdpm_report_item drive = { .size = sizeof(drive),
						 .verdict = asleep.verdict };
	const struct ssdpm_energy_report_item item = {
		.size = sizeof(item),
		.error = asleep.error,
		.drive = &drive,
		.awake = asleep.awake ? &awake : NULL,
	};

	assert_int_equal(ssdpm_total_add_asleep(total, &item, NULL), 0);
}

static void sleep_saves_what_never_sleeping_costs(void **state)
{
	static const struct {
		uint32_t awake, verdict;
	} cases[] = {
		{ SSDPM_SAVING_COSTS, SSDPM_SAVING_SAVES },
		{ SSDPM_SAVING_PROBABLY_COSTS, SSDPM_SAVING_PROBABLY_SAVES },
		{ SSDPM_SAVING_NOT_DECIDED, 0 },
		{ SSDPM_SAVING_TOO_SMALL, 0 },
		{ SSDPM_SAVING_PROBABLY_SAVES, 0 },
		{ SSDPM_SAVING_SAVES, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct asleep one = { cases[i].awake,
					    SSDPM_DIAGNOSIS_SAVES, 0 };
		const int64_t n = cases[i].verdict != 0;
		struct ssdpm_total total = nothing();

		add_asleep(&total, one);
		assert_int_equal(total.verdict, cases[i].verdict);
		add_asleep(&total, one);
		assert_int_equal(total.n, 2 * n);
		assert_int_equal(total.saving.low_uw, 2 * 5 * n);
		assert_int_equal(total.saving.nominal_uw, 2 * 20 * n);
		assert_int_equal(total.saving.high_uw, 2 * 30 * n);
		assert_int_equal(
			total.n_undecided,
			cases[i].awake == SSDPM_SAVING_NOT_DECIDED ? 2 : 0);
		assert_int_equal(total.n_unread + total.n_unestimated, 0);
	}
}

static void drives_that_are_missing_from_what_sleep_saves_are_counted(
	void **state)
{
	static const struct {
		struct asleep one;
		size_t n_unread, n_unestimated;
	} cases[] = {
		{ { 0, SSDPM_DIAGNOSIS_SAVES, -EOPNOTSUPP }, 0, 1 },
		{ { 0, SSDPM_DIAGNOSIS_SAVES, -EALREADY }, 0, 1 },
		{ { 0, SSDPM_DIAGNOSIS_SAVES_LESS, -EOPNOTSUPP }, 0, 1 },
		{ { 0, SSDPM_DIAGNOSIS_NOT_KNOWN, -EOPNOTSUPP }, 0, 1 },
		{ { 0, SSDPM_DIAGNOSIS_SAVES_NOTHING, -EOPNOTSUPP }, 0, 0 },
		{ { 0, 0, -ENODEV }, 1, 0 },
		/* It never sleeps. */
		{ { 0, SSDPM_DIAGNOSIS_SAVES_NOTHING, 0 }, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_total total = nothing();

		add_asleep(&total, cases[i].one);
		assert_int_equal(total.n_unread, cases[i].n_unread);
		assert_int_equal(total.n_unestimated, cases[i].n_unestimated);
		assert_int_equal(total.n + total.verdict, 0);
	}
}

static void what_sleep_saves_needs_a_drive_and_fits(void **state)
{
	const struct ssdpm_likely least = { .size = sizeof(least),
					    .verdict = SSDPM_SAVING_COSTS,
					    .low_uw = INT64_MIN };
	const struct ssdpm_report_item drive = { .size = sizeof(drive) };
	struct ssdpm_energy_report_item item = { .size = sizeof(item),
						 .awake = &least };
	struct ssdpm_total total = nothing(), before = total;
	struct ssdpm_error error = fixture_error();

	(void)state;
	assert_int_equal(ssdpm_total_add_asleep(&total, &item, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "no drive");
	item.drive = &drive;
	assert_int_equal(ssdpm_total_add_asleep(&total, &item, &error),
			 -EOVERFLOW);
	fixture_assert_error(&error, -EOVERFLOW, 0, "too large");
	assert_memory_equal(&total, &before, sizeof(total));
}

static struct ssdpm_energy_report *advise(struct ssdpm_machine *machine)
{
	const struct ssdpm_energy_report_params params = {
		.size = sizeof(params),
		.flags = SSDPM_SIM_LIKELY,
		.patience = SSDPM_PATIENCE_NORMAL,
	};
	struct ssdpm_energy_report *report;

	assert_int_equal(
		ssdpm_energy_report_new(machine, &params, &report, NULL), 0);
	return report;
}

static void assert_read(const struct ssdpm_energy_report *report, int wanted)
{
	struct ssdpm_device *device = NULL;
	struct ssdpm_error error = fixture_error();

	assert_int_equal(
		ssdpm_energy_report_read_device(report, 0, &device, &error),
		wanted);
	assert_int_equal(device != NULL, !wanted);
	if (wanted)
		fixture_assert_error(&error, wanted, 0, "nvme0");
	ssdpm_device_unref(device);
}

#define PCI_BUS "0000:01:00.0"
#define NVME "sys/devices/pci0000:00/" PCI_BUS "/nvme/nvme0"

/* A drive of another serial number, in the same place. */
static void another_drive_in_the_same_place_is_told(void **state)
{
	struct ssdpm_energy_report *report;
	struct ssdpm_device *device = NULL;
	struct ssdpm_error error = fixture_error();
	struct ssdpm_machine *machine;
	char *root = tree_new();

	(void)state;
	tree_put(root, NVME "/model", "Invented Drive\n");
	tree_put(root, NVME "/serial", "S1\n");
	tree_put(root, NVME "/state", "live\n");
	tree_link(root, "sys/class/nvme/nvme0", "../../../" NVME);
	machine = tree_machine(root);
	report = advise(machine);
	assert_read(report, 0);
	tree_put(root, NVME "/serial", "S2\n");
	assert_read(report, -ESTALE);
	tree_put(root, NVME "/serial", "S1\n");
	assert_read(report, 0);
	assert_int_equal(
		ssdpm_energy_report_read_device(report, 1, &device, &error),
		-ERANGE);
	fixture_assert_error(&error, -ERANGE, 0, "no item 1");
	assert_null(device);
	ssdpm_energy_report_free(report);
	ssdpm_machine_unref(machine);
	tree_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_item_that_is_not_to_be_set_adds_nothing),
		cmocka_unit_test(one_saving_is_its_own_total),
		cmocka_unit_test(both_ends_decide_on_a_sum),
		cmocka_unit_test(what_cannot_be_added_leaves_the_total),
		cmocka_unit_test(
			a_trial_without_an_end_leaves_the_total_without_one),
		cmocka_unit_test(a_trial_counts_by_what_it_decided),
		cmocka_unit_test(sleep_saves_what_never_sleeping_costs),
		cmocka_unit_test(
			drives_that_are_missing_from_what_sleep_saves_are_counted),
		cmocka_unit_test(what_sleep_saves_needs_a_drive_and_fits),
		cmocka_unit_test(another_drive_in_the_same_place_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
