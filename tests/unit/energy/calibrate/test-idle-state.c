/* SPDX-License-Identifier: MIT */
/* Which state is an idle power of? Ranges are those of ssdpm_estimate(3). */
#include "fixture.h"

#include <math.h>

#define MW 1e-3
#define NONE UINT32_MAX

/* Reports no idle power: 6 W, then 25 mW and 5 mW asleep. */
static const struct psd silent[] = {
	{ .mp = 600 },
	{ .mp = 250, .mxps = 1, .nops = 1, .enlat = 4000, .exlat = 11000 },
	{ .mp = 50, .mxps = 1, .nops = 1, .enlat = 5000, .exlat = 39000 },
};

static struct ssdpm_model *model_of(const struct psd *psds, size_t n)
{
	uint8_t id[SSDPM_NVME_IDENTIFY_BYTES];

	fixture_identify(id, psds, n);
	return fixture_decode(id);
}

static struct ssdpm_idle_state found_for(const struct ssdpm_model *model,
					 double power_w, uint32_t link)
{
	const struct ssdpm_baseline level = { .level_w = power_w,
					      .sigma_w = power_w / 100,
					      .n = 10000 };
	const struct ssdpm_idle_state_params params = {
		.size = sizeof(params),
		.baseline = &level,
		.pcie_link = link,
	};
	struct ssdpm_idle_state found = { .size = sizeof(found) };

	assert_int_equal(ssdpm_idle_state_find(model, &params, &found, NULL),
			 0);
	return found;
}

static struct ssdpm_idle_state found_in(const struct psd *psds, size_t n,
					double power_w)
{
	struct ssdpm_model *model = model_of(psds, n);
	struct ssdpm_idle_state found =
		found_for(model, power_w, SSDPM_PCIE_L1_2);

	ssdpm_model_unref(model);
	return found;
}

static void a_power_names_the_states_whose_range_it_meets(void **state)
{
	static const struct {
		double power_w;
		uint32_t verdict, state, above, below;
	} rows[] = {
		/* PS0 0.36 to 2.46 W, PS1 6.25 to 81 mW, PS2 1.25 to 16.2 mW */
		{ 800 * MW, SSDPM_IDLE_ONE, 0, NONE, NONE },
		{ 30 * MW, SSDPM_IDLE_ONE, 1, NONE, NONE },
		{ 3 * MW, SSDPM_IDLE_ONE, 2, NONE, NONE },
		{ 14 * MW, SSDPM_IDLE_LIKELY, 1, NONE, NONE },
		{ 7 * MW, SSDPM_IDLE_LIKELY, 2, NONE, NONE },
		/* Neither is within twice its nominal. */
		{ 11.2 * MW, SSDPM_IDLE_SEVERAL, NONE, NONE, NONE },
		{ 150 * MW, SSDPM_IDLE_NONE, NONE, 0, 1 },
		{ 9, SSDPM_IDLE_NONE, NONE, NONE, 0 },
		{ 0.5 * MW, SSDPM_IDLE_NONE, NONE, 2, NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ssdpm_idle_state found =
			found_in(silent, 3, rows[i].power_w);

		assert_int_equal(found.n_states, 3);
		assert_int_equal(found.verdict, rows[i].verdict);
		assert_int_equal(found.state, rows[i].state);
		assert_int_equal(found.above, rows[i].above);
		assert_int_equal(found.below, rows[i].below);
	}
}

static void the_interval_has_noise_and_gain(void **state)
{
	const struct ssdpm_idle_state found = found_in(silent, 3, 1);
	const double error = 2 * 1.2533 * 0.01 / 100;

	(void)state;
	assert_true(fabs(found.low_w - (1 - error) / 1.05) < 1e-12);
	assert_true(fabs(found.high_w - (1 + error) / 0.95) < 1e-12);
	assert_true(found.power_w == 1);
}

static struct ssdpm_idle_state find_level(const struct ssdpm_baseline *level,
					  int wanted)
{
	const struct psd one = { .mp = 300 };
	struct ssdpm_model *model = model_of(&one, 1);
	const struct ssdpm_idle_state_params params = { .size = sizeof(params),
							.baseline = level,
							.gain_ppm = 100000 };
	struct ssdpm_idle_state found = { .size = sizeof(found) };

	assert_int_equal(ssdpm_idle_state_find(model, &params, &found, NULL),
			 wanted);
	ssdpm_model_unref(model);
	return found;
}

static void the_interval_has_half_a_step_of_the_meter(void **state)
{
	struct ssdpm_baseline level = {
		.level_w = 1, .quantum_w = 0.2, .error_w = 0.05, .n = 100
	};
	struct ssdpm_idle_state found = find_level(&level, 0);

	(void)state;
	assert_true(fabs(found.low_w - 0.85 / 1.1) < 1e-12);
	assert_true(fabs(found.high_w - 1.15 / 0.9) < 1e-12);
	/* One value alone: its steps are unknown, and at most as large as it.
	 */
	level.quantum_w = 0;
	found = find_level(&level, 0);
	assert_true(fabs(found.low_w - 0.45 / 1.1) < 1e-12);
	assert_true(fabs(found.high_w - 1.55 / 0.9) < 1e-12);
	level.error_w = 2;
	assert_true(find_level(&level, 0).low_w == 0);
	level.level_w = 0;
	find_level(&level, -ENODATA);
	level.level_w = -0.0005;
	find_level(&level, -EINVAL);
	/* A power that somebody gives has no steps. */
	level = (struct ssdpm_baseline){ .level_w = 1, .n = 1 };
	assert_true(fabs(find_level(&level, 0).low_w - 1 / 1.1) < 1e-12);
}

static void what_a_drive_reports_is_a_claim(void **state)
{
	/* 0.6 W, 81 mW and 3 mW */
	static const struct psd told[] = {
		{ .mp = 600, .idlp = 60, .ips = 2 },
		{ .mp = 250, .mxps = 1, .nops = 1, .idlp = 810, .ips = 1 },
		{ .mp = 50, .mxps = 1, .nops = 1, .idlp = 30, .ips = 1 },
	};
	const struct ssdpm_idle_state found = found_in(told, 3, 60 * MW);

	(void)state;
	assert_int_equal(found.verdict, SSDPM_IDLE_ONE);
	assert_int_equal(found.state, 1);
	assert_int_equal(found.states[1].low_uw, 28350);
	assert_int_equal(found.states[1].nominal_uw, 81000);
	assert_int_equal(found.states[1].high_uw, 162000);
}

static void what_is_unknown_is_never_named(void **state)
{
	static const struct psd part[] = {
		{ .mp = 600 },
		{ .mp = 250, .mxps = 1, .nops = 1 },
		{ .nops = 1 },
	};
	static const struct psd nothing[] = { { 0 }, { .nops = 1 } };
	struct ssdpm_idle_state found = found_in(part, 3, 30 * MW);

	(void)state;
	assert_int_equal(found.verdict, SSDPM_IDLE_LIKELY);
	assert_int_equal(found.state, 1);
	assert_int_equal(found.states[2].fit, SSDPM_IDLE_FIT_UNKNOWN);
	assert_int_equal(found.states[2].high_uw, 0);
	found = found_in(part, 3, 3 * MW);
	assert_int_equal(found.verdict, SSDPM_IDLE_UNKNOWN);
	assert_int_equal(found.state, NONE);
	/* Possible, but not near: no name without the other one's power. */
	assert_int_equal(found_in(part, 3, 80 * MW).verdict,
			 SSDPM_IDLE_SEVERAL);
	assert_int_equal(found_in(nothing, 2, 1).verdict, SSDPM_IDLE_UNKNOWN);
}

static void the_link_is_part_of_the_states_asleep(void **state)
{
	struct ssdpm_model *model = model_of(silent, 3);
	const struct ssdpm_idle_state found =
		found_for(model, 60 * MW, SSDPM_PCIE_L1);

	(void)state;
	assert_int_equal(found.verdict, SSDPM_IDLE_SEVERAL);
	assert_int_equal(found.states[0].low_uw, 360000);
	assert_int_equal(found.states[2].low_uw, 11250);
	assert_int_equal(found.states[2].nominal_uw, 61000);
	ssdpm_model_unref(model);
}

static void known_parameters_take_the_place_of_the_rules(void **state)
{
	const struct ssdpm_baseline level = { .level_w = 0.15 };
	static const struct ssdpm_parameter known[] = {
		{ .kind = SSDPM_PARAMETER_IDLE_POWER,
		  .provenance = SSDPM_PROVENANCE_MEASURED,
		  .low = 150000,
		  .nominal = 150000,
		  .high = 150000 },
		{ .kind = SSDPM_PARAMETER_IDLE_POWER,
		  .index = 3,
		  .provenance = SSDPM_PROVENANCE_MEASURED },
	};
	struct ssdpm_idle_state_params params = { .size = sizeof(params),
						  .baseline = &level,
						  .parameters = known,
						  .n_parameters = 1 };
	struct ssdpm_idle_state found = { .size = sizeof(found) };
	struct ssdpm_model *model = model_of(silent, 3);

	(void)state;
	assert_int_equal(ssdpm_idle_state_find(model, &params, &found, NULL),
			 0);
	assert_int_equal(found.verdict, SSDPM_IDLE_ONE);
	assert_int_equal(found.states[0].low_uw, 150000);
	params.n_parameters = 2;
	assert_int_equal(ssdpm_idle_state_find(model, &params, &found, NULL),
			 -EINVAL);
	ssdpm_model_unref(model);
}

static void wrong_input_is_refused(void **state)
{
	struct ssdpm_baseline level = { .level_w = 1 };
	struct ssdpm_idle_state_params params = { .size = sizeof(params) };
	struct ssdpm_idle_state found = { .size = sizeof(found) };
	struct ssdpm_model *model = model_of(silent, 3);
	struct ssdpm_error error;
	char *text = UNTOUCHED;

	(void)state;
	assert_int_equal(ssdpm_idle_state_find(model, &params, &found, &error),
			 -EINVAL);
	params.baseline = &level;
	params.gain_ppm = 500001;
	assert_int_equal(ssdpm_idle_state_find(model, &params, &found, &error),
			 -ERANGE);
	params.gain_ppm = 500000;
	level.level_w = NAN;
	assert_int_equal(ssdpm_idle_state_find(model, &params, &found, &error),
			 -EINVAL);
	level.level_w = -1;
	assert_int_equal(ssdpm_idle_state_find(model, &params, &found, &error),
			 -EINVAL);
	assert_int_equal(found.verdict, 0);
	assert_int_equal(ssdpm_idle_state_to_json(&found, &text, &error),
			 -EINVAL);
	assert_ptr_equal(text, UNTOUCHED);
	ssdpm_model_unref(model);
}

static void as_json_it_has_the_states_and_nothing_for_what_is_unknown(
	void **state)
{
	static const struct psd nothing[] = { { .mp = 600 }, { .nops = 1 } };
	const struct ssdpm_idle_state found = found_in(nothing, 2, 9);
	char *text;

	(void)state;
	assert_int_equal(ssdpm_idle_state_to_json(&found, &text, NULL), 0);
	assert_non_null(strstr(text, "\"schema\": \"ssdpm.idle-state/1\""));
	assert_non_null(strstr(text, "\"verdict\": \"unknown\""));
	assert_non_null(strstr(text, "\"state\": null"));
	assert_non_null(strstr(text, "\"fit\": \"unknown\""));
	assert_non_null(strstr(text, "\"high_uw\": null"));
	assert_non_null(strstr(text, "\"low_uw\": 360000"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_power_names_the_states_whose_range_it_meets),
		cmocka_unit_test(the_interval_has_noise_and_gain),
		cmocka_unit_test(the_interval_has_half_a_step_of_the_meter),
		cmocka_unit_test(what_a_drive_reports_is_a_claim),
		cmocka_unit_test(what_is_unknown_is_never_named),
		cmocka_unit_test(the_link_is_part_of_the_states_asleep),
		cmocka_unit_test(known_parameters_take_the_place_of_the_rules),
		cmocka_unit_test(wrong_input_is_refused),
		cmocka_unit_test(
			as_json_it_has_the_states_and_nothing_for_what_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
