/* SPDX-License-Identifier: MIT */
/* How even writes go, as JSON: evenness.keys has what is written. */
#include <ssdpm/energy/json.h>

#include <errno.h>
#include <math.h>

#include "base/json-text.h"
#include "evenness-json.h"

int ssdpm_consistency_report_to_json(
	const struct ssdpm_consistency_report *report, char **ret_text,
	struct ssdpm_error *reterr)
{
	struct ssdpm_consistency_report r = { 0 };
	/* A shorter one knows nothing of power. */
	struct ssdpm_consistency found = { .plateau_power_w = NAN,
					   .mean_power_w = NAN };
	struct json_writer w = { 0 };
	int err = ssdpm__sized_in(&r, sizeof(r), report,
				  "ssdpm_consistency_report", reterr);

	if (err)
		return err;
	if (!r.found || !(r.name || r.spare_ppm))
		return ssdpm__missing(r.found ? "name" : "found", reterr);
	err = ssdpm__sized_in(&found, sizeof(found), r.found,
			      "ssdpm_consistency", reterr);
	if (err)
		return err;
	r.found = &found;
	ssdpm__json_begin(&w, NULL, '{');
	write_consistency(&w, &r);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}
