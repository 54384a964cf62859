/* SPDX-License-Identifier: MIT */
/*
 * IDENTIFY DEVICE data. An input of 512 bytes is that. Another one is a sketch,
 * so that few bytes reach far: a byte of which bit 0 asks for a right checksum,
 * then words, each a number and two bytes. What was read must be the same drive
 * in hexadecimal digits and in a blob of libatasmart.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>

enum { BYTES = 512, BLOB_HEAD = 8, HEX_BYTES = 256 * 5 };

static void make_checksum(uint8_t bytes[BYTES])
{
	unsigned int sum = 0;

	bytes[BYTES - 2] = 0xa5;
	bytes[BYTES - 1] = 0;
	for (size_t i = 0; i < BYTES; i++)
		sum += bytes[i];
	bytes[BYTES - 1] = (uint8_t)-sum;
}

static void make_bytes(uint8_t bytes[BYTES], const uint8_t *data, size_t size)
{
	memset(bytes, 0, BYTES);
	for (size_t i = 1; i + 3 <= size; i += 3)
		memcpy(bytes + 2 * data[i], data + i + 1, 2);
	if (size && data[0] & 1)
		make_checksum(bytes);
}

/* The same answer, the same drive, but for the format. */
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

static void check_others(const uint8_t bytes[BYTES], int err,
			 const struct ssdpm_error *error,
			 const struct ssdpm_model *model)
{
	uint8_t blob[BLOB_HEAD + BYTES] = { 'I', 'D', 'F', 'Y', 0, 0, 2, 0 };
	char hex[HEX_BYTES + 1];

	memcpy(blob + BLOB_HEAD, bytes, BYTES);
	check_other(blob, sizeof(blob), SSDPM_FORMAT_ATASMART_BLOB, err, error,
		    model);
	for (size_t i = 0; i < BYTES / 2; i++)
		snprintf(hex + 5 * i, 6, "%02x%02x%c", bytes[2 * i + 1],
			 bytes[2 * i], i % 8 == 7 ? '\n' : ' ');
	check_other(hex, HEX_BYTES, SSDPM_FORMAT_ATA_IDENTIFY_HEX, err, error,
		    model);
}

static void run(const uint8_t bytes[BYTES])
{
	struct ssdpm_model **models = NULL;
	struct ssdpm_error error;
	size_t n = 0;
	int err;

	err = ssdpm_model_list_from_data(bytes, BYTES, &models, &n, &error);
	if (err)
		check_error(err, &error);
	else
		check_models(models, n, bytes, BYTES);
	check_others(bytes, err, &error, err ? NULL : models[0]);
	ssdpm_model_list_free(models, n);
}

/* Without a zero they are no binary data, with some beginnings a blob. */
static bool is_raw(const uint8_t bytes[BYTES])
{
	static const char tags[4][5] = { "IDFY", "SMST", "SMDT", "SMTH" };

	for (size_t i = 0; i < 4; i++)
		if (!memcmp(bytes, tags[i], 4))
			return false;
	return memchr(bytes, 0, BYTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t bytes[BYTES];

	check_data(data, size);
	if (size == BYTES)
		memcpy(bytes, data, BYTES);
	else
		make_bytes(bytes, data, size);
	if (is_raw(bytes))
		run(bytes);
	return 0;
}
