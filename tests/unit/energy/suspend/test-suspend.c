/* SPDX-License-Identifier: MIT */
/* Suspends: readings, what they say, and what may help. */
#include "fixture.h"
#include "records.h"
#include "tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATS "/sys/power/suspend_stats/"
#define PMC "/sys/kernel/debug/pmc_core/"
#define HEAD "ssdpm-suspend 1\nboot aaaa\n"

static struct ssdpm_suspend_reading *reading_of(const char *text)
{
	struct ssdpm_suspend_reading *reading = UNTOUCHED;
	struct ssdpm_error error = fixture_error();

	assert_int_equal(ssdpm_suspend_reading_from_text(text, strlen(text),
							 &reading, &error),
			 0);
	return reading;
}

/* What one test judges. */
struct given {
	const char *before; /* NULL: the boot */
	const char *after;
	uint32_t suspend; /* 0: s2idle */
	const char *product;
	const char *linux_release;
	uint32_t quirks;
	bool knows_quirks;
	const struct ssdpm_diagnosis *diagnosis;
};

struct judged {
	struct ssdpm_suspend_verdict verdict;
	struct ssdpm_suspend_evidence *evidence;
	size_t n_evidence;
	struct ssdpm_suspend_remedy *remedies;
	size_t n_remedies;
	int err;
	struct ssdpm_error error;
};

static struct judged judge(struct given given)
{
	struct judged j = { .verdict.size = sizeof(j.verdict) };
	struct ssdpm_machine_facts facts = { .size = sizeof(facts),
					     .suspend = SSDPM_SUSPEND_S2IDLE };
	struct ssdpm_device_facts device = {
		.size = sizeof(device),
		.kind = SSDPM_KIND_NVME,
		.pci_vendor_id = 0x1344,
		.pci_device_id = 0x5411,
		.kernel_quirks = given.quirks,
		.known = given.knows_quirks ? SSDPM_FACT_QUIRKS : 0,
		.name = "nvme0",
	};
	const struct ssdpm_suspend_drive drive = {
		.facts = &device,
		.diagnoses = given.diagnosis,
		.n_diagnoses = given.diagnosis ? 1 : 0,
	};
	struct ssdpm_suspend_reading *before =
		given.before ? reading_of(given.before) : NULL;
	struct ssdpm_suspend_reading *after = reading_of(given.after);
	const struct ssdpm_suspend_params params = {
		.size = sizeof(params),
		.facts = &facts,
		.before = before,
		.after = after,
		.drives = &drive,
		.n_drives = 1,
	};

	if (given.suspend)
		facts.suspend = given.suspend;
	if (given.product)
		snprintf(device.product, sizeof(device.product), "%s",
			 given.product);
	if (given.linux_release)
		snprintf(facts.linux_release, sizeof(facts.linux_release), "%s",
			 given.linux_release);
	j.err = ssdpm_suspend_judge(&params, &j.verdict, &j.evidence,
				    &j.n_evidence, &j.error);
	if (!j.err)
		assert_int_equal(ssdpm_suspend_get_remedies(
					 &params, j.verdict.outcome,
					 &j.remedies, &j.n_remedies, NULL),
				 0);
	ssdpm_suspend_reading_free(before);
	ssdpm_suspend_reading_free(after);
	return j;
}

static void forget(struct judged *j)
{
	free(j->evidence);
	free(j->remedies);
}

static void assert_outcome(struct given given, uint32_t outcome)
{
	struct judged j = judge(given);

	assert_int_equal(j.err, 0);
	assert_int_equal(j.verdict.outcome, outcome);
	forget(&j);
}

static uint32_t bearing_of(const struct judged *j, uint32_t counter,
			   const char *name)
{
	for (size_t i = 0; i < j->n_evidence; i++)
		if (j->evidence[i].counter == counter &&
		    !strcmp(j->evidence[i].name, name))
			return j->evidence[i].bearing;
	fail_msg("no evidence of %u %s", counter, name);
	return 0;
}

static void the_deepest_substate_decides(void **state)
{
	struct judged j = judge((struct given){
		.after = HEAD
		"success 3 " STATS "success\n"
		"hardware 63 " STATS "total_hw_sleep\n"
		"substate 63 " PMC "substate_residencies\tS0i2.0\n"
		"substate 0 " PMC "substate_residencies\tS0i3.0\n" });

	(void)state;
	assert_int_equal(j.verdict.outcome, SSDPM_SUSPEND_OUTCOME_NOT_REACHED);
	assert_string_equal(j.verdict.wanted, "S0i3.0");
	assert_string_equal(j.verdict.deepest, "S0i2.0");
	assert_int_equal(j.verdict.n_suspends, 3);
	assert_int_equal(j.verdict.n_failures, UINT32_MAX);
	assert_int_equal(j.verdict.deep_us, 63);
	assert_int_equal(bearing_of(&j, SSDPM_SLEEP_COUNTER_SUBSTATE, "S0i3.0"),
			 SSDPM_SUSPEND_BEARING_AGAINST);
	/* The shallower substate explains it. */
	assert_int_equal(bearing_of(&j, SSDPM_SLEEP_COUNTER_HARDWARE, ""),
			 SSDPM_SUSPEND_BEARING_NONE);
	forget(&j);
}

static void a_substate_that_grew_between_the_readings_is_reached(void **state)
{
	(void)state;
	assert_outcome((struct given){ .before = HEAD
				       "success 3 " STATS "success\n"
				       "substate 9 " PMC
				       "substate_residencies\tS0i3.0\n",
				       .after = HEAD
				       "success 4 " STATS "success\n"
				       "substate 10 " PMC
				       "substate_residencies\tS0i3.0\n" },
		       SSDPM_SUSPEND_OUTCOME_REACHED);
	/* It grew before the first reading alone. */
	assert_outcome((struct given){ .before = HEAD
				       "success 3 " STATS "success\n"
				       "substate 9 " PMC
				       "substate_residencies\tS0i3.0\n",
				       .after = HEAD
				       "success 4 " STATS "success\n"
				       "substate 9 " PMC
				       "substate_residencies\tS0i3.0\n" },
		       SSDPM_SUSPEND_OUTCOME_NOT_REACHED);
}

static void a_substate_that_the_first_reading_lacks_leaves_it_open(void **state)
{
	static const char before[] =
		HEAD "success 2 " STATS "success\n"
		     "hardware 20 " STATS "total_hw_sleep\n";
	char after[512];
	struct judged j;

	(void)state;
	/* A counter since boot that is 0 now was 0 then. */
	for (unsigned int us = 0; us < 2; us++) {
		snprintf(after, sizeof(after),
			 HEAD
			 "success 3 " STATS "success\n"
			 "hardware 63 " STATS "total_hw_sleep\n"
			 "last 43 " STATS "last_hw_sleep\n"
			 "substate 63 " PMC "substate_residencies\tS0i2.0\n"
			 "substate %u " PMC "substate_residencies\tS0i3.0\n",
			 us);
		j = judge((struct given){ .before = before, .after = after });
		assert_string_equal(j.verdict.wanted, "S0i3.0");
		assert_int_equal(j.verdict.outcome,
				 us ? SSDPM_SUSPEND_OUTCOME_CANNOT_SAY :
				      SSDPM_SUSPEND_OUTCOME_NOT_REACHED);
		forget(&j);
	}
}

static void a_first_reading_without_counters_leaves_it_open(void **state)
{
	static const char after[] = HEAD "success 3 " STATS "success\n"
					 "hardware 63 " STATS "total_hw_sleep\n"
					 "last 43 " STATS "last_hw_sleep\n";

	(void)state;
	assert_outcome(
		(struct given){ .before = "ssdpm-suspend 1\ncounters 0\n",
				.after = after },
		SSDPM_SUSPEND_OUTCOME_CANNOT_SAY);
	assert_outcome((struct given){ .before = HEAD "last 42 " STATS
						      "last_hw_sleep\n",
				       .after = after },
		       SSDPM_SUSPEND_OUTCOME_REACHED);
}

static void counters_that_disagree_contradict_each_other(void **state)
{
	struct judged j = judge((struct given){
		.after = HEAD "success 1 " STATS "success\n"
			      "slp-s0 5 " PMC "slp_s0_residency_usec\n"
			      "system 0 /sys/low_power_idle_system\n" });

	(void)state;
	assert_int_equal(j.verdict.outcome, SSDPM_SUSPEND_OUTCOME_CONTRADICTED);
	assert_int_equal(bearing_of(&j, SSDPM_SLEEP_COUNTER_SLP_S0, ""),
			 SSDPM_SUSPEND_BEARING_FOR);
	assert_int_equal(bearing_of(&j, SSDPM_SLEEP_COUNTER_SYSTEM, ""),
			 SSDPM_SUSPEND_BEARING_AGAINST);
	forget(&j);
}

/* A sleep, in which the battery gives so many uWh. */
static struct judged judge_sleep(unsigned int uwh, unsigned int seconds,
				 const char *at_before, const char *at_after)
{
	char before[512], after[512];

	snprintf(before, sizeof(before),
		 HEAD "%ssuccess 1 " STATS "success\n"
		      "hardware 1 " STATS "total_hw_sleep\n"
		      "asleep 0 clocks\n"
		      "battery 50000000 /sys/energy_now\tBAT0\n",
		 at_before);
	snprintf(after, sizeof(after),
		 HEAD "%ssuccess 2 " STATS "success\n"
		      "hardware 9 " STATS "total_hw_sleep\n"
		      "asleep %u000000 clocks\n"
		      "battery %u /sys/energy_now\tBAT0\n",
		 at_after, seconds, 50000000 - uwh);
	return judge((struct given){ .before = before, .after = after });
}

/* Awake for a second. */
static struct judged judge_battery(unsigned int uwh, unsigned int seconds)
{
	char at[64];

	snprintf(at, sizeof(at), "at %u000000\n", 100 + seconds + 1);
	return judge_sleep(uwh, seconds, "at 100000000\n", at);
}

static void more_than_a_watt_from_the_battery_is_against_it(void **state)
{
	struct judged j = judge_battery(2500000, 3600);

	(void)state;
	assert_int_equal(j.verdict.battery_uw, 2500000);
	assert_int_equal(j.verdict.asleep_us, 3600000000);
	assert_int_equal(j.verdict.outcome, SSDPM_SUSPEND_OUTCOME_CONTRADICTED);
	forget(&j);
	j = judge_battery(1000000, 3600);
	assert_int_equal(j.verdict.battery_uw, 1000000);
	assert_int_equal(j.verdict.outcome, SSDPM_SUSPEND_OUTCOME_REACHED);
	forget(&j);
	/* A gauge is too coarse for less than ten minutes. */
	j = judge_battery(2500000, 599);
	assert_int_equal(j.verdict.outcome, SSDPM_SUSPEND_OUTCOME_REACHED);
	forget(&j);
}

static void what_the_battery_gave_while_awake_is_not_of_the_sleep(void **state)
{
	static const struct {
		const char *before, *after;
	} ats[] = {
		{ "", "" },
		{ "at 100000000\n", "" },
		{ "", "at 3700000000\n" },
		/* Longer than 72 s, and the clock of another boot. */
		{ "at 100000000\n", "at 3772000001\n" },
		{ "at 3700000000\n", "at 100000000\n" },
	};
	struct judged j;

	(void)state;
	for (size_t i = 0; i < sizeof(ats) / sizeof(ats[0]); i++) {
		j = judge_sleep(2500000, 3600, ats[i].before, ats[i].after);
		assert_int_equal(j.verdict.outcome,
				 SSDPM_SUSPEND_OUTCOME_REACHED);
		assert_true(j.verdict.battery_uw == SSDPM_SUSPEND_UNKNOWN);
		forget(&j);
	}
	j = judge_sleep(2500000, 3600, "at 100000000\n", "at 3772000000\n");
	assert_int_equal(j.verdict.battery_uw, 2500000);
	forget(&j);
}

static struct judged judge_clocks(unsigned int before_us, unsigned int after_us)
{
	char before[256], after[256];

	snprintf(before, sizeof(before),
		 HEAD "success 1 " STATS "success\nasleep %u clocks\n",
		 before_us);
	snprintf(after, sizeof(after),
		 HEAD "success 2 " STATS "success\nasleep %u clocks\n",
		 after_us);
	return judge((struct given){ .before = before, .after = after });
}

/* As on Linux in QEMU. Then two readings of the same differ by microseconds. */
static void where_no_clock_stops_the_time_asleep_is_unknown(void **state)
{
	static const struct {
		unsigned int before_us, after_us;
	} same[] = {
		{ 0, 0 }, { 7, 3 }, { 3, 7 }, { 0, 9999 }, { 5009999, 5000000 }
	};
	struct judged j;

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		j = judge_clocks(same[i].before_us, same[i].after_us);
		assert_int_equal(j.err, 0);
		assert_int_equal(j.verdict.n_suspends, 1);
		assert_true(j.verdict.asleep_us == SSDPM_SUSPEND_UNKNOWN);
		forget(&j);
	}
	/* The reading stays as it is. */
	j = judge_clocks(7, 3);
	for (size_t i = 0; i < j.n_evidence; i++)
		if (j.evidence[i].counter == SSDPM_SLEEP_COUNTER_ASLEEP)
			assert_int_equal(j.evidence[i].after, 3);
	forget(&j);
	j = judge_clocks(7, 10007);
	assert_int_equal(j.verdict.asleep_us, 10000);
	forget(&j);
	j = judge_clocks(7, 10000007);
	assert_int_equal(j.verdict.asleep_us, 10000000);
	forget(&j);
	assert_int_equal(judge_clocks(5010000, 5000000).err, -ERANGE);
	/* Without a suspend it was not asleep, and that is known. */
	j = judge((struct given){ .before = HEAD "success 1 " STATS
						 "success\nasleep 7 clocks\n",
				  .after = HEAD "success 1 " STATS
						"success\nasleep 3 clocks\n" });
	assert_int_equal(j.verdict.asleep_us, 0);
	forget(&j);
}

static void what_no_counter_says_is_unknown_and_not_0(void **state)
{
	struct judged j = judge(
		(struct given){ .after = HEAD "success 3 " STATS "success\n" });

	(void)state;
	assert_true(j.verdict.asleep_us == SSDPM_SUSPEND_UNKNOWN);
	assert_true(j.verdict.deep_us == SSDPM_SUSPEND_UNKNOWN);
	assert_true(j.verdict.battery_uw == SSDPM_SUSPEND_UNKNOWN);
	forget(&j);
	j = judge((struct given){ .after = HEAD "success 3 " STATS "success\n"
						"slp-s0 0 /sys/x\n" });
	assert_int_equal(j.verdict.deep_us, 0);
	forget(&j);
}

static void without_a_counter_nothing_is_said(void **state)
{
	(void)state;
	assert_outcome(
		(struct given){ .after = HEAD "success 3 " STATS "success\n" },
		SSDPM_SUSPEND_OUTCOME_CANNOT_SAY);
	/* The package alone is not the platform. */
	assert_outcome((struct given){ .after = HEAD "success 3 " STATS
						     "success\n"
						     "package 9 /sys/x\n" },
		       SSDPM_SUSPEND_OUTCOME_CANNOT_SAY);
	/* If nobody counts suspends, 0 may be that there were none. */
	assert_outcome((struct given){ .after = HEAD "slp-s0 0 /sys/x\n" },
		       SSDPM_SUSPEND_OUTCOME_CANNOT_SAY);
}

static void a_suspend_that_was_not_or_failed_is_no_verdict(void **state)
{
	struct judged j;

	(void)state;
	assert_outcome((struct given){ .after = HEAD "success 0 " STATS
						     "success\n"
						     "slp-s0 9 /sys/x\n" },
		       SSDPM_SUSPEND_OUTCOME_NO_SUSPEND);
	assert_outcome((struct given){ .suspend = SSDPM_SUSPEND_DEEP,
				       .after = HEAD "success 2 " STATS
						     "success\n"
						     "slp-s0 0 /sys/x\n" },
		       SSDPM_SUSPEND_OUTCOME_FIRMWARE);
	j = judge((struct given){ .after =
					  HEAD "success 0 " STATS "success\n"
					       "fail 2 " STATS "fail\n"
					       "failed-device 0 " STATS
					       "last_failed_dev\t0000:04:00.0\n"
					       "slp-s0 0 /sys/x\n" });
	assert_int_equal(j.verdict.outcome, SSDPM_SUSPEND_OUTCOME_FAILED);
	assert_int_equal(j.verdict.n_failures, 2);
	assert_string_equal(j.verdict.culprit, "0000:04:00.0");
	assert_int_equal(bearing_of(&j, SSDPM_SLEEP_COUNTER_SLP_S0, ""),
			 SSDPM_SUSPEND_BEARING_NONE);
	forget(&j);
}

static void a_residency_of_the_last_sleep_that_stays_is_of_an_earlier_one(
	void **state)
{
	static const char amd[] = HEAD "success 1 " STATS "success\n"
				       "last 58 /sys/s0ix_stats\tS0ix\n";

	(void)state;
	assert_outcome((struct given){ .after = amd },
		       SSDPM_SUSPEND_OUTCOME_REACHED);
	assert_outcome((struct given){ .before = amd,
				       .after = HEAD "success 2 " STATS
						     "success\n"
						     "last 58 /sys/s0ix_stats"
						     "\tS0ix\n" },
		       SSDPM_SUSPEND_OUTCOME_NOT_REACHED);
	assert_outcome((struct given){ .before = amd,
				       .after = HEAD "success 2 " STATS
						     "success\n"
						     "last 30 /sys/s0ix_stats"
						     "\tS0ix\n" },
		       SSDPM_SUSPEND_OUTCOME_REACHED);
}

static void a_register_that_went_through_its_range_has_grown(void **state)
{
	struct judged j = judge((struct given){
		.before = HEAD
		"success 3 " STATS "success\n"
		"substate 50 " PMC "substate_residencies\tS0i2.0\n"
		"substate 130000000000 " PMC "substate_residencies\tS0i3.0\n",
		.after = HEAD
		"success 4 " STATS "success\n"
		"substate 50 " PMC "substate_residencies\tS0i2.0\n"
		"substate 7000000 " PMC "substate_residencies\tS0i3.0\n" });

	(void)state;
	assert_int_equal(j.err, 0);
	assert_int_equal(j.verdict.outcome, SSDPM_SUSPEND_OUTCOME_REACHED);
	assert_string_equal(j.verdict.deepest, "S0i3.0");
	/* At least. */
	assert_int_equal(j.verdict.deep_us, 7000000);
	forget(&j);
}

static void a_source_that_was_registered_anew_is_no_contradiction(void **state)
{
	struct judged j = judge((struct given){
		.before = HEAD
		"success 3 " STATS "success\n"
		"slp-s0 50 /sys/x\n"
		"wake-source 40 /sys/class/wakeup/wakeup7/wakeup_count\tusb\n",
		.after = HEAD
		"success 4 " STATS "success\n"
		"slp-s0 7000000 /sys/x\n"
		"wake-source 2 /sys/class/wakeup/wakeup7/wakeup_count\tusb\n" });

	(void)state;
	assert_int_equal(j.err, 0);
	assert_int_equal(j.verdict.outcome, SSDPM_SUSPEND_OUTCOME_REACHED);
	assert_int_equal(j.n_evidence, 3);
	assert_int_equal(j.evidence[2].before, 40);
	assert_int_equal(j.evidence[2].after, 2);
	forget(&j);
}

static void readings_that_do_not_go_together_are_refused(void **state)
{
	struct judged j;

	(void)state;
	j = judge((struct given){ .before = "ssdpm-suspend 1\nboot bbbb\n"
					    "slp-s0 9 /sys/x\n",
				  .after = HEAD "slp-s0 9 /sys/x\n" });
	assert_int_equal(j.err, -ESTALE);
	j = judge((struct given){ .before = HEAD "hardware 9 /sys/x\n",
				  .after = HEAD "hardware 8 /sys/x\n" });
	assert_int_equal(j.err, -ERANGE);
	/* Nobody knows whether these are of one boot. */
	j = judge((struct given){
		.before = "ssdpm-suspend 1\nslp-s0 9 /sys/x\n",
		.after = "ssdpm-suspend 1\nslp-s0 8 /sys/x\n" });
	assert_int_equal(j.err, -ERANGE);
	assert_string_equal(j.error.message,
			    "/sys/x: it is less after than before");
}

static const struct ssdpm_diagnosis aspm = {
	.code = SSDPM_DIAGNOSIS_ASPM_POLICY,
	.remedy = SSDPM_REMEDY_ASPM_POLICY_OR_FIRMWARE,
	.n_changes = 1,
	.changes = { { .target = "/sys/module/pcie_aspm/parameters/policy",
		       .value = "powersupersave" } },
};

#define NOT_REACHED                         \
	HEAD "success 1 " STATS "success\n" \
	     "slp-s0 0 /sys/x\n"

static void a_remedy_is_verified_for_the_drive_of_a_case_alone(void **state)
{
	struct judged j = judge((struct given){ .after = NOT_REACHED,
						.product = "TEAM TM8FP4001T",
						.diagnosis = &aspm });

	(void)state;
	assert_int_equal(j.n_remedies, 1);
	assert_int_equal(j.remedies[0].status, SSDPM_REMEDY_STATUS_VERIFIED);
	assert_string_equal(j.remedies[0].source, "intel/S0ixSelftestTool#41");
	assert_string_equal(j.remedies[0].change.value, "powersupersave");
	assert_string_equal(j.remedies[0].drive, "nvme0");
	assert_string_equal(j.verdict.culprit, "nvme0");
	forget(&j);
	j = judge((struct given){ .after = NOT_REACHED,
				  .product = "Other SSD",
				  .diagnosis = &aspm });
	assert_int_equal(j.n_remedies, 1);
	assert_int_equal(j.remedies[0].status, SSDPM_REMEDY_STATUS_UNTESTED);
	assert_string_equal(j.remedies[0].source, "");
	assert_string_equal(j.verdict.culprit, "");
	forget(&j);
}

static void only_a_policy_that_keeps_a_link_awake_needs_another(void **state)
{
	struct ssdpm_diagnosis policy = {
		.code = SSDPM_DIAGNOSIS_LPM_OFF,
		.remedy = SSDPM_REMEDY_LPM,
		.n_changes = 1,
		.changes = { { .target = "/sys/x",
			       .value = "med_power_with_dipm" } },
	};
	struct judged j = judge((struct given){ .after = NOT_REACHED,
						.product = "Other SSD",
						.diagnosis = &policy });

	(void)state;
	assert_int_equal(j.n_remedies, 1);
	forget(&j);
	policy.code = SSDPM_DIAGNOSIS_LPM_MIN_POWER;
	j = judge((struct given){ .after = NOT_REACHED,
				  .product = "Other SSD",
				  .diagnosis = &policy });
	assert_int_equal(j.n_remedies, 0);
	forget(&j);
}

static void a_case_without_a_remedy_says_so_first(void **state)
{
	struct judged j = judge((struct given){ .after = NOT_REACHED,
						.product = "CT1000P3SSD8",
						.diagnosis = &aspm });

	(void)state;
	assert_int_equal(j.n_remedies, 2);
	assert_int_equal(j.remedies[0].status, SSDPM_REMEDY_STATUS_NONE);
	assert_string_equal(j.remedies[0].source, "pop-os/pop#3196");
	assert_int_equal(j.remedies[1].status, SSDPM_REMEDY_STATUS_UNTESTED);
	forget(&j);
	/* The P3 Plus is another drive. */
	j = judge((struct given){ .after = NOT_REACHED,
				  .product = "CT1000P3PSSD8" });
	assert_int_equal(j.n_remedies, 0);
	forget(&j);
}

static void a_quirk_is_turned_round_where_linux_can(void **state)
{
	struct given given = {
		.after = HEAD "success 3 " STATS "success\n",
		.product = "Micron MTFDKCD512QGN",
		.linux_release = "7.2.5",
		.knows_quirks = true,
		.quirks = SSDPM_QUIRK_SIMPLE_SUSPEND,
	};
	struct judged j = judge(given);

	(void)state;
	assert_int_equal(j.verdict.outcome, SSDPM_SUSPEND_OUTCOME_CANNOT_SAY);
	assert_int_equal(j.n_remedies, 2);
	assert_int_equal(j.remedies[0].status, SSDPM_REMEDY_STATUS_NONE);
	assert_string_equal(j.remedies[1].change.target, "nvme.quirks");
	assert_string_equal(j.remedies[1].change.value,
			    "1344:5411:force_no_simple_suspend");
	forget(&j);
	given.quirks = 0;
	j = judge(given);
	assert_string_equal(j.remedies[1].change.value,
			    "1344:5411:simple_suspend");
	forget(&j);
	given.linux_release = "7.1.9";
	j = judge(given);
	assert_int_equal(j.n_remedies, 1);
	forget(&j);
	/* Nothing points at another drive. */
	given.product = "Other SSD";
	j = judge(given);
	assert_int_equal(j.n_remedies, 0);
	assert_null(j.remedies);
	forget(&j);
}

static void a_machine_that_sleeps_deeply_needs_no_remedy(void **state)
{
	struct judged j = judge((struct given){ .after = HEAD
						"success 1 " STATS "success\n"
						"slp-s0 5 /sys/x\n",
						.product = "CT1000P3SSD8",
						.diagnosis = &aspm });

	(void)state;
	assert_int_equal(j.verdict.outcome, SSDPM_SUSPEND_OUTCOME_REACHED);
	assert_int_equal(j.n_remedies, 0);
	forget(&j);
}

/* The second line has the number of counters, which are the other lines. */
static void leave_out_count(char *text)
{
	char *count = strchr(text, '\n') + 1, *rest = strchr(count, '\n') + 1;
	unsigned int n = 0;

	for (const char *at = rest; *at; at = strchr(at, '\n') + 1)
		n += strncmp(at, "boot ", 5) != 0 && strncmp(at, "at ", 3) != 0;
	assert_int_equal(strncmp(count, "counters ", 9), 0);
	assert_int_equal(strtoul(count + 9, NULL, 10), n);
	memmove(count, rest, strlen(rest) + 1);
}

static void the_text_of_a_reading_gives_it_back(void **state)
{
	static const char text[] =
		HEAD "at 7200000000\n"
		     "success 18446744073709551615 " STATS "success\t\n"
		     "d-state 3 kernel log\t0000:04:00.0\n";
	struct ssdpm_suspend_reading *reading = reading_of(text);
	struct ssdpm_error error = fixture_error();
	char *again = NULL;

	(void)state;
	assert_int_equal(ssdpm_suspend_reading_to_text(reading, &again, &error),
			 0);
	leave_out_count(again);
	assert_string_equal(again, text);
	free(again);
	assert_null(ssdpm_suspend_reading_free(reading));
	assert_null(ssdpm_suspend_reading_free(NULL));
}

static void assert_refused(const char *text, int code, uint32_t line)
{
	struct ssdpm_suspend_reading *reading = UNTOUCHED;
	struct ssdpm_error error = fixture_error();

	assert_int_equal(ssdpm_suspend_reading_from_text(text, strlen(text),
							 &reading, &error),
			 code);
	assert_int_equal(error.code, code);
	assert_int_equal(error.line, line);
	assert_ptr_equal(reading, UNTOUCHED);
}

static void a_text_that_was_cut_short_is_refused(void **state)
{
	static const char whole[] =
		"ssdpm-suspend 1\ncounters 2\nboot aaaa\n"
		"success 3 " STATS "success\t\n"
		"substate 12 " PMC "substate_residencies\tS0i2.0\n";
	const size_t n = sizeof(whole) - 1, head = strlen("ssdpm-suspend 1\n");
	char text[sizeof(whole)];

	(void)state;
	ssdpm_suspend_reading_free(reading_of(whole));
	for (size_t i = head + strlen("counters 2"); i < n; i++) {
		struct ssdpm_suspend_reading *reading = UNTOUCHED;

		memcpy(text, whole, i);
		assert_int_equal(ssdpm_suspend_reading_from_text(
					 text, i, &reading, NULL),
				 -EINVAL);
	}
	assert_refused("ssdpm-suspend 1\ncounters 1\n", -EINVAL, 2);
	assert_refused("ssdpm-suspend 1\ncounters x\n", -EINVAL, 2);
}

static void other_texts_are_refused(void **state)
{
	char *text = malloc(64 << 10);
	size_t at;

	(void)state;
	assert_refused("", -EINVAL, 1);
	assert_refused("ssdpm-suspend 1\n", -EINVAL, 1);
	assert_refused(HEAD "at 5\n", -EINVAL, 3);
	assert_refused(HEAD "at soon\n", -EINVAL, 3);
	assert_refused("ssdpm-suspend 2\n", -EINVAL, 1);
	assert_refused(HEAD "success\n", -EINVAL, 3);
	assert_refused(HEAD "success -1 /sys/x\n", -EINVAL, 3);
	assert_refused(HEAD "success 1\n", -EINVAL, 3);
	assert_refused(HEAD "\nsoup 1 /sys/x\n", -EINVAL, 3);
	assert_non_null(text);
	at = (size_t)sprintf(text, HEAD);
	for (unsigned int i = 0; i < 513; i++)
		at += (size_t)sprintf(text + at, "wake-source 1 /sys/%u\n", i);
	assert_refused(text, -E2BIG, 515);
	free(text);
}

static void the_log_has_the_states_of_devices(void **state)
{
	static const char log[] =
		"6,1234,5678,-;nvme 0000:04:00.0: PCI PM: Suspend power state: "
		"D0\n"
		"6,1235,5679,-;nvme 0000:04:00.0: PCI PM: Suspend power state: "
		"D3hot\n SUBSYSTEM=pci\n"
		"[ 12.3] pcieport 0000:00:1c.0: PCI PM: Suspend power state: "
		"D3cold\n"
		"6,1,1,-;ahci 0000:00:17.0: PCI PM: Suspend power state: soup\n"
		"nvme 0000:04:00.0: platform quirk: setting simple suspend\n"
		": PCI PM: Suspend power state: D0\n";
	struct ssdpm_suspend_reading *reading =
		reading_of(HEAD "d-state 0 kernel log\t0000:04:00.0\n");
	struct ssdpm_error error = fixture_error();
	char *text = NULL;

	(void)state;
	assert_int_equal(ssdpm_suspend_reading_add_log(reading, log,
						       strlen(log), &error),
			 0);
	assert_int_equal(ssdpm_suspend_reading_to_text(reading, &text, NULL),
			 0);
	leave_out_count(text);
	assert_string_equal(text, HEAD "d-state 3 kernel log\t0000:04:00.0\n"
				       "d-state 4 kernel log\t0000:00:1c.0\n"
				       "simple-suspend 1 kernel log\t"
				       "0000:04:00.0\n");
	free(text);
	ssdpm_suspend_reading_free(reading);
}

/* What suspend does with an NVMe drive that a diagnosis leaves on. */
static void assert_explained(const char *after, uint32_t suspend,
			     uint32_t known, const char *wanted)
{
	const struct ssdpm_machine_facts facts = { .size = sizeof(facts),
						   .suspend = suspend };
	const struct ssdpm_device_facts device = {
		.size = sizeof(device),
		.kind = SSDPM_KIND_NVME,
		.known = known,
		.name = "nvme0",
		.address = "0000:04:00.0",
	};
	const struct ssdpm_diagnosis found = {
		.code = SSDPM_DIAGNOSIS_SUSPEND,
		.message = "on in PS4, unless the firmware asks for it",
	};
	const struct ssdpm_suspend_drive drive = { .facts = &device,
						   .diagnoses = &found,
						   .n_diagnoses = 1 };
	struct ssdpm_suspend_reading *reading = reading_of(after);
	const struct ssdpm_suspend_params params = { .size = sizeof(params),
						     .facts = &facts,
						     .after = reading,
						     .drives = &drive,
						     .n_drives = 1 };
	struct ssdpm_error error = fixture_error();
	char *text = NULL;

	assert_int_equal(ssdpm_suspend_explain_plan(
				 &params, 1, SSDPM_SUSPEND_OUTCOME_REACHED,
				 &text, &error),
			 -ENOENT);
	assert_int_equal(ssdpm_suspend_explain_plan(
				 &params, 0, SSDPM_SUSPEND_OUTCOME_REACHED,
				 &text, &error),
			 0);
	assert_non_null(strstr(text, wanted));
	free(text);
	ssdpm_suspend_reading_free(reading);
}

static void what_the_driver_said_of_a_drive_explains_its_plan(void **state)
{
	static const char open[] = "unless the firmware",
			  yes[] = HEAD
			  "simple-suspend 1 kernel log\t0000:04:00.0\n";

	(void)state;
	assert_explained(yes, SSDPM_SUSPEND_S2IDLE, 0, "shuts it down");
	assert_explained(HEAD "simple-suspend 0 kernel log\t0000:04:00.0\n",
			 SSDPM_SUSPEND_S2IDLE, 0, "on in PS4: the kernel log");
	/* Nothing of this drive. */
	assert_explained(HEAD "simple-suspend 1 kernel log\t0000:05:00.0\n",
			 SSDPM_SUSPEND_S2IDLE, 0, open);
	/* S3, and a kernel that names quirks in a file. */
	assert_explained(yes, SSDPM_SUSPEND_DEEP, 0, open);
	assert_explained(yes, SSDPM_SUSPEND_S2IDLE, SSDPM_FACT_QUIRKS, open);
}

static void assert_reads(const char *root, const char *wanted)
{
	struct ssdpm_machine *machine = tree_machine(root);
	struct ssdpm_suspend_reading *reading = UNTOUCHED;
	struct ssdpm_error error = fixture_error();
	char *text = NULL;

	assert_int_equal(ssdpm_machine_read_suspend(machine, &reading, &error),
			 0);
	assert_int_equal(ssdpm_suspend_reading_to_text(reading, &text, NULL),
			 0);
	leave_out_count(text);
	assert_string_equal(text, wanted);
	free(text);
	ssdpm_suspend_reading_free(reading);
	ssdpm_machine_unref(machine);
}

static void all_files_of_a_machine_are_read(void **state)
{
	char *root = tree_new();

	(void)state;
	tree_put(root, "sys/power/mem_sleep", "[s2idle]\n");
	assert_reads(root, "ssdpm-suspend 1\n");
	tree_put(root, "proc/sys/kernel/random/boot_id", "aaaa\n");
	tree_put(root, "sys/power/suspend_stats/success", "3\n");
	tree_put(root, "sys/power/suspend_stats/fail", "soup\n");
	tree_put(root, "sys/power/suspend_stats/max_hw_sleep", "99\n");
	tree_put(root, "sys/power/suspend_stats/total_hw_sleep", "63\n");
	tree_put(root, "sys/power/suspend_stats/last_failed_dev", "a\033b\n\n");
	tree_put(root, "sys/kernel/debug/pmc_core/substate_residencies",
		 "Substate   Residency      \n"
		 "S0i2.0     1234           \n"
		 "S0i3.0     0              \n");
	tree_put(root, "sys/kernel/debug/amd_pmc/s0ix_stats",
		 "=== S0ix statistics ===\nS0ix Entry Time: 9\n"
		 "S0ix Exit Time: 19\nResidency Time: 4296355\n");
	tree_put(root, "sys/class/power_supply/BAT0/charge_now", "3000000\n");
	tree_put(root, "sys/class/power_supply/BAT0/voltage_now", "12000000\n");
	tree_put(root, "sys/class/power_supply/BAT1/energy_now", "7\n");
	tree_put(root, "sys/class/wakeup/wakeup7/name", "PNP0C0D:00\n");
	tree_put(root, "sys/class/wakeup/wakeup7/wakeup_count", "2\n");
	assert_reads(root, HEAD
		     "success 3 " STATS "success\t\n"
		     "hardware 63 " STATS "total_hw_sleep\t\n"
		     "substate 1234 " PMC "substate_residencies\tS0i2.0\n"
		     "substate 0 " PMC "substate_residencies\tS0i3.0\n"
		     "last 4296355 /sys/kernel/debug/amd_pmc/s0ix_stats\tS0ix\n"
		     "failed-device 0 " STATS "last_failed_dev\ta?b\n"
		     "battery 36000000 /sys/class/power_supply/BAT0/charge_now"
		     "\tBAT0\n"
		     "battery 7 /sys/class/power_supply/BAT1/energy_now\tBAT1\n"
		     "wake-source 2 /sys/class/wakeup/wakeup7/wakeup_count"
		     "\tPNP0C0D:00\n");
	tree_remove(root);
}

#define FIRST "6,0,0,-;Linux version 6.18.26 (a@b)\n"
#define PROBE "nvme nvme0: pci function 0000:04:00.0\n"
#define QUIRK "nvme 0000:04:00.0: platform quirk: setting simple suspend\n"
#define SAYS(value) \
	"ssdpm-suspend 1\nsimple-suspend " value " kernel log\t0000:04:00.0\n"

static void the_log_of_the_boot_says_what_the_driver_found(void **state)
{
	char *root = tree_new();

	(void)state;
	tree_put(root, "sys/power/mem_sleep", "[s2idle]\n");
	tree_put(root, "dev/kmsg", FIRST "6,7,9,-;" QUIRK "6,8,9,-;" PROBE);
	assert_reads(root, SAYS("1"));
	tree_put(root, "dev/kmsg",
		 "[    0.000000] Linux version 6.18.26\n[ 1.0] " PROBE);
	assert_reads(root, SAYS("0"));
	/* Its beginning is lost: only the quirk itself is known. */
	tree_put(root, "dev/kmsg", "6,8,9,-;" PROBE);
	assert_reads(root, "ssdpm-suspend 1\n");
	tree_put(root, "dev/kmsg", "6,7,9,-;" QUIRK);
	assert_reads(root, SAYS("1"));
	/* States are those of a suspend, which is long ago. */
	tree_put(root, "dev/kmsg",
		 FIRST "nvme 0000:04:00.0: PCI PM: Suspend power state: D0\n");
	assert_reads(root, "ssdpm-suspend 1\n");
	tree_remove(root);
}

static void a_drive_that_is_bound_again_is_as_the_driver_found_it_last(
	void **state)
{
	static const char first[] = FIRST "6,7,9,-;" QUIRK "6,8,9,-;" PROBE;
	char *root = tree_new(), text[600];

	(void)state;
	tree_put(root, "sys/power/mem_sleep", "[s2idle]\n");
	/* As with the module loaded again, with noacpi. */
	snprintf(text, sizeof(text), "%s6,9,9,-;" PROBE, first);
	tree_put(root, "dev/kmsg", text);
	assert_reads(root, SAYS("0"));
	snprintf(text, sizeof(text),
		 "%s6,9,9,-;" PROBE "6,10,9,-;" QUIRK "6,11,9,-;" PROBE, first);
	tree_put(root, "dev/kmsg", text);
	assert_reads(root, SAYS("1"));
	/* Its beginning is lost, and these lines are there. */
	tree_put(root, "dev/kmsg",
		 "6,7,9,-;" QUIRK "6,8,9,-;" PROBE "6,9,9,-;" PROBE);
	assert_reads(root, SAYS("0"));
	tree_put(root, "dev/kmsg",
		 "6,6,9,-;" PROBE "6,7,9,-;" QUIRK "6,8,9,-;" PROBE);
	assert_reads(root, SAYS("1"));
	tree_remove(root);
}

static void a_zero_byte_is_no_time(void **state)
{
	static const char log[] = "\0 " QUIRK;
	struct ssdpm_suspend_reading *reading =
		reading_of(HEAD "package 9 /sys/x\n");
	char *text = NULL;

	(void)state;
	assert_int_equal(ssdpm_suspend_reading_add_log(reading, log,
						       sizeof(log) - 1, NULL),
			 0);
	assert_int_equal(ssdpm_suspend_reading_to_text(reading, &text, NULL),
			 0);
	leave_out_count(text);
	assert_string_equal(text, HEAD "package 9 /sys/x\t\n");
	free(text);
	ssdpm_suspend_reading_free(reading);
}

/* The other counters are those of the machine that runs this. */
static void assert_live(const char *const *records, const char *wanted)
{
	static const char line[] = "\nsimple-suspend ";
	struct ssdpm_suspend_reading *reading = UNTOUCHED;
	struct ssdpm_machine *machine = NULL;
	char *text = NULL;
	const char *found;

	records_set(records);
	assert_int_equal(ssdpm_machine_new(NULL, &machine, NULL), 0);
	assert_int_equal(ssdpm_machine_read_suspend(machine, &reading, NULL),
			 0);
	records_set(NULL);
	assert_int_equal(ssdpm_suspend_reading_to_text(reading, &text, NULL),
			 0);
	found = strstr(text, line);
	if (wanted) {
		assert_non_null(found);
		found += strlen(line);
		assert_memory_equal(found, wanted, strlen(wanted));
	} else {
		assert_null(found);
	}
	free(text);
	ssdpm_suspend_reading_free(reading);
	ssdpm_machine_unref(machine);
}

static void records_that_are_lost_take_what_was_known_with_them(void **state)
{
	static const char quirk[] = "6,7,9,-;" QUIRK;
	static const char probe[] = "6,8,9,-;" PROBE;
	static const char *const all[] = { FIRST, quirk, probe, NULL };
	static const char *const lost[] = { FIRST, quirk, probe, RECORDS_LOST,
					    NULL };
	static const char *const found[] = { FIRST, probe, RECORDS_LOST, quirk,
					     NULL };
	/* The quirk may be among the lost ones. */
	static const char *const part[] = { FIRST, RECORDS_LOST, probe, NULL };

	(void)state;
	assert_live(all, "1 kernel log\t0000:04:00.0\n");
	assert_live(lost, NULL);
	assert_live(found, "1 kernel log\t0000:04:00.0\n");
	assert_live(part, NULL);
}

/* Lines that are added may be a part of the log. */
static void a_part_of_a_log_denies_no_quirk(void **state)
{
	struct ssdpm_suspend_reading *reading =
		reading_of(HEAD "simple-suspend 1 kernel log\t0000:04:00.0\n");
	char *text = NULL;

	(void)state;
	assert_int_equal(ssdpm_suspend_reading_add_log(reading, PROBE,
						       strlen(PROBE), NULL),
			 0);
	assert_int_equal(ssdpm_suspend_reading_to_text(reading, &text, NULL),
			 0);
	leave_out_count(text);
	assert_string_equal(text,
			    HEAD "simple-suspend 1 kernel log\t0000:04:00.0\n");
	free(text);
	ssdpm_suspend_reading_free(reading);
}

/* Logs of real machines are longer than an attribute. */
static void a_log_of_100_kib_is_read_to_its_end(void **state)
{
	static const char line[] = "6,1,1,-;filler of a kernel that talks\n";
	const size_t room = 102400;
	char *root = tree_new(), *text = malloc(room + 400);
	size_t n = 0;

	(void)state;
	tree_put(root, "sys/power/mem_sleep", "[s2idle]\n");
	n += (size_t)sprintf(text, FIRST);
	while (n < room)
		n += (size_t)sprintf(text + n, line);
	sprintf(text + n, "6,7,9,-;" QUIRK "6,8,9,-;" PROBE);
	tree_put(root, "dev/kmsg", text);
	assert_reads(root, SAYS("1"));
	free(text);
	tree_remove(root);
}

static void an_earlier_boot_says_nothing_of_this_one(void **state)
{
	static const char old[] = "6,7,9,-;" QUIRK "6,8,9,-;" PROBE;
	char *root = tree_new(), text[600];

	(void)state;
	tree_put(root, "sys/power/mem_sleep", "[s2idle]\n");
	snprintf(text, sizeof(text), FIRST "%s" FIRST "6,8,9,-;" PROBE, old);
	tree_put(root, "dev/kmsg", text);
	assert_reads(root, SAYS("0"));
	snprintf(text, sizeof(text),
		 "%sNov 30 17:43:50 host kernel: Linux version 6.18.26\n", old);
	tree_put(root, "dev/kmsg", text);
	assert_reads(root, "ssdpm-suspend 1\n");
	/* A program that shows the version boots nothing. */
	snprintf(text, sizeof(text),
		 "%s12,9,9,-;Linux version 6.18.26\n"
		 "[ 9.0] login[7]: Linux version 6.18.26\n",
		 old);
	tree_put(root, "dev/kmsg", text);
	assert_reads(root, SAYS("1"));
	tree_remove(root);
}

static void a_log_that_is_added_counts_from_its_last_boot_on(void **state)
{
	static const char log[] = FIRST QUIRK
		"nvme 0000:04:00.0: PCI PM: Suspend power state: D0\n"
		"Dec  1 09:00:00 host kernel: Linux version 6.18.26\n"
		"Dec  1 09:00:01 host kernel: nvme nvme1: pci function "
		"0000:05:00.0\n";
	struct ssdpm_suspend_reading *reading =
		reading_of(HEAD "package 9 /sys/x\n");
	char *text = NULL;

	(void)state;
	assert_int_equal(
		ssdpm_suspend_reading_add_log(reading, log, strlen(log), NULL),
		0);
	assert_int_equal(ssdpm_suspend_reading_to_text(reading, &text, NULL),
			 0);
	leave_out_count(text);
	assert_string_equal(text,
			    HEAD "package 9 /sys/x\t\n"
				 "simple-suspend 0 kernel log\t0000:05:00.0\n");
	free(text);
	ssdpm_suspend_reading_free(reading);
}

static void linux_alone_says_what_its_driver_found(void **state)
{
	static const char *const heads[] = {
		"",
		"6,7,9,-;",
		"6,7,9,-,caller=T1;",
		"<6>[    1.000000] ",
		"[    1.000000] ",
		"[    1.000000] [    T12] ",
		"[Mon Nov 30 17:43:50 2026] ",
		"2026-11-30T17:43:50,123456+00:00 ",
		"kern  :info  : [    1.000000] ",
		"Nov 30 17:43:50 host kernel: ",
		"Nov 30 17:43:50 host kernel: [    1.000000] ",
		"2026-11-30T17:43:50+0000 host kernel: ",
		"[   60.000000] host kernel: ",
	};
	static const char *const others[] = {
		"[   60.0] systemd[1]: ",
		"12,7,9,-;",
		"6,7,9,-;systemd[1]: ",
		"6,7,9,-;other ",
		"Nov 30 17:43:50 host systemd[1]: ",
		"Nov 30 17:43:50 host sudo[7]: joe: kernel: ",
		"user  :info  : [   60.0] ",
	};
	char *root = tree_new(), text[200];

	(void)state;
	tree_put(root, "sys/power/mem_sleep", "[s2idle]\n");
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		snprintf(text, sizeof(text), "%s" QUIRK, heads[i]);
		tree_put(root, "dev/kmsg", text);
		assert_reads(root, SAYS("1"));
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		snprintf(text, sizeof(text), "%s" QUIRK, others[i]);
		tree_put(root, "dev/kmsg", text);
		assert_reads(root, "ssdpm-suspend 1\n");
	}
	tree_put(root, "dev/kmsg", "6,7,9,-;ahci" QUIRK);
	assert_reads(root, "ssdpm-suspend 1\n");
	tree_remove(root);
}

static void assert_smu(const char *root, const char *status, const char *wanted)
{
	char text[200];

	snprintf(text, sizeof(text),
		 "\n=== SMU Statistics ===\nTable Version: 3\n%s"
		 "Time (in us) to S0i3: 102543\nTime (in us) in S0i3: 58\n"
		 "Time (in us) to resume from S0i3: 7\n",
		 status);
	tree_put(root, "sys/kernel/debug/amd_pmc/smu_fw_info", text);
	snprintf(text, sizeof(text),
		 "ssdpm-suspend 1\n"
		 "last %s /sys/kernel/debug/amd_pmc/smu_fw_info\tS0i3\n",
		 wanted ? wanted : "");
	assert_reads(root, wanted ? text : "ssdpm-suspend 1\n");
}

static void the_smu_has_the_time_of_a_sleep_that_succeeded(void **state)
{
	char *root = tree_new();

	(void)state;
	assert_smu(root, "Last S0i3 Status: Success\n", "58");
	assert_smu(root, "Last S0i3 Status: Unknown/Fail\n", "0");
	/* Linux before 5.16: unknown is no success. */
	assert_smu(root, "", NULL);
	tree_put(root, "sys/kernel/debug/amd_pmc/smu_fw_info",
		 "Time (in us) in S0i3: 0\n");
	assert_reads(root,
		     "ssdpm-suspend 1\n"
		     "last 0 /sys/kernel/debug/amd_pmc/smu_fw_info\tS0i3\n");
	tree_remove(root);
}

static void of_several_controllers_the_main_one_is_read(void **state)
{
	char *root = tree_new();

	(void)state;
	tree_put(root, "sys/kernel/debug/pmc_core/substate_residencies",
		 "pmc0   Substate       Residency\n"
		 "         S0i2.0               5\n"
		 "         S0i2.1               6\n"
		 "pmc1   Substate       Residency\n"
		 "         S0i2.0               7\n"
		 "         S0i2.1               0\n");
	assert_reads(root, "ssdpm-suspend 1\n"
			   "substate 5 " PMC "substate_residencies\tS0i2.0\n"
			   "substate 6 " PMC "substate_residencies\tS0i2.1\n");
	tree_remove(root);
}

static void a_maximum_of_0_is_a_counter_that_no_driver_fills(void **state)
{
	char *root = tree_new();

	(void)state;
	tree_put(root, "sys/power/suspend_stats/success", "3\n");
	tree_put(root, "sys/power/suspend_stats/max_hw_sleep", "0\n");
	tree_put(root, "sys/power/suspend_stats/total_hw_sleep", "0\n");
	tree_put(root, "sys/power/suspend_stats/last_hw_sleep", "0\n");
	assert_reads(root, "ssdpm-suspend 1\nsuccess 3 " STATS "success\t\n");
	tree_remove(root);
}

static void what_is_missing_is_said(void **state)
{
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	struct ssdpm_suspend_reading *reading =
		reading_of(HEAD "package 9 /sys/x\n");
	struct ssdpm_suspend_params params = { .size = sizeof(params) };
	struct ssdpm_error error = fixture_error();
	char *text = UNTOUCHED;

	(void)state;
	assert_int_equal(ssdpm_suspend_to_json(&params, &text, &error),
			 -EINVAL);
	params.facts = &facts;
	assert_int_equal(ssdpm_suspend_to_json(&params, &text, &error),
			 -EINVAL);
	params.after = reading;
	params.n_drives = 1;
	assert_int_equal(ssdpm_suspend_to_json(&params, &text, &error),
			 -EINVAL);
	assert_ptr_equal(text, UNTOUCHED);
	params.n_drives = 0;
	assert_int_equal(ssdpm_suspend_to_json(&params, &text, NULL), 0);
	assert_non_null(strstr(text, "\"outcome\": \"cannot-say\""));
	assert_non_null(strstr(text, "\"n_suspends\": null"));
	free(text);
	ssdpm_suspend_reading_free(reading);
}

static void a_link_keeps_its_policy_in_s2idle_alone(void **state)
{
	const struct ssdpm_diagnosis found[] = {
		{ .code = SSDPM_DIAGNOSIS_HOT_PLUG_PORT, .message = "no" },
		{ .code = SSDPM_DIAGNOSIS_LPM_KEPT, .message = "kept" },
	};
	const struct ssdpm_diagnosis shut_down = {
		.code = SSDPM_DIAGNOSIS_SUSPEND, .message = "shut down"
	};
	struct ssdpm_suspend_drive drive = { .diagnoses = found,
					     .n_diagnoses = 2 };

	(void)state;
	assert_string_equal(ssdpm_suspend_get_plan(
				    &drive, SSDPM_SUSPEND_OUTCOME_CANNOT_SAY),
			    "kept");
	assert_null(
		ssdpm_suspend_get_plan(&drive, SSDPM_SUSPEND_OUTCOME_FIRMWARE));
	drive.diagnoses = &shut_down;
	drive.n_diagnoses = 1;
	assert_string_equal(
		ssdpm_suspend_get_plan(&drive, SSDPM_SUSPEND_OUTCOME_FIRMWARE),
		"shut down");
	assert_null(
		ssdpm_suspend_get_plan(NULL, SSDPM_SUSPEND_OUTCOME_REACHED));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_deepest_substate_decides),
		cmocka_unit_test(
			a_substate_that_grew_between_the_readings_is_reached),
		cmocka_unit_test(
			a_substate_that_the_first_reading_lacks_leaves_it_open),
		cmocka_unit_test(
			what_the_battery_gave_while_awake_is_not_of_the_sleep),
		cmocka_unit_test(
			a_first_reading_without_counters_leaves_it_open),
		cmocka_unit_test(counters_that_disagree_contradict_each_other),
		cmocka_unit_test(
			more_than_a_watt_from_the_battery_is_against_it),
		cmocka_unit_test(what_no_counter_says_is_unknown_and_not_0),
		cmocka_unit_test(without_a_counter_nothing_is_said),
		cmocka_unit_test(
			a_suspend_that_was_not_or_failed_is_no_verdict),
		cmocka_unit_test(
			a_residency_of_the_last_sleep_that_stays_is_of_an_earlier_one),
		cmocka_unit_test(
			a_register_that_went_through_its_range_has_grown),
		cmocka_unit_test(
			a_source_that_was_registered_anew_is_no_contradiction),
		cmocka_unit_test(readings_that_do_not_go_together_are_refused),
		cmocka_unit_test(
			a_remedy_is_verified_for_the_drive_of_a_case_alone),
		cmocka_unit_test(
			only_a_policy_that_keeps_a_link_awake_needs_another),
		cmocka_unit_test(a_case_without_a_remedy_says_so_first),
		cmocka_unit_test(a_quirk_is_turned_round_where_linux_can),
		cmocka_unit_test(a_machine_that_sleeps_deeply_needs_no_remedy),
		cmocka_unit_test(the_text_of_a_reading_gives_it_back),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(a_text_that_was_cut_short_is_refused),
		cmocka_unit_test(the_log_has_the_states_of_devices),
		cmocka_unit_test(
			what_the_driver_said_of_a_drive_explains_its_plan),
		cmocka_unit_test(a_log_of_100_kib_is_read_to_its_end),
		cmocka_unit_test(an_earlier_boot_says_nothing_of_this_one),
		cmocka_unit_test(
			a_log_that_is_added_counts_from_its_last_boot_on),
		cmocka_unit_test(linux_alone_says_what_its_driver_found),
		cmocka_unit_test(
			the_log_of_the_boot_says_what_the_driver_found),
		cmocka_unit_test(
			a_drive_that_is_bound_again_is_as_the_driver_found_it_last),
		cmocka_unit_test(a_zero_byte_is_no_time),
		cmocka_unit_test(
			records_that_are_lost_take_what_was_known_with_them),
		cmocka_unit_test(a_part_of_a_log_denies_no_quirk),
		cmocka_unit_test(
			the_smu_has_the_time_of_a_sleep_that_succeeded),
		cmocka_unit_test(
			where_no_clock_stops_the_time_asleep_is_unknown),
		cmocka_unit_test(all_files_of_a_machine_are_read),
		cmocka_unit_test(of_several_controllers_the_main_one_is_read),
		cmocka_unit_test(
			a_maximum_of_0_is_a_counter_that_no_driver_fills),
		cmocka_unit_test(what_is_missing_is_said),
		cmocka_unit_test(a_link_keeps_its_policy_in_s2idle_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
