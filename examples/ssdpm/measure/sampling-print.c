/* SPDX-License-Identifier: MIT */
#include "measure/measure.h"

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
