/* SPDX-License-Identifier: MIT */
/* What smartctl prints, as text and as JSON. */
#include "fixture.h"

#include <stdio.h>

#define HEAD "St Op     Max   Active     Idle   RL RT WL WT  Ent_Lat  Ex_Lat\n"
#define INFO                                                         \
	"smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1] (local)\n" \
	"\n"                                                         \
	"=== START OF INFORMATION SECTION ===\n"                     \
	"Model Number:                       ACME Swift 512GB\n"     \
	"Serial Number:                      XXXX\n"                 \
	"Firmware Version:                   1.0b\n"                 \
	"PCI Vendor/Subsystem ID:            0x1234\n"
#define ROWS                                                               \
	" 0 +     8.00W    6.00W       -    0  1  2  3        0      20\n" \
	" 1 -   0.0500W       -        -    4  5  6  7     1500    1600\n"
#define AFTER                              \
	"\n"                               \
	"Supported LBA Sizes (NSID 0x1)\n" \
	"Id Fmt  Data  Metadt  Rel_Perf\n" \
	" 0 +     512       0         2\n" \
	" 1 -    4096       0         1\n"
#define TABLE "Supported Power States\n" HEAD ROWS AFTER

static const uint32_t never_told =
	SSDPM_FIELD_ACTIVE_POWER | SSDPM_FIELD_IDLE_POWER |
	SSDPM_FIELD_ACTIVE_POWER_WORKLOAD |
	SSDPM_FIELD_EMERGENCY_POWER_FAIL_RECOVERY_TIME |
	SSDPM_FIELD_FORCED_QUIESCENCE_VAULT_TIME |
	SSDPM_FIELD_EMERGENCY_POWER_FAIL_VAULT_TIME;

/* All that TABLE says. */
static void assert_table(const struct ssdpm_model *model)
{
	/* Its JSON has no active power. */
	const bool shown = ssdpm_model_get_info(model)->format ==
			   SSDPM_FORMAT_SMARTCTL_TEXT;
	const struct ssdpm_power_state want[2] = {
		{
			.flags = shown ? SSDPM_STATE_ACTIVE_POWER_SHOWN : 0,
			.unknown = never_told,
			.not_reported = SSDPM_FIELD_ENTRY_LATENCY,
			.max_power_uw = 8000000,
			.exit_latency_us = 20,
			.read_latency_rank = 0,
			.read_throughput_rank = 1,
			.write_latency_rank = 2,
			.write_throughput_rank = 3,
			.shown_active_power_uw = shown ? 6000000 : 0,
		},
		{
			.flags = SSDPM_STATE_NON_OPERATIONAL,
			.unknown = never_told,
			.max_power_uw = 50000,
			.entry_latency_us = 1500,
			.exit_latency_us = 1600,
			.read_latency_rank = 4,
			.read_throughput_rank = 5,
			.write_latency_rank = 6,
			.write_throughput_rank = 7,
		},
	};
	const struct ssdpm_power_state *states;
	size_t n;

	states = ssdpm_model_get_states(model, &n);
	assert_int_equal(n, 2);
	assert_memory_equal(states, want, sizeof(want));
}

static void assert_drive(const struct ssdpm_model *model, uint32_t format)
{
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);

	assert_int_equal(info->kind, SSDPM_KIND_NVME);
	assert_int_equal(info->format, format);
	assert_int_equal(info->provenance, SSDPM_PROVENANCE_REPORTED);
	assert_int_equal(info->unknown, SSDPM_INFO_APSTA);
	assert_int_equal(info->vendor_id, 0x1234);
	assert_int_equal(info->apsta, 0);
	assert_string_equal(info->product, "ACME Swift 512GB");
	assert_string_equal(info->firmware, "1.0b");
	assert_table(model);
}

static void assert_is_the_drive(const char *text)
{
	struct ssdpm_model *model = fixture_read_good(text);

	assert_drive(model, SSDPM_FORMAT_SMARTCTL_TEXT);
	ssdpm_model_unref(model);
}

static void maximum_latencies_and_ranks_count_idle_and_active_do_not(
	void **state)
{
	(void)state;
	assert_is_the_drive(INFO "\n" TABLE);
}

static void a_table_alone_leaves_the_drive_unknown(void **state)
{
	static const char *const texts[] = {
		"=== START OF INFORMATION SECTION ===\n" TABLE,
		TABLE,
		HEAD ROWS,
		"Supported Power States\n" ROWS AFTER,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ssdpm_model *model = fixture_read_good(texts[i]);
		const struct ssdpm_model_info *info =
			ssdpm_model_get_info(model);

		assert_int_equal(info->unknown, SSDPM_INFO_APSTA |
							SSDPM_INFO_VENDOR_ID |
							SSDPM_INFO_PRODUCT |
							SSDPM_INFO_FIRMWARE);
		assert_string_equal(info->product, "");
		assert_table(model);
		ssdpm_model_unref(model);
	}
}

/* The same text with every line end or run of blanks replaced. */
static char *with(const char *text, const char *newline, const char *blanks)
{
	char *result = calloc(strlen(text), 8), *to = result;

	assert_non_null(result);
	for (; *text; text++) {
		if (*text == '\n') {
			to = stpcpy(to, newline);
		} else if (*text == ' ' && blanks) {
			to = stpcpy(to, blanks);
			text += strspn(text, " ") - 1;
		} else {
			*to++ = *text;
		}
	}
	return result;
}

static void line_ends_tabs_quotes_and_empty_lines_make_no_difference(
	void **state)
{
	static const struct {
		const char *newline, *blanks;
	} ways[] = { { "\r\n", NULL },	 { "\n\n", NULL },   { " \t\n", NULL },
		     { "\n> ", NULL },	 { "\n>> > ", " " }, { "\n\t", "\t" },
		     { "\r\n\r\n", " " } };

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char *text = with(TABLE, ways[i].newline, ways[i].blanks);
		struct ssdpm_model *model = fixture_read_good(text);

		assert_table(model);
		ssdpm_model_unref(model);
		free(text);
		text = with(INFO TABLE, ways[i].newline, NULL);
		assert_is_the_drive(text);
		free(text);
	}
}

static void prose_around_and_between_is_stepped_over(void **state)
{
	(void)state;
	assert_is_the_drive("Hello,\n3 drives + 1 - all of them hot.\n" INFO
			    "\nit goes on:\n" TABLE
			    "5 of these, + postage\n$ exit\n");
	assert_is_the_drive(INFO HEAD
			    " 0 +     8.00W    6.00W       -    0  1  2  3   "
			    "     0      20\n"
			    "--More--\n"
			    "7 drives have this line too\n"
			    "7\n7 + 8 W\n"
			    " 1 -   0.0500W       -        -    4  5  6  7    "
			    " 1500    1600\n");
}

static void a_table_without_a_newline_at_its_end_is_read(void **state)
{
	struct ssdpm_model *model;

	(void)state;
	model = fixture_read_good(HEAD "0 + 1.00W - - 0 0 0 0 1 2");
	assert_int_equal(ssdpm_model_get_states(model, NULL)->exit_latency_us,
			 2);
	ssdpm_model_unref(model);
}

static void the_same_table_twice_is_one_drive(void **state)
{
	(void)state;
	assert_is_the_drive(TABLE INFO TABLE);
	assert_is_the_drive(INFO HEAD ROWS
			    "Supported Power States\n" HEAD ROWS);
	fixture_assert_bad(HEAD ROWS HEAD "0 + 9.00W - - 0 1 2 3 0 20\n",
			   -EINVAL, 5,
			   "a second table of power states, which differs");
	fixture_assert_bad(HEAD ROWS HEAD ROWS "2 + 9.00W - - 0 1 2 3 0 20\n",
			   -EINVAL, 7,
			   "a second table of power states, which differs");
	fixture_assert_bad(
		HEAD ROWS HEAD " 0 + 8.00W 6.00W - 0 1 2 3 0 20\n=== END ===\n",
		-EINVAL, 4, "a second table of power states, which differs");
}

static void two_drives_in_one_text_are_refused(void **state)
{
	(void)state;
	fixture_assert_bad(INFO TABLE "Model Number: ACME Slow\n", -EINVAL, 17,
			   "model: a second drive");
	fixture_assert_bad(INFO TABLE "Firmware Version: 2\n", -EINVAL, 17,
			   "firmware: a second drive");
	fixture_assert_bad(INFO TABLE "PCI Vendor ID: 0x4321\n", -EINVAL, 17,
			   "PCI vendor: a second drive");
	fixture_assert_bad(INFO TABLE "Device Model: X\n", -EINVAL, 17,
			   "a second drive, sata after nvme");
	fixture_assert_bad("Device Model: X\n" HEAD ROWS, -EINVAL, 2,
			   "a second drive, nvme after sata");
	fixture_assert_bad("Device Model: X\nPCI Vendor ID: 0x4321\n", -EINVAL,
			   2, "a second drive, nvme after sata");
	fixture_assert_bad("Device Model: X\nNVMe Version: 1.3\n", -EINVAL, 2,
			   "a second drive, nvme after sata");
	fixture_assert_bad(INFO "APM level is: 1\n", -EINVAL, 8,
			   "a second drive");
	fixture_assert_bad(INFO "APM feature is: Disabled\n", -EINVAL, 8,
			   "a second drive");
	fixture_assert_bad(INFO "SATA Version is: SATA 3.0\n", -EINVAL, 8,
			   "a second drive");
	fixture_assert_bad(INFO "ATA Version is: ACS-2\n", -EINVAL, 8,
			   "a second drive");
}

static void without_a_table_it_says_what_to_call(void **state)
{
	(void)state;
	fixture_assert_bad(INFO "\nSMART overall-health test result: PASSED\n",
			   -EINVAL, 0,
			   "table of power states: call smartctl -c");
	fixture_assert_bad(
		"=== START OF INFORMATION SECTION ===\nNVMe Version: 1.3\n",
		-EINVAL, 0, "call smartctl -c");
	fixture_assert_bad(
		"smartctl 7.3 2022-02-28 r5338 [x86_64-linux] (local)\n"
		"/dev/nvme0: Permission denied\n",
		-EINVAL, 0, "without an NVMe or SATA drive");
	fixture_assert_bad("Supported Power States\n" HEAD AFTER, -EINVAL, 1,
			   "a table of power states without a row");
	fixture_assert_bad("\nSupported Power States\n", -EINVAL, 2,
			   "a table of power states without a row");
}

static void what_is_not_smartctls_is_not_taken_for_it(void **state)
{
	(void)state;
	fixture_assert_bad("I have smartctl 7.3.\n", -EINVAL, 1,
			   "not a known format");
	fixture_assert_bad("smartctl 7.3 is old [1]\n", -EINVAL, 0,
			   "without an NVMe");
	fixture_assert_bad("smartctl prints it\n", -EINVAL, 1,
			   "not a known format");
	fixture_assert_bad("smartctl 7 [is old]\n", -EINVAL, 1,
			   "not a known format");
	fixture_assert_bad("smartctl 7.3 is old\n", -EINVAL, 1,
			   "not a known format");
	fixture_assert_bad("St Op Max\n", -EINVAL, 1, "not a known format");
	fixture_assert_bad("Stop Ent_Lat\n", -EINVAL, 1, "not a known format");
	fixture_assert_bad("Model Number: X\n", -EINVAL, 1,
			   "not a known format");
}

static void states_are_numbered_without_a_gap(void **state)
{
	(void)state;
	fixture_assert_bad(HEAD "1 + 1.00W - - 0 0 0 0 0 0\n", -EINVAL, 2,
			   "power state 1 where 0 should be");
	fixture_assert_bad(HEAD ROWS "3 - 1.00W - - 0 0 0 0 0 0\n", -EINVAL, 4,
			   "power state 3 where 2 should be");
	fixture_assert_bad(HEAD ROWS "\n1 - 1.00W - - 0 0 0 0 0 0\n", -EINVAL,
			   5, "power state 1 where 2 should be");
}

static void there_are_32_states_at_most(void **state)
{
	char text[8192] = HEAD;
	struct ssdpm_model *model;
	size_t n;

	(void)state;
	for (unsigned int i = 0; i < 32; i++)
		sprintf(text + strlen(text), "%u + 1.00W - - 0 0 0 0 0 %u\n", i,
			i);
	model = fixture_read_good(text);
	assert_int_equal(ssdpm_model_get_states(model, &n)[31].exit_latency_us,
			 31);
	assert_int_equal(n, 32);
	ssdpm_model_unref(model);
	strcat(text, "32 + 1.00W - - 0 0 0 0 0 0\n");
	fixture_assert_bad(text, -ERANGE, 34,
			   "power state 32, St: more than 31");
}

static void assert_bad_row(const char *row, int code, const char *fragment)
{
	char text[512];

	snprintf(text, sizeof(text), HEAD "0 + 1.00W - - 0 0 0 0 0 0\n1 %s\n",
		 row);
	fixture_assert_bad(text, code, 3, fragment);
}

static void a_row_that_is_out_of_shape_is_named_with_its_line(void **state)
{
	(void)state;
	assert_bad_row("", -EINVAL, "power state 1, Op: neither");
	assert_bad_row("* 1.00W - - 0 0 0 0 0 0", -EINVAL, "Op: neither");
	assert_bad_row("1.00W - - 0 0 0 0 0 0", -EINVAL, "Op: neither");
	assert_bad_row("+", -EINVAL, "Max: it is missing");
	assert_bad_row("+ 1.00 - - 0 0 0 0 0 0", -EINVAL, "Max: no power");
	assert_bad_row("+ W - - 0 0 0 0 0 0", -EINVAL, "Max: no power");
	assert_bad_row("+ - - - 0 0 0 0 0 0", -EINVAL, "Max: no power");
	assert_bad_row("+ 1.W - - 0 0 0 0 0 0", -EINVAL, "Max: no power");
	assert_bad_row("+ 1,00W - - 0 0 0 0 0 0", -EINVAL, "Max: no power");
	assert_bad_row("+ -1.00W - - 0 0 0 0 0 0", -EINVAL, "Max: no power");
	assert_bad_row("+ 1.00W", -EINVAL, "Active: neither");
	assert_bad_row("+ 1.00W 0 0 0 0 0 0 0 0", -EINVAL, "Active: neither");
	assert_bad_row("+ 1.00W xW - 0 0 0 0 0 0", -EINVAL, "Active: neither");
	assert_bad_row("+ 1.00W -", -EINVAL, "Idle: neither");
	assert_bad_row("+ 1.00W - 0 0 0 0 0 0 0", -EINVAL, "Idle: neither");
	assert_bad_row("+ 1.00W - -", -EINVAL, "RL: it is missing");
	assert_bad_row("+ 1.00W - - - 0 0 0 0 0", -EINVAL, "RL: no whole");
	assert_bad_row("+ 1.00W - - 0 x 0 0 0 0", -EINVAL, "RT: no whole");
	assert_bad_row("+ 1.00W - - 0 0 1.0 0 0 0", -EINVAL, "WL: no whole");
	assert_bad_row("+ 1.00W - - 0 0 0 0x1 0 0", -EINVAL, "WT: no whole");
	assert_bad_row("+ 1.00W - - 0 0 0 0 1us 0", -EINVAL,
		       "Ent_Lat: no whole");
	assert_bad_row("+ 1.00W - - 0 0 0 0 0", -EINVAL, "Ex_Lat: it is");
	assert_bad_row("+ 1.00W - - 0 0 0 0 0 0 0", -EINVAL,
		       "Ex_Lat: more columns follow");
}

static void a_number_beyond_its_field_is_named_with_its_line(void **state)
{
	(void)state;
	assert_bad_row("+ 655.36W - - 0 0 0 0 0 0", -ERANGE,
		       "power state 1, Max: more than 655.35 W");
	assert_bad_row("+ 1.00W - - 32 0 0 0 0 0", -ERANGE, "RL: more than 31");
	assert_bad_row("+ 1.00W - - 0 32 0 0 0 0", -ERANGE, "RT: more than 31");
	assert_bad_row("+ 1.00W - - 0 0 99 0 0 0", -ERANGE, "WL: more than 31");
	assert_bad_row("+ 1.00W - - 0 0 0 32 0 0", -ERANGE, "WT: more than 31");
	assert_bad_row("+ 1.00W - - 0 0 0 0 4294967296 0", -ERANGE,
		       "Ent_Lat: more than 4294967295");
	assert_bad_row("+ 1.00W - - 0 0 0 0 0 99999999999999999999999", -ERANGE,
		       "Ex_Lat: more than 4294967295");
	fixture_assert_bad(INFO "PCI Vendor ID: 0x10000\n", -EINVAL, 8,
			   "PCI vendor: no number from 0 to 0xffff");
	fixture_assert_bad(INFO "PCI Vendor ID: 0x12 34\n", -EINVAL, 8,
			   "PCI vendor");
	fixture_assert_bad(INFO "PCI Vendor ID:\n", -EINVAL, 8, "PCI vendor");
	fixture_assert_bad(
		"Device Model: 01234567890123456789012345678901234567890\n",
		-ERANGE, 1, "model: longer than 40 characters");
	fixture_assert_bad("Device Model: X\nFirmware Version: 123456789\n",
			   -ERANGE, 2, "firmware: longer than 8 characters");
	fixture_assert_bad("Device Model: X\nAPM level is: 256 (reserved)\n",
			   -EINVAL, 2, "APM level: no number from 0 to 255");
}

static void the_largest_numbers_are_exact(void **state)
{
	struct ssdpm_model *model;
	const struct ssdpm_power_state *states;

	(void)state;
	model = fixture_read_good(HEAD
				  "0 + 655.35W 99.99W ? 31 31 31 31 4294967295 "
				  "4294967295\n"
				  "1 - 6.5535W ? - 0 0 0 0 0 0\n"
				  "2 - 0.0001W - 0.0001W 0 0 0 0 0 0\n"
				  "3 - 0.00W - - 0 0 0 0 0 0\n");
	states = ssdpm_model_get_states(model, NULL);
	assert_int_equal(states[0].max_power_uw, 655350000);
	assert_int_equal(states[0].entry_latency_us, UINT32_MAX);
	assert_int_equal(states[0].exit_latency_us, UINT32_MAX);
	assert_int_equal(states[0].write_throughput_rank, 31);
	assert_int_equal(states[1].max_power_uw, 6553500);
	assert_int_equal(states[2].max_power_uw, 100);
	assert_int_equal(states[3].max_power_uw, 0);
	assert_int_equal(states[3].not_reported,
			 SSDPM_FIELD_MAX_POWER | SSDPM_FIELD_ENTRY_LATENCY |
				 SSDPM_FIELD_EXIT_LATENCY);
	for (int i = 0; i < 4; i++)
		assert_int_equal(states[i].unknown, never_told);
	ssdpm_model_unref(model);
}

static void empty_texts_are_unknown_and_odd_bytes_become_question_marks(
	void **state)
{
	struct ssdpm_model *model;
	const struct ssdpm_model_info *info;

	(void)state;
	model = fixture_read_good("Model Number:\nFirmware Version: \t\r\n"
				  "PCI Vendor ID: 0x0\n" HEAD ROWS);
	info = ssdpm_model_get_info(model);
	assert_int_equal(info->unknown, SSDPM_INFO_APSTA | SSDPM_INFO_PRODUCT |
						SSDPM_INFO_FIRMWARE);
	ssdpm_model_unref(model);
	model = fixture_read_good("Device Model: [No Information Found]\n"
				  "Firmware Version: \xc3\xbc 1\n");
	info = ssdpm_model_get_info(model);
	assert_true(info->unknown & SSDPM_INFO_PRODUCT);
	assert_string_equal(info->firmware, "?? 1");
	ssdpm_model_unref(model);
}

static void vendors_that_differ_are_told_on_two_lines(void **state)
{
	struct ssdpm_model *model;

	(void)state;
	model = fixture_read_good(
		"PCI Vendor ID:           0x1217\n"
		"PCI Vendor Subsystem ID: 0x0002\n" HEAD ROWS);
	assert_int_equal(ssdpm_model_get_info(model)->vendor_id, 0x1217);
	ssdpm_model_unref(model);
}

#define SATA                                     \
	"=== START OF INFORMATION SECTION ===\n" \
	"Device Model:     ACME Slow 256GB\n"    \
	"Firmware Version: 7\n"                  \
	"ATA Version is:   ACS-2, ATA8-ACS revision 6\n"

enum { N_SATA_FEATURES = 6, ALL_SATA_FEATURES = (1 << N_SATA_FEATURES) - 1 };

static void assert_active_alone(const struct ssdpm_model *model)
{
	const struct ssdpm_power_state want = {
		.unknown = (1 << 13) - 1,
		.link_state = SSDPM_LINK_ACTIVE,
	};
	size_t n;

	assert_memory_equal(ssdpm_model_get_states(model, &n), &want,
			    sizeof(want));
	assert_int_equal(n, 1);
}

static struct ssdpm_model_info read_sata(const char *line)
{
	struct ssdpm_model_info info;
	struct ssdpm_model *model;
	char text[512];

	snprintf(text, sizeof(text), SATA "%s\n\n=== START ===\n", line);
	model = fixture_read_good(text);
	info = *ssdpm_model_get_info(model);
	assert_int_equal(info.kind, SSDPM_KIND_SATA);
	assert_int_equal(info.format, SSDPM_FORMAT_SMARTCTL_TEXT);
	assert_string_equal(info.product, "ACME Slow 256GB");
	assert_string_equal(info.firmware, "7");
	assert_active_alone(model);
	ssdpm_model_unref(model);
	return info;
}

static void of_a_sata_drive_nothing_more_is_known_than_is_told(void **state)
{
	struct ssdpm_model_info info = read_sata("");

	(void)state;
	assert_int_equal(info.unknown, SSDPM_INFO_VENDOR_ID | SSDPM_INFO_APSTA |
					       SSDPM_INFO_SATA_WORDS_VALID |
					       SSDPM_INFO_SATA_GENERATIONS |
					       SSDPM_INFO_APM_LEVEL |
					       SSDPM_INFO_ROTATIONAL);
	assert_int_equal(info.sata_supported, 0);
	assert_int_equal(info.sata_enabled, 0);
	assert_int_equal(info.sata_supported_unknown, ALL_SATA_FEATURES);
	assert_int_equal(info.sata_enabled_unknown, ALL_SATA_FEATURES);
}

static void the_fastest_sata_speed_implies_the_slower_ones(void **state)
{
	static const struct {
		const char *line;
		int generations; /* 0: not told */
	} cases[] = {
		{ "SATA Version is:  SATA 3.1, 6.0 Gb/s (current: 6.0 Gb/s)",
		  14 },
		{ "SATA Version is:  SATA 2.6, 6.0 Gb/s (current: 3.0 Gb/s)",
		  14 },
		{ "SATA Version is:  SATA 2.6, 3.0 Gb/s", 6 },
		{ "SATA Version is:  ATA8-AST, 1.5 Gb/s", 2 },
		{ "SATA Version is:  SATA >3.5 (11), >6.0 Gb/s (4)", 14 },
		{ "SATA Version is:  SATA 3.0", 0 },
		{ "SATA Version is:  SATA 3.0 (current: 6.0 Gb/s)", 0 },
		{ "SATA Version is:  Unknown, 12.0 Gb/s", 0 },
		{ "SATA Version is:  6.0", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_model_info info = read_sata(cases[i].line);
		const uint32_t bits = SSDPM_INFO_SATA_WORDS_VALID |
				      SSDPM_INFO_SATA_GENERATIONS;

		assert_int_equal(info.sata_generations, cases[i].generations);
		assert_int_equal(info.sata_words_valid,
				 cases[i].generations != 0);
		assert_int_equal(info.unknown & bits,
				 cases[i].generations ? 0 : bits);
	}
}

static void apm_is_missing_off_or_at_a_level(void **state)
{
	static const struct {
		const char *line;
		uint32_t known, supported, enabled;
		int level; /* 0: unknown */
	} cases[] = {
		{ "APM feature is:   Unavailable", 1, 0, 0, 0 },
		{ "APM feature is:   Disabled", 1, 1, 0, 0 },
		{ "APM feature is:   whatever", 0, 0, 0, 0 },
		{ "APM level is:     254 (maximum performance)", 1, 1, 1, 254 },
		{ "APM level is:     1 (minimum power ...)", 1, 1, 1, 1 },
		{ "APM level is:     0 (reserved)", 1, 1, 1, 0 },
		{ "APM level is:     255 (reserved)", 1, 1, 1, 0 },
	};
	const uint32_t apm = SSDPM_SATA_APM;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_model_info info = read_sata(cases[i].line);
		uint32_t unknown =
			ALL_SATA_FEATURES & ~(cases[i].known ? apm : 0);

		assert_int_equal(info.sata_supported_unknown, unknown);
		assert_int_equal(info.sata_enabled_unknown, unknown);
		assert_int_equal(info.sata_supported,
				 cases[i].supported ? apm : 0);
		assert_int_equal(info.sata_enabled, cases[i].enabled ? apm : 0);
		assert_int_equal(info.apm_level, cases[i].level);
		assert_int_equal(info.unknown & SSDPM_INFO_APM_LEVEL,
				 cases[i].level ? 0 : SSDPM_INFO_APM_LEVEL);
	}
}

static void an_ata_drive_on_another_bus_is_refused(void **state)
{
	(void)state;
	fixture_assert_bad(SATA "Transport Type:   Parallel, ATA/ATAPI-7\n",
			   -EINVAL, 5, "an ATA drive, but no SATA one");
}

static void a_farm_log_does_not_make_it_another_drive(void **state)
{
	struct ssdpm_model_info info = read_sata("\tModel Number: ST1000");

	(void)state;
	assert_int_equal(info.kind, SSDPM_KIND_SATA);
}

static const char nvme_json[] =
	"{\"json_format_version\": [1, 0],\n"
	"\"smartctl\": {\"version\": [7, 5], \"argv\": [\"smartctl\"]},\n"
	"\"device\": {\"name\": \"/dev/nvme0\", \"protocol\": \"NVMe\"},\n"
	"\"model_name\": \"ACME Swift 512GB\",\n"
	"\"firmware_version\": \"1.0b\",\n"
	"\"nvme_pci_vendor\": {\"id\": 4660, \"subsystem_id\": 1},\n"
	"\"nvme_power_states\": [\n"
	"{\"non_operational_state\": false,\n"
	"\"relative_read_latency\": 0,\n"
	"\"relative_read_throughput\": 1,\n"
	"\"relative_write_latency\": 2,\n"
	"\"relative_write_throughput\": 3,\n"
	"\"entry_latency_us\": 0, \"exit_latency_us\": 20,\n"
	"\"max_power\": {\"value\": 800, \"scale\": 2, "
	"\"units_per_watt\": 100},\n"
	"\"active_power\": {\"value\": 600, \"scale\": 2, "
	"\"units_per_watt\": 100}},\n"
	"{\"non_operational_state\": true,\n"
	"\"relative_read_latency\": 4,\n"
	"\"relative_read_throughput\": 5,\n"
	"\"relative_write_latency\": 6,\n"
	"\"relative_write_throughput\": 7,\n"
	"\"entry_latency_us\": 1500, \"exit_latency_us\": 1600,\n"
	"\"max_power\": {\"value\": 500, \"scale\": 1, "
	"\"units_per_watt\": 10000},\n"
	"\"idle_power\": {\"value\": 9, \"scale\": 3}}]}\n";

static void json_of_7_5_is_read_like_the_text(void **state)
{
	struct ssdpm_model *model, *again;

	(void)state;
	model = fixture_read_good(nvme_json);
	assert_drive(model, SSDPM_FORMAT_SMARTCTL_JSON);
	assert_int_equal(
		fixture_read(nvme_json, strlen(nvme_json), &again, NULL), 0);
	fixture_assert_same(model, again);
	ssdpm_model_unref(model);
	ssdpm_model_unref(again);
}

/* One power state, alone in a drive of which nothing else is told. */
static const char *one_state(const char *members)
{
	static char text[1024];

	snprintf(text, sizeof(text),
		 "{\"nvme_power_states\":\n[{\"non_operational_state\": true\n"
		 "%s}]}\n",
		 members);
	return text;
}

static void what_json_leaves_out_is_unknown(void **state)
{
	struct ssdpm_model *model = fixture_read_good(one_state(""));
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);
	const struct ssdpm_power_state *s = ssdpm_model_get_states(model, NULL);

	(void)state;
	assert_int_equal(info->kind, SSDPM_KIND_NVME);
	assert_int_equal(info->unknown,
			 SSDPM_INFO_APSTA | SSDPM_INFO_VENDOR_ID |
				 SSDPM_INFO_PRODUCT | SSDPM_INFO_FIRMWARE);
	assert_int_equal(s->flags, SSDPM_STATE_NON_OPERATIONAL);
	assert_int_equal(s->unknown, (1 << 13) - 1);
	assert_int_equal(s->not_reported, 0);
	ssdpm_model_unref(model);
	model = fixture_read_good(
		"{\"nvme_power_states\": [{\"max_power\": null, "
		"\"non_operational_state\": false, "
		"\"exit_latency_us\": null}], \"model_name\": \"\", "
		"\"firmware_version\": null}");
	assert_int_equal(ssdpm_model_get_states(model, NULL)->unknown,
			 (1 << 13) - 1);
	assert_true(ssdpm_model_get_info(model)->unknown & SSDPM_INFO_PRODUCT);
	ssdpm_model_unref(model);
}

static uint32_t max_power(const char *power)
{
	struct ssdpm_model *model;
	char members[256];
	uint32_t uw;

	snprintf(members, sizeof(members), ", \"max_power\": {%s}", power);
	model = fixture_read_good(one_state(members));
	uw = ssdpm_model_get_states(model, NULL)->max_power_uw;
	ssdpm_model_unref(model);
	return uw;
}

static void json_powers_are_exact_in_both_units(void **state)
{
	(void)state;
	assert_int_equal(max_power("\"value\": 65535, \"scale\": 2, "
				   "\"units_per_watt\": 100"),
			 655350000);
	assert_int_equal(max_power("\"value\": 65535, \"scale\": 1, "
				   "\"units_per_watt\": 10000"),
			 6553500);
	assert_int_equal(max_power("\"value\": 1, \"units_per_watt\": 10000"),
			 100);
	assert_int_equal(max_power("\"value\": 1, \"scale\": 1"), 100);
	assert_int_equal(max_power("\"value\": 1, \"scale\": 2"), 10000);
	assert_int_equal(max_power("\"value\": 0, \"scale\": 2"), 0);
}

static void assert_bad_state(const char *members, int code,
			     const char *fragment)
{
	fixture_assert_bad(one_state(members), code, 3, fragment);
}

static void json_that_is_wrong_is_named_with_its_line(void **state)
{
	(void)state;
	assert_bad_state(", \"max_power\": 5", -EINVAL,
			 "nvme_power_states[0].max_power: an object");
	assert_bad_state(", \"max_power\": {}", -EINVAL, "max_power: an obj");
	assert_bad_state(", \"max_power\": {\"value\": 65536}", -ERANGE,
			 "[0].max_power.value: 65536 is more than 65535");
	assert_bad_state(", \"max_power\": {\"value\": 1}", -EINVAL,
			 "[0].max_power.units_per_watt: 100 with");
	assert_bad_state(", \"max_power\": {\"value\": 1, \"scale\": 3}",
			 -EINVAL, "[0].max_power.units_per_watt: 100 with");
	assert_bad_state(", \"max_power\": {\"value\": 1, \"scale\": 4}",
			 -ERANGE, "[0].max_power.scale: 4 is more than 3");
	assert_bad_state(", \"max_power\": {\"value\": 1, "
			 "\"units_per_watt\": 1000}",
			 -EINVAL, "units_per_watt: 100 with");
	assert_bad_state(", \"max_power\": {\"value\": 1, "
			 "\"units_per_watt\": 0}",
			 -EINVAL, "units_per_watt: 100 with");
	assert_bad_state(", \"max_power\": {\"value\": 1, "
			 "\"units_per_watt\": 100000}",
			 -ERANGE, "units_per_watt: 100000 is more than 10000");
	assert_bad_state(", \"max_power\": {\"value\": 1, \"scale\": 1, "
			 "\"units_per_watt\": 100}",
			 -EINVAL, "units_per_watt: 100 with");
	assert_bad_state(", \"entry_latency_us\": 4294967296", -ERANGE,
			 "[0].entry_latency_us: 4294967296 is more");
	assert_bad_state(", \"exit_latency_us\": -1", -ERANGE,
			 "[0].exit_latency_us: -1 is negative");
	assert_bad_state(", \"exit_latency_us\": \"1\"", -EINVAL,
			 "[0].exit_latency_us: a string");
	assert_bad_state(", \"relative_write_latency\": 32", -ERANGE,
			 "[0].relative_write_latency: 32 is more than 31");
	assert_bad_state(", \"relative_read_throughput\": 1.5", -EINVAL,
			 "[0].relative_read_throughput: a fraction");
}

static void json_of_another_shape_is_named_with_its_line(void **state)
{
	(void)state;
	fixture_assert_bad("{\"nvme_power_states\": 1}", -EINVAL, 1,
			   "nvme_power_states: ");
	fixture_assert_bad("{\"nvme_power_states\":\n[]}", -EINVAL, 2,
			   "nvme_power_states: 0 power states");
	fixture_assert_bad(
		"{\"nvme_power_states\": [\n1]}", -EINVAL, 2,
		"[0].non_operational_state: true or false is needed");
	fixture_assert_bad(
		"{\"nvme_power_states\": [{\n\"non_operational_state\": "
		"1}]}",
		-EINVAL, 2, "[0].non_operational_state: ");
	fixture_assert_bad(
		"{\"smartctl\": {},\n\"device\": {\"protocol\": \"SCSI\"}}",
		-EINVAL, 2, "device.protocol: neither");
	fixture_assert_bad("{\"smartctl\": {},\n\"device\": {\"protocol\": "
			   "\"SomethingNew\"}}",
			   -EINVAL, 2, "device.protocol: neither");
	fixture_assert_bad("{\"smartctl\": {},\n\"device\": {\"protocol\": 1}}",
			   -EINVAL, 2, "device.protocol: ");
	fixture_assert_bad("{\"smartctl\": {}, \"device\": 1}", -EINVAL, 1,
			   "device.protocol: neither");
	fixture_assert_bad("{\"nvme_version\": {}, \"smartctl\": {},\n"
			   "\"model_name\": \"\xc3\xbc\"}",
			   -EINVAL, 2, "model_name: byte 0xc3");
	fixture_assert_bad("{\"nvme_version\": {}, \"smartctl\": {},\n"
			   "\"firmware_version\": \"123456789\"}",
			   -ERANGE, 2, "firmware_version: longer than 8");
	fixture_assert_bad(
		"{\"nvme_pci_vendor\": {\"id\": 65536},\n\"smartctl\": 1}",
		-ERANGE, 1, "nvme_pci_vendor.id: 65536 is more");
}

static void thirty_three_states_in_json_are_one_too_many(void **state)
{
	char text[4096] = "{\"nvme_power_states\": [";

	(void)state;
	for (int i = 0; i < 33; i++)
		sprintf(text + strlen(text),
			"%s{\"non_operational_state\": true}", i ? "," : "");
	strcat(text, "]}");
	fixture_assert_bad(text, -EINVAL, 1,
			   "33 power states; NVMe has 1 to 32");
}

static void json_without_states_says_which_version_has_them(void **state)
{
	static const char *const told[] = {
		"[7, 5]", "[7, 6]", "[8, 0]", "[]", "1", "[\"7\", 3]", "[0, 0]",
	};
	char text[256];

	(void)state;
	fixture_assert_bad(
		"\n{\"smartctl\": {\"version\": [7, 4]}, \"device\": "
		"{\"protocol\": \"NVMe\"}}",
		-EINVAL, 2,
		"nvme_power_states: missing: smartctl 7.4 cannot write it, "
		"7.5 can: give the text of smartctl -c instead");
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		snprintf(text, sizeof(text),
			 "{\"smartctl\": {\"version\": %s},\n"
			 "\"nvme_version\": {\"string\": \"1.4\"}}",
			 told[i]);
		fixture_assert_bad(
			text, -EINVAL, 1,
			"smartctl 7.5 and later write it with -c, -a");
	}
	fixture_assert_bad("{\"json_format_version\": [1, 0], \"device\": "
			   "{\"protocol\": \"NVMe\"}}",
			   -EINVAL, 1, "7.5 and later");
	fixture_assert_bad(
		"{\"smartctl\": {\"version\": [6]}, \"nvme_pci_vendor\": "
		"{}}",
		-EINVAL, 1, "smartctl 6.0 cannot");
}

/* Read "{"device": {"protocol": "ATA"}, ... members}". */
static struct ssdpm_model_info read_sata_json(const char *members)
{
	struct ssdpm_model_info info;
	struct ssdpm_model *model;
	char text[512];

	snprintf(text, sizeof(text),
		 "{\"smartctl\": {\"version\": [7, 3]},\n"
		 "\"device\": {\"type\": \"sat\", \"protocol\": \"ATA\"},\n"
		 "\"model_name\": \"ACME Slow 256GB\"%s}\n",
		 members);
	model = fixture_read_good(text);
	info = *ssdpm_model_get_info(model);
	assert_int_equal(info.kind, SSDPM_KIND_SATA);
	assert_int_equal(info.format, SSDPM_FORMAT_SMARTCTL_JSON);
	assert_string_equal(info.product, "ACME Slow 256GB");
	assert_active_alone(model);
	ssdpm_model_unref(model);
	return info;
}

static void json_of_a_sata_drive_goes_as_far_as_the_text(void **state)
{
	struct ssdpm_model_info info = read_sata_json("");
	struct ssdpm_model *model;

	(void)state;
	assert_int_equal(info.sata_supported_unknown, ALL_SATA_FEATURES);
	assert_true(info.unknown & SSDPM_INFO_SATA_GENERATIONS);
	info = read_sata_json(", \"interface_speed\": {\"max\": "
			      "{\"sata_value\": 14}}, \"ata_apm\": "
			      "{\"enabled\": true, \"level\": 128}");
	assert_int_equal(info.sata_generations, 14);
	assert_int_equal(info.sata_words_valid, 1);
	assert_int_equal(info.apm_level, 128);
	assert_int_equal(info.sata_enabled, SSDPM_SATA_APM);
	info = read_sata_json(", \"interface_speed\": {\"current\": 1}, "
			      "\"ata_apm\": {\"enabled\": false}");
	assert_int_equal(info.sata_generations, 0);
	assert_int_equal(info.sata_supported, SSDPM_SATA_APM);
	assert_int_equal(info.sata_enabled, 0);
	assert_int_equal(info.sata_enabled_unknown,
			 ALL_SATA_FEATURES & ~SSDPM_SATA_APM);
	assert_true(info.unknown & SSDPM_INFO_APM_LEVEL);
	info = read_sata_json(", \"ata_apm\": {\"enabled\": true}");
	assert_true(info.unknown & SSDPM_INFO_APM_LEVEL);
	assert_int_equal(info.sata_enabled, SSDPM_SATA_APM);
	model = fixture_read_good("{\"smartctl\": {}, \"sata_version\": {}}");
	assert_int_equal(ssdpm_model_get_info(model)->kind, SSDPM_KIND_SATA);
	ssdpm_model_unref(model);
	model = fixture_read_good("{\"smartctl\": {}, \"ata_version\": {}}");
	assert_int_equal(ssdpm_model_get_info(model)->kind, SSDPM_KIND_SATA);
	ssdpm_model_unref(model);
}

static void the_rotation_rate_tells_a_hard_disk_from_an_ssd(void **state)
{
	struct ssdpm_model_info found[] = {
		read_sata("Rotation Rate:    Solid State Device"),
		read_sata_json(", \"rotation_rate\": 0"),
		read_sata("Rotation Rate:    7200 rpm"),
		read_sata_json(", \"rotation_rate\": 7200"),
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_false(found[i].unknown & SSDPM_INFO_ROTATIONAL);
		assert_int_equal(found[i].rotational, i / 2);
	}
	assert_true(read_sata("Rotation Rate:    0").unknown &
		    SSDPM_INFO_ROTATIONAL);
	fixture_assert_bad("{\"smartctl\": 1, \"sata_version\": {},\n"
			   "\"rotation_rate\": 65536}",
			   -ERANGE, 2, "rotation_rate: 65536 is more");
}

static void wrong_json_of_a_sata_drive_is_named(void **state)
{
	(void)state;
	fixture_assert_bad(
		"{\"smartctl\": 1, \"sata_version\": {}, "
		"\"interface_speed\": {\"max\":\n{\"sata_value\": 256}}}",
		-ERANGE, 2, "interface_speed.max.sata_value: 256 is more");
	fixture_assert_bad("{\"smartctl\": 1, \"sata_version\": {},\n"
			   "\"ata_apm\": {\"enabled\": 1}}",
			   -EINVAL, 2, "ata_apm.enabled: ");
	fixture_assert_bad("{\"smartctl\": 1, \"sata_version\": {},\n"
			   "\"ata_apm\": {\"enabled\": true, \"level\": 256}}",
			   -ERANGE, 2, "ata_apm.level: 256 is more");
}

/* Whatever is left of a text, it is a model or an error. */
static void try_part(const char *text, size_t size)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_model *model = NULL;
	int err = fixture_read(text, size, &model, &error);

	if (err) {
		assert_int_equal(error.code, err);
		assert_non_null(
			memchr(error.message, 0, sizeof(error.message)));
	}
	ssdpm_model_unref(model);
}

static void a_text_may_end_or_begin_at_any_byte(void **state)
{
	static const char *const texts[] = {
		INFO TABLE,
		SATA "SATA Version is: SATA 3.1, 6.0 Gb/s (current: 6.0 Gb/s)\n"
		     "APM level is: 254 (maximum performance)\n",
		nvme_json,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t size = strlen(texts[i]);

		for (size_t n = 0; n <= size; n++) {
			try_part(texts[i], n);
			try_part(texts[i] + n, size - n);
		}
	}
}

static void any_byte_may_be_another(void **state)
{
	char text[] = INFO TABLE;
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < (int)fixture_cases(20000); i++) {
		char *at = text + fixture_random(&seed) % (sizeof(text) - 1);
		char before = *at;

		*at = (char)(fixture_random(&seed) % 255 + 1);
		try_part(text, sizeof(text) - 1);
		*at = before;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			maximum_latencies_and_ranks_count_idle_and_active_do_not),
		cmocka_unit_test(a_table_alone_leaves_the_drive_unknown),
		cmocka_unit_test(
			line_ends_tabs_quotes_and_empty_lines_make_no_difference),
		cmocka_unit_test(prose_around_and_between_is_stepped_over),
		cmocka_unit_test(a_table_without_a_newline_at_its_end_is_read),
		cmocka_unit_test(the_same_table_twice_is_one_drive),
		cmocka_unit_test(two_drives_in_one_text_are_refused),
		cmocka_unit_test(without_a_table_it_says_what_to_call),
		cmocka_unit_test(what_is_not_smartctls_is_not_taken_for_it),
		cmocka_unit_test(states_are_numbered_without_a_gap),
		cmocka_unit_test(there_are_32_states_at_most),
		cmocka_unit_test(
			a_row_that_is_out_of_shape_is_named_with_its_line),
		cmocka_unit_test(
			a_number_beyond_its_field_is_named_with_its_line),
		cmocka_unit_test(the_largest_numbers_are_exact),
		cmocka_unit_test(
			empty_texts_are_unknown_and_odd_bytes_become_question_marks),
		cmocka_unit_test(vendors_that_differ_are_told_on_two_lines),
		cmocka_unit_test(
			of_a_sata_drive_nothing_more_is_known_than_is_told),
		cmocka_unit_test(
			the_fastest_sata_speed_implies_the_slower_ones),
		cmocka_unit_test(apm_is_missing_off_or_at_a_level),
		cmocka_unit_test(an_ata_drive_on_another_bus_is_refused),
		cmocka_unit_test(a_farm_log_does_not_make_it_another_drive),
		cmocka_unit_test(json_of_7_5_is_read_like_the_text),
		cmocka_unit_test(what_json_leaves_out_is_unknown),
		cmocka_unit_test(json_powers_are_exact_in_both_units),
		cmocka_unit_test(json_that_is_wrong_is_named_with_its_line),
		cmocka_unit_test(json_of_another_shape_is_named_with_its_line),
		cmocka_unit_test(thirty_three_states_in_json_are_one_too_many),
		cmocka_unit_test(
			json_without_states_says_which_version_has_them),
		cmocka_unit_test(json_of_a_sata_drive_goes_as_far_as_the_text),
		cmocka_unit_test(
			the_rotation_rate_tells_a_hard_disk_from_an_ssd),
		cmocka_unit_test(wrong_json_of_a_sata_drive_is_named),
		cmocka_unit_test(a_text_may_end_or_begin_at_any_byte),
		cmocka_unit_test(any_byte_may_be_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
