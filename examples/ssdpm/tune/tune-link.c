/* SPDX-License-Identifier: MIT */
/* What a deeper PCIe link would save, which ssdpm tune does not set. */
#include "options/advised.h"
#include "options/numbers.h"
#include "tune/tune.h"

#include <string.h>

/* How many drives have one that saves, and that which it saves most on. */
static size_t count_links(const struct tuning *tuning,
			  const struct ssdpm_energy_report_item **ret_most)
{
	const struct ssdpm_energy_report_item *most = NULL;
	size_t n = 0;

	for (size_t i = 0; i < tuning->n; i++) {
		const struct ssdpm_energy_report_item *item = &tuning->items[i];

		if (!item->link ||
		    !ssdpm_saving_verdict_saves(item->link->likely->verdict))
			continue;
		n++;
		if (!most || item->link->likely->median_uw >
				     most->link->likely->median_uw)
			most = item;
	}
	*ret_most = most;
	return n;
}

/* The ASPM policy is for all devices, and a file for one link. */
static void write_way(FILE *file, const struct tuning *tuning,
		      const struct ssdpm_energy_report_item *item)
{
	const struct ssdpm_diagnosis *finding = item->link->finding;
	const char *target = finding->changes[0].target;

	if (finding->remedy == SSDPM_REMEDY_LINK_FILE)
		fprintf(file, "To set it: ssdpm apply --link %s=on",
			strrchr(target, '/') + 1);
	else
		fprintf(file, "For all devices: ssdpm apply --aspm-policy %s",
			finding->changes[0].value);
	write_root(file, tuning->live->root);
	if (finding->remedy == SSDPM_REMEDY_LINK_FILE)
		write_word(file, item->drive->name);
	putc('\n', file);
}

void write_link(FILE *file, const struct tuning *tuning)
{
	const struct ssdpm_energy_report_item *most;
	const size_t n = count_links(tuning, &most);

	if (!n)
		return;
	fprintf(file, "Link of %s in %s, not %s: %s, delay unknown",
		most->drive->name,
		ssdpm_pcie_link_to_string(most->link->pcie_link),
		ssdpm_pcie_link_to_string(most->link->pcie_link_today),
		saving_text(most->link->likely).text);
	if (n > 1)
		fprintf(file, "; %zu more", n - 1);
	fputs(".\n", file);
	write_way(file, tuning, most);
}
