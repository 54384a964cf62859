/* SPDX-License-Identifier: MIT */
/* Traces of delimited text: the known formats, and column maps. */
#include "fixture.h"

#include <stdio.h>

#define UNKNOWN SSDPM_SERVICE_UNKNOWN
#define READ SSDPM_OP_READ
#define WRITE SSDPM_OP_WRITE
#define FLUSH SSDPM_OP_FLUSH
#define DISCARD SSDPM_OP_DISCARD

#define BLKREPLAY_HEAD \
	"start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n"
#define PIXEL_HEAD "proces,device,rw_flag,sector,size,timestamp\n"
#define PROCMON_HEAD "rel_time_s,process,op,offset,length,duration_s\n"
#define MD5 "00112233445566778899aabbccddeeff"

/* Two I/Os in each of the formats. */
static const struct sample {
	uint32_t format;
	const char *device; /* as the trace writes it, or NULL */
	const char *text;
	struct ssdpm_io ios[2];
} samples[] = {
	{ SSDPM_TRACE_MSR,
	  "usr,0",
	  "128166372003061629,usr,0,Read,7014609920,24576,41286\n"
	  "128166372016382155,usr,0,Write,1317441536,8192,1963\n",
	  { { 12816637200306162900u,
	      7014609920,
	      24576,
	      4128600,
	      READ,
	      0,
	      { 0 } },
	    { 12816637201638215500u,
	      1317441536,
	      8192,
	      196300,
	      WRITE,
	      0,
	      { 0 } } } },
	{ SSDPM_TRACE_SPC,
	  "3",
	  "3,303567,3584,w,0.026214\n"
	  "3,55590,3072,R,28.442623,more,of it\n",
	  { { 26214000, 303567 * 512, 3584, UNKNOWN, WRITE, 0, { 0 } },
	    { 28442623000, 55590 * 512, 3072, UNKNOWN, READ, 0, { 0 } } } },
	{ SSDPM_TRACE_FIU,
	  "6 0",
	  "89966180383 4253 nfsd 508941856 8 W 6 0 " MD5 "\n"
	  "89966217111 4253 nfsd 283193184 16 R 6 0 " MD5 " " MD5 "\n",
	  { { 89966180383, 508941856ull * 512, 4096, UNKNOWN, WRITE, 0, { 0 } },
	    { 89966217111,
	      283193184ull * 512,
	      8192,
	      UNKNOWN,
	      READ,
	      0,
	      { 0 } } } },
	{ SSDPM_TRACE_MQSIM,
	  "1",
	  "11413000 1 657728 16 1\n"
	  "11565000 1 31244784 64 0\n",
	  { { 11413000, 657728 * 512, 8192, UNKNOWN, READ, 0, { 0 } },
	    { 11565000,
	      31244784ull * 512,
	      32768,
	      UNKNOWN,
	      WRITE,
	      0,
	      { 0 } } } },
	{ SSDPM_TRACE_DISKSIM,
	  "0",
	  "0.000000 0 1234 8 1\n"
	  "15.6250005 0 88 16 2\n",
	  { { 0, 1234 * 512, 4096, UNKNOWN, READ, 0, { 0 } },
	    { 15625000, 88 * 512, 8192, UNKNOWN, WRITE, 0, { 0 } } } },
	{ SSDPM_TRACE_BLKREPLAY,
	  NULL,
	  "Somebody's words\n\n" BLKREPLAY_HEAD
	  "      0.449518165 ;     37766917 ;   14 ; W ; 0.0 ; 0.0\n"
	  "   3599.220233553 ;            8 ;   64 ; RA ; 0.0 ; 0.25\n",
	  { { 449518165, 37766917ull * 512, 7168, UNKNOWN, WRITE, 0, { 0 } },
	    { 3599220233553, 4096, 32768, 250000000, READ, 0, { 0 } } } },
	{ SSDPM_TRACE_PIXEL,
	  "8388608",
	  PIXEL_HEAD "dmd-1181,8388608,W,44133832,360,21262.894973\n"
		     "<...>-690,8388608,R,8,8,660881.0188740001\n",
	  { { 21262894973000,
	      44133832ull * 512,
	      184320,
	      UNKNOWN,
	      WRITE,
	      0,
	      { 0 } },
	    { 660881018874000, 4096, 4096, UNKNOWN, READ, 0, { 0 } } } },
	{ SSDPM_TRACE_PROCMON,
	  NULL,
	  PROCMON_HEAD "0.5518027,System,WriteFile,5242880,1048576,0.0035803\n"
		       "92.1141769,a b.exe,ReadFile,0,4096,0.0000158\n",
	  { { 551802700, 5242880, 1048576, 3580300, WRITE, 0, { 0 } },
	    { 92114176900, 0, 4096, 15800, READ, 0, { 0 } } } },
	{ SSDPM_TRACE_CLOUDPHYSICS,
	  NULL,
	  "version,time,op,size,lbn\n"
	  "1,33898,2a,6656,40409911\n"
	  "1,33899,28,512,8\n",
	  { { 33898000000000,
	      40409911ull * 512,
	      6656,
	      UNKNOWN,
	      WRITE,
	      0,
	      { 0 } },
	    { 33899000000000, 4096, 512, UNKNOWN, READ, 0, { 0 } } } },
	{ SSDPM_TRACE_DELIMITED,
	  NULL,
	  "op,bytes,offset,service_ns,start_ns,note\n"
	  "read,512,1024,77,5,x\n"
	  "FLUSH,0,0,,18446744073709551615,\"y,z\"\n",
	  { { 5, 1024, 512, 77, READ, 0, { 0 } },
	    { UINT64_MAX, 0, 0, UNKNOWN, FLUSH, 0, { 0 } } } },
};

#define N_SAMPLES (sizeof(samples) / sizeof(samples[0]))

static struct ssdpm_trace_params with_columns(const char *columns)
{
	return (struct ssdpm_trace_params){
		.size = sizeof(struct ssdpm_trace_params),
		.columns = columns,
	};
}

/* With these columns, or recognised by its content if NULL. */
static struct fixture_trace read_good(const char *text, const char *columns)
{
	struct ssdpm_trace_params params = with_columns(columns);
	struct fixture_trace trace;
	struct ssdpm_error error;
	int err = fixture_read_trace(text, strlen(text), &params, 3, &trace,
				     &error);

	if (err)
		fail_msg("line %u: %s", error.line, error.message);
	return trace;
}

static void assert_bad(const char *text, const char *columns, int code,
		       uint32_t line, const char *fragment)
{
	struct ssdpm_trace_params params = with_columns(columns);
	struct ssdpm_error error = fixture_error();
	struct fixture_trace trace;
	int err = fixture_read_trace(text, strlen(text), &params, 3, &trace,
				     &error);

	assert_int_equal(err, code);
	fixture_assert_error(&error, code, line, fragment);
}

static void assert_ios(const struct fixture_trace *trace,
		       const struct ssdpm_io *expected, size_t n)
{
	assert_int_equal(trace->n, n);
	assert_int_equal(trace->counts.n_records, n);
	assert_memory_equal(trace->ios, expected, n * sizeof(*expected));
}

static void each_known_format_is_recognised_and_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SAMPLES; i++) {
		struct fixture_trace trace = read_good(samples[i].text, NULL);

		assert_int_equal(trace.counts.format, samples[i].format);
		assert_int_equal(trace.counts.n_ios, 2);
		assert_ios(&trace, samples[i].ios, 2);
		free(trace.ios);
	}
}

/* A header may be missing if the caller names the format. */
static bool reads_as(const struct sample *sample, uint32_t format)
{
	struct ssdpm_trace_params params = with_columns(NULL);
	struct fixture_trace trace;

	params.format = format;
	if (fixture_read_trace(sample->text, strlen(sample->text), &params, 8,
			       &trace, NULL))
		return false;
	assert_int_equal(trace.counts.format, format);
	free(trace.ios);
	return true;
}

static void no_format_is_read_as_another_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SAMPLES; i++)
		for (size_t j = 0; j < N_SAMPLES; j++) {
			/* Whole milliseconds are milliseconds too. */
			bool fits = i == j ||
				    (samples[i].format == SSDPM_TRACE_MQSIM &&
				     samples[j].format == SSDPM_TRACE_DISKSIM);

			if (reads_as(&samples[i], samples[j].format) != fits)
				fail_msg("%s as %s",
					 ssdpm_trace_format_to_string(
						 samples[i].format),
					 ssdpm_trace_format_to_string(
						 samples[j].format));
		}
}

static void other_line_ends_and_blank_lines_change_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SAMPLES; i++) {
		const char *text = samples[i].text;
		char changed[1024];
		size_t n = 0;

		for (size_t at = 0; text[at]; at++) {
			if (text[at] == '\n') {
				memcpy(changed + n, "\r\n \t\r", 5);
				n += 5;
			}
			changed[n++] = text[at];
		}
		/* Without the last newline. */
		changed[n - 1] = '\0';
		struct fixture_trace trace = read_good(changed, NULL);
		assert_ios(&trace, samples[i].ios, 2);
		free(trace.ios);
	}
}

static void one_record_is_a_trace(void **state)
{
	struct fixture_trace trace = read_good("7 0 8 8 1", NULL);

	(void)state;
	assert_ios(&trace,
		   &(struct ssdpm_io){ 7, 4096, 4096, UNKNOWN, READ, 0, { 0 } },
		   1);
	free(trace.ios);
}

static void a_head_without_a_record_is_an_empty_trace(void **state)
{
	static const char *const heads[] = { PIXEL_HEAD, PROCMON_HEAD,
					     BLKREPLAY_HEAD,
					     "start_ns,offset,bytes,op" };

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct fixture_trace trace = read_good(heads[i], NULL);

		assert_int_equal(trace.n, 0);
		assert_int_equal(trace.counts.resolution_ns, 0);
		free(trace.ios);
	}
}

static void a_file_of_zero_length_is_refused(void **state)
{
	(void)state;
	assert_bad("", NULL, -EINVAL, 0, "the trace is empty");
	assert_bad("", "time:s,offset,bytes,op", -EINVAL, 0,
		   "the trace is empty");
}

static void what_is_no_trace_is_refused(void **state)
{
	static const char *const texts[] = {
		"\n",
		"hello\n",
		"1 2 3 4 5\n",
		"1 2 3 4 2\n",
		"1 2 3 4 1 6\n",
		"0.5 2 3 4 g\n",
		"1,2,3,4\n",
		"1, 2, 3, 4096, 5\n",
		"a,b,c\n1,2,3\n",
		"start_ns,offset,bytes\n1,2,3\n",
		"start_ns,offset,bytes,op,op\n1,2,3,read,read\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_bad(texts[i], NULL, -EINVAL, 0, "no trace in a known");
}

static void a_column_map_reads_what_it_says(void **state)
{
	struct fixture_trace trace =
		read_good("at | what|a|b\n"
			  " 1.5 |GET |\t2 |3|rest|of|it\n"
			  "2|Trim|4|5|\n",
			  "time:ms,op,offset:1000,bytes:sectors,...;"
			  "separator=bar;skip=1;read=GET;discard=trim|T");
	static const struct ssdpm_io expected[] = {
		{ 1500000, 2000, 1536, UNKNOWN, READ, 0, { 0 } },
		{ 2000000, 4000, 2560, UNKNOWN, DISCARD, 0, { 0 } },
	};

	(void)state;
	assert_ios(&trace, expected, 2);
	free(trace.ios);
}

static void columns_have_their_units(void **state)
{
	static const struct {
		const char *columns;
		const char *text;
		struct ssdpm_io io;
	} cases[] = {
		{ "time:s,offset,bytes,op",
		  "1.000000001,2,3,r",
		  { 1000000001, 2, 3, UNKNOWN, READ, 0, { 0 } } },
		{ "time:ms,offset,bytes,op",
		  "1.0000019,2,3,R",
		  { 1000001, 2, 3, UNKNOWN, READ, 0, { 0 } } },
		{ "time:us,offset:4096,bytes:1024,op",
		  "1.5,2,3,WRITE",
		  { 1500, 8192, 3072, UNKNOWN, WRITE, 0, { 0 } } },
		{ "time:ns,offset:sectors,bytes:sectors,op,service:us",
		  "1,2,3,w,4.0005",
		  { 1, 1024, 1536, 4000, WRITE, 0, { 0 } } },
		{ "time:ms,offset,bytes,op,service:us;separator=semicolon",
		  "1,0000019;2;3;R;4,5",
		  { 1000001, 2, 3, 4500, READ, 0, { 0 } } },
		{ "time:ms,offset,bytes,op,service:us;separator=tab",
		  "1.5\t2\t3\tR\t4,5",
		  { 1500000, 2, 3, 4500, READ, 0, { 0 } } },
		{ "-,op,time:filetime,bytes,offset,service:s,...",
		  "\"a,b\",trim,7.25,0,9,,,,",
		  { 725, 9, 0, UNKNOWN, DISCARD, 0, { 0 } } },
		{ "time:ns,offset,bytes,op,service:ns;unknown=-1;separator=tab",
		  "1\t2\t3\tf\t-1",
		  { 1, 2, 3, UNKNOWN, FLUSH, 0, { 0 } } },
		{ "time:ns,offset,bytes,op,flags;separator=blank;skip=2;"
		  "write=GET IT|PUT",
		  "title\n\n \t1\t 2 3  put 1 ",
		  { 1, 2, 3, UNKNOWN, WRITE, 1, { 0 } } },
		{ "time:ns,offset,bytes,op;separator=semicolon;after=a;b=c",
		  "x\n a;b=c;d\n1;2;3;r",
		  { 1, 2, 3, UNKNOWN, READ, 0, { 0 } } },
		{ "time:ns,offset,bytes,op",
		  "1,2,4294967295,read",
		  { 1, 2, UINT32_MAX, UNKNOWN, READ, 0, { 0 } } },
		{ "time:ns,offset,bytes,op",
		  "18446744073709551615,18446744073709551615,0,read",
		  { UINT64_MAX, UINT64_MAX, 0, UNKNOWN, READ, 0, { 0 } } },
		{ "time:s,offset,bytes,op",
		  "18446744073.7095516159,00000000000000000000000002,0,read",
		  { UINT64_MAX, 2, 0, UNKNOWN, READ, 0, { 0 } } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture_trace trace =
			read_good(cases[i].text, cases[i].columns);

		assert_int_equal(trace.counts.format, SSDPM_TRACE_DELIMITED);
		assert_ios(&trace, &cases[i].io, 1);
		free(trace.ios);
	}
}

static void a_bad_column_map_is_refused_with_its_fault(void **state)
{
	static const struct {
		const char *columns;
		const char *fragment;
	} cases[] = {
		{ "", "\"\" is no column" },
		{ "tme:s,offset,bytes,op", "\"tme:s\" is no column" },
		{ "time,offset,bytes,op", "\"time\" needs a unit" },
		{ "time:m,offset,bytes,op", "\"m\" is no unit of time" },
		{ "time:sectors,offset,bytes,op", "is no unit of time" },
		{ "time:s,offset:s,bytes,op", "\"s\" is no unit" },
		{ "time:s,offset:0,bytes,op", "\"0\" is no unit" },
		{ "time:s,offset:5x,bytes,op", "\"5x\" is no unit" },
		{ "time:s,offset,bytes,op:1", "\"1\" is no unit" },
		{ "time:s,offset,bytes", "there is no op" },
		{ "time:s,offset,op", "there is no bytes" },
		{ "offset,bytes,op", "there is no time" },
		{ "time:s,bytes,op", "there is no offset" },
		{ "time:s,offset,bytes,op,time:s",
		  "\"time:s\" is there twice" },
		{ "device,time:s,device,offset,bytes,op", "is there twice" },
		{ "time:s,...,offset,bytes,op", "\"...\" is no column" },
		{ "time:s,offset,bytes,op;", "\"\" has no value" },
		{ "time:s,offset,bytes,op;skip", "\"skip\" has no value" },
		{ "time:s,offset,bytes,op;skip=x", "needs a number of lines" },
		{ "time:s,offset,bytes,op;skip=4294967296", "needs a number" },
		{ "time:s,offset,bytes,op;separator=,", "is no separator" },
		{ "time:s,offset,bytes,op;read=", "cannot be a word" },
		{ "time:s,offset,bytes,op;read=a|", "cannot be a word" },
		{ "time:s,offset,bytes,op;read=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  "cannot be a word" },
		{ "time:s,offset,bytes,op;reed=a", "\"reed\" is no option" },
		{ "time:s,offset,bytes,op;unknown=aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  "is too long" },
		{ "time:s,offset,bytes,op;read="
		  "a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|"
		  "a|a|a|a|a|a|a|a",
		  "one word too many" },
		{ "time:s,offset,bytes,op,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,"
		  "-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,"
		  "-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-",
		  "one column too many" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_bad("1,2,3,r\n", cases[i].columns, -EINVAL, 0,
			   cases[i].fragment);
}

static void a_bad_line_is_named_with_its_column(void **state)
{
	static const char map[] = "time:s,offset:sectors,bytes,op,service:us,"
				  "flags";
	static const struct {
		const char *line;
		int code;
		const char *fragment;
	} cases[] = {
		{ "1", -EINVAL, "column 2 (offset): it is missing" },
		{ "1,2,3,r,4", -EINVAL, "column 6 (flags): it is missing" },
		{ "1,2,3,r,4,0,", -EINVAL, "column 6 (flags): more columns" },
		{ "1,2,3,r,4,0,5", -EINVAL, "more columns follow" },
		{ "-1,2,3,r,4,0", -EINVAL, "column 1 (time): this is no dec" },
		{ "1.,2,3,r,4,0", -EINVAL, "column 1 (time): this is no dec" },
		{ ".5,2,3,r,4,0", -EINVAL, "column 1 (time): this is no dec" },
		{ "1e3,2,3,r,4,0", -EINVAL, "column 1 (time): this is no dec" },
		{ "0x1,2,3,r,4,0", -EINVAL, "column 1 (time): this is no dec" },
		{ "nan,2,3,r,4,0", -EINVAL, "column 1 (time): this is no dec" },
		{ "1,2.0,3,r,4,0", -EINVAL,
		  "column 2 (offset): this is no wh" },
		{ "1,2,3 3,r,4,0", -EINVAL,
		  "column 3 (bytes): this is no dec" },
		{ "1,2,,r,4,0", -EINVAL,
		  "column 3 (bytes): this is no decimal" },
		{ "1,2,3,x,4,0", -EINVAL,
		  "column 4 (op): this is no operation" },
		{ "1,2,3,,4,0", -EINVAL,
		  "column 4 (op): this is no operation" },
		{ "1,2,3,r,-4,0", -EINVAL, "column 5 (service): this is no" },
		{ "1,2,3,r,4,2", -ERANGE,
		  "column 6 (flags): the number is too" },
		{ "18446744073.709551616,2,3,r,4,0", -ERANGE,
		  "column 1 (time)" },
		{ "18446744074,2,3,r,4,0", -ERANGE,
		  "column 1 (time): the num" },
		{ "1,36028797018963968,3,r,4,0", -ERANGE, "column 2 (offset)" },
		{ "1,2,18446744073709551616,r,4,0", -ERANGE, "column 3" },
		{ "1,2,99999999999999999999999999,r,4,0", -ERANGE, "column 3" },
		{ "1,2,4294967296,r,4,0", -ERANGE, "4294967296 bytes are too" },
		{ "1,2,281474976710657,d,4,0", -ERANGE,
		  "are too many for one" },
		{ "1,36028797018963967,513,r,4,0", -ERANGE,
		  "ends beyond 2^64" },
		{ "1,2,3,r,18446744073709552,0", -ERANGE,
		  "column 5 (service)" },
	};
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "1,2,3,r,4,0\n%s\n",
			 cases[i].line);
		assert_bad(text, map, cases[i].code, 2, cases[i].fragment);
	}
}

static void a_zero_byte_is_no_part_of_a_number(void **state)
{
	static const char text[] = "1,2,3,r\n1\0,2,3,r\n";
	struct ssdpm_trace_params params =
		with_columns("time:s,offset,bytes,op");
	struct fixture_trace trace;
	struct ssdpm_error error;

	(void)state;
	assert_int_equal(fixture_read_trace(text, sizeof(text) - 1, &params, 1,
					    &trace, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 2, "column 1 (time)");
}

static void a_zero_byte_does_not_end_a_header(void **state)
{
	static const char text[] = "start_ns,offset,bytes,op\0x\n1,2,3,r\n";
	struct fixture_trace trace;
	struct ssdpm_error error;

	(void)state;
	assert_int_equal(fixture_read_trace(text, sizeof(text) - 1, NULL, 1,
					    &trace, &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "no trace in a known");
}

static void bad_lines_are_counted_on_demand(void **state)
{
	static const char text[] = "1,2,3,r\n"
				   "nonsense\n"
				   "2,2,3,r,4\n"
				   "3,2,4294967296,r\n"
				   "4,2,3,w\n";
	struct ssdpm_trace_params params =
		with_columns("time:ns,offset,bytes,op");
	struct fixture_trace trace;

	(void)state;
	params.flags = SSDPM_TRACE_SKIP_BAD;
	assert_int_equal(fixture_read_trace(text, sizeof(text) - 1, &params, 1,
					    &trace, NULL),
			 0);
	assert_int_equal(trace.n, 2);
	assert_int_equal(trace.ios[1].start_ns, 4);
	assert_int_equal(trace.counts.n_lines, 5);
	assert_int_equal(trace.counts.n_bad, 3);
	free(trace.ios);
}

#define BY_START "time:ns,offset,bytes,op"
#define BY_END BY_START ",service:ns"

static void records_that_are_late_are_put_in_order_and_counted(void **state)
{
	/* 0.2 s is not too late, with or without known completions. */
	static const struct {
		const char *map, *text;
	} cases[] = {
		{ BY_START, "1000000000,0,0,r\n2000000000,1,0,r\n"
			    "1800000000,2,0,r\n2000000000,3,0,r\n"
			    "1999999999,4,0,r\n3000000000,5,0,r\n" },
		{ BY_END, "1000000000,0,0,r,0\n2000000000,1,0,r,9\n"
			  "1800000000,2,0,r,1\n2000000000,3,0,r,100\n"
			  "1999999999,4,0,r,5\n3000000000,5,0,r,1\n" },
	};
	static const uint64_t offsets[] = { 0, 2, 4, 1, 3, 5 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fixture_trace trace =
			read_good(cases[i].text, cases[i].map);

		assert_int_equal(trace.n, 6);
		for (size_t j = 0; j < 6; j++)
			assert_int_equal(trace.ios[j].offset, offsets[j]);
		assert_int_equal(trace.counts.n_late, 2);
		assert_int_equal(trace.counts.late_max_ns, 200000000);
		assert_int_equal(trace.counts.n_backward, 0);
		free(trace.ios);
	}
}

static void what_is_too_late_is_an_error_or_counted(void **state)
{
	static const char text[] = "1000000000,0,0,r\n2000000000,0,0,r\n"
				   "3000000000,0,0,r\n1799999999,0,0,r\n";
	struct ssdpm_trace_params params = with_columns(BY_START);
	struct fixture_trace trace;

	(void)state;
	assert_bad(text, BY_START, -EINVAL, 4,
		   "time goes backwards by 1.200000001 s here or shortly before"
		   ", too much to put records in order (0.2 s). Split the file "
		   "there, or skip what is bad");
	params.flags = SSDPM_TRACE_SKIP_BAD;
	assert_int_equal(fixture_read_trace(text, sizeof(text) - 1, &params, 9,
					    &trace, NULL),
			 0);
	assert_int_equal(trace.counts.n_backward, 1);
	assert_int_equal(trace.counts.n_late, 1);
	assert_int_equal(trace.counts.late_max_ns, 1200000001);
	assert_int_equal(trace.ios[2].start_ns, 2000000000);
	assert_int_equal(trace.ios[3].start_ns, 3000000000);
	free(trace.ios);
}

/* The second run begins where the first did, or before. */
static void two_runs_in_one_file_are_an_error_that_says_so(void **state)
{
	static const struct {
		const char *map, *text, *step;
	} cases[] = {
		{ BY_START, "5,0,0,r\n1000000005,0,0,r\n5,0,0,r\n", "1 s" },
		{ BY_START, "5,0,0,r\n1000000005,0,0,r\n0,0,0,r\n",
		  "1.000000005 s" },
		{ BY_END, "5,0,0,r,7\n1000000005,0,0,r,7\n5,0,0,r,7\n", "1 s" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char words[200];

		snprintf(words, sizeof(words),
			 "time goes backwards by %s, to where the trace began "
			 "or before: a second run begins here",
			 cases[i].step);
		assert_bad(cases[i].text, cases[i].map, -EINVAL, 3, words);
	}
}

static void ios_without_a_size_are_counted(void **state)
{
	struct fixture_trace trace = read_good(
		"1,0,0,r\n2,0,0,f\n3,0,0,w\n4,0,8,w\n5,0,0,d\n", BY_START);

	(void)state;
	assert_int_equal(trace.n, 5);
	assert_int_equal(trace.counts.n_unsized, 3);
	assert_int_equal(trace.counts.n_untyped, 0);
	free(trace.ios);
}

static void records_in_order_of_completion_come_in_order_of_start(void **state)
{
	/* If starts are equal, the file's order holds. */
	struct fixture_trace trace =
		read_good("30,0,0,r,1\n10,0,0,r,21\n40,1,0,r,1\n20,0,0,r,50\n"
			  "40,2,0,r,60\n10,3,0,r,200\n5,0,0,r,300\n",
			  "time:ns,offset,bytes,op,service:ns");
	static const uint64_t starts[] = { 5, 10, 10, 20, 30, 40, 40 };
	static const uint64_t offsets[] = { 0, 0, 3, 0, 0, 1, 2 };

	(void)state;
	assert_int_equal(trace.n, 7);
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(trace.ios[i].start_ns, starts[i]);
		assert_int_equal(trace.ios[i].offset, offsets[i]);
	}
	assert_int_equal(trace.counts.n_backward, 0);
	free(trace.ios);
}

/* n lines with later and later starts, then one that started at late_ns. */
static char *make_late(size_t n, uint64_t late_ns)
{
	char *text = malloc((n + 1) * 32), *at = text;

	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		at += sprintf(at, "%zu,0,0,r,1\n", 10 * (i + 1));
	sprintf(at, "%llu,7,0,r,1\n", (unsigned long long)late_ns);
	return text;
}

static void the_window_of_records_that_wait_is_bounded(void **state)
{
	static const char map[] = "time:ns,offset,bytes,op,service:ns";
	const uint32_t window = 32768;
	char *text = make_late(window - 1, 5);
	struct fixture_trace trace = read_good(text, map);

	(void)state;
	assert_int_equal(trace.ios[0].start_ns, 5);
	assert_int_equal(trace.n, window);
	free(trace.ios);
	free(text);
	/* The first record had to leave the full window. */
	text = make_late(window, 15);
	trace = read_good(text, map);
	assert_int_equal(trace.ios[1].start_ns, 15);
	free(trace.ios);
	free(text);
	text = make_late(window, 5);
	assert_bad(text, map, -EINVAL, window + 1, "time goes backwards");
	free(text);
}

static void pseudorandom_completions_are_sorted(void **state)
{
	enum { N = 5000 };
	static char text[N * 48];
	struct fixture_trace trace;
	uint64_t seed = 3, sum = 0;
	char *at = text;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		uint64_t start = 10 * i + fixture_random(&seed) % 20000;

		sum += start;
		at += sprintf(at, "%llu,%zu,0,r,1\n", (unsigned long long)start,
			      i);
	}
	trace = read_good(text, "time:ns,offset,bytes,op,service:ns");
	assert_int_equal(trace.n, N);
	for (size_t i = 0; i < N; i++) {
		sum -= trace.ios[i].start_ns;
		if (i == 0)
			continue;
		assert_true(
			trace.ios[i - 1].start_ns < trace.ios[i].start_ns ||
			(trace.ios[i - 1].start_ns == trace.ios[i].start_ns &&
			 trace.ios[i - 1].offset < trace.ios[i].offset));
	}
	assert_int_equal(sum, 0);
	free(trace.ios);
}

static void a_service_that_does_not_fit_is_saturated(void **state)
{
	struct fixture_trace trace =
		read_good("1,0,0,r,4294967294\n2,0,0,r,4294967295\n"
			  "3,0,0,r,18446744073709551615\n",
			  "time:ns,offset,bytes,op,service:ns");

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(trace.ios[i].service_ns, SSDPM_SERVICE_MAX);
	assert_int_equal(trace.counts.n_saturated, 2);
	free(trace.ios);
}

static void a_large_discard_becomes_parts_and_one_io(void **state)
{
	const uint64_t bytes = ((uint64_t)9 << 30) + 512, half = 1u << 31;
	static const char *const maps[] = {
		"time:ns,offset,bytes:sectors,op",
		"time:ns,offset,bytes:sectors,op,-,service:ns",
	};

	(void)state;
	for (size_t m = 0; m < 2; m++) {
		struct fixture_trace trace;
		char text[128];

		snprintf(text, sizeof(text), "1,8,%llu,d%s\n2,0,1,r%s\n",
			 (unsigned long long)bytes / 512, m ? ",x,77" : "",
			 m ? ",x,1" : "");
		trace = read_good(text, maps[m]);
		assert_int_equal(trace.n, 6);
		assert_int_equal(trace.counts.n_ios, 2);
		for (uint64_t i = 0; i < 5; i++) {
			const struct ssdpm_io *io = &trace.ios[i];

			assert_int_equal(io->start_ns, 1);
			assert_int_equal(io->offset, 8 + i * half);
			assert_int_equal(io->bytes,
					 i < 4 ? half : bytes - 4 * half);
			assert_int_equal(io->service_ns, m ? 77 : UNKNOWN);
			assert_int_equal(io->op, DISCARD);
			assert_int_equal(io->flags, i ? SSDPM_IO_CONTINUED : 0);
		}
		assert_int_equal(trace.ios[5].start_ns, 2);
		free(trace.ios);
	}
}

static void the_resolution_shows_what_the_clock_of_a_trace_can_do(void **state)
{
	static const struct {
		const char *text;
		uint64_t resolution_ns;
	} cases[] = {
		{ "1,0,0,r\n2,0,0,r\n30,0,0,r\n", 1000000000 },
		{ "10,0,0,r\n20.000,0,0,r\n", 10000000000 },
		{ "1,0,0,r\n1.5,0,0,r\n", 100000000 },
		{ "1,0,0,r\n1.000001,0,0,r\n2.25,0,0,r\n", 1000 },
		{ "1.123456789,0,0,r\n", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture_trace trace =
			read_good(cases[i].text, "time:s,offset,bytes,op");

		assert_int_equal(trace.counts.resolution_ns,
				 cases[i].resolution_ns);
		free(trace.ios);
	}
}

static void several_devices_need_one_to_be_named(void **state)
{
	static const char text[] = "0,1,512,r,0.5\n1,2,512,r,0.6\n"
				   "10,3,512,r,0.7\n1,4,512,w,0.8\n";
	struct ssdpm_trace_params params = with_columns(NULL);
	struct fixture_trace trace;

	(void)state;
	assert_bad(text, NULL, -EINVAL, 2, "several devices, 0 and 1");
	assert_bad("1 0123456789012345678901234567890123456789 8 8 1\n"
		   "1 9876543210987654321\x8c 8 8 1\n",
		   "time:ns,device,offset:sectors,bytes:sectors,op;"
		   "separator=blank;read=1",
		   -EINVAL, 2,
		   "several devices, 0123456789012345678901234567890 and "
		   "9876543210987654321?: name");
	params.device = "1";
	assert_int_equal(fixture_read_trace(text, sizeof(text) - 1, &params, 1,
					    &trace, NULL),
			 0);
	assert_int_equal(trace.n, 2);
	assert_int_equal(trace.ios[0].offset, 1024);
	assert_int_equal(trace.counts.n_other_device, 2);
	free(trace.ios);
}

/* MQSim ignores the device of a line and uses the one that it simulates. */
static void a_trace_of_mqsim_is_one_drive_unless_a_device_is_named(void **state)
{
	static const char text[] = "0 0 8 8 1\n5 1 8 8 0\n9 2 8 8 1\n";
	struct ssdpm_trace_params params = with_columns(NULL);
	struct fixture_trace trace = read_good(text, NULL);

	(void)state;
	assert_int_equal(trace.n, 3);
	assert_int_equal(trace.counts.n_other_device, 2);
	free(trace.ios);
	params.device = "1";
	assert_int_equal(fixture_read_trace(text, sizeof(text) - 1, &params, 3,
					    &trace, NULL),
			 0);
	assert_int_equal(trace.n, 1);
	assert_int_equal(trace.counts.n_other_device, 2);
	free(trace.ios);
	assert_bad(text,
		   "time:ns,device,offset:sectors,bytes:sectors,op;"
		   "separator=blank;read=1;write=0",
		   -EINVAL, 2, "several devices");
}

static void devices_are_named_as_the_trace_writes_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SAMPLES; i++) {
		const struct sample *sample = &samples[i];
		struct ssdpm_trace_params params = with_columns(NULL);
		struct fixture_trace trace;
		struct ssdpm_error error;
		int err;

		params.device = sample->device ? sample->device : "sda";
		err = fixture_read_trace(sample->text, strlen(sample->text),
					 &params, 2, &trace, &error);
		if (!sample->device) {
			fixture_assert_error(&error, err, 0, "no column");
			continue;
		}
		assert_int_equal(err, 0);
		assert_int_equal(trace.n, 2);
		free(trace.ios);
	}
}

static void a_head_that_is_there_twice_is_passed_over(void **state)
{
	struct fixture_trace trace =
		read_good("words\n" BLKREPLAY_HEAD "more words\n" BLKREPLAY_HEAD
			  "1.0 ; 8 ; 8 ; W ; 0.0 ; 0.0\n",
			  NULL);

	(void)state;
	assert_int_equal(trace.n, 1);
	assert_int_equal(trace.counts.n_lines, 5);
	free(trace.ios);
}

static void a_format_that_is_named_needs_no_head(void **state)
{
	static const char text[] = "a,1,W,8,8,1.5\n";
	struct ssdpm_trace_params params = with_columns(NULL);
	struct fixture_trace trace;

	(void)state;
	params.format = SSDPM_TRACE_PIXEL;
	assert_int_equal(fixture_read_trace(text, sizeof(text) - 1, &params, 2,
					    &trace, NULL),
			 0);
	assert_int_equal(trace.ios[0].start_ns, 1500000000);
	free(trace.ios);
	params.format = SSDPM_TRACE_DELIMITED;
	assert_int_equal(fixture_read_trace(text, sizeof(text) - 1, &params, 2,
					    &trace, NULL),
			 -EINVAL);
}

static void a_line_of_a_megabyte_ends_the_reading(void **state)
{
	const size_t size = 5 << 20;
	struct ssdpm_trace_params params =
		with_columns("time:s,offset,bytes,op");
	struct fixture_trace trace;
	struct ssdpm_error error;
	char *text = malloc(size);

	(void)state;
	assert_non_null(text);
	memset(text, '1', size);
	assert_int_equal(
		fixture_read_trace(text, size, &params, 1, &trace, &error),
		-E2BIG);
	fixture_assert_error(&error, -E2BIG, 1, "a line is longer");
	free(text);
}

static void recognition_forgives_a_bad_line_that_is_not_the_first(void **state)
{
	static const char text[] = "1 0 8 8 1\nbroken\n2 0 8 8 1\n3 0 8 8 1\n";
	struct ssdpm_trace_params params = with_columns(NULL);
	struct fixture_trace trace;

	(void)state;
	assert_bad(text, NULL, -EINVAL, 2, "column 1 (time)");
	params.flags = SSDPM_TRACE_SKIP_BAD;
	assert_int_equal(fixture_read_trace(text, sizeof(text) - 1, &params, 2,
					    &trace, NULL),
			 0);
	assert_int_equal(trace.counts.format, SSDPM_TRACE_MQSIM);
	assert_int_equal(trace.counts.n_bad, 1);
	free(trace.ios);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_known_format_is_recognised_and_read),
		cmocka_unit_test(no_format_is_read_as_another_one),
		cmocka_unit_test(
			other_line_ends_and_blank_lines_change_nothing),
		cmocka_unit_test(one_record_is_a_trace),
		cmocka_unit_test(a_head_without_a_record_is_an_empty_trace),
		cmocka_unit_test(a_file_of_zero_length_is_refused),
		cmocka_unit_test(what_is_no_trace_is_refused),
		cmocka_unit_test(a_column_map_reads_what_it_says),
		cmocka_unit_test(columns_have_their_units),
		cmocka_unit_test(a_bad_column_map_is_refused_with_its_fault),
		cmocka_unit_test(a_bad_line_is_named_with_its_column),
		cmocka_unit_test(a_zero_byte_is_no_part_of_a_number),
		cmocka_unit_test(a_zero_byte_does_not_end_a_header),
		cmocka_unit_test(bad_lines_are_counted_on_demand),
		cmocka_unit_test(
			records_that_are_late_are_put_in_order_and_counted),
		cmocka_unit_test(what_is_too_late_is_an_error_or_counted),
		cmocka_unit_test(
			two_runs_in_one_file_are_an_error_that_says_so),
		cmocka_unit_test(ios_without_a_size_are_counted),
		cmocka_unit_test(
			records_in_order_of_completion_come_in_order_of_start),
		cmocka_unit_test(the_window_of_records_that_wait_is_bounded),
		cmocka_unit_test(pseudorandom_completions_are_sorted),
		cmocka_unit_test(a_service_that_does_not_fit_is_saturated),
		cmocka_unit_test(a_large_discard_becomes_parts_and_one_io),
		cmocka_unit_test(
			the_resolution_shows_what_the_clock_of_a_trace_can_do),
		cmocka_unit_test(several_devices_need_one_to_be_named),
		cmocka_unit_test(
			a_trace_of_mqsim_is_one_drive_unless_a_device_is_named),
		cmocka_unit_test(devices_are_named_as_the_trace_writes_them),
		cmocka_unit_test(a_head_that_is_there_twice_is_passed_over),
		cmocka_unit_test(a_format_that_is_named_needs_no_head),
		cmocka_unit_test(a_line_of_a_megabyte_ends_the_reading),
		cmocka_unit_test(
			recognition_forgives_a_bad_line_that_is_not_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
