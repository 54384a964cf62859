/* SPDX-License-Identifier: MIT */
/*
 * Prints the answers of the C library. It is no test itself; the command's
 * tests compare it with the command and with Python.
 *
 *     policy-answers words                     all words of policies
 *     policy-answers compare DRIVE TRACE WORD...
 *     policy-answers recommend DRIVE TRACE     JSON, as the library writes it
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ssdpm-energy.h>

/* A drive and a workload, from files. */
struct input {
	const char *drive, *workload;
	struct ssdpm_model **models;
	size_t n_models;
	uint32_t quirks; /* that Linux has for the drive */
	int fd;
	struct ssdpm_trace *trace;
};

/* ssdpm_comparison_feed() or ssdpm_gaps_feed() */
typedef int (*feed_fn)(void *to, const struct ssdpm_io *ios, size_t n);

static struct ssdpm_error error;

static int fail(void)
{
	fprintf(stderr, "%d: %s\n", error.code, error.message);
	return 1;
}

static void print_windows(const char *algorithm)
{
	const char *scheme, *source;

	for (uint32_t i = 1; (scheme = ssdpm_power_scheme_to_string(i)); i++) {
		printf("%s:%s\n", algorithm, scheme);
		for (uint32_t j = 1; (source = ssdpm_power_source_to_string(j));
		     j++)
			printf("%s:%s:%s\n", algorithm, scheme, source);
	}
}

static int print_words(void)
{
	const char *word;

	puts("none");
	for (uint32_t i = 1; (word = ssdpm_apst_algorithm_to_string(i)); i++) {
		puts(word);
		if (i == SSDPM_APST_WINDOWS)
			print_windows(word);
	}
	for (uint32_t i = 1; (word = ssdpm_lpm_to_string(i)); i++)
		puts(word);
	return 0;
}

static int open_input(char **names, struct input *input)
{
	char data[65536];
	ssize_t size;
	int fd = open(names[0], O_RDONLY | O_CLOEXEC);
	int err;

	input->drive = names[0];
	input->workload = names[1];
	size = read(fd, data, sizeof(data));
	close(fd);
	input->fd = open(names[1], O_RDONLY | O_CLOEXEC);
	if (size < 0 || input->fd < 0) {
		perror("policy-answers");
		return 1;
	}
	err = ssdpm_model_list_from_data(data, (size_t)size, &input->models,
					 &input->n_models, &error);
	if (!err)
		err = ssdpm_quirks_find(input->models[0], NULL, &input->quirks,
					NULL, &error);
	if (!err)
		err = ssdpm_trace_open(input->fd, NULL, &input->trace, &error);
	return err ? fail() : 0;
}

static void close_input(struct input *input)
{
	ssdpm_trace_free(input->trace);
	ssdpm_model_list_free(input->models, input->n_models);
	if (input->fd >= 0)
		close(input->fd);
}

static int feed_comparison(void *to, const struct ssdpm_io *ios, size_t n)
{
	return ssdpm_comparison_feed(to, ios, n, &error);
}

static int feed_gaps(void *to, const struct ssdpm_io *ios, size_t n)
{
	return ssdpm_gaps_feed(to, ios, n, &error);
}

static int feed(const struct input *input, feed_fn fn, void *to)
{
	struct ssdpm_io ios[256];
	size_t n;
	int err;

	while (!(err = ssdpm_trace_read(input->trace, ios, 256, &n, &error)) &&
	       n && !(err = fn(to, ios, n)))
		;
	return err;
}

static int print_text(int err, char *text)
{
	if (!err)
		fputs(text, stdout);
	free(text);
	return err ? fail() : 0;
}

static int compare(const struct input *input, char **words, int n)
{
	struct ssdpm_comparison *comparison = NULL;
	struct ssdpm_comparison_report report = {
		.size = sizeof(report),
		.drive = input->drive,
		.model = input->models[0],
		.trace = input->workload,
		.counts = ssdpm_trace_get_counts(input->trace),
	};
	struct ssdpm_sim_params params;
	char *text = NULL;
	int err = ssdpm_sim_params_init(&params, sizeof(params));

	params.flags = SSDPM_SIM_LIKELY;
	if (!err)
		err = ssdpm_comparison_new(input->models[0], &params, NULL,
					   &comparison, &error);

	for (int i = 0; i < n && !err; i++)
		err = ssdpm_comparison_add(comparison, words[i], NULL, &error);
	if (!err)
		err = feed(input, feed_comparison, comparison);
	if (!err)
		err = ssdpm_comparison_finish(comparison, 0, &error);
	report.comparison = comparison;
	if (!err)
		err = ssdpm_comparison_report_to_json(&report, &text, &error);
	ssdpm_comparison_free(comparison);
	return print_text(err, text);
}

/* Collects the idle times; free them with ssdpm_gaps_unref(). */
static int collect(const struct input *input, struct ssdpm_gaps **ret_gaps)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_service service;
	size_t n;
	int err = ssdpm_parameters_from_model(input->models[0], SSDPM_PCIE_L1_2,
					      parameters, SSDPM_MAX_PARAMETERS,
					      &n, &error);

	if (err)
		return err;
	ssdpm_parameters_get_service(parameters, n, &service);
	err = ssdpm_gaps_new(&service, ret_gaps, &error);
	if (!err)
		err = feed(input, feed_gaps, *ret_gaps);
	return err ? err : ssdpm_gaps_finish(*ret_gaps, 0, &error);
}

/* Finds the changes of each route; free them. */
static int find_words(const struct ssdpm_recommendations *found,
		      struct ssdpm_recommendation_words *words, size_t *ret_n)
{
	const struct ssdpm_recommendation *one;
	int err = 0;

	while (!err && (one = ssdpm_recommendations_get(found, *ret_n))) {
		struct ssdpm_recommendation_words *its = &words[(*ret_n)++];
		struct ssdpm_change *changes = NULL;

		*its = (struct ssdpm_recommendation_words){ 0 };
		err = ssdpm_recommendation_get_changes(
			one, NULL, NULL, &changes, &its->n_changes, &error);
		its->changes = changes;
	}
	return err;
}

static int print_recommendations(const struct input *input,
				 const struct ssdpm_gaps *gaps)
{
	struct ssdpm_recommendation_words words[SSDPM_ROUTE_RAW_TABLE];
	struct ssdpm_recommendations *found = NULL;
	struct ssdpm_bounds bounds = { .size = sizeof(bounds),
				       .quirks = input->quirks };
	struct ssdpm_recommendation_report report = {
		.size = sizeof(report),
		.drive = input->drive,
		.model = input->models[0],
		.trace = input->workload,
		.counts = ssdpm_trace_get_counts(input->trace),
		.bounds = &bounds,
		.words = words,
		.by_default = 1,
	};
	struct ssdpm_policy today = { .size = sizeof(today) };
	struct ssdpm_resolved_policy resolved;
	struct ssdpm_sim_params params;
	char *text = NULL;
	int err = ssdpm_policy_get_reference(input->models[0], NULL, NULL,
					     &today, &error);

	ssdpm_sim_params_init(&params, sizeof(params));
	params.flags = SSDPM_SIM_LIKELY;
	if (!err)
		err = ssdpm_policy_get_word(&today, &report.from, &error);
	if (!err)
		err = ssdpm_sim_params_set_policy(&params, input->models[0],
						  &today, NULL, &resolved,
						  &error);
	if (!err)
		err = ssdpm_gaps_get_default_bounds(
			gaps, input->models[0], NULL, &bounds, &bounds, &error);
	if (!err)
		err = ssdpm_recommend(gaps, input->models[0], &params, NULL,
				      &found, &error);
	if (!err)
		err = find_words(found, words, &report.n_words);
	report.recommendations = found;
	if (!err)
		err = ssdpm_recommendation_report_to_json(&report, &text,
							  &error);
	for (size_t i = 0; i < report.n_words; i++)
		free((void *)words[i].changes);
	ssdpm_recommendations_free(found);
	return print_text(err, text);
}

static int recommend(const struct input *input)
{
	struct ssdpm_gaps *gaps = NULL;
	int status = collect(input, &gaps) ? fail() :
					     print_recommendations(input, gaps);

	ssdpm_gaps_unref(gaps);
	return status;
}

int main(int argc, char **argv)
{
	struct input input = { .fd = -1 };
	int status;

	if (argc == 2 && !strcmp(argv[1], "words"))
		return print_words();
	if (argc < 4)
		return 2;
	status = open_input(argv + 2, &input);
	if (!status)
		status = strcmp(argv[1], "compare") ?
				 recommend(&input) :
				 compare(&input, argv + 4, argc - 4);
	close_input(&input);
	return status;
}
