/* SPDX-License-Identifier: MIT */
/* The likely saving: its range, its word and its evidence. */
#include "../../../support/drawn.h"
#include "../../../support/fixture.h"

#include <errno.h>
#include <math.h>
#include <ssdpm-energy.h>
#include <string.h>

#define MS UINT64_C(1000000)
#define N_IOS 64

/* A drive with the latencies and powers of an SN530, without idle powers. */
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

/* PS1 after this many ms, and PS2 after twenty times as long. */
struct work {
	struct ssdpm_apst table;
	struct ssdpm_sim_params params;
	struct ssdpm_io ios[N_IOS];
};

static void make_work(struct work *work, uint32_t idle_ms, uint64_t gap_ns)
{
	work->table = (struct ssdpm_apst){ .sent = 1, .enabled = idle_ms > 0 };
	if (idle_ms) {
		work->table.entries[0] =
			(struct ssdpm_apst_entry){ idle_ms, 1 };
		work->table.entries[1] =
			(struct ssdpm_apst_entry){ 20 * idle_ms, 2 };
	}
	for (size_t i = 0; i < N_IOS; i++)
		work->ios[i] = (struct ssdpm_io){
			.start_ns = i * gap_ns,
			.bytes = 4096,
			.service_ns = 100000,
			.op = SSDPM_OP_READ,
		};
	ssdpm_sim_params_init(&work->params, sizeof(work->params));
	work->params.apst = &work->table;
}

static struct ssdpm_sim *run(struct ssdpm_model *model, uint32_t idle_ms,
			     uint64_t gap_ns)
{
	struct ssdpm_sim *sim;
	struct work work;

	make_work(&work, idle_ms, gap_ns);
	work.params.flags = SSDPM_SIM_LIKELY;
	assert_int_equal(ssdpm_sim_new(model, &work.params, &sim, NULL), 0);
	assert_int_equal(ssdpm_sim_feed(sim, work.ios, N_IOS, NULL), 0);
	return sim;
}

struct found {
	struct ssdpm_likely likely;
	struct ssdpm_likely back;
	struct ssdpm_saving possible;
};

/* One policy against another, in both directions. 0 ms: never sleeps. */
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
	assert_int_equal(found.likely.priors_version, 4);
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
	assert_int_equal(found.likely.decider_ways, 0);
}

/* Idle times of 12 ms with a wake each, so all depends on the transition. */
static void what_would_decide_it_is_the_transition(void **state)
{
	struct found found = compare(800000, 0, 5, 30 * MS);

	(void)state;
	assert_int_equal(found.likely.verdict, SSDPM_SAVING_NOT_DECIDED);
	assert_int_equal(found.likely.decider_kind,
			 SSDPM_PARAMETER_TRANSITION_POWER);
	assert_true(found.likely.decider_ppm > 250000);
	assert_int_equal(found.likely.decider_ways,
			 SSDPM_WAY_CALIBRATE | SSDPM_WAY_STATE);
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

static struct ssdpm_prediction predict(struct ssdpm_sim *sim)
{
	struct ssdpm_prediction p = { .size = sizeof(p) };

	assert_int_equal(ssdpm_sim_finish(sim, 0, NULL), 0);
	assert_int_equal(ssdpm_sim_get_prediction(sim, &p, NULL), 0);
	return p;
}

static void a_likely_power_is_possible_and_around_the_nominal_one(void **state)
{
	static const uint32_t ms[] = { 0, 5, 60, 100, 1000 };
	struct ssdpm_model *model = make_model(0);

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct ssdpm_sim *sim = run(model, ms[i], 500 * MS);
		struct ssdpm_prediction p = predict(sim);
		const struct ssdpm_result *r = ssdpm_sim_get_result(sim);

		assert_true(p.nominal_uw == r->nominal->mean_power_uw);
		assert_true(p.duration_ns == r->nominal->duration_ns);
		assert_true(p.possible_low_uw == r->low->mean_power_uw);
		assert_true(p.possible_high_uw == r->high->mean_power_uw);
		assert_true(p.possible_low_uw <= p.likely_low_uw);
		assert_true(p.likely_low_uw < p.nominal_uw);
		assert_true(p.nominal_uw < p.likely_high_uw);
		assert_true(p.likely_low_uw < p.likely_median_uw);
		assert_true(p.likely_median_uw < p.likely_high_uw);
		assert_true(p.likely_high_uw <= p.possible_high_uw);
		assert_int_equal(p.priors_version, 4);
		ssdpm_sim_free(sim);
	}
	ssdpm_model_unref(model);
}

static double uniform(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
	double r = sqrt(-2 * log(uniform(seed)));

	return r * cos(6.283185307179586 * uniform(seed));
}

/* A drive from the priors, with ordered and certain values. */
static void draw_drive(const struct unknowns *unknowns, uint64_t *seed,
		       struct ssdpm_parameter *parameters)
{
	const struct priced_drive *drive = unknowns->drive;
	double normals[SSDPM_MAX_PARAMETERS];
	uint64_t idle_uw;

	for (size_t i = 0; i < unknowns->n; i++)
		normals[i] = normal(seed);
	draw_parameters(unknowns, normals, parameters);
	for (size_t i = 0; i < drive->n; i++) {
		struct ssdpm_parameter *p = &parameters[i];

		if (i && i < unknowns->n_states && p->nominal > p[-1].nominal)
			p->nominal = p[-1].nominal;
		idle_uw = parameters[0].nominal;
		if (p->kind == SSDPM_PARAMETER_ACTIVE_POWER &&
		    p->nominal < idle_uw)
			p->nominal = idle_uw;
		p->low = p->high = p->nominal;
	}
}

/* The simulator with these values instead of sums of products. */
static uint64_t true_power(struct ssdpm_model *model,
			   const struct ssdpm_parameter *parameters, size_t n)
{
	struct ssdpm_sim *sim;
	struct work work;
	uint64_t uw;

	make_work(&work, 100, 300 * MS);
	work.params.parameters = parameters;
	work.params.n_parameters = n;
	assert_int_equal(ssdpm_estimate(model, &work.params, work.ios, N_IOS,
					&sim, NULL),
			 0);
	uw = ssdpm_sim_get_result(sim)->nominal->mean_power_uw;
	ssdpm_sim_free(sim);
	return uw;
}

/* 1000 drives: four standard deviations around 900. */
static void nine_of_ten_drives_are_inside_the_likely_range(void **state)
{
	struct ssdpm_model *model = make_model(0);
	struct ssdpm_sim *sim = run(model, 100, 300 * MS);
	struct ssdpm_prediction p = predict(sim);
	const struct priced_drive drive = ssdpm__sim_drive(sim);
	struct unknowns unknowns;
	uint64_t seed = 1;
	int below = 0, above = 0;

	(void)state;
	ssdpm__find_unknowns(&drive, UINT32_MAX, &unknowns);
	for (int i = 0; i < 1000; i++) {
		struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
		uint64_t uw;

		draw_drive(&unknowns, &seed, parameters);
		uw = true_power(model, parameters, drive.n);
		assert_true(uw >= p.possible_low_uw);
		assert_true(uw <= p.possible_high_uw);
		below += uw < p.likely_low_uw;
		above += uw > p.likely_high_uw;
	}
	assert_in_range(1000 - below - above, 862, 938);
	assert_in_range(below, 22, 78);
	assert_in_range(above, 22, 78);
	ssdpm_sim_free(sim);
	ssdpm_model_unref(model);
}

/* A second at this power, from an instrument with this error. */
static struct ssdpm_energy measured(double power_w, double tolerance)
{
	return (struct ssdpm_energy){
		.size = sizeof(struct ssdpm_energy),
		.covered_ns = 1000 * MS,
		.energy_j = power_w,
		.low_j = power_w - tolerance,
		.high_j = power_w + tolerance,
		.mean_power_w = power_w,
	};
}

static void a_measurement_is_judged_by_both_ranges(void **state)
{
	const struct ssdpm_prediction p = {
		.size = sizeof(p),
		.possible_low_uw = 100000,
		.likely_low_uw = 400000,
		.likely_median_uw = 500000,
		.likely_high_uw = 600000,
		.possible_high_uw = 900000,
	};
	static const struct {
		double power_w, tolerance_w;
		uint32_t verdict, certain;
	} rows[] = {
		{ 0.4, 0, SSDPM_PREDICTION_INSIDE_LIKELY, 1 },
		{ 0.6, 0, SSDPM_PREDICTION_INSIDE_LIKELY, 1 },
		{ 0.6, 0.001, SSDPM_PREDICTION_INSIDE_LIKELY, 0 },
		{ 0.5, 0.1, SSDPM_PREDICTION_INSIDE_LIKELY, 1 },
		{ 0.601, 0, SSDPM_PREDICTION_INSIDE_POSSIBLE, 1 },
		{ 0.601, 0.002, SSDPM_PREDICTION_INSIDE_POSSIBLE, 0 },
		{ 0.9, 0, SSDPM_PREDICTION_INSIDE_POSSIBLE, 1 },
		{ 0.3, 0.05, SSDPM_PREDICTION_INSIDE_POSSIBLE, 1 },
		/* The likely range is within the error. */
		{ 0.39, 0.25, SSDPM_PREDICTION_INSIDE_POSSIBLE, 0 },
		{ 0.901, 0, SSDPM_PREDICTION_MISSED, 1 },
		{ 0.05, 0.04, SSDPM_PREDICTION_MISSED, 1 },
		{ 0.05, 0.06, SSDPM_PREDICTION_MISSED, 0 },
		/* So is the possible one. */
		{ 0.95, 0.9, SSDPM_PREDICTION_MISSED, 0 },
		{ -0.2, 0, SSDPM_PREDICTION_MISSED, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ssdpm_prediction_check check = { .size = sizeof(check) };
		/* A wrong zero may be negative, the remainder not. */
		double beside_w = rows[i].power_w < 0 ? 0 : 1;
		struct ssdpm_energy energy = measured(
			rows[i].power_w + beside_w, rows[i].tolerance_w);

		assert_int_equal(ssdpm_prediction_judge(&p, &energy, beside_w,
							&check, NULL),
				 0);
		assert_int_equal(check.verdict, rows[i].verdict);
		assert_int_equal(check.certain, rows[i].certain);
		assert_int_equal(check.power_uw, lround(rows[i].power_w * 1e6));
	}
}

static void another_length_is_more_than_a_tenth_of_the_longer_one(void **state)
{
	static const struct {
		uint64_t predicted_ns, measured_ns;
		uint32_t differs;
	} rows[] = {
		{ 100, 100, 0 },      { 100, 90, 0 }, { 100, 89, 1 },
		{ 90, 100, 0 },	      { 89, 100, 1 }, { UINT64_MAX, 1, 1 },
		{ 1, UINT64_MAX, 1 }, { 1, 1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct ssdpm_prediction p = {
			.size = sizeof(p), .duration_ns = rows[i].predicted_ns
		};
		struct ssdpm_prediction_check check = { .size = sizeof(check) };
		struct ssdpm_energy energy = measured(0, 0);

		energy.covered_ns = rows[i].measured_ns;
		assert_int_equal(
			ssdpm_prediction_judge(&p, &energy, 0, &check, NULL),
			0);
		assert_int_equal(check.length_differs, rows[i].differs);
	}
}

static void what_is_no_measurement_is_refused(void **state)
{
	const struct ssdpm_prediction p = { .size = sizeof(p) };
	struct ssdpm_prediction_check check = { .size = sizeof(check) };
	struct ssdpm_energy energy = measured(1, 0);
	static const double wrong_w[] = { NAN, -1, 1.1 };
	struct ssdpm_error error;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(ssdpm_prediction_judge(&p, &energy, wrong_w[i],
							&check, &error),
				 -EINVAL);
		fixture_assert_error(&error, -EINVAL, 0, "subtracted_w");
	}
	energy.mean_power_w = INFINITY;
	assert_int_equal(ssdpm_prediction_judge(&p, &energy, 0, &check, NULL),
			 -ERANGE);
	energy.covered_ns = 0;
	assert_int_equal(ssdpm_prediction_judge(&p, &energy, 0, &check, NULL),
			 -ENODATA);
}

static void the_power_of_a_simulation_that_kept_nothing_is_refused(void **state)
{
	struct ssdpm_prediction p = { .size = sizeof(p) };
	struct ssdpm_io io = { .op = SSDPM_OP_READ };
	struct ssdpm_model *model = make_model(0);
	struct ssdpm_sim *sims[] = { run(model, 100, 300 * MS), NULL };
	struct ssdpm_error error;

	(void)state;
	/* Not finished. */
	assert_int_equal(ssdpm_sim_get_prediction(sims[0], &p, &error),
			 -EINVAL);
	assert_int_equal(ssdpm_estimate(model, NULL, &io, 1, &sims[1], NULL),
			 0);
	assert_int_equal(ssdpm_sim_get_prediction(sims[1], &p, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "SSDPM_SIM_LIKELY");
	ssdpm_sim_free(sims[0]);
	ssdpm_sim_free(sims[1]);
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
		/* No rule knows the motor of a hard disk. */
		for (uint32_t link = 0;
		     link <= SSDPM_PCIE_L1_2 &&
		     !ssdpm_model_get_info(model)->rotational;
		     link++)
			assert_priors(model, link);
		ssdpm_model_unref(model);
	}
	assert_true(n > 1000);
	ssdpm_catalogue_free(catalogue);
}

static void two_words_of_a_saving_say_that_it_saves(void **state)
{
	const char *word;

	(void)state;
	assert_false(ssdpm_saving_verdict_saves(0));
	for (uint32_t v = 1; (word = ssdpm_saving_verdict_to_string(v)); v++)
		assert_int_equal(ssdpm_saving_verdict_saves(v),
				 strstr(word, "saves") != NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_drive_that_sleeps_saves_against_one_that_does_not),
		cmocka_unit_test(two_words_of_a_saving_say_that_it_saves),
		cmocka_unit_test(what_is_likely_is_possible),
		cmocka_unit_test(a_saving_turned_round_is_as_likely_a_loss),
		cmocka_unit_test(the_same_policy_saves_nothing_worth_a_word),
		cmocka_unit_test(what_would_decide_it_is_the_transition),
		cmocka_unit_test(the_median_of_what_is_drawn_is_nominal),
		cmocka_unit_test(a_simulation_that_kept_nothing_is_refused),
		cmocka_unit_test(
			a_likely_power_is_possible_and_around_the_nominal_one),
		cmocka_unit_test(
			nine_of_ten_drives_are_inside_the_likely_range),
		cmocka_unit_test(a_measurement_is_judged_by_both_ranges),
		cmocka_unit_test(
			another_length_is_more_than_a_tenth_of_the_longer_one),
		cmocka_unit_test(what_is_no_measurement_is_refused),
		cmocka_unit_test(
			the_power_of_a_simulation_that_kept_nothing_is_refused),
		cmocka_unit_test(shares_of_the_normal_distribution_are_equal),
		cmocka_unit_test(
			a_lattice_has_each_share_once_in_each_dimension),
		cmocka_unit_test(each_rule_of_the_catalogue_has_a_prior),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
