/* SPDX-License-Identifier: MIT */
/* SATA drives out of what hdparm -I prints. The texts are made up. */
#include "fixture.h"

#include <stdio.h>

#define HEAD                                           \
	"\n/dev/sda:\n\n"                              \
	"ATA device, with non-removable media\n"       \
	"\tModel Number:       Fixture SATA SSD    \n" \
	"\tSerial Number:      XXXX\n"                 \
	"\tFirmware Revision:  FW 2.0  \n"

#define LIST "Commands/features:\n\tEnabled\tSupported:\n"
#define GENERATIONS                                \
	"\t   *\tGen1 signaling speed (1.5Gb/s)\n" \
	"\t   *\tGen2 signaling speed (3.0Gb/s)\n"
#define END "Security: \n\tnot\tlocked\n"

static const char whole[] =
	HEAD "Capabilities:\n"
	     "\tLBA, IORDY(can be disabled)\n"
	     "\tAdvanced power management level: 254\n"
	     "\tDMA: mdma0 udma5 *udma6\n" LIST "\t   *\tSMART feature set\n"
	     "\t   *\tAdvanced Power Management feature set\n" GENERATIONS
	     "\t   *\tGen3 signaling speed (6.0Gb/s)\n"
	     "\t   *\tNative Command Queueing (NCQ)\n"
	     "\t   *\tHost-initiated interface power management\n"
	     "\t   *\tHost automatic Partial to Slumber transitions\n"
	     "\t   *\tDevice automatic Partial to Slumber transitions\n"
	     "\t   *\tDevice-initiated interface power management\n"
	     "\t    \tDevice Sleep (DEVSLP)\n"
	     "\t   *\tSMART Command Transport (SCT) feature set\n" END
	     "Device Sleep:\n"
	     "\tDEVSLP Exit Timeout (DETO): 50 ms (drive)\n"
	     "\tMinimum DEVSLP Assertion Time (MDAT): 30 ms (drive)\n"
	     "Checksum: correct\n";

enum {
	HIPM = SSDPM_SATA_HIPM,
	DIPM = SSDPM_SATA_DIPM,
	DEVICE_AUTO = SSDPM_SATA_DEVICE_AUTO_PARTIAL_TO_SLUMBER,
	HOST_AUTO = SSDPM_SATA_HOST_AUTO_PARTIAL_TO_SLUMBER,
	DEVSLEEP = SSDPM_SATA_DEVSLEEP,
	APM = SSDPM_SATA_APM,
	LINK = HIPM | DIPM | DEVICE_AUTO | HOST_AUTO | DEVSLEEP,
	ALL = LINK | APM,
};

static struct ssdpm_model_info info_of(const char *text)
{
	struct ssdpm_model *model = fixture_read_good(text);
	struct ssdpm_model_info info = *ssdpm_model_get_info(model);

	ssdpm_model_unref(model);
	return info;
}

static void assert_bad(const char *text, uint32_t line, const char *fragment)
{
	fixture_assert_bad(text, -EINVAL, line, fragment);
}

static void assert_features(const struct ssdpm_model_info *info, uint32_t yes,
			    uint32_t unknown, uint32_t enabled,
			    uint32_t enabled_unknown)
{
	assert_int_equal(info->sata_supported, yes);
	assert_int_equal(info->sata_supported_unknown, unknown);
	assert_int_equal(info->sata_enabled, enabled);
	assert_int_equal(info->sata_enabled_unknown, enabled_unknown);
}

static void a_whole_text_becomes_the_facts_of_the_drive(void **state)
{
	const struct ssdpm_power_state *states;
	struct ssdpm_model *model = fixture_read_good(whole);
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);
	size_t n;

	(void)state;
	assert_int_equal(info->kind, SSDPM_KIND_SATA);
	assert_int_equal(info->format, SSDPM_FORMAT_HDPARM_TEXT);
	assert_int_equal(info->provenance, SSDPM_PROVENANCE_REPORTED);
	assert_string_equal(info->product, "Fixture SATA SSD");
	assert_string_equal(info->firmware, "FW 2.0");
	assert_int_equal(info->unknown, SSDPM_INFO_VENDOR_ID |
						SSDPM_INFO_APSTA |
						SSDPM_INFO_ROTATIONAL);
	assert_int_equal(info->sata_words_valid, 1);
	assert_int_equal(info->sata_generations, 14);
	assert_int_equal(info->apm_level, 254);
	assert_features(info, ALL, 0, DIPM | APM,
			HIPM | HOST_AUTO | DEVICE_AUTO);
	states = ssdpm_model_get_states(model, &n);
	assert_int_equal(n, 4);
	assert_int_equal(states[3].link_state, SSDPM_LINK_DEVSLEEP);
	assert_int_equal(states[3].exit_latency_us, 50000);
	ssdpm_model_unref(model);
}

static void the_rotation_rate_tells_a_hard_disk_from_an_ssd(void **state)
{
	struct ssdpm_model_info info;

	(void)state;
	info = info_of(HEAD "\tNominal Media Rotation Rate: 7200\n" LIST);
	assert_int_equal(info.rotational, 1);
	assert_false(info.unknown & SSDPM_INFO_ROTATIONAL);
	info = info_of(
		HEAD
		"\tNominal Media Rotation Rate: Solid State Device\n" LIST);
	assert_int_equal(info.rotational, 0);
	assert_false(info.unknown & SSDPM_INFO_ROTATIONAL);
	info = info_of(HEAD "\tNominal Media Rotation Rate: 2\n" LIST);
	assert_true(info.unknown & SSDPM_INFO_ROTATIONAL);
}

static void what_a_whole_list_lacks_is_not_supported(void **state)
{
	struct ssdpm_model_info info = info_of(HEAD LIST GENERATIONS END);

	(void)state;
	assert_features(&info, 0, 0, 0, HIPM | HOST_AUTO | DEVICE_AUTO);
	assert_int_equal(info.sata_generations, 6);
	assert_true(info.unknown & SSDPM_INFO_APM_LEVEL);
}

static void what_a_list_lacks_that_is_cut_is_unknown(void **state)
{
	struct ssdpm_model_info info;

	(void)state;
	info = info_of(HEAD LIST GENERATIONS
		       "\t   *\tHost-initiated interface power management\n");
	assert_features(&info, HIPM, ALL & ~HIPM, 0, ALL);
	assert_int_equal(info.sata_words_valid, 1);
	assert_true(info.unknown & SSDPM_INFO_SATA_GENERATIONS);
	/* Its beginning is missing: the end does not help. */
	info = info_of(
		HEAD
		"\t    \tDevice-initiated interface power management\n" END);
	assert_features(&info, DIPM, ALL & ~DIPM, 0, ALL & ~DIPM);
	info = info_of(HEAD END);
	assert_features(&info, 0, ALL, 0, ALL);
	assert_true(info.unknown & SSDPM_INFO_SATA_WORDS_VALID);
}

static void anything_after_word_79_shows_that_the_list_is_whole(void **state)
{
	static const char *const ends[] = {
		"\t   *\tSMART Command Transport (SCT) feature set\n",
		"\t   *\tSCT Error Recovery Control (AC3)\n",
		"\t   *\tSANITIZE feature set\n",
		"\t   *\tData Set Management TRIM supported (limit 8 blocks)\n",
		"\t   *\tDeterministic read ZEROs after TRIM\n",
		"\t   *\tDOWNLOAD MICROCODE DMA command\n",
		"\t   *\tWRITE BUFFER DMA command\n",
		"\t   *\tREAD BUFFER DMA command\n",
		"Security: \n",
		"Logical Unit WWN Device Identifier: 0\n",
		"HW reset results:\n",
		"Device Sleep:\n",
		"Checksum: correct\n",
		"Integrity word not set (found 0x0000, expected 0x12a5)\n",
	};
	struct ssdpm_model_info info;
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(text, sizeof(text), "%s%s%s%s", HEAD, LIST,
			 GENERATIONS, ends[i]);
		info = info_of(text);
		assert_int_equal(info.sata_supported_unknown, 0);
	}
	/* These stand before it, with nearly the same words. */
	info = info_of(HEAD LIST GENERATIONS
		       "\t    \tSecurity Mode feature set\n"
		       "\t   *\tSMART error logging\n"
		       "\t   *\tWRITE_BUFFER command\n"
		       "\t   *\tDOWNLOAD_MICROCODE\n");
	assert_int_equal(info.sata_supported_unknown, ALL);
}

static void a_drive_without_word_76_says_nothing_of_its_link(void **state)
{
	struct ssdpm_model_info info;

	(void)state;
	info = info_of(HEAD LIST "\t   *\tSMART feature set\n" END);
	assert_features(&info, 0, LINK, 0, LINK);
	assert_true(info.unknown & SSDPM_INFO_SATA_WORDS_VALID);
	assert_true(info.unknown & SSDPM_INFO_SATA_GENERATIONS);
	/* One bit that means nothing here is enough: the word is valid. */
	info = info_of(HEAD LIST "\t   *\tPhy event counters\n" END);
	assert_int_equal(info.sata_supported_unknown, 0);
	assert_int_equal(info.sata_words_valid, 1);
	assert_int_equal(info.sata_generations, 0);
}

static void a_word_76_of_all_ones_is_not_valid(void **state)
{
	struct ssdpm_model_info info;

	(void)state;
	info = info_of(HEAD LIST
		       "\t   *\tunknown 76[0]\n" GENERATIONS
		       "\t   *\tHost-initiated interface power management\n"
		       "\t   *\tDevice-initiated interface power management\n"
		       "\t   *\tAdvanced Power Management feature set\n" END);
	assert_features(&info, APM, LINK, APM, LINK);
	assert_int_equal(info.sata_words_valid, 0);
	assert_false(info.unknown & SSDPM_INFO_SATA_WORDS_VALID);
	assert_true(info.unknown & SSDPM_INFO_SATA_GENERATIONS);
}

static void older_versions_have_other_words(void **state)
{
	struct ssdpm_model_info info;

	(void)state;
	info = info_of(HEAD LIST "\t   *\tSATA-I signaling speed (1.5Gb/s)\n"
				 "\t   *\tSATA-II signaling speed (3.0Gb/s)\n"
				 "\t   *\tunknown 76[13]\n"
				 "\t   *\tunknown 76[15]\n"
				 "\t    \tunknown 78[8]\n" END);
	assert_int_equal(info.sata_generations, 6);
	assert_features(&info, HOST_AUTO | DEVSLEEP, 0, 0,
			HIPM | HOST_AUTO | DEVICE_AUTO);
	info = info_of(HEAD LIST "\t   *\tunknown 76[14]\n"
				 "\t   *\tunknown 78[8]\n" END);
	assert_int_equal(info.sata_supported, DEVICE_AUTO | DEVSLEEP);
	assert_int_equal(info.sata_enabled, DEVSLEEP);
}

/* The line of the capabilities, the line of the list, and what they say. */
struct apm_case {
	const char *level, *feature;
	bool supported, supported_known, enabled, enabled_known;
	uint8_t apm_level;
};

#define ON "\t   *\tAdvanced Power Management feature set\n"
#define OFF "\t    \tAdvanced Power Management feature set\n"

static const struct apm_case apm_cases[] = {
	{ "254", LIST ON END, true, true, true, true, 254 },
	{ "1", LIST ON END, true, true, true, true, 1 },
	{ "disabled", LIST OFF END, true, true, false, true, 0 },
	{ "128", "", true, true, true, true, 128 },
	{ "disabled", "", true, true, false, true, 0 },
	{ "128 (0x80)", "", true, true, false, false, 0 },
	{ "128 (0x80)", LIST ON END, true, true, true, true, 128 },
	{ "128 (0x80)", LIST OFF END, true, true, false, true, 0 },
	{ "unknown setting (0x0000)", "", true, true, false, false, 0 },
	{ "unknown setting (0x0000)", LIST ON END, true, true, true, true, 0 },
	{ "255", LIST ON END, true, true, true, true, 0 },
	{ "0", LIST ON END, true, true, true, true, 0 },
	{ "99999999999999999999", LIST ON END, true, true, true, true, 0 },
	{ "", LIST ON END, true, true, true, true, 0 },
	{ NULL, LIST ON END, true, true, true, true, 0 },
	{ NULL, LIST END, false, true, false, true, 0 },
	{ NULL, LIST, false, false, false, false, 0 },
};

static void apm_is_what_both_of_its_lines_say(void **state)
{
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(apm_cases) / sizeof(apm_cases[0]); i++) {
		const struct apm_case *c = &apm_cases[i];
		struct ssdpm_model_info info;

		snprintf(text, sizeof(text), "%s%s%s\n%s", HEAD,
			 c->level ? "\tAdvanced power management level: " : "",
			 c->level ? c->level : "", c->feature);
		info = info_of(text);
		assert_int_equal(!!(info.sata_supported & APM), c->supported);
		assert_int_equal(!(info.sata_supported_unknown & APM),
				 c->supported_known);
		assert_int_equal(!!(info.sata_enabled & APM), c->enabled);
		assert_int_equal(!(info.sata_enabled_unknown & APM),
				 c->enabled_known);
		assert_int_equal(info.apm_level, c->apm_level);
		assert_int_equal(!(info.unknown & SSDPM_INFO_APM_LEVEL),
				 !!c->apm_level);
	}
}

static void the_exit_from_devsleep_is_what_the_drive_gives(void **state)
{
	static const struct {
		const char *line;
		uint32_t us;
	} cases[] = {
		{ "\tDEVSLP Exit Timeout (DETO): 90 ms (drive)\n", 90000 },
		{ "\tDEVSLP Exit Timeout (DETO): 20 ms (default)\n", 20000 },
		{ "\tDEVSLP Exit Timeout (DETO): 255 ms (drive)\n", 255000 },
		{ "\tDEVSLP Exit Timeout (DETO): 256 ms (drive)\n", 20000 },
		{ "\tDEVSLP Exit Timeout (DETO): many ms\n", 20000 },
		{ "\tDEVSLP Exit Timeout (DETO): 0 ms (drive)\n", 20000 },
		{ "", 20000 },
	};
	const struct ssdpm_power_state *states;
	char text[1024];
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_model *model;

		snprintf(text, sizeof(text),
			 HEAD LIST "\t    \tDevice Sleep (DEVSLP)\n%s",
			 cases[i].line);
		model = fixture_read_good(text);
		states = ssdpm_model_get_states(model, &n);
		assert_int_equal(n, 2);
		assert_int_equal(states[1].exit_latency_us, cases[i].us);
		ssdpm_model_unref(model);
	}
}

static void names_that_do_not_fit_or_are_empty_are_unknown(void **state)
{
	struct ssdpm_model_info info;

	(void)state;
	info = info_of("Model Number: " /* 40 and 8 characters fit */
		       "0123456789012345678901234567890123456789\n"
		       "Firmware Revision: abcdefgh\n");
	assert_string_equal(info.product,
			    "0123456789012345678901234567890123456789");
	assert_string_equal(info.firmware, "abcdefgh");
	info = info_of("Model Number: "
		       "0123456789012345678901234567890123456789X\n"
		       "Firmware Revision: abcdefghi\n" LIST END);
	assert_string_equal(info.product, "");
	assert_string_equal(info.firmware, "");
	assert_int_equal(info.unknown & 6, 6);
	info = info_of("Model Number:\nFirmware Revision:   \n" LIST END);
	assert_int_equal(info.unknown & 6, 6);
	info = info_of("Model Number: \xc3\x9c"
		       "ber\nFirmware Revision: 1\n");
	assert_string_equal(info.product, "??ber");
}

static void what_is_no_drive_is_refused_with_the_reason(void **state)
{
	(void)state;
	assert_bad("\n/dev/sr0:\n\nATAPI CD-ROM, with removable media\n"
		   "\tModel Number:       BD-RW\n",
		   4, "ATAPI (an optical drive)");
	assert_bad("Firmware Revision: 1\nATAPI Printer, with non-removable "
		   "media\n",
		   2, "ATAPI");
	assert_bad(HEAD LIST END "Checksum: incorrect (0x12), expected 0xee\n",
		   12, "checksum");
	assert_bad(HEAD LIST END HEAD, 16, "a second drive begins here");
	assert_bad("Firmware Revision: 1\n\n", 2,
		   "without a model number and without features");
}

/* The text with other line ends, other blanks, and a mail around it. */
static void a_text_survives_what_people_do_to_it(void **state)
{
	struct ssdpm_model *model, *plain = fixture_read_good(whole);
	char text[2 * sizeof(whole)], *at = text;

	(void)state;
	for (const char *c = whole; *c; c++) {
		if (*c == '\n')
			*at++ = '\r';
		*at++ = *c == '\t' ? ' ' : *c;
	}
	*at = 0;
	model = fixture_read_good(text);
	fixture_assert_same(plain, model);
	ssdpm_model_unref(model);
	at = text + sprintf(text, "Hello,\nhere it is, with HIPM: \n> > ");
	for (const char *c = whole; *c; c++) {
		*at++ = *c;
		if (*c == '\n')
			at += sprintf(at, "> >");
	}
	sprintf(at, "\n\nThanks! ATAPI and Model Number mean nothing here.\n");
	model = fixture_read_good(text);
	fixture_assert_same(plain, model);
	ssdpm_model_unref(model);
	ssdpm_model_unref(plain);
}

/* Wherever it ends: what is known of the link is right, or it is refused. */
static void a_cut_text_never_says_what_the_whole_does_not(void **state)
{
	struct ssdpm_model_info all = info_of(whole);

	(void)state;
	for (size_t cut = 1; cut < strlen(whole); cut++) {
		const struct ssdpm_model_info *info;
		struct ssdpm_model *model = NULL;
		struct ssdpm_error error;

		if (fixture_read(whole, cut, &model, &error)) {
			assert_true(cut < strlen(HEAD));
			continue;
		}
		info = ssdpm_model_get_info(model);
		assert_int_equal(info->sata_supported,
				 all.sata_supported &
					 ~info->sata_supported_unknown);
		assert_int_equal(info->sata_enabled,
				 all.sata_enabled &
					 ~info->sata_enabled_unknown);
		if (!(info->unknown & SSDPM_INFO_SATA_GENERATIONS))
			assert_int_equal(info->sata_generations, 14);
		ssdpm_model_unref(model);
	}
}

static void a_text_with_a_zero_byte_is_no_text(void **state)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_model *model = NULL;

	(void)state;
	assert_int_equal(fixture_read(whole, sizeof(whole), &model, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "bytes of binary data");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_text_becomes_the_facts_of_the_drive),
		cmocka_unit_test(
			the_rotation_rate_tells_a_hard_disk_from_an_ssd),
		cmocka_unit_test(what_a_whole_list_lacks_is_not_supported),
		cmocka_unit_test(what_a_list_lacks_that_is_cut_is_unknown),
		cmocka_unit_test(
			anything_after_word_79_shows_that_the_list_is_whole),
		cmocka_unit_test(
			a_drive_without_word_76_says_nothing_of_its_link),
		cmocka_unit_test(a_word_76_of_all_ones_is_not_valid),
		cmocka_unit_test(older_versions_have_other_words),
		cmocka_unit_test(apm_is_what_both_of_its_lines_say),
		cmocka_unit_test(
			the_exit_from_devsleep_is_what_the_drive_gives),
		cmocka_unit_test(
			names_that_do_not_fit_or_are_empty_are_unknown),
		cmocka_unit_test(what_is_no_drive_is_refused_with_the_reason),
		cmocka_unit_test(a_text_survives_what_people_do_to_it),
		cmocka_unit_test(a_cut_text_never_says_what_the_whole_does_not),
		cmocka_unit_test(a_text_with_a_zero_byte_is_no_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
