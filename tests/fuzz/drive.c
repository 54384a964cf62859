/* SPDX-License-Identifier: MIT */
/* Drives in every known form. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Drives without parameters of a policy: IDENTIFY DEVICE data as hexadecimal
 * text, blobs of libatasmart, output of hdparm -I.
 */

int fuzz_data(const uint8_t *data, size_t size)
{
	check_data(data, size);
	return 0;
}

/*
 * Identify Controller structures. An input of 4096 bytes or more is one, and
 * the rest are parameters of the policy. A shorter one is a sketch, so that few
 * bytes reach far. It has 16 bytes of parameters, 52 of the head (VID, MN, FR,
 * NPSS, APSTA), then power state descriptors.
 */

enum { IDENTIFY_BYTES = SSDPM_NVME_IDENTIFY_BYTES, PARAMS = 16 };

struct piece {
	size_t offset, size;
};

static void take(uint8_t *id, struct piece piece, const uint8_t **data,
		 size_t *size)
{
	size_t n = piece.size < *size ? piece.size : *size;

	memcpy(id + piece.offset, *data, n);
	*data += n;
	*size -= n;
}

static void run_identify(const uint8_t *id, const uint8_t *params, size_t size)
{
	struct ssdpm_model **models, *model = NULL;
	struct ssdpm_error error;
	size_t n;
	int err;

	err = ssdpm_model_from_nvme_identify(id, IDENTIFY_BYTES, &model,
					     &error);
	if (err) {
		check_error(err, &error);
		check(!model, "failure returns nothing");
		return;
	}
	check_models(&model, 1, params, size);
	/* A structure without a single zero could be our JSON. */
	if (!ssdpm_model_list_from_data(id, IDENTIFY_BYTES, &models, &n, NULL))
		ssdpm_model_list_free(models, n);
	else
		check(!memchr(id, 0, IDENTIFY_BYTES),
		      "it is recognised by content");
	ssdpm_model_unref(model);
}

/* As a table that a drive returned. */
static void run_table(const uint8_t *data, size_t size)
{
	uint8_t bytes[SSDPM_APST_BYTES] = { 0 }, again[SSDPM_APST_BYTES];
	struct ssdpm_error error;
	struct ssdpm_apst table;
	int err;

	memcpy(bytes, data, size < sizeof(bytes) ? size : sizeof(bytes));
	err = ssdpm_apst_from_data(bytes, sizeof(bytes), &table, &error);
	if (err) {
		check_error(err, &error);
		return;
	}
	check(!ssdpm_apst_encode(&table, again, NULL),
	      "what was decoded can be encoded");
	check(!memcmp(bytes, again, sizeof(bytes)), "a table keeps the bytes");
}

int fuzz_identify(const uint8_t *data, size_t size)
{
	static const struct piece head[] = {
		{ 0, 2 },   { 24, 40 }, { 64, 8 },
		{ 263, 1 }, { 265, 1 }, { 2048, 1024 },
	};
	uint8_t id[IDENTIFY_BYTES] = { 0 };
	const uint8_t *params = data;
	size_t n_params = size < PARAMS ? size : PARAMS;

	run_table(data, size);
	if (size >= IDENTIFY_BYTES) {
		run_identify(data, data + IDENTIFY_BYTES,
			     size - IDENTIFY_BYTES);
		return 0;
	}
	check(ssdpm_model_from_nvme_identify(data, size, NULL, NULL) < 0,
	      "a structure has 4096 bytes");
	data += n_params;
	size -= n_params;
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		take(id, head[i], &data, &size);
	run_identify(id, params, n_params);
	return 0;
}

/*
 * IDENTIFY DEVICE data. An input of 512 bytes is that; any other is a sketch,
 * so that few bytes reach far. Bit 0 of its first byte requests a right
 * checksum. Then come words, each a number and two bytes. The drive must be the
 * same in hexadecimal digits and in a blob of libatasmart.
 */

enum { ATA_BYTES = 512, BLOB_HEAD = 8, HEX_BYTES = 256 * 5 };

static void make_checksum(uint8_t bytes[ATA_BYTES])
{
	unsigned int sum = 0;

	bytes[ATA_BYTES - 2] = 0xa5;
	bytes[ATA_BYTES - 1] = 0;
	for (size_t i = 0; i < ATA_BYTES; i++)
		sum += bytes[i];
	bytes[ATA_BYTES - 1] = (uint8_t)-sum;
}

static void make_bytes(uint8_t bytes[ATA_BYTES], const uint8_t *data,
		       size_t size)
{
	memset(bytes, 0, ATA_BYTES);
	for (size_t i = 1; i + 3 <= size; i += 3)
		memcpy(bytes + 2 * data[i], data + i + 1, 2);
	if (size && data[0] & 1)
		make_checksum(bytes);
}

/* The same answer and drive, but another format. */
static void check_other(const void *data, size_t size, uint32_t format, int err,
			const struct ssdpm_error *error,
			const struct ssdpm_model *model)
{
	struct ssdpm_model **models = NULL;
	struct ssdpm_error other_error;
	struct ssdpm_model_info info;
	size_t n = 0;
	int other;

	other = ssdpm_model_list_from_data(data, size, &models, &n,
					   &other_error);
	check(err == other, "every form is read alike");
	if (err) {
		check(!strcmp(error->message, other_error.message),
		      "every form is refused for the same reason");
		return;
	}
	info = *ssdpm_model_get_info(models[0]);
	check(info.format == format, "the format is said");
	info.format = ssdpm_model_get_info(model)->format;
	check(!memcmp(&info, ssdpm_model_get_info(model), sizeof(info)),
	      "every form gives the same drive");
	ssdpm_model_list_free(models, n);
}

static void check_others(const uint8_t bytes[ATA_BYTES], int err,
			 const struct ssdpm_error *error,
			 const struct ssdpm_model *model)
{
	uint8_t blob[BLOB_HEAD + ATA_BYTES] = {
		'I', 'D', 'F', 'Y', 0, 0, 2, 0
	};
	char hex[HEX_BYTES + 1];

	memcpy(blob + BLOB_HEAD, bytes, ATA_BYTES);
	check_other(blob, sizeof(blob), SSDPM_FORMAT_ATASMART_BLOB, err, error,
		    model);
	for (size_t i = 0; i < ATA_BYTES / 2; i++)
		snprintf(hex + 5 * i, 6, "%02x%02x%c", bytes[2 * i + 1],
			 bytes[2 * i], i % 8 == 7 ? '\n' : ' ');
	check_other(hex, HEX_BYTES, SSDPM_FORMAT_ATA_IDENTIFY_HEX, err, error,
		    model);
}

static void run_ata(const uint8_t bytes[ATA_BYTES])
{
	struct ssdpm_model **models = NULL;
	struct ssdpm_error error;
	size_t n = 0;
	int err;

	err = ssdpm_model_list_from_data(bytes, ATA_BYTES, &models, &n, &error);
	if (err)
		check_error(err, &error);
	else
		check_models(models, n, bytes, ATA_BYTES);
	check_others(bytes, err, &error, err ? NULL : models[0]);
	ssdpm_model_list_free(models, n);
}

/*
 * Without a zero byte, they are no binary data; with some beginnings, a blob.
 */
static bool is_raw(const uint8_t bytes[ATA_BYTES])
{
	static const char tags[4][5] = { "IDFY", "SMST", "SMDT", "SMTH" };

	for (size_t i = 0; i < 4; i++)
		if (!memcmp(bytes, tags[i], 4))
			return false;
	return memchr(bytes, 0, ATA_BYTES);
}

int fuzz_ata_identify(const uint8_t *data, size_t size)
{
	uint8_t bytes[ATA_BYTES];

	check_data(data, size);
	if (size == ATA_BYTES)
		memcpy(bytes, data, ATA_BYTES);
	else
		make_bytes(bytes, data, size);
	if (is_raw(bytes))
		run_ata(bytes);
	return 0;
}

/* Up to the first zero byte, which no text contains. */
static size_t length_of_text(const uint8_t *data, size_t size)
{
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;

	return zero ? (size_t)(zero - data) : size;
}

static int read_models(const uint8_t *data, size_t length,
		       struct ssdpm_model ***ret_models, size_t *ret_n)
{
	struct ssdpm_error error;
	int err = ssdpm_model_list_from_data(data, length, ret_models, ret_n,
					     &error);

	if (err) {
		check_error(err, &error);
		check(!*ret_models && !*ret_n, "failure returns nothing");
	}
	return err;
}

/*
 * "ssdpm.model/1". The bytes after the first zero byte, which no JSON contains,
 * are parameters of the policy.
 */

int fuzz_model_json(const uint8_t *data, size_t size)
{
	size_t length = length_of_text(data, size);
	struct ssdpm_model **models = NULL;
	size_t n = 0;
	int err;

	if (!ssdpm_model_list_from_data(data, size, &models, &n, NULL))
		ssdpm_model_list_free(models, n);
	n = 0;
	models = NULL;
	err = read_models(data, length, &models, &n);
	if (length < size)
		length++; /* what follows the zero are parameters */
	if (!err)
		check_models(models, n, data + length, size - length);
	ssdpm_model_list_free(models, n);
	return 0;
}

/*
 * The output of nvme id-ctrl or smartctl, as people paste it. The bytes after
 * the first zero byte, which no text contains, are parameters of the policy.
 */

static char *json_of(const struct ssdpm_model *model)
{
	char *text = NULL;

	check(!ssdpm_model_to_json(model, &text, NULL),
	      "a model can be written");
	return text;
}

/* The same text with other ends of lines is the same drive. */
static void check_crlf(const uint8_t *data, size_t size,
		       const struct ssdpm_model *model)
{
	char *other = malloc(2 * size), *text, *text_again;
	struct ssdpm_model **models = NULL;
	size_t length = 0, n = 0;

	check(other, "there is memory");
	for (size_t i = 0; i < size; i++) {
		if (data[i] == '\n')
			other[length++] = '\r';
		other[length++] = (char)data[i];
	}
	check(!ssdpm_model_list_from_data(other, length, &models, &n, NULL),
	      "CRLF does no harm");
	check(n == 1, "CRLF makes no second drive");
	text = json_of(model);
	text_again = json_of(models[0]);
	check(!strcmp(text, text_again), "CRLF changes nothing");
	ssdpm_model_list_free(models, n);
	free(text);
	free(text_again);
	free(other);
}

/* A model from smartctl's text has only the fields that it can show. */
static void check_told(const struct ssdpm_model *model)
{
	const uint32_t never =
		SSDPM_FIELD_ACTIVE_POWER | SSDPM_FIELD_IDLE_POWER;
	const struct ssdpm_power_state *states;
	size_t n;

	check(ssdpm_model_get_info(model)->unknown & SSDPM_INFO_APSTA,
	      "smartctl has no APSTA");
	states = ssdpm_model_get_states(model, &n);
	for (size_t i = 0; i < n; i++) {
		check((states[i].unknown & never) == never,
		      "active and idle power are not taken");
		check(states[i].max_power_uw <= 655350000,
		      "a maximum power is one that NVMe can tell");
	}
}

static uint32_t format_of(const struct ssdpm_model *model)
{
	return ssdpm_model_get_info(model)->format;
}

int fuzz_text(const uint8_t *data, size_t size)
{
	size_t length = length_of_text(data, size), n = 0;
	struct ssdpm_model **models = NULL;

	if (read_models(data, length, &models, &n))
		return 0;
	if (format_of(models[0]) == SSDPM_FORMAT_NVME_CLI_TEXT)
		check_crlf(data, length, models[0]);
	for (size_t i = 0; i < n; i++)
		if (format_of(models[i]) == SSDPM_FORMAT_SMARTCTL_TEXT)
			check_told(models[i]);
	check_models(models, n, data + length, size - length);
	ssdpm_model_list_free(models, n);
	return 0;
}
