/* SPDX-License-Identifier: MIT */
/* What a route saves that ssdpm tune leaves to ssdpm recommend. */
#include "options/advised.h"
#include "options/numbers.h"
#include "tune/tune.h"

/* How many drives it is for, and that which it saves most on. */
static size_t count_further(const struct tuning *tuning,
			    const struct ssdpm_energy_report_item **ret_most)
{
	const struct ssdpm_energy_report_item *most = NULL;
	size_t n = 0;

	for (size_t i = 0; i < tuning->n; i++) {
		const struct ssdpm_energy_report_item *item = &tuning->items[i];

		if (!item->further)
			continue;
		n++;
		if (!most || item->further->likely->median_uw >
				     most->further->likely->median_uw)
			most = item;
	}
	*ret_most = most;
	return n;
}

/* One call for all of them. */
static void write_call(FILE *file, const struct tuning *tuning)
{
	fputs("ssdpm recommend", file);
	if (tuning->options->trace_name) {
		fputs(" -t", file);
		write_word(file, tuning->workload);
	}
	write_root(file, tuning->live->root);
	fputs(patience_option(&tuning->options->patience), file);
	for (size_t i = 0; i < tuning->n; i++)
		if (tuning->items[i].further)
			write_word(file, tuning->items[i].drive->name);
	putc('\n', file);
}

size_t count_further_lines(const struct tuning *tuning)
{
	const struct ssdpm_energy_report_item *most;

	return count_further(tuning, &most) ? 3 : 0;
}

static bool is_same_setting(const struct ssdpm_recommendation *a,
			    const struct ssdpm_recommendation *b)
{
	return a->route == b->route &&
	       a->primary_timeout_ms == b->primary_timeout_ms &&
	       a->primary_latency_tolerance_us ==
		       b->primary_latency_tolerance_us &&
	       a->secondary_timeout_ms == b->secondary_timeout_ms &&
	       a->secondary_latency_tolerance_us ==
		       b->secondary_latency_tolerance_us;
}

/* Drives whose best parameters differ cannot all have theirs. */
static bool is_shared(const struct tuning *tuning,
		      const struct ssdpm_recommendation *one)
{
	for (size_t i = 0; i < tuning->n; i++)
		if (tuning->items[i].further &&
		    !is_same_setting(tuning->items[i].further, one))
			return false;
	return true;
}

static void write_saving(FILE *file, const struct tuning *tuning,
			 const struct ssdpm_energy_report_item *most, size_t n)
{
	const char *name = most->drive->name;
	const struct cell saving = saving_cell(most->further->likely);

	if (most->further->route == SSDPM_ROUTE_RAW_TABLE)
		fprintf(file,
			"A raw table, which Linux 6.12.110 and later refuse, "
			"%s on %s",
			saving.text, name);
	else if (is_shared(tuning, most->further))
		fprintf(file,
			"An nvme_core setting for all NVMe drives %s on %s",
			saving.text, name);
	else
		fprintf(file, "The best nvme_core setting of %s %s on it", name,
			saving.text);
	if (n > 1 && is_shared(tuning, most->further))
		fprintf(file, ", less on %zu", n - 1);
	else if (n > 1)
		fprintf(file, "; %zu need others", n - 1);
	fputs(".\n", file);
}

void write_further(FILE *file, const struct tuning *tuning)
{
	const struct ssdpm_energy_report_item *most;
	const size_t n = count_further(tuning, &most);

	if (!n)
		return;
	write_saving(file, tuning, most, n);
	fputs("To see it: ", file);
	write_call(file, tuning);
}
