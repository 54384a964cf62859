/* SPDX-License-Identifier: MIT */
/* What nvme id-ctrl -o json prints, in each of its generations. */
#include "fixture.h"

#include <stdio.h>

#define COMMON                                                        \
	"\"entry_lat\": 4000, \"exit_lat\": 10000, \"read_tput\": 3," \
	" \"read_lat\": 4, \"write_tput\": 5, \"write_lat\": 6,"

/* What becomes of a state with these members. */
static struct ssdpm_power_state read_members(const char *members)
{
	struct ssdpm_power_state ps;
	struct ssdpm_model *model;
	char text[2048];

	snprintf(text, sizeof(text), "{\"psds\": [{%s}]}", members);
	model = fixture_read_good(text);
	ps = *ssdpm_model_get_states(model, NULL);
	ssdpm_model_unref(model);
	return ps;
}

static void assert_bad_members(const char *members, int code,
			       const char *fragment)
{
	char text[2048];

	snprintf(text, sizeof(text), "{\"psds\": [{\"flags\": 0},\n{%s}]}",
		 members);
	fixture_assert_bad(text, code, 2, fragment);
}

static const struct ssdpm_power_state asleep = {
	.flags = SSDPM_STATE_NON_OPERATIONAL,
	.unknown = SSDPM_FIELD_EMERGENCY_POWER_FAIL_RECOVERY_TIME |
		   SSDPM_FIELD_FORCED_QUIESCENCE_VAULT_TIME |
		   SSDPM_FIELD_EMERGENCY_POWER_FAIL_VAULT_TIME,
	.max_power_uw = 70000,
	.active_power_uw = 6000000,
	.idle_power_uw = 25000,
	.entry_latency_us = 4000,
	.exit_latency_us = 10000,
	.read_throughput_rank = 3,
	.read_latency_rank = 4,
	.write_throughput_rank = 5,
	.write_latency_rank = 6,
	.active_power_workload = 2,
};

static void every_generation_of_keys_is_read(void **state)
{
	static const char *const generations[] = {
		/* 1.x: whole bytes, 1 << 6 and 2 << 6 | 2 */
		COMMON "\"max_power\": 700, \"flags\": 3, \"idle_power\": 250,"
		       "\"idle_scale\": 64, \"active_power\": 600,"
		       "\"active_work_scale\": 130",
		/* 2.3 */
		COMMON "\"max_power\": 700, \"flags\": 3, \"idle_power\": 250,"
		       "\"idle_scale\": 1, \"active_power\": 600,"
		       "\"active_power_work\": 2, \"active_scale\": 2",
		/* later */
		COMMON "\"max_power\": 700, \"max_power_scale\": 1,"
		       "\"non-operational_state\": 1, \"idle_power\": 250,"
		       "\"idle_scale\": 1, \"active_power\": 600,"
		       "\"active_power_work\": 2, \"active_scale\": 2",
		/* numbers in quotes */
		COMMON "\"max_power\": \"700\", \"flags\": \"0x3\","
		       "\"idle_power\": \"250\", \"idle_scale\": \"1\","
		       "\"active_power\": \"600\", \"active_power_work\": "
		       "\"2\","
		       "\"active_scale\": \"0x2\"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(generations) / sizeof(char *); i++) {
		struct ssdpm_power_state ps = read_members(generations[i]);

		assert_memory_equal(&ps, &asleep, sizeof(ps));
	}
}

static void max_power_scale_and_kind_are_one_bit_each(void **state)
{
	static const struct {
		const char *members;
		uint32_t uw, flags;
	} cases[] = {
		{ "\"flags\": 0", 10000, 0 },
		{ "\"flags\": 1", 100, 0 },
		{ "\"flags\": 2", 10000, 1 },
		{ "\"flags\": 252", 10000, 0 },
		{ "\"flags\": 255", 100, 1 },
		{ "\"max_power_scale\": 0, \"non-operational_state\": 0", 10000,
		  0 },
		{ "\"max_power_scale\": 1, \"non-operational_state\": 0", 100,
		  0 },
		{ "\"max_power_scale\": 0, \"non-operational_state\": 1", 10000,
		  1 },
		{ "\"max_power_scale\": 0, \"flags\": 3", 10000, 1 },
		{ "\"non-operational_state\": 0, \"flags\": 3", 100, 0 },
	};
	char members[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_power_state ps;

		snprintf(members, sizeof(members), "\"max_power\": 1, %s",
			 cases[i].members);
		ps = read_members(members);
		assert_int_equal(ps.max_power_uw, cases[i].uw);
		assert_int_equal(ps.flags, cases[i].flags);
	}
}

static void powers_are_exact_and_zero_is_not_reported(void **state)
{
	static const struct {
		const char *members;
		uint32_t uw;
		bool not_reported;
	} cases[] = {
		{ "\"idle_power\": 65535, \"idle_scale\": 2", 655350000, 0 },
		{ "\"idle_power\": 1, \"idle_scale\": 1", 100, 0 },
		{ "\"idle_power\": 9, \"idle_scale\": 0", 0, 1 },
		{ "\"idle_power\": 9, \"idle_scale\": 3", 0, 1 },
		{ "\"idle_power\": 0, \"idle_scale\": 2", 0, 1 },
		{ "\"idle_power\": 9, \"idle_scale\": 128", 90000, 0 },
		{ "\"idle_power\": 9, \"idle_scale\": 192", 0, 1 },
		/* whole bytes: bits 1:0 are reserved */
		{ "\"idle_power\": 9, \"idle_scale\": 2,"
		  "\"active_work_scale\": 0",
		  0, 1 },
		{ "\"idle_power\": 9", 0, 0 },
		{ "\"idle_power\": null, \"idle_scale\": 2", 0, 0 },
		{ "\"idle_scale\": 2", 0, 0 },
	};
	const uint32_t bit = SSDPM_FIELD_IDLE_POWER;
	char members[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_power_state ps;

		snprintf(members, sizeof(members), "\"flags\": 0, %s",
			 cases[i].members);
		ps = read_members(members);
		assert_int_equal(ps.idle_power_uw, cases[i].uw);
		assert_int_equal(ps.unknown & bit, cases[i].uw ? 0 : bit);
		assert_int_equal(ps.not_reported & bit,
				 cases[i].not_reported ? bit : 0);
	}
}

static void members_that_are_missing_are_unknown(void **state)
{
	struct ssdpm_model *model =
		fixture_read_good("{\"psds\": [{\"flags\": 0}]}");
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);

	(void)state;
	assert_int_equal(info->unknown,
			 SSDPM_INFO_VENDOR_ID | SSDPM_INFO_PRODUCT |
				 SSDPM_INFO_FIRMWARE | SSDPM_INFO_APSTA);
	assert_int_equal(info->format, SSDPM_FORMAT_NVME_CLI_JSON);
	assert_int_equal(info->provenance, SSDPM_PROVENANCE_REPORTED);
	assert_int_equal(ssdpm_model_get_states(model, NULL)->unknown,
			 (1 << 13) - 1);
	assert_int_equal(ssdpm_model_get_states(model, NULL)->not_reported, 0);
	ssdpm_model_unref(model);
}

static void the_drive_is_read(void **state)
{
	struct ssdpm_model *model = fixture_read_good(
		"[{\"vid\": 5559, \"apsta\": 1, \"npss\": 0,"
		"\"mn\": \"  A drive      \", \"fr\": \"\\u00e9 1 \","
		"\"sn\": 7, \"psds\": [{\"flags\": 0}]}]");
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);

	(void)state;
	assert_int_equal(info->unknown, 0);
	assert_int_equal(info->vendor_id, 0x15b7);
	assert_int_equal(info->apsta, 1);
	assert_string_equal(info->product, "  A drive");
	assert_string_equal(info->firmware, "?? 1");
	ssdpm_model_unref(model);
	model = fixture_read_good(
		"{\"mn\": \"01234567890123456789012345678901234567890"
		"\", \"fr\": \"012345678\", \"vid\": \"0x15b7\","
		"\"psds\": [{\"flags\": 0}]}");
	info = ssdpm_model_get_info(model);
	assert_int_equal(info->unknown, SSDPM_INFO_PRODUCT |
						SSDPM_INFO_FIRMWARE |
						SSDPM_INFO_APSTA);
	ssdpm_model_unref(model);
}

static void a_text_beyond_all_bounds_is_unknown(void **state)
{
	struct ssdpm_model *model;
	char text[512];

	(void)state;
	snprintf(text, sizeof(text),
		 "{\"mn\": \"%0300d\", \"psds\": [{\"flags\": 0}]}", 0);
	model = fixture_read_good(text);
	assert_true(ssdpm_model_get_info(model)->unknown & SSDPM_INFO_PRODUCT);
	ssdpm_model_unref(model);
}

static void latencies_may_have_a_sign_and_ranks_reserved_bits(void **state)
{
	struct ssdpm_power_state ps =
		read_members("\"flags\": 0, \"entry_lat\": -1,"
			     "\"exit_lat\": -2147483648, \"read_tput\": 255,"
			     "\"read_lat\": 32");

	(void)state;
	assert_int_equal(ps.entry_latency_us, UINT32_MAX);
	assert_int_equal(ps.exit_latency_us, 1u << 31);
	assert_int_equal(ps.read_throughput_rank, 31);
	assert_int_equal(ps.read_latency_rank, 0);
}

static void times_of_power_loss_have_their_scale(void **state)
{
	struct ssdpm_power_state ps = read_members(
		"\"flags\": 0, \"emerg_power_fail_recover_time\": 99,"
		"\"emerg_power_fail_recover_scale\": 12,"
		"\"force_quiesce_vault_time\": 7,"
		"\"force_quiesce_vault_scale\": 1,"
		"\"emerg_power_fail_vault_time\": 5,"
		"\"emerg_power_fail_vault_scale\": 13");

	(void)state;
	assert_int_equal(ps.emergency_power_fail_recovery_time_us,
			 99000000000000);
	assert_int_equal(ps.forced_quiescence_vault_time_us, 70);
	assert_true(ps.unknown & SSDPM_FIELD_EMERGENCY_POWER_FAIL_VAULT_TIME);
	ps = read_members("\"flags\": 0, \"force_quiesce_vault_time\": 7");
	assert_true(ps.unknown & SSDPM_FIELD_FORCED_QUIESCENCE_VAULT_TIME);
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
	static const char *const bytes[] = { "flags",
					     "max_power_scale",
					     "non-operational_state",
					     "read_tput",
					     "write_lat",
					     "idle_scale",
					     "active_work_scale",
					     "emerg_power_fail_vault_time" };
	char members[128], fragment[128];

	(void)state;
	assert_bad_members("", -EINVAL, "psds[1].flags: \"flags\" is needed");
	assert_bad_members("\"max_power_scale\": 1", -EINVAL, "is needed");
	assert_bad_members("\"non-operational_state\": 1", -EINVAL,
			   "is needed");
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		snprintf(members, sizeof(members), "%s\"%s\": 256",
			 i ? "\"flags\": 0, " : "", bytes[i]);
		snprintf(fragment, sizeof(fragment),
			 "psds[1].%s: 256 is more than 255", bytes[i]);
		assert_bad_members(members, -ERANGE, fragment);
	}
	assert_bad_members("\"flags\": 0, \"max_power\": 65536", -ERANGE,
			   "psds[1].max_power: 65536 is more than 65535");
	assert_bad_members("\"flags\": 0, \"idle_power\": 65536", -ERANGE,
			   "psds[1].idle_power: 65536");
	assert_bad_members("\"flags\": 0, \"active_power_work\": 8", -ERANGE,
			   "psds[1].active_power_work: 8");
	assert_bad_members("\"flags\": 0, \"entry_lat\": 4294967296", -ERANGE,
			   "psds[1].entry_lat: 4294967296");
	assert_bad_members("\"flags\": 0, \"exit_lat\": -2147483649", -ERANGE,
			   "psds[1].exit_lat: 2147483649");
	assert_bad_members("\"flags\": \"3x\"", -EINVAL,
			   "psds[1].flags: no whole number from 0 to 255");
	assert_bad_members("\"flags\": []", -EINVAL, "psds[1].flags: an array");
	assert_bad_members("\"flags\": 0, \"force_quiesce_vault_scale\": 16",
			   -ERANGE, "psds[1].force_quiesce_vault_scale: 16");
}

static void the_table_must_be_whole(void **state)
{
	char text[1024] = "{\"psds\": [";

	(void)state;
	fixture_assert_bad("{\n\"psds\": {}}", -EINVAL, 2,
			   "psds: an object where an");
	fixture_assert_bad("[\n{\"psds\": []}]", -EINVAL, 2, "no power state");
	fixture_assert_bad("{\"psds\":\n[7]}", -EINVAL, 2,
			   "psds[]: a whole number");
	fixture_assert_bad(
		"{\"npss\": 4,\n\"psds\": [{\"flags\": 0}]}", -EINVAL, 2,
		"psds: 1 power states, yet npss says that PS4 is the last");
	fixture_assert_bad("{\"npss\": 256,\n\"psds\": []}", -ERANGE, 1,
			   "npss: 256");
	fixture_assert_bad("{\"vid\": 65536,\n\"psds\": []}", -ERANGE, 1,
			   "vid: 65536");
	fixture_assert_bad("{\"apsta\": 256,\n\"psds\": []}", -ERANGE, 1,
			   "apsta: 256");
	fixture_assert_bad("{\"mn\": 3,\n\"psds\": []}", -EINVAL, 1,
			   "mn: a whole");
	fixture_assert_bad("{\"fr\": [],\n\"psds\": []}", -EINVAL, 1,
			   "fr: an array");
	for (int i = 0; i < 33; i++)
		strcat(text, i ? ", {\"flags\": 0}" : "{\"flags\": 0}");
	strcat(text, "]}");
	fixture_assert_bad(text, -EINVAL, 1,
			   "psds: 33 power states; NVMe has at most");
}

static void an_array_may_mix_formats(void **state)
{
	static const char text[] =
		"[{\"psds\": [{\"flags\": 0}]},\n"
		"{\"schema\": \"ssdpm.model/1\", \"kind\": \"sata\","
		" \"psds\": 7, \"states\": []}]";
	struct ssdpm_model **models;
	size_t n;

	(void)state;
	assert_int_equal(ssdpm_model_list_from_data(text, strlen(text), &models,
						    &n, NULL),
			 0);
	assert_int_equal(n, 2);
	assert_int_equal(ssdpm_model_get_info(models[0])->format,
			 SSDPM_FORMAT_NVME_CLI_JSON);
	assert_int_equal(ssdpm_model_get_info(models[1])->kind,
			 SSDPM_KIND_SATA);
	ssdpm_model_list_free(models, n);
	fixture_assert_bad(
		"[{}]", -EINVAL, 1,
		"schema: \"ssdpm.model/1\" is needed; without it, only JSON "
		"of nvme id-ctrl");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_generation_of_keys_is_read),
		cmocka_unit_test(max_power_scale_and_kind_are_one_bit_each),
		cmocka_unit_test(powers_are_exact_and_zero_is_not_reported),
		cmocka_unit_test(members_that_are_missing_are_unknown),
		cmocka_unit_test(the_drive_is_read),
		cmocka_unit_test(a_text_beyond_all_bounds_is_unknown),
		cmocka_unit_test(
			latencies_may_have_a_sign_and_ranks_reserved_bits),
		cmocka_unit_test(times_of_power_loss_have_their_scale),
		cmocka_unit_test(what_is_wrong_is_named_with_its_line),
		cmocka_unit_test(the_table_must_be_whole),
		cmocka_unit_test(an_array_may_mix_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
