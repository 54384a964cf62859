/* SPDX-License-Identifier: MIT */
/* Samples in lines of text. */
#include "power/internal.h"

#include <errno.h>
#include <string.h>

#include "base/internal.h"

/* A line as it was read. */
struct csv_row {
	int64_t time_ns;
	double values[N_POWER_QUANTITIES];
};

static int bad_field(const struct ssdpm_power *power, uint32_t column,
		     struct span field, const char *why,
		     struct ssdpm_error *reterr)
{
	char text[32];

	if (field.end - field.at >= (ptrdiff_t)sizeof(text))
		field.end = field.at + sizeof(text) - 1;
	ssdpm__span_copy(field, text, sizeof(text));
	return ssdpm__fail(reterr, -EINVAL, power->input.line,
			   "column %u: \"%s\" %s", column + 1, text, why);
}

static int read_field(const struct ssdpm_power *power, uint32_t i,
		      struct span field, struct csv_row *row,
		      struct ssdpm_error *reterr)
{
	const struct power_column *column = &power->columns.at[i];
	struct decimal decimal;

	if (column->quantity == POWER_SKIP)
		return 0;
	if (column->quantity == POWER_ISO_TIME) {
		if (ssdpm__iso_time_read(field, &row->time_ns))
			return 0;
		return bad_field(power, i, field,
				 "is no time of ISO 8601, as in "
				 "2026-01-31T23:59:59.5Z",
				 reterr);
	}
	if (!ssdpm__decimal_read(field, power->columns.separator != ',',
				 &decimal))
		return bad_field(power, i, field, "is no number", reterr);
	if (column->quantity != POWER_TIME) {
		row->values[column->quantity] =
			ssdpm__decimal_double(&decimal, column->exponent);
		return 0;
	}
	if (ssdpm__decimal_int64(&decimal, column->exponent + 9, &row->time_ns))
		return 0;
	return bad_field(power, i, field, "is no time, or one beyond 2^63 ns",
			 reterr);
}

static int read_row(const struct ssdpm_power *power, struct span line,
		    struct csv_row *row, struct ssdpm_error *reterr)
{
	const struct power_columns *columns = &power->columns;
	struct fields fields = { line, columns->separator, false };
	struct span field;
	uint32_t i = 0;

	for (; ssdpm__take_field(&fields, &field); i++) {
		if (i == columns->n && columns->more)
			return 0;
		/* A separator at the end of each line does no harm. */
		if (i == columns->n && fields.ended && field.at == field.end)
			return 0;
		if (i == columns->n)
			return ssdpm__fail(reterr, -EINVAL, power->input.line,
					   "more than %u columns", columns->n);
		int err = read_field(power, i, field, row, reterr);
		if (err)
			return err;
	}
	if (i < columns->n)
		return ssdpm__fail(reterr, -EINVAL, power->input.line,
				   "%u of %u columns: the line is cut off", i,
				   columns->n);
	return 0;
}

bool ssdpm__power_row_time(const struct ssdpm_power *power, uint64_t row,
			   int64_t *ret_ns)
{
	double ns = (double)row * (NS_PER_S / power->params.rate_hz);

	if (!(ns < 9e18))
		return false;
	*ret_ns = (int64_t)ssdpm__floor(ns + 0.5);
	return true;
}

static int set_time(struct ssdpm_power *power, struct csv_row *row,
		    struct ssdpm_error *reterr)
{
	bool good;

	if (!(power->columns.kinds & 1u << POWER_TIME)) {
		good = ssdpm__power_row_time(power, power->n_rows,
					     &row->time_ns);
	} else {
		if (!power->n_rows)
			power->first_ns = row->time_ns;
		good = !__builtin_sub_overflow(row->time_ns, power->first_ns,
					       &row->time_ns);
	}
	if (!good)
		return ssdpm__fail(reterr, -EINVAL, power->input.line,
				   "a time 2^63 ns after the first or more");
	power->n_rows++;
	return 0;
}

/* The mean since the row before; NaN: unknown. */
static double counted_power(struct ssdpm_power *power,
			    const struct csv_row *row)
{
	double joules = row->values[POWER_JOULES];
	double step_j = joules - power->last_j,
	       range_j = power->params.counter_j;
	double step_s = (double)row->time_ns - (double)power->last_ns;

	if (step_j < 0 && range_j > 0 && joules >= 0 &&
	    power->last_j <= range_j) {
		step_j += range_j;
		power->counts.n_wraps++;
	} else if (step_j < 0) {
		step_j = NAN;
		power->counts.n_resets++;
	}
	power->last_j = joules;
	power->last_ns = row->time_ns;
	return step_s > 0 ? step_j / (step_s / NS_PER_S) : NAN;
}

static double power_of(struct ssdpm_power *power, const struct csv_row *row)
{
	const struct ssdpm_power_params *params = &power->params;
	const double *values = row->values;
	const bool has_volts = power->columns.kinds & 1u << POWER_VOLTS;
	const double supply_v =
		has_volts ? values[POWER_VOLTS] : params->supply_v;

	switch (power->columns.way) {
	case POWER_WATTS:
		return values[POWER_WATTS];
	case POWER_AMPERES:
		return supply_v * values[POWER_AMPERES];
	case POWER_SHUNT:
		return values[POWER_SHUNT] / params->shunt_ohm *
		       (supply_v - values[POWER_SHUNT]);
	default:
		return counted_power(power, row);
	}
}

/* Take a line that has more than blanks. remark: it begins with a "#". */
static int take_line(struct ssdpm_power *power, struct span *ret_line,
		     bool *ret_remark, struct ssdpm_error *reterr)
{
	for (;;) {
		struct span line, rest;
		int err = ssdpm__input_line(&power->input, &line, reterr);

		if (err <= 0)
			return err;
		power->counts.n_lines++;
		rest = line;
		while (rest.at < rest.end &&
		       (*rest.at == ' ' || *rest.at == '\t'))
			rest.at++;
		if (rest.at == rest.end)
			continue;
		*ret_remark = *rest.at == '#';
		*ret_line = line;
		/* NumPy writes the names of columns there. */
		if (*ret_remark)
			ret_line->at = rest.at + 1;
		return 1;
	}
}

/* The next row, with its time. */
static int next_row(struct ssdpm_power *power, struct csv_row *row,
		    struct ssdpm_error *reterr)
{
	struct span line;
	bool remark;
	int err;

	do {
		err = take_line(power, &line, &remark, reterr);
		if (err <= 0)
			return err;
	} while (remark);
	err = read_row(power, line, row, reterr);
	if (err == 0)
		err = set_time(power, row, reterr);
	return err ? err : 1;
}

/* The first row of a counter has the power of the second. */
static int begin_counter(struct ssdpm_power *power, const struct csv_row *first,
			 struct power_sample *ret_sample,
			 struct ssdpm_error *reterr)
{
	struct csv_row second;

	power->last_j = first->values[POWER_JOULES];
	power->last_ns = first->time_ns;
	int err = next_row(power, &second, reterr);
	if (err < 0)
		return err;
	*ret_sample = (struct power_sample){ first->time_ns, NAN };
	if (err == 0)
		return 1;
	power->held.time_ns = second.time_ns;
	power->held.power_w = counted_power(power, &second);
	power->has_held = true;
	ret_sample->power_w = power->held.power_w;
	return 1;
}

int ssdpm__power_csv_next(struct ssdpm_power *power,
			  struct power_sample *ret_sample,
			  struct ssdpm_error *reterr)
{
	struct csv_row row;

	if (power->has_held) {
		*ret_sample = power->held;
		power->has_held = false;
		return 1;
	}
	bool is_first = !power->n_rows;
	int err = next_row(power, &row, reterr);
	if (err <= 0)
		return err;
	if (is_first && power->columns.way == POWER_JOULES)
		return begin_counter(power, &row, ret_sample, reterr);
	*ret_sample =
		(struct power_sample){ row.time_ns, power_of(power, &row) };
	return 1;
}

/* A line before the first sample: there must be one. */
static int take_head(struct ssdpm_power *power, struct span *ret_line,
		     bool *ret_remark, struct ssdpm_error *reterr)
{
	int err = take_line(power, ret_line, ret_remark, reterr);

	if (err == 0)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "there are no samples: the file is empty");
	return err < 0 ? err : 0;
}

/* Not one number, and not one time: names, as programs put them first. */
static bool is_names(struct span line, char separator)
{
	struct fields fields = { line, separator, false };
	struct decimal decimal;
	struct span field;
	int64_t ns;

	while (ssdpm__take_field(&fields, &field)) {
		if (ssdpm__iso_time_read(field, &ns))
			return false;
		if (ssdpm__decimal_read(field, separator != ',', &decimal) &&
		    decimal.kind == DECIMAL_NUMBER)
			return false;
	}
	return true;
}

/* The columns were named: a first line with other names is passed over. */
static int open_named(struct ssdpm_power *power, const char *text,
		      struct ssdpm_error *reterr)
{
	struct span line;
	bool remark = false;
	int err = ssdpm__power_columns_read(text, &power->columns, reterr);

	if (err == 0)
		err = ssdpm__power_columns_check(&power->columns,
						 &power->params, reterr);
	if (err)
		return err;
	do {
		err = take_head(power, &line, &remark, reterr);
		if (err)
			return err;
	} while (remark);
	power->columns.separator = ssdpm__find_separator(line);
	if (is_names(line, power->columns.separator))
		return 0;
	/* A row; it is in memory still, to be taken again. */
	power->input.at = line.at;
	power->input.line--;
	power->counts.n_lines--;
	return 0;
}

/* The message has the line, or its begin, and names that would fit. */
static int fail_unnamed(const struct ssdpm_power *power, struct span line,
			int err, const char *what, struct ssdpm_error *reterr)
{
	enum { SHOWN = 60 };
	char names[80];
	int n = (int)(line.end - line.at);
	const bool cut = n > SHOWN;

	for (n = cut ? SHOWN : n; cut && n && (line.at[n] & 0xc0) == 0x80;)
		n--;
	ssdpm__power_columns_propose(line, power->columns.separator, names,
				     sizeof(names));
	return ssdpm__fail(reterr, err, power->input.line,
			   "%s: name the columns of \"%.*s%s\", as in %s", what,
			   n, line.at, cut ? "..." : "", names);
}

int ssdpm__power_csv_open(struct ssdpm_power *power, const char *columns,
			  struct ssdpm_error *reterr)
{
	struct span line;
	bool remark;
	int err;

	if (columns)
		return open_named(power, columns, reterr);
	do {
		err = take_head(power, &line, &remark, reterr);
		if (err)
			return err;
		power->columns = (struct power_columns){
			.separator = ssdpm__find_separator(line),
		};
		err = ssdpm__power_columns_name(line, &power->columns, reterr);
		if (err < 0)
			return err;
	} while (err == 0 && remark);
	if (err == 0)
		return fail_unnamed(power, line, -ENODATA,
				    "no name of a column is known here",
				    reterr);
	/* Without an unknown column, the rate of the samples is the way out. */
	if (!ssdpm__power_columns_have_time(&power->columns, &power->params) &&
	    power->columns.kinds & 1u << POWER_SKIP)
		return fail_unnamed(power, line, -EINVAL, "no column is a time",
				    reterr);
	return ssdpm__power_columns_check(&power->columns, &power->params,
					  reterr);
}
