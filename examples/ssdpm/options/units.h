/* SPDX-License-Identifier: MIT */
/*
 * What options take: numbers with their unit, as people write them, and words.
 * A bare number is an error, not a guess. All functions return STATUS_DONE, or
 * STATUS_USAGE after a complaint that names the option.
 */
#ifndef SSDPM_COMMAND_UNITS_H
#define SSDPM_COMMAND_UNITS_H

#include "command.h"

enum quantity {
	COUNT = 1, /* a whole number of something that has no unit */
	TIME_US,   /* "25ms" in microseconds */
	TIME_NS,   /* "80us", "2h" in nanoseconds */
	TIME_MS,   /* "100ms" in milliseconds, whole ones */
	TIME_S,	   /* "1400s" in seconds, whole ones */
	SECONDS,   /* the same where the option says seconds: "5", "5s" */
	POWER_UW,  /* "500mW" in microwatts */
	WATTS_UW,  /* the same where the option says watts: "3120", "3.12kW" */
	BYTES,	   /* "4KiB" */
	BANDWIDTH, /* "500MB/s" in bytes per second */
	ENERGY_PJ, /* "5uJ" in picojoules */
	ENERGY_NJ,
	ENERGY_MWH,	 /* "50Wh" in milliwatt-hours */
	RATE_MHZ,	 /* "20kHz" in millihertz */
	RESISTANCE_UOHM, /* "0.1ohm" in microohms */
	VOLTAGE_UV,	 /* "5V" in microvolts */
	SHARE_PPM,	 /* "5%" in millionths of the whole */
	RATE_PPB,	 /* "500ppm" in billionths */
	FACTOR_MILLI,	 /* "2.5x" in thousandths */
	NUMBER_MILLI,	 /* the same without the x */
};

enum exit_status parse_number(const struct common *common, const char *option,
			      const char *text, enum quantity quantity,
			      uint64_t *ret_number);

/* Whether a word is a number with a unit of a quantity. */
bool is_number_of(enum quantity quantity, const char *text);

/* parse_number() for a power above 0 that a drive may have. */
enum exit_status parse_power(const struct common *common, const char *option,
			     const char *text, uint32_t *ret_uw);

/* One of the words of an enum, whose numbers begin at 1. */
enum exit_status parse_word(const struct common *common, const char *option,
			    const char *text,
			    const char *(*to_string)(uint32_t),
			    uint32_t *ret_value);

/* A usage error: the word is none of "a|b|c". */
enum exit_status unknown_value(const struct common *common, const char *option,
			       const char *text, const char *words);

/* "0s..10s" in nanoseconds */
enum exit_status parse_span(const struct common *common, const char *option,
			    const char *text, int64_t *ret_begin_ns,
			    int64_t *ret_end_ns);

#define WHOLE_PPM 1000000

/* --mix: "read=70%,write=30%" in millionths that are read. */
enum exit_status parse_mix(const struct common *common, const char *text,
			   uint64_t *ret_read_ppm);

/* Set what an option of a group sets. */
enum exit_status set_option(const struct option_group *group, void *settings,
			    struct common *common,
			    const struct option_spec *option,
			    const char *argument);

#endif
