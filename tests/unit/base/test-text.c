/* SPDX-License-Identifier: MIT */
#include "fixture.h"
#include "base/text.h"
#include "base/glob.h"

#include <fnmatch.h>
#include <stdio.h>
#include <time.h>

/* The lines, words and numbers of pasted text, at their limits. */

#define SPARE 7 /* a value that no number here has */

/* A copy that ends where the text does, so that no read goes beyond. */
static char *copy_of(const char *text)
{
	size_t size = strlen(text);
	char *copy = malloc(size ? size : 1);

	memcpy(copy, text, size);
	return copy;
}

static void assert_span(struct span span, const char *text)
{
	assert_int_equal(span.end - span.at, strlen(text));
	if (*text)
		assert_memory_equal(span.at, text, strlen(text));
}

static void assert_lines(const char *text, const char *const expected[])
{
	char *copy = copy_of(text);
	struct lines lines = { .rest = ssdpm__span(copy, strlen(text)) };
	struct span line;
	uint32_t n = 0;

	for (; expected[n]; n++) {
		assert_true(ssdpm__next_line(&lines, &line));
		assert_int_equal(lines.line, n + 1);
		assert_span(line, expected[n]);
	}
	assert_false(ssdpm__next_line(&lines, &line));
	assert_false(ssdpm__next_line(&lines, &line));
	assert_int_equal(lines.line, n);
	free(copy);
}

static void lines_end_in_lf_or_crlf_or_where_the_text_does(void **state)
{
	(void)state;
	assert_lines("", (const char *[]){ NULL });
	assert_lines("\n", (const char *[]){ "", NULL });
	assert_lines("a", (const char *[]){ "a", NULL });
	assert_lines("a\n", (const char *[]){ "a", NULL });
	assert_lines("a\r\nb\r\n", (const char *[]){ "a", "b", NULL });
	assert_lines("a\n\nb", (const char *[]){ "a", "", "b", NULL });
	assert_lines("\r\n\r", (const char *[]){ "", "", NULL });
}

static void lines_lose_the_blanks_around_them(void **state)
{
	(void)state;
	assert_lines(" \t a\tb  \t\r\n\t",
		     (const char *[]){ "a\tb", "", NULL });
	assert_lines("a\r \r\r\n", (const char *[]){ "a", NULL });
	assert_lines("\ra", (const char *[]){ "\ra", NULL });
}

static void a_text_of_no_bytes_may_be_null(void **state)
{
	struct lines lines = { .rest = ssdpm__span(NULL, 0) };
	struct span span = ssdpm__span(NULL, 0), word;
	uint64_t value = SPARE;
	char text[1];

	(void)state;
	assert_false(ssdpm__next_line(&lines, &span));
	assert_false(ssdpm__take(&span, "a"));
	assert_false(ssdpm__take_uint(&span, 9, &value));
	assert_false(ssdpm__take_millionths(&span, 9, &value));
	assert_false(ssdpm__take_word(&span, &word));
	assert_true(ssdpm__span_is(span, ""));
	assert_false(ssdpm__span_is(span, "a"));
	assert_true(ssdpm__span_contains(span, ""));
	assert_false(ssdpm__span_contains(span, "a"));
	assert_true(ssdpm__span_copy(span, text, sizeof(text)));
	assert_string_equal(text, "");
	assert_int_equal(value, SPARE);
}

/* rest NULL: not taken, and the span is unchanged. */
static void assert_take(const char *text, const char *what, const char *rest)
{
	char *copy = copy_of(text);
	struct span span = ssdpm__span(copy, strlen(text));

	assert_int_equal(ssdpm__take(&span, what), rest != NULL);
	assert_span(span, rest ? rest : text);
	free(copy);
}

static void words_are_taken_with_the_blanks_after_them(void **state)
{
	(void)state;
	assert_take("mp:1", "mp:", "1");
	assert_take("mp: \t1", "mp:", "1");
	assert_take("mp:", "mp:", "");
	assert_take("mp: ", "mp:", "");
	assert_take("MP:x", "mp:", "x");
	assert_take("mp:x", "MP:", "x");
	assert_take("mp", "mp:", NULL);
	assert_take("", "mp:", NULL);
	assert_take(" mp:", "mp:", NULL);
	assert_take("np:", "mp:", NULL);
	/* '[' and '{' differ by the bit that tells capitals. */
	assert_take("[", "{", NULL);
	assert_take("@", "`", NULL);
}

static void assert_uint(const char *text, uint64_t max, uint64_t value,
			const char *rest)
{
	char *copy = copy_of(text);
	struct span span = ssdpm__span(copy, strlen(text));
	uint64_t taken = SPARE;

	assert_int_equal(ssdpm__take_uint(&span, max, &taken), rest != NULL);
	assert_int_equal(taken, rest ? value : SPARE);
	assert_span(span, rest ? rest : text);
	free(copy);
}

static void whole_numbers_are_taken_up_to_their_maximum(void **state)
{
	(void)state;
	assert_uint("0", 0, 0, "");
	assert_uint("00", 0, 0, "");
	assert_uint("1", 0, 0, NULL);
	assert_uint("9", 9, 9, "");
	assert_uint("10", 9, 0, NULL);
	assert_uint("255", 255, 255, "");
	assert_uint("256", 255, 0, NULL);
	assert_uint("4294967295", UINT32_MAX, UINT32_MAX, "");
	assert_uint("4294967296", UINT32_MAX, 0, NULL);
	assert_uint("18446744073709551615", UINT64_MAX, UINT64_MAX, "");
	assert_uint("18446744073709551616", UINT64_MAX, 0, NULL);
	assert_uint("99999999999999999999999", UINT64_MAX, 0, NULL);
	assert_uint("12 \tus", 99, 12, "us");
	assert_uint("12us", 99, 12, "us");
}

static void whole_numbers_may_be_hexadecimal(void **state)
{
	(void)state;
	assert_uint("0x1f", 31, 31, "");
	assert_uint("0X1F z", 31, 31, "z");
	assert_uint("0x20", 31, 0, NULL);
	assert_uint("0xffffffffffffffff", UINT64_MAX, UINT64_MAX, "");
	assert_uint("0x10000000000000000", UINT64_MAX, 0, NULL);
	assert_uint("1f", 31, 1, "f");
	assert_uint("0x1g", 31, 1, "g");
	assert_uint("0x", 31, 0, NULL);
	assert_uint("0xg", 31, 0, NULL);
}

static void what_is_no_whole_number_is_left_alone(void **state)
{
	(void)state;
	assert_uint("", 9, 0, NULL);
	assert_uint("-1", 9, 0, NULL);
	assert_uint("+1", 9, 0, NULL);
	assert_uint(" 1", 9, 0, NULL);
	assert_uint("x", 9, 0, NULL);
	assert_uint("\xb2", 9, 0, NULL);
}

static void assert_millionths(const char *text, uint64_t max, uint64_t value,
			      const char *rest)
{
	char *copy = copy_of(text);
	struct span span = ssdpm__span(copy, strlen(text));
	uint64_t taken = SPARE;

	assert_int_equal(ssdpm__take_millionths(&span, max, &taken),
			 rest != NULL);
	assert_int_equal(taken, rest ? value : SPARE);
	assert_span(span, rest ? rest : text);
	free(copy);
}

static void decimal_numbers_are_exact(void **state)
{
	(void)state;
	assert_millionths("0.0500W", UINT32_MAX, 50000, "W");
	assert_millionths("25.00 W", UINT32_MAX, 25000000, "W");
	assert_millionths("6", UINT32_MAX, 6000000, "");
	assert_millionths("0", 0, 0, "");
	assert_millionths("0.0", 0, 0, "");
	assert_millionths("0.000001", UINT32_MAX, 1, "");
	assert_millionths("0.999999", UINT32_MAX, 999999, "");
	assert_millionths("1.2.3", UINT32_MAX, 1200000, ".3");
	assert_millionths("655.35", UINT32_MAX, 655350000, "");
}

static void decimal_numbers_are_taken_up_to_their_maximum(void **state)
{
	(void)state;
	assert_millionths("0.000001", 0, 0, NULL);
	assert_millionths("0.5", 499999, 0, NULL);
	assert_millionths("0.5", 500000, 500000, "");
	assert_millionths("4294.967295", UINT32_MAX, UINT32_MAX, "");
	assert_millionths("4294.967296", UINT32_MAX, 0, NULL);
	assert_millionths("4295", UINT32_MAX, 0, NULL);
	assert_millionths("18446744073709.551615", UINT64_MAX, UINT64_MAX, "");
	assert_millionths("18446744073709.551616", UINT64_MAX, 0, NULL);
	assert_millionths("18446744073709.999999", UINT64_MAX, 0, NULL);
	assert_millionths("18446744073710", UINT64_MAX, 0, NULL);
}

static void digits_after_the_sixth_must_be_zero(void **state)
{
	(void)state;
	assert_millionths("0.1234560", UINT32_MAX, 123456, "");
	assert_millionths("0.1000000000000000000000000", UINT32_MAX, 100000,
			  "");
	assert_millionths("0.1234567", UINT32_MAX, 0, NULL);
	assert_millionths("0.00000010", UINT32_MAX, 0, NULL);
}

static void what_is_no_decimal_number_is_left_alone(void **state)
{
	(void)state;
	assert_millionths("", UINT32_MAX, 0, NULL);
	assert_millionths(".5", UINT32_MAX, 0, NULL);
	assert_millionths("5.", UINT32_MAX, 0, NULL);
	assert_millionths("5.W", UINT32_MAX, 0, NULL);
	assert_millionths("-1", UINT32_MAX, 0, NULL);
	assert_millionths("-", UINT32_MAX, 0, NULL);
	assert_millionths("nan", UINT32_MAX, 0, NULL);
	assert_millionths("0,5", UINT32_MAX, 0, ",5");
}

static void words_are_what_stands_between_blanks(void **state)
{
	static const char text[] = " \tone two:\t three";
	char *copy = copy_of(text);
	struct span span = ssdpm__span(copy, strlen(text)), word;

	(void)state;
	assert_true(ssdpm__take_word(&span, &word));
	assert_span(word, "one");
	assert_true(ssdpm__take_word(&span, &word));
	assert_span(word, "two:");
	assert_span(span, "three");
	assert_true(ssdpm__take_word(&span, &word));
	assert_span(word, "three");
	assert_false(ssdpm__take_word(&span, &word));
	assert_span(word, "three");
	free(copy);
}

static void spans_are_compared_byte_by_byte(void **state)
{
	struct span span = ssdpm__span("active", 6);

	(void)state;
	assert_true(ssdpm__span_is(span, "active"));
	assert_false(ssdpm__span_is(span, "Active"));
	assert_false(ssdpm__span_is(span, "activ"));
	assert_false(ssdpm__span_is(span, "active "));
	assert_false(ssdpm__span_is(span, ""));
}

static void spans_contain_words_of_either_case(void **state)
{
	struct span span = ssdpm__span("Not Reported", 12);

	(void)state;
	assert_true(ssdpm__span_contains(span, "not"));
	assert_true(ssdpm__span_contains(span, "REPORTED"));
	assert_true(ssdpm__span_contains(span, "t r"));
	assert_true(ssdpm__span_contains(span, ""));
	assert_false(ssdpm__span_contains(span, "reported "));
	assert_false(ssdpm__span_contains(span, "d."));
}

static void copies_are_printable_and_end_in_zero(void **state)
{
	char text[5] = "wxyz";

	(void)state;
	assert_true(ssdpm__span_copy(ssdpm__span("a\xff\x1f~", 4), text, 5));
	assert_string_equal(text, "a??~");
	assert_true(ssdpm__span_copy(ssdpm__span(" \0\x7f", 3), text, 5));
	assert_string_equal(text, " ??");
	assert_false(ssdpm__span_copy(ssdpm__span("abcde", 5), text, 5));
	assert_string_equal(text, " ??");
	assert_false(ssdpm__span_copy(ssdpm__span("", 0), text, 0));
}

/* Exact numbers in units that people read. */

static const struct {
	uint64_t millionths;
	const char *time, *power;
} cases[] = {
	{ 0, "0 us", "0 uW" },
	{ 1, "1 us", "1 uW" },
	{ 999, "999 us", "999 uW" },
	{ 1000, "1 ms", "1 mW" },
	{ 1001, "1.001 ms", "1.001 mW" },
	{ 2500, "2.5 ms", "2.5 mW" },
	{ 10010, "10.01 ms", "10.01 mW" },
	{ 999999, "999.999 ms", "999.999 mW" },
	{ 1000000, "1 s", "1 W" },
	{ 1000001, "1.000001 s", "1.000001 W" },
	{ 1050000, "1.05 s", "1.05 W" },
	{ 655350000, "655.35 s", "655.35 W" },
	{ 4294967295, "4294.967295 s", "4294.967295 W" },
	{ UINT64_MAX, "18446744073709.551615 s", "18446744073709.551615 W" },
};

static void durations_are_exact_in_the_unit_people_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(ssdpm_us_to_text(cases[i].millionths).text,
				    cases[i].time);
}

static void powers_are_exact_in_the_unit_people_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(ssdpm_uw_to_text(cases[i].millionths).text,
				    cases[i].power);
}

/* Patterns: the same as fnmatch(3), where both have the same meaning. */

static bool matches(const char *pattern, const char *text)
{
	return ssdpm__glob(ssdpm__span(pattern, strlen(pattern)),
			   ssdpm__span(text, strlen(text)));
}

static void patterns_match_the_whole_text(void **state)
{
	(void)state;
	assert_true(matches("", ""));
	assert_false(matches("", "a"));
	assert_false(matches("a", ""));
	assert_true(matches("*", ""));
	assert_true(matches("a*c", "abbc"));
	assert_false(matches("a*c", "abbcd"));
	assert_true(matches("*a*b*", "xxaxxbxx"));
	assert_true(matches("a?c", "abc"));
	assert_false(matches("a?c", "ac"));
	assert_false(matches("abc", "ABC"));
}

static void classes_are_those_of_the_kernel(void **state)
{
	(void)state;
	assert_true(matches("[a-c]", "b"));
	assert_false(matches("[!a-c]", "b"));
	assert_true(matches("[!a-c]", "d"));
	assert_true(matches("[]a]", "]"));
	assert_true(matches("[!]a]", "b"));
	assert_false(matches("[!]a]", "]"));
	assert_true(matches("[a-]", "-"));
	assert_true(matches("[-a]", "-"));
	assert_false(matches("[c-a]", "b"));
	/* The caret is a character like others. */
	assert_true(matches("[^a]", "^"));
	assert_false(matches("[^a]", "b"));
	/* A bracket without its mate too. */
	assert_true(matches("[a", "[a"));
	assert_true(matches("[", "["));
	assert_true(matches("[!]", "[!]"));
	assert_true(matches("a\\*c", "a*c"));
	assert_false(matches("a\\*c", "abc"));
	assert_true(matches("a\\", "a\\"));
}

/* Nothing beyond the end is read; these texts do not end in a zero byte. */
static void ends_are_respected(void **state)
{
	char text[] = { 'a', 'b', 'c' }, pattern[] = { 'a', '*', '[', 'x' };

	(void)state;
	for (size_t i = 0; i <= sizeof(text); i++)
		for (size_t j = 0; j <= sizeof(pattern); j++) {
			char *t = malloc(i ? i : 1), *p = malloc(j ? j : 1);

			memcpy(t, text, i);
			memcpy(p, pattern, j);
			assert_int_equal(ssdpm__glob(ssdpm__span(p, j),
						     ssdpm__span(t, i)),
					 (j == 0 && i == 0) ||
						 (j == 1 && i == 1) ||
						 (j == 2 && i > 0));
			free(t);
			free(p);
		}
}

/* The n-th word over an alphabet, the empty one first. */
static void word(const char *alphabet, uint32_t n, char *ret)
{
	size_t base = strlen(alphabet);

	for (; n; n = (uint32_t)((n - 1) / base))
		*ret++ = alphabet[(n - 1) % base];
	*ret = 0;
}

/*
 * Every pattern of at most five of these characters against every text of at
 * most four: 12 million pairs.
 */
static void all_short_patterns_match_as_fnmatch_says(void **state)
{
	char pattern[8], text[8];
	/*
	 * With few cases, every eleventh, so that all 8 letters begin equally
	 * often.
	 */
	uint32_t step = fixture_cases(8) < 8 ? 11 : 1, wrong = 0;

	(void)state;
	for (uint32_t i = 0; i < 37449; i += step) {
		word("ab*?[]-!", i, pattern);
		for (uint32_t j = 0; j < 341; j++) {
			word("ab]-", j, text);
			if (matches(pattern, text) ==
			    !fnmatch(pattern, text, FNM_NOESCAPE))
				continue;
			print_error("\"%s\" and \"%s\"\n", pattern, text);
			if (++wrong > 20)
				fail();
		}
	}
	assert_int_equal(wrong, 0);
}

static void random_patterns_match_as_fnmatch_says(void **state)
{
	static const char alphabet[] = "ab*?[]-!ab*";
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < (int)fixture_cases(200000); i++) {
		char pattern[16] = { 0 }, text[16] = { 0 };
		size_t n = (size_t)(fixture_random(&seed) % 15);
		size_t m = (size_t)(fixture_random(&seed) % 15);

		for (size_t j = 0; j < n; j++)
			pattern[j] = alphabet[fixture_random(&seed) % 11];
		for (size_t j = 0; j < m; j++)
			text[j] = "ab"[fixture_random(&seed) % 2];
		if (matches(pattern, text) !=
		    !fnmatch(pattern, text, FNM_NOESCAPE))
			fail_msg("\"%s\" and \"%s\"", pattern, text);
	}
}

/* A naive search would take longer than the age of the universe. */
static void many_stars_take_no_time(void **state)
{
	char pattern[2001], text[4000];
	clock_t start = clock();

	(void)state;
	for (size_t i = 0; i < 2000; i += 2)
		memcpy(pattern + i, "a*", 2);
	pattern[2000] = 'b';
	memset(text, 'a', sizeof(text));
	assert_false(ssdpm__glob(ssdpm__span(pattern, sizeof(pattern)),
				 ssdpm__span(text, sizeof(text))));
	assert_true(clock() - start < CLOCKS_PER_SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			lines_end_in_lf_or_crlf_or_where_the_text_does),
		cmocka_unit_test(lines_lose_the_blanks_around_them),
		cmocka_unit_test(a_text_of_no_bytes_may_be_null),
		cmocka_unit_test(words_are_taken_with_the_blanks_after_them),
		cmocka_unit_test(whole_numbers_are_taken_up_to_their_maximum),
		cmocka_unit_test(whole_numbers_may_be_hexadecimal),
		cmocka_unit_test(what_is_no_whole_number_is_left_alone),
		cmocka_unit_test(decimal_numbers_are_exact),
		cmocka_unit_test(decimal_numbers_are_taken_up_to_their_maximum),
		cmocka_unit_test(digits_after_the_sixth_must_be_zero),
		cmocka_unit_test(what_is_no_decimal_number_is_left_alone),
		cmocka_unit_test(words_are_what_stands_between_blanks),
		cmocka_unit_test(spans_are_compared_byte_by_byte),
		cmocka_unit_test(spans_contain_words_of_either_case),
		cmocka_unit_test(copies_are_printable_and_end_in_zero),
		cmocka_unit_test(durations_are_exact_in_the_unit_people_read),
		cmocka_unit_test(powers_are_exact_in_the_unit_people_read),
		cmocka_unit_test(patterns_match_the_whole_text),
		cmocka_unit_test(classes_are_those_of_the_kernel),
		cmocka_unit_test(ends_are_respected),
		cmocka_unit_test(all_short_patterns_match_as_fnmatch_says),
		cmocka_unit_test(random_patterns_match_as_fnmatch_says),
		cmocka_unit_test(many_stars_take_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
