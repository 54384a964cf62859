/* SPDX-License-Identifier: MIT */
/*
 * Numbers with their unit, as people write them in options. A bare number is an
 * error, not a guess. All return STATUS_DONE, or STATUS_USAGE after a
 * complaint that names the option.
 */
#ifndef SSDPM_COMMAND_UNITS_H
#define SSDPM_COMMAND_UNITS_H

#include "command.h"

/* "25ms" in microseconds. */
enum exit_status parse_time(const struct common *common, const char *option,
			    const char *text, uint64_t *ret_us);

/* Whole milliseconds. */
enum exit_status parse_idle_time(const struct common *common,
				 const char *option, const char *text,
				 uint64_t *ret_ms);

/* "500mW" in microwatts; more than 0. */
enum exit_status parse_power(const struct common *common, const char *option,
			     const char *text, uint32_t *ret_uw);

#endif
