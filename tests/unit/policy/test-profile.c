/* SPDX-License-Identifier: MIT */
/* Profiles: those that are built in, and what a user may write. */
#include "fixture.h"

#include <stdio.h>

enum {
	EVERYTHING =
		SSDPM_PROFILE_MAX_EXIT_LATENCY | SSDPM_PROFILE_PRIMARY_TIMEOUT |
		SSDPM_PROFILE_PRIMARY_LATENCY_TOLERANCE |
		SSDPM_PROFILE_SECONDARY_TIMEOUT |
		SSDPM_PROFILE_SECONDARY_LATENCY_TOLERANCE | SSDPM_PROFILE_LPM,
	AC = SSDPM_SOURCE_AC,
	BATTERY = SSDPM_SOURCE_BATTERY,
};

/* From a copy that ends where the text does. */
static int find(const char *text, const char *name, uint32_t source,
		struct ssdpm_profile_settings *ret_settings,
		struct ssdpm_error *reterr)
{
	size_t bytes = text ? strlen(text) : 0;
	char *copy = NULL;
	int err;

	if (bytes) {
		copy = malloc(bytes);
		assert_non_null(copy);
		memcpy(copy, text, bytes);
	}
	ret_settings->size = sizeof(*ret_settings);
	err = ssdpm_profile_find(copy, bytes, name, source, ret_settings,
				 reterr);
	free(copy);
	return err;
}

static struct ssdpm_profile_settings get(const char *text, const char *name,
					 uint32_t source)
{
	struct ssdpm_profile_settings settings = { 0 };
	struct ssdpm_error error = fixture_error();

	if (find(text, name, source, &settings, &error))
		fail_msg("%s: line %u: %s", name, error.line, error.message);
	assert_int_equal(settings.size, sizeof(settings));
	assert_int_equal(settings.power_source, source);
	assert_string_equal(settings.name, name);
	return settings;
}

static const char *const built_in[] = { "balanced", "performance",
					"power-saver" };

static void built_in_profiles_say_everything(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		for (uint32_t source = AC; source <= BATTERY; source++) {
			struct ssdpm_profile_settings settings =
				get(NULL, built_in[i], source);

			assert_int_equal(settings.set, EVERYTHING);
			assert_true(settings.n_lpms >= 1);
			assert_true(strlen(settings.reason) > 20);
			assert_null(strstr(settings.reason, "no reason"));
		}
	}
}

static void balanced_is_what_linux_does_by_itself(void **state)
{
	struct ssdpm_apst_params own;

	(void)state;
	assert_int_equal(ssdpm_apst_params_init(&own, sizeof(own)), 0);
	for (uint32_t source = AC; source <= BATTERY; source++) {
		struct ssdpm_profile_settings s = get(NULL, "balanced", source);

		assert_int_equal(s.max_exit_latency_us,
				 own.max_exit_latency_us);
		assert_int_equal(s.primary_timeout_ms, own.primary_timeout_ms);
		assert_int_equal(s.primary_latency_tolerance_us,
				 own.primary_latency_tolerance_us);
		assert_int_equal(s.secondary_timeout_ms,
				 own.secondary_timeout_ms);
		assert_int_equal(s.secondary_latency_tolerance_us,
				 own.secondary_latency_tolerance_us);
		assert_int_equal(s.n_lpms, 1);
		assert_int_equal(s.lpms[0], SSDPM_LPM_MED_POWER_WITH_DIPM);
	}
}

static void performance_on_ac_lets_nothing_sleep(void **state)
{
	struct ssdpm_profile_settings s = get(NULL, "performance", AC);

	(void)state;
	assert_int_equal(s.max_exit_latency_us, 0);
	assert_int_equal(s.n_lpms, 1);
	assert_int_equal(s.lpms[0], SSDPM_LPM_MAX_PERFORMANCE);
}

static void no_built_in_profile_says_min_power(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		for (uint32_t source = AC; source <= BATTERY; source++) {
			struct ssdpm_profile_settings s =
				get(NULL, built_in[i], source);

			for (uint32_t k = 0; k < s.n_lpms; k++)
				assert_int_not_equal(s.lpms[k],
						     SSDPM_LPM_MIN_POWER);
		}
	}
}

/* The states that Linux' algorithm reaches grow from one profile to the next.
 */
static void each_profile_lets_drives_sleep_deeper_than_the_one_before(
	void **state)
{
	static const char *const order[] = { "performance", "balanced",
					     "power-saver" };
	static const struct latencies states[] = { { 0, 0, 0 },
						   { 1, 5000, 1900 },
						   { 1, 13000, 100000 } };
	struct ssdpm_model *model = fixture_model(states, 3);
	static const uint32_t deepest[3][2] = { { 0, 1 }, { 1, 1 }, { 1, 2 } };

	(void)state;
	for (int i = 0; i < 3; i++) {
		for (uint32_t source = AC; source <= BATTERY; source++) {
			struct ssdpm_profile_settings s =
				get(NULL, order[i], source);
			struct ssdpm_apst_params params;
			struct ssdpm_apst table;

			ssdpm_apst_params_init(&params, sizeof(params));
			params.max_exit_latency_us = s.max_exit_latency_us;
			params.primary_timeout_ms = s.primary_timeout_ms;
			params.primary_latency_tolerance_us =
				s.primary_latency_tolerance_us;
			params.secondary_timeout_ms = s.secondary_timeout_ms;
			params.secondary_latency_tolerance_us =
				s.secondary_latency_tolerance_us;
			assert_int_equal(ssdpm_apst_generate(model, &params,
							     &table, NULL),
					 0);
			for (uint32_t k = 1; k < 3; k++)
				assert_int_equal(fixture_is_entered(&table, k),
						 k <= deepest[i][source - 1]);
		}
	}
	ssdpm_model_unref(model);
}

static void a_profile_may_have_every_key(void **state)
{
	static const char text[] =
		"; mine\n"
		"\n"
		"  [travel]  \r\n"
		"ac.max_exit_latency = 25ms\n"
		"battery.max_exit_latency=any\n"
		"primary_timeout = 0.05s\n"
		"# so early\n"
		"primary_latency_tolerance\t=\t1.5 ms\n"
		"ac.secondary_timeout = 16777215ms\n"
		"battery.secondary_timeout = 0s\n"
		"secondary_latency_tolerance = 2147483646us\n"
		"battery.lpm = min_power_with_partial med_power_with_dipm\n"
		"reason = trains = shaky\n";
	struct ssdpm_profile_settings s = get(text, "travel", AC);

	(void)state;
	assert_int_equal(s.set, EVERYTHING & ~SSDPM_PROFILE_LPM);
	assert_int_equal(s.max_exit_latency_us, 25000);
	assert_int_equal(s.primary_timeout_ms, 50);
	assert_int_equal(s.primary_latency_tolerance_us, 1500);
	assert_int_equal(s.secondary_timeout_ms, 16777215);
	assert_int_equal(s.secondary_latency_tolerance_us, 2147483646);
	assert_int_equal(s.n_lpms, 0);
	assert_string_equal(s.reason, "trains = shaky");
	s = get(text, "travel", BATTERY);
	assert_int_equal(s.set, EVERYTHING);
	assert_true(s.max_exit_latency_us == SSDPM_LATENCY_ANY);
	assert_int_equal(s.secondary_timeout_ms, 0);
	assert_int_equal(s.n_lpms, 2);
	assert_int_equal(s.lpms[0], SSDPM_LPM_MIN_POWER_WITH_PARTIAL);
	assert_int_equal(s.lpms[1], SSDPM_LPM_MED_POWER_WITH_DIPM);
}

static void a_profile_is_based_on_a_built_in_one_of_the_same_source(
	void **state)
{
	static const char text[] = "[a]\n"
				   "based_on = power-saver\n"
				   "battery.lpm = medium_power\n";
	struct ssdpm_profile_settings s = get(text, "a", AC), saver;

	(void)state;
	saver = get(NULL, "power-saver", AC);
	assert_int_equal(s.max_exit_latency_us, saver.max_exit_latency_us);
	assert_int_equal(s.lpms[0], saver.lpms[0]);
	assert_int_equal(s.set, EVERYTHING);
	s = get(text, "a", BATTERY);
	saver = get(NULL, "power-saver", BATTERY);
	assert_int_equal(s.max_exit_latency_us, saver.max_exit_latency_us);
	assert_int_equal(s.n_lpms, 1);
	assert_int_equal(s.lpms[0], SSDPM_LPM_MEDIUM_POWER);
	/* Not the reason for other values. */
	assert_string_equal(s.reason, "line 1 of the profiles gives no reason");
}

static void a_profile_of_the_user_hides_the_one_that_is_built_in(void **state)
{
	static const char text[] = "[balanced]\n"
				   "based_on = balanced\n"
				   "max_exit_latency = 1ms\n"
				   "[b]\nlpm = min_power\n";
	char name[32];

	(void)state;
	assert_int_equal(get(text, "balanced", AC).max_exit_latency_us, 1000);
	assert_int_equal(get(text, "b", AC).set, SSDPM_PROFILE_LPM);
	assert_int_equal(get(text, "performance", AC).max_exit_latency_us, 0);
	for (size_t i = 0; i < 4; i++) {
		static const char *const names[] = { "balanced", "b",
						     "performance",
						     "power-saver" };

		assert_int_equal(ssdpm_profile_get_name(text, strlen(text), i,
							name, NULL),
				 0);
		assert_string_equal(name, names[i]);
	}
	assert_int_equal(
		ssdpm_profile_get_name(text, strlen(text), 4, name, NULL),
		-ERANGE);
}

static void the_built_in_profiles_have_names(void **state)
{
	struct ssdpm_error error = fixture_error();
	char name[32] = "untouched";

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(ssdpm_profile_get_name(NULL, 0, i, name, NULL),
				 0);
		assert_string_equal(name, built_in[i]);
	}
	assert_int_equal(ssdpm_profile_get_name(NULL, 0, 3, name, &error),
			 -ERANGE);
	assert_string_equal(name, "power-saver");
	fixture_assert_error(&error, -ERANGE, 0, "3 profiles");
}

static void a_fault_names_its_line(void **state)
{
	static const struct {
		const char *text;
		uint32_t line;
		const char *words;
	} faults[] = {
		{ "lpm = min_power\n", 1, "begins with [NAME]" },
		{ "\n[a\n", 2, "begins with [NAME]" },
		{ "[]\n", 1, "begins with [NAME]" },
		{ "[", 1, "begins with [NAME]" },
		{ "[a b]\n", 1, "begins with [NAME]" },
		{ "[-a]\n", 1, "begins with [NAME]" },
		{ "[a/b]\n", 1, "begins with [NAME]" },
		{ "[auto]\n", 1, "not auto" },
		{ "[a2345678901234567890123456789012]\n", 1, "at most 31" },
		{ "[a]\n", 1, "sets nothing" },
		{ "[a]\nreason = x\n[b]\nlpm = min_power\n", 1,
		  "sets nothing" },
		{ "[a]\nlpm = min_power\n[a]\n", 3, "of this name" },
		{ "[a]\nlpm\n", 2, "neither KEY = VALUE" },
		{ "[a]\n= 1ms\n", 2, ": no key of a profile" },
		{ "[a]\nlpms = min_power\n", 2, "lpms: no key" },
		{ "[a]\nmains.lpm = min_power\n", 2, "mains.lpm: no key" },
		{ "[a]\nAC.lpm = min_power\n", 2, "with ac. or battery." },
		{ "[a]\nac. lpm = min_power\n", 2, "ac. lpm: no key" },
		{ "[a]\nac.based_on = balanced\n", 2, "; based_on" },
		{ "[a]\nlpm =\n", 2, "lpm = : no value" },
		{ "[a]\nlpm = min\n", 2, "lpm = min: not a policy" },
		{ "[a]\nlpm = keep_firmware_settings\n", 2, "can be set" },
		{ "[a]\nlpm = min_power min_power\n", 2, "named twice" },
		{ "[a]\nlpm = min_power\nac.lpm = min_power\n", 3,
		  "lpm: given twice" },
		{ "[a]\nac.lpm = min_power\nbattery.lpm = min_power\n"
		  "lpm = min_power\n",
		  4, "lpm: given twice" },
		{ "[a]\nmax_exit_latency = 25\n", 2, "with its unit" },
		{ "[a]\nmax_exit_latency = 25 m\n", 2, "with its unit" },
		{ "[a]\nmax_exit_latency = 1,5ms\n", 2, "a point" },
		{ "[a]\nmax_exit_latency = 25MS\n", 2, "with its unit" },
		{ "[a]\nmax_exit_latency = -1ms\n", 2, "with its unit" },
		{ "[a]\nmax_exit_latency = 25ms 2ms\n", 2, "with its unit" },
		{ "[a]\nmax_exit_latency = 0.5us\n", 2, "with its unit" },
		{ "[a]\nmax_exit_latency = auto\n", 2, "with its unit" },
		{ "[a]\nmax_exit_latency = 2147483647us\n", 2, "2147483646us" },
		{ "[a]\nmax_exit_latency = 99999999999999999s\n", 2, "unit" },
		{ "[a]\nprimary_timeout = any\n", 2, "with its unit" },
		{ "[a]\nprimary_timeout = 1500us\n", 2, "millisecond" },
		{ "[a]\nsecondary_timeout = 1.0005s\n", 2, "millisecond" },
		{ "[a]\nsecondary_timeout = 16777216ms\n", 2, "16777215ms" },
		{ "[a]\nprimary_latency_tolerance = 2147483647us\n", 2,
		  "too long" },
		{ "[a]\nsecondary_latency_tolerance = any\n", 2, "unit" },
		{ "[a]\nlpm = min_power\nbased_on = balanced\n", 3,
		  "comes first" },
		{ "[a]\nbased_on = b\n", 2, "based_on = b: write performance" },
		{ "[b]\nlpm = min_power\n[a]\nbased_on = b\n", 4,
		  "performance, balanced or" },
		{ "[a]\nbased_on = balanced\nbased_on = balanced\n", 3,
		  "given twice" },
		/* Not only of the profile that is looked for. */
		{ "[balanced]\nlpm = min_power\n[z]\nx = 1\n", 4, "x: no key" },
		/* Nor only of the source. */
		{ "[a]\nbattery.lpm = x\n", 2, "lpm = x: not a policy" },
		{ "[a]\nac.lpm = x\n", 2, "lpm = x: not a policy" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		for (uint32_t source = AC; source <= BATTERY; source++) {
			struct ssdpm_profile_settings s = { 0 };
			struct ssdpm_error error = fixture_error();
			char name[32] = "untouched";

			if (find(faults[i].text, "balanced", source, &s,
				 &error) != -EINVAL)
				fail_msg("no fault: %s", faults[i].text);
			fixture_assert_error(&error, -EINVAL, faults[i].line,
					     faults[i].words);
			assert_int_equal(s.set, 0);
			assert_int_equal(
				ssdpm_profile_get_name(faults[i].text,
						       strlen(faults[i].text),
						       0, name, NULL),
				-EINVAL);
			assert_string_equal(name, "untouched");
		}
	}
}

static void a_reason_has_room_for_247_characters(void **state)
{
	char text[400] = "[a]\nlpm = min_power\nreason = ";
	struct ssdpm_profile_settings s = { 0 };
	struct ssdpm_error error = fixture_error();
	size_t length = strlen(text);

	(void)state;
	memset(text + length, 'x', 247);
	text[length] = '\t'; /* a blank, taken off */
	assert_int_equal(strlen(get(text, "a", AC).reason), 246);
	text[length] = '\x1b';
	assert_int_equal(get(text, "a", AC).reason[0], '?');
	text[length + 247] = 'x';
	assert_int_equal(find(text, "a", AC, &s, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 3, "longer than 247");
}

static void there_are_at_most_32_profiles(void **state)
{
	char text[33 * 40] = "", name[32];
	struct ssdpm_profile_settings s = { 0 };
	struct ssdpm_error error = fixture_error();
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 32; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "[p%d]\nlpm = min_power\n", i);
	assert_int_equal(get(text, "p31", AC).n_lpms, 1);
	assert_int_equal(ssdpm_profile_get_name(text, n, 34, name, NULL), 0);
	assert_string_equal(name, "power-saver");
	snprintf(text + n, sizeof(text) - n, "[q]\nlpm = min_power\n");
	assert_int_equal(find(text, "p0", AC, &s, &error), -E2BIG);
	fixture_assert_error(&error, -E2BIG, 65, "more than 32");
}

static void an_unknown_name_brings_the_known_ones(void **state)
{
	struct ssdpm_profile_settings s = { 0 };
	struct ssdpm_error error = fixture_error();

	(void)state;
	assert_int_equal(
		find("[mine]\nlpm = min_power\n", "yours", AC, &s, &error),
		-ENOENT);
	fixture_assert_error(
		&error, -ENOENT, 0,
		"unknown profile 'yours'; expected mine, balanced, "
		"performance, power-saver");
	assert_int_equal(find(NULL, "", AC, &s, NULL), -ENOENT);
}

static void a_source_and_a_size_are_checked(void **state)
{
	struct ssdpm_profile_settings s = { 0 };
	struct ssdpm_error error = fixture_error();

	(void)state;
	assert_int_equal(find(NULL, "balanced", 0, &s, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "power_source");
	assert_int_equal(find(NULL, "balanced", 3, &s, NULL), -EINVAL);
	s.size = 0;
	assert_int_equal(ssdpm_profile_find(NULL, 0, "balanced", AC, &s, NULL),
			 -EINVAL);
	/* A caller that knows less of it. */
	memset(&s, 0x5a, sizeof(s));
	s.size = offsetof(struct ssdpm_profile_settings, name);
	assert_int_equal(ssdpm_profile_find(NULL, 0, "balanced", AC, &s, NULL),
			 0);
	assert_int_equal(s.size, offsetof(struct ssdpm_profile_settings, name));
	assert_int_equal(s.set, EVERYTHING);
	assert_int_equal(s.name[0], 0x5a);
}

static void policies_have_exact_names(void **state)
{
	(void)state;
	for (uint32_t lpm = 1; lpm <= SSDPM_LPM_MIN_POWER; lpm++)
		assert_int_equal(
			ssdpm_lpm_from_string(ssdpm_lpm_to_string(lpm)), lpm);
	/* Linux takes these for min_power. */
	assert_int_equal(ssdpm_lpm_from_string("min_power_with_dipm"), 0);
	assert_int_equal(ssdpm_lpm_from_string("min_power "), 0);
	assert_int_equal(ssdpm_lpm_from_string("min"), 0);
	assert_int_equal(ssdpm_lpm_from_string("MIN_POWER"), 0);
	assert_int_equal(ssdpm_lpm_from_string(""), 0);
	assert_int_equal(ssdpm_lpm_from_string(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(built_in_profiles_say_everything),
		cmocka_unit_test(balanced_is_what_linux_does_by_itself),
		cmocka_unit_test(performance_on_ac_lets_nothing_sleep),
		cmocka_unit_test(no_built_in_profile_says_min_power),
		cmocka_unit_test(
			each_profile_lets_drives_sleep_deeper_than_the_one_before),
		cmocka_unit_test(a_profile_may_have_every_key),
		cmocka_unit_test(
			a_profile_is_based_on_a_built_in_one_of_the_same_source),
		cmocka_unit_test(
			a_profile_of_the_user_hides_the_one_that_is_built_in),
		cmocka_unit_test(the_built_in_profiles_have_names),
		cmocka_unit_test(a_fault_names_its_line),
		cmocka_unit_test(a_reason_has_room_for_247_characters),
		cmocka_unit_test(there_are_at_most_32_profiles),
		cmocka_unit_test(an_unknown_name_brings_the_known_ones),
		cmocka_unit_test(a_source_and_a_size_are_checked),
		cmocka_unit_test(policies_have_exact_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
