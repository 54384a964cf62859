/* SPDX-License-Identifier: MIT */
/* What all stages share. */
#include "fixture.h"

#include <stdio.h>

static void version_is_that_of_the_project(void **state)
{
	(void)state;
	assert_string_equal(ssdpm_version(), EXPECTED_VERSION);
}

static void headers_have_the_version_of_the_project(void **state)
{
	char version[32];

	(void)state;
	snprintf(version, sizeof(version), "%d.%d.%d", SSDPM_VERSION_MAJOR,
		 SSDPM_VERSION_MINOR, SSDPM_VERSION_MICRO);
	assert_string_equal(version, EXPECTED_VERSION);
#if SSDPM_CHECK_VERSION(0, 0, 99) && SSDPM_CHECK_VERSION(0, 1, 0) &&      \
	!SSDPM_CHECK_VERSION(0, 1, 1) && !SSDPM_CHECK_VERSION(0, 2, 0) && \
	!SSDPM_CHECK_VERSION(1, 0, 0)
	assert_true(true);
#else
	fail();
#endif
}

static void every_documented_code_has_words(void **state)
{
	static const struct {
		int code;
		const char *words;
	} codes[] = {
		{ 0, "success" },
		{ -EINVAL, "invalid input" },
		{ -ERANGE, "number out of range" },
		{ -E2BIG, "too large" },
		{ -ENODATA, "a needed value is unknown" },
		{ -ENOENT, "not found" },
		{ -ENOMEM, "out of memory" },
		{ -EIO, "input/output error" },
		{ -EOPNOTSUPP, "not supported" },
		{ -EMFILE, "too many files are open" },
		{ -ENFILE, "too many files are open" },
		{ -ELOOP, "too many symbolic links" },
		{ -ENAMETOOLONG, "the name is too long" },
		{ -EACCES, "permission denied" },
		{ -EPERM, "not permitted" },
		{ -ENODEV, "no such device" },
		{ -ENOTDIR, "not a directory" },
		{ -EISDIR, "a directory" },
		{ -EEXIST, "it exists" },
		{ -EROFS, "read-only" },
		{ -ENOSPC, "no space left" },
		{ -EBUSY, "busy" },
		{ -ETIMEDOUT, "it takes too long" },
		{ -ESTALE, "no longer so" },
		{ -EALREADY, "done already" },
		{ -EREMOTEIO, "the drive holds another table" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		assert_string_equal(ssdpm_strerror(codes[i].code),
				    codes[i].words);
}

static void other_codes_are_unknown_but_never_null(void **state)
{
	static const int codes[] = { 1,	    EINVAL,    -4095,
				     -9999, INT32_MAX, INT32_MIN };

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		assert_string_equal(ssdpm_strerror(codes[i]), "unknown error");
}

static void error_is_256_bytes_of_which_the_message_takes_244(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct ssdpm_error), 256);
	assert_int_equal(offsetof(struct ssdpm_error, message), 12);
}

static void a_blunt_text_steers_no_terminal_and_is_utf8(void **state)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "", "" },
		{ "Disk 1 \xc3\xa9 \xe2\x82\xac \xf0\x9f\x92\xbe",
		  "Disk 1 \xc3\xa9 \xe2\x82\xac \xf0\x9f\x92\xbe" },
		{ "\x1b[31mred\n\x7f", "?[31mred??" },
		{ "\xc2\x9b"
		  "31m",
		  "??31m" }, /* CSI, U+009B */
		{ "\xff\xfe", "??" },
		{ "cut \xe2\x82", "cut ??" },
		{ "\xc0\xaf", "??" },		/* overlong */
		{ "\xed\xa0\x80", "???" },	/* a surrogate */
		{ "\xf4\x90\x80\x80", "????" }, /* above U+10FFFF */
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		strcpy(text, cases[i].from);
		ssdpm_text_blunt(text);
		assert_string_equal(text, cases[i].to);
	}
}

/* Whether each character of two or three bytes is whole; no others occur. */
static bool is_utf8(const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		int more = c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;

		if (c >= 0x80 && !more)
			return false;
		while (more--)
			if (((unsigned char)*++text & 0xc0) != 0x80)
				return false;
	}
	return true;
}

/* A caller that decodes the message must not trip over half a character. */
static void a_long_key_is_cut_between_characters_and_the_cause_stays(
	void **state)
{
	char text[1024], key[3 * 100 + 4];
	struct ssdpm_model *model = UNTOUCHED;
	struct ssdpm_error error;
	int length;

	(void)state;
	for (int shift = 0; shift < 3; shift++) {
		memset(key, 'x', (size_t)shift);
		key[shift] = 0;
		for (int i = 0; i < 100; i++)
			strcat(key, "\xe2\x82\xac");
		length = snprintf(text, sizeof(text), "{\"%s\": 1, \"%s\": 1}",
				  key, key);
		assert_int_equal(
			fixture_read(text, (size_t)length, &model, &error),
			-EINVAL);
		assert_true(is_utf8(error.message));
		fixture_assert_error(&error, -EINVAL, 1, "is given twice");
	}
	assert_ptr_equal(model, UNTOUCHED);
}

static void a_long_number_is_cut_and_the_cause_stays(void **state)
{
	char text[1024], digits[513];
	struct ssdpm_model *model = UNTOUCHED;
	struct ssdpm_error error;
	int length;

	(void)state;
	memset(digits, '9', 512);
	digits[512] = 0;
	length = snprintf(text, sizeof(text),
			  "{\"schema\": \"ssdpm.model/1\", \"kind\": \"nvme\", "
			  "\"apsta\": %s}",
			  digits);
	assert_int_equal(fixture_read(text, (size_t)length, &model, &error),
			 -ERANGE);
	fixture_assert_error(&error, -ERANGE, 1, "apsta: 999");
	fixture_assert_error(&error, -ERANGE, 1, "is more than 255");
	assert_ptr_equal(model, UNTOUCHED);
}

/* U+0085 and U+009B move a terminal's cursor as ESC does. */
static void no_control_character_reaches_a_message(void **state)
{
	static const char text[] = "{\"a\x7f\xc2\x85\xc2\x9b\xc2\xa0z\": 1, "
				   "\"a\x7f\xc2\x85\xc2\x9b\xc2\xa0z\": 1}";
	struct ssdpm_model *model = UNTOUCHED;
	struct ssdpm_error error;

	(void)state;
	assert_int_equal(fixture_read(text, sizeof(text) - 1, &model, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 1,
			     "\"a?????\xc2\xa0z\" is given twice");
	assert_ptr_equal(model, UNTOUCHED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_blunt_text_steers_no_terminal_and_is_utf8),
		cmocka_unit_test(version_is_that_of_the_project),
		cmocka_unit_test(headers_have_the_version_of_the_project),
		cmocka_unit_test(every_documented_code_has_words),
		cmocka_unit_test(other_codes_are_unknown_but_never_null),
		cmocka_unit_test(
			error_is_256_bytes_of_which_the_message_takes_244),
		cmocka_unit_test(a_blunt_text_steers_no_terminal_and_is_utf8),
		cmocka_unit_test(
			a_long_key_is_cut_between_characters_and_the_cause_stays),
		cmocka_unit_test(a_long_number_is_cut_and_the_cause_stays),
		cmocka_unit_test(no_control_character_reaches_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
