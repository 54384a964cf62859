/* SPDX-License-Identifier: MIT */
/* The words for the enumerations of measure.h. */
#include "base/words.h"

#include <ssdpm/energy/measure.h>

static const char signal_remark_words[][15] = {
	[FLAG(SSDPM_SIGNAL_NOT_FINITE)] = "not-finite",
	[FLAG(SSDPM_SIGNAL_NEGATIVE)] = "negative",
	[FLAG(SSDPM_SIGNAL_CONSTANT)] = "constant",
	[FLAG(SSDPM_SIGNAL_SATURATED)] = "saturated",
	[FLAG(SSDPM_SIGNAL_DUPLICATES)] = "duplicates",
	[FLAG(SSDPM_SIGNAL_BACKWARDS)] = "backwards",
	[FLAG(SSDPM_SIGNAL_GAPS)] = "gaps",
	[FLAG(SSDPM_SIGNAL_SLOW)] = "slow",
	[FLAG(SSDPM_SIGNAL_SLOWER_THAN_IO)] = "slower-than-io",
	[FLAG(SSDPM_SIGNAL_HELD)] = "held",
};
FLAG_WORDS(signal_remark)

static const char baseline_method_words[][12] = {
	[SSDPM_BASELINE_WINDOW] = "window",
	[SSDPM_BASELINE_HALF_SAMPLE] = "half-sample",
};
ENUM_WORDS(baseline_method)
