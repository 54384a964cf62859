/* SPDX-License-Identifier: MIT */
/*
 * Takes out of a capture what identifies a drive. Reserved and vendor specific
 * areas may hold anything, so they go too.
 */
#include "device/capture/capture.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/bytes.h"

enum {
	N_WORDS = 256,
	WORD_INTEGRITY = 255,
	SIGNATURE = 0xa5, /* of word 255: a checksum is there */
	WORDS_OF_A_LINE = 8,
};

struct area {
	uint16_t from, to; /* and including this one */
	uint16_t filler;
};

void ssdpm__blank_nvme_identify(uint8_t data[SSDPM_NVME_IDENTIFY_BYTES])
{
	/* NVMe Base 2.1, Identify Controller. */
	static const struct area areas[] = {
		{ 4, 23, ' ' },	   /* SN */
		{ 112, 127, 0 },   /* FGUID */
		{ 768, 1791, 0 },  /* SUBNQN, reserved */
		{ 3072, 4095, 0 }, /* vendor specific */
	};

	for (size_t i = 0; i < sizeof(areas) / sizeof(areas[0]); i++)
		memset(data + areas[i].from, areas[i].filler,
		       (size_t)areas[i].to - areas[i].from + 1);
}

static void blank_words(uint16_t words[N_WORDS])
{
	/* ACS-4, IDENTIFY DEVICE. */
	static const struct area areas[] = {
		{ 7, 9, 0 },	      /* CompactFlash, vendor specific */
		{ 10, 19, 0x2020 },   /* serial number */
		{ 108, 115, 0 },      /* WWN, and room for a longer one */
		{ 129, 159, 0 },      /* vendor specific */
		{ 176, 205, 0x2020 }, /* serial number of the medium */
	};

	for (size_t i = 0; i < sizeof(areas) / sizeof(areas[0]); i++)
		for (uint16_t word = areas[i].from; word <= areas[i].to; word++)
			words[word] = areas[i].filler;
	if ((words[WORD_INTEGRITY] & 0xff) != SIGNATURE)
		return;
	unsigned int sum = SIGNATURE;
	for (size_t i = 0; i < WORD_INTEGRITY; i++)
		sum += (words[i] & 0xffu) + (words[i] >> 8);
	words[WORD_INTEGRITY] = (uint16_t)((-sum & 0xff) << 8 | SIGNATURE);
}

void ssdpm__blank_ata_identify(uint8_t data[SSDPM__ATA_PAGE_BYTES])
{
	uint16_t words[N_WORDS];

	for (size_t i = 0; i < N_WORDS; i++)
		words[i] = (uint16_t)ssdpm__little_endian(data + 2 * i, 2);
	blank_words(words);
	for (size_t i = 0; i < N_WORDS; i++) {
		data[2 * i] = (uint8_t)words[i];
		data[2 * i + 1] = (uint8_t)(words[i] >> 8);
	}
}

size_t ssdpm__blank_ata_words(const char *text, char blanked[ATA_TEXT_BYTES])
{
	uint16_t words[N_WORDS];
	size_t n = 0;

	blanked[0] = 0;
	if (!ssdpm__sata_parse_words(text, words))
		return 0;
	blank_words(words);
	for (size_t i = 0; i < N_WORDS; i++) {
		bool last = i % WORDS_OF_A_LINE == WORDS_OF_A_LINE - 1;

		n += (size_t)snprintf(blanked + n, ATA_TEXT_BYTES - n, "%04x%c",
				      words[i], last ? '\n' : ' ');
	}
	return n;
}

void ssdpm__blank_devsleep(uint8_t page[SSDPM__ATA_PAGE_BYTES])
{
	/* ACS-4, 9.11.10: up to DevSleep all is defined. */
	enum { DEVSLEEP_END = 0x38 };

	memset(page + DEVSLEEP_END, 0, SSDPM__ATA_PAGE_BYTES - DEVSLEEP_END);
}

size_t ssdpm__blank_address(const char *text, size_t n, char *blanked,
			    size_t size)
{
	static const char word[] = "blanked";
	struct span span = ssdpm__span(text, n);
	size_t length = 0;

	/*
	 * For "traddr=192.0.2.7,trsvcid=4420,host_iface=..." it keeps the
	 * service alone. It keeps all of a PCI address, which has no "=".
	 */
	while (span.at < span.end && length + sizeof(word) < size) {
		const char *comma = memchr(span.at, ',', span.end - span.at);
		const char *end = comma ? comma + 1 : span.end;
		const char *equal = memchr(span.at, '=', end - span.at);
		bool hide = equal &&
			    !ssdpm__span_is((struct span){ span.at, equal },
					    "trsvcid");
		const char *keep = hide ? equal + 1 : end;

		if (keep - span.at >= (ptrdiff_t)(size - length - sizeof(word)))
			break;
		memcpy(blanked + length, span.at, keep - span.at);
		length += keep - span.at;
		if (hide)
			length += (size_t)snprintf(blanked + length,
						   size - length, "%s%s", word,
						   comma ? "," : "\n");
		span.at = end;
	}
	return length;
}

/* What a line of a udev rule may keep: keys that name no drive. */
static bool is_harmless(struct span key, struct span value)
{
	static const char *const keys[] = { "ACTION",	  "SUBSYSTEM",
					    "KERNEL",	  "DRIVER",
					    "ATTR{type}", "ATTR{online}" };
	static const char *const settings[] = { "link_power_management_policy",
						"pm_qos_latency_tolerance_us" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (ssdpm__span_is(key, keys[i]))
			return true;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (ssdpm__span_contains(key, settings[i]) ||
		    ssdpm__span_contains(value, settings[i]))
			return true;
	return false;
}

/* The key before an operator: ATTR{x} of «, ATTR{x}=="». */
static struct span key_before(const char *start, const char *quote)
{
	struct span key = { start, quote };

	while (key.end > key.at && strchr("=!+-: ", key.end[-1]))
		key.end--;
	key.at = key.end;
	while (key.at > start && !strchr(", \t", key.at[-1]))
		key.at--;
	return key;
}

void ssdpm__blank_rule(char *line)
{
	char *start = line;

	for (;;) {
		char *open = strchr(start, '"');
		char *close = open ? strchr(open + 1, '"') : NULL;

		if (!close)
			return;
		if (!is_harmless(key_before(start, open),
				 (struct span){ open + 1, close }))
			for (char *at = open + 1; at < close; at++)
				*at = '?';
		start = close + 1;
	}
}

static bool is_hex_pair(const char *at)
{
	return ssdpm__hex_digit(at[0]) >= 0 && ssdpm__hex_digit(at[1]) >= 0;
}

bool ssdpm__names_a_peripheral(const char *path)
{
	enum { N_PAIRS = 6 };

	/* hid-SERIAL-battery, of USB */
	if (strstr(path, "/hid-"))
		return true;
	for (; *path; path++) {
		const char *at = path;
		int n = 0;

		while (n < N_PAIRS && is_hex_pair(at)) {
			n++;
			at += 2;
			if (n < N_PAIRS && strchr(":-_", *at) && *at)
				at++;
			else
				break;
		}
		if (n == N_PAIRS)
			return true;
	}
	return false;
}
