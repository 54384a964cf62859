/* SPDX-License-Identifier: MIT */
/* What was measured of a drive, as JSON and back. */
#include "calls.h"
#include "fixture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 3

static const struct ssdpm_overlay overlay = {
	.size = sizeof(overlay),
	.n_samples = 4000,
	.n_ios = 777,
	.kind = SSDPM_KIND_NVME,
	.pcie_link = SSDPM_PCIE_L1_2,
	.operational_state = 1,
	.flags = SSDPM_SIM_IDLE_FROM_START,
	.measured_wa_milli = 2500,
	.product = "Fixture SSD 256GB",
	.firmware = "FW 1.0",
	.policy = "linux: PS0 to PS3 after 100 ms",
	.power_name = "power \"1\" \xe2\x82\xac.csv",
	.trace_name = "trace.npy",
	.date = "2026-11-22",
};

static const struct ssdpm_calibration calibration = {
	.size = sizeof(calibration),
	.n_measured = N,
	.n_known = 2,
	.n_bins = 4000,
	.n_spikes = 12,
	.bin_ns = 50000000,
	.offset_ns = -1234567,
	.offset_error_ns = 89,
	.sigma_w = 0.020013,
	.drift_w = -0.0015,
	.noise_phi = 0.6,
	.noise_share = NAN,
};

static const struct ssdpm_measured measured[N] = {
	{ .kind = SSDPM_PARAMETER_IDLE_POWER,
	  .index = 3,
	  .status = SSDPM_MEASURED_KNOWN,
	  .n = 2500,
	  .low = 19800.7,
	  .nominal = 20000.5,
	  .high = 20200.1,
	  .stated = 50000 },
	{ .kind = SSDPM_PARAMETER_TRANSITION_POWER,
	  .status = SSDPM_MEASURED_NOT_IDENTIFIABLE,
	  .low = NAN,
	  .nominal = NAN,
	  .high = NAN,
	  .stated = 9000000,
	  .reason = "not identifiable from this data" },
	{ .kind = SSDPM_PARAMETER_EXIT_LATENCY,
	  .index = 3,
	  .status = SSDPM_MEASURED_KNOWN,
	  .exceeds = 1,
	  .n = 6,
	  .low = 49000,
	  .nominal = 50000,
	  .high = 51000,
	  .stated = 8000,
	  .reason = "measured exit latency exceeds the table" },
};

struct found {
	struct ssdpm_overlay overlay;
	struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	size_t n;
	struct ssdpm_calibration calibration;
};

static int read_json(const char *text, struct found *found,
		     struct ssdpm_error *error)
{
	found->overlay.size = sizeof(found->overlay);
	found->calibration.size = sizeof(found->calibration);
	return read_overlay(text, strlen(text), &found->overlay,
			    found->measured, &found->n, &found->calibration,
			    error);
}

static char *write_json(void)
{
	char *text = NULL;

	assert_int_equal(
		write_overlay(&overlay, measured, N, &calibration, &text, NULL),
		0);
	return text;
}

static void what_was_written_is_read_and_written_again_as_it_was(void **state)
{
	static struct found found;
	char *text = write_json(), *again = NULL;

	(void)state;
	assert_int_equal(read_json(text, &found, NULL), 0);
	assert_memory_equal(&found.overlay, &overlay, sizeof(overlay));
	assert_int_equal(found.n, N);
	assert_int_equal(found.calibration.n_measured, N);
	assert_int_equal(found.calibration.n_known, 2);
	assert_int_equal(found.calibration.n_bins, 4000);
	assert_int_equal(found.calibration.n_spikes, 12);
	assert_int_equal(found.calibration.bin_ns, 50000000);
	assert_int_equal(found.calibration.offset_ns, -1234567);
	assert_int_equal(found.calibration.offset_error_ns, 89);
	assert_true(found.calibration.sigma_w == 0.020013);
	assert_true(found.calibration.drift_w == -0.0015);
	assert_true(found.calibration.noise_phi == 0.6);
	assert_true(isnan(found.calibration.noise_share));
	assert_int_equal(write_overlay(&found.overlay, found.measured, found.n,
				       &found.calibration, &again, NULL),
			 0);
	assert_string_equal(text, again);
	free(text);
	free(again);
}

static void intervals_are_rounded_outwards_to_whole_numbers(void **state)
{
	static struct found found;
	char *text = write_json();

	(void)state;
	assert_int_equal(read_json(text, &found, NULL), 0);
	assert_true(found.measured[0].low == 19800);
	assert_true(found.measured[0].nominal == 20001);
	assert_true(found.measured[0].high == 20201);
	assert_true(isnan(found.measured[1].low));
	assert_string_equal(found.measured[1].reason,
			    "not identifiable from this data");
	assert_int_equal(found.measured[2].exceeds, 1);
	free(text);
}

static void an_estimate_computes_the_same_with_what_was_read(void **state)
{
	static struct ssdpm_parameter direct[SSDPM_MAX_PARAMETERS];
	static struct ssdpm_parameter by_file[SSDPM_MAX_PARAMETERS];
	static struct found found;
	struct ssdpm_power_state states[4] = { { 0 } };
	struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_NVME,
		.provenance = SSDPM_PROVENANCE_REPORTED,
	};
	struct ssdpm_model *model;
	char *text = write_json();
	size_t n;

	(void)state;
	states[0].max_power_uw = 5000000;
	states[3] = (struct ssdpm_power_state){
		.max_power_uw = 50000,
		.entry_latency_us = 5000,
		.exit_latency_us = 8000,
		.flags = SSDPM_STATE_NON_OPERATIONAL,
	};
	assert_int_equal(ssdpm_model_new(&info, states, 4, &model, NULL), 0);
	assert_int_equal(read_json(text, &found, NULL), 0);
	assert_int_equal(
		make_parameters_of(model, SSDPM_PCIE_L1_2, direct, &n, NULL),
		0);
	memcpy(by_file, direct, sizeof(direct));
	assert_int_equal(
		ssdpm_parameters_calibrate(direct, n, measured, N, NULL), 0);
	assert_memory_not_equal(by_file, direct, sizeof(direct));
	assert_int_equal(ssdpm_parameters_calibrate(by_file, n, found.measured,
						    found.n, NULL),
			 0);
	assert_memory_equal(by_file, direct, sizeof(direct));
	ssdpm_model_unref(model);
	free(text);
}

/* The overlay with one piece of its text exchanged. */
static int read_with(const char *old, const char *new, struct found *found,
		     struct ssdpm_error *error)
{
	char *text = write_json();
	char *at = strstr(text, old), changed[8192];

	assert_non_null(at);
	snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text), text,
		 new, at + strlen(old));
	free(text);
	return read_json(changed, found, error);
}

static void keys_that_are_unknown_are_left_out_and_missing_ones_unknown(
	void **state)
{
	static struct found found;

	(void)state;
	assert_int_equal(read_with("\"n_ios\": 777,",
				   "\"later\": [1, {\"x\": null}],", &found,
				   NULL),
			 0);
	assert_int_equal(found.overlay.n_ios, 0);
	assert_int_equal(read_with("\"firmware\": \"FW 1.0\"",
				   "\"firmware\": null", &found, NULL),
			 0);
	assert_string_equal(found.overlay.firmware, "");
}

static void what_cannot_be_is_refused_by_name_and_line(void **state)
{
	static const struct {
		const char *old, *new;
		int err;
		const char *message;
	} cases[] = {
		{ "overlay/1", "overlay/2", -EINVAL,
		  "schema: only \"ssdpm.overlay/1\" is read here" },
		{ "\"schema\"", "\"scheme\"", -EINVAL,
		  "schema: only \"ssdpm.overlay/1\" is read here" },
		{ "\"nvme\"", "\"tape\"", -EINVAL,
		  "kind: \"tape\" means nothing here" },
		{ "\"kind\": \"nvme\"", "\"kind\": null", -EINVAL,
		  "kind: is needed" },
		{ "\"low\": 19800", "\"low\": 19800.5", -EINVAL, NULL },
		{ "\"low\": 19800", "\"low\": -1", -ERANGE, NULL },
		{ "\"low\": 19800", "\"low\": null", -EINVAL,
		  "measured[0].low: is needed" },
		{ "\"low\": 19800", "\"low\": 30000", -EINVAL,
		  "idle_power_uw of 3: not 0 <= low <= nominal <= high" },
		{ "\"high\": 20201", "\"high\": 9007199254740993", -ERANGE,
		  NULL },
		{ "\"low\": null", "\"low\": 1", -EINVAL,
		  "measured[1].low: what is not known has no value" },
		{ "\"status\": \"known\"", "\"status\": \"seen\"", -EINVAL,
		  "measured[0].status: \"seen\" means nothing here" },
		{ "\"kind\": \"exit_latency_us\"",
		  "\"kind\": \"idle_power_uw\"", -EINVAL,
		  "measured[2]: out of the order of kind and index, or there twice" },
		{ "\"index\": 3", "\"index\": 32", -ERANGE, NULL },
		{ "2026-11-22", "2026\\u001b[2J", -EINVAL,
		  "date: has a control character" },
		{ "2026-11-22", "\\ud800", -EINVAL, "date: is not UTF-8" },
		{ "2026-11-22", "a date of 32 bytes is too long, ", -ERANGE,
		  NULL },
		{ "\"offset_ns\": -1234567", "\"offset_ns\": --1", -EINVAL,
		  NULL },
		{ "\"sigma_uw\": 20013", "\"sigma_uw\": true", -EINVAL, NULL },
		{ "\"measured_wa_milli\": 2500", "\"measured_wa_milli\": 999",
		  -EINVAL, "measured_wa_milli: 1000 or more" },
		{ "\"measured_wa_milli\": 2500",
		  "\"measured_wa_milli\": 4294967296", -ERANGE, NULL },
	};
	static struct found found;
	struct ssdpm_error error;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		found.n = 99;
		assert_int_equal(
			read_with(cases[i].old, cases[i].new, &found, &error),
			cases[i].err);
		assert_int_equal(error.code, cases[i].err);
		assert_true(error.line > 0);
		assert_int_equal(found.n, 99);
		if (cases[i].message)
			assert_string_equal(error.message, cases[i].message);
	}
	assert_int_equal(read_json("[]", &found, &error), -EINVAL);
	assert_int_equal(read_json("{", &found, &error), -EINVAL);
	found.overlay.size = 0;
	assert_int_equal(read_overlay("{}", 2, &found.overlay, found.measured,
				      &found.n, &found.calibration, &error),
			 -EINVAL);
}

static int write_changed(struct ssdpm_overlay changed,
			 const struct ssdpm_measured *m, size_t n)
{
	char *text = NULL;
	int err = write_overlay(&changed, m, n, &calibration, &text, NULL);

	assert_true(!err == !!text);
	free(text);
	return err;
}

static void what_could_not_be_read_again_is_not_written(void **state)
{
	struct ssdpm_measured m[2] = { measured[0], measured[2] };
	struct ssdpm_overlay changed = overlay;

	(void)state;
	assert_int_equal(write_changed(overlay, m, 2), 0);
	memset(changed.date, 'x', sizeof(changed.date));
	assert_int_equal(write_changed(changed, m, 2), -EINVAL);
	memcpy(changed.date, "\xff", 2);
	assert_int_equal(write_changed(changed, m, 2), -EINVAL);
	memcpy(changed.date, "\n", 2);
	assert_int_equal(write_changed(changed, m, 2), -EINVAL);
	changed = overlay;
	changed.kind = 0;
	assert_int_equal(write_changed(changed, m, 2), -EINVAL);
	changed = overlay;
	changed.measured_wa_milli = 999;
	assert_int_equal(write_changed(changed, m, 2), -EINVAL);
	changed.measured_wa_milli = 0;
	assert_int_equal(write_changed(changed, m, 2), 0);
	changed = overlay;
	changed.size = sizeof(changed) + 1;
	assert_int_equal(write_changed(overlay, m, SSDPM_MAX_PARAMETERS + 1),
			 -EINVAL);
	m[1] = m[0];
	assert_int_equal(write_changed(overlay, m, 2), -EINVAL);
	m[0].low = NAN;
	assert_int_equal(write_changed(overlay, m, 1), -EINVAL);
	m[0] = measured[0];
	m[0].high = 1e16;
	assert_int_equal(write_changed(overlay, m, 1), -ERANGE);
	m[0] = measured[0];
	m[0].kind = 99;
	assert_int_equal(write_changed(overlay, m, 1), -EINVAL);
}

static uint32_t match(const char *product, const char *firmware, uint32_t kind)
{
	struct ssdpm_power_state states[1] = { { .max_power_uw = 1000000 } };
	struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = kind,
		.provenance = SSDPM_PROVENANCE_REPORTED,
	};
	struct ssdpm_model *model;
	uint32_t found;

	snprintf(info.product, sizeof(info.product), "%s", product);
	snprintf(info.firmware, sizeof(info.firmware), "%s", firmware);
	if (!*product)
		info.unknown |= SSDPM_INFO_PRODUCT;
	if (!*firmware)
		info.unknown |= SSDPM_INFO_FIRMWARE;
	assert_int_equal(ssdpm_model_new(&info, states, 1, &model, NULL), 0);
	found = ssdpm_overlay_match(&overlay, model);
	ssdpm_model_unref(model);
	return found;
}

static void an_overlay_is_of_one_product_and_one_firmware(void **state)
{
	const char *product = overlay.product;

	(void)state;
	assert_int_equal(match(product, "FW 1.0", SSDPM_KIND_NVME),
			 SSDPM_OVERLAY_SAME);
	assert_int_equal(match(product, "FW 1.1", SSDPM_KIND_NVME),
			 SSDPM_OVERLAY_OTHER_FIRMWARE);
	assert_int_equal(match(product, "", SSDPM_KIND_NVME),
			 SSDPM_OVERLAY_UNKNOWN);
	assert_int_equal(match("", "FW 1.0", SSDPM_KIND_NVME),
			 SSDPM_OVERLAY_UNKNOWN);
	assert_int_equal(match("Fixture SSD 512GB", "FW 1.0", SSDPM_KIND_NVME),
			 SSDPM_OVERLAY_OTHER_DRIVE);
	assert_int_equal(match(product, "FW 1.0", SSDPM_KIND_SATA),
			 SSDPM_OVERLAY_OTHER_DRIVE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_was_written_is_read_and_written_again_as_it_was),
		cmocka_unit_test(
			intervals_are_rounded_outwards_to_whole_numbers),
		cmocka_unit_test(
			an_estimate_computes_the_same_with_what_was_read),
		cmocka_unit_test(
			keys_that_are_unknown_are_left_out_and_missing_ones_unknown),
		cmocka_unit_test(what_cannot_be_is_refused_by_name_and_line),
		cmocka_unit_test(what_could_not_be_read_again_is_not_written),
		cmocka_unit_test(an_overlay_is_of_one_product_and_one_firmware),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
