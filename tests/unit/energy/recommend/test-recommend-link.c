/* SPDX-License-Identifier: MIT */
/* The link policy of a SATA drive, against a comparison of all of them. */
#include "fixture.h"

#include <errno.h>
#include <ssdpm-energy.h>
#include <stdlib.h>
#include <string.h>

enum { N_IOS = 300, DRIVE_STEP = 7 };

#define MS UINT64_C(1000000)

/* The ones to choose from, the default of Linux first. */
static const char *const words[] = { "med_power_with_dipm", "medium_power",
				     "max_performance" };

static struct ssdpm_io ios[N_IOS];
static struct ssdpm_gaps *gaps;

/* Most pauses are short, some last for a second. */
static int make_workload(void **state)
{
	uint64_t now = 0;

	(void)state;
	assert_int_equal(ssdpm_gaps_new(NULL, &gaps, NULL), 0);
	for (uint64_t i = 0; i < N_IOS; i++) {
		ios[i] = (struct ssdpm_io){ .start_ns = now,
					    .bytes = 4096,
					    .service_ns = 100000,
					    .op = SSDPM_OP_READ };
		now += i % 200 ? i % 11 * MS : 1000 * MS;
	}
	assert_int_equal(ssdpm_gaps_feed(gaps, ios, N_IOS, NULL), 0);
	assert_int_equal(ssdpm_gaps_finish(gaps, 0, NULL), 0);
	return 0;
}

static int free_workload(void **state)
{
	(void)state;
	gaps = ssdpm_gaps_unref(gaps);
	return 0;
}

static struct ssdpm_sim_params params_of(uint32_t lpm, uint32_t flags)
{
	struct ssdpm_sim_params params;

	ssdpm_sim_params_init(&params, sizeof(params));
	params.lpm = lpm;
	params.flags = flags;
	return params;
}

/* The first row is that of today. */
static struct ssdpm_comparison *compare(struct ssdpm_model *model,
					uint32_t today, bool may_cost)
{
	const struct ssdpm_sim_params params = params_of(0, SSDPM_SIM_LIKELY);
	const struct ssdpm_policy policy = { .size = sizeof(policy),
					     .kind = SSDPM_POLICY_LPM,
					     .lpm = today };
	struct ssdpm_comparison *comparison;

	assert_int_equal(
		ssdpm_comparison_new(model, &params, NULL, &comparison, NULL),
		0);
	assert_int_equal(
		ssdpm_comparison_add(comparison, "today", &policy, NULL), 0);
	for (size_t i = 0; i < (may_cost ? 3 : 2); i++)
		assert_int_equal(
			ssdpm_comparison_add(comparison, words[i], NULL, NULL),
			0);
	assert_int_equal(ssdpm_comparison_feed(comparison, ios, N_IOS, NULL),
			 0);
	assert_int_equal(ssdpm_comparison_finish(comparison, 0, NULL), 0);
	return comparison;
}

static struct ssdpm_compared_policy row_of(
	const struct ssdpm_comparison *comparison, size_t i)
{
	struct ssdpm_compared_policy row = { .size = sizeof(row) };

	assert_int_equal(ssdpm_comparison_get_row(comparison, i, &row), 0);
	return row;
}

static bool keeps(const struct ssdpm_bounds *bounds,
		  const struct ssdpm_compared_policy *row)
{
	const struct ssdpm_run *run = row->result->nominal;

	return (double)run->delay_sum_ns <=
		       (double)bounds->max_delay_mean_ns * N_IOS &&
	       run->delay_p99_ns <= bounds->max_delay_p99_ns;
}

static bool saves(const struct ssdpm_compared_policy *row)
{
	return row->likely->verdict == SSDPM_SAVING_SAVES ||
	       row->likely->verdict == SSDPM_SAVING_PROBABLY_SAVES;
}

/* 0: none but that of today. */
static size_t find_best(const struct ssdpm_comparison *comparison,
			const struct ssdpm_bounds *bounds, uint32_t today)
{
	const bool may_cost = bounds->flags & SSDPM_BOUNDS_MAY_COST;
	const struct ssdpm_compared_policy first = row_of(comparison, 0);
	const bool risks_data = today == SSDPM_LPM_MIN_POWER;
	size_t best = 0;

	for (size_t i = 1; i <= (may_cost ? 3 : 2); i++) {
		const struct ssdpm_compared_policy row = row_of(comparison, i);
		const struct ssdpm_compared_policy other =
			row_of(comparison, best);

		if (!row.likely || !keeps(bounds, &row) ||
		    (i == 3 && keeps(bounds, &first)) ||
		    (keeps(bounds, &first) && !risks_data &&
		     row.saving.high_nj <= 0))
			continue;
		if (!best || saves(&row) > saves(&other) ||
		    (saves(&row) == saves(&other) &&
		     row.likely->median_nj > other.likely->median_nj))
			best = i;
	}
	return best;
}

/* Services are certain here: no range is narrower. */
static void assert_saving(const struct ssdpm_saving *a,
			  const struct ssdpm_saving *b)
{
	const int64_t most = (b->high_nj - b->low_nj) / 100 + 1;

	assert_int_equal(a->nominal_nj, b->nominal_nj);
	assert_int_equal(a->nominal_uw, b->nominal_uw);
	assert_true(a->low_nj <= b->low_nj && a->low_nj > b->low_nj - most);
	assert_true(a->high_nj >= b->high_nj && a->high_nj < b->high_nj + most);
}

static void assert_advice(const struct ssdpm_recommendation *r,
			  const struct ssdpm_comparison *comparison,
			  size_t best, bool must)
{
	const struct ssdpm_compared_policy row = row_of(comparison, best);

	if (must || saves(&row)) {
		assert_int_equal(r->advice, SSDPM_ADVICE_SET);
		assert_int_equal(r->lpm, row.resolved.lpm);
	} else {
		assert_int_not_equal(r->advice, SSDPM_ADVICE_SET);
	}
	assert_int_equal(r->possible, 1);
	assert_saving(&r->saving, &row.saving);
	assert_int_equal(r->run->delay_sum_ns,
			 row.result->nominal->delay_sum_ns);
	assert_int_equal(r->likely->verdict, row.likely->verdict);
}

/* Returns whether it is to be set. */
static bool check_drive(struct ssdpm_model *model, uint32_t today,
			const struct ssdpm_bounds *bounds)
{
	const struct ssdpm_sim_params params =
		params_of(today, SSDPM_SIM_LIKELY);
	const bool may_cost = bounds->flags & SSDPM_BOUNDS_MAY_COST;
	struct ssdpm_comparison *comparison = compare(model, today, may_cost);
	const struct ssdpm_compared_policy first = row_of(comparison, 0);
	const size_t best = find_best(comparison, bounds, today);
	const struct ssdpm_recommendation *r;
	struct ssdpm_recommendations *found;
	bool set;

	assert_int_equal(
		ssdpm_recommend(gaps, model, &params, bounds, &found, NULL), 0);
	r = ssdpm_recommendations_get(found, 0);
	assert_null(ssdpm_recommendations_get(found, 1));
	assert_int_equal(r->route, SSDPM_ROUTE_LINK_POLICY);
	assert_int_equal(r->today_keeps_bounds, keeps(bounds, &first));
	set = r->advice == SSDPM_ADVICE_SET;
	if (best) {
		assert_advice(r, comparison, best,
			      today == SSDPM_LPM_MIN_POWER ||
				      (may_cost && !keeps(bounds, &first)));
	} else {
		assert_int_equal(r->advice, keeps(bounds, &first) ?
						    SSDPM_ADVICE_KEEP :
						    SSDPM_ADVICE_NONE);
		assert_int_equal(r->lpm, r->possible ? today : 0);
	}
	ssdpm_recommendations_free(found);
	ssdpm_comparison_free(comparison);
	return set;
}

/* By default, and with less delay at any cost. */
static struct ssdpm_bounds bounds_of(const struct ssdpm_model *model, bool less)
{
	struct ssdpm_bounds bounds = { .size = sizeof(bounds) };

	assert_int_equal(ssdpm_gaps_get_default_bounds(gaps, model, NULL, 0,
						       &bounds, NULL),
			 0);
	if (less) {
		bounds.max_delay_mean_ns = 0;
		bounds.flags = SSDPM_BOUNDS_MAY_COST;
	}
	return bounds;
}

static void each_drive_gets_what_a_comparison_finds(void **state)
{
	struct ssdpm_catalogue *catalogue;
	size_t n_set = 0, n_left = 0, n_sata = 0;
	struct ssdpm_model *model;

	(void)state;
	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &catalogue, NULL), 0);
	for (uint32_t i = 0;
	     !ssdpm_catalogue_get_model(catalogue, i, &model, NULL); i++) {
		const struct ssdpm_model_info *info =
			ssdpm_model_get_info(model);

		if (info->kind == SSDPM_KIND_SATA && !info->rotational &&
		    n_sata++ % DRIVE_STEP == 0)
			for (uint32_t lpm = SSDPM_LPM_MAX_PERFORMANCE;
			     lpm <= SSDPM_LPM_MIN_POWER; lpm++)
				for (int less = 0; less < 2; less++) {
					const struct ssdpm_bounds bounds =
						bounds_of(model, less);

					if (check_drive(model, lpm, &bounds))
						n_set++;
					else
						n_left++;
				}
		ssdpm_model_unref(model);
	}
	ssdpm_catalogue_free(catalogue);
	assert_true(n_set > 10 && n_left > 10);
}

static struct ssdpm_model *find_drive(const char *product)
{
	struct ssdpm_catalogue_match match;
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_model *model;

	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &catalogue, NULL), 0);
	assert_int_equal(
		ssdpm_catalogue_find(catalogue, product, NULL, &match, NULL),
		0);
	assert_int_equal(
		ssdpm_catalogue_get_model(catalogue, match.index, &model, NULL),
		0);
	ssdpm_catalogue_free(catalogue);
	return model;
}

static struct ssdpm_recommendations *recommend(
	const struct ssdpm_model *model, const struct ssdpm_sim_params *params)
{
	struct ssdpm_recommendations *found;

	assert_int_equal(
		ssdpm_recommend(gaps, model, params, NULL, &found, NULL), 0);
	return found;
}

static void a_policy_that_is_not_known_may_be_any(void **state)
{
	struct ssdpm_model *model = find_drive("Samsung SSD 860 EVO 4TB");
	const uint32_t unknown[] = { 0, SSDPM_LPM_KEEP_FIRMWARE_SETTINGS };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct ssdpm_sim_params params =
			params_of(unknown[i], SSDPM_SIM_LIKELY);
		struct ssdpm_recommendations *found = recommend(model, &params);
		const struct ssdpm_recommendation *r =
			ssdpm_recommendations_get(found, 0);

		/* Against min_power it costs, against max_performance it saves.
		 */
		assert_true(r->saving.low_nj < 0 && r->saving.high_nj > 0);
		assert_true(r->likely->low_nj < r->likely->high_nj);
		assert_int_equal(r->lpm, SSDPM_LPM_MED_POWER_WITH_DIPM);
		ssdpm_recommendations_free(found);
	}
	ssdpm_model_unref(model);
}

static void without_what_is_likely_the_nominal_saving_decides(void **state)
{
	struct ssdpm_model *model = find_drive("Samsung SSD 860 EVO 4TB");
	const struct ssdpm_sim_params awake =
		params_of(SSDPM_LPM_MAX_PERFORMANCE, 0);
	const struct ssdpm_sim_params usual =
		params_of(SSDPM_LPM_MED_POWER_WITH_DIPM, 0);
	struct ssdpm_recommendations *found = recommend(model, &awake);
	const struct ssdpm_recommendation *r =
		ssdpm_recommendations_get(found, 0);

	(void)state;
	assert_int_equal(r->advice, SSDPM_ADVICE_SET);
	assert_int_equal(r->lpm, SSDPM_LPM_MED_POWER_WITH_DIPM);
	assert_true(r->saving.nominal_nj > 0);
	assert_null(r->likely);
	ssdpm_recommendations_free(found);
	found = recommend(model, &usual);
	r = ssdpm_recommendations_get(found, 0);
	assert_int_equal(r->advice, SSDPM_ADVICE_KEEP);
	ssdpm_recommendations_free(found);
	ssdpm_model_unref(model);
}

static void a_table_is_no_policy_of_a_sata_drive(void **state)
{
	struct ssdpm_model *model = find_drive("Samsung SSD 860 EVO 4TB");
	const struct ssdpm_apst table = { .enabled = 1 };
	struct ssdpm_sim_params params = params_of(0, 0);
	struct ssdpm_recommendations *found;
	struct ssdpm_error error;

	(void)state;
	params.apst = &table;
	assert_int_equal(
		ssdpm_recommend(gaps, model, &params, NULL, &found, &error),
		-EINVAL);
	assert_non_null(strstr(error.message, "its policy is lpm"));
	ssdpm_model_unref(model);
}

static void what_is_written_is_the_policy_of_the_port(void **state)
{
	struct ssdpm_model *model = find_drive("Samsung SSD 860 EVO 4TB");
	const struct ssdpm_sim_params params =
		params_of(SSDPM_LPM_MAX_PERFORMANCE, 0);
	struct ssdpm_recommendations *found = recommend(model, &params);
	struct ssdpm_change *changes;
	size_t n;

	(void)state;
	assert_int_equal(ssdpm_recommendation_get_changes(
				 ssdpm_recommendations_get(found, 0), NULL,
				 NULL, &changes, &n, NULL),
			 0);
	assert_int_equal(n, 1);
	assert_string_equal(
		changes->target,
		"/sys/class/scsi_host/hostN/link_power_management_policy");
	assert_string_equal(changes->value, "med_power_with_dipm");
	free(changes);
	ssdpm_recommendations_free(found);
	ssdpm_model_unref(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_drive_gets_what_a_comparison_finds),
		cmocka_unit_test(a_policy_that_is_not_known_may_be_any),
		cmocka_unit_test(
			without_what_is_likely_the_nominal_saving_decides),
		cmocka_unit_test(a_table_is_no_policy_of_a_sata_drive),
		cmocka_unit_test(what_is_written_is_the_policy_of_the_port),
	};

	return cmocka_run_group_tests(tests, make_workload, free_workload);
}
