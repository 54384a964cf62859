/* SPDX-License-Identifier: MIT */
/* The overlay as JSON: what writer and reader both ask of it. */
#ifndef SSDPM_LIB_CALIBRATE_OVERLAY_H
#define SSDPM_LIB_CALIBRATE_OVERLAY_H

#include <ssdpm/energy/calibrate.h>

#include "measure/internal.h"

#include "base/internal.h"
#include "base/json-text.h"

#define OVERLAY_SCHEMA "ssdpm.overlay/1"

/* Whole numbers up to it are the same as a double. */
#define OVERLAY_MAX (UINT64_C(1) << 53)

#define MICRO 1e6

/* In millionths: by a million and back, numbers below it are what they were. */
#define MILLIONTHS_MAX (UINT64_C(1) << 50)

/* Where the texts of an overlay are, and the keys of them. */
struct overlay_text {
	const char *key;
	size_t offset;
	size_t size;
};

extern const struct overlay_text ssdpm__overlay_texts[];
extern const size_t ssdpm__n_overlay_texts;

/* line: of the input, 0: none. 0, or -EINVAL. */
int ssdpm__overlay_check_text(const char *text, size_t size, uint32_t line,
			      const char *what, struct ssdpm_error *reterr);

/* Write amplification in thousandths; 0: not known. */
static inline bool ssdpm__overlay_is_wa(uint32_t milli)
{
	return !milli || milli >= 1000;
}

/* A value that is known: whole numbers in order. 0, -EINVAL or -ERANGE. */
int ssdpm__overlay_check_value(const struct ssdpm_measured *measured,
			       uint32_t line, struct ssdpm_error *reterr);

/* By kind and index, none twice; NULL before the first one. */
bool ssdpm__overlay_in_order(const struct ssdpm_measured *before,
			     const struct ssdpm_measured *measured);

/* Fill what a caller gave room in: its size, and its room for the measured, are
 * set. -E2BIG: too little room. */
int ssdpm__calibration_out(struct ssdpm_calibration *ret_calibration,
			   struct ssdpm_calibration *calibration,
			   const struct ssdpm_measured *measured,
			   struct ssdpm_error *reterr);

#endif
