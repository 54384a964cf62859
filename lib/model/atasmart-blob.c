/* SPDX-License-Identifier: MIT */
/*
 * What libatasmart's skdump --save writes: chunks, each with a tag of four
 * characters, its size (four bytes, high byte first), and its data. IDFY are
 * the IDENTIFY DEVICE data; SMST, SMDT and SMTH are of SMART.
 */
#include "model/sata.h"

#include <errno.h>
#include <string.h>

#define TAG_BYTES 4
#define HEAD_BYTES 8

static bool has_tag(const uint8_t *at, const char *tag)
{
	return !memcmp(at, tag, TAG_BYTES);
}

bool ssdpm__is_atasmart_blob(const char *text, size_t size)
{
	const uint8_t *at = (const uint8_t *)text;

	return size >= HEAD_BYTES && memchr(text, 0, size) &&
	       (has_tag(at, "IDFY") || has_tag(at, "SMST") ||
		has_tag(at, "SMDT") || has_tag(at, "SMTH"));
}

static uint32_t be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
	       (uint32_t)at[2] << 8 | at[3];
}

/* The data of the only IDFY chunk. */
static int find_identify(const uint8_t *at, size_t left, const uint8_t **ret,
			 struct ssdpm_error *reterr)
{
	const uint8_t *found = NULL;

	while (left) {
		uint32_t size = left < HEAD_BYTES ? 0 : be32(at + TAG_BYTES);
		bool identify = left >= HEAD_BYTES && has_tag(at, "IDFY");

		if (left < HEAD_BYTES || size > left - HEAD_BYTES)
			return ssdpm__fail(
				reterr, -EINVAL, 0,
				"a libatasmart blob that ends within "
				"a chunk: it is not complete");
		if (identify && size != ATA_IDENTIFY_BYTES)
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "chunk IDFY: %u bytes; IDENTIFY "
					   "DEVICE data have %d",
					   size, ATA_IDENTIFY_BYTES);
		if (identify && found)
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "chunk IDFY is there twice");
		if (identify)
			found = at + HEAD_BYTES;
		at += HEAD_BYTES + size;
		left -= HEAD_BYTES + size;
	}
	if (!found)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a libatasmart blob without a chunk IDFY: "
				   "it says nothing of the drive");
	*ret = found;
	return 0;
}

int ssdpm__model_from_atasmart_blob(const char *text, size_t size,
				    struct ssdpm_model **ret_model,
				    struct ssdpm_error *reterr)
{
	const uint8_t *identify = NULL;
	int err;

	err = find_identify((const uint8_t *)text, size, &identify, reterr);
	if (err)
		return err;
	return ssdpm__sata_model_from_bytes(
		identify, SSDPM_FORMAT_ATASMART_BLOB, ret_model, reterr);
}
