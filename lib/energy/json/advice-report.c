/* SPDX-License-Identifier: MIT */
/* What to set on a drive as JSON: advice.keys has what is written. */
#include <ssdpm/energy/json.h>

#include "base/json.h"

#include "advice-json.h"

int ssdpm_energy_report_item_to_json(
	const struct ssdpm_energy_report_item *item, char **ret_text,
	struct ssdpm_error *reterr)
{
	struct ssdpm_energy_report_item i = { 0 };
	struct json_writer w = { 0 };
	int err = ssdpm__sized_in(&i, sizeof(i), item,
				  "ssdpm_energy_report_item", reterr);

	if (!err && !i.drive)
		err = ssdpm__missing("drive", reterr);
	if (err)
		return err;
	ssdpm__json_begin(&w, NULL, '{');
	write_advice(&w, &i);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}
