/* SPDX-License-Identifier: MIT */
/* Files of samples of power, and the options that say how they are read. */
#ifndef SSDPM_COMMAND_MEASURE_INPUT_H
#define SSDPM_COMMAND_MEASURE_INPUT_H

#include "command.h"

struct power_options {
	struct ssdpm_power_params params;
	uint64_t given; /* bits: which options of the group */
};

/* Its settings are a struct power_options. */
extern const struct option_group power_option_group;

struct power_input {
	const char *name;
	int fd;
	struct ssdpm_power *power;
};

/* All of a file, in memory. */
struct power_array {
	int64_t *time_ns;
	double *power_w;
	size_t n;
};

/* --idle: when the drive idles, which is given once. */
enum exit_status take_idle(const struct common *common, const char *option,
			   const char *text, struct ssdpm_baseline_params *p);

enum exit_status open_power(const struct power_options *options,
			    const char *name, struct power_input *ret_input);

/* The same of a descriptor, which close_power() closes. */
enum exit_status open_power_fd(const struct power_options *options,
			       const char *name, int fd,
			       struct power_input *ret_input);

/* The next samples, as many as there is room for; *ret_n 0: the end. */
enum exit_status read_power(struct power_input *input, int64_t *time_ns,
			    double *power_w, size_t capacity, size_t *ret_n);

enum exit_status load_power(struct power_input *input,
			    struct power_array *ret_array);

struct ssdpm_samples samples_of(const struct power_array *array);

/* All of a file of any length, a part at a time, as see() leaves each part. */
enum exit_status feed_power(struct power_input *input,
			    struct ssdpm_integral *integral,
			    void (*see)(struct power_array *part, void *data),
			    void *data);
void free_power_array(struct power_array *array);
void close_power(struct power_input *input);

/* "FILE:7: what is wrong with line 7" */
void complain_of_power(const char *name, const struct ssdpm_error *error);

#endif
