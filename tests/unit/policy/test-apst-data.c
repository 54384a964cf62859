/* SPDX-License-Identifier: MIT */
/* APST tables out of what people save. */
#include "fixture.h"

#include <stdio.h>

/* PS0 to PS2 go to PS3 after 100 ms, and that to PS4 after 2 s. */
static struct ssdpm_apst usual_table(void)
{
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };

	for (int i = 0; i < 3; i++)
		table.entries[i] = (struct ssdpm_apst_entry){ 100, 3 };
	table.entries[3] = (struct ssdpm_apst_entry){ 2000, 4 };
	return table;
}

static struct ssdpm_apst empty_table(bool enabled)
{
	return (struct ssdpm_apst){ .sent = 1, .enabled = enabled };
}

static void assert_reads(const void *data, size_t size,
			 struct ssdpm_apst wanted)
{
	struct ssdpm_error error = fixture_error(), before = error;
	struct ssdpm_apst table;
	int err;

	memset(&table, 0x5a, sizeof(table));
	err = ssdpm_apst_from_data(data, size, &table, &error);
	if (err)
		print_error("%u: %s\n", error.line, error.message);
	assert_int_equal(err, 0);
	assert_memory_equal(&error, &before, sizeof(error));
	assert_memory_equal(&table, &wanted, sizeof(table));
}

static void assert_text(const char *text, struct ssdpm_apst wanted)
{
	/* Without the final zero: a sanitizer sees who looks for it. */
	size_t size = strlen(text);
	char *exact = malloc(size ? size : 1);

	assert_non_null(exact);
	memcpy(exact, text, size);
	assert_reads(exact, size, wanted);
	free(exact);
}

static void assert_fails(const void *data, size_t size, int code, uint32_t line,
			 const char *fragment)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_apst table, before;

	memset(&table, 0x5a, sizeof(table));
	before = table;
	assert_int_equal(ssdpm_apst_from_data(data, size, &table, &error),
			 code);
	fixture_assert_error(&error, code, line, fragment);
	assert_memory_equal(&table, &before, sizeof(table));
	assert_int_equal(ssdpm_apst_from_data(data, size, &table, NULL), code);
}

static void assert_text_fails(const char *text, uint32_t line,
			      const char *fragment)
{
	assert_fails(text, strlen(text), -EINVAL, line, fragment);
}

static void encode(const struct ssdpm_apst *table, uint8_t *data)
{
	assert_int_equal(ssdpm_apst_encode(table, data, NULL), 0);
}

static void the_bytes_are_read_and_enabled_unless_all_are_zero(void **state)
{
	struct ssdpm_apst table = usual_table();
	uint8_t data[SSDPM_APST_BYTES];

	(void)state;
	encode(&table, data);
	assert_reads(data, sizeof(data), table);
	memset(data, 0, sizeof(data));
	assert_reads(data, sizeof(data), empty_table(false));
}

static void other_bytes_are_no_table(void **state)
{
	uint8_t data[SSDPM_APST_BYTES + 1] = { 0 };

	(void)state;
	assert_fails(data, 0, -EINVAL, 0, "no data");
	assert_fails(NULL, 0, -EINVAL, 0, "no data");
	assert_fails(data, 255, -EINVAL, 0, "255 bytes, not text");
	assert_fails(data, 257, -EINVAL, 0, "an APST table has 256");
	data[16] = 1;
	assert_fails(data, 256, -EINVAL, 0, "entry 2: a reserved bit");
}

static void hexadecimal_digits_are_read_with_any_white_space(void **state)
{
	struct ssdpm_apst table = usual_table();
	uint8_t data[SSDPM_APST_BYTES];
	char digits[513], spread[2000];
	size_t n = 0;

	(void)state;
	encode(&table, data);
	for (int i = 0; i < 256; i++)
		sprintf(digits + 2 * i, "%02X", data[i]);
	assert_text(digits, table);
	for (int i = 0; i < 512; i++)
		n += (size_t)sprintf(spread + n, "%c%s", digits[i],
				     i % 2  ? "" :
				     i % 32 ? " " :
					      "\r\n\t");
	assert_text(spread, table);
	assert_fails(digits, 511, -EINVAL, 0, "511 hexadecimal digits");
	memset(spread, '0', 600);
	assert_fails(spread, 600, -EINVAL, 0, "600 hexadecimal digits");
	spread[1] = '1';
	assert_fails(spread, 512, -EINVAL, 0, "a reserved bit");
}

#define ENTRY(n, ms, state)                                   \
	"\tEntry[" n "]   \n\t.................\n"            \
	"\tIdle Time Prior to Transition (ITPT): " ms " ms\n" \
	"\tIdle Transition Power State   (ITPS): " state "\n" \
	"\t.................\n"
#define USUAL_ENTRIES                                                     \
	"\tAuto PST Entries\t.................\n" ENTRY(" 0", "100", "3") \
		ENTRY(" 1", "100", "3") ENTRY(" 2", "100", "3")           \
			ENTRY(" 3", "2000", "4")
#define OLD "get-feature:0xc (Autonomous Power State Transition), "
#define NEW "get-feature:0x0c (Autonomous Power State Transition), "
#define ENABLE "\tAutonomous Power State Transition Enable (APSTE): "

static void all_wordings_of_nvme_cli_are_read(void **state)
{
	(void)state;
	assert_text(OLD "Current value:0x000001\n" ENABLE
			"Enabled\n" USUAL_ENTRIES ENTRY(" 4", "0", "0")
				ENTRY("31", "0", "0"),
		    usual_table());
	assert_text(NEW "Current value:0x00000001\n" ENABLE
			"Enabled\n" USUAL_ENTRIES,
		    usual_table());
	assert_text(NEW "Current value: 0x00000001\n" USUAL_ENTRIES,
		    usual_table());
	assert_text(NEW "Saved value:0x00000001\n" USUAL_ENTRIES,
		    usual_table());
	assert_text("  Entry[ 0]\n"
		    "    Idle Time Prior to Transition (ITPT) : 100 ms\n"
		    "    Idle Transition Power State (ITPS)   : 3\n"
		    "  Entry [1-2] are:\n"
		    "    Idle Time Prior to Transition (ITPT) : 100 ms\n"
		    "    Idle Transition Power State (ITPS)   : 3\n"
		    "  Entry[ 3]\n"
		    "    Idle Time Prior to Transition (ITPT) : 2000 ms\n"
		    "    Idle Transition Power State (ITPS)   : 4\n"
		    "  Entry [4-31] are:\n"
		    "    Idle Time Prior to Transition (ITPT) : 0 ms\n"
		    "    Idle Transition Power State (ITPS)   : 0\n",
		    usual_table());
}

static void a_text_says_whether_apst_was_on(void **state)
{
	struct ssdpm_apst off = usual_table();

	(void)state;
	off.enabled = 0;
	assert_text(NEW "Current value:00000000\n" USUAL_ENTRIES, off);
	assert_text(ENABLE "Disabled\n" USUAL_ENTRIES, off);
	assert_text(ENABLE "0\n" USUAL_ENTRIES, off);
	assert_text(ENABLE "?\n" USUAL_ENTRIES, usual_table());
	assert_text("(APSTE)\n" USUAL_ENTRIES, usual_table());
	assert_text(NEW "Current value:?\n" USUAL_ENTRIES, usual_table());
	assert_text(NEW "Current value:0x000001\n" ENTRY("0", "0", "0"),
		    empty_table(true));
	assert_text(ENTRY("0", "0", "0"), empty_table(false));
}

static void what_stands_around_the_table_does_not_matter(void **state)
{
	(void)state;
	assert_text("My drive never sleeps:\n"
		    "$ nvme get-feature -f 0x0c -H /dev/nvme0\n"
		    "get-feature:0x02 (Power Management), Current value:3\n"
		    "\tEntry[ 0] of another feature (ITPT): 7\n"
		    "0000: 01 02 03 04\n" NEW
		    "Supported capabilities value:0x000005\n"
		    "\tEntry[ 0]\n" NEW "Current value:0x00000001\r\n" ENABLE
		    "Enabled\r\n" USUAL_ENTRIES
		    "get-feature:0x07 (Number of Queues), Current value:9\n"
		    "\tNumber of IO Completion Queues (NCQA): 32\n",
		    usual_table());
	assert_text("> > " NEW "Current value:1\n"
		    ">   Entry[ 0]\n"
		    "> (ITPT): 100 ms\n> (ITPS): 3\n"
		    "> Entry[1-2]\n> (ITPT): 100\n> (ITPS): 3\n"
		    "> Entry[3]\n> (ITPT): 2000\n> (ITPS): 4",
		    usual_table());
}

#define DUMP_HEAD "       0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f\n"
#define DUMP_1                                                   \
	"0000: 18 64 00 00 00 00 00 00 18 64 00 00 00 00 00 00 " \
	"\".d.......d......\"\n"
#define DUMP_2                                                   \
	"0010: 18 64 00 00 00 00 00 00 20 d0 07 00 00 00 00 00 " \
	"\".d...... .......\"\n"

static void a_dump_of_the_bytes_is_read(void **state)
{
	struct ssdpm_apst off = usual_table();

	(void)state;
	off.enabled = 0;
	assert_text(OLD "Current value:0x000001\n" DUMP_HEAD DUMP_1 DUMP_2,
		    usual_table());
	assert_text(DUMP_HEAD DUMP_1 DUMP_2 "0020: 00 00 00 00 00 00 00 00",
		    usual_table());
	assert_text(NEW "Current value:0\n" DUMP_HEAD DUMP_1 DUMP_2, off);
	assert_text("00000000: 1864 0000 0000 0000 1864 0000 0000 0000"
		    "  .d.......d......\n"
		    "00000010: 1864 0000 0000 0000 20d0 0700 0000 0000"
		    "  .d...... .......\n"
		    "00000020: 0000 0000 0000 0000                    "
		    "  ........\n",
		    usual_table());
}

static void a_broken_dump_is_refused(void **state)
{
	char text[4000];
	size_t n = 0;

	(void)state;
	assert_text_fails(DUMP_2, 1, "goes on at 0x10 with 16 bytes, after 0");
	assert_text_fails(DUMP_1 DUMP_1, 2, "goes on at 0x0");
	assert_text_fails(DUMP_1 "0010: 18 64 00", 0, "ends within entry 2");
	assert_text_fails("0000: 19 64 00 00 00 00 00 00\n", 0, "reserved bit");
	for (unsigned int i = 0; i < 17; i++)
		n += (size_t)sprintf(text + n,
				     "%04x: 00 00 00 00 00 00 00 00 00 00 00 "
				     "00 00 00 00 00\n",
				     i * 16);
	assert_text_fails(text, 17, "after 256 of 256");
	assert_text_fails("ffffffff: 00 00\n", 1, "0xffffffff");
	/* Too short for an offset, or too long: prose. */
	assert_text_fails("123: 00 00\n123456789: 00\n12345\nabcd: x\n", 0,
			  "not an APST table");
}

static void a_text_that_contradicts_itself_is_refused(void **state)
{
	(void)state;
	assert_text_fails(NEW "Current value:1\n" USUAL_ENTRIES NEW
			      "Default value:1\n",
			  23, "a second APST table");
	assert_text_fails(USUAL_ENTRIES NEW "Current value:1\n", 22,
			  "a second APST table");
	assert_text_fails("Entry[ 0]\n(ITPT): 1 ms\n(ITPT): 1 ms\n", 3,
			  "ITPT comes twice");
	assert_text_fails("Entry[ 0]\n(ITPS): 1\n(ITPS): 1\n", 3,
			  "ITPS comes twice");
	assert_text_fails("\n\n(ITPT): 1 ms\n", 3, "ITPT outside an entry");
	assert_text_fails("(ITPS): 1\n", 1, "ITPS outside an entry");
}

static void numbers_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	assert_text_fails("Entry[32]\n", 1, "0 to 31");
	assert_text_fails("Entry[x]\n", 1, "0 to 31");
	assert_text_fails("Entry[1\n", 1, "0 to 31");
	assert_text_fails("Entry[2-1]\n", 1, "0 to 31");
	assert_text_fails("Entry[2-32]\n", 1, "0 to 31");
	assert_text_fails("Entry[0]\n(ITPT): 16777216 ms\n", 2,
			  "ITPT is not a number of 0 to 16777215");
	assert_text_fails("Entry[0]\n(ITPT) 5\n", 2, "ITPT is not a number");
	assert_text_fails("Entry[0]\n(ITPS): 32\n", 2,
			  "ITPS is not a number of 0 to 31");
	assert_text_fails("Entry[0]\n(ITPS):\n", 2, "ITPS is not a number");
}

static void a_text_without_a_table_is_refused(void **state)
{
	(void)state;
	assert_text_fails("Entry[7]\n(ITPT): 1 ms\n", 0, "entry 7 has no ITPS");
	assert_text_fails("Entry[8]\n(ITPS): 1\n", 0, "entry 8 has no ITPT");
	assert_text_fails(NEW "Current value:1\n", 0, "without its table");
	assert_text_fails("Entry[8]\n", 0, "not an APST table");
	assert_text_fails("get-feature:x\n", 0, "not an APST table");
	assert_text_fails("hello", 0, "not an APST table");
	assert_text_fails("\n", 0, "0 hexadecimal digits");
}

#define RAW_TAIL                                                           \
	"0000000000000000000000000000000000000000000000000000000000000000" \
	"0000000000000000000000000000000000000000000000000000000000000000" \
	"0000000000000000000000000000000000000000000000000000000000000000" \
	"0000000000000000000000000000000000000000000000000000000000000000" \
	"0000000000000000000000000000000000000000000000000000000000000000" \
	"0000000000000000000000000000000000000000000000000000000000000000" \
	"0000000000000000000000000000000000000000000000000000000000000000"
#define RAW                                                           \
	"\"raw\": \"186400000000000018640000000000001864000000000000" \
	"20d0070000000000" RAW_TAIL "\""
#define SCHEMA "{\"schema\": \"ssdpm.apst/1\", "
#define ENTRIES                                                            \
	"\"entries\": [{\"state\": 0, \"target\": 3, \"idle_ms\": 100},\n" \
	"{\"state\": 1, \"target\": 3, \"idle_ms\": 100},\n"               \
	"{\"state\": 2, \"target\": 3, \"idle_ms\": 100},\n"               \
	"{\"state\": 3, \"target\": 4, \"idle_ms\": 2000}]"

static void our_json_is_read(void **state)
{
	struct ssdpm_apst off = usual_table(), unsent = empty_table(false);

	(void)state;
	off.enabled = 0;
	unsent.sent = 0;
	assert_text(SCHEMA RAW "}", usual_table());
	assert_text(SCHEMA ENTRIES "}", usual_table());
	assert_text("\xef\xbb\xbf \n[" SCHEMA RAW "," ENTRIES
		    ", \"sent\": true, \"enabled\": true}]\n",
		    usual_table());
	assert_text(SCHEMA RAW ", \"enabled\": false}", off);
	assert_text(SCHEMA ENTRIES ", \"enabled\": false}", off);
	assert_text(SCHEMA ENTRIES ", \"enabled\": null}", usual_table());
	assert_text(SCHEMA "\"entries\": []}", empty_table(false));
	assert_text(SCHEMA "\"entries\": [], \"enabled\": true}",
		    empty_table(true));
	assert_text(SCHEMA "\"entries\": [], \"sent\": false}", unsent);
}

static void json_that_is_no_table_is_refused(void **state)
{
	(void)state;
	assert_text_fails("{}", 1, "no object with");
	assert_text_fails("[]", 1, "0 tables");
	assert_text_fails("[1]", 1, "no object with");
	assert_text_fails("[{}, {}]", 1, "2 tables");
	assert_text_fails("{\"schema\": 1}", 1, "no object with");
	assert_text_fails("{\n\"schema\": \"ssdpm.model/1\"}", 2,
			  "no object with");
	assert_text_fails(SCHEMA "\"x\": 1}", 1, "neither");
	assert_text_fails("{", 1, "");
	assert_text_fails(SCHEMA RAW ",\n\"entries\": []}", 2,
			  "two different tables");
	assert_text_fails(SCHEMA "\"raw\": 5}", 1, "raw");
	assert_text_fails(SCHEMA "\"raw\": \"18\"}", 1,
			  "raw: 2 hexadecimal digits");
	assert_text_fails(SCHEMA "\"raw\": \"1x\"}", 1,
			  "raw: not a hexadecimal digit");
	assert_text_fails(SCHEMA RAW ", \"sent\": 1}", 1, "sent");
	assert_text_fails(SCHEMA RAW ", \"enabled\": \"yes\"}", 1, "enabled");
}

static void json_entries_are_checked(void **state)
{
	const char *large = SCHEMA "\"entries\":[{\"state\":32}]}";
	char many[9000];
	size_t n;

	(void)state;
	assert_text_fails(SCHEMA "\"entries\": {}}", 1, "entries");
	assert_text_fails(SCHEMA "\"entries\": [1]}", 1, "entries");
	assert_text_fails(SCHEMA "\"entries\": [{}]}", 1, "state is missing");
	assert_text_fails(SCHEMA "\"entries\": [{\"state\": 1}]}", 1,
			  "target is missing");
	assert_text_fails(SCHEMA
			  "\"entries\": [{\"state\": 1, \"target\": 2}]}",
			  1, "idle_ms is missing");
	assert_text_fails(SCHEMA
			  "\"entries\": [\n"
			  "{\"state\": 1, \"target\": 2, \"idle_ms\": 1},\n"
			  "{\"state\": 1, \"target\": 2, \"idle_ms\": 1}]}",
			  3, "state 1 comes twice");
	assert_fails(large, strlen(large), -ERANGE, 1, "state");
	n = (size_t)sprintf(many, SCHEMA "\"x\": [");
	for (int i = 0; i < 2000; i++)
		n += (size_t)sprintf(many + n, "1,");
	n += (size_t)sprintf(many + n, "1], "
				       "\"entries\": []}");
	assert_fails(many, n, -E2BIG, 1, "1024 JSON values");
}

/* No byte after the end is read, wherever a text is cut. */
static void every_beginning_of_a_text_is_safe(void **state)
{
	static const char *const texts[] = {
		NEW "Current value:0x00000001\r\n" ENABLE
		    "Enabled\n" USUAL_ENTRIES,
		OLD "Current value:0x000001\n" DUMP_HEAD DUMP_1 DUMP_2,
		"[" SCHEMA RAW "," ENTRIES ", \"sent\": true}]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (size_t size = strlen(texts[i]); size > 0; size--) {
			struct ssdpm_apst table = { .sent = 7 };
			char *exact = malloc(size);
			int err;

			assert_non_null(exact);
			memcpy(exact, texts[i], size);
			err = ssdpm_apst_from_data(exact, size, &table, NULL);
			assert_true(err == 0 || err == -EINVAL);
			assert_int_equal(table.sent, err ? 7 : 1);
			free(exact);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_bytes_are_read_and_enabled_unless_all_are_zero),
		cmocka_unit_test(other_bytes_are_no_table),
		cmocka_unit_test(
			hexadecimal_digits_are_read_with_any_white_space),
		cmocka_unit_test(all_wordings_of_nvme_cli_are_read),
		cmocka_unit_test(a_text_says_whether_apst_was_on),
		cmocka_unit_test(what_stands_around_the_table_does_not_matter),
		cmocka_unit_test(a_dump_of_the_bytes_is_read),
		cmocka_unit_test(a_broken_dump_is_refused),
		cmocka_unit_test(a_text_that_contradicts_itself_is_refused),
		cmocka_unit_test(numbers_that_do_not_fit_are_refused),
		cmocka_unit_test(a_text_without_a_table_is_refused),
		cmocka_unit_test(our_json_is_read),
		cmocka_unit_test(json_that_is_no_table_is_refused),
		cmocka_unit_test(json_entries_are_checked),
		cmocka_unit_test(every_beginning_of_a_text_is_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
