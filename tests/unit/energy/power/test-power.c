/* SPDX-License-Identifier: MIT */
/* Samples of power from files: what instruments write, and what nobody can. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROOM 64

struct got {
	int64_t time_ns[ROOM];
	double power_w[ROOM];
	size_t n;
	struct ssdpm_power_counts counts;
	struct ssdpm_error error;
};

static struct ssdpm_power_params params_of(const char *columns)
{
	return (struct ssdpm_power_params){
		.size = sizeof(struct ssdpm_power_params),
		.columns = columns,
	};
}

/* So many at a time; what it returns at the end. */
static int read_pieces(struct ssdpm_power *power, size_t piece, struct got *got)
{
	size_t n = 1;
	int err = 0;

	while (err == 0 && n) {
		assert_true(got->n + piece <= ROOM);
		err = ssdpm_power_read(power, got->time_ns + got->n,
				       got->power_w + got->n, piece, &n,
				       &got->error);
		got->n += err ? 0 : n;
	}
	/* It stays so. */
	assert_int_equal(ssdpm_power_read(power, got->time_ns + got->n,
					  got->power_w + got->n, 1, &n, NULL),
			 err);
	got->counts = *ssdpm_power_get_counts(power);
	assert_int_equal(got->counts.n_samples, got->n);
	ssdpm_power_free(power);
	return err;
}

static int read_data(const void *data, size_t size,
		     const struct ssdpm_power_params *params, struct got *got)
{
	struct ssdpm_power *power;

	*got = (struct got){ 0 };
	int err =
		ssdpm_power_open_data(data, size, params, &power, &got->error);
	if (err)
		return err;
	err = read_pieces(power, 1, got);
	/* Pieces of any size are the same. */
	struct got again = { 0 };
	assert_int_equal(
		ssdpm_power_open_data(data, size, params, &power, NULL), 0);
	assert_int_equal(read_pieces(power, 7, &again), err);
	assert_int_equal(again.n, got->n);
	assert_memory_equal(again.time_ns, got->time_ns, sizeof(got->time_ns));
	assert_memory_equal(again.power_w, got->power_w, sizeof(got->power_w));
	assert_memory_equal(&again.counts, &got->counts, sizeof(got->counts));
	return err;
}

static int read_text(const char *text, const struct ssdpm_power_params *params,
		     struct got *got)
{
	return read_data(text, strlen(text), params, got);
}

static struct got read_good(const char *text,
			    const struct ssdpm_power_params *params)
{
	struct got got;

	if (read_text(text, params, &got))
		fail_msg("%s: %s", text, got.error.message);
	return got;
}

static void assert_equal(double is, double must_be)
{
	if (!(is == must_be) && !(isnan(is) && isnan(must_be)))
		fail_msg("%.17g instead of %.17g", is, must_be);
}

static void assert_fails(const char *text,
			 const struct ssdpm_power_params *params, int code,
			 uint32_t line, const char *words)
{
	struct got got;

	assert_int_equal(read_text(text, params, &got), code);
	assert_int_equal(got.error.code, code);
	assert_int_equal(got.error.line, line);
	if (!strstr(got.error.message, words))
		fail_msg("\"%s\" says nothing of \"%s\"", got.error.message,
			 words);
}

static void each_unit_is_watts_and_nanoseconds(void **state)
{
	static const struct {
		const char *columns;
		const char *row;
		double power_w;
	} cases[] = {
		{ "time_s,power_w", "0.5,2.5", 2.5 },
		{ "time_ms,power_mw", "500,2500", 2.5 },
		{ "time_us,power_uw", "500000,2500000", 2.5 },
		{ "time_ns,power_w", "500000000,25e-1", 2.5 },
		{ "time_s,volts,amperes", "0.5,5,0.5", 2.5 },
		{ "time_s,volts,milliamperes", "0.5,5,500", 2.5 },
		{ "time_s,voltage_mv,current_ma", "0.5,5000,500", 2.5 },
		{ "time_s,voltage_uv,current_ua", "0.5,5e6,5e5", 2.5 },
		/* (0.5 / 0.1) (5.5 - 0.5) */
		{ "time_s,shunt_v", "0.5,0.5", 25 },
		{ "time_s,shunt_mv", "0.5,500", 25 },
		{ "time_s,shunt_uv", "0.5,5e5", 25 },
		/* (0.5 / 0.1) (12.5 - 0.5) */
		{ "time_s,volts,shunt_v", "0.5,12.5,0.5", 60 },
		{ "-,time_s,-,power_w", "x,0.5,,2.5", 2.5 },
		{ "time_s,power_w,...", "0.5,2.5,x,y", 2.5 },
		{ "Time (s),Power [W]", "0.5,2.5", 2.5 },
		{ "ms,mV,mA", "500,5000,500", 2.5 },
		{ "ms,uV,uA", "500,5e6,5e5", 2.5 },
		{ "ms,mW", "500,2500", 2.5 },
		{ "Timestamp(ms),uW", "500,2.5e6", 2.5 },
		{ "timestamp_us,power_w", "500000,2.5", 2.5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_power_params params = params_of(cases[i].columns);
		char text[128];

		params.shunt_ohm = 0.1;
		params.supply_v = 5.5;
		/* The first time is 0, whatever it is. */
		snprintf(text, sizeof(text), "%s\n%s\n", cases[i].row,
			 cases[i].row);
		struct got got = read_good(text, &params);
		assert_int_equal(got.n, 2);
		assert_int_equal(got.time_ns[0], 0);
		assert_int_equal(got.time_ns[1], 0);
		assert_equal(got.power_w[1], cases[i].power_w);
	}
	static const struct {
		const char *columns;
		const char *rows;
	} times[] = {
		{ "time_s,power_w", "1.5,1\n2.750000001,1\n" },
		{ "time_s,power_w", "1.5e0,1\n2.750000001e+00,1\n" },
		{ "time_ms,power_w", "-500,1\n750.000001,1\n" },
		{ "time_us,power_w", "0,1\n1250000.001,1\n" },
		{ "time_ns,power_w", "1795311600000000000,1\n"
				     "1795311601250000001,1\n" },
		{ "time_iso,power_w", "1969-12-31T23:59:59.5Z,1\n"
				      "1970-01-01T00:00:00.750000001Z,1\n" },
		{ "time_iso,power_w",
		  "2028-02-29 23:59:59.500,1\n"
		  "2028-03-01T02:00:00.750000001+02:00,1\n" },
		{ "time_iso,power_w",
		  "2026-12-31T23:59:59,1\n"
		  "2026-12-31T18:30:00.250000001-0530,1\n" },
	};
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct ssdpm_power_params params = params_of(times[i].columns);
		struct got got = read_good(times[i].rows, &params);

		assert_int_equal(got.n, 2);
		assert_int_equal(got.time_ns[0], 0);
		assert_int_equal(got.time_ns[1], 1250000001);
	}
}

static void the_first_line_tells_the_columns(void **state)
{
	static const char *const texts[] = {
		"time_s,power_w\n1,2.5\n2,3.5\n",
		"\xef\xbb\xbftime_s,power_w\r\n1,2.5\r\n2,3.5\r\n",
		"\n  \ntime_s , Power_W\n\n1 , 2.5\n\n2,\t3.5",
		"# of a bench supply\n# time_s,power_w\n1,2.5\n# here\n2,3.5\n",
		"# time_s power_w\n1.000e+00 2.500e+00\n2.000e+00 3.500e+00\n",
		"\"Time (s)\";\"No; te\";\"Power (mW)\"\n1;\"a;b\";2500\n2;c;3500,0\n",
		"time_s\tpower_w\n1\t2,5\n2\t3,5\n",
		"seq,power_w,time_ms,\n7,2.5,100,\n8,3.5,1100,\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct got got = read_good(texts[i], NULL);

		assert_int_equal(got.n, 2);
		assert_int_equal(got.time_ns[1], 1000000000);
		assert_equal(got.power_w[0], 2.5);
		assert_equal(got.power_w[1], 3.5);
	}
	/* Named columns pass over other names, and over no row. */
	struct ssdpm_power_params params = params_of("time_s,power_w");
	assert_int_equal(read_good("t,P\n1,2\n2,3\n", &params).n, 2);
	assert_int_equal(read_good("1,2\n2,3\n", &params).n, 2);
	assert_int_equal(read_good("1,nan\n2,3\n", &params).n, 2);
	/* Without times there is a rate. */
	params = params_of("-,power_w");
	params.rate_hz = 3;
	struct got got = read_good("1.0,2\n2.0,3\n4,5\n", &params);
	assert_int_equal(got.time_ns[1], 333333333);
	assert_int_equal(got.time_ns[2], 666666667);
}

static void numbers_are_those_of_strtod(void **state)
{
	static const char *const good[] = {
		"0",
		"-0.0",
		"+1.5",
		".5",
		"5.",
		"1e3",
		"1E-3",
		"1e+22",
		"1e-22",
		"-2.5",
		"3.1415926535897931",
		"0.1",
		"123456789012345678901234567890",
		"0.00000000000000000000000000000012345",
		"1e308",
		"1e-300",
		"4.9e-320",
		"1e400",
		"-1e999999999999",
		"1e-999999999999",
		"0e999999",
		"inf",
		"-Infinity",
		"179769313486231570000000000000000000000000000000000000000",
	};
	static const char *const none[] = { "",	   "nan", "NaN",  "-nan", "NA",
					    "n/a", "-",	  "null", "<NA>" };
	static const char *const bad[] = { "x",	 "1.2.3", "1,2", "0x10",
					   "1e", "--1",	  "1 2", "1W",
					   "e5", ".",	  "+" };
	struct ssdpm_power_params params = params_of("time_s,power_w");
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		snprintf(text, sizeof(text), "0,1\n1,%s\n", good[i]);
		double is = read_good(text, &params).power_w[1];
		double must_be = strtod(good[i], NULL);

		if (is != must_be &&
		    (isinf(must_be) ||
		     !(fabs(is - must_be) <= 4.5e-16 * fabs(must_be))))
			fail_msg("%s: %.17g", good[i], is);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		snprintf(text, sizeof(text), "0,1\n1,%s\n", none[i]);
		assert_true(isnan(read_good(text, &params).power_w[1]));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "0,1\n1,\"%s\"\n", bad[i]);
		assert_fails(text, &params, -EINVAL, 2, bad[i]);
	}
}

static void what_instruments_print_is_read_exactly(void **state)
{
	struct ssdpm_power_params params = params_of("time_s,power_w");
	uint64_t seed = 5;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char text[64];
		int digits = 1 + i % 6;

		seed = seed * UINT64_C(6364136223846793005) +
		       1442695040888963407;
		double power_w = (double)(seed >> 44) / 1000 - 200;
		snprintf(text, sizeof(text), "1,1\n%d,%.*f\n", i, digits,
			 power_w);
		struct ssdpm_power *power;
		int64_t time_ns[2];
		double is[2];
		size_t n;

		assert_int_equal(ssdpm_power_open_data(text, strlen(text),
						       &params, &power, NULL),
				 0);
		assert_int_equal(
			ssdpm_power_read(power, time_ns, is, 2, &n, NULL), 0);
		ssdpm_power_free(power);
		assert_equal(is[1],
			     strtod(strchr(strchr(text, '\n'), ',') + 1, NULL));
		assert_int_equal(time_ns[1], (i - 1) * INT64_C(1000000000));
	}
}

static void a_wrong_line_is_named_after_all_before_it(void **state)
{
	static const struct {
		const char *text;
		uint32_t line;
		const char *words;
	} cases[] = {
		{ "time_s,power_w\n0,1\n\n1\n", 4, "cut off" },
		{ "time_s,power_w\n0,1\n1,2,3\n", 3, "more than 2 columns" },
		{ "time_s,power_w\n0,1\nx,2\n", 3, "is no number" },
		{ "time_s,power_w\n0,1\n,2\n", 3, "is no time" },
		{ "time_s,power_w\n0,1\n1e11,2\n", 3, "beyond 2^63" },
		{ "time_s,power_w\n-9e9,1\n9e9,2\n", 3, "2^63 ns after" },
		{ "time_iso,power_w\n2026-01-31T00:00:00,1\n2026-13-01T00:00:00,1\n",
		  3, "ISO 8601" },
		{ "time_iso,power_w\n2026-01-31T00:00:00,1\n2026-01-31T00:00,1\n",
		  3, "ISO 8601" },
		/* Days that no calendar has. */
		{ "time_iso,power_w\n2026-01-31T00:00:00,1\n2026-02-29T00:00:00,1\n",
		  3, "ISO 8601" },
		{ "time_iso,power_w\n2026-01-31T00:00:00,1\n2026-04-31T00:00:00,1\n",
		  3, "ISO 8601" },
		{ "time_iso,power_w\n2026-01-31T00:00:00,1\n2100-02-29T00:00:00,1\n",
		  3, "ISO 8601" },
		{ "time_s,power_w\n0,1\n1,\x1b[31m\n", 3, "is no number" },
	};
	struct got got;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_fails(cases[i].text, NULL, -EINVAL, cases[i].line,
			     cases[i].words);
		read_text(cases[i].text, NULL, &got);
		assert_int_equal(got.n, 1);
		assert_null(strchr(got.error.message, '\x1b'));
	}
}

static void columns_that_make_no_power_are_refused(void **state)
{
	struct ssdpm_power_params params = params_of(NULL);

	(void)state;
	assert_fails("", NULL, -ENODATA, 0, "empty");
	assert_fails("\n \n", NULL, -ENODATA, 0, "empty");
	assert_fails("# only\n", NULL, -ENODATA, 0, "empty");
	assert_fails("1,2\n2,3\n", NULL, -ENODATA, 1, "name the columns");
	assert_fails("request_kib,read_mib_s\n1,2\n", NULL, -ENODATA, 1,
		     "name the columns");
	/* The message has names that fit this file. */
	assert_fails("Zeit [s];Leistung [W]\n0,0;1,5\n", NULL, -ENODATA, 1,
		     "of \"Zeit [s];Leistung [W]\", as in time_s,power_w");
	assert_fails("Kanal;Zeit (ms);Leistung (mW);Rest [W]\n1;0,0;1,5;1\n",
		     NULL, -ENODATA, 1, "as in -,time_ms,power_mw,-");
	assert_fails("foo,bar,baz,qux\n1,2,3,4\n", NULL, -ENODATA, 1,
		     "as in time_s,power_w,...");
	assert_fails("Leistung\n1\n", NULL, -ENODATA, 1, "as in power_w");
	/* A head without a unit says what it is, and a current is no power. */
	assert_fails("time,current\n1,2\n", NULL, -ENODATA, 1,
		     "as in time_s,amperes");
	assert_fails("Time;I;U\n1;2;3\n", NULL, -ENODATA, 1,
		     "as in time_s,amperes,volts");
	assert_fails("Zeit,Strom [mA]\n1,2\n", NULL, -ENODATA, 1,
		     "as in time_s,milliamperes");
	assert_fails("time_s,amperes\n1,2\n", NULL, -EINVAL, 0,
		     "make no power without a voltage");
	assert_fails("time_s,write_mib_s\n1,2\n", NULL, -EINVAL, 0,
		     "make no power");
	assert_fails("request_kib,power_w\n1,2\n", NULL, -EINVAL, 1,
		     "no column is a time: name the columns of "
		     "\"request_kib,power_w\", as in time_s,power_w");
	assert_fails("time;milliwatts\n1;2\n", NULL, -EINVAL, 1,
		     "as in time_s,power_mw");
	/* No proposal is a dead end. */
	assert_fails("Zeit;foo;bar\n1;2;3\n", NULL, -ENODATA, 1,
		     "as in time_s,power_w,-");
	assert_fails("time_s,volts\n1,2\n", NULL, -EINVAL, 0, "make no power");
	assert_fails("time_s,power_w,power_mw\n1,2,3\n", NULL, -EINVAL, 0,
		     "twice");
	assert_fails("time_s,shunt_v\n1,2\n", NULL, -EINVAL, 0, "resistance");
	params.shunt_ohm = 1;
	assert_fails("time_s,shunt_v\n1,2\n", &params, -EINVAL, 0, "supply");
	params = params_of("time_s,power_kw");
	assert_fails("1,2\n", &params, -EINVAL, 0, "power_kw");
	params = params_of("");
	assert_fails("1,2\n", &params, -EINVAL, 0, "is none");
	params = params_of("time_s,power_w");
	assert_fails("", &params, -ENODATA, 0, "empty");
	params.rate_hz = NAN;
	assert_fails("1,2\n", &params, -EINVAL, 0, "rate");
	params.rate_hz = 2e9;
	assert_fails("1,2\n", &params, -EINVAL, 0, "rate");
	params = params_of(NULL);
	params.scale = 2;
	assert_fails("1,2\n", &params, -EINVAL, 0, "scale");
	params = params_of(NULL);
	params.supply_v = -1;
	assert_fails("1,2\n", &params, -EINVAL, 0, "supply");
	params = params_of(NULL);
	params.format = 4;
	assert_fails("1,2\n", &params, -EINVAL, 0, "format");
	params.format = SSDPM_POWER_FLOAT32;
	assert_fails("1,2\n", &params, -EINVAL, 0, "rate");
	struct got got;
	assert_int_equal(read_data("\0\0\0\0", 4, NULL, &got), -EINVAL);
	assert_non_null(strstr(got.error.message, "no text"));
}

static void a_counter_wraps_where_it_is_known_to(void **state)
{
	static const char text[] =
		"time_s,energy_uj\n"
		"0,9000000\n2,9500000\n4,500000\n5,1000000\n";
	struct ssdpm_power_params params = params_of(NULL);
	struct got got;

	(void)state;
	params.counter_j = 10;
	got = read_good(text, &params);
	assert_int_equal(got.n, 4);
	assert_equal(got.power_w[0], 0.25);
	assert_equal(got.power_w[1], 0.25);
	assert_equal(got.power_w[2], 0.5);
	assert_equal(got.power_w[3], 0.5);
	assert_int_equal(got.counts.n_wraps, 1);
	assert_int_equal(got.counts.n_resets, 0);
	assert_int_equal(got.counts.n_lines, 5);
	/* Nobody knows where: that step is not known. */
	got = read_good(text, NULL);
	assert_true(isnan(got.power_w[2]));
	assert_equal(got.power_w[3], 0.5);
	assert_int_equal(got.counts.n_wraps, 0);
	assert_int_equal(got.counts.n_resets, 1);
	/* A counter beyond its range is another one. */
	params.counter_j = 1;
	got = read_good(text, &params);
	assert_int_equal(got.counts.n_resets, 1);
	/* One line has no power, two at one time have none either. */
	got = read_good("time_s,energy_j\n0,5\n", NULL);
	assert_int_equal(got.n, 1);
	assert_true(isnan(got.power_w[0]));
	got = read_good("time_s,energy_j\n0,5\n0,6\n1,8\n", NULL);
	assert_int_equal(got.n, 3);
	assert_true(isnan(got.power_w[1]));
	assert_equal(got.power_w[2], 2);
	assert_int_equal(read_text("time_s,energy_j\n0,5\nx\n", NULL, &got),
			 -EINVAL);
}

static void raw_samples_have_a_rate(void **state)
{
	static const uint8_t int16[] = { 0xe8, 0x03, 0x18, 0xfc, 0, 0x80, 1 };
	static const uint8_t float32[] = { 0, 0, 0x20, 0x40, 0, 0, 0xc0, 0x7f };
	struct ssdpm_power_params params = params_of(NULL);
	struct got got;

	(void)state;
	params.format = SSDPM_POWER_INT16;
	params.rate_hz = 48000;
	params.scale = 0.001;
	assert_int_equal(read_data(int16, 6, &params, &got), 0);
	assert_int_equal(got.n, 3);
	assert_equal(got.power_w[0], 1000 * 0.001);
	assert_equal(got.power_w[1], -1000 * 0.001);
	assert_equal(got.power_w[2], -32768 * 0.001);
	assert_int_equal(got.time_ns[1], 20833);
	assert_int_equal(got.time_ns[2], 41667);
	assert_int_equal(read_data(int16, 7, &params, &got), -EINVAL);
	assert_int_equal(got.n, 3);
	assert_int_equal(read_data(int16, 0, &params, &got), -ENODATA);
	params.format = SSDPM_POWER_FLOAT32;
	params.scale = 0;
	assert_int_equal(read_data(float32, 8, &params, &got), 0);
	assert_int_equal(got.n, 2);
	assert_equal(got.power_w[0], 2.5);
	assert_true(isnan(got.power_w[1]));
}

static void swapped_columns_show_in_the_times(void **state)
{
	struct ssdpm_power_params params = params_of("power_w,time_s");
	struct ssdpm_energy energy = { .size = sizeof(energy) };
	struct got got =
		read_good("0,2.5\n1,2.4\n2,2.6\n3,2.5\n4,2.4\n", &params);
	struct ssdpm_samples samples = { .power_w = got.power_w,
					 .time_ns = got.time_ns,
					 .n = got.n,
					 .type = SSDPM_SAMPLE_FLOAT64 };

	(void)state;
	assert_int_equal(ssdpm_energy_measure(&samples, NULL, &energy, NULL),
			 0);
	assert_true(energy.remarks & SSDPM_SIGNAL_BACKWARDS);
	assert_int_equal(energy.n_backwards, 3);
}

static void a_descriptor_is_read_and_left_open(void **state)
{
	struct ssdpm_power *power;
	struct got got = { 0 };
	int fd = memfd_create("power", MFD_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "time_s,power_w\n0,1\n1,2\n", 23), 23);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(ssdpm_power_open(fd, NULL, &power, NULL), 0);
	assert_int_equal(read_pieces(power, 4, &got), 0);
	assert_int_equal(got.n, 2);
	assert_int_equal(close(fd), 0);
	assert_int_equal(ssdpm_power_open(fd, NULL, &power, &got.error),
			 -EBADF);
	assert_null(ssdpm_power_free(NULL));
}

static void a_line_may_be_long_but_not_endless(void **state)
{
	size_t size = (1 << 21) + 32;
	char *text = malloc(size);
	struct got got;

	(void)state;
	assert_non_null(text);
	memset(text, '1', size);
	memcpy(text, "time_s,power_w\n0,1\n", 19);
	assert_int_equal(read_data(text, size, NULL, &got), -E2BIG);
	assert_int_equal(got.n, 1);
	memset(text, ' ', size);
	memcpy(text, "time_s,power_w\n0,1\n", 19);
	memcpy(text + 20 + (1 << 19), "1,2\n", 4);
	assert_int_equal(read_data(text, 24 + (1 << 19), NULL, &got), 0);
	assert_int_equal(got.n, 2);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_unit_is_watts_and_nanoseconds),
		cmocka_unit_test(the_first_line_tells_the_columns),
		cmocka_unit_test(numbers_are_those_of_strtod),
		cmocka_unit_test(what_instruments_print_is_read_exactly),
		cmocka_unit_test(a_wrong_line_is_named_after_all_before_it),
		cmocka_unit_test(columns_that_make_no_power_are_refused),
		cmocka_unit_test(a_counter_wraps_where_it_is_known_to),
		cmocka_unit_test(raw_samples_have_a_rate),
		cmocka_unit_test(swapped_columns_show_in_the_times),
		cmocka_unit_test(a_descriptor_is_read_and_left_open),
		cmocka_unit_test(a_line_may_be_long_but_not_endless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
