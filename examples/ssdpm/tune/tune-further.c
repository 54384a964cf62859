/* SPDX-License-Identifier: MIT */
/* What saves and ssdpm tune does not set: another route, a table of Linux. */
#include "options/advised.h"
#include "options/numbers.h"
#include "tune/tune.h"

#include <string.h>

/* How many drives it is for, and that which it gains most on. */
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
		if (!most || item->further_gain_uw > most->further_gain_uw)
			most = item;
	}
	*ret_most = most;
	return n;
}

enum { MOST_NAMES = 4 };

/* One call for all of them; without a name it takes all drives. */
static void write_call(FILE *file, const struct tuning *tuning, size_t n)
{
	const bool all = n > MOST_NAMES && !tuning->named;

	fputs("ssdpm recommend", file);
	if (tuning->options->trace_name) {
		fputs(" -t", file);
		write_word(file, tuning->workload);
	}
	write_root(file, tuning->live->root);
	fputs(patience_option(&tuning->options->patience), file);
	for (size_t i = 0; i < tuning->n && !all; i++)
		if (tuning->items[i].further)
			write_word(file, tuning->items[i].drive->name);
	putc('\n', file);
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

/* How many have another best setting, so that not all can have theirs. */
static size_t count_others(const struct tuning *tuning,
			   const struct ssdpm_recommendation *one)
{
	size_t n = 0;

	for (size_t i = 0; i < tuning->n; i++)
		n += tuning->items[i].further &&
		     !is_same_setting(tuning->items[i].further, one);
	return n;
}

/* "saves 17 mW", or "may save 10 mW more" than what is set. */
static struct cell gain_text(const struct ssdpm_energy_report_item *item)
{
	if (!is_to_set(item))
		return saving_cell(item->further->likely);
	return cell("may save %s more",
		    power_text(two_digits(item->further_gain_uw)).text);
}

static bool is_same_gain(const struct tuning *tuning,
			 const struct ssdpm_energy_report_item *one)
{
	for (size_t i = 0; i < tuning->n; i++)
		if (tuning->items[i].further &&
		    strcmp(gain_text(&tuning->items[i]).text,
			   gain_text(one).text))
			return false;
	return true;
}

/* Names this one of n drives, each, or this one before all. */
static void write_drives(FILE *file, const struct tuning *tuning,
			 const struct ssdpm_energy_report_item *most, size_t n)
{
	if (n > 1 && is_same_gain(tuning, most))
		fprintf(file, " on each of %zu", n);
	else
		fprintf(file, " on %s", most->drive->name);
	if (n > 1 && !is_same_gain(tuning, most))
		fprintf(file, ", no more on %zu", n - 1);
}

static void write_saving(FILE *file, const struct tuning *tuning,
			 const struct ssdpm_energy_report_item *most, size_t n)
{
	const size_t n_others = count_others(tuning, most->further);
	const struct cell gain = gain_text(most);

	if (most->further->route == SSDPM_ROUTE_RAW_TABLE)
		fprintf(file,
			"A raw table, which Linux 6.12.110, 7.2 and later "
			"refuse, %s",
			gain.text);
	else if (!n_others)
		fprintf(file, "An nvme_core setting for all NVMe drives %s",
			gain.text);
	else
		fprintf(file, "The best nvme_core setting of %s %s on it",
			most->drive->name, gain.text);
	if (!n_others)
		write_drives(file, tuning, most, n);
	else if (most->further->route == SSDPM_ROUTE_RAW_TABLE)
		fprintf(file, " on %s", most->drive->name);
	if (n_others)
		fprintf(file, "; %zu need%s", n_others,
			n_others == 1 ? "s another" : " others");
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
	write_call(file, tuning, n);
}

size_t count_rebuilds(const struct tuning *tuning, const char **ret_name,
		      const struct ssdpm_diagnosis **ret_finding)
{
	size_t n = 0;

	*ret_finding = NULL;

	for (size_t i = 0; i < tuning->n; i++) {
		const struct ssdpm_energy_report_item *item = &tuning->items[i];

		if (item->advice != SSDPM_ADVICE_REBUILD)
			continue;
		if (!n)
			*ret_finding = find_finding(
				item->drive, SSDPM_DIAGNOSIS_TABLE_DIFFERS);
		if (!*ret_finding)
			continue;
		if (!n++)
			*ret_name = item->drive->name;
	}
	return n;
}

/* A capture has no kernel that builds a table, so ssdpm sets none there. */
void write_rebuild(FILE *file, const struct tuning *tuning)
{
	const struct ssdpm_diagnosis *finding;
	const char *name;
	const size_t n = count_rebuilds(tuning, &name, &finding);

	if (!n)
		return;
	fprintf(file, "To have Linux build the table of %s%s", name,
		tuning->live->root ? " on that machine" : "");
	if (n > 1)
		fprintf(file, "; %zu more likewise", n - 1);
	fputs(":\n", file);
	for (uint32_t i = 0; i < finding->n_changes; i++)
		fprintf(file, "  echo %s > %s\n", finding->changes[i].value,
			finding->changes[i].target);
}
