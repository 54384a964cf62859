/* SPDX-License-Identifier: MIT */
/* IDENTIFY DEVICE data as the drive sends them: 256 words, low byte first. */
#include "model/sata.h"

#include <errno.h>
#include <string.h>

/* Reserved words make sure that there are zeros; a text has none. */
bool ssdpm__is_ata_identify(const char *text, size_t size)
{
	return size == ATA_IDENTIFY_BYTES && memchr(text, 0, size);
}

int ssdpm__model_from_ata_identify(const char *text, size_t size,
				   struct ssdpm_model **ret_model,
				   struct ssdpm_error *reterr)
{
	if (size != ATA_IDENTIFY_BYTES)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%zu bytes; IDENTIFY DEVICE data have %d",
				   size, ATA_IDENTIFY_BYTES);
	return ssdpm__sata_model_from_bytes((const uint8_t *)text,
					    SSDPM_FORMAT_ATA_IDENTIFY,
					    ret_model, reterr);
}
