/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The file of a survey: its own, those of others, and broken ones. */

#define HEAD                                                      \
	"# ssdpm survey 1\n# drive: Fixture SSD, FW 1\n"          \
	"# drive: Other SSD, FW 2\n# policies: lpm=a;lpm=b\n"     \
	"# scenarios: idle;sync\n# blocks: 2\n# seed: 7\n"        \
	"# settle_s: 600\n# interval_s: 1.5\n# duration_s: 4.5\n" \
	"# found: host0 lpm=a\n# note\n"                          \
	"run,policy,scenario,block,time_s,power_w,latency_us,latency_sd_us,bytes_per_s\n"
#define RUN(run, what)                                                    \
	run "," what ",600,5.25,,,\n" run "," what ",601.5,,80.5,,\n" run \
	    "," what ",603,4.75,90,,\n"

static struct ssdpm_survey_file *open_good(const char *text)
{
	struct ssdpm_survey_file *file;
	struct ssdpm_error error;

	if (ssdpm_survey_file_open_data(text, strlen(text), &file, &error))
		fail_msg("line %u: %s", error.line, error.message);
	return file;
}

static void assert_fails(const char *text, int code, uint32_t line,
			 const char *words)
{
	struct ssdpm_survey_file *file = UNTOUCHED;
	struct ssdpm_error error = { 0 };

	assert_int_equal(
		ssdpm_survey_file_open_data(text, strlen(text), &file, &error),
		code);
	assert_ptr_equal(file, UNTOUCHED);
	assert_int_equal(error.code, code);
	assert_int_equal(error.line, line);
	if (!strstr(error.message, words))
		fail_msg("\"%s\" says nothing of \"%s\"", error.message, words);
}

static const struct ssdpm_survey_readings *get_runs(
	const struct ssdpm_survey_file *file, size_t n_expected)
{
	size_t n;
	const struct ssdpm_survey_readings *runs =
		ssdpm_survey_file_get_readings(file, &n);

	assert_int_equal(n, n_expected);
	return runs;
}

static void what_a_survey_wrote_is_read_whole(void **state)
{
	struct ssdpm_survey_file *file =
		open_good(HEAD RUN("1", "lpm=b,sync,1") "# restored\n" RUN(
			"2",
			"lpm=a,idle,2") "3,lpm=a,fio:randread,1,,,95.5,12,4e8\n");
	const struct ssdpm_survey_params *params =
		ssdpm_survey_file_get_params(file);
	const struct ssdpm_survey_readings *runs = get_runs(file, 2);
	size_t n;

	(void)state;
	assert_int_equal(params->size, sizeof(*params));
	assert_int_equal(params->seed, 7);
	assert_int_equal(params->settle_ns, 600000000000);
	assert_int_equal(params->interval_ns, 1500000000);
	assert_int_equal(params->duration_ns, 4500000000);
	assert_int_equal(params->n_policies, 2);
	assert_int_equal(params->n_scenarios, 2);
	assert_int_equal(params->n_blocks, 2);
	assert_string_equal(ssdpm_survey_file_get_policy(file, 1), "lpm=b");
	assert_null(ssdpm_survey_file_get_policy(file, 2));
	assert_string_equal(ssdpm_survey_file_get_scenario(file, 0), "idle");
	assert_string_equal(ssdpm_survey_file_get_test(file, 0), "randread");
	assert_null(ssdpm_survey_file_get_test(file, 1));
	assert_int_equal(runs[0].run, 1);
	assert_int_equal(runs[0].policy, 1);
	assert_int_equal(runs[0].scenario, 1);
	assert_int_equal(runs[0].block, 0);
	assert_int_equal(runs[0].status, SSDPM_SURVEY_RUN_COMPLETE);
	assert_int_equal(runs[0].n, 3);
	assert_int_equal(runs[0].time_ns[1], 601500000000);
	assert_true(runs[0].power_w[0] == 5.25 && isnan(runs[0].power_w[1]));
	assert_true(isnan(runs[0].latency_us[0]));
	assert_true(runs[0].latency_us[1] == 80.5);
	assert_int_equal(runs[1].block, 1);
	assert_true(runs[1].power_w[2] == 4.75);
	const struct ssdpm_survey_fio *fio =
		ssdpm_survey_file_get_fio(file, &n);
	assert_int_equal(n, 1);
	assert_true(fio->latency_us == 95.5 && fio->latency_sd_us == 12 &&
		    fio->bytes_per_s == 4e8);
	assert_int_equal(ssdpm_survey_file_get_counts(file)->n_rows, 7);
	assert_int_equal(ssdpm_survey_file_get_counts(file)->n_cut, 0);
	assert_int_equal(ssdpm_survey_file_get_counts(file)->n_lines, 21);
	ssdpm_survey_file_free(file);
}

static void comments_are_facts(void **state)
{
	struct ssdpm_survey_file *file = open_good(HEAD "# interrupted\n");
	const struct ssdpm_survey_fact *facts;
	size_t n;

	(void)state;
	assert_string_equal(ssdpm_survey_file_get_fact(file, "drive", 0),
			    "Fixture SSD, FW 1");
	assert_string_equal(ssdpm_survey_file_get_fact(file, "drive", 1),
			    "Other SSD, FW 2");
	assert_null(ssdpm_survey_file_get_fact(file, "drive", 2));
	assert_null(ssdpm_survey_file_get_fact(file, "meter", 0));
	assert_string_equal(ssdpm_survey_file_get_fact(file, "note", 0), "");
	facts = ssdpm_survey_file_get_facts(file, &n);
	assert_int_equal(n, 12);
	assert_string_equal(facts[11].key, "interrupted");
	assert_int_equal(facts[11].line, 14);
	get_runs(file, 0);
	ssdpm_survey_file_free(file);
	/* Nothing has been run yet. */
	file = open_good("# ssdpm survey 1\n");
	get_runs(file, 0);
	ssdpm_survey_file_free(file);
}

static void the_last_complete_run_counts(void **state)
{
	struct ssdpm_survey_file *file =
		open_good(HEAD RUN("1", "lpm=a,idle,1") RUN(
			"2", "lpm=a,idle,1") "3,lpm=a,idle,1,600,5,,,\n"
					     "4,lpm=b,idle,1,600,5,,,\n"
					     "5,lpm=a,fio:seqread,1,,,1,1,1\n"
					     "6,lpm=a,fio:seqread,1,,,2,1,1\n");
	const struct ssdpm_survey_readings *runs = get_runs(file, 4);
	size_t n;

	(void)state;
	assert_int_equal(runs[0].status, SSDPM_SURVEY_RUN_REPLACED);
	assert_int_equal(runs[1].status, SSDPM_SURVEY_RUN_COMPLETE);
	assert_int_equal(runs[2].status, SSDPM_SURVEY_RUN_INCOMPLETE);
	assert_int_equal(runs[3].status, SSDPM_SURVEY_RUN_INCOMPLETE);
	const struct ssdpm_survey_fio *fio =
		ssdpm_survey_file_get_fio(file, &n);
	assert_int_equal(n, 2);
	assert_int_equal(fio[0].status, SSDPM_SURVEY_RUN_REPLACED);
	assert_int_equal(fio[1].status, SSDPM_SURVEY_RUN_COMPLETE);
	ssdpm_survey_file_free(file);
}

static void data_of_others_need_policies_and_powers(void **state)
{
	/* Alternating policies without times. */
	struct ssdpm_survey_file *file =
		open_good("power_w;policy;room\n5,5;a;x\n4,5;b;y\n5,25;a;z\n");
	const struct ssdpm_survey_readings *runs = get_runs(file, 2);

	(void)state;
	assert_int_equal(runs[0].n, 2);
	assert_null(runs[0].time_ns);
	assert_int_equal(runs[0].run, 0);
	assert_true(runs[0].power_w[1] == 5.25 && runs[1].power_w[0] == 4.5);
	assert_int_equal(runs[1].policy, 1);
	assert_int_equal(runs[1].status, SSDPM_SURVEY_RUN_COMPLETE);
	assert_string_equal(ssdpm_survey_file_get_scenario(file, 0), "idle");
	ssdpm_survey_file_free(file);
	file = open_good("# interval_s: 2\n# settle_s: 5\npolicy,power_w\n"
			 "a,1\na,2\n");
	assert_int_equal(get_runs(file, 1)->time_ns[1], 7000000000);
	ssdpm_survey_file_free(file);
	file = open_good("policy,block,power_w,time_s\na,2,1,0.5\na,1,2,0.5\n");
	assert_true(get_runs(file, 2)->power_w[0] == 2);
	assert_int_equal(get_runs(file, 2)->time_ns[0], 500000000);
	ssdpm_survey_file_free(file);
}

static void a_row_that_was_cut_off_is_left_out(void **state)
{
	struct ssdpm_survey_file *file;

	(void)state;
	file = open_good("policy,power_w,bytes_per_s\na,1,\nb,2");
	get_runs(file, 1);
	assert_int_equal(ssdpm_survey_file_get_counts(file)->n_cut, 1);
	ssdpm_survey_file_free(file);
	file = open_good("policy,power_w\na,1\nb,1e");
	get_runs(file, 1);
	assert_int_equal(ssdpm_survey_file_get_counts(file)->n_cut, 1);
	ssdpm_survey_file_free(file);
	/* It continued later. */
	file = open_good("policy,power_w\na,1\nb\n# resumed\nb,2\n");
	get_runs(file, 2);
	assert_int_equal(ssdpm_survey_file_get_counts(file)->n_cut, 1);
	ssdpm_survey_file_free(file);
	/* But not after a plain end of line, or between rows. */
	assert_fails("policy,power_w\na,1\nb\n", -EINVAL, 3,
		     "1 of 2 columns: the line is cut off");
	assert_fails("policy,power_w\na,1\nb\na,1\n", -EINVAL, 3, "cut off");
	assert_fails("policy,power_w\na,1\nb,1e\n# resumed\n", -EINVAL, 3,
		     "\"1e\" is no number");
}

static void a_wrong_line_is_named(void **state)
{
	static const struct {
		const char *text;
		uint32_t line;
		const char *words;
	} cases[] = {
		{ "# ssdpm survey 2\n", 1, "version 1" },
		{ "# ssdpm survey 1x\n", 1, "version 1" },
		{ "a,b\n1,2\n", 1, "no column policy" },
		{ "policy,time_s\na,2\n", 1, "none power_w" },
		{ "policy,power_w,policy\n", 1, "\"policy\" names two" },
		{ "# settle_s: soon\n", 1, "\"soon\" is no length of time" },
		{ "# settle_s: -1\n", 1, "is no length of time" },
		{ "# interval_s: 0\n", 1, "is no length of time" },
		{ "# duration_s: 1e30\n", 1, "is no length of time" },
		{ "# blocks: 1001\n", 1, "no such number" },
		{ "# seed: 1.5\n", 1, "no such number" },
		{ "# policies: a;;b\n", 1, "is no name" },
		{ "policy,power_w\na,1\na,1,2\n", 3, "more than 2 columns" },
		{ "policy,power_w\n,1\n", 2, "is no name" },
		{ "policy,power_w\na,5W\n", 2, "\"5W\" is no number" },
		{ "run,policy,power_w\n-1,a,5\n", 2, "\"-1\" is no such" },
		{ "block,policy,power_w\n0,a,5\n", 2, "begin with 1" },
		{ "block,policy,power_w\n1001,a,5\n", 2, "no such number" },
		{ "time_s,policy,power_w\n,a,5\n", 2, "without its time" },
		{ "time_s,policy,power_w\nnoon,a,5\n", 2, "is no time" },
		{ "run,policy,power_w\n1,a,5\n2,a,5\n1,b,5\n", 4,
		  "run 1 is of something else in line 2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_fails(cases[i].text, -EINVAL, cases[i].line,
			     cases[i].words);
	assert_fails("", -ENODATA, 0, "no survey");
	assert_fails("# drive: x\n\n", -ENODATA, 0, "no survey");
	assert_int_equal(ssdpm_survey_file_open_data(
				 "policy,\0", 8,
				 &(struct ssdpm_survey_file *){ NULL }, NULL),
			 -EINVAL);
}

/* Many lines of one kind after others. */
static char *repeat(const char *head, const char *line, size_t n, bool number)
{
	size_t room = strlen(head) + n * (strlen(line) + 12) + 1, at;
	char *text = test_malloc(room);

	at = (size_t)snprintf(text, room, "%s", head);
	for (size_t i = 0; i < n; i++) {
		at += (size_t)snprintf(text + at, room - at, "%s", line);
		if (number)
			at += (size_t)snprintf(text + at, room - at, "%zu,1\n",
					       i);
	}
	return text;
}

static void limits_are_limits(void **state)
{
	static const struct {
		const char *head, *repeated;
		size_t n;
		bool number;
		int code;
		uint32_t line;
		const char *fragment;
	} beyond[] = {
		{ "policy,power_w\n", "p", 17, true, -EINVAL, 18,
		  "\"p16\" is one too many" },
		{ "", "# x\n", 4096, false, -ENODATA, 0, "no survey" },
		{ "", "# x\n", 4097, false, -E2BIG, 4097, "4096 comments" },
		{ "# x", "y", 4094, false, -E2BIG, 1, "4094 characters" },
		{ "# x", "y", 4093, false, -ENODATA, 0, "no survey" },
	};
	char *text = repeat("policy,power_w\n", "p", 16, true);
	struct ssdpm_survey_file *file = open_good(text);

	(void)state;
	get_runs(file, 16);
	ssdpm_survey_file_free(file);
	test_free(text);
	for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
		text = repeat(beyond[i].head, beyond[i].repeated, beyond[i].n,
			      beyond[i].number);
		assert_fails(text, beyond[i].code, beyond[i].line,
			     beyond[i].fragment);
		test_free(text);
	}
	text = repeat("power_w,policy\n1,", "p", 255, false);
	ssdpm_survey_file_free(open_good(text));
	test_free(text);
	text = repeat("power_w,policy\n2,1\n1,", "p", 256, false);
	strcat(text, "\n");
	assert_fails(text, -EINVAL, 3, "is a name above 255");
	test_free(text);
}

static void a_descriptor_is_read_and_left_open(void **state)
{
	static const char text[] = "policy,power_w\na,1\n";
	int fd = memfd_create("survey", MFD_CLOEXEC);
	struct ssdpm_survey_file *file;

	(void)state;
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(ssdpm_survey_file_open(fd, &file, NULL), 0);
	get_runs(file, 1);
	assert_null(ssdpm_survey_file_free(file));
	assert_int_equal(close(fd), 0);
	assert_int_equal(ssdpm_survey_file_open(fd, &file, NULL), -EBADF);
}

/* Results of one survey's file and of several, with each word checked. */

/* A growing file. */
struct text {
	char at[65536];
	size_t length;
};

static void put(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put(struct text *text, const char *format, ...)
{
	size_t room = sizeof(text->at) - text->length;
	va_list args;

	va_start(args, format);
	text->length +=
		(size_t)vsnprintf(text->at + text->length, room, format, args);
	va_end(args);
	assert_true(text->length < sizeof(text->at));
}

/* Too few readings to show their noise: the mean of a run is known. */
static void put_run(struct text *text, const char *policy, const char *scenario,
		    int block, int milliwatts)
{
	put(text, "%s,%s,%d,%d.%03d,%d\n", policy, scenario, block,
	    milliwatts / 1000, milliwatts % 1000, milliwatts / 10);
}

#define COLUMNS "policy,scenario,block,power_w,latency_us\n"

/* Blocks differ by 50 mW, and the noise is of a few milliwatts. */
static int noise(int block, int policy)
{
	return 50 * block + (block * 7 + policy * 5) % 9;
}

struct survey {
	struct ssdpm_survey_file *file;
	struct ssdpm_survey_result *result;
};

static struct survey read_survey(
	const struct text *text,
	const struct ssdpm_survey_result_params *params)
{
	struct ssdpm_error error;
	struct survey survey;

	if (ssdpm_survey_file_open_data(text->at, text->length, &survey.file,
					&error))
		fail_msg("%s", error.message);
	if (ssdpm_survey_result_new(survey.file, params, &survey.result,
				    &error))
		fail_msg("%s", error.message);
	return survey;
}

static void drop(struct survey *survey)
{
	assert_null(ssdpm_survey_result_free(survey->result));
	ssdpm_survey_file_free(survey->file);
}

/* Three policies, of which the first has only two runs. */
static struct text three_policies(const char *found, int saves)
{
	static const char *const names[] = { "few", "more", "less" };
	struct text text = { .length = 0 };

	put(&text, "# drive: Maker, Model, FW 1\n# found: %s\n" COLUMNS, found);
	for (int block = 1; block <= 5; block++)
		for (int i = 0; i < 3; i++)
			if (i || block < 3)
				put_run(&text, names[i], "idle", block,
					2000 - saves * (i == 2) +
						noise(block, i));
	return text;
}

static const struct ssdpm_survey_comparison *comparison_of(
	const struct survey *survey, size_t index)
{
	const struct ssdpm_survey_comparison *c =
		ssdpm_survey_result_get_comparison(survey->result, index);

	assert_non_null(c);
	return c;
}

static void policies_keep_the_numbers_of_the_file(void **state)
{
	struct text text = three_policies("host0 more", 100);
	struct survey survey = read_survey(&text, NULL);
	const struct ssdpm_survey_comparison *c = comparison_of(&survey, 0);
	struct ssdpm_survey_difference d, back;

	(void)state;
	assert_string_equal(c->of, "idle");
	assert_int_equal(c->quantity, SSDPM_SURVEY_POWER);
	assert_int_equal(c->reason, 0);
	assert_null(c->reason_text);
	assert_int_equal(c->n_policies, 2);
	assert_int_equal(c->n_few, 1);
	assert_int_equal(c->n_runs, 10);
	for (size_t i = 0; i < c->n_runs; i++)
		assert_int_equal(c->runs[i].policy, 1 + i % 2);
	assert_int_equal(c->analysis->means[0].policy, 1);
	assert_int_equal(c->analysis->means[1].policy, 2);
	assert_int_equal(ssdpm_survey_comparison_get_difference(c, 1, 2, &d),
			 0);
	assert_true(d.policy == 1 && d.other_policy == 2 && d.different);
	assert_true(d.low_w < d.difference_w && d.difference_w < d.high_w);
	assert_true(fabs(d.difference_w - 0.1) < 0.005);
	assert_int_equal(ssdpm_survey_comparison_get_difference(c, 2, 1, &back),
			 0);
	assert_true(back.policy == 2 && back.other_policy == 1);
	assert_true(back.difference_w == -d.difference_w);
	assert_true(back.low_w == -d.high_w && back.high_w == -d.low_w);
	assert_true(back.share == -d.share && back.p == d.p);
	assert_int_equal(ssdpm_survey_comparison_get_difference(c, 0, 1, &d),
			 -ENOENT);
	drop(&survey);
}

static void runs_are_counted(void **state)
{
	struct text text = three_policies("host0 more", 100);
	const struct ssdpm_survey_result_info *info;
	const struct ssdpm_survey_run_result *run;
	struct survey survey;
	size_t n = 0;

	(void)state;
	put(&text, "more,busy,1,,\n");
	survey = read_survey(&text, NULL);
	info = ssdpm_survey_result_get_info(survey.result);
	assert_ptr_equal(info->file, survey.file);
	assert_string_equal(info->name, "");
	assert_int_equal(info->n_complete, 13);
	assert_int_equal(info->n_short, 12);
	assert_int_equal(info->n_empty, 1);
	assert_int_equal(info->n_rise + info->n_fall + info->n_unsettled, 0);
	assert_true(info->error_rate == 0.05 && info->system_power_w == 0);
	while ((run = ssdpm_survey_result_get_run(survey.result, n))) {
		assert_null(run->summary);
		if (isnan(run->readings->power_w[0]))
			assert_true(isnan(run->mean_w));
		else
			assert_true(run->mean_w == run->readings->power_w[0]);
		n++;
	}
	assert_int_equal(n, 13);
	drop(&survey);
}

static const struct ssdpm_survey_recommendation *recommendation_of(
	const struct survey *survey)
{
	return ssdpm_survey_result_get_recommendation(survey->result);
}

static void assert_advice(const char *found, int saves, uint32_t kind,
			  uint32_t policy, uint32_t from)
{
	struct text text = three_policies(found, saves);
	struct survey survey = read_survey(&text, NULL);
	const struct ssdpm_survey_recommendation *r =
		recommendation_of(&survey);

	assert_int_equal(r->kind, kind);
	assert_int_equal(r->policy, policy);
	assert_int_equal(r->from, from);
	assert_ptr_equal(r->comparison, comparison_of(&survey, 0));
	assert_true(r->detectable_w > 0.001 && r->detectable_w < 0.05);
	drop(&survey);
}

static void a_survey_speaks_for_what_draws_less_than_what_was_found(
	void **state)
{
	(void)state;
	assert_advice("host0 more", 100, SSDPM_SURVEY_ADVICE_CHANGE, 2, 1);
	/* The policy found draws the least. */
	assert_advice("host0 less", 100, SSDPM_SURVEY_ADVICE_KEEP, 2, 2);
	assert_advice("host0 more", 0, SSDPM_SURVEY_ADVICE_NOT_SHOWN,
		      SSDPM_SURVEY_NO_POLICY, 1);
	/*
	 * Unknown, not compared, or different on each drive: the reference is
	 * the policy that draws most.
	 */
	assert_advice("", 100, SSDPM_SURVEY_ADVICE_CHANGE, 2, 1);
	assert_advice("host0 few", 100, SSDPM_SURVEY_ADVICE_CHANGE, 2, 1);
	assert_advice("host0 less\n# found: host1 more", 100,
		      SSDPM_SURVEY_ADVICE_CHANGE, 2, 1);
}

static void only_a_policy_that_lost_data_is_a_risk(void **state)
{
	static const struct {
		const char *name;
		int saves_mw;
		uint32_t risk;
	} all[] = {
		{ "lpm=min_power", 500, 1 },
		{ "lpm=min_power", -500, 0 }, /* the other one draws less */
		{ "lpm=min_power_with_partial", 500, 0 },
		{ "latency=min_power", 500, 0 },
		{ "min_power", 500, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct text text = { .length = 0 };

		put(&text, COLUMNS);
		for (int block = 1; block <= 4; block++)
			for (int p = 0; p < 2; p++)
				put_run(&text,
					p ? all[i].name : "lpm=max_performance",
					"idle", block,
					2000 - p * all[i].saves_mw +
						noise(block, p));
		struct survey survey = read_survey(&text, NULL);
		const struct ssdpm_survey_recommendation *r =
			recommendation_of(&survey);

		assert_int_equal(r->kind, SSDPM_SURVEY_ADVICE_CHANGE);
		assert_int_equal(r->policy, all[i].saves_mw > 0);
		assert_int_equal(r->risks_data, all[i].risk);
		drop(&survey);
	}
}

static void what_cannot_be_compared_has_its_reason(void **state)
{
	static const struct {
		int n_blocks;
		int apart; /* of the blocks of the second policy */
		int noise;
		uint32_t reason;
		const char *words;
	} bad[] = {
		{ 2, 0, 1, SSDPM_SURVEY_REASON_POLICIES, "in 3 blocks each" },
		{ 4, 0, 0, SSDPM_SURVEY_REASON_NOISE, "no noise at all" },
		{ 4, 9, 1, SSDPM_SURVEY_REASON_NOISE, "share no block" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct text text = { .length = 0 };

		put(&text, COLUMNS);
		for (int block = 1; block <= bad[i].n_blocks; block++)
			for (int p = 0; p < 2; p++)
				put_run(&text, p ? "b" : "a", "idle",
					block + p * bad[i].apart,
					2000 + bad[i].noise * noise(block, p));
		struct survey survey = read_survey(&text, NULL);
		const struct ssdpm_survey_comparison *c =
			comparison_of(&survey, 0);
		struct ssdpm_survey_difference d;

		assert_int_equal(c->reason, bad[i].reason);
		assert_non_null(strstr(c->reason_text, bad[i].words));
		assert_null(c->analysis);
		assert_int_equal(c->n_runs, 2 * bad[i].n_blocks);
		assert_int_equal(c->runs[c->n_runs - 1].policy, 1);
		assert_int_equal(
			ssdpm_survey_comparison_get_difference(c, 0, 1, &d),
			-ENOENT);
		assert_int_equal(recommendation_of(&survey)->kind,
				 SSDPM_SURVEY_ADVICE_UNDECIDED);
		assert_null(recommendation_of(&survey)->comparison);
		assert_int_equal(recommendation_of(&survey)->from,
				 SSDPM_SURVEY_NO_POLICY);
		drop(&survey);
	}
}

static void a_mean_beyond_all_powers_is_a_reason_too(void **state)
{
	struct text text = { .length = 0 };
	struct survey survey;

	(void)state;
	put(&text, COLUMNS);
	for (int block = 1; block <= 4; block++)
		for (int p = 0; p < 2; p++)
			put(&text, "%s,idle,%d,%de61,\n", p ? "b" : "a", block,
			    20 + noise(block, p));
	survey = read_survey(&text, NULL);
	assert_int_equal(comparison_of(&survey, 0)->reason,
			 SSDPM_SURVEY_REASON_VALUE);
	drop(&survey);
}

static void quantities_follow_each_other(void **state)
{
	static const struct {
		uint32_t quantity;
		uint32_t fio;
	} order[] = {
		{ SSDPM_SURVEY_POWER, 0 },
		{ SSDPM_SURVEY_LATENCY, 0 },
		{ SSDPM_SURVEY_LATENCY, 1 },
		{ SSDPM_SURVEY_THROUGHPUT, 1 },
	};
	struct text text = { .length = 0 };
	struct survey survey;

	(void)state;
	put(&text, "policy,scenario,block,power_w,latency_us,bytes_per_s\n");
	for (int block = 1; block <= 4; block++)
		for (int p = 0; p < 2; p++) {
			put(&text, "%s,sync,%d,2.%03d,%d,\n", p ? "b" : "a",
			    block, noise(block, p), 90 + noise(block, p));
			put(&text, "%s,fio:randread,%d,,%d,%d\n", p ? "b" : "a",
			    block, 90 + noise(block, p),
			    5000 + noise(block, p));
		}
	survey = read_survey(&text, NULL);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		const struct ssdpm_survey_comparison *c =
			comparison_of(&survey, i);

		assert_int_equal(c->quantity, order[i].quantity);
		assert_int_equal(c->fio, order[i].fio);
		assert_string_equal(c->of, c->fio ? "randread" : "sync");
		assert_int_equal(c->reason, 0);
	}
	assert_null(ssdpm_survey_result_get_comparison(survey.result, 4));
	drop(&survey);
}

static double system_of(const char *fact, double system_power_w)
{
	const struct ssdpm_survey_result_params params = {
		.size = sizeof(params),
		.system_power_w = system_power_w,
	};
	struct text text = { .length = 0 };
	struct survey survey;
	double found;

	put(&text, "# system_w: %s\n" COLUMNS "a,idle,1,1,\n", fact);
	survey = read_survey(&text, &params);
	found = ssdpm_survey_result_get_info(survey.result)->system_power_w;
	drop(&survey);
	return found;
}

static void shares_are_of_what_the_caller_or_the_file_says(void **state)
{
	(void)state;
	assert_true(system_of("20.5", 0) == 20.5);
	assert_true(system_of("20.5", 30) == 30);
	assert_true(system_of("much", 0) == 0);
	assert_true(system_of("-3", 0) == 0);
	assert_true(system_of("inf", 0) == 0);
	assert_true(system_of("", 0) == 0);
}

static void parameters_out_of_range_are_refused(void **state)
{
	static const struct ssdpm_survey_result_params bad[] = {
		{ .error_rate = 1 },
		{ .error_rate = -0.1 },
		{ .system_power_w = -1 },
		{ .system_power_w = INFINITY },
	};
	struct text text = three_policies("", 100);
	struct survey survey = read_survey(&text, NULL);
	const struct ssdpm_survey_result *results[] = { survey.result };
	struct ssdpm_survey_result *result = UNTOUCHED;
	struct ssdpm_survey_merge *merge = UNTOUCHED;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ssdpm_survey_result_params params = bad[i];

		params.size = sizeof(params);
		assert_int_equal(ssdpm_survey_result_new(survey.file, &params,
							 &result, NULL),
				 -EINVAL);
	}
	assert_ptr_equal(result, UNTOUCHED);
	assert_int_equal(ssdpm_survey_merge_new(results, 1, 2, &merge, NULL),
			 -EINVAL);
	assert_ptr_equal(merge, UNTOUCHED);
	drop(&survey);
}

#define N_SURVEYS 5

/* Drives 0, 1, 2, again 2, and the previous merge. */
static void read_drives(struct survey *surveys,
			const struct ssdpm_survey_result **results)
{
	static const char *const names[] = { "a", "b", "c" };

	for (int k = 0; k < N_SURVEYS; k++) {
		const struct ssdpm_survey_result_params params = {
			.size = sizeof(params),
			.name = k == 1 ? "one.csv" : "x.csv",
		};
		int of = k == 4 ? 3 : k;
		struct text text = { .length = 0 };

		if (k != 1)
			put(&text, "# drive: Maker %d, FW %d\n",
			    of > 2 ? 2 : of, of);
		put(&text, COLUMNS);
		for (int block = 1; block <= 5; block++)
			for (int i = k == 1; i < 3; i++)
				put_run(&text, names[i], "idle", block,
					2000 + 100 * of - 40 * i +
						noise(block, i + of));
		surveys[k] = read_survey(&text, &params);
		results[k] = surveys[k].result;
	}
}

static void surveys_of_a_drive_are_one_result_of_it(void **state)
{
	const struct ssdpm_survey_merge_info *info;
	const struct ssdpm_survey_merge_part *part;
	const struct ssdpm_survey_merge_row *row;
	const struct ssdpm_survey_result *results[N_SURVEYS];
	struct survey surveys[N_SURVEYS];
	struct ssdpm_survey_merge *merge;

	(void)state;
	read_drives(surveys, results);
	assert_int_equal(
		ssdpm_survey_merge_new(results, N_SURVEYS, 0.1, &merge, NULL),
		0);
	info = ssdpm_survey_merge_get_info(merge);
	assert_int_equal(info->n_surveys, 4);
	assert_int_equal(info->n_drives, 3);
	assert_int_equal(info->n_merged, 2);
	assert_true(info->error_rate == 0.1 && info->row_error_rate == 0.05);
	part = ssdpm_survey_merge_get_part(merge, 1);
	assert_string_equal(part->drive, "one.csv");
	part = ssdpm_survey_merge_get_part(merge, 3);
	assert_string_equal(part->drive, "Maker 2");
	assert_int_equal(part->number, 2);
	assert_int_equal(part->reason, 0);
	part = ssdpm_survey_merge_get_part(merge, 4);
	assert_ptr_equal(part->result, results[4]);
	assert_int_equal(part->reason, SSDPM_SURVEY_REASON_SAME);
	assert_string_equal(part->reason_text,
			    "it is the same survey as x.csv");
	assert_null(ssdpm_survey_merge_get_part(merge, N_SURVEYS));
	/* All have b, so a and c are compared with it. */
	row = ssdpm_survey_merge_get_row(merge, 0);
	assert_string_equal(row->policy, "a");
	assert_string_equal(row->from, "b");
	assert_int_equal(row->merged->n_results, 3);
	assert_int_equal(row->merged->n_drives, 2);
	assert_true(fabs(row->merged->mean_w - 0.04) < 0.01);
	row = ssdpm_survey_merge_get_row(merge, 1);
	assert_string_equal(row->policy, "c");
	assert_int_equal(row->merged->n_results, 4);
	assert_int_equal(row->merged->n_drives, 3);
	assert_true(fabs(row->merged->mean_w + 0.04) < 0.01);
	assert_null(ssdpm_survey_merge_get_row(merge, 2));
	assert_null(ssdpm_survey_merge_free(merge));
	for (size_t i = 0; i < N_SURVEYS; i++)
		drop(&surveys[i]);
}

static void a_pair_of_one_drive_is_not_merged(void **state)
{
	struct text text = three_policies("", 100), none = { .length = 0 };
	struct survey surveys[2];
	const struct ssdpm_survey_result *results[2];
	const struct ssdpm_survey_merge_row *row;
	struct ssdpm_survey_merge *merge;
	char *json;

	(void)state;
	put(&none, "# drive: Other\n" COLUMNS);
	surveys[0] = read_survey(&text, NULL);
	surveys[1] = read_survey(&none, NULL);
	for (size_t i = 0; i < 2; i++)
		results[i] = surveys[i].result;
	assert_int_equal(ssdpm_survey_merge_new(results, 2, 0, &merge, NULL),
			 0);
	row = ssdpm_survey_merge_get_row(merge, 0);
	assert_int_equal(row->reason, SSDPM_SURVEY_REASON_DRIVES);
	assert_non_null(row->reason_text);
	assert_null(row->merged);
	assert_string_equal(ssdpm_survey_merge_get_part(merge, 0)->drive,
			    "Maker, Model");
	assert_int_equal(ssdpm_survey_merge_get_part(merge, 1)->reason,
			 SSDPM_SURVEY_REASON_NO_RUN);
	assert_int_equal(ssdpm_survey_merge_get_info(merge)->n_surveys, 1);
	assert_int_equal(ssdpm_survey_merge_get_info(merge)->n_merged, 0);
	assert_int_equal(ssdpm_survey_merge_to_json(merge, &json, NULL), 0);
	assert_non_null(strstr(json, "\"row_error_rate_ppm\": null"));
	assert_non_null(strstr(json, "\"mean_uw\": null"));
	free(json);
	ssdpm_survey_merge_free(merge);
	for (size_t i = 0; i < 2; i++)
		drop(&surveys[i]);
}

static void json_has_the_words_of_the_caller_or_none(void **state)
{
	static const char *const lines[] = { "do it", "now" };
	const struct ssdpm_survey_words words = {
		.lines = lines,
		.n_lines = 2,
		.setting = "a command",
	};
	const struct ssdpm_survey_words bad = { .n_lines = 1 };
	struct text text = three_policies("", 100);
	struct survey survey = read_survey(&text, NULL);
	char *json = UNTOUCHED;

	(void)state;
	assert_int_equal(
		ssdpm_survey_result_to_json(survey.result, &bad, &json, NULL),
		-EINVAL);
	assert_ptr_equal(json, UNTOUCHED);
	assert_int_equal(
		ssdpm_survey_result_to_json(survey.result, NULL, &json, NULL),
		0);
	assert_non_null(strstr(json, "\"text\": []"));
	assert_non_null(strstr(json, "\"policy\": \"less\",\n    \"from\": "
				     "\"more\",\n    \"scenario\": \"idle\""));
	assert_non_null(strstr(json, "\"setting\": null"));
	free(json);
	assert_int_equal(
		ssdpm_survey_result_to_json(survey.result, &words, &json, NULL),
		0);
	assert_non_null(strstr(json, "\"do it\",\n      \"now\"\n"));
	assert_non_null(strstr(json, "\"setting\": \"a command\""));
	assert_non_null(strstr(json, "\"warning\": null"));
	free(json);
	drop(&survey);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_survey_wrote_is_read_whole),
		cmocka_unit_test(comments_are_facts),
		cmocka_unit_test(the_last_complete_run_counts),
		cmocka_unit_test(data_of_others_need_policies_and_powers),
		cmocka_unit_test(a_row_that_was_cut_off_is_left_out),
		cmocka_unit_test(a_wrong_line_is_named),
		cmocka_unit_test(limits_are_limits),
		cmocka_unit_test(a_descriptor_is_read_and_left_open),
		cmocka_unit_test(policies_keep_the_numbers_of_the_file),
		cmocka_unit_test(runs_are_counted),
		cmocka_unit_test(
			a_survey_speaks_for_what_draws_less_than_what_was_found),
		cmocka_unit_test(only_a_policy_that_lost_data_is_a_risk),
		cmocka_unit_test(what_cannot_be_compared_has_its_reason),
		cmocka_unit_test(a_mean_beyond_all_powers_is_a_reason_too),
		cmocka_unit_test(quantities_follow_each_other),
		cmocka_unit_test(
			shares_are_of_what_the_caller_or_the_file_says),
		cmocka_unit_test(parameters_out_of_range_are_refused),
		cmocka_unit_test(surveys_of_a_drive_are_one_result_of_it),
		cmocka_unit_test(a_pair_of_one_drive_is_not_merged),
		cmocka_unit_test(json_has_the_words_of_the_caller_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
