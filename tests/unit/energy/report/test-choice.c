/* SPDX-License-Identifier: MIT */
/* The best setting of each drive of a machine, compared with a plain search. */
#include "tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_IOS = 400, N_DRIVES = 8, N_LIMITS = 8 };

static struct ssdpm_io ios[N_IOS];

/* Most pauses are short, some last for seconds. */
static int fill_ios(void **state)
{
	uint64_t now = 0;

	(void)state;
	for (uint64_t i = 0; i < N_IOS; i++) {
		ios[i] = (struct ssdpm_io){ .start_ns = now,
					    .bytes = 4096,
					    .service_ns = 100000,
					    .op = SSDPM_OP_READ };
		now += i % 10 ? 30000000 : 7000000000;
	}
	return 0;
}

static struct ssdpm_energy_report *advise(struct ssdpm_machine *machine,
					  uint32_t patience)
{
	const struct ssdpm_energy_report_params params = {
		.size = sizeof(params),
		.ios = ios,
		.n_ios = N_IOS,
		.flags = SSDPM_SIM_LIKELY,
		.patience = patience,
	};
	struct ssdpm_energy_report *report;
	struct ssdpm_error error;

	if (ssdpm_energy_report_new(machine, &params, &report, &error))
		fail_msg("%s", error.message);
	return report;
}

/* The text of ssdpm_report(3), drive by drive, without shared code. */
struct plain {
	struct ssdpm_comparison *comparison;
	size_t n; /* rows besides that of today and of Linux */
	uint64_t limits_us[N_LIMITS];
	uint32_t lpms[3];
	bool is_sata;
};

static void add(struct plain *plain, const char *name,
		const struct ssdpm_policy *policy)
{
	assert_int_equal(
		ssdpm_comparison_add(plain->comparison, name, policy, NULL), 0);
}

static void add_limits(struct plain *plain, struct ssdpm_device *device,
		       const struct ssdpm_machine_facts *facts,
		       const struct ssdpm_model *model, bool with_none)
{
	struct ssdpm_policy policy = { .size = sizeof(policy),
				       .kind = SSDPM_POLICY_ALGORITHM };
	uint64_t limits[SSDPM_APST_MAX_STEPS];
	size_t n = ssdpm_apst_get_steps(model, SSDPM_APST_STEP_LIMIT, 100000,
					limits, SSDPM_APST_MAX_STEPS);

	policy.params.size = sizeof(policy.params);
	assert_int_equal(ssdpm_device_get_apst_params(device, facts, model,
						      &policy.params, NULL),
			 0);
	for (size_t i = 0; i < n; i++) {
		if (!limits[i] && !with_none)
			continue;
		policy.params.max_exit_latency_us = limits[i];
		add(plain, "limit", &policy);
		plain->limits_us[plain->n++] = limits[i];
	}
	policy.params.max_exit_latency_us = 100000;
	add(plain, "linux", &policy);
}

static void add_links(struct plain *plain, bool with_none)
{
	static const uint32_t lpms[] = { SSDPM_LPM_MED_POWER_WITH_DIPM,
					 SSDPM_LPM_MEDIUM_POWER,
					 SSDPM_LPM_MAX_PERFORMANCE };

	for (; plain->n < (with_none ? 3 : 2); plain->n++) {
		plain->lpms[plain->n] = lpms[plain->n];
		add(plain, ssdpm_lpm_to_string(lpms[plain->n]), NULL);
	}
	add(plain, "med_power_with_dipm", NULL);
}

static struct plain compare(struct ssdpm_device *device,
			    const struct ssdpm_machine_facts *facts,
			    struct ssdpm_model *model, uint32_t patience)
{
	struct ssdpm_device_settings settings = { .size = sizeof(settings) };
	struct plain plain = { .n = 0 };
	struct ssdpm_sim_params params;

	ssdpm_sim_params_init(&params, sizeof(params));
	params.flags = SSDPM_SIM_LIKELY;
	assert_int_equal(ssdpm_device_get_settings(device, facts, model,
						   &settings, NULL),
			 0);
	assert_int_equal(ssdpm_comparison_new(model, &params, &settings,
					      &plain.comparison, NULL),
			 0);
	add(&plain, "today", NULL);
	plain.is_sata = ssdpm_model_get_info(model)->kind == SSDPM_KIND_SATA;
	if (plain.is_sata) {
		add_links(&plain, patience == SSDPM_PATIENCE_INSTANT);
	} else {
		add_limits(&plain, device, facts, model,
			   patience == SSDPM_PATIENCE_INSTANT);
	}
	assert_int_equal(
		ssdpm_comparison_feed(plain.comparison, ios, N_IOS, NULL), 0);
	assert_int_equal(ssdpm_comparison_finish(plain.comparison, 0, NULL), 0);
	return plain;
}

static struct ssdpm_compared_policy row_of(const struct plain *plain, size_t i)
{
	struct ssdpm_compared_policy row = { .size = sizeof(row) };

	assert_int_equal(ssdpm_comparison_get_row(plain->comparison, i, &row),
			 0);
	return row;
}

/* A certain cost is considered only if it may be set. */
static bool is_considered(const struct plain *plain, size_t i,
			  uint32_t patience)
{
	return patience == SSDPM_PATIENCE_INSTANT ||
	       row_of(plain, 0).resolved.lpm == SSDPM_LPM_MIN_POWER ||
	       row_of(plain, i).saving.high_nj > 0;
}

/* Doubles here; the library has exact integers. */
static bool is_within(const struct plain *plain, size_t i, uint32_t patience)
{
	static const struct {
		double share, p99_ns;
		uint64_t exit_us;
	} most[] = {
		[SSDPM_PATIENCE_NORMAL] = { 0.01, 25e6, 100000 },
		[SSDPM_PATIENCE_PATIENT] = { 0.05, 100e6, 1000000 },
		[SSDPM_PATIENCE_INSTANT] = { 0.001, 5e6, 10000 },
	};
	const struct ssdpm_run *run = row_of(plain, i).result->nominal;
	const struct ssdpm_run *usual =
		row_of(plain, plain->n + 1).result->nominal;
	double sum_ns = most[patience].share * (double)run->duration_ns;
	double p99_ns = most[patience].p99_ns;

	if (patience != SSDPM_PATIENCE_INSTANT) {
		if (sum_ns < (double)usual->delay_sum_ns)
			sum_ns = (double)usual->delay_sum_ns;
		if (p99_ns < (double)usual->delay_p99_ns)
			p99_ns = (double)usual->delay_p99_ns;
	}
	/* The mean of an I/O is rounded up. */
	return (!i || plain->is_sata ||
		plain->limits_us[i - 1] <= most[patience].exit_us) &&
	       (double)run->delay_p99_ns <= p99_ns &&
	       (double)run->delay_sum_ns < sum_ns + N_IOS;
}

static bool saves(const struct ssdpm_likely *likely)
{
	return likely->verdict == SSDPM_SAVING_SAVES ||
	       likely->verdict == SSDPM_SAVING_PROBABLY_SAVES;
}

/* Staying awake is for drives whose present setting delays I/Os. */
static bool is_needless(const struct plain *plain, size_t i, uint32_t patience)
{
	const bool sleeps = plain->is_sata ? plain->lpms[i - 1] !=
						     SSDPM_LPM_MAX_PERFORMANCE :
					     plain->limits_us[i - 1] != 0;

	return !sleeps && is_within(plain, 0, patience);
}

static size_t find_best(const struct plain *plain, uint32_t patience)
{
	size_t best = 0;

	for (size_t i = 1; i <= plain->n; i++) {
		const struct ssdpm_likely *here = row_of(plain, i).likely;
		const struct ssdpm_likely *there =
			best ? row_of(plain, best).likely : NULL;

		if (!here || !is_considered(plain, i, patience) ||
		    is_needless(plain, i, patience) ||
		    !is_within(plain, i, patience))
			continue;
		if (!there || saves(here) > saves(there) ||
		    (saves(here) == saves(there) &&
		     here->median_nj > there->median_nj))
			best = i;
	}
	return best;
}

static void assert_settings(const struct ssdpm_profile_settings *settings,
			    const struct plain *plain, size_t row)
{
	assert_int_equal(!settings, !row);
	if (!row)
		return;
	if (plain->is_sata) {
		assert_int_equal(settings->set, SSDPM_PROFILE_LPM);
		assert_int_equal(settings->n_lpms, 1);
		assert_int_equal(settings->lpms[0], plain->lpms[row - 1]);
	} else {
		assert_int_equal(settings->set, SSDPM_PROFILE_MAX_EXIT_LATENCY);
		assert_int_equal(settings->max_exit_latency_us,
				 plain->limits_us[row - 1]);
	}
}

/* Returns 1 if the drive needs a change. */
static int compare_item(const struct ssdpm_energy_report_item *item,
			const struct ssdpm_machine_facts *facts,
			uint32_t patience)
{
	struct plain plain =
		compare(item->drive->device, facts, item->model, patience);
	const size_t best = find_best(&plain, patience);
	const bool must = !strcmp(item->drive->policy, "min_power") ||
			  (patience == SSDPM_PATIENCE_INSTANT &&
			   !is_within(&plain, 0, patience));
	const struct ssdpm_likely *likely = row_of(&plain, best).likely;
	const bool set = best && (must || saves(likely));

	assert_settings(item->settings, &plain, best);
	assert_int_equal(item->advice == SSDPM_ADVICE_SET, set);
	assert_non_null(item->bounds);
	assert_int_equal(!item->likely, !best);
	if (best) {
		const struct ssdpm_compared_policy row = row_of(&plain, best);

		assert_memory_equal(item->likely, likely, sizeof(*likely));
		assert_memory_equal(&item->saving, &row.saving,
				    sizeof(row.saving));
	}
	ssdpm_comparison_free(plain.comparison);
	return set;
}

static void the_setting_is_the_one_that_a_plain_search_finds(void **state)
{
	static const char *const captures[] = { "laptop", "apst-off",
						"desktop-6.1", "eight-drives",
						"no-aspm" };
	int n_set = 0, n_left = 0;

	(void)state;
	for (size_t c = 0; c < sizeof(captures) / sizeof(captures[0]); c++)
		for (uint32_t p = 1; ssdpm_patience_to_string(p); p++) {
			struct ssdpm_machine *machine =
				tree_capture(captures[c]);
			struct ssdpm_machine_facts facts = { .size = sizeof(
								     facts) };
			struct ssdpm_energy_report_item item = {
				.size = sizeof(item)
			};
			struct ssdpm_energy_report *report = advise(machine, p);

			ssdpm_machine_read_facts(machine, &facts, NULL);
			for (size_t i = 0;
			     !ssdpm_energy_report_get_item(report, i, &item);
			     i++) {
				if (item.error)
					continue;
				if (compare_item(&item, &facts, p))
					n_set++;
				else
					n_left++;
			}
			ssdpm_energy_report_free(report);
			ssdpm_machine_unref(machine);
		}
	/* Both happen. */
	assert_true(n_set > 5 && n_left > 5);
}

/* A comparison of today with a drive that never sleeps. */
static struct ssdpm_likely awake_of(const struct ssdpm_energy_report_item *item,
				    const struct ssdpm_machine_facts *facts)
{
	struct ssdpm_device_settings settings = { .size = sizeof(settings) };
	struct ssdpm_compared_policy row = { .size = sizeof(row) };
	struct ssdpm_comparison *comparison;
	struct ssdpm_likely likely = { 0 };
	struct ssdpm_sim_params params;

	/* A hard disk is not estimated. */
	if (!item->before)
		return likely;
	ssdpm_sim_params_init(&params, sizeof(params));
	params.flags = SSDPM_SIM_LIKELY;
	ssdpm_device_get_settings(item->drive->device, facts, item->model,
				  &settings, NULL);
	assert_int_equal(ssdpm_comparison_new(item->model, &params, &settings,
					      &comparison, NULL),
			 0);
	assert_int_equal(ssdpm_comparison_add(comparison, "today", NULL, NULL),
			 0);
	assert_int_equal(ssdpm_comparison_add(comparison, "none", NULL, NULL),
			 0);
	assert_int_equal(ssdpm_comparison_feed(comparison, ios, N_IOS, NULL),
			 0);
	assert_int_equal(ssdpm_comparison_finish(comparison, 0, NULL), 0);
	ssdpm_comparison_get_row(comparison, 1, &row);
	if (row.likely)
		likely = *row.likely;
	ssdpm_comparison_free(comparison);
	return likely;
}

static void what_sleep_saves_and_another_route_are_told_if_asked(void **state)
{
	struct ssdpm_energy_report_params params = {
		.size = sizeof(params),
		.ios = ios,
		.n_ios = N_IOS,
		.flags = SSDPM_SIM_LIKELY | SSDPM_ENERGY_REPORT_FURTHER,
		.patience = SSDPM_PATIENCE_NORMAL,
	};
	struct ssdpm_machine *machine = tree_capture("eight-drives");
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	struct ssdpm_energy_report_item plain = { .size = sizeof(plain) };
	struct ssdpm_energy_report *report, *other;
	int n_awake = 0, n_asleep = 0, n_further = 0;

	(void)state;
	ssdpm_machine_read_facts(machine, &facts, NULL);
	assert_int_equal(
		ssdpm_energy_report_new(machine, &params, &report, NULL), 0);
	other = advise(machine, SSDPM_PATIENCE_NORMAL);
	for (size_t i = 0; !ssdpm_energy_report_get_item(report, i, &item);
	     i++) {
		const struct ssdpm_likely awake = awake_of(&item, &facts);

		ssdpm_energy_report_get_item(other, i, &plain);
		assert_null(plain.awake);
		assert_null(plain.further);
		assert_int_equal(plain.advice, item.advice);
		assert_int_equal(!item.awake, !awake.size);
		if (item.awake) {
			assert_memory_equal(item.awake, &awake, sizeof(awake));
			assert_true(item.awake->median_uw < 0);
		}
		n_asleep += item.awake != NULL;
		n_awake += !item.awake;
		if (!item.further)
			continue;
		n_further++;
		assert_true(item.further->route > SSDPM_ROUTE_LATENCY_LIMIT);
		assert_int_equal(item.further->advice, SSDPM_ADVICE_SET);
		assert_true(item.further->run->delay_p99_ns <=
			    item.bounds->max_delay_p99_ns);
	}
	assert_true(n_awake && n_asleep && n_further);
	ssdpm_energy_report_free(report);
	ssdpm_energy_report_free(other);

	params.patience = 0;
	assert_int_equal(
		ssdpm_energy_report_new(machine, &params, &report, NULL),
		-EINVAL);
	ssdpm_machine_unref(machine);
}

/* The mean power of a drive under a policy, with this state of the link. */
static int64_t nominal_uw(const struct ssdpm_energy_report_item *item,
			  const struct ssdpm_policy *today, uint32_t link)
{
	struct ssdpm_compared_policy row = { .size = sizeof(row) };
	struct ssdpm_comparison *comparison;
	struct ssdpm_sim_params params;
	int64_t uw;

	ssdpm_sim_params_init(&params, sizeof(params));
	params.pcie_link = link;
	assert_int_equal(ssdpm_comparison_new(item->model, &params, NULL,
					      &comparison, NULL),
			 0);
	assert_int_equal(ssdpm_comparison_add(comparison, "today", today, NULL),
			 0);
	assert_int_equal(ssdpm_comparison_feed(comparison, ios, N_IOS, NULL),
			 0);
	assert_int_equal(ssdpm_comparison_finish(comparison, 0, NULL), 0);
	ssdpm_comparison_get_row(comparison, 0, &row);
	uw = (int64_t)row.result->nominal->mean_power_uw;
	ssdpm_comparison_free(comparison);
	return uw;
}

static void check_link(const struct ssdpm_energy_report_item *item,
		       const struct ssdpm_machine_facts *facts)
{
	const struct ssdpm_link_saving *link = item->link;
	struct ssdpm_policy today = { .size = sizeof(today),
				      .kind = SSDPM_POLICY_ALGORITHM };
	int64_t uw;

	today.params.size = sizeof(today.params);
	assert_int_equal(ssdpm_device_get_apst_params(item->drive->device,
						      facts, item->model,
						      &today.params, NULL),
			 0);
	uw = nominal_uw(item, &today, link->pcie_link_today) -
	     nominal_uw(item, &today, link->pcie_link);
	/* The values in the middle save what the nominal ones save. */
	assert_true(link->likely->median_uw > uw * 19 / 20);
	assert_true(link->likely->median_uw < uw * 21 / 20);
	assert_true(link->likely->low_uw > 0);
	assert_true(link->likely->high_uw > 2 * uw);
	assert_int_equal(link->likely->verdict, SSDPM_SAVING_SAVES);
	assert_int_equal(link->likely->saves_ppm, 1000000);
	assert_int_equal(link->finding->n_changes, 1);
}

static void a_link_that_could_sleep_has_its_price(void **state)
{
	static const char *const captures[] = { "no-aspm", "desktop-6.1",
						"laptop" };
	int n = 0;

	(void)state;
	for (size_t c = 0; c < sizeof(captures) / sizeof(captures[0]); c++) {
		struct ssdpm_machine *machine = tree_capture(captures[c]);
		struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
		struct ssdpm_energy_report_item item = { .size = sizeof(item) };
		struct ssdpm_energy_report *report =
			advise(machine, SSDPM_PATIENCE_NORMAL);

		ssdpm_machine_read_facts(machine, &facts, NULL);
		for (size_t i = 0;
		     !ssdpm_energy_report_get_item(report, i, &item); i++)
			if (item.link) {
				check_link(&item, &facts);
				n++;
			}
		ssdpm_energy_report_free(report);
		ssdpm_machine_unref(machine);
	}
	/* The laptop has none; nor has a link that Linux does not manage. */
	assert_int_equal(n, 2);
}

static void a_drive_out_of_reach_is_left_as_it_is(void **state)
{
	struct ssdpm_machine *machine = tree_capture("server");
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	struct ssdpm_energy_report *report =
		advise(machine, SSDPM_PATIENCE_NORMAL);
	int n = 0;

	(void)state;
	for (size_t i = 0; !ssdpm_energy_report_get_item(report, i, &item);
	     i++) {
		if (item.error != -EOPNOTSUPP)
			continue;
		n++;
		assert_non_null(strstr(item.message,
				       i ? "out of reach" :
					   "over a network (tcp): its power is "
					   "not of this machine"));
		assert_int_equal(item.advice, 0);
		assert_null(item.settings);
		assert_null(item.bounds);
		assert_null(item.model);
	}
	assert_int_equal(n, 6);
	ssdpm_energy_report_free(report);
	ssdpm_machine_unref(machine);
}

static void patience_needs_what_is_likely_and_no_profile(void **state)
{
	const struct ssdpm_profile_settings profile = { .size = sizeof(
								profile) };
	const struct ssdpm_energy_report_params wrong[] = {
		{ .size = sizeof(*wrong), .patience = SSDPM_PATIENCE_NORMAL },
		{ .size = sizeof(*wrong),
		  .flags = SSDPM_SIM_LIKELY,
		  .settings = &profile,
		  .patience = SSDPM_PATIENCE_NORMAL },
		{ .size = sizeof(*wrong),
		  .flags = SSDPM_SIM_LIKELY,
		  .patience = SSDPM_PATIENCE_INSTANT + 1 },
	};
	struct ssdpm_machine *machine = tree_capture("laptop");

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct ssdpm_energy_report *report = UNTOUCHED;
		struct ssdpm_error error = fixture_error();

		assert_int_equal(ssdpm_energy_report_new(machine, &wrong[i],
							 &report, &error),
				 -EINVAL);
		fixture_assert_error(&error, -EINVAL, 0, "patience");
		assert_ptr_equal(report, UNTOUCHED);
	}
	ssdpm_machine_unref(machine);
}

static void beyond_the_last_item_there_is_no_text(void **state)
{
	struct ssdpm_machine *machine = tree_capture("laptop");
	struct ssdpm_energy_report *report =
		advise(machine, SSDPM_PATIENCE_NORMAL);
	struct ssdpm_error error = fixture_error();
	char *text = UNTOUCHED;

	(void)state;
	assert_int_equal(
		ssdpm_energy_report_item_to_json(report, 1, &text, &error),
		-ERANGE);
	fixture_assert_error(&error, -ERANGE, 0, "no item 1");
	assert_ptr_equal(text, UNTOUCHED);
	ssdpm_energy_report_free(report);
	ssdpm_machine_unref(machine);
}

/* The drive of the laptop, whose saving is not decided. */
static struct ssdpm_energy_report *undecided(struct ssdpm_machine *machine)
{
	const struct ssdpm_energy_report_params params = {
		.size = sizeof(params),
		.flags = SSDPM_SIM_LIKELY,
		.patience = SSDPM_PATIENCE_NORMAL,
	};
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	struct ssdpm_energy_report *report;

	assert_int_equal(
		ssdpm_energy_report_new(machine, &params, &report, NULL), 0);
	assert_int_equal(ssdpm_energy_report_get_item(report, 0, &item), 0);
	assert_int_equal(item.advice, SSDPM_ADVICE_KEEP);
	assert_int_equal(item.likely->verdict, SSDPM_SAVING_NOT_DECIDED);
	assert_null(item.trial);
	return report;
}

static struct ssdpm_trial_result result_of(uint32_t decision)
{
	return (struct ssdpm_trial_result){
		.size = sizeof(struct ssdpm_trial_result),
		.decision = decision,
		.n_pairs = 7,
		.saving_w = decision == SSDPM_TRIAL_COSTS ? -0.12 : 0.12,
		.low_w = -INFINITY,
		.high_w = INFINITY,
		.resolvable_w = NAN,
		.meter = "BAT0",
	};
}

static void only_a_trial_that_saves_sets_what_it_has_tried(void **state)
{
	struct ssdpm_machine *machine = tree_capture("laptop");
	struct ssdpm_energy_report *report = undecided(machine);
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };

	(void)state;
	for (int round = 0; round < 2; round++)
		for (uint32_t d = 1; ssdpm_trial_decision_to_string(d); d++) {
			const struct ssdpm_trial_result trial = result_of(d);

			assert_int_equal(ssdpm_energy_report_set_trial(
						 report, 0, &trial, NULL),
					 0);
			ssdpm_energy_report_get_item(report, 0, &item);
			assert_int_equal(item.advice == SSDPM_ADVICE_SET,
					 d == SSDPM_TRIAL_SAVES);
			assert_memory_equal(item.trial, &trial, sizeof(trial));
			assert_true(item.takes_trial);
			/* A trial that costs or saves has decided. */
			assert_int_equal(
				item.trial_likely_uw,
				d == SSDPM_TRIAL_SAVES ||
						d == SSDPM_TRIAL_COSTS ?
					0 :
					item.likely->high_uw);
		}
	ssdpm_energy_report_free(report);
	ssdpm_machine_unref(machine);
}

static void a_trial_is_needed_only_where_it_may_decide(void **state)
{
	const struct ssdpm_energy_report_params params = {
		.size = sizeof(params),
		.flags = SSDPM_SIM_LIKELY,
		.patience = SSDPM_PATIENCE_NORMAL,
	};
	static const char *const names[] = { "eight-drives", "laptop" };
	const struct ssdpm_trial_result trial = result_of(SSDPM_TRIAL_NOT_YET);
	int n_needed = 0, n_not = 0;

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct ssdpm_machine *machine = tree_capture(names[k]);
		struct ssdpm_energy_report_item item = { .size = sizeof(item) };
		struct ssdpm_energy_report *report;

		assert_int_equal(ssdpm_energy_report_new(machine, &params,
							 &report, NULL),
				 0);
		for (size_t i = 0;
		     !ssdpm_energy_report_get_item(report, i, &item); i++) {
			const bool needed = item.takes_trial && item.likely &&
					    item.likely->verdict ==
						    SSDPM_SAVING_NOT_DECIDED &&
					    item.likely->high_uw > 0;

			assert_int_equal(item.trial_likely_uw,
					 needed ? item.likely->high_uw : 0);
			n_needed += needed;
			n_not += !needed;
			assert_int_equal(!ssdpm_energy_report_set_trial(
						 report, i, &trial, NULL),
					 item.takes_trial);
		}
		ssdpm_energy_report_free(report);
		ssdpm_machine_unref(machine);
	}
	assert_true(n_needed && n_not);
}

static void a_trial_that_contradicts_itself_is_refused(void **state)
{
	struct ssdpm_machine *machine = tree_capture("laptop");
	struct ssdpm_energy_report *report = undecided(machine);
	struct ssdpm_trial_result trials[] = {
		result_of(SSDPM_TRIAL_SAVES),
		result_of(SSDPM_TRIAL_COSTS),
		result_of(SSDPM_TRIAL_SAVES),
		result_of(SSDPM_TRIAL_SAVES),
	};

	(void)state;
	trials[0].saving_w *= -1;
	trials[1].saving_w *= -1;
	trials[2].low_w = 0.13;
	trials[3].high_w = 0.11;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(ssdpm_energy_report_set_trial(
					 report, 0, &trials[i], NULL),
				 -EINVAL);
	ssdpm_energy_report_free(report);
	ssdpm_machine_unref(machine);
}

/* The trial's saving counts, and not the likely one. */
static void another_route_gains_over_what_a_trial_has_set(void **state)
{
	const struct ssdpm_energy_report_params params = {
		.size = sizeof(params),
		.flags = SSDPM_SIM_LIKELY | SSDPM_ENERGY_REPORT_FURTHER,
		.patience = SSDPM_PATIENCE_NORMAL,
	};
	struct ssdpm_trial_result trial = result_of(SSDPM_TRIAL_SAVES);
	struct ssdpm_machine *machine = tree_capture("eight-drives");
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	struct ssdpm_energy_report *report;
	int n_left = 0, n_gone = 0;

	(void)state;
	trial.saving_w = 0.007;
	assert_int_equal(
		ssdpm_energy_report_new(machine, &params, &report, NULL), 0);
	for (size_t i = 0; !ssdpm_energy_report_get_item(report, i, &item);
	     i++) {
		const int64_t gain_uw = item.further_gain_uw;
		const bool had_further = item.further;

		assert_int_equal(gain_uw > 0, had_further);
		if (ssdpm_energy_report_set_trial(report, i, &trial, NULL))
			continue;
		ssdpm_energy_report_get_item(report, i, &item);
		assert_int_equal(item.further_gain_uw > 0, !!item.further);
		if (item.further)
			assert_int_equal(item.further_gain_uw, gain_uw - 7000);
		n_left += item.further != NULL;
		n_gone += had_further && !item.further;
	}
	assert_true(n_left && n_gone);
	ssdpm_energy_report_free(report);
	ssdpm_machine_unref(machine);
}

static void what_no_trial_has_shown_is_null_in_json(void **state)
{
	struct ssdpm_machine *machine = tree_capture("laptop");
	struct ssdpm_energy_report *report = undecided(machine);
	const struct ssdpm_trial_result trial = result_of(SSDPM_TRIAL_NOT_YET);
	char *text = NULL;

	(void)state;
	assert_int_equal(
		ssdpm_energy_report_item_to_json(report, 0, &text, NULL), 0);
	assert_non_null(strstr(text, "\"trial\": null"));
	free(text);
	ssdpm_energy_report_set_trial(report, 0, &trial, NULL);
	assert_int_equal(
		ssdpm_energy_report_item_to_json(report, 0, &text, NULL), 0);
	assert_non_null(strstr(text, "\"decision\": \"not-yet\""));
	assert_non_null(strstr(text, "\"saving_uw\": 120000"));
	assert_non_null(strstr(text, "\"low_uw\": null"));
	assert_non_null(strstr(text, "\"resolvable_uw\": null"));
	assert_non_null(strstr(text, "\"power_source\": null"));
	free(text);
	ssdpm_energy_report_free(report);
	ssdpm_machine_unref(machine);
}

static void assert_refused(struct ssdpm_energy_report *report, size_t index,
			   const struct ssdpm_trial_result *trial, int err,
			   const char *words)
{
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	struct ssdpm_error error = fixture_error();

	assert_int_equal(
		ssdpm_energy_report_set_trial(report, index, trial, &error),
		err);
	fixture_assert_error(&error, err, 0, words);
	ssdpm_energy_report_get_item(report, 0, &item);
	assert_null(item.trial);
}

static void a_trial_that_cannot_be_is_refused(void **state)
{
	struct ssdpm_machine *machine = tree_capture("laptop");
	struct ssdpm_energy_report *report = undecided(machine);
	struct ssdpm_trial_result trial = result_of(SSDPM_TRIAL_SAVES);

	(void)state;
	assert_refused(report, 1, &trial, -ERANGE, "no item 1");
	assert_refused(report, 0, NULL, -EINVAL, "decision");
	trial.decision = SSDPM_TRIAL_UNDECIDED + 1;
	assert_refused(report, 0, &trial, -EINVAL, "decision");
	trial = result_of(SSDPM_TRIAL_SAVES);
	trial.power_source = SSDPM_SOURCE_BATTERY + 1;
	assert_refused(report, 0, &trial, -EINVAL, "power_source");
	trial = result_of(SSDPM_TRIAL_SAVES);
	memset(trial.meter, 'x', sizeof(trial.meter));
	assert_refused(report, 0, &trial, -EINVAL, "meter");
	ssdpm_energy_report_free(report);
	ssdpm_machine_unref(machine);
}

/*
 * A drive with a setting to apply anyway, and one without any possible setting.
 */
static void a_drive_that_waits_for_no_trial_takes_none(void **state)
{
	static const char *const captures[] = { "apst-off", "server" };
	const struct ssdpm_trial_result trial = result_of(SSDPM_TRIAL_COSTS);

	(void)state;
	for (size_t c = 0; c < 2; c++) {
		struct ssdpm_machine *machine = tree_capture(captures[c]);
		struct ssdpm_energy_report *report =
			advise(machine, SSDPM_PATIENCE_NORMAL);
		struct ssdpm_energy_report_item item = { .size = sizeof(item) };
		int n = 0;

		for (size_t i = 0;
		     !ssdpm_energy_report_get_item(report, i, &item); i++) {
			if (item.settings && item.advice != SSDPM_ADVICE_SET)
				continue;
			n++;
			assert_int_equal(ssdpm_energy_report_set_trial(
						 report, i, &trial, NULL),
					 -EINVAL);
		}
		assert_true(n > 0);
		ssdpm_energy_report_free(report);
		ssdpm_machine_unref(machine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_setting_is_the_one_that_a_plain_search_finds),
		cmocka_unit_test(
			what_sleep_saves_and_another_route_are_told_if_asked),
		cmocka_unit_test(a_link_that_could_sleep_has_its_price),
		cmocka_unit_test(another_route_gains_over_what_a_trial_has_set),
		cmocka_unit_test(a_drive_out_of_reach_is_left_as_it_is),
		cmocka_unit_test(patience_needs_what_is_likely_and_no_profile),
		cmocka_unit_test(beyond_the_last_item_there_is_no_text),
		cmocka_unit_test(
			only_a_trial_that_saves_sets_what_it_has_tried),
		cmocka_unit_test(what_no_trial_has_shown_is_null_in_json),
		cmocka_unit_test(a_trial_that_cannot_be_is_refused),
		cmocka_unit_test(a_trial_is_needed_only_where_it_may_decide),
		cmocka_unit_test(a_trial_that_contradicts_itself_is_refused),
		cmocka_unit_test(a_drive_that_waits_for_no_trial_takes_none),
	};

	return cmocka_run_group_tests(tests, fill_ios, NULL);
}
