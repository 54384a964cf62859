/* SPDX-License-Identifier: MIT */
/*
 * Writes an "ssdpm.overlay/1", the measurements of a drive; overlay.keys has
 * its keys.
 */
#include "calibrate/overlay.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/words.h"

#define TEXT(key, member)                                           \
	{                                                           \
		key, offsetof(struct ssdpm_overlay, member),        \
			sizeof(((struct ssdpm_overlay *)0)->member) \
	}

const struct overlay_text ssdpm__overlay_texts[] = {
	TEXT("product", product),	TEXT("firmware", firmware),
	TEXT("policy", policy),		TEXT("power_name", power_name),
	TEXT("trace_name", trace_name), TEXT("date", date),
};

const size_t ssdpm__n_overlay_texts =
	sizeof(ssdpm__overlay_texts) / sizeof(ssdpm__overlay_texts[0]);

static bool is_control(const unsigned char *at, size_t length)
{
	return *at < ' ' || *at == 0x7f ||
	       (length == 2 && at[0] == 0xc2 && at[1] < 0xa0);
}

int ssdpm__overlay_check_text(const char *text, size_t size, uint32_t line,
			      const char *what, struct ssdpm_error *reterr)
{
	const unsigned char *at = (const unsigned char *)text;
	const char *end = memchr(text, 0, size);
	size_t left = end ? (size_t)(end - text) : 0, length;

	if (!end)
		return ssdpm__fail(reterr, -EINVAL, line, "%s: has no end",
				   what);
	for (; left; at += length, left -= length) {
		length = ssdpm__utf8_length(at, left);
		if (!length)
			return ssdpm__fail(reterr, -EINVAL, line,
					   "%s: is not UTF-8", what);
		if (is_control(at, length))
			return ssdpm__fail(reterr, -EINVAL, line,
					   "%s: has a control character", what);
	}
	return 0;
}

int ssdpm__overlay_check_value(const struct ssdpm_measured *m, uint32_t line,
			       struct ssdpm_error *reterr)
{
	const char *kind = ssdpm_parameter_kind_to_string(m->kind);

	if (!(m->stated >= 0) || (m->status == SSDPM_MEASURED_KNOWN &&
				  (!(m->low >= 0) || !(m->low <= m->nominal) ||
				   !(m->nominal <= m->high))))
		return ssdpm__fail(reterr, -EINVAL, line,
				   "%s of %u: not 0 <= low <= nominal <= high",
				   kind, m->index);
	if (m->stated > (double)OVERLAY_MAX ||
	    (m->status == SSDPM_MEASURED_KNOWN &&
	     m->high > (double)OVERLAY_MAX))
		return ssdpm__fail(reterr, -ERANGE, line,
				   "%s of %u: beyond 2^53", kind, m->index);
	return 0;
}

bool ssdpm__overlay_in_order(const struct ssdpm_measured *before,
			     const struct ssdpm_measured *m)
{
	return !before || before->kind < m->kind ||
	       (before->kind == m->kind && before->index < m->index);
}

static const char *text_of(const struct ssdpm_overlay *overlay,
			   const struct overlay_text *text)
{
	return (const char *)overlay + text->offset;
}

static int check_overlay(const struct ssdpm_overlay *overlay,
			 struct ssdpm_error *reterr)
{
	int err = 0;

	if (!ssdpm_kind_to_string(overlay->kind))
		return ssdpm__fail(reterr, -EINVAL, 0, "kind: unknown value");
	if (overlay->pcie_link &&
	    !ssdpm_pcie_link_to_string(overlay->pcie_link))
		return ssdpm__fail(reterr, -EINVAL, 0, "pcie_link: unknown");
	if (overlay->lpm && !ssdpm_lpm_to_string(overlay->lpm))
		return ssdpm__fail(reterr, -EINVAL, 0, "lpm: unknown");
	if (overlay->operational_state >= SSDPM_MAX_STATES ||
	    overlay->flags & ~(uint32_t)SSDPM_SIM_IDLE_FROM_START ||
	    !ssdpm__overlay_is_wa(overlay->measured_wa_milli))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"operational_state, flags or measured_wa_milli: unknown value");
	for (size_t i = 0; err == 0 && i < ssdpm__n_overlay_texts; i++) {
		const struct overlay_text *text = &ssdpm__overlay_texts[i];

		err = ssdpm__overlay_check_text(text_of(overlay, text),
						text->size, 0, text->key,
						reterr);
	}
	return err;
}

static int check_measured(const struct ssdpm_measured *measured, size_t n,
			  struct ssdpm_error *reterr)
{
	int err =
		n > SSDPM_MAX_PARAMETERS ?
			ssdpm__fail(reterr, -EINVAL, 0, "too many parameters") :
			0;

	for (size_t i = 0; err == 0 && i < n; i++) {
		const struct ssdpm_measured *m = &measured[i];

		if (!ssdpm_parameter_kind_to_string(m->kind) ||
		    !ssdpm_measured_status_to_string(m->status) ||
		    m->exceeds > 1 || m->index >= SSDPM_MAX_STATES ||
		    !ssdpm__overlay_in_order(i ? m - 1 : NULL, m))
			return ssdpm__fail(
				reterr, -EINVAL, 0,
				"number %zu of what was measured: its kind, index, status or exceeds cannot be, or is out of order",
				i);
		err = ssdpm__overlay_check_value(m, 0, reterr);
		if (err == 0)
			err = ssdpm__overlay_check_text(m->reason,
							sizeof(m->reason), 0,
							"reason", reterr);
	}
	return err;
}

/* Millionths, rounded to the nearest; null: unknown. */
static void write_millionths(struct json_writer *w, const char *key,
			     double value)
{
	if (fabs(value * MICRO) < (double)MILLIONTHS_MAX - 1)
		ssdpm__json_int(w, key,
				(int64_t)ssdpm__floor(value * MICRO + 0.5));
	else
		ssdpm__json_null(w, key);
}

static const char *text_or_null(const char *text)
{
	return *text ? text : NULL;
}

static bool is_known(const struct ssdpm_measured *m)
{
	return m->status == SSDPM_MEASURED_KNOWN;
}

#include "overlay-json.h"

int ssdpm_overlay_to_json(const struct ssdpm_overlay *overlay,
			  const struct ssdpm_calibration *calibration,
			  char **ret_text, struct ssdpm_error *reterr)
{
	struct ssdpm_overlay whole = { .size = sizeof(whole) };
	struct ssdpm_calibration quality = { .size = sizeof(quality) };
	struct json_writer writer = { 0 };
	int err = ssdpm__sized_in(&whole, sizeof(whole), overlay,
				  "ssdpm_overlay", reterr);

	if (!err)
		err = ssdpm__sized_in(&quality, sizeof(quality), calibration,
				      "ssdpm_calibration", reterr);
	if (!err)
		err = check_overlay(&whole, reterr);
	if (!err)
		err = check_measured(quality.measured,
				     (size_t)quality.n_measured, reterr);
	if (err)
		return err;
	ssdpm__json_begin(&writer, NULL, '{');
	write_overlay(&writer, &whole, &quality);
	ssdpm__json_end(&writer, '}');
	return ssdpm__json_finish(&writer, ret_text, reterr);
}

uint32_t ssdpm_overlay_match(const struct ssdpm_overlay *overlay,
			     const struct ssdpm_model *model)
{
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);
	bool no_product = info->unknown & SSDPM_INFO_PRODUCT;
	bool no_firmware = info->unknown & SSDPM_INFO_FIRMWARE;
	struct ssdpm_overlay known = { 0 };

	if (ssdpm__sized_in(&known, sizeof(known), overlay, "ssdpm_overlay",
			    NULL))
		return SSDPM_OVERLAY_UNKNOWN;
	overlay = &known;
	if (overlay->kind != info->kind)
		return SSDPM_OVERLAY_OTHER_DRIVE;
	if (no_product || !*overlay->product)
		return SSDPM_OVERLAY_UNKNOWN;
	if (strcmp(overlay->product, info->product))
		return SSDPM_OVERLAY_OTHER_DRIVE;
	if (no_firmware && !*overlay->firmware)
		return SSDPM_OVERLAY_SAME;
	if (no_firmware || !*overlay->firmware)
		return SSDPM_OVERLAY_UNKNOWN;
	return strcmp(overlay->firmware, info->firmware) ?
		       SSDPM_OVERLAY_OTHER_FIRMWARE :
		       SSDPM_OVERLAY_SAME;
}

static const char overlay_match_words[][15] = {
	[SSDPM_OVERLAY_SAME] = "same",
	[SSDPM_OVERLAY_OTHER_FIRMWARE] = "other-firmware",
	[SSDPM_OVERLAY_UNKNOWN] = "unknown",
	[SSDPM_OVERLAY_OTHER_DRIVE] = "other-drive",
};
ENUM_WORDS(overlay_match)
