/* SPDX-License-Identifier: MIT */
/* What is likely of a saving: its range, its word, and what it rests on. */
#include "../../../support/fixture.h"

#include <math.h>
#include <ssdpm-energy.h>
#include <string.h>

#include "likely/likely.h"

#define MS UINT64_C(1000000)

/* A drive with the latencies and powers of an SN530, which says no idle power.
 */
static struct ssdpm_model *make_model(uint32_t idle_uw)
{
	struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_NVME,
		.provenance = SSDPM_PROVENANCE_REPORTED,
		.product = "Sleeper",
		.apsta = 1,
	};
	struct ssdpm_power_state states[] = {
		{ .max_power_uw = 3500000 },
		{ .max_power_uw = 20000,
		  .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .entry_latency_us = 3900,
		  .exit_latency_us = 11000 },
		{ .max_power_uw = 5000,
		  .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .entry_latency_us = 5000,
		  .exit_latency_us = 39000 },
	};
	struct ssdpm_model *model;

	for (int i = 0; i < 3; i++) {
		states[i].unknown = SSDPM_FIELD_ACTIVE_POWER;
		if (idle_uw)
			states[i].idle_power_uw = idle_uw >> 5 * i;
		else
			states[i].unknown |= SSDPM_FIELD_IDLE_POWER;
	}
	assert_int_equal(ssdpm_model_new(&info, states, 3, &model, NULL), 0);
	return model;
}

/* PS1 after so many ms, and PS2 after twenty times as long. */
static struct ssdpm_sim *run(struct ssdpm_model *model, uint32_t idle_ms,
			     uint64_t gap_ns)
{
	struct ssdpm_apst table = { .sent = 1, .enabled = idle_ms > 0 };
	struct ssdpm_sim_params params;
	struct ssdpm_io ios[64];
	struct ssdpm_sim *sim;

	if (idle_ms) {
		table.entries[0] = (struct ssdpm_apst_entry){ idle_ms, 1 };
		table.entries[1] = (struct ssdpm_apst_entry){ 20 * idle_ms, 2 };
	}
	for (size_t i = 0; i < 64; i++)
		ios[i] = (struct ssdpm_io){
			.start_ns = i * gap_ns,
			.bytes = 4096,
			.service_ns = 100000,
			.op = SSDPM_OP_READ,
		};
	ssdpm_sim_params_init(&params, sizeof(params));
	params.apst = &table;
	params.flags = SSDPM_SIM_LIKELY;
	assert_int_equal(ssdpm_sim_new(model, &params, &sim, NULL), 0);
	assert_int_equal(ssdpm_sim_feed(sim, ios, 64, NULL), 0);
	return sim;
}

struct found {
	struct ssdpm_likely likely;
	struct ssdpm_likely back;
	struct ssdpm_saving possible;
};

/* Of one policy against another, there and back. 0 ms: it never sleeps. */
static struct found compare(uint32_t idle_uw, uint32_t from_ms, uint32_t to_ms,
			    uint64_t gap_ns)
{
	struct ssdpm_model *model = make_model(idle_uw);
	struct ssdpm_sim *sims[] = { run(model, from_ms, gap_ns),
				     run(model, to_ms, gap_ns) };
	struct found found = {
		.likely = { .size = sizeof(found.likely) },
		.back = { .size = sizeof(found.back) },
	};

	assert_int_equal(ssdpm_sim_finish_together(sims, 2, 0, NULL), 0);
	assert_int_equal(
		ssdpm_sim_get_likely(sims[0], sims[1], &found.likely, NULL), 0);
	assert_int_equal(
		ssdpm_sim_get_likely(sims[1], sims[0], &found.back, NULL), 0);
	assert_int_equal(
		ssdpm_sim_get_saving(sims[0], sims[1], &found.possible, NULL),
		0);
	ssdpm_sim_free(sims[0]);
	ssdpm_sim_free(sims[1]);
	ssdpm_model_unref(model);
	return found;
}

static void a_drive_that_sleeps_saves_against_one_that_does_not(void **state)
{
	struct found found = compare(0, 0, 100, 5000 * MS);

	(void)state;
	assert_int_equal(found.likely.verdict, SSDPM_SAVING_SAVES);
	assert_int_equal(found.back.verdict, SSDPM_SAVING_COSTS);
	assert_true(found.likely.saves_ppm > 990000);
	assert_true(found.likely.low_uw > 50000);
	assert_int_equal(found.likely.priors_version, 3);
}

static void what_is_likely_is_possible(void **state)
{
	static const uint32_t ms[] = { 0, 5, 60, 100, 1000 };

	(void)state;
	for (int i = 0; i < 25; i++) {
		struct found found = compare(0, ms[i / 5], ms[i % 5], 500 * MS);
		const struct ssdpm_likely *likely = &found.likely;
		const struct ssdpm_saving *possible = &found.possible;

		assert_true(possible->low_uw <= likely->low_uw);
		assert_true(likely->low_uw <= likely->median_uw);
		assert_true(likely->median_uw <= likely->high_uw);
		assert_true(likely->high_uw <= possible->high_uw);
		assert_true(possible->low_nj <= likely->low_nj);
		assert_true(likely->low_nj <= likely->median_nj);
		assert_true(likely->median_nj <= likely->high_nj);
		assert_true(likely->high_nj <= possible->high_nj);
	}
}

static void a_saving_turned_round_is_as_likely_a_loss(void **state)
{
	struct found found = compare(0, 100, 20, 300 * MS);

	(void)state;
	assert_true(found.likely.low_uw == -found.back.high_uw);
	assert_true(found.likely.median_uw == -found.back.median_uw);
	assert_in_range(found.likely.saves_ppm + found.back.saves_ppm, 999999,
			1000001);
	assert_int_equal(found.likely.decider_kind, found.back.decider_kind);
}

static void the_same_policy_saves_nothing_worth_a_word(void **state)
{
	struct found found = compare(0, 100, 100, 500 * MS);

	(void)state;
	assert_int_equal(found.likely.verdict, SSDPM_SAVING_TOO_SMALL);
	assert_int_equal(found.likely.low_uw, 0);
	assert_int_equal(found.likely.high_uw, 0);
	assert_int_equal(found.likely.decider_kind, 0);
}

/* Idle times of 12 ms, and a wake each: all depends on what that takes. */
static void what_would_decide_it_is_the_transition(void **state)
{
	struct found found = compare(800000, 0, 5, 30 * MS);

	(void)state;
	assert_int_equal(found.likely.verdict, SSDPM_SAVING_NOT_DECIDED);
	assert_int_equal(found.likely.decider_kind,
			 SSDPM_PARAMETER_TRANSITION_POWER);
	assert_true(found.likely.decider_ppm > 250000);
}

static void the_median_of_what_is_drawn_is_nominal(void **state)
{
	struct found found = compare(0, 0, 100, 5000 * MS);
	double ratio = (double)found.likely.median_uw /
		       (double)found.possible.nominal_uw;

	(void)state;
	assert_true(ratio > 0.9 && ratio < 1.1);
}

static void a_simulation_that_kept_nothing_is_refused(void **state)
{
	struct ssdpm_likely likely = { .size = sizeof(likely) };
	struct ssdpm_io io = { .op = SSDPM_OP_READ };
	struct ssdpm_model *model = make_model(0);
	struct ssdpm_error error;
	struct ssdpm_sim *sim;

	(void)state;
	assert_int_equal(ssdpm_sim_new(model, NULL, &sim, NULL), 0);
	assert_int_equal(ssdpm_sim_feed(sim, &io, 1, NULL), 0);
	assert_int_equal(ssdpm_sim_get_likely(sim, sim, &likely, &error),
			 -EINVAL);
	assert_int_equal(ssdpm_sim_finish(sim, 0, NULL), 0);
	assert_int_equal(ssdpm_sim_get_likely(sim, sim, &likely, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "SSDPM_SIM_LIKELY");
	ssdpm_sim_free(sim);
	ssdpm_model_unref(model);
}

/* Against erfc() of the C library. */
static void shares_of_the_normal_distribution_are_equal(void **state)
{
	double *shares = ssdpm__normal_shares(1009);

	(void)state;
	assert_non_null(shares);
	for (size_t i = 0; i < 1009; i++) {
		double below = erfc(-shares[i] / sqrt(2)) / 2;

		assert_true(fabs(below - ((double)i + 0.5) / 1009) < 1e-12);
	}
	free(shares);
}

static void a_lattice_has_each_share_once_in_each_dimension(void **state)
{
	static const uint32_t sizes[] = { N_DRAWS, N_FEW_DRAWS, N_TIMES };
	static bool seen[N_DRAWS];

	(void)state;
	for (int i = 0; i < 3; i++)
		for (uint32_t dimension = 0; dimension < 60; dimension++) {
			const struct lattice lattice =
				ssdpm__lattice(sizes[i], dimension);

			memset(seen, 0, sizeof(seen));
			for (uint32_t draw = 0; draw < sizes[i]; draw++) {
				uint32_t share =
					ssdpm__share_of(&lattice, draw);

				assert_true(share < sizes[i] && !seen[share]);
				seen[share] = true;
			}
		}
}

static void assert_priors(const struct ssdpm_model *model, uint32_t pcie_link)
{
	struct ssdpm_sim_params params;
	struct priced_drive drive;
	struct unknowns unknowns;
	struct ssdpm_sim *sim;

	ssdpm_sim_params_init(&params, sizeof(params));
	params.pcie_link = pcie_link;
	assert_int_equal(ssdpm_sim_new(model, &params, &sim, NULL), 0);
	drive = ssdpm__sim_drive(sim);
	ssdpm__find_unknowns(&drive, UINT32_MAX, &unknowns);
	assert_true(unknowns.n > 0);
	for (size_t i = 0; i < unknowns.n; i++) {
		const struct unknown *one = &unknowns.at[i];

		if (one->prior >= ssdpm__n_priors())
			fail_msg("priors.tsv has no row for the rule %s",
				 sim->parameters[one->first].rule);
		assert_true(one->log_sd > 0);
	}
	ssdpm_sim_free(sim);
}

static void each_rule_of_the_catalogue_has_a_prior(void **state)
{
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_model *model;
	uint32_t n = 0;

	(void)state;
	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &catalogue, NULL), 0);
	for (; !ssdpm_catalogue_get_model(catalogue, n, &model, NULL); n++) {
		for (uint32_t link = 0; link <= SSDPM_PCIE_L1_2; link++)
			assert_priors(model, link);
		ssdpm_model_unref(model);
	}
	assert_true(n > 1000);
	ssdpm_catalogue_free(catalogue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_drive_that_sleeps_saves_against_one_that_does_not),
		cmocka_unit_test(what_is_likely_is_possible),
		cmocka_unit_test(a_saving_turned_round_is_as_likely_a_loss),
		cmocka_unit_test(the_same_policy_saves_nothing_worth_a_word),
		cmocka_unit_test(what_would_decide_it_is_the_transition),
		cmocka_unit_test(the_median_of_what_is_drawn_is_nominal),
		cmocka_unit_test(a_simulation_that_kept_nothing_is_refused),
		cmocka_unit_test(shares_of_the_normal_distribution_are_equal),
		cmocka_unit_test(
			a_lattice_has_each_share_once_in_each_dimension),
		cmocka_unit_test(each_rule_of_the_catalogue_has_a_prior),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
