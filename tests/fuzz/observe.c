/* SPDX-License-Identifier: MIT */
/*
 * Lines of trace events. Whatever they are, it does not matter where they are
 * cut, times and shares add up, and all that is kept gives the same again.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

/* The second one never sleeps. */
enum { N_DRIVES = 2, N_CAUSES = 257 };

struct seen {
	int err;
	struct ssdpm_observation_counts counts;
	struct ssdpm_observed drives[N_DRIVES];
	struct ssdpm_cause causes[N_DRIVES][N_CAUSES];
};

static void add_drives(struct ssdpm_observation *observation)
{
	static const struct ssdpm_power_state states[] = {
		{ .max_power_uw = 5000000 },
		{ .max_power_uw = 50000,
		  .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .entry_latency_us = 2000,
		  .exit_latency_us = 3000 },
	};
	struct ssdpm_model *model = make_nameless_drive(states, 2);
	struct ssdpm_sim_params sim;
	struct ssdpm_observed_params params = { .size = sizeof(params),
						.model = model,
						.sim_params = &sim,
						.major = 259 };
	struct ssdpm_apst table;

	check(!ssdpm_sim_params_init(&sim, sizeof(sim)), "there is memory");
	check(!ssdpm_apst_generate(model, NULL, &table, NULL), "it has APST");
	sim.apst = &table;
	check(!ssdpm_observation_add_drive(observation, &params, NULL),
	      "a drive is observed");
	params.sim_params = NULL;
	params.major = 8;
	params.ctrl_id = SSDPM_NO_CONTROLLER;
	check(!ssdpm_observation_add_drive(observation, &params, NULL),
	      "two are observed");
	ssdpm_model_unref(model);
}

static int feed(struct ssdpm_observation *observation, const char *text,
		size_t size, size_t piece)
{
	struct ssdpm_error error = { 0 };
	int err = 0;

	for (size_t at = 0; at < size && !err; at += piece) {
		size_t n = size - at < piece ? size - at : piece;

		err = ssdpm_observation_feed(observation, text + at, n, &error);
	}
	if (!err)
		err = ssdpm_observation_finish(observation, 0, &error);
	if (err)
		check_error(err, &error);
	return err;
}

static void check_sums(const struct ssdpm_observed *drive,
		       const struct ssdpm_cause *causes)
{
	uint64_t energy_nj = drive->resting_nj, bytes = 0, n_ios = 0;
	uint64_t n_wakes = 0, n_admin = 0;
	const bool is_unknown = drive->n_admin == SSDPM_ADMIN_UNKNOWN;

	for (size_t i = 0; i < drive->n_causes; i++) {
		energy_nj += causes[i].energy_nj;
		bytes += causes[i].bytes;
		n_ios += causes[i].n_ios;
		n_wakes += causes[i].n_wakes;
		check((causes[i].n_admin == SSDPM_ADMIN_UNKNOWN) == is_unknown,
		      "what nobody traced is of no cause");
		n_admin += causes[i].n_admin;
		check(ssdpm_cause_kind_to_string(causes[i].kind) &&
			      memchr(causes[i].name, 0, SSDPM_CAUSE_NAME),
		      "a cause has a kind and a name");
	}
	check(energy_nj == drive->energy_nj, "shares are all");
	check(bytes == drive->bytes && n_ios == drive->n_ios &&
		      n_wakes == drive->n_wakes &&
		      (is_unknown || n_admin == drive->n_admin),
	      "causes are all");
	check(drive->busy_ns + drive->idle_ns + drive->asleep_ns +
			      drive->transition_ns + drive->uncovered_ns ==
		      drive->now_ns - drive->start_ns,
	      "a time has one phase");
}

static void check_without(const struct ssdpm_observation *observation,
			  size_t index, const struct ssdpm_observed *drive)
{
	struct ssdpm_without without = { .size = sizeof(without) };
	struct ssdpm_error error = { 0 };

	if (!drive->n_causes)
		return;
	int err = ssdpm_observation_get_without(observation, index, 0, &without,
						&error);
	if (err) {
		check_error(err, &error);
		return;
	}
	check(without.energy_nj == drive->energy_nj &&
		      without.asleep_ns == drive->asleep_ns &&
		      without.n_wakes == drive->n_wakes,
	      "what is kept gives the same again");
}

static void check_help(const struct ssdpm_observation *observation,
		       size_t index, const struct ssdpm_observed *drive)
{
	struct ssdpm_error error = { 0 };
	struct ssdpm_help *helps = NULL;
	size_t n = 0;
	int err = ssdpm_observation_list_help(observation, index, &helps, &n,
					      &error);

	if (err) {
		check_error(err, &error);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_help *help = &helps[i];

		check(ssdpm_help_kind_to_string(help->kind) &&
			      help->cause < drive->n_causes,
		      "help is against a cause");
		check(help->saving_low_nj <= help->saving_high_nj &&
			      (!i || help->saving_high_nj <=
					     helps[i - 1].saving_high_nj),
		      "the largest saving is first");
		check(help->kind == SSDPM_HELP_ADMIN_INTERVAL ||
			      help->saving_high_nj <= drive->energy_nj,
		      "nothing saves more than all");
	}
	free(helps);
}

static void see_drive(const struct ssdpm_observation *observation, size_t index,
		      struct seen *seen)
{
	struct ssdpm_observed *drive = &seen->drives[index];
	struct ssdpm_error error = { 0 };

	drive->size = sizeof(*drive);
	seen->err =
		ssdpm_observation_get_drive(observation, index, drive, &error);
	if (seen->err) {
		check_error(seen->err, &error);
		return;
	}
	check(drive->n_causes < N_CAUSES, "causes end");
	for (size_t i = 0; i < drive->n_causes; i++) {
		seen->causes[index][i].size = sizeof(struct ssdpm_cause);
		check(!ssdpm_observation_get_cause(observation, index, i,
						   &seen->causes[index][i],
						   NULL),
		      "a cause is there");
	}
	check_sums(drive, seen->causes[index]);
	check_without(observation, index, drive);
	check_help(observation, index, drive);
}

static void observe(const uint8_t *data, size_t size, size_t piece,
		    struct seen *seen)
{
	struct ssdpm_observation *observation;

	memset(seen, 0, sizeof(*seen));
	check(!ssdpm_observation_new(&observation, NULL), "there is memory");
	add_drives(observation);
	seen->err = feed(observation, (const char *)data, size, piece);
	for (size_t i = 0; i < N_DRIVES && !seen->err; i++)
		see_drive(observation, i, seen);
	seen->counts = *ssdpm_observation_get_counts(observation);
	check(seen->counts.n_events + seen->counts.n_bad <=
		      seen->counts.n_lines,
	      "a line is counted once");
	ssdpm_observation_free(observation);
}

int fuzz_observe(const uint8_t *data, size_t size)
{
	static struct seen whole, cut;

	observe(data, size, size ? size : 1, &whole);
	observe(data, size, 7, &cut);
	check(!memcmp(&whole, &cut, sizeof(whole)),
	      "pieces of any size are the same");
	return 0;
}
