/* SPDX-License-Identifier: MIT */
/* The words for the enumerations of surveys. */
#include "base/words.h"

#include <ssdpm/energy/survey-result.h>

static const char survey_trend_words[][10] = {
	[SSDPM_SURVEY_TREND_NONE] = "none",
	[SSDPM_SURVEY_TREND_RISE] = "rise",
	[SSDPM_SURVEY_TREND_FALL] = "fall",
	[SSDPM_SURVEY_TREND_UNSETTLED] = "unsettled",
};
ENUM_WORDS(survey_trend)

static const char survey_verdict_words[][14] = {
	[SSDPM_SURVEY_DIFFERENT] = "different",
	[SSDPM_SURVEY_NOT_SHOWN] = "not-shown",
	[SSDPM_SURVEY_NOT_DECIDABLE] = "not-decidable",
};
ENUM_WORDS(survey_verdict)

static const char survey_missing_words[][8] = {
	[FLAG(SSDPM_SURVEY_MISSING_N)] = "n",
	[FLAG(SSDPM_SURVEY_MISSING_BETWEEN)] = "between",
	[FLAG(SSDPM_SURVEY_MISSING_RUNS)] = "runs",
};
FLAG_WORDS(survey_missing)

static const char survey_run_status_words[][11] = {
	[SSDPM_SURVEY_RUN_COMPLETE] = "complete",
	[SSDPM_SURVEY_RUN_INCOMPLETE] = "incomplete",
	[SSDPM_SURVEY_RUN_REPLACED] = "replaced",
};
ENUM_WORDS(survey_run_status)

static const char survey_quantity_words[][11] = {
	[SSDPM_SURVEY_POWER] = "power",
	[SSDPM_SURVEY_LATENCY] = "latency",
	[SSDPM_SURVEY_THROUGHPUT] = "throughput",
};
ENUM_WORDS(survey_quantity)

static const char survey_reason_words[][9] = {
	[SSDPM_SURVEY_REASON_POLICIES] = "policies",
	[SSDPM_SURVEY_REASON_NOISE] = "noise",
	[SSDPM_SURVEY_REASON_VALUE] = "value",
	[SSDPM_SURVEY_REASON_SAME] = "same",
	[SSDPM_SURVEY_REASON_NO_RUN] = "no-run",
	[SSDPM_SURVEY_REASON_DRIVES] = "drives",
};
ENUM_WORDS(survey_reason)

static const char survey_advice_words[][10] = {
	[SSDPM_SURVEY_ADVICE_UNDECIDED] = "undecided",
	[SSDPM_SURVEY_ADVICE_NOT_SHOWN] = "not-shown",
	[SSDPM_SURVEY_ADVICE_KEEP] = "keep",
	[SSDPM_SURVEY_ADVICE_CHANGE] = "change",
};
ENUM_WORDS(survey_advice)
