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

/* The same, and 0 will do. */
enum exit_status parse_any_power(const struct common *common,
				 const char *option, const char *text,
				 uint64_t *ret_uw);

/* Of an option that is named for watts: "3120" too, and "3.12kW". */
enum exit_status parse_watts(const struct common *common, const char *option,
			     const char *text, uint64_t *ret_uw);

/* "80us" in nanoseconds. */
enum exit_status parse_time_ns(const struct common *common, const char *option,
			       const char *text, uint64_t *ret_ns);

/* "4KiB" in bytes, "500MB/s" in bytes per second. */
enum exit_status parse_bytes(const struct common *common, const char *option,
			     const char *text, uint64_t *ret_bytes);
enum exit_status parse_bandwidth(const struct common *common,
				 const char *option, const char *text,
				 uint64_t *ret_bytes_per_second);

/* "5uJ" in picojoules, "50Wh" in milliwatt-hours. */
enum exit_status parse_energy_pj(const struct common *common,
				 const char *option, const char *text,
				 uint64_t *ret_pj);
enum exit_status parse_energy_mwh(const struct common *common,
				  const char *option, const char *text,
				  uint64_t *ret_mwh);

/*
 * "20kHz" in millihertz, "0.1ohm" in microohms, "5V" in microvolts, "5%" in
 * millionths of the whole.
 */
enum exit_status parse_rate(const struct common *common, const char *option,
			    const char *text, uint64_t *ret_mhz);
enum exit_status parse_resistance(const struct common *common,
				  const char *option, const char *text,
				  uint64_t *ret_uohm);
enum exit_status parse_voltage(const struct common *common, const char *option,
			       const char *text, uint64_t *ret_uv);
enum exit_status parse_share(const struct common *common, const char *option,
			     const char *text, uint64_t *ret_ppm);

/* "2.5x" in thousandths. */
enum exit_status parse_factor(const struct common *common, const char *option,
			      const char *text, uint64_t *ret_milli);

/* A whole number of something that has no unit. */
enum exit_status parse_count(const struct common *common, const char *option,
			     const char *text, uint64_t *ret_count);

#define WHOLE_PPM 1000000

/* --mix: "read=70%,write=30%" in millionths that are read. */
enum exit_status parse_mix(const struct common *common, const char *text,
			   uint64_t *ret_read_ppm);

#endif
