/* SPDX-License-Identifier: MIT */
/* What was measured, for people and as JSON. */
#ifndef SSDPM_COMMAND_MEASURE_PRINT_H
#define SSDPM_COMMAND_MEASURE_PRINT_H

#include "options/numbers.h"
#include "text/output.h"

struct energy_answer {
	const char *name;
	struct ssdpm_power_counts counts;
	struct ssdpm_energy energy;
	struct ssdpm_sampling sampling;
	bool has_tolerance;
	bool has_counter; /* of the meter */
	double counter_j;
};

/* A baseline, and what was found above it. */
struct baseline_answer {
	const char *name;
	struct ssdpm_baseline baseline;
	struct ssdpm_sampling sampling;
	struct ssdpm_activity *activities;
	size_t n_activities;
	bool has_tail, has_work;
	struct ssdpm_tail tail;
	struct ssdpm_idle_work work;
};

struct number joules_text(double joules);
struct number watts_text(double watts);

/* Rounded; null where it is no number, or beyond 64 bits. */
void json_scaled(struct json_writer *w, const char *key, double value,
		 double scale);

void print_energy(const struct energy_answer *a);
void write_energy(struct json_writer *w, const struct energy_answer *a);
void print_baseline(const struct baseline_answer *a);
void write_baseline(struct json_writer *w, const struct baseline_answer *a);
void print_background(const struct baseline_answer *a);
void write_background(struct json_writer *w, const struct baseline_answer *a);

#endif
