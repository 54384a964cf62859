/* SPDX-License-Identifier: MIT */
/* The file of a survey: what one writes, what others have, what is broken. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
	/* Policies by turns; nobody says when. */
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
	/* It went on later. */
	file = open_good("policy,power_w\na,1\nb\n# resumed\nb,2\n");
	get_runs(file, 2);
	assert_int_equal(ssdpm_survey_file_get_counts(file)->n_cut, 1);
	ssdpm_survey_file_free(file);
	/* But not with a mere end of the line, or within rows. */
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

/* Lines of one kind after others, so many of them. */
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
