/* SPDX-License-Identifier: MIT */
/*
 * What hdparm -I prints. Its list of features has a line for each bit of the
 * words of supported features. The sign * marks the bits of the words of
 * enabled ones. Word 76 has no such word, and hdparm marks all of it: there "*"
 * means nothing. Words are checked against hdparm 9.65; older ones print
 * "unknown 78[8]" for bits that they do not know by name.
 */
#include "base/text.h"
#include "model/sata.h"

#include <errno.h>
#include <string.h>

struct hdparm {
	struct ssdpm_model_info info;
	uint32_t devsleep_exit_us;
	uint32_t first_line; /* of the drive; 0: none yet */
	uint8_t generations;
	uint64_t apm_level;
	bool list;     /* the heading of the list of features was there */
	bool list_end; /* something that stands after words 76 to 79 too */
	bool word_76;  /* there is a bit of word 76, so that it is valid */
	bool all_ones; /* or it is FFFFh: a bit is set that is always 0 */
};

struct feature_line {
	char text[48];
	uint32_t feature;
	bool star_counts;
};

static const struct feature_line feature_lines[] = {
	{ "Host-initiated interface power management", SSDPM_SATA_HIPM, false },
	{ "Device-initiated interface power management", SSDPM_SATA_DIPM,
	  true },
	{ "Device automatic Partial to Slumber transitions",
	  SSDPM_SATA_DEVICE_AUTO_PARTIAL_TO_SLUMBER, false },
	{ "unknown 76[14]", SSDPM_SATA_DEVICE_AUTO_PARTIAL_TO_SLUMBER, false },
	{ "Host automatic Partial to Slumber transitions",
	  SSDPM_SATA_HOST_AUTO_PARTIAL_TO_SLUMBER, false },
	{ "unknown 76[13]", SSDPM_SATA_HOST_AUTO_PARTIAL_TO_SLUMBER, false },
	{ "Device Sleep (DEVSLP)", SSDPM_SATA_DEVSLEEP, true },
	{ "unknown 78[8]", SSDPM_SATA_DEVSLEEP, true },
	{ "Advanced Power Management feature set", SSDPM_SATA_APM, true },
};

/* Beginnings of lines that no other program writes. */
static const char markers[] = "ATA device, with\0"
			      "ATAPI CD-ROM, with\0"
			      "Firmware Revision:\0"
			      "Advanced power management level:\0"
			      "Commands/features:\0";

static const char others_of_word_76[] = "Native Command Queueing (NCQ)\0"
					"Phy event counters\0";

/* Features of later words than 79, and the headings after the list. */
static const char after_word_79[] = "SMART Command Transport (SCT)\0"
				    "SCT \0"
				    "SANITIZE feature set\0"
				    "Data Set Management TRIM\0"
				    "Deterministic read\0"
				    "DOWNLOAD MICROCODE DMA\0"
				    "WRITE BUFFER DMA\0"
				    "READ BUFFER DMA\0"
				    "Security:\0"
				    "Logical Unit WWN Device Identifier:\0"
				    "HW reset results:\0"
				    "Device Sleep:\0"
				    "Checksum:\0"
				    "Integrity word not set\0";

/* texts: one after the other, an empty one at the end. */
static bool starts_with_any(struct span line, const char *texts)
{
	for (; *texts; texts += strlen(texts) + 1)
		if (ssdpm__take(&line, texts))
			return true;
	return false;
}

bool ssdpm__is_hdparm_text(const char *text, size_t size)
{
	struct lines lines = { .rest = ssdpm__span(text, size) };
	struct span line;

	if (size && memchr(text, 0, size))
		return false;
	while (ssdpm__next_mail_line(&lines, &line))
		if (starts_with_any(line, markers))
			return true;
	return false;
}

static void take_text(struct span line, char *text, size_t size, uint32_t field,
		      struct ssdpm_model_info *info)
{
	if (line.at < line.end && ssdpm__span_copy(line, text, size))
		info->unknown &= ~field;
}

/*
 * "254" is a level in use, "disabled" none. Before 9.x it is "254 (0xfe)" or
 * "unknown setting (0x0000)", in use or not.
 */
static void take_apm_level(struct hdparm *h, struct span line)
{
	uint64_t level;

	ssdpm__sata_know_supported(&h->info, SSDPM_SATA_APM, true);
	if (ssdpm__take(&line, "disabled")) {
		ssdpm__sata_know_enabled(&h->info, SSDPM_SATA_APM, false);
	} else if (ssdpm__take_uint(&line, UINT8_MAX, &level)) {
		h->apm_level = level;
		if (line.at == line.end)
			ssdpm__sata_know_enabled(&h->info, SSDPM_SATA_APM,
						 true);
	}
}

/* "Solid State Device", or a number from 1025 on; hdparm prints no other. */
static void take_rotation(struct ssdpm_model_info *info, struct span line)
{
	uint64_t rate;

	if (ssdpm__take(&line, "Solid State Device"))
		ssdpm__sata_know_rotational(info, false);
	else if (ssdpm__take_uint(&line, UINT16_MAX, &rate) && rate > 0x400)
		ssdpm__sata_know_rotational(info, true);
}

static bool take_generation(struct hdparm *h, struct span line)
{
	if (ssdpm__take(&line, "Gen1 signaling speed") ||
	    ssdpm__take(&line, "SATA-I signaling speed"))
		h->generations |= 1 << 1;
	else if (ssdpm__take(&line, "Gen2 signaling speed") ||
		 ssdpm__take(&line, "SATA-II signaling speed"))
		h->generations |= 1 << 2;
	else if (ssdpm__take(&line, "Gen3 signaling speed"))
		h->generations |= 1 << 3;
	else
		return false;
	h->word_76 = true;
	return true;
}

static void take_feature(struct hdparm *h, struct span line)
{
	bool star = ssdpm__take(&line, "*");

	if (take_generation(h, line))
		return;
	h->word_76 |= starts_with_any(line, others_of_word_76);
	h->all_ones |= ssdpm__span_is(line, "unknown 76[0]");
	h->list_end |= starts_with_any(line, after_word_79);
	for (size_t i = 0; i < sizeof(feature_lines) / sizeof(*feature_lines);
	     i++) {
		const struct feature_line *feature = &feature_lines[i];

		if (!ssdpm__span_is(line, feature->text))
			continue;
		ssdpm__sata_know_supported(&h->info, feature->feature, true);
		if (feature->star_counts)
			ssdpm__sata_know_enabled(&h->info, feature->feature,
						 star);
		else
			h->word_76 = true;
	}
}

static int take_line(struct hdparm *h, struct span line, uint32_t number,
		     struct ssdpm_error *reterr)
{
	uint64_t ms;

	if (ssdpm__take(&line, "ATAPI ") &&
	    ssdpm__span_contains(line, ", with"))
		return ssdpm__fail(reterr, -EINVAL, number,
				   "not an ATA device, but ATAPI (an optical "
				   "drive)");
	if (ssdpm__take(&line, "Checksum: incorrect"))
		return ssdpm__fail(
			reterr, -EINVAL, number,
			"checksum: hdparm says that it is incorrect: "
			"somebody changed the data, or they are "
			"damaged");
	if (ssdpm__take(&line, "Model Number:")) {
		if (h->first_line)
			return ssdpm__fail(reterr, -EINVAL, number,
					   "a second drive begins here; one is "
					   "expected");
		h->first_line = number;
		take_text(line, h->info.product, sizeof(h->info.product),
			  SSDPM_INFO_PRODUCT, &h->info);
	} else if (ssdpm__take(&line, "Firmware Revision:")) {
		take_text(line, h->info.firmware, sizeof(h->info.firmware),
			  SSDPM_INFO_FIRMWARE, &h->info);
	} else if (ssdpm__take(&line, "Advanced power management level:")) {
		take_apm_level(h, line);
	} else if (ssdpm__take(&line, "Nominal Media Rotation Rate:")) {
		take_rotation(&h->info, line);
	} else if (ssdpm__take(&line, "DEVSLP Exit Timeout (DETO):")) {
		if (ssdpm__take_uint(&line, UINT8_MAX, &ms))
			h->devsleep_exit_us = (uint32_t)ms * 1000;
	} else if (ssdpm__take(&line, "Commands/features:")) {
		h->list = true;
	} else {
		take_feature(h, line);
	}
	return 0;
}

/* hdparm lists all that is supported: what a whole list lacks is not. */
static void conclude_list(struct hdparm *h, uint32_t features)
{
	features &= h->info.sata_supported_unknown;
	ssdpm__sata_know_supported(&h->info, features, false);
	ssdpm__sata_know_enabled(&h->info,
				 features &
					 (SSDPM_SATA_DIPM |
					  SSDPM_SATA_DEVSLEEP | SSDPM_SATA_APM),
				 false);
}

static void forget_link(struct ssdpm_model_info *info)
{
	const uint32_t link = ALL_SATA_FEATURES & ~(uint32_t)SSDPM_SATA_APM;

	ssdpm__sata_know_valid(info, false);
	info->sata_supported &= ~link;
	info->sata_supported_unknown |= link;
	info->sata_enabled &= ~link;
	info->sata_enabled_unknown |= link;
}

static void conclude(struct hdparm *h)
{
	bool whole = h->list && h->list_end;

	if (h->info.sata_enabled & SSDPM_SATA_APM)
		ssdpm__sata_know_apm_level(&h->info, h->apm_level);
	if (whole)
		conclude_list(h, SSDPM_SATA_APM);
	if (h->all_ones) {
		forget_link(&h->info);
		return;
	}
	if (h->word_76)
		ssdpm__sata_know_valid(&h->info, true);
	if (!h->word_76 || !whole)
		return;
	conclude_list(h, ALL_SATA_FEATURES);
	ssdpm__sata_know_generations(&h->info, h->generations);
}

int ssdpm__model_from_hdparm_text(const char *text, size_t size,
				  struct ssdpm_model **ret_model,
				  struct ssdpm_error *reterr)
{
	struct hdparm h = {
		.info = ssdpm__sata_unknown(SSDPM_FORMAT_HDPARM_TEXT),
	};
	struct lines lines = { .rest = ssdpm__span(text, size) };
	struct span line;
	int err;

	while (ssdpm__next_mail_line(&lines, &line)) {
		err = take_line(&h, line, lines.line, reterr);
		if (err)
			return err;
	}
	if ((h.info.unknown & SSDPM_INFO_PRODUCT) && !h.list &&
	    h.info.sata_supported_unknown == ALL_SATA_FEATURES)
		return ssdpm__fail(reterr, -EINVAL, lines.line,
				   "hdparm text without a model number and "
				   "without features");
	conclude(&h);
	return ssdpm__sata_model_new(&h.info, h.devsleep_exit_us, ret_model,
				     reterr);
}
