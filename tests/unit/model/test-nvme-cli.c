/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <stdio.h>

/* What nvme id-ctrl prints, as people paste it. */

#define PS0                                                            \
	"ps    0 : mp:6.00W operational enlat:5 exlat:7 rrt:0 rrl:1\n" \
	"          rwt:2 rwl:3 idle_power:0.6300W active_power:3.10W\n"
#define PS1                                                                \
	"ps    1 : mp:0.0500W non-operational enlat:1000 exlat:9000 rrt:4" \
	" rrl:5\n          rwt:6 rwl:7 idle_power:- active_power:-\n"

static void assert_bad(const char *text, uint32_t line, const char *fragment)
{
	fixture_assert_bad(text, -EINVAL, line, fragment);
}

static void assert_two_states(const struct ssdpm_model *model)
{
	const uint32_t times = SSDPM_FIELD_EMERGENCY_POWER_FAIL_RECOVERY_TIME |
			       SSDPM_FIELD_FORCED_QUIESCENCE_VAULT_TIME |
			       SSDPM_FIELD_EMERGENCY_POWER_FAIL_VAULT_TIME;
	const struct ssdpm_power_state expected[2] = {
		{ .unknown = times | SSDPM_FIELD_ACTIVE_POWER_WORKLOAD,
		  .max_power_uw = 6000000,
		  .active_power_uw = 3100000,
		  .idle_power_uw = 630000,
		  .entry_latency_us = 5,
		  .exit_latency_us = 7,
		  .read_latency_rank = 1,
		  .write_throughput_rank = 2,
		  .write_latency_rank = 3 },
		{ .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .unknown = times | SSDPM_FIELD_ACTIVE_POWER_WORKLOAD |
			     SSDPM_FIELD_ACTIVE_POWER | SSDPM_FIELD_IDLE_POWER,
		  .not_reported =
			  SSDPM_FIELD_ACTIVE_POWER | SSDPM_FIELD_IDLE_POWER,
		  .max_power_uw = 50000,
		  .entry_latency_us = 1000,
		  .exit_latency_us = 9000,
		  .read_throughput_rank = 4,
		  .read_latency_rank = 5,
		  .write_throughput_rank = 6,
		  .write_latency_rank = 7 },
	};
	const struct ssdpm_power_state *states;
	size_t n;

	states = ssdpm_model_get_states(model, &n);
	assert_int_equal(n, 2);
	assert_memory_equal(states, expected, sizeof(expected));
}

static void assert_all_of_it(const char *text)
{
	struct ssdpm_model *model = fixture_read_good(text);
	struct ssdpm_model_info expected = {
		.size = sizeof(expected),
		.kind = SSDPM_KIND_NVME,
		.provenance = SSDPM_PROVENANCE_REPORTED,
		.vendor_id = 0x15b7,
		.apsta = 1,
		.product = "A drive 256GB",
		.firmware = "FW 1.0",
		.format = SSDPM_FORMAT_NVME_CLI_TEXT,
	};

	assert_memory_equal(ssdpm_model_get_info(model), &expected,
			    sizeof(expected));
	assert_two_states(model);
	ssdpm_model_unref(model);
}

static void both_widths_of_both_majors_are_read(void **state)
{
	(void)state;
	assert_all_of_it("NVME Identify Controller:\n"
			 "vid     : 0x15b7\n"
			 "ssvid   : 0x1179\n"
			 "sn      : SERIAL              \n"
			 "mn      : A drive 256GB                           \n"
			 "fr      : FW 1.0  \n"
			 "ver     : 10200\n"
			 "npss    : 1\n"
			 "apsta   : 0x1\n" PS0 PS1);
	assert_all_of_it(
		"NVME Identify Controller:\n"
		"vid       : 0x15b7\n"
		"mn        : A drive 256GB\n"
		"fr        : FW 1.0\n"
		"npss      : 1\n"
		"  [7:0] : 1 (0's based)\tNumber of Power States Support (NPSS)\n"
		"\n"
		"apsta     : 0x1\n"
		"  [0:0] : 0x1\tAutonomous Power State Transitions Supported\n"
		"\n" PS0 PS1);
}

#define HEAD "vid : 0x15b7\nmn : A drive 256GB\nfr : FW 1.0\napsta : 0x1\n"

static void prose_quotes_tabs_and_other_ends_of_lines_do_no_harm(void **state)
{
	(void)state;
	assert_all_of_it("\xef\xbb\xbf" HEAD PS0 PS1);
	assert_all_of_it("[root@host ~]# nvme id-ctrl /dev/nvme0\n" HEAD
			 "[...]\n" PS0 "and, asleep:\n\n" PS1
			 "exlat: that is long. enlat:1 rrt:9\nps axu\n");
	assert_all_of_it("> vid : 0x15b7\n>> mn : A drive 256GB\n"
			 "> fr : FW 1.0\n> > apsta : 0x1\n"
			 "> ps    0 : mp:6.00W operational enlat:5 exlat:7\n"
			 ">  rrt:0 rrl:1\n"
			 "> rwt:2 rwl:3 idle_power:0.6300W active_power:3.10W\n"
			 "> " PS1);
	assert_all_of_it(
		"\tvid\t:\t0x15b7\r\nmn:A drive 256GB\t# the model\r\n"
		"fr : FW 1.0 # its firmware\r\n\r\napsta : 1\r\n"
		"\tPS 0:\tmp:6.00W\toperational enlat:5 exlat:7 rrt:0\t"
		"rrl:1\r\nrwt:2 rwl:3 idle_power:0.6300W "
		"active_power:3.10W\r\n" PS1);
	assert_all_of_it(PS0 PS1 HEAD);
	assert_all_of_it(HEAD HEAD PS0 PS1);
}

static void what_is_not_there_is_unknown(void **state)
{
	struct ssdpm_model *model =
		fixture_read_good("mn :\nfr : \nvid : what\n"
				  "ps 0 : mp:? operational\n");
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);
	const struct ssdpm_power_state *ps =
		ssdpm_model_get_states(model, NULL);

	(void)state;
	assert_int_equal(info->unknown,
			 SSDPM_INFO_VENDOR_ID | SSDPM_INFO_PRODUCT |
				 SSDPM_INFO_FIRMWARE | SSDPM_INFO_APSTA);
	assert_int_equal(ps->unknown, (1 << 13) - 1);
	assert_int_equal(ps->not_reported, 0);
	ssdpm_model_unref(model);
}

static void texts_that_no_drive_has_are_unknown(void **state)
{
	struct ssdpm_model *model = fixture_read_good(
		"mn : 01234567890123456789012345678901234567890\n"
		"fr : caf\xc3\xa9\n" PS0);
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);

	(void)state;
	assert_true(info->unknown & SSDPM_INFO_PRODUCT);
	assert_string_equal(info->firmware, "caf??");
	ssdpm_model_unref(model);
}

/* What becomes of a state with these words. */
static struct ssdpm_power_state read_words(const char *words)
{
	char text[1024] = "ps 0 : mp:1.00W operational ";
	struct ssdpm_model *model;
	struct ssdpm_power_state ps;

	strcat(text, words);
	strcat(text, "\n");
	model = fixture_read_good(text);
	ps = *ssdpm_model_get_states(model, NULL);
	ssdpm_model_unref(model);
	return ps;
}

static void powers_are_exact_and_zero_is_not_reported(void **state)
{
	static const struct {
		const char *words;
		uint32_t idle, active, not_reported;
	} cases[] = {
		{ "idle_power:0.0001W active_power:6.5535W", 100, 6553500, 0 },
		{ "idle_power:0.01W active_power:655.35W", 10000, 655350000,
		  0 },
		{ "idle_power:0.0000W active_power:0.00W", 0, 0, 6 },
		{ "idle_power:- active_power:-", 0, 0, 6 },
		{ "idle_power:reserved active_power:reserved", 0, 0, 6 },
		{ "idle_power:5000.00W active_power:1.00", 0, 0, 0 },
		{ "idle_power:1.00mW active_power:", 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_power_state ps = read_words(cases[i].words);

		assert_int_equal(ps.idle_power_uw, cases[i].idle);
		assert_int_equal(ps.active_power_uw, cases[i].active);
		assert_int_equal(ps.unknown & 6, cases[i].idle ? 0 : 6);
		assert_int_equal(ps.not_reported & 6, cases[i].not_reported);
	}
}

static void a_fraction_of_02_is_believed_only_of_new_versions(void **state)
{
	struct ssdpm_power_state ps;

	(void)state;
	ps = read_words("idle_power:1.02W active_power:3.02W");
	assert_int_equal(ps.idle_power_uw + ps.active_power_uw, 0);
	assert_int_equal(ps.unknown & 6, 6);
	assert_int_equal(ps.not_reported & 6, 0);
	/* Another fraction, or the line of 2.x: the version is a later one. */
	ps = read_words("idle_power:1.02W active_power:3.03W");
	assert_int_equal(ps.idle_power_uw, 1020000);
	ps = read_words("idle_power:- active_power:3.02W\n"
			"active_power_workload:-");
	assert_int_equal(ps.active_power_uw, 3020000);
	/* The fault never touched four decimals. */
	ps = read_words("idle_power:0.0002W active_power:1.0002W");
	assert_int_equal(ps.idle_power_uw, 200);
	assert_int_equal(ps.active_power_uw, 1000200);
}

static void assert_range(const struct ssdpm_model *model, uint32_t state,
			 uint32_t field, uint32_t low_uw, uint32_t high_uw)
{
	uint32_t low = 77, high = 77;

	assert_int_equal(ssdpm_model_get_power_range(model, state, field, &low,
						     &high, NULL),
			 0);
	assert_int_equal(low, low_uw);
	assert_int_equal(high, high_uw);
}

static void assert_no_range(const struct ssdpm_model *model, uint32_t state,
			    uint32_t field, int code)
{
	struct ssdpm_error error = fixture_error();
	uint32_t low = 77, high = 78;

	assert_int_equal(ssdpm_model_get_power_range(model, state, field, &low,
						     &high, &error),
			 code);
	assert_int_equal(low, 77);
	assert_int_equal(high, 78);
	fixture_assert_error(&error, code, 0,
			     code == -ENODATA ? "PS" : "state");
}

static void a_range_ends_at_what_the_state_draws_at_most(void **state)
{
	struct ssdpm_model *model = fixture_read_good(
		"ps 0 : mp:9.00W operational idle_power:2.02W "
		"active_power:9.02W\n"
		"ps 1 : mp:2.50W operational idle_power:2.02W "
		"active_power:-\n"
		"ps 2 : mp:0.0250W non-operational idle_power:0.02W "
		"active_power:1.02W\n");

	(void)state;
	assert_range(model, 0, SSDPM_FIELD_MAX_POWER, 9000000, 9000000);
	assert_range(model, 0, SSDPM_FIELD_IDLE_POWER, 2000000, 2990000);
	assert_range(model, 0, SSDPM_FIELD_ACTIVE_POWER, 9000000, 9000000);
	assert_range(model, 1, SSDPM_FIELD_IDLE_POWER, 2000000, 2500000);
	assert_no_range(model, 1, SSDPM_FIELD_ACTIVE_POWER, -ENODATA);
	assert_range(model, 2, SSDPM_FIELD_IDLE_POWER, 0, 25000);
	/* The drive contradicts itself. */
	assert_range(model, 2, SSDPM_FIELD_ACTIVE_POWER, 1000000, 1990000);
	assert_no_range(model, 3, SSDPM_FIELD_IDLE_POWER, -ERANGE);
	assert_no_range(model, 0, SSDPM_FIELD_EXIT_LATENCY, -EINVAL);
	assert_no_range(model, 0,
			SSDPM_FIELD_IDLE_POWER | SSDPM_FIELD_MAX_POWER,
			-EINVAL);
	assert_no_range(model, 0, 0, -EINVAL);
	ssdpm_model_unref(model);
}

static void without_a_maximum_a_range_ends_at_that_of_a_shallower_state(
	void **state)
{
	struct ssdpm_model *model = fixture_read_good(
		"ps 0 : mp:9.00W operational idle_power:2.02W\n"
		"ps 1 : mp:2.50W operational idle_power:2.02W\n"
		"ps 2 : mp:0.00W operational idle_power:2.02W\n");

	(void)state;
	assert_range(model, 2, SSDPM_FIELD_IDLE_POWER, 2000000, 2500000);
	assert_no_range(model, 2, SSDPM_FIELD_MAX_POWER, -ENODATA);
	ssdpm_model_unref(model);
	/* PS1 is above PS0: the order says nothing of PS2. */
	model = fixture_read_good(
		"ps 0 : mp:2.20W operational idle_power:2.02W\n"
		"ps 1 : mp:2.50W operational idle_power:2.02W\n"
		"ps 2 : mp:0.00W operational idle_power:2.02W\n");
	assert_range(model, 1, SSDPM_FIELD_IDLE_POWER, 2000000, 2500000);
	assert_range(model, 2, SSDPM_FIELD_IDLE_POWER, 2000000, 2990000);
	ssdpm_model_unref(model);
	model = fixture_read_good(
		"ps 0 : mp:0.00W operational idle_power:4294.02W\n");
	assert_range(model, 0, SSDPM_FIELD_IDLE_POWER, 4294000000, UINT32_MAX);
	ssdpm_model_unref(model);
}

static void json_keeps_a_range(void **state)
{
	struct ssdpm_model *again,
		*model = fixture_read_good(
			"ps 0 : mp:9.00W operational idle_power:2.02W "
			"active_power:9.02W\n");
	char *text;

	(void)state;
	assert_int_equal(ssdpm_model_to_json(model, &text, NULL), 0);
	assert_non_null(strstr(text, "\"idle_power_uw\": null"));
	assert_non_null(strstr(text, "\"idle_power_high_uw\": 2990000"));
	again = fixture_read_good(text);
	assert_range(again, 0, SSDPM_FIELD_IDLE_POWER, 2000000, 2990000);
	assert_range(again, 0, SSDPM_FIELD_ACTIVE_POWER, 9000000, 9000000);
	free(text);
	ssdpm_model_unref(again);
	ssdpm_model_unref(model);
}

static void latencies_may_be_printed_with_a_sign(void **state)
{
	struct ssdpm_power_state ps;

	(void)state;
	ps = read_words("enlat:-1 exlat:-2147483648");
	assert_int_equal(ps.entry_latency_us, UINT32_MAX);
	assert_int_equal(ps.exit_latency_us, 1u << 31);
	ps = read_words("enlat:4294967295 exlat:2147483647");
	assert_int_equal(ps.entry_latency_us, UINT32_MAX);
	assert_int_equal(ps.exit_latency_us, INT32_MAX);
	ps = read_words("enlat:4294967296 exlat:-2147483649");
	assert_int_equal(ps.unknown & 24, 24);
	ps = read_words("enlat:5ms exlat:0x10");
	assert_int_equal(ps.unknown & 24, 8);
	assert_int_equal(ps.exit_latency_us, 16);
}

static void a_number_at_the_very_end_may_be_cut_off(void **state)
{
	struct ssdpm_model *model = fixture_read_good(
		"ps 0 : mp:1.00W operational enlat:50 exlat:10");
	const struct ssdpm_power_state *ps =
		ssdpm_model_get_states(model, NULL);

	(void)state;
	assert_int_equal(ps->entry_latency_us, 50);
	assert_int_equal(ps->unknown & 24, SSDPM_FIELD_EXIT_LATENCY);
	ssdpm_model_unref(model);
}

static void ranks_lose_their_reserved_bits(void **state)
{
	struct ssdpm_power_state ps =
		read_words("rrt:31 rrl:32 rwt:255 rwl:256");

	(void)state;
	assert_int_equal(ps.read_throughput_rank, 31);
	assert_int_equal(ps.read_latency_rank, 0);
	assert_int_equal(ps.write_throughput_rank, 31);
	assert_int_equal(ps.unknown & (15 << 5),
			 SSDPM_FIELD_WRITE_LATENCY_RANK);
}

static void workloads_are_named_by_their_words(void **state)
{
	static const struct {
		const char *words;
		uint8_t workload;
		bool known;
	} cases[] = {
		{ "active_power_workload:-", 0, true },
		{ "active_power_workload:1MiB 32 RW, 30s idle", 1, true },
		{ "active_power_workload:80K 128KiB SW", 2, true },
		{ "active_power_workload:reserved", 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_power_state ps = read_words(cases[i].words);

		assert_int_equal(ps.active_power_workload, cases[i].workload);
		assert_int_equal(
			!(ps.unknown & SSDPM_FIELD_ACTIVE_POWER_WORKLOAD),
			cases[i].known);
	}
}

static void times_of_power_loss_have_their_unit(void **state)
{
	static const struct {
		const char *words;
		uint64_t us;
	} cases[] = {
		{ "99 (unit: 1 microsecond)", 99 },
		{ "6 (unit: 10 microseconds)", 60 },
		{ "6 (unit: 100 microseconds)", 600 },
		{ "7 (unit: 1 millisecond)", 7000 },
		{ "7 (unit: 10 milliseconds)", 70000 },
		{ "7 (unit: 100 milliseconds)", 700000 },
		{ "8 (unit: 1 second)", 8000000 },
		{ "8 (unit: 10 seconds)", 80000000 },
		{ "8 (unit: 100 seconds)", 800000000 },
		{ "9 (unit: 1,000 seconds)", 9000000000 },
		{ "9 (unit: 10,000 seconds)", 90000000000 },
		{ "9 (unit: 100,000 seconds)", 900000000000 },
		{ "99 (unit: 1,000,000 seconds)", 99000000000000 },
		{ "9 (unit: 1,000,000,000 seconds)", 0 },
		{ "9 (unit: 1,x seconds)", 0 },
		{ "9 (unit: 1 hour)", 0 },
		{ "9 (unit: Reserved)", 0 },
		{ "9 (unit: 0 seconds)", 0 },
		{ "0 (unit: 1 second)", 0 },
		{ "100 (unit: 1 second)", 0 },
		{ "9 seconds", 0 },
		{ "-", 0 },
		{ "reserved", 0 },
	};
	static const char *const names[] = {
		"emergency power fail recovery time: ",
		"forced quiescence vault time: ",
		"emergency power fail vault time: ",
	};
	char words[128];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) * 3; i++) {
		uint32_t bit = SSDPM_FIELD_EMERGENCY_POWER_FAIL_RECOVERY_TIME
			       << i % 3;
		struct ssdpm_power_state ps;
		uint64_t times[3];

		strcpy(words, "\n");
		strcat(words, names[i % 3]);
		strcat(words, cases[i / 3].words);
		ps = read_words(words);
		times[0] = ps.emergency_power_fail_recovery_time_us;
		times[1] = ps.forced_quiescence_vault_time_us;
		times[2] = ps.emergency_power_fail_vault_time_us;
		assert_int_equal(times[i % 3], cases[i / 3].us);
		assert_int_equal(ps.unknown & bit, cases[i / 3].us ? 0 : bit);
		assert_int_equal(times[(i + 1) % 3] + times[(i + 2) % 3], 0);
	}
}

static void states_must_come_in_order_without_a_gap(void **state)
{
	(void)state;
	assert_bad(PS1, 1, "PS0 is missing before PS1");
	assert_bad(PS0 "[...]\nps 2 : mp:1.00W operational\n", 4,
		   "PS1 is missing before PS2");
	assert_bad(PS0 PS1 "\n" PS0, 6, "PS0 is given twice");
	assert_bad("ps 32 : mp:1.00W operational\n", 1,
		   "PS32: NVMe has at most 32 power states");
	assert_bad("ps 4294967295 : mp:1.00W operational\n", 1,
		   "PS4294967295: NVMe has at most 32");
}

static void a_table_that_is_cut_off_is_refused(void **state)
{
	struct ssdpm_model *model;

	(void)state;
	assert_bad("npss : 4\n" PS0 PS1, 5,
		   "PS2 is missing: the text ends after PS1, and its npss says "
		   "that PS4 is the last");
	assert_bad("npss : 255\n" PS0, 3, "PS255 is the last");
	assert_bad("ps 0 : mp:1.00W oper", 1, "PS0: neither \"operational\"");
	assert_bad(HEAD "NVME Identify Controller:\r\n", 5,
		   "no power states: the lines of nvme id-ctrl that begin with "
		   "\"ps\" are missing");
	/* More states than npss says are there: they count. */
	model = fixture_read_good("npss : 0\n" PS0 PS1);
	assert_two_states(model);
	ssdpm_model_unref(model);
}

static void two_drives_are_not_mixed(void **state)
{
	(void)state;
	assert_bad("mn : A\nmn : B\n" PS0, 2,
		   "mn is given twice, with another value: give one drive");
	assert_bad("fr : A\n" PS0 "fr : B\n", 4, "fr is given twice");
	assert_bad("vid : 0x1\n" PS0 "vid : 2\n", 4, "vid is given twice");
	assert_bad("apsta : 0\napsta : 1\n" PS0, 2, "apsta is given twice");
	assert_bad("npss : 0\nnpss : 1\n" PS0, 2, "npss is given twice");
}

static void other_texts_are_not_taken_for_it(void **state)
{
	(void)state;
	assert_bad("ps 0 : 6.00W operational\n", 1, "not a known format");
	assert_bad("ps 0 mp:6.00W operational\n", 1, "not a known format");
	assert_bad("the NVME Identify Controller: data\n", 1,
		   "not a known format");
	assert_bad("[1]\n", 1, "drive: a whole number where an object");
}

static void thirty_two_states_are_read(void **state)
{
	char text[4096] = "", *at = text;
	struct ssdpm_model *model;
	size_t n;

	(void)state;
	for (int i = 0; i < 32; i++)
		at += sprintf(at, "ps %4d : mp:%d.00W operational enlat:%d\n",
			      i, 32 - i, i);
	model = fixture_read_good(text);
	ssdpm_model_get_states(model, &n);
	assert_int_equal(n, 32);
	assert_int_equal(ssdpm_model_get_states(model, NULL)[31].max_power_uw,
			 1000000);
	ssdpm_model_unref(model);
}

/* What nvme id-ctrl -o json prints, in each of its generations. */

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

static void powers_of_json_are_exact_and_zero_is_not_reported(void **state)
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
		cmocka_unit_test(both_widths_of_both_majors_are_read),
		cmocka_unit_test(
			prose_quotes_tabs_and_other_ends_of_lines_do_no_harm),
		cmocka_unit_test(what_is_not_there_is_unknown),
		cmocka_unit_test(texts_that_no_drive_has_are_unknown),
		cmocka_unit_test(powers_are_exact_and_zero_is_not_reported),
		cmocka_unit_test(
			a_fraction_of_02_is_believed_only_of_new_versions),
		cmocka_unit_test(a_range_ends_at_what_the_state_draws_at_most),
		cmocka_unit_test(
			without_a_maximum_a_range_ends_at_that_of_a_shallower_state),
		cmocka_unit_test(json_keeps_a_range),
		cmocka_unit_test(latencies_may_be_printed_with_a_sign),
		cmocka_unit_test(a_number_at_the_very_end_may_be_cut_off),
		cmocka_unit_test(ranks_lose_their_reserved_bits),
		cmocka_unit_test(workloads_are_named_by_their_words),
		cmocka_unit_test(times_of_power_loss_have_their_unit),
		cmocka_unit_test(states_must_come_in_order_without_a_gap),
		cmocka_unit_test(a_table_that_is_cut_off_is_refused),
		cmocka_unit_test(two_drives_are_not_mixed),
		cmocka_unit_test(other_texts_are_not_taken_for_it),
		cmocka_unit_test(thirty_two_states_are_read),
		cmocka_unit_test(every_generation_of_keys_is_read),
		cmocka_unit_test(max_power_scale_and_kind_are_one_bit_each),
		cmocka_unit_test(
			powers_of_json_are_exact_and_zero_is_not_reported),
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
