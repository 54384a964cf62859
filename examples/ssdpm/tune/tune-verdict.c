/* SPDX-License-Identifier: MIT */
/* What all settings together save: power, energy of a year, money, battery. */
#include "input/usual-workload.h"
#include "options/advised.h"
#include "options/numbers.h"
#include "text/device.h"
#include "tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums what is likely of the changes, or what a trial found. */
static struct ssdpm_total total_of(const struct tuning *tuning)
{
	struct ssdpm_total total = { .size = sizeof(total) };

	for (size_t i = 0; i < tuning->n; i++)
		ssdpm_total_add_item(&total, &tuning->items[i], NULL);
	return total;
}

static struct ssdpm_saving negative(const struct ssdpm_saving *saving)
{
	return (struct ssdpm_saving){ .low_uw = -saving->high_uw,
				      .nominal_uw = -saving->nominal_uw,
				      .high_uw = -saving->low_uw };
}

/* The loss, with the signs turned round. */
static struct ssdpm_saving without_sign(const struct ssdpm_saving *saving)
{
	return saving->nominal_uw < 0 ? negative(saving) : *saving;
}

static void write_year(FILE *file, const struct tuning *tuning,
		       const struct ssdpm_total *total)
{
	const double price = tuning->options->price_per_kwh / 1e3;
	/* Only "saves" and "costs" say the sign. */
	const struct ssdpm_saving size =
		total->verdict == SSDPM_SAVING_NOT_DECIDED ?
			total->saving :
			without_sign(&total->saving);
	struct ssdpm_gain year;

	ssdpm_saving_get_year_wh(&size, tuning->options->hours_per_day, &year);
	fprintf(file, "%.*f kWh a year at %s a day",
		year.nominal < 10e3 ? 2 : 0, year.nominal / 1e3,
		counted(tuning->options->hours_per_day, "hour").text);
	if (price > 0)
		fprintf(file, ", which cost %.2f", year.nominal * price);
	if (price > 0 && total->has_range)
		fprintf(file, " (%.2f to %.2f)",
			without_zero_sign(year.low * price, 2),
			without_zero_sign(year.high * price, 2));
	putc('.', file);
}

/*
 * How much longer the batteries last than with what the machine draws now.
 * False: it runs on none, or a gain cannot be told.
 */
static bool find_battery_gain(const struct tuning *tuning,
			      const struct ssdpm_saving *saving,
			      struct ssdpm_gain *ret_s, double *ret_w)
{
	double wh;

	return read_batteries(tuning->live, &wh, ret_w) &&
	       !ssdpm_saving_get_battery_s(saving, wh * 1e3, *ret_w * 1e6,
					   ret_s, NULL);
}

static void write_battery(FILE *file, const struct tuning *tuning,
			  const struct ssdpm_total *total)
{
	const bool costs = total->saving.nominal_uw < 0;
	struct ssdpm_gain gain;
	double w;
	int n;

	if (!find_battery_gain(tuning, &total->saving, &gain, &w))
		return;
	n = lasting_digits(gain.nominal);
	fprintf(file, "\nThe battery lasts %s %s",
		lasting_text(fabs(gain.nominal), n).text,
		costs ? "less" : "more");
	if (total->has_range)
		fprintf(file, " (likely %s)",
			lasting_range_text(costs ? -gain.high : gain.low,
					   costs ? -gain.low : gain.high, n)
				.text);
	fprintf(file, " at %s.", power_text((int64_t)(w * 1e6)).text);
}

/* A drive that could not be read is no reason to change nothing. */
static void write_no_change(FILE *file, const struct tuning *tuning)
{
	const size_t n_read = tuning->n - total_asleep(tuning).n_unread;
	const struct ssdpm_diagnosis *finding;
	const char *name;
	const size_t n = count_rebuilds(tuning, &name, &finding);

	if (!tuning->n) {
		fputs(tuning->named ? "No drive that was named could be read." :
				      "No NVMe or SATA drive is here.",
		      file);
		return;
	}
	if (n) {
		fprintf(file, "Nothing to change but the APST table of %s%s.",
			name, n > 1 ? cell(" and %zu more", n - 1).text : "");
		if (n_read < tuning->n)
			fprintf(file, "\nOnly %zu of %zu drives could be read.",
				n_read, tuning->n);
		return;
	}
	fputs("Nothing to change: ", file);
	if (n_read == tuning->n)
		fputs("no latency limit or link policy is known to save more.",
		      file);
	else if (tuning->n == 1)
		fputs("the drive could not be read.", file);
	else if (!n_read)
		fprintf(file, "none of %zu drives could be read.", tuning->n);
	else
		fprintf(file,
			"only %zu of %zu drives could be read.\n"
			"No latency limit or link policy is known to save more "
			"there.",
			n_read, tuning->n);
}

struct saving_words total_text(const struct ssdpm_total *total)
{
	const struct ssdpm_likely likely = {
		.verdict = total->verdict,
		.low_uw = total->has_range ? total->saving.low_uw : 0,
		.median_uw = total->saving.nominal_uw,
		.high_uw = total->has_range ? total->saving.high_uw : 0,
	};

	return saving_text(&likely);
}

void write_change(FILE *file, const struct tuning *tuning)
{
	struct ssdpm_total total;

	if (!tuning->n_changes) {
		write_no_change(file, tuning);
		return;
	}
	total = total_of(tuning);
	fprintf(file, "Change %zu of %zu drive%s: ", tuning->n_changes,
		tuning->n, tuning->n == 1 ? "" : "s");
	if (!total.saving.nominal_uw || !total.n_decided) {
		fputs(total.n_undecided ?
			      "whether this saves power is not known." :
			      "the power hardly changes.",
		      file);
		return;
	}
	fprintf(file, "%s%s,\n", total_text(&total).text,
		tuning->n_changes > 1 ? " in all" : "");
	write_year(file, tuning, &total);
	write_battery(file, tuning, &total);
}

/* What the machine draws now already has the saving: without it, they end
 * sooner. */
static void write_battery_asleep(FILE *file, const struct tuning *tuning,
				 const struct ssdpm_saving *saving)
{
	const struct ssdpm_saving loss = negative(saving);
	struct ssdpm_gain gain;
	double w;
	int n;

	if (!find_battery_gain(tuning, &loss, &gain, &w))
		return;
	n = lasting_digits(-gain.nominal);
	fprintf(file, "\nSo the battery lasts %s longer (likely %s) at %s.",
		lasting_text(-gain.nominal, n).text,
		lasting_range_text(-gain.high, -gain.low, n).text,
		power_text((int64_t)(w * 1e6)).text);
}

struct ssdpm_total total_asleep(const struct tuning *tuning)
{
	struct ssdpm_total total = { .size = sizeof(total) };

	for (size_t i = 0; i < tuning->n; i++)
		ssdpm_total_add_asleep(&total, &tuning->items[i], NULL);
	return total;
}

/* The year and the battery are for a screen without changes. */
void write_asleep(FILE *file, const struct tuning *tuning)
{
	const struct ssdpm_total asleep = total_asleep(tuning);

	if (!asleep.saving.nominal_uw)
		return;
	fprintf(file, "Today, %s%s",
		asleep.verdict == SSDPM_SAVING_NOT_DECIDED ?
			"what sleep saves is " :
		asleep.verdict == SSDPM_SAVING_SAVES ? "sleep already " :
						       "sleep ",
		total_text(&asleep).text);
	if (asleep.n_undecided)
		fprintf(file, "; %zu drive%s undecided", asleep.n_undecided,
			asleep.n_undecided == 1 ? " is" : "s are");
	if (asleep.n_unread)
		fprintf(file, "; %s could not be read",
			counted(asleep.n_unread, "drive").text);
	if (asleep.n_unestimated)
		fprintf(file, "; %zu drive%s not estimated",
			asleep.n_unestimated,
			asleep.n_unestimated == 1 ? " is" : "s are");
	if (tuning->n_changes || tuning->options->price_per_kwh <= 0) {
		putc('.', file);
	} else {
		fputs(":\n", file);
		write_year(file, tuning, &asleep);
	}
	if (tuning->n_changes)
		return;
	write_battery_asleep(file, tuning, &asleep.saving);
	fprintf(file, "\nI/Os %s.", harm_text(tuning, true).text);
}

void write_verdict(FILE *file, const struct tuning *tuning)
{
	write_change(file, tuning);
	if (!shows_asleep(tuning))
		return;
	putc('\n', file);
	write_asleep(file, tuning);
}
