/* SPDX-License-Identifier: MIT */
/* What the parts of the reader of samples share. */
#ifndef SSDPM_LIB_POWER_INTERNAL_H
#define SSDPM_LIB_POWER_INTERNAL_H

#include "measure/internal.h"

#include "common/input.h"

enum decimal_kind {
	DECIMAL_NUMBER = 1,
	DECIMAL_NONE, /* empty, or a word for missing */
	DECIMAL_INFINITE,
};

/* mantissa 10^exponent */
struct decimal {
	uint64_t mantissa;
	int32_t exponent;
	uint32_t kind; /* enum decimal_kind */
	bool negative;
};

/*
 * Reads all of text. comma: a comma is a decimal point, too. false: neither a
 * number nor a word for missing.
 */
bool ssdpm__decimal_read(struct span text, bool comma,
			 struct decimal *ret_decimal);

/*
 * Multiplies by 10^shift: exact up to 15 digits, else within 2 units of the
 * last place.
 */
double ssdpm__decimal_double(const struct decimal *decimal, int32_t shift);

/* Multiplies by 10^shift and rounds. false: too large, or no number. */
bool ssdpm__decimal_int64(const struct decimal *decimal, int32_t shift,
			  int64_t *ret_value);

/* Reads a time of ISO 8601 as ns since 1970, in UTC if it has no zone. */
bool ssdpm__iso_time_read(struct span text, int64_t *ret_ns);

#define POWER_MAX_COLUMNS 64

enum power_quantity {
	POWER_SKIP,
	POWER_TIME,
	POWER_ISO_TIME,
	POWER_WATTS,
	POWER_VOLTS,
	POWER_AMPERES,
	POWER_SHUNT,
	POWER_JOULES,
	N_POWER_QUANTITIES,
};

/* exponent: a unit is 10^exponent seconds, watts, volts ... */
struct power_column {
	uint8_t quantity;
	int8_t exponent;
};

/*
 * If the separator is ' ', any number of blanks and tabs separates. kinds: a
 * bit for each quantity. more: columns may follow.
 */
struct power_columns {
	struct power_column at[POWER_MAX_COLUMNS];
	uint32_t n;
	uint32_t kinds;
	uint32_t way; /* the quantity that makes the power; POWER_AMPERES: by
			 volts */
	char separator;
	bool more;
};

struct fields {
	struct span rest;
	char separator;
	bool ended;
};

/* Takes the next field, without surrounding blanks and quotes. */
bool ssdpm__take_field(struct fields *fields, struct span *ret_field);

/* Finds the separator of a line. */
char ssdpm__find_separator(struct span line);

/* Reads the caller's columns. */
int ssdpm__power_columns_read(const char *text, struct power_columns *columns,
			      struct ssdpm_error *reterr);

/*
 * Reads the names in a line. 1; 0: no known name; -EINVAL: the known names
 * cannot be used.
 */
int ssdpm__power_columns_name(struct span line, struct power_columns *columns,
			      struct ssdpm_error *reterr);

/*
 * Names that the columns of a line may have: those of the units in brackets, as
 * in "Leistung [W]", else a time and a power.
 */
void ssdpm__power_columns_propose(struct span line, char separator,
				  char *ret_text, size_t size);

/* By a column, or by the rate of the samples. */
bool ssdpm__power_columns_have_time(const struct power_columns *columns,
				    const struct ssdpm_power_params *params);

/* Checks how they make a power. 0 or -EINVAL. */
int ssdpm__power_columns_check(struct power_columns *columns,
			       const struct ssdpm_power_params *params,
			       struct ssdpm_error *reterr);

struct power_sample {
	int64_t time_ns;
	double power_w;
};

struct ssdpm_power {
	struct input input;
	struct ssdpm_power_params params; /* without the text of columns */
	struct power_columns columns;
	struct ssdpm_power_counts counts;
	struct ssdpm_error failed; /* code 0: no failure */
	struct power_sample held;  /* returned before any other */
	bool has_held;
	uint64_t n_rows;
	int64_t first_ns;
	/* The previous row of a counter. */
	double last_j;
	int64_t last_ns;
};

/* Reads the first line: names, or a row. */
int ssdpm__power_csv_open(struct ssdpm_power *power, const char *columns,
			  struct ssdpm_error *reterr);

/* Reads the next sample. 1; 0: the end; or a negative errno. */
int ssdpm__power_csv_next(struct ssdpm_power *power,
			  struct power_sample *ret_sample,
			  struct ssdpm_error *reterr);

/* The time of a row, counted from 0, from the rate. */
bool ssdpm__power_row_time(const struct ssdpm_power *power, uint64_t row,
			   int64_t *ret_ns);

#endif
