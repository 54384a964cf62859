/* SPDX-License-Identifier: MIT */
/* Results of simulations as JSON: what is needed, and what may be left out. */
#include "fixture.h"

static const struct ssdpm_io ios[] = {
	{ .bytes = 4096, .service_ns = 100000, .op = SSDPM_OP_READ },
	{ .start_ns = 9000000000,
	  .bytes = 4096,
	  .service_ns = 100000,
	  .op = SSDPM_OP_WRITE },
};
#define N_IOS (sizeof(ios) / sizeof(ios[0]))

static struct ssdpm_model *model;
static struct ssdpm_comparison *comparison;

static int compare(void **state)
{
	static const char *const words[] = { "linux", "none", "linux" };

	(void)state;
	model = fixture_model((struct latencies[]){ { 0, 0, 0 },
						    { 1, 100, 200 },
						    { 1, 3000, 900 } },
			      3);
	assert_int_equal(
		ssdpm_comparison_new(model, NULL, NULL, &comparison, NULL), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(
			ssdpm_comparison_add(comparison, words[i], NULL, NULL),
			0);
	return 0;
}

static int drop(void **state)
{
	(void)state;
	comparison = ssdpm_comparison_free(comparison);
	model = ssdpm_model_unref(model);
	return 0;
}

static void finish(void)
{
	assert_int_equal(ssdpm_comparison_feed(comparison, ios, N_IOS, NULL),
			 0);
	assert_int_equal(ssdpm_comparison_finish(comparison, 0, NULL), 0);
}

static struct ssdpm_compared_policy row_of(size_t index)
{
	struct ssdpm_compared_policy row = { .size = sizeof(row) };

	assert_int_equal(ssdpm_comparison_get_row(comparison, index, &row), 0);
	return row;
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

static void refuse_estimate(struct ssdpm_estimate_report report,
			    const char *words)
{
	struct ssdpm_error error;
	char *text = UNTOUCHED;

	assert_int_equal(ssdpm_estimate_report_to_json(&report, &text, &error),
			 -EINVAL);
	assert_string_equal(error.message, words);
	assert_ptr_equal(text, UNTOUCHED);
}

static void an_estimate_needs_a_model_a_policy_and_the_end(void **state)
{
	const struct ssdpm_compared_policy row = row_of(0);
	const struct ssdpm_cap_run run = { .size = sizeof(run) };
	struct ssdpm_estimate_report whole = { .size = sizeof(whole),
					       .model = model,
					       .resolved = &row.resolved,
					       .sim = row.sim };
	struct ssdpm_estimate_report r;

	(void)state;
	refuse_estimate(whole, "sim, finished, is missing");
	finish();
	r = whole;
	r.model = NULL;
	refuse_estimate(r, "model is missing");
	r = whole;
	r.sim = NULL;
	refuse_estimate(r, "sim, finished, is missing");
	r = whole;
	r.resolved = NULL;
	refuse_estimate(r, "resolved is missing");
	r = whole;
	r.cap_run = &run;
	r.n_cap_points = 1;
	refuse_estimate(r, "cap_points is missing");
}

static void an_estimate_has_what_was_given(void **state)
{
	const struct ssdpm_trace_counts counts = { .n_ios = 2 };
	const struct ssdpm_background_work background = { .low_wa = 1,
							  .nominal_wa = 2.5,
							  .high_wa = 4 };
	const struct ssdpm_cap_run run = { .size = sizeof(run), .n_ios = 77 };
	const struct ssdpm_cap_point points[2] = {
		{ .cap_uw = SSDPM_CAP_NONE },
		{ .cap_uw = 5000, .limit = SSDPM_CAP_LIMIT_POWER },
	};
	struct ssdpm_compared_policy row;
	struct ssdpm_estimate_report r = { .size = sizeof(r), .model = model };
	char *text;

	(void)state;
	finish();
	row = row_of(0);
	r.resolved = &row.resolved;
	r.sim = row.sim;
	assert_int_equal(ssdpm_estimate_report_to_json(&r, &text, NULL), 0);
	assert_non_null(strstr(text, "\n  \"drive\": null,\n"));
	assert_non_null(strstr(text, "\n  \"trace\": null,\n"));
	assert_non_null(strstr(text, "\n  \"counts\": null,\n"));
	assert_non_null(strstr(text, "\n  \"policy\": null,\n"));
	assert_non_null(strstr(text, "\n  \"entries\": [\n"));
	assert_null(strstr(text, "\"lpm\""));
	assert_null(strstr(text, "\"spare_ppm\""));
	assert_null(strstr(text, "\"intervals\""));
	assert_null(strstr(text, "\"background\""));
	assert_null(strstr(text, "\"power_cap\""));
	free(text);
	r.drive = "a";
	r.trace = "b";
	r.policy = "c";
	r.counts = &counts;
	r.spare_ppm = 70000;
	r.background = &background;
	r.cap_run = &run;
	r.cap_points = points;
	r.n_cap_points = 2;
	assert_int_equal(ssdpm_estimate_report_to_json(&r, &text, NULL), 0);
	assert_non_null(strstr(text, "\n  \"drive\": \"a\",\n"));
	assert_non_null(strstr(text, "\n  \"spare_ppm\": 70000,\n"));
	assert_non_null(strstr(text, "\n    \"nominal_wa_milli\": 2500,\n"));
	assert_non_null(
		strstr(text, "\"power_cap\": {\n    \"cap_uw\": 5000,\n"));
	assert_non_null(strstr(text, "\n        \"cap_uw\": null,\n"));
	assert_non_null(strstr(text, "\n        \"limit\": \"power\"\n"));
	free(text);
}

/* Rows of one policy are one; the saving of the first is 0. */
static void a_comparison_has_each_policy_once(void **state)
{
	struct ssdpm_comparison_report r = { .size = sizeof(r),
					     .model = model,
					     .comparison = comparison };
	struct ssdpm_error error;
	char *text = UNTOUCHED;

	(void)state;
	assert_int_equal(ssdpm_comparison_report_to_json(&r, &text, &error),
			 -EINVAL);
	assert_string_equal(error.message, "comparison, finished, is missing");
	finish();
	r.model = NULL;
	assert_int_equal(ssdpm_comparison_report_to_json(&r, &text, &error),
			 -EINVAL);
	assert_string_equal(error.message, "model is missing");
	r.model = model;
	r.comparison = NULL;
	assert_int_equal(ssdpm_comparison_report_to_json(&r, &text, &error),
			 -EINVAL);
	assert_ptr_equal(text, UNTOUCHED);
	r.comparison = comparison;
	assert_int_equal(ssdpm_comparison_report_to_json(&r, &text, &error), 0);
	assert_non_null(strstr(text, "\"policies\": [\"linux\", \"linux\"],"));
	assert_non_null(strstr(text, "\"policies\": [\"none\"],"));
	assert_int_equal(count(text, "\"saving\""), 2);
	assert_int_equal(count(text, "\n  \"parameters\""), 1);
	free(text);
}

static void a_link_policy_is_one_of_sata(void **state)
{
	const struct ssdpm_resolved_policy unknown = { .lpm = 0 };
	const struct ssdpm_model_info info = { .size = sizeof(info),
					       .kind = SSDPM_KIND_SATA };
	const struct ssdpm_power_state states[] = { { .max_power_uw = 9 } };
	struct ssdpm_estimate_report r = { .size = sizeof(r),
					   .resolved = &unknown };
	struct ssdpm_model *sata;
	char *text;

	(void)state;
	finish();
	r.sim = row_of(0).sim;
	assert_int_equal(ssdpm_model_new(&info, states, 1, &sata, NULL), 0);
	r.model = sata;
	assert_int_equal(ssdpm_estimate_report_to_json(&r, &text, NULL), 0);
	assert_non_null(strstr(text, "\n  \"lpm\": null,\n"));
	assert_null(strstr(text, "\"entries\""));
	free(text);
	ssdpm_model_unref(sata);
}

static void a_mix_is_the_sum_of_its_streams(void **state)
{
	const struct ssdpm_cap_stream streams[] = {
		{ .op = SSDPM_OP_READ, .share = 0.25, .io_bytes = 4096 },
		{ .op = SSDPM_OP_WRITE, .share = 0.25, .io_bytes = 4096 },
		{ .op = SSDPM_OP_WRITE, .share = 0.5, .io_bytes = 4096 },
	};
	struct ssdpm_cap_report whole = { .size = sizeof(whole),
					  .model = model,
					  .streams = streams,
					  .n_streams = 3 };
	struct ssdpm_cap_report r[] = { whole, whole, whole, whole };
	struct ssdpm_error error;
	char *text = UNTOUCHED;

	(void)state;
	r[0].model = NULL;
	r[1].streams = NULL;
	r[2].n_streams = 0;
	r[3].n_points = 1;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(ssdpm_cap_report_to_json(&r[i], &text, &error),
				 -EINVAL);
		assert_non_null(strstr(error.message, " is missing"));
	}
	assert_ptr_equal(text, UNTOUCHED);
	assert_int_equal(ssdpm_cap_report_to_json(&whole, &text, &error), 0);
	assert_non_null(strstr(text, "\"mix\": {\n    \"read_ppm\": 250000,\n"
				     "    \"write_ppm\": 750000,\n"
				     "    \"io_bytes\": 4096\n  },\n"));
	free(text);
}

static struct ssdpm_recommendations *recommend(void)
{
	struct ssdpm_recommendations *found;
	struct ssdpm_gaps *gaps;

	assert_int_equal(ssdpm_gaps_new(NULL, &gaps, NULL), 0);
	assert_int_equal(ssdpm_gaps_feed(gaps, ios, N_IOS, NULL), 0);
	assert_int_equal(ssdpm_gaps_finish(gaps, 0, NULL), 0);
	assert_int_equal(ssdpm_recommend(gaps, model, NULL, NULL, &found, NULL),
			 0);
	ssdpm_gaps_unref(gaps);
	return found;
}

static void refuse_recommendation(struct ssdpm_recommendation_report report)
{
	struct ssdpm_error error;
	char *text = UNTOUCHED;

	assert_int_equal(
		ssdpm_recommendation_report_to_json(&report, &text, &error),
		-EINVAL);
	assert_ptr_equal(text, UNTOUCHED);
}

static void a_recommendation_needs_a_model_bounds_and_what_was_found(
	void **state)
{
	const struct ssdpm_sim_params params = { .size = sizeof(params),
						 .loop = 7 };
	const struct ssdpm_bounds bounds = { .size = sizeof(bounds) };
	struct ssdpm_recommendations *found = recommend();
	struct ssdpm_recommendation_report whole = { .size = sizeof(whole),
						     .model = model,
						     .bounds = &bounds,
						     .recommendations = found };
	struct ssdpm_recommendation_report r[] = { whole, whole, whole,
						   whole, whole, whole };

	(void)state;
	r[0].model = NULL;
	r[1].bounds = NULL;
	r[2].recommendations = NULL;
	r[3].n_words = 1;
	r[4].battery_mwh = 50000;
	r[5].params = &params;
	for (size_t i = 0; i < 6; i++)
		refuse_recommendation(r[i]);
	ssdpm_recommendations_free(found);
}

/* The words are the caller's; those of a route may be left out. */
static void a_recommendation_has_the_words_that_were_given(void **state)
{
	const struct ssdpm_change changes[] = {
		{ "/sys/x", "any" },
		{ "nvme_core.a", "1" },
		{ "nvme_core.b", "2" },
	};
	const struct ssdpm_recommendation_words words = { .text = "do it",
							  .changes = changes,
							  .n_changes = 3 };
	const struct ssdpm_bounds bounds = { .size = sizeof(bounds),
					     .max_delay_p99_ns = UINT64_MAX,
					     .max_exit_latency_us = 7 };
	struct ssdpm_recommendations *found = recommend();
	struct ssdpm_recommendation_report r = { .size = sizeof(r),
						 .model = model,
						 .bounds = &bounds,
						 .recommendations = found };
	char *text;

	(void)state;
	assert_int_equal(ssdpm_recommendation_report_to_json(&r, &text, NULL),
			 0);
	assert_int_equal(count(text, "\"text\": null,"), 3);
	assert_int_equal(count(text, "\"apply\": null,"), 3);
	assert_null(strstr(text, "\"sysfs\""));
	assert_null(strstr(text, "\"battery\""));
	assert_null(strstr(text, "\"year\""));
	assert_non_null(strstr(text, "\n    \"max_delay_mean_ns\": 0,\n"
				     "    \"max_delay_p99_ns\": null,\n"
				     "    \"max_exit_latency_us\": 7,\n"
				     "    \"max_states\": 2,\n"));
	assert_non_null(strstr(text, "\n  \"loop\": \"closed\",\n"));
	free(text);
	r.words = &words;
	r.n_words = 1;
	r.battery_mwh = 50000;
	r.system_uw = 1000000000;
	r.hours_per_day = 24;
	assert_int_equal(ssdpm_recommendation_report_to_json(&r, &text, NULL),
			 0);
	assert_int_equal(count(text, "\"text\": \"do it\","), 1);
	assert_non_null(strstr(
		text, "        {\"path\": \"/sys/x\", \"value\": \"any\"}\n"));
	assert_int_equal(
		count(text, "\"modprobe\": \"options nvme_core a=1 b=2\",\n"),
		1);
	assert_int_equal(count(text, "\"modprobe\": null,\n"), 2);
	assert_int_equal(count(text, "\"battery\""), 3);
	assert_int_equal(count(text, "\"year\""), 3);
	free(text);
	ssdpm_recommendations_free(found);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, compare, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_estimate_needs_a_model_a_policy_and_the_end),
		TEST(an_estimate_has_what_was_given),
		TEST(a_comparison_has_each_policy_once),
		TEST(a_link_policy_is_one_of_sata),
		TEST(a_mix_is_the_sum_of_its_streams),
		TEST(a_recommendation_needs_a_model_bounds_and_what_was_found),
		TEST(a_recommendation_has_the_words_that_were_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
