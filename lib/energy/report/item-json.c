/* SPDX-License-Identifier: MIT */
/* Writes as JSON what to set on a drive; advice.keys has the keys. */
#include "report/internal.h"

#include <errno.h>

#include "base/json.h"

static const struct ssdpm_saving *known_saving(
	const struct ssdpm_energy_report_item *item)
{
	return item->before ? &item->saving : NULL;
}

#include "advice-json.h"

int ssdpm_energy_report_item_to_json(const struct ssdpm_energy_report *report,
				     size_t index, char **ret_text,
				     struct ssdpm_error *reterr)
{
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	struct json_writer w = { 0 };

	if (ssdpm_energy_report_get_item(report, index, &item))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "the report has no item %zu", index);
	ssdpm__json_begin(&w, NULL, '{');
	write_advice(&w, &item);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}
