/* SPDX-License-Identifier: MIT */
/* What a drive does by itself while it is idle. */
#include "calls.h"
#include "fixture.h"

#include "estimate/internal.h"

#define MS 1000000ull

/* PS0, then entry 3.9 and exit 11 ms, then 5 and 39 ms. */
static struct ssdpm_model *nvme(void)
{
	return fixture_model((struct latencies[]){ { 0, 0, 0 },
						   { 1, 3900, 11000 },
						   { 1, 5000, 39000 } },
			     3);
}

static const struct ssdpm_apst table = {
	.entries = { { 100, 1 }, { 2000, 2 } },
	.sent = 1,
	.enabled = 1,
};

static struct ssdpm_sim_params params_of(const struct ssdpm_apst *apst,
					 uint32_t lpm, uint32_t flags)
{
	return (struct ssdpm_sim_params){
		.size = sizeof(struct ssdpm_sim_params),
		.apst = apst,
		.lpm = lpm,
		.loop = SSDPM_LOOP_CLOSED,
		.pcie_link = SSDPM_PCIE_L1_2,
		.flags = flags,
	};
}

/* At the nominal corner. */
static int make(const struct ssdpm_model *model,
		const struct ssdpm_sim_params *params, struct chain *ret_chain,
		struct ssdpm_error *reterr)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	const struct corner nominal = { { 0 } };
	struct values values;
	size_t n;

	assert_int_equal(make_parameters_of(model, SSDPM_PCIE_L1_2, parameters,
					    &n, NULL),
			 0);
	ssdpm__values(parameters, n, 0, &nominal, &values);
	return ssdpm__chain(model, params, &values, ret_chain, reterr);
}

static void assert_step(const struct chain *chain, uint32_t index,
			uint32_t state, uint64_t at_ns, uint64_t resident_ns,
			uint64_t exit_ns)
{
	const struct chain_step *step = &chain->steps[index];

	assert_true(index < chain->n);
	assert_int_equal(step->state, state);
	assert_int_equal(step->at_ns, at_ns);
	assert_int_equal(step->resident_ns, resident_ns);
	assert_int_equal(step->exit_ns, exit_ns);
}

static void an_idle_time_counts_from_the_end_of_the_entry(void **state)
{
	(void)state;
	struct ssdpm_model *model = nvme();
	struct ssdpm_sim_params params = params_of(&table, 0, 0);
	struct chain chain;

	assert_int_equal(make(model, &params, &chain, NULL), 0);
	assert_int_equal(chain.n, 2);
	assert_step(&chain, 0, 1, 100 * MS, 103900000, 11 * MS);
	assert_step(&chain, 1, 2, 2103900000, 2108900000, 39 * MS);
	ssdpm_model_unref(model);
}

static void it_may_count_from_the_start_of_the_idle_time(void **state)
{
	(void)state;
	struct ssdpm_model *model = nvme();
	struct ssdpm_apst quick = table;
	struct ssdpm_sim_params params =
		params_of(&quick, 0, SSDPM_SIM_IDLE_FROM_START);
	struct chain chain;

	assert_int_equal(make(model, &params, &chain, NULL), 0);
	assert_step(&chain, 1, 2, 2000 * MS, 2005 * MS, 39 * MS);
	quick.entries[1].idle_ms = 101; /* still on the way to state 1 */
	assert_int_equal(make(model, &params, &chain, NULL), 0);
	assert_step(&chain, 1, 2, 103900000, 108900000, 39 * MS);
	ssdpm_model_unref(model);
}

static void a_drive_without_a_table_stays_awake(void **state)
{
	(void)state;
	static const struct ssdpm_apst off = { .sent = 1 };
	struct ssdpm_model *model = nvme();
	struct ssdpm_sim_params none = params_of(NULL, 0, 0);
	struct ssdpm_sim_params disabled = params_of(&off, 0, 0);
	struct chain chain;

	assert_int_equal(make(model, &none, &chain, NULL), 0);
	assert_int_equal(chain.n, 0);
	assert_int_equal(make(model, &disabled, &chain, NULL), 0);
	assert_int_equal(chain.n, 0);
	ssdpm_model_unref(model);
}

static void assert_refused(const struct ssdpm_model *model,
			   struct ssdpm_sim_params params, const char *fragment)
{
	struct ssdpm_error error = fixture_error();
	struct chain chain = { .n = 77 };

	assert_int_equal(make(model, &params, &chain, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, fragment);
	assert_int_equal(chain.n, 77);
}

/* What a drive's link supports, as in words 76 and 78. */
struct link {
	bool hipm, dipm, devsleep;
};

static struct ssdpm_model *sata(struct link link)
{
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_power_state states[4] = {
		{ .link_state = SSDPM_LINK_ACTIVE },
		{ .link_state = SSDPM_LINK_PARTIAL, .exit_latency_us = 10 },
		{ .link_state = SSDPM_LINK_SLUMBER, .exit_latency_us = 10000 },
		{ .link_state = SSDPM_LINK_DEVSLEEP, .exit_latency_us = 20000 },
	};
	struct ssdpm_model *model = NULL;

	info.kind = SSDPM_KIND_SATA;
	info.unknown =
		SSDPM_INFO_APSTA | SSDPM_INFO_VENDOR_ID | SSDPM_INFO_APM_LEVEL;
	info.apsta = 0;
	info.vendor_id = 0;
	info.sata_words_valid = 1;
	info.sata_generations = 14;
	info.sata_supported = (link.hipm ? SSDPM_SATA_HIPM : 0) |
			      (link.dipm ? SSDPM_SATA_DIPM : 0) |
			      (link.devsleep ? SSDPM_SATA_DEVSLEEP : 0);
	info.sata_enabled_unknown = 63;
	for (size_t i = 0; i < 4; i++) {
		states[i].unknown =
			SSDPM_FIELD_MAX_POWER | SSDPM_FIELD_ACTIVE_POWER |
			SSDPM_FIELD_IDLE_POWER | SSDPM_FIELD_ENTRY_LATENCY;
		if (i)
			states[i].flags = SSDPM_STATE_NON_OPERATIONAL;
	}
	assert_int_equal(ssdpm_model_new(&info, states,
					 link.devsleep		? 4 :
					 link.hipm || link.dipm ? 3 :
								  1,
					 &model, NULL),
			 0);
	return model;
}

static void a_policy_of_the_other_kind_of_drive_is_refused(void **state)
{
	(void)state;
	struct ssdpm_model *model = nvme(), *link = sata((struct link){ 0 });
	struct ssdpm_sim_params asleep = params_of(NULL, 0, 0);
	struct ssdpm_apst backward = table;

	asleep.operational_state = 1;
	backward.entries[1].target = 1;
	assert_refused(model, params_of(NULL, SSDPM_LPM_MIN_POWER, 0), "lpm");
	assert_refused(link, params_of(&table, 0, 0), "apst");
	assert_refused(link, params_of(NULL, SSDPM_LPM_MIN_POWER + 1, 0),
		       "lpm");
	assert_refused(model, params_of(&backward, 0, 0), "entry 1");
	assert_refused(model, asleep, "operational_state");
	asleep.operational_state = 3;
	assert_refused(model, asleep, "operational_state");
	ssdpm_model_unref(model);
	ssdpm_model_unref(link);
}

/* The states that a drive of this link comes to, as digits. */
static void assert_link(struct link link, uint32_t lpm, const char *states)
{
	struct ssdpm_sim_params params = params_of(NULL, lpm, 0);
	struct ssdpm_model *model = sata(link);
	struct chain chain;

	assert_int_equal(make(model, &params, &chain, NULL), 0);
	assert_int_equal(chain.n, strlen(states));
	for (uint32_t i = 0; i < chain.n; i++)
		assert_int_equal(chain.steps[i].state, states[i] - '0');
	ssdpm_model_unref(model);
}

static struct ssdpm_sim *run_link(const struct ssdpm_model *model, uint32_t lpm,
				  const struct ssdpm_parameter *parameters,
				  size_t n, struct estimated *result)
{
	const struct ssdpm_io ios[] = {
		{ .start_ns = 0, .bytes = 4096, .op = SSDPM_OP_READ },
		{ .start_ns = 60000000000, .bytes = 4096, .op = SSDPM_OP_READ },
	};
	struct ssdpm_sim_params params = params_of(NULL, lpm, 0);
	struct ssdpm_sim *sim;

	params.parameters = parameters;
	params.n_parameters = n;
	assert_int_equal(ssdpm_sim_new(model, &params, &sim, NULL), 0);
	assert_int_equal(ssdpm_sim_feed(sim, ios, 2, NULL), 0);
	assert_int_equal(finish_sim(sim, 0, result, NULL), 0);
	return sim;
}

/* Also if all times of the link are stated: then only the policy is unknown. */
static void assert_range(bool stated, uint32_t unknown)
{
	struct ssdpm_model *model = sata((struct link){ true, true, true });
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct estimated any, none, deep;
	struct ssdpm_saving saving, other;
	struct ssdpm_sim *sims[3];
	size_t n;

	assert_int_equal(make_parameters_of(model, 0, parameters, &n, NULL), 0);
	for (size_t i = 0; i < n && stated; i++)
		parameters[i].low = parameters[i].high = parameters[i].nominal;
	sims[0] = run_link(model, unknown, parameters, n, &any);
	sims[1] = run_link(model, SSDPM_LPM_MAX_PERFORMANCE, parameters, n,
			   &none);
	sims[2] = run_link(model, SSDPM_LPM_MIN_POWER, parameters, n, &deep);
	assert_true(any.axes >> (SSDPM_AXIS_LINK_IDLE_TIME - 1) & 1);
	assert_true(any.nominal.energy_nj == none.nominal.energy_nj);
	assert_true(any.high.energy_nj == none.high.energy_nj);
	assert_true(any.low.energy_nj == deep.low.energy_nj);
	assert_true(any.low.energy_nj < none.low.energy_nj);
	assert_int_equal(ssdpm_sim_get_saving(sims[0], sims[2], &saving, NULL),
			 0);
	assert_int_equal(ssdpm_sim_get_saving(sims[1], sims[2], &other, NULL),
			 0);
	assert_true(saving.nominal_nj == other.nominal_nj);
	/* The times and the policy move along one axis. */
	assert_true(saving.high_nj <= other.high_nj &&
		    (!stated || saving.high_nj == other.high_nj));
	/* It may have that policy. */
	assert_true(saving.low_nj == 0 && other.low_nj > 0);
	for (size_t i = 0; i < 3; i++)
		ssdpm_sim_free(sims[i]);
	ssdpm_model_unref(model);
}

static void a_link_policy_that_nobody_knows_is_a_range(void **state)
{
	(void)state;
	assert_range(true, 0);
	assert_range(true, SSDPM_LPM_KEEP_FIRMWARE_SETTINGS);
	assert_range(false, 0);
}

/* 1: partial, 2: slumber, 3: DevSleep. */
static void each_link_policy_leads_where_linux_lets_it(void **state)
{
	(void)state;
	const struct link none = { 0 }, all = { true, true, true };
	const struct link hipm = { .hipm = true }, dipm = { .dipm = true };
	const struct link both = { true, true, false };

	assert_link(all, SSDPM_LPM_KEEP_FIRMWARE_SETTINGS, "");
	assert_link(all, SSDPM_LPM_MAX_PERFORMANCE, "");
	assert_link(all, SSDPM_LPM_MEDIUM_POWER, "1");
	assert_link(all, SSDPM_LPM_MED_POWER_WITH_DIPM, "12");
	assert_link(all, SSDPM_LPM_MIN_POWER_WITH_PARTIAL, "123");
	assert_link(all, SSDPM_LPM_MIN_POWER, "23");
	assert_link(both, SSDPM_LPM_MIN_POWER_WITH_PARTIAL, "12");
	assert_link(both, SSDPM_LPM_MIN_POWER, "2");
	assert_link(hipm, SSDPM_LPM_MEDIUM_POWER, "1");
	assert_link(hipm, SSDPM_LPM_MED_POWER_WITH_DIPM, "1");
	assert_link(hipm, SSDPM_LPM_MIN_POWER, "2");
	assert_link(dipm, SSDPM_LPM_MEDIUM_POWER, "");
	assert_link(dipm, SSDPM_LPM_MED_POWER_WITH_DIPM, "12");
	assert_link(dipm, SSDPM_LPM_MIN_POWER, "12");
	assert_link(none, SSDPM_LPM_MIN_POWER, "");
}

static void a_host_asks_earlier_than_a_drive_and_for_slumber_at_once(
	void **state)
{
	(void)state;
	const struct link all = { true, true, true };
	struct ssdpm_sim_params params =
		params_of(NULL, SSDPM_LPM_MIN_POWER, 0);
	struct ssdpm_model *model = sata(all);
	struct chain chain;

	assert_int_equal(make(model, &params, &chain, NULL), 0);
	assert_step(&chain, 0, 2, 100000, 100000, 3500000);
	assert_step(&chain, 1, 3, 1000100000, 1010100000, 20 * MS);
	params.lpm = SSDPM_LPM_MED_POWER_WITH_DIPM;
	assert_int_equal(make(model, &params, &chain, NULL), 0);
	assert_step(&chain, 0, 1, 100000, 100000, 10000);
	assert_step(&chain, 1, 2, 100100000, 100100000, 3500000);
	ssdpm_model_unref(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_time_counts_from_the_end_of_the_entry),
		cmocka_unit_test(it_may_count_from_the_start_of_the_idle_time),
		cmocka_unit_test(a_drive_without_a_table_stays_awake),
		cmocka_unit_test(
			a_policy_of_the_other_kind_of_drive_is_refused),
		cmocka_unit_test(a_link_policy_that_nobody_knows_is_a_range),
		cmocka_unit_test(each_link_policy_leads_where_linux_lets_it),
		cmocka_unit_test(
			a_host_asks_earlier_than_a_drive_and_for_slumber_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
