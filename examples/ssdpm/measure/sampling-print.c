/* SPDX-License-Identifier: MIT */
#include "measure/measure.h"

#include <math.h>

static const struct {
	uint32_t bit;
	const char *name;
} remarks[] = {
	{ SSDPM_SIGNAL_SLOW, "slow" },
	{ SSDPM_SIGNAL_SLOWER_THAN_IO, "slower-than-io" },
	{ SSDPM_SIGNAL_HELD, "held" },
};

void print_sampling(const struct ssdpm_sampling *s)
{
	if (s->remarks & SSDPM_SIGNAL_HELD)
		printf("  its values repeat: measured every %s, not every "
		       "%s\n",
		       time_text(s->interval_ns).text,
		       time_text(s->step_ns).text);
	if (s->remarks & SSDPM_SIGNAL_SLOW)
		printf("  sampled every %s, slower than the events: %s of %s "
		       "are of two samples or fewer\n    sample at least every "
		       "%s; or are they spikes of the instrument?\n",
		       time_text(s->interval_ns).text,
		       count_text(s->n_short).text,
		       count_text(s->n_excursions).text,
		       time_text(s->advised_ns).text);
}

void write_sampling_remarks(struct json_writer *w,
			    const struct ssdpm_sampling *s)
{
	for (size_t i = 0; i < sizeof(remarks) / sizeof(remarks[0]); i++)
		if (s->remarks & remarks[i].bit)
			ssdpm__json_string(w, NULL, remarks[i].name);
}

static void write_known(struct json_writer *w, const char *key, uint64_t value)
{
	if (value)
		ssdpm__json_uint(w, key, value);
	else
		ssdpm__json_null(w, key);
}

void write_sampling(struct json_writer *w, const struct ssdpm_sampling *s)
{
	ssdpm__json_begin(w, "sampling", '{');
	ssdpm__json_uint(w, "step_ns", s->step_ns);
	ssdpm__json_uint(w, "interval_ns", s->interval_ns);
	ssdpm__json_uint(w, "n_excursions", s->n_excursions);
	ssdpm__json_uint(w, "n_short", s->n_short);
	ssdpm__json_uint(w, "short_ns", s->short_ns);
	write_known(w, "advised_ns", s->advised_ns);
	json_scaled(w, "extra_nj", s->extra_j, 1e9);
	json_scaled(w, "short_nj", isnan(s->extra_j) ? NAN : s->short_j, 1e9);
	ssdpm__json_begin(w, "remarks", '[');
	w->one_line = true;
	write_sampling_remarks(w, s);
	ssdpm__json_end(w, ']');
	ssdpm__json_end(w, '}');
}

void complain_of_sampling(const char *name, const struct ssdpm_sampling *s)
{
	if (s->remarks & SSDPM_SIGNAL_HELD)
		remark("%s: its values repeat: measured every %s, not every "
		       "%s",
		       name, time_text(s->interval_ns).text,
		       time_text(s->step_ns).text);
	if (s->remarks & SSDPM_SIGNAL_SLOWER_THAN_IO)
		remark("%s: sampled every %s, too slow for the I/Os, which "
		       "come in stretches of %s (median): this is right "
		       "only if each sample is the mean of its step; sample "
		       "at least every %s",
		       name, time_text(s->interval_ns).text,
		       time_text(s->busy_ns).text,
		       time_text(s->advised_ns).text);
}
