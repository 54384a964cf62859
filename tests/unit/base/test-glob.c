/* SPDX-License-Identifier: MIT */
/* Patterns: as fnmatch(3) does where both mean the same. */
#include "fixture.h"

#include "base/glob.h"

#include <fnmatch.h>
#include <stdio.h>
#include <time.h>

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

/* Nothing beyond the end is read: these do not end in a zero byte. */
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
	/* Of few cases every eleventh: all 8 letters begin as many. */
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

/* Tried naively, this takes longer than the universe has. */
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
		cmocka_unit_test(patterns_match_the_whole_text),
		cmocka_unit_test(classes_are_those_of_the_kernel),
		cmocka_unit_test(ends_are_respected),
		cmocka_unit_test(all_short_patterns_match_as_fnmatch_says),
		cmocka_unit_test(random_patterns_match_as_fnmatch_says),
		cmocka_unit_test(many_stars_take_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
