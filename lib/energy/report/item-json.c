/* SPDX-License-Identifier: MIT */
/* Writes as JSON what to set on a drive; advice.keys has the keys. */
#include "report/internal.h"

#include <errno.h>

#include "base/json-text.h"

static const struct ssdpm_saving *known_saving(
	const struct ssdpm_energy_report_item *item)
{
	return item->before ? &item->saving : NULL;
}

/* The energy of a saving in a year, and its price; NULL: unknown. */
struct year {
	const struct ssdpm_energy_report *report;
	const struct ssdpm_gain *wh, *price;
};

#include "advice-json.h"

/* That of a trial, or what is likely. False: nothing changes. */
static bool find_saving(const struct ssdpm_energy_report_item *item,
			struct ssdpm_saving *ret_saving)
{
	const struct ssdpm_trial_result *trial = item->trial;
	const struct ssdpm_likely *likely = item->likely;

	if (trial && ssdpm__get_trial_saving(trial, ret_saving))
		return true;
	if (!likely)
		return false;
	ret_saving->low_uw = likely->low_uw;
	ret_saving->nominal_uw = likely->median_uw;
	ret_saving->high_uw = likely->high_uw;
	return true;
}

int ssdpm_energy_report_item_to_json(const struct ssdpm_energy_report *report,
				     size_t index, char **ret_text,
				     struct ssdpm_error *reterr)
{
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	struct json_writer w = { 0 };
	struct year year = { .report = report };
	struct ssdpm_saving saving = { 0 };
	struct ssdpm_gain wh, price;

	if (ssdpm_energy_report_get_item(report, index, &item))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "the report has no item %zu", index);
	if (report->hours_per_day && find_saving(&item, &saving)) {
		ssdpm_saving_get_year_wh(&saving, report->hours_per_day, &wh);
		price.low = wh.low * report->price_per_kwh / 1e3;
		price.nominal = wh.nominal * report->price_per_kwh / 1e3;
		price.high = wh.high * report->price_per_kwh / 1e3;
		year.wh = &wh;
		year.price = &price;
	}
	ssdpm__json_begin(&w, NULL, '{');
	write_advice(&w, &item, &year);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}
