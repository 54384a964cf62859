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

void write_further(FILE *file, const struct tuning *tuning)
{
	const struct ssdpm_energy_report_item *most;
	const size_t n = count_further(tuning, &most);

	if (!n)
		return;
	fprintf(file, "%s %s on %s",
		most->further->route == SSDPM_ROUTE_NVME_CORE ?
			"An nvme_core setting for all NVMe drives" :
			"A raw table, which Linux 6.12.110 and later refuse,",
		saving_cell(most->further->likely).text, most->drive->name);
	if (n > 1)
		fprintf(file, ", less on %zu", n - 1);
	fputs(".\nTo see it: ", file);
	write_call(file, tuning);
}
