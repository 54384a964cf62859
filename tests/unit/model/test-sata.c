/* SPDX-License-Identifier: MIT */
/*
 * SATA drives out of IDENTIFY DEVICE data, raw, hexadecimal and in a blob of
 * libatasmart. Bits are those of ACS-4, written down here once more.
 */
#include "fixture.h"

#include <stdio.h>

enum { WORDS = 256, BYTES = 512, HEX_SIZE = 8192 };

/* Read what must be one drive, out of a buffer that has no byte more. */
static struct ssdpm_model *read_good(const void *data, size_t size)
{
	struct ssdpm_error error = fixture_error(), before = error;
	struct ssdpm_model **models, *model;
	void *exact = malloc(size);
	size_t n;
	int err;

	memcpy(exact, data, size);
	err = ssdpm_model_list_from_data(exact, size, &models, &n, &error);
	if (err)
		print_error("%s\n", error.message);
	assert_int_equal(err, 0);
	assert_memory_equal(&error, &before, sizeof(error));
	assert_int_equal(n, 1);
	free(exact);
	model = ssdpm_model_ref(models[0]);
	ssdpm_model_list_free(models, n);
	return model;
}

static void assert_json_keeps(const struct ssdpm_model *model)
{
	struct ssdpm_model *again;
	char *json;

	assert_int_equal(ssdpm_model_to_json(model, &json, NULL), 0);
	again = read_good(json, strlen(json));
	fixture_assert_same(model, again);
	free(json);
	ssdpm_model_unref(again);
}

static void assert_bad(const void *data, size_t size, uint32_t line,
		       const char *fragment)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_model **models = UNTOUCHED;
	void *exact = malloc(size);
	size_t n = 77;
	int err;

	memcpy(exact, data, size);
	err = ssdpm_model_list_from_data(exact, size, &models, &n, &error);
	free(exact);
	assert_int_equal(err, -EINVAL);
	fixture_assert_error(&error, -EINVAL, line, fragment);
	assert_ptr_equal(models, UNTOUCHED);
	assert_int_equal(n, 77);
}

static struct ssdpm_model *decode(const uint16_t words[WORDS])
{
	uint8_t bytes[BYTES];

	fixture_ata_bytes(words, bytes);
	return read_good(bytes, sizeof(bytes));
}

static struct ssdpm_model_info decode_info(const uint16_t words[WORDS])
{
	struct ssdpm_model *model = decode(words);
	struct ssdpm_model_info info = *ssdpm_model_get_info(model);

	ssdpm_model_unref(model);
	return info;
}

static void assert_words_bad(const uint16_t words[WORDS], const char *fragment)
{
	uint8_t bytes[BYTES];

	fixture_ata_bytes(words, bytes);
	assert_bad(bytes, sizeof(bytes), 0, fragment);
}

static void identify_data_become_the_facts_of_the_drive(void **state)
{
	uint16_t words[WORDS];
	struct ssdpm_model_info info;

	(void)state;
	fixture_ata_words(words);
	info = decode_info(words);
	assert_int_equal(info.kind, SSDPM_KIND_SATA);
	assert_int_equal(info.provenance, SSDPM_PROVENANCE_REPORTED);
	assert_int_equal(info.format, SSDPM_FORMAT_ATA_IDENTIFY);
	assert_string_equal(info.product, "Fixture SATA SSD");
	assert_string_equal(info.firmware, "FW 2.0");
	assert_int_equal(info.unknown, SSDPM_INFO_VENDOR_ID | SSDPM_INFO_APSTA |
					       SSDPM_INFO_ROTATIONAL);
	assert_int_equal(info.sata_words_valid, 1);
	assert_int_equal(info.sata_generations, 14);
	assert_int_equal(info.apm_level, 128);
	assert_int_equal(info.sata_supported, SSDPM_SATA_DIPM |
						      SSDPM_SATA_DEVSLEEP |
						      SSDPM_SATA_APM);
	assert_int_equal(info.sata_supported_unknown, 0);
	assert_int_equal(info.sata_enabled, SSDPM_SATA_DIPM | SSDPM_SATA_APM);
	assert_int_equal(info.sata_enabled_unknown,
			 SSDPM_SATA_HIPM |
				 SSDPM_SATA_HOST_AUTO_PARTIAL_TO_SLUMBER);
}

/* What one bit means: features, or generations. */
struct meaning {
	unsigned int word, bit;
	uint32_t supported, enabled, generation;
};

static const struct meaning meanings[] = {
	{ 76, 1, 0, 0, 1 << 1 },
	{ 76, 2, 0, 0, 1 << 2 },
	{ 76, 3, 0, 0, 1 << 3 },
	{ 76, 9, SSDPM_SATA_HIPM, 0, 0 },
	{ 76, 13, SSDPM_SATA_HOST_AUTO_PARTIAL_TO_SLUMBER, 0, 0 },
	{ 76, 14, SSDPM_SATA_DEVICE_AUTO_PARTIAL_TO_SLUMBER, 0, 0 },
	{ 78, 3, SSDPM_SATA_DIPM, 0, 0 },
	{ 78, 8, SSDPM_SATA_DEVSLEEP, 0, 0 },
	{ 79, 3, 0, SSDPM_SATA_DIPM, 0 },
	{ 79, 7, 0, SSDPM_SATA_DEVICE_AUTO_PARTIAL_TO_SLUMBER, 0 },
	{ 79, 8, 0, SSDPM_SATA_DEVSLEEP, 0 },
	{ 83, 3, SSDPM_SATA_APM, 0, 0 },
	{ 86, 3, 0, SSDPM_SATA_APM, 0 },
};

static struct meaning meaning_of(unsigned int word, unsigned int bit)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].word == word && meanings[i].bit == bit)
			return meanings[i];
	return (struct meaning){ .word = word, .bit = bit };
}

/* Bits that say whether others mean anything, and texts: not one feature. */
static bool is_special(unsigned int word, unsigned int bit)
{
	return (word == 0 && bit == 15) || (word >= 23 && word < 47) ||
	       ((word == 83 || word == 87) && bit >= 14) || word == 255;
}

static void every_bit_of_the_256_words_means_one_thing_or_nothing(void **state)
{
	uint16_t words[WORDS] = { 0 };

	(void)state;
	words[76] = 1 << 8; /* native command queueing: the words are valid */
	words[83] = words[87] = 0x4000;
	for (unsigned int word = 0; word < WORDS; word++) {
		for (unsigned int bit = 0; bit < 16; bit++) {
			struct meaning meaning = meaning_of(word, bit);
			struct ssdpm_model_info info;

			if (is_special(word, bit) || (word == 76 && bit == 8))
				continue;
			words[word] |= (uint16_t)(1u << bit);
			info = decode_info(words);
			words[word] &= (uint16_t) ~(1u << bit);
			assert_int_equal(info.sata_supported,
					 meaning.supported);
			assert_int_equal(info.sata_enabled, meaning.enabled);
			assert_int_equal(info.sata_generations,
					 meaning.generation);
			assert_int_equal(info.sata_words_valid, 1);
			assert_int_equal(info.sata_supported_unknown, 0);
		}
	}
}

static void without_word_76_the_link_is_unknown_not_unsupported(void **state)
{
	static const uint16_t invalid[] = { 0, 0xffff };
	struct ssdpm_model_info info;
	uint16_t words[WORDS];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		fixture_ata_words(words);
		words[76] = invalid[i];
		info = decode_info(words);
		assert_int_equal(info.sata_words_valid, 0);
		assert_false(info.unknown & SSDPM_INFO_SATA_WORDS_VALID);
		assert_true(info.unknown & SSDPM_INFO_SATA_GENERATIONS);
		assert_int_equal(info.sata_supported, SSDPM_SATA_APM);
		assert_int_equal(info.sata_supported_unknown, 31);
		assert_int_equal(info.sata_enabled, SSDPM_SATA_APM);
		assert_int_equal(info.sata_enabled_unknown, 31);
	}
}

static void apm_counts_only_where_its_words_are_valid(void **state)
{
	uint16_t words[WORDS];

	(void)state;
	for (uint16_t top = 0; top < 4; top++) {
		bool valid = top == 1;
		struct ssdpm_model_info info;

		fixture_ata_words(words);
		words[83] = (uint16_t)(top << 14 | 8);
		info = decode_info(words);
		assert_int_equal(!(info.sata_supported & SSDPM_SATA_APM),
				 !valid);
		assert_int_equal(
			!(info.sata_supported_unknown & SSDPM_SATA_APM), valid);
		fixture_ata_words(words);
		words[87] = (uint16_t)(top << 14);
		info = decode_info(words);
		assert_true(info.sata_supported & SSDPM_SATA_APM);
		assert_int_equal(!(info.sata_enabled & SSDPM_SATA_APM), !valid);
		assert_int_equal(!(info.sata_enabled_unknown & SSDPM_SATA_APM),
				 valid);
		assert_int_equal(!(info.unknown & SSDPM_INFO_APM_LEVEL), valid);
	}
}

static void an_apm_level_is_1_to_254_and_only_where_apm_is_enabled(void **state)
{
	uint16_t words[WORDS];

	(void)state;
	for (uint16_t value = 0; value < 256; value++) {
		bool level = value != 0 && value != 255;
		struct ssdpm_model_info info;

		fixture_ata_words(words);
		words[91] = 0x4000 | value;
		info = decode_info(words);
		assert_int_equal(info.apm_level, level ? value : 0);
		assert_int_equal(!(info.unknown & SSDPM_INFO_APM_LEVEL), level);
		words[86] = 0;
		info = decode_info(words);
		assert_int_equal(info.apm_level, 0);
		assert_true(info.unknown & SSDPM_INFO_APM_LEVEL);
	}
}

static void a_rotation_rate_tells_a_hard_disk_from_an_ssd(void **state)
{
	static const struct {
		uint16_t rate;
		int rotational; /* -1: unknown */
	} cases[] = {
		{ 0, -1 },    { 1, 0 },	   { 2, -1 },	  { 0x400, -1 },
		{ 0x401, 1 }, { 7200, 1 }, { 0xfffe, 1 }, { 0xffff, -1 },
	};
	uint16_t words[WORDS];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_model_info info;

		fixture_ata_words(words);
		words[217] = cases[i].rate;
		info = decode_info(words);
		assert_int_equal(info.rotational, cases[i].rotational == 1);
		assert_int_equal(!(info.unknown & SSDPM_INFO_ROTATIONAL),
				 cases[i].rotational >= 0);
	}
}

static void assert_state(const struct ssdpm_power_state *state,
			 uint32_t link_state, uint32_t exit_us)
{
	struct ssdpm_power_state expected = { .unknown = 0x1fff };

	expected.link_state = (uint8_t)link_state;
	if (link_state != SSDPM_LINK_ACTIVE) {
		expected.flags = SSDPM_STATE_NON_OPERATIONAL;
		expected.unknown &= ~(uint32_t)SSDPM_FIELD_EXIT_LATENCY;
		expected.exit_latency_us = exit_us;
	}
	assert_memory_equal(state, &expected, sizeof(expected));
}

/* HIPM 1, DIPM 2, DevSleep 4: which states are there? */
static void the_states_are_those_that_the_drive_supports(void **state)
{
	uint16_t words[WORDS];

	(void)state;
	for (unsigned int can = 0; can < 8; can++) {
		const struct ssdpm_power_state *states;
		struct ssdpm_model *model;
		size_t n, at = 1;

		fixture_ata_words(words);
		words[76] = can & 1 ? 0x0302 : 0x0102;
		words[78] = (uint16_t)((can & 2 ? 8 : 0) | (can & 4) << 6);
		model = decode(words);
		states = ssdpm_model_get_states(model, &n);
		assert_state(&states[0], SSDPM_LINK_ACTIVE, 0);
		if (can & 3) {
			assert_state(&states[at++], SSDPM_LINK_PARTIAL, 10);
			assert_state(&states[at++], SSDPM_LINK_SLUMBER, 10000);
		}
		if (can & 4)
			assert_state(&states[at++], SSDPM_LINK_DEVSLEEP, 20000);
		assert_int_equal(n, at);
		ssdpm_model_unref(model);
	}
}

static void a_link_of_which_nothing_is_known_is_active_and_no_more(void **state)
{
	struct ssdpm_model *model;
	uint16_t words[WORDS];
	size_t n;

	(void)state;
	fixture_ata_words(words);
	words[76] = 0;
	model = decode(words);
	assert_state(ssdpm_model_get_states(model, &n), SSDPM_LINK_ACTIVE, 0);
	assert_int_equal(n, 1);
	ssdpm_model_unref(model);
}

/* Make all bytes add up to 0, with the signature A5h. */
static void seal(uint8_t bytes[BYTES])
{
	unsigned int sum = 0;

	bytes[510] = 0xa5;
	bytes[511] = 0;
	for (size_t i = 0; i < BYTES; i++)
		sum += bytes[i];
	bytes[511] = (uint8_t)(0x100 - (sum & 0xff));
}

static void a_checksum_notices_every_byte_that_was_changed(void **state)
{
	uint8_t bytes[BYTES];
	uint16_t words[WORDS];

	(void)state;
	fixture_ata_words(words);
	fixture_ata_bytes(words, bytes);
	seal(bytes);
	ssdpm_model_unref(read_good(bytes, BYTES));
	for (size_t i = 0; i < BYTES; i++) {
		if (i == 1 || i == 510)
			continue; /* an ATA device no more; no checksum */
		bytes[i] ^= 1;
		assert_bad(bytes, BYTES, 0, "checksum: the bytes add up to");
		bytes[i] ^= 1;
	}
}

static void without_its_signature_there_is_no_checksum(void **state)
{
	uint16_t words[WORDS];

	(void)state;
	fixture_ata_words(words);
	for (unsigned int low = 0; low < 256; low++) {
		words[255] = (uint16_t)(0x1200 | low);
		if (low == 0xa5)
			assert_words_bad(words, "checksum");
		else
			ssdpm_model_unref(decode(words));
	}
}

static void what_is_no_ata_drive_is_refused_with_the_reason(void **state)
{
	uint16_t words[WORDS] = { 0 };

	(void)state;
	assert_words_bad(words, "not IDENTIFY DEVICE data: all bytes are 0");
	fixture_ata_words(words);
	words[0] = 0x85c0;
	assert_words_bad(words, "not an ATA device, but ATAPI (an optical "
				"drive) or CompactFlash: word 0 is 0x85c0");
	words[0] = 0x848a;
	assert_words_bad(words, "word 0 is 0x848a");
	for (size_t i = 27; i < 47; i++) {
		fixture_ata_words(words);
		words[i] = 0x2080;
		assert_words_bad(words, "byte 0x80 in the model number");
		words[i] = 0x1f20;
		assert_words_bad(words, "byte 0x1f in the model number");
	}
	memset(words, 0xff, sizeof(words));
	words[76] = 0; /* without a zero it is no binary data */
	assert_words_bad(words, "word 0 is 0xffff");
}

static void assert_texts(const uint16_t words[WORDS], const char *product,
			 const char *firmware)
{
	struct ssdpm_model_info info = decode_info(words);

	assert_string_equal(info.product, product);
	assert_string_equal(info.firmware, firmware);
	assert_int_equal(!(info.unknown & SSDPM_INFO_PRODUCT), !!*product);
	assert_int_equal(!(info.unknown & SSDPM_INFO_FIRMWARE), !!*firmware);
}

static void texts_are_swapped_back_and_trimmed(void **state)
{
	uint16_t words[WORDS];

	(void)state;
	fixture_ata_words(words);
	fixture_ata_text(words + 27, 20,
			 "0123456789012345678901234567890123456789");
	fixture_ata_text(words + 23, 4, "abcdefgh");
	assert_texts(words, "0123456789012345678901234567890123456789",
		     "abcdefgh");
	fixture_ata_text(words + 27, 20, "   WDC  WDS400T2B0A-00SM50");
	fixture_ata_text(words + 23, 4, "   1.0");
	assert_texts(words, "WDC  WDS400T2B0A-00SM50", "1.0");
	words[25] = words[26] = 0;
	assert_texts(words, "WDC  WDS400T2B0A-00SM50", "1");
	words[23] = 0x0141;
	words[24] = 0xff42;
	assert_texts(words, "WDC  WDS400T2B0A-00SM50", "?A?B");
	fixture_ata_text(words + 27, 20, "");
	memset(words + 23, 0, 8);
	assert_texts(words, "", "");
}

static void data_of_another_size_are_refused(void **state)
{
	uint8_t bytes[2 * BYTES] = { 0 };
	uint16_t words[WORDS];

	(void)state;
	fixture_ata_words(words);
	fixture_ata_bytes(words, bytes);
	for (size_t size = 1; size < 2 * BYTES; size++)
		if (size != BYTES && size != 1) /* one byte is "@", a text */
			assert_bad(bytes, size, 0, "bytes of binary data");
}

/* How a program writes the words: what stands between them. */
struct layout {
	const char *before, *between, *line_end, *after;
	unsigned int n_of_a_line;
	bool upper;
};

static size_t write_hex(const uint16_t words[WORDS], size_t n,
			const struct layout *layout, char *text)
{
	char *at = stpcpy(text, layout->before);
	char word[8];

	for (size_t i = 0; i < n; i++) {
		bool last = i % layout->n_of_a_line == layout->n_of_a_line - 1;

		snprintf(word, sizeof(word), layout->upper ? "%04X" : "%04x",
			 words[i % WORDS]);
		at = stpcpy(stpcpy(at, word),
			    last ? layout->line_end : layout->between);
	}
	return (size_t)(stpcpy(at, layout->after) - text);
}

static const struct layout sysfs = { "", " ", "\n", "", 8, false };

static void hexadecimal_words_are_the_same_drive(void **state)
{
	static const struct layout layouts[] = {
		{ "", " ", "\n", "", 8, false },
		{ "\n/dev/sda:\n", " ", "\n", "", 8, false },
		{ "", " ", " \n", "", 8, true },
		{ "", "\t", "\r\n", "\r\n", 8, false },
		{ "# cat id\n", "  ", "\n", "# that was it, dead beef\n", 8,
		  false },
		{ "", " ", "\n\n", "", 16, false },
		{ "", " ", "\n", "", 256, false },
		{ "face and dead 2024\n12345\n", " ", "\n", "cafe babe!", 8,
		  false },
	};
	struct ssdpm_model *model;
	struct ssdpm_model_info info, raw;
	uint16_t words[WORDS];
	char text[HEX_SIZE];

	(void)state;
	fixture_ata_words(words);
	words[200] = 0xbeef;
	raw = decode_info(words);
	raw.format = SSDPM_FORMAT_ATA_IDENTIFY_HEX;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		model = read_good(text,
				  write_hex(words, WORDS, &layouts[i], text));
		info = *ssdpm_model_get_info(model);
		assert_memory_equal(&info, &raw, sizeof(info));
		ssdpm_model_unref(model);
	}
}

static void too_few_or_too_many_hexadecimal_words_are_counted(void **state)
{
	uint16_t words[WORDS];
	char text[HEX_SIZE], reason[64];

	(void)state;
	fixture_ata_words(words);
	for (size_t n = 8; n < 600; n++) {
		if (n == WORDS)
			continue;
		snprintf(reason, sizeof(reason), "%zu words of four hex", n);
		assert_bad(text, write_hex(words, n, &sysfs, text),
			   (uint32_t)(n + 7) / 8, reason);
	}
}

static void a_second_drive_in_hexadecimal_words_is_refused(void **state)
{
	uint16_t words[WORDS];
	char text[2 * HEX_SIZE];
	size_t size;

	(void)state;
	fixture_ata_words(words);
	size = write_hex(words, WORDS, &sysfs, text);
	size += strlen(strcpy(text + size, "/dev/sdb:\n"));
	size += write_hex(words, WORDS, &sysfs, text + size);
	assert_bad(text, size, 65, "a second drive ends here");
}

static void hexadecimal_words_are_checked_as_raw_ones_are(void **state)
{
	uint16_t words[WORDS] = { 0 };
	char text[HEX_SIZE];

	(void)state;
	assert_bad(text, write_hex(words, WORDS, &sysfs, text), 0,
		   "all bytes are 0");
	fixture_ata_words(words);
	words[255] = 0x00a5;
	assert_bad(text, write_hex(words, WORDS, &sysfs, text), 0, "checksum");
}

static void what_only_looks_like_hexadecimal_words_is_no_known_format(
	void **state)
{
	static const char *const texts[] = {
		"0000 0001 0002 0003 0004 0005 0006\n", /* seven */
		"0000 0001 0002 0003 0004 0005 0006 000g\n",
		"0000 0001 0002 0003 0004 0005 0006 00007\n",
		"0000 0001 0002 0003 0004 0005 0006 007\n",
		"0000000: 0000 0001 0002 0003 0004 0005 0006 0007\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_bad(texts[i], strlen(texts[i]), 1, "not a known format");
}

static size_t put_chunk(uint8_t *at, const char *tag, const void *data,
			uint32_t size)
{
	memcpy(at, tag, 4);
	at[4] = (uint8_t)(size >> 24);
	at[5] = (uint8_t)(size >> 16);
	at[6] = (uint8_t)(size >> 8);
	at[7] = (uint8_t)size;
	memcpy(at + 8, data, size);
	return 8 + size;
}

static const uint8_t nothing[BYTES];

/* As skdump writes it. */
static size_t make_blob(uint8_t blob[4 * BYTES])
{
	uint8_t bytes[BYTES];
	uint16_t words[WORDS];
	size_t size;

	fixture_ata_words(words);
	fixture_ata_bytes(words, bytes);
	size = put_chunk(blob, "IDFY", bytes, BYTES);
	size += put_chunk(blob + size, "SMST", "\0\0\0\1", 4);
	size += put_chunk(blob + size, "SMDT", nothing, BYTES);
	size += put_chunk(blob + size, "SMTH", nothing, BYTES);
	return size;
}

static void a_blob_of_libatasmart_is_the_same_drive(void **state)
{
	struct ssdpm_model_info info, raw;
	struct ssdpm_model *model;
	uint8_t blob[4 * BYTES], turned[4 * BYTES];
	uint16_t words[WORDS];
	size_t size = make_blob(blob);

	(void)state;
	fixture_ata_words(words);
	raw = decode_info(words);
	raw.format = SSDPM_FORMAT_ATASMART_BLOB;
	model = read_good(blob, size);
	info = *ssdpm_model_get_info(model);
	assert_memory_equal(&info, &raw, sizeof(info));
	ssdpm_model_unref(model);
	/* The order of the chunks is free, and unknown ones may come. */
	memcpy(turned, blob + 520, size - 520);
	memcpy(turned + size - 520, blob, 520);
	size += put_chunk(turned + size, "NEWS", nothing, 0);
	model = read_good(turned, size);
	info = *ssdpm_model_get_info(model);
	assert_memory_equal(&info, &raw, sizeof(info));
	ssdpm_model_unref(model);
}

static void a_blob_that_ends_anywhere_but_after_a_chunk_is_refused(void **state)
{
	uint8_t blob[4 * BYTES];
	size_t size = make_blob(blob);

	(void)state;
	for (size_t cut = 8; cut < size; cut++) {
		if (cut == 520 || cut == 532 || cut == 1052)
			ssdpm_model_unref(read_good(blob, cut));
		else if (cut != BYTES) /* that many bytes are raw data */
			assert_bad(blob, cut, 0, "not complete");
	}
	assert_bad(blob, BYTES, 0, "not complete");
}

static void a_blob_without_identify_data_says_so(void **state)
{
	uint8_t blob[4 * BYTES];
	size_t size;

	(void)state;
	size = put_chunk(blob, "SMST", "\0\0\0\1", 4);
	assert_bad(blob, size, 0, "without a chunk IDFY");
	size = put_chunk(blob, "IDFY", nothing, BYTES);
	assert_bad(blob, size, 0, "all bytes are 0");
	size += put_chunk(blob + size, "IDFY", nothing, BYTES);
	assert_bad(blob, size, 0, "chunk IDFY is there twice");
	size = put_chunk(blob, "IDFY", nothing, BYTES - 1);
	assert_bad(blob, size, 0, "chunk IDFY: 511 bytes");
	size = put_chunk(blob, "IDFY", nothing, 0);
	assert_bad(blob, size, 0, "chunk IDFY: 0 bytes");
	/* A size that would wrap around. */
	memset(blob + 4, 0xff, 4);
	assert_bad(blob, 600, 0, "not complete");
}

static void a_cut_text_of_hexadecimal_words_is_refused(void **state)
{
	uint16_t words[WORDS];
	char text[HEX_SIZE];
	size_t size;

	(void)state;
	fixture_ata_words(words);
	size = write_hex(words, WORDS, &sysfs, text);
	assert_int_equal(size, 1280);
	for (size_t cut = 1; cut < size - 1; cut++) {
		/* The digit that is there of a word, or no line of eight. */
		uint32_t line = (uint32_t)(cut - 1) / 40 + 1;

		if (cut < 39)
			assert_bad(text, cut, 1, "not a known format");
		else if (cut % 5 == 4 || cut % 5 == 0)
			assert_bad(text, cut, line, "words of four hex");
		else
			assert_bad(text, cut, line - 1, "words of four hex");
	}
	ssdpm_model_unref(read_good(text, size - 1));
}

static void assert_not_made(const struct ssdpm_model_info *info,
			    const struct ssdpm_power_state *states, size_t n,
			    const char *fragment)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_model *model = UNTOUCHED;

	assert_int_equal(ssdpm_model_new(info, states, n, &model, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, fragment);
	assert_ptr_equal(model, UNTOUCHED);
}

static struct ssdpm_model_info sata_info(void)
{
	uint16_t words[WORDS];

	fixture_ata_words(words);
	return decode_info(words);
}

static void facts_that_contradict_each_other_are_refused(void **state)
{
	struct ssdpm_model_info info;

	(void)state;
	info = sata_info();
	info.sata_supported |= 1 << 6;
	assert_not_made(&info, NULL, 0, "sata_supported: bits 0x40 mean");
	info = sata_info();
	info.sata_enabled_unknown |= 1u << 31;
	assert_not_made(&info, NULL, 0, "sata_enabled: bits 0x80000000 mean");
	info = sata_info();
	info.sata_supported_unknown = SSDPM_SATA_DIPM;
	assert_not_made(&info, NULL, 0, "sata_supported: dipm is unknown, yet");
	info = sata_info();
	info.sata_enabled_unknown |= SSDPM_SATA_APM;
	assert_not_made(&info, NULL, 0, "sata_enabled: apm is unknown, yet");
	for (uint32_t bit = SSDPM_INFO_SATA_WORDS_VALID;
	     bit <= SSDPM_INFO_ROTATIONAL; bit <<= 1) {
		info = sata_info();
		info.rotational = 1;
		info.unknown |= bit;
		assert_not_made(&info, NULL, 0, "unknown, yet it has a value");
	}
	info = sata_info();
	info.sata_words_valid = 2;
	assert_not_made(&info, NULL, 0, "a bit that means nothing");
	info = sata_info();
	info.rotational = 2;
	assert_not_made(&info, NULL, 0, "a bit that means nothing");
	for (int bit = 0; bit < 8; bit++) {
		info = sata_info();
		info.sata_generations = (uint8_t)(1 << bit);
		if (bit < 1 || bit > 3)
			assert_not_made(&info, NULL, 0, "a bit that means");
	}
	info = sata_info();
	info.format = 10;
	assert_not_made(&info, NULL, 0, "format 10");
}

static void an_nvme_drive_has_neither_a_link_nor_its_states(void **state)
{
	struct ssdpm_power_state one = { .link_state = SSDPM_LINK_ACTIVE };
	struct ssdpm_model_info sata = sata_info(), info = fixture_info();
	static const char json[] = "{\"schema\": \"ssdpm.model/1\",\n"
				   "\"kind\": \"nvme\", \"states\": [],\n"
				   "\"sata\": {}}";

	(void)state;
	assert_bad(json, strlen(json), 3, "sata: this is no SATA drive");
	assert_not_made(&info, &one, 1, "states[0].link_state: 1 is none of");
	one.link_state = 5;
	assert_not_made(&sata, &one, 1, "states[0].link_state: 5 is none of");
	one.link_state = 0;
	sata.kind = SSDPM_KIND_NVME;
	assert_not_made(&sata, &one, 1, "facts of a SATA drive in an NVMe one");
	info.unknown = SSDPM_INFO_APM_LEVEL;
	assert_not_made(&info, &one, 1, "facts of a SATA drive in an NVMe one");
	info.unknown = 0;
	info.rotational = 1;
	assert_not_made(&info, &one, 1, "facts of a SATA drive in an NVMe one");
}

/* Our JSON, with these generations. */
static size_t json_with(const char *generations, char text[512])
{
	return (size_t)snprintf(text, 512,
				"{\"schema\": \"ssdpm.model/1\",\n"
				"\"kind\": \"sata\", \"states\": [],\n"
				"\"sata\": {\"generations\":\n%s}}",
				generations);
}

static void generations_are_an_array_of_numbers_in_json(void **state)
{
	static const struct {
		const char *text;
		uint8_t bits;
		bool known;
	} good[] = {
		{ "[]", 0, true },	{ "[1]", 2, true },
		{ "[3]", 8, true },	{ "[1, 2, 3]", 14, true },
		{ "[3, 1]", 10, true }, { "null", 0, false },
	};
	const struct ssdpm_model_info *info;
	struct ssdpm_model *model;
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		model = read_good(text, json_with(good[i].text, text));
		info = ssdpm_model_get_info(model);
		assert_int_equal(info->sata_generations, good[i].bits);
		assert_int_equal(!(info->unknown & SSDPM_INFO_SATA_GENERATIONS),
				 good[i].known);
		assert_json_keeps(model);
		ssdpm_model_unref(model);
	}
}

static void generations_that_cannot_be_are_refused(void **state)
{
	static const struct {
		const char *text, *reason;
		int code;
	} bad[] = {
		{ "14", "generations", -EINVAL },
		{ "[0]", "they count from 1", -EINVAL },
		{ "[1, 1]", "one is there twice", -EINVAL },
		{ "[\"1\"]", "generations", -EINVAL },
		{ "[1.5]", "generations", -EINVAL },
		{ "[null]", "generations", -EINVAL },
		{ "[4]", "generations: 4", -ERANGE },
		{ "[-1]", "generations", -ERANGE },
	};
	struct ssdpm_model *model = UNTOUCHED;
	struct ssdpm_error error;
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		size_t size = json_with(bad[i].text, text);

		assert_int_equal(fixture_read(text, size, &model, &error),
				 bad[i].code);
		fixture_assert_error(&error, bad[i].code, 4, bad[i].reason);
		assert_ptr_equal(model, UNTOUCHED);
	}
}

static void every_combination_of_facts_survives_json(void **state)
{
	uint64_t seed = 76;
	uint16_t words[WORDS];

	(void)state;
	for (int i = 0; i < 300; i++) {
		struct ssdpm_model *model;
		uint64_t noise = fixture_random(&seed);

		fixture_ata_words(words);
		words[76] = noise & 7 ? (uint16_t)(noise >> 3) : 0;
		words[78] = (uint16_t)(noise >> 16);
		words[79] = (uint16_t)(noise >> 32);
		words[83] ^= (uint16_t)(noise >> 48 & 0xc008);
		words[86] ^= (uint16_t)(noise >> 45 & 8);
		model = decode(words);
		assert_json_keeps(model);
		ssdpm_model_unref(model);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identify_data_become_the_facts_of_the_drive),
		cmocka_unit_test(
			every_bit_of_the_256_words_means_one_thing_or_nothing),
		cmocka_unit_test(
			without_word_76_the_link_is_unknown_not_unsupported),
		cmocka_unit_test(apm_counts_only_where_its_words_are_valid),
		cmocka_unit_test(
			an_apm_level_is_1_to_254_and_only_where_apm_is_enabled),
		cmocka_unit_test(a_rotation_rate_tells_a_hard_disk_from_an_ssd),
		cmocka_unit_test(the_states_are_those_that_the_drive_supports),
		cmocka_unit_test(
			a_link_of_which_nothing_is_known_is_active_and_no_more),
		cmocka_unit_test(
			a_checksum_notices_every_byte_that_was_changed),
		cmocka_unit_test(without_its_signature_there_is_no_checksum),
		cmocka_unit_test(
			what_is_no_ata_drive_is_refused_with_the_reason),
		cmocka_unit_test(texts_are_swapped_back_and_trimmed),
		cmocka_unit_test(data_of_another_size_are_refused),
		cmocka_unit_test(hexadecimal_words_are_the_same_drive),
		cmocka_unit_test(
			too_few_or_too_many_hexadecimal_words_are_counted),
		cmocka_unit_test(
			a_second_drive_in_hexadecimal_words_is_refused),
		cmocka_unit_test(hexadecimal_words_are_checked_as_raw_ones_are),
		cmocka_unit_test(
			what_only_looks_like_hexadecimal_words_is_no_known_format),
		cmocka_unit_test(a_cut_text_of_hexadecimal_words_is_refused),
		cmocka_unit_test(a_blob_of_libatasmart_is_the_same_drive),
		cmocka_unit_test(
			a_blob_that_ends_anywhere_but_after_a_chunk_is_refused),
		cmocka_unit_test(a_blob_without_identify_data_says_so),
		cmocka_unit_test(facts_that_contradict_each_other_are_refused),
		cmocka_unit_test(
			an_nvme_drive_has_neither_a_link_nor_its_states),
		cmocka_unit_test(generations_are_an_array_of_numbers_in_json),
		cmocka_unit_test(generations_that_cannot_be_are_refused),
		cmocka_unit_test(every_combination_of_facts_survives_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
