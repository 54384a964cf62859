/* SPDX-License-Identifier: MIT */
/*
 * The link of a SATA drive: what IDENTIFY says, and the states as a table of
 * power states.
 *
 * Sources: ACS-4, IDENTIFY DEVICE data (words 0, 23-26, 27-46, 76-79, 82-87,
 * 91, 217, 255); Serial ATA 3.x, interface power states and device sleep.
 *
 */
#include "model/smartctl.h"
#include "base/words.h"
#include "base/bytes.h"

#include <errno.h>
#include <string.h>

enum {
	GENERAL_CONFIGURATION = 0,
	FIRMWARE = 23,
	FIRMWARE_WORDS = 4,
	PRODUCT = 27,
	PRODUCT_WORDS = 20,
	SATA_CAPABILITIES = 76,
	SATA_SUPPORTED = 78,
	SATA_ENABLED = 79,
	COMMANDS_SUPPORTED = 83,
	COMMANDS_ENABLED = 86,
	COMMANDS_ENABLED_VALID = 87,
	APM_LEVEL = 91,
	ROTATION_RATE = 217,
	INTEGRITY = 255,
};

/* Exit latencies at most, in microseconds (Serial ATA 3.x). */
enum {
	PARTIAL_EXIT_US = 10,
	SLUMBER_EXIT_US = 10000,
	DEVSLEEP_EXIT_US = 20000, /* DETO, where the drive gives none */
};

struct feature_bit {
	uint32_t feature;
	uint8_t word, bit;
};

static const struct feature_bit supported_bits[] = {
	{ SSDPM_SATA_HIPM, SATA_CAPABILITIES, 9 },
	{ SSDPM_SATA_DIPM, SATA_SUPPORTED, 3 },
	{ SSDPM_SATA_DEVICE_AUTO_PARTIAL_TO_SLUMBER, SATA_CAPABILITIES, 14 },
	{ SSDPM_SATA_HOST_AUTO_PARTIAL_TO_SLUMBER, SATA_CAPABILITIES, 13 },
	{ SSDPM_SATA_DEVSLEEP, SATA_SUPPORTED, 8 },
};

static const struct feature_bit enabled_bits[] = {
	{ SSDPM_SATA_DIPM, SATA_ENABLED, 3 },
	{ SSDPM_SATA_DEVICE_AUTO_PARTIAL_TO_SLUMBER, SATA_ENABLED, 7 },
	{ SSDPM_SATA_DEVSLEEP, SATA_ENABLED, 8 },
};

struct ssdpm_model_info ssdpm__sata_unknown(uint32_t format)
{
	return (struct ssdpm_model_info){
		.size = sizeof(struct ssdpm_model_info),
		.kind = SSDPM_KIND_SATA,
		.unknown = ALL_INFO_FIELDS,
		.provenance = SSDPM_PROVENANCE_REPORTED,
		.format = format,
		.sata_supported_unknown = ALL_SATA_FEATURES,
		.sata_enabled_unknown = ALL_SATA_FEATURES,
	};
}

void ssdpm__sata_know_supported(struct ssdpm_model_info *info, uint32_t feature,
				bool supported)
{
	info->sata_supported_unknown &= ~feature;
	info->sata_supported &= ~feature;
	if (supported)
		info->sata_supported |= feature;
}

void ssdpm__sata_know_enabled(struct ssdpm_model_info *info, uint32_t feature,
			      bool enabled)
{
	info->sata_enabled_unknown &= ~feature;
	info->sata_enabled &= ~feature;
	if (enabled)
		info->sata_enabled |= feature;
}

void ssdpm__sata_know_valid(struct ssdpm_model_info *info, bool valid)
{
	info->unknown &= ~(uint32_t)SSDPM_INFO_SATA_WORDS_VALID;
	info->sata_words_valid = valid;
}

void ssdpm__sata_know_generations(struct ssdpm_model_info *info,
				  uint8_t generations)
{
	info->unknown &= ~(uint32_t)SSDPM_INFO_SATA_GENERATIONS;
	info->sata_generations = generations;
}

/* 0 and 255 are reserved: they are no level. */
void ssdpm__sata_know_apm_level(struct ssdpm_model_info *info, uint64_t level)
{
	if (level < 1 || level > 254)
		return;
	info->unknown &= ~(uint32_t)SSDPM_INFO_APM_LEVEL;
	info->apm_level = (uint8_t)level;
}

void ssdpm__sata_know_rotational(struct ssdpm_model_info *info, bool rotates)
{
	info->unknown &= ~(uint32_t)SSDPM_INFO_ROTATIONAL;
	info->rotational = rotates;
}

static bool has_bit(const uint16_t *words, const struct feature_bit *at)
{
	return words[at->word] >> at->bit & 1;
}

/* Word 76 says whether words 76 to 79 mean anything. */
static void read_link(const uint16_t *words, struct ssdpm_model_info *info)
{
	const uint16_t capabilities = words[SATA_CAPABILITIES];
	bool valid = capabilities != 0 && capabilities != 0xffff;

	ssdpm__sata_know_valid(info, valid);
	if (!valid)
		return;
	ssdpm__sata_know_generations(info, capabilities & SATA_GENERATIONS);
	for (size_t i = 0; i < sizeof(supported_bits) / sizeof(*supported_bits);
	     i++)
		ssdpm__sata_know_supported(info, supported_bits[i].feature,
					   has_bit(words, &supported_bits[i]));
	for (size_t i = 0; i < sizeof(enabled_bits) / sizeof(*enabled_bits);
	     i++)
		ssdpm__sata_know_enabled(info, enabled_bits[i].feature,
					 has_bit(words, &enabled_bits[i]));
}

/* Bits 15:14 of words 83 and 87 are 01b where words 82 to 87 mean something. */
static bool is_valid(uint16_t word)
{
	return (word & 0xc000) == 0x4000;
}

static void read_apm(const uint16_t *words, struct ssdpm_model_info *info)
{
	bool enabled;

	if (!is_valid(words[COMMANDS_SUPPORTED]))
		return;
	ssdpm__sata_know_supported(info, SSDPM_SATA_APM,
				   words[COMMANDS_SUPPORTED] & 1 << 3);
	if (!is_valid(words[COMMANDS_ENABLED_VALID]))
		return;
	enabled = words[COMMANDS_ENABLED] & 1 << 3;
	ssdpm__sata_know_enabled(info, SSDPM_SATA_APM, enabled);
	if (enabled)
		ssdpm__sata_know_apm_level(info, words[APM_LEVEL] & 0xff);
}

/* 1: nothing rotates; from 401h on: times a minute; 0: not reported. */
static void read_rotation(uint16_t rate, struct ssdpm_model_info *info)
{
	if (rate == 1 || (rate > 0x400 && rate < 0xffff))
		ssdpm__sata_know_rotational(info, rate != 1);
}

/* The first character of a text is the high byte of its first word. */
static uint8_t text_byte(const uint16_t *words, size_t index)
{
	return (uint8_t)(words[index / 2] >> (index % 2 ? 0 : 8));
}

static bool is_printable(uint8_t byte)
{
	return byte >= ' ' && byte <= '~';
}

/* ASCII padded with blanks, at its end or, against the standard, its start. */
static void copy_text(const uint16_t *words, size_t n_words, char *to,
		      uint32_t field, struct ssdpm_model_info *info)
{
	size_t length = 0;

	for (size_t i = 0; i < 2 * n_words; i++) {
		uint8_t byte = text_byte(words, i);

		if (!byte)
			byte = ' ';
		if (length || byte != ' ')
			to[length++] = is_printable(byte) ? (char)byte : '?';
	}
	while (length && to[length - 1] == ' ')
		length--;
	to[length] = 0;
	memset(to + length, 0, 2 * n_words - length);
	if (length)
		info->unknown &= ~field;
}

static uint8_t sum_of_bytes(const uint16_t *words)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < ATA_WORDS; i++)
		sum += (words[i] & 0xff) + (words[i] >> 8);
	return (uint8_t)sum;
}

static bool is_zero(const uint16_t *words)
{
	for (size_t i = 0; i < ATA_WORDS; i++)
		if (words[i])
			return false;
	return true;
}

static int check_words(const uint16_t *words, struct ssdpm_error *reterr)
{
	if (is_zero(words))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "not IDENTIFY DEVICE data: all bytes are 0");
	if (words[GENERAL_CONFIGURATION] & 1 << 15)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "not an ATA device, but ATAPI (an optical "
				   "drive) or CompactFlash: word 0 is 0x%04x",
				   words[GENERAL_CONFIGURATION]);
	if ((words[INTEGRITY] & 0xff) == 0xa5 && sum_of_bytes(words))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "checksum: the bytes add up to 0x%02x "
				   "instead of 0: somebody changed them, or "
				   "they are damaged",
				   sum_of_bytes(words));
	for (size_t i = 0; i < 2 * PRODUCT_WORDS; i++) {
		uint8_t byte = text_byte(words + PRODUCT, i);

		if (byte && !is_printable(byte))
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "not IDENTIFY DEVICE data: byte "
					   "0x%02x in the model number",
					   byte);
	}
	return 0;
}

/*
 * Decode IDENTIFY DEVICE data. -EINVAL: nothing but zeros, no ATA device, a
 * wrong checksum, a model number that is not ASCII.
 */
static int from_words(const uint16_t words[ATA_WORDS],
		      struct ssdpm_model_info *ret_info,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_model_info info = ssdpm__sata_unknown(0);
	int err;

	err = check_words(words, reterr);
	if (err)
		return err;
	copy_text(words + PRODUCT, PRODUCT_WORDS, info.product,
		  SSDPM_INFO_PRODUCT, &info);
	copy_text(words + FIRMWARE, FIRMWARE_WORDS, info.firmware,
		  SSDPM_INFO_FIRMWARE, &info);
	read_link(words, &info);
	read_apm(words, &info);
	read_rotation(words[ROTATION_RATE], &info);
	*ret_info = info;
	return 0;
}

static struct ssdpm_power_state state_of(uint32_t link_state, uint32_t exit_us)
{
	struct ssdpm_power_state state = {
		.unknown = ALL_FIELDS,
		.link_state = (uint8_t)link_state,
	};

	if (exit_us) {
		state.flags = SSDPM_STATE_NON_OPERATIONAL;
		state.unknown &= ~(uint32_t)SSDPM_FIELD_EXIT_LATENCY;
		state.exit_latency_us = exit_us;
	}
	return state;
}

size_t ssdpm__sata_states(const struct ssdpm_model_info *info,
			  uint32_t devsleep_exit_us,
			  struct ssdpm_power_state ret_states[N_LINK_STATES])
{
	size_t n = 0;

	if (!devsleep_exit_us)
		devsleep_exit_us = DEVSLEEP_EXIT_US;
	ret_states[n++] = state_of(SSDPM_LINK_ACTIVE, 0);
	if (info->sata_supported & (SSDPM_SATA_HIPM | SSDPM_SATA_DIPM)) {
		ret_states[n++] = state_of(SSDPM_LINK_PARTIAL, PARTIAL_EXIT_US);
		ret_states[n++] = state_of(SSDPM_LINK_SLUMBER, SLUMBER_EXIT_US);
	}
	if (info->sata_supported & SSDPM_SATA_DEVSLEEP)
		ret_states[n++] =
			state_of(SSDPM_LINK_DEVSLEEP, devsleep_exit_us);
	return n;
}

int ssdpm__sata_model_new(const struct ssdpm_model_info *info,
			  uint32_t devsleep_exit_us,
			  struct ssdpm_model **ret_model,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_power_state states[N_LINK_STATES];
	size_t n = ssdpm__sata_states(info, devsleep_exit_us, states);

	return ssdpm_model_new(info, states, n, ret_model, reterr);
}

int ssdpm__sata_model_from_words(const uint16_t words[ATA_WORDS],
				 uint32_t format,
				 struct ssdpm_model **ret_model,
				 struct ssdpm_error *reterr)
{
	struct ssdpm_model_info info;
	int err;

	err = from_words(words, &info, reterr);
	if (err)
		return err;
	info.format = format;
	return ssdpm__sata_model_new(&info, 0, ret_model, reterr);
}

int ssdpm__sata_model_from_bytes(const uint8_t bytes[ATA_IDENTIFY_BYTES],
				 uint32_t format,
				 struct ssdpm_model **ret_model,
				 struct ssdpm_error *reterr)
{
	uint16_t words[ATA_WORDS];

	for (size_t i = 0; i < ATA_WORDS; i++)
		words[i] = (uint16_t)ssdpm__little_endian(bytes + 2 * i, 2);
	return ssdpm__sata_model_from_words(words, format, ret_model, reterr);
}

static const char sata_feature_words[][31] = {
	[FLAG(SSDPM_SATA_HIPM)] = "hipm",
	[FLAG(SSDPM_SATA_DIPM)] = "dipm",
	[FLAG(SSDPM_SATA_DEVICE_AUTO_PARTIAL_TO_SLUMBER)] =
		"device_auto_partial_to_slumber",
	[FLAG(SSDPM_SATA_HOST_AUTO_PARTIAL_TO_SLUMBER)] =
		"host_auto_partial_to_slumber",
	[FLAG(SSDPM_SATA_DEVSLEEP)] = "devsleep",
	[FLAG(SSDPM_SATA_APM)] = "apm",
};
FLAG_WORDS(sata_feature)

void ssdpm__smartctl_set_kind(struct ssdpm_model_info *info, uint32_t kind)
{
	const uint32_t features = (1u << N_SATA_FEATURES) - 1;

	info->kind = kind;
	if (kind != SSDPM_KIND_SATA)
		return;
	info->unknown |= SSDPM_INFO_SATA_WORDS_VALID |
			 SSDPM_INFO_SATA_GENERATIONS | SSDPM_INFO_APM_LEVEL |
			 SSDPM_INFO_ROTATIONAL;
	info->sata_supported_unknown = features;
	info->sata_enabled_unknown = features;
}

void ssdpm__smartctl_set_generations(struct ssdpm_model_info *info,
				     uint64_t generations)
{
	ssdpm__sata_know_valid(info, true);
	ssdpm__sata_know_generations(info, generations & 14);
}

void ssdpm__smartctl_set_apm(struct ssdpm_model_info *info, bool supported,
			     bool enabled, uint64_t level)
{
	ssdpm__sata_know_supported(info, SSDPM_SATA_APM, supported);
	ssdpm__sata_know_enabled(info, SSDPM_SATA_APM, enabled);
	ssdpm__sata_know_apm_level(info, level);
}

void ssdpm__smartctl_set_rotation(struct ssdpm_model_info *info,
				  uint64_t times_a_minute)
{
	ssdpm__sata_know_rotational(info, times_a_minute != 0);
}
