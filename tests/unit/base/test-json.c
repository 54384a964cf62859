/* SPDX-License-Identifier: MIT */
/* The reader and writer of lib/base/json-text.h: RFC 8259, with lines. */
#include "fixture.h"

#include "base/json-text.h"

#include <stdio.h>

/* Parse a copy that ends where the text does, so that no read goes beyond. */
static int parse(const char *text, size_t size, struct ssdpm_error *reterr)
{
	char *copy = malloc(size ? size : 1);
	struct json json;
	int err;

	memcpy(copy, text, size);
	err = ssdpm__json_parse(copy, size, &json, reterr);
	if (!err)
		ssdpm__json_free(&json);
	free(copy);
	return err;
}

static void assert_taken(const char *text)
{
	struct ssdpm_error error = { 0 };

	if (parse(text, strlen(text), &error))
		print_error("%s: %s\n", text, error.message);
	assert_int_equal(parse(text, strlen(text), NULL), 0);
}

static void assert_bad(const char *text, size_t size, uint32_t line,
		       const char *fragment)
{
	struct ssdpm_error error = fixture_error();

	assert_int_equal(parse(text, size, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, line, fragment);
	assert_int_equal(parse(text, size, NULL), -EINVAL);
}

static void assert_bad_text(const char *text, uint32_t line,
			    const char *fragment)
{
	assert_bad(text, strlen(text), line, fragment);
}

static void whatever_rfc_8259_allows_is_taken(void **state)
{
	static const char *const texts[] = {
		"{}",
		"[]",
		" \t\r\n[ \t\r\n] \t\r\n",
		"[0, -0, 1, -1, 10, 1.5, -0.5, 1e9, 1E9, 1e+9, 1e-9, 0.0e0]",
		"[true, false, null]",
		"[\"\", \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00fC\"]",
		"{\"\": {\"\": {}}, \"a\": [[], {}]}",
		"[\"\x7f\", \"\xc2\x80\", \"\xdf\xbf\"]",
		"[\"\xe0\xa0\x80\", \"\xed\x9f\xbf\", \"\xef\xbf\xbf\"]",
		"[\"\xf0\x90\x80\x80\", \"\xf4\x8f\xbf\xbf\"]",
		"[\"\\ud83d\\ude00\", \"\\ud800\", \"\\udc00\\ud800\"]",
		"\xef\xbb\xbf[]", /* a byte order mark */
		"{\"a\": 1, \"A\": 1, \"aa\": 1, \"\\u0061\\u0062\": 1}",
		"[18446744073709551616, 1e999999999999]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_taken(texts[i]);
}

static void what_is_not_json_is_refused_with_what_should_be(void **state)
{
	static const struct {
		const char *text, *fragment;
	} cases[] = {
		{ "", "it ends where '{' or '[' should be" },
		{ " ", "it ends where '{' or '[' should be" },
		{ "1", "'1' where '{' or '[' should be" },
		{ "\"a\"", "'\"' where '{' or '[' should be" },
		{ "[1]]", "']' where the end should be" },
		{ "{} {}", "'{' where the end should be" },
		{ "[1] x", "'x' where the end should be" },
		{ "[1,]", "']' where a value should be" },
		{ "[,1]", "',' where a value should be" },
		{ "[1 2]", "'2' where ',' or ']' should be" },
		{ "[1}", "'}' where ',' or ']' should be" },
		{ "{\"a\": 1,}", "'}' where a key should be" },
		{ "{\"a\": 1]", "']' where ',' or '}' should be" },
		{ "{\"a\": 1 \"b\": 2}", "'\"' where ',' or '}' should be" },
		{ "{a: 1}", "'a' where a key in quotes should be" },
		{ "{'a': 1}", "''' where a key in quotes should be" },
		{ "{1: 1}", "'1' where a key in quotes should be" },
		{ "{\"a\" 1}", "'1' where ':' should be" },
		{ "{\"a\"}", "'}' where ':' should be" },
		{ "{\"a\":}", "'}' where a value should be" },
		{ "{\"a\":", "it ends where a value should be" },
		{ "[NaN]", "'N' where a value should be" },
		{ "[nan]", "'n' where a value should be" },
		{ "[Infinity]", "'I' where a value should be" },
		{ "[-Infinity]", "'I' where a digit should be" },
		{ "[inf]", "'i' where a value should be" },
		{ "[True]", "'T' where a value should be" },
		{ "[tru]", "'t' where a value should be" },
		{ "[falsE]", "'f' where a value should be" },
		{ "[nul", "'n' where a value should be" },
		{ "[truee]", "'e' where ',' or ']' should be" },
		{ "[01]", "'1' where ',' or ']' should be" },
		{ "[+1]", "'+' where a value should be" },
		{ "[.5]", "'.' where a value should be" },
		{ "[1.]", "']' where a digit should be" },
		{ "[1.e5]", "'e' where a digit should be" },
		{ "[1e]", "']' where a digit should be" },
		{ "[1e+]", "']' where a digit should be" },
		{ "[-]", "']' where a digit should be" },
		{ "[-", "it ends where a digit should be" },
		{ "[0x10]", "'x' where ',' or ']' should be" },
		{ "[1_0]", "'_' where ',' or ']' should be" },
		{ "[\"a", "it ends where a character or '\"' should be" },
		{ "[\"\\", "it ends where an escaped character should be" },
		{ "[\"\\x41\"]", "'x' where an escaped character should be" },
		{ "[\"\\U0041\"]", "'U' where an escaped character should be" },
		{ "[\"\\u12", "it ends where a hexadecimal digit should be" },
		{ "[\"\\u12g4\"]", "'g' where a hexadecimal digit should be" },
		{ "[\"\\u12:4\"]", "':' where a hexadecimal digit should be" },
		{ "[\"\\u12@4\"]", "'@' where a hexadecimal digit should be" },
		{ "[\"\\u12/4\"]", "'/' where a hexadecimal digit should be" },
		{ "[\"\\u12`4\"]", "'`' where a hexadecimal digit should be" },
		{ "[\"\t\"]", "byte 0x09 where a character or '\"' should be" },
		{ "[\"\n\"]", "byte 0x0a where a character or '\"' should be" },
		{ "[1] // a", "'/' where the end should be" },
		{ "[/**/]", "'/' where a value should be" },
		{ "\xef\xbb\xbf\xef\xbb\xbf[]",
		  "byte 0xef where '{' or '[' should be" },
		{ "\xff\xfe[]", "byte 0xff where '{' or '[' should be" },
		{ "[\xc2\xa0]", "byte 0xc2 where a value should be" },
		{ "[\x0b]", "byte 0x0b where a value should be" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_bad_text(cases[i].text, 1, cases[i].fragment);
}

static void bad_utf8_is_refused(void **state)
{
	static const char *const texts[] = {
		"[\"\x80\"]",		  /* continuation alone */
		"[\"\xbf\"]",		  /* the last of them */
		"[\"\xc0\x80\"]",	  /* overlong NUL */
		"[\"\xc1\xbf\"]",	  /* overlong DEL */
		"[\"\xc2\"]",		  /* a byte is missing */
		"[\"\xc2\xc0\"]",	  /* the second starts another */
		"[\"\xe0\x9f\xbf\"]",	  /* overlong */
		"[\"\xe0\xa0\"]",	  /* a byte is missing */
		"[\"\xe2\x82\xc0\"]",	  /* the third starts another */
		"[\"\xed\xa0\x80\"]",	  /* surrogate U+D800 */
		"[\"\xed\xbf\xbf\"]",	  /* surrogate U+DFFF */
		"[\"\xf0\x8f\xbf\xbf\"]", /* overlong */
		"[\"\xf0\x90\x80\"]",	  /* a byte is missing */
		"[\"\xf0\x90\x80\x7f\"]", /* the fourth is ASCII */
		"[\"\xf4\x90\x80\x80\"]", /* above U+10FFFF */
		"[\"\xf5\x80\x80\x80\"]", /* far above */
		"[\"\xff\"]",		  /* never */
		"{\"\x80\": 1}",	  /* in a key */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_bad_text(texts[i], 1, "where UTF-8 should be");
}

/* The text may end within a character: nothing is read beyond it. */
static void utf8_that_is_cut_off_is_refused(void **state)
{
	static const char text[] = "[\"\xf0\x90\x80\x80";

	(void)state;
	for (size_t size = 3; size < 6; size++)
		assert_bad(text, size, 1, "byte 0xf0 where UTF-8 should be");
	assert_bad(text, 6, 1, "it ends where a character or '\"' should be");
}

static void a_nul_byte_is_refused_wherever_it_stands(void **state)
{
	static const char text[] = "{\"a\": [1, true, \"b\\n\"]}\n";

	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		char copy[sizeof(text) - 1];

		memcpy(copy, text, sizeof(copy));
		copy[i] = 0;
		assert_int_equal(parse(copy, sizeof(copy), NULL), -EINVAL);
	}
	assert_bad("[]\0", 3, 1, "byte 0x00 where the end should be");
	assert_bad("[\"\\\0\"]", 6, 1, "byte 0x00 where an escaped character");
}

static void no_text_at_all_is_refused(void **state)
{
	struct ssdpm_error error;
	struct json json;

	(void)state;
	assert_int_equal(ssdpm__json_parse(NULL, 0, &json, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 1, "it ends");
}

static void lines_are_counted_from_1_by_newlines_only(void **state)
{
	(void)state;
	assert_bad_text("\n\n!", 3, "'!'");
	assert_bad_text("\r\r!", 1, "'!'");
	assert_bad_text("\r\n\r\n!", 3, "'!'");
	assert_bad_text("[\n1,\n2,\n!]", 4, "'!'");
	assert_bad_text("{\n\"a\"\n:\n1\n!", 5, "'!'");
	assert_bad_text("[1]\n\n\n!", 4, "'!'");
	assert_bad_text("[\"\\n\\n\", !]", 1, "'!'");
	assert_bad_text("[\n", 2, "it ends");
}

static void a_key_that_stands_twice_is_refused(void **state)
{
	(void)state;
	assert_bad_text("{\"a\": 1, \"a\": 1}", 1,
			"the key \"a\" is given twice, first in line 1");
	assert_bad_text("{\"a\": 1,\n\"b\": {\"x\": [2]},\n\"a\": null}", 3,
			"the key \"a\" is given twice, first in line 1");
	assert_bad_text("{\"a\": null, \"a\": null}", 1, "twice");
	assert_bad_text("[{\"k\": {\"a\": {}, \"a\": {}}}]", 1, "twice");
	assert_bad_text("{\"\": 1, \"\": 1}", 1, "the key \"\" is given twice");
	assert_bad_text("{\"a\": 1, \"\\u0061\": 1}", 1,
			"the key \"\\u0061\" is given twice");
	assert_bad_text("{\"\\u0061b\": 1, \"a\\u0062\": 1}", 1, "twice");
	assert_bad_text("{\"\\/\": 1, \"/\": 1}", 1, "twice");
	assert_bad_text("{\"\\n\": 1, \"\\u000A\": 1}", 1, "twice");
	assert_bad_text("{\"\\u0000\": 1, \"\\u0000\": 1}", 1, "twice");
	assert_bad_text("{\"\xc3\xbc\": 1, \"\\u00fc\": 1}", 1, "twice");
	assert_bad_text("{\"\xe2\x82\xac\": 1, \"\\u20ac\": 1}", 1, "twice");
	assert_bad_text("{\"\xf0\x9f\x98\x80\": 1, \"\\ud83d\\ude00\": 1}", 1,
			"twice");
	assert_bad_text("{\"\\ud800\": 1, \"\\uD800\": 1}", 1, "twice");
}

static void keys_that_differ_are_no_duplicates(void **state)
{
	(void)state;
	assert_taken("{\"a\": 1, \"ab\": 1, \"b\": 1, \"\": 1}");
	assert_taken("{\"ab\": 1, \"a\": 1}");
	assert_taken("[{\"a\": 1}, {\"a\": 1}]");
	assert_taken("{\"a\": {\"a\": {\"a\": 1}}}");
	assert_taken("{\"\\ud800\": 1, \"\\udc00\": 1}");
	assert_taken("{\"\\ud800\\u0041\": 1, \"\\ud800\\n\": 1}");
	assert_taken("{\"\\ud800\\ud800\": 1, \"\\ud800x\": 1}");
	assert_taken("{\"\\ud800\\ue000\": 1, \"\\ud800\": 1}");
	/* U+E000 is no low surrogate: these two make no U+10400. */
	assert_taken("{\"\\ud800\\ue000\": 1, \"\\ud801\\udc00\": 1}");
	assert_taken("{\"\\\\u0061\": 1, \"a\": 1}");
	assert_taken("{\"\\u0000\": 1, \"\": 1}");
}

static char *repeat(const char *head, const char *unit, size_t n,
		    const char *tail)
{
	size_t length = strlen(unit);
	char *text = malloc(strlen(head) + n * length + strlen(tail) + 1);
	char *at = text;

	at = stpcpy(at, head);
	for (size_t i = 0; i < n; i++, at += length)
		memcpy(at, unit, length);
	strcpy(at, tail);
	return text;
}

static void thirty_two_levels_are_taken_and_more_refused(void **state)
{
	char text[2 * 33 + 1] = "";

	(void)state;
	memset(text, '[', 32);
	memset(text + 32, ']', 32);
	assert_taken(text);
	memset(text, '[', 33);
	memset(text + 33, ']', 33);
	assert_bad_text(text, 1, "JSON nested deeper than 32");
}

static void ten_thousand_levels_do_no_harm(void **state)
{
	static const char *const units[] = { "[", "{\"a\":", "[{\"a\":" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char *text = repeat("", units[i], 10000, "");

		assert_bad_text(text, 1, "JSON nested deeper than 32");
		free(text);
	}
}

/* Depth goes down again: many arrays side by side are not deep. */
static void siblings_do_not_add_to_the_depth(void **state)
{
	char *text = repeat("[", "[{}],", 1000, "1]");

	(void)state;
	assert_taken(text);
	free(text);
}

static char *object_with_keys(int n)
{
	char *text = malloc((size_t)n * 16 + 3), *at = text;

	for (int i = 0; i < n; i++)
		at += sprintf(at, "%c\"%d\":%d", i ? ',' : '{', i, i);
	strcpy(at, "}");
	return text;
}

static void an_object_has_at_most_256_keys(void **state)
{
	char *text = object_with_keys(256);

	(void)state;
	assert_taken(text);
	free(text);
	text = object_with_keys(257);
	assert_bad_text(text, 1, "more than 256 keys in one object");
	free(text);
}

static void sixteen_mib_are_read_and_no_byte_more(void **state)
{
	size_t size = SSDPM_JSON_MAX_BYTES;
	char *text = malloc(size + 1);
	struct ssdpm_error error;

	(void)state;
	memset(text, ' ', size + 1);
	memcpy(text, "[]", 2);
	assert_int_equal(parse(text, size, NULL), 0);
	assert_int_equal(parse(text, size + 1, &error), -E2BIG);
	fixture_assert_error(&error, -E2BIG, 0,
			     "16777217 bytes of JSON; at most 16777216");
	free(text);
}

static void failure_leaves_the_result_alone(void **state)
{
	struct json json = { .text = UNTOUCHED, .n_nodes = 77 };

	(void)state;
	assert_int_equal(ssdpm__json_parse("[1", 2, &json, NULL), -EINVAL);
	assert_ptr_equal(json.text, UNTOUCHED);
	assert_int_equal(json.n_nodes, 77);
}

static void members_and_children_are_found(void **state)
{
	static const char text[] =
		"{\"a\": [1, [2, 3], {}], \"b\\u0063\": true,\n\"d\": {}}";
	const struct json_node *root, *a, *node;
	struct json json;

	(void)state;
	assert_int_equal(ssdpm__json_parse(text, strlen(text), &json, NULL), 0);
	root = &json.nodes[0];
	assert_int_equal(root->n_children, 3);
	a = ssdpm__json_member(&json, root, "a");
	assert_int_equal(a->type, JSON_ARRAY);
	assert_int_equal(a->n_children, 3);
	node = ssdpm__json_first(&json, a);
	assert_int_equal(node->type, JSON_INTEGER);
	node = ssdpm__json_next(&json, a, node);
	assert_int_equal(node->n_children, 2);
	node = ssdpm__json_next(&json, a, node);
	assert_int_equal(node->type, JSON_OBJECT);
	assert_null(ssdpm__json_first(&json, node));
	assert_null(ssdpm__json_next(&json, a, node));
	node = ssdpm__json_member(&json, root, "bc");
	assert_true(ssdpm__json_is_true(&json, node));
	assert_int_equal(ssdpm__json_member(&json, root, "d")->line, 2);
	assert_null(ssdpm__json_member(&json, root, "b"));
	assert_null(ssdpm__json_member(&json, root, ""));
	assert_null(ssdpm__json_member(&json, root, "bcd"));
	ssdpm__json_free(&json);
}

enum { TEXT_BYTES = 128 };

/* The value is node 1, in line 2 of the text, which the nodes point into. */
static struct json parse_value(const char *value, char text[TEXT_BYTES])
{
	struct json json;
	int length = snprintf(text, TEXT_BYTES, "[\n%s]", value);

	assert_int_equal(ssdpm__json_parse(text, (size_t)length, &json, NULL),
			 0);
	return json;
}

static int get_uint(const char *value, uint64_t max, uint64_t *ret,
		    struct ssdpm_error *reterr)
{
	char text[TEXT_BYTES];
	struct json json = parse_value(value, text);
	int err;

	err = ssdpm__json_get_uint(&json, &json.nodes[1], max, "n", ret,
				   reterr);
	ssdpm__json_free(&json);
	return err;
}

static void whole_numbers_are_exact_up_to_their_limit(void **state)
{
	static const uint64_t limits[] = {
		0, 1, 9, 10, 255, 65535, UINT32_MAX, UINT64_MAX - 1
	};
	uint64_t value = 0;
	char text[32];

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		sprintf(text, "%" PRIu64, limits[i]);
		assert_int_equal(get_uint(text, limits[i], &value, NULL), 0);
		assert_int_equal(value, limits[i]);
		sprintf(text, "%" PRIu64, limits[i] + 1);
		assert_int_equal(get_uint(text, limits[i], &value, NULL),
				 -ERANGE);
	}
	assert_int_equal(get_uint("-0", 0, &value, NULL), 0);
	assert_int_equal(value, 0);
	assert_int_equal(
		get_uint("18446744073709551615", UINT64_MAX, &value, NULL), 0);
	assert_int_equal(value, UINT64_MAX);
}

static void assert_no_uint(const char *text, uint64_t max, int code,
			   const char *message)
{
	struct ssdpm_error error;
	uint64_t value = 7;

	assert_int_equal(get_uint(text, max, &value, &error), code);
	fixture_assert_error(&error, code, 2, message);
	assert_int_equal(value, 7);
}

static void numbers_out_of_range_are_named_with_the_range(void **state)
{
	static const struct {
		const char *value, *message;
	} cases[] = {
		{ "-1", "n: -1 is negative" },
		{ "-9", "n: -9 is negative" },
		{ "-18446744073709551616",
		  "n: -18446744073709551616 is negative" },
		{ "18446744073709551616",
		  "n: 18446744073709551616 is more than "
		  "18446744073709551615" },
		{ "184467440737095516150",
		  "n: 184467440737095516150 is more than "
		  "18446744073709551615" },
		{ "99999999999999999999999999999999999999",
		  "is more than 18446744073709551615" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_no_uint(cases[i].value, UINT64_MAX, -ERANGE,
			       cases[i].message);
}

static void other_types_are_no_whole_numbers(void **state)
{
	static const struct {
		const char *value, *message;
	} cases[] = {
		{ "\"1\"", "n: a string where a whole number should be" },
		{ "1.0", "n: a fraction where a whole number should be" },
		{ "1e0", "n: a fraction where a whole number should be" },
		{ "true", "n: a boolean where a whole number should be" },
		{ "null", "n: null where a whole number should be" },
		{ "[]", "n: an array where a whole number should be" },
		{ "{}", "n: an object where a whole number should be" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_no_uint(cases[i].value, 9, -EINVAL, cases[i].message);
}

static int get_string(const char *value, char *ret, size_t size,
		      struct ssdpm_error *reterr)
{
	char text[TEXT_BYTES];
	struct json json = parse_value(value, text);
	int err;

	err = ssdpm__json_get_string(&json, &json.nodes[1], ret, size, "s",
				     reterr);
	ssdpm__json_free(&json);
	return err;
}

static void strings_are_taken_out_of_their_escapes(void **state)
{
	static const struct {
		const char *value, *text;
	} cases[] = {
		{ "\"\"", "" },
		{ "\"abc\"", "abc" },
		{ "\"\\\"\\\\\\/\"", "\"\\/" },
		{ "\"\\b\\f\\n\\r\\t\"", "\b\f\n\r\t" },
		{ "\"\\u0041\\u007f\"", "A\x7f" },
		{ "\"\\u0080\\u07FF\"", "\xc2\x80\xdf\xbf" },
		{ "\"\\u0800\\uffff\"", "\xe0\xa0\x80\xef\xbf\xbf" },
		{ "\"\\ud800\\udc00\\uDBFF\\uDFFF\"",
		  "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" },
		{ "\"\xe2\x82\xac\"", "\xe2\x82\xac" },
	};
	char text[32];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(
			get_string(cases[i].value, text, sizeof(text), NULL),
			0);
		assert_string_equal(text, cases[i].text);
	}
}

static void a_string_must_fit_and_have_no_zero_byte(void **state)
{
	struct ssdpm_error error;
	char text[5] = "";

	(void)state;
	assert_int_equal(get_string("\"abcd\"", text, 5, NULL), 0);
	assert_int_equal(get_string("\"abcde\"", text, 5, &error), -ERANGE);
	fixture_assert_error(&error, -ERANGE, 2, "s: longer than 4 characters");
	assert_int_equal(get_string("\"ab\\u20ac\"", text, 5, &error), -ERANGE);
	assert_int_equal(get_string("\"a\\u0000b\"", text, 5, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 2, "s: contains a zero byte");
	assert_int_equal(get_string("12", text, 5, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 2,
			     "s: a whole number where a string should be");
}

static void the_writer_indents_objects_and_puts_scalars_on_a_line(void **state)
{
	struct json_writer w = { 0 };
	char *text;

	(void)state;
	ssdpm__json_begin(&w, NULL, '{');
	ssdpm__json_string(&w, "text", "a \"b\" \\ \n\x01\x1f \xc3\xbc");
	ssdpm__json_uint(&w, "n", UINT64_MAX);
	ssdpm__json_bool(&w, "yes", true);
	ssdpm__json_bool(&w, "no", false);
	ssdpm__json_null(&w, "none");
	ssdpm__json_begin(&w, "empty", '[');
	ssdpm__json_end(&w, ']');
	ssdpm__json_begin(&w, "row", '[');
	w.one_line = true;
	ssdpm__json_uint(&w, NULL, 1);
	ssdpm__json_uint(&w, NULL, 2);
	ssdpm__json_end(&w, ']');
	ssdpm__json_begin(&w, "list", '[');
	ssdpm__json_begin(&w, NULL, '{');
	ssdpm__json_end(&w, '}');
	ssdpm__json_end(&w, ']');
	ssdpm__json_end(&w, '}');
	assert_int_equal(ssdpm__json_finish(&w, &text, NULL), 0);
	assert_string_equal(text, "{\n"
				  "  \"text\": \"a \\\"b\\\" \\\\ "
				  "\\u000a\\u0001\\u001f \xc3\xbc\",\n"
				  "  \"n\": 18446744073709551615,\n"
				  "  \"yes\": true,\n"
				  "  \"no\": false,\n"
				  "  \"none\": null,\n"
				  "  \"empty\": [],\n"
				  "  \"row\": [1, 2],\n"
				  "  \"list\": [\n"
				  "    {}\n"
				  "  ]\n"
				  "}\n");
	assert_taken(text);
	free(text);
}

/* Each control character, quote and backslash survives both ways. */
static void what_is_written_is_read_again(void **state)
{
	struct json_writer w = { 0 };
	char in[128] = "", out[128], *text;
	struct json json;

	(void)state;
	for (int c = 1; c < 128; c++)
		in[c - 1] = (char)c;
	ssdpm__json_begin(&w, NULL, '[');
	ssdpm__json_string(&w, NULL, in);
	ssdpm__json_end(&w, ']');
	assert_int_equal(ssdpm__json_finish(&w, &text, NULL), 0);
	assert_int_equal(ssdpm__json_parse(text, strlen(text), &json, NULL), 0);
	assert_int_equal(ssdpm__json_get_string(&json, &json.nodes[1], out,
						sizeof(out), "s", NULL),
			 0);
	assert_string_equal(in, out);
	ssdpm__json_free(&json);
	free(text);
}

static const char an_object[] = "{\n"
				"  \"a\": [1, 2],\n"
				"  \"b\": {\n"
				"    \"c\": \"}\"\n"
				"  }\n"
				"}\n";

static void members_of_an_object_become_those_of_another(void **state)
{
	struct json_writer w = { 0 };
	char *text;

	(void)state;
	ssdpm__json_begin(&w, NULL, '[');
	ssdpm__json_begin(&w, NULL, '{');
	ssdpm__json_members(&w, an_object);
	ssdpm__json_uint(&w, "d", 1);
	ssdpm__json_begin(&w, "e", '{');
	ssdpm__json_bool(&w, "f", true);
	ssdpm__json_members(&w, an_object);
	ssdpm__json_end(&w, '}');
	ssdpm__json_end(&w, '}');
	ssdpm__json_end(&w, ']');
	assert_int_equal(ssdpm__json_finish(&w, &text, NULL), 0);
	assert_string_equal(text, "[\n"
				  "  {\n"
				  "    \"a\": [1, 2],\n"
				  "    \"b\": {\n"
				  "      \"c\": \"}\"\n"
				  "    },\n"
				  "    \"d\": 1,\n"
				  "    \"e\": {\n"
				  "      \"f\": true,\n"
				  "      \"a\": [1, 2],\n"
				  "      \"b\": {\n"
				  "        \"c\": \"}\"\n"
				  "      }\n"
				  "    }\n"
				  "  }\n"
				  "]\n");
	free(text);
}

static void an_object_is_copied_as_it_is_written(void **state)
{
	struct json_writer w = { 0 };
	char *text;

	(void)state;
	ssdpm__json_begin(&w, NULL, '{');
	ssdpm__json_members(&w, an_object);
	ssdpm__json_end(&w, '}');
	assert_int_equal(ssdpm__json_finish(&w, &text, NULL), 0);
	assert_string_equal(text, an_object);
	free(text);
}

static void values_go_to_the_callers_nodes_while_there_is_room(void **state)
{
	const char *text = "\xef\xbb\xbf[1,\n{\"a\": 2},\n3]";
	struct json_node nodes[6] = { [5].line = 77 };
	struct ssdpm_error error = fixture_error();
	struct json json = { .n_nodes = 55 };

	(void)state;
	for (uint32_t n = 0; n < 5; n++) {
		assert_int_equal(ssdpm__json_parse_into(text, strlen(text),
							nodes, n, &json,
							&error),
				 -E2BIG);
		fixture_assert_error(&error, -E2BIG,
				     n < 2 ? 1 :
				     n < 4 ? 2 :
					     3,
				     "JSON values");
		assert_int_equal(json.n_nodes, 55);
	}
	assert_int_equal(ssdpm__json_parse_into(text, strlen(text), nodes, 5,
						&json, NULL),
			 0);
	assert_int_equal(json.n_nodes, 5);
	assert_ptr_equal(json.nodes, nodes);
	assert_int_equal(nodes[4].line, 3);
	assert_int_equal(nodes[5].line, 77);
	ssdpm__json_free(&json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_rfc_8259_allows_is_taken),
		cmocka_unit_test(
			what_is_not_json_is_refused_with_what_should_be),
		cmocka_unit_test(bad_utf8_is_refused),
		cmocka_unit_test(utf8_that_is_cut_off_is_refused),
		cmocka_unit_test(a_nul_byte_is_refused_wherever_it_stands),
		cmocka_unit_test(no_text_at_all_is_refused),
		cmocka_unit_test(lines_are_counted_from_1_by_newlines_only),
		cmocka_unit_test(a_key_that_stands_twice_is_refused),
		cmocka_unit_test(keys_that_differ_are_no_duplicates),
		cmocka_unit_test(thirty_two_levels_are_taken_and_more_refused),
		cmocka_unit_test(ten_thousand_levels_do_no_harm),
		cmocka_unit_test(siblings_do_not_add_to_the_depth),
		cmocka_unit_test(an_object_has_at_most_256_keys),
		cmocka_unit_test(sixteen_mib_are_read_and_no_byte_more),
		cmocka_unit_test(failure_leaves_the_result_alone),
		cmocka_unit_test(members_and_children_are_found),
		cmocka_unit_test(whole_numbers_are_exact_up_to_their_limit),
		cmocka_unit_test(numbers_out_of_range_are_named_with_the_range),
		cmocka_unit_test(other_types_are_no_whole_numbers),
		cmocka_unit_test(strings_are_taken_out_of_their_escapes),
		cmocka_unit_test(a_string_must_fit_and_have_no_zero_byte),
		cmocka_unit_test(
			the_writer_indents_objects_and_puts_scalars_on_a_line),
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(members_of_an_object_become_those_of_another),
		cmocka_unit_test(an_object_is_copied_as_it_is_written),
		cmocka_unit_test(
			values_go_to_the_callers_nodes_while_there_is_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
