/* SPDX-License-Identifier: MIT */
/* Measurements and their results. */
#include "../support/calls.h"
#include "check.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Samples of power. The first byte determines the format and its parameters. If
 * one of the next 64 bytes is zero, names of columns come before it.
 */

#define MAX_SAMPLES 4096

struct reading {
	int64_t time_ns[MAX_SAMPLES];
	double power_w[MAX_SAMPLES];
	size_t n;
	int err;
	struct ssdpm_power_counts counts;
};

static void read_power(const void *data, size_t size,
		       const struct ssdpm_power_params *params, size_t piece,
		       struct reading *reading)
{
	struct ssdpm_error error = { 0 };
	struct ssdpm_power *power;
	size_t n = 1;

	memset(reading, 0, sizeof(*reading));
	reading->err =
		ssdpm_power_open_data(data, size, params, &power, &error);
	if (reading->err) {
		check_error(reading->err, &error);
		return;
	}
	while (n && !reading->err && reading->n + piece <= MAX_SAMPLES) {
		reading->err = ssdpm_power_read(
			power, reading->time_ns + reading->n,
			reading->power_w + reading->n, piece, &n, &error);
		if (reading->err)
			check_error(reading->err, &error);
		else
			reading->n += n;
	}
	reading->counts = *ssdpm_power_get_counts(power);
	ssdpm_power_free(power);
}

static void check_energy(const struct reading *reading)
{
	struct ssdpm_samples samples = { .power_w = reading->power_w,
					 .time_ns = reading->time_ns,
					 .n = reading->n,
					 .type = SSDPM_SAMPLE_FLOAT64 };
	struct ssdpm_energy energy = { .size = sizeof(energy) };
	struct ssdpm_error error = { 0 };
	int err = ssdpm_energy_measure(&samples, NULL, &energy, &error);

	if (err)
		check_error(err, &error);
	else
		check(energy.n == reading->n, "the energy is of all samples");
}

int fuzz_power(const uint8_t *data, size_t size)
{
	static struct reading one, many;
	struct ssdpm_power_params params = { .size = sizeof(params) };
	const uint8_t *zero;

	if (!size)
		return 0;
	params.format = data[0] % 4;
	params.rate_hz = data[0] & 4 ? 1000.0 / 3 : 0;
	params.shunt_ohm = data[0] & 8 ? 0.1 : 0;
	params.supply_v = data[0] & 16 ? 3.3 : 0;
	params.counter_j = data[0] & 32 ? 262.144 : 0;
	data++;
	size--;
	zero = size ? memchr(data, 0, size < 64 ? size : 64) : NULL;
	if (zero && params.format < SSDPM_POWER_FLOAT32) {
		params.columns = (const char *)data;
		size -= (size_t)(zero + 1 - data);
		data = zero + 1;
	}
	read_power(data, size, &params, 1, &one);
	read_power(data, size, &params, 16, &many);
	if (one.n + 16 > MAX_SAMPLES || many.n + 16 > MAX_SAMPLES)
		return 0;
	check(one.n == many.n && one.err == many.err &&
		      !memcmp(&one.counts, &many.counts, sizeof(one.counts)) &&
		      !memcmp(one.time_ns, many.time_ns, sizeof(one.time_ns)) &&
		      !memcmp(one.power_w, many.power_w, sizeof(one.power_w)),
	      "pieces of any size are the same");
	if (one.n)
		check(one.time_ns[0] == 0, "the first time is 0");
	check_energy(&one);
	return 0;
}

/* "ssdpm.overlay/1": reading, writing and reading again gives the same. */

struct found {
	struct ssdpm_overlay overlay;
	struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	size_t n;
	struct ssdpm_calibration calibration;
};

static int read_it(const char *text, size_t size, struct found *found,
		   struct ssdpm_error *error)
{
	memset(found, 0, sizeof(*found));
	found->overlay.size = sizeof(found->overlay);
	found->calibration.size = sizeof(found->calibration);
	return read_overlay(text, size, &found->overlay, found->measured,
			    &found->n, &found->calibration, error);
}

static char *write_it(const struct found *found)
{
	char *text = NULL;

	check(!write_overlay(&found->overlay, found->measured, found->n,
			     &found->calibration, &text, NULL),
	      "what was read is written");
	return text;
}

int fuzz_overlay(const uint8_t *data, size_t size)
{
	static struct found found, again;
	struct ssdpm_error error;
	char *text, *second;
	int err = read_it((const char *)data, size, &found, &error);

	if (err) {
		check_error(err, &error);
		check(!found.n && !found.overlay.kind,
		      "failure returns nothing");
		return 0;
	}
	check(found.calibration.n_known <= found.n &&
		      found.calibration.n_measured == found.n &&
		      found.n <= SSDPM_MAX_PARAMETERS,
	      "parameters are counted");
	text = write_it(&found);
	check(!read_it(text, strlen(text), &again, NULL), "it is read again");
	check(!memcmp(&found.overlay, &again.overlay, sizeof(again.overlay)) &&
		      found.n == again.n,
	      "it is the same");
	second = write_it(&again);
	check(!strcmp(text, second), "the text is the same");
	free(second);
	free(text);
	return 0;
}

/* fio's log of operations per second. The first byte selects the directions. */

/* A few bytes can mean days. */
#define MAX_S 5000

int fuzz_iops_log(const uint8_t *data, size_t size)
{
	struct ssdpm_iops_log_params params = { .size = sizeof(params) };
	struct ssdpm_consistency c = { .size = sizeof(c) };
	struct ssdpm_error error = { 0 };
	double *iops = NULL;
	size_t n;

	if (!size)
		return 0;
	params.op = data[0] % 6;
	int err = ssdpm_iops_log_read_data(data + 1, size - 1, &params, &iops,
					   &n, &error);
	if (err) {
		check_error(err, &error);
		return 0;
	}
	check(n > 0, "a log has a second");
	for (size_t i = 0; i < n; i++)
		check(isnan(iops[i]) || iops[i] >= 0,
		      "operations are not below 0");
	if (n > MAX_S)
		n = MAX_S;
	err = ssdpm_consistency_measure(iops, n, NULL, &c, &error);
	if (err)
		check_error(err, &error);
	else
		check(c.floor_iops <= c.p01_iops && c.p01_iops <= c.p1_iops &&
			      c.p1_iops <= c.median_iops &&
			      c.median_iops <= c.max_iops &&
			      c.n + c.n_holes == n,
		      "ranks are in order");
	free(iops);
	return 0;
}

/* The file of a survey as given, because it comes from people. */

static void check_runs(const struct ssdpm_survey_file *file)
{
	size_t n, n_fio, n_rows = 0;
	const struct ssdpm_survey_readings *runs =
		ssdpm_survey_file_get_readings(file, &n);
	const struct ssdpm_survey_fio *fio =
		ssdpm_survey_file_get_fio(file, &n_fio);

	for (size_t i = 0; i < n; i++) {
		check(runs[i].n > 0, "a run has a reading");
		check(ssdpm_survey_file_get_policy(file, runs[i].policy) &&
			      ssdpm_survey_file_get_scenario(file,
							     runs[i].scenario),
		      "what a run is of has a name");
		check(runs[i].block < SSDPM_SURVEY_MAX_BLOCKS, "blocks end");
		check(runs[i].status >= SSDPM_SURVEY_RUN_COMPLETE &&
			      runs[i].status <= SSDPM_SURVEY_RUN_REPLACED,
		      "a run counts or does not");
		n_rows += runs[i].n;
	}
	for (size_t i = 0; i < n_fio; i++)
		check(ssdpm_survey_file_get_policy(file, fio[i].policy) &&
			      ssdpm_survey_file_get_test(file, fio[i].test),
		      "what fio ran has a name");
	check(n_rows + n_fio == ssdpm_survey_file_get_counts(file)->n_rows,
	      "each row is of a run");
}

static void check_facts(const struct ssdpm_survey_file *file)
{
	size_t n;
	const struct ssdpm_survey_fact *facts =
		ssdpm_survey_file_get_facts(file, &n);

	for (size_t i = 0; i < n; i++)
		check(facts[i].value && facts[i].line &&
			      ssdpm_survey_file_get_fact(file, facts[i].key, 0),
		      "a comment is found by its key");
}

/* Every file has a result, and each policy has a name. */
static void check_result(const struct ssdpm_survey_file *file)
{
	const struct ssdpm_survey_comparison *c;
	struct ssdpm_survey_result *result;
	struct ssdpm_survey_merge *merge;
	char *text;

	check(!ssdpm_survey_result_new(file, NULL, &result, NULL),
	      "a survey has a result");
	for (size_t i = 0; (c = ssdpm_survey_result_get_comparison(result, i));
	     i++) {
		check(!c->analysis == (c->reason && c->reason_text),
		      "it is compared or has a reason");
		for (size_t k = 0; k < c->n_runs; k++)
			check(ssdpm_survey_file_get_policy(file,
							   c->runs[k].policy),
			      "what was run has a name");
	}
	check(!ssdpm_survey_result_to_json(result, NULL, &text, NULL),
	      "a result is JSON");
	free(text);
	check(!ssdpm_survey_merge_new(
		      (const struct ssdpm_survey_result *[]){ result, result },
		      2, 0, &merge, NULL),
	      "surveys are merged");
	check(!ssdpm_survey_merge_to_json(merge, &text, NULL),
	      "a merge is JSON");
	free(text);
	ssdpm_survey_merge_free(merge);
	ssdpm_survey_result_free(result);
}

int fuzz_survey(const uint8_t *data, size_t size)
{
	struct ssdpm_survey_file *file;
	struct ssdpm_error error = { 0 };
	int err = ssdpm_survey_file_open_data(data, size, &file, &error);

	if (err) {
		check_error(err, &error);
		return 0;
	}
	check_runs(file);
	check_facts(file);
	check_result(file);
	ssdpm_survey_file_free(file);
	return 0;
}

/* "ssdpm.prediction/1": takes a measurement once, and keeps its other bytes. */

static void check_measured(const char *text, size_t size)
{
	const struct ssdpm_energy energy = { .size = sizeof(energy),
					     .covered_ns = 1000000000,
					     .energy_j = 1,
					     .low_j = 0.5,
					     .high_j = 2,
					     .mean_power_w = 1 };
	const struct ssdpm_prediction_measured measured = {
		.size = sizeof(measured),
		.energy = &energy,
		.subtracted_w = 0.25,
		.measured_at = "then",
	};
	struct ssdpm_prediction_check read = { .size = sizeof(read) };
	struct ssdpm_prediction p = { .size = sizeof(p) };
	struct ssdpm_error error;
	size_t longer;
	char *more = NULL, *before = NULL;

	check(!ssdpm_prediction_add_measured(text, size, &measured, &more,
					     NULL),
	      "what was read gets a measurement");
	longer = strlen(more);
	check(ssdpm_prediction_from_json(more, longer, &p, &error) == -EEXIST,
	      "it has one then");
	check_error(-EEXIST, &error);
	check(!ssdpm_prediction_check_from_json(more, longer, &read, &before,
						NULL) &&
		      read.power_uw == 750000 && read.verdict,
	      "a measurement is read back");
	check(!ssdpm_prediction_from_json(before, strlen(before), &p, NULL),
	      "so is what was predicted");
	free(before);
	free(more);
}

int fuzz_prediction(const uint8_t *data, size_t size)
{
	struct ssdpm_prediction p = { .size = sizeof(p) };
	struct ssdpm_error error;
	int err = ssdpm_prediction_from_json((const char *)data, size, &p,
					     &error);

	if (err) {
		check_error(err, &error);
		check(!p.priors_version && !p.nominal_uw && !p.possible_high_uw,
		      "failure returns nothing");
		return 0;
	}
	check(p.possible_low_uw <= p.likely_low_uw &&
		      p.likely_low_uw <= p.likely_median_uw &&
		      p.likely_median_uw <= p.likely_high_uw &&
		      p.likely_high_uw <= p.possible_high_uw,
	      "the ranges lie in each other");
	check_measured((const char *)data, size);
	return 0;
}
