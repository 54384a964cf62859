/* SPDX-License-Identifier: MIT */
/* Numbers for people: three digits and a unit that fits. JSON has all of them.
 */
#ifndef SSDPM_COMMAND_NUMBERS_H
#define SSDPM_COMMAND_NUMBERS_H

#include "command.h"

struct number {
	char text[32];
};

/* "1.23 ms", "2 min", "3.5 h" */
struct number time_text(uint64_t ns);

/* 0 without a sign, if the value rounds to 0 with so many digits. */
double without_zero_sign(double value, int digits);

/* "1 minute", "2.5 minutes": so many digits behind the point */
struct number minutes_text(double minutes, int digits);

struct saving_words {
	char text[128];
};

/* How long a battery lasts: likewise, and "20 h 34 min" from 2 h on. */
struct number lasting_text(double s, int digits);
/* Its digits: a tenth of a minute matters below ten. */
int lasting_digits(double s);
/* "12 to 34" minutes, or "12 minutes to 20 h 34 min" */
struct saving_words lasting_range_text(double low_s, double high_s, int digits);

/* "12.3 J" */
struct number energy_text(uint64_t nj);

/* "-12.3 mW" */
struct number power_text(int64_t uw);

/* The same of a power that is not below 0. */
struct number any_power_text(uint64_t uw);

/* "-12.3..45.6 mW"; "1 mW..3 W" where one unit does not fit both */
struct number power_range_text(int64_t low_uw, int64_t high_uw);

/* Likely values are not known better. */
int64_t two_digits(int64_t value);

/* "saves 49 mW (likely 12 to 130)", "probably costs 1.2 W (likely -0.1 to 3)"
 */
struct saving_words saving_text(const struct ssdpm_likely *likely);

/* "4.1 KiB" */
struct number bytes_text(uint64_t bytes);

/* "12.3 %", "< 0.1 %" where there is something; "-" of nothing. */
struct number share_text(uint64_t part, uint64_t whole);

/* "1,234,567" */
struct number count_text(uint64_t count);

/* "1 sample", "1,234 samples" */
struct counted {
	char text[64];
};

struct counted counted(uint64_t count, const char *one);

#endif
