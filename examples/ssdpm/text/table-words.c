/* SPDX-License-Identifier: MIT */
#include "text/table-words.h"

#include <stdbool.h>

static bool same_entry(const struct ssdpm_apst_entry *a,
		       const struct ssdpm_apst_entry *b)
{
	return a->idle_ms == b->idle_ms && a->target == b->target;
}

void write_apst_to(FILE *file, const struct ssdpm_apst *table)
{
	const struct ssdpm_apst_entry *entries = table->entries;
	const char *before = "";

	for (uint32_t i = 0, last;
	     table->sent && table->enabled && i < SSDPM_MAX_STATES;
	     i = last + 1) {
		last = i;
		if (!entries[i].idle_ms)
			continue;
		while (last + 1 < SSDPM_MAX_STATES &&
		       same_entry(&entries[i], &entries[last + 1]))
			last++;
		fprintf(file, "%sPS%u", before, i);
		if (last > i)
			fprintf(file, "-PS%u", last);
		fprintf(file, " to PS%u after %s", entries[i].target,
			ssdpm_us_to_text((uint64_t)entries[i].idle_ms * 1000)
				.text);
		before = ", ";
	}
	if (!*before)
		fputs("never sleeps", file);
}

void write_policy_to(FILE *file, const char *name,
		     const struct ssdpm_apst *table)
{
	fputs(name, file);
	if (table && *name)
		fputs(": ", file);
	if (table)
		write_apst_to(file, table);
}
