/* SPDX-License-Identifier: MIT */
/* "ssdpm.model/1", read and written. */
#include "fixture.h"

#include <stdarg.h>
#include <stdio.h>

/* A drive in JSON: member is in line 3, state_member in line 6. */
static const char *drive(const char *member, const char *state_member)
{
	static char text[8192];

	snprintf(text, sizeof(text),
		 "{\"schema\": \"ssdpm.model/1\",\n"
		 "\"kind\": \"nvme\",\n"
		 "%s%s\n"
		 "\"states\": [\n"
		 "{\"operational\": true%s\n"
		 "%s\n"
		 "}]}\n",
		 member ? member : "", member ? "," : "",
		 state_member ? "," : "", state_member ? state_member : "");
	return text;
}

static struct ssdpm_model *read_good(const char *text)
{
	struct ssdpm_error error = fixture_error(), before = error;
	struct ssdpm_model *model = NULL;

	if (fixture_read(text, strlen(text), &model, &error))
		print_error("%s\n%s\n", text, error.message);
	assert_non_null(model);
	assert_memory_equal(&error, &before, sizeof(error));
	return model;
}

static void assert_bad_bytes(const char *text, size_t size, int code,
			     uint32_t line, const char *fragment)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_model *model = UNTOUCHED;

	assert_int_equal(fixture_read(text, size, &model, &error), code);
	fixture_assert_error(&error, code, line, fragment);
	assert_int_equal(fixture_read(text, size, &model, NULL), code);
	assert_ptr_equal(model, UNTOUCHED);
}

static void assert_bad(const char *text, int code, uint32_t line,
		       const char *fragment)
{
	assert_bad_bytes(text, strlen(text), code, line, fragment);
}

static void assert_bad_member(const char *member, int code,
			      const char *fragment)
{
	assert_bad(drive(member, NULL), code, 3, fragment);
}

static void assert_bad_state_member(const char *member, int code,
				    const char *fragment)
{
	assert_bad(drive(NULL, member), code, 6, fragment);
}

static char *write_json(const struct ssdpm_model *model)
{
	struct ssdpm_error error = fixture_error(), before = error;
	char *text = NULL;

	assert_int_equal(ssdpm_model_to_json(model, &text, &error), 0);
	assert_memory_equal(&error, &before, sizeof(error));
	return text;
}

static struct ssdpm_model *small_model(void)
{
	struct psd psds[2] = {
		{ .mp = 65535, .idlp = 65535, .ips = 2, .actp = 1, .aps = 1 },
		{ .mxps = 1, .nops = 1, .enlat = 5, .exlat = UINT32_MAX },
	};
	uint8_t id[SSDPM_NVME_IDENTIFY_BYTES];

	psds[0].apw = 2;
	psds[0].rwl = 31;
	psds[1].mp = 50;
	psds[1].fqvt = 255;
	psds[1].fqvts = 12;
	fixture_identify(id, psds, 2);
	return fixture_decode(id);
}

static const char small_json[] =
	"{\n"
	"  \"schema\": \"ssdpm.model/1\",\n"
	"  \"kind\": \"nvme\",\n"
	"  \"vendor_id\": 4660,\n"
	"  \"product\": \"Fixture SSD 256GB\",\n"
	"  \"firmware\": \"FW 1.0\",\n"
	"  \"apsta\": 1,\n"
	"  \"provenance\": \"reported\",\n"
	"  \"format\": \"nvme-identify\",\n"
	"  \"states\": [\n"
	"    {\n"
	"      \"operational\": true,\n"
	"      \"max_power_uw\": 655350000,\n"
	"      \"active_power_uw\": 100,\n"
	"      \"idle_power_uw\": 655350000,\n"
	"      \"entry_latency_us\": 0,\n"
	"      \"exit_latency_us\": 0,\n"
	"      \"read_throughput_rank\": 0,\n"
	"      \"read_latency_rank\": 0,\n"
	"      \"write_throughput_rank\": 0,\n"
	"      \"write_latency_rank\": 31,\n"
	"      \"active_power_workload\": 2,\n"
	"      \"not_reported\": [\"entry_latency_us\", \"exit_latency_us\"]\n"
	"    },\n"
	"    {\n"
	"      \"operational\": false,\n"
	"      \"max_power_uw\": 5000,\n"
	"      \"active_power_uw\": null,\n"
	"      \"idle_power_uw\": null,\n"
	"      \"entry_latency_us\": 5,\n"
	"      \"exit_latency_us\": 4294967295,\n"
	"      \"read_throughput_rank\": 0,\n"
	"      \"read_latency_rank\": 0,\n"
	"      \"write_throughput_rank\": 0,\n"
	"      \"write_latency_rank\": 0,\n"
	"      \"active_power_workload\": 0,\n"
	"      \"forced_quiescence_vault_time_us\": 255000000000000,\n"
	"      \"not_reported\": [\"active_power_uw\", \"idle_power_uw\"]\n"
	"    }\n"
	"  ]\n"
	"}\n";

static void the_bytes_written_are_these(void **state)
{
	struct ssdpm_model *model = small_model();
	char *text = write_json(model);

	(void)state;
	assert_string_equal(text, small_json);
	free(text);
	ssdpm_model_unref(model);
}

static void assert_round_trip(const struct ssdpm_model *model)
{
	char *text = write_json(model), *again;
	struct ssdpm_model *copy = read_good(text);

	fixture_assert_same(model, copy);
	again = write_json(copy);
	assert_string_equal(text, again);
	free(text);
	free(again);
	ssdpm_model_unref(copy);
}

static void a_rich_model_comes_back_struct_for_struct(void **state)
{
	struct ssdpm_model *model = fixture_rich_model();

	(void)state;
	assert_round_trip(model);
	ssdpm_model_unref(model);
}

static void every_kind_provenance_and_unknown_comes_back(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2 * 5 * 128; i++) {
		struct ssdpm_model_info info = fixture_info();
		struct ssdpm_power_state s = { .unknown = 1u << i % 13 };
		struct ssdpm_model *model;

		info.kind = 1 + i % 2;
		info.provenance = i / 2 % 5;
		info.unknown = i / 10;
		if (info.kind == SSDPM_KIND_NVME)
			info.unknown &= 15;
		if (info.unknown & SSDPM_INFO_VENDOR_ID)
			info.vendor_id = 0;
		if (info.unknown & SSDPM_INFO_PRODUCT)
			memset(info.product, 0, sizeof(info.product));
		if (info.unknown & SSDPM_INFO_FIRMWARE)
			memset(info.firmware, 0, sizeof(info.firmware));
		if (info.unknown & SSDPM_INFO_APSTA)
			info.apsta = 0;
		assert_int_equal(
			ssdpm_model_new(&info, &s, i % 2, &model, NULL),
			i % 2 ? 0 : -EINVAL);
		if (i % 2 == 0)
			continue;
		assert_round_trip(model);
		ssdpm_model_unref(model);
	}
}

static void every_set_of_unknown_and_not_reported_comes_back(void **state)
{
	uint64_t seed = 20240229;

	(void)state;
	for (int i = 0; i < 500; i++) {
		struct ssdpm_power_state states[3] = { { 0 } };
		struct ssdpm_model_info info = fixture_info();
		struct ssdpm_model *model;

		for (int j = 0; j < 3; j++) {
			uint64_t bits = fixture_random(&seed);

			states[j].unknown = (uint32_t)bits & 0x1fff;
			/* Known zeros: only power and latencies. */
			states[j].not_reported = (uint32_t)(bits >> 13) &
						 0x1fff &
						 (states[j].unknown | 0x19);
			states[j].flags = bits >> 26 & 1;
		}
		assert_int_equal(
			ssdpm_model_new(&info, states, 3, &model, NULL), 0);
		assert_round_trip(model);
		ssdpm_model_unref(model);
	}
}

static void a_sata_drive_without_states_comes_back(void **state)
{
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_model *model;

	(void)state;
	info.kind = SSDPM_KIND_SATA;
	assert_int_equal(ssdpm_model_new(&info, NULL, 0, &model, NULL), 0);
	assert_round_trip(model);
	ssdpm_model_unref(model);
}

static void missing_and_null_members_are_unknown_not_zero(void **state)
{
	struct ssdpm_model *missing, *nulls;
	const struct ssdpm_model_info *info;

	(void)state;
	missing = read_good(drive(NULL, NULL));
	info = ssdpm_model_get_info(missing);
	assert_int_equal(info->unknown, 15);
	assert_int_equal(info->provenance, 0);
	assert_int_equal(ssdpm_model_get_states(missing, NULL)->unknown,
			 0x1fff);
	assert_int_equal(ssdpm_model_get_states(missing, NULL)->not_reported,
			 0);
	nulls = read_good(
		drive("\"vendor_id\": null, \"product\": null, \"firmware\": "
		      "null, \"apsta\": null, \"provenance\": null",
		      "\"max_power_uw\": null, \"idle_power_uw\": null, "
		      "\"entry_latency_us\": null, \"not_reported\": null"));
	fixture_assert_same(missing, nulls);
	ssdpm_model_unref(missing);
	ssdpm_model_unref(nulls);
}

static void unknown_keys_are_ignored(void **state)
{
	struct ssdpm_model *model, *plain;

	(void)state;
	plain = read_good(drive(NULL, NULL));
	model = read_good(drive("\"x\": [1, {\"apsta\": \"1\"}], \"APSTA\": 1",
				"\"y\": {\"max_power_uw\": true}, \"z\": 1.5"));
	fixture_assert_same(model, plain);
	ssdpm_model_unref(model);
	ssdpm_model_unref(plain);
}

static void keys_may_be_escaped(void **state)
{
	struct ssdpm_model *model = read_good(
		drive("\"\\u0061psta\": 7, \"product\": \"\\u0041\\/\"",
		      "\"m\\u0061x_power_uw\": 3"));

	(void)state;
	assert_int_equal(ssdpm_model_get_info(model)->apsta, 7);
	assert_string_equal(ssdpm_model_get_info(model)->product, "A/");
	assert_int_equal(ssdpm_model_get_states(model, NULL)->max_power_uw, 3);
	ssdpm_model_unref(model);
}

static void members_of_a_wrong_type_are_named_with_their_line(void **state)
{
	(void)state;
	assert_bad_member("\"apsta\": \"1\"", -EINVAL, "apsta: a string");
	assert_bad_member("\"apsta\": 1.0", -EINVAL, "apsta: a fraction");
	assert_bad_member("\"apsta\": 1e0", -EINVAL, "apsta: a fraction");
	assert_bad_member("\"apsta\": true", -EINVAL, "apsta: a boolean");
	assert_bad_member("\"apsta\": []", -EINVAL, "apsta: an array");
	assert_bad_member("\"vendor_id\": \"5559\"", -EINVAL,
			  "vendor_id: a string");
	assert_bad_member("\"vendor_id\": {}", -EINVAL, "vendor_id: an object");
	assert_bad_member("\"product\": 12", -EINVAL,
			  "product: a whole number");
	assert_bad_member("\"firmware\": false", -EINVAL,
			  "firmware: a boolean");
	assert_bad_member("\"provenance\": 1", -EINVAL,
			  "provenance: a whole number");
}

/* The message names the field. */
static void assert_bad_field(unsigned int bit, const char *value, int code,
			     const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void assert_bad_field(unsigned int bit, const char *value, int code,
			     const char *format, ...)
{
	const char *key = ssdpm_field_to_string(1u << bit);
	char member[128], fragment[160];
	va_list args;
	int n = snprintf(fragment, sizeof(fragment), "states[0].%s: ", key);

	va_start(args, format);
	vsnprintf(fragment + n, sizeof(fragment) - (size_t)n, format, args);
	va_end(args);
	snprintf(member, sizeof(member), "\"%s\": %s", key, value);
	assert_bad_state_member(member, code, fragment);
}

static void state_members_of_a_wrong_type_are_named_too(void **state)
{
	static const char *const values[][2] = {
		{ "\"12\"", "a string" }, { "1.0", "a fraction" },
		{ "true", "a boolean" },  { "[]", "an array" },
		{ "{}", "an object" },
	};

	(void)state;
	for (unsigned int bit = 0; bit < 13; bit++)
		for (size_t i = 0; i < 5; i++)
			assert_bad_field(bit, values[i][0], -EINVAL,
					 "%s where a whole number should be",
					 values[i][1]);
}

static void a_range_that_is_none_is_refused(void **state)
{
	static const struct {
		const char *member;
		int code;
		const char *fragment;
	} cases[] = {
		{ "\"idle_power_low_uw\": 1", -EINVAL,
		  "a range has both ends" },
		{ "\"active_power_high_uw\": 1", -EINVAL,
		  "a range has both ends" },
		{ "\"idle_power_low_uw\": 2, \"idle_power_high_uw\": 1",
		  -EINVAL, "above the high end" },
		{ "\"idle_power_low_uw\": 1, \"idle_power_high_uw\": true",
		  -EINVAL, "idle_power_high_uw: a boolean" },
		{ "\"idle_power_low_uw\": 1, "
		  "\"idle_power_high_uw\": 4294967296",
		  -ERANGE, "is more than 4294967295" },
		{ "\"idle_power_low_uw\": 1, \"idle_power_high_uw\": 2, "
		  "\"idle_power_uw\": 1",
		  -EINVAL, "the power has a value" },
		{ "\"idle_power_low_uw\": 1, \"idle_power_high_uw\": 2, "
		  "\"not_reported\": [\"idle_power_uw\"]",
		  -EINVAL, "is not reported" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_bad_state_member(cases[i].member, cases[i].code,
					cases[i].fragment);
}

static void nan_and_infinity_are_not_json(void **state)
{
	static const char *const words[] = { "NaN", "Infinity", "-Infinity",
					     "nan", "inf",	"-nan" };
	char member[64];

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		snprintf(member, sizeof(member), "\"max_power_uw\": %s",
			 words[i]);
		assert_bad_state_member(member, -EINVAL, "not JSON: ");
		snprintf(member, sizeof(member), "\"ignored\": %s", words[i]);
		assert_bad_member(member, -EINVAL, "not JSON: ");
	}
}

static void numbers_beyond_their_field_are_refused(void **state)
{
	static const struct {
		const char *member, *largest;
	} cases[] = {
		{ "\"apsta\": 256", "255" },
		{ "\"vendor_id\": 65536", "65535" },
		{ "\"vendor_id\": 18446744073709551617", "65535" },
		{ "\"apsta\": 99999999999999999999999999999999", "255" },
	};
	char fragment[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(fragment, sizeof(fragment), "is more than %s",
			 cases[i].largest);
		assert_bad_member(cases[i].member, -ERANGE, fragment);
	}
	assert_bad_member("\"apsta\": -1", -ERANGE, "apsta: -1 is negative");
}

static const char *largest_of(unsigned int bit)
{
	if (bit < 5)
		return "4294967295";
	return bit < 9 ? "31" : bit == 9 ? "7" : "255000000000000";
}

static void state_numbers_beyond_their_field_are_refused(void **state)
{
	static const char *const values[] = { "4294967296000000",
					      "18446744073709551615",
					      "18446744073709551616",
					      "18446744073709551617",
					      "340282366920938463463374607431",
					      "-1" };

	(void)state;
	for (unsigned int bit = 0; bit < 13; bit++)
		for (size_t i = 0; i < 6; i++)
			assert_bad_field(bit, values[i], -ERANGE,
					 i < 5 ? "%s is more than %s" :
						 "%s is negative",
					 values[i], largest_of(bit));
}

static void the_largest_number_of_each_field_is_read(void **state)
{
	char member[128];

	(void)state;
	for (unsigned int bit = 0; bit < 13; bit++) {
		struct ssdpm_model *model;

		snprintf(member, sizeof(member), "\"%s\": %s",
			 ssdpm_field_to_string(1u << bit), largest_of(bit));
		model = read_good(drive(NULL, member));
		assert_int_equal(ssdpm_model_get_states(model, NULL)->unknown,
				 0x1fff & ~(1u << bit));
		assert_round_trip(model);
		ssdpm_model_unref(model);
	}
}

static void a_key_twice_is_refused_however_it_is_written(void **state)
{
	(void)state;
	assert_bad_member("\"apsta\": 1, \"apsta\": 1", -EINVAL,
			  "the key \"apsta\" is given twice, first in line 3");
	assert_bad_member("\"apsta\": null, \"apsta\": null", -EINVAL,
			  "is given twice");
	assert_bad_member("\"apsta\": 1, \"\\u0061psta\": 1", -EINVAL,
			  "\"\\u0061psta\" is given twice");
	assert_bad_member("\"kind\": \"nvme\"", -EINVAL,
			  "the key \"kind\" is given twice, first in line 2");
	assert_bad_member("\"x\": 1, \"x\": 2", -EINVAL, "is given twice");
	assert_bad_state_member("\"operational\": true", -EINVAL,
				"is given twice, first in line 5");
	assert_bad_state_member("\"max_power_uw\": 1,\"max_power_uw\": null",
				-EINVAL, "is given twice");
}

static void texts_must_fit_and_be_printable_ascii(void **state)
{
	(void)state;
	assert_bad_member("\"firmware\": \"123456789\"", -ERANGE,
			  "firmware: longer than 8 characters");
	assert_bad_member("\"product\": "
			  "\"12345678901234567890123456789012345678901\"",
			  -ERANGE, "product: longer than 40 characters");
	assert_bad_member("\"product\": \"a\\u0000b\"", -EINVAL,
			  "product: contains a zero byte");
	assert_bad_member("\"product\": \"caf\\u00e9\"", -EINVAL,
			  "product: byte 0xc3 at 3 is not printable ASCII");
	assert_bad_member("\"firmware\": \"\\n\"", -EINVAL,
			  "firmware: byte 0x0a");
	assert_bad_member("\"product\": \"\\ud800\"", -EINVAL,
			  "product: byte 0xed");
	assert_bad_member("\"product\": \"\\udfffx\"", -EINVAL,
			  "product: byte 0xed");
}

static void the_longest_texts_are_read(void **state)
{
	struct ssdpm_model *model =
		read_good(drive("\"firmware\": \"12345678\", \"product\": "
				"\"1234567890123456789012345678901234567890\"",
				NULL));

	(void)state;
	assert_int_equal(strlen(ssdpm_model_get_info(model)->product), 40);
	assert_int_equal(strlen(ssdpm_model_get_info(model)->firmware), 8);
	ssdpm_model_unref(model);
}

static void words_must_be_known_ones(void **state)
{
	(void)state;
	assert_bad_member("\"provenance\": \"guessed\"", -EINVAL,
			  "provenance: \"guessed\" means nothing here");
	assert_bad_member("\"provenance\": \"\"", -EINVAL, "provenance");
	assert_bad_member("\"provenance\": \"Reported\"", -EINVAL,
			  "provenance");
	assert_bad_member("\"provenance\": "
			  "\"0123456789012345678901234567890123456789\"",
			  -EINVAL, "provenance: \"0123");
	assert_bad("{\"schema\": \"ssdpm.model/1\",\n\"kind\": \"ufs\"}",
		   -EINVAL, 2, "kind: \"ufs\" means nothing here");
	assert_bad("{\"schema\": \"ssdpm.model/1\",\n\"kind\": 1}", -EINVAL, 2,
		   "kind: a whole number");
	assert_bad("\n{\"schema\": \"ssdpm.model/1\",\n\"kind\": null}",
		   -EINVAL, 2, "kind: \"nvme\" or \"sata\" is needed");
	assert_bad("\n{\"schema\": \"ssdpm.model/1\"}", -EINVAL, 2,
		   "kind: \"nvme\" or \"sata\" is needed");
}

static void only_this_schema_is_read(void **state)
{
	(void)state;
	assert_bad("{}", -EINVAL, 1, "schema: \"ssdpm.model/1\" is needed");
	assert_bad("{\n\"schema\": \"ssdpm.model/2\"}", -EINVAL, 2,
		   "schema: only \"ssdpm.model/1\" is read here");
	assert_bad("{\n\"schema\": 1}", -EINVAL, 2, "schema: a whole number");
	assert_bad("{\n\"schema\": null}", -EINVAL, 2, "schema: null");
	assert_bad("{\n\"schema\": \"https://example.org/a/schema/with/a/name/"
		   "that/is/longer/than/any/of/ours\"}",
		   -EINVAL, 2, "schema: only \"ssdpm.model/1\" is read here");
}

static void states_must_be_an_array_of_objects(void **state)
{
	static const char head[] =
		"{\"schema\": \"ssdpm.model/1\", \"kind\": \"nvme\",\n"
		"\"states\": ";
	static const struct {
		const char *value, *fragment;
		uint32_t line;
	} cases[] = {
		{ "{}", "states: an object where an array should be", 2 },
		{ "null", "states: null where an array should be", 2 },
		{ "5", "states: a whole number where an array", 2 },
		{ "[]", "no power state", 1 },
		{ "[1]", "states[0]: a whole number where an object", 2 },
		{ "[{\"operational\": true},\n[]]",
		  "states[1]: an array where an object", 3 },
		{ "[\n{}]", "states[0].operational: true or false is needed",
		  3 },
		{ "[{\"operational\":\n1}]",
		  "states[0].operational: a whole number where a boolean", 3 },
		{ "[{\"operational\": null}]",
		  "states[0].operational: null where a boolean", 2 },
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "%s%s}", head, cases[i].value);
		assert_bad(text, -EINVAL, cases[i].line, cases[i].fragment);
	}
	assert_bad("{\"schema\": \"ssdpm.model/1\", \"kind\": \"sata\"}",
		   -EINVAL, 1, "states: an array is needed");
}

static void a_list_of_33_states_is_refused_and_of_32_taken(void **state)
{
	char text[2048], *at = text;
	struct ssdpm_model *model;
	size_t n;

	(void)state;
	at = stpcpy(at, "{\"schema\": \"ssdpm.model/1\", \"kind\": \"nvme\",\n"
			"\"states\": [");
	for (int i = 0; i < 32; i++)
		at = stpcpy(at, "{\"operational\": false},\n");
	strcpy(at - 2, "]}");
	model = read_good(text);
	ssdpm_model_get_states(model, &n);
	assert_int_equal(n, 32);
	ssdpm_model_unref(model);
	strcpy(at - 2, ", {\"operational\": true}]}");
	assert_bad(text, -EINVAL, 2,
		   "states: 33 power states; NVMe has at most 32");
}

static void not_reported_names_fields_that_have_no_value(void **state)
{
	struct ssdpm_model *model;

	(void)state;
	assert_bad_state_member("\"not_reported\": \"idle_power_uw\"", -EINVAL,
				"states[0].not_reported: a string");
	assert_bad_state_member("\"not_reported\": {}", -EINVAL,
				"states[0].not_reported: an object");
	assert_bad_state_member("\"not_reported\": [1]", -EINVAL,
				"states[0].not_reported: a whole number");
	assert_bad_state_member("\"not_reported\": [\"idle_power\"]", -EINVAL,
				"states[0].not_reported: names no field");
	assert_bad_state_member(
		"\"idle_power_uw\": 5, \"not_reported\": [\"idle_power_uw\"]",
		-EINVAL,
		"states[0].not_reported: names a field that has a value");
	assert_bad_state_member(
		"\"not_reported\": [\"a_name_that_is_longer_than_any_field_of_"
		"a_power_state_could_ever_be\"]",
		-EINVAL, "states[0].not_reported: names no field");
	model = read_good(drive(NULL, "\"not_reported\": [\"idle_power_uw\", "
				      "\"idle_power_uw\"]"));
	assert_int_equal(ssdpm_model_get_states(model, NULL)->not_reported,
			 SSDPM_FIELD_IDLE_POWER);
	ssdpm_model_unref(model);
}

static void zeros_that_stand_need_not_be_named(void **state)
{
	struct ssdpm_model *model =
		read_good(drive(NULL, "\"exit_latency_us\": 0"));

	(void)state;
	assert_int_equal(ssdpm_model_get_states(model, NULL)->not_reported,
			 SSDPM_FIELD_EXIT_LATENCY);
	ssdpm_model_unref(model);
}

/* Every prefix of a good text fails, and no read goes beyond its end. */
static void a_text_cut_off_at_any_byte_is_refused(void **state)
{
	struct ssdpm_model *rich = fixture_rich_model();
	struct ssdpm_error error;
	char *text;
	size_t size;

	(void)state;
	for (size = 1; size < sizeof(small_json) - 2; size++) {
		struct ssdpm_model *model = UNTOUCHED;

		assert_int_equal(fixture_read(small_json, size, &model, &error),
				 -EINVAL);
		assert_true(error.line >= 1 && error.line <= 42);
		fixture_assert_error(&error, -EINVAL, error.line, "not JSON: ");
		assert_ptr_equal(model, UNTOUCHED);
	}
	text = write_json(rich);
	for (size = 0; size < strlen(text) - 1; size += 37)
		assert_int_equal(fixture_read(text, size, UNTOUCHED, NULL),
				 -EINVAL);
	free(text);
	ssdpm_model_unref(rich);
}

static void the_final_newline_may_be_missing(void **state)
{
	struct ssdpm_model *model = NULL;

	(void)state;
	assert_int_equal(
		fixture_read(small_json, sizeof(small_json) - 2, &model, NULL),
		0);
	ssdpm_model_unref(model);
}

static void what_follows_the_drive_is_refused(void **state)
{
	static const char *const tails[] = {
		"x", "{}", "]", "\"\"", ",", "\x01"
	};
	char text[sizeof(small_json) + 8];

	(void)state;
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		snprintf(text, sizeof(text), "%s%s", small_json, tails[i]);
		assert_bad(text, -EINVAL, 42, "where the end should be");
	}
}

static void bytes_that_are_not_our_text_are_refused(void **state)
{
	char text[sizeof(small_json) + 8];

	(void)state;
	snprintf(text, sizeof(text), "\xef\xbb%s", small_json);
	assert_bad(text, -EINVAL, 1, "not a known format");
	strcpy(text, small_json);
	assert_bad_bytes(text, sizeof(small_json), -EINVAL, 0,
			 "bytes of binary data");
	text[5] = 0;
	assert_bad_bytes(text, sizeof(small_json) - 1, -EINVAL, 0,
			 "bytes of binary data");
	assert_bad_member("\"x\": \"\xff\"", -EINVAL, "where UTF-8 should be");
	assert_bad_member("\"\xed\xa0\x80\": 1", -EINVAL,
			  "where UTF-8 should be");
}

static void no_text_at_all_is_refused(void **state)
{
	struct ssdpm_model **models = UNTOUCHED;
	struct ssdpm_error error;
	size_t n;

	(void)state;
	assert_int_equal(
		ssdpm_model_list_from_data(NULL, 0, &models, &n, &error),
		-EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "no data");
}

static void nesting_of_ten_thousand_does_no_harm(void **state)
{
	size_t size = 10000;
	char *text = malloc(size + 1);

	(void)state;
	memset(text, '[', size);
	text[size] = 0;
	assert_bad(text, -EINVAL, 1, "JSON nested deeper than 32");
	free(text);
}

static void sixteen_mib_are_read_and_no_byte_more(void **state)
{
	size_t size = SSDPM_JSON_MAX_BYTES, length = sizeof(small_json) - 1;
	char *text = malloc(size + 1);
	struct ssdpm_model **models;
	size_t n;

	(void)state;
	memcpy(text, small_json, length);
	memset(text + length, ' ', size + 1 - length);
	assert_int_equal(
		ssdpm_model_list_from_data(text, size, &models, &n, NULL), 0);
	ssdpm_model_list_free(models, n);
	assert_bad_bytes(text, size + 1, -E2BIG, 0, "at most 16777216");
	free(text);
}

static void assert_lists_one(const void *data, size_t size,
			     const struct ssdpm_model *model)
{
	struct ssdpm_model **models;
	size_t n;

	assert_int_equal(
		ssdpm_model_list_from_data(data, size, &models, &n, NULL), 0);
	assert_int_equal(n, 1);
	fixture_assert_same(models[0], model);
	ssdpm_model_list_free(models, n);
}

static void an_array_of_one_drive_is_one_drive(void **state)
{
	char text[sizeof(small_json) + 8];
	struct ssdpm_model *model, *alone = small_model();

	(void)state;
	snprintf(text, sizeof(text), "[%s]", small_json);
	model = read_good(text);
	fixture_assert_same(model, alone);
	ssdpm_model_unref(model);
	ssdpm_model_unref(alone);
}

static void a_byte_order_mark_is_stepped_over(void **state)
{
	struct ssdpm_model *model, *alone = small_model();
	char text[sizeof(small_json) + 8];

	(void)state;
	snprintf(text, sizeof(text), "\xef\xbb\xbf%s", small_json);
	model = read_good(text);
	fixture_assert_same(model, alone);
	ssdpm_model_unref(model);
	assert_lists_one(text, strlen(text), alone);
	ssdpm_model_unref(alone);
}

static void arrays_must_hold_drives(void **state)
{
	(void)state;
	assert_bad("\n[]", -EINVAL, 2, "drives: the array is empty");
	assert_bad("[\n1]", -EINVAL, 2, "drive: a whole number where an");
	assert_bad("[\n[]]", -EINVAL, 2, "drive: an array where an object");
	assert_bad("[\nnull]", -EINVAL, 2, "drive: null where an object");
}

static void a_fault_in_the_second_drive_has_its_line(void **state)
{
	char text[sizeof(small_json) + 8200];
	struct ssdpm_model **models = UNTOUCHED;
	struct ssdpm_error error;
	size_t n;

	(void)state;
	snprintf(text, sizeof(text), "[%s,\n%s]", small_json,
		 drive("\"apsta\": 300", NULL));
	assert_int_equal(ssdpm_model_list_from_data(text, strlen(text), &models,
						    &n, &error),
			 -ERANGE);
	fixture_assert_error(&error, -ERANGE, 45,
			     "apsta: 300 is more than 255");
	assert_ptr_equal(models, UNTOUCHED);
}

static void two_drives_are_a_list(void **state)
{
	struct ssdpm_model *two[2] = { small_model(), fixture_rich_model() };
	struct ssdpm_model **models = NULL;
	char *text, *again;
	size_t n;

	(void)state;
	text = fixture_models_text(two, 2);
	assert_int_equal(text[0], '[');
	assert_int_equal(ssdpm_model_list_from_data(text, strlen(text), &models,
						    &n, NULL),
			 0);
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++)
		fixture_assert_same(models[i], two[i]);
	again = fixture_models_text(models, n);
	assert_string_equal(text, again);
	free(text);
	free(again);
	assert_null(ssdpm_model_list_free(models, n));
	ssdpm_model_unref(two[0]);
	ssdpm_model_unref(two[1]);
}

static void an_identify_structure_is_recognised_by_content(void **state)
{
	uint8_t id[SSDPM_NVME_IDENTIFY_BYTES];
	struct ssdpm_model *model;

	(void)state;
	fixture_identify(id, &(struct psd){ .mp = 1 }, 1);
	/* A vendor whose ID looks like the start of JSON. */
	id[0] = '{';
	id[1] = '"';
	model = fixture_decode(id);
	assert_lists_one(id, sizeof(id), model);
	ssdpm_model_unref(model);
}

static void white_space_before_json_is_no_obstacle(void **state)
{
	char text[sizeof(small_json) + 8];
	struct ssdpm_model **models;
	size_t n;

	(void)state;
	snprintf(text, sizeof(text), " \t\r\n%s", small_json);
	assert_int_equal(ssdpm_model_list_from_data(text, strlen(text), &models,
						    &n, NULL),
			 0);
	ssdpm_model_list_free(models, n);
}

static void assert_no_format(const void *data, size_t size, uint32_t line,
			     const char *fragment)
{
	struct ssdpm_model **models = UNTOUCHED;
	struct ssdpm_error error;
	size_t n = 77;

	assert_int_equal(
		ssdpm_model_list_from_data(data, size, &models, &n, &error),
		-EINVAL);
	fixture_assert_error(&error, -EINVAL, line, fragment);
	assert_ptr_equal(models, UNTOUCHED);
	assert_int_equal(n, 77);
}

static void anything_else_is_refused_with_what_is_expected(void **state)
{
	uint8_t id[SSDPM_NVME_IDENTIFY_BYTES + 1];

	(void)state;
	assert_no_format("hello", 5, 1, "not a known format: expected raw");
	assert_no_format("\x89PNG", 4, 1, "not a known format");
	assert_no_format("a\0b", 3, 0, "3 bytes of binary data");
	assert_no_format(" \n ", 3, 1, "not a known format");
	fixture_identify(id, &(struct psd){ .mp = 1 }, 1);
	assert_no_format(id, 4095, 0, "4095 bytes of binary data");
	id[4096] = 0;
	assert_no_format(id, 4097, 0, "4097 bytes of binary data");
	id[30] = 0xff;
	assert_no_format(id, 4096, 0, "byte 0xff in the model number");
	memset(id, 'x', sizeof(id));
	assert_no_format(id, 4096, 0, "NPSS is 120");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bytes_written_are_these),
		cmocka_unit_test(a_rich_model_comes_back_struct_for_struct),
		cmocka_unit_test(every_kind_provenance_and_unknown_comes_back),
		cmocka_unit_test(
			every_set_of_unknown_and_not_reported_comes_back),
		cmocka_unit_test(a_sata_drive_without_states_comes_back),
		cmocka_unit_test(missing_and_null_members_are_unknown_not_zero),
		cmocka_unit_test(unknown_keys_are_ignored),
		cmocka_unit_test(keys_may_be_escaped),
		cmocka_unit_test(
			members_of_a_wrong_type_are_named_with_their_line),
		cmocka_unit_test(state_members_of_a_wrong_type_are_named_too),
		cmocka_unit_test(a_range_that_is_none_is_refused),
		cmocka_unit_test(nan_and_infinity_are_not_json),
		cmocka_unit_test(numbers_beyond_their_field_are_refused),
		cmocka_unit_test(state_numbers_beyond_their_field_are_refused),
		cmocka_unit_test(the_largest_number_of_each_field_is_read),
		cmocka_unit_test(a_key_twice_is_refused_however_it_is_written),
		cmocka_unit_test(texts_must_fit_and_be_printable_ascii),
		cmocka_unit_test(the_longest_texts_are_read),
		cmocka_unit_test(words_must_be_known_ones),
		cmocka_unit_test(only_this_schema_is_read),
		cmocka_unit_test(states_must_be_an_array_of_objects),
		cmocka_unit_test(
			a_list_of_33_states_is_refused_and_of_32_taken),
		cmocka_unit_test(not_reported_names_fields_that_have_no_value),
		cmocka_unit_test(zeros_that_stand_need_not_be_named),
		cmocka_unit_test(a_text_cut_off_at_any_byte_is_refused),
		cmocka_unit_test(the_final_newline_may_be_missing),
		cmocka_unit_test(what_follows_the_drive_is_refused),
		cmocka_unit_test(bytes_that_are_not_our_text_are_refused),
		cmocka_unit_test(no_text_at_all_is_refused),
		cmocka_unit_test(nesting_of_ten_thousand_does_no_harm),
		cmocka_unit_test(sixteen_mib_are_read_and_no_byte_more),
		cmocka_unit_test(an_array_of_one_drive_is_one_drive),
		cmocka_unit_test(a_byte_order_mark_is_stepped_over),
		cmocka_unit_test(arrays_must_hold_drives),
		cmocka_unit_test(a_fault_in_the_second_drive_has_its_line),
		cmocka_unit_test(two_drives_are_a_list),
		cmocka_unit_test(
			an_identify_structure_is_recognised_by_content),
		cmocka_unit_test(white_space_before_json_is_no_obstacle),
		cmocka_unit_test(
			anything_else_is_refused_with_what_is_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
